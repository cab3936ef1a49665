// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// What a caller asked for beside the move itself. The values come at execution.
struct tfmt_attr {
    struct parameter {
        bool is_set = false;
        int mask = 0;
        int group_ndims = 0;
        tfmt::dims_t group_dims = {};
        tfmt_data_type_t type = tfmt_data_type_undef;
    };

    parameter src_scales, dst_scales, src_zero_points, dst_zero_points;
    bool has_sum = false;
    float sum_beta = 0;

    bool is_default() const {
        return !src_scales.is_set && !dst_scales.is_set && !src_zero_points.is_set
                && !dst_zero_points.is_set && !has_sum;
    }
};
