// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/alternatives.hpp"

#include <algorithm>
#include <limits>

namespace tfmt::cpu {

namespace {

struct change {
    const char *name;
    void (*apply)(machine &);
};

constexpr int any_number = std::numeric_limits<int>::max();

// What single reorders gain most from, where the rules are wrong about them; tuning.hpp
// (min_gain_of_measured) has how much.
constexpr change changes[] = {
        {"vectors of half the length",
                [](machine &m) {
                    if (m.vector_bytes > 16) m.vector_bytes /= 2;
                }},
        {"vectors of full length",
                [](machine &m) {
                    m.max_split_moved_bytes = 0;
                    m.has_slow_line_crossings = false;
                }},
        {"tiles of fewer registers", [](machine &m) { m.use_16_registers(); }},
        {"stores into the caches",
                [](machine &m) {
                    m.streaming_share_of_cache = std::numeric_limits<double>::infinity();
                    m.streaming_share_of_collected = m.streaming_share_of_cache;
                    m.streaming_share_of_transposes = m.streaming_share_of_cache;
                }},
        {"stores past the caches",
                [](machine &m) {
                    m.streaming_share_of_cache = std::min(m.streaming_share_of_cache, 0.5) / 3;
                    m.max_streamed_dst_over_src = std::numeric_limits<double>::infinity();
                    m.claimed_ahead_bytes = 0;
                }},
        {"no scratch past the caches",
                [](machine &m) { m.max_open_lines = m.max_open_lines_in_pages = any_number; }},
        {"a scratch past the caches",
                [](machine &m) { m.max_open_lines = m.max_open_lines_in_pages = 0; }},
        {"whole lines past the caches",
                [](machine &m) {
                    m.min_src_bytes_of_streamed_lines =
                            tuning::min_src_bytes_of_streamed_lines_of_zen1_and_zen4;
                    m.max_src_rows_of_streamed_lines = any_number;
                }},
        {"a scratch in the caches",
                [](machine &m) {
                    m.min_row_pairs_to_collect = m.min_crowding_rows = m.min_crowding_lines = 8;
                    m.min_collected_bytes = 0;
                }},
        {"no scratch in the caches",
                [](machine &m) {
                    m.min_row_pairs_to_collect = any_number;
                    m.min_crowding_rows = m.min_crowding_lines = 0;
                    m.max_elem_bytes_in_lanes = 0;
                }},
        {"a scratch of rows, not of vectors", [](machine &m) { m.max_elem_bytes_in_lanes = 0; }},
        {"rows as cores read them that fetch ahead of many",
                [](machine &m) { m.read_many_rows_ahead(); }},
        {"few rows read together",
                [](machine &m) {
                    m.read_ahead_rows_of_moves = tuning::read_ahead_rows_of_moves_of_skylake;
                }},
        {"lines claimed before",
                [](machine &m) {
                    m.fetches_stores_late = true;
                    m.claimed_ahead_bytes = 0;
                }},
        {"lines claimed far ahead",
                [](machine &m) {
                    m.fetches_stores_late = true;
                    m.claimed_ahead_bytes = tuning::claimed_ahead_bytes_of_skylake;
                }},
        {"lines not claimed before", [](machine &m) { m.fetches_stores_late = false; }},
        {"nothing fetched before",
                [](machine &m) {
                    m.unfetched_share_of_cache = std::numeric_limits<double>::infinity();
                    m.fetches_sparse_or_converted = false;
                    m.min_lines_to_fetch_near = any_number;
                    m.min_fetched_collected_bytes = std::numeric_limits<dim_t>::max();
                }},
        {"streams fetched far ahead",
                [](machine &m) { m.fetched_stream_bytes = tuning::fetched_stream_bytes_of_intel; }},
        {"lines asked for twice",
                [](machine &m) {
                    m.fetched_twice_share_of_cache = tuning::fetched_twice_share_of_cache_of_zen4;
                }},
        {"lines asked for once",
                [](machine &m) {
                    m.fetched_twice_share_of_cache = std::numeric_limits<double>::infinity();
                }},
        {"pairs of lines",
                [](machine &m) {
                    m.paired_lines = 2;
                    m.max_whole_dst_bytes = 2 * tuning::line_bytes;
                    m.collected_dst_bytes = tuning::collected_dst_bytes_of_zen4_and_zen5;
                    m.collected_block_bytes = tuning::collected_block_bytes_of_zen5;
                }},
        {"small blocks of pieces",
                [](machine &m) { m.piece_block_bytes = tuning::piece_block_bytes_of_zen4; }},
        {"longer rows in blocks",
                [](machine &m) {
                    m.block_src_bytes *= 4;
                    m.max_whole_dst_bytes *= 4;
                }},
};

} // namespace

std::vector<alternative> alternatives_to(const machine &m) {
    std::vector<alternative> all;
    for (const change &c : changes) {
        all.push_back({c.name, m});
        c.apply(all.back().m);
    }
    return all;
}

} // namespace tfmt::cpu
