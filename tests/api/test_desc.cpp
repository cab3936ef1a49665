// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <gtest/gtest.h>
#include <unordered_map>

using namespace api;

TEST(desc, by_tag_has_padded_dims_and_strides) {
    const memory::desc md({2, 40, 5, 4}, dt::f32, tag::nChw16c);
    EXPECT_EQ(md.get_ndims(), 4);
    EXPECT_EQ(md.get_dims(), memory::dims({2, 40, 5, 4}));
    EXPECT_EQ(md.get_padded_dims(), memory::dims({2, 48, 5, 4}));
    EXPECT_EQ(md.get_padded_offsets(), memory::dims({0, 0, 0, 0}));
    EXPECT_EQ(md.get_strides(), memory::dims({960, 320, 64, 16}));
    EXPECT_EQ(md.get_inner_nblks(), 1);
    EXPECT_EQ(md.get_inner_blks(), memory::dims({16}));
    EXPECT_EQ(md.get_inner_idxs(), memory::dims({1}));
    EXPECT_EQ(md.get_submemory_offset(), 0);
    EXPECT_EQ(md.get_data_type(), dt::f32);
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::blocked);
    EXPECT_EQ(md.get_format_tag(), tag::nChw16c);
    EXPECT_EQ(md.get_size(), 2u * 48 * 5 * 4 * 4);
    EXPECT_FALSE(md.is_zero());
}

TEST(desc, strides_may_be_a_braced_list_of_any_length_and_value) {
    EXPECT_EQ(memory::desc({7}, dt::f32, {1}), memory::desc({7}, dt::f32, tag::a));
    EXPECT_EQ(memory::desc({2, 3}, dt::f32, {3, 1}), memory::desc({2, 3}, dt::f32, tag::ab));
    EXPECT_EQ(memory::desc({7}, dt::f32, {0}).get_size(), 4u); // broadcast
    EXPECT_EQ(memory::desc({2, 3}, dt::f32, memory::dims()),   // dense
            memory::desc({2, 3}, dt::f32, tag::ab));
}

TEST(desc, by_blocking_equals_by_tag) {
    EXPECT_EQ(memory::desc({20, 30, 3, 3}, dt::bf16, {}, {8, 16, 2}, {1, 0, 1}),
            memory::desc({20, 30, 3, 3}, dt::bf16, "ABcd8b16a2b"));
    EXPECT_EQ(memory::desc({2, 17, 5, 4}, dt::f32, {480, 160, 32, 8}, {8}, {1}),
            memory::desc({2, 17, 5, 4}, dt::f32, tag::nChw8c));
}

TEST(desc, sizes_that_do_not_fit_together_are_refused) {
    const auto strides = outcome_of([] { memory::desc({2, 3}, dt::f32, {1}); });
    EXPECT_EQ(strides.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(strides.message, "strides")) << strides.message;
    const auto too_many = outcome_of([] { memory::desc(memory::dims(13, 1), dt::f32, tag::a); });
    EXPECT_EQ(too_many.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(too_many.message, "13")) << too_many.message;
    const auto idxs = outcome_of([] { memory::desc({2, 3}, dt::f32, {}, {8}, {}); });
    EXPECT_EQ(idxs.status, tfmt_invalid_arguments);
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    EXPECT_EQ(outcome_of([&] { md.permute_axes({0}); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { md.submemory_desc({1}, {0, 0}); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { md.get_offset({1}); }).status, tfmt_invalid_arguments);
}

TEST(desc, errors_carry_status_and_message) {
    const auto wrong_rank = outcome_of([] { memory::desc({2, 3}, dt::f32, tag::nchw); });
    EXPECT_EQ(wrong_rank.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(wrong_rank.message, "tfmt_memory_desc_create_with_tag"))
            << wrong_rank.message;
    const auto negative = outcome_of([] { memory::desc({2, -3}, dt::f32, tag::ab); });
    EXPECT_EQ(negative.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(negative.message, "-3")) << negative.message;
    const auto huge = outcome_of([] {
        memory::desc({int64_t(1) << 40, 1 << 30}, dt::f64, tag::ab);
    });
    EXPECT_EQ(huge.status, tfmt_invalid_arguments);
    const auto overlap = outcome_of([] { memory::desc({4, 4}, dt::f32, {2, 1}); });
    EXPECT_EQ(overlap.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(overlap.message, "stride")) << overlap.message;
}

TEST(desc, a_thrown_error_keeps_its_message_when_copied_and_after_other_calls) {
    std::unique_ptr<tensorfmt::error> kept;
    try {
        memory::desc({2, -3}, dt::f32, tag::ab);
    } catch (const tensorfmt::error &e) { kept = std::make_unique<tensorfmt::error>(e); }
    ASSERT_TRUE(kept);
    outcome_of([] { memory::desc({2, 3}, dt::f32, "nope"); });
    EXPECT_TRUE(contains(kept->message, "-3"));
    EXPECT_STREQ(kept->what(), kept->message);
}

TEST(desc, wrap_c_api_puts_the_context_before_the_message) {
    const auto got = outcome_of([] {
        tensorfmt::error::wrap_c_api(tfmt_memory_desc_clone(nullptr, nullptr), "could not clone");
    });
    EXPECT_EQ(got.status, tfmt_invalid_arguments);
    EXPECT_EQ(got.message.rfind("could not clone: tfmt_memory_desc_clone", 0), 0u) << got.message;
}

TEST(desc, a_text_that_grows_between_the_two_calls_is_read_whole) {
    const char *texts[] = {"short", "a long one", "a long one", "a long one"};
    int n_calls = 0;
    const auto grows = [&](char *buffer, size_t *size_bytes) {
        const std::string text = texts[std::min(n_calls++, 3)];
        const bool fits = !buffer || *size_bytes > text.size();
        if (buffer && fits) std::strcpy(buffer, text.c_str());
        *size_bytes = text.size();
        return fits ? tfmt_success : tfmt_invalid_arguments;
    };
    EXPECT_EQ(tensorfmt::detail::read_string(grows), "a long one");
    const auto fails = [](char *buffer, size_t *) {
        return buffer ? tfmt_runtime_error : tfmt_success;
    };
    EXPECT_EQ(
            outcome_of([&] { tensorfmt::detail::read_string(fails); }).status, tfmt_runtime_error);
}

TEST(desc, a_part_without_elements_of_a_complete_descriptor_is_complete) {
    const memory::desc parent({1, 4}, dt::f32, {TFMT_RUNTIME_DIM_VAL, 1});
    EXPECT_EQ(parent.get_size(), 16u);
    const memory::desc part = parent.submemory_desc({0, 4}, {0, 0});
    EXPECT_EQ(part.get_size(), 0u);
    EXPECT_EQ(tfmt_zero_pad(part.get(), nullptr), tfmt_success) << tfmt_get_last_error();
}

TEST(desc, allow_empty_turns_every_failure_into_an_empty_descriptor) {
    EXPECT_TRUE(memory::desc({2, -3}, dt::f32, tag::ab, true).is_zero());
    EXPECT_TRUE(memory::desc({4, 4}, dt::f32, {2, 1}, true).is_zero());
    EXPECT_TRUE(memory::desc({4, 4}, dt::f32, {}, {0}, {1}, true).is_zero());
    EXPECT_TRUE(memory::desc(std::vector<uint8_t> {1, 2, 3}, true).is_zero());
    const memory::desc md({4, 17}, dt::f32, "aB16b");
    EXPECT_TRUE(md.reshape({68}, true).is_zero());
    EXPECT_TRUE(md.permute_axes({0, 0}, true).is_zero());
    EXPECT_TRUE(md.submemory_desc({5, 17}, {0, 0}, true).is_zero());
    EXPECT_TRUE(md.with_data_type(dt::undef, true).is_zero());
    EXPECT_TRUE(memory::desc().unblock(true).is_zero());
}

TEST(desc, empty_answers_nothing_and_refuses_the_rest) {
    const memory::desc empty;
    EXPECT_FALSE(empty);
    EXPECT_TRUE(empty.is_zero());
    EXPECT_EQ(empty, memory::desc());
    EXPECT_NE(empty, memory::desc({1}, dt::f32, tag::a));
    EXPECT_EQ(empty.get_ndims(), 0);
    EXPECT_EQ(empty.get_dims(), memory::dims());
    EXPECT_EQ(empty.get_strides(), memory::dims());
    EXPECT_EQ(empty.get_size(), 0u);
    EXPECT_EQ(empty.get_data_type(), dt::undef);
    EXPECT_EQ(outcome_of([&] { empty.to_string(); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { empty.get_blob(); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { empty.get_offset({}); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([&] { memory m(empty); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(
            outcome_of([&] { tensorfmt::reorder r(empty, empty); }).status, tfmt_invalid_arguments);
}

TEST(desc, derived_descriptors) {
    const memory::desc nchw({2, 16, 5, 4}, dt::f32, tag::nchw);
    EXPECT_EQ(nchw.permute_axes({0, 3, 1, 2}), memory::desc({2, 5, 4, 16}, dt::f32, tag::adbc));
    EXPECT_EQ(nchw.reshape({32, 20}), memory::desc({32, 20}, dt::f32, tag::ab));
    EXPECT_EQ(nchw.with_data_type(dt::u8), memory::desc({2, 16, 5, 4}, dt::u8, tag::nchw));
    const auto part = nchw.submemory_desc({1, 3, 2, 4}, {1, 2, 3, 0});
    EXPECT_EQ(part.get_strides(), nchw.get_strides());
    EXPECT_EQ(part.get_submemory_offset(), 16 * 20 + 2 * 20 + 3 * 4);
    // nChw8c over {2,17,5,4} is a dense tensor of rank 5.
    const auto unblocked = memory::desc({2, 17, 5, 4}, dt::f32, tag::nChw8c).unblock();
    EXPECT_EQ(unblocked.get_ndims(), 5);
    EXPECT_EQ(unblocked.get_inner_nblks(), 0);
    EXPECT_EQ(unblocked.get_size(), 2u * 24 * 5 * 4 * 4);
}

TEST(desc, offsets_and_indices_are_inverse) {
    for (const char *name : {"nchw", "nhwc", "nChw8c", "ABcd4b16a2b", "Bcda4b"}) {
        const memory::desc md({3, 10, 2, 5}, dt::f32, name);
        for_each_index(md.get_padded_dims(), [&](const memory::dims &index) {
            const auto offset = offset_by_fields(md, index);
            bool is_padding = false;
            EXPECT_EQ(md.get_index(offset, &is_padding), index) << name;
            EXPECT_EQ(is_padding, !is_below(index, md.get_dims())) << name;
            EXPECT_EQ(is_padding ? offset : md.get_offset(index), offset) << name;
        });
    }
}

TEST(desc, text_and_blob_come_back_as_equal_descriptors) {
    const std::vector<memory::desc> mds = {memory::desc({2, 17, 5, 4}, dt::f32, tag::nChw8c),
            memory::desc({2, 17, 5, 4}, dt::u8, {1000, 50, 7, 1}),
            memory::desc({64, 64, 3, 3}, dt::bf16, "ABcd8b16a2b")
                    .submemory_desc({32, 32, 3, 3}, {16, 16, 0, 0}),
            memory::desc({0, 3}, dt::f64, tag::ab)};
    for (const auto &md : mds) {
        EXPECT_EQ(memory::desc(md.get_blob()), md) << md.to_string();
        EXPECT_EQ(memory::desc::from_string(md.to_string()), md) << md.to_string();
    }
    EXPECT_EQ(mds[0].to_string(), memory::desc(mds[0].get_blob()).to_string());
    EXPECT_NE(mds[0].to_string(), mds[1].to_string());
    EXPECT_TRUE(memory::desc::from_string(mds[0].to_string() + "x", true).is_zero());
}

TEST(desc, a_blob_with_any_wrong_byte_is_refused) {
    const auto blob = memory::desc({2, 17, 5, 4}, dt::f32, tag::nChw8c).get_blob();
    for (size_t i = 0; i < blob.size(); ++i) {
        auto wrong = blob;
        wrong[i] ^= 0x11;
        EXPECT_TRUE(memory::desc(wrong, true).is_zero()) << "byte " << i;
    }
    for (size_t size = 0; size < blob.size(); ++size)
        EXPECT_TRUE(memory::desc(bytes_t(blob.begin(), blob.begin() + size), true).is_zero())
                << size;
}

TEST(desc, works_as_a_key) {
    std::unordered_map<memory::desc, int> by_desc;
    by_desc[memory::desc({2, 17, 5, 4}, dt::f32, tag::nChw8c)] = 1;
    by_desc[memory::desc({2, 17, 5, 4}, dt::f32, "nChw8c")] += 2;
    by_desc[memory::desc({2, 17, 5, 4}, dt::f32, tag::nchw)] = 4;
    by_desc[memory::desc()] = 8;
    EXPECT_EQ(by_desc.size(), 3u);
    EXPECT_EQ(by_desc.at(memory::desc({2, 17, 5, 4}, dt::f32, tag::aBcd8b)), 3);
}

TEST(desc, copies_share_a_handle_that_outlives_the_original) {
    auto original = std::make_unique<memory::desc>(memory::dims {2, 3}, dt::f32, tag::ab);
    const memory::desc copy = *original;
    EXPECT_EQ(copy.get(), original->get());
    original.reset();
    EXPECT_EQ(copy.get_dims(), memory::dims({2, 3}));
    // A weak handle leaves the destruction to its owner.
    tfmt_memory_desc_t c_md = nullptr;
    ASSERT_EQ(tfmt_memory_desc_clone(&c_md, copy.get()), tfmt_success);
    {
        memory::desc weak;
        weak.reset(c_md, true);
        EXPECT_EQ(weak, copy);
    }
    EXPECT_EQ(tfmt_memory_desc_destroy(c_md), tfmt_success);
}

TEST(desc, data_type_sizes) {
    EXPECT_EQ(memory::data_type_size(dt::undef), 0u);
    for (const auto type : {dt::s8, dt::u8, dt::boolean, dt::f8_e5m2, dt::f8_e4m3, dt::e8m0})
        EXPECT_EQ(memory::data_type_size(type), 1u);
    for (const auto type : {dt::f16, dt::bf16})
        EXPECT_EQ(memory::data_type_size(type), 2u);
    for (const auto type : {dt::f32, dt::s32})
        EXPECT_EQ(memory::data_type_size(type), 4u);
    for (const auto type : {dt::f64, dt::s64})
        EXPECT_EQ(memory::data_type_size(type), 8u);
    // Two elements of 4 bits share a byte; an odd last one takes a byte of its own.
    for (const auto type : {dt::s4, dt::u4, dt::f4_e2m1}) {
        EXPECT_EQ(memory::desc({3, 3}, type, tag::ab).get_size(), 5u);
        EXPECT_EQ(memory::desc({3, 2}, type, tag::ab).get_size(), 3u);
    }
}
