// SPDX-License-Identifier: Apache-2.0
//
// How the items of an execution come to threads: shares, on one NUMA node and on several, the
// caller's pool, OpenMP, and staying alone after late joins.
#include "cpu/exec/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu/exec/late_joins.hpp"
#include "cpu/plan/tuning.hpp"
#include "cpu/topology/topology.hpp"

namespace {

using namespace tfmt::cpu;
using tfmt::dim_t;
using range = std::pair<dim_t, dim_t>;

// ---------------------------------------------------------------- shares

std::vector<int> order_for(const std::vector<int> &node_of_share, int task, int node) {
    std::vector<int> order(node_of_share.size(), -7);
    order_of_shares(node_of_share.data(), int(node_of_share.size()), task, node, order.data());
    return order;
}

TEST(OrderOfShares, OwnFirstThenRoundTheEnd) {
    const std::vector<int> unknown(4, no_node);
    EXPECT_EQ(order_for(unknown, 0, no_node), (std::vector<int> {0, 1, 2, 3}));
    EXPECT_EQ(order_for(unknown, 3, no_node), (std::vector<int> {3, 0, 1, 2}));
    EXPECT_EQ(order_for(unknown, 6, 1), (std::vector<int> {2, 3, 0, 1})); // more tasks than shares
    EXPECT_EQ(order_for({0, 1, 0, 1}, 2, no_node), (std::vector<int> {2, 3, 0, 1}));
}

TEST(OrderOfShares, SharesOnTheThreadsNodeComeFirst) {
    EXPECT_EQ(order_for({0, 0, 1, 1}, 0, 0), (std::vector<int> {0, 1, 2, 3}));
    EXPECT_EQ(order_for({0, 0, 1, 1}, 0, 1), (std::vector<int> {2, 3, 0, 1}));
    EXPECT_EQ(order_for({0, 1, 0, 1}, 1, 1), (std::vector<int> {1, 3, 2, 0}));
    // Pages that nobody has written yet are as good as near.
    EXPECT_EQ(order_for({1, no_node, 0, 1}, 0, 0), (std::vector<int> {1, 2, 0, 3}));
    // A node that owns none helps all.
    EXPECT_EQ(order_for({0, 0, 1, 1}, 2, 5), (std::vector<int> {2, 3, 0, 1}));
}

#ifdef TENSORFMT_HAVE_HWLOC
// One thread on each core of a machine, as OMP_PROC_BIND=close puts them; the destination lies as
// `node_of_share` says. In each round each thread does one item of the first share that has any in
// its order. How many items lie on another node than the thread that does them.
dim_t count_far_items(const char *machine, const std::function<int(int)> &node_of_share) {
    const topology t = load_synthetic(machine);
    const int n = t.n_cores, cores_per_node = n / t.n_numa_nodes;
    const dim_t n_items = 64 * n;
    std::vector<int> nodes(n);
    for (int s = 0; s < n; s++)
        nodes[s] = node_of_share(s);
    std::vector<std::vector<int>> orders;
    for (int task = 0; task < n; task++)
        orders.push_back(order_for(nodes, task, task / cores_per_node));
    std::vector<dim_t> left(n, 64);
    dim_t n_far = 0, n_done = 0;
    while (n_done < n_items)
        for (int task = 0; task < n; task++)
            for (int s : orders[task])
                if (left[s] > 0) {
                    left[s]--, n_done++;
                    n_far += nodes[s] != no_node && nodes[s] != task / cores_per_node;
                    break;
                }
    return n_far;
}

TEST(OrderOfShares, OnSyntheticMachinesThreadsWriteWhatTheirNodeOwns) {
    for (const char *machine : {"numa:2 core:4 pu:2", "numa:4 core:8 pu:1", "numa:1 core:6 pu:2"}) {
        SCOPED_TRACE(machine);
        const topology t = load_synthetic(machine);
        const int n = t.n_cores, n_nodes = t.n_numa_nodes;
        // As the same threads have touched it first, the other way round, and interleaved.
        EXPECT_EQ(count_far_items(machine, [=](int s) { return s * n_nodes / n; }), 0);
        EXPECT_EQ(count_far_items(machine, [=](int s) { return (n - 1 - s) * n_nodes / n; }), 0);
        EXPECT_EQ(count_far_items(machine, [=](int s) { return s % n_nodes; }), 0);
        // All on one node: the others help, and get the parts that they must.
        const dim_t far = count_far_items(machine, [](int) { return 0; });
        EXPECT_EQ(far, 64 * (n - n / n_nodes));
    }
}
#endif

// Whether the ranges are disjoint, not empty and together [0, n_items).
void expect_cover(std::vector<range> ranges, dim_t n_items) {
    std::sort(ranges.begin(), ranges.end());
    dim_t at = 0;
    for (const auto &[begin, end] : ranges) {
        EXPECT_EQ(begin, at);
        EXPECT_LT(begin, end);
        at = end;
    }
    EXPECT_EQ(at, n_items);
}

std::vector<range> ranges_of(shares &work, int task) {
    std::vector<range> ranges;
    work.work(task, no_node, [&](dim_t begin, dim_t end) { ranges.emplace_back(begin, end); });
    return ranges;
}

TEST(Shares, ATaskHelpsThoseFarBehindFromTheBack) {
    shares work(2, 100);
    const auto first = ranges_of(work, 1);
    EXPECT_EQ(first[0], range(50, 56));
    EXPECT_EQ(first[8], range(98, 100));
    EXPECT_EQ(first[9], range(48, 50)); // of the other share
    EXPECT_EQ(first[10], range(42, 48));
    EXPECT_EQ(first.back(), range(24, 30));
    EXPECT_EQ(ranges_of(work, 1).size(), 0u);
    EXPECT_EQ(ranges_of(work, 0),
            (std::vector<range> {{0, 6}, {6, 12}, {12, 18}, {18, 24}})); // left alone
    EXPECT_EQ(ranges_of(work, 0).size(), 0u);
}

// All tasks one after the other, from the last one down.
std::vector<range> ranges_of_all(shares &work, int n_tasks) {
    std::vector<range> all;
    for (int task = n_tasks; task-- > 0;)
        for (const range &r : ranges_of(work, task))
            all.push_back(r);
    return all;
}

TEST(Shares, NoRangeReachesIntoAnotherShare) {
    for (int n_tasks : {1, 2, 3, 7, 64, 65, 1000})
        for (dim_t n_items : {1000, 1001, 4097, 100000}) {
            shares work(n_tasks, n_items);
            EXPECT_EQ(work.count(), std::min(n_tasks, max_shares));
            const auto ranges = ranges_of_all(work, n_tasks);
            expect_cover(ranges, n_items);
            // Every share begins a range, so a task finds the same beginning each time.
            for (int s = 0; s < work.count(); s++) {
                const dim_t begin = n_items / work.count() * s
                        + std::min<dim_t>(s, n_items % work.count());
                EXPECT_EQ(std::count_if(ranges.begin(), ranges.end(),
                                  [&](const range &r) { return r.first == begin; }),
                        1);
            }
        }
}

TEST(Shares, WhereverThreadsAndPagesAreAllItemsAreDone) {
    for (int node_of_thread : {no_node, 0, 1, 2})
        for (const std::vector<int> &node_of_share :
                {std::vector<int> {0, 0, 1, 1}, {1, 1, 1, 1}, {no_node, 1, no_node, 0}}) {
            shares work(4, 101);
            for (int s = 0; s < 4; s++)
                work.set_node(s, node_of_share[s]);
            std::vector<range> all;
            for (int task = 0; task < 4; task++)
                work.work(task, node_of_thread,
                        [&](dim_t begin, dim_t end) { all.emplace_back(begin, end); });
            expect_cover(all, 101);
        }
}

TEST(Shares, ManyThreadsAtOnceGetEachItemOnce) {
    for (int round = 0; round < 50; round++) {
        shares work(4, 997);
        std::vector<std::vector<range>> ranges(4);
        std::vector<std::thread> threads;
        for (int task = 0; task < 4; task++)
            threads.emplace_back([&, task] { ranges[task] = ranges_of(work, task); });
        for (auto &thread : threads)
            thread.join();
        std::vector<range> all;
        for (const auto &some : ranges)
            all.insert(all.end(), some.begin(), some.end());
        expect_cover(all, 997);
    }
}

// ---------------------------------------------------------------- parallel_for

std::vector<range> ranges_of(const team &t, dim_t n_items) {
    std::mutex mutex;
    std::vector<range> ranges;
    parallel_for(t, n_items, [&](dim_t begin, dim_t end) {
        const std::lock_guard<std::mutex> lock(mutex);
        ranges.emplace_back(begin, end);
    });
    return ranges;
}

TEST(ParallelFor, RangesCoverAllItems) {
    for (int n_threads : {1, 2, 3, 5, 8})
        for (dim_t n_items : {1, 2, 3, 7, 8, 1000})
            expect_cover(ranges_of({n_threads}, n_items), n_items);
}

TEST(ParallelFor, NothingToDo) {
    for (int n_threads : {0, 1, 4})
        EXPECT_TRUE(ranges_of({n_threads}, 0).empty()) << n_threads;
}

TEST(ParallelFor, OneThreadGetsOneRange) {
    EXPECT_EQ(ranges_of({1}, 1000), (std::vector<range> {{0, 1000}}));
}

// A pool that counts and runs tasks one after the other, last one first.
struct reversed_pool {
    int n_threads;
    int n_calls = 0, n_tasks = 0;
    tfmt_threadpool_t c {sizeof(tfmt_threadpool_t), this,
            [](void *self) { return static_cast<reversed_pool *>(self)->n_threads; },
            [](void *self, int n_tasks, void (*task)(void *, int), void *context) {
                static_cast<reversed_pool *>(self)->n_calls++;
                static_cast<reversed_pool *>(self)->n_tasks = n_tasks;
                for (int i = n_tasks; i-- > 0;)
                    task(context, i);
            }};
    explicit reversed_pool(int n) : n_threads(n) {}
};

TEST(ParallelFor, GivesAPoolNoMoreTasksThanItems) {
    reversed_pool pool(8);
    expect_cover(ranges_of({8, &pool.c}, 1000), 1000);
    EXPECT_EQ(pool.n_tasks, 8);
    expect_cover(ranges_of({8, &pool.c}, 3), 3);
    EXPECT_EQ(pool.n_tasks, 3);
    EXPECT_EQ(pool.n_calls, 2);
    expect_cover(ranges_of({8, &pool.c}, 1), 1);
    expect_cover(ranges_of({1, &pool.c}, 1000), 1000);
    EXPECT_EQ(pool.n_calls, 2); // not bothered
}

// ---------------------------------------------------------------- how many

TEST(TeamWorth, GrowsWithBytesUpToThePool) {
    reversed_pool pool(3);
    const int64_t one = tuning::bytes_per_thread;
    const auto n_threads = [&](int64_t bytes) {
        return team_worth(bytes, &pool.c, nullptr, 0).n_threads;
    };
    EXPECT_EQ(n_threads(0), 1);
    EXPECT_EQ(n_threads(2 * one - 1), 1);
    EXPECT_EQ(n_threads(2 * one), 2);
    EXPECT_EQ(n_threads(3 * one), 3);
    EXPECT_EQ(n_threads(1000 * one), 3);
    EXPECT_EQ(team_worth(1000 * one, &pool.c, nullptr, 0).pool, &pool.c);
    set_num_threads(2); // told, so it counts for pools
    EXPECT_EQ(n_threads(1000 * one), 2);
    set_num_threads(0);
    pool.n_threads = 5000;
    EXPECT_EQ(n_threads(int64_t(1) << 40), max_num_threads);
}

TEST(LateJoins, WhatIsLate) {
    EXPECT_FALSE(is_late(25000, 25000));
    EXPECT_FALSE(is_late(25000, 25000 + tuning::late_join_ns - 1)); // short, whatever the work
    EXPECT_TRUE(is_late(25000, 25000 + tuning::late_join_ns));
    EXPECT_TRUE(is_late(25000, 8000000));
    EXPECT_FALSE(is_late(10000000, 14000000)); // little compared with the work
    EXPECT_TRUE(is_late(10000000, 15000000));
}

// Executions of `bytes` that stay on one thread.
int count_alone(late_joins &joins, int64_t bytes) {
    int n = 0;
    while (joins.repay(bytes))
        n++;
    return n;
}

TEST(LateJoins, OverdrawingKeepsExecutionsOnOneThread) {
    const int64_t ms = 1000000, bytes = ms * tuning::bytes_per_late_ns; // moved in about 1 ms
    const int64_t full = tuning::late_join_account_ns;
    const auto late = [&](late_joins &joins, int64_t lost) { joins.note(ms, ms + lost); };
    late_joins joins;
    EXPECT_EQ(count_alone(joins, bytes), 0);
    late(joins, full - ms);
    EXPECT_EQ(count_alone(joins, bytes), 0);
    late(joins, 5 * ms);
    EXPECT_EQ(count_alone(joins, bytes), 4);
    EXPECT_EQ(count_alone(joins, bytes), 0); // once repaid, threads are tried again
    joins.note(ms, ms);                      // earns a ms
    late(joins, 5 * ms);
    EXPECT_EQ(count_alone(joins, bytes), 4 * 2);
    for (int n = 2; n < tuning::max_overdrawn + 3; n++) {
        late(joins, 5 * ms);
        EXPECT_EQ(count_alone(joins, bytes), 5 << std::min(n, tuning::max_overdrawn));
    }
    for (int64_t earned = 0; earned < full; earned += ms)
        joins.note(ms, ms);
    late(joins, full);
    EXPECT_EQ(count_alone(joins, bytes), 0);
    late(joins, 3 * ms);
    EXPECT_EQ(count_alone(joins, bytes), 3);
}

TEST(LateJoins, WatchesOnlyAfterALongOne) {
    late_joins joins;
    EXPECT_FALSE(joins.is_watching());
    joins.note_unwatched(25000);
    EXPECT_FALSE(joins.is_watching());
    joins.note_unwatched(8000000);
    EXPECT_TRUE(joins.is_watching());
    joins.note(25000, 26000); // in time again
    EXPECT_FALSE(joins.is_watching());
    joins.note_unwatched(8000000);
    joins.note(25000, 8000000);
    joins.note(25000, 26000); // has not earned enough yet
    EXPECT_TRUE(joins.is_watching());
}

TEST(LateJoins, ALongSleepOfTheMachineIsNotForEver) {
    late_joins joins;
    for (int i = 0; i < 20; i++)
        joins.note(1000, int64_t(3600) * 1000000000);
    const int64_t most = (tuning::late_join_account_ns * tuning::bytes_per_late_ns)
            << tuning::max_overdrawn;
    EXPECT_LE(count_alone(joins, most / 100), 100);
}

// ---------------------------------------------------------------- NUMA

TEST(Numa, PagesWrittenByThisThreadAreOnANodeOrUnknown) {
    std::vector<char> bytes(1 << 20, 'x');
    const void *const addresses[] = {&bytes[5000], &bytes[500000], nullptr};
    int nodes[] = {-7, -7, -7};
    find_numa_nodes(addresses, 3, nodes);
    EXPECT_GE(nodes[0], no_node);
    EXPECT_GE(nodes[1], no_node);
    EXPECT_EQ(nodes[2], no_node);
    EXPECT_GE(current_numa_node(), no_node);
}

TEST(Numa, SmallDestinationsAreNotAsked) {
    shares work(2, 100);
    std::vector<char> bytes(1000);
    EXPECT_FALSE(place_shares({2, nullptr, bytes.data(), 1000}, work));
    EXPECT_FALSE(place_shares({2}, work));
}

} // namespace
