// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/implementation.hpp"

// Choosing by the clock among implementations of one request.
namespace tfmt::cpu {

struct contestant {
    const char *name; // of its plan, a literal
    new_implementation code;
};

// The fastest of `all` at `e`, which each executes several times: the first one unless another is
// clearly faster. Its info() says which it is. Throws what an execution fails with.
new_implementation fastest_of(const std::vector<contestant> &all, const execution &e);

} // namespace tfmt::cpu
