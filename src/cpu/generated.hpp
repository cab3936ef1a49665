// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/reorder_problem.hpp"
#include "cpu/implementation.hpp"
#include "cpu/plan/plan.hpp"

// Generated code as an implementation, the second half of the spine: normalise, plan, build the IR,
// assemble, drive. Null, with the reason in `why`, for what generated code does not do
// (4-bit elements that are not in pairs, groups that blocks cut, too many combinations of tails).
namespace tfmt::cpu {

new_implementation make_generated(
        const reorder_problem &p, plan_mode mode, const machine &m, std::string *why);

} // namespace tfmt::cpu
