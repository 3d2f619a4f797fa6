// Autocast's kernels and settings: Note [Autocast].

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <ATen/autocast_lists.h>
#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/ops/_to_copy.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ForkMutex.h>

namespace at::autocast {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

constexpr DispatchKey key_of(DeviceType device) {
  return device == DeviceType::CUDA ? DispatchKey::AutocastCUDA : DispatchKey::AutocastCPU;
}

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

bool is_cast(const Tensor& t, DeviceType device) {
  return t.defined() && t.device().type() == device && t.is_floating_point() &&
         t.scalar_type() != kDouble && !c10::isFloat8Type(t.scalar_type());
}

Tensor cast(ScalarType to, const Tensor& t) { return at::_to_copy(t, TensorOptions(to)); }

Tensor cached_cast(ScalarType to, const Tensor& t, DeviceType device) {
  if (!is_cast(t, device) || t.scalar_type() == to) return t;
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

// --- kernels -------------------------------------------------------------------------------------

// The type of a result of tensors that need one.
ScalarType widest(const IValueStack& arguments, DeviceType device) {
  ScalarType found = get_dtype(device);
  for (const IValue& value : arguments)
    for_each_tensor(value, [&](const Tensor& t) {
      if (!is_cast(t, device) || t.scalar_type() == found || found == kFloat) return;
      TORCH_CHECK(t.scalar_type() == kFloat, "autocast: expected tensors in ", toString(found),
                  " or Float, got ", toString(t.scalar_type()));
      found = kFloat;
    });
  return found;
}

enum class Policy { LowerPrecision, Float32, Widest };

// Casts all arguments.
template <Policy policy, DeviceType device>
void run(void*, const OperatorEntry& op, DispatchKeySet, IValueStack& stack) {
  c10::impl::ExcludeDispatchKeyGuard below{DispatchKeySet(key_of(device))};
  const ScalarType to = policy == Policy::LowerPrecision ? get_dtype(device)
                        : policy == Policy::Float32      ? kFloat
                                                         : widest(stack, device);
  for (IValue& value : stack)
    value = with_tensors(value, [to](const Tensor& t) { return cached_cast(to, t, device); });
  call_boxed(op, stack);
}

// The last argument is the type of the result. The operator computes in it without a copy of its
// input.
void run_with_dtype(void*, const OperatorEntry& op, DispatchKeySet, IValueStack& stack) {
  c10::impl::ExcludeDispatchKeyGuard below{DispatchKeySet(DispatchKey::AutocastCUDA)};
  if (stack.back().isNone() && is_cast(stack.front().toTensor(), DeviceType::CUDA))
    stack.back() = IValue(kFloat);
  call_boxed(op, stack);
}

// `with_dtype` is the overload that takes the type of the result besides.
void run_overload(void* with_dtype, const OperatorEntry&, DispatchKeySet, IValueStack& stack) {
  c10::impl::ExcludeDispatchKeyGuard below{DispatchKeySet(DispatchKey::AutocastCUDA)};
  const Tensor& input = stack.front().toTensor();
  const ScalarType to = is_cast(input, DeviceType::CUDA) ? kFloat : input.scalar_type();
  stack.push_back(IValue(to));
  call_boxed(*static_cast<const OperatorEntry*>(with_dtype), stack);
}

void refuse(void*, const OperatorEntry& op, DispatchKeySet, IValueStack& stack) {
  TORCH_CHECK(!is_cast(stack.front().toTensor(), DeviceType::CUDA), "autocast: ", op.name + 6,
              " is not safe in a region of a GPU. Leave the sigmoid out of the model and use "
              "binary_cross_entropy_with_logits (BCEWithLogitsLoss), or compute this loss in a "
              "region with enabled=False, in float32");
  c10::impl::ExcludeDispatchKeyGuard below{DispatchKeySet(DispatchKey::AutocastCUDA)};
  call_boxed(op, stack);
}

OperatorEntry* find(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string base = c10::str("aten::", std::string(name.substr(0, dot)));
  return find_operator(base, dot == name.npos ? std::string_view() : name.substr(dot + 1));
}

using Kernel = decltype(Override::boxed);

// Names that this version lacks are passed over.
void add_kernel(std::string_view name, DeviceType device, Kernel kernel, void* state = nullptr) {
  OperatorEntry* op = find(name);
  if (!op) return;
  Override override;
  override.state = state;
  override.boxed = kernel;
  override.debug = "aten/src/ATen/autocast_mode.cpp";
  register_override(*op, key_of(device), std::move(override));
}

template <size_t n>
void add_kernels(const char* const (&names)[n], DeviceType device, Kernel kernel) {
  for (const char* name : names) add_kernel(name, device, kernel);
}

void register_on_cpu() {
  constexpr DeviceType device = DeviceType::CPU;
  add_kernels(kLowerPrecisionOnCPU, device, &run<Policy::LowerPrecision, device>);
  add_kernels(kFloat32OnCPU, device, &run<Policy::Float32, device>);
  add_kernels(kWidestOnCPU, device, &run<Policy::Widest, device>);
}

void register_on_cuda() {
  constexpr DeviceType device = DeviceType::CUDA;
  add_kernels(kLowerPrecisionOnCUDA, device, &run<Policy::LowerPrecision, device>);
  add_kernels(kFloat32OnCUDA, device, &run<Policy::Float32, device>);
  add_kernels(kFloat32ResultOnCUDA, device, &run_with_dtype);
  add_kernels(kWidestOnCUDA, device, &run<Policy::Widest, device>);
  add_kernels(kRefusedOnCUDA, device, &refuse);
  for (const auto& [name, with_dtype] : kNormsOnCUDA)
    add_kernel(name, device, &run_overload, find(with_dtype));
}

// When the first region of the device opens.
void register_kernels(DeviceType device) {
  static std::once_flag on_cpu, on_cuda;
  if (device == DeviceType::CPU) std::call_once(on_cpu, &register_on_cpu);
  else std::call_once(on_cuda, &register_on_cuda);
}

}  // namespace

const char* policy_of(std::string_view name) {
  auto contains = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  return contains(kLowerPrecisionOnCPU) ? "lower"
         : contains(kFloat32OnCPU)      ? "float32"
         : contains(kWidestOnCPU)       ? "widest"
                                        : "";
}

bool is_enabled(DeviceType device) { return t_settings.enabled[static_cast<int>(device)]; }

bool is_any_enabled() {
  return std::find(t_settings.enabled.begin(), t_settings.enabled.end(), true) !=
         t_settings.enabled.end();
}

void set_enabled(DeviceType device, bool enabled) {
  t_settings.enabled[static_cast<int>(device)] = enabled;
  if (device != DeviceType::CPU && device != DeviceType::CUDA) return;
  if (enabled) register_kernels(device);
  uint64_t& included = c10::impl::tls_local_state.included;
  const uint64_t key = DispatchKeySet(key_of(device)).raw_repr() & ~DispatchKeySet::kBackends;
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
