// SPDX-License-Identifier: Apache-2.0
// Every operation of the kernel IR as machine code against the interpreter: all shuffles in every
// state of their operands, in low and in high registers, loads and stores of any chunks and masks.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "cpu/jit/emitter.hpp"
#include "support/random_data.hpp"
#include "tests/unit/jit_helpers.hpp"

namespace {

using namespace plan_test;
using namespace tfmt::cpu::ir;
using tfmt_test::random_source;

constexpr int src_bytes = 16 << 10;

// Makes a kernel of many blocks, each of which stores to a place of its own.
class kernel_maker {
public:
    explicit kernel_maker(int vector_bytes, uint64_t seed) : random_(seed) {
        k_.vector_bytes = vector_bytes;
    }

    kernel k_;
    random_source random_;

    int width() const { return k_.vector_bytes; }
    uint64_t full() const { return width() == 64 ? ~uint64_t(0) : (uint64_t(1) << width()) - 1; }

    int emit(op o) {
        o.out = k_.n_values++;
        ops_.push_back(o);
        return o.out;
    }
    int load_vector() {
        op o(op_kind::load);
        o.unit_bytes = width();
        o.chunks = {{random_.below(src_bytes - 64), full()}};
        return emit(o);
    }
    void store_vector(int value) {
        op o(op_kind::store);
        o.a = value;
        o.unit_bytes = width();
        o.chunks = {{dst_bytes_, full()}};
        dst_bytes_ += width();
        ops_.push_back(o);
    }
    std::vector<int> load_vectors(int n) {
        std::vector<int> values;
        for (int i = 0; i < n; i++)
            values.push_back(load_vector());
        return values;
    }
    void store_vectors(const std::vector<int> &values) {
        for (int v : values)
            store_vector(v);
    }
    void add(op o) { ops_.push_back(std::move(o)); }
    int64_t reserve_dst(int64_t n) { return (dst_bytes_ += n) - n; }
    int add_constant(const byte_indices &indices) {
        k_.constants.push_back(indices);
        return int(k_.constants.size()) - 1;
    }

    void end_block() {
        nest_node n;
        n.block = int(k_.blocks.size());
        k_.root.push_back(n);
        k_.blocks.push_back(std::move(ops_));
        ops_.clear();
    }

    // "" if machine code leaves what the interpreter does. The destination is as streaming stores
    // want it.
    std::string differs(const machine &m) {
        const std::string malformed = verify(k_);
        if (!malformed.empty()) return malformed;
        std::vector<uint8_t> src(src_bytes);
        for (uint8_t &byte : src)
            byte = uint8_t(random_.below(256));
        const size_t size = size_t(dst_bytes_ + 63) / 64 * 64;
        const auto fresh = [size] {
            std::unique_ptr<uint8_t, decltype(&std::free)> p(
                    static_cast<uint8_t *>(std::aligned_alloc(64, size)), std::free);
            std::memset(p.get(), 0xa5, size);
            return p;
        };
        const auto wanted = fresh(), actual = fresh();
        interpret(k_, src.data(), wanted.get(), 1, false);
        machine_code(k_, m)(src.data(), actual.get(), 1, false);
        for (size_t i = 0; i < size; i++)
            if (wanted.get()[i] != actual.get()[i])
                return "byte " + std::to_string(i) + " of the destination\n" + to_text(k_);
        return "";
    }

private:
    block ops_;
    int64_t dst_bytes_ = 0;
};

class EmittersOn : public testing::TestWithParam<machine> {
protected:
    void SetUp() override {
        if (!host_is(GetParam())) GTEST_SKIP() << "the host lacks " << name_of(GetParam());
    }

    bool has_index_vectors() const { return GetParam().vector_bytes == 64; }
    // All that the emitter gives to values but for the three that the operation itself takes.
    int n_fillers() const { return has_index_vectors() ? 20 : 12; }
    // Widths of values: 16 and what the machine has beyond.
    std::vector<int> widths() const {
        std::vector<int> widths;
        for (int v = 16; v <= GetParam().vector_bytes; v *= 2)
            widths.push_back(v);
        return widths;
    }

    // One of each shuffle that the machine has for values of this width, constants included.
    std::vector<op> shuffles(kernel_maker &maker) const;
};

// Units of `unit` bytes from anywhere in [0, limit).
byte_indices random_indices(random_source &random, int vector_bytes, int unit, int limit) {
    byte_indices indices {};
    for (int i = 0; i < vector_bytes; i += unit) {
        const int from = int(random.below(limit / unit)) * unit;
        for (int byte = 0; byte < unit; byte++)
            indices[size_t(i + byte)] = uint8_t(from + byte);
    }
    return indices;
}

std::vector<op> EmittersOn::shuffles(kernel_maker &maker) const {
    std::vector<op> ops;
    const int v = maker.width();
    for (int unit = 1; unit <= 8; unit *= 2)
        for (bool is_high : {false, true}) {
            ops.emplace_back(op_kind::unpack);
            ops.back().unit_bytes = unit;
            ops.back().is_high = is_high;
        }
    for (lane_selector s : {lane_selector::low_half, lane_selector::high_half, lane_selector::even,
                 lane_selector::odd}) {
        if (v == 16 || (v == 32 && s > lane_selector::high_half)) continue;
        ops.emplace_back(op_kind::lanes128);
        ops.back().selector = s;
    }
    byte_indices within = random_indices(maker.random_, v, 1, 16);
    for (int i = 0; i < v; i++)
        within[size_t(i)] = uint8_t(within[size_t(i)] + i / 16 * 16);
    ops.emplace_back(op_kind::within16);
    ops.back().constant = maker.add_constant(within);

    ops.emplace_back(op_kind::merge);

    // A permute that crosses no 16 bytes, of the constant that the shuffle within them has.
    ops.emplace_back(op_kind::permute);
    ops.back().constant = maker.add_constant(within);
    const int least_unit = !has_index_vectors() ? 4 : GetParam().has_vbmi ? 1 : 2;
    for (int unit = 8; unit >= least_unit && v > 16; unit /= 2) {
        ops.emplace_back(op_kind::permute);
        ops.back().constant = maker.add_constant(random_indices(maker.random_, v, unit, v));
    }
    for (int unit = 8; unit >= least_unit && has_index_vectors(); unit /= 2) {
        ops.emplace_back(op_kind::permute2);
        ops.back().constant = maker.add_constant(random_indices(maker.random_, v, unit, 2 * v));
    }
    return ops;
}

bool has_two_sources(const op &o) {
    return o.kind == op_kind::unpack || o.kind == op_kind::lanes128 || o.kind == op_kind::merge
            || o.kind == op_kind::permute2;
}

// Sources that live on or die with the shuffle, or are one value: what decides which registers the
// result may take.
TEST_P(EmittersOn, ShufflesInEveryStateOfTheirOperands) {
    for (int v : widths())
        for (int n : {0, n_fillers()})
            for (int state = 0; state < 5; state++) {
                kernel_maker maker(v, uint64_t(v + state));
                for (op o : shuffles(maker)) {
                    const std::vector<int> fillers = maker.load_vectors(n);
                    o.a = maker.load_vector();
                    if (has_two_sources(o)) o.b = state == 4 ? o.a : maker.load_vector();
                    const int out = maker.emit(o);
                    maker.store_vector(out);
                    if (state & 1) maker.store_vector(o.a);
                    if (state & 2 && o.b >= 0) maker.store_vector(o.b);
                    maker.store_vectors(fillers);
                    maker.end_block();
                }
                ASSERT_EQ(maker.differs(GetParam()), "") << v << " bytes, state " << state;
            }
}

// More index vectors and masks than registers to keep them in.
TEST_P(EmittersOn, ManyConstants) {
    for (int v : widths()) {
        kernel_maker maker(v, 99);
        for (int round = 0; round < 5; round++)
            for (op o : shuffles(maker)) {
                o.a = maker.load_vector();
                if (has_two_sources(o)) o.b = maker.load_vector();
                maker.store_vector(maker.emit(o));
                maker.end_block();
            }
        ASSERT_EQ(maker.differs(GetParam()), "") << v;
    }
}

// Full, empty, a range, or any bytes at all.
uint64_t random_mask(random_source &random, int n_bytes) {
    const uint64_t all = n_bytes == 64 ? ~uint64_t(0) : (uint64_t(1) << n_bytes) - 1;
    const int first = int(random.below(n_bytes));
    switch (random.below(5)) {
    case 0: return 0;
    case 1: return all >> first;
    case 2: return all << first & all;
    case 3: return random.bits() & all;
    default: return all;
    }
}

TEST_P(EmittersOn, LoadsOfAnyChunks) {
    for (int v : widths())
        for (int n : {0, n_fillers()}) {
            kernel_maker maker(v, uint64_t(v + n));
            for (int unit = 1; unit <= v; unit *= 2)
                for (int round = 0; round < 12; round++) {
                    const std::vector<int> fillers = maker.load_vectors(n);
                    op o(op_kind::load);
                    o.unit_bytes = unit;
                    uint64_t any = 0; // a value of nothing but zeros is no load
                    while (any == 0) {
                        o.chunks.clear();
                        for (int c = 0; c < v / unit; c++) {
                            const uint64_t mask = round == 0 ? (uint64_t(2) << (unit - 1)) - 1
                                                             : random_mask(maker.random_, unit);
                            o.chunks.push_back({maker.random_.below(src_bytes - 64), mask});
                            any |= mask;
                        }
                    }
                    maker.store_vector(maker.emit(o));
                    maker.store_vectors(fillers);
                    maker.end_block();
                }
            machine splitting = GetParam();
            splitting.max_split_moved_bytes = 1;
            for (const machine &m : {GetParam(), splitting})
                ASSERT_EQ(maker.differs(m), "") << v << " bytes, " << n << " fillers";
        }
}

TEST_P(EmittersOn, StoresOfAnyChunks) {
    for (int v : widths())
        for (int n : {0, n_fillers()}) {
            kernel_maker maker(v, uint64_t(v * 3 + n));
            for (int unit = 1; unit <= v; unit *= 2)
                for (int round = 0; round < 12; round++) {
                    const std::vector<int> fillers = maker.load_vectors(n);
                    op o(op_kind::store);
                    o.a = maker.load_vector();
                    o.unit_bytes = unit;
                    for (int c = 0; c < v / unit; c++)
                        o.chunks.push_back({maker.reserve_dst(unit + maker.random_.below(3)),
                                round == 0 ? (uint64_t(2) << (unit - 1)) - 1
                                           : random_mask(maker.random_, unit)});
                    maker.add(o);
                    maker.store_vectors(fillers);
                    maker.end_block();
                }
            ASSERT_EQ(maker.differs(GetParam()), "") << v << " bytes, " << n << " fillers";
        }
}

TEST_P(EmittersOn, Zero) {
    for (int v : widths())
        for (int n : {0, n_fillers()}) {
            kernel_maker maker(v, 5);
            const std::vector<int> fillers = maker.load_vectors(n);
            const int zero = maker.emit(op(op_kind::zero));
            maker.store_vector(zero);
            maker.store_vector(zero);
            maker.store_vectors(fillers);
            maker.end_block();
            ASSERT_EQ(maker.differs(GetParam()), "") << v;
        }
}

TEST_P(EmittersOn, StreamingStores) {
    for (int v : widths()) {
        kernel_maker maker(v, 6);
        maker.k_.is_streaming = true;
        maker.store_vectors(maker.load_vectors(8));
        // Partial ones are ordinary stores.
        op o(op_kind::store);
        o.a = maker.load_vector();
        o.unit_bytes = v;
        o.chunks = {{maker.reserve_dst(v), maker.full() >> 3}};
        maker.add(o);
        maker.end_block();
        ASSERT_EQ(maker.differs(GetParam()), "") << v;
    }
}

TEST_P(EmittersOn, SingleElements) {
    for (int v : {1, 2, 4, 8}) {
        kernel_maker maker(v, 7);
        const std::vector<int> values = maker.load_vectors(3);
        const int zero = maker.emit(op(op_kind::zero));
        maker.store_vectors({values[2], zero, values[0], values[1], values[2]});
        maker.end_block();
        ASSERT_EQ(maker.differs(GetParam()), "") << v;
    }
}

// Some wait on the stack.
TEST_P(EmittersOn, MoreValuesThanRegisters) {
    for (int n_more = 1; n_more <= 4; n_more++) {
        kernel_maker maker(16, 8);
        const std::vector<int> values = maker.load_vectors(n_fillers() + n_more);
        std::vector<int> pairs;
        for (size_t i = 0; i < values.size(); i++) { // in an order in which all are wanted late
            op both(op_kind::unpack);
            both.unit_bytes = 1;
            both.a = values[i];
            both.b = values[(5 * i + 3) % values.size()];
            pairs.push_back(maker.emit(both));
        }
        maker.store_vectors(values);
        maker.store_vectors(pairs);
        maker.end_block();
        ASSERT_EQ(maker.differs(GetParam()), "") << n_more;
    }
}

TEST_P(EmittersOn, RefusesMoreValuesThanRegistersAndPlaces) {
    kernel_maker maker(16, 8);
    const std::vector<int> values = maker.load_vectors(n_fillers() + 40);
    maker.store_vectors(values);
    for (int i = 0; i + 1 < int(values.size()); i += 2) {
        op both(op_kind::unpack);
        both.unit_bytes = 1;
        both.a = values[size_t(i)];
        both.b = values[values.size() - 1 - size_t(i)];
        maker.store_vectors({maker.emit(both)});
    }
    maker.end_block();
    EXPECT_THROW(tfmt::cpu::jit::assemble(maker.k_, GetParam()), std::exception);
}

INSTANTIATE_TEST_SUITE_P(
        Machines, EmittersOn, testing::ValuesIn(all_machines()), plan_test::test_name_of);

bool contains(const std::vector<uint8_t> &code, std::vector<uint8_t> instruction) {
    return std::search(code.begin(), code.end(), instruction.begin(), instruction.end())
            != code.end();
}

struct pieces_of_stores : tfmt::cpu::jit::emitter {
    using emitter::stored_pieces_of_lane;
};

// Of a chunk of 16 bytes: "0+4 3+4" are two pieces of 4 bytes, the second from byte 3 on.
TEST(Emitters, StoreInTwoPiecesWhatWouldBeMore) {
    const auto pieces = [](uint64_t mask) {
        op o(op_kind::store);
        o.unit_bytes = 16;
        o.chunks.push_back({100, mask});
        std::string text;
        for (const auto &p : pieces_of_stores::stored_pieces_of_lane(o, 0)) {
            EXPECT_EQ(p.offset_bytes, 100 + p.pos);
            text += (text.empty() ? "" : " ") + std::to_string(p.pos) + "+"
                    + std::to_string(p.size_bytes);
        }
        return text;
    };
    EXPECT_EQ(pieces(low_bits(7)), "0+4 3+4");
    EXPECT_EQ(pieces(low_bits(11)), "0+8 3+8");
    EXPECT_EQ(pieces(low_bits(15)), "0+8 7+8");
    EXPECT_EQ(pieces(low_bits(16)), "0+16");
    EXPECT_EQ(pieces(low_bits(12)), "0+8 8+4"); // two anyway
    EXPECT_EQ(pieces(low_bits(7) << 8), "8+4 11+4");
    EXPECT_EQ(pieces(0x717), "0+2 2+1 4+1 8+2 10+1"); // nothing between them
}

// Streamed data is ordered before what the caller does next, and upper halves of registers are left
// clean for its SSE code.
TEST(Emitters, LeaveTheProcessorAsTheCallerExpects) {
    for (const machine &m : all_machines())
        for (bool is_streaming : {false, true}) {
            kernel_maker maker(16, 10);
            maker.k_.is_streaming = is_streaming;
            maker.store_vector(maker.load_vector());
            maker.end_block();
            const std::vector<uint8_t> code = tfmt::cpu::jit::assemble(maker.k_, m);
            EXPECT_EQ(contains(code, {0x0f, 0xae, 0xf8}), is_streaming) << name_of(m); // sfence
            EXPECT_EQ(contains(code, {0xc5, 0xf8, 0x77}), m.vector_bytes > 16)         // vzeroupper
                    << name_of(m);
            EXPECT_EQ(code.back(), 0xc3); // ret
        }
}

// Once a line of chunks one behind the other.
TEST(Emitters, ClaimLinesOfStores) {
    for (const machine &m : all_machines())
        for (bool claims : {false, true}) {
            kernel_maker maker(16, 11);
            maker.k_.claims_lines = claims;
            op o(op_kind::store);
            o.unit_bytes = 16;
            for (int64_t offset : {0, 16, 32, 48, 64, 80, 1000}) {
                o.a = maker.load_vector();
                o.chunks = {{offset, 0xffff}};
                maker.add(o);
            }
            maker.end_block();
            const std::vector<uint8_t> code = tfmt::cpu::jit::assemble(maker.k_, m);
            EXPECT_EQ(contains(code, {0x0f, 0x0d, 0x4e, 15}), claims) << name_of(m); // prefetchw
            EXPECT_FALSE(contains(code, {0x0f, 0x0d, 0x4e, 31})) << name_of(m);
            EXPECT_EQ(contains(code, {0x0f, 0x0d, 0x4e, 79}), claims) << name_of(m);
            EXPECT_FALSE(contains(code, {0x0f, 0x0d, 0x4e, 95})) << name_of(m);
            EXPECT_EQ(contains(code, {0x0f, 0x0d, 0x8e, 0xf7, 0x03, 0, 0}), claims) << name_of(m);
        }
}

TEST(Emitters, ClaimLinesAheadOfStores) {
    for (const machine &m : all_machines()) {
        kernel_maker maker(16, 1);
        maker.k_.claims_lines = true;
        maker.k_.claimed_ahead_bytes = 3072;
        maker.store_vector(maker.load_vector());
        maker.end_block();
        const std::vector<uint8_t> code = tfmt::cpu::jit::assemble(maker.k_, m);
        EXPECT_TRUE(contains(code, {0x0f, 0x0d, 0x8e, 0x0f, 0x0c, 0, 0})) << name_of(m);
        EXPECT_FALSE(contains(code, {0x0f, 0x0d, 0x4e, 15})) << name_of(m);
    }
}

// The lines at the beginning of the page, wherever in one the source is.
TEST(Emitters, FetchBeginningsOfPages) {
    for (const machine &m : all_machines())
        for (bool fetches : {false, true}) {
            kernel_maker maker(16, 12);
            maker.store_vector(maker.load_vector());
            maker.end_block();
            if (fetches) {
                nest_node page;
                page.step = nest_step::fetch_page;
                page.src_offset_bytes = 8192;
                maker.k_.root.push_back(page);
            }
            EXPECT_EQ(verify(maker.k_), "");
            const std::vector<uint8_t> code = tfmt::cpu::jit::assemble(maker.k_, m);
            EXPECT_EQ(contains(code,
                              {0x48, 0x8d, 0x87, 0x00, 0x20, 0, 0,        // lea rax, [rdi + 8192]
                                      0x48, 0x25, 0x00, 0xf0, 0xff, 0xff, // and rax, -4096
                                      0x0f, 0x18, 0x10}),                 // prefetcht1 [rax]
                    fetches)
                    << name_of(m);
            EXPECT_EQ(contains(code, {0x0f, 0x18, 0x50, 64}), fetches) << name_of(m);
        }
}

// Units of `unit` bytes the other way round.
tfmt::cpu::ir::kernel reversed(int vector_bytes, int unit) {
    kernel_maker maker(vector_bytes, 9);
    op o(op_kind::permute);
    o.a = maker.load_vector();
    byte_indices indices {};
    for (int i = 0; i < vector_bytes; i++)
        indices[size_t(i)] = uint8_t(vector_bytes - unit - i / unit * unit + i % unit);
    o.constant = maker.add_constant(indices);
    maker.store_vector(maker.emit(o));
    maker.end_block();
    return maker.k_;
}

TEST(Emitters, RefuseBytePermutesWithoutVbmi) {
    EXPECT_THROW(tfmt::cpu::jit::assemble(reversed(64, 1), avx512()), std::exception);
    EXPECT_FALSE(tfmt::cpu::jit::assemble(reversed(64, 1), avx512_vbmi()).empty());
    EXPECT_FALSE(tfmt::cpu::jit::assemble(reversed(64, 2), avx512()).empty());
}

TEST(Emitters, RefusePermutesOfWordsWithAvx2) {
    EXPECT_THROW(tfmt::cpu::jit::assemble(reversed(32, 2), avx2()), std::exception);
    EXPECT_FALSE(tfmt::cpu::jit::assemble(reversed(32, 4), avx2()).empty());
}

} // namespace
