// SPDX-License-Identifier: Apache-2.0
#include "bench/options.hpp"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/generic_tag.hpp"

namespace tfmt_bench {

const char *const help_text =
        R"(tensorfmt-bench checks and times reorders. Options follow benchdnn's reorder driver.

  tensorfmt-bench [OPTION | DIMS]...        options hold for the DIMS after them

Cases; several values by commas make a cross product:
  --sdt=T,..  --ddt=T,..     f32 (default) f16 bf16 f64 s64 s32 s8 u8 boolean f8_e5m2 f8_e4m3
                             s4 u4 f4_e2m1 e8m0
  --stag=TAG,..  --dtag=TAG,..   abcd, nChw16c, ABcd8b16a2b, NHWC; abx (default), axb, xba, aBx16b:
                             x stands for the dims that the tag does not name
  --strides=SxS:DxD,..       src and dst strides in elements in place of the tags; either may be empty
  --attr-scales=ARG:POLICY[:SCALE][:TYPE[:GROUPS]][+..],..
  --attr-zero-points=ARG:POLICY[:ZERO_POINT][:TYPE[:GROUPS]][+..],..
                             ARG src or dst; POLICY common (which wants a value), per_oc (dim 1),
                             per_ocic (dims 0 and 1), per_dim_0, per_dim_02, .., per_tensor (all);
                             TYPE f32 (default) bf16 f16 e8m0, s32 (default) s8 u8 s4 u4;
                             GROUPS 32x1: neighbours that share a value along the last masked dims
  --attr-post-ops=sum[:BETA],..
  --oflag=s8s8_comp:MASK[+zp_comp:MASK],..  compensation behind an s8 dst; none (default)
  --runtime-dim-mask=MASK[:MASK],..  dims, bit d for dimension d, that the reorder is created
                             without, of src and dst or of each
  DIMS                       2x64x56x56; a suffix n"NAME" or _n"NAME" is ignored
  --batch=FILE               options and DIMS from a file (relative to the file that names it, or to
                             the current directory; # begins a comment), or lines of the form
                             "src_type dst_type src_tag dst_tag DIMS"
  --reset                    the options above back to their defaults
Run (the last value holds for all cases):
  --mode=LETTERS             C correctness (default), P performance, Z zero padding, O overheads,
                             or several of them, as CP
  --threads=N                default: the library's choice for C, 1 for the others
  --isa=NAME                 cap: none sse41 avx2 avx512_core avx512_core_vbmi avx512_core_bf16
                             avx512_core_fp16
  --max-bytes=N[K|M|G]       skip cases with more bytes of src + dst
  --min-ms=N                 time to spend on a case in each mode but C (default 50)
  --repeat=N                 measure N rounds instead
  --offset=N                 src and dst begin N bytes behind a page in each mode but C (default 0;
                             16 for what malloc gives)
  --cold                     rotate through buffers larger than the caches (default: hot, as benchdnn)
  --measured                 C and P: the fastest of several plans, by the clock, not the one of the
                             rules (tfmt_reorder_create_measured)
  --csv                      one line of comma-separated values a case
  --explain                  print problem, plan and kernel IR of each case and run nothing
  --fail-fast  --list  --progress  --help

C compares every byte of dst (padding and gaps too), between guard pages, with an independent oracle.
P gives the median time over that of memcpy of (src bytes + dst bytes) / 2 in the same rounds, and
over oneDNN's (2.x) where it was found at build time.
Z gives the time of zeroing dst's padding over that of one memset of as many bytes; with C, the
result is checked as well.
O gives, each alone: creating dst's descriptor, creating the reorder with its kernel in the cache and
with an empty cache, the process's first creation (the first case), and, up to 64 KiB of src + dst,
executing it less memcpy of (src bytes + dst bytes) / 2.
--csv: the columns of Z and O stand behind the others, in these modes only.
Exit status: 0 all passed; 1 a case failed; 2 wrong usage; 3 none failed but some were refused.
)";

namespace {

using list = std::vector<std::string>;

// Options of benchdnn whose default asks nothing of the driver. Another value leaves the case
// unimplemented instead of running it as something it is not.
const std::map<std::string, list> &unimplemented_unless_default() {
    static const std::map<std::string, list> defaults = {
            {"attr-scales",
                    {""}}, // these three and oflag only where the driver cannot do the value
            {"attr-zero-points", {""}},
            {"attr-post-ops", {""}},
            {"attr-oscale", {""}},
            {"attr-rounding-mode", {""}},
            {"attr-deterministic", {"", "false", "0"}},
            {"oflag", {"", "none"}},
            {"alg", {"", "reference"}},
            {"cross-engine", {"", "none"}},
            {"engine", {"", "cpu"}},
    };
    return defaults;
}

// Options of benchdnn that change nothing here, whatever their value.
bool has_no_effect(const std::string &name) {
    static const list names = {"reorder", "allow-enum-tags-only", "attr-fpmath",
            "attr-same-pd-check", "attr-scratchpad", "canonical", "cpu-isa-hints", "def-scales",
            "mem-check", "memory-kind", "perf-template", "skip-impl", "stream-kind", "verbose"};
    for (const std::string &n : names)
        if (n == name) return true;
    return false;
}

// The options that --reset resets.
struct case_settings {
    list src_types {"f32"}, dst_types {"f32"};
    list src_tags {"abx"}, dst_tags {"abx"};
    list strides {""};
    list runtime_masks {""};
    std::map<std::string, list> others; // of unimplemented_unless_default()
};

// Words are separated by blanks, but not inside double quotes; # at a word's start begins a
// comment.
list words_of(const std::string &line) {
    list words;
    std::string word;
    bool is_quoted = false;
    for (char c : line + "\n") {
        if (c == '"') is_quoted = !is_quoted;
        const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (c == '#' && word.empty() && !is_quoted) break;
        if (!is_blank || (is_quoted && c != '\n')) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(word);
            word.clear();
        }
    }
    return words;
}

class parser {
public:
    explicit parser(const file_reader &read) : read_(read) {}

    void word(const std::string &text) {
        if (text.compare(0, 2, "--") == 0 || text == "-h")
            option(text);
        else if (text.compare(0, 2, "-v") != 0)
            add_cases(text);
    }

    command_line result;

private:
    [[noreturn]] void fail(const std::string &message) const {
        throw option_error(where_.empty() ? message : where_ + ": " + message);
    }

    void option(const std::string &text) {
        const size_t equals = text.find('=');
        const std::string name = text.substr(2, equals == std::string::npos ? equals : equals - 2);
        const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
        if (text == "-h")
            result.run.help = true;
        else if (!case_option(name, value) && !run_option(name, value) && !has_no_effect(name))
            fail("unknown option " + text);
    }

    bool case_option(const std::string &name, const std::string &value) {
        if (name == "sdt") return settings_.src_types = split(value, ','), true;
        if (name == "ddt") return settings_.dst_types = split(value, ','), true;
        if (name == "stag") return settings_.src_tags = split(value, ','), true;
        if (name == "dtag") return settings_.dst_tags = split(value, ','), true;
        if (name == "strides") return settings_.strides = split(value, ','), true;
        if (name == "runtime-dim-mask") return settings_.runtime_masks = split(value, ','), true;
        if (name == "reset") return settings_ = case_settings(), true;
        if (name == "batch") return batch(value), true;
        if (!unimplemented_unless_default().count(name)) return false;
        std::string unquoted;
        for (char c : value)
            if (c != '\'' && c != '"') unquoted += c;
        settings_.others[name] = split(unquoted, ',');
        return true;
    }

    bool run_option(const std::string &name, const std::string &value) {
        run_options &run = result.run;
        if (name == "mode") return mode(value), true;
        if (name == "threads") return run.n_threads = static_cast<int>(number(name, value)), true;
        if (name == "isa") return run.isa = value, true;
        if (name == "max-bytes") return run.max_bytes = bytes(name, value), true;
        if (name == "min-ms" || name == "max-ms-per-prb")
            return run.min_ms = static_cast<double>(number(name, value)), true;
        if (name == "repeat" || name == "fix-times-per-prb")
            return run.n_rounds = static_cast<int>(number(name, value)), true;
        if (name == "offset") return run.offset_bytes = bytes(name, value), true;
        if (name == "cold") return run.cold = flag(name, value), true;
        if (name == "measured") return run.measured = flag(name, value), true;
        if (name == "csv") return run.csv = flag(name, value), true;
        if (name == "fail-fast") return run.fail_fast = flag(name, value), true;
        if (name == "list") return run.list = flag(name, value), true;
        if (name == "explain") return run.explain = flag(name, value), true;
        if (name == "progress") return run.progress = flag(name, value), true;
        if (name == "help") return run.help = flag(name, value), true;
        return false;
    }

    // Letters in any order, or one of benchdnn's words.
    void mode(const std::string &value) {
        static const std::map<std::string, std::string> words = {{"CORR", "C"},
                {"CORRECTNESS", "C"}, {"PERF", "P"}, {"PERFORMANCE", "P"}, {"ALL", "CP"},
                {"LIST", "L"}};
        std::string text;
        for (char c : value)
            text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        const auto word = words.find(text);
        const std::string letters = word == words.end() ? text : word->second;
        const auto has = [&](char c) { return letters.find(c) != std::string::npos; };
        if (letters == "L") return void(result.run.list = true);
        if (letters.empty() || letters.find_first_not_of("CPZO") != std::string::npos)
            fail("--mode=" + value + ": wanted letters of C, P, Z and O");
        result.run.correctness = has('C');
        result.run.performance = has('P');
        result.run.zero_pad = has('Z');
        result.run.overheads = has('O');
    }

    bool flag(const std::string &name, const std::string &value) const {
        if (value.empty() || value == "1" || value == "true") return true;
        if (value == "0" || value == "false") return false;
        fail("--" + name + "=" + value + ": wanted true or false");
    }

    int64_t number(const std::string &name, const std::string &value) const {
        char *end = nullptr;
        const long long n = std::strtoll(value.c_str(), &end, 10);
        if (value.empty() || *end || n < 0 || n > 1000000000)
            fail("--" + name + "=" + value + ": wanted a number from 0 to 1000000000");
        return n;
    }

    int64_t bytes(const std::string &name, const std::string &value) const {
        static const std::string units = "KMG";
        const size_t unit = value.empty() ? std::string::npos : units.find(value.back());
        if (unit == std::string::npos) return number(name, value);
        return number(name, value.substr(0, value.size() - 1)) << (10 * (unit + 1));
    }

    // "2x64x3x3", with or without n"NAME" or _n"NAME" behind it.
    std::vector<int64_t> parse_dims(const std::string &text) const {
        const size_t end = text.find_first_of("n_");
        std::vector<int64_t> dims;
        for (const std::string &part : split(text.substr(0, end), 'x')) {
            const bool is_number = !part.empty() && part.size() <= 18
                    && part.find_first_not_of("0123456789") == std::string::npos;
            if (!is_number) fail("\"" + text + "\": wanted DIMS like 2x64x3x3 or an --option");
            dims.push_back(std::stoll(part));
        }
        if (dims.size() > 12) fail("\"" + text + "\" has more than 12 dims");
        return dims;
    }

    void add_cases(const std::string &text) {
        bench_case c;
        c.dims = parse_dims(text);
        for (const std::string &src_type : settings_.src_types)
            for (const std::string &dst_type : settings_.dst_types)
                for (const std::string &src_tag : settings_.src_tags)
                    for (const std::string &dst_tag : settings_.dst_tags)
                        for (const std::string &strides : settings_.strides) {
                            c.src_type = src_type;
                            c.dst_type = dst_type;
                            set_tags(&c, src_tag, dst_tag);
                            set_strides(&c, strides);
                            for (const std::string &masks : settings_.runtime_masks) {
                                set_runtime_masks(&c, masks);
                                add_with_others(c, settings_.others.begin());
                            }
                        }
    }

    static void set_tags(bench_case *c, const std::string &src_tag, const std::string &dst_tag) {
        const int ndims = static_cast<int>(c->dims.size());
        c->src_tag = expand_generic_tag(src_tag, ndims);
        c->dst_tag = expand_generic_tag(dst_tag, ndims);
        c->unimplemented.clear();
        for (const std::string &tag : {src_tag, dst_tag})
            if (tag == "any" || tag == "undef")
                c->unimplemented = "tag " + tag + ": a reorder needs both layouts";
    }

    void set_strides(bench_case *c, const std::string &text) const {
        c->src_strides.clear();
        c->dst_strides.clear();
        if (text.empty()) return;
        const list sides = split(text, ':');
        if (sides.size() != 2) fail("--strides=" + text + ": wanted SRC_STRIDES:DST_STRIDES");
        if (!sides[0].empty()) c->src_strides = parse_dims(sides[0]);
        if (!sides[1].empty()) c->dst_strides = parse_dims(sides[1]);
        for (const std::vector<int64_t> *strides : {&c->src_strides, &c->dst_strides})
            if (!strides->empty() && strides->size() != c->dims.size())
                fail("--strides=" + text + " does not fit " + std::to_string(c->dims.size())
                        + " dims");
    }

    void set_runtime_masks(bench_case *c, const std::string &text) const {
        const list sides = split(text.empty() ? "0" : text, ':');
        if (sides.size() > 2) fail("--runtime-dim-mask=" + text + ": wanted MASK or MASK:MASK");
        const auto mask_of = [&](const std::string &side) {
            const int64_t mask = number("runtime-dim-mask", side);
            if (mask >> c->dims.size())
                fail("--runtime-dim-mask=" + text + " has bits beyond "
                        + std::to_string(c->dims.size()) + " dims");
            return static_cast<uint64_t>(mask);
        };
        c->src_runtime_mask = mask_of(sides.front());
        c->dst_runtime_mask = mask_of(sides.back());
    }

    using other_iterator = std::map<std::string, list>::const_iterator;

    void add_with_others(const bench_case &c, other_iterator other) {
        if (other == settings_.others.end()) return result.cases.push_back(c);
        for (const std::string &value : other->second) {
            bench_case with_value = c;
            bool is_default = is_attr_option(other->first)
                    && can_do_attr(other->first, value, &with_value);
            for (const std::string &d : unimplemented_unless_default().at(other->first))
                is_default = is_default || value == d;
            if (!is_default) with_value.unimplemented = "--" + other->first + "=" + value;
            add_with_others(with_value, std::next(other));
        }
    }

    bool can_do_attr(const std::string &name, const std::string &value, bench_case *c) const {
        try {
            return add_attr_option(name, value, static_cast<int>(c->dims.size()), &c->attr);
        } catch (const std::invalid_argument &error) {
            fail("--" + name + "=" + value + ": " + error.what());
        }
    }

    void batch(const std::string &name) {
        std::string text;
        std::string path = directory_ + name;
        if (name.empty() || (!read_(path, &text) && !read_(path = name, &text)))
            fail("--batch=" + name + ": cannot read the file");
        if (++depth_ > 16) fail("--batch=" + name + ": files include each other too deep");
        const std::string outer_directory = directory_;
        const std::string outer_where = where_;
        directory_ = path.substr(0, path.rfind('/') + 1); // npos + 1 is 0: the current directory
        std::istringstream lines(text);
        std::string line;
        for (int n = 1; std::getline(lines, line); ++n) {
            where_ = path + ":" + std::to_string(n);
            batch_line(words_of(line));
        }
        directory_ = outer_directory;
        where_ = outer_where;
        --depth_;
    }

    void batch_line(const list &words) {
        bool has_option = false;
        for (const std::string &w : words)
            has_option = has_option || w[0] == '-';
        if (words.size() == 5 && !has_option
                && std::isalpha(static_cast<unsigned char>(words[0][0]))) {
            bench_case c;
            c.src_type = words[0];
            c.dst_type = words[1];
            c.dims = parse_dims(words[4]);
            set_tags(&c, words[2], words[3]);
            result.cases.push_back(c);
            return;
        }
        for (const std::string &w : words)
            word(w);
    }

    const file_reader &read_;
    case_settings settings_;
    std::string directory_; // of the batch file being read, with its slash
    std::string where_;     // its "path:line"
    int depth_ = 0;
};

std::string dims_text(const std::vector<int64_t> &dims) {
    std::string text;
    for (size_t i = 0; i < dims.size(); ++i)
        text += (i ? "x" : "") + std::to_string(dims[i]);
    return text;
}

} // namespace

std::string repro_of(const bench_case &c) {
    std::string text = "--sdt=" + c.src_type + " --ddt=" + c.dst_type + " --stag=" + c.src_tag
            + " --dtag=" + c.dst_tag;
    if (!c.src_strides.empty() || !c.dst_strides.empty())
        text += " --strides=" + dims_text(c.src_strides) + ":" + dims_text(c.dst_strides);
    if (c.src_runtime_mask != 0 || c.dst_runtime_mask != 0)
        text += " --runtime-dim-mask=" + std::to_string(c.src_runtime_mask) + ":"
                + std::to_string(c.dst_runtime_mask);
    return text + c.attr.text + " " + dims_text(c.dims);
}

bool read_whole_file(const std::string &path, std::string *text) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return false;
    std::ostringstream content;
    content << file.rdbuf();
    *text = content.str();
    return !file.bad();
}

bool is_timed(const run_options &run) { return run.performance || run.zero_pad || run.overheads; }

command_line parse_command_line(
        const std::vector<std::string> &arguments, const file_reader &read) {
    parser p(read);
    for (const std::string &argument : arguments)
        p.word(argument);
    return p.result;
}

} // namespace tfmt_bench
