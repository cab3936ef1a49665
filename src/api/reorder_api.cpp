// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
    tfmt_reorder(const compensation &sums_of_dst, const tfmt_attr &attr)
        : given_sums(sums_of_dst),
          needs_src_scales(attr.src_scales.is_set),
          needs_dst_scales(attr.dst_scales.is_set),
          needs_src_zero_points(attr.src_zero_points.is_set),
          needs_dst_zero_points(attr.dst_zero_points.is_set) {}

    const memory_desc &src() const { return own_src ? *own_src : fixed.code->facts().src; }
    // With the compensation that the attributes ask for, if it is complete.
    const memory_desc &dst() const { return own_dst ? *own_dst : fixed.code->facts().dst; }

    // Null where those that `fixed` was made for are the same: to copy both, 1.2 KB that malloc
    // has to look for, takes a quarter of the time to create a reorder that is cached.
    std::unique_ptr<const memory_desc> own_src, own_dst;
    compensation given_sums; // dst's without what the attributes ask for
    cpu::prepared fixed;     // between complete descriptors
    std::unique_ptr<const cpu::runtime_reorder> runtime; // where either has runtime values
    bool needs_src_scales;
    bool needs_dst_scales;
    bool needs_src_zero_points;
    bool needs_dst_zero_points;
};

namespace {

const tfmt_attr &no_attr() {
    static const tfmt_attr none;
    return none;
}

std::unique_ptr<const memory_desc> copy_of(const memory_desc &md) {
    return std::make_unique<const memory_desc>(md);
}

// A copy of `md`, or null where the one that `made_for` it, or for an equal one, is the same: also
// in compensation, and in strides that are multiplied by nothing but 0.
std::unique_ptr<const memory_desc> copy_unless_same(
        const memory_desc &md, const memory_desc &made_for) {
    if (equal(md.sums, made_for.sums)
            && std::equal(md.strides, md.strides + md.ndims, made_for.strides))
        return nullptr;
    return copy_of(md);
}

std::unique_ptr<tfmt_reorder> make_reorder(
        const memory_desc &src, const memory_desc &given_dst, const tfmt_attr &attr) {
    auto made = std::make_unique<tfmt_reorder>(given_dst.sums, attr);
    const bool is_dst_complete = !has_runtime_dims(given_dst);
    memory_desc with_sums;
    const memory_desc *dst = &given_dst;
    if (attr.sums.flags != 0 && is_dst_complete) {
        with_sums = with_asked_compensation(given_dst, attr.sums);
        dst = &with_sums;
    }
    if (is_dst_complete && !has_runtime_dims(src)) {
        made->fixed = cpu::prepare(src, *dst, attr);
        made->own_src = copy_unless_same(src, made->fixed.code->facts().src);
        made->own_dst = copy_unless_same(*dst, made->fixed.code->facts().dst);
    } else {
        made->runtime = std::make_unique<const cpu::runtime_reorder>(src, *dst, attr, attr.sums);
        made->own_src = copy_of(src);
        made->own_dst = copy_of(*dst);
    }
    return made;
}

bool has_elements(const cpu::prepared &p) { return p.src_bytes != 0 && p.dst_bytes != 0; }

bool overlaps(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
    return x < y + b_bytes && y < x + a_bytes;
}

// Refuses in the name of a public function.
class refusal {
public:
    explicit refusal(const char *function) : function_(function) {}

    tfmt_status_t operator()(
            const char *message, tfmt_status_t status = tfmt_invalid_arguments) const {
        return set_last_error(status, function_, message);
    }

private:
    const char *function_;
};

tfmt_status_t refuse_number_of_threads(const refusal &refuse, int n) {
    char message[128];
    std::snprintf(message, sizeof message,
            "args->threadpool->get_num_threads said %d, expected 1 or more", n);
    return refuse(message);
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
tfmt_status_t read_args(const refusal &refuse, const tfmt_exec_args_t *args, cpu::execution *e,
        actual_descs *descs) {
    const size_t size_bytes = args->struct_size;
    if (size_bytes != sizeof *args && size_bytes != exec_args_bytes_without_descs
            && size_bytes != exec_args_bytes_without_pool)
        return refuse("args->struct_size is not sizeof(tfmt_exec_args_t) of any version");
    e->src_scales = args->src_scales;
    e->dst_scales = args->dst_scales;
    e->src_zero_points = args->src_zero_points;
    e->dst_zero_points = args->dst_zero_points;
    if (size_bytes == exec_args_bytes_without_pool) return tfmt_success;
    if (size_bytes != exec_args_bytes_without_descs) *descs = {args->src_md, args->dst_md};
    const tfmt_threadpool_t *p = args->threadpool;
    if (!p) return tfmt_success;
    if (p->struct_size != sizeof *p)
        return refuse("args->threadpool->struct_size is not sizeof(tfmt_threadpool_t)");
    if (!p->get_num_threads) return refuse("args->threadpool->get_num_threads is null");
    if (!p->parallel_for) return refuse("args->threadpool->parallel_for is null");
    const int n = p->get_num_threads(p->context);
    if (n < 1) return refuse_number_of_threads(refuse, n);
    e->pool = p;
    return tfmt_success;
}

// Values of the attributes that the reorder was made with; others are ignored.
tfmt_status_t check_values(const refusal &refuse, const tfmt_reorder &r, const cpu::execution &e) {
    if (r.needs_src_scales && !e.src_scales)
        return refuse("args->src_scales is null, wanted the values that attr asks for");
    if (r.needs_dst_scales && !e.dst_scales)
        return refuse("args->dst_scales is null, wanted the values that attr asks for");
    if (r.needs_src_zero_points && !e.src_zero_points)
        return refuse("args->src_zero_points is null, wanted the values that attr asks for");
    if (r.needs_dst_zero_points && !e.dst_zero_points)
        return refuse("args->dst_zero_points is null, wanted the values that attr asks for");
    return tfmt_success;
}

// Where the reorder's own dst is complete. That of args may leave out what only attr asks for.
void require_same_sums(const tfmt_reorder &r, const memory_desc &dst) {
    if (!equal(dst.sums, r.dst().sums) && !equal(dst.sums, r.given_sums))
        fail_invalid("args->dst_md has another compensation than the reorder was created with");
}

// A reorder between complete descriptors needs none, but none that says otherwise.
void require_agreement(const tfmt_reorder &r, const actual_descs &descs) {
    if (descs.src) require_member(*descs.src, r.src(), "args->src_md");
    if (!descs.dst) return;
    require_member(*descs.dst, r.dst(), "args->dst_md");
    require_same_sums(r, *descs.dst);
}

// What to execute where the caller gives descriptors, or the reorder waits for them. A shape that
// is not remembered is kept alive by `unremembered`.
tfmt_status_t find_prepared(const tfmt_reorder &r, const actual_descs &descs,
        cpu::prepared *unremembered, const cpu::prepared **found) {
    return guard("tfmt_reorder_execute", [&] {
        if (r.runtime) {
            if (descs.dst && r.given_sums.flags != 0) require_same_sums(r, *descs.dst);
            *found = &r.runtime->find(descs.src, descs.dst, unremembered);
            return;
        }
        require_agreement(r, descs);
        *found = &r.fixed;
    });
}

tfmt_status_t run(const refusal &refuse, const cpu::implementation &code, const cpu::execution &e) {
    const tfmt_status_t status = code.execute(e);
    return status == tfmt_success ? status : refuse(cpu::execution_failure, status);
}

bool overlap(const cpu::prepared &what, const cpu::execution &e) {
    return overlaps(e.src, what.src_bytes, e.dst, what.dst_bytes);
}

tfmt_status_t execute(const refusal &refuse, const tfmt_reorder &r, const cpu::prepared &what,
        const cpu::execution &e) {
    if (!has_elements(what)) return tfmt_success;
    if (!e.src) return refuse("src is null");
    if (!e.dst) return refuse("dst is null");
    if (const tfmt_status_t status = check_values(refuse, r, e)) return status;
    if (e.src == e.dst && what.in_place) return run(refuse, *what.in_place, e);
    if (overlap(what, e))
        return refuse("src and dst overlap; only a reorder between equal layouts may have the same "
                      "buffer on both sides");
    return run(refuse, *what.code, e);
}

// Not inlined: what is kept on the stack for it is nothing for all others to pay.
[[gnu::noinline]] tfmt_status_t execute_between(const refusal &refuse, const tfmt_reorder &r,
        const actual_descs &descs, const cpu::execution &e) {
    cpu::prepared unremembered;
    const cpu::prepared *found = nullptr;
    if (const tfmt_status_t status = find_prepared(r, descs, &unremembered, &found)) return status;
    return execute(refuse, r, *found, e);
}

// Puts the fastest plan in place of what `r` has, and executes it.
tfmt_status_t take_fastest(
        const refusal &refuse, const tfmt_attr &attr, const cpu::execution &e, tfmt_reorder &r) {
    if (!has_elements(r.fixed)) return tfmt_success;
    if (!e.src) return refuse("src_data is null");
    if (!e.dst) return refuse("dst_data is null");
    if (const tfmt_status_t status = check_values(refuse, r, e)) return status;
    if (overlap(r.fixed, e)) return refuse("src_data and dst_data overlap");
    r.fixed = cpu::prepare(r.src(), r.dst(), attr, &e);
    return run(refuse, *r.fixed.code, e);
}

} // namespace

extern "C" {

tfmt_status_t tfmt_reorder_create(tfmt_reorder_t *reorder, const_tfmt_memory_desc_t src,
        const_tfmt_memory_desc_t dst, const_tfmt_attr_t attr) {
    return guard("tfmt_reorder_create", [&] {
        require_not_null(reorder, "reorder");
        require_not_null(src, "src");
        require_not_null(dst, "dst");
        *reorder = make_reorder(*src, *dst, attr ? *attr : no_attr()).release();
    });
}

tfmt_status_t tfmt_reorder_create_measured(tfmt_reorder_t *reorder, const_tfmt_memory_desc_t src,
        const_tfmt_memory_desc_t dst, const_tfmt_attr_t attr, const void *src_data, void *dst_data,
        const tfmt_exec_args_t *args) {
    const refusal refuse("tfmt_reorder_create_measured");
    cpu::execution e {src_data, dst_data};
    actual_descs descs;
    if (args)
        if (const tfmt_status_t status = read_args(refuse, args, &e, &descs)) return status;
    tfmt_status_t executed = tfmt_success;
    const tfmt_status_t created = guard("tfmt_reorder_create_measured", [&] {
        require_not_null(reorder, "reorder");
        require_not_null(src, "src");
        require_not_null(dst, "dst");
        if (has_runtime_dims(*src) || has_runtime_dims(*dst))
            fail_unimplemented("src or dst has runtime dims, wanted complete descriptors: plans "
                               "are measured for one shape");
        const tfmt_attr &attributes = attr ? *attr : no_attr();
        std::unique_ptr<tfmt_reorder> made = make_reorder(*src, *dst, attributes);
        require_agreement(*made, descs);
        executed = take_fastest(refuse, attributes, e, *made);
        if (executed == tfmt_success) *reorder = made.release();
    });
    return created == tfmt_success ? executed : created;
}

// No guard around it all: between complete descriptors nothing throws, and a small tensor's copy
// takes less time than a message.
tfmt_status_t tfmt_reorder_execute(
        const_tfmt_reorder_t reorder, const void *src, void *dst, const tfmt_exec_args_t *args) {
    const refusal refuse("tfmt_reorder_execute");
    if (!reorder) return refuse("reorder is null");
    cpu::execution e {src, dst};
    actual_descs descs;
    if (args)
        if (const tfmt_status_t status = read_args(refuse, args, &e, &descs)) return status;
    if (reorder->runtime || descs.src || descs.dst)
        return execute_between(refuse, *reorder, descs, e);
    return execute(refuse, *reorder, reorder->fixed, e);
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
            *static_cast<const_tfmt_memory_desc_t *>(result) = &reorder->src();
            return;
        case tfmt_query_dst_md:
            *static_cast<const_tfmt_memory_desc_t *>(result) = &reorder->dst();
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
