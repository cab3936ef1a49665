// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
// As in convert.cpp. Contraction is off for the whole library: no operation here may be fused.
#pragma GCC optimize("no-trapping-math")
#endif

#include "cpu/ref/quantize.hpp"

#include <algorithm>

#include "cpu/ref/codecs.hpp"
#include "cpu/ref/convert_runs.hpp"

namespace tfmt::cpu::ref {
namespace {

// The values of a parameter that a chunk of elements uses: one for all, or one for each.
template <typename Carrier>
struct operand {
    const Carrier *values; // null where there is one
    Carrier one;
};

// A parameter along one run.
template <typename Carrier>
class parameter_run {
public:
    // Of a parameter that is not set nothing is asked.
    parameter_run(const parameter &p, const void *values, int ndims, const run_place &at)
        : values_(values) {
        if (!p.is_set) return;
        decode_ = codec_of<Carrier>(p.type).decode;
        for (int d = 0; d < ndims; d++)
            if (p.stride[d] != 0 && d != at.dim) base_ += at.index[d] / p.group[d] * p.stride[d];
        first_index_ = at.index[at.dim];
        group_ = p.group[at.dim];
        stride_ = p.stride[at.dim];
    }

    bool is_set() const { return decode_ != nullptr; }

    // What elements done .. done + count - 1 of the run use; `room` for `count` values.
    operand<Carrier> at(dim_t done, dim_t count, Carrier *room) const {
        const dim_t begin = first_index_ + done, end = begin + count;
        const dim_t first = begin / group_, last = (end - 1) / group_;
        if (stride_ == 0 || first == last) {
            Carrier one;
            decode_(values_, base_ + first * stride_, 0, &one, 1);
            return {nullptr, one};
        }
        decode_(values_, base_ + first * stride_, stride_, room, last - first + 1);
        if (group_ == 1) return {room, 0};
        // Spread in place, from behind: group g begins no earlier than its value lies.
        for (dim_t g = last; g >= first; g--) {
            const Carrier value = room[g - first];
            std::fill(room + std::max(g * group_, begin) - begin,
                    room + std::min((g + 1) * group_, end) - begin, value);
        }
        return {room, 0};
    }

private:
    const void *values_;
    void (*decode_)(const void *, dim_t, dim_t, Carrier *, dim_t) = nullptr;
    dim_t base_ = 0; // value number of the other dimensions' indices
    dim_t first_index_ = 0;
    dim_t group_ = 1;
    dim_t stride_ = 0;
};

template <typename Carrier, typename Operation>
inline void apply(
        Carrier *__restrict t, const operand<Carrier> &o, dim_t n, Operation &&operation) {
    if (const Carrier *__restrict values = o.values) {
        for (dim_t i = 0; i < n; i++)
            t[i] = operation(t[i], values[i]);
    } else {
        const Carrier one = o.one;
        for (dim_t i = 0; i < n; i++)
            t[i] = operation(t[i], one);
    }
}

// The right operand of an operation whose left one is `left`. Of two NaNs processors take one or
// the other, and compilers swap the operands of + and *; with the same NaN on both sides that makes
// no difference. (NaN on the left alone stays what it was.)
template <typename Carrier>
inline Carrier unless_nan(Carrier left, Carrier right) {
    return left != left ? left : right;
}

template <typename Carrier>
TFMT_NOINLINE void subtract(Carrier *t, const operand<Carrier> &o, dim_t n) {
    apply(t, o, n, [](Carrier a, Carrier b) { return a - b; }); // b is an integer, never NaN
}

template <typename Carrier>
TFMT_NOINLINE void add(Carrier *t, const operand<Carrier> &o, dim_t n) {
    apply(t, o, n, [](Carrier a, Carrier b) { return a + unless_nan(a, b); });
}

template <typename Carrier>
TFMT_NOINLINE void multiply(Carrier *t, const operand<Carrier> &o, dim_t n) {
    apply(t, o, n, [](Carrier a, Carrier b) { return a * unless_nan(a, b); });
}

template <typename Carrier>
TFMT_NOINLINE void divide(Carrier *t, const operand<Carrier> &o, dim_t n) {
    apply(t, o, n, [](Carrier a, Carrier b) { return a / unless_nan(a, b); });
}

template <typename Carrier>
TFMT_NOINLINE void scale_old(Carrier *old, Carrier beta, dim_t n) {
    apply(old, {nullptr, beta}, n, [](Carrier a, Carrier b) { return b * unless_nan(b, a); });
}

template <typename Carrier>
void quantize_run(const reorder_problem &p, const execution &e, dim_t src_offset, dim_t src_stride,
        dim_t dst_offset, dim_t dst_stride, dim_t n, const run_place &at) {
    using values = parameter_run<Carrier>;
    const quantization &q = p.quant;
    const int ndims = int(p.limits.size());
    const values src_zero_points(q.src_zero_points, e.src_zero_points, ndims, at);
    const values src_scales(q.src_scales, e.src_scales, ndims, at);
    const values dst_scales(q.dst_scales, e.dst_scales, ndims, at);
    const values dst_zero_points(q.dst_zero_points, e.dst_zero_points, ndims, at);
    const codec<Carrier> &src = codec_of<Carrier>(p.src_type), &dst = codec_of<Carrier>(p.dst_type);
    const auto beta = Carrier(q.sum_beta);

    alignas(64) Carrier t[chunk_elems], room[chunk_elems];
    for (dim_t done = 0; done < n; done += chunk_elems) {
        const dim_t count = std::min(chunk_elems, n - done);
        const dim_t dst_at = dst_offset + done * dst_stride;
        const auto of = [&](const values &v) { return v.at(done, count, room); };
        src.decode(e.src, src_offset + done * src_stride, src_stride, t, count);
        if (src_zero_points.is_set()) subtract(t, of(src_zero_points), count);
        if (src_scales.is_set()) multiply(t, of(src_scales), count);
        if (q.has_sum) {
            dst.decode(e.dst, dst_at, dst_stride, room, count);
            scale_old(room, beta, count);
            add(t, operand<Carrier> {room, 0}, count);
        }
        if (dst_scales.is_set()) divide(t, of(dst_scales), count);
        if (dst_zero_points.is_set()) add(t, of(dst_zero_points), count);
        dst.encode(t, e.dst, dst_at, dst_stride, count);
    }
}

} // namespace

quantize_run_fn find_quantize_run(const reorder_problem &p) {
    return computing_type(p.src_type, p.dst_type) == tfmt_f64 ? quantize_run<double>
                                                              : quantize_run<float>;
}

} // namespace tfmt::cpu::ref
