// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/isa/isa.hpp"

namespace tfmt::cpu {

// Asks the processor; all zero on anything but x86.
cpuid_words read_cpuid();

} // namespace tfmt::cpu
