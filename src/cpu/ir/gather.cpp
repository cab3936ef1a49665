// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/gather.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

// Where an element of a value's first 16 bytes comes from: a place of a value that no shuffle
// within these has made, which is that value's number times lane_bytes, and which element of it.
using origin = int;
constexpr origin zero_elem = -1; // whatever is loaded

using elem_origins = inline_vector<origin, lane_bytes>;

struct moved_elem {
    int64_t dst_offset_bytes;
    origin from;
};

// Up to 16 bytes of the destination, and the values that they are gathered from.
struct window {
    int64_t dst_offset_bytes;
    elem_origins elems = {};
    inline_vector<int, lane_bytes> sources = {};
};

bool is_whole(const chunk &c) { return (c.mask & c.data) == low_bits(lane_bytes); }

struct byte_range {
    int64_t begin, end;
};

float cost_of_store(bool is_whole) { return is_whole ? 1 : tuning::cost_store_of_part; }

// Whether stores would cost less from one end of what lies in one piece to the other, 16 bytes at a
// time. (Looked at first: it takes little of the time of what else is to be found.)
bool gains_by_windows(const block &ops) {
    inline_vector<byte_range, 64> stored;
    float gain = 0;
    for (const op &o : ops) {
        if (o.kind != op_kind::store) continue;
        const size_t n = size_t(std::max(1, lane_bytes / o.unit_bytes)); // chunks of a lane
        for (size_t i = 0; i < std::min(n, o.chunks.size()); i++) {
            const chunk &c = o.chunks[i];
            const uint64_t data = c.mask & c.data;
            if (data == 0) continue;
            stored.push_back({c.offset_bytes, c.offset_bytes + 64 - __builtin_clzll(data)});
            gain += cost_of_store(is_whole(c));
        }
    }
    std::sort(stored.begin(), stored.end(),
            [](const byte_range &a, const byte_range &b) { return a.begin < b.begin; });
    for (size_t i = 0, first = 0; i < stored.size(); i++) {
        if (i + 1 < stored.size() && stored[i].end == stored[i + 1].begin) continue;
        const int64_t n_bytes = stored[i].end - stored[first].begin;
        gain -= float(n_bytes / lane_bytes);
        if (n_bytes % lane_bytes != 0) gain -= tuning::cost_store_of_part;
        first = i + 1;
    }
    return gain > 0;
}

// Whether a block loads short elements one by one and then shuffles them. Such a load takes the
// same two operations to wherever in a vector it goes.
bool shuffles_single_elems(const block &ops, int elem_bytes) {
    if (elem_bytes > tuning::max_picked_elem_bytes) return false;
    const auto is_single = [&](const chunk &c) {
        return __builtin_popcountll(c.mask) <= elem_bytes;
    };
    bool shuffles = false;
    for (const op &o : ops) {
        if (o.kind == op_kind::load && !std::all_of(o.chunks.begin(), o.chunks.end(), is_single))
            return false;
        shuffles = shuffles || o.kind == op_kind::unpack || o.kind == op_kind::within16;
    }
    return shuffles;
}

class gatherer {
public:
    gatherer(const block &ops, int n_values, int elem_bytes, kernel &k)
        : ops_(ops),
          k_(k),
          elem_bytes_(elem_bytes),
          n_elems_(size_t(lane_bytes / elem_bytes)),
          n_lanes_(size_t(k.vector_bytes / lane_bytes)),
          values_(size_t(n_values)),
          counts_(size_t(n_values)),
          last_places_(size_t(n_values * lane_bytes), none),
          places_before_(last_places_) {}

    // False if the block is not one that may be made again.
    bool trace() {
        for (const op &o : ops_) {
            if (o.kind == op_kind::prefetch) continue;
            if (o.kind != op_kind::store)
                define(o);
            else if (!add_stored(o))
                return false;
        }
        return find_windows();
    }

    // Finds the sources that cost least; false if that is no less than what the block does. More
    // stages are tried until that costs more.
    bool find_sources() {
        float least = cost_of_ops([](const op &) { return true; });
        std::vector<window> best;
        for (int depth = 0; depth <= max_depth_; depth++) {
            const float cost = find_sources(depth, least);
            if (cost < least) {
                least = cost;
                best = windows_;
            } else if (!best.empty())
                break;
        }
        windows_ = std::move(best);
        return !windows_.empty();
    }

    // Whether all that is stored is as it was loaded.
    bool moves_loads() const {
        return std::all_of(windows_.begin(), windows_.end(), [&](const window &w) {
            return std::all_of(w.elems.begin(), w.elems.end(), [&](origin at) {
                return at < 0 || value_of(at / lane_bytes).maker->kind == op_kind::load;
            });
        });
    }

    // Each element goes from memory to where it is stored.
    block build_of_loads() {
        block made;
        add_prefetches(made);
        for (const window &w : windows_) {
            op &load = add(op_kind::load, made);
            load.unit_bytes = elem_bytes_;
            for (size_t lane = 0; lane < n_lanes_; lane++)
                for (size_t i = 0; i < n_elems_; i++)
                    load.chunks.push_back(
                            loaded_chunk(i < w.elems.size() ? w.elems[i] : zero_elem, lane));
            add_store(w, load.out, made);
        }
        return made;
    }

    // Operations come when the windows need them, so that few values wait.
    block build() {
        block made;
        add_prefetches(made);
        is_missing_ = live_values();
        for (const window &w : windows_) {
            for (const int v : w.sources)
                make(v, made);
            add_store(w, gathered(w, made), made);
        }
        return made;
    }

    int n_values() const { return int(values_.size()); }

private:
    static constexpr int none = -1;

    struct value {
        elem_origins elems;
        int depth = 0; // stages behind a load
        const op *maker = nullptr;
    };

    const value &value_of(int v) const { return values_[size_t(v)]; }

    void define(const op &o) {
        value &v = values_[size_t(o.out)];
        v.maker = &o;
        if (o.a >= 0) v.depth = 1 + value_of(o.a).depth;
        if (o.b >= 0) v.depth = std::max(v.depth, 1 + value_of(o.b).depth);
        max_depth_ = std::max(max_depth_, v.depth);
        byte_indices indices {};
        const bool is_shuffled = is_alike_in_lanes(o, &indices);
        for (size_t i = 0; i < n_elems_; i++) {
            const int byte = int(i) * elem_bytes_;
            origin at = o.out * lane_bytes + int(i);
            if (o.kind == op_kind::zero || (o.kind == op_kind::load && !is_loaded(o, byte)))
                at = zero_elem;
            else if (is_shuffled)
                at = shuffled_origin(o, indices[size_t(byte)]);
            v.elems.push_back(at);
            if (at >= 0) hold(at, o.out, int(i));
        }
    }

    // Whether it is a shuffle within 16 bytes, the same in all of them, and which.
    bool is_alike_in_lanes(const op &o, byte_indices *indices) const {
        if (o.kind != op_kind::unpack && o.kind != op_kind::within16) return false;
        *indices = indices_of(k_, o);
        for (size_t i = lane_bytes; i < size_t(k_.vector_bytes); i++) {
            const uint8_t before = (*indices)[i - lane_bytes];
            const bool is_zero = o.kind == op_kind::within16 && before == zero_index;
            if ((*indices)[i] != (is_zero ? zero_index : before + lane_bytes)) return false;
        }
        return true;
    }

    static const chunk &chunk_of(const op &o, int byte) {
        return o.chunks[size_t(byte / o.unit_bytes)];
    }
    static bool has_byte(const op &o, int byte) {
        return chunk_of(o, byte).mask >> byte % o.unit_bytes & 1;
    }

    // In any lane; what is not is zero in all of them.
    bool is_loaded(const op &o, int byte) const {
        for (size_t lane = 0; lane < n_lanes_; lane++)
            if (has_byte(o, byte + int(lane) * lane_bytes)) return true;
        return false;
    }

    origin shuffled_origin(const op &o, int index) const {
        if (o.kind == op_kind::within16 && index == zero_index) return zero_elem;
        const bool is_first = index < k_.vector_bytes;
        const int place = (is_first ? index : index - k_.vector_bytes) / elem_bytes_;
        return value_of(is_first ? o.a : o.b).elems[size_t(place)];
    }

    void hold(origin at, int v, int elem) {
        int &last = last_places_[size_t(at)];
        if (last != none && last / lane_bytes == v) return; // the value has it twice
        const int here = v * lane_bytes + elem;
        places_before_[size_t(here)] = last;
        last = here;
    }

    // Where value `v` has it; none if it does not.
    int place_in(int v, origin at) const {
        int place = last_places_[size_t(at)];
        while (place != none && place / lane_bytes != v)
            place = places_before_[size_t(place)];
        return place;
    }

    // What the first lane stores; false if another does not store the same, as far behind as all
    // of it.
    bool add_stored(const op &o) {
        if (o.unit_bytes > lane_bytes) return false;
        const size_t n = size_t(lane_bytes / o.unit_bytes); // chunks of a lane
        if (o.chunks.size() != n * n_lanes_) return false;
        if (moved_.empty() && n_lanes_ > 1)
            lane_step_bytes_ = o.chunks[n].offset_bytes - o.chunks[0].offset_bytes;
        for (size_t i = n; i < o.chunks.size(); i++) {
            const chunk &c = o.chunks[i], &before = o.chunks[i - n];
            if (c.mask != before.mask || c.data != before.data
                    || c.offset_bytes - before.offset_bytes != lane_step_bytes_)
                return false;
        }
        for (size_t i = 0; i < n_elems_; i++) {
            const int byte = int(i) * elem_bytes_;
            const chunk &c = chunk_of(o, byte);
            const int in_chunk = byte % o.unit_bytes;
            if (c.mask & c.data & uint64_t(1) << in_chunk)
                moved_.push_back({c.offset_bytes + in_chunk, value_of(o.a).elems[i]});
        }
        return true;
    }

    bool find_windows() {
        std::sort(moved_.begin(), moved_.end(), [](const moved_elem &a, const moved_elem &b) {
            return a.dst_offset_bytes < b.dst_offset_bytes;
        });
        for (size_t i = 0; i < moved_.size(); i++) {
            const moved_elem &m = moved_[i];
            const int64_t ahead = i > 0 ? m.dst_offset_bytes - moved_[i - 1].dst_offset_bytes : 0;
            if (i > 0 && ahead < elem_bytes_) return false; // stored twice
            if (ahead != elem_bytes_ || windows_.back().elems.size() == n_elems_)
                windows_.push_back({m.dst_offset_bytes});
            windows_.back().elems.push_back(m.from);
        }
        return windows_.size() <= tuning::max_gathered_windows;
    }

    // Of the values made by up to `max_depth` stages the one that has most of what is wanted still,
    // of equals the one made by fewest, until nothing is.
    void find_sources(window &w, int max_depth) {
        w.sources.clear();
        inline_vector<int, 64> found;
        for (const origin at : w.elems)
            for_each_holder(at, max_depth, [&](int v) {
                if (counts_[size_t(v)]++ == 0) found.push_back(v);
            });
        elem_origins wanted = w.elems;
        const auto is_better = [&](int a, int b) {
            const int more = counts_[size_t(a)] - counts_[size_t(b)];
            const int deeper = value_of(a).depth - value_of(b).depth;
            return more != 0 ? more > 0 : deeper != 0 ? deeper < 0 : a < b;
        };
        while (!found.empty()) {
            const int best = *std::min_element(found.begin(), found.end(), is_better);
            if (counts_[size_t(best)] == 0) return; // so have all
            w.sources.push_back(best);
            for (origin &at : wanted) {
                if (at < 0 || place_in(best, at) == none) continue;
                for_each_holder(at, max_depth, [&](int v) { counts_[size_t(v)]--; });
                at = zero_elem;
            }
        }
    }

    // (Values that no shuffle made are there at any depth.)
    template <typename F>
    void for_each_holder(origin at, int max_depth, F &&f) const {
        if (at < 0) return;
        for (int place = last_places_[size_t(at)], before; place != none; place = before) {
            before = places_before_[size_t(place)];
            const int v = place / lane_bytes;
            if (before == none || value_of(v).depth <= max_depth) f(v);
        }
    }

    void drop_held(elem_origins &wanted, int v) const {
        for (origin &at : wanted)
            if (at >= 0 && place_in(v, at) != none) at = zero_elem;
    }

    // Whether a source has its part of the window where that belongs, and nothing of the others'.
    bool is_in_place(const window &w, int v) const {
        for (size_t i = 0; i < w.elems.size(); i++) {
            const origin held = value_of(v).elems[i], wanted = w.elems[i];
            if (held == wanted) continue;
            const bool is_others = wanted >= 0 && place_in(v, wanted) == none;
            if (w.sources.size() == 1 || held != zero_elem || !is_others) return false;
        }
        return true;
    }

    std::vector<char> live_values() const {
        std::vector<char> live(values_.size());
        for (const window &w : windows_)
            for (const int v : w.sources)
                live[size_t(v)] = true;
        for (auto o = ops_.rbegin(); o != ops_.rend(); ++o)
            for (const int v : {o->a, o->b})
                if (o->out >= 0 && live[size_t(o->out)] && v >= 0) live[size_t(v)] = true;
        return live;
    }

    template <typename F>
    float cost_of_ops(F &&counts) const {
        float cost = 0;
        for (const op &o : ops_) {
            if (o.kind == op_kind::prefetch || o.kind == op_kind::zero || !counts(o)) continue;
            if (o.chunks.empty()) cost += tuning::cost_unpack;
            for (const chunk &c : o.chunks)
                if (c.mask != 0) cost += o.kind == op_kind::load ? 1 : cost_of_store(is_whole(c));
        }
        return cost;
    }

    // The cost of sources made by up to `max_depth` stages, found for each window, and of all that
    // makes them; or some cost that is not below `limit`.
    float find_sources(int max_depth, float limit) {
        float cost = 0;
        for (window &w : windows_) {
            find_sources(w, max_depth);
            cost += float(n_lanes_) * cost_of_store(w.elems.size() == n_elems_);
            for (const int v : w.sources)
                if (!is_in_place(w, v)) cost += tuning::cost_unpack;
            if (w.sources.size() > 1) cost += float(w.sources.size() - 1) * tuning::cost_merge;
            if (cost >= limit) return cost;
        }
        const std::vector<char> live = live_values();
        return cost + cost_of_ops([&](const op &o) { return o.out >= 0 && live[size_t(o.out)]; });
    }

    // What a lane of a load has where the first one has that; nothing if it is zero.
    chunk loaded_chunk(origin at, size_t lane) const {
        if (at < 0) return {0, 0, 0};
        const op &load = *value_of(at / lane_bytes).maker;
        const int byte = int(lane) * lane_bytes + at % lane_bytes * elem_bytes_;
        if (!has_byte(load, byte)) return {0, 0, 0};
        const uint64_t mask = low_bits(elem_bytes_);
        return {chunk_of(load, byte).offset_bytes + byte % load.unit_bytes, mask, mask};
    }

    void add_prefetches(block &made) const {
        for (const op &o : ops_)
            if (o.kind == op_kind::prefetch) made.push_back(o);
    }

    void add_store(const window &w, int value, block &made) const {
        made.emplace_back(op_kind::store);
        op &o = made.back();
        o.a = value;
        o.unit_bytes = lane_bytes;
        const uint64_t mask = low_bits(int(w.elems.size()) * elem_bytes_);
        for (size_t lane = 0; lane < n_lanes_; lane++)
            o.chunks.push_back({w.dst_offset_bytes + int64_t(lane) * lane_step_bytes_, mask, mask});
    }

    // Adds value `v` and what it is made of, unless that is done. Of an exchange both results, so
    // that neither source waits for the other one.
    void make(int v, block &made) {
        if (!is_missing_[size_t(v)]) return;
        is_missing_[size_t(v)] = false;
        const op &o = *value_of(v).maker;
        for (const int source : {o.a, o.b})
            if (source >= 0) make(source, made);
        made.push_back(o);
        if (o.b < 0) return;
        const size_t i = size_t(&o - ops_.data());
        for (const size_t other : {i - 1, i + 1})
            if (other < ops_.size() && ops_[other].a == o.a && ops_[other].b == o.b)
                make(ops_[other].out, made);
    }

    // The value that is stored to a window.
    int gathered(const window &w, block &made) {
        int merged = none;
        elem_origins wanted = w.elems;
        for (const int v : w.sources) {
            const int part = is_in_place(w, v) ? v : shuffled(v, wanted, made);
            drop_held(wanted, v);
            if (merged == none) {
                merged = part;
                continue;
            }
            op &o = add(op_kind::merge, made);
            o.a = merged;
            o.b = part;
            merged = o.out;
        }
        return merged != none ? merged : add(op_kind::zero, made).out;
    }

    // What is wanted of value `v`, where it belongs, and zeros.
    int shuffled(int v, const elem_origins &wanted, block &made) {
        byte_indices indices {};
        for (size_t i = 0; i < size_t(k_.vector_bytes); i++) {
            const size_t byte = i % size_t(lane_bytes), elem = byte / size_t(elem_bytes_);
            const origin at = elem < wanted.size() ? wanted[elem] : zero_elem;
            const int place = at >= 0 ? place_in(v, at) : none;
            indices[i] = place == none ? zero_index
                                       : uint8_t(i - byte + byte % size_t(elem_bytes_)
                                               + size_t(place % lane_bytes * elem_bytes_));
        }
        op &o = add(op_kind::within16, made);
        o.a = v;
        o.constant = constant_of(k_, indices);
        return o.out;
    }

    op &add(op_kind kind, block &made) {
        made.emplace_back(kind);
        made.back().out = n_values();
        values_.emplace_back();
        return made.back();
    }

    const block &ops_;
    kernel &k_;
    const int elem_bytes_;
    const size_t n_elems_; // of 16 bytes
    const size_t n_lanes_;
    std::vector<value> values_;
    std::vector<int> counts_; // of each value, while sources are looked for
    // Of each origin the last place of a value that holds it, and of each place the one before.
    // Places are numbered as origins are.
    std::vector<int> last_places_, places_before_;
    int max_depth_ = 0;
    std::vector<moved_elem> moved_; // by the first lane
    int64_t lane_step_bytes_ = 0;   // from what it stores to what the next one does
    std::vector<window> windows_;
    std::vector<char> is_missing_; // values that are needed and not made yet
};

} // namespace

int gather_stores(block &ops, int n_values, int elem_bytes, int n_regs, kernel &k) {
    const bool picks = shuffles_single_elems(ops, elem_bytes);
    if (!picks && !gains_by_windows(ops)) return 0;
    gatherer g(ops, n_values, elem_bytes, k);
    if (!g.trace()) return 0;
    if (picks && g.moves_loads()) {
        ops = g.build_of_loads();
        return g.n_values();
    }
    if (!g.find_sources()) return 0;
    const size_t n_kept_constants = k.constants.size();
    block made = g.build();
    if (count_live(made, g.n_values()) > n_regs) {
        k.constants.resize(n_kept_constants);
        return 0;
    }
    ops = std::move(made);
    return g.n_values();
}

} // namespace tfmt::cpu::ir
