// Derivatives of products.

#include <ATen/native/matmul/backward.h>

#include <ATen/ops/conj.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/t.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

Tensor scaled(const Tensor& grad, const at::Scalar& factor) {
  return factor.equal(1.0) ? grad : at::mul(grad, factor.conj());
}

static bool by_columns(at::IntArrayRef sizes, at::IntArrayRef strides) {
  return strides[0] == 1 && strides[1] == sizes[0];
}

Tensor mm_self_backward(const Tensor& grad, const Tensor& mat2, at::IntArrayRef sizes,
                        at::IntArrayRef strides, const at::Scalar& alpha) {
  Tensor g = by_columns(sizes, strides) ? at::t(at::mm(conj_of(mat2), at::t(grad)))
                                        : at::mm(grad, at::t(conj_of(mat2)));
  return scaled(g, alpha);
}

Tensor mm_mat2_backward(const Tensor& grad, const Tensor& self, at::IntArrayRef sizes,
                        at::IntArrayRef strides, const at::Scalar& alpha) {
  Tensor g = by_columns(sizes, strides) ? at::t(at::mm(at::t(grad), conj_of(self)))
                                        : at::mm(at::t(conj_of(self)), grad);
  return scaled(g, alpha);
}

Tensor expand_batch(const Tensor& grad, at::IntArrayRef batch_sizes) {
  return at::expand(grad, {batch_sizes[0], grad.sizes()[0], grad.sizes()[1]});
}

}  // namespace torch::autograd::generated
