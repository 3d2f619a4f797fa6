// The names of PyTorch's flash kernels for GPUs. They run the kernel of
// _scaled_dot_product_efficient_attention; seed and offset of the dropout are one tensor here.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view.h>

namespace at::native {

std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t, int64_t, Tensor, Tensor, Tensor>
flash_attention_gpu(const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p,
                    bool is_causal, bool return_debug_mask, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(!return_debug_mask,
                              "_scaled_dot_product_flash_attention: the kernel keeps no mask that "
                              "return_debug_mask=True could return");
  const auto [out, logsumexp, seed, offset] = at::_scaled_dot_product_efficient_attention(
      query, key, value, std::nullopt, /*compute_log_sumexp=*/true, dropout_p, is_causal, scale);
  const Tensor state = dropout_p > 0 ? at::view(at::stack({seed, offset}), kUInt64)
                                     : empty_tensor({2}, kUInt64, query.device());
  return {out,
          logsumexp,
          Tensor(),
          Tensor(),
          query.size(2),
          key.size(2),
          state,
          empty_tensor({}, kUInt64, query.device()),
          empty_tensor({0}, query.scalar_type(), query.device())};
}

std::tuple<Tensor, Tensor, Tensor> flash_attention_gpu_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, const Tensor& cum_seq_q, const Tensor& cum_seq_k,
    int64_t /*max_q*/, int64_t /*max_k*/, double dropout_p, bool is_causal,
    const Tensor& philox_seed, const Tensor& /*philox_offset*/, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(!cum_seq_q.defined() && !cum_seq_k.defined(),
                              "_scaled_dot_product_flash_attention_backward: sequences of several "
                              "lengths (cum_seq_q, cum_seq_k) are not implemented");
  Tensor seed = philox_seed, offset = philox_seed;
  if (dropout_p > 0) {
    TORCH_CHECK(philox_seed.scalar_type() == kUInt64 && philox_seed.numel() == 2,
                "_scaled_dot_product_flash_attention_backward: expected the rng_state that forward "
                "returned, got shape ",
                philox_seed.sizes());
    const Tensor numbers = at::view(philox_seed, kLong);
    seed = at::select(numbers, 0, 0), offset = at::select(numbers, 0, 1);
  }
  const auto [q, k, v, mask] = at::_scaled_dot_product_efficient_attention_backward(
      grad_out, query, key, value, Tensor(), out, logsumexp, seed, offset, dropout_p,
      {true, true, true, false}, is_causal, scale);
  return {q, k, v};
}

}  // namespace at::native
