// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/kernel_cache.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/status.hpp"
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

struct entry {
    entry(const request &r, implementation_ptr i, uint64_t now)
        : src(r.src),
          dst(r.dst),
          mode(r.mode),
          isa(r.isa),
          attr(r.attr),
          value(std::move(i)),
          last_use(now) {}

    bool serves(const request &r) const {
        return mode == r.mode && isa == r.isa && equal(src, r.src) && equal(dst, r.dst)
                && equal(attr, r.attr);
    }

    const memory_desc src;
    const memory_desc dst;
    const plan_mode mode;
    const tfmt_cpu_isa_t isa;
    const attributes attr;
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
        std::vector<implementation_ptr> dropped; // code is unmapped when the lock is gone
        std::unique_lock<std::shared_mutex> lock(mutex_);
        if (capacity_ == 0) return;
        const auto [begin, end] = entries_.equal_range(key);
        for (auto it = begin; it != end; ++it)
            if (it->second.serves(r)) return; // another thread was first
        shrink_to(size_t(capacity_) - 1, &dropped);
        if (uses_.size() == uses_.capacity()) uses_.reserve(2 * uses_.size() + 16);
        const uint64_t now = clock_.fetch_add(1);
        const auto made = entries_.emplace(std::piecewise_construct, std::forward_as_tuple(key),
                std::forward_as_tuple(r, value, now));
        add_use({now, key, &made->second});
    }

    void set_capacity(int n) {
        std::vector<implementation_ptr> dropped;
        std::unique_lock<std::shared_mutex> lock(mutex_);
        capacity_ = n;
        shrink_to(size_t(n), &dropped);
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
    // When an entry was used last, as far as was known when it was looked at last.
    struct use {
        uint64_t last_use;
        size_t key;
        const entry *what;
        bool operator<(const use &o) const { return last_use > o.last_use; } // oldest on top
    };

    void add_use(const use &u) {
        uses_.push_back(u);
        std::push_heap(uses_.begin(), uses_.end());
    }

    // The oldest on the heap is the oldest of all if it was not used since; else it is put back to
    // where it belongs now. So no insertion into a full cache looks at every entry.
    void shrink_to(size_t n, std::vector<implementation_ptr> *dropped) {
        while (entries_.size() > n) {
            use oldest = uses_.front();
            const uint64_t last_use = oldest.what->last_use;
            if (oldest.last_use == last_use) dropped->push_back(oldest.what->value);
            std::pop_heap(uses_.begin(), uses_.end());
            uses_.pop_back();
            if (oldest.last_use != last_use) {
                oldest.last_use = last_use;
                add_use(oldest);
                continue;
            }
            auto it = entries_.equal_range(oldest.key).first;
            while (&it->second != oldest.what)
                ++it;
            entries_.erase(it);
        }
    }

    std::shared_mutex mutex_;
    std::unordered_multimap<size_t, entry> entries_;
    std::vector<use> uses_; // a heap, one for each entry
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
