// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "common/normalize.hpp"
#include "cpu/execution.hpp"
#include "cpu/implementation.hpp"
#include "cpu/ir/ir.hpp"

// The values of a reorder's parameters as its kernels take them: decoded, laid out over the
// parameter space. In: the caller's arrays. Out: pointers for the kernels.
namespace tfmt::cpu {

// What decodes and spreads the arrays of large parameters: reorders of their own, so that they take
// no longer than their bytes do. Null where plain code does it.
using parameter_expanders = std::array<std::shared_ptr<const implementation>, n_parameters>;

// Whether the values of parameter `i` are worth such a reorder, and which it is.
bool is_worth_expander(const parameter_space &space, int i);
reorder_problem expansion_problem(
        const parameter &p, const parameter_space &space, const arithmetic &steps, int i);

// Memory that the executions of one reorder leave to the next one: fresh memory costs a page fault
// for every 4 KiB, which took as long as the reorder itself. An execution that finds none, since
// another has it, allocates its own.
class spare_memory {
public:
    spare_memory() = default;
    ~spare_memory();
    spare_memory(const spare_memory &) = delete;
    spare_memory &operator=(const spare_memory &) = delete;

    char *take(size_t n_bytes); // always the same number; null if there is none
    void give_back(char *p);

private:
    std::atomic<char *> spare_ {nullptr};
};

// Lives as long as one execution, on its stack; what does not fit there is of `spare`.
class parameter_buffer {
public:
    explicit parameter_buffer(spare_memory &spare) : spare_(spare) {}
    ~parameter_buffer();
    parameter_buffer(const parameter_buffer &) = delete;
    parameter_buffer &operator=(const parameter_buffer &) = delete;

    // False if there is no memory. `slack_bytes`: how far behind the arrays kernels may read; the
    // same at each execution.
    bool fill(const quantization &q, const move_problem &p, const parameter_expanders &expanders,
            size_t slack_bytes, const execution &e);

    ir::parameter_values values() const {
        return {bytes_, bytes_ + n_parameters * ir::single_bytes};
    }

private:
    static constexpr size_t inline_bytes = 4096;

    spare_memory &spare_;
    alignas(64) char inline_[inline_bytes];
    char *bytes_ = inline_;
};

} // namespace tfmt::cpu
