// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "api/attr.hpp"
#include "api/fill_buffer.hpp"
#include "common/compensation.hpp"
#include "common/memory_desc.hpp"
#include "common/runtime_desc.hpp"
#include "common/status.hpp"
#include "cpu/implementation.hpp"
#include "cpu/runtime_reorder.hpp"

using namespace tfmt;

struct tfmt_reorder {
    // Not as an aggregate, which would be zeroed before it is copied to.
    tfmt_reorder(const memory_desc &from, const memory_desc &to, const tfmt_attr &attr)
        : src(from),
          dst(to),
          needs_src_scales(attr.src_scales.is_set),
          needs_dst_scales(attr.dst_scales.is_set),
          needs_src_zero_points(attr.src_zero_points.is_set),
          needs_dst_zero_points(attr.dst_zero_points.is_set) {}

    memory_desc src;
    memory_desc dst;     // with the compensation that the attributes ask for, if it is complete
    cpu::prepared fixed; // between complete descriptors
    std::unique_ptr<const cpu::runtime_reorder> runtime; // where either has runtime values
    bool needs_src_scales;
    bool needs_dst_scales;
    bool needs_src_zero_points;
    bool needs_dst_zero_points;
};

namespace {

std::unique_ptr<tfmt_reorder> make_reorder(
        const memory_desc &src, const memory_desc &dst, const tfmt_attr &attr) {
    auto made = std::make_unique<tfmt_reorder>(src, dst, attr);
    if (attr.sums.flags != 0 && !has_runtime_dims(dst))
        made->dst = with_asked_compensation(dst, attr.sums);
    if (has_runtime_dims(src) || has_runtime_dims(dst))
        made->runtime = std::make_unique<const cpu::runtime_reorder>(
                src, made->dst, attr, attr.sums);
    else
        made->fixed = cpu::prepare(src, made->dst, attr);
    return made;
}

bool overlaps(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
    return x < y + b_bytes && y < x + a_bytes;
}

tfmt_status_t refuse_execution(const char *message) {
    return set_last_error(tfmt_invalid_arguments, message);
}

tfmt_status_t refuse_number_of_threads(int n) {
    char message[128];
    std::snprintf(message, sizeof message,
            "tfmt_reorder_execute: args->threadpool->get_num_threads said %d, expected 1 or more",
            n);
    return refuse_execution(message);
}

// The structure as it was before `threadpool` was appended, and before `src_md` and `dst_md` were.
constexpr size_t exec_args_bytes_without_pool = offsetof(tfmt_exec_args_t, threadpool);
constexpr size_t exec_args_bytes_without_descs = offsetof(tfmt_exec_args_t, src_md);

// The actual descriptors, null where the caller gives none.
struct actual_descs {
    const memory_desc *src = nullptr;
    const memory_desc *dst = nullptr;
};

// What the caller's structure holds, which may be older than this header's.
tfmt_status_t read_args(const tfmt_exec_args_t *args, cpu::execution *e, actual_descs *descs) {
    const size_t size_bytes = args->struct_size;
    if (size_bytes != sizeof *args && size_bytes != exec_args_bytes_without_descs
            && size_bytes != exec_args_bytes_without_pool)
        return refuse_execution("tfmt_reorder_execute: args->struct_size is not "
                                "sizeof(tfmt_exec_args_t) of any version");
    e->src_scales = args->src_scales;
    e->dst_scales = args->dst_scales;
    e->src_zero_points = args->src_zero_points;
    e->dst_zero_points = args->dst_zero_points;
    if (size_bytes == exec_args_bytes_without_pool) return tfmt_success;
    if (size_bytes != exec_args_bytes_without_descs) *descs = {args->src_md, args->dst_md};
    const tfmt_threadpool_t *p = args->threadpool;
    if (!p) return tfmt_success;
    if (p->struct_size != sizeof *p)
        return refuse_execution("tfmt_reorder_execute: args->threadpool->struct_size is not "
                                "sizeof(tfmt_threadpool_t)");
    if (!p->get_num_threads)
        return refuse_execution("tfmt_reorder_execute: args->threadpool->get_num_threads is null");
    if (!p->parallel_for)
        return refuse_execution("tfmt_reorder_execute: args->threadpool->parallel_for is null");
    const int n = p->get_num_threads(p->context);
    if (n < 1) return refuse_number_of_threads(n);
    e->pool = p;
    return tfmt_success;
}

// Values of the attributes that the reorder was made with; others are ignored.
tfmt_status_t check_values(const tfmt_reorder &r, const cpu::execution &e) {
    if (r.needs_src_scales && !e.src_scales)
        return refuse_execution("tfmt_reorder_execute: args->src_scales is null, wanted the values "
                                "that attr asks for");
    if (r.needs_dst_scales && !e.dst_scales)
        return refuse_execution("tfmt_reorder_execute: args->dst_scales is null, wanted the values "
                                "that attr asks for");
    if (r.needs_src_zero_points && !e.src_zero_points)
        return refuse_execution("tfmt_reorder_execute: args->src_zero_points is null, wanted the "
                                "values that attr asks for");
    if (r.needs_dst_zero_points && !e.dst_zero_points)
        return refuse_execution("tfmt_reorder_execute: args->dst_zero_points is null, wanted the "
                                "values that attr asks for");
    return tfmt_success;
}

// What to execute where the caller gives descriptors, or the reorder waits for them. A shape that
// is not remembered is kept alive by `unremembered`.
tfmt_status_t find_prepared(const tfmt_reorder &r, const actual_descs &descs,
        cpu::prepared *unremembered, const cpu::prepared **found) {
    return guard("tfmt_reorder_execute", [&] {
        if (r.runtime) {
            *found = &r.runtime->find(descs.src, descs.dst, unremembered);
            return;
        }
        if (descs.src) require_member(*descs.src, r.src, "args->src_md");
        if (descs.dst) require_member(*descs.dst, r.dst, "args->dst_md");
        *found = &r.fixed;
    });
}

// The one way in which executing itself can fail.
tfmt_status_t run(const cpu::implementation &code, const cpu::execution &e) {
    const tfmt_status_t status = code.execute(e);
    return status == tfmt_success ? status
                                  : set_last_error(status,
                                          "tfmt_reorder_execute: no memory for the decoded "
                                          "values of attr's scales and zero points");
}

tfmt_status_t execute(const tfmt_reorder &r, const cpu::prepared &what, const cpu::execution &e) {
    if (what.src_bytes == 0 || what.dst_bytes == 0) return tfmt_success;
    if (!e.src) return refuse_execution("tfmt_reorder_execute: src is null");
    if (!e.dst) return refuse_execution("tfmt_reorder_execute: dst is null");
    if (const tfmt_status_t status = check_values(r, e)) return status;
    if (e.src == e.dst && what.in_place) return run(*what.in_place, e);
    if (overlaps(e.src, what.src_bytes, e.dst, what.dst_bytes))
        return refuse_execution("tfmt_reorder_execute: src and dst overlap; only a reorder "
                                "between equal layouts may have the same buffer on both sides");
    return run(*what.code, e);
}

} // namespace

extern "C" {

tfmt_status_t tfmt_reorder_create(tfmt_reorder_t *reorder, const_tfmt_memory_desc_t src,
        const_tfmt_memory_desc_t dst, const_tfmt_attr_t attr) {
    return guard("tfmt_reorder_create", [&] {
        require_not_null(reorder, "reorder");
        require_not_null(src, "src");
        require_not_null(dst, "dst");
        static const tfmt_attr none;
        *reorder = make_reorder(*src, *dst, attr ? *attr : none).release();
    });
}

// No guard around it all: between complete descriptors nothing throws, and a small tensor's copy
// takes less time than a message.
tfmt_status_t tfmt_reorder_execute(
        const_tfmt_reorder_t reorder, const void *src, void *dst, const tfmt_exec_args_t *args) {
    if (!reorder) return refuse_execution("tfmt_reorder_execute: reorder is null");
    cpu::execution e {src, dst};
    actual_descs descs;
    if (args)
        if (const tfmt_status_t status = read_args(args, &e, &descs)) return status;
    if (!reorder->runtime && !descs.src && !descs.dst) return execute(*reorder, reorder->fixed, e);
    cpu::prepared unremembered;
    const cpu::prepared *found = nullptr;
    if (const tfmt_status_t status = find_prepared(*reorder, descs, &unremembered, &found))
        return status;
    return execute(*reorder, *found, e);
}

tfmt_status_t tfmt_reorder_query(const_tfmt_reorder_t reorder, tfmt_query_t what, void *result) {
    return guard("tfmt_reorder_query", [&] {
        require_not_null(reorder, "reorder");
        require_not_null(result, "result");
        switch (what) {
        case tfmt_query_impl_info_str:
            *static_cast<const char **>(result) = reorder->runtime
                    ? reorder->runtime->info()
                    : reorder->fixed.code->info().c_str();
            return;
        case tfmt_query_src_md:
            *static_cast<const_tfmt_memory_desc_t *>(result) = &reorder->src;
            return;
        case tfmt_query_dst_md:
            *static_cast<const_tfmt_memory_desc_t *>(result) = &reorder->dst;
            return;
        default:
            fail_invalid("what is " + std::to_string(int(what))
                    + ", wanted tfmt_query_impl_info_str, tfmt_query_src_md or tfmt_query_dst_md");
        }
    });
}

tfmt_status_t tfmt_reorder_explain(const_tfmt_reorder_t reorder, char *buffer, size_t *size) {
    return guard("tfmt_reorder_explain", [&] {
        require_not_null(reorder, "reorder");
        require_not_null(size, "size");
        const cpu::implementation_ptr &code = reorder->fixed.code;
        fill_text(buffer, size,
                reorder->runtime ? reorder->runtime->explain()
                                 : code->info() + "\n" + code->explain());
    });
}

tfmt_status_t tfmt_reorder_destroy(tfmt_reorder_t reorder) {
    delete reorder;
    return tfmt_success;
}

} // extern "C"
