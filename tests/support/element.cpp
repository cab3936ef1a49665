// SPDX-License-Identifier: Apache-2.0
#include "support/element.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace tfmt_test {
namespace {

struct type_row {
    tfmt_data_type_t type;
    const char *name;
    int bits;
};

const type_row type_rows[] = {
        {tfmt_f16, "f16", 16},
        {tfmt_bf16, "bf16", 16},
        {tfmt_f32, "f32", 32},
        {tfmt_s32, "s32", 32},
        {tfmt_s8, "s8", 8},
        {tfmt_u8, "u8", 8},
        {tfmt_f64, "f64", 64},
        {tfmt_boolean, "boolean", 8},
        {tfmt_f8_e5m2, "f8_e5m2", 8},
        {tfmt_f8_e4m3, "f8_e4m3", 8},
        {tfmt_s4, "s4", 4},
        {tfmt_u4, "u4", 4},
        {tfmt_e8m0, "e8m0", 8},
        {tfmt_f4_e2m1, "f4_e2m1", 4},
        {tfmt_s64, "s64", 64},
};

const type_row &row_of(tfmt_data_type_t type) {
    for (const type_row &row : type_rows)
        if (row.type == type) return row;
    throw std::logic_error("oracle: unknown data type " + std::to_string(static_cast<int>(type)));
}

// What the largest exponent field means.
enum class top_exponent {
    ieee,        // infinity, and NaN where the mantissa is not 0
    one_nan,     // ordinary numbers but for the all-ones mantissa, which is NaN
    all_numbers, // ordinary numbers
};

struct float_format {
    int exponent_bits;
    int mantissa_bits;
    int bias;
    top_exponent top;
    bool saturates;

    uint64_t sign_bit() const { return uint64_t {1} << (exponent_bits + mantissa_bits); }
    uint64_t mantissa_mask() const { return (uint64_t {1} << mantissa_bits) - 1; }
    uint64_t exponent_mask() const { return (uint64_t {1} << exponent_bits) - 1; }
    uint64_t infinity() const { return exponent_mask() << mantissa_bits; }
    uint64_t quiet_nan() const {
        if (top == top_exponent::ieee) return infinity() | (uint64_t {1} << (mantissa_bits - 1));
        return top == top_exponent::one_nan ? infinity() | mantissa_mask() : 0;
    }
    uint64_t max_finite() const {
        if (top == top_exponent::ieee) return infinity() - 1;
        return (infinity() | mantissa_mask()) - (top == top_exponent::one_nan ? 1 : 0);
    }
};

const float_format *format_of(tfmt_data_type_t type) {
    static const float_format f16 {5, 10, 15, top_exponent::ieee, false};
    static const float_format bf16 {8, 7, 127, top_exponent::ieee, false};
    static const float_format f32 {8, 23, 127, top_exponent::ieee, false};
    static const float_format f64 {11, 52, 1023, top_exponent::ieee, false};
    static const float_format e5m2 {5, 2, 15, top_exponent::ieee, true};
    static const float_format e4m3 {4, 3, 7, top_exponent::one_nan, true};
    static const float_format e2m1 {2, 1, 1, top_exponent::all_numbers, true};
    switch (type) {
    case tfmt_f16: return &f16;
    case tfmt_bf16: return &bf16;
    case tfmt_f32: return &f32;
    case tfmt_f64: return &f64;
    case tfmt_f8_e5m2: return &e5m2;
    case tfmt_f8_e4m3: return &e4m3;
    case tfmt_f4_e2m1: return &e2m1;
    default: return nullptr;
    }
}

// The number a non-negative code would stand for if the top exponent were an ordinary one. For the
// code of infinity this is the next power of two, which is where IEEE 754 rounds to infinity.
double magnitude_of(const float_format &format, uint64_t code) {
    const auto exponent = static_cast<int>(code >> format.mantissa_bits);
    const auto mantissa = static_cast<double>(code & format.mantissa_mask());
    const int scale = -format.bias - format.mantissa_bits;
    if (exponent == 0) return std::ldexp(mantissa, scale + 1);
    return std::ldexp(std::ldexp(1.0, format.mantissa_bits) + mantissa, scale + exponent);
}

bool is_nan_code(const float_format &format, uint64_t bits) {
    const uint64_t code = bits & (format.sign_bit() - 1);
    if (format.top == top_exponent::ieee) return code > format.infinity();
    return format.top == top_exponent::one_nan && code == format.quiet_nan();
}

double decode_float(const float_format &format, uint64_t bits) {
    const uint64_t code = bits & (format.sign_bit() - 1);
    double value = 0;
    if (is_nan_code(format, bits))
        value = std::numeric_limits<double>::quiet_NaN();
    else if (format.top == top_exponent::ieee && code == format.infinity())
        value = std::numeric_limits<double>::infinity();
    else
        value = magnitude_of(format, code);
    return (bits & format.sign_bit()) ? -value : value;
}

// The code among 0..last whose magnitude is nearest to `magnitude`, ties to the even code. Codes
// ascend with their magnitudes. `magnitude` is at most that of `last`.
template <typename Magnitude>
uint64_t nearest_code(double magnitude, uint64_t last, Magnitude &&magnitude_of_code) {
    uint64_t below = 0;
    uint64_t above = last + 1;
    while (above - below > 1) {
        const uint64_t middle = below + (above - below) / 2;
        if (magnitude_of_code(middle) <= magnitude)
            below = middle;
        else
            above = middle;
    }
    if (below == last) return below;
    const long double down = static_cast<long double>(magnitude) - magnitude_of_code(below);
    const long double up = static_cast<long double>(magnitude_of_code(below + 1)) - magnitude;
    if (down != up) return down < up ? below : below + 1;
    return below % 2 == 0 ? below : below + 1;
}

// Magnitudes of the 16-bit formats, so that converting a whole tensor takes seconds, not minutes.
const std::vector<double> &magnitude_table(tfmt_data_type_t type) {
    static const auto make = [](tfmt_data_type_t t) {
        const float_format &format = *format_of(t);
        std::vector<double> table(format.infinity() + 1);
        for (uint64_t code = 0; code < table.size(); ++code)
            table[code] = magnitude_of(format, code);
        return table;
    };
    static const std::vector<double> f16 = make(tfmt_f16);
    static const std::vector<double> bf16 = make(tfmt_bf16);
    return type == tfmt_f16 ? f16 : bf16;
}

uint64_t encode_float(tfmt_data_type_t type, double value) {
    const float_format &format = *format_of(type);
    const uint64_t sign = std::signbit(value) ? format.sign_bit() : 0;
    if (std::isnan(value)) return format.quiet_nan() == 0 ? 0 : sign | format.quiet_nan();
    const double magnitude = std::fabs(value);
    const uint64_t last = format.saturates ? format.max_finite() : format.infinity();
    if (magnitude >= magnitude_of(format, last)) return sign | last;
    if (type == tfmt_f16 || type == tfmt_bf16) {
        const std::vector<double> &table = magnitude_table(type);
        return sign | nearest_code(magnitude, last, [&](uint64_t code) { return table[code]; });
    }
    return sign | nearest_code(magnitude, last, [&](uint64_t code) {
        return magnitude_of(format, code);
    });
}

// Nearest even, saturated to lo..hi. hi may be 2^63-1, which is not a double: what reaches 2^63
// saturates, all below fits.
int64_t encode_integer(double value, int64_t lo, int64_t hi) {
    if (std::isnan(value)) return 0;
    const double rounded = std::nearbyint(value);
    if (rounded <= static_cast<double>(lo)) return lo;
    if (rounded >= static_cast<double>(hi)) return hi;
    return static_cast<int64_t>(rounded);
}

double e8m0_value(uint64_t code) { return std::ldexp(1.0, static_cast<int>(code) - 127); }

uint64_t encode_e8m0(double value) {
    if (std::isnan(value)) return 0xff;
    if (value <= e8m0_value(0)) return 0;
    if (value >= e8m0_value(0xfe)) return 0xfe;
    return nearest_code(value, 0xfe, e8m0_value);
}

template <typename Integer>
double decode_integer(uint64_t bits) {
    return static_cast<double>(static_cast<Integer>(bits));
}

double sign_extend_nibble(uint64_t bits) {
    const auto value = static_cast<double>(bits & 0xf);
    return value >= 8 ? value - 16 : value;
}

// The NaN that a conversion makes of a NaN, both sides floating point: the sign, as many top bits
// of the payload as fit, and quiet. bf16 to f32 alone appends zeros and leaves a signalling NaN so.
// Formats with a single NaN have no payload to give or to take.
uint64_t convert_nan(tfmt_data_type_t src_type, uint64_t bits, tfmt_data_type_t dst_type) {
    const float_format &src = *format_of(src_type);
    const float_format &dst = *format_of(dst_type);
    const uint64_t sign = (bits & src.sign_bit()) ? dst.sign_bit() : 0;
    if (dst.top == top_exponent::all_numbers) return 0;
    if (dst.top == top_exponent::one_nan) return sign | dst.quiet_nan();
    uint64_t payload = 0; // of 52 bits, as in f64
    if (src.top == top_exponent::ieee)
        payload = (bits & src.mantissa_mask()) << (52 - src.mantissa_bits);
    const uint64_t mantissa = payload >> (52 - dst.mantissa_bits);
    const bool stays_signalling = src_type == tfmt_bf16 && dst_type == tfmt_f32;
    return sign | mantissa | (stays_signalling ? dst.infinity() : dst.quiet_nan());
}

} // namespace

const std::vector<tfmt_data_type_t> &every_type() {
    static const std::vector<tfmt_data_type_t> types = [] {
        std::vector<tfmt_data_type_t> list;
        for (const type_row &row : type_rows)
            list.push_back(row.type);
        return list;
    }();
    return types;
}

bool parse_type(const std::string &name, tfmt_data_type_t *type) {
    for (const type_row &row : type_rows)
        if (name == row.name) return *type = row.type, true;
    return false;
}

const char *type_name(tfmt_data_type_t type) { return row_of(type).name; }
int type_bits(tfmt_data_type_t type) { return row_of(type).bits; }
bool is_float_type(tfmt_data_type_t type) { return format_of(type) != nullptr; }

int64_t bytes_for_elements(tfmt_data_type_t type, int64_t nelems) {
    const int bits = type_bits(type);
    return bits == 4 ? (nelems + 1) / 2 : nelems * (bits / 8);
}

uint64_t load_bits(tfmt_data_type_t type, const void *base, int64_t index) {
    const auto *bytes = static_cast<const unsigned char *>(base);
    const int bits = type_bits(type);
    if (bits == 4) return (bytes[index / 2] >> (index % 2 ? 4 : 0)) & 0xf;
    uint64_t value = 0;
    for (int b = 0; b < bits / 8; ++b)
        value |= static_cast<uint64_t>(bytes[index * (bits / 8) + b]) << (8 * b);
    return value;
}

void store_bits(tfmt_data_type_t type, void *base, int64_t index, uint64_t value) {
    auto *bytes = static_cast<unsigned char *>(base);
    const int bits = type_bits(type);
    if (bits == 4) {
        const int shift = index % 2 ? 4 : 0;
        const int other = bytes[index / 2] & (0xf0 >> shift);
        bytes[index / 2] = static_cast<unsigned char>(other | ((value & 0xf) << shift));
        return;
    }
    for (int b = 0; b < bits / 8; ++b)
        bytes[index * (bits / 8) + b] = static_cast<unsigned char>(value >> (8 * b));
}

double decode(tfmt_data_type_t type, uint64_t bits) {
    if (type == tfmt_f64) {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (const float_format *format = format_of(type)) return decode_float(*format, bits);
    switch (type) {
    case tfmt_s64: return decode_integer<int64_t>(bits);
    case tfmt_s32: return decode_integer<int32_t>(bits);
    case tfmt_s8: return decode_integer<int8_t>(bits);
    case tfmt_u8: return decode_integer<uint8_t>(bits);
    case tfmt_s4: return sign_extend_nibble(bits);
    case tfmt_u4: return static_cast<double>(bits & 0xf);
    case tfmt_boolean: return bits != 0 ? 1.0 : 0.0;
    case tfmt_e8m0:
        return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : e8m0_value(bits);
    default: throw std::logic_error("oracle: decode of an unknown data type");
    }
}

bool is_nan_bits(tfmt_data_type_t type, uint64_t bits) {
    if (type == tfmt_e8m0) return bits == 0xff;
    const float_format *format = format_of(type);
    return format && is_nan_code(*format, bits);
}

uint64_t encode_by_search(tfmt_data_type_t type, double value) { return encode_float(type, value); }

uint64_t encode(tfmt_data_type_t type, double value) {
    switch (type) {
    case tfmt_f64: {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    case tfmt_f32: {
        const auto narrow = static_cast<float>(value);
        uint32_t bits = 0;
        std::memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    case tfmt_s64: return static_cast<uint64_t>(encode_integer(value, INT64_MIN, INT64_MAX));
    case tfmt_s32: return static_cast<uint32_t>(encode_integer(value, INT32_MIN, INT32_MAX));
    case tfmt_s8: return static_cast<uint8_t>(encode_integer(value, -128, 127));
    case tfmt_u8: return static_cast<uint8_t>(encode_integer(value, 0, 255));
    case tfmt_s4: return static_cast<uint64_t>(encode_integer(value, -8, 7)) & 0xf;
    case tfmt_u4: return static_cast<uint64_t>(encode_integer(value, 0, 15));
    case tfmt_boolean: return value != 0 ? 1 : 0; // NaN is not zero
    case tfmt_e8m0: return encode_e8m0(value);
    default: return encode_float(type, value);
    }
}

uint64_t convert_bits(tfmt_data_type_t src_type, uint64_t bits, tfmt_data_type_t dst_type) {
    if (src_type == dst_type) return bits;
    if (is_nan_bits(src_type, bits) && is_float_type(src_type) && is_float_type(dst_type))
        return convert_nan(src_type, bits, dst_type);
    return encode(dst_type, decode(src_type, bits));
}

} // namespace tfmt_test
