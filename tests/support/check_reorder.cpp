// SPDX-License-Identifier: Apache-2.0
#include "support/check_reorder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

#include "support/element.hpp"
#include "support/oracle.hpp"
#include "support/random_data.hpp"

namespace tfmt_test {
namespace {

struct reorder_deleter {
    void operator()(tfmt_reorder_t reorder) const { tfmt_reorder_destroy(reorder); }
};
using reorder_ptr = std::unique_ptr<tfmt_reorder, reorder_deleter>;

check_result failed(std::string message, std::string impl = "") {
    return {outcome::failed, tfmt_success, std::move(message), std::move(impl)};
}

std::string size_difference(const char *which, const_tfmt_memory_desc_t md, const layout &l) {
    const auto got = static_cast<int64_t>(tfmt_memory_desc_get_size(md));
    if (got == buffer_bytes(l)) return "";
    return std::string(which) + " has a size of " + std::to_string(got) + " bytes, wanted "
            + std::to_string(buffer_bytes(l));
}

// Cheap enough to run over the source twice instead of keeping a copy of it.
uint64_t fingerprint(const guarded_buffer &buffer) {
    uint64_t sum = buffer.size();
    for (size_t i = 0; i < buffer.size(); i += 8) {
        uint64_t word = 0;
        std::memcpy(&word, buffer.data() + i, std::min<size_t>(8, buffer.size() - i));
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

// `expected` holds what dst held before.
check_result compare(const layout &src, const guarded_buffer &src_data, const layout &dst,
        const guarded_buffer &dst_data, std::vector<unsigned char> expected, const attributes &attr,
        std::string impl) {
    oracle_reorder(src, src_data.data(), dst, expected.data(), attr);
    oracle_compensation(dst, expected.data());
    const std::string wrong = compare_bytes(
            dst, dst_data.data(), expected.data(), static_cast<int64_t>(expected.size()));
    if (!wrong.empty()) return failed("dst " + wrong, impl);
    if (!dst_data.slack_is_intact()) return failed("bytes beside dst were written", impl);
    return {outcome::passed, tfmt_success, "", std::move(impl)};
}

// Values of the attributes, the last of each against a guard page.
class guarded_values {
public:
    explicit guarded_values(const attributes &attr) : args_(exec_args_of(attr)) {
        guard(attr.src_scales, &args_.src_scales);
        guard(attr.dst_scales, &args_.dst_scales);
        guard(attr.src_zero_points, &args_.src_zero_points);
        guard(attr.dst_zero_points, &args_.dst_zero_points);
    }
    const tfmt_exec_args_t *args() const { return &args_; }

private:
    void guard(const parameter &p, const void **values) {
        if (p.values.empty()) return;
        buffers_.push_back(std::make_unique<guarded_buffer>(p.values.size(), placement::at_end));
        std::memcpy(buffers_.back()->data(), p.values.data(), p.values.size());
        *values = buffers_.back()->data();
    }

    tfmt_exec_args_t args_;
    std::vector<std::unique_ptr<guarded_buffer>> buffers_;
};

check_result run_and_compare(const_tfmt_memory_desc_t src_md, const_tfmt_memory_desc_t dst_md,
        const check_options &options) {
    const layout src = read_layout(src_md);
    const layout dst = read_layout(dst_md);
    for (const std::string &wrong :
            {size_difference("src", src_md, src), size_difference("dst", dst_md, dst)})
        if (!wrong.empty()) return failed(wrong);

    const attributes attr = options.attr ? *options.attr : attributes();
    const attr_ptr handle = make_attr(attr);
    const_tfmt_memory_desc_t created_src = options.runtime_src ? options.runtime_src : src_md;
    const_tfmt_memory_desc_t created_dst = options.runtime_dst ? options.runtime_dst : dst_md;
    const_tfmt_attr_t c_attr = options.attr ? handle.get() : nullptr;
    tfmt_reorder_t created = nullptr;
    tfmt_status_t status = tfmt_reorder_create(&created, created_src, created_dst, c_attr);
    if (status != tfmt_success) return {outcome::refused, status, tfmt_get_last_error(), ""};
    reorder_ptr reorder(created);
    const char *impl = nullptr;
    if (tfmt_reorder_query(created, tfmt_query_impl_info_str, &impl) != tfmt_success || !impl)
        return failed("tfmt_reorder_query(impl_info_str) failed");

    guarded_buffer src_data(static_cast<size_t>(buffer_bytes(src)), options.src_placement, 1,
            options.src_shift_bytes);
    guarded_buffer dst_data(static_cast<size_t>(buffer_bytes(dst)), options.dst_placement, 1,
            options.dst_shift_bytes);
    fill_src(src_data, src.data_type, dst.data_type, options.seed, !attr.is_default());
    if (attr.reads_dst()) {
        random_source random(options.seed + 1);
        fill_for_conversion(dst_data.data(), static_cast<int64_t>(dst_data.size()), dst.data_type,
                dst.data_type, random);
    }
    const std::vector<unsigned char> old_dst(dst_data.data(), dst_data.data() + dst_data.size());
    const uint64_t before = fingerprint(src_data);
    const guarded_values values(attr);
    const bool has_runtime_dims = options.runtime_src || options.runtime_dst;
    const bool needs_args = options.attr || has_runtime_dims;
    tfmt_exec_args_t args = *values.args();
    args.struct_size = sizeof args;
    if (has_runtime_dims) args.src_md = src_md, args.dst_md = dst_md;
    const tfmt_exec_args_t *const given_args = needs_args ? &args : nullptr;
    if (options.is_measured) {
        status = tfmt_reorder_create_measured(&created, created_src, created_dst, c_attr,
                src_data.data(), dst_data.data(), given_args);
        if (status != tfmt_success) return {outcome::refused, status, tfmt_get_last_error(), ""};
        reorder.reset(created);
        // What the plans left stays, so that a byte which any of them should not have written is
        // found, unless it is read.
        if (attr.reads_dst()) std::copy(old_dst.begin(), old_dst.end(), dst_data.data());
    }
    status = tfmt_reorder_execute(created, src_data.data(), dst_data.data(), given_args);
    if (status != tfmt_success)
        return failed(std::string("execution failed: ") + tfmt_get_last_error(), impl);
    tfmt_reorder_query(created, tfmt_query_impl_info_str, &impl); // of this shape
    if (fingerprint(src_data) != before || !src_data.slack_is_intact())
        return failed("src was written", impl);
    return compare(src, src_data, dst, dst_data, old_dst, attr, impl);
}

} // namespace

check_result check_reorder(
        const_tfmt_memory_desc_t src, const_tfmt_memory_desc_t dst, const check_options &options) {
    try {
        return run_and_compare(src, dst, options);
    } catch (const std::exception &error) { return failed(error.what()); }
}

void fill_src(guarded_buffer &buffer, tfmt_data_type_t src_type, tfmt_data_type_t dst_type,
        uint64_t seed, bool computes) {
    random_source random(seed);
    const auto size = static_cast<int64_t>(buffer.size());
    if (src_type == dst_type && !computes)
        fill_random_bits(buffer.data(), size, random);
    else
        fill_for_conversion(buffer.data(), size, src_type, dst_type, random);
}

int scaled(int n_cases) {
    const char *text = std::getenv("TENSORFMT_TEST_SCALE");
    const double scale = text ? std::strtod(text, nullptr) : 1.0;
    return std::max(1, static_cast<int>(n_cases * (scale > 0 ? scale : 1.0)));
}

bool is_sampled(uint64_t n, uint64_t every) { return scaled(100) >= 100 || n % every == 0; }

} // namespace tfmt_test
