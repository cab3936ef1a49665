// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/ir/ir.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/jit/compile.hpp"
#include "cpu/jit/executable.hpp"
#include "tests/unit/plan_helpers.hpp"

// Machine code of kernels made by hand, on the machines that the host is one of.
namespace plan_test {

inline bool host_is(const machine &m) {
    const tfmt::cpu::isa_info host = tfmt::cpu::describe(m.isa);
    return host.isa == m.isa && (host.has_vbmi || !m.has_vbmi);
}

inline std::string test_name_of(const testing::TestParamInfo<machine> &info) {
    return std::to_string(info.param.vector_bytes) + "_bytes"
            + (info.param.has_vbmi ? "_with_vbmi" : "");
}

class machine_code {
public:
    machine_code(const tfmt::cpu::ir::kernel &k, const machine &m) {
        const std::vector<uint8_t> code = tfmt::cpu::jit::assemble(k, m);
        code_ = tfmt::cpu::jit::executable(code.data(), code.size());
    }

    tfmt::cpu::jit::kernel_fn function() const {
        return reinterpret_cast<tfmt::cpu::jit::kernel_fn>(
                reinterpret_cast<uintptr_t>(code_.entry()));
    }

    void operator()(const void *src, void *dst, int64_t root_count, bool with_rest) const {
        function()(src, dst, root_count, with_rest, nullptr);
    }

private:
    tfmt::cpu::jit::executable code_;
};

} // namespace plan_test
