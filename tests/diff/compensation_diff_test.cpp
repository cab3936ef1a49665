// SPDX-License-Identifier: Apache-2.0
// Compensation behind s8 destinations against the oracle's sums, and of extremes against sums by
// hand: layouts of convolution and matmul weights, random ones, all masks.
#include <cstring>
#include <memory>
#include <vector>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"
#include "support/random_data.hpp"

using namespace tfmt_test;

namespace {

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};
using reorder_ptr = std::unique_ptr<tfmt_reorder, reorder_deleter>;

// -1: that compensation is not asked for.
struct masks {
    int s8s8;
    int asymmetric;
};

desc_ptr with_compensation(const desc_ptr &base, const masks &m) {
    const int flags = (m.s8s8 >= 0 ? int(tfmt_compensation_s8s8) : 0)
            | (m.asymmetric >= 0 ? int(tfmt_compensation_asymmetric_src) : 0);
    tfmt_memory_desc_t md = nullptr;
    EXPECT_EQ(tfmt_memory_desc_create_with_compensation(
                      &md, base.get(), flags, std::max(m.s8s8, 0), std::max(m.asymmetric, 0)),
            tfmt_success)
            << tfmt_get_last_error();
    return desc_ptr(md);
}

// The whole buffer as it must be, from `before` and the source.
std::vector<unsigned char> wanted_bytes(const layout &src, const void *src_data, const layout &dst,
        const std::vector<unsigned char> &before) {
    std::vector<unsigned char> bytes = before;
    EXPECT_EQ(buffer_bytes(dst), int64_t(bytes.size())) << "not the size of elements and arrays";
    if (dst.is_zero_sized()) return bytes;
    oracle_reorder(src, src_data, dst, bytes.data());
    oracle_compensation(dst, bytes.data());
    return bytes;
}

std::string first_difference(
        const std::vector<unsigned char> &wanted, const unsigned char *got, const layout &dst) {
    for (size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i] != got[i])
            return "byte " + std::to_string(i) + " of " + std::to_string(wanted.size())
                    + ", elements end at " + std::to_string(span_bytes(dst));
    return "";
}

// Executes src -> dst with compensation between guard pages and compares every byte.
std::string wrong_in(const desc_ptr &src, const desc_ptr &dst, const masks &m, uint64_t seed,
        size_t shift_bytes = 0) {
    const desc_ptr full = with_compensation(dst, m);
    tfmt_reorder_t created = nullptr;
    if (tfmt_reorder_create(&created, src.get(), full.get(), nullptr) != tfmt_success)
        return tfmt_get_last_error();
    const reorder_ptr reorder(created);
    const layout src_layout = read_layout(src.get()), dst_layout = read_layout(full.get());
    guarded_buffer from(size_t(span_bytes(src_layout)), placement::at_end);
    guarded_buffer to(tfmt_memory_desc_get_size(full.get()), placement::at_end, 1, shift_bytes);
    fill_src(from, src_layout.data_type, tfmt_s8, seed);
    const std::vector<unsigned char> before(to.data(), to.data() + to.size());
    if (tfmt_reorder_execute(created, from.data(), to.data(), nullptr) != tfmt_success)
        return tfmt_get_last_error();
    if (!to.slack_is_intact()) return "bytes beside dst were written";
    return first_difference(
            wanted_bytes(src_layout, from.data(), dst_layout, before), to.data(), dst_layout);
}

struct weights {
    dims shape;
    const char *tag;
    masks m;
};

// The layouts of quantised weights as they are used, with and without tails, and plain ones.
const std::vector<weights> &usual_weights() {
    static const std::vector<weights> all = {
            {{64, 32, 3, 3}, "ABcd4b16a4b", {1, -1}},
            {{64, 64, 1, 1}, "ABcd4b16a4b", {1, 1}},
            {{50, 37, 3, 3}, "ABcd4b16a4b", {1, 1}},
            {{17, 5, 7}, "ABc4b16a4b", {-1, 1}},
            {{33, 19, 2, 3, 3}, "ABcde4b16a4b", {1, 1}},
            {{4, 32, 16, 3, 3}, "aBCde4c16b4c", {3, 3}},
            {{3, 21, 35, 3, 3}, "aBCde4c16b4c", {3, 3}},
            {{2, 16, 16, 5}, "aBCd4c16b4c", {3, -1}},
            {{96, 3, 7, 7}, "dcba", {1, 1}}, // xba
            {{300, 5, 3}, "cba", {1, 1}},
            {{257, 64}, "ba", {1, 1}},
            {{48, 16, 3, 3}, "Abcd16a", {1, 1}},
            {{50, 3, 7, 7}, "Abcd16a", {1, -1}},
            {{33, 1, 5}, "Abc16a", {1, 1}},
            {{64, 128}, "BA16a64b4a", {2, 2}},
            {{100, 200}, "BA16a64b4a", {2, 2}},
            {{7, 3}, "BA16a64b4a", {2, -1}},
            {{96, 48}, "BA16a32b4a", {2, 2}},
            {{3, 70, 90}, "aCB16b64c4b", {5, 5}},
            {{128, 576}, "ab", {1, 1}},
            {{128, 577}, "ab", {1, 1}},
            {{77, 300}, "ab", {2, 2}},
            {{31, 17, 3, 3}, "abcd", {1, 1}},
            {{512, 1, 1, 3, 3}, "abcde", {3, 3}},
            {{64, 1, 1, 3, 3}, "Abcde16a", {3, 3}},
            {{37, 1, 1, 3, 3}, "decab", {3, 3}}, // hwigo
            {{5, 6, 7}, "abc", {0, 7}},
            {{6, 5, 9}, "aBc4b", {5, 2}},
            {{300}, "a", {0, 1}},
            {{1, 1}, "ab", {3, 0}},
    };
    return all;
}

class compensation_diff : public isa_fixture {};

} // namespace

TEST_P(compensation_diff, usual_weights) {
    uint64_t seed = 1;
    for (const weights &w : usual_weights())
        for (tfmt_data_type_t type : {tfmt_f32, tfmt_s8}) {
            const std::string plain = std::string("abcdefghijkl").substr(0, w.shape.size());
            const desc_ptr src = make_with_tag(w.shape, type, plain);
            const desc_ptr dst = make_with_tag(w.shape, tfmt_s8, w.tag);
            for (size_t shift_bytes : {0, 1})
                ASSERT_EQ(wrong_in(src, dst, w.m, ++seed, shift_bytes), "")
                        << type_name(type) << " -> " << w.tag << " " << dims_text(w.shape)
                        << " masks " << w.m.s8s8 << " " << w.m.asymmetric;
        }
}

TEST_P(compensation_diff, random_layouts_and_masks) {
    random_source random(20);
    for (int i = 0; i < scaled(400); ++i) {
        const dims shape = random_dims(random, 3000);
        const tfmt_data_type_t type = random.one_in(2) ? tfmt_s8 : tfmt_f32;
        const random_desc src = make_random_desc(random, shape, type, role::src, 1 << 18);
        const random_desc dst = make_random_desc(random, shape, tfmt_s8, role::dst, 1 << 18);
        const int64_t n_masks = int64_t(1) << shape.size();
        masks m = {int(random.below(n_masks)), int(random.below(n_masks))};
        if (random.one_in(3)) m.asymmetric = m.s8s8;
        if (random.one_in(4)) (random.one_in(2) ? m.s8s8 : m.asymmetric) = -1;
        ASSERT_EQ(wrong_in(src.md, dst.md, m, uint64_t(i)), "")
                << src.recipe << "\n -> " << dst.recipe << "\nmasks " << m.s8s8 << " "
                << m.asymmetric;
    }
}

TEST_P(compensation_diff, sums_by_hand) {
    const desc_ptr src = make_with_tag({2, 3}, tfmt_s8, "ab");
    const desc_ptr dst = with_compensation(make_with_tag({2, 3}, tfmt_s8, "ba"), {1, 2});
    tfmt_reorder_t created = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&created, src.get(), dst.get(), nullptr), tfmt_success);
    const reorder_ptr reorder(created);
    const int8_t from[] = {1, -2, 3, 4, 5, -128};
    std::vector<int8_t> to(28, 0x55);
    ASSERT_EQ(tfmt_memory_desc_get_size(dst.get()), to.size()); // 6, 2 of nothing, 2 * 4, 3 * 4
    ASSERT_EQ(tfmt_reorder_execute(created, from, to.data(), nullptr), tfmt_success);
    int32_t entries[5];
    std::memcpy(entries, to.data() + 8, sizeof entries);
    EXPECT_EQ(entries[0], -128 * (1 - 2 + 3));
    EXPECT_EQ(entries[1], -128 * (4 + 5 - 128));
    EXPECT_EQ(entries[2], -(1 + 4));
    EXPECT_EQ(entries[3], -(-2 + 5));
    EXPECT_EQ(entries[4], -(3 - 128));
    EXPECT_EQ(to[6], 0x55);
    EXPECT_EQ(to[7], 0x55);
}

// Where 16-bit sums, and for s8s8 even 32-bit ones, are full.
TEST_P(compensation_diff, sums_of_extremes) {
    for (const char *tag : {"ab", "ba", "AB4b16a4b", "BA16b64a4b"})
        for (int value : {-128, 127}) {
            const dims shape = {18, 140001};
            const desc_ptr base = make_with_tag(shape, tfmt_s8, tag);
            const desc_ptr src = make_with_tag(shape, tfmt_s8, "ab");
            const masks m = {1, 1};
            const desc_ptr dst = with_compensation(base, m);
            tfmt_reorder_t created = nullptr;
            ASSERT_EQ(tfmt_reorder_create(&created, src.get(), dst.get(), nullptr), tfmt_success);
            const reorder_ptr reorder(created);
            std::vector<int8_t> from(tfmt_memory_desc_get_size(src.get()), int8_t(value));
            std::vector<unsigned char> to(tfmt_memory_desc_get_size(dst.get()), 0x55);
            ASSERT_EQ(tfmt_reorder_execute(created, from.data(), to.data(), nullptr), tfmt_success);
            const size_t padded_rows = size_t(read_layout(base.get()).padded[0]);
            const auto entry = [&](size_t number) {
                uint32_t read = 0;
                std::memcpy(&read, to.data() + to.size() - (2 * padded_rows - number) * 4, 4);
                return read;
            };
            for (size_t row = 0; row < padded_rows; ++row) {
                const int64_t sum = row < 18 ? int64_t(140001) * value : 0;
                ASSERT_EQ(entry(row), static_cast<uint32_t>(-128 * sum)) << tag << " row " << row;
                ASSERT_EQ(entry(padded_rows + row), static_cast<uint32_t>(-sum)) << tag;
            }
        }
}

TEST_P(compensation_diff, any_number_of_threads_writes_the_same) {
    for (const char *tag : {"ABcd4b16a4b", "dcba", "abcd", "Abcd16a"}) {
        const dims shape = {510, 300, 3, 3};
        const masks m = {1, 1};
        const desc_ptr src = make_with_tag(shape, tfmt_s8, "abcd");
        const desc_ptr dst = make_with_tag(shape, tfmt_s8, tag);
        for (int n_threads : {1, 4}) {
            ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
            ASSERT_EQ(wrong_in(src, dst, m, 5), "") << tag << " on " << n_threads << " threads";
        }
    }
}

// What is there is summed again, from a buffer with and one without room that is used as the
// source.
TEST_P(compensation_diff, in_place_writes_padding_and_sums) {
    const dims shape = {20, 7, 3};
    const desc_ptr base = make_with_tag(shape, tfmt_s8, "ABc4b16a4b");
    const masks m = {1, 4};
    const desc_ptr full = with_compensation(base, m);
    const layout l = read_layout(full.get());
    for (const desc_ptr *src : {&base, &full}) {
        tfmt_reorder_t created = nullptr;
        ASSERT_EQ(tfmt_reorder_create(&created, src->get(), full.get(), nullptr), tfmt_success);
        const reorder_ptr reorder(created);
        guarded_buffer buffer(tfmt_memory_desc_get_size(full.get()), placement::at_end);
        fill_src(buffer, tfmt_s8, tfmt_s8, 8);
        const std::vector<unsigned char> before(buffer.data(), buffer.data() + buffer.size());
        ASSERT_EQ(
                tfmt_reorder_execute(created, buffer.data(), buffer.data(), nullptr), tfmt_success)
                << tfmt_get_last_error();
        EXPECT_EQ(
                first_difference(wanted_bytes(l, before.data(), l, before), buffer.data(), l), "");
    }
}

// The elements come from under the compensation of the source, which is not looked at.
TEST_P(compensation_diff, compensation_of_the_source_is_ignored) {
    const dims shape = {20, 7, 3};
    const desc_ptr base = make_with_tag(shape, tfmt_s8, "ABc4b16a4b");
    const desc_ptr src = with_compensation(base, {1, 1});
    const desc_ptr dst = make_with_tag(shape, tfmt_f32, "abc");
    tfmt_reorder_t created = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&created, src.get(), dst.get(), nullptr), tfmt_success);
    const reorder_ptr reorder(created);
    std::vector<unsigned char> from(tfmt_memory_desc_get_size(src.get()), 7);
    std::vector<float> to(20 * 7 * 3, 0.f);
    ASSERT_EQ(tfmt_reorder_execute(created, from.data(), to.data(), nullptr), tfmt_success);
    EXPECT_EQ(to, std::vector<float>(20 * 7 * 3, 7.f));
}

TEST_P(compensation_diff, a_zero_sized_tensor_touches_nothing) {
    const desc_ptr base = make_with_tag({0, 7}, tfmt_s8, "ab");
    const desc_ptr dst = with_compensation(base, {2, 2});
    EXPECT_EQ(tfmt_memory_desc_get_size(dst.get()), 0u);
    tfmt_reorder_t created = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&created, base.get(), dst.get(), nullptr), tfmt_success);
    EXPECT_EQ(tfmt_reorder_execute(created, nullptr, nullptr, nullptr), tfmt_success);
    tfmt_reorder_destroy(created);
}

// Zero padding is about elements alone.
TEST_P(compensation_diff, zero_padding_leaves_the_sums_alone) {
    const desc_ptr base = make_with_tag({20, 7, 3}, tfmt_s8, "ABc4b16a4b");
    const desc_ptr full = with_compensation(base, {1, 1});
    std::vector<unsigned char> data(tfmt_memory_desc_get_size(full.get()), 0x5a);
    std::vector<unsigned char> wanted = data;
    oracle_zero_pad(read_layout(base.get()), wanted.data());
    ASSERT_EQ(tfmt_zero_pad(full.get(), data.data()), tfmt_success);
    EXPECT_EQ(data, wanted);
}

INSTANTIATE_FOR_EVERY_ISA(compensation_diff);
