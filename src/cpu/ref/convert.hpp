// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// One run of elements from any data type to any other: the definition of every conversion of the
// library (doc/numerics.md gives the rules; generated code must give the same bits).
//
// In: arrays, element offsets and strides. Out: converted elements. Knows nothing of layouts,
// padding or threads. Offsets and strides count elements, of 4-bit types nibbles, low nibble first;
// a 4-bit store leaves its neighbour nibble as it is (but reads and writes the byte, so two threads
// must not share one). No alignment is needed; source and destination must not overlap.
//
// Worked example: f32 {1, 2, 3} with src_stride 1 into s4 with dst_offset 1, dst_stride 2 writes
// the high nibbles of bytes 0, 1 and 2.
namespace tfmt::cpu::ref {

// dst[dst_offset + i * dst_stride] = convert(src[src_offset + i * src_stride]) for 0 <= i < n.
using convert_run_fn = void (*)(const void *src, dim_t src_offset, dim_t src_stride, void *dst,
        dim_t dst_offset, dim_t dst_stride, dim_t n);

// Never null for two known types. The same type twice moves bits: nothing is quieted or normalised.
convert_run_fn find_convert_run(data_type_t src, data_type_t dst);

// dst[dst_offset + i * dst_stride] = all bits zero.
void zero_run(data_type_t type, void *dst, dim_t dst_offset, dim_t dst_stride, dim_t n);

} // namespace tfmt::cpu::ref
