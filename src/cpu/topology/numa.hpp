// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which NUMA node a thread runs on and on which one memory lies, while a reorder executes: asked of
// the kernel directly, since hwloc's call for it (hwloc_get_area_memlocation) allocates and asks
// for every page. Numbers are the system's own, to be compared with each other only.
namespace tfmt::cpu {

// The node that the calling thread runs on at this moment (6 ns), or -1 where that is unknown.
int current_numa_node() noexcept;

// nodes[i] receives the node of the page that holds addresses[i] (0.15 us each, at most 64), or -1:
// not written yet, not mapped, or the system does not tell.
void find_numa_nodes(const void *const *addresses, int n, int *nodes) noexcept;

} // namespace tfmt::cpu
