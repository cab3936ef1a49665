// SPDX-License-Identifier: Apache-2.0
#include "cpu/generated.hpp"

#include <cassert>
#include <new>

#include "common/normalize.hpp"
#include "cpu/exec/driver.hpp"
#include "cpu/exec/parallel.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/jit/code_dump.hpp"
#include "cpu/jit/compile.hpp"

namespace tfmt::cpu {

namespace {

class generated final : public implementation {
public:
    generated(const reorder_problem &p, const move_problem &normalized, plan pl)
        : problem_(p), normalized_(normalized), plan_(std::move(pl)), driver_(plan_) {
        for (const kernel_spec &spec : plan_.kernels)
            add_kernel(ir::build(plan_, spec, false));
        if (plan_.may_stream)
            for (const kernel_spec &spec : plan_.kernels)
                add_kernel(ir::build(plan_, spec, true));
        info_ = std::string("jit:") + name_of(plan_.target.isa);
        if (plan_.target.isa < detected_isa())
            info_ += std::string(", capped below ") + name_of(detected_isa());
        if (!plan_.note.empty()) info_ += ", " + plan_.note;
    }

    void execute(
            const void *src, void *dst, const tfmt_threadpool_t *pool) const noexcept override {
        const char *s = static_cast<const char *>(src);
        char *d = static_cast<char *>(dst);
        const bool streams = plan_.may_stream
                && reinterpret_cast<uintptr_t>(dst) % size_t(plan_.the_tile.vector_bytes) == 0;
        const jit::kernel_fn *kernels = kernels_.data() + (streams ? plan_.kernels.size() : 0);
        const auto call = [&](const kernel_call &c) {
            kernels[c.kernel](s + c.src_offset, d + c.dst_offset, c.root_count, c.with_rest);
        };
        const team threads = team_worth(plan_.moved_bytes, pool, dst, plan_.moved_bytes / 2);
        parallel_for(threads, driver_.n_items(),
                [&](dim_t begin, dim_t end) { driver_.run(begin, end, call); });
    }

    std::string explain() const override {
        std::string text = to_text(problem_) + to_text(normalized_) + to_text(plan_);
        for (size_t i = 0; i < code_.size(); i++) {
            const size_t n = plan_.kernels.size();
            text += "kernel " + std::to_string(i % n) + ", " + std::to_string(code_[i].size_bytes())
                    + " bytes of code\n"
                    + ir::to_text(ir::build(plan_, plan_.kernels[i % n], i >= n));
        }
        return text;
    }

private:
    void add_kernel(const ir::kernel &k) {
        assert(ir::verify(k).empty());
        const std::vector<uint8_t> code = jit::assemble(k, plan_.target);
        jit::dump_code(name_of(plan_.target.isa), code.data(), code.size());
        code_.emplace_back(code.data(), code.size());
        kernels_.push_back(reinterpret_cast<jit::kernel_fn>(
                reinterpret_cast<uintptr_t>(code_.back().entry())));
    }

    reorder_problem problem_;
    move_problem normalized_;
    plan plan_;
    driver driver_;
    std::vector<jit::executable> code_; // plain kernels, then the streaming ones if there are any
    std::vector<jit::kernel_fn> kernels_;
};

} // namespace

std::shared_ptr<const implementation> make_generated(
        const reorder_problem &p, plan_mode mode, const machine &m, std::string *why) {
    if (p.src_type != p.dst_type) {
        *why = "conversions are not generated yet";
        return nullptr;
    }
    if (m.vector_bytes == 0) {
        *why = "no instruction set to generate code for";
        return nullptr;
    }
    move_problem move;
    plan pl;
    if (!normalize(p, &move, why) || !make_plan(move, m, mode, &pl, why)) return nullptr;
    try {
        return std::make_shared<generated>(p, move, std::move(pl));
    } catch (const std::bad_alloc &) { throw; } catch (const std::exception &e) {
        // A system that forbids generated code still gets its reorder, and reads why it is slow.
        *why = e.what();
        return nullptr;
    }
}

} // namespace tfmt::cpu
