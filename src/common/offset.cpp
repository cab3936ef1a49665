// SPDX-License-Identifier: Apache-2.0
#include "common/offset.hpp"

#include <algorithm>

#include "common/memory_desc_detail.hpp"

namespace tfmt {

dim_t offset_of(const memory_desc &md, const dim_t *index) {
    dims_t outer;
    std::copy(index, index + md.ndims, outer);
    dim_t offset = md.offset0, inner_stride = 1;
    for (int i = md.inner_nblks - 1; i >= 0; --i) {
        const dim_t d = md.inner_idxs[i], blk = md.inner_blks[i];
        offset += outer[d] % blk * inner_stride;
        outer[d] /= blk;
        inner_stride *= blk;
    }
    for (int d = 0; d < md.ndims; ++d)
        offset += outer[d] * md.strides[d];
    return offset;
}

namespace {

bool is_broadcast(const memory_desc &md, const dim_t *blocks) {
    for (int d = 0; d < md.ndims; ++d)
        if (repeats_blocks(md, blocks, d)) return true;
    return false;
}

} // namespace

offset_place locate(const memory_desc &md, dim_t offset, dim_t *index, bool *is_padding) {
    if (offset < md.offset0 || offset >= span_elems(md)) return offset_place::outside;
    dims_t blocks, found = {};
    block_sizes(md, blocks);
    int sorted[TFMT_MAX_NDIMS];
    const int n = moving_dims(md, blocks, sorted);

    // Each stride is at least the span of those below it, so taking as many steps of the largest
    // stride as fit is the only way to an element; what remains at the end is within the blocks.
    dim_t rest = offset - md.offset0;
    for (int i = 0; i < n; ++i) {
        const int d = sorted[i];
        found[d] = std::min(rest / md.strides[d], md.padded_dims[d] / blocks[d] - 1);
        rest -= found[d] * md.strides[d];
    }
    dim_t inner_stride = inner_size(md);
    if (rest >= inner_stride) return offset_place::gap;
    for (int i = 0; i < md.inner_nblks; ++i) {
        const dim_t d = md.inner_idxs[i];
        inner_stride /= md.inner_blks[i];
        found[d] = found[d] * md.inner_blks[i] + rest / inner_stride;
        rest %= inner_stride;
    }

    bool in_padding = false;
    for (int d = 0; d < md.ndims; ++d)
        in_padding = in_padding || found[d] >= md.dims[d];
    std::copy(found, found + md.ndims, index);
    *is_padding = in_padding;
    return is_broadcast(md, blocks) ? offset_place::ambiguous : offset_place::found;
}

bool index_of(const memory_desc &md, dim_t offset, dim_t *index, bool *is_padding) {
    return locate(md, offset, index, is_padding) == offset_place::found;
}

} // namespace tfmt
