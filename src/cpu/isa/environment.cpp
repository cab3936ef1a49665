// SPDX-License-Identifier: Apache-2.0
#include "cpu/isa/environment.hpp"

#include <cerrno>
#include <cstdlib>

#include "common/status.hpp"

namespace tfmt::cpu {

std::string environment_text(const char *variable) {
    const char *text = std::getenv(variable);
    return text ? text : "";
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
