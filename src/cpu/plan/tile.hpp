// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/normalize.hpp"
#include "cpu/plan/machine.hpp"
#include "cpu/plan/runs.hpp"

// The innermost tile of a move: which low index bits of which levels one straight piece of code
// covers.
//
// Source and destination address inside the tile are two permutations of the same bits. `src_run`
// are the bits that are contiguous in the source, in address order, `dst_run` those in the
// destination.
//
// Worked example: f32 nchw -> nhwc on AVX-512. Elements are 4 bytes, a register has 16 lanes = 4
// lane bits. src_run is hw bits 0..3, dst_run c bits 0..3: 8 tile bits, so 16 registers, loaded
// along hw and stored along c. The exchange of all 4 lane bits with the 4 register bits is a 16x16
// transpose.
namespace tfmt::cpu {

constexpr int lane_bytes = 16; // of a vector, within which most shuffles stay

// How the destination is written.
enum class store_path {
    plain, // tiles where they belong
    // The same, past the caches: for destinations that are multiples of a vector, or of a line if
    // tiles of narrower vectors store whole ones.
    streamed,
    staged,    // through a scratch, from which whole lines go past the caches
    collected, // through a scratch, from which runs of several lines go into the caches
    // The last two from a scratch of whole vectors (lane_drain.hpp); staged ones for destinations
    // that are multiples of a line.
    staged_in_lanes,
    collected_in_lanes
};

inline bool bypasses_caches(store_path stores) {
    return stores == store_path::streamed || stores == store_path::staged
            || stores == store_path::staged_in_lanes;
}

inline bool goes_in_lanes(store_path stores) {
    return stores == store_path::staged_in_lanes || stores == store_path::collected_in_lanes;
}

inline bool uses_scratch(store_path stores) {
    return stores == store_path::staged || stores == store_path::collected || goes_in_lanes(stores);
}

// Bits of a tile, by their index.
using bit_indices = inline_vector<int, 16>;

// A stride for each of some bits.
using stride_list = inline_vector<dim_t, 16>;

struct tile_bit {
    int level;    // of the normalized problem (a plan orders and cuts them); -1: a filler, always 0
    int dim;      // -1 for a filler
    dim_t weight; // logical indices of dim it stands for
    dim_t src_stride_bytes;
    dim_t dst_stride_bytes;
    dim_t param_stride_bytes = 0;
    bool is_regular = true; // else one of tile::phased, and the strides those of inner digits
    bool is_read = true;    // else all indices with this bit are padding
};

// A level whose blocks do not nest, around the tile. Where the tile's bits of it lie depends on the
// step at which the tile begins, its phase; on the side of whose run they are they have one stride.
struct phased_bits {
    int dim;
    std::vector<digit> src_digits, dst_digits; // bytes
    std::vector<int> bits;                     // of the tile, lowest first; there may be none

    // From the tile's address to that of step `step` of the tile's, which begins at `first`.
    dim_t offset(bool of_src, dim_t first, dim_t step) const {
        const std::vector<digit> &digits = of_src ? src_digits : dst_digits;
        return digits_offset(digits, first + step) - digits_offset(digits, first);
    }
};

struct tile {
    int elem_bytes;
    int vector_bytes;                 // 16..64; elem_bytes where one element is moved at a time
    inline_vector<tile_bit, 16> bits; // n_lane_bits() or more
    // Indices into bits; loads of 2^n elements (the whole run or one register). A run may be
    // packed: a short level in it (or all levels of a dimension) has more bits than steps, and the
    // next level begins right behind its last step. C = 3 in front of w takes bits c0 c1 w0 w1 with
    // strides of 1, 2, 3 and 6 elements, of which those with c = 3 do not exist: 16 lanes are 12
    // elements of memory.
    bit_indices src_run;
    bit_indices dst_run;
    inline_vector<int, 16> bits_of_level; // how many low bits of each problem level the tile covers
    int src_elem_bits;                    // in memory
    int dst_elem_bits;
    dim_t src_run_bytes = 0; // in memory, of what the run has of its levels
    dim_t dst_run_bytes = 0;
    dim_t src_whole_run_bytes = 0; // with all of the level that the run ends in
    bool dst_has_4_bits = false;   // also where dst_elem_bits counts the two of a byte
    bool is_narrow = false; // reads parts of lines that stay in L1, to write fewer of one set of it
    std::vector<phased_bits> phased = {};

    // The index in `phased` of a level around the tile, or -1.
    int phased_index(const level &l) const;
    int n_lane_bits() const;
    int n_reg_bits() const { return int(bits.size()) - n_lane_bits(); }
};

// Bytes of the source's run in lanes, with those of what does not exist.
inline dim_t bytes_of_src_lanes(const tile &t) {
    return (dim_t(t.src_elem_bits) << t.src_run.size()) / 8;
}

// Bytes that one tile moves, on the side where they are more.
dim_t tile_bytes(const tile &t);

// Bytes that one pass over the levels from `first` on moves, of which an innermost step moves
// `step_bytes`; counted until they are `enough`.
dim_t pass_bytes(dim_t step_bytes, const std::vector<level> &levels, size_t first, dim_t enough);

// Whether `run` has the tile's bit of that index.
bool contains(const bit_indices &run, size_t bit);

bool is_src_packed(const tile &t, const bit_indices &run);
bool is_dst_packed(const tile &t, const bit_indices &run);

// Whether the runs of the destination, which fill vectors, begin multiples of `vector_bytes` apart.
bool stores_vectors(const tile &t, int vector_bytes);

// Registers that a tile may have, as a power of two.
int max_reg_bits(const move_problem &p, const machine &m);

// Along both contiguous runs; where the source has none of two elements or more, elements are read
// one at a time into vectors of the destination's run; where that has none, they are moved so, or,
// if they are converted, written so.
// `with_phases`: levels whose blocks do not nest have a part in it.
tile choose_tile(
        const move_problem &p, const machine &m, store_path stores, bool with_phases = true);

// The tile for writing the padding of a tensor: nothing is loaded, so only the destination matters.
tile choose_zero_tile(const move_problem &p, const machine &m);

std::string to_text(const tile &t);

} // namespace tfmt::cpu
