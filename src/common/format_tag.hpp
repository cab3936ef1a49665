// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/memory_desc.hpp"

// The grammar of format tags. Comes in: a name ("aBcd16b", "nChw16c", "NHWC", "CHWN4") or an
// enumerator. Goes out: order of the dimensions and inner blocks. Knows no dims, strides or types.
// Everything is derived from the name; include/tensorfmt/tensorfmt_tags.h is the only list.
//
// Worked example: "ABcd8b16a2b" -> ndims 4, order {0,1,2,3}, inner_blks {8,16,2},
// inner_idxs {1,0,1}; "nhwc" -> the layout of "acdb": order {0,2,3,1}, no blocks.
namespace tfmt {

struct tag_layout {
    int ndims;
    int order[TFMT_MAX_NDIMS]; // logical dimensions from outermost to innermost
    int inner_nblks;
    dims_t inner_blks;
    dims_t inner_idxs;
};

// Throws with the character and its position where `tag` breaks the grammar (doc/layout.md).
tag_layout parse_tag(const char *tag);

// Layout of an enumerator other than undef and any; throws for a number that names no tag.
const tag_layout &layout_of(tfmt_format_tag_t tag);

// Canonical name, e.g. "aBcd16b".
std::string print_tag(const tag_layout &layout);

// The first enumerator whose layout over md's dims equals md; any for format_kind any, undef where
// no tag fits.
tfmt_format_tag_t find_tag(const memory_desc &md);

} // namespace tfmt
