// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/shares.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

constexpr auto relaxed = std::memory_order_relaxed; // what ends an execution orders its writes

}

shares::shares(int n_tasks, dim_t n_items)
    : n_shares_(std::min(n_tasks, max_shares)),
      range_items_(std::max<dim_t>(1, n_items / (dim_t(n_tasks) * tuning::ranges_per_thread))) {
    const dim_t least = n_items / n_shares_, n_longer = n_items % n_shares_;
    dim_t begin = 0;
    for (int i = 0; i < n_shares_; i++) {
        const dim_t n = least + (i < n_longer);
        shares_[i].begin = begin;
        shares_[i].end = begin += n;
        const uint64_t n_ranges = uint64_t((n + range_items_ - 1) / range_items_);
        shares_[i].left.store(n_ranges << 32, relaxed);
        node_of_share_[i] = no_node;
    }
}

int shares::take_front(share &s) {
    uint64_t left = s.left.load(relaxed);
    while (uint32_t(left) < left >> 32)
        if (s.left.compare_exchange_weak(left, left + 1, relaxed)) return int(uint32_t(left));
    return -1;
}

int shares::take_back(share &s) {
    uint64_t left = s.left.load(relaxed);
    while (uint32_t(left) + tuning::ranges_left_alone < left >> 32)
        if (s.left.compare_exchange_weak(left, left - (uint64_t(1) << 32), relaxed))
            return int(left >> 32) - 1;
    return -1;
}

void order_of_shares(const int *node_of_share, int n_shares, int task, int node, int *order) {
    const int own = task % n_shares;
    int n = 0;
    for (const bool on_node : {true, false})
        for (int i = 0; i < n_shares; i++) {
            const int share = own + i < n_shares ? own + i : own + i - n_shares;
            const bool is_near = node == no_node || node_of_share[share] == no_node
                    || node_of_share[share] == node;
            if (is_near == on_node) order[n++] = share;
        }
}

} // namespace tfmt::cpu
