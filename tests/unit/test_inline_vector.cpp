// SPDX-License-Identifier: Apache-2.0
// inline_vector against std::vector: the same operations on both, below and beyond what stands in
// place.
#include "common/inline_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using tfmt::inline_vector;
using list = inline_vector<int, 4>;
using reference = std::vector<int>;

void expect_same(const list &l, const reference &r) {
    ASSERT_EQ(l.size(), r.size());
    EXPECT_EQ(l.empty(), r.empty());
    EXPECT_TRUE(std::equal(l.begin(), l.end(), r.begin(), r.end()));
    if (!r.empty()) { EXPECT_EQ(l.back(), r.back()); }
}

list list_of(const reference &r) { return list(r.begin(), r.end()); }

// One operation with random numbers on both.
void change(list &l, reference &r, std::mt19937 &random) {
    const auto below = [&](size_t n) { return size_t(random() % n); };
    const int value = int(below(100));
    const size_t at = below(r.size() + 1), n = below(9);
    switch (below(9)) {
    case 0:
        l.push_back(value);
        r.push_back(value);
        break;
    case 1:
        if (r.empty()) break;
        l.pop_back();
        r.pop_back();
        break;
    case 2:
        l.resize(n, value);
        r.resize(n, value);
        break;
    case 3:
        l.assign(n, value);
        r.assign(n, value);
        break;
    case 4:
        EXPECT_EQ(l.insert(l.begin() + at, value) - l.begin(), ptrdiff_t(at));
        r.insert(r.begin() + ptrdiff_t(at), value);
        break;
    case 5:
        if (at == r.size()) break;
        l.erase(l.begin() + at);
        r.erase(r.begin() + ptrdiff_t(at));
        break;
    case 6: l.reserve(n); break;
    case 7:
        l.resize_for_overwrite(n); // what was there is kept
        EXPECT_TRUE(std::equal(r.begin(), r.begin() + ptrdiff_t(std::min(n, r.size())), l.begin()));
        r.resize(n);
        std::copy(r.begin(), r.end(), l.begin());
        break;
    default:
        l.push_back(value);
        r.push_back(value);
        if (n == 0) l.clear(), r.clear();
        break;
    }
}

TEST(InlineVector, BehavesLikeAVector) {
    std::mt19937 random(1);
    list l;
    reference r;
    for (int i = 0; i < 10000; i++) {
        change(l, r, random);
        ASSERT_NO_FATAL_FAILURE(expect_same(l, r)) << "step " << i;
    }
}

TEST(InlineVector, CopiesAndMoves) {
    for (size_t n_a = 0; n_a < 8; n_a++)
        for (size_t n_b = 0; n_b < 8; n_b++) {
            const reference a(n_a, 7), b(n_b, 9);
            list from = list_of(a), copy = from, to = list_of(b);
            to = from;
            expect_same(to, a);
            expect_same(from, a);
            const list &self = to;
            to = self;
            expect_same(to, a);
            to = list_of(b);
            to = std::move(from);
            expect_same(to, a);
            EXPECT_TRUE(from.empty());
            from.push_back(3); // what was moved from is usable, and nothing is shared
            expect_same(from, {3});
            expect_same(to, a);
            list made(std::move(copy));
            expect_same(made, a);
            made.push_back(1);
            expect_same(to, a);
        }
}

TEST(InlineVector, Compares) {
    const reference values[] = {{}, {1}, {1, 2}, {1, 3}, {2}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 6}};
    for (const reference &a : values)
        for (const reference &b : values) {
            EXPECT_EQ(list_of(a) == list_of(b), a == b);
            EXPECT_EQ(list_of(a) != list_of(b), a != b);
            EXPECT_EQ(list_of(a) < list_of(b), a < b);
        }
    EXPECT_EQ((list {1, 2, 3, 4, 5}), list_of({1, 2, 3, 4, 5}));
}

} // namespace
