// SPDX-License-Identifier: Apache-2.0
#include "common/quantization.hpp"

#include <algorithm>

#include "common/data_type.hpp"
#include "common/status.hpp"

namespace tfmt {

namespace {

using std::to_string;

int n_bits_set(int mask) {
    int n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

// The group of each dimension: 1 outside the mask, and inside where none was asked for.
void spread_groups(const attributes::parameter &asked, const char *name, int ndims, dims_t group) {
    std::fill(group, group + TFMT_MAX_NDIMS, dim_t(1));
    if (asked.mask >> ndims)
        fail_invalid(std::string("attr: mask of ") + name + " is " + to_string(asked.mask)
                + ", wanted bits 0 to " + to_string(ndims - 1) + " for " + to_string(ndims)
                + " dimensions");
    const int n_masked = n_bits_set(asked.mask);
    if (asked.group_ndims > n_masked)
        fail_invalid(std::string("attr: group_ndims of ") + name + " is "
                + to_string(asked.group_ndims) + ", wanted at most " + to_string(n_masked)
                + ", the dimensions in mask " + to_string(asked.mask));
    int k = asked.group_ndims;
    for (int d = ndims - 1; d >= 0 && k > 0; d--)
        if (asked.mask >> d & 1) group[d] = asked.group_dims[--k];
}

parameter resolve(
        const attributes::parameter &asked, const char *name, int ndims, const dim_t *dims) {
    parameter p;
    if (!asked.is_set) return p;
    p.is_set = true;
    p.type = asked.type;
    spread_groups(asked, name, ndims, p.group);
    const bool is_empty = std::find(dims, dims + ndims, 0) != dims + ndims;
    p.count = is_empty ? 0 : 1;
    for (int d = ndims - 1; d >= 0; d--) {
        if (dims[d] % p.group[d] != 0)
            fail_invalid(std::string("attr: a group of ") + name + " has " + to_string(p.group[d])
                    + " indices of dimension " + to_string(d) + ", wanted a divisor of "
                    + to_string(dims[d]));
        const dim_t n_values = asked.mask >> d & 1 ? dims[d] / p.group[d] : 1;
        if (is_empty || n_values == 1) {
            p.group[d] = 1;
            continue;
        }
        p.stride[d] = p.count;
        p.count *= n_values; // at most the number of elements, which the descriptor has checked
    }
    return p;
}

std::string to_text(const char *name, const parameter &p, size_t ndims) {
    if (!p.is_set) return "";
    std::string text = std::string("  ") + name + " " + name_of(p.type) + ", " + to_string(p.count)
            + " values";
    for (size_t d = 0; d < ndims; d++)
        if (p.stride[d])
            text += ", dim " + to_string(d) + " / " + to_string(p.group[d]) + " * "
                    + to_string(p.stride[d]);
    return text + "\n";
}

bool is_computed_in_f64(data_type_t type) {
    return type == tfmt_f64 || type == tfmt_s32 || type == tfmt_s64;
}

} // namespace

quantization resolve(const attributes &attr, int ndims, const dim_t *dims) {
    quantization q;
    q.src_scales = resolve(attr.src_scales, "the source scales", ndims, dims);
    q.dst_scales = resolve(attr.dst_scales, "the destination scales", ndims, dims);
    q.src_zero_points = resolve(attr.src_zero_points, "the source zero points", ndims, dims);
    q.dst_zero_points = resolve(attr.dst_zero_points, "the destination zero points", ndims, dims);
    q.has_sum = attr.has_sum && attr.sum_beta != 0;
    q.sum_beta = q.has_sum ? attr.sum_beta : 0;
    return q;
}

data_type_t computing_type(data_type_t src, data_type_t dst) {
    return is_computed_in_f64(src) || is_computed_in_f64(dst) ? tfmt_f64 : tfmt_f32;
}

std::string to_text(const quantization &q, size_t ndims) {
    return to_text("src_zero_points", q.src_zero_points, ndims)
            + to_text("src_scales", q.src_scales, ndims)
            + (q.has_sum ? "  sum, beta " + to_string(q.sum_beta) + "\n" : "")
            + to_text("dst_scales", q.dst_scales, ndims)
            + to_text("dst_zero_points", q.dst_zero_points, ndims);
}

} // namespace tfmt
