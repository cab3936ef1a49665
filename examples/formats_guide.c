/* SPDX-License-Identifier: Apache-2.0
 *
 * The examples of oneDNN's guide "Understanding Memory Formats" in its C API, with dnnl_ replaced
 * by tfmt_: where element (n, c, h, w) lies in plain, strided, blocked and padded layouts. Each
 * claim is checked for every element. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tensorfmt/tensorfmt.h>

static void check(tfmt_status_t status) {
    if (status == tfmt_success) return;
    fprintf(stderr, "%s\n", tfmt_get_last_error());
    exit(1);
}

static void expect(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "not as expected: %s\n", what);
    exit(1);
}

enum { N = 2, C = 16, H = 5, W = 4 };

typedef tfmt_dim_t (*offset_fn)(tfmt_dim_t n, tfmt_dim_t c, tfmt_dim_t h, tfmt_dim_t w);

static tfmt_dim_t offset_nchw(tfmt_dim_t n, tfmt_dim_t c, tfmt_dim_t h, tfmt_dim_t w) {
    return n * C * H * W + c * H * W + h * W + w;
}
static tfmt_dim_t offset_nhwc(tfmt_dim_t n, tfmt_dim_t c, tfmt_dim_t h, tfmt_dim_t w) {
    return n * H * W * C + h * W * C + w * C + c;
}
static tfmt_dim_t offset_chwn(tfmt_dim_t n, tfmt_dim_t c, tfmt_dim_t h, tfmt_dim_t w) {
    return c * H * W * N + h * W * N + w * N + n;
}
/* Every row of 4 is kept in 7 elements. */
static tfmt_dim_t offset_strided(tfmt_dim_t n, tfmt_dim_t c, tfmt_dim_t h, tfmt_dim_t w) {
    return n * C * H * 7 + c * H * 7 + h * 7 + w;
}
static tfmt_dim_t offset_nChw8c(tfmt_dim_t n, tfmt_dim_t c, tfmt_dim_t h, tfmt_dim_t w) {
    return n * C * H * W + (c / 8) * H * W * 8 + h * W * 8 + w * 8 + c % 8;
}

static void expect_offsets(const_tfmt_memory_desc_t md, offset_fn offset_of, const char *what) {
    for (int i = 0; i < N * C * H * W; i++) {
        const tfmt_dims_t index = {i / (C * H * W), i / (H * W) % C, i / W % H, i % W};
        tfmt_dim_t offset = -1;
        check(tfmt_memory_desc_get_offset(md, index, &offset));
        expect(offset == offset_of(index[0], index[1], index[2], index[3]), what);
    }
    printf("%-22s %u bytes\n", what, (unsigned)tfmt_memory_desc_get_size(md));
}

static void plain_formats(void) {
    const tfmt_dims_t dims = {N, C, H, W};
    const struct {
        tfmt_format_tag_t tag;
        offset_fn offset_of;
        const char *name;
    } formats[] = {{tfmt_nchw, offset_nchw, "nchw"}, {tfmt_nhwc, offset_nhwc, "nhwc"},
            {tfmt_chwn, offset_chwn, "chwn"}, {tfmt_nChw8c, offset_nChw8c, "nChw8c"}};
    for (int i = 0; i < 4; i++) {
        tfmt_memory_desc_t md;
        check(tfmt_memory_desc_create_with_tag(&md, 4, dims, tfmt_f32, formats[i].tag));
        expect_offsets(md, formats[i].offset_of, formats[i].name);
        check(tfmt_memory_desc_destroy(md));
    }
}

static void strides_format(void) {
    const tfmt_dims_t dims = {N, C, H, W};
    const tfmt_dims_t strides = {C * H * 7, H * 7, 7, 1};
    tfmt_memory_desc_t md;
    check(tfmt_memory_desc_create_with_strides(&md, 4, dims, tfmt_f32, strides));
    expect_offsets(md, offset_strided, "nchw, rows of 7");
    check(tfmt_memory_desc_destroy(md));

    /* nchw is the special case where the strides are dense. */
    const tfmt_dims_t dense_strides = {C * H * W, H * W, W, 1};
    tfmt_memory_desc_t dense_md, nchw_md;
    check(tfmt_memory_desc_create_with_strides(&dense_md, 4, dims, tfmt_f32, dense_strides));
    check(tfmt_memory_desc_create_with_tag(&nchw_md, 4, dims, tfmt_f32, tfmt_nchw));
    expect(tfmt_memory_desc_equal(dense_md, nchw_md), "dense strides are nchw");
    check(tfmt_memory_desc_destroy(dense_md));
    check(tfmt_memory_desc_destroy(nchw_md));
}

static void blocked_format(void) {
    const tfmt_dims_t dims = {N, C, H, W};
    const tfmt_dims_t strides = {C * H * W, H * W * 8, W * 8, 8}; /* between blocks */
    tfmt_memory_desc_t md;
    check(tfmt_memory_desc_create_with_tag(&md, 4, dims, tfmt_f32, tfmt_nChw8c));

    tfmt_dims_t *q_strides = NULL, *q_inner_idxs = NULL, *q_inner_blks = NULL;
    int q_inner_nblks = 0;
    check(tfmt_memory_desc_query(md, tfmt_query_strides, &q_strides));
    check(tfmt_memory_desc_query(md, tfmt_query_inner_nblks_s32, &q_inner_nblks));
    check(tfmt_memory_desc_query(md, tfmt_query_inner_idxs, &q_inner_idxs));
    check(tfmt_memory_desc_query(md, tfmt_query_inner_blks, &q_inner_blks));
    expect(memcmp(*q_strides, strides, 4 * sizeof(tfmt_dim_t)) == 0, "strides of nChw8c");
    expect(q_inner_nblks == 1, "one block");
    expect((*q_inner_idxs)[0] == 1 && (*q_inner_blks)[0] == 8, "c in blocks of 8");
    check(tfmt_memory_desc_destroy(md));
}

/* 17 channels in blocks of 8 take the room of 24; the last 7 are zero. */
static void padded_format(void) {
    const tfmt_dims_t dims = {N, 17, H, W};
    tfmt_memory_desc_t md;
    check(tfmt_memory_desc_create_with_tag(&md, 4, dims, tfmt_f32, tfmt_nChw8c));
    tfmt_dims_t *q_dims = NULL, *q_padded_dims = NULL;
    check(tfmt_memory_desc_query(md, tfmt_query_dims, &q_dims));
    check(tfmt_memory_desc_query(md, tfmt_query_padded_dims, &q_padded_dims));
    expect((*q_dims)[1] == 17 && (*q_padded_dims)[1] == 24, "17 channels, padded to 24");
    expect(tfmt_memory_desc_get_size(md) == sizeof(float) * N * 24 * H * W, "size with padding");

    /* A memory object zeroes the padding of the buffer that it is given. */
    tfmt_memory_t memory;
    void *data = NULL;
    int is_zero = 0;
    check(tfmt_memory_create(&memory, md, TFMT_MEMORY_ALLOCATE));
    check(tfmt_memory_get_data_handle(memory, &data));
    check(tfmt_check_padding(md, data, &is_zero));
    expect(is_zero, "padding is zero");
    check(tfmt_memory_destroy(memory));
    check(tfmt_memory_desc_destroy(md));
    printf("%-22s padding is zero\n", "nChw8c of 17 channels");
}

int main(void) {
    plain_formats();
    strides_format();
    blocked_format();
    padded_format();
    return 0;
}
