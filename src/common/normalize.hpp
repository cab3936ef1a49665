// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/reorder_problem.hpp"

// From the problem of a pair of one data type to the smallest equivalent loop nest, by pure passes.
// Out: strides in bytes, one element as wide as the layouts allow. Types are gone: an element is
// its width.
//
// Worked example: bf16 ABcd8b16a2b -> ABcd16a16b keeps pairs of b together on both sides, so its
// element is 4 bytes wide; the 4-byte problem has inner levels b 8 and a 16 in place of b 2, a 16
// and b 8.
namespace tfmt {

struct move_problem {
    int elem_bytes; // 1, 2, 4, 8 or 16
    dim_t src_offset_bytes;
    dim_t dst_offset_bytes;
    std::vector<dim_limits> limits;
    std::vector<level> levels; // of each dimension inner to outer; strides in bytes
};

// Widest element a move is widened to. 16 bytes is the widest unit every vector ISA can place
// freely.
constexpr int max_elem_bytes = 16;

// False, with the reason in `why`, if the elements are 4 bits wide and some pair of neighbours does
// not stay together in one byte.
bool normalize(const reorder_problem &p, move_problem *out, std::string *why);

// The passes, in their order. Each keeps the meaning of the problem.
bool scale_to_bytes(const reorder_problem &p, move_problem *out, std::string *why);
void drop_single_steps(move_problem &p); // levels of one step address nothing
void split_exact_dims(move_problem &p);  // a dimension without tails: each level is one of its own
void fuse_neighbours(move_problem &p);   // h and w that are one run on both sides
void widen_element(move_problem &p);     // neighbours that stay together move as one element

std::string to_text(const move_problem &p);

} // namespace tfmt
