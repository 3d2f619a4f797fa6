// Derivatives of distances. A kernel computes them; where they shall have derivatives in turn, they
// are composed of operators.

#include <ATen/native/distance/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/distance/distance.h>
#include <ATen/native/norm/backward.h>
#include <ATen/ops/_cdist_backward.h>
#include <ATen/ops/_pdist_backward.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mT.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/triu_indices.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace torch::autograd::generated {

using at::matmul;

// What rows of x2 add to the gradient of those of x1, from `ratio`, the gradient of each distance
// divided by it.
static Tensor by_products(const Tensor& ratio, const Tensor& x1, const Tensor& x2) {
  Tensor own = x1 * at::sum(ratio, at::IntArrayRef{-1}, true) - matmul(ratio, x2);
  return at::sum_to(own, x1.sizes());
}

static Tensor divided(const Tensor& grad, const Tensor& distances) {
  return at::masked_fill(grad / distances, at::eq(distances, 0), 0);
}

std::tuple<Tensor, Tensor> euclidean_dist_backward(const Tensor& grad, const Tensor& x1,
                                                   const Tensor& x2, const Tensor& distances) {
  Tensor ratio = divided(grad, distances);
  return {by_products(ratio, x1, x2), by_products(at::mT(ratio), x2, x1)};
}

Tensor cdist_backward(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                      std::optional<int64_t> compute_mode, const Tensor& distances) {
  if (at::native::is_euclidean_by_products(x1, x2, p, compute_mode))
    return by_products(divided(grad, distances), x1, x2);
  if (!at::native::is_differentiated_again(grad, x1, x2))
    return at::sum_to(at::_cdist_backward(grad, x1, x2, p, distances), x1.sizes());
  Tensor difference = at::unsqueeze(x1, -2) - at::unsqueeze(x2, -3);
  Tensor own =
      linalg_vector_norm_backward(grad, difference, p, at::IntArrayRef{-1}, false, distances);
  return at::sum_to(at::sum(own, at::IntArrayRef{-2}), x1.sizes());
}

Tensor pdist_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& distances) {
  if (!at::native::is_differentiated_again(grad, self))
    return at::_pdist_backward(grad, self, p, distances);
  const int64_t n = self.sizes()[0];
  Tensor pairs = at::triu_indices(n, n, 1, at::TensorOptions(at::kLong).device(self.device()));
  Tensor i = at::select(pairs, 0, 0), j = at::select(pairs, 0, 1);
  Tensor difference = at::index_select(self, 0, i) - at::index_select(self, 0, j);
  Tensor own =
      linalg_vector_norm_backward(grad, difference, p, at::IntArrayRef{-1}, false, distances);
  Tensor zero = at::zeros(self.sizes(), self.options());
  return at::index_add(at::index_add(zero, 0, i, own), 0, j, -own);
}

}  // namespace torch::autograd::generated
