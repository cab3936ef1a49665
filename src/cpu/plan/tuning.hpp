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

// Bytes (source + destination) that pay for waking one more thread (a wake-up costs 2-10 us, as
// long as copying 100-500 KiB).
constexpr dim_t bytes_per_thread = 512 << 10;

// Limits of generated code. Dimensions with tails multiply the variants of a tile; beyond these the
// planner takes a simpler tile, and in the end the portable path.
constexpr size_t max_kernel_ops = 40000; // about 300 KiB of code
constexpr size_t max_jobs = 512;

} // namespace tfmt::cpu::tuning
