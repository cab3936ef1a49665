// SPDX-License-Identifier: Apache-2.0
//
// Who makes the process load hwloc, which takes milliseconds: executions that more than one thread
// may share, and nothing else. Each case is a process of its own, whose exit status is the number
// of topologies that were begun.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "tensorfmt/tensorfmt.hpp"

namespace {
int n_loads = 0;
}

// Stands before hwloc's own for everything that is linked to this executable.
extern "C" int hwloc_topology_init(hwloc_topology_t *topology) {
    n_loads++;
    const auto init = reinterpret_cast<int (*)(hwloc_topology_t *)>(
            dlsym(RTLD_NEXT, "hwloc_topology_init"));
    return init ? init(topology) : -1;
}

namespace {

using tensorfmt::memory;

// 1.6 MB to each side: beyond L2, and enough for two threads.
tensorfmt::reorder make_large() {
    const memory::dims dims {2, 64, 56, 56};
    return {memory::desc(dims, memory::data_type::f32, memory::format_tag::nchw),
            memory::desc(dims, memory::data_type::f32, memory::format_tag::nhwc)};
}

void execute_large() {
    const std::vector<float> src(2 * 64 * 56 * 56, 1.0f);
    std::vector<float> dst(src.size());
    const tensorfmt::reorder large = make_large();
    large.execute(src.data(), dst.data());
    large.execute(src.data(), dst.data());
    if (dst != src) std::_Exit(99);
}

[[noreturn]] void exit_with_n_loads() { std::_Exit(n_loads); }

#define EXPECT_LOADS(n, statement) \
    EXPECT_EXIT( \
            { \
                statement; \
                exit_with_n_loads(); \
            }, \
            ::testing::ExitedWithCode(n), "")

class HwlocLoading : public ::testing::Test {
protected:
    void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(HwlocLoading, CreatingNeedsNone) { EXPECT_LOADS(0, make_large()); }

TEST_F(HwlocLoading, OneThreadToldNeedsNone) {
    EXPECT_LOADS(0, tensorfmt::set_num_threads(1); execute_large());
}

#ifdef _OPENMP

TEST_F(HwlocLoading, OneThreadOfOpenmpNeedsNone) {
    EXPECT_LOADS(0, omp_set_num_threads(1); execute_large());
}

// Then the number of processors is not that of the mask, and a child inherits its parent's core.
bool is_bound() { return omp_get_proc_bind() != omp_proc_bind_false; }

void keep_one_processor() {
#if defined(__linux__)
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) std::_Exit(98);
    size_t cpu = 0;
    while (cpu + 1 < CPU_SETSIZE && !CPU_ISSET(cpu, &allowed))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::_Exit(97);
#endif
}

TEST_F(HwlocLoading, OneProcessorNeedsNone) {
#if !defined(__linux__)
    GTEST_SKIP() << "no affinity masks here";
#endif
    if (is_bound()) GTEST_SKIP() << "threads are bound";
    EXPECT_LOADS(0, keep_one_processor(); omp_set_num_threads(2); execute_large());
}

TEST_F(HwlocLoading, SeveralThreadsNeedOne) {
    if (std::getenv("TENSORFMT_NUM_THREADS")) GTEST_SKIP() << "the environment tells a number";
    if (is_bound()) GTEST_SKIP() << "threads are bound";
    if (access("/sys/devices/system/cpu", R_OK) != 0) GTEST_SKIP() << "hwloc needs /sys";
    if (omp_get_num_procs() < 2) GTEST_SKIP() << "one processor";
    EXPECT_LOADS(1, omp_set_num_threads(2); execute_large(); make_large());
}

#endif

} // namespace
