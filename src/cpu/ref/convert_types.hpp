// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/data_type.hpp"
#include "cpu/ref/convert_floats.hpp"

// One struct a data type, named as in data_type.def:
//   bits, storage    width in memory, and the unsigned integer that holds one element (4-bit types:
//                    the low half of a byte)
//   decode(storage)  the value, in the type's natural carrier: int32_t, int64_t, float or double
//   encode(carrier)  the nearest element, from each carrier it can meet (carrier_of)
namespace tfmt::cpu::ref {

// One more than the highest enumerator; they start at 0 and have gaps.
constexpr int n_type_numbers = 1
        + std::max({
#define TFMT_DATA_TYPE(name, n_bits) int(tfmt_##name),
#include "common/data_type.def"
        });

namespace types {

// Clamps to lo..hi and rounds to nearest even; NaN gives 0. |lo| and |hi| are below 2^22.
inline int32_t round_to_int(float value, float lo, float hi) {
    constexpr float magic = 12582912.0f; // 1.5 * 2^23, whose last place is 1
    float clamped = value == value ? value : 0.0f;
    clamped = clamped < lo ? lo : clamped;
    clamped = clamped > hi ? hi : clamped;
    return bits_as<int32_t>(clamped + magic) - bits_as<int32_t>(magic);
}

// The same for all 32-bit limits.
inline int32_t round_to_int(double value, double lo, double hi) {
    constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
    double clamped = value == value ? value : 0.0;
    clamped = clamped < lo ? lo : clamped;
    clamped = clamped > hi ? hi : clamped;
    return static_cast<int32_t>(bits_as<int64_t>(clamped + magic) - bits_as<int64_t>(magic));
}

inline int64_t round_to_int64(double value) {
    constexpr double two_to_52 = 4503599627370496.0, two_to_63 = 9223372036854775808.0;
    const double magic = value < 0 ? -two_to_52 : two_to_52;
    const bool has_fraction = value > -two_to_52 && value < two_to_52;
    const double rounded = has_fraction ? (value + magic) - magic : value;
    if (!(rounded >= -two_to_63)) return value == value ? std::numeric_limits<int64_t>::min() : 0;
    if (rounded >= two_to_63) return std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(rounded);
}

// Integers of 32 bits or less; lo and hi bound the values.
template <typename Storage, int n_bits, int64_t lo, int64_t hi>
struct small_integer {
    static constexpr int bits = n_bits;
    using storage = Storage;

    static int32_t decode(storage s) {
        if constexpr (lo == 0) return static_cast<int32_t>(s);
        return static_cast<int32_t>(static_cast<uint32_t>(s) << (32 - bits)) >> (32 - bits);
    }
    static storage encode(float v) { return narrow(round_to_int(v, float(lo), float(hi))); }
    static storage encode(double v) { return narrow(round_to_int(v, double(lo), double(hi))); }
    static storage encode(int32_t v) { return saturate(v); }
    static storage encode(int64_t v) { return saturate(v); }

private:
    static storage narrow(int32_t v) {
        return static_cast<storage>(v) & static_cast<storage>((uint64_t {1} << bits) - 1);
    }
    template <typename Integer>
    static storage saturate(Integer v) {
        const Integer raised = v < static_cast<Integer>(lo) ? static_cast<Integer>(lo) : v;
        return narrow(static_cast<int32_t>(
                raised > static_cast<Integer>(hi) ? static_cast<Integer>(hi) : raised));
    }
};

struct s4 : small_integer<uint8_t, 4, -8, 7> {};
struct u4 : small_integer<uint8_t, 4, 0, 15> {};
struct s8 : small_integer<uint8_t, 8, -128, 127> {};
struct u8 : small_integer<uint8_t, 8, 0, 255> {};
struct s32 : small_integer<uint32_t, 32, INT32_MIN, INT32_MAX> {};

struct s64 {
    static constexpr int bits = 64;
    using storage = uint64_t;
    static int64_t decode(storage s) { return static_cast<int64_t>(s); }
    static storage encode(double v) { return static_cast<storage>(round_to_int64(v)); }
    static storage encode(int32_t v) { return encode(int64_t {v}); }
    static storage encode(int64_t v) { return static_cast<storage>(v); }
};

// Tests the bits, so that NaN and denormals count as true in every floating point mode.
struct boolean {
    static constexpr int bits = 8;
    using storage = uint8_t;
    static int32_t decode(storage s) { return s != 0; }
    static storage encode(float v) { return (bits_as<uint32_t>(v) << 1) != 0; }
    static storage encode(double v) { return (bits_as<uint64_t>(v) << 1) != 0; }
    static storage encode(int32_t v) { return v != 0; }
    static storage encode(int64_t v) { return v != 0; }
};

struct f64 {
    static constexpr int bits = 64;
    using storage = uint64_t;
    static double decode(storage s) { return bits_as<double>(s); }
    static storage encode(double v) { return bits_as<storage>(v); }
};

struct f32 {
    static constexpr int bits = 32;
    using storage = uint32_t;
    static float decode(storage s) { return bits_as<float>(s); }
    static storage encode(float v) { return bits_as<storage>(v); }
    static storage encode(double v) { return bits_as<storage>(static_cast<float>(v)); }
};

template <typename Format, typename Storage, int n_bits>
struct narrow_float {
    static constexpr int bits = n_bits;
    using storage = Storage;
    static float decode(storage s) { return Format::decode(s); }
    static storage encode(float v) { return Format::encode(v); }
    static storage encode(double v) { return Format::encode(round_to_odd(v)); }
};

constexpr auto ieee = top_exponent::infinity_and_nan;
struct f16 : narrow_float<small_float<uint16_t, 5, 10, ieee, false>, uint16_t, 16> {};
struct bf16 : narrow_float<small_float<uint16_t, 8, 7, ieee, false>, uint16_t, 16> {};
struct f8_e5m2 : narrow_float<small_float<uint8_t, 5, 2, ieee, true>, uint8_t, 8> {};
struct f8_e4m3 : narrow_float<small_float<uint8_t, 4, 3, top_exponent::numbers_and_one_nan, true>,
                         uint8_t, 8> {};
struct f4_e2m1 : narrow_float<small_float<uint8_t, 2, 1, top_exponent::numbers, true>, uint8_t, 4> {
};

// A power of two: the code is the exponent field of an f32, but for 0, which is 2^-127.
struct e8m0_format {
    static float decode(uint8_t s) {
        const uint32_t code = s;
        const uint32_t bits = code == 0 ? 0x00400000u : code << 23;
        return bits_as<float>(code == 0xff ? 0x7fc00000u : bits);
    }
    // Nearest by distance, ties (1.5 * 2^k) to the even code; what is not above the smallest power,
    // negative numbers included, becomes that, and infinity the largest.
    static uint8_t encode(float value) {
        const uint32_t bits = bits_as<uint32_t>(value);
        const uint32_t magnitude = bits & 0x7fffffffu;
        const uint32_t is_odd = (magnitude >> 23) & 1;
        uint32_t code = (magnitude + 0x003fffffu + is_odd) >> 23;
        code = magnitude < 0x00800000u ? (magnitude > 0x00600000u ? 1 : 0) : code;
        code = code > 0xfe ? 0xfe : code;
        code = bits >> 31 ? 0 : code;
        return static_cast<uint8_t>(magnitude > 0x7f800000u ? 0xff : code);
    }
};
struct e8m0 : narrow_float<e8m0_format, uint8_t, 8> {};

// What a pair computes in: integers among themselves exactly; f64 where a 64-bit float or an
// integer that f32 cannot hold takes part; else f32.
template <typename T>
using natural_carrier = decltype(T::decode(typename T::storage {}));

template <typename T>
constexpr bool is_integer = std::is_integral_v<natural_carrier<T>>;

template <typename T>
constexpr bool needs_f64 = T::bits == 64 || (is_integer<T> && T::bits == 32);

template <typename S, typename D>
using carrier_of = std::conditional_t<is_integer<S> && is_integer<D>,
        std::conditional_t<S::bits == 64 || D::bits == 64, int64_t, int32_t>,
        std::conditional_t<needs_f64<S> || needs_f64<D>, double, float>>;

} // namespace types
} // namespace tfmt::cpu::ref
