// Matrix products on CUDA devices: cuBLAS or cuBLASLt for real and complex numbers and for int8, a
// kernel of our own for other integers.

#include <ATen/Context.h>
#include <ATen/cuda/CublasApi.h>
#include <ATen/native/common/MatrixOperands.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/matmul/cuda/integer_gemm.h>
#include <ATen/native/matmul/cuda/lt_gemm.h>
#include <ATen/native/matmul/cuda/types.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/t.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

namespace cublas = cuda::cublas;

bool by_cublaslt(const GemmArgs& g, int64_t count, int64_t step_a, int64_t step_b, int64_t step_c) {
  if (g.m == 0 || g.n == 0 || g.k == 0 || count > INT_MAX) return false;
  LtGemm args(g);
  args.count = count;
  args.step_a = step_a;
  args.step_b = step_b;
  args.step_c = step_c;
  return lt_gemm(args);
}

// Row-major C = A B is column-major C' = B' A'. The factors may be of a half type where C is float.
void gemm_cuda(ScalarType factors, const GemmArgs& g, int64_t count, int64_t step_a, int64_t step_b,
               int64_t step_c) {
  if (isIntegralType(g.dtype, /*includeBool=*/false))
    return integer_gemm(g, count, step_a, step_b, step_c);
  if (factors == g.dtype && globalContext().preferredBlas() == BlasBackend::cublaslt &&
      by_cublaslt(g, count, step_a, step_b, step_c))
    return;
  const CublasTypes types = cublas_types(factors);
  const cublas::DataType type_c = cublas_types(g.dtype).data;
  const CublasFactor alpha(g.alpha, g.dtype), beta(g.beta, g.dtype);
  auto operation = [](bool trans) { return trans ? cublas::kTranspose : cublas::kNone; };
  const cublas::Handle handle = cublas::handle();
  cublas::check(cublas::functions().set_pointer_mode(handle, cublas::kHost),
                "cublasSetPointerMode");
  const int m = checked_cublas_int(g.n), n = checked_cublas_int(g.m), k = checked_cublas_int(g.k);
  // With k = 0 the operands may have no memory at all.
  const int lda = checked_cublas_int(g.ldb), ldb = checked_cublas_int(g.lda),
            ldc = checked_cublas_int(g.ldc);
  if (count == 1) {
    return cublas::check(cublas::functions().gemm(
                             handle, operation(g.trans_b), operation(g.trans_a), m, n, k,
                             alpha.get(), g.b, types.data, lda, g.a, types.data, ldb, beta.get(),
                             g.c, type_c, ldc, types.compute, cublas::kDefaultAlgorithm),
                         "cublasGemmEx");
  }
  cublas::check(cublas::functions().gemm_batched(handle, operation(g.trans_b), operation(g.trans_a),
                                                 m, n, k, alpha.get(), g.b, types.data, lda, step_b,
                                                 g.a, types.data, ldb, step_a, beta.get(), g.c,
                                                 type_c, ldc, step_c, checked_cublas_int(count),
                                                 types.compute, cublas::kDefaultAlgorithm),
                "cublasGemmStridedBatchedEx");
}

}  // namespace

static void matmul_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b,
                               ComplexDouble alpha, ComplexDouble beta) {
  c10::OptionalDeviceGuard guard(out.device());
  product_into(out, a, b, alpha, beta,
               [&](const GemmArgs& g) { gemm_cuda(a.scalar_type(), g, 1, 0, 0, 0); });
}

static void batches_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b,
                                ComplexDouble alpha, ComplexDouble beta) {
  c10::OptionalDeviceGuard guard(out.device());
  products_into(out, a, b, alpha, beta,
                [&](const GemmArgs& g, auto... batch) { gemm_cuda(a.scalar_type(), g, batch...); });
}

// Returns false if cuBLASLt has no way to do it.
static bool int8_by_cublaslt(const Tensor& out, const Tensor& a, const Tensor& b) {
  if (a.scalar_type() != kChar || out.numel() == 0 || a.numel() == 0 ||
      globalContext().preferredBlas() == BlasBackend::cublas)
    return false;
  c10::OptionalDeviceGuard guard(out.device());
  bool is_done = false;
  product_into(out, a, b, {1, 0}, {0, 0}, [&](const GemmArgs& g) {
    LtGemm args(g);
    args.type_a = args.type_b = kChar;
    is_done = lt_gemm(args);
  });
  return is_done;
}

static void int8_matmul_kernel(const Tensor& out, const Tensor& a, const Tensor& b) {
  if (int8_by_cublaslt(out, a, b)) return;
  // Most GPUs multiply rows by contiguous columns only.
  if (b.numel() > 0 && b.strides()[0] != 1 &&
      int8_by_cublaslt(out, at::contiguous(a), at::t(at::contiguous(at::t(b)))))
    return;
  matmul_into_kernel(out, at::_to_copy(a, TensorOptions(kInt)),
                     at::_to_copy(b, TensorOptions(kInt)), {1, 0}, {0, 0});
}

static void dot_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b, bool conj) {
  c10::OptionalDeviceGuard guard(out.device());
  if (isIntegralType(a.scalar_type(), /*includeBool=*/false)) {
    GemmArgs g{a.scalar_type()};
    g.m = g.n = 1;
    g.k = a.numel();
    g.a = a.data_ptr();
    g.trans_a = true;  // elements of a row may be a stride apart only in this form
    g.lda = a.strides()[0];
    g.b = b.data_ptr();
    g.ldb = b.strides()[0];
    g.c = out.data_ptr();
    return integer_gemm(g, 1, 0, 0, 0);
  }
  const CublasTypes types = cublas_types(a.scalar_type());
  const cublas::Handle handle = cublas::handle();
  cublas::check(cublas::functions().set_pointer_mode(handle, cublas::kDevice),
                "cublasSetPointerMode");
  const auto dot = conj ? cublas::functions().dot_conj : cublas::functions().dot;
  // The type of the computation: that of the numbers, or float for narrower ones.
  const bool is_reduced = a.scalar_type() == kHalf || a.scalar_type() == kBFloat16;
  cublas::check(dot(handle, checked_cublas_int(a.numel()), a.data_ptr(), types.data,
                    checked_cublas_int(a.strides()[0]), b.data_ptr(), types.data,
                    checked_cublas_int(b.strides()[0]), out.data_ptr(), types.data,
                    is_reduced ? cublas::kR32F : types.data),
                "cublasDotEx");
}

REGISTER_CUDA_DISPATCH(matmul_into_stub, &matmul_into_kernel)
REGISTER_CUDA_DISPATCH(batches_into_stub, &batches_into_kernel)
REGISTER_CUDA_DISPATCH(int8_matmul_stub, &int8_matmul_kernel)
REGISTER_CUDA_DISPATCH(dot_into_stub, &dot_into_kernel)

}  // namespace at::native
