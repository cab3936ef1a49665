// SPDX-License-Identifier: Apache-2.0
// Destinations that are mostly padding: in which order it is written, what a pass of its own
// writes, and when there is one.
#include "common/data_type.hpp"
#include "common/padding_split.hpp"
#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/tuning.hpp"
#include "unit/kernel_helpers.hpp"
#include "unit/plan_helpers.hpp"

using plan_test::by_tag;
using plan_test::lines;
using plan_test::vec;
using namespace tfmt;
using namespace tfmt::cpu;

namespace {

constexpr int line_bytes = int(tuning::line_bytes);

// ---------------------------------------------------------------- the order of the levels

// Steps of which no more than a half is read have no place in the order of the source: they
// complete the destination's rows.
TEST(Padding, StepsOfItAreInTheOrderOfTheDestination) {
    tile t {4, 64, {}, {0, 1, 2, 3}, {0, 1, 2, 3}, {}, 32, 32, 64, 64};
    t.bits.resize(4, {-1, -1, 0, 0, 0});
    const std::vector<level> levels {
            {0, 16, 1, 1 << 20, 1024, {}, {}}, {1, 900, 1, 1024, 16 << 10, {}, {}}};
    const auto order_of = [&](dim_t load) {
        const loop_order order = order_levels(levels, {{load, 16}, {900, 900}}, t,
                memory_pattern::beyond_l2, tfmt::cpu::machine());
        lines text {std::to_string(order.next_block_bytes)};
        for (const level &l : order.levels)
            text.push_back(plan_test::text_of(l));
        return text;
    };
    const std::string a = "16 x 1, 1048576 -> 1024", b = "900 x 1, 1024 -> 16384";
    EXPECT_EQ(order_of(16), (lines {"1024", a, b}));
    EXPECT_EQ(order_of(9), (lines {"1024", a, b}));
    EXPECT_EQ(order_of(8), (lines {"1048576", b, a}));
    EXPECT_EQ(order_of(1), (lines {"1024", b, a}));
}

// ---------------------------------------------------------------- the split

struct pair {
    tfmt_data_type_t src_type, dst_type;
    const char *src_tag, *dst_tag;
    vec dims;

    memory_desc src() const { return by_tag(dims, src_tag, src_type); }
    memory_desc dst() const { return by_tag(dims, dst_tag, dst_type); }
    std::string text() const {
        return std::string(tfmt::name_of(src_type)) + " " + src_tag + " -> "
                + tfmt::name_of(dst_type) + " " + dst_tag;
    }
};

bool split_padding(const pair &c, padding_split *out) {
    return tfmt::split_padding(make_problem(c.src(), c.dst()), c.dst(), line_bytes, out);
}

TEST(Padding, DataKeepTheLinesTheyAreIn) {
    padding_split s;
    ASSERT_TRUE(split_padding(
            {tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {768, 1, 10}}, &s)); // 4 b of 4 a a line
    EXPECT_EQ(s.data.limits[1].load, 1);
    EXPECT_EQ(s.data.limits[1].store, 4);
    EXPECT_EQ(s.padding.limits[1].load, 4);
    EXPECT_EQ(s.padding.limits[1].store, 64);
    EXPECT_EQ(s.data.limits[0].store, 768);
    EXPECT_EQ(s.padding.limits[0].load, 768);
    EXPECT_DOUBLE_EQ(s.share, 60. / 64);
    for (const level &l : s.data.levels)
        EXPECT_LE(l.unit * (l.extent - 1), s.data.limits[size_t(l.dim)].store - 1);
    EXPECT_TRUE(pads_whole_lines(s.padding, line_bytes));
    EXPECT_FALSE(pads_whole_lines(s.data, line_bytes));
}

TEST(Padding, WhatIsNotWholeLinesIsNotSplit) {
    const pair not_split[] = {{tfmt_f32, tfmt_f32, "abcd", "aBcd16b", {1, 32, 5, 5}}, // no padding
            {tfmt_f32, tfmt_f32, "abcd", "aBcd16b", {1, 3, 5, 5}}, // a part of each line
            {tfmt_f32, tfmt_f32, "acdb", "aBdc24b", {1, 3, 5, 5}}, // rows of a line and a half
            {tfmt_u8, tfmt_u8, "acdeb", "aBdec16b", {4, 1, 32, 6, 6}},
            {tfmt_s4, tfmt_s4, "ab", "AB2a64b", {1, 40}}, // 32 of 64 bytes
            {tfmt_f32, tfmt_f32, "abc", "Abc8a", {3, 7, 5}}};
    for (const pair &c : not_split) {
        padding_split s;
        EXPECT_FALSE(split_padding(c, &s)) << c.text();
        EXPECT_FALSE(pads_whole_lines(make_padding_problem(c.dst()), line_bytes)
                && c.dst().padded_dims[1] != c.dst().dims[1])
                << c.text();
    }
}

// ---------------------------------------------------------------- what each of the two writes

using bytes = std::vector<unsigned char>;

void execute(const reorder_problem &p, plan_mode mode, const machine &m, const void *src,
        bytes *dst, bool is_streamed) {
    move_problem move;
    plan pl;
    std::string why;
    ASSERT_TRUE(normalize(p, &move, &why)) << why << to_text(p);
    ASSERT_TRUE(make_plan(move, m, mode, &pl, &why)) << why;
    plan streamed;
    if (is_streamed && make_streamed_plan(move, m, &streamed, nullptr, mode)) pl = streamed;
    std::vector<ir::kernel> kernels;
    for (const kernel_spec &spec : pl.kernels) {
        kernels.push_back(ir::build(pl, spec));
        ASSERT_EQ(ir::verify(kernels.back()), "");
    }
    kernel_test::run_plan(pl, kernels, false, src, dst->data(), {});
}

// Which bytes it writes: those that are the same whatever was there before.
std::vector<bool> written(const reorder_problem &p, plan_mode mode, const machine &m,
        const void *src, size_t dst_bytes, bool is_streamed) {
    bytes once(dst_bytes, 0x5a), again(dst_bytes, 0xa5);
    execute(p, mode, m, src, &once, is_streamed);
    execute(p, mode, m, src, &again, is_streamed);
    std::vector<bool> same;
    for (size_t i = 0; i < dst_bytes; i++)
        same.push_back(once[i] == again[i]);
    return same;
}

const pair split_pairs[] = {{tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {40, 1, 3}},
        {tfmt_f32, tfmt_f32, "abcde", "BcdeA16a64b2a", {32, 1, 3, 3, 3}},
        {tfmt_bf16, tfmt_bf16, "acb", "BcA16a32b4a", {70, 1, 10}},
        {tfmt_f32, tfmt_f32, "acdb", "ABcd16a32b", {1, 50, 5, 6}},
        {tfmt_f32, tfmt_f32, "abcd", "ABcd16a16b", {3, 20, 5, 4}}, // two dimensions
        {tfmt_f64, tfmt_f64, "abcd", "ABcd8a8b", {3, 17, 4, 4}},
        {tfmt_u8, tfmt_u8, "abcd", "ABcd16b64a4b", {3, 5, 3, 3}},
        {tfmt_s8, tfmt_s8, "acdb", "ABcd40a16b", {3, 20, 6, 6}},       // rows of ten lines
        {tfmt_f32, tfmt_f32, "aBcd48b", "ABcd16a32b", {2, 100, 3, 3}}, // blocks that do not nest
        {tfmt_s4, tfmt_s4, "ab", "AB8a128b", {3, 130}},
        {tfmt_f32, tfmt_bf16, "abcd", "ABcd32a32b", {2, 40, 3, 3}},
        {tfmt_f32, tfmt_u4, "ab", "AB8a128b", {3, 130}},
        {tfmt_u8, tfmt_f32, "abcd", "ABcd16a16b", {1, 33, 5, 3}}};

void check_parts(const pair &c, const machine &m, bool is_streamed) {
    const memory_desc src = c.src(), dst = c.dst();
    const reorder_problem whole = make_problem(src, dst);
    padding_split parts;
    ASSERT_TRUE(split_padding(c, &parts));
    EXPECT_GT(parts.share, 0);
    tfmt_test::guarded_buffer from(size_bytes(src), tfmt_test::placement::at_end, 8);
    tfmt_test::fill_src(from, c.src_type, c.dst_type, 7);
    const size_t n = size_bytes(dst);
    const auto by = [&](const reorder_problem &p, plan_mode mode) {
        return written(p, mode, m, from.data(), n, is_streamed);
    };
    const std::vector<bool> all = by(whole, plan_mode::move);
    const std::vector<bool> data = by(parts.data, plan_mode::move);
    const std::vector<bool> padding = by(parts.padding, plan_mode::padding_only);
    for (size_t line = 0; line < n; line += size_t(line_bytes)) {
        bool has_data = false, has_padding = false;
        for (size_t i = line; i < std::min(n, line + size_t(line_bytes)); i++) {
            ASSERT_EQ(all[i], data[i] || padding[i]) << "byte " << i;
            has_data |= data[i];
            has_padding |= padding[i];
        }
        ASSERT_FALSE(has_data && has_padding) << "line at " << line;
    }
    bytes in_one(n, 0x77), apart(n, 0x77);
    execute(whole, plan_mode::move, m, from.data(), &in_one, is_streamed);
    execute(parts.data, plan_mode::move, m, from.data(), &apart, is_streamed);
    execute(parts.padding, plan_mode::padding_only, m, from.data(), &apart, is_streamed);
    ASSERT_TRUE(in_one == apart);
}

TEST(Padding, TheTwoPartsShareNoLineAndLeaveNothing) {
    for (const machine &m : plan_test::all_machines())
        for (const pair &c : split_pairs)
            for (bool has_caches : {true, false}) {
                machine without = m;
                if (!has_caches) without.l2_bytes = without.l3_bytes = 0;
                check_parts(c, without, !has_caches);
                ASSERT_FALSE(testing::Test::HasFailure())
                        << c.text() << ", " << plan_test::name_of(m) << ", caches " << has_caches;
            }
}

// ---------------------------------------------------------------- when there are two passes

bool wants_two(const pair &c, const machine &m) {
    padding_split parts;
    EXPECT_TRUE(split_padding(c, &parts)) << c.text();
    return wants_padding_apart(plan_test::normalized(c.src(), c.dst()), m, parts.share);
}

TEST(Padding, RowsThatCollideAreNotCarriedAlong) {
    const pair colliding {tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {768, 1, 10}};
    for (const machine &m : plan_test::all_machines()) {
        const bool collides = m.vector_bytes == 64; // else 4 rows, with all their padding next
        EXPECT_EQ(wants_two(colliding, m), collides) << plan_test::name_of(m);
    }
    // Rows 320 bytes apart, and no rows at all.
    EXPECT_FALSE(
            wants_two({tfmt_f32, tfmt_f32, "acb", "BAc4b16a", {768, 1, 10}}, plan_test::avx512()));
    EXPECT_FALSE(wants_two(
            {tfmt_f32, tfmt_f32, "acdb", "ABcd16a32b", {1, 32, 20, 20}}, plan_test::avx512()));
}

TEST(Padding, PassesThatTheSourcesOrderMakesAreLeftToThePaddings) {
    const pair two_steps {tfmt_f32, tfmt_f32, "acdb", "ABcd32a32b", {8, 2048, 7, 7}};
    const pair half {tfmt_f32, tfmt_f32, "acdb", "ABcd16a32b", {8, 2048, 7, 7}};
    machine m = plan_test::avx512();
    m.l2_bytes = 1 << 20;
    EXPECT_TRUE(wants_two(two_steps, m));
    EXPECT_FALSE(wants_two(half, m));
    m.l2_bytes = 64 << 20;
    EXPECT_FALSE(wants_two(two_steps, m)); // in the order of the destination
    m.l2_bytes = 1 << 20;
    m.max_padded_rows = 8;
    EXPECT_FALSE(wants_two(two_steps, m));
    m.max_padded_rows = 0;
    m.l3_bytes = 8 << 20;
    EXPECT_FALSE(wants_two(two_steps, m)); // stores that bypass the caches wait for nothing
}

TEST(Padding, SetsOfMoreLinesTakeEightRows) {
    const pair eight {tfmt_f32, tfmt_f32, "abcde", "ABcde16a16b2a", {96, 1, 1, 3, 3}};
    const pair sixteen {tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {768, 1, 10}};
    const pair sixteen_less {tfmt_s8, tfmt_s8, "abcd", "BcdA64b4a", {64, 1, 5, 5}};
    const auto wanted = [](const pair &c, int max_padded_rows, bool is_in_l2) {
        machine m = plan_test::avx512();
        m.max_padded_rows = max_padded_rows;
        if (!is_in_l2) m.l2_bytes = 0;
        return wants_two(c, m);
    };
    for (const bool is_in_l2 : {true, false}) {
        EXPECT_TRUE(wanted(eight, 0, is_in_l2));
        EXPECT_FALSE(wanted(eight, 8, is_in_l2));
        EXPECT_TRUE(wanted(sixteen, 0, is_in_l2));
        EXPECT_TRUE(wanted(sixteen, 8, is_in_l2));
        EXPECT_TRUE(wanted(sixteen_less, 0, is_in_l2));
        EXPECT_EQ(wanted(sixteen_less, 8, is_in_l2), is_in_l2);
    }
}

TEST(Padding, PastTheCachesOnlyMostOfItIsApart) {
    const pair most {tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {768, 1, 10}};
    const pair less {tfmt_s8, tfmt_s8, "abcd", "BcdA64b4a", {64, 1, 5, 5}};
    machine m = plan_test::avx512();
    m.l2_bytes = 0;
    EXPECT_TRUE(wants_two(most, m));
    EXPECT_TRUE(wants_two(less, m));
    m.l3_bytes = 0;
    EXPECT_TRUE(wants_two(most, m));
    EXPECT_FALSE(wants_two(less, m));
}

TEST(Padding, NarrowVectorsLeaveMuchPaddingToAPassOfItsOwn) {
    // 0.5, 0.75 and 0.94 of the destination's lines.
    const pair half {tfmt_f32, tfmt_f32, "acdb", "ABcd16a32b", {8, 64, 7, 7}};
    const pair more {tfmt_f32, tfmt_f32, "acdb", "ABcd32a32b", {8, 64, 7, 7}};
    const pair most {tfmt_f32, tfmt_f32, "acdb", "ABcd32a32b", {2, 64, 7, 7}};
    for (machine m : plan_test::all_machines()) {
        EXPECT_EQ(wants_two(half, m), m.vector_bytes == 16) << plan_test::name_of(m);
        EXPECT_EQ(wants_two(more, m), m.vector_bytes == 16) << plan_test::name_of(m);
        EXPECT_EQ(wants_two(most, m), m.vector_bytes < 64) << plan_test::name_of(m);
        m.l2_bytes = 0;
        EXPECT_FALSE(wants_two(half, m)) << plan_test::name_of(m);
    }
}

} // namespace
