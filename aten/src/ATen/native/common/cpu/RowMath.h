#pragma once
// Sums over a run of numbers in several registers at once, and runs of any floating type converted
// to the compute type.

#include <algorithm>
#include <utility>
#include <vector>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The compute type of a type.
template <typename T>
using OpMath = std::conditional_t<std::is_same<T, double>::value, double, float>;

// The sum of f(i) for vectors at i, and of f(i, count) for the last one, which is padded with
// zeros.
template <typename V, typename F>
V sum_vectors(int64_t n, const F& f) {
  constexpr int64_t W = Vec<V>::size;
  Vec<V> a(V(0)), b(V(0)), c(V(0)), d(V(0));
  int64_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    a += f(i, W);
    b += f(i + W, W);
    c += f(i + 2 * W, W);
    d += f(i + 3 * W, W);
  }
  for (; i + W <= n; i += W) a += f(i, W);
  if (i < n) b += f(i, n - i);
  return sum_lanes((a + b) + (c + d));
}

template <typename T>
Vec<OpMath<T>> load_part(const T* p, int64_t n) {
  return n == Vec<OpMath<T>>::size ? load_wide(p) : load_wide(p, n);
}

template <typename V>
void store_part(Vec<V> x, V* p, int64_t n) {
  n == Vec<V>::size ? x.store(p) : x.store(p, n);
}
// f(i, count) for each vector of a run of n, the last one shorter.
template <typename V, typename F>
C10_ALWAYS_INLINE void for_vectors(int64_t n, const F& f) {
  constexpr int64_t W = Vec<V>::size;
  int64_t i = 0;
  for (; i + W <= n; i += W) f(i, W);
  if (i < n) f(i, n - i);
}

template <typename T>
OpMath<T> sum_of(const T* x, int64_t n) {
  return sum_vectors<OpMath<T>>(n, [x](int64_t i, int64_t k) { return load_part(x + i, k); });
}

// The sum of term(x - shift). Elements beyond the end must not count, so the last vector is masked.
template <typename T, typename F>
OpMath<T> sum_about(const T* x, int64_t n, OpMath<T> shift, const F& term) {
  using V = OpMath<T>;
  constexpr int64_t W = Vec<V>::size;
  const Vec<V> s(shift);
  const int64_t vectorized = n / W * W;
  V total =
      sum_vectors<V>(vectorized, [&](int64_t i, int64_t) { return term(load_wide(x + i) - s); });
  if (vectorized < n) {
    const int64_t left = n - vectorized;
    total += sum_lanes(term(first_lanes(load_part(x + vectorized, left) - s, left, V(0))));
  }
  return total;
}
template <typename T>
OpMath<T> sum_of_differences(const T* x, int64_t n, OpMath<T> shift) {
  return sum_about(x, n, shift, [](auto d) { return d; });
}
template <typename T>
OpMath<T> sum_of_squares(const T* x, int64_t n, OpMath<T> shift) {
  return sum_about(x, n, shift, [](auto d) { return d * d; });
}

template <typename V>
V dot_of(const V* x, const V* y, int64_t n) {
  return sum_vectors<V>(
      n, [x, y](int64_t i, int64_t k) { return load_part(x + i, k) * load_part(y + i, k); });
}

// The sum of x * (y - shift).
template <typename V>
V dot_of_shifted(const V* x, const V* y, V shift, int64_t n) {
  constexpr int64_t W = Vec<V>::size;
  Vec<V> s(shift);
  int64_t vectorized = n / W * W;
  V total = sum_vectors<V>(vectorized, [&](int64_t i, int64_t) {
    return Vec<V>::load(x + i) * (Vec<V>::load(y + i) - s);
  });
  if (vectorized < n) {
    const int64_t k = n - vectorized;
    const Vec<V> products = load_part(x + vectorized, k) * (load_part(y + vectorized, k) - s);
    total += sum_lanes(first_lanes(products, k, V(0)));
  }
  return total;
}

// The sums of the lanes of two vectors, in fewer steps than one after the other takes.
template <typename V>
std::pair<V, V> sum_lanes_of_two(Vec<V> a, Vec<V> b) {
  constexpr int kHalf = Vec<V>::size / 2;
  typename Vec<V>::Mask partner, in_first;
  for (int k = 0; k < Vec<V>::size; ++k) {
    partner[k] = k ^ kHalf;
    in_first[k] = k < kHalf ? -1 : 0;
  }
  const auto halves = [&](Vec<V> v) { return v + Vec<V>(__builtin_shuffle(v.v, partner)); };
  // A half of each: the steps that are left stay within halves.
  Vec<V> both = where(in_first, halves(a), halves(b));
  for (int distance = kHalf / 2; distance > 0; distance /= 2) {
    for (int k = 0; k < Vec<V>::size; ++k) partner[k] = k ^ distance;
    both += Vec<V>(__builtin_shuffle(both.v, partner));
  }
  return {both.v[0], both.v[kHalf]};
}

// The sum of g, and that of g * (x - shift).
template <typename T>
std::pair<OpMath<T>, OpMath<T>> sum_and_dot(const T* g, const T* x, OpMath<T> shift, int64_t n) {
  using V = OpMath<T>;
  constexpr int64_t W = Vec<V>::size;
  const Vec<V> m(shift);
  Vec<V> s0(V(0)), s1(V(0)), d0(V(0)), d1(V(0));
  int64_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    const Vec<V> g0 = load_wide(g + i), g1 = load_wide(g + i + W);
    s0 += g0;
    s1 += g1;
    d0 += g0 * (load_wide(x + i) - m);
    d1 += g1 * (load_wide(x + i + W) - m);
  }
  // Lanes behind the end are 0, as are their products.
  for (; i < n; i += W) {
    const int64_t count = std::min(W, n - i);
    const Vec<V> g0 = load_part(g + i, count);
    s0 += g0;
    d0 += g0 * (load_part(x + i, count) - m);
  }
  return sum_lanes_of_two(s0 + s1, d0 + d1);
}

// to[i] = f(from[i], i), computed in OpMath<T>; `from` is of that type or of T.
template <typename S, typename T, typename F>
void map_row(const S* from, T* to, int64_t n, const F& f) {
  using V = OpMath<T>;
  if constexpr (std::is_same_v<T, V>) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) to[i] = f(from[i], i);
  } else {
    constexpr int64_t kPiece = 256;
    alignas(64) V piece[kPiece];
    for (int64_t begin = 0; begin < n; begin += kPiece) {
      const int64_t count = std::min(kPiece, n - begin);
      const V* values = piece;
      if constexpr (std::is_same_v<S, V>) values = from + begin;
      else widen(from + begin, piece, count);
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) piece[i] = f(values[i], begin + i);
      narrow(piece, to + begin, count);
    }
  }
}

// A run of T as OpMath<T>: the memory itself, or a buffer with converted values.
template <typename T>
class RowReader {
 public:
  using V = OpMath<T>;
  explicit RowReader(int64_t n) {
    if (!std::is_same<T, V>::value) buffer_.resize(n);
  }
  const V* operator()(const T* row, int64_t n) {
    if constexpr (std::is_same<T, V>::value) {
      return row;
    } else {
      V* to = buffer_.data();
      widen(row, to, n);
      return to;
    }
  }

 private:
  std::vector<V> buffer_;
};

// f(r, row r of x, its result) for rows begin to end, in OpMath<T>: halves are converted several
// rows at a time.
template <typename T, typename F>
void each_row(const T* x, T* y, int64_t begin, int64_t end, int64_t n, const F& f) {
  using V = OpMath<T>;
  if constexpr (std::is_same_v<T, V>) {
    for (int64_t r = begin; r < end; ++r) f(r, x + r * n, y + r * n);
  } else {
    const int64_t together = std::max<int64_t>(1, 2048 / std::max<int64_t>(n, 1));
    std::vector<V> in(static_cast<size_t>(together * n)), out(in.size());
    for (int64_t r = begin; r < end; r += together) {
      const int64_t rows = std::min(together, end - r);
      widen(x + r * n, in.data(), rows * n);
      for (int64_t k = 0; k < rows; ++k)
        f(r + k, static_cast<const V*>(in.data()) + k * n, out.data() + k * n);
      narrow(static_cast<const V*>(out.data()), y + r * n, rows * n);
    }
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
