// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// benchdnn's options for attributes, as text parsing alone.
namespace tfmt_bench {

// The parts of `text` between separators, of which one may be empty.
std::vector<std::string> split(const std::string &text, char separator);

// Scales or zero points of one side.
struct parameter_option {
    bool is_scale = true;
    bool is_src = true;
    int mask = 0;
    bool has_value = false; // policy common; other policies have values made up
    double value = 0;
    std::string type; // text still
    std::vector<int64_t> groups;
};

struct attr_options {
    std::vector<parameter_option> parameters;
    bool has_sum = false;
    float sum_beta = 1;
    int compensation_flags =
            0;         // of tfmt_compensation_flags_t; not an attribute of the reorder, but
    int s8s8_mask = 0; // of the descriptor of dst
    int asymmetric_mask = 0;
    std::string text; // the options that ask for this, each with a blank in front

    bool is_default() const { return parameters.empty() && !has_sum; }
};

// True for attr-scales, attr-zero-points, attr-post-ops and oflag.
bool is_attr_option(const std::string &name);

// Adds what one value of such an option asks for of a tensor of `ndims` dims:
//   attr-scales, attr-zero-points   ARG:POLICY[:VALUE][:TYPE[:GROUPS]][+...]
//   attr-post-ops                   sum[:BETA]
//   oflag                           none, or s8s8_comp:MASK, zp_comp:MASK, both with +
// False where benchdnn knows the value and this driver cannot do it. Throws std::invalid_argument,
// with what was wanted, for what is none.
bool add_attr_option(
        const std::string &name, const std::string &value, int ndims, attr_options *attr);

} // namespace tfmt_bench
