// SPDX-License-Identifier: Apache-2.0
#include "common/offset.hpp"

#include <set>

#include "desc_helpers.hpp"

using namespace desc_test;
using tfmt::index_of;
using tfmt::offset_of;

namespace {

const dim_t N = 2, C = 19, H = 5, W = 4;

// Compares with a formula written by hand, padding included.
template <typename Formula>
void expect_formula(const char *tag, Formula formula) {
    const memory_desc md = by_tag({N, C, H, W}, tag);
    for_each_index(padded_dims_of(md), [&](const vec &i) {
        ASSERT_EQ(offset_of(md, i.data()), formula(i[0], i[1], i[2], i[3])) << tag;
    });
}

} // namespace

TEST(offset, formulas_of_the_plain_layouts) {
    expect_formula("nchw", [](dim_t n, dim_t c, dim_t h, dim_t w) {
        return n * C * H * W + c * H * W + h * W + w;
    });
    expect_formula("nhwc", [](dim_t n, dim_t c, dim_t h, dim_t w) {
        return n * H * W * C + h * W * C + w * C + c;
    });
    expect_formula("chwn", [](dim_t n, dim_t c, dim_t h, dim_t w) {
        return c * H * W * N + h * W * N + w * N + n;
    });
}

TEST(offset, formulas_of_the_blocked_layouts) {
    expect_formula("nChw8c", [](dim_t n, dim_t c, dim_t h, dim_t w) {
        const dim_t C_8 = 24; // 19 rounded up
        return n * C_8 * H * W + c / 8 * H * W * 8 + h * W * 8 + w * 8 + c % 8;
    });
    expect_formula("CHWN4", [](dim_t n, dim_t c, dim_t h, dim_t w) {
        return c / 4 * H * W * N * 4 + h * W * N * 4 + w * N * 4 + n * 4 + c % 4;
    });
    // o in blocks of 16, i in blocks of 8 x 2: [O/16][I/16][h][w][8 i][16 o][2 i].
    expect_formula("OIhw8i16o2i", [](dim_t o, dim_t i, dim_t h, dim_t w) {
        const dim_t outer = ((o / 16 * 2 + i / 16) * H + h) * W + w;
        return ((outer * 8 + i % 16 / 2) * 16 + o % 16) * 2 + i % 2;
    });
    // [O/16][I/4][h][w][4 o][4 i][4 o]: the two blocks of o are its higher and lower digits.
    expect_formula("ABcd4a4b4a", [](dim_t o, dim_t i, dim_t h, dim_t w) {
        const dim_t outer = ((o / 16 * 5 + i / 4) * H + h) * W + w;
        return ((outer * 4 + o % 16 / 4) * 4 + i % 4) * 4 + o % 4;
    });
}

TEST(offset, of_strides_and_submemory) {
    const memory_desc md = by_strides({4, 6}, {16, 2});
    EXPECT_EQ(offset_of(md, vec({3, 5}).data()), 58);
    const memory_desc part = tfmt::make_submemory(md, vec({2, 3}).data(), vec({1, 2}).data());
    EXPECT_EQ(part.offset0, 20);
    EXPECT_EQ(offset_of(part, vec({1, 2}).data()), 40);
    const memory_desc broadcast = by_strides({4, 6}, {0, 1});
    EXPECT_EQ(offset_of(broadcast, vec({3, 5}).data()), 5);
}

TEST(offset, every_offset_is_one_element_or_a_gap) {
    random_descs random(1);
    for (int round = 0; round < 400; ++round) {
        const memory_desc md = round % 2 ? random.dense() : random.spread();
        const dim_t span = static_cast<dim_t>(tfmt::size_bytes(md) / sizeof(float));
        std::set<dim_t> offsets;
        tfmt::dims_t index;
        bool is_padding = false;
        for_each_index(padded_dims_of(md), [&](const vec &i) {
            const dim_t offset = offset_of(md, i.data());
            ASSERT_TRUE(offsets.insert(offset).second) << "two elements at one offset";
            ASSERT_TRUE(index_of(md, offset, index, &is_padding));
            ASSERT_EQ(vec(index, index + md.ndims), i);
            bool outside = false;
            for (int d = 0; d < md.ndims; ++d)
                outside |= i[static_cast<size_t>(d)] >= md.dims[d];
            ASSERT_EQ(is_padding, outside);
        });
        ASSERT_EQ(*offsets.begin(), 0);
        ASSERT_EQ(*offsets.rbegin(), span - 1) << "get_size is the exact span";
        ASSERT_EQ(static_cast<dim_t>(offsets.size()), tfmt::nelems(md, true));
        if (round % 2) { ASSERT_EQ(span, tfmt::nelems(md, true)) << "tags leave no gaps"; }
        for (dim_t offset = -2; offset < span + 2; ++offset)
            ASSERT_EQ(index_of(md, offset, index, &is_padding), offsets.count(offset) == 1)
                    << offset;
    }
}

TEST(offset, round_trip_within_submemory) {
    random_descs random(2);
    for (int round = 0; round < 200; ++round) {
        const memory_desc parent = random.dense();
        vec dims = dims_of(parent), begins(dims.size(), 0);
        tfmt::dims_t blocks;
        tfmt::block_sizes(parent, blocks);
        for (size_t d = 0; d < dims.size(); ++d) {
            begins[d] = random.below((dims[d] - 1) / blocks[d] + 1) * blocks[d];
            dims[d] -= begins[d];
        }
        const memory_desc part = tfmt::make_submemory(parent, dims.data(), begins.data());
        for_each_index(padded_dims_of(part), [&](const vec &i) {
            tfmt::dims_t index;
            bool is_padding = false;
            ASSERT_TRUE(index_of(part, offset_of(part, i.data()), index, &is_padding));
            ASSERT_EQ(vec(index, index + part.ndims), i);
        });
    }
}

TEST(offset, c_api_tells_index_and_padding) {
    const memory_desc md = by_tag({2, 3, 5, 4}, "nChw8c");
    tfmt_dim_t offset = -1;
    tfmt_dims_t index = {};
    int is_padding = -1;
    ASSERT_EQ(tfmt_memory_desc_get_offset(&md, vec({1, 2, 3, 0}).data(), &offset), tfmt_success);
    EXPECT_EQ(offset, 160 + 3 * 32 + 2);
    ASSERT_EQ(tfmt_memory_desc_get_index(&md, offset, index, &is_padding), tfmt_success);
    EXPECT_EQ(vec(index, index + 4), vec({1, 2, 3, 0}));
    EXPECT_EQ(is_padding, 0);
    ASSERT_EQ(tfmt_memory_desc_get_index(&md, offset + 1, index, &is_padding), tfmt_success);
    EXPECT_EQ(vec(index, index + 4), vec({1, 3, 3, 0}));
    EXPECT_EQ(is_padding, 1);
    EXPECT_EQ(tfmt_memory_desc_get_index(&md, 0, index, nullptr), tfmt_success);
    const memory_desc broadcast = by_strides({4, 6}, {0, 1});
    ASSERT_EQ(tfmt_memory_desc_get_index(&broadcast, 5, index, &is_padding), tfmt_success);
    EXPECT_EQ(vec(index, index + 2), vec({0, 5}));
}

TEST(offset, c_api_refuses_what_has_no_offset) {
    const memory_desc md = by_strides({2, 3}, {8, 2}), empty = by_tag({2, 0}, "ab");
    const memory_desc runtime = by_tag({2, TFMT_RUNTIME_DIM_VAL}, "ab"),
                      any = by_tag({2, 3}, "any");
    tfmt_dim_t offset = 77;
    tfmt_dims_t index = {77, 78};
    int is_padding = 79;
    const auto expect_message = [](tfmt_status_t status, const char *word) {
        EXPECT_EQ(status, tfmt_invalid_arguments) << word;
        EXPECT_NE(std::string(tfmt_get_last_error()).find(word), std::string::npos)
                << tfmt_get_last_error();
    };
    expect_message(tfmt_memory_desc_get_offset(&md, vec({2, 0}).data(), &offset), "index[0] is 2");
    expect_message(
            tfmt_memory_desc_get_offset(&md, vec({0, -1}).data(), &offset), "index[1] is -1");
    expect_message(tfmt_memory_desc_get_offset(&empty, vec({0, 0}).data(), &offset), "index[1]");
    expect_message(tfmt_memory_desc_get_offset(&runtime, vec({0, 0}).data(), &offset), "runtime");
    expect_message(tfmt_memory_desc_get_offset(&any, vec({0, 0}).data(), &offset), "any");
    expect_message(tfmt_memory_desc_get_index(&md, 1, index, &is_padding), "offset is 1, in a gap");
    expect_message(tfmt_memory_desc_get_index(&md, 6, index, &is_padding), "offset is 6, in a gap");
    expect_message(
            tfmt_memory_desc_get_index(&md, 13, index, &is_padding), "offset is 13, outside");
    expect_message(
            tfmt_memory_desc_get_index(&md, -1, index, &is_padding), "offset is -1, outside");
    expect_message(tfmt_memory_desc_get_index(&empty, 0, index, &is_padding), "outside");
    expect_message(tfmt_memory_desc_get_index(&any, 0, index, &is_padding), "any");
    EXPECT_EQ(offset, 77);
    EXPECT_EQ(vec(index, index + 2), vec({77, 78}));
    EXPECT_EQ(is_padding, 79);
}
