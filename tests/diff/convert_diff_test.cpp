// SPDX-License-Identifier: Apache-2.0
// Conversions among the types that every build must convert, with ties, overflows, NaNs and
// denormals.
#include <algorithm>
#include <cstring>
#include <limits>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

const std::vector<tfmt_data_type_t> converted_types = {
        tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_f64, tfmt_s32, tfmt_s8, tfmt_u8};

class convert_diff : public isa_fixture {};

TEST_P(convert_diff, random_layouts_every_pair_of_types) {
    uint64_t seed = 1;
    for (tfmt_data_type_t src_type : converted_types)
        for (tfmt_data_type_t dst_type : converted_types)
            for (int i = 0; i < scaled(25) && src_type != dst_type; ++i) {
                random_source random(++seed);
                const dims shape = random_dims(random, 4096);
                check(make_random_desc(random, shape, src_type, role::src, 64 << 10),
                        make_random_desc(random, shape, dst_type, role::dst, 64 << 10), seed);
                if (HasFailure()) return;
            }
}

// Pairs beyond those: refused as unimplemented, or right.
TEST_P(convert_diff, all_other_pairs_are_refused_or_right) {
    const std::vector<tfmt_data_type_t> all = {tfmt_f16, tfmt_bf16, tfmt_f32, tfmt_s32, tfmt_s8,
            tfmt_u8, tfmt_f64, tfmt_boolean, tfmt_f8_e5m2, tfmt_f8_e4m3, tfmt_s4, tfmt_u4,
            tfmt_e8m0, tfmt_f4_e2m1, tfmt_s64};
    uint64_t seed = 3000;
    for (tfmt_data_type_t src_type : all)
        for (tfmt_data_type_t dst_type : all)
            for (const char *tag : {"abc", "cab", "aBc16b"}) {
                const desc_ptr src = make_with_tag({3, 39, 17}, src_type, "abc");
                const desc_ptr dst = make_with_tag({3, 39, 17}, dst_type, tag);
                check_options options;
                options.seed = ++seed;
                const check_result result = check_reorder(src.get(), dst.get(), options);
                const bool is_unimplemented = result.what == outcome::refused
                        && result.status == tfmt_unimplemented;
                EXPECT_TRUE(result.what == outcome::passed || is_unimplemented)
                        << type_name(src_type) << " abc -> " << type_name(dst_type) << " " << tag
                        << " 3x39x17, seed " << seed << ": " << result.message;
            }
}

TEST_P(convert_diff, threads_do_not_change_the_result) {
    uint64_t seed = 5000;
    for (int n_threads : {1, 2, 5}) {
        ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
        for (tfmt_data_type_t dst_type : converted_types) {
            const dims shape = {3, 70, 31, 33};
            const random_desc src {make_with_tag(shape, tfmt_f32, "abcd"), "f32 3x70x31x33 abcd"};
            const random_desc dst {make_with_tag(shape, dst_type, "aBcd16b"),
                    std::string(type_name(dst_type)) + " aBcd16b"};
            check(src, dst, ++seed);
        }
    }
}

// Runs a dense one-dimensional conversion of `n` elements.
std::vector<unsigned char> convert(const std::vector<unsigned char> &src, tfmt_data_type_t src_type,
        tfmt_data_type_t dst_type) {
    const int64_t n = static_cast<int64_t>(src.size()) * 8 / type_bits(src_type);
    const desc_ptr src_md = make_with_tag({n}, src_type, "a");
    const desc_ptr dst_md = make_with_tag({n}, dst_type, "a");
    std::vector<unsigned char> dst(static_cast<size_t>(bytes_for_elements(dst_type, n)), 0xa5);
    tfmt_reorder_t reorder = nullptr;
    EXPECT_EQ(tfmt_reorder_create(&reorder, src_md.get(), dst_md.get(), nullptr), tfmt_success)
            << tfmt_get_last_error();
    if (!reorder) return dst;
    EXPECT_EQ(tfmt_reorder_execute(reorder, src.data(), dst.data(), nullptr), tfmt_success)
            << tfmt_get_last_error();
    tfmt_reorder_destroy(reorder);
    return dst;
}

// All 2^16 and 2^8 patterns of the narrow types.
TEST_P(convert_diff, every_value_of_the_narrow_types) {
    for (tfmt_data_type_t src_type : {tfmt_f16, tfmt_bf16, tfmt_s8, tfmt_u8})
        for (tfmt_data_type_t dst_type : converted_types) {
            const int64_t n = int64_t {1} << type_bits(src_type);
            std::vector<unsigned char> src(static_cast<size_t>(bytes_for_elements(src_type, n)));
            for (int64_t i = 0; i < n; ++i)
                store_bits(src_type, src.data(), i, static_cast<uint64_t>(i));
            const std::vector<unsigned char> dst = convert(src, src_type, dst_type);
            for (int64_t i = 0; i < n; ++i) {
                const uint64_t got = load_bits(dst_type, dst.data(), i);
                const uint64_t wanted = convert_bits(src_type, static_cast<uint64_t>(i), dst_type);
                ASSERT_EQ(got, wanted) << type_name(src_type) << " 0x" << std::hex << i << " -> "
                                       << type_name(dst_type);
            }
        }
}

// f32 to the narrow floats around every rounding boundary: all high halves, low halves that lie
// below, at and above a tie of bf16, and the same for the bits that f16 drops.
TEST_P(convert_diff, every_high_half_of_f32) {
    std::vector<uint32_t> low_halves = {
            0x8000, 0x1000, 0x8001, 0x7fff, 0, 1, 0x0fff, 0x1001, 0xffff};
    low_halves.resize(static_cast<size_t>(std::min(9, scaled(9))));
    for (uint32_t low : low_halves) {
        std::vector<unsigned char> src(4 << 16);
        for (uint32_t high = 0; high < 1u << 16; ++high)
            store_bits(tfmt_f32, src.data(), high, high << 16 | low);
        for (tfmt_data_type_t dst_type : {tfmt_bf16, tfmt_f16, tfmt_s8, tfmt_u8, tfmt_s32}) {
            const std::vector<unsigned char> dst = convert(src, tfmt_f32, dst_type);
            for (uint32_t high = 0; high < 1u << 16; ++high) {
                const uint64_t got = load_bits(dst_type, dst.data(), high);
                const uint64_t wanted = convert_bits(tfmt_f32, high << 16 | low, dst_type);
                ASSERT_EQ(got, wanted) << "f32 0x" << std::hex << (high << 16 | low) << " -> "
                                       << type_name(dst_type);
            }
        }
    }
}

// NaNs with payloads in all of their bits, at every position in a vector.
TEST_P(convert_diff, payloads_of_nans) {
    constexpr int64_t n = 1001;
    random_source random(77);
    for (tfmt_data_type_t src_type : {tfmt_f32, tfmt_f16, tfmt_bf16, tfmt_f64})
        for (tfmt_data_type_t dst_type : converted_types) {
            const uint64_t infinity = encode(src_type, std::numeric_limits<double>::infinity());
            std::vector<unsigned char> src(static_cast<size_t>(bytes_for_elements(src_type, n)));
            fill_random_bits(src.data(), static_cast<int64_t>(src.size()), random);
            for (int64_t i = 0; i < n; ++i)
                store_bits(src_type, src.data(), i, infinity | load_bits(src_type, src.data(), i));
            const std::vector<unsigned char> dst = convert(src, src_type, dst_type);
            for (int64_t i = 0; i < n; ++i) {
                const uint64_t bits = load_bits(src_type, src.data(), i);
                ASSERT_EQ(
                        load_bits(dst_type, dst.data(), i), convert_bits(src_type, bits, dst_type))
                        << type_name(src_type) << " 0x" << std::hex << bits << " -> "
                        << type_name(dst_type);
            }
        }
}

INSTANTIATE_FOR_EVERY_ISA(convert_diff);

} // namespace
