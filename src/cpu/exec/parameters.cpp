// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/parameters.hpp"

#include <algorithm>
#include <cstdlib>

#include "common/data_type.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/ref/codecs.hpp"

namespace tfmt::cpu {

namespace {

// Dimensions of the space with more than one entry, the innermost last.
struct space_dims {
    int n = 0;
    int dim[TFMT_MAX_NDIMS];
};

space_dims varying_dims(const parameter_space &space) {
    space_dims dims;
    for (size_t d = 0; d < space.n_groups.size(); d++)
        if (space.n_groups[d] > 1) dims.dim[dims.n++] = int(d);
    std::sort(dims.dim, dims.dim + dims.n, [&](int a, int b) {
        return space.stride_bytes[size_t(a)] > space.stride_bytes[size_t(b)];
    });
    return dims;
}

template <typename T>
class expansion {
public:
    expansion(const parameter_space &space, const parameter &p, const void *values)
        : space_(space),
          p_(p),
          values_(values),
          decode_(ref::codec_of<T>(p.type).decode),
          dims_(varying_dims(space)) {}

    void run(T *out) const { run(0, 0, out); }

private:
    void run(int depth, dim_t offset, T *out) const {
        if (depth == dims_.n) return decode_(values_, offset, 0, out, 1);
        const size_t d = size_t(dims_.dim[depth]);
        const dim_t n = space_.n_groups[d], stride = p_.stride[d];
        // Entries of the space that share a value.
        const dim_t shared = stride == 0 ? n : p_.group[d] / space_.group[d];
        if (depth + 1 == dims_.n && (shared == 1 || shared == n))
            return decode_(values_, offset, shared == 1 ? stride : 0, out, n);
        const dim_t step = space_.stride_bytes[d] / dim_t(sizeof(T));
        if (depth + 1 == dims_.n) {
            for (dim_t i = 0; i < n; i += shared)
                decode_(values_, offset + i / shared * stride, 0, out + i, shared);
            return;
        }
        for (dim_t i = 0; i < n; i++)
            run(depth + 1, offset + i / shared * stride, out + i * step);
    }

    const parameter_space &space_;
    const parameter &p_;
    const void *values_;
    void (*decode_)(const void *, dim_t, dim_t, T *, dim_t);
    const space_dims dims_;
};

// f(value) in place of each value of a parameter.
template <typename T, typename F>
void replace_values(const move_problem &p, int i, char *singles, char *arrays, F &&f) {
    const arithmetic::operand &at = p.converts.steps.operands[size_t(i)];
    if (!at.is_set) return;
    dim_t n = ir::single_bytes / dim_t(sizeof(T));
    char *bytes = singles + i * ir::single_bytes;
    if (!at.is_one_value) {
        bytes = arrays + at.array_bytes;
        n = 1;
        for (dim_t groups : p.parameters.n_groups)
            n *= groups;
    }
    T *values = reinterpret_cast<T *>(bytes);
    for (dim_t v = 0; v < n; v++)
        values[v] = f(values[v]);
}

bool takes_reciprocal(const arithmetic &steps, int i) {
    return i == dst_reciprocal || (i == dst_scale && steps.multiplies_by_reciprocal);
}

// What the kernels want in place of scales and zero points: see arithmetic. Expanders have done it
// to arrays.
template <typename T>
void prepare_values(
        const move_problem &p, const parameter_expanders &expanders, char *singles, char *arrays) {
    const arithmetic &steps = p.converts.steps;
    for (int i = 0; i < n_parameters; i++) {
        if (expanders[size_t(i)]) continue;
        const T added = T(steps.operands[size_t(i)].added);
        if (takes_reciprocal(steps, i))
            replace_values<T>(p, i, singles, arrays, [](T scale) { return 1 / scale; });
        if (added != 0)
            replace_values<T>(p, i, singles, arrays, [&](T value) { return value + added; });
    }
}

// Lanes beyond the last value compute as well, with what lies there: ones make no NaN and divide by
// nothing. Of a long slack only what a row of vectors may reach.
template <typename T>
void fill_behind_arrays(const parameter_space &space, char *arrays, size_t slack_bytes) {
    constexpr size_t max_filled_bytes = 1024;
    if (space.n_arrays == 0) return;
    dim_t used_bytes = space.elem_bytes;
    for (dim_t groups : space.n_groups)
        used_bytes *= groups;
    const auto fill = [](char *begin, char *end) {
        std::fill(reinterpret_cast<T *>(begin), reinterpret_cast<T *>(end), T(1));
    };
    for (int a = 0; a < space.n_arrays; a++, arrays += space.array_bytes)
        fill(arrays + used_bytes, arrays + space.array_bytes);
    fill(arrays, arrays + std::min(slack_bytes, max_filled_bytes) / sizeof(T) * sizeof(T));
}

template <typename T>
void fill_all(const quantization &q, const move_problem &problem,
        const parameter_expanders &expanders, size_t slack_bytes, const execution &e,
        const ir::parameter_values &to) {
    const parameter_space &space = problem.parameters;
    const void *given[] = {
            e.src_zero_points, e.src_scales, e.dst_scales, e.dst_scales, e.dst_zero_points};
    char *singles = static_cast<char *>(const_cast<void *>(to.singles));
    char *arrays = static_cast<char *>(const_cast<void *>(to.arrays));
    for (int i = 0; i < n_parameters; i++) {
        const parameter &p = parameter_at(q, i);
        if (!p.is_set) continue;
        if (space.array_of[i] < 0) {
            T *single = reinterpret_cast<T *>(singles + i * ir::single_bytes);
            ref::codec_of<T>(p.type).decode(
                    given[i], 0, 0, single, ir::single_bytes / dim_t(sizeof(T)));
            continue;
        }
        char *array = arrays + space.array_of[i] * space.array_bytes;
        const int32_t added = int32_t(problem.converts.steps.operands[size_t(i)].added);
        execution expand {given[i], array};
        expand.dst_zero_points = &added;
        expand.pool = e.pool;
        if (expanders[size_t(i)])
            expanders[size_t(i)]->execute(expand);
        else
            expansion<T>(space, p, given[i]).run(reinterpret_cast<T *>(array));
    }
    prepare_values<T>(problem, expanders, singles, arrays);
    fill_behind_arrays<T>(space, arrays, slack_bytes);
}

} // namespace

bool is_worth_expander(const parameter_space &space, int i) {
    return space.array_of[i] >= 0 && space.array_bytes >= tuning::min_expanded_array_bytes;
}

// Reciprocals as a pass of their own took 0.06 of the time of bf16 to s4 with f16 scales of groups
// of 32.
reorder_problem expansion_problem(
        const parameter &p, const parameter_space &space, const arithmetic &steps, int i) {
    reorder_problem r {};
    r.quant.takes_reciprocal = takes_reciprocal(steps, i);
    if (steps.operands[size_t(i)].added != 0) {
        r.quant.dst_zero_points.is_set = true;
        r.quant.dst_zero_points.type = tfmt_s32;
        r.quant.dst_zero_points.count = 1;
    }
    r.src_type = p.type;
    r.dst_type = space.type;
    r.src_elem_bits = bits_of(p.type);
    r.dst_elem_bits = bits_of(space.type);
    const auto add = [&](dim_t extent, dim_t src_stride, dim_t dst_stride) {
        if (extent <= 1) return;
        r.levels.push_back({int(r.limits.size()), extent, 1, src_stride, dst_stride, {}, {}});
        r.limits.push_back({extent, extent});
    };
    for (size_t d = 0; d < space.n_groups.size(); d++) {
        const dim_t n = space.n_groups[d], stride = space.stride_bytes[d] / space.elem_bytes;
        const dim_t shared = p.stride[d] == 0 ? n : p.group[d] / space.group[d];
        add(shared, 0, stride);
        add(n / shared, p.stride[d], stride * shared);
    }
    return r;
}

spare_memory::~spare_memory() { std::free(spare_.load(std::memory_order_relaxed)); }

char *spare_memory::take(size_t n_bytes) {
    if (char *p = spare_.exchange(nullptr, std::memory_order_acquire)) return p;
    constexpr size_t alignment = 64;
    return static_cast<char *>(
            std::aligned_alloc(alignment, (n_bytes + alignment - 1) / alignment * alignment));
}

// What comes out was written by who gave it back, and is freed here.
void spare_memory::give_back(char *p) { std::free(spare_.exchange(p, std::memory_order_acq_rel)); }

parameter_buffer::~parameter_buffer() {
    if (bytes_ != inline_) spare_.give_back(bytes_);
}

bool parameter_buffer::fill(const quantization &q, const move_problem &p,
        const parameter_expanders &expanders, size_t slack_bytes, const execution &e) {
    const parameter_space &space = p.parameters;
    const size_t wanted = size_t(n_parameters) * ir::single_bytes
            + size_t(space.n_arrays) * size_t(space.array_bytes) + slack_bytes;
    if (wanted > inline_bytes) {
        char *p = spare_.take(wanted);
        if (!p) return false;
        bytes_ = p;
    }
    if (space.type == tfmt_f64)
        fill_all<double>(q, p, expanders, slack_bytes, e, values());
    else
        fill_all<float>(q, p, expanders, slack_bytes, e, values());
    return true;
}

} // namespace tfmt::cpu
