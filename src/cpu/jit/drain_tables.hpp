// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/ir/ir.hpp"

// What the drains of a kernel read while they run, as it stands behind the code: the lines to
// fetch, one list for all drains, and for each drain a table with an entry for each run. Numbers
// are 4 bytes wide where all of them fit, else 8. Drains of the same runs share a table.
//
// Worked example: 128 runs and 512 lines. The list takes 2 KiB, the table 2 KiB and an end; each
// entry counts 4 lines, which are the next 4 of the list.
namespace tfmt::cpu::jit {

class drain_tables {
public:
    drain_tables() = default; // of a kernel without drains
    explicit drain_tables(const ir::kernel &k);

    // An entry: offsets in scratch and destination, bytes (0 ends the table), how many lines are
    // to be fetched before. The list of lines stands at the beginning.
    enum field { scratch, dst, bytes, fetched, n_fields };
    int field_offset_bytes(field f) const { return int(f) * number_bytes_; }

    int number_bytes() const { return number_bytes_; }
    int offset_bytes(int drain) const { return offsets_bytes_[size_t(drain)]; }
    const std::vector<uint8_t> &data() const { return data_; }

private:
    template <typename Number>
    void fill(const ir::kernel &k);
    template <typename Number>
    static void append_runs(std::vector<Number> &numbers, const ir::drain &d, size_t n_lines);

    int number_bytes_ = 4;
    std::vector<int> offsets_bytes_; // of each drain's table
    std::vector<uint8_t> data_;
};

} // namespace tfmt::cpu::jit
