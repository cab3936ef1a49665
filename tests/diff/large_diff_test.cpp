// SPDX-License-Identifier: Apache-2.0
// Reorders too large for the caches, which go through a scratch or past the caches: destinations of
// any alignment, any number of threads, strides beyond 2 GiB, small stacks.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

// A reorder, what it moves, and what it must leave. The result is made once for all instruction
// sets and alignments.
class large_move {
public:
    large_move(random_desc src, random_desc dst, uint64_t seed)
        : src_(std::move(src)),
          dst_(std::move(dst)),
          src_layout_(read_layout(src_.md.get())),
          dst_layout_(read_layout(dst_.md.get())),
          src_data_(size_t(span_bytes(src_layout_)), placement::at_end),
          expected_(size_t(span_bytes(dst_layout_)), guarded_buffer::poison) {
        fill_src(src_data_, src_layout_.data_type, dst_layout_.data_type, seed);
        oracle_reorder(src_layout_, src_data_.data(), dst_layout_, expected_.data());
    }

    size_t dst_bytes() const { return expected_.size(); }
    const void *src() const { return src_data_.data(); }
    const_tfmt_memory_desc_t src_md() const { return src_.md.get(); }
    const_tfmt_memory_desc_t dst_md() const { return dst_.md.get(); }
    std::string text() const { return src_.recipe + "\n  -> " + dst_.recipe; }

    std::string differs(const unsigned char *dst) const {
        if (std::memcmp(dst, expected_.data(), expected_.size()) == 0) return "";
        return compare_bytes(dst_layout_, dst, expected_.data(), int64_t(expected_.size()));
    }

private:
    random_desc src_, dst_;
    layout src_layout_, dst_layout_;
    guarded_buffer src_data_;
    std::vector<unsigned char> expected_;
};

random_desc strided(const dims &shape, tfmt_data_type_t type, const dims &strides) {
    tfmt_memory_desc_t md = nullptr;
    EXPECT_EQ(tfmt_memory_desc_create_with_strides(
                      &md, int(shape.size()), shape.data(), type, strides.data()),
            tfmt_success)
            << tfmt_get_last_error();
    return {desc_ptr(md),
            std::string(type_name(type)) + " " + dims_text(shape) + " strides "
                    + dims_text(strides)};
}

large_move by_tags(
        const dims &shape, tfmt_data_type_t type, const char *src_tag, const char *dst_tag) {
    return {tagged(shape, type, src_tag), tagged(shape, type, dst_tag), 17};
}

class reorder_handle {
public:
    explicit reorder_handle(const large_move &m) : reorder_handle(m.src_md(), m.dst_md()) {}
    reorder_handle(const_tfmt_memory_desc_t src, const_tfmt_memory_desc_t dst) {
        EXPECT_EQ(tfmt_reorder_create(&reorder_, src, dst, nullptr), tfmt_success)
                << tfmt_get_last_error();
    }
    ~reorder_handle() { tfmt_reorder_destroy(reorder_); }
    reorder_handle(const reorder_handle &) = delete;
    reorder_handle &operator=(const reorder_handle &) = delete;

    tfmt_status_t execute(
            const void *src, void *dst, const tfmt_threadpool_t *pool = nullptr) const {
        tfmt_exec_args_t args {};
        args.struct_size = sizeof args;
        args.threadpool = pool;
        return tfmt_reorder_execute(reorder_, src, dst, &args);
    }

    // Whether it does not simply store where it belongs. Caches may be larger than these tensors.
    bool leaves_the_caches() const {
        const std::string text = explanation();
        return text.find("through a scratch") != std::string::npos
                || text.find("bypass the caches") != std::string::npos;
    }

    // Whether it has code for destinations that begin so many bytes behind a line.
    bool knows_place_in_line(size_t n_bytes) const {
        return explanation().find("if dst is " + std::to_string(n_bytes) + " bytes behind")
                != std::string::npos;
    }

private:
    std::string explanation() const {
        size_t size = 0;
        EXPECT_EQ(tfmt_reorder_explain(reorder_, nullptr, &size), tfmt_success);
        std::string text(size, ' ');
        EXPECT_EQ(tfmt_reorder_explain(reorder_, &text[0], &size), tfmt_success);
        return text;
    }

    tfmt_reorder_t reorder_ = nullptr;
};

constexpr size_t small_stack_bytes = 256 << 10;

// Runs body(i) for each i below n, each on a thread of its own with a small stack.
template <typename Body>
void on_small_stacks(int n, Body &&body) {
    struct task {
        Body *body;
        int index;
    };
    pthread_attr_t attr;
    ASSERT_EQ(pthread_attr_init(&attr), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attr, small_stack_bytes), 0);
    std::vector<task> tasks(size_t(n), task {&body, 0});
    std::vector<pthread_t> threads(static_cast<size_t>(n));
    const auto entry = [](void *p) -> void * {
        const task &t = *static_cast<task *>(p);
        (*t.body)(t.index);
        return nullptr;
    };
    for (int i = 0; i < n; ++i) {
        tasks[size_t(i)].index = i;
        ASSERT_EQ(pthread_create(&threads[size_t(i)], &attr, entry, &tasks[size_t(i)]), 0);
    }
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    pthread_attr_destroy(&attr);
}

// A pool of the caller's: a thread with a small stack for each task.
const tfmt_threadpool_t pool_of_3 = {sizeof(tfmt_threadpool_t), nullptr, [](void *) { return 3; },
        [](void *, int n_tasks, void (*run)(void *, int), void *context) {
            on_small_stacks(n_tasks, [&](int i) { run(context, i); });
        }};

struct way {
    size_t dst_offset_bytes; // from a multiple of a page
    int n_threads;           // 0: the pool
};
const way ways[] = {{0, 1}, {1, 1}, {4, 1}, {16, 1}, {60, 1}, {0, 2}, {4, 2}, {60, 3}, {0, 3},
        {16, 0}, {64, 0}};

// Everywhere to every place, on every instruction set of this machine.
void check_everywhere(const large_move &m) {
    guarded_buffer dst(m.dst_bytes() + 128, placement::at_start, 64);
    int n_large = 0;
    for (const isa_row &isa : all_isas()) {
        if (isa.isa == tfmt_cpu_isa_none) continue;
        ASSERT_EQ(tfmt_set_max_cpu_isa(isa.isa), tfmt_success);
        if (tfmt_get_effective_cpu_isa() != isa.isa) continue;
        const reorder_handle reorder(m);
        n_large += reorder.leaves_the_caches();
        for (const way &w : ways) {
            ASSERT_EQ(tfmt_set_num_threads(w.n_threads), tfmt_success);
            std::memset(dst.data(), guarded_buffer::poison, dst.size());
            unsigned char *to = dst.data() + w.dst_offset_bytes;
            ASSERT_EQ(
                    reorder.execute(m.src(), to, w.n_threads ? nullptr : &pool_of_3), tfmt_success);
            std::string wrong = m.differs(to);
            for (size_t i = 0; i < dst.size(); ++i) {
                if (i == w.dst_offset_bytes) i += m.dst_bytes();
                if (dst.data()[i] != guarded_buffer::poison) wrong += " byte beside dst written";
            }
            ASSERT_EQ(wrong, "") << isa.name << ", dst offset " << w.dst_offset_bytes
                                 << ", threads " << w.n_threads << "\n  " << m.text();
        }
    }
    if (n_large == 0) GTEST_SKIP() << "right, but the caches of this machine hold all of it";
}

class large_diff : public ::testing::Test {
protected:
    void TearDown() override {
        EXPECT_EQ(tfmt_set_max_cpu_isa(tfmt_cpu_isa_avx512_core_fp16), tfmt_success);
        EXPECT_EQ(tfmt_set_num_threads(0), tfmt_success);
    }
};

// Rows that are no lines on either side.
TEST_F(large_diff, transpose_of_odd_rows) {
    check_everywhere(by_tags({1501, 1523}, tfmt_f32, "ab", "ba"));
}

// Rows that are lines, at power-of-two strides: with an aligned destination these are streamed.
TEST_F(large_diff, transpose_of_whole_lines) {
    check_everywhere(by_tags({1024, 2304}, tfmt_f32, "ab", "ba"));
}

TEST_F(large_diff, images_to_planes) {
    check_everywhere(by_tags({2, 3, 1217, 1301}, tfmt_u8, "acdb", "abcd"));
}

TEST_F(large_diff, short_elements_to_channels_last) {
    check_everywhere(by_tags({2, 67, 181, 187}, tfmt_bf16, "abcd", "acdb"));
}

TEST_F(large_diff, to_blocks_with_padding) {
    check_everywhere(by_tags({3, 77, 97, 101}, tfmt_f32, "abcd", "aBcd16b"));
}

TEST_F(large_diff, blocks_that_do_not_nest) {
    check_everywhere(by_tags({2, 100, 109, 107}, tfmt_f32, "aBcd48b", "aBcd32b"));
}

TEST_F(large_diff, wide_elements_in_blocks_to_planes) {
    check_everywhere(by_tags({2, 61, 93, 101}, tfmt_f64, "aBcd8b", "abcd"));
}

// What lies between the rows of the destination stays as it is.
TEST_F(large_diff, gaps_between_rows) {
    const dims shape = {1203, 1801};
    check_everywhere({tagged(shape, tfmt_f32, "ba"), strided(shape, tfmt_f32, {1817, 1}), 18});
}

// Code for a place in a line is made by the first execution there, of which there may be several at
// once, with little stack; of more places than are remembered the others do without.
TEST_F(large_diff, first_executions_within_lines_at_once) {
    const large_move m = by_tags({1216, 3500}, tfmt_f32, "ab", "ba");
    const reorder_handle reorder(m);
    ASSERT_EQ(tfmt_set_num_threads(1), tfmt_success);
    const size_t places[] = {16, 32, 16, 48};
    std::string wrong[4];
    on_small_stacks(4, [&](int i) {
        guarded_buffer dst(m.dst_bytes(), placement::at_start, 64, places[i]);
        for (int round = 0; round < 2; round++) {
            std::memset(dst.data(), guarded_buffer::poison, dst.size());
            if (reorder.execute(m.src(), dst.data()) != tfmt_success) wrong[i] += "not executed";
            wrong[i] += m.differs(dst.data());
            if (!dst.slack_is_intact()) wrong[i] += "byte beside dst written";
        }
    });
    for (const std::string &w : wrong)
        EXPECT_EQ(w, "");
    guarded_buffer dst(m.dst_bytes(), placement::at_start, 64, 4);
    ASSERT_EQ(reorder.execute(m.src(), dst.data()), tfmt_success);
    EXPECT_EQ(m.differs(dst.data()), "");
    EXPECT_FALSE(reorder.knows_place_in_line(4));
    if (!reorder.leaves_the_caches())
        GTEST_SKIP() << "right, but the caches of this machine hold all of it";
    for (const size_t place : places)
        EXPECT_TRUE(reorder.knows_place_in_line(place)) << place;
}

// ---------------------------------------------------------------- strides beyond 2 GiB

// Address space in which only the rows of a tensor can be touched, so that anything else faults.
class far_rows {
public:
    far_rows(int64_t n_rows, int64_t row_bytes, int64_t stride_bytes)
        : row_bytes_(row_bytes), stride_bytes_(stride_bytes) {
        const int64_t page = sysconf(_SC_PAGESIZE);
        size_ = size_t(n_rows * stride_bytes + page);
        void *p = mmap(
                nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return;
        data_ = static_cast<unsigned char *>(p);
        for (int64_t r = 0; r < n_rows; ++r) {
            const int64_t first = r * stride_bytes / page * page;
            const int64_t end = (r * stride_bytes + row_bytes + page - 1) / page * page;
            mprotect(data_ + first, size_t(end - first), PROT_READ | PROT_WRITE);
        }
    }
    ~far_rows() {
        if (data_) munmap(data_, size_);
    }
    far_rows(const far_rows &) = delete;
    far_rows &operator=(const far_rows &) = delete;

    unsigned char *data() const { return data_; }
    uint32_t *row(int64_t r) const {
        return reinterpret_cast<uint32_t *>(data_ + r * stride_bytes_);
    }

private:
    size_t size_ = 0;
    unsigned char *data_ = nullptr;
    int64_t row_bytes_, stride_bytes_;
};

class far_diff : public isa_fixture {
protected:
    // More than 2 GiB apart, in elements; no multiple of a page.
    static constexpr int64_t stride_elems = (int64_t(1) << 29) + 12345;
    static constexpr int64_t n_rows = 19, row_elems = 130007;

    static uint32_t value_of(int64_t row, int64_t column) {
        return uint32_t(row * row_elems + column) * 2654435761u;
    }

    // Row r, column c of a dense matrix in memory order "cr".
    static size_t dense_place(int64_t row, int64_t column) { return size_t(column * n_rows + row); }

    const random_desc far_ = strided({n_rows, row_elems}, tfmt_f32, {stride_elems, 1});
    const random_desc dense_ = tagged({n_rows, row_elems}, tfmt_f32, "ba");
    std::vector<uint32_t> dense_data_ = std::vector<uint32_t>(size_t(n_rows * row_elems));
    const far_rows rows_ {n_rows, 4 * row_elems, 4 * stride_elems};
};

TEST_P(far_diff, sources) {
    ASSERT_NE(rows_.data(), nullptr);
    for (int64_t r = 0; r < n_rows; ++r)
        for (int64_t c = 0; c < row_elems; ++c)
            rows_.row(r)[c] = value_of(r, c);
    const reorder_handle reorder(far_.md.get(), dense_.md.get());
    ASSERT_EQ(reorder.execute(rows_.data(), dense_data_.data()), tfmt_success);
    int64_t n_wrong = 0;
    for (int64_t c = 0; c < row_elems; ++c)
        for (int64_t r = 0; r < n_rows; ++r)
            n_wrong += dense_data_[dense_place(r, c)] != value_of(r, c);
    EXPECT_EQ(n_wrong, 0);
}

TEST_P(far_diff, destinations) {
    ASSERT_NE(rows_.data(), nullptr);
    for (int64_t c = 0; c < row_elems; ++c)
        for (int64_t r = 0; r < n_rows; ++r)
            dense_data_[dense_place(r, c)] = value_of(r, c);
    const reorder_handle reorder(dense_.md.get(), far_.md.get());
    ASSERT_EQ(reorder.execute(dense_data_.data(), rows_.data()), tfmt_success);
    int64_t n_wrong = 0;
    for (int64_t r = 0; r < n_rows; ++r)
        for (int64_t c = 0; c < row_elems; ++c)
            n_wrong += rows_.row(r)[c] != value_of(r, c);
    EXPECT_EQ(n_wrong, 0);
    if (GetParam().isa != tfmt_cpu_isa_none && !reorder.leaves_the_caches())
        GTEST_SKIP() << "right, but the caches of this machine hold all of it";
}

INSTANTIATE_FOR_EVERY_ISA(far_diff);

// ---------------------------------------------------------------- small stacks

TEST_F(large_diff, executes_on_a_small_stack) {
    const large_move m = by_tags({1511, 1423}, tfmt_f32, "ab", "ba");
    const reorder_handle reorder(m);
    ASSERT_EQ(tfmt_set_num_threads(1), tfmt_success);
    for (size_t offset : {size_t(0), size_t(4)}) { // streamed and staged
        guarded_buffer dst(m.dst_bytes(), placement::at_start, 64, offset);
        tfmt_status_t status = tfmt_runtime_error;
        on_small_stacks(1, [&](int) { status = reorder.execute(m.src(), dst.data()); });
        EXPECT_EQ(status, tfmt_success);
        EXPECT_EQ(m.differs(dst.data()), "") << offset;
    }
}

// Making code takes more stack than running it.
TEST_F(large_diff, creates_on_a_small_stack) {
    const desc_ptr src = make_with_tag({31, 1400, 9, 11}, tfmt_bf16, "abcd");
    const desc_ptr dst = make_with_tag({31, 1400, 9, 11}, tfmt_bf16, "ABcd8b16a2b");
    tfmt_reorder_t reorder = nullptr;
    on_small_stacks(1, [&](int) { tfmt_reorder_create(&reorder, src.get(), dst.get(), nullptr); });
    EXPECT_NE(reorder, nullptr);
    tfmt_reorder_destroy(reorder);
}

} // namespace
