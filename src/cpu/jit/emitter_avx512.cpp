// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <stdexcept>

#include "cpu/jit/emitter_vex.hpp"
#include "cpu/jit/lane_ops_families.hpp"

// AVX-512 (F, BW, DQ, VL): vectors of up to 64 bytes, 32 registers, byte masks, permutes by index
// vectors. xmm15 is scratch; the index vectors used most stay in zmm24..31, the masks in k1..k6.
namespace tfmt::cpu::jit {

namespace {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;

constexpr int first_constant_reg = 24;
constexpr int first_converter_reg = 19; // in kernels that convert; values live below
constexpr int n_constant_regs = 7;      // the last one takes turns
constexpr int n_kept_masks = 6; // k7 takes turns; k6 belongs to conversions where there are any
constexpr int scratch_reg = 15;

class emitter_avx512 final : public emitter_vex {
public:
    emitter_avx512(const ir::kernel &k, const code_room &room, const avx512_extensions &extensions)
        : emitter_vex(k, room), extensions_(extensions) {
        const auto shuffles = [](const ir::block &ops) {
            return std::any_of(ops.begin(), ops.end(),
                    [](const ir::op &o) { return o.kind > ir::op_kind::store; });
        };
        shuffles_ = std::any_of(k.blocks.begin(), k.blocks.end(), shuffles);
        for (const ir::byte_indices &indices : k.constants)
            units_.push_back(unit_of(indices));
        std::map<uint64_t, int> uses;
        for (const ir::block &ops : k.blocks)
            for (const ir::op &o : ops) {
                for (const ir::chunk &c : o.chunks)
                    if (needs_mask(o, c)) uses[c.mask]++;
                if (o.constant >= 0 && is_byte_shuffle(o)) units_[size_t(o.constant)] = 1;
            }
        for (const auto &[mask, count] : uses)
            masks_.push_back(mask);
        std::stable_sort(masks_.begin(), masks_.end(),
                [&](uint64_t x, uint64_t y) { return uses[x] > uses[y]; });
        const size_t n_kept = size_t(n_kept_masks) - bool(k.converts);
        if (masks_.size() > n_kept) masks_.resize(n_kept);
    }

private:
    // Values live in 0..23 but for the scratch register.
    int n_value_regs() const override {
        return k_.converts ? first_converter_reg - 1 - has_extra_reg() : first_constant_reg - 1;
    }
    int physical(int index) const override { return index < scratch_reg ? index : index + 1; }
    Xmm scratch() const override { return Xmm(scratch_reg); }

    std::vector<int> spare_regs() const override {
        std::vector<int> regs;
        for (int c = int(k_.constants.size()); c < n_constant_regs; c++)
            regs.push_back(first_constant_reg + c);
        return regs;
    }

    std::unique_ptr<lane_ops> make_lane_ops() override {
        return make_lane_ops_avx512(*this, pool(), extensions_);
    }
    std::array<int, 1 + n_converter_temps> converter_regs() const override {
        return {first_converter_reg, first_converter_reg + 1, first_converter_reg + 2,
                first_converter_reg + 3, first_converter_reg + 4};
    }
    int max_vector_bytes() const override { return 64; }

    void put_bytes(int whole, int pos, int n_bytes, int part) override {
        if (pos > 0 && n_bytes == 32)
            vinserti64x4(Zmm(whole), Zmm(whole), Ymm(part), 1);
        else if (n_bytes == 64)
            vmovaps(Zmm(whole), Zmm(part));
        else
            emitter_vex::put_bytes(whole, pos, n_bytes, part);
    }
    void get_bytes(int part, int whole, int pos, int n_bytes) override {
        if (pos > 0 && n_bytes == 32)
            vextracti64x4(Ymm(part), Zmm(whole), 1);
        else
            emitter_vex::get_bytes(part, whole, pos, n_bytes);
    }

    void move_line(int pos, bool streams) override {
        vmovups(zmm0, ptr[rdi + pos]);
        streams ? vmovntps(ptr[rsi + pos], zmm0) : vmovups(ptr[rsi + pos], zmm0);
    }

    void stream_halves_of_line() override {
        vinserti64x4(zmm0, zmm0, ymm1, 1);
        vmovntps(ptr[rsi], zmm0);
    }

    // Nothing is left alone: stores of no bytes bring the line to L1 too, from which one past the
    // caches then has to drive it out again.
    void move_part() override {
        test(r11, r11);
        const forward_jump none = jump_if(zero);
        mov(rcx, -1);
        bzhi(rcx, rcx, r11);
        kmovq(k7, rcx);
        vmovdqu8(zmm0 | k7 | T_z, ptr[rdi]);
        vmovdqu8(ptr[rsi] | k7, zmm0);
        add(rdi, r11);
        add(rsi, r11);
        land(none);
    }

    void prologue() override {
        for (size_t i = 0; i < masks_.size(); i++)
            set_mask(Opmask(int(i) + 1), masks_[i]);
        for (int c = 0; c < std::min<int>(n_constant_regs, int(k_.constants.size())); c++)
            vmovups(vector(first_constant_reg + c), constant_at(c));
    }

    void set_mask(const Opmask &k, uint64_t mask) {
        if (mask >> 32) {
            mov(r11, mask);
            kmovq(k, r11);
        } else {
            mov(r11d, uint32_t(mask));
            kmovd(k, r11d);
        }
    }

    // A mask register that holds `mask`.
    Opmask mask_reg(uint64_t mask) {
        const auto it = std::find(masks_.begin(), masks_.end(), mask);
        if (it != masks_.end()) return Opmask(int(it - masks_.begin()) + 1);
        set_mask(k7, mask);
        return k7;
    }

    // A register that holds index vector `c`.
    Xmm constant_reg(int c) {
        if (c < n_constant_regs) return vector(first_constant_reg + c);
        const Xmm t = vector(first_constant_reg + n_constant_regs);
        vmovups(t, constant_at(c));
        return t;
    }

    // Partial chunks of 16 bytes and more are moves of the narrowest registers that reach all
    // bytes, masked where these leave any out; smaller ones are made of pieces. What is wider than
    // its bytes crosses lines that these do not: runs of 96 bytes (f32 acdb -> aBdc24b 1x512x7x7)
    // took 1.50 times memcpy with masked moves of 64 bytes, 1.33 so; of 48 bytes (bf16, the same
    // tags) 1.9 and 1.65; 12 such cases 1.12 times as long. 33 to 47 bytes in a move of 32 and a
    // masked one of 16 took 1.05 times as long as in one of 64, and so do stores of 48 between
    // shuffles.
    static int reach_bytes(uint64_t mask) {
        for (int n_bytes : {16, 32})
            if (mask >> n_bytes == 0) return n_bytes;
        return 64;
    }
    bool is_of_48_bytes(const ir::op &o, const ir::chunk &c) const {
        return c.mask == ir::low_bits(48) && (o.kind == ir::op_kind::load || !shuffles_);
    }
    bool needs_mask(const ir::op &o, const ir::chunk &c) const {
        return o.unit_bytes >= 16 && c.mask != 0 && !is_of_48_bytes(o, c)
                && c.mask != ir::low_bits(reach_bytes(c.mask));
    }

    // Between the low part of a register and memory. Loads clear the rest.
    void load_part(const ir::op &o, const ir::chunk &c, int out) {
        const int n_bytes = is_of_48_bytes(o, c) ? 32 : reach_bytes(c.mask);
        load_vector(out, n_bytes, c.offset_bytes, needed_mask(o, c));
        if (is_of_48_bytes(o, c)) vinserti32x4(Zmm(out), Zmm(out), src_at(c.offset_bytes + 32), 2);
    }
    void store_part(const ir::op &o, const ir::chunk &c, int a) {
        const int n_bytes = is_of_48_bytes(o, c) ? 32 : reach_bytes(c.mask);
        store_vector(a, n_bytes, c.offset_bytes, needed_mask(o, c));
        if (is_of_48_bytes(o, c)) vextracti32x4(dst_at(c.offset_bytes + 32), Zmm(a), 2);
    }
    int needed_mask(const ir::op &o, const ir::chunk &c) {
        return needs_mask(o, c) ? mask_reg(c.mask).getIdx() : 0;
    }

    bool load_chunk(const ir::op &o, size_t index, int out) override {
        const ir::chunk &c = o.chunks[index];
        if (c.mask == 0) return false;
        if (index > 0 && c.mask == full_mask(o)) {
            vinserti64x4(Zmm(out), Zmm(out), src_at(c.offset_bytes), uint8_t(index));
            return true;
        }
        load_part(o, c, index > 0 ? scratch_reg : out);
        if (index > 0) vinserti64x4(Zmm(out), Zmm(out), Ymm(scratch_reg), uint8_t(index));
        return true;
    }

    // Two inserts of 32 bytes in place of two of 64, of which each takes twice as long on cores
    // that split vectors. Zen 4, those of 10200 reorders that it and lane 1 in 32 bytes change:
    // below 64 KiB 9 0.907 of the time, 1 MiB 181 0.946, 16 MiB 298 0.979, above 131 0.993.
    bool load_upper_half(const ir::op &o, int out) override {
        if (!extensions_.splits_vectors) return false;
        const std::optional<int64_t> low = whole_lane(o, 2), high = whole_lane(o, 3);
        if (!low || !high) return false;
        load_vector(scratch_reg, 16, *low);
        insert_lane_from(*high, scratch_reg, 1);
        vinserti64x4(Zmm(out), Zmm(out), Ymm(scratch_reg), 1);
        return true;
    }

    bool store_chunk(const ir::op &o, size_t index, int a) override {
        const ir::chunk &c = o.chunks[index];
        if (c.mask == 0) return true;
        if (c.mask == full_mask(o) && o.unit_bytes == width_bytes()) {
            store_whole_vector(a, c.offset_bytes);
            return true;
        }
        if (index > 0 && c.mask == full_mask(o)) {
            vextracti64x4(dst_at(c.offset_bytes), Zmm(a), uint8_t(index));
            return true;
        }
        if (index > 0) vextracti64x4(Ymm(scratch_reg), Zmm(a), uint8_t(index));
        store_part(o, c, index > 0 ? scratch_reg : a);
        return true;
    }

    // Masked moves of 16 bytes take no longer than whole ones, 0.27 ns on Zen 4; 9 bytes in two
    // pieces took 0.54. u8 abcd -> cdba 512x512x3x3 3.3 times memcpy in place of 3.9.
    bool load_masked_lane(const ir::op &o, int lane, int out) override {
        if (o.unit_bytes != 16) return false;
        const ir::chunk &c = o.chunks[size_t(lane)];
        load_vector(out, 16, c.offset_bytes, mask_reg(c.mask).getIdx());
        return true;
    }
    bool store_masked_lane(const ir::op &o, int lane, const Xmm &x) override {
        if (o.unit_bytes != 16) return false;
        const ir::chunk &c = o.chunks[size_t(lane)];
        store_vector(x.getIdx(), 16, c.offset_bytes, mask_reg(c.mask).getIdx());
        return true;
    }

    void emit_lanes128(const ir::op &o, int out, int a, int b) override {
        if (k_.vector_bytes == 32) {
            const bool is_low = o.selector == ir::lane_selector::low_half;
            shuffle(opcodes::shufi64x2, out, a, b, is_low ? 0 : 3);
            return;
        }
        static const uint8_t selectors[] = {0x44, 0xee, 0x88, 0xdd};
        shuffle(opcodes::shufi64x2, out, a, b, selectors[int(o.selector)]);
    }

    // Index vectors count units of the instruction that uses them.
    std::vector<uint8_t> constant_bytes(int c) const override {
        const ir::byte_indices &indices = k_.constants[size_t(c)];
        const size_t unit = size_t(units_[size_t(c)]);
        std::vector<uint8_t> data(size_t(k_.vector_bytes), 0);
        for (size_t i = 0; i < data.size(); i += unit)
            data[i] = uint8_t(indices[i] / unit);
        return data;
    }

    void emit_permute(const ir::op &o, int out, int a, int b) override {
        const int unit = units_[size_t(o.constant)];
        if (unit == 1 && !extensions_.has_vbmi) throw std::logic_error("byte permute without VBMI");
        const int indices = constant_reg(o.constant).getIdx();
        if (o.kind == ir::op_kind::permute)
            shuffle(permute_of(unit), out, indices, a);
        else if (out != b) {
            if (out != a) vmovaps(vector(out), vector(a));
            shuffle(permute2_of(unit), out, indices, b);
        } else {
            // The first source is overwritten, and out is the second: go through scratch.
            vmovaps(vector(scratch_reg), vector(a));
            shuffle(permute2_of(unit), scratch_reg, indices, b);
            vmovaps(vector(out), vector(scratch_reg));
        }
    }

    static const vector_opcode &permute_of(int unit_bytes) {
        switch (unit_bytes) {
        case 1: return opcodes::permb;
        case 2: return opcodes::permw;
        case 4: return opcodes::permd;
        default: return opcodes::permq;
        }
    }
    static const vector_opcode &permute2_of(int unit_bytes) {
        switch (unit_bytes) {
        case 1: return opcodes::permt2b;
        case 2: return opcodes::permt2w;
        case 4: return opcodes::permt2d;
        default: return opcodes::permt2q;
        }
    }

    const avx512_extensions extensions_;
    bool shuffles_ = false;
    std::vector<uint64_t> masks_; // kept in k1 and up
    std::vector<int> units_;      // bytes that one index of each constant stands for
};

} // namespace

std::vector<uint8_t> assemble_avx512(
        const ir::kernel &k, const code_room &room, const avx512_extensions &extensions) {
    return emitter_avx512(k, room, extensions).assemble();
}

} // namespace tfmt::cpu::jit
