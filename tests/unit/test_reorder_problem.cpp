// SPDX-License-Identifier: Apache-2.0
// Two descriptors -> levels: tables for each kind of pair, every index of random pairs, refusals.
#include "common/reorder_problem.hpp"

#include <algorithm>

#include "common/status.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::make_problem;

// "1: 16 x 1, 20 -> 1" for each level: its dimension, then as text_of() has it.
lines levels_of(const reorder_problem &p) {
    lines text;
    for (const level &l : p.levels)
        text.push_back(std::to_string(l.dim) + ": " + text_of(l));
    return text;
}

vec limits_of(const reorder_problem &p) {
    vec limits;
    for (const tfmt::dim_limits &l : p.limits) {
        limits.push_back(l.load);
        limits.push_back(l.store);
    }
    return limits;
}

memory_desc by_blocks(const vec &dims, const vec &strides, const vec &blks, const vec &idxs) {
    return tfmt::make_with_blocking(int(dims.size()), dims.data(), tfmt_f32, strides.data(),
            int(blks.size()), blks.data(), idxs.data());
}

struct row {
    vec dims;
    const char *src;
    const char *dst;
    vec limits; // load and store of each dimension
    lines levels;
};

void check(const row &r) {
    SCOPED_TRACE(std::string(r.src) + " -> " + r.dst);
    const reorder_problem p = make_problem(by_tag(r.dims, r.src), by_tag(r.dims, r.dst));
    EXPECT_EQ(limits_of(p), r.limits);
    EXPECT_EQ(levels_of(p), r.levels);
    EXPECT_EQ(p.src_offset, 0);
    EXPECT_EQ(p.dst_offset, 0);
}

TEST(ReorderProblem, PlainPairs) {
    const row rows[] = {
            {{2, 3, 4, 5}, "abcd", "abcd", {2, 2, 3, 3, 4, 4, 5, 5},
                    {"0: 2 x 1, 60 -> 60", "1: 3 x 1, 20 -> 20", "2: 4 x 1, 5 -> 5",
                            "3: 5 x 1, 1 -> 1"}},
            {{2, 3, 4, 5}, "nchw", "nhwc", {2, 2, 3, 3, 4, 4, 5, 5},
                    {"0: 2 x 1, 60 -> 60", "1: 3 x 1, 20 -> 1", "2: 4 x 1, 5 -> 15",
                            "3: 5 x 1, 1 -> 3"}},
            {{2, 3, 4, 5}, "nhwc", "chwn", {2, 2, 3, 3, 4, 4, 5, 5},
                    {"0: 2 x 1, 60 -> 1", "1: 3 x 1, 1 -> 40", "2: 4 x 1, 15 -> 10",
                            "3: 5 x 1, 3 -> 2"}},
            // Dimensions of one element need no level.
            {{1, 3, 1}, "abc", "cba", {1, 1, 3, 3, 1, 1}, {"1: 3 x 1, 1 -> 1"}},
    };
    for (const row &r : rows)
        check(r);
}

TEST(ReorderProblem, EmptyTensors) {
    const reorder_problem p = make_problem(by_tag({0}, "a"), by_tag({0}, "A16a"));
    EXPECT_EQ(limits_of(p), (vec {0, 0}));
    EXPECT_EQ(levels_of(p), lines {});
    // Nothing is said about strides here, so nothing is computed from them.
    const vec far {0, INT64_MAX};
    const reorder_problem q = make_problem(
            by_blocks({0, 1000}, far, {48}, {1}), by_blocks({0, 1000}, far, {32}, {1}));
    EXPECT_EQ(limits_of(q), (vec {0, 0, 1000, 1024}));
    EXPECT_EQ(levels_of(q), lines {});
}

TEST(ReorderProblem, OneBlock) {
    const row rows[] = {
            {{2, 40, 5, 4}, "abcd", "aBcd16b", {2, 2, 40, 48, 5, 5, 4, 4},
                    {"0: 2 x 1, 800 -> 960", "1: 16 x 1, 20 -> 1", "1: 3 x 16, 320 -> 320",
                            "2: 5 x 1, 4 -> 64", "3: 4 x 1, 1 -> 16"}},
            // The source's padding is not read, and a plain destination has none.
            {{2, 40, 5, 4}, "aBcd16b", "abcd", {2, 2, 40, 40, 5, 5, 4, 4},
                    {"0: 2 x 1, 960 -> 800", "1: 16 x 1, 1 -> 20", "1: 3 x 16, 320 -> 320",
                            "2: 5 x 1, 64 -> 4", "3: 4 x 1, 16 -> 1"}},
            // 8 divides 16: a level of 8, a level of the 2 blocks in a block, and the outer one.
            {{2, 40, 3}, "aBc8b", "aBc16b", {2, 2, 40, 48, 3, 3},
                    {"0: 2 x 1, 120 -> 144", "1: 8 x 1, 1 -> 1", "1: 2 x 8, 24 -> 8",
                            "1: 3 x 16, 48 -> 48", "2: 3 x 1, 8 -> 16"}},
            {{2, 40, 3}, "aBc16b", "aBc8b", {2, 2, 40, 40, 3, 3},
                    {"0: 2 x 1, 144 -> 120", "1: 8 x 1, 1 -> 1", "1: 2 x 8, 8 -> 24",
                            "1: 3 x 16, 48 -> 48", "2: 3 x 1, 16 -> 8"}},
            // Fewer elements than a block.
            {{2, 3, 5}, "abc", "aBc16b", {2, 2, 3, 16, 5, 5},
                    {"0: 2 x 1, 15 -> 80", "1: 16 x 1, 5 -> 1", "2: 5 x 1, 1 -> 16"}},
            {{2, 5, 3}, "aBc16b", "abc", {2, 2, 5, 5, 3, 3},
                    {"0: 2 x 1, 48 -> 15", "1: 5 x 1, 1 -> 3", "2: 3 x 1, 16 -> 1"}},
            {{1, 1, 5}, "abc", "aBc4b", {1, 1, 1, 4, 5, 5},
                    {"1: 4 x 1, 5 -> 1", "2: 5 x 1, 1 -> 4"}},
    };
    for (const row &r : rows)
        check(r);
}

TEST(ReorderProblem, SeveralBlocks) {
    const row rows[] = {
            {{32, 20, 3, 3}, "oihw", "OIhw16i16o", {32, 32, 20, 32, 3, 3, 3, 3},
                    {"0: 16 x 1, 180 -> 1", "0: 2 x 16, 2880 -> 4608", "1: 16 x 1, 9 -> 16",
                            "1: 2 x 16, 144 -> 2304", "2: 3 x 1, 3 -> 768", "3: 3 x 1, 1 -> 256"}},
            // VNNI: b is split twice by the destination.
            {{16, 32}, "ab", "AB8b16a2b", {16, 16, 32, 32},
                    {"0: 16 x 1, 32 -> 2", "1: 2 x 1, 1 -> 1", "1: 16 x 2, 2 -> 32"}},
            {{16, 32}, "AB8b16a2b", "AB16a16b", {16, 16, 32, 32},
                    {"0: 16 x 1, 2 -> 16", "1: 2 x 1, 1 -> 1", "1: 8 x 2, 32 -> 2",
                            "1: 2 x 16, 256 -> 256"}},
            {{16, 30}, "AB4b16a4b", "AB8b16a2b", {16, 16, 30, 32},
                    {"0: 16 x 1, 4 -> 2", "1: 2 x 1, 1 -> 1", "1: 2 x 2, 2 -> 32",
                            "1: 8 x 4, 64 -> 64"}},
            // Blocks one behind the other on both sides are no blocks, but a row of 7 or 9.
            {{2, 7}, "ab", "aB3b", {2, 2, 7, 9}, {"0: 2 x 1, 7 -> 9", "1: 9 x 1, 1 -> 1"}},
            {{2, 7}, "aB3b", "ab", {2, 2, 7, 7}, {"0: 2 x 1, 9 -> 7", "1: 7 x 1, 1 -> 1"}},
    };
    for (const row &r : rows)
        check(r);
}

TEST(ReorderProblem, BlocksThatDoNotNest) {
    const row rows[] = {
            // 48 and 32 share 16; of 6 chunks of 16 the source has 3 a block, the destination 2.
            {{192, 2}, "Ab48a", "Ab32a", {192, 192, 2, 2},
                    {"0: 16 x 1, 1 -> 1", "0: 6 x 16, (3:16 *:96) -> (2:16 *:64)",
                            "0: 2 x 96, 192 -> 192", "1: 2 x 1, 48 -> 32"}},
            {{100, 2}, "Ab48a", "Ab32a", {100, 128, 2, 2},
                    {"0: 16 x 1, 1 -> 1", "0: 6 x 16, (3:16 *:96) -> (2:16 *:64)",
                            "0: 2 x 96, 192 -> 192", "1: 2 x 1, 48 -> 32"}},
            // No longer than the common period: nothing on top.
            {{80, 2}, "Ab32a", "Ab48a", {80, 96, 2, 2},
                    {"0: 16 x 1, 1 -> 1", "0: 6 x 16, (2:16 *:64) -> (3:16 *:96)",
                            "1: 2 x 1, 32 -> 48"}},
            {{48, 2}, "Ab24a", "Ab16a", {48, 48, 2, 2},
                    {"0: 8 x 1, 1 -> 1", "0: 6 x 8, (3:8 *:48) -> (2:8 *:32)",
                            "1: 2 x 1, 24 -> 16"}},
            {{90, 2}, "Ab16a", "Ab24a", {90, 96, 2, 2},
                    {"0: 8 x 1, 1 -> 1", "0: 6 x 8, (2:8 *:32) -> (3:8 *:48)",
                            "0: 2 x 48, 96 -> 96", "1: 2 x 1, 16 -> 24"}},
            // Nothing in common.
            {{40, 2}, "Ab7a", "Ab3a", {40, 42, 2, 2},
                    {"0: 21 x 1, (7:1 *:14) -> (3:1 *:6)", "0: 2 x 21, 42 -> 42",
                            "1: 2 x 1, 7 -> 3"}},
            {{20, 2}, "Ab3a", "Ab7a", {20, 21, 2, 2},
                    {"0: 21 x 1, (3:1 *:6) -> (7:1 *:14)", "1: 2 x 1, 3 -> 7"}},
    };
    for (const row &r : rows)
        check(r);
}

TEST(ReorderProblem, BlocksBehindOneAnotherNest) {
    const row rows[] = {
            // On both sides, on one of them.
            {{192}, "A48a", "A32a", {192, 192}, {"0: 192 x 1, 1 -> 1"}},
            {{192, 2}, "bA48a", "bA32a", {192, 192, 2, 2},
                    {"0: 192 x 1, 1 -> 1", "1: 2 x 1, 192 -> 192"}},
            {{192, 2}, "bA48a", "Ab32a", {192, 192, 2, 2},
                    {"0: 32 x 1, 1 -> 1", "0: 6 x 32, 32 -> 64", "1: 2 x 1, 192 -> 32"}},
            {{192, 2}, "Ab48a", "bA32a", {192, 192, 2, 2},
                    {"0: 48 x 1, 1 -> 1", "0: 4 x 48, 96 -> 48", "1: 2 x 1, 48 -> 192"}},
            // A single block has no end: of what is read, of what is written.
            {{40, 2}, "Ab48a", "Ab32a", {40, 64, 2, 2},
                    {"0: 32 x 1, 1 -> 1", "0: 2 x 32, 32 -> 64", "1: 2 x 1, 48 -> 32"}},
            {{40, 2}, "Ab32a", "Ab48a", {40, 48, 2, 2},
                    {"0: 32 x 1, 1 -> 1", "0: 2 x 32, 64 -> 32", "1: 2 x 1, 32 -> 48"}},
            // But not of what is written where odd blocks would be left.
            {{60, 2}, "Ab48a", "Ab64a", {60, 64, 2, 2},
                    {"0: 16 x 1, 1 -> 1", "0: 4 x 16, (3:16 *:96) -> (4:16 *:128)",
                            "1: 2 x 1, 48 -> 64"}},
            // Of the inner blocks.
            {{96, 2}, "Ab3a16a", "Ab24a", {96, 96, 2, 2},
                    {"0: 24 x 1, 1 -> 1", "0: 2 x 24, 24 -> 48", "0: 2 x 48, 96 -> 96",
                            "1: 2 x 1, 48 -> 24"}},
    };
    for (const row &r : rows)
        check(r);
}

TEST(ReorderProblem, BlocksOfOneVanish) {
    const vec dims {6, 5}, blocks {1, 3, 1}, of {1, 0, 0};
    const memory_desc src = by_tag(dims, "ab");
    const memory_desc dst = tfmt::make_with_blocking(
            2, dims.data(), tfmt_f32, nullptr, 3, blocks.data(), of.data());
    EXPECT_EQ(levels_of(make_problem(src, dst)),
            (lines {"0: 3 x 1, 5 -> 1", "0: 2 x 3, 15 -> 15", "1: 5 x 1, 1 -> 3"}));
}

TEST(ReorderProblem, OffsetsOfSubMemories) {
    const memory_desc parent = by_tag({2, 48, 5}, "aBc16b");
    const vec dims {1, 16, 5}, offsets {1, 32, 0};
    const memory_desc sub = tfmt::make_submemory(parent, dims.data(), offsets.data());
    const reorder_problem p = make_problem(sub, by_tag(dims, "abc"));
    EXPECT_EQ(p.src_offset, 240 + 2 * 80);
    EXPECT_EQ(p.dst_offset, 0);
    EXPECT_EQ(make_problem(by_tag(dims, "abc"), sub).dst_offset, 400);
    EXPECT_EQ(levels_of(p), (lines {"1: 16 x 1, 1 -> 5", "2: 5 x 1, 16 -> 1"}));
}

TEST(ReorderProblem, BroadcastSource) {
    const reorder_problem p = make_problem(by_strides({3, 5}, {0, 1}), by_tag({3, 5}, "ab"));
    EXPECT_EQ(levels_of(p), (lines {"0: 3 x 1, 0 -> 5", "1: 5 x 1, 1 -> 1"}));
}

// They may be any number, which must not overflow.
TEST(ReorderProblem, FarStridesOfSingleBlocks) {
    for (const dim_t any : {dim_t(99), INT64_MAX, dim_t(TFMT_RUNTIME_DIM_VAL)}) {
        const reorder_problem padded = make_problem(
                by_strides({1, 5}, {any, 1}), by_blocks({1, 5}, {any, 4}, {4}, {0}));
        EXPECT_EQ(levels_of(padded), (lines {"0: 4 x 1, 0 -> 1", "1: 5 x 1, 1 -> 4"})) << any;
        const reorder_problem wider = make_problem(
                by_blocks({3, 2}, {any, 4}, {4}, {0}), by_blocks({3, 2}, {any, 8}, {8}, {0}));
        EXPECT_EQ(levels_of(wider),
                (lines {"0: 4 x 1, 1 -> 1", "0: 2 x 4, 0 -> 4", "1: 2 x 1, 4 -> 8"}))
                << any;
        const reorder_problem odd = make_problem(
                by_blocks({3, 2}, {any, 3}, {3}, {0}), by_blocks({3, 2}, {any, 4}, {4}, {0}));
        EXPECT_EQ(levels_of(odd), (lines {"0: 4 x 1, 1 -> 1", "1: 2 x 1, 3 -> 4"})) << any;
    }
}

TEST(ReorderProblem, TypesAndBits) {
    const reorder_problem p = make_problem(by_tag({4}, "a", tfmt_f64), by_tag({4}, "a", tfmt_s4));
    EXPECT_EQ(p.src_type, tfmt_f64);
    EXPECT_EQ(p.dst_type, tfmt_s4);
    EXPECT_EQ(p.src_elem_bits, 64);
    EXPECT_EQ(p.dst_elem_bits, 4);
}

TEST(ReorderProblem, PaddingOfOneTensor) {
    const reorder_problem p = tfmt::make_padding_problem(by_tag({2, 5}, "aB4b"));
    EXPECT_EQ(limits_of(p), (vec {2, 2, 5, 8}));
    EXPECT_EQ(levels_of(p), (lines {"0: 2 x 1, 8 -> 8", "1: 8 x 1, 1 -> 1"}));
}

TEST(ReorderProblem, DigitsOffset) {
    const std::vector<tfmt::digit> digits {{3, 16}, {2, 100}, {0, 1000}};
    const vec wanted {0, 16, 32, 100, 116, 132, 1000, 1016, 1032, 1100, 1116, 1132, 2000};
    for (size_t i = 0; i < wanted.size(); i++)
        EXPECT_EQ(tfmt::digits_offset(digits, dim_t(i)), wanted[i]) << i;
}

// The levels of a dimension count its indices without a gap: each one's unit is what the ones
// below cover, and together they reach what is to be written.
void expect_levels_tile(const reorder_problem &p) {
    for (size_t d = 0; d < p.limits.size(); d++) {
        dim_t unit = 1;
        for (const level &l : p.levels) {
            if (l.dim != int(d)) continue;
            EXPECT_EQ(l.unit, unit);
            EXPECT_GT(l.extent, 1);
            EXPECT_LE((l.extent - 1) * l.unit, p.limits[d].store - 1); // no step beyond the end
            unit *= l.extent;
        }
        EXPECT_GE(unit, p.limits[d].store);
        EXPECT_LE(p.limits[d].load, p.limits[d].store);
    }
}

// Every index that is read (written) has the offset that the definition of the layout gives it.
void expect_offsets(const reorder_problem &p, const memory_desc &md, bool is_src) {
    desc_test::for_each_index(
            is_src ? desc_test::dims_of(md) : desc_test::padded_dims_of(md), [&](const vec &index) {
                dim_t offset = is_src ? p.src_offset : p.dst_offset;
                for (int d = 0; d < md.ndims; d++)
                    offset += offset_by_levels(
                            p.levels, d, index[size_t(d)], [&](const level &l, dim_t step) {
                                return is_src ? tfmt::src_offset_of(l, step)
                                              : tfmt::dst_offset_of(l, step);
                            });
                ASSERT_EQ(offset, tfmt::offset_of(md, index.data()));
            });
}

memory_desc spread(desc_test::random_descs &random, const vec &dims) {
    const memory_desc dense = by_tag(dims, random.tag(int(dims.size())));
    vec strides = desc_test::strides_of(dense);
    const dim_t factor = 1 + random.below(3);
    for (dim_t &stride : strides)
        stride *= factor;
    return tfmt::make_with_blocking(dense.ndims, dense.dims, dense.data_type, strides.data(),
            dense.inner_nblks, dense.inner_blks, dense.inner_idxs);
}

TEST(ReorderProblem, EveryIndexOfRandomPairs) {
    int n_irregular = 0, n_with_padding = 0;
    for (unsigned seed = 0; seed < 2000; seed++) {
        desc_test::random_descs random(seed);
        vec dims = random.dims(int(1 + random.below(4)));
        if (seed % 3 == 0) dims[0] = 20 + random.below(60); // longer than common periods
        const memory_desc src = spread(random, dims), dst = spread(random, dims);
        const reorder_problem p = make_problem(src, dst);
        expect_levels_tile(p);
        expect_offsets(p, src, true);
        expect_offsets(p, dst, false);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << to_text(p);
        n_with_padding += tfmt::has_padding(dst);
        n_irregular += std::any_of(
                p.levels.begin(), p.levels.end(), [](const level &l) { return !l.is_regular(); });
    }
    EXPECT_GT(n_irregular, 100);
    EXPECT_GT(n_with_padding, 100);
}

// make_problem must throw `status` and say every one of `words`.
void expect_refused(
        const memory_desc &src, const memory_desc &dst, tfmt_status_t status, const lines &words) {
    try {
        make_problem(src, dst);
        ADD_FAILURE() << "not refused: " << words[0];
    } catch (const tfmt::failure &f) {
        EXPECT_EQ(f.status(), status) << f.what();
        for (const std::string &word : words)
            EXPECT_NE(std::string(f.what()).find(word), std::string::npos)
                    << f.what() << " lacks " << word;
    }
}

TEST(ReorderProblem, Refusals) {
    const memory_desc md = by_tag({2, 3}, "ab");
    expect_refused(md, by_tag({3, 2}, "ab"), tfmt_invalid_arguments, {"dims", "2x3", "3x2"});
    expect_refused(by_tag({2, 3, 1}, "abc"), md, tfmt_invalid_arguments, {"2x3x1", "2x3"});

    expect_refused(md, by_strides({2, 3}, {0, 1}), tfmt_invalid_arguments,
            {"dst", "stride 0", "dimension 0"});
    expect_refused(md, by_strides({2, 3}, {1, 0}), tfmt_invalid_arguments,
            {"dst", "stride 0", "dimension 1"});
    // One element is written once whatever its stride is.
    EXPECT_NO_THROW(make_problem(by_tag({1, 3}, "ab"), by_strides({1, 3}, {0, 1})));
    // So are the ten of one block, but not those of two.
    EXPECT_NO_THROW(make_problem(by_tag({4, 10}, "ab"), by_blocks({4, 10}, {16, 0}, {16}, {1})));
    expect_refused(by_tag({4, 17}, "ab"), by_blocks({4, 17}, {16, 0}, {16}, {1}),
            tfmt_invalid_arguments, {"dst", "stride 0", "dimension 1"});

    const dim_t dims[] = {2, 3};
    const memory_desc any = tfmt::make_with_tag(2, dims, tfmt_f32, tfmt_format_tag_any);
    expect_refused(any, md, tfmt_invalid_arguments, {"src", "no layout", "any"});
    expect_refused(md, any, tfmt_invalid_arguments, {"dst", "no layout", "any"});

    const memory_desc runtime = by_tag({TFMT_RUNTIME_DIM_VAL, 3}, "ab");
    expect_refused(runtime, md, tfmt_unimplemented, {"src", "runtime"});
    expect_refused(md, runtime, tfmt_unimplemented, {"dst", "runtime"});
}

TEST(ReorderProblem, Text) {
    EXPECT_EQ(to_text(make_problem(by_tag({5, 2}, "Ab3a"), by_tag({5, 2}, "Ab2a", tfmt_u8))),
            "problem f32 -> u8, a stride counts 32 / 8 bits\n"
            "  dim 0: load 5, store 6\n"
            "    extent 6 unit 1 src_stride (3:1 *:6) dst_stride (2:1 *:4)\n"
            "  dim 1: load 2, store 2\n"
            "    extent 2 unit 1 src_stride 3 dst_stride 2\n");
}

} // namespace
