// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/numa.hpp"

#include <algorithm>

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cerrno>

namespace tfmt::cpu {

int current_numa_node() noexcept {
#if defined(__linux__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 29)
    unsigned core = 0, node = 0;
    if (getcpu(&core, &node) == 0) return static_cast<int>(node);
#endif
    return -1;
}

void find_numa_nodes(const void *const *addresses, int n, int *nodes) noexcept {
#if defined(__linux__) && defined(SYS_move_pages)
    // Without target nodes, move_pages(2) moves nothing and only tells where pages are.
    const int errno_before = errno;
    const long result = syscall(
            SYS_move_pages, 0, static_cast<unsigned long>(n), addresses, nullptr, nodes, 0);
    errno = errno_before;
    if (result == 0) {
        // Errors, such as that of a page not there yet, are negative numbers.
        std::transform(nodes, nodes + n, nodes, [](int node) { return std::max(node, -1); });
        return;
    }
#else
    (void)addresses;
#endif
    std::fill(nodes, nodes + n, -1);
}

} // namespace tfmt::cpu
