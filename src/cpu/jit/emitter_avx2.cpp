// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "cpu/jit/emitter_vex.hpp"
#include "cpu/jit/lane_ops_families.hpp"

// AVX2: vectors of up to 32 bytes. ymm15 is scratch.
namespace tfmt::cpu::jit {

namespace {

using Xbyak::Ymm;

constexpr int first_converter_reg = 9; // in kernels that convert; values live below

class emitter_avx2 final : public emitter_vex {
public:
    using emitter_vex::emitter_vex;

private:
    int n_value_regs() const override {
        return k_.converts ? first_converter_reg - has_extra_reg() : 15;
    }
    Xmm scratch() const override { return Xmm(15); }

    std::unique_ptr<lane_ops> make_lane_ops() override { return make_lane_ops_avx2(*this, pool()); }
    std::array<int, 1 + n_converter_temps> converter_regs() const override {
        return {first_converter_reg, first_converter_reg + 1, first_converter_reg + 2,
                first_converter_reg + 3, first_converter_reg + 4};
    }
    int max_vector_bytes() const override { return 32; }

    void move_line(int pos, bool streams) override {
        for (int i = 0; i < 2; i++)
            vmovups(Ymm(i), ptr[rdi + pos + 32 * i]);
        for (int i = 0; i < 2; i++)
            streams ? vmovntps(ptr[rsi + pos + 32 * i], Ymm(i))
                    : vmovups(ptr[rsi + pos + 32 * i], Ymm(i));
    }

    void stream_halves_of_line() override {
        for (int i = 0; i < 2; i++)
            vmovntps(ptr[rsi + 32 * i], Ymm(i));
    }

    void emit_lanes128(const ir::op &o, int out, int a, int b) override {
        const bool is_low = o.selector == ir::lane_selector::low_half;
        vperm2i128(Ymm(out), Ymm(a), Ymm(b), is_low ? 0x20 : 0x31);
    }

    // What crosses 16 bytes here are units of 8 bytes, whose order is an immediate, or of 4.
    void emit_permute(const ir::op &o, int out, int a, int) override {
        const ir::byte_indices &indices = k_.constants[size_t(o.constant)];
        const int unit = unit_of(indices);
        if (unit < 4) throw std::logic_error("permute of less than 4 bytes across 16");
        if (unit == 4) {
            vmovups(Ymm(scratch().getIdx()), constant_at(o.constant));
            vpermd(Ymm(out), Ymm(scratch().getIdx()), Ymm(a));
            return;
        }
        uint8_t order = 0;
        for (size_t q = 0; q < 4; q++)
            order |= uint8_t(indices[q * 8] / 8 << (2 * q));
        vpermq(Ymm(out), Ymm(a), order);
    }

    // Those of shuffles within 16 bytes count bytes, all others that are in memory 4 of them.
    std::vector<uint8_t> constant_bytes(int c) const override {
        std::vector<uint8_t> data = emitter_vex::constant_bytes(c);
        if (stays_within16(k_.constants[size_t(c)])) return data;
        for (size_t i = 0; i < data.size(); i++)
            data[i] = i % 4 == 0 ? uint8_t(data[i] / 4) : uint8_t(0);
        return data;
    }
};

} // namespace

std::vector<uint8_t> assemble_avx2(const ir::kernel &k, const code_room &room) {
    return emitter_avx2(k, room).assemble();
}

} // namespace tfmt::cpu::jit
