// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/code_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "cpu/cache/kernel_cache.hpp"
#include "cpu/cache/lru.hpp"
#include "cpu/ir/content.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/jit/code_dump.hpp"

namespace tfmt::cpu::jit {

namespace {

struct code_key {
    explicit code_key(const ir::words &w) : content(w) {}
    bool serves(const ir::words &wanted) const { return content == wanted; }

    const ir::words content;
};

using code_lru = lru<code_key, kernel_code>;

// Never destroyed: reorders may be made by destructors of static objects.
code_lru &the_cache() {
    static code_lru &cache = *new code_lru(cache_capacity());
    return cache;
}

std::atomic<uint64_t> assembled_count {0};

// What assemble() may look at. The sizes of caches decide what a plan is, not what becomes of a
// kernel; a member that is added to `machine` does not compile until it is named here.
void append_instructions(ir::words &out, const machine &m) {
    const auto &[isa, has_two_source_permutes, has_vbmi, vector_bytes, n_vector_regs, l2_bytes,
            l3_bytes] = m;
    static_cast<void>(l2_bytes);
    static_cast<void>(l3_bytes);
    for (int v :
            {int(isa), int(has_two_source_permutes), int(has_vbmi), vector_bytes, n_vector_regs})
        out.push_back(uint32_t(v));
}

// Four sums at once: one would wait for each of its multiplications.
size_t hash_of(const ir::words &content) {
    constexpr size_t n_sums = 4, word_bytes = sizeof(uint64_t);
    uint64_t sums[n_sums] = {content.size(), 1, 2, 3};
    const auto mix = [](uint64_t &sum, uint64_t word) {
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    };
    const char *at = reinterpret_cast<const char *>(content.data());
    size_t left_bytes = content.size() * sizeof(uint32_t);
    for (; left_bytes >= sizeof sums; left_bytes -= sizeof sums, at += sizeof sums) {
        uint64_t part[n_sums];
        std::memcpy(part, at, sizeof part);
        for (size_t k = 0; k < n_sums; k++)
            mix(sums[k], part[k]);
    }
    for (; left_bytes > 0; left_bytes -= std::min(left_bytes, word_bytes), at += word_bytes) {
        uint64_t part = 0;
        std::memcpy(&part, at, std::min(left_bytes, word_bytes));
        mix(sums[0], part);
    }
    for (size_t k = 1; k < n_sums; k++)
        mix(sums[0], sums[k]);
    return size_t(sums[0]);
}

// A kernel that is in no cache yet, and where its code stands among the new ones'.
struct new_kernel {
    size_t index;
    ir::words content;
    size_t hash;
    size_t offset_bytes;
};

void assemble_into(std::vector<uint8_t> &all, const ir::kernel &k, const machine &m,
        new_kernel &made, kernel_code &code) {
    const std::vector<uint8_t> bytes = assemble(k, m);
    assembled_count.fetch_add(1, std::memory_order_relaxed);
    dump_code(name_of(m.isa), bytes.data(), bytes.size());
    all.resize(
            (all.size() + code_alignment_bytes - 1) / code_alignment_bytes * code_alignment_bytes);
    made.offset_bytes = all.size();
    code.size_bytes = bytes.size();
    all.insert(all.end(), bytes.begin(), bytes.end());
}

} // namespace

std::vector<kernel_code> compile(const std::vector<ir::kernel> &kernels, const machine &m) {
    std::vector<kernel_code> codes(kernels.size());
    std::vector<new_kernel> missing;
    std::vector<uint8_t> all;
    ir::words content;
    for (size_t i = 0; i < kernels.size(); i++) {
        content.clear();
        append_instructions(content, m);
        ir::append_content(content, kernels[i]);
        const size_t hash = hash_of(content);
        if ((codes[i] = the_cache().find(content, hash))) continue;
        missing.push_back({i, std::move(content), hash, 0});
        assemble_into(all, kernels[i], m, missing.back(), codes[i]);
    }
    if (missing.empty()) return codes;
    // One mapping for all: each takes as long as a small kernel takes to be made.
    const auto pages = std::make_shared<const executable>(all.data(), all.size());
    for (const new_kernel &made : missing) {
        kernel_code &code = codes[made.index];
        code.pages = pages;
        code.run = reinterpret_cast<kernel_fn>(
                reinterpret_cast<uintptr_t>(pages->entry()) + made.offset_bytes);
        the_cache().insert(made.content, made.hash, code);
    }
    return codes;
}

void set_code_capacity(int n) { the_cache().set_capacity(n); }

int code_cache_size() { return the_cache().size(); }

uint64_t n_assembled() { return assembled_count.load(std::memory_order_relaxed); }

} // namespace tfmt::cpu::jit
