// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace api;

namespace {

struct named_tag_t {
    const char *name;
    tag cpp_value;
    tfmt_format_tag_t c_value;
};

const std::vector<named_tag_t> canonical_tags = {
#define ROW(number, name) {#name, tag::name, tfmt_##name},
        TFMT_FORMAT_TAGS(ROW)
#undef ROW
};
const std::vector<named_tag_t> alias_tags = {
#define ROW(alias, name) {#alias, tag::alias, tfmt_##alias},
        TFMT_FORMAT_TAG_ALIASES(ROW)
#undef ROW
};

// Dims of a canonical tag: as many as it has different letters.
int ndims_of(const char *name) {
    std::set<int> letters;
    for (; *name; ++name)
        if (std::isalpha(static_cast<unsigned char>(*name)))
            letters.insert(std::tolower(static_cast<unsigned char>(*name)));
    return static_cast<int>(letters.size());
}

memory::dims odd_dims(int ndims) {
    const memory::dims dims = {3, 5, 2, 4, 3, 2, 1, 2, 1, 2, 1, 2};
    return memory::dims(dims.begin(), dims.begin() + ndims);
}

} // namespace

TEST(tags, enum_class_has_the_values_of_c) {
    for (const auto *tags : {&canonical_tags, &alias_tags})
        for (const auto &t : *tags)
            EXPECT_EQ(static_cast<int>(t.cpp_value), static_cast<int>(t.c_value)) << t.name;
    EXPECT_EQ(static_cast<int>(tag::undef), tfmt_format_tag_undef);
    EXPECT_EQ(static_cast<int>(tag::any), tfmt_format_tag_any);
}

TEST(tags, numbers_are_unique_and_leave_undef_and_any_alone) {
    std::set<int> numbers = {tfmt_format_tag_undef, tfmt_format_tag_any};
    for (const auto &t : canonical_tags)
        EXPECT_TRUE(numbers.insert(t.c_value).second) << t.name;
    EXPECT_EQ(canonical_tags.size(), 873u);
    EXPECT_EQ(alias_tags.size(), 798u);
}

TEST(tags, by_enumerator_and_by_string_are_equal) {
    for (const auto &t : canonical_tags) {
        const auto dims = odd_dims(ndims_of(t.name));
        const memory::desc by_tag(dims, dt::f32, t.cpp_value), by_name(dims, dt::f32, t.name);
        EXPECT_EQ(by_tag, by_name) << t.name;
        EXPECT_EQ(by_tag.hash(), by_name.hash()) << t.name;
        // The tag comes back, unless another one describes the same bytes.
        const auto found = by_tag.get_format_tag();
        EXPECT_NE(found, tag::undef) << t.name;
        EXPECT_EQ(memory::desc(dims, dt::f32, found), by_tag) << t.name;
    }
}

TEST(tags, aliases_by_enumerator_and_by_string_are_equal) {
    std::map<tfmt_format_tag_t, const char *> canonical_name;
    for (const auto &t : canonical_tags)
        canonical_name[t.c_value] = t.name;
    for (const auto &t : alias_tags) {
        const auto dims = odd_dims(ndims_of(canonical_name.at(t.c_value)));
        EXPECT_EQ(memory::desc(dims, dt::f32, t.cpp_value), memory::desc(dims, dt::f32, t.name))
                << t.name;
    }
}

TEST(tags, other_enumerators_have_the_values_of_c) {
    const std::vector<std::pair<dt, tfmt_data_type_t>> types = {{dt::undef, tfmt_data_type_undef},
            {dt::f16, tfmt_f16}, {dt::bf16, tfmt_bf16}, {dt::f32, tfmt_f32}, {dt::s32, tfmt_s32},
            {dt::s8, tfmt_s8}, {dt::u8, tfmt_u8}, {dt::f64, tfmt_f64}, {dt::boolean, tfmt_boolean},
            {dt::f8_e5m2, tfmt_f8_e5m2}, {dt::f8_e4m3, tfmt_f8_e4m3}, {dt::s4, tfmt_s4},
            {dt::u4, tfmt_u4}, {dt::e8m0, tfmt_e8m0}, {dt::f4_e2m1, tfmt_f4_e2m1},
            {dt::s64, tfmt_s64}};
    for (const auto &t : types)
        EXPECT_EQ(static_cast<int>(t.first), static_cast<int>(t.second));
    EXPECT_EQ(static_cast<int>(memory::format_kind::undef), tfmt_format_kind_undef);
    EXPECT_EQ(static_cast<int>(memory::format_kind::any), tfmt_format_kind_any);
    EXPECT_EQ(static_cast<int>(memory::format_kind::blocked), tfmt_blocked);
    EXPECT_EQ(static_cast<int>(tensorfmt::cpu_isa::none), tfmt_cpu_isa_none);
    EXPECT_EQ(
            static_cast<int>(tensorfmt::cpu_isa::avx512_core_fp16), tfmt_cpu_isa_avx512_core_fp16);
}

// Numbers that callers compiled in; a change of any is a change of the ABI.
TEST(tags, published_numbers_stay) {
    EXPECT_EQ(tfmt_a, 2);
    EXPECT_EQ(tfmt_abcd, 5);
    EXPECT_EQ(tfmt_acdb, 22);
    EXPECT_EQ(tfmt_aBcd16b, 78);
    EXPECT_EQ(tfmt_ABcd16b16a, 79);
    EXPECT_EQ(tfmt_ABcd8b16a2b, 104);
    EXPECT_EQ(tfmt_nchw, tfmt_abcd);
    EXPECT_EQ(tfmt_nhwc, tfmt_acdb);
    EXPECT_EQ(tfmt_nChw16c, tfmt_aBcd16b);
    EXPECT_EQ(tfmt_f32, 3);
    EXPECT_EQ(tfmt_s64, 16);
    EXPECT_EQ(tfmt_unimplemented, 3);
    EXPECT_EQ(tfmt_runtime_error, 5);
}

TEST(tags, strings_beyond_the_enum) {
    EXPECT_EQ(memory::desc({2, 100, 3, 4}, dt::f32, "aBcd24b").get_padded_dims()[1], 120);
    EXPECT_EQ(
            memory::desc({2, 100, 3, 4}, dt::s8, std::string("NCHW64")).get_padded_dims()[1], 128);
    EXPECT_EQ(memory::desc({2, 100, 3, 4}, dt::s8, "CHWN4"),
            memory::desc({2, 100, 3, 4}, dt::s8, "Bcda4b"));
    EXPECT_EQ(memory::desc({2, 3, 4, 5}, dt::f32, "NHWC"),
            memory::desc({2, 3, 4, 5}, dt::f32, tag::nhwc));
}

TEST(tags, bad_strings_are_refused_and_name_the_character) {
    for (const char *bad : {"", "abdc4", "nChw16x", "aBcd16c", "abcc", "abd", "aBcd", "nchw16c",
                 "aBcd1b", "aBcd-8b", "ab cd", "aBcd16b ", "aBcd99999999999999999999b"}) {
        const auto got = outcome_of([&] { memory::desc({2, 3, 4, 5}, dt::f32, bad); });
        EXPECT_EQ(got.status, tfmt_invalid_arguments) << '"' << bad << '"';
        EXPECT_TRUE(contains(got.message, "tag")) << '"' << bad << "\": " << got.message;
        EXPECT_TRUE(memory::desc({2, 3, 4, 5}, dt::f32, bad, true).is_zero()) << bad;
    }
    const auto got = outcome_of([&] { memory::desc({2, 3, 4, 5}, dt::f32, "nChw16x"); });
    EXPECT_TRUE(contains(got.message, "'x'") || contains(got.message, "\"x\"")) << got.message;
}
