// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/tile.hpp"

// In which order the levels around a tile are visited. In: the levels without the tile's bits, in
// any order, and how far each dimension is read and written. Out: the same levels, outer to inner,
// some of them cut in two (an outer level of blocks, an inner one within the block). A pure
// function; which memory pattern a reorder has, pattern_of in lay_out.cpp says.
namespace tfmt::cpu {

// How the bytes travel. Their blocks are the machine's or in tuning.hpp.
enum class memory_pattern {
    in_l2,                // everything stays near: the destination in the order of its addresses
    in_l2_mostly_written, // the same, and the destination is several times as large as the source
    beyond_l2, // blocks along the rows of the source, each fetching the source of the next one
    // the same in the order of the destination, which is several times as large as the source
    mostly_written,
    streamed,      // as beyond_l2, with stores that bypass the caches
    streamed_near, // the same where the last cache could hold both tensors
    staged,      // blocks that go through a scratch, each continuing the runs of the one before it
    staged_near, // the same with other blocks: where the last cache holds part of the tensors
    collected    // blocks that go through a scratch, along the rows of the source
};

struct loop_order {
    std::vector<level> levels; // outer to inner
    int n_block_levels;        // the last of them: a block, finished before the next one begins
    dim_t next_block_bytes;    // from the source of a block to the next that is read; 0: not known
    bool reads_on = false;     // the source is read in the order of its addresses
    bool reads_blocks_on = false; // what blocks read of it follows each other, at least
    bool reads_pieces_on = false; // small pieces of it do, read in any order each
    // So are lines of it, though not all that is in them; of patterns whose tiles may fetch.
    bool reads_on_over_gaps = false;
    // Lines of the source in the fullest set of L1 that streaming tiles read before the rest of
    // one; 0 if they read it at once.
    int n_src_lines_meanwhile = 0;
    // How far ahead tiles that fill a scratch fetch in each row of the source, of which a drain
    // then fetches only so much; 0: drains fetch all.
    dim_t fetched_ahead_bytes = 0;

    size_t first_of_block() const { return levels.size() - size_t(n_block_levels); }
};

// Bytes of a scratch from a run of so many bytes of a block to the next one.
dim_t scratch_row_bytes(dim_t run_bytes);

// The most lines of one set of L1 that those tiles write which complete one line of the source
// between them; 0 where a tile reads whole lines.
int written_lines_in_l1_set(
        const std::vector<level> &levels, const limit_list &limits, const tile &t);

// Of the machine only what it does with lines, rows and pages counts. `is_simple`: loops whose
// blocks do not nest are outside of all others, which makes fewer jobs.
loop_order order_levels(const std::vector<level> &levels, const limit_list &limits, const tile &t,
        memory_pattern pattern, const machine &m, bool is_simple = false);

} // namespace tfmt::cpu
