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

} // namespace plan_test
