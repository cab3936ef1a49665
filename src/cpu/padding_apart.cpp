// SPDX-License-Identifier: Apache-2.0
#include "cpu/padding_apart.hpp"

#include "common/normalize.hpp"
#include "common/padding_split.hpp"
#include "cpu/generated.hpp"
#include "cpu/plan/traffic.hpp"
#include "cpu/plan/tuning.hpp"

namespace tfmt::cpu {

namespace {

using part = std::shared_ptr<const implementation>;

class padding_apart final : public implementation {
public:
    padding_apart(part data, part padding, int64_t whole_bytes)
        : data_(std::move(data)), padding_(std::move(padding)), whole_bytes_(whole_bytes) {
        info_ = data_->info();
    }

    tfmt_status_t execute(const execution &e) const noexcept override {
        execution pass = e;
        pass.whole_bytes = whole_bytes_;
        const tfmt_status_t status = data_->execute(pass);
        if (status != tfmt_success) return status; // before anything was written
        return padding_->execute(pass);
    }

    std::string explain() const override {
        return "data and padding apart, the data:\n" + data_->explain() + "the padding:\n"
                + padding_->explain();
    }

private:
    part data_;
    part padding_;
    int64_t whole_bytes_;
};

} // namespace

new_implementation make_padding_apart(
        const reorder_problem &p, const memory_desc &dst, const machine &m) {
    padding_split split;
    move_problem whole;
    std::string why; // not asked for: what is not split is made in one
    if (m.vector_bytes == 0 || size_bytes(dst) < size_t(tuning::min_padding_apart_bytes)
            || !split_padding(p, dst, int(tuning::line_bytes), &split)
            || split.share < tuning::min_padding_apart_share || !normalize(p, &whole, &why)
            || !wants_padding_apart(whole, m, split.share))
        return nullptr;
    part data = make_generated(split.data, plan_mode::move, m, &why);
    if (!data) return nullptr;
    part padding = make_generated(split.padding, plan_mode::padding_only, m, &why);
    if (!padding) return nullptr;
    return std::make_shared<padding_apart>(
            std::move(data), std::move(padding), touched_bytes(whole));
}

} // namespace tfmt::cpu
