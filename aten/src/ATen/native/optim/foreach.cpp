// _foreach_*: an operator applied to each tensor of a list.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_foreach_add__native.h>
#include <ATen/ops/_foreach_mul__native.h>
#include <ATen/ops/_foreach_norm_native.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul_ops.h>

namespace at::native {

static void check_some(TensorList self) {
  TORCH_CHECK(!self.empty(), "Tensor list must have at least one tensor.");
}

void _foreach_add_(TensorList self, const Scalar& scalar) {
  check_some(self);
  Tensor number = wrapped_scalar_tensor(scalar);
  for (const Tensor& t : self) _ops::add__Tensor::call(const_cast<Tensor&>(t), number, 1);
}
void _foreach_mul_(TensorList self, const Scalar& scalar) {
  check_some(self);
  Tensor number = wrapped_scalar_tensor(scalar);
  for (const Tensor& t : self) _ops::mul__Tensor::call(const_cast<Tensor&>(t), number);
}
void _foreach_mul_(TensorList self, const Tensor& other) {
  check_some(self);
  for (const Tensor& t : self) _ops::mul__Tensor::call(const_cast<Tensor&>(t), other);
}
std::vector<Tensor> _foreach_norm(TensorList self, const Scalar& ord,
                                  std::optional<ScalarType> dtype) {
  check_some(self);
  std::vector<Tensor> norms;
  for (const Tensor& t : self)
    norms.push_back(at::linalg_vector_norm(t, ord, std::nullopt, false, dtype));
  return norms;
}

}  // namespace at::native
