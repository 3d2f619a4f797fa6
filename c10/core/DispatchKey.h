#pragma once
// DispatchKey: one reason why a call may go to one kernel rather than another.
//
// A key's number is its bit in a DispatchKeySet and its column in an operator's table; the highest
// one present wins. So: backends are lowest, autograd stands above every backend, and what wraps
// autograd (autocast, functorch, tracing) above that.

#include <cstdint>
#include <string>
#include <string_view>

#include <c10/core/Device.h>

namespace c10 {

enum class DispatchKey : uint8_t {
  Undefined = 0,
  // Backends: these hold memory and compute.
  CPU,
  CUDA,
  Meta,
  PrivateUse1,
  SparseCPU,
  SparseCUDA,
  QuantizedCPU,
  // What stands between autograd and a backend.
  BackendSelect,
  Python,
  Functionalize,
  Conjugate,
  Negative,
  ADInplaceOrView,
  // Autograd, one for each backend so that a backend may have formulas of its own.
  AutogradOther,
  AutogradCPU,
  AutogradCUDA,
  AutogradMeta,
  AutogradPrivateUse1,
  // What wraps autograd.
  Tracer,
  AutocastCPU,
  AutocastCUDA,
  FuncTorchBatched,
  FuncTorchVmapMode,
  FuncTorchGradWrapper,
  FuncTorchDynamicLayerFrontMode,
  PythonTLSSnapshot,
  PythonDispatcher,
  EndOfRuntimeKeys,

  // Alias keys stand in registrations only; the dispatcher spreads them over runtime keys.
  Autograd = 64,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  CatchAll = CompositeImplicitAutograd,
};

constexpr int kNumRuntimeKeys = 32;
static_assert(static_cast<int>(DispatchKey::EndOfRuntimeKeys) <= kNumRuntimeKeys,
              "an operator's table has one column for each runtime key");

const char* toString(DispatchKey key);
std::string to_string(DispatchKey key);
// Undefined where there is no key of that name.
DispatchKey parseDispatchKey(std::string_view name);

// The backend key of a device, the autograd key above a backend. Throws where there is none.
DispatchKey computeDispatchKey(DeviceType type);
constexpr DispatchKey getAutogradKeyFromBackend(DispatchKey backend) {
  switch (backend) {
    case DispatchKey::CPU:
      return DispatchKey::AutogradCPU;
    case DispatchKey::CUDA:
      return DispatchKey::AutogradCUDA;
    case DispatchKey::Meta:
      return DispatchKey::AutogradMeta;
    case DispatchKey::PrivateUse1:
      return DispatchKey::AutogradPrivateUse1;
    default:
      return DispatchKey::AutogradOther;
  }
}

}  // namespace c10
