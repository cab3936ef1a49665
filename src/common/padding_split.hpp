// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/reorder_problem.hpp"

// A reorder into a padded destination as two: one of the data with the padding that shares lines
// with it, and one of the padding beyond, which reads nothing. Together they write each byte that
// the whole one writes, and no byte twice.
//
// Worked example: f32 acb -> BcA16a64b4a over 768x1x10. Of b's 64 steps of 16 bytes 1 is data, and
// a line has 4. The data are the same reorder with 4 steps of b, limits {1, 4}, the padding is that
// of a tensor with 4 steps of data, limits {4, 64}.
namespace tfmt {

struct padding_split {
    reorder_problem data;
    reorder_problem padding; // for plan_mode::padding_only
    double share;            // of the destination's elements that `padding` writes
};

// False if there is nothing to split: no padding but next to data, or none that is whole lines of
// `line_bytes` (of a destination that begins with a line). `p` leads to `dst`.
bool split_padding(
        const reorder_problem &p, const memory_desc &dst, int line_bytes, padding_split *out);

// Whether the padding of `p` is whole lines.
bool pads_whole_lines(const reorder_problem &p, int line_bytes);

} // namespace tfmt
