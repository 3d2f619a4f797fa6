// Derivatives of glu, value * sigmoid(gate), as operators: the gradient, and the tangents of glu
// and of the gradient. And the gradient of gelu as an expression of differentiable operators.

#include <ATen/TensorOperators.h>
#include <ATen/native/activation/activation.h>
#include <ATen/native/activation/backward.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/glu_backward_jvp_native.h>
#include <ATen/ops/glu_backward_native.h>
#include <ATen/ops/glu_jvp_native.h>
#include <ATen/ops/infinitely_differentiable_gelu_backward_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace at::native {
namespace {

struct Halves {
  Halves(const char* op, const Tensor& t, int64_t dim) {
    TORCH_CHECK(t.dim() > 0, op, " does not support 0-dimensional tensors");
    const int64_t d = maybe_wrap_dim(dim, t.dim(), op), n = t.size(d);
    TORCH_CHECK(n % 2 == 0, op, ": Halving dimension must be even, but dimension ", d, " is size ",
                n);
    value = at::narrow(t, d, 0, n / 2);
    gate = at::narrow(t, d, n / 2, n / 2);
  }
  Tensor value, gate;
};

}  // namespace

Tensor glu_backward(const Tensor& grad_output, const Tensor& self, int64_t dim) {
  const Halves x("glu_backward", self, dim);
  const Tensor result = empty_tensor(self.sizes(), self.scalar_type(), self.device());
  const Halves gradient("glu_backward", result, dim);
  auto iter = TensorIteratorConfig("glu_backward")
                  .add_output(gradient.value)
                  .add_output(gradient.gate)
                  .add_input(grad_output)
                  .add_input(x.value)
                  .add_input(x.gate)
                  .resize_outputs(false)
                  .build();
  glu_backward_stub(iter.device_type(), iter);
  return result;
}

Tensor glu_jvp(const Tensor& glu, const Tensor& x, const Tensor& dx, int64_t dim) {
  const Halves at_x("glu_jvp", x, dim), tangent("glu_jvp", dx, dim);
  Tensor result;
  auto iter = TensorIteratorConfig("glu_jvp")
                  .add_output(result)
                  .add_input(glu)
                  .add_input(at_x.gate)
                  .add_input(tangent.value)
                  .add_input(tangent.gate)
                  .build();
  glu_jvp_stub(iter.device_type(), iter);
  return iter.take_output(0);
}

// With s' = s (1 - s): the gradient is (g s, g v s'), its tangent (dg s + g s' du, (dg v + g dv) s'
// + g v s' (1 - 2s) du).
Tensor glu_backward_jvp(const Tensor&, const Tensor& grad_glu, const Tensor& x,
                        const Tensor& dgrad_glu, const Tensor& dx, int64_t dim) {
  const char* op = "glu_backward_jvp";
  const Halves at_x(op, x, dim), tangent(op, dx, dim);
  const Tensor s = at::sigmoid(at_x.gate), slope = s * (Scalar(1) - s);
  const Tensor to_gate = grad_glu * slope * tangent.gate;
  const Tensor value = dgrad_glu * s + to_gate;
  const Tensor gate = (dgrad_glu * at_x.value + grad_glu * tangent.value) * slope +
                      to_gate * at_x.value * (Scalar(1) - s * Scalar(2));
  const Tensor both[] = {value, gate};
  return at::cat(both, dim);
}

}  // namespace at::native

namespace torch::autograd::generated {

// Of (g s, g v s') with s' = s (1 - s), times (a, b): (g b s', g (a s' + b v s' (1 - 2s))).
Tensor glu_second_gradient(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                           int64_t dim) {
  const char* op = "glu_backward";
  const at::native::Halves x(op, self, dim), by(op, grad, dim);
  const Tensor s = at::sigmoid(x.gate), slope = grad_output * s * (Scalar(1) - s);
  const Tensor to_value = by.gate * slope;
  const Tensor both[] = {to_value,
                         by.value * slope + to_value * x.value * (Scalar(1) - s * Scalar(2))};
  return at::cat(both, dim);
}

// Of dv s + y (1 - s) du, where y is the result of glu, taken as independent of x.
Tensor glu_jvp_gradient_glu(const Tensor& grad, const Tensor& x, const Tensor& dx, int64_t dim) {
  const at::native::Halves at_x("glu_jvp", x, dim), tangent("glu_jvp", dx, dim);
  return grad * (Scalar(1) - at::sigmoid(at_x.gate)) * tangent.gate;
}

Tensor glu_jvp_gradient_x(const Tensor& grad, const Tensor& glu, const Tensor& x, const Tensor& dx,
                          int64_t dim) {
  const at::native::Halves at_x("glu_jvp", x, dim), tangent("glu_jvp", dx, dim);
  const Tensor s = at::sigmoid(at_x.gate), slope = s * (Scalar(1) - s);
  const Tensor to_gate = grad * slope * (tangent.value - glu * tangent.gate);
  const Tensor both[] = {at::zeros_like(to_gate), to_gate};
  return at::cat(both, dim);
}

Tensor glu_jvp_gradient_dx(const Tensor& grad, const Tensor& glu, const Tensor& x, int64_t dim) {
  const at::native::Halves at_x("glu_jvp", x, dim);
  const Tensor s = at::sigmoid(at_x.gate);
  const Tensor both[] = {grad * s, grad * glu * (Scalar(1) - s)};
  return at::cat(both, dim);
}

}  // namespace torch::autograd::generated

namespace at::native {

Tensor infinitely_differentiable_gelu_backward(const Tensor& grad, const Tensor& self) {
  const Tensor below = (at::erf(self * Scalar(M_SQRT1_2)) + Scalar(1)) * Scalar(0.5);
  const Tensor density = at::exp(self * self * Scalar(-0.5)) * Scalar(1 / std::sqrt(2 * M_PI));
  return grad * (below + self * density);
}

}  // namespace at::native
