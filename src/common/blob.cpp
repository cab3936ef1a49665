// SPDX-License-Identifier: Apache-2.0
#include "common/blob.hpp"

#include <algorithm>
#include <cstring>

#include "common/checked.hpp"
#include "common/memory_desc_detail.hpp"

namespace tfmt {

namespace {

constexpr char magic[] = {'T', 'F', 'M', 'D'};
constexpr uint64_t plain_version = 1;
constexpr uint64_t compensation_version = 2;
constexpr size_t header_bytes = 24;
constexpr size_t compensation_bytes = 8;
constexpr size_t checksum_bytes = 8;

size_t blob_bytes(uint64_t version, size_t ndims, size_t inner_nblks) {
    return header_bytes + sizeof(int64_t) * 2 * (ndims + inner_nblks)
            + (version == compensation_version ? compensation_bytes : 0) + checksum_bytes;
}

// Each step is a bijection of the sum for a fixed byte, so two blobs of one length that differ in
// one byte never have the same sum.
uint64_t checksum(const uint8_t *bytes, size_t n) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; ++i)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

void put(std::string *blob, uint64_t value, int width_bytes) {
    for (int i = 0; i < width_bytes; ++i)
        blob->push_back(static_cast<char>(value >> 8 * i & 0xff));
}

void put_all(std::string *blob, const dim_t *values, int n) {
    for (int i = 0; i < n; ++i)
        put(blob, static_cast<uint64_t>(values[i]), sizeof(int64_t));
}

uint64_t get(const uint8_t *bytes, int width_bytes) {
    uint64_t value = 0;
    for (int i = 0; i < width_bytes; ++i)
        value |= static_cast<uint64_t>(bytes[i]) << 8 * i;
    return value;
}

const uint8_t *get_all(const uint8_t *bytes, dim_t *values, int n) {
    for (int i = 0; i < n; ++i, bytes += sizeof(int64_t)) {
        const uint64_t value = get(bytes, sizeof(int64_t));
        std::memcpy(&values[i], &value, sizeof(value));
    }
    return bytes;
}

// Everything about the frame: what this is, whether all of it is here, whether it is unharmed.
void check_frame(const uint8_t *blob, size_t size_bytes) {
    if (size_bytes < blob_bytes(plain_version, 1, 0))
        fail_invalid("size is " + std::to_string(size_bytes) + ", wanted at least "
                + std::to_string(blob_bytes(plain_version, 1, 0)));
    if (std::memcmp(blob, magic, sizeof(magic)) != 0)
        fail_invalid("blob does not start with \"TFMD\"");
    const uint64_t version = get(blob + 4, 2);
    if (version != plain_version && version != compensation_version)
        fail_invalid("blob has version " + std::to_string(version) + ", wanted 1 or 2");
    const uint64_t ndims = blob[6], inner_nblks = blob[7];
    if (ndims < 1 || ndims > TFMT_MAX_NDIMS || inner_nblks > TFMT_MAX_NDIMS)
        fail_invalid("blob has " + std::to_string(ndims) + " dims and "
                + std::to_string(inner_nblks) + " inner blocks, wanted 1 to 12 and 0 to 12");
    const size_t wanted = blob_bytes(version, ndims, inner_nblks);
    if (size_bytes != wanted || get(blob + 8, 4) != wanted)
        fail_invalid("size is " + std::to_string(size_bytes) + " and blob says "
                + std::to_string(get(blob + 8, 4)) + ", wanted " + std::to_string(wanted));
    const size_t summed = size_bytes - checksum_bytes;
    if (get(blob + summed, 8) != checksum(blob, summed)) fail_invalid("blob has a wrong checksum");
}

// What is not asked for has one way only to be written.
compensation read_compensation(const uint8_t *bytes) {
    const compensation sums = {static_cast<int>(get(bytes, 2)), static_cast<int>(get(bytes + 2, 2)),
            static_cast<int>(get(bytes + 4, 2))};
    if (sums.flags == 0) fail_invalid("blob has version 2, wanted compensation flags other than 0");
    if (get(bytes + 6, 2) != 0)
        fail_invalid("blob has " + std::to_string(get(bytes + 6, 2))
                + " behind the compensation's masks, wanted 0");
    return sums;
}

} // namespace

std::string write_blob(const memory_desc &md) {
    const uint64_t version = md.sums.flags == 0 ? plain_version : compensation_version;
    const size_t size_bytes = blob_bytes(version, md.ndims, md.inner_nblks);
    std::string blob(magic, sizeof(magic));
    put(&blob, version, 2);
    put(&blob, static_cast<uint64_t>(md.ndims), 1);
    put(&blob, static_cast<uint64_t>(md.inner_nblks), 1);
    put(&blob, size_bytes, 4);
    put(&blob, static_cast<uint64_t>(md.data_type), 2);
    put(&blob, static_cast<uint64_t>(md.format_kind), 2);
    put(&blob, static_cast<uint64_t>(md.offset0), 8);
    put_all(&blob, md.dims, md.ndims);
    put_all(&blob, md.strides, md.ndims);
    put_all(&blob, md.inner_blks, md.inner_nblks);
    put_all(&blob, md.inner_idxs, md.inner_nblks);
    if (version == compensation_version)
        for (int value : {md.sums.flags, md.sums.s8s8_mask, md.sums.asymmetric_mask, 0})
            put(&blob, static_cast<uint64_t>(value), 2);
    put(&blob, checksum(reinterpret_cast<const uint8_t *>(blob.data()), blob.size()), 8);
    return blob;
}

memory_desc read_blob(const uint8_t *blob, size_t size_bytes) {
    check_frame(blob, size_bytes);
    dims_t dims, strides, inner_blks, inner_idxs;
    const int ndims = blob[6], inner_nblks = blob[7];
    const uint8_t *next = get_all(blob + header_bytes, dims, ndims);
    next = get_all(next, strides, ndims);
    next = get_all(next, inner_blks, inner_nblks);
    next = get_all(next, inner_idxs, inner_nblks);

    // The checksum is no secret: whoever wrote the blob may have meant any of these numbers.
    const uint64_t data_type = get(blob + 12, 2), format_kind = get(blob + 14, 2);
    const uint64_t highest_number = 31;
    if (data_type > highest_number)
        fail_invalid("blob has data type " + std::to_string(data_type) + ", which is unknown");
    if (format_kind != tfmt_format_kind_any && format_kind != tfmt_blocked)
        fail_invalid("blob has format kind " + std::to_string(format_kind) + ", which is unknown");
    memory_desc md = describe(ndims, dims, static_cast<data_type_t>(data_type));
    set_blocks(&md, inner_nblks, inner_blks, inner_idxs);
    if (md.inner_nblks != inner_nblks) fail_invalid("blob has an inner block of 1");
    md.format_kind = static_cast<tfmt_format_kind_t>(format_kind);
    std::copy(strides, strides + ndims, md.strides);
    get_all(blob + 16, &md.offset0, 1);
    if (get(blob + 4, 2) == compensation_version) md.sums = read_compensation(next);
    validate(md);
    return md;
}

} // namespace tfmt
