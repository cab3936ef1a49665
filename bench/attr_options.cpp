// SPDX-License-Identifier: Apache-2.0
#include "bench/attr_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace tfmt_bench {

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts(1);
    for (char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

namespace {

using list = std::vector<std::string>;

bool starts_with(const std::string &text, const std::string &head) {
    return text.compare(0, head.size(), head) == 0;
}

bool is_any_of(const std::string &text, const list &words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

// A * behind it, with which older versions marked values that come at execution, is ignored.
bool parse_number(std::string text, double *number) {
    if (!text.empty() && text.back() == '*') text.pop_back();
    char *end = nullptr;
    *number = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

// per_dim_1, per_dim_01, per_dim_023: a digit for each dimension.
int mask_of_digits(const std::string &digits) {
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
        throw std::invalid_argument("wanted digits behind per_dim_");
    int mask = 0;
    for (char c : digits)
        mask |= 1 << (c - '0');
    return mask;
}

int mask_of(const std::string &policy, int ndims) {
    if (policy == "common") return 0;
    if (policy == "per_oc") return 1 << 1;
    if (policy == "per_ocic") return 3;
    if (policy == "per_tensor") return (1 << ndims) - 1;
    if (starts_with(policy, "per_dim_")) return mask_of_digits(policy.substr(8));
    throw std::invalid_argument("\"" + policy
            + "\": wanted a policy, common, per_oc, per_ocic, per_dim_01 or per_tensor");
}

std::vector<int64_t> parse_groups(const std::string &text) {
    std::vector<int64_t> groups;
    for (const std::string &part : split(text, 'x')) {
        const bool is_number = !part.empty() && part.size() <= 9
                && part.find_first_not_of("0123456789") == std::string::npos;
        if (!is_number) throw std::invalid_argument("\"" + text + "\": wanted groups such as 32x1");
        groups.push_back(std::atoi(part.c_str()));
    }
    return groups;
}

double common_value(const std::string &text, bool is_scale) {
    double value = 0;
    if (!parse_number(text, &value))
        throw std::invalid_argument("policy common wants a value, as in src:common:2");
    if (!is_scale && value != std::floor(value))
        throw std::invalid_argument("\"" + text + "\": wanted a whole number");
    return value;
}

// One ARG:POLICY[:VALUE][:TYPE[:GROUPS]]; false if it is for something that a reorder has not.
bool parse_parameter(const std::string &text, bool is_scale, int ndims, parameter_option *p) {
    const list parts = split(text, ':');
    if (parts.size() < 2) throw std::invalid_argument("wanted ARG:POLICY, as in src:common:2");
    p->is_scale = is_scale;
    p->is_src = parts[0] == "src" || parts[0] == "src0";
    if (!p->is_src && parts[0] != "dst") {
        if (starts_with(parts[0], "msrc") || is_any_of(parts[0], {"wei", "src1"})) return false;
        throw std::invalid_argument("\"" + parts[0] + "\": wanted src or dst");
    }
    if (parts[1] == "host_scalar") return false;
    p->mask = mask_of(parts[1], ndims);
    size_t at = 2;
    double number = 0;
    p->has_value = parts[1] == "common";
    if (p->has_value)
        p->value = common_value(at < parts.size() ? parts[at++] : "", is_scale);
    else if (at < parts.size() && parse_number(parts[at], &number))
        throw std::invalid_argument("policy " + parts[1] + " takes no value");
    p->type = is_scale ? "f32" : "s32";
    if (at < parts.size()) p->type = parts[at++];
    if (at < parts.size()) p->groups = parse_groups(parts[at++]);
    if (at < parts.size()) throw std::invalid_argument("nothing may stand behind the groups");
    return true;
}

bool add_parameters(const std::string &value, bool is_scale, int ndims, attr_options *attr) {
    for (const std::string &part : split(value, '+')) {
        parameter_option p;
        if (!parse_parameter(part, is_scale, ndims, &p)) return false;
        for (const parameter_option &other : attr->parameters)
            if (other.is_scale == is_scale && other.is_src == p.is_src)
                throw std::invalid_argument("the same argument twice");
        attr->parameters.push_back(p);
    }
    return true;
}

// sum[:BETA[:ZERO_POINT[:TYPE]]], the latter two only where they change nothing.
bool add_sum(const std::string &value, attr_options *attr) {
    const list parts = split(value, ':');
    if (parts[0] != "sum" && parts[0] != "SUM") return false;
    double beta = 1, zero_point = 0;
    if (parts.size() > 1 && !parse_number(parts[1], &beta))
        throw std::invalid_argument("wanted sum:BETA, as in sum:0.5");
    if (parts.size() > 2 && (!parse_number(parts[2], &zero_point) || zero_point != 0)) return false;
    if (parts.size() > 3) return false;
    attr->has_sum = true;
    attr->sum_beta = static_cast<float>(beta);
    return true;
}

// As tfmt_compensation_flags_t has them; this file calls nothing of the library.
constexpr int s8s8_flag = 1, asymmetric_flag = 2;

bool add_compensation(const std::string &value, attr_options *attr) {
    for (const std::string &part : split(value, '+')) {
        const list words = split(part, ':');
        const bool is_s8s8 = words[0] == "s8s8_comp";
        if (!is_s8s8 && words[0] != "zp_comp") return false;
        double mask = -1;
        if (words.size() != 2 || !parse_number(words[1], &mask) || !(mask >= 0 && mask <= 4095)
                || mask != std::floor(mask))
            throw std::invalid_argument("wanted a mask of dims, as in s8s8_comp:1+zp_comp:1");
        const int flag = is_s8s8 ? s8s8_flag : asymmetric_flag;
        if (attr->compensation_flags & flag) throw std::invalid_argument("the same flag twice");
        attr->compensation_flags |= flag;
        (is_s8s8 ? attr->s8s8_mask : attr->asymmetric_mask) = static_cast<int>(mask);
    }
    return true;
}

} // namespace

bool is_attr_option(const std::string &name) {
    return is_any_of(name, {"attr-scales", "attr-zero-points", "attr-post-ops", "oflag"});
}

bool add_attr_option(
        const std::string &name, const std::string &value, int ndims, attr_options *attr) {
    if (value.empty() || (name == "oflag" && value == "none")) return true;
    attr->text += " --" + name + "=" + value;
    if (name == "attr-post-ops") return add_sum(value, attr);
    if (name == "oflag") return add_compensation(value, attr);
    return add_parameters(value, name == "attr-scales", ndims, attr);
}

} // namespace tfmt_bench
