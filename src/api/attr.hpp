// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/attributes.hpp"

// Compensation is a property of the destination's descriptor, into which it goes when a reorder is
// created; nothing below the API sees it as an attribute.
struct tfmt_attr : tfmt::attributes {
    tfmt::compensation sums = {};
};
