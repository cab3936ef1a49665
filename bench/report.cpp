// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "bench/onednn.hpp"
#include "support/layout.hpp"

namespace tfmt_bench {
namespace {

// One row of the summary.
struct summary_row {
    int n = 0;
    int n_timed = 0;
    double sum_log_ratio = 0;
    double worst = 0;
    int n_onednn = 0;
    double sum_log_onednn = 0;
    int n_onednn_scalar = 0; // left out of the mean: its generic code is no yardstick
    int n_jit = 0;
    int n_ref = 0;
    int n_other = 0;

    void add(const case_result &r) {
        ++n;
        if (r.impl.compare(0, 4, "jit:") == 0)
            ++n_jit;
        else if (r.impl.compare(0, 4, "ref:") == 0)
            ++n_ref;
        else
            ++n_other;
        if (r.ratio > 0) {
            ++n_timed;
            sum_log_ratio += std::log(r.ratio);
            worst = std::max(worst, r.ratio);
        }
        if (r.onednn_impl == "simple:any" || r.onednn_impl == "ref:any") {
            ++n_onednn_scalar;
        } else if (r.onednn_ratio > 0) {
            ++n_onednn;
            sum_log_onednn += std::log(r.onednn_ratio);
        }
    }
};

std::string fixed(double value, const char *format = "%.2f") {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string geomean(double sum_log, int n) { return n ? fixed(std::exp(sum_log / n)) : "-"; }

// Without times (mode C) the columns about them are left out.
void print_heading(std::FILE *out, const char *name, bool has_times) {
    std::fprintf(out, "\n%-22s %6s", name, "cases");
    if (has_times)
        std::fprintf(out, " %10s %10s %12s %8s", "x memcpy", "worst", "x vs oneDNN", "of cases");
    std::fprintf(out, "   jit/ref/other\n");
}

void print_row(std::FILE *out, const std::string &name, const summary_row &row, bool has_times) {
    std::fprintf(out, "%-22s %6d", name.c_str(), row.n);
    if (has_times)
        std::fprintf(out, " %10s %10s %12s %8d", geomean(row.sum_log_ratio, row.n_timed).c_str(),
                row.n_timed ? fixed(row.worst).c_str() : "-",
                geomean(row.sum_log_onednn, row.n_onednn).c_str(), row.n_onednn);
    std::fprintf(out, "   %d/%d/%d\n", row.n_jit, row.n_ref, row.n_other);
}

void footnotes(std::FILE *out, int n_onednn_scalar) {
    std::fprintf(out, "x memcpy: geometric mean of time over memcpy's, smaller is better\n");
    if (onednn_version().empty()) return;
    std::fprintf(out,
            "x vs oneDNN: geometric mean of the time of oneDNN %s over ours, larger is better; "
            "without "
            "the %d cases that it runs in its generic scalar code\n",
            onednn_version().c_str(), n_onednn_scalar);
}

const char *size_class(const case_result &r) {
    const int64_t bytes = r.src_bytes + r.dst_bytes;
    if (bytes < (int64_t {1} << 16)) return "1 < 64 KiB";
    if (bytes < (int64_t {1} << 20)) return "2 < 1 MiB";
    if (bytes < (int64_t {1} << 24)) return "3 < 16 MiB";
    return "4 16 MiB and more";
}

// A field of comma-separated values: quoted where it must be.
std::string csv_field(const std::string &text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

} // namespace

report::report(const run_options &run, size_t n_cases)
    : run_(run),
      n_cases_(n_cases),
      start_(std::chrono::steady_clock::now()),
      last_progress_(start_),
      shows_progress_(run.progress || isatty(STDERR_FILENO)) {}

void report::header() {
    if (run_.csv)
        std::printf(
                "index,status,sdt,ddt,stag,dtag,dims,src_bytes,dst_bytes,impl,time_us,memcpy_us,"
                "time_over_memcpy,onednn_us,onednn_over_time,onednn_impl,message\n");
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
    const auto time = [](double value) { return value > 0 ? fixed(value, "%.4g") : std::string(); };
    const std::string fields[] = {std::to_string(index), status_name(r.status), c.src_type,
            c.dst_type, c.src_tag, c.dst_tag, tfmt_test::dims_text(c.dims),
            std::to_string(r.src_bytes), std::to_string(r.dst_bytes), r.impl, time(r.time_us),
            time(r.memcpy_us), time(r.ratio), time(r.onednn_us), time(r.onednn_ratio),
            r.onednn_impl, r.message};
    const char *separator = "";
    for (const std::string &field : fields) {
        std::printf("%s%s", separator, csv_field(field).c_str());
        separator = ",";
    }
    std::printf("\n");
}

void report::text_line(size_t index, const bench_case &c, const case_result &r) const {
    std::string details;
    if (r.time_us > 0) {
        details = " " + fixed(r.time_us, "%.4g") + " us, memcpy " + fixed(r.memcpy_us, "%.4g")
                + " us: x" + fixed(r.ratio);
        details += ", oneDNN "
                + (r.onednn_us > 0 ? fixed(r.onednn_us, "%.4g") + " us: x" + fixed(r.onednn_ratio)
                                        + " (" + r.onednn_impl + ")"
                                   : std::string("-"));
    }
    if (!r.impl.empty()) details += " [" + r.impl + "]";
    if (!r.message.empty()) details += " (" + r.message + ")";
    std::printf("%zu:%s%s __REPRO: %s\n", index, status_name(r.status), details.c_str(),
            repro_of(c).c_str());
}

size_t report::count(case_result::status_t status) const {
    return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(),
            [=](const entry &e) { return e.result.status == status; }));
}

void report::tables(std::FILE *out) const {
    std::map<std::string, summary_row> by_size, by_type;
    summary_row all;
    for (const entry &e : entries_) {
        if (e.result.status != case_result::passed) continue;
        by_size[size_class(e.result)].add(e.result);
        by_type[e.problem.src_type + " -> " + e.problem.dst_type].add(e.result);
        all.add(e.result);
    }
    if (all.n == 0) return;
    const bool has_times = all.n_timed > 0;
    print_heading(out, "src + dst bytes", has_times);
    for (const auto &[name, row] : by_size)
        print_row(out, name.substr(2), row, has_times);
    print_heading(out, "types", has_times);
    for (const auto &[name, row] : by_type)
        print_row(out, name, row, has_times);
    std::fprintf(out, "\n");
    print_row(out, "all", all, has_times);
    if (has_times) footnotes(out, all.n_onednn_scalar);
}

void report::worst_cases(std::FILE *out) const {
    std::vector<const entry *> timed;
    for (const entry &e : entries_)
        if (e.result.ratio > 0) timed.push_back(&e);
    if (timed.size() < 10) return;
    const auto is_worse = [](const entry *a, const entry *b) {
        return a->result.ratio > b->result.ratio;
    };
    std::partial_sort(timed.begin(), timed.begin() + 5, timed.end(), is_worse);
    std::fprintf(out, "\nslowest against memcpy:\n");
    for (size_t i = 0; i < 5; ++i)
        std::fprintf(out, "  x%-7s %s [%s]\n", fixed(timed[i]->result.ratio).c_str(),
                repro_of(timed[i]->problem).c_str(), timed[i]->result.impl.c_str());
}

void report::summary() {
    clear_progress();
    std::FILE *out = run_.csv ? stderr : stdout;
    tables(out);
    worst_cases(out);
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
