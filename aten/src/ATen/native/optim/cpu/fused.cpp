// Optimizer steps over lists of parameters, each tensor in one pass.

#include <ATen/Parallel.h>
#include <ATen/native/optim/fused_lists.h>
#include <ATen/native/optim/optim.h>
#include <ATen/ops/_fused_adagrad__native.h>
#include <ATen/ops/_fused_adam__native.h>
#include <ATen/ops/_fused_adamw__native.h>
#include <ATen/ops/_fused_sgd__native.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/item.h>

namespace at::native {
namespace {

char* data(const InOrderOf& t) { return static_cast<char*>(t.dense.data_ptr()); }

bool skip_step(const std::optional<Tensor>& found_inf) {
  return found_inf && found_inf->defined() && at::item(*found_inf).toDouble() == 1.0;
}

// Divides gradients that a scaler multiplied, in place.
void unscale(TensorList grads, const std::optional<Tensor>& grad_scale) {
  if (!grad_scale || !grad_scale->defined()) return;
  for (const Tensor& g : grads) _ops::div__Tensor::call(const_cast<Tensor&>(g), *grad_scale);
}

void adam_all(const char* op, TensorList self, TensorList grads, TensorList means,
              TensorList squares, TensorList largest, TensorList steps, AdamStep s) {
  check_fused_list(op, "exp_avgs", means, self);
  check_fused_list(op, "exp_avg_sqs", squares, self);
  if (s.amsgrad) check_fused_list(op, "max_exp_avg_sqs", largest, self);
  check_fused_steps(op, steps, self);
  for (size_t i = 0; i < self.size(); ++i) {
    s.step = at::item(steps[i]).toDouble();
    InOrderOf p(self[i], self[i]), g(grads[i], p.dense), m(means[i], p.dense),
        v(squares[i], p.dense);
    InOrderOf l(s.amsgrad ? largest[i] : self[i], p.dense);
    auto item = static_cast<int64_t>(self[i].itemsize());
    parallel_for(0, self[i].numel(), kGrainSize / 4, [&](int64_t begin, int64_t end) {
      int64_t at = begin * item;
      adam_step_stub(kCPU, s, self[i].scalar_type(), data(p) + at, data(g) + at, data(m) + at,
                     data(v) + at, s.amsgrad ? data(l) + at : nullptr, end - begin);
    });
    p.write_back();
    m.write_back();
    v.write_back();
    if (s.amsgrad) l.write_back();
  }
}

}  // namespace

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step, const std::optional<Tensor>& grad_scale,
                 const std::optional<Tensor>& found_inf) {
  if (skip_step(found_inf)) return;
  check_fused_list("_fused_sgd_", "grads", grads, self);
  unscale(grads, grad_scale);
  bool has_momentum = momentum != 0 && !momentum_buffer_list.empty();
  if (has_momentum)
    check_fused_list("_fused_sgd_", "momentum_buffer_list", momentum_buffer_list, self);
  SgdStep s{lr, momentum, dampening, weight_decay, nesterov, maximize, is_first_step};
  for (size_t i = 0; i < self.size(); ++i) {
    InOrderOf p(self[i], self[i]), g(grads[i], p.dense),
        m(has_momentum ? momentum_buffer_list[i] : self[i], p.dense);
    auto item = static_cast<int64_t>(self[i].itemsize());
    parallel_for(0, self[i].numel(), kGrainSize, [&](int64_t begin, int64_t end) {
      int64_t at = begin * item;
      sgd_step_stub(kCPU, s, self[i].scalar_type(), data(p) + at, data(g) + at,
                    has_momentum ? data(m) + at : nullptr, end - begin);
    });
    p.write_back();
    if (has_momentum) m.write_back();
  }
}

void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                  double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                  const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  if (skip_step(found_inf)) return;
  check_fused_list("_fused_adam_", "grads", grads, self);
  unscale(grads, grad_scale);
  adam_all("_fused_adam_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
           {lr, beta1, beta2, eps, weight_decay, 0, amsgrad, maximize, false});
}

void _fused_adamw_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                   double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                   const std::optional<Tensor>& grad_scale,
                   const std::optional<Tensor>& found_inf) {
  if (skip_step(found_inf)) return;
  check_fused_list("_fused_adamw_", "grads", grads, self);
  unscale(grads, grad_scale);
  adam_all("_fused_adamw_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
           {lr, beta1, beta2, eps, weight_decay, 0, amsgrad, maximize, true});
}

void _fused_adagrad_(TensorList self, TensorList grads, TensorList state_sums,
                     TensorList state_steps, double lr, double lr_decay, double weight_decay,
                     double eps, bool maximize, const std::optional<Tensor>& grad_scale,
                     const std::optional<Tensor>& found_inf) {
  const char* op = "_fused_adagrad_";
  if (skip_step(found_inf)) return;
  check_fused_list(op, "grads", grads, self);
  check_fused_list(op, "state_sums", state_sums, self);
  check_fused_steps(op, state_steps, self);
  unscale(grads, grad_scale);
  for (size_t i = 0; i < self.size(); ++i) {
    const double step = at::item(state_steps[i]).toDouble();
    const AdagradStep s{lr / (1 + (step - 1) * lr_decay), eps, weight_decay, maximize};
    InOrderOf p(self[i], self[i]), g(grads[i], p.dense), sum(state_sums[i], p.dense);
    const auto item = static_cast<int64_t>(self[i].itemsize());
    parallel_for(0, self[i].numel(), kGrainSize / 4, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * item;
      adagrad_step_stub(kCPU, s, self[i].scalar_type(), data(p) + at, data(g) + at, data(sum) + at,
                        end - begin);
    });
    p.write_back();
    sum.write_back();
  }
}

}  // namespace at::native
