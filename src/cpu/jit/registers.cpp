// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/registers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace tfmt::cpu::jit {

namespace {

using indices = std::vector<int>;

// Whether a store writes what a later one writes again (ir::widen_stores): they keep their order.
bool has_overlapping_stores(const ir::block &ops) {
    for (const ir::op &o : ops) {
        if (o.kind != ir::op_kind::store) continue;
        for (const ir::chunk &c : o.chunks)
            if (c.mask & ~c.data) return true;
    }
    return false;
}

// The operations so that each load is before the first one that reads it, and each store behind the
// one that makes its value.
indices by_use(const ir::block &ops, int n_values) {
    indices first_store(size_t(n_values), -1), next_store(ops.size(), -1);
    for (size_t i = ops.size(); i-- > 0;) {
        if (ops[i].kind != ir::op_kind::store) continue;
        next_store[i] = std::exchange(first_store[size_t(ops[i].a)], int(i));
    }
    indices order, waiting_load(size_t(n_values), -1);
    order.reserve(ops.size());
    const auto take = [&](int i) {
        order.push_back(i);
        const int out = ops[size_t(i)].out;
        if (out < 0) return;
        for (int store = first_store[size_t(out)]; store >= 0; store = next_store[size_t(store)])
            order.push_back(store);
    };
    for (size_t i = 0; i < ops.size(); i++) {
        const ir::op &o = ops[i];
        if (o.kind == ir::op_kind::store) continue;
        if (o.kind == ir::op_kind::load && first_store[size_t(o.out)] < 0) {
            waiting_load[size_t(o.out)] = int(i);
            continue;
        }
        for (int v : {o.a, o.b})
            if (v >= 0 && waiting_load[size_t(v)] >= 0)
                take(std::exchange(waiting_load[size_t(v)], -1));
        take(int(i));
    }
    return order;
}

class allocation {
public:
    allocation(const ir::block &ops, const indices &order, int n_values, const register_file &file)
        : ops_(ops),
          order_(order),
          file_(file),
          values_(size_t(n_values)),
          next_uses_(order.size()),
          held_(size_t(file.n_regs), -1) {
        for (int at = n_ops(); at-- > 0;) {
            const ir::op &o = op_at(at);
            operand_uses &next = next_uses_[size_t(at)];
            if (o.a >= 0) next.of_a = std::exchange(values_[size_t(o.a)].next_use, at);
            if (o.b >= 0 && o.b != o.a)
                next.of_b = std::exchange(values_[size_t(o.b)].next_use, at);
        }
    }

    block_registers make() {
        free_regs_.reserve(size_t(file_.n_regs));
        for (int r = file_.n_regs; r-- > 0;)
            free_regs_.push_back(r);
        made_.ops.reserve(order_.size());
        for (int at = 0; at < n_ops(); at++)
            place(at);
        return std::move(made_);
    }

private:
    static constexpr int never = std::numeric_limits<int>::max();

    struct value {
        int reg = -1, place = -1; // on the stack
        int next_use = never;     // the next operation that reads it
    };

    struct operand_uses { // the next operations that read what this one reads
        int of_a = never, of_b = never;
    };

    int n_ops() const { return int(order_.size()); }
    const ir::op &op_at(int at) const { return ops_[size_t(order_[size_t(at)])]; }
    int reg_of(int v) const { return v >= 0 ? values_[size_t(v)].reg : -1; }

    void place(int at) {
        const ir::op &o = op_at(at);
        for (int v : {o.a, o.b})
            if (v >= 0 && values_[size_t(v)].place >= 0) from_stack(v, at);
        const int a = reg_of(o.a), b = reg_of(o.b);
        const bool a_dies = read(o.a, next_uses_[size_t(at)].of_a);
        const bool b_dies = o.b != o.a && read(o.b, next_uses_[size_t(at)].of_b);
        const bool frees_a_early = o.out >= 0 && (a != b || file_.may_reuse_b);
        if (b_dies && file_.may_reuse_b) free_regs_.push_back(b);
        if (a_dies && frees_a_early) free_regs_.push_back(a);
        int out = -1;
        if (o.out >= 0) {
            out = take_register(at);
            hold(out, o.out);
        }
        made_.ops.push_back({order_[size_t(at)], int8_t(out), int8_t(a), int8_t(b)});
        if (b_dies && !file_.may_reuse_b) free_regs_.push_back(b);
        if (a_dies && !frees_a_early) free_regs_.push_back(a);
    }

    // Value `v` is read; whether for the last time, so that it leaves its register.
    bool read(int v, int next_use) {
        if (v < 0) return false;
        value &its = values_[size_t(v)];
        its.next_use = next_use;
        if (next_use != never) return false;
        held_[size_t(std::exchange(its.reg, -1))] = -1;
        return true;
    }

    void hold(int reg, int v) {
        values_[size_t(v)].reg = reg;
        held_[size_t(reg)] = v;
    }

    int take_register(int at) {
        if (free_regs_.empty()) to_stack(used_last(at), at);
        const int reg = free_regs_.back();
        free_regs_.pop_back();
        return reg;
    }

    // Of the values in registers that operation `at` does not read.
    int used_last(int at) const {
        int last = -1;
        for (int v : held_) {
            if (v < 0 || v == op_at(at).a || v == op_at(at).b) continue;
            if (last < 0 || values_[size_t(v)].next_use > values_[size_t(last)].next_use) last = v;
        }
        return last;
    }

    void to_stack(int v, int at) {
        value &moved = values_[size_t(v)];
        const auto free_place = std::find(is_taken_.begin(), is_taken_.end(), false);
        moved.place = int(free_place - is_taken_.begin());
        if (free_place == is_taken_.end())
            is_taken_.push_back(true);
        else
            *free_place = true;
        made_.spills.push_back({at, int8_t(moved.reg), int8_t(moved.place), false});
        held_[size_t(moved.reg)] = -1;
        free_regs_.push_back(std::exchange(moved.reg, -1));
    }

    void from_stack(int v, int at) {
        const int reg = take_register(at);
        hold(reg, v);
        value &moved = values_[size_t(v)];
        made_.spills.push_back({at, int8_t(reg), int8_t(moved.place), true});
        is_taken_[size_t(std::exchange(moved.place, -1))] = false;
    }

    const ir::block &ops_;
    const indices &order_;
    const register_file &file_;
    std::vector<value> values_;
    std::vector<operand_uses> next_uses_; // of each operation
    indices held_;                        // the value in each register; -1: none that is needed
    indices free_regs_;
    std::vector<char> is_taken_; // places on the stack
    block_registers made_;
};

} // namespace

block_registers allocate_registers(const ir::block &ops, int n_values, const register_file &file) {
    indices order(ops.size());
    std::iota(order.begin(), order.end(), 0);
    block_registers made = allocation(ops, order, n_values, file).make();
    if (!made.spills.empty() && !has_overlapping_stores(ops)) {
        order = by_use(ops, n_values);
        made = allocation(ops, order, n_values, file).make();
    }
    for (const spill &s : made.spills)
        if (s.place >= file.n_places)
            throw std::logic_error("kernel needs more registers than there are");
    return made;
}

int count_registers(const ir::block &ops, int n_values) {
    std::vector<int> last_use(size_t(n_values), -1);
    for (size_t i = 0; i < ops.size(); i++)
        for (int v : {ops[i].a, ops[i].b})
            if (v >= 0) last_use[size_t(v)] = int(i);
    int n = 0, most = 0;
    for (size_t i = 0; i < ops.size(); i++) {
        const ir::op &o = ops[i];
        n += o.out >= 0;
        most = std::max(most, n); // before what dies is given back
        n -= o.a >= 0 && last_use[size_t(o.a)] == int(i);
        n -= o.b >= 0 && o.b != o.a && last_use[size_t(o.b)] == int(i);
    }
    return most;
}

} // namespace tfmt::cpu::jit
