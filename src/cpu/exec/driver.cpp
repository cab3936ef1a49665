// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/driver.hpp"

#include <algorithm>

#include "common/status.hpp"

namespace tfmt::cpu {

namespace {

driver_loop make_loop(const level &l, const job_loop &range, dim_t *src_base, dim_t *dst_base) {
    driver_loop loop {range.count, l.src_stride, l.dst_stride, {}, {}};
    if (l.is_regular()) {
        *src_base += range.first * l.src_stride;
        *dst_base += range.first * l.dst_stride;
        return loop;
    }
    for (dim_t i = 0; i < range.count; i++) {
        loop.src_offsets.push_back(src_offset_of(l, range.first + i));
        loop.dst_offsets.push_back(dst_offset_of(l, range.first + i));
    }
    return loop;
}

} // namespace

driver::driver(const plan &p) {
    const std::vector<level> &levels = p.problem.levels;
    for (const job &j : p.jobs) {
        driver_job d {};
        d.kernel = j.kernel;
        d.root_count = j.root_count;
        d.root_chunk = p.root_chunk;
        // A last chunk shorter than half a chunk is not worth a call of its own.
        d.n_chunks = std::max<dim_t>(1, (j.root_count + p.root_chunk / 2) / p.root_chunk);
        d.has_rest = j.has_rest;
        d.src_offset = p.problem.src_offset_bytes;
        d.dst_offset = p.problem.dst_offset_bytes;
        if (size_t(p.n_driver_levels) < levels.size()) {
            d.src_root_step = levels[p.n_driver_levels].src_stride;
            d.dst_root_step = levels[p.n_driver_levels].dst_stride;
        }
        d.n_items = d.n_chunks;
        for (const job_loop &l : j.loops) {
            driver_loop loop = make_loop(levels[l.level], l, &d.src_offset, &d.dst_offset);
            d.n_items *= loop.count;
            if (loop.count > 1 || !loop.src_offsets.empty()) d.loops.push_back(std::move(loop));
        }
        if (d.loops.size() > max_loops) fail_unimplemented("more loops than the driver holds");
        n_items_ += d.n_items;
        jobs_.push_back(std::move(d));
    }
}

void driver::position::go_to(const driver_job &j, dim_t item) {
    for (size_t i = j.loops.size(); i-- > 0;) {
        index[i] = item % j.loops[i].count;
        item /= j.loops[i].count;
    }
    add_offsets(j);
}

void driver::position::add_offsets(const driver_job &j) {
    src_offset = j.src_offset;
    dst_offset = j.dst_offset;
    for (size_t i = 0; i < j.loops.size(); i++) {
        const driver_loop &l = j.loops[i];
        const bool is_regular = l.src_offsets.empty();
        src_offset += is_regular ? index[i] * l.src_step : l.src_offsets[size_t(index[i])];
        dst_offset += is_regular ? index[i] * l.dst_step : l.dst_offsets[size_t(index[i])];
    }
}

void driver::position::advance(const driver_job &j) {
    for (size_t i = j.loops.size(); i-- > 0;) {
        if (++index[i] < j.loops[i].count) break;
        index[i] = 0;
    }
    add_offsets(j);
}

} // namespace tfmt::cpu
