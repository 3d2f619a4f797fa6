// Derivative formulas of this family.

#include <ATen/native/attention/backward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>

namespace torch::autograd::generated {

std::tuple<Tensor, Tensor, Tensor> efficient_attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& bias, const Tensor& out, const Tensor& logsumexp,
    const Tensor& seed, const Tensor& offset, double dropout_p, std::array<bool, 3> needed,
    bool is_causal, std::optional<double> scale) {
  if (!grad.defined()) return {};
  auto [query_grad, key_grad, value_grad, bias_grad] =
      at::_scaled_dot_product_efficient_attention_backward(
          grad, query, key, value, bias.value_or(Tensor()), out, logsumexp, seed, offset, dropout_p,
          {needed[0], needed[1], needed[2], false}, is_causal, scale);
  return {query_grad, key_grad, value_grad};
}

std::tuple<Tensor, Tensor, Tensor> flash_attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, const Tensor& rng_state, const Tensor& unused,
    double dropout_p, bool is_causal, std::optional<double> scale) {
  if (!grad.defined()) return {};
  return at::_scaled_dot_product_flash_attention_backward(
      grad, query, key, value, out, logsumexp, Tensor(), Tensor(), query.size(2), key.size(2),
      dropout_p, is_causal, rng_state, unused, scale);
}

std::tuple<Tensor, Tensor, Tensor> cudnn_attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& bias, const Tensor& out, const Tensor& logsumexp,
    const Tensor& seed, const Tensor& offset, double dropout_p, bool is_causal,
    std::optional<double> scale) {
  if (!grad.defined()) return {};
  return at::_scaled_dot_product_cudnn_attention_backward(
      grad, query, key, value, out, logsumexp, seed, offset, bias.value_or(Tensor()), Tensor(),
      Tensor(), query.size(2), key.size(2), dropout_p, is_causal, scale);
}

}  // namespace torch::autograd::generated
