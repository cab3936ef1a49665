// SPDX-License-Identifier: Apache-2.0
#include "support/random_desc.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "support/element.hpp"

namespace tfmt_test {
namespace {

struct block_list {
    std::vector<int> dim;
    dims size;
};

std::vector<int> random_permutation(random_source &random, int n) {
    std::vector<int> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (int i = n - 1; i > 0; --i)
        std::swap(order[i], order[random.below(i + 1)]);
    return order;
}

block_list random_blocks(random_source &random, int ndims) {
    static const dims sizes = {2, 4, 8, 16, 32, 64, 16, 8, 16, 32};
    static const dims odd_sizes = {3, 7, 12, 24, 40, 48};
    static const dims outer_sizes = {2, 4, 8, 16};
    static const dims middle_sizes = {8, 16, 32};
    static const dims vnni = {2, 4};
    const int x = static_cast<int>(random.below(ndims));
    const int y = static_cast<int>(random.below(ndims));
    switch (random.below(6)) {
    case 0: return {};
    case 1: return {{x}, {random.pick(sizes)}};
    case 2: return {{x}, {random.pick(odd_sizes)}};
    case 3: return {{x, y}, {random.pick(sizes), random.pick(vnni)}};
    case 4: return {{x, y}, {random.pick(middle_sizes), random.pick(middle_sizes)}};
    default:
        return {{x, y, x},
                {random.pick(outer_sizes), random.pick(middle_sizes), random.pick(vnni)}};
    }
}

std::string tag_text(const std::vector<int> &order, const block_list &blocks) {
    std::string tag;
    for (int d : order) {
        const bool is_blocked = std::find(blocks.dim.begin(), blocks.dim.end(), d)
                != blocks.dim.end();
        tag += static_cast<char>((is_blocked ? 'A' : 'a') + d);
    }
    for (size_t b = 0; b < blocks.dim.size(); ++b)
        tag += std::to_string(blocks.size[b]) + static_cast<char>('a' + blocks.dim[b]);
    return tag;
}

[[noreturn]] void refused(const std::string &recipe) {
    throw std::runtime_error(recipe + " was refused: " + tfmt_get_last_error());
}

std::string recipe_head(const dims &logical, tfmt_data_type_t type) {
    return std::string(type_name(type)) + " " + dims_text(logical);
}

random_desc with_tag(random_source &random, const dims &logical, tfmt_data_type_t type) {
    const std::string tag = random_tag(random, static_cast<int>(logical.size()));
    return tagged(logical, type, tag);
}

// Outer strides in a random order, each with a random gap above what lies below.
dims gapped_strides(random_source &random, const dims &logical, const block_list &blocks) {
    const int ndims = static_cast<int>(logical.size());
    dims per_dim(logical.size(), 1);
    int64_t below = 1;
    for (size_t b = 0; b < blocks.dim.size(); ++b) {
        per_dim[blocks.dim[b]] *= blocks.size[b];
        below *= blocks.size[b];
    }
    dims strides(logical.size());
    for (int d : random_permutation(random, ndims)) {
        if (random.one_in(3)) below += random.between(1, 5);
        strides[d] = below;
        below *= std::max<int64_t>(1, (logical[d] + per_dim[d] - 1) / per_dim[d]);
    }
    return strides;
}

random_desc with_strides(
        random_source &random, const dims &logical, tfmt_data_type_t type, role as) {
    dims strides = gapped_strides(random, logical, {});
    if (as == role::src && random.one_in(4)) {
        const auto d = static_cast<size_t>(random.below(static_cast<int64_t>(logical.size())));
        strides[d] = 0;
    }
    random_desc made;
    made.recipe = recipe_head(logical, type) + " strides " + dims_text(strides);
    tfmt_memory_desc_t md = nullptr;
    if (tfmt_memory_desc_create_with_strides(
                &md, static_cast<int>(logical.size()), logical.data(), type, strides.data())
            != tfmt_success)
        refused(made.recipe);
    made.md.reset(md);
    return made;
}

random_desc with_blocking(random_source &random, const dims &logical, tfmt_data_type_t type) {
    const block_list blocks = random_blocks(random, static_cast<int>(logical.size()));
    const dims strides = gapped_strides(random, logical, blocks);
    const dims idxs(blocks.dim.begin(), blocks.dim.end());
    random_desc made;
    made.recipe = recipe_head(logical, type) + " strides " + dims_text(strides) + " blocks "
            + dims_text(blocks.size) + " of dims " + dims_text(idxs);
    tfmt_memory_desc_t md = nullptr;
    if (tfmt_memory_desc_create_with_blocking(&md, static_cast<int>(logical.size()), logical.data(),
                type, strides.data(), static_cast<int>(blocks.size.size()), blocks.size.data(),
                idxs.data())
            != tfmt_success)
        refused(made.recipe);
    made.md.reset(md);
    return made;
}

// A window of a larger tensor. On blocked dims it begins at a block and ends at a block or at the
// parent's end, the windows that keep a block whole.
random_desc with_submemory(random_source &random, const dims &logical, tfmt_data_type_t type) {
    const int ndims = static_cast<int>(logical.size());
    block_list blocks = random_blocks(random, ndims);
    dims parent = logical;
    dims offsets(logical.size(), 0);
    for (int d = 0; d < ndims; ++d) {
        int64_t block = 1;
        for (size_t b = 0; b < blocks.dim.size(); ++b)
            if (blocks.dim[b] == d) block *= blocks.size[b];
        offsets[d] = random.one_in(2) ? random.between(0, 2) * block : 0;
        parent[d] = logical[d] + offsets[d];
        if (logical[d] % block == 0 && random.one_in(2)) parent[d] += random.between(0, 3);
    }
    const std::string tag = tag_text(random_permutation(random, ndims), blocks);
    const desc_ptr whole = make_with_tag(parent, type, tag);
    random_desc made;
    made.recipe = recipe_head(logical, type) + " at " + dims_text(offsets) + " of "
            + dims_text(parent) + " tag " + tag;
    tfmt_memory_desc_t md = nullptr;
    if (tfmt_memory_desc_create_submemory(&md, whole.get(), logical.data(), offsets.data())
            != tfmt_success)
        refused(made.recipe);
    made.md.reset(md);
    return made;
}

} // namespace

desc_ptr make_with_tag(const dims &logical, tfmt_data_type_t type, const std::string &tag) {
    tfmt_memory_desc_t md = nullptr;
    if (tfmt_memory_desc_create_with_string_tag(
                &md, static_cast<int>(logical.size()), logical.data(), type, tag.c_str())
            != tfmt_success)
        refused(recipe_head(logical, type) + " tag " + tag);
    return desc_ptr(md);
}

random_desc tagged(const dims &logical, tfmt_data_type_t type, const std::string &tag) {
    return {make_with_tag(logical, type, tag), recipe_head(logical, type) + " tag " + tag};
}

desc_ptr make_with_strides(const dims &logical, tfmt_data_type_t type, const dims &strides) {
    tfmt_memory_desc_t md = nullptr;
    if (tfmt_memory_desc_create_with_strides(
                &md, static_cast<int>(logical.size()), logical.data(), type, strides.data())
            != tfmt_success)
        refused(recipe_head(logical, type) + " strides " + dims_text(strides));
    return desc_ptr(md);
}

dims random_dims(random_source &random, int64_t max_elements, bool allow_zero) {
    static const dims small = {1, 2, 3, 4, 5, 7, 8};
    static const dims large = {9, 13, 15, 16, 17, 19, 24, 31, 32, 33, 40, 47, 48, 49, 63, 64, 65,
            97, 100, 127, 128, 129, 257};
    const auto ndims = static_cast<size_t>(
            random.one_in(8) ? random.between(6, TFMT_MAX_NDIMS) : random.between(1, 5));
    dims shape(ndims, 1);
    int64_t elements = 1;
    for (int i : random_permutation(random, static_cast<int>(ndims))) {
        const bool is_large = random.one_in(ndims > 5 ? 4 : 2);
        const int64_t size = random.pick(is_large ? large : small);
        if (elements * size > max_elements) continue;
        shape[static_cast<size_t>(i)] = size;
        elements *= size;
    }
    if (allow_zero && random.one_in(50)) shape[static_cast<size_t>(random.below(ndims))] = 0;
    return shape;
}

std::string random_tag(random_source &random, int ndims) {
    return tag_text(random_permutation(random, ndims), random_blocks(random, ndims));
}

random_desc make_random_desc(random_source &random, const dims &logical, tfmt_data_type_t type,
        role as, int64_t max_bytes) {
    for (int tries = 0; tries < 20; ++tries) {
        random_desc made;
        switch (random.below(8)) {
        case 0: made = with_strides(random, logical, type, as); break;
        case 1: made = with_blocking(random, logical, type); break;
        case 2: made = with_submemory(random, logical, type); break;
        default: made = with_tag(random, logical, type); break;
        }
        if (span_bytes(read_layout(made.md.get())) <= max_bytes) return made;
    }
    const std::string plain = std::string("abcdefghijkl").substr(0, logical.size());
    return tagged(logical, type, plain);
}

} // namespace tfmt_test
