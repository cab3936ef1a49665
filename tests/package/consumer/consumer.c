/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders a small tensor from nchw to nChw16c with the installed library and checks every element
 * and the padding against the formula of the format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tensorfmt/tensorfmt.h>

enum { N = 2, C = 20, H = 3, W = 5, BLOCK = 16, C_PADDED = 32 };

static void check(tfmt_status_t status) {
    if (status == tfmt_success) return;
    fprintf(stderr, "status %d: %s\n", (int)status, tfmt_get_last_error());
    exit(1);
}

static size_t nchw_offset(int n, int c, int h, int w) {
    return ((size_t)(n * C + c) * H + h) * W + w;
}

static size_t blocked_offset(int n, int c, int h, int w) {
    return (((size_t)(n * (C_PADDED / BLOCK) + c / BLOCK) * H + h) * W + w) * BLOCK + c % BLOCK;
}

static int count_wrong(const float *src, const float *dst) {
    int wrong = 0;
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C_PADDED; c++)
            for (int h = 0; h < H; h++)
                for (int w = 0; w < W; w++) {
                    const float want = c < C ? src[nchw_offset(n, c, h, w)] : 0.0f;
                    wrong += memcmp(&dst[blocked_offset(n, c, h, w)], &want, sizeof(want)) != 0;
                }
    return wrong;
}

int main(void) {
    static float src[N * C * H * W], dst[N * C_PADDED * H * W];
    const tfmt_dims_t dims = {N, C, H, W};
    tfmt_memory_desc_t src_md, dst_md;
    tfmt_reorder_t reorder;
    const char *path;
    int wrong;

    if (tfmt_version()->major != TFMT_VERSION_MAJOR) return 1;
    for (int i = 0; i < N * C * H * W; i++)
        src[i] = (float)(i + 1);
    memset(dst, 0xa5, sizeof(dst));

    check(tfmt_memory_desc_create_with_tag(&src_md, 4, dims, tfmt_f32, tfmt_nchw));
    check(tfmt_memory_desc_create_with_string_tag(&dst_md, 4, dims, tfmt_f32, "nChw16c"));
    if (tfmt_memory_desc_get_size(dst_md) != sizeof(dst)) return 1;
    check(tfmt_reorder_create(&reorder, src_md, dst_md, NULL));
    check(tfmt_reorder_execute(reorder, src, dst, NULL));
    check(tfmt_reorder_query(reorder, tfmt_query_impl_info_str, &path));

    wrong = count_wrong(src, dst);
    printf("C: tensorfmt %d.%d.%d, %s, %d wrong elements\n", tfmt_version()->major,
            tfmt_version()->minor, tfmt_version()->patch, path, wrong);
    check(tfmt_reorder_destroy(reorder));
    check(tfmt_memory_desc_destroy(src_md));
    check(tfmt_memory_desc_destroy(dst_md));
    return wrong != 0;
}
