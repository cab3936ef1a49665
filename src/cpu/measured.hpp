// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/implementation.hpp"

// Choosing by the clock among implementations of one request.
namespace tfmt::cpu {

struct outcome {
    size_t fastest;  // its index
    double of_first; // its time over that of the first one
};

// Executes each of `all` at `e` several times. The first one is the fastest unless another is
// clearly faster. Throws what an execution fails with.
outcome fastest_of(const std::vector<new_implementation> &all, const execution &e);

} // namespace tfmt::cpu
