// SPDX-License-Identifier: Apache-2.0
// Kernel IR as data: what verify() refuses, what the interpreter does with a kernel made by hand,
// what build() makes of small plans, and the text of one of them.
#include "cpu/ir/gather.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/ir/order_stores.hpp"
#include "cpu/ir/repack.hpp"
#include "cpu/ir/widen.hpp"
#include "cpu/plan/tuning.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "tests/unit/ir_helpers.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using namespace tfmt::cpu::ir;
using tfmt::cpu::plan_mode;

op make_unpack(int out, int a, int b, int unit_bytes, bool is_high) {
    op o(op_kind::unpack);
    o.out = out;
    o.a = a;
    o.b = b;
    o.unit_bytes = unit_bytes;
    o.is_high = is_high;
    return o;
}

op make_indexed(op_kind kind, int out, int a, int b, int constant) {
    op o(kind);
    o.out = out;
    o.a = a;
    o.b = b;
    o.constant = constant;
    return o;
}

constexpr uint64_t all16 = 0xffff, all8 = 0xff;

// Interleaves the bytes of two runs of 8, of which the second lies 100 bytes further on; reverses
// the result and stores all of it but its first byte.
kernel small_kernel() {
    kernel k;
    k.vector_bytes = 16;
    k.n_values = 4;
    byte_indices reversed {};
    for (int i = 0; i < 16; i++)
        reversed[size_t(i)] = uint8_t(15 - i);
    k.constants = {reversed};
    op zero(op_kind::zero);
    zero.out = 0;
    k.blocks = {{zero, make_load(1, 8, {{0, all8}, {100, all8}}), make_unpack(2, 1, 0, 1, false),
            make_indexed(op_kind::within16, 3, 2, -1, 0),
            make_store(3, 16, {{0, all16 & ~uint64_t(1)}})}};
    k.src_step_bytes = 200;
    k.dst_step_bytes = 32;
    k.root = {make_loop(2, 8, 16, {make_block(0)})};
    k.rest = {make_block(0, 3, 5)};
    return k;
}

// ---------------------------------------------------------------- verify

// Stores past the caches at multiples of a vector; in part it may be anywhere.
kernel streaming_kernel() {
    kernel k = small_kernel();
    k.is_streaming = true;
    k.blocks[0].push_back(make_store(3, 16, {{-32, all16}}));
    k.blocks[0].push_back(make_store(3, 16, {{40, all8}}));
    k.rest[0].dst_offset_bytes = 48;
    return k;
}

TEST(Verify, TakesWellFormedKernels) {
    EXPECT_EQ(verify(small_kernel()), "");
    EXPECT_EQ(verify(streaming_kernel()), "");
}

TEST(Verify, RefusesMalformedKernels) {
    struct {
        const char *why;
        std::function<void(kernel &)> damage;
    } rows[] = {
            {"vector width", [](kernel &k) { k.vector_bytes = 0; }},
            {"vector width", [](kernel &k) { k.vector_bytes = 24; }},
            {"vector width", [](kernel &k) { k.vector_bytes = 128; }},
            {"use before definition", [](kernel &k) { k.blocks[0][3].a = 3; }},
            {"use before definition", [](kernel &k) { k.blocks[0][2].b = 4; }}, // no such value
            {"use before definition", [](kernel &k) { k.blocks[0].erase(k.blocks[0].begin()); }},
            {"use before definition", [](kernel &k) { k.blocks.push_back({k.blocks[0][4]}); }},
            {"missing source", [](kernel &k) { k.blocks[0][3].a = -1; }},
            {"missing source", [](kernel &k) { k.blocks[0][4].a = -1; }},
            {"wrong number of sources", [](kernel &k) { k.blocks[0][2].b = -1; }},
            {"wrong number of sources", [](kernel &k) { k.blocks[0][3].b = 0; }},
            {"result out of range", [](kernel &k) { k.blocks[0][1].out = -1; }},
            {"result out of range", [](kernel &k) { k.n_values = 3; }},
            {"value defined twice", [](kernel &k) { k.blocks[0][1].out = 0; }},
            {"chunks do not fill the vector", [](kernel &k) { k.blocks[0][1].chunks.clear(); }},
            {"chunks do not fill the vector", [](kernel &k) { k.blocks[0][1].unit_bytes = 16; }},
            {"chunks do not fill the vector", [](kernel &k) { k.blocks[0][4].unit_bytes = 0; }},
            {"mask beyond its chunk", [](kernel &k) { k.blocks[0][1].chunks[1].mask = 0x100; }},
            {"mask beyond its chunk", [](kernel &k) { k.blocks[0][4].chunks[0].mask = 0x10000; }},
            {"unknown constant", [](kernel &k) { k.blocks[0][3].constant = 1; }},
            {"within16 crosses 16 bytes",
                    [](kernel &k) {
                        k.vector_bytes = 32;
                        k.blocks = {{make_load(0, 32, {{0, 0xffffffff}}),
                                make_indexed(op_kind::within16, 1, 0, -1, 0)}};
                    }},
            {"index beyond the sources", [](kernel &k) { k.constants[0][7] = 16; }},
            {"index beyond the sources",
                    [](kernel &k) {
                        k.constants[0][7] = 32;
                        k.blocks[0][3] = make_indexed(op_kind::permute2, 3, 2, 1, 0);
                    }},
            {"index beyond the sources", // zeros are within16's alone
                    [](kernel &k) {
                        k.constants[0][7] = zero_index;
                        k.blocks[0][3].kind = op_kind::permute;
                    }},
            {"shuffle of a scalar",
                    [](kernel &k) {
                        k.vector_bytes = 8;
                        k.blocks = {{make_load(0, 8, {{0, all8}}), make_unpack(1, 0, 0, 1, true)}};
                    }},
            {"loop without iterations", [](kernel &k) { k.root[0].count = 0; }},
            {"loop without iterations", [](kernel &k) { k.rest[0].count = -1; }},
            {"unknown block", [](kernel &k) { k.root[0].children[0].block = 1; }},
            {"unknown block", [](kernel &k) { k.rest[0].block = 7; }},
            {"empty loop", [](kernel &k) { k.root[0].children.clear(); }},
            {"empty loop", [](kernel &k) { k.rest[0].block = -1; }},
            {"block with a loop's parts", [](kernel &k) { k.root[0].children[0].count = 2; }},
            {"block with a loop's parts", [](kernel &k) { k.root[0].block = 0; }},
    };
    for (size_t i = 0; i < std::size(rows); i++) {
        kernel k = small_kernel();
        rows[i].damage(k);
        EXPECT_EQ(verify(k), rows[i].why) << "row " << i;
    }
}

// Processors fault at the first; into the caches it may be anywhere.
TEST(Verify, RefusesUnalignedStoresPastTheCaches) {
    struct {
        const char *why;
        std::function<void(kernel &)> damage;
    } rows[] = {
            {"unaligned store past the caches",
                    [](kernel &k) { k.blocks[0][5].chunks[0].offset_bytes = 8; }},
            {"unaligned step past the caches", [](kernel &k) { k.dst_step_bytes = 24; }},
            {"unaligned step past the caches", [](kernel &k) { k.root[0].dst_step_bytes = 8; }},
            {"unaligned step past the caches", [](kernel &k) { k.rest[0].dst_offset_bytes = 5; }},
    };
    for (size_t i = 0; i < std::size(rows); i++) {
        kernel k = streaming_kernel();
        rows[i].damage(k);
        EXPECT_EQ(verify(k), rows[i].why) << "row " << i;
        k.is_streaming = false;
        EXPECT_EQ(verify(k), "") << "row " << i;
    }
}

// ---------------------------------------------------------------- shuffles

std::vector<int> first(const byte_indices &indices, int n) {
    return std::vector<int>(indices.begin(), indices.begin() + n);
}

TEST(Shuffles, Unpack) {
    kernel k;
    k.vector_bytes = 16;
    EXPECT_EQ(first(indices_of(k, make_unpack(2, 0, 1, 1, false)), 16),
            (std::vector<int> {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23}));
    EXPECT_EQ(first(indices_of(k, make_unpack(2, 0, 1, 4, true)), 16),
            (std::vector<int> {8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31}));
    // In every 16 bytes of wider vectors.
    k.vector_bytes = 32;
    EXPECT_EQ(first(indices_of(k, make_unpack(2, 0, 1, 8, false)), 32),
            (std::vector<int> {0, 1, 2, 3, 4, 5, 6, 7, 32, 33, 34, 35, 36, 37, 38, 39, //
                    16, 17, 18, 19, 20, 21, 22, 23, 48, 49, 50, 51, 52, 53, 54, 55}));
}

TEST(Shuffles, Lanes128) {
    struct {
        int vector_bytes;
        lane_selector selector;
        std::vector<int> lanes; // of a, then those of b from vector_bytes / 16 on
    } rows[] = {
            {32, lane_selector::low_half, {0, 2}},
            {32, lane_selector::high_half, {1, 3}},
            {64, lane_selector::low_half, {0, 1, 4, 5}},
            {64, lane_selector::high_half, {2, 3, 6, 7}},
            {64, lane_selector::even, {0, 2, 4, 6}},
            {64, lane_selector::odd, {1, 3, 5, 7}},
    };
    for (const auto &r : rows) {
        kernel k;
        k.vector_bytes = r.vector_bytes;
        op o(op_kind::lanes128);
        o.selector = r.selector;
        const byte_indices indices = indices_of(k, o);
        for (int i = 0; i < r.vector_bytes; i++)
            EXPECT_EQ(indices[size_t(i)], r.lanes[size_t(i / 16)] * 16 + i % 16);
    }
}

// ---------------------------------------------------------------- interpreter

TEST(Interpreter, SmallKernel) {
    uint8_t src[512], dst[128];
    for (int i = 0; i < 512; i++)
        src[i] = uint8_t(i % 251 + 1);
    std::memset(dst, 0xee, sizeof dst);
    interpret(small_kernel(), src, dst, 1, true);

    uint8_t wanted[128];
    std::memset(wanted, 0xee, sizeof wanted);
    // One run of the block: the 8 bytes at `from`, each behind a zero, in falling order. The 8 at
    // from + 100 are in the register's upper half, which unpack_low drops.
    auto block = [&](int from, int to) {
        for (int i = 1; i < 16; i++) // byte 0 is masked off
            wanted[to + i] = i % 2 ? src[from + (15 - i) / 2] : 0;
    };
    block(0, 0);
    block(8, 16);
    block(200 + 3, 32 + 5);
    for (size_t i = 0; i < sizeof dst; i++)
        EXPECT_EQ(int(dst[i]), int(wanted[i])) << i;
}

TEST(Interpreter, RootCountAndRest) {
    kernel k; // copies a byte a step; the rest copies another one to a place of its own
    k.vector_bytes = 1;
    k.n_values = 1;
    k.blocks = {{make_load(0, 1, {{0, 1}}), make_store(0, 1, {{0, 1}})}};
    k.src_step_bytes = 2;
    k.dst_step_bytes = 1;
    k.root = {make_block(0)};
    k.rest = {make_block(0, 1, 3)};
    ASSERT_EQ(verify(k), "");
    const uint8_t src[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct {
        int64_t root_count;
        bool with_rest;
        std::vector<uint8_t> dst;
    } rows[] = {
            {0, false, {0, 0, 0, 0, 0, 0}},
            {2, false, {1, 3, 0, 0, 0, 0}},
            {2, true, {1, 3, 0, 0, 0, 6}},
            {0, true, {0, 0, 0, 2, 0, 0}},
    };
    for (const auto &r : rows) {
        std::vector<uint8_t> dst(6, 0);
        interpret(k, src, dst.data(), r.root_count, r.with_rest);
        EXPECT_EQ(dst, r.dst) << r.root_count << r.with_rest;
    }
}

TEST(Interpreter, MaskedLoadsReadZero) {
    kernel k;
    k.vector_bytes = 16;
    k.n_values = 1;
    k.blocks = {{make_load(0, 16, {{0, 0x00ff}}), make_store(0, 16, {{0, all16}})}};
    k.root = {make_block(0)};
    const uint8_t src[8] = {1, 2, 3, 4, 5, 6, 7, 8}; // no more than the mask allows
    uint8_t dst[16];
    std::memset(dst, 0xee, sizeof dst);
    interpret(k, src, dst, 1, false);
    EXPECT_EQ(std::memcmp(dst, src, 8), 0);
    EXPECT_EQ(std::count(dst + 8, dst + 16, 0), 8);
}

// ---------------------------------------------------------------- build

struct op_counts {
    int loads, shuffles, zeroes, stores;
};

op_counts count_ops(const block &ops) {
    op_counts n {};
    for (const op &o : ops)
        switch (o.kind) {
        case op_kind::load: n.loads++; break;
        case op_kind::store: n.stores++; break;
        case op_kind::zero: n.zeroes++; break;
        default: n.shuffles++; break;
        }
    return n;
}

kernel built(const move_problem &move, const machine &m, plan_mode mode = plan_mode::move) {
    const tfmt::cpu::plan p = planned(move, m, mode);
    EXPECT_EQ(p.kernels.size(), 1u);
    kernel k = build(p, p.kernels[0]);
    EXPECT_EQ(verify(k), "");
    return k;
}

void expect_counts(const block &ops, const op_counts &wanted) {
    const op_counts n = count_ops(ops);
    EXPECT_EQ(n.loads, wanted.loads);
    EXPECT_EQ(n.shuffles, wanted.shuffles);
    EXPECT_EQ(n.zeroes, wanted.zeroes);
    EXPECT_EQ(n.stores, wanted.stores);
}

TEST(Build, TransposeIsLoadsShufflesStores) {
    const kernel k = built(normalized({16, 16}, "ab", "ba", tfmt_f32), avx512());
    ASSERT_EQ(k.blocks.size(), 1u);
    expect_counts(k.blocks[0], {16, 48, 0, 16}); // loads bring halves of two rows
    const kernel halves = built(normalized({8, 8}, "ab", "ba", tfmt_f32), avx2());
    expect_counts(halves.blocks[0], {8, 24, 0, 8});
}

TEST(Build, DeadShufflesAreDropped) {
    // 3 channels: the fourth of the four registers is neither loaded nor stored, and stores of the
    // last pixels' rows that do not exist take no shuffle either.
    const kernel k = built(normalized({3, 6}, "ab", "ba", tfmt_f32), sse41());
    bool has_short_block = false;
    for (const block &ops : k.blocks) {
        const op_counts n = count_ops(ops);
        EXPECT_EQ(n.loads, 3);
        EXPECT_LE(n.stores, 4);
        if (n.stores == 2) {
            has_short_block = true;
            EXPECT_LT(n.shuffles, 8);
        }
    }
    EXPECT_TRUE(has_short_block);
}

// To lanes, their order, and back to 9 bytes: one shuffle for each load.
TEST(Build, ShufflesOfOneValueAreOne) {
    const kernel k = built(normalized({512, 3, 3}, "acb", "abc", tfmt_u8), avx512());
    for (const block &ops : k.blocks) {
        const op_counts n = count_ops(ops);
        EXPECT_EQ(n.shuffles, n.loads);
        EXPECT_EQ(n.stores, n.loads);
    }
}

// With 16 registers the steps of a short innermost loop are one block, up to 100 operations: 2 of
// 40 are, 4 are not, nor where registers are 32, but for a few operations. No block is left that no
// loop has.
TEST(Build, UnrollsShortLoopsOfSmallTiles) {
    const auto loads = [](tfmt_dim_t n_tiles, const machine &m) {
        const kernel k = built(normalized({64, 8, 8 * n_tiles}, "acb", "abc", tfmt_bf16), m);
        EXPECT_EQ(k.blocks.size(), 1u);
        EXPECT_EQ(verify(k), "");
        return count_ops(k.blocks[0]).loads;
    };
    EXPECT_EQ(loads(2, sse41()), 16);
    EXPECT_EQ(loads(4, sse41()), 8);
    machine more_registers = sse41();
    more_registers.n_vector_regs = 32;
    EXPECT_EQ(loads(1, more_registers), 8);
    EXPECT_EQ(loads(2, more_registers), 8);
    const kernel copies = built(normalized({1, 256, 68, 68}, "acdb", "aBdc24b", tfmt_s8), avx512());
    EXPECT_EQ(count_ops(copies.blocks[0]).loads, 2);
}

TEST(Build, PaddingIsZeroAndStoreOnly) {
    const kernel k = built(
            normalized({3, 20}, "aB16b", "aB16b", tfmt_f32), avx2(), plan_mode::padding_only);
    ASSERT_FALSE(k.blocks.empty());
    for (const block &ops : k.blocks) {
        const op_counts n = count_ops(ops);
        EXPECT_EQ(n.loads + n.shuffles, 0);
        EXPECT_EQ(n.zeroes, 1);
        EXPECT_GT(n.stores, 0);
    }
}

// Of a plan whose stores go past the caches.
void build_streamed(const move_problem &move, kernel *k, machine m = avx512()) {
    m.l3_bytes = 0;
    tfmt::cpu::plan p;
    ASSERT_TRUE(tfmt::cpu::make_streamed_plan(move, m, &p));
    *k = build(p, p.kernels[0]);
}

TEST(Build, StreamingIsPassedOn) {
    const move_problem move = normalized({16, 16}, "ab", "ba", tfmt_f32);
    kernel k;
    ASSERT_NO_FATAL_FAILURE(build_streamed(move, &k));
    EXPECT_TRUE(k.is_streaming);
    const tfmt::cpu::plan p = planned(move, avx512());
    EXPECT_FALSE(build(p, p.kernels[0]).is_streaming);
}

// Rows of 64 bytes that tiles write in two parts, and in four.
TEST(Build, StreamsWholeLinesInOneGo) {
    for (const machine &m : {avx2(), sse41()}) {
        kernel k;
        ASSERT_NO_FATAL_FAILURE(
                build_streamed(normalized({1, 32, 16, 16}, "acdb", "ABcd8a2b", tfmt_f32), &k, m));
        std::vector<int64_t> lines;
        for (const op &o : k.blocks[0])
            if (o.kind == op_kind::store) lines.push_back(o.chunks[0].offset_bytes / 64);
        ASSERT_GT(lines.size(), size_t(64 / m.vector_bytes)) << name_of(m); // of several lines
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        EXPECT_EQ(std::set<int64_t>(lines.begin(), lines.end()).size(), lines.size()) << name_of(m);
    }
}

// 16 rows of 64 bytes at each of the two distances, lines that both of them reach once.
TEST(Build, FetchesWhatTwoTilesRead) {
    tfmt::cpu::plan p = planned(normalized({1088, 1088}, "ab", "ba", tfmt_f32), avx512());
    const auto n_fetched = [&](int64_t distance_bytes, int64_t next_bytes) {
        p.prefetch_bytes = distance_bytes;
        p.prefetch_next_bytes = next_bytes;
        const kernel k = build(p, p.kernels[0]);
        size_t n = 0;
        for (const op &o : k.blocks[0])
            if (o.kind == op_kind::prefetch) n += o.chunks.size();
        return n;
    };
    ASSERT_EQ(n_fetched(256, 0), 16u);
    EXPECT_EQ(n_fetched(256, 320), 32u);
    EXPECT_EQ(n_fetched(256, 256 + 1088 * 4), 17u);
    EXPECT_EQ(n_fetched(0, 0), 0u);
}

// ---------------------------------------------------------------- text

using texts = std::vector<std::string>;

// What loads or stores move, by their order, as "offset+bytes".
texts chunks_of(const block &ops, op_kind kind) {
    texts all;
    for (const op &o : ops)
        if (o.kind == kind)
            for (const chunk &c : o.chunks)
                all.push_back(std::to_string(c.offset_bytes) + "+"
                        + std::to_string(__builtin_popcountll(c.mask)));
    return all;
}

texts widened(block ops, int max_bytes = 64) {
    widen_stores(ops, max_bytes);
    return chunks_of(ops, op_kind::store);
}

TEST(WidenStores, OverWhatLaterOnesStore) {
    const uint64_t nine = low_bits(9);
    // Rows side by side, in any order: all but the last.
    EXPECT_EQ(widened({make_store(0, 16, {{18, nine}}), make_store(1, 16, {{0, nine}}),
                      make_store(2, 16, {{9, nine}})}),
            (texts {"0+16", "9+16", "18+9"}));
    // Rows that share registers, whose order stays: 9 comes behind 0, but 18 before it.
    EXPECT_EQ(widened({make_store(0, 16, {{0, nine}, {18, nine}}),
                      make_store(1, 16, {{9, nine}, {27, nine}})}),
            (texts {"0+16", "18+16", "9+9", "27+9"}));
    // Several short rows together cover what one is widened by.
    EXPECT_EQ(widened({make_store(0, 8, {{0, 0x1f}, {5, 0x3}}),
                      make_store(1, 8, {{7, 0x1}, {8, 0}})}),
            (texts {"0+8", "5+2", "7+1", "8+0"}));
    EXPECT_EQ(widened({make_store(0, 32, {{0, low_bits(25)}}),
                      make_store(1, 32, {{25, low_bits(25)}})}),
            (texts {"0+32", "25+25"}));
}

TEST(WidenStores, InTheOrderThatTheyHave) {
    const uint64_t nine = low_bits(9);
    block ascending = {make_store(0, 16, {{0, nine}}), make_store(1, 16, {{9, nine}})};
    EXPECT_TRUE(widen_stores_in_order(ascending, 64));
    EXPECT_EQ(chunks_of(ascending, op_kind::store), (texts {"0+16", "9+9"}));
    block descending = {make_store(0, 16, {{9, nine}}), make_store(1, 16, {{0, nine}})};
    EXPECT_FALSE(widen_stores_in_order(descending, 64));
    EXPECT_EQ(chunks_of(descending, op_kind::store), (texts {"9+9", "0+9"}));
}

TEST(OrderStoresByLines, OneBehindTheOther) {
    const uint64_t all = low_bits(32);
    const auto ordered = [](block ops) {
        order_stores_by_lines(ops);
        return chunks_of(ops, op_kind::store);
    };
    const auto store = [&](int value, int64_t at) { return make_store(value, 32, {{at, all}}); };
    // Two lines that take turns, of which the first is complete first.
    EXPECT_EQ(ordered({store(0, 32), store(1, 4096), store(2, 0), store(3, 4128)}),
            (texts {"0+32", "32+32", "4096+32", "4128+32"}));
    // Each where its last store was: the line from 4096 on before the other one.
    EXPECT_EQ(ordered({store(0, 0), store(1, 4096), store(2, 4128), store(3, 32)}),
            (texts {"4096+32", "4128+32", "0+32", "32+32"}));
    // One store of each: as they are.
    EXPECT_EQ(ordered({store(0, 192), store(1, 64), store(2, 32)}),
            (texts {"192+32", "64+32", "32+32"}));
}

TEST(OrderStoresByLines, KeepsWhatStoresNeed) {
    op zero(op_kind::zero);
    zero.out = 1;
    const uint64_t all = low_bits(32);
    block ops = {make_store(0, 32, {{0, all}}), make_store(0, 32, {{64, all}}), zero,
            make_store(1, 32, {{32, all}}), make_store(1, 32, {{96, all}})};
    order_stores_by_lines(ops);
    ASSERT_EQ(ops.size(), 5u);
    EXPECT_EQ(ops[0].kind, op_kind::zero);
    EXPECT_EQ(chunks_of(ops, op_kind::store), (texts {"0+32", "32+32", "64+32", "96+32"}));
    EXPECT_EQ(ops[1].a, 0);
    EXPECT_EQ(ops[2].a, 1);
}

// 9 bytes of c and d for each of 4 b, which are the steps of the innermost level: one block, all
// stores of which are whole but for those of the last b.
TEST(Build, MergesStepsOfShortRows) {
    const auto stores = [](const vec &dims, const machine &m) {
        const kernel k = built(normalized(dims, "cdba", "abcd", tfmt_u8), m);
        EXPECT_EQ(verify(k), "");
        size_t n_whole = 0, n_in_parts = 0;
        for (const op &o : k.blocks.back())
            if (o.kind == op_kind::store)
                for (const chunk &c : o.chunks)
                    (prefix_bytes(c.mask) == 16 ? n_whole : n_in_parts)++;
        return std::pair(n_whole, n_in_parts);
    };
    for (const machine &m : {avx2(), sse41()}) {
        const auto [n_whole, n_in_parts] = stores({320, 4, 3, 3}, m);
        EXPECT_GT(n_in_parts, 0u);
        EXPECT_EQ(n_whole, 3 * n_in_parts);
    }
}

TEST(WidenStores, NotElsewhere) {
    const uint64_t nine = low_bits(9);
    // Gaps between rows, rows behind each other that are too short, and bytes of no one.
    EXPECT_EQ(widened({make_store(0, 16, {{0, nine}}), make_store(1, 16, {{10, nine}})}),
            (texts {"0+9", "10+9"}));
    EXPECT_EQ(widened({make_store(0, 16, {{0, nine}}), make_store(1, 16, {{9, low_bits(6)}})}),
            (texts {"0+9", "9+6"}));
    // What is widened itself has not stored what lies behind it.
    EXPECT_EQ(widened({make_store(0, 16, {{0, nine}}), make_store(1, 8, {{9, 0x7}}),
                      make_store(2, 4, {{12, 0x1}})}),
            (texts {"0+9", "9+4", "12+1"}));
    // Masks that are no beginning of a chunk.
    EXPECT_EQ(widened({make_store(0, 16, {{0, nine << 1}}), make_store(1, 16, {{9, 0xffff}})}),
            (texts {"0+9", "9+16"}));
    // Not beyond a chunk, and stores of whole powers of two stay in their order.
    EXPECT_EQ(widened({make_store(0, 8, {{8, 0xff}}), make_store(1, 8, {{0, 0xf}})}),
            (texts {"8+8", "0+4"}));
    // Nor beginnings that are longer than asked for, which leave the order as well.
    const block rows {make_store(0, 16, {{9, nine}}), make_store(1, 16, {{0, nine}})};
    EXPECT_EQ(widened(rows, 9), (texts {"0+16", "9+9"}));
    EXPECT_EQ(widened(rows, 8), (texts {"9+9", "0+9"}));
}

TEST(WidenLoads, UpToWhatIsReadBehindThem) {
    const auto widened = [](block ops, const std::vector<size_t> &free, bool has_gaps = true) {
        widen_loads(ops, free, has_gaps);
        return chunks_of(ops, op_kind::load);
    };
    const uint64_t seven = low_bits(7);
    // In any order, and over what lies between, but nothing behind the last.
    EXPECT_EQ(widened({make_load(0, 8, {{40, seven}, {0, seven}}),
                              make_load(1, 8, {{7, seven}, {20, seven}})},
                      {0, 1}),
            (texts {"40+7", "0+8", "7+8", "20+8"}));
    // The other load counts, but its zeros are wanted.
    EXPECT_EQ(widened({make_load(0, 8, {{0, seven}}), make_load(1, 8, {{8, seven}})}, {0}),
            (texts {"0+8", "8+7"}));
    EXPECT_EQ(widened({make_load(0, 8, {{0, seven}}), make_load(1, 8, {{8, seven}})}, {1}),
            (texts {"0+7", "8+7"}));
    // Byte 7 lies in the page of byte 6 or in that of byte 4101, of byte 4102 it need not.
    EXPECT_EQ(
            widened({make_load(0, 8, {{0, seven}}), make_load(1, 1, {{4101, 1}})}, {0})[0], "0+8");
    EXPECT_EQ(
            widened({make_load(0, 8, {{0, seven}}), make_load(1, 1, {{4102, 1}})}, {0})[0], "0+7");
    // But it is the source's if that has no gaps.
    const block far_apart {make_load(0, 8, {{0, seven}}), make_load(1, 8, {{4102, seven}})};
    EXPECT_EQ(widened(far_apart, {0, 1}, false), (texts {"0+8", "4102+7"}));
    // Seven bytes more, of which the last one must not lie behind all that is read.
    EXPECT_EQ(widened({make_load(0, 16, {{0, low_bits(9)}}), make_load(1, 1, {{14, 1}})}, {0})[0],
            "0+9");
    EXPECT_EQ(widened({make_load(0, 16, {{0, low_bits(9)}}), make_load(1, 1, {{15, 1}})}, {0})[0],
            "0+16");
}

// 3 of 8 bytes are read with what lies between them, and a shuffle leaves zeros.
TEST(WidenLoads, HolesThatBecomeZeros) {
    const auto text_of_block = [](const char *src_tag, const machine &m) {
        const tfmt::cpu::plan p = planned(normalized({1, 3, 8, 8}, src_tag, "aBcd4b", tfmt_u8), m);
        return to_text(build(p, p.kernels[0]));
    };
    const std::string narrow = text_of_block("aBcd8b", sse41());
    EXPECT_NE(narrow.find("c0 = 0 1 2 128 "), std::string::npos) << narrow;
    // With masks 16 bytes and more have none to fill, shorter chunks have.
    const std::string wide = text_of_block("aBcd8b", avx512());
    EXPECT_EQ(wide.find(" 128 "), std::string::npos) << wide;
    const std::string apart = text_of_block("aBcd32b", avx512());
    EXPECT_NE(apart.find("c0 = 0 1 2 128 "), std::string::npos) << apart;
}

// Rows of 9 bytes; of machines that have masks for them only where little is moved.
TEST(WidenStores, OfShortRows) {
    const auto n_wide = [](const machine &m, dim_t n_rows = 96) {
        const tfmt::cpu::plan p = planned(normalized({n_rows, 3, 3}, "bca", "abc", tfmt_u8), m);
        int n = 0;
        for (const auto &spec : p.kernels)
            for (const block &b : build(p, spec).blocks)
                for (const op &o : b)
                    for (const chunk &c : o.chunks)
                        n += o.kind == op_kind::store && c.mask == all16;
        return n;
    };
    EXPECT_GT(n_wide(avx2()), 0);
    EXPECT_GT(n_wide(sse41()), 0);
    EXPECT_GT(n_wide(avx512()), 0);
    const dim_t enough = tfmt::cpu::tuning::max_moved_bytes_of_widened_masks / 9;
    EXPECT_GT(n_wide(sse41(), enough), 0);
    EXPECT_EQ(n_wide(avx512(), enough), 0);
}

// 3 channels of 16 pixels: three vectors on either side, with any permutation of two registers.
TEST(Repack, ThreeChannelsAreThreeVectors) {
    for (const char *tag : {"abcd", "acdb"}) {
        const char *other = tag[1] == 'b' ? "acdb" : "abcd";
        const kernel k = built(normalized({1, 3, 16, 16}, tag, other, tfmt_f32), avx512());
        ASSERT_EQ(k.blocks.size(), 1u);
        expect_counts(k.blocks[0], {3, 6, 0, 3});
        EXPECT_LE(k.constants.size(), 6u); // none of the stages' own
        for (const op &o : k.blocks[0])
            for (const chunk &c : o.chunks)
                EXPECT_EQ(c.mask, low_bits(64));
    }
    // Bytes need VBMI.
    const auto bytes = normalized({1, 3, 16, 16}, "acdb", "abcd", tfmt_u8);
    expect_counts(built(bytes, avx512_vbmi()).blocks[0], {3, 6, 0, 3});
    EXPECT_GT(count_ops(built(bytes, avx512()).blocks[0]).shuffles, 6);
}

// Past the caches all of them are whole vectors, whatever that costs: 9 rows take 8 permutes each.
TEST(Repack, AlwaysWhereLinesAreStreamed) {
    kernel k;
    ASSERT_NO_FATAL_FAILURE(build_streamed(normalized({9, 4096}, "ab", "ba", tfmt_f32), &k));
    ASSERT_EQ(verify(k), "");
    for (const block &ops : k.blocks)
        expect_counts(ops, {9, 72, 0, 9});
}

// Of the kernel's one block, with elements of 8 bytes.
int repacked(kernel &k) { return repack(k.blocks[0], k.n_values, 8, false, 1, k); }

kernel pairs_kernel(std::vector<op> ops) {
    kernel k;
    k.vector_bytes = 16;
    k.n_values = 8;
    byte_indices others {}, turned {}, joined {};
    for (int i = 0; i < 16; i++) {
        turned[size_t(i)] = uint8_t((i + 8) % 16);
        joined[size_t(i)] = uint8_t(i + 8);
    }
    k.constants = {others, turned, joined};
    k.blocks = {std::move(ops)};
    return k;
}

TEST(Repack, GathersVectorsOfTheDestination) {
    // A pair that is turned round three times, and stored in halves with a zero between them.
    op zero(op_kind::zero);
    zero.out = 4;
    kernel k = pairs_kernel({make_load(0, 16, {{0, all16}}),
            make_indexed(op_kind::permute, 1, 0, -1, 1),
            make_indexed(op_kind::permute, 2, 1, -1, 1),
            make_indexed(op_kind::permute, 3, 2, -1, 1), zero, make_store(4, 16, {{8, all8}}),
            make_store(3, 16, {{0, all8}}), make_store(0, 16, {{16, all8}})});
    k.n_values = repacked(k);
    ASSERT_EQ(verify(k), "");
    expect_counts(k.blocks[0], {1, 1, 1, 2});
    k.root = {make_block(0)};
    const std::array<uint64_t, 2> src {5, 7};
    std::array<uint64_t, 4> dst {1, 1, 1, 1};
    interpret(k, src.data(), dst.data(), 1, false);
    EXPECT_EQ(dst, (std::array<uint64_t, 4> {7, 0, 5, 1}));
}

TEST(Repack, OnlyWhereThatCostsLess) {
    // One vector as it is; and one that is put together of halves, by one permute either way.
    kernel copy = pairs_kernel({make_load(0, 16, {{0, all16}}), make_store(0, 16, {{0, all16}})});
    EXPECT_EQ(repacked(copy), 0);
    kernel halves = pairs_kernel({make_load(0, 16, {{0, all16}}), make_load(1, 16, {{32, all16}}),
            make_indexed(op_kind::permute2, 2, 0, 1, 2), make_store(2, 16, {{0, all16}})});
    EXPECT_EQ(repacked(halves), 0);
    EXPECT_EQ(halves.constants.size(), 3u);
    EXPECT_EQ(halves.blocks[0].size(), 4u);
}

// Streamed vectors must be aligned: these two halves, together one, are not.
TEST(Repack, NotWhatWouldBeStreamedUnaligned) {
    const auto stored_from = [](int64_t at) {
        kernel k = pairs_kernel({make_load(0, 16, {{0, all8}}), make_load(1, 16, {{8, all8}}),
                make_store(0, 16, {{at, all8}}), make_store(1, 16, {{at + 8, all8}})});
        k.is_streaming = true;
        return k;
    };
    kernel aligned = stored_from(16), unaligned = stored_from(24);
    EXPECT_GT(repacked(aligned), 0);
    EXPECT_EQ(repacked(unaligned), 0);
    unaligned.scratch_bytes = 64; // where tiles store to that
    EXPECT_GT(repacked(unaligned), 0);
}

TEST(Repack, NotWhatIsNoWholeElementsApart) {
    // What costs less, until one half lies 12 bytes behind the other one.
    const auto with_second_at = [](int64_t at) {
        return pairs_kernel({make_load(0, 16, {{0, all8}}), make_load(1, 16, {{at, all8}}),
                make_store(0, 16, {{0, all8}}), make_store(1, 16, {{8, all8}})});
    };
    kernel together = with_second_at(8), apart = with_second_at(12);
    EXPECT_GT(repacked(together), 0);
    expect_counts(together.blocks[0], {1, 0, 0, 1});
    EXPECT_EQ(repacked(apart), 0);
}

// What costs less, if not of so many rows.
TEST(Repack, NotMuchOfManyRows) {
    const auto turned_rows = [](int n_rows, int row_bytes) { // to and fro
        kernel k;
        k.vector_bytes = 32;
        k.n_values = 3 * n_rows;
        byte_indices turned {};
        for (int i = 0; i < 32; i++)
            turned[size_t(i)] = uint8_t((i + 16) % 32);
        k.constants = {byte_indices {}, turned};
        k.blocks.emplace_back();
        for (int row = 0, v = 0; row < n_rows; row++, v += 3)
            for (const op &o : {make_load(v, 32, {{row * 64, low_bits(row_bytes)}}),
                         make_indexed(op_kind::permute, v + 1, v, -1, 1),
                         make_indexed(op_kind::permute, v + 2, v + 1, -1, 1),
                         make_store(v + 2, 32, {{row * 64, low_bits(row_bytes)}})})
                k.blocks[0].push_back(o);
        return k;
    };
    const auto most = int(tfmt::cpu::tuning::max_repacked_rows);
    kernel few = turned_rows(most, 32), many = turned_rows(most + 1, 32),
           short_ones = turned_rows(most + 1, 16);
    EXPECT_GT(repacked(few), 0);
    expect_counts(few.blocks[0], {most, 0, 0, most});
    EXPECT_EQ(repacked(many), 0);
    EXPECT_GT(repacked(short_ones), 0);
}

int n_of(const block &ops, op_kind kind) {
    return int(std::count_if(ops.begin(), ops.end(), [&](const op &o) { return o.kind == kind; }));
}

bool stores_whole_vectors(const block &ops) {
    return std::all_of(ops.begin(), ops.end(), [](const op &o) {
        return o.kind != op_kind::store
                || std::all_of(o.chunks.begin(), o.chunks.end(),
                        [&](const chunk &c) { return c.mask == all16 && o.unit_bytes == 16; });
    });
}

// Machines without masks: each 16 bytes are gathered from two or three values.
TEST(Gather, ThreeChannelsAreThreeVectors) {
    const auto move = normalized({1, 3, 4, 4}, "abcd", "acdb", tfmt_u8);
    const kernel k = built(move, sse41());
    ASSERT_EQ(k.blocks.size(), 1u);
    expect_counts(k.blocks[0], {3, 2 + 7 + 4, 0, 3});
    EXPECT_EQ(n_of(k.blocks[0], op_kind::merge), 4);
    EXPECT_TRUE(stores_whole_vectors(k.blocks[0]));
    EXPECT_EQ(n_of(built(move, avx512()).blocks[0], op_kind::merge), 0); // which has masks
}

// Both halves of wider vectors do the same.
TEST(Gather, EveryLaneOfAVector) {
    const kernel k = built(normalized({1, 3, 8, 4}, "abcd", "acdb", tfmt_u8), avx2());
    ASSERT_EQ(k.blocks.size(), 1u);
    ASSERT_EQ(k.vector_bytes, 32);
    expect_counts(k.blocks[0], {3, 2 + 7 + 4, 0, 3});
    for (const op &o : k.blocks[0]) {
        if (o.kind != op_kind::store) continue;
        ASSERT_EQ(o.chunks.size(), 2u);
        EXPECT_EQ(o.chunks[1].offset_bytes - o.chunks[0].offset_bytes, 48);
    }
}

// Of 9 rows 8 are exchanged, by 24 shuffles for 16 elements of each, and the ninth is left alone:
// 144 bytes are 9 vectors, each of the ninth row and one or two values that have 8.
TEST(Gather, NineRowsAreNineVectors) {
    for (const auto &m : {sse41(), avx2()}) {
        const kernel k = built(normalized({2, 64, 3, 3}, "acdb", "abcd", tfmt_u8), m);
        ASSERT_EQ(k.blocks.size(), 1u);
        const block &ops = k.blocks[0];
        expect_counts(ops, {9, 24 + 25 + 16, 0, 9});
        EXPECT_EQ(n_of(ops, op_kind::unpack), 24);
        EXPECT_TRUE(stores_whole_vectors(ops));
        EXPECT_LE(count_live(ops, k.n_values), 14);
    }
    // Not where elements of the source that lie side by side are rows apart.
    for (const block &ops :
            built(normalized({64, 2, 3, 3}, "cdba", "abcd", tfmt_u8), sse41()).blocks)
        EXPECT_EQ(n_of(ops, op_kind::merge), 0);
}

// Halves of 16 bytes that two values have, side by side in the destination.
kernel halves_kernel(std::vector<op> ops) {
    kernel k;
    k.vector_bytes = 16;
    k.n_values = 4;
    k.blocks = {std::move(ops)};
    return k;
}

TEST(Gather, TakesValuesAsTheyAreWhereTheyCan) {
    kernel k = halves_kernel({make_load(0, 16, {{0, all8}}), make_load(1, 16, {{32, all16}}),
            make_store(1, 16, {{8, all8}}), make_store(0, 16, {{0, all8}})});
    k.n_values = gather_stores(k.blocks[0], k.n_values, 1, 14, k);
    ASSERT_EQ(verify(k), "");
    expect_counts(k.blocks[0], {2, 2, 0, 1}); // zeros behind the first half: only the other moves
    k.root = {make_block(0)};
    const std::array<uint64_t, 6> src {5, 6, 7, 8, 9, 10};
    std::array<uint64_t, 3> dst {1, 1, 1};
    interpret(k, src.data(), dst.data(), 1, false);
    EXPECT_EQ(dst, (std::array<uint64_t, 3> {5, 9, 1}));
}

// The second byte of the first value is where another one belongs that the value has elsewhere.
TEST(Gather, NotAsItIsWhatMustMoveInPart) {
    kernel k = halves_kernel({make_load(0, 8, {{0, 1}, {8, 1}}), make_load(1, 16, {{16, all16}}),
            make_store(0, 8, {{0, 1}, {1, 1}}), make_store(1, 8, {{2, all8}, {10, 0x3f}})});
    k.n_values = gather_stores(k.blocks[0], k.n_values, 1, 14, k);
    ASSERT_EQ(verify(k), "");
    k.root = {make_block(0)};
    uint8_t src[32], dst[16], wanted[16];
    for (int i = 0; i < 32; i++)
        src[i] = uint8_t(i + 1);
    for (int i = 0; i < 16; i++)
        wanted[i] = i < 2 ? src[8 * i] : src[16 + i - 2];
    interpret(k, src, dst, 1, false);
    EXPECT_EQ(std::memcmp(dst, wanted, sizeof dst), 0);
}

// A column of a byte in each of four rows.
TEST(Gather, SingleElementsAreLoadedToWhereTheyAreStored) {
    const auto column = [] {
        return halves_kernel({make_load(0, 8, {{0, 1}, {20, 1}}),
                make_load(1, 8, {{10, 1}, {30, 1}}), make_unpack(2, 0, 1, 1, false),
                make_unpack(3, 0, 1, 1, true),
                make_store(2, 2, {{0, 3}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}),
                make_store(
                        3, 2, {{2, 3}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}})});
    };
    kernel k = column();
    k.n_values = gather_stores(k.blocks[0], k.n_values, 1, 14, k);
    ASSERT_EQ(verify(k), "");
    expect_counts(k.blocks[0], {1, 0, 0, 1});
    k.root = {make_block(0)};
    uint8_t src[31], dst[4];
    for (int i = 0; i < 31; i++)
        src[i] = uint8_t(i + 1);
    interpret(k, src, dst, 1, false);
    EXPECT_EQ(std::vector<uint8_t>(dst, dst + 4), (std::vector<uint8_t> {1, 11, 21, 31}));
    kernel merges = column(); // what is made otherwise is no longer in memory
    op merge(op_kind::merge);
    merge.out = 4;
    merge.a = 2;
    merge.b = 3;
    merges.n_values = 5;
    merges.blocks[0].insert(merges.blocks[0].begin() + 4, merge);
    merges.blocks[0][5].a = 4;
    gather_stores(merges.blocks[0], merges.n_values, 1, 14, merges);
    EXPECT_EQ(count_ops(merges.blocks[0]).loads, 2);
}

// What one lane loads, or moves, and another does not.
TEST(Gather, LanesThatLoadOrShuffleUnlike) {
    struct {
        const char *what;
        uint64_t first_mask, second_mask;
        int second_index; // of the byte that goes to the bottom of the second lane
    } rows[] = {{"alike", all8, all8, 17}, {"the first alone", all8, 0, 17},
            {"the second alone", 0, all8, 17}, {"another order", all8, all8, 18},
            {"single, alike", 2, 2, 17}, {"single, the first alone", 2, 0, 17},
            {"single, the second alone", 0, 2, 17}, {"single, zero in the second", 2, 2, 18}};
    for (const auto &row : rows) {
        kernel k;
        k.vector_bytes = 32;
        k.n_values = 3;
        byte_indices order {};
        for (int i = 0; i < 32; i++)
            order[size_t(i)] = uint8_t(i / 16 * 16 + (i + 1) % 16);
        order[16] = uint8_t(row.second_index);
        k.constants = {order};
        k.blocks = {{make_load(0, 16, {{0, row.first_mask}, {40, row.second_mask}}),
                make_load(1, 16, {{20, row.first_mask}, {60, row.second_mask}}),
                make_indexed(op_kind::within16, 2, 0, -1, 0),
                make_store(2, 16, {{0, 0x7f}, {32, 0x7f}}),
                make_store(1, 16, {{7, 0x3f}, {39, 0x3f}})}};
        k.root = {make_block(0)};
        uint8_t src[76], wanted[48] = {}, dst[48] = {};
        for (int i = 0; i < 76; i++)
            src[i] = uint8_t(i + 1);
        ASSERT_EQ(verify(k), "");
        interpret(k, src, wanted, 1, false);
        const int n = gather_stores(k.blocks[0], k.n_values, 1, 14, k);
        EXPECT_GT(n, 0) << row.what;
        k.n_values = std::max(k.n_values, n);
        ASSERT_EQ(verify(k), "") << row.what;
        interpret(k, src, dst, 1, false);
        EXPECT_EQ(std::memcmp(dst, wanted, sizeof dst), 0) << row.what;
    }
}

TEST(Gather, NotWhatGainsNothing) {
    const auto gathers = [](kernel k, int n_regs = 14) {
        const size_t n_constants = k.constants.size(), n_ops = k.blocks[0].size();
        if (gather_stores(k.blocks[0], k.n_values, 1, n_regs, k) > 0) return true;
        EXPECT_EQ(k.constants.size(), n_constants);
        EXPECT_EQ(k.blocks[0].size(), n_ops);
        return false;
    };
    const op first = make_load(0, 16, {{0, all16}}), second = make_load(1, 16, {{16, all16}});
    const auto halves = [&](int64_t at) {
        return halves_kernel(
                {first, second, make_store(0, 16, {{0, all8}}), make_store(1, 16, {{at, all8}})});
    };
    EXPECT_TRUE(gathers(halves(8)));
    EXPECT_FALSE(gathers(halves(8), 2)); // registers
    EXPECT_FALSE(gathers(halves(24)));   // apart
    EXPECT_FALSE(gathers(halves(4)));    // one over the other
    EXPECT_FALSE(gathers(halves_kernel({first, make_store(0, 16, {{0, all16}})}))); // whole
    EXPECT_FALSE(gathers(halves_kernel({first, make_store(0, 16, {{0, all8}})})));  // alone
}

// What the two lanes store must be as far apart in every store.
TEST(Gather, NotLanesThatDiffer) {
    const auto gathers = [](int64_t at, uint64_t mask) {
        kernel k = halves_kernel({make_load(0, 16, {{0, all16}, {64, all16}}),
                make_load(1, 16, {{16, all16}, {80, all16}}),
                make_store(0, 16, {{0, all8}, {32, all8}}),
                make_store(1, 16, {{8, all8}, {at, mask}})});
        k.vector_bytes = 32;
        return gather_stores(k.blocks[0], k.n_values, 1, 14, k) > 0;
    };
    EXPECT_TRUE(gathers(40, all8));
    EXPECT_FALSE(gathers(48, all8));
    EXPECT_FALSE(gathers(40, 0xf));
}

TEST(Text, OfEveryOperation) {
    kernel k = small_kernel();
    k.is_streaming = true;
    op lanes(op_kind::lanes128);
    lanes.out = 4;
    lanes.a = 1;
    lanes.b = 2;
    lanes.selector = lane_selector::even;
    op merged(op_kind::merge);
    merged.out = 7;
    merged.a = 5;
    merged.b = 6;
    k.n_values = 8;
    k.blocks[0].push_back(lanes);
    k.blocks[0].push_back(make_indexed(op_kind::permute, 5, 4, -1, 0));
    k.blocks[0].push_back(make_indexed(op_kind::permute2, 6, 4, 5, 0));
    k.blocks[0].push_back(merged);
    k.blocks.push_back({make_unpack(0, 1, 2, 8, true)});
    EXPECT_EQ(to_text(k),
            "kernel: vectors of 16 bytes, streaming stores\n"
            "  c0 = 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0\n"
            "  loop root_count src+=200 dst+=32\n"
            "    loop 2 src+=8 dst+=16\n"
            "      block 0\n"
            "  rest\n"
            "    at src+3 dst+5 block 0\n"
            "  block 0\n"
            "    v0 = zero\n"
            "    v1 = load.8 [0] [100]\n"
            "    v2 = unpack_low.1 v1 v0\n"
            "    v3 = within16 v2 c0\n"
            "    store.16 v3 -> [0]&0xfffe\n"
            "    v4 = lanes128.even v1 v2\n"
            "    v5 = permute v4 c0\n"
            "    v6 = permute2 v4 v5 c0\n"
            "    v7 = merge v5 v6\n"
            "  block 1\n"
            "    v0 = unpack_high.8 v1 v2\n");
}

TEST(Text, OfABuiltKernel) {
    // Vectors of 2: columns 0 and 1 in a step of the root, column 2 in the rest, where the other
    // half of what is loaded is masked off.
    const kernel k = built(normalized({2, 3}, "ab", "ba", tfmt_f64), sse41());
    EXPECT_EQ(to_text(k),
            "kernel: vectors of 16 bytes\n"
            "  loop root_count src+=16 dst+=32\n"
            "    block 0\n"
            "  rest\n"
            "    loop 1 src+=16 dst+=32\n"
            "      block 1\n"
            "  block 0\n"
            "    v0 = load.16 [0]\n"
            "    v1 = load.16 [24]\n"
            "    v2 = unpack_low.8 v0 v1\n"
            "    v3 = unpack_high.8 v0 v1\n"
            "    store.16 v2 -> [0]\n"
            "    store.16 v3 -> [16]\n"
            "  block 1\n"
            "    v0 = load.16 [0]&0xff\n"
            "    v1 = load.16 [24]&0xff\n"
            "    v2 = unpack_low.8 v0 v1\n"
            "    store.16 v2 -> [0]\n");
}

} // namespace
