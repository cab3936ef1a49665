// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// A piece of machine code in pages of its own. These are written first and made executable
// afterwards; they are never both.
namespace tfmt::cpu::jit {

class executable {
public:
    executable() = default;
    executable(const uint8_t *code, size_t size_bytes); // copies; throws failure
    executable(executable &&other) noexcept;
    executable &operator=(executable &&other) noexcept;
    ~executable();

    const void *entry() const { return pages_; }
    size_t size_bytes() const { return size_bytes_; }

private:
    void *pages_ = nullptr;
    size_t size_bytes_ = 0;
};

} // namespace tfmt::cpu::jit
