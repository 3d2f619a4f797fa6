// Autocast's lists of operators, its kernel and its settings: Note [Autocast].

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/ops/_to_copy.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ForkMutex.h>

namespace at::autocast {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

const DispatchKeySet kAutocastCPU(DispatchKey::AutocastCPU);

// --- the lists, those of PyTorch's CPU -----------------------------------------------------------

// Products and convolutions, which processors compute faster in 16 bits.
constexpr const char* kLowerPrecision[] = {"conv1d",
                                           "conv1d.padding",
                                           "conv2d",
                                           "conv2d.padding",
                                           "conv3d",
                                           "conv3d.padding",
                                           "conv_tbc",
                                           "conv_transpose1d",
                                           "conv_transpose2d.input",
                                           "conv_transpose3d.input",
                                           "mm",
                                           "bmm",
                                           "addmm",
                                           "addbmm",
                                           "baddbmm",
                                           "_addmm_activation",
                                           "linear",
                                           "matmul",
                                           "linalg_vecdot",
                                           "prelu",
                                           "scaled_dot_product_attention",
                                           "_native_multi_head_attention",
                                           "lstm.input",
                                           "lstm.data"};

// Results that lose too much in 16 bits.
constexpr const char* kFloat32[] = {"avg_pool3d",
                                    "adaptive_avg_pool3d",
                                    "adaptive_max_pool3d",
                                    "max_pool3d",
                                    "max_unpool2d",
                                    "max_unpool3d",
                                    "fractional_max_pool2d",
                                    "fractional_max_pool3d",
                                    "binary_cross_entropy",
                                    "binary_cross_entropy_with_logits",
                                    "cosine_embedding_loss",
                                    "cross_entropy_loss",
                                    "ctc_loss.IntList",
                                    "ctc_loss.Tensor",
                                    "hinge_embedding_loss",
                                    "huber_loss",
                                    "kl_div",
                                    "l1_loss",
                                    "margin_ranking_loss",
                                    "mse_loss",
                                    "multi_margin_loss",
                                    "multilabel_margin_loss",
                                    "multilabel_margin_loss_forward",
                                    "nll_loss",
                                    "nll_loss2d",
                                    "poisson_nll_loss",
                                    "smooth_l1_loss",
                                    "soft_margin_loss",
                                    "triplet_margin_loss",
                                    "reflection_pad1d",
                                    "reflection_pad2d",
                                    "replication_pad1d",
                                    "replication_pad2d",
                                    "replication_pad3d",
                                    "grid_sampler",
                                    "grid_sampler_2d",
                                    "grid_sampler_3d",
                                    "_grid_sampler_2d_cpu_fallback",
                                    "cdist",
                                    "_cdist_forward",
                                    "polar",
                                    "prod",
                                    "prod.dim_int",
                                    "quantile",
                                    "quantile.scalar",
                                    "nanquantile",
                                    "nanquantile.scalar",
                                    "stft",
                                    "stft.center",
                                    "trace",
                                    "view_as_complex",
                                    "fake_quantize_per_tensor_affine",
                                    "fft_fft",
                                    "fft_ifft",
                                    "fft_fft2",
                                    "fft_ifft2",
                                    "fft_fftn",
                                    "fft_ifftn",
                                    "fft_rfft",
                                    "fft_irfft",
                                    "fft_rfft2",
                                    "fft_irfft2",
                                    "fft_rfftn",
                                    "fft_irfftn",
                                    "fft_hfft",
                                    "fft_ihfft",
                                    "cholesky",
                                    "cholesky_inverse",
                                    "cholesky_solve",
                                    "inverse",
                                    "lu_solve",
                                    "_lu_with_info",
                                    "orgqr",
                                    "ormqr",
                                    "geqrf",
                                    "pinverse",
                                    "qr",
                                    "svd",
                                    "triangular_solve",
                                    "linalg_cholesky",
                                    "linalg_cholesky_ex",
                                    "linalg_cond",
                                    "linalg_cond.p_str",
                                    "linalg_eig",
                                    "linalg_eigh",
                                    "linalg_eigvals",
                                    "linalg_eigvalsh",
                                    "linalg_householder_product",
                                    "linalg_inv",
                                    "linalg_inv_ex",
                                    "linalg_lstsq",
                                    "linalg_matrix_rank",
                                    "linalg_matrix_rank.atol_rtol_float",
                                    "linalg_matrix_rank.atol_rtol_tensor",
                                    "linalg_matrix_rank.tol_tensor",
                                    "linalg_qr",
                                    "linalg_solve",
                                    "linalg_svd",
                                    "linalg_svdvals",
                                    "linalg_tensorinv",
                                    "linalg_tensorsolve"};

// Several tensors that need one type: the widest of theirs.
constexpr const char* kWidest[] = {"stack", "cat", "index_copy"};

// --- settings ------------------------------------------------------------------------------------

constexpr int kNumDevices = static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

struct Settings {
  std::array<bool, kNumDevices> enabled{};
  std::array<ScalarType, kNumDevices> dtype;
  bool cache = true;
  int nesting = 0;
  Settings() {
    dtype.fill(kHalf);
    for (DeviceType device : {DeviceType::CPU, DeviceType::XLA})
      dtype[static_cast<int>(device)] = kBFloat16;
  }
};
thread_local Settings t_settings;

struct KeptCopy {
  c10::weak_intrusive_ptr<TensorImpl> original;
  Tensor copy;
};
std::mutex g_cache_mutex;
c10::HoldDuringFork g_cache_hold(g_cache_mutex);
std::unordered_map<const TensorImpl*, KeptCopy>& cache() {
  static auto* kept = new std::unordered_map<const TensorImpl*, KeptCopy>;
  return *kept;
}

// --- casts ---------------------------------------------------------------------------------------

bool is_cast(const Tensor& t) {
  return t.defined() && t.is_cpu() && t.is_floating_point() && t.scalar_type() != kDouble &&
         !c10::isFloat8Type(t.scalar_type());
}

Tensor cast(ScalarType to, const Tensor& t) { return at::_to_copy(t, TensorOptions(to)); }

// The type of a result of tensors that need one.
ScalarType widest(const IValueStack& arguments) {
  ScalarType found = t_settings.dtype[static_cast<int>(DeviceType::CPU)];
  for (const IValue& value : arguments)
    for_each_tensor(value, [&](const Tensor& t) {
      if (!is_cast(t) || t.scalar_type() == found || found == kFloat) return;
      TORCH_CHECK(t.scalar_type() == kFloat, "autocast: expected tensors in ", toString(found),
                  " or Float, got ", toString(t.scalar_type()));
      found = kFloat;
    });
  return found;
}

enum class Policy { LowerPrecision, Float32, Widest };

template <Policy policy>
void run(void*, const OperatorEntry& op, DispatchKeySet, IValueStack& stack) {
  c10::impl::ExcludeDispatchKeyGuard below(kAutocastCPU);
  const ScalarType to = policy == Policy::LowerPrecision
                            ? t_settings.dtype[static_cast<int>(DeviceType::CPU)]
                        : policy == Policy::Float32 ? kFloat
                                                    : widest(stack);
  for (IValue& value : stack)
    value = with_tensors(value, [to](const Tensor& t) { return cached_cast(to, t); });
  call_boxed(op, stack);
}

template <Policy policy, size_t n>
void register_list(const char* const (&names)[n]) {
  for (std::string_view name : names) {
    const size_t dot = name.find('.');
    const std::string base = c10::str("aten::", std::string(name.substr(0, dot)));
    OperatorEntry* op =
        find_operator(base, dot == name.npos ? std::string_view() : name.substr(dot + 1));
    if (!op) continue;  // one that this version lacks
    Override kernel;
    kernel.boxed = &run<policy>;
    kernel.debug = "aten/src/ATen/autocast_mode.cpp";
    register_override(*op, DispatchKey::AutocastCPU, std::move(kernel));
  }
}

// When the first region opens.
void register_kernels() {
  static const bool registered = [] {
    register_list<Policy::LowerPrecision>(kLowerPrecision);
    register_list<Policy::Float32>(kFloat32);
    register_list<Policy::Widest>(kWidest);
    return true;
  }();
  static_cast<void>(registered);
}

}  // namespace

Tensor cached_cast(ScalarType to, const Tensor& t) {
  if (!is_cast(t) || t.scalar_type() == to) return t;
  const bool keep = t_settings.cache && t_settings.nesting > 0 && t.scalar_type() == kFloat &&
                    to != kFloat && t.requires_grad() && t.is_leaf() && !t.is_view();
  if (!keep) return cast(to, t);
  const TensorImpl* key = t.unsafeGetTensorImpl();
  {
    std::lock_guard<std::mutex> lock(g_cache_mutex);
    auto kept = cache().find(key);
    // A copy that was made without a graph is of no use where one is recorded.
    if (kept != cache().end() && kept->second.copy.scalar_type() == to &&
        (kept->second.copy.requires_grad() || !c10::GradMode::is_enabled()))
      return kept->second.copy;
  }
  Tensor copy = cast(to, t);
  std::lock_guard<std::mutex> lock(g_cache_mutex);
  cache().insert_or_assign(
      key, KeptCopy{c10::weak_intrusive_ptr<TensorImpl>(t.getIntrusivePtr()), copy});
  return copy;
}

const char* policy_of(std::string_view name) {
  auto contains = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  return contains(kLowerPrecision) ? "lower"
         : contains(kFloat32)      ? "float32"
         : contains(kWidest)       ? "widest"
                                   : "";
}

bool is_enabled(DeviceType device) { return t_settings.enabled[static_cast<int>(device)]; }

bool is_any_enabled() {
  return std::find(t_settings.enabled.begin(), t_settings.enabled.end(), true) !=
         t_settings.enabled.end();
}

void set_enabled(DeviceType device, bool enabled) {
  t_settings.enabled[static_cast<int>(device)] = enabled;
  if (device != DeviceType::CPU) return;
  if (enabled) register_kernels();
  uint64_t& included = c10::impl::tls_local_state.included;
  const uint64_t key = kAutocastCPU.raw_repr() & ~DispatchKeySet::kBackends;
  included = enabled ? included | key : included & ~key;
}

ScalarType get_dtype(DeviceType device) { return t_settings.dtype[static_cast<int>(device)]; }
void set_dtype(DeviceType device, ScalarType dtype) {
  t_settings.dtype[static_cast<int>(device)] = dtype;
}

bool is_cache_enabled() { return t_settings.cache; }
void set_cache_enabled(bool enabled) { t_settings.cache = enabled; }
void clear_cache() {
  std::unordered_map<const TensorImpl*, KeptCopy> released;  // after the lock: releases run code
  std::lock_guard<std::mutex> lock(g_cache_mutex);
  released.swap(cache());
}

int increment_nesting() { return ++t_settings.nesting; }
int decrement_nesting() { return --t_settings.nesting; }

}  // namespace at::autocast
