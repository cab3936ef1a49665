// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/cache_sizes.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/isa/cpuid.hpp"
#include "cpu/topology/sys_files.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace tfmt::cpu {
namespace {

constexpr int max_caches_per_cpu = 8;

void keep_smaller(size_t &bytes, size_t other_bytes) {
    if (other_bytes && (!bytes || other_bytes < bytes)) bytes = other_bytes;
}

void take(cache_sizes &sizes, int level, size_t bytes) {
    if (level == 2) keep_smaller(sizes.l2_bytes, bytes);
    if (level == 3) keep_smaller(sizes.l3_bytes, bytes);
}

void take_caches_of(const std::string &cpu_folder, cache_sizes &sizes) {
    for (int i = 0; i < max_caches_per_cpu; i++) {
        const std::string cache = cpu_folder + "/cache/index" + std::to_string(i);
        const std::string level = read_word(cache + "/level");
        if (level.empty()) return;
        if (level == "1" || read_word(cache + "/type") == "Instruction") continue;
        take(sizes, std::atoi(level.c_str()), parse_size(read_word(cache + "/size")));
    }
}

struct cpu_range {
    int first = 0, last = 0;
};

// The ends of the affinity mask; processor 0 where that is unknown.
cpu_range allowed_cpus() {
    cpu_range range;
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0)
        return range;
    while (!CPU_ISSET(static_cast<size_t>(range.first), &allowed))
        range.first++;
    range.last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(static_cast<size_t>(range.last), &allowed))
        range.last--;
#endif
    return range;
}

// glibc's sizes only where nothing else is told, and not of L3: on some processors it adds up
// caches that no core sees together.
size_t l2_bytes_of_sysconf() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    return static_cast<size_t>(std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE)));
#else
    return 0;
#endif
}

// /sys before CPUID: CPUID tells of the core that asks, which may be either kind of a hybrid
// processor, and traps in a virtual machine (8 us a leaf).
cache_sizes read_host() {
    const cpu_range cpus = allowed_cpus();
    cache_sizes sizes = cache_sizes_of_sys("/sys/devices/system/cpu", cpus.first, cpus.last);
    if (!sizes.last_level_bytes()) sizes = cache_sizes_of_cpuid();
    if (!sizes.l2_bytes) sizes.l2_bytes = l2_bytes_of_sysconf();
    if (!sizes.l2_bytes) sizes.l2_bytes = default_l2_bytes;
    return sizes;
}

} // namespace

// Two processors stand for all, since each takes 75 us: kinds of cores are numbered one after the
// other.
cache_sizes cache_sizes_of_sys(const std::string &cpus_folder, int first_cpu, int last_cpu) {
    cache_sizes sizes;
    take_caches_of(cpus_folder + "/cpu" + std::to_string(first_cpu), sizes);
    if (last_cpu != first_cpu)
        take_caches_of(cpus_folder + "/cpu" + std::to_string(last_cpu), sizes);
    return sizes;
}

cache_sizes cache_sizes_of_cpuid() {
    cache_sizes sizes;
    for (const cpuid_cache &cache : read_cpuid_caches())
        take(sizes, cache.level, cache.size_bytes);
    return sizes;
}

const cache_sizes &host_cache_sizes() {
    static const cache_sizes sizes = read_host();
    return sizes;
}

} // namespace tfmt::cpu
