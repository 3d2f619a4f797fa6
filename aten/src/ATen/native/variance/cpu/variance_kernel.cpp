// Variance and standard deviation, with the mean.
//
// Each block is centred on its own mean before it is squared, and blocks are joined by the formula
// of Chan, Golub and LeVeque (1979): no cancellation, however large the mean is compared with the
// deviation, and the input is read once.

#include <cmath>

#include <ATen/native/common/Moments.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/ReduceLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int64_t kBlock = 2048;
constexpr int64_t kRows = 32;

// Whether squares of float deviations may have overflowed, or lost their digits to denormals.
inline bool out_of_range(float sum_of_squares) {
  return sum_of_squares > 1e38f || (sum_of_squares < 1e-30f && sum_of_squares > 0);
}
inline bool out_of_range(double) { return false; }

// n means, n sums of squared deviations, n counts.
template <typename T>
struct Moments {
  // The sum of squared deviations from `centre`, squared in double.
  static double wide_squares(const char* p, int64_t n, int64_t stride, double centre) {
    double s = 0;
    for (int64_t k = 0; k < n; ++k) {
      double d = static_cast<double>(element_row<T>(p, k, stride)[0]) - centre;
      s += d * d;
    }
    return s;
  }
  static double* means(char* acc) { return values_of<double>(acc); }
  static double* squares(char* acc, int64_t n) { return values_of<double>(acc) + n; }
  static double* counts(char* acc, int64_t n) { return values_of<double>(acc) + 2 * n; }

  static void join(double& mean, double& square, double& count, double more_mean,
                   double more_square, double more) {
    if (more == 0) return;
    merge_moments(mean, square, count, more_mean, more_square, more);
    count += more;
  }
  static void row(const ReduceOps&, const char* p, int64_t n, int64_t, char* acc) {
    const T* x = reinterpret_cast<const T*>(p);
    constexpr int64_t W = Vec<T>::size;
    for (int64_t i = 0; i < n; i += kBlock) {
      int64_t m = n - i < kBlock ? n - i : kBlock;
      double mean = sum_row(x + i, m, [](Vec<T> v) { return v; }) / static_cast<double>(m);
      const T centre = static_cast<T>(mean);
      int64_t vectorized = m / W * W;
      double s =
          sum_row(x + i, vectorized, [centre](Vec<T> v) { return (v - centre) * (v - centre); });
      for (int64_t k = vectorized; k < m; ++k) {
        double d = static_cast<double>(x[i + k] - centre);
        s += d * d;
      }
      if (out_of_range(static_cast<T>(s))) {
        s = wide_squares(reinterpret_cast<const char*>(x + i), m, sizeof(T), mean);
      } else {
        // The centre is the mean rounded to T.
        double off = mean - static_cast<double>(centre);
        s -= static_cast<double>(m) * off * off;
      }
      join(means(acc)[0], squares(acc, 1)[0], counts(acc, 1)[0], mean, s > 0 || s != s ? s : 0,
           static_cast<double>(m));
    }
  }
  static void columns(const ReduceOps&, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                      int64_t, char* acc) {
    constexpr int64_t W = Vec<T>::size;
    alignas(64) T centre[kMaxReduceColumns], sum[kMaxReduceColumns];
    for (int64_t r = 0; r < rows; r += kRows) {
      int64_t m = rows - r < kRows ? rows - r : kRows;
      for (int64_t j = 0; j < n; ++j) centre[j] = T(0), sum[j] = T(0);
      sum_rows_into(centre, p + r * row_bytes, m, row_bytes, n, [](Vec<T> v) { return v; });
      const T share = T(1) / static_cast<T>(m);
      for (int64_t j = 0; j < n; ++j) centre[j] *= share;
      for (int64_t k = 0; k < m; ++k) {
        const T* x = element_row<T>(p, r + k, row_bytes);
        int64_t j = 0;
        for (; j + W <= n; j += W) {
          Vec<T> d = Vec<T>::load(x + j) - Vec<T>::load(centre + j);
          (Vec<T>::load(sum + j) + d * d).store(sum + j);
        }
        for (; j < n; ++j) sum[j] += (x[j] - centre[j]) * (x[j] - centre[j]);
      }
      const double more = static_cast<double>(m), before = counts(acc, n)[0], all = before + more;
      const double weight = more / all, cross = before * more / all;
      double *mean = means(acc), *square = squares(acc, n), *count = counts(acc, n);
      for (int64_t j = 0; j < n; ++j) {
        if (!out_of_range(sum[j])) continue;
        square[j] += wide_squares(p + r * row_bytes + j * sizeof(T), m, row_bytes,
                                  static_cast<double>(centre[j]));
        sum[j] = T(0);
      }
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) {
        double delta = static_cast<double>(centre[j]) - mean[j];
        mean[j] += delta * weight;
        square[j] += static_cast<double>(sum[j]) + (before == 0 ? 0 : delta * delta * cross);
        count[j] = all;
      }
    }
  }
  static void combine(const ReduceOps&, char* acc, const char* later, int64_t n) {
    char* l = const_cast<char*>(later);
    for (int64_t j = 0; j < n; ++j) {
      join(means(acc)[j], squares(acc, n)[j], counts(acc, n)[j], means(l)[j], squares(l, n)[j],
           counts(l, n)[j]);
    }
  }
  template <bool kRoot>
  static void finish(const ReduceOps& ops, const char* acc, int64_t n, int64_t count, char* out0,
                     char* out1) {
    char* a = const_cast<char*>(acc);
    double divisor = static_cast<double>(count) - ops.parameter;
    if (divisor < 0) divisor = 0;
    for (int64_t j = 0; j < n; ++j) {
      double variance = squares(a, n)[j] / divisor;
      values_of<T>(out0)[j] = static_cast<T>(kRoot ? std::sqrt(variance) : variance);
      values_of<T>(out1)[j] = static_cast<T>(count ? means(a)[j] : std::nan(""));
    }
  }
  static void init(const ReduceOps&, char* acc, int64_t n) {
    for (int64_t j = 0; j < 3 * n; ++j) values_of<double>(acc)[j] = 0;
  }
  static void fill(ReduceOps& ops, bool root) {
    ops.compute = ops.result[0] = ops.result[1] = CppTypeToScalarType<T>::value;
    ops.acc_size = 3 * sizeof(double);
    ops.init = init;
    ops.row = row;
    ops.columns = columns;
    ops.combine = combine;
    ops.finish = root ? finish<true> : finish<false>;
  }
};

}  // namespace

bool reduce_moment_ops(ReduceKind kind, ScalarType compute, ReduceOps& ops) {
  if (kind != ReduceKind::var && kind != ReduceKind::std) return false;
  if (compute != kFloat && compute != kDouble) return false;
  bool root = kind == ReduceKind::std;
  compute == kFloat ? Moments<float>::fill(ops, root) : Moments<double>::fill(ops, root);
  return true;
}

}  // namespace CPU_CAPABILITY

static ReduceOps reduce_ops(ReduceKind kind, ScalarType compute, const char* op) {
  ReduceOps ops{};
  ops.result[0] = ops.result[1] = ScalarType::Undefined;
  bool found = reduce_sum_ops(kind, compute, ops) || reduce_order_ops(kind, compute, ops) ||
               reduce_moment_ops(kind, compute, ops);
  if (!found) fail_dispatch_types(op, compute);
  return ops;
}
REGISTER_DISPATCH(reduce_ops_stub, &reduce_ops)

}  // namespace at::native
