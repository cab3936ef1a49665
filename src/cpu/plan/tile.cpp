// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/tile.hpp"

#include <algorithm>
#include <array>

#include "common/checked.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// In doubles, which do not overflow; all uses compare.
double n_elements(const move_problem &p, dim_t dim_limits::*limit) {
    double n = 1;
    for (const dim_limits &l : p.limits)
        n *= double(l.*limit);
    return n;
}

} // namespace

dim_t moved_bytes(const move_problem &p) {
    const double bits = n_elements(p, &dim_limits::load) * p.moved_src_bits()
            + n_elements(p, &dim_limits::store) * p.moved_dst_bits();
    return dim_t(std::min(bits / 8, 9e18));
}

namespace {

// Rows of a source that are read in one piece, and where the next ones begin behind a gap.
struct row_pitch {
    dim_t row_bytes;
    dim_t next_bytes; // 0: no gap
};

row_pitch source_rows(const move_problem &p) {
    row_pitch rows {std::max(1, p.src_elem_bits() / 8), 0};
    for (bool grown = true; grown;) {
        grown = false;
        rows.next_bytes = 0;
        for (const level &l : p.levels) {
            const dim_t n_read = read_steps(p.limits, l);
            if (n_read <= 1 || l.src_stride < rows.row_bytes) continue;
            if (l.src_stride == rows.row_bytes) {
                if (!multiply(rows.row_bytes, n_read, &rows.row_bytes)) return {1, 0};
                grown = true;
                break;
            }
            if (rows.next_bytes == 0 || l.src_stride < rows.next_bytes)
                rows.next_bytes = l.src_stride;
        }
    }
    return rows;
}

} // namespace

dim_t touched_bytes(const move_problem &p) {
    const bool is_regular = std::all_of(
            p.levels.begin(), p.levels.end(), [](const level &l) { return l.is_regular(); });
    if (!is_regular) return moved_bytes(p);
    const row_pitch rows = source_rows(p);
    if (rows.next_bytes == 0) return moved_bytes(p);
    const dim_t touched = std::min(rows.next_bytes, round_up(rows.row_bytes, tuning::line_bytes));
    const double src_bytes = n_elements(p, &dim_limits::load) * p.moved_src_bits() / 8;
    const double share = double(touched) / double(rows.row_bytes);
    return dim_t(std::min(double(moved_bytes(p)) + src_bytes * (share - 1), 9e18));
}

bool exceeds_cache(const move_problem &p, const machine &m) {
    const double share = m.fetches_stores_late ? tuning::streaming_share_of_cache_with_claims
                                               : tuning::streaming_share_of_cache;
    return double(moved_bytes(p)) >= share * double(m.l3_bytes);
}

bool is_mostly_written(const move_problem &p) {
    double src_bytes = 1;
    for (const level &l : p.levels) {
        const dim_t last = std::max<dim_t>(0, read_steps(p.limits, l) - 1);
        src_bytes += l.is_regular() ? double(last) * double(l.src_stride)
                                    : double(digits_offset(l.src_digits, last * l.digit_steps));
    }
    const double dst_bytes = n_elements(p, &dim_limits::store) * p.moved_dst_bits() / 8;
    const bool widens = p.moved_dst_bits() > p.moved_src_bits();
    const double share = widens ? tuning::min_written_share_of_wider : tuning::min_written_share;
    return dst_bytes >= share * src_bytes;
}

dim_t tile_bytes(const tile &t) {
    dim_t n_bits = std::max(t.src_elem_bits, t.dst_elem_bits);
    for (const tile_bit &b : t.bits)
        if (b.level >= 0) n_bits *= 2;
    return std::max<dim_t>(1, n_bits / 8);
}

namespace {

bool is_packed(const tile &t, const bit_indices &run, dim_t tile_bit::*stride, int elem_bits) {
    for (size_t i = 0; i < run.size(); i++) {
        const tile_bit &b = t.bits[size_t(run[i])];
        if (b.level >= 0 && b.*stride != (dim_t(elem_bits) << i) / 8) return true;
    }
    return false;
}

} // namespace

bool is_src_packed(const tile &t, const bit_indices &run) {
    return is_packed(t, run, &tile_bit::src_stride_bytes, t.src_elem_bits);
}

bool is_dst_packed(const tile &t, const bit_indices &run) {
    return is_packed(t, run, &tile_bit::dst_stride_bytes, t.dst_elem_bits);
}

int tile::phased_index(const level &l) const {
    for (size_t i = 0; i < phased.size(); i++)
        if (!l.is_regular() && phased[i].dim == l.dim) return int(i);
    return -1;
}

int tile::n_lane_bits() const { return log2_exact(vector_bytes / elem_bytes); }

namespace {

void take(bit_list &taken, const bit_list &from, size_t count) {
    for (size_t i = 0; i < std::min(count, from.size()); i++)
        if (!contains(taken, from[i])) taken.push_back(from[i]);
}

bit_list prefix(const bit_list &run, size_t count) {
    return bit_list(run.begin(), run.begin() + std::min(count, run.size()));
}

size_t union_size(const bit_list &a, const bit_list &b) {
    bit_list u = a;
    take(u, b, b.size());
    return u.size();
}

// The destination's old values take a register that a full tile has not left, and so do rows that
// become bytes of pairs where there are 16.
int max_reg_bits(const move_problem &p, const machine &m) {
    if (m.n_vector_regs >= 32) return tuning::max_reg_bits_32_regs - p.converts.steps.has_sum;
    return tuning::max_reg_bits_16_regs - (p.converts.steps.has_sum || p.converts.pairs_rows);
}

// Whether runs of so many bytes end within lines.
bool is_odd(dim_t run_bytes) {
    return tuning::line_bytes % run_bytes != 0 && run_bytes % tuning::line_bytes != 0;
}

using row_list = inline_vector<dim_t, 64>;

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
                rows.push_back(rows[i] + step * steps.stride);
    return rows;
}

int in_fullest_l1_set(const row_list &rows) {
    std::array<int, tuning::l1_set_period_bytes / tuning::line_bytes> in_set {};
    for (dim_t row : rows)
        in_set[size_t(row % tuning::l1_set_period_bytes / tuning::line_bytes)]++;
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
            all.push_back({stride_of(l, of_src) << b.k, 1});
            last_level = b.level;
            first_k = b.k;
        }
        const dim_t there_are = of_src ? read_steps(p.limits, l) : l.extent;
        all.back().n_steps = std::min(
                dim_t(2) << (b.k - first_k), ceil_div(there_are, dim_t(1) << first_k));
    }
    return all;
}

int rows_in_l1_set(const move_problem &p, const bit_list &run, const bit_list &other, bool of_src) {
    return rows_in_l1_set(steps_across(p, run, other, of_src));
}

// How many lines share the fullest set of L1, where these rows begin.
int lines_in_l1_set(const row_steps_list &steps) {
    row_list lines = rows_of(steps);
    for (dim_t &row : lines)
        row -= row % tuning::line_bytes;
    std::sort(lines.begin(), lines.end());
    lines.resize(size_t(std::unique(lines.begin(), lines.end()) - lines.begin()));
    return in_fullest_l1_set(lines);
}

bool is_half_padding(const move_problem &p) {
    return n_elements(p, &dim_limits::store) >= 2 * n_elements(p, &dim_limits::load);
}

// Where not both sides can be moved by whole vectors, the destination's stores are whole: a line
// that is stored in parts costs more than one that is loaded in parts. But lines of source rows
// that collide are gone from L1 before their next part is wanted, so these are better read at once,
// unless the destination's collide nearly as much. Of what goes through a scratch only the source's
// lines matter, of what is streamed only the destination's, of which there are more also where they
// are half padding: u8 abcd -> aBdc16b 4x3x256x256 takes 0.83 of the time then, 8 such cases 0.88.
bool prefers_whole_src_lines(
        const move_problem &p, store_path stores, const bit_list &src, const bit_list &dst) {
    const int of_src = rows_in_l1_set(p, dst, src, true);
    if (stores == store_path::streamed || of_src <= tuning::max_rows_in_l1_set) return false;
    if (is_half_padding(p)) return false;
    const int of_dst = rows_in_l1_set(p, src, dst, false);
    // 16 (all steps of a tile) and 14 (all that a level has) are as many.
    return uses_scratch(stores) || 2 * of_src > 3 * of_dst;
}

// Whether the steps of irregular level `i` go on where a run ends, or share lines, on either side.
// If so they are next to the tile, else loops of the driver, outside of all others.
bool is_adjacent(const move_problem &p, phased_dims phased, const bit_list &taken, size_t i,
        const bit_list &src_run, const bit_list &dst_run) {
    const level &l = p.levels[i];
    const auto is_near = [&](const bit_list &run, bool of_src) {
        return stride_of(l, of_src) <= std::max(tuning::line_bytes, bytes_of_run(p, run, of_src));
    };
    return phased.has(l) && may_enter(p, taken, int(i), phased)
            && (is_near(src_run, true) || is_near(dst_run, false));
}

// Steps of such levels into registers that are left.
void take_digits(const move_problem &p, phased_dims phased, size_t max_bits,
        const bit_list &src_run, const bit_list &dst_run, bit_list &taken) {
    for (size_t i = 0; i < p.levels.size(); i++) {
        if (!is_adjacent(p, phased, taken, i, src_run, dst_run)) continue;
        const level &l = p.levels[i];
        const int n_bits = std::max(digit_bits(l, true), digit_bits(l, false));
        for (int k = 0; k < n_bits && taken.size() < max_bits; k++)
            if (!contains(taken, {int(i), k})) taken.push_back({int(i), k});
    }
}

// The irregular levels next to the tile, none of which have others of their dimension below.
void add_phased(tile &t, const move_problem &p, phased_dims phased, const bit_list &taken,
        const bit_list &src_run, const bit_list &dst_run) {
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        if (!phased.has(l)) continue;
        phased_bits bits {l.dim, l.src_digits, l.dst_digits, {}};
        for (size_t b = 0; b < taken.size(); b++)
            if (taken[b].level == int(i)) bits.bits.push_back(int(b));
        if (!bits.bits.empty() || is_adjacent(p, phased, taken, i, src_run, dst_run))
            t.phased.push_back(bits);
    }
}

tile assemble(const move_problem &p, int vector_bytes, phased_dims phased, const bit_list &taken,
        const bit_list &src_run, const bit_list &dst_run) {
    tile t {p.elem_bytes, vector_bytes, {}, {}, {}, {}, p.src_elem_bits(), p.dst_elem_bits(),
            bytes_of_run(p, src_run, true), bytes_of_run(p, dst_run, false)};
    t.dst_has_4_bits = p.converts.dst_has_4_bits();
    t.bits_of_level.resize(p.levels.size(), 0);
    for (const level_bit &b : taken) {
        if (b.level < 0) {
            t.bits.push_back({-1, -1, 0, 0, 0, 0});
            continue;
        }
        const level &l = p.levels[b.level];
        const dim_t step = dim_t(1) << b.k;
        t.bits.push_back({b.level, l.dim, l.unit * step, stride_of(l, true) * step,
                stride_of(l, false) * step, l.param_stride_bytes * step, l.is_regular(),
                is_read(p.limits, l, b.k)});
        t.bits_of_level[b.level]++;
    }
    t.src_whole_run_bytes = t.src_run_bytes;
    if (!src_run.empty() && src_run.back().level >= 0) {
        const level &last = p.levels[size_t(src_run.back().level)];
        t.src_whole_run_bytes = std::max(t.src_run_bytes, last.src_stride * last.extent);
    }
    auto index_of = [&](const level_bit &b) {
        return int(std::find(taken.begin(), taken.end(), b) - taken.begin());
    };
    for (const level_bit &b : src_run)
        t.src_run.push_back(index_of(b));
    for (const level_bit &b : dst_run)
        t.dst_run.push_back(index_of(b));
    while (t.n_reg_bits() < 0)
        t.bits.push_back({-1, -1, 0, 0, 0, 0});
    add_phased(t, p, phased, taken, src_run, dst_run);
    return t;
}

// One element at a time, unrolled along the level with the smallest destination stride.
tile element_tile(const move_problem &p, phased_dims phased) {
    bit_list taken;
    take_digits(p, phased, tuning::element_reg_bits, {}, {}, taken);
    if (!taken.empty()) return assemble(p, p.elem_bytes, phased, taken, {}, {});
    int best = -1;
    for (size_t i = 0; i < p.levels.size(); i++)
        if (may_enter(p, {}, int(i))
                && (best < 0 || p.levels[i].dst_stride < p.levels[best].dst_stride))
            best = int(i);
    if (best >= 0)
        for (int k = 0; k < std::min(tuning::element_reg_bits, total_bits(p.levels[best])); k++)
            taken.push_back({best, k});
    return assemble(p, p.elem_bytes, phased, taken, {}, {});
}

// The widest vector that the tile's bits fill; a tile smaller than 16 bytes leaves the rest unused.
int fitting_vector_bytes(const move_problem &p, const machine &m, size_t n_bits) {
    int bytes = m.vector_bytes;
    while (bytes > 16 && (dim_t(p.elem_bytes) << n_bits) < bytes)
        bytes /= 2;
    return bytes;
}

// Elements that are converted while they are in vectors, and written one at a time: along the
// source's run, or, where that has none either, along the level with the smallest source stride.
tile scatter_tile(
        const move_problem &p, const machine &m, phased_dims phased, const bit_list &src_run) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    bit_list taken = prefix(src_run, lane_bits);
    if (taken.empty()) {
        int best = -1;
        for (size_t i = 0; i < p.levels.size(); i++)
            if (may_enter(p, {}, int(i))
                    && (best < 0 || p.levels[i].src_stride < p.levels[best].src_stride))
                best = int(i);
        for (int k = 0; best >= 0 && k < total_bits(p.levels[best]) && k < int(lane_bits); k++)
            taken.push_back({best, k});
    }
    const bit_list run = src_run.empty() ? bit_list {} : taken;
    take_digits(p, phased, lane_bits + size_t(max_reg_bits(p, m)), run, {}, taken);
    const int vector_bytes = fitting_vector_bytes(p, m, taken.size());
    const size_t fitting_bits = size_t(log2_exact(vector_bytes / p.elem_bytes));
    return assemble(p, vector_bytes, phased, taken, prefix(run, fitting_bits), {});
}

// Lane bits that a packed run may have: those that one permute reaches.
size_t packed_run_bits(const move_problem &p, const machine &m) {
    if (!may_pack_runs(p)) return 0;
    return size_t(log2_exact((m.can_permute(p.elem_bytes) ? m.vector_bytes : 16) / p.elem_bytes));
}

} // namespace

int rows_in_l1_set(dim_t stride, dim_t n_rows) {
    return rows_in_l1_set(row_steps_list {{stride, std::min<dim_t>(n_rows, 64)}});
}

namespace {

// Whether the rows of each side are one step apart, of elements that keep their size and tensors
// without padding, whose lines come at whole lines of the destination. (Blocks that divide their
// dimension are like dimensions here.)
bool transposes_rows(
        const move_problem &p, const row_steps_list &src_steps, const row_steps_list &dst_steps) {
    return src_steps.size() == 1 && dst_steps.size() == 1 && p.src_elem_bits() == p.dst_elem_bits()
            && std::all_of(p.levels.begin(), p.levels.end(),
                    [&](const level &l) { return is_exact(p, l) && keeps_lines(l); });
}

} // namespace

bool needs_collecting(const move_problem &p, const machine &m) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    const size_t line_bits = size_t(log2_exact(tuning::line_bytes / p.elem_bytes));
    const bit_list src_line = prefix(contiguous_run(p, true, 0), line_bits);
    const bit_list dst_line = prefix(contiguous_run(p, false, 0), line_bits);
    const bool fits_tile = union_size(src_line, dst_line) <= lane_bits + size_t(max_reg_bits(p, m));
    int min_rows = tuning::min_rows_to_collect;
    if (fits_tile && !is_odd(bytes_of_run(p, dst_line, false))) {
        if (!is_odd(bytes_of_run(p, src_line, true))) return false;
        min_rows = tuning::min_odd_src_rows_to_collect;
    }
    const row_steps_list src_steps = steps_across(p, dst_line, src_line, true);
    const row_steps_list dst_steps = steps_across(p, src_line, dst_line, false);
    const int n_src = rows_in_l1_set(src_steps), n_dst = rows_in_l1_set(dst_steps);
    if (n_src >= min_rows && n_dst >= min_rows) return true;
    return !fits_tile && transposes_rows(p, src_steps, dst_steps)
            && double(moved_bytes(p)) > tuning::min_transposed_share_of_l2 * double(m.l2_bytes)
            && std::min(n_src, n_dst) >= tuning::min_rows_to_collect_transposed
            && n_src * n_dst >= tuning::min_row_pairs_to_collect_transposed;
}

namespace {

// Of the rows of the source that a tile reads.
int source_rows_in_l1_set(const tile &t) {
    row_steps_list steps;
    for (int b : t.dst_run)
        if (t.bits[size_t(b)].is_read
                && std::find(t.src_run.begin(), t.src_run.end(), b) == t.src_run.end())
            steps.push_back({t.bits[size_t(b)].src_stride_bytes, 2});
    return rows_in_l1_set(steps);
}

} // namespace

bool reads_lines_again(const tile &t) {
    return (t.src_elem_bits << t.src_run.size()) / 8 <= tuning::line_bytes / 4
            && source_rows_in_l1_set(t) >= tuning::min_rows_to_collect;
}

int open_lines(const tile &t) {
    const auto in_line = [](const tile_bit &b) {
        return b.level < 0 || b.dst_stride_bytes < tuning::line_bytes;
    };
    const auto n_in_line = std::count_if(t.bits.begin(), t.bits.end(), in_line);
    if ((dim_t(t.dst_elem_bits) << n_in_line) / 8 >= tuning::line_bytes) return 0;
    return 1 << (dim_t(t.bits.size()) - n_in_line);
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
    return t.src_run != t.dst_run && is_odd(is_in_two ? whole_bytes : t.src_run_bytes);
}

bool reads_colliding_rows(const tile &t) {
    return source_rows_in_l1_set(t) > tuning::max_rows_in_l1_set;
}

bool crowds_l1(const tile &t) { return reads_odd_runs(t) && reads_colliding_rows(t); }

int stored_rows_in_l1_set(const tile &t) {
    row_steps_list steps;
    for (size_t b = 0; b < t.bits.size(); b++)
        if (t.bits[b].level >= 0
                && std::find(t.dst_run.begin(), t.dst_run.end(), int(b)) == t.dst_run.end())
            steps.push_back({t.bits[b].dst_stride_bytes, 2});
    return rows_in_l1_set(steps);
}

bool stores_colliding_rows(const tile &t) {
    return stored_rows_in_l1_set(t) > tuning::max_rows_in_l1_set;
}

namespace {

// What a tile takes of both runs.
struct run_pair {
    bit_list src, dst;
};

// Lines of the destination that vectors below a line store by one tile, past the caches, which has
// few buffers for lines in part, and what that leaves of the source's run, half a vector and more.
// False where it is not the way. Time over a memcpy that streams, through a scratch / so: 57
// transposes of 400 MB of f32 AVX2 1.79 / 1.44 (43408x1216 2.8 / 1.3), SSE4.1 1.76 / 1.56. Not
// where rows of the source share pages (f32 abc -> acb 355x384x384 1.5 / 2.0), with less than half
// a vector (f16 abcd -> ABcd32a16b 32x128x56x56 1.0 / 1.4), nor for padding (f32 abc -> AcB16b32a2b
// 8x384x1024 1.0 / 3.3).
bool fit_lines(const move_problem &p, const machine &m, store_path stores,
        const bit_list &whole_src, const bit_list &whole_dst, run_pair *runs) {
    if (!m.streams_lines || stores != store_path::streamed || whole_dst[0].level < 0
            || p.dst_elem_bits() / 8 != p.elem_bytes || m.vector_bytes >= tuning::line_bytes
            || is_half_padding(p))
        return false;
    const size_t n_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes) + max_reg_bits(p, m));
    const bit_list line = prefix(whole_dst, size_t(log2_exact(tuning::line_bytes / p.elem_bytes)));
    bit_list src = whole_src;
    while (!src.empty() && union_size(src, line) > n_bits)
        src.pop_back();
    const level &along_dst = p.levels[size_t(whole_dst[0].level)];
    if (bytes_of_run(p, line, false) != tuning::line_bytes
            || along_dst.src_stride < tuning::page_bytes
            || bytes_of_run(p, src, true) < m.vector_bytes / 2
            || !std::all_of(p.levels.begin(), p.levels.end(), keeps_lines))
        return false;
    *runs = {src, line};
    return true;
}

bool has_irregular(const move_problem &p, const bit_list &run) {
    return std::any_of(run.begin(), run.end(), [&](const level_bit &b) {
        return b.level >= 0 && !p.levels[size_t(b.level)].is_regular();
    });
}

// Whether tiles leave lines of the destination in part, which must still be in L1 when the next
// ones complete them. Of runs that end within lines, rows that share one are one there (9 bytes
// apart: u8 decab -> abcde 960x1x1x3x3 AVX2 13.1 / 7.5 times memcpy, acdb -> abcd 64x64x3x3 3.2
// / 1.95; 300 such reorders 1.176 / 1.151); 121 of which tiles have 64 of 96 bytes and the
// like 1.51 / 1.41, 19 on AVX2 2.00 / 1.89, 17 on SSE4.1 2.55 / 2.43. Elsewhere rows count, since
// each is moved for itself: with lines u8 abcd -> aBdc32b 128x128x3x3 3.5 / 5.9. Joined runs are
// stored in pieces of lines, 16 bytes of u8: 226 reorders whose rows are a multiple of 4096 bytes
// apart 2.21 / 1.82 (u8 cba -> abc 28x2048x13 7.8 / 2.2), 355 on AVX2 1.74 / 1.63, 244 on
// SSE4.1 1.91 / 1.83, with one more row 1.81, 1.68, 1.91.
bool leaves_lines(const move_problem &p, const bit_list &whole_dst, const bit_list &dst) {
    const dim_t dst_bytes = bytes_of_run(p, dst, false);
    return is_odd(dst_bytes) || is_odd(bytes_of_run(p, whole_dst, false))
            || (dst_bytes < tuning::line_bytes && has_irregular(p, dst));
}

run_pair fitting_runs(const move_problem &p, const machine &m, store_path stores,
        const bit_list &whole_src, const bit_list &whole_dst) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    bit_list src = prefix(whole_src, lane_bits), dst = prefix(whole_dst, lane_bits);
    run_pair of_lines;
    if (fit_lines(p, m, stores, src, whole_dst, &of_lines)) return of_lines;
    bit_list &shortened = prefers_whole_src_lines(p, stores, src, dst) ? dst : src;
    while (union_size(src, dst) > lane_bits + max_reg_bits(p, m))
        shortened.pop_back();

    const bool may_leave_lines = stores == store_path::plain && leaves_lines(p, whole_dst, dst);
    while (may_leave_lines && src.size() > 2
            && lines_in_l1_set(steps_across(p, src, dst, false)) > tuning::max_rows_in_l1_set)
        src.pop_back();
    while (!src.empty() && is_filler(src.back())) // fillers behind which nothing is left
        src.pop_back();
    return {src, dst};
}

// Whether what is left of a run is hardly more than its fillers.
bool is_mostly_fillers(const bit_list &run) {
    const auto n_fillers = std::count_if(run.begin(), run.end(), is_filler);
    return n_fillers > 0 && dim_t(1) << (dim_t(run.size()) - n_fillers) < tuning::min_filled_runs;
}

// Whether the phases of all levels together are too many, or too many levels have them.
bool has_too_many_phases(const move_problem &p, const tile &t) {
    const dim_t most = moved_bytes(p) < tuning::min_large_bytes ? tuning::max_phases
                                                                : tuning::max_phases_of_large;
    dim_t n_phases = 1;
    for (size_t i = 0; i < p.levels.size(); i++)
        if (t.phased_index(p.levels[i]) >= 0 && n_phases <= most)
            n_phases *= ceil_div(p.levels[i].extent, dim_t(1) << t.bits_of_level[i]);
    return n_phases > most || t.phased.size() > size_t(max_phased_levels);
}

// Of a copy of rows that leave registers, some that lie side by side in the destination: what is
// stored of one may reach into the next where there are no masks (ir/widen). Time over memcpy, one
// row / four, the 131 of 11700 reorders that this changes on AVX2: 1.52 / 1.31 (f32 ABcd4a4b ->
// acdb 64x3x3x3 10.1 / 4.8, s8 cabd -> bcda 1x1024x14x14 3.2 / 1.7), with two rows a third of it
// less, with eight the same; 77 on SSE4.1 1.62 / 1.33. AVX-512: no difference.
void take_rows(const move_problem &p, const bit_list &run, size_t n_lane_bits, bit_list &taken) {
    const dim_t row_bytes = bytes_of_run(p, run, false);
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        // A tile's bits number logical indices: behind a level of 7 of the same dimension they do
        // not.
        const bool may_follow = is_pow2(l.unit) && !contains(taken, {int(i), 0});
        if (l.dst_stride != row_bytes || !may_follow || !may_enter(p, taken, int(i))) continue;
        while (taken.size() < n_lane_bits)
            taken.push_back({-1, int(taken.size())});
        for (int k = 0; k < std::min(tuning::copy_reg_bits, total_bits(l)); k++)
            taken.push_back({int(i), k});
        return;
    }
}

tile choose_tile_for(
        const move_problem &p, const machine &m, store_path stores, phased_dims phased) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    const size_t packed_bits = packed_run_bits(p, m);
    const bit_list whole_src = contiguous_run(p, true, packed_bits, m.vector_bytes, phased);
    const bit_list whole_dst = contiguous_run(p, false, packed_bits, 0, phased);
    if (whole_dst.empty()) {
        const bool is_scattered = p.converts || has_irregular(p, whole_src);
        return is_scattered ? scatter_tile(p, m, phased, whole_src) : element_tile(p, phased);
    }

    run_pair runs = fitting_runs(p, m, stores, whole_src, whole_dst);
    if (is_mostly_fillers(runs.src))
        runs = fitting_runs(
                p, m, stores, contiguous_run(p, true, packed_bits, 0, phased), whole_dst);
    const bit_list &src = runs.src, &dst = runs.dst;
    bit_list taken = dst;
    take(taken, src, src.size());
    if (src == dst) take(taken, whole_dst, lane_bits + tuning::copy_reg_bits);
    take_digits(p, phased, lane_bits + size_t(max_reg_bits(p, m)), src, dst, taken);
    const int vector_bytes = fitting_vector_bytes(p, m, taken.size());
    const size_t fitting_bits = size_t(log2_exact(vector_bytes / p.elem_bytes));
    if (src == dst && !m.has_masks() && taken.size() < lane_bits + tuning::copy_reg_bits)
        take_rows(p, whole_dst, fitting_bits, taken);
    return assemble(
            p, vector_bytes, phased, taken, prefix(src, fitting_bits), prefix(dst, fitting_bits));
}

} // namespace

tile choose_tile(const move_problem &p, const machine &m, store_path stores, bool with_phases) {
    const auto irregular = [](const level &l) { return !l.is_regular(); };
    // A scratch has one stride for each level.
    if (!with_phases || uses_scratch(stores)
            || std::none_of(p.levels.begin(), p.levels.end(), irregular))
        return choose_tile_for(p, m, stores, phased_dims::none());
    const tile all = choose_tile_for(p, m, stores, phased_dims::all());
    if (!has_too_many_phases(p, all)) return all;
    // Those of one dimension then, the one that gives the tile most.
    tile best = choose_tile_for(p, m, stores, phased_dims::none());
    size_t most_bits = 0;
    for (const level &l : p.levels) {
        if (l.is_regular()) continue;
        const tile one = choose_tile_for(p, m, stores, {l.dim});
        if (one.phased.empty() || has_too_many_phases(p, one)) continue;
        if (!best.phased.empty() && one.phased[0].bits.size() <= most_bits) continue;
        most_bits = one.phased[0].bits.size();
        best = one;
    }
    return best;
}

tile choose_zero_tile(const move_problem &p, const machine &m) {
    const bit_list run = contiguous_run(p, false, 0);
    if (run.empty()) return element_tile(p, phased_dims::none());
    const bit_list taken = prefix(run, size_t(log2_exact(tuning::zero_tile_bytes / p.elem_bytes)));
    const int vector_bytes = fitting_vector_bytes(p, m, taken.size());
    const bit_list dst = prefix(run, size_t(log2_exact(vector_bytes / p.elem_bytes)));
    return assemble(p, vector_bytes, phased_dims::none(), taken, dst, dst);
}

std::string to_text(const tile &t) {
    auto list = [&](const bit_indices &run) {
        std::string text;
        for (int b : run)
            text += " " + std::to_string(b);
        return text.empty() ? std::string(" -") : text;
    };
    std::string text = "tile: element " + std::to_string(t.elem_bytes) + " bytes, vector "
            + std::to_string(t.vector_bytes) + " bytes, " + std::to_string(1 << t.n_reg_bits())
            + " registers\n";
    for (size_t i = 0; i < t.bits.size(); i++) {
        const tile_bit &b = t.bits[i];
        text += "  bit " + std::to_string(i) + ": axis " + std::to_string(b.dim) + " weight "
                + std::to_string(b.weight) + " src_stride " + std::to_string(b.src_stride_bytes)
                + " dst_stride " + std::to_string(b.dst_stride_bytes) + "\n";
    }
    return text + "  src run:" + list(t.src_run) + "\n  dst run:" + list(t.dst_run) + "\n";
}

} // namespace tfmt::cpu
