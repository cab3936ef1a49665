// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/kernel_cache.hpp"

#include <atomic>
#include <string>

#include "common/status.hpp"
#include "cpu/cache/lru.hpp"
#include "cpu/isa/environment.hpp"

namespace tfmt::cpu {

namespace {

// Each has at least one page of code: 4 MiB or somewhat more when full.
constexpr int default_capacity = 1024;
constexpr const char *capacity_variable = "TENSORFMT_KERNEL_CACHE_CAPACITY";

size_t hash_of(const request &r) {
    const size_t h = hash(r.src) * 0x9e3779b97f4a7c15u + hash(r.dst);
    return (h * 31 + size_t(r.mode) * 16 + size_t(r.isa)) ^ hash(r.attr);
}

// A request that outlives the caller's descriptors.
struct stored_request {
    explicit stored_request(const request &r)
        : src(r.src), dst(r.dst), mode(r.mode), isa(r.isa), attr(r.attr) {}

    bool serves(const request &r) const {
        return mode == r.mode && isa == r.isa && equal(src, r.src) && equal(dst, r.dst)
                && equal(attr, r.attr);
    }

    const memory_desc src;
    const memory_desc dst;
    const plan_mode mode;
    const tfmt_cpu_isa_t isa;
    const attributes attr;
};

const environment_int &environment_capacity() {
    static const environment_int setting = read_environment_int(
            capacity_variable, 0, max_cache_capacity);
    return setting;
}

std::atomic<bool> is_capacity_from_api {false};

using implementation_lru = lru<stored_request, implementation_ptr>;

// Never destroyed: reorders may be made by destructors of static objects.
implementation_lru &the_cache() {
    static implementation_lru &cache = *new implementation_lru(
            environment_capacity().is_set ? environment_capacity().value : default_capacity);
    return cache;
}

} // namespace

implementation_ptr find_or_make(const request &r, implementation_ptr (*make)(const request &)) {
    const size_t hash = hash_of(r);
    implementation_ptr found = the_cache().find(r, hash);
    if (found) return found;
    found = make(r);
    the_cache().insert(r, hash, found);
    return found;
}

void remember(const request &r, const implementation_ptr &better) {
    the_cache().replace(r, hash_of(r), better);
}

void set_cache_capacity(int n) {
    if (n < 0 || n > max_cache_capacity)
        fail_invalid(
                "n is " + std::to_string(n) + ", wanted 0.." + std::to_string(max_cache_capacity));
    the_cache().set_capacity(n);
    is_capacity_from_api.store(true, std::memory_order_relaxed);
}

int cache_capacity() { return the_cache().capacity(); }

int cache_size() { return the_cache().size(); }

void check_cache_capacity_variable() {
    if (is_capacity_from_api.load(std::memory_order_relaxed)) return;
    check_environment_int(environment_capacity(), capacity_variable, 0, max_cache_capacity);
}

} // namespace tfmt::cpu
