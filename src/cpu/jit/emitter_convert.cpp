// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/jit/compile.hpp"
#include "cpu/jit/emitter.hpp"
#include "cpu/jit/float_format.hpp"

// Loads and stores between memory and values whose lanes are not the same: 4-bit elements are
// unpacked and packed, and one of the two sides converts, some lanes at a time.
namespace tfmt::cpu::jit {

void emitter::prepare_conversion() {
    if (!k_.converts) return;
    lane_ops_ = make_lane_ops();
    const auto regs = converter_regs();
    std::array<int, n_converter_temps> temps {};
    std::copy(regs.begin() + 1, regs.end(), temps.begin());
    carrier_ = carrier_of(k_.converts, lane_ops_->has_f16_arithmetic());
    converter_ = std::make_unique<converter>(*lane_ops_, carrier_, temps);
    converter_->add_when_decoding(k_.converts.steps.operands[src_zero_point].added);
    const bool fills_vectors = k_.converts.at_load && !k_.converts.is_identity()
            && k_.elem_bytes == 1 && lanes_at_once() * bytes_of(carrier_) == k_.vector_bytes;
    packs_loads_ = fills_vectors && converter_->packs(k_.converts.src_type, k_.converts.dst_type);
    joins_loads_ = fills_vectors && converter_->leaves_low_bytes(k_.converts.dst_type)
            && lane_ops_->joins_words() && !k_.converts.makes_zero_nonzero();
    joins_stores_ = can_join_stores();
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
    if (k_.converts.at_load && k_.converts.pairs_rows) return emit_load_of_rows(o, out);
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
    if (!k_.converts.at_load && k_.converts.pairs_rows) return emit_store_of_rows(o, a);
    if (!k_.converts.at_load && !k_.converts.is_identity()) return emit_converting_store(o, a);
    if (k_.converts.dst_elem_bits >= 8) return emit_store(o, a);
    const int part = converter_regs()[0];
    lane_ops_->width_bytes = k_.vector_bytes;
    if (joins_stores_) {
        lane_ops_->move(part, a);
        lane_ops_->join_parts(part, n_packed_parts());
    }
    lane_ops_->pack_nibbles(part, joins_stores_ ? part : a);
    store_memory(lanes_of(o, 0, n_lanes, 4), part, n_lanes / 2);
}

namespace {

bool is_one_whole_chunk(const ir::op &o) {
    return o.chunks.size() == 1 && o.chunks[0].mask == ir::low_bits(o.unit_bytes);
}

} // namespace

// Whether values stay as pack_bytes leaves them until two of them are stored together: nothing is
// done to them in between. bf16 to u4 in rows with groups takes 0.93 of the time so on AVX-512.
bool emitter::can_join_stores() const {
    if (!packs_loads_ || k_.converts.pairs_rows || k_.converts.dst_elem_bits != 4) return false;
    if (!lane_ops_->packs_nibbles_of_two() || streams_vectors()) return false;
    for (const ir::block &ops : k_.blocks)
        for (const ir::op &o : ops) {
            const bool is_load = o.kind == ir::op_kind::load;
            if (is_load ? has_padding(o) : o.kind > ir::op_kind::store) return false;
        }
    return true;
}

// Whether `next` stores what is behind it in memory.
bool emitter::joins_with(const ir::op &o, const ir::op &next) const {
    return joins_stores_ && next.kind == ir::op_kind::store && is_one_whole_chunk(o)
            && is_one_whole_chunk(next)
            && next.chunks[0].offset_bytes - o.chunks[0].offset_bytes == k_.vector_bytes / 2;
}

void emitter::emit_joined_store(const ir::op &o, int a, int b) {
    const auto regs = converter_regs();
    ir::op both(o.kind);
    both.unit_bytes = k_.vector_bytes;
    both.chunks.push_back({o.chunks[0].offset_bytes, ir::low_bits(k_.vector_bytes)});
    lane_ops_->width_bytes = k_.vector_bytes;
    lane_ops_->pack_nibbles_of_two(regs[0], a, b, regs[1], n_packed_parts());
    store_memory(both, regs[0], k_.vector_bytes);
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
    return packs_loads_ && k_.converts.steps.grid != 0
            && converter_->takes_grid(k_.converts.dst_type);
}

bool emitter::packs_by_bf16() const {
    return leaves_grid() && converter_->packs_by_bf16(k_.converts.steps.grid);
}

// Whether all that is computed with the lanes of a vector leaves the parameters in their registers.
bool emitter::keeps_parameters() const {
    return packs_by_bf16() && converter_->decodes_without_temps(k_.converts.src_type);
}

// Parts that the bytes of packed registers lie in.
int emitter::n_packed_parts() const { return packs_by_bf16() ? 2 : 4; }

// What emit_packing_loads leaves, as elements in order.
void emitter::emit_packed_order(const ir::op &o, int x) {
    lane_ops_->width_bytes = k_.vector_bytes;
    lane_ops_->join_parts(x, n_packed_parts());
    if (has_padding(o)) lane_ops_->keep_bytes(x, x, data_bytes(o, 0, k_.vector_bytes, 1));
}

// Of the bytes of a load, those that have to be made zero.
bool emitter::has_padding(const ir::op &o) const {
    return k_.converts.makes_zero_nonzero()
            && data_bytes(o, 0, k_.vector_bytes, 1) != ir::low_bits(k_.vector_bytes);
}

// A row of lanes that become bytes in parts, with bits above those of 4.
struct emitter::packed_row {
    ir::op o;
    int out;
    int other; // for the second half
};

void emitter::emit_packing_loads(std::initializer_list<packed_row> rows) {
    keeps_parameters_ = keeps_parameters();
    for (int pair : {0, 1})
        for (int half : {0, 1})
            for (const packed_row &r : rows)
                emit_quarter(r, pair, half);
    keeps_parameters_ = false;
    held_ = {};
    for (const packed_row &r : rows) {
        converter_->pack_bytes(k_.converts.dst_type, r.out, r.out, r.other, packs_by_bf16());
        converter_->finish_packed(k_.converts.dst_type, r.out, packs_by_bf16());
    }
}

// Behind the second half of a pair words of both.
void emitter::emit_quarter(const packed_row &r, int pair, int half) {
    const data_type_t type = k_.converts.dst_type;
    const float grid = leaves_grid() ? k_.converts.steps.grid : 0;
    const int n = lanes_at_once(), first = (2 * pair + half) * n, x = converter_regs()[0];
    const int packed = pair == 0 ? r.out : r.other, lanes = half == 0 ? packed : x;
    const ir::op part = lanes_of(r.o, first, n, k_.converts.src_elem_bits);
    lane_ops_->width_bytes = k_.vector_bytes;
    if (part.chunks.moves_nothing()) {
        lane_ops_->fill(lanes, packs_by_bf16() ? f32_bits(grid) : 0, 4);
    } else {
        convert_loaded(r.o, part, first, n, lanes);
        if (!packs_by_bf16()) converter_->encode_lanes(type, lanes, grid);
    }
    if (half == 0) return;
    if (packs_by_bf16()) return converter_->pack_by_bf16(type, packed, x, grid);
    lane_ops_->pack_words(packed, packed, x);
    converter_->finish_words(packed, grid);
}

// Whether two rows are computed with parameters that are loaded once: no other registers are left
// for lanes of the second one than those that parameters out of order take. bf16 to s4 with groups,
// ab to ba and to BA16a64b2a, takes 0.92 of the time. In rows that stay rows tiles of two would
// have to be made for it: 0.96, which was not worth a rule.
bool emitter::shares_parameters() const {
    const int n = lanes_at_once();
    if (!keeps_parameters() || k_.converts.row_param_bytes != 0) return false;
    for (int first = 0; first < k_.vector_bytes; first += n)
        if (needs_pick(first, n)) return false;
    return true;
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
    if (packs_loads_) {
        emit_packing_loads({{o, out, converter_regs().back()}});
        if (k_.converts.dst_type == tfmt_s4 && !packs_by_bf16())
            lane_ops_->op_with(lane_op::and_bits, out, out, 0x0f0f0f0f);
        if (!joins_stores_) emit_packed_order(o, out);
        return;
    }
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

ir::op emitter::second_row(const ir::op &o) const {
    ir::op second = o;
    second.param_offset_bytes += k_.converts.row_param_bytes;
    for (ir::chunk &c : second.chunks)
        c.offset_bytes += k_.converts.row_bytes;
    return second;
}

// Bytes of pairs: the first row's elements in the low halves, the second row's in the high ones.
void emitter::emit_load_of_rows(const ir::op &o, int out) {
    if (packs_loads_) {
        const auto regs = converter_regs();
        const packed_row one {o, out, regs[4]};
        if (shares_parameters()) {
            emit_packing_loads({one, {second_row(o), extra_reg(), regs[3]}});
        } else {
            emit_packing_loads({one});
            emit_packing_loads({{second_row(o), extra_reg(), regs[4]}});
        }
        lane_ops_->width_bytes = k_.vector_bytes;
        lane_ops_->shift(lane_shift::left_16, extra_reg(), extra_reg(), 4);
        lane_ops_->take_masked(out, out, extra_reg(), 0xf0f0f0f0);
        return emit_packed_order(o, out);
    }
    emit_converting_load(o, out);
    emit_converting_load(second_row(o), extra_reg());
    lane_ops_->width_bytes = k_.vector_bytes;
    lane_ops_->shift(lane_shift::left_16, extra_reg(), extra_reg(), 4);
    lane_ops_->op(lane_op::or_bits, out, out, extra_reg());
}

void emitter::emit_store_of_rows(const ir::op &o, int a) {
    const int half = extra_reg();
    for (bool is_second : {false, true}) {
        lane_ops_->width_bytes = k_.vector_bytes;
        if (is_second) lane_ops_->shift(lane_shift::right_16, half, a, 4);
        lane_ops_->op_with(lane_op::and_bits, half, is_second ? half : a, 0x0f0f0f0f);
        emit_converting_store(is_second ? second_row(o) : o, half);
    }
}

bool can_convert(data_type_t src, data_type_t dst, const machine &m, std::string *why) {
    const bool narrows_s64 = src == tfmt_s64 && carrier_of(src, dst, false) == carrier::i64
            && dst != tfmt_s64 && dst != tfmt_boolean;
    if (!narrows_s64 || m.isa > tfmt_cpu_isa_sse41) return true;
    *why = "SSE4.1 does not compare 64-bit integers";
    return false;
}

} // namespace tfmt::cpu::jit
