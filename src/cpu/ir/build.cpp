// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "common/checked.hpp"
#include "cpu/ir/build_block.hpp"
#include "cpu/ir/build_lanes.hpp"
#include "cpu/ir/ir.hpp"
#include "cpu/ir/order_stores.hpp"
#include "cpu/ir/widen.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

// `count` steps of `l` from step `first` on.
nest_node steps_of(const level &l, dim_t dst_stride, dim_t first, dim_t count) {
    nest_node node;
    node.src_offset_bytes = wrapping_mul(first, l.src_stride);
    node.dst_offset_bytes = first * dst_stride;
    node.param_offset_bytes = first * l.param_stride_bytes;
    node.count = count;
    node.src_step_bytes = l.src_stride;
    node.dst_step_bytes = dst_stride;
    node.param_step_bytes = l.param_stride_bytes;
    return node;
}

// The loops around the blocks, and the steps between them and a scratch.
class nest_builder {
public:
    nest_builder(const plan &p, kernel &k) : p_(p), k_(k) {}

    void add_all(const nest_state &state) {
        const size_t depth = size_t(p_.n_driver_levels);
        if (!p_.has_shared_root()) {
            add_levels(k_.root, depth, state);
            return;
        }
        const level &root = p_.problem.levels[depth];
        const segment_list segments = root_segments(p_, state);
        k_.src_step_bytes = root.src_stride;
        k_.dst_step_bytes = root.dst_stride;
        k_.param_step_bytes = root.param_stride_bytes;
        if (p_.scratch) {
            add_chain(state);
            return;
        }
        add_levels(k_.root, depth + 1, enter(state, root.dim, segments[0]));
        const dim_t reached = segments[0].first + segments[0].count;
        for (size_t i = 1; i < segments.size(); i++)
            add_part(k_.rest, depth, enter(state, root.dim, segments[i]), segments[i], reached);
    }

    bool has_merged_steps() const { return n_merged_ops_ > 0; }

private:
    // The steps of segment `s`, with `below` inside them.
    void add_part(std::vector<nest_node> &nodes, size_t depth, const nest_state &below,
            const segment &s, dim_t from_step) {
        const level &l = p_.problem.levels[depth];
        nest_node node = steps_of(l, dst_stride_at(depth), s.first - from_step, s.count);
        if (p_.the_tile.phased_index(l) >= 0) {
            node.src_offset_bytes = src_offset_of(l, s.first);
            node.dst_offset_bytes = dst_offset_of(l, s.first);
        }
        add_levels(node.children, depth + 1, below);
        if (!node.children.empty()) nodes.push_back(std::move(node));
    }

    void add_levels(std::vector<nest_node> &nodes, size_t depth, const nest_state &state) {
        if (!has_work(p_, state)) return;
        if (p_.page_ahead_bytes > 0 && !state.in_padding && depth == first_in_block()) {
            nest_node page;
            page.step = nest_step::fetch_page;
            page.src_offset_bytes = p_.page_ahead_bytes;
            nodes.push_back(page);
        }
        if (k_.scratch_bytes > 0 && depth == p_.first_of_block())
            add_staged_block(nodes, state, false);
        else
            add_inside(nodes, depth, state);
    }

    // Of the kernel's levels inside its outermost one, or all if that is not shared.
    size_t first_in_block() const {
        return std::max(p_.first_of_block(), size_t(p_.n_driver_levels) + p_.has_shared_root());
    }

    // Blocks side by side in the destination: the steps of the kernel's outermost level. They are
    // chained if each continues the runs of the one before, which tails may prevent.
    void add_chain(const nest_state &state) {
        const level &l = p_.problem.levels[size_t(p_.n_driver_levels)];
        const segment_list segments = root_segments(p_, state);
        const bool is_chained = p_.scratch.lanes // whose blocks are whole
                || steps_continue_runs(l, state, segments);
        const dim_t n_root = segments[0].count;
        add_staged_block(k_.root, enter(state, l.dim, segments[0]), is_chained);
        if (is_chained) k_.chain = {k_.root.back().drain, p_.scratch.next_chain_bytes};
        for (size_t i = 1; i < segments.size(); i++) {
            const segment &s = segments[i];
            const bool has_last = is_chained && i + 1 == segments.size();
            if (s.count > has_last)
                k_.rest.push_back(
                        chain_part(l, state, s, s.first - n_root, s.count - has_last, is_chained));
            if (has_last)
                add_end_of_chain(chain_part(l, state, s, s.first + s.count - 1 - n_root, 1, true));
        }
    }

    using run_list = std::vector<scratch_runs>;

    dim_t dst_stride_at(size_t depth) const {
        if (k_.scratch_bytes == 0 || depth < p_.first_of_block())
            return p_.problem.levels[depth].dst_stride;
        return p_.scratch.level_strides[depth - p_.first_of_block()];
    }

    void add_end_of_chain(nest_node block) {
        nest_node near_end, end;
        near_end.step = nest_step::near_end;
        end.step = nest_step::end_rows;
        for (nest_node *mark : {&near_end, &end}) {
            mark->dst_offset_bytes = block.dst_offset_bytes;
            mark->drain = block.children.back().drain;
        }
        k_.rest.push_back(std::move(near_end));
        k_.rest.push_back(std::move(block));
        k_.rest.push_back(std::move(end));
    }

    // `count` blocks of a chain from step `first` on, in segment `s`.
    nest_node chain_part(const level &l, const nest_state &state, const segment &s, dim_t first,
            dim_t count, bool is_chained) {
        nest_node node = steps_of(l, l.dst_stride, first, count);
        add_staged_block(node.children, enter(state, l.dim, s), is_chained);
        return node;
    }

    // Whether the runs of each step go on in the next. Of the first segment in any case: its steps
    // may be more in another state that the kernel serves.
    bool steps_continue_runs(
            const level &l, const nest_state &state, const segment_list &segments) const {
        run_list first;
        for (const segment &s : segments) {
            run_list runs;
            add_runs(runs, 0, {0, 0, 0}, enter(state, l.dim, s));
            const bool is_last = &s == &segments.back() && s.first > 0 && s.count == 1;
            if (first.empty()) first = runs;
            if (runs.size() != first.size() || first[0].bytes < tuning::min_chain_run_bytes)
                return false;
            for (size_t i = 0; i < runs.size(); i++)
                if (!lie_alike(runs[i], first[i]) || (!is_last && runs[i].bytes != l.dst_stride))
                    return false;
        }
        return !segments.empty();
    }

    void add_staged_block(std::vector<nest_node> &nodes, const nest_state &state, bool is_chained) {
        nest_node fill, empty;
        fill.step = nest_step::fill;
        fill.dst_offset_bytes = tuning::line_bytes;
        add_inside(fill.children, p_.first_of_block(), state);
        nodes.push_back(std::move(fill));
        if (p_.scratch.lanes && !k_.is_streaming) {
            nodes.push_back(drain_of_lanes(p_.scratch.lanes, k_));
            return;
        }
        empty.step = nest_step::drain;
        empty.drain = int(k_.drains.size());
        k_.drains.push_back({is_chained, {}});
        run_list &runs = k_.drains.back().runs;
        if (p_.scratch.lanes) {
            k_.piece_step_bytes = k_.vector_bytes;
            runs = runs_of_lanes(p_.scratch.lanes);
        } else
            add_runs(runs, 0, {tuning::line_bytes, 0, 0}, state);
        nodes.push_back(std::move(empty));
    }

    // Bytes in one piece, in the scratch and in the destination, that the levels of the drain from
    // `depth` on cover in `state`; 0 if there is a gap.
    dim_t one_run(size_t depth, const nest_state &state) const {
        if (depth == p_.scratch.drain_levels.size()) return p_.the_tile.dst_elem_bits / 8;
        const level &l = p_.scratch.drain_levels[depth];
        dim_t reached = 0;
        for (const segment &s : split(l.unit, state.limits[l.dim], state.in_padding)) {
            const dim_t run = one_run(depth + 1, enter(state, l.dim, s));
            const bool has_more = s.first + s.count > 1;
            if (run == 0 || reached != s.first * l.dst_stride) return 0;
            if (has_more && l.src_stride != l.dst_stride) return 0;
            if (s.count > 1 && run != l.dst_stride) return 0;
            reached = (s.first + s.count - 1) * l.dst_stride + run;
        }
        return reached;
    }

    // Whether the steps of `l` go on with the runs at equal steps.
    static bool repeats(const scratch_runs &r, const level &l) {
        return r.count == 1
                || (l.src_stride == r.count * r.scratch_step_bytes
                        && l.dst_stride == r.count * r.dst_step_bytes);
    }

    void add_runs(
            run_list &runs, size_t depth, const scratch_runs &at, const nest_state &state) const {
        if (const dim_t bytes = one_run(depth, state)) {
            runs.push_back({at.scratch_offset_bytes, at.dst_offset_bytes, bytes});
            return;
        }
        const level &l = p_.scratch.drain_levels[depth];
        const auto moved = [&](const scratch_runs &r, dim_t n_steps) {
            scratch_runs there = r;
            there.scratch_offset_bytes += n_steps * l.src_stride;
            there.dst_offset_bytes += n_steps * l.dst_stride;
            return there;
        };
        for (const segment &s : split(l.unit, state.limits[l.dim], state.in_padding)) {
            const size_t begin = runs.size();
            add_runs(runs, depth + 1, moved(at, s.first), enter(state, l.dim, s));
            const size_t n = runs.size() - begin; // of the first step, to be repeated
            if (n == 1 && repeats(runs[begin], l)) {
                if (runs[begin].count == 1) {
                    runs[begin].scratch_step_bytes = l.src_stride;
                    runs[begin].dst_step_bytes = l.dst_stride;
                }
                runs[begin].count *= s.count;
                continue;
            }
            runs.reserve(begin + n * size_t(s.count));
            for (dim_t step = 1; step < s.count; step++)
                for (size_t i = 0; i < n; i++)
                    runs.push_back(moved(runs[begin + i], step));
        }
    }

    // A step of the innermost level: a block at these offsets.
    struct block_copy {
        int block;
        int64_t src_offset_bytes, dst_offset_bytes;

        bool operator<(const block_copy &o) const {
            return std::tie(block, src_offset_bytes, dst_offset_bytes)
                    < std::tie(o.block, o.src_offset_bytes, o.dst_offset_bytes);
        }
    };

    // The steps of these loops around blocks, one after the other; none if they are something else,
    // or too many.
    static std::vector<block_copy> copies_of(const std::vector<nest_node> &loops) {
        std::vector<block_copy> copies;
        for (const nest_node &n : loops) {
            if (n.children.size() != 1 || n.children[0].block < 0
                    || n.count > tuning::max_merged_steps - dim_t(copies.size()))
                return {};
            for (dim_t step = 0; step < n.count; step++)
                copies.push_back({n.children[0].block,
                        wrapping_add(n.src_offset_bytes, wrapping_mul(step, n.src_step_bytes)),
                        n.dst_offset_bytes + step * n.dst_step_bytes});
        }
        return copies;
    }

    // The block of all steps of the innermost level, which have `n_ops` operations; -1 if stores of
    // one are to reach into what the next ones store (rows of 9 bytes one behind the other) and
    // none does, or if the kernel has no room for it.
    int merged_block(
            const std::vector<block_copy> &copies, size_t n_ops, bool may_widen, bool must_widen) {
        const auto found = merged_.find(copies);
        if (found != merged_.end()) return found->second;
        if (n_merged_ops_ + n_ops > tuning::max_merged_ops_of_kernel) return -1;
        block merged;
        int n_values = 0;
        for (const block_copy &c : copies) {
            int n_of_copy = 0;
            for (op o : k_.blocks[size_t(c.block)]) {
                for (int *v : {&o.out, &o.a, &o.b}) {
                    if (*v < 0) continue;
                    n_of_copy = std::max(n_of_copy, *v + 1);
                    *v += n_values;
                }
                const int64_t offset = o.kind == op_kind::store ? c.dst_offset_bytes
                                                                : c.src_offset_bytes;
                for (chunk &piece : o.chunks)
                    piece.offset_bytes += offset;
                merged.push_back(std::move(o));
            }
            n_values += n_of_copy;
        }
        const int n_gathered = gather_if_allowed(p_, merged, n_values, k_);
        n_values = std::max(n_values, n_gathered);
        const bool is_wider = may_widen && widen_stores_in_order(merged, max_widened_bytes(p_));
        if (must_widen && !is_wider && n_gathered == 0) return merged_[copies] = -1;
        k_.n_values = std::max(k_.n_values, n_values);
        k_.blocks.push_back(std::move(merged));
        n_merged_ops_ += n_ops;
        return merged_[copies] = int(k_.blocks.size()) - 1;
    }

    // In place of loops around blocks one block, where it gains.
    void merge_steps(std::vector<nest_node> &loops, const level &innermost) {
        if (k_.scratch_bytes > 0 || p_.problem.converts) return;
        const bool may_widen = innermost.dst_stride < p_.the_tile.vector_bytes
                && max_widened_bytes(p_) > 0;
        const size_t max_unrolled_ops = p_.target.n_vector_regs >= 32
                ? tuning::max_unrolled_ops_of_32_regs
                : tuning::max_unrolled_ops;
        const std::vector<block_copy> copies = copies_of(loops);
        if (copies.size() < 2) return;
        size_t n_ops = 0;
        for (const block_copy &c : copies)
            n_ops += k_.blocks[size_t(c.block)].size();
        const bool is_unrolled = n_ops <= max_unrolled_ops;
        if ((!is_unrolled && !may_widen) || n_ops > tuning::max_merged_ops) return;
        const int merged = merged_block(copies, n_ops, may_widen, !is_unrolled);
        if (merged < 0) return;
        nest_node node;
        node.block = merged;
        loops.assign(1, node);
    }

    void add_inside(std::vector<nest_node> &nodes, size_t depth, const nest_state &state) {
        if (depth == p_.problem.levels.size()) {
            nest_node node;
            node.block = block_for(state);
            if (node.block >= 0) nodes.push_back(node);
            return;
        }
        for_each_part(p_.the_tile, p_.problem.levels[depth], state,
                [&](const segment &s, const nest_state &below) {
                    add_part(nodes, depth, below, s, 0);
                });
        if (depth + 1 == p_.problem.levels.size()) merge_steps(nodes, p_.problem.levels[depth]);
    }

    // What the tile has to do depends on this of a state.
    using block_key = inline_vector<dim_t, 24>;

    // (Kernels of a plan have blocks in common where tails are the driver's. To copy these, and
    // build them once, took 0.94 of the time to make a reorder of four kernels, 0.98 of others
    // beyond 50 us.)
    int block_for(const nest_state &state) {
        block_key key {state.in_padding};
        for (dim_t phase : state.phases)
            key.push_back(phase);
        for (const dim_limits &l : state.limits) {
            key.push_back(state.in_padding ? 0 : l.load); // nothing is read there
            key.push_back(l.store - l.begin);             // less than `load` where it begins late
        }
        const auto found = blocks_.find(key);
        if (found != blocks_.end()) return found->second;
        block ops = build_block(p_, state, k_);
        int index = -1;
        if (!ops.empty()) {
            index = int(k_.blocks.size());
            k_.blocks.push_back(std::move(ops));
        }
        return blocks_[key] = index;
    }

    const plan &p_;
    kernel &k_;
    std::map<block_key, int> blocks_;
    std::map<std::vector<block_copy>, int> merged_;
    size_t n_merged_ops_ = 0;
};

template <typename F>
void for_each_block(std::vector<nest_node> &nodes, F &&f) {
    for (nest_node &n : nodes) {
        if (n.block >= 0) f(n.block);
        for_each_block(n.children, f);
    }
}

// Those of which all steps were merged.
void drop_unused_blocks(kernel &k) {
    const auto for_each_used = [&](auto &&f) {
        for_each_block(k.root, f);
        for_each_block(k.rest, f);
    };
    std::vector<int> numbers(k.blocks.size(), -1);
    for_each_used([&](int block) { numbers[size_t(block)] = 0; });
    std::vector<block> used;
    for (size_t i = 0; i < k.blocks.size(); i++) {
        if (numbers[i] < 0) continue;
        numbers[i] = int(used.size());
        used.push_back(std::move(k.blocks[i]));
    }
    k.blocks = std::move(used);
    for_each_used([&](int &block) { block = numbers[size_t(block)]; });
}

} // namespace

int constant_of(kernel &k, const byte_indices &indices) {
    const auto it = std::find(k.constants.begin(), k.constants.end(), indices);
    if (it != k.constants.end()) return int(it - k.constants.begin());
    k.constants.push_back(indices);
    return int(k.constants.size()) - 1;
}

int count_live(const block &ops, int n_values) {
    std::vector<int> last_use(size_t(n_values), -1);
    for (size_t i = 0; i < ops.size(); i++)
        for (int v : {ops[i].a, ops[i].b})
            if (v >= 0) last_use[size_t(v)] = int(i);
    int n = 0, most = 0;
    for (size_t i = 0; i < ops.size(); i++) {
        const op &o = ops[i];
        n += o.out >= 0;
        most = std::max(most, n); // before what dies is given back
        n -= o.a >= 0 && last_use[size_t(o.a)] == int(i);
        n -= o.b >= 0 && o.b != o.a && last_use[size_t(o.b)] == int(i);
    }
    return most;
}

int64_t n_runs(const drain &d) {
    int64_t n = 0;
    for (const scratch_runs &r : d.runs)
        n += r.count;
    return n;
}

kernel build(const plan &p, const kernel_spec &spec) {
    kernel k;
    k.is_streaming = bypasses_caches(p.stores);
    k.claims_lines = p.claims_lines;
    k.claimed_ahead_bytes = p.claimed_ahead_bytes;
    if (p.scratch) {
        k.scratch_bytes = p.scratch.scratch_bytes + tuning::line_bytes;
        k.fetched_lines = p.scratch.lines;
        k.fetched_base_bytes = p.scratch.next_block_bytes;
    }
    k.vector_bytes = p.the_tile.vector_bytes;
    k.elem_bytes = p.the_tile.elem_bytes;
    k.converts = p.problem.converts;
    nest_builder nests(p, k);
    nests.add_all(spec.state);
    if (nests.has_merged_steps()) drop_unused_blocks(k);
    const int widening = p.problem.dst_elem_bits() / (8 * p.problem.elem_bytes);
    if (p.stores == store_path::streamed)
        for (block &b : k.blocks) {
            order_stores_by_lines(b);
            if (p.problem.dst_behind_line_bytes > 0) keep_lines_in_part(b, widening);
        }
    return k;
}

} // namespace tfmt::cpu::ir
