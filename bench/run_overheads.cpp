// SPDX-License-Identifier: Apache-2.0
#include "bench/run_overheads.hpp"

#include <algorithm>
#include <chrono>

#include "bench/buffers.hpp"
#include "bench/stopwatch.hpp"

namespace tfmt_bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int default_cache_capacity = 1024;
constexpr int64_t small_bytes = 1 << 16; // src + dst: beyond, noise hides what a call costs
constexpr size_t batch_calls = 64;       // as long as several hundred ticks of the clock
constexpr size_t min_batches = 11;
constexpr size_t min_cold_creations = 11;

double nanoseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

// Median of samples taken for a share of the time for a case; sample() gives nanoseconds.
template <typename Sample>
double median_of(size_t min_samples, const run_options &run, Sample sample) {
    const double budget_ns = run.min_ms * 1e6 / 4;
    const size_t n_samples = std::max<size_t>(min_samples, static_cast<size_t>(run.n_rounds));
    const clock::time_point start = clock::now();
    std::vector<double> samples;
    while (samples.size() < n_samples
            || (run.n_rounds == 0 && nanoseconds_since(start) < budget_ns))
        samples.push_back(sample());
    return median(std::move(samples));
}

// Makes the objects of a batch and times that alone; they are destroyed off the clock.
template <typename Handle, typename Create, typename Destroy>
double time_batch_of(Create create, Destroy destroy) {
    Handle made[batch_calls];
    const clock::time_point start = clock::now();
    for (Handle &handle : made)
        handle = create();
    const double ns = nanoseconds_since(start) / batch_calls;
    for (Handle &handle : made)
        destroy(handle);
    return ns;
}

tfmt_reorder_t create_reorder(const case_descs &descs) {
    tfmt_reorder_t reorder = nullptr;
    create_reorder(descs, &reorder);
    return reorder;
}

double time_one_creation_ns(const case_descs &descs) {
    const clock::time_point start = clock::now();
    const tfmt_reorder_t reorder = create_reorder(descs);
    const double ns = nanoseconds_since(start);
    tfmt_reorder_destroy(reorder);
    return ns;
}

double time_cold_creation_ns(const case_descs &descs) {
    tfmt_set_kernel_cache_capacity(0); // drops all there is
    tfmt_set_kernel_cache_capacity(default_cache_capacity);
    return time_one_creation_ns(descs);
}

double time_desc_ns(const bench_case &c, const case_descs &descs) {
    return time_batch_of<tfmt_memory_desc_t>(
            [&] {
                return create_desc(c.dims, descs.dst_layout.data_type, c.dst_tag, c.dst_strides)
                        .release();
            },
            tfmt_memory_desc_destroy);
}

// Both are called in the same way on hot buffers, so what is left is the library's.
double execute_minus_memcpy_ns(tfmt_reorder_t reorder, const case_descs &descs,
        const run_options &run, const case_result &result) {
    const buffer_ring ring(result.src_bytes, result.dst_bytes, false, run.offset_bytes);
    fill_sources(ring, descs, result.src_bytes);
    const buffer_pair pair = ring.pairs()[0];
    const auto copy_bytes = static_cast<size_t>((result.src_bytes + result.dst_bytes) / 2);
    timing_options timing;
    timing.n_rounds = run.n_rounds;
    timing.min_ms = run.min_ms / 2;
    const std::vector<std::vector<double>> times = time_interleaved(
            {[&] { tfmt_reorder_execute(reorder, pair.src, pair.dst, descs.exec_args()); },
                    [&] { libc_memcpy(pair.dst, pair.src, copy_bytes); }},
            timing);
    return (median(times[0]) - median(times[1])) * 1000;
}

} // namespace

void time_overheads(
        const bench_case &c, const case_descs &descs, const run_options &run, case_result *result) {
    static bool is_first_of_process = true;
    overhead_times &measured = result->overheads;
    const double first_ns = time_one_creation_ns(descs);
    const tfmt_reorder_t reorder = create_reorder(descs);
    if (!reorder) {
        result->status = case_result::refused;
        result->message = tfmt_get_last_error();
        return;
    }
    if (is_first_of_process) measured.first_us = first_ns / 1000;
    is_first_of_process = false;
    const char *impl = nullptr;
    if (tfmt_reorder_query(reorder, tfmt_query_impl_info_str, &impl) == tfmt_success && impl)
        result->impl = impl;

    measured.desc_ns = median_of(min_batches, run, [&] { return time_desc_ns(c, descs); });
    measured.cold_us = median_of(min_cold_creations, run, [&] {
        return time_cold_creation_ns(descs);
    }) / 1000;
    measured.cached_ns = median_of(min_batches, run, [&] {
        return time_batch_of<tfmt_reorder_t>(
                [&] { return create_reorder(descs); }, tfmt_reorder_destroy);
    });
    const int64_t bytes = result->src_bytes + result->dst_bytes;
    if (bytes > 0 && bytes <= small_bytes)
        measured.execute_minus_memcpy_ns = execute_minus_memcpy_ns(reorder, descs, run, *result);
    tfmt_reorder_destroy(reorder);
}

} // namespace tfmt_bench
