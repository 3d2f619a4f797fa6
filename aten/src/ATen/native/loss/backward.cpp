// Second derivatives of losses.

#include <ATen/native/loss/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/logit.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::Scalar;

// The gradient of a loss's elements from that of its reduction, which is a single number unless
// there is none: numbers are scaled before they meet tensors.
static Tensor unreduced(const Tensor& grad, int64_t reduction, const Tensor& like) {
  return reduction == 1 ? grad * Scalar(1.0 / static_cast<double>(like.numel())) : grad;
}

static Tensor weighted(const Tensor& t, const OptionalTensor& weight) {
  return weight && weight->defined() ? t * *weight : t;
}

Tensor mse_loss_second(const Tensor& grad, const Tensor& grad_output, int64_t reduction) {
  return grad * (unreduced(grad_output, reduction, grad) * Scalar(2.0));
}

Tensor smooth_l1_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                             const Tensor& target, int64_t reduction, double beta) {
  const Tensor slope = unreduced(grad_output, reduction, grad) * Scalar(1 / beta);
  return at::where(at::lt(at::abs(self - target), beta), grad * slope, Scalar(0));
}

Tensor huber_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                         const Tensor& target, int64_t reduction, double delta) {
  return at::where(at::lt(at::abs(self - target), delta),
                   grad * unreduced(grad_output, reduction, grad), Scalar(0));
}

Tensor soft_margin_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                               const Tensor& target, int64_t reduction) {
  Tensor s = at::sigmoid(-(self * target));
  return times_conj(
      grad, unreduced(grad_output, reduction, grad) * target * target * s * (Scalar(1) - s));
}

Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                            const OptionalTensor& weight, int64_t reduction) {
  // log(1 - x) - log(x), each at least -100.
  const Tensor odds = at::clamp(at::logit(self), -100, 100);
  return weighted(odds * -unreduced(grad, reduction, self), weight);
}

// The gradient is g (x - t) / (x (1 - x)).
Tensor binary_cross_entropy_second(const Tensor& grad, const Tensor& grad_output,
                                   const Tensor& self, const Tensor& target,
                                   const OptionalTensor& weight, int64_t reduction) {
  Tensor square = self * self, width = at::clamp_min(self - square, 1e-12);
  Tensor bend = (square - self * target * Scalar(2) + target) / (width * width);
  return weighted(grad * unreduced(grad_output, reduction, self) * bend, weight);
}

Tensor binary_cross_entropy_second_target(const Tensor& grad, const Tensor& grad_output,
                                          const Tensor& self, const OptionalTensor& weight,
                                          int64_t reduction) {
  Tensor width = at::clamp_min(self - self * self, 1e-12);
  return weighted(grad * -unreduced(grad_output, reduction, self) / width, weight);
}

Tensor binary_cross_entropy_with_logits_gradient(const Tensor& grad, const Tensor& self,
                                                 const Tensor& target, const OptionalTensor& weight,
                                                 const OptionalTensor& pos_weight,
                                                 int64_t reduction) {
  Tensor slope;
  if (pos_weight && pos_weight->defined()) {
    Tensor t = target * *pos_weight;
    slope = (t + Scalar(1) - target) * at::sigmoid(self) - t;
  } else {
    slope = at::sigmoid(self) - target;
  }
  return weighted(slope * unreduced(grad, reduction, self), weight);
}

Tensor binary_cross_entropy_with_logits_target_gradient(const Tensor& grad, const Tensor& self,
                                                        const OptionalTensor& weight,
                                                        const OptionalTensor& pos_weight,
                                                        int64_t reduction) {
  const Tensor slope = unreduced(grad, reduction, self);
  if (!pos_weight || !pos_weight->defined()) return weighted(self * -slope, weight);
  const Tensor rise = at::log_sigmoid(-self) - *pos_weight * at::log_sigmoid(self);
  return weighted(rise * slope, weight);
}

}  // namespace torch::autograd::generated
