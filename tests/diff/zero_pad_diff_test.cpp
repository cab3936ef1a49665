// SPDX-License-Identifier: Apache-2.0
// Zero padding on random blocked layouts of every type size: padding bytes become zero, no other
// byte changes.
#include <cstring>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

const std::vector<tfmt_data_type_t> padded_types = {tfmt_s4, tfmt_f4_e2m1, tfmt_u8, tfmt_e8m0,
        tfmt_bf16, tfmt_f16, tfmt_f32, tfmt_s32, tfmt_f64, tfmt_s64};

struct memory_deleter {
    void operator()(tfmt_memory_t memory) const { tfmt_memory_destroy(memory); }
};
using memory_ptr = std::unique_ptr<tfmt_memory, memory_deleter>;

class zero_pad_diff : public isa_fixture {
protected:
    template <typename Body>
    void for_random_descs(int n_cases, Body &&body) {
        for (tfmt_data_type_t type : padded_types)
            for (int i = 0; i < n_cases && !HasFailure(); ++i) {
                const uint64_t seed = 1000u * static_cast<unsigned>(type)
                        + static_cast<unsigned>(i);
                random_source random(seed);
                const dims shape = random_dims(random, 4096);
                const random_desc made = make_random_desc(
                        random, shape, type, role::dst, 256 << 10);
                SCOPED_TRACE(made.recipe + ", seed " + std::to_string(seed) + ", isa "
                        + GetParam().name);
                const layout l = read_layout(made.md.get());
                guarded_buffer buffer(static_cast<size_t>(span_bytes(l)),
                        i % 2 ? placement::at_end : placement::at_start, 1, i % 5 == 0 ? 3 : 0);
                fill_random_bits(buffer.data(), span_bytes(l), random);
                body(made.md.get(), l, buffer);
            }
    }

    static std::vector<unsigned char> expected(const layout &l, const guarded_buffer &buffer) {
        std::vector<unsigned char> bytes(buffer.data(), buffer.data() + buffer.size());
        oracle_zero_pad(l, bytes.data());
        return bytes;
    }

    static void expect_bytes(const layout &l, const guarded_buffer &buffer,
            const std::vector<unsigned char> &wanted) {
        EXPECT_EQ(
                compare_bytes(l, buffer.data(), wanted.data(), static_cast<int64_t>(wanted.size())),
                "");
        EXPECT_TRUE(buffer.slack_is_intact());
    }
};

TEST_P(zero_pad_diff, zero_pad_writes_the_padding_alone) {
    for_random_descs(
            scaled(80), [](const_tfmt_memory_desc_t md, const layout &l, guarded_buffer &b) {
                const std::vector<unsigned char> wanted = expected(l, b);
                ASSERT_EQ(tfmt_zero_pad(md, b.data()), tfmt_success) << tfmt_get_last_error();
                expect_bytes(l, b, wanted);
            });
}

TEST_P(zero_pad_diff, check_padding_agrees_with_the_oracle) {
    for_random_descs(
            scaled(30), [](const_tfmt_memory_desc_t md, const layout &l, guarded_buffer &b) {
                for (int pass = 0; pass < 2; ++pass) { // random padding, then zero padding
                    const std::vector<unsigned char> before(b.data(), b.data() + b.size());
                    int is_zero = -1;
                    ASSERT_EQ(tfmt_check_padding(md, b.data(), &is_zero), tfmt_success)
                            << tfmt_get_last_error();
                    EXPECT_EQ(is_zero, oracle_padding_is_zero(l, b.data()) ? 1 : 0);
                    expect_bytes(l, b, before);
                    oracle_zero_pad(l, b.data());
                }
            });
}

// One bit in one padding element, at a random place, must be seen.
TEST_P(zero_pad_diff, check_padding_sees_a_single_bit) {
    uint64_t seed = 1;
    for_random_descs(
            scaled(30), [&](const_tfmt_memory_desc_t md, const layout &l, guarded_buffer &b) {
                std::vector<unsigned char> ones(b.size(), 0xff);
                oracle_zero_pad(l, ones.data()); // now zero bits mark the padding
                std::vector<size_t> padding_bytes;
                for (size_t i = 0; i < ones.size(); ++i)
                    if (ones[i] != 0xff) padding_bytes.push_back(i);
                if (padding_bytes.empty()) return;
                oracle_zero_pad(l, b.data());
                random_source random(++seed);
                const size_t at = random.pick(padding_bytes);
                b.data()[at] = static_cast<unsigned char>(b.data()[at] | (~ones[at] & 0x88));
                int is_zero = -1;
                ASSERT_EQ(tfmt_check_padding(md, b.data(), &is_zero), tfmt_success);
                EXPECT_EQ(is_zero, 0) << "byte " << at;
            });
}

TEST_P(zero_pad_diff, set_data_handle_zeroes_the_padding_unless_told_to_keep_it) {
    for_random_descs(
            scaled(20), [](const_tfmt_memory_desc_t md, const layout &l, guarded_buffer &b) {
                tfmt_memory_t created = nullptr;
                ASSERT_EQ(tfmt_memory_create(&created, md, TFMT_MEMORY_NONE), tfmt_success)
                        << tfmt_get_last_error();
                const memory_ptr memory(created);
                const std::vector<unsigned char> before(b.data(), b.data() + b.size());
                ASSERT_EQ(tfmt_memory_set_data_handle_v2(created, b.data(), tfmt_padding_keep),
                        tfmt_success);
                expect_bytes(l, b, before);
                const std::vector<unsigned char> wanted = expected(l, b);
                ASSERT_EQ(tfmt_memory_set_data_handle(created, b.data()), tfmt_success)
                        << tfmt_get_last_error();
                expect_bytes(l, b, wanted);
                void *handle = nullptr;
                ASSERT_EQ(tfmt_memory_get_data_handle(created, &handle), tfmt_success);
                EXPECT_EQ(handle, b.data());
            });
}

INSTANTIATE_FOR_EVERY_ISA(zero_pad_diff);

} // namespace
