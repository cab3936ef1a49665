// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tensorfmt/tensorfmt.h"

// What the exhaustive tests convert, and what must come out of it.

// Dense elements of a pair of types. src: every pattern of the types of up to 16 bits (of the 4-bit
// ones every byte, so every pair of neighbours); f32 with every high half and the low halves at
// which a narrower type changes its mind; of the 64-bit types and s32 limits, ties and their
// neighbours. dst: what the oracle makes of them.
struct conversion_case {
    tfmt_data_type_t src_type = tfmt_data_type_undef;
    tfmt_data_type_t dst_type = tfmt_data_type_undef;
    int64_t nelems = 0;
    std::vector<unsigned char> src;
    std::vector<unsigned char> dst;
};

// Made once in a process: the oracle is slow, and every instruction set asks for the same.
const conversion_case &conversion_case_of(tfmt_data_type_t src_type, tfmt_data_type_t dst_type);

// `nelems` elements, element i of which is element (first + i * step) % from.nelems of `from`.
conversion_case repeated(const conversion_case &from, int64_t nelems, int64_t first, int64_t step);
