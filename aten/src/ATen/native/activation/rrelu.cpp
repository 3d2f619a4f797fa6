// Leaky ReLU with a random slope (Xu et al. 2015). The slope of evaluation is the mean of the
// range.

#include <ATen/TensorOperators.h>
#include <ATen/native/activation/activation.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/rrelu_native.h>
#include <ATen/ops/rrelu_with_noise_backward_native.h>
#include <ATen/ops/rrelu_with_noise_functional.h>
#include <ATen/ops/rrelu_with_noise_functional_native.h>
#include <ATen/ops/rrelu_with_noise_native.h>

#include <cmath>

namespace at::native {
namespace {

using OptionalGenerator = std::optional<Generator>;

void check_bounds(double lower, double upper) {
  TORCH_CHECK(std::isfinite(lower), "rrelu: lower bound must be finite, got ", lower);
  TORCH_CHECK(std::isfinite(upper), "rrelu: upper bound must be finite, got ", upper);
  TORCH_CHECK(lower <= upper,
              "rrelu: Lower bound should be less than or equal to the upper bound, got ", lower,
              " and ", upper);
}

double mean_slope(const Scalar& lower, const Scalar& upper) {
  return (lower.toDouble() + upper.toDouble()) / 2;
}

}  // namespace

std::tuple<Tensor, Tensor> rrelu_with_noise_functional(const Tensor& self, const Tensor& noise,
                                                       const Scalar& lower, const Scalar& upper,
                                                       bool training, OptionalGenerator generator) {
  check_bounds(lower.toDouble(), upper.toDouble());
  TORCH_CHECK(self.sizes() == noise.sizes(), "rrelu_with_noise: noise has shape ", noise.sizes(),
              ", input has shape ", self.sizes());
  if (!training)
    return {at::leaky_relu(at::contiguous(self), mean_slope(lower, upper)), at::clone(noise)};
  const ScalarType type = self.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(type == kFloat || type == kDouble || type == kBFloat16,
                              "\"rrelu_with_noise_out_cpu\" not implemented for '", toString(type),
                              "'");
  TORCH_CHECK(noise.scalar_type() == type, "rrelu_with_noise: expected scalar type ",
              toString(type), " for noise but found ", toString(noise.scalar_type()));
  TORCH_CHECK(noise.device() == self.device(), "rrelu_with_noise: noise is on ", noise.device(),
              ", input is on ", self.device());
  Tensor noise_out = at::empty_like(noise);
  if (self.numel() == 0) return {at::empty_like(at::contiguous(self)), noise_out};
  // Numbers are drawn in the order of the indices, whatever the strides.
  Tensor in = at::contiguous(self), out = at::empty_like(in), slopes = at::empty_like(in);
  rrelu_stub(self.device().type(), in, lower.toDouble(), upper.toDouble(), generator, slopes, out);
  if (in.is_same(self)) return {out, slopes};
  at::copy_(noise_out, slopes);
  return {out, noise_out};
}

Tensor rrelu_with_noise(const Tensor& self, Tensor& noise, const Scalar& lower, const Scalar& upper,
                        bool training, OptionalGenerator generator) {
  auto [result, slopes] =
      at::rrelu_with_noise_functional(self, noise, lower, upper, training, generator);
  if (training) at::copy_(noise, slopes);
  return result;
}

Tensor& rrelu_with_noise_out(const Tensor& self, Tensor& noise, const Scalar& lower,
                             const Scalar& upper, bool training, std::optional<Generator> generator,
                             Tensor& out) {
  return copy_to_exact_output("rrelu_with_noise", out,
                              rrelu_with_noise(self, noise, lower, upper, training, generator));
}

Tensor rrelu_with_noise_backward(const Tensor& grad_output, const Tensor& self, const Tensor& noise,
                                 const Scalar& lower, const Scalar& upper, bool training,
                                 bool self_is_result) {
  // PyTorch's rule: a range this narrow counts as one slope.
  if (training && upper.toDouble() - lower.toDouble() > 1e-6) return grad_output * noise;
  return at::leaky_relu_backward(grad_output, self, mean_slope(lower, upper), self_is_result);
}

Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
             OptionalGenerator generator) {
  check_bounds(lower.toDouble(), upper.toDouble());
  return std::get<0>(at::rrelu_with_noise_functional(self, at::empty_like(self), lower, upper,
                                                     training, generator));
}

}  // namespace at::native
