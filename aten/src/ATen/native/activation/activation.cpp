// Shape and type rules of activations, and those written in terms of others.

#include <ATen/TensorOperators.h>
#include <ATen/native/activation/activation.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_prelu_kernel.h>
#include <ATen/ops/_prelu_kernel_backward_native.h>
#include <ATen/ops/_prelu_kernel_native.h>
#include <ATen/ops/celu_native.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/elu_ops.h>
#include <ATen/ops/glu_native.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/hardtanh_native.h>
#include <ATen/ops/hardtanh_ops.h>
#include <ATen/ops/log_sigmoid_backward_native.h>
#include <ATen/ops/log_sigmoid_forward.h>
#include <ATen/ops/log_sigmoid_forward_native.h>
#include <ATen/ops/log_sigmoid_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/prelu_native.h>
#include <ATen/ops/relu6_native.h>
#include <ATen/ops/relu_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/selu_native.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softshrink_native.h>

namespace at {
namespace meta {

void relu(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK(self.scalar_type() != kBool, "Boolean inputs not supported for relu");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "relu is not supported for complex types");
  iter.build_unary_op(self);
}

void hardtanh(TensorIteratorBase& iter, const Tensor& self, const Scalar& min_val,
              const Scalar& max_val) {
  TORCH_CHECK(self.scalar_type() != kBool, "Bool inputs not supported for hardtanh");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "hardtanh is not supported for complex types");
  bool negative = min_val.toDouble() <= -1 ||
                  max_val.toDouble() <= -1;  // numbers between -1 and 0 convert to 0
  TORCH_CHECK(!isIntegralType(self.scalar_type()) || isSignedType(self.scalar_type()) || !negative,
              "cannot do hardtanh on an unsigned type with negative limits");
  TORCH_CHECK(min_val.toDouble() <= max_val.toDouble(),
              "hardtanh: min_val cannot be greater than max_val, got ", min_val.str(), " and ",
              max_val.str());
  iter.build_unary_op(self);
}

void softshrink(TensorIteratorBase& iter, const Tensor& self, const Scalar& lambd) {
  TORCH_CHECK(lambd.toDouble() >= 0, "softshrink: lambda must be in range [0, inf), but found ",
              lambd.toDouble());
  iter.build_unary_op(self);
}

// On the CPU, buffer may have exp(-|self|). Other devices do not read it.
void log_sigmoid_backward(TensorIteratorBase& iter, const Tensor& grad_output, const Tensor& self,
                          const Tensor& buffer) {
  if (!buffer.numel() || !self.is_cpu()) return iter.build_binary_op(grad_output, self);
  TORCH_CHECK(buffer.scalar_type() == self.scalar_type(), "log_sigmoid_backward: expected buffer ",
              "of the type of self, ", dtypeName(self.scalar_type()), ", got ",
              dtypeName(buffer.scalar_type()));
  iter.build_ternary_op(grad_output, self, buffer);
}

void _prelu_kernel(TensorIteratorBase& iter, const Tensor& self, const Tensor& weight) {
  TORCH_CHECK(self.scalar_type() == weight.scalar_type(),
              "prelu: Type promoting not supported. Got ", toString(self.scalar_type()), " and ",
              toString(weight.scalar_type()));
  iter.build_binary_op(self, weight);
}

}  // namespace meta

namespace native {

Tensor relu6(const Tensor& self) { return at::hardtanh(self, 0, 6); }

// Klambauer and others, "Self-Normalizing Neural Networks" (2017): these constants keep mean 0 and
// variance 1.
static const double kSeluAlpha = 1.6732632423543772848170429916717;
static const double kSeluScale = 1.0507009873554804934193349852946;

Tensor selu(const Tensor& self) { return at::elu(self, kSeluAlpha, kSeluScale, 1); }
Tensor& selu_(Tensor& self) { return at::_ops::elu_::call(self, kSeluAlpha, kSeluScale, 1); }

static Scalar celu_slope(const Scalar& alpha) {
  TORCH_CHECK(alpha.toDouble() != 0, "ZeroDivisionError: celu: alpha cannot be 0 for CELU");
  return 1.0 / alpha.toDouble();
}
Tensor celu(const Tensor& self, const Scalar& alpha) {
  return at::elu(self, alpha, 1, celu_slope(alpha));
}
Tensor& celu_(Tensor& self, const Scalar& alpha) {
  return at::_ops::elu_::call(self, alpha, 1, celu_slope(alpha));
}

Tensor log_sigmoid(const Tensor& self) { return std::get<0>(at::log_sigmoid_forward(self)); }

// The buffer is empty, as on GPUs: the derivative is computed from self, and nothing is kept.
std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self) {
  TensorIterator iter("log_sigmoid");
  iter.build_unary_op(self);
  log_sigmoid_stub(iter.device_type(), iter);
  return {iter.take_output(0), empty_tensor({0}, self.scalar_type(), self.device())};
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
  TORCH_CHECK(self.defined() && weight.defined(), "prelu: undefined tensor");
  int64_t n = weight.numel();
  TORCH_CHECK(
      weight.dim() <= 1,
      "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
  if (n != 1) {
    TORCH_CHECK(self.dim() > 0, "prelu: Not allow zero-dim input tensor.");
    int64_t channels = self.dim() > 1 ? self.size(1) : 1;
    TORCH_CHECK(
        channels == n,
        "prelu: Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
        n, " and channel size = ", channels, ".");
  }
  if (self.dim() == weight.dim() && n == 1) return at::_prelu_kernel(self, weight);
  DimVector shape(self.dim(), 1);
  if (self.dim() > 1) shape[1] = n;
  return at::_prelu_kernel(self, at::reshape(weight, shape));
}

std::tuple<Tensor, Tensor> _prelu_kernel_backward(const Tensor& grad_output, const Tensor& self,
                                                  const Tensor& weight) {
  Tensor none;
  auto iter = TensorIteratorConfig("prelu_backward")
                  .add_output(none)
                  .add_output(none)
                  .add_input(grad_output)
                  .add_input(self)
                  .add_input(weight)
                  .build();
  prelu_backward_stub(iter.device_type(), iter);
  return {iter.take_output(0), iter.take_output(1)};
}

Tensor glu(const Tensor& self, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "\"glu_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  int64_t d = maybe_wrap_dim(dim, self.dim(), "glu"), n = self.size(d);
  TORCH_CHECK(n % 2 == 0, "glu: Halving dimension must be even, but dimension ", d, " is size ", n);
  TensorIterator iter("glu");
  const Tensor value = at::narrow(self, d, 0, n / 2), gate = at::narrow(self, d, n / 2, n / 2);
  iter.build_binary_op(value, gate);
  glu_stub(iter.device_type(), iter);
  return iter.take_output(0);
}

}  // namespace native
}  // namespace at
