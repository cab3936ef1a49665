// SPDX-License-Identifier: Apache-2.0
#include "common/to_string.hpp"

#include "desc_helpers.hpp"

using namespace desc_test;
using tfmt::parse_desc;
using tfmt::to_string;

namespace {

const dim_t R = TFMT_RUNTIME_DIM_VAL;

memory_desc part_of(const memory_desc &parent, const vec &dims, const vec &offsets) {
    return tfmt::make_submemory(parent, dims.data(), offsets.data());
}

void expect_round_trip(const memory_desc &md) {
    const std::string text = to_string(md);
    const memory_desc back = parse_desc(text.c_str());
    EXPECT_TRUE(tfmt::equal(md, back)) << text;
    EXPECT_EQ(to_string(back), text);
}

} // namespace

TEST(to_string, canonical_form) {
    const std::pair<memory_desc, const char *> rows[] = {
            {by_tag({2, 40, 5, 4}, "nChw16c"), "f32:aBcd16b:2x40x5x4"},
            {by_tag({2, 3, 5, 4}, "nhwc", tfmt_u8), "u8:acdb:2x3x5x4"},
            {by_tag({17, 5, 1, 1}, "ABcd8b16a2b", tfmt_bf16), "bf16:ABcd8b16a2b:17x5x1x1"},
            {by_tag({7}, "a", tfmt_f4_e2m1), "f4_e2m1:a:7"},
            {by_tag({2, 3}, "any", tfmt_s8), "s8:any:2x3"},
            {by_tag({2, 0, 5}, "acb", tfmt_f8_e4m3), "f8_e4m3:acb:2x0x5"},
            {by_tag({2, 3, R}, "abc"), "f32:abc:2x3x*"},
            {by_tag({R, 3, 4}, "acb"), "f32:acb:*x3x4"},
            {by_strides({4, 6}, {16, 1}), "f32:ab:4x6:s16x1"},
            {by_strides({4, 6}, {1, 5}), "f32:ba:4x6:s1x5"},
            {by_strides({4, 6}, {0, 1}), "f32:ba:4x6:s0x1"},
            {by_strides({4, 6}, {R, 1}), "f32:ab:4x6:s*x1"},
            {part_of(by_tag({4, 6}, "ab"), {2, 3}, {1, 2}), "f32:ab:2x3:s6x1:o8"},
            {part_of(by_tag({4, 6}, "ab"), {2, 6}, {1, 0}), "f32:ab:2x6:o6"},
            {by_strides({1, 6}, {3, 1}), "f32:ab:1x6"}, // strides of one element say nothing
            {by_strides({1, 6}, {77, 2}), "f32:ab:1x6:s1x2"},
            {by_tag({2, 1, 5, 4}, "nhwc"), "f32:abcd:2x1x5x4"},
    };
    for (const auto &[md, text] : rows) {
        EXPECT_EQ(to_string(md), text);
        expect_round_trip(md);
    }
}

TEST(to_string, parses_back_to_an_equal_descriptor) {
    random_descs random(5);
    for (int round = 0; round < 3000; ++round) {
        memory_desc md = round % 2 ? random.dense() : random.spread();
        if (round % 3 == 0) {
            vec dims = dims_of(md), begins(dims.size(), 0);
            for (size_t d = 0; d < dims.size(); ++d) {
                tfmt::dims_t blocks;
                tfmt::block_sizes(md, blocks);
                begins[d] = random.below((dims[d] - 1) / blocks[d] + 1) * blocks[d];
                dims[d] -= begins[d];
            }
            md = part_of(md, dims, begins);
        }
        expect_round_trip(md);
    }
}

TEST(to_string, equal_descriptors_read_the_same) {
    random_descs random(6);
    for (int round = 0; round < 1000; ++round) {
        const memory_desc md = random.spread();
        // Another stride where there is nothing to step over.
        memory_desc other = md;
        tfmt::dims_t blocks;
        tfmt::block_sizes(md, blocks);
        for (int d = 0; d < md.ndims; ++d)
            if (md.padded_dims[d] == blocks[d]) other.strides[d] = 1 + random.below(1000);
        ASSERT_TRUE(tfmt::equal(md, other));
        EXPECT_EQ(to_string(md), to_string(other));
        EXPECT_EQ(tfmt::hash(md), tfmt::hash(other));
    }
}

TEST(to_string, other_tags_are_read_too) {
    EXPECT_TRUE(tfmt::equal(parse_desc("f32:nChw16c:2x40x5x4"), by_tag({2, 40, 5, 4}, "aBcd16b")));
    EXPECT_TRUE(tfmt::equal(parse_desc("u8:NHWC:2x3x5x4"), by_tag({2, 3, 5, 4}, "acdb", tfmt_u8)));
    // Dense strides may be written out.
    EXPECT_TRUE(tfmt::equal(parse_desc("f32:ab:4x6:s6x1:o0"), by_tag({4, 6}, "ab")));
}

TEST(to_string, a_runtime_offset_is_a_star) {
    const memory_desc md = parse_desc("f32:ab:2x3:s*x1:o*");
    EXPECT_EQ(md.offset0, R);
    EXPECT_EQ(to_string(md), "f32:ab:2x3:s*x1:o*");
    EXPECT_TRUE(tfmt::has_runtime_dims(parse_desc("f32:ab:2x3:o*")));
    EXPECT_EQ(tfmt::size_bytes(parse_desc("f32:ab:2x3:o*")), TFMT_RUNTIME_SIZE_VAL);
    expect_round_trip(md);
}

TEST(to_string, huge_broadcasts_are_written_and_read) {
    const dim_t big = dim_t(1) << 60;
    expect_round_trip(by_strides({big, 4}, {0, 1}, tfmt_f64));
    expect_round_trip(by_strides({0, big, 4}, {7, 7, 7}, tfmt_u8));
}

TEST(to_string, what_breaks_the_grammar_is_told) {
    const std::pair<const char *, const char *> rows[] = {{"", "position 0"},
            {"f32", "position 3: wanted ':'"}, {"f31:ab:2x3", "position 0: wanted the name"},
            {":ab:2x3", "position 0"}, {"f32:ab", "position 6: wanted ':'"},
            {"f32:ab:", "position 7: wanted a number"}, {"f32:ab:2x", "position 9"},
            {"f32:ab:2x3x4", "as many dims"}, {"f32:ab:2x-3", "position 9"}, {"f32:ab:2X3", "dims"},
            {"f32:ab:2x3 ", "position 10"}, {"f32:zz:2x3", "'z'"},
            {"f32::2x3", "the end at position 0"}, {"f32:ab:2x3:", "position 10"},
            {"f32:ab:2x3:s3", "position 12: wanted as many strides"},
            {"f32:ab:2x3:s2x1", "strides[0] is 2"}, {"f32:ab:2x3:s1x2", "order of the tag"},
            {"f32:ab:2x3:o", "position 12"}, {"f32:ab:2x3:o*x1", "position 13"},
            {"f32:ab:2x3:o1:s3x1", "position 13"}, {"f32:any:2x3:s3x1", "tag any"},
            {"f32:ab:99999999999999999999x3", "position 7: the number overflows"},
            {"f32:a:9223372036854775807", "span in bytes"},
            {"f32:abcdefghijkl:1x1x1x1x1x1x1x1x1x1x1x1x1", "more than 12"}};
    for (const auto &[text, word] : rows)
        expect_refused("tfmt_memory_desc_create_with_string", {word},
                [&, t = text](auto *md) { return tfmt_memory_desc_create_with_string(md, t); });
}

TEST(to_string, buffer_protocol) {
    const memory_desc md = by_tag({2, 40, 5, 4}, "aBcd16b");
    size_t size_bytes = 999;
    ASSERT_EQ(tfmt_memory_desc_to_string(&md, nullptr, &size_bytes), tfmt_success);
    EXPECT_EQ(size_bytes, sizeof("f32:aBcd16b:2x40x5x4"));
    std::vector<char> buffer(size_bytes + 3, '~');
    size_t room_bytes = size_bytes - 1;
    EXPECT_EQ(tfmt_memory_desc_to_string(&md, buffer.data(), &room_bytes), tfmt_invalid_arguments);
    EXPECT_EQ(room_bytes, size_bytes - 1);
    EXPECT_EQ(buffer, std::vector<char>(size_bytes + 3, '~'));
    room_bytes = buffer.size();
    ASSERT_EQ(tfmt_memory_desc_to_string(&md, buffer.data(), &room_bytes), tfmt_success);
    EXPECT_EQ(room_bytes, size_bytes);
    EXPECT_STREQ(buffer.data(), "f32:aBcd16b:2x40x5x4");
    EXPECT_EQ(buffer[size_bytes], '~');
    tfmt_memory_desc_t back = nullptr;
    ASSERT_EQ(tfmt_memory_desc_create_with_string(&back, buffer.data()), tfmt_success);
    EXPECT_EQ(tfmt_memory_desc_equal(&md, back), 1);
    tfmt_memory_desc_destroy(back);
}
