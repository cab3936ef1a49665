// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/loop_order.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Bytes of a run that one tile covers.
dim_t run_bytes(const tile &t, const std::vector<int> &run) {
    dim_t bytes = t.elem_bytes;
    for (int bit : run)
        if (t.bits[size_t(bit)].level >= 0) bytes *= 2;
    return bytes;
}

// Irregular levels and what lies above them in their dimension belong to the driver.
bool belongs_to_driver(const std::vector<level> &levels, const level &l) {
    return std::any_of(levels.begin(), levels.end(), [&](const level &other) {
        return !other.is_regular() && other.dim == l.dim && l.unit >= other.unit;
    });
}

// The driver's levels first; the others by falling destination stride, so that the destination is
// written in the order of its addresses. Within a dimension both mean from outside to inside.
void sort_by_dst(std::vector<level> &levels) {
    const std::vector<level> all = levels;
    std::stable_sort(levels.begin(), levels.end(), [&](const level &a, const level &b) {
        const bool driver_a = belongs_to_driver(all, a), driver_b = belongs_to_driver(all, b);
        if (driver_a != driver_b) return driver_a;
        if (driver_a && a.dim != b.dim) return a.dim < b.dim;
        if (!driver_a && a.dst_stride != b.dst_stride) return a.dst_stride > b.dst_stride;
        return a.unit > b.unit;
    });
}

// The level that continues the tile's run in src (or dst), if it may become the innermost one; or
// -1.
int free_level(const std::vector<level> &levels, dim_t run_bytes, bool of_src) {
    for (size_t i = 0; i < levels.size(); i++) {
        const level &l = levels[i];
        if ((of_src ? l.src_stride : l.dst_stride) != run_bytes || !l.is_regular()
                || belongs_to_driver(levels, l))
            continue;
        const bool is_lowest = std::none_of(levels.begin() + i + 1, levels.end(),
                [&](const level &below) { return below.dim == l.dim; });
        return is_lowest ? int(i) : -1;
    }
    return -1;
}

void move_to(std::vector<level> &levels, size_t from, size_t to) {
    std::rotate(levels.begin() + from, levels.begin() + from + 1, levels.begin() + to + 1);
}

// Cuts level `i` into blocks of `steps`; the level within the block goes innermost.
void cut_block(std::vector<level> &levels, size_t i, dim_t steps) {
    level inner = levels[i];
    if (inner.extent > steps) {
        level &outer = levels[i];
        outer.extent = (outer.extent + steps - 1) / steps;
        outer.unit *= steps;
        outer.src_stride *= steps;
        outer.dst_stride *= steps;
        inner.extent = steps;
        levels.push_back(inner);
    } else
        move_to(levels, i, levels.size() - 1);
}

// Both runs go on for a few lines before the next rows begin: so few pages and cache sets are in
// use at a time even where rows are a power of two apart, and the prefetchers see streams.
void cut_macro_tile(std::vector<level> &levels, dim_t src_bytes, dim_t dst_bytes) {
    const int src_level = free_level(levels, src_bytes, true);
    const int dst_level = free_level(levels, dst_bytes, false);
    if (src_level < 0 || dst_level < 0 || levels[src_level].dim == levels[dst_level].dim) return;
    cut_block(levels, size_t(src_level),
            std::max<dim_t>(1, tuning::macro_tile_src_bytes / src_bytes));
    cut_block(levels, size_t(free_level(levels, dst_bytes, false)),
            std::max<dim_t>(1, tuning::macro_tile_dst_bytes / dst_bytes));
}

} // namespace

void order_levels(std::vector<level> &levels, const tile &t, const machine &m, dim_t moved_bytes) {
    sort_by_dst(levels);
    if (t.src_run.empty()) return;
    const dim_t src_bytes = run_bytes(t, t.src_run), dst_bytes = run_bytes(t, t.dst_run);
    if (moved_bytes > dim_t(m.l2_bytes)) cut_macro_tile(levels, src_bytes, dst_bytes);
    // A tile that reads less than a line: the rest of the line comes next, while it is in L1.
    const int src_level = free_level(levels, src_bytes, true);
    if (src_level < 0 || src_bytes >= tuning::line_bytes || dst_bytes < tuning::line_bytes) return;
    cut_block(levels, size_t(src_level), tuning::line_bytes / src_bytes);
}

} // namespace tfmt::cpu
