// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

// What a plan depends on, without the cores and nodes around it: 0.15 ms instead of the topology's
// 2 to 3, which the first reorder would otherwise wait for.
namespace tfmt::cpu {

// Stands in where a host tells nothing: smallest of the processors in use.
constexpr size_t default_l2_bytes = 256 * 1024;

// Of one data or unified cache, the smallest where they differ; 0 if there is none.
struct cache_sizes {
    size_t l2_bytes = 0, l3_bytes = 0;

    // The cache before memory: one L3, or one L2 where there is no L3.
    size_t last_level_bytes() const { return l3_bytes ? l3_bytes : l2_bytes; }
};

// Of the cores that the process may use; l2_bytes is never 0. Read on the first call, then kept;
// safe from any thread. Never loads hwloc.
const cache_sizes &host_cache_sizes();

// The parts of that: what a folder such as /sys/devices/system/cpu tells of two of its processors
// (all zero where it is not there), and what the processor itself tells of the core that happens to
// run this (all zero on anything but x86).
cache_sizes cache_sizes_of_sys(const std::string &cpus_folder, int first_cpu, int last_cpu);
cache_sizes cache_sizes_of_cpuid();

} // namespace tfmt::cpu
