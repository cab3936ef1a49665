// SPDX-License-Identifier: Apache-2.0
#include "common/normalize.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "common/checked.hpp"
#include "common/data_type.hpp"

namespace tfmt {

namespace {

template <typename F>
void for_each_stride(level &l, F &&f) {
    f(l.src_stride);
    f(l.dst_stride);
    for (digit &g : l.src_digits)
        f(g.stride);
    for (digit &g : l.dst_digits)
        f(g.stride);
}

bool divides_dim(const move_problem &p, const level &run, dim_t factor) {
    const dim_limits &limits = p.limits[run.dim];
    return run.extent % factor == 0 && limits.load % factor == 0 && limits.store % factor == 0;
}

// Makes `factor` neighbouring steps of `run` one step. Strides keep their unit.
void merge_steps(move_problem &p, level &run, dim_t factor) {
    p.limits[run.dim].load /= factor;
    p.limits[run.dim].store /= factor;
    for (level &l : p.levels)
        if (l.dim == run.dim && l.unit > 1) l.unit /= factor;
    run.extent /= factor;
    run.src_stride *= factor;
    run.dst_stride *= factor;
}

// The level along which neighbours are neighbours on both sides, or null.
level *common_run(move_problem &p, dim_t elem_stride) {
    for (level &l : p.levels)
        if (l.unit == 1 && l.is_regular() && l.src_stride == elem_stride
                && l.dst_stride == elem_stride)
            return &l;
    return nullptr;
}

// Two nibbles become one byte where neighbours stay neighbours and everything else starts at whole
// bytes.
bool pair_nibbles(move_problem &p) {
    level *run = common_run(p, 1);
    if (!run || !divides_dim(p, *run, 2)) return false;
    merge_steps(p, *run, 2);
    bool even = p.src_offset_bytes % 2 == 0 && p.dst_offset_bytes % 2 == 0;
    for (level &l : p.levels)
        for_each_stride(l, [&](dim_t &s) { even = even && s % 2 == 0; });
    if (!even) return false;
    for (level &l : p.levels)
        for_each_stride(l, [](dim_t &s) { s /= 2; });
    p.src_offset_bytes /= 2;
    p.dst_offset_bytes /= 2;
    return true;
}

bool is_exact_single(const move_problem &p, const level &l) {
    const dim_limits &limits = p.limits[l.dim];
    return l.is_regular() && l.unit == 1 && limits.load == l.extent && limits.store == l.extent;
}

} // namespace

bool scale_to_bytes(const reorder_problem &p, move_problem *out) {
    *out = {p.src_elem_bits / 8, p.src_offset, p.dst_offset, p.limits, p.levels, {}, {},
            p.src_has_gaps};
    if (p.src_elem_bits == 4) {
        out->elem_bytes = 1;
        return pair_nibbles(*out);
    }
    for (level &l : out->levels)
        for_each_stride(l, [&](dim_t &s) { s = wrapping_mul(s, out->elem_bytes); });
    out->src_offset_bytes *= out->elem_bytes;
    out->dst_offset_bytes *= out->elem_bytes;
    return true;
}

void drop_single_steps(move_problem &p) {
    p.levels.erase(std::remove_if(p.levels.begin(), p.levels.end(),
                           [](const level &l) { return l.extent <= 1; }),
            p.levels.end());
}

void split_exact_dims(move_problem &p) {
    const size_t ndims = p.limits.size();
    for (size_t d = 0; d < ndims; d++) {
        dim_t product = 1;
        for (const level &l : p.levels)
            if (l.dim == int(d)) product *= l.extent;
        if (p.limits[d].load != product || p.limits[d].store != product) continue;
        for (level &l : p.levels) {
            if (l.dim != int(d)) continue;
            l.dim = int(p.limits.size());
            l.unit = 1;
            p.limits.push_back({l.extent, l.extent});
        }
        p.limits[d] = {1, 1};
    }
}

void fuse_neighbours(move_problem &p) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (level &outer : p.levels)
            for (level &inner : p.levels) {
                if (&outer == &inner || !is_exact_single(p, outer) || !is_exact_single(p, inner)
                        || outer.extent == 1 || outer.src_stride != inner.src_stride * inner.extent
                        || outer.dst_stride != inner.dst_stride * inner.extent
                        || outer.param_stride_bytes != inner.param_stride_bytes * inner.extent)
                    continue;
                inner.extent *= outer.extent;
                p.limits[inner.dim] = {inner.extent, inner.extent};
                outer.extent = 1;
                p.limits[outer.dim] = {1, 1};
                changed = true;
            }
        drop_single_steps(p);
    }
}

void widen_element(move_problem &p) {
    level *run = common_run(p, p.elem_bytes);
    if (!run) return;
    while (p.elem_bytes < max_elem_bytes && divides_dim(p, *run, 2)) {
        merge_steps(p, *run, 2);
        p.elem_bytes *= 2;
    }
    drop_single_steps(p);
}

namespace {

// One side of a problem whose sides are scaled apart.
struct side {
    dim_t level::*stride;
    std::vector<digit> level::*digits;
    dim_t move_problem::*offset;
    int conversion::*elem_bits;
    int conversion::*pair_level;
    const char *name;
};
const side src_side {&level::src_stride, &level::src_digits, &move_problem::src_offset_bytes,
        &conversion::src_elem_bits, &conversion::src_pair_level, "src"};
const side dst_side {&level::dst_stride, &level::dst_digits, &move_problem::dst_offset_bytes,
        &conversion::dst_elem_bits, &conversion::dst_pair_level, "dst"};

// f(stride) for all strides of the side, and its offset.
template <typename F>
void for_each_address(move_problem &p, const side &s, F &&f) {
    f(p.*s.offset);
    for (level &l : p.levels) {
        f(l.*s.stride);
        for (digit &g : l.*s.digits)
            f(g.stride);
    }
}

// Makes a level of its own of the two elements that share a byte, and bytes of all that is left.
bool split_nibbles(move_problem &p, const side &s, std::string *why) {
    const auto pair = std::find_if(p.levels.begin(), p.levels.end(), [&](const level &l) {
        return l.unit == 1 && l.is_regular() && l.*s.stride == 1 && divides_dim(p, l, 2);
    });
    const int index = int(pair - p.levels.begin());
    bool even = pair != p.levels.end();
    if (even) {
        (*pair).*s.stride = 0;
        for_each_address(p, s, [&](dim_t &n) { even = even && n % 2 == 0; });
    }
    if (!even) {
        *why = std::string("4-bit elements of ") + s.name
                + " that are not in pairs along one dimension, in whole bytes";
        return false;
    }
    for_each_address(p, s, [](dim_t &n) { n /= 2; });
    p.converts.*s.pair_level = index;
    if (pair->extent == 2) return true;
    level rest = in_groups(*pair, 2);
    rest.*s.stride = 1;
    pair->extent = 2;
    p.levels.insert(pair + 1, rest);
    if (&s == &dst_side && p.converts.src_pair_level > index) p.converts.src_pair_level++;
    return true;
}

bool scale_side(move_problem &p, const side &s, std::string *why) {
    const int elem_bits = p.converts.*s.elem_bits;
    if (elem_bits == 4) return split_nibbles(p, s, why);
    for_each_address(p, s, [&](dim_t &n) { n = wrapping_mul(n, elem_bits / 8); });
    return true;
}

// From this distance on two elements are in different lines, of 64 bytes. Time over memcpy, 1024 x
// 1024 with groups of 32, unpacked / as pairs of rows: bf16 to u4, ab -> ba 4.8 / 4.4, ab ->
// BA16a64b2a 3.7 / 3.3 (AVX2 7.0 / 5.8 and 6.0 / 4.5); u4 to bf16, ba -> ab 4.1 / 4.0, BA16a64b2a
// -> ab 4.2 / 3.2, ab -> ba 3.4 / 2.9. Within a line, ab -> BA16a64b2a: 4.2 / 7.7.
constexpr dim_t min_row_bytes = 64;

// Makes elements of the two that share a byte where they are in different lines of the other side,
// and bytes are on their own.
void pair_rows(move_problem &p) {
    conversion &c = p.converts;
    const side &narrow = c.at_load ? dst_side : src_side, &wide = c.at_load ? src_side : dst_side;
    const int index = c.*narrow.pair_level;
    if (index < 0 || c.*wide.elem_bits < 8 || c.steps.has_sum) return;
    const level pair = p.levels[size_t(index)];
    dim_limits &limits = p.limits[size_t(pair.dim)];
    if (pair.*wide.stride < min_row_bytes) return;
    bool has_run = false;
    for (const level &l : p.levels) {
        if (l.dim == pair.dim && l.unit > 1 && l.unit % 2) return;
        has_run = has_run || (l.is_regular() && l.*narrow.stride == 1);
    }
    if (!has_run) return;
    c.pairs_rows = true;
    c.row_bytes = pair.*wide.stride;
    c.row_param_bytes = pair.param_stride_bytes;
    c.*narrow.elem_bits = 8;
    c.*narrow.pair_level = -1;
    p.levels.erase(p.levels.begin() + index);
    limits = {limits.load / 2, limits.store / 2};
    for (level &l : p.levels)
        if (l.dim == pair.dim) l.unit /= 2;
}

// Indices of dimension `dim` that share the values of all parameters.
dim_t common_group(const quantization &q, int dim) {
    dim_t group = 0;
    for (int i = 0; i < n_parameters; i++) {
        const parameter &p = parameter_at(q, i);
        if (p.is_set && p.stride[dim] != 0) group = std::gcd(group, p.group[dim]);
    }
    return std::max<dim_t>(1, group);
}

// Dimensions by how far apart their groups begin on one side, the nearest first.
std::vector<int> dims_inner_first(const move_problem &p, const quantization &q, const side &s) {
    std::vector<int> dims(p.limits.size());
    std::iota(dims.begin(), dims.end(), 0);
    const auto stride_of = [&](int d) {
        const dim_t group = common_group(q, d);
        dim_t least = std::numeric_limits<dim_t>::max();
        for (const level &l : p.levels)
            if (l.dim == d && l.is_regular() && l.unit * l.extent > group)
                least = std::min(least, l.*s.stride * std::max<dim_t>(1, group / l.unit));
        return least;
    };
    std::stable_sort(
            dims.begin(), dims.end(), [&](int a, int b) { return stride_of(a) < stride_of(b); });
    return dims;
}

// Gives each level its stride in the parameter space. Levels that reach from one group into the
// next are cut at the border; false if that is not between two steps.
bool place_parameters(move_problem &p) {
    for (size_t i = 0; i < p.levels.size(); i++) {
        level &l = p.levels[i];
        const dim_t stride = p.parameters.stride_bytes[size_t(l.dim)];
        const dim_t group = p.parameters.group[size_t(l.dim)];
        if (stride == 0) continue;
        if (l.unit % group == 0) {
            l.param_stride_bytes = l.unit / group * stride;
            continue;
        }
        const bool is_top = i + 1 == p.levels.size() || p.levels[i + 1].dim != l.dim;
        const bool is_inside = l.unit < group && l.extent <= group / l.unit;
        if (is_inside && (is_top || group % (l.unit * l.extent) == 0)) continue;
        if (group % l.unit != 0 || !l.is_regular()) return false;
        level groups = in_groups(l, group / l.unit);
        groups.param_stride_bytes = stride;
        l.extent = group / l.unit;
        p.levels.insert(p.levels.begin() + dim_t(i) + 1, groups);
        i++;
    }
    return true;
}

// Numbers of these types are multiples of 2^-24 or more, and so are their differences with
// integers; products with f16 are 2^-48 or more, quotients by f16 2^-64. A sum with an integer is a
// multiple of the last place of what it is added to, so no less than 2^-88 unless it is 0.
bool makes_denormals(const reorder_problem &p) {
    const auto is_f16 = [](const parameter &s) { return !s.is_set || s.type == tfmt_f16; };
    const bool is_coarse = is_small_integer(p.src_type) || p.src_type == tfmt_f16
            || p.src_type == tfmt_f8_e5m2 || p.src_type == tfmt_f8_e4m3
            || p.src_type == tfmt_f4_e2m1 || p.src_type == tfmt_boolean;
    return !is_coarse || !is_f16(p.quant.src_scales) || !is_f16(p.quant.dst_scales)
            || p.quant.has_sum;
}

// Whether t / scale + zero point, rounded to a small integer, is the same when the quotient is a
// product with the reciprocal, t * r, rounded to a grid, and that grid. First, multiples of 2^-13.
//
// Let X and D be the integers of at most 11 bits that t and scale are but for powers of two, and h
// a number of halves, half an integer (a tie) or not. If t / scale is not h, it differs from h by a
// multiple of 1 / (2 D), or by one of (t / scale) / X; where ties matter (t / scale is about 0.5 or
// more) that is more than 2^-12.1. The product is off by 2^-23 of itself. In the range of small
// integers, with zero points of 8 bits, it is below 384, and so off by less than 2^-14.4, and the
// sum rounds by 2^-14. Together that is less than 2^-13: no quotient comes to a tie that is not
// one, nor across one; and what is a tie lies on the grid and less than half a step from the
// product. In f32, zero points rounded in between, quotients keep away from ties in the same way.
// Beyond the range both saturate. Zero, infinite and NaN scales have reciprocals with the same
// results. Of scales of all f16, reciprocals are normal numbers; bf16 has others.
//
// Where product and sum are one operation, only the reciprocal and the sum round.
//
// Checked for all values of bf16 and f16 with all f16 scales and ten zero points, both ways. bf16
// to u4 with one scale and zero point takes 0.85 of the time with vdivps on AVX-512, with groups
// 0.92.
//
// Where integers and zero points have 4 bits, the product is below 24, off by less than 2^-18.4,
// and a grid of 2^-16 is as good. Sums with that one have no more bits before the point than bf16
// has.
float grid_of(const reorder_problem &p) {
    const quantization &q = p.quant;
    const data_type_t scale = q.dst_scales.type;
    const bool is_short_scale = scale == tfmt_f16 || scale == tfmt_f8_e5m2 || scale == tfmt_f8_e4m3;
    const bool has_short_quotients = q.dst_scales.is_set && is_short_scale
            && is_small_integer(p.dst_type) && computing_type(p.src_type, p.dst_type) == tfmt_f32
            && p.src_type != tfmt_f32 && !q.src_scales.is_set && !q.src_zero_points.is_set
            && !q.has_sum
            && (!q.dst_zero_points.is_set || is_small_integer(q.dst_zero_points.type));
    if (!has_short_quotients) return 0;
    const bool are_of_4_bits = p.dst_elem_bits == 4
            && (!q.dst_zero_points.is_set || bits_of(q.dst_zero_points.type) == 4);
    return are_of_4_bits ? arithmetic::grid_of_4_bits : arithmetic::grid_of_8_bits;
}

bool add_arithmetic(const reorder_problem &p, move_problem *out, std::string *why) {
    arithmetic &steps = out->converts.steps;
    steps.computing_type = computing_type(p.src_type, p.dst_type);
    steps.takes_reciprocal = p.quant.takes_reciprocal;
    steps.has_sum = p.quant.has_sum;
    steps.sum_beta = p.quant.sum_beta;
    std::vector<dim_t> dims;
    for (const dim_limits &l : p.limits)
        dims.push_back(l.load);
    parameter_space &space = out->parameters;
    const side &converting = out->converts.at_load ? src_side : dst_side;
    if (!make_parameter_space(p.quant, steps.computing_type, dims,
                dims_inner_first(*out, p.quant, converting), &space)) {
        *why = "more parameter values than there are addresses";
        return false;
    }
    for (int i = 0; i < n_parameters; i++)
        steps.operands[size_t(i)] = {parameter_at(p.quant, i).is_set, space.array_of[i] < 0,
                space.array_of[i] < 0 ? 0 : space.array_of[i] * space.array_bytes};
    steps.makes_denormals = makes_denormals(p);
    const bool by_powers_of_two = p.quant.dst_scales.is_set && p.quant.dst_scales.type == tfmt_e8m0;
    steps.grid = grid_of(p);
    steps.multiplies_by_reciprocal = by_powers_of_two || steps.grid != 0;
    if (p.quant.dst_zero_points.is_set) steps.operands[dst_zero_point].added = steps.grid;
    if (steps.computing_type == tfmt_f32 && is_small_integer(p.src_type) && !p.quant.has_sum
            && p.quant.src_zero_points.is_set && is_small_integer(p.quant.src_zero_points.type))
        steps.operands[src_zero_point].added = 0x1p23f
                + (p.src_type == tfmt_s4                ? 8
                                : p.src_type == tfmt_s8 ? 128
                                                        : 0);
    if (place_parameters(*out)) return true;
    *why = "groups of a parameter that blocks of src or dst cut";
    return false;
}

bool normalize_conversion(const reorder_problem &p, move_problem *out, std::string *why) {
    const int src_bytes = std::max(1, p.src_elem_bits / 8);
    const int dst_bytes = std::max(1, p.dst_elem_bits / 8);
    *out = {std::min(src_bytes, dst_bytes), p.src_offset, p.dst_offset, p.limits, p.levels, {}, {},
            p.src_has_gaps};
    out->converts.src_type = p.src_type;
    out->converts.dst_type = p.dst_type;
    out->converts.src_elem_bits = p.src_elem_bits;
    out->converts.dst_elem_bits = p.dst_elem_bits;
    out->converts.at_load = src_bytes >= dst_bytes && !p.quant.has_sum;
    out->elem_bytes = out->converts.at_load ? dst_bytes : src_bytes;
    if (!p.quant.is_default() && !add_arithmetic(p, out, why)) return false;
    drop_single_steps(*out);
    split_exact_dims(*out);
    fuse_neighbours(*out);
    if (!scale_side(*out, src_side, why) || !scale_side(*out, dst_side, why)) return false;
    pair_rows(*out);
    return true;
}

} // namespace

// With r = 1 / s, q = t * r and what it leaves, e = t - q * s, the sum q + e * r is t / s, where r
// and all three steps round once. (Markstein, Computation of elementary functions on the IBM RISC
// System/6000 processor, 1990, theorem 2, for q within one last place of t / s. Of one pair in a
// hundred q is not; checked for all pairs of numbers of up to 12 bits, and in f32 for the quotients
// nearest to ties of all odd divisors.) For numbers of any size, that is: e must not be below the
// normal ones, nor q above the finite ones.
//
// Small integers saturate, so q may be bounded by 2^60, of either sign, before e is taken: beyond,
// the sum is as large or infinite, whatever zero point of 32 bits follows. And they need t / s in
// all its bits only where it is about 0.5 or more. With scales from 2^-60 on t is 2^-61 then, and e
// 2^-108 or more; what is smaller may lose e, to whatever the thread makes of denormal numbers, but
// stays far below 0.5. Up to 2^120 reciprocals are normal numbers. What else there is divides:
// scales that are zero, infinite, NaN, denormal.
//
// f32 to s8 with a scale for each channel, 4x64x28x28, takes 0.42 of the time with vdivps on
// AVX-512 of an Intel processor. (Not so with dividends below 2^-102: the step that makes a
// denormal e takes 150 cycles.) On AVX2 there rows took 0.8, but transposes 1.2; on a Zen 4 all
// 1.2. For one scale in 128, 64, 32, 16 elements and each one 0.95, 0.98, 1.06, 1.23, 3.2.
bool take_products(reorder_problem &p) {
    constexpr dim_t min_elems_of_scale = 64;
    const parameter &scales = p.quant.dst_scales;
    dim_t n_elems = 1;
    for (const dim_limits &l : p.limits)
        n_elems *= l.load;
    if (!scales.is_set || scales.type == tfmt_e8m0 || !is_small_integer(p.dst_type)
            || computing_type(p.src_type, p.dst_type) != tfmt_f32 || grid_of(p) != 0
            || scales.count > n_elems / min_elems_of_scale)
        return false;
    p.quant.dst_reciprocals = scales;
    return true;
}

bool are_tame(const float *scales, size_t n) {
    constexpr uint32_t magnitude = 0x7fffffff, smallest = (127 - 60) << 23,
                       largest = (127 + 120) << 23;
    bool are_all = true; // no branch: lanes of a vector
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        std::memcpy(&bits, scales + i, sizeof bits);
        bits &= magnitude;
        are_all &= bits - smallest <= largest - smallest;
    }
    return are_all;
}

bool normalize(const reorder_problem &p, move_problem *out, std::string *why) {
    if (p.src_type != p.dst_type || !p.quant.is_default()) return normalize_conversion(p, out, why);
    if (!scale_to_bytes(p, out)) return normalize_conversion(p, out, why);
    drop_single_steps(*out);
    split_exact_dims(*out);
    fuse_neighbours(*out);
    widen_element(*out);
    return true;
}

std::string to_text(const move_problem &p) {
    std::string text = "normalized: element " + std::to_string(p.elem_bytes)
            + " bytes, strides in bytes\n";
    for (const level &l : p.levels) {
        const dim_limits &limits = p.limits[l.dim];
        text += "  axis " + std::to_string(l.dim) + ": extent " + std::to_string(l.extent)
                + " unit " + std::to_string(l.unit) + " src_stride "
                + (l.is_regular() ? std::to_string(l.src_stride) : "irregular") + " dst_stride "
                + (l.is_regular() ? std::to_string(l.dst_stride) : "irregular") + " load "
                + std::to_string(limits.load) + " store " + std::to_string(limits.store);
        if (l.param_stride_bytes) text += " param_stride " + std::to_string(l.param_stride_bytes);
        text += "\n";
    }
    if (p.converts.pairs_rows)
        text += "  bytes of two elements, " + std::to_string(p.converts.row_bytes)
                + " bytes apart\n";
    return text;
}

} // namespace tfmt
