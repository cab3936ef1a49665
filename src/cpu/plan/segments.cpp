// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/segments.hpp"

#include <algorithm>

namespace tfmt::cpu {

segment_list split(dim_t unit, dim_limits state, bool in_padding) {
    segment_list segments;
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
