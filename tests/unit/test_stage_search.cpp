// SPDX-License-Identifier: Apache-2.0
// The search of stages finds the cheapest schedule: compared with trying everything, forwards from
// every load over every bit, on tiles small enough for that. And the bound that shortens hard
// searches never exceeds what a schedule costs.
#include <algorithm>
#include <cmath>
#include <set>

#include "cpu/plan/stage_patterns.hpp"
#include "cpu/plan/stages.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::cpu::tile;

using lanes = tfmt::cpu::bit_indices;

bool contains(const lanes &list, int bit) {
    return std::find(list.begin(), list.end(), bit) != list.end();
}

// Everything that can be done, by the descriptions in stages.hpp.
class exhaustive {
public:
    exhaustive(const tile &t, const machine &m)
        : t_(t),
          n_(t.n_lane_bits()),
          permutes_last_(m.has_masks() && (t.elem_bytes > 1 || m.has_vbmi)) {}

    float least_cost() {
        add_loads(t_.src_run);
        while (!open_.empty()) {
            const auto [cost, at] = *open_.begin();
            open_.erase(open_.begin());
            if (at.empty() || std::equal(t_.dst_run.begin(), t_.dst_run.end(), at.begin()))
                return cost;
            if (!done_.insert(at).second) continue;
            exchange(at, cost);
            if (permutes_last_)
                permute_to_end(at, cost);
            else
                reorder(at, cost);
        }
        return -1;
    }

private:
    int position(int bytes) const {
        return int(std::lround(std::log2(double(bytes) / t_.elem_bytes)));
    }
    int n_missing(const lanes &at) const {
        return int(std::count_if(
                t_.dst_run.begin(), t_.dst_run.end(), [&](int bit) { return !contains(at, bit); }));
    }

    void add_loads(const lanes &at) {
        if (int(at.size()) == n_) {
            open_.insert({0.0f, at});
            return;
        }
        const bool lacks = n_missing(at) > 0;
        for (int bit = 0; bit < int(t_.bits.size()); bit++) {
            if (contains(at, bit) || (lacks && !contains(t_.dst_run, bit))) continue;
            lanes more = at;
            more.push_back(bit);
            add_loads(more);
        }
    }

    // `bit` enters at `from`, what is there moves up, what was at `to` leaves.
    void rotate(const lanes &at, float cost, float stage_cost, int bit, int from, int to) {
        lanes after = at;
        after.erase(after.begin() + to);
        after.insert(after.begin() + from, bit);
        add(after, at[size_t(to)], bit, cost, stage_cost);
    }
    void add(const lanes &after, int leaving, int entering, float cost, float stage_cost) {
        const bool is_useful = contains(t_.dst_run, entering) && !contains(t_.dst_run, leaving);
        if (permutes_last_ || is_useful)
            open_.insert({cost + stage_cost * share_of_registers(t_, after), after});
    }

    void exchange(const lanes &at, float cost) {
        for (int bit = 0; bit < int(t_.bits.size()); bit++) {
            if (contains(at, bit)) continue;
            for (int unit = t_.elem_bytes; unit <= 8; unit *= 2)
                rotate(at, cost, 1, bit, position(unit), position(8));
            if (t_.vector_bytes == 32) rotate(at, cost, 1.6f, bit, position(16), position(16));
            if (t_.vector_bytes != 64) continue;
            rotate(at, cost, 1.6f, bit, position(32), position(32));
            lanes after = at;
            after.erase(after.begin() + position(16));
            after.push_back(bit);
            add(after, at[size_t(position(16))], bit, cost, 1.6f);
        }
    }

    void permute_to_end(const lanes &at, float cost) {
        if (n_missing(at) == 0) open_.insert({cost + 1.3f, {}});
        if (n_missing(at) == 1) open_.insert({cost + 2.0f, {}});
    }

    void reorder(const lanes &at, float cost) {
        const auto orders = [&](int from, int to, float stage_cost) {
            lanes order = at;
            std::sort(order.begin() + from, order.begin() + to);
            do {
                open_.insert({cost + stage_cost * share_of_registers(t_, at), order});
            } while (std::next_permutation(order.begin() + from, order.begin() + to));
        };
        orders(0, std::max(0, std::min(n_, position(16))), 1.3f);
        if (t_.vector_bytes == 16) return;
        orders(std::max(0, position(8)), n_, 1.3f);
        orders(std::max(0, position(4)), n_, t_.vector_bytes == 32 ? 1.4f : 1.3f);
    }

    const tile &t_;
    const int n_;
    const bool permutes_last_;
    std::set<std::pair<float, lanes>> open_; // empty lanes: everything is in its place
    std::set<lanes> done_;
};

tile random_tile(desc_test::random_descs &random, const machine &m, int max_lane_bits) {
    int vector_bytes = m.vector_bytes, elem_log2 = 0;
    while (vector_bytes > 16 && random.below(3) == 0)
        vector_bytes /= 2;
    do
        elem_log2 = int(random.below(4));
    while (vector_bytes >> elem_log2 > 1 << max_lane_bits);
    tile t {1 << elem_log2, vector_bytes, {}, {}, {}, {}, 8 << elem_log2, 8 << elem_log2};
    const int n = t.n_lane_bits(), n_bits = n + int(random.below(4));
    lanes all;
    for (int i = 0; i < n_bits; i++) {
        t.bits.push_back({0, 0, dim_t(1) << i, 0, 0});
        all.push_back(i);
    }
    for (lanes *run : {&t.src_run, &t.dst_run}) {
        for (size_t i = all.size(); i > 1; i--)
            std::swap(all[i - 1], all[size_t(random.below(dim_t(i)))]);
        run->assign(all.begin(), all.begin() + 1 + int(random.below(n)));
    }
    leave_some_unread(random, t);
    return t;
}

class StageSearchOn : public testing::TestWithParam<machine> {};

TEST_P(StageSearchOn, FindsTheCheapestSchedule) {
    const machine &m = GetParam();
    for (uint32_t seed = 1; seed <= 500; seed++) {
        desc_test::random_descs random(seed);
        const tile t = random_tile(random, m, 5);
        ASSERT_NEAR(tfmt::cpu::find_schedule(t, m).cost, exhaustive(t, m).least_cost(), 0.01)
                << "seed " << seed << "\n"
                << to_text(t);
    }
}

// Patterns of the loads and of the whole destination run: the way between them is a schedule's.
TEST_P(StageSearchOn, PatternsCostNoMoreThanSchedules) {
    const machine &m = GetParam();
    int n_tight = 0;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        desc_test::random_descs random(seed);
        tile t = random_tile(random, m, 6);
        for (tfmt::cpu::tile_bit &b : t.bits) // patterns count all registers
            b.is_read = true;
        const bool permutes_last = m.has_masks() && (t.elem_bytes > 1 || m.has_vbmi);
        const int n = t.n_lane_bits(), n_run = int(t.src_run.size());
        const int n_needed = int(t.dst_run.size());
        uint32_t run_held = 0;
        for (int i = 0; i < n_run; i++)
            run_held |= uint32_t(contains(t.dst_run, t.src_run[size_t(i)])) << i;
        const int n_loaded = std::min(n_needed, __builtin_popcount(run_held) + n - n_run);
        const tfmt::cpu::pattern_costs costs = tfmt::cpu::least_costs(
                {n, int(std::lround(std::log2(t.elem_bytes))), t.vector_bytes, (1u << n_run) - 1,
                        run_held, n_loaded, n_needed, int(t.bits.size()) - n_needed, permutes_last,
                        !permutes_last});
        const tfmt::cpu::schedule s = tfmt::cpu::find_schedule(t, m);
        if (!s.stages.empty()
                && (s.stages.back().kind == tfmt::cpu::stage_kind::permute
                        || s.stages.back().kind == tfmt::cpu::stage_kind::permute2))
            continue; // it does not go through the patterns to its end
        const float bound = costs[(1u << n_needed) - 1];
        ASSERT_LE(bound, s.cost + 0.01) << "seed " << seed << "\n" << to_text(t) << to_text(s);
        n_tight += bound > s.cost - 0.01f;
    }
    EXPECT_GT(n_tight, 10); // a bound of nothing would pass
}

INSTANTIATE_TEST_SUITE_P(Machines, StageSearchOn, testing::ValuesIn(all_machines()),
        [](const testing::TestParamInfo<machine> &info) {
            return std::to_string(info.param.vector_bytes)
                    + (info.param.has_vbmi ? "_with_vbmi" : "");
        });

} // namespace
