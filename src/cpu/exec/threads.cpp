// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/threads.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "common/status.hpp"
#include "cpu/isa/environment.hpp"
#include "cpu/plan/tuning.hpp"
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

#ifdef _OPENMP
// Processors come from OpenMP and not from the topology: with OMP_PROC_BIND the runtime has already
// bound the initial thread to one core, and only the runtime still knows what the process was
// given.
int default_num_cores() {
    static const int n_cores = [] {
        const topology &host = host_topology();
        const int pus_per_core = std::max(1, host.n_pus / std::max(1, host.n_cores));
        return std::max(1, (omp_get_num_procs() + pus_per_core - 1) / pus_per_core);
    }();
    return n_cores;
}

int chosen_num_threads() {
    if (const int n = num_threads_from_api.load(std::memory_order_relaxed)) return n;
    if (environment_num_threads().is_set) return environment_num_threads().value;
    return std::max(1, std::min({omp_get_max_threads(), default_num_cores(), max_num_threads}));
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

int threads_worth(int64_t bytes) noexcept {
    const int64_t worth = bytes / tuning::bytes_per_thread;
    return worth < 2 ? 1 : int(std::min<int64_t>(worth, num_threads()));
}

void set_num_threads(int n) {
    if (n < 0 || n > max_num_threads)
        fail_invalid("n is " + std::to_string(n) + ", expected 1.."
                + std::to_string(max_num_threads) + ", or 0 for the default");
    num_threads_from_api.store(n, std::memory_order_relaxed);
}

void check_num_threads_variable() {
    check_environment_int(environment_num_threads(), num_threads_variable, 1, max_num_threads);
}

} // namespace tfmt::cpu
