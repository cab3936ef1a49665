// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime_reorder.hpp"

#include <memory>

#include "common/compensation.hpp"
#include "common/runtime_desc.hpp"
#include "common/status.hpp"
#include "common/to_string.hpp"
#include "cpu/implementation.hpp"

namespace tfmt::cpu {

namespace {

constexpr const char *no_shape_yet = "runtime dims: no shape was executed yet";

// The caller's descriptor, or the reorder's own if that has nothing left to say.
const memory_desc &actual_of(
        const memory_desc *given, const memory_desc &described, const char *argument) {
    if (given) return *given;
    if (has_runtime_dims(described))
        fail_invalid(std::string(argument)
                + " is null, wanted the actual descriptor: the reorder "
                  "was created with "
                + to_string(described));
    return described;
}

} // namespace

runtime_reorder::runtime_reorder(const memory_desc &src, const memory_desc &dst,
        const attributes &attr, const compensation &sums)
    : src_(src), dst_(dst), attr_(attr), sums_(dst.sums.flags != 0 ? dst.sums : sums) {
    check_environment();
    require_families_agree(src, dst, attr);
    require_can_have_compensation(dst, sums_);
}

runtime_reorder::~runtime_reorder() {
    for (const std::atomic<const shape *> &s : shapes_)
        delete s.load(std::memory_order_acquire);
}

const prepared &runtime_reorder::find(
        const memory_desc *given_src, const memory_desc *given_dst, prepared *unremembered) const {
    const memory_desc &src = actual_of(given_src, src_, "args->src_md");
    const memory_desc &dst = actual_of(given_dst, dst_, "args->dst_md");
    if (const prepared *known = recall(src, dst)) return *known;
    require_member(src, src_, "args->src_md");
    require_member(dst, dst_, "args->dst_md");
    if (dst.sums.flags != 0 && !equal(dst.sums, sums_))
        fail_invalid("args->dst_md has compensation that the reorder was not created with");
    *unremembered = prepare(src, with_asked_compensation(dst, sums_), attr_);
    const prepared *remembered = remember(src, dst, *unremembered);
    return remembered ? *remembered : *unremembered;
}

const prepared *runtime_reorder::recall(
        const memory_desc &src, const memory_desc &dst) const noexcept {
    for (const std::atomic<const shape *> &slot : shapes_) {
        const shape *s = slot.load(std::memory_order_acquire);
        if (!s) return nullptr;
        if (equal(s->src, src) && equal(s->dst, dst)) return &s->what;
    }
    return nullptr;
}

// Null if there is no room. Of threads that bring the same shape at once the first one stays.
const prepared *runtime_reorder::remember(
        const memory_desc &src, const memory_desc &dst, prepared &what) const {
    if (shapes_.back().load(std::memory_order_relaxed)) return nullptr;
    auto made = std::make_unique<const shape>(shape {src, dst, what});
    for (std::atomic<const shape *> &slot : shapes_) {
        const shape *there = nullptr;
        if (slot.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel))
            return &made.release()->what;
        if (equal(there->src, src) && equal(there->dst, dst)) return &there->what;
    }
    return nullptr;
}

const runtime_reorder::shape *runtime_reorder::newest() const noexcept {
    const shape *last = nullptr;
    for (const std::atomic<const shape *> &slot : shapes_)
        if (const shape *s = slot.load(std::memory_order_acquire)) last = s;
    return last;
}

const char *runtime_reorder::info() const {
    const shape *s = newest();
    return s ? s->what.code->info().c_str() : no_shape_yet;
}

std::string runtime_reorder::explain() const {
    const std::string families = "runtime dims: " + to_string(src_) + " -> " + to_string(dst_)
            + "\n";
    const shape *s = newest();
    if (!s) return families + no_shape_yet + "\n";
    return families + "last shape remembered: " + to_string(s->src) + " -> " + to_string(s->dst)
            + "\n" + s->what.code->info() + "\n" + s->what.code->explain();
}

} // namespace tfmt::cpu
