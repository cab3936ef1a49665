// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// A piece of machine code in pages of its own. These are written first and made executable
// afterwards; they are never both.
namespace tfmt::cpu::jit {

struct code_piece {
    const uint8_t *begin;
    size_t n_bytes;
    size_t offset_bytes; // where it is to stand
};

class executable {
public:
    executable() = default;
    // Copies. The pieces come one behind the other, with any gaps. Throws failure.
    executable(const code_piece *pieces, size_t n_pieces);
    executable(const uint8_t *code, size_t size_bytes);
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
