// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/memory_desc_detail.hpp"

// The invariants of a descriptor but for those of its compensation, which compensation.cpp states.
namespace tfmt {

namespace {

void check_dims(const memory_desc &md) {
    dim_t nelems = 1;
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t dim = md.dims[d];
        if (dim == TFMT_RUNTIME_DIM_VAL) continue;
        if (dim < 0)
            fail_invalid(element_name("dims", d) + " is " + std::to_string(dim)
                    + ", wanted 0 or more, or TFMT_RUNTIME_DIM_VAL");
        nelems = checked_mul(nelems, std::max(dim, dim_t(1)), "dims: the number of elements");
    }
}

void check_any(const memory_desc &md) {
    bool is_bare = md.offset0 == 0 && md.inner_nblks == 0;
    for (int d = 0; d < md.ndims; ++d)
        is_bare = is_bare && md.strides[d] == 0 && md.padded_offsets[d] == 0
                && md.padded_dims[d] == md.dims[d];
    if (!is_bare) fail_invalid("format kind is any, wanted no strides, blocks, padding or offset");
}

// Throws if a block is out of range; fills the product of the blocks of each dimension.
void check_blocks(const memory_desc &md, dims_t blocks) {
    if (md.inner_nblks < 0 || md.inner_nblks > TFMT_MAX_NDIMS)
        fail_invalid("inner_nblks is " + std::to_string(md.inner_nblks) + ", wanted 0 to 12");
    std::fill(blocks, blocks + TFMT_MAX_NDIMS, dim_t(1));
    dim_t all = 1;
    for (int i = 0; i < md.inner_nblks; ++i) {
        const dim_t idx = md.inner_idxs[i], blk = md.inner_blks[i];
        if (idx < 0 || idx >= md.ndims)
            fail_invalid(element_name("inner_idxs", i) + " is " + std::to_string(idx)
                    + ", wanted 0 to ndims - 1 = " + std::to_string(md.ndims - 1));
        if (blk < 2)
            fail_invalid(element_name("inner_blks", i) + " is " + std::to_string(blk)
                    + ", wanted 2 or more");
        all = checked_mul(all, blk, "inner_blks: the product");
        blocks[idx] *= blk;
    }
}

void check_padding(const memory_desc &md, const dim_t *blocks) {
    dim_t nelems = 1;
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t dim = md.dims[d];
        const dim_t wanted = dim == TFMT_RUNTIME_DIM_VAL
                ? dim
                : checked_round_up(dim, blocks[d], "dims: the padded dimension");
        if (md.padded_dims[d] != wanted)
            fail_invalid(element_name("padded_dims", d) + " is " + std::to_string(md.padded_dims[d])
                    + ", wanted " + std::to_string(wanted));
        if (md.padded_offsets[d] != 0)
            fail_invalid(element_name("padded_offsets", d) + " is "
                    + std::to_string(md.padded_offsets[d]) + ", wanted 0");
        // Empty and runtime dimensions count as one block, so that dense strides always fit.
        const dim_t extent = wanted > 0 ? wanted : blocks[d];
        nelems = checked_mul(nelems, extent, "dims: the number of padded elements");
    }
}

// Non-overlap: from the smallest stride up, each is at least the span of everything below it.
// Single outer blocks and broadcast (stride 0) dimensions take no room.
void check_strides(const memory_desc &md, const dim_t *blocks) {
    for (int d = 0; d < md.ndims; ++d)
        if (md.strides[d] < 0 && md.strides[d] != TFMT_RUNTIME_DIM_VAL)
            fail_invalid(element_name("strides", d) + " is " + std::to_string(md.strides[d])
                    + ", wanted 0 or more, or TFMT_RUNTIME_DIM_VAL");
    if (has_runtime_dims(md) || is_zero_sized(md)) return;

    int sorted[TFMT_MAX_NDIMS];
    const int n = moving_dims(md, blocks, sorted);
    dim_t span = inner_size(md);
    for (int i = n - 1; i >= 0; --i) {
        const int d = sorted[i];
        if (md.strides[d] < span)
            fail_invalid(element_name("strides", d) + " is " + std::to_string(md.strides[d])
                    + ", wanted at least " + std::to_string(span)
                    + ", the span of the elements below it (elements would overlap)");
        const dim_t steps = md.padded_dims[d] / blocks[d] - 1;
        span = checked_add(
                span, checked_mul(steps, md.strides[d], "strides: the span"), "strides: the span");
    }
    span = checked_add(span, md.offset0, "offset0 plus the span");
    if (bits_of(md.data_type) >= 8)
        checked_mul(span, bits_of(md.data_type) / 8, "dims and strides: the span in bytes");
}

} // namespace

void validate(const memory_desc &md) {
    if (md.ndims < 1 || md.ndims > TFMT_MAX_NDIMS)
        fail_invalid("ndims is " + std::to_string(md.ndims) + ", wanted 1 to 12");
    if (!is_known(md.data_type))
        fail_invalid("data_type is " + std::to_string(static_cast<int>(md.data_type))
                + ", wanted a tfmt_data_type_t other than undef");
    check_dims(md);
    if (md.format_kind == tfmt_format_kind_any) {
        check_any(md);
        return check_compensation(md);
    }
    if (md.format_kind != tfmt_blocked)
        fail_invalid("format kind is " + std::to_string(static_cast<int>(md.format_kind))
                + ", wanted tfmt_blocked or tfmt_format_kind_any");
    if (md.offset0 < 0 && md.offset0 != TFMT_RUNTIME_DIM_VAL)
        fail_invalid("offset0 is " + std::to_string(md.offset0)
                + ", wanted 0 or more, or TFMT_RUNTIME_DIM_VAL");
    dims_t blocks;
    check_blocks(md, blocks);
    check_padding(md, blocks);
    check_strides(md, blocks);
    check_compensation(md);
}

void require_fixed_layout(const memory_desc &md, const char *argument) {
    if (md.format_kind != tfmt_blocked)
        fail_invalid(std::string(argument) + " has no layout yet (format kind undef or any)");
    if (has_runtime_dims(md))
        fail_unimplemented(std::string(argument)
                + " has runtime dims or strides; create it with the real values");
}

} // namespace tfmt
