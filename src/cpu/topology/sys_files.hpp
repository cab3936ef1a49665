// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

// Files such as /sys/devices/system/cpu/cpu0/cache/index2/size.
namespace tfmt::cpu {

// The first word of a file, "" where it cannot be read.
std::string read_word(const std::string &path);

// "1024K" or "32M"; 0 for "".
size_t parse_size(const std::string &text);

} // namespace tfmt::cpu
