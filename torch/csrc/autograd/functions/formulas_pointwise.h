#pragma once
// Derivatives of elementwise operators that are more than one expression.

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::Scalar;

constexpr double sqrt_of_pi = 1.77245385090551602730;

// grad * scale, or grad itself for 1.
Tensor maybe_multiply(const Tensor& grad, const Scalar& scale);
// grad * conj(factor): what a product sends to its other factor.
Tensor times_conj(const Tensor& grad, const Tensor& factor);

Tensor div_self_backward(const Tensor& grad, const Tensor& other);
Tensor div_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor div_mode_self_backward(const Tensor& grad, const Tensor& other,
                              std::optional<std::string_view> mode);
Tensor div_mode_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                               std::optional<std::string_view> mode);

Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent);
Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result);
Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result);

// The part of the gradient of maximum (or minimum) that goes to `mine`: half of it where both are
// equal.
Tensor max_share(const Tensor& grad, const Tensor& mine, const Tensor& other, bool largest);
// The same for fmax and fmin, where ties and NaN in `other` go to self.
Tensor fmax_share(const Tensor& grad, const Tensor& self, const Tensor& other, bool largest,
                  bool to_self);
Tensor copysign_self_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
// d/dx (x log y): log y, and 0 where x is 0 and y no NaN.
Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor atan2_scale(const Tensor& self, const Tensor& other);

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max);
Tensor clamp_tensor_backward(const Tensor& grad, const Tensor& self, const Tensor& min,
                             const Tensor& max);
std::tuple<Tensor, Tensor> clamp_bounds_backward(const Tensor& grad, const Tensor& self,
                                                 const Tensor& min, const Tensor& max,
                                                 std::array<bool, 2> mask);
Tensor lerp_scalar_self_backward(const Tensor& grad, const Scalar& weight);

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& sgn);
Tensor angle_backward(const Tensor& grad, const Tensor& self);
Tensor sinc_backward(const Tensor& grad, const Tensor& self);
Tensor logit_second_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                             std::optional<double> eps);
std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result);

}  // namespace torch::autograd::generated
