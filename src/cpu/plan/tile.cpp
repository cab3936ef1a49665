// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/tile.hpp"

#include <algorithm>

#include "common/checked.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

dim_t tile_bytes(const tile &t) {
    dim_t n_bits = std::max(t.src_elem_bits, t.dst_elem_bits);
    for (const tile_bit &b : t.bits)
        if (b.level >= 0) n_bits *= 2;
    return std::max<dim_t>(1, n_bits / 8);
}

dim_t pass_bytes(dim_t step_bytes, const std::vector<level> &levels, size_t first, dim_t enough) {
    dim_t bytes = step_bytes;
    for (size_t i = first; i < levels.size() && bytes < enough; i++)
        bytes *= std::min(levels[i].extent, enough);
    return bytes;
}

bool contains(const bit_indices &run, size_t bit) {
    return std::find(run.begin(), run.end(), int(bit)) != run.end();
}

int tile::phased_index(const level &l) const {
    for (size_t i = 0; i < phased.size(); i++)
        if (!l.is_regular() && phased[i].dim == l.dim) return int(i);
    return -1;
}

int tile::n_lane_bits() const { return log2_exact(vector_bytes / elem_bytes); }

// The destination's old values take a register that a full tile has not left, and so do rows that
// become bytes of pairs where there are 16.
int max_reg_bits(const move_problem &p, const machine &m) {
    if (m.n_vector_regs >= 32) return tuning::max_reg_bits_32_regs - p.converts.steps.has_sum;
    return tuning::max_reg_bits_16_regs - (p.converts.steps.has_sum || p.converts.pairs_rows);
}

namespace {

bool is_packed(const tile &t, const bit_indices &run, dim_t tile_bit::*stride, int elem_bits) {
    for (size_t i = 0; i < run.size(); i++) {
        const tile_bit &b = t.bits[size_t(run[i])];
        if (b.level >= 0 && b.*stride != (dim_t(elem_bits) << i) / 8) return true;
    }
    return false;
}

// Where not both sides can be moved by whole vectors, the destination's stores are whole: a line
// that is stored in parts costs more than one that is loaded in parts. But lines of source rows
// that collide are gone from L1 before their next part is wanted, so these are better read at once,
// unless the destination's collide nearly as much. Of what goes through a scratch only the source's
// lines matter, of what is streamed only the destination's, of which there are more also where they
// are half padding: u8 abcd -> aBdc16b 4x3x256x256 takes 0.83 of the time then, 8 such cases 0.88.
// Rows that share a line of the source (9 bytes apart) are one. Cascade Lake, time over counting
// them all, AVX2 20 of 11900 reorders 0.95, SSE4.1 3 0.81, AVX-512 3 0.93.
bool prefers_whole_src_lines(
        const move_problem &p, store_path stores, const bit_list &src, const bit_list &dst) {
    const int of_src = lines_in_l1_set(p, dst, src, true);
    if (stores == store_path::streamed || of_src <= tuning::max_rows_in_l1_set) return false;
    if (is_half_padding(p.limits)) return false;
    const int of_dst = rows_in_l1_set(p, src, dst, false);
    return uses_scratch(stores) || of_src > tuning::src_rows_over_dst_rows * of_dst;
}

// Whether the steps of irregular level `i` go on where a run ends, or share lines, on either side.
// If so they are next to the tile, else they are loops of the driver (blocking says where).
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
        t.bits.push_back({b.level, l.dim, l.unit * step, wrapping_mul(stride_of(l, true), step),
                wrapping_mul(stride_of(l, false), step), l.param_stride_bytes * step,
                l.is_regular(), is_read(p.limits, l, b.k)});
        t.bits_of_level[b.level]++;
    }
    t.src_whole_run_bytes = t.src_run_bytes;
    if (!src_run.empty() && src_run.back().level >= 0) {
        const level &last = p.levels[size_t(src_run.back().level)];
        t.src_whole_run_bytes = std::max(
                t.src_run_bytes, wrapping_mul(last.src_stride, last.extent));
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

// The level with the smallest stride of those that a tile may begin with, or -1.
int nearest_level(const move_problem &p, bool of_src) {
    int best = -1;
    for (size_t i = 0; i < p.levels.size(); i++)
        if (may_enter(p, {}, int(i))
                && (best < 0
                        || stride_of(p.levels[i], of_src)
                                < stride_of(p.levels[size_t(best)], of_src)))
            best = int(i);
    return best;
}

// One element at a time, unrolled along the level with the smallest destination stride.
tile element_tile(const move_problem &p, phased_dims phased) {
    bit_list taken;
    take_digits(p, phased, tuning::element_reg_bits, {}, {}, taken);
    if (!taken.empty()) return assemble(p, p.elem_bytes, phased, taken, {}, {});
    const int best = nearest_level(p, false);
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
        const int best = nearest_level(p, true);
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

// What a tile of `n_bits` has room for of `run` if it takes all of `kept`.
bit_list left_beside(const bit_list &kept, bit_list run, size_t n_bits) {
    while (!run.empty() && union_size(run, kept) > n_bits)
        run.pop_back();
    return run;
}

// What a tile takes of both runs.
struct run_pair {
    bit_list src, dst;
    bool is_narrow = false; // as tile::is_narrow
};

// Bits of a tile whose values are all in registers.
size_t n_bits_in_registers(const move_problem &p, const machine &m) {
    return size_t(log2_exact(m.vector_bytes / p.elem_bytes) + max_reg_bits(p, m));
}

// Whether tiles may have 16 registers of as many, of elements of up to `max_elem_bytes`.
bool can_spill(const move_problem &p, const machine &m, int max_elem_bytes) {
    return p.elem_bytes <= max_elem_bytes && !p.converts && m.n_vector_regs == 16;
}

// Lines of the destination that vectors below a line store by one tile, and what that leaves of the
// source's run. False where it is not the way.
//
// Past the caches, which have few buffers for lines in part, with so much of the source's rows as
// the machine says, for which some values may wait on the stack, and no more of them on one set of
// L1 than it says.
//
// Within them where rows of the destination collide, so that what one vector stores of a line is
// gone from L1 before the next one's turn, unless the source's do as well: min_src_run_bytes_left.
// Not padding, nor elements that are too narrow for the machine (min_elem_bytes_of_whole_lines).
bool fit_lines(const move_problem &p, const machine &m, store_path stores,
        const bit_list &src_vector, const bit_list &dst_vector, const bit_list &whole_dst,
        run_pair *runs) {
    if (uses_scratch(stores) || p.dst_elem_bits() / 8 != p.elem_bytes
            || m.vector_bytes >= tuning::line_bytes)
        return false;
    const size_t n_bits = n_bits_in_registers(p, m);
    const bit_list line = prefix(whole_dst, size_t(log2_exact(tuning::line_bytes / p.elem_bytes)));
    bit_list src = left_beside(line, src_vector, n_bits);
    if (bytes_of_run(p, line, false) != tuning::line_bytes || !keeps_all_lines(p)) return false;
    if (stores == store_path::streamed) {
        if (!m.min_src_bytes_of_streamed_lines) return false;
        const bool is_short = bytes_of_run(p, src, true) < tuning::line_bytes / 4;
        if (is_short && can_spill(p, m, tuning::max_spilled_elem_bytes_of_streamed_lines))
            src = left_beside(line, src_vector, n_bits + 1);
        if (bytes_of_run(p, src, true) < m.min_src_bytes_of_streamed_lines
                || rows_in_l1_set(p, line, src, true) > m.max_src_rows_of_streamed_lines)
            return false;
    } else if (is_half_padding(p.limits) || p.elem_bytes < m.min_elem_bytes_of_whole_lines
            || bytes_of_run(p, src, true) < tuning::min_src_run_bytes_left
            || lines_in_l1_set(p, left_beside(dst_vector, src_vector, n_bits), dst_vector, false)
                    <= tuning::max_rows_in_l1_set
            || lines_in_l1_set(p, line, src, true) > tuning::max_src_lines_in_l1_set_of_whole_lines)
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
// each is moved for itself, but those of the source for whole lines. Joined runs are
// stored in pieces of lines, 16 bytes of u8: 226 reorders whose rows are a multiple of 4096 bytes
// apart 2.21 / 1.82 (u8 cba -> abc 28x2048x13 7.8 / 2.2), 355 on AVX2 1.74 / 1.63, 244 on
// SSE4.1 1.91 / 1.83, with one more row 1.81, 1.68, 1.91.
bool leaves_lines(const move_problem &p, const bit_list &whole_dst, const bit_list &dst) {
    const dim_t dst_bytes = bytes_of_run(p, dst, false);
    return ends_within_lines(dst_bytes) || ends_within_lines(bytes_of_run(p, whole_dst, false))
            || (dst_bytes < tuning::line_bytes && has_irregular(p, dst));
}

// Whether a run is hardly more than its fillers.
bool is_mostly_fillers(const bit_list &run) {
    const auto n_fillers = std::count_if(run.begin(), run.end(), is_filler);
    return n_fillers > 0 && dim_t(1) << (dim_t(run.size()) - n_fillers) < tuning::min_filled_runs;
}

// Whether all bits of a run are of data, or all of padding (`is_data` false); fillers are neither.
bool is_all(const move_problem &p, const bit_list &run, bool is_data) {
    return std::all_of(run.begin(), run.end(), [&](const level_bit &b) {
        return b.level >= 0 && is_read(p.limits, p.levels[size_t(b.level)], b.k) == is_data;
    });
}

// Whether tiles would read a run of which each element has a line of its own in the destination,
// padding but for it, in rows that push each other out of L1. Read one by one, these are stored in
// the order of the rows. Time over memcpy, 57 of 27500 reorders, 1.33 / 1.23 (f32 abcde -> Bcdea32b
// 32x1x1x3x3 2.4 / 1.7). With fewer such rows 1.0 to 1.1 times as long; with two elements 51 1.32 /
// 1.30, worst 2.5 / 2.7; in vectors below a line 19 1.36 / 1.41. Not of 4 bits, two of which are
// read at once.
bool spreads_run(const move_problem &p, const bit_list &src, const bit_list &dst) {
    if (p.src_elem_bits() < 8 || p.dst_elem_bits() < 8) return false;
    return bytes_of_run(p, dst, false) == tuning::line_bytes && is_all(p, dst, false)
            && lines_in_l1_set(p, src, dst, false) > tuning::max_rows_in_l1_set;
}

// Whether a tile would read so many lines of one set of L1, a part of each, that they are gone
// before the rest is read.
bool loses_src_lines(
        const move_problem &p, store_path stores, const bit_list &src, const bit_list &dst) {
    const dim_t bytes = bytes_of_run(p, src, true);
    if (bytes >= tuning::line_bytes) return false;
    if (stores == store_path::collected) return true; // those that L1 does not keep
    const int min_lines = bytes <= tuning::max_lost_src_run_bytes
            ? tuning::min_lost_src_lines
            : tuning::min_lost_src_lines_of_long_runs;
    return stores == store_path::plain && lines_in_l1_set(p, dst, src, true) >= min_lines;
}

// Whether a run ends with a few elements behind 2^n others, for which alone it has its last bit.
// Without that bit they are tiles of their own, most of whose lanes do not exist.
bool ends_in_few(const move_problem &p, const bit_list &run) {
    if (run.empty() || is_filler(run.back())) return false;
    const level &l = p.levels[size_t(run.back().level)];
    const dim_t n_others = dim_t(1) << run.back().k;
    const dim_t n_few = read_steps(p.limits, l) - n_others;
    return l.is_regular() && l.extent <= 2 * n_others && n_few > 0 && n_few < n_others;
}

// Whether tiles write too many lines of the destination in one set of L1, where it belongs: such as
// they leave in part, or of which half and more is padding.
bool crowds_l1_set(const move_problem &p, const machine &m, const bit_list &whole_dst,
        const bit_list &src, const bit_list &dst) {
    const bool leaves = leaves_lines(p, whole_dst, dst);
    const bool pads = m.max_padded_rows == 0 && is_half_padding(p.limits)
            && bytes_of_run(p, dst, false) >= m.vector_bytes;
    if (!leaves && !pads) return false;
    const int max_lines = leaves || m.vector_bytes < tuning::line_bytes
            ? tuning::max_rows_in_l1_set
            : tuning::max_padded_lines_in_l1_set;
    return lines_in_l1_set(p, src, dst, false) > max_lines;
}

// Where tiles beyond L2, but not past the caches, would write too many whole lines in one set of
// L1, shortens the source's run, if L1 keeps the lines of the source that a block of the
// destination takes parts of. Returns whether it did.
bool narrow(const move_problem &p, const machine &m, store_path stores, const bit_list &whole_dst,
        const bit_list &dst, bit_list &src) {
    if (!m.narrows_tiles || stores != store_path::plain || moved_bytes(p) <= dim_t(m.l2_bytes)
            || is_half_padding(p.limits) || p.dst_elem_bits() < p.src_elem_bits()
            || bytes_of_run(p, dst, false) < tuning::line_bytes)
        return false;
    bit_list block = whole_dst;
    while (bytes_of_run(p, block, false) > tuning::block_dst_bytes)
        block.pop_back();
    if (rows_in_l1_set(p, block, src, true) > tuning::max_rows_in_l1_set) return false;
    bit_list left = src;
    while (bytes_of_run(p, left, true) > tuning::min_narrow_run_bytes
            && lines_in_l1_set(p, left, dst, false) > tuning::max_rows_in_l1_set)
        left.pop_back();
    if (left.size() == src.size() || bytes_of_run(p, left, true) > tuning::min_narrow_run_bytes)
        return false;
    src = left;
    return true;
}

// Whether a tile may have twice the registers, some of whose values wait on the stack, for longer
// pieces of what lies across whole vectors of the other side: of vectors of both, or where the
// source's are kept of whatever fills these registers, or for a few elements that end a run.
bool may_spill(const move_problem &p, const machine &m, store_path stores, const bit_list &src,
        const bit_list &dst, bool keeps_src) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    const size_t n_bits = union_size(src, dst), more_bits = n_bits_in_registers(p, m) + 1;
    if (!can_spill(p, m, tuning::max_spilled_elem_bytes)) return false;
    if (!keeps_src && n_bits == more_bits && ends_in_few(p, src)) return true;
    return src.size() == lane_bits && n_bits >= (keeps_src ? more_bits : 2 * lane_bits)
            && !(keeps_src && bypasses_caches(stores)
                    && m.vector_bytes < tuning::min_spilled_vector_bytes_of_whole_src);
}

// Whole vectors of the source and as many of its rows as fill 16 bytes.
run_pair runs_in_lanes(const bit_list &src, const bit_list &dst, int elem_bytes) {
    return {src, left_beside(src, dst, src.size() + size_t(log2_exact(lane_bytes / elem_bytes)))};
}

run_pair fitting_runs(const move_problem &p, const machine &m, store_path stores,
        const bit_list &whole_src, const bit_list &whole_dst) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    bit_list src = prefix(whole_src, lane_bits), dst = prefix(whole_dst, lane_bits);
    if (goes_in_lanes(stores)) return runs_in_lanes(src, dst, p.elem_bytes);
    run_pair of_lines;
    if (fit_lines(p, m, stores, src, dst, whole_dst, &of_lines)) return of_lines;
    const size_t n_bits = n_bits_in_registers(p, m);
    const bool leaves_fillers = !is_mostly_fillers(src)
            && is_mostly_fillers(left_beside(dst, src, n_bits));
    const bool keeps_src = prefers_whole_src_lines(p, stores, src, dst)
            || (leaves_fillers && is_all(p, dst, true));
    const auto left_within = [&](size_t n) {
        return keeps_src ? run_pair {src, left_beside(src, dst, n)}
                         : run_pair {left_beside(dst, src, n), dst};
    };
    run_pair fitting = left_within(n_bits);
    if (may_spill(p, m, stores, src, dst, keeps_src)) {
        const run_pair longer = left_within(n_bits + 1);
        const bool reads_well = !keeps_src || bypasses_caches(stores)
                || rows_in_l1_set(p, longer.dst, longer.src, true) <= m.max_spilled_src_rows;
        const bool stores_well = uses_scratch(stores)
                || rows_in_l1_set(p, longer.src, longer.dst, false) <= tuning::max_rows_in_l1_set;
        if (reads_well && stores_well) fitting = longer;
    }
    src = fitting.src;
    dst = fitting.dst;

    const bool loses_lines = loses_src_lines(p, stores, src, dst);
    while (loses_lines && dst.size() > 1
            && lines_in_l1_set(p, dst, src, true) > tuning::max_kept_src_lines)
        dst.pop_back();

    while (stores == store_path::plain && src.size() > tuning::min_src_run_bits_left
            && crowds_l1_set(p, m, whole_dst, src, dst))
        src.pop_back();
    const bool is_narrow = narrow(p, m, stores, whole_dst, dst, src);
    if (spreads_run(p, src, dst)) src.clear();
    while (!src.empty() && is_filler(src.back())) // fillers behind which nothing is left
        src.pop_back();
    return {src, dst, is_narrow};
}

// Whether the phases of all levels together are too many, or too many levels have them.
bool has_too_many_phases(const move_problem &p, const tile &t) {
    const dim_t most = moved_bytes(p) < tuning::min_large_bytes ? tuning::max_phases
                                                                : tuning::max_phases_of_large;
    dim_t n_phases = 1;
    for (size_t i = 0; i < p.levels.size(); i++)
        if (t.phased_index(p.levels[i]) >= 0 && n_phases <= most)
            n_phases *= ceil_div(p.levels[i].extent, dim_t(1) << t.bits_of_level[i]);
    return n_phases > most || t.phased.size() > size_t(tuning::max_phased_levels);
}

// Whether a tile may have several rows at once: both runs are the same elements, and where these
// change places the row does not go on.
bool are_whole_rows(const run_pair &runs, const bit_list &whole_dst) {
    const bit_list &src = runs.src, &dst = runs.dst;
    if (src.size() != dst.size() || union_size(src, dst) != dst.size()) return false;
    return src == dst || dst.size() == whole_dst.size();
}

// Of rows that leave registers, some that lie side by side in the destination.
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
        for (int k = 0; k < std::min(tuning::row_bits, total_bits(l)); k++)
            taken.push_back({int(i), k});
        return;
    }
}

// Steps of padding behind the vectors that a tile stores: they take registers of zeros, or none,
// and a loop around each is most of the time of small tensors.
void take_padding_vectors(const move_problem &p, const bit_list &whole_dst, size_t n_lane_bits,
        size_t max_bits, bit_list &taken) {
    size_t n_left = tuning::padding_vector_bits;
    for (size_t i = n_lane_bits; i < whole_dst.size(); i++) {
        const level_bit &b = whole_dst[i];
        if (contains(taken, b)) continue;
        if (n_left-- == 0 || taken.size() >= max_bits) return;
        const level &l = p.levels[size_t(b.level)];
        if (!l.is_regular() || is_read(p.limits, l, b.k)) return;
        taken.push_back(b);
    }
}

// The destination's run without the last row of 2^n + 1, which a tile of its own brings to the
// others (ir/gather): 9 bytes for each of 16 elements that lie side by side in the source. They
// would be 16 lanes, of which 7 do not exist.
bit_list without_last_row(const move_problem &p, const machine &m, const bit_list &whole_dst) {
    if (m.has_masks() || p.converts || whole_dst.empty()) return whole_dst;
    const level &rows = p.levels[size_t(whole_dst[0].level)];
    const dim_t n_others = rows.extent - 1;
    if (!rows.is_regular() || rows.extent < tuning::min_rows_beside_last || !is_pow2(n_others)
            || n_others * p.elem_bytes > lane_bytes)
        return whole_dst;
    const bool are_beside = std::any_of(p.levels.begin(), p.levels.end(), [&](const level &l) {
        return l.dst_stride == rows.extent * p.elem_bytes && l.src_stride == p.elem_bytes;
    });
    return are_beside ? prefix(whole_dst, size_t(log2_exact(n_others))) : whole_dst;
}

tile choose_tile_for(
        const move_problem &p, const machine &m, store_path stores, phased_dims phased) {
    const size_t lane_bits = size_t(log2_exact(m.vector_bytes / p.elem_bytes));
    const size_t packed_bits = packed_run_bits(p, m);
    const bit_list whole_src = contiguous_run(p, true, packed_bits, m.vector_bytes, phased);
    bit_list whole_dst = contiguous_run(p, false, packed_bits, 0, phased);
    if (stores == store_path::plain) whole_dst = without_last_row(p, m, whole_dst);
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
    const size_t max_bits = lane_bits + size_t(max_reg_bits(p, m));
    take_digits(p, phased, max_bits, src, dst, taken);
    if (stores == store_path::plain && dst.size() == lane_bits
            && moved_bytes(p) <= tuning::max_moved_bytes_of_padding_vectors)
        take_padding_vectors(p, whole_dst, lane_bits, max_bits, taken);
    const int vector_bytes = fitting_vector_bytes(p, m, taken.size());
    const size_t fitting_bits = size_t(log2_exact(vector_bytes / p.elem_bytes));
    const bool leaves_regs = taken.size() < lane_bits + tuning::copy_reg_bits;
    if (leaves_regs && !m.has_masks() && are_whole_rows(runs, whole_dst))
        take_rows(p, whole_dst, fitting_bits, taken);
    tile t = assemble(
            p, vector_bytes, phased, taken, prefix(src, fitting_bits), prefix(dst, fitting_bits));
    t.is_narrow = runs.is_narrow;
    return t;
}

} // namespace

bool is_src_packed(const tile &t, const bit_indices &run) {
    return is_packed(t, run, &tile_bit::src_stride_bytes, t.src_elem_bits);
}

bool is_dst_packed(const tile &t, const bit_indices &run) {
    return is_packed(t, run, &tile_bit::dst_stride_bytes, t.dst_elem_bits);
}

bool stores_vectors(const tile &t, int vector_bytes) {
    if (is_dst_packed(t, t.dst_run)) return false;
    for (size_t b = 0; b < t.bits.size(); b++)
        if (!contains(t.dst_run, b) && t.bits[b].dst_stride_bytes % vector_bytes) return false;
    return true;
}

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
