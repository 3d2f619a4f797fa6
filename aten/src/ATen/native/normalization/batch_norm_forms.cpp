// batch_norm in the forms that compilers of graphs use.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/ops/_batch_norm_impl_index_backward_native.h>
#include <ATen/ops/_batch_norm_impl_index_native.h>
#include <ATen/ops/_batch_norm_no_update_native.h>
#include <ATen/ops/_batch_norm_with_update_functional_native.h>
#include <ATen/ops/_batch_norm_with_update_native.h>
#include <ATen/ops/_native_batch_norm_legit_functional_native.h>
#include <ATen/ops/_native_batch_norm_legit_native.h>
#include <ATen/ops/_native_batch_norm_legit_no_training_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/batch_norm_backward_native.h>
#include <ATen/ops/batch_norm_update_stats_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>

#include <utility>

namespace at::native {

using OptionalTensor = std::optional<Tensor>;

std::tuple<Tensor, Tensor, Tensor> _native_batch_norm_legit(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps) {
  return at::native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum,
                               eps);
}

std::tuple<Tensor, Tensor, Tensor> _native_batch_norm_legit(const Tensor& input,
                                                            const OptionalTensor& weight,
                                                            const OptionalTensor& bias,
                                                            bool training, double momentum,
                                                            double eps) {
  return at::native_batch_norm(input, weight, bias, std::nullopt, std::nullopt, training, momentum,
                               eps);
}

std::tuple<Tensor, Tensor, Tensor> _native_batch_norm_legit_no_training(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    const Tensor& running_mean, const Tensor& running_var, double momentum, double eps) {
  return at::native_batch_norm(input, weight, bias, running_mean, running_var, false, momentum,
                               eps);
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> _native_batch_norm_legit_functional(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    const Tensor& running_mean, const Tensor& running_var, bool training, double momentum,
    double eps) {
  Tensor mean = at::clone(running_mean), var = at::clone(running_var);
  auto [out, save_mean, save_invstd] =
      at::native_batch_norm(input, weight, bias, mean, var, training, momentum, eps);
  return {out, save_mean, save_invstd, mean, var};
}

// The fourth result is the reserve of other backends; the CPU needs none.
static Tensor no_reserve(const Tensor& input) {
  return at::empty({0}, input.options().dtype(kByte));
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _batch_norm_with_update(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    Tensor& running_mean, Tensor& running_var, double momentum, double eps) {
  auto [out, save_mean, save_invstd] =
      at::native_batch_norm(input, weight, bias, running_mean, running_var, true, momentum, eps);
  return {out, save_mean, save_invstd, no_reserve(input)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _batch_norm_no_update(const Tensor& input,
                                                                 const OptionalTensor& weight,
                                                                 const OptionalTensor& bias,
                                                                 const OptionalTensor& running_mean,
                                                                 const OptionalTensor& running_var,
                                                                 double momentum, double eps) {
  auto [out, save_mean, save_invstd] =
      at::native_batch_norm(input, weight, bias, running_mean, running_var, false, momentum, eps);
  return {out, save_mean, save_invstd, no_reserve(input)};
}

std::tuple<Tensor&, Tensor&, Tensor&> _native_batch_norm_legit_out(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps,
    Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  const auto [result, mean, invstd] = at::native_batch_norm(input, weight, bias, running_mean,
                                                            running_var, training, momentum, eps);
  copy_to_exact_outputs("_native_batch_norm_legit", {out, save_mean, save_invstd},
                        {result, mean, invstd});
  return {out, save_mean, save_invstd};
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> _batch_norm_with_update_out(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    Tensor& running_mean, Tensor& running_var, double momentum, double eps, Tensor& out,
    Tensor& save_mean, Tensor& save_invstd, Tensor& reserve) {
  const auto [result, mean, invstd, unused] =
      _batch_norm_with_update(input, weight, bias, running_mean, running_var, momentum, eps);
  copy_to_exact_outputs("_batch_norm_with_update", {out, save_mean, save_invstd, reserve},
                        {result, mean, invstd, unused});
  return {out, save_mean, save_invstd, reserve};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> _batch_norm_with_update_functional(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    const Tensor& running_mean, const Tensor& running_var, double momentum, double eps) {
  Tensor mean = at::clone(running_mean), var = at::clone(running_var);
  auto [out, save_mean, save_invstd, reserve] =
      _batch_norm_with_update(input, weight, bias, mean, var, momentum, eps);
  return {out, save_mean, save_invstd, reserve, mean, var};
}

// The last result says which kernel ran; 0 is the one that is here.
std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t> _batch_norm_impl_index(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    const OptionalTensor& running_mean, const OptionalTensor& running_var, bool training,
    double momentum, double eps, bool) {
  auto [out, save_mean, save_invstd] = at::native_batch_norm(input, weight, bias, running_mean,
                                                             running_var, training, momentum, eps);
  return {out, save_mean, save_invstd, no_reserve(input), 0};
}

std::tuple<Tensor, Tensor, Tensor> _batch_norm_impl_index_backward(
    int64_t impl_index, const Tensor& input, const Tensor& grad_output,
    const OptionalTensor& weight, const OptionalTensor& running_mean,
    const OptionalTensor& running_var, const OptionalTensor& save_mean,
    const OptionalTensor& save_var_transform, bool train, double eps,
    std::array<bool, 3> output_mask, const Tensor&) {
  TORCH_CHECK(impl_index == 0, "_batch_norm_impl_index_backward: impl_index must be 0, but it is ",
              impl_index);
  return at::native_batch_norm_backward(grad_output, input, weight, running_mean, running_var,
                                        save_mean, save_var_transform, train, eps, output_mask);
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Tensor& weight,
    const OptionalTensor& running_mean, const OptionalTensor& running_var,
    const OptionalTensor& save_mean, const OptionalTensor& save_var, bool update, double eps,
    std::array<bool, 3> output_mask, const Tensor&) {
  return at::native_batch_norm_backward(grad_out, input, weight, running_mean, running_var,
                                        save_mean, save_var, update, eps, output_mask);
}

// Mean and variance of each channel. Running statistics move towards them; the variance there is
// that of a sample.
std::tuple<Tensor, Tensor> batch_norm_update_stats(const Tensor& input,
                                                   const OptionalTensor& running_mean,
                                                   const OptionalTensor& running_var,
                                                   double momentum) {
  TORCH_CHECK(
      input.dim() >= 2,
      "batch_norm_update_stats: the input must have at least 2 dimensions, but its shape is ",
      input.sizes());
  TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point(),
                              "\"batch_norm_update_stats\" not implemented for '",
                              toString(input.scalar_type()), "'");
  const int64_t channels = input.size(1), n = channels ? input.numel() / channels : 0;
  TORCH_CHECK(n > 0, "batch_norm_update_stats: the input must have elements, but its shape is ",
              input.sizes());
  const auto [mean, var] = channel_statistics(input);
  for (const auto& [running, batch] :
       {std::pair(&running_mean, mean),
        std::pair(&running_var,
                  at::mul(var, static_cast<double>(n) / static_cast<double>(n > 1 ? n - 1 : 1)))}) {
    if (!*running || !(*running)->defined()) continue;
    TORCH_CHECK((*running)->numel() == channels,
                "batch_norm_update_stats: running statistics must have ", channels,
                " elements, but their shape is ", (*running)->sizes());
    Tensor t = **running;
    _ops::mul__Scalar::call(t, 1 - momentum);
    _ops::add__Tensor::call(t, at::_to_copy(batch, TensorOptions(t.scalar_type())), momentum);
  }
  return {mean, var};
}

}  // namespace at::native
