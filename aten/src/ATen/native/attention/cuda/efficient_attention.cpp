// Operands of the attention kernels of CUDA devices.

#include <cmath>
#include <mutex>

#include <ATen/native/attention/attention.h>
#include <ATen/native/attention/cuda/fused.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward_native.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

using attention::FusedArgs;
using attention::Heads;

constexpr const char* kName = "_scaled_dot_product_efficient_attention";

ScalarType compute_type(const Tensor& t) { return t.scalar_type() == kDouble ? kDouble : kFloat; }

// With a dense last dimension.
Tensor ready(const Tensor& t) { return t.strides()[3] == 1 ? t : at::contiguous(t); }
Tensor empty_ready_like(const Tensor& t) {
  Tensor out = at::empty_like(t);
  return out.strides()[3] == 1 ? out : empty_tensor(t.sizes(), t.scalar_type(), t.device());
}

Heads heads_of(const Tensor& t) {
  return {t.data_ptr(), t.strides()[0], t.strides()[1], t.strides()[2]};
}

// Whether rows can be read in pieces of 16 bytes.
bool is_aligned(const Tensor& t) {
  const auto size = static_cast<int64_t>(elementSize(t.scalar_type()));
  bool aligned = reinterpret_cast<uintptr_t>(t.data_ptr()) % 16 == 0 && t.size(3) * size % 16 == 0;
  for (int d = 0; d < 3; ++d)
    aligned = aligned && (t.size(d) == 1 || t.strides()[d] * size % 16 == 0);
  return aligned;
}

FusedArgs arguments(const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p,
                    bool is_causal, std::optional<double> scale) {
  check_heads(kName, query, key, value);
  const IntArrayRef q = query.sizes(), k = key.sizes();
  const int64_t limit = query.scalar_type() == kDouble ? 128 : 256;
  TORCH_CHECK(q[3] <= limit, kName, ": heads of ", toString(query.scalar_type()), " are up to ",
              limit, " wide, got ", q[3]);
  TORCH_CHECK(dropout_p >= 0 && dropout_p <= 1, kName,
              ": dropout probability has to be between 0 and 1, but got ", dropout_p);
  FusedArgs a{};
  a.dtype = query.scalar_type();
  a.batch = q[0], a.heads = q[1], a.queries = q[2], a.keys = k[2];
  a.width = static_cast<int>(q[3]);
  a.is_causal = is_causal;
  a.scale = scale ? *scale : 1 / std::sqrt(static_cast<double>(q[3]));
  a.dropout = dropout_p;
  a.query = heads_of(query), a.key = heads_of(key), a.value = heads_of(value);
  a.is_aligned = is_aligned(query) && is_aligned(key) && is_aligned(value);
  return a;
}

// The mask in the type of the computation, expanded to the shape of the scores; undefined without
// one.
Tensor add_mask(FusedArgs& a, const Tensor& mask, ScalarType type) {
  if (!mask.defined()) return {};
  TORCH_CHECK(mask.is_floating_point(), kName, ": expected a floating-point attn_bias, got ",
              toString(mask.scalar_type()));
  TORCH_CHECK(mask.dim() == 2 || mask.dim() == 4, kName,
              ": attn_bias must have 2 or 4 dimensions, got ", mask.dim());
  const Tensor converted = mask.scalar_type() == type ? mask : at::_to_copy(mask, type);
  Tensor all = at::expand(converted, {a.batch, a.heads, a.queries, a.keys});
  a.mask = heads_of(all);
  a.mask_column = all.strides()[3];
  return all;
}

int64_t* place_of(const Tensor& t) { return static_cast<int64_t*>(t.data_ptr()); }

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_cuda(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& attn_bias, bool compute_log_sumexp, double dropout_p,
    bool is_causal, std::optional<double> scale) {
  const c10::OptionalDeviceGuard guard(query.device());
  const c10::Device device = query.device();
  const Tensor q = query.dim() == 4 ? ready(query) : query, k = key.dim() == 4 ? ready(key) : key,
               v = value.dim() == 4 ? ready(value) : value;
  FusedArgs a = arguments(q, k, v, dropout_p, is_causal, scale);
  const ScalarType type = compute_type(q);
  const Tensor mask = add_mask(a, attn_bias.value_or(Tensor()), type);
  const Tensor out = empty_ready_like(q);
  Tensor logsumexp = empty_tensor({a.batch, a.heads, a.queries}, type, device);
  a.out = heads_of(out);
  a.logsumexp = logsumexp.data_ptr();
  const DimVector place = dropout_p > 0 ? DimVector{} : DimVector{0};
  const Tensor seed = empty_tensor(place, kLong, device),
               offset = empty_tensor(place, kLong, device);
  if (out.numel() > 0) {
    if (dropout_p > 0) {
      a.draws = true;
      a.seed = place_of(seed), a.offset = place_of(offset);
      auto* generator = cuda::cuda_generator_or_default(std::nullopt, device);
      std::lock_guard<std::mutex> lock(generator->mutex_);
      a.random = generator->reserve(static_cast<uint64_t>(a.keys + 3) / 4 * 4);
      attention::fused_attention(a);
    } else {
      attention::fused_attention(a);
    }
  }
  if (!compute_log_sumexp) logsumexp = empty_tensor({a.batch, a.heads, 0}, type, device);
  return {out, logsumexp, seed, offset};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_backward_cuda(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& attn_bias, const Tensor& out, const Tensor& logsumexp, const Tensor& philox_seed,
    const Tensor& philox_offset, double dropout_p, std::array<bool, 4> grad_input_mask,
    bool is_causal, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !grad_input_mask[3], kName,
      "_backward: the gradient of attn_bias is not implemented; the math version has it");
  const c10::OptionalDeviceGuard guard(query.device());
  const Tensor q = query.dim() == 4 ? ready(query) : query, k = key.dim() == 4 ? ready(key) : key,
               v = value.dim() == 4 ? ready(value) : value;
  FusedArgs a = arguments(q, k, v, dropout_p, is_causal, scale);
  const ScalarType type = compute_type(q);
  TORCH_CHECK(grad_out.sizes() == query.sizes() && out.sizes() == query.sizes() &&
                  grad_out.scalar_type() == a.dtype && out.scalar_type() == a.dtype,
              kName, "_backward: expected grad_out and out of shape ", query.sizes(),
              " and the dtype of query, got ", grad_out.sizes(), " and ", out.sizes());
  TORCH_CHECK(logsumexp.numel() == a.batch * a.heads * a.queries && logsumexp.scalar_type() == type,
              kName, "_backward: logsumexp has shape ", logsumexp.sizes(), " and dtype ",
              toString(logsumexp.scalar_type()));
  const Tensor mask = add_mask(a, attn_bias, type), o = ready(out), g = ready(grad_out),
               lse = at::contiguous(logsumexp);
  a.is_aligned = a.is_aligned && is_aligned(g);
  const Tensor delta = empty_tensor({a.batch, a.heads, a.queries}, type, q.device());
  Tensor grads[3];
  if (grad_input_mask[0]) {
    grads[0] = empty_ready_like(q);
    a.grad_query = heads_of(grads[0]);
  }
  if (grad_input_mask[1] || grad_input_mask[2]) {
    grads[1] = empty_ready_like(k), grads[2] = empty_ready_like(v);
    a.grad_key = heads_of(grads[1]), a.grad_value = heads_of(grads[2]);
  }
  if (dropout_p > 0) {
    TORCH_CHECK(philox_seed.scalar_type() == kLong && philox_offset.scalar_type() == kLong &&
                    philox_seed.numel() == 1 && philox_offset.numel() == 1 &&
                    philox_seed.device() == q.device() && philox_offset.device() == q.device(),
                kName, "_backward: expected the seed and the offset that forward returned");
    a.seed = place_of(philox_seed), a.offset = place_of(philox_offset);
  }
  a.out = heads_of(o), a.grad_out = heads_of(g);
  a.logsumexp = lse.data_ptr(), a.delta = delta.data_ptr();
  if (a.batch * a.heads > 0 && a.width > 0) attention::fused_attention_backward(a);
  return {grads[0], grads[1], grads[2], Tensor()};
}

}  // namespace at::native
