// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/plan/joined_runs.hpp"
#include "cpu/plan/lay_out.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/tile_cost.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"

// Which ways are tried, and in which vectors. For any destination: joined runs; then a scratch,
// past the caches or where rows push each other out of L1; then where it belongs. For an aligned
// one past the caches: stores that bypass them, in whole vectors or halves, or a scratch of whole
// lines.
namespace tfmt::cpu {

namespace {

// Whether tiles do well past the caches. `has_other`: there is a way that claims lines ahead in the
// caches, or, which most of these figures are of, one through a scratch, which lets tiles read
// whole lines (u8 4096x4096 transposed 1.9 times memcpy, streamed 2.8) and write
// them. Blocks of few rows (read_ahead_rows) find what is left of lines in L2, unless the rows of
// the destination evict each other as well: staged / streamed, to blocks (bf16 ba -> AB16a16b
// 4096x4096 1.19 / 0.74) 3 1.1 (s8 cBa2b -> aBC16b32c 16x512x4096 1.32 / 1.09), AVX2 15 1.17; to
// such rows, 32 to 270 MB, 23 0.71 (u8 ba -> ab 4096x4096 1.0 / 1.9), AVX2 10 0.72, SSE4.1 1 0.78.
bool is_worth_streaming(const tile &t, const machine &m, bool has_other) {
    const bool finds_the_rest = m.read_ahead_rows && !stores_colliding_rows(t);
    if (has_other && !finds_the_rest && reads_lines_again(t)) return false;
    const int n_open = open_lines(t);
    const bool is_in_pages = stores_to_pages(t)
            && !(m.ignores_pages_of_lines_apart && opens_lines_apart(t));
    const int max_open = is_in_pages ? m.max_open_lines_in_pages : m.max_open_lines;
    if (has_other && n_open > max_open) return false;
    return t.phased.empty() || n_open <= tuning::max_open_lines_of_phases;
}

// The beginning of the plan that stores where it belongs, which some ask about before it is the
// one: made when it is first asked for.
class plain_beginning {
public:
    plain_beginning(const move_problem &p, const machine &m) : p_(&p), m_(m) {}

    const machine &target() const { return m_; }
    plan &get() {
        if (!begun_) begun_ = begin_plan(*p_, m_, plan_mode::move, {store_path::plain});
        return *begun_;
    }

private:
    const move_problem *p_;
    machine m_;
    std::optional<plan> begun_;
};

// Whether tiles that store where it belongs would write so many lines of one set of L1, one behind
// the other, that each is out of it again before the next one beside it comes.
bool crowds_l1(const move_problem &p, const machine &m, plain_beginning &beginning) {
    if (!m.min_crowding_lines || is_half_padding(p.limits)) return false;
    const bool is_small_move = !p.converts
            && double(moved_bytes(p)) <= m.max_times_l2_of_crowding_moves * double(m.l2_bytes);
    const bool counts_rows_alone = !is_small_move && !p.converts
            && p.elem_bytes >= m.min_elem_bytes_of_crowding_rows;
    const int min_rows = is_small_move || counts_rows_alone
            ? std::min(m.min_crowding_rows, m.min_crowding_rows_of_moves)
            : m.min_crowding_rows;
    if (dst_lines_of_src_line(p) < min_rows) return false;
    const plan &plain = beginning.get();
    const tile &t = plain.the_tile;
    if (stored_rows_in_l1_set(t) >= min_rows) return true;
    return !counts_rows_alone
            && written_lines_in_l1_set(
                       levels_without_tile(plain.problem, t), plain.problem.limits, t)
            >= m.min_crowding_lines;
}

machine in_half_vectors(machine m) {
    m.vector_bytes /= 2;
    return m;
}

machine with_16_registers(machine m) {
    m.use_16_registers();
    return m;
}

// Whether vectors below a line are executed as two, and none is converted.
bool moves_vectors_as_two(const move_problem &p, const machine &m) {
    return m.executes_vectors_as_two() && m.vector_bytes < tuning::line_bytes && !p.converts;
}

// Whether vectors that are executed as two fill a scratch as two.
bool fills_scratch_in_halves(const move_problem &p, const machine &m, store_path stores) {
    if (!m.executes_vectors_as_two() || p.converts) return false;
    if (m.vector_bytes < tuning::line_bytes)
        return stores == store_path::staged
                && p.elem_bytes >= tuning::min_staged_in_halves_elem_bytes;
    return stores == store_path::collected
            && p.elem_bytes >= tuning::min_collected_in_halves_elem_bytes;
}

// Whether tiles read short runs and store vectors to rows that begin anywhere in a line; within L2
// other rows of the destination count as well, in halves of one.
bool crosses_lines(const plan &begun) {
    const tile &t = begun.the_tile;
    if (bytes_of_src_lanes(t) >= t.vector_bytes) return false;
    if (!stores_vectors(t, t.vector_bytes)) return true;
    if (begun.moved_bytes > dim_t(begun.target.l2_bytes)) return false;
    const std::vector<level> around = levels_without_tile(begun.problem, t);
    return std::any_of(around.begin(), around.end(), [&](const level &l) {
        return l.extent > 1 && l.dst_stride % (t.vector_bytes / 2) != 0;
    });
}

// More than half of a vector, but not all of it.
bool is_most_of(dim_t bytes, int vector_bytes) {
    return bytes > vector_bytes / 2 && bytes < vector_bytes;
}

// Whether rows of the destination that are more than half of a vector, and not all of it, lie side
// by side, so that each is stored by a vector that is masked and mostly goes into the next line.
// Asked before a tile is made for nothing.
bool has_rows_of_part_of_vectors(const move_problem &p, const machine &m) {
    return std::any_of(p.levels.begin(), p.levels.end(),
            [&](const level &l) { return is_most_of(l.dst_stride, m.vector_bytes); });
}

// Whether tiles store as many of these as a vector of the source has elements, or more.
bool stores_parts_of_vectors(const tile &t) {
    dim_t n_rows = 1, row_bytes = t.vector_bytes;
    for (size_t b = 0; b < t.bits.size(); b++) {
        if (t.bits[b].level < 0 || contains(t.dst_run, b)) continue;
        n_rows *= 2;
        row_bytes = std::min(row_bytes, t.bits[b].dst_stride_bytes);
    }
    return t.src_run != t.dst_run && is_most_of(row_bytes, t.vector_bytes)
            && n_rows >= t.vector_bytes / t.elem_bytes;
}

// Bytes that lie side by side on both sides, from the problem's first element on.
dim_t bytes_of_common_row(const move_problem &p) {
    dim_t row_bytes = p.elem_bytes;
    const auto continues_row = [&](const level &l) {
        return l.is_regular() && l.extent > 1 && l.src_stride == row_bytes
                && l.dst_stride == row_bytes;
    };
    for (;;) {
        const auto next = std::find_if(p.levels.begin(), p.levels.end(), continues_row);
        if (next == p.levels.end()) return row_bytes;
        row_bytes *= next->extent;
    }
}

// Whether rows that stay together, an odd number of halves of a vector and a rest, begin within
// lines on both sides, within L2.
bool copies_rows_of_odd_halves(const move_problem &p, const machine &m) {
    if (moved_bytes(p) > dim_t(m.l2_bytes)) return false;
    const dim_t row_bytes = bytes_of_common_row(p);
    if (row_bytes < tuning::min_bytes_of_rows_in_halves
            || row_bytes >= tuning::max_vectors_of_rows_in_halves * m.vector_bytes
            || row_bytes / (m.vector_bytes / 2) % 2 == 0)
        return false;
    const auto begin_within_lines = [&](bool of_src) {
        return std::any_of(p.levels.begin(), p.levels.end(), [&](const level &l) {
            const dim_t stride = stride_of(l, of_src);
            return l.extent > 1 && stride >= row_bytes && stride % tuning::line_bytes != 0;
        });
    };
    return begin_within_lines(true) && begin_within_lines(false);
}

// Whether vectors of half the length cross fewer lines where that is slow.
bool crosses_fewer_in_halves(const move_problem &p, const machine &m, plain_beginning &whole) {
    if (!m.has_slow_line_crossings || m.vector_bytes != m.register_bytes() || p.converts
            || is_staged_past_caches(p, m))
        return false;
    if (copies_rows_of_odd_halves(p, m)) return true;
    if (m.vector_bytes < tuning::line_bytes) return false;
    if (p.elem_bytes <= tuning::max_crossing_elem_bytes)
        return moved_bytes(p) >= m.min_moved_bytes_of_crossing_runs && crosses_lines(whole.get());
    return p.elem_bytes == tuning::crossing_elem_bytes_of_rows
            && moved_bytes(p) >= tuning::min_moved_bytes_of_crossing_rows
            && has_rows_of_part_of_vectors(p, m) && stores_parts_of_vectors(whole.get().the_tile);
}

// Whether lines are loaded as two from more pages than the core knows the places of.
bool loads_lines_as_two_from_many_pages(const move_problem &p, const machine &m) {
    if (!m.executes_vectors_as_two() || m.vector_bytes < tuning::line_bytes || p.converts)
        return false;
    return src_span_bytes(p) >= tuning::min_src_span_bytes_of_copies_in_halves;
}

bool copies_vectors(const tile &t) { return t.src_run == t.dst_run && t.phased.empty(); }

// Of tiles of whole vectors, of halves and, of either, of fewer registers, those that cost least.
plain_beginning of_least_tile_cost(
        const move_problem &p, const machine &m, plain_beginning whole, plain_beginning halves) {
    plain_beginning fewer(p, with_16_registers(m));
    plain_beginning fewer_halves(p, with_16_registers(in_half_vectors(m)));
    const auto cost = [](plain_beginning &beginning) {
        const plan &begun = beginning.get();
        return tile_cost(begun.the_tile, schedule_of(begun.the_tile, begun.target),
                levels_without_tile(begun.problem, begun.the_tile));
    };
    plain_beginning *best = &whole;
    double least = cost(whole);
    const auto consider = [&](plain_beginning &other, double max_share) {
        const double its_cost = cost(other);
        if (its_cost >= max_share * least) return;
        best = &other;
        least = its_cost;
    };
    consider(halves, 1);
    if (!p.converts) {
        consider(fewer, tuning::max_split_cost_share_of_fewer_registers);
        consider(fewer_halves, tuning::max_split_cost_share_of_fewer_registers);
    }
    return std::move(*best);
}

// With vectors of half the length, or tiles of fewer registers, where these move a small tensor
// faster or cross fewer lines. Halves of 16 bytes need no shuffles between lanes and nearly always
// do.
plain_beginning in_fitting_vectors(const move_problem &p, const machine &m) {
    plain_beginning whole(p, m), halves(p, in_half_vectors(m));
    if (crosses_fewer_in_halves(p, m, whole)) return halves;
    if (loads_lines_as_two_from_many_pages(p, m) && copies_vectors(whole.get().the_tile))
        return halves;
    if (!m.executes_vectors_as_two() || moved_bytes(p) > m.max_split_moved_bytes
            || is_staged_past_caches(p, m)
            || (p.converts && p.dst_elem_bits() <= p.src_elem_bits()))
        return whole;
    const bool halves_lines = m.vector_bytes >= tuning::line_bytes;
    if (dst_rows_of_src_line(p) > (halves_lines ? tuning::max_dst_rows_of_halves_of_lines
                                                : tuning::max_dst_rows_of_halves))
        return whole;
    if (!halves_lines) return halves;
    return of_least_tile_cost(p, m, std::move(whole), std::move(halves));
}

// With joined runs, where there are any and a tile takes them. Beyond the caches, and of narrow
// elements in rows that collide, a scratch gathers whole lines, which tiles with phases do not go
// through.
bool lay_out_joined(const move_problem &p, const machine &m, plan *out) {
    if (is_staged_past_caches(p, m) || moved_bytes(p) < tuning::min_joined_bytes) return false;
    const way plain {store_path::plain, false, tuning::max_joined_ops};
    move_problem joined;
    for (const bool of_src : {false, true}) {
        if (!join_runs(p, of_src, &joined)) continue;
        if (p.elem_bytes <= tuning::max_elem_bytes_better_collected && needs_collecting(p, m))
            return false; // whichever runs are joined
        if (lay_out(joined, m, plan_mode::move, plain, out) && !out->the_tile.phased.empty())
            return true;
    }
    return false;
}

// Whether steps of padding surround levels with larger strides, so that the destination is gone
// through once for the data and again for them.
bool pads_in_extra_passes(const plan &p) {
    const std::vector<level> &levels = p.problem.levels;
    const limit_list &limits = p.problem.limits;
    for (size_t i = 0; i < levels.size(); i++) {
        const level &l = levels[i];
        const dim_t n_written = std::min(l.extent, limits[size_t(l.dim)].store / l.unit);
        if (read_steps(limits, l) >= n_written) continue;
        if (std::any_of(levels.begin() + dim_t(i), levels.end(),
                    [&](const level &inner) { return inner.dst_stride > l.dst_stride; }))
            return true;
    }
    return false;
}

std::string note_of(const plan &p) {
    if (p.mode != plan_mode::move || !p.the_tile.src_run.empty()) return "";
    if (!p.the_tile.phased.empty() && p.the_tile.vector_bytes >= 16) return ""; // parts of blocks
    if (p.the_tile.vector_bytes >= 16 && p.the_tile.n_lane_bits() == 0) return ""; // whole vectors
    if (p.the_tile.vector_bytes >= 16) {
        const bit_indices &dst_run = p.the_tile.dst_run;
        const bool has_one = std::none_of(dst_run.begin(), dst_run.end(),
                [&](int b) { return p.the_tile.bits[size_t(b)].is_read; });
        return has_one && !dst_run.empty()
                ? "reads one element at a time: each has a vector of dst to itself"
                : "reads one element at a time: src has no two neighbours to move together";
    }
    if (p.problem.levels.empty()) return ""; // a single element
    return "one element at a time: dst has no two neighbours to move together";
}

} // namespace

bool make_plan(
        const move_problem &p, const machine &host, plan_mode mode, plan *out, std::string *why) {
    for (const level &l : p.levels)
        if (!l.is_regular() && l.extent > tuning::max_irregular_steps) {
            *why = "blocks that nest in no step of their first "
                    + std::to_string(tuning::max_irregular_steps);
            return false;
        }
    if (mode == plan_mode::move && lay_out_joined(p, host, out)) return true;
    plain_beginning beginning = mode == plan_mode::move ? in_fitting_vectors(p, host)
                                                        : plain_beginning(p, host);
    const machine &m = beginning.target();
    const store_path detour = is_staged_past_caches(p, m) ? store_path::staged
                                                          : store_path::collected;
    const auto is_collected = [&] {
        return moved_bytes(p) >= m.min_collected_bytes
                && (needs_collecting(p, m) || crowds_l1(p, m, beginning));
    };
    const bool wants_detour = mode == plan_mode::move
            && (detour == store_path::staged || is_collected());
    const bool tries_lanes = mode == plan_mode::move && detour == store_path::collected
            && (wants_detour ? may_use_lanes(p, m) : wants_lanes(p, m));
    std::vector<way> ways; // the first one that can be laid out
    if (tries_lanes) ways.push_back({store_path::collected_in_lanes});
    if (wants_detour) ways.push_back({detour});
    ways.push_back({store_path::plain});
    ways.push_back({store_path::plain, true});
    const auto lays_out = [&](const way &w) {
        if (mode == plan_mode::move && w.stores == store_path::plain && !w.is_simple) {
            *out = std::move(beginning.get());
            return finish_plan(*out, w);
        }
        const bool in_halves = fills_scratch_in_halves(p, m, w.stores);
        return lay_out(p, in_halves ? in_half_vectors(m) : m, mode, w, out);
    };
    if (std::none_of(ways.begin(), ways.end(), lays_out)) {
        *why = "too many combinations of tails for generated code";
        return false;
    }
    out->note = note_of(*out);
    return true;
}

bool make_streamed_plan(
        const move_problem &p, const machine &m, plan *out, const plan *for_any, plan_mode mode) {
    if (!exceeds_cache(p, m) || (for_any && for_any->claims_on)) return false;
    way streamed {store_path::streamed};
    streamed.has_other = for_any
            && (uses_scratch(for_any->stores) || for_any->target.claimed_ahead_bytes > 0);
    const auto is_worth_it = [&](const machine &any, plan *begun) {
        *begun = begin_plan(p, any, mode, streamed);
        return is_worth_streaming(begun->the_tile, any, streamed.has_other);
    };
    const bool may_halve = mode == plan_mode::move && moves_vectors_as_two(p, m);
    if (is_worth_it(m, out)) {
        const bool halves_copies = mode == plan_mode::move && copies_vectors(out->the_tile)
                && loads_lines_as_two_from_many_pages(p, m);
        plan halves;
        if ((halves_copies || may_halve) && is_worth_it(in_half_vectors(m), &halves)
                && (halves_copies || halves.the_tile.bits_of_level == out->the_tile.bits_of_level))
            *out = std::move(halves);
        if (finish_plan(*out, streamed)) return true;
    }
    if (streamed.has_other && mode == plan_mode::move && wants_staged_lanes(p, m)
            && lay_out(p, m, mode, {store_path::staged_in_lanes}, out))
        return true;
    if (mode != plan_mode::move || p.converts) return false; // stores that in whole vectors
    if (m.vector_bytes < tuning::min_streamed_in_halves_vector_bytes
            && !(may_halve && p.elem_bytes >= tuning::min_streamed_in_halves_elem_bytes))
        return false;
    return is_worth_it(in_half_vectors(m), out) && !stores_lines(out->the_tile)
            && finish_plan(*out, streamed);
}

bool wants_padding_apart(const move_problem &p, const machine &m, double share) {
    const bool is_past_caches = exceeds_cache(p, m);
    const bool is_in_l2 = moved_bytes(p) <= dim_t(m.l2_bytes);
    const bool is_for_rows_alone = m.max_padded_rows && !is_in_l2;
    const double narrow_share = m.vector_bytes == 16 ? tuning::min_padding_apart_share
                                                     : tuning::min_padding_apart_share_of_32_bytes;
    if (m.vector_bytes < tuning::line_bytes && is_in_l2 && share >= narrow_share) return true;
    if ((is_past_caches || is_for_rows_alone) && share < tuning::min_large_padding_apart_share)
        return false;
    const way usual {is_past_caches ? store_path::streamed : store_path::plain};
    plan one = begin_plan(p, m, plan_mode::move, usual);
    const int max_rows = m.max_padded_rows ? m.max_padded_rows : tuning::max_rows_in_l1_set;
    const bool crowds = stored_rows_in_l1_set(one.the_tile) > max_rows;
    if (is_for_rows_alone) return crowds;
    if (crowds || !choose_order(one, usual)) return true;
    if (!is_past_caches && !is_in_l2 && share >= tuning::min_padding_passes_share
            && pads_in_extra_passes(one))
        return true;
    // Tiles with phases carry zeros along in pieces of a few bytes: s8 abc -> ABc16b48a4b 768x1x10
    // 7.7 times memcpy, 1.7 with the padding apart; 5 others 0.95 of the time.
    plan joined;
    return lay_out_joined(p, m, &joined);
}

} // namespace tfmt::cpu
