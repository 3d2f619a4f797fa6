// The double derivative of a convolution.

#include <ATen/native/convolution/backward.h>

#include <ATen/ops/add.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/view.h>

namespace torch::autograd::generated {

// A convolution is linear in its input and in its weight, so its double derivative consists of
// convolutions: convolution_backward gives I'(g, W), W'(g, I) and the sum of g.
std::tuple<Tensor, Tensor, Tensor> convolution_double_backward(
    const variable_list& grads, const Tensor& grad_output, const Tensor& input,
    const Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
    bool transposed, at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  const Tensor &gg_input = grads[0], &gg_weight = grads[1], &gg_bias = grads[2];
  auto convolve = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return at::convolution(x, w, b.defined() ? std::optional<Tensor>(b) : std::nullopt, stride,
                           padding, dilation, transposed, output_padding, groups);
  };
  auto backward = [&](const Tensor& x, const Tensor& w, std::array<bool, 3> requested) {
    return at::convolution_backward(grad_output, x, w, std::nullopt, stride, padding, dilation,
                                    transposed, output_padding, groups, requested);
  };
  Tensor grad_grad_output, grad_input, grad_weight;
  if (mask[0]) {
    if (gg_input.defined()) grad_grad_output = convolve(gg_input, weight, gg_bias);
    if (gg_weight.defined()) {
      Tensor more = convolve(input, gg_weight, gg_input.defined() ? Tensor() : gg_bias);
      grad_grad_output = grad_grad_output.defined() ? at::add(grad_grad_output, more) : more;
    }
    if (!grad_grad_output.defined() && gg_bias.defined()) {
      at::DimVector shape(grad_output.dim(), 1);
      shape[1] = gg_bias.numel();
      grad_grad_output = at::expand(at::view(gg_bias, shape), grad_output.sizes());
    }
  }
  if (mask[1] && gg_weight.defined())
    grad_input = std::get<0>(backward(input, gg_weight, {true, false, false}));
  if (mask[2] && gg_input.defined())
    grad_weight = std::get<1>(backward(gg_input, weight, {false, true, false}));
  return {grad_grad_output, grad_input, grad_weight};
}

}  // namespace torch::autograd::generated
