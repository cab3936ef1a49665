// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/driver.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

driver_loop make_loop(const level &l, const job_loop &range) {
    driver_loop loop {range.level, range.first, range.count, l.src_stride, l.dst_stride,
            l.param_stride_bytes, {}, {}};
    if (l.is_regular()) return loop;
    for (dim_t i = 0; i < range.count; i++) {
        loop.src_offsets.push_back(src_offset_of(l, range.first + i));
        loop.dst_offsets.push_back(dst_offset_of(l, range.first + i));
    }
    return loop;
}

// Steps after which the destination has moved by whole lines; 1 if it never does.
dim_t steps_of_a_line(dim_t step_bytes) {
    dim_t n = 1;
    while (n < tuning::line_bytes && n * step_bytes % tuning::line_bytes != 0)
        n *= 2;
    return n * step_bytes % tuning::line_bytes == 0 ? n : 1;
}

// Bytes that a root step of the job writes, about. (Its kernel's state may have more steps.)
dim_t step_bytes(const plan &p, const job &j) {
    if (size_t(j.kernel) >= p.kernels.size()) return 1; // a plan of loops alone, as in tests
    const nest_state &state = p.kernels[size_t(j.kernel)].state;
    dim_t bytes = std::max(1, p.problem.dst_elem_bits() / 8), n_steps = 0;
    for (const dim_limits &l : state.limits)
        bytes *= std::max<dim_t>(1, l.store);
    for (const segment &s : root_segments(p, state))
        n_steps += s.count;
    return std::max<dim_t>(1, bytes / std::max<dim_t>(1, n_steps));
}

// Steps that are worth a chain of their own.
dim_t steps_of_a_chain(dim_t step_bytes, dim_t run_bytes) {
    return std::max(ceil_div(tuning::min_chain_part_bytes, step_bytes),
            ceil_div(tuning::min_chain_part_run_bytes, run_bytes));
}

driver_calls make_calls(const plan &p, const job &j, dim_t step_bytes) {
    driver_calls c {j.kernel, j.root_first, j.root_count, p.root_chunk, 1, j.has_rest, 0, 0, 0};
    if (p.has_shared_root()) {
        c.src_root_step = p.problem.levels[p.n_driver_levels].src_stride;
        c.dst_root_step = p.problem.levels[p.n_driver_levels].dst_stride;
        c.param_root_step = p.problem.levels[p.n_driver_levels].param_stride_bytes;
        c.root_align = p.scratch ? steps_of_a_chain(step_bytes, c.dst_root_step)
                                 : steps_of_a_line(c.dst_root_step);
    }
    return c;
}

// Steps of a level that is the driver's or the root of its calls.
dim_t count_steps(const plan &p, int level) {
    dim_t n = 0;
    for (const job &j : p.jobs) {
        if (level == p.n_driver_levels) n = std::max(n, j.root_first + j.root_count + j.has_rest);
        for (const job_loop &l : j.loops)
            if (l.level == level) n = std::max(n, l.first + l.count);
    }
    return n;
}

} // namespace

driver::driver(const plan &p)
    : src_offset_(p.problem.src_offset_bytes), dst_offset_(p.problem.dst_offset_bytes) {
    for (const job &j : p.jobs) {
        const dim_t bytes = step_bytes(p, j);
        find_place(nodes_, p, j)
                .push_back({{}, {}, make_calls(p, j, bytes), bytes,
                        bytes * std::max<dim_t>(1, j.root_count)});
    }
    n_items_ = count_items(nodes_);
    levels_ = levels_to_share(p);
}

std::optional<kernel_call> driver::only_call() const {
    if (nodes_.size() != 1 || !nodes_[0].inside.empty()) return std::nullopt;
    std::optional<kernel_call> first;
    int n = 0;
    run_all([&](const kernel_call &c) {
        if (n++ == 0) first = c;
    });
    return n == 1 ? first : std::nullopt;
}

driver::scale driver::scale_for(int n_threads) const {
    const scale bytes {-1, n_items_};
    if (n_threads < 2 || levels_.empty()) return bytes;
    const auto is_nearer = [](const shared_level &a, const shared_level &b) {
        return a.dst_step < b.dst_step;
    };
    // Pieces by bytes are those of the outermost loop, but for a step in which two of them meet.
    const auto furthest = std::max_element(levels_.begin(), levels_.end(), is_nearer);
    if (furthest == levels_.begin()
            && furthest->n_steps >= tuning::enough_steps_per_thread * n_threads)
        return bytes;
    const shared_level *chosen = nullptr;
    for (const shared_level &l : levels_) {
        const dim_t most = round_up(l.n_steps, n_threads);
        const bool is_even = double(most) <= tuning::max_share_over_average * l.n_full_steps;
        if (is_even && (!chosen || is_nearer(*chosen, l))) chosen = &l;
    }
    return chosen ? scale {chosen->level, chosen->n_steps} : bytes;
}

std::vector<driver::shared_level> driver::levels_to_share(const plan &p) {
    std::vector<shared_level> shared;
    if (bypasses_caches(p.stores)) return shared;
    const int n_levels = p.n_driver_levels + (p.has_shared_root() && !p.scratch);
    for (int i = 0; i < n_levels; i++) {
        const level &l = p.problem.levels[size_t(i)];
        if (!l.is_regular()) return {};
        const dim_t n = count_steps(p, i);
        const double n_full = double(p.problem.limits[size_t(l.dim)].store) / double(l.unit);
        shared.push_back({i, n, std::min(double(n), n_full), std::abs(l.dst_stride)});
    }
    return shared;
}

// Where the job's calls go: into the loops of the job before it as far as they are the same.
std::vector<driver::node> &driver::find_place(
        std::vector<node> &nodes, const plan &p, const job &j) {
    std::vector<node> *place = &nodes;
    for (const job_loop &l : j.loops) {
        const auto is_same = [&](const node &n) {
            return !n.inside.empty() && n.loop.level == l.level && n.loop.first == l.first
                    && n.loop.count == l.count;
        };
        if (place->empty() || !is_same(place->back()))
            place->push_back({make_loop(p.problem.levels[l.level], l), {}, {}, 0, 0});
        place = &place->back().inside;
    }
    return *place;
}

dim_t driver::count_items(std::vector<node> &nodes) {
    dim_t sum = 0;
    for (node &n : nodes) {
        if (!n.inside.empty()) {
            n.step_items = count_items(n.inside);
            n.n_items = n.step_items * n.loop.count;
        }
        sum += n.n_items;
    }
    return sum;
}

dim_t driver::first_step(const node &n, dim_t item) {
    return next_cut(n, ceil_div(item, n.step_items));
}

dim_t driver::first_level_step(const node &n, dim_t item) {
    return next_cut(n, std::max<dim_t>(0, item - n.calls.root_first));
}

dim_t driver::next_cut(const node &n, dim_t step) {
    return std::min(n.n_steps(), round_up(step, n.calls.root_align));
}

} // namespace tfmt::cpu
