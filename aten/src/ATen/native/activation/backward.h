#pragma once
// Derivatives of activations: one fused kernel or, if the gradient is to be differentiated again,
// an expression of differentiable operators.

#include <string_view>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::Scalar;

Tensor elu_gradient(const Tensor& grad, const Scalar& alpha, const Scalar& scale,
                    const Scalar& input_scale, const Tensor& self);
Tensor gelu_gradient(const Tensor& grad, const Tensor& self, std::string_view approximate);
Tensor silu_gradient(const Tensor& grad, const Tensor& self);
Tensor mish_gradient(const Tensor& grad, const Tensor& self);
Tensor hardswish_gradient(const Tensor& grad, const Tensor& self);
Tensor softplus_gradient(const Tensor& grad, const Tensor& self, const Scalar& beta,
                         const Scalar& threshold);
Tensor log_sigmoid_gradient(const Tensor& grad, const Tensor& self);
// The derivative of glu_backward by self.
Tensor glu_second_gradient(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                           int64_t dim);
// The derivatives of glu_jvp.
Tensor glu_jvp_gradient_glu(const Tensor& grad, const Tensor& x, const Tensor& dx, int64_t dim);
Tensor glu_jvp_gradient_x(const Tensor& grad, const Tensor& glu, const Tensor& x, const Tensor& dx,
                          int64_t dim);
Tensor glu_jvp_gradient_dx(const Tensor& grad, const Tensor& glu, const Tensor& x, int64_t dim);

// The derivative of _prelu_kernel_backward, whose results are the gradients of self and of weight.
Tensor prelu_second_backward_grad(const variable_list& grads, const Tensor& self,
                                  const Tensor& weight);
Tensor prelu_second_backward_self(const variable_list& grads, const Tensor& grad_output,
                                  const Tensor& self);
Tensor prelu_second_backward_weight(const variable_list& grads, const Tensor& grad_output,
                                    const Tensor& self);

}  // namespace torch::autograd::generated
