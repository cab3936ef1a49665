// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "common/reorder_problem.hpp"

// The one mechanism for tails and padding, shared by plans, kernels and the portable path.
//
// Levels are visited from outside to inside. At each, the state of its dimension (how much of what
// is left is to be read and to be written) splits the level into at most four segments: full steps,
// one partial step, steps of padding only, one partial step of padding. Tails need no other
// mechanism. A dimension that begins late (plan/line_grid), which has no padding, has the step in
// which it begins last: so full steps come first in any case.
//
// Worked example: aBcd16b <- abcd with b = 40: outer level of b has unit 16 and state {40, 48}.
// Segments: steps 0..1 full with state {16, 16} below, step 2 partial with state {8, 16}.
namespace tfmt::cpu {

// What a nest is for: moving elements and writing the padding, or the padding alone.
enum class plan_mode { move, padding_only };

struct segment {
    dim_t first;
    dim_t count;
    dim_limits below; // state of the dimension inside each of the steps
    bool is_padding;
};

// At most four of them, in place: a nest is walked several times while a reorder is made. (Lists on
// the heap took 1.3 of 12 us to plan f16 ABcd32a16b -> abcd of 32x21x65x65.)
class segment_list {
public:
    void push_back(const segment &s) { segments_[n_++] = s; }
    size_t size() const { return n_; }
    bool empty() const { return n_ == 0; }
    const segment &operator[](size_t i) const { return segments_[i]; }
    const segment &back() const { return segments_[n_ - 1]; }
    const segment *begin() const { return segments_.data(); }
    const segment *end() const { return segments_.data() + n_; }

private:
    std::array<segment, 4> segments_;
    size_t n_ = 0;
};

// How `state` is split by a level of `unit`. Where the surroundings are padding already
// (`in_padding`), only what is to be written counts.
segment_list split(dim_t unit, dim_limits state, bool in_padding);

} // namespace tfmt::cpu
