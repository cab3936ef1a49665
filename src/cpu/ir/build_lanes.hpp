// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"
#include "cpu/plan/staging.hpp"

namespace tfmt::cpu::ir {

// The loops that read a scratch of whole vectors (plan/lane_drain.hpp) and store to the rows of
// their lanes. Its block is appended to those of `k`.
nest_node drain_of_lanes(const lane_staging &lanes, kernel &k);

// The same as runs of pieces (kernel::piece_step_bytes), one row behind the other.
std::vector<scratch_runs> runs_of_lanes(const lane_staging &lanes);

} // namespace tfmt::cpu::ir
