// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/jit/emitter.hpp"
#include "cpu/jit/vector_encoding.hpp"

// What AVX2 and AVX-512 share: three-operand forms, and values assembled from and cut into 16-byte
// lanes. Pieces smaller than 16 bytes go through the scratch register.
namespace tfmt::cpu::jit {

class emitter_vex : public emitter {
public:
    using emitter::emitter;

protected:
    bool may_reuse_b() const override { return true; }
    void epilogue() override;
    void emit_zero(int out) override;
    void store_spilled(const Address &to, int reg) override { vmovups(to, vector(reg)); }
    void load_spilled(int reg, const Address &from) override { vmovups(vector(reg), from); }
    void emit_load(const ir::op &o, int out) override;
    void emit_store(const ir::op &o, int a) override;
    void emit_shuffle(const ir::op &o, int out, int a, int b) override;

    void put_bytes(int whole, int pos, int n_bytes, int part) override;
    void get_bytes(int part, int whole, int pos, int n_bytes) override;

    // A register of width_bytes().
    Xmm vector(int index) const {
        if (width_bytes() == 64) return Xmm(Xbyak::Zmm(index));
        return width_bytes() == 32 ? Xmm(Xbyak::Ymm(index)) : Xmm(index);
    }
    virtual Xmm scratch() const = 0; // of 16 bytes, below 16 so that every form can name it
    virtual void emit_lanes128(const ir::op &o, int out, int a, int b) = 0;
    virtual void emit_permute(const ir::op &o, int out, int a, int b) = 0;

    // Whole chunk `index` of a load (store) by one instruction, if there is one for it.
    virtual bool load_chunk(const ir::op &o, size_t index, int out);
    virtual bool store_chunk(const ir::op &o, size_t index, int a);
    // Lanes 2 and 3 of a load at once, if both are whole and that is worth it.
    virtual bool load_upper_half(const ir::op &, int) { return false; }
    // A chunk of 16 bytes in part, to (from) the bottom of a register, likewise.
    virtual bool load_masked_lane(const ir::op &, int, int) { return false; }
    virtual bool store_masked_lane(const ir::op &, int, const Xmm &) { return false; }

    // `n_bytes` of a register from src or to dst, at once; the mask register k<mask> says which of
    // them, if it is not 0.
    void load_vector(int out, int n_bytes, int64_t offset_bytes, int mask = 0);
    void store_vector(int a, int n_bytes, int64_t offset_bytes, int mask = 0);
    void move_line_of_pieces(int step_bytes) override;
    virtual void stream_halves_of_line() = 0;             // of registers 0 and 1
    void store_whole_vector(int a, int64_t offset_bytes); // past the caches if so asked
    // 16 bytes of a register of width_bytes(), from or to a register, src or dst. From src above
    // what is there of the lanes below, so that nothing is left in those above.
    void insert_lane(int out, int lane, const Xmm &from);
    void insert_lane_from(int64_t offset_bytes, int out, int lane);
    void extract_lane(const Xmm &to, int a, int lane);
    void extract_lane_to(int64_t offset_bytes, int a, int lane);
    // Of k_.vector_bytes, as Xbyak's instruction with these registers.
    void shuffle(const vector_opcode &o, int out, int a, int b);
    void shuffle(const vector_opcode &o, int out, int a, int b, int immediate);

    static uint64_t full_mask(const ir::op &o) { return ir::low_bits(o.unit_bytes); }

    // Widest unit, of up to 8 bytes, that a permutation keeps together.
    int unit_of(const ir::byte_indices &indices) const;
    bool stays_within16(const ir::byte_indices &indices) const;
    // Of one source and within each 16 bytes: every machine has those of bytes.
    bool is_byte_shuffle(const ir::op &o) const;

private:
    void load_lane(const piece_list &pieces, const Xmm &x);
    void store_lane(const piece_list &pieces, const Xmm &x);
    void store_piece(const piece &p, const Xmm &x, int index);
    void unpack(const ir::op &o, int out, int a, int b);
};

} // namespace tfmt::cpu::jit
