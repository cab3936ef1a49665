// SPDX-License-Identifier: Apache-2.0
// Destinations that are mostly padding, which is written in a pass of its own: with attributes,
// compensation and runtime dims, by several threads, within and beyond the caches.
#include <cstring>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

struct padded {
    tfmt_data_type_t src_type, dst_type;
    const char *src_tag, *dst_tag;
    dims shape;

    random_desc src() const { return tagged(shape, src_type, src_tag); }
    random_desc dst() const { return tagged(shape, dst_type, dst_tag); }
};

// Rows of the destination that collide, in one dimension and in two.
const padded colliding[] = {{tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {300, 1, 10}},
        {tfmt_f32, tfmt_f32, "abcde", "BcdeA16a64b2a", {32, 1, 3, 3, 3}},
        {tfmt_f32, tfmt_f32, "abcd", "ABcd16b64a2b", {50, 3, 7, 7}},
        {tfmt_bf16, tfmt_bf16, "abcd", "ABcd16b48a4b", {60, 3, 7, 7}},
        {tfmt_s32, tfmt_s32, "abcd", "BAcd4b8a8b4a", {30, 3, 5, 3}},
        {tfmt_f32, tfmt_bf16, "abcd", "ABcd32a32b", {2, 70, 8, 16}},
        {tfmt_bf16, tfmt_f32, "abcd", "ABcd16b64a2b", {64, 3, 7, 7}},
        {tfmt_f32, tfmt_s8, "abcd", "ABcd64a64b", {3, 100, 8, 16}},
        {tfmt_u8, tfmt_s4, "abcd", "ABcd32a128b", {3, 140, 8, 16}}};

// More than any L2: the order of the source would make several passes, or rows collide.
const padded in_passes[] = {{tfmt_f32, tfmt_f32, "acdb", "ABcd32a32b", {8, 510, 9, 10}},
        {tfmt_bf16, tfmt_bf16, "acdb", "ABcd32a32b", {7, 990, 9, 10}},
        {tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {5000, 1, 10}}};

// One step of a dimension that both sides pad.
const padded of_one[] = {{tfmt_u8, tfmt_u8, "aBdec4b", "ABcde4a4b", {96, 1, 1, 3, 3}},
        {tfmt_s8, tfmt_s8, "Abc4a", "ABc2b8a4b", {1, 31, 64}},
        {tfmt_s8, tfmt_s8, "AB4b24a4b", "AB16b64a4b", {127, 1}},
        {tfmt_bf16, tfmt_bf16, "ABcde16b32a2b", "ABcde8b24a2b", {32, 1, 1, 3, 3}},
        {tfmt_f32, tfmt_f32, "ABcde8a8b", "ABcde2b32a8b", {32, 1, 1, 3, 3}},
        {tfmt_f64, tfmt_f64, "BAc4b8a8b2a", "BcA64b2a", {1, 32, 16}},
        {tfmt_f32, tfmt_s8, "aBcd4b", "ABcd8a4b", {7, 1, 5, 5}},
        {tfmt_s8, tfmt_f32, "aBcd4b", "ABcd8a8b", {9, 1, 5, 7}}};

// One element of each line is no padding, in lines that collide.
const padded single[] = {{tfmt_f32, tfmt_f32, "abcde", "Bcdea32b", {32, 1, 1, 3, 3}},
        {tfmt_bf16, tfmt_bf16, "abcd", "Bcda32b", {64, 1, 5, 5}},
        {tfmt_u8, tfmt_u8, "abc", "Acb64a", {1, 32, 16}},
        {tfmt_u8, tfmt_f32, "acdb", "Bcda32b", {64, 1, 5, 5}},
        {tfmt_f32, tfmt_u8, "abcd", "Bcda64b", {64, 1, 5, 5}},
        {tfmt_u4, tfmt_u8, "abcd", "aCBd64b64c", {2, 1, 1, 8}},
        {tfmt_s4, tfmt_s8, "abcde", "Bcdea64b", {32, 1, 1, 4, 4}},
        {tfmt_u4, tfmt_f32, "abcde", "Bcdea32b", {32, 1, 1, 8, 8}},
        {tfmt_f32, tfmt_u4, "abcde", "Bcdea128b", {32, 1, 1, 3, 3}},
        {tfmt_s4, tfmt_s4, "abcde", "Bcdea128b", {32, 1, 1, 4, 4}}};

attributes a_sum() {
    attributes attr;
    attr.has_sum = true;
    attr.beta = 1;
    return attr;
}

bool is_apart(const_tfmt_memory_desc_t src, const_tfmt_memory_desc_t dst) {
    tfmt_reorder_t reorder = nullptr;
    EXPECT_EQ(tfmt_reorder_create(&reorder, src, dst, nullptr), tfmt_success);
    size_t size = 0;
    EXPECT_EQ(tfmt_reorder_explain(reorder, nullptr, &size), tfmt_success);
    std::string text(size, ' ');
    EXPECT_EQ(tfmt_reorder_explain(reorder, &text[0], &size), tfmt_success);
    tfmt_reorder_destroy(reorder);
    return text.find("data and padding apart") != std::string::npos;
}

class padding_diff : public isa_fixture {
protected:
    void check_apart(const padded &c, uint64_t seed, const attributes *attr = nullptr) {
        const random_desc src = c.src(), dst = c.dst();
        n_apart_ += is_apart(src.md.get(), dst.md.get());
        check(src, dst, seed, attr);
    }
    static bool generates_code() {
        return TENSORFMT_TEST_HAS_JIT && GetParam().isa != tfmt_cpu_isa_none;
    }
    int n_apart_ = 0;
};

} // namespace

TEST_P(padding_diff, of_rows_that_collide) {
    uint64_t seed = 0;
    for (const padded &c : colliding)
        for (int i = 0; i < scaled(12) && !HasFailure(); ++i)
            check_apart(c, ++seed);
    EXPECT_EQ(n_apart_ > 0, generates_code());
}

TEST_P(padding_diff, of_one_step_that_both_sides_pad) {
    uint64_t seed = 900;
    for (const padded &c : of_one)
        for (int i = 0; i < scaled(4) && !HasFailure(); ++i)
            check(c.src(), c.dst(), ++seed);
    // The source has a gap there, and nothing behind its last element.
    const dims shape {61, 1, 1};
    const random_desc gaps {make_with_strides(shape, tfmt_u8, {4, 1, 1}), "u8 61x1x1, 4 apart"};
    const random_desc blocks {make_with_tag(shape, tfmt_u8, "aBc4b"), "u8 61x1x1 aBc4b"};
    check(gaps, blocks, ++seed);
    EXPECT_EQ(n_other_ == 0, generates_code());
}

TEST_P(padding_diff, of_single_elements_in_lines) {
    uint64_t seed = 1300;
    for (const padded &c : single)
        for (int i = 0; i < scaled(4) && !HasFailure(); ++i)
            check(c.src(), c.dst(), ++seed);
    const attributes sum = a_sum();
    for (const padded &c : single)
        if (type_bits(c.dst_type) >= 8) check(c.src(), c.dst(), ++seed, &sum);
}

TEST_P(padding_diff, of_one_step_with_attributes) {
    const attributes sum = a_sum();
    for (const padded &c : of_one) {
        check(c.src(), c.dst(), 5, &sum);
        for (int i = 0; i < scaled(6) && !HasFailure(); ++i) {
            random_source random(177 + static_cast<uint64_t>(i));
            const attributes attr = random_attributes(random, c.shape);
            check(c.src(), c.dst(), static_cast<uint64_t>(i), &attr);
        }
    }
}

TEST_P(padding_diff, with_attributes) {
    for (const padded &c : colliding) {
        for (int i = 0; i < scaled(10) && !HasFailure(); ++i) {
            random_source random(77 + static_cast<uint64_t>(i));
            const attributes attr = random_attributes(random, c.shape);
            check_apart(c, static_cast<uint64_t>(i), &attr);
        }
    }
    EXPECT_EQ(n_apart_ > 0, generates_code());
}

// A sum reads what was there, but padding is zero whatever it was.
TEST_P(padding_diff, with_a_sum) {
    const attributes attr = a_sum();
    for (const padded &c : colliding)
        if (type_bits(c.dst_type) >= 8) check_apart(c, 3, &attr);
}

TEST_P(padding_diff, beyond_l2_by_several_threads) {
    for (int n_threads : {1, 2, 3}) {
        ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
        for (const padded &c : in_passes)
            for (uint64_t seed : {3, 11}) // at any address, and not at a multiple of its elements
                check_apart(c, seed);
    }
    if (generates_code() && n_apart_ == 0) {
        GTEST_SKIP() << "right, but in one pass with the caches of this machine";
    }
}

TEST_P(padding_diff, with_compensation) {
    // Within any L2, as below.
    const padded c {tfmt_f32, tfmt_s8, "abcd", "ABcd64a64b", {3, 100, 8, 8}};
    tfmt_memory_desc_t made = nullptr;
    ASSERT_EQ(tfmt_memory_desc_create_with_compensation(
                      &made, c.dst().md.get(), tfmt_compensation_s8s8, 1, 0),
            tfmt_success);
    const random_desc src = c.src(), dst {desc_ptr(made), "with compensation"};
    EXPECT_EQ(is_apart(src.md.get(), dst.md.get()), generates_code());
    const layout from = read_layout(src.md.get()), to = read_layout(dst.md.get());
    guarded_buffer src_data(size_t(span_bytes(from)), placement::at_end);
    guarded_buffer dst_data(tfmt_memory_desc_get_size(dst.md.get()), placement::at_end);
    fill_src(src_data, tfmt_f32, tfmt_s8, 5);
    std::vector<unsigned char> wanted(dst_data.data(), dst_data.data() + dst_data.size());
    oracle_reorder(from, src_data.data(), to, wanted.data());
    oracle_compensation(to, wanted.data());
    tfmt_reorder_t reorder = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&reorder, src.md.get(), dst.md.get(), nullptr), tfmt_success);
    EXPECT_EQ(
            tfmt_reorder_execute(reorder, src_data.data(), dst_data.data(), nullptr), tfmt_success);
    tfmt_reorder_destroy(reorder);
    EXPECT_EQ(std::memcmp(wanted.data(), dst_data.data(), wanted.size()), 0);
    EXPECT_TRUE(dst_data.slack_is_intact());
}

TEST_P(padding_diff, of_runtime_dims) {
    // 16 rows of a set of L1, within any L2: on some machines fewer, and what is beyond it in
    // narrow vectors, are written in one pass.
    const padded c {tfmt_f32, tfmt_f32, "acb", "BcA16a64b4a", {100, 1, 10}};
    const dims unknown = {TFMT_RUNTIME_DIM_VAL, 1, TFMT_RUNTIME_DIM_VAL};
    const desc_ptr any_src = make_with_tag(unknown, c.src_type, c.src_tag);
    const desc_ptr any_dst = make_with_tag(unknown, c.dst_type, c.dst_tag);
    for (int64_t n : {100, 60}) {
        padded member = c;
        member.shape[0] = n;
        const random_desc src = member.src(), dst = member.dst();
        n_apart_ += is_apart(src.md.get(), dst.md.get());
        check_options options;
        options.runtime_src = any_src.get();
        options.runtime_dst = any_dst.get();
        const check_result result = check_reorder(src.md.get(), dst.md.get(), options);
        EXPECT_EQ(result.what, outcome::passed) << result.message;
    }
    EXPECT_EQ(n_apart_ > 0, generates_code());
}

INSTANTIATE_FOR_EVERY_ISA(padding_diff);
