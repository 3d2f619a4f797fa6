// Optimizer steps that return new tensors, write to out, or take the learning rate as a tensor. All
// call the step in place.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/optim/lists.h>
#include <ATen/ops/_fused_adam__native.h>
#include <ATen/ops/_fused_adam__ops.h>
#include <ATen/ops/_fused_adam_native.h>
#include <ATen/ops/_fused_adamw__native.h>
#include <ATen/ops/_fused_adamw__ops.h>
#include <ATen/ops/_fused_adamw_native.h>
#include <ATen/ops/item.h>

namespace at::native {
namespace {

double number(const Tensor& lr) { return at::item(lr).toDouble(); }

}  // namespace

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>,
           std::vector<Tensor>>
_fused_adam(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
            TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
            double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
            const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> exp_avgs_out = copies(exp_avgs);
  const std::vector<Tensor> exp_avg_sqs_out = copies(exp_avg_sqs);
  const std::vector<Tensor> max_exp_avg_sqs_out = copies(max_exp_avg_sqs);
  _ops::_fused_adam_::call(self_out, grads_out, exp_avgs_out, exp_avg_sqs_out, max_exp_avg_sqs_out,
                           state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize,
                           grad_scale, found_inf);
  return {self_out, grads_out, exp_avgs_out, exp_avg_sqs_out, max_exp_avg_sqs_out};
}

void _fused_adam_out(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                     TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                     double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                     const std::optional<Tensor>& grad_scale,
                     const std::optional<Tensor>& found_inf, TensorList out) {
  copy_to("_fused_adam", out, self);
  _ops::_fused_adam_::call(out, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr,
                           beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale,
                           found_inf);
}

void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                  double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                  bool maximize, const std::optional<Tensor>& grad_scale,
                  const std::optional<Tensor>& found_inf) {
  _ops::_fused_adam_::call(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
                           number(lr), beta1, beta2, weight_decay, eps, amsgrad, maximize,
                           grad_scale, found_inf);
}

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>,
           std::vector<Tensor>>
_fused_adam(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
            TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr, double beta1,
            double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
            const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> exp_avgs_out = copies(exp_avgs);
  const std::vector<Tensor> exp_avg_sqs_out = copies(exp_avg_sqs);
  const std::vector<Tensor> max_exp_avg_sqs_out = copies(max_exp_avg_sqs);
  _ops::_fused_adam__tensor_lr::call(self_out, grads_out, exp_avgs_out, exp_avg_sqs_out,
                                     max_exp_avg_sqs_out, state_steps, lr, beta1, beta2,
                                     weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
  return {self_out, grads_out, exp_avgs_out, exp_avg_sqs_out, max_exp_avg_sqs_out};
}

void _fused_adam_out(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                     TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                     double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                     bool maximize, const std::optional<Tensor>& grad_scale,
                     const std::optional<Tensor>& found_inf, TensorList out) {
  copy_to("_fused_adam", out, self);
  _ops::_fused_adam__tensor_lr::call(out, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs,
                                     state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
                                     maximize, grad_scale, found_inf);
}

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>,
           std::vector<Tensor>>
_fused_adamw(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
             TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
             double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
             const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> exp_avgs_out = copies(exp_avgs);
  const std::vector<Tensor> exp_avg_sqs_out = copies(exp_avg_sqs);
  const std::vector<Tensor> max_exp_avg_sqs_out = copies(max_exp_avg_sqs);
  _ops::_fused_adamw_::call(self_out, grads_out, exp_avgs_out, exp_avg_sqs_out, max_exp_avg_sqs_out,
                            state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize,
                            grad_scale, found_inf);
  return {self_out, grads_out, exp_avgs_out, exp_avg_sqs_out, max_exp_avg_sqs_out};
}

void _fused_adamw_out(TensorList self, TensorList grads, TensorList exp_avgs,
                      TensorList exp_avg_sqs, TensorList max_exp_avg_sqs, TensorList state_steps,
                      double lr, double beta1, double beta2, double weight_decay, double eps,
                      bool amsgrad, bool maximize, const std::optional<Tensor>& grad_scale,
                      const std::optional<Tensor>& found_inf, TensorList out) {
  copy_to("_fused_adamw", out, self);
  _ops::_fused_adamw_::call(out, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr,
                            beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale,
                            found_inf);
}

void _fused_adamw_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                   double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                   bool maximize, const std::optional<Tensor>& grad_scale,
                   const std::optional<Tensor>& found_inf) {
  _ops::_fused_adamw_::call(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
                            number(lr), beta1, beta2, weight_decay, eps, amsgrad, maximize,
                            grad_scale, found_inf);
}

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>,
           std::vector<Tensor>>
_fused_adamw(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
             TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr, double beta1,
             double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
             const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> exp_avgs_out = copies(exp_avgs);
  const std::vector<Tensor> exp_avg_sqs_out = copies(exp_avg_sqs);
  const std::vector<Tensor> max_exp_avg_sqs_out = copies(max_exp_avg_sqs);
  _ops::_fused_adamw__tensor_lr::call(self_out, grads_out, exp_avgs_out, exp_avg_sqs_out,
                                      max_exp_avg_sqs_out, state_steps, lr, beta1, beta2,
                                      weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
  return {self_out, grads_out, exp_avgs_out, exp_avg_sqs_out, max_exp_avg_sqs_out};
}

void _fused_adamw_out(TensorList self, TensorList grads, TensorList exp_avgs,
                      TensorList exp_avg_sqs, TensorList max_exp_avg_sqs, TensorList state_steps,
                      const Tensor& lr, double beta1, double beta2, double weight_decay, double eps,
                      bool amsgrad, bool maximize, const std::optional<Tensor>& grad_scale,
                      const std::optional<Tensor>& found_inf, TensorList out) {
  copy_to("_fused_adamw", out, self);
  _ops::_fused_adamw__tensor_lr::call(out, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs,
                                      state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
                                      maximize, grad_scale, found_inf);
}

}  // namespace at::native
