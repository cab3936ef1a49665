// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/lane_ops_families.hpp"

#include <stdexcept>

namespace tfmt::cpu::jit {

namespace {

using namespace Xbyak;

// SSE4.1: two-operand instructions on 16 bytes. xmm0 holds the results of comparisons, which
// blendvps reads there.
class lane_ops_sse41 final : public lane_ops {
public:
    using lane_ops::lane_ops;

    void move(int out, int a) override {
        if (out != a) g_.movaps(Xmm(out), Xmm(a));
    }

    void op(lane_op o, int out, int a, int b) override {
        if (out == b && out != a) {
            move(compared, b);
            b = compared;
        }
        move(out, a);
        op(o, Xmm(out), Xmm(b));
    }
    void op_with(lane_op o, int out, int a, uint64_t c) override {
        move(out, a);
        op(o, Xmm(out), at(c, is_64_bit(o) ? 8 : 4));
    }

    void shift(lane_shift s, int out, int a, int n) override {
        move(out, a);
        switch (s) {
        case lane_shift::left_16: g_.psllw(Xmm(out), n); break;
        case lane_shift::right_16: g_.psrlw(Xmm(out), n); break;
        case lane_shift::left_32: g_.pslld(Xmm(out), n); break;
        case lane_shift::right_32: g_.psrld(Xmm(out), n); break;
        case lane_shift::arithmetic_right_32: g_.psrad(Xmm(out), n); break;
        }
    }

    void fill(int out, uint64_t c, int lane_bytes) override {
        if (c == 0)
            g_.pxor(Xmm(out), Xmm(out));
        else
            g_.movaps(Xmm(out), at(c, lane_bytes));
    }

    void select(lane_compare c, int out, int a, int b, int chosen) override {
        select(c, out, a, Xmm(b), chosen);
    }
    void select_with(lane_compare c, int out, int a, uint64_t constant, int chosen) override {
        const bool is_wide = c == lane_compare::greater_i64 || c >= lane_compare::unordered_f64;
        select(c, out, a, at(constant, is_wide ? 8 : 4), chosen);
    }

    void f32_from_i32(int out, int a) override { g_.cvtdq2ps(Xmm(out), Xmm(a)); }
    void i32_from_f32(int out, int a) override { g_.cvtps2dq(Xmm(out), Xmm(a)); }
    void f64_from_f32(int out, int a) override { g_.cvtps2pd(Xmm(out), Xmm(a)); }
    void f64_from_i32(int out, int a) override { g_.cvtdq2pd(Xmm(out), Xmm(a)); }
    void f32_from_f64(int out, int a) override { g_.cvtpd2ps(Xmm(out), Xmm(a)); }
    void i32_from_f64(int out, int a) override { g_.cvtpd2dq(Xmm(out), Xmm(a)); }
    void i64_from_i32(int out, int a) override { g_.pmovsxdq(Xmm(out), Xmm(a)); }
    void low_halves(int out, int a) override { g_.pshufd(Xmm(out), Xmm(a), 0x08); }
    void high_halves(int out, int a) override { g_.pshufd(Xmm(out), Xmm(a), 0x0d); }

    // See two_to_52 and its neighbours.
    void f64_from_i64(int out, int a, int temp1, int temp2) override {
        g_.pxor(Xmm(temp2), Xmm(temp2));
        move(temp1, a);
        g_.psrad(Xmm(temp1), 16);
        g_.pblendw(Xmm(temp1), Xmm(temp2), 0x33);
        g_.paddq(Xmm(temp1), at(three_times_2_67, 8));
        g_.pblendw(Xmm(a), at(two_to_52, 8), 0x88);
        g_.subpd(Xmm(temp1), at(three_times_2_67_and_2_52, 8));
        g_.addpd(Xmm(temp1), Xmm(a));
        move(out, temp1);
    }

    void i64_from_f64(int out, int a, int temp1, int temp2) override {
        move(compared, a);
        g_.cmppd(Xmm(compared), Xmm(a), 7); // ordered
        g_.andpd(Xmm(a), Xmm(compared));
        g_.cvtsd2si(g_.r11, Xmm(a));
        g_.movq(Xmm(temp1), g_.r11);
        move(temp2, a);
        g_.unpckhpd(Xmm(temp2), Xmm(temp2));
        g_.cvtsd2si(g_.r11, Xmm(temp2));
        g_.pinsrq(Xmm(temp1), g_.r11, 1);
        fill(temp2, INT64_MAX, 8);
        select_with(lane_compare::greater_f64, temp1, a, largest_f64_below_2_63, temp2);
        move(out, temp1);
    }

    bool has_f16() const override { return false; }
    void f32_from_f16(int, int) override { throw std::logic_error("no F16C"); }
    void f16_from_f32(int, int) override { throw std::logic_error("no F16C"); }

    void widen(int out, int a, int elem_bytes, bool is_signed) override {
        if (elem_bytes == 1)
            is_signed ? g_.pmovsxbd(Xmm(out), Xmm(a)) : g_.pmovzxbd(Xmm(out), Xmm(a));
        else
            is_signed ? g_.pmovsxwd(Xmm(out), Xmm(a)) : g_.pmovzxwd(Xmm(out), Xmm(a));
    }
    void narrow(int out, int a, int elem_bytes) override {
        if (narrow_part >= 0) return narrow_to_part(out, a, 4, elem_bytes);
        move(out, a);
        const uint64_t pattern = elem_bytes == 1 ? low_bytes_pattern : low_words_pattern;
        g_.pshufb(Xmm(out), g_.ptr[constant(pattern, ~uint64_t(0), 16)]);
    }
    void widen_words(int out, int a, bool is_signed) override {
        is_signed ? g_.pmovsxbw(Xmm(out), Xmm(a)) : g_.pmovzxbw(Xmm(out), Xmm(a));
    }
    void narrow_words(int out, int a) override {
        if (narrow_part >= 0) return narrow_to_part(out, a, 2, 1);
        move(out, a);
        g_.pshufb(Xmm(out), g_.ptr[constant(even_bytes_pattern, ~uint64_t(0), 16)]);
    }
    bool narrows_to_parts() const override { return true; }
    void join_parts(int, int) override {}
    void pack_words(int out, int a, int b) override {
        move(out, a);
        g_.packssdw(Xmm(out), Xmm(b));
    }
    void pack_bytes(int out, int a, int b, bool is_signed) override {
        move(out, a);
        is_signed ? g_.packsswb(Xmm(out), Xmm(b)) : g_.packuswb(Xmm(out), Xmm(b));
    }
    void clear_nan_f32(int x) override {
        move(compared, x);
        g_.cmpps(Xmm(compared), Xmm(x), 7); // ordered
        g_.andps(Xmm(x), Xmm(compared));
    }
    void merge_words(int out, int low, int high) override {
        if (out == high)
            g_.pblendw(Xmm(out), Xmm(low), 0x55);
        else {
            move(out, low);
            g_.pblendw(Xmm(out), Xmm(high), 0xaa);
        }
    }
    void op_or_zero_i16(lane_op o, int x, uint64_t c, int a, uint64_t limit) override {
        move(compared, a);
        g_.pcmpgtw(Xmm(compared), at(limit, 4));
        g_.pandn(Xmm(compared), Xmm(x));
        move(x, compared);
        op_with(o, x, x, c);
    }
    void lookup_words(int out, int index, const words_16 &table) override {
        // The upper byte of an index is 0 and finds 0 in the lower bytes.
        g_.movaps(Xmm(compared), g_.ptr[table_bytes_constant(table, 1, 16)]);
        g_.movaps(Xmm(out), g_.ptr[table_bytes_constant(table, 0, 16)]);
        g_.pshufb(Xmm(compared), Xmm(index));
        g_.pshufb(Xmm(out), Xmm(index));
        g_.psllw(Xmm(compared), 8);
        g_.por(Xmm(out), Xmm(compared));
    }
    void high_bytes(int out, int a) override {
        g_.pmovzxbw(Xmm(out), Xmm(a));
        g_.psllw(Xmm(out), 8);
    }

    void unpack_nibbles(int out, int a) override {
        g_.pmovzxbw(Xmm(out), Xmm(a));
        move(compared, out);
        g_.psllw(Xmm(compared), 4);
        g_.por(Xmm(out), Xmm(compared));
        g_.pand(Xmm(out), at(0x0f0f0f0f, 4));
    }
    void pack_nibbles(int out, int a) override {
        move(out, a);
        g_.pmaddubsw(Xmm(out), at(0x10011001, 4));
        g_.packuswb(Xmm(out), Xmm(out));
    }

    void keep_bytes(int out, int a, uint64_t mask) override {
        uint8_t pattern[64] = {};
        for (int i = 0; i < 16; i++)
            pattern[i] = mask >> i & 1 ? 0xff : 0;
        move(out, a);
        g_.pand(Xmm(out), g_.ptr[bytes_constant(pattern, 16)]);
    }

    void load(int out, const RegExp &at) override { g_.movups(Xmm(out), g_.ptr[at]); }
    void broadcast(int out, const RegExp &at, int lane_bytes) override {
        if (lane_bytes == 4) {
            g_.movss(Xmm(out), g_.ptr[at]);
            g_.shufps(Xmm(out), Xmm(out), 0);
        } else {
            g_.movsd(Xmm(out), g_.ptr[at]);
            g_.unpcklpd(Xmm(out), Xmm(out));
        }
    }
    void pick(int out, const RegExp &at, const std::vector<int32_t> &offset_bytes, int lane_bytes,
            int) override {
        g_.lea(g_.rax, g_.ptr[at]);
        for (size_t i = 0; i < offset_bytes.size(); i++) {
            const RegExp from = g_.rax + offset_bytes[i];
            if (lane_bytes == 4)
                i == 0 ? g_.movss(Xmm(out), g_.ptr[from])
                       : g_.insertps(Xmm(out), g_.ptr[from], uint8_t(i << 4));
            else
                i == 0 ? g_.movsd(Xmm(out), g_.ptr[from]) : g_.movhpd(Xmm(out), g_.ptr[from]);
        }
    }
    void op_at(lane_op o, int out, int a, const RegExp &at) override {
        move(out, a);
        op(o, Xmm(out), g_.ptr[at]);
    }

private:
    static constexpr int compared = 0;

    void narrow_to_part(int out, int a, int lane_bytes, int elem_bytes) {
        move(out, a);
        g_.pshufb(Xmm(out), g_.ptr[part_constant(lane_bytes, elem_bytes, 16)]);
    }

    Address at(uint64_t c, int lane_bytes) {
        if (lane_bytes == 4) c = (c & 0xffffffff) | c << 32;
        return g_.ptr[constant(c, c, 16)];
    }

    void select(lane_compare c, int out, int a, const Operand &b, int chosen) {
        const Xmm t(compared);
        if (c == lane_compare::greater_f64) { // as b < a, which is false for NaN
            g_.movaps(t, b);
            g_.cmppd(t, Xmm(a), 1);
            g_.blendvps(Xmm(out), Xmm(chosen));
            return;
        }
        move(compared, a);
        switch (c) {
        case lane_compare::equal_i32: g_.pcmpeqd(t, b); break;
        case lane_compare::greater_i32: g_.pcmpgtd(t, b); break;
        case lane_compare::greater_i16:
            g_.pcmpgtw(t, b);
            g_.pblendvb(Xmm(out), Xmm(chosen));
            return;
        case lane_compare::greater_i64: throw std::logic_error("no 64-bit comparison");
        case lane_compare::unordered_f32: g_.cmpps(t, b, 3); break;
        case lane_compare::unordered_f64: g_.cmppd(t, b, 3); break;
        case lane_compare::greater_f64: break; // above
        case lane_compare::not_equal_f64: g_.cmppd(t, b, 4); break;
        }
        g_.blendvps(Xmm(out), Xmm(chosen));
    }

    void op(lane_op o, const Xmm &out, const Operand &b) {
        switch (o) {
        case lane_op::and_bits: g_.pand(out, b); break;
        case lane_op::or_bits: g_.por(out, b); break;
        case lane_op::xor_bits: g_.pxor(out, b); break;
        case lane_op::and_not_bits: g_.pandn(out, b); break;
        case lane_op::add_i32: g_.paddd(out, b); break;
        case lane_op::sub_i32: g_.psubd(out, b); break;
        case lane_op::min_i32: g_.pminsd(out, b); break;
        case lane_op::max_i32: g_.pmaxsd(out, b); break;
        case lane_op::add_f32: g_.addps(out, b); break;
        case lane_op::sub_f32: g_.subps(out, b); break;
        case lane_op::mul_f32: g_.mulps(out, b); break;
        case lane_op::div_f32: g_.divps(out, b); break;
        case lane_op::min_f32: g_.minps(out, b); break;
        case lane_op::max_f32: g_.maxps(out, b); break;
        case lane_op::add_i16: g_.paddw(out, b); break;
        case lane_op::min_i16: g_.pminsw(out, b); break;
        case lane_op::max_i16: g_.pmaxsw(out, b); break;
        case lane_op::min_u16: g_.pminuw(out, b); break;
        case lane_op::mul_low_i16: g_.pmullw(out, b); break;
        case lane_op::sub_sat_i16: g_.psubsw(out, b); break;
        case lane_op::average_u16: g_.pavgw(out, b); break;
        case lane_op::min_u8: g_.pminub(out, b); break;
        case lane_op::min_i8: g_.pminsb(out, b); break;
        case lane_op::max_i8: g_.pmaxsb(out, b); break;
        case lane_op::dot_i16: g_.pmaddwd(out, b); break;
        case lane_op::sub_i64: g_.psubq(out, b); break;
        case lane_op::add_f64: g_.addpd(out, b); break;
        case lane_op::sub_f64: g_.subpd(out, b); break;
        case lane_op::mul_f64: g_.mulpd(out, b); break;
        case lane_op::div_f64: g_.divpd(out, b); break;
        case lane_op::min_f64: g_.minpd(out, b); break;
        case lane_op::max_f64: g_.maxpd(out, b); break;
        }
    }
};

} // namespace

std::unique_ptr<lane_ops> make_lane_ops_sse41(CodeGenerator &g, constant_pool &pool) {
    return std::make_unique<lane_ops_sse41>(g, pool);
}

} // namespace tfmt::cpu::jit
