// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "api/fill_buffer.hpp"
#include "common/blob.hpp"
#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/format_tag.hpp"
#include "common/memory_desc.hpp"
#include "common/offset.hpp"
#include "common/status.hpp"
#include "common/to_string.hpp"

// The descriptor part of the C API: pointers are checked here, everything else in src/common.
using namespace tfmt;

namespace {

// The last step of every maker, so that nothing is written before everything has worked.
void publish(tfmt_memory_desc_t *out, const memory_desc &md) { *out = new tfmt_memory_desc(md); }

void require_numbers(const memory_desc &md) {
    if (md.format_kind != tfmt_blocked)
        fail_invalid("md has format kind any, so its elements have no offsets");
    if (has_runtime_dims(md))
        fail_invalid("md has runtime dims or strides, so its elements have no offsets");
}

template <typename T>
void put(void *result, T value) {
    *static_cast<T *>(result) = value;
}

// True if `what` was answered; these hold for every format kind.
bool query_any_kind(const memory_desc &md, tfmt_query_t what, void *result) {
    switch (what) {
    case tfmt_query_ndims_s32: put<int32_t>(result, md.ndims); return true;
    case tfmt_query_dims: put<const dim_t *>(result, md.dims); return true;
    case tfmt_query_data_type: put(result, md.data_type); return true;
    case tfmt_query_submemory_offset_s64: put(result, md.offset0); return true;
    case tfmt_query_padded_dims: put<const dim_t *>(result, md.padded_dims); return true;
    case tfmt_query_padded_offsets: put<const dim_t *>(result, md.padded_offsets); return true;
    case tfmt_query_format_kind: put(result, md.format_kind); return true;
    case tfmt_query_tag: put(result, find_tag(md)); return true;
    default: return false;
    }
}

bool query_blocked(const memory_desc &md, tfmt_query_t what, void *result) {
    const bool is_known = what == tfmt_query_strides || what == tfmt_query_inner_nblks_s32
            || what == tfmt_query_inner_blks || what == tfmt_query_inner_idxs;
    if (is_known && md.format_kind != tfmt_blocked)
        fail_invalid("what asks for strides or blocks, but md has format kind any");
    switch (what) {
    case tfmt_query_strides: put<const dim_t *>(result, md.strides); return true;
    case tfmt_query_inner_nblks_s32: put<int32_t>(result, md.inner_nblks); return true;
    case tfmt_query_inner_blks: put<const dim_t *>(result, md.inner_blks); return true;
    case tfmt_query_inner_idxs: put<const dim_t *>(result, md.inner_idxs); return true;
    default: return false;
    }
}

dim_t offset_of_array(const memory_desc &md, int factor) {
    compensation_array arrays[max_compensation_arrays];
    const int n = compensation_arrays(md, arrays);
    for (int i = 0; i < n; ++i)
        if (arrays[i].factor == factor) return arrays[i].offset_bytes;
    fail_invalid("what asks where a compensation lies that md does not have");
}

bool query_compensation(const memory_desc &md, tfmt_query_t what, void *result) {
    const compensation &c = md.sums;
    switch (what) {
    case tfmt_query_compensation_flags_s32: put<int32_t>(result, c.flags); return true;
    case tfmt_query_s8s8_compensation_mask_s32: put<int32_t>(result, c.s8s8_mask); return true;
    case tfmt_query_asymmetric_compensation_mask_s32:
        put<int32_t>(result, c.asymmetric_mask);
        return true;
    case tfmt_query_s8s8_compensation_offset_s64:
        put(result, offset_of_array(md, s8s8_factor));
        return true;
    case tfmt_query_asymmetric_compensation_offset_s64:
        put(result, offset_of_array(md, asymmetric_factor));
        return true;
    default: return false;
    }
}

void check_index(const memory_desc &md, const dim_t *index) {
    for (int d = 0; d < md.ndims; ++d)
        if (index[d] < 0 || index[d] >= md.padded_dims[d])
            fail_invalid(element_name("index", d) + " is " + std::to_string(index[d])
                    + ", wanted 0 or more and below padded_dims[" + std::to_string(d)
                    + "] = " + std::to_string(md.padded_dims[d]));
}

} // namespace

tfmt_status_t tfmt_memory_desc_create_with_tag(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, tfmt_format_tag_t tag) {
    return guard("tfmt_memory_desc_create_with_tag", [&] {
        require_not_null(md, "md");
        publish(md, make_with_tag(ndims, dims, data_type, tag));
    });
}

tfmt_status_t tfmt_memory_desc_create_with_strides(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const tfmt_dims_t strides) {
    return guard("tfmt_memory_desc_create_with_strides", [&] {
        require_not_null(md, "md");
        publish(md, make_with_strides(ndims, dims, data_type, strides));
    });
}

tfmt_status_t tfmt_memory_desc_create_with_string_tag(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const char *tag) {
    return guard("tfmt_memory_desc_create_with_string_tag", [&] {
        require_not_null(md, "md");
        publish(md, make_with_string_tag(ndims, dims, data_type, tag));
    });
}

tfmt_status_t tfmt_memory_desc_create_with_blocking(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const tfmt_dims_t strides,
        int inner_nblks, const tfmt_dims_t inner_blks, const tfmt_dims_t inner_idxs) {
    return guard("tfmt_memory_desc_create_with_blocking", [&] {
        require_not_null(md, "md");
        publish(md,
                make_with_blocking(
                        ndims, dims, data_type, strides, inner_nblks, inner_blks, inner_idxs));
    });
}

tfmt_status_t tfmt_memory_desc_create_with_string(tfmt_memory_desc_t *md, const char *string) {
    return guard("tfmt_memory_desc_create_with_string", [&] {
        require_not_null(md, "md");
        require_not_null(string, "string");
        publish(md, parse_desc(string));
    });
}

tfmt_status_t tfmt_memory_desc_create_submemory(tfmt_memory_desc_t *md,
        const_tfmt_memory_desc_t parent, const tfmt_dims_t dims, const tfmt_dims_t offsets) {
    return guard("tfmt_memory_desc_create_submemory", [&] {
        require_not_null(md, "md");
        require_not_null(parent, "parent");
        publish(md, make_submemory(*parent, dims, offsets));
    });
}

tfmt_status_t tfmt_memory_desc_reshape(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, int ndims, const tfmt_dims_t dims) {
    return guard("tfmt_memory_desc_reshape", [&] {
        require_not_null(out, "out");
        require_not_null(in, "in");
        publish(out, make_reshaped(*in, ndims, dims));
    });
}

tfmt_status_t tfmt_memory_desc_permute_axes(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, const int *permutation) {
    return guard("tfmt_memory_desc_permute_axes", [&] {
        require_not_null(out, "out");
        require_not_null(in, "in");
        publish(out, make_permuted(*in, permutation));
    });
}

tfmt_status_t tfmt_memory_desc_with_data_type(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, tfmt_data_type_t data_type) {
    return guard("tfmt_memory_desc_with_data_type", [&] {
        require_not_null(out, "out");
        require_not_null(in, "in");
        publish(out, make_with_data_type(*in, data_type));
    });
}

tfmt_status_t tfmt_memory_desc_unblock(tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in) {
    return guard("tfmt_memory_desc_unblock", [&] {
        require_not_null(out, "out");
        require_not_null(in, "in");
        publish(out, make_unblocked(*in));
    });
}

tfmt_status_t tfmt_memory_desc_create_with_compensation(tfmt_memory_desc_t *md,
        const_tfmt_memory_desc_t base, int flags, int s8s8_mask, int asymmetric_mask) {
    return guard("tfmt_memory_desc_create_with_compensation", [&] {
        require_not_null(md, "md");
        require_not_null(base, "base");
        publish(md, with_compensation(*base, {flags, s8s8_mask, asymmetric_mask}));
    });
}

tfmt_status_t tfmt_memory_desc_clone(tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in) {
    return guard("tfmt_memory_desc_clone", [&] {
        require_not_null(out, "out");
        require_not_null(in, "in");
        publish(out, *in);
    });
}

tfmt_status_t tfmt_memory_desc_destroy(tfmt_memory_desc_t md) {
    delete md;
    return tfmt_success;
}

tfmt_status_t tfmt_memory_desc_get_blob(uint8_t *blob, size_t *size, const_tfmt_memory_desc_t md) {
    return guard("tfmt_memory_desc_get_blob", [&] {
        require_not_null(size, "size");
        require_not_null(md, "md");
        fill_buffer(blob, size, write_blob(*md), "blob");
    });
}

tfmt_status_t tfmt_memory_desc_create_with_blob(
        tfmt_memory_desc_t *md, const uint8_t *blob, size_t size) {
    return guard("tfmt_memory_desc_create_with_blob", [&] {
        require_not_null(md, "md");
        require_not_null(blob, "blob");
        publish(md, read_blob(blob, size));
    });
}

tfmt_status_t tfmt_memory_desc_query(const_tfmt_memory_desc_t md, tfmt_query_t what, void *result) {
    return guard("tfmt_memory_desc_query", [&] {
        require_not_null(md, "md");
        require_not_null(result, "result");
        if (!query_any_kind(*md, what, result) && !query_blocked(*md, what, result)
                && !query_compensation(*md, what, result))
            fail_invalid("what is " + std::to_string(static_cast<int>(what))
                    + ", wanted a tfmt_query_t that asks for a descriptor's property");
    });
}

int tfmt_memory_desc_equal(const_tfmt_memory_desc_t a, const_tfmt_memory_desc_t b) {
    if (!a || !b) return a == b;
    return equal(*a, *b);
}

size_t tfmt_memory_desc_hash(const_tfmt_memory_desc_t md) { return md ? hash(*md) : 0; }

size_t tfmt_memory_desc_get_size(const_tfmt_memory_desc_t md) { return md ? size_bytes(*md) : 0; }

size_t tfmt_data_type_size(tfmt_data_type_t data_type) {
    return is_known(data_type) ? bytes_for(data_type, 1) : 0;
}

tfmt_status_t tfmt_memory_desc_get_offset(
        const_tfmt_memory_desc_t md, const tfmt_dims_t index, tfmt_dim_t *offset) {
    return guard("tfmt_memory_desc_get_offset", [&] {
        require_not_null(md, "md");
        require_not_null(index, "index");
        require_not_null(offset, "offset");
        require_numbers(*md);
        check_index(*md, index);
        *offset = offset_of(*md, index);
    });
}

tfmt_status_t tfmt_memory_desc_get_index(
        const_tfmt_memory_desc_t md, tfmt_dim_t offset, tfmt_dims_t index, int *is_padding) {
    return guard("tfmt_memory_desc_get_index", [&] {
        require_not_null(md, "md");
        require_not_null(index, "index");
        require_numbers(*md);
        bool in_padding = false;
        const offset_place place = locate(*md, offset, index, &in_padding);
        if (place == offset_place::outside)
            fail_invalid("offset is " + std::to_string(offset)
                    + ", outside the span of the descriptor's elements");
        if (place == offset_place::gap)
            fail_invalid("offset is " + std::to_string(offset)
                    + ", in a gap between the descriptor's elements");
        if (is_padding) *is_padding = in_padding;
    });
}

tfmt_status_t tfmt_memory_desc_to_string(const_tfmt_memory_desc_t md, char *buffer, size_t *size) {
    return guard("tfmt_memory_desc_to_string", [&] {
        require_not_null(md, "md");
        require_not_null(size, "size");
        fill_text(buffer, size, to_string(*md));
    });
}

const tfmt_version_t *tfmt_version(void) {
    static const tfmt_version_t version = {
            TFMT_VERSION_MAJOR, TFMT_VERSION_MINOR, TFMT_VERSION_PATCH};
    return &version;
}
