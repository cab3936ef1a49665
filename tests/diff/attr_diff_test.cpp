// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and sums against the oracle, bit for bit: types x layouts x attributes x
// instruction sets x threads.
#include <cmath>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

parameter make_parameter(bool is_scale, int mask, const dims &groups, tfmt_data_type_t type,
        const dims &logical, uint64_t seed) {
    parameter p;
    p.is_set = true;
    p.mask = mask;
    p.groups = groups;
    p.type = type;
    random_source random(seed);
    fill_values(&p, is_scale, logical, random);
    return p;
}

void execute(const desc_ptr &src_md, const void *src, const desc_ptr &dst_md, void *dst,
        const attributes &attr) {
    const attr_ptr handle = make_attr(attr);
    const tfmt_exec_args_t args = exec_args_of(attr);
    tfmt_reorder_t reorder = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&reorder, src_md.get(), dst_md.get(), handle.get()), tfmt_success)
            << tfmt_get_last_error();
    EXPECT_EQ(tfmt_reorder_execute(reorder, src, dst, &args), tfmt_success)
            << tfmt_get_last_error();
    tfmt_reorder_destroy(reorder);
}

class attr_diff : public isa_fixture {
protected:
    void check_tags(const dims &shape, tfmt_data_type_t src_type, const std::string &src_tag,
            tfmt_data_type_t dst_type, const std::string &dst_tag, const attributes &attr) {
        check(tagged(shape, src_type, src_tag), tagged(shape, dst_type, dst_tag), ++seed_, &attr);
    }

    uint64_t seed_ = 0;
};

TEST_P(attr_diff, every_pair_of_types) {
    uint64_t seed = 1;
    for (tfmt_data_type_t src_type : every_type())
        for (tfmt_data_type_t dst_type : every_type())
            for (int i = 0; i < scaled(8); ++i) {
                random_source random(++seed);
                const dims shape = random_dims(random, 1500);
                const attributes attr = random_attributes(random, shape);
                check(make_random_desc(random, shape, src_type, role::src, 32 << 10),
                        make_random_desc(random, shape, dst_type, role::dst, 32 << 10), seed,
                        &attr);
                if (HasFailure()) return;
            }
}

// The pairs that quantised models use, more often.
TEST_P(attr_diff, pairs_of_quantisation) {
    static const std::vector<tfmt_data_type_t> wide = {tfmt_f32, tfmt_bf16, tfmt_f16};
    static const std::vector<tfmt_data_type_t> narrow = {tfmt_s8, tfmt_u8, tfmt_s4, tfmt_u4,
            tfmt_f8_e4m3, tfmt_f8_e5m2, tfmt_f4_e2m1, tfmt_s32, tfmt_f32};
    for (int i = 0; i < scaled(900); ++i) {
        random_source random(static_cast<uint64_t>(10000 + i));
        const dims shape = random_dims(random, 3000, false);
        const attributes attr = random_attributes(random, shape);
        tfmt_data_type_t src_type = random.pick(wide), dst_type = random.pick(narrow);
        if (random.one_in(2)) std::swap(src_type, dst_type);
        check(make_random_desc(random, shape, src_type, role::src, 32 << 10),
                make_random_desc(random, shape, dst_type, role::dst, 32 << 10),
                static_cast<uint64_t>(10000 + i), &attr);
        if (HasFailure()) return;
    }
}

// Every attribute alone, with every mask of the dims, along and across the lanes of layouts with
// and without tails.
TEST_P(attr_diff, every_mask_of_each_attribute) {
    const dims shape = {3, 37, 5, 18};
    static const std::vector<std::pair<const char *, const char *>> tags = {{"abcd", "abcd"},
            {"abcd", "acdb"}, {"acdb", "abcd"}, {"abcd", "aBcd16b"}, {"aBcd8b", "acdb"},
            {"abcd", "dcba"}};
    for (int mask = 0; mask < 16; ++mask)
        for (int which = 0; which < 4; ++which) {
            const bool is_scale = which < 2;
            const parameter p = make_parameter(is_scale, mask, {}, is_scale ? tfmt_f32 : tfmt_s32,
                    shape, static_cast<uint64_t>(mask * 4 + which + 1));
            attributes attr;
            (which == 0                  ? attr.src_scales
                            : which == 1 ? attr.dst_scales
                            : which == 2 ? attr.src_zero_points
                                         : attr.dst_zero_points) = p;
            const auto &pair = tags[static_cast<size_t>(mask + which) % tags.size()];
            check_tags(shape, tfmt_f32, pair.first, tfmt_s8, pair.second, attr);
            check_tags(shape, tfmt_u8, pair.first, tfmt_bf16, pair.second, attr);
            if (HasFailure()) return;
        }
}

// Weights of k x n, or n x k, packed and unpacked with one scale and zero point for each group.
TEST_P(attr_diff, groups_of_weights) {
    static const std::vector<tfmt_data_type_t> scale_types = {
            tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_e8m0};
    static const std::vector<tfmt_data_type_t> zero_point_types = {
            tfmt_s32, tfmt_s8, tfmt_u8, tfmt_s4, tfmt_u4};
    const dims shape = {96, 80};
    uint64_t n = 0;
    for (const dims &groups : {dims {32, 1}, dims {1, 16}, dims {8, 5}, dims {3, 20}, dims {96, 1}})
        for (const char *tag : {"ab", "ba", "BA16a16b2a", "BA16a64b4a", "AB48b32a"})
            for (tfmt_data_type_t type : {tfmt_u4, tfmt_s4, tfmt_f4_e2m1, tfmt_s8, tfmt_u8}) {
                attributes attr;
                const tfmt_data_type_t wide = random_source(n).pick(
                        std::vector<tfmt_data_type_t> {tfmt_f32, tfmt_bf16, tfmt_f16});
                const parameter scales = make_parameter(
                        true, 3, groups, scale_types[n % 4], shape, n + 1);
                const parameter zero_points = make_parameter(
                        false, 3, groups, zero_point_types[n % 5], shape, n + 2);
                ++n;
                attr.src_scales = scales;
                attr.src_zero_points = zero_points;
                check_tags(shape, type, tag, wide, n % 2 ? "ab" : "ba", attr);
                attributes back;
                back.dst_scales = scales;
                back.dst_zero_points = zero_points;
                check_tags(shape, wide, "ab", type, tag, back);
                if (HasFailure()) return;
            }
}

// To 4 bits from every type, in whole vectors and with scales that make short quotients: decoding,
// quotient and packing share registers.
TEST_P(attr_diff, every_type_to_4_bits) {
    const dims shape = {64, 256};
    uint64_t n = 0;
    for (tfmt_data_type_t src_type : every_type())
        for (tfmt_data_type_t dst_type : {tfmt_u4, tfmt_s4})
            for (const char *tag : {"ab", "ba", "BA16a64b2a"})
                for (const dims &groups : {dims {}, dims {32, 1}, dims {1, 32}}) {
                    if (!is_sampled(++n, 5)) continue;
                    attributes attr;
                    const int mask = groups.empty() ? 0 : 3;
                    attr.dst_scales = make_parameter(true, mask, groups, tfmt_f16, shape, n);
                    if (n % 3 != 0)
                        attr.dst_zero_points = make_parameter(
                                false, mask, groups, n % 3 == 1 ? tfmt_u4 : tfmt_s4, shape, n);
                    check_tags(shape, src_type, "ab", dst_type, tag, attr);
                    if (HasFailure()) return;
                }
}

// One and two grouped dims out of more, and dims in the mask that have no group.
TEST_P(attr_diff, groups_on_any_dims) {
    const dims shape = {2, 12, 9, 32};
    uint64_t n = 0;
    for (int mask = 1; mask < 16; ++mask)
        for (int n_groups = 1; n_groups <= 2; ++n_groups) {
            dims groups;
            for (int d = 3; d >= 0 && static_cast<int>(groups.size()) < n_groups; --d)
                if (mask >> d & 1) groups.insert(groups.begin(), dims {2, 4, 3, 8}[size_t(d)]);
            attributes attr;
            attr.src_scales = make_parameter(true, mask, groups, tfmt_f16, shape, ++n);
            attr.dst_zero_points = make_parameter(false, mask, groups, tfmt_u4, shape, ++n);
            check_tags(shape, tfmt_f32, "abcd", tfmt_u8, n % 3 ? "acdb" : "aBcd8b", attr);
            check_tags(shape, tfmt_s8, "acdb", tfmt_f32, "abcd", attr);
            if (HasFailure()) return;
        }
}

// Runs whose ends are tails of vectors, for per-tensor values and for values along the run.
TEST_P(attr_diff, short_runs) {
    for (int64_t n = 1; n <= 130; n += scaled(10) > 5 ? 1 : 9)
        for (int mask : {0, 1}) {
            const auto seed = static_cast<uint64_t>(n);
            attributes attr;
            attr.dst_scales = make_parameter(true, mask, {}, tfmt_f32, {n}, seed);
            attr.dst_zero_points = make_parameter(false, mask, {}, tfmt_s8, {n}, seed + 1);
            check_tags({n}, tfmt_f32, "a", tfmt_u8, "a", attr);
            check_tags({n}, tfmt_bf16, "a", tfmt_s4, "a", attr);
            attributes back;
            back.src_scales = attr.dst_scales;
            back.src_zero_points = attr.dst_zero_points;
            back.has_sum = n % 2;
            back.beta = 0.5f;
            check_tags({n}, tfmt_u4, "a", tfmt_f32, "a", back);
            check_tags({n}, tfmt_s8, "a", tfmt_f16, "a", back);
            if (HasFailure()) return;
        }
}

// Half of the elements become NaNs with payloads, some of the rest zeros and infinities.
void sprinkle_nans(tfmt_data_type_t type, void *data, int64_t n, random_source &random) {
    const uint64_t infinity = encode(type, INFINITY);
    for (int64_t i = 0; i < n; ++i) {
        if (random.one_in(2))
            store_bits(type, data, i, infinity | random.bits());
        else if (random.one_in(4))
            store_bits(type, data, i, random.one_in(2) ? infinity : 0);
    }
}

// Scales, a sum and elements of 13x35, about half of all of them NaNs.
void check_nans(tfmt_data_type_t src_type, tfmt_data_type_t dst_type, tfmt_data_type_t scale_type,
        int mask, uint64_t seed) {
    const dims shape = {13, 35};
    random_source random(seed);
    attributes attr;
    attr.src_scales = make_parameter(true, mask, {}, scale_type, shape, seed);
    attr.dst_scales = make_parameter(true, 3 - mask, {}, scale_type, shape, seed);
    for (parameter *p : {&attr.src_scales, &attr.dst_scales})
        sprinkle_nans(scale_type, p->values.data(), p->count(shape), random);
    attr.has_sum = random.one_in(2);
    attr.beta = random.one_in(3) ? NAN : 1.0f;
    const desc_ptr src_md = make_with_tag(shape, src_type, "ab");
    const desc_ptr dst_md = make_with_tag(shape, dst_type, mask % 2 ? "ba" : "ab");
    const layout src = read_layout(src_md.get()), dst = read_layout(dst_md.get());
    std::vector<unsigned char> from(static_cast<size_t>(span_bytes(src)));
    std::vector<unsigned char> to(static_cast<size_t>(span_bytes(dst)));
    fill_for_conversion(from.data(), span_bytes(src), src_type, dst_type, random);
    fill_for_conversion(to.data(), span_bytes(dst), dst_type, dst_type, random);
    sprinkle_nans(src_type, from.data(), 13 * 35, random);
    if (is_float_type(dst_type)) sprinkle_nans(dst_type, to.data(), 13 * 35, random);
    std::vector<unsigned char> expected = to;
    oracle_reorder(src, from.data(), dst, expected.data(), attr);
    execute(src_md, from.data(), dst_md, to.data(), attr);
    EXPECT_EQ(compare_bytes(dst, to.data(), expected.data(), span_bytes(dst)), "")
            << type_name(src_type) << " -> " << type_name(dst_type) << ", attributes "
            << attributes_text(attr) << ", seed " << seed;
}

// An operation on two NaNs gives the left one, in vectors and in their tails.
TEST_P(attr_diff, nans_meet_nans) {
    uint64_t seed = 7000;
    for (tfmt_data_type_t scale_type : {tfmt_f32, tfmt_bf16, tfmt_f16})
        for (tfmt_data_type_t src_type : {tfmt_f32, tfmt_bf16, tfmt_f16})
            for (tfmt_data_type_t dst_type : {tfmt_f32, tfmt_bf16, tfmt_f16, tfmt_f64, tfmt_u8})
                for (int mask = 0; mask < 4; ++mask) {
                    check_nans(src_type, dst_type, scale_type, mask, ++seed);
                    if (HasFailure()) return;
                }
}

// Every value of a 16-bit type, quotients that are ties among them, over scales that are odd, even,
// no numbers, and what random bits are.
void check_quotients(tfmt_data_type_t src_type, tfmt_data_type_t dst_type,
        tfmt_data_type_t zero_point, const char *dst_tag, uint64_t seed) {
    // Ties over the first two are not ties times their reciprocals. Then 3, zeros, infinity, NaN,
    // the least, about 1/3, -3.5, large.
    static const uint16_t scales[] = {0x3e80, 0x3f80, 0x4200, 0x0000, 0x8000, 0x7c00, 0xfe01,
            0x0001, 0x3555, 0xc2ff, 0x6bff, 0x03ff};
    const dims shape = {4, 65536};
    random_source random(seed);
    attributes attr;
    attr.dst_scales = make_parameter(true, 1, {}, tfmt_f16, shape, seed);
    for (int64_t i = 0; i < shape[0]; ++i)
        store_bits(tfmt_f16, attr.dst_scales.values.data(), i,
                i < 2            ? scales[i]
                        : i == 2 ? scales[random.below(12)]
                                 : random.bits() & 0xffff);
    if (zero_point != tfmt_data_type_undef)
        attr.dst_zero_points = make_parameter(false, 1, {}, zero_point, shape, seed);
    const desc_ptr src_md = make_with_tag(shape, src_type, "ab");
    const desc_ptr dst_md = make_with_tag(shape, dst_type, dst_tag);
    const layout src = read_layout(src_md.get()), dst = read_layout(dst_md.get());
    std::vector<uint16_t> from(static_cast<size_t>(shape[0] * shape[1]));
    for (size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<uint16_t>(i);
    std::vector<unsigned char> to(static_cast<size_t>(span_bytes(dst)));
    std::vector<unsigned char> expected = to;
    oracle_reorder(src, reinterpret_cast<unsigned char *>(from.data()), dst, expected.data(), attr);
    execute(src_md, from.data(), dst_md, to.data(), attr);
    ASSERT_EQ(compare_bytes(dst, to.data(), expected.data(), span_bytes(dst)), "")
            << type_name(src_type) << " -> " << type_name(dst_type) << ", " << dst_tag << ", "
            << attributes_text(attr);
}

TEST_P(attr_diff, every_quotient_of_16_bits) {
    uint64_t seed = 40;
    for (tfmt_data_type_t src_type : {tfmt_bf16, tfmt_f16})
        for (tfmt_data_type_t dst_type : {tfmt_u4, tfmt_s4, tfmt_u8, tfmt_s8})
            for (tfmt_data_type_t zero_point : {tfmt_data_type_undef, tfmt_u4, tfmt_s4, tfmt_u8}) {
                // Only 4 bits have a way of their own in pairs of rows, and with zero points of 4.
                const bool is_of_4_bits = dst_type == tfmt_u4 || dst_type == tfmt_s4;
                if (!is_of_4_bits && zero_point == tfmt_s4) continue;
                for (const char *dst_tag : {"ab", "ba"})
                    if ((is_of_4_bits || dst_tag[0] == 'a') && is_sampled(++seed, 5))
                        check_quotients(src_type, dst_type, zero_point, dst_tag, seed);
                if (HasFatalFailure()) return;
            }
}

TEST_P(attr_diff, threads_do_not_change_the_result) {
    const dims shape = {3, 70, 31, 33};
    for (int n_threads : {1, 2, 5}) {
        ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
        attributes attr;
        attr.dst_scales = make_parameter(true, 2, {}, tfmt_f32, shape, 1);
        attr.src_zero_points = make_parameter(false, 9, {}, tfmt_s32, shape, 2);
        check_tags(shape, tfmt_f32, "abcd", tfmt_s8, "aBcd16b", attr);
        attr.has_sum = true;
        attr.beta = 0.25f;
        check_tags(shape, tfmt_f32, "abcd", tfmt_u8, "acdb", attr);
        check_tags(shape, tfmt_s8, "acdb", tfmt_bf16, "abcd", attr);
    }
}

// Equal descriptors and one buffer: each element is computed where it lies.
TEST_P(attr_diff, in_place) {
    uint64_t seed = 900;
    for (tfmt_data_type_t type : every_type())
        for (const char *tag : {"abc", "cab", "aBc16b"}) {
            const dims shape = {3, 21, 6};
            random_source random(++seed);
            const attributes attr = random_attributes(random, shape);
            const desc_ptr md = make_with_tag(shape, type, tag);
            const layout l = read_layout(md.get());
            std::vector<unsigned char> data(static_cast<size_t>(span_bytes(l)));
            fill_for_conversion(data.data(), span_bytes(l), type, type, random);
            const std::vector<unsigned char> src = data;
            std::vector<unsigned char> expected = data;
            oracle_reorder(l, src.data(), l, expected.data(), attr);

            execute(md, data.data(), md, data.data(), attr);
            ASSERT_EQ(compare_bytes(l, data.data(), expected.data(), span_bytes(l)), "")
                    << type_name(type) << " " << tag << ": " << attributes_text(attr);
        }
}

INSTANTIATE_FOR_EVERY_ISA(attr_diff);

} // namespace
