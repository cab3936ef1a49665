// SPDX-License-Identifier: Apache-2.0
// Arithmetic, shifts, choices, constants and operands in memory of lane_ops, on each ISA that the
// host has and in every width, with every way in which operands share registers, against plain C++.
#include <cmath>

#include <algorithm>

#include "tests/unit/lane_ops_helpers.hpp"

namespace {

using namespace lane_test;
using tfmt::cpu::jit::is_16_bit;
using tfmt::cpu::jit::is_64_bit;
using tfmt::cpu::jit::lane_compare;
using tfmt::cpu::jit::lane_op;
using tfmt::cpu::jit::lane_shift;

// ---------------------------------------------------------------- what operations mean

template <typename T, typename Bits>
T quiet(T value, Bits quiet_bit) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits |= quiet_bit;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
}
float quiet(float v) { return quiet(v, uint32_t(0x400000)); }
double quiet(double v) { return quiet(v, uint64_t(1) << 51); }

// Of two NaNs the first, made quiet; what becomes NaN without one is negative.
template <typename T, typename F>
bytes float_op(int n, const bytes &a, const bytes &b, F &&f) {
    return lanewise<T>(n, a, b, [&](T x, T y) {
        if (std::isnan(x)) return quiet(x);
        if (std::isnan(y)) return quiet(y);
        const T result = f(x, y);
        return std::isnan(result) ? -std::numeric_limits<T>::quiet_NaN() : result;
    });
}

template <typename T>
T min_of(T x, T y) { // the second one of two zeros and where one is NaN
    return x < y ? x : y;
}
template <typename T>
T max_of(T x, T y) {
    return x > y ? x : y;
}

uint32_t dot(uint32_t x, uint32_t y) {
    const auto product = [&](int shift) {
        return uint32_t(int16_t(x >> shift)) * uint32_t(int16_t(y >> shift));
    };
    return product(0) + product(16);
}

template <typename T>
bytes float_reference(int kind, int n, const bytes &a, const bytes &b) {
    switch (kind) {
    case 0: return float_op<T>(n, a, b, [](T x, T y) { return x + y; });
    case 1: return float_op<T>(n, a, b, [](T x, T y) { return x - y; });
    case 2: return float_op<T>(n, a, b, [](T x, T y) { return x * y; });
    case 3: return float_op<T>(n, a, b, [](T x, T y) { return x / y; });
    case 4: return lanewise<T>(n, a, b, min_of<T>);
    default: return lanewise<T>(n, a, b, max_of<T>);
    }
}

bytes reference(lane_op o, int n, const bytes &a, const bytes &b) {
    using u64 = uint64_t;
    using u32 = uint32_t;
    using u16 = uint16_t;
    switch (o) {
    case lane_op::and_bits: return lanewise<u64>(n, a, b, [](u64 x, u64 y) { return x & y; });
    case lane_op::or_bits: return lanewise<u64>(n, a, b, [](u64 x, u64 y) { return x | y; });
    case lane_op::xor_bits: return lanewise<u64>(n, a, b, [](u64 x, u64 y) { return x ^ y; });
    case lane_op::and_not_bits: return lanewise<u64>(n, a, b, [](u64 x, u64 y) { return ~x & y; });
    case lane_op::add_i32: return lanewise<u32>(n, a, b, [](u32 x, u32 y) { return x + y; });
    case lane_op::sub_i32: return lanewise<u32>(n, a, b, [](u32 x, u32 y) { return x - y; });
    case lane_op::min_i32: return lanewise<int32_t>(n, a, b, min_of<int32_t>);
    case lane_op::max_i32: return lanewise<int32_t>(n, a, b, max_of<int32_t>);
    case lane_op::add_f32:
    case lane_op::sub_f32:
    case lane_op::mul_f32:
    case lane_op::div_f32:
    case lane_op::min_f32:
    case lane_op::max_f32: return float_reference<float>(int(o) - int(lane_op::add_f32), n, a, b);
    case lane_op::add_i16: return lanewise<u16>(n, a, b, [](u16 x, u16 y) { return u16(x + y); });
    case lane_op::min_i16: return lanewise<int16_t>(n, a, b, min_of<int16_t>);
    case lane_op::max_i16: return lanewise<int16_t>(n, a, b, max_of<int16_t>);
    case lane_op::min_u16: return lanewise<u16>(n, a, b, min_of<u16>);
    case lane_op::mul_low_i16:
        return lanewise<u16>(n, a, b, [](u16 x, u16 y) { return u16(u32(x) * y); });
    case lane_op::sub_sat_i16:
        return lanewise<int16_t>(n, a, b, [](int16_t x, int16_t y) {
            return int16_t(std::clamp(int(x) - y, INT16_MIN, INT16_MAX));
        });
    case lane_op::average_u16:
        return lanewise<u16>(n, a, b, [](u16 x, u16 y) { return u16((u32(x) + y + 1) / 2); });
    case lane_op::min_u8: return lanewise<uint8_t>(n, a, b, min_of<uint8_t>);
    case lane_op::min_i8: return lanewise<int8_t>(n, a, b, min_of<int8_t>);
    case lane_op::max_i8: return lanewise<int8_t>(n, a, b, max_of<int8_t>);
    case lane_op::dot_i16: return lanewise<u32>(n, a, b, dot);
    case lane_op::sub_i64: return lanewise<u64>(n, a, b, [](u64 x, u64 y) { return x - y; });
    case lane_op::add_f64:
    case lane_op::sub_f64:
    case lane_op::mul_f64:
    case lane_op::div_f64:
    case lane_op::min_f64:
    case lane_op::max_f64: return float_reference<double>(int(o) - int(lane_op::add_f64), n, a, b);
    }
    ADD_FAILURE() << "operation " << int(o);
    return {};
}

constexpr int n_lane_ops = int(lane_op::max_f64) + 1;

template <typename T, typename F>
bytes selected(
        int n, const bytes &out, const bytes &a, const bytes &b, const bytes &chosen, F &&f) {
    bytes result {};
    for (int i = 0; i < n / int(sizeof(T)); i++) {
        // Bits are moved, whatever lanes are compared as.
        const bytes &from = f(lane<T>(a, i), lane<T>(b, i)) ? chosen : out;
        std::memcpy(&result[size_t(i) * sizeof(T)], &from[size_t(i) * sizeof(T)], sizeof(T));
    }
    return result;
}

bytes reference(lane_compare c, int n, const bytes &out, const bytes &a, const bytes &b,
        const bytes &chosen) {
    const auto select = [&](auto zero, auto &&f) {
        return selected<decltype(zero)>(n, out, a, b, chosen, f);
    };
    const auto equal = [](auto x, auto y) { return x == y; };
    const auto greater = [](auto x, auto y) { return x > y; };
    const auto unordered = [](auto x, auto y) { return std::isnan(x) || std::isnan(y); };
    switch (c) {
    case lane_compare::equal_i32: return select(int32_t(), equal);
    case lane_compare::greater_i32: return select(int32_t(), greater);
    case lane_compare::greater_i16: return select(int16_t(), greater);
    case lane_compare::greater_i64: return select(int64_t(), greater);
    case lane_compare::unordered_f32: return select(float(), unordered);
    case lane_compare::unordered_f64: return select(double(), unordered);
    case lane_compare::greater_f64: return select(double(), greater);
    case lane_compare::not_equal_f64:
        return select(double(), [](double x, double y) { return !(x == y); });
    }
    ADD_FAILURE() << "comparison " << int(c);
    return {};
}

constexpr int n_compares = int(lane_compare::not_equal_f64) + 1;

bool is_wide(lane_compare c) {
    return c == lane_compare::greater_i64 || c >= lane_compare::unordered_f64;
}

// The constant as lanes of 8 bytes see it.
uint64_t repeated(uint64_t c, int lane_bytes) {
    return lane_bytes == 8 ? c : (c & 0xffffffff) | c << 32;
}
bytes filled(uint64_t c, int lane_bytes) {
    bytes result;
    for (int i = 0; i < 8; i++)
        set_lane<uint64_t>(result, i, repeated(c, lane_bytes));
    return result;
}

// 0 among them; halves of words are equal, as operations on 16-bit lanes want them.
const uint64_t constants_32[] = {0, 0x3f803f80, 0x80008000, 0x7fff7fff, 0xffffffff, 0x00010001};
const uint64_t constants_64[] = {0, 0x3ff0000000000000, 0x8000000000000000, 0x7fffffffffffffff,
        0xffffffff80000000, 0x7ff8000000000000};

// ---------------------------------------------------------------- tests

class LaneOpsOn : public lane_fixture {};

struct registers {
    int out, a, b;
};
const registers all_registers[] = {
        {1, 2, 3}, {1, 1, 2}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}, {6, 5, 4}};

TEST_P(LaneOpsOn, Operations) {
    for (int width : widths())
        for (int i = 0; i < n_lane_ops; i++)
            for (const registers &r : all_registers) {
                const lane_op o = lane_op(i);
                check({"operation " + std::to_string(i), width, r.out, width, {},
                        [&](lane_ops &ops) { ops.op(o, r.out, r.a, r.b); },
                        [&](const state &s) {
                            return reference(o, width, s.regs[r.a], s.regs[r.b]);
                        },
                        {}});
                if (HasFatalFailure()) return;
            }
}

TEST_P(LaneOpsOn, OperationsWithConstants) {
    for (int width : widths())
        for (int i = 0; i < n_lane_ops; i++)
            for (uint64_t c : is_64_bit(lane_op(i)) ? constants_64 : constants_32)
                for (int out : {1, 2}) {
                    const lane_op o = lane_op(i);
                    check({"operation " + std::to_string(i) + " with " + std::to_string(c), width,
                            out, width, {}, [&](lane_ops &ops) { ops.op_with(o, out, 2, c); },
                            [&](const state &s) {
                                return reference(
                                        o, width, s.regs[2], filled(c, is_64_bit(o) ? 8 : 4));
                            },
                            {}});
                    if (HasFatalFailure()) return;
                }
}

// At a multiple of 64 bytes, anywhere, and one lane for all.
TEST_P(LaneOpsOn, OperationsWithMemory) {
    const auto at = [](int offset) { return Xbyak::util::rdi + (memory_begin_bytes + offset); };
    for (int width : widths())
        for (int i = 0; i < n_lane_ops; i++)
            for (int out : {1, 2}) {
                const lane_op o = lane_op(i);
                const int lane_bytes = is_64_bit(o) ? 8 : 4;
                const auto check_with = [&](const char *what, int offset, int period_bytes,
                                                const std::function<void(lane_ops &)> &emit) {
                    check({"operation " + std::to_string(i) + what, width, out, width, {5}, emit,
                            [&](const state &s) {
                                bytes b;
                                for (int j = 0; j < 64; j++)
                                    b[size_t(j)] = s.memory[offset + j % period_bytes];
                                return reference(o, width, s.regs[2], b);
                            },
                            {}});
                };
                check_with(" with aligned memory", 64, 64,
                        [&](lane_ops &ops) { ops.op_at(o, out, 2, at(64)); });
                check_with(" with a row", 12, 64,
                        [&](lane_ops &ops) { ops.op_row(o, out, 2, at(12), 5); });
                if (!is_16_bit(o))
                    check_with(" with one", 20, lane_bytes,
                            [&](lane_ops &ops) { ops.op_one(o, out, 2, at(20), 5); });
                if (HasFatalFailure()) return;
            }
}

// Rounded once: 2^-25 would be lost if the product were rounded.
TEST_P(LaneOpsOn, Fused) {
    check({"mul_add_f32", 16, 1, 16, {},
            [&](lane_ops &ops) {
                if (ops.has_fused()) return ops.mul_add_f32(1, 2, 3);
                EXPECT_THROW(ops.mul_add_f32(1, 2, 3), std::logic_error);
            },
            [&](const state &s) {
                if (GetParam().vector_bytes == 16) return s.regs[1]; // has none
                bytes result {};
                for (int i = 0; i < 4; i++) {
                    const float x = lane<float>(s.regs[1], i), factor = lane<float>(s.regs[2], i),
                                addend = lane<float>(s.regs[3], i),
                                sum = std::fma(x, factor, addend);
                    set_lane<float>(result, i,
                            std::isnan(factor)           ? quiet(factor)
                                    : std::isnan(x)      ? quiet(x)
                                    : std::isnan(addend) ? quiet(addend)
                                    : std::isnan(sum)    ? -std::numeric_limits<float>::quiet_NaN()
                                                         : sum);
                }
                return result;
            },
            {}});
}

TEST_P(LaneOpsOn, MaskedBits) {
    const auto both = [](int width, const bytes &a, const bytes &b, auto &&f) {
        return lanewise<uint32_t>(width, a, b, f);
    };
    for (int width : widths())
        for (uint64_t c : constants_32) {
            const uint32_t mask = uint32_t(c), bits = 0x40300201;
            for (const registers &r : {registers {1, 2, 3}, {1, 1, 3}, {1, 2, 1}}) {
                check({"or_masked", width, r.out, width, {r.b},
                        [&](lane_ops &ops) { ops.or_masked(r.out, r.a, r.b, mask); },
                        [&](const state &s) {
                            return both(width, s.regs[r.a], s.regs[r.b],
                                    [&](uint32_t x, uint32_t y) { return x | (y & mask); });
                        },
                        {}});
                check({"take_masked", width, r.out, width, {r.a, r.b},
                        [&](lane_ops &ops) { ops.take_masked(r.out, r.a, r.b, mask); },
                        [&](const state &s) {
                            return both(
                                    width, s.regs[r.a], s.regs[r.b], [&](uint32_t x, uint32_t y) {
                                        return (x & ~mask) | (y & mask);
                                    });
                        },
                        {}});
            }
            for (int out : {1, 2})
                check({"and_or", width, out, width, {},
                        [&](lane_ops &ops) { ops.and_or(out, 2, mask, bits); },
                        [&](const state &s) {
                            return both(width, s.regs[2], s.regs[2],
                                    [&](uint32_t x, uint32_t) { return (x & mask) | bits; });
                        },
                        {}});
        }
}

TEST_P(LaneOpsOn, MovesAndFills) {
    for (int width : widths()) {
        for (int out : {1, 2})
            check({"move", width, out, width, {}, [&](lane_ops &ops) { ops.move(out, 2); },
                    [&](const state &s) { return s.regs[2]; }, {}});
        for (int lane_bytes : {4, 8})
            for (uint64_t c : lane_bytes == 8 ? constants_64 : constants_32)
                check({"fill", width, 1, width, {},
                        [&](lane_ops &ops) { ops.fill(1, c, lane_bytes); },
                        [&](const state &) { return filled(c, lane_bytes); }, {}});
    }
}

TEST_P(LaneOpsOn, Shifts) {
    using s = lane_shift;
    const auto reference = [](s kind, int width, const bytes &a, int n) {
        using u32 = uint32_t;
        using u16 = uint16_t;
        switch (kind) {
        case s::left_16: return lanewise<u16>(width, a, a, [&](u16 x, u16) { return u16(x << n); });
        case s::right_16:
            return lanewise<u16>(width, a, a, [&](u16 x, u16) { return u16(x >> n); });
        case s::left_32: return lanewise<u32>(width, a, a, [&](u32 x, u32) { return x << n; });
        case s::right_32: return lanewise<u32>(width, a, a, [&](u32 x, u32) { return x >> n; });
        case s::arithmetic_right_32:
            return lanewise<int32_t>(width, a, a, [&](int32_t x, int32_t) { return x >> n; });
        }
        return bytes();
    };
    for (int width : widths())
        for (s kind : {s::left_16, s::right_16, s::left_32, s::right_32, s::arithmetic_right_32})
            for (int n : {0, 1, 7, 15})
                for (int out : {1, 2})
                    check({"shift " + std::to_string(int(kind)) + " by " + std::to_string(n), width,
                            out, width, {}, [&](lane_ops &ops) { ops.shift(kind, out, 2, n); },
                            [&](const state &st) { return reference(kind, width, st.regs[2], n); },
                            {}});
}

// ---------------------------------------------------------------- choices

struct select_registers {
    int out, a, b, chosen;
};
const select_registers all_select_registers[] = {{1, 2, 3, 4}, {1, 1, 2, 3}, {1, 2, 1, 3},
        {1, 2, 3, 1}, {1, 2, 2, 3}, {1, 2, 3, 2}, {1, 2, 3, 3}, {1, 1, 1, 2}, {6, 5, 4, 3}};

TEST_P(LaneOpsOn, Selections) {
    for (int width : widths())
        for (int i = 0; i < n_compares; i++)
            for (const select_registers &r : all_select_registers) {
                const lane_compare c = lane_compare(i);
                if (is_sse() && c == lane_compare::greater_i64) continue;
                check({"selection " + std::to_string(i), width, r.out, width, {},
                        [&](lane_ops &ops) { ops.select(c, r.out, r.a, r.b, r.chosen); },
                        [&](const state &s) {
                            return reference(c, width, s.regs[r.out], s.regs[r.a], s.regs[r.b],
                                    s.regs[r.chosen]);
                        },
                        {}});
                if (HasFatalFailure()) return;
            }
}

TEST_P(LaneOpsOn, SelectionsWithConstants) {
    for (int width : widths())
        for (int i = 0; i < n_compares; i++)
            for (uint64_t constant : is_wide(lane_compare(i)) ? constants_64 : constants_32)
                for (const select_registers &r : all_select_registers) {
                    const lane_compare c = lane_compare(i);
                    if (is_sse() && c == lane_compare::greater_i64) continue;
                    check({"selection " + std::to_string(i) + " with " + std::to_string(constant),
                            width, r.out, width, {},
                            [&](lane_ops &ops) {
                                ops.select_with(c, r.out, r.a, constant, r.chosen);
                            },
                            [&](const state &s) {
                                return reference(c, width, s.regs[r.out], s.regs[r.a],
                                        filled(constant, is_wide(c) ? 8 : 4), s.regs[r.chosen]);
                            },
                            {}});
                    if (HasFatalFailure()) return;
                }
}

TEST_P(LaneOpsOn, Compares64BitIntegersButOnSse41) {
    const auto emit = [&] {
        lane_code(GetParam(), 16,
                [](lane_ops &ops) { ops.select(lane_compare::greater_i64, 1, 2, 3, 4); });
    };
    if (is_sse()) {
        EXPECT_THROW(emit(), std::logic_error);
    } else {
        EXPECT_NO_THROW(emit());
    }
}

TEST_P(LaneOpsOn, ZeroesWordsThatAreGreater) {
    struct {
        lane_op o;
        uint64_t constant;
    } rows[] = {{lane_op::max_i16, 0}, {lane_op::max_i16, 0x80008000},
            {lane_op::min_u16, 0x81238123}, {lane_op::min_i16, 0x00450045},
            {lane_op::mul_low_i16, 0x01030103}};
    for (int width : widths(16))
        for (uint64_t limit : constants_32)
            for (const auto &r : rows)
                for (int a : {1, 2})
                    check({"op or zero", width, 1, width, {},
                            [&](lane_ops &ops) {
                                ops.op_or_zero_i16(r.o, 1, r.constant, a, limit);
                            },
                            [&](const state &s) {
                                return reference(lane_compare::greater_i16, width,
                                        reference(r.o, width, s.regs[1], filled(r.constant, 4)),
                                        s.regs[a], filled(limit, 4), bytes {});
                            },
                            {}});
}

TEST_P(LaneOpsOn, ChoosesAConstantForWordsThatAreGreater) {
    const uint64_t constant = 0x43384338, otherwise = 0x00080008;
    for (int width : widths(16))
        for (uint64_t limit : constants_32) {
            const auto emit = [&](lane_ops &ops) {
                ops.op_or_other_i16(lane_op::sub_sat_i16, 1, constant, 2, limit, otherwise);
            };
            if (GetParam().isa < tfmt_cpu_isa_avx512_core) {
                EXPECT_THROW(lane_code(GetParam(), width, emit), std::logic_error);
                continue;
            }
            check({"op or other", width, 1, width, {}, emit,
                    [&](const state &s) {
                        return reference(lane_compare::greater_i16, width,
                                reference(lane_op::sub_sat_i16, width, s.regs[2],
                                        filled(constant, 4)),
                                s.regs[1], filled(limit, 4), filled(otherwise, 4));
                    },
                    {}});
        }
}

// ---------------------------------------------------------------- memory

TEST_P(LaneOpsOn, LoadsAndBroadcasts) {
    for (int width : widths(16))
        for (int at : {0, 5, 64}) {
            const auto address = Xbyak::util::rdi + (memory_begin_bytes + at);
            check({"load", width, 1, width, {}, [&](lane_ops &ops) { ops.load(1, address); },
                    [&](const state &s) {
                        bytes b;
                        std::memcpy(b.data(), s.memory + at, 64);
                        return b;
                    },
                    {}});
            for (int lane_bytes : {4, 8})
                check({"broadcast", width, 1, width, {},
                        [&](lane_ops &ops) { ops.broadcast(1, address, lane_bytes); },
                        [&](const state &s) {
                            bytes b;
                            for (int i = 0; i < 64; i++)
                                b[size_t(i)] = s.memory[at + i % lane_bytes];
                            return b;
                        },
                        {}});
        }
}

INSTANTIATE_TEST_SUITE_P(
        Machines, LaneOpsOn, testing::ValuesIn(lane_machines()), lane_test_name_of);

} // namespace
