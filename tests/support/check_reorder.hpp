// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "support/attributes.hpp"
#include "support/guarded_buffer.hpp"
#include "support/layout.hpp"

namespace tfmt_test {

enum class outcome { passed, failed, refused };

struct check_result {
    outcome what = outcome::passed;
    tfmt_status_t status = tfmt_success; // of the refusing call
    std::string message;                 // why it failed or was refused, else ""
    std::string impl;                    // tfmt_query_impl_info_str, "" if it never came so far
};

struct check_options {
    uint64_t seed = 1;
    placement src_placement = placement::at_end;
    placement dst_placement = placement::at_end;
    size_t src_shift_bytes = 0; // away from the guard page: buffers may have any alignment
    size_t dst_shift_bytes = 0;
    const attributes *attr = nullptr; // null: none
    bool is_measured = false;         // the fastest of several plans, all executed before
    // What the reorder is created with in place of src and dst, which then come at execution.
    const_tfmt_memory_desc_t runtime_src = nullptr;
    const_tfmt_memory_desc_t runtime_dst = nullptr;
};

// Creates and executes the reorder on random data between guard pages and compares every byte of
// the destination (elements, padding, gaps, slack) with the oracle's; the source must be unchanged,
// and the library's size of each descriptor must be the oracle's. The values of attributes lie
// between guard pages as well; where a sum reads dst, that holds random elements of its type.
check_result check_reorder(const_tfmt_memory_desc_t src, const_tfmt_memory_desc_t dst,
        const check_options &options = {});

// Fills src with data fit for the pair of types and the seed. computes: as with attributes, even
// between equal types.
void fill_src(guarded_buffer &buffer, tfmt_data_type_t src_type, tfmt_data_type_t dst_type,
        uint64_t seed, bool computes = false);

// Shrinks or grows the number of random cases: environment variable TENSORFMT_TEST_SCALE, e.g. 0.1
// under a sanitizer. At least one case is left.
int scaled(int n_cases);

// Whether case number `n` of an enumeration is to run: every case, but where tests are shrunk one
// in `every`, best a number that shares no factor with those of the loops.
bool is_sampled(uint64_t n, uint64_t every);

} // namespace tfmt_test
