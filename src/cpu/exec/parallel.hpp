// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

// The one place where work is handed to threads.
namespace tfmt::cpu {

// Calls body(begin, end) for disjoint ranges that cover [0, n_items), on up to n_threads threads
// (one without OpenMP). body must not throw. With one thread, or inside a parallel region of the
// caller that has no threads left, it is a plain call.
template <typename Body>
void parallel_for(int n_threads, dim_t n_items, Body &&body) {
    if (n_threads > n_items) n_threads = int(n_items);
#ifdef _OPENMP
    if (n_threads > 1) {
#pragma omp parallel num_threads(n_threads)
        {
            const dim_t n = omp_get_num_threads(), t = omp_get_thread_num();
            const dim_t share = n_items / n, extra = n_items % n;
            const dim_t begin = t * share + (t < extra ? t : extra);
            body(begin, begin + share + (t < extra));
        }
        return;
    }
#endif
    if (n_items > 0) body(dim_t(0), n_items);
}

} // namespace tfmt::cpu
