// Convolution over (time, batch, channels).

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_tbc_backward_native.h>
#include <ATen/ops/conv_tbc_native.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
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

// Products of these types are summed in the type itself.
static bool is_wide(ScalarType type) {
  return type == kFloat || type == kDouble || type == kComplexFloat || type == kComplexDouble;
}

// All steps of the kernel at once: [times * batch, steps * channels in] are small where there are
// many channels out, and the only things that are copied.
static std::tuple<Tensor, Tensor, Tensor> gradients_of_steps(const Tensor& grad,
                                                             const Tensor& input,
                                                             const Tensor& weight, int64_t pad) {
  const int64_t steps = weight.sizes()[0], in = weight.sizes()[1], out = weight.sizes()[2];
  const int64_t times = grad.sizes()[0], batch = grad.sizes()[1], rows = times * batch;
  const Tensor g = at::reshape(grad, {rows, out});
  const Tensor padded = pad == 0 ? input : at::constant_pad_nd(input, {0, 0, 0, 0, pad, pad});
  std::vector<Tensor> windows;
  for (int64_t k = 0; k < steps; ++k)
    windows.push_back(at::reshape(at::narrow(padded, 0, k, times), {rows, in}));
  Tensor to_weight = at::view(at::mm(at::t(at::cat(windows, 1)), g), {steps, in, out});
  const Tensor shares =
      at::view(at::mm(g, at::t(at::reshape(weight, {steps * in, out}))), {times, batch, steps, in});
  Tensor to_padded = at::new_zeros(shares, padded.sizes());
  for (int64_t k = 0; k < steps; ++k) {
    Tensor part = at::narrow(to_padded, 0, k, times);
    at::_ops::add__Tensor::call(part, at::select(shares, 2, k), 1);
  }
  Tensor to_input =
      pad == 0 ? to_padded : at::contiguous(at::narrow(to_padded, 0, pad, input.sizes()[0]));
  return {to_input, to_weight, at::sum(g, IntArrayRef(int64_t(0)))};
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
  if (is_wide(type) && weight.scalar_type() == type && bias.scalar_type() == type && pad >= 0 &&
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
  const ScalarType type = self.scalar_type();
  const IntArrayRef g = self.sizes(), x = input.sizes(), w = weight.sizes();
  // `convolution_backward` reports errors, and takes the conjugates of complex numbers.
  if ((type == kFloat || type == kDouble) && input.scalar_type() == type &&
      weight.scalar_type() == type && pad >= 0 && w[0] > 0 && g[0] > 0 &&
      g[0] == x[0] + 2 * pad - w[0] + 1 && g[1] == x[1] && w[1] == x[2] && w[2] == g[2] &&
      bias.dim() == 1 && bias.sizes()[0] == w[2])
    return gradients_of_steps(self, input, weight, pad);
  auto [to_input, to_weight, to_bias] = at::convolution_backward(
      at::permute(self, {1, 2, 0}), at::permute(input, {1, 2, 0}), at::permute(weight, {2, 1, 0}),
      bias.sizes(), {1}, {pad}, {1}, false, {0}, 1, {true, true, true});
  return {at::permute(to_input, {2, 0, 1}), at::permute(to_weight, {2, 1, 0}), to_bias};
}

}  // namespace at::native
