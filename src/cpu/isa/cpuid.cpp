// SPDX-License-Identifier: Apache-2.0
#include "cpu/isa/cpuid.hpp"

#include <algorithm>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define TFMT_HAVE_CPUID 1
#endif

namespace tfmt::cpu {
namespace {

constexpr bool bit(uint32_t word, int position) { return (word >> position) & 1; }

constexpr int osxsave_bit = 27; // leaf 1, ecx
constexpr int avx512f_bit = 16; // leaf 7, ebx

// AMD's.
constexpr uint32_t zen1_family = 0x17, first_model_of_zen2 = 0x30; // of the same family
constexpr uint32_t zen5_family = 0x1a;
constexpr uint32_t hygon_family = 0x18; // whose cores are those of Zen 1

// Intel's. One model of family 6 for the servers of Skylake, Cascade Lake and Cooper Lake.
constexpr uint32_t intel_family = 6, skylake_server_model = 0x55;

// "HygonGenuine", which not all compilers' headers have.
constexpr uint32_t hygon_ebx = 0x6f677948, hygon_edx = 0x6e65476e, hygon_ecx = 0x656e6975;

// Of leaf 1's eax, where the base family has no number of its own.
constexpr uint32_t family_of(uint32_t eax) {
    const uint32_t base = eax >> 8 & 0xf, extended = eax >> 20 & 0xff;
    return base == 0xf ? base + extended : base;
}

constexpr uint32_t model_of(uint32_t eax) { return (eax >> 16 & 0xf) << 4 | (eax >> 4 & 0xf); }

constexpr bool is_skylake_server(uint32_t eax) {
    return family_of(eax) == intel_family && model_of(eax) == skylake_server_model;
}

// Leaf 0x8000001a says whether 32 bytes are executed at once, but hypervisors that do not pass it
// on answer as Zen 1 does.
constexpr bool is_zen1(uint32_t eax) {
    return family_of(eax) < zen1_family || family_of(eax) == hygon_family
            || (family_of(eax) == zen1_family && model_of(eax) < first_model_of_zen2);
}

// What the cores of one complex of AMD's share, since Zen 3; with stacked caches it is three times
// as much.
constexpr size_t max_l3_bytes_of_complex = 32 << 20;

#ifdef TFMT_HAVE_CPUID
uint64_t read_xcr0() {
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<uint64_t>(high) << 32 | low;
}

std::vector<cpuid_cache> read_cache_leaf(uint32_t leaf) {
    constexpr uint32_t max_caches = 8; // a hypervisor's answers need not end
    std::vector<cpuid_cache> caches;
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    for (uint32_t i = 0; i < max_caches; i++) {
        cpuid_cache cache {};
        if (!__get_cpuid_count(leaf, i, &eax, &ebx, &ecx, &edx)) break;
        if (!decode_cpuid_cache(eax, ebx, ecx, &cache)) break;
        if (cache.size_bytes) caches.push_back(cache);
    }
    return caches;
}
#endif

} // namespace

cpuid_words read_cpuid() {
    cpuid_words words {};
#ifdef TFMT_HAVE_CPUID
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx)) return words;
    words.is_intel = ebx == signature_INTEL_ebx && edx == signature_INTEL_edx
            && ecx == signature_INTEL_ecx;
    words.is_amd = (ebx == signature_AMD_ebx && edx == signature_AMD_edx
                           && ecx == signature_AMD_ecx)
            || (ebx == hygon_ebx && edx == hygon_edx && ecx == hygon_ecx);
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return words;
    words.leaf1_eax = eax;
    words.leaf1_ecx = ecx;
    if (bit(ecx, osxsave_bit)) words.xcr0 = read_xcr0();

    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return words;
    const uint32_t highest_subleaf = eax;
    words.leaf7_ebx = ebx;
    words.leaf7_ecx = ecx;
    words.leaf7_edx = edx;

    if (highest_subleaf < 1 || !__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) return words;
    words.leaf7_1_eax = eax;
#endif
    return words;
}

bool decode_cpuid_cache(uint32_t eax, uint32_t ebx, uint32_t ecx, cpuid_cache *cache) {
    enum : uint32_t { none = 0, instruction = 2 };
    const uint32_t type = eax & 0x1f;
    if (type == none) return false;
    const size_t ways = (ebx >> 22) + 1, partitions = (ebx >> 12 & 0x3ff) + 1;
    const size_t line_bytes = (ebx & 0xfff) + 1, sets = size_t(ecx) + 1;
    cache->level = static_cast<int>(eax >> 5 & 7);
    cache->size_bytes = type == instruction ? 0 : ways * partitions * line_bytes * sets;
    return true;
}

std::vector<cpuid_cache> decode_cpuid_cache_totals(uint32_t ecx, uint32_t edx) {
    const size_t l2_bytes = size_t(ecx >> 16) << 10;
    const size_t l3_bytes = std::min(size_t(edx >> 18) << 19, max_l3_bytes_of_complex);
    std::vector<cpuid_cache> caches;
    if (l2_bytes) caches.push_back({2, l2_bytes});
    if (l3_bytes) caches.push_back({3, l3_bytes});
    return caches;
}

std::vector<cpuid_cache> read_cpuid_caches() {
    std::vector<cpuid_cache> caches;
#ifdef TFMT_HAVE_CPUID
    caches = read_cache_leaf(4);
    if (caches.empty()) caches = read_cache_leaf(0x8000001d);
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (caches.empty() && __get_cpuid(0x80000006, &eax, &ebx, &ecx, &edx))
        caches = decode_cpuid_cache_totals(ecx, edx);
#endif
    return caches;
}

// A ladder: nothing above a rung that the operating system does not save is reported.
feature_set decode_features(const cpuid_words &words) {
    feature_set features = 0;
    if (words.is_intel) features |= feature_of_intel;
    if (words.is_intel && is_skylake_server(words.leaf1_eax)) features |= feature_of_skylake;
    if (words.is_amd && family_of(words.leaf1_eax) >= zen5_family)
        features |= feature_of_zen5;
    else if (words.is_amd && !bit(words.leaf7_ebx, avx512f_bit))
        features |= is_zen1(words.leaf1_eax) ? feature_of_zen1 : feature_of_zen3;
    const auto add_if = [&](uint32_t word, int position, cpu_feature feature) {
        if (bit(word, position)) features |= feature;
    };
    add_if(words.leaf1_ecx, 9, feature_ssse3);
    add_if(words.leaf1_ecx, 19, feature_sse41);

    constexpr uint64_t ymm_state = 0x6; // xmm, upper halves of ymm
    if (!bit(words.leaf1_ecx, osxsave_bit)) return features;
    if ((words.xcr0 & ymm_state) != ymm_state) return features;
    features |= feature_os_ymm;
    add_if(words.leaf1_ecx, 28, feature_avx);
    add_if(words.leaf1_ecx, 12, feature_fma);
    add_if(words.leaf1_ecx, 29, feature_f16c);
    add_if(words.leaf7_ebx, 5, feature_avx2);
    add_if(words.leaf7_ebx, 8, feature_bmi2);

    constexpr uint64_t zmm_state = 0xe0; // mask registers, upper halves of zmm0-15, zmm16-31
    if ((words.xcr0 & zmm_state) != zmm_state) return features;
    features |= feature_os_zmm;
    add_if(words.leaf7_ebx, avx512f_bit, feature_avx512f);
    add_if(words.leaf7_ebx, 17, feature_avx512dq);
    add_if(words.leaf7_ebx, 30, feature_avx512bw);
    add_if(words.leaf7_ebx, 31, feature_avx512vl);
    add_if(words.leaf7_ecx, 1, feature_avx512_vbmi);
    add_if(words.leaf7_edx, 23, feature_avx512_fp16);
    add_if(words.leaf7_1_eax, 5, feature_avx512_bf16);
    return features;
}

} // namespace tfmt::cpu
