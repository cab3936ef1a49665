// SPDX-License-Identifier: Apache-2.0
// Drains of a scratch as machine code against the interpreter: kernels made by hand with any runs
// at any alignment, alone and in chains, between guard pages.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "support/guarded_buffer.hpp"
#include "support/random_data.hpp"
#include "tests/unit/ir_helpers.hpp"
#include "tests/unit/jit_helpers.hpp"

namespace {

using namespace plan_test;
using namespace tfmt::cpu::ir;
using tfmt_test::guarded_buffer;
using tfmt_test::placement;
using tfmt_test::random_source;

constexpr int64_t line = 64;
constexpr int64_t src_bytes = 8 << 10;
constexpr int64_t max_count = 4;         // of runs in one entry
constexpr int64_t chain_src_bytes = 600; // that a chain's steps may go along the source

// Kernels whose fills copy any bytes of the source to the runs of a drain.
class drain_maker {
public:
    drain_maker(int vector_bytes, uint64_t seed, bool is_streaming) : random_(seed) {
        k_.vector_bytes = vector_bytes;
        k_.is_streaming = is_streaming;
        k_.fetched_lines = fetched_lines();
        k_.fetched_base_bytes = random_.below(src_bytes) - src_bytes / 2;
    }

    kernel k_;
    random_source random_;

    // `n` places of one or several runs in the scratch, each run behind a line and more of its own;
    // their places in the destination and their lengths are for the caller to set, up to
    // `max_bytes`.
    std::vector<scratch_runs> runs_in_scratch(int n, int64_t max_bytes) {
        std::vector<scratch_runs> runs;
        int64_t at = 0;
        for (int i = 0; i < n; i++) {
            at += line + random_.below(70);
            runs.push_back({at, 0, 1});
            if (random_.one_in(3)) {
                runs.back().count = random_.between(2, max_count);
                runs.back().scratch_step_bytes = max_bytes + line + random_.below(70);
                at += (runs.back().count - 1) * runs.back().scratch_step_bytes;
            }
            at += max_bytes;
        }
        k_.scratch_bytes = std::max(k_.scratch_bytes, (at + line - 1) / line * line);
        return runs;
    }

    int add_drain(bool is_chained, std::vector<scratch_runs> runs) {
        k_.drains.push_back({is_chained, std::move(runs)});
        return int(k_.drains.size()) - 1;
    }

    // A fill of the runs of drain `index` and the drain itself.
    std::vector<nest_node> fill_and_drain(int index) {
        nest_node fill, drain;
        fill.step = nest_step::fill;
        fill.dst_offset_bytes = line; // as build() does it
        for (const scratch_runs &r : k_.drains[size_t(index)].runs)
            for (int64_t i = 0; i < r.count; i++)
                add_copy(fill.children, r.scratch_offset_bytes - line + i * r.scratch_step_bytes,
                        r.bytes);
        drain.step = nest_step::drain;
        drain.drain = index;
        return {fill, drain};
    }

    // "" if machine code leaves what the interpreter does, and nothing beside it.
    std::string differs(const machine &m, int64_t dst_bytes, int64_t dst_shift_bytes) {
        const std::string malformed = verify(k_);
        if (!malformed.empty()) return malformed;
        const placement where = random_.one_in(2) ? placement::at_end : placement::at_start;
        guarded_buffer src(size_t(src_bytes), where);
        tfmt_test::fill_random_bits(src.data(), src_bytes, random_);
        guarded_buffer scratch(size_t(k_.scratch_bytes), placement::at_end, size_t(line));
        guarded_buffer wanted(size_t(dst_bytes), where, 1, size_t(dst_shift_bytes));
        guarded_buffer actual(size_t(dst_bytes), where, 1, size_t(dst_shift_bytes));
        const machine_code code(k_, m);
        int64_t done = 0;
        for (const int64_t n : calls) {
            const uint8_t *from = src.data() + done * k_.src_step_bytes;
            const int64_t to = done * k_.dst_step_bytes;
            done += n;
            const bool with_rest = has_rest && &n == &calls.back();
            interpret(k_, from, wanted.data() + to, n, with_rest);
            code.function()(from, actual.data() + to, n, with_rest, scratch.data());
        }
        if (!actual.slack_is_intact()) return "bytes beside the destination\n" + to_text(k_);
        if (!scratch.slack_is_intact()) return "bytes beside the scratch\n" + to_text(k_);
        for (int64_t i = 0; i < dst_bytes; i++)
            if (wanted.data()[i] != actual.data()[i])
                return "byte " + std::to_string(i) + " of the destination\n" + to_text(k_);
        return "";
    }

    std::vector<int64_t> calls {1}; // root steps of each
    bool has_rest = true;           // behind the last one

private:
    // Lines to fetch: a few, many, none; in the source, before it, or, so that tables need wide
    // numbers, where no memory can be.
    tfmt::cpu::line_list fetched_lines() {
        tfmt::cpu::line_list lines;
        const bool are_near = random_.one_in(2);
        for (int64_t n = random_.below(6) * random_.below(4); n > 0; n--) {
            const auto anywhere = int64_t(random_.bits());
            const int64_t step = random_.below(300) - 100;
            lines.push_back({!are_near && random_.one_in(3) ? anywhere : anywhere % (4 * src_bytes),
                    random_.between(1, 20),
                    are_near ? step : int64_t(uint64_t(step) * uint64_t(anywhere)),
                    random_.between(1, 4)});
        }
        return lines;
    }

    // Moves `bytes` from anywhere in the source to `at`, by whole vectors and a rest.
    void add_copy(std::vector<nest_node> &nodes, int64_t at, int64_t bytes) {
        const int64_t v = k_.vector_bytes, n_whole = bytes / v, rest = bytes % v;
        const int64_t from = random_.below(src_bytes - bytes - chain_src_bytes);
        if (n_whole > 0) {
            nest_node loop;
            loop.src_offset_bytes = from;
            loop.dst_offset_bytes = at;
            loop.count = n_whole;
            loop.src_step_bytes = loop.dst_step_bytes = v;
            loop.children = {copy_block(v, 0, 0)};
            nodes.push_back(loop);
        }
        if (rest > 0) nodes.push_back(copy_block(rest, from + n_whole * v, at + n_whole * v));
    }

    nest_node copy_block(int64_t bytes, int64_t src_offset, int64_t dst_offset) {
        op load(op_kind::load), store(op_kind::store);
        load.unit_bytes = store.unit_bytes = k_.vector_bytes;
        load.chunks = store.chunks = {{0, bytes == 64 ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1}};
        load.out = store.a = k_.n_values++;
        nest_node n;
        n.src_offset_bytes = src_offset;
        n.dst_offset_bytes = dst_offset;
        n.block = int(k_.blocks.size());
        k_.blocks.push_back({load, store});
        return n;
    }
};

// Mostly around the lengths at which something changes, else anything up to some lines.
int64_t random_length(random_source &random, int64_t max_bytes) {
    static const std::vector<int64_t> special {1, 2, 3, 8, 16, 31, 32, 63, 64, 65, 127, 128, 129,
            191, 255, 256, 257, 319, 320, 511, 512, 513, 640};
    return std::min(
            max_bytes, random.one_in(3) ? random.pick(special) : random.between(1, max_bytes));
}

class DrainsOn : public testing::TestWithParam<machine> {
protected:
    void SetUp() override {
        if (!host_is(GetParam())) GTEST_SKIP() << "the host lacks " << name_of(GetParam());
    }
    int random_width(uint64_t seed) const {
        const int widths[] = {GetParam().vector_bytes, 16};
        return widths[seed % 5 == 0];
    }
};

// Runs that have nothing to do with each other, at any place.
TEST_P(DrainsOn, UnchainedRuns) {
    for (uint64_t seed = 0; seed < 250; seed++) {
        drain_maker maker(random_width(seed), seed, seed % 2);
        random_source &random = maker.random_;
        const int64_t max_bytes = random.one_in(4) ? 1500 : 400;
        const int n = seed % 10 == 0 ? 150 : 1 + int(random.below(6));
        std::vector<scratch_runs> runs = maker.runs_in_scratch(n, max_bytes);
        int64_t at = 0;
        for (scratch_runs &r : runs) {
            r.dst_offset_bytes = at += random.below(130); // some touch the one before
            r.bytes = random_length(random, max_bytes);
            r.dst_step_bytes = r.bytes + random.below(130);
            at += (r.count - 1) * r.dst_step_bytes + r.bytes;
        }
        const int drain = maker.add_drain(false, std::move(runs));
        maker.k_.root = maker.fill_and_drain(drain);
        ASSERT_EQ(maker.differs(GetParam(), at, random.below(70)), "") << "seed " << seed;
    }
}

// In the table in any order: what a run finds beside it may be written already, or not yet.
TEST_P(DrainsOn, RunsThatShareLines) {
    for (uint64_t seed = 0; seed < 60; seed++) {
        drain_maker maker(random_width(seed), 1000 + seed, seed % 2);
        random_source &random = maker.random_;
        std::vector<scratch_runs> runs = maker.runs_in_scratch(20, 90);
        int64_t at = 0;
        for (scratch_runs &r : runs) {
            r.dst_offset_bytes = at;
            r.bytes = r.dst_step_bytes = random.between(1, 90);
            at += r.count * r.bytes;
        }
        for (size_t i = runs.size(); i > 1; i--)
            std::swap(runs[i - 1], runs[size_t(random.below(int64_t(i)))]);
        const int drain = maker.add_drain(false, std::move(runs));
        maker.k_.root = maker.fill_and_drain(drain);
        ASSERT_EQ(maker.differs(GetParam(), at, random.below(64)), "") << "seed " << seed;
    }
}

// Chains: every drain but the last has runs of one length, at which the next one goes on.
struct chain {
    int n_drains;
    int n_runs;
    int64_t step_bytes;
    int64_t row_bytes;                // from one of several runs to the next
    std::vector<int64_t> row_offsets; // of the runs of the first drain
    int64_t dst_bytes;
};

chain random_chain(random_source &random, int n_runs) {
    chain c {1 + int(random.below(5)), n_runs, 0, 0, {}, 0};
    c.step_bytes = 2 * line + random.below(random.one_in(2) ? 64 : 600);
    if (random.one_in(4)) c.step_bytes = c.step_bytes / line * line;
    c.row_bytes = c.n_drains * c.step_bytes + random.below(100);
    for (int r = 0; r < n_runs; r++) {
        c.row_offsets.push_back(c.dst_bytes += random.below(100));
        c.dst_bytes += max_count * c.row_bytes;
    }
    return c;
}

struct chain_drains {
    int first, last; // all but the last link are `first`, the last one may be shorter
};

chain_drains add_chain(drain_maker &maker, const chain &c) {
    random_source &random = maker.random_;
    std::vector<scratch_runs> runs = maker.runs_in_scratch(c.n_runs, c.step_bytes),
                              last_runs = runs;
    for (int r = 0; r < c.n_runs; r++) {
        runs[size_t(r)].dst_offset_bytes = last_runs[size_t(r)].dst_offset_bytes =
                c.row_offsets[size_t(r)];
        runs[size_t(r)].dst_step_bytes = last_runs[size_t(r)].dst_step_bytes = c.row_bytes;
        runs[size_t(r)].bytes = c.step_bytes;
        // A chain of one has at least two lines in each run.
        last_runs[size_t(r)].bytes = c.n_drains == 1 ? random.between(2 * line, c.step_bytes)
                                                     : random_length(random, c.step_bytes);
    }
    const int last = maker.add_drain(true, last_runs);
    return {c.n_drains == 1 ? last : maker.add_drain(true, runs), last};
}

// The last `n` links, as build() puts them behind the root steps.
std::vector<nest_node> rest_of_chain(
        drain_maker &maker, const chain &c, const chain_drains &drains, int n) {
    std::vector<nest_node> nodes;
    if (n > 1)
        nodes.push_back(make_loop(n - 1, 100 + maker.random_.below(30), c.step_bytes,
                maker.fill_and_drain(drains.first)));
    const int64_t last_offset = (n - 1) * c.step_bytes;
    nest_node mark;
    mark.step = nest_step::near_end;
    mark.drain = drains.last;
    mark.dst_offset_bytes = last_offset;
    nodes.push_back(mark);
    nodes.push_back(make_loop(1, 0, 0, maker.fill_and_drain(drains.last)));
    nodes.back().dst_offset_bytes = last_offset;
    mark.step = nest_step::end_rows;
    nodes.push_back(mark);
    return nodes;
}

// Root steps that are a chain, cut into calls at any step; with a rest of one or more links, which
// may be asked for, and which ends the chain by itself, and without one.
TEST_P(DrainsOn, Chains) {
    for (uint64_t seed = 0; seed < 500; seed++) {
        drain_maker maker(random_width(seed), 5000 + seed, seed % 2);
        random_source &random = maker.random_;
        const chain c = random_chain(random, seed % 10 == 0 ? 60 : 1 + int(random.below(5)));
        kernel &k = maker.k_;
        const int n_in_rest = int(random.below(c.n_drains));
        const chain_drains drains = add_chain(maker, c);
        k.chain = {drains.first, random.below(src_bytes)};
        k.src_step_bytes = 100;
        k.dst_step_bytes = c.step_bytes;
        k.root = maker.fill_and_drain(drains.first);
        if (n_in_rest > 0) k.rest = rest_of_chain(maker, c, drains, n_in_rest);
        maker.has_rest = n_in_rest > 0 && !random.one_in(4);
        maker.calls.clear();
        for (int64_t left = c.n_drains - n_in_rest, n; left > 0; left -= n)
            maker.calls.push_back(n = random.between(1, left));
        ASSERT_EQ(maker.differs(GetParam(), c.dst_bytes, random.below(70)), "") << "seed " << seed;
    }
}

// Address space of which only some windows can be touched.
class windows {
public:
    explicit windows(size_t size_bytes) : size_(size_bytes) {
        void *p = mmap(
                nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        data_ = p == MAP_FAILED ? nullptr : static_cast<uint8_t *>(p);
    }
    ~windows() {
        if (data_) munmap(data_, size_);
    }
    windows(const windows &) = delete;
    windows &operator=(const windows &) = delete;

    uint8_t *data() const { return data_; }
    bool open(int64_t offset_bytes, int64_t bytes) {
        return mprotect(data_ + offset_bytes, size_t(bytes), PROT_READ | PROT_WRITE) == 0;
    }

private:
    size_t size_;
    uint8_t *data_;
};

// Offsets that fit no displacement, of runs in the table, in chains and alone, and of steps.
TEST_P(DrainsOn, DestinationsBeyond2GiB) {
    const int64_t page = sysconf(_SC_PAGESIZE), far = (int64_t(3) << 30) + 5 * page;
    for (uint64_t seed = 0; seed < 12; seed++) {
        drain_maker maker(GetParam().vector_bytes, 4000 + seed, seed % 2);
        random_source &random = maker.random_;
        chain c = random_chain(random, 3);
        for (size_t r = 0; r < 3; r++) // of each row a window
            c.row_offsets[r] = int64_t(r) * far + random.below(200);
        const chain_drains drains = add_chain(maker, c);
        const int n_in_rest = int(random.below(c.n_drains));
        const int alone = maker.add_drain(false, maker.k_.drains[size_t(drains.last)].runs);
        kernel chained = maker.k_;
        chained.chain = {drains.first, 0};
        chained.src_step_bytes = 100;
        chained.dst_step_bytes = c.step_bytes;
        chained.root = maker.fill_and_drain(drains.first);
        if (n_in_rest > 0) chained.rest = rest_of_chain(maker, c, drains, n_in_rest);
        nest_node shifted = make_loop(1, 0, 0, maker.fill_and_drain(alone));
        shifted.dst_offset_bytes = 3 * far;
        maker.k_.root = {shifted, make_loop(2, 0, 7 * far, shifted.children)};
        maker.k_.root[1].dst_offset_bytes = -2 * far; // where the caller's pointer is no row
        chained.blocks = maker.k_.blocks;
        chained.n_values = maker.k_.n_values;
        ASSERT_EQ(verify(maker.k_), "");
        ASSERT_EQ(verify(chained), "");

        guarded_buffer src(size_t(src_bytes), placement::at_end);
        guarded_buffer scratch(size_t(maker.k_.scratch_bytes), placement::at_end, size_t(line));
        tfmt_test::fill_random_bits(src.data(), src_bytes, random);
        const int64_t window_bytes = (200 + max_count * (100 + 5 * 800) + page) / page * page;
        windows wanted(size_t(11 * far)), actual(size_t(11 * far));
        ASSERT_TRUE(wanted.data() && actual.data());
        std::vector<int64_t> offsets;
        for (int64_t sequence : {0, 5, 7}) // -2, 3 and 5 times `far` from the pointer given
            for (int64_t r = 0; r < 3; r++)
                offsets.push_back((sequence + r) * far);
        for (int64_t at : offsets)
            ASSERT_TRUE(wanted.open(at, window_bytes) && actual.open(at, window_bytes));
        const auto execute = [&](const kernel &k, int64_t at, int64_t n_root, bool with_rest) {
            interpret(k, src.data(), wanted.data() + at, n_root, with_rest);
            machine_code(k, GetParam())
                    .function()(src.data(), actual.data() + at, n_root, with_rest, scratch.data());
        };
        execute(maker.k_, 2 * far, 1, false);
        execute(chained, 5 * far, c.n_drains - n_in_rest, n_in_rest > 0);
        for (int64_t at : offsets)
            ASSERT_EQ(std::memcmp(wanted.data() + at, actual.data() + at, size_t(window_bytes)), 0)
                    << "seed " << seed << ", window at " << at;
    }
}

INSTANTIATE_TEST_SUITE_P(
        Machines, DrainsOn, testing::ValuesIn(all_machines()), plan_test::test_name_of);

} // namespace
