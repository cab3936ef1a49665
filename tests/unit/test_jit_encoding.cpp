// SPDX-License-Identifier: Apache-2.0
// Instructions that are encoded at once are byte for byte those of Xbyak: all opcodes, registers on
// both sides of every bit of their number, masks, displacements on both sides of one byte.
#include <gtest/gtest.h>
#include <xbyak/xbyak.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cpu/jit/vector_encoding.hpp"

namespace {

using namespace Xbyak;
using namespace tfmt::cpu::jit;
using byte_list = std::vector<uint8_t>;

struct assembler : CodeGenerator {
    byte_list of(const std::function<void(assembler &)> &emit) {
        resetSize();
        emit(*this);
        return {getCode(), getCode() + getSize()};
    }
};

byte_list bytes_of(const encoded_instruction &i) {
    uint8_t bytes[encoded_instruction::max_copied_bytes];
    return {bytes, bytes + i.copy_to(bytes)};
}

Xmm vector(int vector_bytes, int index) {
    if (vector_bytes == 64) return Xmm(Zmm(index));
    return vector_bytes == 32 ? Xmm(Ymm(index)) : Xmm(index);
}

const int registers[] = {0, 3, 7, 8, 15, 16, 23, 24, 31};

struct shuffle_case {
    const char *name;
    vector_opcode opcode;
    int min_vector_bytes;
    std::function<void(assembler &, const Xmm &, const Xmm &, const Xmm &)> emit;
};

#define SHUFFLE(name) \
    { \
#name, opcodes::name, 16, \
                [](assembler & a, const Xmm &x, const Xmm &y, \
                        const Xmm &z) { a.v##name(x, y, z); } \
    }
// Of forms without a 16-byte variant, whose parameters are of a derived type.
#define WIDE_SHUFFLE(name) \
    { \
#name, opcodes::name, 32, [](assembler &a, const Xmm &x, const Xmm &y, const Xmm &z) {       \
         x.isZMM() ? a.v##name(Zmm(x.getIdx()), Zmm(y.getIdx()), Zmm(z.getIdx()))                 \
                   : a.v##name(Ymm(x.getIdx()), Ymm(y.getIdx()), Ymm(z.getIdx()));                \
     } \
    }

const shuffle_case shuffles[] = {SHUFFLE(punpcklbw), SHUFFLE(punpckhbw), SHUFFLE(punpcklwd),
        SHUFFLE(punpckhwd), SHUFFLE(unpcklps), SHUFFLE(unpckhps), SHUFFLE(unpcklpd),
        SHUFFLE(unpckhpd), SHUFFLE(permb), SHUFFLE(permw), WIDE_SHUFFLE(permd), WIDE_SHUFFLE(permq),
        SHUFFLE(permt2b), SHUFFLE(permt2w), SHUFFLE(permt2d), SHUFFLE(permt2q)};

TEST(Encoding, ShufflesAreThoseOfXbyak) {
    assembler a;
    for (const shuffle_case &c : shuffles)
        for (int bytes = c.min_vector_bytes; bytes <= 64; bytes *= 2)
            for (int x : registers)
                for (int y : registers)
                    for (int z : registers) {
                        // There is none without EVEX, but Xbyak 6 would write one.
                        const bool is_permq = c.name == std::string("permq");
                        if (is_permq && bytes < 64 && (x | y | z) < 16) continue;
                        ASSERT_EQ(bytes_of(encode(c.opcode, {bytes, x, y}, z)),
                                a.of([&](assembler &to) {
                                    c.emit(to, vector(bytes, x), vector(bytes, y),
                                            vector(bytes, z));
                                }))
                                << c.name << " " << bytes << " bytes, registers " << x << " " << y
                                << " " << z;
                    }
}

TEST(Encoding, ShufflesByImmediateAreThoseOfXbyak) {
    assembler a;
    for (int bytes : {32, 64})
        for (int x : registers)
            for (int y : registers)
                for (int z : registers)
                    for (int immediate : {0, 0x44, 0xee}) {
                        encoded_instruction i = encode(opcodes::shufi64x2, {bytes, x, y}, z);
                        i.put(immediate);
                        ASSERT_EQ(bytes_of(i), a.of([&](assembler &to) {
                            bytes == 64 ? to.vshufi64x2(Zmm(x), Zmm(y), Zmm(z), uint8_t(immediate))
                                        : to.vshufi64x2(Ymm(x), Ymm(y), Ymm(z), uint8_t(immediate));
                        }));
                    }
}

std::vector<int32_t> displacements() {
    std::vector<int32_t> all {0, 1, -1, 15, 17, 1000000001, -1000000001,
            std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()};
    for (int32_t unit : {1, 16, 32, 64})
        for (int32_t units : {1, 2, 126, 127, 128, 129, 200})
            for (int32_t beside : {-1, 0, 1})
                for (int32_t sign : {-1, 1})
                    all.push_back(sign * units * unit + beside);
    return all;
}

// Calls what emits with each base, displacement and register.
void for_each_place(const std::function<void(const Reg64 &, int32_t, int)> &f) {
    for (int base : {Operand::RAX, Operand::RSI, Operand::RDI})
        for (int32_t at : displacements())
            for (int x : registers)
                f(Reg64(base), at, x);
}

TEST(Encoding, MovesAreThoseOfXbyak) {
    assembler a;
    for (int bytes : {16, 32, 64})
        for_each_place([&](const Reg64 &base, int32_t at, int x) {
            const Xmm v = vector(bytes, x);
            const Address there = a.ptr[base + at];
            const auto encoded = [&](const vector_opcode &o) {
                return bytes_of(encode_at(o, {bytes, x}, base.getIdx(), at));
            };
            EXPECT_EQ(encoded(opcodes::movups_load),
                    a.of([&](assembler &to) { to.vmovups(v, there); }));
            EXPECT_EQ(encoded(opcodes::movups_store),
                    a.of([&](assembler &to) { to.vmovups(there, v); }));
            EXPECT_EQ(
                    encoded(opcodes::movntps), a.of([&](assembler &to) { to.vmovntps(there, v); }));
        });
}

TEST(Encoding, MaskedMovesAreThoseOfXbyak) {
    assembler a;
    for (int bytes : {16, 32, 64})
        for (int mask = 1; mask < 8; mask++)
            for_each_place([&](const Reg64 &base, int32_t at, int x) {
                const Xmm v = vector(bytes, x);
                const Address there = a.ptr[base + at];
                const Opmask k(mask);
                EXPECT_EQ(bytes_of(encode_at(opcodes::movdqu8_load, {bytes, x, 0, mask, true},
                                  base.getIdx(), at)),
                        a.of([&](assembler &to) { to.vmovdqu8(v | k | util::T_z, there); }));
                EXPECT_EQ(bytes_of(encode_at(opcodes::movdqu8_store, {bytes, x, 0, mask, false},
                                  base.getIdx(), at)),
                        a.of([&](assembler &to) { to.vmovdqu8(there | k, v); }));
            });
}

// Of registers that VEX can name, the shorter form.
TEST(Encoding, LanesAreThoseOfXbyak) {
    assembler a;
    constexpr int lane = 1;
    const auto with_lane = [](encoded_instruction i) {
        i.put(lane);
        return bytes_of(i);
    };
    for (int bytes : {32, 64})
        for (int x : registers)
            for (int y : registers) {
                const bool is_vex = bytes == 32 && x < 16 && y < 16;
                const Ymm v = bytes == 64 ? Ymm(Zmm(x)) : Ymm(x);
                const auto in = [&](assembler &to) {
                    if (is_vex)
                        to.vinserti128(Ymm(x), Ymm(x), Xmm(y), lane);
                    else
                        to.vinserti32x4(v, v, Xmm(y), lane);
                };
                const auto out = [&](assembler &to) {
                    if (is_vex)
                        to.vextracti128(Xmm(y), Ymm(x), lane);
                    else
                        to.vextracti32x4(Xmm(y), v, lane);
                };
                EXPECT_EQ(with_lane(encode(opcodes::inserti128, {bytes, x, x}, y)), a.of(in));
                EXPECT_EQ(with_lane(encode(opcodes::extracti128, {bytes, x}, y)), a.of(out));
            }
    for (int bytes : {32, 64})
        for_each_place([&](const Reg64 &base, int32_t at, int x) {
            const bool is_vex = bytes == 32 && x < 16;
            const Ymm v = bytes == 64 ? Ymm(Zmm(x)) : Ymm(x);
            const Address there = a.ptr[base + at];
            const auto in = [&](assembler &to) {
                is_vex ? to.vinserti128(v, v, there, lane) : to.vinserti32x4(v, v, there, lane);
            };
            const auto out = [&](assembler &to) {
                is_vex ? to.vextracti128(there, v, lane) : to.vextracti32x4(there, v, lane);
            };
            const int b = base.getIdx();
            EXPECT_EQ(with_lane(encode_at(opcodes::inserti128, {bytes, x, x}, b, at)), a.of(in));
            EXPECT_EQ(with_lane(encode_at(opcodes::extracti128, {bytes, x}, b, at)), a.of(out));
        });
}

TEST(Encoding, PrefetchesAreThoseOfXbyak) {
    assembler a;
    for (int base : {Operand::RAX, Operand::RSI, Operand::RDI})
        for (int32_t at : displacements()) {
            const Address there = a.ptr[Reg64(base) + at];
            EXPECT_EQ(bytes_of(encode_prefetch(prefetch_kind::t1, base, at)),
                    a.of([&](assembler &to) { to.prefetcht1(there); }));
            EXPECT_EQ(bytes_of(encode_prefetch(prefetch_kind::w, base, at)),
                    a.of([&](assembler &to) { to.prefetchw(there); }));
        }
}

} // namespace
