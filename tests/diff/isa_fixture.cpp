// SPDX-License-Identifier: Apache-2.0
#include "diff/isa_fixture.hpp"

using namespace tfmt_test;

std::vector<isa_row> all_isas() {
    return {{tfmt_cpu_isa_none, "none"}, {tfmt_cpu_isa_sse41, "sse41"}, {tfmt_cpu_isa_avx2, "avx2"},
            {tfmt_cpu_isa_avx512_core, "avx512_core"},
            {tfmt_cpu_isa_avx512_core_vbmi, "avx512_core_vbmi"},
            {tfmt_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
            {tfmt_cpu_isa_avx512_core_fp16, "avx512_core_fp16"}};
}

void isa_fixture::SetUp() {
    // One unless the test asks for more: waking threads for small tensors, on a machine that also
    // runs other tests, takes far longer than the test.
    ASSERT_EQ(tfmt_set_num_threads(1), tfmt_success);
    const isa_row wanted = GetParam();
    ASSERT_EQ(tfmt_set_max_cpu_isa(wanted.isa), tfmt_success) << tfmt_get_last_error();
    if (tfmt_get_effective_cpu_isa() != wanted.isa)
        GTEST_SKIP() << "this machine (or build) lacks " << wanted.name;
}

void isa_fixture::TearDown() {
    EXPECT_EQ(tfmt_set_max_cpu_isa(tfmt_cpu_isa_avx512_core_fp16), tfmt_success);
    EXPECT_EQ(tfmt_set_num_threads(0), tfmt_success);
}

void isa_fixture::check(
        const random_desc &src, const random_desc &dst, uint64_t seed, const attributes *attr) {
    check_options options;
    options.seed = seed;
    options.attr = attr;
    options.is_measured = is_measured_;
    options.src_placement = seed % 2 ? placement::at_end : placement::at_start;
    if (seed % 7 == 0) options.src_shift_bytes = 1 + seed / 7 % 5;
    if (seed % 11 == 0) options.dst_shift_bytes = 1 + seed / 11 % 5;
    options.dst_placement = seed % 3 ? placement::at_end : placement::at_start;
    const check_result result = check_reorder(src.md.get(), dst.md.get(), options);
    ++(result.impl.compare(0, 4, "jit:") == 0 ? n_jit_ : n_other_);
    EXPECT_EQ(result.what, outcome::passed)
            << (result.what == outcome::refused ? "refused: " : "") << result.message << "\n  src "
            << src.recipe << "\n  dst " << dst.recipe << "\n  attributes "
            << attributes_text(attr ? *attr : attributes()) << "\n  seed " << seed << "\n  isa "
            << GetParam().name << ", threads " << tfmt_get_num_threads() << ", ran " << result.impl;
}
