// Determinants on CUDA devices, from LU factors: a warp for each matrix.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/linalg_solve/linalg_solve.h>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

// -1 after an odd number of interchanges.
__device__ int sign_of_pivots(const int* pivots, int64_t n, int lane) {
  bool odd = false;
  for (int64_t i = lane; i < n; i += 32) odd ^= pivots[i] != i + 1;
  unsigned lanes = __ballot_sync(kAllLanes, odd);
  return __popc(lanes) % 2 ? -1 : 1;
}

template <typename T>
__device__ T product_of_lanes(T x) {
  for (int bits = 16; bits > 0; bits /= 2) x = x * from_other_lane(x, bits);
  return x;
}

template <typename T>
struct Determinant {
  const T* lu;
  int64_t n, ld, step;
  const int* pivots;
  T* to;
  __device__ void operator()(WarpMatrix<T>, int64_t b, int lane) const {
    T product(1);
    for (int64_t i = lane; i < n; i += 32) product = product * lu[b * step + i * (ld + 1)];
    product = product_of_lanes(product);
    const int sign = sign_of_pivots(pivots + b * n, n, lane);
    if (lane == 0) to[b] = product * T(sign);
  }
};

template <typename T>
struct LogDeterminant {
  using R = RealPart<T>;
  const T* lu;
  int64_t n, ld, step;
  const int* pivots;
  T* signs;
  R* logs;
  __device__ void operator()(WarpMatrix<T>, int64_t b, int lane) const {
    T sign(1);
    R sum = 0;
    for (int64_t i = lane; i < n; i += 32) {
      const T d = lu[b * step + i * (ld + 1)];
      const R size = std::hypot(real_of(d), imag_of(d));
      if constexpr (PartsOf<T>::is_complex)
        sign = size == 0 ? T(0) : sign * T(d.real() / size, d.imag() / size);
      else sign = d == 0 || d != d ? T(0) : d < 0 ? -sign : sign;
      sum += std::log(size);
    }
    sign = product_of_lanes(sign);
    for (int bits = 16; bits > 0; bits /= 2) sum += from_other_lane(sum, bits);
    const int of_pivots = sign_of_pivots(pivots + b * n, n, lane);
    if (lane == 0) {
      signs[b] = sign * T(of_pivots);
      logs[b] = sum;
    }
  }
};

template <typename F>
void for_factors(const Tensor& LU, const char* name, const F& f) {
  const ColumnMatrices lu(LU);
  dispatch_types<JoinT<FloatingTypes, ComplexTypes>>(LU.scalar_type(), name,
                                                     [&]<typename T>(TypeTag<T>) {
    for_each_warp_matrix<T>(lu.device, 1, 1, lu.count, f(lu, static_cast<const T*>(lu[0])));
  });
}

}  // namespace

static void det_cuda(const Tensor& LU, const Tensor& pivots, const Tensor& result) {
  for_factors(LU, "det", [&]<typename T>(const ColumnMatrices& lu, const T* data) {
    return Determinant<T>{data,
                          lu.rows,
                          lu.ld,
                          lu.step,
                          static_cast<const int*>(pivots.data_ptr()),
                          static_cast<T*>(result.data_ptr())};
  });
}

static void slogdet_cuda(const Tensor& LU, const Tensor& pivots, const Tensor& sign,
                         const Tensor& logabsdet) {
  for_factors(LU, "slogdet", [&]<typename T>(const ColumnMatrices& lu, const T* data) {
    return LogDeterminant<T>{data,
                             lu.rows,
                             lu.ld,
                             lu.step,
                             static_cast<const int*>(pivots.data_ptr()),
                             static_cast<T*>(sign.data_ptr()),
                             static_cast<RealPart<T>*>(logabsdet.data_ptr())};
  });
}

REGISTER_CUDA_DISPATCH(det_stub, &det_cuda)
REGISTER_CUDA_DISPATCH(slogdet_stub, &slogdet_cuda)

}  // namespace at::native
