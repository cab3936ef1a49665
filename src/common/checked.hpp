// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "common/status.hpp"

// Arithmetic on dims, strides and offsets that refuses to overflow. Comes in: two 64-bit values and
// the words for the message. Goes out: the result, or a `failure` that says what overflowed.
namespace tfmt {

// What a process can address on x86-64, at most. Counts of bits and lines of it fit into 64 bits.
constexpr tfmt_dim_t address_space_bytes = tfmt_dim_t(1) << 56;

// False on overflow; *result is then unspecified.
inline bool multiply(tfmt_dim_t a, tfmt_dim_t b, tfmt_dim_t *result) {
    return !__builtin_mul_overflow(a, b, result);
}
inline bool add(tfmt_dim_t a, tfmt_dim_t b, tfmt_dim_t *result) {
    return !__builtin_add_overflow(a, b, result);
}

inline tfmt_dim_t checked_mul(tfmt_dim_t a, tfmt_dim_t b, const char *what) {
    tfmt_dim_t result;
    if (!multiply(a, b, &result)) fail_invalid(std::string(what) + " overflows 64 bits");
    return result;
}
inline tfmt_dim_t checked_add(tfmt_dim_t a, tfmt_dim_t b, const char *what) {
    tfmt_dim_t result;
    if (!add(a, b, &result)) fail_invalid(std::string(what) + " overflows 64 bits");
    return result;
}

// Products and sums that may wrap: offsets of steps of padding, which have no place in the source,
// and are never used there.
inline tfmt_dim_t wrapping_mul(tfmt_dim_t a, tfmt_dim_t b) {
    return tfmt_dim_t(uint64_t(a) * uint64_t(b));
}
inline tfmt_dim_t wrapping_add(tfmt_dim_t a, tfmt_dim_t b) {
    return tfmt_dim_t(uint64_t(a) + uint64_t(b));
}

// `value` rounded up to a multiple of `block` (both positive, or value 0).
inline tfmt_dim_t checked_round_up(tfmt_dim_t value, tfmt_dim_t block, const char *what) {
    return checked_add(value, block - 1, what) / block * block;
}

// "dims[2]": how messages name an element of an array argument.
inline std::string element_name(const char *array, int i) {
    return std::string(array) + "[" + std::to_string(i) + "]";
}

} // namespace tfmt
