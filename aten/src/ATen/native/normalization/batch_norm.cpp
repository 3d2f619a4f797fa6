// Batch and instance normalization.

#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/normalization/normalization.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/batch_norm_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/instance_norm_native.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward_native.h>
#include <ATen/ops/native_batch_norm_native.h>
#include <ATen/ops/repeat.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Tensor as_opmath(const Tensor& t, ScalarType input_type) {
  if (!t.defined()) return t;
  ScalarType wanted = opmath_type(input_type);
  return at::contiguous(t.scalar_type() == wanted ? t : at::_to_copy(t, TensorOptions(wanted)));
}

Tensor as_type_of(const Tensor& gradient, const Tensor& parameter) {
  return gradient.scalar_type() == parameter.scalar_type()
             ? gradient
             : at::_to_copy(gradient, TensorOptions(parameter.scalar_type()));
}

namespace {

ChannelShape channel_shape(const Tensor& input, MemoryFormat format) {
  ChannelShape s{input.sizes()[0], input.sizes()[1], 1, false};
  for (int64_t d = 2; d < input.dim(); ++d) s.plane *= input.sizes()[d];
  // A matrix is rows of channels too.
  s.channels_last = format != MemoryFormat::Contiguous || s.plane == 1;
  return s;
}

MemoryFormat format_of(const Tensor& input) {
  MemoryFormat format = input.suggest_memory_format();
  return format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d
             ? format
             : MemoryFormat::Contiguous;
}

void check_parameter(const Tensor& t, int64_t channels, const char* name) {
  TORCH_CHECK(!t.defined() || t.numel() == channels, name, " should contain ", channels,
              " elements not ", t.defined() ? t.numel() : 0);
}

template <typename F>
void in_opmath(ScalarType input, const F& f) {
  if (input == kDouble) f(double());
  else f(float());
}

// running = (1 - momentum) * running + momentum * now
void update_running(const Tensor& running, const Tensor& now, double momentum, double factor) {
  if (!running.defined()) return;
  // Written in place, whatever its type and strides: a copy would count its version up, and
  // backward has saved it.
  const DimVector sizes(running.sizes()), strides(running.strides());
  auto place = [&](int64_t c) {
    int64_t offset = 0;
    for (int64_t d = running.dim() - 1; d >= 0; --d) {
      offset += c % sizes[d] * strides[d];
      c /= sizes[d];
    }
    return offset;
  };
  in_opmath(now.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    const V* x = static_cast<const V*>(now.data_ptr());
    V keep = static_cast<V>(1 - momentum), take = static_cast<V>(momentum),
      f = static_cast<V>(factor);
    dispatch_types<FloatingAndReduced>(running.scalar_type(), "batch_norm", [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* r = static_cast<T*>(running.data_ptr());
      for (int64_t c = 0; c < now.numel(); ++c) {
        T& value = r[place(c)];
        value = static_cast<T>(keep * static_cast<V>(value) + take * x[c] * f);
      }
    });
  });
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight_opt,
                                                     const std::optional<Tensor>& bias_opt,
                                                     const std::optional<Tensor>& mean_opt,
                                                     const std::optional<Tensor>& var_opt,
                                                     bool training, double momentum, double eps) {
  Tensor weight = optional_tensor(weight_opt), bias = optional_tensor(bias_opt),
         running_mean = optional_tensor(mean_opt), running_var = optional_tensor(var_opt);
  TORCH_CHECK(input.dim() >= 2,
              "batch_norm: expected an input with at least 2 dimensions, got size ", input.sizes());
  int64_t channels = input.sizes()[1];
  check_parameter(running_mean, channels, "running_mean");
  check_parameter(running_var, channels, "running_var");
  check_parameter(weight, channels, "weight");
  check_parameter(bias, channels, "bias");
  TORCH_CHECK(training || running_mean.defined(),
              "running_mean must be defined in evaluation mode");
  TORCH_CHECK(training || running_var.defined(), "running_var must be defined in evaluation mode");
  TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point(), "\"batch_norm\" not implemented for '",
                              toString(input.scalar_type()), "'");
  check_parameter_types(input.scalar_type(), {&weight, &bias, &running_mean, &running_var});
  MemoryFormat format = format_of(input);
  Tensor out = at::empty(input.sizes(), input.options(), format);
  ScalarType stats = opmath_type(input.scalar_type());
  Tensor save_mean = empty_tensor({training ? channels : 0}, stats, input.device()),
         save_invstd = empty_tensor({training ? channels : 0}, stats, input.device());
  if (input.is_meta()) return {out, save_mean, save_invstd};
  Tensor x = in_format(input, format);
  ChannelShape s = channel_shape(x, format);
  Tensor mean, variance;
  if (training) {
    variance = empty_tensor({channels}, stats);
    mean = save_mean;
    if (x.numel() > 0) channel_moments_stub(kCPU, s, x, mean.data_ptr(), variance.data_ptr());
    double n = static_cast<double>(s.per_channel());
    if (x.numel() > 0) {
      update_running(running_mean, mean, momentum, 1);
      update_running(running_var, variance, momentum, n > 1 ? n / (n - 1) : NAN);
    }
  } else {
    mean = as_opmath(running_mean, input.scalar_type());
    variance = as_opmath(running_var, input.scalar_type());
  }
  Tensor w = as_opmath(weight, input.scalar_type()), b = as_opmath(bias, input.scalar_type());
  Tensor scale = empty_tensor({channels}, stats), shift = empty_tensor({channels}, stats);
  in_opmath(input.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    const V *m = static_cast<const V*>(mean.data_ptr()),
            *v = static_cast<const V*>(variance.data_ptr());
    const V *wp = static_cast<const V*>(data_or_null(w)),
            *bp = static_cast<const V*>(data_or_null(b));
    V *a = static_cast<V*>(scale.data_ptr()), *d = static_cast<V*>(shift.data_ptr());
    V* invstd = training ? static_cast<V*>(save_invstd.data_ptr()) : nullptr;
    for (int64_t c = 0; c < channels; ++c) {
      V inverse = V(1) / std::sqrt(v[c] + static_cast<V>(eps));
      if (invstd) invstd[c] = inverse;
      a[c] = wp ? inverse * wp[c] : inverse;
      d[c] = (bp ? bp[c] : V(0)) - m[c] * a[c];
    }
  });
  if (x.numel() > 0) channel_affine_stub(kCPU, s, x, scale.data_ptr(), shift.data_ptr(), out);
  return {out, save_mean, save_invstd};
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight_opt,
    const std::optional<Tensor>& mean_opt, const std::optional<Tensor>& var_opt,
    const std::optional<Tensor>& save_mean_opt, const std::optional<Tensor>& save_invstd_opt,
    bool train, double eps, std::array<bool, 3> mask) {
  Tensor weight = optional_tensor(weight_opt), running_mean = optional_tensor(mean_opt),
         running_var = optional_tensor(var_opt), save_mean = optional_tensor(save_mean_opt),
         save_invstd = optional_tensor(save_invstd_opt);
  TORCH_CHECK(input.dim() >= 2,
              "batch_norm_backward: expected an input with at least 2 dimensions, got size ",
              input.sizes());
  int64_t channels = input.sizes()[1];
  TORCH_CHECK(grad_out.sizes() == input.sizes(), "batch_norm_backward: the gradient has sizes ",
              grad_out.sizes(), ", the input ", input.sizes());
  TORCH_CHECK(train ? save_mean.defined() && save_mean.numel() == channels &&
                          save_invstd.defined() && save_invstd.numel() == channels
                    : running_mean.defined() && running_mean.numel() == channels &&
                          running_var.defined() && running_var.numel() == channels,
              "batch_norm_backward: the statistics of ", channels, " channels are missing");
  check_parameter(weight, channels, "weight");
  MemoryFormat format = format_of(input);
  Tensor grad_input, grad_weight, grad_bias;
  ScalarType stats = opmath_type(input.scalar_type());
  if (mask[0]) grad_input = at::empty(input.sizes(), input.options(), format);
  if (mask[1]) grad_weight = empty_tensor({channels}, stats, input.device());
  if (mask[2]) grad_bias = empty_tensor({channels}, stats, input.device());
  if (input.is_meta()) return {grad_input, grad_weight, grad_bias};
  Tensor x = in_format(input, format);
  Tensor g = in_format(grad_out.scalar_type() == input.scalar_type()
                           ? grad_out
                           : at::_to_copy(grad_out, TensorOptions(input.scalar_type())),
                       format);
  ChannelShape s = channel_shape(x, format);
  Tensor mean = as_opmath(train ? save_mean : running_mean, input.scalar_type());
  Tensor spread = as_opmath(train ? save_invstd : running_var, input.scalar_type());
  Tensor w = as_opmath(weight, input.scalar_type());
  Tensor work = at::zeros({5, channels}, TensorOptions(stats));
  in_opmath(input.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    V* sum = static_cast<V*>(work.data_ptr());
    V *dot = sum + channels, *a = dot + channels, *b = a + channels, *d = b + channels;
    const V *m = static_cast<const V*>(mean.data_ptr()),
            *v = static_cast<const V*>(spread.data_ptr()),
            *wp = static_cast<const V*>(data_or_null(w));
    bool sums = train || mask[1] || mask[2];
    if (sums && x.numel() > 0) channel_sums_stub(kCPU, s, g, x, m, sum, dot);
    V n = static_cast<V>(s.per_channel());
    for (int64_t c = 0; c < channels; ++c) {
      V invstd = train ? v[c] : V(1) / std::sqrt(v[c] + static_cast<V>(eps));
      a[c] = wp ? invstd * wp[c] : invstd;
      if (train) {
        V by_x = -a[c] * invstd * invstd * dot[c] / n;
        b[c] = by_x;
        d[c] = -a[c] * sum[c] / n - by_x * m[c];
      }
      if (mask[1]) static_cast<V*>(grad_weight.data_ptr())[c] = dot[c] * invstd;
      if (mask[2]) static_cast<V*>(grad_bias.data_ptr())[c] = sum[c];
    }
    if (mask[0] && x.numel() > 0) channel_combine_stub(kCPU, s, g, x, a, b, d, grad_input);
  });
  if (mask[1] && weight.defined()) grad_weight = as_type_of(grad_weight, weight);
  if (mask[2] && weight.defined()) grad_bias = as_type_of(grad_bias, weight);
  return {grad_input, grad_weight, grad_bias};
}

Tensor batch_norm(const Tensor& input, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean,
                  const std::optional<Tensor>& running_var, bool training, double momentum,
                  double eps, bool /*cudnn_enabled*/) {
  return std::get<0>(at::native_batch_norm(input, weight, bias, running_mean, running_var, training,
                                           momentum, eps));
}

// Every sample's channels are channels of their own.
Tensor instance_norm(const Tensor& input, const std::optional<Tensor>& weight_opt,
                     const std::optional<Tensor>& bias_opt, const std::optional<Tensor>& mean_opt,
                     const std::optional<Tensor>& var_opt, bool use_input_stats, double momentum,
                     double eps, bool cudnn_enabled) {
  Tensor weight = optional_tensor(weight_opt), bias = optional_tensor(bias_opt),
         running_mean = optional_tensor(mean_opt), running_var = optional_tensor(var_opt);
  TORCH_CHECK(use_input_stats || (running_mean.defined() && running_var.defined()),
              "Expected running_mean and running_var to be defined when use_input_stats is false");
  TORCH_CHECK(input.dim() >= 2,
              "instance_norm: expected an input with at least 2 dimensions, got size ",
              input.sizes());
  int64_t batch = input.sizes()[0], channels = input.sizes()[1];
  DimVector shape(input.sizes());
  shape[0] = 1;
  shape[1] = batch * channels;
  auto repeated = [&](const Tensor& t) { return t.defined() ? at::repeat(t, {batch}) : t; };
  // Running statistics may be of any type: they come in that of the weight, or of the input.
  const ScalarType type = weight.defined() ? weight.scalar_type() : input.scalar_type();
  auto statistics = [&](const Tensor& t) {
    Tensor all = repeated(t);
    return all.defined() && all.scalar_type() != type ? at::_to_copy(all, type) : all;
  };
  Tensor means = statistics(running_mean), variances = statistics(running_var);
  Tensor out =
      at::batch_norm(at::view(at::contiguous(input), shape), repeated(weight), repeated(bias),
                     means, variances, use_input_stats, momentum, eps, cudnn_enabled);
  // Running statistics are the mean over the samples.
  auto write_back = [&](Tensor to, const Tensor& from) {
    if (!to.defined() || !use_input_stats) return;
    NoGradGuard no_grad;
    at::_ops::copy_::call(to, at::mean(at::view(from, {batch, channels}), IntArrayRef(int64_t(0))),
                          false);
  };
  write_back(running_mean, means);
  write_back(running_var, variances);
  return at::view(out, input.sizes());
}

}  // namespace at::native
