// SPDX-License-Identifier: Apache-2.0
// The same through the C++ header, there and back, and an error that arrives as an exception.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <tensorfmt/tensorfmt.hpp>
#include <vector>

using tensorfmt::memory;

static bool there_and_back() {
    const memory::dims dims = {3, 33, 4, 7};
    const memory::desc plain(dims, memory::data_type::s8, memory::format_tag::nhwc);
    const memory::desc blocked(dims, memory::data_type::s8, memory::format_tag::nChw16c);
    std::vector<int8_t> before(plain.get_size()), after(plain.get_size(), 0x5a);
    std::vector<int8_t> between(blocked.get_size(), 0x5a);
    std::iota(before.begin(), before.end(), static_cast<int8_t>(1));

    tensorfmt::reorder(plain, blocked).execute(before.data(), between.data());
    tensorfmt::reorder(blocked, plain).execute(between.data(), after.data());
    return before == after && blocked.get_padded_dims() == memory::dims {3, 48, 4, 7}
    && between[static_cast<size_t>(blocked.get_offset({2, 32, 3, 6}))] == before.back();
}

static bool bad_tag_throws() {
    try {
        memory::desc({1, 2, 3}, memory::data_type::f32, std::string("abx"));
    } catch (const tensorfmt::error &e) { return e.status == tfmt_invalid_arguments && *e.message; }
    return false;
}

int main() {
    const bool right = there_and_back() && bad_tag_throws();
    std::printf("C++: %s\n", right ? "right" : "WRONG");
    return right ? 0 : 1;
}
