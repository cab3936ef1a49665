// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/attributes.hpp"

struct tfmt_attr : tfmt::attributes {};
