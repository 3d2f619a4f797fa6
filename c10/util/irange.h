#pragma once
// for (auto i : c10::irange(n)): the integers from 0 to n, or from begin to end. No iterations if
// end is before begin.

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace c10 {

template <typename I>
class integer_range {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;
    explicit constexpr iterator(I value) : value_(value) {}
    constexpr I operator*() const { return value_; }
    constexpr iterator& operator++() {
      ++value_;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++value_;
      return before;
    }
    constexpr bool operator==(const iterator& o) const { return value_ == o.value_; }
    constexpr bool operator!=(const iterator& o) const { return value_ != o.value_; }

   private:
    I value_;
  };

  constexpr integer_range(I begin, I end) : begin_(begin), end_(end < begin ? begin : end) {}
  constexpr iterator begin() const { return begin_; }
  constexpr iterator end() const { return end_; }

 private:
  iterator begin_, end_;
};

template <typename I, std::enable_if_t<std::is_integral_v<I>, bool> = true>
constexpr integer_range<I> irange(I end) {
  return {I(0), end};
}
template <typename A, typename B,
          std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>, bool> = true>
constexpr integer_range<B> irange(A begin, B end) {
  return {static_cast<B>(begin), end};
}

}  // namespace c10
