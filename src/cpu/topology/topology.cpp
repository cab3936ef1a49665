// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/topology.hpp"

#include "common/status.hpp"
#include "cpu/topology/hwloc_topology.hpp"

namespace tfmt::cpu {

const topology &host_topology() {
    static const topology host = [] {
        topology t {};
#ifdef TENSORFMT_HAVE_HWLOC
        if (load_host_by_hwloc(&t)) return t;
#endif
        t = fallback_topology();
        return t;
    }();
    return host;
}

topology load_synthetic(const char *hwloc_synthetic_description) {
    require_not_null(hwloc_synthetic_description, "hwloc_synthetic_description");
#ifdef TENSORFMT_HAVE_HWLOC
    return load_synthetic_by_hwloc(hwloc_synthetic_description);
#else
    fail_unimplemented("synthetic topologies need a build with hwloc");
#endif
}

} // namespace tfmt::cpu
