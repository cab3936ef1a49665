// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include <xbyak/xbyak.h>

#include "cpu/ir/ir.hpp"
#include "cpu/jit/constant_pool.hpp"
#include "cpu/jit/converter.hpp"
#include "cpu/jit/drain_tables.hpp"
#include "cpu/jit/lane_ops_families.hpp"
#include "cpu/jit/registers.hpp"
#include "cpu/jit/vector_encoding.hpp"

// What all emitters share: the nest of loops, addresses, which value lives in which register, and
// how a chunk of memory is cut into pieces that one instruction moves. An ISA family supplies the
// instructions (emitter_sse41, emitter_avx2, emitter_avx512).
//
// Registers: rdi src, rsi dst, rdx root steps left, rcx whether to do the rest (on the stack in
// kernels with a scratch, beside the first src: drains need the register, chains both values), r8
// the scratch buffer, r10 the state of a chain of drains, rax and r11 for anything, loop counters
// in the others. In kernels that compute with parameters r9 holds the single values and r15 the
// arrays of the others.
namespace tfmt::cpu::jit {

using Xbyak::Address;
using Xbyak::Reg64;
using Xbyak::RegExp;
using Xbyak::Xmm;

// `size_bytes` bytes (1, 2, 4, 8 or 16) at byte `pos` of a 16-byte lane, and where they are in
// memory. Loads' are aligned to their size.
struct piece {
    int pos;
    int size_bytes;
    int64_t offset_bytes;

    bool is_aligned() const { return pos % size_bytes == 0; }
};

// The pieces of one 16-byte lane, lowest first; at most one for each byte.
class piece_list {
public:
    void push_back(const piece &p) { pieces_[n_++] = p; }
    size_t size() const { return n_; }
    bool empty() const { return n_ == 0; }
    const piece &operator[](size_t i) const { return pieces_[i]; }
    const piece *begin() const { return pieces_.data(); }
    const piece *end() const { return pieces_.data() + n_; }

private:
    std::array<piece, 16> pieces_;
    size_t n_ = 0;
};

// Where an emitter writes, a multiple of 64; the code is copied from there. It does not grow: if
// there is not enough, Xbyak throws ERR_CODE_IS_TOO_BIG. So places in the code are plain addresses,
// where those of a growing buffer are labels: entries in two hash tables, as long as ten
// instructions.
struct code_room {
    uint8_t *begin;
    size_t n_bytes;
};

class emitter : protected Xbyak::CodeGenerator {
public:
    emitter(const ir::kernel &k, const code_room &room);
    ~emitter() override = default;
    std::vector<uint8_t> assemble();

protected:
    // Register file: values come from [0, n_value_regs), the registers above are the emitter's own.
    virtual int n_value_regs() const = 0;
    virtual void prologue() {}
    virtual void epilogue() {}

    // Chunks that fill width_bytes() of a register, as they are in memory. Registers by number here
    // and below.
    virtual void emit_load(const ir::op &o, int out) = 0;
    virtual void emit_store(const ir::op &o, int a) = 0;
    virtual void emit_zero(int out) = 0;
    // A register of values to the stack, or back.
    virtual void store_spilled(const Address &to, int reg) = 0;
    virtual void load_spilled(int reg, const Address &from) = 0;
    // 64 bytes at rdi + pos to the same place behind rsi. `streams`: that is a multiple of 64, and
    // bypasses the caches. May use the first n_move_regs vector registers.
    static constexpr int n_move_regs = 4;
    virtual void move_line(int pos, bool streams) = 0;
    // A line past the caches, of pieces of 16 bytes that lie `step_bytes` apart.
    virtual void move_line_of_pieces(int step_bytes) = 0;
    // r11 (below 64) bytes from rdi to rsi, both of which it advances. May use rcx and the above.
    virtual void move_part();
    virtual void emit_shuffle(const ir::op &o, int out, int a, int b) = 0;
    // Whether `out` may take the register of a source that dies (three-operand forms may).
    virtual bool may_reuse_b() const = 0;

    // May use rax, so an address must be used before the next one is made.
    Address src_at(int64_t offset_bytes) {
        if (loads_old_values_) return dst_at(offset_bytes);
        return ptr[where(at_rdi_, offset_bytes + src_base_)];
    }
    Address dst_at(int64_t offset_bytes) { return ptr[where(at_rsi_, offset_bytes + dst_base_)]; }
    // The same as numbers. Offsets beyond 32 bits are added to the base in rax.
    struct place {
        int base;
        int32_t offset_bytes;
    };
    place src_place(int64_t offset_bytes) {
        if (loads_old_values_) return dst_place(offset_bytes);
        return place_at(rdi, offset_bytes + src_base_);
    }
    place dst_place(int64_t offset_bytes) { return place_at(rsi, offset_bytes + dst_base_); }
    place place_at(const Reg64 &base, int64_t offset_bytes);
    void put(const encoded_instruction &i);
    void put(encoded_instruction i, int immediate) {
        i.put(immediate);
        put(i);
    }
    Address constant_at(int index);
    constant_pool &pool() { return pool_; }

    // Registers beside the values' that stay unused.
    virtual std::vector<int> spare_regs() const { return {}; }

    // What conversions are written in, and registers for them: the operand and the temporaries.
    virtual std::unique_ptr<lane_ops> make_lane_ops() = 0;
    virtual std::array<int, 1 + n_converter_temps> converter_regs() const = 0;
    // One more register if has_extra_reg(): for the destination's old values, or for the second of
    // two rows.
    int extra_reg() const { return converter_regs()[0] - 1; }
    bool has_extra_reg() const { return has_sum() || k_.converts.pairs_rows; }
    bool has_sum() const { return k_.converts.steps.has_sum; }
    virtual int max_vector_bytes() const = 0;
    // The register that holds value `v` of the values' registers.
    virtual int physical(int v) const { return v; }
    // n_bytes (a power of two) between register `part` and bytes [pos, pos + n_bytes) of `whole`,
    // a vector of k_.vector_bytes; pos is a multiple of n_bytes. Putting at 0 clears what is above,
    // putting elsewhere finds zeros. `part` may change.
    virtual void put_bytes(int whole, int pos, int n_bytes, int part) = 0;
    virtual void get_bytes(int part, int whole, int pos, int n_bytes) = 0;

    // Bytes of the vectors that loads and stores work on.
    int width_bytes() const { return width_bytes_; }

    // Whether stores of whole vectors bypass the caches, and the present one does. With a scratch
    // its drains do.
    bool streams_vectors() const { return k_.is_streaming && k_.scratch_bytes == 0; }
    bool streams_store_ = false;

    // What constant `c` is in memory; byte indices unless the ISA wants another unit.
    virtual std::vector<uint8_t> constant_bytes(int c) const;

    // Where 16-byte lane `lane` of a load or store is, if all of it is wanted and in one piece.
    static std::optional<int64_t> whole_lane(const ir::op &o, int lane);
    // The pieces that it is in otherwise, or that one.
    static piece_list pieces_of_lane(const ir::op &o, int lane);
    // The same for stores, which may write bytes twice.
    static piece_list stored_pieces_of_lane(const ir::op &o, int lane);

    // A jump to a place that comes later. (A label of Xbyak is several entries in hash tables: some
    // 20 of them in a drain were a twelfth of the time to make a kernel.)
    enum condition : uint8_t { below = 2, zero = 4, not_zero = 5 };
    struct forward_jump {
        size_t behind = 0; // its displacement, the last four bytes of it
    };
    forward_jump jump();
    forward_jump jump_if(condition c);
    void land(forward_jump j);

    const ir::kernel &k_;

private:
    void emit_nodes(const std::vector<ir::nest_node> &nodes, int depth);
    void emit_loop(const ir::nest_node &n, int depth);
    void emit_step(const ir::nest_node &n, int depth);
    void emit_with_scratch(const Reg64 &side, int64_t &side_base, int64_t scratch_offset_bytes,
            const ir::nest_node &n, int depth);
    enum class drain_routine {
        alone,
        chained,
        copied,
        claim_begins,
        claim_ends,
        end_rows,
        pieces,
        n
    };
    void emit_begin_of_chain();
    void emit_near_end_of_chain();
    void emit_end_of_chain();
    // What a kernel with a scratch keeps on the stack, from its end: the source of the first root
    // step, whether the rest is asked for.
    static constexpr int first_src_place = 0, rest_place = 8;
    void call_for_runs(drain_routine what, int drain);
    void emit_begin_of_fetches(int n_pushed);
    void emit_drain_routines();
    void emit_drain_of_pieces();
    template <typename Body>
    void emit_for_each_run(Body &&body);
    void load_number(const Reg64 &to, const RegExp &from);
    void load_field(const Reg64 &to, drain_tables::field f);
    void go_to_run();
    void emit_claim(bool of_end);
    void emit_drain(bool is_chained);
    void emit_copy();
    void emit_claims_of_next_run();
    void emit_fetches();
    void emit_run_begin(bool is_chained);
    void emit_lines(int n, bool fetches);
    void emit_keep_back();
    void emit_end_of_row();
    void move_unit(int pos, int size_bytes);
    const block_registers &registers_of(int block);
    void emit_block(int block);
    bool has_spills();
    void emit_spill(const spill &s);
    void prefetch_source(const ir::op &lines);
    void claim_lines(const ir::op &store);
    void fetch_page();
    void claim(int64_t offset_bytes);
    int n_used_value_regs() const;
    void prepare_conversion();
    void emit_memory_load(const ir::op &o, int out);
    void emit_memory_store(const ir::op &o, int a);
    void emit_converting_load(const ir::op &o, int out);
    void convert_loaded(const ir::op &o, const ir::op &part, int first, int n, int x);
    bool leaves_grid() const;
    bool packs_by_bf16() const;
    bool keeps_parameters() const;
    int n_packed_parts() const;
    struct packed_row;
    void emit_packing_loads(std::initializer_list<packed_row> rows);
    void emit_quarter(const packed_row &r, int pair, int half);
    bool shares_parameters() const;
    void emit_packed_order(const ir::op &o, int x);
    bool has_padding(const ir::op &o) const;
    bool can_join_stores() const;
    bool joins_with(const ir::op &o, const ir::op &next) const;
    void emit_joined_store(const ir::op &o, int a, int b);
    void emit_joining_load(const ir::op &o, int out);
    bool loads_in_parts(const ir::op &o) const;
    void emit_converting_store(const ir::op &o, int a);
    bool stores_by_table(int first) const;
    void emit_store_by_table(const ir::op &o, int first, int a);
    void emit_store_by_table_of_bytes(const ir::op &o, int a);
    bool stores_two(const ir::op &o, int first) const;
    void emit_store_of_two(const ir::op &o, int first, int a);
    bool varies(int first, int n) const;
    bool needs_pick(int first, int n) const;
    bool takes_parameters_in_turns(int first, int n) const;
    bool stores_in_turns(const ir::op &o, int first) const;
    void emit_store_in_turns(const ir::op &o, int first, int a);
    ir::op second_row(const ir::op &o) const;
    void emit_load_of_rows(const ir::op &o, int out);
    void emit_store_of_rows(const ir::op &o, int a);
    void emit_arithmetic(const ir::op &o, int first, int n, int x, int lane_step = 1);
    void take_reciprocal(int x);
    bool holds_parameters(const ir::op &o, int first, int n, int lane_step);
    void emit_fused_quotient(const ir::op &o, int first, int n, int x, int lane_step);
    void emit_corrected_product(const ir::op &o, int first, int n, int x, int lane_step);
    void load_parameter(
            const ir::op &o, int first, int n, int out, parameter_index i, int lane_step);
    void apply_parameter(const ir::op &o, int first, int n, int x, parameter_index i, lane_op step,
            int lane_step);
    std::vector<int32_t> lane_offsets(int first, int n, int step = 1) const;
    RegExp place_of(const ir::op &o, int first, const arithmetic::operand &operand);
    void add_old_values(const ir::op &o, int first, int n, int x);
    void load_memory(const ir::op &o, int out, int n_bytes);
    void store_memory(const ir::op &o, int a, int n_bytes);
    ir::op lanes_of(const ir::op &o, int first, int n, int elem_bits) const;
    uint64_t data_bytes(const ir::op &o, int first, int n, int elem_bytes) const;
    int lanes_at_once() const;
    void emit_element_block(const ir::block &ops);
    void emit_element_load(int64_t offset_bytes);
    void emit_element_store(int64_t offset_bytes);
    RegExp where(const RegExp &base, int64_t offset_bytes);
    void add_to(const Reg64 &reg, int64_t value);

    // Made once: to make them for each address took an eighth of the time of all instructions.
    const RegExp at_rdi_ = rdi, at_rsi_ = rsi, at_r15_ = r15;
    int width_bytes_;
    std::unique_ptr<lane_ops> lane_ops_; // of kernels that convert
    std::unique_ptr<converter> converter_;
    carrier carrier_ = carrier::f32;
    bool packs_loads_ = false;      // four registers of lanes to one of bytes
    bool joins_loads_ = false;      // two registers of words to one of bytes
    bool joins_stores_ = false;     // two registers of bytes to one of 4-bit elements
    bool loads_old_values_ = false; // loads are from the destination
    bool keeps_parameters_ = false; // in their registers, behind a quotient
    struct held_parameters {
        int64_t offset_bytes = 0;
        std::vector<int32_t> lanes; // none: nothing is held
    } held_;
    int64_t param_base_ = 0;    // as src_base_
    int64_t claimed_bytes_ = 0; // of the block's destination, to where its last claim is
    int64_t src_base_ = 0;      // offsets of the block being emitted
    int64_t dst_base_ = 0;
    constant_pool pool_;
    std::vector<std::vector<uint8_t>> constants_; // in the ISA's units
    const drain_tables tables_;
    std::array<const uint8_t *, size_t(drain_routine::n)> routines_ {};
    std::vector<block_registers> registers_; // of each block, once it was emitted
};

// Makers, one an ISA family.
std::vector<uint8_t> assemble_sse41(const ir::kernel &k, const code_room &room);
std::vector<uint8_t> assemble_avx2(const ir::kernel &k, const code_room &room);
std::vector<uint8_t> assemble_avx512(
        const ir::kernel &k, const code_room &room, const avx512_extensions &extensions);

} // namespace tfmt::cpu::jit
