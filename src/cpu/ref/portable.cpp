// SPDX-License-Identifier: Apache-2.0
#include "cpu/ref/portable.hpp"

#include "common/data_type.hpp"
#include "cpu/exec/parallel.hpp"
#include "cpu/ref/convert.hpp"
#include "cpu/ref/nest_walk.hpp"
#include "cpu/ref/quantize.hpp"

namespace tfmt::cpu::ref {

namespace {

struct converter {
    const void *src;
    void *dst;
    data_type_t dst_type;
    convert_run_fn convert;

    void data(dim_t src_offset, dim_t src_stride, dim_t dst_offset, dim_t dst_stride, dim_t n,
            const run_place &) const {
        convert(src, src_offset, src_stride, dst, dst_offset, dst_stride, n);
    }
    void padding(dim_t dst_offset, dim_t dst_stride, dim_t n) const {
        zero_run(dst_type, dst, dst_offset, dst_stride, n);
    }
};

struct quantizer {
    const reorder_problem &problem;
    const execution &exec;
    quantize_run_fn quantize;

    void data(dim_t src_offset, dim_t src_stride, dim_t dst_offset, dim_t dst_stride, dim_t n,
            const run_place &at) const {
        quantize(problem, exec, src_offset, src_stride, dst_offset, dst_stride, n, at);
    }
    void padding(dim_t dst_offset, dim_t dst_stride, dim_t n) const {
        zero_run(problem.dst_type, exec.dst, dst_offset, dst_stride, n);
    }
};

struct padding_checker {
    const uint8_t *bytes;
    int elem_bits;
    bool is_zero = true;

    void data(dim_t, dim_t, dim_t, dim_t, dim_t, const run_place &) {}
    void padding(dim_t offset, dim_t stride, dim_t n) {
        for (dim_t i = 0; i < n && is_zero; i++)
            is_zero = is_zero_element(offset + i * stride);
    }
    bool is_zero_element(dim_t offset) const {
        if (elem_bits == 4) return (bytes[offset / 2] >> (offset % 2 * 4) & 15) == 0;
        const uint8_t *element = bytes + offset * (elem_bits / 8);
        return std::all_of(element, element + elem_bits / 8, [](uint8_t b) { return b == 0; });
    }
};

} // namespace

portable::portable(const reorder_problem &p, plan_mode mode) : problem_(p), mode_(mode) {
    order_for_walk(problem_);
}

void portable::run(const execution &e, team threads) const {
    // Two 4-bit elements of different threads may share a byte.
    if (problem_.dst_elem_bits < 8) threads.n_threads = 1;
    if (problem_.quant.is_default())
        run_with(converter {e.src, e.dst, problem_.dst_type,
                         find_convert_run(problem_.src_type, problem_.dst_type)},
                threads);
    else
        run_with(quantizer {problem_, e, find_quantize_run(problem_)}, threads);
}

template <typename Visitor>
void portable::run_with(const Visitor &visitor, const team &threads) const {
    parallel_for(threads, outermost_steps(problem_), [&](dim_t begin, dim_t end) {
        nest_walk<const Visitor>(problem_, mode_, visitor).run(begin, end);
    });
}

bool is_padding_zero(const memory_desc &md, const void *data) {
    reorder_problem p = make_padding_problem(md);
    order_for_walk(p);
    padding_checker checker {static_cast<const uint8_t *>(data), bits_of(md.data_type)};
    nest_walk<padding_checker>(p, plan_mode::padding_only, checker).run(0, outermost_steps(p));
    return checker.is_zero;
}

} // namespace tfmt::cpu::ref
