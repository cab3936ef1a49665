// SPDX-License-Identifier: Apache-2.0
// Descriptors with compensation: where the arrays lie, what is told, stored and derived, and what
// is refused. tests/diff has the sums.
#include <set>

#include "common/blob.hpp"
#include "common/compensation.hpp"
#include "common/status.hpp"
#include "common/to_string.hpp"
#include "unit/desc_helpers.hpp"

using namespace desc_test;
using tfmt::compensation;
using tfmt::with_compensation;

namespace {

constexpr int s8s8 = tfmt_compensation_s8s8;
constexpr int asymmetric = tfmt_compensation_asymmetric_src;

memory_desc weights(const vec &dims, const char *tag, const compensation &c) {
    return with_compensation(by_tag(dims, tag, tfmt_s8), c);
}

// Status and message of what `call` throws.
std::pair<tfmt_status_t, std::string> failure_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const tfmt::failure &f) { return {f.status(), f.what()}; }
    return {tfmt_success, ""};
}

void expect_failure(
        tfmt_status_t status, const std::string &words, const std::function<void()> &call) {
    const auto got = failure_of(call);
    EXPECT_EQ(got.first, status) << got.second;
    EXPECT_NE(got.second.find(words), std::string::npos) << got.second << " lacks " << words;
}

std::vector<memory_desc> samples() {
    return {weights({20, 3, 3, 3}, "ABcd4b16a4b", {s8s8 | asymmetric, 1, 1}),
            weights({20, 3, 3, 3}, "ABcd4b16a4b", {s8s8, 1, 0}),
            weights({20, 3, 3, 3}, "ABcd4b16a4b", {asymmetric, 0, 1}),
            weights({20, 3, 3, 3}, "ABcd4b16a4b", {s8s8 | asymmetric, 3, 12}),
            weights({20, 3, 3, 3}, "dcba", {s8s8, 1, 0}), weights({7}, "a", {s8s8, 0, 0}),
            weights({7}, "a", {asymmetric, 0, 0}),
            with_compensation(by_strides({4, 6}, {16, 1}, tfmt_s8), {s8s8 | asymmetric, 2, 1})};
}

std::string sealed(std::string blob) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i + 8 < blob.size(); ++i)
        sum = (sum ^ static_cast<uint8_t>(blob[i])) * 0x100000001b3u;
    for (size_t i = 0; i < 8; ++i)
        blob[blob.size() - 8 + i] = static_cast<char>(sum >> 8 * i & 0xff);
    return blob;
}

memory_desc read(const std::string &blob) {
    return tfmt::read_blob(reinterpret_cast<const uint8_t *>(blob.data()), blob.size());
}

} // namespace

TEST(compensation, size_and_offsets) {
    tfmt::compensation_array arrays[tfmt::max_compensation_arrays];
    const memory_desc both = weights({20, 3, 3, 3}, "ABcd4b16a4b", {s8s8 | asymmetric, 1, 1});
    ASSERT_EQ(tfmt::compensation_arrays(both, arrays), 2);
    EXPECT_EQ(arrays[0].offset_bytes, 4608);
    EXPECT_EQ(arrays[0].count, 32);
    EXPECT_EQ(arrays[0].factor, -128);
    EXPECT_EQ(arrays[1].offset_bytes, 4736);
    EXPECT_EQ(arrays[1].factor, -1);
    EXPECT_EQ(tfmt::size_bytes(both), 4864u);

    // Rounded up to 4; the masks differ.
    const memory_desc odd = weights({3, 5, 7}, "abc", {s8s8 | asymmetric, 5, 0});
    ASSERT_EQ(tfmt::compensation_arrays(odd, arrays), 2);
    EXPECT_EQ(arrays[0].offset_bytes, 108);
    EXPECT_EQ(arrays[0].count, 21);
    EXPECT_EQ(arrays[1].offset_bytes, 108 + 84);
    EXPECT_EQ(arrays[1].count, 1);
    EXPECT_EQ(tfmt::size_bytes(odd), 108u + 84 + 4);

    // Asymmetric alone is the first array.
    const memory_desc one = weights({3, 5}, "ab", {asymmetric, 0, 2});
    ASSERT_EQ(tfmt::compensation_arrays(one, arrays), 1);
    EXPECT_EQ(arrays[0].offset_bytes, 16);
    EXPECT_EQ(tfmt::size_bytes(one), 16u + 20);

    EXPECT_EQ(tfmt::size_bytes(weights({0, 5}, "ab", {s8s8, 2, 0})), 0u);
    // Behind the part of a tensor that it describes, offset0 included.
    const vec dims = {2, 6}, offsets = {1, 0};
    const memory_desc parent = by_tag({4, 6}, "ab", tfmt_s8);
    const memory_desc part = tfmt::make_submemory(parent, dims.data(), offsets.data());
    EXPECT_EQ(tfmt::size_bytes(with_compensation(part, {s8s8, 1, 0})), 20u + 8);
}

TEST(compensation, equality_and_hash) {
    std::set<size_t> hashes;
    const std::vector<memory_desc> all = samples();
    for (size_t i = 0; i < all.size(); ++i) {
        for (size_t j = 0; j < all.size(); ++j)
            EXPECT_EQ(tfmt::equal(all[i], all[j]), i == j) << i << " " << j;
        EXPECT_FALSE(tfmt::equal(all[i], tfmt::without_compensation(all[i])));
        hashes.insert(tfmt::hash(all[i]));
        hashes.insert(tfmt::hash(tfmt::without_compensation(all[i])));
        EXPECT_EQ(tfmt::hash(all[i]), tfmt::hash(memory_desc(all[i])));
    }
    EXPECT_EQ(hashes.size(), all.size() + 4u); // without, four are one and two are another
    // What is there is replaced, by nothing too.
    const memory_desc base = by_tag({7, 5}, "ab", tfmt_s8);
    const memory_desc had = with_compensation(base, {s8s8, 1, 0});
    EXPECT_TRUE(tfmt::equal(with_compensation(had, {asymmetric, 0, 2}),
            with_compensation(base, {asymmetric, 0, 2})));
    EXPECT_TRUE(tfmt::equal(with_compensation(had, {0, 0, 0}), base));
}

TEST(compensation, text) {
    EXPECT_EQ(tfmt::to_string(samples()[0]), "s8:ABcd4b16a4b:20x3x3x3:c1:z1");
    EXPECT_EQ(tfmt::to_string(samples()[3]), "s8:ABcd4b16a4b:20x3x3x3:c3:z12");
    EXPECT_EQ(tfmt::to_string(samples()[6]), "s8:a:7:z0");
    EXPECT_EQ(tfmt::to_string(samples()[7]), "s8:ab:4x6:s16x1:c2:z1");
    for (const memory_desc &md : samples())
        EXPECT_TRUE(tfmt::equal(tfmt::parse_desc(tfmt::to_string(md).c_str()), md));
    for (const char *bad : {"s8:ab:4x6:c", "s8:ab:4x6:c*", "s8:ab:4x6:z1:c1", "s8:ab:4x6:c1:c1",
                 "s8:ab:4x6:c4", "s8:ab:4x6:c4096", "u8:ab:4x6:c1", "s8:any:4x6:c1", "s8:ab:*x6:c1",
                 "s8:ab:4x6:c1:o4", "s8:ab:4x6:c-1", "s8:ab:4x6:c99999999999999999999"})
        EXPECT_EQ(failure_of([&] { tfmt::parse_desc(bad); }).first, tfmt_invalid_arguments) << bad;
}

TEST(compensation, blob_round_trip) {
    for (const memory_desc &md : samples()) {
        const std::string blob = tfmt::write_blob(md);
        EXPECT_EQ(blob[4], 2);
        EXPECT_EQ(blob.size(), tfmt::write_blob(tfmt::without_compensation(md)).size() + 8);
        EXPECT_TRUE(tfmt::equal(read(blob), md));
        EXPECT_EQ(tfmt::write_blob(tfmt::without_compensation(md))[4], 1);
    }
}

// Written down once: what version 2 adds.
TEST(compensation, blob_bytes_are_pinned) {
    const std::string blob = tfmt::write_blob(weights({3, 5}, "Ab16a", {s8s8 | asymmetric, 1, 2}));
    const std::string wanted = {3, 0, 1, 0, 2, 0, 0, 0};
    ASSERT_EQ(blob.size(), 88u);
    EXPECT_EQ(blob.substr(72, 8), wanted);
    EXPECT_EQ(sealed(blob), blob);
}

TEST(compensation, any_wrong_byte_of_a_blob_is_refused) {
    for (const memory_desc &md : samples()) {
        const std::string good = tfmt::write_blob(md);
        for (size_t at = 0; at < good.size(); ++at) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 1);
            ASSERT_EQ(failure_of([&] { read(bad); }).first, tfmt_invalid_arguments) << at;
        }
    }
}

// As someone would who knows the checksum.
TEST(compensation, meant_bytes_of_a_blob_are_checked) {
    const std::string good = tfmt::write_blob(weights({3, 5}, "Ab16a", {s8s8, 1, 0}));
    const auto refused = [&](size_t at, int value, const char *words) {
        std::string bad = good;
        bad[at] = static_cast<char>(value);
        expect_failure(tfmt_invalid_arguments, words, [&] { read(sealed(bad)); });
    };
    refused(72, 0, "flags");     // nothing asked for is version 1
    refused(72, 4, "flags");     // an unknown flag
    refused(72, 2, "s8s8_mask"); // a mask without its flag
    refused(73, 0x80, "flags");  // far flags
    refused(74, 4, "s8s8_mask"); // a dimension there is not
    refused(75, 0x80, "s8s8_mask");
    refused(76, 1, "asymmetric_mask");
    refused(78, 1, "behind"); // what is reserved
    refused(79, 1, "behind");
    refused(12, tfmt_u8, "s8"); // not s8
    refused(4, 3, "version");
    refused(4, 1, "size"); // without room for it
}

TEST(compensation, what_makes_no_sense_is_refused) {
    const memory_desc base = by_tag({8, 4}, "ab", tfmt_s8);
    const auto refused = [&](const memory_desc &md, const compensation &c, const char *words,
                                 tfmt_status_t status = tfmt_invalid_arguments) {
        expect_failure(status, words, [&] { with_compensation(md, c); });
    };
    refused(base, {4, 0, 0}, "flags is 4");
    refused(base, {-1, 0, 0}, "flags is -1");
    refused(base, {s8s8, 4, 0}, "s8s8_mask is 4");
    refused(base, {s8s8, -1, 0}, "s8s8_mask is -1");
    refused(base, {s8s8, 1 << 12, 0}, "s8s8_mask is 4096");
    refused(base, {s8s8, 1, 1}, "asymmetric_mask is 1");
    refused(base, {asymmetric, 1, 1}, "s8s8_mask is 1");
    refused(by_tag({8, 4}, "ab", tfmt_u8), {s8s8, 1, 0}, "data_type is u8");
    refused(by_tag({8, 4}, "any", tfmt_s8), {s8s8, 1, 0}, "base");
    refused(by_tag({TFMT_RUNTIME_DIM_VAL, 4}, "ab", tfmt_s8), {s8s8, 1, 0}, "base",
            tfmt_unimplemented);
    // The elements fit in 63 bits, the sums do not.
    refused(by_tag({dim_t(1) << 31, dim_t(1) << 31}, "ab", tfmt_s8), {s8s8, 3, 0}, "overflows");
    refused(by_strides({2}, {INT64_MAX - 2}, tfmt_s8), {s8s8, 0, 0}, "overflows");
}

TEST(compensation, derived_descriptors) {
    const memory_desc md = weights({8, 4, 6}, "abc", {s8s8 | asymmetric, 3, 4});
    const int keeps_order[] = {0, 2, 1}, exchanges[] = {1, 0, 2};
    const memory_desc permuted = tfmt::make_permuted(md, keeps_order);
    EXPECT_EQ(permuted.sums.s8s8_mask, 5);
    EXPECT_EQ(permuted.sums.asymmetric_mask, 2);
    EXPECT_EQ(permuted.sums.flags, md.sums.flags);
    expect_failure(tfmt_unimplemented, "permutation exchanges dimensions 0 and 1",
            [&] { tfmt::make_permuted(md, exchanges); });
    const vec same = {8, 4, 6}, other = {32, 6}, offsets = {0, 0, 0};
    EXPECT_TRUE(tfmt::equal(tfmt::make_reshaped(md, 3, same.data()), md));
    expect_failure(tfmt_unimplemented, "in has compensation",
            [&] { tfmt::make_reshaped(md, 2, other.data()); });
    expect_failure(tfmt_unimplemented, "parent has compensation",
            [&] { tfmt::make_submemory(md, same.data(), offsets.data()); });
    expect_failure(tfmt_unimplemented, "in has compensation", [&] { tfmt::make_unblocked(md); });
    EXPECT_TRUE(tfmt::equal(tfmt::make_with_data_type(md, tfmt_s8), md));
    expect_failure(tfmt_unimplemented, "in has compensation",
            [&] { tfmt::make_with_data_type(md, tfmt_u8); });
    expect_failure(tfmt_invalid_arguments, "data_type is 0",
            [&] { tfmt::make_with_data_type(md, tfmt_data_type_undef); });
}
