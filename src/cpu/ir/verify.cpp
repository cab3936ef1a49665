// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/data_type.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

// Whether every `unit_bytes` bytes of a mask are set together or not at all.
bool is_of_whole(uint64_t mask, int unit_bytes) {
    const uint64_t unit = (uint64_t(1) << unit_bytes) - 1;
    for (int at = 0; at < 64; at += unit_bytes) {
        const uint64_t bits = mask >> at & unit;
        if (bits != 0 && bits != unit) return false;
    }
    return true;
}

// The width of a lane is that of the type that is on the way.
std::string check_conversion(const kernel &k) {
    const conversion &c = k.converts;
    if (!is_known(c.src_type) || !is_known(c.dst_type)) return "unknown type";
    const auto bits_in_memory = [&](data_type_t type, bool at_load) {
        return c.pairs_rows && c.at_load == at_load ? 2 * bits_of(type) : bits_of(type);
    };
    if (c.src_elem_bits != bits_in_memory(c.src_type, false)
            || c.dst_elem_bits != bits_in_memory(c.dst_type, true))
        return "elements in memory of another width than their type";
    if (c.pairs_rows && bits_of(c.at_load ? c.dst_type : c.src_type) != 4) return "pairs of bytes";
    const int way_bits = c.at_load ? c.dst_elem_bits : c.src_elem_bits;
    if (k.elem_bytes != (way_bits < 8 ? 1 : way_bits / 8)) return "lanes of another width";
    if (c.steps && c.steps.computing_type != computing_type(c.src_type, c.dst_type))
        return "computed in another type";
    if (c.steps.has_sum && (c.at_load || k.scratch_bytes > 0)) return "sum without old values";
    return k.vector_bytes < 16 ? "conversion of a scalar" : "";
}

// What converts finds the parameters of each of its lanes.
std::string check_parameters(const kernel &k, const op &o) {
    const auto &operands = k.converts.steps.operands;
    const bool varies = std::any_of(operands.begin(), operands.end(),
            [](const arithmetic::operand &p) { return p.is_set && !p.is_one_value; });
    const bool has_data = std::any_of(
            o.chunks.begin(), o.chunks.end(), [](const chunk &c) { return c.data != 0; });
    if (!varies || !has_data) return "";
    if (int(k.lane_param_offset_bytes.size()) != k.vector_bytes / k.elem_bytes)
        return "lanes without parameters";
    const int value_bytes = bits_of(k.converts.steps.computing_type) / 8;
    for (int64_t offset : k.lane_param_offset_bytes)
        if (offset < 0 || offset % value_bytes != 0) return "parts of parameters";
    if (k.converts.row_param_bytes % value_bytes != 0) return "parts of parameters";
    return o.param_offset_bytes % value_bytes != 0 ? "parts of parameters" : "";
}

// In lanes; pairs of 4-bit elements come and go as bytes.
std::string check_lanes(const kernel &k, const op &o) {
    if (o.unit_bytes % k.elem_bytes != 0) return "chunk of parts of elements";
    const bool has_pairs = memory_elem_bits(k, o.kind) < 8;
    if (has_pairs && o.unit_bytes % 2 != 0) return "chunk of half a pair";
    const bool converts = k.converts && k.converts.at_load != (o.kind == op_kind::store);
    for (const chunk &c : o.chunks) {
        if (!is_of_whole(c.mask, k.elem_bytes)) return "mask of parts of elements";
        if (has_pairs && !is_of_whole(c.mask, 2)) return "mask of half a pair";
        if (!converts) continue;
        if (c.data & ~c.mask) return "data beyond its mask";
        if (!is_of_whole(c.data, k.elem_bytes)) return "data of parts of elements";
        if (o.kind == op_kind::load && c.data != c.mask) return "load of padding";
    }
    return converts ? check_parameters(k, o) : "";
}

std::string check_chunks(const kernel &k, const op &o) {
    if (o.unit_bytes < 1 || int(o.chunks.size()) * o.unit_bytes != k.vector_bytes)
        return "chunks do not fill the vector";
    for (const chunk &c : o.chunks)
        if (o.unit_bytes < 64 && c.mask >> o.unit_bytes) return "mask beyond its chunk";
    return k.elem_bytes > 0 ? check_lanes(k, o) : "";
}

bool streams_vectors(const kernel &k) { return k.is_streaming && k.scratch_bytes == 0; }

// Whole vectors that bypass the caches go to multiples of their width; processors take no others.
// (How wide those are that stores convert is the emitters' choice.)
bool is_unaligned(const kernel &k, const op &store) {
    if (!streams_vectors(k) || (k.converts && !k.converts.at_load)) return false;
    const bool is_whole = store.chunks.size() == 1
            && store.chunks[0].mask == low_bits(k.vector_bytes);
    return is_whole && store.chunks[0].offset_bytes % k.vector_bytes != 0;
}

std::string check_shuffle(const kernel &k, const op &o) {
    if (k.vector_bytes < 16) return "shuffle of a scalar";
    if (o.kind == op_kind::merge) return "";
    if (o.constant >= int(k.constants.size())) return "unknown constant";
    const byte_indices indices = indices_of(k, o);
    const int limit = o.b >= 0 ? 2 * k.vector_bytes : k.vector_bytes;
    const int lane_bytes = std::max(1, k.elem_bytes);
    for (int i = 0; i < k.vector_bytes; i++) {
        if (o.kind == op_kind::within16 && indices[i - i % lane_bytes] == zero_index) {
            if (indices[i] != zero_index) return "shuffle of parts of elements";
            continue;
        }
        if (indices[i] >= limit) return "index beyond the sources";
        if (o.kind == op_kind::within16 && indices[i] / 16 != i / 16)
            return "within16 crosses 16 bytes";
        const int first = indices[i - i % lane_bytes];
        if (first % lane_bytes != 0 || indices[i] != first + i % lane_bytes)
            return "shuffle of parts of elements";
    }
    return "";
}

std::string check_block(const kernel &k, const block &ops) {
    std::vector<bool> defined(size_t(k.n_values), false);
    for (const op &o : ops) {
        for (int v : {o.a, o.b})
            if (v >= k.n_values || (v >= 0 && !defined[v])) return "use before definition";
        if (o.kind == op_kind::prefetch) {
            if (o.chunks.empty()) return "prefetch of no line";
            continue;
        }
        const bool is_store = o.kind == op_kind::store;
        const bool has_sources = o.kind != op_kind::zero && o.kind != op_kind::load;
        if (has_sources && o.a < 0) return "missing source";
        const bool has_two = o.kind == op_kind::unpack || o.kind == op_kind::lanes128
                || o.kind == op_kind::permute2 || o.kind == op_kind::merge;
        if (has_two != (o.b >= 0)) return "wrong number of sources";
        if (!is_store) {
            if (o.out < 0 || o.out >= k.n_values) return "result out of range";
            if (defined[o.out]) return "value defined twice";
            defined[o.out] = true;
        }
        std::string why;
        if (is_store || o.kind == op_kind::load)
            why = check_chunks(k, o);
        else if (has_sources)
            why = check_shuffle(k, o);
        if (!why.empty()) return why;
        if (is_store && is_unaligned(k, o)) return "unaligned store past the caches";
    }
    return "";
}

std::string check_nodes(const kernel &k, const std::vector<nest_node> &nodes);

std::string check_step(const kernel &k, const nest_node &n) {
    if (n.block >= 0 || n.count != 1) return "step with a block's or a loop's parts";
    if (n.step == nest_step::fetch_page) return "";
    if (k.scratch_bytes <= 0) return "scratch step of no scratch";
    if (n.step == nest_step::fill || n.step == nest_step::drain_lanes)
        return check_nodes(k, n.children);
    if (n.drain < 0 || n.drain >= int(k.drains.size())) return "unknown drain";
    for (const scratch_runs &r : k.drains[size_t(n.drain)].runs) {
        if (k.piece_step_bytes != 0 && r.bytes % tuning::line_bytes != 0) return "part of a line";
        const int64_t run_bytes = k.piece_step_bytes == 0
                ? r.bytes
                : (r.bytes / lane_bytes - 1) * k.piece_step_bytes + lane_bytes;
        const int64_t last = r.scratch_offset_bytes + (r.count - 1) * r.scratch_step_bytes;
        if (r.bytes < 1 || r.count < 1
                || std::min(r.scratch_offset_bytes, last) < tuning::line_bytes
                || std::max(r.scratch_offset_bytes, last) + run_bytes > k.scratch_bytes)
            return "run outside of the scratch";
    }
    return "";
}

std::string check_nodes(const kernel &k, const std::vector<nest_node> &nodes) {
    for (const nest_node &n : nodes) {
        if (n.step != nest_step::none) {
            const std::string why = check_step(k, n);
            if (!why.empty()) return why;
            continue;
        }
        if (n.count < 1) return "loop without iterations";
        if (streams_vectors(k)
                && (n.dst_offset_bytes % k.vector_bytes || n.dst_step_bytes % k.vector_bytes))
            return "unaligned step past the caches";
        if (n.block >= int(k.blocks.size())) return "unknown block";
        if (n.block >= 0 && (!n.children.empty() || n.count != 1))
            return "block with a loop's parts";
        if (n.block < 0 && n.children.empty()) return "empty loop";
        const std::string why = check_nodes(k, n.children);
        if (!why.empty()) return why;
    }
    return "";
}

std::string check_chain(const kernel &k) {
    if (k.chain.drain >= int(k.drains.size())) return "unknown drain";
    if (!k.drains[size_t(k.chain.drain)].is_chained) return "chain of a drain alone";
    if (std::none_of(k.root.begin(), k.root.end(), [&](const nest_node &n) {
            return n.step == nest_step::drain && n.drain == k.chain.drain;
        }))
        return "chain without links";
    const bool has_end = k.rest.empty() || k.rest.back().step == nest_step::end_rows;
    return has_end ? "" : "chain without an end";
}

} // namespace

std::string verify(const kernel &k) {
    const int v = k.vector_bytes;
    if (v < 1 || v > 64 || (v & (v - 1))) return "vector width";
    // Kernels that only move bytes need not say how many make an element.
    const int elem = k.elem_bytes;
    if (elem < 0 || elem > std::min(v, max_elem_bytes) || (elem & (elem - 1))) return "lane width";
    if (k.converts) {
        const std::string wrong = check_conversion(k);
        if (!wrong.empty()) return wrong;
    }
    if (streams_vectors(k) && k.dst_step_bytes % v) return "unaligned step past the caches";
    for (const block &ops : k.blocks) {
        const std::string why = check_block(k, ops);
        if (!why.empty()) return why;
    }
    for (const line_rows &r : k.fetched_lines)
        if (r.n_rows < 1 || r.n_lines < 1) return "row of no lines";
    if (k.chain) {
        const std::string wrong = check_chain(k);
        if (!wrong.empty()) return wrong;
    }
    const std::string why = check_nodes(k, k.root);
    return why.empty() ? check_nodes(k, k.rest) : why;
}

} // namespace tfmt::cpu::ir
