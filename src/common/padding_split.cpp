// SPDX-License-Identifier: Apache-2.0
#include "common/padding_split.hpp"

#include <algorithm>

namespace tfmt {

namespace {

// How many indices of each dimension a line of the destination covers, which begins where all of
// them are 0. Empty if lines are not made of whole steps, or do not begin where blocks of that many
// indices do.
std::vector<dim_t> indices_of_line(const reorder_problem &p, dim_t line_elems) {
    std::vector<dim_t> covered(p.limits.size(), 1);
    dim_t n_elems = 1; // of the line, in one piece
    const auto continues = [&](const level &l) {
        return l.extent > 1 && l.is_regular() && l.dst_stride == n_elems
                && l.unit == covered[size_t(l.dim)];
    };
    while (n_elems < line_elems) {
        const auto next = std::find_if(p.levels.begin(), p.levels.end(), continues);
        if (next == p.levels.end()) return {};
        const dim_t steps = std::min(next->extent, ceil_div(line_elems, n_elems));
        if (line_elems % (n_elems * steps) != 0) return {};
        covered[size_t(next->dim)] *= steps;
        n_elems *= steps;
    }
    const auto is_line = [&](dim_t stride) { return stride % line_elems == 0; };
    for (const level &l : p.levels)
        if (l.unit >= covered[size_t(l.dim)]
                && !(is_line(l.dst_stride)
                        && std::all_of(l.dst_digits.begin(), l.dst_digits.end(),
                                [&](const digit &g) { return is_line(g.stride); })))
            return {};
    return covered;
}

} // namespace

bool split_padding(
        const reorder_problem &p, const memory_desc &dst, int line_bytes, padding_split *out) {
    const auto is_padded = [](const dim_limits &l) { return l.load < l.store; };
    if (std::none_of(p.limits.begin(), p.limits.end(), is_padded)) return false;
    const std::vector<dim_t> covered = indices_of_line(p, 8 * line_bytes / p.dst_elem_bits);
    if (covered.empty()) return false;
    *out = {p, make_padding_problem(dst), 0};
    double kept = 1;
    for (size_t d = 0; d < p.limits.size(); d++) {
        const dim_limits &l = p.limits[d];
        if (is_padded(l) && l.store % covered[d] != 0) return false;
        const dim_t reached = std::min(l.store, ceil_div(l.load, covered[d]) * covered[d]);
        out->data.limits[d].store = out->padding.limits[d].load = reached;
        kept *= double(reached) / double(l.store);
    }
    // Levels end with their dimension, or plans would count on steps that are not there.
    for (level &l : out->data.levels)
        l.extent = std::min(l.extent, ceil_div(out->data.limits[size_t(l.dim)].store, l.unit));
    out->share = 1 - kept;
    return kept < 1;
}

bool pads_whole_lines(const reorder_problem &p, int line_bytes) {
    const std::vector<dim_t> covered = indices_of_line(p, 8 * line_bytes / p.dst_elem_bits);
    if (covered.empty()) return false;
    for (size_t d = 0; d < p.limits.size(); d++) {
        const dim_limits &l = p.limits[d];
        if (l.load < l.store && (l.load % covered[d] != 0 || l.store % covered[d] != 0))
            return false;
    }
    return true;
}

} // namespace tfmt
