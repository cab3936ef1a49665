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

// The content of one kernel, and of the machine, among those of others.
struct code_query {
    const uint32_t *begin;
    size_t n_words;
    size_t hash;
};

struct code_key {
    explicit code_key(const code_query &q) : content(q.begin, q.begin + q.n_words) {}
    bool serves(const code_query &q) const {
        return content.size() == q.n_words
                && std::memcmp(content.data(), q.begin, q.n_words * sizeof *q.begin) == 0;
    }

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

// Eight sums at once: one would wait for each of its multiplications.
size_t hash_of(const uint32_t *words, size_t n_words) {
    constexpr size_t n_sums = 8, word_bytes = sizeof(uint64_t);
    uint64_t sums[n_sums] = {n_words, 1, 2, 3, 4, 5, 6, 7};
    const auto mix = [](uint64_t &sum, uint64_t word) {
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    };
    const char *at = reinterpret_cast<const char *>(words);
    size_t left_bytes = n_words * sizeof *words;
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

std::vector<code_query> queries_of(
        const std::vector<ir::kernel> &kernels, const machine &m, ir::words &content) {
    std::vector<size_t> begins {0};
    for (const ir::kernel &k : kernels) {
        append_instructions(content, m);
        ir::append_content(content, k);
        begins.push_back(content.size());
    }
    std::vector<code_query> queries;
    for (size_t i = 0; i < kernels.size(); i++) {
        const uint32_t *begin = content.data() + begins[i];
        const size_t n_words = begins[i + 1] - begins[i];
        queries.push_back({begin, n_words, hash_of(begin, n_words)});
    }
    return queries;
}

// A kernel that is in no cache yet, and where its code stands among the new ones'.
struct new_kernel {
    size_t index;
    size_t offset_bytes;
};

new_kernel assemble_into(std::vector<uint8_t> &all, const ir::kernel &k, const machine &m,
        size_t index, size_t *size_bytes) {
    const std::vector<uint8_t> bytes = assemble(k, m);
    assembled_count.fetch_add(1, std::memory_order_relaxed);
    dump_code(name_of(m.isa), bytes.data(), bytes.size());
    all.resize(
            (all.size() + code_alignment_bytes - 1) / code_alignment_bytes * code_alignment_bytes);
    const size_t offset_bytes = all.size();
    all.insert(all.end(), bytes.begin(), bytes.end());
    *size_bytes = bytes.size();
    return {index, offset_bytes};
}

} // namespace

std::vector<kernel_code> compile(const std::vector<ir::kernel> &kernels, const machine &m) {
    ir::words content;
    const std::vector<code_query> queries = queries_of(kernels, m, content);
    std::vector<kernel_code> codes(kernels.size());
    std::vector<new_kernel> missing;
    std::vector<uint8_t> all;
    for (size_t i = 0; i < kernels.size(); i++) {
        codes[i] = the_cache().find(queries[i], queries[i].hash);
        if (!codes[i])
            missing.push_back(assemble_into(all, kernels[i], m, i, &codes[i].size_bytes));
    }
    if (missing.empty()) return codes;
    // One mapping for all: each takes as long as a small kernel takes to be made.
    const auto pages = std::make_shared<const executable>(all.data(), all.size());
    for (const new_kernel &made : missing) {
        kernel_code &code = codes[made.index];
        code.pages = pages;
        code.run = reinterpret_cast<kernel_fn>(
                reinterpret_cast<uintptr_t>(pages->entry()) + made.offset_bytes);
        the_cache().insert(queries[made.index], queries[made.index].hash, code);
    }
    return codes;
}

void set_code_capacity(int n) { the_cache().set_capacity(n); }

int code_cache_size() { return the_cache().size(); }

uint64_t n_assembled() { return assembled_count.load(std::memory_order_relaxed); }

} // namespace tfmt::cpu::jit
