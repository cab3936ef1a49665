// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "common/memory_desc.hpp"
#include "common/status.hpp"
#include "cpu/ref/portable.hpp"
#include "cpu/reorder.hpp"

using namespace tfmt;

struct tfmt_memory {
    memory_desc md;
    void *handle;
    void *owned; // what destroy frees
};

namespace {

constexpr size_t buffer_alignment = 64;

// Null for a descriptor of no bytes.
void *allocate(size_t size_bytes) {
    if (size_bytes == 0) return nullptr;
    const size_t rounded = (size_bytes + buffer_alignment - 1) / buffer_alignment
            * buffer_alignment;
    void *p = rounded < size_bytes ? nullptr : std::aligned_alloc(buffer_alignment, rounded);
    if (!p) throw std::bad_alloc();
    return p;
}

void zero_pad(const memory_desc &md, void *data) {
    require_fixed_layout(md, "md");
    if (is_zero_sized(md) || !has_padding(md)) return;
    require_not_null(data, "data");
    cpu::find_zero_pad(make_without_repeats(md, "md"))->execute({data, data});
}

void set_handle(tfmt_memory &memory, void *handle, tfmt_padding_t padding) {
    if (padding != tfmt_padding_zero && padding != tfmt_padding_keep)
        fail_invalid("padding is " + std::to_string(int(padding))
                + ", wanted tfmt_padding_zero or tfmt_padding_keep");
    if (handle == TFMT_MEMORY_ALLOCATE)
        fail_invalid("handle is TFMT_MEMORY_ALLOCATE, which only tfmt_memory_create takes");
    if (handle && padding == tfmt_padding_zero) zero_pad(memory.md, handle);
    memory.handle = handle;
}

} // namespace

extern "C" {

tfmt_status_t tfmt_memory_create(tfmt_memory_t *memory, const_tfmt_memory_desc_t md, void *handle) {
    return guard("tfmt_memory_create", [&] {
        require_not_null(memory, "memory");
        require_not_null(md, "md");
        require_fixed_layout(*md, "md");
        auto made = std::make_unique<tfmt_memory>(tfmt_memory {*md, nullptr, nullptr});
        if (handle == TFMT_MEMORY_ALLOCATE) {
            std::unique_ptr<void, decltype(&std::free)> buffer(
                    allocate(size_bytes(*md)), std::free);
            set_handle(*made, buffer.get(), tfmt_padding_zero);
            made->owned = buffer.release();
        } else
            set_handle(*made, handle, tfmt_padding_zero);
        *memory = made.release();
    });
}

tfmt_status_t tfmt_memory_get_data_handle(const_tfmt_memory_t memory, void **handle) {
    return guard("tfmt_memory_get_data_handle", [&] {
        require_not_null(memory, "memory");
        require_not_null(handle, "handle");
        *handle = memory->handle;
    });
}

tfmt_status_t tfmt_memory_set_data_handle(tfmt_memory_t memory, void *handle) {
    return guard("tfmt_memory_set_data_handle", [&] {
        require_not_null(memory, "memory");
        set_handle(*memory, handle, tfmt_padding_zero);
    });
}

tfmt_status_t tfmt_memory_set_data_handle_v2(
        tfmt_memory_t memory, void *handle, tfmt_padding_t padding) {
    return guard("tfmt_memory_set_data_handle_v2", [&] {
        require_not_null(memory, "memory");
        set_handle(*memory, handle, padding);
    });
}

tfmt_status_t tfmt_memory_get_memory_desc(
        const_tfmt_memory_t memory, const_tfmt_memory_desc_t *md) {
    return guard("tfmt_memory_get_memory_desc", [&] {
        require_not_null(memory, "memory");
        require_not_null(md, "md");
        *md = &memory->md;
    });
}

tfmt_status_t tfmt_memory_destroy(tfmt_memory_t memory) {
    if (memory) std::free(memory->owned);
    delete memory;
    return tfmt_success;
}

tfmt_status_t tfmt_zero_pad(const_tfmt_memory_desc_t md, void *data) {
    return guard("tfmt_zero_pad", [&] {
        require_not_null(md, "md");
        zero_pad(*md, data);
    });
}

tfmt_status_t tfmt_check_padding(const_tfmt_memory_desc_t md, const void *data, int *is_zero) {
    return guard("tfmt_check_padding", [&] {
        require_not_null(md, "md");
        require_not_null(is_zero, "is_zero");
        require_fixed_layout(*md, "md");
        if (is_zero_sized(*md) || !has_padding(*md)) {
            *is_zero = 1;
            return;
        }
        require_not_null(data, "data");
        *is_zero = cpu::ref::is_padding_zero(make_without_repeats(*md, "md"), data);
    });
}

} // extern "C"
