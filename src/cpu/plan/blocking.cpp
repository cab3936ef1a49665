// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/blocking.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/checked.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/segments.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Irregular levels, but for the phases of a tile, and what lies above them in their dimension
// belong to the driver.
bool belongs_to_driver(const std::vector<level> &levels, const tile &t, const level &l) {
    return std::any_of(levels.begin(), levels.end(), [&](const level &other) {
        return !other.is_regular() && t.phased_index(other) < 0 && other.dim == l.dim
                && l.unit >= other.unit;
    });
}

// Whether all steps but the first are padding, so that nothing is read along the level.
bool reads_one_step(const level &l, const limit_list &limits) { return !is_read(limits, l, 0); }

constexpr dim_t any_steps_per_read = std::numeric_limits<dim_t>::max();

// How far apart the steps of a level are, in the order in which one side is visited. A level that
// reads one step, or one of each `steps_per_read` and fewer, is padding.
dim_t visited_stride(const level &l, const limit_list &limits, bool by_src,
        dim_t steps_per_read = any_steps_per_read) {
    const bool is_padding = reads_one_step(l, limits)
            || read_steps(limits, l) <= l.extent / steps_per_read;
    return by_src && is_padding ? 0 : stride_of(l, by_src);
}

// The driver's levels first; the others by falling stride on one side, so that its addresses are
// visited in their order; within a dimension from outside to inside, whatever the strides are.
// Steps of padding have no place in the source: they come innermost, in the order of the
// destination. f32 acdb -> ABcd16a32b 1x64x56x56, with 1 step of data and 15 of padding in a: 0.9
// of the time, f16 acdb -> ABcd40a32b 2x128x28x28 0.4. (Taken out of the blocks as well, what they
// leave to a block along the source is single lines of the destination: up to 1.5.)
void sort_levels(std::vector<level> &levels, const limit_list &limits, const tile &t, bool by_src,
        dim_t steps_per_read = any_steps_per_read) {
    const std::vector<level> all = levels;
    std::stable_sort(levels.begin(), levels.end(), [&](const level &a, const level &b) {
        const bool driver_a = belongs_to_driver(all, t, a);
        const bool driver_b = belongs_to_driver(all, t, b);
        if (driver_a != driver_b) return driver_a;
        if (driver_a) return a.dim < b.dim;
        return visited_stride(a, limits, by_src, steps_per_read)
                > visited_stride(b, limits, by_src, steps_per_read);
    });
    for (size_t i = 0; i < levels.size(); i++)
        for (size_t j = i + 1; j < levels.size(); j++)
            if (levels[i].dim == levels[j].dim && levels[i].unit < levels[j].unit)
                std::swap(levels[i], levels[j]);
}

// Of what is read; what is written has none.
dim_t small_gap_bytes(bool of_src) { return of_src ? tuning::line_bytes : 0; }

} // namespace

blocking::blocking(const std::vector<level> &levels, const limit_list &limits, const tile &t,
        dim_t min_sunk_call_bytes)
    : all_(levels),
      limits_(limits),
      t_(t),
      min_sunk_call_bytes_(min_sunk_call_bytes),
      outer_(levels),
      bytes_(tile_bytes(t)),
      src_bytes_(t.src_run_bytes),
      dst_bytes_(t.dst_run_bytes),
      src_run_bytes_(t.src_run_bytes),
      tile_bytes_(bytes_),
      tile_src_bytes_(bytes_ * t.src_elem_bits / widest_elem_bits()) {
    sort_levels(outer_, limits, t, false);
    tile_.reserve(t.bits.size());
    for (const tile_bit &b : t.bits)
        if (b.level >= 0 && b.is_regular)
            tile_.push_back({b.dim, 2, b.weight, b.src_stride_bytes, b.dst_stride_bytes, {}, {}});
    take_phases();
}

void blocking::complete_lines(bool of_src, bool of_dst, int n_src_lines) {
    if (of_src) src_bytes_ = grow(src_bytes_, true, {n_src_lines * tuning::line_bytes});
    if (of_dst) dst_bytes_ = grow(dst_bytes_, false, {tuning::line_bytes});
    line_.swap(inner_);
}

// Of a row of 64 bytes tiles read 16; that the next row begins 48 bytes behind these is no reason
// to leave the rest for a later pass. Time over memcpy, without / so, those of 10000 reorders that
// it changes, on Zen 5. Within L2, of 64 KiB and more: 110 2.62 / 2.16, beyond the goals 17 and 0
// (s8 cba -> acb 64x257x7 4.9 / 2.0), AVX2 303 2.42 / 2.13, 27 and 8, SSE4.1 328 2.87 / 2.65, 52
// and 36; smaller ones the same. Where rows of the destination crowd L1, s8 abcd -> dcab
// 8x512x7x7 6.6 / 10.7, AVX2 7.7 / 19, SSE4.1 5.8 / 33. Beyond L2 298 1.44 / 1.51, AVX2 369 1.46
// / 1.48, SSE4.1 351 1.68 / 1.64. But tiles that store whole lines leave none in L1 to be pushed
// out (Zen 1, bf16 ba -> ab nx2048 and nx4096, n from 16 to 32, 4 bytes of a row at once: 4.1
// to 7.9 / 2.1 to 3.3).
void blocking::fill_src_gaps() {
    fills_src_gaps_ = true;
    if (stores_lines(t_)) return;
    fills_src_gaps_ = written_between_src_lines().in_l1_set < tuning::min_whole_lines_in_l1_set;
}

blocking::lines_written blocking::written_between_src_lines() const {
    if (src_bytes_ >= tuning::line_bytes) return {};
    blocking trial = *this;
    trial.complete_lines(true, true);
    if (trial.line_.empty()) return {};
    const bool crosses = !keeps_all_lines();
    return {lines_in_l1_set(trial.levels_in_block(), false, crosses),
            crosses || trial.dst_bytes_ % tuning::line_bytes != 0};
}

blocking::lines_read blocking::read_between_src_lines() const {
    blocking trial = *this;
    trial.complete_lines(true, false);
    if (trial.line_.empty()) return {};
    dim_t next_stride = no_limit, span_bytes = 0;
    for (const level &l : trial.line_) {
        next_stride = std::min(next_stride, l.dst_stride);
        span_bytes = std::max(span_bytes, l.dst_stride * l.extent);
    }
    std::vector<level> meanwhile = tile_;
    for (const level &l : outer_)
        if (l.dst_stride < next_stride && !reads_one_step(l, limits_)) meanwhile.push_back(l);
    return {lines_in_l1_set(meanwhile, true), span_bytes};
}

// That the block touches of one side.
int blocking::block_lines_in_l1_set(bool of_src) const {
    return touched_lines_in_l1_set(levels_in_block(), of_src);
}

// Steps of padding touch no other line of the source.
int blocking::touched_lines_in_l1_set(std::vector<level> levels, bool of_src) const {
    const auto is_padding = [&](const level &l) { return of_src && reads_one_step(l, limits_); };
    levels.erase(std::remove_if(levels.begin(), levels.end(), is_padding), levels.end());
    return lines_in_l1_set(levels, of_src);
}

void blocking::grow_src(dim_t target_bytes, dim_t max_bytes) {
    src_bytes_ = grow(src_bytes_, true, {target_bytes, max_bytes});
}

// Time over memcpy, without limit / so, those of 17000 reorders that it changes.
//
// Of sources that are mostly written as padding, where written lines are counted: 66 1.44 / 1.38,
// AVX2 51 1.55 / 1.48, SSE4.1 42 2.04 / 1.94 (bf16 bcad -> aBdc64b 1x3x224x224, 112 rows on one
// set, 3.2 / 1.9, 5.3 / 1.6, 8.9 / 1.9; s8 acdb -> ABcd16a4b 1x64x56x56 on AVX2 2.9 / 4.0). With up
// to 16 lines in a set a third of these, 1.57 / 1.53, with 32 a sixth. Of all sources, in the order
// of the source: 677 0.99 of the time, 0.4 to 1.7.
//
// Along the destination, where tiles write no two rows on one set, and lines that are read are
// counted: 508 1.28 / 1.17, beyond the goals 8 and 3, AVX2 624 1.41 / 1.34, 25 and 22, SSE4.1 673
// 1.80 / 1.70, 118 and 110 (bf16 ABc16b64a -> bac 2x77x768 1.6 / 0.8, but u8 ab -> ba 1000x3000 2.1
// / 2.4). With up to 8 lines 643 0.93 of the time, AVX2 766 0.96, with 15 464 0.92, AVX2 590 0.95,
// 16 200 0.92, AVX2 246 0.93. Where tiles write up to two rows on one set 746 0.94, AVX2 877 0.96,
// any number 0.97 and 1.00 (f32 abcd -> cdba 2048x512x1x1 on AVX2 2.6 / 4.3).
void blocking::grow_in_l1(bool of_src, dim_t target_bytes) {
    dim_t &run_bytes = of_src ? src_bytes_ : dst_bytes_;
    for (; target_bytes > run_bytes; target_bytes /= 2) {
        blocking grown = *this;
        grown.grow(run_bytes, of_src, {target_bytes});
        if (grown.block_lines_in_l1_set(!of_src) < tuning::min_whole_lines_in_l1_set) {
            run_bytes = grow(run_bytes, of_src, {target_bytes});
            return;
        }
    }
}

void blocking::grow_dst(dim_t target_bytes, dim_t max_bytes) {
    dst_bytes_ = grow(dst_bytes_, false, {target_bytes, max_bytes});
}

void blocking::take_whole_dst(dim_t target_bytes, dim_t max_dst_bytes) {
    dst_bytes_ = whole_run_in_block(dst_bytes_, false);
    take_levels_behind_dst([&](const level &l) {
        return dst_bytes_ < target_bytes && l.dst_stride <= max_dst_bytes / l.extent
                && bytes_ <= tuning::max_whole_block_bytes / l.extent
                && src_rows_with(l) <= tuning::max_whole_block_rows;
    });
}

// Steps of padding read nothing, and to come back for them is to write single lines of rows. Time
// over memcpy, without / with, the cases of 502 that it changes, beyond L2 1.14 / 1.04, streamed
// 0.93 / 0.82 (s8 abcd -> ABcd16a16b 1x84x80x80 1.7 / 1.0, f16 abcd -> ABcd32a16b
// 1x128x104x104 1.01 / 0.73); AVX2 1.13 / 1.04. Within L2, and before blocks of a scratch: no
// difference.
void blocking::take_padding() {
    take_levels_behind_dst([&](const level &l) { return reads_one_step(l, limits_); });
}

void blocking::stage(staged_block goal, const machine &m) {
    uses_scratch_ = true;
    if (t_.vector_bytes < tuning::line_bytes) {
        blocking by_src = *this;
        by_src.stage_blocks(goal, m);
        completes_scratch_lines_ = by_src.scratch_lines_meanwhile()
                >= tuning::min_scratch_lines_meanwhile;
    }
    stage_blocks(goal, m);
}

// Lines of the scratch that tiles write before more of the first one; 0 if they write lines whole.
dim_t blocking::scratch_lines_meanwhile() const {
    dim_t n_lines = written_lines(t_);
    for (const std::vector<level> *levels : {&line_, &inner_})
        for (auto l = levels->rbegin(); l != levels->rend(); ++l) {
            if (l->dst_stride < tuning::line_bytes) return n_lines;
            n_lines *= l->extent;
        }
    return 0;
}

void blocking::stage_blocks(staged_block goal, const machine &m) {
    // Lines of colliding rows are gone before tiles of another part come back to them: 7 such
    // cases of 16 MB and more took 0.92 of the time on AVX2, 6 on SSE4.1 0.68 (bf16 4096x4096
    // transposed 1.5 / 1.25 times memcpy, 2.5 / 1.4).
    const bool collides = reads_colliding_rows(t_);
    if (collides && m.max_staged_colliding_rows) {
        goal.dst_bytes = std::min(
                goal.dst_bytes, dim_t(m.max_staged_colliding_rows) * t_.dst_elem_bits / 8);
        goal.bytes = std::min(goal.bytes, tuning::staged_block_bytes);
    }
    const growth dst {goal.dst_bytes, goal.bytes, tuning::max_staged_whole_dst_bytes,
            m.staged_whole_dst_bytes, m.max_staged_whole_rows};
    const bool has_room = collides
            && blocking(*this).take_runs(dst, true, tuning::scratch_paired_lines)
                    >= tuning::min_chain_run_bytes;
    take_runs(
            dst, collides || completes_scratch_lines_, has_room ? tuning::scratch_paired_lines : 1);
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
        grow_src(std::min(goal.src_bytes, m.l2_scratch_src_bytes),
                bytes_in_scratch(dim_t(m.l2_scratch_bytes), run_bytes));
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

void blocking::collect(dim_t dst_bytes, dim_t block_bytes, int n_src_lines) {
    uses_scratch_ = true;
    complete_lines(true, false, n_src_lines);
    cut_dst_at_lines();
    grow_dst(dst_bytes, block_bytes);
    sort(true);
}

dim_t blocking::bytes_of_src_rows(int n_rows) const {
    return n_rows * src_bytes_ * widest_elem_bits() / t_.src_elem_bits;
}

// Bytes of a block whose runs of `run_bytes` fill so much of a scratch.
dim_t blocking::bytes_in_scratch(dim_t scratch_bytes, dim_t run_bytes) const {
    return scratch_bytes * run_bytes / scratch_row_bytes(run_bytes) * widest_elem_bits()
            / t_.dst_elem_bits;
}

dim_t blocking::written_rows() const {
    dim_t n = bytes_ * t_.dst_elem_bits / widest_elem_bits() / dst_bytes_;
    for (auto l = outer_.rbegin(); l != outer_.rend(); ++l) {
        if (stride_of(*l, false) < tuning::min_row_stride_bytes) return n;
        n *= l->extent;
    }
    return 0;
}

void blocking::page(dim_t src_bytes_in_page, dim_t dst_bytes_in_page) {
    const dim_t bytes = bytes_, src_bytes = src_bytes_, dst_bytes = dst_bytes_;
    const auto n_block_levels = dim_t(inner_.size());
    grow_src(src_bytes_in_page);
    grow_dst(dst_bytes_in_page);
    pages_.assign(inner_.begin() + n_block_levels, inner_.end());
    inner_.erase(inner_.begin() + n_block_levels, inner_.end());
    bytes_ = bytes, src_bytes_ = src_bytes, dst_bytes_ = dst_bytes;
    sort(true);
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

// Of runs of whole lines, from `min_lines_bytes` on, a chain keeps nothing back.
bool blocking::is_better_unchained(dim_t run_bytes, dim_t min_lines_bytes) const {
    if (run_bytes >= tuning::min_unchained_run_bytes
            && chained_src_pages() > tuning::max_chained_pages)
        return true;
    return run_bytes >= min_lines_bytes && run_bytes % tuning::line_bytes == 0 && keeps_all_lines()
            && chained_src_pages() > tuning::max_chained_pages_of_lines;
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
    for_each_in_block(count);
    std::for_each(outer_.end() - n_chain_levels(), outer_.end(), count);
    return n;
}

void blocking::sort(bool blocks_by_src) {
    sort_levels(outer_, limits_, t_, blocks_by_src);
    if (!uses_scratch_) sink_driver_levels(blocks_by_src);
    sort_levels(pages_, limits_, t_, blocks_by_src);
    sort_levels(inner_, limits_, t_, fills_scratch_by_src(), tuning::min_steps_per_read_in_scratch);
    sort_levels(line_, limits_, t_, loses_src_lines_by_dst());
}

// Whether tiles that complete lines of both sides in the order of the destination would find those
// of the source, which they read in parts, pushed out of L1 each time, and in the order of the
// source none of those that they write. Not streamed: parts of a line follow each other at once.
//     Time over memcpy, in the order of the destination / so, those of 10200 reorders that it
//     changes, on Zen 3: AVX2 476 1.28 / 1.18, beyond the goals 23 and 8 (bf16 Abcd8a -> acdb
//     1x84x80x80 5.1 / 1.9, but s8 cdba -> abdc 32x512x7x7 4.0 / 5.3), SSE4.1 513 1.69 / 1.32, 107
//     and 25 (u8 aBdc8b -> acbd 4x4x512x512 13 / 3.5). With 11 and 13 lines of the source in a set
//     the same for AVX2, 1.949 / 1.236 1.241 1.273 for 265 of SSE4.1; with up to 4 of the
//     destination, instead of 8, 1.334 in place of 1.321, AVX2 the same; with up to 16, 1.275 in
//     place of 1.273. Vectors of a line: min_evicting_src_lines_64_bytes.
bool blocking::loses_src_lines_by_dst() const {
    if (line_.size() < 2 || uses_scratch_ || ends_at_lines_ || src_run_bytes_ >= tuning::line_bytes)
        return false;
    std::vector<level> levels = tile_;
    levels.insert(levels.end(), line_.begin(), line_.end());
    const int min_src_lines = t_.vector_bytes >= tuning::line_bytes
            ? tuning::min_evicting_src_lines_64_bytes
            : tuning::min_lines_that_evict;
    return touched_lines_in_l1_set(levels, true) >= min_src_lines
            && touched_lines_in_l1_set(levels, false) < tuning::min_lines_that_evict;
}

// A scratch takes its rows in any order, so tiles that read less than a line go on within it. Time
// over memcpy, in the order of the destination / so, those of 17000 reorders that it changes: 953
// 0.872 / 0.865, worst 4.6 / 2.7, beyond 1.8 41 and 32 of them, AVX2 2185 0.897 / 0.882, 89 and 60,
// SSE4.1 2333 1.114 / 1.095, 398 and 367 (u8 aCb24c -> abc 2x2048x2048, of which 32 lines in a set
// of L1 were read three times, 4.4 / 1.9). Of tiles that read whole lines: 901, no difference.
bool blocking::fills_scratch_by_src() const {
    return uses_scratch_ && src_run_bytes_ < tuning::line_bytes && !completes_scratch_lines_;
}

// Moves the driver's levels, which sort_levels() puts first, inside of levels with larger strides.
// Outermost, all others are gone through once for each of their steps, between which lines in part
// wait. Not where a call would have too little left, nor where the driver would have too many jobs
// or tables: one for each segment of what is outside.
void blocking::sink_driver_levels(bool by_src) {
    if (min_sunk_call_bytes_ == never_sink) return;
    const auto is_drivers = [&](size_t i) { return belongs_to_driver(all_, t_, outer_[i]); };
    size_t n_driver = 0;
    while (n_driver < outer_.size() && is_drivers(n_driver))
        n_driver++;
    for (size_t i = n_driver; i-- > 0;) {
        const dim_t stride = visited_stride(outer_[i], limits_, by_src);
        const bool has_table = !outer_[i].is_regular();
        if (has_table && outer_[i].extent > tuning::max_sunk_steps) continue;
        size_t n_segments = 1;
        for (size_t at = i; at + 1 < outer_.size(); at++) {
            const level &next = outer_[at + 1];
            n_segments *= split(next.unit, limits_[size_t(next.dim)], false).size();
            if (is_drivers(at + 1) || next.dim == outer_[at].dim
                    || visited_stride(next, limits_, by_src) <= stride
                    || n_segments > tuning::max_sunk_segments
                    || pass_bytes(bytes_, outer_, at + 2, min_sunk_call_bytes_)
                            < min_sunk_call_bytes_)
                break;
            std::swap(outer_[at], outer_[at + 1]);
        }
    }
}

loop_order blocking::order() const {
    loop_order order {outer_, int(inner_.size() + line_.size()), 0, false, false};
    order.levels.insert(order.levels.end(), pages_.begin(), pages_.end());
    if (const level *next = next_read()) {
        order.next_block_bytes = next->src_stride;
        order.reads_on = reads_on(*next);
    }
    order.levels.insert(order.levels.end(), inner_.begin(), inner_.end());
    order.levels.insert(order.levels.end(), line_.begin(), line_.end());
    return order;
}

// The level that leads from a block to the next one that is read; null if none does, or not by
// equal steps.
const level *blocking::next_read() const {
    for (const std::vector<level> *levels : {&pages_, &outer_})
        for (auto l = levels->rbegin(); l != levels->rend(); ++l)
            if (!reads_one_step(*l, limits_)) return l->is_regular() ? &*l : nullptr;
    return nullptr;
}

int blocking::lines_in_turn(bool of_src) const {
    std::vector<level> rows = levels_in_block();
    dim_t run_bytes = of_src ? src_bytes_ : dst_bytes_;
    for (auto l = outer_.rbegin(); l != outer_.rend(); ++l) {
        if (stride_of(*l, of_src) != run_bytes)
            rows.push_back(*l);
        else if ((run_bytes *= l->extent) >= tuning::page_bytes)
            break;
    }
    return touched_lines_in_l1_set(std::move(rows), of_src);
}

// Each goes on within lines of the one before it; all of them cover whole blocks of both sides.
void blocking::take_phases() {
    const auto first = std::stable_partition(
            outer_.begin(), outer_.end(), [&](const level &l) { return t_.phased_index(l) < 0; });
    inner_.assign(first, outer_.end());
    outer_.erase(first, outer_.end());
    for (const level &l : inner_)
        bytes_ *= l.extent;
    for (const phased_bits &b : t_.phased)
        for (const bool of_src : {true, false}) {
            const digit &inner = (of_src ? b.src_digits : b.dst_digits)[0];
            // In twos, of which the tile's run may have some. (As one level, s8 aBdc24b ->
            // ABcd32a32b 32x256x56x56 was streamed in halves of lines on SSE4.1, 5 to 17 times
            // memcpy, so 2.8.)
            const dim_t part = is_pow2(inner.extent) ? 2 : inner.extent;
            for (dim_t steps = 1; steps < inner.extent; steps *= part) {
                const dim_t stride = inner.stride * steps;
                tile_.push_back({b.dim, part, 0, of_src ? stride : 0, of_src ? 0 : stride, {}, {}});
            }
        }
}

int blocking::widest_elem_bits() const { return std::max(t_.src_elem_bits, t_.dst_elem_bits); }

// Whether tiles are pieces of one row of the source, one behind the other.
bool blocking::reads_on(const level &next) const {
    dim_t tile_row = src_run_bytes_;
    for (const level &l : tile_)
        if (l.src_stride == tile_row) tile_row *= 2;
    const dim_t row = whole_run_in_block(src_bytes_, true);
    return tile_row == tile_src_bytes_ && row == bytes_ / tile_bytes_ * tile_src_bytes_
            && next.src_stride == row;
}

int blocking::src_lines_meanwhile(const loop_order &order) const {
    std::vector<level> meanwhile = tile_;
    for (auto l = order.levels.rbegin(); l != order.levels.rend(); ++l) {
        if (l->src_stride < tuning::line_bytes && l->src_stride >= src_run_bytes_)
            return touched_lines_in_l1_set(std::move(meanwhile), true);
        meanwhile.push_back(*l);
    }
    return 0;
}

bool blocking::reads_on_over_gaps() const {
    const level *next = next_read();
    if (!next) return false;
    std::vector<level> levels = tile_; // inner to outer
    const auto sort_by_src = [&] {
        std::sort(levels.begin(), levels.end(),
                [](const level &a, const level &b) { return a.src_stride < b.src_stride; });
    };
    sort_by_src();
    levels.insert(levels.end(), line_.rbegin(), line_.rend());
    levels.insert(levels.end(), inner_.rbegin(), inner_.rend());
    if (next->src_stride <= tuning::max_unordered_block_bytes) sort_by_src();
    levels.push_back(*next);
    dim_t step_bytes = 0;
    for (const level &l : levels) {
        if (l.src_stride < src_run_bytes_) continue; // within a run
        if (step_bytes == 0) {
            step_bytes = l.src_stride;
            if (step_bytes > 2 * tuning::line_bytes) return false;
        }
        if (l.src_stride != step_bytes) return false;
        step_bytes *= l.extent;
    }
    return true;
}

// Whether `l` goes on where a run of `run_bytes` ends, or so many bytes behind it. The tile's
// share of a level that it does not divide is counted as whole.
bool blocking::is_behind(const level &l, dim_t run_bytes, bool of_src, dim_t gap_bytes) {
    const dim_t stride = stride_of(l, of_src);
    return stride <= run_bytes + gap_bytes && 2 * stride > run_bytes;
}

// A small gap in what is read is as good as none. Not for a block of a scratch, if something
// lies in the gap: the block has it now, or never comes back while the line is in a cache. Time
// over memcpy, with any gap / so, of 1156 reorders of 16 MB and more the 9 that it changes 0.99
// / 0.92, 11 on AVX2 1.28 / 1.00, 17 on SSE4.1 1.13 / 1.00 (s8 ABcd8a8b -> abcd 64x512x28x28
// 2.2 / 1.2, bf16 acdb -> Abcd4a 32x32x112x112 on AVX2 2.0 / 0.9). For other blocks as well, of
// 3900: 215 1.00 of the time, 290 1.01, 352 0.99.
dim_t blocking::grow(dim_t run_bytes, bool of_src, const growth &to) {
    while (run_bytes < to.target_bytes) {
        const bool may_skip = of_src
                && !((uses_scratch_ || fills_src_gaps_) && has_src_behind(run_bytes));
        dim_t grown = extended_in_block(run_bytes, of_src, may_skip ? small_gap_bytes(of_src) : 0);
        if (grown == 0) grown = take_next(run_bytes, of_src, to);
        if (grown == 0) break;
        run_bytes = grown;
    }
    return run_bytes;
}

// Whether something goes on right behind a run of the source, in the block or outside of it.
bool blocking::has_src_behind(dim_t run_bytes) const {
    return extended_in_block(run_bytes, true, 0)
            || std::any_of(outer_.begin(), outer_.end(), [&](const level &l) {
                   return is_behind(l, run_bytes, true) && may_join_block(l);
               });
}

// The run with the next level that the block has already, or 0.
dim_t blocking::extended_in_block(dim_t run_bytes, bool of_src, dim_t gap_bytes) const {
    for (const std::vector<level> *levels : {&tile_, &line_, &inner_})
        for (const level &l : *levels) {
            if (!is_behind(l, run_bytes, of_src, gap_bytes)) continue;
            const dim_t extended = wrapping_mul(stride_of(l, of_src), l.extent);
            if (extended > run_bytes) return extended;
        }
    return 0;
}

// All of each level that goes on where the destination's run ends and is `wanted`.
template <typename F>
void blocking::take_levels_behind_dst(F &&wanted) {
    for (size_t i = 0; i < outer_.size();) {
        const level &l = outer_[i++];
        if (!may_join_block(l) || !is_behind(l, dst_bytes_, false) || !wanted(l)) continue;
        dst_bytes_ = l.dst_stride * l.extent;
        take_steps(i - 1, l.extent);
        i = 0;
    }
}

// The run with all of the levels that the block has already.
dim_t blocking::whole_run_in_block(dim_t run_bytes, bool of_src) const {
    while (const dim_t grown = extended_in_block(run_bytes, of_src, small_gap_bytes(of_src)))
        run_bytes = grown;
    return run_bytes;
}

// Rows of the source that the block has if it takes all of `next`.
dim_t blocking::src_rows_with(const level &next) const {
    const dim_t row_bytes = std::max(whole_run_in_block(src_bytes_, true), tuning::line_bytes);
    const auto rows_of = [&](const level &l) {
        return l.src_stride >= row_bytes && is_read(limits_, l, 0) ? l.extent : 1;
    };
    dim_t n = rows_of(next);
    for_each_in_block([&](const level &l) { n *= rows_of(l); });
    return n;
}

std::vector<level> blocking::levels_in_block() const {
    std::vector<level> levels;
    for_each_in_block([&](const level &l) { levels.push_back(l); });
    return levels;
}

template <typename Visit>
void blocking::for_each_in_block(Visit &&visit) const {
    for (const std::vector<level> *levels : {&tile_, &line_, &inner_})
        std::for_each(levels->begin(), levels->end(), visit);
}

// The run with as much of the next level as the target asks for, or 0. What goes on without a
// gap has the smaller stride and comes first.
dim_t blocking::take_next(dim_t run_bytes, bool of_src, const growth &to) {
    size_t next = outer_.size();
    for (size_t i = 0; i < outer_.size(); i++)
        if (is_behind(outer_[i], run_bytes, of_src, small_gap_bytes(of_src))
                && may_join_block(outer_[i])
                && (next == outer_.size()
                        || stride_of(outer_[i], of_src) < stride_of(outer_[next], of_src)))
            next = i;
    if (next == outer_.size()) return 0;
    const level l = outer_[next];
    dim_t wanted = std::max<dim_t>(1, (to.target_bytes + run_bytes / 2) / run_bytes);
    if (takes_all_steps(l, run_bytes, to)) wanted = l.extent;
    wanted = std::min(wanted, to.max_bytes / bytes_);
    if (wanted <= 1) return 0;
    // Blocks of equal size: a last one of a few steps would spoil the rest.
    dim_t steps = ceil_div(l.extent, ceil_div(l.extent, wanted));
    if (ends_at_lines_ && !of_src) steps = whole_lines(next, steps, to.max_bytes);
    if (steps == 1) return 0;
    take_steps(next, steps);
    return stride_of(l, of_src) * steps;
}

// So many steps of `next` or some more that each block's run ends where a line does, if all
// runs begin where one does. Streamed, time over memcpy without / with it, the 15 of 1500 reorders
// of 48 to 480 MB that it changes on SSE4.1 1.96 / 1.22 (f32 acdb -> Abcd48a 16x256x28x28 2.9
// / 1.2, abcde -> caebd 28x28x4x48x352 3.0 / 2.3); 9 on AVX2 0.77 / 0.77, none on AVX-512, whose
// vectors are lines.
dim_t blocking::whole_lines(size_t next, dim_t steps, dim_t max_bytes) const {
    for (size_t i = 0; i < outer_.size(); i++)
        if (i != next && outer_[i].dst_stride % tuning::line_bytes != 0) return steps;
    dim_t unit = 1; // steps that are whole lines
    while (outer_[next].dst_stride * unit % tuning::line_bytes != 0)
        unit *= 2;
    const dim_t more = round_up(steps, unit);
    const bool fits = more < outer_[next].extent && more <= max_bytes / bytes_
            && more <= tuning::max_growth_to_whole_lines * steps;
    return fits ? more : steps;
}

// Up to growth::max_whole_bytes, or the longer one for blocks of few rows of the source, so that
// the run goes on behind `l`. But where it can be cut between lines as well, tiles that read less
// than a line take all of it only if that leaves room for enough of the source's rows.
bool blocking::takes_all_steps(const level &l, dim_t run_bytes, const growth &to) const {
    if (l.extent > to.max_whole_bytes / run_bytes
            && (l.extent > to.max_whole_bytes_of_few_rows / run_bytes
                    || src_rows_with(l) > to.max_few_rows))
        return false;
    if (src_run_bytes_ >= tuning::line_bytes) return true;
    const dim_t n_read = std::max<dim_t>(1, read_steps(limits_, l)); // padding has no source
    const dim_t n_blocks = std::max(to.max_bytes, tuning::staged_block_bytes) / (bytes_ * n_read);
    return src_bytes_ * n_blocks >= tuning::min_staged_src_bytes || !keeps_all_lines();
}

// Whether all rows of the destination begin where a line does.
bool blocking::keeps_all_lines() const {
    return std::all_of(all_.begin(), all_.end(), keeps_lines)
            && std::all_of(tile_.begin(), tile_.end(), keeps_lines);
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

bool blocking::may_join_block(const level &l) const {
    return l.is_regular() && !belongs_to_driver(all_, t_, l)
            && std::none_of(outer_.begin(), outer_.end(),
                    [&](const level &below) { return below.dim == l.dim && below.unit < l.unit; });
}

bool blocking::may_be_last(size_t i) const {
    return outer_[i].is_regular()
            && std::none_of(outer_.begin() + i + 1, outer_.end(),
                    [&](const level &l) { return l.dim == outer_[i].dim; });
}

void blocking::take_steps(size_t i, dim_t steps) {
    inner_.push_back(outer_[i]);
    bytes_ *= steps;
    if (steps < outer_[i].extent) {
        inner_.back().extent = steps;
        outer_[i] = in_groups(outer_[i], steps);
    } else
        outer_.erase(outer_.begin() + i);
}

} // namespace tfmt::cpu
