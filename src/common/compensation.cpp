// SPDX-License-Identifier: Apache-2.0
#include "common/compensation.hpp"

#include "common/checked.hpp"
#include "common/data_type.hpp"

namespace tfmt {

namespace {

constexpr dim_t entry_bytes = 4;
constexpr int all_flags = tfmt_compensation_s8s8 | tfmt_compensation_asymmetric_src;

bool is_in(int mask, int d) { return (mask >> d & 1) != 0; }

void check_mask(const char *name, int mask, bool is_asked_for) {
    if (mask < 0 || mask >> TFMT_MAX_NDIMS)
        fail_invalid(std::string(name) + " is " + std::to_string(mask) + ", wanted bits 0 to "
                + std::to_string(TFMT_MAX_NDIMS - 1));
    if (mask != 0 && !is_asked_for)
        fail_invalid(std::string(name) + " is " + std::to_string(mask)
                + ", wanted 0, since flags does not ask for that compensation");
}

void check_mask_within(const char *name, int mask, int ndims) {
    if (mask >> ndims)
        fail_invalid(std::string(name) + " is " + std::to_string(mask)
                + ", wanted only bits of the tensor's " + std::to_string(ndims) + " dimensions");
}

// Entries cannot overflow: there are at most as many as padded elements.
dim_t count_entries(const memory_desc &md, int mask) {
    dim_t count = 1;
    for (int d = 0; d < md.ndims; ++d)
        if (is_in(mask, d)) count *= md.padded_dims[d];
    return count;
}

dim_t rounded_up_to_entry(dim_t bytes, const char *what) {
    return checked_round_up(bytes, entry_bytes, what);
}

void check_size(const memory_desc &md) {
    const char *const what = "dims and strides: the span with compensation in bytes";
    const dim_t data_bytes = static_cast<dim_t>(size_bytes(without_compensation(md)));
    dim_t end = rounded_up_to_entry(data_bytes, what);
    if (has_s8s8(md.sums))
        end = checked_add(
                end, checked_mul(count_entries(md, md.sums.s8s8_mask), entry_bytes, what), what);
    if (has_asymmetric(md.sums))
        checked_add(end, checked_mul(count_entries(md, md.sums.asymmetric_mask), entry_bytes, what),
                what);
}

} // namespace

void check_compensation(const compensation &c) {
    if (c.flags & ~all_flags)
        fail_invalid("flags is " + std::to_string(c.flags)
                + ", wanted tfmt_compensation_s8s8, tfmt_compensation_asymmetric_src, both or 0");
    check_mask("s8s8_mask", c.s8s8_mask, has_s8s8(c));
    check_mask("asymmetric_mask", c.asymmetric_mask, has_asymmetric(c));
}

void check_compensation(const memory_desc &md) {
    check_compensation(md.sums);
    if (md.sums.flags == 0) return;
    if (md.format_kind != tfmt_blocked)
        fail_invalid("format kind is any, wanted a layout that compensation can lie behind");
    if (has_runtime_dims(md))
        fail_invalid("dims or strides are runtime ones, wanted numbers, since compensation lies "
                     "behind the elements");
    if (md.data_type != tfmt_s8)
        fail_invalid(std::string("data_type is ") + name_of(md.data_type)
                + ", wanted s8, since compensation sums s8 elements");
    check_mask_within("s8s8_mask", md.sums.s8s8_mask, md.ndims);
    check_mask_within("asymmetric_mask", md.sums.asymmetric_mask, md.ndims);
    check_size(md);
}

memory_desc with_compensation(const memory_desc &base, const compensation &c) {
    require_fixed_layout(base, "base");
    memory_desc md = base;
    md.sums = c;
    validate(md);
    return md;
}

memory_desc without_compensation(const memory_desc &md) {
    memory_desc data = md;
    data.sums = compensation();
    return data;
}

memory_desc with_asked_compensation(const memory_desc &dst, const compensation &asked_for) {
    if (asked_for.flags == 0) return dst;
    if (dst.sums.flags != 0 && !equal(dst.sums, asked_for))
        fail_invalid("attr asks for another compensation than dst has");
    require_fixed_layout(dst, "dst");
    return with_compensation(dst, asked_for);
}

void require_no_compensation(const memory_desc &md, const char *argument) {
    if (md.sums.flags != 0)
        fail_unimplemented(std::string(argument)
                + " has compensation, which is of the tensor as it is; make the new descriptor "
                  "from "
                  "one without it");
}

compensation permuted_compensation(const memory_desc &md, const int *permutation) {
    compensation c = md.sums;
    c.s8s8_mask = c.asymmetric_mask = 0;
    for (int d = 0; d < md.ndims; ++d) {
        c.s8s8_mask |= is_in(md.sums.s8s8_mask, d) << permutation[d];
        c.asymmetric_mask |= is_in(md.sums.asymmetric_mask, d) << permutation[d];
        for (int other = 0; other < d; ++other) {
            const bool are_in_one_mask = (is_in(md.sums.s8s8_mask, d)
                                                 && is_in(md.sums.s8s8_mask, other))
                    || (is_in(md.sums.asymmetric_mask, d) && is_in(md.sums.asymmetric_mask, other));
            if (are_in_one_mask && permutation[other] > permutation[d])
                fail_unimplemented("permutation exchanges dimensions " + std::to_string(other)
                        + " and " + std::to_string(d)
                        + " of the compensation's mask, whose entries would be in another order");
        }
    }
    return c;
}

int compensation_arrays(const memory_desc &md, compensation_array *arrays) {
    if (is_zero_sized(md)) return 0;
    const dim_t data_bytes = static_cast<dim_t>(size_bytes(without_compensation(md)));
    dim_t offset_bytes = (data_bytes + entry_bytes - 1) / entry_bytes * entry_bytes;
    int n = 0;
    const auto add = [&](int mask, int factor) {
        const dim_t count = count_entries(md, mask);
        arrays[n++] = {mask, factor, offset_bytes, count};
        offset_bytes += count * entry_bytes;
    };
    if (has_s8s8(md.sums)) add(md.sums.s8s8_mask, s8s8_factor);
    if (has_asymmetric(md.sums)) add(md.sums.asymmetric_mask, asymmetric_factor);
    return n;
}

size_t end_of_compensation(const memory_desc &md) {
    compensation_array arrays[max_compensation_arrays];
    const compensation_array &last = arrays[compensation_arrays(md, arrays) - 1];
    return static_cast<size_t>(last.offset_bytes + last.count * entry_bytes);
}

} // namespace tfmt
