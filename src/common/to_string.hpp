// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/memory_desc.hpp"

// Descriptors as text. The grammar, with doc/layout.md:
//
//   descriptor = type ":" tag ":" numbers [":s" numbers] [":o" number]
//                [":c" mask] [":z" mask]
//   numbers    = number {"x" number}        number = digits | "*"
//
// type is a data type's name, tag any format tag or "any", then come the dims, ":s" the strides
// where they are not those of a dense tensor, ":o" offset0 where it is not 0,
// ":c" and ":z" the masks of an s8s8 and of an asymmetric (zero point) compensation, decimal. "*"
// is a runtime value. Examples: f32:aBcd16b:2x40x5x4   u8:ab:4x6:s16x1:o34   bf16:abc:8x*x64
// s8:any:3x3 s8:ABcd4b16a4b:32x64x3x3:c1
namespace tfmt {

// Canonical: equal descriptors give the same text, and parse_desc() of it is equal to `md`.
std::string to_string(const memory_desc &md);

// Throws with the position of what breaks the grammar. With strides given, the letters of the tag
// must come in their order.
memory_desc parse_desc(const char *string);

} // namespace tfmt
