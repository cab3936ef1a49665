// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tensorfmt/tensorfmt.h"

// Facts about data types, all read from data_type.def (one row a type).
namespace tfmt {

bool is_known(tfmt_data_type_t dt);         // a row exists (undef has none)
int bits_of(tfmt_data_type_t dt);           // 4, 8, 16, 32 or 64
const char *name_of(tfmt_data_type_t dt);   // "f32"; "undef" if unknown
bool is_small_integer(tfmt_data_type_t dt); // s8, u8, s4 or u4
bool parse_data_type(const char *name, tfmt_data_type_t *dt);

// Bytes that `nelems` elements take, 4-bit types two to a byte and rounded up. nelems must have
// been checked not to overflow.
size_t bytes_for(tfmt_data_type_t dt, size_t nelems);

} // namespace tfmt
