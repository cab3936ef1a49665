// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/quantization.hpp"

// How the values of a reorder's parameters lie for generated code: decoded to the computing type,
// each parameter of more than one value an array of its own, all arrays over one index space, so
// that one offset finds the values of all of them. In: parameters by logical index. Out: that
// space, and where the arrays are.
//
// Worked example: f32 -> u4 over 64 x 96, destination scales for each row, zero points for groups
// {1, 32}. The space has groups {1, 32}, 64 x 3 entries; a row's scale stands in all three of its
// places.
namespace tfmt {

// The parameters, in the order of their use.
enum parameter_index {
    src_zero_point,
    src_scale,
    dst_reciprocal,
    dst_scale,
    dst_zero_point,
    n_parameters
};

inline const parameter &parameter_at(const quantization &q, int i) {
    const parameter *all[] = {&q.src_zero_points, &q.src_scales, &q.dst_reciprocals, &q.dst_scales,
            &q.dst_zero_points};
    return *all[i];
}

struct parameter_space {
    data_type_t type = tfmt_data_type_undef; // computing type
    int elem_bytes = 0;
    // Logical index i has entry sum over d of (i[d] / group[d]) * stride[d], in bytes. Strides of
    // dimensions along which nothing varies are 0.
    std::vector<dim_t> group;
    std::vector<dim_t> n_groups;
    std::vector<dim_t> stride_bytes;
    dim_t array_bytes = 0;           // from one parameter's array to the next one's
    int array_of[n_parameters] = {}; // -1: a single value, or not set
    int n_arrays = 0;

    bool varies() const { return n_arrays > 0; }
};

// Of `q` over `dims`. `inner_first`: dimensions in the order in which neighbours are wanted next to
// each other. False if the arrays would take more bytes than there are addresses for.
bool make_parameter_space(const quantization &q, data_type_t computing_type,
        const std::vector<dim_t> &dims, const std::vector<int> &inner_first, parameter_space *out);

} // namespace tfmt
