// Shapes of the flash attention kernels' results.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/native/common/StructuredOutputs.h>
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

}  // namespace at::native
