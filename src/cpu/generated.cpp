// SPDX-License-Identifier: Apache-2.0
#include "cpu/generated.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "common/normalize.hpp"
#include "common/padding_split.hpp"
#include "common/status.hpp"
#include "cpu/exec/parameters.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/jit/code_cache.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/products_or_quotients.hpp"
#include "cpu/program.hpp"
#include "cpu/programs_behind_lines.hpp"

namespace tfmt::cpu {

namespace {

class generated final : public implementation {
public:
    generated(const reorder_problem &p, const move_problem &normalized, const machine &m,
            plan for_any)
        : problem_(p), normalized_(normalized), for_any_(std::move(for_any)) {
        const plan_mode mode = for_any_.the_plan().mode;
        plan streamed;
        // Of lines that hold data as well, parts would go past the caches one by one.
        if ((mode == plan_mode::move || pads_whole_lines(p, int(tuning::line_bytes)))
                && make_streamed_plan(normalized, m, &streamed, &for_any_.the_plan(), mode))
            for_aligned_ = std::make_unique<program>(std::move(streamed));
        if (mode == plan_mode::move && exceeds_cache(normalized, m)
                && !for_any_.the_plan().claims_on)
            behind_lines_ = std::make_unique<programs_behind_lines>(normalized, m);
        compile(m);
        make_expanders(m);
        info_ = std::string("jit:") + name_of(m.isa);
        if (m.isa < detected_isa())
            info_ += std::string(", capped below ") + name_of(detected_isa());
        const std::string &note = for_any_.the_plan().note;
        if (!note.empty()) info_ += ", " + note;
    }

    tfmt_status_t execute(const execution &e) const noexcept override {
        const program &chosen = program_for(e.dst);
        if (!normalized_.converts.steps) {
            chosen.run(e);
            return tfmt_success;
        }
        return run_with_parameters(chosen, e);
    }

    std::string explain() const override {
        std::string text = to_text(problem_) + to_text(normalized_);
        if (for_aligned_)
            text += "if dst is a multiple of "
                    + std::to_string(for_aligned_->the_plan().dst_alignment_bytes) + " bytes:\n"
                    + for_aligned_->to_text() + "else:\n";
        if (behind_lines_) text += behind_lines_->to_text();
        return text + for_any_.to_text();
    }

private:
    // Not inlined: buffers on the stack are nothing for a small tensor to pay.
    [[gnu::noinline]] tfmt_status_t run_with_parameters(
            const program &chosen, const execution &e) const noexcept {
        parameter_buffer parameters(spare_);
        if (!parameters.fill(problem_.quant, normalized_, expanders_, parameter_slack_bytes(), e))
            return tfmt_out_of_memory;
        chosen.run(e, parameters.values());
        return tfmt_success;
    }

    size_t parameter_slack_bytes() const {
        const size_t any = for_any_.parameter_slack_bytes();
        return for_aligned_ ? std::max(any, for_aligned_->parameter_slack_bytes()) : any;
    }

    void compile(const machine &m) {
        std::vector<ir::kernel> kernels;
        kernels.reserve(for_any_.the_plan().kernels.size()
                + (for_aligned_ ? for_aligned_->the_plan().kernels.size() : 0));
        for_any_.append_kernels(kernels);
        if (for_aligned_) for_aligned_->append_kernels(kernels);
        const std::vector<jit::kernel_code> codes = jit::compile(kernels, m);
        const jit::kernel_code *rest = for_any_.take_code(codes.data());
        if (for_aligned_) for_aligned_->take_code(rest);
    }

    void make_expanders(const machine &m) {
        const parameter_space &space = normalized_.parameters;
        std::string why; // not asked for: there is plain code as well
        for (int i = 0; i < n_parameters; i++)
            if (normalized_.converts.steps && is_worth_expander(space, i))
                expanders_[size_t(i)] = make_generated(
                        expansion_problem(parameter_at(problem_.quant, i), space,
                                normalized_.converts.steps, i),
                        plan_mode::move, m, &why);
    }

    bool is_aligned(const void *dst) const {
        return for_aligned_
                && reinterpret_cast<uintptr_t>(dst)
                        % size_t(for_aligned_->the_plan().dst_alignment_bytes)
                == 0;
    }

    const program &program_for(const void *dst) const noexcept {
        if (is_aligned(dst)) return *for_aligned_;
        if (!behind_lines_) return for_any_;
        const uintptr_t first = reinterpret_cast<uintptr_t>(dst)
                + uintptr_t(normalized_.dst_offset_bytes);
        const program *p = behind_lines_->find(
                dim_t(first % uintptr_t(tuning::line_bytes)), for_any_.the_plan());
        return p ? *p : for_any_;
    }

    reorder_problem problem_;
    move_problem normalized_;
    parameter_expanders expanders_;
    mutable spare_memory spare_; // for decoded parameters
    program for_any_;
    std::unique_ptr<program> for_aligned_;                // null where nothing is gained
    std::unique_ptr<programs_behind_lines> behind_lines_; // null within the caches
};

new_implementation make_one(
        const reorder_problem &p, plan_mode mode, const machine &m, std::string *why) {
    // Whatever has attributes is computed in floating point numbers, which all machines compare.
    if (p.quant.is_default() && !jit::can_convert(p.src_type, p.dst_type, m, why)) return nullptr;
    move_problem move;
    plan pl;
    if (!normalize(p, &move, why) || !make_plan(move, m, mode, &pl, why)) return nullptr;
    try {
        return std::make_shared<generated>(p, move, m, std::move(pl));
    } catch (const std::bad_alloc &) { throw; } catch (const failure &f) {
        // A want of memory passes; what is made instead would stay in the cache.
        if (f.status() == tfmt_out_of_memory) throw;
        // A system that forbids generated code still gets its reorder, and reads why it is slow.
        *why = f.what();
    } catch (const std::exception &e) { *why = e.what(); }
    return nullptr;
}

} // namespace

new_implementation make_generated(
        const reorder_problem &p, plan_mode mode, const machine &m, std::string *why) {
    if (m.vector_bytes == 0) {
        *why = "no instruction set to generate code for";
        return nullptr;
    }
    new_implementation made = make_one(p, mode, m, why);
    if (!made || !m.has_slow_quotients || mode != plan_mode::move || !p.quant.dst_scales.is_set)
        return made;
    reorder_problem with_products = p;
    if (!take_products(with_products)) return made;
    std::shared_ptr<const implementation> products = make_one(with_products, mode, m, why);
    if (!products) return made;
    return std::make_shared<products_or_quotients>(
            p.quant.dst_scales, std::move(products), std::move(made));
}

} // namespace tfmt::cpu
