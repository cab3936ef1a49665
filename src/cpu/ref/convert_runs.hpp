// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/memory_desc.hpp"
#include "cpu/ref/convert.hpp"
#include "cpu/ref/convert_types.hpp"

// Loops over elements in memory. Every conversion goes through a chunk of carriers in the L1 cache:
// one loop decodes, one encodes. So there is a loop for each type and carrier, not for each pair of
// types, and each is simple enough to vectorise where its stride is 1.
namespace tfmt::cpu::ref {

// Keeps one copy of each loop instead of one for each pair of types.
#if defined(__GNUC__)
#define TFMT_NOINLINE __attribute__((noinline))
#else
#define TFMT_NOINLINE
#endif

// Elements; at most 2 KiB. Tried 32, 64, 256, 1024 and 4096 on dense runs of 65536 elements:
// expensive pairs do not care, of the cheap ones u8 -> f32 takes 0.21, 0.17, 0.14, 0.20 and 0.21 ns
// an element.
constexpr dim_t chunk_elems = 256;

inline uint8_t load_nibble(const uint8_t *bytes, dim_t offset) {
    return (bytes[offset >> 1] >> ((offset & 1) * 4)) & 15;
}

inline void store_nibble(uint8_t *bytes, dim_t offset, uint8_t value) {
    const int shift = static_cast<int>(offset & 1) * 4;
    uint8_t &byte = bytes[offset >> 1];
    byte = static_cast<uint8_t>((byte & (0xf0 >> shift)) | (value << shift));
}

template <typename T>
inline typename T::storage load(const uint8_t *p) {
    typename T::storage value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

template <typename T>
inline void store(uint8_t *p, typename T::storage value) {
    std::memcpy(p, &value, sizeof value);
}

template <typename T, typename Carrier>
TFMT_NOINLINE void decode_run(
        const void *src, dim_t offset, dim_t stride, Carrier *__restrict out, dim_t n) {
    const auto *bytes = static_cast<const uint8_t *>(src);
    if constexpr (T::bits == 4) {
        for (dim_t i = 0; i < n; i++)
            out[i] = static_cast<Carrier>(T::decode(load_nibble(bytes, offset + i * stride)));
    } else {
        constexpr dim_t size = sizeof(typename T::storage);
        bytes += offset * size;
        if (stride == 1)
            for (dim_t i = 0; i < n; i++)
                out[i] = static_cast<Carrier>(T::decode(load<T>(bytes + i * size)));
        else
            for (dim_t i = 0; i < n; i++)
                out[i] = static_cast<Carrier>(T::decode(load<T>(bytes + i * stride * size)));
    }
}

template <typename T, typename Carrier>
TFMT_NOINLINE void encode_run(
        const Carrier *__restrict in, void *dst, dim_t offset, dim_t stride, dim_t n) {
    auto *__restrict bytes = static_cast<uint8_t *>(dst);
    if constexpr (T::bits == 4) {
        for (dim_t i = 0; i < n; i++)
            store_nibble(bytes, offset + i * stride, T::encode(in[i]));
    } else {
        constexpr dim_t size = sizeof(typename T::storage);
        bytes += offset * size;
        if (stride == 1)
            for (dim_t i = 0; i < n; i++)
                store<T>(bytes + i * size, T::encode(in[i]));
        else
            for (dim_t i = 0; i < n; i++)
                store<T>(bytes + i * stride * size, T::encode(in[i]));
    }
}

template <typename S, typename D>
void convert_run(const void *src, dim_t src_offset, dim_t src_stride, void *dst, dim_t dst_offset,
        dim_t dst_stride, dim_t n) {
    using carrier = types::carrier_of<S, D>;
    alignas(64) carrier chunk[chunk_elems];
    for (dim_t done = 0; done < n; done += chunk_elems) {
        const dim_t count = std::min(chunk_elems, n - done);
        decode_run<S, carrier>(src, src_offset + done * src_stride, src_stride, chunk, count);
        encode_run<D, carrier>(chunk, dst, dst_offset + done * dst_stride, dst_stride, count);
    }
}

// Moves of one type: bits, by width.
convert_run_fn find_copy_run(int bits);

} // namespace tfmt::cpu::ref
