// SPDX-License-Identifier: Apache-2.0
// Compensation through the public interfaces: queries, the attribute, what is refused where.
#include <gtest/gtest.h>

#include <cmath>

#include "api_helpers.hpp"

using namespace api;
using tensorfmt::attr;
using tensorfmt::reorder;

namespace {

const int both = tfmt_compensation_s8s8 | tfmt_compensation_asymmetric_src;

memory::desc weights() { return memory::desc({20, 3, 3, 3}, dt::s8, "OIhw4i16o4i"); }

int32_t entry(const bytes_t &bytes, int64_t offset_bytes, int64_t number) {
    int32_t value = 0;
    std::memcpy(&value, &bytes[size_t(offset_bytes + number * 4)], 4);
    return value;
}

// Of row o of `elements`, an s8 tensor whose first dimension is o.
int32_t sum_of_row(const memory::desc &md, const bytes_t &elements, int64_t o) {
    int32_t sum = 0;
    for_each_index(md.get_dims(), [&](const memory::dims &index) {
        if (index[0] == o)
            sum += static_cast<int8_t>(elements[size_t(offset_by_fields(md, index))]);
    });
    return sum;
}

} // namespace

TEST(compensation_api, queries) {
    const memory::desc md = weights().with_compensation(both, 1, 3);
    EXPECT_EQ(md.get_compensation_flags(), both);
    EXPECT_EQ(md.get_s8s8_compensation_mask(), 1);
    EXPECT_EQ(md.get_asymmetric_compensation_mask(), 3);
    EXPECT_EQ(md.get_s8s8_compensation_offset(), 4608);
    EXPECT_EQ(md.get_asymmetric_compensation_offset(), 4608 + 32 * 4);
    EXPECT_EQ(md.get_size(), 4608u + 32 * 4 + 32 * 16 * 4);
    EXPECT_EQ(md.get_format_tag(), tag::OIhw4i16o4i);
    EXPECT_NE(md, weights());
    EXPECT_EQ(md.with_compensation(tfmt_compensation_none), weights());
    EXPECT_EQ(memory::desc(md.get_blob()), md);
    EXPECT_EQ(memory::desc::from_string(md.to_string()), md);

    const memory::desc none = weights();
    EXPECT_EQ(none.get_compensation_flags(), 0);
    EXPECT_EQ(none.get_s8s8_compensation_mask(), 0);
    const auto refused = outcome_of([&] { none.get_s8s8_compensation_offset(); });
    EXPECT_EQ(refused.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(refused.message, "compensation"));
    EXPECT_EQ(outcome_of([&] {
        memory::desc({0, 3}, dt::s8, "ab").with_compensation(both).get_s8s8_compensation_offset();
    }).status,
            tfmt_invalid_arguments);
}

TEST(compensation_api, the_attribute_puts_it_behind_the_destination) {
    const memory::desc src({20, 3, 3, 3}, dt::s8, "oihw");
    attr a;
    a.set_compensation(both, 1, 1);
    const reorder r(src, weights(), a);
    EXPECT_EQ(r.src_desc(), src);
    ASSERT_EQ(r.dst_desc(), weights().with_compensation(both, 1, 1));
    const bytes_t from = pattern(src.get_size());
    bytes_t to = pattern(r.dst_desc().get_size(), 2);
    r.execute(from.data(), to.data());
    for (int64_t o = 0; o < 32; ++o) {
        const int32_t sum = o < 20 ? sum_of_row(src, from, o) : 0;
        ASSERT_EQ(entry(to, 4608, o), -128 * sum) << o;
        ASSERT_EQ(entry(to, 4736, o), -sum) << o;
    }
    // Nothing asked for is as before, and the descriptor may say the same as the attribute.
    a.set_compensation(tfmt_compensation_none);
    EXPECT_EQ(reorder(src, weights(), a).dst_desc(), weights());
    a.set_compensation(both, 1, 1);
    const memory::desc full = weights().with_compensation(both, 1, 1);
    EXPECT_EQ(reorder(src, full, a).dst_desc(), full);
    EXPECT_TRUE(contains(reorder(src, full).explain(), "-128"));
    // A source keeps its own, though the elements alone are moved.
    EXPECT_EQ(reorder(full, weights()).src_desc(), full);
}

// The sums are of what was stored, after the scale and its rounding.
TEST(compensation_api, sums_are_of_the_quantised_elements) {
    const memory::desc src({5, 7}, dt::f32, "ab"), dst({5, 7}, dt::s8, "ba");
    attr a;
    a.set_scales(TFMT_ARG_DST, 1);
    a.set_compensation(tfmt_compensation_asymmetric_src, 0, 1);
    std::vector<float> from(35), scales = {0.5f, 1.f, 3.f, 0.25f, 0.01f};
    for (size_t i = 0; i < from.size(); ++i)
        from[i] = float(i % 11) * 1.7f - 6.f;
    const reorder r(src, dst, a);
    bytes_t to(r.dst_desc().get_size(), 0x55);
    tensorfmt::exec_args args;
    args.dst_scales = scales.data();
    r.execute(from.data(), to.data(), &args);
    for (size_t row = 0; row < 5; ++row) {
        int32_t sum = 0;
        for (size_t k = 0; k < 7; ++k) {
            const float t = std::nearbyint(from[row * 7 + k] / scales[row]);
            sum += static_cast<int32_t>(std::max(-128.f, std::min(127.f, t)));
        }
        EXPECT_EQ(entry(to, 36, int64_t(row)), -sum) << row;
    }
}

TEST(compensation_api, refusals) {
    const memory::desc src({20, 3, 3, 3}, dt::s8, "oihw");
    attr a;
    EXPECT_EQ(outcome_of([&] { a.set_compensation(4); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { a.set_compensation(1, -1); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { a.set_compensation(1, 1 << 12); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { a.set_compensation(1, 1, 1); }).status, tfmt_invalid_arguments);
    const auto refused = [&](const memory::desc &from, const memory::desc &to, const char *words) {
        const auto got = outcome_of([&] { reorder(from, to, a); });
        EXPECT_EQ(got.status, tfmt_invalid_arguments);
        EXPECT_TRUE(contains(got.message, words)) << got.message;
    };
    a.set_compensation(tfmt_compensation_s8s8, 16);
    refused(src, weights(), "s8s8_mask");
    a.set_compensation(tfmt_compensation_s8s8, 1);
    refused(src, src.with_data_type(dt::u8), "s8");
    refused(src, weights().with_compensation(tfmt_compensation_s8s8, 3), "attr");
    refused(src, memory::desc({20, 3, 3, 3}, dt::s8, tag::any), "dst has no layout");

    tfmt_memory_desc_t md = nullptr;
    EXPECT_EQ(tfmt_memory_desc_create_with_compensation(nullptr, src.get(), 1, 1, 0),
            tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_memory_desc_create_with_compensation(&md, nullptr, 1, 1, 0),
            tfmt_invalid_arguments);
    EXPECT_EQ(md, nullptr);
    EXPECT_EQ(tfmt_attr_set_compensation(nullptr, 1, 1, 0), tfmt_invalid_arguments);
}

// What args say of dst is what the reorder was created with.
TEST(compensation_api, of_the_descriptor_in_args) {
    const memory::desc src({20, 3, 3, 3}, dt::s8, "oihw"), plain = weights();
    const memory::desc full = plain.with_compensation(both, 1, 1),
                       other = plain.with_compensation(tfmt_compensation_s8s8, 1);
    attr asks;
    asks.set_compensation(both, 1, 1);
    const bytes_t from = pattern(src.get_size());
    bytes_t to(full.get_size());
    const auto status = [&](const reorder &r, const memory::desc &dst_md) {
        const tensorfmt::exec_args args(src, dst_md);
        const auto got = outcome_of([&] { r.execute(from.data(), to.data(), &args); });
        if (got.status != tfmt_success) {
            EXPECT_TRUE(contains(got.message, "args->dst_md has another compensation"));
        }
        return got.status;
    };
    const reorder without(src, plain), with(src, full), asked(src, plain, asks);
    EXPECT_EQ(status(without, plain), tfmt_success);
    EXPECT_EQ(status(with, full), tfmt_success);
    EXPECT_EQ(status(asked, full), tfmt_success);
    EXPECT_EQ(status(asked, plain), tfmt_success); // attr says the rest
    EXPECT_EQ(status(without, full), tfmt_invalid_arguments);
    EXPECT_EQ(status(with, plain), tfmt_invalid_arguments);
    // Also where src has runtime dims.
    const memory::desc any({TFMT_RUNTIME_DIM_VAL, 3, 3, 3}, dt::s8, "oihw");
    const reorder from_any(any, full), asked_from_any(any, plain, asks);
    EXPECT_EQ(status(from_any, full), tfmt_success);
    EXPECT_EQ(status(from_any, plain), tfmt_invalid_arguments);
    EXPECT_EQ(status(asked_from_any, plain), tfmt_success);
    for (const reorder *r : {&without, &with, &asked, &from_any})
        EXPECT_EQ(status(*r, other), tfmt_invalid_arguments);
}

// A memory object has room for it; its padding is zeroed and the arrays are left alone.
TEST(compensation_api, memory_objects) {
    const memory::desc md = weights().with_compensation(both, 1, 1);
    bytes_t data = pattern(md.get_size());
    const bytes_t wanted = with_zero_padding(md, data);
    const memory m(md, data.data());
    EXPECT_EQ(data, wanted);
    const memory own(md);
    EXPECT_EQ(own.get_desc().get_size(), md.get_size());
}
