// SPDX-License-Identifier: Apache-2.0
// Blocks that do not nest, and odd runs joined with what is behind them: which of their steps a
// tile takes, and that each phase moves the right bytes, under the interpreter and as machine code.
#include <algorithm>

#include "support/random_desc.hpp"
#include "tests/unit/kernel_helpers.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace kernel_test;
using plan_test::vec;

// ---------------------------------------------------------------- plans

bool drives_irregular_levels(const plan &p) {
    const std::vector<level> &levels = p.problem.levels;
    return std::any_of(levels.begin(), levels.begin() + p.n_driver_levels,
            [](const level &l) { return !l.is_regular(); });
}

plan planned(const vec &dims, const char *src, const char *dst, tfmt_data_type_t type,
        const machine &m) {
    return plan_test::planned(plan_test::normalized(dims, src, dst, type), m);
}

// Both ways: the run with the power of two is the destination's, the source's.
TEST(Phases, TakeTheDigitsOfRuns) {
    for (const machine &m : {plan_test::avx512(), plan_test::avx512_vbmi()}) {
        const plan to_48 = planned({8, 192, 8, 8}, "aBcd32b", "aBcd48b", tfmt_f32, m);
        ASSERT_EQ(to_48.the_tile.phased.size(), 1u);
        EXPECT_EQ(to_48.the_tile.phased[0].bits.size(), 1u); // 2 of 16 against 3
        EXPECT_FALSE(drives_irregular_levels(to_48)) << to_text(to_48);
        const plan from_48 = planned({8, 192, 8, 8}, "aBcd48b", "aBcd32b", tfmt_f32, m);
        ASSERT_EQ(from_48.the_tile.phased.size(), 1u);
        EXPECT_EQ(from_48.the_tile.phased[0].bits.size(), 1u);
        EXPECT_FALSE(drives_irregular_levels(from_48)) << to_text(from_48);
    }
}

// A transpose of blocks: 8 of 4 against 3 of 4 along b, 32 of them in a tile.
TEST(Phases, JoinTransposes) {
    const plan p = planned({512, 516}, "BA16a32b", "BA12b8a", tfmt_bf16, plan_test::avx512());
    ASSERT_EQ(p.the_tile.phased.size(), 1u);
    EXPECT_EQ(p.the_tile.phased[0].bits.size(), 3u);
    EXPECT_EQ(p.the_tile.src_run.size(), 5u);
    EXPECT_EQ(p.the_tile.dst_run.size(), 5u);
    EXPECT_FALSE(drives_irregular_levels(p)) << to_text(p);
}

TEST(Phases, AreNotTooMany) {
    EXPECT_TRUE(planned({8, 8064, 2}, "aBc63b", "aBc64b", tfmt_f32, plan_test::avx512())
                        .the_tile.phased.empty());
    EXPECT_FALSE(planned({8, 8064, 2}, "aBc7b", "aBc64b", tfmt_f32, plan_test::avx512())
                         .the_tile.phased.empty());
}

// Rows far from each other on both sides are not brought into one tile.
TEST(Phases, AreNotOfFarRows) {
    const plan p = planned(
            {192, 128, 3, 3}, "ABcd48a64b", "ABcd32a64b", tfmt_f32, plan_test::avx512());
    EXPECT_TRUE(p.the_tile.phased.empty());
    EXPECT_TRUE(drives_irregular_levels(p));
}

// 9 bytes of c and d and then b: 16 of these steps are one period of the tile's 16.
TEST(Phases, JoinOddRuns) {
    const plan p = planned({256, 256, 3, 3}, "cdba", "abcd", tfmt_u8, plan_test::avx512_vbmi());
    ASSERT_EQ(p.the_tile.phased.size(), 1u) << to_text(p);
    EXPECT_EQ(p.the_tile.phased[0].bits.size(), 4u);
    EXPECT_EQ(p.the_tile.phased[0].src_digits[0].extent, 9);
    EXPECT_EQ(p.the_tile.phased[0].src_digits[1].stride, 256);
    EXPECT_EQ(p.the_tile.phased[0].dst_digits[0].extent, 144);
    EXPECT_EQ(p.the_tile.dst_run.size(), 4u);
    EXPECT_FALSE(drives_irregular_levels(p));
}

TEST(Phases, JoinWhatGains) {
    const auto joins = [](const vec &dims, const char *src, const char *dst, tfmt_data_type_t t) {
        return !planned(dims, src, dst, t, plan_test::avx512_vbmi()).the_tile.phased.empty();
    };
    EXPECT_TRUE(joins({256, 256, 3, 3}, "cdba", "abcd", tfmt_f32));
    EXPECT_TRUE(joins({256, 256, 3, 3}, "abcd", "cdba", tfmt_u8));
    EXPECT_FALSE(joins({256, 256, 3, 3}, "abcd", "cdba", tfmt_f32));
    EXPECT_FALSE(joins({256, 256, 3, 4}, "cdba", "abcd", tfmt_u8)); // 12 bytes
    EXPECT_FALSE(joins({256, 250, 3, 3}, "cdba", "abcd", tfmt_u8)); // no whole periods
    EXPECT_FALSE(joins({256, 256, 4, 4}, "cdba", "abcd", tfmt_u8)); // nothing odd
    EXPECT_FALSE(joins({64, 512, 9}, "acb", "abc", tfmt_f32)); // what is behind is the other run
    EXPECT_FALSE(joins({64, 64, 3, 3}, "bacd", "AcdB16b32a2b", tfmt_u8)); // 2 bytes before it
    EXPECT_TRUE(joins({16, 256, 13, 13}, "bcad", "acdb", tfmt_s8));
    EXPECT_FALSE(joins({16, 255, 13, 13}, "bcad", "acdb", tfmt_s8)); // a tail, twice the code
    // That is no limit to blocks of two dimensions that do not nest.
    EXPECT_TRUE(joins({480, 512}, "BA12b24a", "AB32a16b", tfmt_f32));
    EXPECT_TRUE(joins({479, 511}, "BA12b24a", "AB32a16b", tfmt_f32));
}

// ---------------------------------------------------------------- bytes

class PhasesOn : public kernel_fixture {};

struct random_pair {
    tfmt_test::dims dims;
    std::string src, dst;
};

// Two dimensions or three, of which one or two are in blocks of which few nest.
random_pair random_blocks(tfmt_test::random_source &random) {
    static const int64_t sizes[] = {2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 32, 40, 48};
    const int ndims = random.one_in(3) ? 3 : 2;
    random_pair pair;
    for (int d = 0; d < ndims; d++)
        pair.dims.push_back(random.between(1, ndims == 2 ? 150 : 50));
    for (std::string *tag : {&pair.src, &pair.dst}) {
        std::string outer = std::string("abc").substr(0, size_t(ndims)), inner;
        if (random.one_in(2)) std::swap(outer[0], outer[size_t(ndims) - 1]);
        const int n_blocks = int(random.between(1, 3));
        int last = -1;
        for (int i = 0; i < n_blocks; i++) {
            const int dim = last < 0 ? int(random.below(ndims)) : (last + 1) % ndims;
            inner += std::to_string(sizes[random.below(13)]) + char('a' + dim);
            std::replace(outer.begin(), outer.end(), char('a' + dim), char('A' + dim));
            last = dim;
        }
        *tag = outer + inner;
    }
    return pair;
}

TEST_P(PhasesOn, RandomBlocks) {
    const bool with_code = host_can_execute();
    const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64, tfmt_s4};
    const int n_cases = tfmt_test::scaled(600);
    int n_phased = 0, n_only_around = 0;
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 5231 + 11);
        const random_pair pair = random_blocks(random);
        const tfmt_data_type_t type = types[random.below(5)];
        const tfmt_data_type_t to = random.one_in(4) ? tfmt_f16 : type;
        const auto src = tfmt_test::make_with_tag(pair.dims, type, pair.src);
        const auto dst = tfmt_test::make_with_tag(pair.dims, to, pair.dst);
        trial e(*src, *dst, uint64_t(i));
        tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
        const reorder_problem p = make_problem(*src, *dst);
        const std::string wrong = check(p, plan_mode::move, e, with_code);
        ASSERT_EQ(wrong, "") << "case " << i << ": " << pair.src << " -> " << pair.dst << " "
                             << tfmt_test::dims_text(pair.dims) << ", type " << int(type);
        move_problem move;
        std::string why;
        if (!normalize(p, &move, &why)) continue;
        const tile t = choose_tile(
                move, make_machine(GetParam(), e.has_caches()), store_path::plain);
        n_phased += !t.phased.empty();
        n_only_around += !t.phased.empty() && t.phased[0].bits.empty();
    }
    EXPECT_GT(n_phased, n_cases / 10);
    EXPECT_GT(n_only_around, 0);
    if (!with_code)
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

// Blocks whose common factor is no power of two, 12 and 36 or 24 and 18, before others, in dims
// that end within the period.
TEST_P(PhasesOn, OddCommonFactors) {
    const bool with_code = host_can_execute();
    std::vector<random_pair> pairs = {{{100, 72}, "AB24a12b", "BA16b36a"},
            {{108, 48}, "AB24a12b", "BA16b36a"}, {{18, 72}, "Ab12a", "bA18a"},
            {{36, 72}, "Ab24a", "bA36a"}};
    const int n_random = tfmt_test::scaled(400);
    for (int i = 0; i < n_random; i++) {
        tfmt_test::random_source random(uint64_t(i) * 6151 + 3);
        const int64_t factor = random.between(3, 12);
        const std::string inner = std::to_string(factor * random.between(1, 5)) + "a";
        const std::string other = std::to_string(factor * random.between(1, 5)) + "a";
        const std::string b = std::to_string(random.between(2, 32)) + "b";
        const std::string src[] = {"Ab" + inner, "bA" + inner, "AB" + inner + b, "BA" + b + inner};
        const std::string dst[] = {"Ab" + other, "bA" + other, "AB" + other + b, "BA" + b + other};
        pairs.push_back({{random.between(1, 120), random.between(1, 80)}, src[random.below(4)],
                dst[random.below(4)]});
    }
    const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32};
    for (size_t i = 0; i < pairs.size(); i++) {
        const random_pair &pair = pairs[i];
        const tfmt_data_type_t type = i < 4 ? tfmt_u8 : types[i % 3];
        const auto src = tfmt_test::make_with_tag(pair.dims, type, pair.src);
        const auto dst = tfmt_test::make_with_tag(pair.dims, type, pair.dst);
        trial e(*src, *dst, uint64_t(i));
        tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
        ASSERT_EQ(check(make_problem(*src, *dst), plan_mode::move, e, with_code), "")
                << "case " << i << ": " << pair.src << " -> " << pair.dst << " "
                << tfmt_test::dims_text(pair.dims) << ", type " << int(type);
    }
    if (!with_code)
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

// Runs of 3 to 27 with whole periods behind them, between rows that leave tails.
TEST_P(PhasesOn, JoinedRuns) {
    const bool with_code = host_can_execute();
    const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};
    const vec inner[] = {{1, 3}, {1, 5}, {2, 3}, {1, 7}, {3, 3}, {2, 7}, {3, 5}, {5, 5}};
    int n_phased = 0;
    const int n_cases = tfmt_test::scaled(60);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 7717 + 5);
        const tfmt_data_type_t type = types[random.below(4)];
        const vec &run = inner[random.below(8)];
        const tfmt_test::dims dims = {
                random.between(33, 150), 8 * random.between(9, 40), run[0], run[1]};
        const char *together = random.one_in(4) ? "bacd" : "abcd";
        const bool of_src = random.one_in(2);
        const auto src = tfmt_test::make_with_tag(dims, type, of_src ? together : "cdba");
        const auto dst = tfmt_test::make_with_tag(dims, type, of_src ? "cdba" : together);
        trial e(*src, *dst, uint64_t(i));
        tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
        const reorder_problem p = make_problem(*src, *dst);
        const std::string wrong = check(p, plan_mode::move, e, with_code);
        ASSERT_EQ(wrong, "") << "case " << i << ": " << tfmt_test::dims_text(dims) << ", type "
                             << int(type) << (of_src ? ", of src" : ", of dst");
        move_problem move;
        std::string why;
        ASSERT_TRUE(normalize(p, &move, &why));
        plan made;
        ASSERT_TRUE(make_plan(
                move, make_machine(GetParam(), e.has_caches()), plan_mode::move, &made, &why));
        n_phased += !made.the_tile.phased.empty();
    }
    EXPECT_GT(n_phased, n_cases / 10);
    if (!with_code)
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

INSTANTIATE_TEST_SUITE_P(Machines, PhasesOn, testing::ValuesIn(machines), test_name_of);

} // namespace
