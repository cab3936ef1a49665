// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// The library's environment variables. Each is read once, by the room it concerns; a bad value
// never aborts and is never silently dropped: the next reorder creation fails and names it.
namespace tfmt::cpu {

// "" if the variable is unset or empty, which mean the same.
std::string environment_text(const char *variable);

// The same, and "" in a program with more rights than its user (setuid), where the system can tell:
// for what names files.
std::string trusted_environment_text(const char *variable);

// An integer in decimal. is_set is false for an unset, empty or bad variable.
struct environment_int {
    bool is_set = false;
    bool is_valid = true;
    int value = 0;
    std::string text;
};
environment_int read_environment_int(const char *variable, int min, int max);

// Throws failure(tfmt_invalid_arguments) that names the variable, its text and the range if not
// setting.is_valid.
void check_environment_int(const environment_int &setting, const char *variable, int min, int max);

} // namespace tfmt::cpu
