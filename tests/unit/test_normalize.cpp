// SPDX-License-Identifier: Apache-2.0
// Problem -> smallest loop nest, as a table; and a check that random problems keep their meaning.
#include "common/normalize.hpp"

#include <map>

#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;

// "16 x 1, 80 -> 4" for each level, and " of 40/48" where its dimension is read to 40 and written
// to 48 instead of being full steps only.
lines axes_of(const move_problem &p) {
    lines text;
    for (const level &l : p.levels) {
        const tfmt::dim_limits &limits = p.limits[size_t(l.dim)];
        text.push_back(text_of(l));
        if (limits.load != l.extent || limits.store != l.extent)
            text.back() += " of " + std::to_string(limits.load) + "/"
                    + std::to_string(limits.store);
    }
    return text;
}

struct row {
    tfmt_data_type_t type;
    vec dims;
    const char *src;
    const char *dst;
    int elem_bytes;
    lines axes;
};

void check(const std::vector<row> &rows) {
    for (const row &r : rows) {
        const move_problem p = normalized(r.dims, r.src, r.dst, r.type);
        EXPECT_EQ(p.elem_bytes, r.elem_bytes) << r.src << " -> " << r.dst;
        EXPECT_EQ(axes_of(p), r.axes) << r.src << " -> " << r.dst;
    }
}

TEST(Normalize, FusesNeighbours) {
    check({
            // h and w are one run on both sides, n and c are not.
            {tfmt_f32, {2, 3, 4, 5}, "nchw", "nhwc", 4,
                    {"2 x 1, 240 -> 240", "3 x 1, 80 -> 4", "20 x 1, 4 -> 12"}},
            {tfmt_u8, {2, 3, 4, 5}, "nhwc", "nchw", 1,
                    {"2 x 1, 60 -> 60", "3 x 1, 1 -> 20", "20 x 1, 3 -> 1"}},
            // Nothing is one run: reversed.
            {tfmt_f64, {3, 5, 7}, "abc", "cba", 8,
                    {"3 x 1, 280 -> 8", "5 x 1, 56 -> 24", "7 x 1, 8 -> 120"}},
            // The outer blocks of c and the images.
            {tfmt_f32, {2, 48, 5, 4}, "abcd", "aBcd16b", 4,
                    {"16 x 1, 80 -> 4", "6 x 1, 1280 -> 1280", "20 x 1, 4 -> 64"}},
            // All of it, in whatever order it lies.
            {tfmt_f64, {3, 5, 7}, "bca", "bca", 8, {"105 x 1, 8 -> 8"}},
    });
}

TEST(Normalize, WidensElements) {
    check({
            {tfmt_f32, {2, 3, 4, 5}, "abcd", "abcd", 16, {"30 x 1, 16 -> 16"}},
            {tfmt_bf16, {2, 3}, "ab", "ab", 4, {"3 x 1, 4 -> 4"}},
            {tfmt_u8, {3, 5, 7}, "abc", "abc", 1, {"105 x 1, 1 -> 1"}},
            {tfmt_u8, {16}, "a", "a", 16, {}},
            {tfmt_u8, {64}, "a", "a", 16, {"4 x 1, 16 -> 16"}},
            // Rows of 6 that stay together while their order changes.
            {tfmt_bf16, {3, 5, 6}, "abc", "bac", 4,
                    {"3 x 1, 60 -> 12", "5 x 1, 12 -> 36", "3 x 1, 4 -> 4"}},
            // VNNI pairs that stay pairs move as 4 bytes, fours of bytes as well.
            {tfmt_bf16, {16, 32}, "AB8b16a2b", "AB16a16b", 4,
                    {"16 x 1, 4 -> 32", "8 x 1, 64 -> 4", "2 x 1, 512 -> 512"}},
            {tfmt_bf16, {16, 32}, "ab", "AB8b16a2b", 4, {"16 x 1, 64 -> 4", "16 x 1, 4 -> 64"}},
            {tfmt_s8, {16, 32}, "AB4b16a4b", "AB16a16b", 4,
                    {"16 x 1, 4 -> 16", "4 x 1, 64 -> 4", "2 x 1, 256 -> 256"}},
            {tfmt_s8, {16, 32}, "AB4b16a4b", "AB8b16a2b", 2,
                    {"16 x 1, 4 -> 2", "2 x 1, 2 -> 32", "8 x 1, 64 -> 64"}},
            // Pairs that are neighbours on one side only stay apart.
            {tfmt_bf16, {16, 32}, "ba", "AB8b16a2b", 2,
                    {"16 x 1, 2 -> 4", "2 x 1, 32 -> 2", "16 x 1, 64 -> 64"}},
    });
}

TEST(Normalize, TailsStay) {
    check({
            {tfmt_f32, {2, 40, 5, 4}, "abcd", "aBcd16b", 4,
                    {"2 x 1, 3200 -> 3840", "16 x 1, 80 -> 4 of 40/48",
                            "3 x 16, 1280 -> 1280 of 40/48", "20 x 1, 4 -> 64"}},
            // An even tail is no obstacle to pairs, an odd one is.
            {tfmt_bf16, {16, 30}, "AB8b16a2b", "AB16a16b", 4,
                    {"16 x 1, 4 -> 32", "8 x 1, 64 -> 4 of 15/16", "2 x 8, 512 -> 512 of 15/16"}},
            {tfmt_bf16, {16, 29}, "AB8b16a2b", "AB16a16b", 2,
                    {"16 x 1, 4 -> 32", "2 x 1, 2 -> 2 of 29/32", "8 x 2, 64 -> 4 of 29/32",
                            "2 x 16, 512 -> 512 of 29/32"}},
            // The same layout on both sides keeps its tail too: the padding is written, not read.
            {tfmt_f32, {3, 10}, "aB8b", "aB8b", 8, {"3 x 1, 64 -> 64", "8 x 1, 8 -> 8 of 5/8"}},
            // A source's tail is not read at all: the destination's dimension is exact, but no
            // multiple of the block, so the levels stay in it.
            {tfmt_f32, {2, 40, 5}, "aBc16b", "abc", 4,
                    {"2 x 1, 960 -> 800", "16 x 1, 4 -> 20 of 40/40", "3 x 16, 320 -> 320 of 40/40",
                            "5 x 1, 64 -> 4"}},
    });
}

TEST(Normalize, BlocksThatDoNotNest) {
    check({
            {tfmt_f32, {192, 2}, "Ab48a", "Ab32a", 16,
                    {"4 x 1, 16 -> 16", "6 x 1, (3:64 *:384) -> (2:64 *:256)", "2 x 1, 768 -> 768",
                            "2 x 1, 192 -> 128"}},
            {tfmt_f32, {100, 2}, "Ab48a", "Ab32a", 16,
                    {"4 x 1, 16 -> 16 of 25/32", "6 x 4, (3:64 *:384) -> (2:64 *:256) of 25/32",
                            "2 x 24, 768 -> 768 of 25/32", "2 x 1, 192 -> 128"}},
    });
}

TEST(Normalize, StridedAndBroadcast) {
    struct {
        memory_desc src, dst;
        int elem_bytes;
        lines axes;
    } rows[] = {
            // Gaps between rows keep the rows apart, inside them elements are widened.
            {by_strides({4, 8}, {10, 1}), by_tag({4, 8}, "ab"), 16,
                    {"4 x 1, 40 -> 32", "2 x 1, 16 -> 16"}},
            {by_tag({4, 8}, "ab"), by_strides({4, 8}, {9, 1}), 16,
                    {"4 x 1, 32 -> 36", "2 x 1, 16 -> 16"}},
            // Every second element: no two neighbours.
            {by_strides({8}, {2}), by_tag({8}, "a"), 4, {"8 x 1, 8 -> 4"}},
            // One row for all, one element for all.
            {by_strides({8, 6}, {0, 1}), by_tag({8, 6}, "ab"), 8,
                    {"8 x 1, 0 -> 24", "3 x 1, 8 -> 8"}},
            {by_strides({8, 6}, {0, 0}), by_tag({8, 6}, "ab"), 4, {"48 x 1, 0 -> 4"}},
            {by_strides({8, 6}, {1, 0}), by_tag({8, 6}, "ab"), 4,
                    {"8 x 1, 4 -> 24", "6 x 1, 0 -> 4"}},
    };
    for (const auto &r : rows) {
        const move_problem p = normalized(r.src, r.dst);
        EXPECT_EQ(p.elem_bytes, r.elem_bytes) << r.axes[0];
        EXPECT_EQ(axes_of(p), r.axes);
    }
}

// Whether all from a source's first byte to its last is its own, padding included.
TEST(Normalize, GapsOfTheSource) {
    const auto has_gaps = [](const memory_desc &src) {
        const vec dims(src.dims, src.dims + src.ndims);
        memory_desc dst = by_strides(dims, {64, 1}, src.data_type);
        return normalized(src, dst).src_has_gaps;
    };
    EXPECT_FALSE(has_gaps(by_tag({4, 9}, "ba")));
    EXPECT_FALSE(has_gaps(by_tag({4, 9}, "aB8b")));
    EXPECT_FALSE(has_gaps(by_strides({1, 9}, {1000, 1})));
    EXPECT_FALSE(has_gaps(by_strides({4, 9}, {0, 1})));
    EXPECT_TRUE(has_gaps(by_strides({4, 9}, {10, 1})));
    EXPECT_TRUE(has_gaps(by_strides({4, 9}, {1, 5})));
    EXPECT_TRUE(has_gaps(by_strides({2, 2}, {0, 3}))); // of 4 elements 4
}

// Steps of padding have no place in the source, and their strides wrap; sanitizers see if not.
TEST(Normalize, FarStepsOfPadding) {
    const memory_desc src = desc_test::by_strides({2}, {dim_t(1) << 60});
    for (const tfmt_data_type_t dt : {tfmt_f32, tfmt_s8}) {
        move_problem p;
        std::string why;
        EXPECT_TRUE(normalize(tfmt::make_problem(src, by_tag({2}, "A8a8a", dt)), &p, &why)) << why;
    }
}

TEST(Normalize, OffsetsInBytes) {
    const vec dims {4, 8}, offsets {2, 3};
    const memory_desc sub = tfmt::make_submemory(
            by_tag({6, 16}, "ab", tfmt_f64), dims.data(), offsets.data());
    const memory_desc dense = by_tag(dims, "ab", tfmt_f64);
    const move_problem to = normalized(dense, sub), from = normalized(sub, dense);
    EXPECT_EQ(to.src_offset_bytes, 0);
    EXPECT_EQ(to.dst_offset_bytes, (2 * 16 + 3) * 8);
    EXPECT_EQ(from.src_offset_bytes, (2 * 16 + 3) * 8);
    EXPECT_EQ(from.dst_offset_bytes, 0);
    EXPECT_EQ(to.elem_bytes, 16);
}

TEST(Normalize, PairsNibbles) {
    check({
            {tfmt_s4, {3, 4}, "ab", "ab", 2, {"3 x 1, 2 -> 2"}},
            {tfmt_u4, {3, 6}, "ab", "ab", 1, {"9 x 1, 1 -> 1"}},
            {tfmt_s4, {3, 5, 6}, "abc", "bac", 1,
                    {"3 x 1, 15 -> 3", "5 x 1, 3 -> 9", "3 x 1, 1 -> 1"}},
            {tfmt_f4_e2m1, {16, 32}, "AB8b16a2b", "AB16a16b", 1,
                    {"16 x 1, 1 -> 8", "8 x 1, 16 -> 1", "2 x 1, 128 -> 128"}},
            {tfmt_s4, {16, 30}, "AB8b16a2b", "AB16a16b", 1,
                    {"16 x 1, 1 -> 8", "8 x 1, 16 -> 1 of 15/16", "2 x 8, 128 -> 128 of 15/16"}},
    });
    const vec dims {3, 4}, offsets {1, 2};
    const memory_desc parent = by_tag({6, 8}, "ab", tfmt_s4);
    const move_problem p = normalized(
            tfmt::make_submemory(parent, dims.data(), offsets.data()), by_tag(dims, "ab", tfmt_s4));
    EXPECT_EQ(p.src_offset_bytes, 5);
    EXPECT_EQ(axes_of(p), (lines {"3 x 1, 4 -> 2"}));
}

// Pairs that part on the way are unpacked: each side has a level of two whose stride is 0.
TEST(Normalize, UnpacksNibblesThatPart) {
    move_problem p;
    std::string why;
    ASSERT_TRUE(tfmt::normalize(
            tfmt::make_problem(by_tag({4, 6}, "ab", tfmt_s4), by_tag({4, 6}, "ba", tfmt_s4)), &p,
            &why));
    EXPECT_TRUE(p.converts.is_identity());
    const auto &src_pair = p.levels[size_t(p.converts.src_pair_level)];
    const auto &dst_pair = p.levels[size_t(p.converts.dst_pair_level)];
    EXPECT_EQ(plan_test::text_of(src_pair), "2 x 1, 0 -> 2");
    EXPECT_EQ(plan_test::text_of(dst_pair), "2 x 1, 3 -> 0");
    EXPECT_EQ(p.levels.size(), 4u);
}

// Two rows of the other side make a byte, if they are in different lines.
TEST(Normalize, MakesBytesOfTwoRows) {
    const auto problem_of = [](const vec &dims, tfmt_data_type_t src, const char *src_tag,
                                    tfmt_data_type_t dst, const char *dst_tag) {
        move_problem p;
        std::string why;
        EXPECT_TRUE(tfmt::normalize(
                tfmt::make_problem(by_tag(dims, src_tag, src), by_tag(dims, dst_tag, dst)), &p,
                &why));
        return p;
    };
    const move_problem packs = problem_of({6, 32}, tfmt_f32, "ab", tfmt_u4, "ba");
    EXPECT_TRUE(packs.converts.pairs_rows);
    EXPECT_EQ(packs.converts.row_bytes, 128);
    EXPECT_EQ(packs.converts.dst_elem_bits, 8);
    EXPECT_EQ(axes_of(packs), (lines {"3 x 1, 256 -> 1", "32 x 1, 4 -> 3"}));
    const move_problem unpacks = problem_of({10, 64}, tfmt_s4, "BA4b2a", tfmt_bf16, "ab");
    EXPECT_TRUE(unpacks.converts.pairs_rows);
    EXPECT_EQ(unpacks.converts.row_bytes, 128);
    EXPECT_EQ(unpacks.converts.src_elem_bits, 8);
    const auto pairs = [&](const vec &dims, tfmt_data_type_t src, const char *src_tag,
                               tfmt_data_type_t dst, const char *dst_tag) {
        return problem_of(dims, src, src_tag, dst, dst_tag).converts.pairs_rows;
    };
    EXPECT_FALSE(pairs({6, 32}, tfmt_f32, "ab", tfmt_u4, "ab")); // neighbours
    EXPECT_FALSE(pairs({6, 8}, tfmt_f32, "ab", tfmt_u4, "ba"));  // in a line
}

// What becomes narrower is converted where it is loaded, what becomes wider where it is stored.
TEST(Normalize, ConvertsWhereElementsAreNarrow) {
    const auto problem_of = [](tfmt_data_type_t src, tfmt_data_type_t dst) {
        move_problem p;
        std::string why;
        EXPECT_TRUE(tfmt::normalize(
                tfmt::make_problem(by_tag({4, 6}, "ab", src), by_tag({4, 6}, "ba", dst)), &p,
                &why));
        return p;
    };
    const move_problem narrows = problem_of(tfmt_f32, tfmt_bf16);
    EXPECT_TRUE(narrows.converts.at_load);
    EXPECT_EQ(narrows.elem_bytes, 2);
    EXPECT_EQ(plan_test::text_of(narrows.levels[1]), "6 x 1, 4 -> 8");
    const move_problem widens = problem_of(tfmt_u8, tfmt_f64);
    EXPECT_FALSE(widens.converts.at_load);
    EXPECT_EQ(widens.elem_bytes, 1);
    EXPECT_EQ(plan_test::text_of(widens.levels[1]), "6 x 1, 1 -> 32");
}

TEST(Normalize, RefusesNibblesThatAreNoPairs) {
    const std::string in_src =
            "4-bit elements of src that are not in pairs along one dimension, in whole bytes";
    const std::string in_dst =
            "4-bit elements of dst that are not in pairs along one dimension, in whole bytes";
    const vec dims {3, 4}, offsets {0, 1};
    const auto s4 = [](const vec &d, const char *tag) { return by_tag(d, tag, tfmt_s4); };
    struct {
        memory_desc src, dst;
        std::string why;
    } rows[] = {
            {s4({3, 5}, "ab"), s4({3, 5}, "ab"), in_src},
            {s4({4, 5}, "ba"), s4({4, 5}, "ab"), in_dst},
            {s4({3, 9}, "ab"), s4({3, 9}, "aB2b"), in_src}, // 9 are read, 10 written
            {s4({9}, "a"), s4({9}, "A3a"), in_src},
            {s4({1}, "a"), s4({1}, "a"), in_src},
            {by_strides(dims, {5, 1}, tfmt_s4), s4(dims, "ab"), in_src},
            {s4(dims, "ab"), by_strides(dims, {7, 1}, tfmt_s4), in_dst},
            {tfmt::make_submemory(s4({3, 8}, "ab"), dims.data(), offsets.data()), s4(dims, "ab"),
                    in_src},
            {s4(dims, "ab"), tfmt::make_submemory(s4({3, 8}, "ab"), dims.data(), offsets.data()),
                    in_dst},
    };
    for (size_t i = 0; i < std::size(rows); i++) {
        move_problem p;
        std::string why;
        EXPECT_FALSE(tfmt::normalize(tfmt::make_problem(rows[i].src, rows[i].dst), &p, &why)) << i;
        EXPECT_EQ(why, rows[i].why) << "row " << i;
    }
}

// Each pass alone, on a nest made by hand.
TEST(NormalizePasses, DropSingleSteps) {
    move_problem p {4, 0, 0, {{1, 1}, {6, 6}}, {{0, 1, 1, 8, 8, {}, {}}, {1, 6, 1, 4, 8, {}, {}}}};
    tfmt::drop_single_steps(p);
    EXPECT_EQ(axes_of(p), (lines {"6 x 1, 4 -> 8"}));
}

TEST(NormalizePasses, SplitExactDims) {
    move_problem p {4, 0, 0, {{32, 32}, {40, 48}},
            {{0, 16, 1, 4, 8, {}, {}}, {0, 2, 16, 64, 4, {}, {}}, {1, 16, 1, 4, 4, {}, {}},
                    {1, 3, 16, 64, 64, {}, {}}}};
    tfmt::split_exact_dims(p);
    EXPECT_EQ(axes_of(p),
            (lines {"16 x 1, 4 -> 8", "2 x 1, 64 -> 4", "16 x 1, 4 -> 4 of 40/48",
                    "3 x 16, 64 -> 64 of 40/48"}));
    EXPECT_NE(p.levels[0].dim, p.levels[1].dim);
    EXPECT_EQ(p.levels[2].dim, p.levels[3].dim);
    EXPECT_EQ(p.limits[0].store, 1); // emptied
}

TEST(NormalizePasses, FuseChainsInAnyOrder) {
    // Three levels that are one run, the middle one last.
    move_problem p {4, 0, 0, {{2, 2}, {5, 5}, {3, 3}},
            {{0, 2, 1, 60, 60, {}, {}}, {1, 5, 1, 4, 4, {}, {}}, {2, 3, 1, 20, 20, {}, {}}}};
    tfmt::fuse_neighbours(p);
    EXPECT_EQ(axes_of(p), (lines {"30 x 1, 4 -> 4"}));
}

TEST(NormalizePasses, FuseLeavesTails) {
    move_problem p {
            4, 0, 0, {{2, 2}, {5, 6}}, {{0, 2, 1, 24, 24, {}, {}}, {1, 6, 1, 4, 4, {}, {}}}};
    tfmt::fuse_neighbours(p);
    EXPECT_EQ(axes_of(p), (lines {"2 x 1, 24 -> 24", "6 x 1, 4 -> 4 of 5/6"}));
}

// Where each byte of the destination comes from; -1: it is padding.
using byte_map = std::map<dim_t, dim_t>;

void add_bytes(byte_map &map, dim_t dst_byte, dim_t src_byte, bool is_padding, int n) {
    for (int i = 0; i < n; i++)
        ASSERT_TRUE(map.emplace(dst_byte + i, is_padding ? -1 : src_byte + i).second);
}

byte_map bytes_of(const memory_desc &src, const memory_desc &dst, int elem_bytes) {
    byte_map map;
    desc_test::for_each_index(desc_test::padded_dims_of(dst), [&](const vec &index) {
        bool is_padding = false;
        for (int d = 0; d < dst.ndims; d++)
            is_padding = is_padding || index[size_t(d)] >= dst.dims[d];
        const dim_t from = is_padding ? 0 : tfmt::offset_of(src, index.data());
        add_bytes(map, tfmt::offset_of(dst, index.data()) * elem_bytes, from * elem_bytes,
                is_padding, elem_bytes);
    });
    return map;
}

byte_map bytes_of(const move_problem &p) {
    byte_map map;
    vec extents;
    for (const tfmt::dim_limits &l : p.limits)
        extents.push_back(l.store);
    desc_test::for_each_index(extents, [&](const vec &index) {
        bool is_padding = false;
        dim_t from = p.src_offset_bytes, to = p.dst_offset_bytes;
        for (size_t d = 0; d < index.size(); d++) {
            is_padding = is_padding || index[d] >= p.limits[d].load;
            from += offset_by_levels(p.levels, int(d), index[d], tfmt::src_offset_of);
            to += offset_by_levels(p.levels, int(d), index[d], tfmt::dst_offset_of);
        }
        add_bytes(map, to, from, is_padding, p.elem_bytes);
    });
    return map;
}

TEST(Normalize, KeepsTheMeaningOfRandomPairs) {
    const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};
    int n_widened = 0;
    for (unsigned seed = 0; seed < 1000; seed++) {
        desc_test::random_descs random(seed);
        const tfmt_data_type_t type = types[seed % 4];
        const int elem_bytes = int(tfmt_data_type_size(type));
        const vec dims = random.dims(int(1 + random.below(4)));
        const memory_desc src = by_tag(dims, random.tag(int(dims.size())), type);
        // Now and then the same layout, so that there is something to fuse and to widen.
        const memory_desc dst = seed % 5 ? by_tag(dims, random.tag(int(dims.size())), type) : src;
        const move_problem p = normalized(src, dst);
        ASSERT_EQ(bytes_of(p), bytes_of(src, dst, elem_bytes)) << "seed " << seed << to_text(p);
        n_widened += p.elem_bytes > elem_bytes;
    }
    EXPECT_GT(n_widened, 100);
}

TEST(Normalize, Text) {
    EXPECT_EQ(to_text(normalized({40, 2}, "ab", "Ab16a", tfmt_f32)),
            "normalized: element 4 bytes, strides in bytes\n"
            "  axis 0: extent 16 unit 1 src_stride 8 dst_stride 4 load 40 store 48\n"
            "  axis 0: extent 3 unit 16 src_stride 128 dst_stride 128 load 40 store 48\n"
            "  axis 2: extent 2 unit 1 src_stride 4 dst_stride 64 load 2 store 2\n");
}

} // namespace
