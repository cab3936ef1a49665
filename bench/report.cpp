// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/layout.hpp"

namespace tfmt_bench {
namespace {

// A field of comma-separated values: quoted where it must be.
std::string csv_field(const std::string &text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

// "" for what was not measured.
std::string csv_time(double value) { return value > 0 ? number_text(value, "%.4g") : ""; }

std::string microseconds(double value) { return number_text(value, "%.4g") + " us"; }

std::string times_text(const case_result &r) {
    if (r.time_us <= 0) return "";
    std::string text = " " + microseconds(r.time_us) + ", memcpy " + microseconds(r.memcpy_us)
            + ": x" + number_text(r.ratio) + ", oneDNN ";
    if (r.onednn_us <= 0) return text + "-";
    return text + microseconds(r.onednn_us) + ": x" + number_text(r.onednn_ratio) + " ("
            + r.onednn_impl + ")";
}

std::string zero_pad_text(const zero_pad_times &z) {
    if (z.time_us <= 0) return "";
    return " padding of " + std::to_string(z.padding_bytes) + " bytes " + microseconds(z.time_us)
            + ", memset " + microseconds(z.memset_us) + ": x" + number_text(z.ratio);
}

std::string overheads_text(const overhead_times &o) {
    if (std::isnan(o.cold_us)) return "";
    std::string text = " descriptor " + number_text(o.desc_ns, "%.0f") + " ns, create: cached "
            + number_text(o.cached_ns, "%.0f") + " ns, cold " + microseconds(o.cold_us);
    if (!std::isnan(o.first_us)) text += ", first " + microseconds(o.first_us);
    if (!std::isnan(o.execute_minus_memcpy_ns))
        text += "; execute - memcpy " + number_text(o.execute_minus_memcpy_ns, "%.1f") + " ns";
    return text;
}

} // namespace

report::report(const run_options &run, size_t n_cases)
    : run_(run),
      n_cases_(n_cases),
      start_(std::chrono::steady_clock::now()),
      last_progress_(start_),
      shows_progress_(run.progress || isatty(STDERR_FILENO)) {}

void report::header() {
    if (!run_.csv) return;
    std::printf("index,status,sdt,ddt,stag,dtag,dims,src_bytes,dst_bytes,impl,time_us,memcpy_us,"
                "time_over_memcpy,onednn_us,onednn_over_time,onednn_impl,message,attr");
    if (run_.zero_pad) std::printf(",padding_bytes,zero_pad_us,memset_us,zero_pad_over_memset");
    if (run_.overheads)
        std::printf(",desc_ns,create_cached_ns,create_cold_us,create_first_us,"
                    "execute_minus_memcpy_ns");
    std::printf("\n");
}

void report::before(size_t index) {
    using namespace std::chrono;
    const auto now = steady_clock::now();
    if (!shows_progress_ || now - start_ < seconds(2) || now - last_progress_ < milliseconds(200))
        return;
    last_progress_ = now;
    const double elapsed = duration<double>(now - start_).count();
    std::fprintf(stderr, "\r%zu of %zu cases, %.0f s, %zu failed, %zu refused", index, n_cases_,
            elapsed, count(case_result::failed), count(case_result::refused));
    std::fflush(stderr);
    has_progress_line_ = true;
}

void report::clear_progress() {
    if (has_progress_line_) std::fprintf(stderr, "\r%70s\r", "");
    has_progress_line_ = false;
}

void report::add(size_t index, const bench_case &c, const case_result &result) {
    clear_progress();
    if (run_.csv)
        csv_line(index, c, result);
    else
        text_line(index, c, result);
    std::fflush(stdout);
    entries_.push_back({c, result});
}

void report::csv_line(size_t index, const bench_case &c, const case_result &r) const {
    std::vector<std::string> fields = {std::to_string(index), status_name(r.status), c.src_type,
            c.dst_type, c.src_tag, c.dst_tag, tfmt_test::dims_text(c.dims),
            std::to_string(r.src_bytes), std::to_string(r.dst_bytes), r.impl, csv_time(r.time_us),
            csv_time(r.memcpy_us), csv_time(r.ratio), csv_time(r.onednn_us),
            csv_time(r.onednn_ratio), r.onednn_impl, r.message,
            c.attr.text.empty() ? "" : c.attr.text.substr(1)};
    if (run_.zero_pad) {
        const zero_pad_times &z = r.zero_pad;
        fields.push_back(std::to_string(z.padding_bytes));
        for (double value : {z.time_us, z.memset_us, z.ratio})
            fields.push_back(csv_time(value));
    }
    if (run_.overheads) {
        const overhead_times &o = r.overheads;
        for (double value :
                {o.desc_ns, o.cached_ns, o.cold_us, o.first_us, o.execute_minus_memcpy_ns})
            fields.push_back(std::isnan(value) ? "" : number_text(value, "%.4g"));
    }
    const char *separator = "";
    for (const std::string &field : fields) {
        std::printf("%s%s", separator, csv_field(field).c_str());
        separator = ",";
    }
    std::printf("\n");
}

void report::text_line(size_t index, const bench_case &c, const case_result &r) const {
    std::string details = times_text(r) + zero_pad_text(r.zero_pad) + overheads_text(r.overheads);
    if (!r.impl.empty()) details += " [" + r.impl + "]";
    if (!r.message.empty()) details += " (" + r.message + ")";
    std::printf("%zu:%s%s __REPRO: %s\n", index, status_name(r.status), details.c_str(),
            repro_of(c).c_str());
}

size_t report::count(case_result::status_t status) const {
    return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(),
            [=](const case_entry &e) { return e.result.status == status; }));
}

void report::summary() {
    clear_progress();
    std::FILE *out = run_.csv ? stderr : stdout;
    print_summary(out, run_, entries_);
    const size_t n_passed = count(case_result::passed);
    const size_t n_failed = count(case_result::failed);
    std::fprintf(out, "\ntests:%zu passed:%zu failed:%zu refused:%zu skipped:%zu\n",
            entries_.size(), n_passed, n_failed, count(case_result::refused),
            count(case_result::skipped));
    std::fprintf(out, "%zu passed, %zu failed\n", n_passed, n_failed);
}

int report::exit_status() const {
    if (count(case_result::failed) > 0) return 1;
    return count(case_result::refused) > 0 ? 3 : 0;
}

} // namespace tfmt_bench
