// Derivatives of samples with respect to the parameters of their distributions.

#include <ATen/native/samplers/backward.h>

#include <ATen/ops/_dirichlet_grad.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>

namespace torch::autograd::generated {

// A coordinate moves with its concentration as a number of the beta distribution does. The others
// keep their proportions, so they shrink by 1 - x.
Tensor sample_dirichlet_backward(const Tensor& grad, const Tensor& concentration,
                                 const Tensor& sample) {
  const Tensor total = at::sum(concentration, {-1}, true);
  const Tensor mean = at::sum(at::mul(sample, grad), {-1}, true);
  return at::mul(at::_dirichlet_grad(sample, concentration, total), at::sub(grad, mean));
}

}  // namespace torch::autograd::generated
