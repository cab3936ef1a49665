// SPDX-License-Identifier: Apache-2.0
#include "common/status.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa/isa.hpp"
#include "cpu/reorder.hpp"

using namespace tfmt;

tfmt_status_t tfmt_set_max_cpu_isa(tfmt_cpu_isa_t isa) {
    return guard("tfmt_set_max_cpu_isa", [&] { cpu::set_max_isa(isa); });
}

tfmt_cpu_isa_t tfmt_get_effective_cpu_isa(void) {
    tfmt_cpu_isa_t isa = tfmt_cpu_isa_none;
#ifdef TENSORFMT_HAVE_JIT
    guard("tfmt_get_effective_cpu_isa", [&] { isa = cpu::effective_isa(); });
#endif
    return isa;
}

tfmt_status_t tfmt_set_num_threads(int n) {
    return guard("tfmt_set_num_threads", [&] { cpu::set_num_threads(n); });
}

int tfmt_get_num_threads(void) { return cpu::num_threads(); }

tfmt_status_t tfmt_set_kernel_cache_capacity(int n) {
    return guard("tfmt_set_kernel_cache_capacity", [&] { cpu::set_capacity_of_caches(n); });
}
