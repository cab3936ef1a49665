// SPDX-License-Identifier: Apache-2.0
// The oracle's attributes against results worked out by hand.
#include <gtest/gtest.h>

#include "support/attributes.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

parameter values_of(
        tfmt_data_type_t type, int mask, const dims &groups, const std::vector<uint64_t> &bits) {
    parameter p;
    p.is_set = true;
    p.mask = mask;
    p.groups = groups;
    p.type = type;
    p.values.resize(
            static_cast<size_t>(bytes_for_elements(type, static_cast<int64_t>(bits.size()))));
    for (size_t i = 0; i < bits.size(); ++i)
        store_bits(type, p.values.data(), static_cast<int64_t>(i), bits[i]);
    return p;
}

// One element with one value of each parameter.
uint64_t one(const attributes &attr, tfmt_data_type_t src_type, uint64_t src,
        tfmt_data_type_t dst_type, uint64_t old = 0) {
    return quantize_bits(attr, {1}, {0}, src_type, src, dst_type, old);
}

TEST(oracle_attributes, numbers_of_values) {
    const dims shape = {4, 6, 10};
    parameter p = values_of(tfmt_f32, 5, {}, {});
    EXPECT_EQ(p.count(shape), 40);
    EXPECT_EQ(p.number_of(shape, {2, 3, 7}), 27);
    p.groups = {5}; // of the last masked dim
    EXPECT_EQ(p.count(shape), 8);
    EXPECT_EQ(p.number_of(shape, {2, 3, 7}), 5);
    p.mask = 7;
    p.groups = {2, 3, 5};
    EXPECT_EQ(p.count(shape), 8);
    EXPECT_EQ(p.number_of(shape, {3, 5, 9}), 7);
    EXPECT_EQ(p.number_of(shape, {2, 2, 4}), 4);
    p.mask = 0;
    p.groups = {};
    EXPECT_EQ(p.count(shape), 1);
    EXPECT_EQ(p.number_of(shape, {3, 5, 9}), 0);
}

// ((10 - 2) * 0.5 + 3 * 4) / 8 + 1 = 3
TEST(oracle_attributes, order_of_the_steps) {
    attributes attr;
    attr.src_zero_points = values_of(tfmt_s4, 0, {}, {2});
    attr.src_scales = values_of(tfmt_f16, 0, {}, {0x3800});
    attr.has_sum = true;
    attr.beta = 3;
    attr.dst_scales = values_of(tfmt_e8m0, 0, {}, {130});
    attr.dst_zero_points = values_of(tfmt_s32, 0, {}, {1});
    EXPECT_EQ(one(attr, tfmt_u8, 10, tfmt_s8, 4), 3u);
    EXPECT_EQ(one(attr, tfmt_f32, 0x41200000, tfmt_f64, 0x4010000000000000), 0x4008000000000000u);
    EXPECT_EQ(one(attr, tfmt_s64, 10, tfmt_bf16, 0x4080), 0x4040u);
}

// 7 / 0.7f is 10, where 7 times the rounded 1 / 0.7f is 10.000001.
TEST(oracle_attributes, division_is_a_division) {
    attributes attr;
    attr.dst_scales = values_of(tfmt_f32, 0, {}, {0x3f333333});
    EXPECT_EQ(one(attr, tfmt_f32, 0x40e00000, tfmt_f32), 0x41200000u);
    attr.dst_scales = values_of(tfmt_f32, 0, {}, {0x40400000});
    EXPECT_EQ(one(attr, tfmt_f32, 0x3f800000, tfmt_f32), 0x3eaaaaabu);
    EXPECT_EQ(one(attr, tfmt_f32, 0x3f800000, tfmt_f64), 0x3fd5555555555555u);
}

// 16777217 is no f32: as a zero point it is rounded to 16777216 where f32 is computed in.
TEST(oracle_attributes, computing_types) {
    attributes attr;
    attr.dst_zero_points = values_of(tfmt_s32, 0, {}, {16777217});
    EXPECT_EQ(one(attr, tfmt_s8, 0, tfmt_f32), 0x4b800000u);
    EXPECT_EQ(one(attr, tfmt_s8, 0, tfmt_s32), 16777217u);
    EXPECT_EQ(one(attr, tfmt_s32, 1, tfmt_f32), 0x4b800001u); // 16777218
    // 2^24 + 1 is a tie in f32, to the even 2^24, and exact in f64.
    attr.dst_zero_points = values_of(tfmt_s32, 0, {}, {1});
    EXPECT_EQ(one(attr, tfmt_f32, 0x4b800000, tfmt_f32), 0x4b800000u);
    EXPECT_EQ(one(attr, tfmt_f32, 0x4b800000, tfmt_s32), 16777217u);
}

// Product and sum round by themselves: a = 1 + 2^-12 squared is 1 + 2^-11 + 2^-24, of which f32
// keeps 1 + 2^-11; a fused operation with -(1 + 2^-11) would leave 2^-24.
TEST(oracle_attributes, nothing_is_fused) {
    attributes attr;
    attr.has_sum = true;
    attr.beta = 1 + 0x1p-12f;
    EXPECT_EQ(one(attr, tfmt_f32, 0xbf801000, tfmt_f32, 0x3f800800), 0u);
}

TEST(oracle_attributes, nans_and_infinities) {
    attributes attr;
    attr.src_scales = values_of(tfmt_f32, 0, {}, {0x3f800000});
    EXPECT_EQ(one(attr, tfmt_f32, 0x7f800001, tfmt_f32), 0x7fc00001u); // quiet, one type or not
    EXPECT_EQ(one(attr, tfmt_bf16, 0xff81, tfmt_f32), 0xffc10000u);
    EXPECT_EQ(one(attr, tfmt_f32, 0x7fc00000, tfmt_s8), 0u);
    EXPECT_EQ(one(attr, tfmt_f32, 0xff800000, tfmt_u8), 0u);
    EXPECT_EQ(one(attr, tfmt_f32, 0x7f800000, tfmt_u8), 255u);
    EXPECT_EQ(one(attr, tfmt_boolean, 2, tfmt_boolean), 1u);
    attr.src_scales = values_of(tfmt_bf16, 0, {}, {0x7fc1}); // the scale is the NaN
    EXPECT_EQ(one(attr, tfmt_f32, 0x3f800000, tfmt_f32), 0x7fc10000u);
    EXPECT_EQ(one(attr, tfmt_f32, 0x7f800001, tfmt_f32), 0x7fc00001u); // the left one of two
    attr.src_scales = values_of(tfmt_f32, 0, {}, {0});
    EXPECT_EQ(one(attr, tfmt_f32, 0x7f800000, tfmt_f32), 0xffc00000u); // infinity * 0
    EXPECT_EQ(one(attr, tfmt_f32, 0xbf800000, tfmt_f32), 0x80000000u);
    attributes by_zero;
    by_zero.dst_scales = values_of(tfmt_f32, 0, {}, {0});
    EXPECT_EQ(one(by_zero, tfmt_s8, 1, tfmt_s8), 127u);
    EXPECT_EQ(one(by_zero, tfmt_s8, 0, tfmt_s8), 0u);
}

// A beta of 0 does not read dst, whose NaN would come through.
TEST(oracle_attributes, no_sum_of_nothing) {
    attributes attr;
    attr.has_sum = true;
    EXPECT_TRUE(attr.is_default());
    attr.src_scales = values_of(tfmt_f32, 0, {}, {0x40000000});
    EXPECT_EQ(one(attr, tfmt_f32, 0x3f800000, tfmt_f32, 0x7fc00000), 0x40000000u);
}

// 2 x 6 elements, one scale for each row and two columns; the block of four has padding.
TEST(oracle_attributes, whole_tensors) {
    const layout src = layout_from_tag({2, 6}, tfmt_u4, "ab");
    const layout dst = layout_from_tag({2, 6}, tfmt_s8, "aB4b");
    const unsigned char packed[] = {0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb};
    std::vector<unsigned char> out(16, 0xa5);
    attributes attr;
    attr.src_scales = values_of(tfmt_f32, 3, {1, 2},
            {0x3f800000, 0x40000000, 0x40400000, 0xbf800000, 0x3f000000, 0x41a00000});
    attr.dst_zero_points = values_of(tfmt_u4, 1, {}, {1, 2});
    oracle_reorder(src, packed, dst, out.data(), attr);
    const std::vector<unsigned char> wanted = {2, 3, 7, 9, 16, 19, 0, 0, // 1 2, 6 8, 15 18, plus 1
            251, 250, 6, 7, 127, 127, 0, 0}; // -7 -8, 4.5 5, 220 240, plus 2; 6.5 is a tie
    EXPECT_EQ(out, wanted);
}

} // namespace
