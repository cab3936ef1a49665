// SPDX-License-Identifier: Apache-2.0
// The arithmetic of attributes, one element at a time.
#include <cmath>
#include <cstring>
#include <limits>

#include "support/attributes.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

namespace tfmt_test {
namespace {

// An f32 or f64 number, the operations of which know what becomes of NaNs. Every result passes
// through memory, so that no compiler fuses two operations.
template <typename Float>
class number {
public:
    static constexpr tfmt_data_type_t type = sizeof(Float) == 4 ? tfmt_f32 : tfmt_f64;
    static constexpr uint64_t sign = uint64_t {1} << (8 * sizeof(Float) - 1);
    static constexpr uint64_t quiet = uint64_t {1} << (std::numeric_limits<Float>::digits - 2);

    number(tfmt_data_type_t from, uint64_t bits) : bits_(convert_bits(from, bits, type)) {}

    uint64_t bits() const { return bits_; }
    number operator+(number r) const { return result(r, value() + r.value()); }
    number operator-(number r) const { return result(r, value() - r.value()); }
    number operator*(number r) const { return result(r, value() * r.value()); }
    number operator/(number r) const { return result(r, value() / r.value()); }

private:
    bool is_nan() const { return is_nan_bits(type, bits_); }

    Float value() const {
        Float v = 0;
        std::memcpy(&v, &bits_, sizeof v); // little-endian, as is all that the library runs on
        return v;
    }

    number result(number right, volatile Float computed) const {
        if (is_nan()) return {type, bits_ | quiet};
        if (right.is_nan()) return {type, right.bits_ | quiet};
        const Float plain = computed;
        const uint64_t infinity = encode(type, std::numeric_limits<double>::infinity());
        if (std::isnan(plain)) return {type, sign | infinity | quiet};
        uint64_t bits = 0;
        std::memcpy(&bits, &plain, sizeof plain);
        return {type, bits};
    }

    uint64_t bits_;
};

template <typename Float>
uint64_t quantize_in(const attributes &attr, const dims &logical, const dims &index,
        tfmt_data_type_t src_type, uint64_t src_bits, tfmt_data_type_t dst_type,
        uint64_t old_bits) {
    using C = number<Float>;
    const auto value_of = [&](const parameter &p) {
        return C(p.type, load_bits(p.type, p.values.data(), p.number_of(logical, index)));
    };
    C t(src_type, src_bits);
    if (attr.src_zero_points.is_set) t = t - value_of(attr.src_zero_points);
    if (attr.src_scales.is_set) t = t * value_of(attr.src_scales);
    if (attr.reads_dst()) {
        uint32_t beta_bits = 0;
        std::memcpy(&beta_bits, &attr.beta, sizeof beta_bits);
        t = t + C(tfmt_f32, beta_bits) * C(dst_type, old_bits);
    }
    if (attr.dst_scales.is_set) t = t / value_of(attr.dst_scales);
    if (attr.dst_zero_points.is_set) t = t + value_of(attr.dst_zero_points);
    return convert_bits(C::type, t.bits(), dst_type);
}

bool needs_f64(tfmt_data_type_t type) {
    return type == tfmt_f64 || type == tfmt_s32 || type == tfmt_s64;
}

int64_t offset_of(const layout &l, const offset_table &table, const dims &index) {
    int64_t offset = l.offset0;
    for (size_t d = 0; d < index.size(); ++d)
        offset += table[d][static_cast<size_t>(index[d])];
    return offset;
}

// To the next index in row-major order; false behind the last.
bool advance(const dims &logical, dims *index) {
    for (size_t d = logical.size(); d-- > 0;) {
        if (++(*index)[d] < logical[d]) return true;
        (*index)[d] = 0;
    }
    return false;
}

} // namespace

uint64_t quantize_bits(const attributes &attr, const dims &logical, const dims &index,
        tfmt_data_type_t src_type, uint64_t src_bits, tfmt_data_type_t dst_type,
        uint64_t old_bits) {
    const bool is_wide = needs_f64(src_type) || needs_f64(dst_type);
    return is_wide
            ? quantize_in<double>(attr, logical, index, src_type, src_bits, dst_type, old_bits)
            : quantize_in<float>(attr, logical, index, src_type, src_bits, dst_type, old_bits);
}

void oracle_reorder(const layout &src, const void *src_data, const layout &dst, void *dst_data,
        const attributes &attr) {
    if (attr.is_default()) return oracle_reorder(src, src_data, dst, dst_data);
    if (dst.is_zero_sized()) return;
    const offset_table from = offset_table_of(src), to = offset_table_of(dst);
    dims index(dst.logical.size(), 0);
    do {
        const uint64_t bits = load_bits(src.data_type, src_data, offset_of(src, from, index));
        const int64_t at = offset_of(dst, to, index);
        const uint64_t old_bits = load_bits(dst.data_type, dst_data, at);
        store_bits(dst.data_type, dst_data, at,
                quantize_bits(
                        attr, dst.logical, index, src.data_type, bits, dst.data_type, old_bits));
    } while (advance(dst.logical, &index));
    oracle_zero_pad(dst, dst_data);
}

} // namespace tfmt_test
