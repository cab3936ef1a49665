// SPDX-License-Identifier: Apache-2.0
// Every pair of the 15 types on every instruction set: every value of the narrow types and the
// turning points of the wide ones, as one run, through layouts that need shuffles, and in tensors
// of a few elements between guard pages.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "diff/conversion_cases.hpp"
#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};
using reorder_ptr = std::unique_ptr<tfmt_reorder, reorder_deleter>;

// Null, with a failure, if the library refuses. *impl receives the path that runs.
reorder_ptr create(const desc_ptr &src, const desc_ptr &dst, std::string *impl) {
    tfmt_reorder_t created = nullptr;
    EXPECT_EQ(tfmt_reorder_create(&created, src.get(), dst.get(), nullptr), tfmt_success)
            << tfmt_get_last_error();
    const char *text = nullptr;
    if (created) tfmt_reorder_query(created, tfmt_query_impl_info_str, &text);
    *impl = text ? text : "";
    return reorder_ptr(created);
}

std::string pair_text(const conversion_case &c) {
    return std::string(type_name(c.src_type)) + " -> " + type_name(c.dst_type);
}

int64_t count(const dims &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t {1}, std::multiplies<int64_t>());
}

// One dimension of all elements; a failure tells the source's bits.
void run_whole(const conversion_case &c) {
    const desc_ptr src = make_with_tag({c.nelems}, c.src_type, "a");
    const desc_ptr dst = make_with_tag({c.nelems}, c.dst_type, "a");
    std::string impl;
    const reorder_ptr reorder = create(src, dst, &impl);
    ASSERT_TRUE(reorder) << pair_text(c);
    std::vector<unsigned char> got(c.dst.size(), guarded_buffer::poison);
    ASSERT_EQ(tfmt_reorder_execute(reorder.get(), c.src.data(), got.data(), nullptr), tfmt_success);
    if (got == c.dst) return;
    for (int64_t i = 0; i < c.nelems; ++i) {
        ASSERT_EQ(load_bits(c.dst_type, got.data(), i), load_bits(c.dst_type, c.dst.data(), i))
                << pair_text(c) << " of 0x" << std::hex << load_bits(c.src_type, c.src.data(), i)
                << std::dec << ", element " << i << " of " << c.nelems << "; ran " << impl;
    }
    ADD_FAILURE() << pair_text(c) << ": bits beside the elements differ; ran " << impl;
}

// The case's elements in a pair of layouts, between guard pages. The oracle brings the elements
// there, those of dst converted already, so that layouts cost no conversion.
void run_layouts(const conversion_case &c, const dims &shape, const char *src_tag,
        const char *dst_tag, placement where) {
    ASSERT_EQ(count(shape), c.nelems);
    const std::string plain = std::string("abcd").substr(0, shape.size());
    const desc_ptr src = make_with_tag(shape, c.src_type, src_tag);
    const desc_ptr dst = make_with_tag(shape, c.dst_type, dst_tag);
    const std::string what = pair_text(c) + ", " + src_tag + " -> " + dst_tag + " "
            + dims_text(shape) + (where == placement::at_end ? ", at the end" : ", at the start");
    std::string impl;
    const reorder_ptr reorder = create(src, dst, &impl);
    ASSERT_TRUE(reorder) << what;

    const layout src_layout = read_layout(src.get());
    const layout dst_layout = read_layout(dst.get());
    const auto dst_bytes = static_cast<size_t>(span_bytes(dst_layout));
    guarded_buffer from(static_cast<size_t>(span_bytes(src_layout)), where);
    guarded_buffer to(dst_bytes, where);
    std::vector<unsigned char> wanted(dst_bytes, guarded_buffer::poison);
    oracle_reorder(
            layout_from_tag(shape, c.src_type, plain), c.src.data(), src_layout, from.data());
    oracle_reorder(
            layout_from_tag(shape, c.dst_type, plain), c.dst.data(), dst_layout, wanted.data());
    ASSERT_EQ(tfmt_reorder_execute(reorder.get(), from.data(), to.data(), nullptr), tfmt_success);
    ASSERT_EQ(compare_bytes(dst_layout, to.data(), wanted.data(), span_bytes(dst_layout)), "")
            << what << "; ran " << impl;
    ASSERT_TRUE(to.slack_is_intact()) << what << "; ran " << impl;
}

// As many rows as hold all elements of the case, which are repeated to fill the last.
void run_rows(const conversion_case &all, dims shape, size_t rows_dim, const char *src_tag,
        const char *dst_tag) {
    shape[rows_dim] = 1;
    const int64_t per_row = count(shape);
    shape[rows_dim] = (all.nelems + per_row - 1) / per_row;
    run_layouts(repeated(all, count(shape), 0, 1), shape, src_tag, dst_tag, placement::at_end);
}

// Some elements of the case, others for each `number`.
void run_some(const conversion_case &all, const dims &shape, const char *dst_tag, int number) {
    const int64_t first = number * int64_t {7919};
    const conversion_case c = repeated(all, count(shape), first, 2 * (number % 50) + 1);
    const std::string plain = std::string("abcd").substr(0, shape.size());
    run_layouts(
            c, shape, plain.c_str(), dst_tag, number % 3 ? placement::at_end : placement::at_start);
}

class exhaustive_convert : public isa_fixture {
protected:
    // Stops at the first failure: the next pair would say the same.
    template <typename Run>
    void for_every_pair(Run &&run) {
        int number = 0;
        for (tfmt_data_type_t src_type : every_type())
            for (tfmt_data_type_t dst_type : every_type()) {
                run(conversion_case_of(src_type, dst_type), number++);
                if (HasFailure()) return;
            }
    }
};

TEST_P(exhaustive_convert, every_value) {
    for_every_pair([](const conversion_case &all, int) { run_whole(all); });
}

TEST_P(exhaustive_convert, every_value_transposed) {
    for_every_pair([](const conversion_case &all, int) {
        run_rows(all, {1, all.nelems < 2000 ? 33 : 131}, 0, "ab", "ba");
    });
}

TEST_P(exhaustive_convert, every_value_into_blocks_with_tails) {
    for_every_pair([](const conversion_case &all, int) {
        run_rows(all, {1, 37, 1, 5}, 2, "abcd", "aBcd16b");
    });
}

TEST_P(exhaustive_convert, every_value_out_of_blocks_with_tails) {
    for_every_pair([](const conversion_case &all, int number) {
        if (all.nelems < 100000 || number % 2)
            run_rows(all, {3, 21, 1, 2}, 2, "aBcd8b", "acdb");
        else
            run_rows(all, {3, 19, 1, 7}, 2, "acdb", "abcd");
    });
}

TEST_P(exhaustive_convert, every_value_into_packed_blocks) {
    for_every_pair([](const conversion_case &all, int number) {
        if (all.nelems < 100000) run_rows(all, {45, 1}, 1, number % 2 ? "ab" : "ba", "BA16a16b2a");
    });
}

// Every size of a run for every type on either side, though not for every pair: vector bodies,
// tails, masks, and 4-bit runs that end within a byte.
TEST_P(exhaustive_convert, short_runs) {
    const int step = std::max(1, 30 / scaled(10)); // 3 for TENSORFMT_TEST_SCALE 1
    for_every_pair([&](const conversion_case &all, int number) {
        for (int64_t n = 1 + number % step; n <= 130; n += step)
            run_some(all, {n}, "a", number + static_cast<int>(n));
    });
}

TEST_P(exhaustive_convert, small_transposes) {
    for_every_pair([&](const conversion_case &all, int number) {
        random_source random(static_cast<uint64_t>(number + 1));
        for (int i = 0; i < scaled(12); ++i) {
            const int64_t a = random.between(1, 40), b = random.between(1, 40);
            run_some(all, {a, b}, i % 3 == 2 ? "bA8a" : "ba", number + i);
        }
    });
}

INSTANTIATE_FOR_EVERY_ISA(exhaustive_convert);

} // namespace
