// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

namespace tfmt::cpu::ir {

// The straight block that moves one tile in `state`, less what no store needs; empty if there is
// nothing to store. Its constants are added to those of `k`,
// whose n_values reach as far as its own.
block build_block(const plan &p, const nest_state &state, kernel &k);

// In how many registers blocks of `p` may store whole vectors in place of parts of them (see
// ir/gather), 0 if they may not.
int max_gather_regs(const plan &p);

// Up to how many bytes stores of `p` may be widened from (see ir/widen), 0 if none may.
int max_widened_bytes(const plan &p);

} // namespace tfmt::cpu::ir
