// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/status.hpp"

namespace tfmt {

// The protocol of functions that fill a caller's buffer: without one, *size says what is needed.
inline void fill_buffer(
        void *buffer, size_t *size, const std::string &content, const char *buffer_name) {
    if (!buffer) {
        *size = content.size();
        return;
    }
    if (*size < content.size())
        fail_invalid("*size is " + std::to_string(*size) + ", but " + buffer_name + " needs "
                + std::to_string(content.size()) + " bytes");
    content.copy(static_cast<char *>(buffer), content.size());
    *size = content.size();
}

// The same for text, which gets a terminating zero.
inline void fill_text(char *buffer, size_t *size, std::string text) {
    text.push_back('\0');
    fill_buffer(buffer, size, text, "buffer");
}

} // namespace tfmt
