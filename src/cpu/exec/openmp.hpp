// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tfmt::cpu {

// With OMP_PROC_BIND the binding of the threads so far is the OpenMP runtime's doing and says
// nothing of what the process may use.
inline bool is_bound_by_openmp() {
#ifdef _OPENMP
    return omp_get_proc_bind() != omp_proc_bind_false;
#else
    return false;
#endif
}

} // namespace tfmt::cpu
