// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/line_grid.hpp"

#include <algorithm>

#include "common/checked.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// The level of rows that lie whole lines apart; null if there is none, or not of them alone.
level *rows_of_whole_lines(move_problem &p, dim_t dst_elem_bytes) {
    level *row = nullptr;
    for (level &l : p.levels) {
        if (l.is_regular() && l.dst_stride == dst_elem_bytes && l.extent > 1)
            row = &l;
        else if (!l.is_regular() || l.dst_stride % tuning::line_bytes != 0)
            return nullptr;
    }
    return row;
}

// Whether an element on the way is one of the source and one of the destination. Parameters have
// nothing in front of theirs.
bool keeps_elements(const move_problem &p) {
    return p.src_elem_bits() >= 8 && p.dst_elem_bits() % (8 * p.elem_bytes) == 0
            && !p.converts.steps && !p.converts.pairs_rows;
}

} // namespace

bool begin_at_line(move_problem &p, dim_t bytes_behind_line) {
    const dim_t dst_elem_bytes = p.dst_elem_bits() / 8;
    if (!keeps_elements(p) || bytes_behind_line % dst_elem_bytes != 0) return false;
    const auto has_padding = [](const dim_limits &l) { return l.load != l.store; };
    if (std::any_of(p.limits.begin(), p.limits.end(), has_padding)) return false;
    level *row = rows_of_whole_lines(p, dst_elem_bytes);
    if (!row || row->unit != 1 || row->extent < tuning::min_bytes_of_rows_in_lines / dst_elem_bytes)
        return false;
    dim_limits &limits = p.limits[size_t(row->dim)];
    if (limits.load != row->extent) return false; // one of several levels
    const dim_t begin = bytes_behind_line / dst_elem_bytes;
    row->extent += begin;
    limits = {row->extent, row->extent, begin};
    p.src_offset_bytes = wrapping_add(p.src_offset_bytes, wrapping_mul(-begin, row->src_stride));
    p.dst_offset_bytes -= bytes_behind_line;
    p.dst_behind_line_bytes = bytes_behind_line;
    return true;
}

bool make_plan_behind_line(const move_problem &p, const machine &m, dim_t bytes_behind_line,
        const plan &for_any, plan *out) {
    move_problem in_lines = p;
    // Tiles that write less than a line of a row would not know which lines are written in part.
    return begin_at_line(in_lines, bytes_behind_line)
            && make_streamed_plan(in_lines, m, out, &for_any) && out->stores == store_path::streamed
            && open_lines(out->the_tile) == 0;
}

} // namespace tfmt::cpu
