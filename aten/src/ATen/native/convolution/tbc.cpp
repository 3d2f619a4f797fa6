// Convolution over (time, batch, channels).

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_tbc_native.h>
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

}  // namespace at::native
