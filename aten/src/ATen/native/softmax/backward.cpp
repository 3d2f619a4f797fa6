// Derivatives of softmax and its logarithm, and of their derivatives.

#include <ATen/native/softmax/backward.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/sum.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim,
                        at::ScalarType input_dtype) {
  return at::_softmax_backward_data(grad, result, dim, input_dtype);
}
Tensor log_softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim,
                            at::ScalarType input_dtype) {
  return at::_log_softmax_backward_data(grad, result, dim, input_dtype);
}

// h(g, y) = y (g - sum(g y)): linear in g with a symmetric matrix, so its derivative with respect
// to g is h itself.
Tensor softmax_second_grad_output(const Tensor& grad, const Tensor&, const Tensor& output,
                                  int64_t dim) {
  return at::_softmax_backward_data(grad, output, dim, grad.scalar_type());
}
Tensor softmax_second_output(const Tensor& grad, const Tensor& grad_output, const Tensor& output,
                             int64_t dim) {
  Tensor inner = at::sum(grad_output * output, IntArrayRef(dim), true),
         outer = at::sum(grad * output, IntArrayRef(dim), true);
  return grad * (grad_output - inner) - grad_output * outer;
}

// k(g, y) = g - exp(y) sum(g).
Tensor log_softmax_second_grad_output(const Tensor& grad, const Tensor&, const Tensor& output,
                                      int64_t dim) {
  return grad - at::sum(grad * at::exp(output), IntArrayRef(dim), true);
}
Tensor log_softmax_second_output(const Tensor& grad, const Tensor& grad_output,
                                 const Tensor& output, int64_t dim) {
  return -(grad * at::exp(output) * at::sum(grad_output, IntArrayRef(dim), true));
}

}  // namespace torch::autograd::generated
