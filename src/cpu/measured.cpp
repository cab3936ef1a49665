// SPDX-License-Identifier: Apache-2.0
#include "cpu/measured.hpp"

#include <algorithm>
#include <chrono>

#include "common/status.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// The executions of one of them.
struct record {
    const implementation *who;
    int64_t n_executions = 1; // that are timed at once
    std::vector<double> times_us = {};
    bool is_out = false;

    double least_us() const { return *std::min_element(times_us.begin(), times_us.end()); }
    double median_us() const {
        std::vector<double> sorted = times_us;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

void execute(const implementation &code, const execution &e) {
    const tfmt_status_t status = code.execute(e);
    if (status != tfmt_success) throw failure(status, execution_failure);
}

// Of one execution, with the caches as those before have left them.
double time_us(const record &r, const execution &e) {
    execute(*r.who, e);
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < r.n_executions; i++)
        execute(*r.who, e);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    return took.count() / double(r.n_executions);
}

// As many at once as make the clock precise.
void warm_up(record &r, const execution &e) {
    const double once_us = std::max(time_us(r, e), 0.001);
    r.n_executions = std::max<int64_t>(1, int64_t(tuning::measured_at_once_us / once_us));
}

// The first one stays: the others are compared with it.
void drop_slow_ones(std::vector<record> &records) {
    double least_us = records[0].least_us();
    for (const record &r : records)
        if (!r.is_out) least_us = std::min(least_us, r.least_us());
    for (size_t i = 1; i < records.size(); i++)
        if (records[i].least_us() > tuning::max_measured_over_best * least_us)
            records[i].is_out = true;
}

outcome winner(const std::vector<record> &records) {
    outcome best {0, 1};
    const double first_us = records[0].median_us();
    for (size_t i = 1; i < records.size(); i++) {
        if (records[i].is_out) continue;
        const double of_first = records[i].median_us() / first_us;
        if (of_first < best.of_first) best = {i, of_first};
    }
    return best.of_first < 1 - tuning::min_gain_of_measured ? best : outcome {0, 1};
}

} // namespace

outcome fastest_of(const std::vector<new_implementation> &all, const execution &e) {
    if (all.size() == 1) return {0, 1};
    std::vector<record> records;
    for (const new_implementation &i : all)
        records.push_back({i.get()});
    for (record &r : records)
        warm_up(r, e);
    for (int round = 0; round < tuning::n_measured_rounds; round++) {
        for (record &r : records)
            if (!r.is_out) r.times_us.push_back(time_us(r, e));
        drop_slow_ones(records);
    }
    return winner(records);
}

} // namespace tfmt::cpu
