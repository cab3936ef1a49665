// SPDX-License-Identifier: Apache-2.0
// Segments, jobs and kernels of plans: tables, every element written exactly once, extents beyond
// what a test could execute.
#include "cpu/plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cpu/exec/driver.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::dim_limits;
using tfmt::cpu::driver;
using tfmt::cpu::kernel_call;
using tfmt::cpu::nest_state;
using tfmt::cpu::plan;
using tfmt::cpu::plan_mode;
using tfmt::cpu::segment;

// "0+2 of 16/16": steps 0 and 1, in each of which 16 are read and 16 written; "pad" before padding;
// "from 4" where they begin late.
std::string text_of(const segment &s) {
    return std::string(s.is_padding ? "pad " : "") + std::to_string(s.first) + "+"
            + std::to_string(s.count) + " of " + std::to_string(s.below.load) + "/"
            + std::to_string(s.below.store)
            + (s.below.begin ? " from " + std::to_string(s.below.begin) : "");
}

lines text_of(const tfmt::cpu::segment_list &segments) {
    lines text;
    for (const segment &s : segments)
        text.push_back(text_of(s));
    return text;
}

// Steps that a block takes of the levels that are `wanted`, tiles aside.
template <typename F>
dim_t steps_of_block(const plan &p, F &&wanted) {
    const std::vector<level> &levels = p.problem.levels;
    dim_t n = 1;
    for (size_t i = levels.size() - size_t(p.n_block_levels); i < levels.size(); i++)
        if (wanted(levels[i])) n *= levels[i].extent;
    return n;
}

TEST(Split, Table) {
    const dim_t huge = dim_t(1) << 40;
    struct {
        dim_t unit;
        dim_limits state;
        bool in_padding;
        lines segments;
    } rows[] = {
            {16, {48, 48}, false, {"0+3 of 16/16"}},
            {16, {40, 40}, false, {"0+2 of 16/16", "2+1 of 8/8"}},
            {16, {40, 44}, false, {"0+2 of 16/16", "2+1 of 8/12"}},
            {16, {40, 48}, false, {"0+2 of 16/16", "2+1 of 8/16"}},
            {16, {40, 64}, false, {"0+2 of 16/16", "2+1 of 8/16", "pad 3+1 of 0/16"}},
            {16, {32, 64}, false, {"0+2 of 16/16", "pad 2+2 of 0/16"}},
            {4, {5, 11}, false, {"0+1 of 4/4", "1+1 of 1/4", "pad 2+1 of 0/3"}},
            {4, {5, 14}, false, {"0+1 of 4/4", "1+1 of 1/4", "pad 2+1 of 0/4", "pad 3+1 of 0/2"}},
            {4, {8, 14}, false, {"0+2 of 4/4", "pad 2+1 of 0/4", "pad 3+1 of 0/2"}},
            {4, {3, 3}, false, {"0+1 of 3/3"}},
            {4, {3, 4}, false, {"0+1 of 3/4"}},
            {4, {0, 6}, false, {"pad 0+1 of 0/4", "pad 1+1 of 0/2"}},
            {1, {5, 8}, false, {"0+5 of 1/1", "pad 5+3 of 0/1"}},
            {1, {1, 1}, false, {"0+1 of 1/1"}},
            // Inside padding what is to be read no longer counts.
            {16, {40, 48}, true, {"pad 0+3 of 0/16"}},
            {16, {40, 40}, true, {"pad 0+2 of 0/16", "pad 2+1 of 0/8"}},
            {1, {7, 7}, true, {"pad 0+7 of 0/1"}},
            {huge, {3 * huge + 1, 4 * huge}, false,
                    {"0+3 of 1099511627776/1099511627776", "3+1 of 1/1099511627776"}},
            {4, {0, 0}, false, {}},
            // What begins within a step comes last.
            {16, {48, 48, 4}, false, {"1+2 of 16/16", "0+1 of 16/16 from 4"}},
            {16, {40, 40, 4}, false, {"1+1 of 16/16", "2+1 of 8/8", "0+1 of 16/16 from 4"}},
            {16, {20, 20, 4}, false, {"1+1 of 4/4", "0+1 of 16/16 from 4"}},
            {16, {16, 16, 4}, false, {"0+1 of 16/16 from 4"}},
            {16, {12, 12, 4}, false, {"0+1 of 12/12 from 4"}},
            {8, {40, 40, 12}, false, {"2+3 of 8/8", "1+1 of 8/8 from 4"}},
            {8, {41, 41, 16}, false, {"2+3 of 8/8", "5+1 of 1/1"}},
            {1, {5, 5, 2}, false, {"2+3 of 1/1"}},
    };
    for (const auto &r : rows)
        EXPECT_EQ(text_of(tfmt::cpu::split(r.unit, r.state, r.in_padding)), r.segments)
                << "unit " << r.unit << " of " << r.state.load << "/" << r.state.store;
}

TEST(Split, SegmentsFollowEachOtherAndAddUp) {
    desc_test::random_descs random(7);
    for (int i = 0; i < 2000; i++) {
        const dim_t unit = 1 + random.below(9), load = random.below(40);
        const dim_limits state {load, load + random.below(20)};
        dim_t step = 0, loaded = 0, stored = 0;
        for (const segment &s : tfmt::cpu::split(unit, state, false)) {
            EXPECT_EQ(s.first, step);
            EXPECT_GT(s.count, 0);
            EXPECT_LE(s.below.store, unit);
            EXPECT_EQ(s.is_padding, s.below.load == 0);
            step += s.count;
            loaded += s.count * s.below.load;
            stored += s.count * s.below.store;
        }
        ASSERT_EQ(loaded, state.load);
        ASSERT_EQ(stored, state.store);
    }
}

// Of any two nested levels, whose steps add up to a dimension that begins anywhere in it.
TEST(Split, LateBeginsLeaveTheRest) {
    for (const dim_t outer_unit : {4, 8, 12})
        for (dim_t load = 1; load < 40; load++)
            for (dim_t begin = 1; begin < load; begin++) {
                std::vector<int> visits(size_t(load), 0);
                for (const segment &o : tfmt::cpu::split(outer_unit, {load, load, begin}, false))
                    for (dim_t step = o.first; step < o.first + o.count; step++)
                        for (const segment &s : tfmt::cpu::split(4, o.below, false))
                            for (dim_t i = s.first; i < s.first + s.count; i++)
                                for (dim_t e = s.below.begin; e < s.below.load; e++)
                                    visits.at(size_t(step * outer_unit + i * 4 + e))++;
                for (dim_t i = 0; i < load; i++)
                    ASSERT_EQ(visits[size_t(i)], i >= begin)
                            << outer_unit << " " << load << " " << begin << " " << i;
            }
}

TEST(Plan, HasWork) {
    plan p {};
    p.mode = plan_mode::move;
    EXPECT_TRUE(has_work(p, {{{4, 4}}, false}));
    p.mode = plan_mode::padding_only;
    EXPECT_FALSE(has_work(p, {{{4, 4}, {16, 16}}, false}));
    EXPECT_TRUE(has_work(p, {{{4, 4}, {8, 16}}, false}));
    EXPECT_TRUE(has_work(p, {{{4, 4}}, true}));
}

// ---------------------------------------------------------------- every element exactly once

class store_counter {
public:
    explicit store_counter(bool widens) : widens_(widens) {}

    // Stores of each byte of the destination. Where they are widened, those of a block count as
    // one: what it stores may reach into what it stores next.
    std::map<dim_t, int> counts;

    void call(const tfmt::cpu::ir::kernel &k, const kernel_call &c) {
        dim_t at = c.dst_offset;
        for (dim_t i = 0; i < c.root_count; i++, at += k.dst_step_bytes)
            visit(k, k.root, at);
        if (c.with_rest) visit(k, k.rest, at);
    }

private:
    void visit(const tfmt::cpu::ir::kernel &k, const std::vector<tfmt::cpu::ir::nest_node> &nodes,
            dim_t base) {
        for (const tfmt::cpu::ir::nest_node &n : nodes)
            for (dim_t i = 0; i < n.count; i++) {
                const dim_t at = base + n.dst_offset_bytes + i * n.dst_step_bytes;
                if (n.block < 0)
                    visit(k, n.children, at);
                else
                    store(k.blocks[size_t(n.block)], at);
            }
    }

    void store(const tfmt::cpu::ir::block &ops, dim_t at) {
        std::set<dim_t> stored;
        for (const tfmt::cpu::ir::op &o : ops) {
            if (o.kind != tfmt::cpu::ir::op_kind::store) continue;
            for (const tfmt::cpu::ir::chunk &c : o.chunks)
                for (int byte = 0; byte < o.unit_bytes; byte++) {
                    if (!(c.mask >> byte & 1)) continue;
                    const dim_t to = at + c.offset_bytes + byte;
                    if (stored.insert(to).second || !widens_) counts[to]++;
                }
        }
    }

    const bool widens_;
};

std::map<dim_t, int> stores_of(plan p) {
    // As if much were moved: with masks nothing is widened then.
    p.moved_bytes = std::max(
            p.moved_bytes, tfmt::cpu::tuning::max_moved_bytes_of_widened_masks + 1);
    std::vector<tfmt::cpu::ir::kernel> kernels;
    for (const tfmt::cpu::kernel_spec &spec : p.kernels)
        kernels.push_back(tfmt::cpu::ir::build(p, spec));
    store_counter counter(!p.target.has_masks());
    const driver calls(p);
    calls.run_all([&](const kernel_call &c) { counter.call(kernels[size_t(c.kernel)], c); });
    return counter.counts;
}

// One store for each byte of the tensor (or of its padding only).
std::map<dim_t, int> wanted_stores(const memory_desc &dst, plan_mode mode) {
    const dim_t elem_bytes = dim_t(tfmt_data_type_size(dst.data_type));
    std::map<dim_t, int> wanted;
    desc_test::for_each_index(desc_test::padded_dims_of(dst), [&](const vec &index) {
        bool is_padding = false;
        for (int d = 0; d < dst.ndims; d++)
            is_padding = is_padding || index[size_t(d)] >= dst.dims[d];
        const dim_t at = tfmt::offset_of(dst, index.data()) * elem_bytes;
        for (dim_t byte = 0; byte < elem_bytes; byte++)
            if (mode == plan_mode::move || is_padding) wanted[at + byte] = 1;
    });
    return wanted;
}

TEST(Plan, WritesEveryByteExactlyOnce) {
    const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};
    for (unsigned seed = 0; seed < 400; seed++) {
        desc_test::random_descs random(seed);
        const tfmt_data_type_t type = types[random.below(4)];
        vec dims = random.dims(int(1 + random.below(4)));
        if (seed % 4 == 0) dims[0] = 60 + random.below(60);
        const memory_desc src = by_tag(dims, random.tag(int(dims.size())), type);
        const memory_desc dst = by_tag(dims, random.tag(int(dims.size())), type);
        machine m = all_machines()[seed / 4 % 4];
        if (seed % 2) m.l2_bytes = 0; // beyond L2 levels are cut into blocks
        const move_problem move = normalized(src, dst), padding = normalized(dst, dst);
        ASSERT_EQ(stores_of(planned(move, m)), wanted_stores(dst, plan_mode::move))
                << "seed " << seed << "\n"
                << to_text(planned(move, m));
        ASSERT_EQ(stores_of(planned(padding, m, plan_mode::padding_only)),
                wanted_stores(dst, plan_mode::padding_only))
                << "seed " << seed;
    }
}

TEST(Plan, NoPaddingNoJobs) {
    const move_problem p = normalized({4, 32}, "aB16b", "aB16b", tfmt_f32);
    EXPECT_TRUE(planned(p, avx2(), plan_mode::padding_only).jobs.empty());
}

// ---------------------------------------------------------------- loops

// Whether `p` visits level `i` in the driver because blocks do not nest there or below, and the
// tile is not next to that.
bool is_forced_out(const plan &p, size_t i) {
    const level &l = p.problem.levels[i];
    return std::any_of(p.problem.levels.begin(), p.problem.levels.end(), [&](const level &other) {
        return !other.is_regular() && p.the_tile.phased_index(other) < 0 && other.dim == l.dim
                && l.unit >= other.unit;
    });
}

// Within a dimension outer levels come first, each reaches what the one outside of it covers in a
// step, and all of it what is to be written. None that is the driver's is in a kernel.
void expect_nest(const plan &p) {
    const std::vector<level> &levels = p.problem.levels;
    std::map<int, dim_t> to_cover;
    for (size_t i = 0; i < levels.size(); i++) {
        const level &l = levels[i];
        const dim_t cover = to_cover.count(l.dim) ? to_cover[l.dim]
                                                  : p.problem.limits[size_t(l.dim)].store;
        EXPECT_LT(l.unit, cover);
        EXPECT_GE(l.unit * l.extent, cover);
        to_cover[l.dim] = l.unit;
        EXPECT_TRUE(!is_forced_out(p, i) || int(i) < p.n_driver_levels);
    }
}

// The index of the one level whose blocks do not nest, -1 if there is none.
int irregular_level(const plan &p) {
    for (size_t i = 0; i < p.problem.levels.size(); i++)
        if (!p.problem.levels[i].is_regular()) return int(i);
    return -1;
}

// 16 x 64 of c in 8 of a: the steps of c that do not nest are inside of a, but not where that would
// leave a call only what 24 of b have.
TEST(Plan, BlocksThatDoNotNestLieInsideOfLargerStrides) {
    const auto of_rows = [](dim_t n_b) {
        return planned(normalized({8, n_b, 512}, "aCB16b64c2b", "aCB24c8b", tfmt_f32), avx2());
    };
    const plan many = of_rows(1500), few = of_rows(24);
    ASSERT_EQ(irregular_level(many), 2);
    EXPECT_EQ(many.problem.levels[0].extent, 8);
    EXPECT_EQ(many.problem.levels[1].dim, many.problem.levels[2].dim);
    ASSERT_EQ(irregular_level(few), 1);
    EXPECT_EQ(few.problem.levels[0].dim, few.problem.levels[1].dim);
    EXPECT_EQ(few.problem.levels[2].extent, 8);
}

// Each combination of what is outside of them is a table and perhaps a kernel of its own.
TEST(Plan, BlocksThatDoNotNestMultiplyNoJobs) {
    const move_problem tails = normalized(
            {3, 3, 3, 3, 3, 70, 3, 16, 3}, "bEgaCiFdh24f2e2c", "eDGABIcFh16f2b2g2a2i2d", tfmt_bf16);
    const move_problem steps = normalized(
            {4032, 3, 3, 3, 3, 8192}, "bcdeAf64a", "BCDEAf63a2b2c2d2e", tfmt_u8);
    for (const machine &m : all_machines()) {
        plan p;
        std::string why;
        EXPECT_TRUE(make_plan(tails, m, plan_mode::move, &p, &why)) << why;
        EXPECT_LE(irregular_level(planned(steps, m)), 0);
    }
}

TEST(Plan, LoopsOfRandomPairsNest) {
    const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};
    int n_forced_out = 0, n_cut = 0;
    for (unsigned seed = 0; seed < 5000; seed++) {
        desc_test::random_descs random(seed);
        vec dims = random.dims(int(1 + random.below(4)));
        for (dim_t &dim : dims)
            if (random.below(3) == 0) dim = 20 + random.below(500);
        const tfmt_data_type_t type = types[random.below(4)];
        const move_problem move = normalized(dims, random.tag(int(dims.size())).c_str(),
                random.tag(int(dims.size())).c_str(), type);
        machine m = all_machines()[seed / 2 % 4];
        const plan usual = planned(move, m);
        m.l2_bytes = 0; // beyond L2 levels are cut into blocks
        const plan large = planned(move, m);
        expect_nest(usual);
        expect_nest(large);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << to_text(usual) << to_text(large);
        for (size_t i = 0; i < usual.problem.levels.size(); i++)
            n_forced_out += is_forced_out(usual, i);
        n_cut += large.problem.levels.size() > usual.problem.levels.size();
    }
    EXPECT_GT(n_forced_out, 50);
    EXPECT_GT(n_cut, 10);
}

TEST(Plan, OrderOfLoops) {
    const auto loops = [](const vec &dims, const char *src, const char *dst, const machine &m) {
        return plan_test::texts_of(planned(normalized(dims, src, dst, tfmt_f32), m).problem.levels);
    };
    machine m = avx512();
    // Tiles of 16x16. In the order of the destination's addresses...
    EXPECT_EQ(
            loops({100, 60}, "ab", "ba", m), (lines {"4 x 16, 64 -> 6400", "7 x 16, 3840 -> 64"}));
    // ...but beyond L2 in blocks of 4 tiles along the source's rows and 8 along the destination's,
    // one after the other along the source's rows.
    m.l2_bytes = 0;
    EXPECT_EQ(loops({500, 300}, "ab", "ba", m),
            (lines {"4 x 128, 153600 -> 512", "5 x 64, 256 -> 128000", "4 x 16, 64 -> 32000",
                    "8 x 16, 19200 -> 64"}));
    EXPECT_EQ(
            loops({100, 60}, "ab", "ba", m), (lines {"4 x 16, 64 -> 6400", "7 x 16, 3840 -> 64"}));
    // A machine may want less of each row.
    m.block_src_bytes = 64;
    EXPECT_EQ(loops({500, 300}, "ab", "ba", m),
            (lines {"4 x 128, 153600 -> 512", "19 x 16, 64 -> 32000", "8 x 16, 19200 -> 64"}));
}

// Of parts of lines that it copies as they are, more.
TEST(Plan, ReadsMoreOfRowsOfPartsOfLines) {
    machine m = avx512();
    m.l2_bytes = 0;
    m.block_src_bytes = 64;
    const auto blocks = [&](const char *src, const char *dst, tfmt_data_type_t type) {
        const plan p = planned(normalized({4, 728, 19, 19}, src, dst, type), m);
        const auto end = p.problem.levels.end();
        return plan_test::texts_of({end - p.n_block_levels, end});
    };
    const auto differ = [&](const char *src, const char *dst, tfmt_data_type_t type) {
        const auto as_others = blocks(src, dst, type);
        m.block_src_bytes_of_parts = 512;
        const auto more = blocks(src, dst, type);
        m.block_src_bytes_of_parts = 0;
        return as_others != more;
    };
    EXPECT_TRUE(differ("acdb", "aBdc24b", tfmt_u8));
    EXPECT_TRUE(differ("aBdc24b", "acdb", tfmt_u8));
    EXPECT_FALSE(differ("acdb", "aBdc32b", tfmt_f32)); // whole lines
    EXPECT_FALSE(differ("abcd", "abdc", tfmt_u8));     // exchanged
}

TEST(Plan, CompletesShortRowsOfTheDestination) {
    machine m = avx512();
    m.l2_bytes = 0;
    m.block_src_bytes = 64;
    const auto block = [&](const vec &dims, const char *src, const char *dst) {
        const plan p = planned(normalized(dims, src, dst, tfmt_f32), m);
        const auto end = p.problem.levels.end();
        return plan_test::texts_of({end - p.n_block_levels, end});
    };
    // 250 rows of the source are 1000 bytes of one of the destination, and not 500 twice...
    EXPECT_EQ(block({250, 300}, "ab", "ba"), (lines {"16 x 16, 19200 -> 64"}));
    // ...where as much is best; but 260 rows are too many.
    m.max_whole_dst_bytes = 512;
    EXPECT_EQ(block({250, 300}, "ab", "ba"), (lines {"8 x 16, 19200 -> 64"}));
    m.max_whole_dst_bytes = 2048;
    EXPECT_EQ(block({260, 300}, "ab", "ba"), (lines {"6 x 16, 19200 -> 64"}));
    // 26 rows of 52 bytes one behind the other, but not of 80, which are more than 2 KiB.
    EXPECT_EQ(block({1000, 26, 13}, "bac", "abc"), (lines {"26 x 1, 52000 -> 52"}));
    EXPECT_EQ(block({1000, 26, 20}, "bac", "abc"),
            (lines {"2 x 4, 320000 -> 320", "4 x 1, 80000 -> 80"}));
}

TEST(Plan, OrderOfMuchPadding) {
    machine m = avx512();
    m.l2_bytes = 0;
    const auto outermost = [&](const vec &dims) {
        const auto p = planned(normalized(dims, "bca", "AcB8b24a", tfmt_f32), m);
        return plan_test::texts_of(p.problem.levels)[0];
    };
    // Of 24 steps 4 are data, the rest is written: in the order of the destination, along c...
    EXPECT_EQ(outermost({4, 384, 1024}), "256 x 4, 64 -> 147456");
    // ...but with 5 in that of the source, along b.
    EXPECT_EQ(outermost({5, 384, 1024}), "96 x 4, 81920 -> 384");
    // Elements that become 8 and 4 times as wide, and only twice: 256 bytes of the source's rows
    // are half of one.
    const auto outermost_of = [&](tfmt_data_type_t src, tfmt_data_type_t dst) {
        const vec dims {512, 512};
        return plan_test::texts_of(
                planned(normalized(by_tag(dims, "ab", src), by_tag(dims, "ba", dst)), m)
                        .problem.levels)[0];
    };
    EXPECT_EQ(outermost_of(tfmt_u8, tfmt_f64), "2 x 256, 256 -> 1048576");
    EXPECT_EQ(outermost_of(tfmt_u8, tfmt_f32), "2 x 256, 256 -> 524288");
    EXPECT_EQ(outermost_of(tfmt_u8, tfmt_bf16), "4 x 128, 65536 -> 256");
}

// 3 channels in blocks of 64: a line of the source is 32 rows of the destination, on one set of L1
// if these are a multiple of 4 KiB apart, and the block has none but the tile's.
TEST(Plan, MostlyWrittenBlocksStayInL1) {
    machine m = avx512();
    m.l2_bytes = 0;
    const auto read_together = [&](dim_t rows) {
        const auto p = planned(normalized({1, 3, rows, 224}, "bcad", "aBdc64b", tfmt_bf16), m);
        return steps_of_block(p, [&](const level &l) { return l.dst_stride % (128 * rows) == 0; });
    };
    EXPECT_EQ(read_together(224), 1);
    EXPECT_GT(read_together(220), 1);
}

// Within L2 all of a short row is read before the next pass, of 64 bytes and of 80, which is no
// more than a line behind what a tile reads of it; not where what is then written crowds L1.
TEST(Plan, ReadsShortRowsAtOnce) {
    const auto read_together = [](const vec &dims, const char *src, const char *dst) {
        const plan p = planned(normalized(dims, src, dst, tfmt_u8), avx512());
        EXPECT_LT(p.the_tile.src_run_bytes, 32);
        return p.the_tile.src_run_bytes
                * steps_of_block(p, [](const level &l) { return l.src_stride < 64; });
    };
    EXPECT_EQ(read_together({768, 64}, "ab", "ba"), 64);
    EXPECT_GE(read_together({768, 80}, "ab", "ba"), 48);
    EXPECT_LT(read_together({2048, 80}, "ab", "ba"), 48); // 24 rows on one set
}

// What a source has besides in the lines that are read: of 4-byte elements.
TEST(Plan, TouchedBytes) {
    const auto rest = [](const vec &dims, const char *src, tfmt_data_type_t type = tfmt_f32) {
        const auto p = normalized(dims, src, "ab", type);
        return tfmt::cpu::touched_bytes(p) - tfmt::cpu::moved_bytes(p);
    };
    EXPECT_EQ(rest({32, 100}, "ab"), 0);
    EXPECT_EQ(rest({32, 100}, "ba"), 0);
    EXPECT_EQ(rest({100, 1}, "aB48b"), 100 * (64 - 4));     // a line of each 192 bytes
    EXPECT_EQ(rest({100, 17}, "aB48b"), 100 * (128 - 68));  // two
    EXPECT_EQ(rest({100, 47}, "aB48b"), 100 * (192 - 188)); // all three
    EXPECT_EQ(rest({100, 5}, "aB8b"), 100 * (32 - 20));     // no more than up to the next row
    EXPECT_EQ(rest({100, 1}, "aB4b", tfmt_u8), 100 * (4 - 1));
    EXPECT_EQ(rest({16, 100}, "Ab32a"), 0); // 64 bytes, a line, of each 128
    EXPECT_EQ(rest({144, 5}, "AB48a8b"), 144 * (32 - 20));
}

// What it takes of a cache besides: its lines are in part of the sets.
TEST(Plan, BytesInCache) {
    const auto rest = [](const vec &dims, const char *src, dim_t way_bytes) {
        const auto p = normalized(dims, src, "ab", tfmt_f32);
        return tfmt::cpu::bytes_in_cache(p, way_bytes) - tfmt::cpu::moved_bytes(p);
    };
    EXPECT_EQ(rest({32, 256}, "ab", 1 << 17), 0);                     // no gaps
    EXPECT_EQ(rest({100, 16}, "aB256b", 1 << 17), 100 * (1024 - 64)); // one line in 16
    EXPECT_EQ(rest({100, 16}, "aB256b", 256), 100 * (256 - 64));
    EXPECT_EQ(rest({100, 16}, "aB48b", 1 << 17), 0); // every 192 bytes: in all sets
    EXPECT_EQ(rest({100, 4}, "aB96b", 1 << 17), 100 * (128 - 16));
}

// One channel in blocks of 48: 18 KiB are moved of each of 32 images, but from 900 KiB of lines.
TEST(Plan, PaddingInLinesOfTheSourceIsNotInL2) {
    const auto outermost = [](size_t l2_bytes) {
        machine m = avx512();
        m.l2_bytes = l2_bytes;
        const plan p = planned(normalized({1, 1, 32, 96, 96}, "aBdec48b", "acdeb", tfmt_bf16), m);
        return p.problem.levels[0].src_stride;
    };
    EXPECT_EQ(outermost(2 << 20), 32 * 32 * 96); // 32 pixels on: in the order of the source
    EXPECT_EQ(outermost(32 << 20), 96);          // the next image: in that of the destination
}

// 3 channels in blocks of 2 are a run of 3 with what lies around them: 4 x 3 x 3 bytes in 64 lanes.
TEST(Plan, PacksChannelsOfTwoBlocks) {
    const plan p = planned(
            normalized({32, 3, 3, 3}, "ABcd8a2b", "dabc", tfmt_u8), plan_test::avx512_vbmi());
    EXPECT_EQ(p.the_tile.dst_run.size(), 6u);
    EXPECT_EQ(p.the_tile.dst_run_bytes, 36);
}

// Short rows are copied in fours where there are no masks: stores reach into the next row.
TEST(Plan, CopiesShortRowsTogether) {
    const auto n_regs = [](dim_t row_elems, const machine &m, dim_t n_rows = 32) {
        const plan p = planned(normalized({n_rows, 32, row_elems}, "bac", "abc", tfmt_u8), m);
        return 1 << p.the_tile.n_reg_bits();
    };
    EXPECT_EQ(n_regs(9, avx2()), 4);
    EXPECT_EQ(n_regs(9, sse41()), 4);
    EXPECT_EQ(n_regs(9, avx512()), 1);
    EXPECT_EQ(n_regs(9, avx2(), 512), 4); // 288 KiB
    EXPECT_EQ(n_regs(40, avx2()), 8);     // two of each row
    EXPECT_EQ(n_regs(500, avx2()), 4);    // of one row
    // Blocks of 5 are no rows: the eighth step of a tile of 8 would be the third of the next one.
    const plan blocks = planned(normalized({17, 2}, "Ab5a", "ba", tfmt_u8), avx2());
    EXPECT_EQ(blocks.the_tile.bits_of_level, (tfmt::inline_vector<int, 16> {3, 0, 0}));
}

// So are rows of which elements change places.
TEST(Plan, PermutesShortRowsTogether) {
    const auto n_regs = [](dim_t n_rows, const machine &m) {
        const plan p = planned(normalized({n_rows, 3, 3}, "acb", "abc", tfmt_u8), m);
        return 1 << p.the_tile.n_reg_bits();
    };
    EXPECT_EQ(n_regs(64 * 64, avx2()), 4);
    EXPECT_EQ(n_regs(64 * 64, sse41()), 4);
    EXPECT_EQ(n_regs(64 * 64, avx512()), 1);
    EXPECT_EQ(n_regs(512 * 512, avx2()), 4);
}

// Fillers are read for what lies behind them: where colliding rows of the destination leave nothing
// of that, they are dropped as well.
TEST(Plan, DropsFillersWithWhatIsBehindThem) {
    const vec dims {24, 4, 8, 64};
    const plan p = planned(normalized(by_strides(dims, {6144, 1, 768, 8}, tfmt_u8),
                                   by_strides(dims, {1, 4096, 1048576, 16384}, tfmt_u8)),
            avx512());
    ASSERT_EQ(p.the_tile.src_run.size(), 2u);
    for (const auto &b : p.the_tile.bits)
        EXPECT_GE(b.level, 0);
}

// Each element of the source's run has a line of padding of its own, in rows 4 KiB apart.
TEST(Plan, ReadsSingleElementsOfSpreadRuns) {
    const auto src_run = [](const vec &dims, const char *dst, const machine &m) {
        return planned(normalized(dims, "abcde", dst, tfmt_f32), m).the_tile.src_run.size();
    };
    EXPECT_EQ(src_run({32, 1, 1, 3, 3}, "Bcdea32b", avx512()), 0u);
    EXPECT_EQ(planned(normalized({32, 1, 1, 3, 3}, "abcde", "Bcdea32b", tfmt_f32), avx512()).note,
            "reads one element at a time: each has a vector of dst to itself");
    EXPECT_GT(src_run({32, 2, 1, 3, 3}, "Bcdea32b", avx512()), 0u); // two wanted
    EXPECT_GT(src_run({31, 1, 1, 3, 3}, "Bcdea32b", avx512()), 0u); // not a multiple of 4 KiB
    EXPECT_GT(src_run({32, 1, 1, 3, 3}, "Bcdea8b", avx512()), 0u);  // less than a line
    EXPECT_GT(src_run({32, 1, 1, 3, 3}, "Bcdea32b", avx2()), 0u);
    // Of 4 bits two are read at once.
    const plan nibbles = planned(normalized(by_tag({2, 1, 1, 8}, "abcd", tfmt_u4),
                                         by_tag({2, 1, 1, 8}, "aCBd64b64c", tfmt_u8)),
            avx512());
    EXPECT_FALSE(nibbles.the_tile.src_run.empty());
}

// Rows of padding lie nowhere in the source: where they would begin wraps, sanitizers see if not.
TEST(Plan, FarRowsOfPadding) {
    const vec dims {128, 3, 64};
    const move_problem p = normalized(by_strides(dims, {1, (dim_t(1) << 60) + 64, 128}, tfmt_u8),
            by_tag(dims, "ABc16b16a", tfmt_u8));
    for (machine m : all_machines()) {
        m.l3_bytes = 0;
        EXPECT_FALSE(planned(p, m).jobs.empty()) << name_of(m);
        plan streamed;
        EXPECT_TRUE(make_streamed_plan(p, m, &streamed)) << name_of(m);
    }
}

// One of 4 bytes, four of a vector, of 16 rows: registers hold 8 of these. One of 8, eight of a
// vector, of 64 rows: 16 of these. Where the rows' elements are padding in part, single bytes are
// read.
TEST(Plan, KeepsFillersForFewerRows) {
    const auto tile_of = [](const vec &dims, const char *src, const char *dst, const machine &m) {
        return planned(normalized(dims, src, dst, tfmt_s8), m).the_tile;
    };
    machine past_caches = in_rows(sse41());
    past_caches.l3_bytes = 0;
    const tfmt::cpu::tile half = tile_of({1, 128, 768}, "Abc4a", "acb", past_caches);
    EXPECT_EQ(half.src_run.size(), 4u);
    EXPECT_EQ(half.dst_run.size(), 3u);
    const tfmt::cpu::tile quarter = tile_of({16, 1, 28, 28}, "ABcd8a8b", "abcd", avx512());
    EXPECT_EQ(quarter.src_run.size(), 6u);
    EXPECT_EQ(quarter.dst_run.size(), 4u);
    const tfmt::cpu::tile padded = tile_of({32, 1, 1, 3, 3}, "ABcde8a8b", "aBCde4b8c2b", avx2());
    for (const auto &b : padded.bits)
        EXPECT_GE(b.level, 0);
}

TEST(Plan, TakesPaddingBehindVectors) {
    const auto vectors = [](dim_t a, dim_t b) {
        const plan p = planned(normalized({a, b}, "BA8a24b", "BA16a64b4a", tfmt_u8), avx512());
        return 1 << p.the_tile.n_reg_bits();
    };
    EXPECT_EQ(vectors(250, 1), 4);   // 16 of 64 b in one, and 48 of padding
    EXPECT_EQ(vectors(25000, 1), 1); // of much
}

// One index of a in blocks of 16: the other steps of a line's row come next to the tile, so that
// the destination is written from its beginning to its end.
TEST(Plan, WritesPaddingBehindTheDataBeforeIt) {
    machine m = avx512();
    m.l2_bytes = 0;
    const move_problem move = normalized({1, 16, 40, 64}, "abcd", "ABcd16a16b", tfmt_s8);
    const auto innermost = [](const plan &p) {
        return plan_test::text_of(p.problem.levels.back());
    };
    const std::string padding = "4 x 4, 163840 -> 64";
    EXPECT_EQ(innermost(planned(move, m)), padding);
    m.l3_bytes = 0;
    plan streamed;
    EXPECT_TRUE(make_streamed_plan(move, m, &streamed));
    EXPECT_EQ(innermost(streamed), padding);
    // With data in all of them they are rows like others.
    const plan whole = planned(normalized({16, 16, 40, 64}, "abcd", "ABcd16a16b", tfmt_s8), m);
    EXPECT_NE(whole.problem.levels.back().dst_stride, 64);
}

// A tile with phases stores 32 bytes of blocks of 32 by 32: what completes its lines past the
// caches is in its block.
TEST(Plan, CompletesLinesOfPhases) {
    machine m = sse41();
    m.l3_bytes = 0;
    plan streamed;
    ASSERT_TRUE(make_streamed_plan(
            normalized({32, 96, 8, 8}, "aBdc24b", "ABcd32a32b", tfmt_s8), m, &streamed));
    ASSERT_FALSE(streamed.the_tile.phased.empty());
    const std::vector<level> &levels = streamed.problem.levels;
    EXPECT_TRUE(std::any_of(levels.end() - streamed.n_block_levels, levels.end(),
            [](const level &l) { return l.dst_stride == 32; }));
}

// Tiles read the rest of a line next where 16 rows to a set of L1 would push it out before they
// come back to it, if L1 holds what they write meanwhile.
TEST(Plan, ReadsLinesOnThatWouldBeGone) {
    const auto reads_on = [](const vec &dims, const machine &m, const char *src = "ab",
                                  const char *dst = "ba", tfmt_data_type_t type = tfmt_u8) {
        const plan p = planned(normalized(dims, src, dst, type), m);
        return p.problem.levels.back().src_stride < 64;
    };
    EXPECT_TRUE(reads_on({196, 1024}, sse41()));
    EXPECT_TRUE(reads_on({196, 1024}, avx2()));
    EXPECT_FALSE(reads_on({196, 1040}, sse41())); // rows of many sets
    EXPECT_FALSE(reads_on({1024, 196}, sse41()));
    EXPECT_FALSE(reads_on({1, 384, 1024}, avx2(), "AcB8b8a", "abc", tfmt_s32)); // written ones too
    EXPECT_FALSE(reads_on({196, 1024}, avx512()));
}

// Tiles that stream whole lines read a line of the source to its end where rows of one set of L1
// would push it out before they come back to it, unless that leads to other pages.
TEST(Plan, StreamsWhatLinesWouldBeReadAgainFor) {
    const auto reads_lines_to_their_end = [](const vec &dims, const char *src, const char *dst) {
        machine m = sse41();
        m.l3_bytes = 0;
        plan streamed;
        EXPECT_TRUE(make_streamed_plan(normalized(dims, src, dst, tfmt_s8), m, &streamed));
        const level &last = streamed.problem.levels.back();
        return last.src_stride == 16 && last.extent == 4;
    };
    EXPECT_TRUE(reads_lines_to_their_end({1024, 4096}, "ab", "AB32a16b"));
    EXPECT_FALSE(reads_lines_to_their_end({1024, 4160}, "ab", "AB32a16b")); // rows of many sets
    EXPECT_FALSE(reads_lines_to_their_end({1024, 4096}, "ab", "AB4a16b"));  // few rows
    EXPECT_FALSE(reads_lines_to_their_end({64, 16, 64, 64}, "ABcd16a16b", "acdb")); // in pages
}

// Nor are lines streamed that come to their ends with other phases.
TEST(Plan, StreamsNoPartsOfLinesWithPhases) {
    machine narrow = avx2(), wide = avx512();
    narrow.l3_bytes = wide.l3_bytes = 0;
    const auto p = normalized({16, 96, 64}, "BcA16a48b4a", "aBC2b8c16b2c", tfmt_s8);
    plan streamed;
    EXPECT_FALSE(make_streamed_plan(p, narrow, &streamed));
    EXPECT_TRUE(make_streamed_plan(p, wide, &streamed)); // vectors are lines
    const auto copies = normalized({480, 64}, "Ab48a", "Ab32a", tfmt_s8);
    EXPECT_TRUE(make_streamed_plan(copies, narrow, &streamed));
    EXPECT_FALSE(streamed.the_tile.phased.empty());
    // Rows of 96 bytes, one behind the other along a loop around those along other rows.
    narrow.read_many_rows_ahead();
    EXPECT_FALSE(make_streamed_plan(
            normalized({1024, 512, 3, 3}, "ABcd16b64a2b", "aBdc24b", tfmt_f32), narrow, &streamed));
    // Of 48 bytes, along the next loop.
    narrow.vector_bytes = 16;
    EXPECT_TRUE(make_streamed_plan(
            normalized({2, 96, 4, 14, 14}, "aBcde16b", "aBdec24b", tfmt_bf16), narrow, &streamed));
    EXPECT_FALSE(streamed.the_tile.phased.empty());
}

// Blocks that are streamed have few rows of the source where what is read of these fills a set.
TEST(Plan, StreamsFewRowsThatFillSets) {
    const auto goes_along_dst = [](const vec &dims, const char *src, const char *dst,
                                        tfmt_data_type_t type, machine m) {
        m.l3_bytes = 0;
        plan streamed;
        EXPECT_TRUE(make_streamed_plan(normalized(dims, src, dst, type), m, &streamed));
        const std::vector<level> &levels = streamed.problem.levels;
        const bool completes_lines = levels.back().src_stride == 32;
        return levels[levels.size() - (completes_lines ? 2 : 1)].dst_stride == 64;
    };
    // 16 lines of rows that are a multiple of 64 KiB apart, and of ones that are not.
    EXPECT_FALSE(goes_along_dst({1, 32, 2048, 128}, "adCb2c", "bcda", tfmt_f32, avx512()));
    EXPECT_TRUE(goes_along_dst({1, 32, 2056, 128}, "adCb2c", "bcda", tfmt_f32, avx512()));
    // Halves of lines of 32 rows in one set of L1.
    EXPECT_FALSE(goes_along_dst({8, 32, 512, 128}, "acbd", "abdc", tfmt_bf16, avx512()));
    EXPECT_TRUE(goes_along_dst({8, 32, 512, 136}, "acbd", "abdc", tfmt_bf16, avx512()));
}

// And blocks along the destination only as far as L1 holds what tiles read again of the source.
TEST(Plan, StreamsBlocksOfRowsThatL1Holds) {
    const auto dst_bytes = [](machine m, const vec &dims, const char *src, const char *dst,
                                   tfmt_data_type_t src_type, tfmt_data_type_t dst_type) {
        m.l3_bytes = 0;
        plan p;
        EXPECT_TRUE(make_streamed_plan(
                normalized(by_tag(dims, src, src_type), by_tag(dims, dst, dst_type)), m, &p));
        const dim_t unit = p.the_tile.dst_run_bytes;
        return unit * steps_of_block(p, [&](const level &l) {
            return l.dst_stride == unit || (l.dst_stride % 64 == 0 && l.dst_stride < 512);
        });
    };
    const auto of_transposes = [&](const machine &m, dim_t n_columns,
                                       tfmt_data_type_t dst_type = tfmt_f32) {
        return dst_bytes(m, {4096, n_columns}, "ab", "ba", tfmt_f32, dst_type);
    };
    EXPECT_EQ(of_transposes(avx2(), 1040), 512);
    EXPECT_EQ(of_transposes(avx2(), 64), 512);  // 8 on each set of L1
    EXPECT_EQ(of_transposes(avx2(), 128), 256); // 16
    EXPECT_EQ(of_transposes(avx2(), 1024), 128);
    EXPECT_EQ(of_transposes(avx512(), 1024), 512); // lines are read whole
    EXPECT_EQ(of_transposes(avx2(), 1024, tfmt_bf16), 512);
    machine reads_ahead = avx2();
    reads_ahead.read_ahead_rows = 128;
    EXPECT_EQ(of_transposes(reads_ahead, 1024), 512);
    // Padding of half of the destination.
    EXPECT_EQ(dst_bytes(avx2(), {2, 64, 6144}, "abc", "ABc16a32b", tfmt_f32, tfmt_f32), 512);
    // Rows of 288 bytes, that begin within lines, are not cut.
    EXPECT_EQ(dst_bytes(sse41(), {36, 512, 80}, "acb", "cba", tfmt_f64, tfmt_f64), 288);
}

// Within L2 blocks go on along the source where they would else come to more rows of it in turns
// than L1 can hold lines of, if those of the destination do not suffer, and the machine wants it.
TEST(Plan, GoesOnAlongSourcesOfManyRows) {
    machine m = avx512();
    const auto goes_along_src = [&](const vec &dims, const char *src, const char *dst,
                                        tfmt_data_type_t type = tfmt_f32) {
        const plan p = planned(normalized(dims, src, dst, type), m);
        const std::vector<level> &levels = p.problem.levels;
        return levels.back().src_stride < levels.front().src_stride;
    };
    EXPECT_TRUE(goes_along_src({24, 4096}, "ab", "BA16b2a"));
    EXPECT_FALSE(goes_along_src({16, 4096}, "ab", "BA16b2a"));
    EXPECT_FALSE(goes_along_src({24, 4112}, "ab", "BA16b2a")); // rows of many sets
    EXPECT_FALSE(goes_along_src({4096, 24}, "ab", "ba"));      // rows of the destination
    // Runs of 48 bytes in vectors of 64, 49 rows of which share a set.
    EXPECT_TRUE(goes_along_src({1, 2048, 7, 7}, "acdb", "aBdc24b", tfmt_bf16));
    m.min_lines_in_turn = 0;
    EXPECT_FALSE(goes_along_src({24, 4096}, "ab", "BA16b2a"));
}

// Long rows of few parts of the source are copied along the destination.
TEST(Plan, CopiesAlongTheDestination) {
    const auto goes_along_dst = [](const vec &dims, const char *src, const char *dst) {
        machine m = avx2();
        m.l2_bytes = 0;
        m.max_read_rows = 8;
        const plan p = planned(normalized(dims, src, dst, tfmt_f32), m);
        // The inner one of the two levels of rows.
        const dim_t row_bytes = dims.back() * 4;
        const auto inner = std::find_if(p.problem.levels.rbegin(), p.problem.levels.rend(),
                [&](const level &l) { return std::max(l.src_stride, l.dst_stride) > row_bytes; });
        return inner->dst_stride == row_bytes;
    };
    EXPECT_TRUE(goes_along_dst({8, 200, 512}, "abc", "bac"));
    EXPECT_TRUE(goes_along_dst({8, 200, 500}, "abc", "bac")); // not of whole tiles
    EXPECT_FALSE(goes_along_dst({9, 200, 512}, "abc", "bac"));
    EXPECT_FALSE(goes_along_dst({8, 200, 512}, "bac", "abc")); // 8 of the destination
    EXPECT_TRUE(goes_along_dst({8, 200, 128}, "abc", "bac"));
    EXPECT_FALSE(goes_along_dst({8, 200, 96}, "abc", "bac")); // short rows
}

// Packed runs of few rows are whole lines side by side, with any permutation of two registers.
TEST(Plan, StreamsLinesGatheredFromFewRows) {
    const auto is_streamed = [](dim_t n_rows, dim_t n_pixels, tfmt_data_type_t type, machine m) {
        m.l3_bytes = 0;
        plan streamed;
        return make_streamed_plan(normalized({n_rows, n_pixels}, "ab", "ba", type), m, &streamed);
    };
    EXPECT_TRUE(is_streamed(3, 4096, tfmt_f32, avx512()));
    EXPECT_TRUE(is_streamed(3, 4096, tfmt_bf16, avx512()));
    EXPECT_TRUE(is_streamed(9, 4096, tfmt_f32, avx512()));
    EXPECT_FALSE(is_streamed(11, 4096, tfmt_f32, avx512()));
    EXPECT_TRUE(is_streamed(3, 4096, tfmt_u8, avx512_vbmi()));
    EXPECT_FALSE(is_streamed(3, 4096, tfmt_u8, avx512())); // no permutation of bytes
    EXPECT_FALSE(is_streamed(3, 4096, tfmt_f32, avx2()));
    // A row that is read by elements, 3 of each 6.
    machine m = avx512();
    m.l3_bytes = 0;
    plan streamed;
    EXPECT_FALSE(make_streamed_plan(normalized(by_strides({3, 4096}, {8192, 2}, tfmt_f32),
                                            by_tag({3, 4096}, "ba", tfmt_f32)),
            m, &streamed));
}

// Blocks of a streamed destination end where lines do: 48 of a, 16 of them data, are not halved.
TEST(Plan, StreamedBlocksEndAtLines) {
    machine m = sse41();
    m.l3_bytes = 0;
    m.read_ahead_rows = 32;
    plan streamed;
    ASSERT_TRUE(make_streamed_plan(
            normalized({16, 256, 784}, "acb", "Abc48a", tfmt_f32), m, &streamed));
    for (const level &l : streamed.problem.levels)
        EXPECT_TRUE(l.dst_stride == 16 || l.dst_stride % 64 == 0) << l.dst_stride;
}

// Blocks of a scratch read all of a line before what lies behind a gap: 8 of b, 8 of a, then
// pixels.
TEST(Plan, StagedBlocksReadWhatLiesBetween) {
    machine m = avx2();
    m.l3_bytes = 0;
    m.l2_scratch_bytes = 128 << 10;
    const plan p = planned(normalized({64, 512, 784}, "ABc8a8b", "abc", tfmt_s8), m);
    ASSERT_EQ(p.stores, tfmt::cpu::store_path::staged);
    const std::vector<level> &levels = p.problem.levels;
    const auto of_a = std::find_if(levels.end() - p.n_block_levels, levels.end(),
            [](const level &l) { return l.src_stride == 16; }); // the tile has two
    ASSERT_NE(of_a, levels.end());
    EXPECT_EQ(of_a->extent, 2); // all that the scratch has room for
}

// Where two lines of a row are best read together, by tiles that read whole vectors, beyond L2; and
// on every machine into a scratch that collects.
TEST(Plan, ReadsLinesInPairs) {
    const auto innermost = [](const vec &dims, tfmt_data_type_t type, machine m, int n_lines,
                                   size_t l2_bytes = 0) {
        m.paired_lines = n_lines;
        m.l2_bytes = l2_bytes;
        m.block_src_bytes = 64;
        const plan p = planned(normalized(dims, "ab", "ba", type), m);
        return plan_test::text_of(p.problem.levels.back());
    };
    const vec dims {500, 320};
    EXPECT_EQ(innermost(dims, tfmt_f32, avx512(), 2), "2 x 16, 64 -> 32000");
    EXPECT_EQ(innermost(dims, tfmt_f32, avx512(), 1), "8 x 16, 20480 -> 64");
    EXPECT_EQ(innermost(dims, tfmt_f32, avx512(), 2, 8 << 20),
            innermost(dims, tfmt_f32, avx512(), 1, 8 << 20));
    EXPECT_EQ(innermost(dims, tfmt_f32, sse41(), 2), innermost(dims, tfmt_f32, sse41(), 1));
    // Halves of 32 rows of the destination that share two sets of L1.
    const auto tiles_of_pair = [&](dim_t a, int n_lines) {
        machine m = avx2();
        m.paired_lines = n_lines;
        m.l2_bytes = 0;
        const plan p = planned(normalized({a, 320}, "ab", "ba", tfmt_f32), m);
        return p.problem.levels[p.problem.levels.size() - 2].extent; // around half lines of dst
    };
    EXPECT_EQ(tiles_of_pair(500, 2), 4);
    EXPECT_EQ(tiles_of_pair(500, 1), 2);
    EXPECT_EQ(tiles_of_pair(512, 2), 2);
    // Bytes to rows that begin within lines, and with them; but not where the source has fillers.
    const auto is_paired = [](const vec &dims, const char *src, const char *dst) {
        const auto order = [&](int n_lines) {
            machine m = avx512_vbmi();
            m.paired_lines = n_lines;
            m.l2_bytes = 0;
            m.block_src_bytes = 64;
            return plan_test::texts_of(
                    planned(normalized(dims, src, dst, tfmt_u8), m).problem.levels);
        };
        return order(1) != order(2);
    };
    EXPECT_FALSE(is_paired({4096, 1000}, "ba", "ab"));
    EXPECT_TRUE(is_paired({4096, 960}, "ba", "ab"));
    EXPECT_TRUE(is_paired({1, 255, 52, 52}, "Abcd16a", "cdba"));
    for (const int n_lines : {1, 2}) {
        const vec colliding {1024, 1024}; // through a scratch
        EXPECT_EQ(innermost(colliding, tfmt_u8, avx512(), n_lines), "2 x 64, 64 -> 65536");
        EXPECT_EQ(innermost(colliding, tfmt_u8, sse41(), n_lines), "8 x 16, 16 -> 16384");
    }
}

// Through a scratch past the caches where rows of the source collide, if runs can still be chained.
TEST(Plan, StagesLinesInPairs) {
    const auto innermost = [](const vec &dims, size_t l3_bytes, const char *src = "ab",
                                   const char *dst = "ba") {
        machine m = avx512();
        m.l3_bytes = l3_bytes;
        const plan p = planned(normalized(dims, src, dst, tfmt_u8), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        EXPECT_TRUE(p.scratch.is_chained);
        return plan_test::text_of(p.problem.levels.back());
    };
    EXPECT_EQ(innermost({4096, 4096}, 32 << 20), "2 x 64, 64 -> 262144"); // all rows in one set
    EXPECT_NE(innermost({4096 + 64, 4096 + 64}, 32 << 20), "2 x 64, 64 -> 266240");
    EXPECT_EQ(innermost({1024, 4096}, 0), "2 x 64, 64 -> 65536");
    EXPECT_NE(innermost({1024, 1024}, 0), "2 x 64, 64 -> 65536"); // 4 rows of a tile
    // Blocks with two lines have room for 96 bytes of runs of 24.
    EXPECT_EQ(innermost({1, 32, 2048, 128}, 32 << 20, "acbd", "aCdb24c"), "2 x 16, 65536 -> 16");
}

// Runs of 7x7 elements of 2 bytes, 98 bytes, are continued in twos.
TEST(Plan, ChainsRunsOfTwoLines) {
    machine m = avx512();
    m.l3_bytes = 0;
    const plan p = planned(normalized({256, 64, 7, 7}, "cdba", "abcd", tfmt_bf16), m);
    EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
    EXPECT_TRUE(p.scratch.is_chained);
    EXPECT_EQ(p.problem.levels[size_t(p.n_driver_levels)].dst_stride, 2 * 98);
    const auto kernel = tfmt::cpu::ir::build(p, p.kernels[0]);
    ASSERT_FALSE(kernel.drains.empty());
    EXPECT_TRUE(kernel.drains[0].is_chained);
}

// 255 elements in blocks of 24 reach as far as the next row begins, at which the next block's go
// on.
TEST(Plan, ChainsRunsThatEndBeforeTheirBlocksDo) {
    machine m = avx512();
    m.l3_bytes = 0;
    const plan p = planned(normalized({32, 255, 52, 52}, "aBdc24b", "acdb", tfmt_u8), m);
    EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
    EXPECT_TRUE(p.scratch.is_chained);
    EXPECT_EQ(p.problem.levels[size_t(p.n_driver_levels)].dst_stride, 255);
}

// Rows of 196 bytes that 2 steps of a level make into one run of all of the block.
TEST(Plan, StagesRowsThatJoinAsOneRun) {
    machine m = avx512();
    m.l3_bytes = 32 << 20;
    const plan p = planned(normalized({32, 832, 2, 7, 7}, "decab", "abcde", tfmt_f32), m);
    EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
    const auto kernel = tfmt::cpu::ir::build(p, p.kernels[0]);
    ASSERT_FALSE(kernel.drains.empty());
    EXPECT_EQ(p.scratch.scratch_bytes % 392, 0);
    EXPECT_EQ(p.problem.levels[size_t(p.n_driver_levels)].dst_stride, p.scratch.scratch_bytes);
}

// Such as follow each other in both tensors.
TEST(Plan, StagesSmallPiecesInSmallBlocks) {
    const auto block_bytes = [](const vec &dims, const char *src, const char *dst,
                                     dim_t piece_block_bytes) {
        machine m = plan_test::avx512();
        m.l3_bytes = 1 << 20;
        m.piece_block_bytes = piece_block_bytes;
        const plan p = planned(normalized(dims, src, dst, tfmt_f32), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        EXPECT_TRUE(p.scratch.is_chained);
        // Larger ones fetch the next one.
        EXPECT_EQ(p.scratch.lines.empty(), p.scratch.scratch_bytes <= piece_block_bytes);
        return p.scratch.scratch_bytes;
    };
    EXPECT_GT(block_bytes({20000, 7, 5}, "abc", "acb", 0), 16 << 10);
    EXPECT_EQ(block_bytes({20000, 7, 5}, "abc", "acb", 3072), 21 * 140);
    EXPECT_EQ(block_bytes({200, 100, 7, 5}, "abcd", "abdc", 3072), 21 * 140); // one level
    EXPECT_EQ(block_bytes({5000, 9, 7, 2}, "abcd", "acdb", 3072), 6 * 504);
    EXPECT_EQ(block_bytes({20000, 7, 5}, "abc", "aBc8b", 3072), 19 * 160); // and padding
    // Of other places in the source, larger than that, of long rows that tiles read in parts, and
    // too few.
    for (const vec &dims : {vec {20000, 7, 5}, vec {5000, 37, 25}, vec {5000, 3, 149}})
        EXPECT_GT(block_bytes(dims, dims[0] == 20000 ? "bac" : "abc", "acb", 3072), 8192);
    EXPECT_GT(block_bytes({61, 1001, 7, 5}, "bacd", "abdc", 3072), 8192);
}

TEST(Plan, ClaimsLinesBeyondL1) {
    const auto claims = [](bool fetches_stores_late, dim_t rows, bool is_past_caches,
                                const char *dst = "ba", tfmt_data_type_t dst_type = tfmt_f32) {
        machine m = avx512();
        m.fetches_stores_late = fetches_stores_late;
        if (is_past_caches) m.l3_bytes = 0;
        return planned(
                normalized(by_tag({rows, 64}, "ab", tfmt_f32), by_tag({rows, 64}, dst, dst_type)),
                m)
                .claims_lines;
    };
    EXPECT_FALSE(claims(true, 96, false)); // 48 KiB
    EXPECT_TRUE(claims(true, 97, false));
    EXPECT_FALSE(claims(false, 97, false));
    EXPECT_FALSE(claims(true, 97, true)); // drains do as they need
    EXPECT_TRUE(claims(true, 97, false, "ab"));
    // What is read in order and becomes wider.
    EXPECT_TRUE(claims(true, 500, false, "ab", tfmt_bf16));
    EXPECT_FALSE(claims(true, 500, false, "ab", tfmt_f64));
    EXPECT_TRUE(claims(true, 500, false, "ba", tfmt_f64));
}

// Some machines claim the lines of large destinations far ahead, where tiles write on in one row of
// 64 KiB and more, and store these not past the caches; in shorter ones they claim the next line.
TEST(Plan, ClaimsLinesAheadOfWhatIsWrittenOn) {
    machine m = avx512();
    m.fetches_stores_late = true;
    m.l3_bytes = 1 << 20;
    const auto claims_ahead = [&](const vec &dims, const char *src, const char *dst,
                                      tfmt_data_type_t dst_type = tfmt_f32) {
        const move_problem p = normalized(by_tag(dims, src, tfmt_f32), by_tag(dims, dst, dst_type));
        const plan any = planned(p, m);
        plan streamed {};
        EXPECT_EQ(make_streamed_plan(p, m, &streamed, &any), !any.claims_on)
                << src << " -> " << dst;
        EXPECT_EQ(any.claims_on, m.claimed_ahead_bytes && any.claimed_ahead_bytes == 3072);
        return any.claims_on;
    };
    EXPECT_FALSE(claims_ahead({8, 16, 64, 64}, "abcd", "aBcd16b"));
    m.claimed_ahead_bytes = 3072;
    EXPECT_TRUE(claims_ahead({8, 16, 64, 64}, "abcd", "aBcd16b"));
    EXPECT_TRUE(claims_ahead({8, 16, 65, 65}, "abcd", "aBcd16b"));  // a tail, which is written on
    EXPECT_FALSE(claims_ahead({8, 16, 64, 63}, "abcd", "aBcd16b")); // less than 4 MiB
    EXPECT_FALSE(claims_ahead({1024, 1024}, "ab", "ba"));           // many rows in turn
    EXPECT_TRUE(claims_ahead({16, 8, 128, 128}, "abcd", "bacd"));   // rows of 64 KiB
    EXPECT_FALSE(claims_ahead({16, 8, 128, 127}, "abcd", "bacd"));
    // Rows in pieces of 16 pixels, of which a tile writes half (2 KiB), and of 4 KiB.
    EXPECT_TRUE(claims_ahead({32, 8, 128, 128}, "abcd", "Abcd32a"));
    EXPECT_FALSE(claims_ahead({64, 8, 128, 128}, "abcd", "Abcd64a"));
    // What is read in order and becomes wider claims nothing.
    EXPECT_TRUE(claims_ahead({1 << 20}, "a", "a", tfmt_s32));
    EXPECT_FALSE(claims_ahead({1 << 20}, "a", "a", tfmt_f64));
    m.fetches_stores_late = false;
    EXPECT_FALSE(claims_ahead({8, 16, 64, 64}, "abcd", "aBcd16b"));
    m.fetches_stores_late = true;
    m.l3_bytes = 32 << 20;
    const auto claimed_ahead_bytes = [&](const vec &dims, const char *src, const char *dst,
                                             const machine &of) {
        return planned(normalized(dims, src, dst, tfmt_f32), of).claimed_ahead_bytes;
    };
    EXPECT_EQ(claimed_ahead_bytes({1000, 1000}, "ab", "ba", m), 64);
    EXPECT_EQ(claimed_ahead_bytes({1000, 100}, "ab", "ba", m), 0);
    EXPECT_EQ(claimed_ahead_bytes({16, 8, 128, 127}, "abcd", "bacd", m), 256);
    EXPECT_EQ(claimed_ahead_bytes({1000, 1000}, "ab", "ba", avx512()), 0);
}

TEST(Plan, BypassesTheCachesFromTheMachinesShareOn) {
    const auto bypasses = [](double share, size_t l3_bytes) {
        machine m = avx512();
        m.streaming_share_of_cache = share;
        m.l3_bytes = l3_bytes;
        const move_problem odd = normalized({300, 257}, "ab", "ba", tfmt_f32); // 616800 bytes
        const bool is_staged = planned(odd, m).stores == tfmt::cpu::store_path::staged;
        plan p;
        EXPECT_EQ(make_streamed_plan(normalized({304, 256}, "ab", "ba", tfmt_f32), m, &p),
                is_staged); // 622592
        return is_staged;
    };
    EXPECT_TRUE(bypasses(0.5, 1000000));
    EXPECT_FALSE(bypasses(0.75, 1000000));
    EXPECT_TRUE(bypasses(0.75, 800000));
    EXPECT_FALSE(bypasses(0.5, 1300000));
}

dim_t run_bytes_of_block(const plan &p, bool of_src) {
    const auto &levels = p.problem.levels;
    dim_t bytes = of_src ? p.the_tile.src_run_bytes : p.the_tile.dst_run_bytes;
    for (size_t i = levels.size(); i > levels.size() - size_t(p.n_block_levels); i--)
        if (stride_of(levels[i - 1], of_src) == bytes) bytes *= levels[i - 1].extent;
    return bytes;
}

// Beyond L2 a block has a line of 4-bit elements, whether these are unpacked one by one or two rows
// of the source become the halves of bytes.
TEST(Plan, BlocksOf4BitElements) {
    const auto dst_run_bytes = [](tfmt_data_type_t dst) {
        machine m = avx512();
        m.l2_bytes = 0;
        const plan p = planned(
                normalized(by_tag({1024, 1088}, "ab", tfmt_bf16), by_tag({1024, 1088}, "ba", dst)),
                m);
        return run_bytes_of_block(p, false);
    };
    EXPECT_EQ(dst_run_bytes(tfmt_u4), 64);
    EXPECT_EQ(dst_run_bytes(tfmt_f4_e2m1), 64);
    EXPECT_EQ(dst_run_bytes(tfmt_u8), 256);
}

// Beyond L2 a block has half as much of the destination where each line of that is 32 lines of the
// source and more.
TEST(Plan, BlocksOfManyReadLines) {
    const auto dst_run_bytes = [](const vec &dims, tfmt_data_type_t type) {
        machine m = avx512();
        m.l2_bytes = 0;
        const plan p = planned(normalized(dims, "ab", "ba", type), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::plain);
        return run_bytes_of_block(p, false);
    };
    EXPECT_EQ(dst_run_bytes({1024, 1088}, tfmt_u8), 256);
    EXPECT_EQ(dst_run_bytes({1280, 1056}, tfmt_bf16), 256);
    EXPECT_EQ(dst_run_bytes({1280, 1040}, tfmt_f32), 512);
}

// Staged ones have no more than so many rows of the source where these share sets of L1.
// Cores that read ahead in many rows at once get few rows of the source, read far, where these and
// the destination's are long and in pages of their own. Tiles fetch ahead in each; drains fetch the
// beginnings of the next ones.
TEST(Plan, StagedBlocksOfLongRowsInPages) {
    const auto staged = [](const vec &dims, const char *src, const char *dst, int read_ahead_rows) {
        machine m = avx512();
        m.l2_bytes = m.l3_bytes = 0;
        m.read_ahead_rows = read_ahead_rows;
        const plan p = planned(normalized(dims, src, dst, tfmt_f32), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        return p;
    };
    const auto reads_far = [](const plan &p) { return p.prefetch_bytes != 0; };
    const plan far = staged({5001, 9001}, "ab", "ba", 32);
    EXPECT_EQ(far.prefetch_bytes, 256);
    ASSERT_FALSE(far.scratch.lines.empty());
    dim_t n_rows = 0;
    for (const tfmt::cpu::line_rows &r : far.scratch.lines) {
        EXPECT_LE(r.n_lines, 4);
        n_rows += r.n_rows;
    }
    EXPECT_EQ(n_rows, 32);
    EXPECT_GE(run_bytes_of_block(far, true), 1024);
    EXPECT_FALSE(reads_far(staged({5001, 9001}, "ab", "ba", 0)));
    EXPECT_FALSE(reads_far(staged({5001, 1001}, "ab", "ba", 32))); // rows of 4004 bytes
    EXPECT_TRUE(reads_far(staged({5001, 1025}, "ab", "ba", 32)));
    EXPECT_FALSE(reads_far(staged({9001, 19, 237}, "abc", "bac", 32)));     // copies
    EXPECT_FALSE(reads_far(staged({33, 5, 41, 1201}, "adcb", "abcd", 32))); // not in the source
}

// Where the processor reads few rows ahead, a streamed block keeps to so many of them.
TEST(Plan, StreamsBlocksOfRowsThatAreReadAhead) {
    const auto rows = [](int read_ahead_rows, tfmt_data_type_t src, tfmt_data_type_t dst,
                              size_t l3_bytes = 0, int of_moves = 0) {
        machine m = avx512();
        m.l2_bytes = 0;
        m.l3_bytes = l3_bytes;
        m.read_ahead_rows = read_ahead_rows;
        m.read_ahead_rows_of_moves = of_moves;
        m.read_ahead_rows_near = 64;
        const vec dims {2048, 1024 + 64};
        plan p;
        EXPECT_TRUE(make_streamed_plan(
                normalized(by_tag(dims, "ab", src), by_tag(dims, "ba", dst)), m, &p));
        const tfmt::cpu::tile &t = p.the_tile;
        const dim_t n = tile_bytes(t) * t.src_elem_bits / std::max(t.src_elem_bits, t.dst_elem_bits)
                / t.src_run_bytes;
        return n * steps_of_block(p, [&](const level &l) { return l.src_stride % dims[1] == 0; });
    };
    EXPECT_EQ(rows(0, tfmt_f32, tfmt_f32), 128);
    EXPECT_EQ(rows(64, tfmt_f32, tfmt_f32), 64);
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_f32), 32);
    EXPECT_EQ(rows(8, tfmt_f32, tfmt_f32), 16);    // a tile's
    EXPECT_EQ(rows(0, tfmt_bf16, tfmt_bf16), 128); // on two sets of L1
    EXPECT_EQ(rows(32, tfmt_bf16, tfmt_bf16), 32);
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_bf16), 32);
    EXPECT_EQ(rows(32, tfmt_bf16, tfmt_f32), 32);
    EXPECT_EQ(rows(64, tfmt_u8, tfmt_f32), 64);
    // Where the last cache could hold both tensors of 8912896 bytes.
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_f32, 17825792), 32);
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_f32, 17825793), 64);
    // Fewer where elements keep their size.
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_f32, 0, 16), 16);
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_s32, 0, 16), 16);
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_f32, 17825793, 16), 16);
    EXPECT_EQ(rows(32, tfmt_f32, tfmt_bf16, 0, 16), 32);
    EXPECT_EQ(rows(64, tfmt_u8, tfmt_f32, 0, 16), 64);
}

// Where a streamed destination's rows are too many, blocks lie in blocks of 2048 bytes of the
// source's rows and of 1024 of the destination's, or about 2048.
TEST(Plan, StreamsBlocksOfPages) {
    const auto loops = [](int max_written_rows, tfmt_data_type_t dst = tfmt_f32,
                               int read_ahead_rows_of_moves = 0) {
        machine m = avx512();
        m.l2_bytes = m.l3_bytes = 0;
        m.max_written_rows = max_written_rows;
        m.read_ahead_rows_of_moves = read_ahead_rows_of_moves;
        if (dst != tfmt_f32) m.read_ahead_rows = 32;
        const vec dims {4160, 8256};
        plan p;
        EXPECT_TRUE(make_streamed_plan(
                normalized(by_tag(dims, "ab", tfmt_f32), by_tag(dims, "ba", dst)), m, &p));
        return plan_test::texts_of(p.problem.levels);
    };
    const lines apart {"33 x 128, 4227072 -> 512", "129 x 64, 256 -> 1064960",
            "4 x 16, 64 -> 266240", "8 x 16, 528384 -> 64"};
    EXPECT_EQ(loops(0), apart);
    EXPECT_EQ(loops(8256), apart);
    EXPECT_EQ(loops(8255),
            (lines {"17 x 256, 8454144 -> 1024", "17 x 512, 2048 -> 8519680",
                    "2 x 128, 4227072 -> 512", "8 x 64, 256 -> 1064960", "4 x 16, 64 -> 266240",
                    "8 x 16, 528384 -> 64"}));
    // Not of single lines, but where few rows of the source are read: then of 2048 bytes.
    EXPECT_EQ(loops(1, tfmt_bf16), loops(0, tfmt_bf16));
    EXPECT_EQ(loops(1, tfmt_bf16, 16), loops(0, tfmt_bf16));
    EXPECT_EQ(loops(8256, tfmt_f32, 16),
            (lines {"260 x 16, 528384 -> 64", "129 x 64, 256 -> 1064960", "4 x 16, 64 -> 266240"}));
    EXPECT_EQ(loops(8255, tfmt_f32, 16),
            (lines {"9 x 464, 15323136 -> 1856", "17 x 512, 2048 -> 8519680",
                    "29 x 16, 528384 -> 64", "8 x 64, 256 -> 1064960", "4 x 16, 64 -> 266240"}));
}

// Copies of rows of a line and more lie in blocks of 768 and 4096 bytes, in the caches as well, of
// 2048 and 16384 there if rows are long: of 192 bytes 3 rows of the source one behind the other,
// and all 22 of the destination.
TEST(Plan, CopiesBlocksOfPages) {
    const auto loops_of = [](const move_problem &p, int max_copied_rows, bool is_streamed) {
        machine m = avx512();
        m.l2_bytes = 0;
        if (is_streamed) m.l3_bytes = 0;
        m.max_copied_rows = max_copied_rows;
        plan made;
        if (is_streamed)
            EXPECT_TRUE(make_streamed_plan(p, m, &made));
        else
            made = planned(p, m);
        return plan_test::texts_of(made.problem.levels);
    };
    const auto loops = [&](int max_copied_rows, bool is_streamed,
                               tfmt_data_type_t type = tfmt_f32) {
        const move_problem p = normalized({22, 101, 36, 48}, "abcd", "cbad", type);
        return loops_of(p, max_copied_rows, is_streamed);
    };
    for (bool is_streamed : {false, true}) {
        const lines apart = loops(0, is_streamed);
        EXPECT_NE(loops(16, is_streamed), apart);
        EXPECT_EQ(loops(101 * 36, is_streamed), apart);
    }
    EXPECT_EQ(loops(16, false),
            (lines {"101 x 1, 6912 -> 4224", "12 x 3, 576 -> 1279872", "11 x 2, 1396224 -> 384",
                    "3 x 1, 192 -> 426624", "2 x 1, 698112 -> 192"}));
    EXPECT_EQ(loops(16, false, tfmt_u8), loops(0, false, tfmt_u8)); // 48 bytes
    // Rows of the destination 1024 bytes apart and more.
    const auto loops_to_rows = [&](dim_t channels, int max_copied_rows) {
        return loops_of(
                normalized({500, channels}, "Ba48b", "ab", tfmt_f32), max_copied_rows, false);
    };
    EXPECT_EQ(loops_to_rows(240, 16), loops_to_rows(240, 0));
    EXPECT_NE(loops_to_rows(512, 16), loops_to_rows(512, 0));
    // Of 512 bytes 4 rows of the source, 16 KiB of the destination, also where whole rows could be
    // read in the order of the source.
    const auto long_rows = [&](dim_t n_floats) {
        return loops_of(normalized({64, 512, n_floats}, "abc", "bac", tfmt_f32), 16, false);
    };
    EXPECT_EQ(long_rows(128),
            (lines {"2 x 32, 8388608 -> 16384", "128 x 4, 2048 -> 131072", "32 x 1, 262144 -> 512",
                    "4 x 1, 512 -> 32768", "2 x 16, 256 -> 256"}));
    EXPECT_EQ(long_rows(64)[1], "171 x 3, 768 -> 49152");
    // Of 256 bytes, each with a gap behind it, so that blocks are rows of the source one behind the
    // other: they are read on in the caches.
    const vec dims {64, 512, 64};
    const move_problem with_gaps = normalized(
            by_tag(dims, "abc", tfmt_f32), by_strides(dims, {128, 64 * 128, 1}, tfmt_f32));
    EXPECT_EQ(loops_of(with_gaps, 16, false), loops_of(with_gaps, 0, false));
    EXPECT_NE(loops_of(with_gaps, 16, true), loops_of(with_gaps, 0, true));
}

// Blocks that go past the caches: a chain stays last; what lies above it, and all where runs are
// long and a chain would lead through many pages of the source, goes in the order of the source.
TEST(Plan, StagesInTheOrderOfTheSource) {
    const auto made = [](const vec &dims, const char *dst_tag, tfmt_data_type_t type,
                              const char *src_tag = "abcd") {
        machine m = avx512();
        m.l3_bytes = 0;
        const plan p = planned(normalized(dims, src_tag, dst_tag, type), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        return p;
    };
    const auto outermost = [](const plan &p, size_t n) {
        lines all = plan_test::texts_of(p.problem.levels);
        all.resize(n);
        return all;
    };
    const plan chained = made({384, 56, 7, 512}, "dbac", tfmt_u8);
    EXPECT_TRUE(chained.scratch.is_chained);
    EXPECT_EQ(outermost(chained, 3),
            (lines {"56 x 1, 3584 -> 2688", "8 x 64, 64 -> 9633792", "11 x 36, 7225344 -> 252"}));
    // What continues a chain, of 8 blocks here, stays where it is as well.
    const plan continued = made({64, 256, 68, 68}, "acbd", tfmt_s8, "ABcd32a32b");
    EXPECT_TRUE(continued.scratch.is_chained);
    EXPECT_EQ(outermost(continued, 4),
            (lines {"2 x 1, 37879808 -> 37879808", "3 x 12, 384 -> 14204928",
                    "68 x 1, 69632 -> 17408", "8 x 1, 4734976 -> 2176"}));
    const plan of_few_pages = made({200, 75, 96, 80}, "cbad", tfmt_bf16); // runs of 4640 bytes
    EXPECT_TRUE(of_few_pages.scratch.is_chained);
    EXPECT_EQ(outermost(of_few_pages, 3),
            (lines {"75 x 1, 15360 -> 32000", "24 x 4, 640 -> 9600000",
                    "7 x 29, 33408000 -> 4640"}));
    const plan of_many_pages = made({101, 128, 32, 12}, "cbda", tfmt_f64); // 101 rows of 96 pages
    EXPECT_FALSE(of_many_pages.scratch.is_chained);
    EXPECT_EQ(outermost(of_many_pages, 2),
            (lines {"128 x 1, 3072 -> 9696", "16 x 2, 192 -> 2482176"}));
}

// Of whole lines shorter runs as well, and of fewer pages, if the machine likes that and the last
// cache could not hold both tensors.
TEST(Plan, StagesRunsOfWholeLinesUnchained) {
    const auto is_chained = [](const vec &dims, dim_t min_lines_bytes, size_t l3_bytes = 0) {
        machine m = avx2();
        m.streaming_share_of_cache = 0;
        m.l3_bytes = l3_bytes;
        m.min_unchained_lines_bytes = min_lines_bytes;
        const plan p = planned(normalized(dims, "abcd", "dcba", tfmt_f32), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        const dim_t largest_stride = dims[1] * dims[2] * dims[3] * 4 * 64; // between its blocks
        EXPECT_EQ(p.scratch.is_chained, p.problem.levels[0].src_stride != largest_stride);
        return p.scratch.is_chained;
    };
    const vec runs_of_256_bytes {608, 75, 12, 96};
    EXPECT_TRUE(is_chained(runs_of_256_bytes, machine().min_unchained_lines_bytes));
    EXPECT_FALSE(is_chained(runs_of_256_bytes, 256));
    EXPECT_TRUE(is_chained(runs_of_256_bytes, 257));
    EXPECT_TRUE(is_chained(runs_of_256_bytes, 256, size_t(1) << 40));
    EXPECT_TRUE(is_chained({609, 75, 12, 96}, 256)); // rows that end within lines
}

// Rows of the scratch are filled at once, also with padding around a few steps of data.
TEST(Plan, FillsPaddingInAScratchInnermost) {
    const auto innermost = [](dim_t n_read) {
        machine m = sse41();
        m.l3_bytes = 0;
        const plan p = planned(
                normalized({n_read, 96, 56, 56}, "abcd", "ABcd16a16b", tfmt_bf16), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        return plan_test::texts_of(p.problem.levels).back();
    };
    EXPECT_EQ(innermost(4), "16 x 1, 602112 -> 32");
    EXPECT_NE(innermost(5), "16 x 1, 602112 -> 32");
}

// What a block has of the source's rows grows in a scratch that L2 is to hold.
TEST(Plan, StagesMoreOfShortRows) {
    const auto made = [](dim_t c, dim_t d, size_t l2_scratch_bytes) {
        machine m = avx512();
        m.l3_bytes = 0;
        m.l2_scratch_bytes = l2_scratch_bytes;
        return planned(normalized({200, 48, c, d}, "abcd", "dbac", tfmt_u8), m);
    };
    const auto rows = [](const plan &p) { // the block's, of the destination
        return p.scratch.scratch_bytes / (64 + 192 + 64);
    };
    EXPECT_EQ(rows(made(96, 200, 0)), 128);
    EXPECT_EQ(rows(made(96, 200, 128 << 10)), 200);
    EXPECT_EQ(rows(made(96, 1000, 128 << 10)),
            256); // of 307 that fit by whole tiles of 64, in 4 blocks
}

// Or until it is whole lines of them: one, or two of rows that begin within lines of their pages.
TEST(Plan, StagesWholeLinesOfRows) {
    const auto src_elems = [](dim_t stride, size_t scratch_bytes_for_lines) {
        machine m = avx2();
        m.l3_bytes = 0;
        m.max_open_lines = m.max_open_lines_in_pages = 0;
        m.staged_whole_dst_bytes = 4096;
        m.l2_scratch_bytes_for_lines = scratch_bytes_for_lines;
        const plan made = planned(normalized(by_strides({750, 240}, {stride, 1}, tfmt_f32),
                                          by_tag({750, 240}, "ba", tfmt_f32)),
                m);
        EXPECT_EQ(made.stores, tfmt::cpu::store_path::staged);
        return made.scratch.scratch_bytes / 3000;
    };
    EXPECT_EQ(src_elems(2564, 0), 8);
    EXPECT_EQ(src_elems(2564, 128 << 10), 32);
    EXPECT_EQ(src_elems(2560, 128 << 10), 16);
    EXPECT_EQ(src_elems(250, 128 << 10), 16); // all of a tile in one page
    EXPECT_EQ(src_elems(2564, 64 << 10), 16);
}

// Where that is known to pay, blocks are larger while the last cache could hold both tensors.
TEST(Plan, StagesLargerBlocksWhereThatPays) {
    const auto scratch_bytes = [](bool pays, size_t l3_bytes, const move_problem &p) {
        machine m = avx512();
        m.l3_bytes = l3_bytes;
        if (pays) m.staged_near_block_bytes = 32 << 10;
        const plan made = planned(p, m);
        EXPECT_EQ(made.stores, tfmt::cpu::store_path::staged);
        return made.scratch.scratch_bytes;
    };
    const size_t near = 128 << 20, far = 0;
    const move_problem bytes = normalized({16, 1024, 60, 60}, "acdb", "abcd", tfmt_u8);
    EXPECT_EQ(scratch_bytes(true, near, bytes), 64 * (64 + 512 + 64));
    EXPECT_EQ(scratch_bytes(false, near, bytes), 64 * (64 + 448 + 64));
    EXPECT_EQ(scratch_bytes(true, far, bytes), scratch_bytes(false, far, bytes));
}

// Blocks grow beyond their size for all of a row, but not twice.
TEST(Plan, StagesMoreForWholeRows) {
    const auto scratch_bytes = [](dim_t row) {
        machine m = avx512();
        m.l3_bytes = 0;
        const plan made = planned(normalized({16, 1024, row, 1}, "acdb", "abcd", tfmt_u8), m);
        EXPECT_EQ(made.stores, tfmt::cpu::store_path::staged);
        return made.scratch.scratch_bytes;
    };
    EXPECT_EQ(scratch_bytes(784), 64 * 784); // which lie side by side
    EXPECT_EQ(scratch_bytes(1000), 64 * 1000);
    EXPECT_LT(scratch_bytes(1030), 64 * 1030); // more than 64 KiB
}

// Where that is known to pay, blocks have all of longer rows of the destination than else, if they
// then read of no more than 768 rows.
TEST(Plan, StagesAllOfLongRowsFromFewRows) {
    const auto scratch_bytes = [](int whole_dst_bytes, const vec &dims, tfmt_data_type_t type) {
        machine m = avx512();
        m.l3_bytes = 0;
        m.staged_whole_dst_bytes = whole_dst_bytes;
        const plan made = planned(normalized(dims, "acb", "abc", type), m);
        EXPECT_EQ(made.stores, tfmt::cpu::store_path::staged);
        return made.scratch.scratch_bytes;
    };
    // All 1136 bytes of 32 rows, or 256 of 128, with what is kept back of a line.
    EXPECT_EQ(scratch_bytes(2048, {32, 1024, 284}, tfmt_f32), 32 * 1136);
    EXPECT_EQ(scratch_bytes(0, {32, 1024, 284}, tfmt_f32), 128 * (64 + 256));
    // Of 832 rows, and longer.
    const vec many_rows {32, 1024, 832}, long_rows {32, 1024, 576};
    EXPECT_EQ(scratch_bytes(2048, many_rows, tfmt_u8), scratch_bytes(0, many_rows, tfmt_u8));
    EXPECT_EQ(scratch_bytes(2048, long_rows, tfmt_f32), scratch_bytes(0, long_rows, tfmt_f32));
}

// Rows of the destination stay whole, as what is read for them is little, where most of them is
// padding.
TEST(Plan, StagesAllOfRowsThatArePadding) {
    const auto last_level = [](dim_t n_read) {
        machine m = avx2();
        m.l3_bytes = 0;
        const plan made = planned(
                normalized({n_read, 128, 104, 104}, "abcd", "ABcd32a32b", tfmt_s8), m);
        EXPECT_EQ(made.stores, tfmt::cpu::store_path::staged);
        return plan_test::texts_of(made.problem.levels).back();
    };
    EXPECT_EQ(last_level(4), "32 x 1, 1384448 -> 32");
    EXPECT_NE(last_level(32), "32 x 1, 1384448 -> 32");
}

// Past the caches vectors below a line store lines by one tile, which reads 16 or 8 bytes of so
// many rows for them, where few of these share a set of L1 and the destination's rows are whole
// lines.
TEST(Plan, StreamsLinesOfNarrowVectors) {
    struct wanted {
        int src_run_bytes, n_open_lines, dst_alignment_bytes;
    };
    const auto expect = [](machine m, dim_t min_src_bytes, const vec &dims, const wanted &w,
                                tfmt_data_type_t type = tfmt_f32) {
        m.l2_bytes = m.l3_bytes = 0;
        m.min_src_bytes_of_streamed_lines = min_src_bytes;
        plan p;
        ASSERT_TRUE(make_streamed_plan(normalized(dims, "ab", "ba", type), m, &p));
        EXPECT_EQ(p.the_tile.src_run_bytes, w.src_run_bytes);
        EXPECT_EQ(open_lines(p.the_tile), w.n_open_lines);
        EXPECT_EQ(p.dst_alignment_bytes, w.dst_alignment_bytes);
    };
    expect(avx2(), 16, {1040, 1024}, {16, 0, 64});
    expect(sse41(), 8, {1040, 1024}, {16, 0, 64}); // 16 registers
    expect(avx2(), 0, {1040, 1024}, {32, 8, 32});
    expect(avx2(), 16, {1040, 1016}, {16, 0, 64}); // source rows within a page
    expect(avx2(), 16, {1048, 1024}, {32, 8, 32}); // of the destination half lines
    expect(avx512(), 32, {1040, 1024}, {64, 0, 64});
    // 16 registers of elements of two bytes; of one byte these have a quarter of a vector.
    expect(avx2(), 16, {2080, 2048}, {16, 0, 64}, tfmt_bf16);
    expect(sse41(), 8, {2080, 2048}, {8, 0, 64}, tfmt_bf16);
    expect(avx2(), 8, {4160, 4096}, {8, 0, 64}, tfmt_u8);

    // 8 are too few then, and tiles of vectors would begin 16 lines.
    machine m = avx2();
    m.l2_bytes = m.l3_bytes = 0;
    m.min_src_bytes_of_streamed_lines = 16;
    plan p;
    EXPECT_FALSE(make_streamed_plan(normalized({4160, 4096}, "ab", "ba", tfmt_u8), m, &p));

    // Of 16 rows of the source on one set of L1, on two, on 16, if there may be as many.
    machine few = avx2();
    few.max_src_rows_of_streamed_lines = 8;
    expect(few, 16, {1040, 1024}, {32, 8, 32});
    expect(few, 16, {1040, 1152}, {16, 0, 64});
    few.max_src_rows_of_streamed_lines = 1;
    expect(few, 16, {1040, 1152}, {32, 8, 32});
    expect(few, 16, {1040, 1040}, {16, 0, 64});

    // Of padding as well.
    plan padded;
    ASSERT_TRUE(make_streamed_plan(
            normalized({8, 64, 1024}, "abc", "AcB16b32a2b", tfmt_f32), m, &padded));
    EXPECT_EQ(open_lines(padded.the_tile), 0);

    // Where the descriptor's own offset is half a line, lines would be stored in halves.
    move_problem shifted = normalized({1040, 1024}, "ab", "ba", tfmt_f32);
    shifted.dst_offset_bytes = 32;
    EXPECT_FALSE(make_streamed_plan(shifted, m, &p));
}

// Where rows of the destination share sets of L1 and the source's do not, vectors below a line
// store whole lines of them by one tile as well, of 4 bytes of each row of the source or more.
TEST(Plan, StoresLinesOfNarrowVectorsToCollidingRows) {
    const auto expect = [](const vec &dims, tfmt_data_type_t type, machine m, int n_open_lines,
                                int src_run_bytes) {
        m.l2_bytes = 8 << 20;
        const plan p = planned(normalized(dims, "ab", "ba", type), in_rows(m));
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::plain);
        EXPECT_EQ(open_lines(p.the_tile), n_open_lines);
        EXPECT_EQ(p.the_tile.src_run_bytes, src_run_bytes);
    };
    expect({2048, 49}, tfmt_bf16, avx2(), 0, 8);
    expect({2048, 49}, tfmt_bf16, sse41(), 0, 4);
    expect({2080, 49}, tfmt_bf16, avx2(), 8, 16);
    expect({2048, 49}, tfmt_bf16, avx512(), 0, 32);
    expect({4096, 49}, tfmt_u8, avx2(), 0, 4);
    expect({4096, 49}, tfmt_u8, sse41(), 8, 8);   // of 2 bytes
    expect({2048, 256}, tfmt_f32, avx2(), 8, 32); // 4 lines of the source share a set
    // Not of elements that the machine rather moves in longer pieces of each side.
    machine m = avx2();
    m.min_elem_bytes_of_whole_lines = 4;
    expect({2048, 49}, tfmt_bf16, m, 8, 16);
    expect({2048, 49}, tfmt_f32, m, 0, 16);
}

// Bytes take 16 registers where 8 would store pieces of 8, with vectors of 16 not past the caches.
TEST(Plan, StoresLongerPiecesOfBytes) {
    machine m = sse41();
    const auto n_registers = [&](const vec &dims) {
        return 1
                << planned(normalized(dims, "ab", "ba", tfmt_u8), in_rows(m)).the_tile.n_reg_bits();
    };
    EXPECT_EQ(n_registers({15, 2048}), 16);
    EXPECT_EQ(n_registers({15, 4096}), 8); // so many lines of the source on one set of L1
    m.l3_bytes = 0;
    EXPECT_EQ(n_registers({16, 2048}), 8);
}

// Where rows of the source share a set of L1, whole vectors of 16 of them only if the machine's L1
// has room for so many, of runs that fill as many registers as a vector has elements or fewer.
TEST(Plan, StoresLongerPiecesOfCollidingRows) {
    const auto dst_run_bytes = [](machine m, const vec &dims, int max_rows) {
        m.max_spilled_src_rows = max_rows;
        const plan p = planned(normalized(dims, "ba", "ab", tfmt_u8), m);
        EXPECT_EQ(p.the_tile.src_run_bytes, m.vector_bytes);
        return p.the_tile.dst_run_bytes;
    };
    for (const machine &m : {sse41(), avx2()}) {
        SCOPED_TRACE(name_of(m));
        EXPECT_EQ(dst_run_bytes(m, {4096, 784}, 8), 8);
        EXPECT_EQ(dst_run_bytes(m, {4096, 784}, 16), 16);
        EXPECT_EQ(dst_run_bytes(m, {4096, 14}, 8), 8);
        EXPECT_EQ(dst_run_bytes(m, {4096, 14}, 16), 14);
    }
}

// Of rows that share sets of L1 and of which a tile uses a part of each line, it reads few at once,
// so that what else is in their lines finds these there.
TEST(Plan, ReadsFewOfManyCollidingLines) {
    const auto expect = [](const vec &dims, const char *src, const char *dst, dim_t run_bytes) {
        const plan p = planned(normalized(dims, src, dst, tfmt_u8), avx512_vbmi());
        EXPECT_EQ(p.the_tile.dst_run_bytes, run_bytes) << src << " -> " << dst;
    };
    // One of a channel in blocks of 32.
    expect({1, 64, 8, 28, 28}, "Abcde32a", "acdeb", 8);
    expect({1, 64, 8, 28, 29}, "Abcde32a", "acdeb", 32); // rows on 4 sets
    expect({1, 64, 8, 29, 29}, "Abcde32a", "acdeb", 64); // and on 16
    // 16 in blocks of 32.
    expect({16, 32, 768}, "AcB8b32a", "bac", 64); // 16 rows on a set
    expect({16, 128, 768}, "AcB8b32a", "bac", 8);
}

// The rest of the lines of which tiles read few comes next, before those of other rows.
TEST(Plan, ReadsTheRestOfCollidingLinesNext) {
    const plan p = planned(normalized({16, 128, 768}, "AcB8b32a", "bac", tfmt_u8), avx512_vbmi());
    ASSERT_FALSE(p.problem.levels.empty());
    EXPECT_LT(p.problem.levels.back().src_stride, 64);
}

// Where the core executes vectors of 64 bytes as two halves, small tensors move in such halves if
// that saves inserts or exchanges.
TEST(Plan, TakesHalfVectorsWhereTheseCostLess) {
    machine m = avx512_vbmi();
    const auto vector_bytes = [&](const vec &dims, const char *src, const char *dst,
                                      tfmt_data_type_t type) {
        return planned(normalized(dims, src, dst, type), m).the_tile.vector_bytes;
    };
    EXPECT_EQ(vector_bytes({320, 4, 3, 3}, "abcd", "cdba", tfmt_u8), 64);
    m.max_split_moved_bytes = 320 * 4 * 3 * 3 * 2;
    EXPECT_EQ(vector_bytes({320, 4, 3, 3}, "abcd", "cdba", tfmt_u8), 32); // loads of 16 bytes
    EXPECT_EQ(vector_bytes({321, 4, 3, 3}, "abcd", "cdba", tfmt_u8), 64);
    EXPECT_EQ(vector_bytes({64, 64}, "ab", "aB16b", tfmt_f32), 64); // rows of whole vectors
    m.max_split_moved_bytes = 1 << 20;
    const auto converted = [&](tfmt_data_type_t src, tfmt_data_type_t dst) {
        const vec dims {320, 4, 3, 3};
        return planned(normalized(by_tag(dims, "abcd", src), by_tag(dims, "cdba", dst)), m)
                .the_tile.vector_bytes;
    };
    EXPECT_EQ(converted(tfmt_u8, tfmt_f32), 32);
    EXPECT_EQ(converted(tfmt_f32, tfmt_u8), 64);
}

// Or tiles of fewer registers, of vectors of either length.
TEST(Plan, TakesFewerRegistersWhereThatCostsLess) {
    machine m = avx512_vbmi();
    const auto target = [&](const vec &dims, tfmt_data_type_t type) {
        const memory_desc src = by_tag(dims, "Bcda32b", tfmt_bf16);
        return planned(normalized(src, by_tag(dims, "AcdB16b16a", type)), m).target;
    };
    EXPECT_EQ(target({32, 3, 3, 3}, tfmt_bf16).n_vector_regs, 32);
    m.max_split_moved_bytes = 128 << 10;
    EXPECT_EQ(target({32, 3, 3, 3}, tfmt_bf16).n_vector_regs, 16);
    EXPECT_EQ(target({32, 3, 3, 3}, tfmt_f32).n_vector_regs, 32); // converted
    const move_problem transposed = normalized({64, 64}, "ab", "ba", tfmt_f32);
    EXPECT_EQ(planned(transposed, m).target.n_vector_regs, 32);
}

// Not where halves of lines of so many rows of the destination would fall into one set of L1 that
// they are lost before their other halves come.
TEST(Plan, TakesNoHalvesOfLinesOfCollidingRows) {
    machine m = avx512_vbmi();
    m.max_split_moved_bytes = 128 << 10;
    const auto vector_bytes = [&](const vec &dims) {
        return planned(normalized(dims, "abc", "AcB16b64a", tfmt_bf16), m).the_tile.vector_bytes;
    };
    EXPECT_EQ(vector_bytes({1, 32, 7}), 32);
    EXPECT_EQ(vector_bytes({1, 32, 8}), 64);
    EXPECT_EQ(vector_bytes({1, 31, 16}), 64);
}

// Such cores also copy in halves what they read from more pages than they know the places of:
// through the caches, past them and to destinations that begin anywhere.
TEST(Plan, CopiesFromManyPagesInHalves) {
    machine m = avx512_vbmi();
    const auto vector_bytes = [&](const vec &dims, const char *src, const char *dst,
                                      tfmt_data_type_t dst_type = tfmt_f32) {
        const move_problem p = normalized(by_tag(dims, src, tfmt_f32), by_tag(dims, dst, dst_type));
        const plan any = planned(p, m);
        plan streamed;
        if (make_streamed_plan(p, m, &streamed, &any, plan_mode::move)) {
            EXPECT_EQ(streamed.the_tile.vector_bytes, any.the_tile.vector_bytes);
        }
        return any.the_tile.vector_bytes;
    };
    const vec mostly_padding {1, 1024, 13, 13}, fewer_pages {1, 128, 13, 13};
    const vec past_caches {16, 1024, 28, 28};
    EXPECT_EQ(vector_bytes(mostly_padding, "ABcd40a32b", "acdb"), 64);
    EXPECT_EQ(vector_bytes(past_caches, "ABcd32a32b", "acdb"), 64);
    m.max_split_moved_bytes = 128 << 10;
    EXPECT_EQ(vector_bytes(mostly_padding, "ABcd40a32b", "acdb"), 32);
    EXPECT_EQ(vector_bytes(fewer_pages, "ABcd40a32b", "acdb"), 64);
    EXPECT_EQ(vector_bytes(past_caches, "ABcd32a32b", "acdb"), 32);
    EXPECT_EQ(vector_bytes(past_caches, "ABcd32a32b", "acdb", tfmt_bf16), 64); // converted
    EXPECT_EQ(vector_bytes(past_caches, "ABcd32a32b", "abcd"), 64);            // no copies
    EXPECT_EQ(vector_bytes({64, 512, 1024}, "bac", "abc"), 32);                // without gaps
}

// Halves of 16 bytes always do, but where the destination goes past the caches, or lines of its
// rows, 16 to a set of L1, would be left in more parts.
TEST(Plan, TakesHalvesOf16BytesForAnySmallTensor) {
    machine m = avx2();
    const auto vector_bytes = [&](const vec &dims, const char *src, const char *dst,
                                      tfmt_data_type_t type = tfmt_f32) {
        return planned(normalized(dims, src, dst, type), m).the_tile.vector_bytes;
    };
    EXPECT_EQ(vector_bytes({64, 64}, "ab", "ba"), 32);
    m.max_split_moved_bytes = 2 * 64 * 64 * 4;
    EXPECT_EQ(vector_bytes({64, 64}, "ab", "ba"), 16);
    EXPECT_EQ(vector_bytes({64, 64}, "ab", "aB16b"), 16);
    EXPECT_EQ(vector_bytes({64, 65}, "ab", "ba"), 32);
    m.max_split_moved_bytes = 1 << 20;
    EXPECT_EQ(vector_bytes({1024, 15}, "ab", "ba"), 16);
    EXPECT_EQ(vector_bytes({1024, 16}, "ab", "ba"), 32);
    EXPECT_EQ(vector_bytes({1008, 16}, "ab", "ba"), 16);
    m.max_split_moved_bytes = 2 * 64 * 64 * 4;
    m.vector_bytes = 16; // halves already
    EXPECT_EQ(vector_bytes({64, 64}, "ab", "ba"), 16);
    m.vector_bytes = 32;
    m.l3_bytes = 0;
    EXPECT_EQ(vector_bytes({64, 64}, "ab", "ba", tfmt_bf16), 32);
}

// Halves of a vector of a line where rows of the destination begin anywhere in one, on cores that
// are slow to store across lines: of small elements that tiles read in short runs, within the
// caches.
TEST(Plan, TakesHalfVectorsForRowsThatBeginWithinLines) {
    machine m = avx512();
    const auto vector_bytes = [&](const vec &dims, const char *src, const char *dst,
                                      tfmt_data_type_t type) {
        return planned(normalized(dims, src, dst, type), m).the_tile.vector_bytes;
    };
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_u8), 64);
    m.has_slow_line_crossings = true;
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_u8), 32);
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_bf16), 32);
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_f32), 64); // whole vectors on either side
    EXPECT_EQ(vector_bytes({64, 320}, "ba", "ab", tfmt_u8), 64);  // rows begin with lines
    EXPECT_EQ(vector_bytes({289, 64}, "ba", "ab", tfmt_u8), 64);
    EXPECT_EQ(vector_bytes({7, 64, 289}, "bac", "abc", tfmt_u8), 64); // copies
    // Blocks around the tile that begin anywhere, or with lines; beyond L2.
    EXPECT_EQ(vector_bytes({160, 192, 7}, "cba", "aBc4b", tfmt_bf16), 32);
    EXPECT_EQ(vector_bytes({160, 192, 8}, "cba", "aBc4b", tfmt_bf16), 64);
    EXPECT_EQ(vector_bytes({400, 768, 7}, "cba", "aBc4b", tfmt_bf16), 64);
    // Rows of 9 side by side, of 8, of 16, of 9 elsewhere, and of a small tensor.
    EXPECT_EQ(vector_bytes({64, 64, 3, 3}, "acdb", "abcd", tfmt_f32), 32);
    EXPECT_EQ(vector_bytes({64, 64, 8}, "acb", "abc", tfmt_f32), 64);
    EXPECT_EQ(vector_bytes({64, 64, 16}, "acb", "abc", tfmt_f32), 64);
    EXPECT_EQ(vector_bytes({64, 64, 3, 3}, "cdab", "bacd", tfmt_f32), 64);
    EXPECT_EQ(vector_bytes({16, 32, 3, 3}, "acdb", "abcd", tfmt_f32), 64);
    EXPECT_EQ(vector_bytes({64, 64, 5}, "acb", "abc", tfmt_f64), 64);
    const auto converted = normalized(
            by_tag({64, 289}, "ba", tfmt_s8), by_tag({64, 289}, "ab", tfmt_u8));
    EXPECT_EQ(planned(converted, m).the_tile.vector_bytes, 64);
    // Of small tensors not by cores that lose little by these, but that of rows.
    m.min_moved_bytes_of_crossing_runs = 2 * 64 * 289 + 1;
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_u8), 64);
    EXPECT_EQ(vector_bytes({64, 64, 3, 3}, "acdb", "abcd", tfmt_f32), 32);
    m.min_moved_bytes_of_crossing_runs = 2 * 64 * 289;
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_u8), 32);
    m.l3_bytes = 0;
    EXPECT_EQ(vector_bytes({64, 289}, "ba", "ab", tfmt_u8), 64);
}

// So of rows that stay together, an odd number of halves and a rest, of any elements, within L2.
TEST(Plan, TakesHalfVectorsForRowsOfOddHalvesThatBeginWithinLines) {
    const auto vector_bytes = [](const machine &m, dim_t n_rows, dim_t row_bytes) {
        const move_problem p = normalized({n_rows, 3, row_bytes / 4}, "abc", "bac", tfmt_f32);
        return planned(p, m).the_tile.vector_bytes;
    };
    machine whole = avx512(), narrow = avx2(), halves = whole;
    halves.has_slow_line_crossings = narrow.has_slow_line_crossings = true;
    EXPECT_EQ(vector_bytes(whole, 100, 96), 64);
    EXPECT_EQ(vector_bytes(halves, 100, 96), 32);
    EXPECT_EQ(vector_bytes(halves, 100, 124), 32);
    EXPECT_EQ(vector_bytes(halves, 100, 52), 32);
    EXPECT_EQ(vector_bytes(halves, 100, 160), 32);
    EXPECT_EQ(vector_bytes(halves, 100, 44), 64);   // too short
    EXPECT_EQ(vector_bytes(halves, 100, 132), 64);  // two vectors and less than a half
    EXPECT_EQ(vector_bytes(halves, 100, 224), 64);  // too long
    EXPECT_EQ(vector_bytes(halves, 10000, 96), 64); // beyond L2
    EXPECT_EQ(vector_bytes(narrow, 100, 48), 16);
    EXPECT_EQ(vector_bytes(narrow, 100, 80), 16);
    EXPECT_EQ(vector_bytes(narrow, 100, 96), 32);
    EXPECT_EQ(vector_bytes(narrow, 100, 124), 32);
    // Rows that begin with lines on one side.
    const memory_desc src = by_strides({100, 4, 24}, {24, 2400, 1});
    const memory_desc padded = by_strides({100, 4, 24}, {128, 32, 1});
    EXPECT_EQ(planned(normalized(src, padded), halves).the_tile.vector_bytes, 64);
    EXPECT_EQ(planned(normalized(padded, src), halves).the_tile.vector_bytes, 64);
}

// Past the caches halves of 16 bytes are taken where no line is left in more parts by that: through
// a scratch, of elements of 4 bytes and more, and streamed where the tile has the same elements, or
// where whole vectors cannot be.
TEST(Plan, TakesHalvesOf16BytesPastTheCachesForTheSameLines) {
    machine whole = avx2();
    whole.l3_bytes = 0;
    whole.min_src_bytes_of_streamed_lines =
            tfmt::cpu::tuning::min_src_bytes_of_streamed_lines_of_zen1_and_zen4;
    whole.max_open_lines = tfmt::cpu::tuning::max_open_lines_of_zen1_32_bytes;
    machine split = whole;
    split.max_split_moved_bytes = 1;
    const auto staged = [&](const machine &m, tfmt_data_type_t type) {
        const plan p = planned(normalized({8, 768, 17, 17}, "acdb", "abcd", type), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        return p.the_tile.vector_bytes;
    };
    EXPECT_EQ(staged(whole, tfmt_f32), 32);
    EXPECT_EQ(staged(split, tfmt_f32), 16);
    EXPECT_EQ(staged(split, tfmt_bf16), 32);
    const auto streamed = [](const machine &m, const vec &dims, const char *src, const char *dst,
                                  tfmt_data_type_t type) {
        const move_problem move = normalized(dims, src, dst, type);
        const plan any = planned(move, m);
        plan p;
        return make_streamed_plan(move, m, &p, &any) ? p.the_tile.vector_bytes : 0;
    };
    EXPECT_EQ(streamed(whole, {7264, 7264}, "ab", "ba", tfmt_f32), 32);
    EXPECT_EQ(streamed(split, {7264, 7264}, "ab", "ba", tfmt_f32), 16);
    EXPECT_EQ(streamed(split, {768, 768}, "ab", "ba", tfmt_f64), 32); // of 4 rows, of 2 in halves
    EXPECT_EQ(streamed(whole, {4, 728, 19, 19}, "acdb", "aBdc4b", tfmt_f32), 0);
    EXPECT_EQ(streamed(split, {4, 728, 19, 19}, "acdb", "aBdc4b", tfmt_f32), 16);
}

// Nor are lines whose parts follow each other after too many others, or by steps of another kind.
TEST(Plan, StreamsNoLinesThatWaitForTheirParts) {
    const auto is_streamed = [](const move_problem &move, machine m) {
        m.l3_bytes = 0;
        plan p;
        return make_streamed_plan(move, m, &p);
    };
    // 4 rows of each of 8 pixels, or of 2.
    EXPECT_FALSE(is_streamed(normalized({2, 3, 640, 640}, "aBdc8b", "abcd", tfmt_f32), avx2()));
    EXPECT_TRUE(is_streamed(normalized({2, 3, 640, 640}, "aBdc8b", "abdc", tfmt_f32), avx2()));
    // Half a line of each row before the rows' other halves.
    EXPECT_FALSE(is_streamed(normalized({1, 512, 4096}, "BcA24b2a", "aBc32b", tfmt_f32), sse41()));
    EXPECT_TRUE(is_streamed(normalized({1, 512, 4096}, "BcA16b2a", "aBc32b", tfmt_f32), sse41()));
    // Blocks of a line and a half, mostly padding, each followed by the next one 32 rows later.
    for (const machine &m : {sse41(), avx2(), avx512()}) {
        const vec dims {1, 1, 32, 96, 96};
        EXPECT_FALSE(is_streamed(normalized(dims, "Abcde16a", "aBdec48b", tfmt_f16), m));
        EXPECT_TRUE(is_streamed(normalized(dims, "Abcde16a", "aBdec64b", tfmt_f16), m));
    }
}

// Nor, where that is slow, are lines whose other part is written after something elsewhere.
TEST(Plan, StreamsNoRowsThatEndWithinLines) {
    const auto is_streamed = [](const move_problem &move, machine m, bool sends_parts_slowly) {
        m.l3_bytes = 0;
        m.sends_parts_slowly = sends_parts_slowly;
        plan p;
        return make_streamed_plan(move, m, &p);
    };
    const auto copies = [](dim_t n_bytes) { // rows from here and there
        return normalized({8, 32, 208, n_bytes}, "acbd", "abcd", tfmt_u8);
    };
    EXPECT_TRUE(is_streamed(copies(416), avx512(), false));
    EXPECT_FALSE(is_streamed(copies(416), avx512(), true));
    EXPECT_FALSE(is_streamed(copies(416), sse41(), true));
    EXPECT_TRUE(is_streamed(copies(384), avx512(), true));
    EXPECT_TRUE(is_streamed(copies(384), sse41(), true));
    // 9 blocks of 96 bytes side by side, and 8.
    const auto blocks = [](dim_t n_pixels) {
        return normalized({1024, 512, n_pixels}, "acb", "aBc24b", tfmt_f32);
    };
    EXPECT_TRUE(is_streamed(blocks(9), avx2(), false));
    EXPECT_FALSE(is_streamed(blocks(9), avx2(), true));
    EXPECT_TRUE(is_streamed(blocks(8), avx2(), true));
    // Rows in turns that a tile writes to lines of their own, and within lines.
    const auto rows = [](dim_t stride) {
        return normalized(
                by_tag({64, 64}, "ba", tfmt_f32), by_strides({64, 64}, {stride, 1}, tfmt_f32));
    };
    EXPECT_TRUE(is_streamed(rows(80), avx2(), true));
    EXPECT_FALSE(is_streamed(rows(72), avx2(), true));
}

// Rows of the destination that are multiples of half a vector alone go past the caches in halves,
// if nothing is converted on the way and these are not halves of the same lines.
TEST(Plan, StreamsInHalvesWhereWholeVectorsDoNotFit) {
    machine m = avx512();
    m.l3_bytes = 0;
    const auto vector_bytes = [&](const memory_desc &src, const memory_desc &dst) {
        const move_problem move = normalized(src, dst);
        const plan any = planned(move, m);
        plan p;
        return make_streamed_plan(move, m, &p, &any) ? p.the_tile.vector_bytes : 0;
    };
    const auto moved = [&](dim_t n_channels) {
        const vec dims {16, n_channels, 28, 28};
        return vector_bytes(by_tag(dims, "acdb", tfmt_f32), by_tag(dims, "acbd", tfmt_f32));
    };
    EXPECT_EQ(moved(64), 0); // rows of 28 f32
    const vec dims {16, 1024, 28, 28};
    EXPECT_EQ(
            vector_bytes(by_tag(dims, "acdb", tfmt_bf16), by_tag(dims, "aBdc48b", tfmt_bf16)), 32);
    EXPECT_EQ(
            vector_bytes(by_tag(dims, "acdb", tfmt_bf16), by_tag(dims, "aBdc32b", tfmt_bf16)), 64);
    EXPECT_EQ(vector_bytes(by_tag(dims, "acdb", tfmt_f16), by_tag(dims, "aBdc24b", tfmt_f32)), 0);
    EXPECT_EQ(vector_bytes(by_tag({4096, 4096}, "ab", tfmt_s8),
                      by_tag({4096, 4096}, "BA12b8a", tfmt_s8)),
            0);
}

// Of source rows that share sets of L1 a staged plan reads whole lines, a streamed one would not.
TEST(Plan, StreamsNoTilesThatReadLinesAgain) {
    machine m = in_rows(avx512());
    m.l3_bytes = 0;
    const auto is_streamed = [&](const vec &dims, tfmt_data_type_t type) {
        const move_problem move = normalized(dims, "ab", "ba", type);
        const plan any = planned(move, m);
        EXPECT_EQ(any.stores, tfmt::cpu::store_path::staged);
        plan p;
        return make_streamed_plan(move, m, &p, &any);
    };
    EXPECT_FALSE(is_streamed({4096, 4096}, tfmt_u8));
    EXPECT_TRUE(is_streamed({4096, 4160}, tfmt_u8)); // no rows that collide
    EXPECT_TRUE(is_streamed({4096, 1024}, tfmt_u8)); // 16 rows in each set
    EXPECT_FALSE(is_streamed({4096, 2048}, tfmt_u8));
    EXPECT_FALSE(is_streamed({4096, 4096}, tfmt_bf16)); // half lines, and rows of both sides
    EXPECT_TRUE(is_streamed({4160, 4096}, tfmt_bf16));  // of the source alone
    EXPECT_TRUE(is_streamed({4096, 4096}, tfmt_f32));   // whole lines
    EXPECT_FALSE(is_streamed({4160, 4096}, tfmt_u8));
    m.read_ahead_rows = 32;
    EXPECT_TRUE(is_streamed({4160, 4096}, tfmt_u8));  // blocks have few rows
    EXPECT_FALSE(is_streamed({4096, 4096}, tfmt_u8)); // but those of both sides
    EXPECT_FALSE(is_streamed({4096, 4096}, tfmt_bf16));
}

// Where a scratch would be drained every few hundred bytes of much, it is not used.
TEST(Plan, CollectsNoSmallBlocks) {
    machine m = avx512();
    m.l2_bytes = m.l3_bytes = 0;
    const auto stores = [&](dim_t c) {
        const vec dims {251, 1, c, 2};
        return planned(normalized(by_tag(dims, "AcdB8b24a", tfmt_bf16),
                               by_tag(dims, "ABcd40a32b", tfmt_bf16)),
                m)
                .stores;
    };
    EXPECT_EQ(stores(3), tfmt::cpu::store_path::staged);
    EXPECT_EQ(stores(49), tfmt::cpu::store_path::plain);
}

// Narrow vectors are parts of lines: 8 rows of f16 in blocks of 32 leave 8 lines to the next tiles.
TEST(Plan, StreamsNoTilesThatLeaveManyLinesToOthers) {
    const auto is_streamed = [](machine m, const char *dst, int max_open_lines = 4) {
        m.l3_bytes = 0;
        m.max_open_lines = m.max_open_lines_in_pages = max_open_lines;
        const move_problem move = normalized({64, 32, 12, 20}, "abcd", dst, tfmt_f16);
        const plan any = planned(move, m);
        EXPECT_EQ(any.stores, tfmt::cpu::store_path::staged);
        plan p;
        const bool is = make_streamed_plan(move, m, &p, &any);
        EXPECT_EQ(is, open_lines(any.the_tile) <= (max_open_lines ? max_open_lines : 4));
        return is;
    };
    EXPECT_FALSE(is_streamed(avx2(), "ABcd32a16b"));
    EXPECT_TRUE(is_streamed(avx512(), "ABcd32a16b")); // the vector is a line
    EXPECT_TRUE(is_streamed(avx2(), "aBcd16b"));      // the tile is 4 whole lines
    EXPECT_TRUE(is_streamed(sse41(), "aBcd16b"));     // 4 halves
    EXPECT_FALSE(is_streamed(sse41(), "aBcd16b", 2));
    EXPECT_TRUE(is_streamed(sse41(), "aBcd16b", 4));
}

// Fewer where these lie in different pages.
TEST(Plan, StreamsNoTilesThatLeaveLinesInManyPages) {
    const auto is_streamed = [](const char *dst, int max_in_pages) {
        machine m = sse41();
        m.l3_bytes = 0;
        m.max_open_lines_in_pages = max_in_pages;
        const move_problem move = normalized({64, 64, 17, 16}, "abcd", dst, tfmt_f32);
        const plan any = planned(move, m);
        EXPECT_EQ(any.stores, tfmt::cpu::store_path::staged);
        EXPECT_EQ(open_lines(any.the_tile), 4);
        plan p;
        return make_streamed_plan(move, m, &p, &any);
    };
    EXPECT_TRUE(is_streamed("cdab", 4));
    EXPECT_FALSE(is_streamed("cdab", 2)); // 16 KiB apart
    EXPECT_TRUE(is_streamed("acdb", 2));  // 256 bytes
}

// Pages do not count, if rows of the destination are whole lines apart and none of these and few of
// the source's share sets of L1.
TEST(Plan, StreamsTilesThatLeaveLinesApart) {
    const auto is_streamed = [](const vec &dims, int max_open = 8, bool ignores_pages = true) {
        machine m = avx2();
        m.l3_bytes = 0;
        m.max_open_lines = max_open;
        m.ignores_pages_of_lines_apart = ignores_pages;
        const move_problem move = normalized(dims, "ab", "ba", tfmt_f32);
        const plan any = planned(move, m);
        EXPECT_EQ(any.stores, tfmt::cpu::store_path::staged);
        EXPECT_EQ(open_lines(any.the_tile), 8);
        plan p;
        return make_streamed_plan(move, m, &p, &any);
    };
    EXPECT_TRUE(is_streamed({1040, 1040}));
    EXPECT_FALSE(is_streamed({1040, 1040}, 4));
    EXPECT_FALSE(is_streamed({1040, 1040}, 8, false));
    EXPECT_FALSE(is_streamed({1048, 1040})); // of dst half lines apart
    EXPECT_FALSE(is_streamed({512, 1040}));  // of dst in two sets
    EXPECT_FALSE(is_streamed({1040, 512}));  // of src
}

// Nor those that read parts of lines, and many of the same set before the other parts; of vectors
// below a line, if blocks may have any number of rows.
TEST(Plan, StreamsNoTilesThatLoseLinesMeanwhile) {
    const auto is_streamed = [](machine m, const vec &dims, int read_ahead_rows = 0,
                                     tfmt_data_type_t src = tfmt_f64,
                                     tfmt_data_type_t dst = tfmt_data_type_undef) {
        m.l3_bytes = 0;
        m.read_ahead_rows = read_ahead_rows;
        const move_problem move = normalized(by_tag(dims, "ab", src),
                by_tag(dims, "ba", dst == tfmt_data_type_undef ? src : dst));
        const plan any = planned(move, m);
        plan p;
        return make_streamed_plan(move, m, &p, &any);
    };
    EXPECT_FALSE(is_streamed(sse41(), {1024, 1024}, 0, tfmt_f32));
    EXPECT_TRUE(is_streamed(sse41(), {1024, 1040}, 0, tfmt_f32)); // rows of many sets
    EXPECT_TRUE(is_streamed(sse41(), {1024, 1024}));              // few rows
    // Blocks of few rows find lines again, unless those of one tile share a set.
    EXPECT_TRUE(is_streamed(sse41(), {1024, 1024}, 32));
    machine lines = sse41();
    lines.min_src_bytes_of_streamed_lines = 8;
    EXPECT_FALSE(is_streamed(lines, {3136, 4096}, 32, tfmt_bf16));
    EXPECT_TRUE(is_streamed(lines, {3136, 4112}, 32, tfmt_bf16));
    EXPECT_TRUE(is_streamed(avx512(), {1024, 1024}));
    // More of them by tiles of whole lines that read these by quarters.
    machine m = avx2();
    m.min_src_bytes_of_streamed_lines = 8;
    EXPECT_TRUE(is_streamed(m, {3072, 768}, 0, tfmt_f32));
    EXPECT_TRUE(is_streamed(m, {4096, 1024}, 0, tfmt_f16, tfmt_f32));
    EXPECT_FALSE(is_streamed(m, {4096, 2048}, 0, tfmt_f16, tfmt_f32)) << "128 of them";
    EXPECT_TRUE(is_streamed(m, {4096, 1024}, 0, tfmt_bf16));
    m.vector_bytes = 16;
    EXPECT_TRUE(is_streamed(m, {3072, 768}, 0, tfmt_f32));
    EXPECT_FALSE(is_streamed(m, {4096, 1024}, 0, tfmt_bf16)) << "by eighths";
}

// Blocks of a scratch go on within lines of the source that tiles read in parts.
TEST(Plan, StagedBlocksCompleteLines) {
    const auto innermost = [](const vec &dims, const char *src, const char *dst,
                                   tfmt_data_type_t type, machine m) {
        m.l3_bytes = 0;
        const plan p = planned(normalized(dims, src, dst, type), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::staged);
        return p.problem.levels.back().src_stride;
    };
    for (const dim_t width : {128, 104}) {         // rows share sets of L1, and do not
        const dim_t half = width == 128 ? 32 : 16; // of what divides the rows
        EXPECT_EQ(innermost({32, 64, width, width}, "abcd", "ABcd32a16b", tfmt_f16, avx2()), half);
    }
    EXPECT_EQ(innermost({4, 2048, 2048}, "aCb24c", "abc", tfmt_u8, avx512()), 24);
    // Whole lines are read in the order of the destination.
    EXPECT_GT(innermost({4, 2000, 2000}, "acb", "abc", tfmt_f32, avx512()), 2000);
}

// Rows that share sets of L1 on both sides, unless tiles have whole lines on both.
TEST(Plan, CollectsBetweenRowsThatCollide) {
    const auto stores = [](const vec &dims, tfmt_data_type_t type, const machine &m) {
        return planned(normalized(dims, "ab", "ba", type), in_rows(m)).stores;
    };
    using tfmt::cpu::store_path;
    EXPECT_EQ(stores({1024, 1024}, tfmt_u8, avx512()), store_path::collected);
    EXPECT_EQ(stores({1024, 1024}, tfmt_bf16, avx2()), store_path::collected);
    EXPECT_EQ(stores({1024, 1024}, tfmt_f32, avx2()), store_path::collected);
    EXPECT_EQ(stores({1024, 1024}, tfmt_f32, avx512()), store_path::plain); // whole lines
    EXPECT_EQ(stores({512, 512}, tfmt_u8, avx512()), store_path::plain);    // 8 rows in a set
    EXPECT_EQ(stores({1088, 1024}, tfmt_u8, avx512()), store_path::plain);  // dst rows do not
    EXPECT_EQ(stores({1024, 1088}, tfmt_u8, avx512()), store_path::plain);  // src rows do not
    // Nor do those that are padding: 64 channels, of which 4 or 64 are read.
    const auto blocked = [&](dim_t channels) {
        return planned(
                normalized({2, channels, 64, 64}, "abcd", "aBdc64b", tfmt_s8), in_rows(avx512()))
                .stores;
    };
    EXPECT_EQ(blocked(4), store_path::plain);
    EXPECT_EQ(blocked(64), store_path::collected);
    machine m = avx512();
    m.l3_bytes = 0;
    EXPECT_EQ(stores({1024, 1024}, tfmt_u8, m), store_path::staged); // past the caches anyway
    // Some machines go past the caches sooner in place of that.
    m = avx512();
    m.l3_bytes = 8 << 20;
    m.streaming_share_of_collected = 0.25;
    EXPECT_EQ(stores({1024, 1024}, tfmt_u8, m), store_path::staged);
    EXPECT_EQ(stores({1088, 1024}, tfmt_u8, m), store_path::plain);
    m.streaming_share_of_collected = 0.26;
    EXPECT_EQ(stores({1024, 1024}, tfmt_u8, m), store_path::collected);
}

// Some machines go past the caches sooner where rows of both sides are far apart: 1024 bytes and
// more, 4 of the source for a line of the destination and 8 of the destination for one of the
// source.
TEST(Plan, StreamsTransposesOfFarRowsSooner) {
    using tfmt::cpu::exceeds_cache;
    machine m = avx512();
    m.l3_bytes = 32 << 20;
    m.streaming_share_of_transposes = 0.25;
    const auto streams = [&](const vec &dims, const char *src, const char *dst,
                                 tfmt_data_type_t type) {
        return exceeds_cache(normalized(dims, src, dst, type), m);
    };
    EXPECT_TRUE(streams({1024, 1024}, "ab", "ba", tfmt_f32)); // 8 MiB
    EXPECT_TRUE(streams({4096, 256}, "ab", "ba", tfmt_f32));
    EXPECT_FALSE(streams({4096, 255}, "ab", "ba", tfmt_f32));    // less
    EXPECT_FALSE(streams({8192, 128}, "ab", "ba", tfmt_f32));    // rows of the source too near
    EXPECT_FALSE(streams({128, 8192}, "ab", "ba", tfmt_f32));    // and of the destination
    EXPECT_FALSE(streams({1024, 1024}, "ab", "ab", tfmt_f32));   // no transpose
    EXPECT_TRUE(streams({512, 1024}, "ab", "ba", tfmt_f64));     // lines of 8 elements
    EXPECT_TRUE(streams({4, 2048, 64}, "abc", "cba", tfmt_f64)); // of 4 rows
    EXPECT_FALSE(streams({2, 4096, 64}, "abc", "cba", tfmt_f64));
    const move_problem converted = normalized(
            by_tag({1024, 1024}, "ab", tfmt_f32), by_tag({1024, 1024}, "ba", tfmt_s32));
    EXPECT_FALSE(exceeds_cache(converted, m));
    m.streaming_share_of_transposes = 0.26;
    EXPECT_FALSE(streams({1024, 1024}, "ab", "ba", tfmt_f32));
}

// The same of units of a few elements, such as the channels of pictures.
TEST(Plan, StreamsLessOfOddUnitsThatAreTransposedBetweenFarRows) {
    using tfmt::cpu::exceeds_cache;
    const auto streams = [](const vec &dims, const char *dst, tfmt_data_type_t type, machine m) {
        m.l3_bytes = 32 << 20;
        m.streaming_share_of_transposes = 0.25;
        return exceeds_cache(normalized(dims, "acdb", dst, type), m);
    };
    EXPECT_TRUE(streams({3, 3, 416, 416}, "adcb", tfmt_f32, avx512()));
    EXPECT_TRUE(streams({3, 3, 416, 416}, "adcb", tfmt_f32, sse41()));
    EXPECT_FALSE(streams({1, 3, 416, 416}, "adcb", tfmt_f32, avx512())); // less
    EXPECT_FALSE(streams({128, 3, 52, 52}, "adcb", tfmt_f32, avx512())); // rows too near
    EXPECT_FALSE(streams({3, 3, 416, 416}, "abcd", tfmt_f32, avx512())); // units come apart
    EXPECT_FALSE(streams({2, 5, 416, 416}, "adcb", tfmt_f32, avx512())); // 3 are a line
    EXPECT_TRUE(streams({6, 3, 416, 416}, "adcb", tfmt_bf16, avx512())); // units of 6 bytes
    EXPECT_FALSE(streams({6, 3, 416, 416}, "adcb", tfmt_bf16, avx2()));
    EXPECT_TRUE(streams({3, 6, 416, 416}, "adcb", tfmt_bf16, avx2()));
    EXPECT_FALSE(streams({12, 3, 416, 416}, "adcb", tfmt_u8, avx512()));
    EXPECT_TRUE(streams({2, 12, 512, 512}, "adcb", tfmt_u8, sse41()));
}

// Where lines are claimed ahead, what cannot be streamed stays in the caches, but rows far apart.
TEST(Plan, StagesNothingPastTheCachesThatClaimsLinesAhead) {
    machine m = avx512();
    m.l3_bytes = 1 << 20;
    m.fetches_stores_late = true;
    const move_problem p = normalized({16, 288, 35, 35}, "acdb", "abcd", tfmt_f32);
    const auto stores = [&] {
        const plan any = planned(p, m);
        plan streamed {};
        EXPECT_FALSE(make_streamed_plan(p, m, &streamed, &any)); // rows end within lines
        return any.stores;
    };
    using tfmt::cpu::store_path;
    EXPECT_EQ(stores(), store_path::staged);
    m.claimed_ahead_bytes = 3072;
    EXPECT_EQ(stores(), store_path::plain);
    m.streaming_share_of_transposes = 0.5;
    EXPECT_EQ(stores(), store_path::staged);
}

// On others padding counts more than data, as it is not read.
TEST(Plan, StreamsPaddingSooner) {
    using tfmt::cpu::exceeds_cache;
    machine m = avx512();
    m.l3_bytes = 4 << 20;
    m.streaming_share_of_cache = 0.5;
    const auto streams = [&](dim_t channels, tfmt_data_type_t to = tfmt_f32) {
        const vec dims {4, channels, 64, 64};
        return exceeds_cache(
                normalized(by_tag(dims, "abcd", tfmt_f32), by_tag(dims, "aBcd16b", to)), m);
    };
    EXPECT_FALSE(streams(8)); // 0.5 and 1 MiB, 0.5 of which is padding
    EXPECT_TRUE(streams(17)); // 1.06 and 2 MiB
    m.streaming_weight_of_padding = 0.5;
    EXPECT_FALSE(streams(8));
    m.streaming_weight_of_padding = 1;
    EXPECT_TRUE(streams(8));
    EXPECT_FALSE(streams(8, tfmt_bf16)); // 0.5 and 0.5 MiB
    m.l3_bytes = 2560 << 10;
    EXPECT_TRUE(streams(8, tfmt_bf16));
    EXPECT_FALSE(streams(4, tfmt_bf16));
}

// Some machines keep a destination in the caches that is padding for the most part.
TEST(Plan, StreamsNoDestinationOfMostlyPadding) {
    using tfmt::cpu::exceeds_cache;
    machine m = avx512();
    m.l3_bytes = 1 << 20;
    const auto streams = [&](dim_t channels) {
        return exceeds_cache(normalized({8, channels, 64, 64}, "abcd", "aBcd16b", tfmt_f32), m);
    };
    EXPECT_TRUE(streams(3));
    m.max_streamed_dst_over_src = 4;
    EXPECT_FALSE(streams(3)); // 16 over 3
    EXPECT_FALSE(streams(4));
    EXPECT_TRUE(streams(5));
    EXPECT_TRUE(streams(17)); // 32 over 17
}

// Nor runs of the destination below two lines; with padding, four, if these are all of their row.
TEST(Plan, CollectsNoShortRuns) {
    using tfmt::cpu::store_path;
    const auto of_width = [](dim_t width) {
        return planned(
                normalized({8, 128, width, width}, "acbd", "adbc", tfmt_f16), in_rows(avx512()))
                .stores;
    };
    EXPECT_EQ(of_width(128), store_path::collected);
    EXPECT_EQ(of_width(104), store_path::collected); // 208 bytes
    EXPECT_EQ(of_width(96), store_path::collected);
    const auto of_length = [](dim_t length) {
        return planned(normalized({5, length, 1}, "ABc16a16b", "cba", tfmt_u8), avx2()).stores;
    };
    EXPECT_EQ(of_length(47), store_path::plain); // 235 bytes
    const plan cut = planned(
            normalized({192, 384, 64}, "bca", "acb", tfmt_u8), in_rows(avx512_vbmi()));
    EXPECT_EQ(cut.stores, store_path::collected); // 192 of 384 bytes
}

// Nothing that L1 holds as a whole.
TEST(Plan, CollectsNothingThatFitsL1) {
    for (machine m : {sse41(), avx2()}) {
        m.min_crowding_rows = tfmt::cpu::tuning::min_crowding_rows_of_amd;
        m.min_crowding_lines = tfmt::cpu::tuning::min_crowding_lines_of_amd;
        EXPECT_EQ(planned(normalized({28, 5}, "ba", "ab", tfmt_u8), m).stores,
                tfmt::cpu::store_path::plain);
    }
}

// From no more rows on one set of L1 than it keeps, if tiles read parts of lines.
TEST(Plan, CollectsFromFewRowsThatCollide) {
    const auto rows_of_tile = [](dim_t middle, dim_t width) {
        const plan p = planned(
                normalized({160, middle, width}, "abc", "cba", tfmt_u8), in_rows(avx512()));
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::collected);
        return 1 << p.the_tile.dst_run.size();
    };
    EXPECT_EQ(rows_of_tile(2048, 12), 8);
    EXPECT_EQ(rows_of_tile(2048, 64), 16); // whole lines
}

// In halves of vectors of a line where these are executed as two, elements of 2 bytes and more.
TEST(Plan, CollectsInHalves) {
    machine split = in_rows(avx512());
    split.max_split_moved_bytes = 1;
    const auto vector_bytes = [](const machine &m, tfmt_data_type_t type) {
        const plan p = planned(normalized({26, 1024, 40}, "abc", "cba", type), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::collected);
        return p.the_tile.vector_bytes;
    };
    EXPECT_EQ(vector_bytes(in_rows(avx512()), tfmt_f32), 64);
    EXPECT_EQ(vector_bytes(split, tfmt_f32), 32);
    EXPECT_EQ(vector_bytes(split, tfmt_bf16), 32);
    EXPECT_EQ(vector_bytes(split, tfmt_u8), 64);
}

// Rows at several steps, 8 and 16, by vectors below a line of 8 elements and more.
TEST(Plan, CollectsFewerRowsAtSeveralSteps) {
    const auto collects = [](const vec &dims, tfmt_data_type_t type, machine m,
                                  tfmt_data_type_t dst_type) {
        m.min_row_pairs_to_collect = 128;
        return planned(normalized(by_tag(dims, "bca", type), by_tag(dims, "acb", dst_type)), m)
                       .stores
                != tfmt::cpu::store_path::plain; // in lanes, too
    };
    const vec dims {8, 32, 1024};
    for (const machine &m : {sse41(), avx2()}) {
        EXPECT_TRUE(collects(dims, tfmt_u8, m, tfmt_u8));
        EXPECT_TRUE(collects(dims, tfmt_bf16, m, tfmt_bf16));
        EXPECT_FALSE(collects(dims, tfmt_bf16, m, tfmt_f16));
        EXPECT_FALSE(collects({7, 32, 1024}, tfmt_u8, m, tfmt_u8));
    }
    EXPECT_FALSE(collects(dims, tfmt_u8, avx512(), tfmt_u8));
    EXPECT_TRUE(collects({56, 8, 1024}, tfmt_f32, avx2(), tfmt_f32));
    EXPECT_FALSE(collects({56, 8, 1024}, tfmt_f32, sse41(), tfmt_f32));
}

// 8 rows of one side and 16 of the other that share sets are enough where those of the destination
// begin within lines; not of padded blocks.
TEST(Plan, CollectsFewerRowsThatBeginWithinLines) {
    const auto collects = [](const vec &dims, const char *src, const char *dst) {
        return planned(normalized(dims, src, dst, tfmt_u8), avx512()).stores
                == tfmt::cpu::store_path::collected;
    };
    EXPECT_TRUE(collects({512, 1000, 8}, "bac", "cab"));
    EXPECT_FALSE(collects({512, 1000, 7}, "bac", "cab"));
    EXPECT_TRUE(collects({8, 1000, 512}, "bca", "acb"));
    EXPECT_FALSE(collects({512, 1024, 8}, "bac", "cab")); // rows of whole lines
}

// Blocks whose runs would be shorter than four lines are twice as large.
TEST(Plan, CollectsMoreForShortRuns) {
    const plan p = planned(normalized({33, 16, 512, 10}, "abcd", "dcba", tfmt_u8), avx512());
    ASSERT_EQ(p.stores, tfmt::cpu::store_path::collected);
    EXPECT_GT(p.scratch.scratch_bytes, 32 << 10);
    dim_t run_bytes = 33;
    for (const level &l : p.scratch.drain_levels)
        if (l.dst_stride == run_bytes) run_bytes *= l.extent;
    EXPECT_GE(run_bytes, 128); // 99 in 32 KiB
}

// Fewer rows on one side, if those of the other make up for it, beyond L2; not where rows are at
// several steps, nor end within lines.
TEST(Plan, CollectsTransposesOfWhichFewerRowsCollide) {
    using tfmt::cpu::store_path;
    const auto stores = [](const vec &dims, const machine &m, size_t l2_bytes = 1 << 20) {
        machine with_l2 = in_rows(m);
        with_l2.l2_bytes = l2_bytes;
        return planned(normalized(dims, "ab", "ba", tfmt_bf16), with_l2).stores;
    };
    for (const machine &m : {sse41(), avx2(), avx512()}) {
        EXPECT_EQ(stores({768, 3072}, m), store_path::collected); // 16 of src, 4 of dst
        EXPECT_EQ(stores({3072, 768}, m), store_path::collected); // 4 and 16
        EXPECT_EQ(stores({768, 768}, m), store_path::plain);      // 4 and 4
        EXPECT_EQ(stores({2048, 1088}, m), store_path::plain);    // 1 and 32
        EXPECT_EQ(stores({768, 3072}, m, 8 << 20), store_path::plain);
        // 32 and 32, and of rows of 1008 bytes, which end within lines, 16 and 4.
        const auto middle = [&](const vec &dims) {
            return planned(normalized(dims, "cdba", "adbc", tfmt_bf16), in_rows(m)).stores;
        };
        EXPECT_EQ(middle({128, 8, 512, 4}), store_path::collected);
        EXPECT_EQ(middle({32, 32, 504, 3}), store_path::plain);
    }
    // 64 pairs, of 256 that are wanted; whose rows evict each other on both sides has no choice.
    for (machine m : {avx2(), avx512()}) {
        m.min_row_pairs_to_collect = 256;
        EXPECT_EQ(stores({768, 3072}, m), store_path::plain);
        EXPECT_EQ(stores({2048, 768}, m), store_path::plain);      // 4 and 32
        EXPECT_EQ(stores({2048, 1536}, m), store_path::collected); // 8 and 32
        m.min_row_pairs_to_collect = 2048;
        EXPECT_EQ(stores({2048, 1536}, m), store_path::plain);
        EXPECT_EQ(stores({2048, 2048}, m), store_path::collected); // 32 and 32
    }
    // Rows of 512 bytes, all of which a block of vectors of a line has.
    EXPECT_EQ(stores({256, 6144}, avx512()), store_path::plain);     // 32 and 4
    EXPECT_EQ(stores({512, 6144}, avx512()), store_path::collected); // 1024 bytes
    EXPECT_EQ(stores({256, 6144}, avx2()), store_path::collected);
    const plan blocked = planned(normalized({768, 3072}, "ab", "Ba4b", tfmt_bf16), avx2());
    EXPECT_EQ(blocked.stores, store_path::plain);
    const auto converted = [](tfmt_data_type_t dst) {
        const vec dims {768, 3072};
        return planned(normalized(by_tag(dims, "ab", tfmt_bf16), by_tag(dims, "ba", dst)), avx2())
                .stores;
    };
    EXPECT_EQ(converted(tfmt_f16), store_path::collected);
    EXPECT_EQ(converted(tfmt_f32), store_path::plain);
}

// Of rows of the destination alone where so many of one set of L1 are written one behind the other,
// by one tile or by those that complete a line of the source.
TEST(Plan, CollectsWhereRowsOfTheDestinationCrowdL1) {
    using tfmt::cpu::store_path;
    machine m = avx512();
    m.min_crowding_rows = 13, m.min_crowding_lines = 17;
    const auto stores = [&](const vec &dims, const char *src, const char *dst,
                                tfmt_data_type_t type, const machine &on) {
        return planned(normalized(dims, src, dst, type), in_rows(on)).stores;
    };
    const vec planes {1, 1024, 14, 14};
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, avx512()), store_path::plain);
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, m), store_path::collected);
    // A line further apart they share no set.
    EXPECT_EQ(stores({1, 1040, 14, 14}, "abcd", "acdb", tfmt_f32, m), store_path::plain);
    // 9 rows, where a tile of powers of two would have 16.
    EXPECT_EQ(stores({128, 128, 3, 3}, "abcd", "cdab", tfmt_f32, m), store_path::plain);
    // Of u8 a tile writes 8 rows, but 32 complete a line of the source; of every second row 16.
    EXPECT_EQ(stores({1000, 2048}, "ba", "ab", tfmt_u8, m), store_path::collected);
    EXPECT_EQ(stores({1000, 1024}, "ba", "ab", tfmt_u8, m), store_path::plain);
    m.min_crowding_lines = 13;
    EXPECT_EQ(stores({1000, 1024}, "ba", "ab", tfmt_u8, m), store_path::collected);
    // Rows of 5 bytes, one behind the other: 13 begin in one line.
    machine narrow = sse41();
    narrow.min_crowding_rows = 13, narrow.min_crowding_lines = 25;
    EXPECT_EQ(stores({256, 5, 112}, "abc", "acb", tfmt_u8, narrow), store_path::plain);
    // 8 rows of a tile, of what is not converted, up to that many times L2.
    const auto of_8_rows = [&](double times_l2, tfmt_data_type_t dst_type) {
        machine few = narrow;
        few.l2_bytes = 2 * 64 * 768 * 32;
        few.max_times_l2_of_crowding_moves = times_l2;
        const vec dims {64, 768, 32};
        return planned(normalized(by_tag(dims, "bca", tfmt_s8), by_tag(dims, "abc", dst_type)), few)
                .stores;
    };
    EXPECT_EQ(of_8_rows(0, tfmt_s8), store_path::plain);
    EXPECT_EQ(of_8_rows(0.9, tfmt_s8), store_path::plain);
    EXPECT_EQ(of_8_rows(1, tfmt_s8), store_path::collected);
    EXPECT_EQ(of_8_rows(1, tfmt_u8), store_path::plain);
    // As many as the machine says, whatever others it takes.
    machine small = avx512();
    small.min_crowding_rows = std::numeric_limits<int>::max(), small.min_crowding_lines = 25;
    small.l2_bytes = 4 << 20, small.max_times_l2_of_crowding_moves = 1;
    small.min_crowding_rows_of_moves = 13;
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, small), store_path::collected);
    small.min_crowding_rows_of_moves = 17;
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, small), store_path::plain);
    small.min_crowding_rows_of_moves = 13, small.l2_bytes = 1 << 20;
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, small), store_path::plain);
    // Beyond that only rows of a tile, of wide elements.
    small.min_elem_bytes_of_crowding_rows = 4;
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, small), store_path::collected);
    EXPECT_EQ(stores({1, 2048, 14, 14}, "abcd", "acdb", tfmt_bf16, small), store_path::plain);
    small.min_elem_bytes_of_crowding_rows = 2;
    EXPECT_EQ(stores({1, 2048, 14, 14}, "abcd", "acdb", tfmt_bf16, small), store_path::collected);
    small.min_crowding_rows_of_moves = 17, small.min_crowding_lines = 1;
    EXPECT_EQ(stores(planes, "abcd", "acdb", tfmt_f32, small), store_path::plain);
    // Padding is written in its own way.
    EXPECT_EQ(stores({32, 16, 1, 4096}, "abcd", "Acdb64a", tfmt_f32, m), store_path::plain);
}

// Pictures that are turned, with short odd rows: blocks have more of the source's rows than of
// others, where lines that tiles read in parts would be lost meanwhile, or a block has few rows of
// a line; but no more than leaves lines of the destination in L1.
TEST(Plan, TurnsShortRowsInLongPieces) {
    const auto src_bytes = [](const vec &dims, const char *src, const char *dst,
                                   tfmt_data_type_t type, machine m, size_t l3_bytes) {
        m.l2_bytes = 1 << 20;
        m.l3_bytes = l3_bytes;
        return run_bytes_of_block(planned(normalized(dims, src, dst, type), m), true);
    };
    constexpr size_t in_caches = 256 << 20, half_in_caches = 40 << 20, beyond = 0;
    const vec picture {1024, 1920, 7};
    EXPECT_EQ(src_bytes(picture, "bac", "abc", tfmt_u8, avx2(), beyond), 728);
    EXPECT_EQ(src_bytes(picture, "bac", "abc", tfmt_u8, avx2(), half_in_caches), 378);
    EXPECT_EQ(src_bytes({1024, 1920, 8}, "bac", "abc", tfmt_u8, avx2(), beyond), 512);
    const auto innermost = [](const vec &dims, const char *src, const char *dst,
                                   tfmt_data_type_t type, machine m) {
        m.l3_bytes = in_caches;
        const plan p = planned(normalized(dims, src, dst, type), m);
        const auto &levels = p.problem.levels;
        return plan_test::text_of(levels[levels.size() - 2]) + ", "
                + plan_test::text_of(levels.back());
    };
    // Lines of the destination have pixels of 24 rows of the source in one set of L1.
    EXPECT_EQ(innermost({3, 24, 2048}, "bca", "cba", tfmt_f32, avx2()),
            "6 x 4, 98304 -> 48, 16 x 1, 12 -> 288");
    EXPECT_EQ(innermost({3, 16, 2048}, "bca", "cba", tfmt_f32, avx2()),
            "4 x 4, 98304 -> 48, 4 x 1, 12 -> 192");
    // One of the source has those of rows of the destination that are 12 KiB apart.
    EXPECT_EQ(innermost({2048, 3, 300}, "acb", "cab", tfmt_bf16, avx512()),
            "11 x 4, 24 -> 49152, 11 x 8, 14400 -> 48");
    EXPECT_EQ(innermost({2040, 3, 300}, "acb", "cab", tfmt_bf16, avx512()),
            "11 x 8, 14400 -> 48, 5 x 8, 48 -> 97920");
}

// Beyond L2 a tile reads 16 bytes of each line, and the rest for the next rows of the destination,
// where longer pieces would have it write whole lines of a set of L1 that holds no more of them.
TEST(Plan, NarrowsTilesThatCrowdL1BeyondL2) {
    machine m = avx512();
    m.narrows_tiles = true;
    const vec planes {1, 1024, 14, 14};
    const plan narrow = planned(normalized(planes, "abcd", "acdb", tfmt_f32), m);
    EXPECT_TRUE(narrow.the_tile.is_narrow);
    EXPECT_EQ(narrow.the_tile.src_run_bytes, tfmt::cpu::tuning::min_narrow_run_bytes);
    EXPECT_EQ(narrow.the_tile.dst_run_bytes, tfmt::cpu::tuning::line_bytes);
    EXPECT_EQ(run_bytes_of_block(narrow, false), tfmt::cpu::tuning::block_dst_bytes);
    const auto narrows = [&](const vec &dims, const char *dst, tfmt_data_type_t src_type,
                                 tfmt_data_type_t dst_type) {
        const memory_desc from = by_tag(dims, "abcd", src_type), to = by_tag(dims, dst, dst_type);
        const plan p = planned(normalized(from, to), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::plain);
        EXPECT_EQ(p.the_tile.is_narrow, p.the_tile.src_run_bytes == 16);
        return p.the_tile.is_narrow;
    };
    EXPECT_TRUE(narrows(planes, "acdb", tfmt_bf16, tfmt_f32));
    EXPECT_FALSE(narrows(planes, "acdb", tfmt_f32, tfmt_bf16));
    // Lines of the source that L1 does not keep until the rest is read: every fourth is of one set.
    EXPECT_FALSE(narrows({1, 1024, 16, 16}, "acdb", tfmt_f32, tfmt_f32));
    // Rows half a period apart crowd no set in pieces of 32 bytes.
    EXPECT_FALSE(narrows({1, 512, 26, 26}, "acdb", tfmt_f32, tfmt_f32));
    EXPECT_TRUE(narrows({1, 1024, 14, 26}, "acdb", tfmt_bf16, tfmt_bf16));
    // Mostly padding.
    EXPECT_TRUE(narrows({1, 1024, 14, 26}, "acdB4b", tfmt_f32, tfmt_f32));
    EXPECT_FALSE(narrows({1, 1024, 14, 26}, "AcdB2a4b", tfmt_f32, tfmt_f32));
    m.l2_bytes = 2 << 20;
    EXPECT_FALSE(narrows(planes, "acdb", tfmt_f32, tfmt_f32));
    m.l2_bytes = 1 << 20, m.narrows_tiles = false;
    EXPECT_FALSE(narrows(planes, "acdb", tfmt_f32, tfmt_f32));
}

// A tile that reads 8 bytes of each line is followed by those for the rest, also where the next
// line of the tile begins right behind it.
TEST(Plan, CollectsWholeLinesOfTheSource) {
    machine m = sse41();
    m.l2_bytes = 1 << 20;
    const plan p = planned(normalized({2, 32, 512, 128}, "dcab", "abDC16d4c", tfmt_s8), m);
    EXPECT_EQ(p.stores, tfmt::cpu::store_path::collected);
    EXPECT_EQ(run_bytes_of_block(p, true), 64);
}

// From a scratch of whole vectors where elements keep their type and blocks are whole, also of
// transposes of which fewer rows collide; a row of vectors has pieces of as many rows as lanes.
TEST(Plan, CollectsInLanes) {
    using tfmt::cpu::store_path;
    const auto transposed = [](const vec &dims, tfmt_data_type_t type, machine m) {
        m.min_row_pairs_to_collect = 1024;
        return planned(normalized(dims, "ab", "ba", type), m);
    };
    const plan p = transposed({2048, 2048}, tfmt_u8, avx512());
    EXPECT_EQ(p.stores, store_path::collected_in_lanes);
    EXPECT_EQ(p.scratch.lanes.n_lanes(), 4);
    EXPECT_EQ(p.scratch.lanes.row.extent, 16); // 256 bytes of each
    EXPECT_EQ(p.scratch.lanes.dst_strides_bytes, (std::vector<dim_t> {16 * 2048, 32 * 2048}));
    EXPECT_TRUE(p.scratch.lines.empty()); // which tiles fetch
    const auto stores = [&](const vec &dims, tfmt_data_type_t type, const machine &m) {
        return transposed(dims, type, m).stores;
    };
    EXPECT_EQ(stores({2048, 2048}, tfmt_u8, in_rows(avx512())), store_path::collected);
    EXPECT_EQ(stores({2048, 2048}, tfmt_u8, sse41()), store_path::collected);
    EXPECT_EQ(stores({2048, 2048}, tfmt_bf16, avx2()), store_path::collected_in_lanes);
    EXPECT_EQ(stores({2048, 2000}, tfmt_u8, avx512()), store_path::plain);
    EXPECT_EQ(stores({2048, 2048 + 16}, tfmt_u8, avx512()), store_path::plain);
    // 8 and 16 rows of a set, of 1 MiB; of half of it; 8 and 8.
    EXPECT_EQ(stores({1024, 512}, tfmt_u8, avx512()), store_path::collected_in_lanes);
    EXPECT_EQ(stores({512, 1024}, tfmt_u8, avx512()), store_path::collected_in_lanes);
    EXPECT_EQ(stores({1024, 256}, tfmt_u8, avx512()), store_path::plain);
    EXPECT_EQ(stores({1536, 1536}, tfmt_u8, avx512()), store_path::plain);
    // Vectors below a line take fewer, but of bytes.
    EXPECT_EQ(stores({1536, 1536}, tfmt_u8, avx2()), store_path::plain);
    EXPECT_EQ(stores({768, 768}, tfmt_bf16, avx2()), store_path::plain);
    EXPECT_EQ(stores({768, 1536}, tfmt_bf16, avx2()), store_path::collected_in_lanes); // 8 and 4
    // Where tiles have whole lines of both sides, only if the source's evict each other.
    EXPECT_EQ(stores({512, 2048}, tfmt_f32, avx512()), store_path::collected_in_lanes);
    EXPECT_EQ(stores({2048, 512}, tfmt_f32, avx512()), store_path::plain); // 8 and 16
    machine m = avx512();
    m.max_elem_bytes_in_lanes = 2;
    EXPECT_EQ(stores({512, 2048}, tfmt_f32, m), store_path::plain);
    EXPECT_EQ(stores({2048, 2048}, tfmt_u8, m), store_path::collected_in_lanes);
    m.min_moved_bytes_in_lanes = 2 * 2048 * 2048;
    EXPECT_EQ(stores({2048, 2048}, tfmt_u8, m), store_path::collected_in_lanes);
    m.min_moved_bytes_in_lanes++;
    EXPECT_EQ(stores({2048, 2048}, tfmt_u8, m), store_path::collected);
    const vec dims {2048, 2048};
    EXPECT_EQ(
            planned(normalized(by_tag(dims, "ab", tfmt_s8), by_tag(dims, "ba", tfmt_u8)), avx512())
                    .stores,
            store_path::collected);
}

// Past the caches as well, for destinations that begin with a line: of elements of more than a
// byte, or by shorter vectors, within the last cache alone.
TEST(Plan, StagesInLanes) {
    using tfmt::cpu::store_path;
    const auto stores = [](const vec &dims, tfmt_data_type_t type, machine m, size_t l3_bytes) {
        m.l3_bytes = l3_bytes;
        m.streaming_share_of_cache = 0.01;
        const move_problem move = normalized(dims, "ab", "ba", type);
        const plan for_any = planned(move, m);
        EXPECT_EQ(for_any.stores, store_path::staged);
        plan p;
        if (!make_streamed_plan(move, m, &p, &for_any)) return store_path::staged;
        if (p.stores == store_path::staged_in_lanes) {
            EXPECT_EQ(p.dst_alignment_bytes, 64);
            EXPECT_FALSE(p.scratch.lines.empty());
            EXPECT_TRUE(p.scratch.is_chained);
        }
        return p.stores;
    };
    EXPECT_EQ(stores({4096, 4096}, tfmt_u8, avx512(), 32 << 20), store_path::staged_in_lanes);
    EXPECT_EQ(stores({4096, 4096}, tfmt_u8, avx512(), 1 << 20), store_path::staged_in_lanes);
    EXPECT_EQ(stores({4096, 4096}, tfmt_u8, avx2(), 32 << 20), store_path::staged_in_lanes);
    EXPECT_EQ(stores({4096, 4096}, tfmt_u8, avx2(), 1 << 20), store_path::staged);
    EXPECT_EQ(stores({2048, 2048}, tfmt_bf16, avx512(), 32 << 20), store_path::staged_in_lanes);
    EXPECT_EQ(stores({2048, 2048}, tfmt_bf16, avx512(), 1 << 20), store_path::staged);
    EXPECT_EQ(stores({4096, 4096}, tfmt_u8, in_rows(avx512()), 32 << 20), store_path::staged);
}

// From memory lines are asked for twice: by drains and by tiles, if L2 has room for the lines of
// two blocks, and by two of the tiles that store lines.
TEST(Plan, FetchesTwiceFromFar) {
    using tfmt::cpu::store_path;
    machine m = avx512();
    m.streaming_share_of_cache = 0.01;
    const auto make = [&](const vec &dims, bool fetches_twice, size_t l3_bytes, bool is_streamed) {
        m.fetched_twice_share_of_cache = fetches_twice ? 0.75
                                                       : std::numeric_limits<double>::infinity();
        m.l3_bytes = l3_bytes;
        const move_problem move = normalized(dims, "ab", "ba", tfmt_f32);
        plan p = planned(move, m);
        EXPECT_EQ(p.stores, store_path::staged);
        EXPECT_FALSE(p.scratch.lines.empty());
        if (is_streamed) {
            EXPECT_TRUE(make_streamed_plan(move, m, &p));
            EXPECT_EQ(p.stores, store_path::streamed);
        }
        return p;
    };
    const auto staged = [&](const vec &dims, bool fetches_twice, size_t l3_bytes) {
        return make(dims, fetches_twice, l3_bytes, false).prefetch_bytes;
    };
    constexpr size_t near = 1 << 26, far = 1 << 24;
    EXPECT_GT(staged({2000, 2001}, true, far), 0);
    EXPECT_EQ(staged({2000, 2001}, true, near), 0);
    EXPECT_EQ(staged({2000, 2001}, false, far), 0);
    EXPECT_EQ(staged({128, 1 << 15}, true, far), 0); // rows 128 KiB apart

    const plan streamed = make({2000, 2016}, true, far, true);
    EXPECT_EQ(streamed.prefetch_next_bytes - streamed.prefetch_bytes,
            streamed.problem.levels.back().src_stride);
    EXPECT_EQ(make({2000, 2016}, true, near, true).prefetch_next_bytes, 0);
    EXPECT_EQ(make({2000, 2016}, false, far, true).prefetch_next_bytes, 0);
}

// Longer runs in larger blocks, of which rows that lie one behind the other stay apart in the
// scratch; beyond L2 what the next block reads is fetched, if that is any use.
TEST(Plan, CollectsInBlocksOfTheMachine) {
    machine m = avx512();
    const auto scratch = [&](const vec &dims) {
        const plan p = planned(normalized(dims, "ab", "ba", tfmt_u8), in_rows(m));
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::collected);
        return p.scratch;
    };
    EXPECT_LT(scratch({2048, 2048}).scratch_bytes, 48 << 10);
    EXPECT_FALSE(scratch({2048, 2048}).lines.empty());
    m.l2_bytes = 64 << 20;
    EXPECT_TRUE(scratch({2048, 2048}).lines.empty());
    m = avx512();
    m.min_fetched_collected_bytes = 8 << 20;
    EXPECT_FALSE(scratch({2048, 2048}).lines.empty());
    m.min_fetched_collected_bytes++;
    EXPECT_TRUE(scratch({2048, 2048}).lines.empty());
    m.collected_dst_bytes = 512, m.collected_block_bytes = 64 << 10;
    EXPECT_GT(scratch({2048, 2048}).scratch_bytes, 64 << 10);
    // 128 rows of 512 bytes, which a block has whole, do not lie one behind the other there.
    m = avx2();
    m.collected_dst_bytes = 512, m.collected_block_bytes = 64 << 10;
    EXPECT_EQ(scratch({512, 8192}).scratch_bytes, 128 * (512 + 64));
}

// Rows of 28 bytes on both sides, 7 pages apart: no tile has whole lines, blocks of a scratch have.
TEST(Plan, CollectsWholeLinesOfRunsThatEndWithinThem) {
    using tfmt::cpu::store_path;
    const auto of_middle = [](dim_t middle, const machine &m) {
        return planned(normalized({28, middle, 28}, "cba", "abc", tfmt_u8), m);
    };
    for (const machine &m : {sse41(), avx2(), avx512()}) {
        const plan p = of_middle(1024, m);
        EXPECT_EQ(p.stores, store_path::collected);
        ASSERT_FALSE(p.scratch.drain_levels.empty());
        EXPECT_EQ(p.scratch.drain_levels.front().dst_stride, 28 * 1024);
        dim_t run_bytes = 1;
        for (size_t i = 1; i < p.scratch.drain_levels.size(); i++)
            run_bytes *= p.scratch.drain_levels[i].extent;
        EXPECT_EQ(run_bytes, 7 * 64); // of 28: 16 steps
        EXPECT_EQ(of_middle(1000, m).stores, store_path::plain);
    }
    // Whole lines of the destination, but runs of the source that end within them: 12 such rows
    // stay in L1; but not where those of the destination begin within lines.
    const auto of_rows = [](dim_t rows, dim_t width) {
        return planned(normalized({rows, 1024, width}, "cba", "abc", tfmt_f32), in_rows(avx512()))
                .stores;
    };
    EXPECT_EQ(of_rows(13, 16), store_path::collected);
    EXPECT_EQ(of_rows(12, 16), store_path::plain);
    EXPECT_EQ(of_rows(16, 16), store_path::plain); // lines on both sides
    EXPECT_EQ(of_rows(16, 20), store_path::collected);
    EXPECT_EQ(of_rows(12, 20), store_path::collected);
    EXPECT_EQ(of_rows(7, 20), store_path::plain);
    // 28 elements, of which two tiles have 32: lines are counted along the next level.
    const plan p = planned(normalized({64, 1024, 28}, "cba", "abc", tfmt_bf16), avx512());
    ASSERT_EQ(p.scratch.drain_levels.size(), 3u);
    EXPECT_EQ(p.scratch.drain_levels[1].extent * p.scratch.drain_levels[1].dst_stride, 7 * 64);
}

// 96 bytes of channels are a line, of which a tile stores all, and half of one: of rows that share
// a set of L1 it has no more than L1 keeps.
TEST(Plan, LeavesNoMoreLinesThanL1Keeps) {
    const auto rows = [](const char *dst, const machine &m) {
        const plan p = planned(normalized({1, 4, 128, 512}, "abcd", dst, tfmt_bf16), m);
        return 1 << p.the_tile.src_run.size();
    };
    EXPECT_EQ(rows("aBdc48b", avx512()), 4); // of a multiple of 4096 bytes
    // Of padding no more than the ways of L1 are written at once, of half lines fewer.
    EXPECT_EQ(rows("aBdc32b", avx512()), 8);
    EXPECT_EQ(rows("aBdc32b", avx2()), 4);
    machine m = avx512();
    m.max_padded_rows = 8;
    EXPECT_EQ(rows("aBdc32b", m), 16);
}

// Tiles that read parts of a line follow each other along it, but where the lines that they write
// would push each other out of L1.
TEST(Plan, ReadsLinesAtOnceWhereL1KeepsWhatIsWritten) {
    const auto at_once = [](const vec &dims, const char *src, const char *dst,
                                 tfmt_data_type_t type, machine m, size_t l2_bytes = 8 << 20) {
        m.l2_bytes = l2_bytes;
        const plan p = planned(normalized(dims, src, dst, type), m);
        EXPECT_EQ(p.stores, tfmt::cpu::store_path::plain);
        const auto &levels = p.problem.levels;
        const auto along_line = std::find_if(levels.begin(), levels.end(),
                [](const level &l) { return l.src_stride < tfmt::cpu::tuning::line_bytes; });
        EXPECT_NE(along_line, levels.end());
        return along_line != levels.end()
                && std::all_of(along_line + 1, levels.end(), [](const level &l) {
                       return l.dst_stride < tfmt::cpu::tuning::line_bytes;
                   });
    };
    // 16 rows of 24 bytes in parts of lines, 24576 bytes apart, or 24384.
    EXPECT_FALSE(at_once({5, 1021, 31, 1}, "aBCd4b4c", "AcdB8b24a", tfmt_u8, avx512()));
    EXPECT_TRUE(at_once({5, 1013, 31, 1}, "aBCd4b4c", "AcdB8b24a", tfmt_u8, avx512()));
    // 14 rows of whole lines, 128 bytes for one that is read.
    EXPECT_FALSE(at_once({1, 1, 97, 64, 1}, "aBdeC8b2c", "AcdeB32a4b", tfmt_s8, avx512()));
    EXPECT_TRUE(at_once({1, 1, 97, 61, 1}, "aBdeC8b2c", "AcdeB32a4b", tfmt_s8, avx512()));
    EXPECT_FALSE(at_once({1, 1, 97, 64, 1}, "aBdeC8b2c", "AcdeB32a4b", tfmt_s8, avx512(), 0));
    // 16 rows for a quarter of a line of the source, within L2, and beyond, also for an eighth.
    EXPECT_TRUE(at_once({2048, 48}, "ab", "ba", tfmt_f32, avx2()));
    EXPECT_FALSE(at_once({2048, 48}, "ab", "ba", tfmt_f32, avx2(), 0));
    EXPECT_TRUE(at_once({2000, 48}, "ab", "ba", tfmt_f32, avx2(), 0));
    EXPECT_FALSE(at_once({2048, 48}, "ab", "ba", tfmt_bf16, avx2(), 0));
    EXPECT_TRUE(at_once({2048, 128}, "ab", "ba", tfmt_u8, avx2()));
    // Vectors of 16 bytes, with which half a line is two.
    EXPECT_FALSE(at_once({2048, 49}, "ab", "ba", tfmt_bf16, sse41()));
    // Tiles that read 4 bytes of rows shorter than a line, and store lines.
    EXPECT_TRUE(at_once({2048, 24}, "ab", "ba", tfmt_bf16, sse41()));
    // 12 rows of parts of lines, all of one set and the next one, or 8 of these, which crosses into
    // that of the others; or 6.
    EXPECT_FALSE(at_once({4097, 12}, "ab", "ba", tfmt_bf16, sse41()));
    EXPECT_FALSE(at_once({4100, 12}, "ab", "ba", tfmt_bf16, sse41()));
    EXPECT_TRUE(at_once({4106, 12}, "ab", "ba", tfmt_bf16, sse41()));
}

// Joined runs are stored in parts of lines, of no more rows in a set of L1 than it keeps; nor does
// it keep the rows that a joined run of the source goes to, nor those of both sides if they share
// sets.
TEST(Plan, JoinsRunsOfRowsThatL1Keeps) {
    const auto of = [](const vec &dims) {
        return planned(normalized(dims, "cba", "abc", tfmt_u8), avx512());
    };
    for (const dim_t middle : {2000, 2048}) {
        const plan p = of({28, middle, 7});
        EXPECT_FALSE(p.the_tile.phased.empty());
        EXPECT_EQ(p.the_tile.src_run.size(), middle == 2000 ? 5u : 3u);
    }
    EXPECT_FALSE(of({28, 2000, 13}).the_tile.phased.empty());
    EXPECT_EQ(of({28, 2048, 13}).stores, tfmt::cpu::store_path::collected);
    EXPECT_FALSE(of({13, 4000, 20}).the_tile.phased.empty());
    EXPECT_EQ(of({13, 4096, 20}).stores, tfmt::cpu::store_path::collected);
    EXPECT_FALSE(of({14, 4000, 77}).the_tile.phased.empty()); // rows of more than a line
    EXPECT_EQ(of({14, 4096, 77}).stores, tfmt::cpu::store_path::collected);
    const plan wide = planned(normalized({40, 1024, 14}, "cba", "abc", tfmt_f32), avx512());
    EXPECT_FALSE(wide.the_tile.phased.empty());
}

// Past the caches a scratch gathers whole lines in their place, where there is one.
TEST(Plan, JoinsRunsPastTheCachesWhereLinesAreClaimedAhead) {
    machine m = avx512();
    m.l3_bytes = 1 << 20;
    const auto joins = [&] {
        return !planned(normalized({28, 2000, 13}, "cba", "abc", tfmt_u8), m)
                        .the_tile.phased.empty();
    };
    EXPECT_FALSE(joins());
    m.claimed_ahead_bytes = 3072;
    EXPECT_TRUE(joins());
}

// Levels of which a half and more is padding do not lead through the whole destination.
TEST(Plan, OrdersLevelsThatAreHalfPaddingInside) {
    machine m = avx512();
    m.l3_bytes = size_t {1} << 40;
    const auto outermost_dim = [&](dim_t rows) {
        return planned(normalized({rows, 736, 20, 20}, "abcd", "ABcd32a32b", tfmt_bf16), m)
                .problem.levels[0]
                .dim;
    };
    EXPECT_NE(outermost_dim(8), 0);
    EXPECT_NE(outermost_dim(16), 0);
    EXPECT_EQ(outermost_dim(24), 0);
}

// States that differ in the rest behind the root steps alone share a kernel;
// two that differ in the root steps have one each.
TEST(Plan, KernelsWithARestServeStatesWithoutOne) {
    const auto kernels = [](const vec &dims) {
        return planned(normalized(dims, "abcd", "ABcd32a16b", tfmt_u8), avx512());
    };
    const plan rest_last = kernels({32, 224, 50, 50}); // what is left of 2500 pixels
    ASSERT_EQ(rest_last.jobs.size(), 2u);
    EXPECT_EQ(rest_last.kernels.size(), 1u);
    EXPECT_FALSE(rest_last.jobs[0].has_rest);
    EXPECT_TRUE(rest_last.jobs[1].has_rest);
    const plan two_tails = kernels({32, 232, 50, 50});
    EXPECT_EQ(two_tails.jobs.size(), 4u);
    EXPECT_EQ(two_tails.kernels.size(), 2u);
}

// Two lines are no odd run: f32 that was bf16 is stored by whole tiles, whatever rows share.
TEST(Plan, KeepsTilesThatStoreTwoLines) {
    move_problem p;
    std::string why;
    ASSERT_TRUE(tfmt::normalize(tfmt::make_problem(by_tag({512, 512}, "ab", tfmt_bf16),
                                        by_tag({512, 512}, "ba", tfmt_f32)),
            &p, &why));
    EXPECT_EQ(planned(p, avx512()).the_tile.n_reg_bits(), 4);
}

// What is read in the order of its addresses is left to the processor.
TEST(Plan, FetchesWhatIsReadInRows) {
    const auto prefetch = [](const vec &dims, const char *src, const char *dst) {
        return planned(normalized(dims, src, dst, tfmt_f32), avx512()).prefetch_bytes;
    };
    EXPECT_EQ(prefetch({1024, 1088}, "ab", "ab"), 0);
    EXPECT_EQ(prefetch({4, 256, 1024}, "abc", "bac"), 0); // rows of 4 KiB
    EXPECT_GT(prefetch({1024, 1088}, "ab", "ba"), 0);
}

// Past the caches it is fetched far ahead on Intel: what is read in rows by the beginnings of its
// pages, in blocks of a page, other blocks as a whole.
TEST(Plan, FetchesStreamsFarAhead) {
    const auto streamed = [](const vec &dims, const char *src, const char *dst, bool is_intel) {
        machine m = avx512();
        m.l3_bytes = 0;
        if (is_intel) m.fetched_stream_bytes = 8192;
        plan p;
        EXPECT_TRUE(make_streamed_plan(normalized(dims, src, dst, tfmt_f32), m, &p));
        EXPECT_EQ(p.prefetch_next_bytes, 0);
        return p;
    };
    const auto block_src_bytes = [](const plan &p) {
        return p.problem.levels[p.first_of_block() - 1].src_stride;
    };
    EXPECT_EQ(streamed({1024, 1088}, "ab", "ab", false).page_ahead_bytes, 0);
    const plan copy = streamed({1024, 1088}, "ab", "ab", true);
    EXPECT_EQ(copy.page_ahead_bytes, 8192);
    EXPECT_EQ(copy.prefetch_bytes, 0);
    EXPECT_EQ(block_src_bytes(copy), 4096);
    const plan rows = streamed({8, 256, 512}, "abc", "bac", true); // two of 2 KiB
    EXPECT_EQ(rows.page_ahead_bytes, 8192);
    EXPECT_EQ(block_src_bytes(rows), 4096);

    const plan blocks = streamed({64, 16, 128, 64}, "abcd", "abDC16d8c", true);
    EXPECT_EQ(blocks.page_ahead_bytes, 0);
    EXPECT_EQ(blocks.prefetch_bytes, 8192);
    const plan transposed = streamed({1024, 1088}, "ab", "ba", true);
    EXPECT_EQ(transposed.page_ahead_bytes, 0);
    EXPECT_LT(transposed.prefetch_bytes, 8192);
}

// Nor are lines that are read in their order, one of 8 elements here, fetched from near caches; but
// blocks of a transpose, which cover rows a part at a time.
TEST(Plan, FetchesNoLinesOfOneStream) {
    const auto prefetch = [](const vec &dims, const char *src, const char *dst, size_t l3_bytes) {
        machine m = avx512();
        m.l3_bytes = l3_bytes;
        return planned(normalized(dims, src, dst, tfmt_f32), m).prefetch_bytes;
    };
    const vec image {1, 4, 256, 256};
    constexpr size_t near = 32 << 20, far = 16 << 20; // of 8 MiB that are touched
    EXPECT_EQ(prefetch(image, "Abcd8a", "abcd", near), 0);
    EXPECT_GT(prefetch(image, "Abcd8a", "abcd", far), 0);
    EXPECT_GT(prefetch(image, "Abcd40a", "abcd", near), 0); // more than two lines apart
    EXPECT_GT(prefetch({4, 12, 384, 64}, "abcd", "abdc", near), 0);
}

// Lines that several tiles read in pieces of 16 elements are fetched over and over, only from far.
TEST(Plan, FetchesPiecesOfLinesFromFar) {
    const auto prefetch = [](tfmt_data_type_t type, size_t l3_bytes) {
        machine m = avx512();
        m.l3_bytes = l3_bytes;
        m.streaming_share_of_cache = std::numeric_limits<double>::infinity();
        return planned(normalized({1088, 1088}, "ab", "ba", type), m).prefetch_bytes;
    };
    constexpr size_t near = 1 << 27, far = 1 << 21;
    EXPECT_EQ(prefetch(tfmt_u8, near), 0);
    EXPECT_GT(prefetch(tfmt_u8, far), 0);
    EXPECT_GT(prefetch(tfmt_f32, near), 0); // whole lines
}

// What is far for that differs from core to core; what bypasses the caches is fetched from memory
// alone.
TEST(Plan, FetchesPiecesOfLinesFromWhereTheMachineSays) {
    const auto prefetch = [](double share, bool is_streamed, size_t l3_bytes = 4 << 20) {
        machine m = avx512();
        m.l3_bytes = l3_bytes; // 2.3 MiB are touched
        m.min_refetched_share_of_cache = share;
        m.streaming_share_of_cache = is_streamed ? 0.1 : std::numeric_limits<double>::infinity();
        const auto p = normalized({1088, 1088}, "ab", "ba", tfmt_u8);
        tfmt::cpu::plan streamed;
        if (!is_streamed) return planned(p, m).prefetch_bytes;
        EXPECT_TRUE(make_streamed_plan(p, m, &streamed));
        return streamed.prefetch_bytes;
    };
    EXPECT_EQ(prefetch(0.75, false), 0);
    EXPECT_GT(prefetch(0.45, false), 0);
    EXPECT_EQ(prefetch(0.45, true), 0);
    EXPECT_GT(prefetch(0.45, true, 2 << 20), 0);
}

// Nor is anything fetched from near caches, where the machine does without, by tiles that store to
// few lines: of copied rows, or of 16 rows here.
TEST(Plan, FetchesNothingNearForFewLines) {
    const auto prefetch = [](const char *dst, double share) {
        machine m = avx512();
        m.l3_bytes = 32 << 20; // 9 are touched
        m.unfetched_share_of_cache = share;
        return planned(normalized({4, 12, 384, 64}, "abcd", dst, tfmt_f32), m).prefetch_bytes;
    };
    EXPECT_EQ(prefetch("cbad", 0.4), 0);
    EXPECT_GT(prefetch("cbad", 0), 0);
    EXPECT_GT(prefetch("cbad", 0.1), 0); // not near
    EXPECT_GT(prefetch("abdc", 0.4), 0);
}

// Some machines fetch near sources all the same if these span more than the caches hold, or are
// converted.
TEST(Plan, FetchesNearSourcesThatSpanMoreOrAreConverted) {
    const vec dims {4, 12, 384, 64};
    const auto prefetch = [&](dim_t image_elems, tfmt_data_type_t dst_type, bool fetches) {
        machine m = avx512();
        m.l3_bytes = 32 << 20;
        m.unfetched_share_of_cache = 0.4;
        m.fetches_sparse_or_converted = fetches;
        const memory_desc src = by_strides(dims, {image_elems, 384 * 64, 64, 1});
        return planned(normalized(src, by_tag(dims, "cbad", dst_type)), m).prefetch_bytes;
    };
    const dim_t dense = 12 * 384 * 64, apart = 1 << 20; // 4 MiB
    EXPECT_EQ(prefetch(dense, tfmt_f32, true), 0);
    EXPECT_EQ(prefetch(apart, tfmt_f32, false), 0);
    EXPECT_GT(prefetch(apart, tfmt_f32, true), 0);
    EXPECT_EQ(prefetch(dense, tfmt_s32, false), 0);
    EXPECT_GT(prefetch(dense, tfmt_s32, true), 0);
}

// 3 channels in blocks of 4: the fourth is read with the others and dropped.
TEST(Plan, RunsGoOnBehindHoles) {
    const auto run = [](const vec &dims, const char *src, const char *dst) {
        const tfmt::cpu::tile t = planned(normalized(dims, src, dst, tfmt_s8), avx512()).the_tile;
        return t.src_run_bytes;
    };
    EXPECT_EQ(run({64, 3, 7, 7}, "ABcd16a4b", "cdba"), 64);
    EXPECT_EQ(run({64, 4, 7, 7}, "ABcd16a4b", "cdba"), 64);
    EXPECT_EQ(run({64, 3, 7, 7}, "Acdb16a", "abcd"), 16); // no hole
    const tfmt::cpu::tile packed =
            planned(normalized({2, 3, 40, 40}, "acdb", "abcd", tfmt_s8), avx512()).the_tile;
    EXPECT_EQ(packed.src_run_bytes, 12); // no hole either: 3 channels of 4 pixels
}

// Two rows that become 16: behind the two the run goes on in the next column, on any machine.
TEST(Plan, RunsGoOnWhereDataEnd) {
    for (const machine &m : all_machines()) {
        const tfmt::cpu::tile t =
                planned(normalized({2, 768}, "ba", "AB16b16a4b", tfmt_u8), m).the_tile;
        EXPECT_EQ(t.src_run_bytes, t.vector_bytes) << tfmt::cpu::name_of(m.isa);
        for (const int bit : t.src_run)
            EXPECT_TRUE(t.bits[size_t(bit)].is_read) << tfmt::cpu::name_of(m.isa);
    }
}

// Behind steps that are no power of two a run goes on with the levels of blocks, as long as no tail
// ends within one that it goes on behind.
TEST(Plan, PackedRunsGoOnBehindLevelsThatAreNeverCut) {
    const auto run = [](tfmt_dim_t n) {
        const auto p = normalized({512, n, 3}, "ABc16b32a2b", "abc", tfmt_u8);
        return planned(p, avx512_vbmi()).the_tile.dst_run_bytes;
    };
    EXPECT_EQ(run(80), 48);
    EXPECT_EQ(run(72), 48); // cut within the last level that the run has
    EXPECT_EQ(run(81), 6);  // within the pairs
}

// One channel in blocks of 4 on both sides: the places behind it stay. Where there are no such
// blocks in the source, or the destination's lie apart, they are dropped.
TEST(Plan, RunsHaveBlocksOfOneThatBothSidesPad) {
    const auto begins_with_its_zeros = [](const vec &dims, const char *src, const char *dst) {
        const tfmt::cpu::tile t = planned(normalized(dims, src, dst, tfmt_u8), avx512()).the_tile;
        const tfmt::cpu::tile_bit &first = t.bits[size_t(t.src_run[0])];
        return first.level >= 0 && !first.is_read;
    };
    EXPECT_TRUE(begins_with_its_zeros({960, 1, 3, 3}, "aBdc4b", "ABcd4a4b"));
    EXPECT_TRUE(begins_with_its_zeros({1, 31, 64}, "Abc4a", "ABc2b8a4b"));
    EXPECT_FALSE(begins_with_its_zeros({64, 1, 28, 28}, "acdb", "ABcd4a2b"));
    EXPECT_FALSE(begins_with_its_zeros({1, 31, 64}, "Abc4a", "ABc4a64b"));
}

// Of 3x3 weights a tile reads 9 elements of a row: what is left of their lines comes next.
TEST(Plan, ReadsLinesOfOddRunsAtOnce) {
    const auto innermost = [](const vec &dims, const char *dst) {
        const plan p = planned(normalized(dims, "abcd", dst, tfmt_f32), in_rows(avx512()));
        return p.problem.levels.back();
    };
    EXPECT_EQ(innermost({256, 256, 3, 3}, "cdba").src_stride, 36);
    EXPECT_EQ(innermost({256, 256, 4, 4}, "cdba").dst_stride, 64); // whole lines
}

// Rows of the source on one set of L1, as the destination steps through them, which lies together:
// a block has a line of it, not 8. Where both sides' rows are on one set it has all 8.
TEST(Plan, BlocksAlongDstStayInL1) {
    const auto steps_along_dst = [](const vec &dims, const char *src, const char *dst,
                                         tfmt_data_type_t type) {
        const plan p = planned(normalized(dims, src, dst, type), in_rows(avx512()));
        return steps_of_block(p, [](const level &l) { return l.dst_stride == 64; });
    };
    EXPECT_EQ(steps_along_dst({2, 77, 768}, "ABc16b64a", "bac", tfmt_bf16), 1);
    EXPECT_EQ(steps_along_dst({1024, 1024}, "ab", "ba", tfmt_f32), 8);
}

// What continues the tile's run goes innermost, but never inside the inner blocks of its own
// dimension.
TEST(Plan, NoLevelPassesAnInnerOneOfItsDimension) {
    tfmt::cpu::tile t {4, 64, {}, {0, 1, 2, 3}, {4, 5, 6, 7}, {}, 32, 32, 64, 64};
    t.bits.resize(8, {0, 1, 1, 0, 0});
    const std::vector<level> levels {{1, 8, 1, 9000, 64, {}, {}}, {0, 8, 1, 4096, 1000, {}, {}},
            {0, 4, 8, 64, 8000, {}, {}}};
    const tfmt::limit_list limits {{32, 32}, {8, 8}};
    const lines text = plan_test::texts_of(tfmt::cpu::order_levels(
            levels, limits, t, tfmt::cpu::memory_pattern::beyond_l2, tfmt::cpu::machine())
                                                   .levels);
    EXPECT_EQ(text, (lines {"4 x 8, 64 -> 8000", "8 x 1, 4096 -> 1000", "8 x 1, 9000 -> 64"}));
}

// ---------------------------------------------------------------- extents beyond execution

// Elements that the nest from `depth` on writes in `state`.
dim_t elements_below(const plan &p, size_t depth, const nest_state &state) {
    if (depth == p.problem.levels.size()) {
        dim_t n = 1;
        for (const dim_limits &l : state.limits)
            n *= l.store;
        return n;
    }
    const level &l = p.problem.levels[depth];
    dim_t n = 0;
    for (const segment &s :
            tfmt::cpu::split(l.unit, state.limits[size_t(l.dim)], state.in_padding)) {
        nest_state below = state;
        below.limits[size_t(l.dim)] = s.below;
        below.in_padding = state.in_padding || s.is_padding;
        n += s.count * elements_below(p, depth + 1, below);
    }
    return n;
}

// Elements (as wide as the plan's) that all jobs write.
dim_t elements_of_jobs(const plan &p) {
    dim_t sum = 0;
    for (const tfmt::cpu::job &j : p.jobs) {
        dim_t n = 1;
        for (const tfmt::cpu::job_loop &l : j.loops)
            n *= l.count;
        sum += n * elements_below(p, size_t(p.n_driver_levels), p.kernels[size_t(j.kernel)].state);
    }
    return sum;
}

TEST(Plan, HugeExtents) {
    const dim_t million = 1000003; // a prime
    struct {
        tfmt_data_type_t type;
        memory_desc src, dst;
    } rows[] = {
            {tfmt_f32, by_tag({million, million}, "ab"), by_tag({million, million}, "ba")},
            {tfmt_f32, by_tag({million, million}, "ab"), by_tag({million, million}, "AB16b16a")},
            {tfmt_f32, by_tag({dim_t(1) << 30, dim_t(1) << 29}, "ab"),
                    by_tag({dim_t(1) << 30, dim_t(1) << 29}, "ba")},
            {tfmt_f32, by_strides({20, 20}, {dim_t(1) << 40, 1}), by_tag({20, 20}, "ba")},
            {tfmt_f32, by_tag({dim_t(1) << 33}, "A48a"), by_tag({dim_t(1) << 33}, "A32a")},
    };
    for (const auto &r : rows) {
        const move_problem move = normalized(r.src, r.dst);
        for (const machine &m : all_machines()) {
            const plan p = planned(move, m);
            EXPECT_EQ(elements_of_jobs(p) * p.the_tile.elem_bytes, tfmt::nelems(r.dst, true) * 4)
                    << to_text(p);
            EXPECT_GT(p.moved_bytes, 0);
            EXPECT_GE(p.moved_bytes, tfmt::nelems(r.dst, true) * 4);
            size_t n_ops = 0;
            for (const tfmt::cpu::kernel_spec &spec : p.kernels)
                for (const auto &ops : tfmt::cpu::ir::build(p, spec).blocks)
                    n_ops += ops.size();
            EXPECT_LE(n_ops, tfmt::cpu::tuning::max_kernel_ops);
        }
    }
}

// The last call of the last job ends at the last element, 4 TB from the first.
TEST(Plan, LastCallOfAHugeTensor) {
    const dim_t n = 1 << 20;
    const plan p = planned(normalized({n, n}, "ab", "ba", tfmt_f32), in_rows(avx512()));
    ASSERT_EQ(p.stores, tfmt::cpu::store_path::plain);
    const driver calls(p);
    kernel_call first {}, last {};
    const driver::scale bytes = calls.scale_for(1);
    calls.run(bytes, 0, 1, [&](const kernel_call &c) { first = c; });
    calls.run(
            bytes, bytes.n_items / 64 * 63, bytes.n_items, [&](const kernel_call &c) { last = c; });
    EXPECT_EQ(first.src_offset, 0);
    EXPECT_EQ(first.dst_offset, 0);
    const level &root = p.problem.levels[size_t(p.n_driver_levels)];
    dim_t inner = 0; // from the first to the last tile inside one root step
    for (size_t i = size_t(p.n_driver_levels) + 1; i < p.problem.levels.size(); i++)
        inner += (p.problem.levels[i].extent - 1) * p.problem.levels[i].dst_stride;
    dim_t in_tile = 0;
    for (const tfmt::cpu::tile_bit &b : p.the_tile.bits)
        in_tile += b.dst_stride_bytes;
    EXPECT_EQ(last.dst_offset + (last.root_count - 1) * root.dst_stride + inner + in_tile,
            n * n * 4 - 4);
}

// ---------------------------------------------------------------- decisions

TEST(Plan, DependsOnTheMachinePassedInAlone) {
    const move_problem move = normalized({2, 40, 30, 34}, "nchw", "nChw16c", tfmt_bf16);
    for (const machine &m : all_machines()) {
        const std::string text = to_text(planned(move, m));
        for (tfmt_cpu_isa_t cap : {tfmt_cpu_isa_none, tfmt_cpu_isa_sse41, tfmt_cpu_isa_avx2}) {
            tfmt::cpu::set_max_isa(cap);
            EXPECT_EQ(to_text(planned(move, m)), text);
        }
        tfmt::cpu::set_max_isa(tfmt_cpu_isa_avx512_core_fp16);
        EXPECT_EQ(to_text(planned(move, m)), text);
    }
}

TEST(Plan, StreamsWholeAlignedVectorsOnly) {
    machine m = avx512();
    m.l3_bytes = 0; // every destination is too large for it
    const auto streams = [&](const memory_desc &src, const memory_desc &dst) {
        plan p;
        return make_streamed_plan(normalized(src, dst), m, &p);
    };
    const memory_desc plain = by_tag({64, 64}, "ab");
    EXPECT_TRUE(streams(plain, by_tag({64, 64}, "ba")));
    EXPECT_TRUE(streams(plain, by_strides({64, 64}, {80, 1})));
    EXPECT_TRUE(streams(plain, by_strides({64, 64}, {72, 1})));            // 288 bytes, in halves
    EXPECT_FALSE(streams(plain, by_strides({64, 64}, {68, 1})));           // rows 272 bytes apart
    EXPECT_FALSE(streams(by_tag({64, 20}, "ba"), by_tag({64, 20}, "ab"))); // rows of 80 bytes
    const vec dims {64, 64}, aligned {0, 16}, off {0, 4};
    const memory_desc parent = by_tag({64, 96}, "ab");
    EXPECT_TRUE(streams(plain, tfmt::make_submemory(parent, dims.data(), aligned.data())));
    EXPECT_FALSE(streams(plain, tfmt::make_submemory(parent, dims.data(), off.data())));
    m.l3_bytes = size_t(1) << 60;
    EXPECT_FALSE(streams(plain, by_tag({64, 64}, "ba")));
}

// Conversions store whole registers of the ISA, also where tiles have vectors of half the length.
TEST(Plan, StreamsConversionsByRegisters) {
    machine m = avx2();
    m.l3_bytes = 0;
    m.vector_bytes = 16;
    const auto streams = [&](tfmt_data_type_t type, dim_t row_elems) {
        plan p;
        return make_streamed_plan(normalized(by_tag({64, 32}, "ab", type),
                                          by_strides({64, 32}, {row_elems, 1}, tfmt_bf16)),
                m, &p);
    };
    EXPECT_TRUE(streams(tfmt_s8, 48));
    EXPECT_FALSE(streams(tfmt_s8, 40)); // 80 bytes
    EXPECT_TRUE(streams(tfmt_bf16, 40));
}

TEST(Plan, TooManyTailsAreRefused) {
    // 12 dimensions, each with a tail: 2^12 combinations.
    const move_problem move = normalized(
            vec(12, 5), "abcdefghijkl", "ABCDEFGHIJKL2a2b2c2d2e2f2g2h2i2j2k2l", tfmt_f32);
    plan p;
    std::string why;
    machine m = avx512();
    m.l2_bytes = m.l3_bytes = size_t(1)
            << 60; // beyond the caches other blocks are chosen, which fit
    EXPECT_FALSE(tfmt::cpu::make_plan(move, m, plan_mode::move, &p, &why));
    EXPECT_EQ(why, "too many combinations of tails for generated code");
}

TEST(Plan, RefusesBlocksThatHardlyEverNest) {
    // 511 and 512 nest every 261632 elements.
    plan p;
    std::string why;
    EXPECT_FALSE(tfmt::cpu::make_plan(normalized({600000, 2}, "Ab511a", "Ab512a", tfmt_f32), avx2(),
            plan_mode::move, &p, &why));
    EXPECT_EQ(why, "blocks that nest in no step of their first 65536");
    planned(normalized({600000, 2}, "Ab63a", "Ab64a", tfmt_f32), avx2()); // every 4032
}

} // namespace
