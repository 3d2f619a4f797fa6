// batch_norm in the forms that compilers of graphs use.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_batch_norm_no_update_native.h>
#include <ATen/ops/_batch_norm_with_update_native.h>
#include <ATen/ops/_native_batch_norm_legit_functional_native.h>
#include <ATen/ops/_native_batch_norm_legit_native.h>
#include <ATen/ops/_native_batch_norm_legit_no_training_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/native_batch_norm.h>

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

}  // namespace at::native
