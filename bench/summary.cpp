// SPDX-License-Identifier: Apache-2.0
#include "bench/summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/onednn.hpp"
#include "bench/stopwatch.hpp"

namespace tfmt_bench {
namespace {

// Times over those of a yardstick.
struct ratio_set {
    int n = 0;
    double sum_log = 0;
    double largest = 0;

    void add(double ratio) {
        if (ratio <= 0) return; // not measured
        ++n;
        sum_log += std::log(ratio);
        largest = std::max(largest, ratio);
    }
    std::string geomean() const { return n ? number_text(std::exp(sum_log / n)) : "-"; }
    std::string worst() const { return n ? number_text(largest) : "-"; }
};

// One row of the reorders' summary.
struct summary_row {
    int n = 0;
    ratio_set over_memcpy;
    ratio_set onednn_over;   // oneDNN's times over ours
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
        const bool is_scalar = r.onednn_impl == "simple:any" || r.onednn_impl == "ref:any";
        over_memcpy.add(r.ratio);
        if (is_scalar)
            ++n_onednn_scalar;
        else
            onednn_over.add(r.onednn_ratio);
    }
};

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
        std::fprintf(out, " %10s %10s %12s %8d", row.over_memcpy.geomean().c_str(),
                row.over_memcpy.worst().c_str(), row.onednn_over.geomean().c_str(),
                row.onednn_over.n);
    std::fprintf(out, "   %d/%d/%d\n", row.n_jit, row.n_ref, row.n_other);
}

void footnotes(std::FILE *out, int n_onednn_scalar) {
    std::fprintf(out, "x memcpy: geometric mean of time over memcpy's, smaller is better\n");
    if (onednn_version().empty()) return;
    std::fprintf(out,
            "x vs oneDNN: geometric mean of the time of oneDNN %s over ours, larger is better; "
            "without the %d cases that it runs in its generic scalar code\n",
            onednn_version().c_str(), n_onednn_scalar);
}

const char *size_class(const case_result &r) {
    const int64_t bytes = r.src_bytes + r.dst_bytes;
    if (bytes < (int64_t {1} << 16)) return "1 < 64 KiB";
    if (bytes < (int64_t {1} << 20)) return "2 < 1 MiB";
    if (bytes < (int64_t {1} << 24)) return "3 < 16 MiB";
    return "4 16 MiB and more";
}

void reorder_tables(
        std::FILE *out, const run_options &run, const std::vector<case_entry> &entries) {
    std::map<std::string, summary_row> by_size, by_type;
    summary_row all;
    for (const case_entry &e : entries) {
        if (e.result.status != case_result::passed) continue;
        by_size[size_class(e.result)].add(e.result);
        by_type[e.problem.src_type + " -> " + e.problem.dst_type
                + (e.problem.attr.is_default() ? "" : " with attr")]
                .add(e.result);
        all.add(e.result);
    }
    if (all.n == 0) return;
    const bool has_times = run.performance;
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

void worst_cases(std::FILE *out, const std::vector<case_entry> &entries) {
    std::vector<const case_entry *> timed;
    for (const case_entry &e : entries)
        if (e.result.ratio > 0) timed.push_back(&e);
    if (timed.size() < 10) return;
    const auto is_worse = [](const case_entry *a, const case_entry *b) {
        return a->result.ratio > b->result.ratio;
    };
    std::partial_sort(timed.begin(), timed.begin() + 5, timed.end(), is_worse);
    std::fprintf(out, "\nslowest against memcpy:\n");
    for (size_t i = 0; i < 5; ++i)
        std::fprintf(out, "  x%-7s %s [%s]\n", number_text(timed[i]->result.ratio).c_str(),
                repro_of(timed[i]->problem).c_str(), timed[i]->result.impl.c_str());
}

// Where oneDNN was faster, the worst first.
void behind_onednn(std::FILE *out, const std::vector<case_entry> &entries) {
    constexpr size_t most = 10;
    std::vector<const case_entry *> slower;
    for (const case_entry &e : entries)
        if (e.result.onednn_ratio > 0 && e.result.onednn_ratio < 1) slower.push_back(&e);
    if (slower.empty()) return;
    std::sort(slower.begin(), slower.end(), [](const case_entry *a, const case_entry *b) {
        return a->result.onednn_ratio < b->result.onednn_ratio;
    });
    std::fprintf(out, "\nslower than oneDNN: %zu\n", slower.size());
    for (size_t i = 0; i < std::min(most, slower.size()); ++i)
        std::fprintf(out, "  x%-7s %s [%s]\n", number_text(slower[i]->result.onednn_ratio).c_str(),
                repro_of(slower[i]->problem).c_str(), slower[i]->result.onednn_impl.c_str());
}

// By the bytes of padding, since the time should follow them.
const char *padding_class(int64_t bytes) {
    if (bytes < (int64_t {1} << 12)) return "1 < 4 KiB";
    if (bytes < (int64_t {1} << 16)) return "2 < 64 KiB";
    if (bytes < (int64_t {1} << 20)) return "3 < 1 MiB";
    return "4 1 MiB and more";
}

void zero_pad_table(std::FILE *out, const std::vector<case_entry> &entries) {
    std::map<std::string, ratio_set> by_size;
    ratio_set all;
    for (const case_entry &e : entries) {
        if (e.result.status != case_result::passed || e.result.zero_pad.ratio <= 0) continue;
        by_size[padding_class(e.result.zero_pad.padding_bytes)].add(e.result.zero_pad.ratio);
        all.add(e.result.zero_pad.ratio);
    }
    std::fprintf(out, "\n%-22s %6s %10s %10s\n", "bytes of padding", "cases", "x memset", "worst");
    const auto print = [&](const std::string &name, const ratio_set &ratios) {
        std::fprintf(out, "%-22s %6d %10s %10s\n", name.c_str(), ratios.n, ratios.geomean().c_str(),
                ratios.worst().c_str());
    };
    for (const auto &[name, ratios] : by_size)
        print(name.substr(2), ratios);
    print("all", all);
    std::fprintf(out,
            "x memset: geometric mean of the time of zeroing the padding over that of one "
            "memset of as many bytes\n");
}

void overhead_row(std::FILE *out, const char *name, double overhead_times::*field,
        const std::vector<case_entry> &entries) {
    std::vector<double> values;
    const case_entry *worst = nullptr;
    for (const case_entry &e : entries) {
        const double value = e.result.overheads.*field;
        if (e.result.status != case_result::passed || std::isnan(value)) continue;
        values.push_back(value);
        if (!worst || value > worst->result.overheads.*field) worst = &e;
    }
    if (!worst) return;
    std::fprintf(out, "%-32s %6zu %10s %10s   %s\n", name, values.size(),
            number_text(median(values), "%.1f").c_str(),
            number_text(worst->result.overheads.*field, "%.1f").c_str(),
            repro_of(worst->problem).c_str());
}

void overhead_table(std::FILE *out, const std::vector<case_entry> &entries) {
    std::fprintf(out, "\n%-32s %6s %10s %10s   %s\n", "overheads", "cases", "median", "worst",
            "worst case");
    overhead_row(out, "create a descriptor, ns", &overhead_times::desc_ns, entries);
    overhead_row(out, "create a cached reorder, ns", &overhead_times::cached_ns, entries);
    overhead_row(out, "create a reorder, us", &overhead_times::cold_us, entries);
    overhead_row(out, "first of the process, us", &overhead_times::first_us, entries);
    overhead_row(out, "execute less memcpy, ns", &overhead_times::execute_minus_memcpy_ns, entries);
}

} // namespace

std::string number_text(double value, const char *format) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

void print_summary(std::FILE *out, const run_options &run, const std::vector<case_entry> &entries) {
    if (run.correctness || run.performance) reorder_tables(out, run, entries);
    if (run.performance) worst_cases(out, entries);
    if (run.performance) behind_onednn(out, entries);
    if (run.zero_pad) zero_pad_table(out, entries);
    if (run.overheads) overhead_table(out, entries);
}

} // namespace tfmt_bench
