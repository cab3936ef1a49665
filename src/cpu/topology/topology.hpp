// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cores and NUMA nodes, as plain numbers that the number of threads is a function of.
//
// Only this room asks the host (hwloc_topology.cpp is the only user of hwloc; without it
// fallback_topology.cpp reads /sys). It knows nothing of threads. Sizes of caches, which plans are
// a function of, are cache_sizes.hpp's.
//
// Worked example: "pack:2 [numa] l3:2 core:4 pu:2" is n_cores 16, n_pus 32, n_numa_nodes 2.
namespace tfmt::cpu {

struct topology {
    int n_cores;      // that the process may run on
    int n_pus;        // hardware threads that the process may run on
    int n_numa_nodes; // that those are near to, at least 1
};

// Read on the first call, then kept; safe from any thread. A later change of the process's affinity
// is not noticed. The first call takes 2 to 3 ms with hwloc, 0.2 ms without: only where more than
// one thread is going to work.
const topology &host_topology();

// From hwloc's synthetic notation, for tests. Throws failure: invalid_arguments if hwloc cannot
// read the description, unimplemented if the library was built without hwloc.
topology load_synthetic(const char *hwloc_synthetic_description);

// What /sys and the affinity mask tell: the host's topology where hwloc is absent or fails.
topology fallback_topology();

// Puts the least that a machine has where `t` has less, as fallback_topology() does.
void fill_in_defaults(topology &t);

} // namespace tfmt::cpu
