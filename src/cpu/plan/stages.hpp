// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cpu/plan/tile.hpp"

// How a tile gets from the order of its loads to the order of its stores: a sequence of stages,
// each of which exchanges one register bit with one lane bit (one two-source shuffle a register) or
// reorders the lane bits (one single-source permute a register).
//
// In: a tile. Out: which tile bit each lane holds after loading, the stages, the cost. It knows no
// registers and no instructions' encodings, only which bit moves a shuffle can make on which
// machine.
//
// Worked example, f32 4x4 on SSE4.1: lanes hold (s0 s1), registers (d0 d1). unpack of 4-byte units
// with registers that differ in d0: lanes become (d0 s0), s1 leaves. unpack of 8 bytes with d1: (d0
// d1), s0 leaves. Two stages, the transpose is done.
namespace tfmt::cpu {

enum class stage_kind {
    unpack,   // interleave units of `unit_bytes` within each 16 bytes: a register bit enters there
    halves,   // vector of 32: 16-byte halves of two registers
    quarters, // vector of 64: 16-byte lanes 0,1 of two registers (then 2,3): exchanges the top lane
              // bit
    alternate, // vector of 64: 16-byte lanes 0,2 of two registers (then 1,3)
    within16,  // any order of the lane bits below 16 bytes
    quads,     // any order of the lane bits from 8 bytes up
    dwords,    // any order of the lane bits from 4 bytes up
    permute,   // any order of all lane bits
    permute2   // exchange and any order
};

struct stage {
    stage_kind kind;
    int entering;      // tile bit that enters from the registers; -1: none (single-source stages)
    int unit_bytes;    // unpack only
    bit_indices lanes; // tile bit of each lane position afterwards, lowest first
};

struct schedule {
    int load_run_bits;      // a load fills 2^n neighbouring lanes
    bit_indices load_lanes; // tile bit of each lane position after loading
    std::vector<stage> stages;
    float cost; // in cheap shuffles a register that is stored
};

// The cheapest schedule. Where permutes may stand between exchanges (no two-source permutes), the
// cheapest in which no bit that has arrived leaves again. Always found for a valid tile.
schedule search_schedule(const tile &t, const machine &m);

// The same, from what was searched before, if it was: a function of its arguments still.
schedule find_schedule(const tile &t, const machine &m);

std::string to_text(const schedule &s);

} // namespace tfmt::cpu
