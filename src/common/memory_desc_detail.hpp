// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// The steps the makers of descriptors are composed of, for the sources in this folder that make
// descriptors or read them. They check what they are given, validate() checks the result.
namespace tfmt {

// ndims, dims and data type; format_kind any, everything else 0.
memory_desc describe(int ndims, const dim_t *dims, data_type_t dt);

// Makes `md` blocked: inner blocks (those of size 1 are dropped, they change nothing) and
// padded_dims.
void set_blocks(memory_desc *md, int inner_nblks, const dim_t *inner_blks, const dim_t *inner_idxs);

// Strides of a tensor without gaps whose dimensions lie in `order`, outermost first. A dimension of
// size 0 counts as 1; outside a runtime dimension every stride is a runtime one.
void set_dense_strides(memory_desc *md, const int *order);

// Elements of one full set of inner blocks; 1 without blocks.
dim_t inner_size(const memory_desc &md);

// Elements from the base pointer to the end of the last one, padding included; 0 if zero-sized. Not
// for runtime dims.
dim_t span_elems(const memory_desc &md);

// Whether dimension d has more than one outer block, all of them in one place. `blocks`: of
// block_sizes().
inline bool repeats_blocks(const memory_desc &md, const dim_t *blocks, int d) {
    return md.padded_dims[d] > blocks[d] && md.strides[d] == 0;
}

// The dimensions that move: more than one outer block and a stride other than 0. Largest stride
// first; returns how many.
int moving_dims(const memory_desc &md, const dim_t *blocks, int *sorted);

// The dimensions in the order of their strides, largest first. Those with a single outer block come
// where their index would put them: before the first of higher index.
void order_by_strides(const memory_desc &md, int *order);

} // namespace tfmt
