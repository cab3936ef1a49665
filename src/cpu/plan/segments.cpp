// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/segments.hpp"

#include <algorithm>

namespace tfmt::cpu {

namespace {

// Of a dimension without padding that begins at index `state.begin`.
segment_list split_late_begin(dim_t unit, dim_limits state) {
    segment_list segments;
    const dim_t first = state.begin / unit, skipped = state.begin % unit, last = state.load / unit;
    const dim_t first_full = first + (skipped > 0);
    const auto below = [&](dim_t step, dim_t begin) {
        const dim_t n = std::min(unit, state.load - step * unit);
        return dim_limits {n, n, begin};
    };
    if (last > first_full)
        segments.push_back({first_full, last - first_full, below(first_full, 0), false});
    if (last >= first_full && state.load % unit > 0)
        segments.push_back({last, 1, below(last, 0), false});
    if (skipped > 0) segments.push_back({first, 1, below(first, skipped), false});
    return segments;
}

} // namespace

segment_list split(dim_t unit, dim_limits state, bool in_padding) {
    segment_list segments;
    if (state.begin > 0) return split_late_begin(unit, state);
    const dim_t load = in_padding ? 0 : state.load, store = state.store;
    const dim_t full = load / unit, partial = load % unit;
    dim_t step = full;
    if (full > 0) segments.push_back({0, full, {unit, unit}, false});
    if (partial > 0) {
        segments.push_back({step, 1, {partial, std::min(unit, store - step * unit)}, false});
        step++;
    }
    const dim_t padding = store - step * unit;
    if (padding <= 0) return segments;
    if (padding / unit > 0) segments.push_back({step, padding / unit, {0, unit}, true});
    step += padding / unit;
    if (padding % unit > 0) segments.push_back({step, 1, {0, padding % unit}, true});
    return segments;
}

} // namespace tfmt::cpu
