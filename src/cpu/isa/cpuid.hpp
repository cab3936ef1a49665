// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/isa/isa.hpp"

namespace tfmt::cpu {

// Asks the processor; all zero on anything but x86.
cpuid_words read_cpuid();

struct cpuid_cache {
    int level;
    size_t size_bytes;
};

// The data and unified caches of the core that runs this, nearest first; none on anything but x86.
std::vector<cpuid_cache> read_cpuid_caches();

// One subleaf of leaf 4 or 0x8000001d (AMD's, of the same form); false behind the last cache. An
// instruction cache comes out with 0 bytes.
bool decode_cpuid_cache(uint32_t eax, uint32_t ebx, uint32_t ecx, cpuid_cache *cache);

// L2 and L3 of leaf 0x80000006, which hypervisors that hide the others leave as it is on AMD's
// processors. Its L3 is the sum of the package's (508 MB of 16), of which no core sees more than
// its own: no more than that comes out.
std::vector<cpuid_cache> decode_cpuid_cache_totals(uint32_t ecx, uint32_t edx);

} // namespace tfmt::cpu
