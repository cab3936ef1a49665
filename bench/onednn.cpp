// SPDX-License-Identifier: Apache-2.0
#include "bench/onednn.hpp"

#include <omp.h>

#include <dnnl.hpp>

#include "support/element.hpp"

namespace tfmt_bench {
namespace {

bool to_onednn(tfmt_data_type_t type, dnnl_data_type_t *converted) {
    switch (type) {
    case tfmt_f16: *converted = dnnl_f16; return true;
    case tfmt_bf16: *converted = dnnl_bf16; return true;
    case tfmt_f32: *converted = dnnl_f32; return true;
    case tfmt_s32: *converted = dnnl_s32; return true;
    case tfmt_s8: *converted = dnnl_s8; return true;
    case tfmt_u8: *converted = dnnl_u8; return true;
    default: return false;
    }
}

// Filled field by field, so that blockings without an enumerator of oneDNN's work too.
bool to_onednn(const tfmt_test::layout &l, dnnl_memory_desc_t *md) {
    *md = dnnl_memory_desc_t();
    if (!to_onednn(l.data_type, &md->data_type)) return false;
    // 9 dims with 9 blocks end the process: it writes beyond arrays of DNNL_MAX_NDIMS on its stack.
    if (size_t(l.ndims()) + l.inner_blks.size() > DNNL_MAX_NDIMS) return false;
    md->ndims = l.ndims();
    md->offset0 = l.offset0;
    md->format_kind = dnnl_blocked;
    dnnl_blocking_desc_t &blocking = md->format_desc.blocking;
    for (int d = 0; d < l.ndims(); ++d) {
        md->dims[d] = l.logical[d];
        md->padded_dims[d] = l.padded[d];
        blocking.strides[d] = l.strides[d];
    }
    blocking.inner_nblks = static_cast<int>(l.inner_blks.size());
    for (size_t b = 0; b < l.inner_blks.size(); ++b) {
        blocking.inner_blks[b] = l.inner_blks[b];
        blocking.inner_idxs[b] = l.inner_idxs[b];
    }
    for (const tfmt_test::sum_array &sums : l.sums) {
        const bool is_s8s8 = sums.factor == -128;
        md->extra.flags |= is_s8s8 ? dnnl_memory_extra_flag_compensation_conv_s8s8
                                   : dnnl_memory_extra_flag_compensation_conv_asymmetric_src;
        (is_s8s8 ? md->extra.compensation_mask : md->extra.asymm_compensation_mask) = sums.mask;
    }
    return true;
}

double value_of(const tfmt_test::parameter &p, int64_t i) {
    return tfmt_test::decode(p.type, tfmt_test::load_bits(p.type, p.values.data(), i));
}

// Its output scales multiply, so those of dst are turned over: as much work, other roundings.
bool add_scales(const tfmt_test::attributes &attr, const tfmt_test::dims &dims,
        dnnl::primitive_attr *converted) {
    const bool is_dst = attr.dst_scales.is_set;
    if (is_dst && (attr.src_scales.is_set || attr.reads_dst())) return false;
    const tfmt_test::parameter &p = is_dst ? attr.dst_scales : attr.src_scales;
    if (!p.is_set) return true;
    if (!p.groups.empty()) return false;
    std::vector<float> scales;
    for (int64_t i = 0; i < p.count(dims); ++i)
        scales.push_back(static_cast<float>(is_dst ? 1 / value_of(p, i) : value_of(p, i)));
    converted->set_output_scales(p.mask, scales);
    return true;
}

bool add_zero_point(const tfmt_test::parameter &p, int argument, dnnl::primitive_attr *converted) {
    if (!p.is_set) return true;
    if (p.mask != 0) return false;
    converted->set_zero_points(argument, 0, {static_cast<int32_t>(value_of(p, 0))});
    return true;
}

bool to_onednn(const tfmt_test::attributes &attr, const tfmt_test::dims &dims,
        dnnl::primitive_attr *converted) {
    if (attr.reads_dst()) {
        dnnl::post_ops sum;
        sum.append_sum(attr.beta);
        converted->set_post_ops(sum);
    }
    return add_scales(attr, dims, converted)
            && add_zero_point(attr.src_zero_points, DNNL_ARG_FROM, converted)
            && add_zero_point(attr.dst_zero_points, DNNL_ARG_TO, converted);
}

class cpu_reorder final : public onednn_reorder {
public:
    cpu_reorder(const dnnl::memory::desc &src, const dnnl::memory::desc &dst,
            const dnnl::primitive_attr &attr, const std::vector<buffer_pair> &buffers,
            int n_threads)
        : n_threads_(n_threads), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
        omp_set_num_threads(n_threads_); // the implementation may be chosen by it
        const dnnl::reorder::primitive_desc pd(engine_, src, engine_, dst, attr);
        impl_ = pd.impl_info_str();
        reorder_ = dnnl::reorder(pd);
        for (const buffer_pair &pair : buffers)
            arguments_.push_back({{DNNL_ARG_FROM, dnnl::memory(src, engine_, pair.src)},
                    {DNNL_ARG_TO, dnnl::memory(dst, engine_, pair.dst)}});
    }

    void execute(size_t buffer) override {
        omp_set_num_threads(n_threads_);
        reorder_.execute(stream_, arguments_[buffer]);
        stream_.wait();
    }

    std::string impl() const override { return impl_; }

private:
    const int n_threads_;
    dnnl::engine engine_;
    dnnl::stream stream_;
    dnnl::reorder reorder_;
    std::string impl_;
    std::vector<std::unordered_map<int, dnnl::memory>> arguments_;
};

} // namespace

std::unique_ptr<onednn_reorder> make_onednn_reorder(const tfmt_test::layout &src,
        const tfmt_test::layout &dst, const tfmt_test::attributes &attr,
        const std::vector<buffer_pair> &buffers, int n_threads) {
    dnnl_memory_desc_t src_md, dst_md;
    if (!to_onednn(src, &src_md) || !to_onednn(dst, &dst_md)) return nullptr;
    try {
        dnnl::primitive_attr converted;
        if (!to_onednn(attr, src.logical, &converted)) return nullptr;
        return std::make_unique<cpu_reorder>(dnnl::memory::desc(src_md), dnnl::memory::desc(dst_md),
                converted, buffers, n_threads);
    } catch (const dnnl::error &) {
        return nullptr; // it lacks the pair of types or layouts, or the attributes for it
    }
}

std::string onednn_version() {
    const dnnl_version_t *v = dnnl_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "."
            + std::to_string(v->patch);
}

} // namespace tfmt_bench
