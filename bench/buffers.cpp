// SPDX-License-Identifier: Apache-2.0
#include "bench/buffers.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "support/random_data.hpp"

namespace tfmt_bench {
namespace {

constexpr size_t page_bytes = 4096;
constexpr int64_t cold_bytes = int64_t {1} << 28; // several times any last-level cache in use here
constexpr int64_t max_cold_buffers = 4096;

} // namespace

void *(*volatile const libc_memcpy)(void *, const void *, size_t) = std::memcpy;
void *(*volatile const libc_memset)(void *, int, size_t) = std::memset;

buffer_ring::buffer_ring(int64_t src_bytes, int64_t dst_bytes, bool cold, int64_t offset_bytes) {
    const int64_t larger = std::max({src_bytes, dst_bytes, int64_t {1}});
    const auto offset = static_cast<size_t>(offset_bytes);
    const size_t stride = (offset + static_cast<size_t>(larger) + page_bytes - 1) / page_bytes
            * page_bytes;
    const int64_t n = cold ? std::clamp<int64_t>(cold_bytes / (2 * larger), 1, max_cold_buffers)
                           : 1;
    arena_.reset(std::aligned_alloc(page_bytes, 2 * stride * static_cast<size_t>(n)));
    if (!arena_) throw std::bad_alloc();
    auto *bytes = static_cast<unsigned char *>(arena_.get());
    std::memset(bytes, 0, 2 * stride * static_cast<size_t>(n)); // page faults happen now
    for (int64_t i = 0; i < n; ++i, bytes += 2 * stride)
        pairs_.push_back({bytes + offset, bytes + stride + offset});
}

// A stretch of fitting data, repeated: making each element of a large source anew would take longer
// than the measurement.
void fill_sources(const buffer_ring &ring, const case_descs &descs, int64_t src_bytes) {
    std::vector<unsigned char> stretch(1 << 16);
    tfmt_test::random_source random(1);
    const auto size = static_cast<int64_t>(stretch.size());
    if (descs.src_layout.data_type == descs.dst_layout.data_type && !descs.attr_handle)
        tfmt_test::fill_random_bits(stretch.data(), size, random);
    else
        tfmt_test::fill_ordinary(stretch.data(), size, descs.src_layout.data_type,
                descs.dst_layout.data_type, random);
    for (const buffer_pair &pair : ring.pairs())
        for (int64_t at = 0; at < src_bytes; at += size)
            std::memcpy(static_cast<unsigned char *>(pair.src) + at, stretch.data(),
                    static_cast<size_t>(std::min(size, src_bytes - at)));
}

} // namespace tfmt_bench
