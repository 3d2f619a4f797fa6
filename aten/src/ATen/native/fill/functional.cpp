// fill and zero: new tensors of the shape of their argument.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/fill__ops.h>
#include <ATen/ops/fill_native.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/ops/zero_native.h>

namespace at::native {

Tensor fill(const Tensor& self, const Scalar& value) {
  Tensor result = at::empty_like(self);
  return _ops::fill__Scalar::call(result, value);
}

Tensor fill(const Tensor& self, const Tensor& value) {
  Tensor result = at::empty_like(self);
  return _ops::fill__Tensor::call(result, value);
}

Tensor zero(const Tensor& self) {
  Tensor result = at::empty_like(self);
  return _ops::zero_::call(result);
}

}  // namespace at::native
