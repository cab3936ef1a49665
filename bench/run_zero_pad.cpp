// SPDX-License-Identifier: Apache-2.0
#include "bench/run_zero_pad.hpp"

#include "bench/buffers.hpp"
#include "bench/stopwatch.hpp"
#include "support/element.hpp"
#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"
#include "support/random_data.hpp"

namespace tfmt_bench {
namespace {

int64_t padding_bytes_of(const tfmt_test::layout &l) {
    if (l.is_zero_sized()) return 0;
    int64_t n_logical = 1;
    int64_t n_padded = 1;
    for (int d = 0; d < l.ndims(); ++d) {
        n_logical *= l.logical[static_cast<size_t>(d)];
        n_padded *= l.padded[static_cast<size_t>(d)];
    }
    return tfmt_test::bytes_for_elements(l.data_type, n_padded - n_logical);
}

void end_as_failed(case_result *result, const std::string &message) {
    result->status = case_result::failed;
    result->message = "zero padding: " + message;
}

// A status other than success: refused if the library does not do it, else failed.
void end_as_status(case_result *result, tfmt_status_t status) {
    end_as_failed(result, std::string(tfmt_status_name(status)) + ": " + tfmt_get_last_error());
    if (status == tfmt_unimplemented) result->status = case_result::refused;
}

} // namespace

void check_zero_pad(const case_descs &descs, case_result *result) {
    const tfmt_test::layout &l = descs.dst_layout;
    const auto size = static_cast<size_t>(result->dst_bytes);
    tfmt_test::guarded_buffer data(size, tfmt_test::placement::at_end);
    tfmt_test::random_source random(1);
    tfmt_test::fill_random_bits(data.data(), result->dst_bytes, random);
    std::vector<unsigned char> expected(data.data(), data.data() + size);
    tfmt_test::oracle_zero_pad(l, expected.data());

    const tfmt_status_t status = tfmt_zero_pad(descs.dst.get(), data.data());
    if (status != tfmt_success) return end_as_status(result, status);
    const std::string wrong = tfmt_test::compare_bytes(
            l, data.data(), expected.data(), result->dst_bytes);
    if (!wrong.empty()) return end_as_failed(result, wrong);
    if (!data.slack_is_intact()) end_as_failed(result, "bytes beside dst were written");
}

void time_zero_pad(const case_descs &descs, const run_options &run, case_result *result) {
    zero_pad_times &measured = result->zero_pad;
    measured.padding_bytes = padding_bytes_of(descs.dst_layout);
    if (measured.padding_bytes == 0) return;
    const auto n_bytes = static_cast<size_t>(measured.padding_bytes);
    buffer_ring ring(measured.padding_bytes, result->dst_bytes, run.cold, run.offset_bytes);

    tfmt_status_t status = tfmt_success;
    std::vector<std::function<void()>> contestants = {
            [&] {
                const tfmt_status_t s = tfmt_zero_pad(descs.dst.get(), ring.next_pair().dst);
                if (s != tfmt_success) status = s;
            },
            [&] { libc_memset(ring.next_pair().src, 0, n_bytes); }};

    timing_options timing;
    timing.n_rounds = run.n_rounds;
    timing.min_ms = run.min_ms;
    timing.warm_up = !run.cold;
    const std::vector<std::vector<double>> times = time_interleaved(contestants, timing);
    if (status != tfmt_success) return end_as_status(result, status);
    measured.time_us = median(times[0]);
    measured.memset_us = median(times[1]);
    measured.ratio = median_ratio(times[0], times[1]);
}

} // namespace tfmt_bench
