// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cpu/plan/tuning.hpp"
#include "tensorfmt/tensorfmt.h"

// How many threads a reorder may use, and whose. Running them is parallel_for's business.
namespace tfmt::cpu {

class shares;

constexpr int max_num_threads = 4096;

// The number set last by set_num_threads(); else TENSORFMT_NUM_THREADS; else the smaller of what
// OpenMP would use (so omp_set_num_threads() and OMP_NUM_THREADS count) and the cores allowed to
// the process, one thread a core. Always 1 in a build without OpenMP. Never throws.
int num_threads() noexcept;

// 1..max_num_threads; 0 goes back to the environment's number or the default. Anything else throws.
// Counts for executions that start later. Safe from any thread.
void set_num_threads(int n);

// Throws failure(tfmt_invalid_arguments) if TENSORFMT_NUM_THREADS is not a number in
// 1..max_num_threads and no call has replaced it; until then a bad value counts as unset. Part of
// check_environment().
void check_num_threads_variable();

// Where an execution may run, and what it writes.
struct team {
    int n_threads = 1;
    const tfmt_threadpool_t *pool = nullptr; // null: OpenMP's threads
    const char *dst = nullptr;               // null: not said
    int64_t dst_bytes = 0;
};

// Whether moving `bytes` (source + destination) may pay for more than one thread.
inline bool is_worth_sharing(int64_t bytes) { return bytes >= 2 * tuning::bytes_per_thread; }

// The threads that moving `bytes` (source + destination) pays for: of the pool, or if that is null
// at most num_threads(). Settings of set_num_threads() and TENSORFMT_NUM_THREADS cap a pool, too,
// the default does not. Small moves ask for nothing. dst_bytes: how much of `bytes` is written,
// from `dst` on.
team team_worth(
        int64_t bytes, const tfmt_threadpool_t *pool, const void *dst, int64_t dst_bytes) noexcept;

// Where there are several NUMA nodes and the destination is large: says on which node the pages of
// each share lie, and returns true. Asks one page of each, and takes the destination to be written
// from its first byte to its last, as calls of kernels are numbered.
bool place_shares(const team &t, shares &work) noexcept;

} // namespace tfmt::cpu
