// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tensorfmt/tensorfmt.hpp>
#include <vector>

// What the tests of the public interface share. Nothing here sees more than the public headers.
namespace api {

using bytes_t = std::vector<uint8_t>;
using tensorfmt::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

// Element offset of an index, from the published fields alone: outer blocks at `strides`, inner
// blocks dense behind them, the last one innermost.
inline int64_t offset_by_fields(const memory::desc &md, memory::dims index) {
    const auto strides = md.get_strides();
    const auto blks = md.get_inner_blks(), idxs = md.get_inner_idxs();
    int64_t offset = md.get_submemory_offset(), inner_stride = 1;
    for (int i = md.get_inner_nblks() - 1; i >= 0; --i) {
        offset += index[idxs[i]] % blks[i] * inner_stride;
        index[idxs[i]] /= blks[i];
        inner_stride *= blks[i];
    }
    for (size_t d = 0; d < index.size(); ++d)
        offset += index[d] * strides[d];
    return offset;
}

// Calls visit(index) for each index below `dims`.
template <typename Visit>
void for_each_index(const memory::dims &dims, Visit &&visit) {
    if (std::count(dims.begin(), dims.end(), 0)) return;
    memory::dims index(dims.size(), 0);
    for (;;) {
        visit(static_cast<const memory::dims &>(index));
        size_t d = dims.size();
        while (d > 0 && ++index[d - 1] == dims[d - 1])
            index[--d] = 0;
        if (d == 0) return;
    }
}

// offset_by_fields() for every element of a descriptor; each index of a dimension adds its own
// part.
class offsets_by_fields {
public:
    explicit offsets_by_fields(const memory::desc &md) : parts_(md.get_padded_dims().size()) {
        memory::dims index(parts_.size(), 0);
        first_ = offset_by_fields(md, index);
        for (size_t d = 0; d < parts_.size(); index[d++] = 0)
            for (index[d] = 0; index[d] < md.get_padded_dims()[d]; ++index[d])
                parts_[d].push_back(offset_by_fields(md, index) - first_);
    }
    int64_t operator()(const memory::dims &index) const {
        int64_t offset = first_;
        for (size_t d = 0; d < parts_.size(); ++d)
            offset += parts_[d][index[d]];
        return offset;
    }

private:
    int64_t first_;
    std::vector<std::vector<int64_t>> parts_; // [dimension][index]
};

inline bool is_below(const memory::dims &index, const memory::dims &dims) {
    for (size_t d = 0; d < dims.size(); ++d)
        if (index[d] >= dims[d]) return false;
    return true;
}

// Bytes that differ from element to element and are never 0, so that a zero is seen.
inline bytes_t pattern(size_t size_bytes, unsigned seed = 1) {
    bytes_t bytes(size_bytes);
    uint32_t state = seed * 2654435761u + 1;
    for (auto &byte : bytes) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<uint8_t>((state >> 24) % 255 + 1);
    }
    return bytes;
}

// `data` as it must be after its padding, and nothing else, was zeroed.
inline bytes_t with_zero_padding(const memory::desc &md, bytes_t data) {
    const size_t elem_bytes = memory::data_type_size(md.get_data_type());
    const auto dims = md.get_dims();
    const offsets_by_fields offset_of(md);
    for_each_index(md.get_padded_dims(), [&](const memory::dims &index) {
        if (is_below(index, dims)) return;
        std::memset(&data[offset_of(index) * elem_bytes], 0, elem_bytes);
    });
    return data;
}

// `before`, a destination, as a reorder between descriptors of one data type must leave it.
inline bytes_t expected_move(const memory::desc &src_md, const bytes_t &src,
        const memory::desc &dst_md, const bytes_t &before) {
    const size_t elem_bytes = memory::data_type_size(dst_md.get_data_type());
    bytes_t dst = with_zero_padding(dst_md, before);
    const offsets_by_fields src_offset_of(src_md), dst_offset_of(dst_md);
    for_each_index(dst_md.get_dims(), [&](const memory::dims &index) {
        std::memcpy(&dst[dst_offset_of(index) * elem_bytes],
                &src[src_offset_of(index) * elem_bytes], elem_bytes);
    });
    return dst;
}

// Status and message of what `call` throws; tfmt_success if it does not throw.
struct outcome_t {
    tfmt_status_t status;
    std::string message;
};
template <typename Call>
outcome_t outcome_of(Call &&call) {
    try {
        call();
        return {tfmt_success, ""};
    } catch (const tensorfmt::error &e) { return {e.status, e.message}; }
}

inline bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace api
