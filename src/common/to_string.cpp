// SPDX-License-Identifier: Apache-2.0
#include "common/to_string.hpp"

#include <algorithm>

#include "common/checked.hpp"
#include "common/compensation.hpp"
#include "common/data_type.hpp"
#include "common/format_tag.hpp"
#include "common/memory_desc_detail.hpp"

namespace tfmt {

namespace {

tag_layout describe_layout(const memory_desc &md) {
    tag_layout layout = tag_layout();
    layout.ndims = md.ndims;
    order_by_strides(md, layout.order);
    layout.inner_nblks = md.inner_nblks;
    std::copy(md.inner_blks, md.inner_blks + md.inner_nblks, layout.inner_blks);
    std::copy(md.inner_idxs, md.inner_idxs + md.inner_nblks, layout.inner_idxs);
    return layout;
}

// The strides that equality looks at are those of a tensor without gaps. `md` is valid, so its
// dense twin overflows nothing.
bool is_dense(const memory_desc &md, const tag_layout &layout) {
    memory_desc dense = md;
    set_dense_strides(&dense, layout.order);
    return equal(md, dense);
}

void append(std::string *text, const dim_t *values, int n) {
    for (int i = 0; i < n; ++i) {
        if (i > 0) *text += 'x';
        *text += values[i] == TFMT_RUNTIME_DIM_VAL ? "*" : std::to_string(values[i]);
    }
}

// Strides of dimensions with one outer block mean nothing: always written as 1, so that equal
// descriptors read the same.
void append_strides(std::string *text, const memory_desc &md) {
    dims_t blocks, shown;
    block_sizes(md, blocks);
    for (int d = 0; d < md.ndims; ++d)
        shown[d] = md.padded_dims[d] == blocks[d] ? 1 : md.strides[d];
    append(text, shown, md.ndims);
}

// Reads one descriptor from front to back.
class desc_reader {
public:
    explicit desc_reader(const char *text) : text_(text) {}

    memory_desc read() {
        data_type_t dt;
        const std::string type = read_field("a data type");
        if (!parse_data_type(type.c_str(), &dt)) fail(0, "wanted the name of a data type");
        const std::string tag = read_field("a tag");
        dims_t dims, strides;
        const int ndims = read_numbers(dims);
        if (tag == "any") {
            if (text_[at_] != '\0') fail(at_, "wanted the end after the dims of tag any");
            return make_with_tag(ndims, dims, dt, tfmt_format_tag_any);
        }
        const tag_layout layout = parse_tag(tag.c_str());
        if (layout.ndims != ndims) fail(at_, "wanted as many dims as the tag has letters");
        memory_desc md = describe(ndims, dims, dt);
        set_blocks(&md, layout.inner_nblks, layout.inner_blks, layout.inner_idxs);
        set_dense_strides(&md, layout.order);
        if (skip(":s")) {
            const size_t first = at_;
            if (read_numbers(strides) != ndims) fail(first, "wanted as many strides as dims");
            set_strides(&md, strides, layout, first);
        }
        if (skip(":o")) md.offset0 = read_number();
        md.sums = read_compensation();
        if (text_[at_] != '\0')
            fail(at_,
                    "wanted the end, \":s\" and strides, \":o\" and offset0, or \":c\" and \":z\" "
                    "and masks, in this order");
        validate(md);
        return md;
    }

private:
    [[noreturn]] void fail(size_t position, const char *wanted) const {
        fail_invalid("string at position " + std::to_string(position) + ": " + wanted);
    }

    std::string read_field(const char *what) {
        const size_t first = at_;
        const size_t longest = 256;
        while (text_[at_] != '\0' && text_[at_] != ':' && at_ - first < longest)
            ++at_;
        if (text_[at_] != ':') fail(at_, (std::string("wanted ':' after ") + what).c_str());
        return std::string(text_ + first, at_++ - first);
    }

    bool skip(const char *mark) {
        if (text_[at_] != mark[0] || text_[at_ + 1] != mark[1]) return false;
        at_ += 2;
        return true;
    }

    dim_t read_number() {
        if (text_[at_] == '*') return ++at_, TFMT_RUNTIME_DIM_VAL;
        const size_t first = at_;
        dim_t value = 0;
        for (; text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
            if (!multiply(value, 10, &value) || !add(value, text_[at_] - '0', &value))
                fail(first, "the number overflows 64 bits");
        if (at_ == first) fail(at_, "wanted a number or '*'");
        return value;
    }

    int read_numbers(dim_t *values) {
        int n = 0;
        do {
            if (n == TFMT_MAX_NDIMS) fail(at_, "more than 12 numbers");
            values[n++] = read_number();
        } while (text_[at_] == 'x' && ++at_);
        return n;
    }

    compensation read_compensation() {
        compensation sums = {};
        if (skip(":c")) {
            sums.flags |= tfmt_compensation_s8s8;
            sums.s8s8_mask = read_mask();
        }
        if (skip(":z")) {
            sums.flags |= tfmt_compensation_asymmetric_src;
            sums.asymmetric_mask = read_mask();
        }
        return sums;
    }

    int read_mask() {
        const size_t first = at_;
        const dim_t value = read_number();
        if (value < 0 || value >> TFMT_MAX_NDIMS) fail(first, "wanted a mask of dimensions");
        return static_cast<int>(value);
    }

    // A tag that contradicts the strides would say two things at once.
    void set_strides(
            memory_desc *md, const dim_t *strides, const tag_layout &layout, size_t position) {
        std::copy(strides, strides + md->ndims, md->strides);
        dims_t blocks;
        block_sizes(*md, blocks);
        dim_t last = INT64_MAX;
        for (int i = 0; i < md->ndims; ++i) {
            const int d = layout.order[i];
            if (strides[d] == TFMT_RUNTIME_DIM_VAL || md->padded_dims[d] == blocks[d]) continue;
            if (strides[d] > last) fail(position, "the strides are not in the order of the tag");
            last = strides[d];
        }
    }

    const char *text_;
    size_t at_ = 0;
};

} // namespace

std::string to_string(const memory_desc &md) {
    std::string text = std::string(name_of(md.data_type)) + ":";
    if (md.format_kind != tfmt_blocked) {
        text += "any:";
        append(&text, md.dims, md.ndims);
        return text;
    }
    const tag_layout layout = describe_layout(md);
    text += print_tag(layout) + ":";
    append(&text, md.dims, md.ndims);
    if (!is_dense(md, layout)) {
        text += ":s";
        append_strides(&text, md);
    }
    if (md.offset0 != 0) {
        text += ":o";
        append(&text, &md.offset0, 1);
    }
    if (has_s8s8(md.sums)) text += ":c" + std::to_string(md.sums.s8s8_mask);
    if (has_asymmetric(md.sums)) text += ":z" + std::to_string(md.sums.asymmetric_mask);
    return text;
}

memory_desc parse_desc(const char *string) { return desc_reader(string).read(); }

} // namespace tfmt
