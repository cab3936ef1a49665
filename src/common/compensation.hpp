// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// Compensation: sums over the elements of an s8 tensor that lie behind them in the same buffer, for
// convolutions and matrix products that move s8 activations to u8, or whose activations have a zero
// point. In: a descriptor with flags and masks. Out: where each array of sums lies and what is in
// it. How they are summed is cpu/'s business.
//
// First come the elements with their padding, up to size_bytes() of the descriptor without
// compensation, rounded up to 4 bytes; then an array of s32 for each flag, s8s8 before asymmetric.
// An array has one entry for each index of the dimensions in its mask, padding included, dense and
// row-major in the order of the dimensions: the sum over the other dimensions, times the factor.
//
// Worked example: ABcd4b16a4b over 20x3x3x3 with both flags and masks of 1. Padded dims 32x16x3x3
// take 4608 bytes; behind them 32 sums times -128 at 4608 and 32 times -1 at 4736; all in all 4864
// bytes. Entries 20 to 31 are 0.
namespace tfmt {

inline bool has_s8s8(const compensation &c) { return (c.flags & tfmt_compensation_s8s8) != 0; }
inline bool has_asymmetric(const compensation &c) {
    return (c.flags & tfmt_compensation_asymmetric_src) != 0;
}

inline bool equal(const compensation &a, const compensation &b) {
    return a.flags == b.flags && a.s8s8_mask == b.s8s8_mask
            && a.asymmetric_mask == b.asymmetric_mask;
}

// Throws unless flags and masks make sense without a tensor.
void check_compensation(const compensation &c);

// Throws unless `md` can have what it says it has; the part of validate() that is about it.
void check_compensation(const memory_desc &md);

// `base` with these sums behind it in place of what it has; without flags, with none.
memory_desc with_compensation(const memory_desc &base, const compensation &c);
memory_desc without_compensation(const memory_desc &md);

// `dst` as a reorder that is asked for these sums leaves it. Throws if it has others already.
memory_desc with_asked_compensation(const memory_desc &dst, const compensation &asked_for);

// Throws tfmt_unimplemented if `md` has any. `argument` is its name in the message.
void require_no_compensation(const memory_desc &md, const char *argument);

// The compensation after dimension d has become permutation[d]. Throws where the entries would have
// to be in another order.
compensation permuted_compensation(const memory_desc &md, const int *permutation);

constexpr int s8s8_factor = -128;
constexpr int asymmetric_factor = -1;

struct compensation_array {
    int mask;
    int factor;         // of each sum, s8s8_factor or asymmetric_factor
    dim_t offset_bytes; // from the base pointer; a multiple of 4
    dim_t count;        // entries of 4 bytes
};

// The arrays of a valid descriptor in the order of their offsets; returns how many. None without
// elements.
constexpr int max_compensation_arrays = 2;
int compensation_arrays(const memory_desc &md, compensation_array *arrays);

// Bytes from the base pointer to the end of the last array of a valid descriptor that has elements
// and compensation.
size_t end_of_compensation(const memory_desc &md);

} // namespace tfmt
