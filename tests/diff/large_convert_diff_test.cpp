// SPDX-License-Identifier: Apache-2.0
// Conversions and quantisation of tensors beyond the caches, which plans treat in other ways than
// small ones: every instruction set and several threads on the same data, results made once.
#include <algorithm>
#include <cstring>
#include <memory>

#include "diff/isa_fixture.hpp"
#include "support/attributes.hpp"
#include "support/element.hpp"
#include "support/oracle.hpp"

using namespace tfmt_test;

namespace {

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};

// Random elements, 64 KiB of them over and over: the oracle's time is enough.
void fill_repeatedly(guarded_buffer &data, tfmt_data_type_t src_type, tfmt_data_type_t dst_type) {
    const size_t stretch = std::min<size_t>(data.size(), 65528); // 8191 * 8: out of step with rows
    random_source random(9);
    fill_for_conversion(data.data(), static_cast<int64_t>(stretch), src_type, dst_type, random);
    for (size_t at = stretch; at < data.size(); at += stretch)
        std::memcpy(data.data() + at, data.data(), std::min(stretch, data.size() - at));
}

class large_case {
public:
    large_case(const dims &shape, tfmt_data_type_t src_type, const char *src_tag,
            tfmt_data_type_t dst_type, const char *dst_tag, attributes attr = {})
        : attr_(std::move(attr)),
          src_md_(make_with_tag(shape, src_type, src_tag)),
          dst_md_(make_with_tag(shape, dst_type, dst_tag)),
          dst_(read_layout(dst_md_.get())),
          src_data_(tfmt_memory_desc_get_size(src_md_.get()), placement::at_end),
          dst_data_(tfmt_memory_desc_get_size(dst_md_.get()), placement::at_end),
          wanted_(dst_data_.size(), guarded_buffer::poison),
          text_(std::string(type_name(src_type)) + " " + src_tag + " -> " + type_name(dst_type)
                  + " " + dst_tag + " " + dims_text(shape) + ", attributes "
                  + attributes_text(attr_)) {
        fill_repeatedly(src_data_, src_type, dst_type);
        oracle_reorder(read_layout(src_md_.get()), src_data_.data(), dst_, wanted_.data(), attr_);
    }

    // Once with the library's settings as they are.
    void run(const char *isa) {
        const attr_ptr handle = make_attr(attr_);
        const tfmt_exec_args_t args = exec_args_of(attr_);
        tfmt_reorder_t created = nullptr;
        ASSERT_EQ(tfmt_reorder_create(&created, src_md_.get(), dst_md_.get(),
                          attr_.is_default() ? nullptr : handle.get()),
                tfmt_success)
                << tfmt_get_last_error();
        const std::unique_ptr<tfmt_reorder, reorder_deleter> reorder(created);
        std::memset(dst_data_.data(), guarded_buffer::poison, dst_data_.size());
        ASSERT_EQ(tfmt_reorder_execute(created, src_data_.data(), dst_data_.data(), &args),
                tfmt_success)
                << tfmt_get_last_error();
        ASSERT_EQ(compare_bytes(dst_, dst_data_.data(), wanted_.data(),
                          static_cast<int64_t>(wanted_.size())),
                "")
                << text_ << ", isa " << isa << ", threads " << tfmt_get_num_threads();
        ASSERT_TRUE(dst_data_.slack_is_intact()) << text_ << ", isa " << isa;
    }

private:
    attributes attr_;
    desc_ptr src_md_, dst_md_;
    layout dst_;
    guarded_buffer src_data_, dst_data_;
    std::vector<unsigned char> wanted_;
    std::string text_;
};

class large_convert : public ::testing::Test {
protected:
    void TearDown() override {
        EXPECT_EQ(tfmt_set_max_cpu_isa(tfmt_cpu_isa_avx512_core_fp16), tfmt_success);
        EXPECT_EQ(tfmt_set_num_threads(0), tfmt_success);
    }

    static void on_every_isa(large_case &&c) {
        for (const isa_row &row : all_isas())
            for (int n_threads : {1, 2}) {
                ASSERT_EQ(tfmt_set_max_cpu_isa(row.isa), tfmt_success);
                ASSERT_EQ(tfmt_set_num_threads(n_threads), tfmt_success);
                if (tfmt_get_effective_cpu_isa() == row.isa) c.run(row.name);
                if (HasFailure()) return;
            }
    }

    // Of a dimension, so that the whole is beyond 32 MiB at full scale and small under sanitizers.
    static int64_t rows(int n) { return std::max(2, scaled(n)); }
};

parameter values_of(
        bool is_scale, int mask, const dims &groups, tfmt_data_type_t type, const dims &shape) {
    parameter p;
    p.is_set = true;
    p.mask = mask;
    p.groups = groups;
    p.type = type;
    random_source random(static_cast<uint64_t>(mask + 5));
    fill_values(&p, is_scale, shape, random);
    return p;
}

TEST_F(large_convert, one_run) {
    on_every_isa({{rows(6000) * 1001}, tfmt_f32, "a", tfmt_bf16, "a"});
    on_every_isa({{rows(6000) * 1001}, tfmt_f16, "a", tfmt_f32, "a"});
}

TEST_F(large_convert, transposes) {
    on_every_isa({{rows(2600), 2305}, tfmt_f32, "ab", tfmt_bf16, "ba"});
    on_every_isa({{2305, rows(2600)}, tfmt_bf16, "ab", tfmt_f32, "ba"});
    on_every_isa({{rows(2800), 2304}, tfmt_f8_e4m3, "ab", tfmt_f32, "ba"});
}

TEST_F(large_convert, images) {
    on_every_isa({{rows(10), 66, 96, 97}, tfmt_f32, "abcd", tfmt_bf16, "acdb"});
    on_every_isa({{rows(12), 67, 96, 97}, tfmt_f32, "acdb", tfmt_s8, "aBcd16b"});
    on_every_isa({{rows(12), 64, 96, 97}, tfmt_u8, "aBcd16b", tfmt_f32, "abcd"});
}

TEST_F(large_convert, weights_in_groups) {
    const dims shape = {32 * rows(100), 2304};
    attributes attr;
    attr.src_scales = values_of(true, 3, {32, 1}, tfmt_f16, shape);
    attr.src_zero_points = values_of(false, 3, {32, 1}, tfmt_u4, shape);
    on_every_isa({shape, tfmt_u4, "ab", tfmt_f32, "BA16a64b2a", attr});
}

TEST_F(large_convert, scales_of_channels) {
    const dims shape = {rows(12), 67, 96, 97};
    attributes attr;
    attr.dst_scales = values_of(true, 2, {}, tfmt_f32, shape);
    on_every_isa({shape, tfmt_f32, "abcd", tfmt_s8, "acdb", attr});
}

} // namespace
