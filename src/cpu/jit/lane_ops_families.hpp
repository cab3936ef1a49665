// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cpu/jit/lane_ops.hpp"
#include "cpu/plan/machine.hpp"

// The makers of lane_ops, one an ISA family, and what more than one of them needs.
namespace tfmt::cpu::jit {

// What processors with AVX-512 may have beside it.
struct avx512_extensions {
    bool has_vbmi, has_bf16, has_fast_bf16_dots, has_fp16, splits_vectors;
};

inline avx512_extensions extensions_of(const machine &m) {
    return {m.has_vbmi, m.has_bf16, m.has_bf16 && !m.has_slow_bf16_dots, m.has_fp16,
            m.splits_vectors()};
}

// Registers that each takes for itself: xmm0 on SSE4.1, ymm14 on AVX2, k6 and zmm15 on AVX-512; r11
// on all.
std::unique_ptr<lane_ops> make_lane_ops_sse41(Xbyak::CodeGenerator &g, constant_pool &pool);
std::unique_ptr<lane_ops> make_lane_ops_avx2(Xbyak::CodeGenerator &g, constant_pool &pool);
std::unique_ptr<lane_ops> make_lane_ops_avx512(
        Xbyak::CodeGenerator &g, constant_pool &pool, const avx512_extensions &extensions);

// Byte shuffles that bring the low words (bytes) of four 32-bit lanes to the bottom of 16 bytes.
// What is above is cleared by indices of all ones.
constexpr uint64_t low_words_pattern = 0x0d0c090805040100;
constexpr uint64_t low_bytes_pattern = 0xffffffff0c080400;
constexpr uint64_t even_bytes_pattern = 0x0e0c0a0806040200; // the low bytes of 16-bit lanes

// i64 to f64 without an instruction for it: the upper 16 bits and the lower 48 are put into the
// mantissas of 3 * 2^67, whose last place is 2^16, and of 2^52. What is subtracted again leaves the
// upper part exactly; adding the lower part rounds once.
constexpr uint64_t two_to_52 = 0x4330000000000000;
constexpr uint64_t three_times_2_67 = 0x4438000000000000;
constexpr uint64_t three_times_2_67_and_2_52 = 0x4438001000000000;

constexpr uint64_t largest_f64_below_2_63 = 0x43dfffffffffffff;

} // namespace tfmt::cpu::jit
