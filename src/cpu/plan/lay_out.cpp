// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/lay_out.hpp"

#include <algorithm>

#include "common/checked.hpp"
#include "cpu/plan/jobs.hpp"
#include "cpu/plan/lane_drain.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/traffic.hpp"

namespace tfmt::cpu {

namespace {

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
            || (p.problem.dst_behind_line_bytes == 0 // else tiles begin at lines in any case
                    && p.problem.dst_offset_bytes % p.dst_alignment_bytes != 0))
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

memory_pattern pattern_of(const plan &p, bool is_simple) {
    const bool could_be_near = p.moved_bytes < dim_t(p.target.l3_bytes);
    switch (p.stores) {
    case store_path::streamed:
        return could_be_near ? memory_pattern::streamed_near : memory_pattern::streamed;
    case store_path::staged:
    case store_path::staged_in_lanes:
        return could_be_near ? memory_pattern::staged_near : memory_pattern::staged;
    case store_path::collected:
    case store_path::collected_in_lanes: return memory_pattern::collected;
    case store_path::plain: break;
    }
    const bool writes_more = !is_simple && is_mostly_written(p.problem);
    // With the padding in lines of the source: time over memcpy, by what is moved / so, the 105 of
    // 5600 reorders that it changes 0.92 / 0.89 (f32 ABcd16a32b -> adbc 16x4x64x64 1.6 / 0.8), AVX2
    // 0.94 / 0.91, SSE4.1 0.95 / 0.92. To fetch ahead in these as well: 0.94, 0.96, 0.99.
    //     Zen 4, time by what rows of the source that are a power of two apart leave of L2 over
    //     that by touched_bytes(), of 11600 reorders 127 0.92, none above 1.07 (bf16 ab -> BA8a24b
    //     21x4096 0.48), AVX2 159 0.95, SSE4.1 158 0.95. To fetch ahead in these: 0.93, 0.96, 0.97.
    const dim_t l2_bytes = dim_t(p.target.l2_bytes);
    if (bytes_in_cache(p.problem, l2_bytes / tuning::l2_ways) <= l2_bytes)
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

// Whether the processor has the source so soon that what tiles read of it need not be fetched.
bool is_near_unfetched(const move_problem &p, const machine &m) {
    const double share = m.unfetched_share_of_cache;
    if (!is_near(p, m, share)) return false;
    return !m.fetches_sparse_or_converted
            || (!p.converts && src_span_bytes(p) <= share * double(m.l3_bytes));
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
    const double refetched_share = bypasses_caches(p.stores)
            ? tuning::min_refetched_share_of_cache
            : p.target.min_refetched_share_of_cache;
    if (reads_on_in_lines(p.the_tile, whole.levels) && is_near(whole, p.target, refetched_share))
        return false;
    if (order.reads_on_over_gaps && is_near(whole, p.target, tuning::max_read_on_share_of_cache))
        return false;
    return written_lines(p.the_tile) >= p.target.min_lines_to_fetch_near
            || !is_near_unfetched(whole, p.target);
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

struct written_steps {
    double stride, n;
};
using written_steps_list = inline_vector<written_steps, 16>;

// Bytes of the row that these steps of runs make up, in any order; 0 if they are not one row.
double row_bytes_of(written_steps_list steps, dim_t run_bytes) {
    std::sort(steps.begin(), steps.end(),
            [](const written_steps &a, const written_steps &b) { return a.stride < b.stride; });
    double row_bytes = double(run_bytes);
    for (const written_steps &s : steps) {
        if (s.stride != row_bytes) return 0;
        row_bytes *= s.n;
    }
    return row_bytes;
}

// Whether tiles write a row of the destination of that many bytes before they go elsewhere, in any
// order within pieces of a few tiles.
bool writes_on(const plan &p, const std::vector<level> &levels, dim_t bytes) {
    const tile &t = p.the_tile;
    if (!t.phased.empty()) return false;
    written_steps_list steps;
    for (size_t i = 0; i < t.bits.size(); i++)
        if (t.bits[i].level >= 0 && !contains(t.dst_run, i))
            steps.push_back({double(t.bits[i].dst_stride_bytes), 2});
    const auto n_stored = [&](const level &l) {
        return std::min(
                double(l.extent), double(p.problem.limits[size_t(l.dim)].store) / double(l.unit));
    };
    const dim_t max_piece_bytes = t.vector_bytes >= tuning::line_bytes
            ? tuning::max_claimed_piece_bytes_64_bytes
            : tuning::max_claimed_piece_bytes;
    auto l = levels.rbegin();
    double row_bytes = row_bytes_of(steps, t.dst_run_bytes);
    for (double piece_bytes = double(tile_bytes(t)); row_bytes == 0; ++l) {
        if (l == levels.rend() || !l->is_regular()) return false;
        steps.push_back({double(l->dst_stride), n_stored(*l)});
        piece_bytes *= steps.back().n;
        if (piece_bytes > double(max_piece_bytes)) return false;
        row_bytes = row_bytes_of(steps, t.dst_run_bytes);
    }
    for (; l != levels.rend() && row_bytes < double(bytes); ++l) {
        if (!l->is_regular() || double(l->dst_stride) != row_bytes) break;
        row_bytes *= n_stored(*l);
    }
    return row_bytes >= double(bytes);
}

// Of which lines the tiles ask for those that they come to later: of rows that they write on in, or
// of the next line of each that they write in turn.
void claim_ahead(plan &p, const loop_order &order) {
    p.claims_on = false;
    p.claimed_ahead_bytes = 0;
    if (!p.claims_lines || p.target.claimed_ahead_bytes == 0 || p.stores != store_path::plain
            || p.moved_bytes < tuning::min_claimed_ahead_bytes || order.levels.empty())
        return;
    p.claims_on = writes_on(p, order.levels, tuning::min_claimed_ahead_row_bytes);
    const level &next = order.levels.back();
    if (p.claims_on)
        p.claimed_ahead_bytes = p.target.claimed_ahead_bytes;
    else if (next.is_regular() && next.dst_stride > 0
            && next.dst_stride <= tuning::max_claimed_step_bytes)
        p.claimed_ahead_bytes = round_up(tuning::line_bytes, next.dst_stride);
}

// What the tiles fetch while they store where it belongs, and whether they ask for the lines of
// their stores before.
void choose_fetches(plan &p, const move_problem &whole, const loop_order &order) {
    const bool is_stream = p.stores == store_path::streamed && order.reads_blocks_on
            && p.target.fetched_stream_bytes > 0;
    if (is_stream && order.reads_on)
        p.page_ahead_bytes = p.target.fetched_stream_bytes;
    else if (is_stream)
        p.prefetch_bytes = round_up(p.target.fetched_stream_bytes, order.next_block_bytes);
    else if (is_worth_fetching(p, whole, order))
        p.prefetch_bytes = order.next_block_bytes;
    const bool widens_in_order = order.reads_on
            && p.the_tile.dst_elem_bits > p.the_tile.src_elem_bits;
    const bool stores_to_caches = !bypasses_caches(p.stores) || p.problem.dst_behind_line_bytes > 0;
    p.claims_lines = p.target.fetches_stores_late && stores_to_caches && !widens_in_order
            && p.moved_bytes > std::min(dim_t(p.target.l2_bytes), tuning::min_claimed_bytes);
    claim_ahead(p, order);
    if (p.stores != store_path::streamed || p.prefetch_bytes == 0 || is_stream) return;
    const bool has_next = p.the_tile.vector_bytes >= tuning::line_bytes && order.n_block_levels > 0
            && order.levels.back().is_regular();
    if (has_next && is_better_fetched_twice(p, whole))
        p.prefetch_next_bytes = wrapping_add(p.prefetch_bytes, order.levels.back().src_stride);
}

// Whether tiles that are streamed leave few lines of the destination in part, and find those of the
// source again where there is another way (way::has_other).
bool may_stream(const plan &p, const loop_order &order, bool has_other) {
    if (p.target.sends_parts_slowly && p.problem.dst_behind_line_bytes == 0
            && leaves_lines_in_part(p.the_tile, p.problem.levels, p.problem.limits))
        return false;
    const bool finds_the_rest = p.target.read_ahead_rows && !reads_colliding_rows(p.the_tile);
    const bool loses_lines = has_other && !finds_the_rest
            && p.the_tile.vector_bytes < tuning::line_bytes
            && order.n_src_lines_meanwhile >= min_lines_lost_meanwhile(p.the_tile, p.target);
    return !loses_lines && lines_begun(p.the_tile, p.problem.levels) <= tuning::max_lines_begun
            && has_aligned_vectors(p);
}

// False if the plan's blocks cannot go through a scratch, or are too small for one.
bool add_scratch(plan &p, const move_problem &whole, const loop_order &order) {
    // Collected blocks within L2 are near enough: fetched while they were drained, 25 reorders of
    // 64 KiB to 1 MiB took 4.2 / 2.7 times memcpy on Zen 5, with / without.
    const bool is_far = p.moved_bytes > dim_t(p.target.l2_bytes)
            && p.moved_bytes >= p.target.min_fetched_collected_bytes;
    const bool fetches = bypasses_caches(p.stores) ? !order.reads_pieces_on : is_far;
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
    if (order.fetched_ahead_bytes > 0) {
        p.prefetch_bytes = order.fetched_ahead_bytes;
        for (line_rows &r : p.scratch.lines)
            r.n_lines = std::min(r.n_lines, order.fetched_ahead_bytes / tuning::line_bytes);
    }
    return p.scratch && !has_too_small_blocks(p);
}

// Whether vectors are loaded as two halves, of two rows, which saves an exchange of these.
bool loads_halves(const tile &t, const machine &m) {
    const size_t n_lane_bits = size_t(t.n_lane_bits());
    const bool saves_two = m.executes_vectors_as_two()
            && t.elem_bytes >= tuning::min_halved_elem_bytes_as_two;
    if ((t.vector_bytes < tuning::min_halved_vector_bytes && !saves_two) || n_lane_bits == 0
            || t.src_run.size() != n_lane_bits || t.dst_run.size() != n_lane_bits
            || is_src_packed(t, t.src_run))
        return false;
    const auto last = size_t(t.src_run.back());
    return t.bits[last].level >= 0 && !contains(t.dst_run, last) && !reads_colliding_rows(t);
}

} // namespace

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

plan begin_plan(const move_problem &p, const machine &m, plan_mode mode, way w) {
    plan begun {};
    begun.mode = mode;
    begun.stores = w.stores;
    begun.target = m;
    if (mode == plan_mode::move) {
        begun.problem = cut_at_data(p, m.vector_bytes);
        begun.the_tile = choose_tile(begun.problem, m, w.stores, !w.is_simple);
    } else {
        begun.problem = p;
        begun.the_tile = choose_zero_tile(p, m);
    }
    begun.moved_bytes = moved_bytes(p);
    begun.touched_bytes = touched_bytes(p);
    begun.dst_alignment_bytes = stores_lines(begun.the_tile) || goes_in_lanes(w.stores)
            ? int(tuning::line_bytes)
            : begun.store_vector_bytes();
    return begun;
}

schedule schedule_of(const tile &t, const machine &m) {
    if (!loads_halves(t, m)) return find_schedule(t, m);
    tile halves = t;
    halves.src_run.pop_back();
    return find_schedule(halves, m);
}

bool choose_order(plan &p, way w) {
    const move_problem whole = p.problem;
    const loop_order order = order_levels(levels_without_tile(whole, p.the_tile), whole.limits,
            p.the_tile, pattern_of(p, w.is_simple), p.target, w.is_simple);
    p.problem.levels = order.levels;
    p.n_block_levels = order.n_block_levels;
    choose_fetches(p, whole, order);
    if (uses_scratch(p.stores)) return add_scratch(p, whole, order);
    return p.stores != store_path::streamed || may_stream(p, order, w.has_other);
}

bool finish_plan(plan &p, way w) {
    if (!choose_order(p, w)) return false;
    if (p.mode == plan_mode::move) p.the_schedule = schedule_of(p.the_tile, p.target);
    return cut_into_jobs(p, w.max_ops);
}

bool lay_out(const move_problem &p, const machine &m, plan_mode mode, way w, plan *out) {
    *out = begin_plan(p, m, mode, w);
    return finish_plan(*out, w);
}

} // namespace tfmt::cpu
