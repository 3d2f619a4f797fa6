// Root-mean-square normalization (Zhang and Sennrich 2019): rows divided by the root of the mean of
// their squares.

#include <limits>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/normalization/backward.h>
#include <ATen/native/normalization/normalization.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/native/normalization/rows.h>
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_backward_native.h>
#include <ATen/ops/_fused_rms_norm_native.h>
#include <ATen/ops/add.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rms_norm_native.h>
#include <ATen/ops/rsqrt.h>

namespace at::native {
namespace {

// Complex numbers are squared, too.
std::tuple<Tensor, Tensor> rms_norm_of_complex(const Tensor& x, size_t num_dims,
                                               const Tensor& weight, double eps) {
  DimVector dims;
  for (size_t k = 0; k < num_dims; ++k) dims.push_back(x.dim() - 1 - static_cast<int64_t>(k));
  const Tensor rstd = at::rsqrt(at::add(at::mean(at::pow(x, 2), IntArrayRef(dims), true), eps));
  Tensor out = at::mul(x, rstd);
  if (weight.defined()) out = at::mul(out, weight);
  return {as_type_of(out, x), rstd};
}

}  // namespace

std::tuple<Tensor, Tensor> _fused_rms_norm(const Tensor& input, IntArrayRef normalized_shape,
                                           const std::optional<Tensor>& weight_opt,
                                           std::optional<double> eps_opt) {
  const Tensor weight = value_or_undefined(weight_opt);
  const Rows r = check_layer_norm("rms_norm", input, normalized_shape, weight, Tensor());
  const ScalarType dtype = input.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point() || input.is_complex(),
                              "\"rms_norm\" not implemented for '", toString(dtype), "'");
  const double eps =
      eps_opt.value_or(toRealValueType(dtype) == kDouble ? std::numeric_limits<double>::epsilon()
                                                         : std::numeric_limits<float>::epsilon());
  if (input.is_complex() || (weight.defined() && weight.is_complex()))
    return rms_norm_of_complex(input, normalized_shape.size(), weight, eps);
  Tensor out = empty_tensor(input.sizes(), dtype, input.device()),
         rstd = empty_tensor(r.stats, stats_type(dtype), input.device());
  rms_norm_stub(input.device().type(), at::contiguous(input), r.rows, r.n,
                as_stats_type(weight, dtype), eps, out, rstd);
  return {out, rstd};
}

std::tuple<Tensor, Tensor> _fused_rms_norm_backward(const Tensor& grad_out, const Tensor& input,
                                                    IntArrayRef normalized_shape,
                                                    const Tensor& rstd,
                                                    const std::optional<Tensor>& weight,
                                                    std::array<bool, 2> output_mask) {
  return torch::autograd::generated::rms_norm_backward(
      grad_out, Tensor(), input, normalized_shape, rstd, value_or_undefined(weight), output_mask);
}

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape,
                const std::optional<Tensor>& weight, std::optional<double> eps) {
  return std::get<0>(at::_fused_rms_norm(input, normalized_shape, weight, eps));
}

}  // namespace at::native
