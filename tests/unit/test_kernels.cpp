// SPDX-License-Identifier: Apache-2.0
// Every stage between a problem and memory, against the oracle: the portable path, the plan and its
// IR under the interpreter, for machines of every ISA, and the machine code of those the host has.
#include <algorithm>

#include "cpu/ref/portable.hpp"
#include "support/random_desc.hpp"
#include "tests/unit/kernel_helpers.hpp"

namespace {

using namespace kernel_test;

const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64, tfmt_s4};

struct test_case {
    tfmt_data_type_t type;
    tfmt_test::random_desc src, dst;
    std::string text() const { return src.recipe + "\n  -> " + dst.recipe; }
};

test_case random_case(tfmt_test::random_source &random, int64_t max_elements) {
    const tfmt_data_type_t type = types[random.below(5)];
    const tfmt_test::dims dims = tfmt_test::random_dims(random, max_elements, false);
    return {type, make_random_desc(random, dims, type, tfmt_test::role::src, max_elements * 64),
            make_random_desc(random, dims, type, tfmt_test::role::dst, max_elements * 64)};
}

// Inner extents that are short and odd on both sides, so that vectors hold several of them; an
// outer one long enough for blocks, which may end in a tail.
test_case short_inner_case(tfmt_test::random_source &random) {
    const tfmt_data_type_t type = types[random.below(4)];
    const tfmt_test::dims dims {random.between(1, 120), random.between(0, 7) * 2 + 1,
            random.between(1, 24), random.one_in(2) ? 1 : 3};
    std::string tags[2] {"abcd", "abcd"};
    for (std::string &tag : tags) {
        for (size_t i = 4; i > 1; i--)
            std::swap(tag[i - 1], tag[size_t(random.below(int64_t(i)))]);
        if (!random.one_in(4)) continue;
        const char letter = tag[0]; // blocks of the outermost: tails, and padding of a destination
        tag[0] = char(letter - 'a' + 'A');
        tag += std::to_string(random.between(2, 16)) + letter;
    }
    const std::string text = tfmt_test::dims_text(dims) + " tag ";
    return {type, {tfmt_test::make_with_tag(dims, type, tags[0]), text + tags[0]},
            {tfmt_test::make_with_tag(dims, type, tags[1]), text + tags[1]}};
}

// A few channels, which blocks of one side or both cut and pad.
test_case few_channels_case(tfmt_test::random_source &random) {
    static const char *const tags[] = {"acdb", "cdba", "abcd", "aBcd2b", "aBcd4b", "aBcd5b",
            "aBcd16b", "ABcd4a2b", "ABcd8b16a2b", "AcdB16a4b", "BcdA16a3b", "ABcd2b8a4b", "adbc",
            "AcdB4b8a4b"};
    const tfmt_data_type_t type = types[random.below(5)];
    const tfmt_test::dims dims {random.one_in(2) ? random.between(1, 40) : 1, random.between(2, 9),
            random.between(1, 12), random.between(1, 40)};
    const std::string text = tfmt_test::dims_text(dims) + " tag ";
    const std::string src = tags[random.below(std::size(tags))],
                      dst = tags[random.below(std::size(tags))];
    return {type, {tfmt_test::make_with_tag(dims, type, src), text + src},
            {tfmt_test::make_with_tag(dims, type, dst), text + dst}};
}

class KernelsOn : public kernel_fixture {
protected:
    // Whether all is as the oracle has it.
    testing::AssertionResult is_right(const test_case &c, uint64_t seed) {
        trial e(*c.src.md, *c.dst.md, seed);
        tfmt_test::oracle_reorder(c.src.md.get(), e.src(), c.dst.md.get(), e.expected());
        const std::string wrong = check(
                make_problem(*c.src.md, *c.dst.md), plan_mode::move, e, host_can_execute());
        if (wrong.empty()) return testing::AssertionSuccess();
        return testing::AssertionFailure() << "case " << seed << ": " << c.text() << ": " << wrong;
    }

    // Between rows of so many elements on both sides; "" if all is as the oracle has it.
    std::string check_transpose(
            const tfmt_test::dims &dims, tfmt_data_type_t type, int64_t row_elems, uint64_t seed) {
        const auto src = tfmt_test::make_with_strides(dims, type, {row_elems, 1});
        const auto dst = tfmt_test::make_with_strides(dims, type, {1, row_elems});
        trial e(*src, *dst, seed);
        tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
        return check(make_problem(*src, *dst), plan_mode::move, e, host_can_execute());
    }
};

TEST_P(KernelsOn, RandomReorders) {
    const int n_cases = tfmt_test::scaled(1500);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 7919 + 1);
        ASSERT_TRUE(is_right(random_case(random, i % 10 ? 3000 : 40000), uint64_t(i)));
    }
    EXPECT_GT(n_planned_, n_cases / 2);
    EXPECT_GT(n_streamed_, 0);
    EXPECT_GT(n_staged_, 0);
    EXPECT_GT(n_chained_, 0);
    EXPECT_GT(n_collected_, 0);
    if (!host_can_execute())
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

// Those that are measured against the plans of rules.
TEST_P(KernelsOn, RandomReordersByAlternatives) {
    wants_alternatives_ = true;
    for (int i = 0; i < tfmt_test::scaled(1500); i++) {
        tfmt_test::random_source random(uint64_t(i) * 3571 + 17);
        ASSERT_TRUE(is_right(random_case(random, i % 10 ? 3000 : 40000), uint64_t(i)))
                << "alternative " << next_alternative_ - 1;
    }
    EXPECT_GT(n_streamed_, 0);
    EXPECT_GT(n_staged_, 0);
    EXPECT_GT(n_collected_, 0);
}

TEST_P(KernelsOn, ShortInnerExtents) {
    for (int i = 0; i < tfmt_test::scaled(300); i++) {
        tfmt_test::random_source random(uint64_t(i) * 6151 + 3);
        ASSERT_TRUE(is_right(short_inner_case(random), uint64_t(i)));
    }
    EXPECT_GT(n_packed_, 0);
    EXPECT_GT(n_staged_, 0);
}

TEST_P(KernelsOn, FewChannels) {
    // A packed run with one bit of the channels, the other of which says what is padding.
    const tfmt_test::dims dims {64, 3, 7, 7};
    ASSERT_TRUE(
            is_right({tfmt_s8, {tfmt_test::make_with_tag(dims, tfmt_s8, "adbc"), "adbc"},
                             {tfmt_test::make_with_tag(dims, tfmt_s8, "AcdB4b8a4b"), "AcdB4b8a4b"}},
                    1));
    for (int i = 0; i < tfmt_test::scaled(600); i++) {
        tfmt_test::random_source random(uint64_t(i) * 3571 + 5);
        ASSERT_TRUE(is_right(few_channels_case(random), uint64_t(i)));
    }
    EXPECT_GT(n_packed_, 0);
    EXPECT_GT(n_staged_, 0);
}

// Blocks of the source end runs of the destination that chains of drains had begun, and leave
// chains of a single drain of a few bytes.
TEST_P(KernelsOn, TailsOfChains) {
    const bool with_code = host_can_execute();
    uint64_t seed = 3; // of those that have no caches: with and without alignment in turn
    for (tfmt_data_type_t type : {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64})
        for (int64_t tail : {1, 3, 8, 15, 31, 33, 63, 200, 448}) { // also of some links and a rest
            const tfmt_test::dims dims {512 + tail, 70};
            const auto src = tfmt_test::make_with_tag(dims, type, "AB512a64b");
            const auto dst = tfmt_test::make_with_tag(dims, type, "ba");
            trial e(*src, *dst, seed += 4);
            tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
            const std::string wrong = check(
                    make_problem(*src, *dst), plan_mode::move, e, with_code);
            ASSERT_EQ(wrong, "") << tfmt_test::dims_text(dims) << ", type " << int(type);
        }
    EXPECT_GT(n_chained_, 0);
}

// Blocks of few rows that are read far, with tails on both sides.
TEST_P(KernelsOn, LongRowsInPages) {
    for (const tfmt_data_type_t type : {tfmt_f32, tfmt_f64})
        for (const tfmt_test::dims &dims : {tfmt_test::dims {1103, 300}, {1056, 257}, {1090, 517}})
            for (const uint64_t seed : {11, 27}) // few rows are treated well
                ASSERT_EQ(check_transpose(dims, type, 1109, seed), "")
                        << tfmt_test::dims_text(dims) << ", type " << int(type);
    EXPECT_GT(n_staged_in_long_rows_, 0);
}

// Transposes between rows that fall into one set of L1 on both sides: lines, and parts of lines at
// the end of runs that are whole ones long or shorter, and blocks that end in tails.
TEST_P(KernelsOn, RowsThatCollide) {
    const int n_cases = std::max(24, tfmt_test::scaled(60)); // fewer may have none to collect
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 4093 + 7);
        const tfmt_data_type_t type = types[random.below(4)];
        const int64_t row_elems = 4096 / int64_t(tfmt_data_type_size(type));
        const tfmt_test::dims dims {random.between(40, 500), random.between(40, 300)};
        ASSERT_EQ(check_transpose(dims, type, row_elems, uint64_t(i)), "")
                << "case " << i << ": " << tfmt_test::dims_text(dims);
    }
    EXPECT_GT(n_collected_, 0);
}

// The same of whole blocks, which go through a scratch of whole vectors: in the caches and past
// them, of rows of 5 and of 20 vectors as well, which are not read from there at once.
TEST_P(KernelsOn, WholeBlocksBetweenRowsThatCollide) {
    const tfmt_test::dims shapes[] = {{256, 128}, {64, 512}, {128, 64}, {192, 192}, {320, 128},
            {64, 320}, {1280, 64}, {512, 1024}};
    uint64_t n = 0;
    for (const tfmt_data_type_t type : {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64})
        for (const tfmt_test::dims &dims : shapes)
            for (uint64_t seed = 0; seed < 8; seed++) { // all kinds of caches
                if (!tfmt_test::is_sampled(n++, 3)) continue;
                int64_t row_elems = 4096 / int64_t(tfmt_data_type_size(type));
                while (row_elems < std::max(dims[0], dims[1]))
                    row_elems *= 2;
                ASSERT_EQ(check_transpose(dims, type, row_elems, seed), "")
                        << tfmt_test::dims_text(dims) << ", type " << int(type);
            }
    if (GetParam().vector_bytes == 16) return; // of one lane
    EXPECT_GT(n_collected_in_lanes_, 0);
    EXPECT_GT(n_staged_in_lanes_, 0);
}

// Rows of two vectors of two lanes, behind which tiles go on.
TEST_P(KernelsOn, ShortRowsBetweenRowsThatCollide) {
    const tfmt_test::dims dims {8, 32, 32, 64};
    const std::string text = tfmt_test::dims_text(dims) + " tag ";
    ASSERT_TRUE(is_right({tfmt_s8, {tfmt_test::make_with_tag(dims, tfmt_s8, "bcda"), text + "bcda"},
                                 {tfmt_test::make_with_tag(dims, tfmt_s8, "acdb"), text + "acdb"}},
            0));
    EXPECT_EQ(n_collected_in_lanes_, GetParam().vector_bytes == 32);
}

// Rows of both sides in pages of their own, more of them than are treated well.
TEST_P(KernelsOn, RowsInManyPages) {
    const int n_cases = tfmt_test::scaled(40);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 4093 + 11);
        const tfmt_data_type_t type = types[random.below(4)];
        const int64_t row_elems = 4160 / int64_t(tfmt_data_type_size(type));
        const tfmt_test::dims dims {random.between(40, 500), random.between(100, 500)};
        // Aligned, on a machine that wants few rows.
        ASSERT_EQ(check_transpose(dims, type, row_elems, uint64_t(i) * 16 + 11), "")
                << "case " << i << ": " << tfmt_test::dims_text(dims);
    }
    EXPECT_GT(n_streamed_, 0);
}

TEST_P(KernelsOn, RandomPadding) {
    const bool with_code = host_can_execute();
    const int n_cases = tfmt_test::scaled(700);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 104729 + 5);
        const test_case c = random_case(random, 5000);
        const memory_desc &md = *c.dst.md;
        trial e(md, md, uint64_t(i));
        tfmt_test::oracle_zero_pad(tfmt_test::read_layout(&md), e.expected());
        const std::string wrong = check(
                make_padding_problem(md), plan_mode::padding_only, e, with_code);
        ASSERT_EQ(wrong, "") << "case " << i << ": " << c.dst.recipe;
    }
    if (!with_code)
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

INSTANTIATE_TEST_SUITE_P(Machines, KernelsOn, testing::ValuesIn(machines), test_name_of);

TEST(PortablePath, RandomReorders) {
    const int n_cases = tfmt_test::scaled(2000);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 7919 + 1);
        const test_case c = random_case(random, 3000);
        trial e(*c.src.md, *c.dst.md, uint64_t(i));
        tfmt_test::oracle_reorder(c.src.md.get(), e.src(), c.dst.md.get(), e.expected());
        const ref::portable code(make_problem(*c.src.md, *c.dst.md), plan_mode::move);
        ASSERT_EQ(e.differs([&](const void *s, void *d) {
            code.run({s, d}, {1 + i % 3});
        }),
                "")
                << "case " << i << ": " << c.text();
    }
}

TEST(PortablePath, RandomPadding) {
    const int n_cases = tfmt_test::scaled(1000);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 104729 + 5);
        const test_case c = random_case(random, 3000);
        const memory_desc &md = *c.dst.md;
        const tfmt_test::layout layout = tfmt_test::read_layout(&md);
        trial e(md, md, uint64_t(i));
        EXPECT_EQ(ref::is_padding_zero(md, e.expected()), !has_padding(md)) << c.dst.recipe;
        tfmt_test::oracle_zero_pad(layout, e.expected());
        EXPECT_TRUE(ref::is_padding_zero(md, e.expected())) << c.dst.recipe;
        const ref::portable code(make_padding_problem(md), plan_mode::padding_only);
        ASSERT_EQ(e.differs([&](const void *, void *d) {
            code.run({nullptr, d}, {1});
        }),
                "")
                << "case " << i << ": " << c.dst.recipe;
    }
}

} // namespace
