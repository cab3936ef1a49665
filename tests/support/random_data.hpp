// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tensorfmt/tensorfmt.h"

namespace tfmt_test {

// Random numbers that are the same on every machine and standard library: only the engine's raw
// output is used, no std distribution.
class random_source {
public:
    explicit random_source(uint64_t seed) : engine_(seed) {}

    uint64_t bits() { return engine_(); }
    int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
    int64_t between(int64_t lo, int64_t hi) { return lo + below(hi - lo + 1); }
    bool one_in(int64_t n) { return below(n) == 0; }
    template <typename T>
    const T &pick(const std::vector<T> &values) {
        return values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
    }

private:
    std::mt19937_64 engine_;
};

// Any bit pattern at all, NaNs included: what moves of one type must carry unchanged.
void fill_random_bits(void *data, int64_t size_bytes, random_source &random);

// Elements that exercise a conversion to `dst_type`: ordinary values in its range, ties, values at
// and beyond its ends, zeros of both signs, infinities, NaNs, denormals and raw bit patterns.
void fill_for_conversion(void *data, int64_t size_bytes, tfmt_data_type_t src_type,
        tfmt_data_type_t dst_type, random_source &random);

// Such ordinary values alone, as tensors mostly hold: what is measured with. Denormal numbers take
// some processors 150 cycles each.
void fill_ordinary(void *data, int64_t size_bytes, tfmt_data_type_t src_type,
        tfmt_data_type_t dst_type, random_source &random);

} // namespace tfmt_test
