// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/normalize.hpp"

namespace tfmt::cpu {

// Runs of an odd number of elements side by side, as 3x3 kernels in weights, that stay together on
// one side only: makes one level of such a run and the level behind it, whose steps are at one
// stride on that side and at two on the other. A tile takes as many of them as its run is long, in
// phases, where it took one run and left the other rows empty. False if there are none that are
// worth it: long enough, of few enough phases, and where the other side's run goes on with the
// level behind them, enough of it must be left.
//
// Worked example: cdba -> abcd, u8 256x256x3x3. The destination has 9 bytes of c and d, then b, 256
// times: 144 of them are a level of digits {9, 65536} {16, 256} in the source, {144, 1} in the
// destination, of which a tile takes 16 at once in 9 phases; around it 16 of stride 4096 and 144.
bool join_runs(const move_problem &p, bool of_src, move_problem *joined);

} // namespace tfmt::cpu
