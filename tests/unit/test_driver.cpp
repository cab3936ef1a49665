// SPDX-License-Identifier: Apache-2.0
// Jobs -> calls: plans made by hand, every call written down; ranges as threads take them.
#include "cpu/exec/driver.hpp"

#include <algorithm>

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
std::string to_text(const kernel_call &c) {
    return "k" + std::to_string(c.kernel) + " src+" + std::to_string(c.src_offset) + " dst+"
            + std::to_string(c.dst_offset) + " x" + std::to_string(c.root_count)
            + (c.with_rest ? " rest" : "");
}

lines calls_of(const driver &d, const driver::scale &s, dim_t begin, dim_t end) {
    lines text;
    d.run(s, begin, end, [&](const kernel_call &c) { text.push_back(to_text(c)); });
    return text;
}

lines calls_of(const driver &d, dim_t begin, dim_t end) {
    return calls_of(d, d.scale_for(1), begin, end);
}

// An only call is the same without walking.
lines calls_of(const plan &p) {
    const driver d(p);
    const lines all = calls_of(d, 0, d.scale_for(1).n_items);
    const auto only = d.only_call();
    const bool is_one = all.size() == 1 && p.jobs[0].loops.empty();
    EXPECT_EQ(only ? lines {to_text(*only)} : lines {}, is_one ? all : lines {});
    return all;
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

TEST(Driver, JobsInTheSameLoopsTakeTurns) {
    // Rows of 8 and a tail; the last row's kernels are others.
    const plan p = make_plan({regular(3, 100, 200), regular(2, 8, 8), regular(8, 1, 1)}, 2, 8,
            {{{{0, 0, 2}, {1, 0, 1}}, 0, 8, false}, {{{0, 0, 2}, {1, 1, 1}}, 1, 3, false},
                    {{{0, 2, 1}, {1, 0, 1}}, 2, 8, false}, {{{0, 2, 1}, {1, 1, 1}}, 3, 3, false}});
    EXPECT_EQ(calls_of(p),
            (lines {"k0 src+0 dst+0 x8", "k1 src+8 dst+8 x3", "k0 src+100 dst+200 x8",
                    "k1 src+108 dst+208 x3", "k2 src+200 dst+400 x8", "k3 src+208 dst+408 x3"}));
}

// Root steps that ranges give, one by one: "k1 src+8 dst+4", and the rest behind the last.
lines steps_of(const driver &d, const driver::scale &s, dim_t begin, dim_t end, dim_t src_step,
        dim_t dst_step) {
    lines text;
    d.run(s, begin, end, [&](const kernel_call &c) {
        EXPECT_GT(c.root_count + c.with_rest, 0);
        for (dim_t i = 0; i < c.root_count; i++)
            text.push_back("k" + std::to_string(c.kernel) + " src+"
                    + std::to_string(c.src_offset + i * src_step) + " dst+"
                    + std::to_string(c.dst_offset + i * dst_step));
        if (c.with_rest) text.back() += " rest";
    });
    return text;
}

// That [0, a), [a, b) and [b, n) give what `all` is, for any a and b.
void expect_ranges_give(lines all, const driver &d, const driver::scale &s, dim_t dst_step) {
    const bool in_order = s.level < 0;
    if (!in_order) std::sort(all.begin(), all.end());
    for (dim_t a = 0; a <= s.n_items; a++)
        for (dim_t b = a; b <= s.n_items; b++) {
            lines parts;
            for (const auto &[begin, end] :
                    {std::pair<dim_t, dim_t> {0, a}, {a, b}, {b, s.n_items}})
                for (const std::string &step : steps_of(d, s, begin, end, 1, dst_step))
                    parts.push_back(step);
            if (!in_order) std::sort(parts.begin(), parts.end());
            ASSERT_EQ(parts, all) << a << ", " << b << ", step " << dst_step;
        }
}

TEST(Driver, RangesGiveTheStepsOfTheWhole) {
    for (dim_t dst_step : {2, 64, 16, 48}) { // also several steps a line
        const plan p = make_plan(
                {regular(3, 1000, 9000), regular(2, 10, 4000), regular(9, 1, dst_step)}, 2, 2,
                {{{{0, 0, 2}, {1, 0, 2}}, 0, 9, true}, {{{0, 2, 1}, {1, 0, 2}}, 1, 5, false},
                        {{{0, 2, 1}, {1, 0, 1}}, 2, 1, true}});
        const driver d(p);
        const driver::scale bytes = d.scale_for(1);
        const lines all = steps_of(d, bytes, 0, bytes.n_items, 1, dst_step);
        // A step counts 1 in a plan without kernels.
        ASSERT_EQ(bytes.n_items, 4 * 9 + 2 * 5 + 1);
        ASSERT_EQ(dim_t(all.size()), bytes.n_items);
        expect_ranges_give(all, d, bytes, dst_step);
        for (const auto &[level, n_steps] : {std::pair<int, dim_t> {0, 3}, {1, 2}, {2, 10}})
            expect_ranges_give(all, d, {level, n_steps}, dst_step);
    }
}

// A plan of these levels, the last of them the calls' own, written into the caches.
plan all_of(std::vector<level> levels) {
    std::vector<tfmt::cpu::job_loop> loops;
    for (size_t i = 0; i + 1 < levels.size(); i++)
        loops.push_back({int(i), 0, levels[i].extent});
    const int n_loops = int(loops.size());
    const dim_t n = levels.back().extent;
    plan p = make_plan(std::move(levels), n_loops, n, {{std::move(loops), 0, n, false}});
    p.problem.limits.push_back({1 << 30, 1 << 30});
    p.stores = tfmt::cpu::store_path::plain;
    return p;
}

std::string scale_text(const plan &p, int n_threads) {
    const driver::scale s = driver(p).scale_for(n_threads);
    return (s.level < 0 ? "bytes " : "level " + std::to_string(s.level) + " ")
            + std::to_string(s.n_items);
}

TEST(Driver, ThreadsShareTheStepsThatAreFurthestApart) {
    // Halves of rows outside: each thread writes whole rows.
    const plan halves = all_of({regular(2, 1000, 512), regular(64, 1, 1024)});
    EXPECT_EQ(scale_text(halves, 1), "bytes 128");
    EXPECT_EQ(scale_text(halves, 2), "level 1 64");
    EXPECT_EQ(scale_text(halves, 64), "level 1 64");
    EXPECT_EQ(scale_text(halves, 90), "bytes 128"); // there are not so many
    const driver d(halves);
    EXPECT_EQ(calls_of(d, d.scale_for(2), 0, 32),
            (lines {"k0 src+0 dst+0 x32", "k0 src+1000 dst+512 x32"}));
    EXPECT_EQ(calls_of(d, d.scale_for(2), 32, 64),
            (lines {"k0 src+32 dst+32768 x32", "k0 src+1032 dst+33280 x32"}));
    // Rows outside, and enough of them.
    const plan rows = all_of({regular(64, 1, 1024), regular(2, 1000, 512)});
    EXPECT_EQ(scale_text(rows, 2), "bytes 128");
    // 3 for 2 threads are not too uneven, 3 for 5 are too few, 5 for 4 too uneven.
    EXPECT_EQ(scale_text(all_of({regular(8, 1, 512), regular(3, 1, 4096)}), 2), "level 1 3");
    EXPECT_EQ(scale_text(all_of({regular(8, 1, 512), regular(3, 1, 4096)}), 5), "level 0 8");
    EXPECT_EQ(scale_text(all_of({regular(8, 1, 512), regular(5, 1, 4096)}), 4), "level 0 8");
    // Few outermost ones that are furthest apart are shared as they are, or the next ones.
    EXPECT_EQ(scale_text(all_of({regular(2, 1, 65536), regular(8, 1, 512)}), 2), "level 0 2");
    EXPECT_EQ(scale_text(all_of({regular(2, 1, 65536), regular(8, 1, 512)}), 4), "level 1 8");
    EXPECT_EQ(scale_text(all_of({regular(16, 1, 65536), regular(8, 1, 512)}), 4), "bytes 128");
    // A last step that is short makes shares uneven.
    plan short_last = all_of({regular(8, 1, 512), regular(3, 1, 4096)});
    short_last.problem.levels[1].unit = 32;
    short_last.problem.limits[0].store = 70;
    EXPECT_EQ(scale_text(short_last, 2), "level 0 8");
}

TEST(Driver, ThreadsShareBytesWhereTheOrderIsNoneOfTheirs) {
    plan p = all_of({regular(2, 1000, 512), regular(64, 1, 1024)});
    p.stores = tfmt::cpu::store_path::streamed;
    EXPECT_EQ(scale_text(p, 2), "bytes 128");
    p.stores = tfmt::cpu::store_path::plain;
    p.problem.levels[0].dst_digits = {{2, 1}};
    p.problem.levels[0].src_digits = {{2, 1}};
    EXPECT_EQ(scale_text(p, 2), "bytes 128");
    // A scratch goes from root step to root step.
    p = all_of({regular(2, 1000, 512), regular(64, 1, 1024)});
    p.stores = tfmt::cpu::store_path::collected;
    p.scratch.scratch_bytes = 1;
    EXPECT_EQ(scale_text(p, 2), "level 0 2");
}

TEST(Driver, RangesBeginAtWholeLines) {
    const driver d(make_plan({regular(40, 1, 16)}, 0, 40, {{{}, 0, 40, false}}));
    EXPECT_EQ(calls_of(d, 0, 17), (lines {"k0 src+0 dst+0 x20"}));
    EXPECT_EQ(calls_of(d, 17, 19), lines {});
    EXPECT_EQ(calls_of(d, 19, 40), (lines {"k0 src+20 dst+320 x20"}));
}

// Each call is a chain, so none but the last is short: a step of a plan without kernels counts a
// byte.
TEST(Driver, RangesCutChainsWhereTheyAreWorthIt) {
    plan p = make_plan({regular(600000, 1, 16)}, 0, 600000, {{{}, 0, 600000, true}});
    p.scratch.scratch_bytes = 1;
    p.scratch.is_chained = true;
    const driver d(p);
    EXPECT_EQ(calls_of(d, 0, 1000), (lines {"k0 src+0 dst+0 x262144"}));
    EXPECT_EQ(calls_of(d, 1000, 262144), lines {});
    EXPECT_EQ(calls_of(d, 262144, 600001), (lines {"k0 src+262144 dst+4194304 x337856 rest"}));
    // Not sooner where a step writes less of a run.
    p.problem.levels = {regular(600000, 1, 1)};
    const driver narrow(p);
    EXPECT_EQ(calls_of(narrow, 0, 1000), (lines {"k0 src+0 dst+0 x262144"}));
    // A step of 1 << 20 runs is 16 MiB, but 16 bytes of each, which must have 4 KiB.
    p.problem.levels = {regular(600000, 1, 16)};
    p.problem.levels[0].unit = 16;
    p.kernels.resize(1);
    p.kernels[0].state.limits = {{600000 * 16, 600000 * 16}, {1 << 20, 1 << 20}};
    const driver many_runs(p);
    EXPECT_EQ(calls_of(many_runs, 0, 1), (lines {"k0 src+0 dst+0 x256"}));
}

TEST(Driver, OffsetsBeyond32Bits) {
    const dim_t far = dim_t(3) << 40;
    EXPECT_EQ(calls_of(make_plan({regular(2, far, 8), regular(1 << 20, 1 << 20, far)}, 1, 1 << 19,
                      {{{{0, 0, 2}}, 0, 1 << 20, false}})),
            (lines {"k0 src+0 dst+0 x524288", "k0 src+549755813888 dst+1729382256910270464 x524288",
                    "k0 src+3298534883328 dst+8 x524288",
                    "k0 src+3848290697216 dst+1729382256910270472 x524288"}));
}

} // namespace
