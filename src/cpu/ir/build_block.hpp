// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

namespace tfmt::cpu::ir {

// The straight block that moves one tile in `state`, less what no store needs; empty if there is
// nothing to store. Its constants are added to those of `k`,
// whose n_values reach as far as its own.
block build_block(const plan &p, const nest_state &state, kernel &k);

// gather_stores() (see ir/gather), if blocks of `p` may store whole vectors in place of parts of
// them. Returns how many values the block has then; 0: it stays.
int gather_if_allowed(const plan &p, block &ops, int n_values, kernel &k);

// Up to how many bytes stores of `p` may be widened from (see ir/widen), 0 if none may.
int max_widened_bytes(const plan &p);

} // namespace tfmt::cpu::ir
