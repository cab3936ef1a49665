// SPDX-License-Identifier: Apache-2.0
#include "bench/generic_tag.hpp"

#include <cctype>

namespace tfmt_bench {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

std::string expand_generic_tag(const std::string &tag, int ndims) {
    const size_t x = tag.find('x');
    if (x == std::string::npos) return tag;
    const std::string letters = std::string("abcdefghijkl").substr(0, static_cast<size_t>(ndims));
    std::string named;
    for (char c : tag)
        named += lower(c);
    std::string rest;
    for (char c : letters)
        if (named.find(c) == std::string::npos) rest += c;

    const std::string full = tag.substr(0, x) + rest + tag.substr(x + 1);
    std::string expanded;
    std::string block_size;
    for (char c : full) {
        if (is_digit(c)) {
            block_size += c;
            continue;
        }
        if (letters.find(lower(c)) != std::string::npos) expanded += block_size + c;
        block_size.clear();
    }
    return expanded;
}

} // namespace tfmt_bench
