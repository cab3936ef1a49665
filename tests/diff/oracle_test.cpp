// SPDX-License-Identifier: Apache-2.0
// The oracle itself, against layouts and small tensors worked out by hand. Only descriptors come
// from the library here, no reorder.
#include <gtest/gtest.h>

#include <cstring>
#include <iterator>

#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"
#include "support/random_desc.hpp"

using namespace tfmt_test;

namespace {

TEST(oracle_layout, tags_worked_out_by_hand) {
    const layout l = layout_from_tag({2, 40, 5, 4}, tfmt_f32, "nChw16c");
    EXPECT_EQ(l.padded, (dims {2, 48, 5, 4}));
    EXPECT_EQ(l.strides, (dims {960, 320, 64, 16}));
    EXPECT_EQ(l.inner_blks, (dims {16}));
    EXPECT_EQ(l.inner_idxs, (std::vector<int> {1}));
    EXPECT_EQ(span_bytes(l), 2 * 48 * 5 * 4 * 4);
    EXPECT_EQ(layout_from_tag({2, 3, 4, 5}, tfmt_f32, "NHWC").strides, (dims {60, 1, 15, 3}));
    EXPECT_EQ(layout_from_tag({2, 3, 4, 5}, tfmt_f32, "chwn").strides, (dims {1, 40, 10, 2}));
    const layout chwn4 = layout_from_tag({2, 6, 4, 5}, tfmt_s8, "CHWN4");
    EXPECT_EQ(chwn4.padded, (dims {2, 8, 4, 5}));
    EXPECT_EQ(chwn4.strides, (dims {4, 160, 40, 8}));
    const layout ldgoi = layout_from_tag({1, 2, 3, 4, 5}, tfmt_f32, "ldgoi"); // l d i g o logically
    EXPECT_EQ(ldgoi.strides, (dims {120, 60, 1, 15, 3}));
    const layout vnni = layout_from_tag({20, 20}, tfmt_bf16, "AB8b16a2b");
    EXPECT_EQ(vnni.padded, (dims {32, 32}));
    EXPECT_EQ(vnni.inner_blks, (dims {8, 16, 2}));
    EXPECT_EQ(vnni.inner_idxs, (std::vector<int> {1, 0, 1}));
}

TEST(oracle_layout, offsets_follow_the_published_formulas) {
    const int64_t n_c = 40, n_h = 5, n_w = 4;
    const dims shape = {2, n_c, n_h, n_w};
    const layout nchw = layout_from_tag(shape, tfmt_f32, "nchw");
    const layout nhwc = layout_from_tag(shape, tfmt_f32, "nhwc");
    const layout blocked = layout_from_tag(shape, tfmt_f32, "nChw8c");
    for (int64_t n = 0; n < 2; ++n)
        for (int64_t c = 0; c < n_c; ++c)
            for (int64_t h = 0; h < n_h; ++h)
                for (int64_t w = 0; w < n_w; ++w) {
                    const dims index = {n, c, h, w};
                    ASSERT_EQ(element_offset(nchw, index), ((n * n_c + c) * n_h + h) * n_w + w);
                    ASSERT_EQ(element_offset(nhwc, index), ((n * n_h + h) * n_w + w) * n_c + c);
                    ASSERT_EQ(element_offset(blocked, index),
                            (((n * (n_c / 8) + c / 8) * n_h + h) * n_w + w) * 8 + c % 8);
                }
    // OIhw8i16o2i: within a tile, i = 3 is pair 1, second of it; o = 5.
    const layout vnni = layout_from_tag({16, 16, 1, 1}, tfmt_bf16, "OIhw8i16o2i");
    EXPECT_EQ(element_offset(vnni, {5, 3, 0, 0}), 1 * 32 + 5 * 2 + 1);
}

TEST(oracle_layout, reads_what_the_tag_says) {
    random_source random(11);
    for (int i = 0; i < 500; ++i) {
        const dims shape = random_dims(random, 100000);
        const std::string tag = random_tag(random, static_cast<int>(shape.size()));
        const desc_ptr md = make_with_tag(shape, tfmt_f32, tag);
        ASSERT_EQ(difference(read_layout(md.get()), layout_from_tag(shape, tfmt_f32, tag)), "")
                << tag << " " << dims_text(shape);
        ASSERT_EQ(static_cast<int64_t>(tfmt_memory_desc_get_size(md.get())),
                span_bytes(read_layout(md.get())));
    }
}

// Every name of the header, as a string and as an enumerator, against the tests' own derivation.
TEST(oracle_layout, every_name_of_the_header) {
    struct named_tag {
        const char *name;
        tfmt_format_tag_t tag;
    };
    static const named_tag all[] = {
#define ROW(number, name) {#name, tfmt_##name},
            TFMT_FORMAT_TAGS(ROW)
#undef ROW
#define ROW(alias, name) {#alias, tfmt_##alias},
                    TFMT_FORMAT_TAG_ALIASES(ROW)
#undef ROW
    };
    EXPECT_EQ(std::size(all), 873u + 798u);
    random_source random(13);
    for (const named_tag &row : all) {
        const std::string name = row.name;
        dims shape;
        for (size_t i = 0; i < name.find_first_of("0123456789") && i < name.size(); ++i)
            shape.push_back(random.pick(dims {1, 2, 15, 16, 17, 33, 40}));
        const desc_ptr by_string = make_with_tag(shape, tfmt_bf16, name);
        tfmt_memory_desc_t md = nullptr;
        ASSERT_EQ(tfmt_memory_desc_create_with_tag(
                          &md, static_cast<int>(shape.size()), shape.data(), tfmt_bf16, row.tag),
                tfmt_success)
                << name << ": " << tfmt_get_last_error();
        const desc_ptr by_enumerator(md);
        const layout wanted = layout_from_tag(shape, tfmt_bf16, name);
        EXPECT_EQ(difference(read_layout(by_string.get()), wanted), "") << name;
        EXPECT_EQ(difference(read_layout(md), wanted), "") << name << " by enumerator";
    }
}

// Random descriptors of every making: the library's offset of every index is the oracle's.
TEST(oracle_layout, offsets_of_random_descriptors) {
    random_source random(12);
    for (int i = 0; i < 300; ++i) {
        const dims shape = random_dims(random, 2000, false);
        const random_desc made = make_random_desc(random, shape, tfmt_u8, role::src, 1 << 20);
        const layout l = read_layout(made.md.get());
        for (int tries = 0; tries < 20; ++tries) {
            tfmt_dims_t index = {};
            dims wanted_index;
            for (size_t d = 0; d < shape.size(); ++d)
                wanted_index.push_back(index[d] = random.below(shape[d]));
            tfmt_dim_t offset = -1;
            ASSERT_EQ(tfmt_memory_desc_get_offset(made.md.get(), index, &offset), tfmt_success)
                    << tfmt_get_last_error();
            ASSERT_EQ(offset, element_offset(l, wanted_index)) << made.recipe;
        }
    }
}

TEST(oracle_reorder, pads_with_zeros_and_leaves_gaps) {
    // 2x3, rows to columns in blocks of 2 (b padded to 4).
    const layout src = layout_from_tag({2, 3}, tfmt_u8, "ab");
    const layout dst = layout_from_tag({2, 3}, tfmt_u8, "Ba2b");
    const unsigned char in[] = {1, 2, 3, 4, 5, 6};
    unsigned char out[10];
    std::memset(out, 0xee, sizeof out);
    EXPECT_EQ(span_bytes(dst), 8);
    oracle_reorder(src, in, dst, out + 1);
    const unsigned char wanted[] = {0xee, 1, 2, 4, 5, 3, 0, 6, 0, 0xee};
    EXPECT_EQ(std::memcmp(out, wanted, sizeof out), 0);

    layout gapped = layout_from_tag({2, 3}, tfmt_u8, "ab");
    gapped.strides = {5, 1};
    std::memset(out, 0xee, sizeof out);
    oracle_reorder(src, in, gapped, out);
    const unsigned char with_gaps[] = {1, 2, 3, 0xee, 0xee, 4, 5, 6, 0xee, 0xee};
    EXPECT_EQ(std::memcmp(out, with_gaps, sizeof out), 0);
}

TEST(oracle_reorder, differences_are_told_with_their_index) {
    const layout l = layout_from_tag({2, 3}, tfmt_f32, "Ba2b");
    std::vector<float> a(8, 1.0f), b(8, 1.0f);
    EXPECT_EQ(compare_bytes(l, a.data(), b.data(), 32), "");
    a[6] = 2.0f; // (1,2)
    EXPECT_NE(compare_bytes(l, a.data(), b.data(), 32).find("element (1,2)"), std::string::npos);
    b = a;
    a[7] = 2.0f; // (1,3), padding
    EXPECT_NE(compare_bytes(l, a.data(), b.data(), 32).find("padding (1,3)"), std::string::npos);
}

TEST(guarded_buffer, touches_the_guard_pages_and_notices_writes_beside_it) {
    guarded_buffer at_end(100, placement::at_end, 4);
    EXPECT_DEATH(at_end.data()[100] = 0, "");
    EXPECT_TRUE(at_end.slack_is_intact());
    at_end.data()[-1] = 0;
    EXPECT_FALSE(at_end.slack_is_intact());
    guarded_buffer at_start(100, placement::at_start);
    EXPECT_DEATH(at_start.data()[-1] = 0, "");
    at_start.data()[100] = 0;
    EXPECT_FALSE(at_start.slack_is_intact());
}

} // namespace
