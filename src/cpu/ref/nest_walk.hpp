// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cpu/plan/segments.hpp"

// One thread's way through the levels of a problem, outer to inner, for code that is not generated.
// In: a problem in elements whose levels are ordered (order_for_walk). Out: calls of the visitor
// for runs of elements at one stride, which are neighbours along one logical dimension:
//   void data(dim_t src_offset, dim_t src_stride, dim_t dst_offset, dim_t dst_stride, dim_t n,
//           const run_place &at);
//   void padding(dim_t dst_offset, dim_t dst_stride, dim_t n);
// In plan_mode::padding_only the parts without padding are skipped and data() is never called.
namespace tfmt::cpu::ref {

// Where a run lies among the logical indices.
struct run_place {
    const dim_t *index; // of its first element, one a dimension
    int dim;            // along which it goes, one index an element
};

// Below this many elements a run costs more to begin than to convert (measured on u8 -> f16 into
// nChw16c with 3 channels: 22 ns an element in runs of 3, 4 in runs of 240).
constexpr dim_t short_run = 32;

// Outer to inner by destination stride; within a dimension that is from outer blocks to inner ones.
// If the innermost run is short, the longest of the others goes innermost instead.
inline void order_for_walk(reorder_problem &p) {
    auto key = [](const level &l) {
        return l.is_regular() ? l.dst_stride : l.dst_digits.front().stride;
    };
    std::vector<level> &levels = p.levels;
    std::stable_sort(levels.begin(), levels.end(),
            [&](const level &a, const level &b) { return key(a) > key(b); });
    if (levels.empty() || levels.back().extent >= short_run) return;
    // The lowest level of a dimension is the one whose steps are single elements.
    auto run_length = [](const level &l) { return l.unit == 1 && l.is_regular() ? l.extent : 0; };
    const auto longest = std::max_element(levels.begin(), levels.end(),
            [&](const level &a, const level &b) { return run_length(a) < run_length(b); });
    if (run_length(*longest) >= short_run) std::rotate(longest, longest + 1, levels.end());
}

// Steps of the outermost level: what threads share among themselves.
inline dim_t outermost_steps(const reorder_problem &p) {
    if (p.levels.empty()) return 1;
    const level &l = p.levels[0];
    return (p.limits[l.dim].store + l.unit - 1) / l.unit;
}

template <typename Visitor>
class nest_walk {
public:
    nest_walk(const reorder_problem &p, plan_mode mode, Visitor &visitor)
        : p_(p), mode_(mode), visitor_(visitor) {
        std::copy(p.limits.begin(), p.limits.end(), limits_);
    }

    // Steps [begin, end) of the outermost level.
    void run(dim_t begin, dim_t end) {
        if (p_.levels.empty()) return walk(0, p_.src_offset, p_.dst_offset);
        const level &l = p_.levels[0];
        for (const segment &s : split(l.unit, limits_[l.dim], in_padding_)) {
            const dim_t first = std::max(begin, s.first);
            const dim_t last = std::min(end, s.first + s.count);
            if (first < last) walk_segment(0, s, first, last - first, p_.src_offset, p_.dst_offset);
        }
    }

private:
    bool has_work() const {
        return mode_ == plan_mode::move || in_padding_
                || std::any_of(limits_, limits_ + p_.limits.size(),
                        [](const dim_limits &l) { return l.load < l.store; });
    }

    void visit(dim_t src_offset, dim_t src_stride, dim_t dst_offset, dim_t dst_stride, dim_t n,
            int dim) {
        if (in_padding_)
            visitor_.padding(dst_offset, dst_stride, n);
        else if (mode_ == plan_mode::move)
            visitor_.data(src_offset, src_stride, dst_offset, dst_stride, n, {index_, dim});
    }

    void walk(size_t depth, dim_t src_offset, dim_t dst_offset) {
        if (!has_work()) return;
        if (depth == p_.levels.size()) return visit(src_offset, 0, dst_offset, 0, 1, 0);
        const level &l = p_.levels[depth];
        for (const segment &s : split(l.unit, limits_[l.dim], in_padding_))
            walk_segment(depth, s, s.first, s.count, src_offset, dst_offset);
    }

    // Steps first .. first + count - 1 of the level at `depth`, all in segment `s`. The state of
    // the dimension is undone on the way back.
    void walk_segment(size_t depth, const segment &s, dim_t first, dim_t count, dim_t src_offset,
            dim_t dst_offset) {
        const level &l = p_.levels[depth];
        const dim_limits saved_limits = limits_[l.dim];
        const bool saved_padding = in_padding_;
        const dim_t saved_index = index_[l.dim];
        limits_[l.dim] = s.below;
        in_padding_ = in_padding_ || s.is_padding;
        index_[l.dim] += first * l.unit;
        if (depth + 1 == p_.levels.size() && l.is_regular() && l.unit == 1)
            visit(src_offset + first * l.src_stride, l.src_stride,
                    dst_offset + first * l.dst_stride, l.dst_stride, count, l.dim);
        else
            for (dim_t i = first; i < first + count; i++, index_[l.dim] += l.unit)
                walk(depth + 1, src_offset + src_offset_of(l, i), dst_offset + dst_offset_of(l, i));
        index_[l.dim] = saved_index;
        limits_[l.dim] = saved_limits;
        in_padding_ = saved_padding;
    }

    const reorder_problem &p_;
    const plan_mode mode_;
    Visitor &visitor_;
    dim_limits limits_[TFMT_MAX_NDIMS] = {};
    dim_t index_[TFMT_MAX_NDIMS] = {}; // of the next element, as far as the levels above say
    bool in_padding_ = false;
};

} // namespace tfmt::cpu::ref
