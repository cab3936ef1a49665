// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/attributes.hpp"
#include "cpu/plan/segments.hpp"

// Thread-safe LRU cache of everything that is made once for a pair of descriptors: problem, plan
// and code. Looking up takes a shared lock and allocates nothing; making happens outside the lock,
// so two threads may make the same thing, of which the first to finish is kept; inserting takes the
// lock alone.
namespace tfmt::cpu {

class implementation;

// What was asked for. One request, one implementation.
struct request {
    const memory_desc &src;
    const memory_desc &dst;
    plan_mode mode;
    tfmt_cpu_isa_t isa;
    const attributes &attr = no_attributes;
};

constexpr int max_cache_capacity = 1 << 20;

using implementation_ptr = std::shared_ptr<const implementation>;

// The cached implementation of `r`, or make(r), which is then cached. What make throws passes
// through.
implementation_ptr find_or_make(const request &r, implementation_ptr (*make)(const request &));

// From here on `better` is found for `r`; whoever has the one before keeps it.
void remember(const request &r, const implementation_ptr &better);

// Number of implementations kept; 0 keeps none. Shrinking drops the least recently used ones (code
// in use lives on with its reorder). Throws beyond 0..max_cache_capacity.
void set_cache_capacity(int n);
int cache_capacity();
int cache_size();

// Throws if TENSORFMT_KERNEL_CACHE_CAPACITY is not a number of that range, unless a call has
// replaced it.
void check_cache_capacity_variable();

} // namespace tfmt::cpu
