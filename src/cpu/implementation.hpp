// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "common/memory_desc.hpp"
#include "cpu/execution.hpp"

// What executes a request: made once, executed any number of times by any number of threads at
// once.
namespace tfmt::cpu {

// Why an execution fails, the one way in which it can.
constexpr const char *execution_failure =
        "no memory for the decoded values of attr's scales and zero points";

class implementation {
public:
    virtual ~implementation() = default;

    // src is ignored where only padding is written. Takes no lock and allocates nothing, but for
    // what the values of attributes are expanded to and what is done once: the topology is read,
    // OpenMP starts threads for the calling one. Returns tfmt_success, or tfmt_out_of_memory if
    // there is no room for values; then nothing was written.
    virtual tfmt_status_t execute(const execution &e) const noexcept = 0;

    // "jit:avx512_core", "ref: too many combinations of tails for generated code", ...
    const std::string &info() const { return info_; }
    void add_to_info(const std::string &text) { info_ += text; }

    // Problem, plan and IR, as text.
    virtual std::string explain() const = 0;

    // The request, and what an execution asks of it, so that who finds this in the cache need not
    // copy the one or compute the other again: the descriptors, bytes of both sides, and what there
    // is to do where source and destination are one tensor: null if their layouts differ.
    struct request_facts {
        memory_desc src {};
        memory_desc dst {};
        size_t src_bytes = 0;
        size_t dst_bytes = 0;
        bool is_in_place = false; // itself does that
        std::shared_ptr<const implementation> in_place;
    };
    const request_facts &facts() const { return facts_; }
    void set_facts(const request_facts &f) { facts_ = f; }

protected:
    std::string info_;

private:
    request_facts facts_;
};

// Of one owner, who may still change it.
using new_implementation = std::shared_ptr<implementation>;

} // namespace tfmt::cpu
