// SPDX-License-Identifier: Apache-2.0
// How lane_ops brings what several registers hold together in one, on each ISA that the host has
// and in every width, against plain C++.
#include <algorithm>
#include <cmath>

#include "tests/unit/lane_ops_helpers.hpp"

namespace {

using namespace lane_test;

class LanePackingOn : public lane_fixture {};

// Behind narrowed elements 16 bytes are zero, as far as they go.
int with_zeros(int n_bytes) { return std::max(n_bytes, 16); }

uint32_t bits_of(float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

// body(), with its constants loaded before it: which of them are kept is known behind it only.
template <typename Body>
void with_kept_constants(lane_ops &ops, Body &&body) {
    Xbyak::CodeGenerator &g = ops.generator();
    Xbyak::Label load, loaded, done;
    g.jmp(load, Xbyak::CodeGenerator::T_NEAR);
    g.L(loaded);
    body();
    g.jmp(done, Xbyak::CodeGenerator::T_NEAR);
    g.L(load);
    ops.load_kept_constants();
    g.jmp(loaded, Xbyak::CodeGenerator::T_NEAR);
    g.L(done);
}

// Registers 2 and up, each narrowed to a part of its own, become one in their order.
TEST_P(LanePackingOn, Parts) {
    struct {
        int lane_bytes, elem_bytes;
    } rows[] = {{4, 1}, {4, 2}, {2, 1}};
    for (int width : widths(16))
        for (const auto &r : rows) {
            const int n_parts = r.lane_bytes / r.elem_bytes, n_lanes = width / r.lane_bytes;
            const auto emit = [&](lane_ops &ops) {
                for (int i = 0; i < n_parts; i++) {
                    ops.narrow_part = i;
                    r.lane_bytes == 4 ? ops.narrow(6, 2 + i, r.elem_bytes)
                                      : ops.narrow_words(6, 2 + i);
                    i == 0 ? ops.move(1, 6) : ops.op(tfmt::cpu::jit::lane_op::or_bits, 1, 1, 6);
                }
                ops.join_parts(1, n_parts);
            };
            bool has_parts = false;
            lane_code(
                    GetParam(), width, [&](lane_ops &ops) { has_parts = ops.narrows_to_parts(); });
            if (!has_parts) continue;
            check({"parts", width, 1, width, {6}, emit,
                    [&](const state &s) {
                        bytes result {};
                        for (int i = 0; i < width / r.elem_bytes; i++)
                            std::memcpy(&result[size_t(i * r.elem_bytes)],
                                    &s.regs[2 + i / n_lanes][size_t(i % n_lanes * r.lane_bytes)],
                                    size_t(r.elem_bytes));
                        return result;
                    },
                    {}});
        }
}

TEST_P(LanePackingOn, TwoRegistersToBytes) {
    for (int width : widths(16))
        check({"narrow_two", width, 1, with_zeros(width / 2), {3},
                [](lane_ops &ops) { ops.narrow_two(1, 2, 3); },
                [&](const state &s) {
                    bytes result {};
                    for (int i = 0; i < width / 2; i++)
                        result[size_t(i)] = s.regs[2 + i % 2][size_t(i / 2 * 4)];
                    return result;
                },
                {}});
}

template <typename To, typename From>
To saturated(From v) {
    return To(
            std::clamp<int64_t>(v, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}

// Random lanes, half of them near the range of bytes.
void make_some_small(bytes &reg) {
    for (int i = 0; i < 16; i += 2)
        set_lane(reg, i, lane<int32_t>(reg, i) % 512);
}

// Registers 2 to 5 become the bytes of register `out`.
template <typename To>
bytes packed(const state &s, int width) {
    bytes result {};
    for (int i = 0; i < width; i++) {
        const int32_t v = lane<int32_t>(s.regs[2 + i / (width / 4)], i % (width / 4));
        set_lane(result, i, saturated<To>(saturated<int16_t>(v)));
    }
    return result;
}

TEST_P(LanePackingOn, FourRegistersToBytes) {
    for (int width : widths(16))
        for (bool is_signed : {false, true})
            for (int out : {1, 2})
                check({is_signed ? "pack s8" : "pack u8", width, out, width, {4},
                        [&](lane_ops &ops) {
                            ops.pack_words(out, 2, 3);
                            ops.pack_words(4, 4, 5);
                            ops.pack_bytes(out, out, 4, is_signed);
                            ops.join_parts(out, 4);
                        },
                        [&](const state &s) {
                            return is_signed ? packed<int8_t>(s, width) : packed<uint8_t>(s, width);
                        },
                        [](state &s) {
                            for (int i = 2; i <= 5; i++)
                                make_some_small(s.regs[i]);
                        }});
}

TEST_P(LanePackingOn, TwoRegistersOfWordsToBytes) {
    for (int width : widths(16))
        for (bool is_signed : {false, true})
            check({is_signed ? "pack two s8" : "pack two u8", width, 1, width, {},
                    [&](lane_ops &ops) {
                        ops.pack_bytes(1, 1, 2, is_signed);
                        ops.join_parts(1, 2);
                    },
                    [&](const state &s) {
                        bytes result {};
                        for (int i = 0; i < width; i++) {
                            const int v = lane<int16_t>(
                                    s.regs[1 + i / (width / 2)], i % (width / 2));
                            is_signed ? set_lane(result, i, saturated<int8_t>(v))
                                      : set_lane(result, i, saturated<uint8_t>(v));
                        }
                        return result;
                    },
                    [](state &s) {
                        for (int i : {1, 2})
                            for (int l = 0; l < 32; l += 2)
                                set_lane(s.regs[i], l, int16_t(lane<int16_t>(s.regs[i], l) % 300));
                    }});
}

// A nibble of each byte of registers 1 and 2, whose parts lie side by side in each 16 bytes.
TEST_P(LanePackingOn, NibblesOfTwoRegisters) {
    bool packs = false;
    lane_code(GetParam(), 64, [&](lane_ops &ops) { packs = ops.packs_nibbles_of_two(); });
    EXPECT_EQ(packs, GetParam().isa >= tfmt_cpu_isa_avx512_core);
    for (int n_parts : {2, 4}) {
        const auto emit = [&](lane_ops &ops) { ops.pack_nibbles_of_two(3, 1, 2, 4, n_parts); };
        if (!packs) {
            EXPECT_THROW(lane_code(GetParam(), 16, emit), std::logic_error);
            continue;
        }
        check({"pack_nibbles_of_two", 64, 3, 64, {1, 2, 4}, emit,
                [&](const state &s) {
                    bytes result {};
                    for (int i = 0; i < 128; i++) {
                        const int part_bytes = 16 / n_parts, in_register = i % 64;
                        const int part = in_register / (64 / n_parts);
                        const int in_part = in_register % (64 / n_parts);
                        const int at = in_part / part_bytes * 16 + part * part_bytes
                                + in_part % part_bytes;
                        result[size_t(i / 2)] |= uint8_t(
                                s.regs[1 + i / 64][size_t(at)] << i % 2 * 4);
                    }
                    return result;
                },
                [](state &s) {
                    for (int i : {1, 2})
                        for (uint8_t &byte : s.regs[i])
                            byte &= 0x0f;
                }});
    }
}

TEST_P(LanePackingOn, NansToZero) {
    for (int width : widths())
        check({"clear_nan_f32", width, 1, width, {}, [](lane_ops &ops) { ops.clear_nan_f32(1); },
                [&](const state &s) {
                    return converted<uint32_t, float>(width / 4, s.regs[1],
                            [](float v) { return std::isnan(v) ? 0 : bits_of(v); });
                },
                {}});
}

TEST_P(LanePackingOn, WordsOfTwoRegistersToBytes) {
    for (int width : widths(16)) {
        const auto emit = [](lane_ops &ops) { ops.join_words(1, 2); };
        bool joins = false;
        lane_code(GetParam(), width, [&](lane_ops &ops) { joins = ops.joins_words(); });
        EXPECT_EQ(joins, GetParam().has_vbmi);
        if (!joins) {
            EXPECT_THROW(lane_code(GetParam(), width, emit), std::logic_error);
            continue;
        }
        check({"join_words", width, 1, width, {}, emit,
                [&](const state &s) {
                    bytes result {};
                    for (int i = 0; i < width; i++)
                        result[size_t(i)] = s.regs[1 + i / (width / 2)][size_t(i * 2 % width)];
                    return result;
                },
                {}});
    }
}

TEST_P(LanePackingOn, WordsShiftedWhereGreater) {
    for (int width : widths(16))
        check({"shift_where_greater_i16", width, 1, width, {3},
                [](lane_ops &ops) { ops.shift_where_greater_i16(1, 2, 0x10001000, 3, 5); },
                [&](const state &s) {
                    bytes result {};
                    for (int i = 0; i < width / 2; i++)
                        set_lane(result, i,
                                lane<int16_t>(s.regs[2], i) > 0x1000
                                        ? uint16_t(lane<uint16_t>(s.regs[3], i) >> 5)
                                        : lane<uint16_t>(s.regs[1], i));
                    return result;
                },
                {}});
}

TEST_P(LanePackingOn, MinimumOrZero) {
    constexpr float bound = 1.5f;
    for (int width : widths())
        check({"min_or_zero_f32", width, 1, width, {},
                [&](lane_ops &ops) { ops.min_or_zero_f32(1, bits_of(bound)); },
                [&](const state &s) {
                    return converted<float, float>(width / 4, s.regs[1], [](float v) {
                        return std::isnan(v) ? 0 : v < bound ? v : bound;
                    });
                },
                {}});
}

TEST_P(LanePackingOn, WordsToHighHalves) {
    for (bool is_zero_above : {false, true})
        for (int width : widths())
            for (int out : {1, 2})
                check({"widen_to_high", width, out, width, {},
                        [&](lane_ops &ops) {
                            ops.is_zero_above = is_zero_above;
                            ops.widen_to_high(out, 2);
                        },
                        [&](const state &s) {
                            return converted<uint32_t, uint16_t>(width / 4, s.regs[2],
                                    [](uint16_t v) { return uint32_t(v) << 16; });
                        },
                        [&](state &s) {
                            if (!is_zero_above) return;
                            for (int i = width / 4; i < 32; i++)
                                set_lane(s.regs[2], i, uint16_t(0));
                        }});
}

constexpr lane_ops::f32_16 some_numbers = {
        0, 1, -2, 3.5f, -4, 5, 6, 7, -8, -7, -6, -5, -4, 1e30f, -0.0f, 0.25f};

TEST_P(LanePackingOn, TablesOf16Numbers) {
    const auto look_up = [](lane_ops &ops) { ops.lookup_f32(1, 2, some_numbers); };
    const auto fill_table = [](lane_ops &ops) { ops.fill_f32(1, some_numbers); };
    if (GetParam().vector_bytes < 64) {
        EXPECT_THROW(lane_code(GetParam(), 16, look_up), std::logic_error);
        EXPECT_THROW(lane_code(GetParam(), 16, fill_table), std::logic_error);
        return;
    }
    check({"lookup_f32", 64, 1, 64, {}, look_up,
            [](const state &s) {
                return converted<float, uint32_t>(
                        16, s.regs[2], [](uint32_t i) { return some_numbers[i & 15]; });
            },
            {}});
    check({"fill_f32", 64, 1, 64, {}, fill_table,
            [](const state &) {
                bytes result;
                std::memcpy(result.data(), some_numbers, sizeof some_numbers);
                return result;
            },
            {}});
    for (int out : {1, 2, 3})
        check({"lookup_words_in", 64, out, 64, {},
                [&](lane_ops &ops) { ops.lookup_words_in(out, 2, 3); },
                [](const state &s) {
                    return converted<uint16_t, uint16_t>(32, s.regs[2],
                            [&](uint16_t i) { return lane<uint16_t>(s.regs[3], i); });
                },
                [](state &s) {
                    for (int i = 0; i < 32; i++)
                        set_lane(s.regs[2], i, uint16_t(lane<uint16_t>(s.regs[2], i) & 15));
                }});
}

// The same in two tables of bytes, and what goes with them.
TEST_P(LanePackingOn, TablesOf16NumbersInBytes) {
    constexpr lane_ops::f32_8 eight_numbers = {0, 1, -2, 3.5f, 1e30f, -0.0f, 0.25f, -1};
    const auto fill_table = [&](lane_ops &ops) { ops.fill_8_f32(1, eight_numbers); };
    const auto append = [](lane_ops &ops) { ops.append_half(1, 2); };
    const auto look_up = [](lane_ops &ops) {
        ops.split_table(4, 5, 3);
        ops.lookup_bytes_in(1, 2, 4, 5);
    };
    bool looks_up = false;
    lane_code(GetParam(), 16, [&](lane_ops &ops) { looks_up = ops.looks_up_bytes(); });
    if (!looks_up) {
        EXPECT_THROW(lane_code(GetParam(), 16, fill_table), std::logic_error);
        EXPECT_THROW(lane_code(GetParam(), 16, append), std::logic_error);
        EXPECT_THROW(lane_code(GetParam(), 16, look_up), std::logic_error);
        return;
    }
    check({"fill_8_f32", 32, 1, 32, {}, fill_table,
            [&](const state &) {
                bytes result {};
                std::memcpy(result.data(), eight_numbers, sizeof eight_numbers);
                return result;
            },
            {}});
    check({"append_half", 32, 1, 32, {}, append,
            [](const state &s) {
                bytes result {};
                std::copy_n(s.regs[1].begin(), 16, result.begin());
                std::copy_n(s.regs[2].begin(), 16, result.begin() + 16);
                return result;
            },
            {}});
    for (int half : {0, 1})
        check({"lookup_bytes_in", 32, 1 + half, 32, {2 - half, 4, 5}, look_up,
                [&](const state &s) {
                    bytes result {};
                    for (int i = 0; i < 16; i++)
                        set_lane(result, i,
                                lane<uint16_t>(s.regs[3], s.regs[1][size_t(16 * half + i)]));
                    return result;
                },
                [](state &s) {
                    for (uint8_t &index : s.regs[1])
                        index &= 15;
                }});
}

TEST_P(LanePackingOn, LanesInTurns) {
    const auto emit = [](lane_ops &ops) { ops.take_turns(3, 1, 1, 2); };
    bool takes_turns = false;
    lane_code(GetParam(), 16, [&](lane_ops &ops) { takes_turns = ops.looks_up_bytes(); });
    if (!takes_turns) {
        EXPECT_THROW(lane_code(GetParam(), 16, emit), std::logic_error);
        return;
    }
    for (int width : {16, 32})
        for (int odd : {0, 1})
            check({"take_turns", width, odd ? 1 : 3, width, {odd ? 3 : 1}, emit,
                    [&](const state &s) {
                        bytes result {};
                        for (int i = 0; i < width / 4; i++)
                            set_lane(result, i,
                                    lane<uint32_t>(
                                            s.regs[1 + i % 4 / 2], i / 4 * 4 + i % 2 * 2 + odd));
                        return result;
                    },
                    {}});
}

TEST_P(LanePackingOn, BytesAndWordsInTurns) {
    const auto split = [](lane_ops &ops) { ops.split_bytes(1, 3, 1); };
    const auto interleave = [](lane_ops &ops) { ops.interleave_words(1, 2); };
    bool splits = false, interleaves = false;
    lane_code(GetParam(), 16, [&](lane_ops &ops) {
        splits = ops.splits_bytes();
        interleaves = ops.interleaves_words();
    });
    if (splits)
        for (int odd : {0, 1})
            check({"split_bytes", 32, odd ? 3 : 1, 8, {odd ? 1 : 3}, split,
                    [&](const state &s) {
                        bytes result {};
                        for (int i = 0; i < 8; i++)
                            result[size_t(i)] = s.regs[1][size_t(2 * i + odd)];
                        return result;
                    },
                    {}});
    else
        EXPECT_THROW(lane_code(GetParam(), 32, split), std::logic_error);
    if (interleaves)
        check({"interleave_words", 64, 1, 64, {}, interleave,
                [](const state &s) {
                    bytes result {};
                    for (int i = 0; i < 32; i++)
                        set_lane(result, i, lane<uint16_t>(s.regs[1 + i % 2], i / 2));
                    return result;
                },
                {}});
    else
        EXPECT_THROW(lane_code(GetParam(), 32, interleave), std::logic_error);
}

// Clamped with NaN left alone, by constants in memory and in registers.
TEST_P(LanePackingOn, BoundsThatKeepNans) {
    for (int width : widths())
        for (bool is_kept : {false, true})
            check({"min_or_nan_f32", width, 1, width, {2, 3, 4},
                    [&](lane_ops &ops) {
                        if (is_kept) ops.keep_constants_in({3, 4});
                        with_kept_constants(ops, [&] {
                            ops.min_or_nan_f32(1, bits_of(1.5f), 2);
                            ops.max_or_nan_f32(1, bits_of(-2.0f), 2);
                        });
                    },
                    [&](const state &s) {
                        return converted<uint32_t, uint32_t>(width / 4, s.regs[1], [](uint32_t v) {
                            float f;
                            std::memcpy(&f, &v, sizeof f);
                            return std::isnan(f) ? v : bits_of(std::clamp(f, -2.0f, 1.5f));
                        });
                    },
                    {}});
}

TEST_P(LanePackingOn, ZeroWhereGreater) {
    for (int width : widths())
        for (int a : {1, 2})
            check({"zero_where_greater_i16", width, 1, width, {},
                    [&](lane_ops &ops) { ops.zero_where_greater_i16(1, a, 0x7f007f00); },
                    [&](const state &s) {
                        bytes result {};
                        for (int i = 0; i < width / 2; i++)
                            set_lane(result, i,
                                    lane<int16_t>(s.regs[a], i) > 0x7f00
                                            ? uint16_t(0)
                                            : lane<uint16_t>(s.regs[1], i));
                        return result;
                    },
                    {}});
}

// The first constants stay in the registers given, the others are in memory: results are the same.
TEST_P(LanePackingOn, ConstantsInRegisters) {
    for (int n_kept : {0, 1, 4}) {
        const std::vector<int> spare = {5, 6, 4, 3};
        check({"kept constants", GetParam().vector_bytes, 1, GetParam().vector_bytes, {3, 4, 5, 6},
                [&](lane_ops &ops) {
                    ops.keep_constants_in({spare.begin(), spare.begin() + n_kept});
                    using tfmt::cpu::jit::lane_op;
                    with_kept_constants(ops, [&] {
                        for (uint32_t c : {0x00010203u, 0x0f0f0f0fu, 0x00010203u, 0x12345678u})
                            ops.op_with(c == 0x0f0f0f0f ? lane_op::xor_bits : lane_op::add_i32, 1,
                                    1, c);
                    });
                },
                [&](const state &s) {
                    return converted<uint32_t, uint32_t>(
                            GetParam().vector_bytes / 4, s.regs[1], [](uint32_t v) {
                                return ((v + 0x00010203) ^ 0x0f0f0f0f) + 0x00010203 + 0x12345678;
                            });
                },
                {}});
    }
}

INSTANTIATE_TEST_SUITE_P(
        Machines, LanePackingOn, testing::ValuesIn(lane_machines()), lane_test_name_of);

} // namespace
