// SPDX-License-Identifier: Apache-2.0
// Where plans end: the limits of jobs and code, with tails in any number of dimensions; and which
// machine packs how much of a short run into a vector.
#include <algorithm>

#include "cpu/plan/tuning.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::cpu::plan;
using tfmt::cpu::plan_mode;
using tfmt::cpu::store_path;
using tfmt::cpu::tile;
using tfmt::cpu::tile_bit;
namespace tuning = tfmt::cpu::tuning;

// `n` dimensions of 31 in blocks of 8: each has a tail, all outer levels are the driver's, and
// little is padding, of which much would mean another order.
memory_desc blocked(int n) {
    std::string letters, blocks;
    for (int d = 0; d < n; d++) {
        letters += char('A' + d);
        blocks += "8" + std::string(1, char('a' + d));
    }
    return by_tag(vec(size_t(n), 31), letters + blocks);
}

memory_desc plain(int n) {
    return by_tag(vec(size_t(n), 31), std::string("abcdefghijkl").substr(0, size_t(n)));
}

TEST(PlanLimits, JobsAreTwiceAsManyWithEachTailUntilThereAreTooMany) {
    for (const machine &m : all_machines()) {
        size_t most_jobs = 0;
        bool was_refused = false;
        for (int n = 4; n <= 12; n++) {
            plan p;
            std::string why;
            const bool made = tfmt::cpu::make_plan(
                    normalized(plain(n), blocked(n)), m, plan_mode::move, &p, &why);
            if (made) {
                EXPECT_FALSE(was_refused) << n << " tails, though fewer are too many";
                EXPECT_LE(p.jobs.size(), tuning::max_jobs) << n;
                EXPECT_GE(p.jobs.size(), most_jobs) << n;
                most_jobs = p.jobs.size();
            } else {
                was_refused = true;
                EXPECT_EQ(why, "too many combinations of tails for generated code");
            }
        }
        EXPECT_TRUE(was_refused) << name_of(m);
        EXPECT_GE(most_jobs, tuning::max_jobs / 8) << name_of(m);
    }
}

// The same with every way to write the destination.
TEST(PlanLimits, HoldBeyondTheCaches) {
    for (machine m : all_machines()) {
        m.l2_bytes = m.l3_bytes = 0;
        int n_made = 0;
        for (int n = 3; n <= 12; n++) {
            const move_problem move = normalized(plain(n), blocked(n));
            plan any, streamed;
            std::string why;
            if (tfmt::cpu::make_plan(move, m, plan_mode::move, &any, &why)) {
                n_made++;
                EXPECT_LE(any.jobs.size(), tuning::max_jobs) << n;
                plan streamed_like_any;
                if (make_streamed_plan(move, m, &streamed_like_any, &any)) {
                    ASSERT_TRUE(make_streamed_plan(move, m, &streamed)) << n;
                    EXPECT_EQ(to_text(streamed_like_any), to_text(streamed)) << n;
                }
            } else
                EXPECT_EQ(why, "too many combinations of tails for generated code");
            if (tfmt::cpu::make_streamed_plan(move, m, &streamed)) {
                EXPECT_LE(streamed.jobs.size(), tuning::max_jobs) << n;
            }
        }
        EXPECT_GT(n_made, 0);
    }
}

// ---------------------------------------------------------------- packed runs

std::vector<dim_t> src_run_strides(const tile &t) {
    std::vector<dim_t> strides;
    for (int bit : t.src_run)
        strides.push_back(t.bits[size_t(bit)].src_stride_bytes);
    return strides;
}

// Where index vectors shuffle elements of any width a vector takes all it can hold, else 16 bytes.
TEST(PackedRuns, AreAsLongAsTheMachineCanShuffle) {
    const auto run_of = [](tfmt_data_type_t type, const machine &m) {
        const tile t = tfmt::cpu::choose_tile(
                normalized({500, 3}, "ab", "ba", type), m, store_path::plain);
        EXPECT_TRUE(is_src_packed(t, t.src_run));
        EXPECT_FALSE(is_dst_packed(t, t.dst_run));
        return src_run_strides(t);
    };
    using strides = std::vector<dim_t>;
    for (const machine &m : {sse41(), avx2(), avx512()})
        EXPECT_EQ(run_of(tfmt_u8, m), (strides {1, 2, 3, 6})) << name_of(m);
    EXPECT_EQ(run_of(tfmt_u8, avx512_vbmi()), (strides {1, 2, 3, 6, 12, 24}));
    for (const machine &m : {sse41(), avx2()})
        EXPECT_EQ(run_of(tfmt_bf16, m), (strides {2, 4, 6})) << name_of(m);
    for (const machine &m : {avx512(), avx512_vbmi()}) {
        EXPECT_EQ(run_of(tfmt_bf16, m), (strides {2, 4, 6, 12, 24})) << name_of(m);
        EXPECT_EQ(run_of(tfmt_f32, m), (strides {4, 8, 12, 24})) << name_of(m);
    }
}

// What a tail leaves must be a beginning of the packed run: the short level may not be cut itself.
TEST(PackedRuns, NotOfShortLevelsWithTails) {
    const auto packs_dst = [](dim_t channels, const machine &m) {
        const tile t = tfmt::cpu::choose_tile(
                normalized({500, channels}, "ba", "aB5b", tfmt_bf16), m, store_path::plain);
        return is_dst_packed(t, t.dst_run);
    };
    for (const machine &m : {avx512(), avx512_vbmi()}) {
        EXPECT_TRUE(packs_dst(5, m)) << name_of(m);
        EXPECT_TRUE(packs_dst(4, m)) << name_of(m);  // the fifth is padding
        EXPECT_FALSE(packs_dst(6, m)) << name_of(m); // 5 and 1
    }
}

// Levels that blocks of the other side make of a dimension are packed as one, whether they pad it
// or not, and padding behind them has no part in it.
TEST(PackedRuns, OfSeveralLevels) {
    const auto runs_of = [](const vec &dims, const char *src, const char *dst) {
        const tile t = planned(normalized(dims, src, dst, tfmt_bf16), avx512()).the_tile;
        return std::make_pair(t.src_run_bytes, t.dst_run_bytes);
    };
    const vec image {1, 3, 40, 40};
    EXPECT_EQ(runs_of(image, "acdb", "aBcd4b"), std::make_pair(dim_t(48), dim_t(64)));
    EXPECT_EQ(runs_of(image, "acdb", "aBcd16b").first, 48);
    EXPECT_EQ(runs_of(image, "acdb", "aBcd32b").first, 6); // padding fills vectors
    EXPECT_EQ(runs_of({64, 3, 7, 7}, "ABcd8a2b", "acdb"), std::make_pair(dim_t(64), dim_t(48)));
    EXPECT_EQ(runs_of({64, 9, 7, 7}, "acdb", "ABcd16b16a").first, 18); // too many
}

} // namespace
