// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "common/checked.hpp"
#include "cpu/plan/runs.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Rows of padding have no place in the source: where they begin may wrap, and is never used. (Sets
// of L1 divide 2^64.)
using row_list = inline_vector<uint64_t, 64>;

struct row_steps {
    dim_t stride, n_steps;
};
using row_steps_list = inline_vector<row_steps, 16>;

// Where all rows begin that these steps lead to.
row_list rows_of(const row_steps_list &all_steps) {
    row_list rows {0};
    for (const row_steps &steps : all_steps)
        for (size_t i = 0, n = rows.size(); i < n; i++)
            for (dim_t step = 1; step < steps.n_steps; step++)
                rows.push_back(rows[i] + uint64_t(wrapping_mul(step, steps.stride)));
    return rows;
}

constexpr size_t n_l1_sets = tuning::l1_set_period_bytes / tuning::line_bytes;

// So many rows crowd any L1, wherever they are, and count as 16 in each set: enough for what asks
// whether rows crowd it, too few for what asks for more lines than that (min_lines_in_turn,
// min_lines_lost_meanwhile, min_crowding_lines_of_amd). Counted as more, Zen 1, 8 of 5100 reorders
// took 1.06 of the time on AVX2, 1.03 on SSE4.1; with 32 rows a set the 111 on SSE4.1 that
// min_lines_lost_meanwhile concerns 0.673, so 0.675.
constexpr dim_t most_counted_rows = 16 * n_l1_sets;
static_assert(most_counted_rows / n_l1_sets >= tuning::min_whole_lines_in_l1_set);

int in_fullest_l1_set(const row_list &rows) {
    std::array<int, n_l1_sets> in_set {};
    for (uint64_t row : rows)
        in_set[row % tuning::l1_set_period_bytes / tuning::line_bytes]++;
    return *std::max_element(in_set.begin(), in_set.end());
}

// How many rows share the fullest set of L1, of all that these steps lead to.
int rows_in_l1_set(const row_steps_list &steps) { return in_fullest_l1_set(rows_of(steps)); }

// Of the rows that `run` steps through on the side where it is not contiguous. Rows of padding
// alone are not read. They were counted once, and 20 cases that are mostly padding were led through
// a scratch for nothing: time over memcpy then / now 1.7 / 1.3, AVX2 1.7 / 1.3 (f32 acdeb ->
// aBdec64b 1x1x32x96x96 3.9 / 1.6, bf16 acdeb -> Abcde32a 8x64x8x28x28 3.2 / 1.2). A level has as
// many as it has steps, not bits: 13 cases on AVX2 1.25 / 1.12 (s8 adbc -> abcd 1x1024x14x14 2.3 /
// 1.5).
row_steps_list steps_across(
        const move_problem &p, const bit_list &run, const bit_list &other, bool of_src) {
    row_steps_list all;
    int last_level = -1, first_k = 0;
    for (const level_bit &b : run) {
        if (b.level < 0 || contains(other, b)) continue;
        const level &l = p.levels[size_t(b.level)];
        if (of_src && !is_read(p.limits, l, b.k)) continue;
        if (b.level != last_level) {
            all.push_back({wrapping_mul(stride_of(l, of_src), dim_t(1) << b.k), 1});
            last_level = b.level;
            first_k = b.k;
        }
        const dim_t there_are = of_src ? read_steps(p.limits, l) : l.extent;
        all.back().n_steps = std::min(
                dim_t(2) << (b.k - first_k), ceil_div(there_are, dim_t(1) << first_k));
    }
    return all;
}

// What lies in the first line of one side; also behind a first unit that is no power of two.
bit_list line_of(const move_problem &p, bool of_src, bool has_odd_units = false) {
    const size_t line_bits = size_t(log2_exact(tuning::line_bytes / p.elem_bytes));
    return prefix(contiguous_run(p, of_src, has_odd_units ? line_bits : 0), line_bits);
}

// Whether both sides have the same run of a few elements, which is no power of two and ends each
// run: the channels of a picture.
bool moves_odd_units(const move_problem &p, const machine &m) {
    const bit_list unit = contiguous_run(p, true, 0);
    if (unit.empty() || is_filler(unit.back()) || !(unit == contiguous_run(p, false, 0)))
        return false;
    const dim_t unit_bytes = bytes_of_run(p, unit, true);
    const bool is_wide = m.vector_bytes >= tuning::line_bytes && p.elem_bytes > 1;
    return !is_pow2(unit_bytes)
            && unit_bytes
            >= (is_wide ? tuning::min_odd_unit_bytes_64_bytes : tuning::min_odd_unit_bytes);
}

// Whether what lies in a line of each side comes from, or goes to, rows far apart.
bool are_rows_far(const move_problem &p, const bit_list &src_line, const bit_list &dst_line,
        dim_t min_dst_rows) {
    const auto n_far_rows = [](const row_steps_list &steps) {
        dim_t n = 1;
        for (const row_steps &s : steps)
            if (s.stride >= tuning::min_stride_of_far_rows) n *= s.n_steps;
        return n;
    };
    return n_far_rows(steps_across(p, dst_line, src_line, true)) >= tuning::min_far_src_rows
            && n_far_rows(steps_across(p, src_line, dst_line, false)) >= min_dst_rows;
}

// Whether bit `b` leads to another row of the source in the lanes of the destination's vectors.
// (What registers alone step through reads other lines one after the other.)
bool is_src_row_of_lanes(const tile &t, size_t b) {
    return contains(t.dst_run, b) && !contains(t.src_run, b) && t.bits[b].is_read;
}

int source_rows_in_l1_set(const tile &t) {
    row_steps_list steps;
    for (size_t b = 0; b < t.bits.size(); b++)
        if (is_src_row_of_lanes(t, b)) steps.push_back({t.bits[b].src_stride_bytes, 2});
    return rows_in_l1_set(steps);
}

constexpr dim_t line_bits = 8 * tuning::line_bytes;

// Bits of a tile that lead to elements in the same line of the destination.
dim_t tile_bits_in_line(const tile &t) {
    return std::count_if(t.bits.begin(), t.bits.end(), [](const tile_bit &b) {
        return b.level < 0 || b.dst_stride_bytes < tuning::line_bytes;
    });
}

// lines_begun() where blocks may end within a line, in rows that other loops complete: 24 of f32.
dim_t lines_begun_in_rows(const tile &t, const std::vector<level> &levels) {
    row_steps_list steps; // of the tile, in any order
    for (const phased_bits &b : t.phased)
        steps.push_back({b.dst_digits[0].stride, b.dst_digits[0].extent});
    for (size_t b = 0; b < t.bits.size(); b++)
        if (t.bits[b].is_regular && !contains(t.dst_run, b))
            steps.push_back({t.bits[b].dst_stride_bytes, 2});
    dim_t row_bytes = t.dst_run_bytes, n_lines = 1;
    // Steps that begin where the row ends, or within its run, lengthen it.
    const auto goes_on = [&](const row_steps &s) {
        const bool does = s.stride <= row_bytes;
        if (does) row_bytes = std::max(row_bytes, s.stride * s.n_steps);
        return does;
    };
    for (size_t n = steps.size(); n > 0; n--)
        for (row_steps &s : steps)
            if (goes_on(s)) s.n_steps = 1;
    for (const row_steps &s : steps)
        n_lines *= s.n_steps;
    for (auto l = levels.rbegin(); row_bytes % tuning::line_bytes != 0; ++l) {
        if (l == levels.rend()) return std::numeric_limits<dim_t>::max();
        if (l->is_regular() && !goes_on({l->dst_stride, l->extent})) n_lines *= l->extent;
    }
    return n_lines;
}

// Whether one tile can have these lines, of the source and of the destination, as a whole.
bool fit_tile(const bit_list &src_line, const bit_list &dst_line, const move_problem &p,
        const machine &m) {
    const auto lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    return union_size(src_line, dst_line) <= lane_bits + size_t(max_reg_bits(p, m));
}

} // namespace

bool ends_within_lines(dim_t run_bytes) {
    return tuning::line_bytes % run_bytes != 0 && run_bytes % tuning::line_bytes != 0;
}

int rows_in_l1_set(dim_t stride, dim_t n_rows) {
    return rows_in_l1_set(row_steps_list {{stride, n_rows}});
}

int rows_in_l1_set(const move_problem &p, const bit_list &run, const bit_list &other, bool of_src) {
    return rows_in_l1_set(steps_across(p, run, other, of_src));
}

int lines_in_l1_set(
        const move_problem &p, const bit_list &run, const bit_list &other, bool of_src) {
    row_list lines = rows_of(steps_across(p, run, other, of_src));
    for (uint64_t &row : lines)
        row -= row % tuning::line_bytes;
    std::sort(lines.begin(), lines.end());
    lines.resize(size_t(std::unique(lines.begin(), lines.end()) - lines.begin()));
    return in_fullest_l1_set(lines);
}

int dst_rows_of_src_line(const move_problem &p) {
    return rows_in_l1_set(steps_across(p, line_of(p, true), line_of(p, false), false));
}

int dst_lines_of_src_line(const move_problem &p) {
    return lines_in_l1_set(p, line_of(p, true), line_of(p, false), false);
}

bool needs_collecting(const move_problem &p, const machine &m) {
    const bit_list src_line = line_of(p, true), dst_line = line_of(p, false);
    const bool fits_tile = fit_tile(src_line, dst_line, p, m);
    const bool keeps_all = keeps_all_lines(p);
    const bool fits_lines = fits_tile && keeps_all
            && !ends_within_lines(bytes_of_run(p, dst_line, false));
    if (fits_lines && !ends_within_lines(bytes_of_run(p, src_line, true))) return false;
    const int min_rows = fits_lines ? tuning::min_rows_to_collect_odd_src
                                    : tuning::min_lines_that_evict;
    const row_steps_list src_steps = steps_across(p, dst_line, src_line, true);
    const row_steps_list dst_steps = steps_across(p, src_line, dst_line, false);
    const int n_src = rows_in_l1_set(src_steps), n_dst = rows_in_l1_set(dst_steps);
    const auto [n_fewer, n_more] = std::minmax(n_src, n_dst);
    if (n_fewer >= min_rows) return true;
    if (!is_exact(p)) return false;
    if (!keeps_all)
        return n_fewer >= tuning::min_rows_to_collect_cut
                && n_more >= tuning::min_other_rows_to_collect_cut;
    if (fits_tile || n_fewer < tuning::min_rows_to_collect_transposed
            || n_src * n_dst < m.min_row_pairs_to_collect)
        return false;
    // (Blocks that divide their dimension are like dimensions here.)
    if (src_steps.size() > 1 || dst_steps.size() > 1)
        return !p.converts && n_fewer >= tuning::min_rows_to_collect_at_steps
                && m.vector_bytes < tuning::line_bytes
                && p.elem_bytes <= m.vector_bytes / tuning::min_vector_elems_to_collect_at_steps;
    const bool writes_rows_whole = m.vector_bytes >= tuning::line_bytes
            && dst_steps[0].stride <= tuning::block_dst_bytes;
    return !writes_rows_whole && p.src_elem_bits() == p.dst_elem_bits()
            && double(moved_bytes(p)) > tuning::min_transposed_times_l2 * double(m.l2_bytes);
}

bool transposes_far_rows(const move_problem &p, const machine &m) {
    if (p.converts) return false;
    return are_rows_far(p, line_of(p, true), line_of(p, false), tuning::min_far_dst_rows)
            || (moves_odd_units(p, m)
                    && are_rows_far(p, line_of(p, true, true), line_of(p, false, true),
                            tuning::min_far_dst_rows_of_odd_units));
}

bool may_use_lanes(const move_problem &p, const machine &m) {
    return p.elem_bytes <= m.max_elem_bytes_in_lanes
            && moved_bytes(p) >= m.min_moved_bytes_in_lanes;
}

bool wants_lanes(const move_problem &p, const machine &m) {
    if (!may_use_lanes(p, m) || p.converts || m.vector_bytes <= lane_bytes) return false;
    const bit_list src_line = line_of(p, true), dst_line = line_of(p, false);
    const int n_src = rows_in_l1_set(p, dst_line, src_line, true);
    const int n_dst = rows_in_l1_set(p, src_line, dst_line, false);
    const bool has_short_vectors = m.vector_bytes < tuning::line_bytes && p.elem_bytes > 1;
    return std::min(n_src, n_dst) >= tuning::min_rows_in_lanes
            && (n_src >= tuning::min_lines_that_evict || !fit_tile(src_line, dst_line, p, m))
            && n_src * n_dst >= (has_short_vectors ? tuning::min_row_pairs_in_lanes_of_32_bytes
                                                   : tuning::min_row_pairs_in_lanes);
}

bool wants_staged_lanes(const move_problem &p, const machine &m) {
    const bool has_bytes_of_lines = m.vector_bytes >= tuning::line_bytes
            && p.elem_bytes <= tuning::max_elem_bytes_in_lanes_past_l3;
    return (has_bytes_of_lines || moved_bytes(p) <= dim_t(m.l3_bytes)) && wants_lanes(p, m);
}

bool reads_lines_again(const tile &t) {
    const dim_t run_bytes = bytes_of_src_lanes(t);
    const int n_rows = source_rows_in_l1_set(t);
    if (t.vector_bytes < tuning::line_bytes)
        return run_bytes <= tuning::line_bytes / 4 && n_rows >= tuning::min_lines_that_evict;
    if (n_rows < tuning::min_lines_read_again_of_64_bytes) return false;
    return run_bytes <= tuning::line_bytes / (stores_colliding_rows(t) ? 2 : 4);
}

int open_lines(const tile &t) {
    const dim_t n_in_line = tile_bits_in_line(t);
    if (dim_t(t.dst_elem_bits) << n_in_line >= line_bits) return 0;
    return 1 << (dim_t(t.bits.size()) - n_in_line);
}

dim_t lines_begun(const tile &t, const std::vector<level> &levels) {
    // Blocks of which elements are read one at a time are mostly padding, and may end within lines.
    if (!t.phased.empty() || t.src_run.empty()) return lines_begun_in_rows(t, levels);
    dim_t n_lines = open_lines(t);
    if (n_lines == 0) return 0;
    dim_t n_bits = dim_t(t.dst_elem_bits) << tile_bits_in_line(t); // of the first line
    for (auto l = levels.rbegin(); n_bits < line_bits; ++l) {
        if (l == levels.rend() || !l->is_regular()) return std::numeric_limits<dim_t>::max();
        (l->dst_stride < tuning::line_bytes ? n_bits : n_lines) *= l->extent;
    }
    return n_lines;
}

bool leaves_lines_in_part(
        const tile &t, const std::vector<level> &levels, const limit_list &limits) {
    if (!t.phased.empty()) return false;
    dim_t row_bytes = t.dst_run_bytes; // written without a gap so far
    // Whether steps of `unit` indices go on where the row ends, which they make longer then.
    const auto go_on = [&](int dim, dim_t unit, dim_t extent, dim_t stride) {
        if (stride > row_bytes) return false;
        const dim_t n = limits[size_t(dim)].store, n_steps = std::min(extent, n / unit);
        const dim_t n_left = n_steps < extent ? n % unit : 0;
        row_bytes = std::max(row_bytes, stride * n_steps + stride / unit * n_left);
        return true;
    };
    bit_indices rows; // of the tile, that do not go on yet
    for (size_t b = 0; b < t.bits.size(); b++)
        if (t.bits[b].level >= 0 && !contains(t.dst_run, b)) rows.push_back(int(b));
    const auto goes_on = [&](int row) {
        const tile_bit &b = t.bits[size_t(row)];
        return go_on(b.dim, b.weight, 2, b.dst_stride_bytes);
    };
    const auto take_rows = [&] {
        for (;;) {
            const auto next = std::find_if(rows.begin(), rows.end(), goes_on);
            if (next == rows.end()) return;
            rows.erase(next);
        }
    };
    const auto is_whole = [](dim_t bytes) { return bytes % tuning::line_bytes == 0; };
    take_rows();
    for (auto l = levels.rbegin(); l != levels.rend(); ++l) {
        if (l->is_regular() && go_on(l->dim, l->unit, l->extent, l->dst_stride)) {
            take_rows();
            continue;
        }
        const bool keeps_whole = l->is_regular()
                ? is_whole(l->dst_stride)
                : std::all_of(l->dst_digits.begin(), l->dst_digits.end(),
                        [&](const digit &d) { return is_whole(d.stride); });
        if (!is_whole(row_bytes) || !keeps_whole) return true;
    }
    return !std::all_of(rows.begin(), rows.end(),
            [&](int b) { return is_whole(t.bits[size_t(b)].dst_stride_bytes); });
}

bool opens_lines_apart(const tile &t) {
    for (size_t b = 0; b < t.bits.size(); b++)
        if (!contains(t.dst_run, b) && t.bits[b].dst_stride_bytes % tuning::line_bytes)
            return false;
    return stored_rows_in_l1_set(t) == 1 && t.src_run_bytes >= tuning::line_bytes / 4
            && source_rows_in_l1_set(t) <= tuning::max_src_rows_of_open_lines;
}

int read_lines(const tile &t) {
    int n = 1;
    for (size_t b = 0; b < t.bits.size(); b++)
        if (t.bits[b].level >= 0 && contains(t.dst_run, b) && !contains(t.src_run, b)
                && t.bits[b].src_stride_bytes >= tuning::line_bytes)
            n *= 2;
    return n;
}

int written_lines(const tile &t) {
    const auto is_line = [](const tile_bit &b) {
        return b.level >= 0 && b.dst_stride_bytes >= tuning::line_bytes;
    };
    return 1 << std::count_if(t.bits.begin(), t.bits.end(), is_line);
}

bool stores_to_pages(const tile &t) {
    return std::any_of(t.bits.begin(), t.bits.end(), [](const tile_bit &b) {
        return b.level >= 0 && b.dst_stride_bytes >= tuning::page_bytes;
    });
}

bool transposes_pages(const tile &t) {
    const auto are_apart = [&](const bit_indices &run, dim_t tile_bit::*stride) {
        return std::all_of(run.begin(), run.end(), [&](int bit) {
            const tile_bit &b = t.bits[size_t(bit)];
            return b.level >= 0 && b.*stride >= tuning::page_bytes;
        });
    };
    return are_apart(t.src_run, &tile_bit::dst_stride_bytes)
            && are_apart(t.dst_run, &tile_bit::src_stride_bytes);
}

bool reads_odd_rows_in_pages(const tile &t) {
    bool is_odd = false, is_in_pages = false;
    for (const tile_bit &b : t.bits) {
        if (b.level < 0 || b.src_stride_bytes < tuning::line_bytes) continue;
        is_odd |= b.src_stride_bytes % tuning::line_bytes != 0;
        is_in_pages |= b.src_stride_bytes >= tuning::page_bytes;
    }
    return is_odd && is_in_pages;
}

bool stores_lines(const tile &t) {
    return t.vector_bytes < tuning::line_bytes && t.src_run != t.dst_run && open_lines(t) == 0;
}

bool reads_on_in_lines(const tile &t, const std::vector<level> &levels) {
    if (t.src_run.empty() || t.src_run == t.dst_run) return false;
    const tile_bit &last = t.bits[size_t(t.src_run.back())];
    return t.src_run_bytes <= tuning::line_bytes / 4 && last.level >= 0
            && levels[size_t(last.level)].extent >> t.bits_of_level[size_t(last.level)] > 1;
}

bool reads_odd_runs(const tile &t) {
    const dim_t whole_bytes = std::max(t.src_run_bytes, t.src_whole_run_bytes);
    const bool is_in_two = whole_bytes < tuning::line_bytes && whole_bytes <= 2 * t.src_run_bytes;
    return t.src_run != t.dst_run && ends_within_lines(is_in_two ? whole_bytes : t.src_run_bytes);
}

bool fills_src_sets(const tile &t) {
    if (t.vector_bytes < tuning::line_bytes) return false;
    if (source_rows_in_l1_set(t) >= tuning::min_src_lines_to_fill_l1_set) return true;
    dim_t n_rows = 1; // at one place of all sets of L2
    for (size_t b = 0; b < t.bits.size(); b++)
        if (is_src_row_of_lanes(t, b)
                && t.bits[b].src_stride_bytes % tuning::l2_set_period_bytes == 0)
            n_rows *= 2;
    return t.src_run_bytes >= tuning::line_bytes && n_rows >= tuning::min_src_lines_to_fill_l2_set;
}

bool reads_colliding_rows(const tile &t) {
    return source_rows_in_l1_set(t) > tuning::max_rows_in_l1_set;
}

bool stores_colliding_rows(const tile &t) {
    return stored_rows_in_l1_set(t) > tuning::max_rows_in_l1_set;
}

int stored_rows_in_l1_set(const tile &t) {
    row_steps_list steps;
    for (size_t b = 0; b < t.bits.size(); b++)
        if (t.bits[b].level >= 0 && !contains(t.dst_run, b))
            steps.push_back({t.bits[b].dst_stride_bytes, 2});
    return rows_in_l1_set(steps);
}

int lines_in_l1_set(const std::vector<level> &levels, bool of_src, bool crosses) {
    row_steps_list steps;
    dim_t n_rows = 1;
    for (const level &l : levels) {
        if (stride_of(l, of_src) < tuning::line_bytes) continue;
        steps.push_back({stride_of(l, of_src), l.extent});
        n_rows *= std::min(l.extent, most_counted_rows);
        if (n_rows >= most_counted_rows) return int(most_counted_rows / n_l1_sets);
    }
    row_list lines = rows_of(steps);
    if (crosses)
        for (size_t i = 0, n = lines.size(); i < n; i++)
            lines.push_back(lines[i] + tuning::line_bytes);
    return in_fullest_l1_set(lines);
}

} // namespace tfmt::cpu
