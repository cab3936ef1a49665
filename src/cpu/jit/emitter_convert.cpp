// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
    converter_ = std::make_unique<converter>(
            *lane_ops_, carrier_of(k_.converts.src_type, k_.converts.dst_type), temps);
}

// Lanes of a value that are converted at once.
int emitter::lanes_at_once() const {
    const carrier c = carrier_of(k_.converts.src_type, k_.converts.dst_type);
    return std::min(k_.vector_bytes / k_.elem_bytes, max_vector_bytes() / bytes_of(c));
}

// Lanes [first, first + n) of a load or store as an operation on memory with elements of
// `elem_bits`.
ir::op emitter::lanes_of(const ir::op &o, int first, int n, int elem_bits) const {
    const int chunk_lanes = o.unit_bytes / k_.elem_bytes;
    ir::op part(o.kind);
    part.unit_bytes = std::min(n, chunk_lanes) * elem_bits / 8;
    for (int lane = first; lane < first + n; lane += chunk_lanes) {
        const ir::chunk &c = o.chunks[size_t(lane / chunk_lanes)];
        const int begin = lane % chunk_lanes;
        ir::chunk at {c.offset_bytes + begin * elem_bits / 8, 0};
        for (int i = 0; i < std::min(n, chunk_lanes); i++)
            if (c.mask >> (begin + i) * k_.elem_bytes & 1)
                for (int bit = i * elem_bits; bit < (i + 1) * elem_bits; bit += 4)
                    at.mask |= uint64_t(1) << bit / 8;
        part.chunks.push_back(at);
    }
    return part;
}

// Of the packed elements that lanes [first, first + n) become: the bytes of those that are not
// padding.
uint64_t emitter::data_bytes(const ir::op &o, int first, int n, int elem_bytes) const {
    const int chunk_lanes = o.unit_bytes / k_.elem_bytes;
    uint64_t bytes = 0;
    for (int i = 0; i < n; i++) {
        const ir::chunk &c = o.chunks[size_t((first + i) / chunk_lanes)];
        if (c.data >> (first + i) % chunk_lanes * k_.elem_bytes & 1)
            for (int byte = i * elem_bytes; byte < (i + 1) * elem_bytes; byte++)
                bytes |= uint64_t(1) << byte;
    }
    return bytes;
}

namespace {

bool is_empty(const ir::op &o) {
    return std::all_of(
            o.chunks.begin(), o.chunks.end(), [](const ir::chunk &c) { return c.mask == 0; });
}

uint64_t low_bits(int n) { return n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1; }

} // namespace

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

void emitter::emit_converting_load(const ir::op &o, int out) {
    const conversion &c = k_.converts;
    const int n = lanes_at_once(), x = converter_regs()[0];
    const int carrier_bytes = n * bytes_of(carrier_of(c.src_type, c.dst_type));
    for (int first = 0; first < k_.vector_bytes / k_.elem_bytes; first += n) {
        const ir::op part = lanes_of(o, first, n, c.src_elem_bits);
        if (is_empty(part)) {
            if (first == 0) emit_zero(out);
            continue;
        }
        load_memory(part, x, n * c.src_elem_bits / 8);
        if (c.src_elem_bits < 8) {
            lane_ops_->width_bytes = n;
            lane_ops_->unpack_nibbles(x, x);
        }
        lane_ops_->width_bytes = carrier_bytes;
        converter_->decode(c.src_type, x, x);
        converter_->encode(c.dst_type, x);
        const uint64_t loaded = data_bytes(o, first, n, k_.elem_bytes);
        if (k_.converts.makes_zero_nonzero() && loaded != low_bits(n * k_.elem_bytes)) {
            lane_ops_->width_bytes = n * k_.elem_bytes;
            lane_ops_->keep_bytes(x, x, loaded);
        }
        put_bytes(out, first * k_.elem_bytes, n * k_.elem_bytes, x);
    }
}

void emitter::emit_converting_store(const ir::op &o, int a) {
    const conversion &c = k_.converts;
    const int n = lanes_at_once(), x = converter_regs()[0];
    const int carrier_bytes = n * bytes_of(carrier_of(c.src_type, c.dst_type));
    const int elem_bytes = std::max(1, c.dst_elem_bits / 8);
    for (int first = 0; first < k_.vector_bytes / k_.elem_bytes; first += n) {
        const ir::op part = lanes_of(o, first, n, c.dst_elem_bits);
        if (is_empty(part)) continue;
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
            converter_->encode(c.dst_type, x);
            if (data != low_bits(n * elem_bytes)) {
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
