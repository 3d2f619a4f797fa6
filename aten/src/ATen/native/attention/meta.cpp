// Shapes of the flash attention kernels' results.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward_native.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace at::native {
namespace {

// Heads whose rows are dense keep their strides.
Tensor like_heads(const Tensor& t) {
  Tensor out = at::empty_like(t);
  return out.strides()[3] == 1 ? out : at::empty(t.sizes(), t.options());
}

}  // namespace

std::tuple<Tensor, Tensor> flash_attention_meta(const Tensor& query, const Tensor& key,
                                                const Tensor& value, double /*dropout_p*/,
                                                bool /*is_causal*/,
                                                const std::optional<Tensor>& /*attn_mask*/,
                                                std::optional<double> /*scale*/) {
  TORCH_CHECK(query.dim() == 4 && key.dim() == 4 && value.dim() == 4,
              "scaled_dot_product_attention: expected query, key and value of 4 dimensions, got ",
              query.dim(), ", ", key.dim(), " and ", value.dim());
  check_all_meta("scaled_dot_product_attention", {&query, &key, &value});
  const ScalarType type = query.scalar_type() == kDouble ? kDouble : kFloat;
  return {like_heads(query), at::empty(query.sizes().slice(0, 3), query.options().dtype(type))};
}

std::tuple<Tensor, Tensor, Tensor> flash_attention_backward_meta(
    const Tensor& /*grad_out*/, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& /*out*/, const Tensor& /*logsumexp*/, double /*dropout_p*/, bool /*is_causal*/,
    const std::optional<Tensor>& /*attn_mask*/, std::optional<double> /*scale*/) {
  check_all_meta("scaled_dot_product_attention_backward", {&query, &key, &value});
  return {like_heads(query), like_heads(key), like_heads(value)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_meta(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& attn_bias, bool compute_log_sumexp, double dropout_p,
    bool is_causal, std::optional<double> scale) {
  auto [out, logsumexp] =
      flash_attention_meta(query, key, value, dropout_p, is_causal, attn_bias, scale);
  if (!compute_log_sumexp)
    logsumexp = at::empty({query.size(0), query.size(1), 0}, logsumexp.options());
  const DimVector place = dropout_p > 0 ? DimVector{} : DimVector{0};
  const auto options = query.options().dtype(kLong);
  return {out, logsumexp, at::empty(place, options), at::empty(place, options)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_backward_meta(
    const Tensor& /*grad_out*/, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& /*attn_bias*/, const Tensor& /*out*/, const Tensor& /*logsumexp*/,
    const Tensor& /*philox_seed*/, const Tensor& /*philox_offset*/, double /*dropout_p*/,
    std::array<bool, 4> /*grad_input_mask*/, bool /*is_causal*/, std::optional<double> /*scale*/) {
  check_all_meta("scaled_dot_product_attention_backward", {&query, &key, &value});
  return {like_heads(query), like_heads(key), like_heads(value), Tensor()};
}

}  // namespace at::native
