// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "common/memory_desc.hpp"

// How the tasks of one execution divide its items. [0, n_items) is cut into one contiguous share
// for each task. A task takes small ranges from the front of its own share, and once that is used
// up, from the others': so a thread mostly writes the same part of a destination each time (whose
// pages its first touch put near it), while no thread waits for another that comes late, was
// interrupted or has the longer items. It does not matter in which order tasks run, nor how many
// of them at once.
//
// Worked example: 100 items for 2 tasks are shares 0..49 and 50..99, taken in ranges of 6. If task
// 1 comes too late, task 0 does 0..5, ..., 48..49, 50..55, ..., 98..99 by itself.
namespace tfmt::cpu {

constexpr int max_shares = 64;

// Where the owner of something is not known.
constexpr int no_node = -1;

// The order in which a task turns to the shares: its own first (number task % n_shares), then those
// behind it, round the end. Where owners are known (node_of_share, n_shares NUMA nodes), the shares
// on `node`, on which the task runs, come before all others. A pure function; writes n_shares
// numbers.
void order_of_shares(const int *node_of_share, int n_shares, int task, int node, int *order);

class shares {
public:
    shares(int n_tasks, dim_t n_items);

    int count() const { return n_shares_; }

    // Says that the share's part of the destination lies on this node. Before any work() only.
    void set_node(int share, int node) { node_of_share_[share] = node; }

    // Calls body(begin, end) for ranges that no other task has been given, until none are left.
    // Safe from any number of threads at once.
    template <typename Body>
    void work(int task, int node, Body &&body) {
        int order[max_shares];
        order_of_shares(node_of_share_, n_shares_, task, node, order);
        for (int i = 0; i < n_shares_; i++) {
            dim_t begin, end;
            while (take(shares_[order[i]], &begin, &end))
                body(begin, end);
        }
    }

private:
    // A line of its own, so that tasks which work on different shares do not disturb each other.
    struct alignas(64) share {
        std::atomic<dim_t> next;
        dim_t end;
    };

    bool take(share &s, dim_t *begin, dim_t *end) const {
        // Looked at first, so that a used up share stays in the caches of all.
        if (s.next.load(std::memory_order_relaxed) >= s.end) return false;
        *begin = s.next.fetch_add(range_, std::memory_order_relaxed);
        *end = *begin + range_ < s.end ? *begin + range_ : s.end;
        return *begin < s.end;
    }

    // Of the arrays only the first n_shares_ are ever touched.
    share shares_[max_shares];
    int node_of_share_[max_shares];
    int n_shares_;
    dim_t range_; // items taken at once
};

} // namespace tfmt::cpu
