// SPDX-License-Identifier: Apache-2.0
#include "bench/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tfmt_bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr double batch_us = 40;  // about 1000 times the clock's own cost
constexpr int max_calls = 20000; // in a batch
constexpr int min_rounds = 5;
constexpr double hopeless_budgets = 4; // min_ms this often for one call
constexpr int max_rounds = 100000;
// A call that long, and so many times as long as another contestant's, is a slow one.
constexpr double slow_us = 100, slow_factor = 20;

double microseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

double time_batch(const std::function<void()> &call, int n_calls, bool warm_up) {
    if (warm_up) call();
    const clock::time_point start = clock::now();
    for (int i = 0; i < n_calls; ++i)
        call();
    return microseconds_since(start) / n_calls;
}

// What is timed in rounds.
struct entrant {
    size_t index;   // of the contestant
    int n_calls;    // in a batch
    double once_us; // a call, roughly
};

void time_rounds(const std::vector<std::function<void()>> &contestants,
        const std::vector<entrant> &entrants, const timing_options &options,
        std::vector<std::vector<double>> &times) {
    if (entrants.empty()) return;
    const clock::time_point start = clock::now();
    for (int round = 0; round < max_rounds; ++round) {
        const bool is_enough = options.n_rounds > 0
                ? round >= options.n_rounds
                : round >= min_rounds && microseconds_since(start) >= options.min_ms * 1000;
        if (is_enough) break;
        for (const entrant &e : entrants)
            times[e.index].push_back(time_batch(contestants[e.index], e.n_calls, options.warm_up));
    }
}

} // namespace

std::vector<std::vector<double>> time_interleaved(
        const std::vector<std::function<void()>> &contestants, const timing_options &options) {
    std::vector<std::vector<double>> times(contestants.size());
    std::vector<entrant> entrants;
    double fastest_us = std::numeric_limits<double>::max();
    for (size_t i = 0; i < contestants.size(); ++i) {
        // This call takes the page faults, compilations and thread starts. It is the measurement
        // only of what is so slow that they do not count, and that would use up all the time.
        const double first = time_batch(contestants[i], 1, false);
        if (options.n_rounds == 0 && first > hopeless_budgets * options.min_ms * 1000) {
            times[i].push_back(first);
            continue;
        }
        const double once = std::max(1e-3, time_batch(contestants[i], 3, false));
        fastest_us = std::min(fastest_us, once);
        entrants.push_back({i, std::clamp(static_cast<int>(batch_us / once), 1, max_calls), once});
    }
    const auto slow = std::stable_partition(
            entrants.begin(), entrants.end(), [&](const entrant &e) {
                return e.once_us < slow_us || e.once_us < slow_factor * fastest_us;
            });
    time_rounds(contestants, {entrants.begin(), slow}, options, times);
    time_rounds(contestants, {slow, entrants.end()}, options, times);
    return times;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const size_t middle = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + middle, values.end());
    const double upper = values[middle];
    if (values.size() % 2 != 0) return upper;
    return (upper + *std::max_element(values.begin(), values.begin() + middle)) / 2;
}

double median_ratio(const std::vector<double> &a, const std::vector<double> &b) {
    std::vector<double> ratios;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        ratios.push_back(a[i] / b[i]);
    return median(std::move(ratios));
}

} // namespace tfmt_bench
