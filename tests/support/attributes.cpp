// SPDX-License-Identifier: Apache-2.0
#include "support/attributes.hpp"

#include <stdexcept>

#include "support/element.hpp"

namespace tfmt_test {
namespace {

int ndims_of(const dims &logical) { return static_cast<int>(logical.size()); }

void require(tfmt_status_t status) {
    if (status != tfmt_success)
        throw std::runtime_error(std::string("an attribute was refused: ") + tfmt_get_last_error());
}

std::string parameter_text(const char *name, const parameter &p) {
    if (!p.is_set) return "";
    std::string text = std::string(name) + " mask " + std::to_string(p.mask);
    if (!p.groups.empty()) text += " groups " + dims_text(p.groups);
    return text + " " + type_name(p.type) + ", ";
}

} // namespace

int64_t parameter::group_of(int d) const {
    if (!(mask >> d & 1)) return 0;
    int n_above = 0; // masked dims behind d
    for (int other = d + 1; other < TFMT_MAX_NDIMS; ++other)
        n_above += mask >> other & 1;
    const int at = static_cast<int>(groups.size()) - 1 - n_above;
    return at < 0 ? 1 : groups[static_cast<size_t>(at)];
}

int64_t parameter::count(const dims &logical) const {
    int64_t n = 1;
    for (int d = 0; d < ndims_of(logical); ++d)
        if (group_of(d)) n *= logical[static_cast<size_t>(d)] / group_of(d);
    return n;
}

int64_t parameter::number_of(const dims &logical, const dims &index) const {
    int64_t number = 0;
    for (int d = 0; d < ndims_of(logical); ++d) {
        const auto at = static_cast<size_t>(d);
        if (group_of(d)) number = number * (logical[at] / group_of(d)) + index[at] / group_of(d);
    }
    return number;
}

bool attributes::is_default() const {
    return !src_scales.is_set && !dst_scales.is_set && !src_zero_points.is_set
            && !dst_zero_points.is_set && !reads_dst();
}

attr_ptr make_attr(const attributes &attr) {
    tfmt_attr_t created = nullptr;
    require(tfmt_attr_create(&created));
    attr_ptr made(created);
    const auto set = [&](const parameter &p, auto setter, int arg) {
        if (!p.is_set) return;
        const int64_t *groups = p.groups.empty() ? nullptr : p.groups.data();
        require(setter(created, arg, p.mask, static_cast<int>(p.groups.size()), groups, p.type));
    };
    set(attr.src_scales, tfmt_attr_set_scales, TFMT_ARG_SRC);
    set(attr.dst_scales, tfmt_attr_set_scales, TFMT_ARG_DST);
    set(attr.src_zero_points, tfmt_attr_set_zero_points, TFMT_ARG_SRC);
    set(attr.dst_zero_points, tfmt_attr_set_zero_points, TFMT_ARG_DST);
    if (attr.has_sum) require(tfmt_attr_append_sum(created, attr.beta));
    return made;
}

tfmt_exec_args_t exec_args_of(const attributes &attr) {
    const auto values = [](const parameter &p) -> const void * {
        return p.is_set ? p.values.data() : nullptr;
    };
    tfmt_exec_args_t args = {};
    args.struct_size = sizeof args;
    args.src_scales = values(attr.src_scales);
    args.dst_scales = values(attr.dst_scales);
    args.src_zero_points = values(attr.src_zero_points);
    args.dst_zero_points = values(attr.dst_zero_points);
    return args;
}

std::string attributes_text(const attributes &attr) {
    std::string text = parameter_text("src_scales", attr.src_scales)
            + parameter_text("dst_scales", attr.dst_scales)
            + parameter_text("src_zero_points", attr.src_zero_points)
            + parameter_text("dst_zero_points", attr.dst_zero_points);
    if (attr.has_sum) text += "sum " + std::to_string(attr.beta) + ", ";
    return text.empty() ? "none" : text.substr(0, text.size() - 2);
}

} // namespace tfmt_test
