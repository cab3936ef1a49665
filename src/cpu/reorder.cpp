// SPDX-License-Identifier: Apache-2.0
#include "cpu/reorder.hpp"

#include <algorithm>

#include "common/compensation.hpp"
#include "cpu/compensation.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/ref/portable.hpp"
#include "cpu/topology/cache_sizes.hpp"
#ifdef TENSORFMT_HAVE_JIT
#include "cpu/generated.hpp"
#include "cpu/jit/code_cache.hpp"
#include "cpu/padding_apart.hpp"
#endif

// The spine. A request (two descriptors, what to do, an ISA) becomes an implementation:
//   make_problem         the pair as levels of its dimensions        common/reorder_problem
//   nothing to do        zero-sized tensors
//   make_compensated     the same without compensation, then its sums  compensation
//   make_padding_apart   data and padding, each as below, where that is faster  padding_apart
//   make_generated       normalise, plan, IR, machine code, driver    generated
//   portable             plain C++, and why nothing faster            ref/portable
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

// `span_bytes` is at least what is moved, a broadcast source included.
machine host_machine(tfmt_cpu_isa_t cap, size_t span_bytes) {
    const isa_info isa = describe(cap);
    machine m;
    m.isa = isa.isa;
    m.has_two_source_permutes = isa.isa >= tfmt_cpu_isa_avx512_core;
    m.has_vbmi = isa.has_vbmi;
    m.has_bf16 = isa.has_bf16;
    m.has_fp16 = isa.has_fp16;
    m.vector_bytes = isa.max_vector_bytes;
    m.n_vector_regs = isa.n_vector_regs;
    if (isa.is_intel) {
        m.has_slow_quotients = isa.isa >= tfmt_cpu_isa_avx512_core;
        m.has_slow_bf16_dots = m.fetches_stores_late = m.streams_lines = true;
        m.streaming_share_of_cache = tuning::streaming_share_of_cache_with_claims;
        m.read_ahead_rows = tuning::read_ahead_rows_of_intel;
        m.max_written_rows = tuning::max_written_rows_of_intel;
        m.max_copied_rows = tuning::max_copied_rows_of_intel;
        m.max_padded_rows = tuning::max_padded_rows_of_intel;
        m.block_src_bytes = tuning::block_src_bytes_of_intel;
        m.paired_lines = tuning::paired_lines_of_intel;
        m.max_open_lines = m.max_open_lines_in_pages = tuning::max_open_lines_of_intel;
    } else {
        m.max_whole_dst_bytes = tuning::max_whole_dst_bytes_of_amd;
        m.staged_src_bytes = m.staged_near_src_bytes = tuning::staged_src_bytes_of_amd;
        m.staged_near_block_bytes = tuning::staged_near_block_bytes_of_amd;
        switch (m.vector_bytes) {
        case 16: m.max_open_lines_in_pages = tuning::max_open_lines_in_pages_of_amd_16_bytes; break;
        case 32:
            m.min_row_pairs_to_collect = tuning::min_row_pairs_to_collect_of_amd_32_bytes;
            break;
        case 64:
            m.min_row_pairs_to_collect = tuning::min_row_pairs_to_collect_of_amd_64_bytes;
            m.staged_whole_dst_bytes = tuning::staged_whole_dst_bytes_of_amd;
            m.staged_dst_bytes = tuning::staged_dst_bytes_of_amd;
            m.staged_block_bytes = tuning::staged_block_bytes_of_amd;
            break;
        default: break; // no JIT
        }
        if (isa.is_zen5) {
            m.min_crowding_rows = tuning::min_crowding_rows_of_zen5;
            m.min_crowding_lines = m.vector_bytes == 32
                    ? tuning::min_crowding_lines_of_zen5_32_bytes
                    : tuning::min_crowding_lines_of_zen5;
            m.collected_dst_bytes = tuning::collected_dst_bytes_of_zen5;
            m.collected_block_bytes = tuning::collected_block_bytes_of_zen5;
            m.fetches_collected = false;
            m.max_whole_dst_bytes = tuning::max_whole_dst_bytes_of_zen5;
            if (m.vector_bytes == 64) {
                m.paired_lines = tuning::paired_lines_of_zen5_64_bytes;
                m.streaming_share_of_cache = tuning::streaming_share_of_cache_of_zen5_64_bytes;
            }
            if (m.vector_bytes == 16)
                m.collected_paired_lines = tuning::collected_paired_lines_of_zen5_16_bytes;
        }
    }
    if (span_bytes <= tuning::fits_any_l2_bytes) return m;
    const cache_sizes &caches = host_cache_sizes();
    m.l2_bytes = caches.l2_bytes;
    m.l2_scratch_bytes = std::min(
            caches.l2_bytes / tuning::l2_scratch_divisor, tuning::max_l2_scratch_bytes);
    m.l3_bytes = std::min(caches.last_level_bytes(), tuning::max_last_cache_bytes);
    return m;
}

implementation_ptr try_generated(const request &r, const reorder_problem &p, std::string *why) {
    const size_t span_bytes = std::max(size_bytes(r.src), size_bytes(r.dst));
    if (span_bytes > max_generated_span_bytes) {
        *why = "a tensor spans more than 2^60 bytes";
        return nullptr;
    }
    const machine m = host_machine(r.isa, 2 * span_bytes);
    if (r.mode == plan_mode::move)
        if (implementation_ptr made = make_padding_apart(p, r.dst, m)) return made;
    return make_generated(p, r.mode, m, why);
}

#else

implementation_ptr try_generated(const request &, const reorder_problem &, std::string *why) {
    *why = "built without generated code";
    return nullptr;
}

#endif

implementation_ptr make_implementation(const request &r) {
    const reorder_problem p = make_problem(r.src, r.dst, r.attr);
    if (is_zero_sized(r.dst)) return std::make_shared<nothing>();
    if (r.dst.sums.flags != 0) {
        const memory_desc dst = without_compensation(r.dst);
        const request data_alone {r.src, dst, r.mode, r.isa, r.attr};
        return make_compensated(find_or_make(data_alone, make_implementation), r.dst, r.isa);
    }
    std::string why;
    if (implementation_ptr made = try_generated(r, p, &why)) return made;
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
    return find_or_make({src, dst, plan_mode::move, effective_isa(), attr}, make_implementation);
}

implementation_ptr find_zero_pad(const memory_desc &md) {
    if (md.sums.flags != 0) return find_zero_pad(without_compensation(md));
    check_environment();
    return find_or_make({md, md, plan_mode::padding_only, effective_isa()}, make_implementation);
}

implementation_ptr find_pad_and_compensate(const memory_desc &md) {
    if (md.sums.flags == 0) return find_zero_pad(md);
    check_environment();
    const memory_desc data = without_compensation(md);
    return find_or_make({data, md, plan_mode::padding_only, effective_isa()}, make_implementation);
}

prepared prepare(const memory_desc &src, const memory_desc &dst, const attributes &attr) {
    prepared p;
    p.code = find_reorder(src, dst, attr);
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
