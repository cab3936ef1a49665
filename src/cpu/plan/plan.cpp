// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

#include <algorithm>

#include "common/checked.hpp"
#include "cpu/plan/jobs.hpp"
#include "cpu/plan/joined_runs.hpp"
#include "cpu/plan/lane_drain.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/tile_cost.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

nest_state enter(const nest_state &state, int dim, const segment &s) {
    nest_state below = state;
    below.limits[dim] = s.below;
    below.in_padding = state.in_padding || s.is_padding;
    return below;
}

bool has_work(const plan &p, const nest_state &state) {
    if (p.mode == plan_mode::move || state.in_padding) return true;
    return std::any_of(state.limits.begin(), state.limits.end(),
            [](const dim_limits &l) { return l.load < l.store; });
}

segment_list root_segments(const plan &p, const nest_state &state) {
    if (!p.has_shared_root()) {
        segment_list once; // all that is left
        once.push_back({0, 1, {1, 1}, false});
        return once;
    }
    const level &root = p.problem.levels[p.n_driver_levels];
    return split(root.unit, state.limits[root.dim], state.in_padding);
}

namespace {

// Takes the tile's bits out of the levels.
std::vector<level> levels_without_tile(const move_problem &p, const tile &t) {
    std::vector<level> levels;
    levels.reserve(p.levels.size());
    for (size_t i = 0; i < p.levels.size(); i++) {
        level l = p.levels[i];
        const int bits = t.bits_of_level[i];
        if (bits > 0) l = in_groups(l, dim_t(1) << bits);
        if (l.extent > 1) levels.push_back(std::move(l));
    }
    return levels;
}

// Whether the tile's runs, though none is a vector, are whole ones side by side, which ir/repack
// gathers from few rows of the source.
bool gathers_vectors(const plan &p) {
    const tile &t = p.the_tile;
    if (!p.target.can_permute(t.elem_bytes) || p.problem.converts || !t.phased.empty()
            || is_src_packed(t, t.src_run))
        return false;
    dim_t n_elems = 1, n_rows = 1, last_bytes = 0;
    for (int d = 0; d < int(p.problem.limits.size()); d++) {
        dim_t n_steps = 1, unit = 0; // of the dimension in the tile, as if all of them existed
        bool is_row = true;
        for (size_t b = 0; b < t.bits.size(); b++) {
            if (t.bits[b].dim != d) continue;
            if (unit == 0) unit = t.bits[b].weight;
            if (t.bits[b].weight != n_steps * unit || t.bits[b].src_stride_bytes % t.elem_bytes)
                return false;
            n_steps *= 2;
            is_row = is_row && !contains(t.src_run, b);
        }
        if (unit == 0) continue;
        const dim_t n = std::min(n_steps, ceil_div(p.problem.limits[size_t(d)].store, unit));
        n_elems *= n;
        if (is_row) n_rows *= n;
        for (const tile_bit &b : t.bits)
            if (b.dim == d && (n - 1) & (b.weight / unit)) last_bytes += b.dst_stride_bytes;
    }
    const dim_t bytes = n_elems * t.elem_bytes;
    return last_bytes + t.elem_bytes == bytes && bytes % p.store_vector_bytes() == 0
            && n_rows <= tuning::max_gathered_rows;
}

// Whether every address of a whole-vector store is the destination pointer plus a multiple of the
// vector, and every vector a whole one.
bool has_aligned_vectors(const plan &p) {
    const tile &t = p.the_tile;
    const int v = p.store_vector_bytes();
    if (v < 16 || int(t.dst_run.size()) != t.n_lane_bits()
            || p.problem.dst_offset_bytes % p.dst_alignment_bytes)
        return false;
    const conversion &c = p.problem.converts;
    if (c.pairs_rows && !c.at_load && c.row_bytes % v) return false;
    if (!stores_vectors(t, v) && !gathers_vectors(p)) return false;
    for (const phased_bits &b : t.phased)
        if (!b.bits.empty() && !contains(t.dst_run, size_t(b.bits[0]))
                && std::any_of(b.dst_digits.begin(), b.dst_digits.end(),
                        [&](const digit &g) { return g.stride % v; }))
            return false;
    return std::all_of(p.problem.levels.begin(), p.problem.levels.end(), [&](const level &l) {
        return l.dst_stride % v == 0
                && std::all_of(l.dst_digits.begin(), l.dst_digits.end(), [&](const digit &g) {
                       return g.stride * (&g == &l.dst_digits[0] ? l.digit_steps : 1) % v == 0;
                   });
    });
}

// How a plan is laid out. `is_simple`: without phases of tiles, beyond L2 in the order of the
// source and with loops whose blocks do not nest outside of all others, which makes less code and
// fewer jobs, if slower. Not with more than `max_ops` operations.
struct way {
    store_path stores;
    bool is_simple = false;
    size_t max_ops = tuning::max_kernel_ops;
    bool has_staged = false; // the other way goes through a scratch
};

memory_pattern pattern_of(const plan &p, bool is_simple) {
    switch (p.stores) {
    case store_path::streamed: return memory_pattern::streamed;
    case store_path::staged:
    case store_path::staged_in_lanes:
        return p.moved_bytes < dim_t(p.target.l3_bytes) ? memory_pattern::staged_near
                                                        : memory_pattern::staged;
    case store_path::collected:
    case store_path::collected_in_lanes: return memory_pattern::collected;
    case store_path::plain: break;
    }
    const bool writes_more = !is_simple && is_mostly_written(p.problem);
    // With the padding in lines of the source: time over memcpy, by what is moved / so, the 105 of
    // 5600 reorders that it changes 0.92 / 0.89 (f32 ABcd16a32b -> adbc 16x4x64x64 1.6 / 0.8), AVX2
    // 0.94 / 0.91, SSE4.1 0.95 / 0.92. To fetch ahead in these as well: 0.94, 0.96, 0.99.
    if (touched_bytes(p.problem) <= dim_t(p.target.l2_bytes))
        return writes_more ? memory_pattern::in_l2_mostly_written : memory_pattern::in_l2;
    return writes_more ? memory_pattern::mostly_written : memory_pattern::beyond_l2;
}

// Each block of a scratch that is not chained is a call of its own, which ends with a fence.
bool has_too_small_blocks(const plan &p) {
    if (p.stores != store_path::staged || p.scratch.is_chained
            || p.moved_bytes < tuning::min_large_bytes)
        return false;
    return pass_bytes(tile_bytes(p.the_tile), p.problem.levels, p.first_of_block(),
                   tuning::min_scratch_block_bytes)
            < tuning::min_scratch_block_bytes;
}

// Whether this share of the last cache, an infinite one of none as well, holds source and
// destination.
bool is_near(const move_problem &p, const machine &m, double share) {
    return double(touched_bytes(p)) / share <= double(m.l3_bytes);
}

// Whether what the next block reads is fetched while tiles store where it belongs.
bool is_worth_fetching(const plan &p, const move_problem &whole, const loop_order &order) {
    // Drains fetch by themselves, and so does the processor what is read in order: asked to, copies
    // of 2 to 8 MB took 1.10 times as long, f32 to bf16 and s8 in a row 1.17.
    if (uses_scratch(p.stores) || order.reads_on) return false;
    // Within L2 nothing is, nor where little is read of a source that spans more (86 sources that
    // are mostly padding took 1.06 of the time with it, 0.5 to 4.2).
    if (p.moved_bytes <= dim_t(p.target.l2_bytes)) return false;
    // What is read in small pieces is fetched over and over.
    if (reads_on_in_lines(p.the_tile, whole.levels)
            && is_near(whole, p.target, tuning::min_refetched_share_of_cache))
        return false;
    if (order.reads_on_over_gaps && is_near(whole, p.target, tuning::max_read_on_share_of_cache))
        return false;
    return written_lines(p.the_tile) >= p.target.min_lines_to_fetch_near
            || !is_near(whole, p.target, p.target.unfetched_share_of_cache);
}

// Whether lines are better asked for twice, since the core drops some of what it is asked for.
bool is_better_fetched_twice(const plan &p, const move_problem &whole) {
    return !is_near(whole, p.target, p.target.fetched_twice_share_of_cache);
}

// Whether tiles that fill a scratch fetch what its drain fetches as well.
bool fetches_with_drains(const plan &p, const move_problem &whole) {
    const line_list &lines = p.scratch.lines;
    return p.stores == store_path::staged && !lines.empty() && is_better_fetched_twice(p, whole)
            && lines_in_l2_set(lines, p.target.l2_bytes) <= tuning::max_lines_in_l2_set_of_two;
}

int min_lines_lost_meanwhile(const tile &t, const machine &m) {
    const bool reads_quarters = m.min_src_bytes_of_streamed_lines && stores_lines(t)
            && t.src_run_bytes >= tuning::line_bytes / 4;
    return reads_quarters ? tuning::min_lines_lost_meanwhile_of_quarters
                          : tuning::min_lines_lost_meanwhile;
}

// False if the destination cannot be written that way, or is better not.
bool choose_order(plan &p, way w) {
    const move_problem whole = p.problem;
    if (p.stores == store_path::staged && moves_nearby(p.the_tile, whole.levels)) return false;
    const loop_order order = order_levels(levels_without_tile(whole, p.the_tile), whole.limits,
            p.the_tile, pattern_of(p, w.is_simple), p.target, w.is_simple);
    p.problem.levels = order.levels;
    p.n_block_levels = order.n_block_levels;
    if (is_worth_fetching(p, whole, order)) p.prefetch_bytes = order.next_block_bytes;
    const bool widens_in_order = order.reads_on
            && p.the_tile.dst_elem_bits > p.the_tile.src_elem_bits;
    p.claims_lines = p.target.fetches_stores_late && !bypasses_caches(p.stores) && !widens_in_order
            && p.moved_bytes > std::min(dim_t(p.target.l2_bytes), tuning::min_claimed_bytes);
    if (p.stores == store_path::streamed) {
        const bool has_next = p.the_tile.vector_bytes >= tuning::line_bytes
                && order.n_block_levels > 0 && order.levels.back().is_regular();
        if (p.prefetch_bytes != 0 && has_next && is_better_fetched_twice(p, whole))
            p.prefetch_next_bytes = wrapping_add(p.prefetch_bytes, order.levels.back().src_stride);
        const bool loses_lines = w.has_staged && !p.target.read_ahead_rows
                && p.the_tile.vector_bytes < tuning::line_bytes
                && order.n_src_lines_meanwhile >= min_lines_lost_meanwhile(p.the_tile, p.target);
        return !loses_lines && lines_begun(p.the_tile, p.problem.levels) <= tuning::max_lines_begun
                && has_aligned_vectors(p);
    }
    if (p.stores == store_path::plain) return true;
    // Collected blocks within L2 are near enough: fetched while they were drained, 25 reorders of
    // 64 KiB to 1 MiB took 4.2 / 2.7 times memcpy on Zen 5, with / without.
    const bool fetches = bypasses_caches(p.stores)
            || (p.moved_bytes > dim_t(p.target.l2_bytes)
                    && p.moved_bytes >= p.target.min_fetched_collected_bytes);
    if (goes_in_lanes(p.stores)) {
        const bool is_staged = p.stores == store_path::staged_in_lanes;
        if (fetches && !is_staged) p.prefetch_bytes = order.next_block_bytes;
        p.scratch = make_lane_staging(whole, p.the_tile, order, is_staged);
        return bool(p.scratch);
    }
    // What is added to old values needs them, which the scratch has not; and it has no second rows.
    const conversion &c = whole.converts;
    if (p.the_tile.vector_bytes >= 16 && whole.dst_elem_bits() >= 8 && !c.steps.has_sum
            && (c.at_load || !c.pairs_rows))
        p.scratch = make_staging(whole, p.the_tile, order, p.stores, fetches);
    if (fetches_with_drains(p, whole)) p.prefetch_bytes = order.next_block_bytes;
    return p.scratch && !has_too_small_blocks(p);
}

// What comes before the order of the levels.
plan begin_plan(const move_problem &p, const machine &m, plan_mode mode, way w) {
    plan begun {};
    begun.mode = mode;
    begun.stores = w.stores;
    begun.target = m;
    if (mode == plan_mode::move) {
        begun.problem = m.vector_bytes < tuning::min_cut_at_data_vector_bytes
                ? p
                : cut_at_data(p, m.vector_bytes);
        begun.the_tile = choose_tile(begun.problem, m, w.stores, !w.is_simple);
    } else {
        begun.problem = p;
        begun.the_tile = choose_zero_tile(p, m);
    }
    begun.moved_bytes = moved_bytes(p);
    begun.dst_alignment_bytes = stores_lines(begun.the_tile) || goes_in_lanes(w.stores)
            ? int(tuning::line_bytes)
            : begun.store_vector_bytes();
    return begun;
}

// Whether vectors are loaded as two halves, of two rows, which saves an exchange of these.
bool loads_halves(const tile &t) {
    const size_t n_lane_bits = size_t(t.n_lane_bits());
    if (t.vector_bytes < tuning::min_halved_vector_bytes || n_lane_bits == 0
            || t.src_run.size() != n_lane_bits || t.dst_run.size() != n_lane_bits
            || is_src_packed(t, t.src_run))
        return false;
    const auto last = size_t(t.src_run.back());
    return t.bits[last].level >= 0 && !contains(t.dst_run, last) && !reads_colliding_rows(t);
}

schedule schedule_of(const tile &t, const machine &m) {
    if (!loads_halves(t)) return find_schedule(t, m);
    tile halves = t;
    halves.src_run.pop_back();
    return find_schedule(halves, m);
}

// False if the destination cannot be written that way, or if the tails make too many jobs or too
// much code (way::max_ops).
bool finish_plan(plan &p, way w) {
    if (!choose_order(p, w)) return false;
    if (p.mode == plan_mode::move) p.the_schedule = schedule_of(p.the_tile, p.target);
    return cut_into_jobs(p, w.max_ops);
}

bool lay_out(const move_problem &p, const machine &m, plan_mode mode, way w, plan *out) {
    *out = begin_plan(p, m, mode, w);
    return finish_plan(*out, w);
}

// Whether tiles do well past the caches. `has_staged`: the other way is through a scratch, which
// lets tiles read whole lines (u8 4096x4096 transposed 1.9 times memcpy, streamed 2.8) and write
// them. Blocks of few rows (read_ahead_rows) find what is left of lines in L2: staged / streamed,
// 16 reorders of 48 to 300 MB 1.26 / 1.07, 3 on AVX2 0.99 / 0.76 (bf16 ba -> AB16a16b 4096x4096
// 1.19 / 0.74), 1 on SSE4.1 0.86 / 1.06.
bool is_worth_streaming(const tile &t, const machine &m, bool has_staged) {
    if (has_staged && !m.read_ahead_rows && reads_lines_again(t)) return false;
    const int n_open = open_lines(t);
    int max_open = stores_to_pages(t) ? m.max_open_lines_in_pages : m.max_open_lines;
    if (opens_lines_apart(t)) max_open = std::max(max_open, m.max_open_lines_apart);
    if (has_staged && n_open > max_open) return false;
    return t.phased.empty() || n_open <= tuning::max_open_lines_of_phases;
}

// Whether tiles that store where it belongs would write so many lines of one set of L1, one behind
// the other, that each is out of it again before the next one beside it comes.
bool crowds_l1(const move_problem &p, const machine &m) {
    if (!m.min_crowding_lines || is_half_padding(p.limits)
            || dst_rows_of_src_line(p) < m.min_crowding_rows)
        return false;
    const plan plain = begin_plan(p, m, plan_mode::move, {store_path::plain});
    const tile &t = plain.the_tile;
    return stored_rows_in_l1_set(t) >= m.min_crowding_rows
            || written_lines_in_l1_set(
                       levels_without_tile(plain.problem, t), plain.problem.limits, t)
            >= m.min_crowding_lines;
}

machine in_half_vectors(machine m) {
    m.vector_bytes /= 2;
    return m;
}

// Whether the core executes vectors as two, and they are no halves already.
bool executes_vectors_as_two(const machine &m) {
    return m.splits_vectors() && m.vector_bytes == m.register_bytes();
}

// The same of vectors below a line, of which none is converted.
bool moves_vectors_as_two(const move_problem &p, const machine &m) {
    return executes_vectors_as_two(m) && m.vector_bytes < tuning::line_bytes && !p.converts;
}

// With vectors of half the length where tiles of these move a small tensor faster. Halves of 16
// bytes need no shuffles between lanes and nearly always do.
machine fitting_vectors(const move_problem &p, const machine &m) {
    if (!executes_vectors_as_two(m) || moved_bytes(p) > m.max_split_moved_bytes
            || exceeds_cache(p, m) || (p.converts && p.dst_elem_bits() <= p.src_elem_bits()))
        return m;
    if (m.vector_bytes < tuning::line_bytes)
        return dst_rows_of_src_line(p) > tuning::max_dst_rows_of_halves ? m : in_half_vectors(m);
    const auto cost = [](const plan &begun) {
        return tile_cost(begun.the_tile, schedule_of(begun.the_tile, begun.target),
                levels_without_tile(begun.problem, begun.the_tile));
    };
    const machine halves = in_half_vectors(m);
    const way plain {store_path::plain};
    return cost(begin_plan(p, halves, plan_mode::move, plain))
                    < cost(begin_plan(p, m, plan_mode::move, plain))
            ? halves
            : m;
}

// With joined runs, where there are any and a tile takes them. Beyond the caches a scratch gathers
// whole lines, which tiles with phases do not go through.
bool lay_out_joined(const move_problem &p, const machine &m, plan *out) {
    if (exceeds_cache(p, m) || moved_bytes(p) < tuning::min_joined_bytes) return false;
    const way plain {store_path::plain, false, tuning::max_joined_ops};
    move_problem joined;
    for (const bool of_src : {false, true})
        if (join_runs(p, of_src, m.vector_bytes, &joined)
                && lay_out(joined, m, plan_mode::move, plain, out) && !out->the_tile.phased.empty())
            return true;
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
    const machine m = mode == plan_mode::move ? fitting_vectors(p, host) : host;
    const store_path detour = exceeds_cache(p, m) ? store_path::staged : store_path::collected;
    const bool wants_detour = mode == plan_mode::move
            && (detour == store_path::staged || needs_collecting(p, m) || crowds_l1(p, m));
    const bool tries_lanes = m.uses_lanes && mode == plan_mode::move
            && detour == store_path::collected && (wants_detour || wants_lanes(p, m));
    const bool is_staged_in_halves = moves_vectors_as_two(p, m)
            && p.elem_bytes >= tuning::min_staged_in_halves_elem_bytes;
    std::vector<way> ways; // the first one that can be laid out
    if (tries_lanes) ways.push_back({store_path::collected_in_lanes});
    if (wants_detour) ways.push_back({detour});
    ways.push_back({store_path::plain});
    ways.push_back({store_path::plain, true});
    for (const way &w : ways) {
        const bool in_halves = is_staged_in_halves && w.stores == store_path::staged;
        if (lay_out(p, in_halves ? in_half_vectors(m) : m, mode, w, out)) {
            out->note = note_of(*out);
            return true;
        }
    }
    *why = "too many combinations of tails for generated code";
    return false;
}

bool make_streamed_plan(
        const move_problem &p, const machine &m, plan *out, const plan *for_any, plan_mode mode) {
    if (!exceeds_cache(p, m)) return false;
    way streamed {store_path::streamed};
    streamed.has_staged = for_any && uses_scratch(for_any->stores);
    const auto is_worth_it = [&](const machine &any, plan *begun) {
        *begun = begin_plan(p, any, mode, streamed);
        return is_worth_streaming(begun->the_tile, any, streamed.has_staged);
    };
    const bool may_halve = mode == plan_mode::move && moves_vectors_as_two(p, m);
    if (is_worth_it(m, out)) {
        plan halves;
        if (may_halve && is_worth_it(in_half_vectors(m), &halves)
                && halves.the_tile.bits_of_level == out->the_tile.bits_of_level)
            *out = std::move(halves);
        if (finish_plan(*out, streamed)) return true;
    }
    if (streamed.has_staged && mode == plan_mode::move && wants_staged_lanes(p, m)
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
    const double narrow_share = m.vector_bytes == 16 ? tuning::min_padding_apart_share
                                                     : tuning::min_padding_apart_share_of_32_bytes;
    if (m.vector_bytes < tuning::line_bytes && is_in_l2 && share >= narrow_share) return true;
    const way usual {is_past_caches ? store_path::streamed : store_path::plain};
    plan one = begin_plan(p, m, plan_mode::move, usual);
    const int max_rows = m.max_padded_rows ? m.max_padded_rows : tuning::max_rows_in_l1_set;
    const bool crowds = stored_rows_in_l1_set(one.the_tile) > max_rows;
    if (m.max_padded_rows && !is_in_l2)
        return crowds && share >= tuning::min_large_padding_apart_share;
    if (crowds || !choose_order(one, usual)) return true;
    if (!is_past_caches && !is_in_l2 && share >= tuning::min_padding_passes_share
            && pads_in_extra_passes(one))
        return true;
    // Tiles with phases carry zeros along in pieces of a few bytes: s8 abc -> ABc16b48a4b 768x1x10
    // 7.7 times memcpy, 1.7 with the padding apart; 5 others 0.95 of the time.
    plan joined;
    return lay_out_joined(p, m, &joined);
}

std::string to_text(const plan &p) {
    std::string text = to_text(p.the_tile);
    if (p.mode == plan_mode::move) text += to_text(p.the_schedule);
    text += "loops, outer to inner (" + std::to_string(p.n_driver_levels) + " in the driver):\n";
    for (const level &l : p.problem.levels)
        text += "  axis " + std::to_string(l.dim) + " extent " + std::to_string(l.extent) + " unit "
                + std::to_string(l.unit) + " src_stride " + std::to_string(l.src_stride)
                + " dst_stride " + std::to_string(l.dst_stride)
                + (l.param_stride_bytes ? " param_stride " + std::to_string(l.param_stride_bytes)
                                        : std::string())
                + (l.is_regular() ? "\n" : " irregular\n");
    if (p.stores == store_path::streamed) text += "stores bypass the caches\n";
    if (p.scratch)
        text += "blocks go through a scratch of " + std::to_string(p.scratch.scratch_bytes)
                + " bytes" + (goes_in_lanes(p.stores) ? ", whole vectors," : "")
                + (bypasses_caches(p.stores) ? " past the caches" : "")
                + (p.scratch.is_chained ? ", chained\n" : "\n");
    text += "jobs (" + std::to_string(p.kernels.size()) + " kernels, "
            + std::to_string(p.root_chunk) + " root steps a call):\n";
    for (const job &j : p.jobs) {
        text += "  kernel " + std::to_string(j.kernel) + ", root steps "
                + std::to_string(j.root_count) + (j.has_rest ? " and a rest" : "") + ", loops";
        for (const job_loop &l : j.loops)
            text += " " + std::to_string(l.first) + "+" + std::to_string(l.count);
        text += "\n";
    }
    return text;
}

} // namespace tfmt::cpu
