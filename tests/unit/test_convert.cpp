// SPDX-License-Identifier: Apache-2.0
//
// The portable conversions against the tests' own idea of every data type, which finds the nearest
// element by search (support/element.hpp). What that leaves open, NaN payloads and exact 64-bit
// integers, is checked against numbers written here.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "common/data_type.hpp"
#include "cpu/ref/convert.hpp"
#include "support/element.hpp"

using namespace tfmt_test;
using tfmt::dim_t;
using tfmt::cpu::ref::find_convert_run;
using tfmt::cpu::ref::zero_run;

namespace {

const std::vector<tfmt_data_type_t> all_types = {tfmt_f16, tfmt_bf16, tfmt_f32, tfmt_s32, tfmt_s8,
        tfmt_u8, tfmt_f64, tfmt_boolean, tfmt_f8_e5m2, tfmt_f8_e4m3, tfmt_s4, tfmt_u4, tfmt_e8m0,
        tfmt_f4_e2m1, tfmt_s64};

using codes = std::vector<uint64_t>;

std::vector<uint8_t> pack(tfmt_data_type_t type, const codes &elements) {
    std::vector<uint8_t> bytes(
            static_cast<size_t>(bytes_for_elements(type, static_cast<int64_t>(elements.size()))));
    for (size_t i = 0; i < elements.size(); i++)
        store_bits(type, bytes.data(), static_cast<int64_t>(i), elements[i]);
    return bytes;
}

codes convert_all(tfmt_data_type_t src_type, const codes &src, tfmt_data_type_t dst_type) {
    const std::vector<uint8_t> src_bytes = pack(src_type, src);
    std::vector<uint8_t> dst_bytes = pack(dst_type, codes(src.size(), ~uint64_t {0}));
    find_convert_run(src_type, dst_type)(
            src_bytes.data(), 0, 1, dst_bytes.data(), 0, 1, static_cast<dim_t>(src.size()));
    codes dst(src.size());
    for (size_t i = 0; i < dst.size(); i++)
        dst[i] = load_bits(dst_type, dst_bytes.data(), static_cast<int64_t>(i));
    return dst;
}

uint64_t convert_one(tfmt_data_type_t src_type, uint64_t src, tfmt_data_type_t dst_type) {
    return convert_all(src_type, {src}, dst_type)[0];
}

uint64_t f64_bits(double value) { return encode(tfmt_f64, value); }

std::string describe(tfmt_data_type_t src_type, uint64_t src, tfmt_data_type_t dst_type) {
    char text[100];
    std::snprintf(text, sizeof text, "%s 0x%llx -> %s", type_name(src_type),
            static_cast<unsigned long long>(src), type_name(dst_type));
    return text;
}

// Values must agree; any NaN is as good as another (payloads have tests of their own).
void expect_right(tfmt_data_type_t src_type, const codes &src, tfmt_data_type_t dst_type) {
    const codes got = convert_all(src_type, src, dst_type);
    int n_wrong = 0;
    for (size_t i = 0; i < src.size() && n_wrong < 5; i++) {
        const uint64_t wanted = convert_bits(src_type, src[i], dst_type);
        if (got[i] == wanted) continue;
        if (src_type != dst_type && is_nan_bits(dst_type, got[i]) && is_nan_bits(dst_type, wanted))
            continue;
        n_wrong++;
        ADD_FAILURE() << describe(src_type, src[i], dst_type) << ": got 0x" << std::hex << got[i]
                      << ", wanted 0x" << wanted;
    }
}

codes every_code(tfmt_data_type_t type) {
    codes c(size_t {1} << type_bits(type));
    for (size_t i = 0; i < c.size(); i++)
        c[i] = i;
    return c;
}

// Values of `type`, a narrow one, the points half way between neighbours, and what lies closely
// beside both: where rounding changes its mind.
std::vector<double> turning_points(tfmt_data_type_t type) {
    std::vector<double> values;
    const uint64_t n_codes = uint64_t {1} << type_bits(type);
    for (uint64_t code = 0; code < n_codes; code++) {
        const double value = decode(type, code);
        const double next = decode(type, (code + 1) % n_codes);
        if (!std::isfinite(value)) continue;
        for (const double point : {value, std::isfinite(next) ? (value + next) / 2 : value * 1.25})
            for (const double beside :
                    {point, std::nextafter(point, -HUGE_VAL), std::nextafter(point, HUGE_VAL)})
                values.push_back(beside);
    }
    return values;
}

} // namespace

TEST(convert, every_pair_of_types_has_a_function_and_unknown_ones_none) {
    for (tfmt_data_type_t src : all_types)
        for (tfmt_data_type_t dst : all_types)
            EXPECT_NE(find_convert_run(src, dst), nullptr) << type_name(src) << type_name(dst);
    for (int unknown : {0, 15, 17, -1, 1000}) {
        const auto type = static_cast<tfmt_data_type_t>(unknown);
        EXPECT_EQ(find_convert_run(type, tfmt_f32), nullptr) << unknown;
        EXPECT_EQ(find_convert_run(tfmt_f32, type), nullptr) << unknown;
    }
}

TEST(convert, every_element_of_the_narrow_types_to_every_type) {
    for (tfmt_data_type_t src : all_types) {
        if (type_bits(src) > 16) continue;
        const codes elements = every_code(src);
        for (tfmt_data_type_t dst : all_types)
            expect_right(src, elements, dst);
    }
}

TEST(convert, every_high_half_of_f32_to_every_type) {
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu, 0x0fffu, 0x1000u, 0x1001u}) {
        codes elements(1 << 16);
        for (uint32_t high = 0; high < elements.size(); high++)
            elements[high] = high << 16 | low;
        for (tfmt_data_type_t dst : all_types)
            expect_right(tfmt_f32, elements, dst);
    }
}

TEST(convert, wide_types_around_every_turning_point_of_the_narrow_ones) {
    for (tfmt_data_type_t dst : all_types) {
        if (type_bits(dst) > 16) continue;
        const std::vector<double> values = turning_points(dst);
        for (tfmt_data_type_t src : {tfmt_f64, tfmt_f32, tfmt_s32, tfmt_s64}) {
            codes elements(values.size());
            for (size_t i = 0; i < values.size(); i++)
                elements[i] = encode(src, values[i]);
            expect_right(src, elements, dst);
        }
    }
}

TEST(convert, wide_types_among_each_other) {
    std::mt19937_64 random(7);
    std::vector<double> values = {0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 1e300, -1e300, 1e-300,
            HUGE_VAL, -HUGE_VAL, std::nan(""), 4503599627370495.5, 4503599627370496.5,
            9223372036854775807.0, -9223372036854775808.0, 1e19, -1e19, 2147483647.5, 2147483646.5,
            -2147483648.5, -2147483649.0, 16777217.0, 5e-324, 1.4e-45, 7e-46};
    for (int i = 0; i < 100000; i++)
        values.push_back(std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                -static_cast<int>(random() % 70)));
    for (tfmt_data_type_t src : {tfmt_f64, tfmt_f32, tfmt_s32, tfmt_s64})
        for (tfmt_data_type_t dst : {tfmt_f64, tfmt_f32, tfmt_s32, tfmt_s64}) {
            codes elements;
            for (double value : values)
                elements.push_back(encode(src, value));
            for (int i = 0; i < 100000; i++) // any bits at all
                elements.push_back(random() >> (64 - type_bits(src)));
            if (src == tfmt_s64) // the test's s64 goes through double, which holds 53 bits
                for (uint64_t &element : elements)
                    element &= ~uint64_t {0x7ff};
            expect_right(src, elements, dst);
        }
}

TEST(convert, integers_among_each_other_are_exact) {
    const int64_t values[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1,
            (int64_t {1} << 53) + 1, -(int64_t {1} << 53) - 1, INT64_C(0x100000001),
            INT64_C(-0x100000001), INT32_MAX, INT32_MIN, int64_t {INT32_MAX} + 1,
            int64_t {INT32_MIN} - 1, 300, -300, 128, 127, -128, -129, 16, 15, 8, 7, -8, -9, 1, 0,
            -1};
    const struct {
        tfmt_data_type_t type;
        int64_t lo, hi;
    } targets[] = {{tfmt_s64, INT64_MIN, INT64_MAX}, {tfmt_s32, INT32_MIN, INT32_MAX},
            {tfmt_s8, -128, 127}, {tfmt_u8, 0, 255}, {tfmt_s4, -8, 7}, {tfmt_u4, 0, 15}};
    for (const auto &from : targets)
        for (const auto &to : targets)
            for (int64_t value : values) {
                if (value < from.lo || value > from.hi) continue;
                const int64_t wanted = value < to.lo ? to.lo : value > to.hi ? to.hi : value;
                const auto mask = ~uint64_t {0} >> (64 - type_bits(to.type));
                const uint64_t src = static_cast<uint64_t>(value)
                        & (~uint64_t {0} >> (64 - type_bits(from.type)));
                EXPECT_EQ(
                        convert_one(from.type, src, to.type), static_cast<uint64_t>(wanted) & mask)
                        << describe(from.type, src, to.type);
            }
}

// Rounding to f32 on the way would make ties of these and then take the wrong neighbour.
TEST(convert, f64_and_s32_are_rounded_once) {
    const double above_half = std::ldexp(1.0, -40);
    EXPECT_EQ(convert_one(tfmt_f64, f64_bits(1 + std::ldexp(1.0, -11) + above_half), tfmt_f16),
            0x3c01u);
    EXPECT_EQ(convert_one(tfmt_f64, f64_bits(1 + std::ldexp(1.0, -8) + above_half), tfmt_bf16),
            0x3f81u);
    EXPECT_EQ(convert_one(tfmt_f64, f64_bits(17 + above_half), tfmt_f8_e4m3), 0x59u);
    EXPECT_EQ(convert_one(tfmt_f64, f64_bits(2.5 + above_half), tfmt_f4_e2m1), 5u);
    EXPECT_EQ(convert_one(tfmt_f64, f64_bits(1.5 - above_half), tfmt_e8m0), 127u);
    EXPECT_EQ(convert_one(tfmt_f64, f64_bits(2.5 + above_half), tfmt_s8), 3u);
    EXPECT_EQ(convert_one(tfmt_s32, (1 << 30) + (1 << 22) + 1, tfmt_bf16), 0x4e81u);
    // Of s64 the f64 is rounded, ties to even.
    EXPECT_EQ(convert_one(tfmt_s64, (uint64_t {1} << 53) + 1, tfmt_f64),
            f64_bits(9007199254740992.0));
    EXPECT_EQ(convert_one(tfmt_s64, (uint64_t {1} << 53) + 3, tfmt_f64),
            f64_bits(9007199254740996.0));
}

TEST(convert, one_type_moves_bits) {
    std::mt19937_64 random(3);
    for (tfmt_data_type_t type : all_types) {
        codes elements = type_bits(type) <= 16 ? every_code(type) : codes(100000);
        if (type_bits(type) > 16)
            for (uint64_t &element : elements)
                element = random() >> (64 - type_bits(type));
        elements.push_back(0x7f800001 & (~uint64_t {0} >> (64 - type_bits(type)))); // signalling
        EXPECT_EQ(convert_all(type, elements, type), elements) << type_name(type);
    }
}

TEST(convert, nans_keep_sign_and_top_payload_and_become_quiet) {
    // Signalling f32 NaN with a payload that has bits at the top and at the bottom.
    const uint64_t signalling = 0xffa00001, quiet = 0x7fd55555;
    EXPECT_EQ(convert_one(tfmt_f32, signalling, tfmt_bf16), 0xffe0u);
    EXPECT_EQ(convert_one(tfmt_f32, quiet, tfmt_bf16), 0x7fd5u);
    EXPECT_EQ(convert_one(tfmt_f32, signalling, tfmt_f16), 0xff00u);
    EXPECT_EQ(convert_one(tfmt_f32, quiet, tfmt_f16), 0x7eaau);
    EXPECT_EQ(convert_one(tfmt_f32, signalling, tfmt_f8_e5m2), 0xffu);
    EXPECT_EQ(convert_one(tfmt_f32, quiet, tfmt_f8_e5m2), 0x7eu);
    EXPECT_EQ(convert_one(tfmt_f32, signalling, tfmt_f8_e4m3), 0xffu);
    EXPECT_EQ(convert_one(tfmt_f32, quiet, tfmt_f8_e4m3), 0x7fu);
    EXPECT_EQ(convert_one(tfmt_f32, signalling, tfmt_f64), 0xfffc000020000000u);
    EXPECT_EQ(convert_one(tfmt_f64, 0xfff4000000000001u, tfmt_f32), 0xffe00000u);
    EXPECT_EQ(convert_one(tfmt_f64, 0x7ff0000000000001u, tfmt_f16), 0x7e00u);
    EXPECT_EQ(convert_one(tfmt_f16, 0xfd01, tfmt_f32), 0xffe02000u);
    EXPECT_EQ(convert_one(tfmt_f8_e5m2, 0x7d, tfmt_f32), 0x7fe00000u);
    EXPECT_EQ(convert_one(tfmt_f8_e4m3, 0xff, tfmt_f32), 0xffc00000u);
    EXPECT_EQ(convert_one(tfmt_e8m0, 0xff, tfmt_f32), 0x7fc00000u);
    // Widening bf16 is a shift, which quiets nothing.
    EXPECT_EQ(convert_one(tfmt_bf16, 0xff81, tfmt_f32), 0xff810000u);
}

TEST(convert, nans_where_there_is_no_nan) {
    for (uint64_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu}) {
        for (tfmt_data_type_t type :
                {tfmt_s64, tfmt_s32, tfmt_s8, tfmt_u8, tfmt_s4, tfmt_u4, tfmt_f4_e2m1})
            EXPECT_EQ(convert_one(tfmt_f32, nan, type), 0u) << describe(tfmt_f32, nan, type);
        EXPECT_EQ(convert_one(tfmt_f32, nan, tfmt_boolean), 1u);
        EXPECT_EQ(convert_one(tfmt_f32, nan, tfmt_e8m0), 0xffu);
    }
}

TEST(convert, saturation_and_specials_of_the_8_and_4_bit_floats) {
    const auto from = [](double value, tfmt_data_type_t type) {
        return convert_one(tfmt_f64, f64_bits(value), type);
    };
    EXPECT_EQ(from(61440, tfmt_f8_e5m2), 0x7bu); // IEEE rounding would give infinity
    EXPECT_EQ(from(HUGE_VAL, tfmt_f8_e5m2), 0x7bu);
    EXPECT_EQ(from(-HUGE_VAL, tfmt_f8_e5m2), 0xfbu);
    EXPECT_EQ(from(1e9, tfmt_f8_e4m3), 0x7eu);
    EXPECT_EQ(from(-HUGE_VAL, tfmt_f8_e4m3), 0xfeu);
    EXPECT_EQ(from(-7, tfmt_f4_e2m1), 0xfu);
    EXPECT_EQ(from(-0.0, tfmt_f4_e2m1), 0x8u);
    EXPECT_EQ(from(65520, tfmt_f16), 0x7c00u); // half a step beyond the largest: infinity
    EXPECT_EQ(from(65519.99, tfmt_f16), 0x7bffu);
    EXPECT_EQ(from(0, tfmt_e8m0), 0u);
    EXPECT_EQ(from(-8, tfmt_e8m0), 0u);
    EXPECT_EQ(from(HUGE_VAL, tfmt_e8m0), 0xfeu);
    EXPECT_EQ(from(3, tfmt_e8m0), 128u); // tie between 2 (128) and 4 (129)
    EXPECT_EQ(from(6, tfmt_e8m0), 130u); // tie between 4 (129) and 8 (130)
    EXPECT_EQ(convert_one(tfmt_f8_e5m2, 0x7c, tfmt_f32), 0x7f800000u);
    EXPECT_EQ(convert_one(tfmt_f8_e5m2, 0xfc, tfmt_f16), 0xfc00u);
}

TEST(convert, booleans) {
    EXPECT_EQ(convert_one(tfmt_boolean, 0x80, tfmt_u8), 1u); // any nonzero byte is true
    EXPECT_EQ(convert_one(tfmt_boolean, 2, tfmt_f32), 0x3f800000u);
    EXPECT_EQ(convert_one(tfmt_f32, 0x80000000, tfmt_boolean), 0u); // -0
    EXPECT_EQ(convert_one(tfmt_f32, 1, tfmt_boolean), 1u);          // denormal
    EXPECT_EQ(convert_one(tfmt_f64, 1, tfmt_boolean), 1u);
    EXPECT_EQ(convert_one(tfmt_s64, uint64_t {1} << 63, tfmt_boolean), 1u);
}

// Runs with offsets and strides, longer than any internal buffer, from unaligned addresses; every
// bit of the destination that is not an element must stay.
TEST(convert, strides_offsets_and_neighbours) {
    constexpr dim_t n = 700;
    std::mt19937_64 random(11);
    for (tfmt_data_type_t src_type : all_types)
        for (tfmt_data_type_t dst_type : all_types)
            for (const auto &[src_offset, src_stride, dst_offset, dst_stride] :
                    {std::array<dim_t, 4> {0, 1, 0, 1}, {1, 1, 1, 1}, {1, 1, 2, 1}, {3, 5, 1, 1},
                            {2, 1, 1, 3}, {1, 2, 4, 7}, {5, 0, 1, 2}}) {
                std::vector<uint8_t> src(8 * (src_offset + n * src_stride + 1) + 1);
                std::vector<uint8_t> dst(8 * (dst_offset + n * dst_stride) + 1);
                for (uint8_t &byte : src)
                    byte = static_cast<uint8_t>(random());
                for (uint8_t &byte : dst)
                    byte = static_cast<uint8_t>(random());
                std::vector<uint8_t> wanted = dst;
                for (dim_t i = 0; i < n; i++) {
                    const uint64_t bits = load_bits(
                            src_type, src.data() + 1, src_offset + i * src_stride);
                    store_bits(dst_type, wanted.data() + 1, dst_offset + i * dst_stride,
                            convert_one(src_type, bits, dst_type));
                }
                find_convert_run(src_type, dst_type)(src.data() + 1, src_offset, src_stride,
                        dst.data() + 1, dst_offset, dst_stride, n);
                EXPECT_EQ(dst, wanted)
                        << type_name(src_type) << " " << src_offset << "+i*" << src_stride << " -> "
                        << type_name(dst_type) << " " << dst_offset << "+i*" << dst_stride;
            }
}

TEST(convert, empty_runs_touch_nothing) {
    for (tfmt_data_type_t src : all_types)
        for (tfmt_data_type_t dst : all_types)
            find_convert_run(src, dst)(nullptr, 0, 1, nullptr, 0, 1, 0);
    for (tfmt_data_type_t type : all_types)
        zero_run(type, nullptr, 0, 1, 0);
}

TEST(convert, zero_runs_clear_their_elements_only) {
    for (tfmt_data_type_t type : all_types)
        for (dim_t offset : {0, 1, 2, 3})
            for (dim_t stride : {1, 2, 3})
                for (dim_t n : {0, 1, 2, 3, 4, 9, 64}) {
                    std::vector<uint8_t> bytes(8 * (offset + n * stride) + 1, 0xa5);
                    std::vector<uint8_t> wanted = bytes;
                    for (dim_t i = 0; i < n; i++)
                        store_bits(type, wanted.data(), offset + i * stride, 0);
                    zero_run(type, bytes.data(), offset, stride, n);
                    EXPECT_EQ(bytes, wanted) << type_name(type) << " offset " << offset
                                             << " stride " << stride << " n " << n;
                }
}

#if defined(__SSE__)
// A program that flushes denormals gets the same bits wherever f32 is computed in.
TEST(convert, flushing_denormals_changes_nothing_in_f32) {
    const unsigned saved = _mm_getcsr();
    for (tfmt_data_type_t src :
            {tfmt_bf16, tfmt_f16, tfmt_f8_e5m2, tfmt_f8_e4m3, tfmt_e8m0, tfmt_f4_e2m1, tfmt_s8})
        for (tfmt_data_type_t dst : {tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_f8_e5m2, tfmt_f8_e4m3,
                     tfmt_e8m0, tfmt_f4_e2m1, tfmt_s8, tfmt_u8, tfmt_boolean}) {
            const codes elements = every_code(src);
            const codes wanted = convert_all(src, elements, dst);
            _mm_setcsr(saved | 0x8040); // flush to zero, denormals are zero
            const codes got = convert_all(src, elements, dst);
            _mm_setcsr(saved);
            EXPECT_EQ(got, wanted) << type_name(src) << " -> " << type_name(dst);
        }
}
#endif
