// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/check_reorder.hpp"
#include "support/random_desc.hpp"
#include "tensorfmt/tensorfmt.h"

struct isa_row {
    tfmt_cpu_isa_t isa;
    const char *name;
};

// Tests with the instruction set as their parameter. Skipped, with its name, where the machine
// lacks it. One thread unless the test sets more; cap and threads are put back afterwards.
class isa_fixture : public ::testing::TestWithParam<isa_row> {
protected:
    void SetUp() override;
    void TearDown() override;

    // Checks src -> dst with buffers against both guard pages in turn; a failure tells how the
    // descriptors were made. Counts the implementations that ran.
    void check(const tfmt_test::random_desc &src, const tfmt_test::random_desc &dst, uint64_t seed,
            const tfmt_test::attributes *attr = nullptr);

    bool is_measured_ = false; // check_options::is_measured
    int n_jit_ = 0;
    int n_other_ = 0;
};

std::vector<isa_row> all_isas();

#define INSTANTIATE_FOR_EVERY_ISA(suite) \
    INSTANTIATE_TEST_SUITE_P(isa, suite, ::testing::ValuesIn(all_isas()), \
            [](const auto &info) { return std::string(info.param.name); })
