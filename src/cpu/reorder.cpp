// SPDX-License-Identifier: Apache-2.0
#include "cpu/reorder.hpp"

#include <algorithm>

#include "common/compensation.hpp"
#include "cpu/compensation.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/measured.hpp"
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

// Plans step past the end of a dimension by up to a tile; below this no such offset overflows.
constexpr size_t max_generated_span_bytes = size_t(1) << 60;

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
        *why = "a tensor spans more than 2^60 bytes";
        return nullptr;
    }
    return make_for(machine_for(r), r, p, why);
}

// Other ways than the first of `all` to do the same.
void add_alternatives(const request &r, std::vector<contestant> &all) {
    if (span_bytes(r) > max_generated_span_bytes) return;
    const reorder_problem p = make_problem(r.src, r.dst, r.attr);
    std::vector<std::string> plans = {all[0].code->explain()};
    const auto add = [&](const char *name, new_implementation code) {
        if (!code) return;
        std::string plan = code->explain();
        if (std::find(plans.begin(), plans.end(), plan) != plans.end()) return;
        plans.push_back(std::move(plan));
        all.push_back({name, std::move(code)});
    };
    const machine m = machine_for(r);
    std::string why; // not asked for: there is the first one
    add("data and padding together", make_generated(p, r.mode, m, &why));
    for (const alternative &a : alternatives_to(m))
        add(a.name, make_for(a.m, r, p, &why));
}

#else

new_implementation try_generated(const request &, const reorder_problem &, std::string *why) {
    *why = "built without generated code";
    return nullptr;
}

void add_alternatives(const request &, std::vector<contestant> &) {}

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

// For the cache.
implementation_ptr make_shared_implementation(const request &r) { return make_implementation(r); }

// Compensation is no part of where elements lie.
bool have_one_layout(const memory_desc &src, const memory_desc &dst) {
    if (src.sums.flags == 0 && dst.sums.flags == 0) return equal(src, dst);
    return equal(without_compensation(src), without_compensation(dst));
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
    implementation_ptr fastest;
    if (dst.sums.flags != 0) {
        fastest = make_compensated(
                find_fastest_reorder(src, without_compensation(dst), attr, e), dst, r.isa);
    } else {
        std::vector<contestant> all = {{"by rules", make_implementation(r)}};
        add_alternatives(r, all);
        fastest = fastest_of(all, e);
    }
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
    // Without attributes padding and compensation are all that is left to do when source and
    // destination are one tensor. With them every element is computed where it lies.
    if (have_one_layout(src, dst))
        p.in_place = attr.is_default() ? find_pad_and_compensate(dst) : p.code;
    p.src_bytes = size_bytes(src);
    p.dst_bytes = size_bytes(dst);
    return p;
}

void set_capacity_of_caches(int n) {
    set_cache_capacity(n);
#ifdef TENSORFMT_HAVE_JIT
    jit::set_code_capacity(n);
#endif
}

} // namespace tfmt::cpu
