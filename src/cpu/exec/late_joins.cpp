// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/late_joins.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace tfmt::cpu {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}

bool is_late(int64_t busy_ns, int64_t wall_ns) noexcept {
    const int64_t lost_ns = wall_ns - busy_ns;
    return lost_ns >= tuning::late_join_ns && lost_ns >= busy_ns / 2;
}

bool late_joins::is_watching() const noexcept {
    return account_ns_.load(relaxed) < tuning::late_join_account_ns;
}

void late_joins::note_unwatched(int64_t wall_ns) noexcept {
    if (wall_ns >= 2 * tuning::late_join_ns)
        account_ns_.store(tuning::late_join_account_ns - 1, relaxed);
}

void late_joins::note(int64_t busy_ns, int64_t wall_ns) noexcept {
    const int64_t full = tuning::late_join_account_ns, before = account_ns_.load(relaxed);
    if (!is_late(busy_ns, wall_ns)) {
        account_ns_.store(std::min(before + wall_ns, full), relaxed);
        if (before + wall_ns >= full) n_overdrawn_.store(0, relaxed);
        return;
    }
    const int64_t after = before - std::min(wall_ns - busy_ns, full);
    account_ns_.store(std::max<int64_t>(after, 0), relaxed);
    if (after >= 0) return;
    const int n = n_overdrawn_.load(relaxed);
    owed_bytes_.store(-after * tuning::bytes_per_late_ns << n, relaxed);
    n_overdrawn_.store(std::min(n + 1, tuning::max_overdrawn), relaxed);
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
