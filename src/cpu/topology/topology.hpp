// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Cores, caches and NUMA nodes, as plain numbers the plan can be a function of.
//
// Only this room asks the host (hwloc_topology.cpp is the only user of hwloc; without it
// fallback_topology.cpp reads /sys). It knows nothing of plans.
//
// Worked example: "pack:2 [numa] l3:2 l2:4 core:1 pu:2" with 32 MiB, 1 MiB is n_cores 16, n_pus 32,
// n_numa_nodes 2, l2_bytes 1048576, l2_shared_by 1, l3_bytes 33554432, l3_shared_by 4, n_l3 4.
namespace tfmt::cpu {

struct topology {
    int n_cores;      // that the process may run on
    int n_pus;        // hardware threads that the process may run on
    int n_numa_nodes; // that those are near to, at least 1

    // Size of one data or unified cache, the smallest where they differ (hybrid processors). L1d
    // and L2 are never 0: where the host tells nothing a safe size stands in. l3_bytes is 0 if
    // there is none.
    size_t l1d_bytes, l2_bytes, l3_bytes;

    // Cores, of those above, that share one such cache; the most where that differs. At least 1.
    int l1d_shared_by, l2_shared_by, l3_shared_by;

    int n_l3; // L3 caches next to those cores; 0 if there is none
    int line_bytes;
    bool is_from_hwloc;

    // The cache before memory: one L3, or one L2 where there is no L3.
    size_t last_level_bytes() const { return l3_bytes ? l3_bytes : l2_bytes; }
};

// Read on the first call, then kept; safe from any thread. A later change of the process's affinity
// is not noticed. The first call takes 2 to 3 ms with hwloc, 0.2 ms without: only for what
// cache_sizes.hpp does not tell, and only where more than one thread is going to work.
const topology &host_topology();

// From hwloc's synthetic notation, for tests. Throws failure: invalid_arguments if hwloc cannot
// read the description, unimplemented if the library was built without hwloc.
topology load_synthetic(const char *hwloc_synthetic_description);

// What /sys, sysconf and the affinity mask tell: the host's topology where hwloc is absent or
// fails.
topology fallback_topology();

// Puts safe sizes where `t` has zeroes, as fallback_topology() does.
void fill_in_defaults(topology &t);

} // namespace tfmt::cpu
