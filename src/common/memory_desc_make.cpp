// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/checked.hpp"
#include "common/data_type.hpp"
#include "common/format_tag.hpp"
#include "common/memory_desc_detail.hpp"

// Descriptors made from what the user says: a tag, strides, or strides and blocks.
namespace tfmt {

namespace {

void set_strides(memory_desc *md, const dim_t *strides) {
    md->format_kind = tfmt_blocked;
    std::copy(strides, strides + md->ndims, md->strides);
}

void check_tag_rank(const tag_layout &layout, int ndims) {
    if (layout.ndims != ndims)
        fail_invalid("tag " + print_tag(layout) + " has " + std::to_string(layout.ndims)
                + " dimensions, wanted ndims = " + std::to_string(ndims));
}

memory_desc make_with_layout(
        int ndims, const dim_t *dims, data_type_t dt, const tag_layout &layout) {
    memory_desc md = describe(ndims, dims, dt);
    check_tag_rank(layout, ndims);
    set_blocks(&md, layout.inner_nblks, layout.inner_blks, layout.inner_idxs);
    set_dense_strides(&md, layout.order);
    validate(md);
    return md;
}

memory_desc make_any(int ndims, const dim_t *dims, data_type_t dt) {
    memory_desc md = describe(ndims, dims, dt);
    validate(md);
    return md;
}

} // namespace

memory_desc describe(int ndims, const dim_t *dims, data_type_t dt) {
    if (ndims < 1 || ndims > TFMT_MAX_NDIMS)
        fail_invalid("ndims is " + std::to_string(ndims) + ", wanted 1 to 12");
    require_not_null(dims, "dims");
    if (!is_known(dt))
        fail_invalid("data_type is " + std::to_string(static_cast<int>(dt))
                + ", wanted a tfmt_data_type_t other than undef");
    memory_desc md = memory_desc();
    md.ndims = ndims;
    md.data_type = dt;
    md.format_kind = tfmt_format_kind_any;
    for (int d = 0; d < ndims; ++d) {
        if (dims[d] < 0 && dims[d] != TFMT_RUNTIME_DIM_VAL)
            fail_invalid(element_name("dims", d) + " is " + std::to_string(dims[d])
                    + ", wanted 0 or more, or TFMT_RUNTIME_DIM_VAL");
        md.dims[d] = md.padded_dims[d] = dims[d];
    }
    return md;
}

void set_blocks(
        memory_desc *md, int inner_nblks, const dim_t *inner_blks, const dim_t *inner_idxs) {
    md->format_kind = tfmt_blocked;
    if (inner_nblks < 0 || inner_nblks > TFMT_MAX_NDIMS)
        fail_invalid("inner_nblks is " + std::to_string(inner_nblks) + ", wanted 0 to 12");
    dim_t all = 1;
    dims_t blocks;
    std::fill(blocks, blocks + TFMT_MAX_NDIMS, dim_t(1));
    for (int i = 0; i < inner_nblks; ++i) {
        const dim_t blk = inner_blks[i], idx = inner_idxs[i];
        if (blk < 1)
            fail_invalid(element_name("inner_blks", i) + " is " + std::to_string(blk)
                    + ", wanted 1 or more");
        if (idx < 0 || idx >= md->ndims)
            fail_invalid(element_name("inner_idxs", i) + " is " + std::to_string(idx)
                    + ", wanted 0 to ndims - 1 = " + std::to_string(md->ndims - 1));
        all = checked_mul(all, blk, "inner_blks: the product");
        blocks[idx] *= blk;
        if (blk == 1) continue;
        md->inner_blks[md->inner_nblks] = blk;
        md->inner_idxs[md->inner_nblks++] = idx;
    }
    for (int d = 0; d < md->ndims; ++d)
        if (md->dims[d] != TFMT_RUNTIME_DIM_VAL)
            md->padded_dims[d] = checked_round_up(
                    md->dims[d], blocks[d], "dims: the padded dimension");
}

void set_dense_strides(memory_desc *md, const int *order) {
    md->format_kind = tfmt_blocked;
    dims_t blocks;
    block_sizes(*md, blocks);
    dim_t stride = inner_size(*md);
    for (int i = md->ndims - 1; i >= 0; --i) {
        const int d = order[i];
        md->strides[d] = stride;
        if (md->dims[d] == TFMT_RUNTIME_DIM_VAL) stride = TFMT_RUNTIME_DIM_VAL;
        if (stride == TFMT_RUNTIME_DIM_VAL) continue;
        const dim_t extent = std::max(md->padded_dims[d] / blocks[d], dim_t(1));
        stride = checked_mul(stride, extent, "dims: the number of padded elements");
    }
}

memory_desc make_with_tag(int ndims, const dim_t *dims, data_type_t dt, tfmt_format_tag_t tag) {
    if (tag == tfmt_format_tag_any) return make_any(ndims, dims, dt);
    return make_with_layout(ndims, dims, dt, layout_of(tag));
}

memory_desc make_with_string_tag(int ndims, const dim_t *dims, data_type_t dt, const char *tag) {
    require_not_null(tag, "tag");
    if (std::strcmp(tag, "any") == 0) return make_any(ndims, dims, dt);
    return make_with_layout(ndims, dims, dt, parse_tag(tag));
}

memory_desc make_with_strides(int ndims, const dim_t *dims, data_type_t dt, const dim_t *strides) {
    memory_desc md = describe(ndims, dims, dt);
    require_not_null(strides, "strides");
    set_strides(&md, strides);
    validate(md);
    return md;
}

memory_desc make_with_blocking(int ndims, const dim_t *dims, data_type_t dt, const dim_t *strides,
        int inner_nblks, const dim_t *inner_blks, const dim_t *inner_idxs) {
    memory_desc md = describe(ndims, dims, dt);
    if (inner_nblks > 0) {
        require_not_null(inner_blks, "inner_blks");
        require_not_null(inner_idxs, "inner_idxs");
    }
    set_blocks(&md, inner_nblks, inner_blks, inner_idxs);
    if (strides) {
        set_strides(&md, strides);
    } else {
        int row_major[TFMT_MAX_NDIMS];
        std::iota(row_major, row_major + TFMT_MAX_NDIMS, 0);
        set_dense_strides(&md, row_major);
    }
    validate(md);
    return md;
}

} // namespace tfmt
