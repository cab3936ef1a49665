// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cpu/jit/compile.hpp"

// The machine code of kernels, made once for each: an LRU cache by all that the IR says and by the
// instructions of the machine. Reorders whose kernels are the same share the code, whatever their
// descriptors are; the number of root steps is an argument of a kernel and no part of it.
//
// Worked example: f32 nchw -> nhwc over Nx64x14x14 steps over n outermost. Its kernel is the same
// for every N up to where the caches are exceeded, so N = 1, 2, 3, ... compile once.
namespace tfmt::cpu::jit {

struct kernel_code {
    std::shared_ptr<const executable> pages; // which may hold other kernels too
    kernel_fn run = nullptr;
    size_t size_bytes = 0;

    explicit operator bool() const { return run != nullptr; }
};

// The code of each kernel on `m`, from the cache or assembled now; what is new shares one mapping.
// Throws as assemble() and executable's constructor.
std::vector<kernel_code> compile(const std::vector<ir::kernel> &kernels, const machine &m);

// Number of kernels whose code is kept; 0 keeps none. At first as many as the cache of
// implementations keeps. Code in use lives on.
void set_code_capacity(int n);
int code_cache_size();

// How many kernels the process has assembled so far.
uint64_t n_assembled();

} // namespace tfmt::cpu::jit
