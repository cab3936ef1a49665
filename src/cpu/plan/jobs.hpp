// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/plan/plan.hpp"

// Which levels are the driver's and which a kernel's, and which calls of which kernels do all of
// the steps. In: the levels of a plan in their order, its tile and its scratch. Out: the rest of
// the plan.
//
// Worked example: f32 abcd -> aBcd16b of 8 x 40 x 28 x 28. The driver steps through a; a kernel has
// the blocks of b, 2 whole ones and one of 8 channels, as its root loop and its rest.
namespace tfmt::cpu {

// False, and `p` is of no use, if tails make too many jobs, or more than `max_ops` operations.
bool cut_into_jobs(plan &p, size_t max_ops);

} // namespace tfmt::cpu
