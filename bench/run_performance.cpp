// SPDX-License-Identifier: Apache-2.0
#include "bench/run_performance.hpp"

#include <algorithm>
#include <memory>

#include "bench/buffers.hpp"
#include "bench/onednn.hpp"
#include "bench/stopwatch.hpp"

namespace tfmt_bench {
namespace {

constexpr int64_t warm_limit_bytes = int64_t {1} << 27; // beyond, a warm-up call warms nothing

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};

using reorder_ptr = std::unique_ptr<tfmt_reorder, reorder_deleter>;

void refuse(tfmt_status_t status, case_result *result) {
    result->status = case_result::refused;
    result->message = std::string(tfmt_status_name(status)) + ": " + tfmt_get_last_error();
}

void measure(reorder_ptr &reorder, const case_descs &descs, const run_options &run,
        case_result *result) {
    const int64_t bytes = result->src_bytes + result->dst_bytes;
    const auto copy_bytes = static_cast<size_t>(bytes / 2);
    buffer_ring ring(result->src_bytes, result->dst_bytes, run.cold, run.offset_bytes);
    fill_sources(ring, descs, result->src_bytes);
    if (run.measured) {
        const buffer_pair &pair = ring.next_pair();
        tfmt_reorder_t fastest = nullptr;
        const tfmt_status_t status = create_measured_reorder(descs, pair.src, pair.dst, &fastest);
        if (status != tfmt_success) return refuse(status, result);
        reorder.reset(fastest);
    }
    const std::unique_ptr<onednn_reorder> onednn = make_onednn_reorder(descs.src_layout,
            descs.dst_layout, descs.attr, ring.pairs(), std::max(1, run.n_threads));
    const tfmt_exec_args_t *const args = descs.exec_args();

    tfmt_status_t status = tfmt_success;
    std::vector<std::function<void()>> contestants = {
            [&] {
                const buffer_pair &pair = ring.next_pair();
                const tfmt_status_t s = tfmt_reorder_execute(
                        reorder.get(), pair.src, pair.dst, args);
                if (s != tfmt_success) status = s;
            },
            [&] {
                const buffer_pair &pair = ring.next_pair();
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
    const tfmt_status_t status = create_reorder(descs, &created);
    if (status != tfmt_success) return refuse(status, result);
    reorder_ptr reorder(created);
    if (result->src_bytes + result->dst_bytes > 0) measure(reorder, descs, run, result);
    // With runtime dims it is known once a shape was executed.
    const char *impl = nullptr;
    if (tfmt_reorder_query(reorder.get(), tfmt_query_impl_info_str, &impl) == tfmt_success && impl)
        result->impl = impl;
}

} // namespace tfmt_bench
