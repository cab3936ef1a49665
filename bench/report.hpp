// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "bench/summary.hpp"

namespace tfmt_bench {

// All output of the driver: a line for each case on stdout, progress on stderr, the summary at the
// end (on stderr with --csv, so that stdout is a table and nothing else).
class report {
public:
    report(const run_options &run, size_t n_cases);

    void header();
    void before(size_t index); // progress, only on runs longer than two seconds
    void add(size_t index, const bench_case &c, const case_result &result);
    void summary();

    int exit_status() const;

private:
    void csv_line(size_t index, const bench_case &c, const case_result &r) const;
    void text_line(size_t index, const bench_case &c, const case_result &r) const;
    void clear_progress();
    size_t count(case_result::status_t status) const;

    const run_options &run_;
    const size_t n_cases_;
    const std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_progress_;
    const bool shows_progress_;
    bool has_progress_line_ = false;
    std::vector<case_entry> entries_;
};

} // namespace tfmt_bench
