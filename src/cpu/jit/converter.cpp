// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/converter.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "common/data_type.hpp"
#include "cpu/jit/float_format.hpp"

namespace tfmt::cpu::jit {

namespace {

constexpr uint32_t f32_magnitude = 0x7fffffff;
constexpr uint32_t f32_infinity = 0x7f800000, f32_quiet_nan = 0x7fc00000;
constexpr uint64_t f64_magnitude = 0x7fffffffffffffff;

bool is_integer(data_type_t t) {
    return is_small_integer(t) || t == tfmt_s32 || t == tfmt_s64 || t == tfmt_boolean;
}

// Whether integers that f32 rounds, from 2^24 on, are all too large for that type.
bool is_below_inexact_f32(data_type_t t) {
    return t == tfmt_f16 || t == tfmt_f8_e5m2 || t == tfmt_f8_e4m3 || t == tfmt_f4_e2m1;
}

} // namespace

carrier carrier_of(data_type_t src, data_type_t dst, bool has_f16_arithmetic) {
    if (is_integer(src) && is_integer(dst))
        return src == tfmt_s64 || dst == tfmt_s64 ? carrier::i64 : carrier::i32;
    if (converts_in(carrier::bf16, src, dst, has_f16_arithmetic)) return carrier::bf16;
    if (converts_in(carrier::f16, src, dst, has_f16_arithmetic)) return carrier::f16;
    // One rounding of an exact value: f32 itself may stand for what doc/numerics.md calls f64.
    if (src == tfmt_s32 && (dst == tfmt_f32 || is_below_inexact_f32(dst))) return carrier::f32;
    if (src == tfmt_s32 && dst == tfmt_bf16) return carrier::f32_without_denormals;
    if (src == tfmt_f16 && dst == tfmt_bf16) return carrier::f32_without_denormals;
    if (dst == tfmt_s32 && computing_type(src, src) == tfmt_f32) return carrier::f32;
    return computing_type(src, dst) == tfmt_f64 ? carrier::f64 : carrier::f32;
}

carrier carrier_of(const conversion &c, bool has_f16_arithmetic) {
    if (!c.steps) return carrier_of(c.src_type, c.dst_type, has_f16_arithmetic);
    if (c.steps.computing_type == tfmt_f64) return carrier::f64;
    // What is computed is no signalling NaN.
    return c.steps.makes_denormals ? carrier::f32 : carrier::f32_without_denormals;
}

void converter::decode(data_type_t type, int out, int a) {
    const int width = o_.width_bytes;
    switch (carrier_) {
    case carrier::f32:
    case carrier::f32_without_denormals: decode_f32(type, out, a); break;
    case carrier::i32: decode_i32(type, out, a); break;
    case carrier::bf16:
    case carrier::f16: decode_words(type, out, a); break;
    case carrier::f64:
        if (type == tfmt_f64) return o_.move(out, a);
        if (type == tfmt_s32) return o_.f64_from_i32(out, a);
        if (type == tfmt_s64) {
            o_.move(out, a);
            return o_.f64_from_i64(out, out, t_[0], t_[1]);
        }
        o_.width_bytes = width / 2;
        decode_f32(type, out, a);
        o_.width_bytes = width;
        o_.f64_from_f32(out, out);
        break;
    case carrier::i64:
        if (type == tfmt_s64) return o_.move(out, a);
        o_.width_bytes = width / 2;
        decode_i32(type, out, a);
        o_.width_bytes = width;
        o_.i64_from_i32(out, out);
        break;
    }
}

bool converter::decodes_without_temps(data_type_t type) const {
    if (!is_f32(carrier_) || decides_bf16(type)) return false;
    if (type == tfmt_f16 || type == tfmt_f8_e5m2) return o_.has_f16();
    return type != tfmt_f8_e4m3 && type != tfmt_f4_e2m1 && type != tfmt_e8m0;
}

void converter::encode(data_type_t type, int x) {
    switch (carrier_) {
    case carrier::f32:
    case carrier::f32_without_denormals: encode_f32(type, x); break;
    case carrier::i32: encode_i32(type, x); break;
    case carrier::f64: encode_f64(type, x); break;
    case carrier::i64: encode_i64(type, x); break;
    case carrier::bf16:
    case carrier::f16: encode_words(type, x); break;
    }
}

bool converter::narrows_lanes(data_type_t type) const {
    if (bytes_of(carrier_) == 8) return false;
    const int elem_bytes = std::max(1, bits_of(type) / 8);
    if (elem_bytes >= bytes_of(carrier_)) return false;
    if (type == tfmt_f16) return !o_.has_f16();
    return type != tfmt_bf16 || carrier_ != carrier::f32_without_denormals || !o_.has_bf16();
}

void converter::decode_f32(data_type_t type, int out, int a) {
    switch (type) {
    case tfmt_f32: return o_.move(out, a);
    case tfmt_bf16: return o_.widen_to_high(out, a);
    case tfmt_f16:
        if (o_.has_f16()) return o_.f32_from_f16(out, a);
        o_.widen(out, a, 2, false);
        return decode_small_float(out, f16_format);
    case tfmt_f8_e5m2:
        if (o_.has_f16()) { // the upper half of an f16
            o_.high_bytes(out, a);
            return o_.f32_from_f16(out, out);
        }
        o_.widen(out, a, 1, false);
        return decode_small_float(out, f8_e5m2_format);
    case tfmt_f8_e4m3: o_.widen(out, a, 1, false); return decode_small_float(out, f8_e4m3_format);
    case tfmt_f4_e2m1: o_.widen(out, a, 1, false); return decode_small_float(out, f4_e2m1_format);
    case tfmt_e8m0:
        o_.widen(t_[0], a, 1, false);
        o_.shift(lane_shift::left_32, out, t_[0], 23);
        o_.op_with(lane_op::max_i32, out, out, 0x00400000); // 2^-127
        o_.fill(t_[1], f32_quiet_nan, 4);
        return o_.select_with(lane_compare::greater_i32, out, t_[0], 0xfe, t_[1]);
    default: break;
    }
    if (added_ != 0 || type == tfmt_s4) {
        o_.widen(out, a, 1, false);
        if (added_ == 0 && o_.looks_up_f32())
            return o_.lookup_f32(out, out, values_of_4_bits(type).at);
        const uint64_t added = f32_bits(added_ != 0 ? added_ : 0x1p23f + 8);
        o_.op_with(lane_op::xor_bits, out, out, added); // its last bits turn the sign's around
        return added_ != 0 ? void() : o_.op_with(lane_op::sub_f32, out, out, added);
    }
    decode_i32(type, out, a);
    if (decides_bf16(type)) keep_what_decides_bf16(out);
    o_.f32_from_i32(out, out);
}

// An s32 beyond 2^24, which f32 may round, loses its last 7 bits before and, if there were any, has
// the next one set: f32 holds the 24 others, and on which side of the middle between two bf16 it
// is, which are 2^17 apart and more, stays as it was. By way of f64 s32 to bf16 took 25 and 14
// times memcpy on Zen 1 (AVX2, 400 KB and 3 MB), so 7.2 and 5.6; to f16, which needs none of this,
// 21 and 13, so 2.4 and 1.6.
void converter::keep_what_decides_bf16(int x) {
    constexpr uint32_t cut_bits = 0x7f, inexact = 1 << 24, sign = 0x80000000;
    const int cut = t_[0], distance = t_[1];
    o_.op_with(lane_op::and_bits, cut, x, cut_bits);
    o_.op_with(lane_op::add_i32, cut, cut, cut_bits);
    o_.op(lane_op::or_bits, cut, cut, x);
    o_.op_with(lane_op::and_bits, cut, cut, ~cut_bits);
    o_.op_with(lane_op::add_i32, distance, x, sign + inexact); // from -2^24, as if unsigned
    o_.select_with(lane_compare::greater_i32, x, distance, sign + 2 * inexact, cut);
}

void converter::decode_i32(data_type_t type, int out, int a) {
    switch (type) {
    case tfmt_s32: return o_.move(out, a);
    case tfmt_s8: return o_.widen(out, a, 1, true);
    case tfmt_u8:
    case tfmt_u4: return o_.widen(out, a, 1, false);
    case tfmt_s4:
        o_.widen(out, a, 1, false);
        o_.shift(lane_shift::left_32, out, out, 28);
        return o_.shift(lane_shift::arithmetic_right_32, out, out, 28);
    case tfmt_boolean: o_.widen(out, a, 1, false); return o_.op_with(lane_op::min_i32, out, out, 1);
    default: throw std::logic_error("not an integer of 32 bits or less");
    }
}

// See small_float in cpu/ref/convert_floats.hpp, step by step.
void converter::decode_small_float(int x, const float_format &f) {
    const int sign = t_[0], other = t_[1], value = t_[2];
    o_.shift(lane_shift::right_32, sign, x, f.sign_position());
    o_.shift(lane_shift::left_32, sign, sign, 31);
    o_.op_with(lane_op::and_bits, x, x, uint32_t(1 << f.sign_position()) - 1);
    o_.f32_from_i32(value, x);
    o_.op_with(lane_op::mul_f32, value, value, f.step());
    o_.shift(lane_shift::left_32, other, x, f.dropped_bits());
    o_.op_with(lane_op::add_i32, other, other, f.rebias());
    o_.select_with(lane_compare::greater_i32, value, x, uint32_t(f.smallest_normal() - 1), other);
    if (f.top == float_format::ieee) {
        const int quiet = t_[3];
        o_.shift(lane_shift::left_32, other, x, f.dropped_bits());
        o_.op_with(lane_op::or_bits, other, other, f32_infinity);
        o_.op_with(lane_op::or_bits, quiet, other, f32_quiet_nan);
        o_.select_with(lane_compare::greater_i32, other, x, uint32_t(f.top_code()), quiet);
    }
    if (f.top == float_format::one_nan) o_.fill(other, f32_quiet_nan, 4);
    if (f.top != float_format::numbers)
        o_.select_with(lane_compare::greater_i32, value, x, uint32_t(f.largest()), other);
    o_.op(lane_op::or_bits, x, value, sign);
}

void converter::encode_f32(data_type_t type, int x) {
    switch (type) {
    case tfmt_f32: return;
    case tfmt_bf16: return encode_bf16(x);
    case tfmt_f16:
        if (o_.has_f16()) return o_.f16_from_f32(x, x);
        encode_small_float(x, f16_format);
        return o_.narrow(x, x, 2);
    case tfmt_f8_e5m2: encode_small_float(x, f8_e5m2_format); break;
    case tfmt_f8_e4m3: encode_small_float(x, f8_e4m3_format); break;
    case tfmt_f4_e2m1: encode_small_float(x, f4_e2m1_format); break;
    case tfmt_e8m0: encode_e8m0(x); break;
    case tfmt_s32:
        o_.clear_nan_f32(x);
        o_.i32_from_f32(t_[0], x);
        o_.fill(t_[1], INT32_MAX, 4);
        o_.select_with(lane_compare::greater_i32, t_[0], x, f32_bits(0x1.fffffep30f), t_[1]);
        return o_.move(x, t_[0]);
    case tfmt_s8: round_to_i32(x, -128, 127); break;
    case tfmt_u8: round_to_i32(x, 0, 255); break;
    case tfmt_s4:
        round_to_i32(x, -8, 7);
        o_.op_with(lane_op::and_bits, x, x, 0xf);
        break;
    case tfmt_u4: round_to_i32(x, 0, 15); break;
    case tfmt_boolean:
        o_.op_with(lane_op::and_bits, x, x, f32_magnitude);
        is_nonzero_i32(x);
        break;
    default: throw std::logic_error("type that f32 is not encoded to");
    }
    o_.narrow(x, x, 1);
}

void converter::round_to_i32(int x, float low, float high) {
    if (low == 0) {
        // The second operand where either is NaN: 0.
        o_.op_with(lane_op::max_f32, x, x, f32_bits(0));
    } else {
        o_.clear_nan_f32(x);
        o_.op_with(lane_op::max_f32, x, x, f32_bits(low));
    }
    o_.op_with(lane_op::min_f32, x, x, f32_bits(high));
    o_.i32_from_f32(x, x);
}

// 1 where x is not 0, else 0.
void converter::is_nonzero_i32(int x) {
    o_.fill(t_[0], 1, 4);
    o_.fill(t_[1], 0, 4);
    o_.select(lane_compare::equal_i32, t_[0], x, t_[1], t_[1]);
    o_.move(x, t_[0]);
}

// Half of the last place is added to the bits, and the last bit, so that ties go to even. A carry
// never reaches the sign but from a NaN.
void converter::encode_bf16(int x) {
    if (carrier_ == carrier::f32_without_denormals && o_.has_bf16()) return o_.bf16_from_f32(x, x);
    if (o_.has_masks()) return o_.bf16_from_any_f32(x, t_[0]);
    const int rounded = t_[0], other = t_[1];
    o_.shift(lane_shift::right_32, other, x, 16);
    o_.op_with(lane_op::and_bits, rounded, other, 1);
    o_.op(lane_op::add_i32, rounded, rounded, x);
    o_.op_with(lane_op::add_i32, rounded, rounded, 0x7fff);
    o_.shift(lane_shift::right_32, rounded, rounded, 16);
    const bool is_quiet = carrier_ == carrier::f32_without_denormals;
    if (!is_quiet) o_.op_with(lane_op::or_bits, other, other, 0x40);
    o_.select(lane_compare::unordered_f32, rounded, x, x, other);
    o_.narrow(x, rounded, 2);
}

void converter::encode_e8m0(int x) {
    const int magnitude = t_[0], code = t_[1], other = t_[2];
    o_.op_with(lane_op::and_bits, magnitude, x, f32_magnitude);
    o_.shift(lane_shift::right_32, code, magnitude, 23);
    o_.op_with(lane_op::and_bits, code, code, 1);
    o_.op(lane_op::add_i32, code, code, magnitude);
    o_.op_with(lane_op::add_i32, code, code, 0x003fffff);
    o_.shift(lane_shift::right_32, code, code, 23);
    o_.op_with(lane_op::min_i32, code, code, 0xfe);
    // Denormals lie between codes 0 and 1.
    o_.fill(t_[3], 1, 4);
    o_.fill(other, 0, 4);
    o_.select_with(lane_compare::greater_i32, other, magnitude, 0x00600000, t_[3]);
    o_.select_with(lane_compare::greater_i32, other, magnitude, 0x007fffff, code);
    o_.shift(lane_shift::arithmetic_right_32, x, x, 31);
    o_.op(lane_op::and_not_bits, x, x, other);
    o_.fill(t_[3], 0xff, 4);
    o_.select_with(lane_compare::greater_i32, x, magnitude, f32_infinity, t_[3]);
}

// One addition rounds: to a magnitude c = 2^e * 1.xxx a number M = 2^(e + dropped bits) is added,
// whose last place is the last one that the format has for c, so c is a count of these in the low
// bits of the sum, from 2^m to 2^(m+1) with m the bits of the mantissa. Denormals have the e of the
// smallest normal number, and a count from 0. The code is the count and 2^m for each exponent above
// the smallest: M itself, shifted by what its mantissa has more than the format's, less a constant.
// That stands in the low bits of M from the beginning, since only the last 8 bits of the code
// matter. Example, e4m3 of 1.3: e = 0, M = 2^20, a last place of 1/8, count 10; with e = 0 six
// above the smallest 10 + 6 * 8 = 0x3a, that is 1.25.
//
// As in small_float of cpu/ref/convert_floats.hpp, with integers for normal numbers and this for
// denormals only, f32 to f8 took 3.6 to 4.1 times memcpy on AVX-512.
void converter::encode_small_float(int x, const float_format &f) {
    const int magnitude = t_[0], sum = t_[1], unit = t_[2], other = t_[3];
    const uint32_t n_dropped = uint32_t(f.dropped_bits());
    const uint32_t smallest = f.rebias() + (1u << 23);
    const uint32_t surplus = (smallest + (n_dropped << 23)) >> n_dropped;
    const bool is_byte = f.sign_position() < 8;
    const uint32_t in_unit = is_byte ? (0u - surplus) & 0xff : 0;
    // Bounded by what becomes the code for too large a number; so are infinity and NaN.
    const uint32_t bound = f.overflow() << n_dropped;
    o_.op_with(lane_op::and_bits, magnitude, x, f32_magnitude);
    o_.op_with(lane_op::min_i32, sum, magnitude, bound + f.rebias());
    o_.op_with(lane_op::and_bits, unit, sum, f32_infinity);
    o_.op_with(lane_op::max_i32, unit, unit, smallest);
    o_.op_with(lane_op::add_i32, unit, unit, (n_dropped << 23) + in_unit);
    o_.op(lane_op::add_f32, sum, sum, unit);
    o_.shift(lane_shift::right_32, unit, unit, int(n_dropped));
    o_.op(lane_op::add_i32, sum, sum, unit);
    if (!is_byte) o_.op_with(lane_op::sub_i32, sum, sum, surplus);
    if (f.top == float_format::one_nan) o_.fill(other, uint32_t(f.largest() + 1), 4);
    if (f.top == float_format::ieee) { // quiet, with what fits of the payload
        o_.shift(lane_shift::right_32, other, magnitude, int(n_dropped));
        o_.op_with(lane_op::or_bits, other, other, uint32_t(f.smallest_normal() >> 1));
    }
    if (f.top != float_format::numbers)
        o_.select_with(lane_compare::greater_i32, sum, magnitude, f32_infinity, other);
    o_.shift(lane_shift::right_32, x, x, 31 - f.sign_position());
    if (f.top == float_format::ieee) // what has come from a NaN's exponent is in the sign's place
        o_.take_masked(x, sum, x, 1u << f.sign_position());
    else
        o_.or_masked(x, sum, x, 1u << f.sign_position());
    if (f.top == float_format::numbers) {
        o_.fill(other, 0, 4);
        o_.select_with(lane_compare::greater_i32, x, magnitude, f32_infinity, other);
    }
}

void converter::encode_i32(data_type_t type, int x) {
    const auto clamp = [&](int low, int high) {
        o_.op_with(lane_op::max_i32, x, x, uint32_t(low));
        o_.op_with(lane_op::min_i32, x, x, uint32_t(high));
    };
    switch (type) {
    case tfmt_s32: return;
    case tfmt_s8: clamp(-128, 127); break;
    case tfmt_u8: clamp(0, 255); break;
    case tfmt_s4:
        clamp(-8, 7);
        o_.op_with(lane_op::and_bits, x, x, 0xf);
        break;
    case tfmt_u4: clamp(0, 15); break;
    case tfmt_boolean: is_nonzero_i32(x); break;
    default: throw std::logic_error("not an integer of 32 bits or less");
    }
    o_.narrow(x, x, 1);
}

bool converter::packs(data_type_t src, data_type_t dst) const {
    // See decode_small_float.
    if (!o_.has_f16() && (src == tfmt_f16 || src == tfmt_f8_e5m2)) return false;
    return (is_f32(carrier_) || carrier_ == carrier::i32) && is_small_integer(dst);
}

// A bound from above is enough: what is far below becomes INT32_MIN, and so does NaN, which
// unsigned types make 0; of s4, bounded from below too, a byte whose low half is 0.
void converter::encode_lanes(data_type_t type, int x, float grid) {
    if (carrier_ == carrier::i32) return;
    const float high = type == tfmt_s8 ? 127 : type == tfmt_u8 ? 255 : type == tfmt_s4 ? 7 : 15;
    type == tfmt_s8 ? o_.min_or_zero_f32(x, f32_bits(high))
                    : o_.min_or_nan_f32(x, f32_bits(high + grid), t_[0]);
    if (type == tfmt_s4) o_.max_or_nan_f32(x, f32_bits(grid - 8), t_[0]);
    o_.i32_from_f32(x, x);
}

void converter::pack_bytes(data_type_t type, int out, int a, int b, bool by_bf16) {
    o_.pack_bytes(out, a, b, type == tfmt_s8 || (type == tfmt_s4 && !by_bf16));
}

// By bf16 s4 are counted from -8: their codes with the sign turned around.
void converter::finish_packed(data_type_t type, int x, bool by_bf16) {
    const bool is_bounded = bits_of(type) != 4 || (carrier_ != carrier::i32 && !by_bf16);
    if (is_bounded) return;
    if (type == tfmt_u4 || by_bf16) {
        o_.op_with(lane_op::min_u8, x, x, 0x0f0f0f0f);
    } else {
        o_.op_with(lane_op::min_i8, x, x, 0x07070707);
        o_.op_with(lane_op::max_i8, x, x, 0xf8f8f8f8);
    }
    if (type == tfmt_s4 && by_bf16) o_.op_with(lane_op::xor_bits, x, x, 0x08080808);
}

void converter::encode_i64(data_type_t type, int x) {
    if (type == tfmt_s64) return;
    const int width = o_.width_bytes;
    if (type == tfmt_boolean) {
        o_.high_halves(t_[0], x);
        o_.low_halves(x, x);
        o_.op(lane_op::or_bits, x, x, t_[0]);
    } else { // saturated twice: the second range lies in the first
        o_.fill(t_[0], INT32_MAX, 8);
        o_.select_with(lane_compare::greater_i64, x, x, uint64_t(INT32_MAX), t_[0]);
        o_.fill(t_[0], uint64_t(int64_t(INT32_MIN)), 8);
        o_.select_with(lane_compare::greater_i64, t_[0], x, uint64_t(int64_t(INT32_MIN)), x);
        o_.low_halves(x, t_[0]);
    }
    o_.width_bytes = width / 2;
    encode_i32(type, x);
    o_.width_bytes = width;
}

void converter::encode_f64(data_type_t type, int x) {
    const int width = o_.width_bytes;
    if (type == tfmt_f64) return;
    if (type == tfmt_s64) return o_.i64_from_f64(x, x, t_[0], t_[1]);
    if (type == tfmt_boolean) {
        o_.high_halves(t_[0], x);
        o_.low_halves(x, x);
        o_.op_with(lane_op::and_bits, t_[0], t_[0], f32_magnitude);
        o_.op(lane_op::or_bits, x, x, t_[0]);
    } else if (type == tfmt_f32) {
        return o_.f32_from_f64(x, x);
    } else if (is_integer(type)) {
        o_.fill(t_[0], 0, 8);
        o_.select(lane_compare::unordered_f64, x, x, x, t_[0]);
        o_.op_with(lane_op::max_f64, x, x, f64_bits(INT32_MIN));
        o_.op_with(lane_op::min_f64, x, x, f64_bits(INT32_MAX));
        o_.i32_from_f64(x, x);
    } else {
        round_to_odd(x);
    }
    o_.width_bytes = width / 2;
    if (type == tfmt_boolean) {
        is_nonzero_i32(x);
        o_.narrow(x, x, 1);
    } else if (is_integer(type))
        encode_i32(type, x);
    else
        encode_f32(type, x);
    o_.width_bytes = width;
}

// f64 lanes to f32: see round_to_odd() in cpu/ref/convert_floats.hpp.
void converter::round_to_odd(int x) {
    const int bits = t_[0], back = t_[1], other = t_[2];
    o_.f32_from_f64(bits, x);
    o_.f64_from_f32(back, bits);
    o_.i64_from_i32(bits, bits);
    o_.op_with(lane_op::sub_i64, other, bits, 1);
    o_.fill(t_[3], f64_magnitude, 8);
    o_.op(lane_op::and_bits, back, back, t_[3]);
    o_.op(lane_op::and_bits, x, x, t_[3]);
    o_.select(lane_compare::greater_f64, bits, back, x, other);
    o_.fill(other, 1, 8);
    o_.op(lane_op::or_bits, other, other, bits);
    o_.select(lane_compare::not_equal_f64, bits, back, x, other);
    o_.low_halves(x, bits);
}

} // namespace tfmt::cpu::jit
