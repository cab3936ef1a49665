// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <gtest/gtest.h>
#include <thread>

using namespace api;
using tensorfmt::attr;
using tensorfmt::exec_args;
using tensorfmt::reorder;

namespace {

class measured : public ::testing::Test {
protected:
    void SetUp() override { empty_the_cache(); }
    void TearDown() override { empty_the_cache(); }

    static void empty_the_cache() {
        tensorfmt::set_kernel_cache_capacity(0);
        tensorfmt::set_kernel_cache_capacity(1024);
    }
    static bool is_measured(const reorder &r) { return contains(r.impl_info_str(), "measured"); }
    // Without generated code there is nothing to choose from.
    static bool can_choose() {
        const reorder r({{8, 8}, dt::f32, tag::ab}, {{8, 8}, dt::f32, tag::ba});
        return contains(r.impl_info_str(), "jit:");
    }

    tfmt_status_t create(const memory::desc &src_md, const memory::desc &dst_md, const void *src,
            void *dst, const tfmt_exec_args_t *args = nullptr, const_tfmt_attr_t c_attr = nullptr) {
        return tfmt_reorder_create_measured(
                &created_, src_md.get(), dst_md.get(), c_attr, src, dst, args);
    }

    const memory::desc src_md_ {{2, 35, 40, 14}, dt::f32, tag::nchw};
    const memory::desc dst_md_ {{2, 35, 40, 14}, dt::f32, tag::nChw16c};
    const bytes_t src_ = pattern(src_md_.get_size(), 1);
    bytes_t dst_ = pattern(dst_md_.get_size(), 2);
    tfmt_reorder_t created_ = nullptr;
};

} // namespace

TEST_F(measured, moves_as_any_other) {
    const bytes_t before = dst_, expected = expected_move(src_md_, src_, dst_md_, before);
    const reorder r = reorder::measured(src_md_, dst_md_, src_.data(), dst_.data());
    EXPECT_EQ(dst_, expected) << "left by creating it";
    dst_ = before;
    r.execute(src_.data(), dst_.data());
    EXPECT_EQ(dst_, expected);
    EXPECT_EQ(is_measured(r), can_choose()) << r.impl_info_str();
    EXPECT_TRUE(r.src_desc() == src_md_ && r.dst_desc() == dst_md_);
}

TEST_F(measured, is_what_later_creations_find) {
    if (!can_choose()) GTEST_SKIP() << "no generated code here";
    const reorder before(src_md_, dst_md_);
    const std::string info = before.impl_info_str();
    const reorder r = reorder::measured(src_md_, dst_md_, src_.data(), dst_.data());
    const reorder after(src_md_, dst_md_);
    EXPECT_EQ(after.impl_info_str(), r.impl_info_str());
    EXPECT_TRUE(is_measured(after));
    // What was there goes on as it was, and others are others.
    EXPECT_EQ(before.impl_info_str(), info);
    EXPECT_FALSE(is_measured(before));
    EXPECT_FALSE(is_measured(reorder(dst_md_, src_md_)));
    // A reorder for any shape meets this one.
    const memory::dims any(4, TFMT_RUNTIME_DIM_VAL);
    const reorder family({any, dt::f32, tag::nchw}, {any, dt::f32, tag::nChw16c});
    exec_args args(src_md_, dst_md_);
    family.execute(src_.data(), dst_.data(), &args);
    EXPECT_TRUE(is_measured(family)) << family.impl_info_str();
}

TEST_F(measured, with_attributes_and_threads_of_the_callers) {
    attr a;
    a.set_scales(TFMT_ARG_SRC, 2, {}, dt::f32);
    const memory::desc dst_md({2, 35, 40, 14}, dt::f32, tag::nhwc);
    std::vector<float> src(2 * 35 * 40 * 14, 3), dst(src.size()), scales(35, 0.5f);
    tensorfmt::threadpool pool(2, [](int n_tasks, tensorfmt::pool_task task) {
        for (int i = 0; i < n_tasks; ++i)
            task(i);
    });
    exec_args args(pool);
    EXPECT_THROW(reorder::measured(src_md_, dst_md, a, src.data(), dst.data(), &args),
            tensorfmt::error); // no scales
    EXPECT_EQ(dst, std::vector<float>(src.size(), 0));
    args.src_scales = scales.data();
    const reorder r = reorder::measured(src_md_, dst_md, a, src.data(), dst.data(), &args);
    EXPECT_EQ(dst, std::vector<float>(src.size(), 1.5f));
    EXPECT_EQ(is_measured(r), can_choose()) << r.impl_info_str();
    EXPECT_FALSE(is_measured(reorder(src_md_, dst_md)));
}

TEST_F(measured, leaves_compensation_too) {
    const memory::desc src_md({32, 64, 3, 3}, dt::s8, tag::oihw);
    const memory::desc plain({32, 64, 3, 3}, dt::s8, "ABcd4b16a4b");
    attr a;
    a.set_compensation(tfmt_compensation_s8s8, 1, 0);
    const auto src = pattern(src_md.get_size());
    const reorder by_rules(src_md, plain, a);
    bytes_t wanted(by_rules.dst_desc().get_size()), got(wanted.size());
    by_rules.execute(src.data(), wanted.data());
    const reorder r = reorder::measured(src_md, plain, a, src.data(), got.data());
    EXPECT_EQ(got, wanted);
    EXPECT_TRUE(r.dst_desc() == by_rules.dst_desc());
    EXPECT_EQ(is_measured(r), can_choose()) << r.impl_info_str();
}

TEST_F(measured, of_nothing_touches_nothing) {
    const memory::desc none({2, 0, 3}, dt::f32, tag::abc), other({2, 0, 3}, dt::f32, tag::acb);
    EXPECT_TRUE(bool(reorder::measured(none, other, nullptr, nullptr)));
}

TEST_F(measured, refuses_what_creating_and_executing_do) {
    const bytes_t before = dst_;
    const auto expect_refused = [&](tfmt_status_t status, tfmt_status_t wanted, const char *why) {
        EXPECT_EQ(status, wanted) << why;
        EXPECT_TRUE(contains(tfmt_get_last_error(), "tfmt_reorder_create_measured: "))
                << tfmt_get_last_error();
        EXPECT_TRUE(contains(tfmt_get_last_error(), why)) << tfmt_get_last_error();
        EXPECT_EQ(created_, nullptr);
        EXPECT_EQ(dst_, before);
    };
    const memory::dims any(4, TFMT_RUNTIME_DIM_VAL);
    expect_refused(create({any, dt::f32, tag::nchw}, dst_md_, src_.data(), dst_.data()),
            tfmt_unimplemented, "runtime dims");
    expect_refused(create(src_md_, {any, dt::f32, tag::nChw16c}, src_.data(), dst_.data()),
            tfmt_unimplemented, "runtime dims");
    expect_refused(create(src_md_, {{2, 3}, dt::f32, tag::ab}, src_.data(), dst_.data()),
            tfmt_invalid_arguments, "");
    expect_refused(create(dst_md_, dst_md_, dst_.data(), dst_.data()), tfmt_invalid_arguments,
            "src_data and dst_data overlap");
    tfmt_exec_args_t args = {};
    args.struct_size = 3;
    expect_refused(create(src_md_, dst_md_, src_.data(), dst_.data(), &args),
            tfmt_invalid_arguments, "struct_size");
    args.struct_size = sizeof args;
    args.src_md = dst_md_.get();
    expect_refused(create(src_md_, dst_md_, src_.data(), dst_.data(), &args),
            tfmt_invalid_arguments, "args->src_md");
}

TEST_F(measured, while_others_execute_and_create) {
    const bytes_t expected = expected_move(src_md_, src_, dst_md_, dst_);
    std::vector<std::thread> threads;
    std::vector<bytes_t> results(3, dst_);
    for (bytes_t &dst : results)
        threads.emplace_back([&] {
            for (int i = 0; i < 3; ++i) {
                reorder::measured(src_md_, dst_md_, src_.data(), dst.data());
                for (int k = 0; k < 50; ++k)
                    reorder(src_md_, dst_md_).execute(src_.data(), dst.data());
            }
        });
    for (std::thread &t : threads)
        t.join();
    for (const bytes_t &dst : results)
        EXPECT_EQ(dst, expected);
}
