// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "tensorfmt/tensorfmt.h"

// How the library fails. Inside, creation paths throw `failure` with the status and the message
// that the caller will read; guard() at the C boundary turns it (and std::bad_alloc, and anything
// else) into a status and the calling thread's last error. Nothing is thrown while a reorder
// executes.
namespace tfmt {

class failure : public std::exception {
public:
    failure(tfmt_status_t status, std::string message)
        : status_(status), message_(std::move(message)) {}
    tfmt_status_t status() const { return status_; }
    const char *what() const noexcept override { return message_.c_str(); }

private:
    tfmt_status_t status_;
    std::string message_;
};

[[noreturn]] inline void fail_invalid(std::string message) {
    throw failure(tfmt_invalid_arguments, std::move(message));
}
[[noreturn]] inline void fail_unimplemented(std::string message) {
    throw failure(tfmt_unimplemented, std::move(message));
}

// Stores the calling thread's last error, "<function>: <message>", without an allocation; returns
// `status` so that a caller can return it.
tfmt_status_t set_last_error(
        tfmt_status_t status, const char *function, const char *message) noexcept;

// Runs `body` and maps what it throws to a status. `name` is the public function's name and begins
// the message.
template <typename Body>
tfmt_status_t guard(const char *name, Body &&body) noexcept {
    try {
        body();
        return tfmt_success;
    } catch (const failure &f) {
        return set_last_error(f.status(), name, f.what());
    } catch (const std::bad_alloc &) {
        return set_last_error(tfmt_out_of_memory, name, "out of memory");
    } catch (const std::exception &e) {
        return set_last_error(tfmt_runtime_error, name, e.what());
    } catch (...) { return set_last_error(tfmt_runtime_error, name, "unknown internal error"); }
}

// Throws when a pointer argument is null.
inline void require_not_null(const void *pointer, const char *argument) {
    if (!pointer) fail_invalid(std::string(argument) + " is null");
}

} // namespace tfmt
