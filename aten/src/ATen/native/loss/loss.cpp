// Elementwise losses: mse, smooth l1, huber, soft margin, binary cross entropy.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/binary_cross_entropy_backward_native.h>
#include <ATen/ops/binary_cross_entropy_native.h>
#include <ATen/ops/binary_cross_entropy_with_logits_native.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/huber_loss_backward_native.h>
#include <ATen/ops/huber_loss_native.h>
#include <ATen/ops/l1_loss.h>
#include <ATen/ops/l1_loss_native.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/mse_loss_backward_native.h>
#include <ATen/ops/mse_loss_native.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/smooth_l1_loss_backward_native.h>
#include <ATen/ops/smooth_l1_loss_native.h>
#include <ATen/ops/soft_margin_loss_backward_native.h>
#include <ATen/ops/soft_margin_loss_native.h>
#include <ATen/ops/where.h>

#include <cmath>

namespace at::native {
namespace {

void check_floating(const char* op, const Tensor& self, const Tensor& target) {
  ScalarType type = result_type(std::array<Tensor, 2>{self, target});
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(type) && !isFloat8Type(type), "\"", op,
                              "_cpu\" not implemented for '", toString(type), "'");
}

Tensor each_loss(const char* op, LossKind kind, const Tensor& self, const Tensor& target,
                 double parameter = 0) {
  check_floating(op, self, target);
  Tensor result;
  auto iter = TensorIteratorConfig(op)
                  .add_output(result)
                  .add_input(self)
                  .add_input(target)
                  .promote_inputs_to_common_dtype(true)
                  .build();
  loss_stub(iter.device_type(), iter, kind, parameter);
  return iter.take_output(0);
}

// The factor of an element's gradient by which the reduction scales it.
double reduction_scale(int64_t reduction, int64_t numel) {
  return reduction == static_cast<int64_t>(Reduction::Mean) ? 1.0 / static_cast<double>(numel)
                                                            : 1.0;
}

Tensor each_gradient(const char* op, LossKind kind, const Tensor& grad, const Tensor& self,
                     const Tensor& target, int64_t reduction, double parameter = 0) {
  check_floating(op, self, target);
  Tensor result;
  auto iter = TensorIteratorConfig(op)
                  .add_output(result)
                  .add_input(self)
                  .add_input(target)
                  .add_input(grad)
                  .promote_inputs_to_common_dtype(true)
                  .build();
  loss_backward_stub(iter.device_type(), iter, kind, parameter,
                     reduction_scale(reduction, iter.numel()));
  return iter.take_output(0);
}

// Of integers, PyTorch truncates the norm, which is the factor of the reduction times what the loss
// multiplies by, before it multiplies: the gradient of the mean of more than two is zero. Results
// have self's type, and wrap around.
bool are_integers(const Tensor& self, const Tensor& target, const Tensor& grad) {
  const ScalarType type = result_type(std::array<Tensor, 3>{self, target, grad});
  return isIntegralType(type, false) && (isSignedType(type) || type == kByte) &&
         self.scalar_type() != kBool;
}

// The truncated norm times the gradient, and the difference of self and target, both of kLong.
struct IntegerParts {
  IntegerParts(const char* op, const Tensor& grad, const Tensor& self, const Tensor& target,
               int64_t reduction, double norm) {
    const int64_t numel = at::broadcast_tensors({self, target, grad})[0].numel();
    TORCH_CHECK(numel > 0 || reduction != static_cast<int64_t>(Reduction::Mean), op,
                ": integers have no mean of no elements");
    const double factor = std::trunc(norm * reduction_scale(reduction, numel));
    scaled = at::_to_copy(grad, kLong) * static_cast<int64_t>(factor);
    difference = at::_to_copy(self, kLong) - at::_to_copy(target, kLong);
  }
  Tensor scaled, difference;
};

Tensor mse_gradient_of_integers(const char* op, const Tensor& grad, const Tensor& self,
                                const Tensor& target, int64_t reduction) {
  const IntegerParts of(op, grad, self, target, reduction, 2);
  return at::_to_copy(of.difference * of.scaled, self.scalar_type());
}

Tensor smooth_l1_gradient_of_integers(const char* op, const Tensor& grad, const Tensor& self,
                                      const Tensor& target, int64_t reduction, double beta) {
  const IntegerParts of(op, grad, self, target, reduction, 1);
  const Tensor outer = at::where(at::gt(of.difference, 0), of.scaled, -of.scaled);
  if (beta == 0) return at::_to_copy(outer, self.scalar_type());
  const Tensor inner = at::_to_copy(at::_to_copy(of.difference * of.scaled, kDouble) / beta, kLong);
  const Tensor is_outer = at::ge(at::abs(of.difference), beta);
  return at::_to_copy(at::where(is_outer, outer, inner), self.scalar_type());
}

void check_huber(double delta) {
  TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
}
void check_smooth(double beta) {
  TORCH_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
}

}  // namespace

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_loss(each_loss("mse", LossKind::mse, self, target), reduction);
}
Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         int64_t reduction) {
  constexpr const char* op = "mse_loss_backward";
  if (are_integers(self, target, grad_output))
    return mse_gradient_of_integers(op, grad_output, self, target, reduction);
  return each_gradient(op, LossKind::mse, grad_output, self, target, reduction);
}

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_loss(at::abs(self - target), reduction);
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  check_smooth(beta);
  if (beta == 0) return at::l1_loss(self, target, reduction);
  return reduce_loss(each_loss("smooth_l1", LossKind::smooth_l1, self, target, beta), reduction);
}
Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                               int64_t reduction, double beta) {
  constexpr const char* op = "smooth_l1_loss_backward";
  if (are_integers(self, target, grad_output))
    return smooth_l1_gradient_of_integers(op, grad_output, self, target, reduction, beta);
  return each_gradient(op, LossKind::smooth_l1, grad_output, self, target, reduction, beta);
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  check_huber(delta);
  return reduce_loss(each_loss("huber", LossKind::huber, self, target, delta), reduction);
}
Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           int64_t reduction, double delta) {
  return each_gradient("huber_loss_backward", LossKind::huber, grad_output, self, target, reduction,
                       delta);
}

// The functions of complex numbers are computed by their operators.
Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  if (self.is_complex() || target.is_complex())
    return reduce_loss(at::log1p(at::exp(-(self * target))), reduction);
  return reduce_loss(each_loss("soft_margin_loss", LossKind::soft_margin, self, target), reduction);
}
Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                 const Tensor& target, int64_t reduction) {
  if (self.is_complex() || target.is_complex()) {
    const Tensor product = self * target;
    return at::sigmoid(-product) * target * grad_output *
           Scalar(-reduction_scale(reduction, product.numel()));
  }
  return each_gradient("soft_margin_loss_backward", LossKind::soft_margin, grad_output, self,
                       target, reduction);
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target,
                            const std::optional<Tensor>& weight, int64_t reduction) {
  TORCH_CHECK(self.sizes() == target.sizes(), "binary_cross_entropy: target has shape ",
              target.sizes(), ", input has shape ", self.sizes());
  Tensor loss = each_loss("binary_cross_entropy", LossKind::bce, self, target);
  if (weight && weight->defined()) loss = loss * *weight;
  return reduce_loss(loss, reduction);
}
Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, const std::optional<Tensor>& weight,
                                     int64_t reduction) {
  Tensor result = each_gradient("binary_cross_entropy_backward", LossKind::bce, grad_output, self,
                                target, reduction);
  return weight && weight->defined() ? result * *weight : result;
}

// With pos_weight: (1 - t) x + (1 + (pos_weight - 1) t) (log(1 + exp(-|x|)) + max(-x, 0))
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const std::optional<Tensor>& weight,
                                        const std::optional<Tensor>& pos_weight,
                                        int64_t reduction) {
  Tensor loss;
  if (pos_weight && pos_weight->defined()) {
    Tensor tail = at::log1p(at::exp(-at::abs(self))) + at::clamp_min(-self, 0);
    loss = (Scalar(1) - target) * self + ((*pos_weight - Scalar(1)) * target + Scalar(1)) * tail;
  } else {
    loss = each_loss("binary_cross_entropy_with_logits", LossKind::bce_logits, self, target);
  }
  if (weight && weight->defined()) loss = loss * *weight;
  return reduce_loss(loss, reduction);
}

}  // namespace at::native
