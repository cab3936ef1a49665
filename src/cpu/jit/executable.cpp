// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/executable.hpp"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "common/status.hpp"

namespace tfmt::cpu::jit {

executable::executable(const uint8_t *code, size_t size_bytes) : size_bytes_(size_bytes) {
    void *pages = mmap(
            nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw failure(tfmt_out_of_memory, "no memory for generated code");
    std::memcpy(pages, code, size_bytes);
    if (mprotect(pages, size_bytes, PROT_READ | PROT_EXEC) != 0) {
        munmap(pages, size_bytes);
        throw failure(
                tfmt_runtime_error, "the system does not allow generated code to be executed");
    }
    pages_ = pages;
}

executable::executable(executable &&other) noexcept { *this = std::move(other); }

executable &executable::operator=(executable &&other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
}

executable::~executable() {
    if (pages_) munmap(pages_, size_bytes_);
}

} // namespace tfmt::cpu::jit
