// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <gtest/gtest.h>

using namespace api;
using tensorfmt::cpu_isa;
using tensorfmt::reorder;

namespace {

const std::vector<cpu_isa> isas = {cpu_isa::none, cpu_isa::sse41, cpu_isa::avx2,
        cpu_isa::avx512_core, cpu_isa::avx512_core_vbmi, cpu_isa::avx512_core_bf16,
        cpu_isa::avx512_core_fp16};

// Puts back what the tests of this file change for the whole process.
class machine : public ::testing::Test {
protected:
    void TearDown() override {
        tensorfmt::set_max_cpu_isa(isas.back());
        tensorfmt::set_num_threads(0);
        tensorfmt::set_kernel_cache_capacity(1024);
    }
};

} // namespace

TEST_F(machine, version_is_the_headers) {
    const auto *v = tensorfmt::version();
    ASSERT_NE(v, nullptr);
    EXPECT_EQ(v->major, TFMT_VERSION_MAJOR);
    EXPECT_EQ(v->minor, TFMT_VERSION_MINOR);
    EXPECT_EQ(v->patch, TFMT_VERSION_PATCH);
}

TEST_F(machine, every_isa_is_accepted_as_a_cap_and_obeyed) {
    const memory::desc src_md({2, 35, 9, 7}, dt::f32, tag::nhwc);
    const memory::desc dst_md({2, 35, 9, 7}, dt::f32, tag::nChw16c);
    const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
    const auto want = expected_move(src_md, src, dst_md, before);
    auto previous = cpu_isa::none;
    for (const auto isa : isas) {
        tensorfmt::set_max_cpu_isa(isa);
        const auto effective = tensorfmt::get_effective_cpu_isa();
        EXPECT_LE(effective, isa);
        EXPECT_GE(effective, previous); // a higher cap never gives less
        previous = effective;
        auto dst = before;
        const reorder r(src_md, dst_md);
        r.execute(src.data(), dst.data());
        EXPECT_EQ(dst, want) << r.impl_info_str();
        EXPECT_EQ(isa == cpu_isa::none && contains(r.impl_info_str(), "jit:"), false)
                << r.impl_info_str();
    }
}

TEST_F(machine, a_reorder_keeps_the_code_it_was_made_with) {
    const memory::desc src_md({2, 35, 9, 7}, dt::f32, tag::nhwc);
    const memory::desc dst_md({2, 35, 9, 7}, dt::f32, tag::nChw16c);
    const reorder r(src_md, dst_md);
    const auto info = r.impl_info_str();
    tensorfmt::set_max_cpu_isa(cpu_isa::none);
    EXPECT_EQ(r.impl_info_str(), info);
}

// What the cache keeps of one cap must not serve another: the code would not run where it is meant
// to, or not be what was asked for.
TEST_F(machine, caps_share_no_code) {
    const std::vector<std::string> names = {"none", "sse41", "avx2", "avx512_core",
            "avx512_core_vbmi", "avx512_core_bf16", "avx512_core_fp16"};
    const memory::desc src_md({2, 37, 9, 7}, dt::bf16, tag::nhwc);
    const memory::desc dst_md({2, 37, 9, 7}, dt::bf16, tag::nChw16c);
    const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
    const auto want = expected_move(src_md, src, dst_md, before);
    std::vector<std::string> first_infos(isas.size());
    std::vector<reorder> kept;
    for (const size_t i :
            {6, 0, 3, 1, 5, 2, 4, 0, 6, 2, 1, 4, 3, 5}) { // each by itself, then cached
        tensorfmt::set_max_cpu_isa(isas[i]);
        kept.emplace_back(src_md, dst_md);
        const std::string info = kept.back().impl_info_str();
        if (contains(info, "jit:")) {
            const auto &name = names[static_cast<size_t>(tensorfmt::get_effective_cpu_isa())];
            EXPECT_EQ(info.substr(0, info.find(',')), "jit:" + name);
        }
        if (first_infos[i].empty()) first_infos[i] = info;
        EXPECT_EQ(info, first_infos[i]) << names[i];
    }
    for (const reorder &r : kept) {
        auto dst = before;
        r.execute(src.data(), dst.data());
        EXPECT_EQ(dst, want) << r.impl_info_str();
    }
}

TEST_F(machine, unknown_isas_are_refused) {
    const auto before = tensorfmt::get_effective_cpu_isa();
    for (const int isa : {7, -1, 999}) {
        const auto got = outcome_of([&] { tensorfmt::set_max_cpu_isa(static_cast<cpu_isa>(isa)); });
        EXPECT_EQ(got.status, tfmt_invalid_arguments);
        EXPECT_TRUE(contains(got.message, "isa") && contains(got.message, std::to_string(isa)))
                << got.message;
    }
    EXPECT_EQ(tensorfmt::get_effective_cpu_isa(), before);
}

TEST_F(machine, number_of_threads) {
    EXPECT_GE(tensorfmt::get_num_threads(), 1);
    for (const int n : {1, 2, 3, 8}) {
        tensorfmt::set_num_threads(n);
        EXPECT_EQ(tensorfmt::get_num_threads(), TENSORFMT_TEST_HAS_OPENMP ? n : 1);
    }
    const auto got = outcome_of([] { tensorfmt::set_num_threads(-1); });
    EXPECT_EQ(got.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(got.message, "-1")) << got.message;
    tensorfmt::set_num_threads(0); // back to the default
    EXPECT_GE(tensorfmt::get_num_threads(), 1);
}

TEST_F(machine, any_number_of_threads_gives_the_same_bytes) {
    const memory::desc src_md({4, 67, 57, 61}, dt::f32, tag::nhwc);
    const memory::desc dst_md({4, 67, 57, 61}, dt::f32, tag::nChw16c);
    const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
    const auto want = expected_move(src_md, src, dst_md, before);
    for (const int n : {1, 2, 3, 5, 8}) {
        tensorfmt::set_num_threads(n);
        auto dst = before;
        reorder(src_md, dst_md).execute(src.data(), dst.data());
        EXPECT_EQ(dst, want) << n;
    }
}

TEST_F(machine, reorders_work_with_any_cache_capacity) {
    const auto got = outcome_of([] { tensorfmt::set_kernel_cache_capacity(-1); });
    EXPECT_EQ(got.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(got.message, "-1")) << got.message;
    EXPECT_EQ(outcome_of([] { tensorfmt::set_kernel_cache_capacity(1048577); }).status,
            tfmt_invalid_arguments);
    for (const int capacity : {0, 1, 3, 1024}) {
        tensorfmt::set_kernel_cache_capacity(capacity);
        std::vector<reorder> kept; // kernels that the cache let go must stay alive
        for (int c = 1; c <= 6; ++c)
            kept.emplace_back(memory::desc({2, 16 * c + 3, 5, 4}, dt::f32, tag::nhwc),
                    memory::desc({2, 16 * c + 3, 5, 4}, dt::f32, tag::nChw16c));
        for (int c = 1; c <= 6; ++c) {
            const memory::desc src_md({2, 16 * c + 3, 5, 4}, dt::f32, tag::nhwc);
            const memory::desc dst_md({2, 16 * c + 3, 5, 4}, dt::f32, tag::nChw16c);
            const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
            auto dst = before;
            kept[c - 1].execute(src.data(), dst.data());
            EXPECT_EQ(dst, expected_move(src_md, src, dst_md, before)) << capacity;
        }
    }
}
