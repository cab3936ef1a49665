// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/blocking.hpp"

#include <algorithm>
#include <utility>

#include "cpu/plan/level_order.hpp"
#include "cpu/plan/segments.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

void blocking::sort(bool blocks_by_src) {
    sort_levels(outer_, limits_, t_, blocks_by_src,
            stores_into_caches() ? tuning::min_steps_per_read_in_place : any_steps_per_read);
    if (!uses_scratch_) sink_driver_levels(blocks_by_src);
    sort_levels(pages_, limits_, t_, blocks_by_src);
    sort_levels(inner_, limits_, t_, fills_scratch_by_src(), tuning::min_steps_per_read_in_scratch);
    sort_levels(line_, limits_, t_, loses_src_lines_by_dst());
}

// A scratch takes its rows in any order, so tiles that read less than a line go on within it. Time
// over memcpy, in the order of the destination / so, those of 17000 reorders that it changes: 953
// 0.872 / 0.865, worst 4.6 / 2.7, beyond 1.8 41 and 32 of them, AVX2 2185 0.897 / 0.882, 89 and 60,
// SSE4.1 2333 1.114 / 1.095, 398 and 367 (u8 aCb24c -> abc 2x2048x2048, of which 32 lines in a set
// of L1 were read three times, 4.4 / 1.9). Of tiles that read whole lines: 901, no difference.
bool blocking::fills_scratch_by_src() const {
    return uses_scratch_ && src_run_bytes_ < tuning::line_bytes;
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
//     place of 1.273.
bool blocking::loses_src_lines_by_dst() const {
    if (line_.size() < 2 || !stores_into_caches() || src_run_bytes_ >= tuning::line_bytes)
        return false;
    std::vector<level> levels = tile_;
    levels.insert(levels.end(), line_.begin(), line_.end());
    return touched_lines_in_l1_set(levels, true) >= tuning::min_lines_that_evict
            && touched_lines_in_l1_set(levels, false) < tuning::min_lines_that_evict;
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
        order.reads_blocks_on = next->src_stride == block_src_bytes();
        order.reads_on = order.reads_blocks_on && is_row();
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

dim_t blocking::block_src_bytes() const { return bytes_ / tile_bytes_ * tile_src_bytes_; }

// Whether a block's tiles are pieces of one row of the source, one behind the other.
bool blocking::is_row() const {
    dim_t tile_row = src_run_bytes_;
    for (const level &l : tile_)
        if (l.src_stride == tile_row) tile_row *= 2;
    return tile_row == tile_src_bytes_ && whole_run_in_block(src_bytes_, true) == block_src_bytes();
}

bool blocking::reads_on_over_gaps() const {
    const level *next = next_read();
    if (!next) return false;
    std::vector<level> levels = tile_; // inner to outer
    std::sort(levels.begin(), levels.end(),
            [](const level &a, const level &b) { return a.src_stride < b.src_stride; });
    levels.insert(levels.end(), line_.rbegin(), line_.rend());
    levels.insert(levels.end(), inner_.rbegin(), inner_.rend());
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

dim_t blocking::written_rows() const {
    dim_t n = bytes_ * t_.dst_elem_bits / widest_elem_bits() / dst_bytes_;
    for (auto l = outer_.rbegin(); l != outer_.rend(); ++l) {
        if (stride_of(*l, false) < tuning::min_row_stride_bytes) return n;
        n *= l->extent;
    }
    return 0;
}

int blocking::lines_in_turn(bool of_src) const {
    std::vector<level> rows = levels_in_block();
    dim_t run_bytes = of_src ? src_bytes_ : dst_bytes_;
    for (auto l = outer_.rbegin(); l != outer_.rend(); ++l) {
        const dim_t stride = stride_of(*l, of_src);
        // A run that the tile has in part counts as whole (is_behind): 64 bytes of 24 channels of
        // 2, that repeat every 48.
        if (stride == 0 || stride > run_bytes)
            rows.push_back(*l);
        else if ((run_bytes = std::max(run_bytes, stride * l->extent)) >= tuning::page_bytes)
            break;
    }
    return touched_lines_in_l1_set(std::move(rows), of_src);
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

} // namespace tfmt::cpu
