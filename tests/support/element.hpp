// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensorfmt/tensorfmt.h"

// One element of each data type: its value, and the nearest element to a value. Written the slow
// obvious way, from the format specifications; it shares nothing with the library.
//
// Formats: IEEE 754 binary16/32/64; bfloat16; OCP OFP8 E5M2 and E4M3 (saturating conversion);
// OCP MX E8M0 and E2M1; two's complement integers; 4-bit elements two to a byte, low nibble first.
namespace tfmt_test {

const std::vector<tfmt_data_type_t> &every_type(); // all 15
bool parse_type(const std::string &name, tfmt_data_type_t *type);
const char *type_name(tfmt_data_type_t type);
int type_bits(tfmt_data_type_t type);
bool is_float_type(tfmt_data_type_t type); // has a sign, an exponent and a mantissa
int64_t bytes_for_elements(tfmt_data_type_t type, int64_t nelems);

// The raw bits of element `index` of the array at `base`. base needs no alignment.
uint64_t load_bits(tfmt_data_type_t type, const void *base, int64_t index);
void store_bits(tfmt_data_type_t type, void *base, int64_t index, uint64_t bits);

// The value of an element, exactly; only s64 beyond 2^53 is rounded (to nearest even).
double decode(tfmt_data_type_t type, uint64_t bits);
bool is_nan_bits(tfmt_data_type_t type, uint64_t bits);

// The element nearest to `value`, ties to the even code. Integers saturate and take 0 for NaN;
// boolean is 1 for all but zero; f8_* and f4_e2m1 saturate (infinities too, as OFP8's saturating
// mode has it), f4_e2m1 takes 0 for NaN. e8m0 has neither sign nor zero: its nearest power of two.
uint64_t encode(tfmt_data_type_t type, double value);

// The same for a floating point type, always by search over its elements (encode() may use the
// compiler's own double -> float); tests compare the two.
uint64_t encode_by_search(tfmt_data_type_t type, double value);

// What a reorder makes of one element: the same bits for one type, else encode(decode()). With at
// most one rounding after decode() this is "compute in f32", and in f64 where f64, s32 or s64 take
// part: every other type is exact in f32. A NaN keeps its sign and the top of its payload and
// becomes quiet; doc/numerics.md tells the exception.
uint64_t convert_bits(tfmt_data_type_t src_type, uint64_t bits, tfmt_data_type_t dst_type);

} // namespace tfmt_test
