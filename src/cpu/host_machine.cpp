// SPDX-License-Identifier: Apache-2.0
#include "cpu/host_machine.hpp"

#include <algorithm>
#include <limits>

#include "cpu/isa/isa.hpp"
#include "cpu/topology/cache_sizes.hpp"

namespace tfmt::cpu {

namespace {

void take_habits_of_intel(machine &m) {
    m.has_slow_quotients = m.has_masks();
    m.has_slow_bf16_dots = m.fetches_stores_late = true;
    m.fetched_stream_bytes = tuning::fetched_stream_bytes_of_intel;
    m.read_many_rows_ahead();
    m.sends_parts_slowly = true;
    m.max_padded_rows = tuning::max_padded_rows_of_intel;
    m.max_spilled_src_rows = tuning::max_spilled_src_rows_of_intel;
    m.min_lines_in_turn = 0;
    m.max_open_lines = m.max_open_lines_in_pages = tuning::max_open_lines_of_intel;
    m.has_slow_line_crossings = m.vector_bytes > 16;
    m.min_moved_bytes_in_lanes = tuning::min_moved_bytes_in_lanes_of_intel;
    if (m.vector_bytes == 64) {
        m.max_elem_bytes_in_lanes = tuning::max_elem_bytes_in_lanes_of_intel_64_bytes;
    } else {
        m.min_crowding_rows = tuning::min_crowding_rows_of_zen1_and_intel;
        m.min_crowding_lines = tuning::min_crowding_lines_of_zen1_and_intel;
    }
}

// Where they differ from take_habits_of_intel(), measured on Cascade Lake. Its L1 is of 32 KiB, its
// L2 of 1 MiB, and stores past the caches are slow: a core has room for a dozen lines that are on
// their way to or from memory, and such a line stays for long.
void take_habits_of_skylake(machine &m) {
    m.has_slow_line_crossings = m.vector_bytes == 64;
    m.min_moved_bytes_of_crossing_runs = tuning::min_moved_bytes_of_crossing_runs_of_skylake;
    m.streaming_share_of_cache = m.vector_bytes == 64
            ? tuning::streaming_share_of_cache_of_skylake_64_bytes
            : tuning::streaming_share_of_cache_of_skylake;
    m.streaming_share_of_transposes = tuning::streaming_share_of_transposes_of_skylake;
    m.claimed_ahead_bytes = tuning::claimed_ahead_bytes_of_skylake;
    m.max_streamed_dst_over_src = tuning::max_streamed_dst_over_src_of_skylake;
    m.unfetched_share_of_cache = tuning::unfetched_share_of_cache_of_skylake;
    m.fetches_sparse_or_converted = true;
    m.read_ahead_rows_of_moves = tuning::read_ahead_rows_of_moves_of_skylake;
    m.paired_lines = 1;
    m.min_elem_bytes_of_whole_lines = tuning::min_elem_bytes_of_whole_lines_of_skylake;
    m.block_src_bytes_of_parts = tuning::block_src_bytes_of_parts_of_skylake;
    if (m.vector_bytes > 16) {
        m.streaming_share_of_collected = tuning::streaming_share_of_collected_of_skylake;
        m.max_whole_dst_bytes = tuning::max_whole_dst_bytes_of_skylake;
    }
    if (m.vector_bytes < 64) return;
    m.collected_block_bytes = tuning::collected_block_bytes_of_skylake;
    m.min_moved_bytes_in_lanes = tuning::min_moved_bytes_in_lanes; // L2 is of 1 MiB
}

void take_habits_of_amd(machine &m) {
    m.max_whole_dst_bytes = tuning::max_whole_dst_bytes_of_amd;
    m.max_read_rows = tuning::max_read_rows_of_amd;
    m.unfetched_share_of_cache = tuning::unfetched_share_of_cache_of_amd;
    m.min_row_pairs_to_collect = tuning::min_row_pairs_to_collect_of_amd;
    m.staged_near_block_bytes = tuning::staged_near_block_bytes_of_amd;
    m.staged_whole_dst_bytes = tuning::staged_whole_dst_bytes_of_amd;
    m.min_crowding_rows = tuning::min_crowding_rows_of_amd;
    m.min_crowding_lines = tuning::min_crowding_lines_of_amd;
    switch (m.vector_bytes) {
    case 16: m.max_open_lines_in_pages = tuning::max_open_lines_in_pages_of_amd_16_bytes; break;
    case 64:
        m.min_row_pairs_to_collect = tuning::min_row_pairs_to_collect_of_amd_64_bytes;
        m.max_split_moved_bytes = tuning::max_split_moved_bytes_of_amd;
        break;
    default: break; // no JIT
    }
}

// Measured on Zen 4 alone, and taken for all cores but Intel's, Zen 1, Zen 3 and Zen 5: those of
// other makers as well.
void take_habits_of_zen4(machine &m) {
    m.streaming_share_of_collected = tuning::streaming_share_of_collected_of_zen4;
    m.streaming_share_of_transposes = tuning::streaming_share_of_transposes_of_zen4;
    m.streaming_weight_of_padding = tuning::streaming_weight_of_padding_of_zen4;
    m.collected_dst_bytes = tuning::collected_dst_bytes_of_zen4_and_zen5;
    m.piece_block_bytes = tuning::piece_block_bytes_of_zen4;
    if (m.vector_bytes < tuning::line_bytes) {
        m.min_src_bytes_of_streamed_lines =
                tuning::min_src_bytes_of_streamed_lines_of_zen1_and_zen4;
        m.max_src_rows_of_streamed_lines = tuning::max_src_rows_of_streamed_lines_of_zen4;
    }
    switch (m.vector_bytes) {
    case 16:
        m.streaming_share_of_cache = tuning::streaming_share_of_cache_of_zen4_16_bytes;
        m.ignores_pages_of_lines_apart = true;
        m.max_times_l2_of_crowding_moves = std::numeric_limits<double>::infinity();
        break;
    case 32:
        m.fetched_twice_share_of_cache = tuning::fetched_twice_share_of_cache_of_zen4_32_bytes;
        m.max_times_l2_of_crowding_moves = 1;
        break;
    case 64:
        m.fetched_twice_share_of_cache = tuning::fetched_twice_share_of_cache_of_zen4;
        m.min_crowding_rows = std::numeric_limits<int>::max(); // for small moves alone
        m.min_crowding_lines = tuning::min_crowding_lines_of_amd;
        m.min_crowding_rows_of_moves = tuning::min_crowding_rows_of_amd;
        m.max_times_l2_of_crowding_moves = 1;
        m.min_elem_bytes_of_crowding_rows = tuning::min_elem_bytes_of_crowding_rows_of_zen4;
        m.narrows_tiles = true;
        break;
    default: break; // no JIT
    }
}

// Measured on Zen 1. Its cores execute 32 bytes as two of 16.
void take_habits_of_zen1(machine &m) {
    m.min_src_bytes_of_streamed_lines = tuning::min_src_bytes_of_streamed_lines_of_zen1_and_zen4;
    m.max_elem_bytes_in_lanes = 0;
    m.block_src_bytes = tuning::block_src_bytes_of_zen3;
    m.unfetched_share_of_cache = tuning::unfetched_share_of_cache_of_zen1;
    m.min_refetched_share_of_cache = tuning::min_refetched_share_of_cache_of_zen1;
    m.streaming_share_of_cache = tuning::streaming_share_of_cache_of_zen1;
    m.staged_whole_dst_bytes = tuning::staged_whole_dst_bytes_of_zen1;
    m.l2_scratch_bytes_for_lines = tuning::l2_scratch_bytes_for_lines_of_zen1;
    m.min_row_pairs_to_collect = tuning::min_row_pairs_to_collect_of_zen1;
    m.min_crowding_rows = m.min_crowding_lines = 0;
    switch (m.vector_bytes) {
    case 16:
        m.min_crowding_rows = tuning::min_crowding_rows_of_zen1_and_intel;
        m.min_crowding_lines = tuning::min_crowding_lines_of_zen1_and_intel;
        m.max_open_lines = tuning::max_open_lines_of_zen3_16_bytes;
        break;
    case 32:
        m.max_split_moved_bytes = tuning::max_split_moved_bytes_of_zen1;
        m.max_open_lines = tuning::max_open_lines_of_zen1_32_bytes;
        m.ignores_pages_of_lines_apart = true;
        break;
    default: break; // no JIT
    }
}

// Where they differ from take_habits_of_amd().
void take_habits_of_zen3(machine &m) {
    m.unfetched_share_of_cache = 0; // not measured
    m.block_src_bytes = tuning::block_src_bytes_of_zen3;
    m.paired_lines = tuning::paired_lines_of_zen3;
    m.max_open_lines_in_pages = tuning::max_open_lines_in_pages_of_zen3;
    m.streaming_share_of_cache = tuning::streaming_share_of_cache_of_zen3;
    m.min_unchained_lines_bytes = tuning::min_unchained_lines_bytes_of_zen3;
    switch (m.vector_bytes) {
    case 16: m.max_open_lines = tuning::max_open_lines_of_zen3_16_bytes; break;
    case 32:
        m.min_fetched_collected_bytes = tuning::min_fetched_collected_bytes_of_zen3_32_bytes;
        break;
    default: break; // no JIT
    }
}

void take_habits_of_zen5(machine &m) {
    m.unfetched_share_of_cache = 0; // not measured
    m.max_split_moved_bytes = 0;    // whole vectors at once
    m.min_crowding_rows = tuning::min_crowding_rows_of_zen5;
    m.min_crowding_lines = tuning::min_crowding_lines_of_zen5;
    m.collected_dst_bytes = tuning::collected_dst_bytes_of_zen4_and_zen5;
    m.collected_block_bytes = tuning::collected_block_bytes_of_zen5;
    m.min_fetched_collected_bytes = std::numeric_limits<dim_t>::max();
    switch (m.vector_bytes) {
    case 16: m.collected_paired_lines = tuning::collected_paired_lines_of_zen5_16_bytes; break;
    case 32: m.min_crowding_lines = tuning::min_crowding_lines_of_zen5_32_bytes; break;
    case 64:
        m.paired_lines = tuning::paired_lines_of_zen5_64_bytes;
        m.streaming_share_of_cache = tuning::streaming_share_of_cache_of_zen5_64_bytes;
        break;
    default: break; // no JIT
    }
}

} // namespace

machine host_machine(tfmt_cpu_isa_t cap, size_t moved_bytes) {
    const isa_info isa = describe(cap);
    machine m;
    m.isa = isa.isa;
    m.has_vbmi = isa.has_vbmi;
    m.has_bf16 = isa.has_bf16;
    m.has_fp16 = isa.has_fp16;
    m.vector_bytes = isa.max_vector_bytes;
    m.n_vector_regs = isa.n_vector_regs;
    if (isa.is_intel) {
        take_habits_of_intel(m);
        if (isa.is_skylake) take_habits_of_skylake(m);
    } else {
        take_habits_of_amd(m);
        if (isa.is_zen1)
            take_habits_of_zen1(m);
        else if (isa.is_zen3)
            take_habits_of_zen3(m);
        else if (isa.is_zen5)
            take_habits_of_zen5(m);
        else
            take_habits_of_zen4(m);
    }
    if (moved_bytes <= tuning::fits_any_l2_bytes) return m;
    const cache_sizes &caches = host_cache_sizes();
    m.l2_bytes = caches.l2_bytes;
    m.l2_scratch_bytes = std::min(
            caches.l2_bytes / tuning::l2_scratch_divisor, tuning::max_l2_scratch_bytes);
    m.l3_bytes = std::min(caches.last_level_bytes(), tuning::max_last_cache_bytes);
    return m;
}

} // namespace tfmt::cpu
