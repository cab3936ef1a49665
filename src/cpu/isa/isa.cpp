// SPDX-License-Identifier: Apache-2.0
#include "cpu/isa/isa.hpp"

#include <atomic>
#include <string>

#include "common/status.hpp"
#include "cpu/isa/cpuid.hpp"
#include "cpu/isa/environment.hpp"

namespace tfmt::cpu {
namespace {

constexpr const char *max_isa_variable = "TENSORFMT_MAX_CPU_ISA";
constexpr tfmt_cpu_isa_t no_cap = tfmt_cpu_isa_avx512_core_fp16; // the last row

struct isa_row {
    tfmt_cpu_isa_t isa;
    const char *name;
    tfmt_cpu_isa_t base;
    int vector_bytes;
    int n_vector_regs;
    feature_set added;
};

constexpr isa_row rows[] = {
#define TFMT_CPU_ISA(name, base, vector_bytes, n_vector_regs, added) \
    {tfmt_cpu_isa_##name, #name, tfmt_cpu_isa_##base, vector_bytes, n_vector_regs, added},
#include "cpu/isa/isa.def"
#undef TFMT_CPU_ISA
};
constexpr int n_rows = sizeof rows / sizeof rows[0];

constexpr bool rows_are_indexed_by_isa() {
    for (int i = 0; i < n_rows; i++)
        if (rows[i].isa != i || rows[i].base > rows[i].isa) return false;
    return rows[n_rows - 1].isa == no_cap;
}
static_assert(rows_are_indexed_by_isa(), "isa.def must list the ISAs in the enumerators' order");

bool has_all(feature_set features, tfmt_cpu_isa_t isa) {
    if (isa == tfmt_cpu_isa_none) return true;
    const isa_row &row = rows[isa];
    return has_all(features, row.base) && (features & row.added) == row.added;
}

feature_set detected_features() {
    static const feature_set features = decode_features(read_cpuid());
    return features;
}

struct cap_setting {
    bool is_valid = true;
    tfmt_cpu_isa_t cap = no_cap;
    std::string text;
};

const cap_setting &environment_cap() {
    static const cap_setting setting = [] {
        cap_setting s;
        s.text = environment_text(max_isa_variable);
        if (!s.text.empty()) s.is_valid = parse_isa(s.text.c_str(), &s.cap);
        return s;
    }();
    return setting;
}

std::atomic<int> isa_from_api {-1}; // the highest under its cap; -1: the environment's holds

char to_lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equal_ignoring_case(const char *a, const char *b) {
    while (*a && to_lower_ascii(*a) == to_lower_ascii(*b))
        a++, b++;
    return to_lower_ascii(*a) == to_lower_ascii(*b);
}

} // namespace

bool is_known(tfmt_cpu_isa_t isa) {
    return static_cast<int>(isa) >= 0 && static_cast<int>(isa) < n_rows;
}

const char *name_of(tfmt_cpu_isa_t isa) { return is_known(isa) ? rows[isa].name : "unknown"; }

bool parse_isa(const char *name, tfmt_cpu_isa_t *isa) {
    for (const isa_row &row : rows)
        if (equal_ignoring_case(name, row.name)) {
            *isa = row.isa;
            return true;
        }
    return false;
}

tfmt_cpu_isa_t highest_isa(feature_set features, tfmt_cpu_isa_t cap) {
    int isa = cap;
    while (!has_all(features, static_cast<tfmt_cpu_isa_t>(isa)))
        isa--;
    return static_cast<tfmt_cpu_isa_t>(isa);
}

isa_info describe(feature_set features, tfmt_cpu_isa_t cap) {
    const isa_row &row = rows[highest_isa(features, cap)];
    const auto may_use = [&](tfmt_cpu_isa_t isa) { return isa <= cap && has_all(features, isa); };
    isa_info info {};
    info.isa = row.isa;
    info.has_vbmi = may_use(tfmt_cpu_isa_avx512_core_vbmi);
    info.has_bf16 = may_use(tfmt_cpu_isa_avx512_core_bf16);
    info.has_fp16 = may_use(tfmt_cpu_isa_avx512_core_fp16);
    info.has_f16c = may_use(tfmt_cpu_isa_avx2);
    info.max_vector_bytes = row.vector_bytes;
    info.n_vector_regs = row.n_vector_regs;
    info.is_intel = (features & feature_of_intel) != 0;
    info.is_skylake = (features & feature_of_skylake) != 0;
    info.is_zen1 = (features & feature_of_zen1) != 0;
    info.is_zen3 = (features & feature_of_zen3) != 0;
    info.is_zen5 = (features & feature_of_zen5) != 0;
    return info;
}

tfmt_cpu_isa_t detected_isa() { return highest_isa(detected_features(), no_cap); }
isa_info describe(tfmt_cpu_isa_t capped) { return describe(detected_features(), capped); }

// Each look-up of a reorder asks.
tfmt_cpu_isa_t effective_isa() {
    const int isa = isa_from_api.load(std::memory_order_relaxed);
    if (isa >= 0) return static_cast<tfmt_cpu_isa_t>(isa);
    static const tfmt_cpu_isa_t by_environment = highest_isa(
            detected_features(), environment_cap().cap);
    return by_environment;
}

void set_max_isa(tfmt_cpu_isa_t isa) {
    if (!is_known(isa))
        fail_invalid("isa is " + std::to_string(static_cast<int>(isa))
                + ", expected an enumerator of tfmt_cpu_isa_t");
    isa_from_api.store(highest_isa(detected_features(), isa), std::memory_order_relaxed);
}

void check_max_isa_variable() {
    const cap_setting &setting = environment_cap();
    if (setting.is_valid || isa_from_api.load(std::memory_order_relaxed) >= 0) return;
    std::string names;
    for (const isa_row &row : rows)
        names += std::string(names.empty() ? "" : ", ") + row.name;
    fail_invalid("environment variable " + std::string(max_isa_variable) + " is \"" + setting.text
            + "\", expected one of " + names);
}

} // namespace tfmt::cpu
