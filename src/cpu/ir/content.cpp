// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/content.hpp"

#include <algorithm>
#include <cstring>

// Each structure is taken apart by a structured binding, which names every member: a member that is
// added to the IR and forgotten here does not compile, instead of being left out of the comparison.
namespace tfmt::cpu::ir {

namespace {

constexpr uint32_t wide = 0x80000000;
constexpr uint32_t is_wide_op = 1 << 24;

// Most words of a number, and of the members of each structure that are numbers.
constexpr size_t number_words = 3;
constexpr size_t op_words = 7 + number_words, chunk_words = 3 * number_words;
constexpr size_t run_words = 6 * number_words, line_rows_words = 4 * number_words, drain_words = 2;
constexpr size_t node_words = 7 * number_words + 3 + 1;
constexpr size_t kernel_words = 12 * number_words + 23 + n_parameters * (2 + 2 * number_words);

// Writes behind what there is. Who writes a structure makes room for all of it first, so that words
// need not be looked at one by one. (As much as a kernel could take at most is several times what
// it does take.)
class writer {
public:
    explicit writer(words &out) : out_(out), at_(out.data() + out.size()), end_(at_) {}
    ~writer() { out_.resize_for_overwrite(size_t(at_ - out_.data())); }

    void make_room(size_t n_words) {
        if (size_t(end_ - at_) >= n_words) return;
        const size_t n_written = size_t(at_ - out_.data());
        out_.resize_for_overwrite(std::max(2 * out_.size(), n_written + n_words));
        at_ = out_.data() + n_written;
        end_ = out_.data() + out_.size();
    }

    void put_small(uint32_t v) { *at_++ = v; }
    void put_size(size_t n) { put_small(uint32_t(n)); } // of a list in memory: below 2^31
    void put(int64_t v) {
        const auto narrow = int32_t(v);
        if (narrow == v && uint32_t(narrow) != wide) return put_small(uint32_t(narrow));
        const auto bits = uint64_t(v);
        put_small(wide);
        put_small(uint32_t(bits));
        put_small(uint32_t(bits >> 32));
    }

    void put(const op &o) {
        const auto &[kind, is_high, stays_in_caches, selector, unit_bytes, result, a, b, constant,
                chunks, param_offset_bytes] = o;
        make_room(op_words + chunks.size() * chunk_words);
        const uint32_t what = uint8_t(kind) | uint32_t(is_high) << 8
                | uint32_t(stays_in_caches) << 9 | uint32_t(uint8_t(selector)) << 16;
        // -1 for "none" becomes 0. Two to a word where all of them fit, as they nearly always do.
        const uint32_t n_chunks = uint32_t(chunks.size()), unit = uint32_t(unit_bytes) + 1,
                       w = uint32_t(result) + 1, x = uint32_t(a) + 1, y = uint32_t(b) + 1,
                       z = uint32_t(constant) + 1;
        if ((n_chunks | unit | w | x | y | z) >> 16 == 0) {
            for (uint32_t v : {what, n_chunks | unit << 16, w | x << 16, y | z << 16})
                put_small(v);
        } else {
            for (uint32_t v : {what | is_wide_op, n_chunks, unit, w, x, y, z})
                put_small(v);
        }
        put(param_offset_bytes);
        for (const auto &[offset_bytes, mask, data] : chunks) {
            put(offset_bytes);
            put(int64_t(mask));
            put(int64_t(mask & ~data)); // mostly 0
        }
    }

    void put(const drain &d) {
        const auto &[is_chained, runs] = d;
        make_room(drain_words + runs.size() * run_words);
        put_small(is_chained);
        put_size(runs.size());
        for (const auto &[scratch_offset_bytes, dst_offset_bytes, bytes, count, scratch_step_bytes,
                     dst_step_bytes] : runs)
            for (int64_t v : {scratch_offset_bytes, dst_offset_bytes, bytes, count,
                         scratch_step_bytes, dst_step_bytes})
                put(v);
    }

    void put(const std::vector<nest_node> &nodes) {
        make_room(1);
        put_size(nodes.size());
        for (const nest_node &n : nodes) {
            make_room(node_words);
            const auto &[src_offset_bytes, dst_offset_bytes, count, src_step_bytes, dst_step_bytes,
                    param_offset_bytes, param_step_bytes, block, step, drain, children] = n;
            for (int64_t v : {src_offset_bytes, dst_offset_bytes, count, src_step_bytes,
                         dst_step_bytes, param_offset_bytes, param_step_bytes})
                put(v);
            for (int v : {block, int(step), drain})
                put_small(uint32_t(v));
            put(children);
        }
    }

    void put(const byte_indices &indices) {
        std::memcpy(at_, indices.data(), sizeof indices);
        at_ += sizeof indices / sizeof *at_;
    }

    void put(const conversion &c) {
        // The levels of pairs have become addresses.
        [[maybe_unused]] const auto &[src_type, dst_type, src_elem_bits, dst_elem_bits, at_load,
                src_pair_level, dst_pair_level, pairs_rows, row_bytes, row_param_bytes, steps] = c;
        for (int v : {int(src_type), int(dst_type), src_elem_bits, dst_elem_bits, int(at_load),
                     int(pairs_rows)})
            put_small(uint32_t(v));
        put(int64_t(row_bytes));
        put(int64_t(row_param_bytes));
        put(steps);
    }

    void put(const arithmetic &a) {
        uint32_t beta_bits;
        std::memcpy(&beta_bits, &a.sum_beta, sizeof beta_bits);
        for (uint32_t v : {uint32_t(a.computing_type), uint32_t(a.has_sum), beta_bits,
                     uint32_t(a.multiplies_by_reciprocal), uint32_t(a.grid),
                     uint32_t(a.makes_denormals), uint32_t(a.takes_reciprocal)})
            put_small(v);
        for (const arithmetic::operand &o : a.operands) {
            put_small(uint32_t(o.is_set));
            put_small(uint32_t(o.is_one_value));
            put(int64_t(o.array_bytes));
            put(int64_t(o.added));
        }
    }

    void put(const kernel &k) {
        const auto &[vector_bytes, elem_bytes, converts, lane_param_offset_bytes, is_streaming,
                claims_lines, claimed_ahead_bytes, scratch_bytes, drains, piece_step_bytes,
                fetched_lines, fetched_base_bytes, n_values, constants, blocks, src_step_bytes,
                dst_step_bytes, param_step_bytes, chain, root, rest] = k;
        const auto &[chained_drain, next_bytes] = chain;
        make_room(kernel_words + lane_param_offset_bytes.size() * number_words
                + fetched_lines.size() * line_rows_words);
        for (int64_t v : {int64_t(vector_bytes), scratch_bytes, int64_t(n_values), src_step_bytes,
                     dst_step_bytes, param_step_bytes})
            put(v);
        put_small(uint32_t(is_streaming) | uint32_t(claims_lines) << 1);
        put_small(uint32_t(elem_bytes));
        put_small(uint32_t(chained_drain));
        put(next_bytes);
        put(piece_step_bytes);
        put(fetched_base_bytes);
        put(claimed_ahead_bytes);
        put(converts);
        put_size(lane_param_offset_bytes.size());
        for (int64_t v : lane_param_offset_bytes)
            put(v);
        put_size(fetched_lines.size());
        for (const auto &[offset_bytes, n_rows, step_bytes, n_lines] : fetched_lines)
            for (dim_t v : {offset_bytes, n_rows, step_bytes, n_lines})
                put(int64_t(v));
        for (size_t n : {drains.size(), constants.size(), blocks.size()})
            put_size(n);
        for (const drain &d : drains)
            put(d);
        make_room(constants.size() * sizeof(byte_indices) / sizeof(uint32_t));
        for (const byte_indices &indices : constants)
            put(indices);
        for (const block &ops : blocks) {
            make_room(1);
            put_size(ops.size());
            for (const op &o : ops)
                put(o);
        }
        put(root);
        put(rest);
    }

private:
    words &out_;
    uint32_t *at_;
    uint32_t *end_; // of the room
};

} // namespace

void append_content(words &out, const kernel &k) { writer(out).put(k); }

} // namespace tfmt::cpu::ir
