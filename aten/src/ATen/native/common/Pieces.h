#pragma once
// A run of elements in contiguous pieces, one for each thread, for work whose passes depend on each
// other: what a pass finds in a piece tells the next pass where that piece goes.

#include <algorithm>

#include <ATen/Parallel.h>

namespace at::native {

struct Pieces {
  int64_t n, count = 1;

  // As many as threads that can run now, and no more than are worth it.
  static Pieces for_threads(int64_t n) {
    const int64_t threads = in_parallel_region() ? 1 : get_num_threads();
    return {n, std::max<int64_t>(1, std::min<int64_t>(threads, n / kGrainSize))};
  }
  // f(number of the piece, its first element, its end)
  template <typename F>
  void for_each(const F& f) const {
    parallel_for(0, count, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) f(p, n * p / count, n * (p + 1) / count);
    });
  }
};

}  // namespace at::native
