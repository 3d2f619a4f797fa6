// Products with an activation, with coefficients and with weights in 8 bits.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/low_bit_weights.h>
#include <ATen/ops/_addmm_activation_native.h>
#include <ATen/ops/_compute_linear_combination_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_weight_int8pack_mm_native.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/t.h>

namespace at::native {

Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta, const Scalar& alpha, bool use_gelu) {
  const Tensor product = at::addmm(self, mat1, mat2, beta, alpha);
  return use_gelu ? at::gelu(product) : at::relu(product);
}

Tensor _compute_linear_combination(const Tensor& input, const Tensor& coefficients) {
  const char* op = "_compute_linear_combination";
  TORCH_CHECK(input.dim() > 0 && coefficients.dim() == 2 && coefficients.size(1) == input.size(0),
              op,
              ": coefficients must have one column for each of the first dimension of the input, "
              "but the shapes are ",
              coefficients.sizes(), " and ", input.sizes());
  TORCH_CHECK(coefficients.scalar_type() == input.scalar_type(), op, ": coefficients must be ",
              dtypeName(input.scalar_type()), ", but they are ",
              dtypeName(coefficients.scalar_type()));
  std::vector<int64_t> sizes = input.sizes().vec();
  int64_t row = 1;
  for (size_t d = 1; d < sizes.size(); ++d) row *= sizes[d];
  sizes[0] = coefficients.size(0);
  return at::reshape(at::mm(coefficients, at::reshape(input, {input.size(0), row})), sizes);
}

Tensor _weight_int8pack_mm(const Tensor& self, const Tensor& mat2, const Tensor& scales) {
  const char* op = "_weight_int8pack_mm";
  const ScalarType type = self.scalar_type();
  TORCH_CHECK(type == kFloat || type == kHalf || type == kBFloat16, op,
              ": the input must be float32, float16 or bfloat16, but it is ", dtypeName(type));
  TORCH_CHECK(self.dim() == 2, op, ": the input must have 2 dimensions, but its shape is ",
              self.sizes());
  TORCH_CHECK(mat2.scalar_type() == kChar, op, ": the weight must be int8, but it is ",
              dtypeName(mat2.scalar_type()));
  TORCH_CHECK(mat2.dim() == 2 && mat2.size(1) == self.size(1), op, ": the weight must have ",
              self.size(1), " columns, but its shape is ", mat2.sizes());
  TORCH_CHECK(scales.dim() == 1 && scales.size(0) == mat2.size(0), op, ": scales must have ",
              mat2.size(0), " numbers, but its shape is ", scales.sizes());
  TORCH_CHECK(scales.scalar_type() == type, op, ": scales must be ", dtypeName(type),
              " as the input, but they are ", dtypeName(scales.scalar_type()));
  if (auto product = low_bit_product(self, mat2, scales, 0)) return *std::move(product);
  const TensorOptions wide(kFloat);
  const Tensor product = at::mm(at::_to_copy(self, wide), at::t(at::_to_copy(mat2, wide)));
  return at::_to_copy(at::mul(product, at::_to_copy(scales, wide)), TensorOptions(type));
}

}  // namespace at::native
