// SPDX-License-Identifier: Apache-2.0
//
// picture INPUT OUTPUT: takes a real picture through the library and back.
//
// INPUT is a BMP (24 bit, uncompressed) or PPM (P6, 8 bit) file: u8 in nhwc, where the rows of a
// BMP are padded to 4 bytes, which strides express. Its pixels become f32 in nChw16c (3 channels
// padded to 16), take a turn through nchw, and come back to u8 in nhwc. OUTPUT must equal INPUT
// byte by byte. Each step is one reorder, timed against memcpy of as many bytes; any mismatch is an
// error.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <tensorfmt/tensorfmt.hpp>
#include <vector>

using bytes_t = std::vector<uint8_t>;
using tensorfmt::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

bytes_t read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + path);
    return bytes_t(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

void write_file(const std::string &path, const bytes_t &content) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(content.data()),
            static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path);
}

// Where the pixels lie in the file.
struct picture_t {
    const char *format;
    int64_t width, height;
    size_t pixels_begin_bytes; // of the first row that is stored
    int64_t row_bytes;         // from one row to the next
};

uint32_t little_endian(const bytes_t &file, size_t at_bytes, int nbytes) {
    uint32_t value = 0;
    for (int i = 0; i < nbytes; ++i)
        value |= uint32_t(file.at(at_bytes + i)) << (8 * i);
    return value;
}

picture_t parse_bmp(const bytes_t &file) {
    if (little_endian(file, 28, 2) != 24 || little_endian(file, 30, 4) != 0)
        throw std::runtime_error("only uncompressed BMP files of 24 bit are read");
    const int64_t width = static_cast<int32_t>(little_endian(file, 18, 4));
    const int64_t height = static_cast<int32_t>(little_endian(file, 22, 4));
    // A negative height says that the top row comes first, which changes no address.
    return {"BMP", width, std::abs(height), little_endian(file, 10, 4), (3 * width + 3) / 4 * 4};
}

// "P6", width, height, 255, separated by white space and comments, then one white space.
picture_t parse_ppm(const bytes_t &file) {
    size_t at = 2;
    int64_t numbers[3];
    for (int64_t &number : numbers) {
        while (std::isspace(file.at(at)) || file.at(at) == '#') {
            if (file.at(at) == '#')
                while (file.at(at) != '\n')
                    ++at;
            ++at;
        }
        number = 0;
        for (; std::isdigit(file.at(at)) && number < (1 << 24); ++at)
            number = 10 * number + (file.at(at) - '0');
    }
    if (numbers[2] != 255 || !std::isspace(file.at(at)))
        throw std::runtime_error("only PPM files of 8 bit are read");
    return {"PPM", numbers[0], numbers[1], at + 1, 3 * numbers[0]};
}

picture_t parse(const bytes_t &file) {
    const bool is_bmp = file.size() > 2 && file[0] == 'B' && file[1] == 'M';
    const bool is_ppm = file.size() > 2 && file[0] == 'P' && file[1] == '6';
    if (!is_bmp && !is_ppm) throw std::runtime_error("neither a BMP nor a PPM (P6) file");
    const picture_t picture = is_bmp ? parse_bmp(file) : parse_ppm(file);
    if (picture.width < 1 || picture.height < 1) throw std::runtime_error("an empty picture");
    const uint64_t needed_bytes = picture.pixels_begin_bytes
            + uint64_t(picture.height - 1) * uint64_t(picture.row_bytes)
            + 3 * uint64_t(picture.width);
    if (needed_bytes > file.size()) throw std::runtime_error("the file ends inside the picture");
    return picture;
}

// The best of some runs, in seconds.
template <typename Work>
double best_time_s(Work &&work) {
    double best_s = std::numeric_limits<double>::max();
    for (int i = 0; i < 20; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> time_s = std::chrono::steady_clock::now() - begin;
        best_s = std::min(best_s, time_s.count());
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

// One step: reorders, checks the padding that it left, and prints what it took.
void step(const char *name, const memory::desc &src_md, const uint8_t *src,
        const memory::desc &dst_md, uint8_t *dst) {
    const tensorfmt::reorder reorder(src_md, dst_md);
    reorder.execute(src, dst);
    if (!tensorfmt::check_padding(dst_md, dst))
        throw std::runtime_error(std::string(name) + ": the padding is not zero");
    const double time_s = best_time_s([&] { reorder.execute(src, dst); });
    const double copy_s = memcpy_time_s(src_md.get_size(), dst_md.get_size());
    std::printf("%-26s %8.1f us  memcpy %7.1f us  ratio %6.2f  padding zero  %.40s\n", name,
            time_s * 1e6, copy_s * 1e6, time_s / copy_s, reorder.impl_info_str().c_str());
}

// A buffer whose every byte is wrong, so that what a step leaves out is seen.
bytes_t poisoned(const memory::desc &md) { return bytes_t(md.get_size(), 0xff); }

// The file again, its pixels having made the whole way.
bytes_t round_trip(const bytes_t &file, const picture_t &picture) {
    const memory::dims dims = {1, 3, picture.height, picture.width};
    const memory::desc pixels_md(dims, dt::u8,
            {picture.height * picture.row_bytes, 1, picture.row_bytes, 3}); // nhwc, rows padded
    const memory::desc blocked_md(dims, dt::f32, tag::nChw16c);
    const memory::desc planes_md(dims, dt::f32, tag::nchw);

    bytes_t blocked = poisoned(blocked_md), planes = poisoned(planes_md);
    bytes_t blocked_again = poisoned(blocked_md);
    bytes_t result = file; // headers and the ends of rows stay, each pixel is made wrong
    uint8_t *result_pixels = result.data() + picture.pixels_begin_bytes;
    for (int64_t y = 0; y < picture.height; ++y)
        for (int64_t x = 0; x < 3 * picture.width; ++x)
            result_pixels[y * picture.row_bytes + x] ^= 0xff;

    step("u8 nhwc -> f32 nChw16c", pixels_md, file.data() + picture.pixels_begin_bytes, blocked_md,
            blocked.data());
    step("f32 nChw16c -> f32 nchw", blocked_md, blocked.data(), planes_md, planes.data());
    step("f32 nchw -> f32 nChw16c", planes_md, planes.data(), blocked_md, blocked_again.data());
    if (blocked != blocked_again) throw std::runtime_error("nChw16c differs after nchw");
    step("f32 nChw16c -> u8 nhwc", blocked_md, blocked_again.data(), pixels_md, result_pixels);

    // One pixel by hand: the last one of the picture, its last channel.
    const memory::dims last = {0, 2, picture.height - 1, picture.width - 1};
    float value = 0;
    std::memcpy(&value, blocked.data() + sizeof(float) * blocked_md.get_offset(last), sizeof value);
    if (value != file[picture.pixels_begin_bytes + pixels_md.get_offset(last)])
        throw std::runtime_error("the last pixel has another value in nChw16c");
    return result;
}

} // namespace

int main(int argc, char **argv) try {
    if (argc != 3) throw std::runtime_error("usage: picture INPUT.{bmp,ppm} OUTPUT");
    const bytes_t file = read_file(argv[1]);
    const picture_t picture = parse(file);
    std::printf("%s: %s, %lld x %lld pixels, rows of %lld bytes\n", argv[1], picture.format,
            static_cast<long long>(picture.width), static_cast<long long>(picture.height),
            static_cast<long long>(picture.row_bytes));

    write_file(argv[2], round_trip(file, picture));
    if (read_file(argv[2]) != file)
        throw std::runtime_error(std::string(argv[2]) + " differs from " + argv[1]);
    std::printf("%s: equal to the input, all %zu bytes\n", argv[2], file.size());
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "picture: %s\n", e.what());
    return 1;
}
