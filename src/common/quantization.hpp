// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/attributes.hpp"

// Attributes resolved against the dims of a tensor: what everything below the API computes by.
// In: attributes as asked for, dims. Out: for each parameter which value belongs to which index.
// Nothing here knows a layout; parameters go by logical indices alone.
//
// Worked example: src scales with mask 3 and groups {1, 32} over dims 64x256 are 64 rows of 8
// values: group {1, 32}, stride {8, 1}, count 512. Index (5, 70) uses value 5 * 8 + 70 / 32 = 42.
//
// The result for one element, where C is computing_type() and steps not asked for are left out;
// each operation rounds to nearest even in C, and none is fused with another:
//   t = C(src);  t = t - C(src_zp);  t = t * C(src_scale);  t = t + (C(beta) * C(dst));
//   t = t / C(dst_scale);  t = t + C(dst_zp);  dst = encode(t)
// Where both operands of an operation are NaN, the result is the left one as written here, made
// quiet.
namespace tfmt {

struct parameter {
    bool is_set = false;
    data_type_t type = tfmt_data_type_undef;
    // Logical index i has value number sum over d of (i[d] / group[d]) * stride[d]. Where one value
    // serves all of dimension d, the group is 1 and the stride 0.
    dims_t group = {};
    dims_t stride = {};
    dim_t count = 0; // values in memory; 0 if not set, or if the tensor has no elements

    bool is_one_value() const { return count <= 1; }
};

struct quantization {
    parameter src_scales, dst_scales, src_zero_points, dst_zero_points;
    // dst_scales once more where products stand for quotients (take_products()); no API asks.
    parameter dst_reciprocals;
    bool has_sum = false; // a beta of 0 is no sum: dst is not read
    float sum_beta = 0;
    bool takes_reciprocal = false; // of t, before all else: scales are made ready so, no API asks

    bool is_default() const {
        return !takes_reciprocal && !src_scales.is_set && !dst_scales.is_set
                && !src_zero_points.is_set && !dst_zero_points.is_set && !has_sum;
    }
};

// Throws if attributes and dims do not go together: a mask of dimensions that there are not, more
// groups than dimensions in the mask, a group that does not divide its dimension.
quantization resolve(const attributes &attr, int ndims, const dim_t *dims);

// tfmt_f64 or tfmt_f32: what a reorder between these types computes in once it has attributes.
data_type_t computing_type(data_type_t src, data_type_t dst);

std::string to_text(const quantization &q, size_t ndims);

} // namespace tfmt
