// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/exec/driver.hpp"
#include "cpu/exec/parallel.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/execution.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/jit/code_cache.hpp"
#include "cpu/plan/plan.hpp"
#include "cpu/plan/tuning.hpp"

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

    void run(const execution &e) const {
        const auto src = static_cast<const char *>(e.src);
        const auto dst = static_cast<char *>(e.dst);
        const auto call = [&](const kernel_call &c, void *scratch) {
            kernels_[size_t(c.kernel)].run(
                    src + c.src_offset, dst + c.dst_offset, c.root_count, c.with_rest, scratch);
        };
        if (only_call_) return call(*only_call_, nullptr);
        run_on_threads(e, call);
    }
    void run(const execution &e, const ir::parameter_values &values) const;

    std::string to_text() const;

private:
    // Each thread has its scratch on its stack: an execution allocates nothing. It begins at the
    // place of a page where the first kernel does, whose tables come first: loads from them wait
    // for stores to such a place of another page until these are done, and that are soonest those
    // to the beginning of the scratch (tuning::piece_block_bytes_of_zen4).
    template <dim_t n_bytes, typename Run>
    __attribute__((noinline)) void with_scratch(dim_t begin, dim_t end, Run &&run) const {
        alignas(tuning::line_bytes) char room[n_bytes + tuning::line_bytes + tuning::page_bytes];
        const auto distance = reinterpret_cast<uintptr_t>(kernels_[0].run)
                - reinterpret_cast<uintptr_t>(&room[0]);
        run(begin, end, room + distance % size_t(tuning::page_bytes));
    }

    template <typename Call>
    [[gnu::noinline]] void run_on_threads(const execution &e, Call &&call) const {
        const team threads = team_worth(std::max<int64_t>(plan_.touched_bytes, e.whole_bytes),
                e.pool, e.dst, moved_dst_bytes_);
        const driver::scale shared = driver_.scale_for(threads.n_threads);
        const auto run_calls = [&](dim_t begin, dim_t end, void *scratch) {
            driver_.run(shared, begin, end, [&](const kernel_call &c) { call(c, scratch); });
        };
        parallel_for(threads, shared.n_items, [&](dim_t begin, dim_t end) {
            if (!plan_.scratch)
                run_calls(begin, end, nullptr);
            else if (plan_.scratch.scratch_bytes <= tuning::usual_scratch_bytes)
                with_scratch<tuning::usual_scratch_bytes>(begin, end, run_calls);
            else
                with_scratch<tuning::max_scratch_bytes>(begin, end, run_calls);
        });
    }

    plan plan_;
    driver driver_;
    // Of what one thread moves without a scratch. It spares small tensors the driver, which took
    // half of all that executing 64 bytes takes (66 ns, so 32, on Cascade Lake).
    std::optional<kernel_call> only_call_;
    std::vector<jit::kernel_code> kernels_;
    dim_t moved_dst_bytes_; // its share of moved_bytes
};

} // namespace tfmt::cpu
