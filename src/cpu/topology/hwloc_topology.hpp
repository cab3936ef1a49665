// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/topology/topology.hpp"

#ifdef TENSORFMT_HAVE_HWLOC
namespace tfmt::cpu {

bool load_host_by_hwloc(topology *t); // false if hwloc cannot tell
topology load_synthetic_by_hwloc(const char *description);

} // namespace tfmt::cpu
#endif
