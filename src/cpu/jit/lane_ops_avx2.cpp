// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/lane_ops_families.hpp"

#include <algorithm>
#include <cstring>

namespace tfmt::cpu::jit {

namespace {

using namespace Xbyak;

// AVX2. ymm14 holds the results of comparisons.
class lane_ops_avx2 final : public lane_ops {
public:
    using lane_ops::lane_ops;

    void load_kept_constants() override {
        for (const kept_constant &k : kept_constants())
            g_.vmovups(Ymm(k.reg), g_.ptr[bytes_constant(k.bytes, 32)]);
    }

    void move(int out, int a) override {
        if (out != a) g_.vmovaps(reg(out), reg(a));
    }

    void op(lane_op o, int out, int a, int b) override { op(o, reg(out), reg(a), reg(b)); }
    void op_with(lane_op o, int out, int a, uint64_t c) override {
        with_lanes(c, is_64_bit(o) ? 8 : 4, [&](const Operand &b) { op(o, reg(out), reg(a), b); });
    }

    void shift(lane_shift s, int out, int a, int n) override {
        switch (s) {
        case lane_shift::left_16: g_.vpsllw(reg(out), reg(a), n); break;
        case lane_shift::right_16: g_.vpsrlw(reg(out), reg(a), n); break;
        case lane_shift::left_32: g_.vpslld(reg(out), reg(a), n); break;
        case lane_shift::right_32: g_.vpsrld(reg(out), reg(a), n); break;
        case lane_shift::arithmetic_right_32: g_.vpsrad(reg(out), reg(a), n); break;
        }
    }

    void fill(int out, uint64_t c, int lane_bytes) override {
        if (c == 0)
            g_.vpxor(reg(out), reg(out), reg(out));
        else if (const int kept_in = kept(c, lane_bytes); kept_in >= 0)
            move(out, kept_in);
        else
            g_.vmovaps(reg(out), at(c, lane_bytes));
    }

    void select(lane_compare c, int out, int a, int b, int chosen) override {
        select(c, out, a, reg(b), chosen);
    }
    void select_with(lane_compare c, int out, int a, uint64_t constant, int chosen) override {
        const bool is_wide = c == lane_compare::greater_i64 || c >= lane_compare::unordered_f64;
        with_lanes(
                constant, is_wide ? 8 : 4, [&](const Operand &b) { select(c, out, a, b, chosen); });
    }

    void f32_from_i32(int out, int a) override { g_.vcvtdq2ps(reg(out), reg(a)); }
    void i32_from_f32(int out, int a) override { g_.vcvtps2dq(reg(out), reg(a)); }
    void f64_from_f32(int out, int a) override { g_.vcvtps2pd(reg(out), Xmm(a)); }
    void f64_from_i32(int out, int a) override { g_.vcvtdq2pd(reg(out), Xmm(a)); }
    void f32_from_f64(int out, int a) override { g_.vcvtpd2ps(Xmm(out), reg(a)); }
    void i32_from_f64(int out, int a) override { g_.vcvtpd2dq(Xmm(out), reg(a)); }
    void i64_from_i32(int out, int a) override { g_.vpmovsxdq(reg(out), Xmm(a)); }
    void low_halves(int out, int a) override { halves(out, a, 0x08); }
    void high_halves(int out, int a) override { halves(out, a, 0x0d); }

    // See two_to_52 and its neighbours.
    void f64_from_i64(int out, int a, int temp1, int temp2) override {
        g_.vpxor(reg(temp2), reg(temp2), reg(temp2));
        g_.vpsrad(reg(temp1), reg(a), 16);
        g_.vpblendw(reg(temp1), reg(temp1), reg(temp2), 0x33);
        g_.vpaddq(reg(temp1), reg(temp1), at(three_times_2_67, 8));
        g_.vpblendw(reg(a), reg(a), at(two_to_52, 8), 0x88);
        g_.vsubpd(reg(temp1), reg(temp1), at(three_times_2_67_and_2_52, 8));
        g_.vaddpd(reg(out), reg(temp1), reg(a));
    }

    void i64_from_f64(int out, int a, int temp1, int temp2) override {
        g_.vcmppd(reg(compared), reg(a), reg(a), 7); // ordered
        g_.vandpd(reg(a), reg(a), reg(compared));
        const int n_halves = width_bytes > 16 ? 2 : 1;
        g_.vmovaps(reg(temp1), reg(a));
        for (int half = 0; half < n_halves; half++) {
            if (half == 1) g_.vextractf128(Xmm(temp1), Ymm(a), 1);
            g_.vcvtsd2si(g_.r11, Xmm(temp1));
            g_.vmovq(Xmm(temp2), g_.r11);
            g_.vunpckhpd(Xmm(temp1), Xmm(temp1), Xmm(temp1));
            g_.vcvtsd2si(g_.r11, Xmm(temp1));
            g_.vpinsrq(Xmm(temp2), Xmm(temp2), g_.r11, 1);
            if (half == 0)
                g_.vmovaps(Xmm(compared), Xmm(temp2));
            else
                g_.vinserti128(Ymm(compared), Ymm(compared), Xmm(temp2), 1);
        }
        g_.vmovaps(reg(temp1), reg(compared));
        fill(temp2, INT64_MAX, 8);
        select_with(lane_compare::greater_f64, temp1, a, largest_f64_below_2_63, temp2);
        move(out, temp1);
    }

    bool has_f16() const override { return true; }
    void f32_from_f16(int out, int a) override { g_.vcvtph2ps(reg(out), Xmm(a)); }
    void f16_from_f32(int out, int a) override { g_.vcvtps2ph(Xmm(out), reg(a), 0); }

    void widen(int out, int a, int elem_bytes, bool is_signed) override {
        if (elem_bytes == 1)
            is_signed ? g_.vpmovsxbd(reg(out), Xmm(a)) : g_.vpmovzxbd(reg(out), Xmm(a));
        else
            is_signed ? g_.vpmovsxwd(reg(out), Xmm(a)) : g_.vpmovzxwd(reg(out), Xmm(a));
    }

    void narrow(int out, int a, int elem_bytes) override {
        if (narrow_part >= 0) return narrow_to_part(out, a, 4, elem_bytes);
        if (elem_bytes == 2) {
            g_.vpshufb(reg(out), reg(a), low_words());
            if (width_bytes > 16) g_.vpermq(Ymm(out), Ymm(out), 0x08);
            return;
        }
        g_.vpshufb(reg(out), reg(a), low_bytes());
        if (width_bytes <= 16) return;
        g_.vextracti128(Xmm(compared), Ymm(out), 1);
        g_.vpunpckldq(Xmm(out), Xmm(out), Xmm(compared));
    }

    void widen_words(int out, int a, bool is_signed) override {
        is_signed ? g_.vpmovsxbw(reg(out), Xmm(a)) : g_.vpmovzxbw(reg(out), Xmm(a));
    }
    void narrow_words(int out, int a) override {
        if (narrow_part >= 0) return narrow_to_part(out, a, 2, 1);
        g_.vpshufb(reg(out), reg(a), even_bytes());
        if (width_bytes > 16) g_.vpermq(Ymm(out), Ymm(out), 0x08);
    }
    bool narrows_to_parts() const override { return true; }
    void join_parts(int out, int n_parts) override {
        if (width_bytes <= 16) return;
        if (n_parts == 2) return g_.vpermq(Ymm(out), Ymm(out), 0xd8);
        uint8_t order[64] = {};
        for (int i = 0; i < 8; i++)
            order[4 * i] = uint8_t(i / 2 + i % 2 * 4);
        int indices = kept(order);
        if (indices < 0) {
            indices = compared;
            g_.vmovaps(Ymm(compared), g_.ptr[bytes_constant(order, 32)]);
        }
        g_.vpermd(Ymm(out), Ymm(indices), Ymm(out));
    }
    void pack_words(int out, int a, int b) override { g_.vpackssdw(reg(out), reg(a), reg(b)); }
    void pack_bytes(int out, int a, int b, bool is_signed) override {
        is_signed ? g_.vpacksswb(reg(out), reg(a), reg(b)) : g_.vpackuswb(reg(out), reg(a), reg(b));
    }
    void clear_nan_f32(int x) override {
        g_.vcmpps(reg(compared), reg(x), reg(x), 7); // ordered
        g_.vandps(reg(x), reg(x), reg(compared));
    }
    void merge_words(int out, int low, int high) override {
        g_.vpblendw(reg(out), reg(low), reg(high), 0xaa);
    }
    void op_or_zero_i16(lane_op o, int x, uint64_t c, int a, uint64_t limit) override {
        zero_where_greater_i16(x, a, limit);
        op_with(o, x, x, c);
    }
    void zero_where_greater_i16(int x, int a, uint64_t limit) override {
        with_lanes(limit, 4, [&](const Operand &b) { g_.vpcmpgtw(reg(compared), reg(a), b); });
        g_.vpandn(reg(x), reg(compared), reg(x));
    }
    void lookup_words(int out, int index, const words_16 &table) override {
        // The upper byte of an index is 0 and finds 0 in the lower bytes.
        g_.vmovaps(reg(compared), g_.ptr[table_bytes_constant(table, 1, bytes())]);
        g_.vmovaps(reg(out), g_.ptr[table_bytes_constant(table, 0, bytes())]);
        g_.vpshufb(reg(compared), reg(compared), reg(index));
        g_.vpshufb(reg(out), reg(out), reg(index));
        g_.vpsllw(reg(compared), reg(compared), 8);
        g_.vpor(reg(out), reg(out), reg(compared));
    }
    bool looks_up_bytes() const override { return true; }
    void fill_8_f32(int out, const f32_8 &table) override {
        uint8_t bytes[64] = {};
        std::memcpy(bytes, table, sizeof table);
        const int kept_in = kept(bytes);
        kept_in >= 0 ? move(out, kept_in) : g_.vmovaps(Ymm(out), g_.ptr[bytes_constant(bytes, 32)]);
    }
    void split_table(int low, int high, int words) override {
        uint8_t order[64] = {};
        for (int i = 0; i < 32; i++)
            order[i] = uint8_t(i % 8 * 2 + i / 8 % 2);
        const int kept_in = kept(order);
        if (kept_in >= 0)
            g_.vpshufb(Ymm(high), Ymm(words), Ymm(kept_in));
        else
            g_.vpshufb(Ymm(high), Ymm(words), g_.ptr[bytes_constant(order, 32)]);
        g_.vpermq(Ymm(low), Ymm(high), 0x88);
        g_.vpermq(Ymm(high), Ymm(high), 0xdd);
    }
    void lookup_bytes_in(int x, int other, int low, int high) override {
        g_.vpermq(Ymm(x), Ymm(x), 0xd8);
        g_.vpshufb(Ymm(other), Ymm(low), Ymm(x));
        g_.vpshufb(Ymm(compared), Ymm(high), Ymm(x));
        g_.vpunpcklbw(Ymm(x), Ymm(other), Ymm(compared));
        g_.vpunpckhbw(Ymm(other), Ymm(other), Ymm(compared));
    }
    void take_turns(int even, int odd, int a, int b) override {
        g_.vshufps(reg(even), reg(a), reg(b), 0x88);
        g_.vshufps(reg(odd), reg(a), reg(b), 0xdd);
    }
    bool splits_bytes() const override { return true; }
    void split_bytes(int even, int odd, int a) override {
        uint8_t order[64] = {};
        for (int i = 0; i < 32; i++)
            order[i] = uint8_t(i % 8 * 2 + i / 8 % 2);
        const int kept_in = kept(order);
        kept_in >= 0 ? g_.vpshufb(Xmm(even), Xmm(a), Xmm(kept_in))
                     : g_.vpshufb(Xmm(even), Xmm(a), g_.ptr[bytes_constant(order, 16)]);
        g_.vpsrldq(Xmm(odd), Xmm(even), 8);
    }
    void append_half(int a, int b) override { g_.vinserti128(Ymm(a), Ymm(a), Xmm(b), 1); }
    void high_bytes(int out, int a) override {
        g_.vpmovzxbw(Xmm(out), Xmm(a));
        g_.vpsllw(Xmm(out), Xmm(out), 8);
    }

    void unpack_nibbles(int out, int a) override {
        g_.vpmovzxbw(reg(out), Xmm(a));
        g_.vpsllw(reg(compared), reg(out), 4);
        g_.vpor(reg(out), reg(out), reg(compared));
        op_with(lane_op::and_bits, out, out, 0x0f0f0f0f);
    }
    void pack_nibbles(int out, int a) override {
        with_lanes(0x10011001, 4, [&](const Operand &b) { g_.vpmaddubsw(reg(out), reg(a), b); });
        g_.vpackuswb(reg(out), reg(out), reg(out));
        if (width_bytes > 16) g_.vpermq(Ymm(out), Ymm(out), 0x08);
    }

    void keep_bytes(int out, int a, uint64_t mask) override {
        g_.vpand(reg(out), reg(a), kept_bytes(mask));
    }

    void load(int out, const RegExp &at) override { g_.vmovups(reg(out), g_.ptr[at]); }
    void broadcast(int out, const RegExp &at, int lane_bytes) override {
        if (lane_bytes == 4)
            g_.vbroadcastss(reg(out), g_.ptr[at]);
        else
            g_.vpbroadcastq(reg(out), g_.ptr[at]);
    }
    // One permute if all lanes are within 32 bytes, else a gather.
    void pick(int out, const RegExp &at, const std::vector<int32_t> &offset_bytes, int lane_bytes,
            int temp) override {
        const int n = int(offset_bytes.size());
        if (*std::max_element(offset_bytes.begin(), offset_bytes.end()) < 32) {
            std::vector<int32_t> order;
            for (int32_t offset : offset_bytes)
                for (int word = 0; word < lane_bytes / 4; word++)
                    order.push_back(offset / 4 + word);
            g_.vmovups(Ymm(temp), g_.ptr[indices_constant(order, 32)]);
            g_.vpermps(Ymm(out), Ymm(temp), g_.ptr[at]);
            return;
        }
        const Xmm places = n > 4 ? Xmm(Ymm(temp)) : Xmm(temp);
        g_.vmovups(places, g_.ptr[indices_constant(offset_bytes, 32)]);
        g_.lea(g_.rax, g_.ptr[at]);
        g_.vpcmpeqd(reg(compared), reg(compared), reg(compared));
        if (lane_bytes == 4)
            g_.vgatherdps(reg(out), g_.ptr[g_.rax + places], reg(compared));
        else
            g_.vgatherdpd(reg(out), g_.ptr[g_.rax + places], reg(compared));
    }
    bool has_fused() const override { return true; }
    void mul_add_f32(int x, int factor, int addend) override {
        g_.vfmadd213ps(reg(x), reg(factor), reg(addend));
    }
    void op_at(lane_op o, int out, int a, const RegExp &at) override {
        op(o, reg(out), reg(a), g_.ptr[at]);
    }
    void op_row(lane_op o, int out, int a, const RegExp &at, int) override { op_at(o, out, a, at); }

protected:
    void first_or_nan_f32(lane_op o, int x, uint64_t c, int temp) override {
        const int at = kept(c, 4);
        at < 0 ? lane_ops::first_or_nan_f32(o, x, c, temp) : op(o, x, at, x);
    }

private:
    static constexpr int compared = 14;

    Xmm reg(int i) const { return width_bytes > 16 ? Xmm(Ymm(i)) : Xmm(i); }
    int bytes() const { return width_bytes > 16 ? 32 : 16; }

    // f(the constant as an operand): a register, while there are any to keep it in, or memory.
    template <typename F>
    void with_lanes(uint64_t c, int lane_bytes, F &&f) {
        const int kept_in = kept(c, lane_bytes);
        kept_in >= 0 ? f(reg(kept_in)) : f(at(c, lane_bytes));
    }
    Address at(uint64_t c, int lane_bytes) {
        if (lane_bytes == 4) c = (c & 0xffffffff) | c << 32;
        return g_.ptr[constant(c, c, bytes())];
    }
    Address low_words() { return g_.ptr[constant(low_words_pattern, ~uint64_t(0), bytes())]; }
    void narrow_to_part(int out, int a, int lane_bytes, int elem_bytes) {
        g_.vpshufb(reg(out), reg(a), g_.ptr[part_constant(lane_bytes, elem_bytes, bytes())]);
    }
    Address even_bytes() { return g_.ptr[constant(even_bytes_pattern, ~uint64_t(0), bytes())]; }
    Address low_bytes() { return g_.ptr[constant(low_bytes_pattern, ~uint64_t(0), bytes())]; }
    Address kept_bytes(uint64_t mask) {
        uint8_t pattern[64] = {};
        for (int i = 0; i < bytes(); i++)
            pattern[i] = mask >> i & 1 ? 0xff : 0;
        return g_.ptr[bytes_constant(pattern, bytes())];
    }

    void halves(int out, int a, int order) {
        g_.vpshufd(reg(out), reg(a), uint8_t(order));
        if (width_bytes > 16) g_.vpermq(Ymm(out), Ymm(out), 0x08);
    }

    void select(lane_compare c, int out, int a, const Operand &b, int chosen) {
        const Xmm t = reg(compared);
        switch (c) {
        case lane_compare::equal_i32: g_.vpcmpeqd(t, reg(a), b); break;
        case lane_compare::greater_i32: g_.vpcmpgtd(t, reg(a), b); break;
        case lane_compare::greater_i16:
            g_.vpcmpgtw(t, reg(a), b);
            g_.vpblendvb(reg(out), reg(out), reg(chosen), t);
            return;
        case lane_compare::greater_i64: g_.vpcmpgtq(t, reg(a), b); break;
        case lane_compare::unordered_f32: g_.vcmpps(t, reg(a), b, 3); break;
        case lane_compare::unordered_f64: g_.vcmppd(t, reg(a), b, 3); break;
        case lane_compare::greater_f64: g_.vcmppd(t, reg(a), b, 14); break;
        case lane_compare::not_equal_f64: g_.vcmppd(t, reg(a), b, 4); break;
        }
        g_.vblendvps(reg(out), reg(out), reg(chosen), t);
    }

    void op(lane_op o, const Xmm &out, const Xmm &a, const Operand &b) {
        switch (o) {
        case lane_op::and_bits: g_.vpand(out, a, b); break;
        case lane_op::or_bits: g_.vpor(out, a, b); break;
        case lane_op::xor_bits: g_.vpxor(out, a, b); break;
        case lane_op::and_not_bits: g_.vpandn(out, a, b); break;
        case lane_op::add_i32: g_.vpaddd(out, a, b); break;
        case lane_op::sub_i32: g_.vpsubd(out, a, b); break;
        case lane_op::min_i32: g_.vpminsd(out, a, b); break;
        case lane_op::max_i32: g_.vpmaxsd(out, a, b); break;
        case lane_op::add_f32: g_.vaddps(out, a, b); break;
        case lane_op::sub_f32: g_.vsubps(out, a, b); break;
        case lane_op::mul_f32: g_.vmulps(out, a, b); break;
        case lane_op::div_f32: g_.vdivps(out, a, b); break;
        case lane_op::min_f32: g_.vminps(out, a, b); break;
        case lane_op::max_f32: g_.vmaxps(out, a, b); break;
        case lane_op::add_i16: g_.vpaddw(out, a, b); break;
        case lane_op::min_i16: g_.vpminsw(out, a, b); break;
        case lane_op::max_i16: g_.vpmaxsw(out, a, b); break;
        case lane_op::min_u16: g_.vpminuw(out, a, b); break;
        case lane_op::mul_low_i16: g_.vpmullw(out, a, b); break;
        case lane_op::sub_sat_i16: g_.vpsubsw(out, a, b); break;
        case lane_op::average_u16: g_.vpavgw(out, a, b); break;
        case lane_op::min_u8: g_.vpminub(out, a, b); break;
        case lane_op::min_i8: g_.vpminsb(out, a, b); break;
        case lane_op::max_i8: g_.vpmaxsb(out, a, b); break;
        case lane_op::dot_i16: g_.vpmaddwd(out, a, b); break;
        case lane_op::sub_i64: g_.vpsubq(out, a, b); break;
        case lane_op::add_f64: g_.vaddpd(out, a, b); break;
        case lane_op::sub_f64: g_.vsubpd(out, a, b); break;
        case lane_op::mul_f64: g_.vmulpd(out, a, b); break;
        case lane_op::div_f64: g_.vdivpd(out, a, b); break;
        case lane_op::min_f64: g_.vminpd(out, a, b); break;
        case lane_op::max_f64: g_.vmaxpd(out, a, b); break;
        }
    }
};

} // namespace

std::unique_ptr<lane_ops> make_lane_ops_avx2(CodeGenerator &g, constant_pool &pool) {
    return std::make_unique<lane_ops_avx2>(g, pool);
}

} // namespace tfmt::cpu::jit
