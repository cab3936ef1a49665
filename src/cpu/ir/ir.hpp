// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/ir/chunk_list.hpp"
#include "cpu/plan/plan.hpp"

// Kernel IR: what a kernel does, as plain data. In: a plan and a state. Out: loops around straight
// blocks of loads, shuffles and stores on values of one vector width. It knows byte addresses
// relative to the kernel's two pointers; it does not know registers or encodings. The interpreter
// gives it its meaning, the emitters of jit/ its speed, the dump its text.
//
// A value is defined once in its block and used there any number of times; blocks share no values,
// but their numbers. Masks name bytes: bit i of a chunk's mask is byte i of the chunk. Bytes of a
// load that are masked off are zero and are not read unless they lie between bytes that are, less
// than a page apart; bytes of a store that are masked off are never written.
//
// A kernel that converts (kernel::converts) does so in its loads or in its stores. Masks, chunks'
// sizes and all else but addresses still count the bytes of values, whose lanes are kernel::
// elem_bytes wide: a load of f32 that makes 16 bf16 has a chunk of 32 bytes and reads 64. 4-bit
// elements take the low half of a byte in a value.
namespace tfmt::cpu::ir {

enum class op_kind : uint8_t {
    zero,     // out = 0
    load,     // out = chunks of memory side by side
    prefetch, // the lines at the chunks will be read soon; they may lie anywhere
    store,    // chunks of memory = pieces of a
    unpack, // interleave units of `unit_bytes` of the low (high) 8 bytes of each 16 bytes of a and
            // b
    lanes128, // 16-byte lanes of a and b by selector (see lane_selector)
    within16, // every 16 bytes of a permuted by a constant of 16 byte indices, or zero_index
    merge,    // bytes of a or b, of which one is zero
    permute,  // bytes of a by a constant of byte indices
    permute2  // bytes of a (index < vector) and b (index >= vector) by a constant of byte indices
};

// For lanes128: which two (vector of 32) or four (vector of 64) lanes go to the result, first the
// low ones from a, then the high ones from b.
enum class lane_selector : uint8_t {
    low_half,  // 32: a0 b0; 64: a0 a1 b0 b1
    high_half, // 32: a1 b1; 64: a2 a3 b2 b3
    even,      // 64: a0 a2 b0 b2
    odd        // 64: a1 a3 b1 b3
};

struct op {
    explicit op(op_kind k) : kind(k) {}
    op_kind kind;
    bool is_high = false;         // unpack
    bool stays_in_caches = false; // store: of a line in part, where others bypass the caches
    lane_selector selector = lane_selector::low_half; // lanes128
    int unit_bytes = 0;                               // unpack: unit; load, store: bytes of a chunk
    int out = -1;
    int a = -1;
    int b = -1;
    int constant = -1;
    chunk_list chunks;
    // Of a load or store that computes: from the parameters' pointer to those of its first lane.
    int64_t param_offset_bytes = 0;
};

using block = std::vector<op>;

using byte_indices = std::array<uint8_t, 64>;

constexpr uint8_t zero_index = 0x80; // of within16: zero

// What a nest does besides loops and blocks: all but the last in kernels with a scratch.
enum class nest_step : uint8_t {
    none,
    fill,        // the children, with dst_offset_bytes of the scratch in place of the destination
    drain_lanes, // the children, with src_offset_bytes of the scratch in place of the source
    drain,       // runs of kernel::drains go from the scratch to the destination
    near_end,    // before the last block of a sequence of chained drains
    end_rows,    // behind the last one: what it has kept back is written
    fetch_page   // the beginning of the page that src_offset_bytes lead to will be read soon
};

// `count` runs of `bytes` each.
struct scratch_runs {
    int64_t scratch_offset_bytes; // a line or more, for what the drain before has kept back
    int64_t dst_offset_bytes;
    int64_t bytes;
    int64_t count = 1;
    int64_t scratch_step_bytes = 0;
    int64_t dst_step_bytes = 0;
};

// Whether runs begin at the same places, however long they are.
inline bool lie_alike(const scratch_runs &a, const scratch_runs &b) {
    return a.scratch_offset_bytes == b.scratch_offset_bytes
            && a.dst_offset_bytes == b.dst_offset_bytes && a.count == b.count
            && a.scratch_step_bytes == b.scratch_step_bytes && a.dst_step_bytes == b.dst_step_bytes;
}

// Chained drains continue the runs of the one before them in the destination. Each but the first
// begins where that one has stopped, at the beginning of a line, so that all lines but the first
// and the last of the whole sequence are written at once.
struct drain {
    bool is_chained;
    std::vector<scratch_runs> runs;
};

// Root steps that are links of one chain, however many of them a call does; the rest goes on with
// it, and ends it with near_end, one more link and end_rows. Where no rest follows, near_end is
// done before the last step and end_rows behind it.
struct root_chain {
    int drain = -1; // of each root step; -1: they are no chain
    // Behind near_end lines are fetched from here on, counted from the source of the call's first
    // step: where a call for the next chain will begin. 0: not known, they are as before.
    int64_t next_bytes = 0;

    explicit operator bool() const { return drain >= 0; }
};

// A step of the nest: `count` times `children` (a loop), or one block. Offsets are added to the
// pointers before, steps after each iteration; the pointers are as they were afterwards.
struct nest_node {
    int64_t src_offset_bytes = 0;
    int64_t dst_offset_bytes = 0;
    int64_t count = 1;
    int64_t src_step_bytes = 0;
    int64_t dst_step_bytes = 0;
    int64_t param_offset_bytes = 0;
    int64_t param_step_bytes = 0;
    int block = -1; // index into kernel::blocks; -1: a loop
    nest_step step = nest_step::none;
    int drain = -1; // index into kernel::drains
    std::vector<nest_node> children;
};

// The caller gives pointers and the number of root steps. In kernels that compute with parameters
// the pointer to their arrays moves as the two others do. After them the pointers stand behind the
// last step; there `rest` is done if the caller asks for it.
struct kernel {
    int vector_bytes = 0; // of every value; below 16 they live in general registers
    int elem_bytes = 0;   // of a lane of a value
    conversion converts;
    // Of kernels with parameters that vary: where those of each lane are, from the first lane's.
    std::vector<int64_t> lane_param_offset_bytes;
    // What goes to the destination in whole lines bypasses the caches: drains, if there is a
    // scratch; else the stores of whole vectors, whose addresses must be multiples of vector_bytes.
    bool is_streaming = false;
    bool claims_lines = false; // asks for those of stores to the destination before it writes them
    dim_t claimed_ahead_bytes = 0; // from such a line to the one that it asks for
    int64_t scratch_bytes = 0;     // that the caller must supply, aligned to a line
    std::vector<drain> drains;
    // From 16 bytes of a run to the next ones in the scratch, if they are pieces of vectors; runs
    // are whole lines then, at multiples of a line. 0: they lie as in the destination.
    int64_t piece_step_bytes = 0;
    line_list fetched_lines;        // by drains, as they will be read soon
    int64_t fetched_base_bytes = 0; // from a drain's src to where these count from
    int n_values = 0;               // that a block has at most
    std::vector<byte_indices> constants;
    std::vector<block> blocks;
    int64_t src_step_bytes = 0;
    int64_t dst_step_bytes = 0;
    int64_t param_step_bytes = 0;
    root_chain chain;
    std::vector<nest_node> root;
    std::vector<nest_node> rest;
};

kernel build(const plan &p, const kernel_spec &spec);

int64_t n_runs(const drain &d);

// Bits of memory that a lane of a load or store takes.
int memory_elem_bits(const kernel &k, op_kind kind);

// What a shuffle does, in terms of permute2: byte i of the result is byte indices[i] of a, or of b
// where the index is a vector's width or more.
byte_indices indices_of(const kernel &k, const op &o);

// Which of the kernel's constants these are; added if they are none yet.
int constant_of(kernel &k, const byte_indices &indices);

// How many values the block has at once at most, the result of an operation beside its sources.
int count_live(const block &ops, int n_values);

// Why the kernel is malformed, or "" if it is well formed: values defined before use, constants and
// masks in range, chunks that fill the vector, elements (of 4 bits: pairs) in one piece, and what
// converts of the width that its types say.
std::string verify(const kernel &k);

// Values of the parameters, decoded to the computing type, as kernels take them.
struct parameter_values {
    // Parameter i, if it is a single value, fills the single_bytes from i * single_bytes on.
    const void *singles = nullptr;
    const void *arrays = nullptr; // of the others, at this call's place
};
constexpr int single_bytes = 64;

// Executes the kernel, byte by byte.
void interpret(const kernel &k, const void *src, void *dst, int64_t root_count, bool with_rest,
        const parameter_values &values = {});

std::string to_text(const kernel &k);

} // namespace tfmt::cpu::ir
