// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/tile_cost.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

double stage_cost(const stage &s) {
    switch (s.kind) {
    case stage_kind::unpack: return 1;
    case stage_kind::permute2: return tuning::split_permute2_cost;
    default: return tuning::split_lanes_cost;
    }
}

// Of a vector from chunks of memory, apart from the first one of 16 bytes and more.
double load_cost(const tile &t, const schedule &s, double n_halves) {
    const int chunk_bytes = t.elem_bytes << s.load_run_bits;
    const int n_chunks = t.vector_bytes / chunk_bytes;
    return chunk_bytes < 16 ? tuning::split_small_chunk_cost * n_chunks : n_halves * (n_chunks - 1);
}

} // namespace

double tile_cost(const tile &t, const schedule &s, const std::vector<level> &levels) {
    const double n_halves = std::max(1.0, t.vector_bytes / 32.0);
    double vector = load_cost(t, s, n_halves);
    for (const stage &each : s.stages)
        vector += n_halves * stage_cost(each);
    const int n_vectors = 1 << (int(t.bits.size()) - t.n_lane_bits());
    double n_tiles = 1;
    for (const level &l : levels)
        n_tiles *= double(l.extent);
    return n_tiles * (tuning::split_tile_cost + n_vectors * vector);
}

} // namespace tfmt::cpu
