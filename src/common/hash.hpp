// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Hashes of sequences of numbers: combine_hash() each, then avalanche() once.
namespace tfmt {

// One multiplication for each value, which moves its bits up, and half of them down again: each
// look-up of a kernel waits for about 30 of these. (With an avalanche for each, creating a cached
// reorder of 5 dimensions took 325 ns, so 215.)
inline uint64_t combine_hash(uint64_t seed, uint64_t value) {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15u; // 2^64 over the golden ratio
    seed = (seed ^ value) * odd;
    return seed ^ seed >> 32;
}

// Each bit changes half of the result, also of the last values: the finalizer of SplitMix64.
inline size_t avalanche(uint64_t seed) {
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    return static_cast<size_t>(seed ^ (seed >> 31));
}

} // namespace tfmt
