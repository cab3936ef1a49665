// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "common/normalize.hpp"
#include "cpu/plan/tuning.hpp"

// Runs: the low bits of which levels, one behind the other, number what lies side by side in
// memory. In: a problem. Out: bits of its levels, the ones with the smallest strides first.
//
// Worked example: f32 nChw16c with 20 channels: the source's run is c bits 0..3 of the inner level
// of 16, then those of w.
namespace tfmt::cpu {

// Bit k of level `level`; level -1: a filler.
struct level_bit {
    int level;
    int k;
    bool operator==(const level_bit &o) const { return level == o.level && k == o.k; }
};

using bit_list = inline_vector<level_bit, 32>;

inline bool is_filler(const level_bit &b) { return b.level < 0; }

bool contains(const bit_list &bits, const level_bit &b);

// Adds the first `count` bits of `from` that are not there yet.
void take(bit_list &taken, const bit_list &from, size_t count);
bit_list prefix(const bit_list &run, size_t count);
size_t union_size(const bit_list &a, const bit_list &b);

int log2_exact(dim_t pow2);
int ceil_log2(dim_t n);
int total_bits(const level &l);

// The dimensions whose irregular levels may have a part in runs and tiles.
struct phased_dims {
    static phased_dims none() { return {-2}; }
    static phased_dims all() { return {-1}; }
    int dim; // or the one
    bool has(const level &l) const { return !l.is_regular() && (dim == -1 || dim == l.dim); }
};

// A tile covers an aligned range of logical indices of each dimension only if it takes a level's
// bits from below and a level only when it has all of the levels below it. (These are powers of
// two: any other ends the run.)
bool may_enter(const move_problem &p, const bit_list &taken, int index,
        phased_dims phased = phased_dims::none());

// Whether anything is read at steps of `l` that have bit `k`. Else all of them are padding, and
// have no place in the source.
inline bool is_read(const limit_list &limits, const level &l, int k) {
    return l.unit << k < limits[size_t(l.dim)].load;
}

// Steps of `l` of which some are data. The others have no place in the source.
inline dim_t read_steps(const limit_list &limits, const level &l) {
    return std::min(l.extent, ceil_div(limits[size_t(l.dim)].load, l.unit));
}

// Whether steps of `l` lie within a line of the destination or whole lines apart.
inline bool keeps_lines(const level &l) {
    return l.dst_stride < tuning::line_bytes || l.dst_stride % tuning::line_bytes == 0;
}
bool keeps_all_lines(const move_problem &p);

// Whether a level, or each level, is all of its dimension, without padding.
bool is_exact(const move_problem &p, const level &l);
bool is_exact(const move_problem &p);

// Of an irregular level: the bits of the inner digit of src (or dst), along which steps are at one
// stride there, whatever they are on the other side. Its other factor ends a run. 0 of a regular
// level, and where a nest of all steps that are then left would be too long.
int digit_bits(const level &l, bool of_src);

// Whether runs may be packed (see tile::src_run): elements are whole bytes and computed with alike.
bool may_pack_runs(const move_problem &p);

// The bits along which addresses are contiguous in src (or dst), lowest first. The bits of a level
// whose extent is no power of two are padded up and the excess masked; it ends the run, unless it
// is so short that the next level begins within `packed_bits` (see tile::src_run), or that level
// begins where the excess ends: what lies there is read and dropped, as of 3 channels in blocks
// of 4. The same of all levels of a dimension, one behind the other, of which there are fewer steps
// than they have bits for, whether blocks of the other side cut it or pad it. A level of which one
// step is moved is not in a run, but where the run begins, if the destination pads it there.
// `vector_bytes`: of loads that some elements in a few may be picked from; 0: none.
// `phased`: irregular levels that give their digit_bits().
bit_list contiguous_run(const move_problem &p, bool of_src, size_t packed_bits,
        int vector_bytes = 0, phased_dims phased = phased_dims::none());

// The same problem with levels of which some steps are read, and the rest is padding, in two where
// another level goes on in the source behind what is read: the run goes on there, too. Two channels
// of nhwc that become 16 are 2 of 1 and 8 of 2, three are 4 of 1 and 4 of 4.
//     Time over memcpy, without / with, the 26 of 5745 reorders that have such: 1.99 / 1.63 (u8 ba
//     -> AB16b16a4b 2x768 12.6 / 4.5, bf16 ba -> BA16a64b 2x768 8.6 / 2.2), AVX2 1.96 / 1.80;
//     SSE4.1, 53 reorders, 2.15 / 2.20, on Zen 4 52 of 11641 0.92 of the time.
move_problem cut_at_data(const move_problem &p, int vector_bytes);

// What a run covers in memory: of its last level no more than that has.
dim_t bytes_of_run(const move_problem &p, const bit_list &run, bool of_src);

} // namespace tfmt::cpu
