// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/float_format.hpp"
#include "cpu/jit/lane_ops_families.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tfmt::cpu::jit {

namespace {

using namespace Xbyak;

// AVX-512 F, BW, DQ and VL. k6 holds the results of comparisons, xmm15 a part of a result.
class lane_ops_avx512 final : public lane_ops {
public:
    lane_ops_avx512(CodeGenerator &g, constant_pool &pool, const avx512_extensions &extensions)
        : lane_ops(g, pool), extensions_(extensions) {}

    void load_kept_constants() override {
        for (const kept_constant &k : kept_constants())
            g_.vmovups(Zmm(k.reg), g_.ptr[bytes_constant(k.bytes, 64)]);
    }

    void move(int out, int a) override {
        if (out != a) g_.vmovaps(reg(out), reg(a));
    }

    void op(lane_op o, int out, int a, int b) override { op(o, reg(out), reg(a), reg(b)); }
    void op_with(lane_op o, int out, int a, uint64_t c) override {
        const auto emit = [&](const Operand &b) { op(o, reg(out), reg(a), b); };
        if (is_16_bit(o)) return with_words(c, emit);
        with_lanes(c, is_64_bit(o) ? 8 : 4, emit);
    }
    bool has_fused() const override { return true; }
    void mul_add_f32(int x, int factor, int addend) override {
        g_.vfmadd213ps(reg(x), reg(factor), reg(addend));
    }
    void sub_product_f32(int x, int a, int b) override { g_.vfnmadd231ps(reg(x), reg(a), reg(b)); }
    void bound_f32(int x, float bound) override {
        constexpr uint8_t smaller_magnitude_sign_of_first = 2;
        with_lanes(f32_bits(bound), 4, [&](const Operand &b) {
            g_.vrangeps(reg(x), reg(x), b, smaller_magnitude_sign_of_first);
        });
    }
    void or_masked(int out, int a, int b, uint64_t mask) override {
        if (out == b)
            ternary(reg(out), reg(a), mask, 0xec); // (a & c) | b, out first
        else {
            move(out, a);
            ternary(reg(out), reg(b), mask, 0xf8); // a | (b & c)
        }
    }
    void and_or(int out, int a, uint64_t mask, uint64_t bits) override {
        move(out, a);
        fill(shifted, bits, 4);
        ternary(reg(out), reg(shifted), mask, 0xec); // (a & c) | b
    }
    void take_masked(int out, int a, int b, uint64_t mask) override {
        if (out == b)
            ternary(reg(out), reg(a), mask, 0xe4); // c ? b : a, out first
        else {
            move(out, a);
            ternary(reg(out), reg(b), mask, 0xd8); // c ? b : a
        }
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
            g_.vpxord(reg(out), reg(out), reg(out));
        else if (const int at = kept(c, lane_bytes); at >= 0)
            g_.vmovaps(reg(out), reg(at));
        else if (lane_bytes == 4)
            g_.vpbroadcastd(reg(out), g_.ptr[word(c, 4)]);
        else
            g_.vpbroadcastq(reg(out), g_.ptr[word(c, 8)]);
    }
    void select(lane_compare c, int out, int a, int b, int chosen) override {
        select(c, out, a, reg(b), chosen);
    }
    void select_with(lane_compare c, int out, int a, uint64_t constant, int chosen) override {
        const bool is_wide = c == lane_compare::greater_i64 || c >= lane_compare::unordered_f64;
        const auto emit = [&](const Operand &b) { select(c, out, a, b, chosen); };
        if (c == lane_compare::greater_i16) return with_words(constant, emit);
        with_lanes(constant, is_wide ? 8 : 4, emit);
    }

    void f32_from_i32(int out, int a) override { g_.vcvtdq2ps(reg(out), reg(a)); }
    void i32_from_f32(int out, int a) override { g_.vcvtps2dq(reg(out), reg(a)); }
    void f64_from_f32(int out, int a) override { g_.vcvtps2pd(reg(out), half(a)); }
    void f64_from_i32(int out, int a) override { g_.vcvtdq2pd(reg(out), half(a)); }
    void f32_from_f64(int out, int a) override { g_.vcvtpd2ps(half(out), reg(a)); }
    void i32_from_f64(int out, int a) override { g_.vcvtpd2dq(half(out), reg(a)); }
    void i64_from_i32(int out, int a) override { g_.vpmovsxdq(reg(out), half(a)); }
    void low_halves(int out, int a) override { g_.vpmovqd(half(out), reg(a)); }
    void high_halves(int out, int a) override {
        g_.vpsrlq(reg(out), reg(a), 32);
        g_.vpmovqd(half(out), reg(out));
    }
    void f64_from_i64(int out, int a, int, int) override { g_.vcvtqq2pd(reg(out), reg(a)); }
    void i64_from_f64(int out, int a, int temp1, int) override {
        g_.vcmppd(compared, reg(a), reg(a), 7); // ordered
        g_.vmovapd(reg(a) | compared | util::T_z, reg(a));
        fill(temp1, INT64_MAX, 8);
        g_.vcmppd(compared, reg(a), broadcast(largest_f64_below_2_63, 8), 14); // greater
        g_.vcvtpd2qq(reg(out), reg(a));
        g_.vmovdqa64(reg(out) | compared, reg(temp1));
    }
    bool has_f16() const override { return true; }
    void f32_from_f16(int out, int a) override { g_.vcvtph2ps(reg(out), half(a)); }
    void f16_from_f32(int out, int a) override { g_.vcvtps2ph(half(out), reg(a), 0); }
    bool has_f16_arithmetic() const override { return extensions_.has_fp16; }
    void f16_from_i16(int out, int a) override {
        if (!extensions_.has_fp16) return lane_ops::f16_from_i16(out, a);
        g_.vcvtw2ph(reg(out), reg(a));
    }
    void i16_from_f16(int out, int a) override {
        if (!extensions_.has_fp16) return lane_ops::i16_from_f16(out, a);
        g_.vcvtph2w(reg(out), reg(a));
    }
    bool has_bf16() const override { return extensions_.has_bf16; }
    // AVX512_BF16 takes denormals for zero. So they become normal numbers with the same last place,
    // by the exponent above, which is taken away again. f32 -> bf16, 0.26 to 9.6 MB in a row, over
    // memcpy: 1.2 to 1.6 in nine steps of integers, 0.7 to 1.2 so.
    bool has_masks() const override { return true; }
    void bf16_from_any_f32(int x, int temp) override {
        if (!extensions_.has_bf16) return round_to_bf16(x, temp);
        with_lanes(0x7f800000, 4, [&](const Operand &c) { g_.vptestnmd(compared, reg(x), c); });
        with_lanes(
                0x00800000, 4, [&](const Operand &c) { g_.vpord(reg(x) | compared, reg(x), c); });
        g_.vcvtneps2bf16(half(x), reg(x));
        const int step = kept(0x00800080, 4);
        step >= 0 ? g_.vpsubw(half(x) | compared, half(x), half(step))
                  : g_.vpsubw(half(x) | compared, half(x), whole(0x00800080));
    }
    void bf16_from_f32(int out, int a) override { g_.vcvtneps2bf16(half(out), reg(a)); }
    void bf16_from_two_f32(int out, int a, int b) override {
        g_.vcvtne2ps2bf16(reg(out), reg(b), reg(a));
    }
    // A dot product with 1 and 0 in place of two steps: bf16 to s8, transposed or not, takes 0.91
    // of the time where L2 holds both sides, 0.94 beyond it; to f8_e5m2 0.88 and 0.96. That is on a
    // Zen 4; on an Intel processor 1.25 to 1.4, 1.2.
    void add_bf16(int out, int x, bool is_odd, uint64_t addend) override {
        if (!extensions_.has_fast_bf16_dots) return lane_ops::add_bf16(out, x, is_odd, addend);
        fill(out, addend, 4);
        with_lanes(is_odd ? 0x3f800000 : 0x00003f80, 4,
                [&](const Operand &ones) { g_.vdpbf16ps(reg(out), reg(x), ones); });
    }

    void widen(int out, int a, int elem_bytes, bool is_signed) override {
        if (elem_bytes == 1)
            is_signed ? g_.vpmovsxbd(reg(out), Xmm(a)) : g_.vpmovzxbd(reg(out), Xmm(a));
        else
            is_signed ? g_.vpmovsxwd(reg(out), half(a)) : g_.vpmovzxwd(reg(out), half(a));
    }
    void widen_to_high(int out, int a) override {
        if (!is_zero_above || width_bytes < 64) return lane_ops::widen_to_high(out, a);
        uint8_t order[64] = {};
        for (int word = 0; word < 32; word++)
            order[2 * word] = uint8_t(word % 2 ? word / 2 : 31); // 31: zero
        const int indices = index_reg(order);
        g_.vpermw(reg(out), reg(indices), reg(a));
    }
    void narrow(int out, int a, int elem_bytes) override {
        if (elem_bytes == 1)
            g_.vpmovdb(Xmm(out), reg(a));
        else
            g_.vpmovdw(half(out), reg(a));
    }
    void widen_words(int out, int a, bool is_signed) override {
        is_signed ? g_.vpmovsxbw(reg(out), half(a)) : g_.vpmovzxbw(reg(out), half(a));
    }
    void narrow_words(int out, int a) override { g_.vpmovwb(half(out), reg(a)); }
    void narrow_two(int out, int even, int odd) override {
        if (!extensions_.has_vbmi || width_bytes <= 16) return lane_ops::narrow_two(out, even, odd);
        uint8_t order[64];
        for (int i = 0; i < 64; i++)
            order[i] = uint8_t(i / 2 * 4 + i % 2 * width_bytes);
        move(out, index_reg(order));
        g_.vpermi2b(reg(out), reg(even), reg(odd));
    }
    bool joins_words() const override { return extensions_.has_vbmi; }
    void join_words(int a, int b) override {
        if (!extensions_.has_vbmi) return lane_ops::join_words(a, b);
        uint8_t order[64];
        for (int i = 0; i < 64; i++)
            order[i] = uint8_t(2 * i < width_bytes ? 2 * i : 64 + 2 * i - width_bytes);
        const int indices = index_reg(order);
        g_.vpermt2b(Zmm(a), Zmm(indices), Zmm(b));
    }
    void shift_where_greater_i16(int out, int a, uint64_t limit, int from, int n) override {
        with_words(limit, [&](const Operand &b) { g_.vpcmpgtw(compared, reg(a), b); });
        g_.vpsrlw(reg(out) | compared, reg(from), n);
    }
    void pack_words(int out, int a, int b) override { g_.vpackssdw(reg(out), reg(a), reg(b)); }
    void pack_bytes(int out, int a, int b, bool is_signed) override {
        is_signed ? g_.vpacksswb(reg(out), reg(a), reg(b)) : g_.vpackuswb(reg(out), reg(a), reg(b));
    }
    void clear_nan_f32(int x) override {
        g_.vcmpps(compared, reg(x), reg(x), 7); // ordered
        g_.vmovaps(reg(x) | compared | util::T_z, reg(x));
    }
    void min_or_zero_f32(int x, uint64_t c) override {
        g_.vcmpps(compared, reg(x), reg(x), 7); // ordered
        with_lanes(c, 4, [&](const Operand &bound) {
            g_.vminps(reg(x) | compared | util::T_z, reg(x), bound);
        });
    }
    void join_parts(int out, int n_parts) override {
        if (width_bytes <= 16) return;
        // In words of 4 bytes, of which a part has one or two in each 16 bytes.
        const int n_lanes = width_bytes / 16, n_words = 4 / n_parts;
        uint8_t order[64] = {};
        for (int i = 0; i < width_bytes / 4; i++) {
            const int part = i / (n_lanes * n_words), lane = i / n_words % n_lanes;
            order[4 * i] = uint8_t(4 * lane + part * n_words + i % n_words);
        }
        const int indices = index_reg(order);
        g_.vpermd(ymm_or_zmm(reg(out)), ymm_or_zmm(reg(indices)), reg(out));
    }
    void merge_words(int out, int low, int high) override {
        if (out == low)
            ternary(reg(out), reg(high), 0x0000ffff, 0xe4); // c ? a : b
        else {
            move(out, high);
            ternary(reg(out), reg(low), 0x0000ffff, 0xd8); // c ? b : a
        }
    }
    void op_or_zero_i16(lane_op o, int x, uint64_t c, int a, uint64_t limit) override {
        with_words(limit, [&](const Operand &b) {
            g_.vpcmpw(compared, reg(a), b, 2); // less or equal
        });
        with_words(c, [&](const Operand &b) { op(o, reg(x) | compared | util::T_z, reg(x), b); });
    }
    void op_or_other_i16(
            lane_op o, int x, uint64_t c, int a, uint64_t limit, uint64_t otherwise) override {
        with_words(limit, [&](const Operand &b) {
            g_.vpcmpw(compared, reg(x), b, 2); // less or equal
        });
        fill(x, otherwise, 4);
        with_words(c, [&](const Operand &b) { op(o, reg(x) | compared, reg(a), b); });
    }
    void lookup_words(int out, int index, const words_16 &table) override {
        // 8 words do not hold the table: no less than 32 bytes.
        const int n_bytes = width_bytes > 32 ? 64 : 32;
        uint8_t bytes[64];
        for (int i = 0; i < 64; i += int(sizeof table))
            std::memcpy(bytes + i, table, sizeof table);
        with_bytes(bytes, n_bytes, [&](const Operand &words) {
            g_.vpermw(reg_of(out, n_bytes), reg_of(index, n_bytes), words);
        });
    }
    bool looks_up_f32() const override { return true; }
    void fill_f32(int out, const f32_16 &table) override {
        with_table(table, [&](const Operand &t) { g_.vmovups(Zmm(out), t); });
    }
    void lookup_f32(int out, int index, const f32_16 &table) override {
        with_table(table, [&](const Operand &t) { g_.vpermps(Zmm(out), Zmm(index), t); });
    }
    void lookup_words_in(int out, int index, int table) override {
        g_.vpermw(reg(out), reg(index), reg(table));
    }
    bool interleaves_words() const override { return true; }
    void interleave_words(int a, int b) override {
        uint8_t order[64] = {};
        for (int i = 0; i < 64; i += 2)
            order[i] = uint8_t(i / 4 + i / 2 % 2 * 32);
        g_.vpermt2w(Zmm(a), Zmm(index_reg(order)), Zmm(b));
    }
    void high_bytes(int out, int a) override {
        g_.vpmovzxbw(half(out), Xmm(a));
        g_.vpsllw(half(out), half(out), 8);
    }
    void unpack_nibbles(int out, int a) override {
        g_.vpmovzxbw(reg(out), half(a));
        g_.vpsllw(reg(shifted), reg(out), 4);
        ternary(reg(out), reg(shifted), 0x0f0f0f0f, 0xa8); // (a | b) & c
    }
    void pack_nibbles(int out, int a) override {
        with_words(0x10011001, [&](const Operand &b) { g_.vpmaddubsw(reg(out), reg(a), b); });
        g_.vpmovwb(half(out), reg(out));
    }
    bool packs_nibbles_of_two() const override { return true; }
    void pack_nibbles_of_two(int out, int a, int b, int temp, int n_parts) override {
        with_words(0x10011001, [&](const Operand &c) {
            g_.vpmaddubsw(reg(out), reg(a), c);
            g_.vpmaddubsw(reg(temp), reg(b), c);
        });
        // In each 16 bytes 4 words of 4 nibbles, of each part one or two.
        const int n_words = 4 / n_parts;
        const auto word = [&](int i) {
            return i / n_words % 4 * 4 + i / (4 * n_words) * n_words + i % n_words;
        };
        uint8_t order[64] = {};
        if (extensions_.has_vbmi) { // 0.98 of the time of f16 to u4 in rows with groups
            for (int i = 0; i < 64; i++)
                order[i] = uint8_t(i / 32 * 64 + word(i % 32 / 2) * 4 + i % 2 * 2);
            g_.vpermt2b(reg(out), reg(index_reg(order)), reg(temp));
            return;
        }
        g_.vpackuswb(reg(out), reg(out), reg(temp));
        for (int i = 0; i < 32; i++)
            order[2 * i] = uint8_t(word(i % 16) / 4 * 8 + i / 16 * 4 + word(i % 16) % 4);
        g_.vpermw(reg(out), reg(index_reg(order)), reg(out));
    }
    void keep_bytes(int out, int a, uint64_t mask) override {
        g_.mov(g_.r11, mask);
        g_.kmovq(compared, g_.r11);
        g_.vmovdqu8(reg(out) | compared | util::T_z, reg(a));
    }
    void load(int out, const RegExp &at) override { g_.vmovups(reg(out), g_.ptr[at]); }
    void broadcast(int out, const RegExp &at, int lane_bytes) override {
        if (lane_bytes == 4)
            g_.vpbroadcastd(reg(out), g_.ptr[at]);
        else
            g_.vpbroadcastq(reg(out), g_.ptr[at]);
    }
    // One permute if all lanes are within a register's length, else a gather.
    void pick(int out, const RegExp &at, const std::vector<int32_t> &offset_bytes, int lane_bytes,
            int temp) override {
        const int n = int(offset_bytes.size()), bytes = std::max(32, width_bytes);
        const Xmm target = reg_of(out, bytes);
        if (*std::max_element(offset_bytes.begin(), offset_bytes.end()) < bytes) {
            // In words of 4 bytes whatever the lanes are: Xbyak encodes vpermq between registers of
            // 32 bytes, which has no VEX form, as the vpermd of that number.
            uint8_t order[64] = {}, *index = order;
            for (int32_t offset : offset_bytes)
                for (int word = 0; word < lane_bytes / 4; word++, index += 4)
                    *index = uint8_t(offset / 4 + word);
            const Xmm indices = reg_of(index_reg(order), bytes);
            g_.vpermd(ymm_or_zmm(target), ymm_or_zmm(indices), g_.ptr[at]);
            return;
        }
        const Xmm places = reg_of(temp, n * 4);
        g_.vmovups(places, g_.ptr[indices_constant(offset_bytes, std::max(16, n * 4))]);
        g_.lea(g_.rax, g_.ptr[at]);
        g_.kxnorw(compared, compared, compared);
        if (lane_bytes == 4)
            g_.vgatherdps(reg(out) | compared, g_.ptr[g_.rax + places]);
        else
            g_.vgatherdpd(reg(out) | compared, g_.ptr[g_.rax + places]);
    }
    void op_at(lane_op o, int out, int a, const RegExp &at) override {
        op(o, reg(out), reg(a), g_.ptr[at]);
    }
    void op_row(lane_op o, int out, int a, const RegExp &at, int) override { op_at(o, out, a, at); }
    void op_one(lane_op o, int out, int a, const RegExp &at, int) override {
        op(o, reg(out), reg(a), g_.ptr_b[at]);
    }

protected:
    void first_or_nan_f32(lane_op o, int x, uint64_t c, int temp) override {
        const int at = kept(c, 4);
        at < 0 ? lane_ops::first_or_nan_f32(o, x, c, temp) : op(o, x, at, x);
    }

private:
    const avx512_extensions extensions_;
    static constexpr int shifted = 15;
    const Opmask compared = Opmask(6);

    // f(the constant as an operand): a register, while there are any to keep it in, or memory.
    template <typename F>
    void with_lanes(uint64_t c, int lane_bytes, F &&f) {
        const int at = kept(c, lane_bytes);
        at >= 0 ? f(reg(at)) : f(broadcast(c, lane_bytes));
    }
    template <typename F>
    void with_words(uint64_t c, F &&f) { // words have no broadcasts
        const int at = kept(c, 4);
        at >= 0 ? f(reg(at)) : f(whole(c));
    }
    // Where they are kept, or xmm15.
    int index_reg(const uint8_t (&bytes)[64]) {
        const int at = kept(bytes);
        if (at < 0) g_.vmovaps(Zmm(shifted), g_.ptr[bytes_constant(bytes, 64)]);
        return at < 0 ? shifted : at;
    }
    template <typename F>
    void with_table(const f32_16 &table, F &&f) {
        uint8_t bytes[64];
        std::memcpy(bytes, table, sizeof bytes);
        with_bytes(bytes, 64, f);
    }
    template <typename F>
    void with_bytes(const uint8_t (&bytes)[64], int n_bytes, F &&f) {
        const int at = kept(bytes);
        at >= 0 ? f(reg_of(at, n_bytes)) : f(g_.ptr[bytes_constant(bytes, n_bytes)]);
    }
    void ternary(const Xmm &out, const Xmm &a, uint64_t c, uint8_t table) {
        with_lanes(c, 4, [&](const Operand &b) { g_.vpternlogd(out, a, b, table); });
    }

    // As converter::encode_bf16.
    void round_to_bf16(int x, int temp) {
        const Xmm rounded = reg(temp);
        with_lanes(0x00010000, 4, [&](const Operand &c) { g_.vptestmd(compared, reg(x), c); });
        with_lanes(0x7fff, 4, [&](const Operand &c) { g_.vpaddd(rounded, reg(x), c); });
        with_lanes(1, 4, [&](const Operand &c) { g_.vpaddd(rounded | compared, rounded, c); });
        g_.vcmpps(compared, reg(x), reg(x), 3); // NaN
        with_lanes(
                0x00400000, 4, [&](const Operand &c) { g_.vpord(rounded | compared, reg(x), c); });
        g_.vpsrld(rounded, rounded, 16);
        g_.vpmovdw(half(x), rounded);
    }

    static Xmm reg_of(int i, int bytes) {
        return bytes > 32 ? Xmm(Zmm(i)) : bytes > 16 ? Xmm(Ymm(i)) : Xmm(i);
    }
    Xmm reg(int i) const { return reg_of(i, width_bytes); }
    // As the type that forms without a 16-byte variant take.
    static Ymm ymm_or_zmm(const Xmm &x) {
        return x.isZMM() ? Ymm(Zmm(x.getIdx())) : Ymm(x.getIdx());
    }
    Xmm half(int i) const { return reg_of(i, width_bytes / 2); }

    RegRip word(uint64_t c, int n_bytes) {
        if (n_bytes == 4) c = (c & 0xffffffff) | c << 32;
        return constant(c, c, n_bytes);
    }
    Address whole(uint64_t c) {
        return g_.ptr[word((c & 0xffffffff) | c << 32, width_bytes > 32 ? 64 : 32)];
    }
    Address broadcast(uint64_t c, int lane_bytes) { return g_.ptr_b[word(c, lane_bytes)]; }

    void select(lane_compare c, int out, int a, const Operand &b, int chosen) {
        switch (c) {
        case lane_compare::equal_i32: g_.vpcmpeqd(compared, reg(a), b); break;
        case lane_compare::greater_i32: g_.vpcmpgtd(compared, reg(a), b); break;
        case lane_compare::greater_i16:
            g_.vpcmpgtw(compared, reg(a), b);
            g_.vmovdqu16(reg(out) | compared, reg(chosen));
            return;
        case lane_compare::greater_i64: g_.vpcmpgtq(compared, reg(a), b); break;
        case lane_compare::unordered_f32: g_.vcmpps(compared, reg(a), b, 3); break;
        case lane_compare::unordered_f64: g_.vcmppd(compared, reg(a), b, 3); break;
        case lane_compare::greater_f64: g_.vcmppd(compared, reg(a), b, 14); break;
        case lane_compare::not_equal_f64: g_.vcmppd(compared, reg(a), b, 4); break;
        }
        if (c == lane_compare::greater_i64 || c >= lane_compare::unordered_f64)
            g_.vmovdqa64(reg(out) | compared, reg(chosen));
        else
            g_.vmovdqa32(reg(out) | compared, reg(chosen));
    }

    void op(lane_op o, const Xmm &out, const Xmm &a, const Operand &b) {
        switch (o) {
        case lane_op::and_bits: g_.vpandd(out, a, b); break;
        case lane_op::or_bits: g_.vpord(out, a, b); break;
        case lane_op::xor_bits: g_.vpxord(out, a, b); break;
        case lane_op::and_not_bits: g_.vpandnd(out, a, b); break;
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

std::unique_ptr<lane_ops> make_lane_ops_avx512(
        CodeGenerator &g, constant_pool &pool, const avx512_extensions &extensions) {
    return std::make_unique<lane_ops_avx512>(g, pool, extensions);
}

} // namespace tfmt::cpu::jit
