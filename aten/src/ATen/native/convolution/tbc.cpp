// Convolution over (time, batch, channels).

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_tbc_backward_native.h>
#include <ATen/ops/conv_tbc_native.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/permute.h>

namespace at::native {

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
