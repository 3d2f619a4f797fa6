#pragma once
// Sums of the windows of a plane, one dimension after the other: a row of windows has the columns
// of its rows' sum in common, and sums of rows fill registers.

#include <algorithm>
#include <vector>

#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/pooling/cpu/windows.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// In independent sums, where there are many elements.
template <typename A>
A sum_of_line(const A* line, int64_t n) {
  constexpr int64_t kSums = 16;
  A total = 0;
  int64_t i = 0;
  if (n >= kSums) {
    A sums[kSums] = {};
    for (; i + kSums <= n; i += kSums) {
      for (int64_t j = 0; j < kSums; ++j) sums[j] = wrapping_sum(sums[j], line[i + j]);
    }
    for (A part : sums) total = wrapping_sum(total, part);
  }
  for (; i < n; ++i) total = wrapping_sum(total, line[i]);
  return total;
}

// Where a thread's sums are: two buffers that take turns.
template <typename A>
class SumBuffers {
 public:
  // n elements, not in the buffer that holds `from`.
  A* other(const A* from, int64_t n) {
    auto& b = buffers_[from == buffers_[0].data() ? 1 : 0];
    if (static_cast<int64_t>(b.size()) < n) b.resize(n);
    return b.data();
  }

 private:
  std::vector<A> buffers_[2];
};

template <typename A>
class WindowSums {
 public:
  explicit WindowSums(const PoolShape& s) : windows_(s) {
    for (int d = 0; d < 3; ++d) {
      in_[d] = s.in[d];
      out_[d] = s.out[d];
      is_whole_[d] = s.in[d] == 1 && s.out[d] == 1 && length(windows_.along(d)[0]) == 1;
    }
    divisors_.reserve(s.out_numel());
    windows_.each(
        [&](int64_t, const Window& w) { divisors_.push_back(static_cast<A>(w.divisor)); });
  }

  // What windows divide by.
  const A* divisors() const { return divisors_.data(); }

  // The sums of all windows of a plane, in one of the buffers.
  A* of_windows(const A* plane, SumBuffers<A>& buffers) const {
    return each_dimension<false>(plane, in_, out_, nullptr, buffers);
  }
  // Adds to each element of a plane the values of the windows that it is in.
  void add_windows(const A* values, A* plane, SumBuffers<A>& buffers) const {
    each_dimension<true>(values, out_, in_, plane, buffers);
  }

 private:
  // Dimensions that become shorter from the first one on, so that rows are long while there are
  // many; those that become longer from the last one on.
  template <bool kBack>
  A* each_dimension(const A* from, const int64_t* sizes, const int64_t* results, A* plane,
                    SumBuffers<A>& buffers) const {
    const bool shrinks = product(sizes) >= product(results);
    int64_t now[3] = {sizes[0], sizes[1], sizes[2]};
    int last = -1;
    for (int k = 0; k < 3; ++k) {
      if (const int d = shrinks ? k : 2 - k; !is_whole_[d]) last = d;
    }
    for (int k = 0; k < 3; ++k) {
      const int d = shrinks ? k : 2 - k;
      if (is_whole_[d]) continue;
      const int64_t outer = product(now, 0, d), inner = product(now, d + 1, 3);
      now[d] = results[d];
      A* to = plane && d == last ? plane : buffers.other(from, product(now));
      if constexpr (kBack) {
        if (to != plane) std::fill_n(to, product(now), A(0));
        for (int64_t b = 0; b < outer; ++b)
          add_along(d, from + b * sizes[d] * inner, to + b * results[d] * inner, inner);
      } else {
        for (int64_t b = 0; b < outer; ++b)
          sum_along(d, from + b * sizes[d] * inner, to + b * results[d] * inner, inner);
      }
      from = to;
    }
    if (last < 0) {  // a plane of one element
      if constexpr (kBack) *plane = wrapping_sum(*plane, *from);
      else return &(*buffers.other(from, 1) = *from);
    }
    return const_cast<A*>(from);
  }

  // Windows in the padding may end before they begin.
  static int64_t length(const PoolShape::Range& r) { return std::max<int64_t>(0, r.end - r.begin); }
  static int64_t product(const int64_t* sizes, int begin = 0, int end = 3) {
    int64_t n = 1;
    for (int d = begin; d < end; ++d) n *= sizes[d];
    return n;
  }
  void sum_along(int d, const A* from, A* to, int64_t inner) const {
    for (const auto& r : windows_.along(d)) {
      if (inner == 1) *to = sum_of_line(from + r.begin, length(r));
      else sum_rows(from + r.begin * inner, length(r), to, inner);
      to += inner;
    }
  }
  // Rows are read once, two at a time.
  static void sum_rows(const A* row, int64_t rows, A* __restrict to, int64_t n) {
    if (rows % 2) std::copy_n(row, n, to);
    else if (rows == 0) std::fill_n(to, n, A(0));
    else
      for (int64_t c = 0; c < n; ++c) to[c] = wrapping_sum(row[c], row[n + c]);
    for (int64_t r = 2 - rows % 2; r < rows; r += 2) {
      const A *a = row + r * n, *b = a + n;
      for (int64_t c = 0; c < n; ++c) to[c] = wrapping_sum(to[c], wrapping_sum(a[c], b[c]));
    }
  }
  void add_along(int d, const A* from, A* to, int64_t inner) const {
    if (inner == 1) {
      for (const auto& r : windows_.along(d)) add_number(*from++, to + r.begin, length(r));
      return;
    }
    for (const auto& r : windows_.along(d)) {
      for (int64_t i = r.begin; i < r.end; ++i) {
        A* row = to + i * inner;
#pragma GCC ivdep
        for (int64_t c = 0; c < inner; ++c) row[c] = wrapping_sum(row[c], from[c]);
      }
      from += inner;
    }
  }

  static void add_number(A number, A* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = wrapping_sum(to[i], number);
  }

  Windows windows_;
  int64_t in_[3], out_[3];
  bool is_whole_[3];
  std::vector<A> divisors_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
