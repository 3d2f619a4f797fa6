// Optimizer steps that return new tensors, write to out, or take the learning rate as a tensor. All
// call the step in place.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/optim/lists.h>
#include <ATen/ops/_fused_adagrad__native.h>
#include <ATen/ops/_fused_adagrad__ops.h>
#include <ATen/ops/_fused_adagrad_native.h>
#include <ATen/ops/_fused_sgd__native.h>
#include <ATen/ops/_fused_sgd__ops.h>
#include <ATen/ops/_fused_sgd_native.h>
#include <ATen/ops/item.h>

namespace at::native {
namespace {

double number(const Tensor& lr) { return at::item(lr).toDouble(); }

}  // namespace

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>> _fused_sgd(
    TensorList self, TensorList grads, TensorList momentum_buffer_list, double weight_decay,
    double momentum, double lr, double dampening, bool nesterov, bool maximize, bool is_first_step,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> momentum_buffer_list_out = copies(momentum_buffer_list);
  _ops::_fused_sgd_::call(self_out, grads_out, momentum_buffer_list_out, weight_decay, momentum, lr,
                          dampening, nesterov, maximize, is_first_step, grad_scale, found_inf);
  return {self_out, grads_out, momentum_buffer_list_out};
}

void _fused_sgd_out(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                    double weight_decay, double momentum, double lr, double dampening,
                    bool nesterov, bool maximize, bool is_first_step,
                    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf,
                    TensorList out) {
  copy_to("_fused_sgd", out, self);
  _ops::_fused_sgd_::call(out, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening,
                          nesterov, maximize, is_first_step, grad_scale, found_inf);
}

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, const Tensor& lr, double dampening,
                 bool nesterov, bool maximize, bool is_first_step,
                 const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  _ops::_fused_sgd_::call(self, grads, momentum_buffer_list, weight_decay, momentum, number(lr),
                          dampening, nesterov, maximize, is_first_step, grad_scale, found_inf);
}

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>> _fused_sgd(
    TensorList self, TensorList grads, TensorList momentum_buffer_list, double weight_decay,
    double momentum, const Tensor& lr, double dampening, bool nesterov, bool maximize,
    bool is_first_step, const std::optional<Tensor>& grad_scale,
    const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> momentum_buffer_list_out = copies(momentum_buffer_list);
  _ops::_fused_sgd__tensor_lr::call(self_out, grads_out, momentum_buffer_list_out, weight_decay,
                                    momentum, lr, dampening, nesterov, maximize, is_first_step,
                                    grad_scale, found_inf);
  return {self_out, grads_out, momentum_buffer_list_out};
}

void _fused_sgd_out(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                    double weight_decay, double momentum, const Tensor& lr, double dampening,
                    bool nesterov, bool maximize, bool is_first_step,
                    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf,
                    TensorList out) {
  copy_to("_fused_sgd", out, self);
  _ops::_fused_sgd__tensor_lr::call(out, grads, momentum_buffer_list, weight_decay, momentum, lr,
                                    dampening, nesterov, maximize, is_first_step, grad_scale,
                                    found_inf);
}

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>>
_fused_adagrad(TensorList self, TensorList grads, TensorList state_sums, TensorList state_steps,
               double lr, double lr_decay, double weight_decay, double eps, bool maximize,
               const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> state_sums_out = copies(state_sums);
  const std::vector<Tensor> state_steps_out = copies(state_steps);
  _ops::_fused_adagrad_::call(self_out, grads_out, state_sums_out, state_steps, lr, lr_decay,
                              weight_decay, eps, maximize, grad_scale, found_inf);
  return {self_out, grads_out, state_sums_out, state_steps_out};
}

void _fused_adagrad_out(TensorList self, TensorList grads, TensorList state_sums,
                        TensorList state_steps, double lr, double lr_decay, double weight_decay,
                        double eps, bool maximize, const std::optional<Tensor>& grad_scale,
                        const std::optional<Tensor>& found_inf, TensorList out) {
  copy_to("_fused_adagrad", out, self);
  _ops::_fused_adagrad_::call(out, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps,
                              maximize, grad_scale, found_inf);
}

void _fused_adagrad_(TensorList self, TensorList grads, TensorList state_sums,
                     TensorList state_steps, const Tensor& lr, double lr_decay, double weight_decay,
                     double eps, bool maximize, const std::optional<Tensor>& grad_scale,
                     const std::optional<Tensor>& found_inf) {
  _ops::_fused_adagrad_::call(self, grads, state_sums, state_steps, number(lr), lr_decay,
                              weight_decay, eps, maximize, grad_scale, found_inf);
}

std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>> _fused_adagrad(
    TensorList self, TensorList grads, TensorList state_sums, TensorList state_steps,
    const Tensor& lr, double lr_decay, double weight_decay, double eps, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const std::vector<Tensor> self_out = copies(self);
  const std::vector<Tensor> grads_out = copies(grads);
  const std::vector<Tensor> state_sums_out = copies(state_sums);
  _ops::_fused_adagrad__tensor_lr::call(self_out, grads_out, state_sums_out, state_steps, lr,
                                        lr_decay, weight_decay, eps, maximize, grad_scale,
                                        found_inf);
  return {self_out, grads_out, state_sums_out};
}

void _fused_adagrad_out(TensorList self, TensorList grads, TensorList state_sums,
                        TensorList state_steps, const Tensor& lr, double lr_decay,
                        double weight_decay, double eps, bool maximize,
                        const std::optional<Tensor>& grad_scale,
                        const std::optional<Tensor>& found_inf, TensorList out) {
  copy_to("_fused_adagrad", out, self);
  _ops::_fused_adagrad__tensor_lr::call(out, grads, state_sums, state_steps, lr, lr_decay,
                                        weight_decay, eps, maximize, grad_scale, found_inf);
}

}  // namespace at::native
