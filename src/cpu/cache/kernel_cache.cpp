// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/kernel_cache.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "common/status.hpp"
#include "cpu/isa/environment.hpp"

namespace tfmt::cpu {

namespace {

// Each has at least one page of code: 4 MiB or somewhat more when full.
constexpr int default_capacity = 1024;
constexpr const char *capacity_variable = "TENSORFMT_KERNEL_CACHE_CAPACITY";

size_t hash_of(const request &r) {
    const size_t h = hash(r.src) * 0x9e3779b97f4a7c15u + hash(r.dst);
    return h * 31 + size_t(r.mode) * 16 + size_t(r.isa);
}

struct entry {
    entry(const request &r, implementation_ptr i, uint64_t now)
        : src(r.src), dst(r.dst), mode(r.mode), isa(r.isa), value(std::move(i)), last_use(now) {}

    bool serves(const request &r) const {
        return mode == r.mode && isa == r.isa && equal(src, r.src) && equal(dst, r.dst);
    }

    const memory_desc src;
    const memory_desc dst;
    const plan_mode mode;
    const tfmt_cpu_isa_t isa;
    const implementation_ptr value;
    std::atomic<uint64_t> last_use;
};

const environment_int &environment_capacity() {
    static const environment_int setting = read_environment_int(
            capacity_variable, 0, max_cache_capacity);
    return setting;
}

class lru {
public:
    implementation_ptr find(const request &r, size_t key) {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        const auto [begin, end] = entries_.equal_range(key);
        for (auto it = begin; it != end; ++it)
            if (it->second.serves(r)) {
                it->second.last_use.store(
                        clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
                return it->second.value;
            }
        return nullptr;
    }

    void insert(const request &r, size_t key, const implementation_ptr &value) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        if (capacity_ == 0) return;
        const auto [begin, end] = entries_.equal_range(key);
        for (auto it = begin; it != end; ++it)
            if (it->second.serves(r)) return; // another thread was first
        shrink_to(size_t(capacity_) - 1);
        entries_.emplace(std::piecewise_construct, std::forward_as_tuple(key),
                std::forward_as_tuple(r, value, clock_.fetch_add(1)));
    }

    void set_capacity(int n) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        capacity_ = n;
        shrink_to(size_t(n));
    }

    int capacity() {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return capacity_;
    }

    int size() {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return int(entries_.size());
    }

private:
    void shrink_to(size_t n) {
        while (entries_.size() > n) {
            auto oldest = entries_.begin();
            for (auto it = entries_.begin(); it != entries_.end(); ++it)
                if (it->second.last_use < oldest->second.last_use) oldest = it;
            entries_.erase(oldest);
        }
    }

    std::shared_mutex mutex_;
    std::unordered_multimap<size_t, entry> entries_;
    std::atomic<uint64_t> clock_ {0};
    int capacity_ = environment_capacity().is_set ? environment_capacity().value : default_capacity;
};

// Never destroyed: reorders may be made by destructors of static objects.
lru &the_cache() {
    static lru &cache = *new lru;
    return cache;
}

} // namespace

implementation_ptr find_or_make(const request &r, implementation_ptr (*make)(const request &)) {
    const size_t key = hash_of(r);
    implementation_ptr found = the_cache().find(r, key);
    if (found) return found;
    found = make(r);
    the_cache().insert(r, key, found);
    return found;
}

void set_cache_capacity(int n) {
    if (n < 0 || n > max_cache_capacity)
        fail_invalid(
                "n is " + std::to_string(n) + ", wanted 0.." + std::to_string(max_cache_capacity));
    the_cache().set_capacity(n);
}

int cache_capacity() { return the_cache().capacity(); }

int cache_size() { return the_cache().size(); }

void check_cache_capacity_variable() {
    check_environment_int(environment_capacity(), capacity_variable, 0, max_cache_capacity);
}

} // namespace tfmt::cpu
