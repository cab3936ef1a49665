// SPDX-License-Identifier: Apache-2.0
//
// A batch of two pictures goes from nhwc to nChw16c: 17 channels become two blocks of 16, the
// second one padded with zeroes.
#include <cstdio>
#include <numeric>
#include <tensorfmt/tensorfmt.hpp>
#include <vector>

int main() try {
    using tensorfmt::memory;
    const memory::dims dims = {2, 17, 5, 4}; // n, c, h, w, whatever the layout
    const memory::desc src_md(dims, memory::data_type::f32, memory::format_tag::nhwc);
    const memory::desc dst_md(dims, memory::data_type::f32, "nChw16c");

    std::vector<float> src(src_md.get_size() / sizeof(float)); // 2*17*5*4
    std::vector<float> dst(dst_md.get_size() / sizeof(float)); // 2*32*5*4
    std::iota(src.begin(), src.end(), 0.0f);

    const tensorfmt::reorder reorder(src_md, dst_md);
    reorder.execute(src.data(), dst.data()); // as often as you like, from any thread

    const auto src_offset = src_md.get_offset({1, 16, 4, 3});
    const auto dst_offset = dst_md.get_offset({1, 16, 4, 3});
    std::printf("element (1, 16, 4, 3): %g at %d in nhwc, %g at %d in nChw16c\n", src[src_offset],
            static_cast<int>(src_offset), dst[dst_offset], static_cast<int>(dst_offset));
    return src[src_offset] == dst[dst_offset] ? 0 : 1;
} catch (const tensorfmt::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
