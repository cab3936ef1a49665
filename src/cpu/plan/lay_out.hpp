// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/plan/plan.hpp"

// A plan of one way: the tile, the order of the loops around it, its schedule, the jobs. In: a
// problem, a machine, a way. Out: the plan, or that this way is none for it. Which ways are tried,
// and in which vectors, choose_way.cpp says.
namespace tfmt::cpu {

// How a plan is laid out. `is_simple`: without phases of tiles, beyond L2 in the order of the
// source and with loops whose blocks do not nest outside of all others, which makes less code and
// fewer jobs, if slower. Not with more than `max_ops` operations.
struct way {
    store_path stores;
    bool is_simple = false;
    size_t max_ops = tuning::max_kernel_ops;
    bool has_other = false; // a scratch, or lines claimed ahead in the caches
};

// Takes the tile's bits out of the levels.
std::vector<level> levels_without_tile(const move_problem &p, const tile &t);

// The shuffles of the tile, or of its halves where vectors are better loaded as two.
schedule schedule_of(const tile &t, const machine &m);

// The tile, and what else comes before the order of the levels.
plan begin_plan(const move_problem &p, const machine &m, plan_mode mode, way w);

// The order of the levels, what is fetched, and the scratch. False if the destination cannot be
// written that way, or is better not.
bool choose_order(plan &p, way w);

// choose_order(), the schedule and the jobs. False also if the tails make too many jobs or too much
// code (way::max_ops).
bool finish_plan(plan &p, way w);

// All of it.
bool lay_out(const move_problem &p, const machine &m, plan_mode mode, way w, plan *out);

} // namespace tfmt::cpu
