// Layer and group normalization.

#include <limits>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/fill/fill.h>
#include <ATen/native/normalization/normalization.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/native/normalization/rows.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/group_norm_native.h>
#include <ATen/ops/layer_norm_native.h>
#include <ATen/ops/native_group_norm.h>
#include <ATen/ops/native_group_norm_backward_native.h>
#include <ATen/ops/native_group_norm_native.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward_native.h>
#include <ATen/ops/native_layer_norm_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Rows check_layer_norm(const char* op, const Tensor& input, IntArrayRef shape, const Tensor& weight,
                      const Tensor& bias) {
  TORCH_CHECK(!shape.empty(), op,
              ": Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
              "one element, but got normalized_shape = ",
              shape);
  TORCH_CHECK(!weight.defined() || weight.sizes() == shape, op,
              ": Expected weight to be of same shape as normalized_shape, but got weight of shape ",
              weight.defined() ? weight.sizes() : IntArrayRef(), " and normalized_shape = ", shape);
  TORCH_CHECK(!bias.defined() || bias.sizes() == shape, op,
              ": Expected bias to be of same shape as normalized_shape, but got bias of shape ",
              bias.defined() ? bias.sizes() : IntArrayRef(), " and normalized_shape = ", shape);
  int64_t k = static_cast<int64_t>(shape.size()), outer = input.dim() - k;
  std::string expected;
  for (int64_t s : shape) expected += ", " + std::to_string(s);
  TORCH_CHECK(outer >= 0 && input.sizes().slice(outer) == shape, "Given normalized_shape=", shape,
              ", expected input with shape [*", expected, "], but got input of size ",
              input.sizes());
  Rows r;
  for (int64_t d = 0; d < input.dim(); ++d) {
    (d < outer ? r.rows : r.n) *= input.sizes()[d];
    r.stats.push_back(d < outer ? input.sizes()[d] : 1);
  }
  return r;
}

// --- layer norm ----------------------------------------------------------------------------------

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input,
                                                     IntArrayRef normalized_shape,
                                                     const std::optional<Tensor>& weight_opt,
                                                     const std::optional<Tensor>& bias_opt,
                                                     double eps) {
  Tensor weight = value_or_undefined(weight_opt), bias = value_or_undefined(bias_opt);
  Rows r = check_layer_norm("layer_norm", input, normalized_shape, weight, bias);
  TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point(),
                              "\"LayerNormKernelImpl\" not implemented for '",
                              toString(input.scalar_type()), "'");
  check_parameter_types(input.scalar_type(), {&weight, &bias});
  Tensor out = empty_tensor(input.sizes(), input.scalar_type(), input.device());
  ScalarType stats = stats_type(input.scalar_type());
  Tensor mean = empty_tensor(r.stats, stats, input.device()),
         rstd = empty_tensor(r.stats, stats, input.device());
  if (input.numel() == 0) {  // rows of nothing
    fill_elements(mean, 0);
    fill_elements(rstd, std::numeric_limits<double>::quiet_NaN());
  } else {
    Tensor x = at::contiguous(input), w = as_stats_type(weight, input.scalar_type()),
           b = as_stats_type(bias, input.scalar_type());
    layer_norm_stub(x.device().type(), x, r.rows, r.n, w, b, eps, out, mean, rstd);
  }
  return {out, mean, rstd};
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    const Tensor& grad_out, const Tensor& input, IntArrayRef normalized_shape, const Tensor& mean,
    const Tensor& rstd, const std::optional<Tensor>& weight_opt,
    const std::optional<Tensor>& bias_opt, std::array<bool, 3> mask) {
  Tensor weight = value_or_undefined(weight_opt), bias = value_or_undefined(bias_opt);
  Rows r = check_layer_norm("layer_norm_backward", input, normalized_shape, weight, bias);
  TORCH_CHECK(grad_out.sizes() == input.sizes(), "layer_norm_backward: the gradient has sizes ",
              grad_out.sizes(), ", the input ", input.sizes());
  TORCH_CHECK(mean.numel() == r.rows && rstd.numel() == r.rows,
              "layer_norm_backward: expected statistics of ", r.rows, " rows");
  ScalarType stats = stats_type(input.scalar_type());
  Tensor grad_input, grad_weight, grad_bias;
  if (mask[0]) grad_input = empty_tensor(input.sizes(), input.scalar_type(), input.device());
  bool empty = input.numel() == 0;
  auto parameter = [&](bool requested) {
    return !requested ? Tensor()
           : empty    ? at::zeros(normalized_shape, TensorOptions(stats).device(input.device()))
                      : empty_tensor(normalized_shape, stats, input.device());
  };
  grad_weight = parameter(mask[1] && weight.defined());
  grad_bias = parameter(mask[2] && bias.defined());
  if (!empty) {
    Tensor x = at::contiguous(input);
    Tensor g = at::contiguous(grad_out.scalar_type() == input.scalar_type()
                                  ? grad_out
                                  : at::_to_copy(grad_out, TensorOptions(input.scalar_type())));
    Tensor w = as_stats_type(weight, input.scalar_type()),
           m = as_stats_type(mean, input.scalar_type()),
           s = as_stats_type(rstd, input.scalar_type());
    layer_norm_backward_stub(x.device().type(), g, x, r.rows, r.n, m, s, w, grad_input, grad_weight,
                             grad_bias);
  }
  if (grad_weight.defined()) grad_weight = as_type_of(grad_weight, weight);
  if (grad_bias.defined()) grad_bias = as_type_of(grad_bias, bias);
  return {grad_input, grad_weight, grad_bias};
}

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape,
                  const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                  double eps, bool /*cudnn_enable*/) {
  return std::get<0>(at::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

// --- group norm ----------------------------------------------------------------------------------

namespace {

void check_group_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t N,
                      int64_t C, int64_t HxW, int64_t group) {
  TORCH_CHECK(group > 0, "Expected num groups to be greater than 0, got ", group);
  TORCH_CHECK(
      C % group == 0,
      "Expected number of channels in input to be divisible by num_groups, but got input of shape ",
      input.sizes(), " and num_groups=", group);
  int64_t total;
  bool overflow = __builtin_mul_overflow(N, C, &total) | __builtin_mul_overflow(total, HxW, &total);
  TORCH_CHECK(!overflow && N >= 0 && C >= 0 && HxW >= 0 && total == input.numel(),
              "group_norm: N, C and HxW (", N, ", ", C, ", ", HxW,
              ") do not fit the input of shape ", input.sizes());
  TORCH_CHECK(
      !weight.defined() || (weight.dim() == 1 && weight.numel() == C),
      "Expected weight to be a vector of size equal to the number of channels in input, but "
      "got weight of shape ",
      weight.defined() ? weight.sizes() : IntArrayRef(), " and input of shape ", input.sizes());
  TORCH_CHECK(!bias.defined() || (bias.dim() == 1 && bias.numel() == C),
              "Expected bias to be a vector of size equal to the number of channels "
              "in input, but got bias of shape ",
              bias.defined() ? bias.sizes() : IntArrayRef(), " and input of shape ", input.sizes());
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight_opt,
                                                     const std::optional<Tensor>& bias_opt,
                                                     int64_t N, int64_t C, int64_t HxW,
                                                     int64_t group, double eps) {
  Tensor weight = value_or_undefined(weight_opt), bias = value_or_undefined(bias_opt);
  check_group_norm(input, weight, bias, N, C, HxW, group);
  TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point(),
                              "\"GroupNormKernelImpl\" not implemented for '",
                              toString(input.scalar_type()), "'");
  check_parameter_types(input.scalar_type(), {&weight, &bias});
  ScalarType stats = stats_type(input.scalar_type());
  const MemoryFormat format = input.suggest_memory_format();
  const bool last = format != MemoryFormat::Contiguous && input.is_contiguous(format);
  Tensor out = at::empty(input.sizes(), input.options(), last ? format : MemoryFormat::Contiguous);
  Tensor mean = empty_tensor({N, group}, stats, input.device()),
         rstd = empty_tensor({N, group}, stats, input.device());
  if (input.numel() == 0) return {out, mean, rstd};
  group_norm_stub(input.device().type(), {N, C, HxW, group}, input, weight, bias, eps, last, out,
                  mean, rstd);
  return {out, mean, rstd};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight_opt, int64_t N, int64_t C, int64_t HxW, int64_t group,
    std::array<bool, 3> mask) {
  Tensor weight = value_or_undefined(weight_opt);
  check_group_norm(input, weight, Tensor(), N, C, HxW, group);
  TORCH_CHECK(grad_out.sizes() == input.sizes(), "group_norm_backward: the gradient has sizes ",
              grad_out.sizes(), ", the input ", input.sizes());
  TORCH_CHECK(mean.numel() == N * group && rstd.numel() == N * group,
              "group_norm_backward: expected statistics of ", N * group, " groups");
  ScalarType stats = stats_type(input.scalar_type());
  Tensor grad_input, grad_weight, grad_bias;
  if (mask[0]) grad_input = empty_tensor(input.sizes(), input.scalar_type(), input.device());
  if (mask[1]) grad_weight = at::zeros({C}, TensorOptions(stats).device(input.device()));
  if (mask[2]) grad_bias = at::zeros({C}, TensorOptions(stats).device(input.device()));
  if (input.numel() > 0) {
    Tensor g = grad_out.scalar_type() == input.scalar_type()
                   ? grad_out
                   : at::_to_copy(grad_out, TensorOptions(input.scalar_type()));
    group_norm_backward_stub(input.device().type(), {N, C, HxW, group}, g, input, mean, rstd,
                             weight, grad_input, grad_weight, grad_bias);
  }
  if (grad_weight.defined() && weight.defined()) grad_weight = as_type_of(grad_weight, weight);
  if (grad_bias.defined() && weight.defined()) grad_bias = as_type_of(grad_bias, weight);
  return {grad_input, grad_weight, grad_bias};
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, double eps, bool /*cudnn_enabled*/) {
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ",
              input.dim());
  int64_t N = input.sizes()[0], C = input.sizes()[1], HxW = 1;
  for (int64_t d = 2; d < input.dim(); ++d) HxW *= input.sizes()[d];
  check_group_norm(input, value_or_undefined(weight), value_or_undefined(bias), N, C, HxW,
                   num_groups);
  // The backward pass needs the same dense copy, which is made only once here.
  const Tensor x = at::contiguous(input, input.suggest_memory_format());
  return std::get<0>(at::native_group_norm(x, weight, bias, N, C, HxW, num_groups, eps));
}

}  // namespace at::native
