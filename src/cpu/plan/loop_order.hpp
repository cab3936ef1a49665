// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/tile.hpp"

// In which order the levels around a tile are visited. In: the levels without the tile's bits, in
// any order. Out: the same levels, outer to inner, some of them cut in two (an outer level of
// blocks, an inner one within the block). A pure function; the memory pattern of a reorder is
// decided here and nowhere else.
namespace tfmt::cpu {

void order_levels(std::vector<level> &levels, const tile &t, const machine &m, dim_t moved_bytes);

} // namespace tfmt::cpu
