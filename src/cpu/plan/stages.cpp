// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/stages.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <unordered_map>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

using namespace tuning;

using lanes_t = std::array<int8_t, 8>; // at most 6 are used

struct node {
    lanes_t lanes;
    float cost;
    int parent; // index into the node list, -1 for a load
    stage_kind kind;
    int8_t entering;
    int8_t unit_bytes;
};

// Best-first search over what the lanes hold. Which bit sits in which register bit needs no place
// in the state: registers are renamed for free.
class stage_search {
public:
    stage_search(const tile &t, const machine &m, bool may_expel_needed)
        : t_(t),
          m_(m),
          n_(t.n_lane_bits()),
          elem_log2_(log2_exact(t.elem_bytes)),
          n_needed_(int(t.dst_run.size())),
          may_expel_needed_(may_expel_needed) {
        rank_.fill(-1);
        for (size_t i = 0; i < t.dst_run.size(); i++)
            rank_[size_t(t.dst_run[i])] = int8_t(i);
    }

    bool run(schedule *out) {
        add_loads();
        while (!open_.empty()) {
            const int index = -open_.top().second;
            open_.pop();
            const node current = nodes_[index];
            if (closed(current)) continue;
            if (is_goal(current.lanes)) {
                *out = trace(index);
                return true;
            }
            expand(index);
        }
        return false;
    }

private:
    // Estimated total cost and minus the index: among equals the newest, which is the deepest.
    using entry = std::pair<float, int>;

    // Position of the lane bit that stands for `bytes`, in lanes.
    int position(int bytes) const { return log2_exact(bytes) - elem_log2_; }
    bool holds(const lanes_t &lanes, int bit) const {
        return std::find(lanes.begin(), lanes.begin() + n_, bit) != lanes.begin() + n_;
    }
    bool is_needed(int bit) const { return rank_[size_t(bit)] >= 0; }
    int missing(const lanes_t &lanes) const {
        int count = 0;
        for (int bit : t_.dst_run)
            count += !holds(lanes, bit);
        return count;
    }
    // Exchanges keep the order of the bits that stay, move them up within 16 bytes and never across
    // that border. So bits of the destination run that are out of order, too far up or on the wrong
    // side need a permute.
    bool needs_permute(const lanes_t &lanes) const {
        const int border = position(16);
        int last_rank = -1;
        for (int pos = 0; pos < n_; pos++) {
            const int rank = rank_[lanes[pos]];
            if (rank < 0) continue;
            const bool is_low = pos < border;
            if (rank < last_rank || is_low != (rank < border) || (is_low && pos > rank))
                return true;
            last_rank = rank;
        }
        return false;
    }
    // Never more than the true cost: each missing bit takes an exchange, and a two-source permute
    // does the work of the last one as well.
    float least_cost_from(const lanes_t &lanes) const {
        const float permute = has_word_permutes() ? cost_permute2 - cost_unpack : cost_permute;
        return float(missing(lanes)) * cost_unpack
                + (!may_expel_needed_ && needs_permute(lanes) ? permute : 0);
    }
    bool is_goal(const lanes_t &lanes) const {
        return std::equal(t_.dst_run.begin(), t_.dst_run.end(), lanes.begin());
    }
    bool has_word_permutes() const {
        return m_.has_two_source_permutes && (t_.elem_bytes >= 2 || m_.has_vbmi);
    }

    uint64_t key(const lanes_t &lanes) const {
        uint64_t k = 0;
        for (int i = 0; i < n_; i++)
            k = k << 8 | uint8_t(lanes[i]);
        return k;
    }

    bool closed(const node &c) {
        const uint64_t k = key(c.lanes);
        const auto it = closed_.find(k);
        if (it != closed_.end() && it->second <= c.cost) return true;
        closed_[k] = c.cost;
        return false;
    }

    void push(const node &c) {
        const auto it = closed_.find(key(c.lanes));
        if (it != closed_.end() && it->second <= c.cost) return;
        nodes_.push_back(c);
        open_.push({c.cost + least_cost_from(c.lanes), 1 - int(nodes_.size())});
    }

    // Loads put the source run in the low lanes; the lanes above it are filled by other pieces of
    // memory, which may be told apart by any other tile bits, in any order.
    void add_loads() {
        lanes_t lanes {};
        const int run = int(t_.src_run.size());
        std::copy(t_.src_run.begin(), t_.src_run.end(), lanes.begin());
        add_fills(lanes, run);
    }

    void add_fills(lanes_t lanes, int pos) {
        if (pos == n_) {
            push({lanes, 0, -1, stage_kind::permute, -1, 0});
            return;
        }
        bool any = false;
        for (int pass = 0; pass < 2 && !any; pass++) // bits of the destination run first
            for (int bit = 0; bit < int(t_.bits.size()); bit++) {
                if (std::find(lanes.begin(), lanes.begin() + pos, bit) != lanes.begin() + pos)
                    continue;
                if (pass == 0 && !is_needed(bit)) continue;
                lanes[pos] = int8_t(bit);
                add_fills(lanes, pos + 1);
                any = true;
                if (pass == 1) break; // among the others one is as good as another
            }
    }

    void expand(int index) {
        const lanes_t lanes = nodes_[index].lanes;
        const bool complete = missing(lanes) == 0;
        if (!complete || may_expel_needed_)
            for (int bit = 0; bit < int(t_.bits.size()); bit++)
                if (!holds(lanes, bit) && (is_needed(bit) || may_expel_needed_))
                    add_exchanges(index, bit);
        if (has_word_permutes()) {
            if (complete) add_final_permute(index, -1);
            if (missing(lanes) == 1)
                for (int bit : t_.dst_run)
                    if (!holds(lanes, bit)) add_final_permute(index, bit);
        } else {
            add_reorders(index);
        }
    }

    // `from`..`to` (positions) rotate up by one, `bit` enters at `from`, the one at `to` leaves.
    void add_rotation(int index, int bit, int from, int to, stage_kind kind, int unit, float cost) {
        node c = nodes_[index];
        const int leaving = c.lanes[to];
        if (is_needed(leaving) && !may_expel_needed_) return;
        for (int i = to; i > from; i--)
            c.lanes[i] = c.lanes[i - 1];
        c.lanes[from] = int8_t(bit);
        push({c.lanes, c.cost + cost, index, kind, int8_t(bit), int8_t(unit)});
    }

    void add_exchanges(int index, int bit) {
        for (int unit = std::max(1, t_.elem_bytes); unit <= 8 && t_.vector_bytes >= 16; unit *= 2)
            add_rotation(
                    index, bit, position(unit), position(8), stage_kind::unpack, unit, cost_unpack);
        if (t_.vector_bytes == 32)
            add_rotation(
                    index, bit, position(16), position(16), stage_kind::halves, 0, cost_lanes16);
        if (t_.vector_bytes == 64) {
            add_rotation(
                    index, bit, position(32), position(32), stage_kind::quarters, 0, cost_lanes16);
            // Lanes 0,2 of both: the lower of the two bits leaves, the upper takes its place.
            node c = nodes_[index];
            const int low = position(16), high = position(32);
            if (is_needed(c.lanes[low]) && !may_expel_needed_) return;
            c.lanes[low] = c.lanes[high];
            c.lanes[high] = int8_t(bit);
            push({c.lanes, c.cost + cost_lanes16, index, stage_kind::alternate, int8_t(bit), 0});
        }
    }

    // Orders of lane positions [from, to).
    void add_orders(int index, int from, int to, stage_kind kind) {
        from = std::max(from, 0);
        to = std::min(to, n_);
        if (to - from < 2) return;
        std::vector<int8_t> order(
                nodes_[index].lanes.begin() + from, nodes_[index].lanes.begin() + to);
        std::sort(order.begin(), order.end());
        do {
            node c = nodes_[index];
            std::copy(order.begin(), order.end(), c.lanes.begin() + from);
            push({c.lanes, c.cost + cost_permute, index, kind, -1, 0});
        } while (std::next_permutation(order.begin(), order.end()));
    }

    void add_reorders(int index) {
        add_orders(index, 0, position(16), stage_kind::within16);
        if (t_.vector_bytes > 16) add_orders(index, position(8), n_, stage_kind::quads);
    }

    void add_final_permute(int index, int bit) {
        node c = nodes_[index];
        lanes_t target = c.lanes;
        std::vector<int> rest;
        for (int i = 0; i < n_; i++)
            if (!is_needed(c.lanes[i])) rest.push_back(c.lanes[i]);
        std::copy(t_.dst_run.begin(), t_.dst_run.end(), target.begin());
        for (int i = n_needed_; i < n_; i++)
            target[i] = int8_t(rest[i - n_needed_]);
        push({target, c.cost + (bit < 0 ? cost_permute : cost_permute2), index,
                bit < 0 ? stage_kind::permute : stage_kind::permute2, int8_t(bit), 0});
    }

    schedule trace(int index) const {
        schedule s {int(t_.src_run.size()), {}, {}, nodes_[index].cost};
        for (; nodes_[index].parent >= 0; index = nodes_[index].parent) {
            const node &c = nodes_[index];
            s.stages.push_back({c.kind, c.entering, c.unit_bytes,
                    std::vector<int>(c.lanes.begin(), c.lanes.begin() + n_)});
        }
        std::reverse(s.stages.begin(), s.stages.end());
        s.load_lanes.assign(nodes_[index].lanes.begin(), nodes_[index].lanes.begin() + n_);
        return s;
    }

    const tile &t_;
    const machine &m_;
    const int n_;
    const int elem_log2_;
    const int n_needed_;
    const bool may_expel_needed_;
    std::array<int8_t, 16> rank_; // place of each tile bit in the destination run, -1: none
    std::vector<node> nodes_;
    std::unordered_map<uint64_t, float> closed_;
    std::priority_queue<entry, std::vector<entry>, std::greater<entry>> open_;
};

} // namespace

schedule find_schedule(const tile &t, const machine &m) {
    if (t.n_lane_bits() == 0) return {0, {}, {}, 0};
    schedule s;
    // Nearly always no bit that has arrived need leave again; that search is small.
    if (stage_search(t, m, false).run(&s) || stage_search(t, m, true).run(&s)) return s;
    throw std::logic_error("no schedule for a tile");
}

std::string to_text(const schedule &s) {
    static const char *const names[] = {"unpack", "halves", "quarters", "alternate", "within16",
            "quads", "permute", "permute2"};
    auto list = [](const std::vector<int> &lanes) {
        std::string text;
        for (int bit : lanes)
            text += " " + std::to_string(bit);
        return text;
    };
    std::string text = "schedule: loads of " + std::to_string(1 << s.load_run_bits)
            + " elements, lanes" + list(s.load_lanes) + "\n";
    for (const stage &g : s.stages)
        text += std::string("  ") + names[int(g.kind)]
                + (g.unit_bytes ? " " + std::to_string(g.unit_bytes) : "")
                + (g.entering >= 0 ? ", bit " + std::to_string(g.entering) + " enters" : "")
                + ", lanes" + list(g.lanes) + "\n";
    return text;
}

} // namespace tfmt::cpu
