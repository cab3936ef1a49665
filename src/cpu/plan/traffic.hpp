// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/normalize.hpp"
#include "cpu/plan/machine.hpp"

// How many bytes a move reads and writes, and whether the caches hold them. In: a problem, before
// anything is planned.
namespace tfmt::cpu {

// Source and destination bytes of a move.
dim_t moved_bytes(const move_problem &p);

// The same with what else is in the lines that are read, up to the next row behind the source's
// first gap; without it if blocks do not nest.
dim_t touched_bytes(const move_problem &p);

// The same as what it takes of a cache with ways of `way_bytes`: rows of the source that are 1024
// bytes apart share the sets of one line in 16, so each counts as 1024.
dim_t bytes_in_cache(const move_problem &p, dim_t way_bytes);

// Whether the destination is too large to be left in the caches, or for the detour that it would
// take there, and worth being written past them.
bool exceeds_cache(const move_problem &p, const machine &m);

// Whether it goes past them, by a scratch, also where tiles cannot store it so. Not where they
// claim lines ahead (tuning::claimed_ahead_bytes_of_skylake), but for the detour.
bool is_staged_past_caches(const move_problem &p, const machine &m);

// From the first byte that is read up to the last one.
double src_span_bytes(const move_problem &p);

// Whether so much more is written than the source spans, padding or wider elements, that its order
// counts for little.
bool is_mostly_written(const move_problem &p);

// Whether half of the destination and more is padding.
bool is_half_padding(const limit_list &limits);

} // namespace tfmt::cpu
