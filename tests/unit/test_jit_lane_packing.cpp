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
            if (!has_parts) {
                EXPECT_THROW(
                        lane_code(GetParam(), width, [](lane_ops &ops) { ops.join_parts(1, 2); }),
                        std::logic_error);
                continue;
            }
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

TEST_P(LanePackingOn, NansToZero) {
    for (int width : widths())
        check({"clear_nan_f32", width, 1, width, {}, [](lane_ops &ops) { ops.clear_nan_f32(1); },
                [&](const state &s) {
                    return converted<uint32_t, float>(width / 4, s.regs[1],
                            [](float v) { return std::isnan(v) ? 0 : bits_of(v); });
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

INSTANTIATE_TEST_SUITE_P(
        Machines, LanePackingOn, testing::ValuesIn(lane_machines()), lane_test_name_of);

} // namespace
