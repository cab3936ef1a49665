// SPDX-License-Identifier: Apache-2.0
// Short inner extents that are no powers of two, such as the 3 channels of an image, on both sides:
// vectors hold several of them one behind the other.
#include <algorithm>
#include <functional>
#include <numeric>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"

using namespace tfmt_test;

namespace {

const std::vector<tfmt_data_type_t> one_of_each_width = {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64};

int64_t short_extent(random_source &random) {
    static const std::vector<int64_t> odd = {3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23};
    return random.one_in(4) ? random.between(1, 24) : random.pick(odd);
}

int64_t product(const dims &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>());
}

std::string shuffled(random_source &random, std::string letters) {
    for (size_t i = letters.size(); i > 1; --i)
        std::swap(letters[i - 1],
                letters[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
    return letters;
}

// "abc" with its outermost dimension in blocks: whatever is short and inside of it is cut by tails
// and stands before zero padding.
std::string with_blocks(random_source &random, std::string order) {
    static const std::vector<int64_t> blocks = {2, 3, 4, 5, 8, 16};
    const char letter = order[0];
    order[0] = static_cast<char>(letter - 'a' + 'A');
    return order + std::to_string(random.pick(blocks)) + letter;
}

class packed_diff : public isa_fixture {
protected:
    void SetUp() override {
        isa_fixture::SetUp();
        if (GetParam().isa == tfmt_cpu_isa_none) GTEST_SKIP() << "the portable path packs nothing";
    }

    // Each with a seed of its own, the next ones.
    void check_both_ways(const random_desc &a, const random_desc &b, uint64_t &seed) {
        check(a, b, ++seed);
        check(b, a, ++seed);
    }

    // Layouts of `shape` by tags, one of them with blocks in some cases.
    void check_tags(
            random_source &random, const dims &shape, tfmt_data_type_t type, uint64_t seed) {
        const std::string letters = std::string("abcdef").substr(0, shape.size());
        std::string src_tag = shuffled(random, letters), dst_tag = shuffled(random, letters);
        if (random.one_in(3)) dst_tag = with_blocks(random, dst_tag);
        if (random.one_in(4)) src_tag = with_blocks(random, src_tag);
        check(tagged(shape, type, src_tag), tagged(shape, type, dst_tag), seed);
    }

    // A window of a larger tensor on each side, at any place.
    void check_submemories(
            random_source &random, const dims &shape, tfmt_data_type_t type, uint64_t seed) {
        const std::string letters = std::string("abcdef").substr(0, shape.size());
        const auto window = [&] {
            dims parent_dims = shape, offsets(shape.size(), 0);
            for (size_t d = 0; d < shape.size(); ++d)
                if (random.one_in(2)) {
                    offsets[d] = random.below(4);
                    parent_dims[d] += offsets[d] + random.below(4);
                }
            const std::string tag = shuffled(random, letters);
            const desc_ptr parent = make_with_tag(parent_dims, type, tag);
            tfmt_memory_desc_t md = nullptr;
            EXPECT_EQ(tfmt_memory_desc_create_submemory(
                              &md, parent.get(), shape.data(), offsets.data()),
                    tfmt_success)
                    << tfmt_get_last_error();
            return random_desc {desc_ptr(md),
                    std::string(type_name(type)) + " " + dims_text(shape) + " at "
                            + dims_text(offsets) + " of " + dims_text(parent_dims) + " tag " + tag};
        };
        const random_desc src = window(), dst = window();
        check(src, dst, seed);
    }
};

TEST_P(packed_diff, short_extents_in_any_order) {
    for (tfmt_data_type_t type : one_of_each_width)
        for (int i = 0; i < scaled(500) && !HasFailure(); ++i) {
            const uint64_t seed = 600000u + 1000u * static_cast<unsigned>(type)
                    + static_cast<unsigned>(i);
            random_source random(seed);
            dims shape(static_cast<size_t>(random.between(2, 4)), 1);
            for (int64_t &extent : shape)
                extent = short_extent(random);
            shape[static_cast<size_t>(random.below(static_cast<int64_t>(shape.size())))] =
                    random.between(1, 70);
            while (product(shape) > 20000)
                *std::max_element(shape.begin(), shape.end()) /= 2;
            check_tags(random, shape, type, seed);
        }
}

TEST_P(packed_diff, windows_of_larger_tensors) {
    for (tfmt_data_type_t type : one_of_each_width)
        for (int i = 0; i < scaled(200) && !HasFailure(); ++i) {
            const uint64_t seed = 700000u + 1000u * static_cast<unsigned>(type)
                    + static_cast<unsigned>(i);
            random_source random(seed);
            const dims shape = {random.between(1, 40), short_extent(random), short_extent(random)};
            check_submemories(random, shape, type, seed);
        }
}

// Pairs of f64 that stay together are elements of 16 bytes.
TEST_P(packed_diff, elements_of_16_bytes) {
    for (int i = 0; i < scaled(150) && !HasFailure(); ++i) {
        const uint64_t seed = 800000u + static_cast<unsigned>(i);
        random_source random(seed);
        const dims shape = {random.between(1, 40), short_extent(random), short_extent(random), 2};
        const std::string src_tag = shuffled(random, "abc") + "d";
        const std::string dst_tag = shuffled(random, "abc") + "d";
        check(tagged(shape, tfmt_f64, src_tag), tagged(shape, tfmt_f64, dst_tag), seed);
    }
}

// Every extent of an inner dimension against planes, with a batch that ends anywhere.
TEST_P(packed_diff, every_short_extent_to_and_from_planes) {
    uint64_t seed = 900000;
    for (tfmt_data_type_t type : one_of_each_width)
        for (int64_t inner = 1; inner <= 24; ++inner)
            for (int64_t pixels : {1, 7, 37, 64})
                for (const char *dst_tag : {"ab", "aB4b", "aB16b", "Ab16a"}) {
                    if (HasFailure()) return;
                    const dims shape = {pixels, inner};
                    check_both_ways(tagged(shape, type, dst_tag), tagged(shape, type, "ba"), seed);
                }
}

// Weights with channels in blocks of blocks, of which the inner ones are cut or are not.
TEST_P(packed_diff, short_extents_before_blocks_of_blocks) {
    uint64_t seed = 950000;
    for (tfmt_data_type_t type : one_of_each_width)
        for (int64_t inner : {3, 5, 9})
            for (int64_t channels : {32, 72, 80, 81, 90})
                for (const char *tag :
                        {"ABc16b32a2b", "ABc8b16a2b", "ABc4b8a4b", "ABc2a8b16a4b", "aBc4b3b2b"}) {
                    if (HasFailure()) return;
                    const dims shape = {33, channels, inner};
                    check_both_ways(tagged(shape, type, tag), tagged(shape, type, "abc"), seed);
                }
}

INSTANTIATE_FOR_EVERY_ISA(packed_diff);

} // namespace
