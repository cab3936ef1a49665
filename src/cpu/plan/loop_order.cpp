// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/loop_order.hpp"

#include <algorithm>
#include <optional>

#include "cpu/plan/blocking.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Whether tiles store bytes of a longer run of the source, without fillers, to rows that begin
// within lines: a pair of lines would leave twice as many of these in part.
bool stores_bytes_within_lines(const tile &t) {
    return t.dst_elem_bits <= tuning::max_unpaired_elem_bits
            && t.src_whole_run_bytes > tuning::line_bytes
            && std::none_of(t.src_run.begin(), t.src_run.end(),
                    [&](int b) { return t.bits[size_t(b)].level < 0; })
            && !stores_vectors(t, tuning::line_bytes);
}

// How many lines of a row of the source tiles read together that store where it belongs: all that
// `m` reads best so, for loads of whole vectors, half a line and more, that do not end within
// lines, if L1 holds the lines of the destination that are left in part meanwhile.
int lines_read_together(const tile &t, const machine &m) {
    const bool reads_vectors = t.src_run_bytes
            >= std::max(dim_t(t.vector_bytes), tuning::line_bytes / 2);
    if (!reads_vectors || reads_odd_runs(t) || t.dst_elem_bits > t.src_elem_bits) return 1;
    if (stores_bytes_within_lines(t)) return 1;
    const dim_t n_tiles = std::max<dim_t>(1, m.paired_lines * tuning::line_bytes / t.src_run_bytes);
    const bool has_room = t.dst_run_bytes >= tuning::line_bytes
            || n_tiles * stored_rows_in_l1_set(t) <= tuning::max_rows_in_l1_set;
    return has_room ? m.paired_lines : 1;
}

// Whether tiles read the rest of a line of the source next, and not later in the order of the
// destination: if L1 has room for what they write meanwhile, or what is read in parts would cost
// more.
bool reads_lines_at_once(const blocking &b, const tile &t, memory_pattern pattern) {
    const blocking::lines_written written = b.written_between_src_lines();
    if (written.in_l1_set < tuning::min_lines_that_evict) return true;
    if (written.in_part || t.is_narrow) return false;
    if (pattern == memory_pattern::in_l2_mostly_written
            || pattern == memory_pattern::mostly_written)
        return false;
    dim_t enough_bytes = std::max(tuning::line_bytes / 4, dim_t(t.vector_bytes / 2));
    if (pattern == memory_pattern::in_l2)
        enough_bytes = std::min(tuning::line_bytes / 2, dim_t(t.vector_bytes));
    else if (stores_lines(t))
        enough_bytes = tuning::min_whole_lines_src_run_bytes;
    return written.in_l1_set < tuning::min_whole_lines_in_l1_set || t.src_run_bytes < enough_bytes
            || reads_odd_runs(t) || reads_colliding_rows(t);
}

// Whether a line of the source is out of L1 again before more of it is read in the order of the
// destination, where to read on does not leave a page of that.
//     Streamed by tiles that store whole lines, vector by vector, time over memcpy in the order of
//     the destination / so, those of 10200 reorders that it changes, on Zen 3: SSE4.1 40 0.86 /
//     0.69 (s8 ab -> AB32a16b 1024x4096 2.5 / 0.8), AVX2 30 0.687 / 0.685; across up to four pages
//     as well 0.72 and 0.72, wherever it leads 178 0.69 / 0.76 and 103 0.62 / 0.70 (s8 ABcd16a16b
//     -> acdb 32x16x112x112 0.6 / 2.1), and however few rows share a set of L1 356 0.67 / 0.70 and
//     270 0.69 / 0.72.
bool evicts_src_lines(const blocking &b) {
    const blocking::lines_read read = b.read_between_src_lines();
    return read.in_l1_set >= tuning::min_lines_that_evict
            && read.dst_span_bytes <= tuning::page_bytes;
}

// Whether blocks within L2, in the order of the destination, visit so many rows of the source in
// turns that no line of them stays in L1, nor what the processor fetches behind it, where those in
// the order of the source would visit few, and of the destination few or no more than now.
bool is_better_by_src(const blocking &by_dst, const machine &m) {
    if (!m.min_lines_in_turn || by_dst.lines_in_turn(true) < m.min_lines_in_turn) return false;
    blocking by_src = by_dst;
    by_src.sort(true);
    return by_src.lines_in_turn(true) < m.min_lines_in_turn
            && by_src.lines_in_turn(false)
            <= std::max(tuning::max_lines_in_turn_of_dst, by_dst.lines_in_turn(false));
}

// Bytes of the rows that tiles copy as they are, with what `levels`, outer to inner, add to a
// tile's piece, in whole tiles; 0 if elements change places.
dim_t copied_row_bytes(const tile &t, const std::vector<level> &levels) {
    if (t.src_run != t.dst_run) return 0;
    dim_t src_bytes = t.src_run_bytes, dst_bytes = t.dst_run_bytes;
    const auto take = [&](dim_t src_stride, dim_t dst_stride, dim_t extent) {
        if (src_stride == src_bytes && dst_stride == dst_bytes)
            src_bytes *= extent, dst_bytes *= extent;
    };
    for (const tile_bit &b : t.bits)
        take(b.src_stride_bytes, b.dst_stride_bytes, 2);
    for (auto l = levels.rbegin(); l != levels.rend(); ++l)
        take(l->src_stride, l->dst_stride, l->extent);
    return std::min(src_bytes, dst_bytes);
}

// `max_rows` 0: no limit.
bool has_too_many_rows(const blocking &b, int max_rows) {
    return max_rows && b.written_rows() > max_rows;
}

// Copies of rows of whole lines and more. Long ones, and such as go past the caches, also where
// they could be read on in the order of the source (min_long_copied_row_bytes).
void page_copies(blocking &b, const tile &t, bool is_streamed, const machine &m) {
    if (!has_too_many_rows(b, m.max_copied_rows)) return;
    const loop_order order = b.order();
    if (!is_streamed && copied_row_bytes(t, order.levels) >= tuning::min_long_copied_row_bytes)
        b.page(tuning::page_long_copied_src_bytes, tuning::page_long_copied_dst_bytes);
    else if (is_streamed || !order.reads_on)
        b.page(tuning::page_copied_src_bytes, tuning::page_copied_dst_bytes);
}

// Whether so few rows are read together, for the processor to read on in each, that it pays though
// a block then has a single line of each row of the destination.
bool reads_fewest_rows(const tile &t, const machine &m) {
    return m.read_ahead_rows_of_moves && t.src_elem_bits == t.dst_elem_bits;
}

// Not where a block has a single line of each row because it reads much for that, but where it
// reads few rows.
void page_transposes(blocking &b, const tile &t, const machine &m) {
    if (b.dst_bytes() > tuning::line_bytes)
        b.page(tuning::page_block_src_bytes, tuning::page_block_dst_bytes);
    else if (reads_fewest_rows(t, m))
        b.page(tuning::page_block_src_bytes, tuning::page_block_dst_bytes_of_lines);
}

// Rows of up to `row_bytes` that are read (or written) before more is of the first one, in the
// order of `levels`, outer to inner.
dim_t rows_in_turn(const std::vector<level> &levels, dim_t row_bytes, bool of_src) {
    dim_t n = 1;
    for (auto l = levels.rbegin(); l != levels.rend(); ++l) {
        if (l->src_stride == l->dst_stride && l->src_stride < row_bytes) continue; // within a row
        if (stride_of(*l, of_src) <= row_bytes) break;
        n *= l->extent;
    }
    return n;
}

// Whether copies of long rows go on along the destination: if that leads to few rows of the source,
// and to fewer than of the destination the other way.
bool copies_along_dst(const tile &t, const std::vector<level> &levels, const machine &m) {
    if (m.max_read_rows == 0) return false;
    const auto sorted = [&](bool by_src) {
        std::vector<level> all = levels;
        std::sort(all.begin(), all.end(), [&](const level &a, const level &b) {
            return stride_of(a, by_src) > stride_of(b, by_src);
        });
        return all;
    };
    const std::vector<level> by_dst = sorted(false);
    const dim_t row_bytes = copied_row_bytes(t, by_dst);
    if (row_bytes < tuning::min_long_copied_row_bytes) return false;
    const dim_t n = rows_in_turn(by_dst, row_bytes, true);
    return n <= m.max_read_rows && n < rows_in_turn(sorted(true), row_bytes, false);
}

// The narrower the elements, the more rows of the source for the same bytes.
dim_t staged_dst_bytes(const tile &t) {
    return t.dst_elem_bits < 32 ? tuning::staged_dst_bytes / 2 : tuning::staged_dst_bytes;
}

// Blocks of a scratch for transposes between rows in pages of their own, on cores that fetch ahead
// in many rows at once: few rows of the source, which are read far enough for that. None where rows
// are short.
std::optional<loop_order> order_in_long_rows(blocking b, const tile &t, const machine &m) {
    if (!m.read_ahead_rows || !transposes_pages(t)) return std::nullopt;
    b.stage({tuning::long_rows_dst_bytes, tuning::long_rows_src_bytes,
                    tuning::long_rows_block_bytes, m.min_unchained_lines_bytes},
            m);
    if (b.src_row_bytes() < tuning::min_long_rows_src_bytes
            || b.chained_dst_bytes() < tuning::min_long_rows_dst_bytes)
        return std::nullopt;
    loop_order order = b.order();
    order.fetched_ahead_bytes = tuning::long_rows_fetched_bytes;
    return order;
}

// Small blocks of a scratch for small pieces that are permuted each by itself: the processor finds
// the next one, and reads it while lines of the one before are still on their way to memory.
std::optional<loop_order> order_in_pieces(blocking b, const machine &m) {
    if (!m.piece_block_bytes || !b.stage_pieces(m.piece_block_bytes)) return std::nullopt;
    loop_order order = b.order();
    order.reads_pieces_on = true;
    return order;
}

// Whether what stays together on both sides is less than a vector, and no power of two: the
// channels of a picture that is turned.
bool moves_short_rows(const tile &t, const std::vector<level> &levels) {
    if (t.src_run.empty() || t.dst_run.empty() || t.src_run[0] != t.dst_run[0]
            || is_pow2(t.src_run_bytes))
        return false;
    const auto stays = [&](dim_t src_stride, dim_t dst_stride) {
        return src_stride == dst_stride && src_stride >= t.vector_bytes;
    };
    for (const tile_bit &b : t.bits)
        if (b.level >= 0 && stays(b.src_stride_bytes, b.dst_stride_bytes)) return false;
    return std::none_of(levels.begin(), levels.end(),
            [&](const level &l) { return l.extent > 1 && stays(l.src_stride, l.dst_stride); });
}

// Whether tiles copy parts of lines of the source which others of one set push out of L1 before
// their neighbours there are read.
bool loses_copied_lines(const blocking &b, dim_t copied_bytes) {
    return copied_bytes > 0 && copied_bytes < tuning::line_bytes
            && b.read_between_src_lines().in_l1_set >= tuning::min_lines_lost_meanwhile;
}

// What a block that is streamed may have, for the sake of the source's rows.
dim_t max_streamed_block_bytes(const blocking &b, const tile &t, bool is_near, const machine &m) {
    if (reads_fewest_rows(t, m)) return b.bytes_of_src_rows(m.read_ahead_rows_of_moves);
    if (m.read_ahead_rows)
        return b.bytes_of_src_rows(is_near ? m.read_ahead_rows_near : m.read_ahead_rows);
    return fills_src_sets(t) ? b.bytes_of_src_rows(tuning::max_rows_of_filled_sets)
                             : blocking::no_limit;
}

// What a block that is streamed has along the destination at least, whether or not L1 holds the
// lines of the source that tiles read in parts. Cores that fetch ahead of many rows have their own
// limit of rows.
dim_t min_streamed_dst_bytes(const tile &t, const limit_list &limits, const machine &m) {
    const bool reads_lines_again = t.src_run_bytes < tuning::line_bytes
            && t.src_elem_bits == t.dst_elem_bits;
    return reads_lines_again && !m.read_ahead_rows && !is_half_padding(limits)
            ? tuning::min_streamed_dst_bytes
            : tuning::block_dst_bytes;
}

} // namespace

dim_t scratch_row_bytes(dim_t run_bytes) {
    const dim_t bytes = tuning::line_bytes + round_up(run_bytes, tuning::line_bytes);
    return bytes % tuning::colliding_scratch_bytes != 0 ? bytes : bytes + tuning::line_bytes;
}

int written_lines_in_l1_set(
        const std::vector<level> &levels, const limit_list &limits, const tile &t) {
    return blocking(levels, limits, t, blocking::never_sink).written_between_src_lines().in_l1_set;
}

// Bytes of each row of a source beyond L2 in a block. `copied_bytes`: copied_row_bytes() of tiles.
dim_t src_bytes_in_block(dim_t copied_bytes, const machine &m) {
    const bool copies_parts_of_lines = copied_bytes > 0 && copied_bytes < tuning::line_bytes;
    return copies_parts_of_lines ? std::max(m.block_src_bytes, m.block_src_bytes_of_parts)
                                 : m.block_src_bytes;
}

loop_order order_levels(const std::vector<level> &levels, const limit_list &limits, const tile &t,
        memory_pattern pattern, const machine &m, bool is_simple) {
    const bool is_streamed = pattern == memory_pattern::streamed
            || pattern == memory_pattern::streamed_near;
    blocking b(levels, limits, t, is_simple ? blocking::never_sink : tuning::min_sunk_call_bytes);
    const dim_t copied_bytes = copied_row_bytes(t, {});
    const bool is_odd = reads_odd_runs(t), copies = copied_bytes >= tuning::line_bytes;
    const bool crowds = is_odd && reads_colliding_rows(t);
    const bool has_short_rows = moves_short_rows(t, levels);
    switch (pattern) {
    case memory_pattern::in_l2:
    case memory_pattern::in_l2_mostly_written:
        b.fill_src_gaps();
        b.complete_lines(reads_lines_at_once(b, t, pattern), true);
        b.sort(false);
        if (pattern == memory_pattern::in_l2 && is_better_by_src(b, m)) b.sort(true);
        break;
    case memory_pattern::beyond_l2:
    case memory_pattern::mostly_written:
        if ((is_odd && has_short_rows) || loses_copied_lines(b, copied_bytes))
            b.grow_in_l1(true, tuning::block_src_bytes, tuning::max_rows_in_l1_set + 1);
        else if (is_odd)
            b.grow_src(tuning::odd_runs_src_bytes);
        b.take_padding();
        b.complete_lines(reads_lines_at_once(b, t, pattern), true, lines_read_together(t, m));
        // Where elements only become wider, to read less of a line at once cost more than rows on
        // one set of L1: u8 to f32 and f64, 404 on AVX-512 1.69 / 1.63 without that, AVX2 326 1.88
        // / 1.83, SSE4.1 314 2.58 / 2.50.
        if (pattern == memory_pattern::mostly_written && is_half_padding(limits))
            b.grow_in_l1(true, m.block_src_bytes, tuning::min_whole_lines_in_l1_set);
        else
            b.grow_src(src_bytes_in_block(copied_bytes, m));
        if (!t.dst_has_4_bits) {
            const dim_t target_bytes = read_lines(t) >= tuning::many_read_lines
                    ? tuning::block_dst_bytes_of_many_lines
                    : tuning::block_dst_bytes;
            b.take_whole_dst(target_bytes, m.max_whole_dst_bytes);
            if (pattern == memory_pattern::beyond_l2 && stored_rows_in_l1_set(t) == 1)
                b.grow_in_l1(false, target_bytes, tuning::min_whole_lines_in_l1_set);
            else
                b.grow_dst(target_bytes);
        }
        b.sort(pattern == memory_pattern::beyond_l2 && !(copies && copies_along_dst(t, levels, m)));
        if (copies && pattern == memory_pattern::beyond_l2) page_copies(b, t, false, m);
        break;
    case memory_pattern::streamed:
    case memory_pattern::streamed_near:
        if (crowds) b.grow_src(tuning::odd_runs_src_bytes);
        b.take_padding();
        b.cut_dst_at_lines();
        // Parts of a line of the destination must follow each other at once.
        b.complete_lines(
                b.dst_bytes() >= tuning::line_bytes || (open_lines(t) == 0 && evicts_src_lines(b)),
                false);
        b.grow_src(tuning::block_src_bytes);
        b.grow_dst_in_l1(crowds ? tuning::odd_runs_dst_bytes : tuning::block_dst_bytes,
                min_streamed_dst_bytes(t, limits, m),
                max_streamed_block_bytes(b, t, pattern == memory_pattern::streamed_near, m));
        b.sort(true);
        if (m.fetched_stream_bytes > 0 && b.order().reads_on) {
            b.grow_src(tuning::page_bytes);
            b.sort(true);
        }
        if (copies)
            page_copies(b, t, true, m);
        else if (has_too_many_rows(b, m.max_written_rows) && !b.order().reads_on)
            page_transposes(b, t, m);
        break;
    case memory_pattern::staged:
        if (crowds) b.grow_src(tuning::odd_runs_src_bytes);
        if (const auto in_long_rows = order_in_long_rows(b, t, m)) return *in_long_rows;
        if (const auto in_pieces = order_in_pieces(b, m)) return *in_pieces;
        b.stage({staged_dst_bytes(t),
                        has_short_rows ? tuning::staged_src_bytes_of_short_rows
                                       : tuning::staged_src_bytes,
                        tuning::staged_block_bytes, m.min_unchained_lines_bytes},
                m);
        break;
    case memory_pattern::staged_near:
        if (crowds) b.grow_src(tuning::odd_runs_src_bytes);
        if (const auto in_pieces = order_in_pieces(b, m)) return *in_pieces;
        b.stage({tuning::staged_near_dst_bytes,
                        has_short_rows ? tuning::staged_near_src_bytes_of_short_rows
                                       : tuning::staged_near_src_bytes,
                        m.staged_near_block_bytes},
                m);
        break;
    case memory_pattern::collected:
        b.collect(m.collected_dst_bytes, m.collected_block_bytes, m.collected_paired_lines);
        break;
    }
    loop_order order = b.order();
    const bool may_fetch = pattern == memory_pattern::beyond_l2
            || pattern == memory_pattern::mostly_written || is_streamed;
    order.reads_on_over_gaps = may_fetch && b.reads_on_over_gaps();
    if (is_streamed) order.n_src_lines_meanwhile = b.src_lines_meanwhile(order);
    return order;
}

} // namespace tfmt::cpu
