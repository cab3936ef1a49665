// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "cpu/jit/emitter.hpp"
#include "cpu/jit/lane_ops_families.hpp"

// SSE4.1: vectors of 16 bytes, two-operand instructions. xmm15 is scratch.
namespace tfmt::cpu::jit {

namespace {

constexpr int first_converter_reg = 10; // in kernels that convert; values live below

class emitter_sse41 final : public emitter {
public:
    using emitter::emitter;

private:
    // 1..9 in kernels that convert: comparisons take xmm0.
    int n_value_regs() const override {
        return k_.converts ? first_converter_reg - 1 - has_extra_reg() : 15;
    }
    int physical(int index) const override { return k_.converts ? index + 1 : index; }
    static Xmm scratch() { return Xmm(15); }

    std::unique_ptr<lane_ops> make_lane_ops() override {
        return make_lane_ops_sse41(*this, pool());
    }
    std::array<int, 1 + n_converter_temps> converter_regs() const override {
        return {first_converter_reg, first_converter_reg + 1, first_converter_reg + 2,
                first_converter_reg + 3, first_converter_reg + 4};
    }
    int max_vector_bytes() const override { return 16; }

    void put_bytes(int whole, int pos, int n_bytes, int part) override {
        const Xmm x(part);
        if (n_bytes < 16) {
            pslldq(x, 16 - n_bytes);
            psrldq(x, 16 - n_bytes - pos);
            if (pos > 0) {
                orps(Xmm(whole), x);
                return;
            }
        }
        movaps(Xmm(whole), x);
    }
    void get_bytes(int part, int whole, int pos, int) override {
        movaps(Xmm(part), Xmm(whole));
        if (pos > 0) psrldq(Xmm(part), pos);
    }

    bool may_reuse_b() const override { return false; } // out is written before b is read

    void epilogue() override {
        if (k_.is_streaming) sfence();
    }

    void emit_zero(int out) override { pxor(Xmm(out), Xmm(out)); }
    void store_spilled(const Address &to, int reg) override { movups(to, Xmm(reg)); }
    void load_spilled(int reg, const Address &from) override { movups(Xmm(reg), from); }

    void move_line_of_pieces(int) override { // vectors are pieces
        throw std::logic_error("vectors of one lane");
    }
    void move_line(int pos, bool streams) override {
        for (int i = 0; i < 4; i++)
            movups(Xmm(i), ptr[rdi + pos + 16 * i]);
        for (int i = 0; i < 4; i++)
            streams ? movntps(ptr[rsi + pos + 16 * i], Xmm(i))
                    : movups(ptr[rsi + pos + 16 * i], Xmm(i));
    }

    void emit_load(const ir::op &o, int out) override {
        const Xmm x(out);
        const piece_list pieces = pieces_of_lane(o, 0);
        if (pieces.empty()) pxor(x, x);
        bool is_first = true;
        for (const piece &p : pieces) {
            if (is_first && p.pos > 0) pxor(x, x);
            load_piece(x, p, is_first && p.pos == 0);
            is_first = false;
        }
    }

    // `is_whole`: the register's other bytes become zero.
    void load_piece(const Xmm &x, const piece &p, bool is_whole) {
        const Address from = src_at(p.offset_bytes);
        if (p.size_bytes == 16)
            movups(x, from);
        else if (is_whole && p.size_bytes == 8)
            movq(x, from);
        else if (is_whole && p.size_bytes == 4)
            movd(x, from);
        else if (is_whole) {
            // Clearing before an insert must not disturb the address in rax: it does not use it.
            pxor(x, x);
            insert(x, from, p);
        } else
            insert(x, from, p);
    }

    void insert(const Xmm &x, const Address &from, const piece &p) {
        const uint8_t index = uint8_t(p.pos / p.size_bytes);
        switch (p.size_bytes) {
        case 1: pinsrb(x, from, index); break;
        case 2: pinsrw(x, from, index); break;
        case 4: pinsrd(x, from, index); break;
        default: pinsrq(x, from, index); break;
        }
    }

    void emit_store(const ir::op &o, int a) override {
        const piece_list pieces = stored_pieces_of_lane(o, 0);
        for (const piece &p : pieces)
            if (p.is_aligned()) store_piece(p, Xmm(a), p.pos / p.size_bytes);
        int shifted_bytes = 0;
        for (const piece &p : pieces) {
            if (p.is_aligned()) continue;
            if (shifted_bytes == 0) movaps(scratch(), Xmm(a));
            psrldq(scratch(), p.pos - shifted_bytes);
            store_piece(p, scratch(), 0);
            shifted_bytes = p.pos;
        }
    }

    void store_piece(const piece &p, const Xmm &x, int i) {
        const Address to = dst_at(p.offset_bytes);
        const auto index = uint8_t(i);
        switch (p.size_bytes) {
        case 1: pextrb(to, x, index); break;
        case 2: pextrw(to, x, index); break;
        case 4: index ? pextrd(to, x, index) : movd(to, x); break;
        case 8: index ? movhps(to, x) : movq(to, x); break;
        default: streams_store_ ? movntps(to, x) : movups(to, x); break;
        }
    }

    void emit_shuffle(const ir::op &o, int out, int a, int b) override {
        const Xmm x(out);
        if (out != a) movaps(x, Xmm(a));
        if (o.kind == ir::op_kind::unpack)
            unpack(o, x, Xmm(b));
        else if (o.kind == ir::op_kind::merge)
            por(x, Xmm(b));
        else
            pshufb(x, constant_at(o.constant));
    }

    void unpack(const ir::op &o, const Xmm &x, const Xmm &b) {
        switch (o.unit_bytes) {
        case 1: o.is_high ? punpckhbw(x, b) : punpcklbw(x, b); break;
        case 2: o.is_high ? punpckhwd(x, b) : punpcklwd(x, b); break;
        case 4: o.is_high ? punpckhdq(x, b) : punpckldq(x, b); break;
        default: o.is_high ? punpckhqdq(x, b) : punpcklqdq(x, b); break;
        }
    }
};

} // namespace

std::vector<uint8_t> assemble_sse41(const ir::kernel &k, const code_room &room) {
    return emitter_sse41(k, room).assemble();
}

} // namespace tfmt::cpu::jit
