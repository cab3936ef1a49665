// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

// Every heuristic constant of the planner, with its unit and its reason.
namespace tfmt::cpu::tuning {

// Registers of a tile, as a power of two. 32 vector registers hold a 16-register tile and the
// temporaries of an exchange; 16 hold an 8-register one (16 + 1 temporary would spill).
constexpr int max_reg_bits_32_regs = 4;
constexpr int max_reg_bits_16_regs = 3;

// Tile registers of a copy without exchange (unrolling), as a power of two.
constexpr int copy_reg_bits = 2;

// Elements moved one at a time are unrolled by this power of two.
constexpr int element_reg_bits = 2;

// Bytes of destination that one call of a kernel should write: enough to hide the call and the
// driver's arithmetic (a few ns), small enough to share a tensor of 1 MiB among several threads.
constexpr dim_t kernel_call_bytes = 64 << 10;

// Bytes (source + destination) that pay for one more thread. Two threads over one, data in the
// caches: 0.4 MiB 0.6, 0.8 MiB 1.1 to 1.5, 1.2 MiB 1.2, 1.5 MiB 1.6 to 1.8, 2 to 18 MiB 1.75 to
// 2.2. That is with threads that have worked within 2 ms; asleep for 20 ms they take 60 us to come,
// and pay from about 3 MiB on.
constexpr dim_t bytes_per_thread = 512 << 10;

// Ranges in which a thread takes its share, and how many of the last ones others leave to it. Tried
// on 2 threads, 12 reorders of 1 to 18 MiB, geomean over one thread: ranges/left 8/0 1.28 to 1.42,
// 4/0 1.43, 1/0 1.64, 8/4 as 1/0. Help moves data from one core's cache to another's.
constexpr int ranges_per_thread = 8;
constexpr int ranges_left_alone = 4;

// A join is late if it takes this long and half the time of the work before it.
constexpr int64_t late_join_ns = 30000;

// What lateness may cost before threads have to have earned it: two slices of the scheduler's. Each
// ns beyond keeps so many bytes (about what one thread moves in it) on one thread, twice as many
// the next time, up to 2^max_overdrawn. With one of 2 cores busy, joins were 4 to 12 ms late for
// reorders of 16 to 1000 us, in some runs all of them, in others one of a hundred.
constexpr int64_t late_join_account_ns = 20000000;
constexpr int64_t bytes_per_late_ns = 10;
constexpr int max_overdrawn = 4;

// Destinations from this size on are asked for the NUMA nodes of their pages (64 pages: 10 us).
constexpr dim_t numa_bytes = 16 << 20;

// Relative costs of one stage for one register. Measured throughput on a machine with 512-bit
// vectors: unpack 0.083 ns, 16-byte lane shuffles 0.135 ns, two-source permutes 0.169 ns.
constexpr float cost_unpack = 1.0f;
constexpr float cost_lanes16 = 1.6f;
constexpr float cost_permute = 1.3f;
constexpr float cost_permute2 = 2.0f;

// Lines that are a multiple of this apart fall into one set of an L1 cache (64 sets of 64 bytes),
// which holds 8 of them, or 12.
constexpr dim_t l1_set_period_bytes = 4096;
constexpr int l1_ways_log2 = 3;

// A line of every cache of the machines that code is generated for.
constexpr dim_t line_bytes = 64;

// Tensors that together fit any L2 have the same plan on every machine.
constexpr size_t fits_any_l2_bytes = 256 << 10;

// Bytes along the source's and along the destination's run that are moved before the next rows
// begin, for tensors beyond L2. Tried on 14 cases of 2 to 270 MB (transposes, nchw <-> nhwc,
// blocked -> plain; 4, 2 and 1 bytes): none, 64/64, 256/256, 512/256, 256/512, 512/512, 1024/256,
// 256/1024, 1024/1024, 512/2048. 1024/256 won or tied nearly everywhere: f32 2048x2048
// transposed 2.7-5.5 times memcpy without, 1.2 with; 4096x4096 3.3 and 1.3; 2-byte ABcd32a16b ->
// abcd 1.9-3.5 and 1.2-1.8.
constexpr dim_t macro_tile_src_bytes = 1024;
constexpr dim_t macro_tile_dst_bytes = 256;

// A destination is written past the caches from this share of the last cache on (source and
// destination together). Measured with 32 MiB of L3, bytes of each tensor, time over memcpy without
// / with streaming: 6.4 MB 1.14/1.39, 9.6 MB 1.10/1.11, 12.8 MB 1.22/0.98, 16 MB 1.20/0.77, 25 MB
// 1.19/0.79.
constexpr double streaming_share_of_cache = 0.65;

// Limits of generated code. Dimensions with tails multiply the variants of a tile; beyond these
// (from about 9 dimensions with tails in blocks on) the portable path serves.
constexpr size_t max_kernel_ops = 40000; // about 300 KiB of code
constexpr size_t max_jobs = 512;

// Steps of a level whose blocks do not nest, the offsets of which the driver keeps in tables. 48a
// and 32a take 6, 64a and 63a take 4032.
constexpr dim_t max_irregular_steps = 1 << 16;

} // namespace tfmt::cpu::tuning
