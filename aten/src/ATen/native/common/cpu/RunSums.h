#pragma once
// Sums of runs of numbers, place by place, several registers of places at a time.

#include <cstdint>
#include <type_traits>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// write(sum, c, size...) for all vectors V of n places, where c is the place of the first one, and
// the sum is that of term(k, c, size...) over k from 0 to `count`. `size`: nothing for a whole
// vector, or the places of a shorter one.
template <typename V, typename Term, typename Write>
C10_ALWAYS_INLINE void sum_in_registers(int64_t count, int64_t n, Term term, Write write) {
  int64_t c = 0;
  const auto sum = [&](auto registers, auto... size) __attribute__((always_inline)) {
    constexpr int64_t R = registers;
    V sums[R];
    for (int64_t r = 0; r < R; ++r) sums[r] = count > 0 ? term(0, c + r * V::size, size...) : V(0);
    for (int64_t k = 1; k < count; ++k) {
      for (int64_t r = 0; r < R; ++r) sums[r] += term(k, c + r * V::size, size...);
    }
    for (int64_t r = 0; r < R; ++r) write(sums[r], c + r * V::size, size...);
    c += R * V::size;
  };
  using std::integral_constant;
  while (c + 8 * V::size <= n) sum(integral_constant<int64_t, 8>());
  if (c + 4 * V::size <= n) sum(integral_constant<int64_t, 4>());
  while (c + V::size <= n) sum(integral_constant<int64_t, 1>());
  if (c < n) sum(integral_constant<int64_t, 1>(), n - c);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
