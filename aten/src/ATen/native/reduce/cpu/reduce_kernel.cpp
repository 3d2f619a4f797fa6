// sum, mean, norms, count_nonzero, prod, all, any.

#include <cmath>

#include <ATen/native/common/BoolBytes.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/ReduceLoops.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// The term that a sum adds for x, and the result computed from the total.
struct Identity {
  template <typename V>
  static V map(V x, double) {
    return x;
  }
  static double finish(double s, int64_t, double) { return s; }
};
struct Mean : Identity {
  static double finish(double s, int64_t count, double) { return s / static_cast<double>(count); }
};
struct WithoutNan : Identity {
  template <typename V>
  static V map(V x, double) {
    return where(x == x, x, V(typename V::value_type(0)));
  }
};
struct Norm2 {
  template <typename V>
  static V map(V x, double) {
    return x * x;
  }
  static double finish(double s, int64_t, double) { return std::sqrt(s); }
};
struct Norm1 : Identity {
  template <typename V>
  static V map(V x, double) {
    return abs(x);
  }
};
struct Norm0 : Identity {
  template <typename V>
  static V map(V x, double) {
    using T = typename V::value_type;
    return where(x != T(0), V(T(1)), V(T(0)));
  }
};
struct NormP {
  template <typename V>
  static V map(V x, double p) {
    using T = typename V::value_type;
    return pow(abs(x), V(static_cast<T>(p)));
  }
  static double finish(double s, int64_t, double p) { return std::pow(s, 1 / p); }
};

template <typename T, typename M>
struct FloatSum {
  template <typename Stored = T>
  static void row(const ReduceOps& ops, const char* p, int64_t n, int64_t, char* acc) {
    const double parameter = ops.parameter;
    values_of<double>(acc)[0] += sum_row(reinterpret_cast<const Stored*>(p), n,
                                         [parameter](Vec<T> x) { return M::map(x, parameter); });
  }
  template <typename Stored = T>
  static void columns(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes,
                      int64_t n, int64_t, char* acc) {
    const double parameter = ops.parameter;
    sum_columns<T, Stored>(values_of<double>(acc), p, rows, row_bytes, n,
                           [parameter](Vec<T> x) { return M::map(x, parameter); });
  }
  static void finish(const ReduceOps& ops, const char* acc, int64_t n, int64_t count, char* out,
                     char*) {
    for (int64_t j = 0; j < n; ++j)
      values_of<T>(out)[j] =
          static_cast<T>(M::finish(values_of<double>(acc)[j], count, ops.parameter));
  }
  static void few_rows(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes,
                       int64_t n, char* out) {
    constexpr int64_t kColumns = 256, W = Vec<T>::size;
    static_assert(kColumns % W == 0);
    alignas(64) T sums[kColumns];
    T* to = values_of<T>(out);
    for (int64_t j = 0; j < n; j += kColumns) {
      const int64_t count = std::min(kColumns, n - j);
      const auto add_rows = [&](int64_t i, auto load) {
        Vec<T> sum(T(0));  // so that zeros of any sign have the sum +0
        for (int64_t r = 0; r < rows; ++r)
          sum += M::map(load(element_row<T>(p, r, row_bytes) + j + i), ops.parameter);
        sum.store(sums + i);
      };
      int64_t i = 0;
      for (; i + W <= count; i += W) add_rows(i, [](const T* x) { return Vec<T>::load(x); });
      if (i < count) add_rows(i, [rest = count - i](const T* x) { return Vec<T>::load(x, rest); });
      for (int64_t k = 0; k < count; ++k)
        to[j + k] = static_cast<T>(M::finish(static_cast<double>(sums[k]), rows, ops.parameter));
    }
  }
  static void fill(ReduceOps& ops) {
    ops.few_rows = few_rows;
    ops.compute = ops.result[0] = CppTypeToScalarType<T>::value;
    ops.acc_size = sizeof(double);
    ops.init = init_zero<double>;
    ops.row = row<>;
    if constexpr (std::is_same_v<T, float>) {
      ops.row_of_half = row<c10::Half>;
      ops.row_of_bfloat16 = row<c10::BFloat16>;
      ops.columns_of_half = columns<c10::Half>;
      ops.columns_of_bfloat16 = columns<c10::BFloat16>;
    }
    ops.rows = rows_by_row<FloatSum>;
    ops.columns = columns<>;
    ops.combine = combine_add<double>;
    ops.finish = finish;
  }
};

// A negative p makes 0 an infinite term, including the padding of the last vector: so the loop is
// scalar.
template <typename T>
void power_row(const ReduceOps& ops, const char* p, int64_t n, int64_t first, char* acc) {
  if (ops.parameter > 0) return FloatSum<T, NormP>::row(ops, p, n, first, acc);
  for (int64_t i = 0; i < n; ++i)
    values_of<double>(acc)[0] +=
        std::pow(std::abs(static_cast<double>(values_of<T>(p)[i])), ops.parameter);
}

template <typename M>
bool float_sum(ScalarType compute, ReduceOps& ops) {
  if (compute == kFloat) {
    FloatSum<float, M>::fill(ops);
  } else if (compute == kDouble) {
    FloatSum<double, M>::fill(ops);
  } else {
    return false;
  }
  return true;
}

// Complex numbers are pairs of real ones, so sums of columns of them are those of twice as many.
template <typename R>
void add_complex_columns(const char* p, int64_t rows, int64_t row_bytes, int64_t n, char* acc) {
  sum_columns<R>(values_of<double>(acc), p, rows, row_bytes, 2 * n, [](Vec<R> x) { return x; });
}

// In a row, even lanes hold the real parts and odd ones the others. Returns how many numbers were
// added: as many as fill vectors.
template <typename R>
int64_t add_complex_row(const R* x, int64_t n, char* acc) {
  constexpr int64_t W = Vec<R>::size, kStep = 4 * W;
  int64_t i = 0;
  while (i + kStep <= 2 * n) {
    const int64_t end = std::min(2 * n - kStep, i + kSumBlock - kStep);
    Vec<R> sums[4] = {};
    for (; i <= end; i += kStep) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sums[k] += Vec<R>::load(x + i + k * W);
    }
    const Vec<R> all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (int64_t k = 0; k < W; ++k) values_of<double>(acc)[k & 1] += static_cast<double>(all.v[k]);
  }
  return i / 2;
}

// Sums in the accumulator's own arithmetic: of integers, which wrap, of complex numbers and of
// bytes.
template <typename T, typename A, typename R>
struct PlainSum {
  static constexpr bool kComplex = std::is_same_v<A, c10::complex<double>>;

  static void row(const ReduceOps&, const char* p, int64_t n, int64_t, char* acc) {
    const T* x = reinterpret_cast<const T*>(p);
    A part[4] = {A(0), A(0), A(0), A(0)};
    int64_t i = 0;
    if constexpr (std::is_same_v<T, A> && std::is_integral_v<T>) {
      // In four registers, which do not wait for each other.
      typedef T Lanes __attribute__((vector_size(kVecBytes), may_alias, aligned(alignof(T))));
      constexpr int64_t kLanes = kVecBytes / sizeof(T);
      Lanes sums[4] = {};
      for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
        for (int k = 0; k < 4; ++k) sums[k] += *reinterpret_cast<const Lanes*>(x + i + k * kLanes);
      }
      const Lanes all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      for (int64_t k = 0; k < kLanes; ++k) part[k & 3] += all[k];
    }
    if constexpr (kComplex)
      i = add_complex_row(reinterpret_cast<const typename T::value_type*>(x), n, acc);
    for (; i + 4 <= n; i += 4) {
      for (int k = 0; k < 4; ++k) part[k] = part[k] + A(x[i + k]);
    }
    for (; i < n; ++i) part[0] = part[0] + A(x[i]);
    values_of<A>(acc)[0] = values_of<A>(acc)[0] + ((part[0] + part[1]) + (part[2] + part[3]));
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t, char* acc) {
    if constexpr (kComplex)
      return add_complex_columns<typename T::value_type>(p, rows, row_bytes, n, acc);
    A* sums = values_of<A>(acc);
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const T* x[4];
      for (int k = 0; k < 4; ++k) x[k] = element_row<T>(p, r + k, row_bytes);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j)
        sums[j] = sums[j] + ((A(x[0][j]) + A(x[1][j])) + (A(x[2][j]) + A(x[3][j])));
    }
    for (; r < rows; ++r) {
      const T* x = element_row<T>(p, r, row_bytes);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) sums[j] = sums[j] + A(x[j]);
    }
  }
  template <bool kMean>
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t count, char* out,
                     char*) {
    for (int64_t j = 0; j < n; ++j) {
      if constexpr (kMean) {
        values_of<R>(out)[j] = R(values_of<A>(acc)[j] / A(static_cast<double>(count)));
      } else {
        values_of<R>(out)[j] = R(values_of<A>(acc)[j]);
      }
    }
  }
  template <bool kMean>
  static void fill(ReduceOps& ops, ScalarType compute, ScalarType result) {
    ops.compute = compute;
    ops.result[0] = result;
    ops.acc_size = sizeof(A);
    ops.init = init_zero<A>;
    ops.row = row;
    ops.rows = rows_by_row<PlainSum>;
    ops.columns = columns;
    ops.combine = combine_add<A>;
    ops.finish = finish<kMean>;
  }
};

// Multiplies numbers of x into those of `part`, as many as fill vectors; returns how many.
template <typename R>
int64_t complex_products(const R* x, int64_t n, c10::complex<R>* part) {
  constexpr int64_t kLanes = 4 * Vec<R>::size;
  if (n < 2 * kLanes) return 0;
  R real[kLanes], imag[kLanes];
  for (int64_t k = 0; k < kLanes; ++k) real[k] = x[2 * k], imag[k] = x[2 * k + 1];
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    const R* y = x + 2 * i;
#pragma GCC ivdep
    for (int64_t k = 0; k < kLanes; ++k) {
      const R re = y[2 * k], im = y[2 * k + 1], product = real[k] * re - imag[k] * im;
      imag[k] = real[k] * im + imag[k] * re;
      real[k] = product;
    }
  }
  for (int64_t k = 0; k < kLanes; ++k) part[k & 3] *= c10::complex<R>(real[k], imag[k]);
  return i;
}

template <typename T, typename A>
struct Product {
  static void init(const ReduceOps&, char* acc, int64_t n) {
    for (int64_t j = 0; j < n; ++j) values_of<A>(acc)[j] = A(1);
  }
  static void row(const ReduceOps&, const char* p, int64_t n, int64_t, char* acc) {
    const T* x = reinterpret_cast<const T*>(p);
    A part[4] = {A(1), A(1), A(1), A(1)};
    int64_t i = 0;
    if constexpr (std::is_floating_point_v<T>) {
      constexpr int64_t W = Vec<T>::size;
      Vec<T> v[4] = {T(1), T(1), T(1), T(1)};
      for (; i + 4 * W <= n; i += 4 * W) {
        for (int k = 0; k < 4; ++k) v[k] *= Vec<T>::load(x + i + k * W);
      }
      Vec<T> all = (v[0] * v[1]) * (v[2] * v[3]);
      for (int64_t k = 0; k < W; ++k) part[k & 3] *= all.v[k];
    } else if constexpr (!std::is_integral_v<T>) {
      i = complex_products(reinterpret_cast<const typename T::value_type*>(x), n, part);
    }
    for (; i + 4 <= n; i += 4) {
      for (int k = 0; k < 4; ++k) part[k] = part[k] * A(x[i + k]);
    }
    for (; i < n; ++i) part[0] = part[0] * A(x[i]);
    values_of<A>(acc)[0] = values_of<A>(acc)[0] * ((part[0] * part[1]) * (part[2] * part[3]));
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t, char* acc) {
    for (int64_t r = 0; r < rows; ++r) {
      const T* x = element_row<T>(p, r, row_bytes);
      for (int64_t j = 0; j < n; ++j) values_of<A>(acc)[j] = values_of<A>(acc)[j] * A(x[j]);
    }
  }
  static void combine(const ReduceOps&, char* acc, const char* later, int64_t n) {
    for (int64_t j = 0; j < n; ++j)
      values_of<A>(acc)[j] = values_of<A>(acc)[j] * values_of<A>(later)[j];
  }
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t, char* out, char*) {
    for (int64_t j = 0; j < n; ++j) values_of<T>(out)[j] = T(values_of<A>(acc)[j]);
  }
  static void fill(ReduceOps& ops, ScalarType compute) {
    ops.compute = ops.result[0] = compute;
    ops.acc_size = sizeof(A);
    ops.init = init;
    ops.row = row;
    ops.rows = rows_by_row<Product>;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = finish;
  }
};

// Over bytes, which are true if they are not 0. `a` is 0 or 1.
template <bool kAll>
struct Logic {
  static uint8_t join(uint8_t a, uint8_t b) {
    const uint8_t truth = b != 0;
    return kAll ? a & truth : a | truth;
  }
  static void init(const ReduceOps&, char* acc, int64_t n) {
    for (int64_t j = 0; j < n; ++j) acc[j] = kAll;
  }
  static void row(const ReduceOps&, const char* p, int64_t n, int64_t, char* acc) {
    uint8_t a = static_cast<uint8_t>(acc[0]);
    const uint8_t* x = reinterpret_cast<const uint8_t*>(p);
    // In pieces, so that the loop ends as soon as the result is known.
    for (int64_t i = 0; i < n && a == kAll; i += 4096) {
      int64_t end = i + 4096 < n ? i + 4096 : n;
      for (int64_t k = i; k < end; ++k) a = join(a, x[k]);
    }
    acc[0] = static_cast<char>(a);
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t, char* acc) {
    for (int64_t r = 0; r < rows; ++r) {
      const char* x = p + r * row_bytes;
      for (int64_t j = 0; j < n; ++j)
        acc[j] = static_cast<char>(join(static_cast<uint8_t>(acc[j]), static_cast<uint8_t>(x[j])));
    }
  }
  static void combine(const ReduceOps&, char* acc, const char* later, int64_t n) {
    for (int64_t j = 0; j < n; ++j)
      acc[j] =
          static_cast<char>(join(static_cast<uint8_t>(acc[j]), static_cast<uint8_t>(later[j])));
  }
  static void finish(const ReduceOps&, const char* acc, int64_t n, int64_t, char* out, char*) {
    for (int64_t j = 0; j < n; ++j) out[j] = acc[j];
  }
  static void fill(ReduceOps& ops) {
    ops.compute = ops.result[0] = kBool;
    ops.acc_size = 1;
    ops.init = init;
    ops.row = row;
    ops.rows = rows_by_row<Logic>;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = finish;
  }
};

template <bool kMean>
bool sum_or_mean(ScalarType compute, ReduceOps& ops) {
  using c10::complex;
  switch (compute) {
    case kLong:
      PlainSum<uint64_t, uint64_t, uint64_t>::fill<false>(ops, kLong, kLong);
      return !kMean;
    case kComplexFloat:
      PlainSum<complex<float>, complex<double>, complex<float>>::fill<kMean>(ops, compute, compute);
      return true;
    case kComplexDouble:
      PlainSum<complex<double>, complex<double>, complex<double>>::fill<kMean>(ops, compute,
                                                                               compute);
      return true;
    default:
      return kMean ? float_sum<Mean>(compute, ops) : float_sum<Identity>(compute, ops);
  }
}

bool product(ScalarType compute, ReduceOps& ops) {
  switch (compute) {
    case kFloat:
      Product<float, float>::fill(ops, compute);
      return true;
    case kDouble:
      Product<double, double>::fill(ops, compute);
      return true;
    case kLong:
      Product<uint64_t, uint64_t>::fill(ops, compute);
      return true;
    case kComplexFloat:
      Product<c10::complex<float>, c10::complex<float>>::fill(ops, compute);
      return true;
    case kComplexDouble:
      Product<c10::complex<double>, c10::complex<double>>::fill(ops, compute);
      return true;
    default:
      return false;
  }
}

// A number whose sum is how many are not zero.
template <typename T>
struct IsNonzero {
  T value;
  explicit operator uint64_t() const { return value != T(0); }
};
bool count_nonzero(ScalarType compute, ReduceOps& ops) {
  if (compute == kBool) {
    PlainSum<BoolByte, uint64_t, uint64_t>::fill<false>(ops, kBool, kLong);
    return true;
  }
  dispatch_types<TypeList<int64_t, int32_t, float, double>>(compute, "count_nonzero",
                                                            [&]<typename T>(TypeTag<T>) {
    PlainSum<IsNonzero<T>, uint64_t, uint64_t>::template fill<false>(ops, compute, kLong);
  });
  return true;
}

}  // namespace

bool reduce_sum_ops(ReduceKind kind, ScalarType compute, ReduceOps& ops) {
  switch (kind) {
    case ReduceKind::sum:
      return sum_or_mean<false>(compute, ops);
    case ReduceKind::mean:
      return sum_or_mean<true>(compute, ops);
    case ReduceKind::nansum:
      return compute == kLong ? sum_or_mean<false>(compute, ops)
                              : float_sum<WithoutNan>(compute, ops);
    case ReduceKind::prod:
      return product(compute, ops);
    case ReduceKind::all:
      Logic<true>::fill(ops);
      return true;
    case ReduceKind::any:
      Logic<false>::fill(ops);
      return true;
    case ReduceKind::count_nonzero:
      return count_nonzero(compute, ops);
    case ReduceKind::norm0:
      return float_sum<Norm0>(compute, ops);
    case ReduceKind::norm1:
      return float_sum<Norm1>(compute, ops);
    case ReduceKind::norm2:
      return float_sum<Norm2>(compute, ops);
    case ReduceKind::normp:
      if (!float_sum<NormP>(compute, ops)) return false;
      ops.row = compute == kFloat ? power_row<float> : power_row<double>;
      ops.row_of_half = ops.row_of_bfloat16 = nullptr;
      return true;
    default:
      return false;
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
