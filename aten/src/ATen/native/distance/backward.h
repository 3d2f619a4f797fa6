#pragma once
// Derivatives of distances.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

std::tuple<Tensor, Tensor> euclidean_dist_backward(const Tensor& grad, const Tensor& x1,
                                                   const Tensor& x2, const Tensor& distances);
Tensor cdist_backward(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                      std::optional<int64_t> compute_mode, const Tensor& distances);
Tensor pdist_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& distances);

}  // namespace torch::autograd::generated
