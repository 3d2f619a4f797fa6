// Distances between rows, and their derivatives.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/distance/distance.h>

namespace at::native {
namespace {

// A norm: `add` one difference to a sum, then `root` of the sum. `slope` is the derivative of the
// norm along one difference, given the norm.
template <typename T>
struct Zero {
  T add(T sum, T d) const { return sum + T(d != 0); }
  T root(T sum) const { return sum; }
  T slope(T, T) const { return 0; }
};
template <typename T>
struct One {
  T add(T sum, T d) const { return sum + std::abs(d); }
  T root(T sum) const { return sum; }
  T slope(T d, T) const { return T((d > 0) - (d < 0)); }
};
template <typename T>
struct Two {
  T add(T sum, T d) const { return sum + d * d; }
  T root(T sum) const { return std::sqrt(sum); }
  T slope(T d, T norm) const { return norm == 0 ? T(0) : d / norm; }
};
template <typename T>
struct Max {
  // NaN stays.
  T add(T largest, T d) const { return std::abs(d) <= largest ? largest : std::abs(d); }
  T root(T largest) const { return largest; }
  T slope(T d, T norm) const { return T((d > 0) - (d < 0)) * T(std::abs(d) == norm); }
};
template <typename T>
struct General {
  T p;
  T add(T sum, T d) const { return sum + std::pow(std::abs(d), p); }
  T root(T sum) const { return std::pow(sum, 1 / p); }
  T slope(T d, T norm) const {
    if (norm == 0 || d == 0) return 0;
    const T size = std::pow(std::abs(d) / norm, p - 1);
    return d > 0 ? size : -size;
  }
};

template <typename T, typename F>
void with_norm(double p, const F& f) {
  if (p == 0) f(Zero<T>{});
  else if (p == 1) f(One<T>{});
  else if (p == 2) f(Two<T>{});
  else if (std::isinf(p)) f(Max<T>{});
  else f(General<T>{static_cast<T>(p)});
}

// Sixteen sums side by side, so that the loop vectorizes.
template <typename T, typename N>
T distance(const N& norm, const T* x, const T* y, int64_t k) {
  constexpr int kLanes = 16;
  T sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) sums[l] = norm.add(sums[l], x[i + l] - y[i + l]);
  }
  T sum = 0;
  if constexpr (std::is_same_v<N, Max<T>>) {
    for (T s : sums) sum = norm.add(sum, s);
  } else {
    for (T s : sums) sum += s;
  }
  for (; i < k; ++i) sum = norm.add(sum, x[i] - y[i]);
  return norm.root(sum);
}

int64_t grain(int64_t work) {
  return std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, work));
}

void cdist_kernel(const Tensor& x, const Tensor& y, double p, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "cdist", [&]<typename T>(TypeTag<T>) {
    const int64_t m = x.sizes()[1], n = y.sizes()[1], k = x.sizes()[2];
    const T *from = static_cast<const T*>(x.data_ptr()),
            *other = static_cast<const T*>(y.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&](const auto& norm) {
      parallel_for(0, x.sizes()[0] * m, grain(n * k), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T* rows = other + r / m * n * k;
          for (int64_t j = 0; j < n; ++j)
            to[r * n + j] = distance<T>(norm, from + r * k, rows + j * k, k);
        }
      });
    });
  });
}

void cdist_backward_kernel(const Tensor& grad, const Tensor& x, const Tensor& y, double p,
                           const Tensor& distances, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "cdist_backward", [&]<typename T>(TypeTag<T>) {
    const int64_t m = x.sizes()[1], n = y.sizes()[1], k = x.sizes()[2];
    const T *from = static_cast<const T*>(x.data_ptr()),
            *other = static_cast<const T*>(y.data_ptr());
    const T *g = static_cast<const T*>(grad.data_ptr()),
            *d = static_cast<const T*>(distances.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&](const auto& norm) {
      parallel_for(0, x.sizes()[0] * m, grain(n * k), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T *row = from + r * k, *rows = other + r / m * n * k;
          T* out = to + r * k;
          std::fill_n(out, k, T(0));
          for (int64_t j = 0; j < n; ++j) {
            const T scale = g[r * n + j], size = d[r * n + j];
            const T* second = rows + j * k;
            for (int64_t i = 0; i < k; ++i) out[i] += scale * norm.slope(row[i] - second[i], size);
          }
        }
      });
    });
  });
}

// The number of pairs before those of row i.
int64_t pairs_before(int64_t i, int64_t n) { return i * (2 * n - i - 1) / 2; }

void pdist_kernel(const Tensor& x, double p, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "pdist", [&]<typename T>(TypeTag<T>) {
    const int64_t n = x.sizes()[0], k = x.sizes()[1];
    const T* from = static_cast<const T*>(x.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&](const auto& norm) {
      parallel_for(0, n, grain(n * k / 2), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          T* out = to + pairs_before(i, n);
          for (int64_t j = i + 1; j < n; ++j)
            *out++ = distance<T>(norm, from + i * k, from + j * k, k);
        }
      });
    });
  });
}

void pdist_backward_kernel(const Tensor& grad, const Tensor& x, double p, const Tensor& distances,
                           const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "pdist_backward", [&]<typename T>(TypeTag<T>) {
    const int64_t n = x.sizes()[0], k = x.sizes()[1];
    const T* from = static_cast<const T*>(x.data_ptr());
    const T *g = static_cast<const T*>(grad.data_ptr()),
            *d = static_cast<const T*>(distances.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&](const auto& norm) {
      parallel_for(0, n, grain(n * k), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          T* out = to + i * k;
          std::fill_n(out, k, T(0));
          for (int64_t j = 0; j < n; ++j) {
            if (j == i) continue;
            const int64_t pair =
                i < j ? pairs_before(i, n) + j - i - 1 : pairs_before(j, n) + i - j - 1;
            for (int64_t l = 0; l < k; ++l)
              out[l] += g[pair] * norm.slope(from[i * k + l] - from[j * k + l], d[pair]);
          }
        }
      });
    });
  });
}

}  // namespace

REGISTER_DISPATCH(cdist_stub, &cdist_kernel)
REGISTER_DISPATCH(cdist_backward_stub, &cdist_backward_kernel)
REGISTER_DISPATCH(pdist_stub, &pdist_kernel)
REGISTER_DISPATCH(pdist_backward_stub, &pdist_backward_kernel)

}  // namespace at::native
