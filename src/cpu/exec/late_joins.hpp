// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

// Whether threads pay at all at present. An OpenMP region ends when every thread of its team has,
// also one that does not get to run because its core is busy with something else, or because the
// scheduler put two of the team on one core. Since the others spin meanwhile, that takes slices of
// the scheduler's, hundreds of times the work itself; no division of the work helps. So after late
// joins, executions stay on the calling thread until they have moved what the process then owes:
// nothing for the first, then more with each, until joins have been in time for a while.
//
// Worked example: one thread takes 43 us for a reorder of 3 MiB, two take 25. With one of two cores
// busy, a join comes 12 ms late now and then, after (on 10 bytes a ns) 0, 37, 112, 261, ..., 2400
// reorders on one thread: waiting takes a tenth of the time and less, not nine tenths.
namespace tfmt::cpu {

// Whether an execution was late that took `wall_ns`, of which the calling thread ran and had work
// for `busy_ns`. A pure function.
bool is_late(int64_t busy_ns, int64_t wall_ns) noexcept;

class late_joins {
public:
    void note(int64_t busy_ns, int64_t wall_ns) noexcept;

    // Whether an execution that moves `bytes` is to stay on one thread; if so, they are repaid.
    bool repay(int64_t bytes) noexcept;

private:
    // Several executions at once may miss each other's changes; that does no harm.
    std::atomic<int64_t> owed_bytes_ {0};
    std::atomic<int> n_late_ {0}; // since the last calm
    std::atomic<int64_t> calm_after_ns_ {
            0}; // time of executions in time until n_late_ is forgotten
};

// A clock, and the processor time of the calling thread (0.5 us; the clock where that is unknown).
int64_t wall_ns() noexcept;
int64_t thread_busy_ns() noexcept;

// The process's own.
late_joins &process_late_joins() noexcept;

} // namespace tfmt::cpu
