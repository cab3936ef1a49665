// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace tfmt::cpu::jit {

inline uint32_t f32_bits(float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}
inline uint64_t f64_bits(double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

// A floating point format of at most 16 bits with an exponent field narrower than that of f32.
struct float_format {
    int exponent_bits;
    int mantissa_bits;
    enum { ieee, one_nan, numbers } top; // what the largest exponent means
    bool saturates;

    int sign_position() const { return exponent_bits + mantissa_bits; }
    int dropped_bits() const { return 23 - mantissa_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int smallest_normal() const { return 1 << mantissa_bits; }
    int mantissa_mask() const { return smallest_normal() - 1; }
    int top_code() const { return ((1 << exponent_bits) - 1) << mantissa_bits; }
    int largest() const {
        return top == ieee ? top_code() - 1 : (top_code() | mantissa_mask()) - (top == one_nan);
    }
    int overflow() const { return top == ieee && !saturates ? top_code() : largest(); }
    // From an exponent of this format to the same one of f32.
    uint32_t rebias() const { return uint32_t(127 - bias()) << 23; }
    // f32 whose value is the distance between denormals.
    uint32_t step() const { return uint32_t(127 + 1 - bias() - mantissa_bits) << 23; }
};

constexpr float_format f16_format {5, 10, float_format::ieee, false};
constexpr float_format f8_e5m2_format {5, 2, float_format::ieee, true};
constexpr float_format f8_e4m3_format {4, 3, float_format::one_nan, true};
constexpr float_format f4_e2m1_format {2, 1, float_format::numbers, true};

} // namespace tfmt::cpu::jit
