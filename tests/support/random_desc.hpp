// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "support/layout.hpp"
#include "support/random_data.hpp"

namespace tfmt_test {

// A descriptor and how it was made, so that a failing case can be typed in again.
struct random_desc {
    desc_ptr md;
    std::string recipe;
};

// Shapes: 1 to 12 dims, mostly 2 to 5; sizes are 1s, primes, powers of two and their neighbours,
// now and then 0. At most max_elements elements, and few enough to leave room for the padding of
// blocks.
dims random_dims(random_source &random, int64_t max_elements, bool allow_zero = true);

// A random tag in canonical letters: plain permutations, one block, two blocks, VNNI-like triples,
// blocks that divide no other (48, 24, 12, 7).
std::string random_tag(random_source &random, int ndims);

// Descriptors over `logical` whose span is at most max_bytes (a dense plain one if all tries were
// larger): tags, strides with gaps, blocks with gaps, sub-memories. Sources may broadcast (stride
// 0). Throws std::runtime_error, with the recipe, if the library refuses one.
enum class role { src, dst };
random_desc make_random_desc(random_source &random, const dims &logical, tfmt_data_type_t type,
        role as, int64_t max_bytes);

desc_ptr make_with_tag(const dims &logical, tfmt_data_type_t type, const std::string &tag);
// The same with its recipe.
random_desc tagged(const dims &logical, tfmt_data_type_t type, const std::string &tag);
desc_ptr make_with_strides(const dims &logical, tfmt_data_type_t type, const dims &strides);

} // namespace tfmt_test
