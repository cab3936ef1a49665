// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
// As in convert.cpp: few of the loops vectorise without.
#pragma GCC optimize("no-trapping-math")
#endif

#include "cpu/ref/codecs.hpp"

#include <array>
#include <type_traits>

#include "cpu/ref/convert_runs.hpp"

namespace tfmt::cpu::ref {
namespace {

template <typename T, typename Carrier>
constexpr codec<Carrier> make_codec() {
    if constexpr (std::is_same_v<Carrier, float> && T::bits == 64)
        return {nullptr, nullptr};
    else if constexpr (std::is_same_v<Carrier, float> && types::needs_f64<T>)
        return {decode_run<T, Carrier>, nullptr};
    else
        return {decode_run<T, Carrier>, encode_run<T, Carrier>};
}

template <typename Carrier>
using table = std::array<codec<Carrier>, n_type_numbers>;

template <typename Carrier>
constexpr table<Carrier> make_codecs() {
    table<Carrier> all {};
#define TFMT_DATA_TYPE(name, n_bits) all[tfmt_##name] = make_codec<types::name, Carrier>();
#include "common/data_type.def"
    return all;
}

} // namespace

template <typename Carrier>
const codec<Carrier> &codec_of(data_type_t type) {
    static constexpr table<Carrier> codecs = make_codecs<Carrier>();
    return codecs[size_t(type)];
}

template const codec<float> &codec_of<float>(data_type_t type);
template const codec<double> &codec_of<double>(data_type_t type);

} // namespace tfmt::cpu::ref
