// SPDX-License-Identifier: Apache-2.0
#include "support/oracle.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "support/element.hpp"

namespace tfmt_test {
namespace {

// Walks every index of the padded dims of `dst`. Calls element(src offset, dst offset) for logical
// elements and padding(dst offset) for the rest.
template <typename Element, typename Padding>
class walker {
public:
    walker(const layout &src, const layout &dst, Element &element, Padding &padding)
        : dst_(dst),
          src_table_(offset_table_of(src)),
          dst_table_(offset_table_of(dst)),
          element_(element),
          padding_(padding) {}

    void walk(int d, int64_t src_offset, int64_t dst_offset, bool inside) {
        if (d == dst_.ndims()) {
            if (inside)
                element_(src_offset, dst_offset);
            else
                padding_(dst_offset);
            return;
        }
        const int64_t *to = dst_table_[d].data();
        const int64_t n_inside = inside ? dst_.logical[d] : 0;
        if (d + 1 == dst_.ndims()) { // the same without a call for each element
            const int64_t *from = src_table_[d].data();
            for (int64_t i = 0; i < n_inside; ++i)
                element_(src_offset + from[i], dst_offset + to[i]);
            for (int64_t i = n_inside; i < dst_.padded[d]; ++i)
                padding_(dst_offset + to[i]);
            return;
        }
        for (int64_t i = 0; i < n_inside; ++i)
            walk(d + 1, src_offset + src_table_[d][i], dst_offset + to[i], true);
        for (int64_t i = n_inside; i < dst_.padded[d]; ++i)
            walk(d + 1, 0, dst_offset + to[i], false);
    }

private:
    const layout &dst_;
    const offset_table src_table_;
    const offset_table dst_table_;
    Element &element_;
    Padding &padding_;
};

template <typename Element, typename Padding>
void for_each_element(const layout &src, const layout &dst, Element element, Padding padding) {
    if (src.logical != dst.logical)
        throw std::runtime_error("oracle: dims differ: " + dims_text(src.logical) + " and "
                + dims_text(dst.logical));
    walker<Element, Padding>(src, dst, element, padding).walk(0, src.offset0, dst.offset0, true);
}

// Moves of whole bytes, as plain loads and stores of one width.
template <typename Word>
void move_words(const layout &src, const void *src_data, const layout &dst, void *dst_data) {
    const auto *from = static_cast<const unsigned char *>(src_data);
    auto *to = static_cast<unsigned char *>(dst_data);
    for_each_element(
            src, dst,
            [=](int64_t s, int64_t d) {
                std::memcpy(to + d * sizeof(Word), from + s * sizeof(Word), sizeof(Word));
            },
            [=](int64_t d) { std::memset(to + d * sizeof(Word), 0, sizeof(Word)); });
}

void convert_elements(const layout &src, const void *src_data, const layout &dst, void *dst_data) {
    const tfmt_data_type_t src_type = src.data_type;
    const tfmt_data_type_t dst_type = dst.data_type;
    for_each_element(
            src, dst,
            [=](int64_t s, int64_t d) {
                const uint64_t bits = load_bits(src_type, src_data, s);
                store_bits(dst_type, dst_data, d, convert_bits(src_type, bits, dst_type));
            },
            [=](int64_t d) { store_bits(dst_type, dst_data, d, 0); });
}

// The logical index whose element lies at `offset`, as text.
std::string describe_offset(const layout &l, int64_t offset) {
    const offset_table table = offset_table_of(l);
    dims index(l.logical.size(), 0);
    std::string found;
    const auto search = [&](const auto &self, size_t d, int64_t rest, bool inside) -> bool {
        if (d == index.size()) {
            if (rest != 0) return false;
            found = inside ? "element" : "padding";
            return true;
        }
        for (int64_t i = 0; i < l.padded[d]; ++i) {
            const int64_t here = table[d][static_cast<size_t>(i)];
            index[d] = i;
            if (here <= rest && self(self, d + 1, rest - here, inside && i < l.logical[d]))
                return true;
        }
        return false;
    };
    const bool is_in_tensor = !l.is_zero_sized() && search(search, 0, offset - l.offset0, true);
    if (!is_in_tensor) return "a gap";
    std::string text = found + " (";
    for (size_t d = 0; d < index.size(); ++d)
        text += (d ? "," : "") + std::to_string(index[d]);
    return text + ")";
}

std::string describe_difference(
        const layout &l, const unsigned char *actual, const unsigned char *expected, int64_t byte) {
    const int bits = type_bits(l.data_type);
    int64_t offset = bits == 4 ? byte * 2 : byte / (bits / 8);
    if (bits == 4 && (actual[byte] & 0xf) == (expected[byte] & 0xf)) ++offset;
    char values[80];
    std::snprintf(values, sizeof values, "0x%llx, wanted 0x%llx",
            static_cast<unsigned long long>(load_bits(l.data_type, actual, offset)),
            static_cast<unsigned long long>(load_bits(l.data_type, expected, offset)));
    return "byte " + std::to_string(byte) + " (element offset " + std::to_string(offset) + ", "
            + describe_offset(l, offset) + ") is " + values;
}

// The first byte that differs, or `size`.
int64_t first_difference(const unsigned char *a, const unsigned char *b, int64_t size) {
    constexpr int64_t chunk = 4096;
    for (int64_t from = 0; from < size; from += chunk) {
        const int64_t n = size - from < chunk ? size - from : chunk;
        if (std::memcmp(a + from, b + from, static_cast<size_t>(n)) == 0) continue;
        while (a[from] == b[from])
            ++from;
        return from;
    }
    return size;
}

} // namespace

void oracle_reorder(const layout &src, const void *src_data, const layout &dst, void *dst_data) {
    const bool is_move = src.data_type == dst.data_type;
    switch (is_move ? type_bits(src.data_type) : 0) {
    case 8: return move_words<uint8_t>(src, src_data, dst, dst_data);
    case 16: return move_words<uint16_t>(src, src_data, dst, dst_data);
    case 32: return move_words<uint32_t>(src, src_data, dst, dst_data);
    case 64: return move_words<uint64_t>(src, src_data, dst, dst_data);
    default: return convert_elements(src, src_data, dst, dst_data);
    }
}

void oracle_reorder(const_tfmt_memory_desc_t src, const void *src_data,
        const_tfmt_memory_desc_t dst, void *dst_data) {
    oracle_reorder(read_layout(src), src_data, read_layout(dst), dst_data);
}

void oracle_zero_pad(const layout &l, void *data) {
    for_each_element(
            l, l, [](int64_t, int64_t) {}, [&](int64_t d) { store_bits(l.data_type, data, d, 0); });
}

bool oracle_padding_is_zero(const layout &l, const void *data) {
    bool is_zero = true;
    for_each_element(
            l, l, [](int64_t, int64_t) {},
            [&](int64_t d) { is_zero = is_zero && load_bits(l.data_type, data, d) == 0; });
    return is_zero;
}

std::string compare_bytes(const layout &l, const void *actual, const void *expected, int64_t size) {
    const auto *a = static_cast<const unsigned char *>(actual);
    const auto *e = static_cast<const unsigned char *>(expected);
    const int64_t byte = first_difference(a, e, size);
    if (byte == size) return "";
    if (byte >= span_bytes(l))
        return "byte " + std::to_string(byte) + ", of compensation, is wrong";
    return describe_difference(l, a, e, byte);
}

} // namespace tfmt_test
