// SPDX-License-Identifier: Apache-2.0
#include "common/blob.hpp"

#include <algorithm>

#include "desc_helpers.hpp"

using namespace desc_test;
using bytes = std::vector<uint8_t>;

namespace {

bytes blob_of(const memory_desc &md) {
    size_t size_bytes = 0;
    EXPECT_EQ(tfmt_memory_desc_get_blob(nullptr, &size_bytes, &md), tfmt_success);
    bytes blob(size_bytes + 8, 0xee);
    size_t room_bytes = blob.size();
    EXPECT_EQ(tfmt_memory_desc_get_blob(blob.data(), &room_bytes, &md), tfmt_success);
    EXPECT_EQ(room_bytes, size_bytes);
    EXPECT_EQ(bytes(blob.begin() + static_cast<long>(size_bytes), blob.end()), bytes(8, 0xee));
    blob.resize(size_bytes);
    return blob;
}

std::vector<memory_desc> samples() {
    std::vector<memory_desc> mds = {by_tag({7}, "a", tfmt_s4), by_tag({2, 40, 5, 4}, "aBcd16b"),
            by_tag({33, 40, 2}, "ABc4a8b8a4b", tfmt_bf16), by_tag({2, 0, 5}, "acb", tfmt_u8),
            by_tag({2, TFMT_RUNTIME_DIM_VAL, 5}, "acb"), by_tag({2, 3}, "any"),
            by_strides({4, 6}, {0, 3}, tfmt_f64), by_tag(vec(12, 2), "lkjihgfedcba"),
            tfmt::make_submemory(
                    by_tag({4, 64, 5}, "aBc16b"), vec({2, 16, 3}).data(), vec({1, 32, 1}).data())};
    random_descs random(3);
    for (int i = 0; i < 50; ++i)
        mds.push_back(i % 2 ? random.dense() : random.spread());
    return mds;
}

// Makes the checksum right again, as an attacker would.
void seal(bytes *blob) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i + 8 < blob->size(); ++i)
        sum = (sum ^ (*blob)[i]) * 1099511628211u;
    for (size_t i = 0; i < 8; ++i)
        (*blob)[blob->size() - 8 + i] = static_cast<uint8_t>(sum >> 8 * i);
}

void put64(bytes *blob, size_t at, int64_t value) {
    for (size_t i = 0; i < 8; ++i)
        (*blob)[at + i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> 8 * i);
}

bool is_refused(const bytes &blob) {
    tfmt_memory_desc_t md = nullptr;
    const tfmt_status_t status = tfmt_memory_desc_create_with_blob(&md, blob.data(), blob.size());
    const bool is_untouched = md == nullptr;
    tfmt_memory_desc_destroy(md);
    return status == tfmt_invalid_arguments && is_untouched;
}

} // namespace

TEST(blob, round_trip) {
    for (const memory_desc &md : samples()) {
        const bytes blob = blob_of(md);
        EXPECT_LE(blob.size(), 416u);
        tfmt_memory_desc_t back = nullptr;
        ASSERT_EQ(tfmt_memory_desc_create_with_blob(&back, blob.data(), blob.size()), tfmt_success)
                << tfmt_get_last_error();
        EXPECT_TRUE(tfmt::equal(*back, md));
        EXPECT_EQ(strides_of(*back), strides_of(md)); // of single elements too
        EXPECT_EQ(blob_of(*back), blob);
        tfmt_memory_desc_destroy(back);
    }
}

// Written down once: what version 1 is, on every machine, for good.
TEST(blob, bytes_are_pinned) {
    bytes want = {'T', 'F', 'M', 'D', 1, 0, 2, 1, 80, 0, 0, 0, 3, 0, 2, 0};
    for (const uint8_t low : {0, 3, 5, 80, 16, 16, 0}) { // offset0, dims, strides, block, its dim
        want.push_back(low);
        want.insert(want.end(), 7, 0);
    }
    for (const uint8_t sum : {0, 0, 0, 0, 0, 0, 0, 0})
        want.push_back(sum);
    seal(&want);
    EXPECT_EQ(blob_of(by_tag({3, 5}, "Ab16a")), want);
}

TEST(blob, any_wrong_byte_is_refused) {
    for (const memory_desc &md : samples()) {
        const bytes good = blob_of(md);
        for (size_t at = 0; at < good.size(); ++at)
            for (const int change : {0x01, 0x02, 0x10, 0x7f, 0x80, 0xff}) {
                bytes bad = good;
                bad[at] = static_cast<uint8_t>(bad[at] ^ change);
                ASSERT_TRUE(is_refused(bad)) << "byte " << at << " xor " << change;
            }
    }
}

TEST(blob, any_other_length_is_refused) {
    for (const memory_desc &md : {by_tag({2, 40, 5, 4}, "aBcd16b"), by_tag({3}, "a")}) {
        const bytes good = blob_of(md);
        for (size_t n = 0; n < good.size(); ++n)
            ASSERT_TRUE(is_refused(bytes(good.begin(), good.begin() + static_cast<long>(n)))) << n;
        bytes longer = good;
        longer.push_back(0);
        EXPECT_TRUE(is_refused(longer));
        seal(&longer);
        EXPECT_TRUE(is_refused(longer));
    }
}

TEST(blob, a_right_checksum_does_not_excuse_wrong_fields) {
    // aBc16b over 2x40x5: dims at 24, 32, 40; strides at 48, 56, 64; the block at 72, its dim
    // at 80.
    const bytes good = blob_of(by_tag({2, 40, 5}, "aBc16b"));
    ASSERT_EQ(good.size(), 96u);
    struct change {
        size_t at;
        int64_t value;
        const char *word;
    };
    const change changes[] = {{16, -1, "offset0 is -1"}, {16, INT64_MAX, "offset0"},
            {16, INT64_MIN + 1, "offset0"}, {24, -2, "dims[0] is -2"}, {24, INT64_MAX, "dims"},
            {32, INT64_MAX, "dims"}, {48, 239, "strides[0] is 239"}, {48, -240, "strides[0]"},
            {56, 15, "strides[1]"}, {64, 1, "strides[2] is 1"}, {64, INT64_MAX, "strides"},
            {72, 0, "inner_blks[0] is 0"}, {72, 1, "block of 1"}, {72, -16, "inner_blks[0]"},
            {72, INT64_MAX, "dims"}, {80, 3, "inner_idxs[0] is 3"}, {80, -1, "inner_idxs[0]"}};
    for (const change &c : changes) {
        bytes bad = good;
        put64(&bad, c.at, c.value);
        seal(&bad);
        EXPECT_TRUE(is_refused(bad)) << c.at << ' ' << c.value;
        const std::string message = tfmt_get_last_error();
        EXPECT_NE(message.find(c.word), std::string::npos) << message << " lacks " << c.word;
    }
    for (const auto &[at, value] : std::vector<std::pair<size_t, int>> {{0, 't'}, {4, 2}, {5, 1},
                 {6, 0}, {6, 2}, {6, 13}, {6, 255}, {7, 0}, {7, 13}, {8, 95}, {11, 1}, {12, 0},
                 {12, 15}, {12, 17}, {12, 255}, {13, 1}, {14, 0}, {14, 1}, {14, 3}, {15, 2}}) {
        bytes bad = good;
        bad[at] = static_cast<uint8_t>(value);
        seal(&bad);
        EXPECT_TRUE(is_refused(bad)) << at << ' ' << value;
    }
}

// Whatever passes is a descriptor that works: it can be written, printed and asked for offsets.
TEST(blob, random_fields_give_a_valid_descriptor_or_none) {
    random_descs random(4);
    const std::vector<memory_desc> seeds = samples();
    int passed = 0;
    for (int round = 0; round < 20000; ++round) {
        bytes blob = blob_of(
                seeds[static_cast<size_t>(random.below(static_cast<dim_t>(seeds.size())))]);
        for (dim_t n = 1 + random.below(2); n > 0; --n) {
            const size_t at = static_cast<size_t>(
                    random.below(static_cast<dim_t>(blob.size()) - 8));
            blob[at] = static_cast<uint8_t>(random.below(2) ? random.below(256) : random.below(4));
        }
        seal(&blob);
        tfmt_memory_desc_t md = nullptr;
        if (tfmt_memory_desc_create_with_blob(&md, blob.data(), blob.size()) != tfmt_success)
            continue;
        ++passed;
        EXPECT_NO_THROW(tfmt::validate(*md));
        EXPECT_EQ(blob_of(*md), blob);
        size_t size_bytes = 0;
        EXPECT_EQ(tfmt_memory_desc_to_string(md, nullptr, &size_bytes), tfmt_success);
        tfmt_memory_desc_get_size(md);
        tfmt_memory_desc_destroy(md);
    }
    EXPECT_GT(passed, 1000);
}

TEST(blob, too_little_room_is_refused_and_nothing_written) {
    const memory_desc md = by_tag({2, 40, 5, 4}, "aBcd16b");
    const size_t needed_bytes = blob_of(md).size();
    bytes small(needed_bytes, 0xee);
    size_t room_bytes = needed_bytes - 1;
    EXPECT_EQ(tfmt_memory_desc_get_blob(small.data(), &room_bytes, &md), tfmt_invalid_arguments);
    EXPECT_EQ(room_bytes, needed_bytes - 1);
    EXPECT_EQ(small, bytes(needed_bytes, 0xee));
    EXPECT_NE(std::string(tfmt_get_last_error()).find("*size is 111"), std::string::npos)
            << tfmt_get_last_error();
}
