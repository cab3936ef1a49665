// SPDX-License-Identifier: Apache-2.0
#include "common/reorder_problem.hpp"

#include <algorithm>
#include <numeric>

#include "common/checked.hpp"
#include "common/data_type.hpp"
#include "common/memory_desc_detail.hpp"
#include "common/status.hpp"

namespace tfmt {

dim_t digits_offset(const std::vector<digit> &digits, dim_t i) {
    dim_t offset = 0;
    for (size_t k = 0; k + 1 < digits.size(); k++) {
        offset += (i % digits[k].extent) * digits[k].stride;
        i /= digits[k].extent;
    }
    return offset + i * digits.back().stride;
}

namespace {

std::string dims_text(const memory_desc &md) {
    std::string text;
    for (int d = 0; d < md.ndims; d++)
        text += (d ? "x" : "") + std::to_string(md.dims[d]);
    return text;
}

bool has_gaps(const memory_desc &md) {
    dims_t blocks;
    block_sizes(md, blocks);
    int dims[TFMT_MAX_NDIMS];
    dim_t end = inner_size(md); // of what lies without a gap behind the first element
    for (int i = moving_dims(md, blocks, dims); i-- > 0;) {
        const int d = dims[i];
        if (md.strides[d] > end) return true;
        end += (md.padded_dims[d] / blocks[d] - 1) * md.strides[d];
    }
    return false;
}

using digit_list = inline_vector<digit, 8>;

// Single outer blocks may have any stride, and plans count with it where the other side is padded:
// one that would leave the tensor, as no other does, becomes 0.
memory_desc without_far_strides(memory_desc md) {
    dims_t blocks;
    block_sizes(md, blocks);
    const dim_t span = span_elems(md);
    for (int d = 0; d < md.ndims; d++)
        if (is_stride_unused(md, blocks, d) && (md.strides[d] < 0 || md.strides[d] > span))
            md.strides[d] = 0;
    return md;
}

// A dimension's split in one descriptor, innermost first. The last digit is the unbounded outer
// part.
digit_list split_of(const memory_desc &md, int dim) {
    digit_list digits;
    dim_t stride = 1;
    for (int k = md.inner_nblks - 1; k >= 0; k--) {
        if (md.inner_idxs[k] == dim && md.inner_blks[k] > 1)
            digits.push_back({md.inner_blks[k], stride});
        stride *= md.inner_blks[k];
    }
    digits.push_back({0, md.strides[dim]});
    return digits;
}

// Walks one split from inside to outside in steps of the caller's choice.
class split_cursor {
public:
    explicit split_cursor(digit_list digits) : digits_(std::move(digits)), left_(digits_[0]) {}

    bool at_outer() const { return pos_ + 1 == digits_.size(); }
    dim_t left() const {
        return left_.extent;
    } // of the current block; meaningless at the outer digit
    dim_t stride() const { return left_.stride; }

    void advance(dim_t n) {
        // Wraps where the dimension ends before n steps, and is not used then.
        left_.stride = dim_t(uint64_t(left_.stride) * uint64_t(n));
        if (at_outer()) return;
        left_.extent /= n;
        if (left_.extent == 1) left_ = digits_[++pos_];
    }

    // Counts as one block what goes on behind the current one at equal steps, as far as `n_steps`:
    // of 1 x 509 x 1 x 1, blocks of 24 channels lie one behind the other. Returns whether there was
    // any.
    bool join_next(dim_t n_steps) {
        const size_t before = pos_;
        while (!at_outer() && left_.extent < n_steps) {
            const digit &next = digits_[pos_ + 1];
            dim_t end;
            if (__builtin_mul_overflow(left_.extent, left_.stride, &end) || end != next.stride)
                break;
            left_.extent *= next.extent;
            pos_++;
        }
        return pos_ != before;
    }

    // Lets a block that has all of the `n_steps` left go on without an end: it becomes the outer
    // digit, with its own stride. Returns whether it does.
    bool open_end(dim_t n_steps) {
        if (at_outer() || left_.extent < n_steps) return false;
        pos_ = digits_.size() - 1;
        return true;
    }

    std::vector<digit> rest() const {
        std::vector<digit> rest {left_};
        rest.insert(rest.end(), digits_.begin() + pos_ + 1, digits_.end());
        return rest;
    }

private:
    digit_list digits_;
    size_t pos_ = 0;
    digit left_;
};

dim_t blocks_product(const std::vector<digit> &digits) {
    dim_t product = 1;
    for (size_t k = 0; k + 1 < digits.size(); k++)
        product *= digits[k].extent;
    return product;
}

// The levels above `unit` where the blocks of source and destination do not nest: one irregular
// level over their common period and, if the dimension is longer than that, a regular one on top.
void add_irregular(std::vector<level> &levels, int dim, dim_t unit, dim_t steps,
        const split_cursor &src, const split_cursor &dst) {
    const std::vector<digit> src_rest = src.rest(), dst_rest = dst.rest();
    const dim_t src_block = blocks_product(src_rest), dst_block = blocks_product(dst_rest);
    const dim_t src_factor = dst_block / std::gcd(src_block, dst_block);
    dim_t period;
    const bool too_long = __builtin_mul_overflow(src_block, src_factor, &period) || period >= steps;
    if (too_long) period = steps;
    levels.push_back({dim, period, unit, 0, 0, src_rest, dst_rest});
    if (too_long) return;
    levels.push_back({dim, ceil_div(steps, period), unit * period,
            src_rest.back().stride * (period / src_block),
            dst_rest.back().stride * (period / dst_block), {}, {}});
}

// Where blocks do not nest: drops those that are none in the steps that are left, and returns
// whether there were any. Nothing of the source is read beyond its own. A single block of the
// destination stays one beside odd blocks of the source, which would be the vectors then. Time over
// the one with irregular levels, a single block of either / so, of 284 pairs of blocks of 3 to 64:
// AVX2 0.71 / 0.64, of which 32 / 3 became slower, SSE4.1 0.70 / 0.63, 26 / 4, AVX-512 0.61 / 0.62,
// 22 / 14 (f32 aBcd3b -> ABcd16a64b 64x33x3x3 on AVX2 7.6 / 3.1 us).
bool drop_blocks(split_cursor &src, dim_t read_steps, split_cursor &dst, dim_t steps) {
    bool has_dropped = src.join_next(read_steps);
    has_dropped |= src.open_end(read_steps);
    has_dropped |= dst.join_next(steps);
    if (src.at_outer() || is_pow2(src.left())) has_dropped |= dst.open_end(steps);
    return has_dropped;
}

// Whether steps of these strides go on on both sides where `inner`, of the same dimension, ends.
bool goes_on(const level &inner, dim_t src_stride, dim_t dst_stride) {
    dim_t src_end, dst_end;
    return !__builtin_mul_overflow(inner.src_stride, inner.extent, &src_end)
            && !__builtin_mul_overflow(inner.dst_stride, inner.extent, &dst_end)
            && src_end == src_stride && dst_end == dst_stride;
}

void add_levels(std::vector<level> &levels, int dim, dim_limits limits, const memory_desc &src_md,
        const memory_desc &dst_md) {
    split_cursor src(split_of(src_md, dim)), dst(split_of(dst_md, dim));
    const size_t first = levels.size();
    // A level that goes on where the one before it ends is one with that: blocks of 3 one behind
    // the other are a row.
    const auto add = [&](dim_t extent, dim_t unit) {
        if (levels.size() == first || !goes_on(levels.back(), src.stride(), dst.stride()))
            return levels.push_back({dim, extent, unit, src.stride(), dst.stride(), {}, {}});
        level &row = levels.back();
        row.extent = std::min(row.extent * extent, ceil_div(limits.store, row.unit));
    };
    dim_t unit = 1;
    for (;;) {
        const dim_t steps = ceil_div(limits.store, unit);
        if (steps <= 1) return;
        dim_t n;
        if (src.at_outer() && dst.at_outer()) {
            add(steps, unit);
            return;
        }
        if (src.at_outer())
            n = dst.left();
        else if (dst.at_outer())
            n = src.left();
        else
            n = std::gcd(src.left(), dst.left());
        if (n == 1) {
            if (drop_blocks(src, ceil_div(limits.load, unit), dst, steps)) continue;
            return add_irregular(levels, dim, unit, steps, src, dst);
        }
        add(std::min(n, steps), unit);
        src.advance(n);
        dst.advance(n);
        unit *= n;
    }
}

} // namespace

level in_groups(level l, dim_t steps) {
    l.extent = ceil_div(l.extent, steps);
    l.unit *= steps;
    l.src_stride = wrapping_mul(l.src_stride, steps);
    l.dst_stride = wrapping_mul(l.dst_stride, steps);
    l.param_stride_bytes *= steps;
    l.digit_steps *= steps;
    return l;
}

reorder_problem make_problem(
        const memory_desc &src, const memory_desc &dst, const attributes &attr) {
    require_fixed_layout(src, "src");
    require_fixed_layout(dst, "dst");
    if (src.ndims != dst.ndims || !std::equal(src.dims, src.dims + src.ndims, dst.dims))
        fail_invalid("src and dst differ in dims: " + dims_text(src) + " and " + dims_text(dst));
    const bool has_elements = !is_zero_sized(dst);
    dims_t blocks;
    block_sizes(dst, blocks);
    for (int d = 0; has_elements && d < dst.ndims; d++)
        if (repeats_blocks(dst, blocks, d))
            fail_invalid("dst has stride 0 in dimension " + std::to_string(d)
                    + ": its elements would be written more than once");

    reorder_problem p {};
    p.src_type = src.data_type;
    p.dst_type = dst.data_type;
    p.src_elem_bits = bits_of(src.data_type);
    p.dst_elem_bits = bits_of(dst.data_type);
    p.src_offset = src.offset0;
    p.dst_offset = dst.offset0;
    const memory_desc near_src = without_far_strides(src), near_dst = without_far_strides(dst);
    for (int d = 0; d < dst.ndims; d++) {
        p.limits.push_back({src.dims[d], dst.padded_dims[d]});
        if (has_elements) add_levels(p.levels, d, p.limits.back(), near_src, near_dst);
    }
    p.quant = resolve(attr, dst.ndims, dst.dims);
    p.src_has_gaps = has_elements && has_gaps(src);
    return p;
}

namespace {

std::string stride_text(dim_t stride, const std::vector<digit> &digits) {
    if (digits.empty()) return std::to_string(stride);
    std::string text = "(";
    for (const digit &g : digits)
        text += (g.extent ? std::to_string(g.extent) : "*") + ":" + std::to_string(g.stride) + " ";
    text.back() = ')';
    return text;
}

} // namespace

std::string to_text(const reorder_problem &p) {
    std::string text = std::string("problem ") + name_of(p.src_type) + " -> " + name_of(p.dst_type)
            + ", a stride counts " + std::to_string(p.src_elem_bits) + " / "
            + std::to_string(p.dst_elem_bits) + " bits\n" + to_text(p.quant, p.limits.size());
    for (size_t d = 0; d < p.limits.size(); d++) {
        text += "  dim " + std::to_string(d) + ": load " + std::to_string(p.limits[d].load)
                + ", store " + std::to_string(p.limits[d].store) + "\n";
        for (const level &l : p.levels)
            if (l.dim == int(d))
                text += "    extent " + std::to_string(l.extent) + " unit " + std::to_string(l.unit)
                        + " src_stride " + stride_text(l.src_stride, l.src_digits) + " dst_stride "
                        + stride_text(l.dst_stride, l.dst_digits) + "\n";
    }
    return text;
}

} // namespace tfmt
