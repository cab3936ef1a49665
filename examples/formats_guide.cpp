// SPDX-License-Identifier: Apache-2.0
//
// The examples of oneDNN's guide "Understanding Memory Formats" in its C++ API, with dnnl::
// replaced by tensorfmt::, and the reorder between a user's format and a blocked one as its
// tutorials write it. Every claim is checked.
#include <cstdio>
#include <stdexcept>
#include <tensorfmt/tensorfmt.hpp>
#include <unordered_map>

using namespace tensorfmt;
using tag = memory::format_tag;
using dt = memory::data_type;

static void expect(bool condition, const char *what) {
    if (!condition) throw std::runtime_error(what);
}

static const memory::dim N = 2, C = 17, H = 5, W = 4;

static memory::dim div_up(memory::dim a, memory::dim b) { return (a + b - 1) / b; }

static void padded_blocked_format() {
    const memory::dim block_size = 8;
    const memory::dim C_padded = div_up(C, block_size) * block_size;
    const memory::dims dims = {N, C, H, W};
    const auto md = memory::desc(dims, memory::data_type::f32, memory::format_tag::nChw8c);

    expect(md.get_ndims() == 4 && md.get_dims() == dims, "logical dims stay as they are");
    expect(md.get_padded_dims() == memory::dims({N, C_padded, H, W}), "padded dims are rounded up");
    expect(md.get_padded_offsets() == memory::dims({0, 0, 0, 0}), "padding lies behind the data");
    expect(md.get_strides()
                    == memory::dims(
                            {C_padded * H * W, H * W * block_size, W * block_size, block_size}),
            "strides between blocks");
    expect(md.get_inner_nblks() == 1, "one block");
    expect(md.get_inner_idxs()[0] == 1, "dimension 1, c, is blocked");
    expect(md.get_inner_blks()[0] == 8, "by 8");
    expect(md.get_size() == static_cast<size_t>(N * C_padded * H * W) * sizeof(float), "size");
    expect(md.get_data_type() == dt::f32, "data type");
    expect(md.get_format_kind() == memory::format_kind::blocked, "format kind");
    std::printf("%s: %zu bytes\n", md.to_string().c_str(), md.get_size());
}

static void plain_formats_are_strides() {
    const memory::dims dims = {N, C, H, W};
    expect(memory::desc(dims, dt::f32, tag::nchw)
                    == memory::desc(dims, dt::f32, {C * H * W, H * W, W, 1}),
            "nchw by strides");
    expect(memory::desc(dims, dt::f32, tag::nhwc)
                    == memory::desc(dims, dt::f32, {C * H * W, 1, W * C, C}),
            "nhwc by strides");
    expect(memory::desc(dims, dt::f32, tag::chwn)
                    == memory::desc(dims, dt::f32, {1, H * W * N, W * N, N}),
            "chwn by strides");
    // Rows with room behind them.
    const auto strided = memory::desc(dims, dt::f32, {C * H * 7, H * 7, 7, 1});
    expect(strided != memory::desc(dims, dt::f32, tag::nchw), "rows of 7 are not nchw");
    expect(strided.get_offset({1, 2, 3, 2}) == C * H * 7 + 2 * H * 7 + 3 * 7 + 2, "its offsets");
}

static void derived_descriptors() {
    const auto nchw = memory::desc({N, 16, H, W}, dt::f32, tag::nchw);
    // permute_axes renames the dimensions: what was c is the last one now.
    expect(nchw.permute_axes({0, 3, 1, 2}) == memory::desc({N, H, W, 16}, dt::f32, tag::adbc),
            "permute_axes");
    expect(nchw.reshape({N, 16, H * W}) == memory::desc({N, 16, H * W}, dt::f32, tag::ncw),
            "reshape");
    const auto nChw8c = memory::desc({N, 16, H, W}, dt::f32, tag::nChw8c);
    const auto second_block = nChw8c.submemory_desc({N, 8, H, W}, {0, 8, 0, 0});
    expect(second_block.get_submemory_offset() == H * W * 8, "submemory begins at its offset");
    expect(nChw8c.submemory_desc({N, 8, H, W}, {0, 4, 0, 0}, true).is_zero(),
            "half a block cannot be cut off; allow_empty gives an empty descriptor");
}

// A user's nchw tensor goes to the format that a kernel wants and back.
static void reorders_as_in_the_tutorials() {
    engine eng(engine::kind::cpu, 0);
    stream s(eng);
    auto user_mem = memory({{N, C, H, W}, dt::f32, tag::nchw}, eng);
    auto blocked_mem = memory({{N, C, H, W}, dt::f32, tag::nChw16c}, eng);
    auto back_mem = memory(user_mem.get_desc(), eng);
    const auto nelems = static_cast<int>(user_mem.get_desc().get_size() / sizeof(float));
    auto *user = static_cast<float *>(user_mem.get_data_handle());
    for (int i = 0; i < nelems; ++i)
        user[i] = static_cast<float>(i);

    expect(user_mem.get_desc() != blocked_mem.get_desc(), "a reorder is needed");
    reorder(user_mem, blocked_mem).execute(s, user_mem, blocked_mem);

    auto back_pd = reorder::primitive_desc(eng, blocked_mem.get_desc(), eng, back_mem.get_desc());
    auto back_prim = reorder(back_pd);
    std::unordered_map<int, memory> args;
    args.insert({TFMT_ARG_SRC, blocked_mem});
    args.insert({TFMT_ARG_DST, back_mem});
    back_prim.execute(s, args);
    s.wait();

    const auto *back = static_cast<const float *>(back_mem.get_data_handle());
    for (int i = 0; i < nelems; ++i)
        expect(back[i] == user[i], "there and back");
    expect(check_padding(blocked_mem.get_desc(), blocked_mem.get_data_handle()), "zero padding");
    std::printf("nchw -> nChw16c -> nchw: %d elements as before\n", nelems);
}

int main() try {
    padded_blocked_format();
    plain_formats_are_strides();
    derived_descriptors();
    reorders_as_in_the_tutorials();
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "failed: %s\n", e.what());
    return 1;
}
