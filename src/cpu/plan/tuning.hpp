// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "common/memory_desc.hpp"

// Every named number that was tuned for plans (cpu/plan, cpu/ir) and executions (cpu/exec,
// cpu/masked_sums), with its unit, its reason and what was tried. Rules that need none, or a
// fraction of a line or a vector, stand with their reason at the function that applies them.
//
// How to read the figures. They are geometric means of time over memcpy of the same bytes, of the
// reorders that the rule changes: first without it (or with what was tried), then with it, "/"
// between. Without the name of an instruction set they are of AVX-512, one thread; AVX2 and SSE4.1
// are the same machine with the others switched off. Counts ("the 26 of 5745 reorders") are of
// samples that bench/make_cases.py draws, of frameworks' and random layouts. A reorder is named by
// type, tag of the source -> tag of the destination, and dims.
namespace tfmt::cpu::tuning {

// -------------------------------------------------------------------------------------------------
// Machines

// A line of every cache of the machines that code is generated for, and a page.
constexpr dim_t line_bytes = 64;
constexpr dim_t page_bytes = 4096;

// Tensors that together fit any L2 have the same plan whatever the caches' sizes, which take 0.35
// ms to find out and are not asked for.
constexpr size_t fits_any_l2_bytes = 256 << 10;

// Lines that are a multiple of this apart fall into one set of an L1 cache (64 sets of 64 bytes),
// which holds 8 of them, or 12. With 8 rows there is none left for what is written: of 19 cases of
// 3 to 16 MB, limits of 4 / 7 / 8 / none took 1.69 / 1.69 / 1.70 / 1.90.
constexpr dim_t l1_set_period_bytes = 4096;
constexpr int max_rows_in_l1_set = 7;
// The same of whole vectors, half of which and more is padding (not where more rows of that are
// written at full speed: machine::max_padded_rows), and so many where these are lines, of which
// none has to stay.
//     Zen 4, time with at most so many lines of a set over any number: 8 with vectors of a line 42
//     of 11600 reorders 0.85, worst 1.13 (u8 bac -> Acb32a 1x128x768 4.1 / 2.1 times memcpy), 7 129
//     0.96, 4 147 0.97; AVX2 8 none, 7 61 0.80 (f32 abcd -> aBdc32b 2x4x64x64 0.30 of the time), 2
//     159 0.95; SSE4.1 7 27 0.86. With less padding AVX-512 8 138 1.01, AVX2 7 25 1.19.
constexpr int max_padded_lines_in_l1_set = 8;
// No thread has more of a last cache than this, whatever is said of its size: servers share 100 to
// 500 MiB among their cores, a virtual machine of two cores is told all of it, and what lies in the
// farther slices is as slow as memory.
//     480 MiB of L3, 2 cores of it, one thread, time over memcpy for limits of 16 / 32 / 48 / 64 /
//     96 / 128 / 480 MiB: 166 cases of 16 to 64 MiB 0.99 / 1.00 / 0.98 / 0.98 / 0.96 / 0.97 / 0.97,
//     97 of more 0.71 / 0.72 / 0.71 / 0.71 / 0.72 / 0.73 / 1.1.
constexpr size_t max_last_cache_bytes = 64 << 20;

// -------------------------------------------------------------------------------------------------
// Tiles: registers, runs, rows

// Registers of a tile, as a power of two. 32 vector registers hold a 16-register tile and the
// temporaries of an exchange; 16 hold an 8-register one.
constexpr int max_reg_bits_32_regs = 4;
constexpr int max_reg_bits_16_regs = 3;

// Tiles of bytes that exchange whole vectors have 16 registers of 16 as well, though two values
// wait on the stack then (jit/registers.hpp), for pieces of 16 bytes in place of 8 on the side that
// is read or written in pieces: half as many chunks to load, and lines are touched half as often.
// Not where so many rows of the destination would fall into one set of L1, if they are stored where
// they belong; nor, if they stay in the caches, where whole vectors of so many rows of the source
// would; nor past the caches with vectors of 16 bytes where the pieces are the destination's.
//     Zen 4, times over those with 8 registers, below 64 KiB, 1 MiB, 16 MiB and above: AVX2 867
//     reorders 0.86 0.89 0.92 0.96, beyond the goals 68 / 53 (64x64 transposed 120 / 90 ns),
//     SSE4.1 1044 0.90 0.92 0.96 0.98, 170 / 133 (ba -> AB16a16b 30522x768 2.2 / 0.9 times memcpy).
//     With loads first and stores last, which takes 20 moves to the stack and back where 12 do,
//     AVX2 0.97 0.97 0.98 0.99; where 4 do, since operations wait for stores (jit/registers.cpp),
//     Zen 1, times of the 12 over those of the 4: AVX2 170 reorders 1.03 1.07 1.04 1.02, SSE4.1 181
//     1.04 1.06 1.03 1.01 (u8 BAcd4a4b -> abcd 128x128x3x3 6.7 / 4.8 times memcpy). Elements of two
//     bytes, of which 8 registers have pieces of 16 bytes, AVX2 1194 1.10 1.10 1.10 1.08. Rows in
//     one set too: AVX2 1 MiB to 16 MiB 0.923, SSE4.1 0.962; whole vectors of 16 rows in one set,
//     AVX2 35 1.04, past the caches 29 0.97; the destination's pieces with vectors of 16 bytes 91
//     1.17 (AVX2 117 0.94), but with 4 moves in place of 12, in the caches, on Zen 1: 22 of 5100
//     0.96, 44 transposes of 512 to 8192 by 3 to 192 0.92 (15x2048 5.6 / 2.9 times memcpy). 32
//     registers of 64 bytes, so pieces of 32, take as long in L1 (157 cycles for 2 KiB, 154 with
//     16), 1.1 below and 1.2 beyond 1 MiB.
//     Also where a few bytes end a run of 2^n others (ends_in_few), such as the ninth of a kernel
//     of 3x3: tiles load as many chunks then and exchange half as many registers. Cascade Lake,
//     AVX2, 48 of 8000 reorders 0.80 of the time (s8 abcd -> AcdB24a2b 320x4x3x3 12.9 / 6.9 times
//     memcpy, abcde -> decab 32x4x4x3x3 6.9 / 3.3), Zen 4 68 0.80; elements of two bytes 25 0.92,
//     Zen 4 33 0.94; of whole runs of 16 bytes 145 1.00.
constexpr int max_spilled_elem_bytes = 1;
constexpr int min_spilled_vector_bytes_of_whole_src = 32;

// Rows of the source on one set of L1 of which such tiles read whole vectors: as many as the sets
// hold of Zen 1 to 4; Intel's hold 12, of 16 rows most.
//     Intel, of 8500 reorders, times over those with 8 rows: AVX2 16 0.64 (s8 cdab -> abcd
//     16x512x28x28 5.5 / 1.5 times memcpy, u8 dcab -> abcd 8x512x28x28 4.1 / 1.5, ba -> ab
//     16384x784 5.5 / 1.7), of these up to 1 MiB 4 0.64, above 16 MiB 4 0.75; SSE4.1 29 0.80 (5.4 /
//     2.0, 5.4 / 2.1, 5.1 / 2.1). Without 16 registers the pieces are of 8 bytes; of 16, with half
//     a vector of the source, AVX2 0.64, SSE4.1 0.81; 32 rows, with whole vectors of the
//     destination, AVX2 5.5 / 3.3 and 3.2 / 1.6. Runs that leave no square, of which 16 registers
//     have whole vectors all the same (rows of 14, u8 decab -> abced 32x480x4x14x14): AVX2 6 more
//     0.75 (5.5 / 2.7). On AVX2 the same with whole vectors of the destination, of shorter runs of
//     the source: below 1 MiB 56 1.08, from there on 44 0.97.
constexpr int max_spilled_src_rows = 8;
constexpr int max_spilled_src_rows_of_intel = 16;
// Elements of up to so many bytes in those that store whole lines past the caches (fit_lines),
// where 8 registers have less than a quarter of the source's lines.
//     Zen 1, time over memcpy, of 5100 reorders from 2 MB on, of two bytes, through a scratch or
//     lines in part / so, AVX2 28 1.04 / 0.77, SSE4.1 32 1.30 / 0.93 (beyond 1.8 6, 0). Of four as
//     well, quarters in place of eighths on SSE4.1: 127 of 3400 0.87 / 0.73, 49 of one and two
//     bytes in other blocks 0.71 / 0.60, 43 transposes of 400 MB 1.66 / 1.35 (beyond 1.8 15, 3).
//     Halves in place of quarters, AVX2: 158 1.05 times as long. Where rows collide within the
//     caches, AVX2 24 1.00, SSE4.1 24 1.01.
constexpr int max_spilled_elem_bytes_of_streamed_lines = 4;

// Moved bytes up to which vectors of half the length are taken where tiles of these cost less
// (tile_cost), on cores that execute 64 bytes as two times 32, as those of Zen 4 do. The cost, in
// unpacks of 32 bytes: of a stage of another kind and of one with permutes of two vectors, of a
// chunk of a load below 16 bytes, and of each tile; chunks of 16 bytes and more behind the first
// one cost 1 for each 32 bytes of the vector that they are inserted in.
//     Zen 4 takes 0.33 cycles for an unpack of 32 bytes, 0.5 for another shuffle and for an insert
//     from memory, 1 for a permute of two vectors and 1.25 for one of 64 bytes. Of 1230 reorders
//     below 64 KiB what is chosen takes 0.942 of the time of 64 bytes, the faster one of each would
//     take 0.923; with 2 to 4, 3 to 6 and 12 to 100 for the first three 0.942 to 0.944, with 0 and
//     6 for a tile 0.957 and 0.946, with 2 for an insert 0.951; stores and first loads do not
//     matter. Of 10200 reorders, 766 below 64 KiB take 1.53 in place of 1.69 times memcpy (u8 abcd
//     -> cdba 320x4x3x3 2.8, 4.3, but bf16 AcB8a2b -> acb 768x1x10, gathered by
//     ir/repack, 1.7, 1.1) and 319 above 0.989 of the time; up to 256 KiB 1.00, up to 1 MiB 1.015;
//     making them 0.93. Conversions to wider elements 0.92, to others 0.98 to 1.30. AVX2 in 16
//     bytes 1.39.
//     Where a line of the source goes to more rows of the destination on one set of L1 than that
//     holds, halves of lines are lost before the other halves come. Zen 4, whole vectors in place
//     of halves, 153 of 12300 reorders 0.71, 1.15 for 1.61 times memcpy (bf16 abc -> AcB16b64a
//     1x32x16 1.0 for 6.2), 3 slower, by 1.2 at most; only from 16 rows on 50 of these 0.58.
constexpr dim_t max_split_moved_bytes_of_amd = 128 << 10;
constexpr int max_dst_rows_of_halves_of_lines = max_rows_in_l1_set;
constexpr double split_lanes_cost = 3, split_permute2_cost = 5;
constexpr double split_small_chunk_cost = 24, split_tile_cost = 4;
// Tiles of half as many registers, of vectors of either length, where by these costs they take less
// than this share: where fewer elements of a dimension are left over, and loads in pieces take the
// place of exchanges.
//     Zen 4, time with these over without, of 10900 reorders the 266 that it changes 0.950, 100
//     faster and 15 slower (s8 AB16b32a -> BA16a16b2a 15x207 1.9 / 1.1 times memcpy without / with,
//     worst bf16 abcd -> AcdB64a2b 320x4x3x3 1.4 / 2.0); below 0.8 257 0.953, 90 and 9, below 0.7
//     53 0.92. Up to 1 MiB 421 more 0.99, a third faster and a quarter slower. Transposes of 60x60
//     to 128x128, bf16, the same.
constexpr double max_split_cost_share_of_fewer_registers = 0.9;
// Such cores also copy in halves what comes from a source that spans so many bytes: loads of 64
// bytes that find no page's place in the TLB wait twice as long as those of 32 and fewer (Zen 4:
// 5400 lines one page apart take 56 us, 24 us in halves, or if they are fetched 8 ahead).
//     Zen 4, halves over whole vectors, of 11600 reorders 182 0.98 (f32 ABcd40a32b -> acdb
//     1x1024x13x13 0.052 whole, 0.024 in halves over memcpy). Conversions with gaps of a third of
//     what is read and more 38 0.92, but 5 of them 1.7 to 2.1, with fewer 53 1.09.
constexpr double min_src_span_bytes_of_copies_in_halves = 6 << 20;
// Intel, AVX-512: where tiles read short runs of elements of so many bytes, within the caches, and
// store to rows that begin anywhere in a line (crosses_lines), a vector of a line is nearly always
// stored across two; of its halves every other one is not.
//     Halves over whole vectors, those of 8500 reorders below 64 KiB 95 0.95, 1 MiB 243 0.91, 16
//     MiB 229 0.94, above 38 0.98; bytes 263 0.91, 2 bytes 207 0.95 (s8 dcab -> Abcd16a
//     8x288x35x35 2.7 / 1.4 times memcpy, bf16 aBdc16b -> abcd 1x64x284x284 2.3 / 1.4). Of a
//     quarter of these reorders, for rows that begin with a line bytes 84 1.04, 2 bytes 99 1.09;
//     for runs of a whole vector 41 1.07 and 61 1.08, f32 and s32 104 1.00; of 1600 conversions
//     77 1.09.
//     Where it is levels around the tile that begin anywhere, within L2 61 of 12500 0.93, up to 64
//     KiB 10 0.80 (bf16 Bcdea24b -> Acdeb4a 32x1x3x3x3 2.4 / 1.4), beyond L2 53 1.02; where they
//     begin in the middle of a line as well 104 0.97.
constexpr int max_crossing_elem_bytes = 2;
// There elements of so many bytes, too, from so many moved bytes on, where rows of more than half
// of a vector lie side by side, and tiles store a vector of the source's elements of them.
//     Of 3100 reorders of 4 and 8 bytes 32 0.83 (f32 acdb -> abcd 64x64x3x3 2.2 / 1.5 times memcpy,
//     aCdeb48c -> abcde 32x16x16x3x3 1.1 / 0.7, but acdb -> abdc 128x128x3x3 2.1 / 2.8); smaller
//     ones 8 1.19; of fewer rows 42 more of any size 1.02.
constexpr int crossing_elem_bytes_of_rows = 4;
constexpr dim_t min_moved_bytes_of_crossing_rows = 56 << 10;
// On Skylake elements of 1 and 2 bytes only from so many moved bytes on.
//     Whole vectors over halves, those of 10900 reorders of 1 and 2 bytes up to 64 KiB 113 0.90
//     (f16 cdeBa2b -> acdeb 32x1x3x3x3 6.4 / 4.2 times memcpy), 1 MiB 249 0.94, 2 MB 59 0.98, 4 MB
//     69 1.04, 8 MB 53 1.03. With AVX2, where it is rows of odd halves alone, 17 0.89; with AVX-512
//     36 1.10.
constexpr dim_t min_moved_bytes_of_crossing_runs_of_skylake = 2 << 20;
// There and with AVX2, of elements of any size within L2: rows of so many bytes and more, below so
// many vectors, that stay together and begin within lines on both sides, if they are an odd number
// of halves and a rest.
//     Of 12540 reorders, whole vectors over halves, AVX-512, below 64 KiB 8 1.11, 2 MiB 29 1.22,
//     least 1.05 (f32 aBdc24b -> acdb 1x255x26x26 1.7 / 1.1 times memcpy), 4 MiB 9 1.07, above 22
//     1.02; AVX2 below 2 MiB 6 1.16 (f32 dabc -> abdc 2x192x14x14 1.5 / 1.2), above 10 1.00. Of a
//     third of these with rows of other lengths, halves over whole vectors: AVX-512, 32 bytes 9
//     0.98, 48 26 1.01, 64 to 95 5 0.99, from 192 on 18 1.03; AVX2, below 32 bytes 155 1.03, 32 to
//     47 45 1.06, 48 21 0.94, 64 to 79 5 1.18, from 96 on 69 1.07.
constexpr dim_t min_bytes_of_rows_in_halves = 48;
constexpr int max_vectors_of_rows_in_halves = 3;
// Zen 1 executes 32 bytes as two times 16, and an exchange of these takes 8 instructions. Vectors
// of 16 bytes take less whatever the tile, unless a line of the source goes to so many rows of the
// destination on one set of L1 that lines in part, of which they leave more, are lost.
//     Zen 1, AVX2, times over those of 32 bytes, 5100 reorders, by size below 64 KiB 764 0.888, 1
//     MiB 1509 0.890, 3 MB 706 0.895 (elements of 4 bytes 0.78 to 0.86, of 1 byte 0.93); of 13600
//     reorders up to 4 MiB 335 0.861, beyond, as far as the caches reach, 239 0.922. Past these,
//     whatever the tile, 0.96, but beyond the goals 17 in place of 1, as lines are left in more
//     parts: see min_staged_in_halves_elem_bytes. By tile_cost, with 16 for 32 bytes and an
//     exchange of 3 or 6, 0.887 and 0.908 below 64 KiB, 0.895 and 0.906 to 1 MiB, 0.901 and 0.910
//     above. 900 conversions, to wider elements 0.957, to others 1.00 to 1.5. Whole vectors where
//     there are 16 rows on one set: the 57 of these 5100 0.984, worst 5.0 / 2.9 times memcpy; 341
//     transposes of 512 to 8192 by 3 to 192 0.955 (bf16 and u8 49x4096 to 192x4096 4 to 6 / 2.5
//     to 3.2); with 8 rows 0.996, 32 0.99.
constexpr dim_t max_split_moved_bytes_of_zen1 = 8 << 20;
constexpr int max_dst_rows_of_halves = 15;

// Tile registers of a copy without exchange (unrolling), as a power of two. Tiles of fewer
// registers take rows.
constexpr int copy_reg_bits = 2;

// Elements moved one at a time are unrolled by this power of two.
constexpr int element_reg_bits = 2;

// Bytes that a tile of padding covers.
//     With one vector, 16 to 32 bytes, a pass over padding of 3 MB took 2.3 to 4.2 times memcpy in
//     place of 1.0 to 1.7; 267 reorders that are half padding and more, time with passes of their
//     own over time in one: AVX2 1.00 / 0.91, SSE4.1 1.04 / 0.94.
constexpr dim_t zero_tile_bytes = 256;

// Rows that lie side by side in the destination of which a tile takes so many at once, as a power
// of two (take_rows): what is stored of one may reach into the next where there are no masks
// (ir/widen).
//     Time over memcpy, one row / four, the 131 of 11700 reorders that this changes on AVX2: 1.52 /
//     1.31 (f32 ABcd4a4b -> acdb 64x3x3x3 10.1 / 4.8, s8 cabd -> bcda 1x1024x14x14 3.2 / 1.7), with
//     two rows a third of it less, with eight the same; 77 on SSE4.1 1.62 / 1.33.
constexpr int row_bits = 2;
// Steps of padding behind its vectors that a tile takes, as a power of two, and up to how many
// moved bytes (take_padding_vectors).
//     Time over memcpy without / with 2, 4, 8 vectors, 589 of 19000 reorders on AVX-512 1.447 /
//     1.378 1.365 1.359, of up to 4 KiB 3.8 / 3.6, 64 KiB 1.73 / 1.57, more 1.10 / 1.08 (u8 BA8a24b
//     -> BA16a64b4a 250x1 3.3 / 1.6), 614 on AVX2 1.53 / 1.48 1.47 1.50, 706 on SSE4.1 1.94 / 1.82
//     1.82 1.81. Of more than 256 KiB no difference, of more than 4 MiB 1.03 times as long.
constexpr int padding_vector_bits = 2;
constexpr dim_t max_moved_bytes_of_padding_vectors = 256 << 10;

// One of 2^n elements side by side (one channel in blocks of 4) is read with the others, up to this
// n, where a vector has at least so many that are wanted. The same of runs of two and more.
//     Time over memcpy, one by one / so: u8 aBcd4b -> abcd 1x1x572x572 3.0 / 1.0 (AVX2 2.9 / 1.8),
//     f32 Abcd4a -> acdb 1x32x112x112 3.1 / 1.7, s8 BcA24b2a -> acb 1x77x768 4.9 / 1.2 (AVX2 5.4 /
//     2.3, SSE4.1 4.7 / 3.1), u8 aBcd8b -> abcd 8.7 / 5.0; two of a vector 3.0 / 3.0 (AVX2, f32
//     with n = 2), one 3.1 / 4.2 (SSE4.1). The same of runs of two and more: s8 Abcd4a -> adbc
//     2x4x512x512 5.4 / 2.1, u8 Abc8a -> BAc4a4b 4x77x768 2.2 / 0.9; the 32 of 5745 reorders that
//     have such 1.43 / 1.14. Two in a vector again lose: bf16 BA8b8a -> ab 2x768 on AVX2 3.7 / 5.9,
//     s8 ABc16b16a2b -> bac 2x2048x2048 1.4 / 1.7. Three of eight and sixteen, 11 of 8377 reorders,
//     2.7 / 1.6 (s8 aBcd16b -> acdb 32x3x3x3 7.9 / 1.9, aBdec8b -> abcde 16x3x16x112x112 2.7 /
//     1.4). Four, one channel in blocks of 16, which vectors of 64 bytes have four of: 32 of 16446
//     reorders 2.13 / 1.47 (s8 aBcd16b -> abcd 4x1x56x56 1.6 / 0.7, ABcde32a16b -> cdeba 32x1x3x3x3
//     6.7 / 2.6).
//     Where a tile has no room for as many as are wanted of such a vector and all of the
//     destination's, it has all of the vector, if the destination's are no padding: where half of
//     the vector had room 20 of 22000 reorders 1.57 / 1.20, 35 on AVX2 1.90 / 1.39, 22 on SSE4.1
//     3.36 / 2.35 (s8 Abc4a -> acb 1x128x768 6.9 / 2.7); where less had, of 12500 4 on AVX-512 1.96
//     / 1.15 (s8 ABcd8a8b -> abcd 16x1x28x28 3.5 / 1.0), 3 on AVX2 1.38 / 1.35. With padding 27
//     1.82 / 1.99, 21 1.62 / 2.22, 14 1.65 / 1.87.
constexpr int max_filler_bits = 4;
constexpr dim_t min_filled_runs = 4;

// Steps of a dimension that blocks of the other side pad or cut (3 channels of nhwc that become 4,
// or 2 of 2) of which a run may be packed.
//     48 reorders of images of 3 channels to blocks of 4 to 32, time over memcpy, each step read
//     for itself / packed: 2.48 / 1.54 (u8 acdb -> aBcd4b 1x3x56x56 32.6 / 2.0, 1x3x224x224 8.2 /
//     1.1), AVX2 2.29 / 1.87 (18.8 / 6.2, 4.3 / 1.6). 126 of 10827 reorders with 4, 8, 16 and any
//     steps 1.632 / 1.543 1.531 1.537 1.561 (bf16 ABcde8a2b -> acdeb 64x3x3x7x7 4.0 / 1.5, u8 acdb
//     -> AcdB16a2b 64x3x7x7 38 / 7), 50 on AVX2 1.518 / 1.42.
constexpr dim_t max_packed_steps = 8;
// cut_at_data cuts a level for that where the steps that are read, no power of two, are so many
// bytes at most.
//     6 and 12 are the same, 24 lose (f64 acdb -> ABcd8a8b 32x3x3x3 1.8 / 2.8), and so does padding
//     that fills vectors (s8 acdeb -> BcdeA16a64b2a 64x3x3x7x7 1.7 / 2.8, AVX2 1.7 / 4.8).
constexpr dim_t max_packed_step_bytes = 12;

// Rows of the source in a set of L1, over those of the destination, beyond which a tile rather has
// whole lines of the source (prefers_whole_src_lines): 16 (all steps of a tile) and 14 (all that a
// level has) are as many.
constexpr double src_rows_over_dst_rows = 1.5;

// Bits of the source's run that a tile keeps though lines of the destination that it leaves in part
// then crowd L1 (fitting_runs), of elements that are wanted or not. No other value was tried.
constexpr size_t min_src_run_bits_left = 2;

// Bytes of the source's run that is left where tiles write whole lines beyond L2, and longer ones
// would have them write more lines of one set of L1 than that holds (machine::narrows_tiles). A
// line of the source is then read piece by piece, in the order of the destination.
//     Zen 4, times over those of whole vectors: 193 of 11780 reorders of frameworks 0.81, most of 4
//     bytes (f32 abcd -> acdb 1x1024x14x14 1.97 / 1.05 times memcpy, cdba -> abDc16d 1x12x384x64
//     2.06 / 1.21), above 1.1 3, of padded blocks; of 2330 transposes, most with rows of the
//     destination multiples of 1024 bytes apart, 462 0.79: 4 bytes 256 0.68 (ba -> ab 196x1024 1.95
//     / 1.06), 2 bytes 224 0.94, of which rows 2048 bytes apart 48 0.78. Where runs of 32 bytes
//     crowd no set, these 4 bytes 50 1.05, 8 bytes 43 0.925. In the order of the source 1.00 for
//     0.95; vectors of half the length 0.82 for 0.78; where L1 loses parts of lines, as their rows
//     are multiples of 256 to 1024 bytes apart, 220 more 1.2, up to 2.0. Within L2 153 1.25.
//     Conversions to wider elements 330 0.96, to others 185 1.08 to 1.47.
constexpr dim_t min_narrow_run_bytes = 16;

// Runs of the source of less than a line of which tiles read no more lines than L1 keeps, where so
// many would share a set: one channel of a block of 32, of which a line has two, read for each of
// 64 rows before the other one is. Short ones, and such as leave more of a line to be read.
//     Zen 4, times over those of whole vectors of the destination, short ones, with 7 lines, 28 of
//     10200 reorders on AVX-512 0.735 (u8 Abcde32a -> acdeb 1x64x8x28x28 3.9 / 0.8 times memcpy, s8
//     ABcd8a4b -> adbc 1x3x640x640 3.85 / 1.06), AVX2 21 0.698, SSE4.1 11 0.927. Where 8 lines do
//     70 0.903 in place of 0.889, AVX2 67 0.902 and 0.900; runs of one element 0.97. Long ones,
//     AVX-512 12 0.85 (u8 AcB16b32a -> bac 16x128x768 5.2 / 2.2, s8 AcB16b16a4b -> bac 2x197x768
//     2.3 / 1.15), AVX2 one 0.54; with 16 rows 0.885, with 7 0.90; where 16 lines do 0.96, beyond
//     L2 0.95, but in L2 up to 1.3 times as long.
constexpr dim_t max_lost_src_run_bytes = 4;
constexpr int min_lost_src_lines = 16;
constexpr int min_lost_src_lines_of_long_runs = 32;
// What L1 keeps of these, and of all that collected tiles read in parts.
//     Of short ones, times over those with 7, that is 4 mostly: AVX2 21 0.971, SSE4.1 11 0.902 (u8
//     ABcd4a4b -> dabc 1x4x512x512 3.4 / 2.3 on both), AVX-512 32 0.99, but two 1.1 and 1.2.
//     Collected, of the 3300 transposes of min_collected_run_bytes, times over those of any number:
//     AVX-512 177 0.83, without VBMI 0.79 (u8 abc -> cba 160x2048x12 14 / 4.4 times memcpy), AVX2
//     16 0.72, SSE4.1 none; of 62000 others 12 0.96, 12 0.91 and 4 0.73. Where tiles read lines
//     whole 150 1.0, bytes 1.17.
constexpr int max_kept_src_lines = 8;

// Bytes of the source's run that are left where tiles of vectors below a line have whole lines of a
// destination whose rows collide (fit_lines), and lines of the source in a set of L1 up to which
// they do.
//     Zen 4, times over those with lines in part, of the 10200 reorders those that this changes, at
//     least 4 bytes and 2 lines: 120 on AVX2 0.80 (1 to 16 MB 0.75; bf16 abcd -> acdb 1x2048x7x7
//     4.9 / 3.8 times memcpy), beyond the goals 22 / 12; 57 on SSE4.1 0.907, 40 / 30. At least 2
//     bytes: 0.796, 0.943, of these up to 1 MB 0.861, 1.045; 7 lines 0.796, 0.923. Any lines: 341
//     0.926, SSE4.1 196 0.983. Where 5 rows collide the same, 3: 1.01 and 1.14 times as long.
constexpr dim_t min_src_run_bytes_left = 4;
constexpr int max_src_lines_in_l1_set_of_whole_lines = 2;
// Bytes of elements from which on they do on Skylake's servers, where L2 is nearer and pieces of 4
// bytes are slower to load.
//     Cascade Lake, times without over with, 8000 reorders: AVX2 33 of bytes 0.85 (u8 BA4b8a -> ab
//     21x4096 4.6 / 2.3 times memcpy), 25 of two 0.87, SSE4.1 23 of two 0.79 (bf16 abcd -> dabc
//     4x32x512x128 1.9 / 1.3); AVX2 31 of four 0.97, one 1.5.
constexpr int min_elem_bytes_of_whole_lines_of_skylake = 4;

// -------------------------------------------------------------------------------------------------
// Levels whose blocks do not nest, and joined runs

// Phases of a tile next to levels whose blocks do not nest, of all of them together: 48b and 32b
// leave 3, 7b and 16b 7, and where two dimensions have them they multiply. A kernel has code for
// each.
//     Time over memcpy, steps in the driver / 16 phases / 32: 32 pairs of 0.5 to 15 MB 2.2 / 1.2 /
//     1.2 (AVX2 2.2 / 1.2, SSE4.1 2.4 / 1.3), 33 with more than 16 phases 2.3 / 1.4 / 1.3, of these
//     f32 BA12b24a -> AB32a16b 480x512 2.8 / 2.5 / 1.3. To make one takes 22, 48 and 65 us, of the
//     33 26, 69 and 136 (one of two dimensions, both with tails, 1 ms), so the more only where
//     there is much to move.
constexpr dim_t max_phases = 16;
constexpr dim_t max_phases_of_large = 32;
constexpr dim_t min_large_bytes = 1 << 20; // source + destination; blocks of a scratch go by it too

// Levels of a tile that have phases: kernels keep the first step of each.
constexpr int max_phased_levels = 2;

// Lines that a streamed tile with phases may leave in part: they wait for all of its phases before
// they are complete.
//     Time over memcpy, streamed / not, reorders of 48 to 280 MB, 11 on AVX2 5.2 / 0.95, 17 on
//     SSE4.1 6.9 / 1.15 (s8 BcA16a48b4a -> aBC2b8c16b2c 64x384x1024 18.7 / 1.1). Zen 4, times over
//     those with one, of 4400 pairs of blocks that do not nest: with 2 lines AVX-512 6 0.66, AVX2 5
//     0.66, SSE4.1 6 0.66 (f16 ABcd4a40b -> aBcd24b 96x256x2x192 1.75 / 0.9 times memcpy), with 4
//     12 1.08, 11 0.99, 25 0.92, single ones 2.6 to 4.9, with any number 15 1.15, 18 1.20, 47 1.45.
constexpr int max_open_lines_of_phases = 2;

// Steps of a level whose blocks do not nest, the offsets of which the driver keeps in tables. 48a
// and 32a take 6, 64a and 63a take 4032.
constexpr dim_t max_irregular_steps = 1 << 16;

// Runs of so many bytes or more that stay together on one side are joined with what is behind them;
// of elements of 2 bytes and more all, where they are the destination's.
//     Time over memcpy, apart / joined, cdba -> abcd 256x256x3x3: u8 3.7 / 2.2, bf16 2.8 / 1.9
//     (512x512x3x3 3.2 / 1.65), f32 2.2 / 1.4; 22 such cases of 3 to 25 elements 2.6 / 2.0, AVX2
//     3.1 / 2.5, SSE4.1 4.2 / 3.5. abcd -> cdba u8 256x256x3x3 2.9 / 2.1, but bf16 2.4 / 2.9, f32
//     1.9 / 2.3: there orders that leave lines of the source in L1 gain more. u8 of 3 bytes 1.9 /
//     2.1, of 12 3.0 / 4.0 (AVX2 3.1 / 5.7). Not below so many bytes of source and destination: 9
//     phases take 100 to 250 us to make, one tile 20 to 30, and 256 KiB are moved in 10 us less.
//     Nor runs of more than max_phases: 27 took 400 us and more for 0.9 of the time.
constexpr dim_t min_joined_bytes = 256 << 10;
// Elements of up to so many bytes are collected in place of joined where rows of both sides share
// sets of L1 (needs_collecting).
//     Zen 4, collected over joined, of the 3300 transposes of min_collected_run_bytes: 41 0.77,
//     AVX2 46 0.84, SSE4.1 44 0.79 (u8 cabd -> dabc 16x1024x13x13 12.8 / 3.9 times memcpy); of four
//     bytes, of 400 cba -> abc of 512 to 4096 rows of odd widths, 35 1.6, 51 1.1, 50 1.05 times as
//     long (f32 40x1024x14 2.2 / 3.7).
constexpr int max_elem_bytes_better_collected = 2;
constexpr dim_t min_joined_src_bytes = 9;
constexpr dim_t min_joined_dst_bytes = 5;

// Nor are they joined where the other side's run goes on with that level and would be cut off below
// so many bytes.
//     Time over memcpy with limits of 2 / 4 / 8 / 16 bytes, the 12 of 5745 reorders that it
//     changes: 1.84 1.53 1.29 1.28 (u8 bacd -> AcdB16b32a2b 1024x512x3x3 4.2 - 1.14, bf16
//     ABcd8a16b2a -> abcd 160x192x1x7 3.5 3.4 1.6), AVX2 1.48 1.36 1.39 1.47, SSE4.1 1.66 1.52 1.52
//     1.59. Zen 4, of 22900, times with 8 over those with 4: AVX2 2 0.70, SSE4.1 2 0.97.
constexpr int min_cut_run_bytes = 8;

// Elements that a tile takes of a joined run: 32 have twice as many phases.
constexpr dim_t max_joined_tile_elems = 16;

// -------------------------------------------------------------------------------------------------
// Stages

// Relative costs of one stage for one register.
//     Measured throughput on a machine with 512-bit vectors: unpack 0.083 ns, 16-byte lane shuffles
//     0.135 ns, two-source permutes 0.169 ns. A permute of one source was taken to lie between.
//     Tried, for both results of an exchange of 8 bytes or more: one shuffle and two blends, which
//     more ports execute. Cascade Lake, 2500 reorders, those that change: AVX-512 1.01 (of 426),
//     AVX2 1.01 (883; from 128 KiB to 1 MiB 1.04), SSE4.1 1.03 (308).
//     Registers of bits that are not read do not count until these are in the lanes, so that
//     such bits enter last. Time over counting all, there, 5450 reorders, those that change:
//     AVX-512 0.99 of 424 (below 64 KiB 0.96), AVX2 0.97 of 364, SSE4.1 0.98 of 226.
constexpr float cost_unpack = 1.0f;
constexpr float cost_lanes16 = 1.6f;
constexpr float cost_permute = 1.3f;
constexpr float cost_permute2 = 2.0f;
// Any order of 4-byte units takes a register of indices; AVX2 keeps none, but loads them for each.
//     Time over that with orders of 8-byte units only: AVX-512 without permutes of bytes 0.91 of
//     130 reorders of bytes below 1 MiB that change, 0.98 above; AVX2 at 1.4 and 1.6 0.94 of 221
//     of all types, at 1.3 0.98 of 435: among equals some then take them for nothing.
constexpr float cost_dwords_avx2 = 1.4f;
constexpr float cost_dwords(int vector_bytes) {
    return vector_bytes == 64 ? cost_permute : cost_dwords_avx2;
}

// Vectors that are loaded as two halves, of two rows of the source (loads_halves): a load that
// inserts in place of a shuffle between lanes of 16 bytes, for each register. Rows that share a set
// of L1 are gone from it before their other half is wanted.
//     Zen 4, times over those with loads of whole lines, 4150 of 10200 reorders, by size below 64
//     KiB, 1 MiB, 16 MiB, above: 0.911 0.974 0.984 0.995; 832 of 5000 conversions 0.928 0.939 0.957
//     0.99; to make 1700 reorders took 0.91 of the time. Rows that collide 1.05 to 1.07; in
//     quarters 1.04; runs of half a line in quarters 1.00 to 1.02; vectors of 32 bytes in halves
//     1.005, below 64 KiB 1.05.
constexpr int min_halved_vector_bytes = 64;
// Where vectors below a line are executed as two (Zen 1) an exchange of halves takes more, and
// vectors of these elements are loaded so as well.
//     Zen 1, AVX2, 622 of 13600 reorders, to 16 MB 268 0.930, above 350 0.993 (f32 ab -> AB8b24a
//     1000x1280 1.04 / 0.42 times memcpy); 160 of 1524 conversions, below 64 KiB 0.863, to 1 MiB
//     0.863, 16 MiB 0.927, above 0.987. Elements of 1 byte, 66 more, 0.98 with worse single ones
//     (s8 abcd -> aBcd4b 4x256x56x56 0.65 / 1.33).
constexpr int min_halved_elem_bytes_as_two = 2;

// Blocks with lanes that do not exist are made again of whole vectors (ir/repack) if that costs no
// more than this part of what their stages do.
//     302 of 10200 reorders with packed runs on Zen 4, time from 1.0 / 0.9 / 0.8 / 0.7 on: 0.928
//     0.929 0.930 0.940 of that without (u8 acdb -> abcd 1x3x112x112 1.70 / 1.03 times memcpy, f32
//     abcd -> acdb 16x3x224x224 1.7 / 1.3), of 1.0 some a third longer (u8 abcd -> acdb 32x3x3x3).
//     Where stages carry zeros along as well: 694 more, from 0.9 / 0.75 on 0.988 / 1.000, below 64
//     KiB 0.962 (f32 aBdc4b -> Abcd16a 4x1x28x28 2.0 / 1.3); of all blocks the same with 921.
constexpr float max_repacked_cost = 0.9f;
// They are all in registers at once.
constexpr size_t max_repacked_loads = 16;
// Blocks that take more than so many bytes of each of more rows than this are left as they are,
// since few would gain: of 7031 blocks of 12540 reorders 1971 are not looked into, a good half of
// what that takes; 6 of them would cost less made again, of 1281. (They are of 4 reorders, of which
// two take no longer, s8 ABcd8a16b2a -> ABcd16b48a 64x3x7x7 1.5 in place of 1.33 times memcpy,
// ABc4a4b -> AcB24a2b 47x1x48 8.8 in place of 6.4.) With 7 and 4 rows 0.45 and 0.54 of that work, 4
// and 30 blocks; of any number of bytes 0.51 and 21.
constexpr size_t max_repacked_rows = 5;
constexpr size_t max_repacked_bytes_of_row = 16;

// Machines without masks: parts of vectors that a block stores are made whole ones (ir/gather) if
// that costs less, in cheap shuffles, loads and stores of whole vectors.
//     Zen 1, 96 of 5100 reorders, by size below 64 KiB, 1 MiB, 16 MiB, above: AVX2 0.86 0.85 0.91
//     0.96 of the time, 103 on SSE4.1 0.87 0.86 0.93 0.99; on either 9 of them took more than 4
//     times memcpy, now 5 (u8 abcd -> acdb 1x3x299x299 2.4 / 1.9, 1x5x56x56 4.1 / 3.0, f16 AcB64a4b
//     -> abc 512x80x3 2.7 / 2.1). A store that crosses 16 bytes takes two cycles there, one over
//     the end of the last three. Parts at 1.5: two thirds of these reorders. Wherever a block
//     stores parts: 280 and 333, of which those beyond the 96 0.97, but to make others took longer.
//     To make one that is gathered takes 1.3 to 1.8 times as long.
constexpr float cost_merge = 0.5f;
constexpr float cost_store_of_part = 2.0f;  // most are two, or reach into the next one
constexpr size_t max_gathered_windows = 32; // of a block

// There elements of up to so many bytes that a tail loads one by one (the last column of odd
// squares, which are 1 more than a multiple of 8) are loaded to where they are stored, without
// stages.
//     Zen 1, 82 of 5100 reorders, by size as above, AVX2 0.95 0.97 0.97 of the time, 120 on SSE4.1
//     0.95 0.98 0.98 1.00 (bf16 abcd -> acdb 64x64x3x3 2.6 / 2.2 times memcpy, s8 abcde -> decab
//     32x16x16x3x3 5.7 / 5.0); 89 and 130 more of 4 and 8 bytes 1.00.
constexpr int max_picked_elem_bytes = 2;

// There tiles have 2^n of 2^n + 1 rows, which are side by side in the destination for each element
// of the source's, and the last row takes no stages. From so many on.
//     u8 acdb -> abcd 64x64x3x3 AVX2 5.2 / 3.1 times memcpy, SSE4.1 5.2 / 3.2; bf16 abcd -> acdb
//     1x5x56x56 3.1 / 2.5. Of 3 rows f32 2.1 / 2.2. Of 2^n + 2 rows or 3 more too: 1.00 and 1.02 of
//     51 and 61 reorders that those of one more take 0.98 of; elements of the source that are rows
//     apart in the destination: u8 cdba -> abcd 48x64x3x3 5.0 / 5.5.
constexpr dim_t min_rows_beside_last = 5;

// -------------------------------------------------------------------------------------------------
// Which way: the caches, a scratch, past the caches; padding in a pass of its own

// A destination is written past the caches from this share of the last cache on (source and
// destination together).
//     Measured with 32 MiB of L3 and one thread, in 14 cases of 20 to 50 MB, from which share on:
//     0.5 1.03, 0.65 1.09, 0.8 1.30, 1.0 1.39, 2.0 1.71; in 13 cases of 10 to 22 MB: 0.25 1.4, 2.0
//     1.35. Two Intel processors, of 64 MiB that one thread is granted, times from 0.5 on over
//     those from 0.75 on: one, 110 reorders of 32 to 56 MiB, 1.03, AVX2 1.02 (f16 abcd ->
//     ABcd32a16b 16x512x28x28 1.8 / 1.1 from 0.75 on); the other, whose last cache more neighbours
//     used, 32 to 36 MB 43 0.96, 36 to 40 43 0.84, 40 to 44 16 0.80, 44 to 48 38 0.83, AVX2 0.92
//     0.84 0.79 0.90, SSE4.1 0.90 0.85 0.75 0.86, but 28 to 32 MB 14 1.12 1.03 0.97 from 0.4 on.
//     There, in turns with memcpy and with nobody to read the destination, from 0.36, 0.25 and 0.13
//     on takes less: 24 to 28 MB 92 0.78 0.77 0.71, 16 to 20 203 1.00 0.78 0.72, 8 to 12 185 1.00
//     1.00 0.82. But f32 nchw -> nhwc between what writes all of the source and what reads all of
//     the destination, past the caches over through them, these two included: 1.6 and 3.3 MB 1.7
//     and 1.5, 6 to 26 MB 1.2, 40 and 52 MB 1.0 to 1.1.
//     Zen 4, each by itself in turns with memcpy and oneDNN (tensorfmt-bench; beside one that
//     passes by the cache, which pushes the destination out for both, one that keeps it looks
//     slower than it is): times over those from 0.45 on and slower than oneDNN, frameworks of 15
//     to 16.7 MB 31 0.90, 3 / 0, beside a core that copies all the time 0.85, 4 / 0, in another
//     hour 33 1.03, 1 / 0; AVX2 31 0.90, 3 / 0. From 0.51 on, which keeps 16 MiB and somewhat more,
//     67 of 16.7 to 17.7 MB 0.99, 4 / 3, later 69 1.12, beyond the goals 3 and 16, transposes
//     48 1.10, 3 and 15; from 0.56 on frameworks 0.97, later 1.16; from 0.63 on of 18.8 to 20 MB
//     155 1.15.
constexpr double streaming_share_of_cache = 0.5;
// On Zen 5, with vectors of a line, less.
//     32 MiB of L3, time over memcpy from 16 / 12 MiB on, those of 10000 reorders of 12, 13, 14 and
//     15 MiB: 183 1.55 / 1.52, 59 1.65 / 1.63, 18 1.74 / 1.52, 70 1.62 / 1.45; from 8 MiB on 584 of
//     8 to 12 1.47 / 1.62. In another run 166 from 16 / 14.4 / 13.4 / 12.5 on 1.574 / 1.545 / 1.602
//     / 1.575. AVX2 from 16 / 12 on 1.59 1.74 1.74 1.65 / 1.84 1.89 1.83 1.61.
constexpr double streaming_share_of_cache_of_zen5_64_bytes = 0.45;
// On Zen 4 less with vectors of 16 bytes: moves take so long in the caches as well that others have
// the time to push out lines of the destination.
//     Times from 0.375 / 0.5 on over those from 0.4 on: 12.5 to 13.5 MB frameworks 105 1.25 / 1.00,
//     slower than oneDNN 8 / 0, from 0.4 on 0 (of 12.8 MB, 8x256x28x28 of four bytes), transposes
//     71 1.13 / 1.00; time over memcpy from 0.4 / 0.5 on 13.5 to 16.7 MB frameworks 61 1.46 / 1.54,
//     transposes 120 1.94 / 2.02, beyond the goals 7 and 20.
constexpr double streaming_share_of_cache_of_zen4_16_bytes = 0.4;
// Where padding counts so many times more: it is written as data is, and nothing is read for it.
//     Times over those with 0, AVX-512 AVX2 SSE4.1, of 13300 reorders of 8 to 64 MB. While others
//     used the cache: with 0.5 128 0.75 0.80 0.81; 0.75 172 0.79 0.81 0.80, beyond the goals 9 4 13
//     in place of 19 14 23; 1 223 0.81 0.84 0.84, 4 4 14; 1.25 248 0.82 0.86 0.86 (bf16 Abc16a ->
//     ABc40a16b 1x197x768 3.1 / 1.0 times memcpy). While they used less: 1 223 0.93 0.91 0.89; over
//     those with 1, 0.75 51 0.88 0.90 1.045, 0.5 95 0.905 0.97 1.065. On another day 1500 of which
//     the destination is padded to twice the data and more, over those with 0.75: 0.5 67 0.73 0.74
//     0.83 (s8 acdeb -> aBdec32b 1x1x32x96x96 with SSE4.1 9.4 / 2.3), 0.25 111 0.73 0.77 0.86, 0
//     259 0.87 0.95 0.97, beside a core that copies all the time 0.5 0.77 0.73 0.85, 0.25 0.79 0.76
//     0.86, 0 0.95 0.90 0.99: what others leave of the cache decides, and 0.5 lost least. With 1 50
//     of 3900 conversions 0.875 0.77 0.92. What the destination has more than the source as
//     elements become wider does not count: 43 conversions of 8 to 12 MB 1.40 1.21 1.11.
constexpr double streaming_weight_of_padding_of_zen4 = 0.5;
// On Zen 3 less still.
//     32 MiB of L3 of which others use most, times from 0.2 / 0.3 / 0.4 / 0.5 / 0.6 on, over the
//     first (a memcpy that takes turns with streamed stores finds less in the caches): 10 to 11 MB
//     71 1.00 1.00 1.20 - -, 12 to 13.4 MB 178 1.00 1.00 1.40 - -, 13.4 to 15 MB 56 1.00 1.00 1.03
//     1.66 -, 15 to 18 MB 183 1.00 1.00 1.02 1.22 1.61, SSE4.1 the same; 8.4 to 10 MB 276 1.00
//     0.99, SSE4.1 271 1.00 1.01, 6.7 to 8.4 MB 203 1.00 0.94, 199 1.00 0.95.
constexpr double streaming_share_of_cache_of_zen3 = 0.3;
// On Zen 1 more.
//     8 MiB of L3, time over memcpy from 0.7 / 0.65 / 0.6 / 0.55 / 0.5 on, AVX2: 4 to 4.2 MiB 70
//     1.21 1.21 1.20 1.20 1.42, 4.4 to 4.8 95 1.20 1.21 1.20 1.30 1.32, 4.8 to 5 24 1.12 1.09 1.07
//     1.04 1.05, 5 to 5.6 50 1.41 1.25 1.24 1.24 1.24; SSE4.1 1.12 1.09 1.10 1.09 1.41, 1.10 1.09
//     1.10 1.31 1.31, 1.04 0.99 1.12 1.09 1.08, 1.36 1.23 1.20 1.21 1.27. From 0.3 on, 2.4 to 4
//     MiB 231 2.1 in place of 1.48.
constexpr double streaming_share_of_cache_of_zen1 = 0.6;
// On Skylake more: stores past the caches alone take 1.4 times as long a byte as memcpy, half
// of which is reads.
//     Cascade Lake, 36 MiB of L3 of which others use much, time over memcpy from 0.5 / 0.65 / 0.8 /
//     1 on, of moves of 0.5 to 0.55 / 0.65 / 0.8 / 1 of it: 39 1.20 0.96 0.92 0.90, 26 1.13 1.01
//     1.00 0.99, 40 1.09 1.09 1.17 1.16, 38 1.15 1.14 1.13 1.13; AVX2 1.22 0.97 0.95 0.93, 1.20
//     1.08 1.04 1.05, 1.19 1.18 1.21 1.21, 1.24 1.23 1.21 1.17; SSE4.1 1.29 1.16 1.13 1.14, 1.33
//     1.30 1.28 1.27, 1.37 1.36 1.41 1.42, 1.38 1.38 1.38 1.33. An hour before, the third 1.11 1.11
//     1.03 1.02. None past the caches: 21 of 70 to 140 MB 1.07 of the time, 31 larger ones 1.02,
//     the transposes of TTC 1.27.
constexpr double streaming_share_of_cache_of_skylake_64_bytes = 0.65;
// Since tiles there claim the next line of each row (claimed_ahead_bytes), with narrower vectors at
// no size, but what the two rules below say.
//     Times over those from 0.65 on, 23 to 26, 30, 36, 40, 44, 48, 60 and 75 MB: AVX2 59 0.94, 20
//     0.89, 94 0.96, 92 0.93, 27 0.89, 20 0.99, 76 0.93, 46 0.94; SSE4.1 59 0.95, 20 0.85, 96 0.92,
//     95 0.89, 28 0.83, 20 0.92, 76 0.87, 48 0.90; of TTC's 200 MB 25 0.99 and 0.93; 185
//     conversions 0.98 and 0.96. With vectors of a line from 1 on in place of 0.65 76 1.00, 93
//     1.02; conversions, at no size, 214 1.13.
constexpr double streaming_share_of_cache_of_skylake = std::numeric_limits<double>::infinity();
// Destinations that are padding for the most part are not written past the caches there: the core
// waits for each of a dozen lines on their way, where the prefetcher of L2 asks for more of those
// that stores will write.
//     Time within the caches over past them, 264 reorders of 12 MB on, by destination over source:
//     1.15 to 1.8 1.10, 1.8 to 3 1.02, 3 to 5 1.02, 5 to 10 0.84, 10 on 0.80 (u8 abcd ->
//     ABcd40a16b 1x3x299x299 1.53 times memcpy / 1.33); from 5 on AVX2 0.78 of 89, SSE4.1 0.81.
//     Zeros alone over a memcpy of half as many bytes, 12 to 128 MiB: past the caches 1.30 to 1.48,
//     stored 1.37 to 1.61, with prefetchw 2 KiB ahead 0.82 to 1.07 (claimed_ahead_bytes).
constexpr double max_streamed_dst_over_src_of_skylake = 5;
// But less where rows of both sides collide, so that each line goes through a scratch in the
// caches.
//     Time over memcpy from 0.65 / 0.3 / 0.2 / 0.12 on, of collected moves of 0.2 to 0.3 / 0.5 /
//     0.7 of L3: 9 2.24 2.22 1.52 1.50, 11 1.91 1.48 1.45 1.45, 1 2.1 1.3 1.3 1.2; AVX2
//     19 1.95 1.95 1.71 1.71, 22 1.78 1.53 1.53 1.53, 5 1.62 1.46 1.40 1.41; below 0.2 AVX2
//     23 1.92 1.90 1.95 2.00. SSE4.1 14 1.92 1.96 2.00 1.97, 13 1.77 1.72 1.73 1.69,
//     5 1.57 1.70 1.69 1.67. By needs_collecting, 7 to 24 MB from 0.2 on over from 0.65 on, 20
//     0.72, AVX2 34 0.86, 1 of each slower; by wants_lanes as well 30 0.79, AVX2 85 0.92, 14 slower
//     (bf16 AcdB8b8a -> abcd 512x512x3x3 0.8 / 1.9). Other transposes of 0.3 to 0.5 265 1.08 1.12
//     from 0.3 on.
constexpr double streaming_share_of_collected_of_skylake = 0.2;
// On Zen 4 as well.
//     Times over those from 0.45 on, by MiB, quiet / beside a core that copies all the time, of
//     3600 reorders: 9 24 1.00 / 1.05, 10 54 0.97 / 0.99, 11 32 1.00 / 0.99, 12 73 0.92 / 0.91, 13
//     32 0.84 / 0.85, 14 44 0.77 / 0.75, beyond the goals 130 and 102 (bf16 cab -> bac 2048x26x64
//     9.0 / 3.4 times memcpy, s8 abc -> cba 128x256x224 5.6 / 2.7); AVX2 32 0.98 / 0.92, 73 0.99 /
//     0.91, 38 0.85 / 0.77, 125 0.84 / 0.76, 43 0.70 / 0.63, 57 0.75 / 0.67, 178 and 88; SSE4.1 30
//     0.90 / 0.85, 68 0.89 / 0.80, 38 0.79 / 0.75, 121 0.78 / 0.75, 43 0.63 / 0.56, 57 0.67 / 0.59,
//     237 and 102. Conversions 147 0.90, AVX2 151 0.95, SSE4.1 280 0.78. Each by itself in turns
//     with memcpy (tensorfmt-bench), 90 of 9.6 MiB on 0.77, beyond 53 and 15, SSE4.1 90 0.66, 66
//     and 9; but over and over with nothing between, so that the last cache keeps both sides, 10 of
//     120 of 9 MiB on 1.2 to 2.3 (s8 cba -> abc 20x1024x256).
constexpr double streaming_share_of_collected_of_zen4 = 0.3;
// And where the elements of a line of each side come from, or go to, so many rows of the other so
// far apart, now that blocks read few rows at a time (read_ahead_rows_of_moves).
//     Times over those from 0.65 on, of moves of 0.2 to 0.25 / 0.3 / 0.35 / 0.45 / 0.65 of L3: 16
//     1.02, 35 0.98, 20 0.82, 20 0.76, 45 0.79; AVX2 10 0.85, 35 1.09, 19 0.89, 19 0.84, 39 0.83;
//     SSE4.1 19 0.76, 40 0.87, 23 0.83, 26 0.84, 46 0.78. From 8 rows of each side, 512 bytes
//     apart, the last three 0.84 0.81 0.83, with 256 bytes from 0.2 on 234 0.94 in place of 170
//     0.90. All that is no copy, from 0.5 on, 222 0.96, 67 above 1.1 (s32 cdba -> Abcd4a
//     512x512x3x3 1.0 / 1.4 times memcpy), AVX2 230 1.02; copies 35 1.14.
constexpr double streaming_share_of_transposes_of_skylake = 0.3;
// On Zen 4 what remains of these: by MiB, 10 130 1.22, 11 58 1.13, 12 230 1.02, 13 52 0.95, 14 27
// 0.92; AVX2 113 1.06, 52 0.93, 180 0.88, 41 0.81, 15 0.73; of others, more of which are blocked, 7
// 1.17, 43 1.08, 184 1.08, 42 0.96, 14 0.95; AVX2 6 0.91, 41 1.13, 156 1.07, 36 0.96, 11 0.96.
constexpr double streaming_share_of_transposes_of_zen4 = 0.4;
constexpr dim_t min_stride_of_far_rows = 1024;
constexpr dim_t min_far_src_rows = 4;
constexpr dim_t min_far_dst_rows = 8;
// Of units of so many bytes, odd ones, a few of which are a line: the channels of pictures.
//     Times over those from 0.65 on where nothing is staged, of moves of 0.3 of L3 to 90 MB, by
//     bytes of a unit: 6 61 0.76, 10 19 0.96, 12 13 0.90, 14 12 0.99 (bf16 acdeb -> decab
//     16x3x16x112x112 3.8 / 1.8 times memcpy, f32 acdb -> adcb 2x3x1080x1920 2.9 / 2.1), 18 and 20
//     39 1.10; of 1 byte elements 39 0.96, 19 of them slower. AVX2 12 73 0.76, 14 14 0.73, 10 20
//     1.01, 6 71 1.18, bytes 1.07; 18 24 0.86, 20 45 0.82, 24 35 1.02. SSE4.1 12 75 0.87, 14 14
//     0.84, 10 20 1.08, 6 71 1.17, 18 24 0.81, 20 45 0.95, 24 36 1.12. From 0.2 to 0.3, 55 0.81,
//     AVX2 27 0.81, SSE4.1 27 0.87; from 0.17 to 0.2 1.04, 1.12, 1.19.
constexpr dim_t min_odd_unit_bytes = 12;
constexpr dim_t min_odd_unit_bytes_64_bytes = 6;
constexpr dim_t min_far_dst_rows_of_odd_units = 4;

// Rows of the source that a tile reads whose runs in the destination are no vectors, but side by
// side, so that whole lines are gathered (ir/repack) and need no scratch.
//     The 14 of 10200 reorders that it changes on Zen 4, time over memcpy through a scratch / up to
//     9 / 12: 1.33 / 0.99 / 0.93, times 0.82 and 0.83 (bf16 bacd -> acdb 32x3x416x416 1.0 / 0.7,
//     s32 cdab -> abcd 1024x512x3x3 1.4 / 1.0); of 14 rows f16 dabc -> abcd 32x1024x14x14 1.3 /
//     2.0.
constexpr dim_t max_gathered_rows = 9;

// Streamed blocks have no more rows of the source than so many, or those of a tile, where tiles
// read so many lines of them, with vectors of a line, that share a set of L1, or whole ones so far
// apart that they share sets of L2 as well.
//     Zen 4, times over those of any number, the 10 of 10200 reorders with 32 and more in a set of
//     L1 0.853 (bf16 adCb4c -> acbd 2x32x512x128 2.25 / 1.9 times memcpy), with 32 rows the same;
//     of 16 of L2 6 0.889 (f32 adCb2c -> bcda 1x32x2048x128 3.1 / 0.9), with 32 rows 0.905, 64
//     0.985, but parts of lines 2 1.1. With 32 rows for all 557 1.05, with 64 1.01; AVX2 1.03 and
//     1.01, SSE4.1 1.03 and 1.01.
constexpr dim_t l2_set_period_bytes = 64 << 10;
constexpr int min_src_lines_to_fill_l1_set = 32;
constexpr int min_src_lines_to_fill_l2_set = 16;
constexpr int max_rows_of_filled_sets = 16;

// Lines of the destination that may wait for tiles to complete them where these go past the caches.
//     Zen 4, times over those with any number, or with steps that are not equal between the parts
//     of a line, of 10200 reorders: AVX2 2 0.47 (f32 aBdc8b -> abcd 2x3x640x640, which waits for 32
//     lines, 3.2 / 1.05), SSE4.1 2 0.45 (s8 AB16a32b -> AB4b24a4b 30522x768 4.7 / 1.6). Intel AVX2,
//     tiles with phases (f32 ABcd16b64a2b -> aBdc24b 1024x512x3x3) 3.9 / 1.1. Zen 4 with 8 over
//     those with 16, of 4900 from 14 MB on: 2 2.1 (of mostly padding, 0.5 / 1.1 times memcpy), AVX2
//     2 1.25, SSE4.1 11 0.82 (s8 bac -> BcA16a16b4a 1x384x1024 2.4 / 1.3); with 4 AVX2 19 1.2,
//     SSE4.1 9 0.74. Lines that rows of one and a half end in as well where elements are read one
//     at a time: of 228 reorders of 1 to 3 channels to padded blocks of 12 to 96, 12 to 60 MB,
//     36 5.0 / 1.14 times memcpy, AVX2 36 5.0 / 1.25, SSE4.1 42 5.0 / 1.6 (f16 Abcde16a -> aBdec48b
//     1x1x32x96x96 4.5 / 0.7); in others, of 12100 of 3 to 300 MB, AVX-512 15 1.18, AVX2 15 1.16,
//     SSE4.1 65 1.26.
constexpr dim_t max_lines_begun = 8;
// On Intel's cores none is sent in parts at the ends of what tiles write in a row
// (machine::sends_parts_slowly).
//     Times with these over those into the caches or through a scratch, of 12540 reorders AVX-512 4
//     1.37, AVX2 5 1.26, least 0.92, SSE4.1 7 1.62 (s32 ABcd16a32b -> acdb 8x84x80x80 1.26 / 0.62
//     times memcpy); copies of rows of 416 bytes (bf16 acbd -> abcd 8x32x208x208 1.5 / 1.1,
//     64x32x208x208 1.7 / 1.2). On Zen 1 they are not slow (f32 acdb -> aBdc4b 4x728x19x19, AVX2 in
//     16 bytes, 0.45 times memcpy, 1.0 through a scratch; on Intel 32x728x19x19, SSE4.1, 2.0
//     and 1.0).

// Vectors from which on those of half the length are streamed where whole ones cannot be, as rows
// of the destination are multiples of the half alone.
//     Zen 4, AVX-512, times over those through a scratch or the caches, 32 of 10200 reorders 0.79
//     (bf16 acdb -> aBdc48b 16x1024x28x28 1.3 / 0.7 times memcpy, s32 AB8b24a -> ba 768x3072 1.8
//     / 1.1); also where halves complete lines, 40 0.82, worst 1.3 / 3.5 (s8 ab -> BA12b8a
//     4096x4096). AVX2 in 16 bytes 166 1.65, worst 6.2 times as long, those whose rows fall into
//     sets of their own 84 0.99, 0.4 to 4.3.
constexpr int min_streamed_in_halves_vector_bytes = 64;

// Elements from which on cores that execute vectors of 32 bytes as two take those of 16 past the
// caches: through a scratch, which completes the lines whatever the tile; and where whole vectors
// cannot be streamed. Others are streamed so where the tile has the same elements.
//     Zen 1, AVX2, times over those of 32 bytes. Through a scratch, those of 5100 reorders: 90 of 4
//     bytes 0.92 (worst 2.1 / 1.8; f32 acdb -> abcd 16x1024x14x14 1.37 / 1.01, but bcdea -> abced
//     1x32x24x37x37 0.95 / 1.5), 21 of 8 bytes 0.94, 107 of 2 bytes 0.97, but worst 1.87 / 2.3, 112
//     of 1 byte 1.00; transposes of 400 MB 1.02. Where whole ones cannot be streamed, those of
//     13600: 16 of 8 and 16 bytes 0.56 (f32 acdb -> aBdc4b 4x728x19x19 1.0 / 0.45); 29 of all 1.13,
//     worst 5.0. The same elements: 617 of 5100 0.92 below 16 MiB, 0.97 above, 55 transposes of 400
//     MB 0.92; also through a scratch 60 0.99.
constexpr int min_staged_in_halves_elem_bytes = 4;
constexpr int min_streamed_in_halves_elem_bytes = 8;

// What tiles that store whole lines past the caches (fit_lines) need of the source's rows, in place
// of half a vector.
//     Zen 1, AVX2, from half a vector on / from 8 / from 4 bytes, 19 of 5100 reorders 1.08 / 0.96 /
//     0.91; SSE4.1, of which 8 are half a vector, 17 1.19 / - / 1.36. Zen 3 takes a scratch; Intel,
//     less than half, f16 abcd -> ABcd32a16b 32x128x56x56 1.0 / 1.4, but any lines in place of
//     those of data and of rows on sets of their own: half of those of 33 to 67 MB, AVX2 129 0.88,
//     worst 1.53 / 1.58 (f32 bcda -> adbc 1x64x284x284 1.40 / 0.69), SSE4.1 84 0.81, of 57
//     transposes of 400 MB 24 0.91 and 12 0.90; from 8 bytes on 145 0.89, worst 1.54 / 2.5. At all:
//     over a memcpy that streams, through a scratch / so, the 57 AVX2 1.79 / 1.44 (43408x1216 2.8 /
//     1.3), SSE4.1 1.76 / 1.56; Zen 1, of 5100 reorders, time over memcpy, AVX2 751 0.75 / 0.67,
//     SSE4.1 480 0.82 / 0.68.
constexpr dim_t min_src_bytes_of_streamed_lines_of_zen1_and_zen4 = 8;

// On Zen 4 where no more than so many of these rows share a set of L1.
//     Of 11600 reorders, times over those without, one row / 2 / 4 / any number: AVX2 318 0.90, 620
//     0.93, 717 0.92, 787 0.94, of which beyond the goals with 2 10 before, 7 so, with any 22 and
//     39; SSE4.1 233 0.88, 360 0.89, 491 0.88, 570 0.89, with 2 25 and 12, 131 more with 4 15 and
//     11 (f32 Abcde32a -> abcde 16x1x32x96x96 0.35 of the time). AVX2, 4 over 2, of 13300: 120 0.85
//     and 0.87, beyond 4 and 7, 10 and 10 (bf16 abc -> BcA16a48b2a 2x197x768 3.0 / 1.2 times
//     memcpy); while another core copied memory, from 14 MB on, 110 0.865, 14 and 12; 8 over 2 182
//     0.90 and 0.92, 4 and 18, 10 and 17. From 4 bytes of a row on 40 more on SSE4.1 1.09. With
//     vectors of a line, whose halves may do so, 103 1.00.
constexpr int max_src_rows_of_streamed_lines_of_zen4 = 4;

// Past the caches, a scratch is better than a tile that writes more lines than that in part: those
// wait in a few buffers, which are given up half full when memory is slow to take them.
//     Time over memcpy, streamed / so, 28 cases of 16 to 450 MB while another core was busy: AVX2
//     1.20 / 1.07, SSE4.1 1.41 / 1.13 (f16 abcd -> ABcd32a16b 32x32x208x208 1.8 / 1.1, 4.1 / 1.3;
//     up to 6.9 / 1.4 in other runs); 60 others of 16 to 120 MB with less to disturb them: AVX2
//     1.06 / 0.93, worst 3.8 / 2.1, SSE4.1 1.36 / 1.21, 9.4 / 2.8. With a limit of 0 SSE4.1 took
//     1.30 for the 28 (f16 abcd -> aBcd16b 1.0 / 1.4), of 1 the 60 0.99, 1.18.
constexpr int max_open_lines = 4;
// On Intel's cores, whose fill buffers are those that loads wait in.
//     Time over memcpy with 4 / 2, reorders of 48 to 300 MB, 51 on AVX2 0.954 / 0.934, worst 1.61 /
//     1.26, 115 on SSE4.1 1.070 / 0.997, worst 3.0 / 1.37 (f32 bcda -> acbd 64x128x28x28 3.0
//     / 1.06, abcd -> aBdc24b 32x64x56x56 2.5 / 1.0). With 2 / 1, 44 0.77 / 0.92 and 57 0.88
//     / 1.05, with 4 / 8, 40 on AVX2 0.97 / 2.87.
constexpr int max_open_lines_of_intel = 2;
// On AMD, with vectors of 16 bytes, where rows of the destination lie in different pages.
//     Zen 4, time over memcpy with 4 / 2, those of 17000 reorders that it changes: 460 1.64 / 1.21,
//     worst 6.8 / 3.3, beyond 1.8 210 and 23 of them (f32 abcd -> cdab 64x960x7x7 5.9 / 1.1), 82 of
//     3400 others 1.67 / 1.31; 4 / 1 611 1.50 / 1.20; wherever rows lie, 726 1.43 / 1.26 and 126
//     1.40 / 1.33 (f32 abcd -> ABcd16a16b 32x255x26x26 0.8 / 2.1). AVX2 207 0.90 / 1.11, with 3 of
//     any rows 304 0.76 / 1.00.
constexpr int max_open_lines_in_pages_of_amd_16_bytes = 2;
// On Zen 3, and with vectors of 16 bytes wherever the rows lie.
//     In pages, time over memcpy with 4 / 2 / 1, 133 reorders of 16 to 64 MB 0.90 / 0.81 / 0.81,
//     beyond 1.8 8, 2 and 0; SSE4.1, with 4 elsewhere, 134 1.11 / 1.11 / 0.98, 30, 30 and 11.
//     Elsewhere with 1 in pages, 4 / 2 / 1, AVX2 172 0.86 / 0.90 / -, SSE4.1 544 1.02 / 1.08
//     / 1.18, beyond 36, 16 and 13.
//     Zen 1, which has the second of these alone, and in pages 2 as any of AMD's: time over memcpy
//     with 4 / 2 / 1, AVX2 with vectors of 16 bytes 322 1.92 / 0.98 / - (beyond 138, 2), 69 - /
//     0.61 / 0.85; SSE4.1 elsewhere 75 1.47 / 0.87 / -, in pages 118 2.6 / 0.97 /
//     -, 60 - / 0.75 / 0.96. Of opens_lines_apart() 4: 136 1.53 in place of 0.98. With 32 bytes, in
//     pages 8 / 4 / 2, 172 1.33 / 1.14 / -, 82 - / 0.94 / 1.00, elsewhere 4 / 2 37 0.71 / 0.95; of
//     opens_lines_apart() 16 / 8 / 4, 27 1.37 / 1.16 / -, 121 - / 0.86 / 1.03.
constexpr int max_open_lines_in_pages_of_zen3 = 1;
constexpr int max_open_lines_of_zen3_16_bytes = 2;
// Zen 1, where rows are not in different pages, with 4 / 8 / 16: 15 of 5100 reorders 1.02 / 0.80 /
// -, 33 - / 1.02 / 1.00.
constexpr int max_open_lines_of_zen1_32_bytes = 8;

// Pages make no difference to Zen 1, nor to Zen 4 with vectors of 16 bytes, where rows of the
// destination are whole lines apart and each on a set of L1 of its own, of tiles that read a
// quarter of each line and more of rows of which no more than so many share a set
// (machine::ignores_pages_of_lines_apart).
//     Zen 4, of 13600 reorders, those of up to 4 lines, 83, 1.32 / 1.04 times memcpy; of 8,
//     60, 1.38 / 1.28, beyond 1.8 7 / 8 (in other runs f16 bac -> ABc4a8b8a4b 64x197x768 1.45
//     / 2.8). Others left open, 548, take 1.47 times as long: rows of the destination not whole
//     lines apart 1.2, two of one set 1.6, 8 2.5; four to seven of the source, 88, 0.92 where these
//     alone are 0.89. With vectors of 32 bytes up to 8 took 0.94 where 4 take 1.21 (167 of 10200)
//     as long as memory was idle; while others used it, 1.39 times as long, beyond 1.8 15 of 48 in
//     place of 2 (f32 abcd -> aCdb24c 32x16x144x64, with vectors of 64 as well, 0.8 or 6.2 times
//     memcpy, 1.25).
constexpr int max_src_rows_of_open_lines = 3;

// Lines of one set of L1 that are so many push each other out before they are complete. Where rows
// of both sides are, blocks go through a scratch (needs_collecting); tiles that read so many in
// small parts are not streamed if the other way is through a scratch and blocks may have any number
// of rows (is_worth_streaming); and what is written meanwhile decides about the order of reads
// (reads_lines_at_once, below).
//     Lines one behind the other in one set take 2.3 to 2.8 ns each, four of a row together 1.0 to
//     1.8, eight 0.6. Not collected where 8 rows of both share a set (u8 512x512 transposed, plain
//     / collected: 1.8 / 2.2; but see min_rows_to_collect_transposed), nor where those of one side
//     do, nor where tiles have whole lines on both (f32 1024x1024 2.3 / 2.7). Tiles of runs that
//     end within lines have none of these whole: 28 rows of 56 bytes in one set take 4.7 ns a
//     store. With 13, 12 and 9 rows, the 207 of 610 reorders whose rows are a multiple of 4096
//     bytes apart that these rules change: 1.92 1.92 1.88, AVX2 1.69 1.68 1.66, SSE4.1 1.95 1.93
//     1.92. Nor do tiles of whole lines where rows of the destination begin within one: of the
//     3300 transposes of min_collected_run_bytes 43 0.5 of the time (f32 acbd -> adbc 1x512x26x26
//     11.4 / 3.9 times memcpy), but where only those of the source do 29 1.0, up to 1.7 times as
//     long. With 7 lines AVX-512 91 1.11, AVX2 137 1.06 times as long.
constexpr int min_lines_that_evict = 9;
// So many where each vector that a tile stores is a line; of halves of lines as well if more than
// max_rows_in_l1_set of the destination's rows share a set.
//     Zen 4, time over memcpy, with 9 and quarters alone / 17 / and halves, the 28 of 10200
//     reorders that this changes 1.56 / 1.36 / 1.26, beyond 1.8 10, 4 and 1 of them (u8 bac ->
//     ABc16a16b 64x384x1024 2.6 / 1.1 / 1.1, f16 acdb -> bcda 32x32x112x112 1.9 / 1.8 / 1.15). With
//     12 as with 9, with 33 other transposes of u8 and s8 take 1.5 times as long, with 65 twice.
//     AVX2, quarters with 17 8 1.35 / 1.28 (u8 abcd -> Abcd32a 32x512x26x26 1.8 / 2.7), SSE4.1 4
//     1.4 / 3.3. Halves whatever the destination's rows do, with 17 of the source 30 0.97 of the
//     time (bf16 bac -> acb 4x512x4096 1.55 / 2.5), with 9 43 1.00, with 5 60 1.14.
constexpr int min_lines_read_again_of_64_bytes = 17;
// Nor are tiles streamed, if the other way is through a scratch, that read so many lines of one set
// before they come back for the rest of the first one.
//     Zen 4, time over memcpy, without / so, of the reorders above SSE4.1 111 1.91 / 1.29, beyond
//     1.8 64 and 11 (f64 ab -> ba 768x3072 3.5 / 1.25), AVX2 64 1.10 / 1.00; with 13 1.30 and 1.08,
//     with 25 1.32 and 0.99. With vectors of a line 37 1.31 / 1.34. In blocks of few rows (Intel)
//     the rest is in L2; but if a tile's own share a set, SSE4.1 35 of 20 to 270 MB 0.74 of the
//     time (bf16 ba -> ab 4096x3136 2.4 / 1.3 times memcpy, u8 abcd -> Abcd32a 32x256x56x56 1.8 /
//     1.0), AVX2 none; of other tiles 8 0.95 (f16 decab -> aBcde8b 4x64x16x56x56 1.0 / 1.3).
// Beyond L2, where tiles copy parts of lines, and so many would be read before the rest of the
// first one, block_src_bytes of each row are (loses_copied_lines).
//     Zen 4, times over those of a line, of 3100 transposes that leave 2 to 24 elements together:
//     AVX2 89 0.72, beyond the goals 17 and 0 (f32 bca -> cba 3x24x2048 4.3 / 1.6 times memcpy),
//     SSE4.1 97 0.725, 20 and 0; of 14000 others AVX2 28 0.93, SSE4.1 68 0.87. With 128 bytes 0.80,
//     with 512 0.72. From 9 lines on 181 more 1.01.
constexpr int min_lines_lost_meanwhile = 17;
// So many where they store whole lines (fit_lines) and read these by quarters and more.
//     Zen 1, times over those with 17, AVX2 76 of 5100 reorders 0.79 (f32 ab -> ba 3072x768 1.5 /
//     0.8 times memcpy), worst 1.26; SSE4.1 25 of 3400 0.94, of which 2 come to 1.9. With 48, AVX2
//     34 1.17 times as long as with 65; with any number 100 0.89 of the time, but 9 beyond 1.8 in
//     place of 2. By eighths, SSE4.1, with 33 and 65 43 1.13 and 76 1.36 times as long.
constexpr int min_lines_lost_meanwhile_of_quarters = 65;
// So many on both sides, more than an L1 of 12 ways holds, where tiles have whole lines of the
// destination, in which all rows begin with one, and runs of the source that end within lines,
// which are read again for the next run.
//     Time over memcpy, plain / collected, 22 reorders of 2 to 22 MB with 13 and 14 such rows 1.97
//     / 1.53 (bf16 cba -> abc 13x1024x36 3.8 / 2.6), with 12 and 36 1.4 / 1.8.
constexpr int min_rows_to_collect_odd_src = 13;
// So many on one side and so many on the other, where rows of the destination begin within lines:
// what is written there crosses into the next one. Not with padding.
//     Zen 4, collected over plain, of 5000 transposes (make_cases.py, --max-mib 16 --kind=transpose
//     -n 2500 --seed 76001, --kind=collide -n 2500 --seed 76002) 41 0.45, AVX2 25 0.57, SSE4.1 40
//     0.56 (s8 bac -> cab 512x1000x8 35 / 3.4 times memcpy), of 1066 conversions 24 0.68, 0.73 and
//     0.88; of 62000 others 6 0.74, 4 0.94, 6 0.66. Of these and the 3300 transposes of
//     min_collected_run_bytes: from 7 on 5 0.92, AVX2 0.88, SSE4.1 1.03; with padding 2 1.2; 8 and
//     8 of the 3300 9 0.97, of the 62000 7 1.4 (f16 AcdB16a4b -> abcd 512x512x3x3 1.9 / 3.1); 8 and
//     32 where no row begins within a line 15 1.1, AVX2 5 1.06, SSE4.1 11 0.86.
constexpr int min_rows_to_collect_cut = 8;
constexpr int min_other_rows_to_collect_cut = 16;
// Fewer on one side, if so many of the other make up for it (their product: 4 and 16, 8 and 8), in
// tensors without padding of which each side's rows lie at one step, beyond so many times L2.
//     Time over memcpy, plain / collected, those of 3650 reorders of 1 to 48 MB that it changes: 24
//     on AVX-512 1.75 / 1.61, 55 on AVX2 1.61 / 1.31 (s32 2048x512 transposed 1.66 / 1.15, bf16
//     5120x1280 1.97 / 1.33), 55 on SSE4.1 1.77 / 1.38. With a product of 12 to 63 and any rows: 64
//     on AVX-512 1.23 / 1.39, 130 on AVX2 1.19 / 1.31, 130 on SSE4.1 1.21 / 1.37 (4 and 4 1.30 /
//     1.26). Rows at several steps, most of blocks: 20 1.25 / 1.41, 36 on AVX2 1.34 / 1.38 (s8 dcab
//     -> Abcd8a 64x64x56x56 1.5 / 3.5). From half of L2 on: 6, 10, 11 of 2 MB 1.01, 1.04, 1.08
//     times as long. Rows that end within lines: 2, 3, 3 reorders 1.6, 1.3, 0.98. Elements that
//     become wider or narrower, 87, 85, 85 conversions, 1.11, 1.04, 0.97; to others of their size,
//     33 on AVX2, 0.83. Only where the level that a line lies along has 256 bytes, so not 16
//     elements of a block: 2, 9 and 9 of the above 1.14, 1.06, 1.09 times as long (f32 abcd -> cdba
//     512x512x3x3 on SSE4.1 1.6 / 2.2), though f32 ABcd16b16a -> abcd 64x128x32x16 took 1.2 on AVX2
//     and takes 1.4.
//     Nor by vectors of a line to rows so close that a block has all of each (block_dst_bytes) and
//     leaves none in part: 28 transposes to rows of 256 and 512 bytes, 3 to 33 MB, 1.75 / 1.60 (u8
//     512x12800 1.83 / 1.24); to rows of 768 7 1.89 / 1.84, all on AVX2 1.72 / 1.90, on SSE4.1 1.76
//     / 2.11.
//     Tried: vectors below a line, without padding, from 3 rows on each side and source's runs of
//     768 bytes on, 149 on AVX2 1.30 / 1.35, 182 on SSE4.1 1.29 / 1.40.
constexpr int min_rows_to_collect_transposed = 4;
constexpr int min_row_pairs_to_collect_transposed = 64;
constexpr double min_transposed_times_l2 = 1.25;
// So many and the same product, whatever their size, where rows of either side lie at several
// steps, by vectors below a line of so many elements and more; nothing that is converted.
//     Zen 4, collected over plain, of the 62000, 3300 and 5000 of min_rows_to_collect_cut and 1700
//     transposes (--kind=transpose -n 1700 --seed 78001 --max-mib 64): AVX2 110 0.893, SSE4.1 91
//     0.910 (u8 bca -> acb 8x32x1024 7.7 / 3.5), beyond the goals 9 / 8 and 44 / 31. Elements of 4
//     bytes with SSE4.1 96 1.06 (f32 cba -> abc 4x384x1024 5.3 / 2.1, bca -> acb 56x8x1024 1.8
//     / 3.1); vectors of a line 63 1.14, worst 2; 8 and 8 AVX2 58 1.14, SSE4.1 66 1.10; conversions
//     104 1.34, SSE4.1 101 1.25; rows at one step, below min_transposed_times_l2, 3 1.17, 22 1.14.
constexpr int min_rows_to_collect_at_steps = 8;
constexpr int min_vector_elems_to_collect_at_steps = 8;
// The same product on AMD, and with vectors of 64 bytes.
//     Zen 4, time over memcpy of those of 17000 reorders of up to 64 MB that it changes, 64 / 128 /
//     256 / 512 / 1024: with 512-bit vectors 72 2.49 / 2.10 / 2.03 / 1.91 / 1.91, worst 4.5 / 3.5 /
//     3.5 / 3.0 / 3.0 (s8 abcd -> acdb 8x1024x14x14 4.5 / 2.0, bf16 cdba -> abcd 2048x512x1x1 3.6 /
//     2.1). Where min_lines_that_evict are of both sides, products of 256 and more, nothing but a
//     scratch will do there too: s8 acbd -> aCdb64c 8x16x128x64 2.7 / 5.2. Of 10200, when what is
//     near was no longer fetched for few lines: AVX2 76 2.37 / 2.18 / 2.28 / 2.35 / 2.37, beyond 3
//     12, 5, 7, 13 and 14 (s8 acb -> ABc8b8a 16x384x1024 2.3 / 1.4, f32 cdba -> abcd 2048x512x1x1
//     1.9 / 1.9 / 2.6), SSE4.1 78 2.68 / 2.49 / 2.85 / 2.90 / 2.94, beyond 19, 11, 27, 34 and 34.
//     Zen 3, with 64 / 96 / 128 / 256 / 1024: AVX2 40 2.47 / 2.26 / 2.24 / 2.35 / 2.45, beyond 3 5,
//     3, 3, 4 and 8, SSE4.1 51 2.58 / - / 2.43 / 2.48 / 2.6, 20, 16, 19 and 21.
constexpr int min_row_pairs_to_collect_of_amd = 128;
constexpr int min_row_pairs_to_collect_of_amd_64_bytes = 1024;
// On Zen 1 (512 KiB of L2) a scratch seldom pays, and not for min_crowding_rows of AMD alone.
//     With 128 / 1024: AVX2 in 16 bytes 23 3.46 / 2.80, beyond 15 and 4, SSE4.1 14 3.55 / 3.00, 13
//     and 4; crowding rows of 13 and 25, SSE4.1 13 3.4 / 2.8. In lanes AVX2 29 1.75 / 1.70, beyond
//     9 and 4.
constexpr int min_row_pairs_to_collect_of_zen1 = 1024;

// On Zen 5 (L1 48 KiB, 12 ways) so many rows of the destination alone are enough, in one set of L1,
// if a tile writes as many at once, or those tiles that complete one line of the source write the
// second number of lines there: each line that is written is out again before its neighbour comes.
//     Lines of 16 / 27 / 64 / 256 rows, 8 KiB apart, one behind the other 1.7 / 3.9 / 6.9 / 9.5 ns
//     each, rows one line further apart 0.6 to 1.2; four of a row together 1.1 to 3.0. Time over
//     memcpy, stored where they belong / collected, those of 10000 reorders of up to 16 MiB that
//     it and the sizes of collected blocks below change: 134 3.28 / 2.08, beyond the goals 72 and 2
//     (bf16 abcd -> dcab 4x1024x14x14 5.7 / 2.1, acb -> bac 1x512x4096 4.8 / 1.7), AVX2 158 2.86 /
//     2.40, 59 and 31 (14.5 / 2.2), SSE4.1 133 2.95 / 2.77, 43 and 37. With 13 lines as well 217
//     2.88 / 2.14 where 17 are 2.88 / 2.10; with 17 AVX2 2.53 in place of 2.40, with 13 SSE4.1 3.15
//     in place of 3.02. By rows of a line of the source alone (images of 3 channels, padding)
//     collected took up to 4 times as long.
//     On Zen 4 (32 KiB, 8 ways; Zen 3 has the same, not measured) by vectors below a line, which
//     take more tiles to write one, times over those stored where they belong, 27 of 10200 reorders
//     with 17, 21, 25, 33 lines: AVX2 0.918 0.913 0.907 0.954 (bf16 abcd -> acdb 1x2048x7x7 3.7
//     / 2.4 times memcpy), SSE4.1 0.788 0.791 0.779 0.939 (6.9 / 2.6), with 13 109 1.14 and 1.16.
//     By those of 64 bytes 25 with both sides in L2 alone, 268 of 52400 0.79 (f32 0.75, s8 0.86),
//     beyond L2 0.88 to 1.12, from 8 rows on 680 0.94; conversions there 32 1.03. Rows of 5 bytes
//     one behind the other are 13 in one line and crowd none: s8 abc -> acb 256x5x112 4.9 / 1.9,
//     AVX2 3.8 / 1.8.
constexpr int min_crowding_rows_of_amd = 13;
constexpr int min_crowding_lines_of_amd = 25;
// On Zen 1 with vectors of 16 bytes alone, on Intel with those of 32 as well.
//     Of 99 transposes to rows 4096 bytes and multiples of that apart the 15 that it changes, all
//     of bytes, 5.7 / 3.7 times memcpy; with 64 lines 8 of them. With 32, 24 others 2.7 / 3.2 (f16
//     abcd -> cdba 2048x512x1x1 2.3 / 2.9). With vectors of 32 bytes 4 3.0 / 3.6.
//     On Intel (48 KiB, 12 ways) with vectors below a line, times over those stored where they
//     belong, 15 of 9400 reorders with 40, 48, 56, 64 lines: SSE4.1 0.74 0.74 0.75 0.84 (u8 ab ->
//     ba 4096x196 5.1 / 3.4 times memcpy, cdab -> abcd 1x128x256x256 2.8 / 1.9), AVX2 12 - 0.925 -
//     0.91; with 32 52 0.90 and 46 1.03, of 8 rows and more 256 1.09. By those of 64 bytes 12 1.2
//     and more.
constexpr int min_crowding_rows_of_zen1_and_intel = 16;
constexpr int min_crowding_lines_of_zen1_and_intel = 48;
constexpr int min_crowding_rows_of_zen5 = 13;
constexpr int min_crowding_lines_of_zen5 = 17;
constexpr int min_crowding_lines_of_zen5_32_bytes = 13;
// Of the rows that a tile writes so many on Zen 4 with vectors of 16 bytes, and with those of 32 as
// long as both sides are in L2 (machine::max_times_l2_of_crowding_moves).
//     Times over those of the rules above, 36700 reorders (25000 of the 62000 of
//     min_rows_to_collect_cut, its transposes, and 1700 of each of two kinds: make_cases.py -n 1700
//     --seed 78001, --kind=transpose -n 1700 --seed 78001 --max-mib 64): SSE4.1 232 0.81, beyond
//     the goals 98 / 25 (s8 bca -> abc 64x768x32 5.2 / 2.8); AVX2 in L2 200 0.79, 24 / 14, beyond
//     it 402 1.28. With 6 rows AVX2 in L2 35 more and 0.88; with 16 lines as well SSE4.1 below 2 MB
//     0.85, above 1.2; vectors of a line 754 below 2 MB 1.09. Conversions AVX2 147 1.38, SSE4.1
//     135 1.30.
constexpr int min_crowding_rows_of_moves = 8;

// On Zen 4 with vectors of 64 bytes beyond L2 as well, of elements of so many bytes: rows of a tile
// that could not be a narrow one (min_narrow_run_bytes).
//     Times over those stored where they belong, of 5600 transposes with rows of the destination
//     multiples of 1024 bytes apart and 5890 reorders of frameworks, 281 0.85, of 2 to 8 MB 0.82 to
//     0.85, 16 MB 0.96, beyond the goals 10 / 1 (f32 acb -> bca 32x17x2048 5.1 / 2.3 times memcpy);
//     of 2 bytes 135 0.95, 10 / 18; bytes and lines of 2 bytes 1.02 to 1.15; from 8 rows on 1040
//     more 1.14. In rows in place of lanes 4 bytes 1.2.
constexpr int min_elem_bytes_of_crowding_rows_of_zen4 = 4;

// Blocks of a scratch below this are not staged, from min_large_bytes on, unless they are chained:
// blocks that do not nest leave such now and then, and each is a call that ends with a fence.
//     Time over memcpy, collected / stored where they belong: bf16 aBdefC48b4c -> aBdefC16c64b4c
//     61x1x1x1x47x3 25.7 / 1.4, aCdefB48c4b -> aBCdef16c16b4c 251x1x1x1x1x100 12.4 / 1.4; with a
//     destination that begins within a line f32 BA4b8a8b4a -> AB16b48a4b 4096x4096, blocks of 256
//     bytes, 7.2 / 1.7, bf16 AcB24a2b -> BcA16a32b4a 509x61x509, of 512, 4.5 / 1.4, BA16a48b2a ->
//     AB16b48a2b 50257x768, of 1 KiB, 2.1 / 1.35, u8 AcdeB8a2b -> aCBde4c8b8c2b 48x1x251x64x7 2.7 /
//     3.0.
constexpr dim_t min_scratch_block_bytes = 2048;

// Padding in whole lines is written in a pass of its own from this share and size of the
// destination on.
//     Time with two passes over time with one, 240 reorders with shares from 0.5 on: where 8 and
//     more rows of a tile share a set of L1 0.3 to 0.95 (below 32 KiB up to 1.1, with a share of
//     0.25 0.9), with 4 rows 0.7 to 1.2, others within L2 0.9 to 1.3, streamed 1.05 to 2.
constexpr double min_padding_apart_share = 0.5;
constexpr dim_t min_padding_apart_bytes = 1 << 10;
// Within L2 also where nothing collides, by vectors below a line (for those of 16 bytes from the
// share above on): a tile of theirs writes padding in a few bytes of each of many rows, a pass of
// its own in the order of addresses.
//     Time over memcpy, in one / so, by size below 64 KiB, 1 and 4 MiB: SSE4.1, 564 of 5745
//     reorders, 5.0 1.55 1.13 / 3.6 1.23 0.86 (f32 abcde -> ABcde2b8a16b4a 64x3x3x7x7 5.4 / 2.2, u8
//     aBcdef32b -> aBCdef2b8c16b2c 1x1x1x1x64x1 20 / 6), AVX2, 420, 3.2 1.21 0.79 / 2.5 1.18 0.82.
//     From shares of 0.5, 0.65, 0.75, 0.85, 0.92 on, below 1 MiB: AVX2 1.29 1.26 1.26 1.25 1.24,
//     worst 2.2 2.2 2.2 2.7 2.6, SSE4.1 1.36 1.38 1.40 1.49 1.57; AVX-512 1.25 1.20 1.20 1.18 1.17,
//     never 1.16; Zen 4, AVX2, times from 0.5 / 0.8 / 0.9 on and never over those from 0.65 on, 281
//     1.025, 310 0.97, 529 0.96, 753 0.97, SSE4.1 never 1192 0.99, but 7 more beyond 4. Beyond L2
//     with 0.65 AVX2 0.88 / 1.01, SSE4.1 0.93 / 1.01. Destinations of 32 KiB,
//     16, 8, 4, 1 and more: below 64 KiB SSE4.1 4.8 4.2 4.0 3.8 3.6, AVX2 3.1 2.8 2.6 2.5 2.5; 12
//     of less than 1 KiB 2.4 / 3.2.
constexpr double min_padding_apart_share_of_32_bytes = 0.9;
// The same where nothing collides, but the order of the source makes passes of the padding anyway
// (not on Intel): beyond L2 0.5 to 1.1 from a share of 0.75 on, 1.0 to 1.3 with 0.5 to 0.7.
constexpr double min_padding_passes_share = 0.75;
// On Intel neither for the order nor where 8 rows of a tile share a set of L1, beyond L2 only where
// more do and from the share below on. Measured where a set has 12 lines (48 KiB); older cores have
// 8.
//     In two / in one pass, those of 27500 reorders with two by the rules above, beyond L2: order
//     132, 1.15 to 1.18 times as long; 8 rows 84, 1.13; 16 rows 41 of a share up to 0.9 1.11, 30
//     above 0.84, least 0.53; AVX2 150 of the order 1.16, 66 of 8 rows 1.22, SSE4.1 150 1.15, 20
//     1.20 (f32 bac -> AcB8b32a2b 1x128x768 1.76 / 1.18 times memcpy, ABc8b8a2b -> AcB64a2b
//     16x128x768 1.39 / 1.07). Within L2 8 rows 78, 1.08 (below 64 KiB 1.25); 16 rows 75 0.71.
constexpr int max_padded_rows_of_intel = 8;
// Past the caches on any machine from this share on.
//     Zen 4, times over those with two passes from a share of 0.5 on, of 13300 reorders: 20 0.87,
//     AVX2 16 0.77 (worst 1.6), SSE4.1 26 0.65 (s8 aBdc4b -> ABcd16a16b 1x32x208x208 1.75 / 0.7
//     times memcpy); never two 29 1.04, 31 1.00, 48 0.85; only for the rows 0.89, 0.78 and 32 0.78.
constexpr double min_large_padding_apart_share = 0.9;

// -------------------------------------------------------------------------------------------------
// Order: what is read of a line next, and what is written in the order of the destination

// A tile that reads less than a line of the source: is the rest of the line read next, or later, in
// the order of the destination (reads_lines_at_once)? It depends on w, the most lines of one set of
// L1 that are written before the source's line is complete. (1) w < min_lines_that_evict:
// next, since L1 keeps what is written. (2) Those are left in part: later. (3) They are whole, and
// the destination is most of what is moved: later, since lines of one set, so many that they push
// each other out, take twice as long to write as in the order of their addresses. (4) They are
// whole otherwise: later with this w and more, if the tile reads at once the smaller of half a line
// and a vector (beyond L2 the larger of a quarter of a line and half a vector), and neither its
// runs end within lines nor the source's rows collide as well.
//     (1) From 8 on as well 1.01 to 1.04 times as long. (2) Next / later, those of 19000 reorders
//     that it changes, 3 on AVX-512 2.9 / 1.5 (u8 aBCd4b4c -> AcdB8b24a 5x1021x31x1 6.7 / 2.2), 7
//     on AVX2 2.1 / 1.6, 10 on SSE4.1 2.4 / 1.6. (3) 24 on AVX-512 1.60 / 1.38, 31 on AVX2 1.61 /
//     1.28, 41 on SSE4.1 1.91 / 1.38 (s8 acb -> Abc32a 1x197x768 2.9 / 1.2). (4) 64 1.41 / 1.38,
//     108 on AVX2 1.49 / 1.28 (f32 bcda -> acdb 1x2048x7x7 2.8 / 1.6), 171 on SSE4.1 1.63 / 1.45;
//     beyond L2 16 bytes are enough on AVX2, 56 1.42 / 1.29, but not within (bf16 cdba -> abcd
//     512x1024x1x1 1.9 / 2.6). Its exceptions, runs of 8 bytes and less, runs that end within
//     lines, and where rows of the source collide as well: later is 1.0 to 2.3 times as long (u8
//     cdba -> abcd 512x1024x1x1 on AVX2 2.0 / 5.8). With 9 to 12 lines, 38 on SSE4.1, 1.03.
//     Tried: next where the source's rows end within lines and its runs do not, 37, 82, 99 of these
//     1.04, 1.18, 1.17.
//     Rows that end within lines have parts of two lines each, so they count in both sets, and are
//     left in part. Zen 1, counted once / so, transposes of 513 to 8193 rows of 9 to 256 elements
//     of 1 to 4 bytes, those that it changes: 157 on AVX2 4.6 / 2.7, with vectors of 32 bytes 4.3
//     / 2.8, 143 on SSE4.1 5.5 / 2.8 (f32 1025x40 5.6 / 2.4); of 5100 reorders none.
constexpr int min_whole_lines_in_l1_set = 13;
// Beyond L2, for tiles of vectors below a line that store whole lines, in place of the larger of a
// quarter of a line and half a vector: they have left the source's run no more.
//     Zen 4, times over those in the order of the source, 26 of 10200 reorders of 1 to 16 MB: AVX2
//     0.930, with 4 bytes 0.929; SSE4.1 0.994 and 1.07.
constexpr dim_t min_whole_lines_src_run_bytes = 8;

// Lines of the source in one set of L1 that blocks within L2 visit in turns, from which on they go
// in the order of the source instead, if that visits fewer and no more of the destination than this
// many, or than now.
//     Times in the order of the destination over so, those of 10200 reorders that it changes on Zen
//     4: 60 0.884 (bf16 acdb -> aBdc32b 1x2048x7x7 2.4 / 1.05 times memcpy, bf16 ab -> AB32a16b
//     21x4096 1.5 / 2.0), AVX2 66 0.864, SSE4.1 72 0.872 (f32 ab -> BA12b8a 21x4096 3.2 / 1.3).
//     From 24 lines on 0.89; with up to 0 or 4 of the destination 0.888, 0.863, 0.907. Times with
//     13 over those with 17, up to 16 of the destination, of 11600 117 0.97, AVX2 116 0.99, SSE4.1
//     137 0.98 (with 33 50 1.04, 50 1.09), but batches of one shape may then need two kernels. All
//     reorders within L2: 1500 1.01, 0.34 to 3.0. Up to 8 lines of the destination in place of 16:
//     15 0.98, AVX2 10 1.00, SSE4.1 24 1.02. Intel, in the order of the destination whatever the
//     lines, times over those so, of 9400 reorders: 110 0.72 (u8 BcdA64b4a -> ABcd4a4b
//     128x128x3x3 3.2 / 1.0 times memcpy, f64 ba -> ab 2048x21 3.4 / 1.3, but f32 adbc -> BAcd4a4b
//     128x128x3x3 1.1 / 1.4), AVX2 117 0.86, SSE4.1 125 0.90; from 64 lines on 80 0.82 (bf16 ba ->
//     ab 4096x49 1.7 / 2.6), AVX2 83 0.925, SSE4.1 96 0.945.
constexpr int min_lines_in_turn = 17;
constexpr int max_lines_in_turn_of_dst = 16;

// Bytes written for one that the source spans from which on blocks lie in the order of the
// destination after all: most of it is padding.
//     Time over memcpy, never / from 8 on, the 81 of 5745 reorders that this changes: 1.114 /
//     1.083, worst 2.3 / 1.7 (f32 bca -> AcB8b24a 2x384x1024 2.3 / 1.05), AVX2 1.134 / 1.106,
//     SSE4.1 1.213 / 1.171. From 1.5, 2, 3, 4, 8 on, 166 reorders: 1.106 1.104 1.101 1.104 1.104,
//     AVX2 1.148 1.146 1.131 1.131 1.135; up to 4 a third of them loses (bf16 acdb -> ABcd8a8b
//     2x256x68x68 1.0 / 1.3). From 5.2, which is 3 channels that become 16, and not 8: 27 of 27500
//     1.21 / 1.10, 28 on AVX2 1.25 / 1.11, 30 on SSE4.1 1.31 / 1.19 (f32 acdb -> aBdc16b
//     1x3x640x640 1.5 / 1.2); with 5, as 8 that become 40, 7, 9 and 9 1.06, 1.12 and 1.08 times as
//     long.
constexpr double min_written_per_src_byte = 5.2;
// Where elements become wider that counts as well, and without padding less is enough.
//     Time over memcpy, by elements alone / by bytes from 8 on, 60 conversions from 4 and 8 bits to
//     32 and 64, 1 to 30 MB: 1.363 / 1.305 (u4 acdb -> f32 abcd 8x64x56x56 1.39 / 1.04), AVX2 1.444
//     / 1.394, SSE4.1 1.544 / 1.533. From 8, 4, 2 on, 84 that widen by 2 and 4: 1.316 1.296 1.307,
//     AVX2 1.334 1.320 1.334.
constexpr double min_written_per_src_byte_of_wider = 4;

// Intel's cores bring a line to L1 when its store leaves the queue, one after the other, and of a
// store across two lines the second one then: prefetchw for the line of their last byte asks first.
// Beyond so many bytes of source and destination (L1 holds less), or L2 if that is smaller, stores
// do, but where elements that are read in the order of their addresses become wider.
//     Stores of 64 bytes to rows in L2 take 1.2 ns each, 2.6 where they begin 16 bytes behind a
//     line, 1.1 and 1.1 so. Not where they become wider: s8 to bf16 in a row 1.01 / 1.16, u4 to f16
//     1.22 / 1.38, u8 aBcd16b -> abcd 1.29 / 1.55. Others that are read in the order of their
//     addresses, 64 of 900, gain most (1.15 / 1.02; f16 aBc16b -> abc 8x512x360 1.7 / 1.1, f32 bcda
//     -> abcd 1.3 / 1.0), also with both sides in order (30 more, 1.10 / 1.07). 255 reorders of
//     frameworks up to 16 MiB, time over memcpy without / with, by size below 1, 4, 16 MiB: 1.33
//     1.39 1.15 / 1.19 1.27 1.10, with buffers as malloc makes them, 16 bytes behind a page, 1.94
//     1.87 1.39 / 1.30 1.41 1.15; AVX2 1.38 1.49 1.18 / 1.26 1.34 1.11, SSE4.1 1.54 1.68 1.18 /
//     1.42 1.57 1.11. Below 48 KiB 1.0 to 1.04 times as long. Of the next tile's lines, or all of a
//     tile before it is loaded: the same. Copies from a scratch claim those of the next run: u8 and
//     bf16 1024x1024 and 2048x2048 transposed 2.35 / 2.14, with such buffers 2.68 / 2.19; of the
//     run after that the same. Drains past the caches, of lines in part, before the block is
//     filled: 1.03 / 1.06.
//     Not on AMD (Zen 4): 1135 reorders of 16 KiB to 16 MiB 1.197 / 1.188, 16 bytes behind a page
//     1.440 / 1.439, AVX2 1.286 / 1.293, 1.516 / 1.526, SSE4.1 1.542 / 1.595, 1.556 / 1.602.
constexpr dim_t min_claimed_bytes = 48 << 10;

// On Skylake's servers tiles that write rows of so many bytes in the order of their addresses claim
// the lines so far behind their stores, from so many moved bytes on, and store none past the
// caches: a core waits for each of a dozen such lines on their way, where claims keep L2 asking.
//     Cascade Lake, 36 MiB of L3 of which others use much, time over memcpy before / so, those of
//     1379 reorders of 8 MiB and more that this changes, below 16, 24, 36, 60 MB and beyond: 181,
//     0.91 0.84 0.97 1.05 1.05 / 0.85 0.82 0.90 0.99 0.96, 16 bytes behind a line 0.92 0.87 1.16
//     1.19 1.24 / 0.87 0.85 0.94 0.99 1.01; AVX2 149, 0.88 0.83 1.13 1.06 1.04 / 0.81 0.81 0.94
//     0.94 0.88; SSE4.1 111, 0.93 0.84 1.14 1.10 1.09 / 0.80 0.79 0.90 0.94 0.84. Two threads over
//     one memcpy, the 181 0.53 / 0.50, one 0.96 / 0.90. 120 conversions 1.02 / 1.00, of which those
//     that do not claim lines (widens_in_order) took 1.14 / 1.26 with claims ahead.
//     2048, 3072, 4096 and 6144 bytes ahead, 169 of these, 0.910 0.907 0.907 0.912; without claims
//     ahead, but none past the caches, 0.938 (past them 0.964). From 0.1, 1, 2, 4, 6, 8 MB on,
//     without / with 3072: 145 1.19 / 1.20, 42 1.39 / 1.39, 54 1.01 / 1.02, 41 0.915 / 0.905,
//     22 0.79 / 0.73, 21 0.70 / 0.62. Rows of 4 to 64 KiB too, 22 reorders 0.91 / 1.03; all that
//     stores in the caches, 208 of 8 to 140 MB, 1.14 / 1.27 (s8 ABcd32a16b -> abcd 32x32x149x149
//     1.9 / 4.6). Copies in the order of the destination from 64 to 1024 bytes a row on, so that
//     they claim ahead: 24 transposes of 200 MB 1.16 / 1.19 to 1.32.
//     So do tiles that write pieces of so many bytes of such a row in any order. Times over those
//     that are streamed, staged or claim the next line of each row, of 4 to 22 MB / 22 to 70 MB,
//     those that are padding for 1.1 of the source and more up to 150 MB: pieces of 1 KiB 27 0.94,
//     46 0.89, to 2 16 0.92, 59 0.87, to 4 23 0.93, 43 1.02, to 8 26 1.01, 26 1.16 (f32 abcd ->
//     Abcd32a 16x728x19x19 1.21 / 0.98 times memcpy); 16 bytes behind a line to 1, 2, 4 KiB 46
//     0.97, 59 0.93, 43 0.91; AVX2 42 0.96, 111 0.93, 9 0.91, 38 0.90, 22 0.91, 32 0.92; SSE4.1 50
//     0.91, 124 0.91, 8 0.92, 28 0.90, 14 0.95, 34 0.87. Conversions up to 2 KiB 30 0.94, AVX2 up
//     to 4 70 0.94, SSE4.1 72 0.93.
//     Others claim the next line of each row that they write, the one that the next tile comes to
//     where these are up to 4 KiB apart. Times over those without, 4 to 8, 16, 23, 50 MB: 193 0.97,
//     168 0.95, 86 0.96, 53 1.00; AVX2 191 0.93, 168 0.94, 82 0.96, 63 0.97; SSE4.1 209 0.91, 187
//     0.94, 91 0.96, 62 0.93. The one after it 0.98 0.95 0.97 1.02, 0.94 0.93 0.97 0.98, 0.89 0.93
//     0.96 0.91. From 0.25, 1, 2, 3 MB on 213 1.00, 114 1.00, 72 0.99, 55 1.00, AVX2 206 1.01, 116
//     1.00, 72 1.00, 57 1.00, SSE4.1 221 1.01, 118 1.03, 74 1.00, 56 1.00. Up to 64, 256, 1024,
//     4096 and 16384 bytes apart, 350 of 4 to 23 MB, 0.97 0.966 0.965 0.96 0.97.
//     So what tiles cannot stream whole is stored in the caches at any size as well, where a
//     scratch took it past them, but for the detour of colliding and far rows
//     (is_staged_past_caches). Times over those through a scratch, with vectors of a line, 23 to
//     30, 36, 44, 60, 90 MB: 46 0.97, 61 0.99, 96 0.97, 71 0.97, 37 0.99, of which the 43 that no
//     pointer lets stream 0.92; 16 bytes behind a line 0.82 0.81 0.84 0.84 0.85, TTC's 25 0.96; 213
//     conversions 0.99 1.02 1.00.
//     With joined runs, and halves of vectors, as where less is moved: 9 of the 311 0.87, 0.89.
constexpr dim_t claimed_ahead_bytes_of_skylake = 3072;
constexpr dim_t min_claimed_ahead_bytes = 4 << 20;
constexpr dim_t min_claimed_ahead_row_bytes = 64 << 10;
constexpr dim_t max_claimed_piece_bytes = 4 << 10;
constexpr dim_t max_claimed_piece_bytes_64_bytes = 2 << 10;
constexpr dim_t max_claimed_step_bytes = 4 << 10;

// -------------------------------------------------------------------------------------------------
// Blocks that are stored where they belong: within the caches beyond L2, and streamed

// Beyond L2, bytes along the source's and along the destination's run that are moved before the
// next rows begin; the next block lies further along the source's rows, and its lines are fetched
// to L2 meanwhile.
//     Time over memcpy, geometric mean of 19 cases of 3 to 16 MB, 512-bit vectors: blocks of
//     1024/256 in the order of the destination, nothing fetched 1.92; 256/512 in that of the
//     source, fetched 1.77; 256/256 1.81, 512/256 1.84, 1024/256 1.86. Streamed, 8 transposes of
//     400 MB: 256/512 1.00, 512/512 1.12, 256/256 1.10, 128/512 1.18, 256/1024 1.00; fetched to L1
//     instead 1.2 to 1.3; blocks along the destination 1.2 and more.
//     Beyond L2 a line of the destination is enough where elements have 4 bits: 128 rows of the
//     source, of which 512 bytes would be 1024. Those, rows as for equal elements (64 to 256
//     bytes), 64 bytes: 54 transposes of 1 to 14 MB from f32, bf16, f16 and s8, most with scales,
//     2.95 2.72 2.55 times memcpy, worst but one 4.0 3.8 3.7; AVX2 4.0 3.6 3.4. To 8 and 16 bits it
//     made no difference.
constexpr dim_t block_src_bytes = 256;
constexpr dim_t block_dst_bytes = 512;
// Streamed, of tiles that read parts of lines and keep the size of elements: less along the
// destination, to no less than this, as long as a block has so many lines of the source in one set
// of L1, which has 8 ways on all of AMD's cores but Zen 5: the rest of a line is wanted once per
// row of the destination.
//     Zen 4, of 12100 reorders of 15 to 67 MB, times over those with 512 bytes: SSE4.1 323 0.85,
//     beyond 1.8 times memcpy 64 and 17 (bf16 ab -> BA8b4a 1024x4096 4.2 / 1.2, f64 adbc -> abcd
//     52x4x64x120 2.4 / 0.9), AVX2 374 0.85, 55 and 20 (u8 abcd -> abdc 1x32x2048x128 2.9 / 1.5),
//     AVX-512 302 0.985, 46 and 41 (s8 acdb -> bcad 8x75x8x2048 2.5 / 1.8); single ones 1.3 to 1.6
//     (f64 bcda -> acdb 32x32x256x5 with SSE4.1 1.4 / 2.2). Down to 64 bytes 353 0.86, f64 on AVX2
//     1.07, AVX-512 1.03; to 256 f64 on AVX2 0.89, but 48 in place of 172; from 13 lines on 0.85 to
//     0.99, of fewer. Of tiles that read lines whole as well AVX-512 760 1.03; of destinations of
//     half padding AVX-512 1.8 (f16 abcd -> ABcd40a32b 4x32x149x149 0.5 / 0.96), SSE4.1 43 0.95;
//     conversions 1.00 to 1.03; where rows begin within lines, which are left in parts, to 8 times.
constexpr int min_streamed_src_lines_in_l1_set = 9;
constexpr dim_t min_streamed_dst_bytes = 2 * line_bytes;
// Beyond L2, in place of that, for tiles that read so many lines of the source for a vector of the
// destination: 512 bytes of u8 are 512 rows of the source.
//     Zen 4, times over those of 512 bytes with 128 / 192 / 256 / 320, of 10200 reorders of 1 to 16
//     MB those that it changes: 438 on AVX-512 0.983 0.979 0.980 0.983, 141 on AVX2 (of u8) 0.975
//     0.975 0.974 0.981; with 256 of 5000 conversions 299 0.980, AVX2 66 0.992. Of tiles that read
//     fewer lines 1.02 to 1.09; streamed 138 1.03 with 128, 0.996 with 256.
constexpr int many_read_lines = 32;
constexpr dim_t block_dst_bytes_of_many_lines = 256;

// Of the source's rows in a block below the streaming limit, in place of block_src_bytes, on
// Intel's cores: a line, where claimed lines have made stores cheap.
//     Time over memcpy with 256 / 128 / 64 bytes of the source: 210 reorders of 2 to 48 MB 1.135 /
//     1.116 / 1.102, worst 2.2 / 2.1 / 2.1, AVX2 1.16 / 1.15 / 1.14, SSE4.1 1.17 / 1.17 / 1.16; 78
//     conversions 1.67 / 1.60 / 1.55. With 64, 256 or 1024 of the destination are no better (1.11,
//     1.105), and nothing fetched 1.12.
constexpr dim_t block_src_bytes_of_intel = 64;
// The same of tiles that copy parts of lines as they are, blocks of 24 channels for one, on
// Skylake's servers: a line of each of many rows takes longer to come than eight of an eighth of
// them.
//     Cascade Lake, times over those with 64 bytes, of 4400 reorders of 1.5 to 120 MB: above 16 MiB
//     14 on AVX-512 0.83 (u8 aBdc24b -> acdb 64x1024x14x14 1.8 / 1.0 times memcpy, s8 acdb ->
//     aBdc24b 32x32x149x149 1.8 / 1.2), 59 on AVX2 0.96, 138 on SSE4.1 0.97; below 29 0.98, 63
//     0.98, 172 0.99. With 256 bytes 0.83, 0.98, 0.98 of those above, with 1024 on AVX-512 0.84; of
//     all tiles 1.00 above (845) and 1.01 below 16 MiB, single ones 0.7 and 1.9.
constexpr dim_t block_src_bytes_of_parts_of_skylake = 512;
// And on Zen 3, whose figures these are, and on Zen 1: 256 / 128 / 64 bytes, 1674 of 5100
// reorders 1.311 / 1.305 / 1.297, 2857 of 10200 with 256 / 64 1.364 / 1.345, SSE4.1 2279 1.744
// / 1.724; with 512 1.112 where 256 was 1.096. Half as much of the destination, 1723 1.011 / 1.021.
constexpr dim_t block_src_bytes_of_zen3 = 64;

// On Intel's cores two lines of a row of the source one right after the other, before the next
// rows. Their L2 reads ahead in a page when it is asked for a line and then for the next one; a
// block that comes for that one after 128 other rows waits for L3 each time (16 lines at once, 80
// ns).
//     Where both sides' rows collide (min_lines_that_evict), 10 transposes of u8 and bf16,
//     time over memcpy with 1 / 2 lines: 2.30 / 1.75, AVX2 2.50 / 1.72, SSE4.1, whose loads of 16
//     bytes had L1 ask for the next line, 1.83 / 1.72; with 1 / 2 / 4 u8 4096x4096 2.7 / 1.9 / 3.2,
//     bf16 1024x1024 2.0 / 1.4 / 1.3. To fetch lines while the scratch is filled and not while it
//     is drained: 1.64, AVX2 1.74, SSE4.1 1.78.
//     Others beyond L2, where tiles read whole vectors that do not end within lines: 116 of 2 to 64
//     MB 1.042 / 1.029 (f16 ABcd32a16b -> abcd 64x36x45x45 1.4 / 1.15), AVX2 1.036 / 1.033 (f32
//     1000x1280 transposed 1.5 / 1.1). Not of parts of vectors (u8 abcd -> adcb 8x255x52x52 1.1 /
//     1.5: more rows of the destination), of vectors of 16 bytes (1.145 / 1.147, up to 4 MB 1.21 /
//     1.24), where elements become wider (f32 to f64 700x900 transposed 1.0 / 1.15) or lines of the
//     destination left in part would push each other out of L1 (f32 cdba -> abcd 1024x512x3x3 on
//     AVX2 1.7 / 2.1), within L2, nor streamed (0.83 / 0.84, 0.79 / 0.79).
//     AMD (Zen 4), 532 of 1 to 16 MiB 1.220 / 1.211, worst 3.6 / 4.6 (s8 5120x1280 transposed).
//     Skylake's servers (L1 of 32 KiB) are better off with 1 line, time over that with 2: 1275 of 1
//     to 64 MB 0.985, 82 faster and 36 slower (f32 acdb -> cabd 1x255x26x26 2.9 / 2.0), AVX2 646
//     0.983, conversions 166 0.97 and 177 0.99; with 4 261 1.00.
constexpr int paired_lines_of_intel = 2;
// Not elements of so many bits or fewer where rows of the destination begin within lines
// (stores_bytes_within_lines), more of which are left in part meanwhile.
//     Intel, pairs over single lines, of 12540 reorders bytes 46 1.09, none less than 0.97 (u8
//     4096x1000 transposed 1.9 / 1.5 times memcpy), AVX2 18 1.06; of 2 bytes 121 1.01, 0.7 to 1.25,
//     and 29 0.98; of 4 bytes 105 1.01 and 84 0.99. Where the source's runs have fillers, so that
//     single lines of it are in more rows, 7 0.8.
constexpr int max_unpaired_elem_bits = 8;
// Zen 5, 1537 of 10000 reorders of up to 16 MiB 1.466 / 1.447, 488 of 3400 others 1.442 / 1.429;
// not on AVX2, 771 1.62 / 1.66.
constexpr int paired_lines_of_zen5_64_bytes = 2;
// Zen 3, AVX2, 790 of 5100 reorders 1.103 / 1.084; in blocks of 64 bytes of the source 1.345
// / 1.338, with 4 lines 1.36.
constexpr int paired_lines_of_zen3 = 2;

// The same of blocks of a scratch where rows of the source collide, on every machine; of staged
// ones if the block has room for runs of the destination that a chain continues as well.
//     Staged, Intel, 1 line / 2: 137 reorders of 48 to 270 MB 0.874 / 0.853, worst 2.7 / 1.7 (u8
//     cdba -> abdc 64x1024x28x28), with 4 lines no better than with 1; 96 on AVX2 1.050 / 1.032, 54
//     on SSE4.1 1.145 / 1.112. AMD, 190 of 16 to 150 MB 1.098 / 1.077, worst 4.6 / 3.0 (u8 bac ->
//     acb 16x512x4096), 129 on AVX2 1.245 / 1.198, 62 on SSE4.1 1.310 / 1.263. Without room s8 acbd
//     -> aCdb24c 1x32x2048x128 took 7.4 in place of 3.4. Collected, Intel: above. AMD, 1 line / 2 /
//     4, those of 17000 reorders of up to 16 MiB that it changes: 31 3.32 / 3.26 / 3.69, of 2 bytes
//     10 3.20 / 2.90 / 2.79, AVX2 64 3.30 / 3.25 / 3.31, SSE4.1 169 3.23 / 3.09 / 3.04.
constexpr int scratch_paired_lines = 2;

// Of the source before anything else (the block grows to block_src_bytes later) where tiles read
// runs that end within lines, as 3x3 weights of f32, 36 bytes: so that what is left of a line is
// still in L1 when the tile moves on along the destination. Streamed and staged only where rows of
// the source share sets of L1 too; streamed, of the destination as well, in place of
// block_dst_bytes.
//     Time over memcpy with 256/512 and with 128/512, 128/256, 128/128, 64/64: f32 abcd -> cdba
//     256x256x3x3 3.0 2.3 2.3 2.1 2.4, 272x264x3x3 1.6 1.5 1.4 1.3 1.4, bf16 272x264x3x3 2.0 2.0
//     1.7 1.6 1.7. Streamed only where rows of the source share sets of L1: f32 512x512x3x3 2.1 1.5
//     1.4 1.3 1.8, but 50 others 1.05 1.08 - 1.08. Staged there too: 500x512x3x3 3.3, with 128 of
//     the source first 2.2. Not for runs of half a line, which lie in one (1.6, with 128/128 1.8),
//     nor where the destination has the same runs (1.4, 3.2); for runs of the destination that end
//     within lines no order of 6 made a difference. 128 of the destination in the caches as well,
//     time over that with 512: Zen 4, 99 of 11600 reorders 1.05, AVX2 88 1.05, SSE4.1 79 1.005; 98
//     of 12 to 70 MB 1.03, AVX2 73 1.04, SSE4.1 42 1.01, 100 of 3 to 12 MB 1.00.
//     Beyond L2 block_src_bytes of short odd rows (moves_short_rows), but no more than leaves
//     max_rows_in_l1_set lines of the destination in a set: Zen 4, times over 128 bytes, of 3100
//     transposes that leave 2 to 24 elements together, 375 0.90, beyond the goals 51 and 14 (bf16
//     acb -> cab 2048x3x300 3.6 / 1.7 times memcpy), AVX2 170 0.875, 64 and 33, SSE4.1 174 0.90, 78
//     and 52; of 14000 others 31 0.99, AVX2 11 0.96, SSE4.1 10 0.88. With up to 12 lines 82 1.57,
//     AVX2 53 1.21, with 5 39 more 1.18. Of all odd runs AVX-512 84 1.03.
constexpr dim_t odd_runs_src_bytes = 128;
constexpr dim_t odd_runs_dst_bytes = 128;

// All of a level that ends within so many bytes of the destination's run joins a block that has
// less than block_dst_bytes of it, and then has no more than so many bytes and rows of the source:
// 26 rows of 26 bytes and not 4 of them at a time.
//     Time over memcpy, without / with 2048, 32 KiB and 128, 256, 512 rows, the 402 of 5745
//     reorders that it changes, 2 to 90 MB: 1.096 / 1.061 1.052 1.051, worst 2.4 / 1.7 1.7 1.7 (u8
//     abdc -> bcad 64x255x26x26 2.4 / 1.04, cabd -> abcd 64x512x26x26 2.3 / 1.1, but s8 aBdc24b ->
//     acdb 16x1024x28x28 1.2 / 1.5); 491 on AVX2 1.123 / 1.106 1.101 1.103. Without a limit of rows
//     1.12 / 1.10 (transposes of 768 rows 1.6 / 1.8); with 64 KiB 1.050; up to 4096 bytes 460 cases
//     1.115 / 1.087, with 2048 1.082, with 1024 (of 641) 1.093 and 1.086.
constexpr dim_t max_whole_dst_bytes = 2048;
constexpr dim_t max_whole_block_bytes = 32 << 10;
constexpr dim_t max_whole_block_rows = 256;
// AMD: Zen 4, with 2048 / 1024, those of 17000 reorders that the limits change: 382 1.197 / 1.146,
// worst 4.1 / 2.7 (bf16 AB8b24a -> ba 768x3072 3.5 / 1.2), AVX2 389 1.26 / 1.20, SSE4.1 383 1.42 /
// 1.36; times with 256 / 192 / 128 over those with 512, of 11600 69 0.88, 104 0.91, 111 0.91, AVX2
// 55 0.84, 91 0.86, 100 0.88, SSE4.1 44 0.88, 79 0.89, 88 0.88.
// Zen 5, with 512 / 192 / 128 / 64, of 10000: 122 1.436 / 1.353 / 1.344 / 1.364 (in another run 92
// with 128 1.61 / 1.40), AVX2 129 1.90 / 1.85 / 1.86 / 1.87, SSE4.1 117 2.87 / 2.77 / 2.77 / 2.77.
// Zen 3, with 2048 / 1024 / 512 / 256 / 128, AVX2 431 1.175 / 1.155 / 1.145 / 1.141 / 1.136, SSE4.1
// 415 1.399 / 1.372 / 1.367 / 1.360 / 1.348.
constexpr dim_t max_whole_dst_bytes_of_amd = 128;
// Skylake, time with 4096 / 8192 / 16384 over that with 2048: 162 0.978, 251 0.976, 51 of a
// seventh of them 0.979; AVX2 176 0.980, 278 0.981; SSE4.1, which keeps 2048, 169 0.997 with 8192.
constexpr dim_t max_whole_dst_bytes_of_skylake = 8192;

// A block, collected or streamed, has up to so many times as many steps along the destination as
// its bytes take, where its runs are whole lines then (448 bytes of runs of 28).
//     The 610 of min_lines_that_evict, collected, without / with: 201 on AVX-512 1.98 / 1.90,
//     274 on AVX2 1.74 / 1.68, 204 on SSE4.1 1.94 / 1.91 (bf16 cba -> abc 28x2048x52 2.6 / 1.3, u8
//     cabd -> dabc 1x512x56x56 2.8 / 1.9).
constexpr dim_t max_growth_to_whole_lines = 4;

// Streamed on Intel's cores, where reads are of memory: so many rows of the source in a block.
// Their L2 follows one row in each of 32 pages (Intel 64 and IA-32 Architectures Optimization
// Reference Manual, data prefetching to the L2) and loses all where there are more, whatever is
// fetched by instructions: reading 43408 x 1216 of f32 in blocks of 16, 32, 64, 128 rows took 0.78
// 0.76 1.8 1.3 times memcpy.
//     Time over memcpy, no limit / 64 rows / 48 / 32 / 24: 57 transposes of 400 MB 1.35 1.29 1.26
//     1.21 1.31, worst 2.1 2.0 1.7 1.9 2.3; 97 reorders of 64 MB and more with no limit 0.69, with
//     64 0.67, with 32 0.68, worst 2.0 1.2 1.2. In caches no limit was found: 154 of 4 to 16 MB
//     took 1.15 without one, and with 128 and 256 bytes of the destination.
//     Not on AMD (Zen 4), no limit / 32 / 64 / 96 rows, 327, 227 and 213 of 16 to 300 MB: 0.957 /
//     1.039, 0.989 / 0.990, 1.000 / 0.992 (bf16 abcd -> ABcd16a16b 4x3x640x640 0.44 / 1.62).
//     Where the last cache could hold both tensors, part of them is there. Times over those of 32
//     with 48 / 64 / 128 rows, 33 to 67 MB: 135 - / 0.91 / 0.93, AVX2 71 - / 0.93 / 1.03, SSE4.1 84
//     - / 0.99 / 1.06 (f16 adbc -> acbd 64x12x197x64 on AVX2 0.99 / 0.70 times memcpy).
constexpr int read_ahead_rows_of_intel = 32;
constexpr int read_ahead_rows_near_of_intel = 64;
// Skylake, where elements keep their size, in either case, so that a block of 16 rows of f32 has a
// line of each row of the destination.
//     Time over that with 32 and 64 rows, with 24 / 16 / 8, those of 657 reorders of 22 to 400 MB
//     that it changes: 211 0.933, 223 0.925, 277 0.939; AVX2 196 0.940, 207 0.934, 254 0.934;
//     SSE4.1 197 0.956, 204 0.944, 250 0.949 (f32 ba -> ab 1024x4096 1.66 / 1.10 times memcpy with
//     16, f64 acdb -> cabd 16x128x28x28 on SSE4.1 1.3 / 2.9). 57 transposes of 400 MB: with 16 and
//     8 45 0.90 (f32 ab -> ba 43408x1216 1.8 / 1.3). Of 324 conversions 59 0.986, AVX2 68 0.983,
//     to narrower ones 1.0 to 1.3. Blocks with 512 and 1024 bytes of such rows, in place of 256,
//     the 57 1.004 and 1.040, with none of the next block fetched 1.113, and to L1 1.01.
constexpr int read_ahead_rows_of_moves_of_skylake = 16;

// On Intel's cores, where a streamed destination's rows are so many that what the processor knows
// of their pages is gone before the next bytes of one are written, blocks lie in blocks of so much
// of the rows of both sides.
//     Time over memcpy, without / with 2048/1024 of source/destination, 1024/1024, 1024/512,
//     4096/1024, 2048/2048, 2048/512: f32 abcde -> edcba 48x28x28x28x48, 37632 rows, 1.86 1.42 1.41
//     1.47 1.58 1.60 1.54, abc -> cba 2320x59x384, 22656 rows, 1.50 1.27 1.20 1.30 1.35 1.33 1.30.
//     With 7264 (ab -> ba) 1.29 / 1.42, with 7200 1.32 / 1.38, with 5376 1.56 / 1.70, but on
//     another one 7 of 5400 to 7300 rows 1.18 / 1, AVX2 1.14 / 1 (ab -> ba 7264x7264 1.61 / 1.22),
//     7 of 2048 to 4096 1 / 0.89, 0.99 (8192x3900 1.42 / 1.09), 18 of fewer 1.00 / 1.01. Not where
//     a block has a single line of each row, which then reads of the source in parts slow down: f32
//     to bf16 ab -> ba 4128x20000 1.31 / 1.63, to u8 4160x20032 2.4 / 3.7.
constexpr int max_written_rows_of_intel = 2048;
constexpr dim_t page_block_src_bytes = 2048;
constexpr dim_t page_block_dst_bytes = 1024;
// Where a block of few rows of the source (read_ahead_rows_of_moves) has one line of each row:
// Skylake, the 57 transposes without such pages, 12 above 1.1 times as long as with 32 rows (f32
// abcdef -> fedcba 32x15x15x15x5x112 1.7 / 4.0); with 2048/1024, 2048/2048, 4096/1024, 2048/4096,
// 1024/2048, 1024/4096 the 19 of most rows 0.92, 0.90, 0.93, 0.90, 0.89, 0.93 of the time.
constexpr dim_t page_block_dst_bytes_of_lines = 2048;

// The same where rows of a line and more are copied: nothing but pages matters then, in the caches
// as well.
//     Time over memcpy without blocks of pages / with 768/2048, 82 copies of 260 to 480 MB 0.81 /
//     0.77 (f32 abcd -> cbad 96x75x96x80, rows of 320 bytes, 1.49 / 0.87), with 2048/1024 0.80,
//     1024/1024 0.79, 512/2500 0.77, 512/512 0.81, 256/2048 0.80, 4096/4096 0.81; limits of 16 to
//     512 rows are the same, 2048 gains half. 143 of 8 to 50 MB 1.053 / 1.038, worst 1.44 / 1.40
//     (abcd -> cbad 12x101x36x48 1.34 / 1.01), AVX2 1.060 / 1.040, SSE4.1 1.053 / 1.041; with
//     512/2048 and 1024/1500 1.043. Rows of 8 to 32 bytes: no difference. All of those were of rows
//     a page apart and more; with 1024 / 2048 / 4096 bytes of the destination, which has all of a
//     row of less then, 140 copies of 2 to 40 MB to rows of 512 to 4000 bytes 1.044 / 1.028 /
//     1.016, worst 1.25 1.20 1.11; 70 of rows further apart 0.975 with 2048, 0.966 with 4096.
constexpr int max_copied_rows_of_intel = 16;
constexpr dim_t page_copied_src_bytes = 768;
constexpr dim_t page_copied_dst_bytes = 4096;

// The same of longer rows in the caches, four pages of which are written in turns; also where the
// source would be read on as it lies. (Past the caches that is so for rows of any length and the
// blocks above: 40 copies of 48 to 300 MB 0.67 / 0.65.) A row counts in whole tiles, so that 257
// bytes are 512 with AVX-512.
//     Without such blocks / with 768/4096, 1024/8192, 1024/16384, 2048/16384: 213 copies of 2 to 40
//     MB 1.035 / 1.037 1.030 1.027 1.025; those of 6000 copies and reorders of frameworks that are
//     changed, 87, 0.997 / 0.942 (s32 bcda -> acbd 1x32x512x128 1.31 / 1.01, u8 abc -> bac
//     28x512x640 1.18 / 1.00), AVX2 0.997 / 0.942, SSE4.1 0.993 / 0.946. All of them / rows of 256,
//     384, 512, 768 bytes and more: 1.005 / 0.996 0.997 0.995 1.003.
constexpr dim_t min_long_copied_row_bytes = 512;
constexpr dim_t page_long_copied_src_bytes = 2048;
constexpr dim_t page_long_copied_dst_bytes = 16384;

// On AMD such rows are copied in the order of the destination, not of the source, where that leads
// to so few rows of the source and to more of the destination the other way.
//     Those of 10200 reorders that it changes on Zen 4, time over memcpy in the order of the source
//     / with up to 4 / 8 / 16 rows: 27 1.101 / 1.064 1.054 1.060 (bf16 abcd -> acbd 1x4x512x512
//     1.20 / 1.02, slower than oneDNN before), AVX2 26 1.099 / 1.056 1.054 1.044, SSE4.1 24 1.164 /
//     1.094 1.091 1.090. With rows of 256 bytes and more the same; of any number of rows, copies of
//     64 bytes and more 1.003 of the time; streamed copies 1.16 to 2.1.
constexpr int max_read_rows_of_amd = 8;

// Rows of the destination count, for both blocks of pages, from so far apart on.
//     The 140 copies from 4096 / 2048 / 1024 / 512 bytes on 1.059 1.034 1.028 1.041, worst 1.52
//     1.29 1.29 1.38; AVX2 1.047 / 1.027 / 1.025, SSE4.1 1.056 / 1.027 / 1.025. 46 streamed
//     reorders of 50 to 415 MB with many rows, from 4096 / 1024 on, 0.831 / 0.815.
constexpr dim_t min_row_stride_bytes = 1024;

// -------------------------------------------------------------------------------------------------
// Blocks that go through a scratch: staged past the caches, collected within

// Staged blocks: bytes of a run that one block drains (half of it of elements of less than 32 bits,
// more of which need more rows of the source), bytes along the source, bytes of a block, and up to
// which length a whole level of the destination joins a run.
//     16 cases of 15 to 75 MB, geometric mean, for run/source/block: 256/512/32K and 128/512/32K
//     1.33 (each better for its elements), 64/512/32K 2.0, 512/512/32K 1.49, 256/256/32K 1.42,
//     256/1024/32K 1.46, 256/512/64K 1.53, 128/2048/64K 1.47. Reads of the next block's source
//     while draining: 0.85, while filling: 1.1, none: 1.5 (a model of it).
constexpr dim_t staged_dst_bytes = 256;
constexpr dim_t staged_src_bytes = 512;
constexpr dim_t staged_block_bytes = 32 << 10;
constexpr dim_t staged_small_block_bytes = 16 << 10; // below, it grows on along the destination
constexpr dim_t max_staged_whole_dst_bytes = 1024;
// Up to this size of a block, if it then has the level whole.
//     Zen 4, vectors of a line, whose tiles have the most rows: the 21 of 11600 reorders that it
//     changes 0.89, of which beyond 1.8 times memcpy 10 and 7 (u8 acdb -> abcd 16x1024x28x28 2.5 /
//     1.6, f16 ABcd32a16b -> abcd 32x256x26x26 2.5 / 1.55). 128 KiB 22 0.90; any block of 64 KiB
//     where the last cache could hold both tensors 47 0.97, AVX2 67 1.06, SSE4.1 71 1.11.
constexpr dim_t max_staged_whole_block_bytes = 64 << 10;

// In place of these on Zen 4 for pieces up to that size that follow each other in both tensors and
// are permuted each by itself (a batch of small matrices): blocks of whole pieces, of which the
// next one is not fetched.
//     32 MiB of L3, 36 batches of matrices of 16 to 3500 bytes and 40 to 80 MB, times over those of
//     the blocks above: 1536 bytes 0.91, 2048 0.86, 3072 0.85, 4096 0.96, 6144 0.93; AVX2 0.83 0.80
//     0.79 0.89 0.87, SSE4.1 0.84 0.81 0.80 0.84 0.84 (f16 abdc -> abcd 32x1024x14x14 on AVX-512
//     1.3 / 0.85 times memcpy). Of 4096 bytes, fetched, 1.05. Without the next one fetched larger
//     matrices, and those of which tiles read rows of more than a line in parts, take 1.2 to 3.6.
//     Stores wait behind those past the caches, and loads from an address of the same last 12 bits
//     wait for them: with the kernel's tables anywhere but at the beginning of the scratch, in the
//     same place of another page, such blocks took 1.5 to 3 times as long, and with a scratch of a
//     page and more they always lie there. 32 KiB took the same wherever it lay.
constexpr dim_t piece_block_bytes_of_zen4 = 3 << 10;

// In place of these on Intel for transposes between rows in pages of their own, if a block then has
// so much of each row of the source: 32 rows, in which the processor itself reads ahead while tiles
// go along them and fetch 256 bytes ahead; drains fetch the beginnings of the next rows alone.
//     A core has 16 buffers for lines on their way, which stores past the caches and fetches of
//     drains share: to fetch took 0.4 of the time of such reorders. 40 matrices of 70 to 820 MB in
//     rows that begin within lines, time over memcpy: 1.55 / 1.41, AVX2 1.57 / 1.44, SSE4.1 1.73 /
//     1.60 (bf16 ab -> ba 2048x65537 2.9 / 1.9, f64 30522x768 2.1 / 1.6, f32 43405x1217 2.6 / 1.9,
//     none more than 1.1, 1.24 and 1.17 of the time). 25 of them 1.45 / 1.29, with 128 bytes
//     fetched ahead 1.31, with 256/1024 bytes of destination and source 1.35; 41 1.62 / 1.46, with
//     512 bytes ahead 1.50, 192/1536 1.48, 64/4096 1.44. Such blocks with other fetches: half of
//     the gain. Wherever rows lie, 96 reorders 1.02 of the time (s32 BcA16a32b2a -> cBa2b
//     509x63x1021 1.5 / 1.8), of rows a page apart in the source alone f16 Abcd8a -> acdb
//     64x84x80x80 0.9 / 1.1. Of rows of the destination of any length / 4096 / 8192 bytes and more
//     those 40 1.547 / 1.459 1.425 1.439 (f64 aBdc32b -> abcd 8x128x140x140 1.4 / 1.7 where they
//     are short).
constexpr dim_t long_rows_dst_bytes = 128;
constexpr dim_t long_rows_src_bytes = 2048;
constexpr dim_t long_rows_block_bytes = 64 << 10;
constexpr dim_t min_long_rows_src_bytes = 1024;
constexpr dim_t min_long_rows_dst_bytes = 4096; // of a chain
constexpr dim_t long_rows_fetched_bytes = 256;

// In place of these where the last cache could hold source and destination together, so that half
// of the reads may still be hits. (A block that ends up smaller grows on to staged_block_bytes.)
//     Time over memcpy, 32 MiB of L3, with the above / with these, 8 cases of 20 to 32 MB:
//     geometric mean 1.60 / 1.41 (f16 ABcd32a16b -> abcd 32x256x26x26 2.0 / 1.6, 64x36x45x45 1.9 /
//     1.4); 256/128/16K 1.42, 128/256/16K 1.47. Of 38 MB and more 0.98 to 2.5 / 1.16 to 2.9.
constexpr dim_t staged_near_dst_bytes = 256;
constexpr dim_t staged_near_src_bytes = 256;
constexpr dim_t staged_near_block_bytes = 16 << 10;

// More along the source, in either case, where tiles move short odd rows (moves_short_rows), of
// which a line or two has few.
//     Zen 4, times over those with 512 and 256 bytes, 3100 transposes that leave 2 to 24 elements
//     together / 14000 other reorders, of which it changes: past what the last cache could hold 170
//     0.935 / 23 0.96, AVX2 182 0.84, beyond the goals 87 and 35 (u8 bac -> abc 1024x1920x7 2.4 /
//     1.7 times memcpy) / 27 0.93, SSE4.1 120 0.89, 88 and 56 / 17 0.98; near 154 0.94 / 15 0.96,
//     AVX2 151 0.925, 59 and 39 / 14 0.95, SSE4.1 121 0.95, 56 and 47 / 9 0.98. With 1024 and 2048
//     bytes, of 130 such, 32 0.91 and 0.86 where 1536 are 0.855; near with 1024 the same as with
//     512. Blocks of 64 KiB 1.04. Of all reorders 1536 is 1.01, single ones 1.2.
constexpr dim_t staged_src_bytes_of_short_rows = 1536;
constexpr dim_t staged_near_src_bytes_of_short_rows = 512;

// Larger ones on AMD.
//     Zen 4, of 11600 reorders, times over those of 16 KiB: 304 0.999, AVX2 300 0.99, SSE4.1 300
//     0.997; 256/512/32K 1.00 1.01 1.00, 256/1024/64K 1.00 1.01 1.02, 256/128/16K 1.00 1.00 1.00,
//     256/128/8K 1.02 1.02 1.01. Beyond the last cache no size pays for its rule there: 1024 along
//     the source 1.00 1.01 1.02, 256 1.00 1.00 1.01, 512 of the destination 1.00 0.99 1.00, 128
//     1.00 1.02 1.01, 16 KiB 1.00 0.99 0.99, 64 KiB 1.00 1.01 1.03.
constexpr dim_t staged_near_block_bytes_of_amd = 32 << 10;

// Rows of whole lines from this length on are stored past the caches, and not through a scratch,
// where the destination begins within a line: but for the line that each shares with the next one,
// which is written in two parts, through the caches.
//     Intel, 57 transposes of f32 and 400 MB to 16 bytes behind a line, time over memcpy, by a
//     scratch / so, rows of 64 bytes 1.18 / 6.1, 128 1.53 / 2.71, 192 1.72 / 1.81, 320 1.25 / 1.27,
//     384 1.73 / 1.52, 448 1.93 / 1.33, 704 1.16 / 1.31, 1.4 to 1.6 KB 1.71 / 1.23, 1.8 to 2.5 KB
//     1.65 / 1.25, more 1.94 / 1.09 (ab -> ba 43408x1216 2.4 / 1.05). 11 of them without asking for
//     these lines before they are stored to 1.61, so 1.44; at the beginning of the block 1.46. The
//     parts of rows in passes of their own: rows below 1.4 KB 1.5 to 5 times as long as to a
//     destination that begins with a line.
//     Conversions of 100 to 340 MB, 23 AVX-512 1.13 / 0.94 (f32 to bf16 ab -> ab 8192x4096 1.09 /
//     0.75), AVX2 1.31 / 1.17 (but to bf16 abc -> bac 64x512x1024 1.26 / 1.90), SSE4.1 12 1.32 /
//     1.30.
constexpr dim_t min_bytes_of_rows_in_lines = 320;

// A level of the destination is not taken whole (max_staged_whole_dst_bytes) by tiles that read
// less than a line, if the block then had less than this of each of the source's rows, and if the
// destination can be cut between lines instead.
//     Of f16 abcd -> ABcd32a16b a block had 1024 bytes of 512 rows of the source, 32 to 64 of each.
//     Time over memcpy, whole / so, the cases of 420 that it changes: AVX2 1.64 / 1.47
//     (32x64x128x128 2.2 / 1.2, 32x256x26x26 2.8 / 1.9), SSE4.1 1.74 / 1.69, AVX-512 0.96 / 0.94.
//     With 64 only the half of it; where rows end within lines up to 2 times as long (bf16 abcd ->
//     acdb with 255 channels); where tiles read whole lines s8 acbd -> abdc 8x32x512x128 1.8 / 2.5.
//     By the distance of the rows, not whole beyond 64 KiB: bf16 adbc -> abcd 16x64x112x112 1.3 /
//     3.3. Smaller blocks count as ones of staged_block_bytes: Zen 4, times over those of
//     their own bytes, then 24 KiB, 50 reorders on AVX2 1.007, 51 on SSE4.1 0.961 (bf16
//     abcde -> ABcde16a16b 2x32x24x37x37 2.0 / 1.15 times memcpy); as ones of 64 KiB 1.02 and 0.99.
//     Steps of padding do not count: 6 on AVX2 0.74, 5 on SSE4.1 0.71 (u8 abcd -> ABcd32a16b
//     2x84x80x80, whose 2 are padded to 32, 1.8 / 1.2, s8 4x128x104x104 1.8 / 0.9).
constexpr dim_t min_staged_src_bytes = 128;

// Levels of a block in a scratch of which no more than a fourth is read, the rest padding, come
// innermost, as those of which one step is: outside of others they fill lines of the scratch, which
// may be many in a set of L1, in as many passes.
//     Time over memcpy, without / so, those of 10200 reorders that it changes, on Zen 3: SSE4.1 20
//     0.959 / 0.821, beyond the goals 2 and 0 (bf16 abcd -> ABcd16a16b 4x96x56x56 4.7 / 1.4), AVX2
//     9 0.602 / 0.537, none more than 1.07 of the time. With a half 55 0.900 / 0.842 and 26 0.690 /
//     0.665, but up to 2.6 times as long, with an eighth 6 and 4. Vectors of a line were not
//     measured.
constexpr dim_t min_steps_per_read_in_scratch = 4;
// The same of levels around blocks that are stored into the caches where they belong: outside of
// others they lead through the whole destination for zeros, which each time are a part of its rows.
//     Time over memcpy, none / of which no more than a half is read, those of 4474 reorders with
//     padding, 0.3 to 150 MB, that it changes, on Cascade Lake: 40 0.90 of the time, AVX2 39 0.82,
//     SSE4.1 48 0.86 (bf16 abcd -> ABcd32a32b 8x728x20x20 1.9 / 1.4); no more than a fourth 11
//     0.85, 10 0.81, 14 0.82.
constexpr dim_t min_steps_per_read_in_place = 2;

// Staged blocks that have less of the source's rows than they should take more of them, until the
// scratch has so many bytes, or a share of L2 that leaves room for what is read and written: what
// is in L2 is near enough, and rows read in parts of 50 to 200 bytes are not.
//     Intel, 2 MiB of L2, 70 permutations and reorders of frameworks of 50 to 380 MB, time over
//     memcpy, without / 64 / 96 / 128 / 160 KiB: 1.071 / 1.032 / 1.048 / 1.046 / 1.063, worst 2.2
//     1.9 1.8 1.7 1.8 (u8 abcd -> bdca 300x128x75x12 2.2 / 1.1, abcd -> dbac 200x48x96x200 1.6 /
//     1.2); AVX2, 67, 1.06 / 1.00, SSE4.1 1.11 / 1.12. Larger for all, whatever they have of the
//     source: frameworks' 0.84 / 0.86. Up to 1024 of the source: the same. More of the destination
//     as well: the same. Zen 4, 1 MiB of L2, with 128 KiB in place of a twelfth the same; with
//     none 98 0.97, AVX2 110 0.98, SSE4.1 102 1.01, beyond 1.8 3 and 4 more.
constexpr size_t max_l2_scratch_bytes = 128 << 10;
constexpr size_t l2_scratch_divisor = 12;
// On Zen 1, for a whole line of each row of the source, or two where these begin within lines and
// lie in different pages, in a quarter of its L2: each visit of a row takes its page from the TLB
// again, and half of a line is gone before the other one is read.
//     Time over memcpy, 43 KiB (a twelfth) / 64 KiB / so, those of 5900 reorders that it changes:
//     AVX2 42 1.28 / - / 1.14, beyond 1.8 5 and 3, SSE4.1 40 1.38 / - / 1.20, 6 and 2 (f32 ab -> ba
//     1000x2048 5.2 / - / 2.6, bf16 ba -> ab 257x20356 1.8 / - / 1.1); plain transposes of 300 to
//     4400 elements of 20 and 36 MB 48 1.36 / 1.21 / 1.10, 47 1.31 / 1.18 / 1.06 (f32 1000x2521 5.1
//     / 3.4 / 2.2). Two lines of any rows 1.10 of the time of one, four lines 1.05; more
//     of rows that have their lines already, 64 KiB 211 0.986, 96 KiB 738 1.00 (f32 abcd -> acdb
//     2x96x256x256 1.4 / 2.0 / -).
constexpr size_t l2_scratch_bytes_for_lines_of_zen1 = 128 << 10;

// On AMD all of a row of the destination up to so many bytes, more than max_staged_whole_dst_bytes,
// if the block then has no more than so many rows of the source. Zen 1 has not all of the pages of
// more in its TLB when the next part of each is read.
//     Zen 4, of 11600 reorders, times over none: 83 0.994, AVX2 63 0.97, SSE4.1 62 0.98, up to 4096
//     bytes 142 1.01, 109 1.005, 103 1.01 (f16 ABcd32a16b -> abcd 32x256x26x26 2.0 / 1.6 times
//     memcpy). Zen 1, time over none, 2048 / 4096 / 8192 bytes: AVX2 102 0.93, 49 more 0.895, 80
//     0.90; SSE4.1 99 0.96, 55 0.93, 68 0.93. Time over memcpy, up to 1024 / 768 / 512 rows, with
//     l2_scratch_bytes_for_lines: of 60 transposes of f32 1000x1282 to 1000x5136, AVX2 1.38 / 1.31
//     / 1.31, beyond 1.8 7, 0 and 0, SSE4.1 1.30 / 1.19 / 1.19; of 48 others of 300 to 4400
//     elements 1.09 / 1.12 / 1.27 and 1.06 / 1.11 / 1.22.
constexpr dim_t staged_whole_dst_bytes_of_amd = 2048;
constexpr dim_t staged_whole_dst_bytes_of_zen1 = 4096;
constexpr dim_t max_staged_whole_rows = 768;

// A scratch of whole vectors (lane_drain.hpp) is taken wherever blocks are collected and it can be;
// and for transposes of lines from so many bytes and rows in one set of L1 on: of each side, pairs
// of both, and fewer pairs by vectors below a line, but of bytes. Where tiles have whole lines of
// both sides, only if the source's rows evict each other.
//     Zen 4, times over those of rows, of 20000 reorders of up to 64 MB: AVX-512 86 below 16 MiB
//     0.83, beyond the goals 9 and 1 (u8 cdab -> abdc 1x32x512x128 3.4 / 2.0, bf16 ba -> ab
//     2048x1024 2.8 / 1.7 times memcpy), AVX2 161 0.88, 15 and 8 (bf16 ba -> ab 768x3072 2.5 / 1.7,
//     cdba -> aCdb64c 2x16x128x64 3.6 / 2.0, but f16 ABc16b16a4b -> bac 4x128x768 1.3 / 1.8). By
//     pairs, bytes on AVX-512, 8 and 8 / 16 and 4 / 8 and 16 / 16 and 8 rows 1.00 0.94 0.83 0.81,
//     fewer 1.2 to 1.4; bf16 on AVX2 4 and 4 / 8 and 4 / 8 and 8 / 2 and 16 1.01 0.96 0.86 0.74, 4
//     and 2 1.05, 1 and any 1.07 to 1.2; bytes there 4 and 16 / 8 and 8 1.02, 1.13. Of f32 on
//     AVX-512, whose tiles have whole lines, 16 and 8 0.93, 8 and 16 1.07. Below 1 MiB 3 of 20 1.0
//     to 1.5. Rows of 32 bytes, two vectors, only where tiles go on behind them: AVX2 5 0.80 (s8
//     bcda -> acdb 8x32x112x112 5.6 / 2.0), of others 8 1.05. With one step between the rows of
//     each side alone the 24 on AVX2 that this leaves take 1.18 times as long. Not measured on Zen
//     3 and Zen 5. Of u8 2048x2048 transposed, 250 us, a profile has 36 % in the copies that
//     drain, 20 % in loads, 35 % in shuffles and stores of 16 bytes; a tile alone, from L1 to L1,
//     takes 1.85 ns a line, of whole vectors 1.2, and lanes that are exchanged as they are drained
//     0.6, as a copy does. Drained in turns with tiles, or the destination's lines asked for
//     before: no gain. Tiles fetch what the next block reads: while draining 1.1 times as long
//     within the caches. (Of scratches of rows as well where L2 has room for two blocks: 13 on
//     AVX-512 0.91, 19 on AVX2 0.95; where it has not 1.1.)
constexpr dim_t min_moved_bytes_in_lanes = 1 << 20;
// On Intel only beyond L2 (2 MiB), and with vectors of a line only of elements up to so many bytes:
// tiles of wider ones have whole lines on both sides.
//     In lanes over in rows, 1 to 2.2 MB: bytes and bf16 16 1.14, AVX2 24 of all types 1.17; above,
//     1 and 2 bytes 66 0.94, AVX2 146 0.98; f32 and s32 of 2 to 38 MB 12 1.27 (ab -> ba 1024x4096
//     1.37 times memcpy, in rows 1.01), AVX2 48 1.05.
constexpr dim_t min_moved_bytes_in_lanes_of_intel = 3 << 20;
constexpr int max_elem_bytes_in_lanes_of_intel_64_bytes = 2;
constexpr int min_rows_in_lanes = 2;
constexpr int min_row_pairs_in_lanes = 128;
constexpr int min_row_pairs_in_lanes_of_32_bytes = 32;
// The same past the caches, for destinations that begin with a line; there lanes are inserted as
// they are read, so that rows are written one behind the other. Where the last cache cannot hold
// both tensors, by vectors of a line of elements of so many bytes alone.
//     Times over those of rows: bytes on AVX-512 16 0.88 (u8 ba -> ab 4096x4096 1.9 / 1.6, bac ->
//     acb 4x512x4096 2.7 / 2.2), bf16 there to 32 MiB 4 0.93, beyond 12 1.17; AVX2 to 32 MiB bytes
//     11 0.96, bf16 21 0.92, f32 19 0.93, beyond 18, 7 and 16 1.00, 1.10, 0.97. Rows of blocks that
//     are not chained, of which the next one is not fetched: s8 abdc -> cdba 16x32x512x128 1.2, so
//     0.83. Four rows at once by exchanged lanes 0.8 to 1.2.
constexpr int max_elem_bytes_in_lanes_past_l3 = 1;

// Not what L1 holds as a whole, whose rows may share sets, but push nothing out: u8 ba -> ab 28x5
// took 5 times as long with AVX2, 7 times with SSE4.1.
constexpr dim_t min_collected_bytes = 32 << 10;
// Collected blocks: bytes of each run of the destination.
//     Time over memcpy, plain / collected with 128, 256, 512 bytes, data in L3: u8 1024x1024
//     transposed 3.2 / 2.5 2.3 2.5, 2048x2048 5.3 / 2.8 2.6 2.8, bf16 1024x1024 2.8 / 2.3 2.4 2.3;
//     with 256-bit vectors 2048x2048 10.3 / 3.4. Intel, elements of 1 and 2 bytes, 128 over 256
//     where runs are longer in the end, else plain 130 0.99, AVX2 167 1.00 (u8 abcd -> acdb
//     32x1024x14x14 1.7 / 1.3 times memcpy, abdc -> cdab 1x32x512x128 1.9 / 7.5); runs of 128 as
//     well 132 1.02, 169 1.04, 192 122 1.29, 157 1.20.
constexpr dim_t collected_dst_bytes = 256;
// Fewer where a block has part of longer rows, 192 of 384, and in tensors without padding: 208 of
// rows of 52 each.
//     Zen 4: u8 cdab -> abdc 16x12x384x64 23 / 4.9 times memcpy, AVX2 21.7 / 6.4; no other of
//     11600. Without padding, with 256 / 128, of 3300 transposes of odd dims and powers of two
//     (bench/make_cases.py --max-mib 16 --kind=transpose -n 2500 --seed 74002 and --kind=collide -n
//     800 --seed 74001 --types=f32,bf16,s8,f64): 41 8.5 / 3.5, AVX2 44 7.8 / 3.7, SSE4.1 66 8.4 /
//     4.0; with 64 as with 128. 62000 others: 3 0.45 of the time (u8 acbd -> adbc 1x21x65x65 9.7 /
//     4.3), AVX2 1, SSE4.1 2 (s8 abdc -> cdba 16x12x384x64 0.35); padded ones 2 1.1, AVX2 4 2.3,
//     SSE4.1 4 1.2 times as long.
constexpr dim_t min_collected_run_bytes = 128;
// So many times the block where its runs would be shorter than collected_dst_bytes.
//     Zen 4, of the 3300 above: 24 0.83 of the time, AVX2 27 0.85, SSE4.1 32 0.88 (s8 abcd -> dcba
//     33x16x512x10 30 / 7 times memcpy); 3, 4 and 8 times as large the same. None of 62000 others.
constexpr dim_t growth_of_short_collected_runs = 2;
// Elements from so many bytes on in vectors of half a line where one of a line is executed as two,
// of which tiles read half as many rows of one set of L1.
//     Zen 4, times over those in whole vectors, of the 3300 above: 48 of 4 bytes 0.84, 140 of two
//     0.94; of 3350 others such 57 0.79, 118 0.88, 113 of one 1.01; of 62000 others one of 4 bytes
//     0.68 and one 0.99, 21 of two 0.99, 26 of one 1.0.
constexpr int min_collected_in_halves_elem_bytes = 2;
// On Zen 4 and 5 more of each; on Zen 5 in larger blocks (in place of staged_block_bytes), and
// nothing is fetched.
//     Zen 4, 512 bytes over 256, of 13000 reorders, below 1 MiB 19 0.88, 4 MiB 119 0.89, above 338
//     0.91, beyond the goals 153 and 112; AVX2 121 0.86, 213 0.92, 526 0.93, 233 and 193; SSE4.1 87
//     0.95, 201 0.96, 487 0.98, 374 and 353; 242 conversions and padded ones 0.93, AVX2 330 0.96,
//     SSE4.1 336 0.97; beside a core that copies all the time the same. In 64 and 128 KiB 559 0.915
//     and 574 0.91, AVX2 965 0.93; with 768 and 1024 bytes 0.94 to 1.04; 256 bytes of 4 lines of
//     each row 702 0.94, AVX2 1043 1.00, 512 of 4 1144 0.96.
//     Zen 5, those of 10000 reorders of up to 16 MiB that are collected: 134 with 256 bytes in 32
//     KiB / 512 in 32 / 512 in 64 2.41 / 2.10 / 2.08, beyond the goals 18, 8 and 2; 1024 in 32, 64
//     and 96 2.18, 2.22 and 2.22. With / without fetches beyond L2 2.29 / 2.05 (u8 ba -> ab
//     1000x2048 3.4 / 2.4), AVX2 158 2.69 / 2.46. Lines of a row in a block, 1 / 2 / 4: 2.13 / 2.05
//     / 2.13, AVX2 2.37 / 2.40 with 1 / 2, SSE4.1 133 2.90 / 2.77 with 2 / 4, beyond 53 and 37.
constexpr dim_t collected_dst_bytes_of_zen4_and_zen5 = 512;
constexpr dim_t collected_block_bytes_of_zen5 = 64 << 10;
constexpr int collected_paired_lines_of_zen5_16_bytes = 4;
// Smaller blocks on Skylake with AVX-512, for an L1 of 32 KiB.
//     In 16 KiB over in 32: 24 of 10900 0.89, 13 faster and 1 slower; AVX2 29 0.98, conversions 6
//     1.17; SSE4.1 18 0.98, 8 faster and 5 slower.
constexpr dim_t collected_block_bytes_of_skylake = 16 << 10;
// On Zen 3 nothing is fetched below so many moved bytes, whose source is in L3.
//     Times without fetches over those with them, AVX2, 18 reorders of up to 2.2 MB 0.93, 21 of 3.5
//     to 4.5 0.92, 28 of 8.2 to 12 1.06; SSE4.1 0.95, 1.03, 1.29.
constexpr dim_t min_fetched_collected_bytes_of_zen3_32_bytes = 6 << 20;

// Runs below this are not worth staging (the scratch holds 1280 of a line), nor are those below
// collected_dst_bytes worth collecting, single lines of padded blocks and rows that end before, but
// see min_collected_run_bytes.
//     Time over memcpy with 64 / 256 the 3 of 3900 reorders that it changes 2.5 / 1.6 (f16 acbd ->
//     adbc 8x128x104x104, 208 bytes, 2.1 / 1.5), 8 on AVX2 2.6 / 1.6 (f32 acdb -> Abcd32a
//     16x96x56x56 2.9 / 1.6), 5 on SSE4.1 2.1 / 1.7; with 128 as with 64 or as with 256. Rows of
//     288 to 576 bytes, which make two blocks or three, 14 transposes 2.3 / 1.6, 20 on AVX2 2.1 /
//     1.7, 20 on SSE4.1 2.0 / 1.95 (u8 2.2 / 2.7); all of such a row in a block of 64 KiB instead
//     1.8, 1.65, 1.7.
constexpr dim_t min_drained_run_bytes = 64;

// A chain: blocks continue the runs of others, of two lines and more. What is kept back of a line
// is less then than what comes next.
//     Runs of 98 and 112 bytes were drained in parts of lines, 12 reorders of 64 to 220 MB 1.94 /
//     1.12 times memcpy with two of them (s8 abcd -> aBdc48b 16x4x512x512 3.9 / 1.1, bf16 cdba ->
//     abcd 1024x1024x7x7 3.1 / 1.2), AVX2 1.67 / 1.09, SSE4.1 1.90 / 1.13.
constexpr dim_t min_chain_run_bytes = 2 * line_bytes;

// Blocks with runs of so many bytes and more go in the order of the source, unchained, where a
// chain leads through more pages of the source than max_chained_pages: the processor knows 1536 to
// 3072 pages at a time, and two lines in part are little to that many.
//     Time over memcpy, always chained / so, 43 permutations of 70 to 460 MB 0.859 / 0.824 (bf16
//     abcd -> cbda 48x75x96x100 1.18 / 0.79); from 512 and 2048 pages on 0.86 and 0.84, from 2048
//     bytes of a run on 0.85; wherever runs are so long, 46, 0.822 / 0.848 (bf16 abcd -> cbad
//     200x75x96x80 1.23 / 1.94).
constexpr dim_t min_unchained_run_bytes = 4096;
constexpr dim_t max_chained_pages = 1024;

// On Zen 3 shorter ones too, of fewer pages, if they are whole lines, of which a chain keeps
// nothing back, and the last cache could not hold both tensors.
//     Times over those of chains, 217 reorders of 32 to 64 MB / 42 transposes of 400 MB, from 192
//     bytes on and beyond 256 pages 0.960 / 0.918 (f32 fedcba 32x15x15x15x15x32 0.73, but
//     abcd -> dcba 608x75x12x96 1.17), 64 pages 0.956 / 0.918, from 256 bytes on 0.962 / 0.941,
//     128 0.967 / 0.918; SSE4.1 220 0.994 / 0.899, from 128 on 1.008 / 0.898. Of runs that end
//     within lines 1.00 to 1.04; where the last cache could hold both 1.01 and 1.05.
constexpr dim_t min_unchained_lines_bytes_of_zen3 = 192;
constexpr dim_t max_chained_pages_of_lines = 256;

// Threads that share a chain of drains cut it where so much has been written, in all and of each
// run: lines are completed within a call, so a cut costs two of each run in part.
constexpr dim_t min_chain_part_bytes = 256 << 10;
// With 256 KiB alone, and so 512 bytes to 2 KiB of each run, 16 threads' shares of 25 MB transposes
// took 1.4 times the work of one (8 threads' 1.3, 2 threads' 1.1).
constexpr dim_t min_chain_part_run_bytes = 4 << 10;

// Rows of the scratch are no multiple of this apart: of a quarter of L1's sets no more rows than
// its ways stay until they are whole.
//     Time over memcpy, u8 abcd -> dcba 75x96x101x128, runs of 150 bytes, 256 apart / 320: 1.86 /
//     1.75, AVX2 2.95 / 1.92, SSE4.1 3.5 / 2.0; 80 others of 1 to 270 MB 1.516 / 1.474, AVX2 1.63 /
//     1.58. No multiple of 128: 1.49, AVX2 1.61.
constexpr dim_t colliding_scratch_bytes = 256;

// Tiles that store where it belongs fetch nothing of a source whose lines are read in their order,
// with gaps between what is read in them, where this share of the last cache holds it all.
//     Times without fetching over with it, those of 10200 reorders that it changes on Zen 4 with 32
//     MiB of L3: below 16 MB 152 0.931, AVX2 107 0.901, SSE4.1 82 0.902 (u8 AB8b24a -> AB16b32a2b
//     1000x2048 1.54 / 1.10 times memcpy, f32 Abcd4a -> acdb 1x1x572x572 on AVX2 1.29 / 0.97); by
//     size, without regard to the order within blocks, to 2 MB 0.95, 4 MB 0.97, 8 MB 0.97, 14 MB
//     0.98, 16 MB 1.0 to 1.1, 30 MB 1.03 and beyond 1.10, AVX2 0.92 0.94 0.93 0.95 1.1 1.1 1.2,
//     SSE4.1 0.88 0.89 0.90 0.88 0.95 1.05 1.16 (from memory s8 aBdec16b -> acdeb 8x3x16x112x112
//     1.2 / 2.8). Gaps of up to one or four lines: the same.
constexpr double max_read_on_share_of_cache = 0.4;
// Nor of one that tiles read in pieces of up to 16 bytes, line by line, where this share of the
// last cache holds source and destination: each tile that reads a line would fetch it once more,
// for nothing where the processor has it in time by itself. It has not from memory.
//     Times with fetches over those without on Zen 4 with 32 MiB of L3, by size to 2 MB / 4 / 8 /
//     13 / 16 / 24 / 32 / 64: elements of 1 byte, some 700 of 20000 reorders, 1.07 1.05 1.04 1.02
//     0.99 1.02 0.96 0.89; with AVX2 of 1 byte 1.08 1.06 1.06 1.04 0.96 0.99 1.00 0.95, of 2 1.08
//     1.05 1.05 1.02 1.00 1.00 0.97 0.93; SSE4.1, all 2307, 1.04 1.02 1.02 0.97 0.97 0.99 0.97 0.89
//     (s8 aCdb8c -> acbd 16x32x512x128 1.8 / 0.7 times memcpy). Each line once, by the tiles that
//     read one in turns a part each: up to 13 MB 0.99, AVX2 1.04, SSE4.1 1.01 of the time without;
//     beyond 32 MB 0.92 0.96 0.90, and asked for by two of them 0.90 0.98 0.94: the processor drops
//     some. All at the first of them: 1.1 of the time of a part each.
constexpr double min_refetched_share_of_cache = 0.75;
// On Zen 1 (8 MiB of L3) from less on, by tiles that do not bypass the caches.
//     Times over those with 0.75, of 13600 reorders that it changes, with 0.36 / 0.42 / 0.45 / 0.5:
//     AVX2 406 0.982, 264 0.963, 230 0.976, 132 0.935 (u8 acdb -> adbc 4x84x80x80 3.0 / 1.8, but s8
//     abcd -> aBdc32b 1x128x140x140 2.6 / 3.3), SSE4.1 426 0.975, 282 0.957, 248 0.958, 146 0.937.
//     By size, to 3.2 MB / 3.5 / 3.75 / 4 / 4.25 / 4.75 / 5: 1.05 1.01 1.01 0.89 0.99 0.92 0.94.
//     Streamed ones, from 5 MB on, 1.06 to 6 MB. Where rows that tiles read share sets of L1 16
//     0.949 and 20 0.882, elsewhere 214 0.973 and 228 0.960.
constexpr double min_refetched_share_of_cache_of_zen1 = 0.45;

// Tiles that store past the caches fetch a source that they read in the order of its addresses so
// far ahead: in rows the beginnings of its pages, since the core reads ahead within a page of 4 KiB
// and begins each anew; else whole blocks. (What is not streamed: 300 reorders in order of 4 to 30
// MB took 1.02 of the time with blocks fetched 2 to 8 KiB ahead.)
//     Intel, time over memcpy, nothing fetched / 8192 / 12288 ahead, 12 copies and conversions of
//     130 to 420 MB 0.91 / 0.81 / 0.79 (f32 to bf16 ab -> ab 8192x4096 1.10 / 0.83), AVX2 1.03 /
//     0.93 / 0.91, SSE4.1 1.17 / 1.04 / 1.04; that begin 1472 bytes into a page 0.90 / 0.83 / 0.81,
//     1.03 / 0.94 / 0.92, 1.21 / 1.08 / 1.06. 16 lines of a page 0.79 0.92 1.06, 32 0.81 0.96 1.11.
//     Every line 8 KiB ahead, 4 of these reorders 0.87 / 0.78 with beginnings of pages; where they
//     are counted from the block, not the page's own, 0.87 / 0.90 if these are half a page apart.
//     Whole blocks of more than a row 4096 / 8192 ahead, 10 reorders 0.77 / 0.75 / 0.76, AVX2 18
//     0.81 / 0.78 / 0.78.
constexpr dim_t fetched_stream_bytes_of_intel = 8192;
constexpr int fetched_lines_of_page = 8;

// Nor on AMD's cores, up to this share of the last cache, by tiles that store to fewer lines than
// these: what little they ask for at once the processor has in time, and brings more by itself.
//     Zen 4, 32 MiB of L3, times over those with all fetched, of the reorders of 1 to 16 MB that
//     this changes: 1715 on AVX-512 0.987, AVX2 2285 0.973, SSE4.1 1076 0.953, beyond the goals 3
//     20 27 / 3 19 24; with 4 lines 0.993 0.979 0.956, with 16 0.988 0.982 0.951; with a share of
//     0.3 0.987 0.975 0.957, of 0.5 0.988 0.974 0.955. Whatever tiles store to, by size, to 3 MB /
//     6 / 10 / 13 / 16: from 8 lines on 1.00 1.01 1.03 1.05 1.10, AVX2 1.00 1.02 1.07 1.10 1.16, of
//     fewer 0.96 0.98 0.98 1.00 1.04, AVX2 0.95 0.95 0.95 0.98 1.02, SSE4.1 0.95 0.94 0.95 0.97
//     1.02. Of 5000 conversions 308 0.963, AVX2 599 1.002, SSE4.1 517 1.009.
constexpr double unfetched_share_of_cache_of_amd = 0.4;
constexpr int min_lines_to_fetch_near = 8;
// On Zen 1 (8 MiB of L3) less.
//     Time over memcpy with 0 / 0.3 / 0.4 / 0.6, AVX2 383 1.24 / - / 1.20 / -, from 3 MB on
//     139 1.20 / 1.19 / 1.24 / 1.28, SSE4.1 1 to 16 MB 134 1.18 / 1.16 / 1.15 / 1.18, below
//     104 1.38 / 1.33.
constexpr double unfetched_share_of_cache_of_zen1 = 0.3;
// Nor on Skylake, but for conversions and where the source spans more.
//     36 MiB of L3 of which others use much, times with 0.1 / 0.2 / 0.3 over those with all
//     fetched: 569 of 10900 0.967, 925 0.975 (66 faster and 21 slower), 1155 0.979; AVX2 734
//     0.973, 1185 0.977, 1462 0.984; SSE4.1, of 5000, with 0.2 374 0.978. Those that span more 87
//     1.14, AVX2 94 1.01 (bf16 ABcd32a16b -> aBcd16b 1x255x52x52 0.09 / 0.27 times memcpy).
//     Conversions with 0.2 236 0.985, AVX2 380 1.035.
constexpr double unfetched_share_of_cache_of_skylake = 0.2;

// Where the last cache does not hold this share of source and destination, each line is asked for
// twice on Zen 4: the core drops some of what it is asked for. Streaming tiles of vectors of 64
// bytes fetch what the tile behind the one in the next block reads as well; tiles that fill a
// scratch what its drain fetches, if no more lines of a block share a set of L2, so that it holds
// those of two. Loads took 60% of the time of f32 acdb -> abcd 32x1024x13x13.
//     Zen 4, 32 MiB of L3, AVX-512, times over those without, 1738 reorders from 24 MB 0.975,
//     beyond the goals 8 / 3, 526 conversions 0.965. Streaming tiles of 8 registers and more by
//     size from 24 MB / 32 / 40 / 48 / 56: 0.995 0.980 0.947 0.954 0.89, of fewer 0.99, smaller
//     reorders 1.00 to 1.05; AVX2, all 796, 1.006, SSE4.1 779 1.036. 317 staged ones from 24 MB /
//     28 / 32 / 36 / 44 / 48 / 52: 0.98 0.95 0.93 0.89 0.87 0.84 0.81 (bf16 bac -> Bca24b
//     4x512x4096 1.8 / 1.1 times memcpy), from 16 MB 1.03; by tiles alone 1.01; by lines in a set,
//     1 / 2 / 3 / 4 / 5 to 7 / 8 / more: 0.90 0.88 0.89 0.90 0.93 1.00 0.99; in lanes 14 1.03.
//     Staged with AVX2, 552 from 28 MB / 32 / 40 / 48: 1.03 0.99 0.965 0.94 (f16 ABcd32a16b -> dabc
//     32x32x112x112 1.9 / 0.9), SSE4.1 585 1.037.
constexpr double fetched_twice_share_of_cache_of_zen4 = 0.75;
constexpr double fetched_twice_share_of_cache_of_zen4_32_bytes = 1.1;
constexpr int max_lines_in_l2_set_of_two = 4;
constexpr int l2_ways = 8; // of AMD's cores

// Source lines that a drain fetches for the next block, to L2. 32 KiB are 512, and more where they
// are used in part; of elements of 4 bytes from all over the source 8192, which is still worth it
// (f32 BcA64b2a -> bac with / without: 1.7 / 2.1 times memcpy), but the list may grow to 128 KiB
// where they are at no equal steps.
//     To L1, where tiles read whole lines of blocks that stay in the caches: Intel, 11 of 12500
//     reorders 1.02 times as long.
constexpr int max_fetched_lines = 8192;

// Scratch that an execution keeps on the stack of each thread: a block, with a line before each of
// its runs. Most fit the smaller size; some that L2 is to hold, or whose rows would collide, do
// not.
constexpr dim_t usual_scratch_bytes = 64 << 10;
constexpr dim_t max_scratch_bytes = 160 << 10;

// -------------------------------------------------------------------------------------------------
// Calls of kernels, and their code

// Bytes, on the side where they are more, that one call of a kernel should move: enough to hide the
// call and the driver's arithmetic (a few ns), small enough to share a tensor of 1 MiB among
// several threads.
//     Tried: calls from 16 KiB on where a level that steps of an outer one cut short is a kernel's
//     outermost one then, so that there is less code. 421 of 11600 reorders took 0.91 of the time
//     to make (36 / 39 us), but 1.027 of the time to execute, AVX2 422 1.033, SSE4.1 411 1.034.
constexpr dim_t kernel_call_bytes = 64 << 10;

// Operations of a register's load and store, and of a loop, which count to max_kernel_ops.
constexpr size_t ops_of_load_and_store = 2;
constexpr size_t ops_of_loop = 4;

// Loops of the driver whose blocks do not nest go inside of others where so much is left for a
// call.
//     Time over memcpy, outermost / with 1, 2, 4, 8, 16, 32 KiB, reorders that have such: 91 0.90 /
//     0.91 0.91 0.81 0.792 0.794 0.80, 142 on AVX2 1.09 / 1.12 1.10 1.01 0.993 0.996 1.00, 179 on
//     SSE4.1 1.28 / 1.27 1.26 1.19 1.18 1.19 1.18; the 47, 54 and 62 of these that it changes 0.96
//     / 0.77, 1.14 / 0.91, 1.26 / 1.01 (s8 ABcd40a16b -> ABcd32a32b 320x320x14x18 1.3 / 0.75, f32
//     aCB16b64c2b -> aCB24c8b 8x1500x512 on AVX2 2.4 / 1.2). Around blocks of a scratch: no
//     difference. Streamed, where a call ends with a fence, with 8, 4, 2 KiB 24 0.70 0.76 1.11,
//     AVX2 0.84 0.95 1.56, SSE4.1 0.90 0.99 1.52; others 20 0.84 0.81 0.82 (f64 abDC16d4c ->
//     abDC12d8c 8x16x128x128 2.1 1.0 1.05), 28 on AVX2 1.00 0.97 0.97, 33 on SSE4.1 1.12 1.13 1.12.
constexpr dim_t min_sunk_call_bytes = 8 << 10;

// Such a loop keeps a table of its steps, 16 bytes each, for each combination of segments outside
// of it, and tails there multiply jobs and kernels: without these limits a pair of 7 dimensions had
// 66 MB of tables, and others of 7 and more with tails in all too many jobs for generated code.
constexpr dim_t max_sunk_steps = 1024;
constexpr size_t max_sunk_segments = 8;

// Limits of generated code. Dimensions with tails multiply the variants of a tile; beyond these
// (from about 9 dimensions with tails in blocks on) the portable path serves.
constexpr size_t max_kernel_ops = 40000; // about 300 KiB of code
// Where runs are joined, the phases of which tails multiply: beyond these they stay apart. Others
// of such have up to 1750.
//     s8 bcad -> acdb 16x255x13x13, 13 phases in two lengths, took 380 us to make and 2.47 times
//     memcpy, apart 36 us and 2.37 (AVX2 2.50 / 2.24, SSE4.1 2.7 / 2.9). Of blocks that do not nest
//     none has too many: 37 with more than 2200 operations 1.29, without phases 2.51 (f32 BA12b24a
//     -> AB32a16b 480x512 1.0 / 2.4), AVX2 10 1.23 / 1.92, SSE4.1 15 1.24 / 2.20.
constexpr size_t max_joined_ops = 2200;
constexpr size_t max_jobs = 512;

// Steps of the innermost level, and operations of all of them, that become one block where stores
// of one step may then reach into what the next ones store (7 x 7 bytes, of which 7 are together).
//     Time over memcpy, apart / up to 4, 8, 16 steps, the 637 of 19000 reorders on AVX2 that it
//     changes 2.95 / 2.64 2.57 2.58 (bf16 acdb -> dcab 32x3x299x299 1.8 / 1.1, s8 ABcd8a4b -> acdb
//     16x7x3x3 11.7 / 7.2), 331 on SSE4.1 3.56 / 3.20 3.09 3.10, 293 of up to 128 KiB on AVX-512
//     2.78 / 2.62 2.58; with 200 and 1000 operations 2.60, 2.58; 3.14, 3.10. To make these took
//     0.91, 1.4 and 1.25 times as long.
constexpr dim_t max_merged_steps = 8;
constexpr size_t max_merged_ops = 400;
// Tails in many dimensions make many such blocks, of which none is needed.
constexpr size_t max_merged_ops_of_kernel = 4000;
// With 16 registers tiles are small, and a loop around one is a tenth of its operations: up to so
// many in all steps, these become one block wherever stores reach.
//     Time over that with loops, SSE4.1, 1500 reorders, by size below 64 KiB, 1 MiB, 16 MiB, above:
//     0.949 0.973 0.978 0.985, with 200 operations and part of the steps where these are more than
//     8 0.944 0.968 0.977 0.995; AVX2 0.96 to 0.975, 0.997, 0.997, 0.997; with 32 registers 1.000.
//     To make these took 1.04 times as long, with 200 operations 1.10, 400 1.14, AVX2 1.02, 1.03,
//     1.07.
//     With 32 registers such as are little more than their loop, copies of rows in part: Zen 4, of
//     11600 reorders the 862 of up to 8 operations 0.986 (of bytes in blocks of 24 to and from nhwc
//     0.68 to 0.80), 2447 of 16 0.993, 3856 of 32 0.995, 5705 of 100 0.997.
constexpr size_t max_unrolled_ops = 100, max_unrolled_ops_of_32_regs = 8;

// Where there are masks stores of short rows still reach into the next rows (ir/widen), of up to so
// many bytes of a vector, where no more than so many are moved in all.
//     Time over memcpy without / with 48, 54, 64 bytes, 334 reorders of up to 128 KiB: 3.33 / 3.14
//     3.15 3.18 (f32 acdb -> abcd 64x3x3x3 36 bytes a row); 246 of 128 KiB to 1 MiB 1.01 times as
//     long, of 1 to 16 MiB 1.02, where lines are claimed.
constexpr int max_widened_mask_bytes = 48;
constexpr dim_t max_moved_bytes_of_widened_masks = 128 << 10;

// Schedules that are kept, whatever reorder they are for.
//     A search took 3.4 of the 38 us that a reorder then took to be made, and the same few come
//     again: those of 283 reorders of frameworks are 36 on AVX-512, 24 on AVX2, 16 on SSE4.1.
constexpr int n_kept_searches = 256;
// States that most searches do not go beyond: then patterns are solved, which takes as long as an
// easy search and makes a hard one short.
constexpr int n_easy_states = 32;

// -------------------------------------------------------------------------------------------------
// Execution: threads, parameters, sums

// Bytes (source + destination, and what else is in the source's lines) that pay for one more
// thread.
//     Two threads over one, data in the caches: 0.4 MiB 0.6, 0.8 MiB 1.1 to 1.5, 1.2 MiB 1.2, 1.5
//     MiB 1.6 to 1.8, 2 to 18 MiB 1.75 to 2.2. That is with threads that have worked within 2 ms;
//     asleep for 20 ms they take 60 us to come, and pay from about 3 MiB on.
//     Counting the rest of lines that are read: 54 of 168 that move less 1.67 times as fast. Zen
//     4, threads awake, 256 KiB: 0.8 to 1 MB 1.27, 0.56 to 0.8 MB 1.09, but 33 of 132 are slower.
constexpr dim_t bytes_per_thread = 512 << 10;

// Ranges in which a thread takes its share, and how many of the last ones others leave to it.
//     Tried on 2 threads, 12 reorders of 1 to 18 MiB, geomean over one thread: ranges/left 8/0 1.28
//     to 1.42, 4/0 1.43, 1/0 1.64, 8/4 as 1/0. Help moves data from one core's cache to another's.
constexpr int ranges_per_thread = 8;
constexpr int ranges_left_alone = 4;

// What threads share (driver::scale_for) is cut where the destination's parts are furthest apart,
// if the largest share is at most so many times the average one; but it is bytes if that is at the
// outermost level and that has so many steps for a thread.
//     Zen 4, two threads over one, 1323 reorders of 1 to 14 MB into the caches, bytes always /
//     this: AVX-512 1.47 / 1.66, slower than one 160 / 39 (neighbours busy; quiet 1 of 579), AVX2
//     88 of 579 / 23, SSE4.1 90 / 37. Halves of rows on two threads are the worst, f16 aCdb24c ->
//     abdc 1x12x384x64 0.45 / 1.76, and pages are not far enough: rows of 6 KiB 0.74 / 1.64. Past
//     the caches that is the same or 0.9, so there it is bytes. Shares of 1.1, 1.25, 1.34, 1.5
//     and 1.75 times the average: 1.83 1.83 1.83 1.83 1.82, slower 4 1 1 1 1. Bytes from 2, 4, 8,
//     32 steps a thread on and never: 1.00 to 1.01 of each other; from 1 on a short last step makes
//     it 0.29 (f32 abcd -> AcdB4b64a4b 160x192x1x7, 1.3).
constexpr double max_share_over_average = 1.34;
constexpr dim_t enough_steps_per_thread = 4;

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
constexpr dim_t min_numa_bytes = 16 << 20;

// Decoded arrays of a parameter from this size on are made by a reorder of their own, whose code
// costs about 30 us once. 32768 values of f16, and as many of u4, by plain code: 18 and 25 us at
// each execution, of 215 that the reorder u4 -> bf16 of 1024 x 1024 took.
constexpr dim_t min_expanded_array_bytes = 4 << 10;

// Measured plans (cpu/measured): us that are timed at once, how often, what a plan may take of the
// best one's time without being given up, and what another one has to gain to be taken for the one
// of the rules.
//     Zen 4, time over that of the rules' plans, of 1700 reorders by size, chosen in one run and
//     measured in another: 0.985 0.981 0.981 0.961, AVX2 1.000 0.990 0.982 0.940, SSE4.1 0.999
//     0.996 0.986 0.954. Most often other vectors and registers are chosen below 16 MiB (151 0.91,
//     142 0.92), and above whatever changes the way past the caches: 14 to 23 of 286 each, 0.80 to
//     0.91.
constexpr double measured_at_once_us = 100;
constexpr int n_measured_rounds = 9;
constexpr int max_measured_changes = 3; // one after the other
constexpr double max_measured_over_best = 1.15;
constexpr double min_gain_of_measured = 0.03;

// Sums of compensation (cpu/masked_sums). Bytes that are added side by side, at most: enough that
// the addition to a sum does not wait for the one before. s8 ABcd4b16a4b of 2.3 MB, AVX2: 64
// columns 20.7 GB/s, 256 columns 48.9, where memcpy reads 49.
constexpr dim_t sum_columns_bytes = 256;
// From here on a row pays for its loop; wider rows take longer from columns to entries.
constexpr dim_t sum_enough_columns_bytes = 64;
// Rows of sum_columns_bytes from which on that way does not count.
constexpr dim_t sum_long_rows = 8;

} // namespace tfmt::cpu::tuning
