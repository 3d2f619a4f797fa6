// Operands of the flash attention kernels.

#include <cmath>

#include <ATen/native/attention/attention.h>
#include <ATen/native/common/MatrixTilesStub.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>

namespace at::native {
namespace {

constexpr const char* kName = "_scaled_dot_product_flash_attention_for_cpu";

// In the compute type, with a dense last dimension.
Tensor ready(const Tensor& t, ScalarType type) {
  Tensor r = t.scalar_type() == type ? t : at::_to_copy(t, type);
  return r.strides()[3] == 1 ? r : at::contiguous(r);
}

HeadsView view_of(const Tensor& t) {
  return {t.data_ptr(), t.strides()[0], t.strides()[1], t.strides()[2]};
}

FlashArgs arguments(const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p,
                    bool is_causal, std::optional<double> scale) {
  check_heads(kName, query, key, value);
  IntArrayRef q = query.sizes(), k = key.sizes();
  TORCH_CHECK(dropout_p == 0, kName, ": Currently do not support dropout > 0, got ", dropout_p);
  FlashArgs a{};
  a.dtype = query.scalar_type() == kDouble ? kDouble : kFloat;
  a.batch = q[0], a.heads = q[1], a.queries = q[2], a.keys = k[2], a.width = q[3];
  a.is_causal = is_causal;
  a.scale = scale ? *scale : 1 / std::sqrt(static_cast<double>(q[3]));
  return a;
}

// The mask in the compute type, expanded to the shape of the scores; undefined without one.
Tensor expanded_mask(const std::optional<Tensor>& mask, const FlashArgs& a) {
  if (!mask || !mask->defined()) return {};
  TORCH_CHECK(mask->is_floating_point(), kName, ": expected a floating-point attn_mask, got ",
              toString(mask->scalar_type()));
  TORCH_CHECK(mask->dim() == 2 || mask->dim() == 4, kName, ": Attention mask dim in {2, 4}, got ",
              mask->dim());
  Tensor m = mask->scalar_type() == a.dtype ? *mask : at::_to_copy(*mask, a.dtype);
  return at::expand(m, {a.batch, a.heads, a.queries, a.keys});
}

// Whether matrix tiles are used, which read and write the operands in bfloat16, in pairs.
bool is_in_tiles(const Tensor& query, const FlashArgs& a) {
  return query.scalar_type() == kBFloat16 && a.width % 2 == 0 && has_matrix_tiles_stub.cpu()();
}

void add_mask(FlashArgs& a, const Tensor& mask) {
  if (!mask.defined()) return;
  a.mask = view_of(mask);
  a.mask_column = mask.strides()[3];
}

}  // namespace

std::tuple<Tensor, Tensor> flash_attention(const Tensor& query, const Tensor& key,
                                           const Tensor& value, double dropout_p, bool is_causal,
                                           const std::optional<Tensor>& attn_mask,
                                           std::optional<double> scale) {
  FlashArgs a = arguments(query, key, value, dropout_p, is_causal, scale);
  const Tensor mask = expanded_mask(attn_mask, a),
               logsumexp = empty_tensor({a.batch, a.heads, a.queries}, a.dtype);
  add_mask(a, mask);
  a.logsumexp = logsumexp.data_ptr();
  const bool in_tiles = is_in_tiles(query, a);
  const ScalarType type = in_tiles ? kBFloat16 : a.dtype;
  const Tensor q = ready(query, type), k = ready(key, type), v = ready(value, type);
  Tensor out = at::empty_like(q);
  if (out.strides()[3] != 1) out = empty_tensor(out.sizes(), type);
  a.query = view_of(q), a.key = view_of(k), a.value = view_of(v), a.out = view_of(out);
  if (out.numel() > 0) {
    if (in_tiles) tile_attention_stub(kCPU, a);
    else flash_attention_stub(kCPU, a);
  }
  if (query.scalar_type() != type) out = at::_to_copy(out, query.scalar_type());
  return {out, logsumexp};
}

std::tuple<Tensor, Tensor, Tensor> flash_attention_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, double dropout_p, bool is_causal,
    const std::optional<Tensor>& attn_mask, std::optional<double> scale) {
  FlashArgs a = arguments(query, key, value, dropout_p, is_causal, scale);
  TORCH_CHECK(grad_out.sizes() == query.sizes() && out.sizes() == query.sizes(), kName,
              "_backward: expected grad_out and out of shape ", query.sizes(), ", got ",
              grad_out.sizes(), " and ", out.sizes());
  TORCH_CHECK(
      logsumexp.numel() == a.batch * a.heads * a.queries && logsumexp.scalar_type() == a.dtype,
      kName, "_backward: logsumexp has shape ", logsumexp.sizes(), " and dtype ",
      toString(logsumexp.scalar_type()));
  const bool in_tiles = is_in_tiles(query, a);
  const ScalarType type = in_tiles ? kBFloat16 : a.dtype;
  Tensor q = ready(query, type), k = ready(key, type), v = ready(value, type), o = ready(out, type),
         g = ready(grad_out, type);
  Tensor mask = expanded_mask(attn_mask, a), lse = at::contiguous(logsumexp);
  Tensor grads[3] = {at::empty_like(q), at::empty_like(k), at::empty_like(v)};
  for (Tensor& t : grads) {
    if (t.strides()[3] != 1) t = empty_tensor(t.sizes(), type);
  }
  a.query = view_of(q), a.key = view_of(k), a.value = view_of(v), a.out = view_of(o),
  a.grad_out = view_of(g);
  a.grad_query = view_of(grads[0]), a.grad_key = view_of(grads[1]),
  a.grad_value = view_of(grads[2]);
  add_mask(a, mask);
  a.logsumexp = lse.data_ptr();
  if (a.batch * a.heads > 0 && a.width > 0) {
    if (in_tiles) tile_attention_backward_stub(kCPU, a);
    else flash_attention_backward_stub(kCPU, a);
  }
  for (Tensor& t : grads) {
    if (t.scalar_type() != query.scalar_type()) t = at::_to_copy(t, query.scalar_type());
  }
  return {grads[0], grads[1], grads[2]};
}

}  // namespace at::native
