// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// THE definition of logical index <-> element offset. Everything else in the library derives from
// the same fields and is tested against it.
namespace tfmt {

// Element offset of logical index `index` (each 0 <= index[d] < padded_dims[d]); offset0 included.
dim_t offset_of(const memory_desc &md, const dim_t *index);

// The inverse. False where `offset` lies in a gap between strides, outside the span, or where the
// descriptor has stride-0 dims that make it ambiguous (then the lowest index is returned).
// `is_padding` tells whether the index is outside dims (but inside padded_dims).
bool index_of(const memory_desc &md, dim_t offset, dim_t *index, bool *is_padding);

// index_of with the reason. `ambiguous`: several indices share the element through dims of stride
// 0; the lowest is returned. `gap` and `outside` write nothing. Not for runtime dims.
enum class offset_place { found, ambiguous, gap, outside };
offset_place locate(const memory_desc &md, dim_t offset, dim_t *index, bool *is_padding);

} // namespace tfmt
