// SPDX-License-Identifier: Apache-2.0
// Conversions whose results are written out by hand from doc/numerics.md and the formats: NaN,
// infinity, zeros of both signs, denormals, ties, ends of ranges. No oracle takes part.
#include <sstream>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"

using namespace tfmt_test;

namespace {

// "source:destination", the bits of both in hexadecimal.
struct table_row {
    tfmt_data_type_t src_type, dst_type;
    const char *elements;
};

// clang-format off
const std::vector<table_row> table = {
        {tfmt_f32, tfmt_bf16,
                 "3f800000:3f80 3f807fff:3f80 3f808000:3f80 3f808001:3f81 3f818000:3f82 "
                 "7f7f7fff:7f7f 7f7f8000:7f80 7f7fffff:7f80 ff7fffff:ff80 80000000:8000 "
                 "7f800000:7f80 ff800000:ff80 00000001:0000 00008000:0000 00008001:0001 "
                 "00018000:0002 80018000:8002 007fffff:0080 7f800001:7fc0 ffc00000:ffc0 "
                 "7fbfffff:7fff ffa00001:ffe0"},
        {tfmt_f32, tfmt_f16,
                 "3f800000:3c00 3f801000:3c00 3f801001:3c01 3f803000:3c02 477fe000:7bff "
                 "477fefff:7bff 477ff000:7c00 c77ff000:fc00 47800000:7c00 33000000:0000 "
                 "33000001:0001 b3000001:8001 33800000:0001 33c00000:0002 387fc000:03ff "
                 "387fe000:0400 38800000:0400 00000001:0000 80000001:8000 80000000:8000 "
                 "7f800000:7c00 ff800000:fc00 7f800001:7e00 7fc02000:7e01 ffffffff:ffff "
                 "ffa00001:ff00"},
        {tfmt_f32, tfmt_f8_e4m3,
                 "3f800000:38 3f880000:38 3f880001:39 3f980000:3a 43e00000:7e 43e80000:7e "
                 "43e80001:7e 7f7fffff:7e 7f800000:7e ff800000:fe 7fc00000:7f ffc00000:ff "
                 "7f800001:7f 3b000000:01 3a800000:00 3a800001:01 3b400000:02 80000000:80 "
                 "00000001:00 ba800000:80"},
        {tfmt_f32, tfmt_f8_e5m2,
                 "3f900000:3c 3f900001:3d 3fb00000:3e 47600000:7b 47700000:7b c7700001:fb "
                 "7f800000:7b ff800000:fb 7fc00000:7e ff800001:fe 7fa00000:7f ffa00001:ff "
                 "37800000:01 37000000:00 37000001:01 37c00000:02 80000000:80 80000001:80"},
        {tfmt_f32, tfmt_f4_e2m1,
                 "40c00000:7 40a00000:6 40a00001:7 40200000:4 40600000:6 3e800000:0 3e800001:1 "
                 "3f400000:2 3fa00000:2 3fe00000:4 c2c80000:f 7f800000:7 ff800000:f 7fc00000:0 "
                 "ffc00000:0 80000000:8 be800000:8 00000001:0 80000001:8"},
        {tfmt_f32, tfmt_e8m0,
                 "3f800000:7f 3fbfffff:7f 3fc00000:80 3fc00001:80 40400000:80 40400001:81 "
                 "40c00000:82 00000000:00 80000000:00 bf800000:00 00400000:00 00600000:00 "
                 "00600001:01 00800000:01 7f000000:fe 7f7fffff:fe 7f800000:fe ff800000:00 "
                 "7fc00000:ff ffc00000:ff"},
        {tfmt_f32, tfmt_s8,
                 "3effffff:00 3f000000:00 3f000001:01 3fc00000:02 40200000:02 c0200000:fe "
                 "bf000000:00 42fe0000:7f 42ff0000:7f 43000000:7f c3000000:80 c3008000:80 "
                 "c3010000:80 7f800000:7f ff800000:80 7fc00000:00 ffc00001:00 7f800001:00 "
                 "4f000000:7f 7f7fffff:7f ff7fffff:80 00000001:00 80000000:00"},
        {tfmt_f32, tfmt_u8,
                 "437f0000:ff 437f8000:ff 437e8000:fe 43800000:ff bf800000:00 bf000000:00 "
                 "3f000000:00 3fc00000:02 40200000:02 7f800000:ff ff800000:00 7fc00000:00 "
                 "ffc00000:00 cf000000:00 4f800000:ff"},
        {tfmt_f32, tfmt_s4,
                 "40e00000:7 40f00000:7 c1000000:8 c1080000:8 c0e00000:9 3f000000:0 bfc00000:e "
                 "7fc00000:0 7f800000:7 ff800000:8 80000000:0"},
        {tfmt_f32, tfmt_u4,
                 "41700000:f 41780000:f 41680000:e bf800000:0 3fc00000:2 7fc00000:0 7f800000:f "
                 "ff800000:0"},
        {tfmt_f32, tfmt_boolean,
                 "00000000:00 80000000:00 00000001:01 80000001:01 3e800000:01 7f800000:01 "
                 "7fc00000:01"},
        {tfmt_f32, tfmt_s32,
                 "3f000000:00000000 3fc00000:00000002 bfc00000:fffffffe 4affffff:00800000 "
                 "4b000001:00800001 4effffff:7fffff80 4f000000:7fffffff cf000000:80000000 "
                 "cf000001:80000000 7f800000:7fffffff ff800000:80000000 7fc00000:00000000 "
                 "ffc00000:00000000"},
        {tfmt_f32, tfmt_s64,
                 "c0200000:fffffffffffffffe 5effffff:7fffff8000000000 5f000000:7fffffffffffffff "
                 "df000000:8000000000000000 7f800000:7fffffffffffffff ff800000:8000000000000000 "
                 "7fc00000:0000000000000000"},
        {tfmt_f32, tfmt_f64,
                 "00000001:36a0000000000000 80000000:8000000000000000 7f7fffff:47efffffe0000000 "
                 "7f800000:7ff0000000000000 ffa00001:fffc000020000000"},
        {tfmt_f64, tfmt_f32,
                 "3ff0000010000000:3f800000 3ff0000010000001:3f800001 3ff0000030000000:3f800002 "
                 "47efffffe0000000:7f7fffff 47efffffefffffff:7f7fffff 47effffff0000000:7f800000 "
                 "3690000000000000:00000000 3690000000000001:00000001 b690000000000001:80000001 "
                 "36a8000000000000:00000002 380fffffffffffff:00800000 0000000000000001:00000000 "
                 "8000000000000000:80000000 fff0000000000000:ff800000 7ff0000000000001:7fc00000 "
                 "fff4000020000000:ffe00001"},
        {tfmt_f64, tfmt_bf16,
                 "3ff0100000000000:3f80 3ff0100000001000:3f81 3ff0300000000000:3f82 "
                 "47efefffffffffff:7f7f 47eff00000000000:7f80 7ff8000000000000:7fc0"},
        {tfmt_f64, tfmt_f16,
                 "3ff0020000000000:3c00 3ff0020000001000:3c01 40effdffffffffff:7bff "
                 "40effe0000000000:7c00 8000000000000001:8000 fff8000000000000:fe00"},
        {tfmt_f64, tfmt_f8_e4m3,
                 "3ff1000000000000:38 3ff1000000000001:39 7ff0000000000000:7e "
                 "fff8000000000000:ff 3f50000000000000:00 3f50000000000001:01"},
        {tfmt_f64, tfmt_s8,
                 "3fe0000000000000:00 3fe0000000000001:01 3ff8000000000000:02 "
                 "c060100000000000:80 7fefffffffffffff:7f 7ff8000000000000:00"},
        {tfmt_f64, tfmt_s32,
                 "41dfffffffa00000:7ffffffe 41dfffffffc00000:7fffffff 41dfffffffe00000:7fffffff "
                 "41e0000000000000:7fffffff c1e0000000000000:80000000 c1e0000000100000:80000000 "
                 "fff0000000000000:80000000 7ff8000000000000:00000000"},
        {tfmt_f64, tfmt_s64,
                 "43dfffffffffffff:7ffffffffffffc00 43e0000000000000:7fffffffffffffff "
                 "c3e0000000000000:8000000000000000 c3e0000000000001:8000000000000000 "
                 "4330000000000001:0010000000000001 432fffffffffffff:0010000000000000 "
                 "7ff0000000000000:7fffffffffffffff 7ff8000000000000:0000000000000000 "
                 "bff8000000000000:fffffffffffffffe"},
        {tfmt_f64, tfmt_boolean,
                 "0000000000000001:01 8000000000000000:00 7ff8000000000000:01"},
        {tfmt_s32, tfmt_f32,
                 "01000001:4b800000 01000003:4b800002 7fffffff:4f000000 80000000:cf000000 "
                 "ffffffff:bf800000 feffffff:cb800000"},
        {tfmt_s32, tfmt_bf16,
                 "00000101:4380 00000103:4382 01010000:4b80 01010001:4b81 fefeffff:cb81 "
                 "80000000:cf00"},
        {tfmt_s32, tfmt_f16,
                 "0000ffef:7bff 0000fff0:7c00 ffff0010:fc00 ffff0011:fbff 00000801:6800 "
                 "00000803:6802"},
        {tfmt_s32, tfmt_s8,
                 "0000007f:7f 00000080:7f ffffff80:80 ffffff7f:80 80000000:80 7fffffff:7f "
                 "ffffffff:ff"},
        {tfmt_s32, tfmt_u8,
                 "ffffffff:00 00000100:ff 80000000:00 000000ff:ff"},
        {tfmt_s32, tfmt_u4,
                 "00000010:f ffffffff:0 0000000f:f"},
        {tfmt_s32, tfmt_s4,
                 "ffffff00:8 fffffff8:8 00000008:7 ffffffff:f"},
        {tfmt_s32, tfmt_boolean,
                 "80000000:01 00000000:00 00000100:01"},
        {tfmt_s32, tfmt_e8m0,
                 "00000003:80 00000001:7f 80000000:00 00000000:00 7fffffff:9e"},
        {tfmt_s64, tfmt_f64,
                 "0020000000000001:4340000000000000 0020000000000003:4340000000000002 "
                 "7fffffffffffffff:43e0000000000000 ffffffffffffffff:bff0000000000000"},
        {tfmt_s64, tfmt_f32,
                 "7fffffffffffffff:5f000000 8000000000000000:df000000 0000000001000001:4b800000"},
        {tfmt_s64, tfmt_s32,
                 "0000000080000000:7fffffff ffffffff7fffffff:80000000 ffffffffffffffff:ffffffff "
                 "0000000100000000:7fffffff 8000000000000000:80000000"},
        {tfmt_s64, tfmt_u8,
                 "0000000100000001:ff ffffffff00000001:00"},
        {tfmt_f16, tfmt_f32,
                 "7c01:7fc02000 fc00:ff800000 7c00:7f800000 0001:33800000 83ff:b87fc000 "
                 "8000:80000000 0400:38800000 7bff:477fe000"},
        {tfmt_f16, tfmt_bf16,
                 "3c01:3f80 3c04:3f80 3c0c:3f82 7bff:4780 0001:3380 8000:8000 fc01:ffc0 "
                 "7c00:7f80"},
        {tfmt_f16, tfmt_s8,
                 "3800:00 3e00:02 5800:7f 5bff:7f d800:80 7c00:7f fc00:80 7e00:00"},
        {tfmt_bf16, tfmt_f32,
                 "7f81:7f810000 ffc1:ffc10000 0001:00010000 8000:80000000 ff80:ff800000"},
        {tfmt_bf16, tfmt_f16,
                 "477f:7bf8 4780:7c00 c780:fc00 0001:0000 8001:8000 7f81:7e08 3380:0001 "
                 "3300:0000 3301:0001"},
        {tfmt_bf16, tfmt_s8,
                 "3f00:00 3fc0:02 4020:02 42fe:7f 4300:7f c300:80 c301:80 7f80:7f ff80:80 "
                 "7fc0:00"},
        {tfmt_bf16, tfmt_u8,
                 "bf80:00 437f:ff 4380:ff 7fc0:00 3f00:00"},
        {tfmt_bf16, tfmt_f64,
                 "7f81:7ff8200000000000 0001:37a0000000000000"},
        {tfmt_f8_e5m2, tfmt_f32,
                 "7c:7f800000 fc:ff800000 fd:ffe00000 01:37800000 80:80000000 7b:47600000"},
        {tfmt_f8_e5m2, tfmt_f8_e4m3,
                 "7c:7e fc:fe 7b:7e 7d:7f 01:00 3c:38 80:80"},
        {tfmt_f8_e4m3, tfmt_f32,
                 "7f:7fc00000 ff:ffc00000 01:3b000000 08:3c800000 7e:43e00000 80:80000000"},
        {tfmt_f8_e4m3, tfmt_f8_e5m2,
                 "7e:5f 7f:7e ff:fe 39:3c 3b:3e 01:18"},
        {tfmt_f8_e4m3, tfmt_bf16,
                 "7f:7fc0 ff:ffc0 01:3b00 7e:43e0 80:8000"},
        {tfmt_e8m0, tfmt_f32,
                 "00:00400000 01:00800000 7f:3f800000 fe:7f000000 ff:7fc00000"},
        {tfmt_e8m0, tfmt_bf16,
                 "00:0040 01:0080 fe:7f00 ff:7fc0"},
        {tfmt_e8m0, tfmt_f16,
                 "00:0000 67:0001 66:0000 fe:7c00 ff:7e00"},
        {tfmt_e8m0, tfmt_s8,
                 "7e:00 7f:01 86:7f fe:7f ff:00"},
        {tfmt_s4, tfmt_f32,
                 "8:c1000000 7:40e00000 f:bf800000 0:00000000"},
        {tfmt_s4, tfmt_bf16,
                 "8:c100 7:40e0 f:bf80"},
        {tfmt_s4, tfmt_s8,
                 "8:f8 7:07 f:ff"},
        {tfmt_s4, tfmt_u4,
                 "f:0 7:7 8:0"},
        {tfmt_s4, tfmt_u8,
                 "9:00 1:01"},
        {tfmt_u4, tfmt_f32,
                 "f:41700000 8:41000000 0:00000000"},
        {tfmt_u4, tfmt_bf16,
                 "f:4170 1:3f80"},
        {tfmt_u4, tfmt_s4,
                 "8:7 f:7 3:3"},
        {tfmt_u4, tfmt_s8,
                 "f:0f"},
        {tfmt_u8, tfmt_s8,
                 "80:7f ff:7f 7f:7f"},
        {tfmt_s8, tfmt_u8,
                 "80:00 ff:00 7f:7f"},
        {tfmt_s8, tfmt_f32,
                 "80:c3000000 ff:bf800000 7f:42fe0000"},
        {tfmt_u8, tfmt_f32,
                 "ff:437f0000 80:43000000"},
        {tfmt_u8, tfmt_bf16,
                 "ff:437f"},
        {tfmt_s8, tfmt_boolean,
                 "80:01 00:00 01:01"},
        {tfmt_u8, tfmt_boolean,
                 "02:01 00:00"},
        {tfmt_boolean, tfmt_f32,
                 "00:00000000 01:3f800000 02:3f800000 ff:3f800000"},
        {tfmt_boolean, tfmt_u8,
                 "05:01 00:00"},
        {tfmt_f4_e2m1, tfmt_f32,
                 "1:3f000000 7:40c00000 8:80000000 9:bf000000 f:c0c00000"},
        {tfmt_f4_e2m1, tfmt_bf16,
                 "8:8000 3:3fc0"},
        {tfmt_f4_e2m1, tfmt_s8,
                 "1:00 3:02 f:fa 9:00"},
        {tfmt_f4_e2m1, tfmt_u4,
                 "f:0 7:6"},
        {tfmt_f4_e2m1, tfmt_s4,
                 "f:a 7:6"},
        {tfmt_f32, tfmt_f32,
                 "7f800001:7f800001 ff812345:ff812345 80000000:80000000"},
        {tfmt_f16, tfmt_f16,
                 "fc01:fc01 8000:8000"},
        {tfmt_bf16, tfmt_bf16,
                 "7f81:7f81"},
        {tfmt_f64, tfmt_f64,
                 "7ff0000000000001:7ff0000000000001"},
        {tfmt_boolean, tfmt_boolean,
                 "02:02 ff:ff"},
        {tfmt_f8_e4m3, tfmt_f8_e4m3,
                 "7f:7f ff:ff"},
        {tfmt_f8_e5m2, tfmt_f8_e5m2,
                 "7d:7d 7c:7c"},
        {tfmt_e8m0, tfmt_e8m0,
                 "ff:ff"},
        {tfmt_f4_e2m1, tfmt_f4_e2m1,
                 "8:8 f:f"},
};
// clang-format on

struct expectation {
    uint64_t src, dst;
};

std::vector<expectation> expectations_of(const table_row &row) {
    std::vector<expectation> list;
    std::istringstream words(row.elements);
    for (std::string word; words >> word;) {
        const size_t colon = word.find(':');
        list.push_back({std::stoull(word.substr(0, colon), nullptr, 16),
                std::stoull(word.substr(colon + 1), nullptr, 16)});
    }
    return list;
}

class conversion_table : public isa_fixture {
protected:
    // Element i of the tensor is expectation i modulo their number.
    static void run(const table_row &row, const dims &shape, const char *src_tag,
            const char *dst_tag, int64_t n, int64_t inner) {
        const std::vector<expectation> wanted = expectations_of(row);
        const auto at = [&](int64_t i) { return wanted[static_cast<size_t>(i) % wanted.size()]; };
        const desc_ptr src_md = make_with_tag(shape, row.src_type, src_tag);
        const desc_ptr dst_md = make_with_tag(shape, row.dst_type, dst_tag);
        std::vector<unsigned char> src(tfmt_memory_desc_get_size(src_md.get()));
        std::vector<unsigned char> dst(tfmt_memory_desc_get_size(dst_md.get()));
        for (int64_t i = 0; i < n; ++i)
            store_bits(row.src_type, src.data(), i, at(i).src);
        tfmt_reorder_t reorder = nullptr;
        ASSERT_EQ(tfmt_reorder_create(&reorder, src_md.get(), dst_md.get(), nullptr), tfmt_success)
                << tfmt_get_last_error();
        ASSERT_EQ(tfmt_reorder_execute(reorder, src.data(), dst.data(), nullptr), tfmt_success);
        tfmt_reorder_destroy(reorder);
        for (int64_t i = 0; i < n; ++i) {
            const int64_t to = i % inner * (n / inner) + i / inner; // the transposed place
            ASSERT_EQ(load_bits(row.dst_type, dst.data(), to), at(i).dst)
                    << type_name(row.src_type) << " 0x" << std::hex << at(i).src << " -> "
                    << type_name(row.dst_type) << std::dec << ", element " << i << " of " << n
                    << ", " << src_tag << " -> " << dst_tag;
        }
    }
};

TEST_P(conversion_table, one_run) {
    for (const table_row &row : table)
        for (int64_t n : {1, 7, 331})
            run(row, {n}, "a", "a", n, 1);
}

TEST_P(conversion_table, transposed) {
    for (const table_row &row : table) {
        run(row, {47, 35}, "ab", "ba", 47 * 35, 35);
        run(row, {16, 32}, "ab", "ba", 16 * 32, 32);
    }
}

INSTANTIATE_FOR_EVERY_ISA(conversion_table);

} // namespace
