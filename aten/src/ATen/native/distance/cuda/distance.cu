// Distances between rows and their derivatives on CUDA devices: a thread for each element of the
// result.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/distance/distance.h>
#include <ATen/native/distance/norms.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

using namespace distances;

// One kernel for all norms: which one is a branch that all threads take.
template <typename T>
struct AnyNorm {
  enum Kind { zero, one, two, max, general } kind;
  T p;
  explicit AnyNorm(double power)
      : kind(power == 0          ? zero
             : power == 1        ? one
             : power == 2        ? two
             : std::isinf(power) ? max
                                 : general),
        p(static_cast<T>(power)) {}
  template <typename F>
  __device__ T with(const F& f) const {
    switch (kind) {
      case zero:
        return f(Zero<T>{});
      case one:
        return f(One<T>{});
      case two:
        return f(Two<T>{});
      case max:
        return f(Max<T>{});
      default:
        return f(General<T>{p});
    }
  }
  __device__ T distance(const T* x, const T* y, int64_t k) const {
    return with([&](const auto& norm) {
      T sum = 0;
      for (int64_t i = 0; i < k; ++i) sum = norm.add(sum, x[i] - y[i]);
      return norm.root(sum);
    });
  }
  __device__ T slope(T d, T norm_of_all) const {
    return with([&](const auto& norm) { return norm.slope(d, norm_of_all); });
  }
};

template <typename T>
struct Distance {
  AnyNorm<T> norm;
  int64_t m, n, k;
  const T *x, *y;
  T* to;
  __device__ void operator()(int64_t i) const {
    const int64_t row = i / n;
    to[i] = norm.distance(x + row * k, y + (row / m * n + i % n) * k, k);
  }
};

template <typename T>
struct DistanceGradient {
  AnyNorm<T> norm;
  int64_t m, n, k;
  const T *grad, *x, *y, *distances;
  T* to;
  __device__ void operator()(int64_t i) const {
    const int64_t row = i / k, first = row / m * n;
    T sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum +=
          grad[row * n + j] * norm.slope(x[i] - y[(first + j) * k + i % k], distances[row * n + j]);
    to[i] = sum;
  }
};

template <typename T>
struct PairDistance {
  AnyNorm<T> norm;
  int64_t n, k;
  const T* x;
  T* to;
  __device__ void operator()(int64_t pair) const {
    // The row whose pairs these are, from the root of pairs_before(i, n) = pair.
    const double b = static_cast<double>(2 * n - 1),
                 root = std::sqrt(b * b - 8 * static_cast<double>(pair));
    int64_t i = static_cast<int64_t>((b - root) / 2);
    while (pairs_before(i, n) > pair) --i;
    while (pairs_before(i + 1, n) <= pair) ++i;
    const int64_t j = pair - pairs_before(i, n) + i + 1;
    to[pair] = norm.distance(x + i * k, x + j * k, k);
  }
};

template <typename T>
struct PairGradient {
  AnyNorm<T> norm;
  int64_t n, k;
  const T *grad, *x, *distances;
  T* to;
  __device__ void operator()(int64_t at) const {
    const int64_t i = at / k;
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const int64_t pair = i < j ? pairs_before(i, n) + j - i - 1 : pairs_before(j, n) + i - j - 1;
      sum += grad[pair] * norm.slope(x[at] - x[j * k + at % k], distances[pair]);
    }
    to[at] = sum;
  }
};

template <typename T>
const T* data(const Tensor& t) {
  return static_cast<const T*>(t.data_ptr());
}

void cdist_cuda(const Tensor& x, const Tensor& y, double p, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "cdist", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(x, result.numel(),
                 Distance<T>{AnyNorm<T>(p), x.sizes()[1], y.sizes()[1], x.sizes()[2], data<T>(x),
                             data<T>(y), static_cast<T*>(result.data_ptr())});
  });
}

void cdist_backward_cuda(const Tensor& grad, const Tensor& x, const Tensor& y, double p,
                         const Tensor& distances, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "cdist_backward", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(x, result.numel(),
                 DistanceGradient<T>{AnyNorm<T>(p), x.sizes()[1], y.sizes()[1], x.sizes()[2],
                                     data<T>(grad), data<T>(x), data<T>(y), data<T>(distances),
                                     static_cast<T*>(result.data_ptr())});
  });
}

void pdist_cuda(const Tensor& x, double p, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "pdist", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(x, result.numel(),
                 PairDistance<T>{AnyNorm<T>(p), x.sizes()[0], x.sizes()[1], data<T>(x),
                                 static_cast<T*>(result.data_ptr())});
  });
}

void pdist_backward_cuda(const Tensor& grad, const Tensor& x, double p, const Tensor& distances,
                         const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "pdist_backward", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        x, result.numel(),
        PairGradient<T>{AnyNorm<T>(p), x.sizes()[0], x.sizes()[1], data<T>(grad), data<T>(x),
                        data<T>(distances), static_cast<T*>(result.data_ptr())});
  });
}

}  // namespace

REGISTER_CUDA_DISPATCH(cdist_stub, &cdist_cuda)
REGISTER_CUDA_DISPATCH(cdist_backward_stub, &cdist_backward_cuda)
REGISTER_CUDA_DISPATCH(pdist_stub, &pdist_cuda)
REGISTER_CUDA_DISPATCH(pdist_backward_stub, &pdist_backward_cuda)

}  // namespace at::native
