// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emitter.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "common/checked.hpp"
#include "common/inline_vector.hpp"
#include "cpu/jit/compile.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::jit {

using namespace Xbyak;

namespace {

// Loop counters by depth; deeper loops count on the stack. The first needs no saving; kernels that
// compute with parameters have neither it nor the last.
const int counter_regs[] = {Operand::R9, Operand::RBX, Operand::RBP, Operand::R12, Operand::R13,
        Operand::R14, Operand::R15};
constexpr int n_counter_regs = 7;

int depth_of(const std::vector<ir::nest_node> &nodes) {
    int depth = 0;
    for (const ir::nest_node &n : nodes)
        depth = std::max(depth, depth_of(n.children) + (n.count > 1));
    return depth;
}

// Below the stack's pointer, of those who call nothing, as blocks do (System V ABI).
constexpr int red_zone_bytes = 128;
// Of the stack's pointer at the beginning, so that no value there, whatever a kernel pushes later,
// lies across two pages: with such ones u8 cdba -> acdb 2048x512x1x1 on AVX2 took twice as long.
constexpr int red_zone_alignment = 2 * red_zone_bytes;

bool fits_int32(int64_t v) { return v == int32_t(v); }

} // namespace

emitter::emitter(const ir::kernel &k, const code_room &room)
    : CodeGenerator(room.n_bytes, room.begin),
      k_(k),
      width_bytes_(k.vector_bytes),
      pool_(*this),
      tables_(k.drains.empty() ? drain_tables() : drain_tables(k)),
      registers_(k.blocks.size()) {}

RegExp emitter::where(const RegExp &base, int64_t offset_bytes) {
    if (fits_int32(offset_bytes)) return base + int(offset_bytes);
    mov(rax, offset_bytes);
    return base + rax;
}

emitter::place emitter::place_at(const Reg64 &base, int64_t offset_bytes) {
    if (fits_int32(offset_bytes)) return {base.getIdx(), int32_t(offset_bytes)};
    mov(rax, offset_bytes);
    add(rax, base);
    return {rax.getIdx(), 0};
}

void emitter::put(const encoded_instruction &i) {
    if (maxSize_ - size_ < size_t(i.max_copied_bytes))
        throw Xbyak::Error(Xbyak::ERR_CODE_IS_TOO_BIG);
    size_ += size_t(i.copy_to(top_ + size_));
}

void emitter::prefetch_source(const ir::op &lines) {
    for (const ir::chunk &c : lines.chunks) { // not into L1, which has no room for them
        const place at = src_place(c.offset_bytes);
        put(encode_prefetch(prefetch_kind::t1, at.base, at.offset_bytes));
    }
}

// As much of it as the core must see to read on by itself.
void emitter::fetch_page() {
    const place at = src_place(0);
    lea(rax, ptr[Reg64(at.base) + at.offset_bytes]);
    and_(rax, -int(tuning::page_bytes));
    for (int line = 0; line < tuning::fetched_lines_of_page; line++)
        put(encode_prefetch(prefetch_kind::t1, rax.getIdx(), line * int(tuning::line_bytes)));
}

void emitter::claim(int64_t offset_bytes) {
    const place at = dst_place(offset_bytes);
    put(encode_prefetch(prefetch_kind::w, at.base, at.offset_bytes));
}

Address emitter::constant_at(int index) {
    return ptr[pool_.address_of(constants_[size_t(index)].data(), k_.vector_bytes)];
}

void emitter::add_to(const Reg64 &reg, int64_t value) {
    if (value == 0) return;
    if (fits_int32(value)) {
        add(reg, int(value));
        return;
    }
    mov(rax, value);
    add(reg, rax);
}

std::vector<uint8_t> emitter::assemble() {
    pool_.begin(tables_.data());
    if (!k_.drains.empty()) emit_drain_routines();
    prepare_conversion();
    forward_jump load_constants;
    if (lane_ops_) load_constants = jump();
    const uint8_t *constants_loaded = getCurr();
    for (size_t c = 0; c < k_.constants.size(); c++)
        constants_.push_back(constant_bytes(int(c)));
    const int depth = std::max(depth_of(k_.root), depth_of(k_.rest));
    const bool computes = bool(k_.converts.steps);
    const int n_saved = std::max(0, std::min(depth + computes, n_counter_regs - computes) - 1);
    for (int i = 0; i < n_saved; i++)
        push(Reg64(counter_regs[1 + i]));
    if (computes) {
        push(r15);
        mov(r15, ptr[rsp + 8 * (n_saved + 2)]); // the seventh argument
    }
    const bool aligns_stack = has_spills();
    if (aligns_stack) {
        mov(rax, rsp);
        and_(rsp, -red_zone_alignment);
        push(rax);
    }
    if (k_.scratch_bytes > 0) {
        push(rcx);
        push(rdi);
    }
    prologue(); // leaves the stack as it is
    emit_begin_of_chain();
    test(rdx, rdx);
    const forward_jump none = jump_if(zero);
    align(32);
    const uint8_t *root = getCurr();
    emit_near_end_of_chain();
    emit_nodes(k_.root, 0);
    add_to(rdi, k_.src_step_bytes);
    add_to(rsi, k_.dst_step_bytes);
    add_to(r15, k_.param_step_bytes);
    dec(rdx);
    jnz(root);
    emit_end_of_chain();
    land(none);
    if (!k_.rest.empty()) {
        if (k_.scratch_bytes > 0)
            cmp(qword[rsp + rest_place], 0);
        else
            test(rcx, rcx);
        const forward_jump done = jump_if(zero);
        emit_nodes(k_.rest, 0);
        land(done);
    }
    epilogue();
    if (k_.scratch_bytes > 0) lea(rsp, ptr[rsp + 2 * 8]);
    if (aligns_stack) mov(rsp, ptr[rsp]);
    if (computes) pop(r15);
    for (int i = n_saved; i-- > 0;)
        pop(Reg64(counter_regs[1 + i]));
    ret();
    if (lane_ops_) { // which they are is known only here
        land(load_constants);
        lane_ops_->load_kept_constants();
        jmp(constants_loaded);
    }
    return pool_.with_code(getCode(), getSize());
}

emitter::forward_jump emitter::jump() {
    db(0xe9);
    dd(0);
    return {getSize()};
}

emitter::forward_jump emitter::jump_if(condition c) {
    db(0x0f);
    db(0x80 | c);
    dd(0);
    return {getSize()};
}

void emitter::land(forward_jump j) {
    constexpr size_t displacement_bytes = sizeof(int32_t);
    rewrite(j.behind - displacement_bytes, getSize() - j.behind, displacement_bytes);
}

std::vector<uint8_t> emitter::constant_bytes(int c) const {
    return {k_.constants[c].begin(), k_.constants[c].begin() + k_.vector_bytes};
}

void emitter::emit_nodes(const std::vector<ir::nest_node> &nodes, int depth) {
    for (const ir::nest_node &n : nodes) {
        if (n.count > 1) {
            emit_loop(n, depth);
            continue;
        }
        // A single step needs no pointer arithmetic: its offset goes into the addresses.
        const int64_t src_base = src_base_;
        src_base_ = wrapping_add(src_base_, n.src_offset_bytes);
        dst_base_ += n.dst_offset_bytes;
        param_base_ += n.param_offset_bytes;
        if (n.step != ir::nest_step::none)
            emit_step(n, depth);
        else if (n.block >= 0)
            emit_block(n.block);
        else
            emit_nodes(n.children, depth);
        src_base_ = src_base;
        dst_base_ -= n.dst_offset_bytes;
        param_base_ -= n.param_offset_bytes;
    }
}

void emitter::emit_loop(const ir::nest_node &n, int depth) {
    const bool computes = bool(k_.converts.steps);
    const int index = depth + computes;
    const bool in_reg = index < n_counter_regs - computes;
    const Reg64 counter(in_reg ? counter_regs[index] : Operand::RAX);
    add_to(rdi, n.src_offset_bytes);
    add_to(rsi, n.dst_offset_bytes);
    add_to(r15, n.param_offset_bytes);
    mov(counter, n.count);
    if (!in_reg) push(counter);
    align(16);
    const uint8_t *again = getCurr();
    emit_nodes(n.children, depth + 1);
    add_to(rdi, n.src_step_bytes);
    add_to(rsi, n.dst_step_bytes);
    add_to(r15, n.param_step_bytes);
    if (in_reg)
        dec(counter);
    else
        dec(qword[rsp]);
    jnz(again);
    if (!in_reg) lea(rsp, ptr[rsp + 8]);
    add_to(rdi, -wrapping_add(n.src_offset_bytes, wrapping_mul(n.count, n.src_step_bytes)));
    add_to(rsi, -(n.dst_offset_bytes + n.count * n.dst_step_bytes));
    add_to(r15, -(n.param_offset_bytes + n.count * n.param_step_bytes));
}

// How many of the registers of values any block takes: always the first ones.
int emitter::n_used_value_regs() const {
    if (k_.vector_bytes < 16) return 0;
    int most = 0;
    for (const ir::block &ops : k_.blocks)
        most = std::max(most, ir::count_live(ops, k_.n_values));
    return std::min(most, n_value_regs());
}

bool emitter::has_spills() {
    if (k_.converts || k_.vector_bytes < 16) return false;
    for (int b = 0; b < int(k_.blocks.size()); b++)
        if (!registers_of(b).spills.empty()) return true;
    return false;
}

// The registers of each operation's result and sources. A block may be emitted at many places, with
// the same registers in all of them.
const block_registers &emitter::registers_of(int block) {
    block_registers &registers = registers_[size_t(block)];
    if (!registers.ops.empty()) return registers;
    const int n_places = k_.converts ? 0 : red_zone_bytes / k_.vector_bytes;
    registers = allocate_registers(
            k_.blocks[size_t(block)], k_.n_values, {n_value_regs(), n_places, may_reuse_b()});
    inline_vector<int8_t, 32> physical_regs;
    for (int reg = 0; reg < n_value_regs(); reg++)
        physical_regs.push_back(int8_t(physical(reg)));
    const auto number = [&](int8_t reg) { return reg < 0 ? reg : physical_regs[size_t(reg)]; };
    for (placed_op &o : registers.ops) {
        o.out = number(o.out); // one by one, see encoded_instruction
        o.a = number(o.a);
        o.b = number(o.b);
    }
    for (spill &s : registers.spills)
        s.reg = number(s.reg);
    return registers;
}

void emitter::emit_spill(const spill &s) {
    const Address at = ptr[rsp - (s.place + 1) * k_.vector_bytes];
    s.is_reload ? load_spilled(s.reg, at) : store_spilled(at, s.reg);
}

void emitter::emit_block(int block) {
    const ir::block &ops = k_.blocks[size_t(block)];
    if (k_.vector_bytes < 16) return emit_element_block(ops);
    const block_registers &registers = registers_of(block);
    auto next_spill = registers.spills.begin();
    const auto is_before = [&](size_t at) {
        return next_spill != registers.spills.end() && next_spill->before == int(at);
    };
    claimed_bytes_ = -1;
    for (size_t at = 0; at < registers.ops.size(); at++) {
        const auto [index, out, a, b] = registers.ops[at];
        const ir::op &o = ops[size_t(index)];
        for (; is_before(at); ++next_spill)
            emit_spill(*next_spill);
        switch (o.kind) {
        case ir::op_kind::prefetch: prefetch_source(o); break;
        case ir::op_kind::store:
            streams_store_ = streams_vectors() && !o.stays_in_caches;
            claim_lines(o);
            if (at + 1 < registers.ops.size() && !is_before(at + 1)) {
                const placed_op &next = registers.ops[at + 1];
                if (joins_with(o, ops[size_t(next.index)])) {
                    claim_lines(ops[size_t(next.index)]);
                    emit_joined_store(o, a, next.a);
                    at++;
                    break;
                }
            }
            emit_memory_store(o, a);
            break;
        case ir::op_kind::zero: emit_zero(out); break;
        case ir::op_kind::load: emit_memory_load(o, out); break;
        default: emit_shuffle(o, out, a, b); break;
        }
    }
}

// The line of the last byte of each chunk, which of chunks across two lines would come late; of
// chunks one behind the other once a line. Or of what is claimed_ahead_bytes behind.
void emitter::claim_lines(const ir::op &store) {
    constexpr int vector_chunk_bytes = 16;
    if (!k_.claims_lines || k_.scratch_bytes > 0 || store.unit_bytes < vector_chunk_bytes) return;
    if (k_.is_streaming && !store.stays_in_caches) return;
    const bool stores_rows = k_.converts.pairs_rows && !k_.converts.at_load;
    for (const ir::chunk &c : store.chunks) {
        if (c.mask == 0) continue;
        int n_bytes = 64 - __builtin_clzll(c.mask);
        if (k_.converts) n_bytes = n_bytes / k_.elem_bytes * k_.converts.dst_elem_bits / 8;
        const int64_t last = c.offset_bytes + n_bytes - 1;
        const int64_t ahead = last - claimed_bytes_;
        if (claimed_bytes_ >= 0 && ahead > 0 && ahead < tuning::line_bytes) continue;
        claimed_bytes_ = last;
        claim(last + k_.claimed_ahead_bytes);
        if (stores_rows) claim(last + k_.converts.row_bytes + k_.claimed_ahead_bytes);
    }
}

// Elements of 1 to 8 bytes go through a general register, each store right behind its load.
void emitter::emit_element_block(const ir::block &ops) {
    std::vector<const ir::op *> source(size_t(k_.n_values), nullptr);
    for (const ir::op &o : ops) {
        if (o.kind == ir::op_kind::prefetch) {
            prefetch_source(o);
            continue;
        }
        if (o.kind != ir::op_kind::store) {
            source[o.out] = &o;
            continue;
        }
        if (source[o.a]->kind == ir::op_kind::load)
            emit_element_load(source[o.a]->chunks[0].offset_bytes);
        else
            xor_(r11d, r11d);
        emit_element_store(o.chunks[0].offset_bytes);
    }
}

void emitter::emit_element_load(int64_t offset_bytes) {
    const RegExp from = where(at_rdi_, offset_bytes + src_base_);
    // Narrow loads extend: writing the whole register depends on nothing.
    switch (k_.vector_bytes) {
    case 1: movzx(r11d, byte[from]); break;
    case 2: movzx(r11d, word[from]); break;
    case 4: mov(r11d, ptr[from]); break;
    default: mov(r11, ptr[from]); break;
    }
}

void emitter::emit_element_store(int64_t offset_bytes) {
    const RegExp to = where(at_rsi_, offset_bytes + dst_base_);
    switch (k_.vector_bytes) {
    case 1: mov(ptr[to], r11b); break;
    case 2: mov(ptr[to], r11w); break;
    case 4: mov(ptr[to], r11d); break;
    default: mov(ptr[to], r11); break;
    }
}

namespace {

// Largest power of two that divides pos (or 16) and fits what is left.
int piece_bytes(int pos, int left) {
    int size = 16;
    while (size > left || pos % size)
        size /= 2;
    return size;
}

} // namespace

std::optional<int64_t> emitter::whole_lane(const ir::op &o, int lane) {
    constexpr uint64_t lane_mask = 0xffff;
    if (o.unit_bytes < 16 || size_t(lane * 16 / o.unit_bytes) >= o.chunks.size()) return {};
    const ir::chunk &c = o.chunks[size_t(lane * 16 / o.unit_bytes)];
    const int first = lane * 16 % o.unit_bytes;
    if ((c.mask >> first & lane_mask) != lane_mask) return {};
    return c.offset_bytes + first;
}

piece_list emitter::pieces_of_lane(const ir::op &o, int lane) {
    piece_list pieces;
    if (const std::optional<int64_t> at = whole_lane(o, lane)) { // mostly
        pieces.push_back({0, 16, *at});
        return pieces;
    }
    const int n_bytes = std::min(16, int(o.chunks.size()) * o.unit_bytes - lane * 16);
    for (int pos = 0, n_here = 0; pos < n_bytes; pos += n_here) {
        const int byte = lane * 16 + pos, first = byte % o.unit_bytes;
        const ir::chunk &c = o.chunks[byte / o.unit_bytes];
        n_here = std::min(o.unit_bytes - first, n_bytes - pos);
        for (uint64_t left = c.mask >> first & ir::low_bits(n_here); left != 0;) {
            const int begin = __builtin_ctzll(left);
            const int end = begin + __builtin_ctzll(~(left >> begin));
            for (int at = begin, size; at < end; at += size) {
                size = piece_bytes(pos + at, end - at);
                pieces.push_back({pos + at, size, c.offset_bytes + first + at});
            }
            left &= ~ir::low_bits(end);
        }
    }
    return pieces;
}

// Bytes that would be three pieces and more are two: 7 are the first 4 and the last 4. Zen 1,
// SSE4.1, 60 transposes to rows of 7, 15 and 63 elements, of bytes and bf16, 0.93 of the time (bf16
// ab -> ba 15x4096 3.8 / 3.1 times memcpy).
piece_list emitter::stored_pieces_of_lane(const ir::op &o, int lane) {
    const piece_list pieces = pieces_of_lane(o, lane);
    if (pieces.size() < 3) return pieces;
    piece_list joined;
    for (size_t i = 0, n; i < pieces.size(); i += n) {
        const piece &first = pieces[i];
        int n_bytes = first.size_bytes;
        for (n = 1; i + n < pieces.size() && n_bytes < 2 * first.size_bytes; n++) {
            const piece &next = pieces[i + n];
            if (next.pos != first.pos + n_bytes
                    || next.offset_bytes != first.offset_bytes + n_bytes)
                break;
            n_bytes += next.size_bytes;
        }
        joined.push_back(first);
        const int rest = n_bytes - first.size_bytes; // less than the first
        if (n >= 3)
            joined.push_back({first.pos + rest, first.size_bytes, first.offset_bytes + rest});
        else if (n == 2)
            joined.push_back(pieces[i + 1]);
    }
    return joined;
}

namespace {

std::vector<uint8_t> assemble_in(const code_room &room, const ir::kernel &k, const machine &m) {
    if (m.isa >= tfmt_cpu_isa_avx512_core) return assemble_avx512(k, room, extensions_of(m));
    if (m.isa == tfmt_cpu_isa_avx2) return assemble_avx2(k, room);
    if (m.isa == tfmt_cpu_isa_sse41) return assemble_sse41(k, room);
    throw std::logic_error("no emitter for this instruction set");
}

constexpr size_t room_alignment = 64;   // of every loop's beginning
constexpr size_t room_bytes = 32 << 10; // kernels of reorders of frameworks take 1 to 14 KiB

// False if the room is not enough.
bool try_assemble_in(
        const code_room &room, const ir::kernel &k, const machine &m, std::vector<uint8_t> *code) {
    try {
        *code = assemble_in(room, k, m);
        return true;
    } catch (const Xbyak::Error &e) {
        if (int(e) != ERR_CODE_IS_TOO_BIG) throw;
        return false;
    }
}

} // namespace

std::vector<uint8_t> assemble(const ir::kernel &k, const machine &m) {
    std::vector<uint8_t> code;
    alignas(room_alignment) uint8_t room[room_bytes];
    if (try_assemble_in({room, room_bytes}, k, m, &code)) return code;
    for (size_t n_bytes = 8 * room_bytes;; n_bytes *= 8) {
        std::vector<uint8_t> more(n_bytes + room_alignment);
        const size_t past = reinterpret_cast<uintptr_t>(more.data()) % room_alignment;
        const code_room larger {more.data() + room_alignment - past, n_bytes};
        if (try_assemble_in(larger, k, m, &code)) return code;
    }
}

} // namespace tfmt::cpu::jit
