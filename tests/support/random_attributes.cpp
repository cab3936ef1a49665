// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/attributes.hpp"
#include "support/element.hpp"

namespace tfmt_test {
namespace {

const std::vector<tfmt_data_type_t> scale_types = {tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_e8m0};
const std::vector<tfmt_data_type_t> zero_point_types = {
        tfmt_s32, tfmt_s8, tfmt_u8, tfmt_s4, tfmt_u4};

double random_scale(random_source &random) {
    static const std::vector<double> special = {0.0, -0.0, std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::quiet_NaN(), -1.5, 1e-38, 1e-44, 3e38};
    if (random.one_in(40)) return random.pick(special);
    if (random.one_in(4)) return std::ldexp(1.0, static_cast<int>(random.between(-6, 6)));
    return std::exp((static_cast<double>(random.bits() >> 11) * 0x1p-53 - 0.5) * 9.2);
}

double random_zero_point(random_source &random, tfmt_data_type_t type) {
    if (type == tfmt_s32 && random.one_in(8)) // beyond what f32 holds exactly
        return static_cast<double>(static_cast<int32_t>(random.bits()));
    return static_cast<double>(random.between(-150, 300)); // saturates in the shorter types
}

int random_mask(random_source &random, int ndims) {
    if (random.one_in(3)) return 0;
    int mask = 1 << random.below(ndims);
    while (random.one_in(2))
        mask |= 1 << random.below(ndims);
    return mask;
}

// Some divisor, one of the ends now and then.
int64_t random_divisor(random_source &random, int64_t n) {
    if (n < 1 || random.one_in(4)) return 1;
    if (random.one_in(6)) return n;
    int64_t divisor = random.between(1, n);
    while (n % divisor)
        --divisor;
    return divisor;
}

parameter random_parameter(random_source &random, bool is_scale, const dims &logical) {
    parameter p;
    p.is_set = true;
    p.mask = random_mask(random, static_cast<int>(logical.size()));
    p.type = random.pick(is_scale ? scale_types : zero_point_types);
    std::vector<int> masked;
    for (int d = 0; d < static_cast<int>(logical.size()); ++d)
        if (p.mask >> d & 1) masked.push_back(d);
    const size_t n_groups = random.one_in(2) ? 0
                                             : random.below(1 + static_cast<int>(masked.size()));
    for (size_t k = masked.size() - n_groups; k < masked.size(); ++k)
        p.groups.push_back(random_divisor(random, logical[static_cast<size_t>(masked[k])]));
    fill_values(&p, is_scale, logical, random);
    return p;
}

} // namespace

void fill_values(parameter *p, bool is_scale, const dims &logical, random_source &random) {
    const int64_t n = p->count(logical);
    p->values.assign(static_cast<size_t>(bytes_for_elements(p->type, n)), 0);
    for (int64_t i = 0; i < n; ++i) {
        const double value = is_scale ? random_scale(random) : random_zero_point(random, p->type);
        store_bits(p->type, p->values.data(), i, encode(p->type, value));
    }
}

attributes random_attributes(random_source &random, const dims &logical) {
    attributes attr;
    while (attr.is_default()) {
        if (random.one_in(2)) attr.src_scales = random_parameter(random, true, logical);
        if (random.one_in(3)) attr.dst_scales = random_parameter(random, true, logical);
        if (random.one_in(3)) attr.src_zero_points = random_parameter(random, false, logical);
        if (random.one_in(3)) attr.dst_zero_points = random_parameter(random, false, logical);
        attr.has_sum = random.one_in(4);
        if (attr.has_sum) attr.beta = random.pick(std::vector<float> {1, -1, 0.5f, 0.3f, 1e30f, 0});
    }
    return attr;
}

} // namespace tfmt_test
