// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/joined_runs.hpp"

#include <algorithm>

#include "cpu/plan/lines.hpp"
#include "cpu/plan/runs.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

int find_level(const move_problem &p, bool of_src, dim_t stride) {
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        if (l.is_regular() && is_exact(p, l) && l.extent > 1 && stride_of(l, of_src) == stride)
            return int(i);
    }
    return -1;
}

// Elements that a tile takes of the joined run.
dim_t tile_elems(int elem_bytes) {
    return std::min(tuning::max_joined_tile_elems, tuning::line_bytes / elem_bytes);
}

bool is_worth_joining(dim_t n, int elem_bytes, bool of_src) {
    if (is_pow2(n) || n > tuning::max_phases) return false;
    if (elem_bytes > 1) return !of_src;
    return n % 4 != 0
            && n >= (of_src ? tuning::min_joined_src_bytes : tuning::min_joined_dst_bytes);
}

// Whether the run of that side has level `index` and is hardly anything before it.
bool cuts_run(const move_problem &p, bool of_src, int index) {
    const bit_list run = contiguous_run(p, of_src, 0);
    const bool has_level = std::any_of(
            run.begin(), run.end(), [&](const level_bit &b) { return b.level == index; });
    return has_level && stride_of(p.levels[size_t(index)], of_src) < tuning::min_cut_run_bytes;
}

// Whether what is read of a run of the source is stored to so many rows that share a set of L1, in
// pieces of less than a line, that the lines are gone before they are complete. u8 cba -> abc
// 13x4096x20 7.0 times memcpy, AVX2 12.0, through a scratch 2.8 and 3.4; with pieces of 77 bytes
// 14x4096x77 2.0 / 2.4, AVX2 2.7 / 4.2. Apart, abcd -> BcdA16a64b4a 512x512x3x3 AVX2 18 / 3.2.
bool scatters_rows(const move_problem &p, const level &inner) {
    const int along_dst = find_level(p, false, p.elem_bytes);
    return along_dst >= 0 && p.levels[size_t(along_dst)].extent * p.elem_bytes < tuning::line_bytes
            && rows_in_l1_set(inner.dst_stride, inner.extent) > tuning::max_rows_in_l1_set;
}

} // namespace

bool join_runs(const move_problem &p, bool of_src, move_problem *joined) {
    if (p.converts) return false;
    const int inner_index = find_level(p, of_src, p.elem_bytes);
    if (inner_index < 0) return false;
    const level inner = p.levels[size_t(inner_index)];
    const dim_t n = inner.extent, m = tile_elems(p.elem_bytes) / (n & -n);
    if (!is_worth_joining(n, p.elem_bytes, of_src) || m < 2
            || stride_of(inner, !of_src) == p.elem_bytes)
        return false;
    if (of_src && scatters_rows(p, inner)) return false;
    const int outer_index = find_level(p, of_src, p.elem_bytes * n);
    if (outer_index < 0) return false;
    const level outer = p.levels[size_t(outer_index)];
    if (outer.extent % m != 0 || stride_of(outer, !of_src) == p.elem_bytes) return false;
    if (cuts_run(p, !of_src, outer_index)) return false;

    *joined = p;
    const int dim = int(p.limits.size());
    joined->limits.push_back({n * outer.extent, n * outer.extent});
    joined->limits[size_t(inner.dim)] = joined->limits[size_t(outer.dim)] = {1, 1};
    const std::vector<digit> straight {{n * m, p.elem_bytes}};
    const std::vector<digit> turning {
            {n, stride_of(inner, !of_src)}, {m, stride_of(outer, !of_src)}};
    level run {dim, n * m, 1, 0, 0, of_src ? straight : turning, of_src ? turning : straight};
    level rest = in_groups(outer, m);
    rest.dim = dim;
    rest.unit = n * m;
    joined->levels[size_t(inner_index)] = run;
    joined->levels[size_t(outer_index)] = rest;
    if (rest.extent == 1) joined->levels.erase(joined->levels.begin() + outer_index);
    return true;
}

} // namespace tfmt::cpu
