// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/compensation.hpp"

// Sums of s8 elements in any layout over the dimensions outside a mask, at the speed at which they
// are read. In: a descriptor whose padding holds zeros. Out: each sum times the factor of each
// array, modulo 2^32, for every index of the dimensions in the mask.
//
// The layout is a list of axes {extent, stride}; those of dimensions in the mask also have a stride
// in the array (they are kept), the others are summed over. The innermost axes, up to a few hundred
// bytes that lie together, are the columns. All rows of such columns are added up column by column,
// which needs no shuffle whatever the pattern within the row is; only then the columns that belong
// to one entry are added. Kept axes around the columns number the items, which threads share: each
// entry is written once, by one thread.
//
// Worked example: ABcd4b16a4b over 64x64x3x3, mask 1. A row is 16a4b, 64 bytes; 4b, cd and B follow
// without gaps and are one axis of 144 rows; A numbers 4 items. An item adds 144 rows of 64 columns
// and then 4 neighbouring columns for each of 16 entries.
namespace tfmt::cpu {

class masked_sums {
public:
    // Adds n_rows rows of `width` elements to as many sums of 16 bits, which do not overflow.
    using add_block_fn = void (*)(
            int16_t *sums, const int8_t *p, dim_t width, dim_t n_rows, dim_t stride);

    // isa: instructions that may be used.
    masked_sums(const memory_desc &md, int mask, tfmt_cpu_isa_t isa);

    // data: the base pointer of the tensor; the arrays lie at their offsets from it. pool: as
    // in an execution.
    void run(void *data, const compensation_array *arrays, int n_arrays,
            const tfmt_threadpool_t *pool) const noexcept;

private:
    struct axis {
        dim_t extent;
        dim_t stride;       // in elements
        dim_t entry_stride; // in the array; 0: summed over
    };
    struct item {
        const int8_t *elements;
        dim_t first_entry;
        dim_t width; // columns, as many as width_ or less
    };
    class accumulator;

    static std::vector<axis> axes_of(const memory_desc &md, int mask);
    size_t choose_columns(const std::vector<axis> &axes);
    void split_axis(const axis &a, dim_t steps);
    void number_entries();
    item item_at(const int8_t *base, dim_t number) const;
    void add_rows(size_t depth, size_t end, const int8_t *p, dim_t width, accumulator &sums) const;
    template <typename T>
    dim_t fold(const T *columns, dim_t width, uint32_t *entries) const;
    dim_t sum_item(const item &it, uint32_t *entries) const;
    void write_item(
            const item &it, const compensation_array *arrays, int n_arrays, char *data) const;

    add_block_fn add_block_;
    dim_t offset0_;
    dim_t n_elems_ = 1;
    dim_t n_items_ = 1;
    std::vector<axis> columns_; // inner to outer
    dim_t width_ = 1;           // product of their extents
    std::vector<axis> rows_;    // outer to inner
    std::vector<axis> items_;   // inner to outer
    // Of an axis that is columns in part: what is left over from whole steps. Summed over: a last,
    // shorter row. Kept: a narrower item at the end of items_[0].
    dim_t rest_width_ = 0;
    dim_t rest_row_offset_ = 0;
    bool is_last_item_narrow_ = false;
    std::vector<dim_t> entry_offsets_; // of the entries that columns_ keeps, in their order
    int n_folds_ = 0;                  // axes of columns_ that are summed over
};

} // namespace tfmt::cpu
