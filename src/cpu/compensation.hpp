// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/memory_desc.hpp"
#include "cpu/implementation.hpp"

namespace tfmt::cpu {

// `inner`, which writes the elements and padding of `dst`, and behind it a pass over what it wrote
// that fills in the compensation of dst, with instructions up to `isa`.
new_implementation make_compensated(
        std::shared_ptr<const implementation> inner, const memory_desc &dst, tfmt_cpu_isa_t isa);

} // namespace tfmt::cpu
