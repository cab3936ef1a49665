// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "cpu/program.hpp"

// The programs of a reorder for destinations that begin within a line (plan/line_grid), each made
// when the first one that begins there is executed: which places these will be is not known before,
// and most reorders meet none. Finding one again is a comparison, without a lock or an allocation,
// from any number of threads.
namespace tfmt::cpu {

class programs_behind_lines {
public:
    programs_behind_lines(const move_problem &p, const machine &m) : problem_(p), machine_(m) {}
    ~programs_behind_lines();
    programs_behind_lines(const programs_behind_lines &) = delete;
    programs_behind_lines &operator=(const programs_behind_lines &) = delete;

    // bytes_behind_line: 0 to 63. Null where there is none: `for_any`, the plan for any
    // destination, is as good, or there is no room for one more, or no memory.
    const program *find(dim_t bytes_behind_line, const plan &for_any) const noexcept;

    std::string to_text() const; // of those that were made

private:
    struct entry {
        dim_t bytes_behind_line;
        std::unique_ptr<const program> what; // null where there is none
    };
    std::unique_ptr<const entry> make(dim_t bytes_behind_line, const plan &for_any) const;

    // As many as there are multiples of 16 bytes in a line: allocators return no other places.
    static constexpr size_t n_entries = 3;

    const move_problem problem_;
    const machine machine_;
    // Filled from the front, each written once.
    mutable std::array<std::atomic<const entry *>, n_entries> entries_ {};
};

} // namespace tfmt::cpu
