// SPDX-License-Identifier: Apache-2.0
#include "cpu/generated.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include "common/normalize.hpp"
#include "common/padding_split.hpp"
#include "common/status.hpp"
#include "cpu/exec/driver.hpp"
#include "cpu/exec/parallel.hpp"
#include "cpu/exec/parameters.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/jit/code_cache.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/products_or_quotients.hpp"

namespace tfmt::cpu {

namespace {

// Each thread has its scratch on its stack: an execution allocates nothing.
template <dim_t n_bytes, typename Run>
__attribute__((noinline)) void with_scratch(dim_t begin, dim_t end, Run &&run) {
    alignas(tuning::line_bytes) char scratch[n_bytes + tuning::line_bytes];
    run(begin, end, scratch);
}

// A plan, its code, and how to run it.
class program {
public:
    explicit program(plan pl) : plan_(std::move(pl)), driver_(plan_) {
        const move_problem &p = plan_.problem;
        const dim_t dst_bits = p.moved_dst_bits();
        moved_dst_bytes_ = plan_.moved_bytes / (p.moved_src_bits() + dst_bits) * dst_bits;
    }

    const plan &the_plan() const { return plan_; }

    void append_kernels(std::vector<ir::kernel> &kernels) const {
        for (const kernel_spec &spec : plan_.kernels) {
            kernels.push_back(ir::build(plan_, spec));
            assert(ir::verify(kernels.back()).empty());
        }
    }

    // The code of append_kernels(), from `code` on. Returns what lies behind.
    const jit::kernel_code *take_code(const jit::kernel_code *code) {
        kernels_.assign(code, code + plan_.kernels.size());
        return code + plan_.kernels.size();
    }

    // How far behind the parameters' arrays the kernels may read: as far as a tile that begins at
    // their end reaches, and a vector.
    size_t parameter_slack_bytes() const {
        size_t slack = tuning::line_bytes;
        for (const tile_bit &b : plan_.the_tile.bits)
            slack += size_t(b.param_stride_bytes);
        return slack + size_t(plan_.problem.converts.row_param_bytes);
    }

    void run(const char *src, char *dst, const tfmt_threadpool_t *pool) const {
        run_on_threads(dst, pool, [&](const kernel_call &c, void *scratch) {
            kernels_[size_t(c.kernel)].run(
                    src + c.src_offset, dst + c.dst_offset, c.root_count, c.with_rest, scratch);
        });
    }

    void run(const char *src, char *dst, const tfmt_threadpool_t *pool,
            const ir::parameter_values &values) const {
        run_on_threads(dst, pool, [&](const kernel_call &c, void *scratch) {
            const auto kernel = reinterpret_cast<jit::computing_kernel_fn>(
                    reinterpret_cast<uintptr_t>(kernels_[size_t(c.kernel)].run));
            kernel(src + c.src_offset, dst + c.dst_offset, c.root_count, c.with_rest, scratch,
                    values.singles, static_cast<const char *>(values.arrays) + c.param_offset);
        });
    }

    std::string to_text() const {
        std::string text = cpu::to_text(plan_);
        for (size_t i = 0; i < kernels_.size(); i++)
            text += "kernel " + std::to_string(i) + ", " + std::to_string(kernels_[i].size_bytes)
                    + " bytes of code\n" + ir::to_text(ir::build(plan_, plan_.kernels[i]));
        return text;
    }

private:
    template <typename Call>
    void run_on_threads(char *dst, const tfmt_threadpool_t *pool, Call &&call) const {
        const auto run_calls = [&](dim_t begin, dim_t end, void *scratch) {
            driver_.run(begin, end, [&](const kernel_call &c) { call(c, scratch); });
        };
        const team threads = team_worth(plan_.moved_bytes, pool, dst, moved_dst_bytes_);
        parallel_for(threads, driver_.n_items(), [&](dim_t begin, dim_t end) {
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
    std::vector<jit::kernel_code> kernels_;
    dim_t moved_dst_bytes_; // its share of moved_bytes
};

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
        compile(m);
        make_expanders(m);
        info_ = std::string("jit:") + name_of(m.isa);
        if (m.isa < detected_isa())
            info_ += std::string(", capped below ") + name_of(detected_isa());
        const std::string &note = for_any_.the_plan().note;
        if (!note.empty()) info_ += ", " + note;
    }

    tfmt_status_t execute(const execution &e) const noexcept override {
        const program &chosen = is_aligned(e.dst) ? *for_aligned_ : for_any_;
        const char *src = static_cast<const char *>(e.src);
        char *dst = static_cast<char *>(e.dst);
        if (!normalized_.converts.steps) {
            chosen.run(src, dst, e.pool);
            return tfmt_success;
        }
        parameter_buffer parameters(spare_);
        if (!parameters.fill(problem_.quant, normalized_, expanders_, parameter_slack_bytes(), e))
            return tfmt_out_of_memory;
        chosen.run(src, dst, e.pool, parameters.values());
        return tfmt_success;
    }

    std::string explain() const override {
        std::string text = to_text(problem_) + to_text(normalized_);
        if (for_aligned_)
            text += "if dst is a multiple of "
                    + std::to_string(for_aligned_->the_plan().dst_alignment_bytes) + " bytes:\n"
                    + for_aligned_->to_text() + "else:\n";
        return text + for_any_.to_text();
    }

private:
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

    reorder_problem problem_;
    move_problem normalized_;
    parameter_expanders expanders_;
    mutable spare_memory spare_; // for decoded parameters
    program for_any_;
    std::unique_ptr<program> for_aligned_; // null where nothing is gained
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
