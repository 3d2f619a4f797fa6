// Factors of small matrices on CUDA devices: a library call for each would cost more than the work.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/linalg_factor/cuda/small.h>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

template <typename T>
struct SmallCholesky {
  T* all;
  int n;
  int64_t ld, step;
  bool upper;
  int* infos;

  __device__ void operator()(WarpMatrix<T> a, int64_t b, int lane) const {
    T* matrix = all + b * step;
    // The lower triangle, or the conjugate of the upper one.
    for (int j = 0; j < n; ++j) {
      if (lane < j || lane >= n) continue;
      a(lane, j) = upper ? conjugate_of(matrix[j + lane * ld]) : matrix[lane + j * ld];
    }
    __syncwarp();
    int info = 0;
    for (int k = 0; k < n; ++k) {
      RealPart<T> d = real_of(a(k, k));
      if (!(d > 0)) {
        info = k + 1;
        break;
      }
      d = std::sqrt(d);
      __syncwarp();
      if (lane == k) a(k, k) = T(d);
      if (lane > k && lane < n) a(lane, k) = a(lane, k) / T(d);
      __syncwarp();
      for (int j = k + 1; j < n; ++j)
        if (lane >= j && lane < n) a(lane, j) -= a(lane, k) * conjugate_of(a(j, k));
      __syncwarp();
    }
    for (int j = 0; j < n; ++j) {
      if (lane >= n) continue;
      T value(0);
      if (upper && lane <= j) value = conjugate_of(a(j, lane));
      if (!upper && lane >= j) value = a(lane, j);
      matrix[lane + j * ld] = value;
    }
    if (lane == 0) infos[b] = info;
  }
};

template <typename T>
struct SmallLU {
  T* all;
  int m, n;
  int64_t ld, step;
  int *pivots, *infos;
  bool pivot;

  __device__ void operator()(WarpMatrix<T> a, int64_t b, int lane) const {
    a.load(all + b * step, ld, m, n, lane);
    const int steps = m < n ? m : n;
    int info = 0;
    for (int k = 0; k < steps; ++k) {
      const int p = pivot ? a.find_pivot(k, m, lane) : k;
      if (lane == 0) pivots[b * steps + k] = p + 1;
      if (a(p, k) == T(0)) {
        if (info == 0) info = k + 1;
        continue;
      }
      a.swap_rows(k, p, n, lane);
      if (lane > k && lane < m) {
        const T factor = a(lane, k) / a(k, k);
        a(lane, k) = factor;
        for (int j = k + 1; j < n; ++j) a(lane, j) -= factor * a(k, j);
      }
      __syncwarp();
    }
    a.store(all + b * step, ld, m, n, lane);
    if (lane == 0) infos[b] = info;
  }
};

}  // namespace

void small_cholesky_cuda(const ColumnMatrices& a, int* info, bool upper) {
  dispatch_types<JoinT<FloatingTypes, ComplexTypes>>(a.type, "cholesky",
                                                     [&]<typename T>(TypeTag<T>) {
    for_each_warp_matrix<T>(a.device, a.rows, a.rows, a.count,
                            SmallCholesky<T>{reinterpret_cast<T*>(a.data), static_cast<int>(a.rows),
                                             a.ld, a.step, upper, info});
  });
}

void small_lu_cuda(const ColumnMatrices& a, int* pivots, int* info, bool pivot) {
  dispatch_types<JoinT<FloatingTypes, ComplexTypes>>(a.type, "lu_factor",
                                                     [&]<typename T>(TypeTag<T>) {
    for_each_warp_matrix<T>(
        a.device, a.rows, a.columns, a.count,
        SmallLU<T>{reinterpret_cast<T*>(a.data), static_cast<int>(a.rows),
                   static_cast<int>(a.columns), a.ld, a.step, pivots, info, pivot});
  });
}

}  // namespace at::native
