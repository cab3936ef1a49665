// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/exec/shares.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/topology/numa.hpp"

#ifdef _OPENMP
#include <omp.h>

#include "cpu/exec/late_joins.hpp"
#endif

// The one place where work is handed to threads: the caller's pool if there is one, else OpenMP's.
namespace tfmt::cpu {

namespace detail {

template <typename Body>
struct pool_job {
    shares &work;
    bool with_nodes;
    Body &body;

    static void run(void *self, int task) {
        const pool_job &job = *static_cast<const pool_job *>(self);
        job.work.work(task, job.with_nodes ? current_numa_node() : no_node, job.body);
    }
};

#ifdef _OPENMP
template <typename Body>
void run_on_openmp(int n_tasks, shares &work, bool with_nodes, Body &body) {
    late_joins &joins = process_late_joins();
    const bool is_watching = joins.is_watching();
    const int64_t wall_start = wall_ns(), busy_start = is_watching ? thread_busy_ns() : 0;
    int64_t busy_end = busy_start;
#pragma omp parallel num_threads(n_tasks)
    {
        // The team may be smaller than asked for.
        const int thread = omp_get_thread_num(), n = omp_get_num_threads();
        for (int task = thread; task < n_tasks; task += n)
            work.work(task, with_nodes ? current_numa_node() : no_node, body);
        if (thread == 0 && is_watching) busy_end = thread_busy_ns();
    }
    const int64_t took_ns = wall_ns() - wall_start;
    if (is_watching)
        joins.note(busy_end - busy_start, took_ns);
    else
        joins.note_unwatched(took_ns);
}
#endif

// Not inlined: its 4 KiB of stack and its setup are nothing for a small tensor to pay.
template <typename Body>
[[gnu::noinline]] void run_on_team(const team &t, int n_tasks, dim_t n_items, Body &body) {
    shares work(n_tasks, n_items);
    const bool with_nodes = place_shares(t, work);
    if (t.pool) {
        pool_job<Body> job {work, with_nodes, body};
        t.pool->parallel_for(t.pool->context, n_tasks, &pool_job<Body>::run, &job);
        return;
    }
#ifdef _OPENMP
    run_on_openmp(n_tasks, work, with_nodes, body);
#else
    for (int task = 0; task < n_tasks; task++)
        work.work(task, no_node, body);
#endif
}

} // namespace detail

// Calls body(begin, end) for disjoint ranges that together are [0, n_items), on the threads of
// `t`. body must not throw. With one thread it is a plain call. Takes no lock and allocates
// nothing, but where OpenMP starts threads and where place_shares() is the first to ask for the
// topology.
template <typename Body>
void parallel_for(const team &t, dim_t n_items, Body &&body) {
    const int n_tasks = t.n_threads < n_items ? t.n_threads : int(n_items);
    if (n_tasks > 1)
        detail::run_on_team(t, n_tasks, n_items, body);
    else if (n_items > 0)
        body(dim_t(0), n_items);
}

} // namespace tfmt::cpu
