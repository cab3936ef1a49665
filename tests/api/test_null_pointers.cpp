// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <functional>
#include <gtest/gtest.h>

using namespace api;

namespace {

// Outputs that nothing may be written to on failure. The poison is no valid handle.
template <typename T>
T poison() {
    return reinterpret_cast<T>(static_cast<uintptr_t>(0x5a5a5a5a));
}

const tfmt_dims_t dims = {2, 17, 5, 4};
const tfmt_dims_t zeros = {};
const tfmt_dims_t blks = {8}, idxs = {1};
const int permutation[] = {0, 1, 2, 3};

struct null_call {
    const char *function;
    const char *argument; // as the header names it
    std::function<tfmt_status_t()> call;
};

// Valid objects to call with, and outputs that must stay as they are.
class null_pointers : public ::testing::Test {
protected:
    void SetUp() override {
        memory_ = memory(md_);
        reorder_ = tensorfmt::reorder(md_, md_);
        buffer_ = pattern(md_.get_size());
    }

    void expect_refused(const std::vector<null_call> &calls) {
        for (const auto &c : calls) {
            const auto before = buffer_;
            EXPECT_EQ(c.call(), tfmt_invalid_arguments) << c.function << ' ' << c.argument;
            const std::string message = tfmt_get_last_error();
            EXPECT_TRUE(contains(message, c.function)) << c.function << ": " << message;
            EXPECT_TRUE(contains(message, std::string(c.argument) + " is null"))
                    << c.function << ' ' << c.argument << ": " << message;
            EXPECT_EQ(out_md_, poison<tfmt_memory_desc_t>()) << c.function << ' ' << c.argument;
            EXPECT_EQ(out_memory_, poison<tfmt_memory_t>()) << c.function << ' ' << c.argument;
            EXPECT_EQ(out_reorder_, poison<tfmt_reorder_t>()) << c.function << ' ' << c.argument;
            EXPECT_EQ(out_pointer_, poison<void *>()) << c.function << ' ' << c.argument;
            EXPECT_EQ(out_const_md_, poison<const_tfmt_memory_desc_t>()) << c.function;
            EXPECT_EQ(out_int_, 77) << c.function << ' ' << c.argument;
            EXPECT_EQ(out_size_, 3u) << c.function << ' ' << c.argument;
            EXPECT_EQ(out_offset_, 77) << c.function << ' ' << c.argument;
            EXPECT_EQ(buffer_, before) << c.function << ' ' << c.argument;
        }
    }

    const memory::desc md_ {{2, 17, 5, 4}, dt::f32, tag::nChw8c};
    memory memory_;
    tensorfmt::reorder reorder_;
    bytes_t buffer_;

    tfmt_memory_desc_t out_md_ = poison<tfmt_memory_desc_t>();
    const_tfmt_memory_desc_t out_const_md_ = poison<const_tfmt_memory_desc_t>();
    tfmt_memory_t out_memory_ = poison<tfmt_memory_t>();
    tfmt_reorder_t out_reorder_ = poison<tfmt_reorder_t>();
    void *out_pointer_ = poison<void *>();
    int out_int_ = 77;
    size_t out_size_ = 3;
    tfmt_dim_t out_offset_ = 77;
};

} // namespace

TEST_F(null_pointers, descriptor_makers) {
    const auto *md = md_.get();
    expect_refused({
            {"tfmt_memory_desc_create_with_tag", "md",
                    [] {
                        return tfmt_memory_desc_create_with_tag(
                                nullptr, 4, dims, tfmt_f32, tfmt_nchw);
                    }},
            {"tfmt_memory_desc_create_with_tag", "dims",
                    [&] {
                        return tfmt_memory_desc_create_with_tag(
                                &out_md_, 4, nullptr, tfmt_f32, tfmt_nchw);
                    }},
            {"tfmt_memory_desc_create_with_strides", "md",
                    [] {
                        return tfmt_memory_desc_create_with_strides(
                                nullptr, 4, dims, tfmt_f32, dims);
                    }},
            {"tfmt_memory_desc_create_with_strides", "dims",
                    [&] {
                        return tfmt_memory_desc_create_with_strides(
                                &out_md_, 4, nullptr, tfmt_f32, dims);
                    }},
            {"tfmt_memory_desc_create_with_strides", "strides",
                    [&] {
                        return tfmt_memory_desc_create_with_strides(
                                &out_md_, 4, dims, tfmt_f32, nullptr);
                    }},
            {"tfmt_memory_desc_create_with_string_tag", "md",
                    [] {
                        return tfmt_memory_desc_create_with_string_tag(
                                nullptr, 4, dims, tfmt_f32, "nchw");
                    }},
            {"tfmt_memory_desc_create_with_string_tag", "dims",
                    [&] {
                        return tfmt_memory_desc_create_with_string_tag(
                                &out_md_, 4, nullptr, tfmt_f32, "nchw");
                    }},
            {"tfmt_memory_desc_create_with_string_tag", "tag",
                    [&] {
                        return tfmt_memory_desc_create_with_string_tag(
                                &out_md_, 4, dims, tfmt_f32, nullptr);
                    }},
            {"tfmt_memory_desc_create_with_blocking", "md",
                    [] {
                        return tfmt_memory_desc_create_with_blocking(
                                nullptr, 4, dims, tfmt_f32, nullptr, 1, blks, idxs);
                    }},
            {"tfmt_memory_desc_create_with_blocking", "dims",
                    [&] {
                        return tfmt_memory_desc_create_with_blocking(
                                &out_md_, 4, nullptr, tfmt_f32, nullptr, 1, blks, idxs);
                    }},
            {"tfmt_memory_desc_create_with_blocking", "inner_blks",
                    [&] {
                        return tfmt_memory_desc_create_with_blocking(
                                &out_md_, 4, dims, tfmt_f32, nullptr, 1, nullptr, idxs);
                    }},
            {"tfmt_memory_desc_create_with_blocking", "inner_idxs",
                    [&] {
                        return tfmt_memory_desc_create_with_blocking(
                                &out_md_, 4, dims, tfmt_f32, nullptr, 1, blks, nullptr);
                    }},
            {"tfmt_memory_desc_create_with_blob", "md",
                    [&] {
                        return tfmt_memory_desc_create_with_blob(
                                nullptr, buffer_.data(), buffer_.size());
                    }},
            {"tfmt_memory_desc_create_with_blob", "blob",
                    [&] { return tfmt_memory_desc_create_with_blob(&out_md_, nullptr, 8); }},
            {"tfmt_memory_desc_create_with_string", "md",
                    [] { return tfmt_memory_desc_create_with_string(nullptr, "f32:2x3:ab"); }},
            {"tfmt_memory_desc_create_with_string", "string",
                    [&] { return tfmt_memory_desc_create_with_string(&out_md_, nullptr); }},
            {"tfmt_memory_desc_clone", "out", [&] { return tfmt_memory_desc_clone(nullptr, md); }},
            {"tfmt_memory_desc_clone", "in",
                    [&] { return tfmt_memory_desc_clone(&out_md_, nullptr); }},
    });
}

TEST_F(null_pointers, derived_descriptors) {
    const auto *md = md_.get();
    expect_refused({
            {"tfmt_memory_desc_create_submemory", "md",
                    [&] { return tfmt_memory_desc_create_submemory(nullptr, md, dims, zeros); }},
            {"tfmt_memory_desc_create_submemory", "parent",
                    [&] {
                        return tfmt_memory_desc_create_submemory(&out_md_, nullptr, dims, zeros);
                    }},
            {"tfmt_memory_desc_create_submemory", "dims",
                    [&] {
                        return tfmt_memory_desc_create_submemory(&out_md_, md, nullptr, zeros);
                    }},
            {"tfmt_memory_desc_create_submemory", "offsets",
                    [&] { return tfmt_memory_desc_create_submemory(&out_md_, md, dims, nullptr); }},
            {"tfmt_memory_desc_reshape", "out",
                    [&] { return tfmt_memory_desc_reshape(nullptr, md, 4, dims); }},
            {"tfmt_memory_desc_reshape", "in",
                    [&] { return tfmt_memory_desc_reshape(&out_md_, nullptr, 4, dims); }},
            {"tfmt_memory_desc_reshape", "dims",
                    [&] { return tfmt_memory_desc_reshape(&out_md_, md, 4, nullptr); }},
            {"tfmt_memory_desc_permute_axes", "out",
                    [&] { return tfmt_memory_desc_permute_axes(nullptr, md, permutation); }},
            {"tfmt_memory_desc_permute_axes", "in",
                    [&] { return tfmt_memory_desc_permute_axes(&out_md_, nullptr, permutation); }},
            {"tfmt_memory_desc_permute_axes", "permutation",
                    [&] { return tfmt_memory_desc_permute_axes(&out_md_, md, nullptr); }},
            {"tfmt_memory_desc_with_data_type", "out",
                    [&] { return tfmt_memory_desc_with_data_type(nullptr, md, tfmt_u8); }},
            {"tfmt_memory_desc_with_data_type", "in",
                    [&] { return tfmt_memory_desc_with_data_type(&out_md_, nullptr, tfmt_u8); }},
            {"tfmt_memory_desc_unblock", "out",
                    [&] { return tfmt_memory_desc_unblock(nullptr, md); }},
            {"tfmt_memory_desc_unblock", "in",
                    [&] { return tfmt_memory_desc_unblock(&out_md_, nullptr); }},
    });
}

TEST_F(null_pointers, descriptor_questions) {
    const auto *md = md_.get();
    tfmt_dims_t index = {0, 1, 2, 3};
    expect_refused({
            {"tfmt_memory_desc_get_blob", "size",
                    [&] { return tfmt_memory_desc_get_blob(buffer_.data(), nullptr, md); }},
            {"tfmt_memory_desc_get_blob", "md",
                    [&] { return tfmt_memory_desc_get_blob(buffer_.data(), &out_size_, nullptr); }},
            {"tfmt_memory_desc_query", "md",
                    [&] {
                        return tfmt_memory_desc_query(nullptr, tfmt_query_ndims_s32, &out_int_);
                    }},
            {"tfmt_memory_desc_query", "result",
                    [&] { return tfmt_memory_desc_query(md, tfmt_query_ndims_s32, nullptr); }},
            {"tfmt_memory_desc_get_offset", "md",
                    [&] { return tfmt_memory_desc_get_offset(nullptr, zeros, &out_offset_); }},
            {"tfmt_memory_desc_get_offset", "index",
                    [&] { return tfmt_memory_desc_get_offset(md, nullptr, &out_offset_); }},
            {"tfmt_memory_desc_get_offset", "offset",
                    [&] { return tfmt_memory_desc_get_offset(md, zeros, nullptr); }},
            {"tfmt_memory_desc_get_index", "md",
                    [&] { return tfmt_memory_desc_get_index(nullptr, 0, index, &out_int_); }},
            {"tfmt_memory_desc_get_index", "index",
                    [&] { return tfmt_memory_desc_get_index(md, 0, nullptr, &out_int_); }},
            {"tfmt_memory_desc_to_string", "md",
                    [&] {
                        return tfmt_memory_desc_to_string(
                                nullptr, reinterpret_cast<char *>(buffer_.data()), &out_size_);
                    }},
            {"tfmt_memory_desc_to_string", "size",
                    [&] {
                        return tfmt_memory_desc_to_string(
                                md, reinterpret_cast<char *>(buffer_.data()), nullptr);
                    }},
    });
    EXPECT_EQ(memory::dims(index, index + 4), memory::dims({0, 1, 2, 3}));
    // Functions without a status answer for "nothing".
    EXPECT_EQ(tfmt_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(tfmt_memory_desc_equal(md, nullptr), 0);
    EXPECT_EQ(tfmt_memory_desc_equal(nullptr, md), 0);
    EXPECT_EQ(tfmt_memory_desc_hash(nullptr), tfmt_memory_desc_hash(nullptr));
}

TEST_F(null_pointers, memory_and_padding) {
    const auto *md = md_.get();
    auto *mem = memory_.get();
    expect_refused({
            {"tfmt_memory_create", "memory",
                    [&] { return tfmt_memory_create(nullptr, md, TFMT_MEMORY_NONE); }},
            {"tfmt_memory_create", "md",
                    [&] { return tfmt_memory_create(&out_memory_, nullptr, TFMT_MEMORY_NONE); }},
            {"tfmt_memory_get_data_handle", "memory",
                    [&] { return tfmt_memory_get_data_handle(nullptr, &out_pointer_); }},
            {"tfmt_memory_get_data_handle", "handle",
                    [&] { return tfmt_memory_get_data_handle(mem, nullptr); }},
            {"tfmt_memory_set_data_handle", "memory",
                    [&] { return tfmt_memory_set_data_handle(nullptr, buffer_.data()); }},
            {"tfmt_memory_set_data_handle", "memory",
                    [&] {
                        return tfmt_memory_set_data_handle_v2(
                                nullptr, buffer_.data(), tfmt_padding_zero);
                    }},
            {"tfmt_memory_get_memory_desc", "memory",
                    [&] { return tfmt_memory_get_memory_desc(nullptr, &out_const_md_); }},
            {"tfmt_memory_get_memory_desc", "md",
                    [&] { return tfmt_memory_get_memory_desc(mem, nullptr); }},
            {"tfmt_zero_pad", "md", [&] { return tfmt_zero_pad(nullptr, buffer_.data()); }},
            {"tfmt_zero_pad", "data", [&] { return tfmt_zero_pad(md, nullptr); }},
            {"tfmt_check_padding", "md",
                    [&] { return tfmt_check_padding(nullptr, buffer_.data(), &out_int_); }},
            {"tfmt_check_padding", "data",
                    [&] { return tfmt_check_padding(md, nullptr, &out_int_); }},
            {"tfmt_check_padding", "is_zero",
                    [&] { return tfmt_check_padding(md, buffer_.data(), nullptr); }},
    });
}

TEST_F(null_pointers, reorders_and_attributes) {
    const auto *md = md_.get();
    auto *r = reorder_.get();
    const auto src = pattern(md_.get_size(), 2);
    expect_refused({
            {"tfmt_reorder_create", "reorder",
                    [&] { return tfmt_reorder_create(nullptr, md, md, nullptr); }},
            {"tfmt_reorder_create", "src",
                    [&] { return tfmt_reorder_create(&out_reorder_, nullptr, md, nullptr); }},
            {"tfmt_reorder_create", "dst",
                    [&] { return tfmt_reorder_create(&out_reorder_, md, nullptr, nullptr); }},
            {"tfmt_reorder_create_measured", "reorder",
                    [&] {
                        return tfmt_reorder_create_measured(
                                nullptr, md, md, nullptr, src.data(), buffer_.data(), nullptr);
                    }},
            {"tfmt_reorder_create_measured", "src",
                    [&] {
                        return tfmt_reorder_create_measured(&out_reorder_, nullptr, md, nullptr,
                                src.data(), buffer_.data(), nullptr);
                    }},
            {"tfmt_reorder_create_measured", "dst",
                    [&] {
                        return tfmt_reorder_create_measured(&out_reorder_, md, nullptr, nullptr,
                                src.data(), buffer_.data(), nullptr);
                    }},
            {"tfmt_reorder_create_measured", "src_data",
                    [&] {
                        return tfmt_reorder_create_measured(
                                &out_reorder_, md, md, nullptr, nullptr, buffer_.data(), nullptr);
                    }},
            {"tfmt_reorder_create_measured", "dst_data",
                    [&] {
                        return tfmt_reorder_create_measured(
                                &out_reorder_, md, md, nullptr, src.data(), nullptr, nullptr);
                    }},
            {"tfmt_reorder_execute", "reorder",
                    [&] {
                        return tfmt_reorder_execute(nullptr, src.data(), buffer_.data(), nullptr);
                    }},
            {"tfmt_reorder_execute", "src",
                    [&] { return tfmt_reorder_execute(r, nullptr, buffer_.data(), nullptr); }},
            {"tfmt_reorder_execute", "dst",
                    [&] { return tfmt_reorder_execute(r, src.data(), nullptr, nullptr); }},
            {"tfmt_reorder_query", "reorder",
                    [&] {
                        return tfmt_reorder_query(nullptr, tfmt_query_impl_info_str, &out_pointer_);
                    }},
            {"tfmt_reorder_query", "result",
                    [&] { return tfmt_reorder_query(r, tfmt_query_impl_info_str, nullptr); }},
            {"tfmt_reorder_explain", "reorder",
                    [&] {
                        return tfmt_reorder_explain(
                                nullptr, reinterpret_cast<char *>(buffer_.data()), &out_size_);
                    }},
            {"tfmt_reorder_explain", "size",
                    [&] {
                        return tfmt_reorder_explain(
                                r, reinterpret_cast<char *>(buffer_.data()), nullptr);
                    }},
            {"tfmt_attr_create", "attr", [] { return tfmt_attr_create(nullptr); }},
            {"tfmt_attr_set_scales", "attr",
                    [] {
                        return tfmt_attr_set_scales(nullptr, TFMT_ARG_SRC, 0, 0, nullptr, tfmt_f32);
                    }},
            {"tfmt_attr_set_zero_points", "attr",
                    [] {
                        return tfmt_attr_set_zero_points(
                                nullptr, TFMT_ARG_SRC, 0, 0, nullptr, tfmt_s32);
                    }},
            {"tfmt_attr_append_sum", "attr", [] { return tfmt_attr_append_sum(nullptr, 1.0f); }},
            {"tfmt_attr_set_compensation", "attr",
                    [] { return tfmt_attr_set_compensation(nullptr, 1, 1, 0); }},
    });
}

TEST_F(null_pointers, destroying_nothing_is_fine) {
    EXPECT_EQ(tfmt_memory_desc_destroy(nullptr), tfmt_success);
    EXPECT_EQ(tfmt_memory_destroy(nullptr), tfmt_success);
    EXPECT_EQ(tfmt_reorder_destroy(nullptr), tfmt_success);
    EXPECT_EQ(tfmt_attr_destroy(nullptr), tfmt_success);
}
