// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tensorfmt/tensorfmt.h"

// Which instructions may be used: what the processor and the operating system offer, cut down to
// the cap of tfmt_set_max_cpu_isa() or TENSORFMT_MAX_CPU_ISA. Rows and names are in isa.def.
//
// In: CPUID, XCR0, the cap. Out: an isa_info that plan and emit take as an argument, so that they
// ask the host nothing. Knows nothing of kernels.
//
// Worked example: Zen 4 has vbmi and bf16 but not fp16. Uncapped, describe() says isa =
// avx512_core_bf16, has_vbmi, has_bf16, 64 bytes, 32 registers. Capped to avx512_core_vbmi it says
// isa = avx512_core_vbmi, has_vbmi. Capped to avx2: isa = avx2, has_f16c, 32 bytes, 16 registers.
namespace tfmt::cpu {

enum cpu_feature : uint32_t {
    feature_ssse3 = 1u << 0,
    feature_sse41 = 1u << 1,
    feature_avx = 1u << 2,
    feature_f16c = 1u << 3,
    feature_avx2 = 1u << 4,
    feature_bmi2 = 1u << 5,
    feature_avx512f = 1u << 6,
    feature_avx512dq = 1u << 7,
    feature_avx512bw = 1u << 8,
    feature_avx512vl = 1u << 9,
    feature_avx512_vbmi = 1u << 10,
    feature_avx512_bf16 = 1u << 11,
    feature_avx512_fp16 = 1u << 12,
    feature_os_ymm = 1u << 13, // the operating system saves ymm registers
    feature_os_zmm = 1u << 14, // and zmm and mask registers
    feature_fma = 1u << 15,
    feature_of_intel = 1u << 16, // nothing to be used: whose habits the processor has
    feature_of_zen5 = 1u << 17,  // and of which make
    feature_of_zen3 = 1u << 18,
    feature_of_zen1 = 1u << 19,
    feature_of_skylake = 1u << 20,
};
using feature_set = uint32_t; // an or of cpu_feature

// The words of CPUID that matter, as read or made up by a test. Leaves above the processor's
// highest are all zero.
struct cpuid_words {
    uint32_t leaf1_eax, leaf1_ecx;
    uint32_t leaf7_ebx, leaf7_ecx, leaf7_edx;
    uint32_t leaf7_1_eax;
    uint64_t xcr0;         // 0 where leaf 1 does not announce OSXSAVE
    bool is_intel, is_amd; // by leaf 0; Hygon's count as AMD's
};

struct isa_info {
    tfmt_cpu_isa_t isa;
    bool has_vbmi, has_bf16, has_fp16, has_f16c;
    int max_vector_bytes; // 0 for none
    int n_vector_regs;
    bool is_intel;   // whose cores have habits of their own: see plan/machine.hpp
    bool is_skylake; // its servers of Skylake, Cascade Lake and Cooper Lake
    bool is_zen1;    // AMD's cores up to family 17h, model 2Fh, and Hygon's (18h), which execute 32
                     // bytes as two of 16
    bool is_zen3;    // its later ones up to family 19h that have no AVX-512
    bool is_zen5;    // AMD's family 1Ah and later ones
};

// Pure functions; a test can describe any machine with them.
feature_set decode_features(const cpuid_words &words);
tfmt_cpu_isa_t highest_isa(feature_set features, tfmt_cpu_isa_t cap); // row <= cap that fits
isa_info describe(feature_set features, tfmt_cpu_isa_t cap);
bool is_known(tfmt_cpu_isa_t isa);
const char *name_of(tfmt_cpu_isa_t isa);               // "avx2"; "unknown"
bool parse_isa(const char *name, tfmt_cpu_isa_t *isa); // upper or lower case

// This machine. Safe from any thread. CPUID and the environment are read once, on first use.
tfmt_cpu_isa_t detected_isa();            // ignores the cap
tfmt_cpu_isa_t effective_isa();           // highest under the present cap
isa_info describe(tfmt_cpu_isa_t capped); // this machine under a cap; may be above what it has

// Replaces the cap, the environment's included. Reorders made from now on obey; existing ones keep
// the code they have. A cap above detected_isa() is fine. Throws on an unknown enumerator.
void set_max_isa(tfmt_cpu_isa_t isa);

// Throws failure(tfmt_invalid_arguments) if TENSORFMT_MAX_CPU_ISA holds an unknown name and no
// call has replaced it. Until then such a value counts as no cap. Part of check_environment().
void check_max_isa_variable();

} // namespace tfmt::cpu
