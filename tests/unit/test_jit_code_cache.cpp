// SPDX-License-Identifier: Apache-2.0
// Machine code is made once for each kernel: by everything a kernel says, and by nothing else.
#include "cpu/jit/code_cache.hpp"

#include <functional>
#include <set>
#include <thread>

#include "common/status.hpp"
#include "common/to_string.hpp"
#include "cpu/generated.hpp"
#include "cpu/ir/content.hpp"
#include "tests/unit/ir_helpers.hpp"
#include "tests/unit/jit_helpers.hpp"

namespace {

using namespace plan_test;
using namespace tfmt::cpu;
namespace ir = tfmt::cpu::ir;
namespace jit = tfmt::cpu::jit;

ir::kernel built(const vec &dims, const std::string &src, const std::string &dst,
        const machine &m = avx2(), tfmt_data_type_t type = tfmt_f32) {
    const plan p = planned(normalized(dims, src, dst, type), m);
    return ir::build(p, p.kernels.at(0));
}

ir::words content_of(const ir::kernel &k) {
    ir::words content;
    ir::append_content(content, k);
    return content;
}

// Copies 16 bytes a step.
ir::kernel copy_kernel(int64_t src_step_bytes = 16) {
    ir::kernel k;
    k.vector_bytes = 16;
    k.src_step_bytes = src_step_bytes;
    k.dst_step_bytes = 16;
    k.n_values = 1;
    ir::op load(ir::op_kind::load), store(ir::op_kind::store);
    load.out = store.a = 0;
    load.unit_bytes = store.unit_bytes = 16;
    load.chunks = store.chunks = {{0, 0xffff}};
    k.blocks = {{load, store}};
    k.root.resize(1);
    k.root[0].block = 0;
    return k;
}

class CodeCache : public testing::Test {
protected:
    void SetUp() override { forget_all(); }
    void TearDown() override { forget_all(); }

    static void forget_all() {
        jit::set_code_capacity(0);
        jit::set_code_capacity(1024);
    }

    // How many kernels `make` assembles.
    template <typename Make>
    static int assembled_by(Make &&make) {
        const uint64_t before = jit::n_assembled();
        make();
        return int(jit::n_assembled() - before);
    }

    static int assembled_for(const ir::kernel &k, const machine &m = sse41()) {
        return assembled_by([&] { jit::compile({k}, m); });
    }
};

TEST_F(CodeCache, TheSameKernelIsAssembledOnce) {
    EXPECT_EQ(assembled_for(copy_kernel()), 1);
    EXPECT_EQ(assembled_for(copy_kernel()), 0);
    EXPECT_EQ(assembled_for(copy_kernel(32)), 1);
    EXPECT_EQ(assembled_for(copy_kernel()), 0);
    EXPECT_EQ(jit::code_cache_size(), 2);
}

TEST_F(CodeCache, EachMachineHasItsOwn) {
    const ir::kernel k = built({2, 16, 16}, "abc", "acb", sse41());
    for (const machine &m : {sse41(), avx2(), avx512(), avx512_vbmi()})
        EXPECT_EQ(assembled_for(k, m), 1) << plan_test::name_of(m);
    machine with_other_caches = sse41();
    with_other_caches.l2_bytes = with_other_caches.l3_bytes = 1 << 16;
    EXPECT_EQ(assembled_for(k, with_other_caches), 0);
    machine with_other_habits = avx512_vbmi(); // of which only two say what code is
    with_other_habits.has_slow_quotients = with_other_habits.fetches_stores_late = true;
    EXPECT_EQ(assembled_for(k, with_other_habits), 0);
    with_other_habits.has_slow_bf16_dots = true;
    EXPECT_EQ(assembled_for(k, with_other_habits), 1);
    with_other_habits.max_split_moved_bytes = 1;
    EXPECT_EQ(assembled_for(k, with_other_habits), 1);
    with_other_habits.max_split_moved_bytes = 2;
    EXPECT_EQ(assembled_for(k, with_other_habits), 0);
}

TEST_F(CodeCache, OnlyWhatIsMissingIsAssembled) {
    const std::vector<ir::kernel> two {copy_kernel(), copy_kernel(32)};
    EXPECT_EQ(assembled_for(two[1]), 1);
    std::vector<jit::kernel_code> codes;
    EXPECT_EQ(assembled_by([&] { codes = jit::compile(two, sse41()); }), 1);
    ASSERT_EQ(codes.size(), 2u);
    EXPECT_NE(codes[0].pages, codes[1].pages);
    EXPECT_EQ(codes[1].run, jit::compile({two[1]}, sse41())[0].run);
}

TEST_F(CodeCache, EqualKernelsOfOneCallAreAssembledOnce) {
    const ir::kernel a = copy_kernel(16), b = copy_kernel(32);
    for (const int capacity : {1024, 0}) {
        forget_all();
        jit::set_code_capacity(capacity);
        std::vector<jit::kernel_code> codes;
        EXPECT_EQ(assembled_by([&] { codes = jit::compile({a, b, a, b, b}, sse41()); }), 2);
        ASSERT_EQ(codes.size(), 5u);
        EXPECT_TRUE(codes[0] && codes[1]);
        EXPECT_NE(codes[0].run, codes[1].run);
        EXPECT_EQ(codes[2].run, codes[0].run);
        EXPECT_EQ(codes[3].run, codes[1].run);
        EXPECT_EQ(codes[4].run, codes[1].run);
        EXPECT_EQ(codes[4].size_bytes, codes[1].size_bytes);
        EXPECT_EQ(codes[4].pages, codes[1].pages);
    }
}

TEST_F(CodeCache, SharedCodeDoesWhatEachKernelSays) {
    if (!host_is(sse41())) GTEST_SKIP() << "no SSE4.1";
    std::vector<uint8_t> src(96), dst(48), wanted(48);
    for (size_t i = 0; i < src.size(); i++)
        src[i] = uint8_t(i + 1);
    for (int64_t step : {16, 32, 16}) {
        const auto codes = jit::compile({copy_kernel(step), copy_kernel(16)}, sse41());
        ir::interpret(copy_kernel(step), src.data(), wanted.data(), 3, false);
        codes[0].run(src.data(), dst.data(), 3, 0, nullptr);
        EXPECT_EQ(dst, wanted) << step;
        codes[1].run(src.data(), dst.data(), 3, 0, nullptr);
        EXPECT_EQ(dst, std::vector<uint8_t>(src.begin(), src.begin() + 48));
    }
}

TEST_F(CodeCache, ACapacityOf0KeepsNoneAndCodeInUseLivesOn) {
    if (!host_is(sse41())) GTEST_SKIP() << "no SSE4.1";
    const auto used = jit::compile({copy_kernel()}, sse41());
    jit::set_code_capacity(0);
    EXPECT_EQ(jit::code_cache_size(), 0);
    EXPECT_EQ(assembled_for(copy_kernel()), 1);
    EXPECT_EQ(assembled_for(copy_kernel()), 1);
    const std::vector<uint8_t> src(16, 7);
    std::vector<uint8_t> dst(16, 0);
    used[0].run(src.data(), dst.data(), 1, 0, nullptr);
    EXPECT_EQ(dst, src);
}

TEST_F(CodeCache, DropsWhatWasUsedLongestAgo) {
    jit::set_code_capacity(2);
    assembled_for(copy_kernel(16));
    assembled_for(copy_kernel(32));
    assembled_for(copy_kernel(16)); // now 32 is older
    assembled_for(copy_kernel(48));
    EXPECT_EQ(assembled_for(copy_kernel(16)), 0);
    EXPECT_EQ(assembled_for(copy_kernel(32)), 1);
    EXPECT_EQ(jit::code_cache_size(), 2);
}

TEST_F(CodeCache, ThreadsThatCompileTheSameAllGetItsCode) {
    std::vector<int64_t> steps;
    for (int64_t i = 1; i <= 20; i++)
        steps.push_back(16 * i);
    std::vector<std::vector<size_t>> sizes(4);
    std::vector<std::thread> threads;
    for (auto &mine : sizes)
        threads.emplace_back([&] {
            for (int64_t step : steps)
                mine.push_back(jit::compile({copy_kernel(step)}, sse41())[0].size_bytes);
        });
    for (std::thread &t : threads)
        t.join();
    for (const auto &mine : sizes)
        EXPECT_EQ(mine, sizes[0]);
    EXPECT_EQ(jit::code_cache_size(), int(steps.size()));
}

// A kernel in which every member of every structure is in use.
ir::kernel kernel_with_everything() {
    ir::kernel k = copy_kernel();
    k.scratch_bytes = 64;
    k.drains.push_back({false, {{64, 128, 192}}});
    k.fetched_base_bytes = 4096;
    k.fetched_lines = {{64, 2, 256, 3}};
    k.constants.push_back({});
    k.root[0].children.resize(1);
    k.rest = k.root;
    return k;
}

using change = std::function<void(ir::kernel &)>;

const std::vector<change> &all_changes() {
    static const std::vector<change> changes {
            [](ir::kernel &k) { k.vector_bytes++; },
            [](ir::kernel &k) { k.is_streaming = true; },
            [](ir::kernel &k) { k.claims_lines = true; },
            [](ir::kernel &k) { k.claimed_ahead_bytes = 64; },
            [](ir::kernel &k) { k.scratch_bytes++; },
            [](ir::kernel &k) { k.n_values++; },
            [](ir::kernel &k) { k.src_step_bytes++; },
            [](ir::kernel &k) { k.dst_step_bytes++; },
            [](ir::kernel &k) { k.drains.push_back(k.drains[0]); },
            [](ir::kernel &k) { k.drains[0].is_chained = true; },
            [](ir::kernel &k) { k.drains[0].runs.clear(); },
            [](ir::kernel &k) { k.drains[0].runs[0].scratch_offset_bytes++; },
            [](ir::kernel &k) { k.drains[0].runs[0].dst_offset_bytes++; },
            [](ir::kernel &k) { k.drains[0].runs[0].bytes++; },
            [](ir::kernel &k) { k.drains[0].runs[0].count++; },
            [](ir::kernel &k) { k.drains[0].runs[0].scratch_step_bytes++; },
            [](ir::kernel &k) { k.drains[0].runs[0].dst_step_bytes++; },
            [](ir::kernel &k) { k.fetched_base_bytes++; },
            [](ir::kernel &k) { k.chain.drain = 0; },
            [](ir::kernel &k) { k.chain.next_bytes++; },
            [](ir::kernel &k) {
                k.fetched_lines.push_back({0, 1, 0, 1});
            },
            [](ir::kernel &k) { k.fetched_lines[0].offset_bytes++; },
            [](ir::kernel &k) { k.fetched_lines[0].n_rows++; },
            [](ir::kernel &k) { k.fetched_lines[0].n_lines++; },
            [](ir::kernel &k) { k.fetched_lines[0].step_bytes++; },
            [](ir::kernel &k) { k.constants.push_back({}); },
            [](ir::kernel &k) { k.constants[0][63] = 1; },
            [](ir::kernel &k) { k.blocks.push_back({}); },
            [](ir::kernel &k) { k.blocks[0].pop_back(); },
            [](ir::kernel &k) { k.blocks[0][0].kind = ir::op_kind::zero; },
            [](ir::kernel &k) { k.blocks[0][0].is_high = true; },
            [](ir::kernel &k) { k.blocks[0][0].selector = ir::lane_selector::odd; },
            [](ir::kernel &k) { k.blocks[0][0].unit_bytes = 8; },
            [](ir::kernel &k) { k.blocks[0][0].out = 1; },
            [](ir::kernel &k) { k.blocks[0][0].a = 1; },
            [](ir::kernel &k) { k.blocks[0][0].a = 0x7fff; },
            [](ir::kernel &k) { k.blocks[0][0].a = 0xffff; },
            [](ir::kernel &k) { k.blocks[0][0].a = 0x10001; },
            [](ir::kernel &k) { k.blocks[0][0].b = 1; },
            [](ir::kernel &k) { k.blocks[0][0].constant = 1; },
            [](ir::kernel &k) {
                k.blocks[0][0].chunks.push_back({0, 0});
            },
            [](ir::kernel &k) { k.blocks[0][0].chunks[0].offset_bytes = -1; },
            [](ir::kernel &k) { k.blocks[0][0].chunks[0].offset_bytes = int64_t(1) << 40; },
            [](ir::kernel &k) { k.blocks[0][0].chunks[0].mask = 1; },
            [](ir::kernel &k) { k.blocks[0][0].chunks[0].mask |= uint64_t(1) << 63; },
            [](ir::kernel &k) { k.root.push_back({}); },
            [](ir::kernel &k) { k.rest.clear(); },
            [](ir::kernel &k) { k.rest[0].src_offset_bytes++; },
            [](ir::kernel &k) { k.root[0].src_offset_bytes++; },
            [](ir::kernel &k) { k.root[0].dst_offset_bytes++; },
            [](ir::kernel &k) { k.root[0].count++; },
            [](ir::kernel &k) { k.root[0].src_step_bytes++; },
            [](ir::kernel &k) { k.root[0].dst_step_bytes++; },
            [](ir::kernel &k) { k.root[0].block = 1; },
            [](ir::kernel &k) { k.root[0].step = ir::nest_step::fill; },
            [](ir::kernel &k) { k.root[0].drain = 0; },
            [](ir::kernel &k) { k.root[0].children.clear(); },
            [](ir::kernel &k) { k.root[0].children[0].count++; },
    };
    return changes;
}

// The links of a chain are counted by the caller.
TEST_F(CodeCache, ChainsOfAnyLengthShareCode) {
    machine m = avx512();
    m.l2_bytes = m.l3_bytes = 1 << 20;
    const auto chained = [&](dim_t n_rows) {
        const vec dims {n_rows, 60};
        const plan p = planned(
                normalized(by_strides(dims, {1, 50000}, tfmt_f32), by_tag(dims, "ab", tfmt_f32)),
                m);
        const ir::kernel k = ir::build(p, p.kernels.at(0));
        EXPECT_TRUE(k.chain);
        EXPECT_FALSE(k.rest.empty());
        return k;
    };
    EXPECT_EQ(assembled_for(chained(40001), m), 1);
    EXPECT_EQ(assembled_for(chained(40001 + 640), m), 0);
}

TEST(KernelContent, SaysEveryMember) {
    std::set<ir::words> seen {content_of(kernel_with_everything())};
    EXPECT_EQ(content_of(kernel_with_everything()), *seen.begin());
    for (size_t i = 0; i < all_changes().size(); i++) {
        ir::kernel k = kernel_with_everything();
        all_changes()[i](k);
        EXPECT_TRUE(seen.insert(content_of(k)).second) << "change " << i;
    }
}

// Numbers that take one word and numbers that take three must not read as each other.
TEST(KernelContent, NumbersOfAnySizeDiffer) {
    std::set<ir::words> seen;
    const int64_t two_31 = int64_t(1) << 31;
    const std::vector<int64_t> numbers {0, 1, -1, two_31 - 1, two_31, two_31 + 1, -two_31,
            -two_31 - 1, 1 - two_31, 2 * two_31, INT64_MAX, INT64_MIN};
    for (int64_t a : numbers)
        for (int64_t b : numbers) {
            ir::kernel k;
            k.src_step_bytes = a;
            k.dst_step_bytes = b;
            EXPECT_TRUE(seen.insert(content_of(k)).second) << a << " " << b;
        }
}

// Kernels of real plans: equal content if and only if equal text, which says all a kernel does.
TEST(KernelContent, IsTheSameWhereTheTextIs) {
    std::set<std::pair<std::string, ir::words>> pairs;
    std::set<std::string> texts;
    std::set<ir::words> contents;
    for (dim_t n = 1; n <= 12; n++)
        for (const auto &[src, dst] : std::vector<std::pair<std::string, std::string>> {
                     {"abc", "acb"}, {"abc", "aBc16b"}, {"abc", "bac"}}) {
            const ir::kernel k = built({n, 33, 20}, src, dst);
            pairs.insert({ir::to_text(k), content_of(k)});
            texts.insert(ir::to_text(k));
            contents.insert(content_of(k));
        }
    EXPECT_EQ(pairs.size(), texts.size());
    EXPECT_EQ(pairs.size(), contents.size());
    EXPECT_LT(pairs.size(), 36u); // some of them are the same kernel
}

// Shapes of one layout family: format strings with one size each, sizes first, first + step, ...
struct family {
    std::string src, dst;
    int first, step;
    int n_kernels; // of 20 sizes
};

std::string with_size(std::string text, int size) {
    for (size_t at; (at = text.find('#')) != std::string::npos;)
        text.replace(at, 1, std::to_string(size));
    return text;
}

class Families : public CodeCache, public testing::WithParamInterface<machine> {};

TEST_P(Families, CompileAsOftenAsTheDesignSays) {
    const machine m = GetParam();
    const std::vector<family> families {
            // The batch is the outermost loop, whose count is an argument. All of it is in L2:
            // the order in which larger tensors are written is another kernel's.
            {"f32:abcd:#x32x7x14", "f32:acdb:#x32x7x14", 2, 1, 1},
            {"f32:abcd:#x40x7x7", "f32:aBcd16b:#x40x7x7", 2, 1, 1},
            {"f32:aBcd16b:#x40x7x7", "f32:abcd:#x40x7x7", 2, 1, 1},
            {"u8:abcd:#x3x32x32", "u8:acdb:#x3x32x32", 2, 1, 1},
            {"f32:abcd:#x16x8x32", "f32:acbd:#x16x8x32", 2, 1, 1},
            {"f32:ab:#x100:s200x1", "f32:ab:#x100", 2, 1, 1},
            // Whole blocks of weights; then also each number of rows in the last block.
            {"f32:abcd:#x32x3x3", "f32:ABcd16b16a:#x32x3x3", 32, 16, 1},
            {"f32:abcd:#x32x3x3", "f32:ABcd16b16a:#x32x3x3", 33, 1, 16},
            // Dims that the strides within a tile follow from.
            {"f32:abcd:2x64x#x14", "f32:acdb:2x64x#x14", 2, 1, 20},
            {"f32:ab:#x256", "f32:ba:#x256", 2, 1, 20},
    };
    for (const family &f : families) {
        forget_all();
        const int n = assembled_by([&] {
            for (int i = 0; i < 20; i++) {
                const int size = f.first + i * f.step;
                const memory_desc src = tfmt::parse_desc(with_size(f.src, size).c_str());
                const memory_desc dst = tfmt::parse_desc(with_size(f.dst, size).c_str());
                std::string why;
                EXPECT_TRUE(make_generated(tfmt::make_problem(src, dst), plan_mode::move, m, &why))
                        << why;
            }
        });
        EXPECT_EQ(n, f.n_kernels) << f.src << " -> " << f.dst;
    }
}

INSTANTIATE_TEST_SUITE_P(
        Machines, Families, testing::Values(sse41(), avx2(), avx512_vbmi()), test_name_of);

} // namespace
