// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensorfmt/tensorfmt.h"

// Where elements lie, by the tests' own reading. A layout comes from a descriptor's queried fields
// or, independently, from a tag; comparing the two finds a wrongly made descriptor.
namespace tfmt_test {

using dims = std::vector<int64_t>;

struct desc_deleter {
    void operator()(tfmt_memory_desc_t md) const { tfmt_memory_desc_destroy(md); }
};
using desc_ptr = std::unique_ptr<tfmt_memory_desc, desc_deleter>;

// An array of int32_t behind the elements: their sums over the dimensions outside the mask, times
// the factor.
struct sum_array {
    int mask = 0;
    int64_t factor = 0;

    bool operator==(const sum_array &o) const { return mask == o.mask && factor == o.factor; }
};

// All counts are elements. strides[d] is the distance between neighbouring outer blocks of
// dimension d; the inner blocks lie dense behind them, the last one innermost.
struct layout {
    tfmt_data_type_t data_type = tfmt_data_type_undef;
    dims logical; // the dims
    dims padded;
    dims strides;
    int64_t offset0 = 0;
    dims inner_blks;
    std::vector<int> inner_idxs;
    std::vector<sum_array> sums; // compensation, in the order of the arrays

    int ndims() const { return static_cast<int>(logical.size()); }
    bool is_zero_sized() const;
};

// Throws std::runtime_error if a query fails or the descriptor is not a blocked one.
layout read_layout(const_tfmt_memory_desc_t md);

// The dense layout of a tag: letters a..l, domain letters (nChw16c, gOIw4i16o4i, ldigo) or
// upper-case framework names (NHWC, NCHW32, CHWN4). Throws std::runtime_error on any other text.
layout layout_from_tag(const dims &logical, tfmt_data_type_t type, const std::string &tag);

// "" if both say the same, else what differs. Strides of zero-sized tensors are not compared.
std::string difference(const layout &read, const layout &wanted);

// Contribution of index i of dimension d to the element offset: table[d][i], 0 <= i < padded[d].
// The offset of a logical index is offset0 plus the sum over the dimensions.
using offset_table = std::vector<std::vector<int64_t>>;
offset_table offset_table_of(const layout &l);

int64_t element_offset(const layout &l, const dims &index);

// Elements and bytes from the base pointer to the end of the last element, padding included.
int64_t span_elements(const layout &l);
int64_t span_bytes(const layout &l);

// Entries of an array of sums: one for each index of the masked dimensions, padding included.
int64_t sum_entries(const layout &l, const sum_array &sums);

// What a buffer must have: the span and, from the next multiple of 4 on, the arrays of sums.
int64_t buffer_bytes(const layout &l);

std::string dims_text(const dims &values); // "2x40x5x4"

} // namespace tfmt_test
