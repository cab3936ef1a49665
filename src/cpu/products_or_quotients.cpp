// SPDX-License-Identifier: Apache-2.0
#include "cpu/products_or_quotients.hpp"

#include <algorithm>

#include "common/normalize.hpp"
#include "cpu/ref/codecs.hpp"

namespace tfmt::cpu {

namespace {

bool all_are_tame(const parameter &p, const void *scales) {
    const auto decode = ref::codec_of<float>(p.type).decode;
    constexpr dim_t n_at_once = 256;
    float values[n_at_once];
    for (dim_t i = 0; i < p.count; i += n_at_once) {
        const dim_t n = std::min(n_at_once, p.count - i);
        decode(scales, i, 1, values, n);
        if (!are_tame(values, size_t(n))) return false;
    }
    return true;
}

} // namespace

products_or_quotients::products_or_quotients(const parameter &scales,
        std::shared_ptr<const implementation> products,
        std::shared_ptr<const implementation> quotients)
    : scales_(scales), products_(std::move(products)), quotients_(std::move(quotients)) {
    info_ = products_->info();
}

tfmt_status_t products_or_quotients::execute(const execution &e) const noexcept {
    return (all_are_tame(scales_, e.dst_scales) ? products_ : quotients_)->execute(e);
}

std::string products_or_quotients::explain() const {
    return "by products with reciprocals of tame scales:\n" + products_->explain()
            + "else by quotients:\n" + quotients_->explain();
}

} // namespace tfmt::cpu
