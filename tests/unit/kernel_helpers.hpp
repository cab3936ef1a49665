// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/normalize.hpp"
#include "common/reorder_problem.hpp"
#include "cpu/exec/driver.hpp"
#include "cpu/exec/parameters.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/plan/alternatives.hpp"
#include "cpu/plan/plan.hpp"
#include "cpu/plan/tuning.hpp"
#include "support/check_reorder.hpp"
#include "support/guarded_buffer.hpp"
#include "support/layout.hpp"
#include "support/oracle.hpp"
#ifdef TENSORFMT_HAVE_JIT
#include "cpu/jit/compile.hpp"
#endif

// Everything between a problem and memory, on machines of every ISA: the plan and its IR under the
// interpreter, machine code for all of them, executed where the host can.
namespace kernel_test {

using namespace tfmt;
using namespace tfmt::cpu;
using tfmt_test::guarded_buffer;
using tfmt_test::placement;

struct named_machine {
    const char *name;
    tfmt_cpu_isa_t isa;
    bool has_vbmi;
    int vector_bytes;
    int n_vector_regs;
};

const named_machine machines[] = {
        {"sse41", tfmt_cpu_isa_sse41, false, 16, 16},
        {"avx2", tfmt_cpu_isa_avx2, false, 32, 16},
        {"avx512_core", tfmt_cpu_isa_avx512_core, false, 64, 32},
        {"avx512_core_vbmi", tfmt_cpu_isa_avx512_core_vbmi, true, 64, 32},
};

// Without an L2 loops are cut into blocks; without any cache the blocks are staged, and aligned
// destinations streamed; where few rows and pages are treated well in other blocks. With all of
// them more is collected, in larger blocks, and nothing fetched; in a crowded L1 whatever can be.
// Small tensors are collected, too.
enum class caches { all, crowded, no_l2, none, none_and_few_rows };

inline machine make_machine(const named_machine &n, caches has) {
    machine m;
    m.min_collected_bytes = 0;
    const bool has_all = has <= caches::crowded;
    if (!has_all) m.l2_bytes = 0;
    if (has >= caches::none) m.l3_bytes = 0;
    if (has == caches::none_and_few_rows) {
        m.read_ahead_rows = 32;
        m.max_written_rows = m.max_copied_rows = 16;
        m.min_src_bytes_of_streamed_lines = m.vector_bytes / 2;
        m.l2_scratch_bytes = 128 << 10;
    }
    if (has == caches::none) {
        m.l3_bytes = size_t(1) << 30; // where nothing may stay
        m.streaming_share_of_cache = 0;
        m.staged_whole_dst_bytes = 2048;
        m.l2_scratch_bytes_for_lines = 128 << 10;
        m.min_src_bytes_of_streamed_lines = 8;
        m.fetched_stream_bytes = 8192;
    }
    if (has_all) {
        m.min_crowding_rows = m.min_crowding_lines = has == caches::crowded ? 1 : 5;
        m.collected_dst_bytes = 512;
        m.collected_block_bytes = 64 << 10;
        if (n.vector_bytes == 32) m.max_split_moved_bytes = 16 << 10;
    }
    if (has == caches::no_l2) { // any size is beyond L2 then
        m.fetches_stores_late = true;
        if (n.vector_bytes == 64) m.max_split_moved_bytes = 1 << 20;
    }
    if (has == caches::no_l2 || has == caches::none_and_few_rows) m.paired_lines = 2;
    m.isa = n.isa;
    m.has_vbmi = n.has_vbmi;
    m.has_bf16 = n.isa >= tfmt_cpu_isa_avx512_core_bf16;
    m.has_fp16 = n.isa >= tfmt_cpu_isa_avx512_core_fp16;
    m.vector_bytes = n.vector_bytes;
    m.n_vector_regs = n.n_vector_regs;
    return m;
}

// What one way of executing leaves in a destination, between guard pages.
class trial {
public:
    // computes: as with attributes, even between equal types. bytes_behind_line: of destinations
    // that begin within a line, in place of what the seed says.
    trial(const memory_desc &src, const memory_desc &dst, uint64_t seed, bool computes = false,
            size_t bytes_behind_line = 0)
        : dst_md_(dst),
          has_caches_(seed % 4 == 0         ? caches::all
                          : seed % 4 == 1   ? caches::crowded
                          : seed % 4 == 2   ? caches::no_l2
                          : seed % 16 == 11 ? caches::none_and_few_rows
                                            : caches::none),
          is_aligned_(seed % 8 == 3 || bytes_behind_line > 0),
          align_(is_aligned_ ? 64 : tfmt_data_type_size(dst.data_type)),
          src_(size_bytes(src), seed % 2 ? placement::at_end : placement::at_start, align_),
          expected_(size_bytes(dst), placement::at_end, align_),
          where_(seed % 3 ? placement::at_end : placement::at_start),
          shift_bytes_(where_ == placement::at_start || bytes_behind_line == 0
                          ? bytes_behind_line
                          : tuning::line_bytes - bytes_behind_line) {
        tfmt_test::fill_src(src_, src.data_type, dst.data_type, seed, computes);
    }

    template <typename Run>
    std::string differs(Run &&run) {
        guarded_buffer actual(expected_.size(), where_, align_, shift_bytes_);
        run(src_.data(), actual.data());
        if (!actual.slack_is_intact()) return "wrote outside the destination";
        return tfmt_test::compare_bytes(tfmt_test::read_layout(&dst_md_), actual.data(),
                expected_.data(), int64_t(expected_.size()));
    }

    caches has_caches() const { return has_caches_; }
    // Whether the destination may be streamed to.
    bool is_aligned() const { return is_aligned_; }
    const void *src() const { return src_.data(); }
    void *expected() const { return expected_.data(); }

private:
    const memory_desc &dst_md_;
    const caches has_caches_;
    const bool is_aligned_;
    const size_t align_;
    guarded_buffer src_;
    guarded_buffer expected_;
    placement where_;
    size_t shift_bytes_;
};

// Runs a plan with the interpreter or with machine code.
inline void run_plan(const plan &p, const std::vector<ir::kernel> &kernels, bool as_code,
        const void *src, void *dst, const ir::parameter_values &values) {
#ifdef TENSORFMT_HAVE_JIT
    std::vector<jit::executable> code;
    if (as_code)
        for (const ir::kernel &k : kernels) {
            const std::vector<uint8_t> bytes = jit::assemble(k, p.target);
            code.emplace_back(bytes.data(), bytes.size());
        }
#endif
    const char *s = static_cast<const char *>(src);
    char *d = static_cast<char *>(dst);
    const driver calls(p);
    int64_t scratch_bytes = 0;
    for (const ir::kernel &k : kernels)
        scratch_bytes = std::max(scratch_bytes, k.scratch_bytes);
    guarded_buffer scratch(scratch_bytes, placement::at_end, 64);
    int n_calls = 0;
    auto call = [&](const kernel_call &c) {
        // A call may be the first one of its thread.
        std::memset(scratch.data(), ++n_calls, size_t(scratch_bytes));
        const void *arrays = static_cast<const char *>(values.arrays) + c.param_offset;
        if (!as_code)
            ir::interpret(kernels[size_t(c.kernel)], s + c.src_offset, d + c.dst_offset,
                    c.root_count, c.with_rest, {values.singles, arrays});
#ifdef TENSORFMT_HAVE_JIT
        else
            reinterpret_cast<jit::computing_kernel_fn>(
                    reinterpret_cast<uintptr_t>(code[size_t(c.kernel)].entry()))(s + c.src_offset,
                    d + c.dst_offset, c.root_count, c.with_rest, scratch.data(), values.singles,
                    arrays); // which kernels without parameters do not look at
#endif
    };
    // A chain may be cut anywhere; the driver does so only where much is written.
    const auto call_in_parts = [&](kernel_call c) {
        const int64_t n = c.root_count, first = p.scratch.is_chained && n > 1 ? n_calls % n : 0;
        if (first > 0) {
            kernel_call part = c;
            part.root_count = first;
            part.with_rest = false;
            call(part);
            const level &root = p.problem.levels[size_t(p.n_driver_levels)];
            c.src_offset += first * root.src_stride;
            c.dst_offset += first * root.dst_stride;
            c.param_offset += first * root.param_stride_bytes;
            c.root_count -= first;
        }
        call(c);
    };
    // In two ranges, as two threads would.
    const tfmt::cpu::driver::scale shared = calls.scale_for(2);
    calls.run(shared, 0, shared.n_items / 2, call_in_parts);
    calls.run(shared, shared.n_items / 2, shared.n_items, call_in_parts);
}

// Plans and executes on a machine that need not be the host.
class kernel_fixture : public testing::TestWithParam<named_machine> {
protected:
    bool host_can_execute() const {
#ifdef TENSORFMT_HAVE_JIT
        const isa_info host = describe(GetParam().isa);
        return host.isa == GetParam().isa && (host.has_vbmi || !GetParam().has_vbmi);
#else
        return false;
#endif
    }

    // Plans and runs `p`; "" if everything left what is expected. values: those of its attributes.
    std::string check(const reorder_problem &p, plan_mode mode, trial &e, bool with_code,
            const execution &values = {}) {
        move_problem move;
        std::string why;
        if (!normalize(p, &move, &why)) {
            // 4-bit elements that are not in pairs, groups that blocks cut.
            const bool may_refuse = p.src_elem_bits == 4 || p.dst_elem_bits == 4
                    || !p.quant.is_default();
            n_refused_++;
            return may_refuse ? "" : "not normalized: " + why;
        }
        const machine m = next_machine(e.has_caches());
        plan pl;
        if (!make_plan(move, m, mode, &pl, &why)) return "not planned: " + why;
        spare_memory spare;
        parameter_buffer parameters(spare);
        if (move.converts.steps
                && !parameters.fill(p.quant, move, {}, parameter_slack_bytes, values))
            return "no memory";
        std::string wrong = check_plan(pl, e, with_code, parameters.values());
        const bool may_stream = mode == plan_mode::move && e.is_aligned();
        const plan for_any = pl;
        if (wrong.empty() && may_stream && make_streamed_plan(move, m, &pl, &for_any)
                && goes_in_lanes(pl.stores))
            wrong = check_plan(pl, e, with_code, parameters.values());
        if (wrong.empty() && may_stream && make_streamed_plan(move, m, &pl))
            wrong = check_plan(pl, e, with_code, parameters.values());
        return wrong.empty() ? "" : wrong + "\n" + to_text(p) + to_text(move) + to_text(pl);
    }

    std::string check_plan(
            const plan &pl, trial &e, bool with_code, const ir::parameter_values &values) {
        n_planned_++;
        n_converting_ += bool(pl.problem.converts);
        n_streamed_ += pl.stores == store_path::streamed;
        n_staged_ += pl.stores == store_path::staged;
        n_staged_in_long_rows_ += pl.stores == store_path::staged
                && pl.prefetch_bytes == tuning::long_rows_fetched_bytes;
        n_collected_ += pl.stores == store_path::collected;
        n_collected_in_lanes_ += pl.stores == store_path::collected_in_lanes;
        n_staged_in_lanes_ += pl.stores == store_path::staged_in_lanes;
        n_chained_ += pl.scratch.is_chained;
        n_packed_ += is_src_packed(pl.the_tile, pl.the_tile.src_run)
                || is_dst_packed(pl.the_tile, pl.the_tile.dst_run);
        std::vector<ir::kernel> kernels;
        for (const kernel_spec &spec : pl.kernels) {
            kernels.push_back(ir::build(pl, spec));
            const std::string malformed = ir::verify(kernels.back());
            if (!malformed.empty()) return "malformed IR: " + malformed;
        }
#ifdef TENSORFMT_HAVE_JIT
        const conversion &c = pl.problem.converts;
        std::string why;
        const bool has_code = !c || jit::can_convert(c.src_type, c.dst_type, pl.target, &why);
        for (const ir::kernel &k : kernels)
            if (has_code) jit::assemble(k, pl.target);
        with_code = with_code && has_code;
#endif
        for (bool as_code : {false, true}) {
            if (as_code && !with_code) continue;
            const std::string wrong = e.differs(
                    [&](const void *s, void *d) { run_plan(pl, kernels, as_code, s, d, values); });
            if (!wrong.empty()) return (as_code ? "machine code: " : "interpreter: ") + wrong;
        }
        return "";
    }

    // One of these and of its alternatives, if these are wanted, in turns.
    machine next_machine(caches has) {
        const machine m = make_machine(GetParam(), has);
        if (!wants_alternatives_) return m;
        const std::vector<alternative> others = alternatives_to(m);
        return others[next_alternative_++ % others.size()].m;
    }

    // More than any tile here reaches.
    static constexpr size_t parameter_slack_bytes = 1 << 20;

    bool wants_alternatives_ = false;
    size_t next_alternative_ = 0;
    int n_refused_ = 0;
    int n_planned_ = 0;
    int n_converting_ = 0;
    int n_streamed_ = 0;
    int n_staged_ = 0;
    int n_staged_in_long_rows_ = 0;
    int n_collected_ = 0;
    int n_collected_in_lanes_ = 0;
    int n_staged_in_lanes_ = 0;
    int n_chained_ = 0;
    int n_packed_ = 0;
};

inline std::string test_name_of(const testing::TestParamInfo<named_machine> &info) {
    return info.param.name;
}

} // namespace kernel_test
