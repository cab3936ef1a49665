// SPDX-License-Identifier: Apache-2.0
// Moves of one type, every type, over random pairs of descriptors, bit for bit.
#include "diff/isa_fixture.hpp"
#include "support/element.hpp"

using namespace tfmt_test;

namespace {

const std::vector<tfmt_data_type_t> one_of_each_width = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};

class reorder_diff : public isa_fixture {
protected:
    // n random cases of one type. Large ones must be cut among threads too, so some are.
    void run(tfmt_data_type_t type, int n_cases, int64_t max_bytes, uint64_t first_seed) {
        for (int i = 0; i < n_cases && !HasFailure(); ++i) {
            const uint64_t seed = first_seed + static_cast<uint64_t>(i);
            random_source random(seed);
            const int64_t max_elements = max_bytes * 8 / type_bits(type) / 4;
            const dims shape = random_dims(random, max_elements);
            const random_desc src = make_random_desc(random, shape, type, role::src, max_bytes);
            const random_desc dst = make_random_desc(random, shape, type, role::dst, max_bytes);
            check(src, dst, seed);
        }
    }
};

TEST_P(reorder_diff, small_shapes_of_every_width) {
    for (tfmt_data_type_t type : one_of_each_width)
        run(type, scaled(300), 64 << 10, 1000u * static_cast<unsigned>(type));
}

TEST_P(reorder_diff, shapes_larger_than_the_caches_near_the_core) {
    for (tfmt_data_type_t type : one_of_each_width)
        run(type, scaled(12), 4 << 20, 50000u + 1000u * static_cast<unsigned>(type));
}

TEST_P(reorder_diff, one_two_and_five_threads) {
    for (int n_threads : {1, 2, 5}) {
        ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
        for (tfmt_data_type_t type : one_of_each_width)
            run(type, scaled(10), 1 << 20, 90000u + 1000u * static_cast<unsigned>(type));
    }
}

TEST_P(reorder_diff, every_type_moves_bit_for_bit) {
    for (tfmt_data_type_t type : {tfmt_f16, tfmt_s32, tfmt_s8, tfmt_boolean, tfmt_f8_e5m2,
                 tfmt_f8_e4m3, tfmt_s4, tfmt_u4, tfmt_e8m0, tfmt_f4_e2m1, tfmt_s64})
        run(type, scaled(60), 32 << 10, 200000u + 1000u * static_cast<unsigned>(type));
}

// Every pair of some typical layouts, with tails on all blocked dims: no luck needed to meet them.
TEST_P(reorder_diff, typical_layouts_pairwise) {
    const std::vector<std::string> tags = {"abcd", "acdb", "bcda", "cdba", "aBcd4b", "aBcd8b",
            "aBcd16b", "aBcd32b", "aBcd48b", "aBcd24b", "ABcd16b16a", "ABcd16a16b", "ABcd32a16b",
            "ABcd8b16a2b", "ABcd4b16a4b", "ABcd16a4b", "BAcd2b8a16b2a", "AcdB16a2b", "Abcd48a",
            "Abcd32a", "aBCd7b12c"};
    const std::vector<dims> shapes = {
            {17, 33, 5, 7}, {16, 64, 4, 4}, {1, 3, 1, 19}, {50, 49, 3, 1}};
    uint64_t seed = 300000;
    for (const dims &shape : shapes)
        for (tfmt_data_type_t type : one_of_each_width)
            for (const std::string &src_tag : tags)
                for (const std::string &dst_tag : tags) {
                    if (!is_sampled(++seed, 5)) continue;
                    random_desc src {make_with_tag(shape, type, src_tag), src_tag};
                    random_desc dst {make_with_tag(shape, type, dst_tag), dst_tag};
                    src.recipe = std::string(type_name(type)) + " " + dims_text(shape) + " tag "
                            + src.recipe;
                    check(src, dst, seed);
                    if (HasFailure()) return;
                }
}

TEST_P(reorder_diff, dense_layouts_of_one_width_run_in_the_jit) {
    if (GetParam().isa == tfmt_cpu_isa_none) GTEST_SKIP() << "no JIT without an instruction set";
    if (!TENSORFMT_TEST_HAS_JIT) GTEST_SKIP() << "built without the JIT";
    const dims shape = {4, 64, 14, 14};
    for (tfmt_data_type_t type : one_of_each_width)
        for (const char *src_tag : {"abcd", "acdb", "aBcd16b"})
            for (const char *dst_tag : {"abcd", "acdb", "aBcd16b", "aBcd8b"}) {
                const random_desc src {make_with_tag(shape, type, src_tag), src_tag};
                const random_desc dst {make_with_tag(shape, type, dst_tag), dst_tag};
                n_jit_ = n_other_ = 0;
                check(src, dst, 7);
                EXPECT_EQ(n_jit_, 1) << type_name(type) << " " << src_tag << " -> " << dst_tag;
            }
}

INSTANTIATE_FOR_EVERY_ISA(reorder_diff);

} // namespace
