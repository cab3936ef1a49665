// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

// Whole vectors of the destination where a block stores parts of them, for machines without masks
// and without permutations of two registers.
namespace tfmt::cpu::ir {

// To the stages of a tile 9 rows of 16 bytes become 16 vectors of which 9 bytes each are stored,
// one over the end of the other. In: a block that stores parts of 16 bytes. Out: one that stores
// the same bytes in whole ones, if that costs less. Each is gathered from the values, loaded or
// between any two stages, that have most of it: a byte shuffle of each, which leaves zeros in place
// of the rest, and merges. Values that nothing needs then are gone: of 9 rows 8 are exchanged, and
// the ninth goes from its load to where it belongs.
//     Tails whose elements are loaded one by one take no shuffles: each goes to its place at once.
//     All that happens in the first 16 bytes of vectors happens in the others; blocks where it
// does not stay as they are, and those that would take more than `n_regs` registers. Returns how
// many values the block has then; 0: it stays.
int gather_stores(block &ops, int n_values, int elem_bytes, int n_regs, kernel &k);

} // namespace tfmt::cpu::ir
