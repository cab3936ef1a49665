// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace api;
using tensorfmt::attr;
using tensorfmt::reorder;

namespace {

struct pair_t {
    memory::desc src, dst;
};

// Plain, blocked and strided layouts against each other, with tails and with gaps.
std::vector<pair_t> pairs(dt type) {
    const memory::dims acts = {2, 35, 5, 7}, weights = {20, 40, 3, 3};
    std::vector<memory::desc> a = {{acts, type, tag::nchw}, {acts, type, tag::nhwc},
            {acts, type, tag::chwn}, {acts, type, tag::nChw8c}, {acts, type, tag::nChw16c},
            {acts, type, "aBcd48b"}, {acts, type, memory::dims {2000, 50, 8, 1}},
            memory::desc({4, 40, 6, 9}, type, tag::nhwc).submemory_desc(acts, {1, 2, 1, 1})};
    std::vector<memory::desc> w = {{weights, type, tag::oihw}, {weights, type, tag::OIhw16i16o},
            {weights, type, "ABcd8b16a2b"}, {weights, type, "ABcd4b16a4b"}};
    std::vector<pair_t> result;
    for (const auto *mds : {&a, &w})
        for (const auto &src : *mds)
            for (const auto &dst : *mds)
                result.push_back({src, dst});
    return result;
}

std::string name_of(const pair_t &p) { return p.src.to_string() + " -> " + p.dst.to_string(); }

} // namespace

TEST(reorder, moves_every_element_zeroes_the_padding_and_leaves_gaps) {
    for (const auto type : {dt::u8, dt::bf16, dt::f32, dt::f64})
        for (const auto &p : pairs(type)) {
            const auto src = pattern(p.src.get_size(), 1), before = pattern(p.dst.get_size(), 2);
            auto dst = before;
            const reorder r(p.src, p.dst);
            r.execute(src.data(), dst.data());
            EXPECT_EQ(dst, expected_move(p.src, src, p.dst, before)) << name_of(p);
            EXPECT_FALSE(r.impl_info_str().empty()) << name_of(p);
        }
}

TEST(reorder, between_memory_objects_in_every_spelling) {
    using tensorfmt::engine;
    using tensorfmt::stream;
    const engine eng(engine::kind::cpu, 0);
    stream s(eng);
    const memory::desc src_md({2, 17, 5, 4}, dt::f32, tag::nhwc);
    const memory::desc dst_md({2, 17, 5, 4}, dt::f32, tag::nChw16c);
    const auto content = pattern(src_md.get_size());
    const auto expected = expected_move(src_md, content, dst_md, bytes_t(dst_md.get_size(), 0));
    memory src(src_md, eng);
    std::memcpy(src.get_data_handle(), content.data(), content.size());

    const auto run = [&](auto &&call) {
        memory dst(dst_md, eng);
        std::memset(dst.get_data_handle(), 0xee, dst_md.get_size());
        call(dst);
        EXPECT_EQ(std::memcmp(dst.get_data_handle(), expected.data(), expected.size()), 0);
    };
    run([&](memory &dst) { reorder(src, dst).execute(src, dst); });
    run([&](memory &dst) { reorder(src, dst).execute(s, src, dst); });
    run([&](memory &dst) { reorder(src, dst, attr()).execute(s, src, dst); });
    run([&](memory &dst) {
        reorder(src_md, dst_md, attr()).execute(s, {{TFMT_ARG_SRC, src}, {TFMT_ARG_DST, dst}});
    });
    run([&](memory &dst) {
        const reorder::primitive_desc pd(eng, src_md, eng, dst_md);
        EXPECT_EQ(pd.src_desc(), src_md);
        EXPECT_EQ(pd.dst_desc(), dst_md);
        EXPECT_EQ(pd.impl_info_str(), reorder(pd).impl_info_str());
        reorder(pd).execute(s, src, dst);
    });
    run([&](memory &dst) {
        reorder(reorder::primitive_desc(src, dst))
                .execute(src.get_data_handle(), dst.get_data_handle());
    });
}

TEST(reorder, argument_maps_need_source_and_destination_and_nothing_else) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    const memory src(md), dst(md);
    const reorder r(md, md);
    const tensorfmt::stream s;
    EXPECT_EQ(outcome_of([&] {
        r.execute(s, {{TFMT_ARG_SRC, src}});
    }).status,
            tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] {
        r.execute(s, {{TFMT_ARG_SRC, src}, {TFMT_ARG_DST, dst}, {99, dst}});
    }).status,
            tfmt_invalid_arguments);
    const memory none(md, TFMT_MEMORY_NONE);
    EXPECT_EQ(outcome_of([&] { r.execute(src, none); }).status, tfmt_invalid_arguments);
}

TEST(reorder, converts_between_data_types) {
    const memory::dims dims = {1, 3, 27, 39};
    const memory::desc pixels(dims, dt::u8, tag::nhwc), blocked(dims, dt::f32, tag::nChw16c);
    const auto src = pattern(pixels.get_size());
    std::vector<float> middle(blocked.get_size() / sizeof(float), -1.0f);
    bytes_t back(pixels.get_size(), 0);
    reorder(pixels, blocked).execute(src.data(), middle.data());
    for_each_index(blocked.get_padded_dims(), [&](const memory::dims &index) {
        const float want = is_below(index, dims) ? float(src[offset_by_fields(pixels, index)])
                                                 : 0.0f;
        EXPECT_EQ(middle[offset_by_fields(blocked, index)], want);
    });
    reorder(blocked, pixels).execute(middle.data(), back.data());
    EXPECT_EQ(back, src);
}

TEST(reorder, rounds_to_even_and_saturates) {
    const memory::dims dims = {12};
    const std::vector<float> src = {
            0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 126.5f, 127.5f, 300.0f, -128.5f, -1e30f, 1e30f, 0.0f};
    std::vector<int8_t> dst(12, 99);
    reorder(memory::desc(dims, dt::f32, tag::a), memory::desc(dims, dt::s8, tag::a))
            .execute(src.data(), dst.data());
    EXPECT_EQ(dst, std::vector<int8_t>({0, 2, 2, 0, -2, 126, 127, 127, -128, -128, 127, 0}));
}

TEST(reorder, of_nothing_does_nothing) {
    const memory::desc src({2, 0, 5}, dt::f32, tag::abc), dst({2, 0, 5}, dt::f32, tag::acb);
    uint8_t guard = 0x5a;
    reorder(src, dst).execute(&guard, &guard);
    EXPECT_EQ(guard, 0x5a);
}

TEST(reorder, what_cannot_be_done_is_refused) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    const auto dims = outcome_of([&] { reorder(md, memory::desc({2, 4}, dt::f32, tag::ab)); });
    EXPECT_EQ(dims.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(dims.message, "dims")) << dims.message;
    EXPECT_EQ(outcome_of([&] { reorder(md, memory::desc({6}, dt::f32, tag::a)); }).status,
            tfmt_invalid_arguments);
    const auto broadcast = outcome_of([&] { reorder(md, memory::desc({2, 3}, dt::f32, {0, 1})); });
    EXPECT_NE(broadcast.status, tfmt_success);
    EXPECT_TRUE(contains(broadcast.message, "stride")) << broadcast.message;
    const auto any = outcome_of([&] { reorder(md, memory::desc({2, 3}, dt::f32, tag::any)); });
    EXPECT_NE(any.status, tfmt_success);
    EXPECT_FALSE(any.message.empty());
}

TEST(reorder, in_place_is_a_no_op_for_equal_layouts_and_refused_otherwise) {
    const memory::desc ab({8, 8}, dt::f32, tag::ab), ba({8, 8}, dt::f32, tag::ba);
    const auto before = pattern(ab.get_size());
    auto data = before;
    reorder(ab, ab).execute(data.data(), data.data());
    EXPECT_EQ(data, before);
    const auto same = outcome_of([&] { reorder(ab, ba).execute(data.data(), data.data()); });
    EXPECT_EQ(same.status, tfmt_invalid_arguments);
    EXPECT_FALSE(same.message.empty());
    EXPECT_EQ(data, before);
    const memory::desc rows({4, 8}, dt::f32, tag::ab);
    const auto shifted = outcome_of(
            [&] { reorder(rows, rows).execute(data.data(), data.data() + 64); });
    EXPECT_EQ(shifted.status, tfmt_invalid_arguments);
    EXPECT_EQ(data, before);
}

TEST(reorder, zero_strides_of_a_source_broadcast) {
    const memory::desc src({4, 3}, dt::f32, {0, 1}), dst({4, 3}, dt::f32, tag::ab);
    const std::vector<float> row = {1, 2, 3};
    std::vector<float> got(12, -1);
    reorder(src, dst).execute(row.data(), got.data());
    EXPECT_EQ(got, std::vector<float>({1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST(reorder, explain_has_the_problem_in_it) {
    const reorder r(memory::desc({2, 17, 5, 4}, dt::f32, tag::nhwc),
            memory::desc({2, 17, 5, 4}, dt::f32, tag::nChw16c));
    const auto text = r.explain();
    EXPECT_TRUE(contains(text, "f32")) << text;
    EXPECT_TRUE(contains(text, "17")) << text;
    EXPECT_GT(text.size(), r.impl_info_str().size());
    // A buffer that is too small is refused and stays as it is; the size that is needed is told.
    size_t needed_bytes = 0;
    ASSERT_EQ(tfmt_reorder_explain(r.get(), nullptr, &needed_bytes), tfmt_success);
    std::vector<char> small(needed_bytes, 'x');
    size_t size_bytes = needed_bytes - 1;
    EXPECT_EQ(tfmt_reorder_explain(r.get(), small.data(), &size_bytes), tfmt_invalid_arguments);
    EXPECT_EQ(small, std::vector<char>(needed_bytes, 'x'));
}

// Of descriptors that are equal one serves all from the cache, but each reorder says its own.
TEST(reorder, knows_its_descriptors_to_the_last_unused_stride) {
    const memory::dims dims = {1, 17, 5}, dense = {85, 5, 1}, other = {1000, 5, 1};
    const memory::desc a(dims, dt::f32, dense), b(dims, dt::f32, other);
    const memory::desc to(dims, dt::f32, "aBc8b");
    ASSERT_EQ(a, b);
    const reorder first(a, to), second(b, to), back(to, b), back_again(to, a);
    tensorfmt::set_kernel_cache_capacity(0);
    EXPECT_EQ(first.src_desc().get_strides(), dense);
    EXPECT_EQ(second.src_desc().get_strides(), other);
    EXPECT_EQ(second.dst_desc(), to);
    EXPECT_EQ(back.dst_desc().get_strides(), other);
    EXPECT_EQ(back_again.dst_desc().get_strides(), dense);
    tensorfmt::set_kernel_cache_capacity(1024);
}

TEST(reorder, unknown_queries_are_refused) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    const reorder r(md, md);
    const char *untouched = "untouched", *info = untouched;
    EXPECT_EQ(tfmt_reorder_query(r.get(), tfmt_query_ndims_s32, &info), tfmt_invalid_arguments);
    EXPECT_EQ(info, untouched);
    EXPECT_EQ(tfmt_memory_desc_query(md.get(), tfmt_query_impl_info_str, &info),
            tfmt_invalid_arguments);
    EXPECT_EQ(info, untouched);
}

// ---------------------------------------------------------------- attributes and their arguments

TEST(reorder, default_attributes_change_nothing) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    EXPECT_EQ(reorder(md, md, attr()).impl_info_str(), reorder(md, md).impl_info_str());
}

TEST(reorder, an_attribute_that_does_not_go_with_the_dims_makes_no_primitive_desc) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    attr a;
    a.set_scales_mask(TFMT_ARG_SRC, 4);
    EXPECT_EQ(outcome_of([&] { reorder(md, md, a); }).status, tfmt_invalid_arguments);
    EXPECT_FALSE(
            reorder::primitive_desc(tensorfmt::engine(), md, tensorfmt::engine(), md, a, true));
    EXPECT_FALSE(reorder::primitive_desc(memory(), memory(), attr(), true));
    EXPECT_EQ(outcome_of([&] { reorder r {reorder::primitive_desc()}; }).status,
            tfmt_invalid_arguments);
}

TEST(reorder, attribute_arguments_are_validated) {
    attr a;
    const tfmt_dims_t groups = {1};
    const auto arg = outcome_of([&] { a.set_scales(5, 0); });
    EXPECT_EQ(arg.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(arg.message, "arg") && contains(arg.message, "5")) << arg.message;
    EXPECT_EQ(outcome_of([&] { a.set_zero_points(0, 0); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { a.set_scales(TFMT_ARG_SRC, -1); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(
            outcome_of([&] { a.set_scales(TFMT_ARG_SRC, 0, {0}); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { a.set_scales(TFMT_ARG_SRC, 0, {}, dt::undef); }).status,
            tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_attr_set_scales(a.get(), TFMT_ARG_SRC, 0, 1, nullptr, tfmt_f32),
            tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_attr_set_scales(a.get(), TFMT_ARG_SRC, 0, 99, groups, tfmt_f32),
            tfmt_invalid_arguments);
    // None of the refused calls left anything behind.
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    EXPECT_EQ(outcome_of([&] { reorder(md, md, a); }).status, tfmt_success);
}

TEST(reorder, exec_args_state_their_size_and_are_empty_at_first) {
    const memory::desc src_md({2, 17}, dt::f32, tag::ab), dst_md({2, 17}, dt::f32, tag::ba);
    const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
    auto dst = before;
    const tensorfmt::exec_args args;
    EXPECT_EQ(args.struct_size, sizeof(tfmt_exec_args_t));
    EXPECT_EQ(args.src_scales, nullptr);
    EXPECT_EQ(args.dst_scales, nullptr);
    EXPECT_EQ(args.src_zero_points, nullptr);
    EXPECT_EQ(args.dst_zero_points, nullptr);
    EXPECT_EQ(args.threadpool, nullptr);
    reorder(src_md, dst_md).execute(src.data(), dst.data(), &args);
    EXPECT_EQ(dst, expected_move(src_md, src, dst_md, before));
}

TEST(reorder, exec_args_of_an_unknown_size_are_refused) {
    const memory::desc src_md({2, 17}, dt::f32, tag::ab), dst_md({2, 17}, dt::f32, tag::ba);
    const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
    auto dst = before;
    const reorder r(src_md, dst_md);
    for (size_t size : {size_t(0), sizeof(tfmt_exec_args_t) - 1, sizeof(tfmt_exec_args_t) + 8}) {
        tensorfmt::exec_args args;
        args.struct_size = size;
        EXPECT_EQ(tfmt_reorder_execute(r.get(), src.data(), dst.data(), &args),
                tfmt_invalid_arguments);
        EXPECT_NE(std::string(tfmt_get_last_error()).find("struct_size"), std::string::npos);
        EXPECT_EQ(dst, before);
    }
}

// ---------------------------------------------------------------- threads

TEST(reorder, one_reorder_is_executed_by_eight_threads_at_once) {
    const memory::desc src_md({2, 35, 9, 7}, dt::f32, tag::nhwc);
    const memory::desc dst_md({2, 35, 9, 7}, dt::f32, tag::nChw16c);
    const reorder r(src_md, dst_md);
    std::atomic<int> ready {0}, wrong {0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            const auto src = pattern(src_md.get_size(), t);
            const auto before = pattern(dst_md.get_size(), 100 + t);
            const auto want = expected_move(src_md, src, dst_md, before);
            for (++ready; ready < 8;)
                std::this_thread::yield();
            for (int i = 0; i < 200; ++i) {
                auto dst = before;
                r.execute(src.data(), dst.data());
                wrong += dst != want;
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

// Farther apart than memory reaches: no plan is made whose numbers might overflow.
TEST(reorder, of_impossible_spans_can_be_made) {
    const int64_t far = int64_t {1} << 57;
    const memory::desc near_md({1, 3, 1, 17}, dt::bf16, tag::abcd);
    const memory::desc far_md({1, 3, 1, 17}, dt::bf16, {1, far + 17, 1, 1});
    for (const reorder &r : {reorder(far_md, near_md), reorder(near_md, far_md)})
        EXPECT_TRUE(contains(r.impl_info_str(), "ref:")) << r.impl_info_str();
}

TEST(reorder, eight_threads_create_and_destroy_the_same_reorders) {
    const auto all = pairs(dt::f32);
    std::atomic<int> wrong {0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (size_t i = t; i < 3 * all.size(); i += 2) {
                const auto &p = all[i % all.size()];
                const auto src = pattern(p.src.get_size(), t);
                const auto before = pattern(p.dst.get_size(), 100 + t);
                auto dst = before;
                reorder(p.src, p.dst).execute(src.data(), dst.data());
                wrong += dst != expected_move(p.src, src, p.dst, before);
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(last_error, is_the_calling_threads_own) {
    EXPECT_NE(tfmt_memory_desc_clone(nullptr, nullptr), tfmt_success);
    const std::string mine = tfmt_get_last_error();
    EXPECT_FALSE(mine.empty());
    std::string at_first = "unset", theirs;
    std::thread([&] {
        at_first = tfmt_get_last_error();
        EXPECT_NE(tfmt_attr_create(nullptr), tfmt_success);
        theirs = tfmt_get_last_error();
    }).join();
    EXPECT_EQ(at_first, "");
    EXPECT_TRUE(contains(theirs, "tfmt_attr_create")) << theirs;
    EXPECT_EQ(tfmt_get_last_error(), mine);
}
