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

// What code is asked for by: the content of a kernel, and of the machine.
struct code_query {
    const uint32_t *begin;
    size_t n_words;
    size_t hash;
};

using stored_content = std::shared_ptr<const std::vector<uint32_t>>;

struct code_key {
    explicit code_key(stored_content c) : content(std::move(c)) {}
    bool serves(const code_query &q) const {
        return content->size() == q.n_words
                && std::memcmp(content->data(), q.begin, q.n_words * sizeof *q.begin) == 0;
    }
    bool serves(const stored_content &c) const { return *content == *c; }

    const stored_content content;
};

using code_lru = lru<code_key, kernel_code>;

// Never destroyed: reorders may be made by destructors of static objects.
code_lru &the_cache() {
    static code_lru &cache = *new code_lru(cache_capacity());
    return cache;
}

std::atomic<uint64_t> assembled_count {0};

// What assemble() may look at. The others decide what a plan is, not what becomes of a
// kernel; a member that is added to `machine` does not compile until it is named here.
void append_instructions(ir::words &out, const machine &m) {
    const auto &[isa, has_vbmi, has_bf16, has_fp16, has_slow_quotients, has_slow_bf16_dots,
            fetched_stream_bytes, fetches_stores_late, claimed_ahead_bytes, has_slow_line_crossings,
            min_moved_bytes_of_crossing_runs, min_src_bytes_of_streamed_lines,
            max_src_rows_of_streamed_lines, min_elem_bytes_of_whole_lines, sends_parts_slowly,
            narrows_tiles, vector_bytes, n_vector_regs, max_split_moved_bytes, l2_bytes, l3_bytes,
            streaming_share_of_cache, streaming_share_of_collected, streaming_share_of_transposes,
            streaming_weight_of_padding, max_streamed_dst_over_src, read_ahead_rows,
            max_written_rows, read_ahead_rows_near, read_ahead_rows_of_moves, max_copied_rows,
            max_read_rows, max_padded_rows, unfetched_share_of_cache, min_lines_to_fetch_near,
            fetches_sparse_or_converted, min_refetched_share_of_cache, max_spilled_src_rows,
            min_lines_in_turn, block_src_bytes, block_src_bytes_of_parts, max_whole_dst_bytes,
            paired_lines, min_row_pairs_to_collect, max_elem_bytes_in_lanes,
            min_moved_bytes_in_lanes, min_crowding_rows, min_crowding_lines,
            max_times_l2_of_crowding_moves, min_crowding_rows_of_moves,
            min_elem_bytes_of_crowding_rows, min_collected_bytes, collected_dst_bytes,
            collected_block_bytes, collected_paired_lines, min_fetched_collected_bytes,
            fetched_twice_share_of_cache, max_open_lines, max_open_lines_in_pages,
            ignores_pages_of_lines_apart, l2_scratch_bytes, l2_scratch_bytes_for_lines,
            staged_near_block_bytes, piece_block_bytes, staged_whole_dst_bytes,
            min_unchained_lines_bytes] = m;
    static_cast<void>(has_slow_quotients);
    static_cast<void>(fetched_stream_bytes);
    static_cast<void>(fetches_stores_late);
    static_cast<void>(claimed_ahead_bytes);
    static_cast<void>(has_slow_line_crossings);
    static_cast<void>(min_moved_bytes_of_crossing_runs);
    static_cast<void>(min_src_bytes_of_streamed_lines);
    static_cast<void>(max_src_rows_of_streamed_lines);
    static_cast<void>(min_elem_bytes_of_whole_lines);
    static_cast<void>(sends_parts_slowly);
    static_cast<void>(narrows_tiles);
    static_cast<void>(max_split_moved_bytes);
    static_cast<void>(l2_bytes);
    static_cast<void>(l3_bytes);
    static_cast<void>(streaming_share_of_cache);
    static_cast<void>(streaming_share_of_collected);
    static_cast<void>(streaming_share_of_transposes);
    static_cast<void>(streaming_weight_of_padding);
    static_cast<void>(max_streamed_dst_over_src);
    static_cast<void>(read_ahead_rows);
    static_cast<void>(read_ahead_rows_near);
    static_cast<void>(read_ahead_rows_of_moves);
    static_cast<void>(max_written_rows);
    static_cast<void>(max_copied_rows);
    static_cast<void>(max_read_rows);
    static_cast<void>(max_padded_rows);
    static_cast<void>(unfetched_share_of_cache);
    static_cast<void>(min_lines_to_fetch_near);
    static_cast<void>(fetches_sparse_or_converted);
    static_cast<void>(min_refetched_share_of_cache);
    static_cast<void>(max_spilled_src_rows);
    static_cast<void>(min_lines_in_turn);
    static_cast<void>(block_src_bytes);
    static_cast<void>(block_src_bytes_of_parts);
    static_cast<void>(max_whole_dst_bytes);
    static_cast<void>(paired_lines);
    static_cast<void>(min_row_pairs_to_collect);
    static_cast<void>(max_elem_bytes_in_lanes);
    static_cast<void>(min_moved_bytes_in_lanes);
    static_cast<void>(min_crowding_rows);
    static_cast<void>(min_crowding_lines);
    static_cast<void>(max_times_l2_of_crowding_moves);
    static_cast<void>(min_crowding_rows_of_moves);
    static_cast<void>(min_elem_bytes_of_crowding_rows);
    static_cast<void>(min_collected_bytes);
    static_cast<void>(collected_dst_bytes);
    static_cast<void>(collected_block_bytes);
    static_cast<void>(collected_paired_lines);
    static_cast<void>(min_fetched_collected_bytes);
    static_cast<void>(fetched_twice_share_of_cache);
    static_cast<void>(max_open_lines);
    static_cast<void>(max_open_lines_in_pages);
    static_cast<void>(ignores_pages_of_lines_apart);
    static_cast<void>(l2_scratch_bytes);
    static_cast<void>(l2_scratch_bytes_for_lines);
    static_cast<void>(staged_near_block_bytes);
    static_cast<void>(piece_block_bytes);
    static_cast<void>(staged_whole_dst_bytes);
    static_cast<void>(min_unchained_lines_bytes);
    for (int v : {int(isa), int(has_vbmi), int(has_bf16), int(has_fp16), int(has_slow_bf16_dots),
                 int(m.splits_vectors()), vector_bytes, n_vector_regs})
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

// A kernel that is in no cache yet.
struct new_kernel {
    size_t index;
    size_t hash;
    stored_content content;
    std::vector<uint8_t> code;
};

new_kernel assemble_new(
        const ir::kernel &k, const machine &m, size_t index, const code_query &query) {
    new_kernel made {index, query.hash,
            std::make_shared<const std::vector<uint32_t>>(query.begin, query.begin + query.n_words),
            assemble(k, m)};
    assembled_count.fetch_add(1, std::memory_order_relaxed);
    dump_code(name_of(m.isa), made.code.data(), made.code.size());
    return made;
}

// The one that `query` asks for, or null.
const new_kernel *find_among(const std::vector<new_kernel> &made, const code_query &query) {
    for (const new_kernel &k : made)
        if (k.hash == query.hash && code_key(k.content).serves(query)) return &k;
    return nullptr;
}

// One mapping for all: each takes as long as a small kernel takes to be made.
void map_and_keep(const std::vector<new_kernel> &made, std::vector<kernel_code> &codes) {
    std::vector<code_piece> pieces;
    size_t end_bytes = 0;
    for (const new_kernel &k : made) {
        const size_t begin_bytes = (end_bytes + code_alignment_bytes - 1) / code_alignment_bytes
                * code_alignment_bytes;
        pieces.push_back({k.code.data(), k.code.size(), begin_bytes});
        end_bytes = begin_bytes + k.code.size();
    }
    const auto pages = std::make_shared<const executable>(pieces.data(), pieces.size());
    for (size_t i = 0; i < made.size(); i++) {
        kernel_code &code = codes[made[i].index];
        code.pages = pages;
        code.size_bytes = pieces[i].n_bytes;
        code.run = reinterpret_cast<kernel_fn>(
                reinterpret_cast<uintptr_t>(pages->entry()) + pieces[i].offset_bytes);
        the_cache().insert(made[i].content, made[i].hash, code);
    }
}

} // namespace

std::vector<kernel_code> compile(const std::vector<ir::kernel> &kernels, const machine &m) {
    std::vector<kernel_code> codes(kernels.size());
    std::vector<size_t> same_as(kernels.size()); // kernels of one call may be equal
    std::vector<new_kernel> made;
    ir::words content;
    for (size_t i = 0; i < kernels.size(); i++) {
        content.clear();
        append_instructions(content, m);
        ir::append_content(content, kernels[i]);
        const code_query query {
                content.data(), content.size(), hash_of(content.data(), content.size())};
        const new_kernel *same = find_among(made, query);
        same_as[i] = same ? same->index : i;
        if (same) continue;
        codes[i] = the_cache().find(query, query.hash);
        if (!codes[i]) made.push_back(assemble_new(kernels[i], m, i, query));
    }
    if (!made.empty()) map_and_keep(made, codes);
    for (size_t i = 0; i < codes.size(); i++)
        codes[i] = codes[same_as[i]];
    return codes;
}

void set_code_capacity(int n) { the_cache().set_capacity(n); }

int code_cache_size() { return the_cache().size(); }

uint64_t n_assembled() { return assembled_count.load(std::memory_order_relaxed); }

} // namespace tfmt::cpu::jit
