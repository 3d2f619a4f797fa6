// Second derivatives of losses.

#include <ATen/native/loss/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>

namespace torch::autograd::generated {

using at::Scalar;

// The factor that a mean over the elements of `like` applies to its gradient; 1 for the other
// reductions.
static Tensor reduced(const Tensor& t, int64_t reduction, const Tensor& like) {
  return reduction == 1 ? t * Scalar(1.0 / static_cast<double>(like.numel())) : t;
}

static Tensor weighted(const Tensor& t, const OptionalTensor& weight) {
  return weight && weight->defined() ? t * *weight : t;
}

Tensor mse_loss_second(const Tensor& grad, const Tensor& grad_output, int64_t reduction) {
  return reduced(grad * grad_output * Scalar(2.0), reduction, grad);
}

Tensor smooth_l1_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                             const Tensor& target, int64_t reduction, double beta) {
  Tensor bend = at::where(at::lt(at::abs(self - target), beta),
                          grad * grad_output * Scalar(1 / beta), Scalar(0));
  return reduced(bend, reduction, grad);
}

Tensor huber_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                         const Tensor& target, int64_t reduction, double delta) {
  return reduced(at::where(at::lt(at::abs(self - target), delta), grad * grad_output, Scalar(0)),
                 reduction, grad);
}

Tensor soft_margin_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                               const Tensor& target, int64_t reduction) {
  Tensor s = at::sigmoid(-(self * target));
  return reduced(grad * grad_output * target * target * s * (Scalar(1) - s), reduction, grad);
}

// log(1 - x) - log(x), each at least -100.
static Tensor log_odds_against(const Tensor& x) {
  return at::clamp_min(at::log1p(-x), -100) - at::clamp_min(at::log(x), -100);
}

Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                            const OptionalTensor& weight, int64_t reduction) {
  return reduced(weighted(grad * log_odds_against(self), weight), reduction, self);
}

// The gradient is g (x - t) / (x (1 - x)).
Tensor binary_cross_entropy_second(const Tensor& grad, const Tensor& grad_output,
                                   const Tensor& self, const Tensor& target,
                                   const OptionalTensor& weight, int64_t reduction) {
  Tensor square = self * self, width = at::clamp_min(self - square, 1e-12);
  Tensor bend = (square - self * target * Scalar(2) + target) / (width * width);
  return reduced(weighted(grad * grad_output * bend, weight), reduction, self);
}

Tensor binary_cross_entropy_second_target(const Tensor& grad, const Tensor& grad_output,
                                          const Tensor& self, const OptionalTensor& weight,
                                          int64_t reduction) {
  Tensor width = at::clamp_min(self - self * self, 1e-12);
  return reduced(weighted(-(grad * grad_output / width), weight), reduction, self);
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
  return reduced(weighted(slope * grad, weight), reduction, self);
}

Tensor binary_cross_entropy_with_logits_target_gradient(const Tensor& grad, const Tensor& self,
                                                        const OptionalTensor& weight,
                                                        const OptionalTensor& pos_weight,
                                                        int64_t reduction) {
  Tensor slope = -self;
  if (pos_weight && pos_weight->defined())
    slope = at::log_sigmoid(-self) - *pos_weight * at::log_sigmoid(self);
  return reduced(weighted(slope * grad, weight), reduction, self);
}

}  // namespace torch::autograd::generated
