#include <c10/core/DispatchKey.h>

#include <c10/core/DispatchKeySet.h>
#include <c10/util/Exception.h>

namespace c10 {

static const char* const kRuntimeNames[] = {"Undefined",
                                            "CPU",
                                            "CUDA",
                                            "Meta",
                                            "PrivateUse1",
                                            "SparseCPU",
                                            "SparseCUDA",
                                            "QuantizedCPU",
                                            "BackendSelect",
                                            "Python",
                                            "Functionalize",
                                            "Conjugate",
                                            "Negative",
                                            "ADInplaceOrView",
                                            "AutogradOther",
                                            "AutogradCPU",
                                            "AutogradCUDA",
                                            "AutogradMeta",
                                            "AutogradPrivateUse1",
                                            "Tracer",
                                            "AutocastCPU",
                                            "AutocastCUDA",
                                            "FuncTorchBatched",
                                            "FuncTorchVmapMode",
                                            "FuncTorchGradWrapper",
                                            "FuncTorchDynamicLayerFrontMode",
                                            "PythonTLSSnapshot",
                                            "PythonDispatcher"};
static const char* const kAliasNames[] = {"Autograd", "CompositeImplicitAutograd",
                                          "CompositeExplicitAutograd"};
constexpr int kNumNames = static_cast<int>(DispatchKey::EndOfRuntimeKeys);
static_assert(sizeof(kRuntimeNames) / sizeof(char*) == kNumNames, "every runtime key has a name");

const char* toString(DispatchKey key) {
  int k = static_cast<int>(key);
  if (k < kNumNames) return kRuntimeNames[k];
  k -= static_cast<int>(DispatchKey::Autograd);
  return k >= 0 && k < 3 ? kAliasNames[k] : "UNKNOWN_DISPATCH_KEY";
}

std::string to_string(DispatchKey key) { return toString(key); }

DispatchKey parseDispatchKey(std::string_view name) {
  for (int k = 0; k < kNumNames; ++k) {
    if (name == kRuntimeNames[k]) return static_cast<DispatchKey>(k);
  }
  for (int k = 0; k < 3; ++k) {
    if (name == kAliasNames[k]) {
      return static_cast<DispatchKey>(k + static_cast<int>(DispatchKey::Autograd));
    }
  }
  return DispatchKey::Undefined;
}

DispatchKey computeDispatchKey(DeviceType type) {
  switch (type) {
    case DeviceType::CPU:
      return DispatchKey::CPU;
    case DeviceType::CUDA:
      return DispatchKey::CUDA;
    case DeviceType::Meta:
      return DispatchKey::Meta;
    case DeviceType::PrivateUse1:
      return DispatchKey::PrivateUse1;
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "device '", DeviceTypeName(type),
                                  "' is known by name, but this build has no backend for it");
  }
}

std::string toString(DispatchKeySet set) {
  std::string s = "DispatchKeySet(";
  bool first = true;
  for (int k = 1; k < kNumNames; ++k) {
    if (!set.has(static_cast<DispatchKey>(k))) continue;
    if (!first) s += ", ";
    s += kRuntimeNames[k];
    first = false;
  }
  return s + ")";
}
std::string to_string(DispatchKeySet set) { return toString(set); }

}  // namespace c10
