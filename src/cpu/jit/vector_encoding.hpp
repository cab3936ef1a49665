// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

// The few instructions that most of a kernel consists of (moves of vectors and lanes, shuffles of
// two, prefetches) as bytes, the same that Xbyak makes of them. Xbyak finds out anew for each
// instruction what kind of operands it has and writes it byte by byte, 20 to 30 ns, a quarter of
// the time that a reorder of 1000 instructions takes to be made. All else is Xbyak's.
//
// Names as in Intel's manual, volume 2, "VEX prefix" and "EVEX prefix".
namespace tfmt::cpu::jit {

enum class opcode_map : uint8_t { of_0f = 1, of_0f38 = 2, of_0f3a = 3 };
enum class opcode_prefix : uint8_t { none = 0, of_66 = 1, of_f3 = 2, of_f2 = 3 };

struct vector_opcode {
    uint8_t code;
    opcode_map map;
    opcode_prefix prefix;
    bool has_vex; // with W = 0
    bool evex_w;
    uint8_t memory_bytes = 0; // of an operand in memory; 0: a whole vector
};

namespace opcodes {

constexpr auto m0f = opcode_map::of_0f;
constexpr auto m0f38 = opcode_map::of_0f38;
constexpr auto m0f3a = opcode_map::of_0f3a;
constexpr auto np = opcode_prefix::none;
constexpr auto p66 = opcode_prefix::of_66;
constexpr auto pf2 = opcode_prefix::of_f2;

constexpr vector_opcode movups_load {0x10, m0f, np, true, false};
constexpr vector_opcode movups_store {0x11, m0f, np, true, false};
constexpr vector_opcode movntps {0x2b, m0f, np, true, false};
constexpr vector_opcode movdqu8_load {0x6f, m0f, pf2, false, false};
constexpr vector_opcode movdqu8_store {0x7f, m0f, pf2, false, false};
constexpr vector_opcode punpcklbw {0x60, m0f, p66, true, false};
constexpr vector_opcode punpckhbw {0x68, m0f, p66, true, false};
constexpr vector_opcode punpcklwd {0x61, m0f, p66, true, false};
constexpr vector_opcode punpckhwd {0x69, m0f, p66, true, false};
constexpr vector_opcode por {0xeb, m0f, p66, true, false};
constexpr vector_opcode unpcklps {0x14, m0f, np, true, false};
constexpr vector_opcode unpckhps {0x15, m0f, np, true, false};
constexpr vector_opcode unpcklpd {0x14, m0f, p66, true, true};
constexpr vector_opcode unpckhpd {0x15, m0f, p66, true, true};
constexpr vector_opcode inserti128 {0x38, m0f3a, p66, true, false, 16};  // inserti32x4 with EVEX
constexpr vector_opcode extracti128 {0x39, m0f3a, p66, true, false, 16}; // extracti32x4
constexpr vector_opcode shufi64x2 {0x43, m0f3a, p66, false, true};
constexpr vector_opcode permb {0x8d, m0f38, p66, false, false};
constexpr vector_opcode permw {0x8d, m0f38, p66, false, true};
constexpr vector_opcode permd {0x36, m0f38, p66, true, false};
constexpr vector_opcode permq {0x36, m0f38, p66, false, true};
constexpr vector_opcode permt2b {0x7d, m0f38, p66, false, false};
constexpr vector_opcode permt2w {0x7d, m0f38, p66, false, true};
constexpr vector_opcode permt2d {0x7e, m0f38, p66, false, false};
constexpr vector_opcode permt2q {0x7e, m0f38, p66, false, true};

} // namespace opcodes

// Two words, the first byte lowest: bytes stored one by one and then read together are waited for,
// which was 2 % of the time to make a reorder.
struct encoded_instruction {
    uint64_t head = 0; // prefixes and opcode
    uint64_t tail = 0; // ModRM, displacement, immediate
    int head_bytes = 0, tail_bytes = 0;

    static constexpr int max_copied_bytes = 16;

    void put_head(uint32_t prefixes, int n_prefix_bytes, int code) {
        head = prefixes | uint64_t(uint8_t(code)) << 8 * n_prefix_bytes;
        head_bytes = n_prefix_bytes + 1;
    }
    void put(int byte) { tail |= uint64_t(uint8_t(byte)) << 8 * tail_bytes++; }
    void put_displacement(int32_t offset_bytes) {
        tail |= uint64_t(uint32_t(offset_bytes)) << 8 * tail_bytes;
        tail_bytes += int(sizeof offset_bytes);
    }
    // The number of bytes; writes up to max_copied_bytes.
    int copy_to(uint8_t *to) const {
        std::memcpy(to, &head, sizeof head);
        std::memcpy(to + head_bytes, &tail, sizeof tail);
        return head_bytes + tail_bytes;
    }
};

// Registers by number. `reg` is the result, or what a store writes; `second` is the other operand
// of three (EVEX.vvvv), 0 where there are two; `mask` is k1..k7, 0 for none, `zeroes` clears what
// is masked off.
struct vector_operands {
    int vector_bytes; // 16, 32 or 64
    int reg;
    int second = 0;
    int mask = 0;
    bool zeroes = false;
};

namespace detail {

// `rm`: the register that ModRM names, or a base below 8. Whether the prefix is EVEX.
inline bool put_prefix_and_code(
        encoded_instruction &out, const vector_opcode &o, const vector_operands &v, int rm) {
    const int length = v.vector_bytes == 64 ? 2 : v.vector_bytes == 32;
    const int not_second = ~v.second & 15;
    const bool fits_vex = length < 2 && (v.reg | v.second | rm) < 16 && v.mask == 0;
    if (!o.has_vex || !fits_vex) {
        const int p0 = (v.reg & 8 ? 0 : 0x80) | (rm & 16 ? 0 : 0x40) | (rm & 8 ? 0 : 0x20)
                | (v.reg & 16 ? 0 : 0x10) | int(o.map);
        const int p1 = (o.evex_w ? 0x80 : 0) | not_second << 3 | 4 | int(o.prefix);
        const int p2 = (v.zeroes ? 0x80 : 0) | length << 5 | (v.second & 16 ? 0 : 8) | v.mask;
        out.put_head(
                0x62u | unsigned(p0) << 8 | unsigned(p1) << 16 | unsigned(p2) << 24, 4, o.code);
        return true;
    }
    const int last = not_second << 3 | length << 2 | int(o.prefix);
    const int not_reg = v.reg & 8 ? 0 : 0x80;
    if (rm < 8 && o.map == opcode_map::of_0f) {
        out.put_head(0xc5u | unsigned(not_reg | last) << 8, 2, o.code);
    } else {
        const int second = not_reg | 0x40 | (rm & 8 ? 0 : 0x20) | int(o.map);
        out.put_head(0xc4u | unsigned(second) << 8 | unsigned(last) << 16, 3, o.code);
    }
    return false;
}

// ModRM and what follows it; `unit_bytes`: what a displacement of one byte counts.
inline void put_address(
        encoded_instruction &out, int reg, int base, int32_t offset_bytes, int unit_bytes) {
    const int units = offset_bytes / unit_bytes;
    const int reg_and_base = reg << 3 | base;
    if (offset_bytes == 0)
        out.put(reg_and_base);
    else if (offset_bytes % unit_bytes == 0 && units == int8_t(units)) {
        out.put(0x40 | reg_and_base);
        out.put(units);
    } else {
        out.put(0x80 | reg_and_base);
        out.put_displacement(offset_bytes);
    }
}

} // namespace detail

inline encoded_instruction encode(const vector_opcode &o, const vector_operands &v, int rm) {
    encoded_instruction out;
    detail::put_prefix_and_code(out, o, v, rm);
    out.put(0xc0 | (v.reg & 7) << 3 | (rm & 7));
    return out;
}

// With a vector of memory at `base` (rdi, rsi or another that needs no SIB byte) + `offset_bytes`.
inline encoded_instruction encode_at(
        const vector_opcode &o, const vector_operands &v, int base, int32_t offset_bytes) {
    encoded_instruction out;
    const bool is_evex = detail::put_prefix_and_code(out, o, v, base);
    // One byte of displacement counts bytes with VEX, operands with EVEX.
    const int memory_bytes = o.memory_bytes ? o.memory_bytes : v.vector_bytes;
    const int unit_bytes = is_evex ? memory_bytes : 1;
    detail::put_address(out, v.reg & 7, base, offset_bytes, unit_bytes);
    return out;
}

enum class prefetch_kind : uint8_t { t1, w }; // to be read, from L2; to be written

// Of the line at `base`, as above, + `offset_bytes`.
inline encoded_instruction encode_prefetch(prefetch_kind kind, int base, int32_t offset_bytes) {
    const bool writes = kind == prefetch_kind::w;
    encoded_instruction out;
    out.put_head(0x0f, 1, writes ? 0x0d : 0x18);
    detail::put_address(out, writes ? 1 : 2, base, offset_bytes, 1);
    return out;
}

} // namespace tfmt::cpu::jit
