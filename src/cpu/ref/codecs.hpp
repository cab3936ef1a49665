// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// The two halves of a conversion apart, for who computes in between: a run of elements decoded to a
// carrier, float or double, and encoded from it. Offsets and strides count elements; the rules are
// those of convert.hpp.
namespace tfmt::cpu::ref {

template <typename Carrier>
struct codec {
    void (*decode)(const void *src, dim_t offset, dim_t stride, Carrier *out, dim_t n);
    void (*encode)(const Carrier *in, void *dst, dim_t offset, dim_t stride, dim_t n);
};

// double carries every type. float decodes none of 64 bits and encodes no s32 either: what it
// does not do is null.
template <typename Carrier>
const codec<Carrier> &codec_of(data_type_t type);

extern template const codec<float> &codec_of<float>(data_type_t type);
extern template const codec<double> &codec_of<double>(data_type_t type);

} // namespace tfmt::cpu::ref
