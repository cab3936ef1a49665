// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "common/checked.hpp"
#include "cpu/plan/plan.hpp"

// The one N-d driver: turns a plan's jobs into calls of its kernels. In: a plan. Out: calls. It
// knows neither what a kernel does nor how it was made (machine code or interpreter).
//
// Jobs that are loops over the same steps to begin with share those loops: main part and tail of a
// row are written in turns, not all main parts first. All root steps of all calls lie one after the
// other on a scale of about the bytes that they write, and a thread takes a contiguous piece of it;
// so two threads have as much to write, and share the lines at one boundary only (where that cuts a
// chain of drains, of each of its runs). But where the outermost loop's steps are near each other
// in the destination, each thread would write in the neighbourhood of all others, in all of it: the
// scale is then the steps of the loop, or the root steps, that are furthest apart there, and a
// thread runs the loops around them for its steps alone.
//
// Worked example: 100 rows of 1000 bytes, each 15 root steps of 64 bytes by kernel 0 and a tail of
// 40 by kernel 1. The scale has 100000 items, and [50000, 100000) begins with row 50. With a loop
// over halves of rows around the rows it has 100 items, and [50, 100) is both halves of 50 rows.
namespace tfmt::cpu {

struct driver_loop {
    int level;
    dim_t first;
    dim_t count;
    dim_t src_step; // of a regular level, bytes
    dim_t dst_step;
    dim_t param_step;
    // Offsets of each step of an irregular level, bytes; empty for a regular one.
    std::vector<dim_t> src_offsets;
    std::vector<dim_t> dst_offsets;

    dim_t src_offset(dim_t i) const {
        return src_offsets.empty() ? wrapping_mul(first + i, src_step) : src_offsets[size_t(i)];
    }
    dim_t dst_offset(dim_t i) const {
        return dst_offsets.empty() ? (first + i) * dst_step : dst_offsets[size_t(i)];
    }
    dim_t param_offset(dim_t i) const { return (first + i) * param_step; }
};

// The calls of one kernel for its root steps, at one place.
struct driver_calls {
    int kernel;
    dim_t root_first; // the level's step that the first root step is
    dim_t root_count;
    dim_t root_chunk; // steps of a call
    dim_t root_align; // where threads may cut: steps after which the destination is again as it was
                      // against lines, or which make a chain that is worth it
    bool has_rest;
    dim_t src_root_step;
    dim_t dst_root_step;
    dim_t param_root_step;
};

struct kernel_call {
    int kernel;
    dim_t src_offset;
    dim_t dst_offset;
    dim_t param_offset;
    dim_t root_count;
    bool with_rest;
};

class driver {
public:
    explicit driver(const plan &p);

    // What threads share: root steps by the bytes that they write, or the steps of a level.
    struct scale {
        int level; // -1: bytes
        dim_t n_items;
    };

    // Chosen for so many threads, 1 and more.
    scale scale_for(int n_threads) const;

    // The call that makes all root steps, if one does.
    std::optional<kernel_call> only_call() const;

    // Makes the calls for the root steps that begin in [begin, end): call(const kernel_call &).
    template <typename Call>
    void run(const scale &s, dim_t begin, dim_t end, Call &&call) const {
        const offsets start {src_offset_, dst_offset_, 0};
        if (s.level < 0)
            walk(nodes_, begin, end, start, call);
        else
            walk_level(s.level, nodes_, begin, end, start, call);
    }
    template <typename Call>
    void run_all(Call &&call) const {
        run(scale_for(1), 0, n_items_, call);
    }

private:
    // A level that is the driver's or the root of its calls, and regular.
    struct shared_level {
        int level;
        dim_t n_steps;
        double n_full_steps; // the last one is shorter
        dim_t dst_step;
    };

    struct offsets {
        dim_t src;
        dim_t dst;
        dim_t param;
    };

    // A loop around others, or calls.
    struct node {
        driver_loop loop;
        std::vector<node> inside; // empty: calls
        driver_calls calls;
        dim_t step_items; // of a step of the loop, of a root step of calls
        dim_t n_items;

        dim_t n_steps() const { return calls.root_count > 0 ? calls.root_count : 1; }
    };

    static std::vector<shared_level> levels_to_share(const plan &p);
    static std::vector<node> &find_place(std::vector<node> &nodes, const plan &p, const job &j);
    static dim_t count_items(std::vector<node> &nodes);

    // The first root step that begins at `item`, which is above 0, or behind it, rounded up to
    // where threads may cut.
    static dim_t first_step(const node &n, dim_t item);

    // The same for an item that is a root step of the level.
    static dim_t first_level_step(const node &n, dim_t item);

    // `step` or the first one behind it where threads may cut, n_steps() at most.
    static dim_t next_cut(const node &n, dim_t step);

    template <typename Call>
    static void walk(const std::vector<node> &nodes, dim_t begin, dim_t end, const offsets &at,
            Call &&call) {
        for (const node &n : nodes) {
            if (end <= 0) return;
            if (begin < n.n_items) {
                if (n.inside.empty())
                    run_calls(n, begin, end, at, call);
                else
                    run_loop(n, begin, end, at, call);
            }
            begin -= n.n_items;
            end -= n.n_items;
        }
    }

    // The same where items are steps of `level`.
    template <typename Call>
    static void walk_level(int level, const std::vector<node> &nodes, dim_t begin, dim_t end,
            const offsets &at, Call &&call) {
        for (const node &n : nodes) {
            if (n.inside.empty()) {
                call_steps(n, first_level_step(n, begin), first_level_step(n, end), at, call);
                continue;
            }
            const driver_loop &loop = n.loop;
            const bool is_shared = loop.level == level;
            const dim_t first = is_shared ? std::max<dim_t>(0, begin - loop.first) : 0;
            const dim_t last = is_shared ? std::min(loop.count, end - loop.first) : loop.count;
            for (dim_t i = first; i < last; i++) {
                if (is_shared)
                    walk(n.inside, 0, n.step_items, step_of(loop, i, at), call);
                else
                    walk_level(level, n.inside, begin, end, step_of(loop, i, at), call);
            }
        }
    }

    static offsets step_of(const driver_loop &loop, dim_t i, const offsets &at) {
        return {wrapping_add(at.src, loop.src_offset(i)), at.dst + loop.dst_offset(i),
                at.param + loop.param_offset(i)};
    }

    template <typename Call>
    static void run_loop(const node &n, dim_t begin, dim_t end, const offsets &at, Call &&call) {
        for (dim_t i = begin > 0 ? begin / n.step_items : 0; i < n.loop.count; i++) {
            const dim_t item = i * n.step_items;
            if (item >= end) return;
            walk(n.inside, begin - item, end - item, step_of(n.loop, i, at), call);
        }
    }

    template <typename Call>
    static void run_calls(const node &n, dim_t begin, dim_t end, const offsets &at, Call &&call) {
        call_steps(n, begin > 0 ? first_step(n, begin) : 0,
                end < n.n_items ? first_step(n, end) : n.n_steps(), at, call);
    }

    // Of the steps [first, last).
    template <typename Call>
    static void call_steps(const node &n, dim_t first, dim_t last, const offsets &at, Call &&call) {
        const driver_calls &c = n.calls;
        for (dim_t step = first, count; step < last; step += count) {
            count = last - step;
            // A last chunk shorter than half a chunk is not worth a call of its own.
            if (count - c.root_chunk >= (c.root_chunk + 1) / 2) count = c.root_chunk;
            const dim_t at_step = c.root_first + step;
            call(kernel_call {c.kernel,
                    wrapping_add(at.src, wrapping_mul(at_step, c.src_root_step)),
                    at.dst + at_step * c.dst_root_step, at.param + at_step * c.param_root_step,
                    c.root_count > 0 ? count : 0, c.has_rest && (step + count >= c.root_count)});
        }
    }

    std::vector<node> nodes_;
    std::vector<shared_level> levels_; // outer to inner; none where their order does not matter
    dim_t n_items_ = 0;
    dim_t src_offset_ = 0;
    dim_t dst_offset_ = 0;
};

} // namespace tfmt::cpu
