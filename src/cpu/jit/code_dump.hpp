// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Generated code as files, for a disassembler: with TENSORFMT_JIT_DUMP set to a prefix, each kernel
// is written to <prefix><number>-<name>.bin when it is made.
namespace tfmt::cpu::jit {

// A file that cannot be written is left out: looking at code must not change what it does.
void dump_code(const std::string &name, const uint8_t *code, size_t size_bytes) noexcept;

} // namespace tfmt::cpu::jit
