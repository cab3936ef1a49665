// SPDX-License-Identifier: Apache-2.0
#include "common/format_tag.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "common/checked.hpp"
#include "common/memory_desc_detail.hpp"

namespace tfmt {

namespace {

// The sets of domain letters, each in the order of the logical dimensions. A tag's set of letters
// selects the word, the letter's place in the word is its dimension.
const char *const domain_words[] = {
        "x", "nc", "ncw", "nchw", "ncdhw",                              // activations
        "oi", "oiw", "oihw", "oidhw", "goi", "goiw", "goihw", "goidhw", // weights
        "tn", "tnc", "ldnc", "ldio", "ldgo", "ldigo",                   // recurrent networks
};

// Words that frameworks write in upper case with nothing but a block size behind them.
bool is_framework_word(const std::string &word) {
    return word == "nc" || word == "ncw" || word == "nchw" || word == "ncdhw";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string shown(char c) {
    if (c == '\0') return "the end";
    if (c >= ' ' && c <= '~') return std::string("'") + c + "'";
    const char *hex = "0123456789abcdef";
    const unsigned char u = static_cast<unsigned char>(c);
    return std::string("'\\x") + hex[u >> 4] + hex[u & 15] + "'";
}

// One parse of one tag. `word` maps letters to dimensions: the place of a letter in it.
class tag_parser {
public:
    explicit tag_parser(const char *tag) : tag_(tag) {}

    tag_layout parse() {
        read_head();
        choose_word();
        if (!parse_framework_name()) {
            parse_blocks();
            check_upper_case_is_blocked();
        }
        return layout_;
    }

private:
    [[noreturn]] void fail(const std::string &reason) const {
        const size_t longest_shown = 64;
        std::string name(tag_, strnlen(tag_, longest_shown));
        for (char &c : name)
            if (c < ' ' || c > '~') c = '?';
        fail_invalid("tag \"" + name + "\": " + reason);
    }
    std::string at(size_t position) const {
        return shown(tag_[position]) + " at position " + std::to_string(position);
    }

    void read_head() {
        for (; is_letter(tag_[head_length_]); ++head_length_) {
            const size_t first = find_in_head(tag_[head_length_], head_length_);
            if (first < head_length_)
                fail("letter " + at(head_length_) + " repeats position " + std::to_string(first));
        }
        if (head_length_ == 0) fail("starts with " + at(0) + ", wanted the letter of a dimension");
    }

    // Position of a letter, in either case, among the first `end` characters; `end` if not there.
    size_t find_in_head(char letter, size_t end) const {
        for (size_t i = 0; i < end; ++i)
            if (lower(tag_[i]) == lower(letter)) return i;
        return end;
    }
    bool head_has(char letter) const { return find_in_head(letter, head_length_) < head_length_; }

    void choose_word() {
        // These letters belong to no domain word, so one of them makes the tag a canonical one.
        const bool is_canonical = head_has('a') || head_has('b') || head_has('e') || head_has('f')
                || head_has('j') || head_has('k');
        word_ = is_canonical ? canonical_word() : domain_word();
        layout_ = tag_layout();
        layout_.ndims = static_cast<int>(head_length_);
        for (size_t i = 0; i < head_length_; ++i)
            layout_.order[i] = static_cast<int>(word_.find(lower(tag_[i])));
    }

    std::string canonical_word() const {
        const std::string all = "abcdefghijkl";
        for (size_t i = 0; i < head_length_; ++i)
            if (all.find(lower(tag_[i])) == std::string::npos)
                fail("letter " + at(i) + " is not one of a..l");
        const std::string word = all.substr(0, head_length_);
        for (size_t i = 0; i < head_length_; ++i) {
            if (word.find(lower(tag_[i])) != std::string::npos) continue;
            for (char letter : word)
                if (!head_has(letter))
                    fail("letter " + at(i) + " without '" + letter + "' before it in the alphabet");
        }
        return word;
    }

    std::string domain_word() const {
        std::string best;
        int best_score = -1;
        for (const std::string word : domain_words) {
            int common = 0;
            for (char letter : word)
                common += head_has(letter);
            if (common == static_cast<int>(word.size()) && word.size() == head_length_) return word;
            // Prefer the word that shares most letters, then the one that asks for the fewest more.
            const int score = 16 * common - static_cast<int>(word.size());
            if (score > best_score) best_score = score, best = word;
        }
        for (size_t i = 0; i < head_length_; ++i)
            if (best.find(lower(tag_[i])) == std::string::npos)
                fail("letter " + at(i) + " is neither one of a..l together with 'a' nor part of"
                        + " dimensions such as nchw, goidhw, tnc or ldigo");
        for (char letter : best)
            if (!head_has(letter))
                fail(std::string("letter '") + letter + "' is missing beside the others of "
                        + best);
        fail("letter " + at(0) + " is unknown");
    }

    // "NHWC" is plain nhwc, "NCHW32" is nChw32c: all upper case, at most a block size at the end.
    bool parse_framework_name() {
        if (!is_framework_word(word_)) return false;
        for (size_t i = 0; i < head_length_; ++i)
            if (!is_upper(tag_[i])) return false;
        size_t end = head_length_;
        while (is_digit(tag_[end]))
            ++end;
        if (tag_[end] != '\0') return false;
        size_t position = head_length_;
        if (end > head_length_) add_block(read_size(&position), 1, head_length_);
        return true;
    }

    dim_t read_size(size_t *position) const {
        const size_t first = *position;
        if (!is_digit(tag_[first])) fail("found " + at(first) + ", wanted a block size");
        if (tag_[first] == '0') fail("block size starts with " + at(first));
        dim_t size = 0;
        for (; is_digit(tag_[*position]); ++*position)
            if (!multiply(size, 10, &size) || !add(size, tag_[*position] - '0', &size))
                fail("block size at " + at(first) + " overflows 64 bits");
        if (size < 2) fail("block size " + at(first) + " is below 2");
        return size;
    }

    void add_block(dim_t size, int dim, size_t position) {
        if (layout_.inner_nblks == TFMT_MAX_NDIMS)
            fail("block " + at(position) + " is one more than the 12 allowed");
        layout_.inner_blks[layout_.inner_nblks] = size;
        layout_.inner_idxs[layout_.inner_nblks++] = dim;
    }

    void parse_blocks() {
        size_t position = head_length_;
        while (tag_[position] != '\0') {
            const size_t first = position;
            const dim_t size = read_size(&position);
            const char letter = tag_[position];
            const size_t head = find_in_head(letter, head_length_);
            if (!is_letter(letter) || head == head_length_)
                fail("found " + at(position) + ", wanted the letter of a blocked dimension");
            if (is_upper(letter)) fail("block letter " + at(position) + " must be lower case");
            if (!is_upper(tag_[head]))
                fail("dimension " + at(head) + " must be upper case, it is blocked at position "
                        + std::to_string(first));
            add_block(size, layout_.order[head], first);
            ++position;
        }
    }

    void check_upper_case_is_blocked() const {
        for (size_t i = 0; i < head_length_; ++i) {
            if (!is_upper(tag_[i])) continue;
            const dim_t *end = layout_.inner_idxs + layout_.inner_nblks;
            if (std::find(layout_.inner_idxs, end, layout_.order[i]) == end)
                fail("upper-case letter " + at(i) + " has no block");
        }
    }

    const char *tag_;
    size_t head_length_ = 0; // letters before the first block
    std::string word_;
    tag_layout layout_ = tag_layout();
};

// Words are kept as one text, each ended by a zero: pointers to them would be 90 KB of code and
// relocations.
class word_list {
public:
    explicit word_list(const char *text) : at_(text) {}
    const char *next() {
        const char *word = at_;
        at_ += std::strlen(word) + 1;
        return word;
    }

private:
    const char *at_;
};

struct alias_row {
    const char *alias;
    const char *name;
};

// Sorted by alias, for a binary search. Never destroyed, as the next one: destructors of static
// objects may still name tags.
const std::vector<alias_row> &aliases() {
    static const auto &table = *new std::vector<alias_row>([] {
#define TFMT_ALIAS_WORDS(alias, name) #alias "\0" #name "\0"
        word_list words(TFMT_FORMAT_TAG_ALIASES(TFMT_ALIAS_WORDS));
#undef TFMT_ALIAS_WORDS
        std::vector<alias_row> rows;
        for (const char *alias; *(alias = words.next());)
            rows.push_back({alias, words.next()});
        std::sort(rows.begin(), rows.end(), [](const alias_row &a, const alias_row &b) {
            return std::strcmp(a.alias, b.alias) < 0;
        });
        return rows;
    }());
    return table;
}

// Indexed by the enumerator's number; ndims 0 where no tag has the number.
const std::vector<tag_layout> &layouts() {
    static const auto &table = *new std::vector<tag_layout>([] {
#define TFMT_TAG_NUMBER(number, name) number,
#define TFMT_TAG_WORD(number, name) #name "\0"
        static constexpr uint16_t numbers[] = {TFMT_FORMAT_TAGS(TFMT_TAG_NUMBER)};
        word_list names(TFMT_FORMAT_TAGS(TFMT_TAG_WORD));
#undef TFMT_TAG_WORD
#undef TFMT_TAG_NUMBER
        std::vector<tag_layout> rows(*std::max_element(std::begin(numbers), std::end(numbers)) + 1);
        for (const uint16_t number : numbers)
            rows[number] = parse_tag(names.next());
        return rows;
    }());
    return table;
}

bool has_blocks_of(const memory_desc &md, const tag_layout &layout) {
    const int n = layout.inner_nblks;
    return md.ndims == layout.ndims && md.inner_nblks == n
            && std::equal(md.inner_blks, md.inner_blks + n, layout.inner_blks)
            && std::equal(md.inner_idxs, md.inner_idxs + n, layout.inner_idxs);
}

} // namespace

tag_layout parse_tag(const char *tag) {
    // A few of the aliases (OhwI24o, gIOhw2i8o16i2o) mean something else than their letters say;
    // they are names that code in the field uses, so the list has the first word.
    const auto &table = aliases();
    auto row = std::lower_bound(table.begin(), table.end(), tag,
            [](const alias_row &a, const char *name) { return std::strcmp(a.alias, name) < 0; });
    const bool is_alias = row != table.end() && std::strcmp(row->alias, tag) == 0;
    return tag_parser(is_alias ? row->name : tag).parse();
}

const tag_layout &layout_of(tfmt_format_tag_t tag) {
    const auto &table = layouts();
    const size_t number = static_cast<size_t>(tag);
    if (number >= table.size() || table[number].ndims == 0)
        fail_invalid("tag is " + std::to_string(static_cast<long long>(tag))
                + ", wanted a tfmt_format_tag_t that names a layout");
    return table[number];
}

std::string print_tag(const tag_layout &layout) {
    bool is_blocked[TFMT_MAX_NDIMS] = {};
    for (int i = 0; i < layout.inner_nblks; ++i)
        is_blocked[layout.inner_idxs[i]] = true;
    std::string name;
    for (int i = 0; i < layout.ndims; ++i) {
        const int d = layout.order[i];
        name += static_cast<char>((is_blocked[d] ? 'A' : 'a') + d);
    }
    for (int i = 0; i < layout.inner_nblks; ++i) {
        name += std::to_string(layout.inner_blks[i]);
        name += static_cast<char>('a' + layout.inner_idxs[i]);
    }
    return name;
}

tfmt_format_tag_t find_tag(const memory_desc &md) {
    if (md.format_kind == tfmt_format_kind_any) return tfmt_format_tag_any;
    const auto &table = layouts();
    memory_desc dense = md;
    dense.offset0 = 0;
    for (size_t number = 0; number < table.size(); ++number) {
        if (!has_blocks_of(md, table[number])) continue;
        // Where md has strides of 0, this may be too many bytes for a valid descriptor.
        set_dense_strides(&dense, table[number].order);
        if (equal(md, dense)) return static_cast<tfmt_format_tag_t>(number);
    }
    return tfmt_format_tag_undef;
}

} // namespace tfmt
