// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/layout.hpp"
#include "support/random_data.hpp"

// Attributes of a reorder with their values, and what they mean, by the tests' own reading.
namespace tfmt_test {

// Scales or zero points of one side. Bit d of the mask: values differ along dimension d. groups[k]
// neighbouring indices share a value along the k-th of the last groups.size() masked dimensions.
struct parameter {
    bool is_set = false;
    int mask = 0;
    dims groups;
    tfmt_data_type_t type = tfmt_data_type_undef;
    std::vector<unsigned char> values; // packed elements of `type`

    // The group along dimension d; 0 where one value serves all of it.
    int64_t group_of(int d) const;
    int64_t count(const dims &logical) const;
    int64_t number_of(const dims &logical, const dims &index) const; // of the value for an index
};

struct attributes {
    parameter src_scales, dst_scales, src_zero_points, dst_zero_points;
    bool has_sum = false;
    float beta = 0;

    bool is_default() const;
    bool reads_dst() const { return has_sum && beta != 0; }
};

// Bits of dst's element for one source element; `old_bits` is what dst held. In C, which is f64 if
// either type is f64, s32 or s64 and else f32, each step rounded to nearest even by itself:
//   t = C(src) - C(src zero point);  t = t * C(src scale);  t = t + C(beta) * C(old);
//   t = t / C(dst scale);  t = t + C(dst zero point);  encode(t)
// Steps not asked for are skipped. An operation on a NaN gives its left operand if that is one,
// else the right one, quiet; one that makes a NaN of numbers gives the negative one, as x86 has it.
uint64_t quantize_bits(const attributes &attr, const dims &logical, const dims &index,
        tfmt_data_type_t src_type, uint64_t src_bits, tfmt_data_type_t dst_type, uint64_t old_bits);

// As oracle_reorder without attributes; dst_data holds what a sum adds.
void oracle_reorder(const layout &src, const void *src_data, const layout &dst, void *dst_data,
        const attributes &attr);

struct attr_deleter {
    void operator()(tfmt_attr_t attr) const { tfmt_attr_destroy(attr); }
};
using attr_ptr = std::unique_ptr<tfmt_attr, attr_deleter>;

// The C API's object. Throws std::runtime_error if the library refuses.
attr_ptr make_attr(const attributes &attr);

// Pointers to the values; they live as long as `attr`.
tfmt_exec_args_t exec_args_of(const attributes &attr);

// "src_scales mask 3 groups 32x1 f16, sum 0.5"
std::string attributes_text(const attributes &attr);

// Scales mostly of 0.01 to 100, now and then 0, infinite or a NaN; zero points that fit the type.
void fill_values(parameter *p, bool is_scale, const dims &logical, random_source &random);

// One to five of the attributes: any masks, groups that divide their dims, types and beta.
attributes random_attributes(random_source &random, const dims &logical);

} // namespace tfmt_test
