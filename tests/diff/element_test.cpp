// SPDX-License-Identifier: Apache-2.0
// The oracle's elements against values worked out by hand from the format specifications.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "support/element.hpp"
#include "support/random_data.hpp"

using namespace tfmt_test;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(element, decodes_known_patterns) {
    EXPECT_EQ(decode(tfmt_f16, 0x3c00), 1.0);
    EXPECT_EQ(decode(tfmt_f16, 0x7bff), 65504.0);
    EXPECT_EQ(decode(tfmt_f16, 0x0001), std::ldexp(1.0, -24));
    EXPECT_EQ(decode(tfmt_f16, 0xfc00), -inf);
    EXPECT_TRUE(std::isnan(decode(tfmt_f16, 0x7e00)));
    EXPECT_EQ(decode(tfmt_bf16, 0x3f80), 1.0);
    EXPECT_EQ(decode(tfmt_bf16, 0xc049), -3.140625);
    EXPECT_EQ(decode(tfmt_f32, 0x40490fdb), static_cast<double>(3.14159274101257324f));
    EXPECT_EQ(decode(tfmt_f8_e4m3, 0x7e), 448.0);
    EXPECT_TRUE(std::isnan(decode(tfmt_f8_e4m3, 0x7f)));
    EXPECT_EQ(decode(tfmt_f8_e4m3, 0x01), std::ldexp(1.0, -9));
    EXPECT_EQ(decode(tfmt_f8_e5m2, 0x7b), 57344.0);
    EXPECT_EQ(decode(tfmt_f8_e5m2, 0x7c), inf);
    EXPECT_EQ(decode(tfmt_e8m0, 127), 1.0);
    EXPECT_EQ(decode(tfmt_e8m0, 0), std::ldexp(1.0, -127));
    EXPECT_TRUE(std::isnan(decode(tfmt_e8m0, 0xff)));
    const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(decode(tfmt_f4_e2m1, i), e2m1[i]);
        EXPECT_EQ(decode(tfmt_f4_e2m1, i | 8), -e2m1[i]);
    }
    EXPECT_EQ(decode(tfmt_s4, 0x8), -8.0);
    EXPECT_EQ(decode(tfmt_s4, 0x7), 7.0);
    EXPECT_EQ(decode(tfmt_u4, 0xf), 15.0);
    EXPECT_EQ(decode(tfmt_s8, 0x80), -128.0);
    EXPECT_EQ(decode(tfmt_boolean, 2), 1.0);
}

TEST(element, rounds_to_nearest_even) {
    EXPECT_EQ(encode(tfmt_bf16, 1.0 + 1.0 / 256), 0x3f80u); // tie, to the even 1.0
    EXPECT_EQ(encode(tfmt_bf16, 1.0 + 3.0 / 256), 0x3f82u); // tie, to the even above
    EXPECT_EQ(encode(tfmt_bf16, 1.0 + 1.0 / 256 + 1e-9), 0x3f81u);
    EXPECT_EQ(encode(tfmt_f16, 65519.996), 0x7bffu);
    EXPECT_EQ(encode(tfmt_f16, 65520.0), 0x7c00u); // tie with 2^16: infinity is the even one
    EXPECT_EQ(encode(tfmt_f16, std::ldexp(1.0, -25)), 0u);
    EXPECT_EQ(encode(tfmt_f16, std::ldexp(3.0, -25)), 2u);
    EXPECT_EQ(encode(tfmt_f16, -0.0), 0x8000u);
    EXPECT_EQ(encode(tfmt_s8, 0.5), 0u);
    EXPECT_EQ(encode(tfmt_s8, 1.5), 2u);
    EXPECT_EQ(encode(tfmt_s8, -2.5), 0xfeu);
    EXPECT_EQ(encode(tfmt_f8_e4m3, 17.0), 0x58u); // tie between 16 and 18
    EXPECT_EQ(encode(tfmt_f4_e2m1, 2.5), 4u);     // tie between 2 and 3
    EXPECT_EQ(encode(tfmt_f4_e2m1, 5.0), 6u);     // tie between 4 and 6
}

TEST(element, saturates_where_the_type_does) {
    EXPECT_EQ(encode(tfmt_u8, 255.5), 255u);
    EXPECT_EQ(encode(tfmt_u8, -1.0), 0u);
    EXPECT_EQ(encode(tfmt_s8, 1e30), 0x7fu);
    EXPECT_EQ(encode(tfmt_s8, -inf), 0x80u);
    EXPECT_EQ(encode(tfmt_s8, nan_value), 0u);
    EXPECT_EQ(encode(tfmt_s32, 2147483648.0), 0x7fffffffu);
    EXPECT_EQ(encode(tfmt_s32, -2147483649.0), 0x80000000u);
    EXPECT_EQ(encode(tfmt_s64, 9223372036854775808.0), 0x7fffffffffffffffu);
    EXPECT_EQ(encode(tfmt_s64, -1e300), 0x8000000000000000u);
    EXPECT_EQ(encode(tfmt_f8_e4m3, 1e9), 0x7eu);
    EXPECT_EQ(encode(tfmt_f8_e4m3, -inf), 0xfeu);
    EXPECT_EQ(encode(tfmt_f8_e5m2, 1e9), 0x7bu);
    EXPECT_EQ(encode(tfmt_f4_e2m1, -100.0), 0xfu);
    EXPECT_EQ(encode(tfmt_f32, 1e300), 0x7f800000u);
    EXPECT_EQ(encode(tfmt_bf16, 3.3961775292304957e38), 0x7f80u); // half a step beyond the largest
    EXPECT_EQ(encode(tfmt_boolean, -0.0), 0u);
    EXPECT_EQ(encode(tfmt_boolean, 1e-300), 1u);
    EXPECT_EQ(encode(tfmt_e8m0, 1e300), 0xfeu);
}

TEST(element, every_pattern_survives_its_own_value) {
    for (tfmt_data_type_t type : {tfmt_f16, tfmt_bf16, tfmt_f8_e5m2, tfmt_f8_e4m3, tfmt_f4_e2m1,
                 tfmt_s4, tfmt_u4, tfmt_s8, tfmt_u8, tfmt_e8m0})
        for (uint64_t bits = 0; bits < uint64_t {1} << type_bits(type); ++bits) {
            if (is_nan_bits(type, bits)) {
                EXPECT_TRUE(is_nan_bits(type, encode(type, decode(type, bits))));
                continue;
            }
            if (type == tfmt_f8_e5m2 && (bits & 0x7f) == 0x7c) continue; // infinity saturates
            ASSERT_EQ(encode(type, decode(type, bits)), bits) << type_name(type);
        }
}

// The search over all elements and the compiler's own rounding are two independent answers.
TEST(element, search_agrees_with_the_compiler_on_f32) {
    random_source random(5);
    for (int i = 0; i < 200000; ++i) {
        uint64_t bits = random.bits();
        if (i % 2)
            bits = (bits & ~(uint64_t {0x7ff} << 52)) | (uint64_t(random.between(860, 1160)) << 52);
        const double value = decode(tfmt_f64, bits);
        if (std::isnan(value)) continue;
        ASSERT_EQ(encode_by_search(tfmt_f32, value), encode(tfmt_f32, value)) << value;
    }
}

TEST(element, four_bit_elements_are_low_nibble_first) {
    unsigned char bytes[2] = {0xa5, 0xa5};
    store_bits(tfmt_u4, bytes, 0, 0x3);
    EXPECT_EQ(bytes[0], 0xa3);
    store_bits(tfmt_u4, bytes, 3, 0xc);
    EXPECT_EQ(bytes[1], 0xc5);
    EXPECT_EQ(load_bits(tfmt_u4, bytes, 1), 0xau);
    EXPECT_EQ(bytes_for_elements(tfmt_u4, 3), 2);
}

// The examples of doc/numerics.md and the exception it names.
TEST(element, nans_keep_sign_and_payload) {
    EXPECT_EQ(convert_bits(tfmt_f32, 0xffa00001, tfmt_bf16), 0xffe0u);
    EXPECT_EQ(convert_bits(tfmt_f32, 0xffa00001, tfmt_f16), 0xff00u);
    EXPECT_EQ(convert_bits(tfmt_f32, 0xffa00001, tfmt_f8_e5m2), 0xffu);
    EXPECT_EQ(convert_bits(tfmt_f32, 0xffa00001, tfmt_f64), 0xfffc000020000000u);
    EXPECT_EQ(convert_bits(tfmt_f32, 0xffa00001, tfmt_f8_e4m3), 0xffu);
    EXPECT_EQ(convert_bits(tfmt_bf16, 0x7f81, tfmt_f32), 0x7f810000u);
    EXPECT_EQ(convert_bits(tfmt_bf16, 0x7f81, tfmt_f64), 0x7ff8200000000000u);
    EXPECT_EQ(convert_bits(tfmt_f8_e4m3, 0xff, tfmt_f32), 0xffc00000u);
    EXPECT_EQ(convert_bits(tfmt_f32, 0x7fc00000, tfmt_s32), 0u);
}

TEST(element, same_type_is_the_same_bits) {
    EXPECT_EQ(convert_bits(tfmt_f32, 0x7f800001, tfmt_f32), 0x7f800001u); // a signalling NaN
    EXPECT_EQ(convert_bits(tfmt_boolean, 2, tfmt_boolean), 2u);
    EXPECT_EQ(convert_bits(tfmt_s64, 0x0020000000000001, tfmt_s64), 0x0020000000000001u);
    EXPECT_EQ(decode(tfmt_f64, convert_bits(tfmt_s64, 0x0020000000000001, tfmt_f64)),
            9007199254740992.0);
}

} // namespace
