/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TENSORFMT_TENSORFMT_H
#define TENSORFMT_TENSORFMT_H

/* libtensorfmt: tensor memory descriptors with format tags, and reorders between any two of them.
 * This header is the reference documentation of the C API.
 *
 * Names, argument orders and semantics follow oneDNN's (https://uxlfoundation.github.io/oneDNN/,
 * "Memory" and "Memory Format"; its specification at https://oneapi-spec.uxlfoundation.org), so
 * that code for its descriptors ports by the prefix. Differences are said where they are.
 *
 * Rules that hold for every function unless it says otherwise
 * - Units: dims, strides, offsets and block sizes count elements; sizes are bytes and say so.
 * - Arrays of dims have room for TFMT_MAX_NDIMS numbers; a function reads the first ndims of them
 *   (for blocks the first inner_nblks), so a shorter array of the caller's is enough.
 * - Status: tfmt_success (0) or why not. tfmt_invalid_arguments: an argument is null, out of range
 * or contradicts another. tfmt_unimplemented: it makes sense, but the library does not do it.
 *   tfmt_out_of_memory: an allocation failed. tfmt_runtime_error: the system refused something
 * else. Every function that allocates may return tfmt_out_of_memory; the comments do not repeat it.
 * - A call that fails leaves a message for tfmt_get_last_error() and writes nothing else: neither
 *   through its output pointers nor to its buffers.
 * - Ownership: a handle that a create function or a function with an `out` argument gives belongs
 * to the caller, who destroys it. Objects copy the descriptors and attributes they are made from,
 * which may be destroyed at once. Destroying NULL does nothing and succeeds.
 * - Threads: descriptors never change after creation, so any number of threads may use one at once.
 *   Destroying an object while another thread uses it is an error, as is changing (set_...) a
 * memory or an attribute object that another thread uses. Everything else may be called from any
 * thread at any time. After fork() a child may execute on one thread: see tfmt_set_num_threads().
 * - No function prints, aborts, exits or throws; but GCC's OpenMP ends the process where there is
 * no room for a thread that it has to start: see tfmt_reorder_execute(). */

#include <stddef.h>
#include <stdint.h>

#include "tensorfmt_tags.h"

#if defined(_WIN32)
#define TFMT_API
#else
#define TFMT_API __attribute__((visibility("default")))
#endif

/* In C++ every int is a value of the enumerations below, as it is in C: an unknown number is an
 * argument that the functions refuse, not undefined behaviour. */
#ifdef __cplusplus
#define TFMT_ENUM_BASE : int
#else
#define TFMT_ENUM_BASE
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

/* The version of the library that is running, which may be newer than that of the header above. A
 * pointer to static storage: never NULL, not to be freed. Cannot fail. */
TFMT_API const tfmt_version_t *tfmt_version(void);

/* ---------------------------------------------------------------- basic types */

/* Most dimensions of a tensor, and most inner blocks. */
#define TFMT_MAX_NDIMS 12

/* A dimension or stride that is not known when the descriptor is made, and what
 * tfmt_memory_desc_get_size() says for such a descriptor. It can be described, compared, stored,
 * printed and reordered, if the actual descriptor comes with the execution; what needs numbers
 * refuses it. */
#define TFMT_RUNTIME_DIM_VAL INT64_MIN
#define TFMT_RUNTIME_SIZE_VAL ((size_t)TFMT_RUNTIME_DIM_VAL)

typedef int64_t tfmt_dim_t;
typedef tfmt_dim_t tfmt_dims_t[TFMT_MAX_NDIMS];

/* Numbers as in dnnl_status_t. */
typedef enum TFMT_ENUM_BASE {
    tfmt_success = 0,
    tfmt_out_of_memory = 1,
    tfmt_invalid_arguments = 2,
    tfmt_unimplemented = 3,
    tfmt_runtime_error = 5
} tfmt_status_t;

/* Numbers as in dnnl_data_type_t. s4, u4 and f4_e2m1 take half a byte: element 2k is the low half
 * of byte k, element 2k + 1 the high half. boolean is a byte, 0 or 1. f16, f32 and f64 are those of
 * IEEE 754, bf16 the upper half of an f32, f8_e5m2 and f8_e4m3 those of OCP's OFP8, f4_e2m1 and
 * e8m0 (a power of two, for scales) those of its Microscaling formats. Reorders convert any type to
 * any other; doc/numerics.md has the rules. */
typedef enum TFMT_ENUM_BASE {
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

/* any: dims and type are fixed, the layout is not. Such a descriptor has no strides, offsets or
 * size and cannot be reordered. blocked: strides and inner blocks; plain layouts have no blocks. */
typedef enum TFMT_ENUM_BASE {
    tfmt_format_kind_undef = 0,
    tfmt_format_kind_any = 1,
    tfmt_blocked = 2
} tfmt_format_kind_t;

/* Names of layouts; the list is in tensorfmt_tags.h, the grammar in doc/layout.md. Letters a..l are
 * the logical dimensions, written from outermost to innermost; upper case: also blocked; then the
 * inner blocks, outermost first. tfmt_aBcd16b: dimension 1 is cut in blocks of 16, which lie
 * innermost. Aliases (tfmt_nChw16c = tfmt_aBcd16b) name what the dimensions mean. The library's
 * numbers are its own, they differ from dnnl_format_tag_t. A published number never changes. */
typedef enum TFMT_ENUM_BASE {
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

/* What the query functions can be asked; the type of the result is said there. */
typedef enum TFMT_ENUM_BASE {
    tfmt_query_undef = 0,
    tfmt_query_impl_info_str = 8,
    tfmt_query_src_md = 129,
    tfmt_query_dst_md = 133,
    tfmt_query_ndims_s32 = 256,
    tfmt_query_dims = 257,
    tfmt_query_data_type = 258,
    tfmt_query_submemory_offset_s64 = 259,
    tfmt_query_padded_dims = 260,
    tfmt_query_padded_offsets = 261,
    tfmt_query_format_kind = 262,
    tfmt_query_strides = 263,
    tfmt_query_inner_nblks_s32 = 264,
    tfmt_query_inner_nblks = tfmt_query_inner_nblks_s32, /* the name in oneDNN's guide */
    tfmt_query_inner_blks = 265,
    tfmt_query_inner_idxs = 266,
    tfmt_query_tag = 267,
    tfmt_query_compensation_flags_s32 = 268,
    tfmt_query_s8s8_compensation_mask_s32 = 269,
    tfmt_query_s8s8_compensation_offset_s64 = 270,
    tfmt_query_asymmetric_compensation_mask_s32 = 271,
    tfmt_query_asymmetric_compensation_offset_s64 = 272
} tfmt_query_t;

/* Opaque handles. The const_ forms are what functions take that only look. */
typedef struct tfmt_memory_desc *tfmt_memory_desc_t;
typedef const struct tfmt_memory_desc *const_tfmt_memory_desc_t;
typedef struct tfmt_memory *tfmt_memory_t;
typedef const struct tfmt_memory *const_tfmt_memory_t;
typedef struct tfmt_reorder *tfmt_reorder_t;
typedef const struct tfmt_reorder *const_tfmt_reorder_t;
typedef struct tfmt_attr *tfmt_attr_t;
typedef const struct tfmt_attr *const_tfmt_attr_t;

/* The message of the calling thread's last failed call: the function, which argument, what it was,
 * what was wanted; "" if no call of this thread has failed yet. A later success does not clear it.
 * At most 1023 characters, longer ones are cut. Owned by the library, valid until the thread's next
 * call of a tfmt_ function or its end. Never allocates, cannot fail. */
TFMT_API const char *tfmt_get_last_error(void);

/* ---------------------------------------------------------------- memory descriptors */

/* A descriptor says where each element of a tensor lies: dims, data type, strides, inner blocks and
 * the offset of the first element. The element of logical index i[0..ndims-1] is, in elements from
 * the base pointer, at
 *
 *     offset0 + sum over d of outer[d] * strides[d] + position within the inner blocks
 *
 * where the inner blocks cut i[d] into outer[d] and the block positions, and lie dense behind the
 * outer dimensions, the last one innermost. Example: nChw16c over 2x40x5x4 has padded_dims
 * 2x48x5x4 and strides 960x320x64x16, and (n,c,h,w) is at
 * n*960 + c/16*320 + h*64 + w*16 + c%16. Source: oneDNN, "Memory Format Propagation" and
 * "Understanding Memory Formats"; doc/layout.md works through more.
 *
 * padded_dims[d] is dims[d] rounded up to the product of d's blocks. What is between the two is
 * padding: it is in memory, holds zeros in what the library writes, and is no part of the tensor.
 *
 * What every maker refuses with tfmt_invalid_arguments: ndims outside 1..TFMT_MAX_NDIMS; a negative
 * dim other than TFMT_RUNTIME_DIM_VAL; an unknown data type; a number of elements, padding
 * included, beyond 2^63-1; a span beyond 2^63-1 bytes; strides under which elements would overlap.
 * Dims of 0 are fine: such a tensor has no elements and takes no bytes. (Of what must not exceed
 * 2^63-1 they count as one block.) */

/* Makes *md for a tensor of the given dims in the layout of a tag, without gaps (a dimension of 0
 * counts as 1 in the strides of the others). dims: ndims numbers, each 0 or more or
 * TFMT_RUNTIME_DIM_VAL; outside a runtime dimension all strides are runtime ones. With
 * tfmt_format_tag_any the descriptor has format kind any.
 * tfmt_invalid_arguments also: md or dims null; the tag names no layout or one of another ndims.
 * As dnnl_memory_desc_create_with_tag. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_tag(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, tfmt_format_tag_t tag);

/* Makes *md for a plain layout with the given strides, in elements, one a dimension. From the
 * smallest up, each stride must be at least the span of everything below it; dimensions of size 1
 * are exempt, as are strides of 0, which repeat the same elements along a dimension (fine for the
 * source of a reorder). A stride may be TFMT_RUNTIME_DIM_VAL; then, and in a tensor without
 * elements, strides are not compared. Strides of dimensions of size 1 mean nothing, that one
 * included. tfmt_invalid_arguments also: a null argument; a negative stride; overlap, as said. As
 * dnnl_memory_desc_create_with_strides, but NULL strides are refused: use a tag. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_strides(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const tfmt_dims_t strides);

/* Like create_with_tag with the tag as a zero-terminated string: any name of the enumeration
 * without "tfmt_", any other tag of the same grammar ("aBcd24b", "ABcd8b16a2b", up to 12 letters
 * and 12 blocks), tags in the letters of activations (nc, ncw, nchw, ncdhw in any order), of
 * weights
 * ([g]oi, [g]oiw, [g]oihw, [g]oidhw) and of recurrent networks (tn, tnc, ldnc, ldio, ldgo, ldigo),
 * with blocks as in "gOIw4i16o4i"; the frameworks' upper-case names of activations ("NCHW", "NHWC",
 * "NCHW32" = nChw32c, "CHWN4" = Bcda4b); and "any".
 * tfmt_invalid_arguments also: a null argument; a tag outside the grammar (the message names the
 * character and its position); a tag of another ndims. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_string_tag(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const char *tag);

/* Makes *md from strides and inner blocks together: what tags cannot say. strides[d], in elements,
 * is the distance between neighbouring outer blocks of dimension d; NULL: dense, dimension 0
 * outermost. inner_blks[i] (1 or more) is the size of block i, inner_idxs[i] (0..ndims-1) its
 * dimension, block 0 outermost; both may be NULL if inner_nblks is 0. Blocks of 1 change nothing
 * and are dropped, so queries may tell fewer blocks than were given. The rule on strides is that of
 * create_with_strides, where the lowest stride must be at least the product of the blocks.
 * tfmt_invalid_arguments also: md or dims null, inner_blks or inner_idxs null with inner_nblks
 * above 0; inner_nblks outside 0..TFMT_MAX_NDIMS; a block below 1 or of no dimension; a product of
 * blocks beyond 64 bits. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_blocking(tfmt_memory_desc_t *md, int ndims,
        const tfmt_dims_t dims, tfmt_data_type_t data_type, const tfmt_dims_t strides,
        int inner_nblks, const tfmt_dims_t inner_blks, const tfmt_dims_t inner_idxs);

/* Makes *md from what tfmt_memory_desc_to_string() gives, or anything else of its grammar:
 * type ":" tag ":" dims [":s" strides] [":o" offset0] [":c" mask] [":z" mask], numbers of a list
 * with "x" between them, "*" for a runtime one; ":c" is s8s8, ":z" asymmetric_src compensation.
 * Examples: "f32:aBcd16b:2x40x5x4", "u8:ab:4x6:s16x1:o34", "s8:any:3x3". The tag
 * is one of create_with_string_tag; where strides are given, its letters must come in their order.
 * tfmt_invalid_arguments also: a null argument; a string outside the grammar (the message names the
 * position). */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_string(
        tfmt_memory_desc_t *md, const char *string);

/* Makes *md for the part of `parent` that begins at `offsets` and has the given dims (ndims of the
 * parent each). It uses the parent's base pointer: its offset0 says where it begins. In a blocked
 * dimension offsets must be multiples of the product of the blocks, and so must dims, except where
 * the part reaches the parent's end; then the part has the parent's padding. tfmt_invalid_arguments
 * also: a null argument; a part that reaches beyond the parent's dims; one that cuts a block
 * (oneDNN: unimplemented); a parent of format kind any. tfmt_unimplemented: a parent with runtime
 * dims or strides. As dnnl_memory_desc_create_submemory, but a part inside one block, which oneDNN
 * accepts with padded_dims below the block, is refused. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_submemory(tfmt_memory_desc_t *md,
        const_tfmt_memory_desc_t parent, const tfmt_dims_t dims, const tfmt_dims_t offsets);

/* Makes *out for the same elements in the same logical order with other dims, whose product must be
 * the same: dimensions of 1 come and go, dimensions are split, and neighbours that are dense are
 * joined, as far as strides and blocks can say it. A padded dimension stays as it is. An `in`
 * without elements gives a dense plain layout unless the dims are the same, one of format kind any
 * stays that.
 * tfmt_invalid_arguments also: a null argument; another product; a runtime dim; a layout in which
 * the new dims cannot be expressed (the message names the dimension). tfmt_unimplemented: `in` has
 * runtime dims or strides. As dnnl_memory_desc_reshape; combinations of splitting and joining are
 * found that it refuses. */
TFMT_API tfmt_status_t tfmt_memory_desc_reshape(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, int ndims, const tfmt_dims_t dims);

/* Makes *out for the same bytes with the dimensions in another logical order: dimension d of `in`
 * is dimension permutation[d] of *out. permutation: ndims numbers, each of 0..ndims-1 once.
 * Example: abcd over 2x3x4x5 with {0,3,1,2} becomes adbc over 2x4x5x3.
 * tfmt_invalid_arguments: a null argument; no permutation. As dnnl_memory_desc_permute_axes;
 * runtime dims are accepted. */
TFMT_API tfmt_status_t tfmt_memory_desc_permute_axes(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, const int *permutation);

/* Makes *out, `in` with another data type: same dims, strides and offset0, all of which count
 * elements. tfmt_invalid_arguments: a null argument; an unknown type; a span beyond 2^63-1 bytes.
 */
TFMT_API tfmt_status_t tfmt_memory_desc_with_data_type(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in, tfmt_data_type_t data_type);

/* Makes *out, a plain strided view of the same bytes in which each inner block is a dimension of
 * its own: dimension d < ndims counts the outer blocks (padded_dims[d] over d's blocks), dimension
 * ndims + i the positions in inner block i. Padding is seen as elements like others.
 * Example: aBcd16b 2x40x5x4 becomes 2x3x5x4x16 with strides 960x320x64x16x1. A plain `in` stays
 * as it is. tfmt_invalid_arguments: a null argument; more than 12 dimensions in the result; format
 * kind any. tfmt_unimplemented: runtime dims or strides. */
TFMT_API tfmt_status_t tfmt_memory_desc_unblock(
        tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in);

/* Sums that lie behind the elements of an s8 tensor, weights as a rule: what must be added to the
 * s32 results of a convolution or matrix product if its s8 activations are moved by 128 to u8
 * (s8s8), or for each unit of their zero point (asymmetric_src). Any combination by "or". What they
 * are to oneDNN: the flags compensation_conv_s8s8 and compensation_conv_asymmetric_src of its
 * descriptors (in which the second is 8). */
typedef enum TFMT_ENUM_BASE {
    tfmt_compensation_none = 0,
    tfmt_compensation_s8s8 = 1,
    tfmt_compensation_asymmetric_src = 2
} tfmt_compensation_flags_t;

/* Makes *md, `base` with compensation behind its elements (in place of what base has; flags 0:
 * without any). Behind the bytes of `base`, padding included and rounded up to a multiple of 4,
 * comes for each flag an array of int32_t, s8s8 first. Its entries are the sums of the elements
 * over all dimensions whose bit is not set in its mask, times -128 (s8s8) or -1 (asymmetric_src):
 * one entry for each index of the dimensions in the mask, dense and row-major in their logical
 * order, over padded_dims; entries of padding are 0. A mask of 0 gives one entry. Sums are of the
 * s8 elements as stored, modulo 2^32, as s32 accumulators have it: exact up to 131072 elements an
 * entry (asymmetric_src: 2^24) whatever their values.
 *
 * Example: OIhw4i16o4i over 20x3x3x3 with both flags and masks of 1 has elements in bytes 0..4607
 * (32x16x3x3 with padding), 32 s8s8 entries from byte 4608 and 32 asymmetric_src entries from 4736;
 * its size is 4864.
 *
 * A reorder to such a descriptor writes the arrays; a reorder from one, zero padding and memory
 * objects leave them alone. tfmt_memory_desc_get_size() counts them; equality, hash, blob and
 * string tell them. Clones have them, permute_axes where the dimensions of a mask keep their order,
 * with_data_type to s8, reshape to the same dims; all else that is made from a descriptor with
 * compensation is tfmt_unimplemented.
 *
 * Masks: usually the output channels, 1 for oihw and 3 for goihw, or 2 for k x n weights of a
 * matrix product; bits below ndims. tfmt_invalid_arguments: md or base null; another flag; a mask
 * with other bits, or not 0 without its flag; with a flag, base of another type than s8 or of
 * format kind any; a size beyond 2^63-1 bytes. tfmt_unimplemented: base with runtime dims or
 * strides. Source: dnnl_memory_extra_desc and the size of such descriptors in oneDNN, which without
 * VNNI also halves the weights (scale_adjust); that is not done here. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_compensation(tfmt_memory_desc_t *md,
        const_tfmt_memory_desc_t base, int flags, int s8s8_mask, int asymmetric_mask);

/* Makes *out, an exact copy. tfmt_invalid_arguments: a null argument. */
TFMT_API tfmt_status_t tfmt_memory_desc_clone(tfmt_memory_desc_t *out, const_tfmt_memory_desc_t in);

/* Frees a descriptor, and with it the arrays that queries pointed at. Always succeeds. */
TFMT_API tfmt_status_t tfmt_memory_desc_destroy(tfmt_memory_desc_t md);

/* Writes the descriptor as bytes that create_with_blob() reads on any machine and in any later
 * version of the library. blob NULL: *size receives the number of bytes needed. Otherwise *size is
 * the room in blob, and on success receives the number of bytes written; that depends on md, at
 * most 424. tfmt_invalid_arguments: size or md null; too little room. */
TFMT_API tfmt_status_t tfmt_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_tfmt_memory_desc_t md);

/* Makes *md from exactly the bytes that get_blob() wrote; `size` is their number. Everything in the
 * blob is checked as if an attacker had written it, magic, version, size, checksum and each field.
 * tfmt_invalid_arguments: a null argument; any byte that is not as written. */
TFMT_API tfmt_status_t tfmt_memory_desc_create_with_blob(
        tfmt_memory_desc_t *md, const uint8_t *blob, size_t size);

/* Tells a property of md. `result` points at a variable of the type that belongs to `what`:
 *
 *   tfmt_query_ndims_s32             int32_t
 *   tfmt_query_dims                  const tfmt_dim_t *     ndims numbers
 *   tfmt_query_data_type             tfmt_data_type_t
 *   tfmt_query_submemory_offset_s64  tfmt_dim_t             offset0, in elements
 *   tfmt_query_padded_dims           const tfmt_dim_t *     ndims numbers
 *   tfmt_query_padded_offsets        const tfmt_dim_t *     ndims zeros
 *   tfmt_query_format_kind           tfmt_format_kind_t
 *   tfmt_query_strides               const tfmt_dim_t *     ndims numbers; blocked only
 *   tfmt_query_inner_nblks_s32       int32_t                blocked only
 *   tfmt_query_inner_blks            const tfmt_dim_t *     inner_nblks numbers; blocked only
 *   tfmt_query_inner_idxs            const tfmt_dim_t *     inner_nblks numbers; blocked only
 *   tfmt_query_tag                   tfmt_format_tag_t      the first enumerator that makes a
 * descriptor of these dims that is equal but for compensation; undef if none does (gaps, an offset,
 * blocks that are no tag's); any for format kind any
 *   tfmt_query_compensation_flags_s32              int32_t     of tfmt_compensation_flags_t
 *   tfmt_query_s8s8_compensation_mask_s32          int32_t     0 also without it
 *   tfmt_query_s8s8_compensation_offset_s64        tfmt_dim_t  of the array, in bytes
 *   tfmt_query_asymmetric_compensation_mask_s32    int32_t     0 also without it
 *   tfmt_query_asymmetric_compensation_offset_s64  tfmt_dim_t  of the array, in bytes
 *
 * Arrays belong to the descriptor and live as long as it; numbers behind the last one are 0.
 * tfmt_invalid_arguments: a null argument; another `what`; strides or blocks of format kind any;
 * the offset of an array that is not there, as in a tensor without elements.
 * As dnnl_memory_desc_query; the tag and compensation are this library's additions. */
TFMT_API tfmt_status_t tfmt_memory_desc_query(
        const_tfmt_memory_desc_t md, tfmt_query_t what, void *result);

/* 1 if both describe the same layout of the same tensor, else 0. Strides of dimensions with one
 * outer block (size 1, or no larger than the block) are not compared, since nothing depends on
 * them. NULL is equal to NULL only. Cannot fail. As dnnl_memory_desc_equal. */
TFMT_API int tfmt_memory_desc_equal(const_tfmt_memory_desc_t a, const_tfmt_memory_desc_t b);

/* A hash: equal descriptors have equal ones. Not the same in every version or on every machine, so
 * nothing to be stored. 0 for NULL. Cannot fail. */
TFMT_API size_t tfmt_memory_desc_hash(const_tfmt_memory_desc_t md);

/* Bytes from the base pointer to the end of the last element, offset0, gaps and padding included,
 * or of the compensation behind it: what a buffer must have. 4-bit types: two elements a byte,
 * rounded up. 0 for NULL, a tensor without elements and format kind any; TFMT_RUNTIME_SIZE_VAL with
 * runtime dims or strides. Cannot fail. As dnnl_memory_desc_get_size, which however says 0 where
 * offset0 is not 0, and counts the gap behind the last row of a strided tensor. */
TFMT_API size_t tfmt_memory_desc_get_size(const_tfmt_memory_desc_t md);

/* Bytes of one element; 1 for the 4-bit types too, as in oneDNN; 0 for undef and unknown types.
 * Cannot fail. As dnnl_data_type_size. */
TFMT_API size_t tfmt_data_type_size(tfmt_data_type_t data_type);

/* *offset receives where the element of the logical index lies, in elements from the base pointer.
 * index: ndims numbers, each 0 or more and below padded_dims (so padding has an offset too).
 * tfmt_invalid_arguments: a null argument; an index out of range; format kind any; runtime dims or
 * strides. */
TFMT_API tfmt_status_t tfmt_memory_desc_get_offset(
        const_tfmt_memory_desc_t md, const tfmt_dims_t index, tfmt_dim_t *offset);

/* The inverse: index[0..ndims-1] receives the logical index of the element at `offset` (in elements
 * from the base pointer), *is_padding whether it is padding (1) or one of dims (0); is_padding may
 * be NULL. Where strides of 0 let several indices share the element, the lowest is told.
 * tfmt_invalid_arguments: md or index null; an offset before the first or behind the last element
 * or in a gap between elements; format kind any; runtime dims or strides. */
TFMT_API tfmt_status_t tfmt_memory_desc_get_index(
        const_tfmt_memory_desc_t md, tfmt_dim_t offset, tfmt_dims_t index, int *is_padding);

/* Writes md as a zero-terminated string, such as "f32:aBcd16b:2x40x5x4"; the grammar is that of
 * tfmt_memory_desc_create_with_string(), which makes an equal descriptor of it. Strides appear
 * where the tensor is not dense, offset0 where it is not 0, compensation where there is some.
 * Equal descriptors give equal strings.
 * buffer NULL: *size receives the number of bytes needed, the terminator included. Otherwise *size
 * is the room in buffer and on success receives the bytes written. tfmt_invalid_arguments: md or
 * size null; too little room. */
TFMT_API tfmt_status_t tfmt_memory_desc_to_string(
        const_tfmt_memory_desc_t md, char *buffer, size_t *size);

/* The names that oneDNN's memory-format guide uses, from before its version 3. */
#define tfmt_memory_desc_init_by_tag tfmt_memory_desc_create_with_tag
#define tfmt_memory_desc_init_by_strides tfmt_memory_desc_create_with_strides

/* ---------------------------------------------------------------- memory and zero padding */

/* A memory object is a descriptor and a buffer (its "data handle"), which is the user's or the
 * library's. Source of the semantics: oneDNN's memory object, without engines. */

/* What to pass as a handle: no buffer yet; or, when creating, one of the library's. */
#define TFMT_MEMORY_NONE ((void *)0)
#define TFMT_MEMORY_ALLOCATE ((void *)(size_t)-1)

/* Whether setting a buffer writes zeros to its padding, or the caller vouches for what is there. */
typedef enum TFMT_ENUM_BASE { tfmt_padding_zero = 0, tfmt_padding_keep = 1 } tfmt_padding_t;

/* Makes *memory for md. handle: TFMT_MEMORY_ALLOCATE, a buffer of tfmt_memory_desc_get_size() bytes
 * aligned to 64 that lives until the object is destroyed, content unspecified except for the
 * padding, which is zero; TFMT_MEMORY_NONE; or the base pointer of a buffer of the caller's with at
 * least that many bytes, which must outlive its use here. Its padding is zeroed, nothing else of it
 * is written. tfmt_invalid_arguments: memory or md null; format kind any; a buffer for md whose
 * padding tfmt_zero_pad() refuses to write; an environment variable of the library holds what it
 * does not understand. tfmt_unimplemented: runtime dims or strides. */
TFMT_API tfmt_status_t tfmt_memory_create(
        tfmt_memory_t *memory, const_tfmt_memory_desc_t md, void *handle);

/* *handle receives the base pointer of the buffer, NULL if there is none (or nothing to hold).
 * tfmt_invalid_arguments: a null argument. */
TFMT_API tfmt_status_t tfmt_memory_get_data_handle(const_tfmt_memory_t memory, void **handle);

/* Replaces the buffer by one of the caller's, or by none, and zeroes its padding (touching nothing
 * else; the time goes with the padding's size). A buffer of the library's stays allocated until the
 * object is destroyed. handle: as for tfmt_memory_create, but not TFMT_MEMORY_ALLOCATE.
 * tfmt_invalid_arguments: memory null; handle TFMT_MEMORY_ALLOCATE; padding that tfmt_zero_pad()
 * refuses to write, or an environment variable for which it does. */
TFMT_API tfmt_status_t tfmt_memory_set_data_handle(tfmt_memory_t memory, void *handle);

/* The same with a choice: tfmt_padding_zero, or tfmt_padding_keep, which writes nothing.
 * tfmt_invalid_arguments also: another padding. */
TFMT_API tfmt_status_t tfmt_memory_set_data_handle_v2(
        tfmt_memory_t memory, void *handle, tfmt_padding_t padding);

/* *md receives the object's descriptor, owned by it and valid until it is destroyed; not to be
 * destroyed by the caller. tfmt_invalid_arguments: a null argument. */
TFMT_API tfmt_status_t tfmt_memory_get_memory_desc(
        const_tfmt_memory_t memory, const_tfmt_memory_desc_t *md);

/* Frees the object, and the buffer that the library allocated for it, if any. Always succeeds. */
TFMT_API tfmt_status_t tfmt_memory_destroy(tfmt_memory_t memory);

/* Writes zeros to the padding of a tensor: every element whose index is within padded_dims but not
 * within dims. Reads and writes nothing else. data: base pointer of tfmt_memory_desc_get_size()
 * bytes; may be NULL if there is no padding. Several threads may do this at once on different data.
 * tfmt_invalid_arguments: md null, or data null with padding; format kind any; padding of a blocked
 * dimension of stride 0, which lies where elements of its other blocks do; an environment variable
 * of the library holds what it does not understand. tfmt_unimplemented: runtime dims or strides. */
TFMT_API tfmt_status_t tfmt_zero_pad(const_tfmt_memory_desc_t md, void *data);

/* *is_zero receives 1 if every element of the padding has only zero bits, or there is none, else 0.
 * Reads the padding only. Statuses as for tfmt_zero_pad, but no environment variable counts; also
 * tfmt_invalid_arguments: is_zero null. */
TFMT_API tfmt_status_t tfmt_check_padding(
        const_tfmt_memory_desc_t md, const void *data, int *is_zero);

/* ---------------------------------------------------------------- attributes */

/* What a reorder does beside moving and converting: scales, zero points and a sum. With all of them
 *
 *     dst = ((src - src_zero_point) * src_scale + beta * dst) / dst_scale + dst_zero_point
 *
 * for each element, in f32, or in f64 where src or dst is f64, s32 or s64. Each operation is
 * rounded to the nearest, ties to even, in this order; steps that are not asked for are left out;
 * the result is converted to dst's type as without attributes. Any pair of types may have them, the
 * same type twice too, whose elements are then computed and not moved as bits. Padding of dst is
 * zero whatever they are. Source of the semantics: dnnl_primitive_attr_set_scales,
 * dnnl_primitive_attr_set_zero_points and the sum post-op of oneDNN's reorder; doc/numerics.md has
 * the differences. */

/* The argument that a scale or zero point belongs to. Numbers as DNNL_ARG_SRC and DNNL_ARG_DST. */
#define TFMT_ARG_SRC 1
#define TFMT_ARG_DST 17
/* The names that reorder code for oneDNN uses. */
#define TFMT_ARG_FROM TFMT_ARG_SRC
#define TFMT_ARG_TO TFMT_ARG_DST

/* Combined with one of them, the values in the argument map of the C++ interface:
 * TFMT_ARG_ATTR_SCALES | TFMT_ARG_SRC. Numbers as DNNL_ARG_ATTR_... */
#define TFMT_ARG_ATTR_SCALES 4096
#define TFMT_ARG_ATTR_ZERO_POINTS 8192

/* Makes *attr, which asks for nothing: a reorder with it is one without. tfmt_invalid_arguments:
 * attr null. */
TFMT_API tfmt_status_t tfmt_attr_create(tfmt_attr_t *attr);

/* Frees the object. Reorders made with it are not affected. Always succeeds. */
TFMT_API tfmt_status_t tfmt_attr_destroy(tfmt_attr_t attr);

/* Asks for scales of `arg` (TFMT_ARG_SRC or TFMT_ARG_DST), whose values come at execution: a source
 * scale multiplies, a destination scale divides. mask: bit d set where the values differ along
 * dimension d; 0: one value for all. group_ndims and group_dims: of the last group_ndims dimensions
 * of the mask, in their order, group_dims[k] neighbouring indices share a value; 0 and NULL for
 * none; each size 1 or more. type: f32, bf16, f16 or e8m0, of the values. A second call for the
 * same arg replaces the first. tfmt_invalid_arguments: attr null; another arg; mask negative or
 * beyond bit 11; group_ndims outside 0..TFMT_MAX_NDIMS, group_dims null with groups or a size below
 * 1; another type. Whether mask and groups go with the dims is checked by tfmt_reorder_create().
 *
 * Example: weights of 64x256 with mask 3 and groups {1, 32} have 64x8 values, that of element
 * (5, 70) is number 5 * 8 + 70 / 32 = 42. */
TFMT_API tfmt_status_t tfmt_attr_set_scales(tfmt_attr_t attr, int arg, int mask, int group_ndims,
        const tfmt_dims_t group_dims, tfmt_data_type_t type);

/* Asks for zero points of `arg`: as tfmt_attr_set_scales(), with type s32, s8, u8, s4 or u4. A
 * source zero point is subtracted, a destination zero point added. Where f32 is computed in, an s32
 * beyond 2^24 is rounded to it first. */
TFMT_API tfmt_status_t tfmt_attr_set_zero_points(tfmt_attr_t attr, int arg, int mask,
        int group_ndims, const tfmt_dims_t group_dims, tfmt_data_type_t type);

/* Asks for beta times what dst held before to be added, before dst's scale and zero point. The old
 * value is read in dst's type, without its scale and zero point. With a beta of 0 nothing is added
 * and dst not read. tfmt_invalid_arguments: attr null; it has a sum. */
TFMT_API tfmt_status_t tfmt_attr_append_sum(tfmt_attr_t attr, float beta);

/* Asks for compensation behind the destination, an s8 tensor: the reorder's destination is then
 * `dst` with it, as tfmt_memory_desc_create_with_compensation() makes it of dst, flags and masks;
 * tfmt_reorder_query(tfmt_query_dst_md) gives that descriptor, whose size the buffer must have.
 * The sums are of what is written, after scales, zero points and the sum. flags 0: asks for none.
 * A second call replaces the first. tfmt_invalid_arguments: attr null; another flag; a mask
 * negative or beyond bit 11, or not 0 without its flag. What depends on the descriptor is refused
 * when the reorder is created. oneDNN has it in the destination's descriptor alone. */
TFMT_API tfmt_status_t tfmt_attr_set_compensation(
        tfmt_attr_t attr, int flags, int s8s8_mask, int asymmetric_mask);

/* ---------------------------------------------------------------- reorder */

/* A reorder is the prepared move of a tensor from one layout and type to another: for each logical
 * index, dst[index] = src[index], converted if the types differ; equal types move bits. Converting:
 * integers to integers exactly, all else in f32, or in f64 where f64, s32 or s64 take part; rounded
 * once, to nearest, ties to even; integers, f8 and f4 saturate, NaN becomes 0 in integers. The bits
 * are the same on every instruction set and for every number of threads. Padding of the source is
 * never read into the result; padding of the destination is written with zeros; gaps between the
 * destination's strides are not touched. Of the source, what lies between two elements less than
 * 4096 bytes apart may be read along with them, and is dropped. Attributes add arithmetic between
 * reading and converting, see above. Source: oneDNN's reorder primitive; doc/numerics.md has the
 * rules and differences. */

/* Threads of the caller's, to execute on instead of OpenMP's: its number of threads and its loop.
 * The structure, what `context` points at and the pool itself must last until the execution that
 * was given them returns. Both functions may be called on any thread that executes a reorder, on
 * several at once if several do, and must not throw or leave by longjmp.
 *
 * struct_size      sizeof(tfmt_threadpool_t) as the caller knows it, so that it can grow.
 * context          handed to both functions, never looked at; may be NULL.
 * get_num_threads  how many threads can work for this caller now, 1 or more; 1 is an answer where
 *                  parallel_for cannot be used at the moment, as inside a task of a pool that does
 *                  not nest. Called at least once by every execution, small ones too.
 * parallel_for     calls task(task_context, i) once for each i of 0..n_tasks-1 and returns when
 *                  all of them have returned, with their writes visible to the calling thread.
 *                  n_tasks is 2 or more and at most what get_num_threads said. Tasks may run in
 *                  any order, at once or one after the other, on any threads, the calling one
 *                  included: they divide the work while they run, so that those which begin early
 *                  do more of it and no task ever waits for another. They do not block, throw or
 *                  call the pool. Not called where the work is not worth two threads.
 *
 * It helps if task i runs on the same thread each time: then it mostly writes the same part of a
 * destination, whose pages lie near the thread that wrote them first. */
typedef struct {
    size_t struct_size;
    void *context;
    int (*get_num_threads)(void *context);
    void (*parallel_for)(void *context, int n_tasks, void (*task)(void *task_context, int i),
            void *task_context);
} tfmt_threadpool_t;

/* What comes at execution: values for the attributes, and threads. struct_size is
 * sizeof(tfmt_exec_args_t) as the caller knows it, so that the structure can grow; a caller who was
 * compiled before a member was there has it as NULL. The arrays are dense and hold one value for
 * each group, in row-major order of the masked dimensions, of which d has dims[d] / group entries;
 * 4-bit values lie two to a byte, the one of the even number in the low half. They have the
 * alignment that their bytes happen to have, are read only, must not overlap dst and may be given
 * up when the execution returns. Pointers of attributes not asked for are ignored. threadpool:
 * NULL, or threads to execute on instead of OpenMP's, at most as many as tfmt_set_num_threads() or
 * TENSORFMT_NUM_THREADS say; their default does not count. src_md and dst_md: the descriptors of
 * this execution's src and dst, for a reorder whose own have runtime dims, strides or offset; NULL
 * where its own is complete. They are read during the call only. */
typedef struct {
    size_t struct_size;
    const void *src_scales;
    const void *dst_scales;
    const void *src_zero_points;
    const void *dst_zero_points;
    const tfmt_threadpool_t *threadpool;
    const_tfmt_memory_desc_t src_md;
    const_tfmt_memory_desc_t dst_md;
} tfmt_exec_args_t;

/* Makes *reorder from descriptors of the same dims. attr: NULL or an attribute object. Finds or
 * generates the code for it; the first reorder of a kind takes tens of microseconds and some 85 KiB
 * of stack, later ones find it in a cache. Threads may do this at once. tfmt_invalid_arguments:
 * reorder, src or dst null; different ndims or dims; format kind any; a dst with a stride of 0
 * along a dimension of more than one outer block; in attr a mask with bits beyond ndims, more
 * groups than dimensions in the mask, a group that does not divide its dimension, or compensation
 * with a dst of another type than s8 or of other compensation; an environment variable of the
 * library holds what it does not understand.
 *
 * Either descriptor may have runtime dims, strides or offset (TFMT_RUNTIME_DIM_VAL), and dims need
 * agree only where both are known. Such a reorder serves every shape: each execution is given the
 * actual descriptors, which must be the reorder's own with numbers in place of the runtime values,
 * ndims, data type, blocks and known numbers included; strides that are runtime ones may become
 * any. Code is found or generated when a shape is met first, for the instruction sets allowed then,
 * and masks and groups of attr are taken against its dims. Making such a reorder generates nothing.
 */
TFMT_API tfmt_status_t tfmt_reorder_create(tfmt_reorder_t *reorder, const_tfmt_memory_desc_t src,
        const_tfmt_memory_desc_t dst, const_tfmt_attr_t attr);

/* The same, but the plan is not chosen by rules alone: those that come into question are executed
 * several times, from src_data to dst_data, and the fastest one is kept, by this reorder and by the
 * cache, where later creations of an equal one find it. (As FFTW's measured plans, and HPTT's.) For
 * callers who execute a reorder very often, or on processors that the rules were not measured on:
 * on others most reorders gain nothing, few more than a tenth, single ones a third. Takes some
 * milliseconds, or about a hundred executions where these take longer; tfmt_reorder_query() names
 * the plan. The clock decides, so another run may choose another plan; the bytes that a reorder
 * writes do not depend on it.
 *
 * src_data, dst_data and args: as for tfmt_reorder_execute(), best those that executions will have,
 * or like them in alignment and pages. dst_data holds afterwards what executions leave there: with
 * a sum in attr, several. Threads may do this at once, but measure each other then. What executes
 * already goes on with its own plan.
 *
 * tfmt_unimplemented: a descriptor with runtime dims, strides or offset. A reorder with these finds
 * the measured plan of a shape in the cache if it meets it after that. tfmt_invalid_arguments: what
 * tfmt_reorder_create() or tfmt_reorder_execute() refuses, and any overlap of src_data and
 * dst_data. tfmt_out_of_memory: as both. In each of these cases *reorder is left as it was. */
TFMT_API tfmt_status_t tfmt_reorder_create_measured(tfmt_reorder_t *reorder,
        const_tfmt_memory_desc_t src, const_tfmt_memory_desc_t dst, const_tfmt_attr_t attr,
        const void *src_data, void *dst_data, const tfmt_exec_args_t *args);

/* Moves. src and dst are base pointers of tfmt_memory_desc_get_size() bytes of their descriptors,
 * with any alignment. They may be the same where both descriptors are equal, type included,
 * compensation aside (then without attributes only padding and compensation are written); any other
 * overlap is refused. args: NULL, or values for the attributes and threads. A tensor without
 * elements touches neither buffer. Any number of threads may execute one reorder at once on
 * different destinations. The bytes written do not depend on threads.
 *
 * Memory: scales and zero points are decoded to f32 or f64 first, on the stack if that takes no
 * more than some 3.5 KiB, else in memory that the library allocates; destination scales may count
 * twice. Each of them that has several values takes one for each combination of the groups of all
 * of them: scales for each row and zero points for each column of 1000 x 1000 take a million each,
 * 8 MB. One or two blocks of it are kept for the next execution, until neither the cache nor a
 * reorder has the code; executions that run at the same time allocate their own. Nothing else is
 * allocated, but for what comes once and for new shapes of runtime dims (below). Once for each
 * reorder and place in a line of 64 bytes: the first execution beyond the caches to a destination
 * that begins there, as malloc's large blocks do, 16 bytes behind one, may take the time, the stack
 * and the allocations of the creation of a reorder (without room for these it is only slower), for
 * at most three places. Once in a process: the first execution that threads might share, of 1 MiB
 * and more of lines of source and destination, reads the machine's topology, in 2 to 11 ms and some
 * 450 allocations. tfmt_get_num_threads() reads it beforehand, unless a number was set; then, and
 * on a caller's pool, the first destination of 16 MiB and more does. Once on each thread that
 * shares its executions: OpenMP starts threads for it.
 * (GCC's prints and exits if it cannot; on one thread, see tfmt_set_num_threads(), or a caller's
 * pool nothing is started.) Stack: tensors beyond the caches, or of rows a large power of two
 * apart, take up to 162 KiB on each thread that works on them, most of them up to 66; the calling
 * one takes up to 14 KiB more for attributes and for sharing.
 *
 * tfmt_out_of_memory: no room for decoded values; nothing was written. tfmt_invalid_arguments:
 * reorder null; src or dst null with elements to move, or values that attr asks for; an overlap; a
 * struct_size that no version of the structure has; a thread pool without one of its functions, or
 * one that says less than 1 thread; an args->src_md or args->dst_md that does not agree with the
 * descriptor the reorder was created with.
 *
 * With runtime dims, also: args or a descriptor in it null where the reorder needs one; what
 * tfmt_reorder_create() refuses of the actual descriptors. The first execution of a shape takes the
 * time, the stack and the allocations of the creation of a reorder. Shapes met again take some tens
 * of nanoseconds more than a reorder made for them; beyond the first 8 of a reorder they are looked
 * up in the library's cache, under a lock that lookups share, and stay there as long as it has
 * room. */
TFMT_API tfmt_status_t tfmt_reorder_execute(
        const_tfmt_reorder_t reorder, const void *src, void *dst, const tfmt_exec_args_t *args);

/* Tells a property. tfmt_query_impl_info_str, a const char *: the path that runs, such as
 * "jit:avx512_core" or "ref:...", and why not a faster one; a string owned by the reorder. With
 * runtime dims it is that of a shape executed lately, or "runtime dims: ..." before the first.
 * tfmt_query_src_md and tfmt_query_dst_md, a const_tfmt_memory_desc_t: the descriptors of source
 * and destination, the latter with the compensation that the attributes ask for unless it has
 * runtime values; owned by the reorder. tfmt_invalid_arguments: a null argument; another `what`. */
TFMT_API tfmt_status_t tfmt_reorder_query(
        const_tfmt_reorder_t reorder, tfmt_query_t what, void *result);

/* Writes a zero-terminated text for people: the problem as axes, the plan, the kernel. Its form may
 * change with any version. buffer and size as for tfmt_memory_desc_to_string().
 * tfmt_invalid_arguments: reorder or size null; too little room. */
TFMT_API tfmt_status_t tfmt_reorder_explain(
        const_tfmt_reorder_t reorder, char *buffer, size_t *size);

/* Frees the object; its code stays in the cache as long as there is room. Always succeeds. */
TFMT_API tfmt_status_t tfmt_reorder_destroy(tfmt_reorder_t reorder);

/* ---------------------------------------------------------------- machine */

/* Settings for the whole process. They hold for what begins after the call. The environment
 * variables are read once, on first use; a value that is not understood makes every creation of a
 * reorder fail with a message that names it, until a call has replaced it. */

/* Instruction sets that code is generated for, each including the ones before; none: portable code
 * only. avx2 is AVX2 with FMA, F16C and BMI2, avx512_core is F, BW, DQ and VL. */
typedef enum TFMT_ENUM_BASE {
    tfmt_cpu_isa_none = 0,
    tfmt_cpu_isa_sse41 = 1,
    tfmt_cpu_isa_avx2 = 2,
    tfmt_cpu_isa_avx512_core = 3,
    tfmt_cpu_isa_avx512_core_vbmi = 4,
    tfmt_cpu_isa_avx512_core_bf16 = 5,
    tfmt_cpu_isa_avx512_core_fp16 = 6
} tfmt_cpu_isa_t;

/* Uses no instruction set above `isa` in reorders made from now on; existing ones keep their code.
 * Also TENSORFMT_MAX_CPU_ISA (none, sse41, avx2, avx512_core, ...), which a call replaces. An isa
 * above what the processor has is no cap. tfmt_invalid_arguments: no enumerator of the type. As
 * dnnl_set_max_cpu_isa, but it may be called at any time. */
TFMT_API tfmt_status_t tfmt_set_max_cpu_isa(tfmt_cpu_isa_t isa);

/* The highest instruction set that processor, operating system and cap allow; none in a build
 * without generated code. Cannot fail. */
TFMT_API tfmt_cpu_isa_t tfmt_get_effective_cpu_isa(void);

/* Number of threads that one execution may use, 1..4096; small tensors use fewer, and so does what
 * follows an execution whose threads were kept from running by others' work. 0: back to the
 * default, TENSORFMT_NUM_THREADS or else the smaller of OpenMP's number and the cores the process
 * may use. tfmt_invalid_arguments: any other number. In a build without OpenMP it only caps the
 * thread pools of callers.
 *
 * fork(): OpenMP's threads do not live on in a child, and GCC's OpenMP would wait for them there.
 * So a child whose parent has shared an execution with them executes on one thread, whatever number
 * is set, unless it is given a pool that it has started itself. */
TFMT_API tfmt_status_t tfmt_set_num_threads(int n);

/* The number in force without a thread pool; always 1 in a build without OpenMP. The first call
 * reads the machine's topology where the default depends on it: see tfmt_reorder_execute(). Cannot
 * fail. */
TFMT_API int tfmt_get_num_threads(void);

/* How many prepared reorders the cache keeps, and as many kernels of machine code, which reorders
 * of other shapes may share; 0: none. The least recently used go first, those in use live on. Also
 * TENSORFMT_KERNEL_CACHE_CAPACITY; by default 1024. tfmt_invalid_arguments: n negative or above
 * 1048576. */
TFMT_API tfmt_status_t tfmt_set_kernel_cache_capacity(int n);

#ifdef __cplusplus
}
#endif

#endif
