// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/plan/plan.hpp"

// The one N-d driver: turns a plan's jobs into calls of its kernels. In: a plan. Out: calls. It
// knows neither what a kernel does nor how it was made (machine code or interpreter).
//
// All calls of all jobs are numbered in one sequence; a thread takes a contiguous range of it.
namespace tfmt::cpu {

struct driver_loop {
    dim_t count;
    dim_t src_step; // of a regular level, bytes
    dim_t dst_step;
    // Offsets of each step of an irregular level, bytes; empty for a regular one.
    std::vector<dim_t> src_offsets;
    std::vector<dim_t> dst_offsets;
};

struct driver_job {
    std::vector<driver_loop> loops; // outer to inner
    int kernel;
    dim_t root_count;
    dim_t root_chunk;
    dim_t n_chunks;
    bool has_rest;
    dim_t src_offset;
    dim_t dst_offset;
    dim_t src_root_step;
    dim_t dst_root_step;
    dim_t n_items; // calls
};

struct kernel_call {
    int kernel;
    dim_t src_offset;
    dim_t dst_offset;
    dim_t root_count;
    bool with_rest;
};

class driver {
public:
    explicit driver(const plan &p);

    dim_t n_items() const { return n_items_; }

    // Makes calls [begin, end): call(const kernel_call &).
    template <typename Call>
    void run(dim_t begin, dim_t end, Call &&call) const {
        for (const driver_job &j : jobs_) {
            const dim_t last = end < j.n_items ? end : j.n_items;
            if (begin < last) run_job(j, begin < 0 ? 0 : begin, last, call);
            begin -= j.n_items;
            end -= j.n_items;
            if (end <= 0) return;
        }
    }

private:
    static constexpr int max_loops = 4 * TFMT_MAX_NDIMS;

    // Where a job's loops stand: indices, and the offsets they add up to.
    struct position {
        dim_t index[max_loops];
        dim_t src_offset;
        dim_t dst_offset;
        void go_to(const driver_job &j, dim_t item);
        void advance(const driver_job &j);
        void add_offsets(const driver_job &j);
    };

    template <typename Call>
    static void run_job(const driver_job &j, dim_t begin, dim_t end, Call &&call) {
        position at;
        at.go_to(j, begin / j.n_chunks);
        dim_t chunk = begin % j.n_chunks;
        for (dim_t item = begin; item < end; item++) {
            const dim_t first = chunk * j.root_chunk;
            const dim_t left = j.root_count - first;
            const bool is_last = chunk + 1 == j.n_chunks;
            call(kernel_call {j.kernel, at.src_offset + first * j.src_root_step,
                    at.dst_offset + first * j.dst_root_step, is_last ? left : j.root_chunk,
                    is_last && j.has_rest});
            if (!is_last) {
                chunk++;
            } else {
                chunk = 0;
                at.advance(j);
            }
        }
    }

    std::vector<driver_job> jobs_;
    dim_t n_items_ = 0;
};

} // namespace tfmt::cpu
