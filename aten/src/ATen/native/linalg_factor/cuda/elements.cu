// Triangles, identities and interchanges of rows on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/native/common/cuda/MatrixElements.cuh>

namespace at::native {
namespace {

template <typename T>
struct KeepTriangle {
  MatrixElements<T> elements;
  bool upper;
  __device__ void operator()(int64_t i) const {
    elements.at(i, [&](T& x, int64_t, int64_t row, int64_t column) {
      if (upper ? row > column : row < column) x = T(0);
    });
  }
};

template <typename T>
struct SetIdentity {
  MatrixElements<T> elements;
  __device__ void operator()(int64_t i) const {
    elements.at(i,
                [](T& x, int64_t, int64_t row, int64_t column) { x = T(row == column ? 1 : 0); });
  }
};

// A thread has one line across the interchanged ones.
template <typename T>
struct SwapByPivots {
  T* data;
  IndexDivision lines;
  int64_t step, line, apart;  // distances: matrices, a thread's lines, what is interchanged
  const int* pivots;
  int64_t n;
  bool reverse;
  __device__ void operator()(int64_t i) const {
    const auto [b, number] = lines.divide(i);
    T* x = data + b * step + number * line;
    for (int64_t s = 0; s < n; ++s) {
      const int64_t k = reverse ? n - 1 - s : s, p = int64_t{pivots[b * n + k]} - 1;
      C10_DEVICE_ASSERT(p >= 0 && p < n && "linalg.lu_solve: a pivot is out of range");
      const T value = x[k * apart];
      x[k * apart] = x[p * apart];
      x[p * apart] = value;
    }
  }
};

template <typename T>
struct FindZero {
  const T* data;
  int64_t n, ld, step;
  int* info;
  __device__ void operator()(int64_t b) const {
    int found = 0;
    for (int64_t i = 0; i < n && !found; ++i)
      if (data[b * step + i * (ld + 1)] == T(0)) found = static_cast<int>(i + 1);
    info[b] = found;
  }
};

struct SetNoExchange {
  int* pivots;
  int64_t n;
  __device__ void operator()(int64_t i) const { pivots[i] = static_cast<int>(i % n + 1); }
};

template <typename T>
struct SetPermutation {
  const int* pivots;
  int64_t m, steps;
  int64_t* rows;  // room for m numbers of each matrix
  T* to;
  __device__ void operator()(int64_t b) const {
    int64_t* own = rows + b * m;
    for (int64_t i = 0; i < m; ++i) own[i] = i;
    for (int64_t k = 0; k < steps; ++k) {
      const int64_t p = int64_t{pivots[b * steps + k]} - 1;
      C10_DEVICE_ASSERT(p >= 0 && p < m && "lu_unpack: a pivot is out of range");
      const int64_t row = own[k];
      own[k] = own[p];
      own[p] = row;
    }
    for (int64_t i = 0; i < m; ++i) to[(b * m + own[i]) * m + i] = T(1);
  }
};

}  // namespace

void keep_triangle_cuda(const ColumnMatrices& a, bool upper) {
  dispatch_lapack_types(a.type, "triangle", [&]<typename T>(TypeTag<T>) {
    for_each_element(a, KeepTriangle<T>{MatrixElements<T>(a), upper});
  });
}

void set_identity_cuda(const ColumnMatrices& a) {
  dispatch_lapack_types(a.type, "identity", [&]<typename T>(TypeTag<T>) {
    for_each_element(a, SetIdentity<T>{MatrixElements<T>(a)});
  });
}

void swap_by_pivots_cuda(const ColumnMatrices& a, const int* pivots, int64_t n, bool columns,
                         bool reverse) {
  const int64_t lines = columns ? a.rows : a.columns, total = lines * a.count;
  dispatch_lapack_types(a.type, "lu_solve", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(a.tensor, total,
                 SwapByPivots<T>{reinterpret_cast<T*>(a.data), IndexDivision(lines, total), a.step,
                                 columns ? 1 : a.ld, columns ? a.ld : 1, pivots, n, reverse});
  });
}

void set_no_exchange_cuda(const ColumnMatrices& a, int* pivots, int64_t n) {
  gpu_for_each(a.tensor, a.count * n, SetNoExchange{pivots, n});
}

void find_zero_on_diagonal_cuda(const ColumnMatrices& a, int* info) {
  dispatch_lapack_types(a.type, "diagonal", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(a.tensor, a.count,
                 FindZero<T>{reinterpret_cast<const T*>(a.data), std::min(a.rows, a.columns), a.ld,
                             a.step, info});
  });
}

static void lu_permutation_cuda(const Tensor& pivots, const Tensor& P) {
  const int64_t m = rows_of(P), steps = pivots.sizes().back();
  const int64_t count = m ? P.numel() / (m * m) : 0;
  Tensor rows = empty_tensor({count, m}, kLong, P.device());
  dispatch_types<NumberTypes, bool>(P.scalar_type(), "lu_unpack", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        P, count,
        SetPermutation<T>{static_cast<const int*>(pivots.data_ptr()), m, steps,
                          static_cast<int64_t*>(rows.data_ptr()), static_cast<T*>(P.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(lu_permutation_stub, &lu_permutation_cuda)

}  // namespace at::native
