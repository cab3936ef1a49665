// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/late_joins.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}

bool is_late(int64_t busy_ns, int64_t wall_ns) noexcept {
    const int64_t lost_ns = wall_ns - busy_ns;
    return lost_ns >= tuning::late_join_ns && lost_ns >= busy_ns / 2;
}

void late_joins::note(int64_t busy_ns, int64_t wall_ns) noexcept {
    const int n_late = n_late_.load(relaxed);
    if (!is_late(busy_ns, wall_ns)) {
        if (n_late == 0) return;
        const int64_t left = calm_after_ns_.load(relaxed) - wall_ns;
        calm_after_ns_.store(left, relaxed);
        if (left <= 0) n_late_.store(0, relaxed);
        return;
    }
    const int64_t lost_ns = std::min(wall_ns - busy_ns, tuning::longest_late_join_ns);
    owed_bytes_.store(lost_ns * tuning::bytes_per_late_ns * ((1 << n_late) - 1), relaxed);
    calm_after_ns_.store(lost_ns * tuning::calm_work_per_wait, relaxed);
    n_late_.store(std::min(n_late + 1, tuning::max_late_joins), relaxed);
}

bool late_joins::repay(int64_t bytes) noexcept {
    const int64_t owed = owed_bytes_.load(relaxed);
    if (owed <= 0) return false;
    owed_bytes_.store(owed - bytes, relaxed);
    return true;
}

int64_t thread_busy_ns() noexcept {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec t {};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0)
        return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
#endif
    return wall_ns();
}

int64_t wall_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count();
}

late_joins &process_late_joins() noexcept {
    static late_joins process;
    return process;
}

} // namespace tfmt::cpu
