#pragma once
// Derivatives of elementwise operators that are too long for an entry.

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::Scalar;

Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent);
Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result);
Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result);

// The part of the gradient of maximum (or minimum) that flows to `mine`: half of it where both are
// equal.
Tensor max_share(const Tensor& grad, const Tensor& mine, const Tensor& other, bool largest);
// The same for fmax and fmin, where ties and NaN in `other` go to self.
Tensor fmax_share(const Tensor& grad, const Tensor& self, const Tensor& other, bool largest,
                  bool to_self);
Tensor copysign_self_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
// d/dx (x log y): log y, and 0 where x is 0 and y is not NaN.
Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor atan2_scale(const Tensor& self, const Tensor& other);

}  // namespace torch::autograd::generated
