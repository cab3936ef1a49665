// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/stages.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>

#include "cpu/plan/stage_patterns.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// What the lanes hold, as far as it matters: a digit of four bits for each lane position, the
// lowest first. Bits that the destination run does not name are all alike.
using lanes_t = uint32_t;
constexpr uint32_t other = 0; // 1..: the tile bit of place digit - 1 in the destination run
// Some bit of the destination run: which one does not matter, since the permute at the end brings
// all to their places. All bits of the run are written so, or none; `is_any` tells which.
constexpr uint32_t any = 15;
constexpr lanes_t is_any = 1u << 31;

uint32_t digit_at(lanes_t lanes, int pos) { return lanes >> 4 * pos & 15; }
lanes_t with_digit(lanes_t lanes, int pos, uint32_t digit) {
    return (lanes & ~(15u << 4 * pos)) | digit << 4 * pos;
}

// Bit 4i where position i has a bit of the destination run.
uint32_t needed_in(lanes_t lanes) {
    const uint32_t pairs = lanes | lanes >> 1;
    return (pairs | pairs >> 2) & 0x111111;
}
int count_needed(lanes_t lanes) { return int(needed_in(lanes) * 0x111111 >> 20 & 15); }
uint32_t positions_of_needed(lanes_t lanes) {
    const uint32_t needed = needed_in(lanes), three = needed | needed >> 3 | needed >> 6;
    return (three & 7) | (three >> 12 & 7) << 3;
}

// A state and the stage that leads from it to the node `next`.
struct node {
    lanes_t lanes;
    float cost; // from here to the end
    int next;   // index into the node list, -1 for the end
    stage_kind kind;
    uint8_t entering; // digit, `other` if there is none
    uint8_t unit_bytes;
};

// Least cost known of each state. Open addressing: a node-based map would take most of the
// microseconds that a search has.
class cost_table {
public:
    // Whether `cost` is less than what is known of `key`; it is known then.
    bool improve(uint32_t key, float cost) {
        if (2 * n_used_ >= slots_.size()) grow();
        slot &s = find(key);
        if (s.key == key && s.cost <= cost) return false;
        n_used_ += s.key == empty;
        s = {key, cost};
        return true;
    }
    float cost_of(uint32_t key) { return find(key).cost; }

private:
    struct slot {
        uint32_t key = empty;
        float cost = 0;
    };
    static constexpr uint32_t empty = ~uint32_t(0);

    slot &find(uint32_t key) {
        const size_t mask = slots_.size() - 1;
        size_t i = (key * 0x9e3779b1u >> 12) & mask;
        while (slots_[i].key != key && slots_[i].key != empty)
            i = (i + 1) & mask;
        return slots_[i];
    }
    void grow() {
        std::vector<slot> old(4 * slots_.size());
        old.swap(slots_);
        for (const slot &s : old)
            if (s.key != empty) find(s.key) = s;
    }

    std::vector<slot> slots_ {std::vector<slot>(256)}; // always a power of two
    size_t n_used_ = 0;
};

// Best-first search over what the lanes hold, from the stores back to the loads: there is one end
// but many beginnings, since a load may fill the lanes above its run with any other bits. Which bit
// sits in which register bit needs no place in the state: registers are renamed for free.
class stage_search {
public:
    stage_search(const tile &t, const machine &m)
        : t_(t),
          n_(t.n_lane_bits()),
          n_run_(int(t.src_run.size())),
          n_needed_(int(t.dst_run.size())),
          elem_log2_(log2_exact(t.elem_bytes)),
          has_word_permutes_(m.can_permute(t.elem_bytes)) {
        int n_needed_in_run = 0;
        for (int i = 0; i < n_run_; i++) {
            const uint32_t digit = digit_of(t.src_run[size_t(i)]);
            run_ = with_digit(run_, i, digit);
            run_digits_ |= 1u << digit;
            n_needed_in_run += digit != other;
        }
        n_loaded_ = std::min(n_needed_, n_needed_in_run + n_ - n_run_);
        for (int i = 0; i < n_needed_; i++)
            if (!t.bits[size_t(t.dst_run[size_t(i)])].is_read) unread_digits_ |= 1u << (i + 1);
        n_unread_ = __builtin_popcount(unread_digits_);
        n_unread_in_run_ = __builtin_popcount(unread_digits_ & run_digits_);
        nodes_.reserve(256);
    }

    bool run(schedule *out) {
        lanes_t end = 0;
        for (int i = 0; i < n_needed_; i++)
            end = with_digit(end, i, uint32_t(i) + 1);
        nodes_.push_back({end, 0, -1, stage_kind::permute, other, 0});
        if (has_word_permutes_) add_final_permutes();
        push(nodes_[0]);
        for (int n_expanded = 0; !open_.empty();) {
            const auto [estimate, minus_index] = open_.top();
            const int index = -minus_index;
            open_.pop();
            const node current = nodes_[size_t(index)];
            if (known_.cost_of(current.lanes) < current.cost) continue; // outdone since
            if (index < n_nodes_before_patterns_) {
                const float total = current.cost + least_cost_to(current.lanes);
                if (total > estimate) {
                    open_.push({total, minus_index});
                    continue;
                }
            }
            if (n_expanded++ == tuning::n_easy_states) find_patterns();
            if (is_load(current.lanes)) {
                *out = trace(index);
                return true;
            }
            add_exchanges(index);
            if (!has_word_permutes_) add_reorders(index);
        }
        return false;
    }

private:
    // Estimated total cost and minus the index: among equals the newest, which is the deepest.
    using entry = std::pair<float, int>;

    // Position of the lane bit that stands for `bytes`, in lanes.
    int position(int bytes) const { return log2_exact(bytes) - elem_log2_; }

    uint32_t digit_of(int bit) const {
        const auto it = std::find(t_.dst_run.begin(), t_.dst_run.end(), bit);
        return it == t_.dst_run.end() ? other : uint32_t(it - t_.dst_run.begin()) + 1;
    }

    // Solving the patterns takes as long as an easy search, and makes a hard one short.
    void find_patterns() {
        const uint32_t run = (1u << n_run_) - 1;
        patterns_ = least_costs({n_, elem_log2_, t_.vector_bytes, run,
                positions_of_needed(run_) & run, n_loaded_, n_needed_,
                int(t_.bits.size()) - n_needed_, has_word_permutes_, !has_word_permutes_});
        has_patterns_ = true;
        n_nodes_before_patterns_ = int(nodes_.size());
    }

    // Whether loads can begin so: the source's run below, above it as much of the destination's
    // run as there is room for.
    bool is_load(lanes_t lanes) const {
        for (int i = 0; i < n_run_; i++) {
            const uint32_t held = digit_at(lanes, i), loaded = digit_at(run_, i);
            if (held == any ? loaded == other : held != loaded) return false;
        }
        return count_needed(lanes) == n_loaded_;
    }

    // Whether loads can bring the bit of this digit to position `i`.
    bool fits_load(uint32_t held, int i) const {
        if (i < n_run_) return held == digit_at(run_, i);
        return held != other && !(run_digits_ >> held & 1);
    }

    // Below 16 bytes exchanges keep the order of the bits that stay and move them up, and one of
    // the others can only leave above all that stay. Above 16 bytes they move them down, and none
    // goes across. So where what loads can bring is not there in this way, a permute is needed
    // between here and the load.
    bool needs_permute(lanes_t lanes) const {
        if (lanes & is_any) return false;
        const int border = std::max(0, std::min(position(16), n_));
        int last = n_loaded_ == n_needed_ ? n_run_ : n_; // above are others, maybe
        for (int pos = -1, i = 0, end = last_needed(std::min(border, last)); i < end; i++) {
            for (pos = std::max(pos + 1, i); pos < border && !fits_load(digit_at(lanes, pos), i);)
                pos++;
            if (pos >= border) return true;
        }
        for (int pos = n_, i = last - 1; i >= border; i--) {
            if (i < n_run_ && digit_at(run_, i) == other) continue;
            for (pos = std::min(pos - 1, i); pos >= border && !fits_load(digit_at(lanes, pos), i);)
                pos--;
            if (pos < border) return true;
        }
        return false;
    }
    // Behind the last position below `end` that loads fill with a bit of the destination run.
    int last_needed(int end) const {
        while (end > 0 && end <= n_run_ && digit_at(run_, end - 1) == other)
            end--;
        return end;
    }

    // The share of registers that there are in this state. What is not read are lanes of zeros once
    // it is in the lanes; until then its registers do not exist.
    float share_of_registers(lanes_t lanes) const {
        if (n_unread_ == 0) return 1;
        return 1 / float(1 << (n_unread_ - n_unread_in(lanes)));
    }
    int n_unread_in(lanes_t lanes) const {
        if (lanes & is_any) // as few as there can be: see bit_for()
            return std::max(n_unread_in_run_, count_needed(lanes) - (n_needed_ - n_unread_));
        int count = 0;
        for (int i = 0; i < n_; i++)
            count += int(unread_digits_ >> digit_at(lanes, i) & 1);
        return count;
    }

    float least_cost_to(lanes_t lanes) const {
        const float cost = least_cost_of_all(lanes);
        if (n_unread_ == 0) return cost;
        // Each exchange before this state halves the registers at most, as long as there are more.
        const float least_share = 1 / float(1 << n_unread_);
        float share = share_of_registers(lanes), of_exchanges = 0;
        for (int i = n_loaded_; i < count_needed(lanes); i++) {
            of_exchanges += share * tuning::cost_unpack;
            share = std::max(share / 2, least_share);
        }
        return std::max(of_exchanges, cost * least_share);
    }

    // With all registers. Never more than the true cost: each bit that is not there after loading
    // takes an exchange, and an exchange of 16-byte lanes where it takes the place of another bit
    // above 16 bytes. (A permute that moves it there costs more.)
    float least_cost_of_all(lanes_t lanes) const {
        const int n_entering = std::max(0, count_needed(lanes) - n_loaded_);
        float pattern = 0;
        if (has_patterns_) pattern = patterns_[positions_of_needed(lanes)];
        if (needs_permute(lanes)) // or, with permutes at the end only, one bit that enters twice
            return std::max(pattern,
                    float(n_entering) * tuning::cost_unpack
                            + (has_word_permutes_ ? tuning::cost_unpack : tuning::cost_permute));
        if (has_patterns_) return pattern;
        int n_high = 0;
        for (int i = std::max(0, position(16)); i < n_run_; i++)
            n_high += digit_at(run_, i) == other && digit_at(lanes, i) != other;
        return float(n_entering) * tuning::cost_unpack
                + float(std::min(n_high, n_entering))
                * (tuning::cost_lanes16 - tuning::cost_unpack);
    }

    void push(const node &c) {
        if (!known_.improve(c.lanes, c.cost)) return;
        nodes_.push_back(c);
        open_.push({c.cost + least_cost_to(c.lanes), 1 - int(nodes_.size())});
    }

    // A stage before the node `next`, for an entering bit of this digit, which leaves a hole in the
    // lanes: there was the bit that left. Where permutes come last, that may be a bit of the
    // destination run, which enters again later; permutes in between make this needless.
    void add_exchange(int next, lanes_t lanes, int hole, uint32_t entering, stage_kind kind,
            int unit_bytes, float cost) {
        const node &after = nodes_[size_t(next)];
        const float total = after.cost + cost * share_of_registers(after.lanes);
        const int n_staying = count_needed(with_digit(lanes, hole, other));
        const int n_others = int(t_.bits.size()) - n_needed_;
        const auto add = [&](uint32_t leaving) {
            const int n_held = n_staying + (leaving != other);
            if (entering == other ? n_others <= n_ - n_held : n_held >= n_needed_) return;
            push({with_digit(lanes, hole, leaving), total, next, kind, uint8_t(entering),
                    uint8_t(unit_bytes)});
        };
        if (!has_word_permutes_) {
            const bool is_loaded = entering == other || (run_digits_ >> entering & 1);
            if (!is_loaded && n_staying >= n_loaded_) add(other);
            return;
        }
        add(other);
        if (lanes & is_any) {
            if (n_staying < n_needed_) add(any); // there are no more than all
            return;
        }
        uint32_t held = 1u << entering;
        for (int i = 0; i < n_; i++)
            held |= 1u << digit_at(lanes, i);
        for (int digit = 1; digit <= n_needed_; digit++)
            if (!(held >> digit & 1)) add(uint32_t(digit));
    }

    // `from`..`to` (positions) rotated up by one: a bit entered at `from`, the one at `to` left.
    void add_rotation(int next, int from, int to, stage_kind kind, int unit_bytes, float cost) {
        lanes_t lanes = nodes_[size_t(next)].lanes;
        const uint32_t entering = digit_at(lanes, from);
        for (int i = from; i < to; i++)
            lanes = with_digit(lanes, i, digit_at(lanes, i + 1));
        add_exchange(next, lanes, to, entering, kind, unit_bytes, cost);
    }

    // Of equals the last is tried first: unpacks before moves across 16 bytes.
    void add_exchanges(int next) {
        if (t_.vector_bytes == 64) {
            // Lanes 0,2 of both: the lower of the two bits left, the upper took its place.
            const lanes_t lanes = nodes_[size_t(next)].lanes;
            const int low = position(16), high = position(32);
            add_exchange(next, with_digit(lanes, high, digit_at(lanes, low)), low,
                    digit_at(lanes, high), stage_kind::alternate, 0, tuning::cost_lanes16);
            add_rotation(next, position(32), position(32), stage_kind::quarters, 0,
                    tuning::cost_lanes16);
        }
        if (t_.vector_bytes == 32)
            add_rotation(
                    next, position(16), position(16), stage_kind::halves, 0, tuning::cost_lanes16);
        for (int unit = 8; unit >= t_.elem_bytes; unit /= 2)
            add_rotation(next, position(unit), position(8), stage_kind::unpack, unit,
                    tuning::cost_unpack);
    }

    // From any order of the lane positions [from, to), unless one of the same digits came to them
    // as cheaply.
    void add_orders(int next, int from, int to, stage_kind kind, float cost) {
        from = std::max(from, 0);
        to = std::min(to, n_);
        if (to - from < 2) return;
        const node after = nodes_[size_t(next)];
        const float total = after.cost + cost * share_of_registers(after.lanes);
        std::array<uint32_t, 8> order;
        for (int i = from; i < to; i++)
            order[size_t(i)] = digit_at(after.lanes, i);
        const auto first = order.begin() + from, last = order.begin() + to;
        std::sort(first, last);
        const auto ordered = [&] {
            lanes_t lanes = after.lanes;
            for (int i = from; i < to; i++)
                lanes = with_digit(lanes, i, order[size_t(i)]);
            return lanes;
        };
        const bool crosses16 = to > position(16);
        if (!reordered_.improve(ordered() | uint32_t(kind) << 24, total)) return;
        do {
            const lanes_t lanes = ordered();
            // What stays within 16 bytes takes no shuffle across them.
            if (crosses16 && (lanes ^ after.lanes) >> 4 * position(16) == 0) continue;
            push({lanes, total, next, kind, other, 0});
        } while (std::next_permutation(first, last));
    }

    void add_reorders(int next) {
        add_orders(next, 0, position(16), stage_kind::within16, tuning::cost_permute);
        if (t_.vector_bytes == 16) return;
        add_orders(next, position(8), n_, stage_kind::quads, tuning::cost_permute);
        add_orders(next, position(4), n_, stage_kind::dwords, tuning::cost_dwords(t_.vector_bytes));
    }

    // A permute brings all to their places at the end, whatever the order was; a two-source one
    // lets the last bit enter as well.
    void add_final_permutes() {
        for (uint32_t held = 0; held < 1u << n_; held++) {
            const int n_held = __builtin_popcount(held);
            if (n_held != n_needed_ && n_held != n_needed_ - 1) continue;
            lanes_t lanes = is_any;
            for (int i = 0; i < n_; i++)
                if (held >> i & 1) lanes = with_digit(lanes, i, any);
            if (n_held == n_needed_)
                push({lanes, tuning::cost_permute, 0, stage_kind::permute, other, 0});
            else
                push({lanes, tuning::cost_permute2, 0, stage_kind::permute2, any, 0});
        }
    }

    // The tile bit for a digit where the lanes hold the first `n_held` of `lanes` already. Of those
    // that may be any, one that is not read comes last.
    int bit_for(uint32_t digit, const bit_indices &lanes, size_t n_held) const {
        if (digit != other && digit != any) return t_.dst_run[digit - 1];
        for (const bool is_read : {true, false})
            for (int bit = 0; bit < int(t_.bits.size()); bit++)
                if ((digit_of(bit) != other) == (digit == any)
                        && (digit == other || t_.bits[size_t(bit)].is_read == is_read)
                        && std::find(lanes.begin(), lanes.begin() + n_held, bit)
                                == lanes.begin() + n_held)
                    return bit;
        throw std::logic_error("a schedule names more bits than the tile has");
    }

    // Tile bits in the lanes after the stage that leads from `from`; bit `entering` entered.
    bit_indices lanes_after(const node &from, bit_indices lanes, int entering) const {
        const auto rotate = [&](int low, int high) {
            lanes.erase(lanes.begin() + high);
            lanes.insert(lanes.begin() + low, entering);
        };
        switch (from.kind) {
        case stage_kind::unpack: rotate(position(from.unit_bytes), position(8)); break;
        case stage_kind::halves: rotate(position(16), position(16)); break;
        case stage_kind::quarters: rotate(position(32), position(32)); break;
        case stage_kind::alternate:
            lanes.erase(lanes.begin() + position(16));
            lanes.push_back(entering);
            break;
        default: { // to the places that the next node names, the others in their order
            bit_indices others;
            for (int bit : lanes)
                if (digit_of(bit) == other) others.push_back(bit);
            const lanes_t target = nodes_[size_t(from.next)].lanes;
            for (int i = 0, n_others = 0; i < n_; i++) {
                const uint32_t digit = digit_at(target, i);
                lanes[size_t(i)] = digit == other ? others[size_t(n_others++)]
                                                  : t_.dst_run[digit - 1];
            }
        }
        }
        return lanes;
    }

    schedule trace(int index) const {
        const node *at = &nodes_[size_t(index)];
        schedule s {n_run_, t_.src_run, {}, at->cost};
        while (int(s.load_lanes.size()) < n_) {
            const uint32_t digit = digit_at(at->lanes, int(s.load_lanes.size()));
            s.load_lanes.push_back(bit_for(digit, s.load_lanes, s.load_lanes.size()));
        }
        bit_indices lanes = s.load_lanes;
        for (; at->next >= 0; at = &nodes_[size_t(at->next)]) {
            const bool is_single = at->kind == stage_kind::within16 || at->kind == stage_kind::quads
                    || at->kind == stage_kind::dwords || at->kind == stage_kind::permute;
            const int entering = is_single ? -1 : bit_for(at->entering, lanes, lanes.size());
            lanes = lanes_after(*at, lanes, entering);
            s.stages.push_back({at->kind, entering, at->unit_bytes, lanes});
        }
        return s;
    }

    const tile &t_;
    const int n_;
    const int n_run_;
    const int n_needed_;
    const int elem_log2_;
    const bool has_word_permutes_;
    lanes_t run_ = 0;            // digits of the source run
    uint32_t run_digits_ = 0;    // set of them
    uint32_t unread_digits_ = 0; // of bits that are padding wherever they are 1
    int n_unread_ = 0, n_unread_in_run_ = 0;
    int n_loaded_; // bits of the destination run that are in the lanes after loading
    bool has_patterns_ = false;
    int n_nodes_before_patterns_ = 0; // estimated without them
    pattern_costs patterns_;
    std::vector<node> nodes_;
    cost_table known_;
    cost_table reordered_; // least costs of one order of the same digits, by sorted digits
    std::priority_queue<entry, std::vector<entry>, std::greater<entry>> open_;
};

} // namespace

schedule search_schedule(const tile &t, const machine &m) {
    if (t.n_lane_bits() == 0) return {0, {}, {}, 0};
    schedule s;
    if (stage_search(t, m).run(&s)) return s;
    throw std::logic_error("no schedule for a tile");
}

std::string to_text(const schedule &s) {
    static const char *const names[] = {"unpack", "halves", "quarters", "alternate", "within16",
            "quads", "dwords", "permute", "permute2"};
    auto list = [](const bit_indices &lanes) {
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
