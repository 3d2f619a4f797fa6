// Batch and instance normalization.

#include <limits>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/fill/fill.h>
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
#include <ATen/ops/var_ops.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Tensor as_stats_type(const Tensor& t, ScalarType input_type) {
  if (!t.defined()) return t;
  ScalarType requested = stats_type(input_type);
  return at::contiguous(t.scalar_type() == requested ? t
                                                     : at::_to_copy(t, TensorOptions(requested)));
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
  // A matrix counts as rows of channels too.
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

}  // namespace

std::tuple<Tensor, Tensor> channel_statistics(const Tensor& input) {
  const auto device = input.device().type();
  if (!channel_statistics_stub.has_kernel(device) || input.is_neg()) {
    DimVector dims{0};
    for (int64_t d = 2; d < input.dim(); ++d) dims.push_back(d);
    return {at::mean(input, IntArrayRef(dims)),
            _ops::var_dim::call(input, IntArrayRef(dims), false, false)};
  }
  const ScalarType type = input.scalar_type(), stats = stats_type(type);
  const MemoryFormat format = format_of(input);
  const Tensor x = in_format(input, format);
  Tensor mean = empty_tensor({input.sizes()[1]}, stats, input.device()),
         variance = empty_tensor(mean.sizes(), stats, input.device());
  channel_statistics_stub(device, channel_shape(x, format), x, mean, variance);
  if (stats == type) return {mean, variance};
  return {at::_to_copy(mean, TensorOptions(type)), at::_to_copy(variance, TensorOptions(type))};
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight_opt,
                                                     const std::optional<Tensor>& bias_opt,
                                                     const std::optional<Tensor>& mean_opt,
                                                     const std::optional<Tensor>& var_opt,
                                                     bool training, double momentum, double eps) {
  Tensor weight = value_or_undefined(weight_opt), bias = value_or_undefined(bias_opt),
         running_mean = value_or_undefined(mean_opt), running_var = value_or_undefined(var_opt);
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
  ScalarType stats = stats_type(input.scalar_type());
  Tensor save_mean = empty_tensor({training ? channels : 0}, stats, input.device()),
         save_invstd = empty_tensor({training ? channels : 0}, stats, input.device());
  Tensor x = in_format(input, format);
  if (x.numel() == 0) {  // the mean of nothing
    fill_elements(save_mean, std::numeric_limits<double>::quiet_NaN());
    fill_elements(save_invstd, std::numeric_limits<double>::quiet_NaN());
    return {out, save_mean, save_invstd};
  }
  const BatchNormArgs args{
      x, channel_shape(x, format), weight, running_mean, running_var, training, eps};
  batch_norm_stub(x.device().type(), args, bias, momentum, out, save_mean, save_invstd);
  return {out, save_mean, save_invstd};
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight_opt,
    const std::optional<Tensor>& mean_opt, const std::optional<Tensor>& var_opt,
    const std::optional<Tensor>& save_mean_opt, const std::optional<Tensor>& save_invstd_opt,
    bool train, double eps, std::array<bool, 3> mask) {
  Tensor weight = value_or_undefined(weight_opt), running_mean = value_or_undefined(mean_opt),
         running_var = value_or_undefined(var_opt), save_mean = value_or_undefined(save_mean_opt),
         save_invstd = value_or_undefined(save_invstd_opt);
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
  ScalarType stats = stats_type(input.scalar_type());
  if (mask[0]) grad_input = at::empty(input.sizes(), input.options(), format);
  if (mask[1]) grad_weight = empty_tensor({channels}, stats, input.device());
  if (mask[2]) grad_bias = empty_tensor({channels}, stats, input.device());
  Tensor x = in_format(input, format);
  Tensor g = in_format(grad_out.scalar_type() == input.scalar_type()
                           ? grad_out
                           : at::_to_copy(grad_out, TensorOptions(input.scalar_type())),
                       format);
  const BatchNormArgs args{x,  channel_shape(x, format), weight, running_mean, running_var, train,
                           eps};
  batch_norm_backward_stub(x.device().type(), args, g,
                           as_stats_type(train ? save_mean : running_mean, input.scalar_type()),
                           as_stats_type(train ? save_invstd : running_var, input.scalar_type()),
                           grad_input, grad_weight, grad_bias);
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

// The channels of each sample become separate channels.
Tensor instance_norm(const Tensor& input, const std::optional<Tensor>& weight_opt,
                     const std::optional<Tensor>& bias_opt, const std::optional<Tensor>& mean_opt,
                     const std::optional<Tensor>& var_opt, bool use_input_stats, double momentum,
                     double eps, bool cudnn_enabled) {
  Tensor weight = value_or_undefined(weight_opt), bias = value_or_undefined(bias_opt),
         running_mean = value_or_undefined(mean_opt), running_var = value_or_undefined(var_opt);
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
  // Running statistics may have any type: they are converted to that of the weight, or of the
  // input.
  const ScalarType type = weight.defined() ? weight.scalar_type() : input.scalar_type();
  auto statistics = [&](const Tensor& t) {
    Tensor all = repeated(t);
    return all.defined() && all.scalar_type() != type ? at::_to_copy(all, type) : all;
  };
  Tensor means = statistics(running_mean), variances = statistics(running_var);
  Tensor out =
      at::batch_norm(at::view(at::contiguous(input), shape), repeated(weight), repeated(bias),
                     means, variances, use_input_stats, momentum, eps, cudnn_enabled);
  // Running statistics are averaged over the samples.
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
