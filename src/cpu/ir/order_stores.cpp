// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/order_stores.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

struct placed_store {
    int64_t offset_bytes;
    size_t at;      // in the block
    size_t last_at; // that of the last store of its line
};

bool is_before(const placed_store &a, const placed_store &b) {
    return std::tie(a.last_at, a.offset_bytes, a.at) < std::tie(b.last_at, b.offset_bytes, b.at);
}

} // namespace

void order_stores_by_lines(block &ops) {
    std::vector<placed_store> stores;
    std::map<int64_t, size_t> last_of_line;
    const auto line_of = [](const placed_store &s) { return s.offset_bytes / tuning::line_bytes; };
    for (size_t i = 0; i < ops.size(); i++) {
        if (ops[i].kind != op_kind::store) continue;
        stores.push_back({ops[i].chunks[0].offset_bytes, i, i});
        last_of_line[line_of(stores.back())] = i;
    }
    for (placed_store &s : stores)
        s.last_at = last_of_line[line_of(s)];
    std::sort(stores.begin(), stores.end(), is_before);
    const bool are_complete = std::is_sorted(stores.begin(), stores.end(),
            [](const placed_store &a, const placed_store &b) { return a.at < b.at; });
    if (are_complete) return;
    block ordered;
    ordered.reserve(ops.size());
    auto next = stores.begin();
    for (size_t i = 0; i < ops.size(); i++) {
        if (ops[i].kind != op_kind::store) ordered.push_back(std::move(ops[i]));
        for (; next != stores.end() && next->last_at == i; ++next)
            ordered.push_back(std::move(ops[next->at]));
    }
    ops = std::move(ordered);
}

void keep_lines_in_part(block &ops, int widening) {
    std::map<int64_t, int> stored_bytes; // of each line
    const auto line_of = [&](const chunk &c, int byte) {
        return (c.offset_bytes + byte * widening) / tuning::line_bytes;
    };
    for (const op &o : ops)
        for (const chunk &c : o.chunks)
            for (int byte = 0; o.kind == op_kind::store && byte < o.unit_bytes; byte++)
                stored_bytes[line_of(c, byte)] += (c.mask >> byte & 1) ? widening : 0;
    for (op &o : ops)
        for (const chunk &c : o.chunks)
            for (int byte = 0; o.kind == op_kind::store && byte < o.unit_bytes; byte++)
                if (c.mask >> byte & 1 && stored_bytes[line_of(c, byte)] < int(tuning::line_bytes))
                    o.stays_in_caches = true;
}

} // namespace tfmt::cpu::ir
