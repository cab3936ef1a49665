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

// The operations so that each is done when a store first needs it, the stores in their order: of an
// exchange both results at once, so that neither source is kept for the other one. Stages one
// behind the other have all values of a tile at hand all the time; so it is those of a half of it,
// then of a quarter, as soon as the first stage is done.
class by_need {
public:
    by_need(const ir::block &ops, int n_values)
        : ops_(ops), makers_(size_t(n_values), -1), is_taken_(ops.size()) {
        order_.reserve(ops.size());
        for (size_t i = 0; i < ops.size(); i++)
            if (ops[i].out >= 0) makers_[size_t(ops[i].out)] = int(i);
    }

    indices order() {
        for (size_t i = 0; i < ops_.size(); i++)
            if (ops_[i].out < 0) take(i);
        return std::move(order_);
    }

private:
    void take(size_t i) {
        if (is_taken_[i]) return;
        is_taken_[i] = true;
        for (int v : {ops_[i].a, ops_[i].b})
            if (v >= 0) take(size_t(makers_[size_t(v)]));
        order_.push_back(int(i));
        if (ops_[i].b < 0) return;
        for (size_t other : {i - 1, i + 1}) // where the other result of an exchange is made
            if (other < ops_.size() && ops_[other].a == ops_[i].a && ops_[other].b == ops_[i].b)
                take(other);
    }

    const ir::block &ops_;
    indices makers_; // of each value
    std::vector<char> is_taken_;
    indices order_;
};

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
    if (!made.spills.empty()) {
        order = by_need(ops, n_values).order();
        block_registers other = allocation(ops, order, n_values, file).make();
        if (other.spills.size() < made.spills.size()) made = std::move(other);
    }
    for (const spill &s : made.spills)
        if (s.place >= file.n_places)
            throw std::logic_error("kernel needs more registers than there are");
    return made;
}

} // namespace tfmt::cpu::jit
