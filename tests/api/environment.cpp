// SPDX-License-Identifier: Apache-2.0
//
// Prints what the library made of its environment variables; ctest sets them and reads the line.
#include <cstdio>
#include <tensorfmt/tensorfmt.hpp>

int main() {
    std::printf("isa=%d threads=%d ", static_cast<int>(tensorfmt::get_effective_cpu_isa()),
            tensorfmt::get_num_threads());
    try {
        using tensorfmt::memory;
        const memory::desc src({2, 3}, memory::data_type::f32, "ab");
        const memory::desc dst({2, 3}, memory::data_type::f32, "ba");
        tensorfmt::reorder r(src, dst);
        const float in[6] = {0, 1, 2, 3, 4, 5};
        float out[6] = {};
        r.execute(in, out);
        std::printf("reorder=%s\n", out[1] == 3 && out[5] == 5 ? "right" : "wrong");
    } catch (const tensorfmt::error &e) {
        std::printf("status=%d %s\n", static_cast<int>(e.status), e.message);
    }
    return 0;
}
