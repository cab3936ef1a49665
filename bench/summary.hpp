// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/cases.hpp"

namespace tfmt_bench {

struct case_entry {
    bench_case problem;
    case_result result;
};

// What all cases come to: tables by size and type, the slowest cases, zero padding by its size,
// overheads. Only what the run's modes measured; cases that did not pass are left out.
void print_summary(std::FILE *out, const run_options &run, const std::vector<case_entry> &entries);

std::string number_text(double value, const char *format = "%.2f");

} // namespace tfmt_bench
