// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/reorder_problem.hpp"
#include "cpu/execution.hpp"
#include "cpu/ref/nest_walk.hpp"

// One run of elements with attributes: decoded to the computing type, scaled, shifted, summed,
// encoded. The definition of quantisation in the library, as convert.hpp is that of conversion; the
// formula is in quantization.hpp.
//
// In: a problem with attributes, an execution, a run as nest_walk gives it. Out: elements of dst.
// src and dst may be one buffer where their offsets and strides are equal.
//
// Worked example: source scales in groups of 32 along a dimension of 256, a run of it: of each
// chunk of 256 elements the 8 scales are decoded, spread to 32 elements each and multiplied with
// the decoded elements, in vectors.
namespace tfmt::cpu::ref {

// Elements from `at` on along at.dim, n of them, with the offsets and strides of convert_run_fn.
using quantize_run_fn = void (*)(const reorder_problem &p, const execution &e, dim_t src_offset,
        dim_t src_stride, dim_t dst_offset, dim_t dst_stride, dim_t n, const run_place &at);

// The one that computes in the problem's computing type.
quantize_run_fn find_quantize_run(const reorder_problem &p);

} // namespace tfmt::cpu::ref
