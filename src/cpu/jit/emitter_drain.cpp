// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "cpu/jit/emitter.hpp"
#include "cpu/plan/tuning.hpp"

// Drains of a scratch: loops over tables of runs, the same for all instruction sets but for how a
// line and a part of one are moved. A kernel has each loop once, as a routine that its drains call.
//
// Registers of a routine: rdx walks the table, r13 and r12 are where a run begins in scratch and
// destination, whose base is r9; rdi and rsi move along the run, rax counts the bytes left. rbp
// walks the list of lines to fetch, r14 is the next one, from rbx, and r15 how many are left of its
// row. rcx and r11 are for anything. r8 is the scratch. r10 says of a chain whether its first drain
// is done, and of a chain of root steps whether this is the last of them.
namespace tfmt::cpu::jit {

using namespace Xbyak;

namespace {

constexpr int line_bytes = int(tuning::line_bytes);

// Bits of r10.
constexpr int has_drained = 1, is_in_last = 2;

} // namespace

void emitter::emit_scratch_step(const ir::nest_node &n, int depth) {
    switch (n.step) {
    case ir::scratch_step::fill: emit_fill(n, depth); break;
    case ir::scratch_step::drain:
        if (k_.drains[size_t(n.drain)].is_chained) {
            call_for_runs(drain_routine::chained, n.drain);
            or_(r10d, has_drained);
        } else if (!k_.is_streaming)
            call_for_runs(drain_routine::copied, n.drain);
        else
            call_for_runs(drain_routine::alone, n.drain);
        break;
    case ir::scratch_step::begin_rows:
        xor_(r10d, r10d);
        call_for_runs(drain_routine::claim_begins, n.drain);
        break;
    case ir::scratch_step::near_end: call_for_runs(drain_routine::claim_ends, n.drain); break;
    default: call_for_runs(drain_routine::end_rows, n.drain); break;
    }
}

// In place, twice where a chain's last block is like the others: as routines that are called fills
// took 0.98 of the time to be made.
void emitter::emit_fill(const ir::nest_node &n, int depth) {
    const int64_t dst_base = dst_base_;
    push(rsi);
    mov(rsi, r8);
    dst_base_ = n.dst_offset_bytes;
    emit_nodes(n.children, depth);
    dst_base_ = dst_base;
    pop(rsi);
}

void emitter::emit_begin_of_chain() {
    if (!k_.chain) return;
    xor_(r10d, r10d);
    call_for_runs(drain_routine::claim_begins, k_.chain.drain);
}

// At the beginning of a root step.
void emitter::emit_near_end_of_chain() {
    if (!k_.chain) return;
    Label goes_on;
    lea(rax, ptr[rdx - 1]);
    if (!k_.rest.empty()) or_(rax, ptr[rsp]); // whether it follows
    test(rax, rax);
    jnz(goes_on, T_NEAR);
    or_(r10d, is_in_last);
    call_for_runs(drain_routine::claim_ends, k_.chain.drain);
    L(goes_on);
}

// Behind the last root step.
void emitter::emit_end_of_chain() {
    if (!k_.chain) return;
    Label goes_on;
    if (!k_.rest.empty()) {
        cmp(qword[rsp], 0);
        jne(goes_on, T_NEAR);
    }
    dst_base_ -= k_.dst_step_bytes;
    call_for_runs(drain_routine::end_rows, k_.chain.drain);
    dst_base_ += k_.dst_step_bytes;
    L(goes_on);
}

void emitter::call_for_runs(drain_routine what, int drain) {
    const Reg64 saved[] = {rdi, rsi, rdx, rbx, rbp, r9, r12, r13, r14, r15};
    for (const Reg64 &r : saved)
        push(r);
    const bool has_fetches = !k_.fetched_lines.empty();
    const int64_t base_bytes = k_.drains[size_t(drain)].fetched_base_bytes;
    mov(rbx, rdi);
    add_to(rbx, src_base_ + base_bytes);
    if (what == drain_routine::chained && drain == k_.chain.drain
            && k_.chain.fetched_base_bytes != base_bytes) {
        Label goes_on;
        test(r10b, is_in_last);
        jz(goes_on);
        add_to(rbx, k_.chain.fetched_base_bytes - base_bytes);
        L(goes_on);
    }
    mov(r9, rsi);
    add_to(r9, dst_base_);
    lea(rdx, ptr[rip + tables_label_ + tables_.offset_bytes(drain)]);
    if (has_fetches) {
        lea(rbp, ptr[rip + tables_label_]);
        load_number(r14, rbp + tables_.offset_of(drain_tables::line));
        load_number(r15, rbp + tables_.offset_of(drain_tables::n_lines));
        load_number(rcx, rbp + tables_.offset_of(drain_tables::n_rows));
        push(rcx);
    }
    call(routines_[size_t(what)].label);
    routines_[size_t(what)].is_called = true;
    if (has_fetches) pop(rcx);
    for (size_t i = std::size(saved); i-- > 0;)
        pop(saved[i]);
}

void emitter::emit_drain_routines() {
    const auto emit = [&](drain_routine what, auto &&body) {
        routine &r = routines_[size_t(what)];
        if (!r.is_called) return;
        align(16);
        L(r.label);
        emit_for_each_run(body);
        ret();
    };
    emit(drain_routine::alone, [&] { emit_drain(false); });
    emit(drain_routine::copied, [&] { emit_copy(); });
    emit(drain_routine::chained, [&] { emit_drain(true); });
    emit(drain_routine::claim_begins, [&] { emit_claim(false); });
    emit(drain_routine::claim_ends, [&] { emit_claim(true); });
    emit(drain_routine::end_rows, [&] { emit_end_of_row(); });
}

// Calls body() for each run of the table at rdx.
template <typename Body>
void emitter::emit_for_each_run(Body &&body) {
    Label next_entry, next_run, done;
    L(next_entry);
    load_field(rcx, drain_tables::count);
    test(rcx, rcx);
    jz(done, T_NEAR);
    push(rcx);
    load_field(r13, drain_tables::scratch);
    add(r13, r8);
    load_field(r12, drain_tables::dst);
    add(r12, r9);
    align(16);
    L(next_run);
    body();
    load_field(rcx, drain_tables::scratch_step);
    add(r13, rcx);
    load_field(rcx, drain_tables::dst_step);
    add(r12, rcx);
    dec(qword[rsp]);
    jnz(next_run, T_NEAR);
    pop(rcx);
    add(rdx, tables_.offset_of(drain_tables::n_fields));
    jmp(next_entry, T_NEAR);
    L(done);
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
    Label whole;
    mov(rsi, r12);
    if (of_end) {
        load_field(rcx, drain_tables::bytes);
        add(rsi, rcx);
    }
    test(sil, line_bytes - 1);
    jz(whole, T_NEAR);
    prefetchw(ptr[rsi]);
    L(whole);
}

void emitter::emit_drain(bool is_chained) {
    emit_fetches();
    go_to_run();
    load_field(rax, drain_tables::bytes);
    emit_run_begin(is_chained);
    emit_lines(4);
    emit_lines(1);
    if (is_chained)
        emit_keep_back();
    else {
        mov(r11, rax);
        move_part();
    }
}

// The lines of a run as they lie; what is left at its end together with bytes before it, which are
// moved twice.
void emitter::emit_copy() {
    Label part, done;
    emit_fetches();
    go_to_run();
    load_field(rax, drain_tables::bytes);
    mov(rcx, rax);
    emit_lines(4);
    emit_lines(1);
    test(rax, rax);
    jz(done, T_NEAR);
    cmp(rcx, line_bytes);
    jb(part);
    lea(rdi, ptr[rdi + rax - line_bytes]);
    lea(rsi, ptr[rsi + rax - line_bytes]);
    move_line(0, false);
    jmp(done, T_NEAR);
    L(part);
    mov(r11, rax);
    move_part();
    L(done);
}

// The next lines of the list, as many as the entry counts. (Two instructions for each, with no
// loop, moved bytes as fast, but were up to 12 KiB of code.)
void emitter::emit_fetches() {
    if (k_.fetched_lines.empty()) return;
    Label again, next_rows, begin_row, has_more, none;
    const auto rows_left = qword[rsp + 2 * 8]; // below the runs left and where the routine returns
    load_field(r11, drain_tables::fetched);
    L(again);
    test(r15, r15);
    jz(none);
    prefetcht1(ptr[rbx + r14]);
    add(r14, line_bytes);
    dec(r15);
    jnz(has_more);
    dec(rows_left);
    jz(next_rows);
    load_number(rcx, rbp + tables_.offset_of(drain_tables::row_gap));
    add(r14, rcx);
    jmp(begin_row);
    L(next_rows);
    add(rbp, tables_.offset_of(drain_tables::n_line_fields));
    load_number(r14, rbp + tables_.offset_of(drain_tables::line));
    load_number(rcx, rbp + tables_.offset_of(drain_tables::n_rows));
    mov(rows_left, rcx);
    L(begin_row);
    load_number(r15, rbp + tables_.offset_of(drain_tables::n_lines));
    L(has_more);
    dec(r11);
    jnz(again);
    L(none);
}

// Makes rsi a multiple of a line: by going back to what the drain before has kept, or by moving
// what lies before the first line.
void emitter::emit_run_begin(bool is_chained) {
    Label first, done;
    mov(r11, rsi);
    if (is_chained) {
        test(r10b, has_drained);
        jz(first, T_NEAR);
        and_(r11d, line_bytes - 1);
        sub(rdi, r11);
        sub(rsi, r11);
        add(rax, r11);
        jmp(done, T_NEAR);
        L(first);
    }
    neg(r11);
    and_(r11d, line_bytes - 1);
    cmp(r11, rax);
    cmova(r11, rax);
    sub(rax, r11);
    move_part();
    L(done);
}

// `n` lines at a time, as long as rax has as many bytes.
void emitter::emit_lines(int n) {
    Label again, done;
    L(again);
    cmp(rax, n * line_bytes);
    jb(done, T_NEAR);
    for (int i = 0; i < n; i++)
        move_line(i * line_bytes, k_.is_streaming);
    add(rdi, n * line_bytes);
    add(rsi, n * line_bytes);
    sub(rax, n * line_bytes);
    jmp(again);
    L(done);
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
        Label skip;
        test(r11d, size);
        jz(skip, T_NEAR);
        for (int pos = 0; pos < size; pos += 8)
            move_unit(pos, size);
        add(rdi, size);
        add(rsi, size);
        L(skip);
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
