// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/memory_desc_detail.hpp"

// Descriptors of the same bytes seen differently: a part, other axes, another type, plain axes.
namespace tfmt {

namespace {

// What a part may be along dimension d: blocks are not cut, except that the last one of the parent
// may be short in the part as it is in the parent.
void check_part(const memory_desc &parent, dim_t dim, dim_t offset, dim_t block, int d) {
    if (dim < 0)
        fail_invalid(element_name("dims", d) + " is " + std::to_string(dim) + ", wanted 0 or more");
    if (offset < 0)
        fail_invalid(element_name("offsets", d) + " is " + std::to_string(offset)
                + ", wanted 0 or more");
    if (offset > parent.dims[d] || dim > parent.dims[d] - offset)
        fail_invalid(element_name("offsets", d) + " + " + element_name("dims", d) + " is "
                + std::to_string(offset) + " + " + std::to_string(dim)
                + ", wanted at most the parent's dimension " + std::to_string(parent.dims[d]));
    if (offset % block != 0)
        fail_invalid(element_name("offsets", d) + " is " + std::to_string(offset)
                + ", wanted a multiple of the parent's block " + std::to_string(block));
    if (dim % block != 0 && offset + dim != parent.dims[d])
        fail_invalid(element_name("dims", d) + " is " + std::to_string(dim)
                + ", wanted a multiple of the parent's block " + std::to_string(block)
                + " or all up to the parent's end at " + std::to_string(parent.dims[d]));
}

} // namespace

memory_desc make_submemory(const memory_desc &parent, const dim_t *dims, const dim_t *offsets) {
    require_not_null(dims, "dims");
    require_not_null(offsets, "offsets");
    require_fixed_layout(parent, "parent");
    require_no_compensation(parent, "parent");
    dims_t blocks;
    block_sizes(parent, blocks);
    memory_desc md = parent;
    for (int d = 0; d < parent.ndims; ++d) {
        check_part(parent, dims[d], offsets[d], blocks[d], d);
        md.dims[d] = dims[d];
        md.padded_dims[d] = (dims[d] + blocks[d] - 1) / blocks[d] * blocks[d];
        // A single outer block has its elements at step 0, and its stride may be any number; one of
        // TFMT_RUNTIME_DIM_VAL would be in use in a part without elements.
        const dim_t step = offsets[d] / blocks[d];
        const bool is_unused = is_stride_unused(parent, blocks, d);
        if (is_unused && md.strides[d] == TFMT_RUNTIME_DIM_VAL) md.strides[d] = 1;
        if (step != 0 && !is_unused)
            md.offset0 = checked_add(
                    md.offset0, checked_mul(step, md.strides[d], "offsets"), "offsets");
    }
    validate(md);
    return md;
}

memory_desc make_permuted(const memory_desc &in, const int *permutation) {
    require_not_null(permutation, "permutation");
    bool is_taken[TFMT_MAX_NDIMS] = {};
    for (int d = 0; d < in.ndims; ++d) {
        const int to = permutation[d];
        if (to < 0 || to >= in.ndims || is_taken[to])
            fail_invalid(element_name("permutation", d) + " is " + std::to_string(to)
                    + ", wanted each of 0 to ndims - 1 = " + std::to_string(in.ndims - 1)
                    + " once");
        is_taken[to] = true;
    }
    memory_desc md = in;
    for (int d = 0; d < in.ndims; ++d) {
        const int to = permutation[d];
        md.dims[to] = in.dims[d];
        md.padded_dims[to] = in.padded_dims[d];
        md.padded_offsets[to] = in.padded_offsets[d];
        md.strides[to] = in.strides[d];
    }
    for (int i = 0; i < in.inner_nblks; ++i)
        md.inner_idxs[i] = permutation[in.inner_idxs[i]];
    md.sums = permuted_compensation(in, permutation);
    validate(md);
    return md;
}

memory_desc make_with_data_type(const memory_desc &in, data_type_t dt) {
    if (is_known(dt) && dt != tfmt_s8) require_no_compensation(in, "in");
    memory_desc md = in;
    md.data_type = dt;
    validate(md);
    return md;
}

// Axes 0..ndims-1 step over the outer blocks, axis ndims + i steps within inner block i:
// aBcd16b over 2x40x5x4 becomes 2x3x5x4x16 with strides 960x320x64x16x1.
memory_desc make_unblocked(const memory_desc &in) {
    require_fixed_layout(in, "in");
    require_no_compensation(in, "in");
    const int ndims = in.ndims + in.inner_nblks;
    if (ndims > TFMT_MAX_NDIMS)
        fail_invalid("in has " + std::to_string(in.ndims) + " dimensions and "
                + std::to_string(in.inner_nblks) + " inner blocks, wanted at most 12 together");
    dims_t blocks;
    block_sizes(in, blocks);
    memory_desc md = memory_desc();
    md.ndims = ndims;
    md.data_type = in.data_type;
    md.format_kind = tfmt_blocked;
    md.offset0 = in.offset0;
    for (int d = 0; d < in.ndims; ++d) {
        md.dims[d] = in.padded_dims[d] / blocks[d];
        md.strides[d] = in.strides[d];
    }
    dim_t stride = 1;
    for (int i = in.inner_nblks - 1; i >= 0; --i) {
        md.dims[in.ndims + i] = in.inner_blks[i];
        md.strides[in.ndims + i] = stride;
        stride *= in.inner_blks[i];
    }
    std::copy(md.dims, md.dims + ndims, md.padded_dims);
    validate(md);
    return md;
}

void order_by_strides(const memory_desc &md, int *order) {
    dims_t blocks;
    block_sizes(md, blocks);
    int n = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (md.padded_dims[d] != blocks[d]) order[n++] = d;
    // Runtime strides are those of the outermost dimensions.
    auto rank = [&md](int d) {
        return md.strides[d] == TFMT_RUNTIME_DIM_VAL ? INT64_MAX : md.strides[d];
    };
    // An empty dimension has the stride of the one around it and comes after that.
    std::stable_sort(order, order + n, [&](int a, int b) {
        if (rank(a) != rank(b)) return rank(a) > rank(b);
        return md.dims[a] != 0 && md.dims[b] == 0;
    });
    for (int d = 0; d < md.ndims; ++d) {
        if (md.padded_dims[d] != blocks[d]) continue;
        int *place = std::find_if(order, order + n, [d](int other) { return other > d; });
        std::copy_backward(place, order + n, order + n + 1);
        *place = d;
        ++n;
    }
}

memory_desc make_without_repeats(const memory_desc &in, const char *argument) {
    memory_desc md = in;
    dims_t blocks;
    block_sizes(in, blocks);
    for (int d = 0; d < in.ndims; ++d) {
        if (!repeats_blocks(in, blocks, d)) continue;
        if (in.padded_dims[d] != in.dims[d])
            fail_invalid(std::string(argument) + " has stride 0 in dimension " + std::to_string(d)
                    + ": its padding lies where elements of its other blocks do");
        md.dims[d] = md.padded_dims[d] = blocks[d];
    }
    return md;
}

} // namespace tfmt
