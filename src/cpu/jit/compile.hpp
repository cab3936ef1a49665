// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/ir/ir.hpp"
#include "cpu/jit/executable.hpp"

// IR -> machine code. The door to everything that knows Xbyak: nothing outside jit/ includes it.
namespace tfmt::cpu::jit {

// src and dst of the kernel, its number of root steps, whether to do the rest behind them, and the
// kernel's scratch, if it has one.
using kernel_fn = void (*)(
        const void *src, void *dst, int64_t root_count, int64_t with_rest, void *scratch);
// Of kernels that compute with parameters.
using computing_kernel_fn = void (*)(const void *src, void *dst, int64_t root_count,
        int64_t with_rest, void *scratch, const void *param_singles, const void *param_arrays);

// The code may stand at any multiple of this.
constexpr size_t code_alignment_bytes = 64;

// Position-independent code for `k` on `m`. A function of its arguments: it may be made on a
// machine that cannot execute it. Throws std::exception if the kernel does not fit the machine's
// registers.
std::vector<uint8_t> assemble(const ir::kernel &k, const machine &m);

// False, with the reason in `why`, if elements cannot be converted so on `m`.
bool can_convert(data_type_t src, data_type_t dst, const machine &m, std::string *why);

} // namespace tfmt::cpu::jit
