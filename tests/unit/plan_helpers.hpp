// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/normalize.hpp"
#include "common/reorder_problem.hpp"
#include "cpu/plan/plan.hpp"
#include "tests/unit/desc_helpers.hpp"

// What the tests of problems, plans and kernels share: machines that need not be the host, and
// short ways from two tags to a problem, a move and a plan.
namespace plan_test {

using desc_test::by_strides;
using desc_test::by_tag;
using desc_test::vec;
using tfmt::dim_t;
using tfmt::level;
using tfmt::memory_desc;
using tfmt::move_problem;
using tfmt::reorder_problem;
using tfmt::cpu::machine;

// Its last cache is so large that nothing is streamed past it.
inline machine make_machine(tfmt_cpu_isa_t isa, int vector_bytes, int n_regs, bool has_vbmi) {
    machine m;
    m.isa = isa;
    m.has_vbmi = has_vbmi;
    m.has_bf16 = isa >= tfmt_cpu_isa_avx512_core_bf16;
    m.has_fp16 = isa >= tfmt_cpu_isa_avx512_core_fp16;
    m.vector_bytes = vector_bytes;
    m.n_vector_regs = n_regs;
    m.l3_bytes = size_t(1) << 60;
    return m;
}

inline machine sse41() { return make_machine(tfmt_cpu_isa_sse41, 16, 16, false); }
inline machine avx2() { return make_machine(tfmt_cpu_isa_avx2, 32, 16, false); }
inline machine avx512() { return make_machine(tfmt_cpu_isa_avx512_core, 64, 32, false); }
inline machine avx512_vbmi() { return make_machine(tfmt_cpu_isa_avx512_core_vbmi, 64, 32, true); }

// The rules for a scratch of rows.
inline machine in_rows(machine m) {
    m.max_elem_bytes_in_lanes = 0;
    return m;
}

inline const std::vector<machine> &all_machines() {
    static const std::vector<machine> machines {sse41(), avx2(), avx512(), avx512_vbmi()};
    return machines;
}

inline std::string name_of(const machine &m) {
    return std::to_string(m.vector_bytes) + " bytes" + (m.has_vbmi ? " with VBMI" : "");
}

inline move_problem normalized(const memory_desc &src, const memory_desc &dst) {
    move_problem move;
    std::string why;
    EXPECT_TRUE(tfmt::normalize(tfmt::make_problem(src, dst), &move, &why)) << why;
    return move;
}

inline move_problem normalized(
        const vec &dims, const std::string &src, const std::string &dst, tfmt_data_type_t type) {
    return normalized(by_tag(dims, src, type), by_tag(dims, dst, type));
}

inline tfmt::cpu::plan planned(const move_problem &move, const machine &m,
        tfmt::cpu::plan_mode mode = tfmt::cpu::plan_mode::move) {
    tfmt::cpu::plan p;
    std::string why;
    EXPECT_TRUE(tfmt::cpu::make_plan(move, m, mode, &p, &why)) << why;
    return p;
}

inline std::string text_of(const std::vector<tfmt::digit> &digits) {
    std::string text;
    for (const tfmt::digit &g : digits)
        text += (text.empty() ? "" : " ") + (g.extent ? std::to_string(g.extent) : "*") + ":"
                + std::to_string(g.stride);
    return "(" + text + ")";
}

// "16 x 1, 20 -> 1": 16 steps of 1 index, strides 20 in the source and 1 in the destination.
inline std::string text_of(const level &l) {
    const std::string steps = std::to_string(l.extent) + " x " + std::to_string(l.unit) + ", ";
    if (!l.is_regular()) return steps + text_of(l.src_digits) + " -> " + text_of(l.dst_digits);
    return steps + std::to_string(l.src_stride) + " -> " + std::to_string(l.dst_stride);
}

using lines = std::vector<std::string>;

inline lines texts_of(const std::vector<level> &levels) {
    lines texts;
    for (const level &l : levels)
        texts.push_back(text_of(l));
    return texts;
}

// The offset that the levels of dimension `dim` give to its index `i`.
template <typename Offset>
dim_t offset_by_levels(const std::vector<level> &levels, int dim, dim_t i, Offset &&offset_of) {
    dim_t offset = 0;
    for (const level &l : levels)
        if (l.dim == dim) offset += offset_of(l, i / l.unit % l.extent);
    return offset;
}

// Of the registers of a tile those that there are where the lanes hold these bits: bits that are
// not read have registers from when they are in the lanes.
inline float share_of_registers(const tfmt::cpu::tile &t, const tfmt::cpu::bit_indices &lanes) {
    float share = 1;
    for (int bit : t.dst_run)
        if (!t.bits[size_t(bit)].is_read
                && std::find(lanes.begin(), lanes.end(), bit) == lanes.end())
            share /= 2;
    return share;
}

// Half of all tiles get bits of the destination's run that are not read.
inline void leave_some_unread(desc_test::random_descs &random, tfmt::cpu::tile &t) {
    if (random.below(2) == 0) return;
    for (int bit : t.dst_run)
        t.bits[size_t(bit)].is_read = random.below(3) > 0;
}

} // namespace plan_test
