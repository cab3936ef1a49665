// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/cases.hpp"

namespace tfmt_bench {

struct buffer_pair {
    void *src;
    void *dst;
};

// Pairs of src and dst, each `offset_bytes` behind a page, filled with zeros; one pair for hot
// caches, enough of them to outgrow the caches for cold ones. Each buffer is as large as the larger
// of the two so that memcpy can use the same pair. Throws std::bad_alloc.
class buffer_ring {
public:
    buffer_ring(int64_t src_bytes, int64_t dst_bytes, bool cold, int64_t offset_bytes);

    const std::vector<buffer_pair> &pairs() const { return pairs_; }
    size_t next() { return at_ = at_ + 1 == pairs_.size() ? 0 : at_ + 1; }
    const buffer_pair &next_pair() { return pairs_[next()]; }

private:
    struct free_deleter {
        void operator()(void *p) const { std::free(p); }
    };
    std::unique_ptr<void, free_deleter> arena_;
    std::vector<buffer_pair> pairs_;
    size_t at_ = 0;
};

// Random data that fits the case's types into the sources of all pairs: ordinary numbers where they
// are converted.
void fill_sources(const buffer_ring &ring, const case_descs &descs, int64_t src_bytes);

// libc's, called through volatile pointers, or the compiler might drop writes that nobody reads.
extern void *(*volatile const libc_memcpy)(void *, const void *, size_t);
extern void *(*volatile const libc_memset)(void *, int, size_t);

} // namespace tfmt_bench
