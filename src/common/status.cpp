// SPDX-License-Identifier: Apache-2.0
#include "common/status.hpp"

#include <cstdio>

namespace tfmt {

namespace {
// Fixed, so that reporting a failed allocation cannot fail itself. Longer messages are cut.
constexpr size_t last_error_bytes = 1024;
thread_local char last_error[last_error_bytes] = "";
} // namespace

tfmt_status_t set_last_error(
        tfmt_status_t status, const char *function, const char *message) noexcept {
    std::snprintf(last_error, last_error_bytes, "%s: %s", function, message);
    return status;
}

} // namespace tfmt

extern "C" const char *tfmt_get_last_error(void) { return tfmt::last_error; }
