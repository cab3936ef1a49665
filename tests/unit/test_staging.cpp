// SPDX-License-Identifier: Apache-2.0
// The order of the loops around a tile and the scratch of a block, for random pairs of layouts on
// machines of every width: nothing is lost, nothing is done twice, nothing overlaps.
#include "cpu/plan/staging.hpp"

#include <algorithm>
#include <set>

#include "cpu/plan/loop_order.hpp"
#include "cpu/plan/tuning.hpp"
#include "support/check_reorder.hpp"
#include "support/random_desc.hpp"
#include "tests/unit/plan_helpers.hpp"

namespace {

using namespace plan_test;
using tfmt::dim_limits;
using tfmt::cpu::loop_order;
using tfmt::cpu::memory_pattern;
using tfmt::cpu::staging;
using tfmt::cpu::store_path;
using tfmt::cpu::tile;
using tfmt::cpu::tile_bit;
namespace tuning = tfmt::cpu::tuning;

// A move between random layouts; nothing is allocated, so tensors may be of any size.
struct random_move {
    move_problem move;
    std::string text;

    explicit random_move(uint64_t seed) {
        tfmt_test::random_source random(seed);
        const tfmt_data_type_t types[] = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};
        const tfmt_data_type_t type = types[seed % 4];
        tfmt_test::dims dims = tfmt_test::random_dims(random, 1 << (10 + seed % 16), false);
        if (seed % 5 == 0) // one is far beyond all blocks
            dims[size_t(random.below(int64_t(dims.size())))] *= random.between(500, 3000);
        const int64_t max_bytes = int64_t(1) << 45;
        const auto src = make_random_desc(random, dims, type, tfmt_test::role::src, max_bytes);
        const auto dst = make_random_desc(random, dims, type, tfmt_test::role::dst, max_bytes);
        text = src.recipe + "\n  -> " + dst.recipe;
        move = normalized(*src.md, *dst.md);
    }
};

// What the tile leaves of each level.
std::vector<level> around_tile(const move_problem &p, const tile &t) {
    std::vector<level> levels;
    for (size_t i = 0; i < p.levels.size(); i++) {
        level l = p.levels[i];
        for (int bit = 0; bit < t.bits_of_level[i]; bit++) {
            l.extent = (l.extent + 1) / 2;
            l.unit *= 2;
            l.src_stride *= 2;
            l.dst_stride *= 2;
            l.digit_steps *= 2;
        }
        if (l.extent > 1) levels.push_back(l);
    }
    return levels;
}

bool is_part_of(const level &l, const level &whole) {
    return l.dim == whole.dim && l.unit >= whole.unit && l.unit < whole.unit * whole.extent;
}

// "" if tile and levels together step through each index of each level of the problem once.
std::string misses(const move_problem &p, const tile &t, const std::vector<level> &levels) {
    std::vector<level> left = levels;
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &whole = p.levels[i];
        dim_t covered = dim_t(1) << t.bits_of_level[i];
        dim_t outermost = covered >> 1; // steps of `whole` that one of the outermost part covers
        for (;;) {
            const auto next = std::find_if(left.begin(), left.end(), [&](const level &l) {
                return l.dim == whole.dim && l.unit == whole.unit * covered;
            });
            if (next == left.end() || covered >= whole.extent) break;
            if (next->src_stride != whole.src_stride * covered
                    || next->dst_stride != whole.dst_stride * covered)
                return "stride of " + plan_test::text_of(*next);
            if (next->is_regular() != whole.is_regular()) return "digits are gone";
            const bool may_be_cut = whole.is_regular()
                    || (outermost == covered >> 1 && (covered == 1 || t.phased_index(whole) >= 0));
            if (!may_be_cut) return "an irregular level was cut";
            if (!whole.is_regular() && next->digit_steps != covered) return "steps of digits";
            if (!whole.is_regular() && next->extent != tfmt::ceil_div(whole.extent, covered))
                return "phases are missing";
            if (next->extent < 2) return "a loop of one step";
            outermost = covered;
            covered *= next->extent;
            left.erase(next);
        }
        if (covered < whole.extent) return "steps of " + plan_test::text_of(whole) + " are missing";
        if (outermost >= whole.extent) return "more than " + plan_test::text_of(whole) + " needs";
    }
    return left.empty() ? "" : "left over: " + plan_test::text_of(left[0]);
}

std::string text_of(const std::vector<level> &levels) {
    std::string text;
    for (const level &l : levels)
        text += "  axis " + std::to_string(l.dim) + ": " + plan_test::text_of(l) + "\n";
    return text;
}

// Irregular levels, but for phases, and what is outside of them in their dimension are the
// driver's.
bool is_drivers(const std::vector<level> &levels, const tile &t, const level &l) {
    return std::any_of(levels.begin(), levels.end(), [&](const level &other) {
        return !other.is_regular() && t.phased_index(other) < 0 && other.dim == l.dim
                && other.unit <= l.unit;
    });
}

std::string misordered(
        const loop_order &order, const tile &t, const tfmt::limit_list &limits, store_path stores) {
    const std::vector<level> &levels = order.levels;
    const auto bytes_behind = [&](size_t i) {
        dim_t bytes = tile_bytes(t);
        for (size_t k = i + 1; k < levels.size(); k++)
            bytes *= levels[k].extent;
        return bytes;
    };
    for (size_t i = 0; i < levels.size(); i++)
        for (size_t j = i + 1; j < levels.size(); j++) {
            if (levels[i].dim == levels[j].dim && levels[i].unit <= levels[j].unit)
                return "an inner level outside of an outer one";
            if (!is_drivers(levels, t, levels[i]) && is_drivers(levels, t, levels[j])
                    && (uses_scratch(stores) || bytes_behind(j) < tuning::min_sunk_call_bytes))
                return "a level of the driver that leaves a call too little";
        }
    if (order.n_block_levels < 0 || size_t(order.n_block_levels) > levels.size())
        return "a block of " + std::to_string(order.n_block_levels) + " levels";
    for (size_t i = levels.size() - size_t(order.n_block_levels); i < levels.size(); i++)
        if (is_drivers(levels, t, levels[i])) return "a level of the driver in a block";
    // Steps of padding are no next block.
    const auto read = std::find_if(levels.rbegin() + order.n_block_levels, levels.rend(),
            [&](const level &l) { return limits[size_t(l.dim)].load > l.unit; });
    const dim_t next = read != levels.rend() && read->is_regular() ? read->src_stride : 0;
    if (order.next_block_bytes != next) return "the next block is at " + std::to_string(next);
    return "";
}

struct {
    memory_pattern pattern;
    store_path stores;
} const ways[] = {{memory_pattern::in_l2, store_path::plain},
        {memory_pattern::beyond_l2, store_path::plain},
        {memory_pattern::streamed, store_path::streamed},
        {memory_pattern::streamed_near, store_path::streamed},
        {memory_pattern::staged, store_path::staged},
        {memory_pattern::staged_near, store_path::staged},
        {memory_pattern::collected, store_path::collected}};

TEST(LoopOrder, EveryPatternStepsThroughEveryIndexOnce) {
    int n_with_blocks = 0, n_cut = 0, n_of_pieces = 0;
    for (uint64_t seed = 0; seed < uint64_t(tfmt_test::scaled(3000)); seed++) {
        const random_move r(seed);
        const machine &m = all_machines()[seed % 4];
        for (const auto &way : ways) {
            const tile t = tfmt::cpu::choose_tile(r.move, m, way.stores);
            const std::vector<level> levels = around_tile(r.move, t);
            ASSERT_EQ(misses(r.move, t, levels), ""); // of the tile alone
            machine rules;
            rules.piece_block_bytes = seed % 2 ? 512 : 0;
            const loop_order order = tfmt::cpu::order_levels(
                    levels, r.move.limits, t, way.pattern, rules);
            n_of_pieces += order.reads_pieces_on;
            std::string wrong = misses(r.move, t, order.levels);
            if (wrong.empty()) wrong = misordered(order, t, r.move.limits, way.stores);
            ASSERT_EQ(wrong, "") << "seed " << seed << ", pattern " << int(way.pattern) << ": "
                                 << r.text << "\n"
                                 << to_text(r.move) << to_text(t) << text_of(order.levels);
            n_with_blocks += order.n_block_levels > 0;
            n_cut += order.levels.size() > levels.size();
        }
    }
    EXPECT_GT(n_with_blocks, 0);
    EXPECT_GT(n_cut, 0);
    EXPECT_GT(n_of_pieces, 0);
}

// ---------------------------------------------------------------- the scratch of a block

// An element of a block: its places relative to the first one's.
struct place {
    dim_t scratch, src, dst;
};

// Whether all indices lie within the limits of the first block.
bool is_stored(const move_problem &p, const std::vector<dim_t> &index) {
    for (size_t d = 0; d < index.size(); d++)
        if (index[d] >= p.limits[d].store) return false;
    return true;
}

// Every combination of the bits of the tile and the steps of the block that is an element of the
// tensor, of which the block is the first.
class block_elements {
public:
    block_elements(const move_problem &p, const tile &t, const loop_order &order, const staging &s)
        : p_(p),
          t_(t),
          s_(s),
          levels_(order.levels.end() - order.n_block_levels, order.levels.end()),
          steps_(p.levels.size(), 0) {
        walk_levels(0, {0, 0, 0});
    }

    std::vector<place> places;
    std::vector<place> with_tails; // and those beyond limits
    std::vector<place> fetched;    // less steps of which nothing is data, whose lines are fetched

private:
    size_t whole_of(const level &l) const {
        for (size_t i = 0; i < p_.levels.size(); i++)
            if (is_part_of(l, p_.levels[i])) return i;
        ADD_FAILURE() << "part of no level: " << plan_test::text_of(l);
        return 0;
    }

    void walk_levels(size_t depth, const place &at) {
        if (depth == levels_.size()) return walk_bits(0, at);
        const level &l = levels_[depth];
        const size_t whole = whole_of(l);
        const dim_t weight = l.unit / p_.levels[whole].unit;
        for (dim_t i = 0; i < l.extent; i++) {
            steps_[whole] += i * weight;
            walk_levels(depth + 1,
                    {at.scratch + i * s_.level_strides[depth], at.src + i * l.src_stride,
                            at.dst + i * l.dst_stride});
            steps_[whole] -= i * weight;
        }
    }

    void walk_bits(size_t index, const place &at) {
        if (index == t_.bits.size()) {
            add(at);
            return;
        }
        walk_bits(index + 1, at);
        const tile_bit &b = t_.bits[index];
        if (b.level < 0) return; // fillers are never 1
        const dim_t weight = b.weight / p_.levels[size_t(b.level)].unit;
        steps_[size_t(b.level)] += weight;
        walk_bits(index + 1,
                {at.scratch + s_.bit_strides[index], at.src + b.src_stride_bytes,
                        at.dst + b.dst_stride_bytes});
        steps_[size_t(b.level)] -= weight;
    }

    void add(const place &at) {
        std::vector<dim_t> index(p_.limits.size(), 0);
        for (size_t i = 0; i < steps_.size(); i++) {
            if (steps_[i] >= p_.levels[i].extent) return;
            index[size_t(p_.levels[i].dim)] += steps_[i] * p_.levels[i].unit;
        }
        with_tails.push_back(at);
        bool has_data = true;
        for (size_t i = 0; i < steps_.size(); i++) {
            const level &l = p_.levels[i];
            has_data = has_data && steps_[i] * l.unit < p_.limits[size_t(l.dim)].load;
        }
        if (has_data) fetched.push_back(at);
        if (is_stored(p_, index)) places.push_back(at);
    }

    const move_problem &p_;
    const tile &t_;
    const staging &s_;
    const std::vector<level> levels_;
    std::vector<dim_t> steps_; // of each level of the problem
};

void walk_drain(const move_problem &p, const staging &s, size_t depth, place at,
        std::vector<dim_t> &index, std::vector<place> &places) {
    if (depth == s.drain_levels.size()) {
        if (is_stored(p, index)) places.push_back(at);
        return;
    }
    const level &l = s.drain_levels[depth];
    for (dim_t i = 0; i < l.extent; i++) {
        index[size_t(l.dim)] += i * l.unit;
        walk_drain(p, s, depth + 1, {at.scratch + i * l.src_stride, 0, at.dst + i * l.dst_stride},
                index, places);
        index[size_t(l.dim)] -= i * l.unit;
    }
}

bool by_scratch(const place &a, const place &b) { return a.scratch < b.scratch; }

// "" if each element has bytes of its own, behind a free line before each piece of the scratch.
std::string overlaps(const std::vector<place> &sorted, const staging &s, dim_t elem_bytes) {
    dim_t end = -tuning::line_bytes; // the caller's scratch has a line more, before the first
    for (const place &at : sorted) {
        const bool begins_run = at.scratch != end;
        if (at.scratch < end) return "two elements at " + std::to_string(at.scratch);
        if (begins_run && at.scratch < end + tuning::line_bytes)
            return "no line before " + std::to_string(at.scratch);
        if (begins_run && at.scratch % tuning::line_bytes != 0)
            return "no line begins at " + std::to_string(at.scratch);
        end = at.scratch + elem_bytes;
    }
    if (end > s.scratch_bytes) return "an element behind the scratch";
    return s.scratch_bytes > tuning::max_scratch_bytes + tuning::line_bytes ? "too large" : "";
}

// "" if the drain takes exactly the elements of the block to where they belong.
std::string drains_wrong(
        const move_problem &p, const std::vector<place> &sorted, const staging &s) {
    std::vector<place> drained;
    std::vector<dim_t> index(p.limits.size(), 0);
    walk_drain(p, s, 0, {0, 0, 0}, index, drained);
    std::sort(drained.begin(), drained.end(), by_scratch);
    if (drained.size() != sorted.size())
        return std::to_string(drained.size()) + " elements drained of "
                + std::to_string(sorted.size());
    for (size_t i = 0; i < sorted.size(); i++)
        if (drained[i].scratch != sorted[i].scratch || drained[i].dst != sorted[i].dst)
            return "an element at " + std::to_string(sorted[i].scratch);
    return "";
}

// "" if each byte that the block reads lies in a line of the list, which holds none twice.
std::string fetches_wrong(const std::vector<place> &places, const staging &s, dim_t elem_bytes) {
    std::vector<dim_t> lines;
    for (const tfmt::cpu::line_rows &r : s.lines)
        for (dim_t row = 0; row < r.n_rows; row++)
            for (dim_t i = 0; i < r.n_lines; i++)
                lines.push_back(r.offset_bytes + row * r.step_bytes + i * tuning::line_bytes);
    if (dim_t(lines.size()) != count_lines(s.lines)) return "lines miscounted";
    if (!std::is_sorted(lines.begin(), lines.end())
            || std::adjacent_find(lines.begin(), lines.end()) != lines.end())
        return "a line twice";
    if (lines.empty()) { // none are listed where they are too many
        std::set<dim_t> read;
        for (const place &at : places)
            read.insert(at.src / tuning::line_bytes);
        return int(read.size()) > tuning::max_fetched_lines / 2 ? "" : "no line";
    }
    dim_t last = 0;
    for (const place &at : places)
        for (dim_t byte : {at.src, at.src + elem_bytes - 1}) {
            last = std::max(last, byte);
            if (!std::binary_search(
                        lines.begin(), lines.end(), byte / tuning::line_bytes * tuning::line_bytes))
                return "byte " + std::to_string(byte) + " of the source";
        }
    return lines.empty() || lines[0] < 0 || lines.back() > last ? "a line beyond the block" : "";
}

// Bytes in one piece from the first element on, in scratch and destination alike.
dim_t first_run_bytes(const std::vector<place> &sorted, dim_t elem_bytes) {
    dim_t bytes = 0;
    for (const place &at : sorted) {
        if (at.scratch != bytes || at.dst != bytes) break;
        bytes += elem_bytes;
    }
    return bytes;
}

TEST(Staging, EveryElementOfABlockHasAPlaceAndIsDrained) {
    int n_staged = 0, n_chained = 0, n_packed = 0, n_of_pieces = 0;
    const int n_cases = tfmt_test::scaled(1500);
    for (uint64_t seed = 0; seed < uint64_t(n_cases); seed++) {
        const random_move r(seed);
        const machine &m = all_machines()[seed % 4];
        const tile t = tfmt::cpu::choose_tile(r.move, m, store_path::staged);
        if (t.vector_bytes < 16) continue;
        machine rules;
        rules.piece_block_bytes = seed % 2 ? 512 : 0;
        const loop_order order = tfmt::cpu::order_levels(
                around_tile(r.move, t), r.move.limits, t, memory_pattern::staged, rules);
        const staging s = tfmt::cpu::make_staging(r.move, t, order, store_path::staged);
        if (!s) continue;
        const block_elements block(r.move, t, order, s);
        std::vector<place> places = block.places;
        std::sort(places.begin(), places.end(), by_scratch);
        const dim_t elem_bytes = r.move.elem_bytes;
        // Steps beyond the limits have room of their own, or none at all.
        std::vector<place> with_tails = block.with_tails;
        std::sort(with_tails.begin(), with_tails.end(), by_scratch);
        std::string wrong = overlaps(with_tails, s, elem_bytes);
        if (!wrong.empty()) wrong = overlaps(places, s, elem_bytes);
        if (wrong.empty()) wrong = drains_wrong(r.move, places, s);
        if (wrong.empty()) wrong = fetches_wrong(block.fetched, s, elem_bytes);
        const size_t around = order.levels.size() - size_t(order.n_block_levels);
        if (s.is_chained
                && (around == 0
                        || order.levels[around - 1].dst_stride
                                != first_run_bytes(places, elem_bytes)))
            wrong = "chained to a block that is no neighbour";
        ASSERT_EQ(wrong, "") << "seed " << seed << ": " << r.text << "\n"
                             << to_text(r.move) << to_text(t) << text_of(order.levels) << "drain\n"
                             << text_of(s.drain_levels) << "block levels " << order.n_block_levels;
        n_staged++;
        n_chained += s.is_chained;
        n_of_pieces += order.reads_pieces_on;
        n_packed += is_src_packed(t, t.src_run) || is_dst_packed(t, t.dst_run);
    }
    EXPECT_GT(n_staged, 0);
    EXPECT_GT(n_chained, 0);
    EXPECT_GT(n_of_pieces, 0);
    // About one in a thousand: not to be expected of fewer cases.
    if (n_cases >= 1500) { EXPECT_GT(n_packed, 0); }
}

// f32, a tile of 16x16 of dimensions 0 (contiguous in dst) and 1 (contiguous in src).
struct transpose_block {
    move_problem p;
    tile t;
    loop_order order;

    // Blocks of `steps_a` x `steps_b` tiles.
    transpose_block(dim_t steps_a, dim_t steps_b) {
        const dim_t a = 100000, b = 200000;
        p = {4, 0, 0, {{a, a}, {b, b}}, {{0, a, 1, 4 * b, 4, {}, {}}, {1, b, 1, 4, 4 * a, {}, {}}}};
        t = tfmt::cpu::choose_tile(p, avx512(), store_path::staged);
        const level la {0, steps_a, 16, 64 * b, 64, {}, {}},
                lb {1, steps_b, 16, 64, 64 * a, {}, {}};
        level outer_a = la, outer_b = lb;
        outer_a.extent = (a / 16 + steps_a - 1) / steps_a;
        outer_b.extent = (b / 16 + steps_b - 1) / steps_b;
        for (level *l : {&outer_a, &outer_b}) {
            const dim_t steps = l == &outer_a ? steps_a : steps_b;
            l->unit *= steps;
            l->src_stride *= steps;
            l->dst_stride *= steps;
        }
        order = {{outer_b, outer_a, lb, la}, 2, outer_a.src_stride};
    }

    staging scratch() const { return tfmt::cpu::make_staging(p, t, order, store_path::staged); }
};

TEST(Staging, OfATranspose) {
    const staging s = transpose_block(4, 8).scratch();
    ASSERT_TRUE(s);
    EXPECT_EQ(s.scratch_bytes, 128 * (64 + 256)); // 128 rows of 64 elements, a line before each
    EXPECT_EQ(s.level_strides, (std::vector<dim_t> {16 * (64 + 256), 64}));
    EXPECT_TRUE(s.is_chained);
    EXPECT_EQ(s.next_block_bytes, dim_t(64) * 4 * 200000);
    EXPECT_EQ(s.next_chain_bytes, dim_t(128) * 4);
    EXPECT_EQ(count_lines(s.lines), 64 * 8); // 64 rows of 128 elements
    EXPECT_EQ(s.lines.size(), 1u);
}

// Rows of 4 lines: of L2s of 8 ways as many sets as bytes over 512.
TEST(Staging, CountsLinesInASetOfL2) {
    using tfmt::cpu::lines_in_l2_set;
    constexpr dim_t row_bytes = 128 << 10;
    const tfmt::cpu::line_list rows {{0, 16, row_bytes, 4}};
    EXPECT_EQ(lines_in_l2_set(rows, 1 << 20), 16);
    EXPECT_EQ(lines_in_l2_set(rows, 2 << 20), 8);
    EXPECT_EQ(lines_in_l2_set(rows, 1 << 10), 32); // two sets
    EXPECT_EQ(lines_in_l2_set({{0, 16, row_bytes + 256, 4}}, 1 << 20), 1);
    EXPECT_EQ(lines_in_l2_set({{0, 16, row_bytes + 256, 4}, {128, 1, 0, 1}}, 1 << 20), 2);
    EXPECT_EQ(lines_in_l2_set({}, 1 << 20), 0);
}

// Runs of 192 bytes and a line are not 256 bytes apart, where they would share sets of L1.
TEST(Staging, RowsDoNotCollide) {
    const staging s = transpose_block(3, 8).scratch();
    ASSERT_TRUE(s);
    EXPECT_EQ(s.scratch_bytes, 128 * (64 + 192 + 64));
    for (dim_t run_bytes = 1; run_bytes < 1000; run_bytes++) {
        const dim_t row_bytes = tfmt::cpu::scratch_row_bytes(run_bytes);
        EXPECT_NE(row_bytes % 256, 0) << run_bytes;
        EXPECT_EQ(row_bytes % 64, 0) << run_bytes;
        EXPECT_GE(row_bytes, run_bytes + 64) << run_bytes;
        EXPECT_LE(row_bytes, run_bytes + 3 * 64) << run_bytes;
    }
}

TEST(Staging, NoneOfBlocksThatDoNotFitOrAreNotWorthIt) {
    EXPECT_TRUE(transpose_block(12, 4).scratch());
    EXPECT_FALSE(transpose_block(64, 8).scratch()); // 128 rows of 4 KiB
    EXPECT_TRUE(transpose_block(4, 32).scratch());  // 512 rows of 320 bytes, 160 KiB
    EXPECT_FALSE(transpose_block(4, 33).scratch());
    // Runs of 32 bytes, one after the other in no place.
    move_problem short_runs {4, 0, 0, {{8, 8}, {500, 500}, {70, 70}},
            {{0, 8, 1, 4 * 500, 4, {}, {}}, {1, 500, 1, 4, 48, {}, {}},
                    {2, 70, 1, 16000, 24000, {}, {}}}};
    const tile t = tfmt::cpu::choose_tile(short_runs, avx512(), store_path::staged);
    const loop_order order = tfmt::cpu::order_levels(around_tile(short_runs, t), short_runs.limits,
            t, memory_pattern::staged, tfmt::cpu::machine());
    EXPECT_FALSE(tfmt::cpu::make_staging(short_runs, t, order, store_path::staged));
}

// Pixels of 255 channels in blocks of 8 lie in the scratch as in the destination: one run.
TEST(Staging, NoGapsBehindTails) {
    const move_problem p = plan_test::normalized({64, 255, 13, 13}, "aBcd8b", "acdb", tfmt_f32);
    const tile t = tfmt::cpu::choose_tile(p, avx512(), store_path::staged);
    const loop_order order = tfmt::cpu::order_levels(
            around_tile(p, t), p.limits, t, memory_pattern::staged, tfmt::cpu::machine());
    const staging s = tfmt::cpu::make_staging(p, t, order, store_path::staged);
    ASSERT_TRUE(s);
    EXPECT_EQ(s.scratch_bytes % (255 * 4), 0);
    for (const level &l : s.drain_levels)
        EXPECT_EQ(l.src_stride, l.dst_stride);
}

// Outer blocks of a dimension that lie nearer to each other than its inner elements: a drain would
// have to visit the dimension from inside to outside.
TEST(Staging, NoneOfDimensionsInsideOut) {
    move_problem p {4, 0, 0, {{256, 256}, {300, 300}},
            {{0, 16, 1, 4, 64, {}, {}}, {0, 16, 16, 64, 4, {}, {}},
                    {1, 300, 1, 1024, 1024, {}, {}}}};
    tile t {4, 64, {}, {0, 1, 2, 3}, {4, 5, 6, 7}, {4, 4, 0}, 32, 32};
    for (int bit = 0; bit < 4; bit++)
        t.bits.push_back({0, 0, dim_t(1) << bit, dim_t(4) << bit, dim_t(64) << bit});
    for (int bit = 0; bit < 4; bit++)
        t.bits.push_back({1, 0, dim_t(16) << bit, dim_t(64) << bit, dim_t(4) << bit});
    const loop_order order {
            {{1, 75, 4, 4096, 4096, {}, {}}, {1, 4, 1, 1024, 1024, {}, {}}}, 1, 4096};
    EXPECT_FALSE(tfmt::cpu::make_staging(p, t, order, store_path::staged));
    // The same with the outer blocks outside.
    std::swap(p.levels[0].dst_stride, p.levels[1].dst_stride);
    for (tile_bit &b : t.bits)
        b.dst_stride_bytes = b.src_stride_bytes;
    EXPECT_TRUE(tfmt::cpu::make_staging(p, t, order, store_path::staged));
}

} // namespace
