// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/sys_files.hpp"

#include <cstdlib>

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace tfmt::cpu {

// Not through a stream: the first one of a process costs more than all of these files.
std::string read_word(const std::string &path) {
#if defined(__linux__)
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return "";
    char text[4096]; // the most that such a file holds
    const ssize_t n = read(file, text, sizeof text);
    close(file);
    const std::string all(text, n > 0 ? static_cast<size_t>(n) : 0);
    return all.substr(0, all.find_first_of(" \t\n"));
#else
    (void)path;
    return "";
#endif
}

size_t parse_size(const std::string &text) {
    char *end = nullptr;
    const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
    const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return static_cast<size_t>(value) << shift;
}

} // namespace tfmt::cpu
