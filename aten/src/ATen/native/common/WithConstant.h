#pragma once
// A function for each of a few numbers, in which the number is known to the compiler.

#include <cstdint>
#include <type_traits>
#include <utility>

namespace at::native {

// Calls f(std::integral_constant<int, n>()) for n from `first` to `last`; false for other numbers.
template <int first, int last, typename F>
bool with_constant(int64_t n, const F& f) {
  return [&]<int... k>(std::integer_sequence<int, k...>) {
    return ((n == first + k && (f(std::integral_constant<int, first + k>()), true)) || ...);
  }(std::make_integer_sequence<int, last - first + 1>());
}

}  // namespace at::native
