// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/machine.hpp"

// Plans that differ from the one that the rules choose, for those who measure which is faster: the
// same rules, asked for other machines.
namespace tfmt::cpu {

struct alternative {
    const char *name;
    machine m; // executes the same instructions
};

// Of most reorders some of these make the plan of `m` itself.
std::vector<alternative> alternatives_to(const machine &m);

} // namespace tfmt::cpu
