// SPDX-License-Identifier: Apache-2.0
#include "cpu/programs_behind_lines.hpp"

#include <utility>

#include "cpu/plan/line_grid.hpp"

namespace tfmt::cpu {

programs_behind_lines::~programs_behind_lines() {
    for (const std::atomic<const entry *> &slot : entries_)
        delete slot.load(std::memory_order_acquire);
}

const program *programs_behind_lines::find(
        dim_t bytes_behind_line, const plan &for_any) const noexcept {
    // What never has a program takes no room.
    if (bytes_behind_line == 0 || 8 * bytes_behind_line % problem_.dst_elem_bits() != 0)
        return nullptr;
    for (std::atomic<const entry *> &slot : entries_) {
        const entry *there = slot.load(std::memory_order_acquire);
        if (!there) {
            try {
                // Of threads that come with the same place at once the first one stays.
                auto made = make(bytes_behind_line, for_any);
                if (slot.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel))
                    there = made.release();
            } catch (...) { return nullptr; } // a want of memory, which passes
        }
        if (there->bytes_behind_line == bytes_behind_line) return there->what.get();
    }
    return nullptr;
}

std::unique_ptr<const programs_behind_lines::entry> programs_behind_lines::make(
        dim_t bytes_behind_line, const plan &for_any) const {
    std::unique_ptr<program> made;
    plan p;
    if (make_plan_behind_line(problem_, machine_, bytes_behind_line, for_any, &p)) {
        made = std::make_unique<program>(std::move(p));
        std::vector<ir::kernel> kernels;
        made->append_kernels(kernels);
        made->take_code(jit::compile(kernels, machine_).data());
    }
    return std::make_unique<const entry>(entry {bytes_behind_line, std::move(made)});
}

std::string programs_behind_lines::to_text() const {
    std::string text;
    for (const std::atomic<const entry *> &slot : entries_) {
        const entry *e = slot.load(std::memory_order_acquire);
        if (!e || !e->what) continue;
        text += "if dst is " + std::to_string(e->bytes_behind_line);
        text += " bytes behind a multiple of 64:\n";
        text += e->what->to_text();
        text += "else:\n";
    }
    return text;
}

} // namespace tfmt::cpu
