// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "common/data_type.hpp"
#include "cpu/ir/ir.hpp"

namespace tfmt::cpu::ir {

namespace {

std::string hex(uint64_t v) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
    return text;
}

std::string chunks_text(const op &o) {
    const uint64_t all = low_bits(o.unit_bytes);
    std::string text;
    for (const chunk &c : o.chunks) {
        text += " [" + std::to_string(c.offset_bytes) + "]";
        if (c.mask != all) text += "&" + hex(c.mask);
        if ((c.data & c.mask) != c.mask) text += " of which data " + hex(c.data & c.mask);
    }
    if (o.param_offset_bytes) text += " params+" + std::to_string(o.param_offset_bytes);
    return text;
}

std::string conversion_text(const kernel &k) {
    const conversion &c = k.converts;
    if (!c) return "";
    return ", lanes of " + std::to_string(k.elem_bytes) + ", " + name_of(c.src_type) + " -> "
            + name_of(c.dst_type) + " in " + (c.at_load ? "loads" : "stores")
            + (c.pairs_rows ? " of rows " + std::to_string(c.row_bytes) + " bytes apart" : "");
}

std::string value(int v) { return " v" + std::to_string(v); }

std::string op_text(const op &o) {
    static const char *const selectors[] = {"low_half", "high_half", "even", "odd"};
    const std::string out = "v" + std::to_string(o.out) + " = ";
    const std::string constant = " c" + std::to_string(o.constant);
    switch (o.kind) {
    case op_kind::zero: return out + "zero";
    case op_kind::load: return out + "load." + std::to_string(o.unit_bytes) + chunks_text(o);
    case op_kind::prefetch: return "prefetch" + chunks_text(o);
    case op_kind::store:
        return "store." + std::to_string(o.unit_bytes) + value(o.a)
                + (o.stays_in_caches ? " in part of a line ->" : " ->") + chunks_text(o);
    case op_kind::unpack:
        return out + (o.is_high ? "unpack_high." : "unpack_low.") + std::to_string(o.unit_bytes)
                + value(o.a) + value(o.b);
    case op_kind::lanes128:
        return out + "lanes128." + selectors[int(o.selector)] + value(o.a) + value(o.b);
    case op_kind::within16: return out + "within16" + value(o.a) + constant;
    case op_kind::merge: return out + "merge" + value(o.a) + value(o.b);
    case op_kind::permute: return out + "permute" + value(o.a) + constant;
    case op_kind::permute2: return out + "permute2" + value(o.a) + value(o.b) + constant;
    }
    return "?";
}

void add_nodes(std::string &text, const std::vector<nest_node> &nodes, const std::string &indent) {
    for (const nest_node &n : nodes) {
        text += indent;
        if (n.src_offset_bytes || n.dst_offset_bytes)
            text += "at src+" + std::to_string(n.src_offset_bytes) + " dst+"
                    + std::to_string(n.dst_offset_bytes) + " ";
        if (n.param_offset_bytes) text += "params+" + std::to_string(n.param_offset_bytes) + " ";
        if (n.step != nest_step::none) {
            static const char *const names[] = {"", "into the scratch", "out of the scratch",
                    "drain ", "near the end ", "end rows ", "fetch the page"};
            text += names[int(n.step)] + (n.drain >= 0 ? std::to_string(n.drain) : "") + "\n";
            add_nodes(text, n.children, indent + "  ");
            continue;
        }
        if (n.block >= 0) {
            text += "block " + std::to_string(n.block) + "\n";
            continue;
        }
        text += "loop " + std::to_string(n.count) + " src+=" + std::to_string(n.src_step_bytes)
                + " dst+=" + std::to_string(n.dst_step_bytes)
                + (n.param_step_bytes ? " params+=" + std::to_string(n.param_step_bytes) : "")
                + "\n";
        add_nodes(text, n.children, indent + "  ");
    }
}

} // namespace

std::string to_text(const kernel &k) {
    std::string text = "kernel: vectors of " + std::to_string(k.vector_bytes) + " bytes"
            + conversion_text(k) + (k.is_streaming ? ", streaming stores" : "")
            + (k.claims_lines ? ", claims lines" : "")
            + (k.claimed_ahead_bytes > 0
                            ? " " + std::to_string(k.claimed_ahead_bytes) + " bytes ahead"
                            : "")
            + (k.scratch_bytes ? ", scratch of " + std::to_string(k.scratch_bytes) + " bytes\n"
                               : "\n");
    for (size_t c = 0; c < k.constants.size(); c++) {
        text += "  c" + std::to_string(c) + " =";
        for (int i = 0; i < k.vector_bytes; i++)
            text += " " + std::to_string(int(k.constants[c][i]));
        text += "\n";
    }
    text += "  loop root_count src+=" + std::to_string(k.src_step_bytes)
            + " dst+=" + std::to_string(k.dst_step_bytes)
            + (k.param_step_bytes ? " params+=" + std::to_string(k.param_step_bytes) : "")
            + (k.chain ? ", a chain; the next one at src+" + std::to_string(k.chain.next_bytes)
                       : "")
            + "\n";
    add_nodes(text, k.root, "    ");
    if (!k.rest.empty()) text += "  rest\n";
    add_nodes(text, k.rest, "    ");
    for (size_t i = 0; i < k.drains.size(); i++) {
        const drain &d = k.drains[i];
        text += "  drain " + std::to_string(i) + ": " + std::to_string(n_runs(d)) + " runs"
                + (k.piece_step_bytes ? " of pieces" : "")
                + (d.is_chained ? ", chained, of " : " of ") + std::to_string(d.runs[0].bytes)
                + " bytes, prefetches " + std::to_string(count_lines(k.fetched_lines))
                + " lines from src+" + std::to_string(k.fetched_base_bytes) + "\n";
    }
    for (size_t b = 0; b < k.blocks.size(); b++) {
        text += "  block " + std::to_string(b) + "\n";
        for (const op &o : k.blocks[b])
            text += "    " + op_text(o) + "\n";
    }
    return text;
}

} // namespace tfmt::cpu::ir
