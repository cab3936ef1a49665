// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/constant_pool.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::jit {

namespace {

constexpr uint8_t jump_opcode = 0xe9; // by 32 bits, from behind them
constexpr int jump_bytes = 5;

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

} // namespace

void constant_pool::begin(const std::vector<uint8_t> &tables) {
    begin();
    tables_ = &tables;
    tables_distance_ = used_bytes_ = round_up(int(tables.size()), sizeof(uint64_t));
}

Xbyak::RegRip constant_pool::address_in_tables(int offset_bytes) const {
    return g_.rip + static_cast<const void *>(origin_ - tables_distance_ + offset_bytes);
}

Xbyak::RegRip constant_pool::address_of(const uint8_t *bytes, int n_bytes) {
    const auto begins_so = [&](const entry &e) {
        if (e.n_bytes < n_bytes || e.bytes[0] != bytes[0]) return false; // mostly
        return std::memcmp(e.bytes, bytes, size_t(n_bytes)) == 0;
    };
    auto found = std::find_if(entries_.begin(), entries_.end(), begins_so);
    if (found == entries_.end()) {
        used_bytes_ = round_up(used_bytes_ + n_bytes, n_bytes);
        found = entries_.insert(found, {{}, n_bytes, used_bytes_});
        std::memcpy(found->bytes, bytes, size_t(n_bytes));
    }
    return g_.rip + static_cast<const void *>(origin_ - found->distance);
}

std::vector<uint8_t> constant_pool::with_code(const uint8_t *code, size_t n_bytes) const {
    const int begin = used_bytes_ == 0
            ? 0
            : round_up(jump_bytes + used_bytes_, int(tuning::line_bytes));
    std::vector<uint8_t> all;
    all.reserve(size_t(begin) + n_bytes);
    if (begin > 0) {
        const int32_t jump = begin - jump_bytes;
        all.resize(size_t(begin));
        all[0] = jump_opcode;
        std::memcpy(all.data() + 1, &jump, sizeof jump);
        if (tables_)
            std::copy(tables_->begin(), tables_->end(), all.begin() + begin - tables_distance_);
        for (const entry &e : entries_)
            std::memcpy(all.data() + begin - e.distance, e.bytes, size_t(e.n_bytes));
    }
    all.insert(all.end(), code, code + n_bytes);
    return all;
}

} // namespace tfmt::cpu::jit
