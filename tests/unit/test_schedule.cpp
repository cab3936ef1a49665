// SPDX-License-Identifier: Apache-2.0
// Tiles and their schedules, for machines that need not be the host: a table of what each pair of
// layouts becomes on each ISA, and a simulation of every schedule found for random tiles.
#include <algorithm>
#include <cmath>
#include <set>

#include "cpu/plan/stages.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::cpu::schedule;
using tfmt::cpu::stage;
using tfmt::cpu::stage_kind;
using tfmt::cpu::tile;
using tfmt::cpu::tile_bit;

// What a stage costs for one register, in unpacks; the table of stages.cpp written down again.
float cost_of(stage_kind kind, int vector_bytes) {
    switch (kind) {
    case stage_kind::unpack: return 1.0f;
    case stage_kind::halves:
    case stage_kind::quarters:
    case stage_kind::alternate: return 1.6f;
    case stage_kind::permute2: return 2.0f;
    case stage_kind::dwords: return vector_bytes == 32 ? 1.4f : 1.3f;
    default: return 1.3f;
    }
}

bool uses_indices(const stage &s) { return s.entering < 0 || s.kind == stage_kind::permute2; }

// "64/32": loads and stores of so many bytes.
std::string runs_text(const tile &t) {
    return std::to_string(t.elem_bytes << t.src_run.size()) + "/"
            + std::to_string(t.elem_bytes << t.dst_run.size());
}

// "64/32/16 4": loads of 64 bytes, stores of 32, 16 registers, 4 stages; "+1" if one of the stages
// takes an index vector.
std::string summary(const tile &t, const schedule &s) {
    const auto n_indexed = std::count_if(s.stages.begin(), s.stages.end(), uses_indices);
    std::string text = runs_text(t) + "/" + std::to_string(1 << t.n_reg_bits()) + " "
            + std::to_string(s.stages.size());
    return n_indexed ? text + "+" + std::to_string(n_indexed) : text;
}

struct row {
    tfmt_data_type_t type;
    vec dims;
    const char *src;
    const char *dst;
    const char *sse41;
    const char *avx2;
    const char *avx512;
    const char *vbmi;
};

void check(const std::vector<row> &rows) {
    for (const row &r : rows) {
        const std::string wanted[] = {r.sse41, r.avx2, r.avx512, r.vbmi};
        for (size_t i = 0; i < all_machines().size(); i++) {
            const machine &m = all_machines()[i];
            const auto p = planned(normalized(r.dims, r.src, r.dst, r.type), m);
            EXPECT_EQ(summary(p.the_tile, p.the_schedule), wanted[i])
                    << r.src << " -> " << r.dst << " on " << name_of(m) << "\n"
                    << to_text(p.the_tile) << to_text(p.the_schedule);
        }
    }
}

// Images whose rows do not collide in a cache.
const vec image {2, 64, 30, 34};

TEST(Tiles, TransposesOfImages) {
    check({
            {tfmt_f64, image, "nchw", "nhwc", "16/16/2 1", "32/32/4 2", "64/64/8 2", "64/64/8 2"},
            {tfmt_f32, image, "nchw", "nhwc", "16/16/4 2", "32/32/8 3", "64/64/16 3", "64/64/16 3"},
            {tfmt_f32, image, "nhwc", "nchw", "16/16/4 2", "32/32/8 3", "64/64/16 3", "64/64/16 3"},
            // Whole stores; loads as long as the registers allow.
            {tfmt_bf16, image, "nchw", "nhwc", "16/16/8 3", "16/32/8 3", "32/64/16 4",
                    "32/64/16 4"},
            {tfmt_bf16, image, "nhwc", "nchw", "16/16/8 3", "16/32/8 3", "32/64/16 4",
                    "32/64/16 4"},
            // More registers than there are (max_spilled_elem_bytes).
            {tfmt_u8, image, "nchw", "nhwc", "16/16/16 4", "16/32/16 4", "16/64/16 4",
                    "16/64/16 4"},
            // Three channels take the lanes of four; behind them the run goes on with the next
            // pixel, as far as one permute can close the gaps.
            {tfmt_f32, {1, 3, 30, 34}, "nchw", "nhwc", "16/16/4 2", "32/16/4 2", "64/64/4 1+1",
                    "64/64/4 1+1"},
            {tfmt_u8, {1, 3, 30, 34}, "nchw", "nhwc", "16/16/4 2", "32/16/4 2", "64/16/4 2",
                    "64/64/4 1+1"},
    });
}

TEST(Tiles, PlainToBlocked) {
    check({
            {tfmt_f32, image, "nchw", "nChw16c", "16/16/4 2", "32/32/8 3", "64/64/16 3",
                    "64/64/16 3"},
            {tfmt_bf16, image, "nchw", "nChw32c", "16/16/8 3", "16/32/8 3", "32/64/16 4",
                    "32/64/16 4"},
            // 16 channels of 2 bytes are half a vector of 64: its other half is the next pixel,
            // which takes one two-source permute.
            {tfmt_bf16, image, "nchw", "nChw16c", "16/16/8 3", "16/32/8 3", "64/64/16 3+1",
                    "64/64/16 3+1"},
            {tfmt_bf16, image, "nChw16c", "nchw", "16/16/8 3", "16/32/8 3", "64/64/16 4+1",
                    "64/64/16 4+1"},
            // Bytes are permuted across 16 bytes with VBMI only; without it 8 bytes at a time.
            {tfmt_u8, image, "nchw", "nChw32c", "16/16/16 4", "16/32/16 4", "32/64/16 5+1",
                    "32/64/16 4+1"},
            // Rows of 9 are runs of 16 with 7 masked off.
            {tfmt_f32, {64, 64, 3, 3}, "oihw", "OIhw16i16o", "16/16/4 2", "32/32/8 3", "64/64/16 3",
                    "64/64/16 3"},
    });
}

TEST(Tiles, Vnni) {
    check({
            // Pairs (fours) that are neighbours on both sides are 4-byte elements.
            {tfmt_bf16, {68, 68}, "ab", "AB8b16a2b", "16/16/4 2", "32/32/8 3", "64/64/16 3",
                    "64/64/16 3"},
            {tfmt_s8, {64, 68}, "ab", "AB16b16a4b", "16/16/4 2", "32/32/8 3", "64/64/16 3",
                    "64/64/16 3"},
            {tfmt_bf16, {64, 64, 3, 3}, "oihw", "OIhw8i16o2i", "16/16/8 3", "16/32/8 3",
                    "64/64/16 4+1", "64/64/16 4+1"},
            {tfmt_s8, {64, 64, 3, 3}, "oihw", "OIhw16i16o4i", "16/16/16 4", "16/32/16 4",
                    "16/64/16 4", "64/64/16 4+1"},
    });
}

TEST(Tiles, CopiesAndSmallOnes) {
    check({
            // Elements of 16 bytes, four vectors at a time, no shuffle.
            {tfmt_f32, {2, 30, 34}, "abc", "abc", "16/16/4 0", "32/32/4 0", "64/64/4 0",
                    "64/64/4 0"},
            // A tile of 4 elements fits 16 bytes; wider vectors would be half empty.
            {tfmt_f32, {2, 2}, "ab", "ba", "16/16/1 1+1", "16/16/1 1+1", "16/16/1 1+1",
                    "16/16/1 1+1"},
            {tfmt_f32, {2, 4}, "ab", "ba", "16/16/2 1", "32/32/1 1+1", "32/32/1 1+1",
                    "32/32/1 1+1"},
    });
}

// Bytes that exchange whole vectors have longer pieces, with values on the stack; not to rows that
// share sets of L1, unless they go through a scratch, nor where vectors of 16 bytes are read.
TEST(Tiles, MoreRegistersThanThereAre) {
    const auto run_bytes = [](const vec &dims, tfmt_data_type_t type, const machine &m) {
        return runs_text(planned(normalized(dims, "ab", "ba", type), m).the_tile);
    };
    EXPECT_EQ(run_bytes({320, 320}, tfmt_u8, avx2()), "16/32");
    EXPECT_EQ(run_bytes({320, 320}, tfmt_u8, sse41()), "16/16");
    EXPECT_EQ(run_bytes({320, 320}, tfmt_bf16, avx2()), "16/32");
    EXPECT_EQ(run_bytes({2048, 320}, tfmt_u8, avx2()), "8/32"); // 8 rows of 16 in each set
    EXPECT_EQ(run_bytes({320, 4096}, tfmt_u8, avx2()), "32/8"); // 16 of the source in one set
    machine staged = avx2();
    staged.l3_bytes = 0;
    staged.l2_scratch_bytes = 128 << 10;
    EXPECT_EQ(run_bytes({320, 4096}, tfmt_u8, staged), "32/16"); // rows of the source that collide
    staged.vector_bytes = 16;
    EXPECT_EQ(run_bytes({320, 4096}, tfmt_u8, staged), "16/8");
}

// So do a few bytes that end a run, which would be tiles of their own.
TEST(Tiles, AllOfRunsThatEndWithFew) {
    machine m = avx2();
    m.min_elem_bytes_of_whole_lines = 4; // of Skylake's servers
    const auto run_bytes = [&](const vec &dims, tfmt_data_type_t type, const char *dst) {
        return runs_text(planned(normalized(dims, "abcd", dst, type), m).the_tile);
    };
    EXPECT_EQ(run_bytes({64, 80, 3, 3}, tfmt_u8, "acdb"), "16/32");
    EXPECT_EQ(run_bytes({64, 80, 1, 15}, tfmt_u8, "acdb"), "16/32");
    EXPECT_EQ(run_bytes({64, 80, 1, 16}, tfmt_u8, "acdb"), "8/32");   // two tiles of 8
    EXPECT_EQ(run_bytes({64, 80, 3, 3}, tfmt_bf16, "acdb"), "16/32"); // of two bytes
    EXPECT_EQ(run_bytes({64, 80, 3, 3}, tfmt_f32, "acdb"), "32/32");
    EXPECT_EQ(run_bytes({64, 16, 3, 3}, tfmt_u8, "aBcd32b"), "16/32"); // half padding
    EXPECT_EQ(run_bytes({64, 64, 3, 3}, tfmt_u8, "cdba"), "8/32");     // to 9 rows in a set of L1
    // Two blocks of 8 have no few behind others.
    const auto blocks = normalized({251, 11}, "AB8b16a", "BA8a16b", tfmt_bf16);
    EXPECT_EQ(runs_text(planned(blocks, m).the_tile), "16/32");
}

TEST(Tiles, BitsOfATransposition) {
    const auto p = planned(normalized({2, 64, 30, 34}, "nchw", "nhwc", tfmt_f32), sse41());
    const tile &t = p.the_tile;
    EXPECT_EQ(t.elem_bytes, 4);
    EXPECT_EQ(t.vector_bytes, 16);
    EXPECT_EQ(t.n_lane_bits(), 2);
    EXPECT_EQ(t.n_reg_bits(), 2);
    ASSERT_EQ(t.bits.size(), 4u);
    // 2 channels, then 2 pixels: strides in bytes of nchw and nhwc.
    const dim_t wanted[][3] = {{1, 4080, 4}, {2, 8160, 8}, {1, 4, 256}, {2, 8, 512}};
    for (size_t i = 0; i < 4; i++) {
        EXPECT_EQ(t.bits[i].weight, wanted[i][0]) << i;
        EXPECT_EQ(t.bits[i].src_stride_bytes, wanted[i][1]) << i;
        EXPECT_EQ(t.bits[i].dst_stride_bytes, wanted[i][2]) << i;
    }
    EXPECT_EQ(t.bits[0].dim, t.bits[1].dim);
    EXPECT_NE(t.bits[1].dim, t.bits[2].dim);
    EXPECT_EQ(t.dst_run, (tfmt::cpu::bit_indices {0, 1}));
    EXPECT_EQ(t.src_run, (tfmt::cpu::bit_indices {2, 3}));
}

TEST(Tiles, FillersWhereTheVectorIsTooWide) {
    // 3 bytes are 2 bits of an index; the other 2 lane bits of 16 bytes are always 0.
    const auto p = planned(normalized({3}, "a", "a", tfmt_u8), sse41());
    ASSERT_EQ(p.the_tile.bits.size(), 4u);
    EXPECT_EQ(p.the_tile.bits[0].level, 0);
    EXPECT_EQ(p.the_tile.bits[1].level, 0);
    EXPECT_EQ(p.the_tile.bits[2].level, -1);
    EXPECT_EQ(p.the_tile.bits[3].level, -1);
}

TEST(Tiles, OneElementWhereNothingIsContiguous) {
    auto p = planned(normalized(by_tag({8}, "a"), by_strides({8}, {2})), avx512());
    EXPECT_EQ(p.the_tile.vector_bytes, 4);
    EXPECT_EQ(p.the_tile.n_lane_bits(), 0);
    EXPECT_TRUE(p.the_schedule.stages.empty());
    EXPECT_EQ(p.note, "one element at a time: dst has no two neighbours to move together");
    // What is read one by one is still written by vectors.
    p = planned(normalized(by_strides({8}, {3}), by_tag({8}, "a")), avx512());
    EXPECT_EQ(p.the_tile.vector_bytes, 32);
    EXPECT_EQ(p.the_schedule.load_run_bits, 0);
    EXPECT_TRUE(p.the_schedule.stages.empty());
    EXPECT_EQ(p.note, "reads one element at a time: src has no two neighbours to move together");
}

// One of two or four is read with the others, while a vector has four that are wanted.
TEST(Tiles, ReadsWhatIsBetween) {
    const auto run = [](tfmt::dim_t stride, const machine &m) {
        const auto p = planned(normalized(by_strides({64}, {stride}), by_tag({64}, "a")), m);
        return p.the_tile.src_run.size();
    };
    EXPECT_EQ(run(2, avx512()), 4u); // of 16 elements 8
    EXPECT_EQ(run(4, avx512()), 4u);
    EXPECT_EQ(run(8, avx512()), 0u);
    EXPECT_EQ(run(2, avx2()), 3u);
    EXPECT_EQ(run(4, avx2()), 0u);
    EXPECT_EQ(run(2, sse41()), 0u);
    // Runs of two are read with what is between them, where a vector has four.
    const auto run_of = [](dim_t n, const char *src, const machine &m) {
        return planned(normalized({n, 64, 64}, src, "abc", tfmt_u8), m).the_tile.src_run.size();
    };
    const auto run_of_two = [&](const char *src, const machine &m) { return run_of(2, src, m); };
    EXPECT_EQ(run_of_two("Abc4a", sse41()), 4u);
    EXPECT_EQ(run_of_two("Abc8a", sse41()), 1u);
    EXPECT_EQ(run_of_two("Abc8a", avx2()), 5u);
    EXPECT_EQ(run_of_two("Abc16a", avx2()), 1u);
    EXPECT_EQ(run_of_two("Abc16a", avx512()), 6u);
    // Three, which take the bits of four, too.
    EXPECT_EQ(run_of(3, "Abc8a", avx2()), 5u);
    EXPECT_EQ(run_of(3, "Abc16a", avx512()), 6u);
    // Where the other side takes the registers, that has less of its run.
    const auto p = planned(normalized({64, 1, 24, 24}, "aBcd8b", "cdba", tfmt_u8), avx2());
    EXPECT_EQ(p.the_tile.src_run.size(), 5u);
    EXPECT_LT(p.the_tile.dst_run.size(), 5u);
}

// Two channels of nhwc that become 16 lie side by side with the next pixel's.
TEST(Tiles, RunsGoOnBehindDataThatIsPadded) {
    const auto run = [](dim_t channels, const machine &m) {
        const auto p = planned(normalized({1, channels, 8, 8}, "acdb", "aBcd16b", tfmt_u8), m);
        return p.the_tile.src_run_bytes;
    };
    EXPECT_EQ(run(2, avx512_vbmi()), 64);
    EXPECT_EQ(run(4, avx2()), 32);
    EXPECT_EQ(run(3, avx512_vbmi()), 48);
    EXPECT_EQ(run(3, avx2()), 12);
    EXPECT_EQ(run(5, avx2()), 10);
    EXPECT_EQ(run(13, avx2()), 13); // more than are packed: the channels alone
    EXPECT_EQ(run(4, sse41()), 16); // where vectors are shorter it does not pay
}

TEST(Tiles, Log2) {
    EXPECT_EQ(tfmt::cpu::ceil_log2(1), 0);
    EXPECT_EQ(tfmt::cpu::ceil_log2(2), 1);
    EXPECT_EQ(tfmt::cpu::ceil_log2(3), 2);
    EXPECT_EQ(tfmt::cpu::ceil_log2(4), 2);
    EXPECT_EQ(tfmt::cpu::ceil_log2((dim_t(1) << 40) + 1), 41);
    EXPECT_EQ(tfmt::cpu::log2_exact(dim_t(1) << 40), 40);
}

float planned_cost(tfmt_data_type_t type, const char *src, const char *dst, const machine &m) {
    return planned(normalized(image, src, dst, type), m).the_schedule.cost;
}

TEST(Schedules, Costs) {
    // 4x4 on SSE4.1: two unpacks. 8x8 on AVX2: two unpacks and the halves. 16x16 on AVX-512: two
    // unpacks and a stage of 16-byte lanes of what loads bring as two halves.
    EXPECT_FLOAT_EQ(planned_cost(tfmt_f32, "nchw", "nhwc", sse41()), 2.0f);
    EXPECT_FLOAT_EQ(planned_cost(tfmt_f32, "nchw", "nhwc", avx2()), 3.6f);
    EXPECT_FLOAT_EQ(planned_cost(tfmt_f32, "nchw", "nhwc", avx512()), 3.6f);
    // Loads of parts of a vector save the stages that cross 16 bytes.
    EXPECT_FLOAT_EQ(planned_cost(tfmt_bf16, "nchw", "nhwc", avx2()), 3.0f);
    EXPECT_FLOAT_EQ(planned_cost(tfmt_bf16, "nchw", "nhwc", avx512()), 4.6f);
    EXPECT_FLOAT_EQ(planned_cost(tfmt_u8, "nchw", "nhwc", avx512()), 4.0f);
    EXPECT_FLOAT_EQ(planned_cost(tfmt_u8, "nchw", "nhwc", avx2()), 4.0f);
    // Copies.
    for (const machine &m : all_machines())
        EXPECT_FLOAT_EQ(planned_cost(tfmt_bf16, "nhwc", "nhwc", m), 0.0f);
}

// Lines are loaded as two halves where rows do not collide, and each half brings another element:
// of a run that the destination goes on with, or of packed ones, it may not.
TEST(Schedules, LinesAreLoadedInHalves) {
    const auto load_bytes = [](const vec &dims, const char *src, const char *dst,
                                    tfmt_data_type_t type, const machine &m) {
        const auto p = planned(normalized(dims, src, dst, type), m);
        return p.the_tile.elem_bytes << p.the_schedule.load_run_bits;
    };
    EXPECT_EQ(load_bytes({80, 80}, "ab", "ba", tfmt_f32, avx512()), 32);
    EXPECT_EQ(load_bytes({80, 1024}, "ab", "ba", tfmt_f32, avx512()), 64); // 16 rows of one set
    EXPECT_EQ(load_bytes({80, 80}, "ab", "ab", tfmt_f32, avx512()), 64);
    EXPECT_EQ(load_bytes({64, 64}, "AB16b16a", "ab", tfmt_bf16, avx512()), 64);
    EXPECT_EQ(load_bytes({80, 80}, "ab", "ba", tfmt_f32, avx2()), 32);
    machine as_two = avx2();
    as_two.max_split_moved_bytes = 1; // by its cores, but not by plans
    EXPECT_EQ(load_bytes({80, 80}, "ab", "ba", tfmt_f32, as_two), 16);
    EXPECT_EQ(load_bytes({80, 80}, "ab", "ba", tfmt_u8, as_two),
            load_bytes({80, 80}, "ab", "ba", tfmt_u8, avx2()));
}

TEST(Schedules, ThePermuteIsTheLastStage) {
    const auto p = planned(normalized(image, "nchw", "nChw16c", tfmt_bf16), avx512());
    ASSERT_EQ(p.the_schedule.stages.size(), 3u);
    EXPECT_EQ(p.the_schedule.stages[2].kind, stage_kind::permute2);
    EXPECT_LE(p.the_schedule.cost, 5.6f + 1e-3f);
}

// ---------------------------------------------------------------- what each stage may do

int position_of(int bytes, const tile &t) {
    return int(std::lround(std::log2(double(bytes) / t.elem_bytes)));
}

using lanes = tfmt::cpu::bit_indices;

// `bit` enters at `from`, what is there moves up, what was at `to` leaves.
lanes rotated(lanes l, int from, int to, int bit) {
    l.erase(l.begin() + to);
    l.insert(l.begin() + from, bit);
    return l;
}

bool same_set(lanes a, lanes b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
}

bool same_range(const lanes &a, const lanes &b, int from, int to) {
    return std::equal(a.begin() + from, a.begin() + to, b.begin() + from);
}

int count_missing(const lanes &of, const lanes &in) {
    return int(std::count_if(of.begin(), of.end(),
            [&](int bit) { return std::find(in.begin(), in.end(), bit) == in.end(); }));
}

// Whether the machine has a shuffle that turns the order `before` into that of `s`.
std::string check_stage(const tile &t, const machine &m, const lanes &before, const stage &s) {
    const int v = t.vector_bytes, n = t.n_lane_bits();
    const bool is_exchange = s.entering >= 0;
    if (int(s.lanes.size()) != n) return "wrong number of lanes";
    if (is_exchange && count_missing({s.entering}, before) != 1) return "enters twice";
    const bool has_index_vectors = m.vector_bytes == 64 && (t.elem_bytes > 1 || m.has_vbmi);
    switch (s.kind) {
    case stage_kind::unpack:
        return s.lanes
                                == rotated(before, position_of(s.unit_bytes, t), position_of(8, t),
                                        s.entering)
                        && s.unit_bytes >= t.elem_bytes && s.unit_bytes <= 8
                ? ""
                : "unpack";
    case stage_kind::halves:
        return v == 32 && s.lanes == rotated(before, n - 1, n - 1, s.entering) ? "" : "halves";
    case stage_kind::quarters:
        return v == 64 && s.lanes == rotated(before, n - 1, n - 1, s.entering) ? "" : "quarters";
    case stage_kind::alternate: {
        lanes wanted = before;
        wanted[size_t(n - 2)] = before[size_t(n - 1)];
        wanted[size_t(n - 1)] = s.entering;
        return v == 64 && s.lanes == wanted ? "" : "alternate";
    }
    case stage_kind::within16:
        return !is_exchange && same_set(before, s.lanes)
                        && same_range(before, s.lanes, position_of(16, t), n)
                ? ""
                : "within16";
    case stage_kind::quads:
    case stage_kind::dwords: {
        const int unit = s.kind == stage_kind::quads ? 8 : 4;
        return !is_exchange && v >= 32 && same_set(before, s.lanes)
                        && same_range(before, s.lanes, 0, std::max(0, position_of(unit, t)))
                ? ""
                : "quads or dwords";
    }
    case stage_kind::permute:
        return !is_exchange && has_index_vectors && same_set(before, s.lanes) ? "" : "permute";
    case stage_kind::permute2:
        return has_index_vectors && count_missing(s.lanes, before) == 1
                        && count_missing({s.entering}, s.lanes) == 0
                ? ""
                : "permute2";
    }
    return "unknown stage";
}

std::string check_schedule(const tile &t, const machine &m, const schedule &s) {
    lanes now = s.load_lanes;
    if (std::set<int>(now.begin(), now.end()).size() != size_t(t.n_lane_bits()))
        return "lanes that hold one bit twice";
    if (s.load_run_bits != int(t.src_run.size())
            || !std::equal(t.src_run.begin(), t.src_run.end(), now.begin()))
        return "loads that are no source runs";
    float cost = 0;
    for (const stage &g : s.stages) {
        const std::string wrong = check_stage(t, m, now, g);
        if (!wrong.empty()) return "a machine without this " + wrong;
        now = g.lanes;
        cost += cost_of(g.kind, t.vector_bytes) * share_of_registers(t, g.lanes);
    }
    if (!std::equal(t.dst_run.begin(), t.dst_run.end(), now.begin()))
        return "the destination run is not in the lanes";
    return std::fabs(cost - s.cost) < 1e-3f ? "" : "cost";
}

// A tile of the planner's kind: a source and a destination run that share some bits.
tile random_tile(desc_test::random_descs &random, const machine &m) {
    const int elem_log2 = int(random.below(5));
    int vector_bytes = m.vector_bytes;
    while (vector_bytes > 16 && random.below(4) == 0)
        vector_bytes /= 2;
    tile t {1 << elem_log2, vector_bytes, {}, {}, {}, {}, 8 << elem_log2, 8 << elem_log2};
    const int n = t.n_lane_bits(), n_bits = n + int(random.below(5));
    for (int i = 0; i < n_bits; i++)
        t.bits.push_back({0, 0, dim_t(1) << i, 0, 0});
    lanes all;
    for (int i = 0; i < n_bits; i++)
        all.push_back(i);
    auto run = [&] {
        for (size_t i = all.size(); i > 1; i--)
            std::swap(all[i - 1], all[size_t(random.below(dim_t(i)))]);
        return lanes(all.begin(), all.begin() + int(random.below(n + 1)));
    };
    t.src_run = run();
    t.dst_run = run();
    leave_some_unread(random, t);
    return t;
}

class SchedulesOn : public testing::TestWithParam<machine> {};

TEST_P(SchedulesOn, RandomTilesEndInTheirDestinationRun) {
    const machine &m = GetParam();
    for (unsigned seed = 0; seed < 600; seed++) {
        desc_test::random_descs random(seed);
        const tile t = random_tile(random, m);
        const schedule s = tfmt::cpu::find_schedule(t, m);
        ASSERT_EQ(check_schedule(t, m, s), "") << "seed " << seed << "\n"
                                               << to_text(t) << to_text(s);
    }
}

// What was found for one tile serves others that differ only in where their bits are in memory.
TEST_P(SchedulesOn, AreThoseThatASearchFinds) {
    const machine &m = GetParam();
    const auto expect_same = [&](const tile &t) {
        ASSERT_EQ(
                to_text(tfmt::cpu::find_schedule(t, m)), to_text(tfmt::cpu::search_schedule(t, m)))
                << to_text(t);
    };
    for (unsigned seed = 0; seed < 300; seed++) {
        desc_test::random_descs random(seed);
        const tile t = random_tile(random, m);
        ASSERT_NO_FATAL_FAILURE(expect_same(t));
        tile moved = t;
        for (tfmt::cpu::tile_bit &b : moved.bits) {
            b.src_stride_bytes = random.below(1000);
            b.dst_stride_bytes = random.below(1000);
        }
        moved.src_elem_bits = moved.dst_elem_bits = 4;
        ASSERT_NO_FATAL_FAILURE(expect_same(moved));
        tile longer = t;
        longer.bits.push_back({0, 0, 1, 0, 0});
        ASSERT_NO_FATAL_FAILURE(expect_same(longer));
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, SchedulesOn, testing::ValuesIn(all_machines()),
        [](const testing::TestParamInfo<machine> &info) {
            return std::to_string(info.param.vector_bytes)
                    + (info.param.has_vbmi ? "_with_vbmi" : "");
        });

TEST(Schedules, Text) {
    const auto p = planned(normalized({4, 4}, "ab", "ba", tfmt_f32), sse41());
    EXPECT_EQ(to_text(p.the_tile),
            "tile: element 4 bytes, vector 16 bytes, 4 registers\n"
            "  bit 0: axis 2 weight 1 src_stride 16 dst_stride 4\n"
            "  bit 1: axis 2 weight 2 src_stride 32 dst_stride 8\n"
            "  bit 2: axis 3 weight 1 src_stride 4 dst_stride 16\n"
            "  bit 3: axis 3 weight 2 src_stride 8 dst_stride 32\n"
            "  src run: 2 3\n"
            "  dst run: 0 1\n");
    EXPECT_EQ(to_text(p.the_schedule),
            "schedule: loads of 4 elements, lanes 2 3\n"
            "  unpack 4, bit 1 enters, lanes 1 2\n"
            "  unpack 4, bit 0 enters, lanes 0 1\n");
}

} // namespace
