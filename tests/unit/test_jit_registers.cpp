// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu/jit/registers.hpp"

#include "gtest/gtest.h"

using namespace tfmt::cpu;
using jit::allocate_registers;
using jit::block_registers;

namespace {

struct block_maker {
    ir::block ops;
    int n_values = 0;

    int load() {
        ir::op o(ir::op_kind::load);
        o.chunks.push_back({0, 0xffff});
        return add(o);
    }
    int unpack(int a, int b, bool is_high = false) {
        ir::op o(ir::op_kind::unpack);
        o.a = a;
        o.b = b;
        o.is_high = is_high;
        return add(o);
    }
    void store(int a, uint64_t data = 0xffff) {
        ir::op o(ir::op_kind::store);
        o.a = a;
        o.chunks.push_back({0, 0xffff, data});
        ops.push_back(o);
    }

private:
    int add(ir::op &o) {
        o.out = n_values++;
        ops.push_back(o);
        return o.out;
    }
};

// Two stages that exchange 8 values: each with the one 4, then 2 places on.
block_maker two_stages(uint64_t data = 0xffff) {
    block_maker m;
    std::vector<int> values;
    for (int i = 0; i < 8; i++)
        values.push_back(m.load());
    for (const size_t step : {4, 2}) {
        std::vector<int> next(8);
        for (size_t i = 0; i < 8; i++) {
            if (i & step) continue;
            next[i] = m.unpack(values[i], values[i + step]);
            next[i + step] = m.unpack(values[i], values[i + step], true);
        }
        values = next;
    }
    for (int v : values)
        m.store(v, data);
    return m;
}

// Executes what was allocated: which value each register and place has. "" if every operation finds
// its sources.
std::string check(const block_maker &m, const block_registers &made, int n_regs) {
    std::vector<int> in_reg(size_t(n_regs), -1), on_stack;
    std::vector<bool> is_done(m.ops.size());
    size_t next_spill = 0;
    for (size_t at = 0; at < made.ops.size(); at++) {
        for (; next_spill < made.spills.size() && made.spills[next_spill].before == int(at);
                next_spill++) {
            const jit::spill &s = made.spills[next_spill];
            if (size_t(s.place) >= on_stack.size()) on_stack.resize(size_t(s.place) + 1, -1);
            if (s.is_reload)
                in_reg.at(size_t(s.reg)) = on_stack[size_t(s.place)];
            else
                on_stack[size_t(s.place)] = in_reg.at(size_t(s.reg));
        }
        const jit::placed_op &p = made.ops[at];
        const ir::op &o = m.ops[size_t(p.index)];
        if (o.a >= 0 && in_reg.at(size_t(p.a)) != o.a)
            return "first source of " + std::to_string(at);
        if (o.b >= 0 && in_reg.at(size_t(p.b)) != o.b)
            return "second source of " + std::to_string(at);
        if (o.out >= 0) in_reg.at(size_t(p.out)) = o.out;
        if (is_done[size_t(p.index)]) return "twice " + std::to_string(at);
        is_done[size_t(p.index)] = true;
    }
    if (next_spill != made.spills.size()) return "spills behind the end";
    return made.ops.size() == m.ops.size() ? "" : "not all";
}

std::vector<int> order_of(const block_registers &made) {
    std::vector<int> order;
    for (const jit::placed_op &p : made.ops)
        order.push_back(p.index);
    return order;
}

TEST(Registers, InOrderWhereThereAreEnough) {
    const block_maker m = two_stages();
    const block_registers made = allocate_registers(m.ops, m.n_values, {9, 0, true});
    EXPECT_TRUE(made.spills.empty());
    EXPECT_EQ(check(m, made, 9), "");
    const std::vector<int> order = order_of(made);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Registers, ValuesWaitOnTheStack) {
    const block_maker m = two_stages();
    for (const bool may_reuse_b : {false, true})
        for (int n_regs = 4; n_regs <= 6; n_regs++) {
            const block_registers made = allocate_registers(
                    m.ops, m.n_values, {n_regs, 8, may_reuse_b});
            EXPECT_FALSE(made.spills.empty());
            EXPECT_EQ(check(m, made, n_regs), "") << n_regs;
        }
}

// What is made of two loads at once, and stored before the next two are made, takes fewer registers
// than one stage behind the other, which 9 hold.
TEST(Registers, OperationsAreDoneWhenAStoreNeedsThem) {
    const block_maker m = two_stages();
    const block_registers made = allocate_registers(m.ops, m.n_values, {8, 0, true});
    EXPECT_EQ(check(m, made, 8), "");
    const std::vector<int> order = order_of(made);
    EXPECT_EQ(std::vector<int>(order.begin(), order.begin() + 4), (std::vector<int> {0, 4, 8, 9}));
    const auto is = [&](ir::op_kind kind) {
        return [&m, kind](int i) { return m.ops[size_t(i)].kind == kind; };
    };
    const auto first_store = std::find_if(order.begin(), order.end(), is(ir::op_kind::store));
    EXPECT_TRUE(std::any_of(first_store, order.end(), is(ir::op_kind::load)));
}

// Stores that write more than their data are put right by the next one.
TEST(Registers, StoresStayInOrder) {
    const block_maker m = two_stages(0xff);
    for (int n_regs = 4; n_regs <= 9; n_regs++) {
        const block_registers made = allocate_registers(m.ops, m.n_values, {n_regs, 8, true});
        EXPECT_EQ(check(m, made, n_regs), "");
        std::vector<int> stores;
        for (int i : order_of(made))
            if (m.ops[size_t(i)].kind == ir::op_kind::store) stores.push_back(i);
        EXPECT_TRUE(std::is_sorted(stores.begin(), stores.end())) << n_regs;
    }
}

TEST(Registers, RefusesMoreThanPlaces) {
    const block_maker m = two_stages();
    EXPECT_THROW(allocate_registers(m.ops, m.n_values, {6, 0, true}), std::logic_error);
    EXPECT_THROW(allocate_registers(m.ops, m.n_values, {4, 2, true}), std::logic_error);
}

TEST(Registers, Count) {
    const block_maker m = two_stages();
    EXPECT_EQ(ir::count_live(m.ops, m.n_values), 10); // both sources and results
}

} // namespace
