// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/memory_desc.hpp"

// A descriptor as bytes that any machine and any later version can read. All numbers little-endian:
//
//   bytes     field
//   0..3      magic "TFMD"
//   4..5      u16 version: 1, or 2 with compensation
//   6         u8 ndims
//   7         u8 inner_nblks
//   8..11     u32 size of the whole blob in bytes
//   12..13    u16 data type
//   14..15    u16 format kind
//   16..23    i64 offset0
//   then      i64 dims[ndims], strides[ndims], inner_blks[inner_nblks], inner_idxs[inner_nblks]
//   version 2 u16 compensation flags, u16 s8s8 mask, u16 asymmetric mask, u16 0
//   last 8    u64 checksum (64-bit FNV-1a) of everything before
//
// A descriptor without compensation is written as version 1, which older libraries read too. What
// follows from other fields (padded_dims) is not stored, so it cannot contradict them.
// Worked example: aBcd16b over 2x40x5x4 takes 24 + 8 * (4 + 4 + 1 + 1) + 8 = 112 bytes.
namespace tfmt {

std::string write_blob(const memory_desc &md);

// Throws unless the bytes are exactly what write_blob makes of some valid descriptor. Reads nothing
// beyond `size_bytes`.
memory_desc read_blob(const uint8_t *blob, size_t size_bytes);

} // namespace tfmt
