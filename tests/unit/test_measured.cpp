// SPDX-License-Identifier: Apache-2.0
// Choosing by the clock, among implementations whose times nobody can mistake; and the machines
// whose plans are tried.
#include <chrono>
#include <thread>

#include "common/status.hpp"
#include "cpu/measured.hpp"
#include "cpu/plan/alternatives.hpp"
#include "cpu/plan/tuning.hpp"
#include "tests/unit/plan_helpers.hpp"

using namespace tfmt;
using namespace tfmt::cpu;

namespace {

class sleeper final : public implementation {
public:
    sleeper(int ms, tfmt_status_t status) : ms_(ms), status_(status) { info_ = "sleeps"; }
    tfmt_status_t execute(const execution &) const noexcept override {
        n_executions++;
        std::this_thread::sleep_for(std::chrono::milliseconds(ms_));
        return status_;
    }
    std::string explain() const override { return ""; }

    mutable int n_executions = 0;

private:
    const int ms_;
    const tfmt_status_t status_;
};

std::shared_ptr<sleeper> sleeping(int ms, tfmt_status_t status = tfmt_success) {
    return std::make_shared<sleeper>(ms, status);
}

const execution nowhere {nullptr, nullptr};

} // namespace

TEST(Measured, FindsTheFastest) {
    const auto first = sleeping(20), fast = sleeping(1), slow = sleeping(60);
    const outcome o = fastest_of({first, fast, slow}, nowhere);
    EXPECT_EQ(o.fastest, 1u);
    EXPECT_GT(o.of_first, 0);
    EXPECT_LT(o.of_first, 1);
    // The slow one was given up.
    EXPECT_GE(first->n_executions, tuning::n_measured_rounds);
    EXPECT_LT(slow->n_executions, tuning::n_measured_rounds);
}

TEST(Measured, StaysWithTheFirst) {
    const outcome o = fastest_of({sleeping(1), sleeping(20)}, nowhere);
    EXPECT_EQ(o.fastest, 0u);
    EXPECT_EQ(o.of_first, 1);
}

TEST(Measured, OneIsNotExecuted) {
    const auto only = sleeping(0);
    EXPECT_EQ(fastest_of({only}, nowhere).fastest, 0u);
    EXPECT_EQ(only->n_executions, 0);
}

TEST(Measured, FailsAsAnExecutionDoes) {
    try {
        fastest_of({sleeping(0), sleeping(0, tfmt_out_of_memory)}, nowhere);
        FAIL();
    } catch (const failure &f) { EXPECT_EQ(f.status(), tfmt_out_of_memory); }
}

// Of the machine only what plans are made of may change.
TEST(Alternatives, ExecuteTheSameInstructions) {
    for (const machine &m : plan_test::all_machines()) {
        const std::vector<alternative> all = alternatives_to(m);
        EXPECT_GT(all.size(), 10u);
        for (const alternative &a : all) {
            EXPECT_EQ(a.m.isa, m.isa) << a.name;
            EXPECT_EQ(a.m.has_vbmi, m.has_vbmi) << a.name;
            EXPECT_EQ(a.m.has_bf16, m.has_bf16) << a.name;
            EXPECT_EQ(a.m.has_fp16, m.has_fp16) << a.name;
            EXPECT_LE(a.m.vector_bytes, m.vector_bytes) << a.name;
            EXPECT_GE(a.m.vector_bytes, 16) << a.name;
            EXPECT_LE(a.m.n_vector_regs, m.n_vector_regs) << a.name;
        }
    }
}

// Also what rules of some machines keep in the caches.
TEST(Alternatives, StoreAnythingPastTheCaches) {
    machine m = plan_test::avx512();
    m.l3_bytes = 1 << 20;
    m.fetches_stores_late = true;
    m.claimed_ahead_bytes = 3072;
    m.max_streamed_dst_over_src = 5;
    const std::vector<alternative> all = alternatives_to(m);
    const auto past = std::find_if(all.begin(), all.end(),
            [](const alternative &a) { return std::string(a.name) == "stores past the caches"; });
    ASSERT_NE(past, all.end());
    for (const dim_t channels : {3, 16}) {
        const move_problem p = plan_test::normalized(
                {8, channels, 128, 128}, "abcd", "aBcd16b", tfmt_f32);
        const auto streams = [&](const machine &of) {
            const plan any = plan_test::planned(p, of);
            plan streamed {};
            return make_streamed_plan(p, of, &streamed, &any);
        };
        EXPECT_FALSE(streams(m)) << channels;
        EXPECT_TRUE(streams(past->m)) << channels;
    }
}

// Each makes another plan of something, on machines with a small last cache or with a large one.
TEST(Alternatives, DifferFromTheRules) {
    std::vector<machine> machines;
    for (machine m : {plan_test::avx2(), plan_test::avx512_vbmi()})
        for (const bool has_large_cache : {false, true}) {
            m.l3_bytes = has_large_cache ? 32 << 20 : 1 << 20;
            m.max_split_moved_bytes = m.vector_bytes == 64 ? 128 << 10 : 0;
            m.fetches_stores_late = has_large_cache;
            if (m.vector_bytes == 64) m.fetched_twice_share_of_cache = 0.75;
            m.min_crowding_rows = m.min_crowding_lines = 12;
            machines.push_back(m);
        }
    const auto text_of = [](const move_problem &p, const machine &m) {
        plan any = plan_test::planned(p, m), streamed {};
        const bool is_streamed = make_streamed_plan(p, m, &streamed, &any);
        std::string text = to_text(any) + (is_streamed ? to_text(streamed) : "");
        for (const dim_t n : {dim_t(any.claims_lines), any.claimed_ahead_bytes, any.prefetch_bytes,
                     streamed.prefetch_bytes, streamed.prefetch_next_bytes,
                     streamed.page_ahead_bytes})
            text += " " + std::to_string(n);
        return text;
    };
    std::vector<move_problem> problems;
    for (const tfmt_data_type_t type : {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64}) {
        for (const char *tags : {"abcd acdb", "acdb abcd", "abcd aBcd16b", "aBcd16b abcd",
                     "abcd cdab", "ABcd16a16b bcda"}) {
            const std::string pair = tags;
            const size_t space = pair.find(' ');
            for (const plan_test::vec &dims : {plan_test::vec {2, 64, 14, 14},
                         plan_test::vec {16, 100, 28, 28}, plan_test::vec {8, 64, 56, 56}})
                problems.push_back(plan_test::normalized(
                        dims, pair.substr(0, space), pair.substr(space + 1), type));
        }
        problems.push_back(plan_test::normalized({40000, 7, 5}, "abc", "acb", type));
        for (dim_t n : {256, 1000, 1024, 2048})
            problems.push_back(plan_test::normalized({n, n}, "ab", "ba", type));
    }
    for (size_t i = 0; i < alternatives_to(machines[0]).size(); i++) {
        bool differs = false;
        for (const machine &m : machines)
            for (const move_problem &p : problems)
                differs = differs || text_of(p, alternatives_to(m)[i].m) != text_of(p, m);
        EXPECT_TRUE(differs) << alternatives_to(machines[0])[i].name;
    }
}
