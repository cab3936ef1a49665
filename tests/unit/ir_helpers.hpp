// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "cpu/ir/ir.hpp"

// Pieces of kernels made by hand.
namespace plan_test {

inline tfmt::cpu::ir::nest_node make_loop(int64_t count, int64_t src_step, int64_t dst_step,
        std::vector<tfmt::cpu::ir::nest_node> children) {
    tfmt::cpu::ir::nest_node n;
    n.count = count;
    n.src_step_bytes = src_step;
    n.dst_step_bytes = dst_step;
    n.children = std::move(children);
    return n;
}

inline tfmt::cpu::ir::op make_load(
        int out, int unit_bytes, const tfmt::cpu::ir::chunk_list &chunks) {
    tfmt::cpu::ir::op o(tfmt::cpu::ir::op_kind::load);
    o.out = out;
    o.unit_bytes = unit_bytes;
    o.chunks = chunks;
    return o;
}

inline tfmt::cpu::ir::op make_store(
        int a, int unit_bytes, const tfmt::cpu::ir::chunk_list &chunks) {
    tfmt::cpu::ir::op o(tfmt::cpu::ir::op_kind::store);
    o.a = a;
    o.unit_bytes = unit_bytes;
    o.chunks = chunks;
    return o;
}

inline tfmt::cpu::ir::nest_node make_block(
        int index, int64_t src_offset = 0, int64_t dst_offset = 0) {
    tfmt::cpu::ir::nest_node n;
    n.block = index;
    n.src_offset_bytes = src_offset;
    n.dst_offset_bytes = dst_offset;
    return n;
}

} // namespace plan_test
