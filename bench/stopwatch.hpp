// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace tfmt_bench {

struct timing_options {
    int n_rounds = 0; // 0: as many as min_ms allows, 5 at least
    double min_ms = 50;
    bool warm_up = true; // an untimed call before each timed batch
};

// Microseconds a call, [contestant][round]. In every round each contestant gets a batch of calls
// that lasts long enough for the clock to resolve, preceded by an untimed one, so that the others
// leave no trace in the caches and a slow spell of the machine hits all of them. A contestant
// whose first call alone takes several times min_ms is measured by that call. Contestants that take
// a tenth of a millisecond and more where others take microseconds come after these, in rounds of
// their own. While one of them runs, other programs take the last cache, and one untimed call does
// not win it back (the others' times over memcpy read 3 in place of 1.5); and processors switch
// their widest vectors off, which are slow for microseconds when they return (17 in place of 4.3
// after 0.9 ms of scalar code).
std::vector<std::vector<double>> time_interleaved(
        const std::vector<std::function<void()>> &contestants, const timing_options &options);

double median(std::vector<double> values);

// Median over the rounds of a's time / b's time. Taken round by round because both then saw the
// same machine; the ratio of the medians would mix different spells.
double median_ratio(const std::vector<double> &a, const std::vector<double> &b);

} // namespace tfmt_bench
