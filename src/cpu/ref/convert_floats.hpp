// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

// Arithmetic on the bits of floating point numbers, written without branches so that loops over it
// vectorise. Rounding is to nearest even. Where an addition does the rounding it relies on the
// default rounding mode; no step makes or takes a denormal f32 in floating point arithmetic, so that
// flush-to-zero modes change nothing but what says so. No step multiplies and adds, so contraction
// into fused operations cannot change a result.
namespace tfmt::cpu::ref {

template <typename To, typename From>
inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "bits_as keeps the size");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

enum class top_exponent { // what the largest exponent field means
    infinity_and_nan,     // IEEE 754
    numbers_and_one_nan,  // numbers, but for the all-ones mantissa (OFP8 E4M3)
    numbers               // numbers only (MX E2M1)
};

// A floating point format of at most 16 bits whose every number is a normal or denormal f32.
template <typename Storage, int exponent_bits, int mantissa_bits, top_exponent top, bool saturates>
struct small_float {
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int dropped_bits = 23 - mantissa_bits; // of an f32's mantissa
    static constexpr uint32_t sign_bit = 1u << (exponent_bits + mantissa_bits);
    static constexpr uint32_t one_ulp_of_exponent = 1u << mantissa_bits;
    static constexpr uint32_t top_code = ((1u << exponent_bits) - 1) << mantissa_bits;
    static constexpr uint32_t largest = top == top_exponent::infinity_and_nan
            ? top_code - 1
            : (top_code | (one_ulp_of_exponent - 1))
                    - (top == top_exponent::numbers_and_one_nan ? 1 : 0);
    // What too large a number becomes: infinity has the code after the largest number.
    static constexpr uint32_t overflow
            = top == top_exponent::infinity_and_nan && !saturates ? top_code : largest;
    static constexpr uint32_t rebias = static_cast<uint32_t>(127 - bias) << 23;
    static constexpr bool has_f32_exponents = exponent_bits == 8;

    static float decode(Storage storage) {
        const uint32_t code = storage & (sign_bit - 1);
        const uint32_t sign = (storage & sign_bit) << (31 - exponent_bits - mantissa_bits);
        if constexpr (has_f32_exponents) return bits_as<float>(sign | code << dropped_bits);
        // Exact: the smallest step of these formats is a normal f32.
        constexpr uint32_t step_bits = static_cast<uint32_t>(127 + 1 - bias - mantissa_bits) << 23;
        const float denormal
                = static_cast<float>(static_cast<int32_t>(code)) * bits_as<float>(step_bits);
        uint32_t bits = code < one_ulp_of_exponent ? bits_as<uint32_t>(denormal)
                                                   : (code << dropped_bits) + rebias;
        if constexpr (top == top_exponent::infinity_and_nan) {
            const uint32_t quiet = code > top_code ? 0x00400000u : 0u;
            bits = code >= top_code ? (0x7f800000u | code << dropped_bits | quiet) : bits;
        } else if constexpr (top == top_exponent::numbers_and_one_nan) {
            bits = code > largest ? 0x7fc00000u : bits;
        }
        return bits_as<float>(sign | bits);
    }

    static Storage encode(float value) {
        const uint32_t bits = bits_as<uint32_t>(value);
        const uint32_t magnitude = bits & 0x7fffffffu;
        const uint32_t sign = (bits >> 31) * sign_bit;
        uint32_t code = round_magnitude(magnitude);
        code = magnitude >= 0x7f800000u || code > largest ? overflow : code;
        code = magnitude > 0x7f800000u ? nan_code(magnitude) : code;
        const bool is_signed = top != top_exponent::numbers || magnitude <= 0x7f800000u;
        return static_cast<Storage>((is_signed ? sign : 0) | code);
    }

private:
    // The code nearest to a finite magnitude, going on past the largest.
    static uint32_t round_magnitude(uint32_t magnitude) {
        constexpr uint32_t below_half = (1u << (dropped_bits - 1)) - 1;
        const uint32_t is_odd = (magnitude >> dropped_bits) & 1;
        const uint32_t rounded = (magnitude + below_half + is_odd) >> dropped_bits;
        if constexpr (has_f32_exponents) return rounded;
        // Denormals of the format: adding a number whose last place is the format's smallest step
        // leaves the rounded count of steps in the low bits. A denormal f32 is far below half a step.
        constexpr uint32_t magic = static_cast<uint32_t>(127 + 1 - bias - mantissa_bits + 23) << 23;
        constexpr uint32_t smallest_normal = rebias + (1u << 23);
        const uint32_t steps
                = bits_as<uint32_t>(bits_as<float>(magnitude) + bits_as<float>(magic)) - magic;
        return magnitude < smallest_normal ? steps : rounded - (rebias >> dropped_bits);
    }

    // Quiet, with the top bits of the payload where the format has room for one.
    static uint32_t nan_code(uint32_t magnitude) {
        if constexpr (top == top_exponent::infinity_and_nan) {
            constexpr uint32_t quiet = one_ulp_of_exponent >> 1;
            return top_code | quiet | ((magnitude >> dropped_bits) & (one_ulp_of_exponent - 1));
        }
        return top == top_exponent::numbers_and_one_nan ? largest + 1 : 0;
    }
};

// f64 to f32, rounded to odd: inexact results get an odd last bit. Rounding that once more, to
// nearest in a format with at least two bits less, gives the same as rounding the f64 once. Relies
// on denormal f32 results not being flushed.
inline float round_to_odd(double value) {
    const float nearest = static_cast<float>(value);
    const double back = nearest;
    const uint64_t back_magnitude = bits_as<uint64_t>(back) & ~(uint64_t {1} << 63);
    const uint64_t magnitude = bits_as<uint64_t>(value) & ~(uint64_t {1} << 63);
    uint32_t bits = bits_as<uint32_t>(nearest);
    bits -= back_magnitude > magnitude ? 1 : 0; // towards zero; the sign is apart
    bits |= back_magnitude != magnitude ? 1 : 0;
    return bits_as<float>(bits);
}

} // namespace tfmt::cpu::ref
