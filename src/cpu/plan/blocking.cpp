// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/blocking.hpp"

#include <algorithm>
#include <utility>

#include "common/checked.hpp"
#include "cpu/plan/level_order.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

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
void blocking::grow_in_l1(bool of_src, dim_t target_bytes, int min_lines) {
    const growth to = in_l1(of_src, {target_bytes}, 0, min_lines);
    dim_t &run_bytes = of_src ? src_bytes_ : dst_bytes_;
    run_bytes = grow(run_bytes, of_src, to);
}

void blocking::grow_dst_in_l1(dim_t target_bytes, dim_t min_bytes, dim_t max_bytes) {
    growth to {target_bytes, max_bytes};
    if (keeps_all_lines())
        to = in_l1(false, to, min_bytes, tuning::min_streamed_src_lines_in_l1_set);
    dst_bytes_ = grow(dst_bytes_, false, to);
}

// To a half, a quarter and so on, as long as the block would have `min_lines` and more of the other
// side in one set, until it would not grow or has `min_bytes`.
blocking::growth blocking::in_l1(bool of_src, growth to, dim_t min_bytes, int min_lines) const {
    const dim_t run_bytes = of_src ? src_bytes_ : dst_bytes_;
    for (; to.target_bytes > std::max(min_bytes, run_bytes); to.target_bytes /= 2) {
        blocking grown = *this;
        grown.grow(run_bytes, of_src, to);
        if (grown.block_lines_in_l1_set(!of_src) < min_lines) break;
    }
    return to;
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

dim_t blocking::bytes_of_src_rows(int n_rows) const {
    return n_rows * src_bytes_ * widest_elem_bits() / t_.src_elem_bits;
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

// All of each level that may join and is `wanted`, which is asked again when one has joined.
void blocking::take_levels(const std::function<bool(const level &)> &wanted) {
    for (size_t i = 0; i < outer_.size();) {
        const level &l = outer_[i++];
        if (!may_join_block(l) || !wanted(l)) continue;
        take_steps(i - 1, l.extent);
        i = 0;
    }
}

// All of each level that goes on where the destination's run ends and is `wanted`.
void blocking::take_levels_behind_dst(const std::function<bool(const level &)> &wanted) {
    take_levels([&](const level &l) {
        const bool joins = is_behind(l, dst_bytes_, false) && wanted(l);
        if (joins) dst_bytes_ = l.dst_stride * l.extent;
        return joins;
    });
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
    for (const level &l : levels_in_block())
        n *= rows_of(l);
    return n;
}

std::vector<level> blocking::levels_in_block() const {
    std::vector<level> levels = tile_;
    levels.insert(levels.end(), line_.begin(), line_.end());
    levels.insert(levels.end(), inner_.begin(), inner_.end());
    return levels;
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
    dim_t max_steps = to.max_bytes / bytes_;
    if (takes_all_steps(l, run_bytes, to)) {
        wanted = l.extent;
        if (to.max_bytes_of_whole / bytes_ >= l.extent) max_steps = std::max(max_steps, l.extent);
    }
    wanted = std::min(wanted, max_steps);
    if (wanted <= 1) return 0;
    dim_t steps = equal_steps(l.extent, wanted);
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

// Up to so many steps, for blocks of equal size: a last one of a few steps would spoil the rest.
dim_t blocking::equal_steps(dim_t extent, dim_t max_steps) {
    return ceil_div(extent, ceil_div(extent, max_steps));
}

bool blocking::may_join_block(const level &l) const {
    return l.is_regular() && !belongs_to_driver(all_, t_, l)
            && std::none_of(outer_.begin(), outer_.end(),
                    [&](const level &below) { return below.dim == l.dim && below.unit < l.unit; });
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
