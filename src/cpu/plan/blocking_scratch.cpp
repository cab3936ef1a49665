// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/blocking.hpp"

#include <algorithm>

#include "cpu/plan/level_order.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

void blocking::stage(const staged_block &goal, const machine &m) {
    uses_scratch_ = true;
    // Lines of colliding rows are gone before tiles of another part come back to them: 7 such
    // cases of 16 MB and more took 0.92 of the time on AVX2, 6 on SSE4.1 0.68 (bf16 4096x4096
    // transposed 1.5 / 1.25 times memcpy, 2.5 / 1.4).
    const bool collides = reads_colliding_rows(t_);
    const growth dst {goal.dst_bytes, goal.bytes, tuning::max_staged_whole_dst_bytes,
            m.staged_whole_dst_bytes, tuning::max_staged_whole_rows,
            tuning::max_staged_whole_block_bytes};
    const bool has_room = collides
            && blocking(*this).take_runs(dst, true, tuning::scratch_paired_lines)
                    >= tuning::min_chain_run_bytes;
    take_runs(dst, collides, has_room ? tuning::scratch_paired_lines : 1);
    join_dst_runs(dst);
    // A block that a scratch cannot hold would not be staged at all.
    grow_src(goal.src_bytes,
            std::min(goal.bytes,
                    bytes_in_scratch(
                            tuning::max_scratch_bytes, whole_run_in_block(dst_bytes_, false))));
    // What is small until now goes on along the destination: the longer its runs the better.
    if (bytes_ < tuning::staged_small_block_bytes)
        grow_dst(tuning::staged_block_bytes, tuning::staged_block_bytes);
    const dim_t run_bytes = whole_run_in_block(dst_bytes_, false);
    if (m.l2_scratch_bytes)
        grow_src(goal.src_bytes, bytes_in_scratch(dim_t(m.l2_scratch_bytes), run_bytes));
    if (m.l2_scratch_bytes_for_lines) {
        const int n_lines = reads_odd_rows_in_pages(t_) ? 2 : 1; // which 64 bytes lie in
        grow_src(std::min(goal.src_bytes, n_lines * tuning::line_bytes),
                bytes_in_scratch(dim_t(m.l2_scratch_bytes_for_lines), run_bytes));
    }
    sort(false);
    put_continuation_last();
    if (is_better_unchained(run_bytes, goal.min_unchained_lines_bytes))
        sort(true);
    else
        sort_above_chain();
}

bool blocking::stage_pieces(dim_t block_bytes) {
    const level *const next = next_piece(block_bytes);
    if (!next) return false;
    const level piece = *next;
    uses_scratch_ = true;
    const auto is_in_piece = [&](const level &l) { return l.dst_stride < piece.dst_stride; };
    take_levels(is_in_piece);
    const auto at = std::find_if(outer_.begin(), outer_.end(),
            [&](const level &l) { return l.dst_stride == piece.dst_stride; });
    // Rows of more than a line would be read in parts, of which the processor finds no others.
    const auto cuts_rows = [&](const level &l) {
        dim_t row_bytes = no_limit;
        for (const level &bit : tile_)
            if (bit.src_stride > l.src_stride) row_bytes = std::min(row_bytes, bit.src_stride);
        return row_bytes > tuning::line_bytes && row_bytes < no_limit;
    };
    if (std::any_of(outer_.begin(), outer_.end(), is_in_piece) || !may_join_block(*at)
            || std::any_of(inner_.begin(), inner_.end(), cuts_rows))
        return false;
    const dim_t steps = equal_steps(piece.extent, block_bytes / piece.dst_stride);
    if (steps > 1) take_steps(size_t(at - outer_.begin()), steps);
    src_bytes_ = whole_run_in_block(src_bytes_, true);
    dst_bytes_ = whole_run_in_block(dst_bytes_, false);
    if (dst_bytes_ != piece.dst_stride * steps) return false; // there are gaps
    sort(false);
    put_continuation_last();
    sort_above_chain();
    return true;
}

// The level that leads from piece to piece of no more than a block, for a few blocks: what has
// shorter steps in one tensor has shorter ones in the other as well. Null if there is none.
const level *blocking::next_piece(dim_t block_bytes) const {
    const auto leads = [&](const level &l) {
        const auto is_apart = [&](const level &other) {
            return (other.src_stride < l.src_stride) == (other.dst_stride < l.dst_stride);
        };
        const auto is_inside = [&](const level &bit) {
            return bit.src_stride < l.src_stride && bit.dst_stride < l.dst_stride;
        };
        return l.is_regular() && std::max(l.src_stride, l.dst_stride) <= block_bytes
                && l.dst_stride * l.extent >= 4 * block_bytes
                && std::all_of(outer_.begin(), outer_.end(), is_apart)
                && std::all_of(tile_.begin(), tile_.end(), is_inside);
    };
    const level *next = nullptr;
    for (const level &l : outer_)
        if (leads(l) && (!next || l.dst_stride < next->dst_stride)) next = &l;
    return next;
}

// What a block of a scratch has at the least of the destination's runs, of which the bytes are
// returned, around tiles that read so many lines of each row of the source together.
dim_t blocking::take_runs(const growth &dst, bool reads_lines_at_once, int n_src_lines) {
    complete_lines(dst_bytes_ >= tuning::line_bytes || reads_lines_at_once, false, n_src_lines);
    dst_bytes_ = grow(dst_bytes_, false, dst);
    reach_dst(tuning::min_chain_run_bytes, dst.max_bytes);
    return dst_bytes_;
}

// Takes all of the next level where the block has what goes on behind it in the destination: runs
// become one. Time over memcpy, without / so, 17 of 17000 reorders, 0.79 / 0.71, worst 3.9 / 1.6
// (f32 decab -> abcde 32x832x2x7x7, 256 runs of 196 bytes, 3.9 / 1.5), AVX2 4 1.69 / 1.42, SSE4.1 2
// 1.24 / 1.23. With levels of up to 2048 and 4096 bytes, of any number of rows: 64 1.04 / 0.98 and
// 192 0.94 / 0.93, but AVX2 146 1.32 / 1.40, SSE4.1 146 1.84 / 1.93.
void blocking::join_dst_runs(const growth &dst) {
    take_levels_behind_dst([&](const level &l) {
        return extended_in_block(l.dst_stride * l.extent, false, 0)
                && takes_all_steps(l, l.dst_stride, dst) && l.extent <= dst.max_bytes / bytes_;
    });
}

// Steps of the level that goes on where the destination's run ends, also that of a level which
// the tile does not divide, until the run has so many bytes.
void blocking::reach_dst(dim_t min_bytes, dim_t block_bytes) {
    for (size_t i = 0; i < outer_.size(); i++) {
        const level l = outer_[i];
        if (l.dst_stride >= min_bytes || !is_behind(l, dst_bytes_, false) || !may_join_block(l))
            continue;
        const dim_t steps = std::min(
                {ceil_div(min_bytes, l.dst_stride), l.extent, block_bytes / bytes_});
        if (steps <= 1) continue;
        take_steps(i, steps);
        dst_bytes_ = l.dst_stride * steps;
        return;
    }
}

void blocking::collect(dim_t dst_bytes, dim_t block_bytes, int n_src_lines) {
    uses_scratch_ = true;
    complete_lines(true, false, n_src_lines);
    cut_dst_at_lines();
    blocking trial = *this;
    trial.grow_dst(dst_bytes, block_bytes);
    const bool has_short_runs = trial.dst_bytes_ < tuning::collected_dst_bytes;
    grow_dst(dst_bytes,
            has_short_runs ? tuning::growth_of_short_collected_runs * block_bytes : block_bytes);
    sort(true);
}

// Bytes of a block whose runs of `run_bytes` fill so much of a scratch.
dim_t blocking::bytes_in_scratch(dim_t scratch_bytes, dim_t run_bytes) const {
    return scratch_bytes * run_bytes / scratch_row_bytes(run_bytes) * widest_elem_bits()
            / t_.dst_elem_bits;
}

// The level that continues the block's runs in the destination goes next to the block.
void blocking::put_continuation_last() {
    for (size_t i = 0; i < outer_.size(); i++) {
        const level &l = outer_[i];
        if (l.dst_stride != dst_bytes_ || !may_be_last(i)) continue;
        std::rotate(outer_.begin() + i, outer_.begin() + i + 1, outer_.end());
        return;
    }
}

bool blocking::may_be_last(size_t i) const {
    return outer_[i].is_regular()
            && std::none_of(outer_.begin() + i + 1, outer_.end(),
                    [&](const level &l) { return l.dim == outer_[i].dim; });
}

// Of runs of whole lines, from `min_lines_bytes` on, a chain keeps nothing back.
bool blocking::is_better_unchained(dim_t run_bytes, dim_t min_lines_bytes) const {
    if (run_bytes >= tuning::min_unchained_run_bytes
            && chained_src_pages() > tuning::max_chained_pages)
        return true;
    return run_bytes >= min_lines_bytes && run_bytes % tuning::line_bytes == 0 && keeps_all_lines()
            && chained_src_pages() > tuning::max_chained_pages_of_lines;
}

// The chain of blocks that goes on along the destination stays last; those above it follow each
// other in the order of the source. A block reads a part of a page from each of its rows, a
// chain so of all rows there are, and what the processor knows of their pages serves the next
// chain if that goes on there; of the destination a chain leaves whole pages behind. Time over
// memcpy in the order of the destination / so, 121 permutations of ranks 3 to 5 and 60 to 380
// MB: 1.047 / 0.953 (f32 abcd -> cadb 75x100x16x75 1.7 / 0.9, u8 abc -> cba 1000x300x300 2.2 /
// 1.6); AVX2, 60 of them, 1.14 / 1.10, SSE4.1 1.23 / 1.17; 54 of frameworks the same. All of
// the levels in the order of the source, which cuts chains: 19 of 114 up to twice as long.
void blocking::sort_above_chain() {
    std::vector<level> above(outer_.begin(), outer_.end() - n_chain_levels());
    sort_levels(above, limits_, t_, true);
    std::copy(above.begin(), above.end(), outer_.begin());
}

// The last of those between the blocks that go on along the destination one behind the other:
// the chain and what continues it; the last one alone where none is continued.
ptrdiff_t blocking::n_chain_levels() const {
    if (outer_.empty()) return 0;
    auto chain = outer_.rbegin();
    for (; std::next(chain) != outer_.rend(); ++chain)
        if (std::next(chain)->dst_stride != chain->dst_stride * chain->extent) break;
    return chain - outer_.rbegin() + 1;
}

dim_t blocking::chained_dst_bytes() const {
    if (outer_.empty()) return dst_bytes_;
    const level &l = *(outer_.end() - n_chain_levels());
    return l.dst_stride * l.extent;
}

// Pages of the source that the blocks of a chain read in all.
dim_t blocking::chained_src_pages() const {
    dim_t n = 1;
    const auto count = [&](const level &l) {
        if (!is_read(limits_, l, 0)) return;
        const bool is_in_pages = l.src_stride >= tuning::page_bytes;
        n *= is_in_pages ? l.extent
                         : std::clamp(ceil_div(l.extent * l.src_stride, tuning::page_bytes),
                                 dim_t(1), l.extent);
    };
    for (const level &l : levels_in_block())
        count(l);
    std::for_each(outer_.end() - n_chain_levels(), outer_.end(), count);
    return n;
}

} // namespace tfmt::cpu
