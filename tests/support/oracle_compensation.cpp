// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "support/oracle.hpp"

namespace tfmt_test {
namespace {

// The distance of neighbouring indices of dimension d in the array; 0 if it is summed over.
int64_t entry_stride(const layout &l, const sum_array &array, int d) {
    if ((array.mask >> d & 1) == 0) return 0;
    int64_t stride = 1;
    for (int inner = d + 1; inner < l.ndims(); ++inner)
        if (array.mask >> inner & 1) stride *= l.padded[static_cast<size_t>(inner)];
    return stride;
}

struct summing {
    const layout &l;
    const sum_array &array;
    const offset_table offsets;
    std::vector<int64_t> sums;

    // Adds all elements of the dimensions from d on.
    void add(int d, const int8_t *element, int64_t entry) {
        if (d == l.ndims()) {
            sums[static_cast<size_t>(entry)] += *element;
            return;
        }
        const int64_t stride = entry_stride(l, array, d);
        const std::vector<int64_t> &offset = offsets[static_cast<size_t>(d)];
        for (int64_t i = 0; i < l.logical[static_cast<size_t>(d)]; ++i)
            add(d + 1, element + offset[static_cast<size_t>(i)], entry + i * stride);
    }
};

} // namespace

void oracle_compensation(const layout &l, void *data) {
    if (l.is_zero_sized()) return;
    char *at = static_cast<char *>(data) + (span_bytes(l) + 3) / 4 * 4;
    for (const sum_array &array : l.sums) {
        summing s {l, array, offset_table_of(l), {}};
        s.sums.assign(static_cast<size_t>(sum_entries(l, array)), 0);
        s.add(0, static_cast<const int8_t *>(data) + l.offset0, 0);
        for (int64_t sum : s.sums) {
            const auto entry = static_cast<uint32_t>(array.factor * sum);
            std::memcpy(at, &entry, sizeof entry);
            at += sizeof entry;
        }
    }
}

} // namespace tfmt_test
