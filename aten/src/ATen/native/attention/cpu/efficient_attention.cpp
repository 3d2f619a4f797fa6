// The operators that CUDA devices have for attention, on the CPU: its own kernel under their names.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward_native.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_native.h>

namespace at::native {

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_cpu(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& attn_bias, bool compute_log_sumexp, double dropout_p,
    bool is_causal, std::optional<double> scale) {
  auto [out, logsumexp] =
      flash_attention(query, key, value, dropout_p, is_causal, attn_bias, scale);
  if (!compute_log_sumexp)
    logsumexp = empty_tensor({query.size(0), query.size(1), 0}, logsumexp.scalar_type());
  return {out, logsumexp, empty_tensor({0}, kLong), empty_tensor({0}, kLong)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_backward_cpu(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& attn_bias, const Tensor& out, const Tensor& logsumexp,
    const Tensor& /*philox_seed*/, const Tensor& /*philox_offset*/, double dropout_p,
    std::array<bool, 4> grad_input_mask, bool is_causal, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(!grad_input_mask[3],
                              "_scaled_dot_product_efficient_attention_backward: the gradient of "
                              "attn_bias is not implemented");
  std::optional<Tensor> bias;
  if (attn_bias.defined()) bias = attn_bias;
  auto [query_grad, key_grad, value_grad] = flash_attention_backward(
      grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, bias, scale);
  return {query_grad, key_grad, value_grad, Tensor()};
}

}  // namespace at::native
