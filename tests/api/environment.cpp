// SPDX-License-Identifier: Apache-2.0
//
// Prints what the library made of its environment variables; ctest sets them and reads the line.
// With an argument, calls replace them first. A static object, made before the library was first
// used and so destroyed after what the library made then, uses it once more.
#include <cstdio>
#include <tensorfmt/tensorfmt.hpp>

namespace {

struct user_at_exit {
    ~user_at_exit() {
        try {
            using tensorfmt::memory;
            const memory::desc a({2, 3}, memory::data_type::f32, memory::format_tag::ba);
            const memory::desc b({2, 3}, memory::data_type::f32, "oi");
            const bool is_right = a.get_format_tag() == memory::format_tag::ba
                    && b.get_format_tag() == memory::format_tag::ab;
            std::printf("at_exit=%s\n", is_right ? "right" : "wrong");
        } catch (const tensorfmt::error &e) { std::printf("at_exit=%s\n", e.message); }
    }
} at_exit;

void replace_variables() {
    tensorfmt::set_max_cpu_isa(tensorfmt::cpu_isa::sse41);
    tensorfmt::set_num_threads(2);
    tensorfmt::set_kernel_cache_capacity(3);
}

} // namespace

int main(int argc, char **) {
    if (argc > 1) replace_variables();
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
