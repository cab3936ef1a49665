// SPDX-License-Identifier: Apache-2.0
#include "bench/run_performance.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "bench/onednn.hpp"
#include "bench/stopwatch.hpp"
#include "support/random_data.hpp"

namespace tfmt_bench {
namespace {

constexpr size_t page_bytes = 4096;
constexpr int64_t cold_bytes = int64_t {1} << 28; // several times any last-level cache in use here
constexpr int64_t max_cold_buffers = 4096;
constexpr int64_t warm_limit_bytes = int64_t {1} << 27; // beyond, a warm-up call warms nothing

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};

struct free_deleter {
    void operator()(void *p) const { std::free(p); }
};

// Page-aligned pairs of src and dst; one pair for hot caches, enough of them to outgrow the caches
// for cold ones. Each buffer is as large as the larger of the two so that memcpy can use the same
// pair.
class buffer_ring {
public:
    buffer_ring(int64_t src_bytes, int64_t dst_bytes, bool cold) {
        const int64_t larger = std::max({src_bytes, dst_bytes, int64_t {1}});
        const size_t stride = (static_cast<size_t>(larger) + page_bytes - 1) / page_bytes
                * page_bytes;
        const int64_t n = cold ? std::clamp<int64_t>(cold_bytes / (2 * larger), 1, max_cold_buffers)
                               : 1;
        arena_.reset(std::aligned_alloc(page_bytes, 2 * stride * static_cast<size_t>(n)));
        if (!arena_) throw std::bad_alloc();
        auto *bytes = static_cast<unsigned char *>(arena_.get());
        std::memset(bytes, 0, 2 * stride * static_cast<size_t>(n)); // page faults happen now
        for (int64_t i = 0; i < n; ++i, bytes += 2 * stride)
            pairs_.push_back({bytes, bytes + stride});
    }

    const std::vector<buffer_pair> &pairs() const { return pairs_; }
    size_t next() { return at_ = at_ + 1 == pairs_.size() ? 0 : at_ + 1; }

private:
    std::unique_ptr<void, free_deleter> arena_;
    std::vector<buffer_pair> pairs_;
    size_t at_ = 0;
};

// A stretch of fitting data, repeated: making each element of a large source anew would take longer
// than the measurement.
void fill_sources(const buffer_ring &ring, const case_descs &descs, int64_t src_bytes) {
    std::vector<unsigned char> stretch(1 << 16);
    tfmt_test::random_source random(1);
    const auto size = static_cast<int64_t>(stretch.size());
    if (descs.src_layout.data_type == descs.dst_layout.data_type)
        tfmt_test::fill_random_bits(stretch.data(), size, random);
    else
        tfmt_test::fill_for_conversion(stretch.data(), size, descs.src_layout.data_type,
                descs.dst_layout.data_type, random);
    for (const buffer_pair &pair : ring.pairs())
        for (int64_t at = 0; at < src_bytes; at += size)
            std::memcpy(static_cast<unsigned char *>(pair.src) + at, stretch.data(),
                    static_cast<size_t>(std::min(size, src_bytes - at)));
}

// Called through a volatile pointer, or the compiler might drop copies that nobody reads.
void *(*volatile const libc_memcpy)(void *, const void *, size_t) = std::memcpy;

void measure(tfmt_reorder_t reorder, const case_descs &descs, const run_options &run,
        case_result *result) {
    const int64_t bytes = result->src_bytes + result->dst_bytes;
    const auto copy_bytes = static_cast<size_t>(bytes / 2);
    buffer_ring ring(result->src_bytes, result->dst_bytes, run.cold);
    fill_sources(ring, descs, result->src_bytes);
    const std::unique_ptr<onednn_reorder> onednn = make_onednn_reorder(
            descs.src_layout, descs.dst_layout, ring.pairs(), std::max(1, run.n_threads));

    tfmt_status_t status = tfmt_success;
    std::vector<std::function<void()>> contestants = {
            [&] {
                const buffer_pair &pair = ring.pairs()[ring.next()];
                const tfmt_status_t s = tfmt_reorder_execute(reorder, pair.src, pair.dst, nullptr);
                if (s != tfmt_success) status = s;
            },
            [&] {
                const buffer_pair &pair = ring.pairs()[ring.next()];
                libc_memcpy(pair.dst, pair.src, copy_bytes);
            }};
    if (onednn) contestants.push_back([&] { onednn->execute(ring.next()); });

    timing_options timing;
    timing.n_rounds = run.n_rounds;
    timing.min_ms = run.min_ms;
    timing.warm_up = !run.cold && bytes <= warm_limit_bytes;
    const std::vector<std::vector<double>> times = time_interleaved(contestants, timing);
    if (status != tfmt_success) {
        result->status = case_result::failed;
        result->message = std::string("execution failed: ") + tfmt_get_last_error();
        return;
    }
    result->time_us = median(times[0]);
    result->memcpy_us = median(times[1]);
    result->ratio = median_ratio(times[0], times[1]);
    if (onednn) {
        result->onednn_impl = onednn->impl();
        result->onednn_us = median(times[2]);
        result->onednn_ratio = median_ratio(times[2], times[0]);
    }
}

} // namespace

void run_performance(const case_descs &descs, const run_options &run, case_result *result) {
    tfmt_reorder_t created = nullptr;
    const tfmt_status_t status = tfmt_reorder_create(
            &created, descs.src.get(), descs.dst.get(), nullptr);
    if (status != tfmt_success) {
        result->status = case_result::refused;
        result->message = std::string(tfmt_status_name(status)) + ": " + tfmt_get_last_error();
        return;
    }
    const std::unique_ptr<tfmt_reorder, reorder_deleter> reorder(created);
    const char *impl = nullptr;
    if (tfmt_reorder_query(created, tfmt_query_impl_info_str, &impl) == tfmt_success && impl)
        result->impl = impl;
    if (result->src_bytes + result->dst_bytes == 0) return; // nothing to time
    try {
        measure(created, descs, run, result);
    } catch (const std::bad_alloc &) {
        result->status = case_result::skipped;
        result->message = "not enough memory for its buffers";
    }
}

} // namespace tfmt_bench
