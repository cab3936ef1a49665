// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "cpu/jit/emitter.hpp"
#include "cpu/jit/float_format.hpp"

// What attributes ask for: scales, zero points and sums, on lanes between decoding and encoding.
namespace tfmt::cpu::jit {

// The steps of quantization.hpp on lanes [first, first + n), or every lane_step-th one from `first`
// on (where there is no sum), in that order and with operands in that order: of two NaNs x86 keeps
// the first.
void emitter::emit_arithmetic(const ir::op &o, int first, int n, int x, int lane_step) {
    const bool is_f64 = carrier_ == carrier::f64;
    const auto apply = [&](parameter_index i, lane_op f32_step, lane_op f64_step) {
        if (k_.converts.steps.operands[i].is_set)
            apply_parameter(o, first, n, x, i, is_f64 ? f64_step : f32_step, lane_step);
    };
    if (k_.converts.steps.takes_reciprocal) take_reciprocal(x);
    apply(src_zero_point, lane_op::sub_f32, lane_op::sub_f64);
    apply(src_scale, lane_op::mul_f32, lane_op::mul_f64);
    if (has_sum()) add_old_values(o, first, n, x);
    const float grid = k_.converts.steps.grid;
    if (grid != 0 && lane_ops_->has_fused()) return emit_fused_quotient(o, first, n, x, lane_step);
    if (k_.converts.steps.operands[dst_reciprocal].is_set)
        emit_corrected_product(o, first, n, x, lane_step);
    else if (k_.converts.steps.multiplies_by_reciprocal)
        apply(dst_scale, lane_op::mul_f32, lane_op::mul_f64);
    else
        apply(dst_scale, lane_op::div_f32, lane_op::div_f64);
    if (grid != 0 && !k_.converts.steps.operands[dst_zero_point].is_set)
        lane_ops_->op_with(lane_op::add_f32, x, x, f32_bits(grid));
    apply(dst_zero_point, lane_op::add_f32, lane_op::add_f64);
    if (grid != 0 && !leaves_grid()) lane_ops_->op_with(lane_op::sub_f32, x, x, f32_bits(grid));
}

// Whether what a quotient needs is in its registers already, by the lanes before or by the same
// ones of another row, where nothing in between takes these registers: see keeps_parameters(). If
// not, it will be.
bool emitter::holds_parameters(const ir::op &o, int first, int n, int lane_step) {
    held_parameters wanted;
    if (keeps_parameters_ && k_.lane_param_offset_bytes.empty()) {
        wanted.lanes = {0}; // one value of each
    } else if (keeps_parameters_) {
        wanted.offset_bytes = param_base_ + o.param_offset_bytes
                + k_.lane_param_offset_bytes[size_t(first)];
        wanted.lanes = lane_offsets(first, n, lane_step);
    }
    const bool are_held = keeps_parameters_ && held_.lanes == wanted.lanes
            && held_.offset_bytes == wanted.offset_bytes;
    held_ = std::move(wanted);
    return are_held;
}

void emitter::take_reciprocal(int x) {
    const bool is_f64 = carrier_ == carrier::f64;
    const int one = converter_regs()[1];
    lane_ops_->fill(one, is_f64 ? f64_bits(1) : f32_bits(1), bytes_of(carrier_));
    lane_ops_->op(is_f64 ? lane_op::div_f64 : lane_op::div_f32, one, one, x);
    lane_ops_->move(x, one);
}

// The product with the reciprocal and the sum with what rounds to the grid as one step, which
// rounds once: bf16 to u4 with groups took 1.14 times as long in two on AVX-512, 1.1 on AVX2.
void emitter::emit_fused_quotient(const ir::op &o, int first, int n, int x, int lane_step) {
    const auto &operands = k_.converts.steps.operands;
    const int factor = converter_regs()[1], addend = converter_regs()[2];
    const uint32_t grid = f32_bits(k_.converts.steps.grid);
    if (!holds_parameters(o, first, n, lane_step)) {
        load_parameter(o, first, n, factor, dst_scale, lane_step);
        if (operands[dst_zero_point].is_set)
            load_parameter(o, first, n, addend, dst_zero_point, lane_step);
        else
            lane_ops_->fill(addend, grid, 4);
    }
    lane_ops_->mul_add_f32(x, factor, addend);
    if (!leaves_grid()) lane_ops_->op_with(lane_op::sub_f32, x, x, grid);
}

// take_products() says why this is the quotient.
void emitter::emit_corrected_product(const ir::op &o, int first, int n, int x, int lane_step) {
    const auto regs = converter_regs();
    const int reciprocal = regs[1], scale = regs[2], product = regs[3];
    load_parameter(o, first, n, reciprocal, dst_reciprocal, lane_step);
    load_parameter(o, first, n, scale, dst_scale, lane_step);
    lane_ops_->op(lane_op::mul_f32, product, x, reciprocal);
    lane_ops_->bound_f32(product, 0x1p60f);
    lane_ops_->sub_product_f32(x, product, scale);
    lane_ops_->mul_add_f32(x, reciprocal, product);
}

// Offsets of the parameters of `n` lanes from those of the first of them, `first`.
std::vector<int32_t> emitter::lane_offsets(int first, int n, int step) const {
    std::vector<int32_t> offsets;
    for (int lane = first; lane < first + n * step; lane += step) {
        const int64_t offset = k_.lane_param_offset_bytes[size_t(lane)]
                - k_.lane_param_offset_bytes[size_t(first)];
        if (offset != int32_t(offset)) throw std::length_error("parameters too far apart");
        offsets.push_back(int32_t(offset));
    }
    return offsets;
}

// Where the operand of lane `first` is. May use rax.
RegExp emitter::place_of(const ir::op &o, int first, const arithmetic::operand &operand) {
    return where(at_r15_,
            param_base_ + operand.array_bytes + o.param_offset_bytes
                    + k_.lane_param_offset_bytes[size_t(first)]);
}

namespace {

bool are_same(const std::vector<int32_t> &offsets) {
    return std::all_of(offsets.begin(), offsets.end(), [](int32_t offset) { return offset == 0; });
}

bool are_row(const std::vector<int32_t> &offsets, int lane_bytes) {
    for (size_t lane = 0; lane < offsets.size(); lane++)
        if (offsets[lane] != int(lane) * lane_bytes) return false;
    return true;
}

} // namespace

// Whether lanes [first, first + n) have different values of any parameter.
bool emitter::varies(int first, int n) const {
    const auto &operands = k_.converts.steps.operands;
    const bool are_all_one = std::all_of(operands.begin(), operands.end(),
            [](const arithmetic::operand &p) { return !p.is_set || p.is_one_value; });
    if (are_all_one) return false;
    // Kernels that only pad have no lanes with parameters.
    return size_t(first + n) > k_.lane_param_offset_bytes.size()
            || !are_same(lane_offsets(first, n));
}

// Whether lanes [first, first + n) have parameters that are neither one nor side by side.
bool emitter::needs_pick(int first, int n) const {
    return varies(first, n)
            && (size_t(first + n) > k_.lane_param_offset_bytes.size()
                    || !are_row(lane_offsets(first, n), bytes_of(carrier_)));
}

// Whether lanes [first, first + 2 n) with their parameters are two groups in turns: neighbours
// share values, which lie side by side, as in BA16a64b2a where groups are along a.
bool emitter::takes_parameters_in_turns(int first, int n) const {
    if (!varies(first, 2 * n) || size_t(first + 2 * n) > k_.lane_param_offset_bytes.size())
        return false;
    const std::vector<int32_t> even = lane_offsets(first, n, 2);
    return are_row(even, bytes_of(carrier_)) && even == lane_offsets(first + 1, n, 2)
            && k_.lane_param_offset_bytes[size_t(first)]
            == k_.lane_param_offset_bytes[size_t(first + 1)];
}

void emitter::apply_parameter(
        const ir::op &o, int first, int n, int x, parameter_index i, lane_op step, int lane_step) {
    const arithmetic::operand &operand = k_.converts.steps.operands[i];
    if (operand.is_one_value) return lane_ops_->op_at(step, x, x, r9 + i * ir::single_bytes);
    const int value = converter_regs()[1];
    const std::vector<int32_t> offsets = lane_offsets(first, n, lane_step);
    if (are_same(offsets)) return lane_ops_->op_one(step, x, x, place_of(o, first, operand), value);
    if (are_row(offsets, bytes_of(carrier_)))
        return lane_ops_->op_row(step, x, x, place_of(o, first, operand), value);
    load_parameter(o, first, n, value, i, lane_step);
    lane_ops_->op(step, x, x, value);
}

// One value for each of the lanes.
void emitter::load_parameter(
        const ir::op &o, int first, int n, int out, parameter_index i, int lane_step) {
    const arithmetic::operand &operand = k_.converts.steps.operands[i];
    if (operand.is_one_value) return lane_ops_->load(out, r9 + i * ir::single_bytes);
    const std::vector<int32_t> offsets = lane_offsets(first, n, lane_step);
    const int lane_bytes = bytes_of(carrier_);
    const RegExp at = place_of(o, first, operand);
    if (are_same(offsets)) return lane_ops_->broadcast(out, at, lane_bytes);
    if (are_row(offsets, lane_bytes)) return lane_ops_->load(out, at);
    lane_ops_->pick(out, at, offsets, lane_bytes, converter_regs()[3]);
}

// x + beta * (what the destination holds).
void emitter::add_old_values(const ir::op &o, int first, int n, int x) {
    const conversion &c = k_.converts;
    const int old = extra_reg(), beta = converter_regs()[1];
    const int carrier_bytes = lane_ops_->width_bytes;
    loads_old_values_ = true;
    load_memory(lanes_of(o, first, n, c.dst_elem_bits), old, n * c.dst_elem_bits / 8);
    loads_old_values_ = false;
    if (c.dst_elem_bits < 8) {
        lane_ops_->width_bytes = n;
        lane_ops_->unpack_nibbles(old, old);
        lane_ops_->width_bytes = carrier_bytes;
    }
    converter_->decode(c.dst_type, old, old);
    const bool is_f64 = carrier_ == carrier::f64;
    const float b = c.steps.sum_beta;
    lane_ops_->fill(beta, is_f64 ? f64_bits(b) : f32_bits(b), bytes_of(carrier_));
    lane_ops_->op(is_f64 ? lane_op::mul_f64 : lane_op::mul_f32, old, beta, old);
    lane_ops_->op(is_f64 ? lane_op::add_f64 : lane_op::add_f32, x, x, old);
}

} // namespace tfmt::cpu::jit
