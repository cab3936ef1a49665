// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"

// Stores of parts of vectors without mask registers, which are an instruction for each 16, 8, 4, 2
// and 1 bytes. In: a block. Out: the same, of which a store that is such a part may write further,
// up to a power of two bytes, where later ones of the block store what comes behind it: of rows of
// 9 bytes side by side all but the last are stored by 16.
namespace tfmt::cpu::ir {

void widen_stores(block &ops);

} // namespace tfmt::cpu::ir
