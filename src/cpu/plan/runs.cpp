// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/runs.hpp"

#include <algorithm>
#include <limits>

#include "common/checked.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

int log2_exact(dim_t pow2) { return __builtin_ctzll(static_cast<unsigned long long>(pow2)); }

int ceil_log2(dim_t n) {
    return n <= 1 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(n - 1));
}

bool contains(const bit_list &bits, const level_bit &b) {
    return std::find(bits.begin(), bits.end(), b) != bits.end();
}

void take(bit_list &taken, const bit_list &from, size_t count) {
    for (size_t i = 0; i < std::min(count, from.size()); i++)
        if (!contains(taken, from[i])) taken.push_back(from[i]);
}

bit_list prefix(const bit_list &run, size_t count) {
    return bit_list(run.begin(), run.begin() + std::min(count, run.size()));
}

size_t union_size(const bit_list &a, const bit_list &b) {
    bit_list u = a;
    take(u, b, b.size());
    return u.size();
}

int total_bits(const level &l) { return ceil_log2(l.extent); }

bool may_enter(const move_problem &p, const bit_list &taken, int index, phased_dims phased) {
    const level &l = p.levels[size_t(index)];
    if (!l.is_regular() && !phased.has(l)) return false;
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &below = p.levels[i];
        if (below.dim != l.dim || below.unit >= l.unit) continue;
        if (!contains(taken, {int(i), total_bits(below) - 1})) return false;
        // What is behind a level's last step lies at another digit.
        if (!l.is_regular() && !is_pow2(below.extent)) return false;
    }
    return true;
}

bool keeps_all_lines(const move_problem &p) {
    return std::all_of(p.levels.begin(), p.levels.end(), keeps_lines);
}

bool is_exact(const move_problem &p, const level &l) {
    const dim_limits &limits = p.limits[size_t(l.dim)];
    return l.unit == 1 && limits.load == l.extent && limits.store == l.extent;
}

bool is_exact(const move_problem &p) {
    return std::all_of(
            p.levels.begin(), p.levels.end(), [&](const level &l) { return is_exact(p, l); });
}

int digit_bits(const level &l, bool of_src) {
    if (l.is_regular()) return 0;
    const digit &inner = (of_src ? l.src_digits : l.dst_digits).front();
    if (inner.extent <= 1) return 0;
    const int bits = std::min(log2_exact(inner.extent), total_bits(l));
    return ceil_div(l.extent, dim_t(1) << bits) <= tuning::max_phases_of_large ? bits : 0;
}

namespace {

dim_t inner_extent(const level &l, bool of_src) {
    return (of_src ? l.src_digits : l.dst_digits).front().extent;
}

// The stride of the level that is next in the source behind `run`, of `run_bytes`.
dim_t next_src_stride(const move_problem &p, const bit_list &run, dim_t run_bytes) {
    dim_t next = std::numeric_limits<dim_t>::max();
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        if (l.src_stride >= run_bytes && may_enter(p, run, int(i)) && is_read(p.limits, l, 0))
            next = std::min(next, l.src_stride);
    }
    return next;
}

// One channel in blocks of 4 is read with the others, which are dropped, and so are two: bits for
// what lies between the steps of a run of `run_bytes` and the level behind it, where loads are of
// `vector_bytes`. Of a run of a single element these come first.
bit_list fillers_behind(
        const move_problem &p, const bit_list &run, dim_t run_bytes, int vector_bytes) {
    const dim_t elem_bytes = p.src_elem_bits() / 8; // 0: parts of bytes
    if (elem_bytes == 0 || std::any_of(run.begin(), run.end(), is_filler)) return {};
    const dim_t next = next_src_stride(p, run, run_bytes);
    bit_list fillers;
    for (int n = 1; n <= tuning::max_filler_bits; n++)
        if (next == run_bytes << n && next * tuning::min_filled_runs <= vector_bytes)
            for (int k = 0; k < n; k++)
                fillers.push_back({-1, k});
    return fillers;
}

// The level at the beginning of the source's run of which one step is data, a vector of the
// destination has all, and the source a hole as wide: one channel in blocks of 4 on both sides. The
// other steps, whatever bytes lie there, keep their places, and loads or shuffles make them zeros.
// With fillers, which are dropped, zeros take stages to enter. -1: none.
// Time over memcpy, so / as fillers, those of 19049 reorders that it changes by 3 %: 152 on AVX-512
// 0.96 / 1.17 (s8 Abc4a -> ABc2b8a4b 1x31x64 5.1 / 12.8), 159 on AVX2 1.11 / 1.29 (u8 aBdec4b ->
// ABcde4a4b 960x1x1x3x3 1.7 / 4.4), 145 on SSE4.1 1.24 / 1.51 (s8 AB4b24a4b -> AB16b64a4b 127x1
// 3.3 / 17.1). Only in the lowest place of the destination as well: 0.99, 1.09, 1.26; wherever it
// has them 0.97, 1.08, 1.27 of others; where a vector has 2 or 4 such blocks 1.04, 1.09 times as
// long on AVX-512, 1.01, 1.03 on AVX2, 1.04, 1.11 on SSE4.1.
int level_of_one(const move_problem &p, int vector_bytes) {
    const dim_t elem_bytes = p.src_elem_bits() / 8;
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        const dim_limits &limits = p.limits[size_t(l.dim)];
        if (l.is_regular() && l.unit == 1 && is_pow2(l.extent) && l.src_stride == elem_bytes
                && limits.load == 1 && limits.store >= l.extent
                && l.dst_stride * l.extent <= vector_bytes
                && next_src_stride(p, {}, elem_bytes) == l.extent * elem_bytes)
            return int(i);
    }
    return -1;
}

// Steps that there are of a dimension with whose levels, one behind the other, a run ends. 0 where
// these are not all that is moved of it.
dim_t whole_dim_steps(const move_problem &p, const bit_list &run, bool of_src) {
    if (run.empty() || is_filler(run.back())) return 0;
    const level &last = p.levels[size_t(run.back().level)];
    const dim_limits &limits = p.limits[size_t(last.dim)];
    const dim_t n = of_src ? limits.load : limits.store;
    if (last.unit * last.extent < n) return 0;
    for (size_t i = run.size(); i > 0 && !is_filler(run[i - 1]); i--) {
        const level &l = p.levels[size_t(run[i - 1].level)];
        if (l.dim != last.dim || !l.is_regular()) return 0;
        if (l.unit == 1) return n;
    }
    return 0;
}

// Whether a run has all of its last dimension with level `index`.
bool is_whole_with(const move_problem &p, bit_list run, int index, bool of_src) {
    if (run.empty() || is_filler(run.back())) return false;
    const level &l = p.levels[size_t(index)];
    if (l.unit == 1 || l.dim != p.levels[size_t(run.back().level)].dim) return false;
    run.push_back({index, 0});
    const dim_t steps = whole_dim_steps(p, run, of_src);
    return steps > 0 && steps <= tuning::max_packed_steps;
}

// Whether runs are packed at all, steps that are no power of two are few bytes, and padding behind
// them does not fill whole vectors of the destination, of which what is read would then be one step
// in each of many.
bool is_worth_packing(const move_problem &p, const level &l, dim_t n_read, int vector_bytes) {
    const dim_t data_bytes = l.dst_stride << ceil_log2(n_read);
    return may_pack_runs(p) && n_read * p.elem_bytes <= tuning::max_packed_step_bytes
            && (l.dst_stride * l.extent < vector_bytes || data_bytes >= vector_bytes);
}

// Whether no tail ends within a level, all of whose steps a tile then has or none.
bool is_never_cut(const move_problem &p, const level &l) {
    const dim_limits &limits = p.limits[size_t(l.dim)];
    dim_t all_steps;
    return is_pow2(l.extent) && multiply(l.unit, l.extent, &all_steps)
            && limits.load % all_steps == 0 && limits.store % all_steps == 0;
}

// A run of src or dst while it grows: which levels go on where it ends, one after the other.
class run_builder {
public:
    run_builder(const move_problem &p, bool of_src, size_t packed_bits, int vector_bytes,
            phased_dims phased)
        : p_(p),
          of_src_(of_src),
          vector_bytes_(vector_bytes),
          phased_(phased),
          elem_bits_(of_src ? p.src_elem_bits() : p.dst_elem_bits()),
          pair_level_(of_src ? p.converts.src_pair_level : p.converts.dst_pair_level),
          of_one_(of_src && may_pack_runs(p) ? level_of_one(p, vector_bytes) : -1),
          packed_bits_(packed_bits) {}

    bit_list build() {
        if (of_one_ < 0) add_fillers();
        while (!is_ended_) {
            const int next = next_level();
            if (next >= 0)
                add(next);
            else if (run_.empty() || !add_fillers())
                break;
        }
        return run_;
    }

private:
    dim_t bytes_of(dim_t n_elems) const {
        return elem_bits_ < 8 ? n_elems / (8 / elem_bits_) : n_elems * (elem_bits_ / 8);
    }
    int phased_bits_of(const level &l) const { return phased_.has(l) ? digit_bits(l, of_src_) : 0; }

    bool is_at_hole() const { return is_packed_ && run_.size() == hole_end_; }
    bool is_behind_hole(const level &l) const {
        return is_at_hole() && stride_of(l, of_src_) == bytes_of(dim_t(1) << hole_end_);
    }
    // The run goes on behind a hole, which is so many elements with what lies before it.
    void go_on_behind(dim_t n_elems) {
        n_elems_ = n_elems;
        is_packed_ = false;
        packed_bits_ = 0; // elements of a packed run have no holes between them
    }

    // False if there are none.
    bool add_fillers() {
        const dim_t n_steps = is_at_hole() ? dim_t(1) << hole_end_ : n_elems_;
        if (!of_src_ || is_packed_ != is_at_hole() || n_steps > vector_bytes_) return false;
        const bit_list fillers = fillers_behind(p_, run_, bytes_of(n_steps), vector_bytes_);
        if (fillers.empty()) return false;
        for (const level_bit &b : fillers)
            run_.push_back(b);
        go_on_behind(n_steps << fillers.size());
        return true;
    }

    // The level that goes on where the run ends; -1: none.
    int next_level() const {
        for (size_t i = 0; i < p_.levels.size(); i++) {
            const level &l = p_.levels[i];
            if (!l.is_regular() && phased_bits_of(l) == 0) continue;
            if ((stride_of(l, of_src_) != bytes_of(n_elems_) && !is_behind_hole(l))
                    || !may_enter(p_, run_, int(i), phased_))
                continue;
            if (run_.empty() && pair_level_ >= 0 && int(i) != pair_level_) continue;
            // A level of which one step is moved (the others are padding) is no run.
            const dim_limits &limits = p_.limits[size_t(l.dim)];
            if ((of_src_ ? limits.load : limits.store) <= l.unit && int(i) != of_one_) continue;
            return int(i);
        }
        return -1;
    }

    // All bits of level `index`, or as many of them as the run may have.
    void add(int index) {
        const level &l = p_.levels[size_t(index)];
        const bool is_phased = !l.is_regular();
        const int n_bits = is_phased ? phased_bits_of(l) : total_bits(l);
        const dim_t extent = is_phased ? inner_extent(l, of_src_) : l.extent;
        if (is_behind_hole(l)) go_on_behind(dim_t(1) << hole_end_);
        // What a tail leaves of a packed run must be a beginning of it: others are many pieces
        // where there are no masks. Or all is there with this level: 3 in blocks of 2, of which
        // one block and half of another were runs of their own. Time over memcpy, 271 of 2600
        // small reorders of 2 to 7 channels 5.4 / 4.8, worst 32 / 13 (u8 ABcd8a2b -> dabc
        // 32x3x3x3 22 / 7), 36 on AVX2 7.2 / 6.2, 36 on SSE4.1 7.8 / 7.0. Levels that are never cut
        // are no beginning's end: u8 ABc16b32a2b -> abc 512x80x3 4.9 / 1.5, AVX2 2.9 / 1.8.
        if (is_packed_ && !is_whole_
                && (is_phased || !is_whole_before_dim_
                        || !is_whole_with(p_, run_, index, of_src_))) {
            is_ended_ = true;
            return;
        }
        if (l.unit == 1) {
            n_elems_before_dim_ = n_elems_;
            is_whole_before_dim_ = is_whole_;
        }
        for (int k = 0; k < n_bits; k++)
            run_.push_back({index, k});
        if (index == of_one_) {
            go_on_behind(extent);
            return;
        }
        dim_t dim_steps = whole_dim_steps(p_, run_, of_src_);
        if (!is_exact(p_, l) && dim_steps > tuning::max_packed_steps) dim_steps = 0;
        is_whole_ = is_phased ? is_whole_ && is_exact(p_, l) && l.extent % extent == 0
                              : is_whole_before_dim_ && (dim_steps > 0 || is_never_cut(p_, l));
        if (is_packed_ && run_.size() >= packed_bits_) {
            run_.resize(packed_bits_);
            is_ended_ = true;
            return;
        }
        if (is_phased && extent != dim_t(1) << n_bits) {
            is_ended_ = true;
            return;
        }
        // (Of levels of 2^62 steps this wraps, and is then no more than n: no run of vectors.)
        const auto n_bits_elems = dim_t(uint64_t(n_elems_) << n_bits);
        const dim_t n = dim_steps > 0 ? n_elems_before_dim_ * dim_steps : n_elems_ * extent;
        if (n < n_bits_elems && run_.size() < packed_bits_ && is_whole_) {
            hole_end_ = is_packed_ ? 0 : run_.size();
            is_packed_ = true;
            n_elems_ = n;
        } else if (is_pow2(extent))
            n_elems_ = n_bits_elems;
        else
            is_ended_ = true;
    }

    const move_problem &p_;
    const bool of_src_;
    const int vector_bytes_;
    const phased_dims phased_;
    const int elem_bits_;
    const int pair_level_;
    const int of_one_; // see level_of_one()
    size_t packed_bits_;
    bit_list run_;
    dim_t n_elems_ = 1;            // of the run
    dim_t n_elems_before_dim_ = 1; // of which it has the last level
    size_t hole_end_ = 0;          // bits of the run if its last level has an excess
    bool is_packed_ = false;
    bool is_whole_ = true; // of all levels in it there are all steps
    bool is_whole_before_dim_ = true;
    bool is_ended_ = false;
};

} // namespace

bool may_pack_runs(const move_problem &p) {
    if (p.converts && (p.src_elem_bits() < 8 || p.dst_elem_bits() < 8)) return false; // pairs stay
    return !p.parameters.varies(); // their values lie in the order of lanes
}

bit_list contiguous_run(const move_problem &p, bool of_src, size_t packed_bits, int vector_bytes,
        phased_dims phased) {
    return run_builder(p, of_src, packed_bits, vector_bytes, phased).build();
}

dim_t bytes_of_run(const move_problem &p, const bit_list &run, bool of_src) {
    const int elem_bits = of_src ? p.src_elem_bits() : p.dst_elem_bits();
    constexpr dim_t more_than_any_memory = std::numeric_limits<dim_t>::max() / 8;
    dim_t n_bits = elem_bits, n_bits_before_dim = n_bits;
    for (size_t i = 0; i < run.size();) {
        if (is_filler(run[i])) {
            n_bits *= 2;
            i++;
            continue;
        }
        const level &l = p.levels[size_t(run[i].level)];
        // Behind a hole, or behind what there is of a dimension.
        if (i > 0 && elem_bits >= 8 && !multiply(stride_of(l, of_src), 8, &n_bits))
            return more_than_any_memory;
        if (l.unit == 1) n_bits_before_dim = n_bits;
        dim_t steps = 1;
        for (const int index = run[i].level; i < run.size() && run[i].level == index; i++)
            steps *= 2;
        const bool has_hole = i < run.size() && is_filler(run[i]);
        if (!multiply(n_bits, has_hole ? steps : std::min(steps, l.extent), &n_bits))
            return more_than_any_memory;
    }
    dim_t n_dim_bits;
    const dim_t dim_steps = whole_dim_steps(p, run, of_src);
    if (dim_steps > 0 && multiply(n_bits_before_dim, dim_steps, &n_dim_bits))
        n_bits = std::min(n_bits, n_dim_bits);
    return std::max<dim_t>(1, n_bits / 8);
}

move_problem cut_at_data(const move_problem &p, int vector_bytes) {
    move_problem cut = p;
    for (size_t i = 0; i < p.levels.size(); i++) {
        const level &l = p.levels[i];
        if (!l.is_regular() || p.limits[size_t(l.dim)].load % l.unit != 0) continue;
        const dim_t n_read = p.limits[size_t(l.dim)].load / l.unit;
        const dim_t steps = dim_t(1) << ceil_log2(n_read); // others of its dimension surround them
        if (n_read < 2 || steps >= l.extent || l.extent % steps != 0) continue;
        if (!is_pow2(n_read) && !is_worth_packing(p, l, n_read, vector_bytes)) continue;
        const auto goes_on_behind = [&](const level &next) {
            return next.is_regular() && next.dim != l.dim
                    && next.src_stride == l.src_stride * n_read && is_read(p.limits, next, 0);
        };
        if (std::none_of(p.levels.begin(), p.levels.end(), goes_on_behind)) continue;
        cut.levels[i].extent = steps;
        cut.levels.push_back(in_groups(l, steps));
    }
    return cut;
}

} // namespace tfmt::cpu
