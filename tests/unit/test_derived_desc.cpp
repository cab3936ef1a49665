// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "desc_helpers.hpp"

// Descriptors made from others are compared with them element by element, by offsets.
using namespace desc_test;
using tfmt::equal;
using tfmt::offset_of;
using tfmt::size_bytes;

namespace {

const dim_t R = TFMT_RUNTIME_DIM_VAL;

memory_desc part_of(const memory_desc &parent, const vec &dims, const vec &offsets) {
    return tfmt::make_submemory(parent, dims.data(), offsets.data());
}
memory_desc reshaped(const memory_desc &in, const vec &dims) {
    return tfmt::make_reshaped(in, static_cast<int>(dims.size()), dims.data());
}

void expect_part_refused(const memory_desc &parent, const vec &dims, const vec &offsets,
        const char *word, tfmt_status_t status = tfmt_invalid_arguments) {
    expect_refused(
            "tfmt_memory_desc_create_submemory", {word},
            [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_submemory(md, &parent, dims.data(), offsets.data());
            },
            status);
}
void expect_reshape_refused(const memory_desc &in, const vec &dims, const char *word,
        tfmt_status_t status = tfmt_invalid_arguments) {
    expect_refused(
            "tfmt_memory_desc_reshape", {word},
            [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_reshape(
                        md, &in, static_cast<int>(dims.size()), dims.data());
            },
            status);
}

} // namespace

// ---------------------------------------------------------------- submemory

TEST(submemory, every_part_lies_within_its_parent) {
    random_descs random(7);
    for (int round = 0; round < 500; ++round) {
        const memory_desc parent = round % 2 ? random.dense() : random.spread();
        tfmt::dims_t blocks;
        tfmt::block_sizes(parent, blocks);
        const size_t ndims = static_cast<size_t>(parent.ndims);
        vec dims(ndims), begins(ndims);
        for (size_t d = 0; d < ndims; ++d) {
            begins[d] = random.below(parent.dims[d] / blocks[d] + 1) * blocks[d];
            const dim_t rest = parent.dims[d] - begins[d];
            dims[d] = random.below(2) ? rest : random.below(rest / blocks[d] + 1) * blocks[d];
        }
        const memory_desc part = part_of(parent, dims, begins);
        EXPECT_EQ(dims_of(part), dims);
        for_each_index(padded_dims_of(part), [&](const vec &i) {
            vec in_parent = i;
            for (size_t d = 0; d < ndims; ++d)
                in_parent[d] += begins[d];
            ASSERT_EQ(offset_of(part, i.data()), offset_of(parent, in_parent.data()));
        });
        if (!tfmt::is_zero_sized(part)) { EXPECT_LE(size_bytes(part), size_bytes(parent)); }
    }
}

TEST(submemory, the_stride_of_one_outer_block_moves_nothing) {
    for (const dim_t any : {dim_t(0), dim_t(7), INT64_MAX, R}) {
        const memory_desc part = part_of(by_strides({1, 7}, {any, 1}), {0, 7}, {1, 0});
        EXPECT_EQ(part.offset0, 0);
        EXPECT_EQ(size_bytes(part), 0u);
    }
}

TEST(submemory, of_blocks) {
    const memory_desc parent = by_tag({4, 40, 5}, "aBc16b");
    const memory_desc middle = part_of(parent, {2, 16, 5}, {1, 16, 0});
    EXPECT_EQ(middle.offset0, 240 + 80);
    EXPECT_EQ(padded_dims_of(middle), vec({2, 16, 5}));
    const memory_desc end = part_of(parent, {4, 8, 5}, {0, 32, 0}); // short block at the end
    EXPECT_EQ(end.offset0, 160);
    EXPECT_EQ(padded_dims_of(end), vec({4, 16, 5}));
    EXPECT_TRUE(equal(part_of(parent, {4, 40, 5}, {0, 0, 0}), parent));
    // A part of a part.
    EXPECT_TRUE(equal(part_of(part_of(parent, {4, 24, 5}, {0, 16, 0}), {1, 8, 2}, {3, 16, 3}),
            part_of(parent, {1, 8, 2}, {3, 32, 3})));
    EXPECT_EQ(size_bytes(part_of(parent, {0, 40, 5}, {4, 0, 0})), 0u);
    EXPECT_EQ(size_bytes(part_of(by_tag({4, 48}, "aB16b"), {4, 0}, {0, 16})), 0u);
}

TEST(submemory, what_cuts_a_block_or_leaves_the_parent_is_refused) {
    const memory_desc parent = by_tag({4, 40, 5}, "aBc16b");
    expect_part_refused(parent, {4, 16, 5}, {0, 8, 0}, "offsets[1] is 8");
    expect_part_refused(parent, {4, 8, 5}, {0, 16, 0}, "dims[1] is 8");
    expect_part_refused(parent, {4, 20, 5}, {0, 0, 0}, "dims[1] is 20");
    expect_part_refused(parent, {4, 41, 5}, {0, 0, 0}, "offsets[1] + dims[1]");
    expect_part_refused(parent, {4, 16, 5}, {0, 32, 0}, "offsets[1] + dims[1]");
    expect_part_refused(parent, {4, 16, 5}, {0, 48, 0}, "offsets[1] + dims[1]");
    expect_part_refused(parent, {5, 16, 5}, {0, 0, 0}, "offsets[0] + dims[0]");
    expect_part_refused(parent, {INT64_MAX, 16, 5}, {1, 0, 0}, "offsets[0] + dims[0]");
    expect_part_refused(parent, {-1, 16, 5}, {0, 0, 0}, "dims[0] is -1");
    expect_part_refused(parent, {1, 16, 5}, {-1, 0, 0}, "offsets[0] is -1");
    expect_part_refused(parent, {R, 16, 5}, {0, 0, 0}, "dims[0] is");
    expect_part_refused(by_tag({2, 3}, "any"), {1, 1}, {0, 0}, "any");
    expect_part_refused(by_tag({2, R}, "ab"), {1, 1}, {0, 0}, "runtime", tfmt_unimplemented);
}

// ---------------------------------------------------------------- permute

TEST(permute_axes, moves_dimension_d_to_place_permutation_d) {
    random_descs random(8);
    for (int round = 0; round < 300; ++round) {
        const memory_desc in = round % 2 ? random.dense() : random.spread();
        std::vector<int> permutation(static_cast<size_t>(in.ndims));
        for (int d = 0; d < in.ndims; ++d)
            permutation[static_cast<size_t>(d)] = d;
        for (size_t d = permutation.size(); d > 1; --d)
            std::swap(permutation[d - 1],
                    permutation[static_cast<size_t>(random.below(static_cast<dim_t>(d)))]);
        const memory_desc out = tfmt::make_permuted(in, permutation.data());
        for_each_index(padded_dims_of(in), [&](const vec &i) {
            vec moved(i.size());
            for (size_t d = 0; d < i.size(); ++d)
                moved[static_cast<size_t>(permutation[d])] = i[d];
            ASSERT_EQ(offset_of(out, moved.data()), offset_of(in, i.data()));
        });
    }
}

TEST(permute_axes, examples) {
    const int permutation[] = {0, 3, 1, 2};
    EXPECT_TRUE(equal(tfmt::make_permuted(by_tag({2, 3, 4, 5}, "abcd"), permutation),
            by_tag({2, 4, 5, 3}, "adbc")));
    const int swap[] = {1, 0};
    EXPECT_TRUE(equal(
            tfmt::make_permuted(by_tag({20, 5}, "AB8b16a2b"), swap), by_tag({5, 20}, "BA8a16b2a")));
    EXPECT_TRUE(equal(tfmt::make_permuted(by_tag({2, R}, "ab"), swap), by_tag({R, 2}, "ba")));
    EXPECT_TRUE(equal(tfmt::make_permuted(by_tag({2, 3}, "any"), swap), by_tag({3, 2}, "any")));
}

TEST(permute_axes, no_permutation_is_refused) {
    const memory_desc in = by_tag({2, 3}, "ab");
    const std::pair<std::vector<int>, const char *> rows[] = {{{0, 0}, "permutation[1] is 0"},
            {{1, 1}, "permutation[1] is 1"}, {{0, 2}, "permutation[1] is 2"},
            {{-1, 0}, "permutation[0] is -1"}};
    for (const auto &[permutation, word] : rows)
        expect_refused("tfmt_memory_desc_permute_axes", {word}, [&, p = permutation](auto *md) {
            return tfmt_memory_desc_permute_axes(md, &in, p.data());
        });
}

// ---------------------------------------------------------------- reshape

TEST(reshape, keeps_every_element_at_its_offset) {
    random_descs random(9);
    int done = 0, refused = 0;
    for (int round = 0; round < 6000; ++round) {
        const int ndims = static_cast<int>(1 + random.below(4));
        const vec sizes = {1, 2, 3, 4, 6, 8, 12, 16};
        vec dims, wanted;
        for (int d = 0; d < ndims; ++d)
            dims.push_back(sizes[static_cast<size_t>(random.below(8))]);
        const memory_desc in = by_tag(dims, random.tag(ndims));
        for (dim_t dim : dims) { // join with the last, split, add 1s, or keep
            const dim_t choice = random.below(5);
            if (choice == 0 && !wanted.empty()) {
                wanted.back() *= dim;
            } else if (choice == 1 && dim % 2 == 0) {
                wanted.insert(wanted.end(), {2, dim / 2});
            } else if (choice == 2) {
                wanted.insert(wanted.end(), {1, dim});
            } else if (choice == 3 && dim == 1) {
                continue;
            } else {
                wanted.push_back(dim);
            }
        }
        if (wanted.empty()) wanted.push_back(1);
        try {
            const memory_desc out = reshaped(in, wanted);
            EXPECT_EQ(dims_of(out), wanted);
            ASSERT_EQ(offsets_of(out), offsets_of(in));
            ASSERT_EQ(size_bytes(out), size_bytes(in)); // and no padding is lost
            ++done;
        } catch (const std::exception &) { ++refused; }
    }
    EXPECT_GT(done, 2000);
    EXPECT_GT(refused, 500);
}

TEST(reshape, what_can_be_expressed) {
    struct row {
        memory_desc in, out;
    };
    const row rows[] = {
            {by_tag({2, 3, 4}, "abc"), by_tag({6, 4}, "ab")},
            {by_tag({2, 3, 4}, "abc"), by_tag({24}, "a")},
            {by_tag({24}, "a"), by_tag({2, 3, 4}, "abc")},
            {by_tag({2, 6}, "ab"), by_tag({3, 4}, "ab")}, // joined, then split
            {by_tag({2, 12}, "ba"), by_strides({2, 3, 4}, {1, 8, 2})},
            {by_tag({2, 3, 4}, "acb"), by_strides({2, 3, 2, 2}, {12, 1, 6, 3})},
            {by_tag({2, 3}, "ab"), by_tag({1, 2, 1, 3, 1}, "abcde")},
            {by_tag({1, 2, 1, 3}, "abcd"), by_tag({2, 3}, "ab")},
            {by_tag({2, 32, 3, 4}, "aBcd16b"), by_tag({2, 32, 12}, "aBc16b")},
            {by_tag({2, 17, 3, 4}, "aBcd16b"), by_tag({2, 17, 12}, "aBc16b")},
            {by_tag({2, 17, 3, 4}, "aBcd16b"), by_tag({1, 2, 17, 3, 4}, "abCde16c")},
            {by_tag({64, 5}, "Ab16a"), by_tag({2, 32, 5}, "aBc16b")},
            {by_tag({2, 32, 5}, "aBc16b"), by_tag({64, 5}, "Ab16a")},
            {by_tag({64, 5}, "Ab16a"), by_tag({4, 16, 5}, "aBc16b")},
            {by_tag({32, 5}, "Ab16a"), by_tag({8, 4, 5}, "ABc4a4b")}, // the block itself is split
            {by_tag({1, 5}, "Ab16a"), by_tag({1, 1, 5}, "aBc16b")},
            {by_tag({2, 0, 4}, "aBc16b"), by_tag({0, 3}, "ab")},
            {by_tag({2, 6}, "any"), by_tag({3, 4}, "any")},
            {by_strides({2, 3, 4}, {24, 8, 2}), by_strides({6, 4}, {8, 2})},
            {by_strides({2, 3, 4}, {0, 0, 1}), by_strides({6, 4}, {0, 1})},
    };
    for (const row &r : rows) {
        const memory_desc out = reshaped(r.in, dims_of(r.out));
        EXPECT_TRUE(equal(out, r.out)) << testing::PrintToString(dims_of(r.in)) << " to "
                                       << testing::PrintToString(dims_of(r.out));
    }
    const memory_desc part = part_of(by_tag({4, 6}, "ab"), {2, 4}, {1, 2});
    EXPECT_EQ(reshaped(part, {2, 2, 2}).offset0, 8);
}

TEST(reshape, what_cannot_be_expressed_is_refused) {
    expect_reshape_refused(by_tag({2, 3}, "ab"), {7}, "dims: the product is 7");
    expect_reshape_refused(by_tag({2, 3}, "ab"), {6, 0}, "dims: the product is 0");
    expect_reshape_refused(by_tag({2, 0}, "ab"), {1}, "dims: the product is 1");
    expect_reshape_refused(by_tag({2, 3}, "ba"), {6}, "not dense");
    expect_reshape_refused(by_strides({2, 3}, {4, 1}), {6}, "not dense");
    expect_reshape_refused(by_tag({2, 17}, "aB16b"), {34}, "padded");
    expect_reshape_refused(by_tag({18}, "A16a"), {2, 9}, "padded");
    expect_reshape_refused(by_tag({2, 32, 3}, "aBc16b"), {2, 96}, "dimension 1 of the input, 32");
    expect_reshape_refused(by_tag({1, 5}, "Ab16a"), {5}, "padded");
    expect_reshape_refused(by_tag({48}, "A16a"), {2, 24}, "divide");
    expect_reshape_refused(by_tag({2, 3}, "ab"), {R, 3}, "runtime");
    expect_reshape_refused(by_tag({2, 3}, "ab"), {-6}, "dims[0] is -6");
    expect_reshape_refused(by_tag({2, R}, "ab"), {6}, "runtime", tfmt_unimplemented);
}

// ---------------------------------------------------------------- unblock and the others

TEST(unblock, is_a_plain_view_of_every_byte) {
    random_descs random(10);
    for (int round = 0; round < 400; ++round) {
        const memory_desc in = round % 2 ? random.dense() : random.spread();
        const memory_desc out = tfmt::make_unblocked(in);
        EXPECT_EQ(out.inner_nblks, 0);
        EXPECT_EQ(out.ndims, in.ndims + in.inner_nblks);
        EXPECT_EQ(size_bytes(out), size_bytes(in));
        for_each_index(padded_dims_of(in), [&](const vec &i) {
            vec view(static_cast<size_t>(out.ndims));
            for (size_t d = 0; d < i.size(); ++d) {
                dim_t below = 1; // product of d's blocks further in
                for (int k = in.inner_nblks - 1; k >= 0; --k) {
                    if (in.inner_idxs[k] != static_cast<dim_t>(d)) continue;
                    view[i.size() + static_cast<size_t>(k)] = i[d] / below % in.inner_blks[k];
                    below *= in.inner_blks[k];
                }
                view[d] = i[d] / below;
            }
            ASSERT_EQ(offset_of(out, view.data()), offset_of(in, i.data()));
        });
    }
}

TEST(unblock, examples) {
    EXPECT_TRUE(equal(tfmt::make_unblocked(by_tag({2, 40, 5, 4}, "aBcd16b")),
            by_strides({2, 3, 5, 4, 16}, {960, 320, 64, 16, 1})));
    EXPECT_TRUE(equal(tfmt::make_unblocked(by_tag({2, 3}, "ba")), by_tag({2, 3}, "ba")));
    const memory_desc wide = by_tag(vec(11, 2), "ABcdefghijk2a2b"), any = by_tag({2}, "any");
    const memory_desc runtime = by_tag({2, R}, "aB4b");
    const auto refused = [](const memory_desc &in, const char *word, tfmt_status_t status) {
        expect_refused(
                "tfmt_memory_desc_unblock", {word},
                [&](auto *md) { return tfmt_memory_desc_unblock(md, &in); }, status);
    };
    refused(wide, "11 dimensions and 2 inner blocks", tfmt_invalid_arguments);
    refused(any, "any", tfmt_invalid_arguments);
    refused(runtime, "runtime", tfmt_unimplemented);
}

TEST(with_data_type, keeps_the_layout) {
    const memory_desc in = part_of(by_tag({4, 40}, "aB16b"), {2, 24}, {1, 16});
    memory_desc out = tfmt::make_with_data_type(in, tfmt_s4);
    EXPECT_EQ(size_bytes(out), (size_bytes(in) / 4 + 1) / 2);
    out.data_type = tfmt_f32;
    EXPECT_TRUE(equal(out, in));
    const memory_desc large = by_tag({INT64_MAX / 2}, "a", tfmt_u8);
    const auto refused = [](const memory_desc &md, tfmt_data_type_t dt, const char *word) {
        expect_refused("tfmt_memory_desc_with_data_type", {word},
                [&](auto *made) { return tfmt_memory_desc_with_data_type(made, &md, dt); });
    };
    refused(large, tfmt_f32, "span in bytes");
    refused(large, tfmt_data_type_undef, "data_type is 0");
}

TEST(clone, outlives_the_original) {
    tfmt_memory_desc_t md = nullptr, copy = nullptr;
    const vec dims = {2, 40, 5, 4};
    ASSERT_EQ(tfmt_memory_desc_create_with_tag(&md, 4, dims.data(), tfmt_f32, tfmt_nChw16c),
            tfmt_success);
    ASSERT_EQ(tfmt_memory_desc_clone(&copy, md), tfmt_success);
    EXPECT_NE(md, copy);
    EXPECT_EQ(tfmt_memory_desc_equal(md, copy), 1);
    EXPECT_EQ(tfmt_memory_desc_hash(md), tfmt_memory_desc_hash(copy));
    EXPECT_EQ(tfmt_memory_desc_destroy(md), tfmt_success);
    EXPECT_TRUE(equal(*copy, by_tag(dims, "aBcd16b")));
    EXPECT_EQ(tfmt_memory_desc_destroy(copy), tfmt_success);
}
