// SPDX-License-Identifier: Apache-2.0
#include "cpu/program.hpp"

#include <cassert>
#include <utility>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

program::program(plan pl) : plan_(std::move(pl)), driver_(plan_) {
    const move_problem &p = plan_.problem;
    const dim_t dst_bits = p.moved_dst_bits();
    moved_dst_bytes_ = plan_.moved_bytes / (p.moved_src_bits() + dst_bits) * dst_bits;
    if (!plan_.scratch && !is_worth_sharing(plan_.touched_bytes)) only_call_ = driver_.only_call();
}

program::~program() = default;

void program::append_kernels(std::vector<ir::kernel> &kernels) const {
    for (const kernel_spec &spec : plan_.kernels) {
        kernels.push_back(ir::build(plan_, spec));
        assert(ir::verify(kernels.back()).empty());
    }
}

const jit::kernel_code *program::take_code(const jit::kernel_code *code) {
    kernels_.assign(code, code + plan_.kernels.size());
    return code + plan_.kernels.size();
}

size_t program::parameter_slack_bytes() const {
    size_t slack = tuning::line_bytes;
    for (const tile_bit &b : plan_.the_tile.bits)
        slack += size_t(b.param_stride_bytes);
    return slack + size_t(plan_.problem.converts.row_param_bytes);
}

void program::run(const execution &e, const ir::parameter_values &values) const {
    const auto src = static_cast<const char *>(e.src);
    const auto dst = static_cast<char *>(e.dst);
    const auto call = [&](const kernel_call &c, void *scratch) {
        const auto kernel = reinterpret_cast<jit::computing_kernel_fn>(
                reinterpret_cast<uintptr_t>(kernels_[size_t(c.kernel)].run));
        kernel(src + c.src_offset, dst + c.dst_offset, c.root_count, c.with_rest, scratch,
                values.singles, static_cast<const char *>(values.arrays) + c.param_offset);
    };
    if (only_call_) return call(*only_call_, nullptr);
    run_on_threads(e, call);
}

std::string program::to_text() const {
    std::string text = cpu::to_text(plan_);
    for (size_t i = 0; i < kernels_.size(); i++)
        text += "kernel " + std::to_string(i) + ", " + std::to_string(kernels_[i].size_bytes)
                + " bytes of code\n" + ir::to_text(ir::build(plan_, plan_.kernels[i]));
    return text;
}

} // namespace tfmt::cpu
