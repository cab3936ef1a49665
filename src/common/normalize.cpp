// SPDX-License-Identifier: Apache-2.0
#include "common/normalize.hpp"

#include <algorithm>

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
    *out = {p.src_elem_bits / 8, p.src_offset, p.dst_offset, p.limits, p.levels, {}};
    if (p.src_elem_bits == 4) {
        out->elem_bytes = 1;
        return pair_nibbles(*out);
    }
    for (level &l : out->levels)
        for_each_stride(l, [&](dim_t &s) { s *= out->elem_bytes; });
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
                        || outer.dst_stride != inner.dst_stride * inner.extent)
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
    int conversion::*pair_level;
    const char *name;
};
const side src_side {&level::src_stride, &level::src_digits, &move_problem::src_offset_bytes,
        &conversion::src_pair_level, "src"};
const side dst_side {&level::dst_stride, &level::dst_digits, &move_problem::dst_offset_bytes,
        &conversion::dst_pair_level, "dst"};

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

bool scale_side(move_problem &p, const side &s, int elem_bits, std::string *why) {
    if (elem_bits == 4) return split_nibbles(p, s, why);
    for_each_address(p, s, [&](dim_t &n) { n *= elem_bits / 8; });
    return true;
}

bool normalize_conversion(const reorder_problem &p, move_problem *out, std::string *why) {
    const int src_bytes = std::max(1, p.src_elem_bits / 8);
    const int dst_bytes = std::max(1, p.dst_elem_bits / 8);
    *out = {std::min(src_bytes, dst_bytes), p.src_offset, p.dst_offset, p.limits, p.levels, {}};
    out->converts.src_type = p.src_type;
    out->converts.dst_type = p.dst_type;
    out->converts.src_elem_bits = p.src_elem_bits;
    out->converts.dst_elem_bits = p.dst_elem_bits;
    out->converts.at_load = src_bytes >= dst_bytes;
    drop_single_steps(*out);
    split_exact_dims(*out);
    fuse_neighbours(*out);
    return scale_side(*out, src_side, p.src_elem_bits, why)
            && scale_side(*out, dst_side, p.dst_elem_bits, why);
}

} // namespace

bool normalize(const reorder_problem &p, move_problem *out, std::string *why) {
    if (p.src_type != p.dst_type) return normalize_conversion(p, out, why);
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
                + std::to_string(limits.load) + " store " + std::to_string(limits.store) + "\n";
    }
    return text;
}

} // namespace tfmt
