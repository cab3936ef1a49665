// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/threads.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

#include "common/status.hpp"
#include "cpu/exec/late_joins.hpp"
#include "cpu/exec/shares.hpp"
#include "cpu/isa/environment.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/topology/numa.hpp"
#include "cpu/topology/topology.hpp"

namespace tfmt::cpu {
namespace {

constexpr const char *num_threads_variable = "TENSORFMT_NUM_THREADS";

const environment_int &environment_num_threads() {
    static const environment_int setting = read_environment_int(
            num_threads_variable, 1, max_num_threads);
    return setting;
}

std::atomic<int> num_threads_from_api {0}; // 0: the environment's or the default holds

// The number that the process was told, 0 if none.
int num_threads_told() {
    if (const int n = num_threads_from_api.load(std::memory_order_relaxed)) return n;
    return environment_num_threads().is_set ? environment_num_threads().value : 0;
}

int num_threads_cap() noexcept {
    try {
        const int told = num_threads_told();
        return told ? told : max_num_threads;
    } catch (...) { return max_num_threads; }
}

int n_numa_nodes() noexcept {
    try {
        return host_topology().n_numa_nodes;
    } catch (...) { return 1; }
}

#ifdef _OPENMP
// Processors come from OpenMP and not from the topology: with OMP_PROC_BIND the runtime has already
// bound the initial thread to one core, and only the runtime still knows what the process was
// given. Where it was given one, there is nothing to ask the topology, which takes milliseconds.
int default_num_cores() {
    static const int n_cores = [] {
        const int n_procs = omp_get_num_procs();
        if (n_procs < 2) return 1;
        const topology &host = host_topology();
        const int pus_per_core = std::max(1, host.n_pus / std::max(1, host.n_cores));
        return std::max(1, (n_procs + pus_per_core - 1) / pus_per_core);
    }();
    return n_cores;
}

// Of a child of fork() whose parent has shared executions with OpenMP's threads: these did not come
// along, and GCC's OpenMP would wait for them for ever.
std::atomic<bool> has_shared {false}, lacks_threads {false};

void remember_sharing() {
    if (has_shared.load(std::memory_order_relaxed)) return;
    static const int error = pthread_atfork(
            nullptr, nullptr, [] { lacks_threads = has_shared.load(); });
    if (error == 0) has_shared = true;
}

int chosen_num_threads() {
    if (lacks_threads.load(std::memory_order_relaxed)) return 1;
    if (const int told = num_threads_told()) return told;
    const int most = std::min(omp_get_max_threads(), max_num_threads);
    return most < 2 ? 1 : std::min(most, default_num_cores());
}
#endif

} // namespace

int num_threads() noexcept {
#ifdef _OPENMP
    try {
        return chosen_num_threads();
    } catch (...) { return 1; }
#else
    return 1;
#endif
}

team team_worth(
        int64_t bytes, const tfmt_threadpool_t *pool, const void *dst, int64_t dst_bytes) noexcept {
    team t {1, pool, static_cast<const char *>(dst), dst_bytes};
    if (!is_worth_sharing(bytes)) return t;
    if (!pool && process_late_joins().repay(bytes)) return t;
    const int most = pool ? std::min(pool->get_num_threads(pool->context), num_threads_cap())
                          : num_threads();
    t.n_threads = int(std::min<int64_t>(bytes / tuning::bytes_per_thread, most));
#ifdef _OPENMP
    if (!pool && t.n_threads > 1) remember_sharing();
#endif
    return t;
}

bool place_shares(const team &t, shares &work) noexcept {
    if (!t.dst || t.dst_bytes < tuning::min_numa_bytes || n_numa_nodes() < 2) return false;
    const void *middles[max_shares];
    int nodes[max_shares];
    const int n = work.count();
    for (int i = 0; i < n; i++)
        middles[i] = t.dst + t.dst_bytes / (2 * n) * (2 * i + 1);
    find_numa_nodes(middles, n, nodes);
    for (int i = 0; i < n; i++)
        work.set_node(i, nodes[i]);
    return true;
}

void set_num_threads(int n) {
    if (n < 0 || n > max_num_threads)
        fail_invalid("n is " + std::to_string(n) + ", expected 1.."
                + std::to_string(max_num_threads) + ", or 0 for the default");
    num_threads_from_api.store(n, std::memory_order_relaxed);
}

void check_num_threads_variable() {
    if (num_threads_from_api.load(std::memory_order_relaxed)) return;
    check_environment_int(environment_num_threads(), num_threads_variable, 1, max_num_threads);
}

} // namespace tfmt::cpu
