// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/repack.hpp"

#include <algorithm>
#include <limits>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

// Where a lane comes from: its address in the source, or nowhere, which is zero.
using origin = int64_t;
constexpr origin nowhere = std::numeric_limits<origin>::min();

// An element of the destination.
struct moved_elem {
    int64_t dst_offset_bytes;
    origin from;
};

// Elements of memory that one load or store takes, from the first to the last.
struct window {
    int64_t offset_bytes;
    int n_elems;
};

// A store: its first element in the order of the destination, and the loads that have a part in it,
// in the order of theirs.
struct gathered_window : window {
    size_t first;
    inline_vector<size_t, 8> from = {};
};

class repacker {
public:
    repacker(const block &ops, int elem_bytes, kernel &k)
        : ops_(ops), elem_bytes_(elem_bytes), n_lanes_(k.vector_bytes / elem_bytes), k_(k) {
        trace();
        find_loads();
        find_stores();
    }

    bool is_worth_it(bool always) const {
        return may_change_ && loads_.size() <= tuning::max_repacked_loads
                && (always || cost() < tuning::max_repacked_cost * old_cost());
    }

    block build() {
        block made;
        for (const window &w : loads_) {
            op &o = memory_op(made, op_kind::load, w);
            o.out = n_values_++;
        }
        for (const op &o : ops_)
            if (o.kind == op_kind::prefetch) made.push_back(o);
        for (const gathered_window &w : stores_) {
            const int value = gather(made, w);
            memory_op(made, op_kind::store, w).a = value;
        }
        return made;
    }

    int n_values() const { return n_values_; }

private:
    // Follows the elements from loads to stores.
    void trace() {
        std::vector<origin> lanes; // of all values
        const auto lane_of = [&](int value, int lane) -> origin & {
            return lanes[size_t(value * n_lanes_ + lane)];
        };
        for (const op &o : ops_) {
            if (o.kind == op_kind::prefetch) continue;
            if (o.kind == op_kind::store) {
                for_each_elem(o, [&](int lane, int64_t at) {
                    if (at != nowhere) moved_.push_back({at, lane_of(o.a, lane)});
                });
                continue;
            }
            lanes.resize(std::max(lanes.size(), size_t((o.out + 1) * n_lanes_)), nowhere);
            if (o.kind == op_kind::zero) continue;
            if (o.kind == op_kind::load) {
                for_each_elem(o, [&](int lane, int64_t at) { lane_of(o.out, lane) = at; });
                continue;
            }
            const byte_indices indices = indices_of(k_, o);
            for (int lane = 0; lane < n_lanes_; lane++) {
                const int index = indices[size_t(lane * elem_bytes_)];
                if (o.kind == op_kind::within16 && index == zero_index) continue;
                const int from = index / elem_bytes_;
                lane_of(o.out, lane) = from < n_lanes_ ? lane_of(o.a, from)
                                                       : lane_of(o.b, from - n_lanes_);
            }
        }
        std::sort(moved_.begin(), moved_.end(), [](const moved_elem &a, const moved_elem &b) {
            return a.dst_offset_bytes < b.dst_offset_bytes;
        });
    }

    // Calls f with each lane of a load or store and where it is in memory; nowhere if masked off.
    template <typename F>
    void for_each_elem(const op &o, F &&f) const {
        for (int lane = 0; lane < n_lanes_; lane++) {
            const int byte = lane * elem_bytes_;
            const chunk &c = o.chunks[size_t(byte / o.unit_bytes)];
            const int in_chunk = byte % o.unit_bytes;
            f(lane, c.mask >> in_chunk & 1 ? c.offset_bytes + in_chunk : nowhere);
        }
    }

    // What is between two elements that are read can be read as well: it lies in their pages.
    void find_loads() {
        std::vector<origin> read;
        for (const moved_elem &m : moved_)
            if (m.from != nowhere) read.push_back(m.from);
        std::sort(read.begin(), read.end());
        for (const origin at : read) {
            if ((at - read.front()) % elem_bytes_ != 0) may_change_ = false;
            if (loads_.empty() || at - loads_.back().offset_bytes >= k_.vector_bytes)
                loads_.push_back({at, 1});
            else
                loads_.back().n_elems = in_load(loads_.size() - 1, at) + 1;
        }
    }

    void find_stores() {
        for (size_t i = 0; i < moved_.size(); i++) {
            const moved_elem &m = moved_[i];
            if (!stores_.empty() && stores_.back().n_elems < n_lanes_
                    && m.dst_offset_bytes == end_of(stores_.back()))
                stores_.back().n_elems++;
            else
                stores_.push_back({{m.dst_offset_bytes, 1}, i});
            auto &from = stores_.back().from;
            const size_t load = load_of(m.from);
            if (std::find(from.begin(), from.end(), load) == from.end()) from.push_back(load);
        }
        const bool streams = k_.is_streaming && k_.scratch_bytes == 0;
        may_change_ = may_change_
                && (!streams || std::all_of(stores_.begin(), stores_.end(), [&](const window &w) {
                       return w.n_elems < n_lanes_ || w.offset_bytes % k_.vector_bytes == 0;
                   }));
    }

    int64_t end_of(const window &w) const { return w.offset_bytes + w.n_elems * elem_bytes_; }

    // Which of a load's elements that is.
    int in_load(size_t load, origin at) const {
        return int((at - loads_[load].offset_bytes) / elem_bytes_);
    }

    // The load that has an element; that behind them all has what is zero.
    size_t load_of(origin from) const {
        if (from == nowhere) return loads_.size();
        const auto behind = std::upper_bound(loads_.begin(), loads_.end(), from,
                [](origin at, const window &w) { return at < w.offset_bytes; });
        return size_t(behind - loads_.begin()) - 1;
    }

    // Whether the elements of a store are no lanes of one load as they are.
    bool needs_permutes(const gathered_window &store) const {
        if (store.from.size() > 1) return true;
        const size_t load = store.from[0];
        if (load == loads_.size()) return false;
        for (int lane = 0; lane < store.n_elems; lane++)
            if (in_load(load, moved_[store.first + size_t(lane)].from) != lane) return true;
        return false;
    }

    float cost() const {
        float cost = float(loads_.size() + stores_.size());
        for (const gathered_window &w : stores_)
            if (w.from.size() > 1)
                cost += float(w.from.size() - 1) * tuning::cost_permute2;
            else if (needs_permutes(w))
                cost += tuning::cost_permute;
        return cost;
    }

    float old_cost() const {
        float cost = 0;
        for (const op &o : ops_)
            switch (o.kind) {
            case op_kind::zero:
            case op_kind::prefetch: break;
            case op_kind::load:
            case op_kind::store:
                cost += float(std::count_if(o.chunks.begin(), o.chunks.end(),
                        [](const chunk &c) { return c.mask != 0; }));
                break;
            case op_kind::unpack:
            case op_kind::within16: cost += tuning::cost_unpack; break;
            case op_kind::lanes128: cost += tuning::cost_lanes16; break;
            case op_kind::permute: cost += tuning::cost_permute; break;
            case op_kind::merge: break; // made of none yet
            case op_kind::permute2: cost += tuning::cost_permute2; break;
            }
        return cost;
    }

    op &memory_op(block &made, op_kind kind, const window &w) const {
        made.emplace_back(kind);
        op &o = made.back();
        o.unit_bytes = k_.vector_bytes;
        const uint64_t mask = low_bits(w.n_elems * elem_bytes_);
        o.chunks.push_back({w.offset_bytes, mask, mask});
        return o;
    }

    // The value that a store writes.
    int gather(block &made, const gathered_window &store) {
        const auto &from = store.from;
        int value = value_of(made, from[0]);
        if (!needs_permutes(store)) return value;
        if (from.size() == 1) return permuted(made, value, -1, order_of(store, from[0], none));
        for (size_t n = 1; n < from.size(); n++) {
            const int b = value_of(made, from[n]);
            value = permuted(made, value, b, order_of(store, n == 1 ? from[0] : none, from[n]));
        }
        return value;
    }

    // What a store has of loads `a` and `b` goes to its lanes; other lanes stay, of the first.
    byte_indices order_of(const gathered_window &store, size_t a, size_t b) const {
        byte_indices indices {};
        for (int lane = 0; lane < n_lanes_; lane++) {
            int index = lane;
            if (lane < store.n_elems) {
                const origin at = moved_[store.first + size_t(lane)].from;
                const size_t load = load_of(at);
                const int place = at == nowhere ? 0 : in_load(load, at);
                if (load == a) index = place;
                if (load == b) index = n_lanes_ + place;
            }
            for (int byte = 0; byte < elem_bytes_; byte++)
                indices[size_t(lane * elem_bytes_ + byte)] = uint8_t(index * elem_bytes_ + byte);
        }
        return indices;
    }

    // Of `a` alone if `b` is -1.
    int permuted(block &made, int a, int b, const byte_indices &indices) {
        made.emplace_back(b < 0 ? op_kind::permute : op_kind::permute2);
        op &o = made.back();
        o.a = a;
        o.b = b;
        o.constant = constant_of(k_, indices);
        return o.out = n_values_++;
    }

    int value_of(block &made, size_t load) {
        if (load < loads_.size()) return int(load);
        if (zero_ < 0) {
            made.emplace_back(op_kind::zero);
            zero_ = made.back().out = n_values_++;
        }
        return zero_;
    }

    static constexpr size_t none = std::numeric_limits<size_t>::max(); // no load

    const block &ops_;
    const int elem_bytes_, n_lanes_;
    kernel &k_;
    std::vector<moved_elem> moved_; // by their addresses in the destination
    std::vector<window> loads_;
    std::vector<gathered_window> stores_;
    // What is read is whole elements apart, and what goes past the caches is aligned.
    bool may_change_ = true;
    int n_values_ = 0;
    int zero_ = -1;
};

} // namespace

int repack(block &ops, int elem_bytes, bool always, size_t n_kept_constants, kernel &k) {
    repacker r(ops, elem_bytes, k);
    if (!r.is_worth_it(always)) return 0;
    k.constants.resize(n_kept_constants);
    ops = r.build();
    return r.n_values();
}

} // namespace tfmt::cpu::ir
