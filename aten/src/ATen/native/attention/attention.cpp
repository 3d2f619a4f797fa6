// scaled_dot_product_attention: picks a backend, and defines the version in terms of other
// operators.

#include <atomic>
#include <cmath>
#include <limits>

#include <ATen/SDPSwitches.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/attention/attention.h>
#include <ATen/native/attention/cudnn_attention.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/_safe_softmax_native.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_attention_math_native.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/all.h>
#include <ATen/ops/bernoulli_.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/where.h>

namespace at {
namespace {

std::atomic<uint8_t> sdp_switches{0xff};
// The order of preference, four bits for each kernel, the first in the lowest.
constexpr uint32_t packed(const SDPOrder& order) {
  uint32_t word = 0;
  for (size_t i = 0; i < order.size(); ++i)
    word |= static_cast<uint32_t>(order[i]) << 4 * static_cast<uint32_t>(i);
  return word;
}
std::atomic<uint32_t> sdp_order{packed(kDefaultSDPOrder)};

}  // namespace

SDPOrder sdp_priority() {
  const uint32_t word = sdp_order.load(std::memory_order_relaxed);
  SDPOrder order;
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<SDPKernel>(word >> 4 * static_cast<uint32_t>(i) & 15);
  return order;
}

void set_sdp_priority(const SDPOrder& order) {
  sdp_order.store(packed(order), std::memory_order_relaxed);
}

bool sdp_enabled(SDPKernel kernel) {
  return sdp_switches.load(std::memory_order_relaxed) >> static_cast<int>(kernel) & 1;
}

void set_sdp_enabled(SDPKernel kernel, bool enabled) {
  const auto bit = static_cast<uint8_t>(1 << static_cast<int>(kernel));
  if (enabled) sdp_switches.fetch_or(bit, std::memory_order_relaxed);
  else sdp_switches.fetch_and(static_cast<uint8_t>(~bit), std::memory_order_relaxed);
}

}  // namespace at

namespace at::native {

void check_heads(const char* name, const Tensor& query, const Tensor& key, const Tensor& value) {
  TORCH_CHECK(query.dim() == 4 && key.dim() == 4 && value.dim() == 4, name,
              ": expected query, key and value of 4 dimensions, got ", query.dim(), ", ", key.dim(),
              " and ", value.dim());
  TORCH_CHECK(query.scalar_type() == key.scalar_type() &&
                  query.scalar_type() == value.scalar_type() && query.is_floating_point(),
              name, ": expected query, key and value of one floating-point dtype, got ",
              toString(query.scalar_type()), ", ", toString(key.scalar_type()), " and ",
              toString(value.scalar_type()));
  TORCH_CHECK(query.device() == key.device() && query.device() == value.device(), name,
              ": expected query, key and value on one device, got ", query.device(), ", ",
              key.device(), " and ", value.device());
  const IntArrayRef q = query.sizes(), k = key.sizes();
  TORCH_CHECK(k == value.sizes() && q[0] == k[0] && q[1] == k[1] && q[3] == k[3], name,
              ": Q/K/V should have the same batch, heads and head size, got shapes ", q, ", ", k,
              " and ", value.sizes());
}
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr double kLowest = -std::numeric_limits<double>::infinity();
enum Backend : int64_t { kError = -1, kMath = 0, kFlash = 1, kEfficient = 2, kCudnn = 3 };

bool is_defined(const OptionalTensor& t) { return t && t->defined(); }

void check_inputs(const Tensor& query, const Tensor& key, const Tensor& value,
                  const OptionalTensor& mask, double dropout_p, bool is_causal) {
  TORCH_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
              "Expected query, key, and value to all be  at least 2 dimensional, but got "
              "query.dim: ",
              query.dim(), " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
  TORCH_CHECK(
      query.scalar_type() == key.scalar_type() && query.scalar_type() == value.scalar_type(),
      "Expected query, key, and value to have the same dtype, but got query.dtype: ",
      dtypeName(query.scalar_type()), " key.dtype: ", dtypeName(key.scalar_type()),
      " and value.dtype: ", dtypeName(value.scalar_type()), " instead.");
  TORCH_CHECK(query.device() == key.device() && query.device() == value.device(),
              "Expected query, key, and value to have the same device type, but got query.device: ",
              query.device().str(), " key.device: ", key.device().str(),
              " and value.device: ", value.device().str(), " instead.");
  TORCH_CHECK(dropout_p >= 0 && dropout_p <= 1,
              "dropout probability has to be between 0 and 1, but got ", dropout_p);
  if (!is_defined(mask)) return;
  TORCH_CHECK(mask->scalar_type() == kBool || mask->scalar_type() == query.scalar_type() ||
                  mask->scalar_type() == kFloat,
              "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
              "attn_mask.dtype: ",
              dtypeName(mask->scalar_type()), " and  query.dtype: ", dtypeName(query.scalar_type()),
              " instead.");
  TORCH_CHECK(
      !is_causal,
      "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
}

// The tensor added to the scores: a bool mask becomes 0 and -inf.
OptionalTensor additive(const OptionalTensor& mask, ScalarType dtype) {
  if (!is_defined(mask)) return std::nullopt;
  if (mask->scalar_type() == kBool) {
    return at::_to_copy(at::where(*mask, Scalar(0.0), Scalar(kLowest)), dtype);
  }
  return mask->scalar_type() == dtype ? *mask : at::_to_copy(*mask, dtype);
}

// Heads of keys and values, each repeated for the queries that share it.
Tensor shared_heads(const Tensor& t, const Tensor& query) {
  int64_t have = t.sizes()[t.dim() - 3], need = query.sizes()[query.dim() - 3];
  TORCH_CHECK(have > 0 && need % have == 0,
              "scaled_dot_product_attention: with enable_gqa the number of heads of query (", need,
              ") must be a multiple of that of key and value (", have, ")");
  return have == need ? t : at::repeat_interleave(t, need / have, -3);
}

bool fits_mask(const Tensor& mask, const Tensor& query, const Tensor& key) {
  const int64_t full[] = {query.sizes()[0], query.sizes()[1], query.sizes()[2], key.sizes()[2]};
  if (mask.dim() != 2 && mask.dim() != 4) return false;
  for (int64_t d = 0; d < mask.dim(); ++d) {
    int64_t n = mask.sizes()[mask.dim() - 1 - d];
    if (n != 1 && n != full[3 - d]) return false;
  }
  return true;
}

}  // namespace

// Softmax that is zero in rows that are -inf throughout.
Tensor _safe_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  Tensor none = at::all(at::eq(self, kLowest), dim, true);
  // Also filled before the softmax: a NaN here would reappear in the gradient.
  return at::masked_fill(at::softmax(at::masked_fill(self, none, 0), dim, dtype), none, 0);
}

// Whether a kernel that makes no matrix of scores takes these arguments.
static bool fits_fused(const Tensor& query, const Tensor& key, const Tensor& value,
                       const OptionalTensor& attn_mask, bool enable_gqa) {
  if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4) return false;
  ScalarType type = query.scalar_type();
  if (type != kFloat && type != kDouble && type != kBFloat16 && type != kHalf) return false;
  if (type != key.scalar_type() || type != value.scalar_type()) return false;
  IntArrayRef q = query.sizes(), k = key.sizes(), v = value.sizes();
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3] || q[3] != v[3])
    return false;
  // The kernels' gradients have no derivative, which forward mode needs.
  for (const Tensor* t : {&query, &key, &value}) {
    if (t->key_set().has(c10::Functionality::ForwardGrad)) return false;
  }
  if (enable_gqa ? k[1] == 0 || q[1] % k[1] != 0 : q[1] != k[1]) return false;
  if (query.numel() == 0 || key.numel() == 0) return false;
  for (const Tensor* t : {&query, &key, &value}) {
    if (t->strides()[3] != 1 && t->sizes()[3] != 1) return false;
  }
  if (is_defined(attn_mask) &&
      (may_need_derivative(*attn_mask) || !fits_mask(*attn_mask, query, key)))
    return false;
  return true;
}

}  // namespace at::native

std::string at::sdp_obstacle(SDPKernel kernel, const Tensor& query, const Tensor& key,
                             const Tensor& value, const std::optional<Tensor>& mask,
                             double dropout_p, bool is_causal, std::optional<double> scale,
                             bool enable_gqa) {
  if (!query.is_cuda()) return "query is on " + query.device().str() + ", and the kernel on GPUs";
  if (!sdp_enabled(kernel)) return "it is switched off";
  if (kernel == SDPKernel::Math) return "";
  if (kernel == SDPKernel::Overrideable) return "there is none";
  // Flash and Efficient are one kernel; of PyTorch's, only the second takes masks.
  if (kernel == SDPKernel::Flash && native::is_defined(mask)) return "it takes no attn_mask";
  const int64_t limit = query.scalar_type() == kDouble ? 128 : 256;
  if (!native::fits_fused(query, key, value, mask, enable_gqa) || query.sizes()[3] > limit) {
    std::string reason =
        "query, key and value have to be of four dimensions, one floating-point type, sizes that "
        "match, and up to 256 (in double 128) wide, and a mask must need no gradient; got";
    for (const Tensor* t : {&query, &key, &value})
      reason += c10::str(t == &query ? " " : ", ", toString(t->scalar_type()), " ", t->sizes());
    return reason;
  }
  return kernel == SDPKernel::Cudnn
             ? native::cudnn_attention_refusal(query, key, value, mask, dropout_p, is_causal, scale)
             : "";
}

namespace at::native {

// The first kernel of a GPU, in the order of preference, that is allowed and takes the arguments.
static int64_t choice_of_gpu(const Tensor& query, const Tensor& key, const Tensor& value,
                             const OptionalTensor& attn_mask, double dropout_p, bool is_causal,
                             std::optional<double> scale, bool enable_gqa) {
  const auto takes = [&](SDPKernel kernel) {
    return sdp_enabled(kernel) && sdp_obstacle(kernel, query, key, value, attn_mask, dropout_p,
                                               is_causal, scale, enable_gqa)
                                      .empty();
  };
  const SDPOrder order = sdp_priority();
  const auto prefers_cudnn = decltype(prefers_cudnn_attention_stub)::CUDA;
  if (order == kDefaultSDPOrder && prefers_cudnn && prefers_cudnn(query, key) &&
      takes(SDPKernel::Cudnn))
    return kCudnn;
  for (const SDPKernel kernel : order)
    if (takes(kernel)) return static_cast<int64_t>(kernel);
  return kError;
}

int64_t _fused_sdp_choice(const Tensor& query, const Tensor& key, const Tensor& value,
                          const OptionalTensor& attn_mask, double dropout_p, bool is_causal,
                          std::optional<double> scale, bool enable_gqa) {
  if (query.is_cuda())
    return choice_of_gpu(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
  if (query.is_cpu() && sdp_enabled(SDPKernel::Flash) && dropout_p == 0 &&
      fits_fused(query, key, value, attn_mask, enable_gqa))
    return kFlash;
  return sdp_enabled(SDPKernel::Math) ? kMath : kError;
}

std::tuple<Tensor, Tensor> _scaled_dot_product_attention_math(
    const Tensor& query, const Tensor& key_, const Tensor& value_, const OptionalTensor& attn_mask,
    double dropout_p, bool is_causal, const OptionalTensor& dropout_mask,
    std::optional<double> scale, bool enable_gqa) {
  check_inputs(query, key_, value_, attn_mask, dropout_p, is_causal);
  Tensor key = enable_gqa ? shared_heads(key_, query) : key_,
         value = enable_gqa ? shared_heads(value_, query) : value_;
  // Each factor is scaled by the square root of the scale, so that neither overflows a small type.
  const double factor = scale ? *scale : 1 / std::sqrt(static_cast<double>(query.sizes().back()));
  const double root = std::sqrt(std::abs(factor));
  Tensor scores = at::matmul(query * Scalar(factor < 0 ? -root : root),
                             at::transpose(key, -2, -1) * Scalar(root));
  OptionalTensor mask = additive(attn_mask, query.scalar_type());
  if (is_causal) {
    Tensor seen = at::tril(at::ones({query.sizes()[query.dim() - 2], key.sizes()[key.dim() - 2]},
                                    query.options().dtype(kBool)));
    mask = additive(seen, query.scalar_type());
  }
  Tensor weights = mask ? at::_safe_softmax(scores + *mask, -1) : at::softmax(scores, -1);
  if (dropout_p > 0) {
    Tensor kept;
    if (is_defined(dropout_mask)) {
      kept = at::_to_copy(*dropout_mask, weights.scalar_type());
    } else {
      kept = at::empty_like(weights);
      at::bernoulli_(kept, 1 - dropout_p);
    }
    Tensor dropped = weights * (dropout_p < 1 ? kept * Scalar(1 / (1 - dropout_p)) : kept);
    return {at::matmul(dropped, value), weights};
  }
  return {at::matmul(weights, value), weights};
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const OptionalTensor& attn_mask, double dropout_p,
                                    bool is_causal, std::optional<double> scale, bool enable_gqa) {
  check_inputs(query, key, value, attn_mask, dropout_p, is_causal);
  const int64_t choice = native::_fused_sdp_choice(query, key, value, attn_mask, dropout_p,
                                                   is_causal, scale, enable_gqa);
  if (choice == kError) {
    const bool asks_cudnn = query.is_cuda() && sdp_enabled(SDPKernel::Cudnn);
    TORCH_CHECK(false,
                "scaled_dot_product_attention: no allowed kernel takes these arguments; the flash "
                "kernel or the math version is switched off (torch.nn.attention.sdpa_kernel)",
                asks_cudnn ? "; cuDNN's cannot be used: " +
                                 sdp_obstacle(SDPKernel::Cudnn, query, key, value, attn_mask,
                                              dropout_p, is_causal, scale, enable_gqa)
                           : "");
  }
  if (choice == kCudnn) {
    const bool trains =
        may_need_derivative(query) || may_need_derivative(key) || may_need_derivative(value);
    const OptionalTensor bias = is_defined(attn_mask) && attn_mask->scalar_type() == kBool
                                    ? additive(attn_mask, query.scalar_type())
                                    : attn_mask;
    return std::get<0>(at::_scaled_dot_product_cudnn_attention(query, key, value, bias, trains,
                                                               dropout_p, is_causal, false, scale));
  }
  if (choice != kMath) {
    OptionalTensor mask =
        is_defined(attn_mask) && attn_mask->scalar_type() == kBool
            ? additive(attn_mask, query.scalar_type() == kDouble ? kDouble : kFloat)
            : attn_mask;
    const Tensor keys = enable_gqa ? shared_heads(key, query) : key,
                 values = enable_gqa ? shared_heads(value, query) : value;
    if (query.is_cpu())
      return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
          query, keys, values, dropout_p, is_causal, mask, scale));
    return std::get<0>(at::_scaled_dot_product_efficient_attention(query, keys, values, mask, true,
                                                                   dropout_p, is_causal, scale));
  }
  return std::get<0>(at::_scaled_dot_product_attention_math(
      query, key, value, attn_mask, dropout_p, is_causal, std::nullopt, scale, enable_gqa));
}

}  // namespace at::native
