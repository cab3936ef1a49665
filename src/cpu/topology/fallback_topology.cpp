// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "cpu/topology/sys_files.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace tfmt::cpu {
namespace {

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
}

#endif

} // namespace

void fill_in_defaults(topology &t) {
    t.n_cores = std::max(1, t.n_cores);
    t.n_pus = std::max(t.n_cores, t.n_pus);
    t.n_numa_nodes = std::max(1, t.n_numa_nodes);
}

topology fallback_topology() {
    topology t {};
#if defined(__linux__)
    read_linux(&t);
#endif
    if (!t.n_cores) t.n_cores = static_cast<int>(std::thread::hardware_concurrency());
    fill_in_defaults(t);
    return t;
}

} // namespace tfmt::cpu
