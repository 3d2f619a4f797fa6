// Matrix products on the CPU.

#include <ATen/native/common/MatrixOperands.h>
#include <ATen/native/common/NativeLibraries.h>
#include <ATen/native/matmul/int8_rows.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/t.h>

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
  const int64_t m = a.sizes()[0], n = b.sizes()[1], k = a.sizes()[1];
  const bool empty = out.numel() == 0 || k == 0;
  const MkldnnLibrary* mkldnn = mkldnn_library();
  if (!empty && mkldnn && mkldnn->has_type(kChar)) {
    return product_into(out, a, b, {1, 0}, {0, 0}, [&](GemmArgs g) {
      g.dtype = a.scalar_type();
      mkldnn->int8_gemm(g);
    });
  }
  // So many rows of a are worth a copy of b, whose long columns are read side by side.
  constexpr int64_t kCopy = 8, kLong = 128;
  const bool by_columns = b.strides()[0] == 1;
  if (!empty && out.is_contiguous() && (by_columns || (m >= kCopy && k >= kLong))) {
    const Tensor x = a.strides()[1] == 1 ? a : at::contiguous(a);
    const Tensor columns = at::t(b), y = by_columns ? columns : at::contiguous(columns);
    return int8_rows_stub(kCPU, {x.data_ptr(), x.scalar_type() == kChar, x.strides()[0],
                                 static_cast<const int8_t*>(y.data_ptr()), y.strides()[0],
                                 static_cast<int32_t*>(out.data_ptr()), m, n, k});
  }
  matmul_into_kernel(out, at::_to_copy(a, kInt), at::_to_copy(b, kInt), {1, 0}, {0, 0});
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
