// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/parameter_space.hpp"
#include "cpu/implementation.hpp"

// One reorder made twice: by products with the reciprocals of destination scales, and by quotients.
// Each execution looks at its scales: with tame ones (common/normalize.hpp) both give the same
// bits, and products are faster where this is made.
namespace tfmt::cpu {

class products_or_quotients final : public implementation {
public:
    products_or_quotients(const parameter &scales, std::shared_ptr<const implementation> products,
            std::shared_ptr<const implementation> quotients);

    tfmt_status_t execute(const execution &e) const noexcept override;
    std::string explain() const override;

private:
    const parameter scales_;
    const std::shared_ptr<const implementation> products_, quotients_;
};

} // namespace tfmt::cpu
