// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/buffers.hpp"
#include "support/attributes.hpp"
#include "support/layout.hpp"

namespace tfmt_bench {

// oneDNN's reorder of the same layouts on the same buffers, as a yardstick.
class onednn_reorder {
public:
    virtual ~onednn_reorder() = default;
    virtual void execute(size_t buffer) = 0; // an index into the buffers it was made with
    virtual std::string impl() const = 0;    // oneDNN's name of what runs, "jit:uni", "ref:any"
};

// Null where oneDNN cannot do the case (a data type or an attribute that it lacks, an error of its
// own) or was not found when tensorfmt-bench was built. Version 2 has scales of one side, of f32
// and without groups, one zero point a side, and a sum.
std::unique_ptr<onednn_reorder> make_onednn_reorder(const tfmt_test::layout &src,
        const tfmt_test::layout &dst, const tfmt_test::attributes &attr,
        const std::vector<buffer_pair> &buffers, int n_threads);

std::string onednn_version(); // "2.6.3", "" without oneDNN

} // namespace tfmt_bench
