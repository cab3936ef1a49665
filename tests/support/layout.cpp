// SPDX-License-Identifier: Apache-2.0
#include "support/layout.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "support/element.hpp"

namespace tfmt_test {
namespace {

template <typename Result>
Result query(const_tfmt_memory_desc_t md, tfmt_query_t what, const char *name) {
    Result result {};
    if (tfmt_memory_desc_query(md, what, &result) != tfmt_success)
        throw std::runtime_error(
                std::string("query of ") + name + " failed: " + tfmt_get_last_error());
    return result;
}

dims query_dims(const_tfmt_memory_desc_t md, tfmt_query_t what, int n, const char *name) {
    const auto *values = query<const tfmt_dim_t *>(md, what, name);
    return dims(values, values + n);
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct tag_parts {
    std::string outer;        // lower-case letters, outermost first
    std::string block_letter; // one for each block, outermost first
    dims block_size;
};

// "NCHW32" blocks the channels by the number, "CHWN4" too; the other letters are outer dims.
tag_parts split_framework_name(const std::string &tag) {
    tag_parts parts;
    size_t i = 0;
    for (; i < tag.size() && !is_digit(tag[i]); ++i)
        parts.outer += lower(tag[i]);
    if (i < tag.size()) {
        parts.block_letter = "c";
        parts.block_size.push_back(std::stoll(tag.substr(i)));
    }
    return parts;
}

bool is_framework_name(const std::string &tag) {
    std::string letters;
    for (char c : tag)
        if (!is_digit(c)) letters += c;
    return letters == "NCHW" || letters == "NHWC" || letters == "CHWN";
}

tag_parts split_tag(const std::string &tag) {
    if (is_framework_name(tag)) return split_framework_name(tag);
    tag_parts parts;
    size_t i = 0;
    for (; i < tag.size() && !is_digit(tag[i]); ++i)
        parts.outer += lower(tag[i]);
    while (i < tag.size()) {
        int64_t size = 0;
        for (; i < tag.size() && is_digit(tag[i]); ++i)
            size = size * 10 + (tag[i] - '0');
        if (i == tag.size()) throw std::runtime_error("tag \"" + tag + "\" ends in a number");
        parts.block_letter += lower(tag[i++]);
        parts.block_size.push_back(size);
    }
    return parts;
}

// The letters of the dimensions in logical order. Which order a letter set means follows oneDNN's
// names: rnn states and weights (l d ...), rnn data (t n c), weights (g o i d h w), data (n c d h
// w).
std::string logical_order(const std::string &outer) {
    if (outer == "x") return "x";
    const bool is_rnn = outer.find('l') != std::string::npos
            && outer.find('a') == std::string::npos;
    std::string family = "abcdefghijkl";
    if (outer.find('a') != std::string::npos) {
    } else if (is_rnn) {
        family = outer.find('n') != std::string::npos ? "ldnc" : "ldigo";
        if (outer.find('i') == std::string::npos && outer.find('g') != std::string::npos)
            family = "ldgo";
    } else if (outer.find('t') != std::string::npos) {
        family = "tnc";
    } else if (outer.find('o') != std::string::npos || outer.find('i') != std::string::npos) {
        family = "goidhw";
    } else {
        family = "ncdhw";
    }
    std::string order;
    for (char c : family)
        if (outer.find(c) != std::string::npos) order += c;
    return order;
}

std::string list_text(const dims &values) {
    std::string text = "{";
    for (size_t i = 0; i < values.size(); ++i)
        text += (i ? "," : "") + std::to_string(values[i]);
    return text + "}";
}

} // namespace

bool layout::is_zero_sized() const {
    return std::find(logical.begin(), logical.end(), 0) != logical.end();
}

layout read_layout(const_tfmt_memory_desc_t md) {
    if (query<tfmt_format_kind_t>(md, tfmt_query_format_kind, "format_kind") != tfmt_blocked)
        throw std::runtime_error("the descriptor's format kind is not blocked");
    const int ndims = query<int>(md, tfmt_query_ndims_s32, "ndims");
    const int nblks = query<int>(md, tfmt_query_inner_nblks_s32, "inner_nblks");
    layout l;
    l.data_type = query<tfmt_data_type_t>(md, tfmt_query_data_type, "data_type");
    l.logical = query_dims(md, tfmt_query_dims, ndims, "dims");
    l.padded = query_dims(md, tfmt_query_padded_dims, ndims, "padded_dims");
    l.strides = query_dims(md, tfmt_query_strides, ndims, "strides");
    l.offset0 = query<int64_t>(md, tfmt_query_submemory_offset_s64, "submemory_offset");
    l.inner_blks = query_dims(md, tfmt_query_inner_blks, nblks, "inner_blks");
    for (int64_t idx : query_dims(md, tfmt_query_inner_idxs, nblks, "inner_idxs"))
        l.inner_idxs.push_back(static_cast<int>(idx));
    for (int64_t offset : query_dims(md, tfmt_query_padded_offsets, ndims, "padded_offsets"))
        if (offset != 0) throw std::runtime_error("padded_offsets are not zero");
    const int flags = query<int32_t>(md, tfmt_query_compensation_flags_s32, "flags");
    if (flags & tfmt_compensation_s8s8)
        l.sums.push_back(
                {query<int32_t>(md, tfmt_query_s8s8_compensation_mask_s32, "s8s8_mask"), -128});
    if (flags & tfmt_compensation_asymmetric_src)
        l.sums.push_back(
                {query<int32_t>(md, tfmt_query_asymmetric_compensation_mask_s32, "mask"), -1});
    return l;
}

layout layout_from_tag(const dims &logical, tfmt_data_type_t type, const std::string &tag) {
    // oneDNN's header lets two names mean another order of the outer dims than they say, and code
    // that is ported relies on what they mean.
    if (tag == "gIOhw2i8o16i2o") return layout_from_tag(logical, type, "aBCde2c8b16c2b");
    if (tag == "gIOdhw2i8o16i2o") return layout_from_tag(logical, type, "aBCdef2c8b16c2b");
    const tag_parts parts = split_tag(tag);
    const std::string order = logical_order(parts.outer);
    if (order.size() != logical.size() || parts.outer.size() != logical.size())
        throw std::runtime_error("tag \"" + tag + "\" does not fit " + dims_text(logical));
    layout l;
    l.data_type = type;
    l.logical = l.padded = logical;
    l.strides.assign(logical.size(), 0);
    l.inner_blks = parts.block_size;
    dims block(logical.size(), 1);
    int64_t stride = 1;
    for (size_t b = 0; b < parts.block_letter.size(); ++b) {
        const size_t d = order.find(parts.block_letter[b]);
        if (d == std::string::npos)
            throw std::runtime_error("tag \"" + tag + "\" blocks a letter it does not have");
        l.inner_idxs.push_back(static_cast<int>(d));
        block[d] *= parts.block_size[b];
        stride *= parts.block_size[b];
    }
    for (size_t d = 0; d < logical.size(); ++d)
        l.padded[d] = (logical[d] + block[d] - 1) / block[d] * block[d];
    for (size_t i = parts.outer.size(); i-- > 0;) {
        const size_t d = order.find(parts.outer[i]);
        l.strides[d] = stride;
        stride *= l.padded[d] / block[d];
    }
    return l;
}

std::string difference(const layout &read, const layout &wanted) {
    const auto differ = [](const char *what, const dims &a, const dims &b) {
        return std::string(what) + " are " + list_text(a) + ", wanted " + list_text(b);
    };
    if (read.data_type != wanted.data_type) return "the data types differ";
    if (read.logical != wanted.logical) return differ("dims", read.logical, wanted.logical);
    if (read.padded != wanted.padded) return differ("padded_dims", read.padded, wanted.padded);
    if (read.offset0 != wanted.offset0) return "the submemory offsets differ";
    if (read.inner_blks != wanted.inner_blks)
        return differ("inner_blks", read.inner_blks, wanted.inner_blks);
    if (read.inner_idxs != wanted.inner_idxs) return "inner_idxs differ";
    if (!wanted.is_zero_sized() && read.strides != wanted.strides)
        return differ("strides", read.strides, wanted.strides);
    return "";
}

offset_table offset_table_of(const layout &l) {
    offset_table table(l.logical.size());
    for (size_t d = 0; d < table.size(); ++d) {
        for (int64_t i = 0; i < l.padded[d]; ++i) {
            int64_t rest = i;
            int64_t inner_stride = 1;
            int64_t offset = 0;
            for (size_t b = l.inner_blks.size(); b-- > 0;) {
                if (l.inner_idxs[b] == static_cast<int>(d)) {
                    offset += rest % l.inner_blks[b] * inner_stride;
                    rest /= l.inner_blks[b];
                }
                inner_stride *= l.inner_blks[b];
            }
            table[d].push_back(offset + rest * l.strides[d]);
        }
    }
    return table;
}

int64_t element_offset(const layout &l, const dims &index) {
    const offset_table table = offset_table_of(l);
    int64_t offset = l.offset0;
    for (size_t d = 0; d < table.size(); ++d)
        offset += table[d][static_cast<size_t>(index[d])];
    return offset;
}

int64_t span_elements(const layout &l) {
    if (l.is_zero_sized()) return 0;
    int64_t last = l.offset0;
    for (const std::vector<int64_t> &column : offset_table_of(l))
        last += *std::max_element(column.begin(), column.end());
    return last + 1;
}

int64_t sum_entries(const layout &l, const sum_array &sums) {
    int64_t entries = 1;
    for (int d = 0; d < l.ndims(); ++d)
        if (sums.mask >> d & 1) entries *= l.padded[size_t(d)];
    return entries;
}

int64_t buffer_bytes(const layout &l) {
    int64_t bytes = span_bytes(l);
    if (l.sums.empty() || l.is_zero_sized()) return bytes;
    bytes = (bytes + 3) / 4 * 4;
    for (const sum_array &sums : l.sums)
        bytes += 4 * sum_entries(l, sums);
    return bytes;
}

int64_t span_bytes(const layout &l) { return bytes_for_elements(l.data_type, span_elements(l)); }

std::string dims_text(const dims &values) {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i)
        text += (i ? "x" : "") + std::to_string(values[i]);
    return text;
}

} // namespace tfmt_test
