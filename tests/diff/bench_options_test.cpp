// SPDX-License-Identifier: Apache-2.0
// The command line of tensorfmt-bench. Files are faked: parsing asks a function for them.
#include <gtest/gtest.h>

#include <map>

#include "bench/generic_tag.hpp"
#include "bench/options.hpp"

using namespace tfmt_bench;

namespace {

using strings = std::vector<std::string>;

strings repros(const strings &arguments, const std::map<std::string, std::string> &files = {}) {
    const command_line line = parse_command_line(
            arguments, [&](const std::string &path, std::string *text) {
                const auto file = files.find(path);
                if (file == files.end()) return false;
                *text = file->second;
                return true;
            });
    strings all;
    for (const bench_case &c : line.cases)
        all.push_back(repro_of(c) + (c.unimplemented.empty() ? "" : " !" + c.unimplemented));
    return all;
}

std::string error_of(
        const strings &arguments, const std::map<std::string, std::string> &files = {}) {
    try {
        repros(arguments, files);
    } catch (const option_error &error) { return error.what(); }
    return "no error";
}

TEST(generic_tag, expands_to_the_rank) {
    EXPECT_EQ(expand_generic_tag("abx", 4), "abcd");
    EXPECT_EQ(expand_generic_tag("abx", 1), "a");
    EXPECT_EQ(expand_generic_tag("axb", 2), "ab");
    EXPECT_EQ(expand_generic_tag("axb", 5), "acdeb");
    EXPECT_EQ(expand_generic_tag("xba", 4), "cdba");
    EXPECT_EQ(expand_generic_tag("xba", 1), "a");
    EXPECT_EQ(expand_generic_tag("xab", 4), "cdab");
    EXPECT_EQ(expand_generic_tag("bax", 3), "bac");
    EXPECT_EQ(expand_generic_tag("x", 1), "a");
    EXPECT_EQ(expand_generic_tag("aBx16b", 3), "aBc16b");
    EXPECT_EQ(expand_generic_tag("aBx16b", 1), "a");
    EXPECT_EQ(expand_generic_tag("ABx4b16a4b", 5), "ABcde4b16a4b");
    EXPECT_EQ(expand_generic_tag("Abcx16a", 4), "Abcd16a");
    EXPECT_EQ(expand_generic_tag("aBCx4c16b4c", 4), "aBCd4c16b4c");
    EXPECT_EQ(expand_generic_tag("abx", 12), "abcdefghijkl");
    EXPECT_EQ(expand_generic_tag("nChw16c", 4), "nChw16c");
}

TEST(bench_options, defaults_hold_until_set_and_after_reset) {
    EXPECT_EQ(repros({"2x3"}), (strings {"--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 2x3"}));
    EXPECT_EQ(repros({"--sdt=s8", "--dtag=ba", "2x3", "--reset", "4x5"}),
            (strings {"--sdt=s8 --ddt=f32 --stag=ab --dtag=ba 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 4x5"}));
}

TEST(bench_options, lists_make_a_cross_product) {
    const strings all = repros(
            {"--sdt=f32,s8", "--ddt=bf16", "--stag=abx,axb", "--dtag=xba", "2x3x4", "5x6x7"});
    ASSERT_EQ(all.size(), 8u);
    EXPECT_EQ(all[0], "--sdt=f32 --ddt=bf16 --stag=abc --dtag=cba 2x3x4");
    EXPECT_EQ(all[1], "--sdt=f32 --ddt=bf16 --stag=acb --dtag=cba 2x3x4");
    EXPECT_EQ(all[7], "--sdt=s8 --ddt=bf16 --stag=acb --dtag=cba 5x6x7");
}

TEST(bench_options, names_behind_dims_are_ignored) {
    EXPECT_EQ(repros({"8x64x112x112_n\"resnet\""})[0],
            "--sdt=f32 --ddt=f32 --stag=abcd --dtag=abcd 8x64x112x112");
    EXPECT_EQ(repros({"24576x1024n\"*24\""})[0],
            "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 24576x1024");
}

TEST(bench_options, batch_files_nest_relative_to_themselves) {
    const std::map<std::string, std::string> files = {
            {"inputs/all", "# comment\n--sdt=s8 --ddt=s8 --batch=more\n\n2x2 # another\n"},
            {"inputs/more", "--stag=ba 3x3n\"a name\" 4x4\n--batch=elsewhere"},
            {"elsewhere", "5x5"},
    };
    EXPECT_EQ(repros({"--batch=inputs/all"}, files),
            (strings {"--sdt=s8 --ddt=s8 --stag=ba --dtag=ab 3x3",
                    "--sdt=s8 --ddt=s8 --stag=ba --dtag=ab 4x4",
                    "--sdt=s8 --ddt=s8 --stag=ba --dtag=ab 5x5",
                    "--sdt=s8 --ddt=s8 --stag=ba --dtag=ab 2x2"}));
}

TEST(bench_options, batch_files_may_hold_framework_lines) {
    const std::map<std::string, std::string> files = {
            {"cases", "# types tags dims\nbf16 f32 ABcde8b16a cdeba 64x32x3x3x3\n"}};
    EXPECT_EQ(repros({"--stag=ignored", "--batch=cases"}, files),
            (strings {"--sdt=bf16 --ddt=f32 --stag=ABcde8b16a --dtag=cdeba 64x32x3x3x3"}));
}

TEST(bench_options, strides_replace_tags) {
    EXPECT_EQ(repros({"--strides=8x1:,:1x2", "2x3"}),
            (strings {"--sdt=f32 --ddt=f32 --stag=ab --dtag=ab --strides=8x1: 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab --strides=:1x2 2x3"}));
    EXPECT_NE(error_of({"--strides=8x1:", "2x3x4"}).find("--strides=8x1:"), std::string::npos);
}

TEST(bench_options, runtime_masks_are_of_both_sides_or_of_each) {
    EXPECT_EQ(repros({"--runtime-dim-mask=,0,3,1:2,0:1", "2x3"}),
            (strings {"--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab --runtime-dim-mask=3:3 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab --runtime-dim-mask=1:2 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab --runtime-dim-mask=0:1 2x3"}));
    for (const char *wrong : {"--runtime-dim-mask=4", "--runtime-dim-mask=1:2:3",
                 "--runtime-dim-mask=x", "--runtime-dim-mask=1:"})
        EXPECT_NE(error_of({wrong, "2x3"}).find("--runtime-dim-mask"), std::string::npos) << wrong;
}

TEST(bench_options, options_beyond_their_default_are_marked) {
    EXPECT_EQ(repros({"--attr-deterministic=,true", "--attr-post-ops=''", "--runtime-dim-mask=0",
                      "--oflag=", "--cross-engine=none", "2x3"}),
            (strings {"--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 2x3",
                    "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 2x3 !--attr-deterministic=true"}));
    EXPECT_EQ(repros({"--attr-oscale=common:2", "2x3", "--reset", "2x3"}).back(),
            "--sdt=f32 --ddt=f32 --stag=ab --dtag=ab 2x3");
    EXPECT_NE(repros({"--stag=any", "2x3"})[0].find("!tag any"), std::string::npos);
    EXPECT_EQ(repros({"--reorder", "--allow-enum-tags-only=0", "--skip-impl=ref", "-v5", "2x3"})
                      .size(),
            1u);
}

attr_options attr_of(const strings &arguments) {
    const std::vector<bench_case> cases = parse_command_line(arguments).cases;
    EXPECT_EQ(cases.size(), 1u);
    EXPECT_EQ(cases.at(0).unimplemented, "");
    return cases.at(0).attr;
}

TEST(bench_options, scales_and_zero_points) {
    const attr_options attr = attr_of({"--attr-scales=src:common:0.25+dst:per_dim_1:bf16",
            "--attr-zero-points=src:per_tensor:u4:32x1+dst:common:-3:s8", "64x16"});
    ASSERT_EQ(attr.parameters.size(), 4u);
    const parameter_option &src_scale = attr.parameters[0], &dst_scales = attr.parameters[1];
    EXPECT_TRUE(src_scale.is_scale && src_scale.is_src && src_scale.has_value);
    EXPECT_EQ(src_scale.mask, 0);
    EXPECT_EQ(src_scale.value, 0.25);
    EXPECT_EQ(src_scale.type, "f32");
    EXPECT_TRUE(dst_scales.is_scale && !dst_scales.is_src && !dst_scales.has_value);
    EXPECT_EQ(dst_scales.mask, 2);
    EXPECT_EQ(dst_scales.type, "bf16");
    const parameter_option &src_zps = attr.parameters[2], &dst_zp = attr.parameters[3];
    EXPECT_TRUE(!src_zps.is_scale && src_zps.is_src && !src_zps.has_value);
    EXPECT_EQ(src_zps.mask, 3);
    EXPECT_EQ(src_zps.type, "u4");
    EXPECT_EQ(src_zps.groups, (std::vector<int64_t> {32, 1}));
    EXPECT_TRUE(!dst_zp.is_scale && !dst_zp.is_src && dst_zp.has_value);
    EXPECT_EQ(dst_zp.value, -3);
    EXPECT_EQ(dst_zp.type, "s8");
}

TEST(bench_options, masks_of_policies) {
    const auto mask_of = [](const std::string &policy, const std::string &dims) {
        return attr_of({"--attr-scales=src:" + policy, dims}).parameters.at(0).mask;
    };
    EXPECT_EQ(mask_of("common:1", "2x3x4x5"), 0);
    EXPECT_EQ(mask_of("per_oc", "2x3x4x5"), 2);
    EXPECT_EQ(mask_of("per_ocic", "2x3x4x5"), 3);
    EXPECT_EQ(mask_of("per_dim_0", "2x3x4x5"), 1);
    EXPECT_EQ(mask_of("per_dim_01", "2x3x4x5"), 3);
    EXPECT_EQ(mask_of("per_dim_023", "2x3x4x5"), 13);
    EXPECT_EQ(mask_of("per_tensor", "2x3x4x5"), 15);
    EXPECT_EQ(mask_of("per_tensor", "7"), 1);
    EXPECT_EQ(attr_of({"--attr-zero-points=dst:common:5*", "7"}).parameters.at(0).value, 5);
}

TEST(bench_options, sums) {
    EXPECT_TRUE(attr_of({"--attr-post-ops=sum", "2"}).has_sum);
    EXPECT_EQ(attr_of({"--attr-post-ops=sum", "2"}).sum_beta, 1);
    EXPECT_EQ(attr_of({"--attr-post-ops='sum:-0.5'", "2"}).sum_beta, -0.5f);
    EXPECT_EQ(attr_of({"--attr-post-ops=sum:2:0", "2"}).sum_beta, 2);
    EXPECT_TRUE(attr_of({"--attr-post-ops=", "2"}).is_default());
    EXPECT_EQ(repros({"--attr-post-ops=relu,sum:1:3,sum+relu", "2"}),
            (strings {"--sdt=f32 --ddt=f32 --stag=a --dtag=a --attr-post-ops=relu 2"
                      " !--attr-post-ops=relu",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a --attr-post-ops=sum:1:3 2"
                    " !--attr-post-ops=sum:1:3",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a --attr-post-ops=sum+relu 2"
                    " !--attr-post-ops=sum+relu"}));
}

TEST(bench_options, compensation) {
    const attr_options both = attr_of({"--oflag=s8s8_comp:1+zp_comp:3", "2x3"});
    EXPECT_EQ(both.compensation_flags, 3);
    EXPECT_EQ(both.s8s8_mask, 1);
    EXPECT_EQ(both.asymmetric_mask, 3);
    EXPECT_TRUE(both.is_default());
    EXPECT_EQ(attr_of({"--oflag=zp_comp:0", "2"}).compensation_flags, 2);
    EXPECT_EQ(attr_of({"--oflag=none", "2"}).compensation_flags, 0);
    EXPECT_EQ(repros({"--oflag=s8s8_comp:1,none,rnn_comp:1", "2"}),
            (strings {"--sdt=f32 --ddt=f32 --stag=a --dtag=a --oflag=s8s8_comp:1 2",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a 2",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a --oflag=rnn_comp:1 2"
                    " !--oflag=rnn_comp:1"}));
    for (const char *bad : {"s8s8_comp", "s8s8_comp:x", "zp_comp:-1", "zp_comp:4096",
                 "s8s8_comp:1+s8s8_comp:1", "s8s8_comp:1.5"})
        EXPECT_NE(
                error_of({std::string("--oflag=") + bad, "2"}).find("--oflag="), std::string::npos)
                << bad;
}

TEST(bench_options, lists_of_attributes_make_a_cross_product) {
    EXPECT_EQ(
            repros({"--attr-scales=,src:common:2", "--attr-post-ops=,sum:3", "2", "--reset", "2"}),
            (strings {"--sdt=f32 --ddt=f32 --stag=a --dtag=a 2",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a --attr-scales=src:common:2 2",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a --attr-post-ops=sum:3 2",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a --attr-post-ops=sum:3"
                    " --attr-scales=src:common:2 2",
                    "--sdt=f32 --ddt=f32 --stag=a --dtag=a 2"}));
}

// What benchdnn has for other primitives is no error, since its files name it.
TEST(bench_options, attributes_of_other_arguments_are_marked) {
    for (const char *value : {"wei:per_oc", "src1:common:2", "msrc0:common:2", "src:host_scalar:2"})
        EXPECT_NE(repros({std::string("--attr-scales=") + value, "2x3"})[0].find("!--attr-scales="),
                std::string::npos)
                << value;
}

TEST(bench_options, attributes_that_make_no_sense_are_errors) {
    for (const char *value : {"src", "src:common", "src:sometimes", "here:common:2", "src:common:x",
                 "src:per_dim_1:2", "src:per_dim_x", "src:per_dim_1:f16:32y1",
                 "src:per_dim_1:f16:", "src:per_dim_1:f16:2:2", "src:common:1+src:common:2"}) {
        const std::string option = std::string("--attr-scales=") + value;
        EXPECT_NE(error_of({option, "2x3"}).find(option), std::string::npos) << value;
    }
    EXPECT_NE(error_of({"--attr-zero-points=src:common:0.5", "2"}).find("whole number"),
            std::string::npos);
    EXPECT_NE(error_of({"--attr-post-ops=sum:much", "2"}).find("sum:BETA"), std::string::npos);
}

TEST(bench_options, run_options) {
    const run_options run = parse_command_line(
            {"--mode=CP", "--threads=3", "--isa=avx2", "--max-bytes=8M", "--min-ms=5", "--csv",
                    "--fail-fast=false", "--cold", "--offset=1K", "--measured"})
                                    .run;
    EXPECT_TRUE(run.correctness && run.performance && run.csv && run.cold && run.measured);
    EXPECT_FALSE(run.fail_fast);
    EXPECT_EQ(run.n_threads, 3);
    EXPECT_EQ(run.isa, "avx2");
    EXPECT_EQ(run.max_bytes, 8 << 20);
    EXPECT_EQ(run.min_ms, 5);
    EXPECT_EQ(run.offset_bytes, 1 << 10);
    EXPECT_TRUE(parse_command_line({"--mode=perf"}).run.performance);
    EXPECT_FALSE(parse_command_line({"--mode=performance"}).run.correctness);
    EXPECT_FALSE(parse_command_line({"--mode=c"}).run.performance);
}

// "C", "PZ", ...: the modes that --mode=value switches on.
std::string modes_of(const std::string &value) {
    const run_options run = parse_command_line({"--mode=" + value}).run;
    return std::string(run.correctness ? "C" : "") + (run.performance ? "P" : "")
            + (run.zero_pad ? "Z" : "") + (run.overheads ? "O" : "") + (run.list ? "L" : "");
}

TEST(bench_options, modes_are_letters_in_any_order_or_words) {
    EXPECT_EQ(modes_of("Z"), "Z");
    EXPECT_EQ(modes_of("o"), "O");
    EXPECT_EQ(modes_of("ZC"), "CZ");
    EXPECT_EQ(modes_of("OZPC"), "CPZO");
    EXPECT_EQ(modes_of("all"), "CP");
    EXPECT_EQ(modes_of("corr"), "C");
    EXPECT_EQ(modes_of("list"), "CL"); // C is the default; listing runs nothing
    EXPECT_NE(error_of({"--mode="}).find("--mode="), std::string::npos);
    EXPECT_NE(error_of({"--mode=CX"}).find("--mode=CX"), std::string::npos);
    for (const char *timed : {"P", "Z", "O", "CO"})
        EXPECT_TRUE(is_timed(parse_command_line({std::string("--mode=") + timed}).run)) << timed;
    EXPECT_FALSE(is_timed(parse_command_line({"--mode=C"}).run));
}

TEST(bench_options, errors_name_the_option_and_the_place) {
    EXPECT_EQ(error_of({"--frobnicate=1"}), "unknown option --frobnicate=1");
    EXPECT_NE(error_of({"--mode=X"}).find("--mode=X"), std::string::npos);
    EXPECT_NE(error_of({"--threads=many"}).find("--threads=many"), std::string::npos);
    EXPECT_NE(error_of({"2x3y"}).find("2x3y"), std::string::npos);
    EXPECT_NE(error_of({"2xx3"}).find("2xx3"), std::string::npos);
    EXPECT_NE(error_of({"--batch=nowhere"}).find("nowhere"), std::string::npos);
    EXPECT_NE(error_of({"--batch=f"}, {{"f", "2x3\n--oops"}}).find("f:2: unknown option --oops"),
            std::string::npos);
    EXPECT_NE(error_of({"--batch=f"}, {{"f", "--batch=f"}}).find("too deep"), std::string::npos);
}

} // namespace
