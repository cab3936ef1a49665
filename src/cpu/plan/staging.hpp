// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/tile.hpp"

// A block of a move goes through a scratch buffer in the nearest caches: the tiles are stored there
// in rows, each of which is one run of the destination, and drained to it in whole lines, whatever
// the alignment of its rows is. While a block drains, the source of the next one is fetched.
//
// In: the order of the loops. Out: where the tile's bits and the block's levels lie in the scratch,
// the levels of the drain, and the lines to fetch.
//
// Worked example: f32 ab -> ba of 300 x 301, block of 64 a x 128 b. The destination's rows are 1200
// bytes apart. Scratch: 128 rows of 64 + 256 bytes (the first line of each is for what an earlier
// drain has kept back); b strides 320 bytes, a 4. A drain writes 128 runs of 256 bytes; the next
// block continues each of them.
namespace tfmt::cpu {

// `n_rows` times `n_lines` lines one behind the other.
struct line_rows {
    dim_t offset_bytes;
    dim_t n_rows;
    dim_t step_bytes; // from one row to the next
    dim_t n_lines;    // of a row
};
using line_list = std::vector<line_rows>;

dim_t count_lines(const line_list &lines);

// How many of them share the fullest set of an L2 of so many bytes.
int lines_in_l2_set(const line_list &lines, size_t l2_bytes);

// Steps of what a scratch drains.
struct scratch_level {
    dim_t extent, scratch_stride_bytes, dst_stride_bytes;
};

// How a scratch of whole vectors is drained (lane_drain.hpp).
struct lane_staging {
    std::vector<dim_t> dst_strides_bytes; // of the bits of a lane's number; none: no lanes
    scratch_level row {};                 // from vector to vector, 16 bytes in the destination
    std::vector<scratch_level> around;    // inner to outer

    int n_lanes() const { return 1 << dst_strides_bytes.size(); }
    explicit operator bool() const { return !dst_strides_bytes.empty(); }
};

struct staging {
    dim_t scratch_bytes = 0;          // 0: the tiles are stored where they belong
    stride_list bit_strides;          // of the tile's bits, in the scratch
    std::vector<dim_t> level_strides; // of the block's levels, in the scratch
    std::vector<level> drain_levels;  // outer to inner; src_stride is of the scratch
    lane_staging lanes;               // of a scratch of whole vectors, in place of these levels
    bool is_chained = false;    // the level around the block continues the runs of the block before
    line_list lines;            // of the block's source, each once; none if they are too many
    dim_t next_block_bytes = 0; // to the source of the next block; 0: not known
    dim_t next_chain_bytes = 0; // to that of the next chain, from the first block of one

    explicit operator bool() const { return scratch_bytes > 0; }
};

// How many steps of a level of the problem the tile and the block of `order` have, if there are so
// many.
dim_t steps_in_block(
        const move_problem &p, const tile &t, const loop_order &order, size_t level_index);

// The lines of the source of the block of `order`.
line_list lines_of_block(const move_problem &p, const tile &t, const loop_order &order);

// Where the next block and the next chain are, and whether the level around the block continues
// its runs, of so many bytes, which are chained then; 0: they are not.
void continue_with_next(staging &s, const loop_order &order, dim_t chained_run_bytes);

// The scratch of the block of `order`; none where the block does not fit it or the destination has
// no runs worth collecting. `stores`: a way through a scratch. Staged runs may be chained:
// what is left of a line waits for the next block. `fetches`: whether the source's lines are
// listed.
staging make_staging(const move_problem &p, const tile &t, const loop_order &order,
        store_path stores, bool fetches = true);

} // namespace tfmt::cpu
