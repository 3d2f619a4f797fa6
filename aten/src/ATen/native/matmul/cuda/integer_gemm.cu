// Products of matrices of integers: each block computes a square of C from squares of A and B in
// shared memory.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/matmul/cuda/integer_gemm.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

constexpr int kSquare = 16;

struct Shape {
  bool trans_a, trans_b;
  int64_t m, n, k, lda, ldb, ldc, step_a, step_b, step_c, count;
  uint64_t alpha, beta;
};

template <typename T>
__global__ void __launch_bounds__(kSquare* kSquare)
    integer_gemm_kernel(Shape s, const T* a, const T* b, T* c) {
  __shared__ T left[kSquare][kSquare], right[kSquare][kSquare];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kSquare + x;
  for (int64_t batch = blockIdx.z; batch < s.count; batch += gridDim.z) {
    const T* from_a = a + batch * s.step_a;
    const T* from_b = b + batch * s.step_b;
    for (int64_t first = static_cast<int64_t>(blockIdx.y) * kSquare; first < s.m;
         first += static_cast<int64_t>(gridDim.y) * kSquare) {
      const int64_t row = first + y;
      uint64_t sum = 0;
      for (int64_t start = 0; start < s.k; start += kSquare) {
        const int64_t k_a = start + x, k_b = start + y;
        left[y][x] = row < s.m && k_a < s.k
                         ? from_a[s.trans_a ? k_a * s.lda + row : row * s.lda + k_a]
                         : T(0);
        right[y][x] = column < s.n && k_b < s.k
                          ? from_b[s.trans_b ? column * s.ldb + k_b : k_b * s.ldb + column]
                          : T(0);
        __syncthreads();
        for (int k = 0; k < kSquare; ++k)
          sum += static_cast<uint64_t>(left[y][k]) * static_cast<uint64_t>(right[k][x]);
        __syncthreads();
      }
      if (row < s.m && column < s.n) {
        T& to = c[batch * s.step_c + row * s.ldc + column];
        const uint64_t old = s.beta == 0 ? 0 : s.beta * static_cast<uint64_t>(to);
        to = static_cast<T>(s.alpha * sum + old);
      }
    }
  }
}

}  // namespace

void integer_gemm(const GemmArgs& g, int64_t count, int64_t step_a, int64_t step_b,
                  int64_t step_c) {
  auto factor = [](ComplexDouble value) {
    return static_cast<uint64_t>(static_cast<int64_t>(value.real()));
  };
  const Shape shape{g.trans_a, g.trans_b, g.m,    g.n,    g.k,   g.lda,           g.ldb,
                    g.ldc,     step_a,    step_b, step_c, count, factor(g.alpha), factor(g.beta)};
  auto squares = [](int64_t n) {
    return static_cast<unsigned>(std::min<int64_t>((n + kSquare - 1) / kSquare, 65535));
  };
  const dim3 grid(static_cast<unsigned>((g.n + kSquare - 1) / kSquare), squares(g.m),
                  static_cast<unsigned>(std::min<int64_t>(count, 65535)));
  dispatch_types<IntegralTypes>(g.dtype, "addmm", [&]<typename T>(TypeTag<T>) {
    c10::cuda::launch(integer_gemm_kernel<T>, {grid, dim3(kSquare, kSquare)},
                      c10::cuda::getCurrentCUDAStream(), shape, static_cast<const T*>(g.a),
                      static_cast<const T*>(g.b), static_cast<T*>(g.c));
  });
}

}  // namespace at::native
