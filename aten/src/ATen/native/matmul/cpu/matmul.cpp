// Matrix products on the CPU.

#include <ATen/native/common/MatrixOperands.h>
#include <ATen/native/common/NativeLibraries.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_to_copy.h>

namespace at::native {
// out = alpha * a b + beta * out; shapes and types must match.
static void matmul_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b,
                               ComplexDouble alpha, ComplexDouble beta) {
  product_into(out, a, b, alpha, beta, gemm);
}

static void batches_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b,
                                ComplexDouble alpha, ComplexDouble beta) {
  products_into(out, a, b, alpha, beta, gemm_batched);
}

static void int8_matmul_kernel(const Tensor& out, const Tensor& a, const Tensor& b) {
  const MkldnnLibrary* mkldnn = mkldnn_library();
  if (!mkldnn || !mkldnn->has_type(kChar) || out.numel() == 0 || a.sizes()[1] == 0)
    return matmul_into_kernel(out, at::_to_copy(a, kInt), at::_to_copy(b, kInt), {1, 0}, {0, 0});
  MatrixOperand x = matrix_operand(a, 0), y = matrix_operand(b, 0);
  GemmArgs g{a.scalar_type()};
  g.m = a.sizes()[0];
  g.n = b.sizes()[1];
  g.k = a.sizes()[1];
  g.a = x.data;
  g.trans_a = x.trans;
  g.lda = x.ld;
  g.b = y.data;
  g.trans_b = y.trans;
  g.ldb = y.ld;
  g.c = out.data_ptr();
  g.ldc = g.n;
  mkldnn->int8_gemm(g);
}

static void dot_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b, bool conj) {
  dot_stub(kCPU, a.scalar_type(), a.numel(), a.data_ptr(), a.strides()[0], b.data_ptr(),
           b.strides()[0], conj, out.data_ptr());
}

REGISTER_ALL_CPU_DISPATCH(matmul_into_stub, &matmul_into_kernel)
REGISTER_ALL_CPU_DISPATCH(batches_into_stub, &batches_into_kernel)
REGISTER_ALL_CPU_DISPATCH(int8_matmul_stub, &int8_matmul_kernel)
REGISTER_ALL_CPU_DISPATCH(dot_into_stub, &dot_into_kernel)

}  // namespace at::native
