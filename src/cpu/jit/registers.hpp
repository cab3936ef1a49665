// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/ir/ir.hpp"

// Which register each value of a block is in. In: a block and a number of registers. Out: the
// operations in the order that takes fewest, the registers of each, and which values wait on the
// stack meanwhile.
namespace tfmt::cpu::jit {

struct placed_op {
    int index;        // in the block
    int8_t out, a, b; // registers, -1: none
};

// Before ops[before] a register's value goes to a place on the stack, or comes back from there.
struct spill {
    int before;
    int8_t reg, place;
    bool is_reload;
};

struct block_registers {
    std::vector<placed_op> ops;
    std::vector<spill> spills; // first to last
};

struct register_file {
    int n_regs;
    int n_places; // on the stack
    // Whether a result may take the register of its second source, where that is used no more; it
    // may take that of the first.
    bool may_reuse_b;
};

// Where there are more values than registers, the ones that are used last wait on the stack, unless
// there are fewer of these, or none, when operations wait until a store needs them.
block_registers allocate_registers(const ir::block &ops, int n_values, const register_file &file);

} // namespace tfmt::cpu::jit
