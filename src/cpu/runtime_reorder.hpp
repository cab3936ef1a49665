// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "cpu/reorder.hpp"

// A reorder between families of layouts (common/runtime_desc): descriptors with runtime dims,
// strides or offsets, whose actual ones come with each execution. In: two actual descriptors. Out:
// what prepare() makes of them, through the process-wide cache.
//
// The first shapes a reorder meets are remembered in it, until it is destroyed: finding one again
// is a comparison, without a lock, a counter or an allocation, from any number of threads. Others
// are looked up in the cache each time, under its shared lock.
namespace tfmt::cpu {

class runtime_reorder {
public:
    // Throws if no two members could be reordered, for what make_problem would say of them.
    // `sums`: the compensation that dst comes out with, whether or not its descriptors have it.
    runtime_reorder(const memory_desc &src, const memory_desc &dst, const attributes &attr,
            const compensation &sums);
    ~runtime_reorder();
    runtime_reorder(const runtime_reorder &) = delete;
    runtime_reorder &operator=(const runtime_reorder &) = delete;

    // What moves `src` to `dst`; null where the descriptor the reorder was made with is complete.
    // The result is remembered and lives as long as this, or is put into `unremembered`. Throws for
    // what is no member of its family, or cannot be reordered; the messages name args->src_md and
    // args->dst_md.
    const prepared &find(
            const memory_desc *src, const memory_desc *dst, prepared *unremembered) const;

    // Of the shape that was remembered last; before the first one it says what is waited for. The
    // string lives as long as this.
    const char *info() const;
    std::string explain() const;

private:
    struct shape {
        memory_desc src;
        memory_desc dst;
        prepared what;
    };

    // Enough for what a program alternates between, few enough to be compared with one by one.
    static constexpr size_t n_remembered = 8;

    const prepared *recall(const memory_desc &src, const memory_desc &dst) const noexcept;
    const prepared *remember(const memory_desc &src, const memory_desc &dst, prepared &what) const;
    const shape *newest() const noexcept;

    const memory_desc src_;
    const memory_desc dst_;
    const attributes attr_;
    const compensation sums_;
    // Filled from the front, each written once.
    mutable std::array<std::atomic<const shape *>, n_remembered> shapes_ {};
};

} // namespace tfmt::cpu
