// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/runs.hpp"
#include "cpu/plan/stages.hpp"
#include "cpu/plan/tile.hpp"

// How long tiles take to compute, as far as one may be compared with another of the same move whose
// vectors have another length, where the core executes vectors of 64 bytes as two of 32: in
// unpacks of 32 bytes.
namespace tfmt::cpu {

// `levels`: those outside of the tile.
double tile_cost(const tile &t, const schedule &s, const std::vector<level> &levels);

} // namespace tfmt::cpu
