// Triangular equations of up to 32 unknowns on CUDA devices: a warp has a matrix, and each of its
// lanes an unknown, of several right sides at a time.

#include <ATen/native/linalg_solve/cuda/triangular.h>
#include <ATen/native/common/cuda/MatrixElements.cuh>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

constexpr int kSides = 4;

template <typename T>
struct SmallTriangular {
  const T* all;
  int n;
  int64_t ld, step;
  bool transposed, conjugated, forward, unit;
  T* x;
  int64_t sides, step_x, along, across;  // distances of unknowns, and of right sides

  __device__ void operator()(WarpMatrix<T> a, int64_t b, int lane) const {
    const T* matrix = all + b * step;
    for (int e = lane; e < n * n; e += 32) {
      const int i = e % n, j = e / n;
      const T value = conjugated ? conjugate_of(matrix[i + j * ld]) : matrix[i + j * ld];
      if (transposed) a(j, i) = value;
      else a(i, j) = value;
    }
    __syncwarp();
    const T diagonal = lane < n && !unit ? a(lane, lane) : T(1);
    for (int64_t c = 0; c < sides; c += kSides) {
      T* to = x + b * step_x + c * across + lane * along;
      const int count = static_cast<int>(sides - c < kSides ? sides - c : kSides);
      T own[kSides];
#pragma unroll
      for (int s = 0; s < kSides; ++s) own[s] = s < count && lane < n ? to[s * across] : T(0);
      for (int r = 0; r < n; ++r) {
        const int k = forward ? r : n - 1 - r;
        const bool follows = lane < n && (forward ? lane > k : lane < k);
        const T factor = follows ? a(lane, k) : T(0);
#pragma unroll
        for (int s = 0; s < kSides; ++s) {
          if (lane == k && !unit) own[s] = own[s] / diagonal;
          const T found = from_lane(own[s], k);
          if (follows) own[s] -= factor * found;
        }
      }
#pragma unroll
      for (int s = 0; s < kSides; ++s)
        if (s < count && lane < n) to[s * across] = own[s];
    }
  }
};

}  // namespace

void solve_small_triangles_cuda(const ColumnMatrices& A, const ColumnMatrices& X,
                                TriangularOptions options, cuda::cublas::Operation op) {
  const int64_t n = options.left ? X.rows : X.columns;
  // X op(A) = B is op(A)^T X^T = B^T.
  const bool transposed = (op != cuda::cublas::kNone) == options.left;
  dispatch_lapack_types(X.type, "triangular_solve", [&]<typename T>(TypeTag<T>) {
    for_each_warp_matrix<T>(
        X.device, n, n, X.count,
        SmallTriangular<T>{reinterpret_cast<const T*>(A.data), static_cast<int>(n), A.ld, A.step,
                           transposed, op == cuda::cublas::kConjugateTranspose,
                           options.upper == transposed, options.unit, reinterpret_cast<T*>(X.data),
                           options.left ? X.columns : X.rows, X.step, options.left ? 1 : X.ld,
                           options.left ? X.ld : 1});
  });
}

}  // namespace at::native
