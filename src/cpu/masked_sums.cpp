// SPDX-License-Identifier: Apache-2.0
#include "cpu/masked_sums.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/exec/parallel.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

constexpr dim_t max_columns = tuning::sum_columns_bytes;
constexpr dim_t enough_columns = tuning::sum_enough_columns_bytes;
constexpr dim_t long_rows = tuning::sum_long_rows;
// Rows of -128 that a 16-bit sum can take.
constexpr dim_t max_narrow_rows = 256;

constexpr int strip = 64; // columns in a loop that the compiler unrolls

// Adds rows to sums of 16 bits. Plain C++, from which the compiler makes a version for each
// instruction set that it is inlined into.
[[gnu::always_inline]] inline void add_rows_of(int16_t *__restrict sums, const int8_t *__restrict p,
        dim_t width, dim_t n_rows, dim_t stride) {
    for (dim_t row = 0; row < n_rows; ++row, p += stride) {
        dim_t c = 0;
        for (; c + strip <= width; c += strip)
            for (dim_t i = c; i < c + strip; ++i)
                sums[i] = static_cast<int16_t>(sums[i] + p[i]);
        for (; c < width; ++c)
            sums[c] = static_cast<int16_t>(sums[c] + p[c]);
    }
}

void add_block(int16_t *sums, const int8_t *p, dim_t width, dim_t n_rows, dim_t stride) {
    add_rows_of(sums, p, width, n_rows, stride);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void add_block_avx2(
        int16_t *sums, const int8_t *p, dim_t width, dim_t n_rows, dim_t stride) {
    add_rows_of(sums, p, width, n_rows, stride);
}
#endif

masked_sums::add_block_fn find_add_block(tfmt_cpu_isa_t isa) {
#if defined(__x86_64__)
    if (isa >= tfmt_cpu_isa_avx2) return add_block_avx2;
#endif
    (void)isa;
    return add_block;
}

// Sums of each group of N neighbours; N is known so that it becomes shuffles and not a loop.
template <int N, typename T>
void add_neighbours(const T *__restrict from, uint32_t *__restrict to, dim_t n_groups) {
    for (dim_t g = 0; g < n_groups; ++g) {
        uint32_t sum = 0;
        for (int i = 0; i < N; ++i)
            sum += static_cast<uint32_t>(from[g * N + i]);
        to[g] = sum;
    }
}

// Adds the groups of `extent` steps, each n_kept columns wide, that `from` consists of; one group
// becomes n_kept columns of `to`.
template <typename T>
void add_steps(const T *__restrict from, uint32_t *__restrict to, dim_t n_groups, dim_t extent,
        dim_t n_kept) {
    if (n_kept == 1 && extent == 2) return add_neighbours<2>(from, to, n_groups);
    if (n_kept == 1 && extent == 4) return add_neighbours<4>(from, to, n_groups);
    for (dim_t g = 0; g < n_groups; ++g, from += extent * n_kept, to += n_kept) {
        if (n_kept == 1) {
            uint32_t sum = 0;
            for (dim_t step = 0; step < extent; ++step)
                sum += static_cast<uint32_t>(from[step]);
            *to = sum;
            continue;
        }
        for (dim_t i = 0; i < n_kept; ++i)
            to[i] = static_cast<uint32_t>(from[i]);
        for (dim_t step = 1; step < extent; ++step)
            for (dim_t i = 0; i < n_kept; ++i)
                to[i] += static_cast<uint32_t>(from[step * n_kept + i]);
    }
}

} // namespace

// Sums of columns: 16 bits wide while they fit, 32 behind.
class masked_sums::accumulator {
public:
    accumulator(add_block_fn add_block, dim_t width) : add_block_(add_block), width_(width) {
        std::fill(narrow_, narrow_ + width, int16_t(0));
    }

    void add(const int8_t *p, dim_t width, dim_t n_rows, dim_t stride) {
        while (n_rows > 0) {
            if (n_narrow_rows_ == max_narrow_rows) widen();
            const dim_t n = std::min(n_rows, max_narrow_rows - n_narrow_rows_);
            add_block_(narrow_, p, width, n, stride);
            n_narrow_rows_ += n;
            n_rows -= n;
            p += n * stride;
        }
    }

    // Calls use(columns) with the sums as they are, of 16 or 32 bits.
    template <typename Use>
    auto columns(Use &&use) {
        if (!is_wide_) return use(static_cast<const int16_t *>(narrow_));
        widen();
        return use(static_cast<const uint32_t *>(wide_));
    }

private:
    void widen() {
        if (!is_wide_) std::fill(wide_, wide_ + width_, 0u);
        is_wide_ = true;
        for (dim_t c = 0; c < width_; ++c) {
            wide_[c] += static_cast<uint32_t>(narrow_[c]);
            narrow_[c] = 0;
        }
        n_narrow_rows_ = 0;
    }

    const add_block_fn add_block_;
    const dim_t width_;
    dim_t n_narrow_rows_ = 0;
    bool is_wide_ = false;
    alignas(64) int16_t narrow_[max_columns];
    alignas(64) uint32_t wide_[max_columns];
};

masked_sums::masked_sums(const memory_desc &md, int mask, tfmt_cpu_isa_t isa)
    : add_block_(find_add_block(isa)), offset0_(md.offset0) {
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

// Takes axes from inside as long as they lie together, until a row is wide enough. Of a long axis
// that is summed over it takes more: its steps beside each other make the additions to one column
// rarer, each of which waits for the one before. Returns how many axes it has dealt with.
size_t masked_sums::choose_columns(const std::vector<axis> &axes) {
    for (size_t i = 0; i < axes.size(); ++i) {
        const axis &a = axes[i];
        const dim_t most_steps = max_columns / width_;
        const bool is_kept = a.entry_stride != 0;
        const bool is_long = !is_kept && a.extent >= long_rows * most_steps && most_steps > 1;
        if (a.stride != width_ || (width_ >= enough_columns && !is_long)) return i;
        if (a.extent > most_steps) {
            const bool takes_most = is_kept || is_long;
            split_axis(a, takes_most ? most_steps : (enough_columns + width_ - 1) / width_);
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
        if (a.entry_stride == 0) {
            ++n_folds_;
            continue;
        }
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
template <typename T>
dim_t masked_sums::fold(const T *columns, dim_t width, uint32_t *entries) const {
    uint32_t other[max_columns];
    uint32_t *to = n_folds_ % 2 == 1 ? entries : other, *last = nullptr;
    dim_t n_kept = 1, n_left = width;
    for (const axis &a : columns_) {
        if (a.entry_stride != 0) {
            n_kept *= a.extent;
            continue;
        }
        n_left /= a.extent;
        if (last)
            add_steps(last, to, n_left / n_kept, a.extent, n_kept);
        else
            add_steps(columns, to, n_left / n_kept, a.extent, n_kept);
        last = to;
        to = to == entries ? other : entries;
    }
    if (!last)
        for (dim_t i = 0; i < width; ++i)
            entries[i] = static_cast<uint32_t>(columns[i]);
    return n_left;
}

dim_t masked_sums::sum_item(const item &it, uint32_t *entries) const {
    if (rows_.empty()) return fold(it.elements, it.width, entries);
    accumulator sums(add_block_, it.width);
    add_rows(0, rows_.size(), it.elements, it.width, sums);
    const bool has_rest_row = rest_width_ > 0 && !is_last_item_narrow_;
    if (has_rest_row)
        add_rows(0, rows_.size() - 1, it.elements + rest_row_offset_, rest_width_, sums);
    return sums.columns([&](const auto *columns) { return fold(columns, it.width, entries); });
}

void masked_sums::write_item(
        const item &it, const compensation_array *arrays, int n_arrays, char *data) const {
    uint32_t entries[max_columns];
    const dim_t n = sum_item(it, entries);
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
