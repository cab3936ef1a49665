// SPDX-License-Identifier: Apache-2.0
//
// quantize_u4 [K N [FILE]]: weights as models ship them, quantised while they are packed.
//
// A K x N matrix of f32 weights (made up, or FILE: K * N raw f32, row by row) is quantised in three
// ways, with parameters for each group of 32 weights along k:
//   u4       with one f16 scale and one u4 zero point a group
//   f4_e2m1  with one e8m0 scale, as OCP MX has it (MXFP4)
//   f8_e4m3  likewise (MXFP8)
// One reorder quantises and packs VNNI-style: blocks of 32 rows and 64 columns, in which the k's
// that share four bytes are neighbours. A second one unpacks to plain bf16 with the same
// parameters. Each weight must come back within half a step of its quantised type, or be its
// largest number where MX scales leave a weight beyond that; else the program fails.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <tensorfmt/tensorfmt.hpp>
#include <vector>

using bytes_t = std::vector<uint8_t>;
using floats_t = std::vector<float>;
using tensorfmt::memory;
using dt = memory::data_type;

namespace {

constexpr int64_t group_k = 32; // weights along k that share a scale

struct matrix_t {
    int64_t k, n;
    floats_t weights; // of (k, n) at k * n_columns + n

    memory::dims dims() const { return {k, n}; }
    memory::dims group_dims() const { return {k / group_k, n}; }
    size_t group_of(size_t i) const { // of weight i
        return i / (size_t(n) * group_k) * size_t(n) + i % size_t(n);
    }
};

// One way to quantise.
struct scheme_t {
    const char *name;
    dt type;
    const char *tag; // of the packed weights: a is k, b is n
    dt scale_type;
    bool has_zero_points;
    // Of floating point types: numbers are 2^-mantissa_bits of their power of two apart, which is
    // 2^smallest_exponent or more.
    int mantissa_bits;
    int smallest_exponent;
    double largest;
};

const scheme_t schemes[] = {
        {"u4", dt::u4, "BA4a64b8a", dt::f16, true, 0, 0, 15},
        {"f4_e2m1", dt::f4_e2m1, "BA4a64b8a", dt::e8m0, false, 1, 0, 6},
        {"f8_e4m3", dt::f8_e4m3, "BA8a64b4a", dt::e8m0, false, 3, -6, 448},
};

// ---------------------------------------------------------------- weights

// As a trained layer looks: each column has a spread of its own, and a few weights stand out.
matrix_t make_weights(int64_t k, int64_t n) {
    std::mt19937 random(42);
    std::normal_distribution<float> normal;
    floats_t spreads(static_cast<size_t>(n));
    for (float &spread : spreads)
        spread = 0.02f * std::exp(0.5f * normal(random));
    matrix_t m {k, n, floats_t(static_cast<size_t>(k * n))};
    for (size_t i = 0; i < m.weights.size(); i++) {
        const bool stands_out = random() % 1000 == 0;
        m.weights[i] = spreads[i % size_t(n)] * normal(random) * (stands_out ? 10 : 1);
    }
    return m;
}

matrix_t read_weights(int64_t k, int64_t n, const char *path) {
    matrix_t m {k, n, floats_t(static_cast<size_t>(k * n))};
    const size_t nbytes = m.weights.size() * sizeof(float);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char *>(m.weights.data()), std::streamsize(nbytes)))
        throw std::runtime_error(std::string(path) + ": no " + std::to_string(nbytes) + " bytes");
    for (float w : m.weights)
        if (!std::isfinite(w)) throw std::runtime_error(std::string(path) + ": not only numbers");
    return m;
}

// ---------------------------------------------------------------- parameters

// Values of one plain array as another type, which is a reorder too.
bytes_t converted(const void *values, const memory::dims &dims, dt from, dt to) {
    const memory::desc from_md(dims, from, "ab"), to_md(dims, to, "ab");
    bytes_t result(to_md.get_size());
    tensorfmt::reorder(from_md, to_md).execute(values, result.data());
    return result;
}

floats_t as_floats(const bytes_t &values, const memory::dims &dims, dt type) {
    floats_t result(static_cast<size_t>(dims[0] * dims[1]));
    const bytes_t bytes = converted(values.data(), dims, type, dt::f32);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

// 0 is in the range of every group, so that it comes back as 0.
struct range_t {
    float low = 0, high = 0;
};

std::vector<range_t> group_ranges(const matrix_t &m) {
    std::vector<range_t> ranges(m.weights.size() / group_k);
    for (size_t i = 0; i < m.weights.size(); i++) {
        range_t &range = ranges[m.group_of(i)];
        range.low = std::min(range.low, m.weights[i]);
        range.high = std::max(range.high, m.weights[i]);
    }
    return ranges;
}

// 15 steps from the lowest weight to the highest. Rounding to f16 takes away 2^-11 at most, so with
// 2^-10 more the steps still reach.
float integer_scale(const range_t &range) {
    const float smallest_normal_f16 = 0x1p-14f;
    return std::max((range.high - range.low) / 15 * (1 + 0x1p-10f), smallest_normal_f16);
}

// The power of two that brings the largest weight to the largest power of two of the type.
float mx_scale(const range_t &range, const scheme_t &s) {
    const float largest = std::max(range.high, -range.low);
    if (largest == 0) return 1;
    return std::ldexp(1.0f, std::max(std::ilogb(largest) - std::ilogb(s.largest), -127));
}

// What both reorders are given at execution, in the types of the scheme.
struct parameters_t {
    bytes_t scales;
    bytes_t zero_points;
    floats_t rounded_scales; // the scales again, to check with
};

parameters_t make_parameters(const matrix_t &m, const scheme_t &s) {
    const memory::dims dims = m.group_dims();
    const std::vector<range_t> ranges = group_ranges(m);
    floats_t values(ranges.size());
    for (size_t i = 0; i < ranges.size(); i++)
        values[i] = s.has_zero_points ? integer_scale(ranges[i]) : mx_scale(ranges[i], s);
    parameters_t p;
    p.scales = converted(values.data(), dims, dt::f32, s.scale_type);
    p.rounded_scales = as_floats(p.scales, dims, s.scale_type);
    if (!s.has_zero_points) return p;
    for (size_t i = 0; i < ranges.size(); i++)
        values[i] = -ranges[i].low / p.rounded_scales[i];
    p.zero_points = converted(values.data(), dims, dt::f32, dt::u4); // rounds, two to a byte
    return p;
}

// ---------------------------------------------------------------- reorders

// The best of some runs, in seconds.
template <typename Work>
double best_time_s(Work &&work) {
    double best_s = std::numeric_limits<double>::max(), sum_s = 0;
    for (int i = 0; i < 20 && (i < 2 || sum_s < 0.5); i++) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> time_s = std::chrono::steady_clock::now() - begin;
        best_s = std::min(best_s, time_s.count());
        sum_s += time_s.count();
    }
    return best_s;
}

// memcpy that reads and writes as many bytes as a reorder of these sizes does together.
double memcpy_time_s(size_t src_bytes, size_t dst_bytes) {
    const size_t nbytes = (src_bytes + dst_bytes) / 2;
    bytes_t from(nbytes, 1), to(nbytes, 2);
    return best_time_s([&] {
        std::memcpy(to.data(), from.data(), nbytes);
        from[0] = to[nbytes - 1]; // so that no run can be left out
    });
}

void run(const char *name, const tensorfmt::reorder &reorder, const void *src, void *dst,
        const tensorfmt::exec_args &args) {
    const size_t src_bytes = reorder.src_desc().get_size();
    const size_t dst_bytes = reorder.dst_desc().get_size();
    const double time_s = best_time_s([&] { reorder.execute(src, dst, &args); });
    const double copy_s = memcpy_time_s(src_bytes, dst_bytes);
    std::printf("  %-7s %9zu -> %9zu bytes  %9.1f us  memcpy %7.1f us  ratio %7.2f  %s\n", name,
            src_bytes, dst_bytes, time_s * 1e6, copy_s * 1e6, time_s / copy_s,
            reorder.impl_info_str().c_str());
}

// Scales and zero points of `arg`: values differ along both dimensions, by groups along k.
tensorfmt::attr make_attr(int arg, const scheme_t &s) {
    const int both_dims = 1 << 0 | 1 << 1;
    tensorfmt::attr attr;
    attr.set_scales(arg, both_dims, {group_k, 1}, s.scale_type);
    if (s.has_zero_points) attr.set_zero_points(arg, both_dims, {group_k, 1}, dt::u4);
    return attr;
}

// f32 -> packed: divides by the scale, adds the zero point, rounds, saturates.
bytes_t pack(const matrix_t &m, const scheme_t &s, const parameters_t &p) {
    const memory::desc src_md(m.dims(), dt::f32, "ab"), dst_md(m.dims(), s.type, s.tag);
    const tensorfmt::reorder reorder(src_md, dst_md, make_attr(TFMT_ARG_DST, s));
    tensorfmt::exec_args args;
    args.dst_scales = p.scales.data();
    args.dst_zero_points = p.zero_points.data();
    bytes_t packed(dst_md.get_size(), 0xff);
    run("pack", reorder, m.weights.data(), packed.data(), args);
    if (!tensorfmt::check_padding(dst_md, packed.data()))
        throw std::runtime_error("the padding of the packed weights is not zero");
    return packed;
}

// Packed -> bf16: subtracts the zero point, multiplies by the scale.
bytes_t unpack(const matrix_t &m, const scheme_t &s, const parameters_t &p, const bytes_t &packed) {
    const memory::desc src_md(m.dims(), s.type, s.tag), dst_md(m.dims(), dt::bf16, "ab");
    const tensorfmt::reorder reorder(src_md, dst_md, make_attr(TFMT_ARG_SRC, s));
    tensorfmt::exec_args args;
    args.src_scales = p.scales.data();
    args.src_zero_points = p.zero_points.data();
    bytes_t unpacked(dst_md.get_size(), 0xff);
    run("unpack", reorder, packed.data(), unpacked.data(), args);
    return unpacked;
}

// ---------------------------------------------------------------- errors

// The largest error that rounding may leave, in scales; x is a weight over its scale. Integers are
// 1 apart and reach all weights but for what rounding in f32 does to ties.
double allowed_error(const scheme_t &s, double x) {
    if (s.has_zero_points) return 0.5 + 1e-5;
    const int exponent = x == 0 ? s.smallest_exponent
                                : std::max(std::ilogb(x), s.smallest_exponent);
    return std::max(std::ldexp(0.5, exponent - s.mantissa_bits), std::abs(x) - s.largest);
}

// Compares every weight with what came back, prints the errors, throws if one is too large.
void check(const matrix_t &m, const scheme_t &s, const parameters_t &p, const bytes_t &unpacked) {
    const floats_t back = as_floats(unpacked, m.dims(), dt::bf16);
    double max_error = 0, max_in_scales = 0, sum = 0, sum_squares = 0, weight_squares = 0;
    for (size_t i = 0; i < back.size(); i++) {
        const double weight = m.weights[i], scale = p.rounded_scales[m.group_of(i)];
        const double error = std::abs(back[i] - weight);
        const double bf16_rounding = std::abs(back[i]) * 0x1p-8;
        if (!(error <= allowed_error(s, weight / scale) * scale + bf16_rounding))
            throw std::runtime_error(std::string(s.name) + ": weight " + std::to_string(i) + " is "
                    + std::to_string(weight) + " and came back as " + std::to_string(back[i])
                    + ", at a scale of " + std::to_string(scale));
        max_error = std::max(max_error, error);
        max_in_scales = std::max(max_in_scales, error / scale);
        sum += error;
        sum_squares += error * error;
        weight_squares += weight * weight;
    }
    const double n = static_cast<double>(back.size());
    std::printf("  error   max %.3g (%.3f scales), mean %.3g, rms %.2f%% of the weights' rms\n",
            max_error, max_in_scales, sum / n,
            100 * std::sqrt(sum_squares / std::max(weight_squares, 1e-300)));
}

void quantize(const matrix_t &m, const scheme_t &s) {
    const parameters_t p = make_parameters(m, s);
    const size_t parameter_bytes = p.scales.size() + p.zero_points.size();
    std::printf("%s as %s, %zu groups of %d along k, %zu bytes of scales and zero points\n", s.name,
            s.tag, p.rounded_scales.size(), int(group_k), parameter_bytes);
    const bytes_t packed = pack(m, s, p);
    const bytes_t unpacked = unpack(m, s, p, packed);
    std::printf("  size    %.2f bits a weight\n",
            8.0 * double(packed.size() + parameter_bytes) / double(m.weights.size()));
    check(m, s, p, unpacked);
}

} // namespace

int main(int argc, char **argv) try {
    if (argc != 1 && argc != 3 && argc != 4)
        throw std::runtime_error("usage: quantize_u4 [K N [FILE]]");
    const int64_t k = argc > 1 ? std::atoll(argv[1]) : 4096;
    const int64_t n = argc > 2 ? std::atoll(argv[2]) : 1024;
    if (k < 1 || n < 1 || k % group_k != 0 || k > (int64_t(1) << 30) / n)
        throw std::runtime_error("K and N must be positive, K a multiple of 32, K * N below 2^30");
    const matrix_t m = argc > 3 ? read_weights(k, n, argv[3]) : make_weights(k, n);
    std::printf("%lld x %lld f32 weights, %zu bytes, threads: %d\n", static_cast<long long>(k),
            static_cast<long long>(n), m.weights.size() * sizeof(float),
            tensorfmt::get_num_threads());
    for (const scheme_t &s : schemes)
        quantize(m, s);
    std::printf("every weight came back as near as its quantised type can be\n");
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "quantize_u4: %s\n", e.what());
    return 1;
}
