// SPDX-License-Identifier: Apache-2.0
//
// The ladder of instruction sets on made-up processors, and the cap.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/status.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/cpuid.hpp"
#include "cpu/isa/environment.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/reorder.hpp"

using namespace tfmt::cpu;

namespace {

constexpr uint32_t bit(int position) { return 1u << position; }

// CPUID of real families, reduced to the words that are looked at.
cpuid_words nehalem() { // SSSE3, SSE4.1; OSXSAVE off
    cpuid_words w {};
    w.leaf1_ecx = bit(9) | bit(19);
    return w;
}

cpuid_words sandy_bridge() { // plus OSXSAVE, AVX, ymm saved
    cpuid_words w = nehalem();
    w.leaf1_ecx |= bit(27) | bit(28);
    w.xcr0 = 0x7;
    return w;
}

cpuid_words haswell() { // plus F16C, FMA, AVX2, BMI2
    cpuid_words w = sandy_bridge();
    w.leaf1_ecx |= bit(29) | bit(12);
    w.leaf7_ebx = bit(5) | bit(8);
    return w;
}

cpuid_words skylake_server() { // plus AVX-512 F, DQ, BW, VL, zmm saved
    cpuid_words w = haswell();
    w.leaf7_ebx |= bit(16) | bit(17) | bit(30) | bit(31);
    w.xcr0 = 0xe7;
    return w;
}

cpuid_words ice_lake() { // plus VBMI
    cpuid_words w = skylake_server();
    w.leaf7_ecx |= bit(1);
    return w;
}

cpuid_words cooper_lake() { // BF16, no VBMI
    cpuid_words w = skylake_server();
    w.leaf7_1_eax |= bit(5);
    return w;
}

cpuid_words zen4() { // VBMI and BF16, no FP16
    cpuid_words w = ice_lake();
    w.leaf7_1_eax |= bit(5);
    return w;
}

cpuid_words sapphire_rapids() {
    cpuid_words w = zen4();
    w.leaf7_edx |= bit(23);
    return w;
}

constexpr tfmt_cpu_isa_t no_cap = tfmt_cpu_isa_avx512_core_fp16;

isa_info info_of(const cpuid_words &words, tfmt_cpu_isa_t cap = no_cap) {
    return describe(decode_features(words), cap);
}

std::string message_of(void (*function)()) {
    try {
        function();
    } catch (const tfmt::failure &f) {
        return f.status() == tfmt_invalid_arguments ? f.what() : "wrong status";
    }
    return "";
}

// Puts the cap and the number of threads back.
class process_settings : public ::testing::Test {
protected:
    void TearDown() override {
        set_max_isa(no_cap);
        set_num_threads(0);
    }
};
using isa_cap = process_settings;
using threads = process_settings;

// A variable is read once in a process, so each value needs one of its own. The checks below run in
// children that are started anew: exit code 0 and the message on stderr.
void print_environment_error_and_exit(const char *variable, const char *value) {
    setenv(variable, value, 1);
    const std::string message = message_of(check_environment);
    std::fprintf(stderr, "[%s] isa %s, %d threads\n", message.c_str(), name_of(effective_isa()),
            num_threads());
    std::exit(0);
}

class environment : public ::testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

} // namespace

TEST(isa, ladder_of_processors) {
    EXPECT_EQ(info_of({}).isa, tfmt_cpu_isa_none);
    EXPECT_EQ(info_of(nehalem()).isa, tfmt_cpu_isa_sse41);
    EXPECT_EQ(info_of(sandy_bridge()).isa, tfmt_cpu_isa_sse41);
    EXPECT_EQ(info_of(haswell()).isa, tfmt_cpu_isa_avx2);
    EXPECT_EQ(info_of(skylake_server()).isa, tfmt_cpu_isa_avx512_core);
    EXPECT_EQ(info_of(ice_lake()).isa, tfmt_cpu_isa_avx512_core_vbmi);
    EXPECT_EQ(info_of(cooper_lake()).isa, tfmt_cpu_isa_avx512_core_bf16);
    EXPECT_EQ(info_of(zen4()).isa, tfmt_cpu_isa_avx512_core_bf16);
    EXPECT_EQ(info_of(sapphire_rapids()).isa, tfmt_cpu_isa_avx512_core_fp16);
}

TEST(isa, maker_is_told_apart_from_instructions) {
    cpuid_words w = nehalem();
    EXPECT_FALSE(info_of(w).is_intel);
    w.is_intel = true;
    EXPECT_TRUE(info_of(w).is_intel);
    EXPECT_EQ(info_of(w).isa, tfmt_cpu_isa_sse41);
}

// Model 55h of family 6 is Skylake's servers and what came after with the same core; 6Ah is Ice
// Lake's, 4Eh a Skylake for notebooks.
TEST(isa, skylake_servers_are_told_by_their_model) {
    cpuid_words w = nehalem();
    w.is_intel = true;
    for (const uint32_t stepping : {0x00050654u, 0x00050657u, 0x0005065bu}) {
        w.leaf1_eax = stepping;
        EXPECT_TRUE(info_of(w).is_skylake) << stepping;
    }
    for (const uint32_t other : {0x000606a6u, 0x000406e3u, 0x000806f8u, 0x00050f54u}) {
        w.leaf1_eax = other;
        EXPECT_FALSE(info_of(w).is_skylake) << other;
    }
    w.leaf1_eax = 0x00050657;
    w.is_intel = false;
    EXPECT_FALSE(info_of(w).is_skylake);
}

// Family 19h is Zen 3 and 4; 1Ah of Intel would be no Zen.
TEST(isa, zen5_is_told_by_its_family) {
    cpuid_words w = zen4();
    w.leaf1_eax = 0x00a10f12;
    w.is_amd = true;
    EXPECT_FALSE(info_of(w).is_zen5);
    w.leaf1_eax = 0x00b00f21;
    EXPECT_TRUE(info_of(w).is_zen5);
    w.is_amd = false;
    EXPECT_FALSE(info_of(w).is_zen5);
    w.is_amd = true;
    w.leaf1_eax = 0x000006a0; // an extended family counts only behind a base of 15
    EXPECT_FALSE(info_of(w).is_zen5);
}

// Family 17h is Zen 1 and, from model 30h on, Zen 2. Family 18h is Hygon's.
TEST(isa, zen1_is_told_by_family_and_model) {
    cpuid_words w = zen4();
    w.leaf7_ebx &= ~(1u << 16); // no AVX-512
    w.is_amd = true;
    // The last ones are Excavator and Dhyana.
    for (const uint32_t zen1 : {0x00800f12u, 0x00820f01u, 0x00660f51u, 0x00900f02u}) {
        w.leaf1_eax = zen1;
        EXPECT_TRUE(info_of(w).is_zen1) << zen1;
        EXPECT_FALSE(info_of(w).is_zen3) << zen1;
    }
    for (const uint32_t later : {0x00830f10u, 0x00a00f11u}) {
        w.leaf1_eax = later;
        EXPECT_FALSE(info_of(w).is_zen1) << later;
        EXPECT_TRUE(info_of(w).is_zen3) << later;
    }
    w.is_amd = false;
    w.leaf1_eax = 0x00800f12;
    EXPECT_FALSE(info_of(w).is_zen1);
}

TEST(isa, zen3_is_told_by_what_it_lacks) {
    cpuid_words w = zen4();
    w.leaf1_eax = 0x00a00f11;
    w.is_amd = true;
    EXPECT_FALSE(info_of(w).is_zen3);
    w.leaf7_ebx &= ~(1u << 16);
    EXPECT_TRUE(info_of(w).is_zen3);
    w.is_amd = false;
    EXPECT_FALSE(info_of(w).is_zen3);
    w.is_amd = true;
    w.leaf1_eax = 0x00b00f21; // Zen 5, AVX-512 hidden
    EXPECT_FALSE(info_of(w).is_zen3);
    // A cap hides instructions, not the make.
    cpuid_words capped = zen4();
    capped.is_amd = true;
    EXPECT_FALSE(describe(decode_features(capped), tfmt_cpu_isa_avx2).is_zen3);
}

TEST(isa, every_feature_of_a_row_is_needed) {
    const cpuid_words full = sapphire_rapids();
    const auto without = [&](uint32_t cpuid_words::*word, int position) {
        cpuid_words w = full;
        w.*word &= ~bit(position);
        return info_of(w).isa;
    };
    EXPECT_EQ(without(&cpuid_words::leaf1_ecx, 9), tfmt_cpu_isa_none);   // SSSE3
    EXPECT_EQ(without(&cpuid_words::leaf1_ecx, 19), tfmt_cpu_isa_none);  // SSE4.1
    EXPECT_EQ(without(&cpuid_words::leaf1_ecx, 27), tfmt_cpu_isa_sse41); // OSXSAVE
    EXPECT_EQ(without(&cpuid_words::leaf1_ecx, 28), tfmt_cpu_isa_sse41); // AVX
    EXPECT_EQ(without(&cpuid_words::leaf1_ecx, 29), tfmt_cpu_isa_sse41); // F16C
    EXPECT_EQ(without(&cpuid_words::leaf1_ecx, 12), tfmt_cpu_isa_sse41); // FMA
    EXPECT_EQ(without(&cpuid_words::leaf7_ebx, 5), tfmt_cpu_isa_sse41);  // AVX2
    EXPECT_EQ(without(&cpuid_words::leaf7_ebx, 8), tfmt_cpu_isa_sse41);  // BMI2
    for (int position : {16, 17, 30, 31})                                // AVX-512 F, DQ, BW, VL
        EXPECT_EQ(without(&cpuid_words::leaf7_ebx, position), tfmt_cpu_isa_avx2) << position;
    EXPECT_EQ(without(&cpuid_words::leaf7_edx, 23), tfmt_cpu_isa_avx512_core_bf16); // FP16
    EXPECT_EQ(without(&cpuid_words::leaf7_ebx, 28), tfmt_cpu_isa_avx512_core_fp16); // CD: no
}

TEST(isa, what_the_operating_system_does_not_save_is_not_used) {
    cpuid_words w = sapphire_rapids();
    w.xcr0 = 0x7; // xmm and ymm
    EXPECT_EQ(info_of(w).isa, tfmt_cpu_isa_avx2);
    EXPECT_FALSE(info_of(w).has_vbmi || info_of(w).has_bf16 || info_of(w).has_fp16);
    w.xcr0 = 0x67; // masks and zmm0-15, but not zmm16-31
    EXPECT_EQ(info_of(w).isa, tfmt_cpu_isa_avx2);
    w.xcr0 = 0x3; // xmm
    EXPECT_EQ(info_of(w).isa, tfmt_cpu_isa_sse41);
    EXPECT_FALSE(info_of(w).has_f16c);
}

TEST(isa, registers_of_each_row) {
    const struct {
        cpuid_words words;
        int vector_bytes, n_regs;
    } cases[] = {{{}, 0, 0}, {nehalem(), 16, 16}, {haswell(), 32, 16}, {skylake_server(), 64, 32},
            {sapphire_rapids(), 64, 32}};
    for (const auto &c : cases) {
        EXPECT_EQ(info_of(c.words).max_vector_bytes, c.vector_bytes);
        EXPECT_EQ(info_of(c.words).n_vector_regs, c.n_regs);
    }
}

TEST(isa, flags_are_cut_to_the_cap) {
    const struct {
        tfmt_cpu_isa_t cap;
        bool f16c, vbmi, bf16, fp16;
    } cases[] = {{tfmt_cpu_isa_none, false, false, false, false},
            {tfmt_cpu_isa_sse41, false, false, false, false},
            {tfmt_cpu_isa_avx2, true, false, false, false},
            {tfmt_cpu_isa_avx512_core, true, false, false, false},
            {tfmt_cpu_isa_avx512_core_vbmi, true, true, false, false},
            {tfmt_cpu_isa_avx512_core_bf16, true, true, true, false},
            {tfmt_cpu_isa_avx512_core_fp16, true, true, true, true}};
    for (const auto &c : cases) {
        const isa_info info = info_of(sapphire_rapids(), c.cap);
        EXPECT_EQ(info.isa, c.cap);
        EXPECT_EQ(info.has_f16c, c.f16c) << name_of(c.cap);
        EXPECT_EQ(info.has_vbmi, c.vbmi) << name_of(c.cap);
        EXPECT_EQ(info.has_bf16, c.bf16) << name_of(c.cap);
        EXPECT_EQ(info.has_fp16, c.fp16) << name_of(c.cap);
    }
}

TEST(isa, siblings_do_not_need_each_other) {
    const isa_info cooper = info_of(cooper_lake());
    EXPECT_TRUE(cooper.has_bf16);
    EXPECT_FALSE(cooper.has_vbmi);
    EXPECT_EQ(info_of(cooper_lake(), tfmt_cpu_isa_avx512_core_vbmi).isa, tfmt_cpu_isa_avx512_core);
    EXPECT_TRUE(info_of(zen4()).has_vbmi && info_of(zen4()).has_bf16);
    EXPECT_FALSE(info_of(zen4()).has_fp16);
}

TEST(isa, a_cap_above_the_processor_changes_nothing) {
    for (int cap = tfmt_cpu_isa_avx2; cap <= no_cap; cap++)
        EXPECT_EQ(info_of(haswell(), static_cast<tfmt_cpu_isa_t>(cap)).isa, tfmt_cpu_isa_avx2);
}

TEST(isa, names) {
    for (int i = 0; i <= no_cap; i++) {
        const auto isa = static_cast<tfmt_cpu_isa_t>(i);
        tfmt_cpu_isa_t parsed = tfmt_cpu_isa_none;
        EXPECT_TRUE(is_known(isa));
        EXPECT_TRUE(parse_isa(name_of(isa), &parsed));
        EXPECT_EQ(parsed, isa);
    }
    tfmt_cpu_isa_t isa = tfmt_cpu_isa_none;
    EXPECT_TRUE(parse_isa("AVX512_Core_VBMI", &isa));
    EXPECT_EQ(isa, tfmt_cpu_isa_avx512_core_vbmi);
    for (const char *unknown : {"", "avx", "avx5", "avx2 ", "avx512", "sse42", "all"})
        EXPECT_FALSE(parse_isa(unknown, &isa)) << unknown;
    EXPECT_EQ(isa, tfmt_cpu_isa_avx512_core_vbmi); // untouched
    EXPECT_FALSE(is_known(static_cast<tfmt_cpu_isa_t>(-1)));
    EXPECT_FALSE(is_known(static_cast<tfmt_cpu_isa_t>(no_cap + 1)));
}

TEST(isa, this_machine_agrees_with_the_compilers_idea) {
#if defined(__x86_64__) && defined(__GNUC__)
    const isa_info info = describe(detected_isa());
    EXPECT_EQ(info.isa >= tfmt_cpu_isa_sse41, __builtin_cpu_supports("sse4.1") != 0);
    EXPECT_EQ(info.isa >= tfmt_cpu_isa_avx2,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"));
    EXPECT_EQ(info.isa >= tfmt_cpu_isa_avx512_core,
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
                    && __builtin_cpu_supports("avx512vl"));
    EXPECT_EQ(info.has_vbmi, __builtin_cpu_supports("avx512vbmi") != 0);
#else
    EXPECT_EQ(detected_isa(), tfmt_cpu_isa_none);
#endif
}

TEST_F(isa_cap, is_obeyed_and_can_be_raised_again) {
    for (int i = 0; i <= no_cap; i++) {
        const auto cap = static_cast<tfmt_cpu_isa_t>(i);
        set_max_isa(cap);
        EXPECT_LE(effective_isa(), cap);
        EXPECT_EQ(effective_isa(), describe(cap).isa);
        EXPECT_EQ(describe(effective_isa()).has_vbmi, describe(cap).has_vbmi);
    }
    EXPECT_EQ(effective_isa(), detected_isa());
}

TEST_F(isa_cap, unknown_values_are_refused_and_change_nothing) {
    set_max_isa(tfmt_cpu_isa_none);
    const auto set_unknown = [] { set_max_isa(static_cast<tfmt_cpu_isa_t>(7)); };
    EXPECT_NE(message_of(set_unknown).find("isa is 7"), std::string::npos);
    EXPECT_EQ(effective_isa(), tfmt_cpu_isa_none);
}

TEST_F(threads, numbers_are_checked) {
    EXPECT_GE(num_threads(), 1);
    EXPECT_NE(message_of([] { set_num_threads(-1); }).find("n is -1"), std::string::npos);
    EXPECT_NE(message_of([] { set_num_threads(max_num_threads + 1); }), "");
    set_num_threads(3);
#ifdef _OPENMP
    EXPECT_EQ(num_threads(), 3);
#else
    EXPECT_EQ(num_threads(), 1);
#endif
}

TEST_F(environment, unknown_isa_is_named) {
    EXPECT_EXIT(print_environment_error_and_exit("TENSORFMT_MAX_CPU_ISA", "avx7"),
            ::testing::ExitedWithCode(0),
            "TENSORFMT_MAX_CPU_ISA is \"avx7\", expected one of none");
}

TEST_F(environment, known_isa_is_obeyed) {
    EXPECT_EXIT(print_environment_error_and_exit("TENSORFMT_MAX_CPU_ISA", "NONE"),
            ::testing::ExitedWithCode(0), "\\[\\] isa none,");
}

TEST_F(environment, empty_means_unset) {
    EXPECT_EXIT(print_environment_error_and_exit("TENSORFMT_MAX_CPU_ISA", ""),
            ::testing::ExitedWithCode(0), std::string("\\[\\] isa ") + name_of(detected_isa()));
    EXPECT_EXIT(print_environment_error_and_exit("TENSORFMT_NUM_THREADS", ""),
            ::testing::ExitedWithCode(0), "\\[\\] isa");
}

TEST_F(environment, number_of_threads) {
#ifdef _OPENMP
    EXPECT_EXIT(print_environment_error_and_exit("TENSORFMT_NUM_THREADS", "3"),
            ::testing::ExitedWithCode(0), "\\[\\] isa .* 3 threads");
#endif
}

TEST_F(environment, bad_numbers_of_threads_are_named) {
    for (const char *bad : {"0", "-1", "two", "3x", "4097", "99999999999999999999", "1.5"})
        EXPECT_EXIT(print_environment_error_and_exit("TENSORFMT_NUM_THREADS", bad),
                ::testing::ExitedWithCode(0), std::string("TENSORFMT_NUM_THREADS is \"") + bad)
                << bad;
}
