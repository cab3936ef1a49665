// SPDX-License-Identifier: Apache-2.0
#include "cpu/isa/environment.hpp"

#include <cerrno>
#include <cstdlib>

#include "common/status.hpp"

namespace tfmt::cpu {

namespace {
std::string text_or_empty(const char *text) { return text ? text : ""; }
} // namespace

std::string environment_text(const char *variable) { return text_or_empty(std::getenv(variable)); }

std::string trusted_environment_text(const char *variable) {
#if defined(__GLIBC__)
    return text_or_empty(secure_getenv(variable));
#else
    return environment_text(variable);
#endif
}

environment_int read_environment_int(const char *variable, int min, int max) {
    environment_int setting;
    setting.text = environment_text(variable);
    if (setting.text.empty()) return setting;
    errno = 0;
    char *end = nullptr;
    const long value = std::strtol(setting.text.c_str(), &end, 10);
    setting.is_valid = errno == 0 && *end == '\0' && value >= min && value <= max;
    setting.is_set = setting.is_valid;
    if (setting.is_valid) setting.value = static_cast<int>(value);
    return setting;
}

void check_environment_int(const environment_int &setting, const char *variable, int min, int max) {
    if (setting.is_valid) return;
    fail_invalid("environment variable " + std::string(variable) + " is \"" + setting.text
            + "\", expected an integer from " + std::to_string(min) + " to " + std::to_string(max));
}

} // namespace tfmt::cpu
