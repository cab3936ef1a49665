// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/cases.hpp"

namespace tfmt_bench {

// Executes the case between guard pages and compares every byte with the oracle. Sets status,
// message and impl.
void run_correctness(const case_descs &descs, const run_options &run, case_result *result);

} // namespace tfmt_bench
