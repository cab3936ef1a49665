// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <cmath>
#include <exception>
#include <stdexcept>

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

// Values that keep results ordinary: scales of 0.25 to 7.5, zero points of -6 to 6.
void fill_ordinary_values(const tfmt_test::dims &logical, bool is_scale, tfmt_test::parameter *p) {
    const int64_t n = p->count(logical);
    p->values.assign(static_cast<size_t>(tfmt_test::bytes_for_elements(p->type, n)), 0);
    for (int64_t i = 0; i < n; ++i) {
        const double scale = std::ldexp(1.0 + static_cast<double>(i % 8) / 8, int(i % 5) - 2);
        const double value = is_scale ? scale : static_cast<double>(i % 13 - 6);
        tfmt_test::store_bits(p->type, p->values.data(), i, tfmt_test::encode(p->type, value));
    }
}

bool make_parameter(const bench_case &c, const parameter_option &option, case_descs *descs,
        case_result *result) {
    tfmt_test::parameter p;
    p.is_set = true;
    p.mask = option.mask;
    p.groups = option.groups;
    if (!tfmt_test::parse_type(option.type, &p.type))
        return end_as(result, case_result::refused, "unknown data type " + option.type);
    for (int64_t group : p.groups)
        if (group == 0) return end_as(result, case_result::refused, "a group of size 0");
    if (option.has_value) {
        p.values.resize(8);
        tfmt_test::store_bits(p.type, p.values.data(), 0, tfmt_test::encode(p.type, option.value));
        p.values.resize(static_cast<size_t>(tfmt_test::bytes_for_elements(p.type, 1)));
    } else {
        fill_ordinary_values(c.dims, option.is_scale, &p);
    }
    tfmt_test::attributes &attr = descs->attr;
    if (option.is_scale)
        (option.is_src ? attr.src_scales : attr.dst_scales) = p;
    else
        (option.is_src ? attr.src_zero_points : attr.dst_zero_points) = p;
    return true;
}

bool make_attributes(const bench_case &c, case_descs *descs, case_result *result) {
    if (c.attr.is_default()) return true;
    for (const parameter_option &option : c.attr.parameters)
        if (!make_parameter(c, option, descs, result)) return false;
    descs->attr.has_sum = c.attr.has_sum;
    descs->attr.beta = c.attr.sum_beta;
    try {
        descs->attr_handle = make_attr(descs->attr);
    } catch (const std::runtime_error &error) {
        return end_as(result, case_result::refused, error.what());
    }
    descs->args = exec_args_of(descs->attr);
    return true;
}

bool add_compensation(const attr_options &attr, case_descs *descs, case_result *result) {
    if (attr.compensation_flags == 0) return true;
    tfmt_memory_desc_t md = nullptr;
    tfmt_memory_desc_create_with_compensation(
            &md, descs->dst.get(), attr.compensation_flags, attr.s8s8_mask, attr.asymmetric_mask);
    if (!md)
        return end_as(result, case_result::refused, std::string("dst: ") + tfmt_get_last_error());
    descs->dst.reset(md);
    descs->dst_layout = tfmt_test::read_layout(md);
    return true;
}

// A side without the dims in `mask`, or nothing if it has them all.
bool make_runtime_side(const bench_case &c, uint64_t mask, const tfmt_test::layout &l,
        const std::string &tag, const std::vector<int64_t> &strides, desc_ptr *md,
        case_result *result) {
    if (mask == 0) return true;
    std::vector<int64_t> dims = c.dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) dims[d] = TFMT_RUNTIME_DIM_VAL;
    *md = create_desc(dims, l.data_type, tag, strides);
    return *md || end_as(result, case_result::refused, tfmt_get_last_error());
}

bool make_runtime_dims(const bench_case &c, case_descs *descs, case_result *result) {
    if (!make_runtime_side(c, c.src_runtime_mask, descs->src_layout, c.src_tag, c.src_strides,
                &descs->runtime_src, result))
        return false;
    if (!make_runtime_side(c, c.dst_runtime_mask, descs->dst_layout, c.dst_tag, c.dst_strides,
                &descs->runtime_dst, result))
        return false;
    if (!descs->has_runtime_dims()) return true;
    if (c.attr.compensation_flags != 0)
        return end_as(
                result, case_result::refused, "unimplemented: --oflag with --runtime-dim-mask");
    descs->args.struct_size = sizeof descs->args;
    descs->args.src_md = descs->src.get();
    descs->args.dst_md = descs->dst.get();
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
    if (!add_compensation(c.attr, descs, result)) return false;
    result->src_bytes = buffer_bytes(descs->src_layout);
    result->dst_bytes = buffer_bytes(descs->dst_layout);
    if (run.max_bytes > 0 && result->src_bytes + result->dst_bytes > run.max_bytes)
        return end_as(result, case_result::skipped, "more bytes than --max-bytes");
    return make_attributes(c, descs, result) && make_runtime_dims(c, descs, result);
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

tfmt_status_t create_reorder(const case_descs &descs, tfmt_reorder_t *reorder) {
    return tfmt_reorder_create(
            reorder, descs.created_src(), descs.created_dst(), descs.attr_handle.get());
}

tfmt_status_t create_measured_reorder(
        const case_descs &descs, const void *src, void *dst, tfmt_reorder_t *reorder) {
    return tfmt_reorder_create_measured(reorder, descs.created_src(), descs.created_dst(),
            descs.attr_handle.get(), src, dst, descs.exec_args());
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
