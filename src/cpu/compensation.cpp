// SPDX-License-Identifier: Apache-2.0
#include "cpu/compensation.hpp"

#include <vector>

#include "common/compensation.hpp"
#include "cpu/masked_sums.hpp"

namespace tfmt::cpu {

namespace {

std::string mask_text(const compensation_array &a) {
    return "compensation: " + std::to_string(a.factor) + " * sums outside mask "
            + std::to_string(a.mask) + ", " + std::to_string(a.count) + " at byte "
            + std::to_string(a.offset_bytes) + "\n";
}

// One way over the elements, for all arrays of one mask.
struct pass {
    masked_sums sums;
    int n_outputs;
    compensation_array outputs[max_compensation_arrays];
};

class compensated final : public implementation {
public:
    compensated(
            std::shared_ptr<const implementation> inner, const memory_desc &dst, tfmt_cpu_isa_t isa)
        : inner_(std::move(inner)) {
        compensation_array arrays[max_compensation_arrays];
        const int n = compensation_arrays(dst, arrays);
        for (int i = 0; i < n; ++i) {
            if (i > 0 && arrays[i].mask == arrays[0].mask)
                passes_[0].outputs[passes_[0].n_outputs++] = arrays[i];
            else
                passes_.push_back({masked_sums(dst, arrays[i].mask, isa), 1, {arrays[i]}});
            text_ += mask_text(arrays[i]);
        }
        info_ = inner_->info() + "; compensation by a second pass over dst";
    }

    tfmt_status_t execute(const execution &e) const noexcept override {
        const tfmt_status_t status = inner_->execute(e);
        if (status != tfmt_success) return status;
        for (const pass &p : passes_)
            p.sums.run(e.dst, p.outputs, p.n_outputs, e.pool);
        return tfmt_success;
    }

    std::string explain() const override { return text_ + inner_->explain(); }

private:
    std::shared_ptr<const implementation> inner_;
    std::vector<pass> passes_;
    std::string text_;
};

} // namespace

new_implementation make_compensated(
        std::shared_ptr<const implementation> inner, const memory_desc &dst, tfmt_cpu_isa_t isa) {
    return std::make_shared<compensated>(std::move(inner), dst, isa);
}

} // namespace tfmt::cpu
