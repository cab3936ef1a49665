// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tfmt::cpu::ir {

// The mask of the first `n` bytes, up to 64.
inline uint64_t low_bits(int n) { return n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1; }

struct chunk {
    int64_t offset_bytes; // from the src (load) or dst (store) pointer of the block
    uint64_t mask;        // bytes that take part
    // Of those that a converting store writes: the ones that are converted. The others, padding,
    // become zero.
    uint64_t data = ~uint64_t(0);
};

// The chunks of one load or store. There are mostly one or two, which stand in place: kernels are
// some hundred operations, and each piece of memory asked for takes as long as an instruction.
class chunk_list {
public:
    chunk_list() = default;
    chunk_list(std::initializer_list<chunk> chunks) {
        for (const chunk &c : chunks)
            push_back(c);
    }

    explicit chunk_list(size_t n, const chunk &c) {
        while (n_ < n)
            push_back(c);
    }

    void push_back(const chunk &c) {
        if (n_ < few)
            few_[n_] = c;
        else {
            if (n_ == few) many_.assign(few_.begin(), few_.end());
            many_.push_back(c);
        }
        n_++;
    }
    void reserve(size_t n) {
        if (n > few) many_.reserve(n);
    }
    void clear() {
        many_.clear();
        n_ = 0;
    }

    size_t size() const { return n_; }
    bool empty() const { return n_ == 0; }
    bool moves_nothing() const {
        return std::all_of(begin(), end(), [](const chunk &c) { return c.mask == 0; });
    }
    chunk *begin() { return n_ > few ? many_.data() : few_.data(); }
    chunk *end() { return begin() + n_; }
    const chunk *begin() const { return n_ > few ? many_.data() : few_.data(); }
    const chunk *end() const { return begin() + n_; }
    chunk &operator[](size_t i) { return begin()[i]; }
    const chunk &operator[](size_t i) const { return begin()[i]; }

private:
    static constexpr size_t few = 2;

    size_t n_ = 0;
    std::array<chunk, few> few_ {};
    std::vector<chunk> many_; // all of them, where they are more
};

} // namespace tfmt::cpu::ir
