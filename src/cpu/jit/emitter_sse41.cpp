// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emitter.hpp"

// SSE4.1: vectors of 16 bytes, two-operand instructions. xmm15 is scratch.
namespace tfmt::cpu::jit {

namespace {

class emitter_sse41 final : public emitter {
public:
    using emitter::emitter;

private:
    int n_value_regs() const override { return 15; }
    bool may_reuse_b() const override { return false; } // out is written before b is read

    void epilogue() override {
        if (k_.is_streaming) sfence();
    }

    void emit_zero(int out) override { pxor(Xmm(out), Xmm(out)); }

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
        const Xmm x(a);
        for (const piece &p : pieces_of_lane(o, 0)) {
            const Address to = dst_at(p.offset_bytes);
            const uint8_t index = uint8_t(p.pos / p.size_bytes);
            switch (p.size_bytes) {
            case 1: pextrb(to, x, index); break;
            case 2: pextrw(to, x, index); break;
            case 4:
                if (index)
                    pextrd(to, x, index);
                else
                    movd(to, x);
                break;
            case 8:
                if (index)
                    movhps(to, x);
                else
                    movq(to, x);
                break;
            default: streams_vectors() ? movntps(to, x) : movups(to, x); break;
            }
        }
    }

    void emit_shuffle(const ir::op &o, int out, int a, int b) override {
        const Xmm x(out);
        if (out != a) movaps(x, Xmm(a));
        if (o.kind == ir::op_kind::unpack)
            unpack(o, x, Xmm(b));
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

std::vector<uint8_t> assemble_sse41(const ir::kernel &k) { return emitter_sse41(k).assemble(); }

} // namespace tfmt::cpu::jit
