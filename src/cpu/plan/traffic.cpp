// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/traffic.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/checked.hpp"
#include "cpu/plan/lines.hpp"
#include "cpu/plan/runs.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

// In doubles, which do not overflow; all uses compare.
double n_elements(const limit_list &limits, dim_t dim_limits::*limit) {
    double n = 1;
    for (const dim_limits &l : limits)
        n *= double(l.*limit);
    return n;
}

// Bytes that are read, and written.
double src_bytes(const move_problem &p) {
    return n_elements(p.limits, &dim_limits::load) * p.moved_src_bits() / 8;
}

double dst_bytes(const move_problem &p) {
    return n_elements(p.limits, &dim_limits::store) * p.moved_dst_bits() / 8;
}

double padding_bytes(const move_problem &p) {
    return dst_bytes(p) - n_elements(p.limits, &dim_limits::load) * p.moved_dst_bits() / 8;
}

// Rows of a source that are read in one piece, and where the next ones begin behind a gap.
struct row_pitch {
    dim_t row_bytes;
    dim_t next_bytes;   // 0: no gap
    dim_t period_bytes; // all of them begin at multiples of this
};

row_pitch source_rows(const move_problem &p) {
    row_pitch rows {std::max(1, p.src_elem_bits() / 8), 0, 0};
    for (bool grown = true; grown;) {
        grown = false;
        rows.next_bytes = rows.period_bytes = 0;
        for (const level &l : p.levels) {
            const dim_t n_read = read_steps(p.limits, l);
            if (n_read <= 1 || l.src_stride < rows.row_bytes) continue;
            if (l.src_stride == rows.row_bytes) {
                if (!multiply(rows.row_bytes, n_read, &rows.row_bytes)) return {1, 0, 0};
                grown = true;
                break;
            }
            if (rows.next_bytes == 0 || l.src_stride < rows.next_bytes)
                rows.next_bytes = l.src_stride;
            rows.period_bytes = std::gcd(rows.period_bytes, l.src_stride);
        }
    }
    return rows;
}

} // namespace

dim_t moved_bytes(const move_problem &p) {
    return dim_t(std::min(src_bytes(p) + dst_bytes(p), 9e18));
}

// In a cache of a single set.
dim_t touched_bytes(const move_problem &p) { return bytes_in_cache(p, tuning::line_bytes); }

dim_t bytes_in_cache(const move_problem &p, dim_t way_bytes) {
    const bool is_regular = std::all_of(
            p.levels.begin(), p.levels.end(), [](const level &l) { return l.is_regular(); });
    if (!is_regular) return moved_bytes(p);
    const row_pitch rows = source_rows(p);
    if (rows.next_bytes == 0) return moved_bytes(p);
    const dim_t touched = std::min(rows.next_bytes, round_up(rows.row_bytes, tuning::line_bytes));
    const dim_t period_in_way = std::gcd(rows.period_bytes, way_bytes);
    const double share = double(std::max(touched, period_in_way)) / double(rows.row_bytes);
    return dim_t(std::min(double(moved_bytes(p)) + src_bytes(p) * (share - 1), 9e18));
}

namespace {

// `share_of_cache`: of the last one, from which on all moves are worth being written past it.
bool goes_past_cache(const move_problem &p, const machine &m, double share_of_cache) {
    const bool is_in_place = src_bytes(p) == 0; // padding of a tensor
    double bytes = double(moved_bytes(p));
    if (!is_in_place) bytes += m.streaming_weight_of_padding * padding_bytes(p);
    const auto is_share = [&](double share) { return bytes >= share * double(m.l3_bytes); };
    if (!is_in_place && dst_bytes(p) >= m.max_streamed_dst_over_src * src_bytes(p)) return false;
    return is_share(share_of_cache)
            || (is_share(m.streaming_share_of_collected) && needs_collecting(p, m))
            || (is_share(m.streaming_share_of_transposes) && transposes_far_rows(p, m));
}

} // namespace

bool exceeds_cache(const move_problem &p, const machine &m) {
    return goes_past_cache(p, m, m.streaming_share_of_cache);
}

bool is_staged_past_caches(const move_problem &p, const machine &m) {
    return goes_past_cache(p, m,
            m.claimed_ahead_bytes > 0 ? std::numeric_limits<double>::infinity()
                                      : m.streaming_share_of_cache);
}

double src_span_bytes(const move_problem &p) {
    double span = 1;
    for (const level &l : p.levels) {
        const dim_t last = std::max<dim_t>(0, read_steps(p.limits, l) - 1);
        span += l.is_regular() ? double(last) * double(l.src_stride)
                               : double(digits_offset(l.src_digits, last * l.digit_steps));
    }
    return span;
}

bool is_mostly_written(const move_problem &p) {
    const bool widens = p.moved_dst_bits() > p.moved_src_bits();
    const double share = widens ? tuning::min_written_per_src_byte_of_wider
                                : tuning::min_written_per_src_byte;
    return dst_bytes(p) >= share * src_span_bytes(p);
}

bool is_half_padding(const limit_list &limits) {
    return n_elements(limits, &dim_limits::store) >= 2 * n_elements(limits, &dim_limits::load);
}

} // namespace tfmt::cpu
