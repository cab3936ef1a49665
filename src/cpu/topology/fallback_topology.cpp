// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "cpu/topology/cache_sizes.hpp"
#include "cpu/topology/sys_files.hpp"

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
constexpr int default_line_bytes = 64;

#if defined(__linux__)

// How many processors of a list such as "0-3,8" are in `set`.
int count_in_set(const std::string &list, const cpu_set_t &set) {
    int count = 0;
    const char *p = list.c_str();
    while (*p) {
        char *end = nullptr;
        const long first = std::strtol(p, &end, 10);
        if (end == p) break;
        long last = first;
        if (*end == '-') last = std::strtol(end + 1, &end, 10);
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            count += CPU_ISSET(static_cast<size_t>(cpu), &set) ? 1 : 0;
        p = *end == ',' ? end + 1 : end;
        if (*end != ',') break;
    }
    return count;
}

void read_cache(
        const std::string &folder, const cpu_set_t &allowed, int pus_per_core, topology *t) {
    const std::string type = read_word(folder + "/type");
    if (type != "Data" && type != "Unified") return;
    const size_t size_bytes = parse_size(read_word(folder + "/size"));
    const int n_pus = count_in_set(read_word(folder + "/shared_cpu_list"), allowed);
    const int shared_by = std::max(1, n_pus / pus_per_core);
    const std::string level = read_word(folder + "/level");
    if (level == "1") t->l1d_bytes = size_bytes, t->l1d_shared_by = shared_by;
    if (level == "2") t->l2_bytes = size_bytes, t->l2_shared_by = shared_by;
    if (level == "3") t->l3_bytes = size_bytes, t->l3_shared_by = shared_by;
    if (const int line_bytes = std::atoi(read_word(folder + "/coherency_line_size").c_str()))
        t->line_bytes = line_bytes;
}

// The first processor that the process may use stands for all.
void read_linux(topology *t) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    t->n_pus = CPU_COUNT(&allowed);
    size_t first = 0;
    while (first + 1 < CPU_SETSIZE && !CPU_ISSET(first, &allowed))
        first++;
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(first);
    const int pus_per_core = std::max(
            1, count_in_set(read_word(folder + "/topology/thread_siblings_list"), allowed));
    t->n_cores = std::max(1, t->n_pus / pus_per_core);
    for (int i = 0; i < 8; i++)
        read_cache(folder + "/cache/index" + std::to_string(i), allowed, pus_per_core, t);
}

#endif

#if defined(_SC_LEVEL1_DCACHE_SIZE)
size_t positive_or_zero(int name) { return static_cast<size_t>(std::max(0L, sysconf(name))); }
#endif

// glibc's numbers, where /sys is not there.
void read_sysconf(topology *t) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    if (!t->l1d_bytes) t->l1d_bytes = positive_or_zero(_SC_LEVEL1_DCACHE_SIZE);
    if (!t->line_bytes)
        t->line_bytes = static_cast<int>(positive_or_zero(_SC_LEVEL1_DCACHE_LINESIZE));
#else
    (void)t;
#endif
}

// What the caches beyond L1 are without /sys. Which cores share them is not known then: one L3 for
// all.
void read_cache_sizes(topology *t) {
    const cache_sizes &sizes = host_cache_sizes();
    t->l2_bytes = sizes.l2_bytes;
    t->l3_bytes = sizes.l3_bytes;
    t->l3_shared_by = t->n_cores;
}

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

topology fallback_topology() {
    topology t {};
#if defined(__linux__)
    read_linux(&t);
#endif
    read_sysconf(&t);
    if (!t.n_cores) t.n_cores = static_cast<int>(std::thread::hardware_concurrency());
    if (!t.l2_bytes && !t.l3_bytes) read_cache_sizes(&t);
    fill_in_defaults(t);
    t.n_l3 = t.l3_bytes ? std::max(1, t.n_cores / t.l3_shared_by) : 0;
    return t;
}

} // namespace tfmt::cpu
