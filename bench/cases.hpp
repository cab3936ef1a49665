// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "bench/options.hpp"
#include "support/attributes.hpp"
#include "support/layout.hpp"

namespace tfmt_bench {

// Zero padding of dst. Times are 0 where they were not measured, as where there is no padding.
struct zero_pad_times {
    int64_t padding_bytes = 0;
    double time_us = 0;
    double memset_us = 0; // of as many bytes in one piece
    double ratio = 0;     // median over the rounds of time / memset's time
};

// What is paid beside moving bytes; medians. NaN: not measured.
struct overhead_times {
    double desc_ns = not_measured;                 // create a descriptor from its tag or strides
    double cached_ns = not_measured;               // create a reorder that the cache holds
    double cold_us = not_measured;                 // ... that it does not
    double first_us = not_measured;                // ... as the first of the process
    double execute_minus_memcpy_ns = not_measured; // small tensors only

    static constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
};

// What became of a case, filled in step by step: descriptors, correctness, performance.
struct case_result {
    enum status_t { passed, failed, refused, skipped } status = passed;
    std::string message;     // why it did not pass, else ""
    std::string onednn_impl; // oneDNN's name of what it ran
    std::string impl;        // "jit:avx512_core", "ref:...", "" if unknown
    int64_t src_bytes = 0;
    int64_t dst_bytes = 0;
    double time_us = 0; // 0: not measured
    double memcpy_us = 0;
    double onednn_us = 0;    // 0: not measured, or oneDNN cannot do the case
    double ratio = 0;        // median over the rounds of time / memcpy's time
    double onednn_ratio = 0; // median over the rounds of oneDNN's time / time
    zero_pad_times zero_pad;
    overhead_times overheads;
};

// A case's descriptors, made through the library and compared with the tests' own derivation.
struct case_descs {
    tfmt_test::desc_ptr src, dst;
    tfmt_test::desc_ptr runtime_src, runtime_dst; // what the reorder is created with, unless null
    tfmt_test::layout src_layout, dst_layout;
    tfmt_test::attributes attr;
    tfmt_test::attr_ptr attr_handle; // null without attributes
    tfmt_exec_args_t args = {};      // points at the values of `attr`, src and dst

    // What the reorder is created with.
    const_tfmt_memory_desc_t created_src() const {
        return runtime_src ? runtime_src.get() : src.get();
    }
    const_tfmt_memory_desc_t created_dst() const {
        return runtime_dst ? runtime_dst.get() : dst.get();
    }

    bool has_runtime_dims() const { return runtime_src || runtime_dst; }
    const tfmt_exec_args_t *exec_args() const {
        return attr_handle || has_runtime_dims() ? &args : nullptr;
    }
};

// False if the case cannot be run; `result` then says why: refused by the library or this driver,
// skipped for its size, or failed because a descriptor is not what its tag means.
bool make_descs(
        const bench_case &c, const run_options &run, case_descs *descs, case_result *result);

// One descriptor of a case, from its tag or its strides; null if the library refuses.
tfmt_test::desc_ptr create_desc(const std::vector<int64_t> &dims, tfmt_data_type_t type,
        const std::string &tag, const std::vector<int64_t> &strides);

// The case's reorder, with its attributes.
tfmt_status_t create_reorder(const case_descs &descs, tfmt_reorder_t *reorder);

// The same with the plan that is the fastest one from `src` to `dst`.
tfmt_status_t create_measured_reorder(
        const case_descs &descs, const void *src, void *dst, tfmt_reorder_t *reorder);

const char *status_name(case_result::status_t status);

// What a C status is called in messages.
const char *tfmt_status_name(tfmt_status_t status);

} // namespace tfmt_bench
