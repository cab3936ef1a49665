// SPDX-License-Identifier: Apache-2.0
// Attributes against dims: what is refused, and which value belongs to which index.
#include "common/quantization.hpp"

#include "common/status.hpp"
#include "cpu/ref/portable.hpp"
#include "tests/unit/desc_helpers.hpp"

namespace {

using namespace desc_test;
using tfmt::attributes;
using tfmt::parameter;
using tfmt::quantization;

attributes::parameter asked(int mask, const vec &groups = {}, tfmt_data_type_t type = tfmt_f32) {
    attributes::parameter p;
    p.is_set = true;
    p.mask = mask;
    p.group_ndims = int(groups.size());
    std::copy(groups.begin(), groups.end(), p.group_dims);
    p.type = type;
    return p;
}

parameter resolved(const attributes::parameter &p, const vec &dims) {
    attributes attr;
    attr.src_scales = p;
    return tfmt::resolve(attr, int(dims.size()), dims.data()).src_scales;
}

dim_t value_number(const parameter &p, const vec &index) {
    dim_t n = 0;
    for (size_t d = 0; d < index.size(); d++)
        n += index[d] / p.group[d] * p.stride[d];
    return n;
}

// The number of an index' value in a dense array over the groups of the masked dimensions.
dim_t expected_number(int mask, const vec &groups, const vec &dims, const vec &index) {
    dim_t n = 0;
    size_t n_ungrouped = 0;
    for (size_t d = 0; d < dims.size(); d++)
        n_ungrouped += size_t(mask >> d & 1);
    n_ungrouped -= groups.size();
    for (size_t d = 0, k = 0; d < dims.size(); d++) {
        if (!(mask >> d & 1)) continue;
        const dim_t group = k < n_ungrouped ? 1 : groups[k - n_ungrouped];
        n = n * (dims[d] / group) + index[d] / group;
        k++;
    }
    return n;
}

void expect_numbers(int mask, const vec &groups, const vec &dims) {
    const parameter p = resolved(asked(mask, groups), dims);
    dim_t largest = -1;
    for_each_index(dims, [&](const vec &i) {
        const dim_t want = expected_number(mask, groups, dims, i);
        EXPECT_EQ(value_number(p, i), want) << "mask " << mask;
        largest = std::max(largest, want);
    });
    EXPECT_EQ(p.count, largest + 1) << "mask " << mask;
}

TEST(Quantization, NothingAskedForIsDefault) {
    const dim_t dims[] = {2, 3};
    const quantization q = tfmt::resolve(tfmt::no_attributes, 2, dims);
    EXPECT_TRUE(q.is_default());
    EXPECT_FALSE(q.src_scales.is_set);
}

TEST(Quantization, EveryMask) {
    const vec dims {4, 3, 2, 5};
    for (int mask = 0; mask < 16; mask++)
        expect_numbers(mask, {}, dims);
}

TEST(Quantization, GroupsOnAnyTwoDims) {
    const vec dims {4, 6, 12, 1};
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) {
            const int mask = 1 << a | 1 << b;
            for (dim_t i : {1, 2, 4})
                for (dim_t j : {1, 3, 6, 12}) {
                    if (dims[size_t(a)] % i || dims[size_t(b)] % j) continue;
                    expect_numbers(mask, {i, j}, dims);
                    expect_numbers(mask, {j}, dims);
                }
        }
    expect_numbers(7, {2, 3}, dims); // the last two of three
    expect_numbers(15, {2, 3, 4, 1}, dims);
}

TEST(Quantization, ExampleOfTheHeader) {
    const parameter p = resolved(asked(3, {1, 32}), {64, 256});
    EXPECT_EQ(p.group[0], 1);
    EXPECT_EQ(p.group[1], 32);
    EXPECT_EQ(p.stride[0], 8);
    EXPECT_EQ(p.stride[1], 1);
    EXPECT_EQ(p.count, 512);
    EXPECT_EQ(value_number(p, {5, 70}), 42);
}

// Code that loads values looks for strides of 0 to know what to load once.
TEST(Quantization, OneValueForADimensionHasStrideZero) {
    const parameter p = resolved(asked(7, {6}), {1, 4, 6});
    EXPECT_EQ(p.stride[0], 0);
    EXPECT_EQ(p.stride[1], 1);
    EXPECT_EQ(p.stride[2], 0);
    EXPECT_EQ(p.group[2], 1);
    EXPECT_FALSE(p.is_one_value());
    EXPECT_TRUE(resolved(asked(0), {4}).is_one_value());
}

TEST(Quantization, WithoutElementsThereAreNoValues) {
    const parameter p = resolved(asked(3, {7}), {3, 0});
    EXPECT_TRUE(p.is_set);
    EXPECT_EQ(p.count, 0);
}

TEST(Quantization, BetaOfZeroIsNoSum) {
    attributes attr;
    attr.has_sum = true;
    const dim_t dims[] = {2};
    EXPECT_TRUE(tfmt::resolve(attr, 1, dims).is_default());
    EXPECT_TRUE(attr.is_default());
    attr.sum_beta = -0.0f;
    EXPECT_TRUE(tfmt::resolve(attr, 1, dims).is_default());
    attr.sum_beta = -0.5f;
    EXPECT_TRUE(tfmt::resolve(attr, 1, dims).has_sum);
    EXPECT_EQ(tfmt::resolve(attr, 1, dims).sum_beta, -0.5f);
}

void expect_refused(const attributes::parameter &p, const vec &dims, const std::string &words) {
    try {
        resolved(p, dims);
        ADD_FAILURE() << "not refused: " << words;
    } catch (const tfmt::failure &f) {
        EXPECT_EQ(f.status(), tfmt_invalid_arguments);
        EXPECT_NE(std::string(f.what()).find(words), std::string::npos) << f.what();
        EXPECT_NE(std::string(f.what()).find("source scales"), std::string::npos) << f.what();
    }
}

TEST(Quantization, RefusesWhatDoesNotGoWithTheDims) {
    expect_refused(asked(4), {2, 3}, "mask of the source scales is 4, wanted bits 0 to 1");
    expect_refused(asked(1 << 11), {2, 3}, "is 2048");
    expect_refused(asked(2, {1, 1}), {2, 3}, "is 2, wanted at most 1");
    expect_refused(asked(0, {1}), {2, 3}, "is 1, wanted at most 0");
    expect_refused(asked(3, {1, 2}), {2, 3}, "2 indices of dimension 1, wanted a divisor of 3");
    expect_refused(asked(3, {4, 3}), {2, 3}, "4 indices of dimension 0, wanted a divisor of 2");
}

TEST(Quantization, ComputingTypes) {
    EXPECT_EQ(tfmt::computing_type(tfmt_f32, tfmt_u4), tfmt_f32);
    EXPECT_EQ(tfmt::computing_type(tfmt_s8, tfmt_u8), tfmt_f32);
    EXPECT_EQ(tfmt::computing_type(tfmt_e8m0, tfmt_boolean), tfmt_f32);
    for (tfmt_data_type_t wide : {tfmt_f64, tfmt_s32, tfmt_s64}) {
        EXPECT_EQ(tfmt::computing_type(tfmt_bf16, wide), tfmt_f64);
        EXPECT_EQ(tfmt::computing_type(wide, tfmt_s4), tfmt_f64);
    }
}

// Values along a run of the portable path that is longer than a chunk, with groups that neither
// begin nor end where chunks do.
TEST(Quantization, PortableRunsAcrossChunks) {
    const size_t n = 3 * 2590;
    for (size_t group : {1, 2, 7, 37, 74, 259, 518, 1295}) {
        const memory_desc md = by_tag({3, 2590}, "ab");
        attributes attr;
        attr.src_scales = asked(3, {3, dim_t(group)});
        std::vector<float> src(n, 1.0f), dst(n), scales(2590 / group);
        for (size_t i = 0; i < scales.size(); i++)
            scales[i] = float(i + 1);
        const tfmt::cpu::ref::portable code(make_problem(md, md, attr), tfmt::cpu::plan_mode::move);
        code.run({src.data(), dst.data(), scales.data()}, {1});
        for (size_t i = 0; i < n; i++)
            ASSERT_EQ(dst[i], float(i % 2590 / group + 1)) << group << ", " << i;
    }
}

} // namespace
