// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/checked.hpp"
#include "cpu/plan/tile.hpp"

// Which bytes of loads and stores lie within a tensor that ends inside of a tile. In: a tile, how
// its bits number the elements of memory, a limit. Out: masks.
namespace tfmt::cpu::ir {

using offset_list = inline_vector<int64_t, 64>;

// Entry i is the sum of value_of(bit) over those of `bits` that i has set.
template <typename F>
offset_list subset_sums(const bit_indices &bits, F &&value_of) {
    offset_list sums {0};
    sums.reserve(size_t(1) << bits.size());
    for (int bit : bits) {
        const int64_t value = value_of(bit);
        for (size_t i = 0, n = sums.size(); i < n; i++)
            sums.push_back(wrapping_add(sums[i], value));
    }
    return sums;
}

// How the tile's bits number the elements of loads or stores: those of a chunk, the chunks of a
// register, the registers.
struct memory_shape {
    bit_indices run;
    bit_indices fill;
    bit_indices regs;
};

// A dimension of the tile (-1: fillers) that one of the limits cuts: what lies inside are indices
// below it, or, of where the dimension begins, all others.
struct cut_dim {
    int dim;
    dim_t limit;
    bool is_begin = false;
};
using cut_list = inline_vector<cut_dim, 16>;

// The bytes of each chunk that lie inside the limit of one dimension. They depend only on how much
// room the dimension has left where the chunk begins, and there are few different values of that.
class cut_masks {
public:
    cut_masks(const tile &t, const cut_dim &cut, const memory_shape &s)
        : elem_bytes_(t.elem_bytes), limit_(cut.limit), is_begin_(cut.is_begin) {
        const auto index_of = [&](int bit) {
            const tile_bit &b = t.bits[size_t(bit)];
            if (b.dim != cut.dim) return int64_t(0);
            return b.dim < 0 ? int64_t(1) : int64_t(b.weight);
        };
        run_ = subset_sums(s.run, index_of);
        fill_ = subset_sums(s.fill, index_of);
        regs_ = subset_sums(s.regs, index_of);
    }

    uint64_t operator()(size_t reg, size_t fill) {
        const uint64_t below = bytes_below(reg, fill);
        return is_begin_ ? ~below : below;
    }

private:
    uint64_t bytes_below(size_t reg, size_t fill) {
        const int64_t room = limit_ - regs_[reg] - fill_[fill];
        if (room > run_.back()) return ~uint64_t(0);
        if (room <= 0) return 0;
        const auto same = [&](const known &k) { return k.room == room; };
        const auto it = std::find_if(known_.begin(), known_.end(), same);
        if (it != known_.end()) return it->mask;
        const uint64_t elem_mask = (uint64_t(1) << elem_bytes_) - 1;
        uint64_t mask = 0;
        for (size_t e = 0; e < run_.size(); e++)
            if (run_[e] < room) mask |= elem_mask << (e * size_t(elem_bytes_));
        known_.push_back({room, mask});
        return mask;
    }

    struct known {
        int64_t room;
        uint64_t mask;
    };
    int elem_bytes_;
    int64_t limit_;
    bool is_begin_;
    offset_list run_;  // logical index of each element of a chunk
    offset_list fill_; // of each chunk of a register
    offset_list regs_; // of each register
    inline_vector<known, 8> known_;
};

} // namespace tfmt::cpu::ir
