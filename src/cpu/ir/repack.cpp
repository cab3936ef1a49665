// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/repack.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

constexpr int zero = -1; // in place of the number of an element that is read

// An element of memory: of the source, numbered in the order in which the block's loads have them,
// or of the destination, with the number of the one that goes there.
struct elem {
    elem(int64_t at, int n) : offset_bytes(at), number(n) {}
    int64_t offset_bytes;
    int number;
};

// Where an element that is read is found: a load and a lane of it.
struct place {
    int load, lane;
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

// Where an operation takes each lane from: lanes of `a`, behind these those of `b`, or zero_index.
struct shuffled_lanes {
    const op *of;
    byte_indices from;
};

// What makes a value: a load, the elements of whose lanes have numbers one behind the other, or a
// shuffle. Neither: it is zero.
struct maker {
    int first_number = 0;
    uint64_t lanes = 0; // of a load, that have an element
    int shuffle = -1;   // index into the block's
    int a = -1, b = -1;
};

// A chunk of a value, from the first to the last element that is moved.
struct moved_chunk {
    int64_t first_bytes, last_bytes;
    const chunk *memory;
    int value, lane;
};

class repacker {
public:
    // `always`: whatever it costs.
    repacker(const block &ops, int n_values, int elem_bytes, bool always, kernel &k)
        : ops_(ops),
          elem_bytes_(elem_bytes),
          elem_shift_(log2_exact(elem_bytes)),
          elem_begins_(~uint64_t(0) / low_bits(elem_bytes)),
          n_lanes_(k.vector_bytes / elem_bytes),
          max_cost_(always ? std::numeric_limits<float>::infinity()
                           : tuning::max_repacked_cost * old_cost()),
          k_(k) {
        for (const op &o : ops_) {
            if (o.kind == op_kind::load) add_chunks(o, o.out, read_);
            if (o.kind == op_kind::store) add_chunks(o, o.a, written_);
        }
        for (std::vector<moved_chunk> *chunks : {&read_, &written_})
            std::sort(
                    chunks->begin(), chunks->end(), [](const moved_chunk &a, const moved_chunk &b) {
                        return a.first_bytes < b.first_bytes;
                    });
        may_change_ = always || !takes_much_of_many_rows();
        if (!may_change_) return;
        find_loads(trace(n_values));
        if (loads_.size() > tuning::max_repacked_loads) may_change_ = false;
        if (may_change_) find_stores();
    }

    bool is_worth_it() const { return may_change_ && cost() < max_cost_; }

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
    void add_chunks(const op &o, int value, std::vector<moved_chunk> &chunks) const {
        int lane = 0;
        for (const chunk &c : o.chunks) {
            if (const uint64_t elems = elems_in(c))
                chunks.push_back({c.offset_bytes + __builtin_ctzll(elems),
                        c.offset_bytes + 63 - __builtin_clzll(elems), &c, value, lane});
            lane += o.unit_bytes >> elem_shift_;
        }
    }

    // The first byte of each element of a chunk that is moved.
    uint64_t elems_in(const chunk &c) const { return c.mask & elem_begins_; }

    // Whether much is read of many rows that are vectors apart: a vector of the destination then
    // has elements of most of them, which costs more than stages, and more to find out.
    bool takes_much_of_many_rows() const {
        size_t n_rows = 0;
        int64_t end_bytes = std::numeric_limits<int64_t>::min();
        for (const moved_chunk &c : read_) {
            if (c.first_bytes < end_bytes) continue;
            n_rows++;
            end_bytes = c.first_bytes + k_.vector_bytes;
        }
        size_t n_elems = 0;
        for (const moved_chunk &c : written_)
            n_elems += size_t(__builtin_popcountll(elems_in(*c.memory)));
        return n_rows > tuning::max_repacked_rows
                && n_elems * size_t(elem_bytes_) > n_rows * tuning::max_repacked_bytes_of_row;
    }

    // Follows the elements from stores back to loads. Returns those that are read.
    std::vector<elem> trace(int n_values) {
        makers_.resize(size_t(n_values));
        int n_numbers = 0;
        for (const op &o : ops_)
            switch (o.kind) {
            case op_kind::zero:
            case op_kind::prefetch:
            case op_kind::store: break;
            case op_kind::load:
                makers_[size_t(o.out)].first_number = n_numbers;
                n_numbers += n_lanes_;
                break;
            default: makers_[size_t(o.out)] = {0, 0, shuffle_like(o), o.a, o.b}; break;
            }
        for (const moved_chunk &c : read_)
            for_each_lane(c,
                    [&](int, int lane) { makers_[size_t(c.value)].lanes |= uint64_t(1) << lane; });
        moved_ = elems_of(written_, [](int) { return true; });
        std::vector<char> is_moved(size_t(n_numbers), false);
        for (const elem &e : moved_)
            if (e.number != zero) is_moved[size_t(e.number)] = true;
        places_.resize(size_t(n_numbers));
        return elems_of(read_, [&](int number) { return is_moved[size_t(number)]; });
    }

    // The elements of sorted chunks whose numbers are wanted, by their addresses.
    template <typename F>
    std::vector<elem> elems_of(const std::vector<moved_chunk> &chunks, F &&is_wanted) const {
        std::vector<elem> elems;
        elems.reserve(chunks.size() * size_t(n_lanes_));
        bool overlap = false; // as loads of gaps may
        for (size_t i = 0; i < chunks.size(); i++) {
            const moved_chunk &c = chunks[i];
            overlap = overlap || (i > 0 && c.first_bytes < chunks[i - 1].last_bytes);
            for_each_lane(c, [&](int byte, int lane) {
                const int number = number_of(c.value, lane);
                if (is_wanted(number)) elems.emplace_back(c.memory->offset_bytes + byte, number);
            });
        }
        if (overlap)
            std::sort(elems.begin(), elems.end(),
                    [](const elem &a, const elem &b) { return a.offset_bytes < b.offset_bytes; });
        return elems;
    }

    // For each element of a chunk that is moved, its first byte and its lane of the value.
    template <typename F>
    void for_each_lane(const moved_chunk &c, F &&f) const {
        for (uint64_t left = elems_in(*c.memory); left != 0; left &= left - 1) {
            const int byte = __builtin_ctzll(left);
            f(byte, c.lane + (byte >> elem_shift_));
        }
    }

    // The element that a lane of a value has.
    int number_of(int value, int lane) const {
        for (;;) {
            const maker &m = makers_[size_t(value)];
            if (m.shuffle < 0) return m.lanes >> lane & 1 ? m.first_number + lane : zero;
            const uint8_t from = shuffles_[size_t(m.shuffle)].from[size_t(lane)];
            if (from == zero_index) return zero;
            value = from < n_lanes_ ? m.a : m.b;
            lane = from & (n_lanes_ - 1);
        }
    }

    // Which of the block's shuffles an operation is; most are one of the last two, a stage's pair.
    int shuffle_like(const op &o) {
        const auto is_alike = [&](const shuffled_lanes &s) {
            const op &known = *s.of;
            return known.kind == o.kind && known.is_high == o.is_high
                    && known.selector == o.selector && known.unit_bytes == o.unit_bytes
                    && known.constant == o.constant;
        };
        const auto n = int(shuffles_.size());
        for (int i = n; i-- > std::max(0, n - 2);)
            if (is_alike(shuffles_[size_t(i)])) return i;
        shuffles_.push_back({&o, {}});
        const byte_indices indices = indices_of(k_, o);
        for (int lane = 0; lane < n_lanes_; lane++) {
            const uint8_t index = indices[size_t(lane * elem_bytes_)];
            shuffles_.back().from[size_t(lane)] = index == zero_index ? index
                                                                      : index >> elem_shift_;
        }
        return n;
    }

    // What is between two elements that are read can be read as well: it lies in their pages.
    void find_loads(const std::vector<elem> &read) {
        for (const elem &e : read) {
            if ((e.offset_bytes - read.front().offset_bytes) & (elem_bytes_ - 1))
                may_change_ = false;
            if (loads_.empty() || e.offset_bytes - loads_.back().offset_bytes >= k_.vector_bytes)
                loads_.push_back({e.offset_bytes, 1});
            window &load = loads_.back();
            const int lane = int(e.offset_bytes - load.offset_bytes) >> elem_shift_;
            load.n_elems = lane + 1;
            places_[size_t(e.number)] = {int(loads_.size()) - 1, lane};
        }
    }

    // Until they cost too much, if they do.
    void find_stores() {
        const bool streams = k_.is_streaming && k_.scratch_bytes == 0;
        std::vector<size_t> n_stores_when_last_used(loads_.size() + 1, 0);
        auto least_cost = float(loads_.size());
        for (size_t i = 0; i < moved_.size() && least_cost < max_cost_; i++) {
            const elem &m = moved_[i];
            if (stores_.empty() || stores_.back().n_elems == n_lanes_
                    || m.offset_bytes != end_of(stores_.back())) {
                stores_.push_back({{m.offset_bytes, 0}, i});
                least_cost++;
            }
            stores_.back().n_elems++;
            const size_t load = load_of(m.number);
            if (n_stores_when_last_used[load] == stores_.size()) continue;
            n_stores_when_last_used[load] = stores_.size();
            auto &from = stores_.back().from;
            if (!from.empty()) least_cost += tuning::cost_permute2;
            from.push_back(load);
        }
        may_change_ = least_cost < max_cost_
                && (!streams || std::all_of(stores_.begin(), stores_.end(), [&](const window &w) {
                       return w.n_elems < n_lanes_ || w.offset_bytes % k_.vector_bytes == 0;
                   }));
    }

    int64_t end_of(const window &w) const { return w.offset_bytes + w.n_elems * elem_bytes_; }

    // The load that has an element; that behind them all has what is zero.
    size_t load_of(int number) const {
        return number == zero ? loads_.size() : size_t(places_[size_t(number)].load);
    }

    // Whether the elements of a store are no lanes of one load as they are.
    bool needs_permutes(const gathered_window &store) const {
        if (store.from.size() > 1) return true;
        const size_t load = store.from[0];
        if (load == loads_.size()) return false;
        for (int lane = 0; lane < store.n_elems; lane++)
            if (places_[size_t(moved_[store.first + size_t(lane)].number)].lane != lane)
                return true;
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
                const int number = moved_[store.first + size_t(lane)].number;
                const size_t load = load_of(number);
                const int in_load = number == zero ? 0 : places_[size_t(number)].lane;
                if (load == a) index = in_load;
                if (load == b) index = n_lanes_ + in_load;
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
    const int elem_bytes_, elem_shift_;
    const uint64_t elem_begins_; // the first byte of each element of a chunk
    const int n_lanes_;
    const float max_cost_;
    kernel &k_;
    std::vector<moved_chunk> read_, written_; // by their addresses
    std::vector<maker> makers_;               // of the values
    std::vector<shuffled_lanes> shuffles_;
    std::vector<elem> moved_;   // by their addresses in the destination
    std::vector<place> places_; // of the elements that are read
    std::vector<window> loads_;
    std::vector<gathered_window> stores_;
    // What is read is whole elements apart, and what goes past the caches is aligned.
    bool may_change_ = true;
    int n_values_ = 0;
    int zero_ = -1;
};

} // namespace

int repack(
        block &ops, int n_values, int elem_bytes, bool always, size_t n_kept_constants, kernel &k) {
    repacker r(ops, n_values, elem_bytes, always, k);
    if (!r.is_worth_it()) return 0;
    k.constants.resize(n_kept_constants);
    ops = r.build();
    return r.n_values();
}

} // namespace tfmt::cpu::ir
