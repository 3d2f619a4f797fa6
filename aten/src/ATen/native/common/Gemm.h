#pragma once
// C = alpha * A B + beta * C for matrices in memory, by the fastest method for the type, the sizes
// and the machine.
//
// Note [Which GEMM]
// Measured on 2 cores of a Zen 4, and on 2 of a Zen 3 without AVX-512
// (benchmarks/operator_benchmark, group matmul):
//   up to 32 x 32 x 32     a kernel of our own: 0.05 to 1 us where a library call takes 0.2 to 5;
//                          complex numbers have one too
//   a long inner dimension dot products of our own, if the result has few elements
//   one row or one column  a matrix-vector kernel of our own, which is bound by memory
//   a few rows or columns  dot products of our own, where both lie along the inner dimension
//   a short inner dimension
//                          a kernel of our own (is_native in Gemm.cpp), for real types; complex
//                          floats by a real product
//   float                  oneDNN: sgemm, or a matmul primitive once a shape with a transposed B
//                          was met a few times; without AVX-512 also OpenBLAS, as double
//                          (prefers_blas in Gemm.cpp)
//   bfloat16               a kernel of our own where the processor has matrix tiles; else, and for
//                          batches, oneDNN's matmul primitive where it is fast; else as float
//   double, complex        OpenBLAS, single-threaded, over blocks of C that our threads divide
//   half                   through float
//   integers               a loop
// Both libraries are opened when first called (NativeLibraries.h).

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

using ComplexDouble = c10::complex<double>;

struct GemmArgs {
  ScalarType dtype;
  // Row-major: element (i, j) of C is c[i * ldc + j]. A is m x k in the same layout, or transposed:
  // a[k * lda + i].
  bool trans_a = false, trans_b = false;
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  int64_t lda = 1;
  const void* b = nullptr;
  int64_t ldb = 1;
  void* c = nullptr;
  int64_t ldc = 1;
  ComplexDouble alpha{1, 0}, beta{0, 0};  // C is not read where beta is 0
};

// Several products, whose operands are these numbers of elements apart.
struct GemmBatch {
  int64_t count = 1, step_a = 0, step_b = 0, step_c = 0;
};

// One product, on several threads if that pays off.
void gemm(const GemmArgs& args);
// A matrix in memory, whose rows are `ld` elements apart; or those of its transpose.
struct GemmOperand {
  const void* data;
  int64_t ld;
  bool trans = false;
};
// C (m x n) = A (m x k) B (k x n) + beta C.
void strided_gemm(ScalarType dtype, int64_t m, int64_t n, int64_t k, GemmOperand a, GemmOperand b,
                  double beta, void* c, int64_t ldc);
// The same where all are dense; A or B may be stored transposed.
void dense_gemm(ScalarType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                const void* a, const void* b, double beta, void* c);
// `count` products whose operands are these numbers of elements apart.
void gemm_batched(const GemmArgs& first, int64_t count, int64_t step_a, int64_t step_b,
                  int64_t step_c);

// y = alpha * A x + beta * y; A is m x n with any strides.
struct GemvArgs {
  ScalarType dtype;
  int64_t m, n;
  const void* a;
  int64_t row_stride, column_stride;
  const void* x;
  int64_t incx;
  void* y;
  int64_t incy;
  double alpha, beta;
};

// On this thread, for real floating types; also the fallback of all functions if the libraries are
// missing. For the half types k is at most kMaxHalfInner.
constexpr int64_t kMaxHalfInner = 256;
DECLARE_DISPATCH(void (*)(const GemmArgs&), native_gemm_stub);
// For all types of numbers, on several threads, where neither m nor n is larger than
// kMaxLongVectors.
constexpr int64_t kMaxLongVectors = 8;
DECLARE_DISPATCH(void (*)(const GemmArgs&), long_inner_gemm_stub);
// For real floating types, on several threads, where B is transposed and m is small, or A is not
// and n is small.
DECLARE_DISPATCH(void (*)(const GemmArgs&), few_rows_gemm_stub);
// Of bfloat16, on several threads, where the processor has matrix tiles (MatrixTilesStub.h).
DECLARE_DISPATCH(void (*)(const GemmArgs&), matrix_tiles_gemm_stub);
// For all real floating types, on several threads. A has a stride of 1 in one dimension.
DECLARE_DISPATCH(void (*)(const GemvArgs&), gemv_stub);
// sum of x[i] * y[i]; `conj` takes the conjugate of x.
DECLARE_DISPATCH(void (*)(ScalarType dtype, int64_t n, const void* x, int64_t incx, const void* y,
                          int64_t incy, bool conj, void* result),
                 dot_stub);
// Dot products: of a row with a column each, both dense, alpha 1 and beta 0. On several threads,
// for real floating and complex types.
DECLARE_DISPATCH(void (*)(const GemmArgs& first, const GemmBatch& batch), batched_dots_stub);
// Of complex floats, by a real product and a copy of B, on several threads; beta is real.
DECLARE_DISPATCH(void (*)(const GemmArgs&), complex_gemm_stub);
// Complex numbers on this thread, where m, n and k are at most kMaxSmallComplex.
constexpr int64_t kMaxSmallComplex = 32;
DECLARE_DISPATCH(void (*)(const GemmArgs&), small_complex_gemm_stub);
// Integers and other types, on several threads.
DECLARE_DISPATCH(void (*)(const GemmArgs&), plain_gemm_stub);

}  // namespace at::native
