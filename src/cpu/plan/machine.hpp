// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "tensorfmt/tensorfmt.h"

#include "cpu/plan/tuning.hpp"

// Everything a plan may know of the machine. Passed in, never asked for, so that the plans and
// kernels of any machine are made and checked on any other.
namespace tfmt::cpu {

struct machine {
    tfmt_cpu_isa_t isa = tfmt_cpu_isa_none;
    bool has_vbmi = false; // byte-granular permutes (vpermb, vpermt2b)
    bool has_bf16 = false, has_fp16 = false;
    // Whether quotients of f32 take longer than products corrected by what they leave (AVX-512
    // only), and dot products of bf16 longer than what else adds two of them.
    bool has_slow_quotients = false, has_slow_bf16_dots = false;
    // How far ahead tiles that store past the caches fetch a source that they read in the order of
    // its addresses; 0: the core does.
    dim_t fetched_stream_bytes = 0;
    // Whether a line is brought to L1 for a store only when it is the store's turn to be written.
    bool fetches_stores_late = false;
    // How far behind their stores tiles that write on in the order of the addresses claim lines of
    // a large destination, which is then not written past the caches; 0: those of the stores. Other
    // tiles claim the next line of each row (tuning::claimed_ahead_bytes_of_skylake).
    dim_t claimed_ahead_bytes = 0;
    // Whether stores across two lines are so slow that halves of vectors, every other of which
    // stays within a line, are better for rows that begin anywhere in one
    // (tuning::max_crossing_elem_bytes).
    bool has_slow_line_crossings = false;
    // Moved bytes from which on short runs of narrow elements count among these.
    dim_t min_moved_bytes_of_crossing_runs = 0;
    // Bytes of the source's rows from which on lines are better stored past the caches by the
    // vectors of one tile, where a vector is less than a line, than in other ways; 0: never.
    dim_t min_src_bytes_of_streamed_lines = 0;
    // Rows of the source that share a set of L1 and are read for such a line, at the most.
    int max_src_rows_of_streamed_lines = std::numeric_limits<int>::max();
    // Bytes of elements from which on they are within the caches, too, where rows of the
    // destination collide.
    int min_elem_bytes_of_whole_lines = 1;
    // Whether lines sent past the caches in parts, at the ends of what tiles write in a row, cost
    // more than lines brought to the caches for it.
    bool sends_parts_slowly = false;
    // Whether beyond L2 tiles that write whole lines better have fewer rows of the destination than
    // fill a set of L1, of pieces of the source.
    bool narrows_tiles = false;
    int vector_bytes = 0; // that plans use: the registers' or half of it; 0: no JIT for this ISA
    int n_vector_regs = 0;
    // Moved bytes up to which vectors of half the length may be faster, where the core executes
    // whole ones as two; 0: it does not.
    dim_t max_split_moved_bytes = 0;
    size_t l2_bytes = 1 << 20;
    size_t l3_bytes = 32 << 20; // the cache before memory
    // Source and destination over the latter from which on the destination is written past it.
    double streaming_share_of_cache = tuning::streaming_share_of_cache;
    // The same where blocks would be collected otherwise, if that is less.
    double streaming_share_of_collected = std::numeric_limits<double>::infinity();
    // The same where lines of each side come from rows of the other that are far apart.
    double streaming_share_of_transposes = std::numeric_limits<double>::infinity();
    // How many times padding counts in these beyond the once that it is written.
    double streaming_weight_of_padding = 0;
    // A destination that is so many times the source, or more, stays in the caches: it is padding
    // but for that.
    double max_streamed_dst_over_src = std::numeric_limits<double>::infinity();
    // Rows, far apart, of a source that are read ahead of at once and of a destination that are
    // written in turns at full speed; 0: no limit worth keeping to.
    int read_ahead_rows = 0, max_written_rows = 0;
    int read_ahead_rows_near = 0; // where the last cache could hold both tensors
    // Of a source whose elements keep their size, in either case; 0: as of others.
    int read_ahead_rows_of_moves = 0;
    int max_copied_rows = 0; // written in turns, where they are copied as they are
    // Rows of a source in the caches beyond L2 that are copied from in turns, along the
    // destination, if they are long.
    int max_read_rows = 0;
    // Most rows of one set of L1 in which tiles write padding at full speed, so that beyond L2 a
    // pass of its own costs more than it saves but for nearly all; 0: as many as of data.
    int max_padded_rows = 0;
    // Share of the last cache up to which a source is so near that tiles that store to fewer lines
    // than these read it as fast without fetching it.
    double unfetched_share_of_cache = 0;
    int min_lines_to_fetch_near = tuning::min_lines_to_fetch_near;
    // Whether one that spans more than that share, or is converted, is fetched all the same.
    bool fetches_sparse_or_converted = false;
    // Share from which on a source of which each tile reads parts of lines is fetched all the same,
    // by tiles that do not bypass the caches.
    double min_refetched_share_of_cache = tuning::min_refetched_share_of_cache;
    // Rows of the source on one set of L1 of which tiles with values on the stack may read whole
    // vectors.
    int max_spilled_src_rows = tuning::max_spilled_src_rows;
    // Lines of the source in one set of L1 from which on, within L2, they are better not visited in
    // turns; 0: any number may be.
    int min_lines_in_turn = tuning::min_lines_in_turn;
    // Bytes of a row of a source in the caches beyond L2 that are best read before the next row's.
    dim_t block_src_bytes = tuning::block_src_bytes;
    // The same at the least where tiles copy parts of lines as they are.
    dim_t block_src_bytes_of_parts = 0;
    // Bytes of the destination's runs up to which a block there has all of a level.
    dim_t max_whole_dst_bytes = tuning::max_whole_dst_bytes;
    // Lines of a row of a source beyond L2 that are best read one right after the other.
    int paired_lines = 1;
    // Pairs of a row of each side, all in one set of L1 on its side, from which plain transposes
    // beyond L2 are better collected in a scratch.
    int min_row_pairs_to_collect = tuning::min_row_pairs_to_collect_transposed;
    // Of elements of at most so many bytes (0: of none), from so many moved bytes on, a scratch may
    // be of whole vectors, whose lanes its drains exchange.
    int max_elem_bytes_in_lanes = 16;
    dim_t min_moved_bytes_in_lanes = tuning::min_moved_bytes_in_lanes;
    // Rows of the destination on one set of L1 that tiles write one behind the other, and lines
    // there that complete one of the source between them, from which on they are better collected
    // whatever the source's rows do; 0: not for these alone.
    int min_crowding_rows = 0, min_crowding_lines = 0;
    // Unless elements are converted, up to so many times L2 fewer of these rows.
    double max_times_l2_of_crowding_moves = 0;
    int min_crowding_rows_of_moves = tuning::min_crowding_rows_of_moves;
    // Of larger ones of elements of so many bytes and more as few, but only by those of a tile.
    int min_elem_bytes_of_crowding_rows = std::numeric_limits<int>::max();
    // Collected blocks: from how many moved bytes on there are any; bytes of each run of the
    // destination, of all of a block, lines of each row of the source, and from how many moved
    // bytes on, beyond L2, what the next one reads is fetched while it is drained.
    dim_t min_collected_bytes = tuning::min_collected_bytes;
    dim_t collected_dst_bytes = tuning::collected_dst_bytes;
    dim_t collected_block_bytes = tuning::staged_block_bytes;
    int collected_paired_lines = tuning::scratch_paired_lines;
    dim_t min_fetched_collected_bytes = 0;
    // Share of the last cache from which on lines are asked for twice, since the core drops some of
    // what it is asked for: by two tiles, or by drains and tiles.
    double fetched_twice_share_of_cache = std::numeric_limits<double>::infinity();
    // Lines that a tile may leave in part where it stores past the caches, if it could go through a
    // scratch; and where rows lie in different pages.
    int max_open_lines = tuning::max_open_lines;
    int max_open_lines_in_pages = tuning::max_open_lines;
    bool ignores_pages_of_lines_apart = false; // the latter is not for opens_lines_apart()
    // Scratch up to which blocks that go past the caches take more of the source's rows; 0: none.
    size_t l2_scratch_bytes = 0;
    // A larger one, up to which they do until they have whole lines of each; 0: none.
    size_t l2_scratch_bytes_for_lines = 0;
    // Bytes of such a block where the last cache could hold source and destination.
    dim_t staged_near_block_bytes = tuning::staged_near_block_bytes;
    // Bytes of such a block of pieces that are permuted each by itself; 0: as others.
    dim_t piece_block_bytes = 0;
    // Length up to which such blocks have all of a row of the destination, if they then read few
    // rows of the source; 0: as of any number of rows.
    dim_t staged_whole_dst_bytes = 0;
    // Runs of whole lines from which on such blocks, where the last cache could not hold both, are
    // not chained through many pages; at the most: never.
    dim_t min_unchained_lines_bytes = std::numeric_limits<dim_t>::max();

    // Tiles get as few registers as where there are no more than 16.
    void use_16_registers() {
        if (n_vector_regs > 16) n_vector_regs = 16;
    }

    // The habits of cores that fetch ahead of many rows at once, Intel's.
    void read_many_rows_ahead() {
        read_ahead_rows = tuning::read_ahead_rows_of_intel;
        read_ahead_rows_near = tuning::read_ahead_rows_near_of_intel;
        max_written_rows = tuning::max_written_rows_of_intel;
        max_copied_rows = tuning::max_copied_rows_of_intel;
        max_read_rows = 0;
        block_src_bytes = tuning::block_src_bytes_of_intel;
        paired_lines = tuning::paired_lines_of_intel;
        min_src_bytes_of_streamed_lines = vector_bytes / 2;
    }

    // Whether vectors are executed as two of half the length.
    bool splits_vectors() const { return max_split_moved_bytes > 0; }

    // Whether these are, and no halves already.
    bool executes_vectors_as_two() const {
        return splits_vectors() && vector_bytes == register_bytes();
    }

    // Of the ISA, whatever vectors plans use; conversions store so much at once.
    int register_bytes() const {
        if (has_masks()) return 64;
        return isa >= tfmt_cpu_isa_avx2 ? 32 : 16;
    }

    // AVX-512: whether loads and stores of some bytes of a vector are one instruction, as are
    // permutes of two registers by index vectors (vpermt2w/d/q).
    bool has_masks() const { return isa >= tfmt_cpu_isa_avx512_core; }

    // Whether any order of the elements of a vector takes one instruction.
    bool can_permute(int elem_bytes) const { return has_masks() && (elem_bytes >= 2 || has_vbmi); }
};

} // namespace tfmt::cpu
