// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "common/memory_desc.hpp"

// How the tasks of one execution divide its items. [0, n_items) is cut into one contiguous share
// for each task, which it takes in small ranges, so that a thread writes the same part of a
// destination each time: it is in its caches then, and in pages that its first touch put near it.
// A task that is done helps those that are far behind (because they came late, have the longer
// items or the slower core) from the back of their shares, but leaves them the last ranges: a
// thread takes longer to fetch what is in another's cache than that one takes to finish. Tasks may
// run in any order and any number of them at once.
//
// Worked example: 100 items for 2 tasks are shares 0..49 and 50..99, in ranges of 6. If task 1
// comes late, task 0 does 0..5, ..., 48..49, 98..99, 92..97, ..., 74..79, and task 1 the rest.
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

    // A task's part: calls body(begin, end) for ranges that no other task has been given. Safe from
    // any number of threads at once; when every task has done it once, all items are done.
    template <typename Body>
    void work(int task, int node, Body &&body) {
        int order[max_shares];
        order_of_shares(node_of_share_, n_shares_, task, node, order);
        drain(order[0], body);
        for (int i = 1; i < n_shares_; i++)
            help(order[i], body);
        drain(task % n_shares_, body);
    }

private:
    // A line of its own, so that tasks which work on different shares do not disturb each other.
    struct alignas(64) share {
        dim_t begin, end;
        std::atomic<uint64_t> left; // ranges front .. back - 1, as back << 32 | front
    };

    // The number of a range within the share, which is the caller's from now on; -1: none left, or
    // for take_back, too few.
    static int take_front(share &s);
    static int take_back(share &s);

    template <typename Body>
    void drain(int number, Body &&body) {
        for (int range; (range = take_front(shares_[number])) >= 0;)
            do_range(shares_[number], range, body);
    }
    template <typename Body>
    void help(int number, Body &&body) {
        for (int range; (range = take_back(shares_[number])) >= 0;)
            do_range(shares_[number], range, body);
    }
    template <typename Body>
    void do_range(const share &s, int range, Body &&body) const {
        const dim_t begin = s.begin + range * range_items_;
        body(begin, begin + range_items_ < s.end ? begin + range_items_ : s.end);
    }

    // Of the arrays only the first n_shares_ are ever touched.
    share shares_[max_shares];
    int node_of_share_[max_shares];
    int n_shares_;
    dim_t range_items_; // that are taken at once
};

} // namespace tfmt::cpu
