#pragma once
// Rows of an interpolation along one dimension, which threads share.

#include <cstdint>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Calls f(line, o) for rows begin to end of lines of `out` rows.
template <typename F>
void for_each_row(int64_t begin, int64_t end, int64_t out, const F& f) {
  int64_t line = begin / out, o = begin % out;
  for (int64_t r = begin; r < end; ++r) {
    f(line, o);
    if (++o == out) o = 0, ++line;
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
