// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cpu/plan/segments.hpp"
#include "cpu/plan/stages.hpp"
#include "cpu/plan/staging.hpp"
#include "cpu/plan/tile.hpp"
#include "cpu/plan/tuning.hpp"

// plan(problem, machine): a pure function that decides everything before a line of code is
// generated: the tile, the order of the loops, which of them the driver runs and which the kernels,
// and the jobs.
namespace tfmt::cpu {

// State of all dimensions at some depth of the nest.
struct nest_state {
    limit_list limits;
    bool in_padding = false;
    std::array<dim_t, tuning::max_phased_levels>
            phases {}; // the first step of each of tile::phased
};

// The state inside segment `s` of a level of `dim`.
nest_state enter(const nest_state &state, int dim, const segment &s);

// f(segment, state inside) for all segments of `l`; for each step where these are phases of the
// tile, which differ.
template <typename F>
void for_each_part(const tile &t, const level &l, const nest_state &state, F &&f) {
    const int phased = t.phased_index(l);
    for (const segment &s : split(l.unit, state.limits[size_t(l.dim)], state.in_padding)) {
        nest_state below = enter(state, l.dim, s);
        if (phased < 0) {
            f(s, below);
            continue;
        }
        for (dim_t step = s.first; step < s.first + s.count; step++) {
            below.phases[size_t(phased)] = step * l.digit_steps;
            f(segment {step, 1, s.below, s.is_padding}, below);
        }
    }
}

// A kernel: the levels from plan::n_driver_levels on, entered in one state.
struct kernel_spec {
    nest_state state;
};

struct job_loop {
    int level;
    dim_t first;
    dim_t count;
};

// A rectangular set of calls of one kernel. The kernel's own outermost level has `root_count` steps
// that may be shared among calls; the last call also does what is left behind them.
struct job {
    std::vector<job_loop> loops;
    int kernel;
    dim_t root_count;
    bool has_rest;
    dim_t root_first = 0; // of these steps; not 0 where what comes before belongs to the rest
};

struct plan {
    plan_mode mode;
    store_path stores;
    machine target;
    move_problem problem; // levels outer to inner, less what the tile covers
    tile the_tile;
    schedule the_schedule;
    int n_driver_levels;
    int n_block_levels;        // the last levels: a block, finished before the next begins
    staging scratch;           // of a block, if the stores go through one
    bool claims_lines;         // stores ask for their lines before
    dim_t claimed_ahead_bytes; // or for those so far behind
    bool claims_on;            // where they write on, so that none need bypass the caches
    dim_t prefetch_bytes;      // from the source of a tile to that of the next block; 0: not wanted
    // To that of the tile behind the one there, which is to be fetched as well; 0: it is not.
    dim_t prefetch_next_bytes;
    // From the source of a block to the page whose beginning it fetches; 0: none.
    dim_t page_ahead_bytes;
    dim_t root_chunk; // steps of a kernel's outermost level that one call should do
    std::vector<kernel_spec> kernels;
    std::vector<job> jobs;
    dim_t moved_bytes;   // source + destination
    dim_t touched_bytes; // with what else is in the lines that are read
    // What the destination must be a multiple of, if the stores are streamed: executions ask for
    // it.
    int dst_alignment_bytes;
    size_t first_of_block() const { return problem.levels.size() - size_t(n_block_levels); }
    // Whether the steps of a kernel's outermost level may be shared among calls.
    bool has_shared_root() const {
        return (!scratch || scratch.is_chained) && size_t(n_driver_levels) < problem.levels.size()
                && problem.levels[size_t(n_driver_levels)].is_regular();
    }
    int store_vector_bytes() const {
        return problem.converts ? target.register_bytes() : the_tile.vector_bytes;
    }
    std::string note; // why it is not a full tile of vectors, "" if it is
};

// The plan for a destination of any alignment. False, with the reason in `why`, if the problem has
// too many combinations of tails for generated code.
bool make_plan(
        const move_problem &p, const machine &m, plan_mode mode, plan *out, std::string *why);

// The plan for destinations that are multiples of its dst_alignment_bytes, where there is a faster
// one. `for_any`: the one of make_plan, which is the faster one where it is staged and tiles of
// this one would leave many lines of the destination in part or, in blocks of any number of rows,
// read each line several times; it may have vectors of half the length of the machine's.
bool make_streamed_plan(const move_problem &p, const machine &m, plan *out,
        const plan *for_any = nullptr, plan_mode mode = plan_mode::move);

// Whether a reorder of which `share` is padding in whole lines (common/padding_split.hpp) is faster
// with a pass of its own for these: where tiles carry zeros along in rows that push each other out
// of L1, in the pieces of joined runs or by vectors below a line, where the order that suits the
// data makes passes of them anyway, or where they would go through a scratch; where L1 takes such
// rows (machine::max_padded_rows), beyond L2 for the first reason alone and if nearly all is
// padding.
bool wants_padding_apart(const move_problem &p, const machine &m, double share);

// The segments of the outermost kernel level: the first is the root loop, the others are the rest.
segment_list root_segments(const plan &p, const nest_state &state);

// Whether anything is left to do in `state`.
bool has_work(const plan &p, const nest_state &state);

std::string to_text(const plan &p);

} // namespace tfmt::cpu
