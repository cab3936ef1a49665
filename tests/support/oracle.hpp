// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "support/layout.hpp"

// What a reorder and zero padding must do to memory, from public facts alone.
namespace tfmt_test {

// Writes every logical element of src to dst, converted, and zeros to the padding of dst. Touches
// no other bit of dst: gaps between strides keep what they hold. Throws if the dims differ.
void oracle_reorder(const layout &src, const void *src_data, const layout &dst, void *dst_data);
void oracle_reorder(const_tfmt_memory_desc_t src, const void *src_data,
        const_tfmt_memory_desc_t dst, void *dst_data);

// Writes zeros to the padding and touches nothing else.
void oracle_zero_pad(const layout &l, void *data);
bool oracle_padding_is_zero(const layout &l, const void *data);

// Writes the arrays of sums behind s8 elements, modulo 2^32; nothing if there are none.
void oracle_compensation(const layout &l, void *data);

// "" if `size` bytes of both are the same, else the first difference, told with its logical index
// where it is within the elements.
std::string compare_bytes(const layout &l, const void *actual, const void *expected, int64_t size);

} // namespace tfmt_test
