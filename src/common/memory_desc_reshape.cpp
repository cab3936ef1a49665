// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "common/memory_desc_detail.hpp"

// Reshape: the same elements in the same logical order, seen with other dimensions.
//
// The input's dimensions are taken apart into factors, most significant first: the outer blocks of
// a dimension (a stride), then its inner blocks. Neighbouring outer factors that are dense are
// joined. The output's dimensions take factors from the front, cutting the last one where it is too
// large. What a dimension gets must be one outer factor followed by inner blocks, since that is
// what a descriptor can say. Padding belongs to a whole dimension, so a padded one stays as it is.
//
// Worked example: aBcd16b over 2x32x3x4 to 2x2x16x12: 32 is {2, stride 192} and block 16; 2 takes
// the outer factor, 16 the inner block; 3x4 with strides 64x16 is dense and joins to {12, stride
// 16}.
namespace tfmt {

namespace {

struct factor {
    dim_t extent;
    dim_t stride; // of an outer factor
    int block;    // which inner block, or -1 for an outer factor
};

// Where an inner block of the output comes from: part `order` of the input's block.
struct block_part {
    dim_t size;
    dim_t dim;
};

class reshaper {
public:
    reshaper(const memory_desc &in, int ndims, const dim_t *dims)
        : in_(in), parts_(in.inner_nblks) {
        out_ = describe(ndims, dims, in.data_type);
        out_.format_kind = tfmt_blocked;
        out_.offset0 = in.offset0;
        block_sizes(in, blocks_);
        // Dimensions of one outer block never move, so any stride would do for them.
        std::fill(out_.strides, out_.strides + ndims, inner_size(in));
    }

    memory_desc run() {
        int i = 0, o = 0;
        while (i < in_.ndims || o < out_.ndims) {
            const int i_ones = count_ones(in_.dims, i, in_.ndims);
            const int o_ones = count_ones(out_.dims, o, out_.ndims);
            map_ones(i, i_ones, o, o_ones);
            i += i_ones, o += o_ones;
            if (i == in_.ndims && o == out_.ndims) break;
            map_group(&i, &o);
        }
        collect_blocks();
        return out_;
    }

private:
    static int count_ones(const dim_t *dims, int begin, int end) {
        int n = 0;
        while (begin + n < end && dims[begin + n] == 1)
            ++n;
        return n;
    }
    bool is_padded(int i) const { return in_.padded_dims[i] != in_.dims[i]; }

    [[noreturn]] void fail(int i, const char *reason) const {
        fail_invalid("dims: dimension " + std::to_string(i) + " of the input, "
                + std::to_string(in_.dims[i]) + ", cannot be split or joined: " + reason);
    }

    void keep(int i, int o) {
        out_.padded_dims[o] = in_.padded_dims[i];
        out_.strides[o] = in_.strides[i];
        for (int k = 0; k < in_.inner_nblks; ++k)
            if (in_.inner_idxs[k] == i) parts_[k].push_back({in_.inner_blks[k], o});
    }

    // Dimensions of 1 come and go, but a padded one (1 in a block of 16) has to stay. Like oneDNN,
    // the last of the input go to the last of the output.
    void map_ones(int i, int i_ones, int o, int o_ones) {
        for (int k = i + i_ones - 1, free = o + o_ones - 1; k >= i; --k) {
            if (i_ones != o_ones && !is_padded(k)) continue;
            if (free < o) fail(k, "it is padded and no dimension of size 1 remains for it");
            keep(k, free--);
        }
    }

    // The shortest runs of dimensions on both sides with the same product.
    void map_group(int *i, int *o) {
        int i_end = *i, o_end = *o;
        dim_t i_size = in_.dims[i_end++], o_size = out_.dims[o_end++];
        while (i_size != o_size) {
            if (i_size < o_size)
                i_size *= in_.dims[i_end++];
            else
                o_size *= out_.dims[o_end++];
        }
        if (i_end - *i == 1 && o_end - *o == 1) {
            keep(*i, *o);
        } else {
            std::vector<factor> factors = take_apart(*i, i_end);
            for (; *o < o_end; ++*o)
                hand_out(&factors, *i, *o);
        }
        *i = i_end, *o = o_end;
    }

    std::vector<factor> take_apart(int begin, int end) const {
        std::vector<factor> factors;
        for (int i = begin; i < end; ++i) {
            if (is_padded(i)) fail(i, "it is padded");
            const dim_t extent = in_.padded_dims[i] / blocks_[i], stride = in_.strides[i];
            if (extent > 1) {
                factor *last = factors.empty() ? nullptr : &factors.back();
                dim_t row;
                if (last && last->block < 0 && multiply(extent, stride, &row)
                        && row == last->stride)
                    *last = {last->extent * extent, stride, -1};
                else
                    factors.push_back({extent, stride, -1});
            }
            for (int k = 0; k < in_.inner_nblks; ++k)
                if (in_.inner_idxs[k] == i) factors.push_back({in_.inner_blks[k], 0, k});
        }
        std::reverse(factors.begin(), factors.end()); // the front is taken with pop_back
        return factors;
    }

    // Gives output dimension o its share of the factors of the group that starts at input i.
    void hand_out(std::vector<factor> *factors, int i, int o) {
        bool is_first = true;
        int last_block = -1;
        for (dim_t wanted = out_.dims[o]; wanted > 1; is_first = false) {
            factor &front = factors->back();
            const dim_t taken = std::min(wanted, front.extent);
            if (wanted % taken != 0 || front.extent % taken != 0)
                fail(i, "the strides or blocks do not divide as the new dimensions do");
            if (front.block < 0 && !is_first) fail(i, "the dimensions to join are not dense");
            // Blocks of one dimension count from outer to inner, so they must lie like that.
            if (front.block < last_block) fail(i, "the blocks to join lie in another order");
            last_block = front.block;
            const dim_t rest = front.extent / taken;
            if (front.block < 0)
                out_.strides[o] = front.stride * rest;
            else
                parts_[front.block].push_back({taken, o});
            wanted /= taken;
            front.extent = rest;
            if (rest == 1) factors->pop_back();
        }
    }

    void collect_blocks() {
        for (const auto &parts : parts_)
            for (const block_part &part : parts) {
                if (out_.inner_nblks == TFMT_MAX_NDIMS)
                    fail_invalid("dims: the result would need more than 12 inner blocks");
                out_.inner_blks[out_.inner_nblks] = part.size;
                out_.inner_idxs[out_.inner_nblks++] = part.dim;
            }
    }

    const memory_desc &in_;
    memory_desc out_;
    dims_t blocks_;
    std::vector<std::vector<block_part>> parts_; // for each inner block of the input
};

dim_t volume(const memory_desc &md) {
    dim_t product = 1;
    for (int d = 0; d < md.ndims; ++d)
        product = checked_mul(product, std::max(md.dims[d], dim_t(1)), "dims: the product");
    return is_zero_sized(md) ? 0 : product;
}

// No element has a place, so any dense layout is as good.
memory_desc make_empty(const memory_desc &in, int ndims, const dim_t *dims) {
    memory_desc md = describe(ndims, dims, in.data_type);
    int row_major[TFMT_MAX_NDIMS];
    std::iota(row_major, row_major + TFMT_MAX_NDIMS, 0);
    set_dense_strides(&md, row_major);
    md.offset0 = in.offset0;
    return md;
}

} // namespace

memory_desc make_reshaped(const memory_desc &in, int ndims, const dim_t *dims) {
    const memory_desc wanted = describe(ndims, dims, in.data_type);
    if (has_runtime_dims(in)) fail_unimplemented("in has runtime dims or strides");
    if (has_runtime_dims(wanted)) fail_invalid("dims has a runtime dim, wanted numbers");
    if (volume(in) != volume(wanted))
        fail_invalid("dims: the product is " + std::to_string(volume(wanted))
                + ", wanted the input's number of elements, " + std::to_string(volume(in)));
    if (in.format_kind == tfmt_format_kind_any) return wanted;
    const bool same_dims = ndims == in.ndims && std::equal(dims, dims + ndims, in.dims);
    if (same_dims) return in;
    require_no_compensation(in, "in");
    memory_desc md = is_zero_sized(in) ? make_empty(in, ndims, dims)
                                       : reshaper(in, ndims, dims).run();
    validate(md);
    return md;
}

} // namespace tfmt
