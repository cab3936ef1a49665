// SPDX-License-Identifier: Apache-2.0
#include "cpu/reorder.hpp"

#include "cpu/exec/threads.hpp"
#include "cpu/isa/environment.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/ref/portable.hpp"
#include "cpu/topology/topology.hpp"
#ifdef TENSORFMT_HAVE_JIT
#include "cpu/jit/generated.hpp"
#endif

// The spine. A request (two descriptors, what to do, an ISA) becomes an implementation:
//   make_problem         the pair as levels of its dimensions        common/reorder_problem
//   nothing to do        zero-sized tensors
//   jit::make_generated  normalise, plan, IR, machine code            jit/generated
//   portable             plain C++, and why nothing faster            ref/portable
namespace tfmt::cpu {

namespace {

class nothing final : public implementation {
public:
    nothing() { info_ = "none: no elements"; }
    void execute(const void *, void *) const noexcept override {}
    std::string explain() const override { return info_ + "\n"; }
};

class portable_implementation final : public implementation {
public:
    portable_implementation(const reorder_problem &p, plan_mode mode, const std::string &why)
        : problem_(p), code_(p, mode) {
        info_ = "ref: " + why;
    }
    void execute(const void *src, void *dst) const noexcept override {
        code_.run(src, dst, num_threads());
    }
    std::string explain() const override { return info_ + "\n" + to_text(problem_); }

private:
    reorder_problem problem_;
    ref::portable code_;
};

#ifdef TENSORFMT_HAVE_JIT

// Reading the topology takes milliseconds, once. Tensors that fit any L2 have the same plan on
// every machine and do not wait for it.
constexpr size_t fits_any_l2_bytes = 256 << 10;

machine host_machine(tfmt_cpu_isa_t cap, size_t moved_bytes) {
    const isa_info isa = describe(cap);
    machine m;
    m.isa = isa.isa;
    m.has_vbmi = isa.has_vbmi;
    m.vector_bytes = isa.max_vector_bytes;
    m.n_vector_regs = isa.n_vector_regs;
    if (moved_bytes <= fits_any_l2_bytes) return m;
    const topology &host = host_topology();
    m.l2_bytes = host.l2_bytes;
    m.l3_bytes = host.last_level_bytes();
    return m;
}

implementation_ptr make_generated(const request &r, const reorder_problem &p, std::string *why) {
    const machine m = host_machine(r.isa, size_bytes(r.src) + size_bytes(r.dst));
    return jit::make_generated(p, r.mode, m, why);
}

#else

implementation_ptr make_generated(const request &, const reorder_problem &, std::string *why) {
    *why = "built without generated code";
    return nullptr;
}

#endif

implementation_ptr make_implementation(const request &r) {
    const reorder_problem p = make_problem(r.src, r.dst);
    if (is_zero_sized(r.dst)) return std::make_shared<nothing>();
    std::string why;
    if (implementation_ptr made = make_generated(r, p, &why)) return made;
    return std::make_shared<portable_implementation>(p, r.mode, why);
}

} // namespace

implementation_ptr find_reorder(const memory_desc &src, const memory_desc &dst) {
    check_environment();
    return find_or_make({src, dst, plan_mode::move, effective_isa()}, make_implementation);
}

implementation_ptr find_zero_pad(const memory_desc &md) {
    check_environment();
    return find_or_make({md, md, plan_mode::padding_only, effective_isa()}, make_implementation);
}

} // namespace tfmt::cpu
