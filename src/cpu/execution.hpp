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
};

} // namespace tfmt::cpu
