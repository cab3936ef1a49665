// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "cpu/jit/emitter.hpp"
#include "cpu/plan/tuning.hpp"

// Drains of a scratch: loops over tables of runs, the same for all instruction sets but for how a
// line and a part of one are moved. A kernel has each loop once, as a routine that its drains call.
//
// Registers of a routine: rdx walks the table, r13 and r12 are where a run begins in scratch and
// destination, whose base is on the stack; rdi and rsi move along the run, rax counts the bytes
// left. rbp walks the list of lines to fetch, r14 is the next one, from rbx, r15 how many are left
// of its row and r9 how many rows as long as that. rcx and r11 are for anything. r8 is the scratch.
// r10 says of a chain whether its first drain is done, and of a chain of root steps whether this is
// the last of them.
namespace tfmt::cpu::jit {

using namespace Xbyak;

namespace {

constexpr int line_bytes = int(tuning::line_bytes);

// Bits of r10.
constexpr int has_drained = 1, is_near_end = 2;

} // namespace

void emitter::emit_step(const ir::nest_node &n, int depth) {
    switch (n.step) {
    case ir::nest_step::fill:
        emit_with_scratch(rsi, dst_base_, n.dst_offset_bytes, n, depth);
        break;
    case ir::nest_step::drain_lanes:
        emit_with_scratch(rdi, src_base_, n.src_offset_bytes, n, depth);
        break;
    case ir::nest_step::drain:
        if (k_.piece_step_bytes != 0)
            call_for_runs(drain_routine::pieces, n.drain);
        else if (k_.drains[size_t(n.drain)].is_chained) {
            call_for_runs(drain_routine::chained, n.drain);
            or_(r10d, has_drained);
        } else if (!k_.is_streaming)
            call_for_runs(drain_routine::copied, n.drain);
        else
            call_for_runs(drain_routine::alone, n.drain);
        break;
    case ir::nest_step::near_end:
        or_(r10d, is_near_end);
        call_for_runs(drain_routine::claim_ends, n.drain);
        break;
    case ir::nest_step::fetch_page: fetch_page(); break;
    default: call_for_runs(drain_routine::end_rows, n.drain); break;
    }
}

// The children, with the scratch in place of what `side` points to. In place: as routines that are
// called fills took 0.98 of the time to be made.
void emitter::emit_with_scratch(const Reg64 &side, int64_t &side_base, int64_t scratch_offset_bytes,
        const ir::nest_node &n, int depth) {
    push(side);
    mov(side, r8);
    const int64_t base = std::exchange(side_base, scratch_offset_bytes);
    emit_nodes(n.children, depth);
    side_base = base;
    pop(side);
}

void emitter::emit_begin_of_chain() {
    if (!k_.chain) return;
    xor_(r10d, r10d);
    call_for_runs(drain_routine::claim_begins, k_.chain.drain);
}

// At the beginning of a root step, with nothing on the stack but what assemble() has put there.
void emitter::emit_near_end_of_chain() {
    if (!k_.chain) return;
    lea(rax, ptr[rdx - 1]);
    if (!k_.rest.empty()) or_(rax, ptr[rsp + rest_place]); // whether it follows
    test(rax, rax);
    const forward_jump goes_on = jump_if(not_zero);
    or_(r10d, is_near_end);
    call_for_runs(drain_routine::claim_ends, k_.chain.drain);
    land(goes_on);
}

// Behind the last root step.
void emitter::emit_end_of_chain() {
    if (!k_.chain) return;
    forward_jump goes_on;
    if (!k_.rest.empty()) {
        cmp(qword[rsp + rest_place], 0);
        goes_on = jump_if(not_zero);
    }
    dst_base_ -= k_.dst_step_bytes;
    call_for_runs(drain_routine::end_rows, k_.chain.drain);
    dst_base_ += k_.dst_step_bytes;
    if (!k_.rest.empty()) land(goes_on);
}

void emitter::call_for_runs(drain_routine what, int drain) {
    // Runs of pieces are whole lines: nothing of them is claimed or kept back.
    if (k_.piece_step_bytes != 0 && what != drain_routine::pieces) return;
    const bool is_drain = what == drain_routine::alone || what == drain_routine::chained
            || what == drain_routine::copied || what == drain_routine::pieces;
    const bool has_fetches = is_drain && !k_.fetched_lines.empty();
    const Reg64 saved[] = {rdi, rsi, rdx, rbx, rbp, r9, r12, r13, r14, r15};
    for (const Reg64 &r : saved)
        push(r);
    add_to(rsi, dst_base_);
    push(rsi); // the runs' base
    lea(rdx, ptr[pool_.address_in_tables(tables_.offset_bytes(drain))]);
    if (has_fetches) emit_begin_of_fetches(int(std::size(saved)) + 1);
    call(static_cast<const void *>(routines_[size_t(what)]));
    pop(rcx);
    for (size_t i = std::size(saved); i-- > 0;)
        pop(saved[i]);
}

// Where lines count from, and the first of them. `n_pushed`: registers on the stack.
void emitter::emit_begin_of_fetches(int n_pushed) {
    mov(rbx, rdi);
    add_to(rbx, src_base_ + k_.fetched_base_bytes);
    if (k_.chain && k_.chain.next_bytes != 0) {
        test(r10b, is_near_end);
        const forward_jump goes_on = jump_if(zero);
        mov(rbx, ptr[rsp + 8 * n_pushed + first_src_place]);
        add_to(rbx, k_.chain.next_bytes);
        land(goes_on);
    }
    lea(rbp, ptr[pool_.address_in_tables(0)]);
    load_number(r14, rbp + tables_.offset_of(drain_tables::line));
    load_number(r15, rbp + tables_.offset_of(drain_tables::n_lines));
    load_number(r9, rbp + tables_.offset_of(drain_tables::n_rows));
}

void emitter::emit_drain_routines() {
    const auto emit = [&](drain_routine what, auto &&body) {
        align(16);
        routines_[size_t(what)] = getCurr();
        emit_for_each_run(body);
        ret();
    };
    const auto is_chained = [](const ir::drain &d) { return d.is_chained; };
    const std::vector<ir::drain> &drains = k_.drains;
    const forward_jump behind = jump();
    if (k_.piece_step_bytes != 0) {
        emit(drain_routine::pieces, [&] { emit_drain_of_pieces(); });
        land(behind);
        return;
    }
    if (std::any_of(drains.begin(), drains.end(), is_chained)) {
        emit(drain_routine::chained, [&] { emit_drain(true); });
        emit(drain_routine::claim_begins, [&] { emit_claim(false); });
        emit(drain_routine::claim_ends, [&] { emit_claim(true); });
        emit(drain_routine::end_rows, [&] { emit_end_of_row(); });
    }
    if (!std::all_of(drains.begin(), drains.end(), is_chained)) {
        if (k_.is_streaming)
            emit(drain_routine::alone, [&] { emit_drain(false); });
        else
            emit(drain_routine::copied, [&] { emit_copy(); });
    }
    land(behind);
}

// Calls body() for each run of the table at rdx.
template <typename Body>
void emitter::emit_for_each_run(Body &&body) {
    const uint8_t *next_entry = getCurr();
    load_field(rcx, drain_tables::count);
    test(rcx, rcx);
    const forward_jump done = jump_if(zero);
    push(rcx);
    load_field(r13, drain_tables::scratch);
    add(r13, r8);
    load_field(r12, drain_tables::dst);
    add(r12, ptr[rsp + 2 * 8]); // below the runs left and the return address
    align(16);
    const uint8_t *next_run = getCurr();
    body();
    load_field(rcx, drain_tables::scratch_step);
    add(r13, rcx);
    load_field(rcx, drain_tables::dst_step);
    add(r12, rcx);
    dec(qword[rsp]);
    jnz(next_run);
    pop(rcx);
    add(rdx, tables_.offset_of(drain_tables::n_fields));
    jmp(next_entry);
    land(done);
}

void emitter::load_number(const Reg64 &to, const RegExp &from) {
    if (tables_.number_bytes() == 4)
        movsxd(to, dword[from]);
    else
        mov(to, ptr[from]);
}

void emitter::load_field(const Reg64 &to, drain_tables::field f) {
    load_number(to, rdx + tables_.offset_of(f));
}

// To where the run is in scratch and destination.
void emitter::go_to_run() {
    mov(rdi, r13);
    mov(rsi, r12);
}

// Lines that will be written in part, at the beginning or the end of the runs, are fetched before:
// a store that waits for its line holds up all that follow.
void emitter::emit_claim(bool of_end) {
    mov(rsi, r12);
    if (of_end) {
        load_field(rcx, drain_tables::bytes);
        add(rsi, rcx);
    }
    test(sil, line_bytes - 1);
    const forward_jump whole = jump_if(zero);
    prefetchw(ptr[rsi]);
    land(whole);
}

void emitter::emit_drain(bool is_chained) {
    go_to_run();
    load_field(rax, drain_tables::bytes);
    emit_run_begin(is_chained);
    emit_lines(drain_tables::lines_between_fetches, true);
    emit_lines(1, false);
    if (is_chained)
        emit_keep_back();
    else {
        mov(r11, rax);
        move_part();
    }
}

void emitter::emit_drain_of_pieces() {
    go_to_run();
    emit_fetches();
    load_field(rax, drain_tables::bytes);
    const uint8_t *again = getCurr();
    move_line_of_pieces(int(k_.piece_step_bytes));
    add(rdi, int(line_bytes / lane_bytes * k_.piece_step_bytes));
    add(rsi, line_bytes);
    sub(rax, line_bytes);
    jnz(again);
}

// Of as many bytes as runs mostly have, if there is a next one in this entry and it has as many.
void emitter::emit_claims_of_next_run() {
    if (!k_.claims_lines) return;
    constexpr int n_bytes = int(tuning::collected_dst_bytes);
    cmp(qword[rsp], 1); // runs left
    const forward_jump last = jump_if(zero);
    load_field(rcx, drain_tables::bytes);
    cmp(rcx, n_bytes);
    const forward_jump is_short = jump_if(below);
    load_field(rcx, drain_tables::dst_step);
    add(rcx, r12);
    for (int pos = 0; pos < n_bytes; pos += line_bytes)
        prefetchw(ptr[rcx + pos]);
    prefetchw(ptr[rcx + n_bytes - 1]);
    land(is_short);
    land(last);
}

// The lines of a run as they lie; what is left at its end together with bytes before it, which are
// moved twice.
void emitter::emit_copy() {
    emit_claims_of_next_run();
    emit_fetches();
    go_to_run();
    load_field(rax, drain_tables::bytes);
    emit_lines(4, false);
    emit_lines(1, false);
    test(rax, rax);
    const forward_jump done = jump_if(zero);
    load_field(rcx, drain_tables::bytes);
    cmp(rcx, line_bytes);
    const forward_jump part = jump_if(below);
    lea(rdi, ptr[rdi + rax - line_bytes]);
    lea(rsi, ptr[rsi + rax - line_bytes]);
    move_line(0, false);
    const forward_jump moved = jump();
    land(part);
    mov(r11, rax);
    move_part();
    land(done);
    land(moved);
}

// The next lines of the list, as many as the entry counts; behind its last one r15 is 0. One jump
// is taken for each line, in rows of one line as well: with three, and the count of rows in memory,
// 249 staged reorders took 1.015 times as long on AMD, up to 1.25 times within 25 MB (AVX2 1.026,
// SSE4.1 1.028). (Two instructions for each line, with no loop, moved bytes as fast, but were up to
// 12 KiB of code.)
void emitter::emit_fetches() {
    if (k_.fetched_lines.empty()) return;
    test(r15, r15);
    const forward_jump none = jump_if(zero);
    load_field(r11, drain_tables::fetched);
    const uint8_t *again = getCurr();
    prefetcht1(ptr[rbx + r14]);
    add(r14, line_bytes);
    dec(r15);
    const forward_jump has_more = jump_if(not_zero);
    load_number(rcx, rbp + tables_.offset_of(drain_tables::row_gap));
    add(r14, rcx);
    load_number(r15, rbp + tables_.offset_of(drain_tables::n_lines));
    dec(r9);
    const forward_jump next_rows = jump_if(zero);
    land(has_more);
    const uint8_t *next_line = getCurr();
    dec(r11);
    jnz(again);
    const forward_jump done = jump();
    land(next_rows);
    add(rbp, tables_.offset_of(drain_tables::n_line_fields));
    load_number(r14, rbp + tables_.offset_of(drain_tables::line));
    load_number(r9, rbp + tables_.offset_of(drain_tables::n_rows));
    load_number(r15, rbp + tables_.offset_of(drain_tables::n_lines));
    test(r15, r15);
    jnz(next_line);
    land(done);
    land(none);
}

// Makes rsi a multiple of a line: by going back to what the drain before has kept, or by moving
// what lies before the first line.
void emitter::emit_run_begin(bool is_chained) {
    mov(r11, rsi);
    forward_jump done;
    if (is_chained) {
        test(r10b, has_drained);
        const forward_jump first = jump_if(zero);
        and_(r11d, line_bytes - 1);
        sub(rdi, r11);
        sub(rsi, r11);
        add(rax, r11);
        done = jump();
        land(first);
    }
    neg(r11);
    and_(r11d, line_bytes - 1);
    cmp(r11, rax);
    cmova(r11, rax);
    sub(rax, r11);
    move_part();
    if (is_chained) land(done);
}

// `n` lines at a time, as long as rax has as many bytes, and fetches before each time, if so.
// Stores past the caches wait for memory, and fetches between them do as well: all before a run's
// first line, 244 streaming reorders took 1.004 times as long on AMD, of 16 to 60 MB up to 1.25
// (AVX2 1.013, SSE4.1 1.014; with two to four times as many each time 1.015 of 48 that gained
// most). What is copied lost by it, AVX2 1.04, SSE4.1 1.05.
void emitter::emit_lines(int n, bool fetches) {
    const uint8_t *again = getCurr();
    if (fetches) emit_fetches();
    cmp(rax, n * line_bytes);
    const forward_jump done = jump_if(below);
    for (int i = 0; i < n; i++)
        move_line(i * line_bytes, k_.is_streaming);
    add(rdi, n * line_bytes);
    add(rsi, n * line_bytes);
    sub(rax, n * line_bytes);
    jmp(again);
    land(done);
}

// The last 64 bytes of the run go before its beginning, where the next drain's run begins.
void emitter::emit_keep_back() {
    lea(rdi, ptr[rdi + rax - line_bytes]);
    lea(rsi, ptr[r13 - line_bytes]);
    move_line(0, false);
}

void emitter::emit_end_of_row() {
    go_to_run();
    load_field(rcx, drain_tables::bytes);
    add(rsi, rcx);
    mov(r11, rsi);
    and_(r11d, line_bytes - 1);
    sub(rsi, r11);
    sub(rdi, r11);
    move_part();
}

void emitter::move_part() {
    for (int size : {1, 2, 4, 8, 16, 32}) {
        test(r11d, size);
        const forward_jump skip = jump_if(zero);
        for (int pos = 0; pos < size; pos += 8)
            move_unit(pos, size);
        add(rdi, size);
        add(rsi, size);
        land(skip);
    }
}

void emitter::move_unit(int pos, int size_bytes) {
    switch (size_bytes) {
    case 1:
        mov(cl, ptr[rdi + pos]);
        mov(ptr[rsi + pos], cl);
        break;
    case 2:
        mov(cx, ptr[rdi + pos]);
        mov(ptr[rsi + pos], cx);
        break;
    case 4:
        mov(ecx, ptr[rdi + pos]);
        mov(ptr[rsi + pos], ecx);
        break;
    default:
        mov(rcx, ptr[rdi + pos]);
        mov(ptr[rsi + pos], rcx);
        break;
    }
}

} // namespace tfmt::cpu::jit
