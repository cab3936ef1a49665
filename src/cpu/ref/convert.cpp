// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
// Lets GCC turn selections between floating point results into masks, without which few of the
// loops vectorise. It changes exception flags alone, never a result.
#pragma GCC optimize("no-trapping-math")
#endif

#include "cpu/ref/convert.hpp"

#include <array>
#include <type_traits>

#include "common/data_type.hpp"
#include "cpu/ref/convert_runs.hpp"

namespace tfmt::cpu::ref {
namespace {

using row = std::array<convert_run_fn, n_type_numbers>;

template <typename S, typename D>
convert_run_fn convert_run_of() {
    if constexpr (std::is_same_v<S, D>)
        return find_copy_run(S::bits);
    else
        return convert_run<S, D>;
}

template <typename S>
row make_row() {
    row r {};
#define TFMT_DATA_TYPE(name, n_bits) \
    static_assert(types::name::bits == n_bits, "data_type.def and convert_types.hpp agree"); \
    r[tfmt_##name] = convert_run_of<S, types::name>();
#include "common/data_type.def"
    return r;
}

std::array<row, n_type_numbers> make_table() {
    std::array<row, n_type_numbers> table {};
#define TFMT_DATA_TYPE(name, n_bits) table[tfmt_##name] = make_row<types::name>();
#include "common/data_type.def"
    return table;
}

} // namespace

convert_run_fn find_convert_run(data_type_t src, data_type_t dst) {
    static const std::array<row, n_type_numbers> table = make_table();
    if (!is_known(src) || !is_known(dst)) return nullptr;
    return table[src][dst];
}

} // namespace tfmt::cpu::ref
