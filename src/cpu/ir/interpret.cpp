// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "cpu/ir/ir.hpp"
#include "cpu/ref/codecs.hpp"
#include "cpu/ref/convert.hpp"

namespace tfmt::cpu::ir {

int memory_elem_bits(const kernel &k, op_kind kind) {
    if (!k.converts) return 8 * k.elem_bytes;
    return kind == op_kind::load ? k.converts.src_elem_bits : k.converts.dst_elem_bits;
}

byte_indices indices_of(const kernel &k, const op &o) {
    if (o.constant >= 0) return k.constants[o.constant];
    byte_indices indices {};
    const int v = k.vector_bytes;
    if (o.kind == op_kind::unpack) {
        const int unit = o.unit_bytes;
        for (int lane = 0; lane < v; lane += 16)
            for (int i = 0, from = lane + (o.is_high ? 8 : 0); i < 16; from += unit)
                for (const int source : {0, v})
                    for (int byte = 0; byte < unit; byte++)
                        indices[lane + i++] = uint8_t(source + from + byte);
        return indices;
    }
    const int half = v / 2;
    for (int lane = 0; lane < v; lane += 16) {
        const int source = lane < half ? 0 : v, n = lane < half ? lane : lane - half;
        int from = 0;
        switch (o.selector) {
        case lane_selector::low_half: from = n; break;
        case lane_selector::high_half: from = n + half; break;
        case lane_selector::even: from = 2 * n; break;
        case lane_selector::odd: from = 2 * n + 16; break;
        }
        for (int byte = 0; byte < 16; byte++)
            indices[lane + byte] = uint8_t(source + from + byte);
    }
    return indices;
}

namespace {

using bytes = std::array<uint8_t, 64>;

constexpr uint64_t zeros[1] = {};

class interpreter {
public:
    interpreter(const kernel &k, const void *singles)
        : k_(k),
          singles_(static_cast<const uint8_t *>(singles)),
          lane_bytes_(k.converts ? k.elem_bytes : 1),
          values_(size_t(k.n_values)),
          scratch_(size_t(k.scratch_bytes)) {}

    void run(const std::vector<nest_node> &nodes, const uint8_t *src, uint8_t *dst,
            const uint8_t *params) {
        for (const nest_node &n : nodes) {
            const uint8_t *p = params + n.param_offset_bytes;
            const uint8_t *s = src + n.src_offset_bytes;
            uint8_t *d = dst + n.dst_offset_bytes;
            if (n.step != nest_step::none) {
                if (n.step == nest_step::fill)
                    run(n.children, s, scratch_.data() + n.dst_offset_bytes, p);
                if (n.step == nest_step::drain_lanes)
                    run(n.children, scratch_.data() + n.src_offset_bytes, d, p);
                if (n.step == nest_step::drain) drain_to(k_.drains[size_t(n.drain)], d);
                continue;
            }
            if (n.block >= 0) {
                params_ = p;
                run(k_.blocks[n.block], s, d);
                continue;
            }
            for (int64_t i = 0; i < n.count; i++)
                run(n.children, s + i * n.src_step_bytes, d + i * n.dst_step_bytes,
                        p + i * n.param_step_bytes);
        }
    }

private:
    void run(const block &ops, const uint8_t *src, uint8_t *dst) {
        for (const op &o : ops) {
            switch (o.kind) {
            case op_kind::prefetch: break;
            case op_kind::zero: values_[o.out] = {}; break;
            case op_kind::load: load(o, src); break;
            case op_kind::store: store(o, dst); break;
            case op_kind::merge: merge(o); break;
            default: shuffle(o); break;
            }
        }
    }

    // Keeping back the end of a run and writing it next time is the same as writing it at once.
    void drain_to(const drain &d, uint8_t *dst) {
        for (const scratch_runs &r : d.runs)
            for (int64_t i = 0; i < r.count; i++) {
                uint8_t *to = dst + r.dst_offset_bytes + i * r.dst_step_bytes;
                const uint8_t *from = scratch_.data() + r.scratch_offset_bytes
                        + i * r.scratch_step_bytes;
                if (k_.piece_step_bytes == 0) {
                    std::memcpy(to, from, size_t(r.bytes));
                    continue;
                }
                for (int64_t at = 0; at < r.bytes; at += lane_bytes)
                    std::memcpy(to + at, from + at / lane_bytes * k_.piece_step_bytes, lane_bytes);
            }
    }

    void load(const op &o, const uint8_t *src) {
        bytes value {};
        for_each_element(o, [&](const chunk &c, int elem, int byte) {
            const uint8_t *from = src + c.offset_bytes;
            if (!k_.converts)
                value[size_t(byte)] = from[elem];
            else if (k_.converts.at_load)
                convert_to_lane(o, byte, from, elem, &value[size_t(byte)]);
            else if (k_.converts.pairs_rows)
                value[size_t(byte)] = from[elem];
            else
                copy_to_lane(k_.converts.src_type, from, elem, &value[size_t(byte)]);
        });
        values_[o.out] = value;
    }

    void store(const op &o, uint8_t *dst) {
        for_each_element(o, [&](const chunk &c, int elem, int byte) {
            uint8_t *to = dst + c.offset_bytes;
            const uint8_t *lane = &values_[o.a][size_t(byte)];
            if (!k_.converts || (k_.converts.at_load && k_.converts.pairs_rows))
                to[elem] = *lane;
            else if (k_.converts.at_load)
                copy(k_.converts.dst_type, lane, 0, to, elem);
            else
                convert_lane(o, byte, c.data >> elem * lane_bytes_ & 1 ? lane : nullptr, to, elem);
        });
    }

    // Element `from` of src, or that and the one of the row behind it.
    void convert_to_lane(const op &o, int byte, const uint8_t *src, int from, uint8_t *lane) {
        convert(o, byte, src, from, lane, 0);
        if (!k_.converts.pairs_rows) return;
        params_ += k_.converts.row_param_bytes;
        convert(o, byte, src + k_.converts.row_bytes, from, lane, 1);
        params_ -= k_.converts.row_param_bytes;
    }

    // The other way round; zero without a lane.
    void convert_lane(const op &o, int byte, const uint8_t *lane, uint8_t *dst, int to) {
        const auto put = [&](int from, uint8_t *at) {
            lane ? convert(o, byte, lane, from, at, to)
                 : copy(k_.converts.dst_type, zeros, 0, at, to);
        };
        put(0, dst);
        if (!k_.converts.pairs_rows) return;
        params_ += k_.converts.row_param_bytes;
        put(1, dst + k_.converts.row_bytes);
        params_ -= k_.converts.row_param_bytes;
    }

    // visit(chunk, element of it, its byte in the value) for what takes part; without a conversion
    // an element is a byte.
    template <typename Visit>
    void for_each_element(const op &o, Visit &&visit) const {
        const int n_elems = o.unit_bytes / lane_bytes_;
        for (size_t c = 0; c < o.chunks.size(); c++)
            for (int e = 0; e < n_elems; e++)
                if (o.chunks[c].mask >> e * lane_bytes_ & 1)
                    visit(o.chunks[c], e, int(c) * o.unit_bytes + e * lane_bytes_);
    }

    // Element `from` of src to element `to` of dst; `byte` is where its lane begins in the value.
    void convert(const op &o, int byte, const void *src, int from, void *dst, int to) const {
        const conversion &c = k_.converts;
        if (!c.steps)
            ref::find_convert_run(c.src_type, c.dst_type)(src, from, 1, dst, to, 1, 1);
        else if (c.steps.computing_type == tfmt_f64)
            compute<double>(o, byte / lane_bytes_, src, from, dst, to);
        else
            compute<float>(o, byte / lane_bytes_, src, from, dst, to);
    }

    template <typename T>
    T value_of(int parameter, const op &o, int lane) const {
        const arithmetic::operand &from = k_.converts.steps.operands[size_t(parameter)];
        const uint8_t *at = from.is_one_value ? singles_ + parameter * single_bytes
                                              : params_ + from.array_bytes + o.param_offset_bytes
                        + k_.lane_param_offset_bytes[size_t(lane)];
        T value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }

    template <typename T>
    void compute(const op &o, int lane, const void *src, int from, void *dst, int to) const {
        const arithmetic &steps = k_.converts.steps;
        const auto &asked = steps.operands;
        T t, old;
        ref::codec_of<T>(k_.converts.src_type).decode(src, from, 1, &t, 1);
        if (steps.takes_reciprocal) t = 1 / t;
        if (asked[src_zero_point].added != 0) t = t + T(asked[src_zero_point].added);
        if (asked[src_zero_point].is_set) t = t - value_of<T>(src_zero_point, o, lane);
        if (asked[src_scale].is_set) t = t * value_of<T>(src_scale, o, lane);
        if (steps.has_sum) {
            ref::codec_of<T>(k_.converts.dst_type).decode(dst, to, 1, &old, 1);
            t = t + T(steps.sum_beta) * old;
        }
        if (asked[dst_scale].is_set) { // of products with reciprocals the same bits
            const T scale = value_of<T>(dst_scale, o, lane);
            t = steps.multiplies_by_reciprocal ? t * scale : t / scale;
        }
        if (asked[dst_zero_point].is_set)
            t = t + value_of<T>(dst_zero_point, o, lane);
        else if (steps.grid != 0)
            t = t + T(steps.grid);
        if (steps.grid != 0) t = t - T(steps.grid);
        ref::codec_of<T>(k_.converts.dst_type).encode(&t, dst, to, 1, 1);
    }
    static void copy(data_type_t type, const void *src, int from, void *dst, int to) {
        ref::find_convert_run(type, type)(src, from, 1, dst, to, 1, 1);
    }
    static void copy_to_lane(data_type_t type, const void *src, int from, uint8_t *lane) {
        copy(type, src, from, lane, 0);
    }

    void merge(const op &o) {
        for (int i = 0; i < k_.vector_bytes; i++)
            values_[o.out][i] = values_[o.a][i] | values_[o.b][i];
    }

    void shuffle(const op &o) {
        const byte_indices indices = indices_of(k_, o);
        bytes value {};
        for (int i = 0; i < k_.vector_bytes; i++) {
            const int from = indices[i];
            if (o.kind == op_kind::within16 && from == zero_index) continue;
            value[i] = from < k_.vector_bytes ? values_[o.a][from]
                                              : values_[o.b][from - k_.vector_bytes];
        }
        values_[o.out] = value;
    }

    const kernel &k_;
    const uint8_t *singles_;
    const uint8_t *params_ = nullptr; // of the block
    const int lane_bytes_;
    std::vector<bytes> values_;
    std::vector<uint8_t> scratch_;
};

} // namespace

void interpret(const kernel &k, const void *src, void *dst, int64_t root_count, bool with_rest,
        const parameter_values &values) {
    interpreter machine(k, values.singles);
    const uint8_t *p = static_cast<const uint8_t *>(values.arrays);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    uint8_t *d = static_cast<uint8_t *>(dst);
    for (int64_t i = 0; i < root_count; i++) {
        machine.run(k.root, s, d, p);
        s += k.src_step_bytes;
        d += k.dst_step_bytes;
        p += k.param_step_bytes;
    }
    if (with_rest) machine.run(k.rest, s, d, p);
}

} // namespace tfmt::cpu::ir
