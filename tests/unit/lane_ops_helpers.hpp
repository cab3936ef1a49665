// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu/jit/executable.hpp"
#include "cpu/jit/lane_ops_families.hpp"
#include "support/random_data.hpp"
#include "tests/unit/jit_helpers.hpp"

// Lane operations as functions: registers from memory, the operation, registers back to memory.
namespace lane_test {

using namespace plan_test;
using tfmt::cpu::jit::constant_pool;
using tfmt::cpu::jit::lane_ops;
using tfmt_test::random_source;

using bytes = std::array<uint8_t, 64>;

template <typename T>
T lane(const bytes &b, int i) {
    T value;
    std::memcpy(&value, b.data() + size_t(i) * sizeof(T), sizeof(T));
    return value;
}
template <typename T>
void set_lane(bytes &b, int i, T value) {
    std::memcpy(b.data() + size_t(i) * sizeof(T), &value, sizeof(T));
}

// f(lane of a, lane of b) in each of the lanes that fill n_bytes; the type of lanes is what f says.
template <typename T, typename F>
bytes lanewise(int n_bytes, const bytes &a, const bytes &b, F &&f) {
    bytes result {};
    for (int i = 0; i < n_bytes / int(sizeof(T)); i++)
        set_lane<T>(result, i, f(lane<T>(a, i), lane<T>(b, i)));
    return result;
}

// n lanes of To, each made of one of From.
template <typename To, typename From, typename F>
bytes converted(int n, const bytes &a, F &&f) {
    bytes result {};
    for (int i = 0; i < n; i++)
        set_lane<To>(result, i, f(lane<From>(a, i)));
    return result;
}

// Registers 1 to n_regs, which no family keeps for itself, and memory behind them at a multiple of
// 64 bytes.
constexpr int n_regs = 6;
constexpr int memory_begin_bytes = (n_regs + 1) * 64;
struct alignas(64) state {
    bytes regs[n_regs + 1]; // by number; 0 is not used
    uint8_t memory[512];
};

// 32 and 64 bits at a time: any bits, numbers of each type of lane, ends of ranges, NaNs,
// denormals.
inline uint64_t random_lanes(random_source &random) {
    static const std::vector<uint32_t> words {0, 0x80000000, 1, 0xffffffff, 0x7fffffff, 0x7f800000,
            0xff800000, 0x7f800001, 0xffc12345, 0x00000001, 0x807fffff, 0x3f800000, 0x4f000000,
            0xcf000000, 0x4effffff, 0x3f000000, 0x40200000, 0x7fff8000, 0x80007fff};
    static const std::vector<uint64_t> doubles {0, uint64_t(1) << 63, 0x3ff0000000000000,
            0x43e0000000000000, 0xc3e0000000000000, 0x43dfffffffffffff, 0xc3e0000000000001,
            0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000200000, 0x7ff0000000000000,
            0xfff0000000000000, 0x7ff4000000000001, 0xfff8000000000000, 1, 0x4004000000000000,
            0x36a0000000000000, 0x47efffffe0000000, 0x47effffff0000000};
    const auto small_f32 = [&] {
        const float value = float(random.between(-3000, 3000)) / 8;
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    };
    switch (random.below(6)) {
    case 0: return random.bits();
    case 1: return random.pick(words) | uint64_t(random.pick(words)) << 32;
    case 2: return random.pick(doubles);
    case 3: return small_f32() | uint64_t(small_f32()) << 32;
    case 4: { // of any size that conversions take
        const double value = double(random.between(-(1 << 20), 1 << 20)) / 64
                * double(uint64_t(1) << random.below(48));
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    default: return uint64_t(random.between(-5, 5)); // negative ones fill the upper half
    }
}

inline void fill(bytes &b, random_source &random) {
    for (int i = 0; i < 8; i++)
        set_lane<uint64_t>(b, i, random_lanes(random));
}

// A function of two states: loads all registers from the first one, runs the body, stores them to
// the second.
class lane_code {
public:
    lane_code(const machine &m, int width_bytes, const std::function<void(lane_ops &)> &body) {
        assembler a(m);
        constant_pool pool(a);
        pool.begin();
        const auto ops = make(m, a, pool);
        ops->width_bytes = width_bytes;
        a.load_all();
        body(*ops);
        a.store_all();
        const std::vector<uint8_t> code = pool.with_code(a.getCode(), a.getSize());
        code_ = tfmt::cpu::jit::executable(code.data(), code.size());
    }

    void operator()(const state &from, state &to) const {
        reinterpret_cast<void (*)(const state *, state *)>(
                reinterpret_cast<uintptr_t>(code_.entry()))(&from, &to);
    }

private:
    static constexpr size_t code_bytes = 16 << 10;
    struct alignas(64) buffer {
        uint8_t at[code_bytes];
    };

    // Writes to memory of its own, which begins as the executable will: at a multiple of 64.
    class assembler : std::unique_ptr<buffer>, public Xbyak::CodeGenerator {
    public:
        explicit assembler(const machine &m)
            : std::unique_ptr<buffer>(new buffer),
              CodeGenerator(code_bytes, get()->at),
              vector_bytes_(m.vector_bytes) {}

        void load_all() {
            for (int i = 1; i <= n_regs; i++)
                move(i, ptr[rdi + i * 64], true);
        }
        void store_all() {
            for (int i = 1; i <= n_regs; i++)
                move(i, ptr[rsi + i * 64], false);
            if (vector_bytes_ > 16) vzeroupper();
            ret();
        }

    private:
        void move(int reg, const Xbyak::Address &at, bool is_load) {
            if (vector_bytes_ == 16)
                is_load ? movups(Xbyak::Xmm(reg), at) : movups(at, Xbyak::Xmm(reg));
            else if (vector_bytes_ == 32)
                is_load ? vmovups(Xbyak::Ymm(reg), at) : vmovups(at, Xbyak::Ymm(reg));
            else
                is_load ? vmovups(Xbyak::Zmm(reg), at) : vmovups(at, Xbyak::Zmm(reg));
        }

        int vector_bytes_;
    };

    static std::unique_ptr<lane_ops> make(
            const machine &m, Xbyak::CodeGenerator &g, constant_pool &pool) {
        if (m.vector_bytes == 64)
            return tfmt::cpu::jit::make_lane_ops_avx512(g, pool, tfmt::cpu::jit::extensions_of(m));
        if (m.vector_bytes == 32) return tfmt::cpu::jit::make_lane_ops_avx2(g, pool);
        return tfmt::cpu::jit::make_lane_ops_sse41(g, pool);
    }

    tfmt::cpu::jit::executable code_;
};

// The machines that differ in lane_ops.
inline const std::vector<machine> &lane_machines() {
    static const std::vector<machine> machines {sse41(), avx2(), avx512(),
            make_machine(tfmt_cpu_isa_avx512_core_bf16, 64, 32, false),
            make_machine(tfmt_cpu_isa_avx512_core_fp16, 64, 32, true)};
    return machines;
}

inline std::string lane_test_name_of(const testing::TestParamInfo<machine> &info) {
    return tfmt::cpu::name_of(info.param.isa);
}

inline std::string hex_of(const bytes &b, int n_bytes) {
    std::string text;
    for (int i = 0; i < n_bytes; i++) {
        char byte[4];
        std::snprintf(byte, sizeof byte, "%02x", b[size_t(i)]);
        text += (i % 4 == 0 && i > 0 ? " " : "") + std::string(byte);
    }
    return text;
}

// What is expected of an operation.
struct expectation {
    std::string what;
    int width_bytes;
    int out;
    int n_bytes;              // of the result
    std::vector<int> changed; // registers that may hold anything behind it
    std::function<void(lane_ops &)> emit;
    std::function<bytes(const state &)> wanted;
    std::function<void(state &)> prepare; // what the operation demands of its operands
};

class lane_fixture : public testing::TestWithParam<machine> {
protected:
    void SetUp() override {
        if (!host_is(GetParam())) GTEST_SKIP() << "the host lacks " << name_of(GetParam());
    }

    bool is_sse() const { return GetParam().vector_bytes == 16; }

    // Where f32 lanes are half of 64-bit ones they fill 8 bytes.
    std::vector<int> widths(int least = 8) const {
        std::vector<int> widths;
        for (int w = least; w <= GetParam().vector_bytes; w *= 2)
            widths.push_back(w);
        return widths;
    }

    // Runs the code on random registers: the result is as wanted, and all other registers are what
    // they were, in their whole width.
    void check(const expectation &e) {
        const lane_code code(GetParam(), e.width_bytes, e.emit);
        for (int round = 0; round < 40; round++) {
            state before {}, after {};
            for (bytes &reg : before.regs)
                fill(reg, random_);
            for (uint8_t &byte : before.memory)
                byte = uint8_t(random_.below(256));
            if (e.prepare) e.prepare(before);
            code(before, after);
            const bytes wanted = e.wanted(before);
            const bytes &actual = after.regs[e.out];
            ASSERT_TRUE(begin_alike(actual, wanted, e.n_bytes))
                    << e.what << ", width " << e.width_bytes << inputs(before) << "\n  wanted "
                    << hex_of(wanted, e.n_bytes) << "\n  actual " << hex_of(actual, e.n_bytes);
            for (int i = 1; i <= n_regs; i++) {
                if (i == e.out || contains(e.changed, i)) continue;
                ASSERT_TRUE(begin_alike(after.regs[i], before.regs[i], GetParam().vector_bytes))
                        << e.what << ", width " << e.width_bytes << ": changed register " << i;
            }
        }
    }

private:
    static bool begin_alike(const bytes &a, const bytes &b, int n_bytes) {
        return std::memcmp(a.data(), b.data(), size_t(n_bytes)) == 0;
    }
    static bool contains(const std::vector<int> &list, int value) {
        for (int i : list)
            if (i == value) return true;
        return false;
    }
    static std::string inputs(const state &s) {
        std::string text;
        for (int i = 1; i <= n_regs; i++)
            text += "\n  " + std::to_string(i) + ": " + hex_of(s.regs[i], 64);
        return text;
    }

    random_source random_ {4711};
};

} // namespace lane_test
