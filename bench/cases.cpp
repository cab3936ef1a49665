// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <exception>

#include "support/element.hpp"

namespace tfmt_bench {
namespace {

using tfmt_test::desc_ptr;

bool end_as(case_result *result, case_result::status_t status, const std::string &message) {
    result->status = status;
    result->message = message;
    return false;
}

// One side: the descriptor and its layout, or false with the reason.
bool make_side(const bench_case &c, const char *side, const std::string &type_name,
        const std::string &tag, const std::vector<int64_t> &strides, desc_ptr *md,
        tfmt_test::layout *l, case_result *result) {
    const std::string who = std::string(side) + ": ";
    tfmt_data_type_t type = tfmt_data_type_undef;
    if (!tfmt_test::parse_type(type_name, &type))
        return end_as(result, case_result::refused, who + "unknown data type " + type_name);
    *md = create_desc(c.dims, type, tag, strides);
    if (!*md) return end_as(result, case_result::refused, who + tfmt_get_last_error());
    *l = tfmt_test::read_layout(md->get());
    if (!strides.empty()) return true;
    const std::string wrong = difference(*l, tfmt_test::layout_from_tag(c.dims, type, tag));
    if (!wrong.empty())
        return end_as(result, case_result::failed, who + "tag " + tag + ": " + wrong);
    return true;
}

bool make_both(
        const bench_case &c, const run_options &run, case_descs *descs, case_result *result) {
    if (!c.unimplemented.empty())
        return end_as(result, case_result::refused, "unimplemented: " + c.unimplemented);
    if (!make_side(c, "src", c.src_type, c.src_tag, c.src_strides, &descs->src, &descs->src_layout,
                result))
        return false;
    if (!make_side(c, "dst", c.dst_type, c.dst_tag, c.dst_strides, &descs->dst, &descs->dst_layout,
                result))
        return false;
    result->src_bytes = span_bytes(descs->src_layout);
    result->dst_bytes = span_bytes(descs->dst_layout);
    if (run.max_bytes > 0 && result->src_bytes + result->dst_bytes > run.max_bytes)
        return end_as(result, case_result::skipped, "more bytes than --max-bytes");
    return true;
}

} // namespace

tfmt_test::desc_ptr create_desc(const std::vector<int64_t> &dims, tfmt_data_type_t type,
        const std::string &tag, const std::vector<int64_t> &strides) {
    const int ndims = static_cast<int>(dims.size());
    tfmt_memory_desc_t md = nullptr;
    if (strides.empty())
        tfmt_memory_desc_create_with_string_tag(&md, ndims, dims.data(), type, tag.c_str());
    else
        tfmt_memory_desc_create_with_strides(&md, ndims, dims.data(), type, strides.data());
    return desc_ptr(md);
}

bool make_descs(
        const bench_case &c, const run_options &run, case_descs *descs, case_result *result) {
    try {
        return make_both(c, run, descs, result);
    } catch (const std::exception &error) {
        return end_as(result, case_result::failed, error.what());
    }
}

const char *status_name(case_result::status_t status) {
    static const char *const names[] = {"PASSED", "FAILED", "REFUSED", "SKIPPED"};
    return names[status];
}

const char *tfmt_status_name(tfmt_status_t status) {
    switch (status) {
    case tfmt_success: return "success";
    case tfmt_out_of_memory: return "out_of_memory";
    case tfmt_invalid_arguments: return "invalid_arguments";
    case tfmt_unimplemented: return "unimplemented";
    case tfmt_runtime_error: return "runtime_error";
    }
    return "unknown status";
}

} // namespace tfmt_bench
