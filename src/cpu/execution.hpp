// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensorfmt/tensorfmt.h"

// What one execution of an implementation is given.
namespace tfmt::cpu {

struct execution {
    const void *src;
    void *dst;
    // Values of the attributes: not null where the problem asks for them, else ignored.
    const void *src_scales = nullptr;
    const void *dst_scales = nullptr;
    const void *src_zero_points = nullptr;
    const void *dst_zero_points = nullptr;
    const tfmt_threadpool_t *pool = nullptr; // threads to use instead of OpenMP's; null for those
    // Source + destination of the whole of which this is one pass: the passes share what they write
    // or none does. 0: this is the whole.
    int64_t whole_bytes = 0;
};

} // namespace tfmt::cpu
