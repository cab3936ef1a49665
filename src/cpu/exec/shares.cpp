// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/shares.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

shares::shares(int n_tasks, dim_t n_items)
    : n_shares_(std::min(n_tasks, max_shares)),
      range_(std::max<dim_t>(1, n_items / (dim_t(n_tasks) * tuning::ranges_per_thread))) {
    const dim_t least = n_items / n_shares_, n_longer = n_items % n_shares_;
    dim_t begin = 0;
    for (int i = 0; i < n_shares_; i++) {
        shares_[i].next.store(begin, std::memory_order_relaxed);
        shares_[i].end = begin += least + (i < n_longer);
        node_of_share_[i] = no_node;
    }
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
