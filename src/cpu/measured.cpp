// SPDX-License-Identifier: Apache-2.0
#include "cpu/measured.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "common/status.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// The executions of one contestant.
struct record {
    const contestant *who;
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
    if (status != tfmt_success)
        throw failure(status, "no memory for the decoded values of attr's scales and zero points");
}

// Of one execution, with the caches as those before have left them.
double time_us(const record &r, const execution &e) {
    execute(*r.who->code, e);
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < r.n_executions; i++)
        execute(*r.who->code, e);
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

const record &winner(const std::vector<record> &records) {
    const record *best = &records[0];
    for (const record &r : records)
        if (!r.is_out && r.median_us() < best->median_us()) best = &r;
    const double enough_us = records[0].median_us() * (1 - tuning::min_gain_of_measured);
    return best->median_us() < enough_us ? *best : records[0];
}

} // namespace

new_implementation fastest_of(const std::vector<contestant> &all, const execution &e) {
    if (all.size() == 1) return all[0].code;
    std::vector<record> records;
    for (const contestant &c : all)
        records.push_back({&c});
    for (record &r : records)
        warm_up(r, e);
    for (int round = 0; round < tuning::n_measured_rounds; round++) {
        for (record &r : records)
            if (!r.is_out) r.times_us.push_back(time_us(r, e));
        drop_slow_ones(records);
    }
    const record &best = winner(records);
    char text[128];
    std::snprintf(text, sizeof text, ", measured: %s, %.2f of the time of the one by rules",
            best.who->name, best.median_us() / records[0].median_us());
    best.who->code->add_to_info(&best == &records[0] ? ", measured: by rules" : text);
    return best.who->code;
}

} // namespace tfmt::cpu
