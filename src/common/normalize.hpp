// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/parameter_space.hpp"
#include "common/reorder_problem.hpp"

// From the problem to the smallest equivalent loop nest, by pure passes. Out: strides in bytes. Of
// a pair of one data type nothing is left but an element's width, as wide as the layouts allow; for
// other pairs it is also said what happens to an element, and on which side.
//
// Worked example: bf16 ABcd8b16a2b -> ABcd16a16b keeps pairs of b together on both sides, so its
// element is 4 bytes wide; the 4-byte problem has inner levels b 8 and a 16 in place of b 2, a 16
// and b 8.
namespace tfmt {

// What is computed between decoding an element and encoding it: quantization.hpp has the formula.
struct arithmetic {
    // Where a parameter's value is: in an array over the parameter space, or alone.
    struct operand {
        bool is_set = false;
        bool is_one_value = false;
        dim_t array_bytes = 0; // from the first array
        // An integer that is added to each value as it is decoded. To the zero points of small
        // integers 2^23: these are the last places of that number then, which needs no conversion
        // (another 8 or 128 turns the sign's bit around), and the difference is exact. u4 to bf16
        // in rows takes 0.96 of the time with it, s4 0.92.
        float added = 0;
    };
    // Where dst scales are powers of two (e8m0): their operands hold the reciprocals, which are
    // powers of two as well, and t / dst_scale is the same as the product, which takes half the
    // time.
    bool multiplies_by_reciprocal = false;
    // Then, of values and scales of at most 11 bits that become small integers, the product is
    // rounded to a grid by adding `grid`, an even integer, and taking it away behind the zero point
    // (whose operand holds the sum of both). 0: there is none. See grid_of().
    float grid = 0;
    static constexpr float grid_of_8_bits = 0x1.8p10f; // sums with it are multiples of 2^-13
    static constexpr float grid_of_4_bits = 0x1.8p7f;  // 2^-16; 2^0 once they are bf16
    data_type_t computing_type = tfmt_data_type_undef; // undef: nothing is computed
    std::array<operand, n_parameters> operands;
    // Whether a result in f32 may be a denormal number.
    bool makes_denormals = true;
    bool takes_reciprocal = false; // of what is decoded
    bool has_sum = false;
    float sum_beta = 0;

    explicit operator bool() const { return computing_type != tfmt_data_type_undef; }
};

// What happens to an element on its way, unless bits move as they are. It travels where it is
// narrow: what becomes narrower is converted when it is loaded, what becomes wider when it is
// stored, and so is what needs the destination's old values; 4-bit elements take a byte each.
struct conversion {
    data_type_t src_type = tfmt_data_type_undef; // undef: nothing happens
    data_type_t dst_type = tfmt_data_type_undef;
    int src_elem_bits = 0; // in memory
    int dst_elem_bits = 0;
    bool at_load = false;
    // Of 4-bit elements: the level of the two that share a byte, whose stride is given as 0.
    int src_pair_level = -1;
    int dst_pair_level = -1;
    // 4-bit elements whose neighbours in a byte are in two rows of the other side: an element on
    // the way is that byte, and counts 8 bits on the side of 4-bit elements. So nothing has to be
    // packed or unpacked behind (before) the shuffles, of which half as many are left.
    bool pairs_rows = false;
    dim_t row_bytes = 0;       // from the first to the second of the two on the other side
    dim_t row_param_bytes = 0; // and among the parameters
    arithmetic steps;

    explicit operator bool() const { return src_type != tfmt_data_type_undef; }
    // Whether elements are not looked at, only unpacked and packed.
    bool is_identity() const { return src_type == dst_type && !steps; }
    bool dst_has_4_bits() const { return dst_elem_bits == 4 || (pairs_rows && at_load); }
    // Whether what is not loaded, and so zero bits, would become something else.
    bool makes_zero_nonzero() const { return src_type == tfmt_e8m0 || steps; }
};

struct move_problem {
    int elem_bytes; // on the way: 1, 2, 4, 8 or 16
    dim_t src_offset_bytes;
    dim_t dst_offset_bytes;
    limit_list limits;
    std::vector<level> levels; // in any order; strides in bytes
    conversion converts = {};
    parameter_space parameters = {}; // of the arithmetic
    bool src_has_gaps = true;
    dim_t dst_behind_line_bytes = 0; // that the destination begins within a line (plan/line_grid)

    int src_elem_bits() const { return converts ? converts.src_elem_bits : 8 * elem_bytes; }
    int dst_elem_bits() const { return converts ? converts.dst_elem_bits : 8 * elem_bytes; }
    // What an element on the way stands for.
    int moved_src_bits() const {
        return src_elem_bits() << (converts.pairs_rows && converts.at_load);
    }
    int moved_dst_bits() const {
        return dst_elem_bits() << (converts.pairs_rows && !converts.at_load);
    }
};

// Widest element a move is widened to. 16 bytes is the widest unit every vector ISA can place
// freely.
constexpr int max_elem_bytes = 16;

// Has t / dst_scale computed from products with reciprocals, which are one more parameter then. The
// bits are the same with all scales that are_tame(). False where they would not be, or where there
// are too many scales for it.
bool take_products(reorder_problem &p);
bool are_tame(const float *scales, size_t n);

// False, with the reason in `why`, if elements of 4 bits are not in pairs that begin at whole
// bytes, if blocks cut groups of a parameter, or if its values would take too many bytes.
bool normalize(const reorder_problem &p, move_problem *out, std::string *why);

// The passes for pairs of one type, in their order. Each keeps the meaning of the problem. The
// first fails where 4-bit elements do not move in pairs, which are then unpacked and packed.
bool scale_to_bytes(const reorder_problem &p, move_problem *out);
void drop_single_steps(move_problem &p); // levels of one step address nothing
void split_exact_dims(move_problem &p);  // a dimension without tails: each level is one of its own
void fuse_neighbours(move_problem &p);   // h and w that are one run on both sides
void widen_element(move_problem &p);     // neighbours that stay together move as one element

std::string to_text(const move_problem &p);

} // namespace tfmt
