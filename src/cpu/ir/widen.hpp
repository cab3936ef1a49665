// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/ir/ir.hpp"

// Loads and stores of parts of vectors, which without mask registers (and of chunks below 16 bytes
// with them) are an instruction or two for each 16, 8, 4, 2 and 1 bytes. In: a block. Out: the same
// with masks that are a beginning of a chunk widened to a power of two bytes where that does no
// harm.
namespace tfmt::cpu::ir {

// The bytes that take part if these are a beginning of the chunk, else 0.
inline int prefix_bytes(uint64_t mask) {
    const int n = __builtin_popcountll(mask);
    return mask == low_bits(n) ? n : 0;
}

// Whether they are one that takes more than one instruction.
inline bool is_in_parts(uint64_t mask) { return !is_pow2(prefix_bytes(mask)); }

// Stores may write further where later ones of the block store what comes behind: of rows of 9
// bytes side by side all but the last are stored by 16. If any is in parts, all come behind the
// other operations and by their addresses; so no load may depend on one. Beginnings of more than
// `max_bytes` stay.
void widen_stores(block &ops, int max_bytes);

// The same for stores in the order that they have. Returns whether any reaches further then.
bool widen_stores_in_order(block &ops, int max_bytes);

// The loads at `free` may read further, if these bytes are read as well or lie between two that
// are; where the source has gaps, less than a page apart, so in a page of one of them. `free`:
// indices of loads of which nothing is wanted, not even zeros, beyond their masks; the others are
// read, too.
//     Zen 1, time over memcpy, less than a page apart whatever the source / so, of 5100 reorders on
//     AVX2 116, by size 1.62 1.89 1.15 0.89 / 1.59 1.81 1.12 0.89, on SSE4.1 86 1.63 1.86 1.21 0.96
//     / 1.60 1.80 1.16 0.91 (u8 acbd -> abcd 2x960x7x7 4.0 / 3.6).
void widen_loads(block &ops, const std::vector<size_t> &free, bool has_gaps);

} // namespace tfmt::cpu::ir
