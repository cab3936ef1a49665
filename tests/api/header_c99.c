/* SPDX-License-Identifier: Apache-2.0
 *
 * The public header compiles alone in C99, and C sees the numbers and sizes that C++ sees. */
#include <tensorfmt/tensorfmt.h>

#if TFMT_ARG_FROM != TFMT_ARG_SRC || TFMT_ARG_TO != TFMT_ARG_DST
#error "an argument has two numbers"
#endif

int main(void) {
    const tfmt_dims_t dims = {2, 17, 5, 4};
    tfmt_memory_desc_t md = NULL;
    tfmt_exec_args_t args = {sizeof(tfmt_exec_args_t), NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    size_t size_bytes;
    if (tfmt_nhwc != tfmt_acdb || tfmt_nChw16c != tfmt_aBcd16b || tfmt_f32 != 3) return 1;
    if (sizeof(tfmt_dims_t) != TFMT_MAX_NDIMS * sizeof(tfmt_dim_t)) return 2;
    if (args.struct_size != sizeof args) return 3;
    if (tfmt_get_last_error()[0] != '\0') return 4;
    if (tfmt_memory_desc_create_with_tag(&md, 4, dims, tfmt_f32, tfmt_nChw16c)) return 5;
    size_bytes = tfmt_memory_desc_get_size(md);
    if (tfmt_memory_desc_destroy(md)) return 6;
    return size_bytes == 2 * 32 * 5 * 4 * sizeof(float) ? 0 : 7;
}
