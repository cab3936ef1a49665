// SPDX-License-Identifier: Apache-2.0
// Stands in for onednn.cpp where oneDNN was not found.
#include "bench/onednn.hpp"

namespace tfmt_bench {

std::unique_ptr<onednn_reorder> make_onednn_reorder(const tfmt_test::layout &,
        const tfmt_test::layout &, const tfmt_test::attributes &, const std::vector<buffer_pair> &,
        int) {
    return nullptr;
}

std::string onednn_version() { return ""; }

} // namespace tfmt_bench
