// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/widen.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

struct range {
    int64_t begin, end;
};

// Bytes of memory, as ranges in any order that do not touch.
class byte_ranges {
public:
    void add(int64_t begin, int64_t end) {
        for (size_t i = 0; i < ranges_.size();) {
            const range r = ranges_[i];
            if (r.end < begin || end < r.begin) {
                i++;
                continue;
            }
            begin = std::min(begin, r.begin);
            end = std::max(end, r.end);
            ranges_[i] = ranges_.back();
            ranges_.pop_back();
        }
        ranges_.push_back({begin, end});
    }

    bool has(int64_t begin, int64_t end) const {
        return std::any_of(ranges_.begin(), ranges_.end(),
                [&](const range &r) { return r.begin <= begin && end <= r.end; });
    }

private:
    std::vector<range> ranges_;
};

// The power of two that a chunk of `n` bytes is widened to.
int wide_bytes(int n) { return 1 << ceil_log2(n); }

// Whether any chunk is in parts, of no more bytes than that.
bool has_parts(const op &o, int max_bytes) {
    return std::any_of(o.chunks.begin(), o.chunks.end(), [&](const chunk &c) {
        return is_in_parts(c.mask) && prefix_bytes(c.mask) <= max_bytes;
    });
}

} // namespace

void widen_stores(block &ops, int max_bytes) {
    const auto may_change = [&](const op &o) {
        return o.kind == op_kind::store && has_parts(o, max_bytes);
    };
    if (max_bytes == 0 || std::none_of(ops.begin(), ops.end(), may_change)) return;
    // By addresses, so that rows come before the ones behind them.
    const auto stores = std::stable_partition(
            ops.begin(), ops.end(), [](const op &o) { return o.kind != op_kind::store; });
    std::stable_sort(stores, ops.end(), [](const op &a, const op &b) {
        return a.chunks[0].offset_bytes < b.chunks[0].offset_bytes;
    });
    widen_stores_in_order(ops, max_bytes);
}

bool widen_stores_in_order(block &ops, int max_bytes) {
    bool has_widened = false;
    byte_ranges later; // what is stored for good behind the chunk
    for (auto o = ops.rbegin(); o != ops.rend(); ++o) {
        if (o->kind != op_kind::store) continue;
        for (size_t i = o->chunks.size(); i-- > 0;) {
            chunk &c = o->chunks[i];
            const int n = prefix_bytes(c.mask);
            if (n == 0) continue; // with holes: not looked at
            const int64_t end = c.offset_bytes + n;
            const int wide = wide_bytes(n);
            if (n <= max_bytes && wide > n && wide <= o->unit_bytes
                    && later.has(end, c.offset_bytes + wide)) {
                c.mask = low_bits(wide);
                has_widened = true;
            }
            later.add(c.offset_bytes, end);
        }
    }
    return has_widened;
}

void widen_loads(block &ops, const std::vector<size_t> &free, bool has_gaps) {
    const auto may_change = [&](size_t i) { return has_parts(ops[i], ops[i].unit_bytes); };
    if (std::none_of(free.begin(), free.end(), may_change)) return;
    std::vector<range> read;
    for (const op &o : ops) {
        if (o.kind != op_kind::load) continue;
        for (const chunk &c : o.chunks)
            if (const int n = prefix_bytes(c.mask))
                read.push_back({c.offset_bytes, c.offset_bytes + n});
    }
    for (size_t index : free) {
        op &o = ops[index];
        for (chunk &c : o.chunks) {
            const int n = prefix_bytes(c.mask), wide = wide_bytes(n);
            if (n == 0 || wide == n || wide > o.unit_bytes) continue;
            const int64_t last = c.offset_bytes + n - 1, wide_last = c.offset_bytes + wide - 1;
            const auto is_behind = [&](const range &r) {
                return r.end > wide_last
                        && (!has_gaps || std::max(r.begin, wide_last) < last + tuning::page_bytes);
            };
            if (std::any_of(read.begin(), read.end(), is_behind)) c.mask = c.data = low_bits(wide);
        }
    }
}

} // namespace tfmt::cpu::ir
