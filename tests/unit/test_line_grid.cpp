// SPDX-License-Identifier: Apache-2.0
// Destinations that begin within a line: which of them are written as if they did not, and that
// this is right, for every ISA.
#include "cpu/plan/line_grid.hpp"

#include "common/data_type.hpp"
#include "cpu/plan/lines.hpp"
#include "support/random_desc.hpp"
#include "tests/unit/kernel_helpers.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using plan_test::normalized;

// ---------------------------------------------------------------- the problem

TEST(LineGrid, RowsGetIndicesInFrontOfThem) {
    tfmt::move_problem p = normalized({384, 1000}, "ab", "ba", tfmt_f32);
    ASSERT_TRUE(tfmt::cpu::begin_at_line(p, 16));
    EXPECT_EQ(p.dst_behind_line_bytes, 16);
    EXPECT_EQ(p.dst_offset_bytes, -16);
    EXPECT_EQ(p.src_offset_bytes, -4 * 4000); // rows of the source
    bool has_row = false;
    for (const tfmt::level &l : p.levels) {
        if (l.dst_stride != 4) continue;
        has_row = true;
        EXPECT_EQ(l.extent, 388);
        const tfmt::dim_limits &limits = p.limits[size_t(l.dim)];
        EXPECT_EQ(limits.begin, 4);
        EXPECT_EQ(limits.load, 388);
        EXPECT_EQ(limits.store, 388);
    }
    EXPECT_TRUE(has_row);
}

TEST(LineGrid, OnlyOfLongRowsOfWholeLines) {
    const auto begins = [](tfmt::move_problem p, tfmt::dim_t behind) {
        const std::string before = to_text(p);
        const bool does = tfmt::cpu::begin_at_line(p, behind);
        EXPECT_TRUE(does || to_text(p) == before);
        return does;
    };
    const auto transposed = [](tfmt::dim_t n_rows, tfmt::dim_t row_elems) {
        return normalized({row_elems, n_rows}, "ab", "ba", tfmt_f32);
    };
    EXPECT_TRUE(begins(transposed(1001, 400), 60));
    EXPECT_FALSE(begins(transposed(1001, 400), 2));  // parts of elements
    EXPECT_FALSE(begins(transposed(1001, 401), 16)); // rows end within lines
    EXPECT_FALSE(begins(transposed(1001, 64), 16));  // short
    EXPECT_TRUE(begins(transposed(1001, 80), 16));
    EXPECT_FALSE(begins(normalized({3, 100, 64, 64}, "abcd", "aBcd16b", tfmt_f32), 16)); // padding
    EXPECT_FALSE(begins(normalized({3, 128, 64, 64}, "abcd", "aBcd16b", tfmt_f32), 16)); // rows of
                                                                                         // one line
}

TEST(LineGrid, PlanStoresWholeLinesPastTheCaches) {
    for (tfmt::cpu::machine m : plan_test::all_machines()) {
        m.l2_bytes = m.l3_bytes = 0;
        m.min_src_bytes_of_streamed_lines = m.vector_bytes / 2;
        m.fetches_stores_late = true;
        const tfmt::move_problem p = normalized({1040, 1000}, "ab", "ba", tfmt_f32);
        tfmt::cpu::plan any, in_lines;
        std::string why;
        ASSERT_TRUE(make_plan(p, m, tfmt::cpu::plan_mode::move, &any, &why));
        ASSERT_TRUE(make_plan_behind_line(p, m, 16, any, &in_lines)) << plan_test::name_of(m);
        EXPECT_EQ(in_lines.stores, tfmt::cpu::store_path::streamed);
        EXPECT_EQ(open_lines(in_lines.the_tile), 0);
        // Stores of lines in part, and these alone, stay in the caches, and ask for them.
        int n_past = 0, n_in_part = 0;
        for (const tfmt::cpu::kernel_spec &spec : in_lines.kernels) {
            const tfmt::cpu::ir::kernel k = tfmt::cpu::ir::build(in_lines, spec);
            EXPECT_TRUE(k.claims_lines);
            for (const tfmt::cpu::ir::block &ops : k.blocks)
                for (const tfmt::cpu::ir::op &o : ops)
                    if (o.kind == tfmt::cpu::ir::op_kind::store)
                        (o.stays_in_caches ? n_in_part : n_past)++;
        }
        EXPECT_GT(n_past, 0);
        EXPECT_GT(n_in_part, 0);
    }
}

// The descriptor's own offset counts: it is the first element that lies behind a line.
TEST(LineGrid, OffsetsOfDescriptors) {
    tfmt::cpu::machine m = plan_test::avx512();
    m.l2_bytes = m.l3_bytes = 0;
    tfmt::move_problem p = normalized({1040, 1000}, "ab", "ba", tfmt_f32);
    p.dst_offset_bytes = 48;
    tfmt::cpu::plan any, in_lines;
    std::string why;
    ASSERT_TRUE(make_plan(p, m, tfmt::cpu::plan_mode::move, &any, &why));
    ASSERT_TRUE(make_plan_behind_line(p, m, 48, any, &in_lines));
    EXPECT_EQ(in_lines.problem.dst_offset_bytes, 0);
    ASSERT_TRUE(make_plan_behind_line(p, m, 8, any, &in_lines)); // a pointer 24 bytes behind one
    EXPECT_EQ(in_lines.problem.dst_offset_bytes, 40);
}

// ---------------------------------------------------------------- kernels

using namespace kernel_test;

class LineGridOn : public kernel_fixture {
protected:
    // Whether there is a plan for it; what that does is compared.
    bool check_behind(const tfmt_test::dims &dims, tfmt_data_type_t src_type,
            tfmt_data_type_t dst_type, const std::string &src_tag, const std::string &dst_tag,
            size_t behind, uint64_t seed) {
        const auto src = tfmt_test::make_with_tag(dims, src_type, src_tag);
        const auto dst = tfmt_test::make_with_tag(dims, dst_type, dst_tag);
        trial e(*src, *dst, seed, false, behind);
        tfmt_test::oracle_reorder(src.get(), e.src(), dst.get(), e.expected());
        move_problem move;
        std::string why;
        EXPECT_TRUE(normalize(make_problem(*src, *dst), &move, &why)) << why;
        machine m = make_machine(GetParam(), seed % 2 ? caches::none : caches::none_and_few_rows);
        m.fetches_stores_late = seed % 3 == 0;
        plan any, behind_line;
        EXPECT_TRUE(make_plan(move, m, plan_mode::move, &any, &why)) << why;
        if (!make_plan_behind_line(move, m, dim_t(behind), any, &behind_line)) return false;
        const std::string wrong = check_plan(behind_line, e, host_can_execute(), {});
        EXPECT_EQ(wrong, "") << tfmt_test::dims_text(dims) << " " << src_tag << " -> " << dst_tag
                             << ", " << behind << " bytes behind a line, seed " << seed << "\n"
                             << to_text(behind_line);
        return true;
    }
};

// Of source and destination: elements that stay as they are, or are converted.
struct type_pair {
    tfmt_data_type_t src, dst;
};
const std::vector<type_pair> type_pairs {{tfmt_u8, tfmt_u8}, {tfmt_bf16, tfmt_bf16},
        {tfmt_f32, tfmt_f32}, {tfmt_f64, tfmt_f64}, {tfmt_f32, tfmt_bf16}, {tfmt_f32, tfmt_s8},
        {tfmt_bf16, tfmt_u8}, {tfmt_s32, tfmt_f32}, {tfmt_bf16, tfmt_f32}, {tfmt_s8, tfmt_f32},
        {tfmt_f32, tfmt_f64}, {tfmt_u8, tfmt_bf16}};

TEST_P(LineGridOn, EveryPlaceInALine) {
    const bool stores_lines = GetParam().vector_bytes > 16; // else tiles store parts of them here
    for (const type_pair &types : type_pairs) {
        const auto elem_bytes = int64_t(tfmt_data_type_size(types.dst));
        int n = 0;
        for (int64_t behind = elem_bytes; behind < 64; behind += elem_bytes) {
            const int64_t row_elems = 64 * (5 + behind % 4) / elem_bytes;
            n += check_behind({row_elems, 70}, types.src, types.dst, "ab", "ba", size_t(behind),
                    uint64_t(behind));
            n += check_behind({7, row_elems}, types.src, types.dst, "ab", "ab", size_t(behind),
                    uint64_t(behind));
        }
        EXPECT_TRUE(n > 0 || !stores_lines)
                << tfmt::name_of(types.src) << " to " << tfmt::name_of(types.dst);
    }
    if (!host_can_execute())
        GTEST_SKIP() << "plans and IR checked; the host lacks " << GetParam().name
                     << ", so its machine code was not executed";
}

TEST_P(LineGridOn, RandomPermutations) {
    int n = 0;
    for (int i = 0; i < tfmt_test::scaled(200); i++) {
        tfmt_test::random_source random(uint64_t(i) * 2903 + 11);
        const type_pair types = type_pairs[size_t(random.below(int64_t(type_pairs.size())))];
        const auto elem_bytes = int64_t(tfmt_data_type_size(types.dst));
        std::string tags[2] {"abcd", "abcd"};
        for (std::string &tag : tags)
            for (size_t k = 4; k > 1; k--)
                std::swap(tag[k - 1], tag[size_t(random.below(int64_t(k)))]);
        tfmt_test::dims dims {random.between(1, 18), random.between(1, 18), random.between(1, 5),
                random.between(1, 3)};
        dims[size_t(tags[1][3] - 'a')] = 64 * random.between(5, 12) / elem_bytes;
        n += check_behind(dims, types.src, types.dst, tags[0], tags[1],
                size_t(elem_bytes * random.between(1, 64 / elem_bytes - 1)), uint64_t(i));
    }
    EXPECT_GT(n, 0);
}

INSTANTIATE_TEST_SUITE_P(Machines, LineGridOn, testing::ValuesIn(machines), test_name_of);

} // namespace
