// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// A bound for the search of stages, from a problem small enough to be solved whole: what a schedule
// costs at least if it only matters in which lane positions bits of the destination run are, not
// which bits.
//
// In: what loads bring, which exchanges and permutes there are. Out: the least cost from a load to
// each of the (at most 64) sets of positions. Every schedule is one of this problem too, so no
// state of the search costs less than its set.
namespace tfmt::cpu {

struct pattern_problem {
    int n;             // lane bits
    int elem_log2;     // bytes of an element
    int vector_bytes;  // 16..64
    uint32_t run;      // positions that the source run fills
    uint32_t run_held; // those of them with a bit of the destination run
    int n_loaded;      // bits of the destination run in the lanes after loading
    int n_needed;      // bits of the destination run
    int n_others;      // other bits of the tile
    bool may_return;   // bits of the destination run may leave, to enter again
    bool has_reorders; // within16, quads and dwords between exchanges
};

using pattern_costs = std::array<float, 64>;

pattern_costs least_costs(const pattern_problem &p);

} // namespace tfmt::cpu
