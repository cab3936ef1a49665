// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/cases.hpp"

namespace tfmt_bench {

// Times the case against memcpy and oneDNN in one go. Sets the times, the ratios and impl; status
// and message if the library refuses or fails.
void run_performance(const case_descs &descs, const run_options &run, case_result *result);

} // namespace tfmt_bench
