// Products with a bias and an activation on CUDA devices: one call of cuBLASLt where the bias is a
// vector, several operators otherwise.

#include <ATen/Context.h>
#include <ATen/native/common/MatrixOperands.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/matmul/cuda/lt_gemm.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_addmm_activation_native.h>
#include <ATen/ops/addmm_native.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

// Arguments that are wrong are not for cuBLASLt either: the other way says what is wrong.
bool can_multiply(const Tensor& a, const Tensor& b) {
  return a.dim() == 2 && b.dim() == 2 && a.sizes()[1] == b.sizes()[0] && a.numel() > 0 &&
         b.numel() > 0 && a.scalar_type() == b.scalar_type() && a.device() == b.device() &&
         !a.is_neg() && !b.is_neg();
}

// Whether every row of the result gets the same numbers, which stand side by side.
bool is_row(const Tensor& bias, const Tensor& a, const Tensor& b) {
  const int64_t rows = a.sizes()[0], columns = b.sizes()[1], rank = bias.dim();
  if (rank < 1 || rank > 2 || bias.sizes()[rank - 1] != columns || bias.is_neg() ||
      (bias.strides()[rank - 1] != 1 && columns > 1))
    return false;
  if (rank == 2 && bias.sizes()[0] != 1 && (bias.sizes()[0] != rows || bias.strides()[0] != 0))
    return false;
  return bias.scalar_type() == a.scalar_type() && bias.device() == a.device();
}

bool has_epilogue(ScalarType dtype) {
  return dtype == kFloat || dtype == kDouble || dtype == kHalf || dtype == kBFloat16;
}

bool can_have_bias(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
                   const Scalar& alpha) {
  return globalContext().preferredBlas() != BlasBackend::cublas && has_epilogue(a.scalar_type()) &&
         can_multiply(a, b) && is_row(bias, a, b) && beta.equal(1.0) && !alpha.isComplex();
}

// out = activation(bias + alpha * a b), for a row-major `out`. Returns false if cuBLASLt cannot do
// it.
bool product_with_bias(const Tensor& out, const Tensor& bias, const Tensor& a, const Tensor& b,
                       const Scalar& alpha, LtActivation activation) {
  const c10::OptionalDeviceGuard guard(a.device());
  bool is_done = false;
  product_into(out, a, b, {alpha.toDouble(), 0}, {0, 0}, [&](const GemmArgs& g) {
    LtGemm args(g);
    args.bias = bias.data_ptr();
    args.bias_type = a.scalar_type();
    args.activation = activation;
    is_done = lt_gemm(args);
  });
  return is_done;
}

// The result, or an undefined tensor if cuBLASLt cannot do it.
Tensor new_product_with_bias(const Tensor& bias, const Tensor& a, const Tensor& b,
                             const Scalar& beta, const Scalar& alpha, LtActivation activation) {
  if (!can_have_bias(bias, a, b, beta, alpha)) return {};
  Tensor out = empty_tensor({a.sizes()[0], b.sizes()[1]}, a.scalar_type(), a.device());
  return product_with_bias(out, bias, a, b, alpha, activation) ? out : Tensor();
}

bool product_with_bias_into(const Tensor& out, const Tensor& bias, const Tensor& a, const Tensor& b,
                            const Scalar& beta, const Scalar& alpha) {
  return can_have_bias(bias, a, b, beta, alpha) && !out.is_alias_of(bias) && !out.is_neg() &&
         is_row_major(out.sizes()[0], out.sizes()[1], out.strides()[0], out.strides()[1]) &&
         product_with_bias(out, bias, a, b, alpha, LtActivation::none);
}

}  // namespace

Tensor addmm_cuda(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                  const Scalar& alpha) {
  Tensor out = new_product_with_bias(self, mat1, mat2, beta, alpha, LtActivation::none);
  return out.defined() ? out : native::addmm(self, mat1, mat2, beta, alpha);
}

// PyTorch's gelu here is that of the epilogue too, by the hyperbolic tangent, on every way.
Tensor _addmm_activation_cuda(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                              const Scalar& beta, const Scalar& alpha, bool use_gelu) {
  Tensor out = new_product_with_bias(self, mat1, mat2, beta, alpha,
                                     use_gelu ? LtActivation::gelu : LtActivation::relu);
  if (out.defined()) return out;
  out = addmm_cuda(self, mat1, mat2, beta, alpha);
  return use_gelu ? at::gelu(out, "tanh") : at::relu(out);
}

REGISTER_CUDA_DISPATCH(product_with_bias_stub, &product_with_bias_into)

}  // namespace at::native
