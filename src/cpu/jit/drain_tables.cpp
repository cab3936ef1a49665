// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/drain_tables.hpp"

#include <algorithm>

namespace tfmt::cpu::jit {

namespace {

bool is_narrow(int64_t v) { return v == int32_t(v); }

bool are_narrow(const ir::scratch_run &r) {
    return is_narrow(r.scratch_offset_bytes) && is_narrow(r.dst_offset_bytes) && is_narrow(r.bytes);
}

bool are_narrow(const ir::kernel &k) {
    const auto are_narrow_in = [](const ir::drain &d) {
        return std::all_of(d.runs.begin(), d.runs.end(),
                [](const ir::scratch_run &r) { return are_narrow(r); });
    };
    return std::all_of(k.drains.begin(), k.drains.end(), are_narrow_in)
            && std::all_of(k.fetched_offset_bytes.begin(), k.fetched_offset_bytes.end(), is_narrow);
}

bool have_same_runs(const ir::drain &a, const ir::drain &b) {
    return std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
            [](const ir::scratch_run &x, const ir::scratch_run &y) {
                return x.scratch_offset_bytes == y.scratch_offset_bytes
                        && x.dst_offset_bytes == y.dst_offset_bytes && x.bytes == y.bytes;
            });
}

// The first drain of these runs.
size_t first_with_runs_of(const std::vector<ir::drain> &drains, size_t index) {
    const auto same = [&](const ir::drain &d) { return have_same_runs(d, drains[index]); };
    return size_t(std::find_if(drains.begin(), drains.end(), same) - drains.begin());
}

} // namespace

drain_tables::drain_tables(const ir::kernel &k) : number_bytes_(are_narrow(k) ? 4 : 8) {
    number_bytes_ == 4 ? fill<int32_t>(k) : fill<int64_t>(k);
}

template <typename Number>
void drain_tables::fill(const ir::kernel &k) {
    const std::vector<int64_t> &lines = k.fetched_offset_bytes;
    std::vector<Number> numbers(lines.begin(), lines.end());
    for (size_t i = 0; i < k.drains.size(); i++) {
        const size_t same = first_with_runs_of(k.drains, i);
        offsets_bytes_.push_back(
                same < i ? offsets_bytes_[same] : int(numbers.size() * sizeof(Number)));
        if (same == i) append_runs(numbers, k.drains[i], lines.size());
    }
    const auto *bytes = reinterpret_cast<const uint8_t *>(numbers.data());
    data_.assign(bytes, bytes + numbers.size() * sizeof(Number));
}

// The lines are fetched a few at a time, from the first run on.
template <typename Number>
void drain_tables::append_runs(std::vector<Number> &numbers, const ir::drain &d, size_t n_lines) {
    const size_t lines_per_run = (n_lines + d.runs.size() - 1) / d.runs.size();
    size_t at = numbers.size();
    numbers.resize(at + n_fields * (d.runs.size() + 1), 0);
    for (const ir::scratch_run &r : d.runs) {
        const size_t n = std::min(lines_per_run, n_lines);
        n_lines -= n;
        numbers[at + scratch] = Number(r.scratch_offset_bytes);
        numbers[at + dst] = Number(r.dst_offset_bytes);
        numbers[at + bytes] = Number(r.bytes);
        numbers[at + fetched] = Number(n);
        at += n_fields;
    }
}

} // namespace tfmt::cpu::jit
