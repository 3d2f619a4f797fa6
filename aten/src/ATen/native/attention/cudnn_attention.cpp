// The operators of PyTorch for attention by cuDNN: checks, results, and what cuDNN leaves open.
//
// Note [Hidden rows in cuDNN]: a query may see no key, its bias is then -inf throughout. Here such
// a row is zero, and so are its gradients, in all kernels. cuDNN's softmax of it would be NaN,
// which spreads to the gradients of all keys and values. So the bias of these rows becomes zero,
// and the results are set afterwards; backward sees gradients of zero and weights of exp(score -
// inf).

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include <ATen/native/attention/cudnn_attention.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_cudnn_attention_backward_native.h>
#include <ATen/ops/_cudnn_attention_forward_native.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward_native.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_native.h>
#include <ATen/ops/all.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

constexpr const char* kName = "_scaled_dot_product_cudnn_attention";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_operands(const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p) {
  TORCH_CHECK(query.dim() == 4 && key.dim() == 4 && value.dim() == 4, kName,
              ": expected query, key and value of 4 dimensions, got ", query.dim(), ", ", key.dim(),
              " and ", value.dim());
  const ScalarType dtype = query.scalar_type();
  TORCH_CHECK((dtype == kHalf || dtype == kBFloat16) && key.scalar_type() == dtype &&
                  value.scalar_type() == dtype,
              kName, ": expected query, key and value of float16 or of bfloat16, got ",
              toString(dtype), ", ", toString(key.scalar_type()), " and ",
              toString(value.scalar_type()));
  TORCH_CHECK(query.device() == key.device() && query.device() == value.device(), kName,
              ": expected query, key and value on one device, got ", query.device(), ", ",
              key.device(), " and ", value.device());
  const IntArrayRef q = query.sizes(), k = key.sizes(), v = value.sizes();
  TORCH_CHECK(q[0] == k[0] && k.slice(0, 3) == v.slice(0, 3) && q[3] == k[3], kName,
              ": query, key and value should have the same batch and head size, key and value the "
              "same heads and rows, got shapes ",
              q, ", ", k, " and ", v);
  TORCH_CHECK(k[1] > 0 ? q[1] % k[1] == 0 : q[1] == 0, kName, ": the number of heads of query (",
              q[1], ") must be a multiple of that of key and value (", k[1], ")");
  TORCH_CHECK(dropout_p >= 0 && dropout_p < 1, kName,
              ": the probability of dropout has to be at least 0 and less than 1, got ", dropout_p);
}

void check_undefined(const Tensor& cum_seq_q, const Tensor& cum_seq_k) {
  TORCH_CHECK_NOT_IMPLEMENTED(!cum_seq_q.defined() && !cum_seq_k.defined(), kName,
                              ": sequences of several lengths (cum_seq_q, cum_seq_k) are not "
                              "implemented");
}

// A bias for cuDNN, and which rows it hides: see Note [Hidden rows in cuDNN].
struct Bias {
  Tensor values, hidden;

  Bias(const Tensor& given, const Tensor& query, const Tensor& key) {
    if (!given.defined()) return;
    TORCH_CHECK(given.is_floating_point(), kName, ": expected a floating-point attn_bias, got ",
                toString(given.scalar_type()));
    TORCH_CHECK(given.device() == query.device(), kName, ": expected attn_bias on ", query.device(),
                ", got ", given.device());
    const int64_t sizes[] = {query.size(0), query.size(1), query.size(2), key.size(2)};
    bool fits = given.dim() == 2 || given.dim() == 4;
    for (int64_t d = 1; fits && d <= given.dim(); ++d)
      fits = given.size(-d) == 1 || given.size(-d) == sizes[4 - d];
    TORCH_CHECK(fits, kName, ": attn_bias of shape ", given.sizes(),
                " does not broadcast to the scores, of shape ", IntArrayRef(sizes));
    Tensor all = given.dim() == 2 ? at::unsqueeze(at::unsqueeze(given, 0), 0) : given;
    all = at::expand(all, {all.size(0), all.size(1), sizes[2], sizes[3]});
    hidden = at::all(at::eq(all, -kInfinity), -1, true);
    values = empty_bias(all.sizes(), query.scalar_type(), query.device());
    at::copy_(values, all);
    at::masked_fill_out(values, values, hidden, 0);
  }
};

void run(const CudnnAttentionCall& call) {
  if (call.query.is_cuda()) decltype(cudnn_attention_stub)::CUDA(call);
}
void run_backward(const CudnnAttentionCall& call) {
  if (call.query.is_cuda()) decltype(cudnn_attention_backward_stub)::CUDA(call);
}

double scale_of(const Tensor& query, std::optional<double> scale) {
  return scale ? *scale : 1 / std::sqrt(static_cast<double>(query.size(3)));
}

Tensor empty_heads(const Tensor& like, int64_t width) {
  DimVector sizes(like.sizes().begin(), like.sizes().end());
  sizes[3] = width;
  return empty_strided_tensor(sizes, heads_strides(like, width), like.scalar_type(), like.device());
}

}  // namespace

DimVector heads_strides(const Tensor& t, int64_t width) {
  int order[] = {0, 1, 2};  // outermost first
  std::stable_sort(order, order + 3, [&](int a, int b) { return t.stride(a) > t.stride(b); });
  DimVector strides(4, 1);
  int64_t stride = width;
  for (int k = 2; k >= 0; --k) {
    strides[order[k]] = stride;
    stride *= std::max<int64_t>(t.size(order[k]), 1);
  }
  return strides;
}

Tensor empty_bias(IntArrayRef sizes, ScalarType dtype, Device device) {
  const Tensor padded =
      empty_tensor({sizes[0], sizes[1], sizes[2], (sizes[3] + 7) / 8 * 8}, dtype, device);
  return at::narrow(padded, 3, 0, sizes[3]);
}

std::string cudnn_attention_refusal(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& mask, double dropout_p,
                                    bool is_causal, std::optional<double> scale) {
  const auto refusal = decltype(cudnn_attention_refusal_stub)::CUDA;
  if (!refusal || !query.is_cuda()) return "query is not on a GPU";
  CudnnAttentionCall call;
  for (const Tensor* t : {&query, &key, &value})
    if (t->key_set().has(c10::Functionality::FuncTorchBatched))
      return "it has no rule for torch.vmap";
  call.query = query, call.key = key, call.value = value;
  call.dropout = dropout_p, call.scale = scale_of(query, scale), call.is_causal = is_causal;
  if (mask && mask->defined()) {
    const bool for_all = mask->dim() == 2;
    call.bias = empty_bias(
        {for_all ? 1 : mask->size(0), for_all ? 1 : mask->size(1), query.size(2), key.size(2)},
        query.scalar_type(), kMeta);
  }
  const bool trains =
      may_need_derivative(query) || may_need_derivative(key) || may_need_derivative(value);
  return refusal(call, trains);
}

std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t, int64_t, Tensor, Tensor, Tensor>
cudnn_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                const std::optional<Tensor>& attn_bias, bool compute_log_sumexp, double dropout_p,
                bool is_causal, bool return_debug_mask, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(!return_debug_mask, kName,
                              ": cuDNN keeps no mask that return_debug_mask=True could return");
  check_operands(query, key, value, dropout_p);
  const Device device = query.device();
  const Bias bias(attn_bias.value_or(Tensor()), query, key);
  const int64_t rows = compute_log_sumexp ? query.size(2) : 0;
  const DimVector place = dropout_p > 0 ? DimVector{} : DimVector{0};
  const CudnnAttentionCall call{
      query,
      key,
      value,
      bias.values,
      dropout_p,
      scale_of(query, scale),
      is_causal,
      empty_heads(query, value.size(3)),
      empty_tensor({query.size(0), query.size(1), rows, 1}, kFloat, device),
      empty_tensor(place, kLong, device),
      empty_tensor(place, kLong, device),
      {},
      {},
      {},
      {}};
  Tensor out = call.out, logsumexp = call.logsumexp;
  if (key.size(2) == 0) {
    at::fill_(out, 0);
    at::fill_(logsumexp, -kInfinity);
  } else if (out.numel() > 0) {
    run(call);
    if (bias.hidden.defined()) {
      at::masked_fill_out(out, out, bias.hidden, 0);
      if (compute_log_sumexp) at::masked_fill_out(logsumexp, logsumexp, bias.hidden, -kInfinity);
    }
  }
  return {out,         logsumexp, Tensor(),    Tensor(), query.size(2),
          key.size(2), call.seed, call.offset, Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> cudnn_attention_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, const Tensor& philox_seed,
    const Tensor& philox_offset, const Tensor& attn_bias, const Tensor& cum_seq_q,
    const Tensor& cum_seq_k, int64_t /*max_q*/, int64_t /*max_k*/, double dropout_p, bool is_causal,
    std::optional<double> scale) {
  check_undefined(cum_seq_q, cum_seq_k);
  check_operands(query, key, value, dropout_p);
  const DimVector sizes{query.size(0), query.size(1), query.size(2), value.size(3)};
  for (const Tensor* t : {&grad_out, &out})
    TORCH_CHECK(t->sizes() == IntArrayRef(sizes) && t->scalar_type() == query.scalar_type() &&
                    t->device() == query.device(),
                kName, "_backward: expected grad_out and out of shape ", IntArrayRef(sizes),
                ", dtype and device of query, got ", grad_out.sizes(), " of ",
                toString(grad_out.scalar_type()), " and ", out.sizes(), " of ",
                toString(out.scalar_type()));
  TORCH_CHECK(logsumexp.defined() && logsumexp.numel() == sizes[0] * sizes[1] * sizes[2] &&
                  logsumexp.scalar_type() == kFloat && logsumexp.device() == query.device(),
              kName,
              "_backward: expected the logsumexp that the forward pass returned with "
              "compute_log_sumexp=True, got shape ",
              logsumexp.defined() ? logsumexp.sizes() : IntArrayRef());
  if (dropout_p > 0)
    for (const Tensor* t : {&philox_seed, &philox_offset})
      TORCH_CHECK(t->defined() && t->scalar_type() == kLong && t->numel() == 1 &&
                      t->device() == query.device(),
                  kName,
                  "_backward: expected the seed and the offset that the forward pass "
                  "returned");
  const Bias bias(attn_bias, query, key);
  CudnnAttentionCall call{query,
                          key,
                          value,
                          bias.values,
                          dropout_p,
                          scale_of(query, scale),
                          is_causal,
                          out,
                          logsumexp,
                          philox_seed,
                          philox_offset,
                          grad_out,
                          empty_heads(query, query.size(3)),
                          empty_heads(key, key.size(3)),
                          empty_heads(value, value.size(3))};
  if (bias.hidden.defined()) {
    call.grad_out = at::masked_fill(grad_out, bias.hidden, 0);
    call.logsumexp = at::masked_fill(logsumexp, bias.hidden, kInfinity);
  }
  if (query.numel() > 0 && key.numel() > 0 && value.numel() > 0) {
    run_backward(call);
  } else {
    for (const Tensor* t : {&call.grad_query, &call.grad_key, &call.grad_value}) {
      Tensor grad = *t;
      at::fill_(grad, 0);
    }
  }
  return {call.grad_query, call.grad_key, call.grad_value};
}

// --- the same by other names ---------------------------------------------------------------------

std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t, int64_t, Tensor, Tensor, Tensor>
cudnn_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                        const std::optional<Tensor>& attn_bias,
                        const std::optional<Tensor>& cum_seq_q,
                        const std::optional<Tensor>& cum_seq_k, int64_t /*max_q*/,
                        int64_t /*max_k*/, bool compute_log_sumexp, double dropout_p,
                        bool is_causal, bool return_debug_mask, std::optional<double> scale) {
  check_undefined(cum_seq_q.value_or(Tensor()), cum_seq_k.value_or(Tensor()));
  return at::_scaled_dot_product_cudnn_attention(query, key, value, attn_bias, compute_log_sumexp,
                                                 dropout_p, is_causal, return_debug_mask, scale);
}

std::tuple<Tensor, Tensor, Tensor> cudnn_attention_forward_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, const Tensor& philox_seed,
    const Tensor& philox_offset, const Tensor& attn_bias, const Tensor& cum_seq_q,
    const Tensor& cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, bool is_causal,
    std::optional<double> scale) {
  return at::_scaled_dot_product_cudnn_attention_backward(
      grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q,
      cum_seq_k, max_q, max_k, dropout_p, is_causal, scale);
}

}  // namespace at::native
