// SPDX-License-Identifier: Apache-2.0
#include "common/memory_desc.hpp"

#include "common/data_type.hpp"
#include "common/status.hpp"
#include "common/to_string.hpp"
#include "desc_helpers.hpp"

using namespace desc_test;
using tfmt::equal;
using tfmt::hash;
using tfmt::size_bytes;

namespace {

const dim_t R = TFMT_RUNTIME_DIM_VAL;

memory_desc by_blocking(const vec &dims, const vec &strides, const vec &blks, const vec &idxs) {
    return tfmt::make_with_blocking(static_cast<int>(dims.size()), dims.data(), tfmt_f32,
            strides.empty() ? nullptr : strides.data(), static_cast<int>(blks.size()), blks.data(),
            idxs.data());
}

void expect_strides_refused(const vec &dims, const vec &strides, const std::string &word,
        tfmt_data_type_t dt = tfmt_f32) {
    expect_refused("tfmt_memory_desc_create_with_strides", {word}, [&](tfmt_memory_desc_t *md) {
        return tfmt_memory_desc_create_with_strides(
                md, static_cast<int>(dims.size()), dims.data(), dt, strides.data());
    });
}

void expect_tag_refused(const vec &dims, tfmt_format_tag_t tag, const std::string &word,
        tfmt_data_type_t dt = tfmt_f32) {
    expect_refused("tfmt_memory_desc_create_with_tag", {word}, [&](tfmt_memory_desc_t *md) {
        return tfmt_memory_desc_create_with_tag(
                md, static_cast<int>(dims.size()), dims.data(), dt, tag);
    });
}

} // namespace

TEST(memory_desc, strides_that_do_not_overlap_are_taken) {
    struct row {
        vec dims, strides;
        size_t span; // elements
    };
    const row rows[] = {
            {{2, 3}, {3, 1}, 6},
            {{2, 3}, {1, 2}, 6},
            {{2, 3}, {4, 1}, 7},  // a gap between the rows, none behind the last
            {{2, 3}, {5, 2}, 10}, // offsets 0 2 4 and 5 7 9
            {{2, 3, 1}, {3, 1, 0}, 6},
            {{2, 1, 3}, {3, 1, 1}, 6},    // size 1: any stride
            {{2, 1, 3}, {3, 1000, 1}, 6}, // and it takes no room
            {{4, 3}, {0, 1}, 3},          // broadcast
            {{4, 3}, {0, 0}, 1},
            {{4, 3, 5}, {5, 0, 1}, 20},
            {{0, 3}, {0, 1}, 0},
            {{0, 3}, {1, 1}, 0}, // no elements, nothing overlaps
            {{7}, {1000000007}, 6 * 1000000007ull + 1},
    };
    for (const row &r : rows) {
        const memory_desc md = by_strides(r.dims, r.strides);
        EXPECT_EQ(strides_of(md), r.strides);
        EXPECT_EQ(padded_dims_of(md), r.dims);
        EXPECT_EQ(size_bytes(md), r.span * 4);
        EXPECT_EQ(md.format_kind, tfmt_blocked);
    }
}

TEST(memory_desc, strides_that_overlap_are_refused) {
    expect_strides_refused({2, 3}, {2, 1}, "strides[0] is 2, wanted at least 3");
    expect_strides_refused({2, 3}, {1, 1}, "is 1, wanted at least");
    expect_strides_refused({2, 3}, {4, 2}, "strides[0] is 4, wanted at least 5");
    expect_strides_refused({2, 3}, {1, 1}, "strides[");
    expect_strides_refused({3, 2, 2}, {2, 2, 1}, "strides[");
    expect_strides_refused({2, 3}, {-3, 1}, "strides[0] is -3");
    expect_strides_refused({0, 3}, {0, -1}, "strides[1] is -1");
    expect_strides_refused({2, 3}, {INT64_MAX, 1}, "span");
    expect_strides_refused({3, 3}, {INT64_MAX / 2, INT64_MAX / 2}, "strides");
    expect_strides_refused({2, 1}, {INT64_MAX / 4, 1}, "span in bytes");
}

TEST(memory_desc, blocking_is_strides_and_blocks_together) {
    const memory_desc md = by_blocking({2, 17, 5, 4}, {2000, 700, 100, 17}, {16}, {1});
    EXPECT_EQ(padded_dims_of(md), vec({2, 32, 5, 4}));
    EXPECT_EQ(size_bytes(md), (2000 + 700 + 400 + 51 + 16) * 4u);
    EXPECT_TRUE(equal(by_blocking({2, 17, 5, 4}, {}, {16}, {1}), by_tag({2, 17, 5, 4}, "aBcd16b")));
    EXPECT_TRUE(equal(by_blocking({2, 17, 5, 4}, {}, {}, {}), by_tag({2, 17, 5, 4}, "abcd")));
    EXPECT_TRUE(
            equal(by_blocking({17, 5}, {}, {8, 16, 2}, {1, 0, 1}), by_tag({17, 5}, "AB8b16a2b")));
    // Blocks of 1 are no blocks.
    const memory_desc ones = by_blocking({2, 17}, {}, {1, 8, 1}, {0, 1, 1});
    EXPECT_EQ(ones.inner_nblks, 1);
    EXPECT_TRUE(equal(ones, by_tag({2, 17}, "aB8b")));
}

TEST(memory_desc, bad_blocks_are_refused) {
    const auto refused = [](const vec &dims, const vec &strides, int n, const vec &blks,
                                 const vec &idxs, const char *word) {
        expect_refused(
                "tfmt_memory_desc_create_with_blocking", {word}, [&](tfmt_memory_desc_t *md) {
                    return tfmt_memory_desc_create_with_blocking(md, static_cast<int>(dims.size()),
                            dims.data(), tfmt_f32, strides.empty() ? nullptr : strides.data(), n,
                            blks.data(), idxs.data());
                });
    };
    refused({2, 17}, {}, 1, {0}, {1}, "inner_blks[0] is 0");
    refused({2, 17}, {}, 2, {4, -4}, {1, 1}, "inner_blks[1] is -4");
    refused({2, 17}, {}, 1, {4}, {2}, "inner_idxs[0] is 2");
    refused({2, 17}, {}, 1, {4}, {-1}, "inner_idxs[0] is -1");
    refused({2, 17}, {}, -1, {4}, {1}, "inner_nblks is -1");
    refused({2, 17}, {}, 13, vec(13, 2), vec(13, 0), "inner_nblks is 13");
    refused({2, 17}, {}, 2, {INT64_MAX / 2, 3}, {0, 1}, "inner_blks");
    refused({2, 17}, {}, 1, {INT64_MAX}, {1}, "dims");
    refused({2, 17}, {}, 1, {R}, {1}, "inner_blks[0]");
    refused({2, 17}, {20, 7}, 1, {8}, {1}, "strides[1] is 7, wanted at least 8");
    refused({2, 17}, {23, 8}, 1, {8}, {1}, "strides[0] is 23, wanted at least 24");
}

TEST(memory_desc, bad_shapes_are_refused) {
    const vec many(13, 1);
    for (const int ndims : {-1, 0, 13, INT32_MAX})
        expect_refused("tfmt_memory_desc_create_with_tag", {"ndims is " + std::to_string(ndims)},
                [&](tfmt_memory_desc_t *md) {
                    return tfmt_memory_desc_create_with_tag(
                            md, ndims, many.data(), tfmt_f32, tfmt_abcd);
                });
    expect_tag_refused({2, -1}, tfmt_ab, "dims[1] is -1");
    expect_tag_refused({INT64_MIN + 1, 1}, tfmt_ab, "dims[0] is -9223372036854775807");
    expect_tag_refused({INT64_MAX, 2}, tfmt_ab, "dims");
    expect_tag_refused({dim_t(1) << 32, dim_t(1) << 32}, tfmt_ab, "dims");
    expect_tag_refused({dim_t(1) << 32, dim_t(1) << 32}, tfmt_format_tag_any, "dims");
    expect_tag_refused({INT64_MAX, 1}, tfmt_ab, "span in bytes");
    expect_tag_refused({INT64_MAX / 4 + 1}, tfmt_a, "span in bytes");
    expect_tag_refused({1, INT64_MAX, 1}, tfmt_aBc16b, "dims", tfmt_u8);
    expect_tag_refused({0, INT64_MAX, 3}, tfmt_abc, "dims");
    expect_tag_refused({2, 3}, tfmt_ab, "data_type is 0", tfmt_data_type_undef);
    expect_tag_refused({2, 3}, tfmt_ab, "data_type is 15", static_cast<tfmt_data_type_t>(15));
    expect_strides_refused({dim_t(1) << 40, dim_t(1) << 40}, {0, 0}, "dims");
}

TEST(memory_desc, the_largest_spans_fit) {
    EXPECT_EQ(size_bytes(by_tag({INT64_MAX}, "a", tfmt_u8)), size_t(INT64_MAX));
    EXPECT_EQ(size_bytes(by_tag({INT64_MAX}, "a", tfmt_s4)), size_t(1) << 62);
    EXPECT_EQ(size_bytes(by_tag({INT64_MAX / 4}, "a")), size_t(INT64_MAX / 4 * 4));
    EXPECT_EQ(size_bytes(by_strides({2}, {INT64_MAX - 1}, tfmt_u8)), size_t(INT64_MAX));
}

TEST(memory_desc, sizes_of_every_type) {
    const std::pair<tfmt_data_type_t, size_t> rows[] = {{tfmt_f16, 30}, {tfmt_bf16, 30},
            {tfmt_f32, 60}, {tfmt_s32, 60}, {tfmt_s8, 15}, {tfmt_u8, 15}, {tfmt_f64, 120},
            {tfmt_boolean, 15}, {tfmt_f8_e5m2, 15}, {tfmt_f8_e4m3, 15}, {tfmt_s4, 8}, {tfmt_u4, 8},
            {tfmt_e8m0, 15}, {tfmt_f4_e2m1, 8}, {tfmt_s64, 120}};
    for (const auto &[dt, bytes] : rows) {
        EXPECT_EQ(size_bytes(by_tag({3, 5}, "ba", dt)), bytes) << tfmt::name_of(dt);
        EXPECT_EQ(tfmt_data_type_size(dt), (bytes + 14) / 15) << tfmt::name_of(dt);
        tfmt_data_type_t parsed = tfmt_data_type_undef;
        EXPECT_TRUE(tfmt::parse_data_type(tfmt::name_of(dt), &parsed));
        EXPECT_EQ(parsed, dt);
        EXPECT_EQ(tfmt::bits_of(dt), bytes == 8 ? 4 : static_cast<int>(bytes * 8 / 15));
    }
    EXPECT_EQ(tfmt_data_type_size(tfmt_data_type_undef), 0u);
    EXPECT_EQ(tfmt_data_type_size(static_cast<tfmt_data_type_t>(15)), 0u);
    tfmt_data_type_t untouched = tfmt_f64;
    EXPECT_FALSE(tfmt::parse_data_type("undef", &untouched));
    EXPECT_EQ(untouched, tfmt_f64);
}

TEST(memory_desc, sizes_count_padding_offset_and_gaps) {
    EXPECT_EQ(size_bytes(by_tag({2, 17, 5, 4}, "nChw16c")), 2u * 32 * 5 * 4 * 4);
    EXPECT_EQ(size_bytes(by_tag({2, 0, 5, 4}, "nChw16c")), 0u);
    EXPECT_EQ(size_bytes(by_tag({2, 3}, "any")), 0u);
    const vec dims = {2, 2}, offsets = {1, 2};
    const memory_desc part = tfmt::make_submemory(
            by_tag({4, 6}, "ab"), dims.data(), offsets.data());
    EXPECT_EQ(size_bytes(part), (8 + 6 + 2) * 4u);
    EXPECT_EQ(size_bytes(tfmt::make_with_data_type(part, tfmt_s4)), 8u);
    EXPECT_EQ(tfmt::nelems(by_tag({2, 17}, "aB16b"), false), 34);
    EXPECT_EQ(tfmt::nelems(by_tag({2, 17}, "aB16b"), true), 64);
    EXPECT_EQ(tfmt::nelems(by_tag({0, 17}, "aB16b"), true), 0);
}

TEST(memory_desc, runtime_dims_are_described) {
    const memory_desc md = by_tag({2, R, 5, 4}, "aBcd16b");
    EXPECT_EQ(padded_dims_of(md), vec({2, R, 5, 4}));
    EXPECT_EQ(strides_of(md), vec({R, 320, 64, 16}));
    EXPECT_EQ(strides_of(by_tag({2, R, 5, 4}, "acdb")), vec({R, 1, R, R}));
    EXPECT_EQ(size_bytes(md), TFMT_RUNTIME_SIZE_VAL);
    EXPECT_TRUE(tfmt::has_runtime_dims(md));
    EXPECT_TRUE(tfmt::has_runtime_dims(by_strides({2, 3}, {R, 1})));
    EXPECT_FALSE(tfmt::has_runtime_dims(by_tag({2, 3}, "ab")));
    EXPECT_TRUE(equal(md, by_tag({2, R, 5, 4}, "nChw16c")));
    EXPECT_FALSE(equal(md, by_tag({2, 3, 5, 4}, "nChw16c")));
    EXPECT_EQ(size_bytes(by_tag({0, R}, "ab")), 0u);
}

TEST(memory_desc, equality_sees_every_field_that_matters) {
    const memory_desc md = by_tag({2, 17, 5, 4}, "aBcd8b");
    const memory_desc others[] = {by_tag({2, 18, 5, 4}, "aBcd8b"), by_tag({2, 17, 5, 4}, "aBcd4b"),
            by_tag({2, 17, 5, 4}, "abcd"), by_tag({2, 17, 5, 4}, "aBcd8b", tfmt_s32),
            by_tag({2, 17, 5, 4}, "aBdc8b"), by_tag({2, 17, 5, 4}, "any"),
            by_tag({2, 17, 5, 4}, "aBcd2b4b"), by_tag({2, 17, 5}, "aBc8b"),
            by_blocking({2, 17, 5, 4}, {481, 160, 32, 8}, {8}, {1})};
    EXPECT_TRUE(equal(md, by_tag({2, 17, 5, 4}, "nChw8c")));
    for (const memory_desc &other : others) {
        EXPECT_FALSE(equal(md, other));
        EXPECT_FALSE(equal(other, md));
        EXPECT_NE(hash(md), hash(other));
    }
    memory_desc moved = md;
    moved.offset0 = 8;
    EXPECT_FALSE(equal(md, moved));
    EXPECT_NE(hash(md), hash(moved));
}

TEST(memory_desc, strides_of_size_1_matter_to_neither_equality_nor_hash) {
    const memory_desc a = by_strides({1, 6}, {6, 1}), b = by_strides({1, 6}, {1, 1});
    EXPECT_TRUE(equal(a, b));
    EXPECT_EQ(hash(a), hash(b));
    const memory_desc nchw = by_tag({2, 1, 5, 4}, "nchw"), nhwc = by_tag({2, 1, 5, 4}, "nhwc");
    EXPECT_TRUE(equal(nchw, nhwc));
    EXPECT_EQ(hash(nchw), hash(nhwc));
    // One outer block, but 16 elements: the stride of the block is never used either.
    EXPECT_TRUE(equal(
            by_blocking({2, 16}, {16, 16}, {16}, {1}), by_blocking({2, 16}, {16, 99}, {16}, {1})));
    EXPECT_FALSE(equal(by_blocking({2, 17}, {100, 16}, {16}, {1}),
            by_blocking({2, 17}, {100, 17}, {16}, {1})));
}

TEST(memory_desc, a_runtime_stride_of_one_outer_block_is_none) {
    const memory_desc md = by_blocking({1, 5, 10}, {R, 16, R}, {16}, {2}),
                      known = by_blocking({1, 5, 10}, {80, 16, 16}, {16}, {2});
    EXPECT_FALSE(tfmt::has_runtime_dims(md));
    EXPECT_TRUE(equal(md, known));
    EXPECT_EQ(hash(md), hash(known));
    EXPECT_EQ(size_bytes(md), 80u * 4);
    EXPECT_EQ(tfmt::to_string(md), tfmt::to_string(known));
    // Then the others are looked at.
    expect_strides_refused({1, 5, 7}, {R, 1, 1}, "strides[");
    EXPECT_TRUE(tfmt::has_runtime_dims(by_blocking({1, 5, 17}, {R, 32, R}, {16}, {2})));
    EXPECT_TRUE(tfmt::has_runtime_dims(by_strides({R, 5}, {R, 1})));
}

TEST(memory_desc, c_api_of_null_and_any) {
    EXPECT_EQ(tfmt_memory_desc_equal(nullptr, nullptr), 1);
    EXPECT_EQ(tfmt_memory_desc_hash(nullptr), 0u);
    EXPECT_EQ(tfmt_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(tfmt_memory_desc_destroy(nullptr), tfmt_success);
    const memory_desc any = by_tag({2, 3}, "any");
    const tfmt_dim_t *strides = nullptr;
    EXPECT_EQ(tfmt_memory_desc_query(&any, tfmt_query_strides, &strides), tfmt_invalid_arguments);
    EXPECT_EQ(strides, nullptr);
    tfmt_format_kind_t kind = tfmt_format_kind_undef;
    EXPECT_EQ(tfmt_memory_desc_query(&any, tfmt_query_format_kind, &kind), tfmt_success);
    EXPECT_EQ(kind, tfmt_format_kind_any);
}

TEST(memory_desc, queries_point_into_the_descriptor) {
    const memory_desc md = by_tag({2, 17, 5, 4}, "aBcd8b");
    const auto array = [&](tfmt_query_t what) {
        const tfmt_dim_t *values = nullptr;
        EXPECT_EQ(tfmt_memory_desc_query(&md, what, &values), tfmt_success);
        return values;
    };
    EXPECT_EQ(array(tfmt_query_dims), md.dims);
    EXPECT_EQ(array(tfmt_query_padded_dims), md.padded_dims);
    EXPECT_EQ(array(tfmt_query_padded_offsets), md.padded_offsets);
    EXPECT_EQ(array(tfmt_query_strides), md.strides);
    EXPECT_EQ(array(tfmt_query_inner_blks), md.inner_blks);
    EXPECT_EQ(array(tfmt_query_inner_idxs), md.inner_idxs);
    int32_t numbers[2] = {-1, -1};
    EXPECT_EQ(tfmt_memory_desc_query(&md, tfmt_query_ndims_s32, &numbers[0]), tfmt_success);
    EXPECT_EQ(numbers[0], 4);
    EXPECT_EQ(tfmt_memory_desc_query(&md, tfmt_query_inner_nblks_s32, &numbers[0]), tfmt_success);
    EXPECT_EQ(numbers[0], 1);
    EXPECT_EQ(numbers[1], -1); // 32 bits are written, no more
    tfmt_dim_t offset = -1;
    EXPECT_EQ(tfmt_memory_desc_query(&md, tfmt_query_submemory_offset_s64, &offset), tfmt_success);
    EXPECT_EQ(offset, 0);
    tfmt_format_tag_t tag = tfmt_format_tag_undef;
    EXPECT_EQ(tfmt_memory_desc_query(&md, tfmt_query_tag, &tag), tfmt_success);
    EXPECT_EQ(tag, tfmt_nChw8c);
    EXPECT_EQ(tfmt_memory_desc_query(&md, tfmt_query_undef, &tag), tfmt_invalid_arguments);
    EXPECT_EQ(tag, tfmt_nChw8c);
}

TEST(memory_desc, a_long_message_is_cut) {
    const std::string tag(5000, '9');
    const vec dims = {1};
    tfmt_memory_desc_t md = nullptr;
    EXPECT_EQ(tfmt_memory_desc_create_with_string_tag(&md, 1, dims.data(), tfmt_f32, tag.c_str()),
            tfmt_invalid_arguments);
    EXPECT_LT(std::string(tfmt_get_last_error()).size(), 1024u);
    tfmt::set_last_error(tfmt_runtime_error, "f", tag.c_str());
    EXPECT_EQ(std::string(tfmt_get_last_error()), "f: " + std::string(1020, '9'));
}

TEST(memory_desc, what_no_function_expects_is_told_with_its_name) {
    EXPECT_EQ(tfmt::guard("f", [] { throw std::bad_alloc(); }), tfmt_out_of_memory);
    EXPECT_EQ(std::string(tfmt_get_last_error()), "f: out of memory");
    EXPECT_EQ(tfmt::guard("f", [] { throw std::logic_error("a bug"); }), tfmt_runtime_error);
    EXPECT_EQ(std::string(tfmt_get_last_error()), "f: a bug");
    EXPECT_EQ(tfmt::guard("f", [] { throw 1; }), tfmt_runtime_error);
    EXPECT_EQ(std::string(tfmt_get_last_error()), "f: unknown internal error");
}
