// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "cpu/plan/tuning.hpp"

// Whether threads pay at all at present. An OpenMP region ends when every thread of its team has,
// also one that does not get to run because its core is busy with something else, or because the
// scheduler put two of the team on one core. Since the others spin meanwhile, that takes slices of
// the scheduler's, hundreds of times the work itself; no division of the work helps. So there is an
// account: executions in time earn what they took (two threads save about that), late ones cost
// what they lost. Once it is overdrawn, executions stay on the calling thread until they have moved
// what the process owes, more each time, until threads have earned a full account again.
//
// Worked example: 20 ms on the account, and a join that comes 12 ms late leaves 8. If the next 100
// joins are in time and took 25 us each, 10.5 ms are on it; another 12 ms late, and the process
// owes 1.5 ms: 15 MB are moved on one thread. If the first join after that is 12 ms late again, it
// owes twice as much for each ms: 24 ms, 240 MB.
namespace tfmt::cpu {

// Whether an execution was late that took `wall_ns`, of which the calling thread ran and had work
// for `busy_ns`. A pure function.
bool is_late(int64_t busy_ns, int64_t wall_ns) noexcept;

class late_joins {
public:
    // Whether executions are to measure busy_ns, which takes a us. Not with a full account until
    // one takes long, late or not.
    bool is_watching() const noexcept;
    void note_unwatched(int64_t wall_ns) noexcept;
    void note(int64_t busy_ns, int64_t wall_ns) noexcept;

    // Whether an execution that moves `bytes` is to stay on one thread; if so, they are repaid.
    bool repay(int64_t bytes) noexcept;

private:
    // Several executions at once may miss each other's changes; that does no harm.
    std::atomic<int64_t> owed_bytes_ {0};
    std::atomic<int64_t> account_ns_ {tuning::late_join_account_ns};
    std::atomic<int> n_overdrawn_ {0}; // since the account was full
};

// A clock, and the processor time of the calling thread (0.5 us; the clock where that is unknown).
int64_t wall_ns() noexcept;
int64_t thread_busy_ns() noexcept;

// The process's own.
late_joins &process_late_joins() noexcept;

} // namespace tfmt::cpu
