// SPDX-License-Identifier: Apache-2.0
#include "api/attr.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/status.hpp"

using namespace tfmt;

namespace {

using type_list = std::initializer_list<tfmt_data_type_t>;

std::string names_of(type_list types) {
    std::string text;
    for (tfmt_data_type_t t : types)
        text += std::string(text.empty() ? "" : ", ") + name_of(t);
    return text;
}

tfmt_attr::parameter checked_parameter(int mask, int group_ndims, const dim_t *group_dims,
        tfmt_data_type_t type, type_list types) {
    if (mask < 0 || mask >> TFMT_MAX_NDIMS)
        fail_invalid("mask is " + std::to_string(mask) + ", wanted bits 0 to "
                + std::to_string(TFMT_MAX_NDIMS - 1));
    if (group_ndims < 0 || group_ndims > TFMT_MAX_NDIMS)
        fail_invalid("group_ndims is " + std::to_string(group_ndims) + ", wanted 0 to "
                + std::to_string(TFMT_MAX_NDIMS));
    if (group_ndims > 0) require_not_null(group_dims, "group_dims");
    if (std::find(types.begin(), types.end(), type) == types.end())
        fail_invalid(
                std::string("type is ") + name_of(type) + ", wanted one of " + names_of(types));
    tfmt_attr::parameter p;
    p.is_set = true;
    p.mask = mask;
    p.group_ndims = group_ndims;
    for (int d = 0; d < group_ndims; d++) {
        if (group_dims[d] < 1)
            fail_invalid("group_dims[" + std::to_string(d) + "] is " + std::to_string(group_dims[d])
                    + ", wanted 1 or more");
        p.group_dims[d] = group_dims[d];
    }
    p.type = type;
    return p;
}

// The one of the pair that `arg` names.
tfmt_attr::parameter &side(int arg, tfmt_attr::parameter &src, tfmt_attr::parameter &dst) {
    if (arg == TFMT_ARG_SRC) return src;
    if (arg == TFMT_ARG_DST) return dst;
    fail_invalid("arg is " + std::to_string(arg) + ", wanted TFMT_ARG_SRC or TFMT_ARG_DST");
}

} // namespace

extern "C" {

tfmt_status_t tfmt_attr_create(tfmt_attr_t *attr) {
    return guard("tfmt_attr_create", [&] {
        require_not_null(attr, "attr");
        *attr = new tfmt_attr;
    });
}

tfmt_status_t tfmt_attr_destroy(tfmt_attr_t attr) {
    delete attr;
    return tfmt_success;
}

tfmt_status_t tfmt_attr_set_scales(tfmt_attr_t attr, int arg, int mask, int group_ndims,
        const tfmt_dims_t group_dims, tfmt_data_type_t type) {
    return guard("tfmt_attr_set_scales", [&] {
        require_not_null(attr, "attr");
        side(arg, attr->src_scales, attr->dst_scales) = checked_parameter(
                mask, group_ndims, group_dims, type, {tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_e8m0});
    });
}

tfmt_status_t tfmt_attr_set_zero_points(tfmt_attr_t attr, int arg, int mask, int group_ndims,
        const tfmt_dims_t group_dims, tfmt_data_type_t type) {
    return guard("tfmt_attr_set_zero_points", [&] {
        require_not_null(attr, "attr");
        side(arg, attr->src_zero_points, attr->dst_zero_points) = checked_parameter(mask,
                group_ndims, group_dims, type, {tfmt_s32, tfmt_s8, tfmt_u8, tfmt_s4, tfmt_u4});
    });
}

tfmt_status_t tfmt_attr_append_sum(tfmt_attr_t attr, float beta) {
    return guard("tfmt_attr_append_sum", [&] {
        require_not_null(attr, "attr");
        if (attr->has_sum) fail_invalid("attr has a sum already");
        attr->has_sum = true;
        attr->sum_beta = beta;
    });
}

tfmt_status_t tfmt_attr_set_compensation(
        tfmt_attr_t attr, int flags, int s8s8_mask, int asymmetric_mask) {
    return guard("tfmt_attr_set_compensation", [&] {
        require_not_null(attr, "attr");
        const compensation wanted = {flags, s8s8_mask, asymmetric_mask};
        check_compensation(wanted);
        attr->sums = wanted;
    });
}

} // extern "C"
