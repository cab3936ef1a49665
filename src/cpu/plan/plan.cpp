// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

#include <algorithm>

namespace tfmt::cpu {

nest_state enter(const nest_state &state, int dim, const segment &s) {
    nest_state below = state;
    below.limits[dim] = s.below;
    below.in_padding = state.in_padding || s.is_padding;
    return below;
}

bool has_work(const plan &p, const nest_state &state) {
    if (p.mode == plan_mode::move || state.in_padding) return true;
    return std::any_of(state.limits.begin(), state.limits.end(),
            [](const dim_limits &l) { return l.load < l.store; });
}

segment_list root_segments(const plan &p, const nest_state &state) {
    if (!p.has_shared_root()) {
        segment_list once; // all that is left
        once.push_back({0, 1, {1, 1}, false});
        return once;
    }
    const level &root = p.problem.levels[p.n_driver_levels];
    return split(root.unit, state.limits[root.dim], state.in_padding);
}

std::string to_text(const plan &p) {
    std::string text = to_text(p.the_tile);
    if (p.mode == plan_mode::move) text += to_text(p.the_schedule);
    text += "loops, outer to inner (" + std::to_string(p.n_driver_levels) + " in the driver):\n";
    for (const level &l : p.problem.levels)
        text += "  axis " + std::to_string(l.dim) + " extent " + std::to_string(l.extent) + " unit "
                + std::to_string(l.unit) + " src_stride " + std::to_string(l.src_stride)
                + " dst_stride " + std::to_string(l.dst_stride)
                + (l.param_stride_bytes ? " param_stride " + std::to_string(l.param_stride_bytes)
                                        : std::string())
                + (l.is_regular() ? "\n" : " irregular\n");
    if (p.stores == store_path::streamed) text += "stores bypass the caches\n";
    if (p.scratch)
        text += "blocks go through a scratch of " + std::to_string(p.scratch.scratch_bytes)
                + " bytes" + (goes_in_lanes(p.stores) ? ", whole vectors," : "")
                + (bypasses_caches(p.stores) ? " past the caches" : "")
                + (p.scratch.is_chained ? ", chained\n" : "\n");
    text += "jobs (" + std::to_string(p.kernels.size()) + " kernels, "
            + std::to_string(p.root_chunk) + " root steps a call):\n";
    for (const job &j : p.jobs) {
        text += "  kernel " + std::to_string(j.kernel) + ", root steps "
                + std::to_string(j.root_count);
        if (j.root_first > 0) text += " from " + std::to_string(j.root_first);
        text += j.has_rest ? " and a rest, loops" : ", loops";
        for (const job_loop &l : j.loops)
            text += " " + std::to_string(l.first) + "+" + std::to_string(l.count);
        text += "\n";
    }
    return text;
}

} // namespace tfmt::cpu
