// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <stdexcept>

#include "common/data_type.hpp"
#include "cpu/jit/converter.hpp"
#include "cpu/jit/float_format.hpp"

// Conversions between bf16 or f16 and narrower types in 16-bit lanes. Two facts carry them:
//
// - The bits of floating point numbers, read as integers, are in the order of their magnitudes. So
//   clamping and looking for NaN are integer comparisons of words.
// - A register of words is two of f32: `x << 16` in 32-bit lanes has the even words in the upper
//   halves, `x & 0xffff0000` the odd ones, each a bf16 as f32. Results come back together the same
//   way, so nothing has to change its place, which costs most in f32 lanes.
//
// Times over memcpy on Zen 4, 1 to 1.2 million elements in a row, in f32 lanes and here:
//
//     bf16 to s8       AVX-512 3.2, 2.0   AVX2 6.1, 2.5   SSE4.1 8.7, 4.7
//     f16 to u4        AVX-512 4.0, 2.9   AVX2 6.8, 4.0   SSE4.1 24, 7.8
//     bf16 to f8_e4m3  AVX-512 6.6, 3.4   AVX2 9.5, 4.1   SSE4.1 16, 7.9
//     s8 to bf16       AVX-512 4.1, 1.35  AVX2 5.0, 1.5   SSE4.1 8.9, 3.0
//     s4 to bf16       AVX-512 6.3, 1.1   AVX2 8.0, 1.9   SSE4.1 14, 3.7
//     f8_e4m3 to bf16  AVX-512 7.9, 2.0   AVX2 9.5, 2.8   SSE4.1 17, 5.5
namespace tfmt::cpu::jit {

namespace {

constexpr uint16_t bf16_quiet_nan = 0x7fc0;

// Added to an f32 it rounds it to an integer: its last place is 1, also of sums with small integers
// of either sign.
constexpr uint32_t rounding = 0x4b400000; // 0x1.8p23

// The same in both halves of 32 bits.
constexpr uint32_t twice(uint32_t word) { return word << 16 | (word & 0xffff); }

bool has_4_bits(data_type_t t) { return t == tfmt_s4 || t == tfmt_u4 || t == tfmt_f4_e2m1; }

bool is_f8(data_type_t t) { return t == tfmt_f8_e5m2 || t == tfmt_f8_e4m3; }

// Of a value that is one of the format's: exact, a normal number or zero.
uint16_t word_of(carrier c, float v) {
    const uint32_t bits = f32_bits(v), sign = bits >> 31 << 15, magnitude = bits & 0x7fffffff;
    if (c == carrier::bf16) return uint16_t(bits >> 16);
    return uint16_t(sign | (magnitude == 0 ? 0 : (magnitude - f16_format.rebias()) >> 13));
}

const float_format &format_of(data_type_t type) {
    return type == tfmt_f8_e5m2 ? f8_e5m2_format : f8_e4m3_format;
}

} // namespace

values_16 values_of_4_bits(data_type_t type, float added) {
    static const float f4_magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    values_16 values;
    for (int code = 0; code < 16; code++) {
        if (type == tfmt_f4_e2m1)
            values.at[code] = code < 8 ? f4_magnitudes[code] : -f4_magnitudes[code - 8];
        else
            values.at[code] = float(type == tfmt_s4 && code >= 8 ? code - 16 : code) + added;
    }
    return values;
}

bool converts_in(carrier of_16_bits, data_type_t src, data_type_t dst, bool has_f16_arithmetic) {
    if (of_16_bits == carrier::f16) {
        const bool decodes_to_f16 = has_4_bits(src)
                || (has_f16_arithmetic && (src == tfmt_s8 || src == tfmt_u8));
        return (src == tfmt_f16 && is_small_integer(dst)) || (decodes_to_f16 && dst == tfmt_f16);
    }
    const bool is_bf16 = src == tfmt_bf16 || is_small_integer(src) || has_4_bits(src) || is_f8(src)
            || src == tfmt_boolean;
    return is_bf16 && (dst == tfmt_bf16 || is_small_integer(dst) || is_f8(dst));
}

void converter::decode_words(data_type_t type, int out, int a) {
    switch (type) {
    case tfmt_bf16:
    case tfmt_f16: return o_.move(out, a);
    case tfmt_s8: o_.widen_words(out, a, true); return decode_words_i8(out);
    case tfmt_u8: o_.widen_words(out, a, false); return decode_words_i8(out);
    case tfmt_boolean:
        o_.widen_words(out, a, false);
        o_.op_with(lane_op::min_i16, out, out, twice(1));
        return o_.op_with(lane_op::mul_low_i16, out, out, twice(word_of(carrier_, 1)));
    case tfmt_f8_e5m2:
    case tfmt_f8_e4m3:
        o_.widen_words(t_[0], a, false);
        return decode_words_f8(out, t_[0], format_of(type));
    default: break;
    }
    if (!has_4_bits(type)) throw std::logic_error("type that is not decoded in words");
    uint16_t table[16];
    for (int code = 0; code < 16; code++)
        table[code] = word_of(carrier_, values_of_4_bits(type).at[code]);
    o_.widen_words(t_[0], a, false);
    o_.lookup_words(out, t_[0], table);
}

// Integers of at most 8 bits have no more digits than a bf16: of their f32 the lower half is zero.
// To f16 by AVX512_FP16, not in f32 lanes of half a register each: u8 abcd -> aBcd16b 1x3x240x135
// 3.6 times memcpy so, 1.7 by words; in a row and transposed 0.75 of the time.
void converter::decode_words_i8(int x) {
    if (carrier_ == carrier::f16) return o_.f16_from_i16(x, x);
    const int even = t_[0];
    o_.op_with(lane_op::dot_i16, even, x, 0x00000001); // even words, their signs extended
    o_.shift(lane_shift::arithmetic_right_32, x, x, 16);
    o_.f32_from_i32(even, even);
    o_.f32_from_i32(x, x);
    o_.shift(lane_shift::right_32, even, even, 16);
    o_.op(lane_op::or_bits, x, x, even);
}

// Normal numbers need their digits moved and another bias. The others, denormals at the bottom and
// what is special at the top, differ in their last 4 bits, by which they are looked up.
void converter::decode_words_f8(int out, int x, const float_format &f) {
    const int magnitude = t_[1], sign = t_[2], other = t_[3];
    const int n_denormals = f.smallest_normal();
    const int top = f.top == float_format::ieee ? f.top_code() : f.largest() + 1; // special
    uint16_t table[16] = {};
    const float step = f.top == float_format::ieee ? 0x1p-16f : 0x1p-9f;
    for (int code = 0; code < n_denormals; code++)
        table[code] = word_of(carrier::bf16, float(code) * step);
    for (int code = top; code < 0x80; code++)
        table[code % 16] = bf16_quiet_nan;
    if (f.top == float_format::ieee)
        for (int code = top; code < 0x80; code++) {
            const int payload = (code & f.mantissa_mask()) << (7 - f.mantissa_bits);
            table[code % 16] = uint16_t(code == top ? 0x7f80 : bf16_quiet_nan | payload);
        }
    o_.op_with(lane_op::and_bits, magnitude, x, twice(0x7f));
    o_.shift(lane_shift::left_16, sign, x, 8);
    o_.shift(lane_shift::left_16, out, magnitude, 7 - f.mantissa_bits);
    o_.op_with(lane_op::add_i16, out, out, twice(f.rebias() >> 16));
    o_.lookup_words(other, magnitude, table);
    o_.select_with(lane_compare::greater_i16, out, magnitude, twice(uint32_t(top - 1)), other);
    o_.select_with(
            lane_compare::greater_i16, other, magnitude, twice(uint32_t(n_denormals - 1)), out);
    o_.or_masked(out, other, sign, twice(0x8000));
}

void converter::encode_two(data_type_t type, int a, int b) {
    if (type == tfmt_f16) {
        o_.f16_from_f32(a, a);
        o_.f16_from_f32(b, b);
        return o_.append_half(a, b);
    }
    encode_two_bf16(a, b);
}

// Not f16 on AVX2, where to bring the words in order takes longer than to permute parameters: u4
// to f16, BA16a64b2a, took 1.05 times as long.
bool converter::converts_in_turns(data_type_t src, data_type_t dst) const {
    if (dst == tfmt_bf16 && o_.splits_bytes()) return true;
    return has_4_bits(src) && o_.looks_up_f32() && o_.interleaves_words();
}

void converter::decode_in_turns(data_type_t type, int even, int odd, int a) {
    if (has_4_bits(type) && o_.looks_up_f32()) {
        // Of an index only the low 4 bits count.
        o_.widen(even, a, 2, false);
        o_.shift(lane_shift::right_32, odd, even, 8);
        const values_16 values = values_of_4_bits(type, added_);
        o_.lookup_f32(even, even, values.at);
        return o_.lookup_f32(odd, odd, values.at);
    }
    o_.split_bytes(even, odd, a);
    decode_f32(type, even, even);
    decode_f32(type, odd, odd);
}

void converter::encode_in_turns(data_type_t type, int even, int odd) {
    if (type == tfmt_bf16 && !o_.has_masks()) return encode_two_bf16(even, odd);
    encode_f32(type, even);
    encode_f32(type, odd);
    o_.interleave_words(even, odd);
}

// From f32 that is no signalling NaN: its upper halves, and 1 where the lower ones, 0x7fff and what
// makes ties even carry. An average has the carry in its top bit. NaN, which the upper half tells,
// are cut.
//
// In 32-bit lanes, comparing and selecting each, u4 to bf16 on AVX2 took 1.4 times as long with
// tables of 16 values, and 1.1 times in rows of other parameters.
void converter::encode_two_bf16(int a, int b) {
    const int low = t_[0], other = t_[1];
    o_.shift(lane_shift::left_32, low, b, 16);
    o_.merge_words(low, a, low);
    o_.shift(lane_shift::right_32, a, a, 16);
    o_.merge_words(a, a, b);
    o_.and_or(other, a, twice(1), twice(0x7ffe));
    o_.op(lane_op::average_u16, low, low, other);
    o_.shift(lane_shift::right_16, low, low, 15);
    o_.op_with(lane_op::and_bits, other, a, twice(0x7fff));
    o_.zero_where_greater_i16(low, other, twice(0x7f80));
    o_.op(lane_op::add_i16, a, a, low);
}

void converter::encode_words(data_type_t type, int x) {
    switch (type) {
    case tfmt_bf16:
    case tfmt_f16: return;
    case tfmt_s8: return encode_words_integer(x, -128, 127);
    case tfmt_u8: return encode_words_integer(x, 0, 255);
    case tfmt_u4: return encode_words_integer(x, 0, 15);
    case tfmt_s4:
        encode_words_integer(x, -8, 7);
        return o_.op_with(lane_op::and_bits, x, x, 0x0f0f0f0f);
    case tfmt_f8_e5m2:
    case tfmt_f8_e4m3: encode_low_bytes(type, x); return o_.narrow_words(x, x);
    default: throw std::logic_error("type that is not encoded in words");
    }
}

// The grid is even, so that ties round to the same integers with it; NaN stay the lowest word.
void converter::finish_words(int x, float grid) {
    if (grid != 0) o_.op_with(lane_op::sub_sat_i16, x, x, twice(uint32_t(grid)));
}

bool converter::packs_by_bf16(float grid) const {
    return grid == arithmetic::grid_of_4_bits && o_.has_bf16();
}

// The sums are rounded to bf16, whose last place is 1 there, to even as integers are, and counted
// as words from the grid on, of s4 from 8 below. What lies beyond is larger or smaller as a word,
// too; NaN are too large, or less than -infinity, but for u4 all below 0 is one. bf16 to s4 with
// groups takes 0.9 of the time in place of two bounds and an integer for each lane, to u4 0.96. In
// rows s4 take another 0.96, counted from -8: bytes have one bound then, and nothing above it.
void converter::pack_by_bf16(data_type_t type, int a, int b, float grid) {
    const auto word = [](float v) { return twice(uint32_t(f32_bits(v) >> 16)); };
    const uint32_t infinity = word(std::numeric_limits<float>::infinity());
    if (type == tfmt_u4) {
        o_.bf16_from_two_f32(a, a, b);
        return o_.op_or_zero_i16(lane_op::sub_sat_i16, a, word(grid), a, infinity);
    }
    o_.bf16_from_two_f32(b, a, b);
    o_.op_with(lane_op::and_bits, a, b, 0x7fff7fff);
    o_.op_or_other_i16(lane_op::sub_sat_i16, a, word(grid - 8), b, infinity, twice(8));
}

bool converter::leaves_low_bytes(data_type_t type) const {
    return bytes_of(carrier_) == 2 && is_f8(type);
}

void converter::encode_low_bytes(data_type_t type, int x) { encode_words_f8(x, format_of(type)); }

// The odd (even) words of 32-bit lanes, rounded to the integers that the low bytes then are. They
// lie within some hundreds.
void converter::round_words(int out, int x, bool is_odd) {
    if (carrier_ == carrier::bf16) return o_.add_bf16(out, x, is_odd, rounding);
    // The exponent becomes one of f32 by another bias. That of a denormal becomes 2^-15, which is
    // as good as any number that rounds to 0.
    if (!is_odd) o_.shift(lane_shift::left_32, out, x, 16);
    o_.shift(lane_shift::arithmetic_right_32, out, is_odd ? x : out, 3);
    o_.op_with(lane_op::and_bits, out, out, 0x8fffe000);
    o_.op_with(lane_op::add_i32, out, out, f16_format.rebias());
    o_.i32_from_f32(out, out);
}

// The ends of the range are exact in both formats.
void converter::encode_words_integer(int x, int low, int high) {
    const uint32_t infinity = carrier_ == carrier::bf16 ? 0x7f80 : 0x7c00;
    if (low == 0) {
        // Negative words are negative numbers and NaN.
        o_.op_or_zero_i16(lane_op::max_i16, x, 0, x, twice(infinity));
    } else {
        const int magnitude = t_[0];
        o_.op_with(lane_op::and_bits, magnitude, x, twice(0x7fff));
        // Without signs words of negative numbers are the largest, in the order of magnitudes.
        o_.op_or_zero_i16(lane_op::min_u16, x, twice(word_of(carrier_, float(low))), magnitude,
                twice(infinity));
    }
    o_.op_with(lane_op::min_i16, x, x, twice(word_of(carrier_, float(high))));
    // f16 to s4 0.6 to 0.7 of the time, to u8 0.8 to 0.9.
    if (carrier_ == carrier::f16 && o_.has_f16_arithmetic()) {
        o_.i16_from_f16(x, x);
        return o_.narrow_words(x, x);
    }
    const int even = t_[0], odd = t_[1];
    round_words(even, x, false);
    round_words(odd, x, true);
    o_.narrow_two(x, even, odd);
}

// From bf16. As converter::encode_small_float, but for the denormals of the format in words. The
// largest number bounds what is rounded, NaN included, so that no code is too large.
//
// Tried on Zen 4 without gain: products in place of the shifts, which share two pipes with shuffles
// (a tenth slower), and vpermb in place of vpmovwb.
void converter::encode_words_f8(int x, const float_format &f) {
    const int magnitude = t_[0], code = t_[1], other = t_[2], sign = t_[3];
    const int dropped_bits = 7 - f.mantissa_bits;
    const uint32_t rebias = f.rebias() >> 16;
    const uint32_t largest = (uint32_t(f.largest()) << dropped_bits) + rebias;
    o_.shift(lane_shift::right_16, sign, x, 8);
    o_.op_with(lane_op::and_bits, magnitude, x, twice(0x7fff));
    o_.op_with(lane_op::min_i16, x, magnitude, twice(largest));
    // Denormals: adding a number whose last place is their step leaves the rounded count of steps
    // in the low bits.
    const uint32_t magic = f.step() + (23u << 23);
    o_.add_bf16(code, x, false, magic);
    o_.add_bf16(other, x, true, magic);
    o_.shift(lane_shift::left_32, other, other, 16);
    o_.merge_words(code, code, other);
    // Normal numbers: half of the last place less one is added, and the last bit; what is dropped
    // is shifted out. An average adds one and shifts by one, and what the bias lets overflow ends
    // up above the code's byte.
    const uint32_t below_half = (1u << (dropped_bits - 1)) - 1;
    o_.shift(lane_shift::right_16, other, x, dropped_bits);
    o_.and_or(other, other, twice(1), twice(below_half - 1 - rebias));
    o_.op(lane_op::average_u16, other, other, x);
    o_.shift_where_greater_i16(code, x, twice(rebias + (1u << 7) - 1), other, dropped_bits - 1);
    if (f.top == float_format::one_nan) {
        o_.fill(other, twice(uint32_t(f.largest() + 1)), 4);
        o_.select_with(lane_compare::greater_i16, code, magnitude, twice(0x7f80), other);
    } else { // quiet, with what fits of the payload
        o_.op_with(lane_op::or_bits, other, magnitude, twice(0x40));
        o_.shift_where_greater_i16(code, magnitude, twice(0x7f80), other, dropped_bits);
    }
    if (f.top == float_format::ieee) // what has come from a NaN's exponent is in the sign's place
        o_.take_masked(x, code, sign, twice(0x80));
    else
        o_.or_masked(x, code, sign, twice(0x80));
}

} // namespace tfmt::cpu::jit
