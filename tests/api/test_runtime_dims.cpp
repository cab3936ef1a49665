// SPDX-License-Identifier: Apache-2.0
// Reorders between descriptors with runtime dims, strides and offsets: what they are made of, what
// an execution must bring, and what it is told when it does not.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

#include "api_helpers.hpp"

using namespace api;
using tensorfmt::attr;
using tensorfmt::exec_args;
using tensorfmt::reorder;

namespace {

constexpr int64_t R = TFMT_RUNTIME_DIM_VAL;

// The result of executing `made` on a pattern.
bytes_t result_of(const reorder &made, const memory::desc &src_md, const memory::desc &dst_md) {
    const bytes_t src = pattern(src_md.get_size());
    bytes_t dst = pattern(dst_md.get_size(), 2);
    const exec_args args(src_md, dst_md);
    made.execute(src.data(), dst.data(), &args);
    return dst;
}

bytes_t wanted_of(const memory::desc &src_md, const memory::desc &dst_md) {
    return expected_move(src_md, pattern(src_md.get_size()), dst_md, pattern(dst_md.get_size(), 2));
}

void expect_moves(const reorder &made, const memory::desc &src_md, const memory::desc &dst_md) {
    EXPECT_EQ(result_of(made, src_md, dst_md), wanted_of(src_md, dst_md))
            << src_md.to_string() << " -> " << dst_md.to_string();
}

// Status and message of an execution with these descriptors, which must write nothing.
outcome_t refusal_of(const reorder &made, const memory::desc *src_md, const memory::desc *dst_md) {
    const bytes_t src(1 << 14, 1), before(1 << 14, 2);
    bytes_t dst = before;
    exec_args args;
    if (src_md) args.src_md = src_md->get();
    if (dst_md) args.dst_md = dst_md->get();
    const auto outcome = outcome_of([&] { made.execute(src.data(), dst.data(), &args); });
    EXPECT_EQ(dst, before);
    return outcome;
}

void expect_refused(const reorder &made, const memory::desc &src_md, const memory::desc &dst_md,
        const std::string &words) {
    const outcome_t outcome = refusal_of(made, &src_md, &dst_md);
    EXPECT_EQ(outcome.status, tfmt_invalid_arguments) << words;
    EXPECT_TRUE(contains(outcome.message, "tfmt_reorder_execute: ")) << outcome.message;
    EXPECT_TRUE(contains(outcome.message, words)) << outcome.message;
}

memory::desc nchw(memory::dims dims, dt type = dt::f32) { return {dims, type, tag::nchw}; }
memory::desc nhwc(memory::dims dims, dt type = dt::f32) { return {dims, type, tag::nhwc}; }
memory::desc blocked(memory::dims dims) { return {dims, dt::f32, tag::nChw16c}; }

} // namespace

TEST(runtime_dims, one_reorder_moves_every_shape_of_its_family) {
    const reorder made(nchw({R, R, R, R}), nhwc({R, R, R, R}));
    for (const memory::dims &dims :
            {memory::dims {1, 1, 1, 1}, {2, 3, 5, 7}, {1, 64, 14, 14}, {2, 3, 5, 7}, {3, 17, 9, 1}})
        expect_moves(made, nchw(dims), nhwc(dims));
}

TEST(runtime_dims, padding_is_written_for_the_actual_dims) {
    const reorder made(nhwc({2, R, R, 3}), blocked({2, R, R, 3}));
    for (int64_t c : {16, 17, 3, 33})
        expect_moves(made, nhwc({2, c, 5, 3}), blocked({2, c, 5, 3}));
}

TEST(runtime_dims, more_shapes_than_are_remembered) {
    const reorder made({{R, R}, dt::f32, tag::ab}, {{R, R}, dt::f32, tag::ba});
    for (int round = 0; round < 2; ++round)
        for (int64_t n = 1; n <= 20; ++n)
            expect_moves(made, {{n, 5}, dt::f32, tag::ab}, {{n, 5}, dt::f32, tag::ba});
}

TEST(runtime_dims, only_one_side_may_have_them) {
    const memory::desc fixed = nchw({2, 3, 5, 7});
    const reorder made(fixed, nhwc({2, R, R, 7}));
    expect_moves(made, fixed, nhwc({2, 3, 5, 7}));
    // The complete side need not be given.
    const memory::desc dst_md = nhwc({2, 3, 5, 7});
    const bytes_t src = pattern(fixed.get_size());
    bytes_t dst = pattern(dst_md.get_size(), 2);
    exec_args args;
    args.dst_md = dst_md.get();
    made.execute(src.data(), dst.data(), &args);
    EXPECT_EQ(dst, wanted_of(fixed, dst_md));
    dst = pattern(dst_md.get_size(), 3);
    const exec_args with_empty_desc(memory::desc(), dst_md);
    made.execute(src.data(), dst.data(), &with_empty_desc);
    EXPECT_EQ(dst, wanted_of(fixed, dst_md));
    expect_refused(
            made, nchw({2, 3, 5, 8}), dst_md, "args->src_md has dims 2x3x5x8, wanted 2x3x5x7");
}

TEST(runtime_dims, strides_and_offset_may_be_runtime_too) {
    const auto from = [](const char *text) { return memory::desc::from_string(text); };
    const reorder made(from("f32:ab:4x6:s*x1:o*"), from("f32:ba:4x6"));
    expect_moves(made, from("f32:ab:4x6"), from("f32:ba:4x6"));
    expect_moves(made, from("f32:ab:4x6:s20x1:o3"), from("f32:ba:4x6"));
    expect_refused(made, from("f32:ab:4x6:s20x2"), from("f32:ba:4x6"),
            "args->src_md has strides[1] 2, wanted 1");
    expect_refused(made, from("f32:ab:4x6"), from("f32:ba:4x6:o1"),
            "args->dst_md has offset0 1, wanted 0");
    expect_refused(made, from("f32:ab:4x6"), from("f32:ba:4x6:s1x5"),
            "args->dst_md has strides[1] 5, wanted 4");
}

// The stride of a dimension of one element says nothing.
TEST(runtime_dims, strides_that_do_not_count_may_differ) {
    const reorder made({{R, 6}, dt::f32, memory::dims {6, 1}}, {{R, 6}, dt::f32, tag::ba});
    expect_moves(made, {{1, 6}, dt::f32, memory::dims {77, 1}}, {{1, 6}, dt::f32, tag::ba});
    expect_refused(made, {{2, 6}, dt::f32, memory::dims {77, 1}}, {{2, 6}, dt::f32, tag::ba},
            "args->src_md has strides[0] 77, wanted 6");
}

TEST(runtime_dims, what_does_not_agree_is_refused_and_told) {
    const reorder made(nchw({R, 3, R, R}), blocked({R, 3, R, R}));
    const memory::desc src = nchw({2, 3, 5, 7}), dst = blocked({2, 3, 5, 7});
    expect_refused(made, {{3, 5, 7}, dt::f32, tag::abc}, dst, "args->src_md has ndims 3, wanted 4");
    expect_refused(
            made, nchw({2, 3, 5, 7}, dt::u8), dst, "args->src_md has data type u8, wanted f32");
    expect_refused(made, nchw({2, 4, 5, 7}), dst, "args->src_md has dims 2x4x5x7, wanted *x3x*x*");
    expect_refused(made, nhwc({2, 3, 5, 7}), dst, "args->src_md has strides[3] 3, wanted 1");
    expect_refused(
            made, blocked({2, 3, 5, 7}), dst, "args->src_md has inner blocks 16b, wanted none");
    expect_refused(made, src, src, "args->dst_md has inner blocks none, wanted 16b");
    expect_refused(made, src, {{2, 3, 5, 7}, dt::f32, tag::nChw8c},
            "args->dst_md has inner blocks 8b, wanted 16b");
    expect_refused(made, src, blocked({2, 3, 5, 8}), "2x3x5x7 and 2x3x5x8");
    expect_refused(made, nchw({R, 3, 5, 7}), dst, "args->src_md has runtime dims");
    expect_refused(made, src, {{2, 3, 5, 7}, dt::f32, tag::any}, "args->dst_md has no layout");
    expect_moves(made, src, dst);
}

TEST(runtime_dims, descriptors_that_are_missing_are_told) {
    const reorder made(nchw({R, 3, R, R}), nhwc({R, 3, R, R}));
    const memory::desc md = nchw({2, 3, 5, 7});
    EXPECT_TRUE(contains(refusal_of(made, nullptr, &md).message, "args->src_md is null"));
    const outcome_t outcome = refusal_of(made, &md, nullptr);
    EXPECT_EQ(outcome.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(outcome.message, "args->dst_md is null")) << outcome.message;
    EXPECT_TRUE(contains(outcome.message, "f32:acdb:*x3x*x*")) << outcome.message;
    float data[1] = {};
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data, data, nullptr), tfmt_invalid_arguments);
    const exec_args empty;
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data, data, &empty), tfmt_invalid_arguments);
}

TEST(runtime_dims, null_buffers_and_overlaps_are_refused_as_ever) {
    const reorder made({{R, R}, dt::f32, tag::ab}, {{R, R}, dt::f32, tag::ba});
    const memory::desc ab({3, 4}, dt::f32, tag::ab), ba({3, 4}, dt::f32, tag::ba);
    const exec_args args(ab, ba);
    float data[24] = {};
    EXPECT_EQ(tfmt_reorder_execute(made.get(), nullptr, data, &args), tfmt_invalid_arguments);
    EXPECT_TRUE(contains(tfmt_get_last_error(), "src is null"));
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data, data + 6, &args), tfmt_invalid_arguments);
    EXPECT_TRUE(contains(tfmt_get_last_error(), "overlap"));
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data, data + 12, &args), tfmt_success);
}

TEST(runtime_dims, tensors_without_elements_touch_nothing) {
    const reorder made(nchw({R, 3, R, R}), nhwc({R, 3, R, R}));
    const memory::desc src = nchw({0, 3, 5, 7}), dst = nhwc({0, 3, 5, 7});
    const exec_args args(src, dst);
    EXPECT_EQ(tfmt_reorder_execute(made.get(), nullptr, nullptr, &args), tfmt_success);
    // Also where a known dim says so.
    const reorder empty(nchw({0, R, 5, 7}), nhwc({0, R, 5, 7}));
    EXPECT_EQ(tfmt_reorder_execute(empty.get(), nullptr, nullptr, &args), tfmt_success);
}

TEST(runtime_dims, in_place_pads_an_equal_layout) {
    const reorder made(blocked({2, R, 3, 3}), blocked({2, R, 3, 3}));
    const memory::desc md = blocked({2, 21, 3, 3});
    const bytes_t before = pattern(md.get_size());
    bytes_t data = before;
    const exec_args args(md, md);
    made.execute(data.data(), data.data(), &args);
    EXPECT_EQ(data, with_zero_padding(md, before));
}

TEST(runtime_dims, creation_refuses_families_that_have_no_pair) {
    const auto refused = [](const memory::desc &src, const memory::desc &dst,
                                 const std::string &words) {
        const outcome_t outcome = outcome_of([&] { reorder(src, dst); });
        EXPECT_EQ(outcome.status, tfmt_invalid_arguments);
        EXPECT_TRUE(contains(outcome.message, words)) << outcome.message;
    };
    refused(nchw({R, 3, R, R}), nhwc({R, 4, R, R}), "*x3x*x* and *x4x*x*");
    refused(nchw({R, 3, R, R}), {{R, 3, R}, dt::f32, tag::abc}, "*x3x*x* and *x3x*");
    refused({{R, 3}, dt::f32, tag::any}, {{R, 3}, dt::f32, tag::ab}, "src has no layout");
    refused({{R, 3}, dt::f32, tag::ab}, {{R, 3}, dt::f32, tag::any}, "dst has no layout");
    refused({{4, R}, dt::f32, tag::ab}, {{4, 3}, dt::f32, memory::dims {0, 1}}, "stride 0");
    const int64_t huge = int64_t(1) << 40;
    refused({{huge, R}, dt::f32, tag::ab}, {{R, huge}, dt::f32, tag::ab}, "overflows");
}

TEST(runtime_dims, actual_dims_that_cannot_be_reordered_are_refused) {
    const reorder made({{R}, dt::f32, tag::a}, {{R}, dt::f32, memory::dims {0}});
    expect_refused(made, {{3}, dt::f32, tag::a}, {{3}, dt::f32, memory::dims {0}}, "stride 0");
    expect_moves(made, {{1}, dt::f32, tag::a}, {{1}, dt::f32, memory::dims {0}});
}

TEST(runtime_dims, masks_and_groups_are_taken_against_the_actual_dims) {
    attr scaled;
    scaled.set_scales(TFMT_ARG_SRC, 2, {4});
    const reorder made({{R, R}, dt::f32, tag::ab}, {{R, R}, dt::f32, tag::ab}, scaled);
    for (int64_t n : {4, 8, 12}) {
        const memory::desc md({2, n}, dt::f32, tag::ab);
        std::vector<float> src(2 * n), dst(2 * n), scales(n / 4);
        for (size_t i = 0; i < src.size(); ++i)
            src[i] = float(i + 1);
        for (size_t i = 0; i < scales.size(); ++i)
            scales[i] = float(i + 2);
        exec_args args(md, md);
        args.src_scales = scales.data();
        made.execute(src.data(), dst.data(), &args);
        for (size_t i = 0; i < src.size(); ++i)
            EXPECT_EQ(dst[i], src[i] * scales[i % size_t(n) / 4]) << n << ", " << i;
    }
    const memory::desc six({2, 6}, dt::f32, tag::ab);
    std::vector<float> data(12), scales(3), other(12);
    exec_args args(six, six);
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data.data(), other.data(), &args),
            tfmt_invalid_arguments);
    EXPECT_TRUE(contains(tfmt_get_last_error(), "divisor of 6")) << tfmt_get_last_error();
    const memory::desc eight({2, 8}, dt::f32, tag::ab);
    const exec_args without_scales(eight, eight);
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data.data(), other.data(), &without_scales),
            tfmt_invalid_arguments);
    EXPECT_TRUE(contains(tfmt_get_last_error(), "src_scales is null"));
}

TEST(runtime_dims, groups_that_do_not_divide_a_known_dim_are_refused_at_once) {
    attr scaled;
    scaled.set_scales(TFMT_ARG_SRC, 2, {4});
    const memory::desc ab({R, 6}, dt::f32, tag::ab);
    EXPECT_EQ(outcome_of([&] { reorder(ab, ab, scaled); }).status, tfmt_invalid_arguments);
    attr of_a_dim_that_is_not;
    of_a_dim_that_is_not.set_scales_mask(TFMT_ARG_SRC, 4);
    const memory::desc any_dims({R, R}, dt::f32, tag::ab);
    EXPECT_EQ(outcome_of([&] { reorder(any_dims, any_dims, of_a_dim_that_is_not); }).status,
            tfmt_invalid_arguments);
}

TEST(runtime_dims, compensation_is_of_the_actual_dims) {
    attr summed;
    summed.set_compensation(tfmt_compensation_s8s8, 1);
    const auto weights = [](memory::dims dims) { return memory::desc(dims, dt::s8, tag::ab); };
    const reorder made(weights({R, R}), weights({R, R}), summed);
    for (int64_t n : {3, 5}) {
        const memory::desc md = weights({n, 7});
        const memory::desc with_sums = reorder(md, md, summed).dst_desc();
        const bytes_t src = pattern(md.get_size());
        const bytes_t before(with_sums.get_size(), 1); // there are gaps before the sums
        bytes_t dst, wanted = before;
        reorder(md, md, summed).execute(src.data(), wanted.data());
        for (const memory::desc &dst_md : {md, with_sums}) {
            dst = before;
            const exec_args args(md, dst_md);
            made.execute(src.data(), dst.data(), &args);
            EXPECT_EQ(dst, wanted) << n;
        }
    }
    attr otherwise;
    otherwise.set_compensation(tfmt_compensation_s8s8, 2);
    const memory::desc md = weights({3, 7});
    expect_refused(made, md, reorder(md, md, otherwise).dst_desc(), "compensation");
    const memory::desc floats({R, R}, dt::f32, tag::ab);
    EXPECT_EQ(outcome_of([&] { reorder(floats, floats, summed); }).status, tfmt_invalid_arguments);
}

TEST(runtime_dims, info_and_explanation_are_of_what_ran) {
    const reorder made(nchw({R, 3, R, R}), nhwc({R, 3, R, R}));
    EXPECT_EQ(made.impl_info_str().rfind("runtime dims", 0), 0u) << made.impl_info_str();
    EXPECT_TRUE(contains(made.explain(), "f32:abcd:*x3x*x*")) << made.explain();
    const memory::desc src = nchw({2, 3, 5, 7}), dst = nhwc({2, 3, 5, 7});
    expect_moves(made, src, dst);
    EXPECT_EQ(made.impl_info_str(), reorder(src, dst).impl_info_str());
    EXPECT_TRUE(contains(made.explain(), reorder(src, dst).explain()));
    EXPECT_TRUE(contains(made.explain(), "f32:abcd:2x3x5x7")) << made.explain();
}

TEST(runtime_dims, memory_objects_bring_their_descriptors) {
    const memory::desc src_md = nchw({2, 3, 5, 7}), dst_md = nhwc({2, 3, 5, 7});
    bytes_t src = pattern(src_md.get_size()), dst(dst_md.get_size());
    const memory from(src_md, src.data()), to(dst_md, dst.data());
    const auto expect_moved_by = [&](const std::function<void()> &execute) {
        const bytes_t before = pattern(dst.size(), 2);
        std::copy(before.begin(), before.end(), dst.begin());
        execute();
        EXPECT_EQ(dst, wanted_of(src_md, dst_md));
    };
    const tensorfmt::stream stream;
    const reorder made(nchw({R, 3, R, R}), nhwc({R, 3, R, R}));
    expect_moved_by([&] { made.execute(from, to); });
    expect_moved_by([&] { made.execute(stream, {{TFMT_ARG_SRC, from}, {TFMT_ARG_DST, to}}); });
    const reorder::primitive_desc pd({}, nchw({R, 3, R, R}), {}, nhwc({R, 3, R, R}));
    expect_moved_by([&] { reorder(pd).execute(stream, from, to); });

    const memory other(nchw({2, 4, 5, 7}));
    EXPECT_EQ(outcome_of([&] { made.execute(other, to); }).status, tfmt_invalid_arguments);
}

TEST(runtime_dims, descriptors_tell_whether_they_have_them) {
    EXPECT_TRUE(nchw({R, 3, 5, 7}).has_runtime_dims());
    EXPECT_TRUE(nchw({0, R, 5, 7}).has_runtime_dims());
    EXPECT_TRUE(memory::desc::from_string("f32:ab:4x6:o*").has_runtime_dims());
    EXPECT_TRUE(memory::desc::from_string("f32:ab:0x6:s*x1").has_runtime_dims());
    EXPECT_FALSE(nchw({2, 3, 5, 7}).has_runtime_dims());
    EXPECT_FALSE(nchw({0, 3, 5, 7}).has_runtime_dims());
    EXPECT_FALSE(memory::desc({2, 3}, dt::f32, tag::any).has_runtime_dims());
    EXPECT_FALSE(memory::desc().has_runtime_dims());
}

// A reorder between complete descriptors checks what it is given, and needs nothing.
TEST(runtime_dims, a_reorder_without_them_checks_descriptors_it_is_given) {
    const memory::desc src = nchw({2, 3, 5, 7}), dst = nhwc({2, 3, 5, 7});
    const reorder made(src, dst);
    expect_moves(made, src, dst);
    expect_refused(made, nchw({2, 3, 5, 8}), dst, "args->src_md has dims 2x3x5x8, wanted 2x3x5x7");
    expect_refused(made, src, nhwc({2, 3, 5, 7}, dt::s32), "args->dst_md has data type s32");
}

TEST(runtime_dims, args_from_before_they_were_there_are_accepted) {
    struct {
        size_t struct_size;
        const void *values[4];
        const tfmt_threadpool_t *pool;
        const void *behind[2]; // not the library's
    } old {offsetof(tfmt_exec_args_t, src_md), {}, nullptr, {&old, &old}};
    const memory::desc src = nchw({2, 3, 5, 7}), dst = nhwc({2, 3, 5, 7});
    const bytes_t from = pattern(src.get_size());
    bytes_t to = pattern(dst.get_size(), 2);
    const auto *args = reinterpret_cast<const tfmt_exec_args_t *>(&old);
    EXPECT_EQ(tfmt_reorder_execute(reorder(src, dst).get(), from.data(), to.data(), args),
            tfmt_success);
    EXPECT_EQ(to, wanted_of(src, dst));
    const reorder waiting(nchw({R, 3, 5, 7}), dst);
    EXPECT_EQ(tfmt_reorder_execute(waiting.get(), from.data(), to.data(), args),
            tfmt_invalid_arguments);
    EXPECT_TRUE(contains(tfmt_get_last_error(), "args->src_md is null"));
}
