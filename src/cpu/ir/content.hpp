// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/inline_vector.hpp"
#include "cpu/ir/ir.hpp"

// A kernel as a row of numbers that says all of it: two kernels are the same if and only if their
// rows are. Machine code is a function of this row and the instructions of the machine, so the row
// is what code is kept and found by.
namespace tfmt::cpu::ir {

// Numbers below 2^31 in size take one word; all others three, of which the first is `wide`.
using words = inline_vector<uint32_t, 1024>;

void append_content(words &out, const kernel &k);

} // namespace tfmt::cpu::ir
