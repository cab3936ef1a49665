// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tfmt_bench {

// benchdnn's tags for any rank: `x` stands for the letters that the tag does not name, in order,
// and letters beyond the rank fall away with their blocks. abx and 4 dims: abcd; axb and 2: ab; xba
// and 5: cdeba; aBx16b and 3: aBc16b, and 1: a; Abcx16a and 4: Abcd16a. A tag without `x` comes
// back as it is.
std::string expand_generic_tag(const std::string &tag, int ndims);

} // namespace tfmt_bench
