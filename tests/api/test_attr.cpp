// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and sums through the public interface, with results worked out by hand.
#include <cmath>
#include <cstdio>
#include <limits>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "api_helpers.hpp"

namespace {

using namespace api;
using tensorfmt::attr;
using tensorfmt::exec_args;
using tensorfmt::reorder;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

struct values {
    const void *src_scales = nullptr;
    const void *dst_scales = nullptr;
    const void *src_zero_points = nullptr;
    const void *dst_zero_points = nullptr;
};

exec_args args_of(const values &v) {
    exec_args args;
    args.src_scales = v.src_scales;
    args.dst_scales = v.dst_scales;
    args.src_zero_points = v.src_zero_points;
    args.dst_zero_points = v.dst_zero_points;
    return args;
}

template <typename D, typename S>
std::vector<D> reordered(const memory::desc &src_md, const std::vector<S> &src,
        const memory::desc &dst_md, const attr &a, const values &v, D before = D()) {
    std::vector<D> dst(dst_md.get_size() / sizeof(D), before);
    const exec_args args = args_of(v);
    reorder(src_md, dst_md, a).execute(src.data(), dst.data(), &args);
    return dst;
}

memory::desc row(int64_t n, dt type) { return {{n}, type, tag::a}; }

using floats = std::vector<float>;
using s8s = std::vector<int8_t>;
using u8s = std::vector<uint8_t>;

// ---------------------------------------------------------------- each attribute, and all of them

TEST(attributes, source_scales_multiply_and_destination_scales_divide) {
    attr src, dst;
    src.set_scales_mask(TFMT_ARG_SRC, 0);
    dst.set_scales_mask(TFMT_ARG_DST, 0);
    const float third = 3;
    const floats in {1, -2, 6};
    EXPECT_EQ(reordered<float>(row(3, dt::f32), in, row(3, dt::f32), src, {&third}),
            (floats {3, -6, 18}));
    EXPECT_EQ(reordered<float>(row(3, dt::f32), in, row(3, dt::f32), dst, {nullptr, &third}),
            (floats {1.0f / 3, -2.0f / 3, 2}));
}

TEST(attributes, division_is_not_multiplication_with_the_reciprocal) {
    attr a;
    a.set_scales_mask(TFMT_ARG_DST, 0);
    const float scale = 41;
    ASSERT_NE(41.0f * (1.0f / 41.0f), 1.0f);
    EXPECT_EQ(reordered<float>(row(1, dt::f32), floats {41}, row(1, dt::f32), a, {nullptr, &scale}),
            (floats {1}));
}

TEST(attributes, zero_points_shift_each_side) {
    attr a;
    a.set_zero_points_mask(TFMT_ARG_SRC, 0);
    a.set_zero_points_mask(TFMT_ARG_DST, 0);
    const int32_t src_zp = 128, dst_zp = -3;
    EXPECT_EQ(reordered<int8_t>(row(5, dt::u8), u8s {128, 130, 0, 255, 3}, row(5, dt::s8), a,
                      {nullptr, nullptr, &src_zp, &dst_zp}),
            (s8s {-3, -1, -128, 124, -128}));
}

// ((src - 10) * 0.5 + 2 * dst) / 4 + 1, rounded to nearest even
TEST(attributes, all_at_once_in_their_order) {
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 0);
    a.set_scales_mask(TFMT_ARG_DST, 0);
    a.set_zero_points_mask(TFMT_ARG_SRC, 0);
    a.set_zero_points_mask(TFMT_ARG_DST, 0);
    a.append_sum(2);
    const float src_scale = 0.5f, dst_scale = 4;
    const int32_t src_zp = 10, dst_zp = 1;
    const values v {&src_scale, &dst_scale, &src_zp, &dst_zp};
    // 10 -> (0 + 6) / 4 + 1 = 2.5; 14 -> (2 + 6) / 4 + 1 = 3; 18 -> 3.5; 0 -> 1.25; 255 -> 33.125
    EXPECT_EQ(reordered<int8_t>(
                      row(5, dt::u8), u8s {10, 14, 18, 0, 255}, row(5, dt::s8), a, v, int8_t(3)),
            (s8s {2, 3, 4, 1, 33}));
}

// The product of beta and dst is rounded before it is added; a fused operation would give 2^-26.
TEST(attributes, operations_are_not_fused) {
    attr a;
    const float almost_one = 1 - std::ldexp(1.0f, -13);
    a.append_sum(almost_one);
    const float product = almost_one * almost_one; // rounded
    EXPECT_EQ(reordered<float>(
                      row(1, dt::f32), floats {-product}, row(1, dt::f32), a, {}, almost_one),
            (floats {0}));
}

TEST(attributes, sum_reads_the_destination_in_its_type) {
    attr a;
    a.append_sum(-0.5f);
    EXPECT_EQ(reordered<uint8_t>(row(3, dt::f32), floats {7, 200, 0}, row(3, dt::u8), a, {},
                      uint8_t(101)), // -50.5 + 7 = -43.5, 149.5 -> 150 (even), -50.5
            (u8s {0, 150, 0}));
    attr none; // beta 0: what was in dst does not matter, not even NaN
    none.append_sum(0);
    EXPECT_EQ(reordered<float>(row(1, dt::f32), floats {7}, row(1, dt::f32), none, {}, nan_value),
            (floats {7}));
}

// ---------------------------------------------------------------- masks, groups, types

TEST(attributes, a_mask_of_any_dims_in_a_blocked_layout) {
    const memory::desc src_md({2, 3, 2}, dt::f32, tag::abc), dst_md({2, 3, 2}, dt::f32, tag::aBc4b);
    floats src(12, 1.0f), scales(6);
    for (size_t i = 0; i < 6; i++)
        scales[i] = float(i + 1);
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 1 | 4); // over a and c, 2 x 2
    const floats by_ac = reordered<float>(src_md, src, dst_md, a, {scales.data()}, -1.0f);
    attr b;
    b.set_scales_mask(TFMT_ARG_DST, 2 | 1); // over a and b, 2 x 3
    const floats by_ab = reordered<float>(src_md, src, dst_md, b, {nullptr, scales.data()}, -1.0f);
    for_each_index(dst_md.get_padded_dims(), [&](const memory::dims &i) {
        const auto at = size_t(offset_by_fields(dst_md, i));
        const bool is_padding = i[1] == 3;
        EXPECT_EQ(by_ac[at], is_padding ? 0 : float(i[0] * 2 + i[2] + 1));
        EXPECT_EQ(by_ab[at], is_padding ? 0 : 1 / float(i[0] * 3 + i[1] + 1));
    });
}

TEST(attributes, padding_stays_zero_with_zero_points_and_sums) {
    const memory::desc src_md({3}, dt::s8, tag::a);
    const memory::desc dst_md({3}, dt::s8, memory::dims {8}, memory::dims {8}, memory::dims {0});
    attr a;
    a.set_zero_points_mask(TFMT_ARG_DST, 0);
    a.append_sum(1);
    const int32_t zp = 5;
    EXPECT_EQ(reordered<int8_t>(src_md, s8s {1, 2, 3}, dst_md, a, {nullptr, nullptr, nullptr, &zp},
                      int8_t(100)),
            (s8s {106, 107, 108, 0, 0, 0, 0, 0}));
}

// u4 weights with a bf16 scale and a u4 zero point for each group of 4 along the first dimension.
TEST(attributes, groups_with_four_bit_zero_points) {
    const memory::desc src_md({8, 2}, dt::u4, tag::ab), dst_md({8, 2}, dt::f32, tag::ba);
    attr a;
    a.set_scales(TFMT_ARG_SRC, 3, {4, 1}, dt::bf16);
    a.set_zero_points(TFMT_ARG_SRC, 3, {4, 1}, dt::u4);
    const uint16_t scales[4] = {0x3f80, 0x4000, 0x3f00, 0xbf80}; // 1, 2, 0.5, -1
    const uint8_t zero_points[2] = {0x73, 0xf0};                 // 3, 7, 0, 15
    u8s src(8);
    for (size_t i = 0; i < 16; i++)
        src[i / 2] = uint8_t(src[i / 2] | i << (i % 2 * 4)); // element i is i
    const floats got = reordered<float>(src_md, src, dst_md, a, {scales, nullptr, zero_points});
    const float scale_of[4] = {1, 2, 0.5f, -1}, zp_of[4] = {3, 7, 0, 15};
    for (size_t k = 0; k < 8; k++)
        for (size_t n = 0; n < 2; n++) {
            const size_t value = k / 4 * 2 + n;
            EXPECT_EQ(got[n * 8 + k], (float(k * 2 + n) - zp_of[value]) * scale_of[value])
                    << k << " " << n;
        }
}

TEST(attributes, signed_four_bit_zero_points_on_the_destination) {
    attr a;
    a.set_zero_points(TFMT_ARG_DST, 1, {}, dt::s4);
    const uint8_t zero_points[2] = {0xf8, 0x71}; // -8, -1, 1, 7
    EXPECT_EQ(reordered<int8_t>(row(4, dt::f32), floats {1, 2.5f, -1.5f, 0}, row(4, dt::s8), a,
                      {nullptr, nullptr, nullptr, zero_points}),
            (s8s {-7, 2, 0, 7}));
}

TEST(attributes, e8m0_scales_are_powers_of_two) {
    attr a;
    a.set_scales(TFMT_ARG_SRC, 1, {2}, dt::e8m0);
    const uint8_t scales[4] = {127, 130, 0, 255}; // 1, 8, 2^-127, NaN
    const floats got = reordered<float>(
            row(8, dt::f32), floats {1, 2, 3, 4, 4, 1, 1, 2}, row(8, dt::f32), a, {scales});
    EXPECT_EQ(floats(got.begin(), got.begin() + 6),
            (floats {1, 2, 24, 32, std::ldexp(1.0f, -125), std::ldexp(1.0f, -127)}));
    EXPECT_TRUE(std::isnan(got[6]) && std::isnan(got[7]));
}

TEST(attributes, half_precision_scales) {
    attr a;
    a.set_scales(TFMT_ARG_SRC, 0, {}, dt::f16);
    a.set_scales(TFMT_ARG_DST, 0, {}, dt::f16);
    const uint16_t src_scale = 0x4200, dst_scale = 0x0001; // 3, 2^-24
    EXPECT_EQ(reordered<float>(
                      row(2, dt::s8), s8s {1, -2}, row(2, dt::f32), a, {&src_scale, &dst_scale}),
            (floats {std::ldexp(3.0f, 24), std::ldexp(-6.0f, 24)}));
}

// ---------------------------------------------------------------- computing types and special
// values

TEST(attributes, wide_integers_compute_in_f64) {
    attr a;
    a.set_zero_points_mask(TFMT_ARG_SRC, 0);
    const int32_t one = 1;
    const std::vector<int32_t> src {(1 << 24) + 2, INT32_MAX, INT32_MIN};
    EXPECT_EQ(
            reordered<int32_t>(row(3, dt::s32), src, row(3, dt::s32), a, {nullptr, nullptr, &one}),
            (std::vector<int32_t> {(1 << 24) + 1, INT32_MAX - 1, INT32_MIN}));
}

TEST(attributes, a_large_zero_point_is_rounded_to_f32) {
    attr a;
    a.set_zero_points_mask(TFMT_ARG_SRC, 0);
    const int32_t zp = (1 << 24) + 1; // 2^24 as f32
    EXPECT_EQ(reordered<float>(row(1, dt::f32), floats {16777216}, row(1, dt::f32), a,
                      {nullptr, nullptr, &zp}),
            (floats {0}));
}

TEST(attributes, nan_and_infinity) {
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 1);
    const float scales[6] = {2, 0, -1, 2, nan_value, infinity};
    const floats src {nan_value, infinity, infinity, -infinity, 1, 1};
    const s8s as_int = reordered<int8_t>(row(6, dt::f32), src, row(6, dt::s8), a, {scales});
    EXPECT_EQ(as_int, (s8s {0, 0, -128, -128, 0, 127}));
    const floats as_float = reordered<float>(row(6, dt::f32), src, row(6, dt::f32), a, {scales});
    EXPECT_TRUE(std::isnan(as_float[0]) && std::isnan(as_float[1]) && std::isnan(as_float[4]));
    EXPECT_EQ(as_float[2], -infinity);
    EXPECT_EQ(as_float[3], -infinity);
    EXPECT_EQ(as_float[5], infinity);
    attr by_zero;
    by_zero.set_scales_mask(TFMT_ARG_DST, 0);
    const float zero = 0;
    const floats quotients = reordered<float>(
            row(3, dt::s8), s8s {1, -1, 0}, row(3, dt::f32), by_zero, {nullptr, &zero});
    EXPECT_EQ(quotients[0], infinity);
    EXPECT_EQ(quotients[1], -infinity);
    EXPECT_TRUE(std::isnan(quotients[2]));
}

// Of two NaNs the left one of the formula stays, with its payload, made quiet.
TEST(attributes, of_two_nans_the_left_one_stays) {
    const memory::desc md = row(2, dt::f32);
    const uint32_t one_nan = 0xffa00001, other_nan = 0x7fc00077; // the first is signalling
    const std::vector<uint32_t> src {one_nan, 0x3f800000};
    const uint32_t scales[2] = {other_nan, other_nan};
    const std::vector<uint32_t> want {0xffe00001, other_nan};
    for (const int side : {TFMT_ARG_SRC, TFMT_ARG_DST}) {
        attr a;
        a.set_scales_mask(side, 1);
        EXPECT_EQ(reordered<uint32_t>(md, src, md, a, {scales, scales}), want) << side;
    }
    attr sum;
    sum.append_sum(1);
    EXPECT_EQ(reordered<uint32_t>(md, src, md, sum, {}, other_nan), want);
}

TEST(attributes, a_same_type_reorder_computes) {
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 0);
    const float one = 1;
    const std::vector<uint32_t> signalling {0x7f800001, 0x80000000};
    EXPECT_EQ(reordered<uint32_t>(row(2, dt::f32), signalling, row(2, dt::f32), a, {&one}),
            (std::vector<uint32_t> {0x7fc00001, 0x80000000}));
}

// ---------------------------------------------------------------- in place

TEST(attributes, in_place_every_element_is_computed_and_padding_zeroed) {
    const memory::desc md({5, 3}, dt::f32, tag::BA16a16b);
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 2);
    a.append_sum(0.5f);
    const float scales[3] = {1, 2, 3};
    const exec_args args = args_of({scales});
    floats data(md.get_size() / sizeof(float), 8.0f);
    reorder(md, md, a).execute(data.data(), data.data(), &args);
    const auto dims = md.get_dims();
    for_each_index(md.get_padded_dims(), [&](const memory::dims &i) {
        const float want = is_below(i, dims) ? 8 * scales[i[1]] + 4 : 0;
        EXPECT_EQ(data[size_t(offset_by_fields(md, i))], want);
    });
}

TEST(attributes, in_place_is_refused_where_layout_or_type_differ) {
    const memory::desc ab({2, 3}, dt::f32, tag::ab), ba({2, 3}, dt::f32, tag::ba),
            s32({2, 3}, dt::s32, tag::ab);
    attr a;
    a.append_sum(1);
    floats data(6);
    EXPECT_EQ(outcome_of([&] { reorder(ab, ba, a).execute(data.data(), data.data()); }).status,
            tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { reorder(ab, s32, a).execute(data.data(), data.data()); }).status,
            tfmt_invalid_arguments);
}

// ---------------------------------------------------------------- what is refused

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// In a process of its own, which may have so many more bytes from now on than it has. What other
// tests have freed and malloc has kept is given back before.
template <typename Body>
int exit_code_with_room_for(size_t n_bytes, Body &&body) {
    const pid_t child = fork();
    if (child == 0) {
        unsigned long n_pages = 0;
        malloc_trim(0);
        if (FILE *statm = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(statm, "%lu", &n_pages) != 1) n_pages = 0;
            std::fclose(statm);
        }
        const rlim_t most = n_pages * size_t(sysconf(_SC_PAGESIZE)) + n_bytes;
        const rlimit limit {most, most};
        if (n_pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) _exit(100);
        _exit(body());
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
            ? WEXITSTATUS(status)
            : -1;
}

TEST(attributes, no_room_for_decoded_values_is_said_and_nothing_written) {
    const int64_t n = 16 << 20; // 64 MiB of zero points as f32, which malloc keeps none of
    attr a;
    a.set_zero_points(TFMT_ARG_DST, 1, {}, dt::u4);
    const reorder r(row(n, dt::u8), row(n, dt::u8), a);
    if (r.impl_info_str().compare(0, 4, "jit:") != 0)
        GTEST_SKIP() << "portable code decodes what it needs at a time";
    const u8s src(size_t(n), 1), zero_points(size_t(n) / 2, 0x22);
    u8s dst(size_t(n), 5);
    exec_args args = args_of({nullptr, nullptr, nullptr, zero_points.data()});
    const auto execute = [&] {
        const tfmt_status_t status = tfmt_reorder_execute(r.get(), src.data(), dst.data(), &args);
        if (status != tfmt_out_of_memory) return 1;
        if (!std::strstr(tfmt_get_last_error(), "tfmt_reorder_execute: no memory")) return 2;
        return std::count(dst.begin(), dst.end(), 5) == n ? 0 : 3;
    };
    EXPECT_EQ(exit_code_with_room_for(8 << 20, execute), 0);
    r.execute(src.data(), dst.data(), &args);
    EXPECT_EQ(std::count(dst.begin(), dst.end(), 3), n);
}

#endif

TEST(attributes, values_that_are_needed_must_be_there) {
    const memory::desc md = row(2, dt::f32);
    const floats src {1, 2};
    floats dst {5, 5};
    const float scale = 1;
    const int32_t zp = 0;
    const struct {
        int arg;
        bool is_scale;
        const char *name;
        values others;
    } rows[] = {
            {TFMT_ARG_SRC, true, "args->src_scales", {nullptr, &scale, &zp, &zp}},
            {TFMT_ARG_DST, true, "args->dst_scales", {&scale, nullptr, &zp, &zp}},
            {TFMT_ARG_SRC, false, "args->src_zero_points", {&scale, &scale, nullptr, &zp}},
            {TFMT_ARG_DST, false, "args->dst_zero_points", {&scale, &scale, &zp, nullptr}},
    };
    for (const auto &r : rows) {
        attr a;
        if (r.is_scale)
            a.set_scales_mask(r.arg, 0);
        else
            a.set_zero_points_mask(r.arg, 0);
        const reorder made(md, md, a);
        const exec_args args = args_of(r.others), none;
        for (const exec_args *given : {&args, &none, static_cast<const exec_args *>(nullptr)}) {
            const auto got = outcome_of([&] { made.execute(src.data(), dst.data(), given); });
            EXPECT_EQ(got.status, tfmt_invalid_arguments);
            EXPECT_TRUE(contains(got.message, r.name)) << got.message;
        }
        EXPECT_EQ(dst, (floats {5, 5}));
    }
    const exec_args extra = args_of({&scale, &scale, &zp, &zp}); // not asked for: not looked at
    reorder(md, md).execute(src.data(), dst.data(), &extra);
    EXPECT_EQ(dst, src);
}

TEST(attributes, a_tensor_without_elements_needs_no_values) {
    const memory::desc md({0, 3}, dt::f32, tag::ab);
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 3);
    reorder(md, md, a).execute(nullptr, nullptr);
}

TEST(attributes, masks_and_groups_are_checked_against_the_dims) {
    const memory::desc md({4, 6}, dt::f32, tag::ab);
    const struct {
        int mask;
        memory::dims groups;
        const char *word;
    } rows[] = {{4, {}, "mask"}, {2, {2, 2}, "group_ndims"}, {3, {2, 4}, "divisor of 6"}};
    for (const auto &r : rows) {
        attr scales, zero_points;
        scales.set_scales(TFMT_ARG_DST, r.mask, r.groups);
        zero_points.set_zero_points(TFMT_ARG_SRC, r.mask, r.groups);
        for (const attr *a : {&scales, &zero_points}) {
            const auto got = outcome_of([&] { reorder(md, md, *a); });
            EXPECT_EQ(got.status, tfmt_invalid_arguments);
            EXPECT_TRUE(contains(got.message, r.word)) << got.message;
        }
    }
}

TEST(attributes, arguments_by_number_as_in_onednn) {
    const tensorfmt::engine e;
    const tensorfmt::stream s;
    floats scales {2}, from {1, 2, 3}, to(3);
    int32_t zp = 1;
    const memory src(row(3, dt::f32), e, from.data()), dst(row(3, dt::f32), e, to.data());
    const memory src_scales(row(1, dt::f32), e, scales.data()), dst_zp(row(1, dt::s32), e, &zp);
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 0);
    a.set_zero_points_mask(TFMT_ARG_DST, 0);
    const reorder made(src, dst, a);
    std::unordered_map<int, memory> args {{TFMT_ARG_SRC, src}, {TFMT_ARG_DST, dst},
            {TFMT_ARG_ATTR_SCALES | TFMT_ARG_SRC, src_scales},
            {TFMT_ARG_ATTR_ZERO_POINTS | TFMT_ARG_DST, dst_zp}};
    made.execute(s, args);
    EXPECT_EQ(to, (floats {3, 5, 7}));
    args.emplace(99, dst_zp);
    EXPECT_EQ(outcome_of([&] { made.execute(s, args); }).status, tfmt_invalid_arguments);
}

} // namespace
