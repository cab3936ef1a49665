// SPDX-License-Identifier: Apache-2.0
#include "common/memory_desc.hpp"

#include <algorithm>

#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/hash.hpp"
#include "common/memory_desc_detail.hpp"

// What can be asked about a valid descriptor. Nothing here checks: validate() has seen to it that
// no product or sum below overflows.
namespace tfmt {

namespace {

bool is_runtime(dim_t value) { return value == TFMT_RUNTIME_DIM_VAL; }

uint64_t combine_values(uint64_t seed, const dim_t *values, int n) {
    for (int i = 0; i < n; ++i)
        seed = combine_hash(seed, static_cast<uint64_t>(values[i]));
    return seed;
}

uint64_t combine_sums(uint64_t seed, const compensation &sums) {
    if (sums.flags == 0) return seed;
    for (int value : {sums.flags, sums.s8s8_mask, sums.asymmetric_mask})
        seed = combine_hash(seed, static_cast<uint64_t>(value));
    return seed;
}

} // namespace

void block_sizes(const memory_desc &md, dims_t blocks) {
    std::fill(blocks, blocks + TFMT_MAX_NDIMS, dim_t(1));
    for (int i = 0; i < md.inner_nblks; ++i)
        blocks[md.inner_idxs[i]] *= md.inner_blks[i];
}

dim_t inner_size(const memory_desc &md) {
    dim_t size = 1;
    for (int i = 0; i < md.inner_nblks; ++i)
        size *= md.inner_blks[i];
    return size;
}

int moving_dims(const memory_desc &md, const dim_t *blocks, int *sorted) {
    int n = 0;
    for (int d = 0; d < md.ndims; ++d) {
        if (md.padded_dims[d] <= blocks[d] || md.strides[d] == 0) continue;
        int place = n++;
        for (; place > 0 && md.strides[sorted[place - 1]] < md.strides[d]; --place)
            sorted[place] = sorted[place - 1];
        sorted[place] = d;
    }
    return n;
}

bool equal(const memory_desc &a, const memory_desc &b) {
    const int n = a.ndims, nblks = a.inner_nblks;
    if (n != b.ndims || a.data_type != b.data_type || a.format_kind != b.format_kind
            || a.offset0 != b.offset0 || nblks != b.inner_nblks || !equal(a.sums, b.sums))
        return false;
    for (int i = 0; i < nblks; ++i)
        if (a.inner_blks[i] != b.inner_blks[i] || a.inner_idxs[i] != b.inner_idxs[i]) return false;
    dims_t blocks;
    block_sizes(a, blocks);
    for (int d = 0; d < n; ++d)
        if (a.dims[d] != b.dims[d] || a.padded_dims[d] != b.padded_dims[d]
                || a.padded_offsets[d] != b.padded_offsets[d]
                || (a.strides[d] != b.strides[d] && !is_stride_unused(a, blocks, d)))
            return false;
    return true;
}

// Dims, blocks and strides nearly always say how dims are padded: equal() alone looks at that.
// Strides have a chain of multiplications of their own, so that they need not wait for the dims'.
size_t hash(const memory_desc &md) {
    uint64_t of_dims = static_cast<uint64_t>(md.ndims) << 32
            | static_cast<uint64_t>(md.data_type) << 16 | static_cast<uint64_t>(md.format_kind);
    uint64_t of_strides = combine_hash(of_dims, static_cast<uint64_t>(md.offset0));
    of_dims = combine_sums(of_dims, md.sums);
    of_dims = combine_values(of_dims, md.inner_blks, md.inner_nblks);
    of_dims = combine_values(of_dims, md.inner_idxs, md.inner_nblks);
    dims_t blocks;
    block_sizes(md, blocks);
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t seen = is_stride_unused(md, blocks, d) ? 0 : md.strides[d];
        of_dims = combine_hash(of_dims, static_cast<uint64_t>(md.dims[d]));
        of_strides = combine_hash(of_strides, static_cast<uint64_t>(seen));
    }
    return avalanche(combine_hash(of_dims, of_strides));
}

dim_t span_elems(const memory_desc &md) {
    if (md.format_kind != tfmt_blocked || is_zero_sized(md)) return 0;
    dims_t blocks;
    block_sizes(md, blocks);
    dim_t last_outer = 0;
    for (int d = 0; d < md.ndims; ++d) {
        if (is_stride_unused(md, blocks, d)) continue;
        dim_t n_outer = md.padded_dims[d];
        if (blocks[d] != 1) n_outer /= blocks[d]; // a division takes longer than all else here
        last_outer += (n_outer - 1) * md.strides[d];
    }
    return md.offset0 + last_outer + inner_size(md);
}

size_t size_bytes(const memory_desc &md) {
    if (md.format_kind != tfmt_blocked || is_zero_sized(md)) return 0;
    if (has_runtime_dims(md)) return TFMT_RUNTIME_SIZE_VAL;
    if (md.sums.flags != 0) return end_of_compensation(md);
    return bytes_for(md.data_type, static_cast<size_t>(span_elems(md)));
}

dim_t nelems(const memory_desc &md, bool with_padding) {
    if (is_zero_sized(md)) return 0;
    if (has_runtime_dims(md)) return TFMT_RUNTIME_DIM_VAL;
    const dim_t *extents = with_padding ? md.padded_dims : md.dims;
    dim_t product = 1;
    for (int d = 0; d < md.ndims; ++d)
        product *= extents[d];
    return product;
}

bool has_runtime_dims(const memory_desc &md) {
    if (is_runtime(md.offset0)) return true;
    bool has_stride = false;
    for (int d = 0; d < md.ndims; ++d) {
        if (is_runtime(md.dims[d])) return true;
        has_stride |= is_runtime(md.strides[d]);
    }
    if (!has_stride) return false;
    dims_t blocks;
    block_sizes(md, blocks);
    for (int d = 0; d < md.ndims; ++d)
        if (is_runtime(md.strides[d]) && !is_stride_unused(md, blocks, d)) return true;
    return false;
}

bool is_zero_sized(const memory_desc &md) {
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] == 0) return true;
    return false;
}

bool has_padding(const memory_desc &md) {
    return !std::equal(md.dims, md.dims + md.ndims, md.padded_dims);
}

} // namespace tfmt
