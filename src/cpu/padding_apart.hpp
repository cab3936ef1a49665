// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/reorder_problem.hpp"
#include "cpu/implementation.hpp"
#include "cpu/plan/machine.hpp"

namespace tfmt::cpu {

// `p`, which leads to `dst`, by generated code in two passes: one that moves the data, and behind
// it one that writes the padding beyond them, in the order of the destination. Null where one pass
// is as good (wants_padding_apart, plan/plan.hpp), or cannot be generated.
new_implementation make_padding_apart(
        const reorder_problem &p, const memory_desc &dst, const machine &m);

} // namespace tfmt::cpu
