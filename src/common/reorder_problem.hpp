// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/inline_vector.hpp"
#include "common/quantization.hpp"

// A pair of descriptors as a loop nest. In: two descriptors over the same dims. Out: for each
// logical dimension the common refinement of its two splits, as levels, and how far it is to be
// read and to be written. Nothing behind this point asks which tag it was.
//
// Worked example: abcd -> aBcd16b over 2x40x5x4, f32. Dimension b is split by the destination into
// an inner block of 16 and an outer part; the source is one run of 40. The refinement:
//   dim b: load 40, store 48; levels (inner to outer)
//     {extent 16, unit  1, src_stride  20, dst_stride   1}
//     {extent  3, unit 16, src_stride 320, dst_stride 320}
// Index b = 37 is step 2 of the outer level and step 5 of the inner one. The third outer step has
// only 8 valid elements; the other 8 are padding, to be written as zero.
namespace tfmt {

// One digit of a mixed-radix number, innermost first; the last digit of a list is unbounded.
struct digit {
    dim_t extent;
    dim_t stride;
};

struct level {
    int dim;      // index into reorder_problem::limits
    dim_t extent; // steps when the dimension is full
    dim_t unit;   // logical indices of `dim` that one step covers
    dim_t src_stride;
    dim_t dst_stride;
    // Blocks that do not nest (48 and 32 leave 3 and 2 chunks of 16) have no single stride: then
    // the offset of step i comes from its digits, and the strides above are 0.
    std::vector<digit> src_digits;
    std::vector<digit> dst_digits;
    dim_t param_stride_bytes = 0; // of the parameters' values, where there are any
    dim_t digit_steps = 1;        // that a step counts on in the digits

    bool is_regular() const { return src_digits.empty(); }
};

// Of an irregular level the stride of the inner digit.
inline dim_t stride_of(const level &l, bool of_src) {
    if (l.is_regular()) return of_src ? l.src_stride : l.dst_stride;
    return (of_src ? l.src_digits : l.dst_digits).front().stride;
}

// Level `l` in groups of `steps` steps; the last one may be smaller.
level in_groups(level l, dim_t steps);

inline dim_t ceil_div(dim_t a, dim_t b) { return a / b + (a % b != 0); }
inline dim_t round_up(dim_t n, dim_t unit) { return ceil_div(n, unit) * unit; }
inline bool is_pow2(dim_t n) { return (n & (n - 1)) == 0; }

// Logical extents of a dimension: indices below `load` are read, those from `load` to below `store`
// are padding of the destination. Those below `begin` do not exist (plan/line_grid).
struct dim_limits {
    dim_t load;
    dim_t store;
    dim_t begin = 0;
};
using limit_list = inline_vector<dim_limits, 16>;

struct reorder_problem {
    data_type_t src_type;
    data_type_t dst_type;
    int src_elem_bits; // bits a step of 1 in the strides stands for
    int dst_elem_bits;
    dim_t src_offset; // in elements, as all strides here
    dim_t dst_offset;
    limit_list limits;
    std::vector<level> levels; // of each dimension inner to outer, dimensions in logical order
    quantization quant;
    bool src_has_gaps; // bytes between its first and last that are none of its elements or padding
};

// Offset of step `i` of a level in src or dst.
dim_t digits_offset(const std::vector<digit> &digits, dim_t i);
inline dim_t src_offset_of(const level &l, dim_t i) {
    return l.is_regular() ? i * l.src_stride : digits_offset(l.src_digits, i * l.digit_steps);
}
inline dim_t dst_offset_of(const level &l, dim_t i) {
    return l.is_regular() ? i * l.dst_stride : digits_offset(l.dst_digits, i * l.digit_steps);
}

// Throws if the pair cannot be reordered: different dims, runtime or `any` layouts, a destination
// that writes one element twice (stride 0), attributes that do not go with the dims.
reorder_problem make_problem(
        const memory_desc &src, const memory_desc &dst, const attributes &attr = no_attributes);

// The problem whose only work is the padding of `md` (source and destination are the same tensor).
inline reorder_problem make_padding_problem(const memory_desc &md) { return make_problem(md, md); }

std::string to_text(const reorder_problem &p);

} // namespace tfmt
