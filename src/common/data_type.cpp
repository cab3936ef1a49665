// SPDX-License-Identifier: Apache-2.0
#include "common/data_type.hpp"

#include <cstring>

namespace tfmt {

namespace {

struct type_row {
    tfmt_data_type_t type;
    const char *name;
    int bits;
};

constexpr type_row rows[] = {
#define TFMT_DATA_TYPE(name, bits) {tfmt_##name, #name, bits},
#include "common/data_type.def"
};

const type_row *find(tfmt_data_type_t dt) {
    for (const type_row &row : rows)
        if (row.type == dt) return &row;
    return nullptr;
}

} // namespace

bool is_known(tfmt_data_type_t dt) { return find(dt) != nullptr; }

int bits_of(tfmt_data_type_t dt) {
    const type_row *row = find(dt);
    return row ? row->bits : 0;
}

const char *name_of(tfmt_data_type_t dt) {
    const type_row *row = find(dt);
    return row ? row->name : "undef";
}

bool is_small_integer(tfmt_data_type_t dt) {
    return dt == tfmt_s8 || dt == tfmt_u8 || dt == tfmt_s4 || dt == tfmt_u4;
}

bool parse_data_type(const char *name, tfmt_data_type_t *dt) {
    for (const type_row &row : rows) {
        if (std::strcmp(row.name, name) != 0) continue;
        *dt = row.type;
        return true;
    }
    return false;
}

size_t bytes_for(tfmt_data_type_t dt, size_t nelems) {
    const size_t bits = static_cast<size_t>(bits_of(dt));
    if (bits >= 8) return nelems * (bits / 8);
    const size_t elems_per_byte = 2;
    return nelems / elems_per_byte + nelems % elems_per_byte;
}

} // namespace tfmt
