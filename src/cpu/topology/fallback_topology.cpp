// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/topology.hpp"

#include <algorithm>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace tfmt::cpu {
namespace {

// Smallest of the processors in use, so that a tile that fits here fits everywhere.
constexpr size_t default_l1d_bytes = 32 * 1024;
constexpr size_t default_l2_bytes = 256 * 1024;
constexpr int default_line_bytes = 64;

int allowed_processors() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

#if defined(_SC_LEVEL1_DCACHE_SIZE)
long positive_or_zero(int name) { return std::max(0L, sysconf(name)); }
#endif

} // namespace

void fill_in_defaults(topology &t) {
    t.n_cores = std::max(1, t.n_cores);
    t.n_pus = std::max(t.n_cores, t.n_pus);
    t.n_numa_nodes = std::max(1, t.n_numa_nodes);
    if (!t.l1d_bytes) t.l1d_bytes = default_l1d_bytes;
    if (!t.l2_bytes) t.l2_bytes = std::max(default_l2_bytes, t.l1d_bytes);
    if (t.line_bytes <= 0) t.line_bytes = default_line_bytes;
    t.l1d_shared_by = std::max(1, t.l1d_shared_by);
    t.l2_shared_by = std::max(1, t.l2_shared_by);
    t.l3_shared_by = std::max(1, t.l3_shared_by);
}

// sysconf does not tell who shares what: L1d and L2 count as private to a core and one L3 as shared
// by all, and hardware threads count as cores.
topology fallback_topology() {
    topology t {};
    t.n_cores = t.n_pus = allowed_processors();
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    t.l1d_bytes = static_cast<size_t>(positive_or_zero(_SC_LEVEL1_DCACHE_SIZE));
    t.l2_bytes = static_cast<size_t>(positive_or_zero(_SC_LEVEL2_CACHE_SIZE));
    t.l3_bytes = static_cast<size_t>(positive_or_zero(_SC_LEVEL3_CACHE_SIZE));
    t.line_bytes = static_cast<int>(positive_or_zero(_SC_LEVEL1_DCACHE_LINESIZE));
#endif
    t.n_l3 = t.l3_bytes ? 1 : 0;
    t.l3_shared_by = t.l3_bytes ? t.n_cores : 1;
    fill_in_defaults(t);
    return t;
}

} // namespace tfmt::cpu
