// SPDX-License-Identifier: Apache-2.0
// The reorders that frameworks make, from tests/data/frameworks.txt. Batch sizes and the like are
// cut so that each case stays near 8 MB; layouts, types and tails remain.
#include <fstream>
#include <sstream>

#include "diff/isa_fixture.hpp"
#include "support/element.hpp"

using namespace tfmt_test;

namespace {

constexpr int64_t max_bytes = 8 << 20;

struct framework_case {
    tfmt_data_type_t src_type, dst_type;
    std::string src_tag, dst_tag;
    dims shape;
};

dims parse_shape(const std::string &text) {
    dims shape;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, 'x');)
        shape.push_back(std::stoll(part));
    return shape;
}

int64_t bytes_of(const framework_case &c) {
    return span_bytes(layout_from_tag(c.shape, c.src_type, c.src_tag))
            + span_bytes(layout_from_tag(c.shape, c.dst_type, c.dst_tag));
}

// Shrinks the largest dim again and again, to its half plus one: odd sizes make tails.
void cut_to_size(framework_case *c) {
    while (bytes_of(*c) > max_bytes) {
        int64_t &largest = *std::max_element(c->shape.begin(), c->shape.end());
        largest = largest / 2 + 1;
    }
}

std::vector<framework_case> read_cases() {
    std::ifstream file("tests/data/frameworks.txt");
    EXPECT_TRUE(file) << "run from the project's folder";
    std::vector<framework_case> cases;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        std::string src_type, dst_type, shape;
        framework_case c;
        fields >> src_type >> dst_type >> c.src_tag >> c.dst_tag >> shape;
        EXPECT_TRUE(parse_type(src_type, &c.src_type) && parse_type(dst_type, &c.dst_type)) << line;
        c.shape = parse_shape(shape);
        cut_to_size(&c);
        cases.push_back(c);
    }
    return cases;
}

class frameworks_diff : public isa_fixture {};

TEST_P(frameworks_diff, every_case) {
    const std::vector<framework_case> cases = read_cases();
    ASSERT_GT(cases.size(), 200u);
    ASSERT_EQ(tfmt_set_num_threads(2), tfmt_success);
    // Every case on the best instruction set; on the others each third, since they share most code.
    const size_t step = GetParam().isa == tfmt_cpu_isa_avx512_core ? 1 : 3;
    const size_t stride = step * 10 / static_cast<size_t>(std::min(10, scaled(10)));
    for (size_t i = 0; i < cases.size(); i += stride) {
        const framework_case &c = cases[i];
        const desc_ptr src = make_with_tag(c.shape, c.src_type, c.src_tag);
        const desc_ptr dst = make_with_tag(c.shape, c.dst_type, c.dst_tag);
        EXPECT_EQ(
                difference(read_layout(src.get()), layout_from_tag(c.shape, c.src_type, c.src_tag)),
                "");
        EXPECT_EQ(
                difference(read_layout(dst.get()), layout_from_tag(c.shape, c.dst_type, c.dst_tag)),
                "");
        const check_result result = check_reorder(src.get(), dst.get());
        EXPECT_EQ(result.what, outcome::passed)
                << result.message << "\n  ran " << result.impl << " on " << GetParam().name
                << "\n  tensorfmt-bench --sdt=" << type_name(c.src_type)
                << " --ddt=" << type_name(c.dst_type) << " --stag=" << c.src_tag
                << " --dtag=" << c.dst_tag << " " << dims_text(c.shape);
    }
}

INSTANTIATE_FOR_EVERY_ISA(frameworks_diff);

} // namespace
