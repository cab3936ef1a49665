// SPDX-License-Identifier: Apache-2.0
#include "common/runtime_desc.hpp"

#include <algorithm>
#include <string>

#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/reorder_problem.hpp"
#include "common/status.hpp"

namespace tfmt {

namespace {

bool is_runtime(dim_t value) { return value == TFMT_RUNTIME_DIM_VAL; }

std::string text_of(dim_t value) { return is_runtime(value) ? "*" : std::to_string(value); }

std::string dims_text(const memory_desc &md) {
    std::string text;
    for (int d = 0; d < md.ndims; d++)
        text += (d ? "x" : "") + text_of(md.dims[d]);
    return text;
}

// `described` with the numbers of `actual` where it has none. Both have the same ndims.
memory_desc filled_in(const memory_desc &described, const memory_desc &actual) {
    memory_desc md = described;
    for (int d = 0; d < md.ndims; d++) {
        if (is_runtime(md.dims[d])) {
            md.dims[d] = actual.dims[d];
            md.padded_dims[d] = actual.padded_dims[d];
        }
        if (is_runtime(md.strides[d])) md.strides[d] = actual.strides[d];
    }
    if (is_runtime(md.offset0)) md.offset0 = actual.offset0;
    return md;
}

[[noreturn]] void fail_member(const char *argument, const std::string &what,
        const std::string &actual, const std::string &wanted) {
    fail_invalid(std::string(argument) + " has " + what + " " + actual + ", wanted " + wanted
            + " as the reorder was created with");
}

void require_same_blocks(
        const memory_desc &actual, const memory_desc &described, const char *argument) {
    const auto text = [](const memory_desc &md) {
        std::string blocks;
        for (int i = 0; i < md.inner_nblks; i++)
            blocks += std::to_string(md.inner_blks[i]) + char('a' + md.inner_idxs[i]);
        return blocks.empty() ? "none" : blocks;
    };
    if (text(actual) != text(described))
        fail_member(argument, "inner blocks", text(actual), text(described));
}

} // namespace

void require_member(const memory_desc &actual, const memory_desc &described, const char *argument) {
    if (actual.format_kind != tfmt_blocked)
        fail_invalid(std::string(argument) + " has no layout yet (format kind undef or any)");
    if (has_runtime_dims(actual))
        fail_invalid(std::string(argument)
                + " has runtime dims, strides or offset, wanted their actual values");
    if (actual.ndims != described.ndims)
        fail_member(
                argument, "ndims", std::to_string(actual.ndims), std::to_string(described.ndims));
    memory_desc wanted = filled_in(described, actual);
    wanted.sums = actual.sums;
    if (equal(actual, wanted)) return;
    if (actual.data_type != wanted.data_type)
        fail_member(argument, "data type", name_of(actual.data_type), name_of(wanted.data_type));
    for (int d = 0; d < wanted.ndims; d++)
        if (actual.dims[d] != wanted.dims[d])
            fail_member(argument, "dims", dims_text(actual), dims_text(described));
    require_same_blocks(actual, wanted, argument);
    if (actual.offset0 != wanted.offset0)
        fail_member(argument, "offset0", text_of(actual.offset0), text_of(wanted.offset0));
    memory_desc with_stride = actual; // equal() knows which strides matter
    for (int d = 0; d < wanted.ndims; d++) {
        with_stride.strides[d] = wanted.strides[d];
        if (!equal(actual, with_stride))
            fail_member(argument, "strides[" + std::to_string(d) + "]", text_of(actual.strides[d]),
                    text_of(wanted.strides[d]));
    }
    fail_invalid(std::string(argument) + " is not what the reorder was created with");
}

namespace {

// A member of `md` with 0 for the dims that neither side knows: whatever make_problem refuses of it
// it refuses of all.
memory_desc stand_in(const memory_desc &md, const memory_desc &partner) {
    memory_desc made = md;
    dims_t blocks;
    block_sizes(md, blocks);
    dim_t nelems = 1;
    for (int d = 0; d < md.ndims; d++) {
        if (is_runtime(md.dims[d])) {
            made.dims[d] = is_runtime(partner.dims[d]) ? 0 : partner.dims[d];
            made.padded_dims[d] = checked_round_up(
                    made.dims[d], blocks[d], "dims: the padded dimension");
        }
        nelems = checked_mul(nelems, made.padded_dims[d], "dims: the number of padded elements");
        if (is_runtime(md.strides[d])) made.strides[d] = 1;
    }
    if (is_runtime(md.offset0)) made.offset0 = 0;
    return made;
}

void require_layout(const memory_desc &md, const char *argument) {
    if (md.format_kind != tfmt_blocked)
        fail_invalid(std::string(argument) + " has no layout yet (format kind undef or any)");
}

} // namespace

void require_can_have_compensation(const memory_desc &dst, const compensation &sums) {
    if (sums.flags == 0) return;
    dims_t dims;
    for (int d = 0; d < dst.ndims; d++)
        dims[d] = is_runtime(dst.dims[d]) ? 1 : dst.dims[d];
    with_compensation(
            make_with_blocking(dst.ndims, dims, dst.data_type, nullptr, 0, nullptr, nullptr), sums);
}

void require_families_agree(
        const memory_desc &src, const memory_desc &dst, const attributes &attr) {
    require_layout(src, "src");
    require_layout(dst, "dst");
    bool is_same = src.ndims == dst.ndims;
    for (int d = 0; is_same && d < src.ndims; d++)
        is_same = src.dims[d] == dst.dims[d] || is_runtime(src.dims[d]) || is_runtime(dst.dims[d]);
    if (!is_same)
        fail_invalid("src and dst differ in dims: " + dims_text(src) + " and " + dims_text(dst));
    make_problem(stand_in(src, dst), stand_in(dst, src), attr);
}

} // namespace tfmt
