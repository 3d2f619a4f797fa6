// Extremes, with and without their indices, and logsumexp.
//
// NaN counts as larger than all numbers for max and smaller than all for min: it always wins. Among
// equal values the first one counts.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Extremes.h>
#include <ATen/native/common/cpu/ReduceLoops.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

struct Size {
  template <typename V>
  V operator()(V x) const {
    return abs(x);
  }
  float operator()(float x) const { return std::abs(x); }
  double operator()(double x) const { return std::abs(x); }
};

// acc[j] becomes the extreme of itself and element j of the rows.
template <bool kMax, typename F, typename T, size_t N>
void extreme_of_rows(T* acc, const std::array<const T*, N>& rows, int64_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    // In vectors: GCC leaves a comparison that keeps NaN to branches.
    using V = Vec<T>;
    const auto pick = [](V a, V b) { return where((kMax ? a > b : a < b) | (a != a), a, b); };
    const auto join = [&](V best, int64_t j, auto... count) {
      for (const T* row : rows) best = pick(F()(V::load(row + j, count...)), best);
      best.store(acc + j, count...);
    };
    int64_t j = 0;
    for (; j + V::size <= n; j += V::size) join(V::load(acc + j), j);
    if (j < n) join(V::load(acc + j, n - j), j, n - j);
  } else {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      T best = acc[j];
      for (size_t k = 0; k < N; ++k) best = better<T, kMax>(F()(rows[k][j]), best);
      acc[j] = best;
    }
  }
}

template <typename T, bool kMax, typename F>
struct Extreme {
  static constexpr T worst() {
    return std::is_same_v<F, Size> && kMax ? T(0) : kMax ? kWorstForMax<T> : kWorstForMin<T>;
  }
  static void init(const ReduceOps&, char* acc, int64_t n) {
    for (int64_t j = 0; j < n; ++j) values_of<T>(acc)[j] = worst();
  }
  static void row(const ReduceOps&, const char* p, int64_t n, int64_t, char* acc) {
    T* a = values_of<T>(acc);
    a[0] = extreme_row<T, kMax>(reinterpret_cast<const T*>(p), n, a[0], F());
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t, char* acc) {
    T* a = values_of<T>(acc);
    const auto row = [&](int64_t r) { return element_row<T>(p, r, row_bytes); };
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4)
      extreme_of_rows<kMax, F, T, 4>(a, {row(r), row(r + 1), row(r + 2), row(r + 3)}, n);
    for (; r < rows; ++r) extreme_of_rows<kMax, F, T, 1>(a, {row(r)}, n);
  }
  static void combine(const ReduceOps&, char* acc, const char* later, int64_t n) {
    for (int64_t j = 0; j < n; ++j)
      values_of<T>(acc)[j] = better<T, kMax>(values_of<T>(later)[j], values_of<T>(acc)[j]);
  }
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t, char* out, char*) {
    for (int64_t j = 0; j < n; ++j) values_of<T>(out)[j] = values_of<T>(acc)[j];
  }
  static void fill(ReduceOps& ops) {
    ops.compute = ops.result[0] = CppTypeToScalarType<T>::value;
    ops.acc_size = sizeof(T);
    ops.init = init;
    ops.row = row;
    ops.rows = rows_by_row<Extreme>;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = finish;
  }
};

// Both extremes in one pass: n smallest elements, then n largest.
template <typename T>
struct BothExtremes {
  using Min = Extreme<T, false, Same>;
  using Max = Extreme<T, true, Same>;
  static char* largest(char* acc, int64_t n) { return acc + n * static_cast<int64_t>(sizeof(T)); }
  static const char* largest(const char* acc, int64_t n) {
    return acc + n * static_cast<int64_t>(sizeof(T));
  }

  static void init(const ReduceOps& ops, char* acc, int64_t n) {
    Min::init(ops, acc, n);
    Max::init(ops, largest(acc, n), n);
  }
  static void add_row(const ReduceOps& ops, const char* p, int64_t n, char* min, char* max) {
    constexpr int64_t kBlock = 16384 / sizeof(T);  // still in the cache for the second extreme
    for (int64_t i = 0; i < n; i += kBlock) {
      const char* x = p + i * static_cast<int64_t>(sizeof(T));
      Min::row(ops, x, std::min(kBlock, n - i), 0, min);
      Max::row(ops, x, std::min(kBlock, n - i), 0, max);
    }
  }
  static void row(const ReduceOps& ops, const char* p, int64_t n, int64_t, char* acc) {
    add_row(ops, p, n, acc, largest(acc, 1));
  }
  static void whole_rows(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes,
                         int64_t n, char* acc) {
    constexpr int64_t kSize = sizeof(T);
    char* max = largest(acc, rows);
    for (int64_t r = 0; r < rows; ++r)
      add_row(ops, p + r * row_bytes, n, acc + r * kSize, max + r * kSize);
  }
  static void columns(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes,
                      int64_t n, int64_t first, char* acc) {
    const int64_t block = std::max<int64_t>(4, 16384 / std::max<int64_t>(1, row_bytes) / 4 * 4);
    for (int64_t r = 0; r < rows; r += block) {
      const char* x = p + r * row_bytes;
      const int64_t m = std::min(block, rows - r);
      Min::columns(ops, x, m, row_bytes, n, first, acc);
      Max::columns(ops, x, m, row_bytes, n, first, largest(acc, n));
    }
  }
  static void combine(const ReduceOps& ops, char* acc, const char* later, int64_t n) {
    Min::combine(ops, acc, later, n);
    Max::combine(ops, largest(acc, n), largest(later, n), n);
  }
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t, char* out0,
                     char* out1) {
    std::memcpy(out0, acc, static_cast<size_t>(n) * sizeof(T));
    std::memcpy(out1, largest(acc, n), static_cast<size_t>(n) * sizeof(T));
  }
  static void fill(ReduceOps& ops) {
    ops.compute = ops.result[0] = ops.result[1] = CppTypeToScalarType<T>::value;
    ops.acc_size = 2 * sizeof(T);
    ops.init = init;
    ops.row = row;
    ops.rows = whole_rows;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = finish;
  }
};

// n indices, then n values. Index -1: no element yet.
template <typename T, bool kMax>
struct IndexedExtreme {
  static int64_t* indices(char* acc) { return values_of<int64_t>(acc); }
  static T* values(char* acc, int64_t n) { return reinterpret_cast<T*>(acc + n * sizeof(int64_t)); }
  static bool beats(T a, T b) { return (kMax ? a > b : a < b) | ((a != a) & (b == b)); }

  static void init(const ReduceOps&, char* acc, int64_t n) {
    for (int64_t j = 0; j < n; ++j) {
      values(acc, n)[j] = kMax ? kWorstForMax<T> : kWorstForMin<T>;
      indices(acc)[j] = -1;
    }
  }
  // First finds the best value of a block, with vectors; searches for its index only if it beats
  // the previous best.
  static void row(const ReduceOps&, const char* p, int64_t n, int64_t first, char* acc) {
    const T* x = reinterpret_cast<const T*>(p);
    T& value = values(acc, 1)[0];
    int64_t& index = indices(acc)[0];
    constexpr int64_t kBlock = 1024;
    for (int64_t i = 0; i < n; i += kBlock) {
      int64_t m = n - i < kBlock ? n - i : kBlock;
      T best = extreme_row<T, kMax>(x + i, m, kMax ? kWorstForMax<T> : kWorstForMin<T>, Same());
      if (!beats(best, value) && index >= 0) continue;
      value = best;
      index = first + i + place_of(best, x + i, m);
    }
  }
  // The first element that is equal to `best`, or NaN.
  static int64_t place_of(T best, const T* x, int64_t n) {
    const auto here = [&](int64_t k) { return (x[k] == best) | (x[k] != x[k]); };
    constexpr int64_t kBlock = kVecBytes / sizeof(T);
    int64_t k = 0;
    for (; k + kBlock < n; k += kBlock) {
      bool found = false;
      if constexpr (std::is_floating_point_v<T>) {
        const Vec<T> v = Vec<T>::load(x + k);
        found = any((v == Vec<T>(best)) | (v != v));
      } else {
        for (int64_t j = 0; j < kBlock; ++j) found |= here(k + j);
      }
      if (found) break;
    }
    while (k < n - 1 && !here(k)) ++k;
    return k;
  }
  static void whole_rows(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes,
                         int64_t n, char* acc) {
    for (int64_t r = 0; r < rows; ++r) {
      alignas(int64_t) char one[sizeof(int64_t) + sizeof(T)];
      init(ops, one, 1);
      row(ops, p + r * row_bytes, n, 0, one);
      indices(acc)[r] = indices(one)[0];
      values(acc, rows)[r] = values(one, 1)[0];
    }
  }
  // Few adjacent columns: several rows are one run of numbers, whose best values are found without
  // their places first, as above.
  static constexpr int64_t kRun = 64, kFewColumns = 16;
  static void few_columns(const T* x, int64_t rows, int64_t n, int64_t first, T* v, int64_t* at) {
    const int64_t width = kRun / n * n, count = rows * n / width;
    T best[kRun];
    std::fill_n(best, width, kMax ? kWorstForMax<T> : kWorstForMin<T>);
    for (int64_t k = 0; k < count; ++k) {
      const T* run = x + k * width;
#pragma GCC ivdep
      for (int64_t l = 0; l < width; ++l) best[l] = better<T, kMax>(run[l], best[l]);
    }
    for (int64_t l = 0; l < rows * n - count * width; ++l)
      best[l] = better<T, kMax>(x[count * width + l], best[l]);
    for (int64_t j = 0; j < n; ++j) {
      T value = best[j];
      for (int64_t l = j + n; l < width; l += n) value = better<T, kMax>(best[l], value);
      if (!beats(value, v[j]) && at[j] >= 0) continue;
      v[j] = value;
      int64_t r = 0;
      const auto here = [&](T y) { return (y == value) | (y != y); };
      while (r < rows - 1 && !here(x[r * n + j])) ++r;
      at[j] = first + r;
    }
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t first, char* acc) {
    T* v = values(acc, n);
    int64_t* at = indices(acc);
    if (n <= kFewColumns && row_bytes == n * static_cast<int64_t>(sizeof(T)) &&
        rows * n >= 2 * kRun) {
      constexpr int64_t kBlock = 1024;
      for (int64_t r = 0; r < rows; r += kBlock)
        few_columns(element_row<T>(p, r, row_bytes), std::min(kBlock, rows - r), n, first + r, v,
                    at);
      return;
    }
    for (int64_t r = 0; r < rows; ++r) {
      const T* x = element_row<T>(p, r, row_bytes);
      const int64_t here = first + r;
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) {
        bool b = beats(x[j], v[j]) | (at[j] < 0);
        v[j] = b ? x[j] : v[j];
        at[j] = b ? here : at[j];
      }
    }
  }
  static void combine(const ReduceOps&, char* acc, const char* later, int64_t n) {
    char* l = const_cast<char*>(later);
    for (int64_t j = 0; j < n; ++j) {
      if (indices(l)[j] < 0) continue;
      if (indices(acc)[j] < 0 || beats(values(l, n)[j], values(acc, n)[j])) {
        values(acc, n)[j] = values(l, n)[j];
        indices(acc)[j] = indices(l)[j];
      }
    }
  }
  template <bool kOnlyPlace>
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t, char* out0,
                     char* out1) {
    char* a = const_cast<char*>(acc);
    char* to = kOnlyPlace ? out0 : out1;
    for (int64_t j = 0; j < n; ++j) {
      if (!kOnlyPlace) values_of<T>(out0)[j] = values(a, n)[j];
      values_of<int64_t>(to)[j] = indices(a)[j];
    }
  }
  static void fill(ReduceOps& ops, bool only_index) {
    ops.compute = CppTypeToScalarType<T>::value;
    ops.result[0] = only_index ? kLong : ops.compute;
    ops.result[1] = only_index ? ScalarType::Undefined : kLong;
    ops.acc_size = sizeof(int64_t) + sizeof(T);
    ops.init = init;
    ops.row = row;
    ops.rows = whole_rows;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = only_index ? finish<true> : finish<false>;
  }
};

// n maxima, then n sums of exp(x - maximum).
template <typename T>
struct LogSumExp {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  static double* maxima(char* acc) { return values_of<double>(acc); }
  static double* sums(char* acc, int64_t n) { return values_of<double>(acc) + n; }
  static void init(const ReduceOps&, char* acc, int64_t n) {
    for (int64_t j = 0; j < n; ++j) {
      maxima(acc)[j] = kNone;
      sums(acc, n)[j] = 0;
    }
  }
  static void join(double& m, double& s, double more_m, double more_s) {
    if (more_m == kNone) return;
    if (more_m > m || more_m != more_m) {
      s = more_s + (m == kNone ? 0 : s * std::exp(m - more_m));
      m = more_m;
    } else {
      s += more_s * (m == more_m ? 1 : std::exp(more_m - m));
    }
  }
  static void row(const ReduceOps&, const char* p, int64_t n, int64_t, char* acc) {
    const T* x = reinterpret_cast<const T*>(p);
    for (int64_t i = 0; i < n; i += kSumBlock) {
      int64_t m = n - i < kSumBlock ? n - i : kSumBlock;
      T max = extreme_row<T, true>(x + i, m, kWorstForMax<T>, Same());
      if (max == kWorstForMax<T>) continue;
      constexpr int64_t W = Vec<T>::size;
      const T shift = max == std::numeric_limits<T>::infinity() ? T(0) : max;
      double s = sum_row(x + i, m / W * W, [shift](Vec<T> v) { return exp_up_to_zero(v - shift); });
      if (const int64_t done = m / W * W; done < m) {
        const Vec<T> last = exp_up_to_zero(Vec<T>::load(x + i + done, m - done) - shift);
        s += add_lanes(first_lanes(last, m - done, T(0)));
      }
      join(maxima(acc)[0], sums(acc, 1)[0], static_cast<double>(max), max == shift ? s : 1.0);
    }
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t, char* acc) {
    constexpr int64_t W = Vec<T>::size;
    alignas(64) T max[kMaxReduceColumns], sum[kMaxReduceColumns];
    for (int64_t r = 0; r < rows; r += kRowsPerBlock) {
      int64_t m = rows - r < kRowsPerBlock ? rows - r : kRowsPerBlock;
      for (int64_t j = 0; j < n; ++j) max[j] = kWorstForMax<T>, sum[j] = T(0);
      for (int64_t k = 0; k < m; ++k) {
        const T* x = element_row<T>(p, r + k, row_bytes);
        for (int64_t j = 0; j < n; ++j) max[j] = better<T, true>(x[j], max[j]);
      }
      for (int64_t k = 0; k < m; ++k) {
        const T* x = element_row<T>(p, r + k, row_bytes);
        for (int64_t j = 0; j < n; j += W) {
          int64_t c = n - j < W ? n - j : W;
          Vec<T> top = Vec<T>::load(max + j, c),
                 shift = where(abs(top) == std::numeric_limits<T>::infinity(), T(0), top);
          (Vec<T>::load(sum + j, c) + exp(Vec<T>::load(x + j, c) - shift)).store(sum + j, c);
        }
      }
      for (int64_t j = 0; j < n; ++j)
        join(maxima(acc)[j], sums(acc, n)[j], static_cast<double>(max[j]),
             static_cast<double>(sum[j]));
    }
  }
  static void combine(const ReduceOps&, char* acc, const char* later, int64_t n) {
    char* l = const_cast<char*>(later);
    for (int64_t j = 0; j < n; ++j)
      join(maxima(acc)[j], sums(acc, n)[j], maxima(l)[j], sums(l, n)[j]);
  }
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t, char* out, char*) {
    using V = Vec<double>;
    char* a = const_cast<char*>(acc);
    T* to = values_of<T>(out);
    // A register of a number that was just written would have to wait for it.
    if (n == 1) {
      const double m = maxima(a)[0];
      *to = static_cast<T>(std::abs(m) == -kNone ? m : m + std::log(sums(a, n)[0]));
      return;
    }
    for (int64_t j = 0; j < n; j += V::size) {
      const int64_t count = std::min<int64_t>(V::size, n - j);
      const V m = V::load(maxima(a) + j, count);
      const V value = where(abs(m) == V(-kNone), m, m + log(V::load(sums(a, n) + j, count)));
      alignas(kVecBytes) double values[V::size];
      value.store(values);
      for (int64_t k = 0; k < count; ++k) to[j + k] = static_cast<T>(values[k]);
    }
  }
  static void fill(ReduceOps& ops) {
    ops.compute = ops.result[0] = CppTypeToScalarType<T>::value;
    ops.acc_size = 16;
    ops.init = init;
    ops.row = row;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = finish;
  }
};

template <bool kMax, typename F>
bool extreme(ScalarType compute, ReduceOps& ops) {
  if (compute == kFloat) {
    Extreme<float, kMax, F>::fill(ops);
  } else if (compute == kDouble) {
    Extreme<double, kMax, F>::fill(ops);
  } else if (isIntegralType(compute, false) && std::is_same_v<F, Same>) {
    dispatch_types<IntegralTypes>(
        compute, "amax", [&]<typename T>(TypeTag<T>) { Extreme<T, kMax, Same>::fill(ops); });
  } else {
    return false;
  }
  return true;
}

bool both_extremes(ScalarType compute, ReduceOps& ops) {
  if (compute != kFloat && compute != kDouble && !isIntegralType(compute, false)) return false;
  dispatch_types<FloatingTypes, IntegralTypes>(
      compute, "aminmax", [&]<typename T>(TypeTag<T>) { BothExtremes<T>::fill(ops); });
  return true;
}

template <bool kMax>
bool indexed_extreme(ScalarType compute, ReduceOps& ops, bool only_index) {
  if (compute == kFloat) {
    IndexedExtreme<float, kMax>::fill(ops, only_index);
  } else if (compute == kDouble) {
    IndexedExtreme<double, kMax>::fill(ops, only_index);
  } else if (compute == kLong) {
    IndexedExtreme<int64_t, kMax>::fill(ops, only_index);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool reduce_order_ops(ReduceKind kind, ScalarType compute, ReduceOps& ops) {
  switch (kind) {
    case ReduceKind::amax:
      return extreme<true, Same>(compute, ops);
    case ReduceKind::amin:
      return extreme<false, Same>(compute, ops);
    case ReduceKind::aminmax:
      return both_extremes(compute, ops);
    case ReduceKind::norm_inf:
      return extreme<true, Size>(compute, ops);
    case ReduceKind::norm_neg_inf:
      return extreme<false, Size>(compute, ops);
    case ReduceKind::argmax:
      return indexed_extreme<true>(compute, ops, true);
    case ReduceKind::argmin:
      return indexed_extreme<false>(compute, ops, true);
    case ReduceKind::max:
      return indexed_extreme<true>(compute, ops, false);
    case ReduceKind::min:
      return indexed_extreme<false>(compute, ops, false);
    case ReduceKind::logsumexp:
      if (compute != kFloat && compute != kDouble) return false;
      compute == kFloat ? LogSumExp<float>::fill(ops) : LogSumExp<double>::fill(ops);
      return true;
    default:
      return false;
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
