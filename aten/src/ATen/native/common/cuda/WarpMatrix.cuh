#pragma once
// Small matrices on CUDA devices, up to 32 x 32: a warp has the matrix in shared memory, and each
// of its lanes a row.

#include <cmath>

#include <ATen/native/common/cuda/ColumnMatrices.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>
#include <c10/util/complex.h>
#include <cuda_runtime.h>

namespace at::native {

constexpr unsigned kAllLanes = 0xffffffffu;

// --- numbers, real or complex ---

template <typename T>
struct PartsOf {
  using Real = T;
  static constexpr bool is_complex = false;
};
template <typename T>
struct PartsOf<c10::complex<T>> {
  using Real = T;
  static constexpr bool is_complex = true;
};
template <typename T>
using RealPart = typename PartsOf<T>::Real;

template <typename T>
__device__ T conjugate_of(T x) {
  if constexpr (PartsOf<T>::is_complex) return T(x.real(), -x.imag());
  else return x;
}
template <typename T>
__device__ RealPart<T> real_of(T x) {
  if constexpr (PartsOf<T>::is_complex) return x.real();
  else return x;
}
template <typename T>
__device__ RealPart<T> imag_of(T x) {
  if constexpr (PartsOf<T>::is_complex) return x.imag();
  else return 0;
}
// The size by which LAPACK selects pivots. NaN counts as the largest.
template <typename T>
__device__ RealPart<T> pivot_size_of(T x) {
  const RealPart<T> size = std::fabs(real_of(x)) + std::fabs(imag_of(x));
  return size == size ? size : RealPart<T>(INFINITY);
}
template <typename T>
__device__ T from_lane(T x, int lane) {
  if constexpr (PartsOf<T>::is_complex) {
    return T(__shfl_sync(kAllLanes, x.real(), lane), __shfl_sync(kAllLanes, x.imag(), lane));
  } else {
    return __shfl_sync(kAllLanes, x, lane);
  }
}
template <typename T>
__device__ T from_other_lane(T x, int bits) {
  if constexpr (PartsOf<T>::is_complex) {
    return T(__shfl_xor_sync(kAllLanes, x.real(), bits),
             __shfl_xor_sync(kAllLanes, x.imag(), bits));
  } else {
    return __shfl_xor_sync(kAllLanes, x, bits);
  }
}
// The lane with the largest value, the first of equal ones.
template <typename R>
__device__ int lane_of_largest(R value, int lane) {
  for (int bits = 16; bits > 0; bits /= 2) {
    const R other = __shfl_xor_sync(kAllLanes, value, bits);
    const int other_lane = __shfl_xor_sync(kAllLanes, lane, bits);
    if (other > value || (other == value && other_lane < lane)) {
      value = other;
      lane = other_lane;
    }
  }
  return lane;
}

// --- a matrix ---

template <typename T>
struct WarpMatrix {
  T* a;
  int ld;  // odd, so that neither rows nor columns meet in one bank

  __device__ T& operator()(int i, int j) const { return a[i + j * ld]; }
  __device__ void load(const T* from, int64_t ld_from, int m, int n, int lane) const {
    for (int e = lane; e < m * n; e += 32) a[e % m + e / m * ld] = from[e % m + e / m * ld_from];
    __syncwarp();
  }
  __device__ void store(T* to, int64_t ld_to, int m, int n, int lane) const {
    __syncwarp();
    for (int e = lane; e < m * n; e += 32) to[e % m + e / m * ld_to] = a[e % m + e / m * ld];
  }
  // Waits for the lanes, which may have looked at these rows.
  __device__ void swap_rows(int p, int q, int n, int lane) const {
    __syncwarp();
    if (lane < n && p != q) {
      const T x = (*this)(p, lane);
      (*this)(p, lane) = (*this)(q, lane);
      (*this)(q, lane) = x;
    }
    __syncwarp();
  }
  // The row from k on whose element in column k is the largest.
  __device__ int find_pivot(int k, int m, int lane) const {
    return lane_of_largest(
        lane >= k && lane < m ? pivot_size_of((*this)(lane, k)) : RealPart<T>(-1), lane);
  }
};

template <typename T, typename F>
__global__ void warp_matrix_kernel(int m, int n, int64_t count, F f) {
  const int ld = m | 1, lane = static_cast<int>(threadIdx.x);
  const WarpMatrix<T> matrix{c10::cuda::dynamic_shared<T>() + threadIdx.y * ld * n, ld};
  for (int64_t b = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; b < count;
       b += static_cast<int64_t>(gridDim.x) * blockDim.y) {
    f(matrix, b, lane);
    __syncwarp();
  }
}

// f(matrix, b, lane) for each b below `count`, by a warp that has room for m x n elements.
template <typename T, typename F>
void for_each_warp_matrix(Device device, int64_t m, int64_t n, int64_t count, const F& f) {
  if (count == 0) return;
  c10::OptionalDeviceGuard guard(device);
  const size_t bytes = static_cast<size_t>((m | 1) * (n > 1 ? n : 1)) * sizeof(T);
  const size_t fitting = (size_t{48} << 10) / bytes;
  const unsigned warps = fitting < 1 ? 1 : fitting > 4 ? 4 : static_cast<unsigned>(fitting);
  const int64_t needed = (count + warps - 1) / warps;
  const int64_t blocks = needed < 0x7fffffff ? needed : 0x7fffffff;
  c10::cuda::launch(
      warp_matrix_kernel<T, F>, {static_cast<unsigned>(blocks), dim3(32, warps), warps * bytes},
      c10::cuda::getCurrentCUDAStream(), static_cast<int>(m), static_cast<int>(n), count, f);
}

}  // namespace at::native
