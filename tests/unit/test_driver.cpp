// SPDX-License-Identifier: Apache-2.0
// Jobs -> calls: plans made by hand, every call written down; ranges as threads take them.
#include "cpu/exec/driver.hpp"

#include <algorithm>

#include "common/status.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::cpu::driver;
using tfmt::cpu::job;
using tfmt::cpu::kernel_call;
using tfmt::cpu::plan;

level regular(dim_t extent, dim_t src_stride, dim_t dst_stride) {
    return {0, extent, 1, src_stride, dst_stride, {}, {}};
}

// A plan of nothing but levels (the first n_driver_levels of them the driver's) and jobs.
plan make_plan(std::vector<level> levels, int n_driver_levels, dim_t root_chunk,
        std::vector<job> jobs, dim_t src_offset = 0, dim_t dst_offset = 0) {
    plan p {};
    p.problem.levels = std::move(levels);
    p.problem.src_offset_bytes = src_offset;
    p.problem.dst_offset_bytes = dst_offset;
    p.n_driver_levels = n_driver_levels;
    p.root_chunk = root_chunk;
    p.jobs = std::move(jobs);
    return p;
}

// "k1 src+8 dst+4 x2 rest": kernel 1 at these offsets, 2 root steps and the rest.
lines calls_of(const driver &d, dim_t begin, dim_t end) {
    lines text;
    d.run(begin, end, [&](const kernel_call &c) {
        text.push_back("k" + std::to_string(c.kernel) + " src+" + std::to_string(c.src_offset)
                + " dst+" + std::to_string(c.dst_offset) + " x" + std::to_string(c.root_count)
                + (c.with_rest ? " rest" : ""));
    });
    return text;
}

lines calls_of(const plan &p) {
    const driver d(p);
    const lines text = calls_of(d, 0, d.n_items());
    EXPECT_EQ(dim_t(text.size()), d.n_items());
    return text;
}

TEST(Driver, OneCall) {
    // All levels are the kernel's.
    EXPECT_EQ(calls_of(make_plan({regular(10, 4, 8)}, 0, 100, {{{}, 0, 10, true}}, 16, 32)),
            (lines {"k0 src+16 dst+32 x10 rest"}));
    // No level at all: the tile, once.
    EXPECT_EQ(calls_of(make_plan({}, 0, 1, {{{}, 0, 1, false}})), (lines {"k0 src+0 dst+0 x1"}));
    // Nothing to do.
    EXPECT_EQ(calls_of(make_plan({}, 0, 1, {})), lines {});
    // Root steps of none: padding behind no data.
    EXPECT_EQ(calls_of(make_plan({regular(10, 4, 8)}, 0, 4, {{{}, 0, 0, true}})),
            (lines {"k0 src+0 dst+0 x0 rest"}));
}

TEST(Driver, ChunksOfTheRoot) {
    const auto chunked = [](dim_t root_count, bool has_rest) {
        return calls_of(make_plan({regular(20, 4, 8)}, 0, 4, {{{}, 0, root_count, has_rest}}));
    };
    EXPECT_EQ(chunked(4, false), (lines {"k0 src+0 dst+0 x4"}));
    EXPECT_EQ(chunked(8, false), (lines {"k0 src+0 dst+0 x4", "k0 src+16 dst+32 x4"}));
    // Half a chunk is worth a call, less is not. The rest comes behind the last chunk only.
    EXPECT_EQ(chunked(10, true),
            (lines {"k0 src+0 dst+0 x4", "k0 src+16 dst+32 x4", "k0 src+32 dst+64 x2 rest"}));
    EXPECT_EQ(chunked(9, true), (lines {"k0 src+0 dst+0 x4", "k0 src+16 dst+32 x5 rest"}));
    EXPECT_EQ(chunked(1, false), (lines {"k0 src+0 dst+0 x1"}));
}

TEST(Driver, LoopsOutsideTheRoot) {
    const plan p = make_plan({regular(2, 1000, 100), regular(3, 10, 500), regular(8, 1, 2)}, 2, 5,
            {{{{0, 0, 2}, {1, 1, 2}}, 0, 8, true}});
    EXPECT_EQ(calls_of(p),
            (lines {"k0 src+10 dst+500 x5", "k0 src+15 dst+510 x3 rest",     //
                    "k0 src+20 dst+1000 x5", "k0 src+25 dst+1010 x3 rest",   //
                    "k0 src+1010 dst+600 x5", "k0 src+1015 dst+610 x3 rest", //
                    "k0 src+1020 dst+1100 x5", "k0 src+1025 dst+1110 x3 rest"}));
}

TEST(Driver, JobsOneAfterTheOther) {
    // Full blocks by kernel 0, the partial block at step 2 by kernel 1.
    const plan p = make_plan({regular(3, 64, 32), regular(4, 1, 1)}, 1, 4,
            {{{{0, 0, 2}}, 0, 4, false}, {{{0, 2, 1}}, 1, 3, true}});
    EXPECT_EQ(calls_of(p),
            (lines {"k0 src+0 dst+0 x4", "k0 src+64 dst+32 x4", "k1 src+128 dst+64 x3 rest"}));
}

TEST(Driver, LevelsThatDoNotNest) {
    level l {0, 6, 16, 0, 0, {{3, 16}, {0, 100}}, {{2, 16}, {0, 1000}}};
    // All steps, and from step 2 on.
    EXPECT_EQ(calls_of(make_plan({l}, 1, 1, {{{{0, 0, 6}}, 0, 1, false}})),
            (lines {"k0 src+0 dst+0 x1", "k0 src+16 dst+16 x1", "k0 src+32 dst+1000 x1",
                    "k0 src+100 dst+1016 x1", "k0 src+116 dst+2000 x1", "k0 src+132 dst+2016 x1"}));
    EXPECT_EQ(calls_of(make_plan({l}, 1, 1, {{{{0, 2, 1}}, 0, 1, false}}, 5, 7)),
            (lines {"k0 src+37 dst+1007 x1"}));
}

TEST(Driver, RangesGiveTheCallsOfTheWhole) {
    const plan p = make_plan({regular(3, 1000, 100), regular(2, 10, 500), regular(9, 1, 2)}, 2, 2,
            {{{{0, 0, 2}, {1, 0, 2}}, 0, 9, true}, {{{0, 2, 1}, {1, 0, 2}}, 1, 5, false},
                    {{{0, 2, 1}}, 2, 1, true}});
    const driver d(p);
    const lines all = calls_of(d, 0, d.n_items());
    ASSERT_EQ(d.n_items(), 4 * 5 + 2 * 3 + 1);
    for (dim_t begin = 0; begin <= d.n_items(); begin++)
        for (dim_t end = begin; end <= d.n_items(); end++)
            ASSERT_EQ(calls_of(d, begin, end), lines(all.begin() + begin, all.begin() + end))
                    << begin << ".." << end;
}

TEST(Driver, OffsetsBeyond32Bits) {
    const dim_t far = dim_t(3) << 40;
    EXPECT_EQ(calls_of(make_plan({regular(2, far, 8), regular(1 << 20, 1 << 20, far)}, 1, 1 << 19,
                      {{{{0, 0, 2}}, 0, 1 << 20, false}})),
            (lines {"k0 src+0 dst+0 x524288", "k0 src+549755813888 dst+1729382256910270464 x524288",
                    "k0 src+3298534883328 dst+8 x524288",
                    "k0 src+3848290697216 dst+1729382256910270472 x524288"}));
}

TEST(Driver, RefusesMoreLoopsThanItHolds) {
    std::vector<level> levels;
    job j {{}, 0, 1, false};
    for (int i = 0; i < 4 * TFMT_MAX_NDIMS + 1; i++) {
        levels.push_back(regular(2, 1, 1));
        j.loops.push_back({i, 0, 2});
    }
    const int n = int(levels.size());
    EXPECT_THROW(driver(make_plan(levels, n, 1, {j})), tfmt::failure);
    j.loops.pop_back();
    EXPECT_NO_THROW(driver(make_plan(levels, n, 1, {j})));
}

} // namespace
