// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "cpu/jit/compile.hpp"
#include "cpu/jit/emitter.hpp"

// Loads and stores between memory and values whose lanes are not the same: 4-bit elements are
// unpacked and packed, and one of the two sides converts, some lanes at a time.
namespace tfmt::cpu::jit {

void emitter::prepare_conversion() {
    if (!k_.converts) return;
    lane_ops_ = make_lane_ops();
    const auto regs = converter_regs();
    std::array<int, n_converter_temps> temps {};
    std::copy(regs.begin() + 1, regs.end(), temps.begin());
    carrier_ = carrier_of(k_.converts);
    converter_ = std::make_unique<converter>(*lane_ops_, carrier_, temps);
    converter_->add_when_decoding(k_.converts.steps.operands[src_zero_point].added);
    const bool fills_vectors = k_.converts.at_load && !k_.converts.is_identity()
            && k_.elem_bytes == 1 && lanes_at_once() * bytes_of(carrier_) == k_.vector_bytes;
    packs_loads_ = fills_vectors && converter_->packs(k_.converts.src_type, k_.converts.dst_type);
    joins_loads_ = fills_vectors && converter_->leaves_low_bytes(k_.converts.dst_type)
            && lane_ops_->joins_words() && !k_.converts.makes_zero_nonzero();
    std::vector<int> spare = spare_regs();
    for (int v = n_used_value_regs(); v < n_value_regs(); v++)
        if (k_.scratch_bytes == 0 || physical(v) >= n_move_regs) spare.push_back(physical(v));
    lane_ops_->keep_constants_in(spare);
}

// Lanes of a value that are converted at once.
int emitter::lanes_at_once() const {
    return std::min(k_.vector_bytes / k_.elem_bytes, max_vector_bytes() / bytes_of(carrier_));
}

namespace {

// What a mask of the bytes of `n` lanes is where each has `bits` and not lane_bytes.
uint64_t resized_mask(uint64_t mask, int n, int lane_bytes, int bits) {
    mask &= ir::low_bits(n * lane_bytes);
    if (mask == ir::low_bits(n * lane_bytes)) return ir::low_bits((n * bits + 7) / 8);
    uint64_t resized = 0;
    for (int i = 0; i < n; i++)
        if (mask >> i * lane_bytes & 1)
            for (int bit = i * bits; bit < (i + 1) * bits; bit += 4)
                resized |= uint64_t(1) << bit / 8;
    return resized;
}

} // namespace

// Lanes [first, first + n) of a load or store as an operation on memory with elements of
// `elem_bits`.
ir::op emitter::lanes_of(const ir::op &o, int first, int n, int elem_bits) const {
    const int chunk_lanes = o.unit_bytes / k_.elem_bytes, n_in_chunk = std::min(n, chunk_lanes);
    ir::op part(o.kind);
    part.unit_bytes = n_in_chunk * elem_bits / 8;
    part.chunks.reserve(size_t(n / n_in_chunk));
    for (int lane = first; lane < first + n; lane += chunk_lanes) {
        const ir::chunk &c = o.chunks[size_t(lane / chunk_lanes)];
        const int begin = lane % chunk_lanes;
        part.chunks.push_back({c.offset_bytes + begin * elem_bits / 8,
                resized_mask(
                        c.mask >> begin * k_.elem_bytes, n_in_chunk, k_.elem_bytes, elem_bits)});
    }
    return part;
}

// Of the packed elements that lanes [first, first + n) become: the bytes of those that are not
// padding.
uint64_t emitter::data_bytes(const ir::op &o, int first, int n, int elem_bytes) const {
    const int chunk_lanes = o.unit_bytes / k_.elem_bytes, n_in_chunk = std::min(n, chunk_lanes);
    uint64_t bytes = 0;
    for (int lane = first; lane < first + n; lane += chunk_lanes) {
        const uint64_t data = o.chunks[size_t(lane / chunk_lanes)].data
                >> lane % chunk_lanes * k_.elem_bytes;
        bytes |= resized_mask(data, n_in_chunk, k_.elem_bytes, 8 * elem_bytes)
                << (lane - first) * elem_bytes;
    }
    return bytes;
}

void emitter::load_memory(const ir::op &o, int out, int n_bytes) {
    width_bytes_ = n_bytes;
    emit_load(o, out);
    width_bytes_ = k_.vector_bytes;
}

void emitter::store_memory(const ir::op &o, int a, int n_bytes) {
    width_bytes_ = n_bytes;
    emit_store(o, a);
    width_bytes_ = k_.vector_bytes;
}

void emitter::emit_memory_load(const ir::op &o, int out) {
    const int n_lanes = k_.vector_bytes / std::max(1, k_.elem_bytes);
    if (!k_.converts) return emit_load(o, out);
    if (k_.converts.at_load && !k_.converts.is_identity()) return emit_converting_load(o, out);
    if (k_.converts.src_elem_bits >= 8) return emit_load(o, out);
    const int part = converter_regs()[0];
    load_memory(lanes_of(o, 0, n_lanes, 4), part, n_lanes / 2);
    lane_ops_->width_bytes = k_.vector_bytes;
    lane_ops_->unpack_nibbles(out, part);
}

void emitter::emit_memory_store(const ir::op &o, int a) {
    const int n_lanes = k_.vector_bytes / std::max(1, k_.elem_bytes);
    if (!k_.converts) return emit_store(o, a);
    if (!k_.converts.at_load && !k_.converts.is_identity()) return emit_converting_store(o, a);
    if (k_.converts.dst_elem_bits >= 8) return emit_store(o, a);
    const int part = converter_regs()[0];
    lane_ops_->width_bytes = k_.vector_bytes;
    lane_ops_->pack_nibbles(part, a);
    store_memory(lanes_of(o, 0, n_lanes, 4), part, n_lanes / 2);
}

// The steps of quantization.hpp on lanes [first, first + n), or every lane_step-th one from `first`
// on (where there is no sum), in that order and with operands in that order: of two NaNs x86 keeps
// the first.
void emitter::emit_arithmetic(const ir::op &o, int first, int n, int x, int lane_step) {
    const bool is_f64 = carrier_ == carrier::f64;
    const auto apply = [&](parameter_index i, lane_op f32_step, lane_op f64_step) {
        if (k_.converts.steps.operands[i].is_set)
            apply_parameter(o, first, n, x, i, is_f64 ? f64_step : f32_step, lane_step);
    };
    apply(src_zero_point, lane_op::sub_f32, lane_op::sub_f64);
    apply(src_scale, lane_op::mul_f32, lane_op::mul_f64);
    if (has_sum()) add_old_values(o, first, n, x);
    if (k_.converts.steps.multiplies_by_reciprocal)
        apply(dst_scale, lane_op::mul_f32, lane_op::mul_f64);
    else
        apply(dst_scale, lane_op::div_f32, lane_op::div_f64);
    uint32_t grid;
    std::memcpy(&grid, &arithmetic::grid, sizeof grid);
    const bool rounds_to_grid = k_.converts.steps.rounds_to_grid;
    if (rounds_to_grid && !k_.converts.steps.operands[dst_zero_point].is_set)
        lane_ops_->op_with(lane_op::add_f32, x, x, grid);
    apply(dst_zero_point, lane_op::add_f32, lane_op::add_f64);
    if (rounds_to_grid && !leaves_grid()) lane_ops_->op_with(lane_op::sub_f32, x, x, grid);
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
    const int value = converter_regs()[1], temp = converter_regs()[2];
    const std::vector<int32_t> offsets = lane_offsets(first, n, lane_step);
    const RegExp at = place_of(o, first, operand);
    if (are_same(offsets)) return lane_ops_->op_one(step, x, x, at, value);
    if (are_row(offsets, bytes_of(carrier_))) return lane_ops_->op_row(step, x, x, at, value);
    lane_ops_->pick(value, at, offsets, bytes_of(carrier_), temp);
    lane_ops_->op(step, x, x, value);
}

// x + beta * (what the destination holds).
void emitter::add_old_values(const ir::op &o, int first, int n, int x) {
    const conversion &c = k_.converts;
    const int old = old_values_reg(), beta = converter_regs()[1];
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
    const double beta_f64 = double(c.steps.sum_beta);
    uint64_t beta_bits = 0;
    if (is_f64)
        std::memcpy(&beta_bits, &beta_f64, sizeof beta_f64);
    else
        std::memcpy(&beta_bits, &c.steps.sum_beta, sizeof c.steps.sum_beta);
    lane_ops_->fill(beta, beta_bits, bytes_of(carrier_));
    lane_ops_->op(is_f64 ? lane_op::mul_f64 : lane_op::mul_f32, old, beta, old);
    lane_ops_->op(is_f64 ? lane_op::add_f64 : lane_op::add_f32, x, x, old);
}

// Whether what the groups of lanes become is or-ed together part by part, and put in order once.
bool emitter::loads_in_parts(const ir::op &o) const {
    const conversion &c = k_.converts;
    const int n_lanes = k_.vector_bytes / k_.elem_bytes;
    if (!lane_ops_->narrows_to_parts() || !converter_->narrows_lanes(c.dst_type)) return false;
    if (lanes_at_once() * bytes_of(carrier_) != k_.vector_bytes) return false;
    return !c.makes_zero_nonzero()
            || data_bytes(o, 0, n_lanes, k_.elem_bytes) == ir::low_bits(k_.vector_bytes);
}

// Lanes [first, first + n) of a load, decoded and computed with.
void emitter::convert_loaded(const ir::op &o, const ir::op &part, int first, int n, int x) {
    const conversion &c = k_.converts;
    load_memory(part, x, n * c.src_elem_bits / 8);
    if (c.src_elem_bits < 8) {
        lane_ops_->width_bytes = n;
        lane_ops_->unpack_nibbles(x, x);
    }
    lane_ops_->width_bytes = n * bytes_of(carrier_);
    lane_ops_->is_zero_above = true; // loads are of whole registers
    converter_->decode(c.src_type, x, x);
    lane_ops_->is_zero_above = false;
    if (c.steps) emit_arithmetic(o, first, n, x);
}

// Whether the grid is taken away from packed words and not from lanes, of which there are twice as
// many registers. bf16 to u4 with groups in rows takes 0.83 of the time on AVX-512, 0.92 on AVX2.
bool emitter::leaves_grid() const {
    return packs_loads_ && k_.converts.steps.rounds_to_grid
            && converter_->takes_grid(k_.converts.dst_type);
}

void emitter::emit_packing_load(const ir::op &o, int out) {
    const data_type_t type = k_.converts.dst_type;
    const int n = lanes_at_once(), x = converter_regs()[0], other = converter_regs().back();
    const float grid = leaves_grid() ? arithmetic::grid : 0;
    for (int pair : {0, 1}) {
        const int packed = pair == 0 ? out : other;
        for (int half : {0, 1}) {
            const int first = (2 * pair + half) * n, lanes = half == 0 ? packed : x;
            const ir::op part = lanes_of(o, first, n, k_.converts.src_elem_bits);
            lane_ops_->width_bytes = k_.vector_bytes;
            if (part.chunks.moves_nothing()) {
                lane_ops_->fill(lanes, 0, 4);
                continue;
            }
            convert_loaded(o, part, first, n, lanes);
            converter_->encode_lanes(type, lanes, grid);
        }
        lane_ops_->pack_words(packed, packed, x);
        converter_->finish_words(packed, grid);
    }
    converter_->pack_bytes(type, out, out, other);
    converter_->finish_packed(type, out);
    lane_ops_->join_parts(out, 4);
    const uint64_t data = data_bytes(o, 0, k_.vector_bytes, 1);
    if (k_.converts.makes_zero_nonzero() && data != ir::low_bits(k_.vector_bytes))
        lane_ops_->keep_bytes(out, out, data);
}

void emitter::emit_joining_load(const ir::op &o, int out) {
    const int n = lanes_at_once();
    for (int half : {0, 1}) {
        const int words = half == 0 ? out : converter_regs()[0];
        const ir::op part = lanes_of(o, half * n, n, k_.converts.src_elem_bits);
        lane_ops_->width_bytes = k_.vector_bytes;
        if (part.chunks.moves_nothing()) {
            lane_ops_->fill(words, 0, 4);
            continue;
        }
        convert_loaded(o, part, half * n, n, words);
        converter_->encode_low_bytes(k_.converts.dst_type, words);
    }
    lane_ops_->join_words(out, converter_regs()[0]);
}

void emitter::emit_converting_load(const ir::op &o, int out) {
    if (joins_loads_) return emit_joining_load(o, out);
    if (packs_loads_) return emit_packing_load(o, out);
    const conversion &c = k_.converts;
    const int n = lanes_at_once(), x = converter_regs()[0];
    const bool in_parts = loads_in_parts(o);
    for (int first = 0; first < k_.vector_bytes / k_.elem_bytes; first += n) {
        const ir::op part = lanes_of(o, first, n, c.src_elem_bits);
        if (part.chunks.moves_nothing()) {
            if (first == 0) emit_zero(out);
            continue;
        }
        convert_loaded(o, part, first, n, x);
        if (in_parts) {
            lane_ops_->narrow_part = first / n;
            converter_->encode(c.dst_type, x);
            lane_ops_->narrow_part = -1;
            first == 0 ? lane_ops_->move(out, x) : lane_ops_->op(lane_op::or_bits, out, out, x);
            continue;
        }
        converter_->encode(c.dst_type, x);
        const uint64_t loaded = data_bytes(o, first, n, k_.elem_bytes);
        if (k_.converts.makes_zero_nonzero() && loaded != ir::low_bits(n * k_.elem_bytes)) {
            lane_ops_->width_bytes = n * k_.elem_bytes;
            lane_ops_->keep_bytes(x, x, loaded);
        }
        put_bytes(out, first * k_.elem_bytes, n * k_.elem_bytes, x);
    }
    if (!in_parts) return;
    lane_ops_->width_bytes = k_.vector_bytes;
    lane_ops_->join_parts(out, bytes_of(carrier_) / k_.elem_bytes);
}

void emitter::emit_converting_store(const ir::op &o, int a) {
    const conversion &c = k_.converts;
    const int n = lanes_at_once(), x = converter_regs()[0];
    const int carrier_bytes = n * bytes_of(carrier_);
    const int elem_bytes = std::max(1, c.dst_elem_bits / 8);
    for (int first = 0; first < k_.vector_bytes / k_.elem_bytes; first += n) {
        if (first % 32 == 0 && stores_by_table(first)) {
            emit_store_by_table(o, first, a);
            first += 32 - n;
            continue;
        }
        if (first % (2 * n) == 0 && stores_in_turns(o, first)) {
            emit_store_in_turns(o, first, a);
            first += n;
            continue;
        }
        if (first % 16 == 0 && stores_two(o, first)) {
            emit_store_of_two(o, first, a);
            first += 16 - n;
            continue;
        }
        const ir::op part = lanes_of(o, first, n, c.dst_elem_bits);
        if (part.chunks.moves_nothing()) continue;
        const uint64_t data = data_bytes(o, first, n, elem_bytes);
        if (data == 0) {
            lane_ops_->width_bytes = std::max(16, n * elem_bytes);
            lane_ops_->fill(x, 0, 4);
        } else {
            const int pos = first * k_.elem_bytes;
            lane_ops_->width_bytes = carrier_bytes;
            if (pos == 0)
                converter_->decode(c.src_type, x, a);
            else {
                get_bytes(x, a, pos, n * k_.elem_bytes);
                converter_->decode(c.src_type, x, x);
            }
            if (c.steps) emit_arithmetic(o, first, n, x);
            converter_->encode(c.dst_type, x);
            if (data != ir::low_bits(n * elem_bytes)) {
                lane_ops_->width_bytes = n * elem_bytes;
                lane_ops_->keep_bytes(x, x, data);
            }
        }
        if (c.dst_elem_bits < 8) {
            lane_ops_->width_bytes = n;
            lane_ops_->pack_nibbles(x, x);
        }
        store_memory(part, x, n * c.dst_elem_bits / 8);
    }
}

bool can_convert(data_type_t src, data_type_t dst, const machine &m, std::string *why) {
    const bool narrows_s64 = src == tfmt_s64 && carrier_of(src, dst) == carrier::i64
            && dst != tfmt_s64 && dst != tfmt_boolean;
    if (!narrows_s64 || m.isa > tfmt_cpu_isa_sse41) return true;
    *why = "SSE4.1 does not compare 64-bit integers";
    return false;
}

} // namespace tfmt::cpu::jit
