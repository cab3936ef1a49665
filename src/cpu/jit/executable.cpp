// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/executable.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "common/status.hpp"

namespace tfmt::cpu::jit {

namespace {

// Of every machine that code is generated for.
constexpr size_t page_bytes = 4096;

// What is mapped at once: twice as much each time, so that a process that makes one reorder does
// not pay for others. Pages that are faulted in one by one take 2.0 us each, together 1.1, and each
// mapping 1.5. Code of 1 / 2 / 5 pages, mapped, copied and made executable: alone 5.7 / 8.0 / 14.0
// us; in a reserve of always 32 KiB 3.8 / 5.6 / 17.8, 64 KiB 3.4 / 4.9 / 10.6, 256 KiB 3.3 / 4.6 /
// 8.9. What does not fit and is more than a quarter of the next reserve has a mapping of its own,
// so that little of one is lost.
constexpr size_t first_reserve_bytes = 16 << 10, max_reserve_bytes = 128 << 10;

// By the errno of a call for pages.
[[noreturn]] void fail(int error) {
    if (error == ENOMEM || error == EAGAIN)
        throw failure(tfmt_out_of_memory, "no memory for generated code");
    throw failure(tfmt_runtime_error, "the system does not allow generated code to be executed");
}

char *map_pages(size_t n_bytes) {
    void *pages = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (pages == MAP_FAILED) fail(errno);
    return static_cast<char *>(pages);
}

// Pages that nothing is in yet. Who has taken some owns them, and unmaps them alone.
class page_reserve {
public:
    char *take(size_t n_bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (n_bytes > left_bytes_) {
            if (4 * n_bytes > next_bytes_) return map_pages(n_bytes);
            char *pages = map_pages(next_bytes_);
            if (left_bytes_ > 0) munmap(begin_, left_bytes_);
            begin_ = pages;
            left_bytes_ = std::exchange(next_bytes_, std::min(2 * next_bytes_, max_reserve_bytes));
        }
        left_bytes_ -= n_bytes;
        return std::exchange(begin_, begin_ + n_bytes);
    }

private:
    std::mutex mutex_;
    char *begin_ = nullptr;
    size_t left_bytes_ = 0;
    size_t next_bytes_ = first_reserve_bytes;
};

// Never destroyed: reorders may be made by destructors of static objects.
page_reserve &the_reserve() {
    static page_reserve &reserve = *new page_reserve;
    return reserve;
}

} // namespace

executable::executable(const code_piece *pieces, size_t n_pieces)
    : size_bytes_(pieces[n_pieces - 1].offset_bytes + pieces[n_pieces - 1].n_bytes) {
    char *pages = the_reserve().take((size_bytes_ + page_bytes - 1) / page_bytes * page_bytes);
    for (size_t i = 0; i < n_pieces; i++)
        std::memcpy(pages + pieces[i].offset_bytes, pieces[i].begin, pieces[i].n_bytes);
    if (mprotect(pages, size_bytes_, PROT_READ | PROT_EXEC) != 0) {
        const int error = errno;
        munmap(pages, size_bytes_);
        fail(error);
    }
    pages_ = pages;
}

executable::executable(const uint8_t *code, size_t size_bytes) {
    const code_piece all {code, size_bytes, 0};
    *this = executable(&all, 1);
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
