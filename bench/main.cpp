// SPDX-License-Identifier: Apache-2.0
// tensorfmt-bench: checks reorders and zero padding against the tests' oracle and times them
// against memcpy, memset and oneDNN.
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/options.hpp"
#include "bench/report.hpp"
#include "bench/run_correctness.hpp"
#include "bench/run_overheads.hpp"
#include "bench/run_performance.hpp"
#include "bench/run_zero_pad.hpp"

namespace {

using namespace tfmt_bench;

bool parse_isa(const std::string &name, tfmt_cpu_isa_t *isa) {
    static const struct {
        const char *name;
        tfmt_cpu_isa_t isa;
    } rows[] = {
            {"none", tfmt_cpu_isa_none},
            {"sse41", tfmt_cpu_isa_sse41},
            {"avx2", tfmt_cpu_isa_avx2},
            {"avx512_core", tfmt_cpu_isa_avx512_core},
            {"avx512_core_vbmi", tfmt_cpu_isa_avx512_core_vbmi},
            {"avx512_core_bf16", tfmt_cpu_isa_avx512_core_bf16},
            {"avx512_core_fp16", tfmt_cpu_isa_avx512_core_fp16},
    };
    for (const auto &row : rows)
        if (name == row.name) return *isa = row.isa, true;
    return false;
}

// Settings of the library that hold for all cases.
void set_up_library(run_options *run) {
    if (!run->isa.empty()) {
        tfmt_cpu_isa_t isa = tfmt_cpu_isa_none;
        if (!parse_isa(run->isa, &isa)) throw option_error("--isa=" + run->isa + ": unknown name");
        if (tfmt_set_max_cpu_isa(isa) != tfmt_success)
            throw option_error("--isa=" + run->isa + ": " + tfmt_get_last_error());
    }
    if (run->n_threads == 0 && is_timed(*run)) run->n_threads = 1;
    if (run->n_threads > 0 && tfmt_set_num_threads(run->n_threads) != tfmt_success)
        throw option_error(
                "--threads=" + std::to_string(run->n_threads) + ": " + tfmt_get_last_error());
}

// Overheads come first, while the process has created no reorder yet. What fails in one mode is not
// run in the others.
void run_modes(
        const bench_case &c, const case_descs &descs, const run_options &run, case_result *result) {
    const auto is_fine = [&] { return result->status == case_result::passed; };
    if (run.overheads) time_overheads(c, descs, run, result);
    if (run.correctness && is_fine()) run_correctness(descs, run, result);
    if (run.correctness && run.zero_pad && is_fine()) check_zero_pad(descs, result);
    if (run.performance && is_fine()) run_performance(descs, run, result);
    if (run.zero_pad && is_fine()) time_zero_pad(descs, run, result);
}

case_result run_case(const bench_case &c, const run_options &run) {
    case_result result;
    case_descs descs;
    if (!make_descs(c, run, &descs, &result)) return result;
    try {
        run_modes(c, descs, run, &result);
    } catch (const std::bad_alloc &) {
        result.status = case_result::skipped;
        result.message = "not enough memory for its buffers";
    }
    return result;
}

int run_all(command_line *line) {
    set_up_library(&line->run);
    report output(line->run, line->cases.size());
    output.header();
    for (size_t i = 0; i < line->cases.size(); ++i) {
        output.before(i);
        const case_result result = run_case(line->cases[i], line->run);
        output.add(i, line->cases[i], result);
        if (line->run.fail_fast && result.status == case_result::failed) break;
    }
    output.summary();
    return output.exit_status();
}

// What tfmt_reorder_explain has to say of one case, or why it says nothing.
std::string explanation_of(const bench_case &c, const run_options &run) {
    case_result result;
    case_descs descs;
    if (!make_descs(c, run, &descs, &result)) return result.message + "\n";
    tfmt_reorder_t reorder = nullptr;
    if (create_reorder(descs, &reorder) != tfmt_success)
        return std::string(tfmt_get_last_error()) + "\n";
    size_t size = 0;
    std::string text;
    if (tfmt_reorder_explain(reorder, nullptr, &size) == tfmt_success) {
        text.resize(size);
        tfmt_reorder_explain(reorder, &text[0], &size);
        text.resize(size - 1); // the terminating zero
    }
    tfmt_reorder_destroy(reorder);
    return text;
}

int explain_all(command_line *line) {
    set_up_library(&line->run);
    for (const bench_case &c : line->cases)
        std::printf("%s\n%s\n", repro_of(c).c_str(), explanation_of(c, line->run).c_str());
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        command_line line = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
        if (line.run.help) return std::fputs(help_text, stdout), 0;
        if (line.cases.empty())
            throw option_error("no DIMS and no --batch given; --help lists the options");
        if (line.run.list) {
            for (const bench_case &c : line.cases)
                std::printf("%s\n", repro_of(c).c_str());
            return 0;
        }
        return line.run.explain ? explain_all(&line) : run_all(&line);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "tensorfmt-bench: %s\n", error.what());
        return 2;
    }
}
