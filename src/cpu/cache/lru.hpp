// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

// A thread-safe map that keeps what was used last. Looking up takes a shared lock and allocates
// nothing, inserting takes the lock alone; values are made by the caller, outside of it.
//
// Key is what is stored. It is asked for by a query of any type Q with Key(q) and key.serves(q),
// and its hash, which the caller computes. Value is copied out, and Value() means "not there".
namespace tfmt::cpu {

template <typename Key, typename Value>
class lru {
public:
    explicit lru(int capacity) : capacity_(capacity) {}

    template <typename Query>
    Value find(const Query &query, size_t hash) {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        const auto [begin, end] = entries_.equal_range(hash);
        for (auto it = begin; it != end; ++it) {
            entry &found = it->second;
            if (!found.key.serves(query)) continue;
            found.last_use.store(
                    clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
            return found.value;
        }
        return Value();
    }

    // Keeps what is there already for an equal query: another thread was first.
    template <typename Query>
    void insert(const Query &query, size_t hash, const Value &value) {
        put(query, hash, value, false);
    }

    // Takes its place.
    template <typename Query>
    void replace(const Query &query, size_t hash, const Value &value) {
        put(query, hash, value, true);
    }

    void set_capacity(int n) {
        std::vector<Value> dropped;
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
    struct entry {
        template <typename Query>
        entry(const Query &query, const Value &v, uint64_t now)
            : key(query), value(v), last_use(now) {}

        const Key key;
        Value value;
        std::atomic<uint64_t> last_use;
    };

    template <typename Query>
    void put(const Query &query, size_t hash, const Value &value, bool replaces) {
        std::vector<Value> dropped; // code is unmapped when the lock is gone
        std::unique_lock<std::shared_mutex> lock(mutex_);
        if (capacity_ == 0) return;
        const auto [begin, end] = entries_.equal_range(hash);
        for (auto it = begin; it != end; ++it) {
            if (!it->second.key.serves(query)) continue;
            if (!replaces) return;
            dropped.push_back(value);
            std::swap(dropped.back(), it->second.value);
            return;
        }
        shrink_to(size_t(capacity_) - 1, &dropped);
        if (uses_.size() == uses_.capacity()) uses_.reserve(2 * uses_.size() + 16);
        const uint64_t now = clock_.fetch_add(1);
        const auto made = entries_.emplace(std::piecewise_construct, std::forward_as_tuple(hash),
                std::forward_as_tuple(query, value, now));
        add_use({now, hash, &made->second});
    }

    // When an entry was used last, as far as was known when it was looked at last.
    struct use {
        uint64_t last_use;
        size_t hash;
        const entry *what;
        bool operator<(const use &o) const { return last_use > o.last_use; } // oldest on top
    };

    void add_use(const use &u) {
        uses_.push_back(u);
        std::push_heap(uses_.begin(), uses_.end());
    }

    // The oldest on the heap is the oldest of all if it was not used since; else it is put back to
    // where it belongs now. So no insertion into a full cache looks at every entry.
    void shrink_to(size_t n, std::vector<Value> *dropped) {
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
            auto it = entries_.equal_range(oldest.hash).first;
            while (&it->second != oldest.what)
                ++it;
            entries_.erase(it);
        }
    }

    std::shared_mutex mutex_;
    std::unordered_multimap<size_t, entry> entries_;
    std::vector<use> uses_; // a heap, one for each entry
    std::atomic<uint64_t> clock_ {0};
    int capacity_;
};

} // namespace tfmt::cpu
