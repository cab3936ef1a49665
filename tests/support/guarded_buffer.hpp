// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Memory between two pages that cannot be touched: an access one byte outside faults at once.
namespace tfmt_test {

// Which end of the payload touches its guard page. The bytes between the payload's other end and
// the other guard page hold the poison and must keep it; slack_is_intact() tells.
enum class placement { at_start, at_end };

class guarded_buffer {
public:
    // Decodes to no NaN and no zero in any data type.
    static constexpr unsigned char poison = 0xa5;

    // The payload's first byte is aligned to `alignment`, a power of two; the payload ends less
    // than `alignment` bytes before the guard page with at_end. `shift_bytes` moves it away from
    // that guard page, for any misalignment. Everything is filled with the poison.
    guarded_buffer(
            size_t size_bytes, placement where, size_t alignment = 1, size_t shift_bytes = 0);
    ~guarded_buffer();
    guarded_buffer(const guarded_buffer &) = delete;
    guarded_buffer &operator=(const guarded_buffer &) = delete;

    unsigned char *data() const { return payload_; }
    size_t size() const { return size_; }
    bool slack_is_intact() const;

private:
    unsigned char *mapping_ = nullptr;
    size_t mapping_size_ = 0;
    unsigned char *pages_ = nullptr; // between the guard pages
    size_t pages_size_ = 0;
    unsigned char *payload_ = nullptr;
    size_t size_ = 0;
};

} // namespace tfmt_test
