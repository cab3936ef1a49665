// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <xbyak/xbyak.h>

// The constants of a kernel, each once, and tables, as they are. They stand before the code, behind
// a jump to it, so that the address of each is known when an instruction names it: a label costs
// Xbyak an entry in a hash table for each use, if it is defined later, a third of the time that a
// conversion took to be assembled. So the generator must not move its code (no Xbyak::AutoGrow).
//
// Worked example: 16 bytes and then 64 stand at 16 and 128 bytes before the first instruction. The
// jump goes to the next line before, so the code begins at 192.
namespace tfmt::cpu::jit {

class constant_pool {
public:
    explicit constant_pool(Xbyak::CodeGenerator &g) : g_(g) {}

    // One of these is to be called before the first instruction. `tables`, which must live on,
    // stand before the constants, at a multiple of 8 bytes.
    void begin() { origin_ = g_.getCurr(); }
    void begin(const std::vector<uint8_t> &tables);

    // The address of byte `offset_bytes` of the tables.
    Xbyak::RegRip address_in_tables(int offset_bytes) const;

    // The address of the first n_bytes (4 to 64, a power of two) of `bytes`, a multiple of n_bytes.
    Xbyak::RegRip address_of(const uint8_t *bytes, int n_bytes);

    // The tables, the constants and the code, which may stand at any multiple of a line. Its first
    // byte is where to call it.
    std::vector<uint8_t> with_code(const uint8_t *code, size_t n_bytes) const;

private:
    struct entry {
        uint8_t bytes[64];
        int n_bytes;
        int distance; // before the code
    };
    Xbyak::CodeGenerator &g_;
    const uint8_t *origin_ = nullptr;
    std::vector<entry> entries_;
    const std::vector<uint8_t> *tables_ = nullptr;
    int tables_distance_ = 0; // before the code
    int used_bytes_ = 0;
};

} // namespace tfmt::cpu::jit
