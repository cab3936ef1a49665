// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// Arithmetic on the bits of floating point numbers, written without branches so that loops over it
// vectorise. Rounding is to nearest even. Where an addition does the rounding it relies on the
// default rounding mode; no step makes or takes a denormal f32 in floating point arithmetic, so
// that flush-to-zero modes change nothing but what says so. No step multiplies and adds, so
// contraction into fused operations cannot change a result.
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

// A floating point format of at most 16 bits whose every number is a normal or denormal f32. Codes
// and magnitudes are signed integers because baseline x86 compares only those in vectors.
template <typename Storage, int exponent_bits, int mantissa_bits, top_exponent top, bool saturates>
struct small_float {
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int dropped_bits = 23 - mantissa_bits; // of an f32's mantissa
    static constexpr int sign_position = exponent_bits + mantissa_bits;
    static constexpr int32_t smallest_normal = 1 << mantissa_bits;
    static constexpr int32_t mantissa_mask = smallest_normal - 1;
    static constexpr int32_t top_code = ((1 << exponent_bits) - 1) << mantissa_bits;
    static constexpr int32_t largest = top == top_exponent::infinity_and_nan
            ? top_code - 1
            : (top_code | mantissa_mask) - (top == top_exponent::numbers_and_one_nan ? 1 : 0);
    // What too large a number becomes: infinity has the code after the largest number.
    static constexpr int32_t overflow = top == top_exponent::infinity_and_nan && !saturates
            ? top_code
            : largest;
    static constexpr int32_t rebias = (127 - bias) << 23;
    static constexpr bool has_f32_exponents = exponent_bits == 8;
    // f32 whose value is the distance between denormals of this format.
    static constexpr int32_t step = (127 + 1 - bias - mantissa_bits) * (1 << 23);

    static float decode(Storage storage) {
        const int32_t code = storage & ((1 << sign_position) - 1);
        const uint32_t sign = static_cast<uint32_t>(storage >> sign_position) << 31;
        return bits_as<float>(sign | static_cast<uint32_t>(decode_magnitude(code)));
    }

    static Storage encode(float value) {
        const uint32_t bits = bits_as<uint32_t>(value);
        const auto magnitude = static_cast<int32_t>(bits & 0x7fffffffu);
        const auto sign = static_cast<int32_t>(bits >> 31) << sign_position;
        int32_t code = round_magnitude(magnitude);
        // Without saturation, f32's own exponents make overflow and infinity come out by
        // themselves.
        if constexpr (!has_f32_exponents || saturates) {
            code = code > overflow ? overflow : code;
            code = magnitude > f32_infinity - 1 ? overflow : code;
        }
        if constexpr (top == top_exponent::numbers)
            return static_cast<Storage>(magnitude > f32_infinity ? 0 : sign | code);
        return static_cast<Storage>(sign | (magnitude > f32_infinity ? nan_code(magnitude) : code));
    }

private:
    static constexpr int32_t f32_infinity = 0x7f800000, f32_quiet_nan = 0x7fc00000;

    static int32_t decode_magnitude(int32_t code) {
        if constexpr (has_f32_exponents) return code << dropped_bits;
        // Exact: the step between denormals is a normal f32.
        const float denormal = static_cast<float>(code) * bits_as<float>(step);
        const int32_t bits = code < smallest_normal ? bits_as<int32_t>(denormal)
                                                    : (code << dropped_bits) + rebias;
        if constexpr (top == top_exponent::infinity_and_nan) {
            const int32_t special = f32_infinity | code << dropped_bits
                    | (code > top_code ? f32_quiet_nan : 0);
            return code > largest ? special : bits;
        }
        return code > largest ? f32_quiet_nan : bits;
    }

    // The code nearest to a finite magnitude, going on past the largest.
    static int32_t round_magnitude(int32_t magnitude) {
        constexpr int32_t below_half = (1 << (dropped_bits - 1)) - 1;
        const int32_t is_odd = (magnitude >> dropped_bits) & 1;
        const int32_t rebiased = magnitude - (has_f32_exponents ? 0 : rebias);
        const int32_t rounded = (rebiased + below_half + is_odd) >> dropped_bits;
        if constexpr (has_f32_exponents) return rounded;
        // Denormals of the format: adding a number whose last place is their step leaves the
        // rounded count of steps in the low bits. A denormal f32 is far below half a step.
        constexpr int32_t magic = step + (23 << 23);
        const float sum = bits_as<float>(magnitude) + bits_as<float>(magic);
        const int32_t steps = bits_as<int32_t>(sum) - magic;
        return magnitude < rebias + (1 << 23) ? steps : rounded;
    }

    // Quiet, with the top bits of the payload where the format has room for one.
    static int32_t nan_code(int32_t magnitude) {
        if constexpr (top == top_exponent::numbers_and_one_nan) return largest + 1;
        return top_code | (smallest_normal >> 1) | ((magnitude >> dropped_bits) & mantissa_mask);
    }
};

// f64 to f32, rounded to odd: inexact results get an odd last bit. Rounding that once more, to
// nearest in a format with at least two bits less, gives the same as rounding the f64 once. Relies
// on denormal f32 results not being flushed.
inline float round_to_odd(double value) {
    const float nearest = static_cast<float>(value);
    const double back = std::fabs(static_cast<double>(nearest));
    const double magnitude = std::fabs(value);
    int32_t bits = bits_as<int32_t>(nearest);
    bits -= back > magnitude ? 1 : 0; // towards zero; the sign is apart. Never for a NaN
    bits |= back != magnitude ? 1 : 0;
    return bits_as<float>(bits);
}

} // namespace tfmt::cpu::ref
