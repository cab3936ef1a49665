// SPDX-License-Identifier: Apache-2.0
#include "common/format_tag.hpp"

#include <cctype>
#include <cstring>
#include <set>

#include "desc_helpers.hpp"

using namespace desc_test;
using tfmt::equal;
using tfmt::parse_tag;

namespace {

struct named_tag {
    tfmt_format_tag_t tag;
    const char *name;      // as a string tag
    const char *canonical; // what it means
};

const named_tag canonical_tags[] = {
#define ROW(number, name) {tfmt_##name, #name, #name},
        TFMT_FORMAT_TAGS(ROW)
#undef ROW
};
const named_tag alias_tags[] = {
#define ROW(alias, name) {tfmt_##alias, #alias, #name},
        TFMT_FORMAT_TAG_ALIASES(ROW)
#undef ROW
};

// oneDNN's header gives these names another case or other dimensions than their letters say.
const std::set<std::string> odd_aliases = {
        "OhwI24o", "OhwI32o", "gOhwI24o", "gOhwI32o", "gIOhw2i8o16i2o", "gIOdhw2i8o16i2o"};

size_t head_length(const std::string &tag) {
    size_t n = 0;
    while (n < tag.size() && !std::isdigit(static_cast<unsigned char>(tag[n])))
        ++n;
    return n;
}

// Dims that pad every blocked dimension and tell all dimensions apart.
vec some_dims(size_t ndims) {
    const vec primes = {3, 17, 5, 7, 2, 11, 1, 2, 3, 1, 2, 3};
    return vec(primes.begin(), primes.begin() + static_cast<long>(ndims));
}

// The layout of a canonical name, worked out from the right end, one character after another,
// without the library: element strides of blocks first, then of the outer dimensions.
struct expected_layout {
    vec padded_dims, strides, blks, idxs;

    expected_layout(const std::string &name, const vec &dims)
        : padded_dims(dims), strides(dims.size()) {
        vec block(dims.size(), 1);
        const size_t head = head_length(name);
        for (size_t i = head; i < name.size();) {
            dim_t size = 0;
            for (; std::isdigit(static_cast<unsigned char>(name[i])); ++i)
                size = size * 10 + (name[i] - '0');
            const size_t d = static_cast<size_t>(name[i++] - 'a');
            blks.push_back(size);
            idxs.push_back(static_cast<dim_t>(d));
            block[d] *= size;
        }
        dim_t stride = 1;
        for (dim_t b : block)
            stride *= b;
        for (size_t i = head; i-- > 0;) {
            const size_t d = static_cast<size_t>(std::tolower(name[i]) - 'a');
            while (padded_dims[d] % block[d] != 0)
                ++padded_dims[d];
            strides[d] = stride;
            stride *= padded_dims[d] / block[d];
        }
    }
};

void expect_layout(const memory_desc &md, const std::string &canonical, const std::string &name) {
    const expected_layout want(canonical, dims_of(md));
    EXPECT_EQ(padded_dims_of(md), want.padded_dims) << name;
    EXPECT_EQ(strides_of(md), want.strides) << name;
    EXPECT_EQ(vec(md.inner_blks, md.inner_blks + md.inner_nblks), want.blks) << name;
    EXPECT_EQ(vec(md.inner_idxs, md.inner_idxs + md.inner_nblks), want.idxs) << name;
}

// The name with every block size one larger: most of these are in no list.
std::string with_larger_blocks(const std::string &tag) {
    std::string result = tag.substr(0, head_length(tag));
    for (size_t i = result.size(); i < tag.size(); ++i) {
        size_t digits = 0;
        const int size = std::stoi(tag.substr(i), &digits);
        i += digits;
        result += std::to_string(size + 1) + tag[i];
    }
    return result;
}

} // namespace

TEST(format_tag, table_of_strides_and_padded_dims) {
    struct row {
        const char *tag;
        vec dims, padded_dims, strides;
    };
    const row rows[] = {
            {"a", {7}, {7}, {1}},
            {"ba", {2, 3}, {2, 3}, {1, 2}},
            {"abcd", {2, 3, 4, 5}, {2, 3, 4, 5}, {60, 20, 5, 1}},
            {"acdb", {2, 3, 4, 5}, {2, 3, 4, 5}, {60, 1, 15, 3}},
            {"bcda", {2, 3, 4, 5}, {2, 3, 4, 5}, {1, 40, 10, 2}},
            {"aBcd16b", {2, 40, 5, 4}, {2, 48, 5, 4}, {960, 320, 64, 16}},
            {"aBcd8b", {2, 3, 5, 4}, {2, 8, 5, 4}, {160, 160, 32, 8}},
            {"ABcd16b16a", {20, 30, 3, 3}, {32, 32, 3, 3}, {4608, 2304, 768, 256}},
            {"ABcd8b16a2b", {17, 5, 1, 1}, {32, 16, 1, 1}, {256, 256, 256, 256}},
            {"ABc4a8b8a4b", {33, 40, 2}, {64, 64, 2}, {4096, 2048, 1024}},
            {"aBCd4c16b4c", {2, 17, 17, 3}, {2, 32, 32, 3}, {3072, 1536, 768, 256}},
            {"BAcd8a16b2a", {17, 17, 2, 1}, {32, 32, 2, 1}, {512, 1024, 256, 256}},
            {"Bcda4b", {2, 5, 3, 3}, {2, 8, 3, 3}, {4, 72, 24, 8}},
            {"aBcd24b", {1, 25, 1, 2}, {1, 48, 1, 2}, {96, 48, 48, 24}},
            {"abcdefghijkl", {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3},
                    {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}, {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1}},
            {"lkjihgfedcba", {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3},
                    {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}, {1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
            {"abcd", {2, 0, 5, 4}, {2, 0, 5, 4}, {20, 20, 4, 1}},
            {"aBcd16b", {2, 0, 5, 4}, {2, 0, 5, 4}, {320, 320, 64, 16}},
    };
    for (const row &r : rows) {
        const memory_desc md = by_tag(r.dims, r.tag);
        EXPECT_EQ(padded_dims_of(md), r.padded_dims) << r.tag;
        EXPECT_EQ(strides_of(md), r.strides) << r.tag;
        EXPECT_EQ(md.offset0, 0) << r.tag;
    }
}

TEST(format_tag, there_are_873_names_and_798_aliases) {
    EXPECT_EQ(std::size(canonical_tags), 873u);
    EXPECT_EQ(std::size(alias_tags), 798u);
    std::set<int> numbers;
    for (const named_tag &t : canonical_tags)
        EXPECT_TRUE(numbers.insert(t.tag).second) << t.name;
}

TEST(format_tag, every_name_by_enumerator_and_by_string) {
    for (const named_tag &t : canonical_tags) {
        const vec dims = some_dims(head_length(t.name));
        const memory_desc md = tfmt::make_with_tag(
                static_cast<int>(dims.size()), dims.data(), tfmt_u8, t.tag);
        expect_layout(md, t.name, t.name);
        EXPECT_TRUE(equal(md, by_tag(dims, t.name, tfmt_u8))) << t.name;
        EXPECT_EQ(tfmt::print_tag(parse_tag(t.name)), t.name);
        // With two outer blocks in each dimension no other tag describes the same layout.
        vec two_blocks(dims.size());
        tfmt::dims_t blocks;
        tfmt::block_sizes(md, blocks);
        for (size_t d = 0; d < dims.size(); ++d)
            two_blocks[d] = 2 * blocks[d];
        EXPECT_EQ(tfmt::find_tag(by_tag(two_blocks, t.name)), t.tag) << t.name;
    }
}

TEST(format_tag, every_alias_is_its_canonical_name) {
    for (const named_tag &t : alias_tags) {
        const vec dims = some_dims(head_length(t.canonical));
        const memory_desc md = tfmt::make_with_tag(
                static_cast<int>(dims.size()), dims.data(), tfmt_u8, t.tag);
        expect_layout(md, t.canonical, t.name);
        EXPECT_TRUE(equal(md, by_tag(dims, t.name, tfmt_u8))) << t.name;
        EXPECT_EQ(tfmt::print_tag(parse_tag(t.name)), t.canonical) << t.name;
    }
}

TEST(format_tag, domain_letters_work_with_blocks_outside_the_list) {
    int seen = 0;
    for (const named_tag &t : alias_tags) {
        const std::string name = with_larger_blocks(t.name);
        if (odd_aliases.count(t.name)) continue;
        EXPECT_EQ(tfmt::print_tag(parse_tag(name.c_str())), with_larger_blocks(t.canonical))
                << name;
        seen += name != t.name;
    }
    EXPECT_GT(seen, 700);
}

TEST(format_tag, other_spellings) {
    const char *const rows[][2] = {{"NCHW", "abcd"}, {"NHWC", "acdb"}, {"CHWN", "bcda"},
            {"NCHW4", "aBcd4b"}, {"NCHW32", "aBcd32b"}, {"NCHW64", "aBcd64b"}, {"CHWN4", "Bcda4b"},
            {"NHWC8", "acdB8b"}, {"NCDHW16", "aBcde16b"}, {"NCW", "abc"}, {"NC", "ab"},
            {"nChw24c", "aBcd24b"}, {"OIhw16i16o", "ABcd16b16a"}, {"gOIw4i16o4i", "aBCd4c16b4c"},
            {"ldigo", "abcde"}, {"ldgOi48o", "abdEc48e"}, {"tnc", "abc"}, {"ntc", "bac"},
            {"NChw16n16c", "ABcd16a16b"}, {"goi", "abc"}, {"x", "a"}, {"wigo", "dcab"},
            {"aBcd2b3b", "aBcd2b3b"}, {"AB2a2a2a2a2a2a2b2b2b2b2b2b", "AB2a2a2a2a2a2a2b2b2b2b2b2b"}};
    for (const auto &row : rows)
        EXPECT_EQ(tfmt::print_tag(parse_tag(row[0])), row[1]) << row[0];
}

TEST(format_tag, what_breaks_the_grammar_is_named) {
    const char *const rows[][2] = {
            {"", "starts with the end"},
            {"16b", "starts with '1' at position 0"},
            {"a b", "'\x20' at position 1"},
            {"abcc", "'c' at position 3 repeats position 2"},
            {"aBcb16b", "'b' at position 3 repeats position 1"},
            {"abd", "'d' at position 2 without 'c'"},
            {"bc", "'c' at position 1 without 'a'"},
            {"abm", "'m' at position 2 is not one of a..l"},
            {"aBcd", "'B' at position 1 has no block"},
            {"ABCD", "'A' at position 0 has no block"},
            {"abcd16b", "'b' at position 1 must be upper case"},
            {"aBcd16B", "'B' at position 6 must be lower case"},
            {"aBcd16e", "'e' at position 6"},
            {"aBcd16", "the end at position 6"},
            {"aBcd0b", "'0' at position 4"},
            {"aBcd016b", "'0' at position 4"},
            {"aBcd1b", "'1' at position 4 is below 2"},
            {"aBcd-4b", "'-' at position 4"},
            {"aBcd16b ", "' ' at position 7"},
            {"aBcd16b8", "the end at position 8"},
            {"aBcd99999999999999999999b", "'9' at position 4 overflows"},
            {"AB2a2a2a2a2a2a2b2b2b2b2b2b2b", "'2' at position 26"},
            {"nchx", "'x' at position 3"},
            {"nhw", "'c' is missing"},
            {"NCHW1", "'1' at position 4 is below 2"},
            {"NChw", "'N' at position 0 has no block"},
            {"nchw16c", "'c' at position 1 must be upper case"},
            {"OIHW", "'O' at position 0 has no block"},
            {"nchw\xff", "'\\xff' at position 4"},
            {"undef", "at position"},
    };
    const vec dims = {2, 3, 4, 5};
    for (const auto &row : rows)
        expect_refused("tfmt_memory_desc_create_with_string_tag", {row[1], "tag \""},
                [&](tfmt_memory_desc_t *md) {
                    return tfmt_memory_desc_create_with_string_tag(
                            md, 4, dims.data(), tfmt_f32, row[0]);
                });
}

TEST(format_tag, rank_and_numbers_must_fit) {
    const vec dims = {2, 3, 4, 5};
    expect_refused("tfmt_memory_desc_create_with_string_tag", {"acdb", "4 dimensions", "ndims = 3"},
            [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_string_tag(
                        md, 3, dims.data(), tfmt_f32, "nhwc");
            });
    expect_refused(
            "tfmt_memory_desc_create_with_tag", {"abc", "ndims = 4"}, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_tag(md, 4, dims.data(), tfmt_f32, tfmt_ncw);
            });
    for (const int number : {0, 875, 0x7fff})
        expect_refused("tfmt_memory_desc_create_with_tag", {"tag is " + std::to_string(number)},
                [&](tfmt_memory_desc_t *md) {
                    return tfmt_memory_desc_create_with_tag(
                            md, 4, dims.data(), tfmt_f32, static_cast<tfmt_format_tag_t>(number));
                });
}

TEST(format_tag, query_finds_the_first_tag_that_fits) {
    EXPECT_EQ(tfmt::find_tag(by_tag({2, 1, 5, 4}, "acdb")), tfmt_abcd); // c is 1: the same bytes
    EXPECT_EQ(tfmt::find_tag(by_tag({2, 3, 5, 4}, "acdb")), tfmt_nhwc);
    EXPECT_EQ(tfmt::find_tag(by_tag({2, 3, 5, 4}, "aBcd23b")), tfmt_format_tag_undef);
    EXPECT_EQ(tfmt::find_tag(by_strides({2, 3}, {4, 1})), tfmt_format_tag_undef);
    EXPECT_EQ(tfmt::find_tag(by_strides({2, 3}, {1, 2})), tfmt_ba);
    // Elements that could not all have a place of their own.
    const dim_t big = dim_t(1) << 31;
    EXPECT_EQ(tfmt::find_tag(by_strides({big, big}, {0, 0}, tfmt_f64)), tfmt_format_tag_undef);
    EXPECT_EQ(tfmt::find_tag(by_strides({1, big * big}, {0, 0}, tfmt_f64)), tfmt_format_tag_undef);
    memory_desc moved = by_tag({2, 3}, "ab");
    moved.offset0 = 1;
    EXPECT_EQ(tfmt::find_tag(moved), tfmt_format_tag_undef);
    const vec dims = {2, 3};
    EXPECT_EQ(tfmt::find_tag(tfmt::make_with_tag(2, dims.data(), tfmt_f32, tfmt_format_tag_any)),
            tfmt_format_tag_any);
}
