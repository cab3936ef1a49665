// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/build_lanes.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

constexpr int max_lanes = 4;
constexpr int max_vectors = 16; // so many leave registers, of 32, to exchange lanes

class lane_block_builder {
public:
    explicit lane_block_builder(int vector_bytes) : vector_bytes_(vector_bytes) {}

    // Of `n_vectors` one behind the other, to the rows at these offsets, one for each lane.
    block make(int n_vectors, const std::vector<int64_t> &rows_bytes) {
        if (rows_bytes.size() == 2)
            add_rows_of_halves(n_vectors, rows_bytes);
        else
            add_rows_of_quarters(n_vectors, rows_bytes);
        return std::move(ops_);
    }

    int n_values() const { return n_values_; }

private:
    // Halves are inserted as they are loaded: one row is written behind the other, whatever the
    // number of registers.
    void add_rows_of_halves(int n_vectors, const std::vector<int64_t> &rows_bytes) {
        for (int row = 0; row < 2; row++)
            for (int i = 0; i < n_vectors; i += 2) {
                const int64_t first = int64_t(i) * vector_bytes_ + row * lane_bytes;
                const int value = load(lane_bytes, {first, first + vector_bytes_});
                store(value, rows_bytes[size_t(row)] + i / 2 * vector_bytes_);
            }
    }

    void add_rows_of_quarters(int n_vectors, const std::vector<int64_t> &rows_bytes) {
        int values[max_lanes][max_vectors / max_lanes];
        for (int i = 0; i < n_vectors; i += max_lanes) {
            int v[max_lanes];
            for (int k = 0; k < max_lanes; k++)
                v[k] = load(vector_bytes_, {int64_t(i + k) * vector_bytes_});
            for (int half = 0; half < 2; half++) {
                const lane_selector selector = half == 0 ? lane_selector::low_half
                                                         : lane_selector::high_half;
                const int first = exchange(v[0], v[1], selector);
                const int second = exchange(v[2], v[3], selector);
                values[2 * half][i / max_lanes] = exchange(first, second, lane_selector::even);
                values[2 * half + 1][i / max_lanes] = exchange(first, second, lane_selector::odd);
            }
        }
        for (int row = 0; row < max_lanes; row++)
            for (int i = 0; i < n_vectors / max_lanes; i++)
                store(values[row][i], rows_bytes[size_t(row)] + i * vector_bytes_);
    }

    int load(int chunk_bytes, std::initializer_list<int64_t> offsets_bytes) {
        op &o = add(op_kind::load);
        o.unit_bytes = chunk_bytes;
        for (int64_t offset : offsets_bytes)
            o.chunks.push_back({offset, low_bits(chunk_bytes)});
        return o.out = n_values_++;
    }

    void store(int value, int64_t offset_bytes) {
        op &o = add(op_kind::store);
        o.unit_bytes = vector_bytes_;
        o.chunks.push_back({offset_bytes, low_bits(vector_bytes_)});
        o.a = value;
    }

    int exchange(int a, int b, lane_selector selector) {
        op &o = add(op_kind::lanes128);
        o.a = a;
        o.b = b;
        o.selector = selector;
        return o.out = n_values_++;
    }

    op &add(op_kind kind) {
        ops_.emplace_back(kind);
        return ops_.back();
    }

    int vector_bytes_;
    int n_values_ = 0;
    block ops_;
};

} // namespace

nest_node drain_of_lanes(const lane_staging &lanes, kernel &k) {
    std::vector<int64_t> rows_bytes {0};
    for (dim_t stride : lanes.dst_strides_bytes)
        for (size_t i = 0, n = rows_bytes.size(); i < n; i++)
            rows_bytes.push_back(rows_bytes[i] + stride);
    const dim_t extent = lanes.row.extent;
    const int n_lanes = lanes.n_lanes();
    int n_vectors = int(std::min<dim_t>(max_vectors, extent)) / n_lanes * n_lanes;
    while (extent % n_vectors != 0)
        n_vectors -= n_lanes;
    lane_block_builder builder(k.vector_bytes);
    nest_node inner;
    inner.block = int(k.blocks.size());
    k.blocks.push_back(builder.make(n_vectors, rows_bytes));
    k.n_values = std::max(k.n_values, builder.n_values());

    const auto loop_around = [&](dim_t count, dim_t scratch_bytes, dim_t dst_bytes) {
        if (count == 1) return;
        nest_node loop;
        loop.count = count;
        loop.src_step_bytes = scratch_bytes;
        loop.dst_step_bytes = dst_bytes;
        loop.children.push_back(std::move(inner));
        inner = std::move(loop);
    };
    loop_around(extent / n_vectors, n_vectors * lanes.row.scratch_stride_bytes,
            n_vectors * lanes.row.dst_stride_bytes);
    for (const scratch_level &l : lanes.around)
        loop_around(l.extent, l.scratch_stride_bytes, l.dst_stride_bytes);
    nest_node drain;
    drain.step = nest_step::drain_lanes;
    drain.src_offset_bytes = tuning::line_bytes;
    drain.children.push_back(std::move(inner));
    return drain;
}

std::vector<scratch_runs> runs_of_lanes(const lane_staging &lanes) {
    std::vector<scratch_level> levels = lanes.around;
    for (size_t i = 0; i < lanes.dst_strides_bytes.size(); i++)
        levels.push_back({2, dim_t(lane_bytes) << i, lanes.dst_strides_bytes[i]});
    std::sort(levels.begin(), levels.end(), [](const scratch_level &a, const scratch_level &b) {
        return a.dst_stride_bytes < b.dst_stride_bytes;
    });
    std::vector<scratch_runs> runs {{tuning::line_bytes, 0, lanes.row.extent * lane_bytes}};
    for (const scratch_level &l : levels) {
        if (runs[0].count == 1) {
            runs[0].count = l.extent;
            runs[0].scratch_step_bytes = l.scratch_stride_bytes;
            runs[0].dst_step_bytes = l.dst_stride_bytes;
            continue;
        }
        const size_t n = runs.size();
        for (dim_t step = 1; step < l.extent; step++)
            for (size_t i = 0; i < n; i++) {
                scratch_runs there = runs[i];
                there.scratch_offset_bytes += step * l.scratch_stride_bytes;
                there.dst_offset_bytes += step * l.dst_stride_bytes;
                runs.push_back(there);
            }
    }
    return runs;
}

} // namespace tfmt::cpu::ir
