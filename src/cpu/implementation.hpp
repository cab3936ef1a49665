// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tensorfmt/tensorfmt.h"

// What executes a request: made once, executed any number of times by any number of threads at
// once.
namespace tfmt::cpu {

class implementation {
public:
    virtual ~implementation() = default;

    // src is ignored where only padding is written. Never throws, takes no lock, allocates nothing
    // but what waking threads takes. pool: threads to use instead of OpenMP's; null for those.
    virtual void execute(
            const void *src, void *dst, const tfmt_threadpool_t *pool) const noexcept = 0;
    void execute(const void *src, void *dst) const noexcept { execute(src, dst, nullptr); }

    // "jit:avx512_core", "ref: conversions are not generated yet", ...
    const std::string &info() const { return info_; }

    // Problem, plan and IR, as text.
    virtual std::string explain() const = 0;

protected:
    std::string info_;
};

} // namespace tfmt::cpu
