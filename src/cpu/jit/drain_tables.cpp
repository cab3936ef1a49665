// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/drain_tables.hpp"

#include <algorithm>

#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::jit {

namespace {

bool is_narrow(int64_t v) { return v == int32_t(v); }

bool are_narrow(const ir::drain &d) {
    return std::all_of(d.runs.begin(), d.runs.end(), [](const ir::scratch_runs &r) {
        return is_narrow(r.scratch_offset_bytes) && is_narrow(r.dst_offset_bytes)
                && is_narrow(r.bytes) && is_narrow(r.count) && is_narrow(r.scratch_step_bytes)
                && is_narrow(r.dst_step_bytes);
    });
}

int64_t gap_behind(const line_rows &r) { return r.step_bytes - r.n_lines * tuning::line_bytes; }

bool are_narrow(const line_rows &r) {
    return is_narrow(r.offset_bytes) && is_narrow(r.n_rows) && is_narrow(r.n_lines)
            && is_narrow(gap_behind(r));
}

bool are_narrow(const ir::kernel &k) {
    const auto is_narrow_drain = [](const ir::drain &d) { return are_narrow(d); };
    const auto is_narrow_line = [](const line_rows &r) { return are_narrow(r); };
    return std::all_of(k.drains.begin(), k.drains.end(), is_narrow_drain)
            && std::all_of(k.fetched_lines.begin(), k.fetched_lines.end(), is_narrow_line);
}

bool have_same_runs(const ir::drain &a, const ir::drain &b) {
    return std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
            [](const ir::scratch_runs &x, const ir::scratch_runs &y) {
                return lie_alike(x, y) && x.bytes == y.bytes;
            });
}

// The first drain of these runs.
size_t first_with_runs_of(const std::vector<ir::drain> &drains, size_t index) {
    const auto same = [&](const ir::drain &d) { return have_same_runs(d, drains[index]); };
    return size_t(std::find_if(drains.begin(), drains.end(), same) - drains.begin());
}

// How often a drain fetches lines, at least: some of a run's bytes may be moved before its first
// whole line.
int64_t n_fetches(const ir::drain &d, bool is_in_lines) {
    if (!is_in_lines) return ir::n_runs(d);
    constexpr int64_t between_bytes = drain_tables::lines_between_fetches * tuning::line_bytes;
    int64_t n = 0;
    for (const ir::scratch_runs &r : d.runs)
        n += r.count * (1 + std::max<int64_t>(0, r.bytes - tuning::line_bytes + 1) / between_bytes);
    return n;
}

} // namespace

drain_tables::drain_tables(const ir::kernel &k) : number_bytes_(are_narrow(k) ? 4 : 8) {
    number_bytes_ == 4 ? fill<int32_t>(k) : fill<int64_t>(k);
}

template <typename Number>
void drain_tables::fill(const ir::kernel &k) {
    std::vector<Number> numbers;
    for (const line_rows &r : k.fetched_lines)
        for (int64_t v : {r.offset_bytes, r.n_rows, r.n_lines, gap_behind(r)})
            numbers.push_back(Number(v));
    numbers.resize(numbers.size() + n_line_fields, 0);
    for (size_t i = 0; i < k.drains.size(); i++) {
        const size_t same = first_with_runs_of(k.drains, i);
        offsets_bytes_.push_back(
                same < i ? offsets_bytes_[same] : int(numbers.size() * sizeof(Number)));
        if (same < i) continue;
        const int64_t n = n_fetches(k.drains[i], k.is_streaming && k.piece_step_bytes == 0);
        append_runs(numbers, k.drains[i], ceil_div(count_lines(k.fetched_lines), n));
    }
    const auto *bytes = reinterpret_cast<const uint8_t *>(numbers.data());
    data_.assign(bytes, bytes + numbers.size() * sizeof(Number));
}

// The lines are fetched a few at a time, from the first run on.
template <typename Number>
void drain_tables::append_runs(
        std::vector<Number> &numbers, const ir::drain &d, int64_t n_per_fetch) {
    size_t at = numbers.size();
    numbers.resize(at + n_fields * (d.runs.size() + 1), 0);
    for (const ir::scratch_runs &r : d.runs) {
        numbers[at + scratch] = Number(r.scratch_offset_bytes);
        numbers[at + dst] = Number(r.dst_offset_bytes);
        numbers[at + bytes] = Number(r.bytes);
        numbers[at + count] = Number(r.count);
        numbers[at + scratch_step] = Number(r.scratch_step_bytes);
        numbers[at + dst_step] = Number(r.dst_step_bytes);
        numbers[at + fetched] = Number(n_per_fetch);
        at += n_fields;
    }
}

} // namespace tfmt::cpu::jit
