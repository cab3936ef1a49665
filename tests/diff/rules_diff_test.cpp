// SPDX-License-Identifier: Apache-2.0
// What a reorder refuses, and what it does in place.
#include <cstring>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};
using reorder_ptr = std::unique_ptr<tfmt_reorder, reorder_deleter>;

reorder_ptr create(const desc_ptr &src, const desc_ptr &dst) {
    tfmt_reorder_t reorder = nullptr;
    EXPECT_EQ(tfmt_reorder_create(&reorder, src.get(), dst.get(), nullptr), tfmt_success)
            << tfmt_get_last_error();
    return reorder_ptr(reorder);
}

desc_ptr with_strides(const dims &shape, tfmt_data_type_t type, const dims &strides) {
    tfmt_memory_desc_t md = nullptr;
    EXPECT_EQ(tfmt_memory_desc_create_with_strides(
                      &md, static_cast<int>(shape.size()), shape.data(), type, strides.data()),
            tfmt_success)
            << tfmt_get_last_error();
    return desc_ptr(md);
}

void expect_refused(const desc_ptr &src, const desc_ptr &dst, tfmt_status_t wanted) {
    auto *const untouched = reinterpret_cast<tfmt_reorder_t>(0x1234);
    tfmt_reorder_t reorder = untouched;
    EXPECT_EQ(tfmt_reorder_create(&reorder, src.get(), dst.get(), nullptr), wanted);
    EXPECT_EQ(reorder, untouched) << "nothing may be written on failure";
    EXPECT_STRNE(tfmt_get_last_error(), "");
}

TEST(reorder_rules, in_place_with_equal_layouts_is_a_no_op) {
    for (const char *tag : {"abcd", "acdb", "aBcd16b"}) {
        const desc_ptr md = make_with_tag({2, 32, 5, 7}, tfmt_f32, tag);
        const reorder_ptr reorder = create(md, md);
        guarded_buffer buffer(tfmt_memory_desc_get_size(md.get()), placement::at_end, 4);
        fill_src(buffer, tfmt_f32, tfmt_f32, 3);
        const std::vector<unsigned char> before(buffer.data(), buffer.data() + buffer.size());
        ASSERT_EQ(tfmt_reorder_execute(reorder.get(), buffer.data(), buffer.data(), nullptr),
                tfmt_success)
                << tfmt_get_last_error();
        EXPECT_EQ(std::memcmp(before.data(), buffer.data(), before.size()), 0) << tag;
    }
}

TEST(reorder_rules, in_place_with_padding_writes_the_padding_alone) {
    const desc_ptr md = make_with_tag({2, 19, 5, 7}, tfmt_f32, "aBcd16b");
    const reorder_ptr reorder = create(md, md);
    guarded_buffer buffer(tfmt_memory_desc_get_size(md.get()), placement::at_end);
    fill_src(buffer, tfmt_f32, tfmt_f32, 3);
    std::vector<unsigned char> wanted(buffer.data(), buffer.data() + buffer.size());
    oracle_zero_pad(read_layout(md.get()), wanted.data());
    ASSERT_EQ(tfmt_reorder_execute(reorder.get(), buffer.data(), buffer.data(), nullptr),
            tfmt_success)
            << tfmt_get_last_error();
    EXPECT_EQ(std::memcmp(wanted.data(), buffer.data(), wanted.size()), 0);
    EXPECT_TRUE(buffer.slack_is_intact());
}

TEST(reorder_rules, any_other_overlap_is_refused_and_touches_nothing) {
    const desc_ptr src = make_with_tag({4, 16, 3, 3}, tfmt_f32, "abcd");
    const desc_ptr dst = make_with_tag({4, 16, 3, 3}, tfmt_f32, "acdb");
    const reorder_ptr reorder = create(src, dst);
    const reorder_ptr copy = create(src, src);
    const size_t size = tfmt_memory_desc_get_size(src.get());
    std::vector<unsigned char> arena(3 * size, 0x5a);
    const std::vector<unsigned char> before = arena;
    unsigned char *middle = arena.data() + size;
    for (unsigned char *to :
            {middle, middle + 4, middle - 4, middle + size - 4, middle - size + 4}) {
        EXPECT_EQ(tfmt_reorder_execute(reorder.get(), middle, to, nullptr), tfmt_invalid_arguments);
        EXPECT_STRNE(tfmt_get_last_error(), "");
    }
    EXPECT_EQ(
            tfmt_reorder_execute(copy.get(), middle, middle + 4, nullptr), tfmt_invalid_arguments);
    EXPECT_EQ(arena, before);
    // Neighbours do not overlap.
    EXPECT_EQ(tfmt_reorder_execute(reorder.get(), middle, middle + size, nullptr), tfmt_success)
            << tfmt_get_last_error();
    EXPECT_EQ(tfmt_reorder_execute(reorder.get(), middle, middle - size, nullptr), tfmt_success)
            << tfmt_get_last_error();
}

TEST(reorder_rules, broadcast_source_is_read_again_and_broadcast_destination_refused) {
    const desc_ptr broadcast = with_strides({3, 4}, tfmt_f32, {0, 1});
    const desc_ptr plain = make_with_tag({3, 4}, tfmt_f32, "ab");
    EXPECT_EQ(check_reorder(broadcast.get(), plain.get()).message, "");
    expect_refused(plain, broadcast, tfmt_invalid_arguments);
}

TEST(reorder_rules, different_dims_are_refused) {
    const desc_ptr a = make_with_tag({3, 4}, tfmt_f32, "ab");
    expect_refused(a, make_with_tag({4, 3}, tfmt_f32, "ab"), tfmt_invalid_arguments);
    expect_refused(a, make_with_tag({3, 4, 1}, tfmt_f32, "abc"), tfmt_invalid_arguments);
}

TEST(reorder_rules, null_arguments_are_refused) {
    const desc_ptr md = make_with_tag({3, 4}, tfmt_f32, "ab");
    const desc_ptr other = make_with_tag({3, 4}, tfmt_f32, "ba");
    tfmt_reorder_t reorder = nullptr;
    EXPECT_EQ(tfmt_reorder_create(nullptr, md.get(), md.get(), nullptr), tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_reorder_create(&reorder, nullptr, md.get(), nullptr), tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_reorder_create(&reorder, md.get(), nullptr, nullptr), tfmt_invalid_arguments);
    const reorder_ptr made = create(md, other);
    float data[12] = {};
    EXPECT_EQ(tfmt_reorder_execute(made.get(), nullptr, data, nullptr), tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_reorder_execute(made.get(), data, nullptr, nullptr), tfmt_invalid_arguments);
    EXPECT_EQ(tfmt_reorder_execute(nullptr, data, data, nullptr), tfmt_invalid_arguments);
}

TEST(reorder_rules, zero_sized_tensors_move_nothing) {
    const desc_ptr src = make_with_tag({0, 16, 4}, tfmt_f32, "abc");
    const desc_ptr dst = make_with_tag({0, 16, 4}, tfmt_f32, "aBc16b");
    EXPECT_EQ(tfmt_memory_desc_get_size(src.get()), 0u);
    EXPECT_EQ(tfmt_memory_desc_get_size(dst.get()), 0u);
    EXPECT_EQ(check_reorder(src.get(), dst.get()).message, "");
}

TEST(reorder_rules, explain_and_impl_info_say_something) {
    const desc_ptr src = make_with_tag({2, 40, 5, 4}, tfmt_f32, "abcd");
    const desc_ptr dst = make_with_tag({2, 40, 5, 4}, tfmt_f32, "aBcd16b");
    const reorder_ptr reorder = create(src, dst);
    const char *impl = nullptr;
    ASSERT_EQ(tfmt_reorder_query(reorder.get(), tfmt_query_impl_info_str, &impl), tfmt_success);
    ASSERT_NE(impl, nullptr);
    EXPECT_NE(std::strchr(impl, ':'), nullptr) << impl;
    size_t size = 0;
    ASSERT_EQ(tfmt_reorder_explain(reorder.get(), nullptr, &size), tfmt_success)
            << tfmt_get_last_error();
    ASSERT_GT(size, 1u);
    std::vector<char> text(size + 1, '#');
    ASSERT_EQ(tfmt_reorder_explain(reorder.get(), text.data(), &size), tfmt_success);
    EXPECT_EQ(text.back(), '#') << "written beyond the size it asked for";
    EXPECT_GT(std::strlen(text.data()), 20u);
}

} // namespace
