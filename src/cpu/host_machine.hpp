// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/plan/machine.hpp"

// What plans are told of this machine: instructions from cpu/isa, caches from cpu/topology, and of
// whose cores it has, the numbers of plan/tuning that were measured on them.
namespace tfmt::cpu {

// Under a cap, for a reorder of up to so many bytes of source and destination: small ones do not
// ask for the sizes of caches. Safe from any thread.
machine host_machine(tfmt_cpu_isa_t cap, size_t moved_bytes);

} // namespace tfmt::cpu
