// SPDX-License-Identifier: Apache-2.0
#include "cpu/masked_sums.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/exec/parallel.hpp"

namespace tfmt::cpu {

namespace {

// Columns at most; as 16-bit and 32-bit sums they stay in L1.
constexpr dim_t max_columns = 256;
// Columns from which on a row pays for its loop.
constexpr dim_t enough_columns = 64;
// Rows of -128 that a 16-bit sum can take.
constexpr dim_t max_narrow_rows = 256;

constexpr int strip = 64; // columns in a loop that the compiler unrolls

inline void add_strip(int16_t *__restrict sums, const int8_t *__restrict p) {
    for (int c = 0; c < strip; ++c)
        sums[c] = static_cast<int16_t>(sums[c] + p[c]);
}

void add_block(int16_t *__restrict sums, const int8_t *p, dim_t width, dim_t n_rows, dim_t stride) {
    for (dim_t row = 0; row < n_rows; ++row, p += stride) {
        dim_t c = 0;
        for (; c + strip <= width; c += strip)
            add_strip(sums + c, p + c);
        for (; c < width; ++c)
            sums[c] = static_cast<int16_t>(sums[c] + p[c]);
    }
}

} // namespace

// Sums of columns: 16 bits wide while they fit, 32 behind.
class masked_sums::accumulator {
public:
    explicit accumulator(dim_t width) : width_(width) {
        std::fill(narrow_, narrow_ + width, int16_t(0));
        std::fill(wide_, wide_ + width, 0u);
    }

    void add(const int8_t *p, dim_t width, dim_t n_rows, dim_t stride) {
        while (n_rows > 0) {
            const dim_t n = std::min(n_rows, max_narrow_rows - n_narrow_rows_);
            add_block(narrow_, p, width, n, stride);
            n_narrow_rows_ += n;
            if (n_narrow_rows_ == max_narrow_rows) widen();
            n_rows -= n;
            p += n * stride;
        }
    }

    const uint32_t *columns() {
        widen();
        return wide_;
    }

private:
    void widen() {
        for (dim_t c = 0; c < width_; ++c) {
            wide_[c] += static_cast<uint32_t>(narrow_[c]);
            narrow_[c] = 0;
        }
        n_narrow_rows_ = 0;
    }

    dim_t width_;
    dim_t n_narrow_rows_ = 0;
    alignas(64) int16_t narrow_[max_columns];
    alignas(64) uint32_t wide_[max_columns];
};

masked_sums::masked_sums(const memory_desc &md, int mask) : offset0_(md.offset0) {
    const std::vector<axis> axes = axes_of(md, mask);
    for (const axis &a : axes)
        n_elems_ *= a.extent;
    for (size_t i = choose_columns(axes); i < axes.size(); ++i) {
        if (axes[i].entry_stride == 0)
            rows_.insert(rows_.begin(), axes[i]);
        else
            items_.push_back(axes[i]);
    }
    for (const axis &a : items_)
        n_items_ *= a.extent;
    number_entries();
}

// Inner to outer, neighbours fused that are one axis.
std::vector<masked_sums::axis> masked_sums::axes_of(const memory_desc &md, int mask) {
    dims_t entry_strides = {}, blocks;
    dim_t n_entries = 1;
    for (int d = md.ndims - 1; d >= 0; --d)
        if (mask >> d & 1) {
            entry_strides[d] = n_entries;
            n_entries *= md.padded_dims[d];
        }
    block_sizes(md, blocks);
    std::vector<axis> axes;
    for (int d = 0; d < md.ndims; ++d)
        axes.push_back(
                {md.padded_dims[d] / blocks[d], md.strides[d], entry_strides[d] * blocks[d]});
    dim_t stride = 1;
    for (int i = md.inner_nblks - 1; i >= 0; --i) {
        const dim_t d = md.inner_idxs[i];
        axes.push_back({md.inner_blks[i], stride, entry_strides[d]});
        stride *= md.inner_blks[i];
        entry_strides[d] *= md.inner_blks[i];
    }
    axes.erase(
            std::remove_if(axes.begin(), axes.end(), [](const axis &a) { return a.extent == 1; }),
            axes.end());
    std::sort(axes.begin(), axes.end(),
            [](const axis &a, const axis &b) { return a.stride < b.stride; });
    std::vector<axis> fused;
    for (const axis &a : axes) {
        const bool is_one_with_last = !fused.empty()
                && a.stride == fused.back().stride * fused.back().extent
                && a.entry_stride == fused.back().entry_stride * fused.back().extent;
        if (is_one_with_last)
            fused.back().extent *= a.extent;
        else
            fused.push_back(a);
    }
    return fused;
}

// Takes axes from inside as long as they lie together, until a row is wide enough. Returns how many
// it has dealt with.
size_t masked_sums::choose_columns(const std::vector<axis> &axes) {
    for (size_t i = 0; i < axes.size(); ++i) {
        const axis &a = axes[i];
        if (a.stride != width_ || width_ >= enough_columns) return i;
        if (a.extent > max_columns / width_) {
            const bool is_kept = a.entry_stride != 0;
            const dim_t wanted = is_kept ? max_columns : enough_columns + width_ - 1;
            split_axis(a, wanted / width_);
            return i + 1;
        }
        columns_.push_back(a);
        width_ *= a.extent;
    }
    return axes.size();
}

// `steps` of the axis are columns, the rest goes around them.
void masked_sums::split_axis(const axis &a, dim_t steps) {
    const dim_t n_whole = a.extent / steps, n_left = a.extent % steps;
    columns_.push_back({steps, a.stride, a.entry_stride});
    rest_width_ = n_left * width_;
    width_ *= steps;
    if (a.entry_stride == 0) {
        rows_.push_back({n_whole, steps * a.stride, 0});
        rest_row_offset_ = n_whole * steps * a.stride;
    } else {
        is_last_item_narrow_ = n_left > 0;
        items_.push_back({n_whole + (n_left > 0), steps * a.stride, steps * a.entry_stride});
    }
}

void masked_sums::number_entries() {
    entry_offsets_.assign(1, 0);
    for (const axis &a : columns_) {
        if (a.entry_stride == 0) continue;
        const size_t n = entry_offsets_.size();
        for (dim_t step = 1; step < a.extent; ++step)
            for (size_t i = 0; i < n; ++i)
                entry_offsets_.push_back(entry_offsets_[i] + step * a.entry_stride);
    }
}

masked_sums::item masked_sums::item_at(const int8_t *base, dim_t number) const {
    item it {base + offset0_, 0, width_};
    for (size_t i = 0; i < items_.size(); ++i) {
        const dim_t step = number % items_[i].extent;
        number /= items_[i].extent;
        it.elements += step * items_[i].stride;
        it.first_entry += step * items_[i].entry_stride;
        if (i == 0 && is_last_item_narrow_ && step == items_[0].extent - 1) it.width = rest_width_;
    }
    return it;
}

// Rows of the axes depth .. end - 1.
void masked_sums::add_rows(
        size_t depth, size_t end, const int8_t *p, dim_t width, accumulator &sums) const {
    if (depth == end) return sums.add(p, width, 1, 0);
    const axis &a = rows_[depth];
    if (depth + 1 == end) return sums.add(p, width, a.extent, a.stride);
    for (dim_t step = 0; step < a.extent; ++step)
        add_rows(depth + 1, end, p + step * a.stride, width, sums);
}

// Adds the columns that belong to one entry, axis by axis from inside; what is kept moves together.
// Returns how many entries there are. A narrow item has fewer steps of the outermost axis, which is
// kept.
dim_t masked_sums::fold(const uint32_t *columns, dim_t width, uint32_t *entries) const {
    std::copy(columns, columns + width, entries);
    dim_t n_kept = 1, n_left = width; // n_left: what is left to be looked at, kept entries included
    for (const axis &a : columns_) {
        if (a.entry_stride != 0) {
            n_kept *= a.extent;
            continue;
        }
        n_left /= a.extent;
        for (dim_t to = 0; to < n_left; to += n_kept) {
            const uint32_t *from = entries + to * a.extent;
            for (dim_t i = 0; i < n_kept; ++i) {
                uint32_t sum = 0;
                for (dim_t step = 0; step < a.extent; ++step)
                    sum += from[step * n_kept + i];
                entries[to + i] = sum;
            }
        }
    }
    return n_left;
}

void masked_sums::write_item(
        const item &it, const compensation_array *arrays, int n_arrays, char *data) const {
    accumulator sums(it.width);
    add_rows(0, rows_.size(), it.elements, it.width, sums);
    const bool has_rest_row = rest_width_ > 0 && !is_last_item_narrow_;
    if (has_rest_row)
        add_rows(0, rows_.size() - 1, it.elements + rest_row_offset_, rest_width_, sums);
    uint32_t entries[max_columns];
    const dim_t n = fold(sums.columns(), it.width, entries);
    for (int a = 0; a < n_arrays; ++a) {
        char *const array = data + arrays[a].offset_bytes + it.first_entry * 4;
        const uint32_t factor = static_cast<uint32_t>(arrays[a].factor);
        for (dim_t i = 0; i < n; ++i) {
            const uint32_t value = factor * entries[i];
            std::memcpy(array + entry_offsets_[static_cast<size_t>(i)] * 4, &value, 4);
        }
    }
}

void masked_sums::run(void *data, const compensation_array *arrays, int n_arrays,
        const tfmt_threadpool_t *pool) const noexcept {
    char *const bytes = static_cast<char *>(data);
    const team threads = team_worth(n_elems_, pool, nullptr, 0);
    parallel_for(threads, n_items_, [&](dim_t begin, dim_t end) {
        for (dim_t number = begin; number < end; ++number)
            write_item(item_at(static_cast<const int8_t *>(data), number), arrays, n_arrays, bytes);
    });
}

} // namespace tfmt::cpu
