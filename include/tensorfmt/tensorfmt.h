/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TENSORFMT_TENSORFMT_H
#define TENSORFMT_TENSORFMT_H

/* libtensorfmt: tensor memory descriptors with format tags, and reorders between any two of them.
 *
 * This header is the reference documentation of the C API. */

#include <stddef.h>
#include <stdint.h>

#include "tensorfmt_tags.h"

#if defined(_WIN32)
#define TFMT_API
#else
#define TFMT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- version */

#define TFMT_VERSION_MAJOR 0
#define TFMT_VERSION_MINOR 1
#define TFMT_VERSION_PATCH 0

typedef struct {
    int major;
    int minor;
    int patch;
} tfmt_version_t;

TFMT_API const tfmt_version_t *tfmt_version(void);

/* ---------------------------------------------------------------- basic types */

#define TFMT_MAX_NDIMS 12
#define TFMT_RUNTIME_DIM_VAL INT64_MIN
#define TFMT_RUNTIME_SIZE_VAL ((size_t)TFMT_RUNTIME_DIM_VAL)

typedef int64_t tfmt_dim_t;
typedef tfmt_dim_t tfmt_dims_t[TFMT_MAX_NDIMS];

typedef enum {
    tfmt_success = 0,
    tfmt_out_of_memory = 1,
    tfmt_invalid_arguments = 2,
    tfmt_unimplemented = 3,
    tfmt_runtime_error = 5
} tfmt_status_t;

typedef enum {
    tfmt_data_type_undef = 0,
    tfmt_f16 = 1,
    tfmt_bf16 = 2,
    tfmt_f32 = 3,
    tfmt_s32 = 4,
    tfmt_s8 = 5,
    tfmt_u8 = 6,
    tfmt_f64 = 7,
    tfmt_boolean = 8,
    tfmt_f8_e5m2 = 9,
    tfmt_f8_e4m3 = 10,
    tfmt_s4 = 11,
    tfmt_u4 = 12,
    tfmt_e8m0 = 13,
    tfmt_f4_e2m1 = 14,
    tfmt_s64 = 16
} tfmt_data_type_t;

typedef enum {
    tfmt_format_kind_undef = 0,
    tfmt_format_kind_any = 1,
    tfmt_blocked = 2
} tfmt_format_kind_t;

typedef enum {
    tfmt_format_tag_undef = 0,
    tfmt_format_tag_any = 1,
#define TFMT_TAG_ENUMERATOR(number, name) tfmt_##name = number,
    TFMT_FORMAT_TAGS(TFMT_TAG_ENUMERATOR)
#undef TFMT_TAG_ENUMERATOR
#define TFMT_TAG_ENUMERATOR(alias, name) tfmt_##alias = tfmt_##name,
            TFMT_FORMAT_TAG_ALIASES(TFMT_TAG_ENUMERATOR)
#undef TFMT_TAG_ENUMERATOR
                    tfmt_format_tag_max = 0x7fff
} tfmt_format_tag_t;

typedef enum {
    tfmt_query_undef = 0,
    tfmt_query_impl_info_str = 8,
    tfmt_query_ndims_s32 = 256,
    tfmt_query_dims = 257,
    tfmt_query_data_type = 258,
    tfmt_query_submemory_offset_s64 = 259,
    tfmt_query_padded_dims = 260,
    tfmt_query_padded_offsets = 261,
    tfmt_query_format_kind = 262,
    tfmt_query_strides = 263,
    tfmt_query_inner_nblks_s32 = 264,
    tfmt_query_inner_blks = 265,
    tfmt_query_inner_idxs = 266,
    tfmt_query_tag = 267
} tfmt_query_t;

typedef struct tfmt_memory_desc *tfmt_memory_desc_t;
typedef const struct tfmt_memory_desc *const_tfmt_memory_desc_t;
typedef struct tfmt_memory *tfmt_memory_t;
typedef const struct tfmt_memory *const_tfmt_memory_t;
typedef struct tfmt_reorder *tfmt_reorder_t;
typedef const struct tfmt_reorder *const_tfmt_reorder_t;
typedef struct tfmt_attr *tfmt_attr_t;
typedef const struct tfmt_attr *const_tfmt_attr_t;

/* The message of the calling thread's last failed call, "" if none failed. Owned by the library,
 * valid until the thread's next call. */
TFMT_API const char *tfmt_get_last_error(void);

/* ---------------------------------------------------------------- memory descriptors */

TFMT_API tfmt_status_t tfmt_memory_desc_create_with_tag(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, tfmt_format_tag_t tag);
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_strides(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const tfmt_dims_t strides);
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_string_tag(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const char *tag);
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_blocking(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const tfmt_dims_t strides,
        int inner_nblks, const tfmt_dims_t inner_blks, const tfmt_dims_t inner_idxs);
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_string(
        tfmt_memory_desc_t *md, const char *string);
TFMT_API tfmt_status_t tfmt_memory_desc_create_submemory(tfmt_memory_desc_t *md,
        const_tfmt_memory_desc_t parent, const tfmt_dims_t dims, const tfmt_dims_t offsets);
TFMT_API tfmt_status_t tfmt_memory_desc_reshape(tfmt_memory_desc_t *out,
        const_tfmt_memory_desc_t in, int ndims, const tfmt_dims_t dims);
TFMT_API tfmt_status_t tfmt_memory_desc_permute_axes(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, const int *permutation);
TFMT_API tfmt_status_t tfmt_memory_desc_with_data_type(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, tfmt_data_type_t data_type);
TFMT_API tfmt_status_t tfmt_memory_desc_unblock(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in);
TFMT_API tfmt_status_t tfmt_memory_desc_clone(tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in);
TFMT_API tfmt_status_t tfmt_memory_desc_destroy(tfmt_memory_desc_t md);
TFMT_API tfmt_status_t tfmt_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_tfmt_memory_desc_t md);
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_blob(
        tfmt_memory_desc_t *md, const uint8_t *blob, size_t size);
TFMT_API tfmt_status_t tfmt_memory_desc_query(
        const_tfmt_memory_desc_t md, tfmt_query_t what, void *result);
TFMT_API int tfmt_memory_desc_equal(const_tfmt_memory_desc_t a, const_tfmt_memory_desc_t b);
TFMT_API size_t tfmt_memory_desc_hash(const_tfmt_memory_desc_t md);
TFMT_API size_t tfmt_memory_desc_get_size(const_tfmt_memory_desc_t md);
TFMT_API size_t tfmt_data_type_size(tfmt_data_type_t data_type);
TFMT_API tfmt_status_t tfmt_memory_desc_get_offset(
        const_tfmt_memory_desc_t md, const tfmt_dims_t index, tfmt_dim_t *offset);
TFMT_API tfmt_status_t tfmt_memory_desc_get_index(
        const_tfmt_memory_desc_t md, tfmt_dim_t offset, tfmt_dims_t index, int *is_padding);
TFMT_API tfmt_status_t tfmt_memory_desc_to_string(
        const_tfmt_memory_desc_t md, char *buffer, size_t *size);

/* ---------------------------------------------------------------- memory and zero padding */

#define TFMT_MEMORY_NONE ((void *)0)
#define TFMT_MEMORY_ALLOCATE ((void *)(size_t)-1)

typedef enum { tfmt_padding_zero = 0, tfmt_padding_keep = 1 } tfmt_padding_t;

TFMT_API tfmt_status_t tfmt_memory_create(
        tfmt_memory_t *memory, const_tfmt_memory_desc_t md, void *handle);
TFMT_API tfmt_status_t tfmt_memory_get_data_handle(const_tfmt_memory_t memory, void **handle);
TFMT_API tfmt_status_t tfmt_memory_set_data_handle(tfmt_memory_t memory, void *handle);
TFMT_API tfmt_status_t tfmt_memory_set_data_handle_v2(
        tfmt_memory_t memory, void *handle, tfmt_padding_t padding);
TFMT_API tfmt_status_t tfmt_memory_get_memory_desc(
        const_tfmt_memory_t memory, const_tfmt_memory_desc_t *md);
TFMT_API tfmt_status_t tfmt_memory_destroy(tfmt_memory_t memory);
TFMT_API tfmt_status_t tfmt_zero_pad(const_tfmt_memory_desc_t md, void *data);
TFMT_API tfmt_status_t tfmt_check_padding(
        const_tfmt_memory_desc_t md, const void *data, int *is_zero);

/* ---------------------------------------------------------------- attributes */

#define TFMT_ARG_SRC 1
#define TFMT_ARG_DST 17

TFMT_API tfmt_status_t tfmt_attr_create(tfmt_attr_t *attr);
TFMT_API tfmt_status_t tfmt_attr_destroy(tfmt_attr_t attr);
TFMT_API tfmt_status_t tfmt_attr_set_scales(tfmt_attr_t attr, int arg, int mask, int group_ndims,
        const tfmt_dims_t group_dims, tfmt_data_type_t type);
TFMT_API tfmt_status_t tfmt_attr_set_zero_points(tfmt_attr_t attr, int arg, int mask,
        int group_ndims, const tfmt_dims_t group_dims, tfmt_data_type_t type);
TFMT_API tfmt_status_t tfmt_attr_append_sum(tfmt_attr_t attr, float beta);

/* ---------------------------------------------------------------- reorder */

typedef struct {
    size_t struct_size;
    const void *src_scales;
    const void *dst_scales;
    const void *src_zero_points;
    const void *dst_zero_points;
} tfmt_exec_args_t;

TFMT_API tfmt_status_t tfmt_reorder_create(tfmt_reorder_t *reorder, const_tfmt_memory_desc_t src,
        const_tfmt_memory_desc_t dst, const_tfmt_attr_t attr);
TFMT_API tfmt_status_t tfmt_reorder_execute(const_tfmt_reorder_t reorder, const void *src, void *dst,
        const tfmt_exec_args_t *args);
TFMT_API tfmt_status_t tfmt_reorder_query(
        const_tfmt_reorder_t reorder, tfmt_query_t what, void *result);
TFMT_API tfmt_status_t tfmt_reorder_explain(
        const_tfmt_reorder_t reorder, char *buffer, size_t *size);
TFMT_API tfmt_status_t tfmt_reorder_destroy(tfmt_reorder_t reorder);

/* ---------------------------------------------------------------- machine */

typedef enum {
    tfmt_cpu_isa_none = 0,
    tfmt_cpu_isa_sse41 = 1,
    tfmt_cpu_isa_avx2 = 2,
    tfmt_cpu_isa_avx512_core = 3,
    tfmt_cpu_isa_avx512_core_vbmi = 4,
    tfmt_cpu_isa_avx512_core_bf16 = 5,
    tfmt_cpu_isa_avx512_core_fp16 = 6
} tfmt_cpu_isa_t;

TFMT_API tfmt_status_t tfmt_set_max_cpu_isa(tfmt_cpu_isa_t isa);
TFMT_API tfmt_cpu_isa_t tfmt_get_effective_cpu_isa(void);
TFMT_API tfmt_status_t tfmt_set_num_threads(int n);
TFMT_API int tfmt_get_num_threads(void);
TFMT_API tfmt_status_t tfmt_set_kernel_cache_capacity(int n);

#ifdef __cplusplus
}
#endif

#endif
