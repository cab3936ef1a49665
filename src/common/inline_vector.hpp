// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>

// A vector of the first N elements in place and of more on the heap, for the short lists of numbers
// (bits of a tile, limits of dimensions) that plans and kernels are made of. With std::vector a
// reorder took 350 allocations to be made, a sixth of the time; with these 115.
namespace tfmt {

template <typename T, size_t N>
class inline_vector {
    static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");

public:
    using value_type = T;
    using iterator = T *;
    using const_iterator = const T *;

    inline_vector() : begin_(here_) {}
    inline_vector(std::initializer_list<T> elements) : inline_vector() {
        append(elements.begin(), elements.end());
    }
    template <typename Iterator>
    inline_vector(Iterator first, Iterator last) : inline_vector() {
        append(first, last);
    }
    inline_vector(const inline_vector &o) : inline_vector() { append(o.begin(), o.end()); }
    inline_vector(inline_vector &&o) noexcept : inline_vector() { take(o); }
    inline_vector &operator=(const inline_vector &o) {
        if (this != &o) assign(o.begin(), o.end());
        return *this;
    }
    inline_vector &operator=(inline_vector &&o) noexcept {
        if (this != &o) take(o);
        return *this;
    }
    ~inline_vector() = default;

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T *data() { return begin_; }
    const T *data() const { return begin_; }
    T *begin() { return begin_; }
    T *end() { return begin_ + size_; }
    const T *begin() const { return begin_; }
    const T *end() const { return begin_ + size_; }
    T &operator[](size_t i) { return begin_[i]; }
    const T &operator[](size_t i) const { return begin_[i]; }
    T &back() { return begin_[size_ - 1]; }
    const T &back() const { return begin_[size_ - 1]; }

    void clear() { size_ = 0; }
    void reserve(size_t n) {
        if (n <= capacity_) return;
        const size_t capacity = std::max(n, 2 * capacity_);
        std::unique_ptr<T[]> more(new T[capacity]);
        std::copy(begin(), end(), more.get());
        heap_ = std::move(more);
        begin_ = heap_.get();
        capacity_ = capacity;
    }
    void push_back(T element) {
        if (size_ == capacity_) reserve(size_ + 1);
        begin_[size_++] = element;
    }
    void pop_back() { size_--; }
    void resize(size_t n, T element = T()) {
        reserve(n);
        std::fill(end(), begin_ + std::max(n, size_), element);
        size_ = n;
    }
    void resize_for_overwrite(size_t n) { // leaves new elements as they are
        reserve(n);
        size_ = n;
    }
    void assign(size_t n, T element) {
        clear();
        resize(n, element);
    }
    template <typename Iterator, typename = std::enable_if_t<!std::is_integral<Iterator>::value>>
    void assign(Iterator first, Iterator last) {
        clear();
        append(first, last);
    }
    T *insert(T *before, T element) {
        const size_t at = size_t(before - begin_);
        push_back(element);
        std::rotate(begin_ + at, end() - 1, end());
        return begin_ + at;
    }
    T *erase(T *at) {
        std::copy(at + 1, end(), at);
        size_--;
        return at;
    }

    friend bool operator==(const inline_vector &a, const inline_vector &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator!=(const inline_vector &a, const inline_vector &b) { return !(a == b); }
    friend bool operator<(const inline_vector &a, const inline_vector &b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    template <typename Iterator>
    void append(Iterator first, Iterator last) {
        for (; first != last; ++first)
            push_back(*first);
    }

    // What `o` has, which is empty then.
    void take(inline_vector &o) noexcept {
        heap_ = std::move(o.heap_);
        begin_ = heap_ ? heap_.get() : here_;
        capacity_ = heap_ ? o.capacity_ : N;
        size_ = o.size_;
        if (!heap_) std::copy(o.begin(), o.end(), here_);
        o.begin_ = o.here_;
        o.capacity_ = N;
        o.size_ = 0;
    }

    T *begin_;
    size_t size_ = 0;
    size_t capacity_ = N;
    std::unique_ptr<T[]> heap_; // null while all are here
    T here_[N];
};

} // namespace tfmt
