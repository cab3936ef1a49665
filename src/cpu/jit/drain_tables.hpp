// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/ir/ir.hpp"

// What the drains of a kernel read while they run, as it stands before the code: the lines to
// fetch, one list for all drains, and for each drain a table of its runs. Numbers are 4 bytes wide
// where all of them fit, else 8. Drains of the same runs share a table.
//
// Worked example: 16 times 16 runs at unequal steps and 64 rows of 8 lines. The table has 16
// entries of 28 bytes and an end, the list one of 16 bytes and an end. Before each run the next 2
// of the 512 lines are fetched. (An entry of 16 bytes for each run and 4 for each line were 6 KiB,
// most of a kernel, and took 0.2 of the time to make it.)
namespace tfmt::cpu::jit {

class drain_tables {
public:
    drain_tables() = default; // of a kernel without drains
    explicit drain_tables(const ir::kernel &k);

    // An entry: runs of equal length and steps; how many lines are to be fetched at the beginning
    // of each, if it streams behind every few of its lines as well. A count of 0 ends the table.
    enum field { scratch, dst, bytes, count, scratch_step, dst_step, fetched, n_fields };
    // Of the list, which stands at the beginning: the first line, rows, lines of a row (0 ends the
    // list), and from behind a row to the next.
    enum line_field { line, n_rows, n_lines, row_gap, n_line_fields };
    static constexpr int lines_between_fetches = 4;
    int offset_of(int field) const { return field * number_bytes_; }

    int number_bytes() const { return number_bytes_; }
    int offset_bytes(int drain) const { return offsets_bytes_[size_t(drain)]; }
    const std::vector<uint8_t> &data() const { return data_; }

private:
    template <typename Number>
    void fill(const ir::kernel &k);
    template <typename Number>
    static void append_runs(std::vector<Number> &numbers, const ir::drain &d, int64_t n_per_fetch);

    int number_bytes_ = 4;
    std::vector<int> offsets_bytes_; // of each drain's table
    std::vector<uint8_t> data_;
};

} // namespace tfmt::cpu::jit
