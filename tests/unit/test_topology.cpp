// SPDX-License-Identifier: Apache-2.0
//
// Topologies from hwloc's synthetic notation, and what the host and the fallback say.
#include <gtest/gtest.h>

#include <string>

#include "common/status.hpp"
#include "cpu/exec/openmp.hpp"
#include "cpu/topology/topology.hpp"

using tfmt::cpu::fallback_topology;
using tfmt::cpu::fill_in_defaults;
using tfmt::cpu::host_topology;
using tfmt::cpu::is_bound_by_openmp;
using tfmt::cpu::load_synthetic;
using tfmt::cpu::topology;

namespace {

void expect_sound(const topology &t) {
    EXPECT_GE(t.n_cores, 1);
    EXPECT_GE(t.n_pus, t.n_cores);
    EXPECT_GE(t.n_numa_nodes, 1);
}

} // namespace

#ifdef TENSORFMT_HAVE_HWLOC

TEST(synthetic_topology, two_nodes_with_threads) {
    const topology t = load_synthetic("numa:2 l3:1 l2:8 l1d:1 core:1 pu:2");
    expect_sound(t);
    EXPECT_EQ(t.n_cores, 16);
    EXPECT_EQ(t.n_pus, 32);
    EXPECT_EQ(t.n_numa_nodes, 2);
}

TEST(synthetic_topology, processors_without_cores_or_caches) {
    const topology t = load_synthetic("pu:6");
    expect_sound(t);
    EXPECT_EQ(t.n_cores, 6);
    EXPECT_EQ(t.n_pus, 6);
}

TEST(synthetic_topology, loading_leaves_the_host_alone) {
    const int n_cores = host_topology().n_cores;
    load_synthetic("numa:2 core:64 pu:1");
    EXPECT_EQ(host_topology().n_cores, n_cores);
}

TEST(synthetic_topology, nonsense_is_refused_with_its_text) {
    for (const char *description : {"nonsense", "core:", "pu:2 core:2"}) {
        try {
            load_synthetic(description);
            ADD_FAILURE() << description << " was accepted";
        } catch (const tfmt::failure &f) {
            EXPECT_EQ(f.status(), tfmt_invalid_arguments);
            EXPECT_NE(std::string(f.what()).find(description), std::string::npos) << f.what();
        }
    }
    EXPECT_THROW(load_synthetic(nullptr), tfmt::failure);
}

TEST(host_topology, agrees_with_the_fallback) {
    const topology &host = host_topology();
    const topology fallback = fallback_topology();
    if (is_bound_by_openmp()) GTEST_SKIP() << "the affinity mask is not the process's";
    EXPECT_EQ(host.n_pus, fallback.n_pus);
}

#else

TEST(synthetic_topology, needs_hwloc) {
    try {
        load_synthetic("pu:2");
        ADD_FAILURE() << "accepted";
    } catch (const tfmt::failure &f) { EXPECT_EQ(f.status(), tfmt_unimplemented); }
}

#endif

TEST(host_topology, is_sound_and_loaded_once) {
    expect_sound(host_topology());
    EXPECT_EQ(&host_topology(), &host_topology());
}

TEST(fallback_topology, is_sound) { expect_sound(fallback_topology()); }

TEST(fallback_topology, defaults_stand_in_for_what_is_unknown) {
    topology t {};
    fill_in_defaults(t);
    expect_sound(t);
    EXPECT_EQ(t.n_cores, 1);
}
