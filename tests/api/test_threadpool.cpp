// SPDX-License-Identifier: Apache-2.0
//
// Executing on a thread pool of the caller's: pools of every temper give the same bytes, and bad
// ones are refused.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <thread>

#include "api_helpers.hpp"

using namespace api;
using tensorfmt::exec_args;
using tensorfmt::pool_task;
using tensorfmt::reorder;

namespace {

// A move worth several threads, with tails and padding, and what it must give.
struct large_move {
    memory::desc src_md, dst_md;
    bytes_t src, before, want;
    reorder move;

    explicit large_move(dt src_type = dt::f32, dt dst_type = dt::f32)
        : src_md({4, 67, 57, 61}, src_type, tag::nhwc),
          dst_md({4, 67, 57, 61}, dst_type, tag::nChw16c),
          src(pattern(src_md.get_size())),
          before(pattern(dst_md.get_size(), 2)),
          move(src_md, dst_md) {
        tensorfmt::set_num_threads(1);
        if (src_type == dst_type) {
            want = expected_move(src_md, src, dst_md, before);
        } else { // the portable path; other tests compare it with the oracle
            want = before;
            move.execute(src.data(), want.data());
        }
        tensorfmt::set_num_threads(0);
    }
    template <typename Pool>
    bytes_t result_on(const Pool &pool) const {
        bytes_t dst = before;
        const exec_args args(pool);
        move.execute(src.data(), dst.data(), &args);
        return dst;
    }
};

using loop = std::function<void(int, pool_task)>;

void run_serially(int n_tasks, pool_task task) {
    for (int i = 0; i < n_tasks; ++i)
        task(i);
}
void run_reversed(int n_tasks, pool_task task) {
    while (n_tasks-- > 0)
        task(n_tasks);
}
void run_on_a_thread_each(int n_tasks, pool_task task) {
    std::vector<std::thread> threads;
    for (int i = 0; i < n_tasks; ++i)
        threads.emplace_back(task, i);
    for (auto &thread : threads)
        thread.join();
}
// Fewer threads than it said, one of them the caller's.
void run_on_one_other_thread(int n_tasks, pool_task task) {
    std::thread other([=] {
        for (int i = 1; i < n_tasks; i += 2)
            task(i);
    });
    for (int i = 0; i < n_tasks; i += 2)
        task(i);
    other.join();
}

const std::vector<loop> loops = {
        run_serially, run_reversed, run_on_a_thread_each, run_on_one_other_thread};

// A C pool whose parts a test can spoil.
struct c_pool {
    int n_threads = 4, n_loops = 0;
    tfmt_threadpool_t c {sizeof(tfmt_threadpool_t), this,
            [](void *self) { return static_cast<c_pool *>(self)->n_threads; },
            [](void *self, int n_tasks, void (*task)(void *, int), void *task_context) {
                static_cast<c_pool *>(self)->n_loops++;
                for (int i = 0; i < n_tasks; ++i)
                    task(task_context, i);
            }};
};

tfmt_exec_args_t args_with(const tfmt_threadpool_t *pool) {
    tfmt_exec_args_t args {};
    args.struct_size = sizeof args;
    args.threadpool = pool;
    return args;
}

} // namespace

TEST(threadpool, every_pool_and_number_of_threads_gives_the_same_bytes) {
    const large_move f32;
    for (size_t l = 0; l < loops.size(); ++l)
        for (const int n : {1, 2, 3, 5, 16}) {
            const tensorfmt::threadpool<loop> pool(n, loops[l]);
            EXPECT_EQ(f32.result_on(pool), f32.want) << "loop " << l << ", threads " << n;
        }
}

TEST(threadpool, conversions_run_on_it) {
    const large_move converting(dt::f32, dt::bf16);
    int n_tasks_seen = 0;
    for (const loop &run : loops) {
        const tensorfmt::threadpool pool(3, [&](int n_tasks, pool_task task) {
            n_tasks_seen = n_tasks;
            run(n_tasks, task);
        });
        EXPECT_EQ(converting.result_on(pool), converting.want);
        EXPECT_EQ(n_tasks_seen, 3);
    }
}

TEST(threadpool, of_a_machine_with_hundreds_of_threads) {
    const large_move f32;
    int n_tasks_seen = 0;
    const tensorfmt::threadpool pool(500, [&](int n_tasks, pool_task task) {
        n_tasks_seen = n_tasks;
        run_reversed(n_tasks, task);
    });
    EXPECT_EQ(f32.result_on(pool), f32.want);
    EXPECT_GE(n_tasks_seen, 2);
    EXPECT_LE(n_tasks_seen, 500);
}

// Data of 350 KB in a destination of 9 MB, and of 16 KB in one of 400 KB: where the padding is a
// pass of its own, it is not left to other threads than the data.
TEST(threadpool, is_asked_for_both_passes_or_for_none) {
    for (const int n : {33, 7}) {
        const memory::desc src_md({2, 40, n, n}, dt::f32, tag::abcd);
        const memory::desc dst_md({2, 40, n, n}, dt::f32, tag::ABcd32a32b);
        const auto src = pattern(src_md.get_size()), before = pattern(dst_md.get_size(), 2);
        auto dst = before;
        const reorder move(src_md, dst_md);
        c_pool pool;
        const auto args = args_with(&pool.c);
        move.execute(src.data(), dst.data(), &args);
        EXPECT_EQ(dst, expected_move(src_md, src, dst_md, before));
        const int n_passes = contains(move.explain(), "data and padding apart") ? 2 : 1;
        EXPECT_EQ(pool.n_loops, n == 33 ? n_passes : 0);
    }
}

TEST(threadpool, is_left_alone_by_small_moves_and_asked_by_large_ones) {
    c_pool pool;
    const auto args = args_with(&pool.c);
    const memory::desc ab({16, 16}, dt::f32, tag::ab), ba({16, 16}, dt::f32, tag::ba);
    const auto src = pattern(ab.get_size());
    auto dst = pattern(ba.get_size(), 2);
    const auto want = expected_move(ab, src, ba, dst);
    reorder(ab, ba).execute(src.data(), dst.data(), &args);
    EXPECT_EQ(dst, want);
    EXPECT_EQ(pool.n_loops, 0);

    const large_move f32;
    auto large_dst = f32.before;
    f32.move.execute(f32.src.data(), large_dst.data(), &args);
    EXPECT_EQ(large_dst, f32.want);
    EXPECT_EQ(pool.n_loops, 1);
    pool.n_threads = 1;
    f32.move.execute(f32.src.data(), large_dst.data(), &args);
    EXPECT_EQ(pool.n_loops, 1);
}

TEST(threadpool, obeys_the_number_of_threads_that_was_set) {
    const large_move f32;
    int n_tasks_seen = 0;
    const tensorfmt::threadpool pool(8, [&](int n_tasks, pool_task task) {
        n_tasks_seen = n_tasks;
        run_serially(n_tasks, task);
    });
    tensorfmt::set_num_threads(2);
    EXPECT_EQ(f32.result_on(pool), f32.want);
    EXPECT_EQ(n_tasks_seen, 2);
    n_tasks_seen = 0;
    tensorfmt::set_num_threads(1);
    EXPECT_EQ(f32.result_on(pool), f32.want);
    EXPECT_EQ(n_tasks_seen, 0);
    tensorfmt::set_num_threads(0);
}

TEST(threadpool, pads_a_tensor_in_place) {
    const memory::desc md({16, 67, 57, 61}, dt::f32, tag::nChw16c);
    const auto before = pattern(md.get_size());
    auto data = before;
    const tensorfmt::threadpool pool(3, run_reversed);
    const exec_args args(pool);
    reorder(md, md).execute(data.data(), data.data(), &args);
    EXPECT_EQ(data, with_zero_padding(md, before));
}

TEST(threadpool, memory_objects_take_it_too) {
    const large_move f32;
    auto src = f32.src, dst = f32.before;
    const memory from(f32.src_md, src.data()), to(f32.dst_md, dst.data());
    const tensorfmt::threadpool pool(2, run_on_a_thread_each);
    const exec_args args(pool);
    f32.move.execute(from, to, &args);
    EXPECT_EQ(dst, f32.want);
}

TEST(threadpool, one_pool_serves_executions_of_several_threads_at_once) {
    const large_move f32;
    const tensorfmt::threadpool pool(2, run_on_a_thread_each);
    std::vector<bytes_t> results(3);
    std::vector<std::thread> threads;
    for (auto &result : results)
        threads.emplace_back([&] { result = f32.result_on(pool); });
    for (auto &thread : threads)
        thread.join();
    for (const auto &result : results)
        EXPECT_EQ(result, f32.want);
}

TEST(threadpool, bad_ones_are_refused_and_nothing_is_written) {
    const large_move f32;
    const auto message_for = [&](const c_pool &pool) {
        auto dst = f32.before;
        const auto args = args_with(&pool.c);
        EXPECT_EQ(tfmt_reorder_execute(f32.move.get(), f32.src.data(), dst.data(), &args),
                tfmt_invalid_arguments);
        EXPECT_EQ(dst, f32.before);
        return std::string(tfmt_get_last_error());
    };
    c_pool no_number, no_loop, no_threads, of_another_size;
    no_number.c.get_num_threads = nullptr;
    EXPECT_TRUE(contains(message_for(no_number), "get_num_threads is null"));
    no_loop.c.parallel_for = nullptr;
    EXPECT_TRUE(contains(message_for(no_loop), "parallel_for is null"));
    for (const int n : {0, -3}) {
        no_threads.n_threads = n;
        EXPECT_TRUE(contains(message_for(no_threads), "said " + std::to_string(n)));
    }
    of_another_size.c.struct_size = 8;
    EXPECT_TRUE(contains(message_for(of_another_size), "threadpool->struct_size"));
}

TEST(threadpool, args_from_before_it_was_there_are_accepted) {
    struct {
        size_t struct_size;
        const void *src_scales, *dst_scales, *src_zero_points, *dst_zero_points;
        const void *behind; // not the library's
    } old {offsetof(tfmt_exec_args_t, threadpool), nullptr, nullptr, nullptr, nullptr, &old};
    const large_move f32;
    auto dst = f32.before;
    EXPECT_EQ(tfmt_reorder_execute(f32.move.get(), f32.src.data(), dst.data(),
                      reinterpret_cast<const tfmt_exec_args_t *>(&old)),
            tfmt_success);
    EXPECT_EQ(dst, f32.want);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// OpenMP's threads do not come along, a pool that the child starts does.
TEST(threadpool, a_child_of_fork_does_not_wait_for_threads_of_its_parent) {
    const large_move f32;
    bytes_t dst = f32.before;
    tensorfmt::set_num_threads(2);
    f32.move.execute(f32.src.data(), dst.data());
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        dst = f32.before;
        f32.move.execute(f32.src.data(), dst.data());
        const bool is_alone = tensorfmt::get_num_threads() == 1 && dst == f32.want;
        const tensorfmt::threadpool pool(2, run_on_a_thread_each);
        _exit(is_alone && f32.result_on(pool) == f32.want ? 0 : 1);
    }
    EXPECT_EQ(tensorfmt::get_num_threads(), TENSORFMT_TEST_HAS_OPENMP ? 2 : 1);
    tensorfmt::set_num_threads(0);
    ASSERT_GT(child, 0);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

#endif
