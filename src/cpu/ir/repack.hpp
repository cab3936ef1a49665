// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

// Blocks whose tiles have lanes that do not exist, of packed runs (see tile::src_run) or of tails,
// or store parts of vectors where whole ones are to go past the caches, for machines that have any
// permutation of two registers in one instruction. In: a block of loads, shuffles and stores of
// whole elements. Out: one that moves the same ones in whole vectors of memory, if that costs less.
namespace tfmt::cpu::ir {

// To the stages of a tile 3 channels of 16 pixels are four registers of 16 lanes, of which a fourth
// do not exist; to memory they are three vectors. So each vector of the destination is gathered
// from those of the source that it has elements of, by one permute for each but the first: 3 loads,
// 6 permutes and 3 stores, in place of 3 loads, 4 shuffles, 8 permutes and 4 stores in part.
//     `always`: whatever it costs. Constants of `k` from `n_kept_constants` on are the block's own
// and replaced by those of the new one. Returns how many values that has, in place of `n_values`;
// 0: the block stays as it is.
int repack(
        block &ops, int n_values, int elem_bytes, bool always, size_t n_kept_constants, kernel &k);

} // namespace tfmt::cpu::ir
