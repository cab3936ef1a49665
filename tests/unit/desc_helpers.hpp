// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/memory_desc.hpp"
#include "common/offset.hpp"

// What the tests of descriptors share: short makers, walks over indices, random descriptors, and
// the check that a call is refused as the header promises.
namespace desc_test {

using tfmt::dim_t;
using tfmt::memory_desc;
using vec = std::vector<dim_t>;

inline memory_desc by_tag(const vec &dims, const std::string &tag, tfmt_data_type_t dt = tfmt_f32) {
    return tfmt::make_with_string_tag(static_cast<int>(dims.size()), dims.data(), dt, tag.c_str());
}
inline memory_desc by_strides(const vec &dims, const vec &strides, tfmt_data_type_t dt = tfmt_f32) {
    return tfmt::make_with_strides(static_cast<int>(dims.size()), dims.data(), dt, strides.data());
}

inline vec strides_of(const memory_desc &md) { return vec(md.strides, md.strides + md.ndims); }
inline vec dims_of(const memory_desc &md) { return vec(md.dims, md.dims + md.ndims); }
inline vec padded_dims_of(const memory_desc &md) {
    return vec(md.padded_dims, md.padded_dims + md.ndims);
}

// Calls visit(index) for every index below `extents`, the last dimension fastest.
inline void for_each_index(const vec &extents, const std::function<void(const vec &)> &visit) {
    for (dim_t extent : extents)
        if (extent == 0) return;
    vec index(extents.size(), 0);
    while (true) {
        visit(index);
        size_t d = extents.size();
        while (d > 0 && ++index[d - 1] == extents[d - 1])
            index[--d] = 0;
        if (d == 0) return;
    }
}

// All offsets of the elements within dims, in the logical order.
inline vec offsets_of(const memory_desc &md) {
    vec offsets;
    for_each_index(
            dims_of(md), [&](const vec &i) { offsets.push_back(tfmt::offset_of(md, i.data())); });
    return offsets;
}

class random_descs {
public:
    explicit random_descs(unsigned seed) : engine_(seed) {}

    dim_t below(dim_t n) { return std::uniform_int_distribution<dim_t>(0, n - 1)(engine_); }

    // Any order, up to three inner blocks, small dims with tails.
    std::string tag(int ndims) {
        std::string letters = std::string("abcdefghijkl").substr(0, static_cast<size_t>(ndims)),
                    blocks;
        for (size_t i = letters.size(); i > 1; --i)
            std::swap(letters[i - 1], letters[static_cast<size_t>(below(static_cast<dim_t>(i)))]);
        for (dim_t n = below(4); n > 0; --n) {
            char &letter = letters[static_cast<size_t>(below(ndims))];
            const char lower = letter >= 'a' ? letter : static_cast<char>(letter - 'A' + 'a');
            letter = static_cast<char>(lower - 'a' + 'A');
            blocks += std::to_string(2 + below(4)) + lower;
        }
        return letters + blocks;
    }

    vec dims(int ndims) {
        vec result;
        for (int d = 0; d < ndims; ++d)
            result.push_back(below(4) == 0 ? 1 : 1 + below(9));
        return result;
    }

    memory_desc dense() {
        const int ndims = static_cast<int>(1 + below(5));
        return by_tag(dims(ndims), tag(ndims));
    }

    // Strides that leave gaps: a dense descriptor with every outer stride taken apart.
    memory_desc spread() {
        memory_desc md = dense();
        const dim_t factor = 1 + below(3);
        vec strides = strides_of(md);
        for (dim_t &stride : strides)
            stride *= factor;
        return tfmt::make_with_blocking(md.ndims, md.dims, md.data_type, strides.data(),
                md.inner_nblks, md.inner_blks, md.inner_idxs);
    }

private:
    std::mt19937 engine_;
};

// A maker of the C API must fail with `status` and a message that has `function` and every one of
// `words` in it, and leave the output handle alone.
inline void expect_refused(const char *function, const std::vector<std::string> &words,
        const std::function<tfmt_status_t(tfmt_memory_desc_t *)> &call,
        tfmt_status_t status = tfmt_invalid_arguments) {
    const auto poison = reinterpret_cast<tfmt_memory_desc_t>(static_cast<uintptr_t>(0x5a5a5a5a));
    tfmt_memory_desc_t md = poison;
    EXPECT_EQ(call(&md), status) << function << ' ' << words[0];
    EXPECT_EQ(md, poison) << function << ' ' << words[0];
    const std::string message = tfmt_get_last_error();
    EXPECT_NE(message.find(std::string(function) + ": "), std::string::npos) << message;
    for (const std::string &word : words)
        EXPECT_NE(message.find(word), std::string::npos) << message << " lacks " << word;
}

} // namespace desc_test
