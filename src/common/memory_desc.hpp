// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensorfmt/tensorfmt.h"

namespace tfmt {

// Sums that lie behind the elements; compensation.hpp says where and of what. flags: of
// tfmt_compensation_flags_t; a mask is 0 where its flag is not set.
struct compensation {
    int flags;
    int s8s8_mask;
    int asymmetric_mask;
};

} // namespace tfmt

// The descriptor of a tensor in memory. All fields count elements, not bytes.
//
// Worked example: nChw16c (= aBcd16b) over 2x40x5x4 f32:
//   dims {2,40,5,4}, padded_dims {2,48,5,4}, inner_blks {16}, inner_idxs {1},
//   strides {3*5*4*16, 5*4*16, 4*16, 16} = {960,320,64,16}, offset0 0.
// strides[d] is the distance between two neighbouring *outer* blocks of dimension d. The inner
// blocks lie dense behind the outer ones, last one innermost.
struct tfmt_memory_desc {
    int ndims;
    tfmt_data_type_t data_type;
    tfmt_format_kind_t format_kind;
    tfmt_dims_t dims;
    tfmt_dims_t padded_dims;
    tfmt_dims_t padded_offsets;
    tfmt_dim_t offset0;
    tfmt_dims_t strides;
    int inner_nblks;
    tfmt_dims_t inner_blks;
    tfmt_dims_t inner_idxs;
    tfmt::compensation sums;
};

namespace tfmt {

using dim_t = tfmt_dim_t;
using dims_t = tfmt_dims_t;
using data_type_t = tfmt_data_type_t;
using memory_desc = tfmt_memory_desc;

// Makers. All throw `failure` and never return a descriptor that validate() would refuse.
memory_desc make_with_tag(int ndims, const dim_t *dims, data_type_t dt, tfmt_format_tag_t tag);
memory_desc make_with_strides(int ndims, const dim_t *dims, data_type_t dt, const dim_t *strides);
memory_desc make_with_string_tag(int ndims, const dim_t *dims, data_type_t dt, const char *tag);
memory_desc make_with_blocking(int ndims, const dim_t *dims, data_type_t dt, const dim_t *strides,
        int inner_nblks, const dim_t *inner_blks, const dim_t *inner_idxs);
memory_desc make_submemory(const memory_desc &parent, const dim_t *dims, const dim_t *offsets);
memory_desc make_reshaped(const memory_desc &in, int ndims, const dim_t *dims);
memory_desc make_permuted(const memory_desc &in, const int *permutation);
memory_desc make_with_data_type(const memory_desc &in, data_type_t dt);
memory_desc make_unblocked(const memory_desc &in);

// One step of each dimension of stride 0: every element of memory once. Throws if one of them has
// padding, which lies where elements of its other blocks do.
memory_desc make_without_repeats(const memory_desc &in, const char *argument);

// Throws with the reason if `md` breaks an invariant; the one validation every maker and the blob
// reader end in.
void validate(const memory_desc &md);

// Throws unless `md` is a blocked layout without runtime dims or strides, so that it says where
// every element lies. `argument` is its name in the message.
void require_fixed_layout(const memory_desc &md, const char *argument);

bool equal(const memory_desc &a, const memory_desc &b);
size_t hash(const memory_desc &md);

// Bytes from the base pointer to the end of the last element, padding included, or to the end of
// the compensation behind it; 0 if zero-sized.
size_t size_bytes(const memory_desc &md);

// Product over the padded dims of what lies in memory / over the logical dims. 0 if zero-sized.
dim_t nelems(const memory_desc &md, bool with_padding);

// Any runtime dim, offset, or stride of more than one outer block.
bool has_runtime_dims(const memory_desc &md);
bool is_zero_sized(const memory_desc &md); // any dim is 0
bool has_padding(const memory_desc &md);   // padded_dims != dims

// Product of the inner blocks of each dimension; 1 where a dimension is not blocked.
void block_sizes(const memory_desc &md, dims_t blocks);

// One outer block: the stride is never multiplied by anything but 0. `blocks`: of block_sizes().
inline bool is_stride_unused(const memory_desc &md, const dim_t *blocks, int d) {
    return md.padded_dims[d] == blocks[d];
}

} // namespace tfmt
