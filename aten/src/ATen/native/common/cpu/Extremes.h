#pragma once
// The largest or smallest element of a run. NaN counts as larger than all numbers for the largest
// and as smaller for the smallest.

#include <limits>
#include <type_traits>

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
constexpr T kWorstForMax =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                         : std::numeric_limits<T>::lowest();
template <typename T>
constexpr T kWorstForMin = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                : std::numeric_limits<T>::max();

template <typename T, bool kMax>
C10_ALWAYS_INLINE T better(T a, T b) {
  return ((kMax ? a > b : a < b) | (a != a)) ? a : b;
}

// Several running values, so that a comparison need not wait for the previous one.
template <typename T, bool kMax, typename F>
T extreme_row(const T* p, int64_t n, T start, const F& f) {
  if constexpr (std::is_floating_point_v<T>) {
    using V = Vec<T>;
    constexpr int64_t W = V::size;
    // One instruction takes b where either is NaN.
    auto pick = [](V a, V b) { return where(a != a, a, kMax ? max(a, b) : min(a, b)); };
    if (n < W) return fold_lanes(pick(first_lanes(f(V::load(p, n)), n, start), V(start)), pick);
    int64_t i = 0;
    V a = f(V::load(p));
    if (n >= 4 * W) {
      V b = f(V::load(p + W)), c = f(V::load(p + 2 * W)), d = f(V::load(p + 3 * W));
      for (i = 4 * W; i + 4 * W <= n; i += 4 * W) {
        a = pick(f(V::load(p + i)), a);
        b = pick(f(V::load(p + i + W)), b);
        c = pick(f(V::load(p + i + 2 * W)), c);
        d = pick(f(V::load(p + i + 3 * W)), d);
      }
      a = pick(pick(a, b), pick(c, d));
    } else {
      i = W;
    }
    for (; i + W <= n; i += W) a = pick(f(V::load(p + i)), a);
    // The last vector overlaps the one before it: an extreme may count elements twice.
    if (i < n) a = pick(f(V::load(p + n - W)), a);
    return better<T, kMax>(fold_lanes(a, pick), start);
  } else {
    // Several vectors, as above: GCC keeps one.
    using Lane = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    typedef Lane V __attribute__((vector_size(kVecBytes), may_alias, aligned(alignof(T))));
    constexpr int64_t W = kVecBytes / sizeof(T);
    T result = start;
    int64_t i = 0;
    if (n >= 4 * W) {
      const auto at = [&](int64_t j) { return *reinterpret_cast<const V*>(p + j); };
      const auto pick = [](V a, V b) { return V((kMax ? a > b : a < b) ? a : b); };
      V a = at(0), b = at(W), c = at(2 * W), d = at(3 * W);
      for (i = 4 * W; i + 4 * W <= n; i += 4 * W) {
        a = pick(at(i), a);
        b = pick(at(i + W), b);
        c = pick(at(i + 2 * W), c);
        d = pick(at(i + 3 * W), d);
      }
      a = pick(pick(a, b), pick(c, d));
      for (int64_t k = 0; k < W; ++k) result = better<T, kMax>(static_cast<T>(a[k]), result);
    }
    for (; i < n; ++i) result = better<T, kMax>(p[i], result);
    return result;
  }
}

struct Same {
  template <typename V>
  V operator()(V x) const {
    return x;
  }
};
}  // namespace CPU_CAPABILITY
}  // namespace at::native
