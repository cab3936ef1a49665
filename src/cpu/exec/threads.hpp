// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How many threads a reorder may use. Only the number: running them is parallel_for's business.
namespace tfmt::cpu {

constexpr int max_num_threads = 4096;

// The number set last by set_num_threads(); else TENSORFMT_NUM_THREADS; else the smaller of what
// OpenMP would use (so omp_set_num_threads() and OMP_NUM_THREADS count) and the cores allowed to
// the process, one thread a core. Always 1 in a build without OpenMP. Never throws.
int num_threads() noexcept;

// 1..max_num_threads; 0 goes back to the environment's number or the default. Anything else throws.
// Counts for executions that start later. Safe from any thread.
void set_num_threads(int n);

// Throws failure(tfmt_invalid_arguments) if TENSORFMT_NUM_THREADS is not a number in
// 1..max_num_threads; until then a bad value counts as unset. Part of check_environment().
void check_num_threads_variable();

// How many threads moving `bytes` (source + destination) pays for, at most num_threads(). Small
// moves do not even ask for that.
int threads_worth(int64_t bytes) noexcept;

} // namespace tfmt::cpu
