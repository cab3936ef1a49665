// SPDX-License-Identifier: Apache-2.0
#ifndef TENSORFMT_TENSORFMT_HPP
#define TENSORFMT_TENSORFMT_HPP

// C++17 wrapper of libtensorfmt. Header only: every call forwards to the C functions of
// tensorfmt.h, which document shapes, units, statuses and thread safety. What this layer adds:
//   - objects own their handles and are cheap to copy; copies share one handle, as std::shared_ptr;
//   - failures throw tensorfmt::error, which carries the status and the library's message;
//   - where a function takes `allow_empty`, true turns a failure into an empty object instead.
// Names and argument orders follow oneDNN v3's dnnl.hpp; doc/porting.md lists the differences.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorfmt.h"

namespace tensorfmt {

// ---------------------------------------------------------------- errors and handles

// What every failing call throws. Copying never throws, and `message` lives as long as any copy.
struct error : public std::exception {
    tfmt_status_t status;
    const char *message;

    error(tfmt_status_t a_status, std::string a_message)
        : status(a_status),
          message(nullptr),
          text_(std::make_shared<const std::string>(std::move(a_message))) {
        message = text_->c_str();
    }
    const char *what() const noexcept override { return message; }

    // Throws with the calling thread's last error, behind `context` if given, unless `a_status` is
    // tfmt_success.
    static void wrap_c_api(tfmt_status_t a_status, const char *context = nullptr) {
        if (a_status == tfmt_success) return;
        const std::string prefix = context ? std::string(context) + ": " : std::string();
        throw error(a_status, prefix + tfmt_get_last_error());
    }

private:
    std::shared_ptr<const std::string> text_;
};

// The destructor of each kind of C handle.
template <typename T>
struct handle_traits {};
template <>
struct handle_traits<tfmt_memory_desc_t> {
    static void destroy(tfmt_memory_desc_t p) { tfmt_memory_desc_destroy(p); }
};
template <>
struct handle_traits<tfmt_memory_t> {
    static void destroy(tfmt_memory_t p) { tfmt_memory_destroy(p); }
};
template <>
struct handle_traits<tfmt_reorder_t> {
    static void destroy(tfmt_reorder_t p) { tfmt_reorder_destroy(p); }
};
template <>
struct handle_traits<tfmt_attr_t> {
    static void destroy(tfmt_attr_t p) { tfmt_attr_destroy(p); }
};

// Shared owner of one C handle. An empty one holds nullptr.
template <typename T>
struct handle {
    handle() = default;

    // Takes ownership of `t`, unless `weak`: then the caller keeps it alive and destroys it.
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    // Drops this object's share of the old handle and takes `t` as the constructor does.
    void reset(T t, bool weak = false) {
        if (weak)
            data_.reset(t, [](T) {});
        else
            data_.reset(t, [](T p) {
                if (p) handle_traits<T>::destroy(p);
            });
    }

    // The C handle, still owned by this object. Throws on an empty object unless `allow_empty`.
    T get(bool allow_empty = false) const {
        if (!data_ && !allow_empty)
            throw error(tfmt_invalid_arguments, "object is not initialized");
        return data_.get();
    }

    explicit operator bool() const { return data_ != nullptr; }

private:
    std::shared_ptr<typename std::remove_pointer<T>::type> data_;
};

namespace detail {

// The two calls of the C functions that fill a caller's buffer: ask for the size, then for the
// content; again if that has grown meanwhile, as an explanation may while other threads execute.
// `call` is (char *buffer, size_t *size_bytes) -> status.
template <typename Call>
std::string read_string(Call &&call) {
    size_t needed_bytes = 0;
    error::wrap_c_api(call(nullptr, &needed_bytes));
    for (;;) {
        std::vector<char> buffer(needed_bytes + 1, '\0');
        size_t size_bytes = buffer.size();
        const tfmt_status_t status = call(buffer.data(), &size_bytes);
        if (status == tfmt_success) return std::string(buffer.data());
        error::wrap_c_api(call(nullptr, &needed_bytes));
        if (needed_bytes <= buffer.size()) error::wrap_c_api(status);
    }
}

// A full-length C array out of a vector, so that no callee reads past what the caller gave.
struct c_dims {
    tfmt_dims_t values = {};

    c_dims(const std::vector<tfmt_dim_t> &v, const char *name) {
        if (v.size() > TFMT_MAX_NDIMS)
            throw error(tfmt_invalid_arguments,
                    std::string(name) + " has " + std::to_string(v.size()) + " entries, at most "
                            + std::to_string(TFMT_MAX_NDIMS) + " are supported");
        for (size_t i = 0; i < v.size(); ++i)
            values[i] = v[i];
    }
    c_dims(const std::vector<tfmt_dim_t> &v, const char *name, size_t wanted) : c_dims(v, name) {
        if (v.size() != wanted)
            throw error(tfmt_invalid_arguments,
                    std::string(name) + " has " + std::to_string(v.size()) + " entries, "
                            + std::to_string(wanted) + " were wanted");
    }
};

} // namespace detail

// ---------------------------------------------------------------- engine and stream

// The one place where tensors live: this machine's CPU and memory. Carries no state; it exists so
// that code written for oneDNN compiles. Any other index is refused, and the kind gpu; any is cpu.
struct engine {
    enum class kind { any = 0, cpu = 1, gpu = 2 };

    engine() = default;
    engine(kind a_kind, size_t index) {
        if (a_kind == kind::gpu || index != 0)
            throw error(tfmt_invalid_arguments, "engine: only engine::kind::cpu, index 0, exists");
    }
    static size_t get_count(kind a_kind) { return a_kind == kind::gpu ? 0 : 1; }
    kind get_kind() const { return kind::cpu; }
};

// Order of execution. Carries no state: execute() returns when the work is done, so wait() has
// nothing to wait for.
struct stream {
    enum class flags : unsigned { in_order = 1, out_of_order = 2, default_flags = in_order };

    stream() = default;
    explicit stream(const engine &, flags = flags::default_flags) {}
    engine get_engine() const { return engine(); }
    stream &wait() { return *this; }
};

// ---------------------------------------------------------------- memory and descriptors

enum class padding {
    zero = tfmt_padding_zero, // write zeroes to the padding
    keep = tfmt_padding_keep  // the caller vouches that the padding is zero
};

// A descriptor together with a buffer. Copies share both.
struct memory : public handle<tfmt_memory_t> {
    using dim = tfmt_dim_t;
    using dims = std::vector<dim>;

    enum class data_type {
        undef = tfmt_data_type_undef,
        f16 = tfmt_f16,
        bf16 = tfmt_bf16,
        f32 = tfmt_f32,
        s32 = tfmt_s32,
        s8 = tfmt_s8,
        u8 = tfmt_u8,
        f64 = tfmt_f64,
        boolean = tfmt_boolean,
        f8_e5m2 = tfmt_f8_e5m2,
        f8_e4m3 = tfmt_f8_e4m3,
        s4 = tfmt_s4,
        u4 = tfmt_u4,
        e8m0 = tfmt_e8m0,
        f4_e2m1 = tfmt_f4_e2m1,
        s64 = tfmt_s64,
    };

    enum class format_kind {
        undef = tfmt_format_kind_undef,
        any = tfmt_format_kind_any,
        blocked = tfmt_blocked,
    };

    // Every name of tensorfmt_tags.h, canonical (aBcd16b) and alias (nChw16c).
    enum class format_tag {
        undef = tfmt_format_tag_undef,
        any = tfmt_format_tag_any,
#define TFMT_TAG_ENUMERATOR(number, name) name = tfmt_##name,
        TFMT_FORMAT_TAGS(TFMT_TAG_ENUMERATOR)
#undef TFMT_TAG_ENUMERATOR
#define TFMT_TAG_ENUMERATOR(alias, name) alias = tfmt_##alias,
                TFMT_FORMAT_TAG_ALIASES(TFMT_TAG_ENUMERATOR)
#undef TFMT_TAG_ENUMERATOR
                        format_tag_max = tfmt_format_tag_max
    };

    static tfmt_data_type_t convert_to_c(data_type v) { return static_cast<tfmt_data_type_t>(v); }
    static tfmt_format_tag_t convert_to_c(format_tag v) {
        return static_cast<tfmt_format_tag_t>(v);
    }

    // Bytes an element takes (4-bit types: 1, though two of them share a byte); 0 for undef.
    static size_t data_type_size(data_type a_data_type) {
        return tfmt_data_type_size(convert_to_c(a_data_type));
    }

    // An immutable description of a tensor in memory: dims, type, layout. Strides, offsets and
    // blocks count elements, get_size() bytes. An empty descriptor answers 0, {} and undef.
    struct desc : public handle<tfmt_memory_desc_t> {
        // Empty; stands for an absent argument.
        desc() = default;

        // Takes ownership of a C handle.
        explicit desc(tfmt_memory_desc_t md) : handle(md) {}

        // By tag: desc({2, 17, 5, 4}, data_type::f32, format_tag::nChw8c).
        desc(const dims &a_dims, data_type type, format_tag tag, bool allow_empty = false) {
            make(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_tag(md, static_cast<int>(a_dims.size()),
                        detail::c_dims(a_dims, "dims").values, convert_to_c(type),
                        convert_to_c(tag));
            });
        }

        // By strides in elements, one for each dim; {} means dense in the order of the dims.
        desc(const dims &a_dims, data_type type, const dims &strides, bool allow_empty = false)
            : desc(a_dims, type, strides, {}, {}, allow_empty) {}

        // By a tag in a string, in or outside the enum: "nhwc", "ABcd8b16a2b", "NCHW64". A template
        // so that a braced list is always taken as strides.
        template <typename String,
                typename = std::enable_if_t<
                        std::is_convertible<const String &, std::string_view>::value>>
        desc(const dims &a_dims, data_type type, const String &tag, bool allow_empty = false) {
            make(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_string_tag(md, static_cast<int>(a_dims.size()),
                        detail::c_dims(a_dims, "dims").values, convert_to_c(type),
                        std::string(std::string_view(tag)).c_str());
            });
        }

        // By strides between outer blocks ({}: dense) and inner blocks, outermost first: block i
        // splits dimension inner_idxs[i] by inner_blks[i].
        desc(const dims &a_dims, data_type type, const dims &strides, const dims &inner_blks,
                const dims &inner_idxs, bool allow_empty = false) {
            make(allow_empty, [&](tfmt_memory_desc_t *md) {
                const detail::c_dims c_dims(a_dims, "dims");
                const detail::c_dims c_strides(
                        strides, "strides", strides.empty() ? 0 : a_dims.size());
                const detail::c_dims c_blks(inner_blks, "inner_blks");
                const detail::c_dims c_idxs(inner_idxs, "inner_idxs", inner_blks.size());
                return tfmt_memory_desc_create_with_blocking(md, static_cast<int>(a_dims.size()),
                        c_dims.values, convert_to_c(type),
                        strides.empty() ? nullptr : c_strides.values,
                        static_cast<int>(inner_blks.size()), c_blks.values, c_idxs.values);
            });
        }

        // From the bytes of get_blob(). Everything in them is validated.
        explicit desc(const std::vector<uint8_t> &blob, bool allow_empty = false) {
            make(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_blob(md, blob.data(), blob.size());
            });
        }

        // From the text of to_string().
        static desc from_string(const std::string &text, bool allow_empty = false) {
            return derive(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_string(md, text.c_str());
            });
        }

        // The region of `a_dims` elements that begins at index `offsets` of this tensor.
        desc submemory_desc(
                const dims &a_dims, const dims &offsets, bool allow_empty = false) const {
            return derive(allow_empty, [&](tfmt_memory_desc_t *md) {
                const size_t ndims = static_cast<size_t>(get_ndims());
                return tfmt_memory_desc_create_submemory(md, get(),
                        detail::c_dims(a_dims, "dims", ndims).values,
                        detail::c_dims(offsets, "offsets", ndims).values);
            });
        }

        // The same elements in the same places under other dims; refused where the layout cannot
        // express them.
        desc reshape(const dims &a_dims, bool allow_empty = false) const {
            return derive(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_reshape(md, get(), static_cast<int>(a_dims.size()),
                        detail::c_dims(a_dims, "dims").values);
            });
        }

        // The same memory with its logical dimensions renamed: dimension d of this descriptor is
        // dimension permutation[d] of the result.
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            return derive(allow_empty, [&](tfmt_memory_desc_t *md) {
                detail::c_dims(dims(permutation.begin(), permutation.end()), "permutation",
                        static_cast<size_t>(get_ndims()));
                return tfmt_memory_desc_permute_axes(md, get(), permutation.data());
            });
        }

        // The same layout for elements of another type.
        desc with_data_type(data_type type, bool allow_empty = false) const {
            return derive(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_with_data_type(md, get(), convert_to_c(type));
            });
        }

        // This s8 tensor with sums behind its elements, of those in `flags` (of
        // tfmt_compensation_flags_t) over the dimensions outside each mask; with flags 0, with
        // none.
        desc with_compensation(int flags, int s8s8_mask = 0, int asymmetric_mask = 0,
                bool allow_empty = false) const {
            return derive(allow_empty, [&](tfmt_memory_desc_t *md) {
                return tfmt_memory_desc_create_with_compensation(
                        md, get(), flags, s8s8_mask, asymmetric_mask);
            });
        }

        // The same memory, padding included, as a strided tensor of higher rank without blocks.
        desc unblock(bool allow_empty = false) const {
            return derive(allow_empty,
                    [&](tfmt_memory_desc_t *md) { return tfmt_memory_desc_unblock(md, get()); });
        }

        int get_ndims() const { return query<int>(tfmt_query_ndims_s32); }
        data_type get_data_type() const {
            return static_cast<data_type>(query<tfmt_data_type_t>(tfmt_query_data_type));
        }
        format_kind get_format_kind() const {
            return static_cast<format_kind>(query<tfmt_format_kind_t>(tfmt_query_format_kind));
        }
        // The tag that names this layout; undef where none of the enum does.
        format_tag get_format_tag() const {
            return static_cast<format_tag>(query<tfmt_format_tag_t>(tfmt_query_tag));
        }

        memory::dims get_dims() const { return query_dims(tfmt_query_dims, get_ndims()); }
        memory::dims get_padded_dims() const {
            return query_dims(tfmt_query_padded_dims, get_ndims());
        }
        memory::dims get_padded_offsets() const {
            return query_dims(tfmt_query_padded_offsets, get_ndims());
        }
        // Elements from the base pointer to index 0.
        memory::dim get_submemory_offset() const {
            return query<memory::dim>(tfmt_query_submemory_offset_s64);
        }

        // Between neighbouring outer blocks of each dimension, in elements. This and the blocks are
        // {} and 0 where the layout is not chosen yet (format_tag::any).
        memory::dims get_strides() const {
            return is_blocked() ? query_dims(tfmt_query_strides, get_ndims()) : memory::dims();
        }
        int get_inner_nblks() const {
            return is_blocked() ? query<int>(tfmt_query_inner_nblks_s32) : 0;
        }
        memory::dims get_inner_blks() const {
            const int nblks = get_inner_nblks();
            return nblks ? query_dims(tfmt_query_inner_blks, nblks) : memory::dims();
        }
        memory::dims get_inner_idxs() const {
            const int nblks = get_inner_nblks();
            return nblks ? query_dims(tfmt_query_inner_idxs, nblks) : memory::dims();
        }

        // Compensation: flags, masks and, in bytes, where the arrays begin, which throws where
        // there is none.
        int get_compensation_flags() const { return query<int>(tfmt_query_compensation_flags_s32); }
        int get_s8s8_compensation_mask() const {
            return query<int>(tfmt_query_s8s8_compensation_mask_s32);
        }
        int get_asymmetric_compensation_mask() const {
            return query<int>(tfmt_query_asymmetric_compensation_mask_s32);
        }
        memory::dim get_s8s8_compensation_offset() const {
            return query<memory::dim>(tfmt_query_s8s8_compensation_offset_s64);
        }
        memory::dim get_asymmetric_compensation_offset() const {
            return query<memory::dim>(tfmt_query_asymmetric_compensation_offset_s64);
        }

        // Bytes a buffer needs, padding and compensation included.
        size_t get_size() const { return *this ? tfmt_memory_desc_get_size(get()) : 0; }

        // Whether a dim, a stride or the offset is TFMT_RUNTIME_DIM_VAL.
        bool has_runtime_dims() const {
            const size_t size_bytes = get_size();
            if (size_bytes != 0) return size_bytes == TFMT_RUNTIME_SIZE_VAL;
            const auto has_runtime = [](const memory::dims &values) { // a dim of 0 hides the others
                for (memory::dim v : values)
                    if (v == TFMT_RUNTIME_DIM_VAL) return true;
                return false;
            };
            return has_runtime(get_dims()) || has_runtime(get_strides())
                    || get_submemory_offset() == TFMT_RUNTIME_DIM_VAL;
        }

        // Element offset of a logical index.
        memory::dim get_offset(const memory::dims &index) const {
            memory::dim offset = 0;
            error::wrap_c_api(tfmt_memory_desc_get_offset(get(),
                    detail::c_dims(index, "index", static_cast<size_t>(get_ndims())).values,
                    &offset));
            return offset;
        }

        // Logical index of an element offset; *is_padding (may be null) tells whether it lies in
        // the padding.
        memory::dims get_index(memory::dim offset, bool *is_padding = nullptr) const {
            tfmt_dims_t index = {};
            int in_padding = 0;
            error::wrap_c_api(tfmt_memory_desc_get_index(get(), offset, index, &in_padding));
            if (is_padding) *is_padding = in_padding != 0;
            return memory::dims(index, index + get_ndims());
        }

        // Versioned, portable bytes from which desc(blob) makes an equal descriptor.
        std::vector<uint8_t> get_blob() const {
            size_t size_bytes = 0;
            error::wrap_c_api(tfmt_memory_desc_get_blob(nullptr, &size_bytes, get()));
            std::vector<uint8_t> blob(size_bytes);
            error::wrap_c_api(tfmt_memory_desc_get_blob(blob.data(), &size_bytes, get()));
            return blob;
        }

        // Canonical text: dims, type, tag, and strides where they are not dense; from_string()
        // reads it.
        std::string to_string() const {
            return detail::read_string([&](char *buffer, size_t *size_bytes) {
                return tfmt_memory_desc_to_string(get(), buffer, size_bytes);
            });
        }

        // Equal to hash() of every equal descriptor; 0 for an empty one.
        size_t hash() const { return *this ? tfmt_memory_desc_hash(get()) : 0; }

        bool is_zero() const { return get_ndims() == 0; }

        bool operator==(const desc &other) const {
            if (!*this || !other) return is_zero() && other.is_zero();
            return tfmt_memory_desc_equal(get(), other.get()) != 0;
        }
        bool operator!=(const desc &other) const { return !(*this == other); }

    private:
        bool is_blocked() const { return get_format_kind() == format_kind::blocked; }

        // Takes what `call` (tfmt_memory_desc_t * -> status) makes. Both kinds of failure, of the
        // call and of the checks before it, throw unless `allow_empty`.
        template <typename Call>
        void make(bool allow_empty, Call &&call) {
            try {
                tfmt_memory_desc_t md = nullptr;
                error::wrap_c_api(call(&md));
                reset(md);
            } catch (const error &) {
                if (!allow_empty) throw;
            }
        }

        template <typename Call>
        static desc derive(bool allow_empty, Call &&call) {
            desc result;
            result.make(allow_empty, call);
            return result;
        }

        template <typename Result>
        Result query(tfmt_query_t what) const {
            Result result {};
            if (*this) error::wrap_c_api(tfmt_memory_desc_query(get(), what, &result));
            return result;
        }

        memory::dims query_dims(tfmt_query_t what, int count) const {
            const tfmt_dims_t *values = query<const tfmt_dims_t *>(what);
            memory::dims result;
            for (int i = 0; values && i < count; ++i)
                result.push_back((*values)[i]);
            return result;
        }
    };

    // Empty; stands for an absent argument.
    memory() = default;

    // Takes ownership of a C handle.
    explicit memory(tfmt_memory_t c_memory) : handle(c_memory) {}

    // With the caller's buffer of md.get_size() bytes, whose padding is zeroed; or without one
    // (TFMT_MEMORY_NONE); or with one of the library's (TFMT_MEMORY_ALLOCATE).
    memory(const desc &md, void *data) {
        tfmt_memory_t result = nullptr;
        error::wrap_c_api(tfmt_memory_create(&result, md.get(true), data));
        reset(result);
    }
    memory(const desc &md, const engine &, void *data) : memory(md, data) {}

    // With a buffer that the library allocates, 64-byte aligned, and frees with the last copy.
    explicit memory(const desc &md) : memory(md, TFMT_MEMORY_ALLOCATE) {}
    memory(const desc &md, const engine &) : memory(md) {}

    desc get_desc() const {
        const_tfmt_memory_desc_t md = nullptr;
        error::wrap_c_api(tfmt_memory_get_memory_desc(get(), &md));
        tfmt_memory_desc_t copy = nullptr;
        error::wrap_c_api(tfmt_memory_desc_clone(&copy, md));
        return desc(copy);
    }
    engine get_engine() const { return engine(); }

    // The buffer, nullptr where there is none.
    void *get_data_handle() const {
        void *data = nullptr;
        error::wrap_c_api(tfmt_memory_get_data_handle(get(), &data));
        return data;
    }

    // Uses the caller's buffer from now on. Zeroes its padding and touches nothing else.
    void set_data_handle(void *data) const {
        error::wrap_c_api(tfmt_memory_set_data_handle(get(), data));
    }
    void set_data_handle(void *data, const stream &) const { set_data_handle(data); }

    // The same, with a say over the padding.
    void set_data_handle(void *data, padding a_padding) const {
        error::wrap_c_api(tfmt_memory_set_data_handle_v2(
                get(), data, static_cast<tfmt_padding_t>(a_padding)));
    }

    // The buffer as a typed pointer; nothing is copied, and unmap_data() has nothing to do.
    template <typename T = void>
    T *map_data() const {
        return static_cast<T *>(get_data_handle());
    }
    void unmap_data(void *) const {}
};

// Writes zeroes to the padding of a buffer laid out as `md`, and to nothing else.
inline void zero_pad(const memory::desc &md, void *data) {
    error::wrap_c_api(tfmt_zero_pad(md.get(true), data));
}

// Whether the padding of a buffer laid out as `md` is all zero.
inline bool check_padding(const memory::desc &md, const void *data) {
    int is_zero = 0;
    error::wrap_c_api(tfmt_check_padding(md.get(true), data, &is_zero));
    return is_zero != 0;
}

// ---------------------------------------------------------------- attributes

// What a reorder does besides moving: scales, zero points, accumulation. Copies share their state.
struct attr : public handle<tfmt_attr_t> {
    // Nothing besides moving and conversion.
    attr() {
        tfmt_attr_t result = nullptr;
        error::wrap_c_api(tfmt_attr_create(&result));
        reset(result);
    }

    // Scales of argument `arg` (TFMT_ARG_SRC or TFMT_ARG_DST), one for each index of the dimensions
    // in `mask`; along the last groups.size() of these, one for each group of so many indices.
    void set_scales(int arg, int mask, const memory::dims &groups = {},
            memory::data_type type = memory::data_type::f32) {
        error::wrap_c_api(tfmt_attr_set_scales(get(), arg, mask, static_cast<int>(groups.size()),
                detail::c_dims(groups, "groups").values, memory::convert_to_c(type)));
    }
    void set_scales_mask(int arg, int mask) { set_scales(arg, mask); }

    // Zero points, likewise.
    void set_zero_points(int arg, int mask, const memory::dims &groups = {},
            memory::data_type type = memory::data_type::s32) {
        error::wrap_c_api(
                tfmt_attr_set_zero_points(get(), arg, mask, static_cast<int>(groups.size()),
                        detail::c_dims(groups, "groups").values, memory::convert_to_c(type)));
    }
    void set_zero_points_mask(int arg, int mask) { set_zero_points(arg, mask); }

    // Adds beta times what dst held before; 0 adds nothing.
    void append_sum(float beta) { error::wrap_c_api(tfmt_attr_append_sum(get(), beta)); }

    // Sums behind the s8 destination, as memory::desc::with_compensation() has them;
    // reorder::dst_desc() is the destination with them.
    void set_compensation(int flags, int s8s8_mask = 0, int asymmetric_mask = 0) {
        error::wrap_c_api(tfmt_attr_set_compensation(get(), flags, s8s8_mask, asymmetric_mask));
    }
};
using primitive_attr = attr;

// One loop of an execution, for a pool to run: task(i) once for each i of 0..n_tasks-1, on any
// threads in any order.
class pool_task {
public:
    void operator()(int i) const { task_(context_, i); }

private:
    template <typename>
    friend class threadpool;
    pool_task(void (*task)(void *, int), void *context) : task_(task), context_(context) {}

    void (*task_)(void *, int);
    void *context_;
};

// Threads of the caller's for executions, made from their number and their loop, a callable
// parallel_for(int n_tasks, pool_task task) with the duties of tfmt_threadpool_t::parallel_for:
//
//     tensorfmt::threadpool pool(4, [&](int n_tasks, tensorfmt::pool_task task) {
//         tbb::parallel_for(0, n_tasks, task);
//     });
//     tensorfmt::exec_args args(pool);
//     reorder.execute(src, dst, &args);
//
// Must outlive the executions that use it. An exception that leaves the callable ends the process.
template <typename ParallelFor>
class threadpool {
public:
    threadpool(int num_threads, ParallelFor parallel_for)
        : num_threads_(num_threads),
          parallel_for_(std::move(parallel_for)),
          c_pool_ {sizeof(tfmt_threadpool_t), this, get_num_threads, run} {}
    threadpool(const threadpool &) = delete; // c_pool_ points here
    threadpool &operator=(const threadpool &) = delete;

    const tfmt_threadpool_t *get() const { return &c_pool_; }

private:
    static int get_num_threads(void *self) {
        return static_cast<const threadpool *>(self)->num_threads_;
    }
    static void run(
            void *self, int n_tasks, void (*task)(void *, int), void *task_context) noexcept {
        static_cast<threadpool *>(self)->parallel_for_(n_tasks, pool_task(task, task_context));
    }

    int num_threads_;
    ParallelFor parallel_for_;
    tfmt_threadpool_t c_pool_;
};

// The values that attributes ask for at execution, which the caller owns, and threads.
struct exec_args : public tfmt_exec_args_t {
    exec_args() : tfmt_exec_args_t() { struct_size = sizeof(tfmt_exec_args_t); }
    template <typename ParallelFor>
    explicit exec_args(const tensorfmt::threadpool<ParallelFor> &pool) : exec_args() {
        threadpool = pool.get();
    }
    // The actual descriptors, for a reorder with runtime dims; they must outlive the execution.
    exec_args(const memory::desc &src, const memory::desc &dst) : exec_args() {
        src_md = src.get(true);
        dst_md = dst.get(true);
    }
};

// ---------------------------------------------------------------- reorder

// A ready-made move from one layout to another. Immutable: any number of threads may execute one
// reorder at once. Copies share it.
struct reorder : public handle<tfmt_reorder_t> {
    struct primitive_desc;

    // Empty.
    reorder() = default;

    // Between two descriptors with the same dims; converts where the data types differ. With
    // runtime dims execute() is given the actual descriptors, in memory objects or in its args.
    reorder(const memory::desc &src, const memory::desc &dst) { create(src, dst, nullptr); }
    reorder(const memory::desc &src, const memory::desc &dst, const attr &a_attr) {
        create(src, dst, a_attr.get());
    }

    // Between the descriptors of two memory objects; execute() may be given other ones.
    reorder(const memory &src, const memory &dst) : reorder(src.get_desc(), dst.get_desc()) {}
    reorder(const memory &src, const memory &dst, const attr &a_attr)
        : reorder(src.get_desc(), dst.get_desc(), a_attr) {}

    // With the fastest of several plans, each of which moves from `src_data` to `dst_data` a few
    // times: tfmt_reorder_create_measured().
    static reorder measured(const memory::desc &src, const memory::desc &dst, const void *src_data,
            void *dst_data, const tfmt_exec_args_t *args = nullptr) {
        return make_measured(src, dst, nullptr, src_data, dst_data, args);
    }
    static reorder measured(const memory::desc &src, const memory::desc &dst, const attr &a_attr,
            const void *src_data, void *dst_data, const tfmt_exec_args_t *args = nullptr) {
        return make_measured(src, dst, a_attr.get(), src_data, dst_data, args);
    }

    // As oneDNN's two-step creation; shares what the primitive_desc made.
    explicit reorder(const primitive_desc &pd);

    // Moves from `src` to `dst`, buffers laid out as the descriptors say. `args` is needed only
    // where attributes ask for values, or to run on threads of the caller's.
    void execute(const void *src, void *dst, const tfmt_exec_args_t *args = nullptr) const {
        error::wrap_c_api(tfmt_reorder_execute(get(), src, dst, args));
    }

    // The same between memory objects, whose descriptors must equal the reorder's in layout, or
    // agree with it where it has runtime dims.
    void execute(
            const memory &src, const memory &dst, const tfmt_exec_args_t *args = nullptr) const {
        if (!has_runtime_dims_) return execute(src.get_data_handle(), dst.get_data_handle(), args);
        exec_args with_descs;
        if (args && args->struct_size != with_descs.struct_size)
            throw error(tfmt_invalid_arguments,
                    "reorder: args->struct_size is not sizeof(tfmt_exec_args_t)");
        if (args) static_cast<tfmt_exec_args_t &>(with_descs) = *args;
        if (!with_descs.src_md) with_descs.src_md = c_desc_of(src);
        if (!with_descs.dst_md) with_descs.dst_md = c_desc_of(dst);
        execute(src.get_data_handle(), dst.get_data_handle(), &with_descs);
    }
    void execute(const stream &, const memory &src, const memory &dst) const { execute(src, dst); }

    // The same with TFMT_ARG_SRC, TFMT_ARG_DST and the values that attributes ask for, such as
    // TFMT_ARG_ATTR_SCALES | TFMT_ARG_SRC, in a map; other arguments are refused. Values are read
    // as the attributes say, whatever the descriptors of their memory objects are.
    void execute(const stream &, const std::unordered_map<int, memory> &args) const {
        const auto src = args.find(TFMT_ARG_SRC);
        const auto dst = args.find(TFMT_ARG_DST);
        exec_args c_args;
        size_t n_known = 2;
        const auto read = [&](int arg, const void **values) {
            const auto found = args.find(arg);
            if (found == args.end()) return;
            *values = found->second.get_data_handle();
            n_known++;
        };
        read(TFMT_ARG_ATTR_SCALES | TFMT_ARG_SRC, &c_args.src_scales);
        read(TFMT_ARG_ATTR_SCALES | TFMT_ARG_DST, &c_args.dst_scales);
        read(TFMT_ARG_ATTR_ZERO_POINTS | TFMT_ARG_SRC, &c_args.src_zero_points);
        read(TFMT_ARG_ATTR_ZERO_POINTS | TFMT_ARG_DST, &c_args.dst_zero_points);
        if (src == args.end() || dst == args.end() || args.size() != n_known)
            throw error(tfmt_invalid_arguments,
                    "reorder: args must hold TFMT_ARG_SRC and TFMT_ARG_DST, and nothing else but "
                    "scales and zero points of either");
        execute(src->second, dst->second, &c_args);
    }

    // Which path runs and why not a faster one, as in "jit:avx512_core".
    std::string impl_info_str() const {
        const char *info = nullptr;
        error::wrap_c_api(tfmt_reorder_query(get(), tfmt_query_impl_info_str, &info));
        return info ? info : "";
    }

    // Both sides as they are moved, the destination with the compensation that attributes ask for.
    memory::desc src_desc() const { return query_desc(tfmt_query_src_md); }
    memory::desc dst_desc() const { return query_desc(tfmt_query_dst_md); }

    // Problem, plan and kernel as text, for reading.
    std::string explain() const {
        return detail::read_string([&](char *buffer, size_t *size_bytes) {
            return tfmt_reorder_explain(get(), buffer, size_bytes);
        });
    }

private:
    memory::desc query_desc(tfmt_query_t what) const {
        const_tfmt_memory_desc_t c_md = nullptr;
        error::wrap_c_api(tfmt_reorder_query(get(), what, &c_md));
        tfmt_memory_desc_t copy = nullptr;
        error::wrap_c_api(tfmt_memory_desc_clone(&copy, c_md));
        return memory::desc(copy);
    }

    void create(const memory::desc &src, const memory::desc &dst, const_tfmt_attr_t c_attr) {
        tfmt_reorder_t result = nullptr;
        error::wrap_c_api(tfmt_reorder_create(&result, src.get(true), dst.get(true), c_attr));
        reset(result);
        has_runtime_dims_ = src.has_runtime_dims() || dst.has_runtime_dims();
    }

    static reorder make_measured(const memory::desc &src, const memory::desc &dst,
            const_tfmt_attr_t c_attr, const void *src_data, void *dst_data,
            const tfmt_exec_args_t *args) {
        tfmt_reorder_t result = nullptr;
        error::wrap_c_api(tfmt_reorder_create_measured(
                &result, src.get(true), dst.get(true), c_attr, src_data, dst_data, args));
        reorder made;
        made.reset(result);
        return made;
    }

    // Owned by the memory object.
    static const_tfmt_memory_desc_t c_desc_of(const memory &m) {
        const_tfmt_memory_desc_t md = nullptr;
        error::wrap_c_api(tfmt_memory_get_memory_desc(m.get(), &md));
        return md;
    }

    bool has_runtime_dims_ = false;
};

// A reorder that is planned and not yet named a primitive: oneDNN's first step of two. Here it is
// the reorder itself, with its descriptors.
struct reorder::primitive_desc {
    primitive_desc() = default;

    primitive_desc(const engine &, const memory::desc &src, const engine &, const memory::desc &dst,
            const attr &a_attr = attr(), bool allow_empty = false)
        : src_(src), dst_(dst) {
        try {
            reorder_ = reorder(src, dst, a_attr);
            dst_ = reorder_.dst_desc();
        } catch (const error &) {
            if (!allow_empty) throw;
        }
    }
    primitive_desc(const memory &src, const memory &dst, const attr &a_attr = attr(),
            bool allow_empty = false) {
        try {
            *this = primitive_desc(
                    engine(), src.get_desc(), engine(), dst.get_desc(), a_attr, allow_empty);
        } catch (const error &) {
            if (!allow_empty) throw;
        }
    }

    memory::desc src_desc() const { return src_; }
    memory::desc dst_desc() const { return dst_; }
    engine get_src_engine() const { return engine(); }
    engine get_dst_engine() const { return engine(); }
    std::string impl_info_str() const { return reorder_.impl_info_str(); }
    explicit operator bool() const { return static_cast<bool>(reorder_); }

private:
    friend struct reorder;
    memory::desc src_;
    memory::desc dst_;
    reorder reorder_;
};

inline reorder::reorder(const primitive_desc &pd) : reorder(pd.reorder_) {
    get(); // an empty one is refused here, not at execution
}

// ---------------------------------------------------------------- machine

using version_t = tfmt_version_t;

// The version of the library that is loaded, which may be newer than this header's.
inline const version_t *version() { return tfmt_version(); }

enum class cpu_isa {
    none = tfmt_cpu_isa_none,
    sse41 = tfmt_cpu_isa_sse41,
    avx2 = tfmt_cpu_isa_avx2,
    avx512_core = tfmt_cpu_isa_avx512_core,
    avx512_core_vbmi = tfmt_cpu_isa_avx512_core_vbmi,
    avx512_core_bf16 = tfmt_cpu_isa_avx512_core_bf16,
    avx512_core_fp16 = tfmt_cpu_isa_avx512_core_fp16,
};

// Caps the instruction sets that reorders created from now on may use.
inline void set_max_cpu_isa(cpu_isa isa) {
    error::wrap_c_api(tfmt_set_max_cpu_isa(static_cast<tfmt_cpu_isa_t>(isa)));
}

// What this machine has, under the cap.
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(tfmt_get_effective_cpu_isa());
}

// Threads that one reorder may use.
inline void set_num_threads(int n) { error::wrap_c_api(tfmt_set_num_threads(n)); }
inline int get_num_threads() { return tfmt_get_num_threads(); }

// Compiled kernels kept for reuse.
inline void set_kernel_cache_capacity(int n) {
    error::wrap_c_api(tfmt_set_kernel_cache_capacity(n));
}

} // namespace tensorfmt

// Descriptors as keys of std::unordered_map.
template <>
struct std::hash<tensorfmt::memory::desc> {
    size_t operator()(const tensorfmt::memory::desc &md) const { return md.hash(); }
};

#endif
