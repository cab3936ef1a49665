// SPDX-License-Identifier: Apache-2.0
#include "api_helpers.hpp"

#include <gtest/gtest.h>

using namespace api;
using tensorfmt::padding;

namespace {

// Padding in one and in two dimensions, in outer and inner places, for each element width, and
// layouts that have none: plain, and with gaps between rows.
std::vector<memory::desc> descs() {
    std::vector<memory::desc> mds;
    for (const auto type : {dt::u8, dt::bf16, dt::f32, dt::f64}) {
        mds.emplace_back(memory::dims {2, 17, 5, 4}, type, tag::nChw16c);
        mds.emplace_back(memory::dims {2, 3, 5, 4}, type, tag::nChw8c);
        mds.emplace_back(memory::dims {20, 30, 3, 3}, type, tag::OIhw16i16o);
        mds.emplace_back(memory::dims {17, 5, 1, 1}, type, "ABcd8b16a2b");
        mds.emplace_back(memory::dims {3, 5, 7, 2, 2}, type, tag::gOIhw4i16o4i);
        mds.emplace_back(memory::dims {2, 5, 3, 3}, type, "Bcda4b");
        mds.emplace_back(memory::dims {5, 50}, type, "aB48b");
        mds.emplace_back(memory::dims {2, 16, 5, 4}, type, tag::nChw16c);
        mds.emplace_back(memory::dims {2, 3, 5, 4}, type, tag::nhwc);
        mds.emplace_back(memory::dims {2, 3, 5, 4}, type, memory::dims {120, 40, 7, 1});
        mds.emplace_back(memory::dims {2, 17, 5, 4}, type, memory::dims {2000, 700, 100, 17},
                memory::dims {16}, memory::dims {1}); // blocks with room between them
        mds.emplace_back(memory::dims {2, 17, 5, 4}, type, memory::dims {0, 700, 100, 17},
                memory::dims {16}, memory::dims {1}); // the same element for both images
        mds.emplace_back(memory::dims {32, 17, 5, 4}, type, memory::dims {0, 1400, 280, 64},
                memory::dims {16, 4}, memory::dims {1, 0}); // and for all eight blocks of them
    }
    return mds;
}

} // namespace

TEST(memory, allocated_by_the_library_is_aligned_and_zero_in_the_padding) {
    for (const auto &md : descs()) {
        const memory mem(md);
        auto *data = mem.map_data<uint8_t>();
        ASSERT_NE(data, nullptr) << md.to_string();
        EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u) << md.to_string();
        EXPECT_TRUE(tensorfmt::check_padding(md, data)) << md.to_string();
        std::memset(data, 1, md.get_size()); // all of it is ours
        EXPECT_EQ(mem.get_desc(), md);
    }
}

TEST(memory, of_the_user_has_its_padding_zeroed_and_nothing_else_touched) {
    for (const auto &md : descs()) {
        const auto before = pattern(md.get_size());
        auto data = before;
        const memory mem(md, data.data());
        EXPECT_EQ(mem.get_data_handle(), data.data());
        EXPECT_EQ(data, with_zero_padding(md, before)) << md.to_string();
    }
}

TEST(memory, none_has_no_buffer_until_it_is_set) {
    for (const auto &md : descs()) {
        const memory mem(md, TFMT_MEMORY_NONE);
        EXPECT_EQ(mem.get_data_handle(), nullptr);
        const auto before = pattern(md.get_size());
        auto data = before;
        mem.set_data_handle(data.data());
        EXPECT_EQ(mem.get_data_handle(), data.data());
        EXPECT_EQ(data, with_zero_padding(md, before)) << md.to_string();
        mem.set_data_handle(TFMT_MEMORY_NONE);
        EXPECT_EQ(mem.get_data_handle(), nullptr);
    }
}

TEST(memory, replacing_an_owned_buffer_uses_the_users) {
    const memory::desc md({2, 17, 5, 4}, dt::f32, tag::nChw16c);
    auto data = pattern(md.get_size());
    const memory mem(md);
    EXPECT_NE(mem.get_data_handle(), data.data());
    mem.set_data_handle(data.data(), tensorfmt::stream());
    EXPECT_EQ(mem.get_data_handle(), data.data());
    EXPECT_TRUE(tensorfmt::check_padding(md, data.data()));
}

TEST(memory, keep_leaves_the_padding_alone) {
    for (const auto &md : descs()) {
        const auto before = pattern(md.get_size());
        auto data = before;
        const memory mem(md, TFMT_MEMORY_NONE);
        mem.set_data_handle(data.data(), padding::keep);
        EXPECT_EQ(mem.get_data_handle(), data.data());
        EXPECT_EQ(data, before) << md.to_string();
        mem.set_data_handle(data.data(), padding::zero);
        EXPECT_EQ(data, with_zero_padding(md, before)) << md.to_string();
    }
}

// A caller in C can pass any number as an enumerator; to C++, and so to its sanitizer, a number
// that needs more bits than the enumerators is undefined before the library can refuse it.
TEST(memory, an_unknown_padding_is_refused_and_changes_nothing) {
    const memory::desc md({2, 17, 5, 4}, dt::f32, tag::nChw16c);
    const auto before = pattern(md.get_size());
    auto data = before;
    const memory mem(md, TFMT_MEMORY_NONE);
    const auto got = outcome_of([&] { mem.set_data_handle(data.data(), static_cast<padding>(7)); });
    EXPECT_EQ(got.status, tfmt_invalid_arguments);
    EXPECT_TRUE(contains(got.message, "padding") && contains(got.message, "7")) << got.message;
    EXPECT_EQ(mem.get_data_handle(), nullptr);
    EXPECT_EQ(data, before);
}

TEST(memory, zero_pad_and_check_padding) {
    for (const auto &md : descs()) {
        const auto before = pattern(md.get_size());
        auto data = before;
        const bool has_padding = md.get_dims() != md.get_padded_dims();
        EXPECT_EQ(tensorfmt::check_padding(md, data.data()), !has_padding) << md.to_string();
        tensorfmt::zero_pad(md, data.data());
        EXPECT_EQ(data, with_zero_padding(md, before)) << md.to_string();
        EXPECT_TRUE(tensorfmt::check_padding(md, data.data())) << md.to_string();
    }
}

// Of its two blocks one has 16 elements and the other 1 and 15 of padding, in the same place.
TEST(memory, zero_pad_spares_elements_that_lie_where_padding_does) {
    const memory::desc md({2, 17, 5, 4}, dt::f32, memory::dims {400, 0, 80, 16}, memory::dims {16},
            memory::dims {1});
    const auto before = pattern(md.get_size());
    auto data = before;
    const auto refused = [&](const char *function, const auto &call) {
        const auto got = outcome_of(call);
        EXPECT_EQ(got.status, tfmt_invalid_arguments) << function;
        EXPECT_TRUE(contains(got.message, "md has stride 0 in dimension 1"))
                << function << ": " << got.message;
        EXPECT_EQ(data, before) << function;
    };
    refused("zero_pad", [&] { tensorfmt::zero_pad(md, data.data()); });
    refused("check_padding", [&] { tensorfmt::check_padding(md, data.data()); });
    refused("memory", [&] { const memory mem(md, data.data()); });
    memory mem(md, TFMT_MEMORY_NONE);
    refused("set_data_handle", [&] { mem.set_data_handle(data.data()); });
    mem.set_data_handle(data.data(), padding::keep);
    EXPECT_EQ(mem.get_data_handle(), data.data());
}

TEST(memory, check_padding_sees_each_element) {
    for (const char *name : {"nChw8c", "ABcd4b16a2b", "Bcda4b"}) {
        const memory::desc md({3, 10, 2, 3}, dt::bf16, name);
        auto data = with_zero_padding(md, pattern(md.get_size()));
        int seen = 0;
        for_each_index(md.get_padded_dims(), [&](const memory::dims &index) {
            if (is_below(index, md.get_dims())) return;
            auto &byte = data[2 * offset_by_fields(md, index) + seen % 2];
            byte = 1;
            EXPECT_FALSE(tensorfmt::check_padding(md, data.data())) << name;
            byte = 0;
            ++seen;
        });
        EXPECT_GT(seen, 0);
        EXPECT_TRUE(tensorfmt::check_padding(md, data.data())) << name;
    }
}

TEST(memory, submemory_zeroes_its_own_padding_only) {
    const memory::desc parent({4, 64, 5, 4}, dt::f32, tag::nChw16c);
    const auto part = parent.submemory_desc({2, 32, 3, 2}, {1, 16, 1, 1});
    const auto before = pattern(parent.get_size());
    auto data = before;
    tensorfmt::zero_pad(part, data.data());
    EXPECT_EQ(data, before); // whole blocks: no padding
}

TEST(memory, without_elements_needs_no_buffer) {
    const memory::desc md({2, 0, 5, 4}, dt::f32, tag::nChw16c);
    EXPECT_EQ(md.get_size(), 0u);
    EXPECT_EQ(memory(md).get_desc(), md);
    uint8_t guard = 0x5a;
    const memory mem(md, &guard);
    EXPECT_EQ(guard, 0x5a);
}

TEST(memory, copies_share_the_object) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    const memory mem(md), copy = mem;
    EXPECT_EQ(mem.get(), copy.get());
    EXPECT_EQ(mem.get_data_handle(), copy.get_data_handle());
    EXPECT_EQ(outcome_of([] { memory().get_data_handle(); }).status, tfmt_invalid_arguments);
}

TEST(memory, engine_and_stream_exist_for_the_cpu_only) {
    using tensorfmt::engine;
    const engine eng(engine::kind::cpu, 0);
    EXPECT_EQ(eng.get_kind(), engine::kind::cpu);
    EXPECT_EQ(engine::get_count(engine::kind::cpu), 1u);
    EXPECT_EQ(engine::get_count(engine::kind::gpu), 0u);
    EXPECT_EQ(outcome_of([] { engine(engine::kind::gpu, 0); }).status, tfmt_invalid_arguments);
    EXPECT_EQ(outcome_of([] { engine(engine::kind::cpu, 1); }).status, tfmt_invalid_arguments);
    tensorfmt::stream s(eng);
    EXPECT_EQ(&s.wait(), &s);
    const memory mem({{2, 3}, dt::f32, tag::ab}, eng);
    EXPECT_EQ(mem.get_engine().get_kind(), engine::kind::cpu);
}
