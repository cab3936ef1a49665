// SPDX-License-Identifier: Apache-2.0
#include "support/guarded_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace tfmt_test {

guarded_buffer::guarded_buffer(
        size_t size_bytes, placement where, size_t alignment, size_t shift_bytes)
    : size_(size_bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
    pages_size_ = (rounded + shift_bytes + page - 1) / page * page;
    if (pages_size_ == 0) pages_size_ = page; // a zero-sized payload still has an address
    mapping_size_ = pages_size_ + 2 * page;
    void *mapping = mmap(
            nullptr, mapping_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<unsigned char *>(mapping);
    pages_ = mapping_ + page;
    if (mprotect(pages_, pages_size_, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping_, mapping_size_);
        throw std::bad_alloc();
    }
    payload_ = where == placement::at_start ? pages_ + shift_bytes
                                            : pages_ + pages_size_ - rounded - shift_bytes;
    std::memset(pages_, poison, pages_size_);
}

guarded_buffer::~guarded_buffer() { munmap(mapping_, mapping_size_); }

bool guarded_buffer::slack_is_intact() const {
    for (const unsigned char *p = pages_; p < payload_; ++p)
        if (*p != poison) return false;
    for (const unsigned char *p = payload_ + size_; p < pages_ + pages_size_; ++p)
        if (*p != poison) return false;
    return true;
}

} // namespace tfmt_test
