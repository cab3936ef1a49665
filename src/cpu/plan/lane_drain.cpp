// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/lane_drain.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Whether the vectors that a tile stores to a scratch, if it may leave them as they are, are whole
// ones of its source's run, with 16 bytes of the destination's in each lane.
bool has_lanes(const move_problem &p, const tile &t) {
    const auto n_lane_bits = size_t(t.n_lane_bits());
    if (p.converts || t.vector_bytes <= lane_bytes || !t.phased.empty()
            || t.src_run.size() != n_lane_bits || t.elem_bytes << t.dst_run.size() != lane_bytes
            || t.bits.size() != n_lane_bits + t.dst_run.size() || is_dst_packed(t, t.dst_run)
            || is_src_packed(t, t.src_run))
        return false;
    for (size_t b = 0; b < t.bits.size(); b++)
        if (t.bits[b].level < 0 || !t.bits[b].is_regular || !t.bits[b].is_read
                || contains(t.src_run, b) == contains(t.dst_run, b))
            return false;
    return true;
}

// Whether all blocks are whole, without padding.
bool has_whole_blocks(const move_problem &p, const tile &t, const loop_order &order) {
    std::vector<dim_t> extents(p.limits.size(), 1);
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        if (!l.is_regular() || l.extent % steps_in_block(p, t, order, i) != 0) return false;
        extents[size_t(l.dim)] *= l.extent;
    }
    for (size_t dim = 0; dim < extents.size(); dim++)
        if (p.limits[dim].load != extents[dim] || p.limits[dim].store != extents[dim]) return false;
    return true;
}

// A bit of the tile or a level of the block, and where its stride in the scratch goes.
struct part {
    dim_t extent, dst_stride_bytes;
    dim_t *scratch_stride_bytes;
};

// All but the 16 bytes and the lanes of a vector, which lie in the scratch as they do there; first
// what lies nearest in the destination.
std::vector<part> parts_around_vectors(const tile &t, const loop_order &order, staging &s) {
    for (int b : t.dst_run)
        s.bit_strides[size_t(b)] = t.bits[size_t(b)].dst_stride_bytes;
    std::vector<part> parts;
    dim_t in_vector_bytes = lane_bytes;
    const size_t n_rows = t.src_run.size() - size_t(log2_exact(t.vector_bytes / lane_bytes));
    for (size_t i = 0; i < t.src_run.size(); i++) {
        const auto b = size_t(t.src_run[i]);
        const dim_t dst_stride_bytes = t.bits[b].dst_stride_bytes;
        if (i < n_rows) {
            parts.push_back({2, dst_stride_bytes, &s.bit_strides[b]});
            continue;
        }
        s.bit_strides[b] = in_vector_bytes;
        in_vector_bytes *= 2;
        s.lanes.dst_strides_bytes.push_back(dst_stride_bytes);
    }
    for (size_t b = 0; b < s.level_strides.size(); b++) {
        const level &l = order.levels[order.first_of_block() + b];
        parts.push_back({l.extent, l.dst_stride, &s.level_strides[b]});
    }
    std::sort(parts.begin(), parts.end(),
            [](const part &a, const part &b) { return a.dst_stride_bytes < b.dst_stride_bytes; });
    return parts;
}

// With what tiles have of the source's run, if that goes on behind a row.
dim_t run_bytes(const tile &t, dim_t row_bytes) {
    dim_t bytes = row_bytes;
    for (int b : t.src_run)
        if (t.bits[size_t(b)].dst_stride_bytes == bytes) bytes *= 2;
    return bytes;
}

// The first part is a row of vectors.
void stack_in_scratch(const std::vector<part> &parts, dim_t vector_bytes, staging &s) {
    dim_t bytes = vector_bytes;
    for (const part &each : parts) {
        *each.scratch_stride_bytes = bytes;
        const scratch_level l {each.extent, bytes, each.dst_stride_bytes};
        bytes *= l.extent;
        if (&each == &parts[0]) {
            s.lanes.row = l;
            bytes = scratch_row_bytes(bytes);
            continue;
        }
        std::vector<scratch_level> &around = s.lanes.around;
        const bool goes_on = !around.empty()
                && around.back().scratch_stride_bytes * around.back().extent
                        == l.scratch_stride_bytes
                && around.back().dst_stride_bytes * around.back().extent == l.dst_stride_bytes;
        if (goes_on)
            around.back().extent *= l.extent;
        else
            around.push_back(l);
    }
    s.scratch_bytes = bytes;
}

// Whether all rows begin with a line of the destination, if the destination does.
bool has_rows_of_lines(const move_problem &p, const loop_order &order, const lane_staging &lanes) {
    dim_t offsets = p.dst_offset_bytes | lanes.row.extent * lane_bytes;
    for (dim_t stride : lanes.dst_strides_bytes)
        offsets |= stride;
    for (const scratch_level &l : lanes.around)
        offsets |= l.dst_stride_bytes;
    for (size_t i = 0; i < order.first_of_block(); i++)
        offsets |= order.levels[i].dst_stride;
    return offsets % tuning::line_bytes == 0;
}

} // namespace

staging make_lane_staging(
        const move_problem &p, const tile &t, const loop_order &order, bool is_staged) {
    if (!has_lanes(p, t) || !has_whole_blocks(p, t, order)) return {};
    staging s;
    s.bit_strides.resize(t.bits.size(), 0);
    s.level_strides.resize(size_t(order.n_block_levels), 0);
    const std::vector<part> parts = parts_around_vectors(t, order, s);
    if (parts.empty()) return {};
    const part &row = parts[0];
    const dim_t row_bytes = row.extent * lane_bytes;
    if (row.dst_stride_bytes != lane_bytes || row.extent % s.lanes.n_lanes() != 0
            || (is_staged ? row_bytes : run_bytes(t, row_bytes)) < tuning::min_drained_run_bytes)
        return {};
    stack_in_scratch(parts, t.vector_bytes, s);
    if (s.scratch_bytes > tuning::max_scratch_bytes) return {};
    if (!is_staged) return s;
    if (!has_rows_of_lines(p, order, s.lanes)) return {};
    s.lines = lines_of_block(p, t, order);
    continue_with_next(s, order, row_bytes);
    return s;
}

} // namespace tfmt::cpu
