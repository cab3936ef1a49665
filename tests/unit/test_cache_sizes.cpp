// SPDX-License-Identifier: Apache-2.0
//
// The sizes of L2 and L3, from made-up folders, from CPUID's words and from the host.
#include "cpu/topology/cache_sizes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cpu/isa/cpuid.hpp"
#include "cpu/topology/sys_files.hpp"

namespace {

using namespace tfmt::cpu;

constexpr size_t kib = 1024, mib = 1024 * 1024;

// ---------------------------------------------------------------- /sys

// A folder like /sys/devices/system/cpu, removed at the end.
class sys_folder {
public:
    sys_folder() {
        std::string name = ::testing::TempDir() + "cpusXXXXXX";
        if (!mkdtemp(name.data())) ADD_FAILURE() << "cannot make " << name;
        path_ = name;
    }
    ~sys_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    sys_folder(const sys_folder &) = delete;
    sys_folder &operator=(const sys_folder &) = delete;

    void add_cache(int cpu, int index, const char *level, const char *type, const char *size) {
        const std::filesystem::path cache = path_ / ("cpu" + std::to_string(cpu)) / "cache"
                / ("index" + std::to_string(index));
        std::filesystem::create_directories(cache);
        std::ofstream(cache / "level") << level << "\n";
        std::ofstream(cache / "type") << type << "\n";
        std::ofstream(cache / "size") << size << "\n";
    }
    void add_cpu(int cpu, const char *l2_size, const char *l3_size) {
        add_cache(cpu, 0, "1", "Data", "48K");
        add_cache(cpu, 1, "1", "Instruction", "32K");
        add_cache(cpu, 2, "2", "Unified", l2_size);
        if (l3_size) add_cache(cpu, 3, "3", "Unified", l3_size);
    }
    cache_sizes sizes(int first_cpu, int last_cpu) const {
        return cache_sizes_of_sys(path_.string(), first_cpu, last_cpu);
    }

private:
    std::filesystem::path path_;
};

#if defined(__linux__)

TEST(CacheSizesOfSys, OneKindOfCores) {
    sys_folder cpus;
    cpus.add_cpu(3, "1024K", "32768K");
    cpus.add_cpu(12, "1024K", "32768K");
    for (int last : {3, 12}) {
        EXPECT_EQ(cpus.sizes(3, last).l2_bytes, mib);
        EXPECT_EQ(cpus.sizes(3, last).l3_bytes, 32 * mib);
        EXPECT_EQ(cpus.sizes(3, last).last_level_bytes(), 32 * mib);
    }
}

TEST(CacheSizesOfSys, SmallerOfTwoKindsOfCores) {
    sys_folder cpus;
    cpus.add_cpu(0, "1280K", "24M");
    cpus.add_cpu(15, "2048K", "24M");
    cpus.add_cpu(20, "2M", nullptr); // outside the L3, which is none of a smaller size
    EXPECT_EQ(cpus.sizes(0, 15).l2_bytes, 1280 * kib);
    EXPECT_EQ(cpus.sizes(15, 15).l2_bytes, 2 * mib);
    EXPECT_EQ(cpus.sizes(15, 20).l3_bytes, 24 * mib);
}

TEST(CacheSizesOfSys, L2IsTheLastWithoutL3) {
    sys_folder cpus;
    cpus.add_cpu(0, "512K", nullptr);
    EXPECT_EQ(cpus.sizes(0, 0).l3_bytes, 0u);
    EXPECT_EQ(cpus.sizes(0, 0).last_level_bytes(), 512 * kib);
}

TEST(CacheSizesOfSys, InstructionCachesDoNotCount) {
    sys_folder cpus;
    cpus.add_cache(0, 0, "2", "Instruction", "64K");
    cpus.add_cache(0, 1, "2", "Data", "256K");
    EXPECT_EQ(cpus.sizes(0, 0).l2_bytes, 256 * kib);
}

TEST(SysFiles, FirstWordAlsoOfLongLists) {
    const std::string list = std::string(1500, '7') + ",12";
    const std::string path = ::testing::TempDir() + "sys_files_word";
    std::ofstream(path) << list << "\nnot this\n";
    EXPECT_EQ(read_word(path), list);
    std::ofstream(path, std::ios::trunc).close();
    EXPECT_EQ(read_word(path), "");
    std::filesystem::remove(path);
}

#endif

TEST(CacheSizesOfSys, NothingWhereThereIsNoSuchFolder) {
    const sys_folder cpus;
    EXPECT_EQ(cpus.sizes(0, 1).last_level_bytes(), 0u);
    EXPECT_EQ(cache_sizes_of_sys("/nowhere", 0, 0).last_level_bytes(), 0u);
}

TEST(SysFiles, Sizes) {
    EXPECT_EQ(parse_size("1024K"), mib);
    EXPECT_EQ(parse_size("32M"), 32 * mib);
    EXPECT_EQ(parse_size("1G"), 1024 * mib);
    EXPECT_EQ(parse_size("64"), 64u);
    EXPECT_EQ(parse_size(""), 0u);
}

// ---------------------------------------------------------------- CPUID

// A subleaf as the manuals put it: each field but the type and level is one less than it means.
bool decode(uint32_t type, uint32_t level, uint32_t ways, uint32_t sets, cpuid_cache *cache) {
    const uint32_t line_bytes = 64;
    return decode_cpuid_cache(
            level << 5 | type, (ways - 1) << 22 | (line_bytes - 1), sets - 1, cache);
}

TEST(CpuidCache, SizesOfLeaf4) {
    cpuid_cache cache {};
    ASSERT_TRUE(decode(1, 1, 12, 64, &cache)); // data
    EXPECT_EQ(cache.level, 1);
    EXPECT_EQ(cache.size_bytes, 48 * kib);
    ASSERT_TRUE(decode(3, 2, 20, 1024, &cache)); // unified
    EXPECT_EQ(cache.level, 2);
    EXPECT_EQ(cache.size_bytes, 1280 * kib);
    ASSERT_TRUE(decode(3, 3, 16, 32768, &cache));
    EXPECT_EQ(cache.level, 3);
    EXPECT_EQ(cache.size_bytes, 32 * mib);
    ASSERT_TRUE(decode(2, 1, 8, 64, &cache)); // instructions
    EXPECT_EQ(cache.size_bytes, 0u);
    EXPECT_FALSE(decode(0, 0, 1, 1, &cache)); // behind the last one
}

TEST(CpuidCache, PartitionsMultiply) {
    cpuid_cache cache {};
    ASSERT_TRUE(decode_cpuid_cache(2 << 5 | 3, 3u << 22 | 1u << 12 | 127, 255, &cache));
    EXPECT_EQ(cache.size_bytes, 4u * 2 * 128 * 256);
}

TEST(CpuidCache, TotalsOfAPackage) {
    // L2 1024 KB of 64-byte lines, L3 508 MB in units of 512 KB: no core sees all of that.
    const std::vector<cpuid_cache> of_server = decode_cpuid_cache_totals(0x04006140, 0x0fe09140);
    ASSERT_EQ(of_server.size(), 2u);
    EXPECT_EQ(of_server[0].level, 2);
    EXPECT_EQ(of_server[0].size_bytes, mib);
    EXPECT_EQ(of_server[1].level, 3);
    EXPECT_EQ(of_server[1].size_bytes, 32 * mib);
    // 16 MB of L3 and 512 KB of L2.
    const std::vector<cpuid_cache> of_laptop = decode_cpuid_cache_totals(0x02006140, 0x00808140);
    ASSERT_EQ(of_laptop.size(), 2u);
    EXPECT_EQ(of_laptop[0].size_bytes, 512 * kib);
    EXPECT_EQ(of_laptop[1].size_bytes, 16 * mib);
    // Without L3, and a processor that tells nothing.
    EXPECT_EQ(decode_cpuid_cache_totals(0x02006140, 0).size(), 1u);
    EXPECT_TRUE(decode_cpuid_cache_totals(0, 0).empty());
}

// ---------------------------------------------------------------- the host

TEST(HostCacheSizes, ArePlausibleAndReadOnce) {
    const cache_sizes &host = host_cache_sizes();
    EXPECT_GE(host.l2_bytes, 64 * kib);
    EXPECT_LE(host.l2_bytes, 1024 * mib);
    EXPECT_GE(host.last_level_bytes(), host.l2_bytes);
    EXPECT_EQ(&host, &host_cache_sizes());
}

// The kernel takes /sys from CPUID. Hypervisors may hide it there, and kinds of cores differ.
TEST(HostCacheSizes, CpuidSaysTheSameIfItSaysAnything) {
    const cache_sizes by_cpuid = cache_sizes_of_cpuid();
    if (!by_cpuid.l2_bytes) GTEST_SKIP() << "CPUID tells of no L2";
    EXPECT_GE(by_cpuid.l2_bytes, host_cache_sizes().l2_bytes);
    EXPECT_GE(by_cpuid.last_level_bytes(), by_cpuid.l2_bytes);
}

} // namespace
