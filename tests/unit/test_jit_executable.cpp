// SPDX-License-Identifier: Apache-2.0
// Machine code as memory and as a function: pages that are never writable and executable at once,
// nests deeper than there are counter registers, registers that belong to the caller, and addresses
// further apart than 2 GiB.
#include "cpu/jit/executable.hpp"

#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "cpu/reorder.hpp"
#include "support/layout.hpp"
#include "tests/unit/jit_helpers.hpp"

namespace {

using namespace plan_test;
using namespace tfmt::cpu::ir;
using tfmt::cpu::jit::executable;

// ---------------------------------------------------------------- pages

struct mapping {
    uintptr_t begin, end;
    std::string permissions; // "r-xp"
};

std::vector<mapping> mappings() {
    std::vector<mapping> found;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        mapping m {};
        char dash = 0;
        std::istringstream(line) >> std::hex >> m.begin >> dash >> m.end >> m.permissions;
        found.push_back(m);
    }
    return found;
}

// Of the page at `address`; "" if nothing is mapped there.
std::string permissions_at(const void *address) {
    for (const mapping &m : mappings())
        if (reinterpret_cast<uintptr_t>(address) >= m.begin
                && reinterpret_cast<uintptr_t>(address) < m.end)
            return m.permissions;
    return "";
}

bool is_executable(const void *address) {
    return permissions_at(address).find('x') != std::string::npos;
}

const uint8_t just_return[] = {0xc3};

TEST(Executable, PagesAreReadAndExecuteOnly) {
    const executable code(just_return, sizeof just_return);
    EXPECT_EQ(permissions_at(code.entry()), "r-xp");
    EXPECT_EQ(code.size_bytes(), 1u);
    EXPECT_EQ(std::memcmp(code.entry(), just_return, 1), 0);
    // More than a page: the last byte as well.
    const std::vector<uint8_t> large(10000, 0xc3);
    const executable more(large.data(), large.size());
    EXPECT_EQ(permissions_at(static_cast<const char *>(more.entry()) + 9999), "r-xp");
}

TEST(Executable, PagesGoWithTheirOwner) {
    const void *entry = nullptr;
    {
        executable code(just_return, sizeof just_return);
        entry = code.entry();
        executable moved(std::move(code));
        EXPECT_EQ(code.entry(), nullptr);
        EXPECT_EQ(moved.entry(), entry);
        EXPECT_TRUE(is_executable(entry));
        executable assigned;
        assigned = std::move(moved);
        EXPECT_EQ(assigned.entry(), entry);
        EXPECT_TRUE(is_executable(entry));
    }
    EXPECT_FALSE(is_executable(entry));
}

// mov eax, imm32; ret, behind which there are zeros.
std::vector<uint8_t> code_that_returns(uint32_t value, size_t size_bytes) {
    std::vector<uint8_t> code(size_bytes, 0);
    code[0] = 0xb8;
    std::memcpy(code.data() + 1, &value, sizeof value);
    code[5] = 0xc3;
    return code;
}

uint32_t call(const executable &code) {
    return reinterpret_cast<uint32_t (*)()>(reinterpret_cast<uintptr_t>(code.entry()))();
}

// Pages are mapped many at once, and go one by one, in another order; also where several threads
// make them.
TEST(Executable, PiecesAreIndependent) {
    constexpr size_t n_threads = 3, n_each = 200;
    std::vector<std::vector<std::unique_ptr<executable>>> made(n_threads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < n_threads; t++)
        threads.emplace_back([&, t] {
            for (size_t i = 0; i < n_each; i++) {
                const size_t size_bytes = 6 + (i * 2017 + t * 911) % 30000;
                const auto code = code_that_returns(uint32_t(t * n_each + i), size_bytes);
                made[t].push_back(std::make_unique<executable>(code.data(), code.size()));
                if (i % 3 == 2) made[t][i - 1].reset(); // while others are made
            }
        });
    for (std::thread &t : threads)
        t.join();
    for (size_t t = 0; t < n_threads; t++)
        for (size_t i = 0; i < n_each; i += 2)
            made[t][i].reset();
    for (size_t t = 0; t < n_threads; t++)
        for (size_t i = 0; i < n_each; i++) {
            if (made[t][i]) { EXPECT_EQ(call(*made[t][i]), t * n_each + i); }
        }
}

TEST(Executable, NoPageOfTheProcessIsWritableAndExecutable) {
    std::vector<tfmt::cpu::implementation_ptr> kept;
    for (dim_t n = 3; n < 12; n++)
        kept.push_back(tfmt::cpu::find_reorder(by_tag({n, 40}, "ab"), by_tag({n, 40}, "Ba16b")));
    int n_executable = 0;
    for (const mapping &m : mappings()) {
        const bool executes = m.permissions.find('x') != std::string::npos;
        n_executable += executes;
        EXPECT_FALSE(executes && m.permissions.find('w') != std::string::npos) << m.permissions;
    }
    EXPECT_GT(n_executable, 0);
}

// ---------------------------------------------------------------- nests and registers

class CodeOn : public testing::TestWithParam<machine> {
protected:
    void SetUp() override {
        if (!host_is(GetParam())) GTEST_SKIP() << "the host lacks " << name_of(GetParam());
    }
};

// Copies `1 << depth` elements of vector_bytes through `depth` loops of two steps, in the order of
// their addresses in the source and in the reverse order of address bits in the destination; the
// rest does the same behind it.
kernel deep_kernel(int depth, int vector_bytes) {
    kernel k;
    k.vector_bytes = vector_bytes;
    k.n_values = 1;
    op load(op_kind::load), store(op_kind::store);
    load.out = store.a = 0;
    load.unit_bytes = store.unit_bytes = vector_bytes;
    load.chunks = store.chunks = {{0, (uint64_t(1) << vector_bytes) - 1}};
    k.blocks = {{load, store}};
    nest_node inner;
    inner.block = 0;
    for (int i = 0; i < depth; i++) {
        nest_node loop;
        loop.count = 2;
        loop.src_step_bytes = int64_t(vector_bytes) << i;
        loop.dst_step_bytes = int64_t(vector_bytes) << (depth - 1 - i);
        loop.children = {inner};
        inner = loop;
    }
    k.root = {inner};
    k.src_step_bytes = k.dst_step_bytes = int64_t(vector_bytes) << depth;
    k.rest = k.root;
    return k;
}

TEST_P(CodeOn, NestsDeeperThanTheCounterRegisters) {
    for (int vector_bytes : {1, 8, 16})
        for (int depth : {1, 3, 4, 8, 9, 10, 13}) {
            const kernel k = deep_kernel(depth, vector_bytes);
            ASSERT_EQ(verify(k), "");
            const size_t n = size_t(vector_bytes) << depth;
            std::vector<uint8_t> src(4 * n), wanted(4 * n, 0xa5), actual(4 * n, 0xa5);
            for (size_t i = 0; i < src.size(); i++)
                src[i] = uint8_t(i * 7 + i / 251);
            interpret(k, src.data(), wanted.data(), 2, true);
            machine_code(k, GetParam())(src.data(), actual.data(), 2, true);
            ASSERT_EQ(actual, wanted) << depth << " loops, " << vector_bytes << " bytes";
        }
}

// A body that is repeated until the code is of some size: emitters begin with little room. Its two
// loops lie on both sides of the end of it, with jumps across.
TEST_P(CodeOn, LargerThanTheRoomOfEmitters) {
    for (int vector_bytes : {8, 16})
        for (size_t n : {1000, 4000, 40000, 150000}) {
            kernel k = deep_kernel(1, vector_bytes);
            nest_node step = k.root[0].children[0];
            k.root[0].src_step_bytes = k.root[0].dst_step_bytes = int64_t(n) * vector_bytes;
            k.root[0].children.clear();
            for (size_t i = 0; i < n; i++) {
                step.src_offset_bytes = int64_t(i) * vector_bytes;
                step.dst_offset_bytes = int64_t(n - 1 - i) * vector_bytes;
                k.root[0].children.push_back(step);
            }
            k.src_step_bytes = k.dst_step_bytes = 0;
            k.rest = {step};
            ASSERT_EQ(verify(k), "");
            const size_t n_bytes = 2 * n * size_t(vector_bytes);
            std::vector<uint8_t> src(n_bytes), wanted(n_bytes, 0xa5), actual(n_bytes, 0xa5);
            for (size_t i = 0; i < src.size(); i++)
                src[i] = uint8_t(i * 7 + i / 251);
            interpret(k, src.data(), wanted.data(), 1, true);
            machine_code(k, GetParam())(src.data(), actual.data(), 1, true);
            ASSERT_EQ(actual, wanted) << n << " steps of " << vector_bytes << " bytes";
        }
}

// Loops that follow each other start where the one before them started.
TEST_P(CodeOn, LoopsSideBySide) {
    kernel k = deep_kernel(2, 1);
    nest_node shifted = k.root[0];
    shifted.src_offset_bytes = 4;
    shifted.dst_offset_bytes = 20;
    nest_node once = shifted; // a loop of one step: its offsets go into the addresses
    once.count = 1;
    once.dst_offset_bytes = 30;
    k.root = {k.root[0], shifted, once, k.root[0]};
    k.root[3].dst_offset_bytes = 40;
    ASSERT_EQ(verify(k), "");
    std::vector<uint8_t> src(64), wanted(64, 0xa5), actual(64, 0xa5);
    for (size_t i = 0; i < src.size(); i++)
        src[i] = uint8_t(i + 1);
    interpret(k, src.data(), wanted.data(), 1, true);
    machine_code(k, GetParam())(src.data(), actual.data(), 1, true);
    EXPECT_EQ(actual, wanted);
}

TEST_P(CodeOn, NoRootStepsAndNoRest) {
    const kernel k = deep_kernel(3, 1);
    const machine_code code(k, GetParam());
    std::vector<uint8_t> src(32), dst(32, 0xa5);
    const std::vector<uint8_t> untouched = dst;
    code(src.data(), dst.data(), 0, false);
    EXPECT_EQ(dst, untouched);
    std::vector<uint8_t> wanted = dst;
    interpret(k, src.data(), wanted.data(), 0, true);
    code(src.data(), dst.data(), 0, true);
    EXPECT_EQ(dst, wanted);
}

// The caller's rbx, rbp and r12 to r15, as bits that the call changed.
uint64_t changed_registers(
        tfmt::cpu::jit::kernel_fn f, const void *src, void *dst, int64_t n, int64_t rest) {
    uint64_t changed = reinterpret_cast<uint64_t>(f);
    asm volatile(                 //
            "sub $128, %%rsp\n\t" // below what the compiler may keep under the stack pointer
            "push %%rbp\n\t"
            "mov $0x1111, %%rbp\n\t"
            "mov $0x2222, %%rbx\n\t"
            "mov $0x3333, %%r12\n\t"
            "mov $0x4444, %%r13\n\t"
            "mov $0x5555, %%r14\n\t"
            "mov $0x6666, %%r15\n\t"
            "call *%%rax\n\t"
            "xor $0x1111, %%rbp\n\t"
            "mov %%rbp, %%rax\n\t"
            "xor $0x2222, %%rbx\n\t"
            "or %%rbx, %%rax\n\t"
            "xor $0x3333, %%r12\n\t"
            "or %%r12, %%rax\n\t"
            "xor $0x4444, %%r13\n\t"
            "or %%r13, %%rax\n\t"
            "xor $0x5555, %%r14\n\t"
            "or %%r14, %%rax\n\t"
            "xor $0x6666, %%r15\n\t"
            "or %%r15, %%rax\n\t"
            "pop %%rbp\n\t"
            "add $128, %%rsp\n\t"
            : "+a"(changed), "+D"(src), "+S"(dst), "+d"(n), "+c"(rest)
            :
            : "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
            "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
            "xmm13", "xmm14", "xmm15", "memory", "cc");
    return changed;
}

TEST_P(CodeOn, KeepsTheCallersRegisters) {
    for (int depth = 1; depth <= 11; depth++) {
        const kernel k = deep_kernel(depth, 16);
        std::vector<uint8_t> src(size_t(64) << depth), dst(src.size());
        const machine_code code(k, GetParam());
        EXPECT_EQ(changed_registers(code.function(), src.data(), dst.data(), 2, 1), 0u) << depth;
    }
}

// ---------------------------------------------------------------- addresses far apart

// Zeroed memory of which only what is touched costs anything.
class sparse_buffer {
public:
    explicit sparse_buffer(size_t size) : size_(size) {
        data_ = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    ~sparse_buffer() {
        if (is_mapped()) munmap(data_, size_);
    }
    sparse_buffer(const sparse_buffer &) = delete;
    sparse_buffer &operator=(const sparse_buffer &) = delete;
    bool is_mapped() const { return data_ != MAP_FAILED; }
    uint8_t *data() const { return static_cast<uint8_t *>(data_); }

private:
    void *data_;
    size_t size_;
};

// Calls visit(index, source byte, destination byte) for each element.
template <typename Visit>
void for_each_element(const memory_desc &src, const memory_desc &dst, Visit &&visit) {
    const dim_t elem_bytes = dim_t(tfmt_data_type_size(src.data_type));
    desc_test::for_each_index(desc_test::dims_of(src), [&](const vec &index) {
        visit(tfmt::offset_of(src, index.data()) * elem_bytes,
                tfmt::offset_of(dst, index.data()) * elem_bytes);
    });
}

// Executes src -> dst and compares each element, and the bytes next to it that belong to none.
void check_far(const memory_desc &src, const memory_desc &dst, const std::string &info) {
    const sparse_buffer from(tfmt::size_bytes(src)), to(tfmt::size_bytes(dst) + 1);
    if (!from.is_mapped() || !to.is_mapped()) GTEST_SKIP() << "no address space of many GiB";
    const dim_t elem_bytes = dim_t(tfmt_data_type_size(src.data_type));
    std::set<dim_t> written;
    uint64_t seed = 1;
    for_each_element(src, dst, [&](dim_t src_byte, dim_t dst_byte) {
        for (dim_t i = 0; i < elem_bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            from.data()[src_byte + i] = uint8_t(seed >> 56 | 1);
            written.insert(dst_byte + i);
        }
    });

    tfmt_reorder_t reorder = nullptr;
    ASSERT_EQ(tfmt_reorder_create(&reorder, &src, &dst, nullptr), tfmt_success);
    const char *text = nullptr;
    EXPECT_EQ(tfmt_reorder_query(reorder, tfmt_query_impl_info_str, &text), tfmt_success);
    EXPECT_EQ(std::string(text).substr(0, std::string(text).find_first_of(", ")), info) << text;
    EXPECT_EQ(tfmt_reorder_execute(reorder, from.data(), to.data(), nullptr), tfmt_success);
    tfmt_reorder_destroy(reorder);

    for_each_element(src, dst, [&](dim_t src_byte, dim_t dst_byte) {
        ASSERT_EQ(std::memcmp(from.data() + src_byte, to.data() + dst_byte, size_t(elem_bytes)), 0)
                << "source byte " << src_byte << ", destination byte " << dst_byte;
        for (dim_t neighbour : {dst_byte - 1, dst_byte + elem_bytes}) {
            if (neighbour < 0 || written.count(neighbour)) continue;
            ASSERT_EQ(int(to.data()[neighbour]), 0) << neighbour;
        }
    });
}

memory_desc blocked(const vec &dims, const vec &strides, dim_t block, dim_t of) {
    return tfmt::make_with_blocking(
            int(dims.size()), dims.data(), tfmt_f32, strides.data(), 1, &block, &of);
}

struct isa_cap {
    tfmt_cpu_isa_t cap;
    const char *info;
};

class FarStrides : public testing::TestWithParam<isa_cap> {
protected:
    void SetUp() override {
        if (tfmt::cpu::describe(GetParam().cap).isa != GetParam().cap)
            GTEST_SKIP() << "the host lacks " << GetParam().info;
        ASSERT_EQ(tfmt_set_max_cpu_isa(GetParam().cap), tfmt_success);
    }
    void TearDown() override { tfmt_set_max_cpu_isa(tfmt_cpu_isa_avx512_core_fp16); }
};

// Rows a little more than 2 GiB apart, in the source, in the destination, in both; contiguous along
// the rows or across them, so that tiles, loops and tails all step that far.
TEST_P(FarStrides, RowsBeyond2GiB) {
    const vec dims {5, 20};
    for (tfmt_data_type_t type : {tfmt_u8, tfmt_bf16, tfmt_f32, tfmt_f64}) {
        const dim_t far = ((dim_t(1) << 31) + 192) / dim_t(tfmt_data_type_size(type));
        const memory_desc rows = by_strides(dims, {far, 1}, type);
        const memory_desc ab = by_tag(dims, "ab", type), ba = by_tag(dims, "ba", type);
        check_far(rows, ab, GetParam().info);
        check_far(rows, ba, GetParam().info);
        check_far(ab, rows, GetParam().info);
        check_far(ba, rows, GetParam().info);
        check_far(rows, rows, GetParam().info);
        check_far(by_strides(dims, {1, far}, type), rows, GetParam().info);
    }
}

TEST_P(FarStrides, BlocksAndSingleElementsBeyond2GiB) {
    const dim_t far = (dim_t(1) << 29) + 48; // of 4 bytes
    const vec dims {3, 20, 6};
    // b 20 in blocks of 16, whose outer stride is far; tails.
    const memory_desc blocks = blocked(dims, {6 * 16, far, 16}, 16, 1);
    check_far(by_tag(dims, "abc"), blocks, GetParam().info);
    check_far(blocks, by_tag(dims, "abc"), GetParam().info);
    check_far(blocks, by_strides(dims, {1, far, 3}), GetParam().info);
    // No two neighbours on either side: one element at a time.
    check_far(by_strides(dims, {far, 40, 2}), by_strides(dims, {2, far, 8}), GetParam().info);
    // Blocks that do not nest: far offsets in the driver's tables.
    check_far(blocked({40, 5}, {far, 8}, 8, 0), blocked({40, 5}, {far, 5}, 5, 0), GetParam().info);
}

INSTANTIATE_TEST_SUITE_P(Caps, FarStrides,
        testing::Values(isa_cap {tfmt_cpu_isa_none, "ref:"},
                isa_cap {tfmt_cpu_isa_sse41, "jit:sse41"}, isa_cap {tfmt_cpu_isa_avx2, "jit:avx2"},
                isa_cap {tfmt_cpu_isa_avx512_core, "jit:avx512_core"},
                isa_cap {tfmt_cpu_isa_avx512_core_vbmi, "jit:avx512_core_vbmi"}),
        [](const testing::TestParamInfo<isa_cap> &info) {
            const std::string text = info.param.info;
            return text == "ref:" ? std::string("portable") : text.substr(4);
        });

INSTANTIATE_TEST_SUITE_P(
        Machines, CodeOn, testing::ValuesIn(all_machines()), plan_test::test_name_of);

} // namespace
