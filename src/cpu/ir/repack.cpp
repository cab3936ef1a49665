// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/repack.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>
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
    size_t load;
    int lane;
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
    const op *of = nullptr;
    byte_indices from;
};

// Elements in the order of the loads or stores that have them, to be put in that of their
// addresses: chunks, whose elements are in order, and not these, are sorted.
class elem_list {
public:
    void add_chunk() { chunk_begins_.push_back(elems_.size()); }
    void add(int64_t offset_bytes, int number) { elems_.emplace_back(offset_bytes, number); }
    size_t size() const { return elems_.size(); }

    template <typename F>
    std::vector<elem> sorted_if(F &&is_wanted) {
        const auto is_before = [](const elem &a, const elem &b) {
            return a.offset_bytes < b.offset_bytes;
        };
        std::vector<std::pair<size_t, size_t>> chunks; // that have any
        for (size_t i = 0; i < chunk_begins_.size(); i++) {
            const size_t end = i + 1 < chunk_begins_.size() ? chunk_begins_[i + 1] : elems_.size();
            if (chunk_begins_[i] < end) chunks.push_back({chunk_begins_[i], end});
        }
        std::sort(chunks.begin(), chunks.end(), [&](const auto &a, const auto &b) {
            return is_before(elems_[a.first], elems_[b.first]);
        });
        std::vector<elem> sorted;
        sorted.reserve(elems_.size());
        for (const auto &[begin, end] : chunks)
            std::copy_if(elems_.begin() + ptrdiff_t(begin), elems_.begin() + ptrdiff_t(end),
                    std::back_inserter(sorted), is_wanted);
        if (!std::is_sorted(sorted.begin(), sorted.end(), is_before)) // loads of gaps may overlap
            std::sort(sorted.begin(), sorted.end(), is_before);
        return sorted;
    }

private:
    std::vector<elem> elems_;
    std::vector<size_t> chunk_begins_;
};

class repacker {
public:
    // `always`: whatever it costs.
    repacker(const block &ops, int elem_bytes, bool always, kernel &k)
        : ops_(ops),
          elem_bytes_(elem_bytes),
          elem_shift_(log2_exact(elem_bytes)),
          n_lanes_(k.vector_bytes / elem_bytes),
          max_cost_(always ? std::numeric_limits<float>::infinity()
                           : tuning::max_repacked_cost * old_cost()),
          k_(k) {
        find_loads(trace());
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
    // Follows the elements from loads to stores. Returns those that are read.
    std::vector<elem> trace() {
        int n_values = 0;
        for (const op &o : ops_)
            n_values = std::max(n_values, o.out + 1);
        std::vector<int> lanes(size_t(n_values * n_lanes_), zero); // of all values
        const auto lanes_of = [&](int value) { return lanes.data() + value * n_lanes_; };
        elem_list read, written;
        for (const op &o : ops_) {
            if (o.kind == op_kind::prefetch || o.kind == op_kind::zero) continue;
            if (o.kind == op_kind::load)
                add_elems(o, read,
                        [&](int lane) { return lanes_of(o.out)[lane] = int(read.size()); });
            else if (o.kind == op_kind::store)
                add_elems(o, written, [&](int lane) { return lanes_of(o.a)[lane]; });
            else
                shuffle(o, lanes_of(o.a), lanes_of(std::max(o.b, 0)), lanes_of(o.out));
        }
        moved_ = written.sorted_if([](const elem &) { return true; });
        std::vector<bool> is_moved(read.size(), false);
        for (const elem &e : moved_)
            if (e.number != zero) is_moved[size_t(e.number)] = true;
        places_.resize(read.size());
        return read.sorted_if([&](const elem &e) { return is_moved[size_t(e.number)]; });
    }

    // Adds the elements that a load or store moves, which `number_of` finds by their lanes.
    template <typename F>
    void add_elems(const op &o, elem_list &elems, F &&number_of) const {
        int lane = 0;
        for (const chunk &c : o.chunks) {
            elems.add_chunk();
            for (int byte = 0; byte < o.unit_bytes; byte += elem_bytes_, lane++)
                if (c.mask >> byte & 1) elems.add(c.offset_bytes + byte, number_of(lane));
        }
    }

    void shuffle(const op &o, const int *a, const int *b, int *out) {
        const byte_indices &lanes = lanes_alike(o);
        for (int lane = 0; lane < n_lanes_; lane++) {
            const int from = lanes[size_t(lane)];
            if (from != zero_index) out[lane] = from < n_lanes_ ? a[from] : b[from - n_lanes_];
        }
    }

    // Those of an operation; most are like one of the last two, a stage's pair.
    const byte_indices &lanes_alike(const op &o) {
        const auto is_alike = [&](const op &known) {
            return known.kind == o.kind && known.is_high == o.is_high
                    && known.selector == o.selector && known.unit_bytes == o.unit_bytes
                    && known.constant == o.constant;
        };
        for (const shuffled_lanes &last : last_shuffled_)
            if (last.of && is_alike(*last.of)) return last.from;
        std::swap(last_shuffled_[0], last_shuffled_[1]);
        shuffled_lanes &made = last_shuffled_[0];
        made.of = &o;
        const byte_indices indices = indices_of(k_, o);
        for (int lane = 0; lane < n_lanes_; lane++) {
            const uint8_t index = indices[size_t(lane * elem_bytes_)];
            made.from[size_t(lane)] = index == zero_index ? index : index >> elem_shift_;
        }
        return made.from;
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
            places_[size_t(e.number)] = {loads_.size() - 1, lane};
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
        return number == zero ? loads_.size() : places_[size_t(number)].load;
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
    const int elem_bytes_, elem_shift_, n_lanes_;
    const float max_cost_;
    kernel &k_;
    std::array<shuffled_lanes, 2> last_shuffled_;
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

int repack(block &ops, int elem_bytes, bool always, size_t n_kept_constants, kernel &k) {
    repacker r(ops, elem_bytes, always, k);
    if (!r.is_worth_it()) return 0;
    k.constants.resize(n_kept_constants);
    ops = r.build();
    return r.n_values();
}

} // namespace tfmt::cpu::ir
