// Arithmetic operators on tensors and numbers, out of line.

#include <ATen/TensorOperators.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/sub.h>

namespace at {

static Tensor number(const Scalar& s) { return wrapped_scalar_tensor(s); }

Tensor operator+(const Tensor& a, const Tensor& b) { return at::add(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return at::sub(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return at::mul(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return at::div(a, b); }
Tensor operator+(const Tensor& a, const Scalar& b) { return at::add(a, number(b)); }
Tensor operator-(const Tensor& a, const Scalar& b) { return at::sub(a, number(b)); }
Tensor operator*(const Tensor& a, const Scalar& b) { return at::mul(a, number(b)); }
Tensor operator/(const Tensor& a, const Scalar& b) { return at::div(a, number(b)); }
Tensor operator+(const Scalar& a, const Tensor& b) { return at::add(number(a), b); }
Tensor operator-(const Scalar& a, const Tensor& b) { return at::sub(number(a), b); }
Tensor operator*(const Scalar& a, const Tensor& b) { return at::mul(number(a), b); }
Tensor operator/(const Scalar& a, const Tensor& b) { return at::div(number(a), b); }
Tensor operator-(const Tensor& a) { return at::neg(a); }

}  // namespace at
