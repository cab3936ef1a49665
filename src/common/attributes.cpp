// SPDX-License-Identifier: Apache-2.0
#include "common/attributes.hpp"

#include <algorithm>
#include <cstring>

#include "common/hash.hpp"

namespace tfmt {

namespace {

// A beta is its bits: NaN equals itself, and -0 is not 0.
uint32_t bits_of_beta(const attributes &attr) {
    uint32_t bits;
    static_assert(sizeof bits == sizeof attr.sum_beta, "beta is an f32");
    std::memcpy(&bits, &attr.sum_beta, sizeof bits);
    return bits;
}

bool equal(const attributes::parameter &a, const attributes::parameter &b) {
    if (!a.is_set || !b.is_set) return a.is_set == b.is_set;
    return a.mask == b.mask && a.type == b.type && a.group_ndims == b.group_ndims
            && std::equal(a.group_dims, a.group_dims + a.group_ndims, b.group_dims);
}

uint64_t combine_parameter(uint64_t seed, const attributes::parameter &p) {
    if (!p.is_set) return combine_hash(seed, 0);
    seed = combine_hash(seed, uint64_t(p.mask) << 32 | uint64_t(p.type) << 8 | 1);
    for (int k = 0; k < p.group_ndims; k++)
        seed = combine_hash(seed, uint64_t(p.group_dims[k]));
    return seed;
}

} // namespace

bool equal(const attributes &a, const attributes &b) {
    if (a.has_sum != b.has_sum || (a.has_sum && bits_of_beta(a) != bits_of_beta(b))) return false;
    return equal(a.src_scales, b.src_scales) && equal(a.dst_scales, b.dst_scales)
            && equal(a.src_zero_points, b.src_zero_points)
            && equal(a.dst_zero_points, b.dst_zero_points);
}

size_t hash(const attributes &attr) {
    if (attr.is_default()) return 0;
    uint64_t h = attr.has_sum ? combine_hash(1, bits_of_beta(attr)) : 0;
    h = combine_parameter(h, attr.src_scales);
    h = combine_parameter(h, attr.dst_scales);
    h = combine_parameter(h, attr.src_zero_points);
    return avalanche(combine_parameter(h, attr.dst_zero_points));
}

} // namespace tfmt
