// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/cases.hpp"

namespace tfmt_bench {

// Measures what is paid beside moving bytes. Sets result->overheads and impl; status and message if
// the library refuses. To be called for the first case before anything else has created a reorder,
// since it takes the process's first creation for that. Empties the kernel cache and sets its
// capacity to the library's default.
void time_overheads(
        const bench_case &c, const case_descs &descs, const run_options &run, case_result *result);

} // namespace tfmt_bench
