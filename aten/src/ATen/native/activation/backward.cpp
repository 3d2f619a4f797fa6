// Derivatives of activations that are more than one expression, computed in float for half types.

#include <ATen/native/activation/backward.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/elu_backward.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/hardswish_backward.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log_sigmoid_backward.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mish_backward.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/softplus_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

static bool twice(const Tensor& grad, const Tensor& self) {
  return at::native::is_differentiated_again(grad, self);
}

// Computes f(grad, self) in float32 for half types: rounding would add up over several steps, and
// squares would overflow. The kernels of first derivatives do the same.
template <typename F>
static Tensor compute_in_float(const Tensor& grad, const Tensor& self, const F& f) {
  if (!at::isReducedFloatingType(self.scalar_type())) return f(grad, self);
  auto wide = [](const Tensor& t) { return at::_to_copy(t, at::TensorOptions(at::kFloat)); };
  return at::_to_copy(f(wide(grad), wide(self)), at::TensorOptions(grad.scalar_type()));
}

Tensor elu_gradient(const Tensor& grad, const Scalar& alpha, const Scalar& scale,
                    const Scalar& input_scale, const Tensor& self) {
  if (!twice(grad, self)) return at::elu_backward(grad, alpha, scale, input_scale, false, self);
  double in = input_scale.toDouble(), positive = scale.toDouble(),
         negative = alpha.toDouble() * positive * in;
  return compute_in_float(grad, self, [&](const Tensor& g, const Tensor& x) {
    // For large numbers the exponential overflows, and its slope times 0 would be NaN.
    Tensor below = at::where(at::ge(x, 0), Scalar(0), x);
    Tensor slope = at::exp(below * Scalar(in)) * Scalar(negative);
    return at::where(at::gt(x, 0), g * scale, g * slope);
  });
}

Tensor gelu_gradient(const Tensor& grad, const Tensor& self, std::string_view approximate) {
  if (!twice(grad, self)) return at::gelu_backward(grad, self, approximate);
  return compute_in_float(grad, self, [&](const Tensor& g, const Tensor& in) {
    // For large numbers the slope is 0 or 1, and a square would overflow.
    Tensor x = at::clamp(in, Scalar(-1e4), Scalar(1e4)), square = x * x;
    if (approximate == "tanh") {
      const double beta = std::sqrt(2 / M_PI), kappa = 0.044715;
      Tensor t = at::tanh(x * Scalar(beta) * (square * Scalar(kappa) + Scalar(1)));
      Tensor slope = (square * Scalar(3 * kappa) + Scalar(1)) * Scalar(beta);
      return g * Scalar(0.5) * (Scalar(1) + t + x * (Scalar(1) - t * t) * slope);
    }
    Tensor integral = (at::erf(x * Scalar(M_SQRT1_2)) + Scalar(1)) * Scalar(0.5);
    Tensor density = at::exp(square * Scalar(-0.5)) * Scalar(1 / std::sqrt(2 * M_PI));
    return g * (integral + x * density);
  });
}

Tensor silu_gradient(const Tensor& grad, const Tensor& self) {
  if (!twice(grad, self) && !self.is_complex()) return at::silu_backward(grad, self);
  return compute_in_float(grad, self, [](const Tensor& g, const Tensor& x) {
    Tensor s = at::sigmoid(x), slope = s * (x * (Scalar(1) - s) + Scalar(1));
    return times_conj(g, slope);
  });
}

Tensor mish_gradient(const Tensor& grad, const Tensor& self) {
  if (!twice(grad, self)) return at::mish_backward(grad, self);
  return compute_in_float(grad, self, [](const Tensor& g, const Tensor& x) {
    Tensor t = at::tanh(at::softplus(x)), s = at::sigmoid(x);
    return g * (t + x * s * (Scalar(1) - t * t));
  });
}

Tensor hardswish_gradient(const Tensor& grad, const Tensor& self) {
  if (!twice(grad, self)) return at::hardswish_backward(grad, self);
  Tensor middle = grad * (self / Scalar(3.0) + Scalar(0.5));
  return at::where(at::le(self, -3), Scalar(0), at::where(at::ge(self, 3), grad, middle));
}

Tensor softplus_gradient(const Tensor& grad, const Tensor& self, const Scalar& beta,
                         const Scalar& threshold) {
  if (!twice(grad, self)) return at::softplus_backward(grad, self, beta, threshold);
  return compute_in_float(grad, self, [&](const Tensor& g, const Tensor& in) {
    // The slope is constant above the threshold.
    Tensor x = in * beta, below = at::where(at::ge(x, threshold), threshold, x);
    return at::where(at::gt(x, threshold), g, g * at::sigmoid(below));
  });
}

Tensor log_sigmoid_gradient(const Tensor& grad, const Tensor& self) {
  if (!twice(grad, self)) {
    const Tensor no_buffer = at::empty_tensor({0}, self.scalar_type(), self.device());
    return at::log_sigmoid_backward(grad, self, no_buffer);
  }
  return compute_in_float(grad, self,
                          [](const Tensor& g, const Tensor& x) { return g * at::sigmoid(-x); });
}

// With p = self > 0: d self = grad * (p ? 1 : weight), d weight = grad * (p ? 0 : self).
Tensor prelu_second_backward_grad(const variable_list& grads, const Tensor& self,
                                  const Tensor& weight) {
  Tensor sum;
  if (grads[0].defined()) sum = at::where(at::gt(self, 0), grads[0], grads[0] * weight);
  if (grads[1].defined()) {
    Tensor part = at::where(at::gt(self, 0), Scalar(0), grads[1] * self);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

Tensor prelu_second_backward_self(const variable_list& grads, const Tensor& grad_output,
                                  const Tensor& self) {
  return grads[1].defined() ? at::where(at::ge(self, 0), Scalar(0), grads[1] * grad_output)
                            : Tensor();
}

Tensor prelu_second_backward_weight(const variable_list& grads, const Tensor& grad_output,
                                    const Tensor& self) {
  return grads[0].defined() ? at::where(at::ge(self, 0), Scalar(0), grads[0] * grad_output)
                            : Tensor();
}

}  // namespace torch::autograd::generated
