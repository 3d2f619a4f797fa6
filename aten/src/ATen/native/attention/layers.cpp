// Attention with several heads and a layer of an encoder, each as one operator.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_native_multi_head_attention.h>
#include <ATen/ops/_native_multi_head_attention_native.h>
#include <ATen/ops/_transform_bias_rescale_qkv_native.h>
#include <ATen/ops/_transformer_encoder_layer_fwd_native.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/transpose.h>

#include <cmath>
#include <limits>

namespace at::native {
namespace {

// [batch, time, features] as [batch, head, time, features of the head].
Tensor split_heads(const Tensor& t, int64_t num_heads) {
  const Tensor parts = at::reshape(t, {t.size(0), t.size(1), num_heads, t.size(2) / num_heads});
  return at::contiguous(at::transpose(parts, 1, 2));
}

// The mask of all heads: it is given for pairs of places (0), for the places of each sequence (1),
// or whole (2).
Tensor mask_of_heads(const Tensor& mask, std::optional<int64_t> mask_type, const Tensor& scores) {
  const char* op = "_native_multi_head_attention";
  TORCH_CHECK(mask_type && *mask_type >= 0 && *mask_type <= 2, op,
              ": a mask needs a mask_type, which must be 0, 1 or 2");
  TORCH_CHECK(mask.scalar_type() == kBool, op, ": the mask must be bool, but it is ",
              dtypeName(mask.scalar_type()));
  const int64_t dims = *mask_type == 2 ? 4 : 2;
  TORCH_CHECK(mask.dim() == dims, op, ": a mask of type ", *mask_type, " must have ", dims,
              " dimensions, but its shape is ", mask.sizes());
  return *mask_type == 1 ? at::reshape(mask, {scores.size(0), 1, 1, scores.size(3)}) : mask;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> _transform_bias_rescale_qkv(const Tensor& qkv,
                                                               const Tensor& qkv_bias,
                                                               int64_t num_heads) {
  const char* op = "_transform_bias_rescale_qkv";
  TORCH_CHECK(
      qkv.dim() == 3 && num_heads > 0 && qkv.size(2) % 3 == 0 && qkv.size(2) / 3 % num_heads == 0,
      op, ": qkv must have 3 dimensions, the last divisible by 3 * num_heads, but its shape is ",
      qkv.sizes(), " and num_heads is ", num_heads);
  TORCH_CHECK(qkv_bias.dim() == 1 && qkv_bias.size(0) == qkv.size(2), op, ": qkv_bias must have ",
              qkv.size(2), " elements, but its shape is ", qkv_bias.sizes());
  TORCH_CHECK_NOT_IMPLEMENTED(qkv.is_floating_point(), "\"", op, "\" not implemented for '",
                              toString(qkv.scalar_type()), "'");
  const std::vector<Tensor> parts = at::chunk(qkv + qkv_bias, 3, 2);
  const double scale = 1 / std::sqrt(static_cast<double>(qkv.size(2) / 3 / num_heads));
  return {split_heads(parts[0], num_heads) * Scalar(scale), split_heads(parts[1], num_heads),
          split_heads(parts[2], num_heads)};
}

std::tuple<Tensor, Tensor> _native_multi_head_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, int64_t embed_dim,
    int64_t num_head, const Tensor& qkv_weight, const Tensor& qkv_bias, const Tensor& proj_weight,
    const Tensor& proj_bias, const std::optional<Tensor>& mask, bool need_weights,
    bool average_attn_weights, std::optional<int64_t> mask_type) {
  const char* op = "_native_multi_head_attention";
  TORCH_CHECK(num_head > 0 && embed_dim % num_head == 0, op,
              ": embed_dim must be divisible by num_head, but they are ", embed_dim, " and ",
              num_head);
  for (const Tensor* t : {&query, &key, &value}) {
    TORCH_CHECK(t->dim() == 3 && t->size(2) == embed_dim, op,
                ": query, key and value must have the shape (batch, time, ", embed_dim,
                "), but one has ", t->sizes());
  }
  TORCH_CHECK(key.sizes() == value.sizes() && query.size(0) == key.size(0), op,
              ": key and value must have one shape and the batch of query, but the shapes are ",
              query.sizes(), ", ", key.sizes(), " and ", value.sizes());
  TORCH_CHECK(qkv_weight.dim() == 2 && qkv_weight.size(0) == 3 * embed_dim &&
                  qkv_bias.numel() == 3 * embed_dim,
              op, ": qkv_weight must have ", 3 * embed_dim,
              " rows and qkv_bias as many elements, but the shapes are ", qkv_weight.sizes(),
              " and ", qkv_bias.sizes());
  const std::vector<Tensor> weights = at::chunk(qkv_weight, 3, 0),
                            biases = at::chunk(qkv_bias, 3, 0);
  const double scale = 1 / std::sqrt(static_cast<double>(embed_dim / num_head));
  const Tensor q = split_heads(at::linear(query, weights[0], biases[0]), num_head) * Scalar(scale);
  const Tensor k = split_heads(at::linear(key, weights[1], biases[1]), num_head);
  const Tensor v = split_heads(at::linear(value, weights[2], biases[2]), num_head);
  Tensor scores = at::matmul(q, at::transpose(k, -2, -1));
  if (mask && mask->defined()) {
    scores = _ops::masked_fill_Scalar::call(scores, mask_of_heads(*mask, mask_type, scores),
                                            Scalar(-std::numeric_limits<double>::infinity()));
  }
  const Tensor attention = at::softmax(scores, -1);
  const Tensor joined = at::reshape(at::transpose(at::matmul(attention, v), 1, 2),
                                    {query.size(0), query.size(1), embed_dim});
  const Tensor result = at::linear(joined, proj_weight, proj_bias);
  if (!need_weights) return {result, Tensor()};
  return {result, average_attn_weights ? at::mean(attention, {1}) : attention};
}

Tensor _transformer_encoder_layer_fwd(
    const Tensor& src, int64_t embed_dim, int64_t num_heads, const Tensor& qkv_weight,
    const Tensor& qkv_bias, const Tensor& proj_weight, const Tensor& proj_bias, bool use_gelu,
    bool norm_first, double eps, const Tensor& norm_weight_1, const Tensor& norm_bias_1,
    const Tensor& norm_weight_2, const Tensor& norm_bias_2, const Tensor& ffn_weight_1,
    const Tensor& ffn_bias_1, const Tensor& ffn_weight_2, const Tensor& ffn_bias_2,
    const std::optional<Tensor>& mask, std::optional<int64_t> mask_type) {
  const auto norm = [&](const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return at::layer_norm(x, {embed_dim}, weight, bias, eps);
  };
  const auto attend = [&](const Tensor& x) {
    return std::get<0>(at::_native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight,
                                                        qkv_bias, proj_weight, proj_bias, mask,
                                                        false, true, mask_type));
  };
  const auto feed_forward = [&](const Tensor& x) {
    const Tensor inner = at::linear(x, ffn_weight_1, ffn_bias_1);
    return at::linear(use_gelu ? at::gelu(inner) : at::relu(inner), ffn_weight_2, ffn_bias_2);
  };
  if (norm_first) {
    const Tensor x = src + attend(norm(src, norm_weight_1, norm_bias_1));
    return x + feed_forward(norm(x, norm_weight_2, norm_bias_2));
  }
  const Tensor x = norm(src + attend(src), norm_weight_1, norm_bias_1);
  return norm(x + feed_forward(x), norm_weight_2, norm_bias_2);
}

}  // namespace at::native
