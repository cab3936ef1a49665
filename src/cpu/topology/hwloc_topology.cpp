// SPDX-License-Identifier: Apache-2.0
#include "cpu/topology/hwloc_topology.hpp"

#ifdef TENSORFMT_HAVE_HWLOC

#include <hwloc.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <type_traits>

#include "common/status.hpp"
#include "cpu/exec/openmp.hpp"

namespace tfmt::cpu {
namespace {

struct hwloc_deleter {
    void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using hwloc_handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, hwloc_deleter>;

// An empty topology that will hold cores, NUMA nodes and hardware threads only.
hwloc_handle make_handle() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return nullptr;
    hwloc_handle handle(raw);
    hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    return handle;
}

// Some machines and many synthetic descriptions have no core objects: then each hardware thread is
// one.
hwloc_obj_type_t core_type(hwloc_topology_t t) {
    return hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

topology read_numbers(hwloc_topology_t t) {
    topology out {};
    out.n_cores = hwloc_get_nbobjs_by_type(t, core_type(t));
    out.n_pus = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
    out.n_numa_nodes = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
    fill_in_defaults(out);
    return out;
}

} // namespace

// Takes 2 to 3 ms on an idle machine of 2 cores, of which 1.2 go into opening hwloc's plugins where
// they are installed (OpenCL's above all). hwloc opens them before it can be told what to leave
// out, and only the environment keeps it from that, which is the program's to set. Leaving out all
// components for devices, distances and memory attributes as well made no difference. The component
// that asks CPUID is left out: it binds the calling thread to every core in turn, which costs 1 ms
// more, and 10 where the cores are busy; /sys says the same.
bool load_host_by_hwloc(topology *t) {
    // Where /sys is not mounted hwloc complains on stderr; this library never prints.
    if (access("/sys/devices/system/cpu", R_OK) != 0) return false;
    const hwloc_handle handle = make_handle();
    if (!handle) return false;
    hwloc_topology_set_components(handle.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    // Without these two, hwloc counts every core of the control group, also those that taskset or a
    // job scheduler keep the process from.
    if (!is_bound_by_openmp())
        hwloc_topology_set_flags(handle.get(),
                HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
    if (hwloc_topology_load(handle.get()) != 0) return false;
    *t = read_numbers(handle.get());
    return t->n_cores > 0;
}

topology load_synthetic_by_hwloc(const char *description) {
    const hwloc_handle handle = make_handle();
    if (!handle) throw std::bad_alloc();
    if (hwloc_topology_set_synthetic(handle.get(), description) != 0
            || hwloc_topology_load(handle.get()) != 0)
        fail_invalid("hwloc_synthetic_description is \"" + std::string(description)
                + "\", which hwloc cannot read");
    return read_numbers(handle.get());
}

} // namespace tfmt::cpu

#endif
