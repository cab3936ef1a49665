// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/stage_patterns.hpp"

#include <algorithm>
#include <limits>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// Bits set in a pattern. Without an instruction for it __builtin_popcount is a call, which was an
// eighth of the time that a reorder with three channels took to be made.
int count_bits(uint32_t pattern) {
    int n = 0;
    for (; pattern; pattern &= pattern - 1)
        n++;
    return n;
}

// Relaxes the costs by each kind of stage in turn until none gets less.
class pattern_solver {
public:
    explicit pattern_solver(const pattern_problem &p) : p_(p) {
        costs_.fill(std::numeric_limits<float>::infinity());
        for (uint32_t held = 0; held < 1u << p.n; held++)
            if ((held & p.run) == p.run_held && count_bits(held) == p.n_loaded) costs_[held] = 0;
    }

    pattern_costs solve() {
        do {
            is_changed_ = false;
            for (uint32_t after = 0; after < 1u << p_.n; after++)
                relax_exchanges(after);
            if (p_.has_reorders) {
                relax_orders(0, position(16), tuning::cost_permute);
                if (p_.vector_bytes > 16) {
                    relax_orders(position(8), p_.n, tuning::cost_permute);
                    relax_orders(position(4), p_.n, tuning::cost_dwords(p_.vector_bytes));
                }
            }
        } while (is_changed_);
        return costs_;
    }

private:
    int position(int bytes) const { return __builtin_ctz(unsigned(bytes)) - p_.elem_log2; }

    void improve(uint32_t after, float cost) {
        if (cost >= costs_[after]) return;
        costs_[after] = cost;
        is_changed_ = true;
    }

    void relax_exchanges(uint32_t after) {
        for (int bytes = 1 << p_.elem_log2; bytes <= 8; bytes *= 2)
            relax_rotation(after, position(bytes), position(8), tuning::cost_unpack);
        if (p_.vector_bytes == 32)
            relax_rotation(after, position(16), position(16), tuning::cost_lanes16);
        if (p_.vector_bytes != 64) return;
        relax_rotation(after, position(32), position(32), tuning::cost_lanes16);
        // Lanes 0,2 of both: the lower of the two bits left, the upper took its place.
        const int low = position(16), high = position(32);
        const uint32_t staying = (after & ~(1u << high)) | (after >> low & 1) << high;
        relax(after, staying & ~(1u << low), low, after >> high & 1, tuning::cost_lanes16);
    }

    // `from`..`to` rotated up by one: a bit entered at `from`, the one at `to` left.
    void relax_rotation(uint32_t after, int from, int to, float cost) {
        const uint32_t moved = ((1u << to) - 1) & ~((1u << from) - 1); // where they were
        const uint32_t fixed = ~(moved | 1u << to);
        relax(after, (after & fixed) | (after >> 1 & moved), to, after >> from & 1, cost);
    }

    // `staying`: those before the exchange, but for the one at `hole`, which left.
    void relax(uint32_t after, uint32_t staying, int hole, bool enters_needed, float cost) {
        for (uint32_t leaving = 0; leaving < (p_.may_return ? 2 : 1); leaving++) {
            const uint32_t before = staying | leaving << hole;
            const int n_held = count_bits(before);
            const bool is_outside = enters_needed ? n_held < p_.n_needed
                                                  : p_.may_return && p_.n_others > p_.n - n_held;
            if (is_outside) improve(after, costs_[before] + cost);
        }
    }

    // Any order of the positions [from, to): as cheap as the cheapest that holds as many there.
    void relax_orders(int from, int to, float cost) {
        from = std::max(from, 0);
        to = std::min(to, p_.n);
        if (to - from < 2) return;
        const uint32_t range = ((1u << to) - 1) & ~((1u << from) - 1);
        for (uint32_t rest = 0; rest < 1u << p_.n; rest++) {
            if (rest & range) continue;
            std::array<float, 7> best;
            best.fill(std::numeric_limits<float>::infinity());
            const auto count = [&](uint32_t in) { return size_t(count_bits(in)); };
            for (uint32_t in = range;; in = (in - 1) & range) {
                best[count(in)] = std::min(best[count(in)], costs_[rest | in]);
                if (!in) break;
            }
            for (uint32_t in = range;; in = (in - 1) & range) {
                improve(rest | in, best[count(in)] + cost);
                if (!in) break;
            }
        }
    }

    const pattern_problem &p_;
    pattern_costs costs_;
    bool is_changed_ = false;
};

} // namespace

pattern_costs least_costs(const pattern_problem &p) { return pattern_solver(p).solve(); }

} // namespace tfmt::cpu
