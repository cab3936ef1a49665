// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

// The order of stores that bypass the caches. In: a block. Out: the same with the stores of each
// line one behind the other, by their addresses, where the last of them was.
namespace tfmt::cpu::ir {

// Past the caches a line waits in one of a few buffers until it is complete; those that stores come
// back to are sent in parts.
//     Zen 1, as the registers are numbered / so, in one run: of 1700 reorders the 60 of more than 2
//     MiB that it changes on SSE4.1 0.87 of the time (f32 acdb -> ABcd8a2b 1x32x112x112 4.4 / 0.5
//     times memcpy, whose lines are at one offset of pages), 125 on AVX2 0.89 (f32 abcd ->
//     ABcd40a16b 4x256x14x14 1.2 / 0.5). Stores into the caches, 540 and more on either, 1.00.
void order_stores_by_lines(block &ops);

// Marks the stores to lines of which the block does not store all: these stay in the caches.
// `widening`: bytes of the destination for one of a value.
void keep_lines_in_part(block &ops, int widening);

} // namespace tfmt::cpu::ir
