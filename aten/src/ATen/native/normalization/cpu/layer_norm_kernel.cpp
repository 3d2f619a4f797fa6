// Normalizes rows: a row stays in the first-level cache while its mean, its variance and the result
// are computed.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/Moments.h>
#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/normalization/cpu/Data.h>
#include <ATen/native/normalization/normalization.h>

namespace at::native {
namespace {

int64_t row_grain(int64_t n) {
  return std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, n));
}

template <typename V>
void moments(const V* x, int64_t n, double eps, V& mean, V& rstd) {
  mean = sum_of(x, n) / static_cast<V>(n);
  V variance = sum_of_squares(x, n, mean) / static_cast<V>(n);
  rstd = V(1) / std::sqrt(variance + static_cast<V>(eps));
}

template <typename T>
void layer_norm(const T* x, int64_t rows, int64_t n, const OpMath<T>* weight, const OpMath<T>* bias,
                double eps, T* y, OpMath<T>* mean, OpMath<T>* rstd) {
  using V = OpMath<T>;
  parallel_for(0, rows, row_grain(n), [&](int64_t begin, int64_t end) {
    each_row(x, y, begin, end, n, [&](int64_t r, const V* row, V* to) {
      V m, s;
      moments(row, n, eps, m, s);
      if (mean) mean[r] = m;
      if (rstd) rstd[r] = s;
      // Subtract the mean first: x * s - mean * s would lose the digits that x and the mean share.
      if (weight && bias) {
        map_row(row, to, n, [&](V v, int64_t i) { return (v - m) * s * weight[i] + bias[i]; });
      } else if (weight) {
        map_row(row, to, n, [&](V v, int64_t i) { return (v - m) * s * weight[i]; });
      } else if (bias) {
        map_row(row, to, n, [&](V v, int64_t i) { return (v - m) * s + bias[i]; });
      } else {
        map_row(row, to, n, [&](V v, int64_t) { return (v - m) * s; });
      }
    });
  });
}

}  // namespace

static void layer_norm_kernel(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                              const Tensor& bias, double eps, const Tensor& y, const Tensor& mean,
                              const Tensor& rstd) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "layer_norm", [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    layer_norm(static_cast<const T*>(x.data_ptr()), rows, n, data_or_null<V>(weight),
               data_or_null<V>(bias), eps, static_cast<T*>(y.data_ptr()), data_or_null<V>(mean),
               data_or_null<V>(rstd));
  });
}

static void rms_norm_kernel(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                            double eps, const Tensor& y, const Tensor& rstd) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "rms_norm", [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    const T* from = static_cast<const T*>(x.data_ptr());
    T* to = static_cast<T*>(y.data_ptr());
    const V* w = data_or_null<V>(weight);
    V* scales = static_cast<V*>(rstd.data_ptr());
    parallel_for(0, rows, row_grain(n), [&](int64_t begin, int64_t end) {
      each_row(from, to, begin, end, n, [&](int64_t r, const V* row, V* result) {
        const V mean = sum_of_squares(row, n, V(0)) / static_cast<V>(n);
        const V s = scales[r] = V(1) / std::sqrt(mean + static_cast<V>(eps));
        if (w) map_row(row, result, n, [&](V v, int64_t i) { return v * s * w[i]; });
        else map_row(row, result, n, [&](V v, int64_t) { return v * s; });
      });
    });
  });
}

namespace {

// With h = g * weight and xhat = (x - mean) * rstd:
//   grad_x = rstd * (h - mean(h) - xhat * mean(h * xhat)),
//   grad_weight = sum of g * xhat, grad_bias = sum of g.
template <typename T>
void layer_norm_backward(const T* g, const T* x, int64_t rows, int64_t n, const OpMath<T>* mean,
                         const OpMath<T>* rstd, const OpMath<T>* weight, T* grad_x,
                         OpMath<T>* grad_weight, OpMath<T>* grad_bias) {
  using V = OpMath<T>;
  int64_t max = std::max<int64_t>(1, std::min<int64_t>(get_num_threads(), rows / row_grain(n)));
  int64_t each = divup(rows, max), pieces = divup(rows, each);
  bool parameters = grad_weight || grad_bias;
  // Sums and the scaled row have room for whole vectors.
  const int64_t room = divup(n, int64_t(Vec<V>::size)) * Vec<V>::size;
  std::vector<V> sums(parameters ? pieces * 2 * room : 0);
  parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    RowReader<T> read_g(n), read_x(n);
    std::vector<V> scaled(room);
    for (int64_t p = first; p < last; ++p) {
      V* to_weight = parameters ? sums.data() + p * 2 * room : nullptr;
      V* to_bias = parameters ? to_weight + room : nullptr;
      for (int64_t r = p * each; r < std::min(rows, (p + 1) * each); ++r) {
        const V *gr = read_g(g + r * n, n), *xr = read_x(x + r * n, n);
        V m = mean[r], s = rstd[r];
        // h, xhat and their sums in one pass over the row, the result in another.
        Vec<V> sum_h(V(0)), sum_products(V(0));
        const Vec<V> middle(m), scale(s);
        V* h = scaled.data();
        for_vectors<V>(n, [&](int64_t i, int64_t k) {
          const Vec<V> gradient = load_part(gr + i, k),
                       xhat = (load_part(xr + i, k) - middle) * scale;
          if (parameters) {
            (Vec<V>::load(to_weight + i) + gradient * xhat).store(to_weight + i);
            (Vec<V>::load(to_bias + i) + gradient).store(to_bias + i);
          }
          if (!grad_x) return;
          const Vec<V> own = weight ? gradient * load_part(weight + i, k) : gradient;
          own.store(h + i);
          sum_h += own;
          // Lanes beyond the end have no gradient.
          sum_products += first_lanes(own * xhat, k, V(0));
        });
        if (!grad_x) continue;
        // The means are subtracted first, so that cancellation adds no rounding error.
        const Vec<V> mean_h(sum_lanes(sum_h) / static_cast<V>(n)),
            slope(sum_lanes(sum_products) / static_cast<V>(n));
        T* to = grad_x + r * n;
        for_vectors<V>(n, [&](int64_t i, int64_t k) {
          const Vec<V> xhat = (load_part(xr + i, k) - middle) * scale;
          const Vec<V> result = ((Vec<V>::load(h + i) - mean_h) - xhat * slope) * scale;
          if constexpr (std::is_same_v<T, V>) store_part<V>(result, to + i, k);
          else result.store(h + i);
        });
        if constexpr (!std::is_same_v<T, V>) narrow(static_cast<const V*>(h), to, n);
      }
    }
  });
  for (int64_t i = 0; i < n && parameters; ++i) {
    V w = 0, b = 0;
    for (int64_t p = 0; p < pieces; ++p) {
      w += sums[p * 2 * room + i];
      b += sums[p * 2 * room + room + i];
    }
    if (grad_weight) grad_weight[i] = w;
    if (grad_bias) grad_bias[i] = b;
  }
}

}  // namespace

static void layer_norm_backward_kernel(const Tensor& g, const Tensor& x, int64_t rows, int64_t n,
                                       const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                       const Tensor& grad_x, const Tensor& grad_weight,
                                       const Tensor& grad_bias) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "layer_norm_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    layer_norm_backward(static_cast<const T*>(g.data_ptr()), static_cast<const T*>(x.data_ptr()),
                        rows, n, data_or_null<V>(mean), data_or_null<V>(rstd),
                        data_or_null<V>(weight), data_or_null<T>(grad_x),
                        data_or_null<V>(grad_weight), data_or_null<V>(grad_bias));
  });
}

namespace {

// Long rows (groups of whole planes) are read once, in pieces that stay in the cache for their mean
// and their squares.
template <typename T>
void row_moments(const T* x, int64_t rows, int64_t n, double eps, OpMath<T>* mean,
                 OpMath<T>* rstd) {
  using V = OpMath<T>;
  constexpr int64_t kRun = 2048;
  parallel_for(0, rows, row_grain(n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r * n;
      double middle = 0, squares = 0;
      for (int64_t i = 0; i < n; i += kRun) {
        const int64_t length = std::min(kRun, n - i);
        const double count = static_cast<double>(length), before = static_cast<double>(i);
        // Differences from an element: those of equal numbers are exact.
        const auto first = static_cast<V>(row[i]);
        const double own = static_cast<double>(first) +
                           static_cast<double>(sum_of_differences(row + i, length, first)) / count;
        const double own_squares =
            static_cast<double>(sum_of_squares(row + i, length, static_cast<V>(own)));
        merge_moments(middle, squares, before, own, own_squares, count);
      }
      mean[r] = static_cast<V>(middle);
      rstd[r] = static_cast<V>(1.0 / std::sqrt(squares / static_cast<double>(n) + eps));
    }
  });
}

}  // namespace

static void row_moments_kernel(const Tensor& x, int64_t rows, int64_t n, double eps, void* mean,
                               void* rstd) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "group_norm", [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    row_moments(static_cast<const T*>(x.data_ptr()), rows, n, eps, static_cast<V*>(mean),
                static_cast<V*>(rstd));
  });
}

static void row_sums_kernel(const Tensor& g, const Tensor& x, int64_t rows, int64_t n, void* sum,
                            void* dot) {
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "group_norm_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using V = OpMath<T>;
    const T *gp = static_cast<const T*>(g.data_ptr()), *xp = static_cast<const T*>(x.data_ptr());
    constexpr int64_t kRun = 4096;
    parallel_for(0, rows, row_grain(n), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        double total = 0, total_dot = 0;
        for (int64_t i = 0; i < n; i += kRun) {
          const int64_t at = r * n + i;
          const auto [part, part_dot] = sum_and_dot(gp + at, xp + at, V(0), std::min(kRun, n - i));
          total += part;
          total_dot += part_dot;
        }
        static_cast<V*>(sum)[r] = static_cast<V>(total);
        static_cast<V*>(dot)[r] = static_cast<V>(total_dot);
      }
    });
  });
}

REGISTER_DISPATCH(layer_norm_stub, &layer_norm_kernel)
REGISTER_DISPATCH(rms_norm_stub, &rms_norm_kernel)
REGISTER_DISPATCH(layer_norm_backward_stub, &layer_norm_backward_kernel)
REGISTER_DISPATCH(row_moments_stub, &row_moments_kernel)
REGISTER_DISPATCH(row_sums_stub, &row_sums_kernel)

}  // namespace at::native
