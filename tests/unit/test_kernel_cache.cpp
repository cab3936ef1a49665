// SPDX-License-Identifier: Apache-2.0
// The cache of what is made for a request, with implementations that do nothing.
#include "cpu/cache/kernel_cache.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "common/status.hpp"
#include "cpu/implementation.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::cpu::cache_capacity;
using tfmt::cpu::cache_size;
using tfmt::cpu::execution;
using tfmt::cpu::find_or_make;
using tfmt::cpu::implementation;
using tfmt::cpu::implementation_ptr;
using tfmt::cpu::plan_mode;
using tfmt::cpu::request;
using tfmt::cpu::set_cache_capacity;

std::atomic<int> n_made {0}, n_alive {0};

class dummy final : public implementation {
public:
    dummy() { n_alive++; }
    ~dummy() override { n_alive--; }
    tfmt_status_t execute(const execution &) const noexcept override { return tfmt_success; }
    std::string explain() const override { return ""; }
};

implementation_ptr make_dummy(const request &) {
    n_made++;
    return std::make_shared<dummy>();
}

memory_desc desc_of(dim_t n) { return by_tag({n, 3}, "ab"); }

// The implementation for n elements under an ISA and a mode.
implementation_ptr find(
        dim_t n, tfmt_cpu_isa_t isa = tfmt_cpu_isa_avx2, plan_mode mode = plan_mode::move) {
    const memory_desc src = desc_of(n), dst = by_tag({n, 3}, "ba");
    return find_or_make({src, dst, mode, isa}, make_dummy);
}

// Whether n elements are cached; makes them so.
bool was_cached(dim_t n) {
    const int before = n_made;
    find(n);
    return n_made == before;
}

class KernelCache : public testing::Test {
protected:
    void SetUp() override {
        set_cache_capacity(0);
        set_cache_capacity(8);
        n_made = 0;
    }
};

TEST_F(KernelCache, SameRequestSamePointer) {
    const implementation_ptr one = find(1);
    EXPECT_EQ(find(1), one);
    EXPECT_EQ(n_made, 1);
    EXPECT_EQ(cache_size(), 1);
}

TEST_F(KernelCache, EveryPartOfTheRequestCounts) {
    const implementation_ptr one = find(1);
    EXPECT_NE(find(2), one);
    EXPECT_NE(find(1, tfmt_cpu_isa_sse41), one);
    EXPECT_NE(find(1, tfmt_cpu_isa_avx2, plan_mode::padding_only), one);
    const memory_desc src = desc_of(1), f64 = by_tag({1, 3}, "ba", tfmt_f64);
    EXPECT_NE(find_or_make({src, f64, plan_mode::move, tfmt_cpu_isa_avx2}, make_dummy), one);
    EXPECT_NE(find_or_make({f64, src, plan_mode::move, tfmt_cpu_isa_avx2}, make_dummy), one);
    EXPECT_EQ(n_made, 6);
    EXPECT_EQ(cache_size(), 6);
    EXPECT_EQ(find(1), one);
}

TEST_F(KernelCache, EveryAttributeCounts) {
    const memory_desc md = desc_of(1);
    const auto find_with = [&](const tfmt::attributes &attr) {
        return find_or_make({md, md, plan_mode::move, tfmt_cpu_isa_avx2, attr}, make_dummy);
    };
    tfmt::attributes asked[8];
    for (tfmt::attributes &a : asked)
        a.src_scales = {true, 3, 1, {3}, tfmt_f32};
    asked[1].src_scales.mask = 2;
    asked[2].src_scales.group_dims[0] = 1;
    asked[3].src_scales.type = tfmt_f16;
    asked[4].has_sum = true;
    asked[5].has_sum = true;
    asked[5].sum_beta = 2;
    asked[6] = {};
    asked[6].dst_scales = asked[0].src_scales;
    asked[7] = {};
    for (int round = 0; round < 2; round++) {
        for (const tfmt::attributes &a : asked)
            find_with(a);
        EXPECT_EQ(n_made, 8);
    }
    asked[7].sum_beta = 5;                  // of no sum
    asked[0].src_scales.group_dims[1] = 77; // of no group
    EXPECT_EQ(find_with(asked[7]), find_with({}));
    find_with(asked[0]);
    EXPECT_EQ(n_made, 8);
}

// Strides of dimensions of size 1 make no difference to descriptors, so none to the cache.
TEST_F(KernelCache, EqualDescriptorsAreOneRequest) {
    const memory_desc a = by_strides({1, 3}, {3, 1}), b = by_strides({1, 3}, {77, 1});
    const request first {a, a, plan_mode::move, tfmt_cpu_isa_avx2};
    const request second {b, b, plan_mode::move, tfmt_cpu_isa_avx2};
    EXPECT_EQ(find_or_make(first, make_dummy), find_or_make(second, make_dummy));
    EXPECT_EQ(n_made, 1);
}

TEST_F(KernelCache, RemembersWhatIsBetter) {
    const memory_desc src = desc_of(1), dst = by_tag({1, 3}, "ba");
    const request r {src, dst, plan_mode::move, tfmt_cpu_isa_avx2};
    const implementation_ptr one = find(1), better = make_dummy(r);
    remember(r, better);
    EXPECT_EQ(find(1), better);
    EXPECT_EQ(cache_size(), 1);
    EXPECT_EQ(n_alive, 2); // `one` lives with its user
    const memory_desc other = desc_of(2);
    remember({other, dst, plan_mode::move, tfmt_cpu_isa_avx2}, better);
    EXPECT_EQ(cache_size(), 2);
    for (dim_t n = 3; n < 20; n++)
        find(n);
    EXPECT_EQ(cache_size(), 8);
    set_cache_capacity(0);
    remember(r, better);
    EXPECT_EQ(cache_size(), 0);
}

TEST_F(KernelCache, DropsTheLeastRecentlyUsed) {
    set_cache_capacity(3);
    find(1);
    find(2);
    find(3);
    find(1); // now 2 is the oldest
    find(4);
    EXPECT_EQ(cache_size(), 3);
    EXPECT_TRUE(was_cached(1));
    EXPECT_TRUE(was_cached(3));
    EXPECT_TRUE(was_cached(4));
    EXPECT_FALSE(was_cached(2)); // and puts 1 out, the oldest of 1, 3, 4
    EXPECT_FALSE(was_cached(1));
}

TEST_F(KernelCache, ShrinkingDropsTheOldest) {
    for (dim_t n = 1; n <= 5; n++)
        find(n);
    find(2);
    set_cache_capacity(2);
    EXPECT_EQ(cache_capacity(), 2);
    EXPECT_EQ(cache_size(), 2);
    EXPECT_TRUE(was_cached(5));
    EXPECT_TRUE(was_cached(2));
    EXPECT_FALSE(was_cached(4));
}

TEST_F(KernelCache, CapacityZeroKeepsNone) {
    set_cache_capacity(0);
    EXPECT_NE(find(1), find(1));
    EXPECT_EQ(n_made, 2);
    EXPECT_EQ(cache_size(), 0);
}

TEST_F(KernelCache, WhatIsDroppedLivesWithItsUser) {
    const implementation_ptr kept = find(1);
    find(2);
    ASSERT_EQ(n_alive, 2);
    set_cache_capacity(0);
    EXPECT_EQ(n_alive, 1);
    EXPECT_EQ(kept->explain(), "");
}

TEST_F(KernelCache, RefusesCapacitiesOutOfRange) {
    for (int n : {-1, tfmt::cpu::max_cache_capacity + 1}) {
        try {
            set_cache_capacity(n);
            ADD_FAILURE() << n;
        } catch (const tfmt::failure &f) {
            EXPECT_EQ(f.status(), tfmt_invalid_arguments);
            EXPECT_NE(std::string(f.what()).find(std::to_string(n)), std::string::npos);
        }
        EXPECT_EQ(cache_capacity(), 8);
    }
    set_cache_capacity(tfmt::cpu::max_cache_capacity);
    EXPECT_EQ(cache_capacity(), tfmt::cpu::max_cache_capacity);
}

TEST_F(KernelCache, WhatMakeThrowsPassesThrough) {
    const memory_desc md = desc_of(1);
    const request r {md, md, plan_mode::move, tfmt_cpu_isa_avx2};
    EXPECT_THROW(
            find_or_make(
                    r, [](const request &) -> implementation_ptr { throw std::length_error("x"); }),
            std::length_error);
    EXPECT_EQ(cache_size(), 0);
    // Nothing is left behind: the next one makes it, and no lock is held.
    EXPECT_NE(find_or_make(r, make_dummy), nullptr);
    EXPECT_EQ(cache_size(), 1);
}

// `make` may itself ask the cache: it runs outside the lock.
TEST_F(KernelCache, MakeMayUseTheCache) {
    const memory_desc md = desc_of(1);
    const implementation_ptr outer = find_or_make({md, md, plan_mode::move, tfmt_cpu_isa_avx2},
            [](const request &) -> implementation_ptr { return find(2); });
    EXPECT_EQ(outer, find(2));
    EXPECT_EQ(cache_size(), 2);
}

TEST_F(KernelCache, ManyThreads) {
    constexpr int n_threads = 8, n_keys = 12;
    set_cache_capacity(n_keys);
    std::atomic<int> n_null {0};
    std::vector<std::thread> threads;
    for (int t = 0; t < n_threads; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 3000; i++)
                if (!find(1 + (i * 7 + t) % n_keys)) n_null++;
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(n_null, 0);
    EXPECT_EQ(cache_size(), n_keys);
    // Threads that asked for a new key at once may each have made it, once; of each one is kept.
    EXPECT_GE(n_made, n_keys);
    EXPECT_LE(n_made, n_keys * n_threads);
    EXPECT_EQ(n_alive, n_keys);
    for (dim_t n = 1; n <= n_keys; n++)
        EXPECT_TRUE(was_cached(n));
}

TEST_F(KernelCache, ManyThreadsAndEvictions) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; t++)
        threads.emplace_back([t] {
            for (int i = 0; i < 1500; i++) {
                find(1 + (i * 5 + t) % 20);
                if (t == 0 && i % 50 == 0) set_cache_capacity(i / 50 % 6);
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_LE(cache_size(), cache_capacity());
    EXPECT_EQ(n_alive, cache_size());
}

} // namespace
