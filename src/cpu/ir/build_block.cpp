// SPDX-License-Identifier: Apache-2.0
#include "cpu/ir/build_block.hpp"

#include <algorithm>

#include "cpu/ir/cut_masks.hpp"
#include "cpu/ir/gather.hpp"
#include "cpu/ir/repack.hpp"
#include "cpu/ir/widen.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu::ir {

namespace {

// Builds one straight block: the tile in one state.
class block_builder {
public:
    block_builder(const plan &p, const nest_state &state, kernel &k)
        : p_(p),
          t_(p.the_tile),
          state_(state),
          k_(k),
          n_kept_constants_(k.constants.size()),
          load_cuts_(cut_dims([](const dim_limits &l) { return l.load; })),
          store_cuts_(cut_dims([](const dim_limits &l) { return l.store; })) {
        for (const tile_bit &b : t_.bits) {
            src_strides_.push_back(b.src_stride_bytes);
            dst_strides_.push_back(b.dst_stride_bytes);
        }
        if (k.scratch_bytes > 0) dst_strides_ = p.scratch.bit_strides;
    }

    block build() {
        const size_t n_stages = p_.the_schedule.stages.size();
        ops_.reserve((n_stages + 2) * (size_t(1) << t_.n_reg_bits()) + 1);
        if (state_.in_padding || p_.mode == plan_mode::padding_only) {
            bit_indices lanes = t_.dst_run;
            for (int b = 0; b < int(t_.bits.size()); b++)
                if (!contains(lanes, b)) lanes.push_back(b);
            lanes.resize(size_t(t_.n_lane_bits()));
            enter_lanes(lanes);
            values_.assign(size_t(1) << reg_bits_.size(), -1);
        } else {
            load_all();
            for (const stage &s : p_.the_schedule.stages)
                apply(s);
        }
        store_all();
        if (has_dead_) drop_dead();
        if (may_repack()) {
            const int n = repack(
                    ops_, n_values_, t_.elem_bytes, streams_parts(), n_kept_constants_, k_);
            if (n) n_values_ = n;
        }
        if (!state_.in_padding)
            n_values_ = std::max(n_values_, gather_if_allowed(p_, ops_, n_values_, k_));
        widen_stores(ops_, max_widened_bytes(p_));
        k_.n_values = std::max(k_.n_values, n_values_);
        return std::move(ops_);
    }

private:
    // The dimensions in which the tile reaches `limit_of`, so that its elements must be looked at
    // one by one. Empty for a full tile.
    template <typename F>
    cut_list cut_dims(F &&limit_of) const {
        cut_list cuts;
        for (int d = 0; d < int(state_.limits.size()); d++) {
            dim_t reach = 1;
            for (const tile_bit &b : t_.bits)
                if (b.dim == d) reach += b.weight;
            if (limit_of(state_.limits[size_t(d)]) < reach)
                cuts.push_back({d, limit_of(state_.limits[size_t(d)])});
            if (state_.limits[size_t(d)].begin > 0)
                cuts.push_back({d, state_.limits[size_t(d)].begin, true});
        }
        const bool has_filler = std::any_of(
                t_.bits.begin(), t_.bits.end(), [](const tile_bit &b) { return b.level < 0; });
        if (has_filler) cuts.push_back({-1, 1}); // a filler is never 1
        return cuts;
    }

    void enter_lanes(const bit_indices &lanes) {
        lanes_ = lanes;
        reg_bits_.clear();
        for (int b = 0; b < int(t_.bits.size()); b++)
            if (!contains(lanes, b)) reg_bits_.push_back(b);
    }

    memory_shape shape_of(int run_bits) const {
        const auto run_end = lanes_.begin() + run_bits;
        return {{lanes_.begin(), run_end}, {run_end, lanes_.end()}, reg_bits_};
    }

    int chunk_bytes(const memory_shape &shape) const { return t_.elem_bytes << shape.run.size(); }

    std::vector<cut_masks> masks_of(const cut_list &cuts, const memory_shape &shape) const {
        std::vector<cut_masks> masks;
        masks.reserve(cuts.size());
        for (const cut_dim &c : cuts)
            masks.emplace_back(t_, c, shape);
        return masks;
    }

    // Place of each of the 2^n elements of a run in memory, in elements.
    offset_list places_of(const bit_indices &run, bool of_src) const {
        const stride_list &strides = of_src ? src_strides_ : dst_strides_;
        const int elem_bits = of_src ? t_.src_elem_bits : t_.dst_elem_bits;
        return subset_sums(run, [&](int bit) { return strides[size_t(bit)] * 8 / elem_bits; });
    }

    // For a packed run, for all of its registers (found for each of them it was a third of the time
    // to make u8 bcad -> aBdc24b 32x576x14x14): where each byte of a vector of chunks comes from.
    // Loads: lanes from memory's order; stores: memory's order from lanes. Lanes that do not exist
    // share the places of others, which come later and so prevail.
    byte_indices packing(const bit_indices &run, bool of_loads) const {
        const offset_list places = places_of(run, of_loads);
        const uint64_t read = of_loads ? read_bytes(run) : ~uint64_t(0);
        byte_indices indices {};
        for (size_t i = 0; i < indices.size(); i++)
            indices[i] = uint8_t(
                    i % size_t(k_.vector_bytes)); // whole elements, even where none is wanted
        const size_t n = places.size(), n_lanes = size_t(1) << lanes_.size();
        for (size_t lane = 0; lane < n_lanes; lane++) {
            const bool is_zero = !(read >> lane % n * size_t(t_.elem_bytes) & 1);
            const size_t place = lane / n * n + (is_zero ? n - 1 : size_t(places[lane % n]));
            const size_t to = of_loads ? lane : place, from = of_loads ? place : lane;
            for (int byte = 0; byte < t_.elem_bytes; byte++)
                indices[to * size_t(t_.elem_bytes) + byte] = is_zero && packs_zeros(run)
                        ? zero_index
                        : uint8_t(from * size_t(t_.elem_bytes) + byte);
        }
        return indices;
    }

    // Bytes of a packed run's lanes but for those that are stored and not read. These take the last
    // place of it, where there is nothing, as there are fewer elements than lanes; or zeros, where
    // loads may be widened over that place.
    uint64_t read_bytes(const bit_indices &run) const {
        uint64_t read = ~uint64_t(0);
        for (size_t d = 0; d < p_.problem.limits.size(); d++) {
            const dim_limits &limits = p_.problem.limits[d];
            if (limits.load < limits.store)
                read &= cut_masks(t_, {int(d), limits.load}, {run, {}, {}})(0, 0);
        }
        return read;
    }

    bool is_packed_within16(const bit_indices &run) const {
        return t_.elem_bytes << run.size() <= 16;
    }

    // Whether the shuffle behind packed loads, which may be widened, leaves zeros.
    bool packs_zeros(const bit_indices &run) const {
        return is_packed_within16(run) && may_widen_loads();
    }

    op_kind packing_kind(const bit_indices &run) const {
        return is_packed_within16(run) ? op_kind::within16 : op_kind::permute;
    }

    // Bytes of a packed run in memory, of those of its lanes.
    uint64_t packed_mask(uint64_t lanes, const offset_list &places) const {
        uint64_t mask = 0;
        for (size_t lane = 0; lane < places.size(); lane++) {
            const uint64_t elem = lanes >> lane * size_t(t_.elem_bytes) & low_bits(t_.elem_bytes);
            mask |= elem << size_t(places[lane]) * size_t(t_.elem_bytes);
        }
        return mask;
    }

    struct masks_of_chunk {
        uint64_t all; // bytes that take part
        uint64_t data;
    };

    // Which steps of its level with phases the chunks of registers begin at, and where these are.
    // Most chunks share their step with others, and each takes divisions.
    struct phase_steps {
        offset_list of_reg, of_fill;
        offset_list offsets;
    };

    std::vector<phase_steps> phases_of(const memory_shape &shape, bool of_src) const {
        std::vector<phase_steps> phases;
        for (size_t i = 0; i < t_.phased.size(); i++) {
            const std::vector<int> &bits = t_.phased[i].bits;
            const auto step_of = [&](int bit) {
                const auto it = std::find(bits.begin(), bits.end(), bit);
                return it == bits.end() ? 0 : int64_t(1) << (it - bits.begin());
            };
            phase_steps steps {
                    subset_sums(shape.regs, step_of), subset_sums(shape.fill, step_of), {}};
            const int64_t last = steps.of_reg.back() + steps.of_fill.back();
            for (int64_t step = 0; step <= last; step++)
                steps.offsets.push_back(t_.phased[i].offset(of_src, state_.phases[i], step));
            phases.push_back(std::move(steps));
        }
        return phases;
    }

    // The loads or stores of all registers: chunks of 2^run_bits elements, told apart by the lanes
    // above; mask_of(register, chunk) says which bytes take part. Calls `add` with each register
    // and its operation, which has no chunks if no element takes part.
    template <typename F, typename Add>
    void memory_ops(op_kind kind, const memory_shape &shape, const stride_list &strides,
            F &&mask_of, Add &&add) const {
        const auto offset_of = [&](int bit) {
            return t_.bits[size_t(bit)].is_regular ? strides[size_t(bit)] : 0;
        };
        const offset_list fill = subset_sums(shape.fill, offset_of);
        const offset_list regs = subset_sums(shape.regs, offset_of);
        const uint64_t full = low_bits(chunk_bytes(shape));
        const bool packed = kind == op_kind::load ? is_src_packed(t_, shape.run)
                                                  : packs_stores(shape);
        const bool of_src = kind == op_kind::load;
        const offset_list places = packed ? places_of(shape.run, of_src) : offset_list {};
        const std::vector<phase_steps> phases = phases_of(shape, of_src);
        const auto param_of = [&](int bit) { return t_.bits[size_t(bit)].param_stride_bytes; };
        const bool computes = p_.problem.parameters.varies() && !state_.in_padding
                && p_.problem.converts.at_load == (kind == op_kind::load);
        const offset_list params = subset_sums(shape.regs, param_of);
        if (computes) {
            const offset_list lane_params = subset_sums(lanes_, param_of);
            k_.lane_param_offset_bytes.assign(lane_params.begin(), lane_params.end());
        }
        uint64_t last = 0, last_packed = 0; // most masks are that of the chunk before
        const auto pack = [&](uint64_t mask) {
            if (mask != last) last_packed = packed_mask(last = mask, places);
            return last_packed;
        };
        for (size_t r = 0; r < regs.size(); r++) {
            op o(kind);
            o.unit_bytes = chunk_bytes(shape);
            o.chunks.reserve(fill.size());
            uint64_t any = 0;
            for (size_t f = 0; f < fill.size(); f++) {
                const masks_of_chunk masks = mask_of(r, f);
                uint64_t mask = masks.all & full, data = masks.data & mask;
                if (packed) {
                    mask = pack(mask);
                    data = pack(data);
                }
                dim_t offset = regs[r] + fill[f];
                for (const phase_steps &s : phases)
                    offset += s.offsets[size_t(s.of_reg[r] + s.of_fill[f])];
                o.chunks.push_back({offset, mask, data});
                any |= mask;
            }
            if (!any) o.chunks.clear();
            if (computes) o.param_offset_bytes = params[r];
            add(r, std::move(o));
        }
    }

    static uint64_t common_mask(std::vector<cut_masks> &masks, size_t r, size_t f) {
        uint64_t common = ~uint64_t(0);
        for (cut_masks &m : masks)
            common &= m(r, f);
        return common;
    }

    void load_all() {
        enter_lanes(p_.the_schedule.load_lanes);
        const memory_shape shape = shape_of(p_.the_schedule.load_run_bits);
        std::vector<cut_masks> masks = masks_of(load_cuts_, shape);
        const cut_list zero_cuts = cuts_with_zeros();
        std::vector<cut_masks> strict_masks = masks_of(zero_cuts, shape);
        const bool packed = is_src_packed(t_, shape.run);
        // Whether what is not read may be anything.
        const bool is_free = may_widen_loads()
                && std::all_of(zero_cuts.begin(), zero_cuts.end(), [&](const cut_dim &cut) {
                       return packed && packs_zeros(shape.run) && is_within(cut, shape.run);
                   });
        std::vector<size_t> free;
        memory_ops(
                op_kind::load, shape, src_strides_,
                [&](size_t r, size_t f) {
                    const uint64_t mask = common_mask(masks, r, f) & low_bits(chunk_bytes(shape));
                    const uint64_t read = packed
                            ? mask
                            : without_holes(mask) & common_mask(strict_masks, r, f);
                    return masks_of_chunk {read, read};
                },
                [&](size_t, op &&o) {
                    const bool loads = !o.chunks.empty();
                    values_.push_back(loads ? n_values_ : -1);
                    if (!loads) return;
                    const bool fills = may_widen_loads() && !packed && !has_masks(o);
                    const int zeros = fills ? fill_holes(o, !is_free) : -1;
                    // A register of several pieces has an instruction for each, also with masks:
                    // 528 reorders 1.45 / 1.39 (u8 aBcd32b -> abcd 1x3x128x128 1.9 / 1.0).
                    const bool widens = is_free && (!has_masks(o) || o.chunks.size() > 1);
                    if (widens || zeros >= 0) free.push_back(ops_.size());
                    o.out = n_values_++;
                    ops_.push_back(std::move(o));
                    if (zeros >= 0)
                        values_.back() = emit_shuffle(op_kind::within16, values_.back(), -1, zeros);
                });
        if (!free.empty()) widen_loads(ops_, free, p_.problem.src_has_gaps);
        if (packed) {
            const byte_indices indices = packing(shape.run, true);
            for (int &v : values_)
                if (v >= 0) v = emit_permutation(packing_kind(shape.run), v, indices);
        }
        if (p_.prefetch_bytes != 0) prefetch_all();
    }

    // Whether a packed run has all of the dimension, so that its shuffle knows what is zero.
    bool is_within(const cut_dim &cut, const bit_indices &run) const {
        if (cut.limit != p_.problem.limits[size_t(cut.dim)].load) return false;
        for (int b = 0; b < int(t_.bits.size()); b++)
            if (t_.bits[size_t(b)].dim == cut.dim && !contains(run, b)) return false;
        return true;
    }

    // Whether a part of a chunk is one instruction: chunks below 16 bytes have no masks.
    bool has_masks(const op &o) const { return p_.target.has_masks() && o.unit_bytes >= 16; }

    // Not of what is converted or unpacked as it is loaded.
    bool may_widen_loads() const {
        const conversion &converts = p_.problem.converts;
        return (!converts || !converts.at_load) && t_.src_elem_bits == 8 * t_.elem_bytes
                && t_.vector_bytes >= 16;
    }

    // Without masks a chunk with holes is as many instructions as it has pieces: it is read as a
    // whole then, and a shuffle leaves zeros. (u8 aBcd8b -> aBcd4b 4x3x28x28 23 / 6.4 times memcpy
    // on AVX2.) The same of several chunks in parts that may be widened so: 250 reorders 1.429 /
    // 1.363, 109 on SSE4.1 1.661 / 1.551. Of chunks below 16 bytes on AVX-512: 57 reorders 1.33 /
    // 1.04 (u8 aBcd32b -> aBcd8b 1x3x28x28 7.1 / 3.4); not of 16 bytes, which have masks: 126 more
    // 1.14 / 1.16. The constant of the shuffle, or -1 if there is none.
    int fill_holes(op &o, bool wants_zeros) {
        byte_indices indices {};
        bool has_holes = false;
        int n_parts = 0;
        for (size_t i = 0; i < o.chunks.size(); i++) {
            chunk &c = o.chunks[i];
            for (int byte = 0; byte < o.unit_bytes; byte++) {
                const size_t at = i * size_t(o.unit_bytes) + size_t(byte);
                indices[at] = c.mask >> byte & 1 ? uint8_t(at) : zero_index;
            }
            const uint64_t whole = without_holes(c.mask);
            has_holes = has_holes || whole != c.mask;
            n_parts += is_in_parts(whole);
            c.mask = c.data = whole;
        }
        return has_holes || (wants_zeros && n_parts > 1) ? constant_of(k_, indices) : -1;
    }

    // Bytes between two that are read can be read as well, where no zeros are wanted in their
    // place: they lie in the pages of these, and what nothing is stored of may be anything. So 3 of
    // each 4 bytes are one piece and not 4 in each 16 bytes: s8 ABcde16a4b -> cdeba 64x3x3x7x7 2.1
    // in place of 5.0 times memcpy on AVX2.
    cut_list cuts_with_zeros() const {
        cut_list cuts;
        for (const cut_dim &cut : load_cuts_)
            if (cut.dim >= 0
                    && state_.limits[size_t(cut.dim)].load < state_.limits[size_t(cut.dim)].store)
                cuts.push_back(cut);
        return cuts;
    }

    static uint64_t without_holes(uint64_t mask) {
        if (mask == 0) return 0;
        return ~uint64_t(0) >> __builtin_clzll(mask) & ~uint64_t(0) << __builtin_ctzll(mask);
    }

    // What the next block loads at this place, and behind it, in whole lines.
    void prefetch_all() {
        offset_list lines;
        add_lines(lines, p_.prefetch_bytes);
        if (p_.prefetch_next_bytes != 0) add_lines(lines, p_.prefetch_next_bytes);
        if (!std::is_sorted(lines.begin(), lines.end())) std::sort(lines.begin(), lines.end());
        const auto end = std::unique(lines.begin(), lines.end());
        if (end == lines.begin()) return;
        op &o = add(op_kind::prefetch);
        o.chunks.reserve(size_t(end - lines.begin()));
        for (auto line = lines.begin(); line != end; ++line)
            o.chunks.push_back({*line * tuning::line_bytes, 0});
    }

    // Those that hold what the block loads, so far from it.
    void add_lines(offset_list &lines, int64_t distance_bytes) const {
        const conversion &converts = p_.problem.converts;
        const bool reads_pairs = converts.pairs_rows && converts.at_load;
        for (const op &o : ops_)
            for (const chunk &c : o.chunks)
                if (c.mask) {
                    const int64_t first = c.offset_bytes + distance_bytes;
                    const int64_t n_bytes = o.unit_bytes / t_.elem_bytes * t_.src_elem_bits / 8;
                    for (int64_t at = 0; at < n_bytes; at += tuning::line_bytes) {
                        lines.push_back((first + at) / tuning::line_bytes);
                        if (reads_pairs)
                            lines.push_back((first + at + converts.row_bytes) / tuning::line_bytes);
                    }
                }
    }

    op &add(op_kind kind) {
        ops_.emplace_back(kind);
        return ops_.back();
    }

    // An operation that makes a value. In place: there are some hundred of them.
    op &define(op_kind kind) {
        op &o = add(kind);
        o.out = n_values_++;
        return o;
    }

    void apply(const stage &s) {
        const bit_indices before = lanes_;
        if (s.entering < 0) {
            lanes_ = s.lanes;
            const byte_indices indices = permutation(before, -1, -1, false);
            const op_kind kind = s.kind == stage_kind::within16 ? op_kind::within16
                                                                : op_kind::permute;
            for (int &v : values_)
                if (v >= 0) v = emit_permutation(kind, v, indices);
            return;
        }
        // The register bit that enters gives its place to the lane bit that leaves.
        const size_t slot = size_t(
                std::find(reg_bits_.begin(), reg_bits_.end(), s.entering) - reg_bits_.begin());
        const int leaving = *std::find_if(
                before.begin(), before.end(), [&](int bit) { return !contains(s.lanes, bit); });
        lanes_ = s.lanes;
        int constants[] = {-1, -1}; // of the results where the bit that left is 0 and 1
        for (uint32_t r = 0; r < values_.size(); r++) {
            if (r >> slot & 1) continue;
            int &low = values_[r], &high = values_[r | 1u << slot];
            const int a = low, b = high;
            if (a < 0 && b < 0) continue;
            if (s.kind == stage_kind::permute2 && constants[0] < 0)
                for (const bool left : {false, true})
                    constants[left] = constant_of(
                            k_, permutation(before, s.entering, leaving, left));
            low = exchange(s, a, b, false, constants[0]);
            high = exchange(s, a, b, true, constants[1]);
        }
        reg_bits_[slot] = leaving;
    }

    int exchange(const stage &s, int a, int b, bool is_high, int permutation) {
        a = zero_if_none(a);
        b = zero_if_none(b);
        if (s.kind == stage_kind::permute2)
            return emit_shuffle(op_kind::permute2, a, b, permutation);
        op &o = define(s.kind == stage_kind::unpack ? op_kind::unpack : op_kind::lanes128);
        o.a = a;
        o.b = b;
        o.unit_bytes = s.unit_bytes;
        o.is_high = is_high;
        if (s.kind == stage_kind::alternate)
            o.selector = is_high ? lane_selector::odd : lane_selector::even;
        else
            o.selector = is_high ? lane_selector::high_half : lane_selector::low_half;
        return o.out;
    }

    int zero_if_none(int value) {
        if (value >= 0) return value;
        if (zero_ < 0) zero_ = define(op_kind::zero).out;
        return zero_;
    }

    // A within16 or permute of one value. If that value is the result of the same kind of shuffle,
    // one does both: a row of which elements change places takes one and not three, to lanes, their
    // order, and back. (Not of the other kind: few machines have any permutation of bytes.)
    int emit_permutation(op_kind kind, int a, byte_indices indices) {
        const auto before = std::find_if(
                ops_.rbegin(), ops_.rend(), [&](const op &o) { return o.out == a; });
        if (before != ops_.rend() && before->kind == kind) {
            const byte_indices &first = k_.constants[size_t(before->constant)];
            for (uint8_t &i : indices)
                if (i != zero_index) i = first[i];
            a = before->a;
            has_dead_ = true;
        }
        return emit_shuffle(kind, a, -1, constant_of(k_, indices));
    }

    int emit_shuffle(op_kind kind, int a, int b, int c) {
        op &o = define(kind);
        o.a = a;
        o.b = b;
        o.constant = c;
        return o.out;
    }

    // Where each byte of the new order lanes_ was in the order `before`; `entering`, unless it is
    // -1, chooses the second source, and the bit that leaves was `leaving_value`.
    byte_indices permutation(
            const bit_indices &before, int entering, int leaving, bool leaving_value) const {
        const dim_t n = dim_t(1) << lanes_.size();
        const auto place_before = [&](int bit) {
            for (size_t i = 0; i < before.size(); i++)
                if (before[i] == bit) return dim_t(1) << i;
            return bit == entering ? n : dim_t(0);
        };
        const dim_t first = leaving_value ? place_before(leaving) : 0;
        byte_indices indices {};
        size_t to = 0;
        for (const dim_t place : subset_sums(lanes_, place_before))
            for (int byte = 0; byte < t_.elem_bytes; byte++)
                indices[to++] = uint8_t((first + place) * t_.elem_bytes + byte);
        return indices;
    }

    // Lanes are not: what of them a store has lies as it does in the scratch.
    bool packs_stores(const memory_shape &shape) const {
        return !p_.scratch.lanes && is_dst_packed(t_, shape.run);
    }

    // More than the destination's run where a scratch takes vectors as they are.
    int stored_run_bits() const {
        auto n = int(t_.dst_run.size());
        if (!p_.scratch.lanes) return n;
        while (n < t_.n_lane_bits()
                && dst_strides_[size_t(lanes_[size_t(n)])] == dim_t(t_.elem_bytes) << n)
            n++;
        return n;
    }

    void store_all() {
        const memory_shape shape = shape_of(stored_run_bits());
        std::vector<cut_masks> masks = masks_of(store_cuts_, shape);
        const bool padding_only = p_.mode == plan_mode::padding_only && !state_.in_padding;
        const bool packed = packs_stores(shape);
        const byte_indices indices = packed ? packing(shape.run, false) : byte_indices {};
        const bool converts = p_.problem.converts && !p_.problem.converts.at_load;
        std::vector<cut_masks> loaded;
        if (padding_only || converts) loaded = masks_of(load_cuts_, shape);
        memory_ops(
                op_kind::store, shape, dst_strides_,
                [&](size_t r, size_t f) {
                    const uint64_t mask = common_mask(masks, r, f);
                    if (padding_only)
                        return masks_of_chunk {mask & ~common_mask(loaded, r, f), mask};
                    const bool is_zero = values_[r] < 0;
                    return masks_of_chunk {mask,
                            !converts         ? mask
                                    : is_zero ? 0
                                              : common_mask(loaded, r, f)};
                },
                [&](size_t r, op &&o) {
                    if (o.chunks.empty()) {
                        has_dead_ = true;
                        return;
                    }
                    if (packed && values_[r] >= 0)
                        values_[r] = emit_permutation(packing_kind(shape.run), values_[r], indices);
                    o.a = zero_if_none(values_[r]);
                    ops_.push_back(std::move(o));
                });
    }

    // Past the caches stores are whole vectors, even where the stages leave parts of them.
    bool streams_parts() const {
        return p_.stores == store_path::streamed && !stores_vectors(t_, p_.store_vector_bytes());
    }

    // Whole elements that are moved as they are, of packed runs or in stages that carry zeros
    // along.
    bool may_repack() const {
        const bool has_gaps = zero_ >= 0 || is_dst_packed(t_, t_.dst_run)
                || is_src_packed(t_, t_.src_run) || streams_parts();
        return has_gaps && !state_.in_padding && p_.mode == plan_mode::move && !p_.problem.converts
                && p_.target.can_permute(t_.elem_bytes) && t_.vector_bytes >= 16
                && t_.src_elem_bits == 8 * t_.elem_bytes && t_.dst_elem_bits == 8 * t_.elem_bytes;
    }

    // What no store needs.
    void drop_dead() {
        std::vector<bool> used(size_t(n_values_), false);
        const auto use = [&](int v) {
            if (v >= 0) used[size_t(v)] = true;
        };
        const auto is_dead = [&](const op &o) {
            return o.kind != op_kind::store && o.kind != op_kind::prefetch && !used[size_t(o.out)];
        };
        for (auto o = ops_.rbegin(); o != ops_.rend(); ++o) {
            if (is_dead(*o)) continue;
            use(o->a);
            use(o->b);
        }
        ops_.erase(std::remove_if(ops_.begin(), ops_.end(), is_dead), ops_.end());
    }

    const plan &p_;
    const tile &t_;
    const nest_state &state_;
    kernel &k_;
    const size_t n_kept_constants_; // of other blocks
    const cut_list load_cuts_;
    const cut_list store_cuts_;
    stride_list src_strides_; // of the tile's bits
    stride_list dst_strides_;
    bit_indices lanes_;             // tile bit of each lane position
    bit_indices reg_bits_;          // tile bit of each bit of the index into values_
    inline_vector<int, 16> values_; // -1: known to be zero
    int zero_ = -1;                 // the value that is zero, once one is needed
    int n_values_ = 0;
    bool has_dead_ = false; // values that no store needs
    block ops_;
};

} // namespace

block build_block(const plan &p, const nest_state &state, kernel &k) {
    return block_builder(p, state, k).build();
}

int gather_if_allowed(const plan &p, block &ops, int n_values, kernel &k) {
    const tile &t = p.the_tile;
    const bool may_gather = p.mode == plan_mode::move && !p.target.has_masks()
            && !p.problem.converts && t.vector_bytes >= lane_bytes
            && t.src_elem_bits == 8 * t.elem_bytes && max_widened_bytes(p) > 0;
    constexpr int n_kept = 2; // registers, for the emitters
    if (!may_gather) return 0;
    return gather_stores(ops, n_values, t.elem_bytes, p.target.n_vector_regs - n_kept, k);
}

int max_widened_bytes(const plan &p) {
    // Not of what is converted while it is stored (so are sums, whose old values would be gone),
    // nor of elements of 4 bits; past the caches vectors are stored whole anyway.
    const tile &t = p.the_tile;
    if ((p.problem.converts && !p.problem.converts.at_load) || t.dst_elem_bits != 8 * t.elem_bytes
            || p.stores == store_path::streamed)
        return 0;
    if (!p.target.has_masks()) return t.vector_bytes;
    return p.moved_bytes <= tuning::max_moved_bytes_of_widened_masks
            ? tuning::max_widened_mask_bytes
            : 0;
}

} // namespace tfmt::cpu::ir
