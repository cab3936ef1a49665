// SPDX-License-Identifier: Apache-2.0
// One reorder object for many shapes: descriptors with runtime dims, or with runtime dims and
// strides, executed with actual ones that the oracle executes too; by one thread and by several at
// once.
#include <cstring>
#include <mutex>
#include <thread>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};
using reorder_ptr = std::unique_ptr<tfmt_reorder, reorder_deleter>;

// One side of a family: a tag, and which dims the described side does not know. Where strides are
// runtime too, members have gaps.
struct side {
    tfmt_data_type_t type;
    std::string tag;
    std::vector<bool> is_runtime;
    bool has_runtime_strides;

    desc_ptr described(const dims &shape) const {
        dims known = shape;
        for (size_t d = 0; d < shape.size(); ++d)
            if (is_runtime[d]) known[d] = TFMT_RUNTIME_DIM_VAL;
        if (!has_runtime_strides) return make_with_tag(known, type, tag);
        return with_strides(known, shape, dims(shape.size(), TFMT_RUNTIME_DIM_VAL));
    }

    desc_ptr member(random_source &random, const dims &shape) const {
        if (!has_runtime_strides) return make_with_tag(shape, type, tag);
        dims strides = layout_from_tag(shape, type, tag).strides;
        const int64_t spread = random.between(1, 2); // of all, so that none overlaps another
        for (int64_t &s : strides)
            s *= spread;
        return with_strides(shape, shape, strides);
    }

    std::string text() const {
        std::string mask;
        for (bool b : is_runtime)
            mask += b ? '*' : '-';
        return std::string(type_name(type)) + ":" + tag + ":" + mask
                + (has_runtime_strides ? ":s*" : "");
    }

private:
    desc_ptr with_strides(const dims &logical, const dims &shape, const dims &strides) const {
        const layout blocks = layout_from_tag(shape, type, tag);
        const dims idxs(blocks.inner_idxs.begin(), blocks.inner_idxs.end());
        tfmt_memory_desc_t md = nullptr;
        tfmt_memory_desc_create_with_blocking(&md, static_cast<int>(logical.size()), logical.data(),
                type, strides.data(), static_cast<int>(idxs.size()), blocks.inner_blks.data(),
                idxs.data());
        return desc_ptr(md);
    }
};

// Descriptions of a source and a destination, one reorder between them, and shapes that fit both.
class family {
public:
    explicit family(uint64_t seed) : random_(seed) {
        static const std::vector<tfmt_data_type_t> types = {
                tfmt_f32, tfmt_u8, tfmt_bf16, tfmt_f64, tfmt_s32};
        shape_ = random_shape_of_few_dims();
        src_ = random_side(random_.pick(types));
        dst_ = random_side(random_.one_in(3) ? random_.pick(types) : src_.type);
        if (!has_runtime()) src_.is_runtime[0] = true;
        const desc_ptr src = src_.described(shape_), dst = dst_.described(shape_);
        tfmt_reorder_t made = nullptr;
        if (src && dst) tfmt_reorder_create(&made, src.get(), dst.get(), nullptr);
        reorder_.reset(made);
    }

    bool is_made() const { return bool(reorder_); }
    std::string text() const { return src_.text() + " -> " + dst_.text(); }
    tfmt_reorder_t reorder() const { return reorder_.get(); }

    // The shape with other sizes where neither side knows them.
    dims random_shape(random_source &random) const {
        dims shape = shape_;
        for (size_t d = 0; d < shape.size(); ++d)
            if (src_.is_runtime[d] && dst_.is_runtime[d])
                shape[d] = random.one_in(20) ? 0 : random.between(1, shape_[d] + more);
        return shape;
    }

    // "" if executing `shape` does what the oracle does.
    std::string check(random_source &random, const dims &shape) const {
        const desc_ptr src_md = src_.member(random, shape), dst_md = dst_.member(random, shape);
        if (!src_md || !dst_md) return std::string("no member: ") + tfmt_get_last_error();
        const layout src = read_layout(src_md.get()), dst = read_layout(dst_md.get());
        guarded_buffer from(static_cast<size_t>(span_bytes(src)), placement::at_end);
        guarded_buffer to(static_cast<size_t>(span_bytes(dst)), placement::at_end);
        fill_src(from, src.data_type, dst.data_type, random.bits());
        tfmt_exec_args_t args {};
        args.struct_size = sizeof args;
        args.src_md = src_md.get();
        args.dst_md = dst_md.get();
        if (tfmt_reorder_execute(reorder(), from.data(), to.data(), &args) != tfmt_success)
            return std::string("refused: ") + tfmt_get_last_error();
        std::vector<unsigned char> wanted(to.size(), guarded_buffer::poison);
        oracle_reorder(src, from.data(), dst, wanted.data());
        const std::string wrong = compare_bytes(
                dst, to.data(), wanted.data(), static_cast<int64_t>(wanted.size()));
        if (wrong.empty() && to.slack_is_intact()) return "";
        return wrong + " of " + dims_text(shape);
    }

private:
    static constexpr int64_t more = 3; // than shape_ has, a dim may be
    static constexpr int64_t max_bytes = 128 << 10;

    static std::string plain_tag(int ndims) {
        return std::string("abcde").substr(0, size_t(ndims));
    }

    // Up to 5, so that there are tags whose layout is small.
    dims random_shape_of_few_dims() {
        dims shape;
        do
            shape = random_dims(random_, 200, false);
        while (shape.size() > 5);
        return shape;
    }

    side random_side(tfmt_data_type_t type) {
        const int ndims = static_cast<int>(shape_.size());
        side s {type, random_tag(random_, ndims), {}, random_.one_in(3)};
        const auto is_large = [&] {
            return span_bytes(layout_from_tag(largest_shape(), type, s.tag)) > max_bytes;
        };
        for (int tries = 1; tries <= 10 && is_large(); ++tries)
            s.tag = tries < 10 ? random_tag(random_, ndims) : plain_tag(ndims);
        for (size_t d = 0; d < shape_.size(); ++d)
            s.is_runtime.push_back(!random_.one_in(4));
        return s;
    }

    dims largest_shape() const {
        dims shape = shape_;
        for (int64_t &n : shape)
            n += more;
        return shape;
    }

    bool has_runtime() const {
        for (size_t d = 0; d < shape_.size(); ++d)
            if (src_.is_runtime[d] || dst_.is_runtime[d]) return true;
        return src_.has_runtime_strides || dst_.has_runtime_strides;
    }

    random_source random_;
    dims shape_;
    side src_, dst_;
    reorder_ptr reorder_;
};

class runtime_diff : public isa_fixture {};

TEST_P(runtime_diff, random_shapes_through_one_reorder) {
    for (int i = 0; i < scaled(100); ++i) {
        const family f(static_cast<uint64_t>(i) + 1);
        ASSERT_TRUE(f.is_made()) << f.text() << ": " << tfmt_get_last_error();
        random_source random(static_cast<uint64_t>(i) + 1000);
        // More than a reorder remembers, each twice.
        std::vector<dims> shapes;
        for (int n = 0; n < 12; ++n)
            shapes.push_back(f.random_shape(random));
        for (int round = 0; round < 2; ++round)
            for (const dims &shape : shapes)
                ASSERT_EQ(f.check(random, shape), "") << f.text() << ", family " << i + 1;
    }
}

INSTANTIATE_FOR_EVERY_ISA(runtime_diff);

class runtime_threads : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(tfmt_set_num_threads(1), tfmt_success); }
    void TearDown() override {
        EXPECT_EQ(tfmt_set_kernel_cache_capacity(1024), tfmt_success);
        EXPECT_EQ(tfmt_set_num_threads(0), tfmt_success);
    }

    // Each thread takes the shapes in an order of its own; some are asked for by all of them.
    static std::string run_on_threads(const family &f, uint64_t seed) {
        constexpr int n_threads = 6;
        std::mutex mutex;
        std::string failure;
        std::vector<std::thread> threads;
        for (int t = 0; t < n_threads; ++t)
            threads.emplace_back([&, t] {
                random_source common(seed), own(seed + 100 + static_cast<uint64_t>(t));
                std::string wrong;
                for (int i = 0; i < scaled(30) && wrong.empty(); ++i)
                    wrong = f.check(own, f.random_shape(i % 2 ? own : common));
                const std::lock_guard<std::mutex> lock(mutex);
                if (failure.empty()) failure = wrong;
            });
        for (std::thread &thread : threads)
            thread.join();
        return failure;
    }
};

TEST_F(runtime_threads, several_shapes_at_once_through_one_reorder) {
    for (int capacity : {1024, 2, 0})
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            ASSERT_EQ(tfmt_set_kernel_cache_capacity(capacity), tfmt_success);
            const family f(seed);
            ASSERT_TRUE(f.is_made()) << f.text() << ": " << tfmt_get_last_error();
            EXPECT_EQ(run_on_threads(f, seed), "") << f.text() << ", capacity " << capacity;
        }
}

} // namespace
