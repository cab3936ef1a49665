// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/data_type.hpp"
#include "cpu/jit/emitter.hpp"

// Stores of 4-bit elements that become 16-bit floats by a table of what their 16 values become.
// Stores of bf16 whose lanes are encoded two registers at a time.
namespace tfmt::cpu::jit {

// Whether lanes [first, first + 32) of a store become words by a table of what the 16 values
// become: they have the same parameters. One group of weights is often 32 elements. u4 to bf16 on
// AVX-512, 1024 x 1024 with scales and zero points of such groups, over memcpy: along the rows 1.8
// in place of 3.4, transposed 3.8 in place of 4.9.
bool emitter::stores_by_table(int first) const {
    const conversion &c = k_.converts;
    if (!c.steps || has_sum() || !is_f32(carrier_) || k_.elem_bytes * 32 > k_.vector_bytes)
        return false;
    if (!lane_ops_->looks_up_f32() && !lane_ops_->looks_up_bytes()) return false;
    return bits_of(c.src_type) == 4 && c.dst_elem_bits == 16 && !varies(first, 32);
}

void emitter::emit_store_by_table(const ir::op &o, int first, int a) {
    const conversion &c = k_.converts;
    const int table = converter_regs()[0], x = converter_regs()[4];
    const ir::op part = lanes_of(o, first, 32, 16);
    if (part.chunks.moves_nothing()) return;
    if (!lane_ops_->looks_up_f32()) return emit_store_by_table_of_bytes(o, a);
    lane_ops_->width_bytes = 64;
    lane_ops_->fill_f32(
            table, values_of_4_bits(c.src_type, c.steps.operands[src_zero_point].added).at);
    emit_arithmetic(o, first, 16, table);
    converter_->encode(c.dst_type, table);
    if (first > 0) get_bytes(x, a, first, 32);
    lane_ops_->width_bytes = 64;
    lane_ops_->widen_words(x, first > 0 ? x : a, false);
    lane_ops_->lookup_words_in(x, x, table);
    const uint64_t data = data_bytes(o, first, 32, 2);
    if (data != ir::low_bits(64)) lane_ops_->keep_bytes(x, x, data);
    store_memory(part, x, 64);
}

// The same with registers of 32 bytes, which `a` fills: of 16 values two registers of f32, of what
// they become a table of low and one of high bytes. u4 to bf16 on AVX2, 1024 x 1024, over memcpy:
// along the rows 3.6 in place of 8.0, transposed 6.2 in place of 10.0.
void emitter::emit_store_by_table_of_bytes(const ir::op &o, int a) {
    const conversion &c = k_.converts;
    const auto regs = converter_regs();
    const int words = regs[0], second = regs[4], x = regs[1], other = regs[2], low = regs[3];
    const values_16 values = values_of_4_bits(c.src_type, c.steps.operands[src_zero_point].added);
    lane_ops_->width_bytes = 32;
    for (int half : {0, 1}) {
        lane_ops::f32_8 table;
        for (int i = 0; i < 8; i++)
            table[i] = values.at[converter_->takes_turns(c.dst_type) ? 2 * i + half : 8 * half + i];
        lane_ops_->fill_8_f32(half == 0 ? words : second, table);
        emit_arithmetic(o, 0, 8, half == 0 ? words : second);
    }
    converter_->encode_two(c.dst_type, words, second);
    lane_ops_->split_table(low, second, words);
    lane_ops_->move(x, a);
    lane_ops_->lookup_bytes_in(x, other, low, second);
    for (int half : {0, 1}) {
        const ir::op part = lanes_of(o, 16 * half, 16, 16);
        const uint64_t data = data_bytes(o, 16 * half, 16, 2);
        const int stored = half == 0 ? x : other;
        if (data != ir::low_bits(32)) lane_ops_->keep_bytes(stored, stored, data);
        store_memory(part, stored, 32);
    }
}

// Whether lanes [first, first + 16) of a store become bf16 together.
bool emitter::stores_two(const ir::op &o, int first) const {
    const conversion &c = k_.converts;
    const bool is_quiet = carrier_ == carrier::f32_without_denormals
            || (carrier_ == carrier::f32 && c.steps);
    return is_quiet && c.dst_type == tfmt_bf16 && lane_ops_->looks_up_bytes()
            && k_.elem_bytes * 16 <= k_.vector_bytes
            && data_bytes(o, first, 16, 2) == ir::low_bits(32);
}

void emitter::emit_store_of_two(const ir::op &o, int first, int a) {
    const conversion &c = k_.converts;
    const auto regs = converter_regs();
    const int second = regs[0], even = regs[3], odd = regs[4];
    lane_ops_->width_bytes = 32;
    for (int half : {0, 1}) {
        const int begin = first + 8 * half, x = half == 0 ? odd : second;
        if (begin > 0) get_bytes(x, a, begin * k_.elem_bytes, 8 * k_.elem_bytes);
        converter_->decode(c.src_type, x, begin > 0 ? x : a);
        if (c.steps) emit_arithmetic(o, begin, 8, x);
    }
    lane_ops_->take_turns(even, odd, odd, second);
    converter_->encode_two(c.dst_type, even, odd);
    lane_ops_->join_parts(even, 2);
    store_memory(lanes_of(o, first, 16, 16), even, 32);
}

// Whether two registers of lanes become 16-bit floats in turns, the even and the odd ones.
bool emitter::stores_in_turns(const ir::op &o, int first) const {
    const conversion &c = k_.converts;
    const int n = lanes_at_once(), n_bytes = 4 * n;
    if (!c.steps || has_sum() || !is_f32(carrier_) || k_.elem_bytes != 1 || c.dst_elem_bits != 16)
        return false;
    if (2 * n > k_.vector_bytes || n_bytes != max_vector_bytes()) return false;
    if (!converter_->converts_in_turns(c.src_type, c.dst_type)) return false;
    return data_bytes(o, first, 2 * n, 2) == ir::low_bits(n_bytes)
            && takes_parameters_in_turns(first, n);
}

// Parameters are rows of memory then, where they would be permuted. u4 to bf16, BA16a64b2a, over
// memcpy: 4.4 in place of 5.0 on AVX-512, 7.8 in place of 9.7 on AVX2.
void emitter::emit_store_in_turns(const ir::op &o, int first, int a) {
    const conversion &c = k_.converts;
    const int n = lanes_at_once(), even = converter_regs()[4], odd = converter_regs()[0];
    if (first > 0) get_bytes(even, a, first, 2 * n);
    lane_ops_->width_bytes = 4 * n;
    converter_->decode_in_turns(c.src_type, even, odd, first > 0 ? even : a);
    emit_arithmetic(o, first, n, even, 2);
    emit_arithmetic(o, first + 1, n, odd, 2);
    converter_->encode_in_turns(c.dst_type, even, odd);
    store_memory(lanes_of(o, first, 2 * n, 16), even, 4 * n);
}

} // namespace tfmt::cpu::jit
