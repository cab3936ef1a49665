// SPDX-License-Identifier: Apache-2.0
// Products with reciprocals in place of quotients by destination scales, as on machines where
// quotients take long: around the ties of integers and of the floats beside them, with scales to
// both ends of what are_tame() allows and beyond. Against division in plain C++.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "api/attr.hpp"
#include "common/data_type.hpp"
#include "common/normalize.hpp"
#include "cpu/generated.hpp"
#include "cpu/products_or_quotients.hpp"
#include "support/attributes.hpp"
#include "support/random_desc.hpp"
#include "tests/unit/kernel_helpers.hpp"

namespace {

using namespace kernel_test;

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

struct integer_type {
    tfmt_data_type_t type;
    int lowest, highest;
};

int expected_of(float t, float scale, const int32_t *zero_point, const integer_type &to) {
    volatile float quotient = t / scale; // rounded by itself
    volatile float sum = zero_point ? quotient + float(*zero_point) : quotient;
    if (std::isnan(sum)) return 0;
    return int(
            std::nearbyint(std::min(std::max(double(sum), double(to.lowest)), double(to.highest))));
}

int element_of(const std::vector<uint8_t> &dst, size_t i, const integer_type &type) {
    const int byte = dst[type.highest < 16 ? i / 2 : i];
    const int bits = type.highest >= 16 ? byte : i % 2 ? byte >> 4 : byte & 15;
    const int range = type.highest >= 16 ? 256 : 16;
    return type.lowest < 0 && bits >= range / 2 ? bits - range : bits;
}

// Numbers whose quotients by `scale` are ties of integers, if they are numbers, and neighbours.
std::vector<float> dividends(float scale, size_t n, tfmt_test::random_source &random) {
    std::vector<float> list = {
            0, -0.f, inf, -inf, nan, 1e-45f, -1e-45f, 0x1p-126f, 0x1p127f, -0x1.fffffep127f, 1, -1};
    while (list.size() < n) {
        const double tie = double(random.between(-600, 600)) / 2;
        float t = float(tie * double(scale));
        for (int64_t steps = random.between(-3, 3); steps != 0; steps += steps < 0 ? 1 : -1)
            t = std::nextafter(t, steps < 0 ? -inf : inf);
        list.push_back(t);
    }
    return list;
}

float scale_between(int least_exponent, int most_exponent, tfmt_test::random_source &random) {
    const double fraction = 1 + double(random.below(1 << 23)) * 0x1p-23;
    const int exponent = int(random.between(least_exponent, most_exponent));
    return float(std::ldexp(random.below(4) ? fraction : -fraction, exponent));
}

class QuotientsOn : public testing::TestWithParam<named_machine> {
protected:
    void SetUp() override {
        const isa_info host = describe(GetParam().isa);
        if (host.isa != GetParam().isa || (GetParam().has_vbmi && !host.has_vbmi))
            GTEST_SKIP() << "the host has no " << GetParam().name;
        m_ = make_machine(GetParam(), caches::all);
        m_.has_slow_quotients = true;
    }

    // n x n elements with a scale for each index of the masked dimension.
    void check(const integer_type &to, int mask, const std::vector<float> &scales,
            const int32_t *zero_point, uint64_t seed) {
        const size_t n = scales.size();
        const tfmt_test::dims dims {int64_t(n), int64_t(n)};
        tfmt_test::attributes attr;
        const size_t n_scales = mask == 0 ? 1 : n;
        attr.dst_scales = {true, mask, {}, tfmt_f32, std::vector<uint8_t>(4 * n_scales)};
        std::memcpy(attr.dst_scales.values.data(), scales.data(), 4 * n_scales);
        if (zero_point) {
            attr.dst_zero_points = {true, 0, {}, tfmt_s32, std::vector<uint8_t>(4)};
            std::memcpy(attr.dst_zero_points.values.data(), zero_point, 4);
        }
        const auto src_md = tfmt_test::make_with_tag(dims, tfmt_f32, "ab");
        const auto dst_md = tfmt_test::make_with_tag(dims, to.type, "ab");
        std::string why;
        const auto made = make_generated(
                make_problem(*src_md, *dst_md, *tfmt_test::make_attr(attr)), plan_mode::move, m_,
                &why);
        ASSERT_TRUE(made) << why;
        ASSERT_NE(made->explain().find("by products with reciprocals"), std::string::npos);

        const auto scale_of = [&](size_t row, size_t column) {
            return scales[mask == 0 ? 0 : mask == 1 ? row : column];
        };
        tfmt_test::random_source random(seed);
        std::vector<float> src(n * n);
        for (size_t k = 0; k < n; k++) {
            const std::vector<float> list = dividends(scale_of(k, k), n, random);
            for (size_t i = 0; i < n; i++)
                src[mask == 2 ? i * n + k : k * n + i] = list[i];
        }
        std::vector<uint8_t> dst(n * n);
        const tfmt_exec_args_t args = exec_args_of(attr);
        const execution e {src.data(), dst.data(), nullptr, args.dst_scales, nullptr,
                args.dst_zero_points, nullptr};
        ASSERT_EQ(made->execute(e), tfmt_success);
        for (size_t i = 0; i < n * n; i++) {
            const float scale = scale_of(i / n, i % n);
            ASSERT_EQ(element_of(dst, i, to), expected_of(src[i], scale, zero_point, to))
                    << src[i] << " / " << scale << (zero_point ? " + zero point" : "") << ", mask "
                    << mask;
        }
    }

    machine m_;
};

const integer_type integers[] = {
        {tfmt_s8, -128, 127}, {tfmt_u8, 0, 255}, {tfmt_s4, -8, 7}, {tfmt_u4, 0, 15}};

TEST_P(QuotientsOn, TameScales) {
    const int n_cases = tfmt_test::scaled(12);
    uint64_t seed = 0;
    for (const integer_type &to : integers)
        for (int mask : {0, 1, 2})
            for (int i = 0; i < n_cases; i++) {
                tfmt_test::random_source random(++seed);
                std::vector<float> scales;
                while (scales.size() < 70)
                    scales.push_back(i % 2 ? scale_between(-60, 119, random)
                                           : scale_between(-12, 3, random));
                const int32_t zero_points[] = {3, -100, 2147483647, -2147483647 - 1};
                check(to, mask, scales, i % 2 ? &zero_points[i / 2 % 4] : nullptr, seed);
                if (HasFatalFailure()) return;
            }
}

// One of them is enough.
TEST_P(QuotientsOn, OtherScalesDivide) {
    uint64_t seed = 0;
    for (float other :
            {0.f, inf, -inf, nan, 1e-45f, 0x1p-126f, 0x1p-61f, 0x1p121f, 0x1.fffffep127f})
        for (int mask : {0, 1, 2}) {
            tfmt_test::random_source random(++seed);
            std::vector<float> scales;
            while (scales.size() < 66)
                scales.push_back(scale_between(-3, 3, random));
            scales[mask == 0 ? 0 : size_t(random.below(66))] = other;
            check(integers[0], mask, scales, nullptr, seed);
            if (HasFatalFailure()) return;
        }
}

INSTANTIATE_TEST_SUITE_P(
        Machines, QuotientsOn, testing::Values(machines[2], machines[3]), test_name_of);

TEST(TakeProducts, WhereTheyAreQuotients) {
    const auto takes = [](tfmt_data_type_t src, tfmt_data_type_t dst, tfmt_data_type_t scale,
                               tfmt::dim_t n_scales = 8) {
        reorder_problem p {};
        p.limits.push_back({64, 64});
        p.limits.push_back({8, 32});
        p.quant.dst_scales.count = n_scales;
        p.src_type = src;
        p.dst_type = dst;
        p.dst_elem_bits = tfmt::bits_of(dst);
        p.quant.dst_scales.is_set = scale != tfmt_data_type_undef;
        p.quant.dst_scales.type = scale;
        return tfmt::take_products(p);
    };
    EXPECT_TRUE(takes(tfmt_f32, tfmt_s8, tfmt_f32));
    EXPECT_TRUE(takes(tfmt_bf16, tfmt_u4, tfmt_bf16));
    EXPECT_TRUE(takes(tfmt_f32, tfmt_u8, tfmt_f16));
    EXPECT_FALSE(takes(tfmt_bf16, tfmt_u8, tfmt_f16)); // a product on a grid does
    EXPECT_FALSE(takes(tfmt_f32, tfmt_s8, tfmt_e8m0)); // any product does
    EXPECT_FALSE(takes(tfmt_f32, tfmt_f16, tfmt_f32)); // has denormal numbers
    EXPECT_FALSE(takes(tfmt_f32, tfmt_s32, tfmt_f32)); // in f64
    EXPECT_FALSE(takes(tfmt_f32, tfmt_s8, tfmt_data_type_undef));
    EXPECT_FALSE(takes(tfmt_f32, tfmt_s8, tfmt_f32, 9)); // less than 64 elements for each
}

TEST(TakeProducts, TameScales) {
    const auto is_tame = [](float scale) { return tfmt::are_tame(&scale, 1); };
    for (float scale : {1.f, -1.f, 0x1p-60f, 0x1p120f, -0x1p-60f})
        EXPECT_TRUE(is_tame(scale)) << scale;
    for (float scale :
            {0.f, -0.f, inf, -inf, nan, 1e-45f, 0x1.fffffep-61f, 0x1.000002p120f, -0x1p121f})
        EXPECT_FALSE(is_tame(scale)) << scale;
    EXPECT_TRUE(tfmt::are_tame(nullptr, 0));
}

// Says that it was executed, and with what.
class recording final : public implementation {
public:
    explicit recording(const char *name) { info_ = name; }
    tfmt_status_t execute(const execution &) const noexcept override {
        n_executed++;
        return tfmt_success;
    }
    std::string explain() const override { return info_; }
    mutable int n_executed = 0;
};

// All scales are looked at, whatever their type, and those of each execution.
TEST(ProductsOrQuotients, ChoosesByTheScalesOfEachExecution) {
    const auto products = std::make_shared<recording>("products");
    const auto quotients = std::make_shared<recording>("quotients");
    tfmt::parameter scales;
    scales.is_set = true;
    scales.type = tfmt_bf16;
    scales.count = 600;
    const tfmt::cpu::products_or_quotients either(scales, products, quotients);
    constexpr uint16_t one = 0x3f80, infinity = 0x7f80;
    std::vector<uint16_t> values(600, one);
    execution e {nullptr, nullptr};
    e.dst_scales = values.data();
    EXPECT_EQ(either.execute(e), tfmt_success);
    EXPECT_EQ(products->n_executed, 1);
    EXPECT_EQ(quotients->n_executed, 0);
    for (size_t i : {0, 255, 256, 599}) {
        values[i] = infinity;
        either.execute(e);
        values[i] = one;
    }
    EXPECT_EQ(products->n_executed, 1);
    EXPECT_EQ(quotients->n_executed, 4);
    either.execute(e);
    EXPECT_EQ(products->n_executed, 2);
    EXPECT_EQ(either.info(), "products");
}

} // namespace
