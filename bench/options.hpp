// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/attr_options.hpp"

// The command line of tensorfmt-bench: pure parsing, no library call and, but for the default file
// reader, no file.
namespace tfmt_bench {

// One reorder to run. Types and tags are text still; the tags have their generic `x` expanded.
struct bench_case {
    std::string src_type, dst_type;
    std::string src_tag, dst_tag;
    std::vector<int64_t> dims;
    std::vector<int64_t> src_strides, dst_strides; // replace the tag where not empty
    attr_options attr;
    uint64_t src_runtime_mask = 0, dst_runtime_mask = 0; // dims that come with the execution
    std::string unimplemented; // an option with a value this driver cannot do
};

// The options that reproduce the case, "--sdt=f32 --ddt=f32 --stag=abcd --dtag=acdb 2x64x3x3".
std::string repro_of(const bench_case &c);

struct run_options {
    bool correctness = true;
    bool performance = false;
    bool zero_pad = false;
    bool overheads = false;
    int n_threads = 0;        // 0: the library's choice for correctness, 1 for performance
    std::string isa;          // "" for no cap
    int64_t max_bytes = 0;    // cases with more src + dst bytes are skipped; 0 for no limit
    int n_rounds = 0;         // 0: as many as min_ms allows
    double min_ms = 50;       // time to spend on a case in performance mode
    int64_t offset_bytes = 0; // of src and dst behind a page, in each mode but C
    bool cold = false;
    bool measured = false; // plans, which takes time before a case in modes C and P
    bool csv = false;
    bool fail_fast = false;
    bool list = false;
    bool explain = false;
    bool progress = false;
    bool help = false;
};

bool is_timed(const run_options &run); // anything but correctness alone

struct command_line {
    run_options run;
    std::vector<bench_case> cases;
};

// The message names the option and, in a batch file, the file and line.
class option_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads a file whole; false if it cannot be opened.
using file_reader = std::function<bool(const std::string &path, std::string *text)>;
bool read_whole_file(const std::string &path, std::string *text);

command_line parse_command_line(
        const std::vector<std::string> &arguments, const file_reader &read = read_whole_file);

extern const char *const help_text;

} // namespace tfmt_bench
