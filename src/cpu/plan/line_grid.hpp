// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/plan/plan.hpp"

// Stores that bypass the caches, for destinations that begin within a line, as malloc's large
// blocks do, 16 bytes behind one. Where rows are whole lines, each begins as far behind one. So the
// rows' dimension is given as many indices in front as lie between, which do not exist: tiles begin
// where lines do, and but for the first and the last of a row nothing is different from a
// destination that begins with a line. The lines that two rows share are written in part, through
// the caches.
//
// Worked example: f32 ab -> ba of 384 x 1000, 16 bytes behind a line: rows of 1536 bytes become
// 4 + 384 indices, tiles of 16: one of which 12 exist, 23 whole ones, one of 4. The source is
// counted from 4 of its rows before the first, the destination from 16 bytes before it.
namespace tfmt::cpu {

// The problem with such indices. False, with `p` as it was, where rows are not whole lines, are
// short or have padding, elements do not begin at multiples of their width, or are computed with.
bool begin_at_line(move_problem &p, dim_t bytes_behind_line);

// The plan for destinations that begin, with the problem's offset, so many bytes behind a line (1
// to 63), where there is one. `for_any`: the one of make_plan.
bool make_plan_behind_line(const move_problem &p, const machine &m, dim_t bytes_behind_line,
        const plan &for_any, plan *out);

} // namespace tfmt::cpu
