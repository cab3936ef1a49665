// SPDX-License-Identifier: Apache-2.0
// Conversions of every pair of types in random layouts, for any number of threads, and what becomes
// of the payloads of NaNs. Every value, in few layouts: exhaustive_convert_test.
#include <limits>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

class convert_diff : public isa_fixture {};

TEST_P(convert_diff, random_layouts_every_pair_of_types) {
    uint64_t seed = 1;
    for (tfmt_data_type_t src_type : every_type())
        for (tfmt_data_type_t dst_type : every_type())
            for (int i = 0; i < scaled(12) && src_type != dst_type; ++i) {
                random_source random(++seed);
                const dims shape = random_dims(random, 4096);
                check(make_random_desc(random, shape, src_type, role::src, 64 << 10),
                        make_random_desc(random, shape, dst_type, role::dst, 64 << 10), seed);
                if (HasFailure()) return;
            }
}

TEST_P(convert_diff, threads_do_not_change_the_result) {
    uint64_t seed = 5000;
    for (int n_threads : {1, 2, 5}) {
        ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
        for (tfmt_data_type_t dst_type : every_type()) {
            const dims shape = {3, 70, 31, 33};
            const random_desc src {make_with_tag(shape, tfmt_f32, "abcd"), "f32 3x70x31x33 abcd"};
            const random_desc dst {make_with_tag(shape, dst_type, "aBcd16b"),
                    std::string(type_name(dst_type)) + " aBcd16b"};
            check(src, dst, ++seed);
        }
    }
}

// 4-bit destinations with rows of odd numbers: neighbours in a byte that belong to two threads.
TEST_P(convert_diff, threads_share_no_byte) {
    uint64_t seed = 6000;
    for (int n_threads : {2, 5}) {
        ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
        for (tfmt_data_type_t dst_type : {tfmt_u4, tfmt_s4, tfmt_f4_e2m1})
            for (tfmt_data_type_t src_type : {tfmt_f32, tfmt_s8, dst_type})
                for (const char *tag : {"abcd", "acdb", "dcba", "aBcd3b"}) {
                    if (!is_sampled(++seed, 5)) continue;
                    // Large enough for two threads and more.
                    const dims shape = {7, src_type == tfmt_f32 ? 31 : 93, 53, 33};
                    check({make_with_tag(shape, src_type, "abcd"),
                                  std::string(type_name(src_type)) + " " + dims_text(shape)
                                          + " abcd"},
                            {make_with_tag(shape, dst_type, tag),
                                    std::string(type_name(dst_type)) + " " + tag},
                            seed);
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

// NaNs with payloads in all of their bits, at every position in a vector.
TEST_P(convert_diff, payloads_of_nans) {
    constexpr int64_t n = 1001;
    random_source random(77);
    for (tfmt_data_type_t src_type : {tfmt_f32, tfmt_f16, tfmt_bf16, tfmt_f64})
        for (tfmt_data_type_t dst_type : every_type()) {
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
