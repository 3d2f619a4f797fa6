// Householder reflectors of small matrices on CUDA devices, with the conventions of LAPACK's geqrf
// and orgqr. The lanes of a warp have a column each where a reflector is applied.

#include <ATen/native/linalg_factor/cuda/small.h>
#include <ATen/native/common/cuda/MatrixElements.cuh>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

template <typename R, typename F>
__device__ R over_lanes(R x, const F& join) {
  for (int bits = 16; bits > 0; bits /= 2) x = join(x, __shfl_xor_sync(kAllLanes, x, bits));
  return x;
}

// The column of this lane, from row k on, times I - tau v v^H: v is 1 in row k, and then what
// column k has.
template <typename T>
__device__ void reflect(WarpMatrix<T> a, int k, int m, int column, T tau) {
  T sum = a(k, column);
  for (int i = k + 1; i < m; ++i) sum += conjugate_of(a(i, k)) * a(i, column);
  sum = sum * tau;
  a(k, column) -= sum;
  for (int i = k + 1; i < m; ++i) a(i, column) -= a(i, k) * sum;
}

template <typename T>
struct SmallQR {
  T* all;
  int m, n;
  int64_t ld, step;
  T* taus;

  __device__ void operator()(WarpMatrix<T> a, int64_t b, int lane) const {
    using R = RealPart<T>;
    a.load(all + b * step, ld, m, n, lane);
    const int steps = m < n ? m : n;
    for (int k = 0; k < steps; ++k) {
      const T alpha = a(k, k);
      const T own = lane > k && lane < m ? a(lane, k) : T(0);
      __syncwarp();
      // Scaled, so that squares neither overflow nor vanish.
      const R largest = over_lanes(std::fmax(pivot_size_of(own), pivot_size_of(alpha)),
                                   [](R x, R y) { return std::fmax(x, y); });
      const R below = over_lanes(pivot_size_of(own), [](R x, R y) { return x + y; });
      T tau(0);
      if (below != 0 || imag_of(alpha) != 0) {
        const auto square = [&](T x) {
          const R re = real_of(x) / largest, im = imag_of(x) / largest;
          return re * re + im * im;
        };
        const R sum = over_lanes(square(own), [](R x, R y) { return x + y; });
        const R norm = largest * std::sqrt(sum + square(alpha));
        const R beta = real_of(alpha) < 0 ? norm : -norm;
        tau = (T(beta) - alpha) / T(beta);
        if (lane > k && lane < m) a(lane, k) = own / (alpha - T(beta));
        if (lane == k) a(k, k) = T(beta);
        __syncwarp();
        if (lane > k && lane < n) reflect(a, k, m, lane, conjugate_of(tau));
      }
      if (lane == 0) taus[b * steps + k] = tau;
      __syncwarp();
    }
    a.store(all + b * step, ld, m, n, lane);
  }
};

template <typename T>
struct SmallReflectors {
  T* all;
  int m, n, k;
  int64_t ld, step;
  const T* taus;

  __device__ void operator()(WarpMatrix<T> q, int64_t b, int lane) const {
    q.load(all + b * step, ld, m, n, lane);
    for (int j = k; j < n; ++j)
      if (lane < m) q(lane, j) = T(lane == j ? 1 : 0);
    __syncwarp();
    for (int i = k - 1; i >= 0; --i) {
      const T tau = taus[b * k + i];
      if (lane > i && lane < n) reflect(q, i, m, lane, tau);
      __syncwarp();
      if (lane < m) q(lane, i) = lane > i ? T(0) - tau * q(lane, i) : T(lane == i ? 1 : 0);
      if (lane == i) q(i, i) -= tau;
      __syncwarp();
    }
    q.store(all + b * step, ld, m, n, lane);
  }
};

}  // namespace

void small_qr_cuda(const ColumnMatrices& a, void* tau) {
  dispatch_lapack_types(a.type, "geqrf", [&]<typename T>(TypeTag<T>) {
    for_each_warp_matrix<T>(
        a.device, a.rows, a.columns, a.count,
        SmallQR<T>{reinterpret_cast<T*>(a.data), static_cast<int>(a.rows),
                   static_cast<int>(a.columns), a.ld, a.step, static_cast<T*>(tau)});
  });
}

void small_reflectors_cuda(const ColumnMatrices& q, const void* tau, int64_t k) {
  dispatch_lapack_types(q.type, "householder_product", [&]<typename T>(TypeTag<T>) {
    for_each_warp_matrix<T>(
        q.device, q.rows, q.columns, q.count,
        SmallReflectors<T>{reinterpret_cast<T*>(q.data), static_cast<int>(q.rows),
                           static_cast<int>(q.columns), static_cast<int>(k), q.ld, q.step,
                           static_cast<const T*>(tau)});
  });
}

}  // namespace at::native
