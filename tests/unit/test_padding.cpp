// SPDX-License-Identifier: Apache-2.0
// Destinations that are mostly padding: in which order it is written, and when apart from the data.
#include <gtest/gtest.h>

#include "cpu/plan/loop_order.hpp"
#include "unit/plan_helpers.hpp"

using tfmt::dim_t;
using tfmt::level;
using tfmt::cpu::loop_order;

namespace {

using lines = std::vector<std::string>;

// Steps that are padding but for one have no place in the order of the source: they complete the
// destination's rows.
TEST(Padding, StepsOfItAreInTheOrderOfTheDestination) {
    tfmt::cpu::tile t {4, 64, {}, {0, 1, 2, 3}, {0, 1, 2, 3}, {}, 32, 32};
    t.bits.resize(4, {-1, -1, 0, 0, 0});
    const std::vector<level> levels {
            {0, 16, 1, 1 << 20, 1024, {}, {}}, {1, 900, 1, 1024, 16 << 10, {}, {}}};
    const auto order_of = [&](dim_t load) {
        const loop_order order = tfmt::cpu::order_levels(
                levels, {{load, 16}, {900, 900}}, t, tfmt::cpu::memory_pattern::beyond_l2);
        lines text {std::to_string(order.next_block_bytes)};
        for (const level &l : order.levels)
            text.push_back(plan_test::text_of(l));
        return text;
    };
    const std::string a = "16 x 1, 1048576 -> 1024", b = "900 x 1, 1024 -> 16384";
    EXPECT_EQ(order_of(16), (lines {"1024", a, b}));
    EXPECT_EQ(order_of(2), (lines {"1024", a, b}));
    EXPECT_EQ(order_of(1), (lines {"1024", b, a}));
}

} // namespace
