// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/jobs.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Bytes that one pass of a kernel over the levels from `first` on moves, up to what a call should
// write.
dim_t kernel_pass_bytes(const plan &p, int first) {
    return pass_bytes(
            tile_bytes(p.the_tile), p.problem.levels, size_t(first), tuning::kernel_call_bytes);
}

// Levels of the driver: irregular ones without phases, then as many as leave a root step below the
// size of a call.
int choose_driver_levels(const plan &p) {
    const std::vector<level> &levels = p.problem.levels;
    int n = int(levels.size());
    // A scratch is one kernel's, whose root steps are the links of a chain.
    if (p.scratch) return int(p.first_of_block()) - p.scratch.is_chained;
    int forced = 0;
    for (int i = 0; i < n; i++)
        if (!levels[size_t(i)].is_regular() && p.the_tile.phased_index(levels[size_t(i)]) < 0)
            forced = i + 1;
    while (n > forced && kernel_pass_bytes(p, n) < tuning::kernel_call_bytes)
        n--;
    return n;
}

dim_t choose_root_chunk(const plan &p) {
    if (p.scratch.is_chained) return p.problem.levels[size_t(p.n_driver_levels)].extent;
    const dim_t step_bytes = kernel_pass_bytes(p, p.n_driver_levels + 1);
    return std::max<dim_t>(1, tuning::kernel_call_bytes / step_bytes);
}

bool are_same(const nest_state &a, const nest_state &b) {
    return a.in_padding == b.in_padding && a.phases == b.phases
            && std::equal(a.limits.begin(), a.limits.end(), b.limits.begin(),
                    [](const dim_limits &x, const dim_limits &y) {
                        return x.load == y.load && x.store == y.store && x.begin == y.begin;
                    });
}

// A kernel that is called without its rest does root steps alone: it serves any state in which
// these are the same and there is no rest. (Tails would leave f16 abcd -> ABcd32a16b 32x232x50x50
// four kernels in place of two.)
int kernel_index(plan &p, const nest_state &state) {
    const segment_list root = root_segments(p, state);
    const auto in_root = [&](const nest_state &s) {
        return enter(s, p.problem.levels[size_t(p.n_driver_levels)].dim, root_segments(p, s)[0]);
    };
    for (size_t i = 0; i < p.kernels.size(); i++) {
        nest_state &other = p.kernels[i].state;
        if (are_same(other, state)) return int(i);
        const bool has_free_rest = root.size() == 1 || root_segments(p, other).size() == 1;
        if (!p.has_shared_root() || !has_free_rest || !are_same(in_root(other), in_root(state)))
            continue;
        if (root.size() > 1) other = state;
        return int(i);
    }
    p.kernels.push_back({state});
    return int(p.kernels.size()) - 1;
}

// Cuts the driver's levels into jobs. False when there are too many.
bool add_jobs(plan &p, int depth, const nest_state &state, std::vector<job_loop> &loops) {
    if (!has_work(p, state)) return true;
    if (depth == p.n_driver_levels) {
        const segment_list root = root_segments(p, state);
        p.jobs.push_back(
                {loops, kernel_index(p, state), root[0].count, root.size() > 1, root[0].first});
        return p.jobs.size() <= tuning::max_jobs;
    }
    bool has_room = true;
    for_each_part(p.the_tile, p.problem.levels[size_t(depth)], state,
            [&](const segment &s, const nest_state &below) {
                loops.push_back({depth, s.first, s.count});
                has_room = has_room && add_jobs(p, depth + 1, below, loops);
                loops.pop_back();
            });
    return has_room;
}

// Instructions that the nest below `depth` becomes, roughly; stops counting beyond the limit.
size_t count_ops(const plan &p, size_t depth, const nest_state &state) {
    if (!has_work(p, state)) return 0;
    const std::vector<level> &levels = p.problem.levels;
    if (depth == levels.size())
        return (size_t(1) << p.the_tile.n_reg_bits())
                * (tuning::ops_of_load_and_store
                        + (state.in_padding ? 0 : p.the_schedule.stages.size()));
    size_t ops = tuning::ops_of_loop;
    for_each_part(p.the_tile, levels[depth], state, [&](const segment &, const nest_state &below) {
        if (ops <= tuning::max_kernel_ops) ops += count_ops(p, depth + 1, below);
    });
    return ops;
}

size_t count_ops(const plan &p) {
    size_t ops = 0;
    for (const kernel_spec &k : p.kernels)
        ops += count_ops(p, size_t(p.n_driver_levels), k.state);
    return ops;
}

} // namespace

bool cut_into_jobs(plan &p, size_t max_ops) {
    p.n_driver_levels = choose_driver_levels(p);
    p.root_chunk = choose_root_chunk(p);
    std::vector<job_loop> loops;
    return add_jobs(p, 0, {p.problem.limits, false}, loops) && count_ops(p) <= max_ops;
}

} // namespace tfmt::cpu
