// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/cases.hpp"

namespace tfmt_bench {

// Zeroes the padding of random data in dst's layout between guard pages and compares every byte
// with the oracle. Sets status and message.
void check_zero_pad(const case_descs &descs, case_result *result);

// Times zero padding of dst against memset of as many bytes in one piece. Sets result->zero_pad;
// status and message if the library refuses or fails.
void time_zero_pad(const case_descs &descs, const run_options &run, case_result *result);

} // namespace tfmt_bench
