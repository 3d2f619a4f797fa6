// Convolutions under the names of kernels: the sizes of the kernel are an argument, and the batch
// may be missing.

#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/backward.h>
#include <ATen/ops/_convolution_double_backward_native.h>
#include <ATen/ops/_convolution_native.h>
#include <ATen/ops/_slow_conv2d_backward_native.h>
#include <ATen/ops/_slow_conv2d_forward_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/slow_conv3d_forward_native.h>
#include <ATen/ops/slow_conv3d_native.h>
#include <ATen/ops/slow_conv_dilated2d_native.h>
#include <ATen/ops/slow_conv_dilated3d_native.h>
#include <ATen/ops/slow_conv_transpose2d_native.h>
#include <ATen/ops/slow_conv_transpose3d_native.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/thnn_conv2d_native.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

void check_kernel(const char* op, const Tensor& self, const Tensor& weight,
                  IntArrayRef kernel_size) {
  const auto n = static_cast<int64_t>(kernel_size.size());
  TORCH_CHECK(weight.dim() == n + 2 && weight.sizes().slice(2) == kernel_size, op,
              ": the weight must have ", n + 2, " dimensions that end in kernel_size, ",
              kernel_size, ", but its shape is ", weight.sizes());
  TORCH_CHECK(self.dim() == n + 1 || self.dim() == n + 2, op, ": the input must have ", n + 1,
              " or ", n + 2, " dimensions, but its shape is ", self.sizes());
}

Tensor convolved(const char* op, const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                 const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                 IntArrayRef dilation, bool transposed = false, IntArrayRef output_padding = {0}) {
  check_kernel(op, self, weight, kernel_size);
  const bool alone = self.dim() < weight.dim();
  const Tensor result = at::convolution(alone ? at::unsqueeze(self, 0) : self, weight, bias, stride,
                                        padding, dilation, transposed, output_padding, 1);
  return alone ? at::squeeze(result, 0) : result;
}

}  // namespace

Tensor thnn_conv2d(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                   const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding) {
  return convolved("thnn_conv2d", self, weight, kernel_size, bias, stride, padding, {1});
}
Tensor slow_conv3d(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                   const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding) {
  return convolved("slow_conv3d", self, weight, kernel_size, bias, stride, padding, {1});
}
Tensor _slow_conv2d_forward(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                            const std::optional<Tensor>& bias, IntArrayRef stride,
                            IntArrayRef padding) {
  return convolved("_slow_conv2d_forward", self, weight, kernel_size, bias, stride, padding, {1});
}
Tensor slow_conv3d_forward(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                           const std::optional<Tensor>& bias, IntArrayRef stride,
                           IntArrayRef padding) {
  return convolved("slow_conv3d_forward", self, weight, kernel_size, bias, stride, padding, {1});
}
Tensor slow_conv_dilated2d(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                           const std::optional<Tensor>& bias, IntArrayRef stride,
                           IntArrayRef padding, IntArrayRef dilation) {
  return convolved("slow_conv_dilated2d", self, weight, kernel_size, bias, stride, padding,
                   dilation);
}
Tensor slow_conv_transpose2d(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                             const std::optional<Tensor>& bias, IntArrayRef stride,
                             IntArrayRef padding, IntArrayRef output_padding,
                             IntArrayRef dilation) {
  return convolved("slow_conv_transpose2d", self, weight, kernel_size, bias, stride, padding,
                   dilation, true, output_padding);
}
Tensor slow_conv_dilated3d(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                           const std::optional<Tensor>& bias, IntArrayRef stride,
                           IntArrayRef padding, IntArrayRef dilation) {
  return convolved("slow_conv_dilated3d", self, weight, kernel_size, bias, stride, padding,
                   dilation);
}
Tensor slow_conv_transpose3d(const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
                             const std::optional<Tensor>& bias, IntArrayRef stride,
                             IntArrayRef padding, IntArrayRef output_padding,
                             IntArrayRef dilation) {
  return convolved("slow_conv_transpose3d", self, weight, kernel_size, bias, stride, padding,
                   dilation, true, output_padding);
}

std::tuple<Tensor, Tensor, Tensor> _slow_conv2d_backward(const Tensor& grad_output,
                                                         const Tensor& self, const Tensor& weight,
                                                         IntArrayRef kernel_size,
                                                         IntArrayRef stride, IntArrayRef padding,
                                                         std::array<bool, 3> output_mask) {
  check_kernel("_slow_conv2d_backward", self, weight, kernel_size);
  const bool alone = self.dim() < weight.dim();
  const int64_t channels[] = {weight.size(0)};
  auto [to_input, to_weight, to_bias] = at::convolution_backward(
      alone ? at::unsqueeze(grad_output, 0) : grad_output, alone ? at::unsqueeze(self, 0) : self,
      weight, IntArrayRef(channels), stride, padding, {1}, false, {0}, 1, output_mask);
  return {alone && to_input.defined() ? at::squeeze(to_input, 0) : to_input, to_weight, to_bias};
}

std::tuple<Tensor&, Tensor&, Tensor&> _slow_conv2d_backward_out(
    const Tensor& grad_output, const Tensor& self, const Tensor& weight, IntArrayRef kernel_size,
    IntArrayRef stride, IntArrayRef padding, Tensor& grad_input, Tensor& grad_weight,
    Tensor& grad_bias) {
  const auto [to_input, to_weight, to_bias] = _slow_conv2d_backward(
      grad_output, self, weight, kernel_size, stride, padding, {{true, true, true}});
  copy_to_exact_output("_slow_conv2d_backward", grad_input, to_input);
  copy_to_exact_output("_slow_conv2d_backward", grad_weight, to_weight);
  copy_to_exact_output("_slow_conv2d_backward", grad_bias, to_bias);
  return {grad_input, grad_weight, grad_bias};
}

Tensor _convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                    IntArrayRef output_padding, int64_t groups, bool, bool, bool) {
  return at::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                         groups);
}

std::tuple<Tensor, Tensor, Tensor> _convolution_double_backward(
    const std::optional<Tensor>& ggI, const std::optional<Tensor>& ggW,
    const std::optional<Tensor>& ggb, const Tensor& gO, const Tensor& weight, const Tensor& self,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
    IntArrayRef output_padding, int64_t groups, std::array<bool, 3> output_mask) {
  return torch::autograd::generated::convolution_double_backward(
      {ggI.value_or(Tensor()), ggW.value_or(Tensor()), ggb.value_or(Tensor())}, gO, self, weight,
      stride, padding, dilation, transposed, output_padding, groups, output_mask);
}

}  // namespace at::native
