// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "cpu/plan/loop_order.hpp"

// Blocks around a tile: which levels, or steps of them, are finished before the next block begins.
// A block starts as one tile and takes levels from around it that go on where its run of the source
// or of the destination ends.
//
// Worked example: f32 ab -> ba of 1024 x 1024, tiles of 16 x 16. grow_src(256) takes 4 of the 64
// groups of b, grow_dst(512) 8 of those of a: blocks of 128 a x 64 b, around which 8 and 16 groups
// are left.
namespace tfmt::cpu {

// The levels in four groups: those between the blocks, of these the ones within a block of pages,
// those within a block, and of these the ones that complete the lines of a tile, to which its
// phases belong.
class blocking {
public:
    // `levels`: without the tile's bits, in any order. `min_sunk_call_bytes`: what loops whose
    // blocks do not nest leave a call of a kernel where they are inside of others.
    blocking(const std::vector<level> &levels, const limit_list &limits, const tile &t,
            dim_t min_sunk_call_bytes);

    // A tile that reads (writes) less than a line: the rest of the line comes next, while it is in
    // L1, and so do further lines of the source, if so many are read together.
    void complete_lines(bool of_src, bool of_dst, int n_src_lines = 1);

    // The lines of the destination that tiles write which complete one line of the source between
    // them, with the block's levels so far: how many share the fullest set of L1, and whether these
    // tiles leave them in part.
    struct lines_written {
        int in_l1_set;
        bool in_part;
    };
    lines_written written_between_src_lines() const;

    // The lines of the source that are read in the order of the destination before more is read of
    // the first one: how many share the fullest set of L1, 0 if there is no more of it, and how far
    // tiles that read it to its end reach in the destination.
    struct lines_read {
        int in_l1_set;
        dim_t dst_span_bytes;
    };
    lines_read read_between_src_lines() const;

    // From here on gaps of less than a line between rows of the source count as such if something
    // is read there, where L1 holds what is then written until a line of it is complete.
    void fill_src_gaps();

    // From here on steps along the destination are whole lines where that is possible.
    void cut_dst_at_lines() { ends_at_lines_ = true; }

    // Lets the block grow along the source (or destination) until what it covers there in one piece
    // reaches `target_bytes`, or the block `max_bytes`.
    void grow_src(dim_t target_bytes, dim_t max_bytes = no_limit);
    void grow_dst(dim_t target_bytes, dim_t max_bytes = no_limit);

    // To a half of `target_bytes`, a quarter and so on, as long as the block would touch
    // `min_lines` lines of the other side in one set of L1, or more.
    void grow_in_l1(bool of_src, dim_t target_bytes, int min_lines);

    // To a half of `target_bytes` and so on, but `min_bytes` at least, where L1 would not hold the
    // lines of the source that the block touches; unless rows of the destination begin within
    // lines, of which parts would be left.
    void grow_dst_in_l1(dim_t target_bytes, dim_t min_bytes, dim_t max_bytes);

    // Takes all of levels that go on where the destination's run ends, until it has `target_bytes`,
    // where it then has `max_dst_bytes` at most and the block stays small: what completes rows of
    // the destination leaves fewer of them begun, and the next block often goes on where this one
    // ends.
    void take_whole_dst(dim_t target_bytes, dim_t max_dst_bytes);

    // Takes steps of padding that go on where the tile's run of the destination ends.
    void take_padding();

    // What a block of a scratch that goes past the caches should have: bytes of the destination's
    // runs and of the source's, and in all; and from how long runs on, if these are whole lines,
    // it is not chained where a chain reads many pages.
    struct staged_block {
        dim_t dst_bytes, src_bytes, bytes, min_unchained_lines_bytes = no_limit;
    };

    // Blocks of a scratch, each of which continues the runs of the one before it, but for long runs
    // from many pages.
    void stage(const staged_block &goal, const machine &m);

    // Such blocks of `block_bytes` of whole pieces that follow each other in both tensors and are
    // permuted each by itself, as a batch of small matrices is. False if there are no such pieces,
    // and then of no use any more.
    bool stage_pieces(dim_t block_bytes);

    // Blocks of a scratch that are not continued: so many bytes of the destination's runs, whole
    // lines of them, of so many lines of each row of the source; `block_bytes` in all, more where
    // the runs would be short.
    void collect(dim_t dst_bytes, dim_t block_bytes, int n_src_lines);

    // Blocks of blocks, for fewer of them, with so much of the rows of both sides. The sizes stay
    // those of a block.
    void page(dim_t src_bytes_in_page, dim_t dst_bytes_in_page);

    // The blocks in the order of their addresses in src (or dst), the tiles in that of dst, or of
    // src where its lines would else be gone before they are complete.
    void sort(bool blocks_by_src);

    // That the block covers in one piece; of the source with gaps of less than a line.
    dim_t dst_bytes() const { return dst_bytes_; }
    dim_t src_row_bytes() const { return whole_run_in_block(src_bytes_, true); }

    // Bytes of one row of the destination that the blocks of a chain continue each other in.
    dim_t chained_dst_bytes() const;

    // Bytes of a block that covers what it does now of each of so many rows of the source.
    dim_t bytes_of_src_rows(int n_rows) const;

    // Rows of the destination that are written before more is written of the first one, in the
    // order of sort(true), where these are so far apart; 0 if they are not.
    dim_t written_rows() const;

    // Lines of one side in the fullest set of L1, one of each row that is visited before the next
    // line of a row, or one of its page, in the present order.
    int lines_in_turn(bool of_src) const;

    loop_order order() const; // but for reads_on_over_gaps and n_src_lines_meanwhile

    // Lines of the source in the fullest set of L1 that tiles read, in this order(), before more of
    // the first one; 0 if they read lines whole or nothing goes on there.
    int src_lines_meanwhile(const loop_order &order) const;

    // Whether runs of the source are read at equal distances, of no more than two lines, in the
    // order of their addresses; in any order within a tile and within a small block.
    bool reads_on_over_gaps() const;

    static constexpr dim_t no_limit = std::numeric_limits<dim_t>::max();
    static constexpr dim_t never_sink = no_limit; // those loops are outside of all others

private:
    // blocking.cpp: what a block covers.
    struct growth {
        dim_t target_bytes;                    // of a run
        dim_t max_bytes = no_limit;            // of the block
        dim_t max_whole_bytes = 0;             // of a run for which a level is taken whole
        dim_t max_whole_bytes_of_few_rows = 0; // the same, if the block then has few src rows
        dim_t max_few_rows = 0;
        dim_t max_bytes_of_whole = 0; // of the block with all of such a level, if that is more
    };
    void take_phases();
    dim_t grow(dim_t run_bytes, bool of_src, const growth &to);
    dim_t take_next(dim_t run_bytes, bool of_src, const growth &to);
    bool takes_all_steps(const level &l, dim_t run_bytes, const growth &to) const;
    dim_t whole_lines(size_t next, dim_t steps, dim_t max_bytes) const;
    void take_levels(const std::function<bool(const level &)> &wanted);
    void take_levels_behind_dst(const std::function<bool(const level &)> &wanted);
    void take_steps(size_t i, dim_t steps);
    static dim_t equal_steps(dim_t extent, dim_t max_steps);
    bool may_join_block(const level &l) const;
    bool keeps_all_lines() const;
    static bool is_behind(const level &l, dim_t run_bytes, bool of_src, dim_t gap_bytes = 0);
    bool has_src_behind(dim_t run_bytes) const;
    dim_t extended_in_block(dim_t run_bytes, bool of_src, dim_t gap_bytes) const;
    dim_t whole_run_in_block(dim_t run_bytes, bool of_src) const;
    dim_t src_rows_with(const level &next) const;
    std::vector<level> levels_in_block() const;
    int block_lines_in_l1_set(bool of_src) const;
    growth in_l1(bool of_src, growth to, dim_t min_bytes, int min_lines) const;
    int touched_lines_in_l1_set(std::vector<level> levels, bool of_src) const;

    // blocking_order.cpp: in which order.
    void sink_driver_levels(bool by_src);
    bool stores_into_caches() const { return !uses_scratch_ && !ends_at_lines_; } // in place
    bool fills_scratch_by_src() const;
    bool loses_src_lines_by_dst() const;
    const level *next_read() const;
    dim_t block_src_bytes() const;
    bool is_row() const;

    // blocking_scratch.cpp: blocks that go through a scratch.
    dim_t take_runs(const growth &dst, bool reads_lines_at_once, int n_src_lines);
    void reach_dst(dim_t min_bytes, dim_t block_bytes);
    void join_dst_runs(const growth &dst);
    const level *next_piece(dim_t block_bytes) const;
    dim_t bytes_in_scratch(dim_t scratch_bytes, dim_t run_bytes) const;
    void put_continuation_last();
    bool may_be_last(size_t i) const;
    void sort_above_chain();
    ptrdiff_t n_chain_levels() const;
    dim_t chained_src_pages() const;
    bool is_better_unchained(dim_t run_bytes, dim_t min_lines_bytes) const;

    int widest_elem_bits() const;

    const std::vector<level> all_;
    const limit_list &limits_;
    const tile &t_;
    const dim_t min_sunk_call_bytes_;
    std::vector<level> outer_, pages_, inner_, line_;
    std::vector<level> tile_;                                 // its bits
    dim_t bytes_;                                             // of a block
    dim_t src_bytes_, dst_bytes_;                             // that a block covers in one piece
    const dim_t src_run_bytes_, tile_bytes_, tile_src_bytes_; // of the tile
    bool ends_at_lines_ = false, uses_scratch_ = false, fills_src_gaps_ = false;
};

} // namespace tfmt::cpu
