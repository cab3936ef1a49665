// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/normalize.hpp"
#include "cpu/execution.hpp"
#include "cpu/ir/ir.hpp"

// The values of a reorder's parameters as its kernels take them: decoded, laid out over the
// parameter space. In: the caller's arrays. Out: pointers for the kernels. Lives as long as one
// execution, on its stack; what does not fit there is allocated.
namespace tfmt::cpu {

class parameter_buffer {
public:
    parameter_buffer() = default;
    ~parameter_buffer();
    parameter_buffer(const parameter_buffer &) = delete;
    parameter_buffer &operator=(const parameter_buffer &) = delete;

    // False if there is no memory. `slack_bytes`: how far behind the arrays kernels may read.
    bool fill(const quantization &q, const parameter_space &space, size_t slack_bytes,
            const execution &e);

    ir::parameter_values values() const {
        return {bytes_, bytes_ + n_parameters * ir::single_bytes};
    }

private:
    static constexpr size_t inline_bytes = 4096;

    alignas(64) char inline_[inline_bytes];
    char *bytes_ = inline_;
};

} // namespace tfmt::cpu
