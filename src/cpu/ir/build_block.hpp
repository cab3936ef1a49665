// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

namespace tfmt::cpu::ir {

// The straight block that moves one tile in `state`, less what no store needs; empty if there is
// nothing to store. Its constants are added to those of `k`,
// whose n_values reach as far as its own.
block build_block(const plan &p, const nest_state &state, kernel &k);

} // namespace tfmt::cpu::ir
