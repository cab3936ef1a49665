// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/staging.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// What of level `index` of the problem a block covers: the tile's bits and the block's steps of
// what is left of it.
struct block_part {
    level steps;
    size_t index;
};

// Whether `l` came of level `whole` of the problem.
bool is_part_of(const level &l, const level &whole) {
    return l.dim == whole.dim && l.unit >= whole.unit && l.unit < whole.unit * whole.extent;
}

std::vector<block_part> parts_of_block(
        const move_problem &p, const tile &t, const loop_order &order) {
    std::vector<block_part> parts;
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        block_part part {l, i};
        const dim_t extent = steps_in_block(p, t, order, i);
        part.steps.extent = std::min(l.extent, extent);
        if (extent > 1) parts.push_back(part);
    }
    return parts;
}

// A dimension's levels must be visited from outside to inside.
bool is_nested(const std::vector<block_part> &parts) {
    for (size_t i = 0; i < parts.size(); i++)
        for (size_t j = i + 1; j < parts.size(); j++)
            if (parts[i].steps.dim == parts[j].steps.dim
                    && parts[i].steps.unit > parts[j].steps.unit)
                return false;
    return true;
}

// Sorted offsets of lines as rows of equal length at equal steps.
line_list rows_of(const std::vector<dim_t> &offsets) {
    line_list rows;
    for (size_t i = 0, end; i < offsets.size(); i = end) {
        for (end = i + 1; end < offsets.size(); end++)
            if (offsets[end] != offsets[end - 1] + tuning::line_bytes) break;
        const auto n_lines = dim_t(end - i);
        if (!rows.empty() && rows.back().n_lines == n_lines) {
            line_rows &last = rows.back();
            const dim_t past = offsets[i] - last.offset_bytes;
            if (last.n_rows == 1) last.step_bytes = past;
            if (past == last.n_rows * last.step_bytes) {
                last.n_rows++;
                continue;
            }
        }
        rows.push_back({offsets[i], 1, 0, n_lines});
    }
    return rows;
}

// The lines of the block's source.
line_list source_lines(
        const move_problem &p, const std::vector<block_part> &parts, dim_t elem_bytes) {
    dim_t run = elem_bytes; // addresses covered from each of `starts` on
    std::vector<dim_t> starts {0}, lines;
    std::vector<level> by_src;
    for (const block_part &part : parts) {
        by_src.push_back(part.steps);
        by_src.back().extent = read_steps(p.limits, part.steps);
    }
    if (p.converts.pairs_rows) // as one more level
        by_src.push_back({0, 2, 1, p.converts.row_bytes, 0, {}, {}});
    std::stable_sort(by_src.begin(), by_src.end(),
            [](const level &a, const level &b) { return a.src_stride < b.src_stride; });
    for (const level &l : by_src) {
        if (l.src_stride <= tuning::line_bytes && starts.size() == 1) {
            run += l.src_stride * (l.extent - 1); // gaps of less than a line are read as well
            continue;
        }
        const size_t n = starts.size();
        starts.reserve(n * size_t(l.extent));
        for (dim_t step = 1; step < l.extent; step++)
            for (size_t i = 0; i < n; i++)
                starts.push_back(starts[i] + step * l.src_stride);
    }
    lines.reserve(starts.size() * size_t(run / tuning::line_bytes + 2));
    for (dim_t start : starts)
        for (dim_t at = start / tuning::line_bytes; at <= (start + run - 1) / tuning::line_bytes;
                at++)
            lines.push_back(at * tuning::line_bytes);
    if (!std::is_sorted(lines.begin(), lines.end())) std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    if (lines.size() > size_t(tuning::max_fetched_lines)) return {};
    return rows_of(lines);
}

// Bytes from the first to behind the last that parts [0, n) cover in the destination, 0 if the
// block has not all of a dimension: 255 channels in 32 blocks of 8 reach as far as the next pixel
// begins.
dim_t reach_bytes(
        const move_problem &p, const std::vector<block_part> &parts, size_t n, dim_t elem_bytes) {
    dim_t reach = elem_bytes;
    for (size_t i = 0; i < n; i++) {
        const level &l = parts[i].steps;
        dim_t extent = 1, in_block = 1;
        for (const level &whole : p.levels)
            if (whole.dim == l.dim) extent *= whole.extent;
        for (size_t j = 0; j < n; j++)
            if (parts[j].steps.dim == l.dim) in_block *= parts[j].steps.extent;
        if (in_block != extent) return 0;
        const dim_t last = std::min(p.limits[size_t(l.dim)].store, extent) - 1;
        reach += last / l.unit % l.extent * l.dst_stride;
    }
    return reach;
}

// Whether runs of the destination go on in their dimension, in other blocks.
bool cuts_rows(const std::vector<block_part> &parts, const loop_order &order, dim_t run_bytes) {
    const auto goes_on = [&](const level &l) {
        return l.dim == parts[0].steps.dim && l.dst_stride == run_bytes;
    };
    const auto first_in_block = order.levels.begin() + dim_t(order.first_of_block());
    return !parts.empty() && std::any_of(order.levels.begin(), first_in_block, goes_on);
}

// The level `n` places outside of the block, if it has a stride.
const level *level_around(const loop_order &order, int n) {
    const int index = int(order.first_of_block()) - n;
    return index >= 0 && order.levels[size_t(index)].is_regular() ? &order.levels[size_t(index)]
                                                                  : nullptr;
}

} // namespace

dim_t steps_in_block(
        const move_problem &p, const tile &t, const loop_order &order, size_t level_index) {
    dim_t steps = dim_t(1) << t.bits_of_level[level_index];
    for (size_t b = order.first_of_block(); b < order.levels.size(); b++)
        if (is_part_of(order.levels[b], p.levels[level_index])) steps *= order.levels[b].extent;
    return steps;
}

void continue_with_next(staging &s, const loop_order &order, dim_t chained_run_bytes) {
    if (const level *around = level_around(order, 1)) {
        s.is_chained = chained_run_bytes > 0 && around->dst_stride == chained_run_bytes;
        s.next_block_bytes = around->src_stride;
    }
    if (const level *next = level_around(order, 2)) s.next_chain_bytes = next->src_stride;
}

line_list lines_of_block(const move_problem &p, const tile &t, const loop_order &order) {
    return source_lines(p, parts_of_block(p, t, order), std::max(1, t.src_elem_bits / 8));
}

dim_t count_lines(const line_list &lines) {
    dim_t n = 0;
    for (const line_rows &r : lines)
        n += r.n_rows * r.n_lines;
    return n;
}

int lines_in_l2_set(const line_list &lines, size_t l2_bytes) {
    const size_t n_sets = std::max<size_t>(1, l2_bytes / tuning::l2_ways / tuning::line_bytes);
    std::vector<int> in_set(n_sets);
    for (const line_rows &r : lines)
        for (dim_t row = 0; row < r.n_rows; row++) {
            const dim_t first = (r.offset_bytes + row * r.step_bytes) / tuning::line_bytes;
            for (dim_t i = 0; i < r.n_lines; i++)
                in_set[size_t(first + i) % n_sets]++;
        }
    return *std::max_element(in_set.begin(), in_set.end());
}

staging make_staging(const move_problem &p, const tile &t, const loop_order &order,
        store_path stores, bool fetches) {
    std::vector<block_part> parts = parts_of_block(p, t, order);
    std::stable_sort(parts.begin(), parts.end(), [](const block_part &a, const block_part &b) {
        return a.steps.dst_stride < b.steps.dst_stride;
    });
    if (!is_nested(parts)) return {};
    const bool is_staged = stores == store_path::staged;
    staging s;
    s.bit_strides.resize(t.bits.size(), 0);
    s.level_strides.resize(size_t(order.n_block_levels), 0);
    const size_t first = order.first_of_block();
    dim_t bytes = t.dst_elem_bits / 8, run_bytes = 0;
    const level *const around = level_around(order, 1);
    // Whether `next` goes on where the first `n_parts`, the last of which is padded, reach to.
    const auto goes_on = [&](const level &next, size_t n_parts) {
        return next.dst_stride < bytes
                && next.dst_stride == reach_bytes(p, parts, n_parts, t.dst_elem_bits / 8);
    };
    // Rows that a collected block has all of would be one run, but tiles write them in turns: of
    // 512 bytes 128 rows fell into 8 sets of L1 (u8 cdba -> acdb 2048x512x1x1 on AVX2 19 times
    // memcpy).
    const auto collides = [&](dim_t row_bytes) {
        return !is_staged && row_bytes > tuning::collected_dst_bytes
                && row_bytes % tuning::colliding_scratch_bytes == 0;
    };
    const auto end_run = [&](size_t n_parts) {
        if (around && goes_on(*around, n_parts)) bytes = around->dst_stride;
        run_bytes = bytes;
    };
    for (size_t i = 0; i < parts.size(); i++) {
        const block_part &part = parts[i];
        level l = part.steps;
        if (run_bytes == 0 && goes_on(l, i)) bytes = l.dst_stride;
        if (run_bytes == 0 && (l.dst_stride != bytes || collides(bytes))) {
            end_run(i);
            bytes = scratch_row_bytes(bytes);
        }
        l.src_stride = bytes;
        for (size_t b = 0; b < t.bits.size(); b++)
            if (t.bits[b].level == int(part.index))
                s.bit_strides[b] = bytes * (t.bits[b].weight / l.unit);
        for (size_t b = 0; b < s.level_strides.size(); b++) {
            const level &in_block = order.levels[first + b];
            if (is_part_of(in_block, p.levels[part.index]))
                s.level_strides[b] = bytes * (in_block.unit / l.unit);
        }
        bytes *= l.extent;
        if (bytes > tuning::max_scratch_bytes) return {};
        s.drain_levels.insert(s.drain_levels.begin(), l);
    }
    if (run_bytes == 0) end_run(parts.size());
    const dim_t min_run_bytes = is_staged                         ? tuning::min_drained_run_bytes
            : !is_exact(p) && !cuts_rows(parts, order, run_bytes) ? tuning::collected_dst_bytes
                                                                  : tuning::min_collected_run_bytes;
    if (run_bytes < min_run_bytes) return {};
    s.scratch_bytes = bytes;
    if (fetches) s.lines = source_lines(p, parts, std::max(1, t.src_elem_bits / 8));
    continue_with_next(s, order, is_staged ? run_bytes : 0);
    return s;
}

} // namespace tfmt::cpu
