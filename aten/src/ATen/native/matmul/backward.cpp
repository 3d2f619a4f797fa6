// Derivatives of products.

#include <ATen/native/matmul/backward.h>

#include <ATen/native/activation/backward.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum_to_size.h>
#include <ATen/ops/t.h>
#include <ATen/ops/threshold_backward.h>
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

std::tuple<Tensor, Tensor, Tensor> addmm_activation_backward(const Tensor& grad, const Tensor& self,
                                                             const Tensor& mat1, const Tensor& mat2,
                                                             const Tensor& result,
                                                             const at::Scalar& beta,
                                                             const at::Scalar& alpha, bool use_gelu,
                                                             std::array<bool, 3> mask) {
  // GPUs approximate gelu, see _addmm_activation_cuda.
  const Tensor g = use_gelu ? gelu_gradient(grad, at::addmm(self, mat1, mat2, beta, alpha),
                                            mat1.is_cuda() ? "tanh" : "none")
                            : at::threshold_backward(grad, result, 0);
  std::tuple<Tensor, Tensor, Tensor> grads;
  if (mask[0]) std::get<0>(grads) = at::sum_to_size(scaled(g, beta), self.sizes());
  if (mask[1]) std::get<1>(grads) = mm_self_backward(g, mat2, mat1.sizes(), mat1.strides(), alpha);
  if (mask[2]) std::get<2>(grads) = mm_mat2_backward(g, mat1, mat2.sizes(), mat2.strides(), alpha);
  return grads;
}

Tensor expand_batch(const Tensor& grad, at::IntArrayRef batch_sizes) {
  return at::expand(grad, {batch_sizes[0], grad.sizes()[0], grad.sizes()[1]});
}

}  // namespace torch::autograd::generated
