// Products of matrices of half types whose result is float32, as it is summed up.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/checks.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/addmm_native.h>
#include <ATen/ops/baddbmm_native.h>
#include <ATen/ops/bmm_native.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mm_native.h>

namespace at::native {
namespace {

Tensor empty_product(const char* op, IntArrayRef shape, const Tensor& a, ScalarType out_dtype) {
  const ScalarType type = a.scalar_type();
  TORCH_CHECK(out_dtype == type || (out_dtype == kFloat && (type == kHalf || type == kBFloat16)),
              op, ": expected out_dtype to be that of the factors (", toString(type),
              "), or float32 for float16 and bfloat16, got ", toString(out_dtype));
  return empty_tensor(shape, out_dtype, a.device());
}

// The result begins with the added tensor, which has the dtype of the factors or of the result.
void begin_with(const char* op, Tensor& out, const Tensor& self, const Tensor& a,
                const Scalar& beta) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type() || self.scalar_type() == a.scalar_type(), op,
              ": expected self to be ", toString(out.scalar_type()), " or ",
              toString(a.scalar_type()), ", got ", toString(self.scalar_type()));
  const Tensor all = self.sizes() == out.sizes() ? self : at::expand(self, out.sizes());
  if (!beta.equal(0.0)) at::_ops::copy_::call(out, all, false);
}

}  // namespace

Tensor mm_dtype(const Tensor& self, const Tensor& mat2, ScalarType out_dtype) {
  check_mm("mm", self, mat2);
  const int64_t shape[] = {self.sizes()[0], mat2.sizes()[1]};
  Tensor out = empty_product("mm", shape, self, out_dtype);
  matmul_into_stub(out.device().type(), out, self, mat2, {1, 0}, {0, 0});
  return out;
}

Tensor bmm_dtype(const Tensor& self, const Tensor& mat2, ScalarType out_dtype) {
  check_bmm("bmm", self, mat2);
  const int64_t shape[] = {self.sizes()[0], self.sizes()[1], mat2.sizes()[2]};
  Tensor out = empty_product("bmm", shape, self, out_dtype);
  batches_into_stub(out.device().type(), out, self, mat2, {1, 0}, {0, 0});
  return out;
}

Tensor addmm_dtype(const Tensor& self, const Tensor& mat1, const Tensor& mat2, ScalarType out_dtype,
                   const Scalar& beta, const Scalar& alpha) {
  check_mm("addmm", mat1, mat2);
  const int64_t shape[] = {mat1.sizes()[0], mat2.sizes()[1]};
  Tensor out = empty_product("addmm", shape, mat1, out_dtype);
  begin_with("addmm", out, self, mat1, beta);
  matmul_into_stub(out.device().type(), out, mat1, mat2, alpha.toComplexDouble(),
                   beta.toComplexDouble());
  return out;
}

Tensor baddbmm_dtype(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                     ScalarType out_dtype, const Scalar& beta, const Scalar& alpha) {
  check_bmm("baddbmm", batch1, batch2);
  const int64_t shape[] = {batch1.sizes()[0], batch1.sizes()[1], batch2.sizes()[2]};
  Tensor out = empty_product("baddbmm", shape, batch1, out_dtype);
  begin_with("baddbmm", out, self, batch1, beta);
  batches_into_stub(out.device().type(), out, batch1, batch2, alpha.toComplexDouble(),
                    beta.toComplexDouble());
  return out;
}

}  // namespace at::native
