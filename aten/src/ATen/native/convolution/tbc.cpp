// Convolution over (time, batch, channels).

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_tbc_backward_native.h>
#include <ATen/ops/conv_tbc_native.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/view.h>

namespace at::native {

// Times and batches are the rows of a matrix. Each step of the kernel adds its product with the
// rows from there on, so that nothing changes its layout.
static Tensor product_of_steps(const Tensor& self, const Tensor& weight, const Tensor& bias,
                               int64_t pad) {
  const Tensor input =
      at::contiguous(pad == 0 ? self : at::constant_pad_nd(self, {0, 0, 0, 0, pad, pad}));
  const int64_t batch = input.sizes()[1], channels = input.sizes()[2];
  const int64_t times = input.sizes()[0] - weight.sizes()[0] + 1;
  const std::vector<Tensor> steps = at::unbind(weight, 0);
  Tensor sum = bias;
  for (size_t k = 0; k < steps.size(); ++k) {
    const Tensor rows = at::reshape(at::narrow(input, 0, static_cast<int64_t>(k), times),
                                    {times * batch, channels});
    if (k == 0) sum = at::addmm(bias, rows, steps[k]);
    else at::_ops::addmm_::call(sum, rows, steps[k], 1, 1);
  }
  return at::view(sum, {times, batch, weight.sizes()[2]});
}

Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  TORCH_CHECK(self.dim() == 3, "conv_tbc: input must have 3 dims: time, batch, in_channel, got ",
              self.sizes());
  TORCH_CHECK(weight.dim() == 3,
              "conv_tbc: weight must have 3 dims: kernel_width, in_channels, out_channels, got ",
              weight.sizes());
  TORCH_CHECK(bias.dim() == 1 && bias.sizes()[0] == weight.sizes()[2],
              "conv_tbc: bias must be 1-D with one number for each of the ", weight.sizes()[2],
              " out_channels, got ", bias.sizes());
  TORCH_CHECK(self.sizes()[2] == weight.sizes()[1], "conv_tbc: the input has ", self.sizes()[2],
              " channels, the weight ", weight.sizes()[1]);
  // Sums over the steps of the kernel stay in the type, so it must be wide. `conv1d` reports
  // errors.
  const ScalarType type = self.scalar_type();
  const bool is_wide =
      type == kFloat || type == kDouble || type == kComplexFloat || type == kComplexDouble;
  if (is_wide && weight.scalar_type() == type && bias.scalar_type() == type && pad >= 0 &&
      weight.sizes()[0] > 0 && self.sizes()[0] + 2 * pad >= weight.sizes()[0])
    return product_of_steps(self, weight, bias, pad);
  Tensor result =
      at::conv1d(at::permute(self, {1, 2, 0}), at::permute(weight, {2, 1, 0}), bias, {1}, {pad});
  return at::contiguous(at::permute(result, {2, 0, 1}));
}

std::tuple<Tensor, Tensor, Tensor> conv_tbc_backward(const Tensor& self, const Tensor& input,
                                                     const Tensor& weight, const Tensor& bias,
                                                     int64_t pad) {
  TORCH_CHECK(self.dim() == 3 && input.dim() == 3 && weight.dim() == 3,
              "conv_tbc_backward: the gradient, the input and the weight must have 3 dims, got ",
              self.sizes(), ", ", input.sizes(), " and ", weight.sizes());
  auto [to_input, to_weight, to_bias] = at::convolution_backward(
      at::permute(self, {1, 2, 0}), at::permute(input, {1, 2, 0}), at::permute(weight, {2, 1, 0}),
      bias.sizes(), {1}, {pad}, {1}, false, {0}, 1, {true, true, true});
  return {at::permute(to_input, {2, 0, 1}), at::permute(to_weight, {2, 1, 0}), to_bias};
}

}  // namespace at::native
