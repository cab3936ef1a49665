// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/level_order.hpp"

#include <algorithm>
#include <utility>

namespace tfmt::cpu {

bool belongs_to_driver(const std::vector<level> &levels, const tile &t, const level &l) {
    return std::any_of(levels.begin(), levels.end(), [&](const level &other) {
        return !other.is_regular() && t.phased_index(other) < 0 && other.dim == l.dim
                && l.unit >= other.unit;
    });
}

bool reads_one_step(const level &l, const limit_list &limits) { return !is_read(limits, l, 0); }

dim_t visited_stride(const level &l, const limit_list &limits, bool by_src, dim_t steps_per_read) {
    const bool is_padding = reads_one_step(l, limits)
            || read_steps(limits, l) <= l.extent / steps_per_read;
    return by_src && is_padding ? 0 : stride_of(l, by_src);
}

// Padding innermost: f32 acdb -> ABcd16a32b 1x64x56x56, with 1 step of data and 15 of padding in a,
// 0.9 of the time, f16 acdb -> ABcd40a32b 2x128x28x28 0.4. (Taken out of the blocks as well, what
// it leaves to a block along the source is single lines of the destination: up to 1.5.)
void sort_levels(std::vector<level> &levels, const limit_list &limits, const tile &t, bool by_src,
        dim_t steps_per_read) {
    const std::vector<level> all = levels;
    std::stable_sort(levels.begin(), levels.end(), [&](const level &a, const level &b) {
        const bool driver_a = belongs_to_driver(all, t, a);
        const bool driver_b = belongs_to_driver(all, t, b);
        if (driver_a != driver_b) return driver_a;
        if (driver_a) return a.dim < b.dim;
        return visited_stride(a, limits, by_src, steps_per_read)
                > visited_stride(b, limits, by_src, steps_per_read);
    });
    for (size_t i = 0; i < levels.size(); i++)
        for (size_t j = i + 1; j < levels.size(); j++)
            if (levels[i].dim == levels[j].dim && levels[i].unit < levels[j].unit)
                std::swap(levels[i], levels[j]);
}

} // namespace tfmt::cpu
