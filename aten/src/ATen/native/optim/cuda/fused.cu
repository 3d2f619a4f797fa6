// Optimizer steps over lists of parameters on CUDA devices, in few launches: see Note [Groups of
// tensors]. Numbers of steps, found_inf and grad_scale stay on the device, so that no step waits.

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/optim/fused_lists.h>
#include <ATen/native/optim/steps.h>
#include <ATen/ops/_fused_adagrad__native.h>
#include <ATen/ops/_fused_adam__native.h>
#include <ATen/ops/_fused_sgd__native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/item.h>
#include <ATen/native/common/cuda/TensorGroups.cuh>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
using c10::cuda::LaunchShape;

// What a scaler of gradients says; both may be null.
struct Scaling {
  const float *scale, *found_inf;

  __device__ bool skips_step() const { return found_inf && *found_inf == 1.0f; }
  // The gradient, divided in place.
  template <typename O>
  __device__ O unscaled(O& gradient, float by) const {
    if (scale) gradient = gradient / static_cast<O>(by);
    return gradient;
  }
  __device__ float value() const { return scale ? *scale : 1.0f; }
};

// A learning rate: a number of the host, or one on the device.
struct Rate {
  double value;
  const float* on_device;

  __device__ double get() const { return on_device ? static_cast<double>(*on_device) : value; }
};

constexpr uint32_t kParameter = 1, kGradient = 2;

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    sgd_kernel(TensorGroup<3> group, SgdElement<opmath_type<T>> step, const float* lr,
               bool has_momentum, Scaling scaling) {
  using O = opmath_type<T>;
  if (scaling.skips_step()) return;
  if (lr) step.lr = static_cast<O>(*lr);
  const float scale = scaling.value();
  const uint32_t momentum = has_momentum ? 4 : 0;
  change_elements<T, O>(group, part_of_block(group), 3 | momentum,
                        kParameter | (scaling.scale ? kGradient : 0) | momentum, [&](O* e) {
    const O g = scaling.unscaled(e[1], scale);
    if (has_momentum) step(e[0], g, e[2]);
    else step(e[0], g);
  });
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    adam_kernel(TensorGroup<5> group, AdamStep settings, AdamElement<opmath_type<T>> step,
                const float* lr, Scaling scaling) {
  using O = opmath_type<T>;
  if (scaling.skips_step()) return;
  const GroupPart part = part_of_block(group);
  // Powers of doubles are slow: one thread computes them.
  __shared__ AdamRate<O> rate;
  __shared__ O shrink;
  if (threadIdx.x == 0) {
    if (lr) settings.lr = static_cast<double>(*lr);
    rate = adam_rate<O>(settings, group.number_of(part.tensor));
    shrink = AdamElement<O>::shrink_of(settings);
  }
  __syncthreads();
  step.shrink = shrink;
  const float scale = scaling.value();
  const uint32_t largest = settings.amsgrad ? 16 : 0;
  change_elements<T, O>(group, part, 15 | largest,
                        kParameter | (scaling.scale ? kGradient : 0) | 12 | largest, [&](O* e) {
    const O g = scaling.unscaled(e[1], scale);
    step(rate, e[0], g, e[2], e[3], largest ? e + 4 : nullptr);
  });
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    adagrad_kernel(TensorGroup<3> group, Rate lr, double lr_decay,
                   AdagradElement<opmath_type<T>> step, Scaling scaling) {
  using O = opmath_type<T>;
  if (scaling.skips_step()) return;
  const GroupPart part = part_of_block(group);
  const double number = group.number_of(part.tensor);
  step.rate = static_cast<O>(lr.get() / (1 + (number - 1) * lr_decay));
  const float scale = scaling.value();
  change_elements<T, O>(group, part, 7, kParameter | (scaling.scale ? kGradient : 0) | 4,
                        [&](O* e) { step(e[0], scaling.unscaled(e[1], scale), e[2]); });
}

// Numbers on the device in float.
class DeviceNumbers {
 public:
  explicit DeviceNumbers(const char* op) : op_(op) {}
  const float* of(const Tensor& t, const Tensor& parameter, const char* name) {
    TORCH_CHECK(t.numel() == 1, op_, ": ", name, " must have one element, but its shape is ",
                t.sizes());
    const bool as_is = t.scalar_type() == kFloat && t.device() == parameter.device();
    TensorOptions options = TensorOptions(kFloat).device(parameter.device());
    kept_.push_back(as_is ? t : at::_to_copy(t, options));
    return static_cast<const float*>(kept_.back().data_ptr());
  }
  const float* of(const OptionalTensor& t, const Tensor& parameter, const char* name) {
    return t && t->defined() ? of(*t, parameter, name) : nullptr;
  }
  Rate rate(double lr, const Tensor&) { return {lr, nullptr}; }
  Rate rate(const Tensor& lr, const Tensor& parameter) {
    if (lr.device().is_cpu()) return {at::item(lr).toDouble(), nullptr};
    return {0, of(lr, parameter, "lr")};
  }
  // Adds tensors and the number of their step.
  template <typename Groups, size_t Depth>
  void add(Groups& groups, const std::array<Tensor, Depth>& tensors, const Tensor& step) {
    if (step.device().is_cpu()) {
      groups.add(tensors, GroupNumber{.value = at::item(step).toDouble()}, false);
      return;
    }
    groups.add(tensors, GroupNumber{.on_device = of(step, tensors[0], "state_steps")}, true);
  }

 private:
  const char* op_;
  std::vector<Tensor> kept_;
};

// The tensors of a call, in the orders of their parameters; copies are written back at the end.
class Operands {
 public:
  Tensor in_order(const Tensor& t, const Tensor& parameter) {
    InOrderOf ordered(t, parameter);
    if (ordered.copied) copies_.push_back(ordered);
    return ordered.dense;
  }
  void write_back() {
    for (InOrderOf& t : copies_) t.write_back();
  }

 private:
  std::vector<InOrderOf> copies_;
};

Scaling scaling_of(DeviceNumbers& numbers, TensorList self, const OptionalTensor& grad_scale,
                   const OptionalTensor& found_inf) {
  return {numbers.of(grad_scale, self[0], "grad_scale"),
          numbers.of(found_inf, self[0], "found_inf")};
}

void check_one_device(const char* op, TensorList self) {
  TORCH_CHECK(self[0].is_cuda(), op, ": a parameter is on ", self[0].device(),
              ", but other arguments are on a CUDA device");
  for (const Tensor& p : self)
    TORCH_CHECK(p.device() == self[0].device(), op, ": parameters are on ", self[0].device(),
                " and ", p.device());
}

template <typename Lr>
void adam_on_cuda(const char* op, TensorList self, TensorList grads, TensorList means,
                  TensorList squares, TensorList largest, TensorList steps, const Lr& lr,
                  AdamStep s, const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  check_fused_list(op, "grads", grads, self);
  check_fused_list(op, "exp_avgs", means, self);
  check_fused_list(op, "exp_avg_sqs", squares, self);
  if (s.amsgrad) check_fused_list(op, "max_exp_avg_sqs", largest, self);
  check_fused_steps(op, steps, self);
  if (self.empty()) return;
  check_one_device(op, self);
  DeviceNumbers numbers(op);
  Operands operands;
  const Scaling scaling = scaling_of(numbers, self, grad_scale, found_inf);
  const Rate rate = numbers.rate(lr, self[0]);
  s.lr = rate.value;
  auto launch = [&](const TensorGroup<5>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, op, [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(adam_kernel<T>, shape, stream, group, s, AdamElement<opmath_type<T>>(s),
                        rate.on_device, scaling);
    });
  };
  TensorGroups<5, decltype(launch)> groups(launch);
  for (size_t i = 0; i < self.size(); ++i) {
    const Tensor p = operands.in_order(self[i], self[i]);
    const std::array<Tensor, 5> tensors{
        p, operands.in_order(grads[i], p), operands.in_order(means[i], p),
        operands.in_order(squares[i], p), s.amsgrad ? operands.in_order(largest[i], p) : Tensor()};
    numbers.add(groups, tensors, steps[i]);
  }
  groups.flush();
  operands.write_back();
}

template <typename Lr>
void sgd_on_cuda(TensorList self, TensorList grads, TensorList momentum_buffer_list, const Lr& lr,
                 SgdStep s, const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  const char* op = "_fused_sgd_";
  check_fused_list(op, "grads", grads, self);
  const bool has_momentum = s.momentum != 0 && !momentum_buffer_list.empty();
  if (has_momentum) check_fused_list(op, "momentum_buffer_list", momentum_buffer_list, self);
  if (self.empty()) return;
  check_one_device(op, self);
  DeviceNumbers numbers(op);
  Operands operands;
  const Scaling scaling = scaling_of(numbers, self, grad_scale, found_inf);
  const Rate rate = numbers.rate(lr, self[0]);
  s.lr = rate.value;
  auto launch = [&](const TensorGroup<3>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, op, [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(sgd_kernel<T>, shape, stream, group, SgdElement<opmath_type<T>>(s),
                        rate.on_device, has_momentum, scaling);
    });
  };
  TensorGroups<3, decltype(launch)> groups(launch);
  for (size_t i = 0; i < self.size(); ++i) {
    const Tensor p = operands.in_order(self[i], self[i]);
    groups.add({p, operands.in_order(grads[i], p),
                has_momentum ? operands.in_order(momentum_buffer_list[i], p) : Tensor()});
  }
  groups.flush();
  operands.write_back();
}

template <typename Lr>
void adagrad_on_cuda(TensorList self, TensorList grads, TensorList sums, TensorList steps,
                     const Lr& lr, double lr_decay, const AdagradStep& s,
                     const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  const char* op = "_fused_adagrad_";
  check_fused_list(op, "grads", grads, self);
  check_fused_list(op, "state_sums", sums, self);
  check_fused_steps(op, steps, self);
  if (self.empty()) return;
  check_one_device(op, self);
  DeviceNumbers numbers(op);
  Operands operands;
  const Scaling scaling = scaling_of(numbers, self, grad_scale, found_inf);
  const Rate rate = numbers.rate(lr, self[0]);
  auto launch = [&](const TensorGroup<3>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, op, [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(adagrad_kernel<T>, shape, stream, group, rate, lr_decay,
                        AdagradElement<opmath_type<T>>(s), scaling);
    });
  };
  TensorGroups<3, decltype(launch)> groups(launch);
  for (size_t i = 0; i < self.size(); ++i) {
    const Tensor p = operands.in_order(self[i], self[i]);
    const std::array<Tensor, 3> tensors{p, operands.in_order(grads[i], p),
                                        operands.in_order(sums[i], p)};
    numbers.add(groups, tensors, steps[i]);
  }
  groups.flush();
  operands.write_back();
}

}  // namespace

void fused_adam_cuda(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                     TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                     double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                     const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  adam_on_cuda("_fused_adam_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr,
               {0, beta1, beta2, eps, weight_decay, 0, amsgrad, maximize, false}, grad_scale,
               found_inf);
}

void fused_adamw_cuda(TensorList self, TensorList grads, TensorList exp_avgs,
                      TensorList exp_avg_sqs, TensorList max_exp_avg_sqs, TensorList state_steps,
                      double lr, double beta1, double beta2, double weight_decay, double eps,
                      bool amsgrad, bool maximize, const OptionalTensor& grad_scale,
                      const OptionalTensor& found_inf) {
  adam_on_cuda("_fused_adamw_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
               lr, {0, beta1, beta2, eps, weight_decay, 0, amsgrad, maximize, true}, grad_scale,
               found_inf);
}

void fused_sgd_cuda(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                    double weight_decay, double momentum, double lr, double dampening,
                    bool nesterov, bool maximize, bool is_first_step,
                    const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  sgd_on_cuda(self, grads, momentum_buffer_list, lr,
              {0, momentum, dampening, weight_decay, nesterov, maximize, is_first_step}, grad_scale,
              found_inf);
}

void fused_adagrad_cuda(TensorList self, TensorList grads, TensorList state_sums,
                        TensorList state_steps, double lr, double lr_decay, double weight_decay,
                        double eps, bool maximize, const OptionalTensor& grad_scale,
                        const OptionalTensor& found_inf) {
  adagrad_on_cuda(self, grads, state_sums, state_steps, lr, lr_decay,
                  {0, eps, weight_decay, maximize}, grad_scale, found_inf);
}

void fused_adam_cuda(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                     TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                     double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                     bool maximize, const OptionalTensor& grad_scale,
                     const OptionalTensor& found_inf) {
  adam_on_cuda("_fused_adam_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr,
               {0, beta1, beta2, eps, weight_decay, 0, amsgrad, maximize, false}, grad_scale,
               found_inf);
}

void fused_adamw_cuda(TensorList self, TensorList grads, TensorList exp_avgs,
                      TensorList exp_avg_sqs, TensorList max_exp_avg_sqs, TensorList state_steps,
                      const Tensor& lr, double beta1, double beta2, double weight_decay, double eps,
                      bool amsgrad, bool maximize, const OptionalTensor& grad_scale,
                      const OptionalTensor& found_inf) {
  adam_on_cuda("_fused_adamw_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
               lr, {0, beta1, beta2, eps, weight_decay, 0, amsgrad, maximize, true}, grad_scale,
               found_inf);
}

void fused_sgd_cuda(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                    double weight_decay, double momentum, const Tensor& lr, double dampening,
                    bool nesterov, bool maximize, bool is_first_step,
                    const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  sgd_on_cuda(self, grads, momentum_buffer_list, lr,
              {0, momentum, dampening, weight_decay, nesterov, maximize, is_first_step}, grad_scale,
              found_inf);
}

void fused_adagrad_cuda(TensorList self, TensorList grads, TensorList state_sums,
                        TensorList state_steps, const Tensor& lr, double lr_decay,
                        double weight_decay, double eps, bool maximize,
                        const OptionalTensor& grad_scale, const OptionalTensor& found_inf) {
  adagrad_on_cuda(self, grads, state_sums, state_steps, lr, lr_decay,
                  {0, eps, weight_decay, maximize}, grad_scale, found_inf);
}

}  // namespace at::native
