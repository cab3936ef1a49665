// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "common/data_type.hpp"
#include "cpu/ref/convert_runs.hpp"

// Runs that move or clear bits and never look at a value.
namespace tfmt::cpu::ref {
namespace {

template <int size>
void copy_bytes_run(const void *src, dim_t src_offset, dim_t src_stride, void *dst,
        dim_t dst_offset, dim_t dst_stride, dim_t n) {
    const auto *from = static_cast<const uint8_t *>(src) + src_offset * size;
    auto *to = static_cast<uint8_t *>(dst) + dst_offset * size;
    if (src_stride == 1 && dst_stride == 1) {
        if (n > 0) std::memcpy(to, from, static_cast<size_t>(n) * size);
        return;
    }
    for (dim_t i = 0; i < n; i++)
        std::memcpy(to + i * dst_stride * size, from + i * src_stride * size, size);
}

void copy_nibbles_run(const void *src, dim_t src_offset, dim_t src_stride, void *dst,
        dim_t dst_offset, dim_t dst_stride, dim_t n) {
    const auto *from = static_cast<const uint8_t *>(src);
    auto *to = static_cast<uint8_t *>(dst);
    const auto copy = [&](dim_t i) {
        store_nibble(
                to, dst_offset + i * dst_stride, load_nibble(from, src_offset + i * src_stride));
    };
    const bool is_dense = src_stride == 1 && dst_stride == 1;
    if (!is_dense || (src_offset + dst_offset) % 2 != 0) {
        for (dim_t i = 0; i < n; i++)
            copy(i);
        return;
    }
    // Both begin in the same half of a byte: whole bytes, and at most one nibble at each end.
    dim_t i = 0;
    if (n > 0 && dst_offset % 2 != 0) copy(i++);
    const dim_t n_bytes = (n - i) / 2;
    if (n_bytes > 0)
        std::memcpy(to + (dst_offset + i) / 2, from + (src_offset + i) / 2,
                static_cast<size_t>(n_bytes));
    i += 2 * n_bytes;
    if (i < n) copy(i);
}

template <int size>
void zero_bytes_run(uint8_t *dst, dim_t offset, dim_t stride, dim_t n) {
    uint8_t *to = dst + offset * size;
    if (stride == 1) {
        if (n > 0) std::memset(to, 0, static_cast<size_t>(n) * size);
        return;
    }
    for (dim_t i = 0; i < n; i++)
        std::memset(to + i * stride * size, 0, size);
}

void zero_nibbles_run(uint8_t *dst, dim_t offset, dim_t stride, dim_t n) {
    if (stride != 1) {
        for (dim_t i = 0; i < n; i++)
            store_nibble(dst, offset + i * stride, 0);
        return;
    }
    const dim_t end = offset + n;
    if (offset < end && offset % 2 != 0) store_nibble(dst, offset++, 0);
    zero_bytes_run<1>(dst, offset / 2, 1, (end - offset) / 2);
    if (offset < end && end % 2 != 0) store_nibble(dst, end - 1, 0);
}

} // namespace

convert_run_fn find_copy_run(int bits) {
    switch (bits) {
    case 4: return copy_nibbles_run;
    case 8: return copy_bytes_run<1>;
    case 16: return copy_bytes_run<2>;
    case 32: return copy_bytes_run<4>;
    default: return copy_bytes_run<8>;
    }
}

void zero_run(data_type_t type, void *dst, dim_t dst_offset, dim_t dst_stride, dim_t n) {
    auto *bytes = static_cast<uint8_t *>(dst);
    switch (bits_of(type)) {
    case 4: return zero_nibbles_run(bytes, dst_offset, dst_stride, n);
    case 8: return zero_bytes_run<1>(bytes, dst_offset, dst_stride, n);
    case 16: return zero_bytes_run<2>(bytes, dst_offset, dst_stride, n);
    case 32: return zero_bytes_run<4>(bytes, dst_offset, dst_stride, n);
    default: return zero_bytes_run<8>(bytes, dst_offset, dst_stride, n);
    }
}

} // namespace tfmt::cpu::ref
