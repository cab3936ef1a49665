// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "cpu/plan/tile.hpp"

// Levels in the order of the addresses of one side.
//
// Worked example: f32 ab -> ba of 1024 x 1024, a with a source stride of 4096 bytes and one of 4 in
// the destination. By source: a, b; by destination: b, a.
namespace tfmt::cpu {

// Whether `l` is the driver's: irregular levels of `levels`, but for the phases of a tile, and what
// lies above them in their dimension are.
bool belongs_to_driver(const std::vector<level> &levels, const tile &t, const level &l);

// Whether all steps but the first are padding, so that nothing is read along the level.
bool reads_one_step(const level &l, const limit_list &limits);

constexpr dim_t any_steps_per_read = std::numeric_limits<dim_t>::max();

// How far apart the steps of a level are, in the order in which one side is visited. A level that
// reads one step, or one of each `steps_per_read` and fewer, is padding.
dim_t visited_stride(const level &l, const limit_list &limits, bool by_src,
        dim_t steps_per_read = any_steps_per_read);

// The driver's levels first; the others by falling stride on one side, so that its addresses are
// visited in their order; within a dimension from outside to inside, whatever the strides are.
// Steps of padding have no place in the source: they come innermost, in the order of the
// destination.
void sort_levels(std::vector<level> &levels, const limit_list &limits, const tile &t, bool by_src,
        dim_t steps_per_read = any_steps_per_read);

} // namespace tfmt::cpu
