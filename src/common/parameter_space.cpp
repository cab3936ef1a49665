// SPDX-License-Identifier: Apache-2.0
#include "common/parameter_space.hpp"

#include <numeric>

#include "common/checked.hpp"

namespace tfmt {

bool make_parameter_space(const quantization &q, data_type_t computing_type,
        const std::vector<dim_t> &dims, const std::vector<int> &inner_first, parameter_space *out) {
    *out = {};
    out->type = computing_type;
    out->elem_bytes = computing_type == tfmt_f64 ? 8 : 4;
    out->group.assign(dims.size(), 0); // 0: nothing varies yet
    out->n_groups.assign(dims.size(), 1);
    out->stride_bytes.assign(dims.size(), 0);
    for (int i = 0; i < n_parameters; i++) {
        const parameter &p = parameter_at(q, i);
        const bool varies = p.is_set && !p.is_one_value();
        out->array_of[i] = varies ? out->n_arrays++ : -1;
        for (size_t d = 0; varies && d < dims.size(); d++)
            if (p.stride[d] != 0) out->group[d] = std::gcd(out->group[d], p.group[d]);
    }
    dim_t bytes = out->elem_bytes;
    for (int d : inner_first) {
        if (out->group[size_t(d)] == 0) continue;
        out->n_groups[size_t(d)] = dims[size_t(d)] / out->group[size_t(d)];
        out->stride_bytes[size_t(d)] = bytes;
        if (__builtin_mul_overflow(bytes, out->n_groups[size_t(d)], &bytes)) return false;
    }
    for (dim_t &g : out->group)
        if (g == 0) g = 1;
    constexpr dim_t alignment = 64;
    out->array_bytes = (bytes + alignment - 1) / alignment * alignment;
    return bytes < address_space_bytes;
}

} // namespace tfmt
