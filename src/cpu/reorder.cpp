// SPDX-License-Identifier: Apache-2.0
#include "cpu/reorder.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "cpu/compensation.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/measured.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/ref/portable.hpp"
#ifdef TENSORFMT_HAVE_JIT
#include "cpu/generated.hpp"
#include "cpu/host_machine.hpp"
#include "cpu/jit/code_cache.hpp"
#include "cpu/padding_apart.hpp"
#include "cpu/plan/alternatives.hpp"
#endif

// The spine. A request (two descriptors, what to do, an ISA) becomes an implementation:
//   make_problem         the pair as levels of its dimensions        common/reorder_problem
//   nothing to do        zero-sized tensors
//   make_compensated     the same without compensation, then its sums  compensation
//   make_padding_apart   data and padding, each as below, where that is faster  padding_apart
//   make_generated       normalise, plan, IR, machine code, driver    generated
//   portable             plain C++, and why nothing faster            ref/portable
// or, where the caller has time, the fastest of several by the clock    measured
namespace tfmt::cpu {

namespace {

class nothing final : public implementation {
public:
    nothing() { info_ = "none: no elements"; }
    tfmt_status_t execute(const execution &) const noexcept override { return tfmt_success; }
    std::string explain() const override { return ""; }
};

class portable_implementation final : public implementation {
public:
    portable_implementation(
            const reorder_problem &p, plan_mode mode, dim_t moved_bytes, const std::string &why)
        : problem_(p), code_(p, mode), moved_bytes_(moved_bytes) {
        info_ = "ref: " + why;
    }
    tfmt_status_t execute(const execution &e) const noexcept override {
        const dim_t dst_bytes = moved_bytes_ / (problem_.src_elem_bits + problem_.dst_elem_bits)
                * problem_.dst_elem_bits;
        code_.run(e, team_worth(moved_bytes_, e.pool, e.dst, dst_bytes));
        return tfmt_success;
    }
    std::string explain() const override { return to_text(problem_); }

private:
    reorder_problem problem_;
    ref::portable code_;
    dim_t moved_bytes_;
};

#ifdef TENSORFMT_HAVE_JIT

// Plans step past the end of a dimension by up to a tile and count bits and lines of what they
// move; below this nothing of that overflows.
constexpr size_t max_generated_span_bytes = size_t(address_space_bytes);

size_t span_bytes(const request &r) { return std::max(size_bytes(r.src), size_bytes(r.dst)); }

// For at least what is moved, a broadcast source included.
machine machine_for(const request &r) { return host_machine(r.isa, 2 * span_bytes(r)); }

new_implementation make_for(
        const machine &m, const request &r, const reorder_problem &p, std::string *why) {
    if (r.mode == plan_mode::move)
        if (new_implementation made = make_padding_apart(p, r.dst, m)) return made;
    return make_generated(p, r.mode, m, why);
}

new_implementation try_generated(const request &r, const reorder_problem &p, std::string *why) {
    if (span_bytes(r) > max_generated_span_bytes) {
        *why = "a tensor spans more than 2^56 bytes";
        return nullptr;
    }
    return make_for(machine_for(r), r, p, why);
}

// Plans of one request that differ from all before them.
class other_plans {
public:
    other_plans(const request &r, const implementation &by_rules)
        : request_(r),
          problem_(make_problem(r.src, r.dst, r.attr)),
          is_possible_(span_bytes(r) <= max_generated_span_bytes),
          best_(machine_for(r)),
          seen_({by_rules.explain()}) {}

    // Adds those that one change makes of the best one to `all`, which holds this one.
    void add_to(std::vector<new_implementation> &all) {
        tried_.assign(1, {nullptr, best_});
        if (!is_possible_) return;
        std::string why; // not asked for: there is the best one
        add({"data and padding together", best_},
                make_generated(problem_, request_.mode, best_, &why), all);
        for (const alternative &a : alternatives_to(best_))
            add(a, make_for(a.m, request_, problem_, &why), all);
    }

    // From here on the best one is number `i` of these. Returns the change's name.
    std::string take(size_t i) {
        best_ = tried_[i].m;
        return tried_[i].name;
    }

private:
    void add(const alternative &a, new_implementation made, std::vector<new_implementation> &all) {
        if (!made) return;
        std::string plan = made->explain();
        if (std::find(seen_.begin(), seen_.end(), plan) != seen_.end()) return;
        seen_.push_back(std::move(plan));
        tried_.push_back(a);
        all.push_back(std::move(made));
    }

    const request &request_;
    const reorder_problem problem_;
    const bool is_possible_;
    machine best_;
    std::vector<std::string> seen_;
    std::vector<alternative> tried_;
};

#else

new_implementation try_generated(const request &, const reorder_problem &, std::string *why) {
    *why = "built without generated code";
    return nullptr;
}

class other_plans {
public:
    other_plans(const request &, const implementation &) {}
    void add_to(std::vector<new_implementation> &) {}
    std::string take(size_t) { return ""; }
};

#endif

implementation_ptr make_shared_implementation(const request &r);

new_implementation make_implementation(const request &r) {
    const reorder_problem p = make_problem(r.src, r.dst, r.attr);
    if (is_zero_sized(r.dst)) return std::make_shared<nothing>();
    if (r.dst.sums.flags != 0) {
        const memory_desc dst = without_compensation(r.dst);
        const request data_alone {r.src, dst, r.mode, r.isa, r.attr};
        return make_compensated(find_or_make(data_alone, make_shared_implementation), r.dst, r.isa);
    }
    std::string why;
    if (new_implementation made = try_generated(r, p, &why)) return made;
    const dim_t enough = dim_t(1) << 40; // to be worth all threads
    const dim_t moved_bytes = std::min(nelems(r.dst, true), enough)
            * (p.src_elem_bits + p.dst_elem_bits) / 8;
    return std::make_shared<portable_implementation>(p, r.mode, moved_bytes, why);
}

// Compensation is no part of where elements lie.
bool have_one_layout(const memory_desc &src, const memory_desc &dst) {
    if (src.sums.flags == 0 && dst.sums.flags == 0) return equal(src, dst);
    return equal(without_compensation(src), without_compensation(dst));
}

implementation::request_facts facts_of(const request &r) {
    implementation::request_facts f {
            r.src, r.dst, size_bytes(r.src), size_bytes(r.dst), false, nullptr};
    if (r.mode != plan_mode::move || !have_one_layout(r.src, r.dst)) return f;
    // Without attributes padding and compensation are all that is left to do when source and
    // destination are one tensor. With them every element is computed where it lies.
    f.is_in_place = !r.attr.is_default();
    if (!f.is_in_place) f.in_place = find_pad_and_compensate(r.dst);
    return f;
}

// For the cache.
implementation_ptr make_shared_implementation(const request &r) {
    const new_implementation made = make_implementation(r);
    made->set_facts(facts_of(r));
    return made;
}

// The fastest by the clock of the plan of the rules and of others: one change after the other, as
// long as one helps.
new_implementation make_fastest(const request &r, const execution &e) {
    new_implementation best = make_implementation(r);
    other_plans others(r, *best);
    std::string changes;
    double of_rules = 1;
    for (int i = 0; i < tuning::max_measured_changes; i++) {
        std::vector<new_implementation> all = {best};
        others.add_to(all);
        if (i == 0 && all.size() == 1) return best; // there is nothing to choose from
        const outcome o = fastest_of(all, e);
        if (o.fastest == 0) break;
        best = all[o.fastest];
        changes += (i > 0 ? "; " : "") + others.take(o.fastest);
        of_rules *= o.of_first;
    }
    char text[64] = ", measured: by rules";
    if (!changes.empty())
        std::snprintf(text, sizeof text, ", measured, %.2f of the time by rules: ", of_rules);
    best->add_to_info(text + changes);
    return best;
}

} // namespace

void check_environment() {
    check_max_isa_variable();
    check_num_threads_variable();
    check_cache_capacity_variable();
}

implementation_ptr find_reorder(
        const memory_desc &src, const memory_desc &dst, const attributes &attr) {
    if (src.sums.flags != 0) return find_reorder(without_compensation(src), dst, attr);
    check_environment();
    return find_or_make(
            {src, dst, plan_mode::move, effective_isa(), attr}, make_shared_implementation);
}

implementation_ptr find_fastest_reorder(const memory_desc &src, const memory_desc &dst,
        const attributes &attr, const execution &e) {
    if (src.sums.flags != 0) return find_fastest_reorder(without_compensation(src), dst, attr, e);
    check_environment();
    const request r {src, dst, plan_mode::move, effective_isa(), attr};
    const new_implementation fastest = dst.sums.flags == 0
            ? make_fastest(r, e)
            : make_compensated(
                    find_fastest_reorder(src, without_compensation(dst), attr, e), dst, r.isa);
    fastest->set_facts(facts_of(r));
    remember(r, fastest);
    return fastest;
}

implementation_ptr find_zero_pad(const memory_desc &md) {
    if (md.sums.flags != 0) return find_zero_pad(without_compensation(md));
    check_environment();
    return find_or_make(
            {md, md, plan_mode::padding_only, effective_isa()}, make_shared_implementation);
}

implementation_ptr find_pad_and_compensate(const memory_desc &md) {
    if (md.sums.flags == 0) return find_zero_pad(md);
    check_environment();
    const memory_desc data = without_compensation(md);
    return find_or_make(
            {data, md, plan_mode::padding_only, effective_isa()}, make_shared_implementation);
}

prepared prepare(const memory_desc &src, const memory_desc &dst, const attributes &attr,
        const execution *e) {
    prepared p;
    p.code = e ? find_fastest_reorder(src, dst, attr, *e) : find_reorder(src, dst, attr);
    const implementation::request_facts &facts = p.code->facts();
    p.in_place = facts.is_in_place ? p.code : facts.in_place;
    p.src_bytes = src.sums.flags == 0 ? facts.src_bytes : size_bytes(src);
    p.dst_bytes = facts.dst_bytes;
    return p;
}

void set_capacity_of_caches(int n) {
    set_cache_capacity(n);
#ifdef TENSORFMT_HAVE_JIT
    jit::set_code_capacity(n);
#endif
}

} // namespace tfmt::cpu
