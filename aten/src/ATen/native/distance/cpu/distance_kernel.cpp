// Distances between rows, and their derivatives.

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/distance/distance.h>
#include <ATen/native/distance/norms.h>

namespace at::native {
namespace {

using namespace distances;

template <typename T, typename F>
void with_norm(double p, const F& f) {
  if (p == 0) f(Zero<T>{});
  else if (p == 1) f(One<T>{});
  else if (p == 2) f(Two<T>{});
  else if (std::isinf(p)) f(Max<T>{});
  else f(General<T>{static_cast<T>(p)});
}

template <typename T, typename N>
T summed_distance(const N& norm, const T* x, const T* y, int64_t k) {
  T sum = 0;
  int64_t i = 0;
  if constexpr (N::kVectors) {
    // The compiler's own vectors: it does not vectorize the sum of floating-point numbers.
    // They are as wide as registers: GCC keeps wider ones in memory.
    typedef T Vector __attribute__((vector_size(kVecBytes)));
    constexpr int kLanes = kVecBytes / sizeof(T);
    const auto load = [](const T* from) {
      Vector v;
      std::memcpy(&v, from, sizeof(v));
      return v;
    };
    if (k >= kLanes) {
      Vector sums{}, others{};
      for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
        sums = norm.add(sums, load(x + i) - load(y + i));
        others = norm.add(others, load(x + i + kLanes) - load(y + i + kLanes));
      }
      if (i + kLanes <= k) {
        sums = norm.add(sums, load(x + i) - load(y + i));
        i += kLanes;
      }
      for (int l = 0; l < kLanes; ++l) sum += sums[l] + others[l];
    }
  }
  for (; i < k; ++i) sum = norm.add(sum, x[i] - y[i]);
  return norm.root(sum);
}

// Without its sign, the bits of a larger number are a larger integer, and those of NaN the largest.
template <typename T>
T max_distance(const T* x, const T* y, int64_t k) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  Bits largest = 0;
  for (int64_t i = 0; i < k; ++i) {
    const T d = x[i] - y[i];
    Bits bits;
    std::memcpy(&bits, &d, sizeof(d));
    largest = std::max<Bits>(largest, bits & std::numeric_limits<Bits>::max());
  }
  T result;
  std::memcpy(&result, &largest, sizeof(result));
  return result;
}

template <typename T, typename N>
T distance(const N& norm, const T* x, const T* y, int64_t k) {
  if constexpr (std::is_same_v<N, Max<T>>) return max_distance(x, y, k);
  else return summed_distance(norm, x, y, k);
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
    // A column at a time: its neighbours are other rows, each pair is seen once, and threads have
    // columns of their own.
    with_norm<T>(p, [&](const auto& norm) {
      parallel_for(0, k, grain(n * n / 2), [&](int64_t begin, int64_t end) {
        std::vector<T> column(n), sums(n), terms(n);
        for (int64_t l = begin; l < end; ++l) {
          for (int64_t i = 0; i < n; ++i) column[i] = from[i * k + l];
          std::fill(sums.begin(), sums.end(), T(0));
          for (int64_t i = 0; i + 1 < n; ++i) {
            const int64_t others = n - 1 - i, pair = pairs_before(i, n);
            const T x_i = column[i], *x_j = column.data() + i + 1, *g_j = g + pair, *d_j = d + pair;
            T *term = terms.data(), *sum = sums.data() + i + 1;
#pragma GCC ivdep
            for (int64_t j = 0; j < others; ++j) {
              term[j] = g_j[j] * norm.slope(x_i - x_j[j], d_j[j]);
              sum[j] -= term[j];
            }
            sums[i] += sum_of(term, others);
          }
          for (int64_t i = 0; i < n; ++i) to[i * k + l] = sums[i];
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
