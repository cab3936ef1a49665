// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cpu/cache/lru.hpp"
#include "cpu/plan/stages.hpp"

namespace tfmt::cpu {

namespace {

// All that a search looks at, of tile and machine.
using search_input = inline_vector<int, 32>;

search_input input_of(const tile &t, const machine &m) {
    search_input in {t.elem_bytes, t.vector_bytes, int(t.bits.size()), m.can_permute(t.elem_bytes),
            int(t.src_run.size())};
    for (const bit_indices *run : {&t.src_run, &t.dst_run})
        for (int bit : *run)
            in.push_back(2 * bit + t.bits[size_t(bit)].is_read);
    return in;
}

size_t hash_of(const search_input &in) {
    size_t hash = in.size();
    for (int n : in)
        hash = (hash ^ size_t(n)) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

struct stored_input {
    explicit stored_input(const search_input &in) : content(in) {}
    bool serves(const search_input &in) const { return content == in; }
    const search_input content;
};

// What was found.
using search_lru = lru<stored_input, std::shared_ptr<const schedule>>;

// As caches, never destroyed.
search_lru &made_searches() {
    static search_lru &made = *new search_lru(tuning::n_kept_searches);
    return made;
}

} // namespace

schedule find_schedule(const tile &t, const machine &m) {
    const search_input in = input_of(t, m);
    const size_t hash = hash_of(in);
    if (const auto made = made_searches().find(in, hash)) return *made;
    const schedule s = search_schedule(t, m);
    made_searches().insert(in, hash, std::make_shared<const schedule>(s));
    return s;
}

} // namespace tfmt::cpu
