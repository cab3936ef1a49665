// SPDX-License-Identifier: Apache-2.0
#include "diff/conversion_cases.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "support/check_reorder.hpp"
#include "support/element.hpp"
#include "support/random_data.hpp"

using namespace tfmt_test;

namespace {

using bit_list = std::vector<uint64_t>;

void add_all_patterns(tfmt_data_type_t type, bit_list *list) {
    if (type_bits(type) == 4) {
        for (uint64_t byte = 0; byte < 256; ++byte)
            list->insert(list->end(), {byte & 0xf, byte >> 4});
        return;
    }
    for (uint64_t bits = 0; bits < uint64_t {1} << type_bits(type); ++bits)
        list->push_back(bits);
}

// The low halves at, below and above ties of bf16 (0x8000) and of f16 (0x1000 and odd multiples);
// those of shorter mantissas lie in the high half. The most telling ones first.
void add_high_halves_of_f32(bit_list *list) {
    bit_list low_halves = {0x8000, 0, 0x7fff, 0x8001, 1, 0xffff, 0x1000, 0x3000, 0x0fff, 0x1001};
    low_halves.resize(static_cast<size_t>(std::min(10, scaled(10))));
    for (uint64_t low : low_halves)
        for (uint64_t high = 0; high < 1u << 16; ++high)
            list->push_back(high << 16 | low);
}

// Values of a type of few bits, ascending. Of 16 bits some in the middle and all near the ends.
std::vector<double> finite_values(tfmt_data_type_t type) {
    std::vector<double> values;
    const uint64_t n_codes = uint64_t {1} << type_bits(type);
    for (uint64_t code = 0; code < n_codes; ++code) {
        const uint64_t magnitude = code & (n_codes / 2 - 1);
        const bool is_sampled = n_codes < 1000 || magnitude % 13 == 0 || magnitude < 40
                || (magnitude > 0x3f0 && magnitude < 0x410) // denormals of f16 end here
                || (magnitude > 0x70 && magnitude < 0x90);  // and those of bf16
        const double value = decode(type, code);
        if ((is_sampled || std::fabs(value) > 65000) && std::isfinite(value))
            values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    return values;
}

// The type's values, the ties between neighbours and what lies beyond the ends. The ties of sampled
// neighbours are values like others.
std::vector<double> turning_points_of_narrow(tfmt_data_type_t type) {
    const std::vector<double> values = finite_values(type);
    std::vector<double> points = values;
    for (size_t i = 0; i + 1 < values.size(); ++i)
        points.push_back(values[i] / 2 + values[i + 1] / 2);
    const double last = values.back();
    const double step = last - values[values.size() - 2];
    for (double beyond : {last + step / 2, last + step, last + 2 * step, last * 2, last * 1024})
        points.insert(points.end(), {beyond, -beyond});
    return points;
}

// Powers of two with a few units, and halves of units, of a mantissa of `bits` bits beside them.
std::vector<double> turning_points_of_wide(int bits, int from_exponent, int to_exponent) {
    std::vector<double> points;
    for (int e = from_exponent; e <= to_exponent; ++e)
        for (int half_units : {-3, -2, -1, 0, 1, 2, 3, 5}) {
            const double unit = std::ldexp(1.0, std::max(e - bits, -1074));
            points.push_back(std::ldexp(1.0, e) + half_units * unit);
        }
    return points;
}

std::vector<double> turning_points(tfmt_data_type_t dst_type) {
    std::vector<double> points;
    switch (dst_type) {
    case tfmt_f32: // units of denormals are all the same
        points = turning_points_of_wide(24, -126, 128);
        for (int k = 0; k < 64; ++k)
            points.push_back(std::ldexp(k, -150));
        return points;
    case tfmt_f64: return turning_points_of_wide(52, -1070, 1023);
    case tfmt_s32:
    case tfmt_s64:
        for (int e = -2; e <= 66; ++e)
            for (double offset : {-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0})
                points.push_back(std::ldexp(1.0, e) + offset);
        return points;
    case tfmt_boolean: return {0, 0.25, 0.5, 1, 1.5, 2, 1e-45, 1e-320, 1e300};
    default: return turning_points_of_narrow(dst_type);
    }
}

// Each point with either sign and the source's elements beside it.
void add_turning_points(tfmt_data_type_t src_type, tfmt_data_type_t dst_type, bit_list *list) {
    const std::vector<double> points = turning_points(dst_type);
    const auto stride = static_cast<size_t>(1 + points.size() / scaled(40000));
    for (size_t i = 0; i < points.size(); i += stride)
        for (double value : {points[i], -points[i]}) {
            const uint64_t bits = encode(src_type, value);
            list->insert(list->end(), {bits - 1, bits, bits + 1});
        }
}

// 2^e and one or three units of each mantissa that is shorter than e, and their neighbours: ties of
// every floating point type.
void add_integer_ties(tfmt_data_type_t src_type, bit_list *list) {
    for (int e = 0; e < type_bits(src_type) - 1; ++e)
        for (int m = 1; m <= e + 1; ++m)
            for (uint64_t odd : {1, 3})
                for (uint64_t beside : {-1, 0, 1}) {
                    const uint64_t value = (uint64_t {1} << e) + (odd << (e + 1 - m)) + beside;
                    list->insert(list->end(), {value, ~value + 1});
                }
}

// Zeros, infinities, quiet and signalling NaNs with payloads high and low, the ends of denormals
// and of normal numbers.
void add_special_f64(bit_list *list) {
    for (uint64_t magnitude : {uint64_t {0}, uint64_t {1}, uint64_t {0x000fffffffffffff},
                 uint64_t {0x0010000000000000}, uint64_t {0x7fefffffffffffff},
                 uint64_t {0x7ff0000000000000}, uint64_t {0x7ff0000000000001},
                 uint64_t {0x7ff4000020000000}, uint64_t {0x7ff8000000000000},
                 uint64_t {0x7ffaaaaaaaaaaaaa}, uint64_t {0x7fffffffffffffff},
                 uint64_t {0x3ff0000000000000}, uint64_t {0x36a0000000000000},
                 uint64_t {0x380fffffffffffff}, uint64_t {0x47efffffefffffff}})
        list->insert(list->end(), {magnitude, magnitude | uint64_t {1} << 63});
}

bit_list patterns_of(tfmt_data_type_t src_type, tfmt_data_type_t dst_type) {
    bit_list list;
    if (type_bits(src_type) <= 16) {
        add_all_patterns(src_type, &list);
        return list;
    }
    if (src_type == tfmt_f32) add_high_halves_of_f32(&list);
    if (src_type == tfmt_f64) add_special_f64(&list);
    if (src_type == tfmt_s32 || src_type == tfmt_s64) add_integer_ties(src_type, &list);
    add_turning_points(src_type, dst_type, &list);
    random_source random(static_cast<uint64_t>(src_type * 100 + dst_type));
    for (int i = 0; i < scaled(3000); ++i)
        list.push_back(random.bits());
    return list;
}

conversion_case make_case(tfmt_data_type_t src_type, tfmt_data_type_t dst_type) {
    const bit_list list = patterns_of(src_type, dst_type);
    conversion_case c;
    c.src_type = src_type;
    c.dst_type = dst_type;
    c.nelems = static_cast<int64_t>(list.size());
    c.src.resize(static_cast<size_t>(bytes_for_elements(src_type, c.nelems)));
    c.dst.resize(static_cast<size_t>(bytes_for_elements(dst_type, c.nelems)));
    for (int64_t i = 0; i < c.nelems; ++i) {
        store_bits(src_type, c.src.data(), i, list[static_cast<size_t>(i)]);
        const uint64_t stored = load_bits(src_type, c.src.data(), i);
        store_bits(dst_type, c.dst.data(), i, convert_bits(src_type, stored, dst_type));
    }
    return c;
}

} // namespace

const conversion_case &conversion_case_of(tfmt_data_type_t src_type, tfmt_data_type_t dst_type) {
    static std::map<std::pair<int, int>, conversion_case> cases;
    const auto key = std::make_pair(static_cast<int>(src_type), static_cast<int>(dst_type));
    const auto found = cases.find(key);
    if (found != cases.end()) return found->second;
    return cases.emplace(key, make_case(src_type, dst_type)).first->second;
}

conversion_case repeated(const conversion_case &from, int64_t nelems, int64_t first, int64_t step) {
    conversion_case c;
    c.src_type = from.src_type;
    c.dst_type = from.dst_type;
    c.nelems = nelems;
    c.src.resize(static_cast<size_t>(bytes_for_elements(c.src_type, nelems)));
    c.dst.resize(static_cast<size_t>(bytes_for_elements(c.dst_type, nelems)));
    for (int64_t i = 0; i < nelems; ++i) {
        const int64_t at = (first + i * step) % from.nelems;
        store_bits(c.src_type, c.src.data(), i, load_bits(from.src_type, from.src.data(), at));
        store_bits(c.dst_type, c.dst.data(), i, load_bits(from.dst_type, from.dst.data(), at));
    }
    return c;
}
