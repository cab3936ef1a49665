// SPDX-License-Identifier: Apache-2.0
#include "support/random_data.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "support/element.hpp"

namespace tfmt_test {
namespace {

// Values at which some conversion changes its mind: ends of integer ranges, halves, the first
// magnitudes that overflow f16 and bf16, the smallest denormals.
const std::vector<double> &special_values() {
    static const double inf = std::numeric_limits<double>::infinity();
    static const std::vector<double> values = {0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 126.5,
            127.0, 127.5, 128.0, -127.5, -128.0, -128.5, -129.0, 254.5, 255.0, 255.5, 256.0,
            65504.0, 65519.0, 65520.0, 65536.0, 2147483520.0, 2147483647.0, 2147483648.0,
            -2147483648.0, -2147483649.0, 9007199254740993.0, 9223372036854775807.0, -9.3e18,
            3.3895313892515355e38, 3.3961775292304957e38, 3.5e38, -1e300, 1e-300,
            5.9604644775390625e-8, 2.98023223876953125e-8, 1.1754943508222875e-38,
            1.401298464324817e-45, inf, -inf, std::numeric_limits<double>::quiet_NaN(),
            -std::numeric_limits<double>::quiet_NaN()};
    return values;
}

double ordinary_value(random_source &random, tfmt_data_type_t dst_type) {
    const bool to_integer = !is_float_type(dst_type);
    const double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53; // 0 .. 1
    const double range = to_integer ? 300.0
                                    : std::ldexp(1.0, static_cast<int>(random.between(-12, 12)));
    return (2 * unit - 1) * range;
}

} // namespace

void fill_random_bits(void *data, int64_t size_bytes, random_source &random) {
    auto *bytes = static_cast<unsigned char *>(data);
    for (int64_t i = 0; i < size_bytes; i += 8) {
        const uint64_t word = random.bits();
        const int64_t n = size_bytes - i < 8 ? size_bytes - i : 8;
        std::memcpy(bytes + i, &word, static_cast<size_t>(n));
    }
}

void fill_for_conversion(void *data, int64_t size_bytes, tfmt_data_type_t src_type,
        tfmt_data_type_t dst_type, random_source &random) {
    fill_random_bits(data, size_bytes, random);
    const int64_t nelems = size_bytes * 8 / type_bits(src_type);
    for (int64_t i = 0; i < nelems; ++i) {
        const int64_t kind = random.below(16);
        if (kind == 0) continue; // the raw bits
        double value = ordinary_value(random, dst_type);
        if (kind == 1) value = random.pick(special_values());
        if (kind <= 3) value = std::floor(value) + 0.5; // ties of the integers
        store_bits(src_type, data, i, encode(src_type, value));
    }
}

void fill_ordinary(void *data, int64_t size_bytes, tfmt_data_type_t src_type,
        tfmt_data_type_t dst_type, random_source &random) {
    const int64_t nelems = size_bytes * 8 / type_bits(src_type);
    for (int64_t i = 0; i < nelems; ++i)
        store_bits(src_type, data, i, encode(src_type, ordinary_value(random, dst_type)));
}

} // namespace tfmt_test
