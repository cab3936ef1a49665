// SPDX-License-Identifier: Apache-2.0
// Conversions of lane_ops between types of lanes, between lanes and packed elements, and of bytes
// with nibbles, on each ISA that the host has and in every width, against plain C++.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/element.hpp"
#include "tests/unit/lane_ops_helpers.hpp"

namespace {

using namespace lane_test;

class LaneConversionsOn : public lane_fixture {
protected:
    using call = std::function<void(lane_ops &, int out, int a)>;

    // out = f(a), in another register and in the same; a bit more than the result may be expected.
    void check_unary(const std::string &what, int width, int n_bytes, const call &emit,
            const std::function<bytes(const bytes &)> &wanted,
            const std::function<void(bytes &)> &prepare = {}) {
        for (int out : {1, 2})
            check({what, width, out, n_bytes, {}, [&](lane_ops &ops) { emit(ops, out, 2); },
                    [&](const state &s) { return wanted(s.regs[2]); },
                    [&](state &s) {
                        if (prepare) prepare(s.regs[2]);
                    }});
    }

    // n lanes of From at the bottom of a become n of To.
    template <typename To, typename From, typename F>
    void check_lanes(const std::string &what, int width, int n, const call &emit, F &&f) {
        check_unary(what, width, n * int(sizeof(To)), emit,
                [&](const bytes &a) { return converted<To, From>(n, a, f); });
    }
};

template <typename T>
int32_t to_i32(T v) {
    const bool is_in_range = v >= T(-2147483648.0) && std::nearbyint(v) < T(2147483648.0);
    return is_in_range ? int32_t(std::nearbyint(v)) : INT32_MIN;
}

int64_t to_i64_saturated(double v) {
    if (std::isnan(v)) return 0;
    if (v >= 0x1p63) return INT64_MAX;
    return v <= -0x1p63 ? INT64_MIN : int64_t(std::nearbyint(v));
}

TEST_P(LaneConversionsOn, LanesOf32Bits) {
    for (int width : widths()) {
        const int n = width / 4;
        check_lanes<float, int32_t>(
                "f32_from_i32", width, n,
                [](lane_ops &ops, int out, int a) { ops.f32_from_i32(out, a); },
                [](int32_t v) { return float(v); });
        check_lanes<int32_t, float>(
                "i32_from_f32", width, n,
                [](lane_ops &ops, int out, int a) { ops.i32_from_f32(out, a); }, to_i32<float>);
    }
}

// 64-bit lanes fill the width, 32-bit ones half of it.
TEST_P(LaneConversionsOn, LanesOf64Bits) {
    for (int width : widths(16)) {
        const int n = width / 8;
        check_lanes<double, float>(
                "f64_from_f32", width, n,
                [](lane_ops &ops, int out, int a) { ops.f64_from_f32(out, a); },
                [](float v) { return double(v); });
        check_lanes<double, int32_t>(
                "f64_from_i32", width, n,
                [](lane_ops &ops, int out, int a) { ops.f64_from_i32(out, a); },
                [](int32_t v) { return double(v); });
        check_lanes<int64_t, int32_t>(
                "i64_from_i32", width, n,
                [](lane_ops &ops, int out, int a) { ops.i64_from_i32(out, a); },
                [](int32_t v) { return int64_t(v); });
        check_lanes<float, double>(
                "f32_from_f64", width, n,
                [](lane_ops &ops, int out, int a) { ops.f32_from_f64(out, a); },
                [](double v) { return float(v); });
        check_lanes<int32_t, double>(
                "i32_from_f64", width, n,
                [](lane_ops &ops, int out, int a) { ops.i32_from_f64(out, a); }, to_i32<double>);
        check_lanes<uint32_t, uint64_t>(
                "low_halves", width, n,
                [](lane_ops &ops, int out, int a) { ops.low_halves(out, a); },
                [](uint64_t v) { return uint32_t(v); });
        check_lanes<uint32_t, uint64_t>(
                "high_halves", width, n,
                [](lane_ops &ops, int out, int a) { ops.high_halves(out, a); },
                [](uint64_t v) { return uint32_t(v >> 32); });
    }
}

TEST_P(LaneConversionsOn, IntegersOf64Bits) {
    for (int width : widths(16))
        for (int out : {1, 2}) {
            const int n = width / 8;
            check({"f64_from_i64", width, out, width, {2, 3, 4},
                    [&](lane_ops &ops) { ops.f64_from_i64(out, 2, 3, 4); },
                    [&](const state &s) {
                        return converted<double, int64_t>(
                                n, s.regs[2], [](int64_t v) { return double(v); });
                    },
                    {}});
            check({"i64_from_f64", width, out, width, {2, 3, 4},
                    [&](lane_ops &ops) { ops.i64_from_f64(out, 2, 3, 4); },
                    [&](const state &s) {
                        return converted<int64_t, double>(n, s.regs[2], to_i64_saturated);
                    },
                    {}});
        }
}

uint32_t bits_of(float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

TEST_P(LaneConversionsOn, FloatsOf16Bits) {
    for (int width : widths()) {
        const int n = width / 4;
        const lane_code probe(GetParam(), width, [&](lane_ops &ops) {
            EXPECT_EQ(ops.has_f16(), !is_sse());
            EXPECT_EQ(ops.has_bf16(), GetParam().isa >= tfmt_cpu_isa_avx512_core_bf16);
            EXPECT_EQ(ops.has_f16_arithmetic(), GetParam().isa == tfmt_cpu_isa_avx512_core_fp16);
        });
        if (!is_sse()) {
            check_lanes<uint32_t, uint16_t>(
                    "f32_from_f16", width, n,
                    [](lane_ops &ops, int out, int a) { ops.f32_from_f16(out, a); },
                    [](uint16_t v) {
                        return uint32_t(tfmt_test::convert_bits(tfmt_f16, v, tfmt_f32));
                    });
            check_lanes<uint16_t, uint32_t>(
                    "f16_from_f32", width, n,
                    [](lane_ops &ops, int out, int a) { ops.f16_from_f32(out, a); },
                    [](uint32_t v) {
                        return uint16_t(tfmt_test::convert_bits(tfmt_f32, v, tfmt_f16));
                    });
        }
        if (GetParam().isa < tfmt_cpu_isa_avx512_core_bf16) continue;
        const auto flushed_bf16 = [](float v) {
            const float flushed = std::fpclassify(v) == FP_SUBNORMAL ? v * 0 : v;
            return uint16_t(tfmt_test::convert_bits(tfmt_f32, bits_of(flushed), tfmt_bf16));
        };
        check_lanes<uint16_t, float>(
                "bf16_from_f32", width, n,
                [](lane_ops &ops, int out, int a) { ops.bf16_from_f32(out, a); }, flushed_bf16);
        if (width < 16) continue;
        check({"bf16_from_two_f32", width, 3, width, {},
                [](lane_ops &ops) { ops.bf16_from_two_f32(3, 1, 2); },
                [&](const state &s) {
                    bytes result {};
                    for (int i = 0; i < 2 * n; i++)
                        set_lane(result, i, flushed_bf16(lane<float>(s.regs[1 + i / n], i % n)));
                    return result;
                },
                {}});
    }
}

TEST_P(LaneConversionsOn, IntegersAndFloatsOf16Bits) {
    if (GetParam().isa < tfmt_cpu_isa_avx512_core_fp16) GTEST_SKIP() << "no AVX512_FP16";
    for (int width : widths()) {
        const int n = width / 2;
        check_lanes<uint16_t, int16_t>(
                "f16_from_i16", width, n,
                [](lane_ops &ops, int out, int a) { ops.f16_from_i16(out, a); },
                [](int16_t v) {
                    return uint16_t(tfmt_test::convert_bits(tfmt_f32, bits_of(float(v)), tfmt_f16));
                });
        check_unary(
                "i16_from_f16", width, n * 2,
                [](lane_ops &ops, int out, int a) { ops.i16_from_f16(out, a); },
                [&](const bytes &a) {
                    return converted<int16_t, uint16_t>(n, a, [](uint16_t v) {
                        const auto bits = uint32_t(tfmt_test::convert_bits(tfmt_f16, v, tfmt_f32));
                        float value;
                        std::memcpy(&value, &bits, sizeof value);
                        return int16_t(std::nearbyint(value));
                    });
                },
                [&](bytes &a) { // below 32768
                    for (int i = 0; i < n; i++)
                        set_lane(a, i,
                                uint16_t((lane<uint16_t>(a, i) & 0x83ff)
                                        | std::min(lane<uint16_t>(a, i) >> 10 & 31, 29) << 10));
                });
    }
}

// Words that are infinite, NaN or denormal are not for these.
TEST_P(LaneConversionsOn, SumsWithEvenAndOddWords) {
    for (int width : widths(16))
        for (float addend : {0x1.8p23f, 0x1p7f, -1.0f, 0.0f})
            for (bool is_odd : {false, true})
                check({is_odd ? "add_bf16, odd" : "add_bf16, even", width, 2, width, {},
                        [&](lane_ops &ops) { ops.add_bf16(2, 1, is_odd, bits_of(addend)); },
                        [&](const state &s) {
                            bytes result {};
                            for (int i = 0; i < width / 4; i++) {
                                const uint32_t word = lane<uint16_t>(s.regs[1], 2 * i + is_odd);
                                float v;
                                const uint32_t bits = word << 16;
                                std::memcpy(&v, &bits, sizeof v);
                                set_lane(result, i, v + addend);
                            }
                            return result;
                        },
                        [&](state &s) {
                            for (int i = 0; i < width / 2; i++) {
                                const int word = lane<uint16_t>(s.regs[1], i);
                                const int exponent = std::clamp(word >> 7 & 0xff, 1, 254);
                                set_lane(s.regs[1], i, uint16_t((word & 0x807f) | exponent << 7));
                            }
                        }});
}

TEST_P(LaneConversionsOn, RefuseFloatsThatTheyHaveNot) {
    const auto emits = [&](const std::function<void(lane_ops &)> &body) {
        lane_code(GetParam(), 16, body);
    };
    if (is_sse()) {
        EXPECT_THROW(emits([](lane_ops &ops) { ops.f32_from_f16(1, 2); }), std::logic_error);
        EXPECT_THROW(emits([](lane_ops &ops) { ops.f16_from_f32(1, 2); }), std::logic_error);
    }
    if (GetParam().isa < tfmt_cpu_isa_avx512_core_fp16) {
        EXPECT_THROW(emits([](lane_ops &ops) { ops.f16_from_i16(1, 2); }), std::logic_error);
        EXPECT_THROW(emits([](lane_ops &ops) { ops.i16_from_f16(1, 2); }), std::logic_error);
    }
    if (GetParam().isa < tfmt_cpu_isa_avx512_core) {
        EXPECT_THROW(emits([](lane_ops &ops) { ops.bf16_from_f32(1, 2); }), std::logic_error);
        EXPECT_THROW(
                emits([](lane_ops &ops) { ops.bf16_from_two_f32(1, 2, 3); }), std::logic_error);
    }
}

// ---------------------------------------------------------------- packed elements

// Behind narrowed elements 16 bytes are zero, as far as they go.
int with_zeros(int n_bytes) { return std::max(n_bytes, 16); }

TEST_P(LaneConversionsOn, ElementsWiderAndNarrower) {
    for (int width : widths()) {
        const int n = width / 4;
        check_lanes<int32_t, int8_t>(
                "widen s8", width, n,
                [](lane_ops &ops, int out, int a) { ops.widen(out, a, 1, true); },
                [](int8_t v) { return int32_t(v); });
        check_lanes<uint32_t, uint8_t>(
                "widen u8", width, n,
                [](lane_ops &ops, int out, int a) { ops.widen(out, a, 1, false); },
                [](uint8_t v) { return uint32_t(v); });
        check_lanes<int32_t, int16_t>(
                "widen s16", width, n,
                [](lane_ops &ops, int out, int a) { ops.widen(out, a, 2, true); },
                [](int16_t v) { return int32_t(v); });
        check_lanes<uint32_t, uint16_t>(
                "widen u16", width, n,
                [](lane_ops &ops, int out, int a) { ops.widen(out, a, 2, false); },
                [](uint16_t v) { return uint32_t(v); });
        // Below 16 bytes they work on 16, and so have more elements in place of zeros.
        const int n_zero = width < 16 ? n : with_zeros(n);
        check_unary(
                "narrow to bytes", width, n_zero,
                [](lane_ops &ops, int out, int a) { ops.narrow(out, a, 1); },
                [&](const bytes &a) {
                    return converted<uint8_t, uint32_t>(
                            n, a, [](uint32_t v) { return uint8_t(v); });
                });
        check_unary(
                "narrow to words", width, width < 16 ? 2 * n : with_zeros(2 * n),
                [](lane_ops &ops, int out, int a) { ops.narrow(out, a, 2); },
                [&](const bytes &a) {
                    return converted<uint16_t, uint32_t>(
                            n, a, [](uint32_t v) { return uint16_t(v); });
                });
    }
}

TEST_P(LaneConversionsOn, BytesAndWords) {
    for (int width : widths(16)) {
        const int n = width / 2;
        check_lanes<int16_t, int8_t>(
                "widen_words s8", width, n,
                [](lane_ops &ops, int out, int a) { ops.widen_words(out, a, true); },
                [](int8_t v) { return int16_t(v); });
        check_lanes<uint16_t, uint8_t>(
                "widen_words u8", width, n,
                [](lane_ops &ops, int out, int a) { ops.widen_words(out, a, false); },
                [](uint8_t v) { return uint16_t(v); });
        check_unary(
                "narrow_words", width, with_zeros(n),
                [](lane_ops &ops, int out, int a) { ops.narrow_words(out, a); },
                [&](const bytes &a) {
                    return converted<uint8_t, uint16_t>(
                            n, a, [](uint16_t v) { return uint8_t(v); });
                });
        // For half the width.
        check_lanes<uint16_t, uint8_t>(
                "high_bytes", width, n / 2,
                [](lane_ops &ops, int out, int a) { ops.high_bytes(out, a); },
                [](uint8_t v) { return uint16_t(v << 8); });
    }
}

TEST_P(LaneConversionsOn, WordsOfTwoRegisters) {
    struct {
        int out, low, high;
    } rows[] = {{1, 2, 3}, {1, 1, 2}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};
    for (int width : widths(16))
        for (const auto &r : rows)
            check({"merge_words", width, r.out, width, {},
                    [&](lane_ops &ops) { ops.merge_words(r.out, r.low, r.high); },
                    [&](const state &s) {
                        return lanewise<uint32_t>(
                                width, s.regs[r.low], s.regs[r.high], [](uint32_t x, uint32_t y) {
                                    return (x & 0xffff) | (y & 0xffff0000);
                                });
                    },
                    {}});
}

// Of an index the low 4 bits count, and the 7 low ones may be set.
TEST_P(LaneConversionsOn, TablesOfWords) {
    random_source random(9);
    lane_ops::words_16 table {};
    for (int i = 1; i < 16; i++)
        table[i] = uint16_t(random.bits());
    for (int width : widths(16))
        check({"lookup_words", width, 1, width, {},
                [&](lane_ops &ops) { ops.lookup_words(1, 2, table); },
                [&](const state &s) {
                    return converted<uint16_t, uint16_t>(
                            width / 2, s.regs[2], [&](uint16_t i) { return table[i & 15]; });
                },
                [](state &s) {
                    for (int i = 0; i < 32; i++)
                        set_lane(s.regs[2], i, uint16_t(lane<uint16_t>(s.regs[2], i) & 0x7f));
                }});
}

TEST_P(LaneConversionsOn, Nibbles) {
    for (int width : widths(16)) {
        check_unary(
                "unpack_nibbles", width, width,
                [](lane_ops &ops, int out, int a) { ops.unpack_nibbles(out, a); },
                [&](const bytes &a) {
                    bytes result {};
                    for (int i = 0; i < width; i++)
                        result[size_t(i)] = uint8_t(a[size_t(i / 2)] >> 4 * (i % 2) & 0xf);
                    return result;
                });
        check_unary(
                "pack_nibbles", width, width / 2,
                [](lane_ops &ops, int out, int a) { ops.pack_nibbles(out, a); },
                [&](const bytes &a) {
                    bytes result {};
                    for (int i = 0; i < width; i++)
                        result[size_t(i / 2)] |= uint8_t(a[size_t(i)] << 4 * (i % 2));
                    return result;
                },
                [](bytes &a) {
                    for (uint8_t &byte : a)
                        byte &= 0xf;
                });
    }
}

// ---------------------------------------------------------------- bytes

TEST_P(LaneConversionsOn, KeepsBytes) {
    random_source random(3);
    for (int width : widths())
        for (int round = 0; round < 12; round++) {
            const uint64_t all = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
            const uint64_t mask = round == 0 ? 0 : round == 1 ? all : random.bits() & all;
            for (int out : {1, 2})
                check({"keep " + std::to_string(mask), width, out, width, {},
                        [&](lane_ops &ops) { ops.keep_bytes(out, 2, mask); },
                        [&](const state &s) {
                            bytes result {};
                            for (int i = 0; i < width; i++)
                                if (mask >> i & 1) result[size_t(i)] = s.regs[2][size_t(i)];
                            return result;
                        },
                        {}});
        }
}

// Near ones, which one register reaches, and far ones.
TEST_P(LaneConversionsOn, Picks) {
    random_source random(5);
    for (int width : widths(16))
        for (int lane_bytes : {4, 8})
            for (int reach_bytes : {16, 32, 64, 448})
                for (int round = 0; round < 4; round++) {
                    std::vector<int32_t> offsets;
                    for (int i = 0; i < width / lane_bytes; i++)
                        offsets.push_back(
                                int32_t(random.below(reach_bytes / lane_bytes)) * lane_bytes);
                    check({"pick within " + std::to_string(reach_bytes), width, 1, width, {2},
                            [&](lane_ops &ops) {
                                ops.pick(1, Xbyak::util::rdi + memory_begin_bytes, offsets,
                                        lane_bytes, 2);
                            },
                            [&](const state &s) {
                                bytes b {};
                                for (size_t i = 0; i < offsets.size(); i++)
                                    std::memcpy(&b[i * size_t(lane_bytes)], s.memory + offsets[i],
                                            size_t(lane_bytes));
                                return b;
                            },
                            {}});
                    if (HasFatalFailure()) return;
                }
}

INSTANTIATE_TEST_SUITE_P(
        Machines, LaneConversionsOn, testing::ValuesIn(lane_machines()), lane_test_name_of);

} // namespace
