// The derivative of trace.

#include <ATen/native/diagonal/backward.h>

#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/fill_diagonal__ops.h>
#include <ATen/ops/new_zeros.h>

namespace torch::autograd::generated {

Tensor trace_grad(const Tensor& grad, IntArrayRef sizes) {
  Tensor zeros = at::new_zeros(grad, sizes);
  Tensor diagonal = at::diagonal(zeros);
  Tensor value = at::expand(grad, diagonal.sizes());
  at::_ops::copy_::call(diagonal, value, false);
  return zeros;
}

Tensor fill_diagonal_gradient(const Tensor& grad, bool wrap) {
  Tensor result = at::clone(grad);
  return at::_ops::fill_diagonal_::call(result, 0, wrap);
}

}  // namespace torch::autograd::generated
