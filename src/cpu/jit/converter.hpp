// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "common/normalize.hpp"
#include "cpu/jit/lane_ops.hpp"

// The conversions of doc/numerics.md, on vectors: an element is decoded to what the pair computes
// in, and encoded from it. In: registers with packed elements. Out: instructions. It has no idea
// where elements come from or go to. The bits are those of src/cpu/ref.
//
// Worked example, f16 -> bf16 on AVX2: 8 words at the bottom of a register become 8 f32
// (f32_from_f16), these are rounded in integers to 8 bf16 in 16 bytes.
namespace tfmt::cpu::jit {

// What a pair computes in. The results are those of the computing types of doc/numerics.md. Where
// every value of the source is a bf16 (an f16) and the destination's rounding can be done in words,
// lanes have 16 bits: twice as many at once.
enum class carrier {
    f32,
    f32_without_denormals, // and without signalling NaN
    f64,
    i32,
    i64,
    bf16,
    f16
};

carrier carrier_of(data_type_t src, data_type_t dst, bool has_f16_arithmetic);
carrier carrier_of(const conversion &c, bool has_f16_arithmetic);
bool converts_in(carrier of_16_bits, data_type_t src, data_type_t dst, bool has_f16_arithmetic);
inline bool is_f32(carrier c) { return c == carrier::f32 || c == carrier::f32_without_denormals; }

inline int bytes_of(carrier c) {
    if (c == carrier::bf16 || c == carrier::f16) return 2;
    return c == carrier::f64 || c == carrier::i64 ? 8 : 4;
}

// The values of s4, u4 or f4_e2m1; to integers something is added.
struct values_16 {
    float at[16];
};
values_16 values_of_4_bits(data_type_t type, float added = 0);

// Registers that a conversion may use beside its operand.
constexpr int n_converter_temps = 4;

class converter {
public:
    converter(lane_ops &ops, carrier c, const std::array<int, n_converter_temps> &temps)
        : o_(ops), carrier_(c), t_(temps) {}

    // Small integers are decoded to what `added` and they are: see arithmetic::operand.
    void add_when_decoding(float added) { added_ = added; }

    // Register `a` holds elements of `type` packed at the bottom (a byte each if they have 4 bits);
    // out: one in each lane of ops.width_bytes. `out` may be a; a is kept if it is not.
    void decode(data_type_t type, int out, int a);
    // Whether it leaves the temporaries alone.
    bool decodes_without_temps(data_type_t type) const;
    // The other way round, in place.
    void encode(data_type_t type, int x);
    // Whether the last step of encode is lane_ops::narrow or narrow_words.
    bool narrows_lanes(data_type_t type) const;
    // Small integers from lanes of 32 bits, where four registers are at hand: encode_lanes leaves
    // integers that lane_ops::pack_words and pack_bytes saturate, finish_packed does the rest to
    // what they make of them.
    // The last temporary is left alone: there the packed words of a pair may wait.
    bool packs(data_type_t src, data_type_t dst) const;
    // Where takes_grid, encode_lanes may find arithmetic::grid in its lanes, which finish_words
    // takes away from what they are packed to: where NaN need not be cleared before.
    bool takes_grid(data_type_t type) const { return type != tfmt_s8; }
    void encode_lanes(data_type_t type, int x, float grid = 0);
    void finish_words(int x, float grid);
    // In place of all that, where two registers of sums with the grid become one of words, in
    // order, by way of bf16. Then it is finish_packed that bounds.
    bool packs_by_bf16(float grid) const;
    void pack_by_bf16(data_type_t type, int a, int b, float grid);
    void pack_bytes(data_type_t type, int out, int a, int b, bool by_bf16);
    // The bytes of s4 may have bits above the element, but not by_bf16.
    void finish_packed(data_type_t type, int x, bool by_bf16);
    // Whether there is a step before the last of encode: results in the low bytes of words.
    bool leaves_low_bytes(data_type_t type) const;
    void encode_low_bytes(data_type_t type, int x);
    // Two registers of 32-bit lanes to one of 16-bit floats, in a: those of a and of b in turns
    // (takes_turns) or a's before b's.
    bool takes_turns(data_type_t type) const { return type == tfmt_bf16; }
    void encode_two(data_type_t type, int a, int b);
    // The even and the odd ones of packed elements of a byte to 32-bit lanes, and both to 16-bit
    // floats in `even`. `odd` is not a.
    bool converts_in_turns(data_type_t src, data_type_t dst) const;
    void decode_in_turns(data_type_t type, int even, int odd, int a);
    void encode_in_turns(data_type_t type, int even, int odd);

private:
    void decode_f32(data_type_t type, int out, int a);
    void decode_i32(data_type_t type, int out, int a);
    void decode_small_float(int x, const struct float_format &f);
    // Whether f32 may not simply round it: carrier_of() has no s32 in that carrier but for bf16.
    bool decides_bf16(data_type_t type) const {
        return type == tfmt_s32 && carrier_ == carrier::f32_without_denormals;
    }
    void keep_what_decides_bf16(int x);
    void encode_f32(data_type_t type, int x);
    void encode_i32(data_type_t type, int x);
    void encode_f64(data_type_t type, int x);
    void encode_i64(data_type_t type, int x);
    void encode_bf16(int x);
    void encode_two_bf16(int a, int b);
    void encode_e8m0(int x);
    void encode_small_float(int x, const struct float_format &f);
    void round_to_i32(int x, float low, float high);
    void round_to_odd(int x);
    void is_nonzero_i32(int x);

    // 16-bit lanes (converter_words.cpp).
    void decode_words(data_type_t type, int out, int a);
    void encode_words(data_type_t type, int x);
    void decode_words_i8(int x);
    void decode_words_f8(int out, int x, const struct float_format &f);
    void encode_words_integer(int x, int low, int high);
    void encode_words_f8(int x, const struct float_format &f);
    void round_words(int out, int x, bool is_odd);

    lane_ops &o_;
    const carrier carrier_;
    float added_ = 0;
    const std::array<int, n_converter_temps> t_;
};

} // namespace tfmt::cpu::jit
