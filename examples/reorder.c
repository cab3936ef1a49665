/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch of two pictures goes from nhwc to nChw16c: 17 channels become two blocks of 16, the
 * second one padded with zeroes. */
#include <stdio.h>
#include <stdlib.h>
#include <tensorfmt/tensorfmt.h>

static void check(tfmt_status_t status) {
    if (status == tfmt_success) return;
    fprintf(stderr, "%s\n", tfmt_get_last_error());
    exit(1);
}

int main(void) {
    const tfmt_dims_t dims = {2, 17, 5, 4}; /* n, c, h, w, whatever the layout */
    tfmt_memory_desc_t src_md, dst_md;
    check(tfmt_memory_desc_create_with_tag(&src_md, 4, dims, tfmt_f32, tfmt_nhwc));
    check(tfmt_memory_desc_create_with_string_tag(&dst_md, 4, dims, tfmt_f32, "nChw16c"));

    float *src = malloc(tfmt_memory_desc_get_size(src_md)); /* 2*17*5*4 floats */
    float *dst = malloc(tfmt_memory_desc_get_size(dst_md)); /* 2*32*5*4 floats */
    if (!src || !dst) return 1;
    for (int i = 0; i < 2 * 17 * 5 * 4; i++)
        src[i] = (float)i;

    tfmt_reorder_t reorder;
    check(tfmt_reorder_create(&reorder, src_md, dst_md, NULL));
    check(tfmt_reorder_execute(reorder, src, dst, NULL)); /* as often as you like */

    const tfmt_dims_t index = {1, 16, 4, 3};
    tfmt_dim_t src_offset, dst_offset;
    check(tfmt_memory_desc_get_offset(src_md, index, &src_offset));
    check(tfmt_memory_desc_get_offset(dst_md, index, &dst_offset));
    printf("element (1, 16, 4, 3): %g at %d in nhwc, %g at %d in nChw16c\n", src[src_offset],
            (int)src_offset, dst[dst_offset], (int)dst_offset);
    const int is_equal = src[src_offset] == dst[dst_offset];

    tfmt_reorder_destroy(reorder);
    tfmt_memory_desc_destroy(src_md);
    tfmt_memory_desc_destroy(dst_md);
    free(src);
    free(dst);
    return is_equal ? 0 : 1;
}
