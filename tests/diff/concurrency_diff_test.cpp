// SPDX-License-Identifier: Apache-2.0
// Threads that create, execute and destroy at once, with a kernel cache too small for what they
// make, and threads that share one reorder.
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

constexpr int n_threads = 8;

class concurrency : public ::testing::Test {
protected:
    void TearDown() override { EXPECT_EQ(tfmt_set_kernel_cache_capacity(1024), tfmt_success); }

    // Runs body(thread index) on all threads and reports the first failure that one returns.
    template <typename Body>
    void on_all_threads(Body &&body) {
        std::mutex mutex;
        std::string failure;
        std::vector<std::thread> threads;
        for (int t = 0; t < n_threads; ++t)
            threads.emplace_back([&, t] {
                const std::string wrong = body(t);
                const std::lock_guard<std::mutex> lock(mutex);
                if (failure.empty()) failure = wrong;
            });
        for (std::thread &thread : threads)
            thread.join();
        EXPECT_EQ(failure, "");
    }
};

std::string random_cases(uint64_t first_seed, int n_cases) {
    static const std::vector<tfmt_data_type_t> types = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};
    for (int i = 0; i < n_cases; ++i) {
        random_source random(first_seed + static_cast<uint64_t>(i));
        const tfmt_data_type_t type = random.pick(types);
        const dims shape = random_dims(random, 4096);
        const random_desc src = make_random_desc(random, shape, type, role::src, 64 << 10);
        const random_desc dst = make_random_desc(random, shape, type, role::dst, 64 << 10);
        const check_result result = check_reorder(src.md.get(), dst.md.get());
        if (result.what != outcome::passed)
            return result.message + ": " + src.recipe + " -> " + dst.recipe + " [" + result.impl
                    + "]";
    }
    return "";
}

TEST_F(concurrency, different_kernels_through_a_tiny_cache) {
    for (int capacity : {0, 1, 3}) {
        ASSERT_EQ(tfmt_set_kernel_cache_capacity(capacity), tfmt_success) << tfmt_get_last_error();
        on_all_threads(
                [](int t) { return random_cases(10000u * static_cast<unsigned>(t), scaled(60)); });
    }
}

TEST_F(concurrency, the_same_kernels_at_the_same_time) {
    ASSERT_EQ(tfmt_set_kernel_cache_capacity(2), tfmt_success);
    on_all_threads([](int) { return random_cases(555, scaled(60)); });
}

TEST_F(concurrency, one_reorder_executed_by_all) {
    const dims shape = {2, 70, 13, 11};
    const desc_ptr src_md = make_with_tag(shape, tfmt_f32, "abcd");
    const desc_ptr dst_md = make_with_tag(shape, tfmt_f32, "aBcd16b");
    const layout src = read_layout(src_md.get());
    const layout dst = read_layout(dst_md.get());
    tfmt_reorder_t reorder = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&reorder, src_md.get(), dst_md.get(), nullptr), tfmt_success);
    on_all_threads([&](int t) -> std::string {
        guarded_buffer from(static_cast<size_t>(span_bytes(src)), placement::at_end, 4);
        fill_src(from, tfmt_f32, tfmt_f32, static_cast<uint64_t>(t) + 1);
        std::vector<unsigned char> wanted(
                static_cast<size_t>(span_bytes(dst)), guarded_buffer::poison);
        oracle_reorder(src, from.data(), dst, wanted.data());
        for (int i = 0; i < scaled(200); ++i) {
            guarded_buffer to(wanted.size(), placement::at_end, 4);
            if (tfmt_reorder_execute(reorder, from.data(), to.data(), nullptr) != tfmt_success)
                return tfmt_get_last_error();
            const std::string wrong = compare_bytes(
                    dst, to.data(), wanted.data(), static_cast<int64_t>(wanted.size()));
            if (!wrong.empty()) return wrong;
        }
        return "";
    });
    EXPECT_EQ(tfmt_reorder_destroy(reorder), tfmt_success);
}

TEST_F(concurrency, each_thread_has_its_own_last_error) {
    on_all_threads([](int t) -> std::string {
        const std::string tag = std::string("ab") + static_cast<char>('q' + t % 2);
        for (int i = 0; i < 200; ++i) {
            tfmt_memory_desc_t md = nullptr;
            const int64_t shape[] = {2, 3, 4};
            if (tfmt_memory_desc_create_with_string_tag(&md, 3, shape, tfmt_f32, tag.c_str())
                    == tfmt_success)
                return "a bad tag was accepted";
            if (!std::strchr(tfmt_get_last_error(), tag[2]))
                return std::string("message names another character: ") + tfmt_get_last_error();
        }
        return "";
    });
}

} // namespace
