// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <xbyak/xbyak.h>

#include "cpu/jit/constant_pool.hpp"

// Arithmetic on vectors of lanes of 16, 32 and 64 bits, the same for every ISA family: what
// conversions are written in. In: numbers of vector registers, any of which may be the same. Out:
// instructions. Knows no data type of the library.
//
// Every operation works on `width_bytes` of its registers, and leaves what is above undefined but
// where it says so; below 16 bytes it works on 16. Elements narrower than lanes lie packed at the
// bottom of a register.
namespace tfmt::cpu::jit {

enum class lane_op {
    and_bits,
    or_bits,
    xor_bits,
    and_not_bits, // ~a & b
    add_i32,
    sub_i32,
    min_i32, // signed
    max_i32,
    add_f32,
    sub_f32,
    mul_f32,
    div_f32,
    min_f32, // b if either is NaN, as minps has it
    max_f32,
    add_i16,
    min_i16, // signed
    max_i16,
    min_u16,
    mul_low_i16,
    sub_sat_i16, // signed, saturated
    average_u16, // (a + b + 1) / 2 of the whole sum
    min_u8,
    min_i8,
    max_i8,
    dot_i16, // of the signed words of each 32-bit lane of a and b: the sum of two products, 32 bits
    sub_i64,
    add_f64,
    sub_f64,
    mul_f64,
    div_f64,
    min_f64,
    max_f64
};

enum class lane_shift { left_16, right_16, left_32, right_32, arithmetic_right_32 };

enum class lane_compare {
    equal_i32,
    greater_i32, // signed
    greater_i16,
    greater_i64, // not on SSE4.1
    unordered_f32,
    unordered_f64,
    greater_f64,
    not_equal_f64
};

class lane_ops {
public:
    lane_ops(Xbyak::CodeGenerator &g, constant_pool &pool) : g_(g), pool_(pool) {}
    virtual ~lane_ops() = default;
    Xbyak::CodeGenerator &generator() { return g_; }

    int width_bytes = 0;

    // Registers that no one else uses: constants stay there, the first ones that are asked for. Who
    // gives any calls load_kept_constants() when all else is emitted, for code that runs first.
    // Loads bound conversions that have a constant in every other instruction: bf16 to s8 on
    // AVX-512 took 1.95 times memcpy with all of them in memory, 1.7 so; to u4 with
    // groups 4.9, 4.5.
    void keep_constants_in(const std::vector<int> &regs) { spare_regs_ = regs; }
    virtual void load_kept_constants() {}

    virtual void move(int out, int a) = 0;
    virtual void op(lane_op o, int out, int a, int b) = 0;
    // `constant` in every lane, of 32 bits (with two equal halves where lanes have 16 bits) or, for
    // operations on 64-bit lanes, of 64.
    virtual void op_with(lane_op o, int out, int a, uint64_t constant) = 0;
    // x = x * factor + addend, rounded once, where has_fused(): for what is the same rounded twice.
    virtual bool has_fused() const { return false; }
    virtual void mul_add_f32(int, int, int) { throw std::logic_error("no fused operations"); }
    // On AVX-512: x = x - a * b, rounded once; x = the nearest to x from -bound to bound, one of
    // these two where x is NaN.
    virtual void sub_product_f32(int, int, int) { throw std::logic_error("no AVX-512"); }
    virtual void bound_f32(int, float) { throw std::logic_error("no AVX-512"); }
    // out = a | (b & mask), with the mask in every 32-bit lane. b may change.
    virtual void or_masked(int out, int a, int b, uint64_t mask) {
        op_with(lane_op::and_bits, b, b, mask);
        op(lane_op::or_bits, out, a, b);
    }
    // out = (a & mask) | bits, both in every 32-bit lane.
    virtual void and_or(int out, int a, uint64_t mask, uint64_t bits) {
        op_with(lane_op::and_bits, out, a, mask);
        op_with(lane_op::or_bits, out, out, bits);
    }
    // out = (a & ~mask) | (b & mask). a and b may change.
    virtual void take_masked(int out, int a, int b, uint64_t mask) {
        op_with(lane_op::and_bits, a, a, ~mask);
        or_masked(out, a, b, mask);
    }
    virtual void shift(lane_shift s, int out, int a, int n_bits) = 0;
    virtual void fill(int out, uint64_t constant, int lane_bytes) = 0;

    // out = a (compare) b ? chosen : out, lane by lane.
    virtual void select(lane_compare c, int out, int a, int b, int chosen) = 0;
    virtual void select_with(lane_compare c, int out, int a, uint64_t constant, int chosen) = 0;

    // Conversions of lanes; 64-bit lanes fill twice the width of 32-bit ones, and width_bytes is
    // that of the 64-bit side.
    virtual void f32_from_i32(int out, int a) = 0;
    virtual void i32_from_f32(int out, int a) = 0; // to nearest; 0x80000000 if out of range
    virtual void f64_from_f32(int out, int a) = 0;
    virtual void f64_from_i32(int out, int a) = 0;
    virtual void f32_from_f64(int out, int a) = 0;
    virtual void i32_from_f64(int out, int a) = 0; // as i32_from_f32
    virtual void i64_from_i32(int out, int a) = 0;
    virtual void low_halves(int out, int a) = 0;  // of 64-bit lanes
    virtual void high_halves(int out, int a) = 0; // of 64-bit lanes
    // a may change.
    virtual void f64_from_i64(int out, int a, int temp1, int temp2) = 0;
    // To nearest, saturated, NaN to 0. a may change.
    virtual void i64_from_f64(int out, int a, int temp1, int temp2) = 0;

    // 16-bit floats packed at the bottom of a to f32 lanes and back, where has_f16().
    virtual bool has_f16() const = 0;
    virtual void f32_from_f16(int out, int a) = 0;
    virtual void f16_from_f32(int out, int a) = 0;

    // Between integers and f16 in 16-bit lanes, to nearest, where has_f16_arithmetic(); to integers
    // 0x8000 if out of range.
    virtual bool has_f16_arithmetic() const { return false; }
    virtual void f16_from_i16(int, int) { throw std::logic_error("no AVX512_FP16"); }
    virtual void i16_from_f16(int, int) { throw std::logic_error("no AVX512_FP16"); }

    // To bf16 packed at the bottom, where has_bf16(). Denormals become 0.
    virtual bool has_bf16() const { return false; }
    virtual void bf16_from_f32(int, int) { throw std::logic_error("no AVX512_BF16"); }
    virtual void bf16_from_two_f32(int, int, int) { throw std::logic_error("no AVX512_BF16"); }
    // 32-bit lanes of f32: the addend and the odd ones (is_odd) or the even ones of the words of x,
    // which are bf16. All of them must be finite, those that are not added as well; denormals may
    // count as 0. out is not x.
    virtual void add_bf16(int out, int x, bool is_odd, uint64_t addend) {
        is_odd ? op_with(lane_op::and_bits, out, x, 0xffff0000)
               : shift(lane_shift::left_32, out, x, 16);
        op_with(lane_op::add_f32, out, out, addend);
    }
    // Of any f32, in place; where lanes can be masked, which makes it fewer steps than
    // converter::encode_bf16 takes.
    virtual bool has_masks() const { return false; }
    virtual void bf16_from_any_f32(int x, int temp);

    // Packed elements of `elem_bytes` (1 or 2) to 32-bit lanes and back; back keeps the low bits
    // and makes what is above the packed elements zero (up to 16 bytes).
    virtual void widen(int out, int a, int elem_bytes, bool is_signed) = 0;
    virtual void narrow(int out, int a, int elem_bytes) = 0;
    // Packed words to the upper halves of 32-bit lanes, zero below. One permute in place of two
    // steps where is_zero_above, for which bf16 to u4 with scales takes 0.96 of the time.
    virtual void widen_to_high(int out, int a) {
        widen(out, a, 2, false);
        shift(lane_shift::left_32, out, out, 16);
    }
    bool is_zero_above = false; // up to 64 bytes, behind the packed elements of decoded operands
    // Where `narrow` and `narrow_words` leave elements: at the bottom (-1) or, where
    // narrows_to_parts(), those of each 16 bytes in the narrow_part-th part of these 16 bytes, all
    // else zero. Registers with different parts are or-ed together and put in order by join_parts.
    // In place of bringing each to the bottom and from there to its place that made f32 to s8 take
    // 1.85 times memcpy and not 2.9 on AVX2, 3.3 and not 4.4 on SSE4.1. Where one instruction
    // narrows, on AVX-512, it was 1 to 8% slower.
    int narrow_part = -1;
    virtual bool narrows_to_parts() const { return false; }
    // Four parts also where narrowing leaves elements at the bottom: see pack_words.
    virtual void join_parts(int, int) { throw std::logic_error("narrows to the bottom"); }

    // In each 16 bytes: the signed 32-bit lanes of a, then those of b, saturated to words; words,
    // which have signs, to bytes. b is not out. The bytes of four registers, packed two by two and
    // then together, are put in order by join_parts(out, 4). With that in place of narrowing each
    // alone, bf16 to u4 with scales and zero points of groups takes 4.8 times memcpy and not 5.5 on
    // AVX-512, 5.6 and not 6.4 on AVX2; f32 to s8 1.2 and not 1.4, 1.4 and not 1.85.
    virtual void pack_words(int out, int a, int b) = 0;
    virtual void pack_bytes(int out, int a, int b, bool is_signed) = 0;

    // The smaller (larger) one of x and the constant, NaN where x is: the second operand is what
    // minps and maxps choose where either is NaN.
    void min_or_nan_f32(int x, uint64_t constant, int temp) {
        first_or_nan_f32(lane_op::min_f32, x, constant, temp);
    }
    void max_or_nan_f32(int x, uint64_t constant, int temp) {
        first_or_nan_f32(lane_op::max_f32, x, constant, temp);
    }
    // x = 0 where it is NaN, else the smaller one of x and the constant.
    virtual void min_or_zero_f32(int x, uint64_t constant) {
        clear_nan_f32(x);
        op_with(lane_op::min_f32, x, x, constant);
    }
    // x = 0 where it is NaN.
    virtual void clear_nan_f32(int x) = 0;

    // The same with 16-bit lanes and packed bytes.
    virtual void widen_words(int out, int a, bool is_signed) = 0;
    virtual void narrow_words(int out, int a) = 0;
    // a = the low bytes of the words of a, then of b, where joins_words(). bf16 to f8 on AVX-512,
    // which narrowed each and inserted one, takes 0.9 of the time so.
    virtual bool joins_words() const { return false; }
    virtual void join_words(int, int) {
        throw std::logic_error("no byte permute of two registers");
    }
    // 16-bit lanes: out = (a > limit, signed) ? from >> n : out. from may change.
    virtual void shift_where_greater_i16(int out, int a, uint64_t limit, int from, int n) {
        shift(lane_shift::right_16, from, from, n);
        select_with(lane_compare::greater_i16, out, a, limit, from);
    }
    // The low words of the 32-bit lanes of `low` with the high words of `high`, which may be out.
    virtual void merge_words(int out, int low, int high) = 0;
    // The low bytes of the 32-bit lanes of two registers in turns, packed as by narrow_words. `out`
    // is neither of them; odd may change.
    virtual void narrow_two(int out, int even, int odd) {
        shift(lane_shift::left_32, odd, odd, 16);
        merge_words(odd, even, odd);
        narrow_words(out, odd);
    }
    // 16-bit lanes: x = (a > limit, signed) ? 0 : x (o) constant, where 0 (o) constant is 0.
    virtual void op_or_zero_i16(lane_op o, int x, uint64_t constant, int a, uint64_t limit) = 0;
    // 16-bit lanes: x = (x > limit, signed) ? otherwise : a (o) constant. a is not x.
    virtual void op_or_other_i16(lane_op, int, uint64_t, int, uint64_t, uint64_t) {
        throw std::logic_error("no masks");
    }
    virtual void zero_where_greater_i16(int x, int a, uint64_t limit) {
        op_or_zero_i16(lane_op::add_i16, x, 0, a, limit);
    }
    // 16-bit lanes: out = table[the low 4 bits of index]. Bits 7 and up of the index are zero,
    // table[0] is zero, and out is another register than index.
    using words_16 = uint16_t[16];
    virtual void lookup_words(int out, int index, const words_16 &table) = 0;
    // Where looks_up_f32(): 16 numbers of f32 as lanes, and out = table[index] in 32-bit lanes; out
    // = the word of `table` that each word of the index counts. Only the low 4 bits of indices
    // count.
    using f32_16 = float[16];
    virtual bool looks_up_f32() const { return false; }
    virtual void fill_f32(int, const f32_16 &) { throw std::logic_error("no tables of f32"); }
    virtual void lookup_f32(int, int, const f32_16 &) {
        throw std::logic_error("no tables of f32");
    }
    virtual void lookup_words_in(int, int, int) { throw std::logic_error("no tables of f32"); }
    // Where looks_up_bytes(): 8 numbers of f32 as lanes; 16 words of one register as a table of
    // their low and one of their high bytes, of which neither is `words`; and what bytes below 16
    // count in them, the words of the first 16 bytes of x (which change) to x, of the others to
    // `other`, which is no table.
    using f32_8 = float[8];
    virtual bool looks_up_bytes() const { return false; }
    virtual void fill_8_f32(int, const f32_8 &) { throw std::logic_error("no tables of bytes"); }
    virtual void split_table(int, int, int) { throw std::logic_error("no tables of bytes"); }
    virtual void lookup_bytes_in(int, int, int, int) {
        throw std::logic_error("no tables of bytes");
    }
    // Of the 32-bit lanes of a and then b in each 16 bytes the even and the odd ones. even is not
    // b.
    virtual void take_turns(int, int, int, int) { throw std::logic_error("no tables of bytes"); }
    // The 16 bytes at the bottom of b behind those of a, in a.
    virtual void append_half(int, int) { throw std::logic_error("no tables of bytes"); }
    // Where splits_bytes(): the even and the odd ones of width_bytes / 2 bytes, packed at the
    // bottom; odd is not a. Where interleaves_words(): the words of 32 bytes of a and of b in
    // turns, in a.
    virtual bool splits_bytes() const { return false; }
    virtual void split_bytes(int, int, int) { throw std::logic_error("does not split bytes"); }
    virtual bool interleaves_words() const { return false; }
    virtual void interleave_words(int, int) { throw std::logic_error("no permute of words"); }
    // Packed 1-byte elements to packed 2-byte ones in their high halves, for half the width.
    virtual void high_bytes(int out, int a) = 0;

    // width_bytes of bytes that hold a nibble each, from and to half as many bytes with two each.
    virtual void unpack_nibbles(int out, int a) = 0;
    virtual void pack_nibbles(int out, int a) = 0;
    // Where packs_nibbles_of_two(): a's nibbles and then b's, both of whole registers that
    // pack_bytes left in n_parts, put in order on the way. out is not b.
    virtual bool packs_nibbles_of_two() const { return false; }
    virtual void pack_nibbles_of_two(int, int, int, int, int) {
        throw std::logic_error("packs the nibbles of one register");
    }

    // The bytes of a that `mask` names; the others, up to width_bytes, zero.
    virtual void keep_bytes(int out, int a, uint64_t mask) = 0;

    // Lanes of 4 or 8 bytes from memory: side by side, one in all, or lane i from
    // offsets_bytes[i] behind `at`; the last may read up to 64 bytes beyond any of them, and uses
    // rax and temp.
    virtual void load(int out, const Xbyak::RegExp &at) = 0;
    virtual void broadcast(int out, const Xbyak::RegExp &at, int lane_bytes) = 0;
    virtual void pick(int out, const Xbyak::RegExp &at, const std::vector<int32_t> &offset_bytes,
            int lane_bytes, int temp) = 0;
    // The operation with what is at a multiple of 64 bytes.
    virtual void op_at(lane_op o, int out, int a, const Xbyak::RegExp &at) = 0;
    // The operation with lanes side by side, with one in all; may use temp.
    virtual void op_row(lane_op o, int out, int a, const Xbyak::RegExp &at, int temp);
    virtual void op_one(lane_op o, int out, int a, const Xbyak::RegExp &at, int temp);

protected:
    // Memory of 16, 32 or 64 bytes that holds the pattern over and over.
    Xbyak::RegRip constant(uint64_t low, uint64_t high, int n_bytes);
    Xbyak::RegRip bytes_constant(const uint8_t (&bytes)[64], int n_bytes);
    Xbyak::RegRip indices_constant(const std::vector<int32_t> &indices, int n_bytes);
    // The table of lookup_words: whole, or one byte of each word, 16 of them over and over.
    Xbyak::RegRip words_constant(const words_16 &table, int n_bytes);
    // The byte shuffle to narrow_part.
    Xbyak::RegRip part_constant(int lane_bytes, int elem_bytes, int n_bytes);
    Xbyak::RegRip table_bytes_constant(const words_16 &table, int byte, int n_bytes);

    // x = constant (o) x
    virtual void first_or_nan_f32(lane_op o, int x, uint64_t constant, int temp) {
        fill(temp, constant, 4);
        op(o, x, temp, x);
    }

    // The register that keeps the constant, or -1 if there is none left.
    int kept(const uint8_t (&bytes)[64]);
    int kept(uint64_t c, int lane_bytes);
    struct kept_constant {
        uint8_t bytes[64];
        int reg;
    };
    const std::vector<kept_constant> &kept_constants() const { return kept_; }

    Xbyak::CodeGenerator &g_;

private:
    std::vector<int> spare_regs_; // not taken yet
    std::vector<kept_constant> kept_;
    constant_pool &pool_;
};

inline bool is_64_bit(lane_op o) { return o >= lane_op::sub_i64; }
inline bool is_16_bit(lane_op o) { return o >= lane_op::add_i16 && o < lane_op::sub_i64; }

} // namespace tfmt::cpu::jit
