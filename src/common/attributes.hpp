// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// What a caller asks of a reorder beside the move itself, in the caller's terms: masks and groups,
// which need no descriptor to make sense. quantization.hpp resolves them against the dims. The
// values come at execution.
namespace tfmt {

struct attributes {
    struct parameter {
        bool is_set = false;
        int mask = 0; // bit d: the values differ along dimension d
        int group_ndims = 0;
        dims_t group_dims = {}; // of the last group_ndims dimensions of the mask
        data_type_t type = tfmt_data_type_undef;
    };

    parameter src_scales, dst_scales, src_zero_points, dst_zero_points;
    bool has_sum = false;
    float sum_beta = 0;

    // A beta of 0 is no sum.
    bool is_default() const {
        return !src_scales.is_set && !dst_scales.is_set && !src_zero_points.is_set
                && !dst_zero_points.is_set && (!has_sum || sum_beta == 0);
    }
};

inline const attributes no_attributes {};

// As asked for: what is written differently may be unequal and mean the same.
bool equal(const attributes &a, const attributes &b);
size_t hash(const attributes &attr);

} // namespace tfmt
