// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/plan/tile.hpp"

// Lines of both sides that runs and tiles leave in part, and rows whose lines share sets of an L1
// cache: what has to wait there for its rest, and what drives it out before that comes.
//
// Worked example: f32 1024 x 1024 transposed. 16 rows of the source, 4096 bytes apart, complete a
// line of the destination; all of them share one set.
namespace tfmt::cpu {

// Whether runs of so many bytes end within lines.
bool ends_within_lines(dim_t run_bytes);

// How many of so many rows, a few, `stride` bytes apart, share the fullest set of L1.
int rows_in_l1_set(dim_t stride, dim_t n_rows);

// How many lines of the source (or destination), one for each of these levels' steps of a line and
// more, or two if what is there `crosses` into the next line, share the fullest set of L1; counted
// until they crowd any.
int lines_in_l1_set(const std::vector<level> &levels, bool of_src, bool crosses = false);

// Of the rows of a side that `run`, contiguous on the other one, steps through, and `other`, the
// run of that side, does not.
int rows_in_l1_set(const move_problem &p, const bit_list &run, const bit_list &other, bool of_src);

// The same of the lines in which these rows begin.
int lines_in_l1_set(const move_problem &p, const bit_list &run, const bit_list &other, bool of_src);

// The most rows of the destination on one set of L1 that a line of the source goes to, and lines in
// which these begin.
int dst_rows_of_src_line(const move_problem &p);
int dst_lines_of_src_line(const move_problem &p);

// Whether no tile moves whole lines on both sides, and the rows that complete a line share sets of
// L1 on either: whatever comes first, the other side's lines are gone before they are complete.
bool needs_collecting(const move_problem &p, const machine &m);

// Whether a line of the destination comes from rows of the source that are far apart, and one of
// the source goes to such rows of the destination, also where these elements come in odd units of a
// few; false where elements are converted.
bool transposes_far_rows(const move_problem &p, const machine &m);

// Whether a scratch may be of whole vectors, and whether a transpose of lines is worth one.
bool may_use_lanes(const move_problem &p, const machine &m);
bool wants_lanes(const move_problem &p, const machine &m);
bool wants_staged_lanes(const move_problem &p, const machine &m); // past the caches

// Whether a tile loads a quarter of each line or less, holes and fillers included, of so many rows
// that share a set of L1 that the line is gone when its next part is wanted. Halves as well, if
// vectors are lines and the rows that the tile writes share a set too.
bool reads_lines_again(const tile &t);

// Lines of the source that the lanes of a vector of the destination come from.
int read_lines(const tile &t);

// Lines of the destination that a tile writes in part, for the next ones to complete.
int open_lines(const tile &t);

// Lines of the destination that tiles have begun before the first one is complete, with `levels`,
// outer to inner, around them; 0 if each tile completes its own; any number if that takes other
// loops than these, or a level whose steps are not equal.
dim_t lines_begun(const tile &t, const std::vector<level> &levels);

// Whether what tiles write in a row, with these levels around them, ends within a line before they
// go on elsewhere, or begins within one there: the rest of that line is written later. False for
// tiles with phases.
bool leaves_lines_in_part(
        const tile &t, const std::vector<level> &levels, const limit_list &limits);

// Whether the lines of the destination that a tile leaves in part are of rows whole lines apart,
// each on a set of L1 of its own, and it reads a quarter of each line and more, of rows few of
// which share a set.
bool opens_lines_apart(const tile &t);

// Lines of the destination that a tile stores to.
int written_lines(const tile &t);

// Whether rows of the destination that a tile stores to lie in different pages.
bool stores_to_pages(const tile &t);

// Whether elements that are neighbours on one side lie in different pages of the other.
bool transposes_pages(const tile &t);

// Whether rows of the source that a tile reads lie in different pages and begin within lines.
bool reads_odd_rows_in_pages(const tile &t);

// Whether a tile of vectors below a line stores whole lines of other rows than it reads.
bool stores_lines(const tile &t);

// Whether what a tile reads of each line is a quarter or less, and the level that it reads along
// goes on.
bool reads_on_in_lines(const tile &t, const std::vector<level> &levels);

// Whether tiles end within lines of the source, of which the next ones read the rest.
bool reads_odd_runs(const tile &t);

// Whether the rows that a tile reads share sets of L1, so many of them that lines are gone before
// the next tile, or none is left for what is written.
bool reads_colliding_rows(const tile &t);
bool stores_colliding_rows(const tile &t); // the same of those that it writes

// Whether the rows of the source that a tile of whole-line vectors reads fill so much of one set,
// of L1 by parts of lines or of L2 by whole ones, that what lies beside them is gone from it when
// tiles of other rows have come between.
bool fills_src_sets(const tile &t);

// How many of the destination's rows that a tile stores, by all of its registers, share the fullest
// set of L1.
int stored_rows_in_l1_set(const tile &t);

} // namespace tfmt::cpu
