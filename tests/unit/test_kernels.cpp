// SPDX-License-Identifier: Apache-2.0
// Every stage between a problem and memory, against the oracle: the portable path, the plan and its
// IR under the interpreter, for machines of every ISA, and the machine code of those the host has.
#include <gtest/gtest.h>

#include <cstring>

#include "common/normalize.hpp"
#include "common/reorder_problem.hpp"
#include "cpu/exec/driver.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/plan/plan.hpp"
#include "cpu/ref/portable.hpp"
#include "support/check_reorder.hpp"
#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"
#include "support/random_desc.hpp"
#ifdef TENSORFMT_HAVE_JIT
#include "cpu/jit/compile.hpp"
#endif

namespace {

using namespace tfmt;
using namespace tfmt::cpu;
using tfmt_test::guarded_buffer;
using tfmt_test::placement;

struct named_machine {
    const char *name;
    tfmt_cpu_isa_t isa;
    bool has_vbmi;
    int vector_bytes;
    int n_vector_regs;
};

const named_machine machines[] = {
        {"sse41", tfmt_cpu_isa_sse41, false, 16, 16},
        {"avx2", tfmt_cpu_isa_avx2, false, 32, 16},
        {"avx512_core", tfmt_cpu_isa_avx512_core, false, 64, 32},
        {"avx512_core_vbmi", tfmt_cpu_isa_avx512_core_vbmi, true, 64, 32},
};

// Without an L2 loops are cut into blocks; without any cache the blocks are staged, and aligned
// destinations streamed.
enum class caches { all, no_l2, none };

machine make_machine(const named_machine &n, caches has) {
    machine m;
    if (has != caches::all) m.l2_bytes = 0;
    if (has == caches::none) m.l3_bytes = 0;
    m.isa = n.isa;
    m.has_two_source_permutes = n.n_vector_regs == 32;
    m.has_vbmi = n.has_vbmi;
    m.vector_bytes = n.vector_bytes;
    m.n_vector_regs = n.n_vector_regs;
    return m;
}

const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64, tfmt_s4};

struct test_case {
    tfmt_data_type_t type;
    tfmt_test::random_desc src, dst;
    std::string text() const { return src.recipe + "\n  -> " + dst.recipe; }
};

test_case random_case(tfmt_test::random_source &random, int64_t max_elements) {
    const tfmt_data_type_t type = types[random.below(5)];
    const tfmt_test::dims dims = tfmt_test::random_dims(random, max_elements, false);
    return {type, make_random_desc(random, dims, type, tfmt_test::role::src, max_elements * 64),
            make_random_desc(random, dims, type, tfmt_test::role::dst, max_elements * 64)};
}

// Inner extents that are short and odd on both sides, so that vectors hold several of them; an
// outer one long enough for blocks, which may end in a tail.
test_case short_inner_case(tfmt_test::random_source &random) {
    const tfmt_data_type_t type = types[random.below(4)];
    const tfmt_test::dims dims {random.between(1, 120), random.between(0, 7) * 2 + 1,
            random.between(1, 24), random.one_in(2) ? 1 : 3};
    std::string tags[2] {"abcd", "abcd"};
    for (std::string &tag : tags) {
        for (size_t i = 4; i > 1; i--)
            std::swap(tag[i - 1], tag[size_t(random.below(int64_t(i)))]);
        if (!random.one_in(4)) continue;
        const char letter = tag[0]; // blocks of the outermost: tails, and padding of a destination
        tag[0] = char(letter - 'a' + 'A');
        tag += std::to_string(random.between(2, 16)) + letter;
    }
    const std::string text = tfmt_test::dims_text(dims) + " tag ";
    return {type, {tfmt_test::make_with_tag(dims, type, tags[0]), text + tags[0]},
            {tfmt_test::make_with_tag(dims, type, tags[1]), text + tags[1]}};
}

// What one way of executing leaves in a destination, between guard pages.
class execution {
public:
    execution(const memory_desc &src, const memory_desc &dst, uint64_t seed)
        : dst_md_(dst),
          has_caches_(seed % 4 < 2        ? caches::all
                          : seed % 4 == 2 ? caches::no_l2
                                          : caches::none),
          is_aligned_(seed % 8 == 3),
          align_(is_aligned_ ? 64 : tfmt_data_type_size(dst.data_type)),
          src_(size_bytes(src), seed % 2 ? placement::at_end : placement::at_start, align_),
          expected_(size_bytes(dst), placement::at_end, align_),
          where_(seed % 3 ? placement::at_end : placement::at_start) {
        tfmt_test::fill_src(src_, src.data_type, dst.data_type, seed);
    }

    template <typename Run>
    std::string differs(Run &&run) {
        guarded_buffer actual(expected_.size(), where_, align_);
        run(src_.data(), actual.data());
        if (!actual.slack_is_intact()) return "wrote outside the destination";
        return tfmt_test::compare_bytes(tfmt_test::read_layout(&dst_md_), actual.data(),
                expected_.data(), int64_t(expected_.size()));
    }

    caches has_caches() const { return has_caches_; }
    // Whether the destination may be streamed to.
    bool is_aligned() const { return is_aligned_; }
    const void *src() const { return src_.data(); }
    void *expected() const { return expected_.data(); }

private:
    const memory_desc &dst_md_;
    const caches has_caches_;
    const bool is_aligned_;
    const size_t align_;
    guarded_buffer src_;
    guarded_buffer expected_;
    placement where_;
};

// Runs a plan with the interpreter or with machine code.
void run_plan(const plan &p, const std::vector<ir::kernel> &kernels, bool as_code, const void *src,
        void *dst) {
#ifdef TENSORFMT_HAVE_JIT
    std::vector<jit::executable> code;
    if (as_code)
        for (const ir::kernel &k : kernels) {
            const std::vector<uint8_t> bytes = jit::assemble(k, p.target);
            code.emplace_back(bytes.data(), bytes.size());
        }
#endif
    const char *s = static_cast<const char *>(src);
    char *d = static_cast<char *>(dst);
    const driver calls(p);
    int64_t scratch_bytes = 0;
    for (const ir::kernel &k : kernels)
        scratch_bytes = std::max(scratch_bytes, k.scratch_bytes);
    guarded_buffer scratch(scratch_bytes, placement::at_end, 64);
    int n_calls = 0;
    auto call = [&](const kernel_call &c) {
        // A call may be the first one of its thread.
        std::memset(scratch.data(), ++n_calls, size_t(scratch_bytes));
        if (!as_code)
            ir::interpret(kernels[size_t(c.kernel)], s + c.src_offset, d + c.dst_offset,
                    c.root_count, c.with_rest);
#ifdef TENSORFMT_HAVE_JIT
        else
            reinterpret_cast<jit::kernel_fn>(
                    reinterpret_cast<uintptr_t>(code[size_t(c.kernel)].entry()))(
                    s + c.src_offset, d + c.dst_offset, c.root_count, c.with_rest, scratch.data());
#endif
    };
    // In two ranges, as two threads would.
    calls.run(0, calls.n_items() / 2, call);
    calls.run(calls.n_items() / 2, calls.n_items(), call);
}

class KernelsOn : public testing::TestWithParam<named_machine> {
protected:
    bool host_can_execute() const {
#ifdef TENSORFMT_HAVE_JIT
        const isa_info host = describe(GetParam().isa);
        return host.isa == GetParam().isa && (host.has_vbmi || !GetParam().has_vbmi);
#else
        return false;
#endif
    }

    // Plans and runs `p`; "" if everything left what the oracle did.
    std::string check(const reorder_problem &p, plan_mode mode, execution &e, bool with_code) {
        move_problem move;
        std::string why;
        if (!normalize(p, &move, &why)) return p.src_elem_bits == 4 ? "" : "not normalized: " + why;
        const machine m = make_machine(GetParam(), e.has_caches());
        plan pl;
        if (!make_plan(move, m, mode, &pl, &why)) return "not planned: " + why;
        std::string wrong = check_plan(pl, e, with_code);
        if (wrong.empty() && mode == plan_mode::move && e.is_aligned()
                && make_streamed_plan(move, m, &pl))
            wrong = check_plan(pl, e, with_code);
        return wrong.empty() ? "" : wrong + "\n" + to_text(p) + to_text(move) + to_text(pl);
    }

    std::string check_plan(const plan &pl, execution &e, bool with_code) {
        n_planned_++;
        n_streamed_ += pl.stores == store_path::streamed;
        n_staged_ += pl.stores == store_path::staged;
        n_chained_ += pl.scratch.is_chained;
        n_packed_ += is_src_packed(pl.the_tile, pl.the_tile.src_run)
                || is_dst_packed(pl.the_tile, pl.the_tile.dst_run);
        std::vector<ir::kernel> kernels;
        for (const kernel_spec &spec : pl.kernels) {
            kernels.push_back(ir::build(pl, spec));
            const std::string malformed = ir::verify(kernels.back());
            if (!malformed.empty()) return "malformed IR: " + malformed;
#ifdef TENSORFMT_HAVE_JIT
            jit::assemble(kernels.back(), pl.target);
#endif
        }
        for (bool as_code : {false, true}) {
            if (as_code && !with_code) continue;
            const std::string wrong = e.differs(
                    [&](const void *s, void *d) { run_plan(pl, kernels, as_code, s, d); });
            if (!wrong.empty()) return (as_code ? "machine code: " : "interpreter: ") + wrong;
        }
        return "";
    }

    int n_planned_ = 0;
    int n_streamed_ = 0;
    int n_staged_ = 0;
    int n_chained_ = 0;
    int n_packed_ = 0;
};

TEST_P(KernelsOn, RandomReorders) {
    const bool with_code = host_can_execute();
    const int n_cases = tfmt_test::scaled(1500);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 7919 + 1);
        const test_case c = random_case(random, i % 10 ? 3000 : 40000);
        execution e(*c.src.md, *c.dst.md, uint64_t(i));
        tfmt_test::oracle_reorder(c.src.md.get(), e.src(), c.dst.md.get(), e.expected());
        const std::string wrong = check(
                make_problem(*c.src.md, *c.dst.md), plan_mode::move, e, with_code);
        ASSERT_EQ(wrong, "") << "case " << i << ": " << c.text();
    }
    EXPECT_GT(n_planned_, n_cases / 2);
    EXPECT_GT(n_streamed_, 0);
    EXPECT_GT(n_staged_, 0);
    EXPECT_GT(n_chained_, 0);
    if (!with_code)
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

TEST_P(KernelsOn, ShortInnerExtents) {
    const bool with_code = host_can_execute();
    const int n_cases = tfmt_test::scaled(300);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 6151 + 3);
        const test_case c = short_inner_case(random);
        execution e(*c.src.md, *c.dst.md, uint64_t(i));
        tfmt_test::oracle_reorder(c.src.md.get(), e.src(), c.dst.md.get(), e.expected());
        const std::string wrong = check(
                make_problem(*c.src.md, *c.dst.md), plan_mode::move, e, with_code);
        ASSERT_EQ(wrong, "") << "case " << i << ": " << c.text();
    }
    EXPECT_GT(n_packed_, 0);
    EXPECT_GT(n_staged_, 0);
}

// Blocks of the source end runs of the destination that chains of drains had begun, and leave
// chains of a single drain of a few bytes.
TEST_P(KernelsOn, TailsOfChains) {
    const bool with_code = host_can_execute();
    uint64_t seed = 3; // of those that have no caches: with and without alignment in turn
    for (tfmt_data_type_t type : {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64})
        for (int64_t tail : {1, 3, 8, 15, 31, 33, 63}) {
            const tfmt_test::dims dims {512 + tail, 70};
            const auto src = tfmt_test::make_with_tag(dims, type, "AB512a64b");
            const auto dst = tfmt_test::make_with_tag(dims, type, "ba");
            execution e(*src, *dst, seed += 4);
            tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
            const std::string wrong = check(
                    make_problem(*src, *dst), plan_mode::move, e, with_code);
            ASSERT_EQ(wrong, "") << tfmt_test::dims_text(dims) << ", type " << int(type);
        }
    EXPECT_GT(n_chained_, 0);
}

TEST_P(KernelsOn, RandomPadding) {
    const bool with_code = host_can_execute();
    const int n_cases = tfmt_test::scaled(700);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 104729 + 5);
        const test_case c = random_case(random, 5000);
        const memory_desc &md = *c.dst.md;
        execution e(md, md, uint64_t(i));
        tfmt_test::oracle_zero_pad(tfmt_test::read_layout(&md), e.expected());
        const std::string wrong = check(
                make_padding_problem(md), plan_mode::padding_only, e, with_code);
        ASSERT_EQ(wrong, "") << "case " << i << ": " << c.dst.recipe;
    }
    if (!with_code)
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

INSTANTIATE_TEST_SUITE_P(Machines, KernelsOn, testing::ValuesIn(machines),
        [](const testing::TestParamInfo<named_machine> &info) {
            return std::string(info.param.name);
        });

TEST(PortablePath, RandomReorders) {
    const int n_cases = tfmt_test::scaled(2000);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 7919 + 1);
        const test_case c = random_case(random, 3000);
        execution e(*c.src.md, *c.dst.md, uint64_t(i));
        tfmt_test::oracle_reorder(c.src.md.get(), e.src(), c.dst.md.get(), e.expected());
        const ref::portable code(make_problem(*c.src.md, *c.dst.md), plan_mode::move);
        ASSERT_EQ(e.differs([&](const void *s, void *d) {
            code.run({s, d}, {1 + i % 3});
        }),
                "")
                << "case " << i << ": " << c.text();
    }
}

TEST(PortablePath, RandomPadding) {
    const int n_cases = tfmt_test::scaled(1000);
    for (int i = 0; i < n_cases; i++) {
        tfmt_test::random_source random(uint64_t(i) * 104729 + 5);
        const test_case c = random_case(random, 3000);
        const memory_desc &md = *c.dst.md;
        const tfmt_test::layout layout = tfmt_test::read_layout(&md);
        execution e(md, md, uint64_t(i));
        EXPECT_EQ(ref::is_padding_zero(md, e.expected()), !has_padding(md)) << c.dst.recipe;
        tfmt_test::oracle_zero_pad(layout, e.expected());
        EXPECT_TRUE(ref::is_padding_zero(md, e.expected())) << c.dst.recipe;
        const ref::portable code(make_padding_problem(md), plan_mode::padding_only);
        ASSERT_EQ(e.differs([&](const void *, void *d) {
            code.run({nullptr, d}, {1});
        }),
                "")
                << "case " << i << ": " << c.dst.recipe;
    }
}

} // namespace
