// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cpu/exec/driver.hpp"
#include "cpu/execution.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/jit/code_cache.hpp"
#include "cpu/plan/plan.hpp"

// A plan, its code, and how to run it. Made in two steps, for code of several programs is made at
// once: the plan, and what is assembled of its kernels.
namespace tfmt::cpu {

class program {
public:
    explicit program(plan pl);
    ~program();
    program(const program &) = delete;
    program &operator=(const program &) = delete;

    const plan &the_plan() const { return plan_; }

    void append_kernels(std::vector<ir::kernel> &kernels) const;

    // The code of append_kernels(), from `code` on. Returns what lies behind.
    const jit::kernel_code *take_code(const jit::kernel_code *code);

    // How far behind the parameters' arrays the kernels may read: as far as a tile that begins at
    // their end reaches, and a vector.
    size_t parameter_slack_bytes() const;

    void run(const char *src, char *dst, const tfmt_threadpool_t *pool) const;
    void run(const char *src, char *dst, const tfmt_threadpool_t *pool,
            const ir::parameter_values &values) const;

    std::string to_text() const;

private:
    template <typename Call>
    void run_on_threads(char *dst, const tfmt_threadpool_t *pool, Call &&call) const;

    plan plan_;
    driver driver_;
    std::vector<jit::kernel_code> kernels_;
    dim_t moved_dst_bytes_; // its share of moved_bytes
};

} // namespace tfmt::cpu
