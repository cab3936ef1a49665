// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cache/kernel_cache.hpp"
#include "cpu/implementation.hpp"

namespace tfmt::cpu {

// What moves `src` to `dst`, padding and compensation of dst included; from the cache, or made now.
// Throws if the pair cannot be reordered, or not with these attributes.
implementation_ptr find_reorder(
        const memory_desc &src, const memory_desc &dst, const attributes &attr = no_attributes);

// The same, the fastest of several plans at `e`, which executes each more than once. The cache then
// has this one. Throws also what an execution fails with.
implementation_ptr find_fastest_reorder(
        const memory_desc &src, const memory_desc &dst, const attributes &attr, const execution &e);

// What writes zero to the padding of `md` and touches nothing else, compensation neither.
implementation_ptr find_zero_pad(const memory_desc &md);

// What a move of a tensor onto itself leaves to do: padding and compensation of `md`.
implementation_ptr find_pad_and_compensate(const memory_desc &md);

// All that an execution between two given descriptors needs.
struct prepared {
    implementation_ptr code;
    implementation_ptr in_place; // for src == dst of one layout; null if the layouts differ
    size_t src_bytes = 0;
    size_t dst_bytes = 0;
};

// Throws as find_reorder(); with `e` as find_fastest_reorder(), which finds `code` then.
prepared prepare(const memory_desc &src, const memory_desc &dst, const attributes &attr,
        const execution *e = nullptr);

// Number of implementations that are kept, and of kernels whose code is kept (jit/code_cache).
// Throws beyond 0..max_cache_capacity.
void set_capacity_of_caches(int n);

// Throws if any variable of the library (TENSORFMT_MAX_CPU_ISA, TENSORFMT_NUM_THREADS,
// TENSORFMT_KERNEL_CACHE_CAPACITY) holds a bad value. Both finders call it first; it costs three
// loads.
void check_environment();

} // namespace tfmt::cpu
