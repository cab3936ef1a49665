// SPDX-License-Identifier: Apache-2.0
// Reorders by measured plans, each of which has been executed before between the same guard pages.
#include "diff/isa_fixture.hpp"
#include "support/attributes.hpp"

using namespace tfmt_test;

namespace {

class measured_diff : public isa_fixture {
protected:
    void SetUp() override {
        isa_fixture::SetUp();
        is_measured_ = true;
    }
};

TEST_P(measured_diff, moves) {
    uint64_t seed = 500000;
    for (tfmt_data_type_t type : {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64})
        for (int i = 0; i < scaled(30) && !HasFailure(); ++i) {
            random_source random(++seed);
            const int64_t max_bytes = i % 10 ? 128 << 10 : 2 << 20;
            const dims shape = random_dims(random, max_bytes / 8);
            check(make_random_desc(random, shape, type, role::src, max_bytes),
                    make_random_desc(random, shape, type, role::dst, max_bytes), seed);
        }
}

TEST_P(measured_diff, conversions_with_attributes_on_two_threads) {
    ASSERT_EQ(tfmt_set_num_threads(2), tfmt_success);
    const std::vector<tfmt_data_type_t> types = {tfmt_f32, tfmt_bf16, tfmt_s8, tfmt_s32};
    uint64_t seed = 600000;
    for (tfmt_data_type_t src_type : types)
        for (tfmt_data_type_t dst_type : types)
            for (int i = 0; i < scaled(4) && !HasFailure(); ++i) {
                random_source random(++seed);
                const dims shape = random_dims(random, i % 4 ? 4000 : 400000);
                const attributes attr = random_attributes(random, shape);
                check(make_random_desc(random, shape, src_type, role::src, 4 << 20),
                        make_random_desc(random, shape, dst_type, role::dst, 4 << 20), seed,
                        i % 2 ? &attr : nullptr);
            }
}

INSTANTIATE_FOR_EVERY_ISA(measured_diff);

} // namespace
