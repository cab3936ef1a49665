// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/parameters.hpp"

#include <algorithm>
#include <cstdlib>

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

template <typename T>
void fill_all(const quantization &q, const parameter_space &space, const execution &e,
        const ir::parameter_values &to) {
    const void *given[] = {e.src_zero_points, e.src_scales, e.dst_scales, e.dst_zero_points};
    char *singles = static_cast<char *>(const_cast<void *>(to.singles));
    char *arrays = static_cast<char *>(const_cast<void *>(to.arrays));
    for (int i = 0; i < n_parameters; i++) {
        const parameter &p = parameter_at(q, i);
        if (!p.is_set) continue;
        if (space.array_of[i] < 0) {
            T *single = reinterpret_cast<T *>(singles + i * ir::single_bytes);
            ref::codec_of<T>(p.type).decode(
                    given[i], 0, 0, single, ir::single_bytes / dim_t(sizeof(T)));
        } else
            expansion<T>(space, p, given[i])
                    .run(reinterpret_cast<T *>(arrays + space.array_of[i] * space.array_bytes));
    }
}

} // namespace

parameter_buffer::~parameter_buffer() {
    if (bytes_ != inline_) std::free(bytes_);
}

bool parameter_buffer::fill(const quantization &q, const parameter_space &space, size_t slack_bytes,
        const execution &e) {
    constexpr size_t alignment = 64;
    const size_t wanted = size_t(n_parameters) * ir::single_bytes
            + size_t(space.n_arrays) * size_t(space.array_bytes) + slack_bytes;
    if (wanted > inline_bytes) {
        void *p = std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
        if (!p) return false;
        bytes_ = static_cast<char *>(p);
    }
    if (space.type == tfmt_f64)
        fill_all<double>(q, space, e, values());
    else
        fill_all<float>(q, space, e, values());
    return true;
}

} // namespace tfmt::cpu
