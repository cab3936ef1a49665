// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emitter.hpp"
#include "cpu/plan/tuning.hpp"

// Drains of a scratch: loops over tables of runs, the same for all instruction sets but for how a
// line and a part of one are moved.
//
// Registers of a drain: rdi and rsi move along scratch and destination, rax counts the bytes left,
// rdx walks the table, rbx and r12 are the source's and the destination's base, rcx and r11 are for
// anything. r8 is the scratch, r10 zero until the first drain of a chain is done.
namespace tfmt::cpu::jit {

using namespace Xbyak;

namespace {

constexpr int line_bytes = int(tuning::line_bytes);

// Table entries: offsets in scratch and destination, bytes, then the prefetches.
constexpr int entry_scratch = 0, entry_dst = 8, entry_bytes = 16, entry_prefetches = 24;
constexpr size_t n_end_entries = 3; // zeros, of which that of the bytes ends the table

} // namespace

int emitter::prefetches_per_run(const ir::drain &d) {
    return int((d.prefetch_offset_bytes.size() + d.runs.size() - 1) / d.runs.size());
}

size_t emitter::entry_size(const ir::drain &d) { return 3 + size_t(prefetches_per_run(d)); }

void emitter::emit_scratch_step(const ir::nest_node &n, int depth) {
    switch (n.step) {
    case ir::scratch_step::fill: emit_fill(n, depth); break;
    case ir::scratch_step::drain: emit_drain(n.drain); break;
    case ir::scratch_step::begin_rows:
        xor_(r10d, r10d);
        emit_claims(n.drain, false);
        break;
    case ir::scratch_step::near_end: emit_claims(n.drain, true); break;
    default: emit_end_rows(n.drain); break;
    }
}

void emitter::emit_fill(const ir::nest_node &n, int depth) {
    const int64_t dst_base = dst_base_;
    push(rsi);
    mov(rsi, r8);
    dst_base_ = n.dst_offset_bytes;
    emit_nodes(n.children, depth);
    dst_base_ = dst_base;
    pop(rsi);
}

// Calls body() for each entry of the table of drain `index`.
template <typename Body>
void emitter::for_each_run(int index, Body &&body) {
    const ir::drain &d = k_.drains[size_t(index)];
    const Reg64 saved[] = {rdi, rsi, rdx, rbx, r12};
    for (const Reg64 &r : saved)
        push(r);
    mov(rbx, rdi);
    add_to(rbx, src_base_);
    mov(r12, rsi);
    add_to(r12, dst_base_);
    lea(rdx, ptr[rip + tables_ + table_offset_bytes(index)]);
    Label again;
    align(16);
    L(again);
    body();
    add(rdx, entry_prefetches + 8 * prefetches_per_run(d));
    cmp(qword[rdx + entry_bytes], 0);
    jne(again, T_NEAR);
    for (int i = 5; i-- > 0;)
        pop(saved[i]);
}

// Lines that will be written in part, at the beginning or the end of the runs, are fetched before:
// a store that waits for its line holds up all that follow.
void emitter::emit_claims(int index, bool of_ends) {
    for_each_run(index, [&] {
        Label whole;
        mov(rsi, ptr[rdx + entry_dst]);
        add(rsi, r12);
        if (of_ends) add(rsi, ptr[rdx + entry_bytes]);
        test(sil, line_bytes - 1);
        jz(whole, T_NEAR);
        prefetchw(ptr[rsi]);
        L(whole);
    });
}

void emitter::emit_drain(int index) {
    const ir::drain &d = k_.drains[size_t(index)];
    for_each_run(index, [&] {
        for (int i = 0; i < prefetches_per_run(d); i++) {
            mov(rcx, ptr[rdx + entry_prefetches + 8 * i]);
            prefetcht1(ptr[rbx + rcx]);
        }
        mov(rdi, ptr[rdx + entry_scratch]);
        add(rdi, r8);
        mov(rsi, ptr[rdx + entry_dst]);
        add(rsi, r12);
        mov(rax, ptr[rdx + entry_bytes]);
        emit_run_begin(d.is_chained);
        emit_lines(4);
        emit_lines(1);
        if (d.is_chained)
            emit_keep_back();
        else {
            mov(r11, rax);
            move_part();
        }
    });
    if (d.is_chained) mov(r10d, 1);
}

// Makes rsi a multiple of a line: by going back to what the drain before has kept, or by moving
// what lies before the first line.
void emitter::emit_run_begin(bool is_chained) {
    Label first, done;
    mov(r11, rsi);
    if (is_chained) {
        test(r10d, r10d);
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
    mov(rsi, ptr[rdx + entry_scratch]);
    lea(rsi, ptr[rsi + r8 - line_bytes]);
    move_line(0, false);
}

void emitter::emit_end_rows(int index) {
    for_each_run(index, [&] {
        mov(rsi, ptr[rdx + entry_dst]);
        add(rsi, r12);
        add(rsi, ptr[rdx + entry_bytes]);
        mov(rdi, ptr[rdx + entry_scratch]);
        add(rdi, r8);
        mov(r11, rsi);
        and_(r11d, line_bytes - 1);
        sub(rsi, r11);
        sub(rdi, r11);
        move_part();
    });
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

int emitter::table_offset_bytes(int index) const {
    size_t n_entries = 0;
    for (int i = 0; i < index; i++) {
        const ir::drain &d = k_.drains[size_t(i)];
        n_entries += d.runs.size() * entry_size(d) + n_end_entries;
    }
    return int(n_entries * sizeof(uint64_t));
}

std::vector<uint64_t> emitter::tables() const {
    std::vector<uint64_t> entries;
    for (const ir::drain &d : k_.drains) {
        const size_t m = size_t(prefetches_per_run(d));
        for (size_t r = 0; r < d.runs.size(); r++) {
            entries.push_back(uint64_t(d.runs[r].scratch_offset_bytes));
            entries.push_back(uint64_t(d.runs[r].dst_offset_bytes));
            entries.push_back(uint64_t(d.runs[r].bytes));
            for (size_t j = r * m; j < (r + 1) * m; j++)
                entries.push_back(uint64_t(
                        d.prefetch_offset_bytes[std::min(j, d.prefetch_offset_bytes.size() - 1)]));
        }
        entries.insert(entries.end(), n_end_entries, 0);
    }
    return entries;
}

} // namespace tfmt::cpu::jit
