// SPDX-License-Identifier: Apache-2.0
// Kernels that convert, of every pair of types in random layouts, against the portable path byte
// for byte: plans and IR under the interpreter for machines of every ISA, and the machine code of
// those the host has. What the portable path computes is tested against the oracle elsewhere.
#include <array>

#include "api/attr.hpp"
#include "common/data_type.hpp"
#include "cpu/ref/codecs.hpp"
#include "cpu/ref/portable.hpp"
#include "support/attributes.hpp"
#include "support/random_desc.hpp"
#include "tests/unit/kernel_helpers.hpp"

namespace {

using namespace kernel_test;
using tfmt_test::desc_ptr;
using tfmt_test::dims;
using tfmt_test::random_source;
using tfmt_test::role;

constexpr std::array<tfmt_data_type_t, 15> types {tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_f64, tfmt_s32,
        tfmt_s64, tfmt_s8, tfmt_u8, tfmt_boolean, tfmt_f8_e5m2, tfmt_f8_e4m3, tfmt_s4, tfmt_u4,
        tfmt_f4_e2m1, tfmt_e8m0};

struct pair_of_descs {
    tfmt_test::random_desc src, dst;
    std::string text() const { return src.recipe + "\n  -> " + dst.recipe; }
};

pair_of_descs random_pair(
        random_source &random, tfmt_data_type_t src, tfmt_data_type_t dst, int64_t max_elements) {
    const dims shape = random_dims(random, max_elements, false);
    return {make_random_desc(random, shape, src, role::src, max_elements * 32),
            make_random_desc(random, shape, dst, role::dst, max_elements * 32)};
}

// Of 4-bit elements only those in whole bytes are for kernels. Random layouts seldom have them, so
// these do: even dims, and blocks that are so too.
pair_of_descs even_pair(random_source &random, tfmt_data_type_t src, tfmt_data_type_t dst) {
    dims shape;
    for (int64_t most : {12, 40, 20})
        shape.push_back(2 * random.between(1, most / 2));
    std::string tags[2] {"abc", "abc"};
    for (std::string &tag : tags) {
        for (size_t i = 3; i > 1; i--)
            std::swap(tag[i - 1], tag[size_t(random.below(int64_t(i)))]);
        for (int blocks = int(random.below(3)); blocks > 0; blocks--) {
            char &outer = tag[size_t(random.below(3))];
            const char letter = char(outer | 0x20);
            outer = char(letter - 'a' + 'A');
            tag += std::to_string(2 * random.between(1, 16)) + letter;
        }
    }
    const std::string text = tfmt_test::dims_text(shape) + " ";
    return {{tfmt_test::make_with_tag(shape, src, tags[0]), name_of(src) + (" " + text) + tags[0]},
            {tfmt_test::make_with_tag(shape, dst, tags[1]), name_of(dst) + (" " + text) + tags[1]}};
}

class ConvertKernelsOn : public kernel_fixture {
protected:
    void take_products_if_tame(reorder_problem &problem, const tfmt_test::attributes &attr) {
        const tfmt::parameter &p = problem.quant.dst_scales;
        if (!p.is_set || GetParam().isa < tfmt_cpu_isa_avx512_core) return;
        std::vector<float> scales(size_t(p.count));
        ref::codec_of<float>(p.type).decode(
                attr.dst_scales.values.data(), 0, 1, scales.data(), p.count);
        if (tfmt::are_tame(scales.data(), scales.size()))
            n_with_products_ += tfmt::take_products(problem);
    }

    int n_with_products_ = 0;

    void check_pair(const pair_of_descs &c, uint64_t seed) {
        const reorder_problem problem = make_problem(*c.src.md, *c.dst.md);
        trial e(*c.src.md, *c.dst.md, seed);
        ref::portable(problem, plan_mode::move).run({e.src(), e.expected()}, {1});
        const std::string wrong = check(problem, plan_mode::move, e, host_can_execute());
        ASSERT_EQ(wrong, "") << "seed " << seed << ": " << c.text();
    }

    // n_cases of each pair of types, in layouts drawn from multiples of `first_seed`.
    void check_every_pair_of_types(int n_cases, uint64_t first_seed) {
        uint64_t seed = 0;
        for (tfmt_data_type_t src : types)
            for (tfmt_data_type_t dst : types)
                for (int i = 0; i < n_cases && src != dst; i++) {
                    random_source random(++seed * first_seed);
                    check_pair(random_pair(random, src, dst, seed % 10 ? 1000 : 12000), seed);
                    if (HasFatalFailure()) return;
                }
        EXPECT_GT(n_converting_, 0);
        EXPECT_GT(n_staged_, 0);
    }

    void check_computing(const pair_of_descs &c, const tfmt_test::attributes &attr, uint64_t seed) {
        reorder_problem problem = make_problem(*c.src.md, *c.dst.md, *tfmt_test::make_attr(attr));
        if (seed % 3 != 0) take_products_if_tame(problem, attr);
        const tfmt_exec_args_t args = exec_args_of(attr);
        trial e(*c.src.md, *c.dst.md, seed, true);
        tfmt::cpu::execution values {e.src(), e.expected(), args.src_scales, args.dst_scales,
                args.src_zero_points, args.dst_zero_points, nullptr};
        ref::portable(problem, plan_mode::move).run(values, {1});
        const std::string wrong = check(problem, plan_mode::move, e, host_can_execute(), values);
        ASSERT_EQ(wrong, "") << "seed " << seed << ": " << c.text() << "\n"
                             << attributes_text(attr);
    }
};

TEST_P(ConvertKernelsOn, EveryPairOfTypesInRandomLayouts) {
    check_every_pair_of_types(tfmt_test::scaled(12), 7919);
}

TEST_P(ConvertKernelsOn, EveryPairOfTypesByAlternatives) {
    wants_alternatives_ = true;
    check_every_pair_of_types(tfmt_test::scaled(8), 3571);
}

TEST_P(ConvertKernelsOn, PairsOf4BitElements) {
    const int n_cases = tfmt_test::scaled(8);
    uint64_t seed = 0;
    for (tfmt_data_type_t narrow : {tfmt_s4, tfmt_u4, tfmt_f4_e2m1})
        for (tfmt_data_type_t other : types)
            for (int i = 0; i < 2 * n_cases; i++) {
                random_source random(++seed * 6151);
                const bool is_src = i % 2 == 0;
                check_pair(
                        even_pair(random, is_src ? narrow : other, is_src ? other : narrow), seed);
                if (HasFatalFailure()) return;
            }
    EXPECT_GT(n_converting_, 0);
}

// Vectors of the destination that end in a tail at every element, and its padding behind that.
TEST_P(ConvertKernelsOn, TailsAndPadding) {
    uint64_t seed = 0;
    for (tfmt_data_type_t src : {tfmt_f32, tfmt_bf16, tfmt_s8, tfmt_e8m0, tfmt_s64})
        for (tfmt_data_type_t dst : {tfmt_f32, tfmt_f16, tfmt_u8, tfmt_e8m0, tfmt_f64})
            for (int64_t n = 1; n <= 70 && src != dst; n += n < 34 ? 1 : 7) {
                const dims shape {3, n, 5};
                for (const char *tag : {"aBc32b", "acb", "abc"}) {
                    const std::string text = tfmt_test::dims_text(shape) + " ";
                    check_pair({{tfmt_test::make_with_tag(shape, src, "acb"),
                                        name_of(src) + (" " + text) + "acb"},
                                       {tfmt_test::make_with_tag(shape, dst, tag),
                                               name_of(dst) + (" " + text) + tag}},
                            ++seed);
                    if (HasFatalFailure()) return;
                }
            }
    EXPECT_EQ(n_converting_, n_planned_);
    EXPECT_GT(n_streamed_, 0);
    EXPECT_GT(n_staged_, 0);
    EXPECT_GT(n_packed_, 0);
}

// With random attributes, whose values lie along any lanes or along none.
TEST_P(ConvertKernelsOn, RandomAttributes) {
    const int n_cases = tfmt_test::scaled(12);
    uint64_t seed = 0;
    for (tfmt_data_type_t src : types)
        for (tfmt_data_type_t dst : types)
            for (int i = 0; i < n_cases; i++) {
                random_source random(++seed * 104729);
                const bool is_narrow = tfmt::bits_of(src) < 8 || tfmt::bits_of(dst) < 8;
                const pair_of_descs c = is_narrow && i % 2 == 0
                        ? even_pair(random, src, dst)
                        : random_pair(random, src, dst, 1000);
                const dims shape = tfmt_test::read_layout(c.src.md.get()).logical;
                check_computing(c, random_attributes(random, shape), seed);
                if (HasFatalFailure()) return;
            }
    EXPECT_GT(n_planned_, n_refused_);
    EXPECT_EQ(n_with_products_ > 0, GetParam().isa >= tfmt_cpu_isa_avx512_core);
}

// Rows apart from each other, so that vectors are no longer than a row.
tfmt_test::random_desc with_gaps(const dims &shape, tfmt_data_type_t type) {
    const dims strides {shape[1] + 2, 1};
    tfmt_memory_desc_t md = nullptr;
    EXPECT_EQ(tfmt_memory_desc_create_with_strides(&md, 2, shape.data(), type, strides.data()),
            tfmt_success);
    return {desc_ptr(md), tfmt_test::dims_text(shape) + " with gaps"};
}

// Lanes that share values in twos, fours and so on, in vectors of every width.
TEST_P(ConvertKernelsOn, RandomAttributesByAlternatives) {
    wants_alternatives_ = true;
    const int n_cases = tfmt_test::scaled(6);
    uint64_t seed = 0;
    for (tfmt_data_type_t src : types)
        for (tfmt_data_type_t dst : types)
            for (int i = 0; i < n_cases; i++) {
                random_source random(++seed * 15331);
                const pair_of_descs c = random_pair(random, src, dst, 1000);
                const dims shape = tfmt_test::read_layout(c.src.md.get()).logical;
                check_computing(c, random_attributes(random, shape), seed);
                if (HasFatalFailure()) return;
            }
    EXPECT_GT(n_converting_, 0);
}

TEST_P(ConvertKernelsOn, GroupsInVectors) {
    const std::vector<std::vector<tfmt_data_type_t>> pairs {{tfmt_f32, tfmt_u8},
            {tfmt_u4, tfmt_f32}, {tfmt_bf16, tfmt_f16}, {tfmt_f64, tfmt_s32}, {tfmt_s64, tfmt_f32},
            {tfmt_s32, tfmt_s8}};
    random_source random(11);
    uint64_t seed = 0;
    for (const auto &p : pairs)
        for (int64_t n : {2, 4, 8, 16, 24, 64})
            for (int64_t group = 2; n % group == 0; group *= 2)
                for (const char *tag : {"", "ab", "ba", "aB8b"}) {
                    const dims shape {6, n};
                    tfmt_test::attributes attr;
                    attr.src_scales = {true, 3, {group}, tfmt_f32, {}};
                    attr.dst_zero_points = {true, 2, {group}, tfmt_u8, {}};
                    fill_values(&attr.src_scales, true, shape, random);
                    fill_values(&attr.dst_zero_points, false, shape, random);
                    pair_of_descs c {with_gaps(shape, p[0]), with_gaps(shape, p[1])};
                    if (*tag) c.dst = {tfmt_test::make_with_tag(shape, p[1], tag), tag};
                    check_computing(c, attr, ++seed);
                    if (HasFatalFailure()) return;
                }
    EXPECT_EQ(n_refused_, 0);
}

INSTANTIATE_TEST_SUITE_P(Machines, ConvertKernelsOn, testing::ValuesIn(machines), test_name_of);

} // namespace
