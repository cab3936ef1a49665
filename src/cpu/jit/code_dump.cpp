// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/code_dump.hpp"

#include <atomic>
#include <cstdio>

#include "cpu/isa/environment.hpp"

namespace tfmt::cpu::jit {

void dump_code(const std::string &name, const uint8_t *code, size_t size_bytes) noexcept {
    try {
        // Never destroyed: destructors of static objects may make reorders.
        static const auto &prefix = *new std::string(
                trusted_environment_text("TENSORFMT_JIT_DUMP"));
        static std::atomic<int> n_dumped {0};
        if (prefix.empty()) return;
        const std::string path = prefix + std::to_string(n_dumped++) + "-" + name + ".bin";
        if (std::FILE *file = std::fopen(path.c_str(), "wb")) {
            std::fwrite(code, 1, size_bytes, file);
            std::fclose(file);
        }
    } catch (...) {} // out of memory: the next allocation that matters will say so
}

} // namespace tfmt::cpu::jit
