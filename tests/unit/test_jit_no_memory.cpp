// SPDX-License-Identifier: Apache-2.0
// Where code pages cannot be had: a want of memory fails a creation and is forgotten with it, a
// system that forbids generated code has the portable path from then on.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <vector>

#include "common/status.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/jit/executable.hpp"
#include "cpu/reorder.hpp"
#include "tests/unit/plan_helpers.hpp"

#if defined(__GLIBC__)
#include <sys/syscall.h>
#include <unistd.h>

namespace {
int error_of_mmap = 0, error_of_mprotect = 0; // 0: it works
}

// Both stand before the system's own for everything that is linked to this executable.
extern "C" void *mmap(
        void *at, size_t n_bytes, int protection, int flags, int file, off_t offset) noexcept {
    if (error_of_mmap) {
        errno = error_of_mmap;
        return MAP_FAILED;
    }
    return reinterpret_cast<void *>(
            syscall(SYS_mmap, at, n_bytes, protection, flags, file, offset));
}

extern "C" int mprotect(void *at, size_t n_bytes, int protection) noexcept {
    if (error_of_mprotect) {
        errno = error_of_mprotect;
        return -1;
    }
    return int(syscall(SYS_mprotect, at, n_bytes, protection));
}

namespace {

using namespace plan_test;

const char *const no_memory = "no memory for generated code";
const char *const not_allowed = "the system does not allow generated code to be executed";

class NoCodePages : public testing::Test {
protected:
    void SetUp() override {
        if (tfmt::cpu::effective_isa() == tfmt_cpu_isa_none) GTEST_SKIP() << "no generated code";
    }
    void TearDown() override { error_of_mmap = error_of_mprotect = 0; }
};

// With the message of the failure, or how the reorder is done.
std::string info_of(dim_t n, tfmt_status_t *status) {
    try {
        *status = tfmt_success;
        return tfmt::cpu::find_reorder(by_tag({n, 40}, "ab"), by_tag({n, 40}, "Ba16b"))->info();
    } catch (const tfmt::failure &f) {
        *status = f.status();
        return f.what();
    }
}

TEST_F(NoCodePages, WantOfMemoryFailsAndIsForgotten) {
    tfmt_status_t status = tfmt_success;
    error_of_mprotect = ENOMEM;
    EXPECT_EQ(info_of(3, &status), no_memory);
    EXPECT_EQ(status, tfmt_out_of_memory);
    error_of_mprotect = 0;
    EXPECT_EQ(info_of(3, &status).substr(0, 4), "jit:");
    EXPECT_EQ(status, tfmt_success);
}

TEST_F(NoCodePages, ForbiddenCodeIsReplacedByPortableCode) {
    dim_t n = 5; // of shapes that are not in the cache
    for (const int error : {EACCES, EPERM}) {
        tfmt_status_t status = tfmt_out_of_memory;
        error_of_mprotect = error;
        EXPECT_EQ(info_of(n++, &status), std::string("ref: ") + not_allowed);
        EXPECT_EQ(status, tfmt_success);
    }
}

TEST_F(NoCodePages, PagesThatCannotBeMapped) {
    const std::vector<uint8_t> code(size_t(1) << 20, 0xc3); // more than is in reserve
    error_of_mmap = ENOMEM;
    try {
        const tfmt::cpu::jit::executable pages(code.data(), code.size());
        ADD_FAILURE() << "made";
    } catch (const tfmt::failure &f) {
        EXPECT_EQ(f.status(), tfmt_out_of_memory);
        EXPECT_STREQ(f.what(), no_memory);
    }
}

} // namespace
#endif
