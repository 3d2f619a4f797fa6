// Inverses on CUDA devices: a warp for each small matrix, LU factors for larger ones.

#include <limits>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_factor/cuda/lu.h>
#include <ATen/native/linalg_factor/cuda/small.h>
#include <ATen/native/linalg_solve/linalg_solve.h>
#include <ATen/native/common/cuda/MatrixElements.cuh>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

// Gauss-Jordan elimination with partial pivoting, as the CPU does it.
template <typename T>
struct SmallInverse {
  T* all;
  int n;
  int64_t ld, step;
  int* infos;

  __device__ void operator()(WarpMatrix<T> a, int64_t b, int lane) const {
    T* matrix = all + b * step;
    a.load(matrix, ld, n, n, lane);
    int info = 0, own_pivot = 0;  // lane k has pivot k
    for (int k = 0; k < n; ++k) {
      const int p = a.find_pivot(k, n, lane);
      if (lane == k) own_pivot = p;
      if (a(p, k) == T(0)) {
        info = k + 1;
        break;
      }
      a.swap_rows(k, p, n, lane);
      const T inverse = T(1) / a(k, k);
      const T factor = lane < n && lane != k ? a(lane, k) : T(0);
      if (lane < n && lane != k) a(k, lane) = a(k, lane) * inverse;
      __syncwarp();
      if (lane < n) {
        for (int j = 0; j < n; ++j)
          if (j != k && lane != k) a(lane, j) -= factor * a(k, j);
        a(lane, k) = lane == k ? inverse : T(0) - factor * inverse;  // never -0
      }
      __syncwarp();
    }
    if (info) {
      for (int j = 0; j < n; ++j)
        if (lane < n) matrix[lane + j * ld] = T(std::numeric_limits<RealPart<T>>::quiet_NaN());
    } else {
      for (int k = n - 1; k >= 0; --k) {
        const int p = from_lane(own_pivot, k);
        if (p == k || lane >= n) continue;
        const T x = a(lane, k);
        a(lane, k) = a(lane, p);
        a(lane, p) = x;
      }
      a.store(matrix, ld, n, n, lane);
    }
    if (lane == 0) infos[b] = info;
  }
};

template <typename T>
struct FillSingular {
  MatrixElements<T> elements;
  const int* infos;
  __device__ void operator()(int64_t i) const {
    elements.at(i, [&](T& x, int64_t b, int64_t, int64_t) {
      if (infos[b]) x = T(std::numeric_limits<RealPart<T>>::quiet_NaN());
    });
  }
};

}  // namespace

static void inverse_cuda(const Tensor& A, const Tensor& inverse, const Tensor& info) {
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0) return set_zero(info);
  int* infos = static_cast<int*>(info.data_ptr());
  const ColumnMatrices x(inverse);
  if (x.rows <= kSmallMatrixCuda) {
    copy_into(inverse, A);
    dispatch_lapack_types(A.scalar_type(), "inverse", [&]<typename T>(TypeTag<T>) {
      for_each_warp_matrix<T>(x.device, x.rows, x.rows, x.count,
                              SmallInverse<T>{reinterpret_cast<T*>(x.data),
                                              static_cast<int>(x.rows), x.ld, x.step, infos});
    });
    return;
  }
  const ColumnMatrices lu(copy_by_columns(A));
  Tensor pivots = empty_tensor(A.sizes().slice(0, A.dim() - 1), kInt, A.device());
  factor_lu_cuda(lu, pivots, info);
  set_identity_cuda(x);
  solve_lu_cuda(lu, static_cast<const int*>(pivots.data_ptr()), x, true, false);
  dispatch_lapack_types(A.scalar_type(), "inverse", [&]<typename T>(TypeTag<T>) {
    for_each_element(x, FillSingular<T>{MatrixElements<T>(x), infos});
  });
}

static void first_error_cuda(const Tensor& info, int64_t& index, int64_t& value) {
  first_error_stub(c10::DeviceType::CPU, on_device(info, kCPU), index, value);
}

REGISTER_CUDA_DISPATCH(inverse_stub, &inverse_cuda)
REGISTER_CUDA_DISPATCH(first_error_stub, &first_error_cuda)

}  // namespace at::native
