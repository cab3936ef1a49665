// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emitter_vex.hpp"

#include <algorithm>
#include <cstring>

namespace tfmt::cpu::jit {

void emitter_vex::epilogue() {
    if (k_.is_streaming) sfence();
    vzeroupper();
}

void emitter_vex::load_vector(int out, int n_bytes, int64_t offset_bytes, int mask) {
    const place at = src_place(offset_bytes);
    const vector_opcode &o = mask ? opcodes::movdqu8_load : opcodes::movups_load;
    put(encode_at(o, {n_bytes, out, 0, mask, mask != 0}, at.base, at.offset_bytes));
}

void emitter_vex::store_vector(int a, int n_bytes, int64_t offset_bytes, int mask) {
    const place at = dst_place(offset_bytes);
    const vector_opcode &o = mask ? opcodes::movdqu8_store : opcodes::movups_store;
    put(encode_at(o, {n_bytes, a, 0, mask, false}, at.base, at.offset_bytes));
}

void emitter_vex::store_whole_vector(int a, int64_t offset_bytes) {
    if (!streams_store_) return store_vector(a, width_bytes(), offset_bytes);
    const place at = dst_place(offset_bytes);
    put(encode_at(opcodes::movntps, {width_bytes(), a}, at.base, at.offset_bytes));
}

void emitter_vex::move_line_of_pieces(int step_bytes) {
    for (int half = 0; half < 2; half++) {
        load_vector(half, 16, 2 * half * step_bytes);
        insert_lane_from((2 * half + 1) * step_bytes, half, 1);
    }
    stream_halves_of_line();
}

void emitter_vex::insert_lane(int out, int lane, const Xmm &from) {
    put(encode(opcodes::inserti128, {width_bytes(), out, out}, from.getIdx()), lane);
}

// In 32 bytes where these have it, which takes half as long where a core executes 64 as two halves.
void emitter_vex::insert_lane_from(int64_t offset_bytes, int out, int lane) {
    const place at = src_place(offset_bytes);
    const vector_operands v {lane < 2 ? 32 : 64, out, out};
    put(encode_at(opcodes::inserti128, v, at.base, at.offset_bytes), lane);
}

void emitter_vex::extract_lane(const Xmm &to, int a, int lane) {
    if (lane == 0) return vmovaps(to, Xmm(a)); // of registers of 16 bytes as well
    put(encode(opcodes::extracti128, {width_bytes(), a}, to.getIdx()), lane);
}

void emitter_vex::extract_lane_to(int64_t offset_bytes, int a, int lane) {
    const place at = dst_place(offset_bytes);
    const vector_operands v {width_bytes(), a};
    put(encode_at(opcodes::extracti128, v, at.base, at.offset_bytes), lane);
}

void emitter_vex::shuffle(const vector_opcode &o, int out, int a, int b) {
    put(encode(o, {k_.vector_bytes, out, a}, b));
}

void emitter_vex::shuffle(const vector_opcode &o, int out, int a, int b, int immediate) {
    put(encode(o, {k_.vector_bytes, out, a}, b), immediate);
}

void emitter_vex::emit_zero(int out) {
    const Xmm x(out);
    if (out < 16)
        vpxor(x, x, x); // clears the whole register
    else
        vpxord(x, x, x);
}

bool emitter_vex::load_chunk(const ir::op &o, size_t index, int out) {
    if (o.chunks[index].mask != full_mask(o) || o.unit_bytes != width_bytes()) return false;
    load_vector(out, width_bytes(), o.chunks[index].offset_bytes);
    return true;
}

bool emitter_vex::store_chunk(const ir::op &o, size_t index, int a) {
    if (o.chunks[index].mask != full_mask(o) || o.unit_bytes != width_bytes()) return false;
    store_whole_vector(a, o.chunks[index].offset_bytes);
    return true;
}

// Lane 0 first, into the register itself, which clears the lanes above; these are inserted then.
void emitter_vex::emit_load(const ir::op &o, int out) {
    if (o.chunks.size() == 1 && o.unit_bytes >= 16 && load_chunk(o, 0, out)) return;
    const int n_lanes = std::max(1, width_bytes() / 16);
    const int lanes_per_chunk = std::max(1, o.unit_bytes / 16);
    for (int lane = 0; lane < n_lanes; lane++) {
        if (o.unit_bytes > 16 && lane % lanes_per_chunk == 0
                && load_chunk(o, size_t(lane / lanes_per_chunk), out)) {
            lane += lanes_per_chunk - 1;
            continue;
        }
        if (const std::optional<int64_t> at = whole_lane(o, lane)) {
            if (lane == 0)
                load_vector(out, 16, *at); // clears what is above
            else if (lane == 2 && load_upper_half(o, out))
                lane++;
            else
                insert_lane_from(*at, out, lane);
            continue;
        }
        const piece_list pieces = pieces_of_lane(o, lane);
        if (pieces.size() > 1 && load_masked_lane(o, lane, lane == 0 ? out : scratch().getIdx())) {
            if (lane > 0) insert_lane(out, lane, scratch());
        } else if (lane == 0)
            load_lane(pieces, Xmm(out));
        else if (!pieces.empty()) {
            load_lane(pieces, scratch());
            insert_lane(out, lane, scratch());
        }
    }
}

void emitter_vex::load_lane(const piece_list &pieces, const Xmm &x) {
    // The forms below take registers below 16 only (or cost a byte more): build in scratch.
    const Xmm t = x.getIdx() < 16 ? x : scratch();
    bool is_first = true;
    if (pieces.empty()) vpxor(t, t, t);
    for (const piece &p : pieces) {
        const bool is_whole = is_first && p.pos == 0 && p.size_bytes >= 4;
        if (is_first && !is_whole) vpxor(t, t, t);
        is_first = false;
        const Address from = src_at(p.offset_bytes);
        const uint8_t index = uint8_t(p.pos / p.size_bytes);
        switch (p.size_bytes) {
        case 1: vpinsrb(t, t, from, index); break;
        case 2: vpinsrw(t, t, from, index); break;
        case 4: is_whole ? vmovd(t, from) : vpinsrd(t, t, from, index); break;
        default: is_whole ? vmovq(t, from) : vpinsrq(t, t, from, index); break;
        }
    }
    if (t.getIdx() != x.getIdx()) vmovaps(x, t);
}

void emitter_vex::emit_store(const ir::op &o, int a) {
    if (o.chunks.size() == 1 && o.unit_bytes >= 16 && store_chunk(o, 0, a)) return;
    const int n_lanes = std::max(1, width_bytes() / 16);
    const int lanes_per_chunk = std::max(1, o.unit_bytes / 16);
    for (int lane = 0; lane < n_lanes; lane++) {
        if (o.unit_bytes > 16 && lane % lanes_per_chunk == 0
                && store_chunk(o, size_t(lane / lanes_per_chunk), a)) {
            lane += lanes_per_chunk - 1;
            continue;
        }
        if (const std::optional<int64_t> at = whole_lane(o, lane)) {
            if (lane == 0)
                store_vector(a, 16, *at);
            else
                extract_lane_to(*at, a, lane);
            continue;
        }
        const piece_list pieces = stored_pieces_of_lane(o, lane);
        if (pieces.empty()) continue;
        if (lane > 0 || a >= 16) extract_lane(scratch(), a, lane);
        const Xmm x = lane > 0 || a >= 16 ? scratch() : Xmm(a);
        if (pieces.size() == 1 || !store_masked_lane(o, lane, x)) store_lane(pieces, x);
    }
}

void emitter_vex::store_lane(const piece_list &pieces, const Xmm &x) {
    for (const piece &p : pieces)
        if (p.is_aligned()) store_piece(p, x, p.pos / p.size_bytes);
    Xmm from = x; // may be the scratch register, which then holds it no more
    int shifted_bytes = 0;
    for (const piece &p : pieces) {
        if (p.is_aligned()) continue;
        vpsrldq(scratch(), from, uint8_t(p.pos - shifted_bytes));
        store_piece(p, scratch(), 0);
        from = scratch();
        shifted_bytes = p.pos;
    }
}

void emitter_vex::store_piece(const piece &p, const Xmm &x, int i) {
    const Address to = dst_at(p.offset_bytes);
    const auto index = uint8_t(i);
    switch (p.size_bytes) {
    case 1: vpextrb(to, x, index); break;
    case 2: vpextrw(to, x, index); break;
    case 4: index ? vpextrd(to, x, index) : vmovd(to, x); break;
    default: index ? vmovhps(to, x) : vmovq(to, x); break;
    }
}

void emitter_vex::put_bytes(int whole, int pos, int n_bytes, int part) {
    const Xmm x(part);
    const int lane = pos / 16;
    if (n_bytes < 16) {
        vpslldq(x, x, uint8_t(16 - n_bytes));
        vpsrldq(x, x, uint8_t(16 - n_bytes - pos % 16));
        if (pos % 16 > 0 && lane == 0) {
            vorps(Xmm(whole), Xmm(whole), x);
            return;
        }
        if (pos % 16 > 0) {
            extract_lane(scratch(), whole, lane);
            vorps(x, x, scratch());
        }
    }
    if (n_bytes == 32)
        vmovaps(Xbyak::Ymm(whole), Xbyak::Ymm(part));
    else if (lane == 0)
        vmovaps(Xmm(whole), x);
    else
        insert_lane(whole, lane, x);
}

void emitter_vex::get_bytes(int part, int whole, int pos, int n_bytes) {
    const int lane = pos / 16;
    if (n_bytes >= 16 || pos % 16 == 0)
        extract_lane(Xmm(part), whole, lane);
    else if (lane == 0)
        vpsrldq(Xmm(part), Xmm(whole), uint8_t(pos));
    else {
        extract_lane(Xmm(part), whole, lane);
        vpsrldq(Xmm(part), Xmm(part), uint8_t(pos % 16));
    }
}

int emitter_vex::unit_of(const ir::byte_indices &indices) const {
    for (int unit = 8; unit > 1; unit /= 2) {
        bool kept = true;
        for (int i = 0; i < k_.vector_bytes; i++) {
            const int in_unit = i & (unit - 1), first = indices[size_t(i - in_unit)];
            kept = kept && (first & (unit - 1)) == 0 && indices[size_t(i)] == first + in_unit;
        }
        if (kept) return unit;
    }
    return 1;
}

bool emitter_vex::stays_within16(const ir::byte_indices &indices) const {
    for (int i = 0; i < k_.vector_bytes; i++)
        if (indices[size_t(i)] != ir::zero_index && indices[size_t(i)] / 16 != i / 16) return false;
    return true;
}

bool emitter_vex::is_byte_shuffle(const ir::op &o) const {
    return o.kind == ir::op_kind::within16
            || (o.kind == ir::op_kind::permute && stays_within16(k_.constants[size_t(o.constant)]));
}

void emitter_vex::emit_shuffle(const ir::op &o, int out, int a, int b) {
    switch (o.kind) {
    case ir::op_kind::unpack: unpack(o, out, a, b); break;
    case ir::op_kind::lanes128: emit_lanes128(o, out, a, b); break;
    case ir::op_kind::merge: shuffle(opcodes::por, out, a, b); break;
    default:
        if (is_byte_shuffle(o))
            vpshufb(vector(out), vector(a), constant_at(o.constant));
        else
            emit_permute(o, out, a, b);
    }
}

void emitter_vex::unpack(const ir::op &o, int out, int a, int b) {
    namespace code = opcodes;
    switch (o.unit_bytes) {
    case 1: shuffle(o.is_high ? code::punpckhbw : code::punpcklbw, out, a, b); break;
    case 2: shuffle(o.is_high ? code::punpckhwd : code::punpcklwd, out, a, b); break;
    case 4: shuffle(o.is_high ? code::unpckhps : code::unpcklps, out, a, b); break;
    default: shuffle(o.is_high ? code::unpckhpd : code::unpcklpd, out, a, b); break;
    }
}

} // namespace tfmt::cpu::jit
