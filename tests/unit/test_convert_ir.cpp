// SPDX-License-Identifier: Apache-2.0
// IR of kernels that convert, made by hand: what the interpreter does with them, their text, and
// what verify() refuses.
#include <cstring>
#include <functional>

#include "tests/unit/ir_helpers.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using namespace tfmt::cpu::ir;
using tfmt::conversion;

constexpr uint64_t all16 = 0xffff;

conversion make_conversion(tfmt_data_type_t src, int src_elem_bits, tfmt_data_type_t dst,
        int dst_elem_bits, bool at_load) {
    conversion c;
    c.src_type = src;
    c.dst_type = dst;
    c.src_elem_bits = src_elem_bits;
    c.dst_elem_bits = dst_elem_bits;
    c.at_load = at_load;
    return c;
}

kernel with_block(int elem_bytes, const conversion &c, block ops) {
    kernel k;
    k.vector_bytes = 16;
    k.elem_bytes = elem_bytes;
    k.converts = c;
    k.n_values = int(ops.size());
    k.blocks = {std::move(ops)};
    k.root = {make_block(0)};
    return k;
}

// 16 f32 become bytes with a u4 each when they are loaded; the first 6 are stored, in 3 bytes.
kernel narrowing_kernel() {
    return with_block(1, make_conversion(tfmt_f32, 32, tfmt_u4, 4, true),
            {make_load(0, 16, {{0, all16, all16}}), make_store(0, 16, {{0, 0x3f, 0x3f}})});
}

// 6 of 8 bf16, whose pairs change places, become f32 when they are stored, 4 at each of two places;
// the last two are padding.
kernel widening_kernel() {
    op swap(op_kind::within16);
    swap.out = 1;
    swap.a = 0;
    swap.constant = 0;
    kernel k = with_block(2, make_conversion(tfmt_bf16, 16, tfmt_f32, 32, false),
            {make_load(0, 16, {{0, 0x0fff, 0x0fff}}), swap,
                    make_store(1, 8, {{0, 0xff, 0xff}, {32, 0xff, 0x0f}})});
    byte_indices indices {};
    for (int i = 0; i < 16; i++)
        indices[size_t(i)] = uint8_t(i ^ 2);
    k.constants = {indices};
    return k;
}

TEST(Interpreter, ConvertsInLoads) {
    const float src[16] = {0, 1, 2.5f, 3.5f, 99, -1, 7, 7};
    uint8_t dst[16];
    std::memset(dst, 0xee, sizeof dst);
    ASSERT_EQ(verify(narrowing_kernel()), "");
    interpret(narrowing_kernel(), src, dst, 1, false);
    const uint8_t wanted[16] = {0x10, 0x42, 0x0f, 0xee};
    EXPECT_EQ(std::memcmp(dst, wanted, 4), 0);
    for (int i = 3; i < 16; i++)
        EXPECT_EQ(dst[i], 0xee) << i;
}

TEST(Interpreter, ConvertsInStores) {
    const uint16_t src[8] = {0x3f80, 0x4000, 0xbf80, 0x7fc1, 0x4040, 0x4080, 0x1111, 0x2222};
    uint32_t dst[16];
    std::memset(dst, 0xee, sizeof dst);
    ASSERT_EQ(verify(widening_kernel()), "");
    interpret(widening_kernel(), src, dst, 1, false);
    // The masked part of the load is zero, and what is padding whatever it is.
    const uint32_t wanted[16] = {0x40000000, 0x3f800000, 0x7fc10000, 0xbf800000, 0xeeeeeeee,
            0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee, 0x40800000, 0x40400000, 0, 0, 0xeeeeeeee,
            0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee};
    for (int i = 0; i < 16; i++)
        EXPECT_EQ(dst[i], wanted[i]) << i;
}

TEST(Text, OfKernelsThatConvert) {
    EXPECT_EQ(to_text(narrowing_kernel()),
            "kernel: vectors of 16 bytes, lanes of 1, f32 -> u4 in loads\n"
            "  loop root_count src+=0 dst+=0\n"
            "    block 0\n"
            "  block 0\n"
            "    v0 = load.16 [0]\n"
            "    store.16 v0 -> [0]&0x3f\n");
    const std::string text = to_text(widening_kernel());
    EXPECT_EQ(text.find("kernel: vectors of 16 bytes, lanes of 2, bf16 -> f32 in stores\n"), 0u);
    EXPECT_NE(text.find("store.8 v1 -> [0] [32] of which data 0xf\n"), std::string::npos) << text;
}

struct damage {
    const char *why;
    std::function<void(kernel &)> apply;
};

template <size_t N>
void expect_refused(const kernel &sound, const damage (&rows)[N]) {
    ASSERT_EQ(verify(sound), "");
    for (size_t i = 0; i < N; i++) {
        kernel k = sound;
        rows[i].apply(k);
        EXPECT_EQ(verify(k), rows[i].why) << "row " << i;
    }
}

TEST(Verify, RefusesConversionsOfNoTypes) {
    const damage rows[] = {
            {"lane width", [](kernel &k) { k.elem_bytes = -1; }},
            {"lane width", [](kernel &k) { k.elem_bytes = 3; }},
            {"lane width", [](kernel &k) { k.elem_bytes = 32; }},
            {"lane width", [](kernel &k) { k.vector_bytes = 1; }},
            {"unknown type", [](kernel &k) { k.converts.src_type = tfmt_data_type_t(99); }},
            {"unknown type", [](kernel &k) { k.converts.dst_type = tfmt_data_type_undef; }},
            {"elements in memory of another width than their type",
                    [](kernel &k) { k.converts.src_elem_bits = 32; }},
            {"elements in memory of another width than their type",
                    [](kernel &k) { k.converts.dst_elem_bits = 4; }},
            {"lanes of another width", [](kernel &k) { k.elem_bytes = 1; }},
            {"lanes of another width", [](kernel &k) { k.elem_bytes = 4; }},
            {"lanes of another width", [](kernel &k) { k.elem_bytes = 0; }},
            {"lanes of another width", [](kernel &k) { k.converts.at_load = true; }},
            {"conversion of a scalar", [](kernel &k) { k.vector_bytes = 8; }},
    };
    expect_refused(widening_kernel(), rows);
}

TEST(Verify, RefusesPartsOfElements) {
    const damage rows[] = {
            {"chunk of parts of elements",
                    [](kernel &k) {
                        k.blocks[0][0] = make_load(0, 1, chunk_list(16, {0, 1, 1}));
                    }},
            {"mask of parts of elements",
                    [](kernel &k) { k.blocks[0][0].chunks[0].mask = 0xfff8; }},
            {"mask of parts of elements", [](kernel &k) { k.blocks[0][2].chunks[0].mask = 0x7f; }},
            {"data beyond its mask", [](kernel &k) { k.blocks[0][2].chunks[1].data = 0x3ff; }},
            {"data beyond its mask", [](kernel &k) { k.blocks[0][2].chunks[1].mask = 0x03; }},
            {"data of parts of elements", [](kernel &k) { k.blocks[0][2].chunks[1].data = 0x07; }},
            {"shuffle of parts of elements", [](kernel &k) { k.constants[0][4] = 5; }},
            {"shuffle of parts of elements", [](kernel &k) { k.constants[0][5] = 4; }},
            {"shuffle of parts of elements",
                    [](kernel &k) {
                        for (size_t i = 0; i < 16; i++)
                            k.constants[0][i] = uint8_t((i + 1) % 16);
                    }},
    };
    expect_refused(widening_kernel(), rows);
}

TEST(Verify, RefusesHalvesOfPairs) {
    const damage rows[] = {
            {"chunk of half a pair",
                    [](kernel &k) {
                        k.blocks[0][1] = make_store(0, 1, chunk_list(16, {0, 1, 1}));
                    }},
            {"mask of half a pair", [](kernel &k) { k.blocks[0][1].chunks[0].mask = 0x1f; }},
            {"mask of half a pair", [](kernel &k) { k.blocks[0][1].chunks[0].mask = 0x1e; }},
            {"load of padding", [](kernel &k) { k.blocks[0][0].chunks[0].data = 0x7fff; }},
            {"data beyond its mask", [](kernel &k) { k.blocks[0][0].chunks[0].mask = 0x7fff; }},
    };
    expect_refused(narrowing_kernel(), rows);
}

// The same, with a scale and a zero point for each two lanes.
kernel computing_kernel() {
    kernel k = widening_kernel();
    tfmt::arithmetic &steps = k.converts.steps;
    steps.computing_type = tfmt_f32;
    steps.operands[tfmt::src_scale] = {true, false, 0};
    steps.operands[tfmt::dst_zero_point] = {true, false, 64};
    k.lane_param_offset_bytes = {0, 0, 4, 4, 8, 8, 12, 12};
    return k;
}

TEST(Interpreter, ComputesWithParametersOfLanes) {
    const uint16_t src[8] = {0x3f80, 0x4000, 0xbf80, 0x4040, 0x4040, 0x4080, 0x1111, 0x2222};
    const float arrays[32] = {10, 100, 0.5f, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
    float dst[16] = {};
    interpret(computing_kernel(), src, dst, 1, false, {nullptr, arrays});
    // Lanes are those of the shuffled values.
    const float wanted[12] = {21, 11, 302, -98, 0, 0, 0, 0, 5, 4.5f, 0, 0};
    for (int i = 0; i < 12; i++)
        EXPECT_EQ(dst[i], wanted[i]) << i;
}

TEST(Verify, RefusesParametersOfNoLanes) {
    const damage rows[] = {
            {"computed in another type",
                    [](kernel &k) { k.converts.steps.computing_type = tfmt_f64; }},
            {"lanes without parameters", [](kernel &k) { k.lane_param_offset_bytes.clear(); }},
            {"lanes without parameters", [](kernel &k) { k.lane_param_offset_bytes.push_back(0); }},
            {"parts of parameters", [](kernel &k) { k.lane_param_offset_bytes[3] = 6; }},
            {"parts of parameters", [](kernel &k) { k.lane_param_offset_bytes[0] = -4; }},
            {"parts of parameters", [](kernel &k) { k.blocks[0][2].param_offset_bytes = 2; }},
            {"sum without old values",
                    [](kernel &k) {
                        k.converts.steps.has_sum = true;
                        k.scratch_bytes = 64;
                    }},
    };
    expect_refused(computing_kernel(), rows);
    kernel k = narrowing_kernel();
    k.converts.steps.computing_type = tfmt_f32;
    EXPECT_EQ(verify(k), "");
    k.converts.steps.has_sum = true;
    EXPECT_EQ(verify(k), "sum without old values");
    // Padding has no parameters.
    k = computing_kernel();
    k.lane_param_offset_bytes.clear();
    for (chunk &c : k.blocks[0][2].chunks)
        c.data = 0;
    EXPECT_EQ(verify(k), "");
}

// The side that does not convert, and kernels that only move, have masks without data.
TEST(Verify, LooksAtDataWhereItIsConverted) {
    kernel k = narrowing_kernel();
    k.blocks[0][1].chunks[0].data = ~uint64_t(0);
    EXPECT_EQ(verify(k), "");
    k = widening_kernel();
    k.blocks[0][0].chunks[0].data = ~uint64_t(0);
    EXPECT_EQ(verify(k), "");
    k = widening_kernel();
    k.converts = conversion();
    k.blocks[0][2].chunks[0].data = ~uint64_t(0);
    EXPECT_EQ(verify(k), "");
    k.blocks[0][2].chunks[0].mask = 0x7f;
    EXPECT_EQ(verify(k), "mask of parts of elements");
}

} // namespace
