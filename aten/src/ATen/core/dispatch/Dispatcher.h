#pragma once
// The call path of an operator: key set from the arguments, kernel from the table, jump.
//
// at::_ops::add_Tensor::call(...) is dispatch<Sig>(entry, ...): about ten instructions when nothing
// observes. Kernels that only pass a call on use redispatch with a smaller key set.

#include <type_traits>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::impl {

// The keys that an argument contributes. Non-tensor arguments contribute no keys.
template <typename T>
C10_ALWAYS_INLINE uint64_t keys_of(const T&) {
  return 0;
}
C10_ALWAYS_INLINE uint64_t keys_of(const Tensor& t) {
  return C10_LIKELY(t.defined()) ? t.key_set().raw_repr() : 0;
}
C10_ALWAYS_INLINE uint64_t keys_of(const std::optional<Tensor>& t) { return t ? keys_of(*t) : 0; }
inline uint64_t keys_of(const TensorList& list) {
  uint64_t keys = 0;
  for (const Tensor& t : list) keys |= keys_of(t);
  return keys;
}
inline uint64_t keys_of(const OptionalTensorList& list) {
  uint64_t keys = 0;
  for (const std::optional<Tensor>& t : list) keys |= keys_of(t);
  return keys;
}

template <typename T>
constexpr ObservedArgument::Kind observed_kind() {
  using A = std::decay_t<T>;
  if constexpr (std::is_same_v<A, Tensor>) return ObservedArgument::Tensor;
  else if constexpr (std::is_same_v<A, std::optional<Tensor>>)
    return ObservedArgument::OptionalTensor;
  else if constexpr (std::is_same_v<A, TensorList>) return ObservedArgument::TensorList;
  else if constexpr (std::is_same_v<A, OptionalTensorList>)
    return ObservedArgument::OptionalTensorList;
  else if constexpr (std::is_same_v<A, IntArrayRef>) return ObservedArgument::IntList;
  else if constexpr (std::is_same_v<A, int64_t>) return ObservedArgument::Int;
  else if constexpr (std::is_same_v<A, double>) return ObservedArgument::Double;
  else if constexpr (std::is_same_v<A, bool>) return ObservedArgument::Bool;
  else if constexpr (std::is_same_v<A, Scalar>) return ObservedArgument::Scalar;
  else if constexpr (std::is_same_v<A, ScalarType>) return ObservedArgument::ScalarType;
  else return ObservedArgument::Other;
}

// Factories have no tensor to dispatch on: their device argument decides, or the CPU without one. A
// call that has tensors (zeros_like with device=) also uses the device, so that the kernel matches
// the new tensor's device.
struct DeviceOfNewTensor {
  std::optional<Device> device;
};

C10_ALWAYS_INLINE DispatchKeySet effective_keys(const OperatorEntry& op, uint64_t keys) {
  const c10::impl::LocalState& tls = c10::impl::tls_local_state;
  return DispatchKeySet((keys | tls.included | op.added_keys) & ~tls.effective_excluded &
                        op.considered_keys);
}

template <typename Sig>
struct Call;

// Kernels with state, boxed kernels, fallbacks; see KernelOverrides.h.
template <typename Ret, typename... A>
Ret call_override(const OperatorEntry& op, DispatchKeySet keys, A... a);

template <typename Ret, typename... A>
struct Call<Ret(A...)> {
  using Kernel = Ret (*)(DispatchKeySet, A...);

  C10_ALWAYS_INLINE static Ret jump(const OperatorEntry& op, DispatchKeySet keys, A... a) {
    auto kernel = reinterpret_cast<Kernel>(op.table[slot_of(keys)]);
    if (C10_UNLIKELY(!kernel)) return call_override<Ret, A...>(op, keys, static_cast<A>(a)...);
    return kernel(keys, static_cast<A>(a)...);
  }
  C10_NOINLINE static Ret observed(const OperatorEntry& op, DispatchKeySet keys, const char* kind,
                                   A... a) {
    const ObservedArgument arguments[] = {{&a, observed_kind<A>()}...,
                                          {nullptr, ObservedArgument::Other}};
    ObservedCall bracket(op, keys, kind, arguments, static_cast<int>(sizeof...(A)));
    return jump(op, keys, static_cast<A>(a)...);
  }
  C10_ALWAYS_INLINE static Ret call(const OperatorEntry& op, A... a) {
    DispatchKeySet keys = effective_keys(op, (uint64_t(0) | ... | keys_of(a)));
    if (C10_UNLIKELY(g_call_observers)) return observed(op, keys, "call", static_cast<A>(a)...);
    return jump(op, keys, static_cast<A>(a)...);
  }
  // With the keys of a device instead of those of the arguments' backend.
  C10_ALWAYS_INLINE static Ret call_on(const OperatorEntry& op, const std::optional<Device>& device,
                                       A... a) {
    uint64_t keys = (uint64_t(0) | ... | keys_of(a));
    if (C10_UNLIKELY(device && !device->is_cpu()) ||
        (device && (keys & DispatchKeySet::kBackends))) {
      keys = (keys & ~backend_keyset.raw_repr()) |
             DispatchKeySet(computeDispatchKey(device->type())).raw_repr();
    } else if (!(keys & DispatchKeySet::kBackends)) {
      keys |= DispatchKeySet(DispatchKey::CPU).raw_repr();
    }
    DispatchKeySet effective = effective_keys(op, keys);
    if (C10_UNLIKELY(g_call_observers))
      return observed(op, effective, "call", static_cast<A>(a)...);
    return jump(op, effective, static_cast<A>(a)...);
  }
  C10_ALWAYS_INLINE static Ret redispatch(const OperatorEntry& op, DispatchKeySet keys, A... a) {
    keys = DispatchKeySet(keys.raw_repr() & op.considered_keys);
    if (C10_UNLIKELY(g_call_observers))
      return observed(op, keys, "redispatch", static_cast<A>(a)...);
    return jump(op, keys, static_cast<A>(a)...);
  }
};

}  // namespace at::impl
