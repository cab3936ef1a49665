// SPDX-License-Identifier: Apache-2.0
#include "bench/run_correctness.hpp"

#include "support/check_reorder.hpp"

namespace tfmt_bench {

void run_correctness(const case_descs &descs, const run_options &run, case_result *result) {
    tfmt_test::check_options options;
    if (descs.attr_handle) options.attr = &descs.attr;
    options.is_measured = run.measured;
    options.runtime_src = descs.runtime_src.get();
    options.runtime_dst = descs.runtime_dst.get();
    const tfmt_test::check_result check = tfmt_test::check_reorder(
            descs.src.get(), descs.dst.get(), options);
    result->impl = check.impl;
    result->message = check.message;
    switch (check.what) {
    case tfmt_test::outcome::passed: result->status = case_result::passed; break;
    case tfmt_test::outcome::failed: result->status = case_result::failed; break;
    case tfmt_test::outcome::refused:
        result->status = case_result::refused;
        result->message = std::string(tfmt_status_name(check.status)) + ": " + check.message;
        break;
    }
}

} // namespace tfmt_bench
