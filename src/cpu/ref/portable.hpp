// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/reorder_problem.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/execution.hpp"
#include "cpu/plan/segments.hpp"

// Plain C++ for every valid problem, attributes included: the safety net where there is no
// generated code, and what that is compared with. It does one run of elements at a time.
namespace tfmt::cpu::ref {

class portable {
public:
    portable(const reorder_problem &p, plan_mode mode);

    // src is ignored in plan_mode::padding_only.
    void run(const execution &e, team threads) const;

private:
    template <typename Visitor>
    void run_with(const Visitor &visitor, const team &threads) const;

    reorder_problem problem_;
    plan_mode mode_;
};

// Whether every bit of every padding element is zero.
bool is_padding_zero(const memory_desc &md, const void *data);

} // namespace tfmt::cpu::ref
