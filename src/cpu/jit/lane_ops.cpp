// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/lane_ops.hpp"

#include <cstring>
#include <stdexcept>

namespace tfmt::cpu::jit {

Xbyak::RegRip lane_ops::constant(uint64_t low, uint64_t high, int n_bytes) {
    uint8_t bytes[64];
    for (int i = 0; i < 64; i += 16) {
        std::memcpy(bytes + i, &low, 8);
        std::memcpy(bytes + i + 8, &high, 8);
    }
    return bytes_constant(bytes, n_bytes);
}

int lane_ops::kept(uint64_t c, int lane_bytes) {
    if (lane_bytes == 4) c = (c & 0xffffffff) | c << 32;
    uint8_t bytes[64];
    for (int i = 0; i < 64; i += 8)
        std::memcpy(bytes + i, &c, 8);
    return kept(bytes);
}

int lane_ops::kept(const uint8_t (&bytes)[64]) {
    for (const kept_constant &k : kept_)
        if (std::memcmp(k.bytes, bytes, sizeof bytes) == 0) return k.reg;
    if (spare_regs_.empty()) return -1;
    kept_.push_back({{}, spare_regs_.back()});
    std::memcpy(kept_.back().bytes, bytes, sizeof bytes);
    spare_regs_.pop_back();
    return kept_.back().reg;
}

Xbyak::RegRip lane_ops::bytes_constant(const uint8_t (&bytes)[64], int n_bytes) {
    return pool_.address_of(bytes, n_bytes);
}

void lane_ops::op_row(lane_op o, int out, int a, const Xbyak::RegExp &at, int temp) {
    load(temp, at);
    op(o, out, a, temp);
}

void lane_ops::op_one(lane_op o, int out, int a, const Xbyak::RegExp &at, int temp) {
    broadcast(temp, at, is_64_bit(o) ? 8 : 4);
    op(o, out, a, temp);
}

void lane_ops::bf16_from_any_f32(int, int) { throw std::logic_error("no masks"); }

Xbyak::RegRip lane_ops::indices_constant(const std::vector<int32_t> &indices, int n_bytes) {
    uint8_t bytes[64] = {};
    std::memcpy(bytes, indices.data(), indices.size() * sizeof indices[0]);
    return bytes_constant(bytes, n_bytes);
}

Xbyak::RegRip lane_ops::words_constant(const words_16 &table, int n_bytes) {
    uint8_t bytes[64];
    for (int i = 0; i < 64; i += int(sizeof table))
        std::memcpy(bytes + i, table, sizeof table);
    return bytes_constant(bytes, n_bytes);
}

Xbyak::RegRip lane_ops::part_constant(int lane_bytes, int elem_bytes, int n_bytes) {
    const int n_lanes = 16 / lane_bytes, begin = narrow_part * n_lanes * elem_bytes;
    uint8_t bytes[64];
    std::memset(bytes, 0xff, sizeof bytes); // zero
    for (int i = 0; i < 64; i++) {
        const int at = i % 16 - begin;
        if (at >= 0 && at < n_lanes * elem_bytes)
            bytes[i] = uint8_t(at / elem_bytes * lane_bytes + at % elem_bytes);
    }
    return bytes_constant(bytes, n_bytes);
}

Xbyak::RegRip lane_ops::table_bytes_constant(const words_16 &table, int byte, int n_bytes) {
    uint8_t bytes[64];
    for (int i = 0; i < 64; i++)
        bytes[i] = uint8_t(table[i % 16] >> 8 * byte);
    return bytes_constant(bytes, n_bytes);
}

} // namespace tfmt::cpu::jit
