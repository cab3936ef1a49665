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
        std::vector<uint8_t> code;
        std::vector<ir::kernel> kernels;
        for (const kernel_spec &spec : plan_.kernels)
            kernels.push_back(ir::build(plan_, spec, false));
        for (const ir::kernel &k : kernels)
            assemble(k, &code);
        if (plan_.may_stream)
            for (ir::kernel &k : kernels) {
                k.is_streaming = true;
                assemble(k, &code);
            }
        load(code);
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
        for (size_t i = 0; i < kernels_.size(); i++) {
            const size_t n = plan_.kernels.size();
            text += "kernel " + std::to_string(i % n) + ", " + std::to_string(code_size_bytes_[i])
                    + " bytes of code\n"
                    + ir::to_text(ir::build(plan_, plan_.kernels[i % n], i >= n));
        }
        return text;
    }

private:
    // Appends the code of `k` to that of the kernels before.
    void assemble(const ir::kernel &k, std::vector<uint8_t> *all) {
        assert(ir::verify(k).empty());
        const std::vector<uint8_t> code = jit::assemble(k, plan_.target);
        jit::dump_code(name_of(plan_.target.isa), code.data(), code.size());
        all->resize((all->size() + jit::code_alignment_bytes - 1) / jit::code_alignment_bytes
                * jit::code_alignment_bytes);
        code_offset_bytes_.push_back(all->size());
        code_size_bytes_.push_back(code.size());
        all->insert(all->end(), code.begin(), code.end());
    }

    // One mapping for all kernels: each takes as long as a small kernel takes to be made.
    void load(const std::vector<uint8_t> &code) {
        code_ = jit::executable(code.data(), code.size());
        for (size_t offset_bytes : code_offset_bytes_)
            kernels_.push_back(reinterpret_cast<jit::kernel_fn>(
                    reinterpret_cast<uintptr_t>(code_.entry()) + offset_bytes));
    }

    reorder_problem problem_;
    move_problem normalized_;
    plan plan_;
    driver driver_;
    jit::executable code_; // of all kernels: plain ones, then the streaming ones if there are any
    std::vector<size_t> code_offset_bytes_;
    std::vector<size_t> code_size_bytes_;
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
