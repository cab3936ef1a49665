// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/staging.hpp"
#include "cpu/plan/tile.hpp"

// A scratch of whole vectors, of which each 16 bytes belong to another row of the destination. The
// tiles exchange elements within 16 bytes alone and store whole vectors; what is read from there
// exchanges pieces of 16 bytes and stores whole vectors of each row. Else tiles would store pieces
// of 16 bytes, and each would take an instruction to leave the vector and one to be stored.
//
// Worked example: u8 ab -> ba of 2048 x 2048, vectors of 64 bytes, block of 256 a x 128 b. A tile
// reads 16 a x 64 b; each of its 16 vectors has 16 a of 4 b, which lie 16 b apart. Scratch: rows of
// 16 vectors, 256 a of these 4 b. A row is read at once and becomes 256 bytes of 4 rows of the
// destination.
namespace tfmt::cpu {

// The staging of a block of `order` that is drained so; none where tiles have no such vectors, or
// where there are parts of blocks or of vectors. `is_staged`: lines of the destination go past the
// caches, one row behind the other, and what the next block reads is fetched meanwhile.
staging make_lane_staging(
        const move_problem &p, const tile &t, const loop_order &order, bool is_staged);

} // namespace tfmt::cpu
