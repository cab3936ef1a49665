// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/attributes.hpp"

// A descriptor with runtime dims, strides or offset describes a family: all layouts that are it
// with numbers in place of the runtime values.
//
// Worked example: nhwc over {*, 3, *, *} has strides {*, 1, *, 3}. A member has 4 dimensions, c =
// 3, neighbours along c and w 1 and 3 elements apart, and no blocks. Nothing is said of the strides
// of h and n: a member may have gaps between its rows, or n inside of h.
namespace tfmt {

// Throws unless `actual` is a layout without runtime values that belongs to `described`, saying
// what differs. Compensation is not compared. `argument` is the name of `actual` in the message.
void require_member(const memory_desc &actual, const memory_desc &described, const char *argument);

// Throws what make_problem would for every pair of members: other ndims, known dims that differ,
// a destination that broadcasts, attributes that do not go with the known dims. A dim that neither
// side knows may be 0, and then any destination will do.
void require_families_agree(const memory_desc &src, const memory_desc &dst, const attributes &attr);

// Throws if no member of `dst` can have these sums behind it.
void require_can_have_compensation(const memory_desc &dst, const compensation &sums);

} // namespace tfmt
